/* SPDX-License-Identifier: MIT */

/*
 * A dry run touches no target, so it does not know what a sync costs there: the time is given for
 * a fast disk and for a slow one.
 */

#include "dry-run.h"

#include <errno.h>
#include <inttypes.h>

#include "../report/text.h"
#include "../sweep/crowd.h"
#include "../sweep/estimate.h"
#include "../sweep/folder.h"
#include "../sweep/schedule.h"
#include "../sweep/workplace.h"
#include "progress.h"

static const struct {
	const char *title;
	uint64_t sync_ns;
} storages[] = {
	{"where a sync takes 0.3 ms (SSD)", 300000},
	{"where a sync takes 10 ms (hard disk)", 10000000},
};

static void print_targets(const struct sc_sweep *sweep, FILE *out)
{
	for (size_t i = 0; i < sweep->target_count; i++) {
		SC_CLEANUP(sc_buffer_fini) struct sc_buffer path = {0};

		sc_text_add_clean(&path, sweep->targets[i].path, true);
		(void)fprintf(out, "target   %s  %s\n", sweep->targets[i].label,
			      path.text ? path.text : "");
	}
}

static void print_cells(const struct sc_plan *plan, FILE *out)
{
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct sc_plan_cell *cell = &plan->cells[i];

		if (cell->is_same)
			(void)fprintf(out, "same     %s  = %s: %s\n", cell->id,
				      plan->cells[cell->same_index].id, cell->same_reason);
		else
			(void)fprintf(out, "cell     %s\n", cell->id);
	}
}

static int print_order(const struct sc_plan *plan, FILE *out, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) uint32_t *order = calloc(plan->run_count, sizeof(*order));

	if (!order)
		return sc_fail(error, -ENOMEM, "printing the plan");
	sc_plan_order(plan, 1, order);
	(void)fprintf(out, "order    shuffled per round by seed %" PRIu64 "; round 1:\n",
		      plan->seed);
	for (size_t i = 0; i < plan->run_count; i++)
		(void)fprintf(out, "           %s\n", plan->cells[order[i]].id);
	return 0;
}

/* What takes long for a reason that the number of cells does not show. */
static void print_notes(const struct sc_plan *plan, FILE *out)
{
	const struct sc_workload *last = NULL;
	uint64_t clients = sc_crowd_clients(plan), cpus = sc_crowd_cpus();

	if (clients > cpus * SC_CROWD_CLIENTS_PER_CPU)
		(void)fprintf(out,
			      "note     %" PRIu64 " clients share %" PRIu64
			      " CPU%s: a rate says more of the scheduler than of SQLite\n",
			      clients, cpus, cpus == 1 ? "" : "s");
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct sc_workload *workload = sc_plan_workload(plan, i);
		uint64_t more = workload->consumes_rows * workload->ledger_ops;

		if (workload == last || more <= plan->cells[i].rows)
			continue;
		last = workload;
		(void)fprintf(
			out,
			"note     an operation of %s takes %" PRIu64
			" rows away, whatever --rows or --scale: its ledger sample has %" PRIu64
			" rows more\n",
			workload->name, workload->consumes_rows, more);
	}
}

int sc_dry_run_print(const struct sc_sweep *sweep, FILE *out, struct sc_error *error)
{
	const struct sc_plan *plan = sweep->plan;
	char sampling[100];
	int r = sc_folder_check(sweep->out, error);

	for (size_t i = 0; r == 0 && i < sweep->target_count; i++)
		r = sc_workplace_check(&sweep->targets[i], error);
	if (r < 0)
		return r;
	for (size_t i = 0; i < plan->suite_count; i++)
		(void)fprintf(out, "suite    %s: %s\n", plan->suites[i]->name,
			      plan->suites[i]->title);
	print_targets(sweep, out);
	print_cells(plan, out);
	r = print_order(plan, out, error);
	if (r < 0)
		return r;
	sc_sampling_text(sweep, sampling, sizeof(sampling));
	(void)fprintf(out, "total    %zu cell%s, %zu of them run; 1 ledger sample and %s\n",
		      plan->cell_count, plan->cell_count == 1 ? "" : "s", plan->run_count,
		      sampling);
	print_notes(plan, out);
	(void)fprintf(
		out,
		"note     the targets were not touched: the times are for two kinds of storage, "
		"not for them\n");
	for (size_t i = 0; i < SC_ARRAY_COUNT(storages); i++) {
		const struct sc_estimate estimate = {
			.sync_ns = storages[i].sync_ns,
			.operations = sweep->operations,
		};
		uint32_t samples = sweep->samples ? sweep->samples : SC_SCHEDULE_PILOT;
		uint64_t ledger_ns = sc_estimate_sweep(&estimate, plan, 0);
		uint64_t timing_ns = sc_estimate_sweep(&estimate, plan, samples) - ledger_ns;
		uint64_t most_ns = sweep->samples == 0 && sweep->time_ns > timing_ns
					   ? sweep->time_ns
					   : timing_ns;
		char time[100];

		sc_duration_range_text(ledger_ns + timing_ns, ledger_ns + most_ns, time,
				       sizeof(time));
		(void)fprintf(out, "time     about %s %s\n", time, storages[i].title);
	}
	return 0;
}

int sc_suites_print(FILE *out, struct sc_error *error)
{
	const char *name;

	for (size_t i = 0; (name = sc_suite_builtin_name(i)); i++) {
		SC_CLEANUP(sc_suite_freep) struct sc_suite *suite = NULL;
		int r;

		r = sc_suite_load(name, &suite, error);
		if (r < 0)
			return r;
		(void)fprintf(out, "%s: %s\n", suite->name, suite->title);
		for (size_t j = 0; j < suite->variant_count; j++)
			(void)fprintf(out, "%s%s%s", j == 0 ? "  variants: " : ", ",
				      suite->variants[j].name,
				      j + 1 == suite->variant_count ? "\n" : "");
		for (size_t j = 0; j < suite->workload_count; j++)
			(void)fprintf(out, "  %-20s %s%s\n", suite->workloads[j].name,
				      suite->workloads[j].title,
				      suite->workloads[j].in_default_sweep
					      ? ""
					      : " (not in the default sweep)");
	}
	return 0;
}
