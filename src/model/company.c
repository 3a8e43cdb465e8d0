/* SPDX-License-Identifier: MIT */

#include "company.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "syncost/meter.h"

void sc_company_fini(struct sc_company *company)
{
	for (size_t i = 0; i < company->part_count; i++)
		free(company->parts[i].op_ns.buckets);
	*company = (struct sc_company){0};
}

int sc_company_copy(const struct sc_company *from, struct sc_company *ret_company)
{
	const size_t bytes = SC_HIST_BUCKETS * sizeof(uint32_t);

	*ret_company = *from;
	for (size_t i = 0; i < from->part_count; i++)
		ret_company->parts[i].op_ns.buckets = NULL;
	for (size_t i = 0; i < from->part_count; i++) {
		const uint32_t *buckets = from->parts[i].op_ns.buckets;

		if (!buckets)
			continue;
		ret_company->parts[i].op_ns.buckets = malloc(bytes);
		if (!ret_company->parts[i].op_ns.buckets) {
			sc_company_fini(ret_company);
			return -ENOMEM;
		}
		memcpy(ret_company->parts[i].op_ns.buckets, buckets, bytes);
	}
	return 0;
}

/* The part of the same workload; parts stand in one order in all samples of a cell. */
static int add_part(struct sc_company_part *part, const struct sc_company_part *from)
{
	int r;

	memcpy(part->workload, from->workload, sizeof(part->workload));
	part->clients = from->clients;
	part->operations += from->operations;
	part->commits += from->commits;
	part->busy_retries += from->busy_retries;
	part->busy_ns += from->busy_ns;
	part->wall_ns += from->wall_ns;
	r = sc_latency_merge(&part->op_ns, &from->op_ns);
	sc_latency_read_quantiles(&part->op_ns);
	return r;
}

int sc_company_add(struct sc_company *company, const struct sc_company *sample)
{
	if (sample->hold.holders > 0 &&
	    (company->hold.holders == 0 || (company->hold.frames == 0 && sample->hold.frames > 0)))
		company->hold = sample->hold;
	if (company->part_count < sample->part_count)
		company->part_count = sample->part_count;
	for (size_t i = 0; i < sample->part_count; i++) {
		int r = add_part(&company->parts[i], &sample->parts[i]);

		if (r < 0)
			return r;
	}
	return 0;
}
