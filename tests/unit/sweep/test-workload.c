/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../base/scratch.h"
#include "sweep/execute.h"

#define BOTH ((1u << SC_INSTRUMENT_VFS) | (1u << SC_INSTRUMENT_LIBC))

/* clang-format off */
static const char frame[] =
	"{\"name\": \"s\", \"title\": \"t\", %s\"schema\": [%s\"CREATE TABLE t(id INTEGER PRIMARY "
	"KEY, v TEXT, n INTEGER NOT NULL DEFAULT 0)\"], \"dataset\": {\"rows\": 100, \"sql\": "
	"\"INSERT INTO t(id, v) VALUES(:id, :v)\", \"parameters\": {\"id\": {\"generator\": "
	"\"sequence\"}, \"v\": {\"generator\": \"sha256\"}}}, \"workloads\": [{\"name\": \"w\", "
	"\"unit\": \"row\", \"ledger_ops\": 10, %s}]}";

#define ADD                                                                                        \
	"\"writes\": true, \"statements\": [\"INSERT INTO t(id, v) VALUES(:id, :v)\"], "           \
	"\"parameters\": {\"id\": {\"generator\": \"sequence\", \"after_dataset\": true}, "        \
	"\"v\": {\"generator\": \"sha256\", \"after_dataset\": true}}, "
#define ALL_THERE                                                                                  \
	"\"checks\": [\"SELECT count(*) = :rows + :operations AND max(id) = count(*) FROM t\"]"
#define DROP                                                                                       \
	"\"writes\": true, \"warmup_ops\": 5, \"rows_per_commit\": 20, \"statements\": [\"DELETE " \
	"FROM t WHERE id = :id\"], \"parameters\": {\"id\": {\"generator\": \"pick\", "            \
	"\"distribution\": \"each\", \"scattered\": true}}, "
#define SCAN                                                                                       \
	"\"writes\": false, \"statements\": [\"SELECT id FROM t\"], \"checks\": [\"SELECT "        \
	":result_rows = :rows * :operations\"]"
#define COUNT_UP                                                                                   \
	"\"writes\": true, \"distinct_ops\": 3, \"statements\": [\"UPDATE t SET n = n + 1 WHERE "  \
	"id = :id\"], \"parameters\": {\"id\": {\"generator\": \"sequence\"}}, \"checks\": "       \
	"[\"SELECT sum(n) = :operations FROM t\", \"SELECT sum(n * id) = :sum_id FROM t\"]"
/* clang-format on */

/* A suite of one workload, over a table of ids and digests. */
static char *suite_with(const char *keys, const char *schema, const char *workload)
{
	char *text = NULL;

	if (asprintf(&text, frame, keys, schema, workload) < 0)
		abort();
	return text;
}

static char *suite_of(const char *workload)
{
	return suite_with("", "", workload);
}

static int run(const struct scratch *scratch, const char *name, char *suite,
	       enum sc_sample_kind kind, uint64_t operations, struct sc_sample *ret_sample,
	       struct sc_error *error)
{
	struct sc_sample_spec spec = {
		.kind = kind,
		.cell_id = strdup(name),
		.suite_text = suite,
		.workload = strdup("w"),
		.directory = strdup(scratch_path(scratch, name)),
		.store = strdup("sqlite"),
		.setting = sc_setting_default(),
		.wal_state = SC_WAL_RECYCLED,
		.operations = operations,
		.seed = 3,
		.instruments = kind == SC_SAMPLE_LEDGER ? BOTH : 0,
	};
	int r;

	spec.setting.journal_mode = SC_JOURNAL_WAL;
	scratch_mkdir(scratch, name);
	r = sc_execute(&spec, ret_sample, error);
	sc_sample_spec_fini(&spec);
	return r;
}

static struct sc_sample run_well(const struct scratch *scratch, const char *name, char *suite,
				 enum sc_sample_kind kind, uint64_t operations)
{
	struct sc_sample sample = {0};
	struct sc_error error = {0};

	if (run(scratch, name, suite, kind, operations, &sample, &error) < 0)
		fail_msg("%s: %s", name, error.what);
	assert_true(sample.verified);
	return sample;
}

/* What @sql gives of the database that sample @name has left. */
static int64_t ask(const struct scratch *scratch, const char *name, const char *sql)
{
	char path[2 * SCRATCH_PATH_BYTES];
	sqlite3_stmt *statement = NULL;
	sqlite3 *db = NULL;
	int64_t answer;

	(void)snprintf(path, sizeof(path), "%s/bench.db", scratch_path(scratch, name));
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	answer = sqlite3_column_int64(statement, 0);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return answer;
}

static uint64_t calls(const struct sc_sample *sample, enum sc_instrument instrument, enum sc_op op)
{
	uint64_t count = 0;

	for (size_t i = 0; i < sample->io_count; i++)
		if (sample->io[i].instrument == instrument &&
		    sample->io[i].role == SC_ROLE_MAIN_DB && sample->io[i].op == op)
			count += sample->io[i].calls;
	return count;
}

