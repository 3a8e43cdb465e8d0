/* SPDX-License-Identifier: MIT */

/*
 * From first to last: move into the targets, make the folder, measure the floors, the ledger's
 * round, the timing rounds, the floors again, move out. A report stands in the folder from before
 * the first sample, so that whatever ends the sweep leaves one that says how far it came.
 */

#include "sweep.h"

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "drive.h"
#include "estimate.h"
#include "head.h"
#include "interrupt.h"
#include "resume.h"
#include "workplace.h"

#define SAVE_SHARE 20u /* of the time, at most one part goes into saving */

static int drive_init(struct sc_drive *drive, const struct sc_sweep *sweep,
		      const struct sc_sweep_observer *observer, struct sc_error *error)
{
	size_t cell_count = sweep->plan->cell_count;
	int r;

	*drive = (struct sc_drive){.sweep = sweep, .observer = observer, .folder = SC_FOLDER_NONE};
	drive->workplaces = calloc(sweep->target_count, sizeof(*drive->workplaces));
	drive->cells = calloc(cell_count, sizeof(*drive->cells));
	drive->records = calloc(cell_count, sizeof(*drive->records));
	drive->schedule = (struct sc_schedule){
		.plan = sweep->plan,
		.sampling = &drive->head.sampling,
		.order = calloc(sweep->plan->run_count, sizeof(*drive->schedule.order)),
	};
	if (!drive->workplaces || !drive->cells || !drive->records || !drive->schedule.order)
		return sc_fail(error, -ENOMEM, "preparing the sweep");
	for (size_t i = 0; i < sweep->target_count; i++)
		drive->workplaces[i] = SC_DIRECTORY_NONE;
	for (size_t i = 0; i < cell_count; i++) {
		r = sc_record_cell(sweep, i, &drive->cells[i], error);
		if (r < 0)
			return r;
		drive->cells[i].precision = sweep->precision;
		drive->cells[i].rule = sweep->samples ? NULL : &drive->head.sampling.rule;
	}
	return sc_head_fill(sweep, &drive->head, error);
}

static void drive_fini(struct sc_drive *drive)
{
	for (size_t i = 0; drive->workplaces && i < drive->sweep->target_count; i++)
		sc_directory_fini(&drive->workplaces[i]); /* removed before, where that succeeds */
	for (size_t i = 0; drive->cells && i < drive->sweep->plan->cell_count; i++)
		sc_cell_fini(&drive->cells[i]);
	for (size_t i = 0; drive->records && i < drive->sweep->plan->cell_count; i++)
		sc_record_fini(&drive->records[i]);
	sc_freep(&drive->workplaces);
	sc_freep(&drive->cells);
	sc_freep(&drive->records);
	sc_freep(&drive->schedule.order);
	sc_report_head_fini(&drive->head);
	sc_folder_fini(&drive->folder);
}

