/* SPDX-License-Identifier: MIT */

/*
 * A sample is: a process, its dataset, a warm-up, the timed part, and the verification of all it
 * wrote. A commit takes its syncs and some CPU. The constants were read off a small virtual
 * machine and only set the expectation: from the first samples on, measured times take their place.
 */

#include "estimate.h"

#include "amount.h"

#define PROCESS_NS        30000000u /* start, schema, verification, end */
#define CLIENT_NS         10000000u /* each further client: its process, its connection */
#define SETUP_SYNCS       12u       /* schema, dataset, change of journal mode, last close */
#define ROW_NS            5000u     /* to insert one row of the dataset and to check it again */
#define COMMIT_CPU_NS     60000u    /* of a small commit */
#define FRAMES_PER_COMMIT 3u

/* A WAL is recycled by a cycle and a half of commits without syncs. */
static uint64_t recycle_ns(const struct sc_plan_cell *cell)
{
	uint64_t frames = cell->setting.wal_autocheckpoint;

	if (!cell->uses_wal_state || cell->wal_state != SC_WAL_RECYCLED)
		return 0;
	return (frames + frames / 2) / FRAMES_PER_COMMIT * COMMIT_CPU_NS;
}

/* Syncs of one commit: the table of the manual, with what a directory sync adds. */
static uint64_t syncs_per_commit(const struct sc_plan_cell *cell)
{
	static const uint8_t rollback[SC_SYNCHRONOUS_COUNT_] = {0, 3, 4, 5};
	const struct sc_setting *setting = &cell->setting;

	if (cell->store == SC_STORE_SNAPSHOT) /* the file's and the directory's */
		return setting->synchronous == SC_SYNCHRONOUS_OFF ? 0 : 2;
	switch (setting->journal_mode) {
	case SC_JOURNAL_WAL:
		return setting->synchronous >= SC_SYNCHRONOUS_FULL;
	case SC_JOURNAL_MEMORY:
	case SC_JOURNAL_OFF:
		return setting->synchronous != SC_SYNCHRONOUS_OFF;
	case SC_JOURNAL_DELETE:
	case SC_JOURNAL_TRUNCATE:
	case SC_JOURNAL_PERSIST:
	case SC_JOURNAL_COUNT_:
		break;
	}
	return rollback[setting->synchronous];
}

static uint64_t at_most(uint64_t value, uint64_t limit)
{
	return value < limit ? value : limit;
}

static uint64_t scheduled_ns(uint64_t operations, uint64_t rate)
{
	if (operations)
		return (uint64_t)((double)operations * 1e9 / (double)rate);
	return rate < SC_AMOUNT_SCHEDULED_MIN
		       ? UINT64_C(1) * SC_AMOUNT_SCHEDULED_MIN * SC_AMOUNT_SCHEDULED_NS / rate
		       : SC_AMOUNT_SCHEDULED_NS;
}

/* @operations: that are fixed; 0: they are not */
static uint64_t timed_ns(uint64_t operations, uint64_t rate, const struct sc_plan_cell *cell,
			 uint64_t unit, uint64_t commit_ns)
{
	uint64_t cycle_ns;

	if (rate > 0)
		return scheduled_ns(operations, rate);
	if (operations)
		return (operations + unit - 1) / unit * commit_ns;
	if (!cell->uses_wal_state || cell->wal_state != SC_WAL_RECYCLED)
		return SC_AMOUNT_TIME_NS;
	cycle_ns = cell->setting.wal_autocheckpoint / FRAMES_PER_COMMIT * commit_ns;
	if (cycle_ns > SC_AMOUNT_TIME_MAX_NS || cycle_ns < SC_AMOUNT_TIME_NS)
		return SC_AMOUNT_TIME_NS;
	return cycle_ns;
}

uint64_t sc_estimate_sample(const struct sc_estimate *estimate, const struct sc_plan *plan,
			    size_t cell_index, enum sc_sample_kind kind)
{
	const struct sc_plan_cell *cell = &plan->cells[cell_index];
	const struct sc_workload *workload = sc_plan_workload(plan, cell_index);
	uint64_t unit = sc_plan_unit(plan, cell_index);
	uint64_t syncs = workload->writes ? syncs_per_commit(cell) : 0;
	uint64_t operations =
		estimate->operations ? estimate->operations : sc_plan_timed_ops(plan, cell_index);
	uint64_t commit_ns, ns;

	commit_ns = COMMIT_CPU_NS + syncs * estimate->sync_ns + unit * ROW_NS;
	ns = PROCESS_NS + (cell->clients - 1) * CLIENT_NS + SETUP_SYNCS * estimate->sync_ns +
	     cell->rows * ROW_NS;
	ns += workload->writes ? recycle_ns(cell) : 0;
	ns += at_most(workload->warmup_ops / unit, UINT32_MAX) * commit_ns;
	if (kind == SC_SAMPLE_LEDGER)
		return ns + at_most(workload->ledger_ops / unit + 1, UINT32_MAX) * commit_ns;
	return ns + timed_ns(operations, plan->rate, cell, unit, commit_ns);
}

uint64_t sc_estimate_sweep(const struct sc_estimate *estimate, const struct sc_plan *plan,
			   uint32_t samples)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		if (plan->cells[i].is_same)
			continue;
		ns += sc_estimate_sample(estimate, plan, i, SC_SAMPLE_LEDGER);
		ns += samples * sc_estimate_sample(estimate, plan, i, SC_SAMPLE_TIMING);
	}
	return ns;
}
