/* SPDX-License-Identifier: MIT */

/*
 * A round takes the cells in an order of its own, so that a disturbance that lasts a while does
 * not always hit the same one. Between two samples: the sample's line is made durable, its
 * directory is emptied, the observer is told. Nothing of that overlaps with a sample.
 */

#include "drive.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "amount.h"
#include "head.h"
#include "interrupt.h"
#include "sample-process.h"
#include "workplace.h"

#define BOTH_INSTRUMENTS ((1u << SC_INSTRUMENT_VFS) | (1u << SC_INSTRUMENT_LIBC))

/* Operations that SQLite commits at once. */
static uint64_t commit_unit(const struct sc_drive *drive, size_t index)
{
	const struct sc_workload *workload = sc_plan_workload(drive->sweep->plan, index);
	uint64_t unit = drive->sweep->plan->cells[index].setting.rows_per_commit;

	if (unit == 0)
		unit = workload->rows_per_commit;
	return unit ? unit : 1;
}

static uint64_t whole_commits(uint64_t operations, uint64_t unit)
{
	return (operations + unit - 1) / unit * unit;
}

static int fill_spec(const struct sc_drive *drive, size_t index, uint32_t round,
		     struct sc_sample_spec *spec, struct sc_error *error)
{
	const struct sc_plan *plan = drive->sweep->plan;
	const struct sc_plan_cell *cell = &plan->cells[index];
	const struct sc_workload *workload = sc_plan_workload(plan, index);
	int r;

	spec->kind = round == 0 ? SC_SAMPLE_LEDGER : SC_SAMPLE_TIMING;
	spec->round = round;
	spec->setting = cell->setting;
	spec->wal_state = cell->wal_state;
	spec->rows = drive->sweep->rows;
	spec->seed = plan->seed;
	spec->operations = round == 0
				   ? whole_commits(workload->ledger_ops, commit_unit(drive, index))
				   : drive->records[index].operations;
	spec->instruments = round == 0 ? BOTH_INSTRUMENTS : 0;
	spec->cell_id = strdup(cell->id);
	spec->suite_text = strdup(sc_plan_suite(plan, index)->text);
	spec->workload = strdup(workload->name);
	spec->store = strdup("sqlite");
	if (!spec->cell_id || !spec->suite_text || !spec->workload || !spec->store)
		return sc_fail(error, -ENOMEM, "describing a sample");
	r = sc_workplace_sample(&drive->workplaces[cell->target_index], &spec->directory, error);
	return r;
}

/* What a sample says about the next ones of its cell. */
static void size_samples(const struct sc_drive *drive, size_t index, const struct sc_sample *sample,
			 uint64_t elapsed_ns)
{
	const struct sc_plan_cell *cell = &drive->sweep->plan->cells[index];
	struct sc_record *record = &drive->records[index];
	uint64_t overhead_ns = elapsed_ns - (sample->wall_ns < elapsed_ns ? sample->wall_ns : 0);
	double per_operation_ns;

	if (sample->status != SC_MEASURED || sample->operations == 0)
		return;
	if (sample->kind == SC_SAMPLE_TIMING) {
		record->expected_ns = elapsed_ns;
		return;
	}
	if (drive->sweep->operations)
		record->operations =
			whole_commits(drive->sweep->operations, commit_unit(drive, index));
	else
		record->operations =
			sc_amount_choose(sample, &cell->setting, cell->wal_state).operations;
	per_operation_ns = (double)sample->wall_ns / (double)sample->operations;
	record->expected_ns =
		overhead_ns + (uint64_t)(per_operation_ns * (double)record->operations);
}

static int keep_sample(struct sc_drive *drive, size_t index, struct sc_sample *sample,
		       struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *line = NULL;
	int r;

	r = sc_sample_format(sample, &line, error);
	if (r < 0)
		return r;
	r = sc_folder_append(&drive->folder, line, error);
	if (r < 0)
		return r;
	r = sc_head_note_syncs(&drive->head, &sample->syncs, error);
	if (r < 0)
		return r;
	return sc_record_add(&drive->records[index], sample, error);
}

static int run_sample(struct sc_drive *drive, size_t index, uint32_t round, struct sc_error *error)
{
	SC_CLEANUP(sc_sample_spec_fini) struct sc_sample_spec spec = {0};
	SC_CLEANUP(sc_sample_fini) struct sc_sample sample = {0};
	const struct sc_sample_process process = {
		.program = SC_SAMPLE_PROGRAM,
		.time_limit_ns = drive->sweep->timeout_ns,
		.interrupt_fd = sc_interrupt_fd(),
	};
	uint64_t elapsed_ns = 0;
	int r;

	r = fill_spec(drive, index, round, &spec, error);
	if (r < 0)
		return r;
	r = sc_sample_process_run(&process, &spec, &sample, &elapsed_ns, error);
	if (r < 0)
		return r;
	size_samples(drive, index, &sample, elapsed_ns);
	return keep_sample(drive, index, &sample, error);
}

/* Samples that are left after @round, and their time. @pending: cells of @round still to come. */
static void update_progress(struct sc_drive *drive, uint32_t round, size_t index,
			    const uint32_t *pending, size_t pending_count)
{
	const struct sc_plan *plan = drive->sweep->plan;
	uint64_t later = drive->sweep->samples - round; /* rounds */
	uint64_t left_ns = 0;

	for (size_t i = 0; i < plan->cell_count; i++)
		if (!plan->cells[i].is_same && !drive->records[i].failed)
			left_ns += later * drive->records[i].expected_ns;
	for (size_t i = 0; i < pending_count; i++) {
		const struct sc_record *record = &drive->records[pending[i]];

		if (!record->failed)
			left_ns += round == 0 ? record->ledger_ns : record->expected_ns;
	}
	drive->progress.round = round;
	drive->progress.done++;
	drive->progress.cell_id = plan->cells[index].id;
	drive->progress.left_ns = left_ns;
	drive->observer->progress(drive->observer->self, &drive->progress);
}

int sc_drive_round(struct sc_drive *drive, uint32_t round, struct sc_error *error)
{
	const struct sc_plan *plan = drive->sweep->plan;

	sc_plan_order(plan, round, drive->order);
	for (size_t i = 0; i < plan->run_count; i++) {
		size_t index = drive->order[i];
		int r = 0;

		if (sc_interrupt_seen())
			return sc_fail(error, SC_E_INTERRUPTED, "interrupted");
		if (!drive->records[index].failed)
			r = run_sample(drive, index, round, error);
		if (r < 0)
			return r;
		update_progress(drive, round, index, &drive->order[i + 1], plan->run_count - i - 1);
	}
	return 0;
}

int sc_drive_save(struct sc_drive *drive, bool complete, struct sc_error *error)
{
	int r;

	sc_utc_format(sc_realtime_ns(), drive->head.finished);
	drive->head.complete = complete;
	r = sc_records_summarise(drive->sweep->plan, drive->records, drive->cells, error);
	if (r < 0)
		return r;
	r = sc_report_judge(&drive->head, drive->cells, drive->head.cell_count, error);
	if (r < 0)
		return r;
	return sc_folder_write_summary(&drive->folder, &drive->head, drive->cells, error);
}
