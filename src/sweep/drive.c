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
#include "head.h"
#include "interrupt.h"
#include "sample-process.h"
#include "workplace.h"

#define BOTH_INSTRUMENTS ((1u << SC_INSTRUMENT_VFS) | (1u << SC_INSTRUMENT_LIBC))

/* What cannot be copied for want of memory is as good as not known. */
static char *copy_or_null(const char *text)
{
	return text ? strdup(text) : NULL;
}

static int fill_spec(const struct sc_drive *drive, size_t index, uint32_t round,
		     struct sc_sample_spec *spec, struct sc_error *error)
{
	const struct sc_plan *plan = drive->sweep->plan;
	const struct sc_plan_cell *cell = &plan->cells[index];
	const struct sc_workload *workload = sc_plan_workload(plan, index);
	const struct sc_target *target = &drive->head.targets[cell->target_index];

	spec->kind = round == 0 ? SC_SAMPLE_LEDGER : SC_SAMPLE_TIMING;
	spec->round = round;
	spec->setting = cell->setting;
	spec->wal_state = cell->wal_state;
	spec->clients = cell->clients;
	spec->rate = plan->rate;
	spec->rows = cell->rows;
	spec->seed = plan->seed;
	spec->operations = round == 0 ? sc_record_commits(drive->sweep, index, workload->ledger_ops)
				      : drive->records[index].operations;
	spec->instruments = round == 0 ? BOTH_INSTRUMENTS : 0;
	spec->cell_id = strdup(cell->id);
	spec->suite_text = strdup(sc_plan_suite(plan, index)->text);
	spec->workload = strdup(workload->name);
	spec->store = strdup(sc_plan_store(plan, index));
	spec->disk = copy_or_null(target->disk);
	spec->disk_reason = copy_or_null(target->disk_reason);
	if (!spec->cell_id || !spec->suite_text || !spec->workload || !spec->store)
		return sc_fail(error, -ENOMEM, "describing a sample");
	return 0;
}

/* Nothing can be measured on a target that was removed, or that no directory fits on any more. */
static int fail_sample(const struct sc_sample_spec *spec, const struct sc_error *why,
		       struct sc_sample *ret_sample, struct sc_error *error)
{
	struct sc_sample sample = {.kind = spec->kind, .round = spec->round, .status = SC_FAILED};

	sample.effective = spec->setting;
	sample.cell_id = strdup(spec->cell_id);
	sample.reason = strdup(why->what);
	if (!sample.cell_id || !sample.reason) {
		sc_sample_fini(&sample);
		return sc_fail(error, -ENOMEM, "describing a failed sample");
	}
	*ret_sample = sample;
	return 0;
}

static int take_sample(const struct sc_drive *drive, const struct sc_turn *turn,
		       struct sc_sample *ret_sample, struct sc_error *error)
{
	SC_CLEANUP(sc_sample_spec_fini) struct sc_sample_spec spec = {0};
	const struct sc_plan_cell *cell = &drive->sweep->plan->cells[turn->index];
	const struct sc_sample_process process = {
		.program = SC_SAMPLE_PROGRAM,
		.time_limit_ns = drive->sweep->timeout_ns,
		.interrupt_fd = sc_interrupt_fd(),
	};
	struct sc_error why = {0};
	int r;

	r = fill_spec(drive, turn->index, turn->round, &spec, error);
	if (r < 0)
		return r;
	r = sc_workplace_sample(&drive->workplaces[cell->target_index], &spec.directory, &why);
	if (r < 0)
		return fail_sample(&spec, &why, ret_sample, error);
	return sc_sample_process_run(&process, &spec, ret_sample, error);
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
	return sc_record_add(&drive->records[index], drive->sweep, index, sample, error);
}

static int run_sample(struct sc_drive *drive, const struct sc_turn *turn, struct sc_error *error)
{
	SC_CLEANUP(sc_sample_fini) struct sc_sample sample = {0};
	uint64_t now_ns;
	int r;

	r = take_sample(drive, turn, &sample, error);
	if (r < 0)
		return r;
	now_ns = sc_monotonic_ns();
	sample.turn_ns = now_ns - drive->turn_start_ns;
	drive->turn_start_ns = now_ns;
	return keep_sample(drive, turn->index, &sample, error);
}

static void update_progress(struct sc_drive *drive, const struct sc_turn *turn)
{
	struct sc_schedule_left left = sc_schedule_left(&drive->schedule, drive->records);

	drive->progress = (struct sc_sweep_progress){
		.round = turn->round,
		.done = drive->progress.done + 1,
		.left = left.samples,
		.cell_id = drive->sweep->plan->cells[turn->index].id,
		.left_ns = left.ns,
	};
	drive->observer->progress(drive->observer->self, &drive->progress);
}

bool sc_drive_next(struct sc_drive *drive, struct sc_turn *ret_turn)
{
	if (!sc_schedule_next(&drive->schedule, drive->records, ret_turn))
		return false;
	if (ret_turn->round > 0 && drive->sweep->samples == 0 &&
	    drive->head.sampling.rule.look_count == 0)
		sc_schedule_plan(drive->sweep->plan, drive->records, drive->sweep->precision,
				 &drive->head.sampling);
	return true;
}

int sc_drive_round(struct sc_drive *drive, uint32_t *ret_round, struct sc_error *error)
{
	struct sc_turn turn;
	bool has_begun = false;

	while (sc_drive_next(drive, &turn)) {
		int r;

		if (has_begun && turn.round != *ret_round)
			return 0;
		if (sc_interrupt_seen())
			return sc_fail(error, SC_E_INTERRUPTED, "interrupted");
		*ret_round = turn.round;
		has_begun = true;
		r = run_sample(drive, &turn, error);
		if (r < 0)
			return r;
		update_progress(drive, &turn);
	}
	return has_begun ? 0 : 1;
}

int sc_drive_save(struct sc_drive *drive, bool complete, struct sc_error *error)
{
	int r;

	sc_utc_format(sc_realtime_ns(), drive->head.finished);
	drive->head.complete = complete;
	r = sc_records_summarise(&drive->schedule, drive->records, drive->cells, error);
	if (r < 0)
		return r;
	r = sc_report_judge(&drive->head, drive->cells, drive->head.cell_count, error);
	if (r < 0)
		return r;
	return sc_folder_write_summary(&drive->folder, &drive->head, drive->cells, error);
}
