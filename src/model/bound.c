/* SPDX-License-Identifier: MIT */

/*
 * What a cell is bound by.
 *
 * The split's parts are disjoint intervals, but two things lie across them: a checkpoint's calls
 * are reads, writes and syncs too, and a thread may wait for a CPU in any of them. Both are taken
 * out, in proportion where it is not known how they overlap:
 *
 *	run delay    = sum over parts of run_delay[p], at most wall[p] of each
 *	checkpoint   = sum over parts of checkpoint[p] * (1 - run_delay[p] / wall[p])
 *	part p       = (wall[p] - checkpoint[p]) * (1 - run_delay[p] / wall[p])
 *
 * so the terms sum to the wall time inside SQLite. SQL is cut once more: what its thread CPU
 * explains is sql on CPU; what neither ran nor waited for a CPU is memory faults if the process
 * had major faults, and otherwise belongs to the rest (a sleep in a user's function, say). Where
 * thread CPU was not read, all of SQL counts as on CPU.
 *
 * If the bounding term cost nothing, the time of an operation would shrink by that term, and by
 * the run delay that fell into it: who does not sleep in a sync does not wait for a CPU when it
 * returns. With both as the share s of all wall time the rate would be rate / (1 - s). The shares
 * are the ledger's, the rate is the timing samples': the instruments are in neither. All else is
 * taken as it is, though it may be cheaper too (to unlink a file that was never synced, say), so
 * this is what that part alone would give. A part that is nearly all there is has no such rate.
 */

#include "report.h"

#include <assert.h>

/* Of all time: what is left beside the bounding term is else within the error of the clocks. */
#define LEFT_MIN 0.01

static const char *const bound_names[] = {
	[SC_BOUND_SQL_CPU] = "sql_cpu",
	[SC_BOUND_SYNC] = "sync",
	[SC_BOUND_WRITE] = "write",
	[SC_BOUND_READ] = "read",
	[SC_BOUND_LOCK] = "lock",
	[SC_BOUND_CHECKPOINT] = "checkpoint",
	[SC_BOUND_MEMORY_FAULTS] = "memory_faults",
	[SC_BOUND_RUN_DELAY] = "run_delay",
};

static_assert(SC_ARRAY_COUNT(bound_names) == SC_BOUND_COUNT_, "a name each");

const char *sc_bound_name(enum sc_bound_by by)
{
	assert(by < SC_BOUND_COUNT_);
	return bound_names[by];
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double *term_of(struct sc_terms *terms, enum sc_part part)
{
	switch (part) {
	case SC_PART_READ:
		return &terms->ns[SC_BOUND_READ];
	case SC_PART_WRITE:
		return &terms->ns[SC_BOUND_WRITE];
	case SC_PART_SYNC:
		return &terms->ns[SC_BOUND_SYNC];
	case SC_PART_LOCK:
		return &terms->ns[SC_BOUND_LOCK];
	case SC_PART_SQL:
		return &terms->ns[SC_BOUND_SQL_CPU];
	case SC_PART_OUTSIDE:
	case SC_PART_SHM:
	case SC_PART_OTHER:
	case SC_PART_COUNT_:
		break;
	}
	return &terms->rest_ns;
}

/* Moves what the thread's CPU does not explain out of the SQL term. */
static void cut_sql(struct sc_terms *terms, const struct sc_split *split, uint64_t major_faults)
{
	double sql = terms->ns[SC_BOUND_SQL_CPU];
	double on_cpu = smaller((double)split->cpu_ns[SC_PART_SQL], sql);

	if (split->cpu_n[SC_PART_SQL] == 0)
		return;
	terms->ns[SC_BOUND_SQL_CPU] = on_cpu;
	if (major_faults > 0)
		terms->ns[SC_BOUND_MEMORY_FAULTS] += sql - on_cpu;
	else
		terms->rest_ns += sql - on_cpu;
}

struct sc_terms sc_split_terms(const struct sc_split *split, uint64_t major_faults)
{
	struct sc_terms terms = {.outside_ns = (double)split->wall_ns[SC_PART_OUTSIDE]};

	assert(split->status == SC_MEASURED);
	for (int p = 0; p < SC_PART_COUNT_; p++) {
		double wall = (double)split->wall_ns[p];
		double delay = smaller((double)split->run_delay_ns[p], wall);
		double checkpoint = smaller((double)split->checkpoint_ns[p], wall);
		double running = wall > 0 ? 1.0 - delay / wall : 1.0;
		double *term;

		if (p == SC_PART_OUTSIDE)
			continue;
		terms.inside_ns += wall;
		terms.ns[SC_BOUND_RUN_DELAY] += delay;
		terms.ns[SC_BOUND_CHECKPOINT] += checkpoint * running;
		terms.delay_ns[SC_BOUND_CHECKPOINT] += checkpoint * (1.0 - running);
		term = term_of(&terms, (enum sc_part)p);
		*term += (wall - checkpoint) * running;
		if (term != &terms.rest_ns)
			terms.delay_ns[term - terms.ns] += (wall - checkpoint) * (1.0 - running);
	}
	cut_sql(&terms, split, major_faults);
	return terms;
}

double sc_split_waiting(const struct sc_split *split)
{
	double wall_ns = 0, delay_ns = 0;

	for (int p = 0; split->status == SC_MEASURED && p < SC_PART_COUNT_; p++) {
		wall_ns += (double)split->wall_ns[p];
		delay_ns += smaller((double)split->run_delay_ns[p], (double)split->wall_ns[p]);
	}
	return wall_ns > 0 ? delay_ns / wall_ns : 0;
}

bool sc_cell_has_waited(const struct sc_cell *cell)
{
	return cell->clients <= 1 && cell->company.part_count == 0 &&
	       sc_split_waiting(&cell->split) > SC_WAITING_MAX;
}

struct sc_bound sc_bound_of(const struct sc_split *split, uint64_t major_faults,
			    const struct sc_interval *ops_per_s)
{
	struct sc_bound bound = {.status = split->status};
	struct sc_terms terms;
	double all_ns, left_ns;

	if (split->status != SC_MEASURED) {
		(void)snprintf(bound.reason, sizeof(bound.reason), "%s", split->reason);
		return bound;
	}
	terms = sc_split_terms(split, major_faults);
	if (terms.inside_ns <= 0) {
		bound.status = SC_SKIPPED;
		(void)snprintf(bound.reason, sizeof(bound.reason), "no time was spent in SQLite");
		return bound;
	}

	for (int by = 0; by < SC_BOUND_COUNT_; by++) {
		if (terms.ns[by] > terms.ns[bound.by])
			bound.by = (enum sc_bound_by)by;
	}
	bound.share = terms.ns[bound.by] / terms.inside_ns;
	left_ns =
		terms.outside_ns + terms.inside_ns - terms.ns[bound.by] - terms.delay_ns[bound.by];
	all_ns = terms.outside_ns + terms.inside_ns;
	if (ops_per_s->status == SC_MEASURED && left_ns >= LEFT_MIN * all_ns)
		bound.if_free_ops_per_s = ops_per_s->median * all_ns / left_ns;
	return bound;
}