/* Rows that each INSERT adds, operations of a transaction, and what both give. */
static const struct {
	const char *keys;
	uint64_t operations, commits;
} batches[] = {
	{"\"rows_per_statement\": 1, \"rows_per_commit\": 1,", 240, 240},
	{"\"rows_per_statement\": 10, \"rows_per_commit\": 60,", 240, 4},
	{"\"rows_per_statement\": 7, \"rows_per_commit\": 60,", 240, 4},
	{"\"rows_per_statement\": 10, \"rows_per_commit\": 10,", 240, 24},
	{"\"rows_per_statement\": 10, \"rows_per_commit\": 3,", 240, 80},
	{"\"rows_per_statement\": 50, \"rows_per_commit\": \"rows\",", 300, 3},
};

static void statements_of_many_rows_add_the_same_rows(void **state)
{
	for (size_t i = 0; i < sizeof(batches) / sizeof(batches[0]); i++) {
		struct sc_sample sample;
		char name[32], workload[600];

		(void)snprintf(name, sizeof(name), "batch%zu", i);
		(void)snprintf(workload, sizeof(workload), ADD "%s" ALL_THERE, batches[i].keys);
		sample = run_well(*state, name, suite_of(workload), SC_SAMPLE_TIMING,
				  batches[i].operations);
		assert_int_equal(sample.operations, batches[i].operations);
		assert_int_equal(sample.commits, batches[i].commits);
		assert_int_equal(sample.op_ns.n, batches[i].operations);
		assert_int_equal(sample.commit_ns.n, batches[i].commits);
		/* Each value is in its own row: SHA-256 of "101" begins so. */
		assert_int_equal(ask(*state, name,
				     "SELECT count(DISTINCT v) = count(*) AND (SELECT v FROM t "
				     "WHERE id = 101) LIKE '16dc%' FROM t"),
				 1);
		sc_sample_fini(&sample);
	}
}

/* The machine's steps tell one statement of a hundred rows from a hundred statements. */
static void one_statement_of_many_rows_is_one_statement(void **state)
{
	struct sc_sample one, many;

	one = run_well(*state, "one", suite_of(ADD "\"rows_per_commit\": 100, " ALL_THERE),
		       SC_SAMPLE_LEDGER, 100);
	many = run_well(*state, "many",
			suite_of(ADD "\"rows_per_commit\": 100, \"rows_per_statement\": "
				     "100, " ALL_THERE),
			SC_SAMPLE_LEDGER, 100);
	assert_true(many.work.vm_steps < one.work.vm_steps);
	assert_int_equal(many.commits, one.commits);
	sc_sample_fini(&one);
	sc_sample_fini(&many);
}

static void a_workload_can_start_empty(void **state)
{
	struct sc_sample sample =
		run_well(*state, "empty",
			 suite_of(ADD "\"starts_empty\": true, \"checks\": [\"SELECT :rows = 0 AND "
				      "count(*) = :operations AND min(id) = 1 FROM t\"]"),
			 SC_SAMPLE_TIMING, 30);

	sc_sample_fini(&sample);
	sample = run_well(*state, "filled", suite_of(ADD ALL_THERE), SC_SAMPLE_TIMING, 30);
	assert_true(ask(*state, "filled", "SELECT count(*) FROM t") >= 130); /* the control */
	sc_sample_fini(&sample);
}

static void distinct_operations_come_again(void **state)
{
	struct sc_sample sample =
		run_well(*state, "distinct", suite_of(COUNT_UP), SC_SAMPLE_TIMING, 31);

	assert_int_equal(ask(*state, "distinct", "SELECT count(*) FROM t WHERE n > 0"), 3);
	assert_int_equal(ask(*state, "distinct", "SELECT max(n) - min(n) < 2 FROM t WHERE n > 0"),
			 1);
	sc_sample_fini(&sample);
}

static void what_is_used_up_is_there_beside_the_rows(void **state)
{
	static const uint64_t operations[] = {20, 400, 4000};

	for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++) {
		char name[32];
		struct sc_sample sample;

		(void)snprintf(name, sizeof(name), "drop%zu", i);
		sample = run_well(*state, name,
				  suite_of(DROP "\"consumes_rows\": 1, \"checks\": [\"SELECT "
						"count(*) = :rows - :operations FROM t\"]"),
				  SC_SAMPLE_TIMING, operations[i]);
		assert_int_equal(sample.operations, operations[i]);
		assert_int_equal(ask(*state, name, "SELECT count(*) FROM t"), 100);
		sc_sample_fini(&sample);
	}
}

static void more_than_a_dataset_holds_is_not_made(void **state)
{
	struct sc_sample sample = {0};
	struct sc_error error = {0};

	assert_int_equal(run(*state, "huge", suite_of(DROP "\"consumes_rows\": 1000000"),
			     SC_SAMPLE_TIMING, 1000000, &sample, &error),
			 SC_E_UNMEASURABLE);
	assert_non_null(strstr(error.what, "use up 1000020000000 rows"));
	assert_int_equal(sample.status, SC_UNSUPPORTED);
	sc_sample_fini(&sample);
}