static int open_workplaces(struct sc_drive *drive, struct sc_error *error)
{
	const struct sc_sweep *sweep = drive->sweep;

	drive->head.targets = calloc(sweep->target_count, sizeof(*drive->head.targets));
	if (!drive->head.targets)
		return sc_fail(error, -ENOMEM, "preparing the sweep");
	for (size_t i = 0; i < sweep->target_count; i++) {
		int r;

		drive->head.target_count++;
		r = sc_workplace_open(&sweep->targets[i], &drive->workplaces[i],
				      &drive->head.targets[i], error);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Removes what the sweep made in the targets; all of them, whatever fails. */
static int close_workplaces(struct sc_drive *drive, struct sc_error *error)
{
	struct sc_error other;
	int result = 0;

	for (size_t i = 0; drive->workplaces && i < drive->sweep->target_count; i++) {
		int r = sc_directory_remove_own(&drive->workplaces[i], result < 0 ? &other : error);

		result = result < 0 ? result : r;
	}
	return result;
}

static int measure_floors(struct sc_drive *drive, struct sc_error *error)
{
	for (size_t i = 0; i < drive->sweep->target_count; i++) {
		int r;

		if (sc_interrupt_seen())
			return sc_fail(error, SC_E_INTERRUPTED, "interrupted");
		r = sc_workplace_floor(&drive->workplaces[i], &drive->head.targets[i], error);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Each cell by its own target's floor; also what the first progress lines go by. */
static void expect(struct sc_drive *drive)
{
	const struct sc_plan *plan = drive->sweep->plan;

	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct sc_target *target = &drive->head.targets[plan->cells[i].target_index];
		const struct sc_estimate estimate = {
			.sync_ns = target->sync_floor_ns_p50,
			.operations = drive->sweep->operations,
		};

		if (plan->cells[i].is_same || drive->records[i].ledger_count > 0)
			continue; /* what was measured says more */
		drive->records[i].planned_ns =
			sc_estimate_sample(&estimate, plan, i, SC_SAMPLE_TIMING);
		drive->records[i].ledger_ns =
			sc_estimate_sample(&estimate, plan, i, SC_SAMPLE_LEDGER);
	}
}

/* From the ledger's round to the end: with the pilot alone, and with all the time there is. */
static void tell_begin(struct sc_drive *drive)
{
	const struct sc_sampling *sampling = &drive->head.sampling;
	uint64_t ledger_ns = 0, timing_ns = 0;
	struct sc_turn turn;

	if (drive->sweep->resume) {
		(void)sc_drive_next(drive, &turn); /* for the rule, by which the rest is known */
		ledger_ns = sc_schedule_left(&drive->schedule, drive->records).ns;
		drive->observer->begin(drive->observer->self, &drive->head, drive->folder.path,
				       ledger_ns, ledger_ns);
		return;
	}
	for (size_t i = 0; i < drive->sweep->plan->cell_count; i++) {
		ledger_ns += drive->records[i].ledger_ns;
		timing_ns += drive->records[i].planned_ns;
	}
	timing_ns *= sampling->samples ? sampling->samples : sampling->pilot;
	drive->observer->begin(
		drive->observer->self, &drive->head, drive->folder.path, ledger_ns + timing_ns,
		ledger_ns + (sampling->time_ns > timing_ns ? sampling->time_ns : timing_ns));
}

static int write_metadata(struct sc_drive *drive, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r;

	r = sc_metadata_format(drive->sweep, &drive->head, &text, error);
	return r < 0 ? r : sc_folder_write(&drive->folder, "metadata.json", text, error);
}

/* What was run, whatever becomes of the suites: the report can be gone on with, and run again. */
static int write_suites(struct sc_drive *drive, struct sc_error *error)
{
	const struct sc_plan *plan = drive->sweep->plan;

	for (size_t i = 0; i < plan->suite_count; i++) {
		char name[SC_FOLDER_NAME_BYTES];
		int r;

		sc_folder_suite_name(plan->suites[i]->name, name, sizeof(name));
		r = sc_folder_write(&drive->folder, name, plan->suites[i]->text, error);
		if (r < 0)
			return r;
	}
	return 0;
}

static int make_folder(struct sc_drive *drive, struct sc_error *error)
{
	int r = sc_folder_make(drive->sweep->out, "sweep", &drive->folder, error);

	if (r < 0)
		return r;
	sc_utc_format(sc_realtime_ns(), drive->head.started);
	r = write_metadata(drive, error);
	if (r == 0)
		r = write_suites(drive, error);
	if (r == 0)
		r = sc_drive_save(drive, false, error);
	return r < 0 ? r : sc_folder_settle(&drive->folder, error);
}

/* Return: 0; 1: there is nothing to do. */
static int open_folder(struct sc_drive *drive, struct sc_error *error)
{
	bool complete = false;
	int r = sc_folder_open(drive->sweep->out, &drive->folder, error);

	if (r == 0)
		r = sc_resume_load(drive, &complete, error);
	return r < 0 ? r : complete;
}

/* Return: 0; 1: there is nothing to do. */
static int begin(struct sc_drive *drive, struct sc_error *error)
{
	int r = drive->sweep->resume ? open_folder(drive, error) : 0;

	if (r != 0)
		return r;
	r = open_workplaces(drive, error);
	if (r == 0)
		r = drive->sweep->resume ? sc_resume_check_targets(drive, error)
					 : make_folder(drive, error);
	if (r < 0)
		return r;
	r = measure_floors(drive, error);
	if (r < 0)
		return r;
	expect(drive);
	tell_begin(drive);
	return 0;
}

/* All cells are in the rounds of the pilot; later ones may be so short that saving would cost more
 * than measuring. */
static bool is_worth_saving(const struct sc_drive *drive, uint32_t round, uint64_t saved_ns,
			    uint64_t save_ns)
{
	uint32_t always = drive->sweep->samples ? drive->sweep->samples : SC_SCHEDULE_PILOT;

	return round <= always || sc_monotonic_ns() - saved_ns >= SAVE_SHARE * save_ns;
}

static int measure(struct sc_drive *drive, struct sc_error *error)
{
	uint64_t saved_ns = 0, save_ns = 0;
	uint32_t round = 0;
	int r;

	drive->turn_start_ns = sc_monotonic_ns();
	while ((r = sc_drive_round(drive, &round, error)) == 0) {
		uint64_t start_ns = sc_monotonic_ns();

		drive->head.rounds = round;
		if (!is_worth_saving(drive, round, saved_ns, save_ns))
			continue;
		r = sc_drive_save(drive, false, error);
		if (r < 0)
			return r;
		saved_ns = sc_monotonic_ns();
		save_ns = saved_ns - start_ns;
	}
	if (r < 0)
		return r;
	r = measure_floors(drive, error);
	return r < 0 ? r : sc_drive_save(drive, true, error);
}

static size_t count_cells(const struct sc_drive *drive, enum sc_status status)
{
	size_t count = 0;

	for (size_t i = 0; i < drive->sweep->plan->cell_count; i++)
		count += drive->cells[i].status == status;
	return count;
}

static bool has_severe(const struct sc_findings *findings)
{
	for (size_t i = 0; i < findings->count; i++)
		if (findings->items[i].severity == SC_SEVERITY_SEVERE)
			return true;
	return false;
}

static bool is_severe(const struct sc_drive *drive)
{
	bool severe = has_severe(&drive->head.findings);

	for (size_t i = 0; i < drive->head.target_count; i++)
		severe = severe || has_severe(&drive->head.targets[i].findings);
	for (size_t i = 0; i < drive->head.cell_count; i++)
		severe = severe || has_severe(&drive->cells[i].findings);
	return severe;
}

/* All that can fail once the drive exists; an interrupt is no failure. */
static int drive_sweep(struct sc_drive *drive, struct sc_sweep_outcome *outcome,
		       struct sc_error *error)
{
	int r;

	r = begin(drive, error);
	outcome->was_complete = r > 0;
	if (r > 0) /* what became of its cells */
		r = sc_records_summarise(&drive->schedule, drive->records, drive->cells, error);
	else if (r == 0)
		r = measure(drive, error);
	outcome->interrupted = r == SC_E_INTERRUPTED;
	if (outcome->interrupted && drive->folder.path && !drive->folder.draft.path)
		r = sc_drive_save(drive, false, error);
	return r;
}

int sc_sweep_run(const struct sc_sweep *sweep, const struct sc_sweep_observer *observer,
		 struct sc_sweep_outcome *ret_outcome, struct sc_error *error)
{
	SC_CLEANUP(drive_fini) struct sc_drive drive = {.folder = SC_FOLDER_NONE};
	struct sc_error close_error = {0};
	struct sc_sweep_outcome outcome = {0};
	int r, close_r;

	r = sc_interrupt_watch(error);
	if (r < 0)
		return r;
	r = drive_init(&drive, sweep, observer, error);
	if (r >= 0)
		r = drive_sweep(&drive, &outcome, error);
	close_r = close_workplaces(&drive, &close_error);
	if (r >= 0 && close_r < 0)
		*error = close_error;
	r = r < 0 ? r : close_r;
	if (r < 0)
		return r;
	outcome.folder = SC_TAKE(drive.folder.path);
	outcome.failed_cells = count_cells(&drive, SC_FAILED);
	outcome.unsupported_cells = count_cells(&drive, SC_UNSUPPORTED);
	outcome.measured_cells = count_cells(&drive, SC_MEASURED);
	outcome.is_severe = is_severe(&drive);
	*ret_outcome = outcome;
	return 0;
}

void sc_sweep_outcome_fini(struct sc_sweep_outcome *outcome)
{
	sc_freep(&outcome->folder);
}
