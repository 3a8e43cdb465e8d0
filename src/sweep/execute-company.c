/* SPDX-License-Identifier: MIT */

#include "execute-company.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../stats/hist.h"
#include "execute-client.h"

static_assert(SC_COMPANY_MAX >= SC_BESIDE_MAX, "room for all");

void sc_companions_fini(struct sc_companions *companions)
{
	for (size_t i = 0; i < companions->count; i++) {
		sc_stream_set_freep(&companions->values[i]);
		free(companions->sums[i]);
	}
	companions->count = 0;
}

int sc_companions_new(const struct sc_suite *suite, const struct sc_workload *workload,
		      const struct sc_generation *generation, struct sc_companions *ret_companions,
		      struct sc_error *error)
{
	SC_CLEANUP(sc_companions_fini) struct sc_companions self = {.count = 0};

	for (size_t i = 0; i < workload->beside_count; i++) {
		const struct sc_workload *other =
			sc_suite_workload(suite, workload->beside[i].workload);
		char scope[80];
		int r;

		assert(other != NULL); /* the parser has looked */
		self.workloads[i] = other;
		self.count++;
		self.sums[i] = calloc(other->parameter_count + 1, sizeof(*self.sums[i]));
		if (!self.sums[i])
			return sc_fail(error, -ENOMEM, "workload %s", other->name);
		(void)snprintf(scope, sizeof(scope), "beside/%s", other->name);
		r = sc_stream_set_new(generation, other->parameters, other->parameter_count, scope,
				      &self.values[i], error);
		if (r < 0)
			return r;
	}
	*ret_companions = self;
	self.count = 0;
	return 0;
}

void sc_companions_join(const struct sc_companions *companions, struct sc_clients_task *task)
{
	task->beside_count = companions->count;
	for (size_t i = 0; i < companions->count; i++) {
		const struct sc_beside *beside = &task->workload->beside[i];

		task->beside[i] = (struct sc_clients_beside){
			.workload = companions->workloads[i],
			.values = companions->values[i],
			.clients = beside->clients,
			.holds = beside->hold_until > 0,
			.hold_until = beside->hold_until,
		};
	}
}

/* One client's: the first of its block come once more than the others, where it began again. */
static int count_client(const struct sc_stream_set *set, size_t parameter_count, uint64_t first,
			uint64_t block, uint64_t operations, int64_t *sums)
{
	SC_CLEANUP(sc_arena_fini) struct sc_arena arena = {0};
	struct sc_value row[SC_SUITE_PARAMETERS_MAX];

	for (uint64_t i = 0; i < block && i < operations; i++) {
		uint64_t times = operations / block + (i < operations % block);
		int r = sc_stream_set_row(set, first + i, &arena, row);

		if (r < 0)
			return r;
		for (size_t j = 0; j < parameter_count; j++)
			if (row[j].kind == SC_VALUE_INTEGER)
				sums[j] = (int64_t)((uint64_t)sums[j] +
						    times * (uint64_t)row[j].integer);
	}
	return 0;
}

int sc_companions_count(struct sc_companions *companions, const struct sc_timed_part *part,
			struct sc_error *error)
{
	for (size_t i = 0; i < part->beside_count; i++) {
		const struct sc_timed_beside *beside = &part->beside[i];

		for (size_t j = 0; j < SC_ARRAY_COUNT(beside->operations); j++) {
			int r = count_client(companions->values[i],
					     companions->workloads[i]->parameter_count,
					     j * beside->block, beside->block,
					     beside->operations[j], companions->sums[i]);

			if (r < 0)
				return sc_fail(error, r, "values of workload %s",
					       companions->workloads[i]->name);
		}
	}
	return 0;
}

void sc_companions_expect(const struct sc_companions *companions, const struct sc_timed_part *part,
			  struct sc_expected *expected)
{
	for (size_t i = 0; i < part->beside_count; i++) {
		expected->beside[i].workload = companions->workloads[i];
		expected->beside[i].tally = part->beside[i].tally;
		expected->beside[i].sums = companions->sums[i];
	}
}

static void tell_latency(struct sc_timing *timing, struct sc_latency *latency)
{
	latency->n = sc_hist_count(timing->op_buckets);
	if (latency->n == 0) {
		latency->status = SC_SKIPPED;
		(void)snprintf(latency->reason, sizeof(latency->reason), "no operation was timed");
		return;
	}
	latency->max_ns = timing->op_ns_max;
	latency->buckets = SC_TAKE(timing->op_buckets);
	sc_latency_read_quantiles(latency);
}

void sc_companions_tell(const struct sc_companions *companions, struct sc_timed_part *part,
			struct sc_company *company)
{
	company->hold = part->hold;
	for (size_t i = 0; i < part->beside_count; i++) {
		struct sc_timed_beside *beside = &part->beside[i];
		struct sc_company_part *told = &company->parts[i];

		(void)snprintf(told->workload, sizeof(told->workload), "%s",
			       companions->workloads[i]->name);
		told->clients = beside->clients;
		told->operations = beside->tally.operations;
		told->commits = beside->tally.commits;
		told->busy_retries = beside->tally.busy_retries;
		told->busy_ns = beside->tally.busy_ns;
		told->wall_ns = part->wall_ns;
		tell_latency(&beside->timing, &told->op_ns);
		company->part_count = i + 1;
	}
}