static void without_that_it_runs_out_of_rows(void **state)
{
	struct sc_sample sample = {0};
	struct sc_error error = {0};

	assert_true(run(*state, "out", suite_of(DROP "\"checks\": []"), SC_SAMPLE_TIMING, 400,
			&sample, &error) < 0);
	assert_non_null(strstr(error.what, "used up its rows"));
	sc_sample_fini(&sample);
}

static void a_reopening_workload_opens_and_closes_each_time(void **state)
{
	struct sc_sample sample =
		run_well(*state, "reopen", suite_of("\"reopens\": true, \"warmup_ops\": 2, " SCAN),
			 SC_SAMPLE_LEDGER, 10);

	assert_int_equal(sample.operations, 10);
	assert_int_equal(calls(&sample, SC_INSTRUMENT_VFS, SC_OP_OPEN), 10);
	assert_int_equal(calls(&sample, SC_INSTRUMENT_VFS, SC_OP_CLOSE), 10);
	sc_sample_fini(&sample);
	sample = run_well(*state, "stay", suite_of(SCAN), SC_SAMPLE_LEDGER, 10);
	assert_int_equal(calls(&sample, SC_INSTRUMENT_VFS, SC_OP_OPEN), 0);
	sc_sample_fini(&sample);
}

static void a_database_in_memory_leaves_no_file(void **state)
{
	struct sc_sample sample =
		run_well(*state, "ram", suite_with("\"database\": \"memory\", ", "", ADD ALL_THERE),
			 SC_SAMPLE_LEDGER, 50);

	assert_false(path_exists(scratch_path(*state, "ram/bench.db")));
	assert_int_equal(sample.effective.journal_mode, SC_JOURNAL_MEMORY);
	assert_int_equal(sample.syncs.vfs, 0);
	assert_int_equal(sample.syncs.physical, 0);
	assert_int_equal(calls(&sample, SC_INSTRUMENT_VFS, SC_OP_WRITE), 0);
	assert_int_equal(sample.commits, 50);
	assert_true(sample.space.database_bytes >= 4096);
	sc_sample_fini(&sample);
	sample = run_well(*state, "disk", suite_of(ADD ALL_THERE), SC_SAMPLE_LEDGER, 50);
	assert_true(path_exists(scratch_path(*state, "disk/bench.db"))); /* the control */
	assert_true(sample.syncs.vfs >= 50);
	sc_sample_fini(&sample);
}

static void a_database_in_memory_is_verified(void **state)
{
	struct sc_sample sample = {0};
	struct sc_error error = {0};

	assert_int_equal(
		run(*state, "wrong",
		    suite_with("\"database\": \"memory\", ", "",
			       ADD "\"checks\": [\"SELECT count(*) = :operations FROM t\"]"),
		    SC_SAMPLE_TIMING, 10, &sample, &error),
		SC_E_VERIFY);
	assert_false(sample.verified);
	sc_sample_fini(&sample);
}

/* A row that refers to none is refused where foreign keys are enforced. */
static void the_connection_is_told_what_the_suite_says(void **state)
{
	static const char *const keys[] = {"", "\"connection\": {\"foreign_keys\": true}, "};

	for (int enforced = 0; enforced < 2; enforced++) {
		struct sc_sample sample = {0};
		struct sc_error error = {0};
		char *suite = suite_with(
			keys[enforced], "\"CREATE TABLE c(t INTEGER REFERENCES t(id))\", ",
			"\"writes\": true, \"statements\": [\"INSERT INTO c(t) VALUES(:t)\"], "
			"\"parameters\": {\"t\": {\"generator\": \"sequence\", \"start\": 1000}}");

		assert_int_equal(run(*state, enforced ? "enforced" : "lax", suite, SC_SAMPLE_TIMING,
				     5, &sample, &error) < 0,
				 enforced);
		if (enforced)
			assert_int_equal(error.sqlite_rc, SQLITE_CONSTRAINT_FOREIGNKEY);
		sc_sample_fini(&sample);
	}
}

int main(void)
{
#define IN_SCRATCH(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		IN_SCRATCH("statements of many rows add the same rows",
			   statements_of_many_rows_add_the_same_rows),
		IN_SCRATCH("one statement of many rows is one statement",
			   one_statement_of_many_rows_is_one_statement),
		IN_SCRATCH("a workload can start empty", a_workload_can_start_empty),
		IN_SCRATCH("distinct operations come again", distinct_operations_come_again),
		IN_SCRATCH("what is used up is there beside the rows",
			   what_is_used_up_is_there_beside_the_rows),
		IN_SCRATCH("more than a dataset holds is not made",
			   more_than_a_dataset_holds_is_not_made),
		IN_SCRATCH("without that it runs out of rows", without_that_it_runs_out_of_rows),
		IN_SCRATCH("a reopening workload opens and closes each time",
			   a_reopening_workload_opens_and_closes_each_time),
		IN_SCRATCH("a database in memory leaves no file",
			   a_database_in_memory_leaves_no_file),
		IN_SCRATCH("a database in memory is verified", a_database_in_memory_is_verified),
		IN_SCRATCH("the connection is told what the suite says",
			   the_connection_is_told_what_the_suite_says),
	};

	return cmocka_run_group_tests_name("sweep-workload", tests, NULL, NULL);
}
