/* SPDX-License-Identifier: MIT */
#pragma once

/* A distribution of latencies. */

#include <stddef.h>
#include <stdint.h>

#include "../base/status.h"

#define SC_REASON_BYTES 96u

/* A latency distribution; buckets as in syncost/meter.h. */
struct sc_latency {
	enum sc_status status;
	uint64_t n, p50_ns, p90_ns, p99_ns, p999_ns, max_ns;
	uint32_t *buckets;            /* SC_HIST_BUCKETS counts, owned; NULL when n is 0 */
	char reason[SC_REASON_BYTES]; /* why it was not measured; empty when it was */
};

/** sc_latency_merge() - add @from's values to @into's; quantiles are left. 0 or -ENOMEM */
int sc_latency_merge(struct sc_latency *into, const struct sc_latency *from);

/** sc_latency_read_quantiles() - of the buckets, where there are any */
void sc_latency_read_quantiles(struct sc_latency *latency);
