/* SPDX-License-Identifier: MIT */

/*
 * A sample is: a process, its dataset, a warm-up, the timed part, and the verification of all it
 * wrote. A commit takes its syncs and some CPU. The constants were read off a small virtual
 * machine and only set the expectation: from the first samples on, measured times take their place.
 */

#include "estimate.h"

#include <strings.h>

#include "amount.h"

#define PROCESS_NS        30000000u /* start, schema, verification, end */
#define CLIENT_NS         10000000u /* each further client: its process, its connection */
#define SETUP_SYNCS       12u       /* schema, dataset, change of journal mode, last close */
#define STATEMENT_NS      500u      /* of the dataset, a row: and to check the row again */
#define PARAMETER_NS      250u      /* each of its values */
#define INDEX_NS          1800u     /* each index of its table, some of them in random order */
#define SCHEMA_NS         160000u /* a statement of the schema, and to parse it for each connection */
#define SCAN_NS           150u    /* a row that a query without parameters reads */
#define CROWD_CLIENTS     16u     /* so many writers more halve the rate: they sleep, not queue */
#define COMMIT_CPU_NS     60000u /* of a small commit */
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

static bool makes_index(const struct sc_schema_step *step)
{
	return strncasecmp(step->sql, "CREATE INDEX", 12) == 0 ||
	       strncasecmp(step->sql, "CREATE UNIQUE INDEX", 19) == 0;
}

/* One row of the dataset into one of its tables. */
static uint64_t row_ns(const struct sc_suite *suite)
{
	uint64_t statements = suite->dataset_statement_count ? suite->dataset_statement_count : 1;
	uint64_t indexes = 0;

	for (size_t i = 0; i < suite->schema_count; i++)
		indexes += makes_index(&suite->schema[i]);
	return STATEMENT_NS + PARAMETER_NS * suite->dataset_parameter_count +
	       INDEX_NS * indexes / statements;
}

static uint64_t schema_ns(const struct sc_suite *suite)
{
	uint64_t statements = 0;

	for (size_t i = 0; i < suite->schema_count; i++)
		statements += suite->schema[i].repeat ? suite->schema[i].repeat : 1;
	return statements * SCHEMA_NS;
}

/* One transaction of one client; rows that go are counted as half of those that come. */
static uint64_t transaction_ns(const struct sc_estimate *estimate, const struct sc_plan *plan,
			       size_t cell_index)
{
	const struct sc_plan_cell *cell = &plan->cells[cell_index];
	const struct sc_workload *workload = sc_plan_workload(plan, cell_index);
	uint64_t row = row_ns(sc_plan_suite(plan, cell_index));
	uint64_t syncs = workload->writes ? syncs_per_commit(cell) : 0;
	uint64_t operation = row + workload->consumes_rows * row / 2;

	if (!workload->writes && workload->parameter_count == 0)
		operation += cell->rows * SCAN_NS;
	return COMMIT_CPU_NS + syncs * estimate->sync_ns +
	       sc_plan_unit(plan, cell_index) * operation;
}

/* Of a timing sample's timed part, @estimate or the suite having fixed them or not. */
static uint64_t timed_operations(const struct sc_estimate *estimate, const struct sc_plan *plan,
				 size_t cell_index, uint64_t commit_ns)
{
	const struct sc_plan_cell *cell = &plan->cells[cell_index];
	uint64_t fixed =
		estimate->operations ? estimate->operations : sc_plan_timed_ops(plan, cell_index);
	uint64_t cycle_ns, time_ns = SC_AMOUNT_TIME_NS;

	if (fixed)
		return fixed;
	if (cell->uses_wal_state && cell->wal_state == SC_WAL_RECYCLED) {
		cycle_ns = cell->setting.wal_autocheckpoint / FRAMES_PER_COMMIT * commit_ns;
		if (cycle_ns <= SC_AMOUNT_TIME_MAX_NS && cycle_ns > time_ns)
			time_ns = cycle_ns;
	}
	return (time_ns + commit_ns - 1) / commit_ns * sc_plan_unit(plan, cell_index);
}

/* Each client has its share of the operations, and one transaction at least. */
static uint64_t work_ns(const struct sc_plan *plan, size_t cell_index, uint64_t operations,
			uint64_t commit_ns)
{
	const struct sc_plan_cell *cell = &plan->cells[cell_index];
	uint64_t unit = sc_plan_unit(plan, cell_index);
	uint64_t transactions = at_most((operations + unit - 1) / unit, UINT32_MAX);
	double ns;

	if (transactions < cell->clients)
		transactions = cell->clients;
	ns = (double)transactions * (double)commit_ns;
	if (sc_plan_workload(plan, cell_index)->writes)
		ns *= 1 + (double)(cell->clients - 1) / CROWD_CLIENTS;
	return ns < 1e18 ? (uint64_t)ns : (uint64_t)1e18;
}

uint64_t sc_estimate_sample(const struct sc_estimate *estimate, const struct sc_plan *plan,
			    size_t cell_index, enum sc_sample_kind kind)
{
	const struct sc_plan_cell *cell = &plan->cells[cell_index];
	const struct sc_workload *workload = sc_plan_workload(plan, cell_index);
	const struct sc_suite *suite = sc_plan_suite(plan, cell_index);
	uint64_t commit_ns = transaction_ns(estimate, plan, cell_index), ns, rows;
	uint64_t statements = suite->dataset_statement_count;
	uint64_t operations = kind == SC_SAMPLE_LEDGER
				      ? workload->ledger_ops
				      : timed_operations(estimate, plan, cell_index, commit_ns);

	rows = workload->starts_empty
		       ? 0
		       : cell->rows + workload->consumes_rows * (operations + workload->warmup_ops);
	ns = PROCESS_NS + schema_ns(suite) + (cell->clients - 1) * CLIENT_NS +
	     SETUP_SYNCS * estimate->sync_ns + rows * statements * row_ns(suite);
	ns += workload->writes ? recycle_ns(cell) : 0;
	ns += at_most(workload->warmup_ops / sc_plan_unit(plan, cell_index), UINT32_MAX) *
	      commit_ns;
	if (kind != SC_SAMPLE_LEDGER && plan->rate > 0)
		return ns + scheduled_ns(estimate->operations ? estimate->operations
							      : sc_plan_timed_ops(plan, cell_index),
					 plan->rate);
	return ns + work_ns(plan, cell_index, operations, commit_ns);
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
