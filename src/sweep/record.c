/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <errno.h>
#include <string.h>

#include "amount.h"
#include "schedule.h"

uint64_t sc_record_commits(const struct sc_sweep *sweep, size_t index, uint64_t operations)
{
	uint64_t unit = sc_plan_unit(sweep->plan, index);

	return (operations + unit - 1) / unit * unit;
}

uint64_t sc_record_expected_ns(const struct sc_record *record)
{
	return record->timing_count ? record->timing_ns / record->timing_count : record->planned_ns;
}

/* Without a word from the command line. */
static uint64_t choose_operations(const struct sc_sweep *sweep, size_t index,
				  const struct sc_sample *ledger)
{
	const struct sc_plan_cell *cell = &sweep->plan->cells[index];
	const struct sc_workload *workload = sc_plan_workload(sweep->plan, index);
	double until;

	if (sweep->plan->rate > 0)
		return sc_record_commits(sweep, index,
					 sc_amount_scheduled(ledger, sweep->plan->rate));
	/* A snapshot is held for as many commits as in the ledger's. */
	if (sc_workload_holds(workload, &until))
		return sc_record_commits(sweep, index, workload->ledger_ops);
	return sc_amount_choose(ledger, &cell->setting, cell->wal_state).operations;
}

/* What the ledger sample says of the timing samples: how much they do, how long they take. */
static void plan_timing(struct sc_record *record, const struct sc_sweep *sweep, size_t index,
			const struct sc_sample *sample)
{
	uint64_t rate = sweep->plan->rate;
	uint64_t overhead_ns =
		sample->turn_ns - (sample->wall_ns < sample->turn_ns ? sample->wall_ns : 0);
	double per_operation_ns;

	if (sample->status != SC_MEASURED || sample->operations == 0)
		return;
	if (sweep->operations_of && sweep->operations_of[index])
		record->operations = sweep->operations_of[index];
	else if (sweep->operations)
		record->operations = sc_record_commits(sweep, index, sweep->operations);
	else if (sc_plan_timed_ops(sweep->plan, index) > 0)
		record->operations =
			sc_record_commits(sweep, index, sc_plan_timed_ops(sweep->plan, index));
	else
		record->operations = choose_operations(sweep, index, sample);
	per_operation_ns = (double)sample->wall_ns / (double)sample->operations;
	if (rate > 0 && per_operation_ns < 1e9 / (double)rate)
		per_operation_ns = 1e9 / (double)rate;
	record->planned_ns =
		overhead_ns + (uint64_t)(per_operation_ns * (double)record->operations);
}

/* Into its place among those before. There is room. */
static void insert_rate(struct sc_record *record, double rate)
{
	size_t at = record->rate_count++;

	for (; at > 0 && record->rates[at - 1] > rate; at--)
		record->rates[at] = record->rates[at - 1];
	record->rates[at] = rate;
}

static void note_timing(struct sc_record *record, const struct sc_sample *sample)
{
	record->timing_count++;
	record->timing_ns += sample->turn_ns;
	if (sample->status == SC_MEASURED && sc_sample_rate(sample) > 0)
		insert_rate(record, sc_sample_rate(sample));
}

int sc_record_add(struct sc_record *record, const struct sc_sweep *sweep, size_t index,
		  struct sc_sample *sample, struct sc_error *error)
{
	struct sc_sample *samples =
		reallocarray(record->samples, record->sample_count + 1u, sizeof(*samples));
	double *rates = reallocarray(record->rates, record->rate_count + 1u, sizeof(*rates));

	record->samples = samples ? samples : record->samples;
	record->rates = rates ? rates : record->rates;
	if (!samples || !rates)
		return sc_fail(error, -ENOMEM, "keeping a sample");
	record->failed = record->failed || sample->status != SC_MEASURED;
	if (sample->kind == SC_SAMPLE_TIMING) {
		note_timing(record, sample);
	} else {
		record->ledger_count++;
		plan_timing(record, sweep, index, sample);
	}
	samples[record->sample_count++] = *sample;
	*sample = (struct sc_sample){0};
	return 0;
}

void sc_record_fini(struct sc_record *record)
{
	for (size_t i = 0; i < record->sample_count; i++)
		sc_sample_fini(&record->samples[i]);
	sc_freep(&record->samples);
	sc_freep(&record->rates);
	*record = (struct sc_record){0};
}

int sc_record_cell(const struct sc_sweep *sweep, size_t index, struct sc_cell *cell,
		   struct sc_error *error)
{
	const struct sc_plan_cell *planned = &sweep->plan->cells[index];
	const struct sc_workload *workload = sc_plan_workload(sweep->plan, index);
	const struct sc_suite *suite = sc_plan_suite(sweep->plan, index);

	sc_cell_init(cell);
	cell->id = strdup(planned->id);
	cell->target = strdup(sweep->targets[planned->target_index].label);
	cell->suite = strdup(suite->name);
	cell->workload = strdup(workload->name);
	cell->unit = strdup(workload->unit);
	cell->store = strdup(sc_plan_store(sweep->plan, index));
	cell->device = strdup("none");
	cell->clock = strdup("real");
	cell->layers = strdup(planned->store == SC_STORE_SNAPSHOT ? "memdb" : "meter,unix");
	if (!cell->id || !cell->target || !cell->suite || !cell->workload || !cell->unit ||
	    !cell->store || !cell->device || !cell->clock || !cell->layers)
		return sc_fail(error, -ENOMEM, "naming a cell");
	(void)snprintf(cell->suite_digest, sizeof(cell->suite_digest), "%s", suite->digest);
	cell->wal_state = planned->wal_state;
	cell->uses_wal_state = planned->uses_wal_state;
	cell->setting = planned->setting;
	cell->clients = planned->clients;
	cell->rows = planned->rows;
	cell->seed = sweep->plan->seed;
	cell->rate = sweep->plan->rate;
	return 0;
}

int sc_records_summarise(const struct sc_schedule *schedule, const struct sc_record *records,
			 struct sc_cell *cells, struct sc_error *error)
{
	const struct sc_plan *plan = schedule->plan;

	for (size_t i = 0; i < plan->cell_count; i++) {
		int r = 0;

		if (records[i].sample_count > 0)
			r = sc_cell_summarise(&cells[i], records[i].samples,
					      records[i].sample_count, error);
		if (r < 0)
			return r;
	}
	sc_schedule_mark(schedule, records, cells);
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct sc_plan_cell *planned = &plan->cells[i];
		int r = 0;

		if (planned->is_same)
			r = sc_cell_same(&cells[i], &cells[planned->same_index],
					 planned->same_reason, error);
		if (r < 0)
			return r;
	}
	return 0;
}
