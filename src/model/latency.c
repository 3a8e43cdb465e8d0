/* SPDX-License-Identifier: MIT */

#include "latency.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../base/attr.h"
#include "../stats/hist.h"

int sc_latency_merge(struct sc_latency *into, const struct sc_latency *from)
{
	if (from->status != SC_MEASURED || from->n == 0 || !from->buckets) {
		if (!into->buckets && !into->reason[0]) {
			into->status = from->status == SC_MEASURED ? SC_SKIPPED : from->status;
			(void)snprintf(into->reason, sizeof(into->reason), "%s",
				       from->reason[0] ? from->reason
						       : "nothing of the kind happened");
		}
		return 0;
	}
	if (!into->buckets) {
		into->buckets = calloc(SC_HIST_BUCKETS, sizeof(*into->buckets));
		if (!into->buckets)
			return -ENOMEM;
		into->status = SC_MEASURED;
		into->reason[0] = '\0';
	}
	sc_hist_add(into->buckets, from->buckets);
	into->n += from->n;
	if (from->max_ns > into->max_ns)
		into->max_ns = from->max_ns;
	return 0;
}

void sc_latency_read_quantiles(struct sc_latency *latency)
{
	const struct {
		double q;
		uint64_t *ns;
	} quantiles[] = {
		{0.50, &latency->p50_ns},
		{0.90, &latency->p90_ns},
		{0.99, &latency->p99_ns},
		{0.999, &latency->p999_ns},
	};

	if (!latency->buckets)
		return;
	for (size_t i = 0; i < SC_ARRAY_COUNT(quantiles); i++)
		(void)sc_hist_quantile(latency->buckets, latency->max_ns, quantiles[i].q,
				       quantiles[i].ns);
}
