/* SPDX-License-Identifier: MIT */

/*
 * The executor without the tap. Its phases are caught where it names them (prctl is wrapped), and
 * the WAL is looked at from a process of its own then: this one must not open and close it.
 */

#include "../base/test.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/scratch.h"
#include "../suite/suites.h"
#include "stats/hist.h"
#include "sweep/execute.h"

/* --- phases */

struct look { /* at the WAL, from outside */
	bool exists;
	uint64_t bytes;
	uint32_t sequence; /* of its header; 0 where there is none */
};

static struct {
	char names[200];
	size_t names_bytes;
	char wal[2 * SCRATCH_PATH_BYTES];
	struct look measure, verify;
	void (*at_measure)(const char *directory);
	char directory[SCRATCH_PATH_BYTES];
} phases;

static uint32_t sequence_of(const unsigned char *header)
{
	return (uint32_t)header[12] << 24 | (uint32_t)header[13] << 16 | (uint32_t)header[14] << 8 |
	       header[15];
}

/* In a process of its own; the header comes back through a pipe. */
static struct look look_at_wal(void)
{
	struct look look = {0};
	unsigned char header[32] = {0};
	struct stat status;
	int pipes[2];
	pid_t child;

	if (stat(phases.wal, &status) < 0)
		return look;
	look.exists = true;
	look.bytes = (uint64_t)status.st_size;
	assert_int_equal(pipe(pipes), 0);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		int fd = open(phases.wal, O_RDONLY);
		ssize_t got = fd >= 0 ? read(fd, header, sizeof(header)) : 0;

		_exit(write(pipes[1], header, sizeof(header)) == sizeof(header) && got >= 0 ? 0
											    : 1);
	}
	assert_int_equal(read(pipes[0], header, sizeof(header)), sizeof(header));
	assert_int_equal(waitpid(child, NULL, 0), child);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
	look.sequence = sequence_of(header);
	return look;
}

/* NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl*): the name is the linker's */
int __wrap_prctl(int option, const char *name);

int __wrap_prctl(int option, const char *name)
{
	assert_int_equal(option, PR_SET_NAME);
	phases.names_bytes +=
		(size_t)snprintf(phases.names + phases.names_bytes,
				 sizeof(phases.names) - phases.names_bytes, "%s ", name);
	if (strcmp(name, "sc-measure") == 0) {
		phases.measure = look_at_wal();
		if (phases.at_measure)
			phases.at_measure(phases.directory);
	}
	if (strcmp(name, "sc-verify") == 0)
		phases.verify = look_at_wal();
	return 0;
}
/* NOLINTEND(bugprone-reserved-identifier, cert-dcl*) */

/* --- samples */

static struct sc_sample_spec spec_for(const char *suite_text, const char *workload)
{
	struct sc_sample_spec spec = {
		.kind = SC_SAMPLE_TIMING,
		.cell_id = strdup("test/cell"),
		.suite_text = strdup(suite_text),
		.workload = strdup(workload),
		.store = strdup("sqlite"),
		.setting = sc_setting_default(),
		.wal_state = SC_WAL_RECYCLED,
		.rows = 100,
		.operations = 6,
		.seed = 5,
		.round = 3,
	};

	spec.setting.wal_autocheckpoint = 20;
	return spec;
}

/* The text of the built-in suite. */
static struct sc_sample_spec commit_spec(const char *workload)
{
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};
	struct sc_sample_spec spec;

	assert_int_equal(sc_suite_load("commit", &suite, &error), 0);
	spec = spec_for(suite->text, workload);
	sc_suite_freep(&suite);
	return spec;
}

/* Runs @spec in a new directory @name; the caller finishes both. */
static int run(const struct scratch *scratch, const char *name, struct sc_sample_spec *spec,
	       struct sc_sample *ret_sample, struct sc_error *error)
{
	scratch_mkdir(scratch, name);
	free(spec->directory);
	spec->directory = strdup(scratch_path(scratch, name));
	phases.names[0] = '\0';
	phases.names_bytes = 0;
	(void)snprintf(phases.directory, sizeof(phases.directory), "%s", spec->directory);
	(void)snprintf(phases.wal, sizeof(phases.wal), "%s/bench.db-wal", spec->directory);
	memset(&phases.measure, 0, sizeof(phases.measure));
	memset(&phases.verify, 0, sizeof(phases.verify));
	return sc_execute(spec, ret_sample, error);
}

static void run_well(const struct scratch *scratch, const char *name, struct sc_sample_spec *spec,
		     struct sc_sample *ret_sample)
{
	struct sc_error error = {0};

	if (run(scratch, name, spec, ret_sample, &error) < 0)
		fail_msg("%s: %s", name, error.what);
	assert_int_equal(ret_sample->status, SC_MEASURED);
	assert_null(ret_sample->reason);
	assert_true(ret_sample->verified);
}

/* Every row of every table, as text; the caller frees it. */
static char *dump(const struct scratch *scratch, const char *name)
{
	sqlite3_stmt *tables = NULL, *rows = NULL;
	char path[2 * SCRATCH_PATH_BYTES];
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);
	sqlite3 *db = NULL;

	(void)snprintf(path, sizeof(path), "%s/bench.db", scratch_path(scratch, name));
	assert_int_equal(sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_prepare_v2(db,
					    "SELECT name, sql, 'SELECT * FROM ' || name FROM "
					    "sqlite_schema WHERE type = 'table' ORDER BY name",
					    -1, &tables, NULL),
			 SQLITE_OK);
	while (sqlite3_step(tables) == SQLITE_ROW) {
		(void)fprintf(out, "%s\n", (const char *)sqlite3_column_text(tables, 1));
		assert_int_equal(sqlite3_prepare_v2(db,
						    (const char *)sqlite3_column_text(tables, 2),
						    -1, &rows, NULL),
				 SQLITE_OK);
		while (sqlite3_step(rows) == SQLITE_ROW)
			for (int i = 0; i < sqlite3_column_count(rows); i++)
				(void)fprintf(out, "%s%c",
					      (const char *)sqlite3_column_text(rows, i),
					      i + 1 < sqlite3_column_count(rows) ? '|' : '\n');
		assert_int_equal(sqlite3_finalize(rows), SQLITE_OK);
	}
	assert_int_equal(sqlite3_finalize(tables), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* --- settings */

static void run_setting(const struct scratch *scratch, enum sc_journal_mode mode,
			enum sc_synchronous level, enum sc_locking_mode locking)
{
	struct sc_sample_spec spec = commit_spec("insert_one");
	struct sc_sample sample = {0};
	char name[80];

	(void)snprintf(name, sizeof(name), "%s-%s-%s", sc_journal_mode_name(mode),
		       sc_synchronous_name(level), sc_locking_mode_name(locking));
	spec.setting.journal_mode = mode;
	spec.setting.synchronous = level;
	spec.setting.locking_mode = locking;
	run_well(scratch, name, &spec, &sample);
	spec.setting.rows_per_commit = 1; /* what 0 stands for */
	if (sc_setting_compare(&sample.effective, &spec.setting) != 0)
		fail_msg("%s: another setting was effective", name);
	assert_int_equal(sample.operations, 6);
	assert_int_equal(sample.commits, 6);
	assert_int_equal(sample.round, 3);
	assert_int_equal(sample.op_ns.n, 6);
	assert_int_equal(sample.commit_ns.n, 6);
	assert_true(sample.wall_ns > 0 && sample.cpu_ns > 0);
	assert_true(sample.space.database_bytes > 0 && sample.space.allocated_bytes > 0);
	assert_int_equal(sample.space.wal_bytes > 0, mode == SC_JOURNAL_WAL);
	assert_int_equal(sample.space.shm_bytes > 0,
			 mode == SC_JOURNAL_WAL && locking == SC_LOCKING_NORMAL);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void run_settings(const struct scratch *scratch, enum sc_locking_mode locking)
{
	for (int mode = 0; mode < SC_JOURNAL_COUNT_; mode++)
		for (int level = 0; level < SC_SYNCHRONOUS_COUNT_; level++)
			run_setting(scratch, (enum sc_journal_mode)mode, (enum sc_synchronous)level,
				    locking);
}

static void every_journal_mode_and_level_is_applied_and_verified(void **state)
{
	run_settings(*state, SC_LOCKING_NORMAL);
}

static void so_they_are_with_exclusive_locking(void **state)
{
	run_settings(*state, SC_LOCKING_EXCLUSIVE);
}

static void other_pragmas_are_applied(void **state)
{
	struct sc_sample_spec spec = commit_spec("update_one");
	struct sc_sample sample = {0};

	spec.setting.page_size = 16384;
	spec.setting.cache_size = 77;
	spec.setting.mmap_size = 1 << 20;
	spec.setting.fullfsync = true;
	spec.setting.checkpoint_fullfsync = true;
	spec.setting.journal_mode = SC_JOURNAL_WAL;
	run_well(*state, "pragmas", &spec, &sample);
	spec.setting.rows_per_commit = 1;
	assert_int_equal(sc_setting_compare(&sample.effective, &spec.setting), 0);
	assert_int_equal(sample.space.database_bytes % 16384, 0);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void what_sqlite_does_not_take_is_no_error_but_visible(void **state)
{
	struct sc_sample_spec spec = commit_spec("update_one");
	struct sc_sample sample = {0};

	spec.setting.mmap_size = UINT64_C(1) << 50; /* more than any build allows */
	run_well(*state, "mmap", &spec, &sample);
	assert_true(sample.effective.mmap_size < spec.setting.mmap_size);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

/* --- phases and the WAL */

static void the_phases_are_named_in_order(void **state)
{
	struct sc_sample_spec spec = commit_spec("insert_one");
	struct sc_sample sample = {0};

	run_well(*state, "phases", &spec, &sample);
	assert_string_equal(phases.names, "sc-setup sc-warmup sc-measure sc-verify sc-done ");
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

#define WAL_FRAME_BYTES  UINT64_C(4120) /* a page and its header */
#define WAL_HEADER_BYTES 32

static void a_fresh_wal_is_empty_and_grows(void **state)
{
	struct sc_sample_spec spec = commit_spec("update_one");
	struct sc_sample sample = {0};

	spec.setting.journal_mode = SC_JOURNAL_WAL;
	spec.wal_state = SC_WAL_FRESH;
	run_well(*state, "fresh", &spec, &sample);
	assert_true(phases.measure.exists);
	assert_int_equal(phases.measure.bytes, 0);
	/* Six updates by key, a page each. */
	assert_int_equal(phases.verify.bytes, WAL_HEADER_BYTES + 6 * WAL_FRAME_BYTES);
	assert_int_equal(sample.space.wal_bytes, phases.verify.bytes);
	assert_int_equal(sample.checkpoints_seen, 0);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

/* Updates of a page each: the commit number @pages would start a checkpoint. */
static struct sc_sample_spec fresh_spec(uint32_t pages, uint64_t operations)
{
	struct sc_sample_spec spec = commit_spec("update_one");

	spec.setting.journal_mode = SC_JOURNAL_WAL;
	spec.setting.synchronous = SC_SYNCHRONOUS_OFF;
	spec.setting.wal_autocheckpoint = pages;
	spec.wal_state = SC_WAL_FRESH;
	spec.operations = operations;
	return spec;
}

static void a_fresh_sample_ends_before_the_first_checkpoint(void **state)
{
	static const char *const names[] = {"fresh-timing", "fresh-ledger"};

	for (size_t i = 0; i < SC_ARRAY_COUNT(names); i++) {
		struct sc_sample_spec spec = fresh_spec(30, 200);
		struct sc_sample sample = {0};

		spec.kind = i ? SC_SAMPLE_LEDGER : SC_SAMPLE_TIMING;
		spec.instruments = i ? 1u << SC_INSTRUMENT_VFS : 0;
		run_well(*state, names[i], &spec, &sample);
		assert_int_equal(phases.measure.bytes, 0);
		assert_int_equal(phases.verify.bytes, WAL_HEADER_BYTES + 30 * WAL_FRAME_BYTES);
		assert_int_equal(sample.operations, 30);
		assert_int_equal(sample.checkpoints_seen, 0);
		assert_int_equal(sample.checkpoints.count, 0);
		assert_int_equal(sample.checkpoints.resets, 0);
		sc_sample_fini(&sample);
		sc_sample_spec_fini(&spec);
	}
}

static void a_fresh_wal_of_too_few_commits_cannot_be_measured(void **state)
{
	struct sc_sample_spec spec = fresh_spec(19, 200);
	struct sc_sample sample = {0};
	struct sc_error error = {0};

	assert_int_equal(run(*state, "fresh-short", &spec, &sample, &error), SC_E_UNMEASURABLE);
	assert_int_equal(sample.status, SC_UNSUPPORTED);
	assert_non_null(strstr(sample.reason, "wal_autocheckpoint=19 leaves a fresh WAL 19"));
	sc_sample_fini(&sample);
	spec.operations = 10; /* all that was asked for */
	run_well(*state, "fresh-asked", &spec, &sample);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void run_recycled(const struct scratch *scratch, const char *name, uint32_t autocheckpoint,
			 enum sc_locking_mode locking)
{
	struct sc_sample_spec spec = commit_spec("update_one");
	struct sc_sample sample = {0};

	spec.setting.journal_mode = SC_JOURNAL_WAL;
	spec.setting.synchronous = SC_SYNCHRONOUS_OFF;
	spec.setting.wal_autocheckpoint = autocheckpoint;
	spec.setting.locking_mode = locking;
	spec.operations = 50;
	run_well(scratch, name, &spec, &sample);
	assert_int_equal(sample.effective.synchronous, SC_SYNCHRONOUS_OFF);
	assert_true(phases.measure.sequence >= 1);
	assert_true(phases.measure.bytes >= WAL_HEADER_BYTES + 20 * WAL_FRAME_BYTES);
	assert_int_equal(sample.checkpoints_seen, phases.verify.sequence - phases.measure.sequence);
	if (autocheckpoint) {
		assert_int_equal(phases.verify.bytes, phases.measure.bytes);
		assert_true(sample.checkpoints_seen >= 2);
	}
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void a_recycled_wal_was_reset_and_does_not_grow(void **state)
{
	run_recycled(*state, "recycled", 20, SC_LOCKING_NORMAL);
	run_recycled(*state, "recycled-exclusive", 20, SC_LOCKING_EXCLUSIVE);
}

static void a_wal_without_checkpoints_is_recycled_by_hand(void **state)
{
	run_recycled(*state, "by-hand", 0, SC_LOCKING_NORMAL);
}

/* The level during the warm-up is off; in the timed part it is the one that was asked for. */
static void recycling_restores_the_level(void **state)
{
	struct sc_sample_spec spec = commit_spec("update_one");
	struct sc_sample sample = {0};

	spec.kind = SC_SAMPLE_LEDGER;
	spec.instruments = 1u << SC_INSTRUMENT_VFS;
	spec.setting.journal_mode = SC_JOURNAL_WAL;
	run_well(*state, "level", &spec, &sample);
	assert_true(sample.syncs.vfs >= 6);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void a_workload_that_fills_no_wal_cannot_be_recycled(void **state)
{
	struct sc_suite *suite = NULL;
	struct sc_sample_spec spec;
	struct sc_sample sample = {0};
	struct sc_error error = {0};
	char *text, *at;

	assert_int_equal(sc_suite_load("commit", &suite, &error), 0);
	text = strdup(suite->text);
	at = strstr(text, "WHERE id = :id\"]");
	at[9] = '<'; /* "WHERE id <-:id" is no row: nothing is written */
	at[10] = '-';
	spec = spec_for(text, "update_one");
	spec.setting.journal_mode = SC_JOURNAL_WAL;
	assert_int_equal(run(*state, "empty", &spec, &sample, &error), SC_E_UNMEASURABLE);
	assert_int_equal(sample.status, SC_UNSUPPORTED);
	assert_string_equal(sample.reason, error.what);
	assert_non_null(strstr(sample.reason, "writes too little"));
	free(text);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
	sc_suite_freep(&suite);
}

/* --- data */

static char *dump_of(const struct scratch *scratch, const char *name, uint64_t seed,
		     enum sc_journal_mode mode, uint32_t page_size)
{
	struct sc_sample_spec spec = commit_spec("insert_one");
	struct sc_sample sample = {0};

	spec.seed = seed;
	spec.setting.journal_mode = mode;
	spec.setting.page_size = page_size;
	spec.setting.wal_autocheckpoint = 1000;
	spec.wal_state = SC_WAL_FRESH; /* as many warm-up operations in all journal modes */
	run_well(scratch, name, &spec, &sample);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
	return dump(scratch, name);
}

static void the_same_seed_leaves_the_same_data_under_any_setting(void **state)
{
	char *first = dump_of(*state, "a", 7, SC_JOURNAL_DELETE, 4096);
	char *again = dump_of(*state, "b", 7, SC_JOURNAL_DELETE, 4096);
	char *wal = dump_of(*state, "c", 7, SC_JOURNAL_WAL, 4096);
	char *pages = dump_of(*state, "d", 7, SC_JOURNAL_OFF, 1024);
	char *other = dump_of(*state, "e", 8, SC_JOURNAL_DELETE, 4096);

	assert_true(strlen(first) > 10000);
	assert_string_equal(first, again);
	assert_string_equal(first, wal);
	assert_string_equal(first, pages);
	assert_string_not_equal(first, other);
	free(first);
	free(again);
	free(wal);
	free(pages);
	free(other);
}

static void names_and_reparsed_statements_run(void **state)
{
	static const char *const workloads[] = {"add", "find", "point"};

	for (size_t i = 0; i < SC_ARRAY_COUNT(workloads); i++) {
		struct sc_sample_spec spec = spec_for(small_suite(), workloads[i]);
		struct sc_sample sample = {0};

		spec.operations = 31;
		run_well(*state, workloads[i], &spec, &sample);
		assert_int_equal(sample.operations, 31);
		assert_int_equal(sample.commits, i == 0 ? 11 : 0); /* three a commit */
		sc_sample_fini(&sample);
		sc_sample_spec_fini(&spec);
	}
}

static void reads_have_no_commits_and_no_payload(void **state)
{
	struct sc_sample_spec spec = commit_spec("read_range");
	struct sc_sample sample = {0};

	run_well(*state, "reads", &spec, &sample);
	assert_int_equal(sample.commits, 0);
	assert_int_equal(sample.space.payload_bytes, 0);
	assert_int_equal(sample.commit_ns.status, SC_SKIPPED);
	assert_string_equal(sample.commit_ns.reason, "the workload does not commit");
	assert_int_equal(sample.op_ns.status, SC_MEASURED);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void payload_is_what_the_timed_part_bound(void **state)
{
	struct sc_sample_spec spec = commit_spec("insert_one");
	struct sc_sample sample = {0};

	spec.operations = 100;
	spec.setting.synchronous = SC_SYNCHRONOUS_OFF;
	run_well(*state, "payload", &spec, &sample);
	/* Three integers and a text of 80 to 120 bytes. */
	assert_true(sample.space.payload_bytes > UINT64_C(100) * (24 + 95));
	assert_true(sample.space.payload_bytes < UINT64_C(100) * (24 + 105));
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void rows_per_commit_of_the_setting_replaces_the_workloads(void **state)
{
	struct sc_sample_spec spec = commit_spec("insert_batch");
	struct sc_sample sample = {0};

	spec.setting.rows_per_commit = 8;
	spec.operations = 20;
	run_well(*state, "eight", &spec, &sample);
	assert_int_equal(sample.commits, 3); /* 8, 8, 4 */
	assert_int_equal(sample.commit_ns.n, 3);
	assert_int_equal(sample.op_ns.n, 20);
	assert_int_equal(sample.effective.rows_per_commit, 8);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void a_time_limit_stops_at_the_end_of_a_transaction(void **state)
{
	struct sc_sample_spec spec = commit_spec("insert_batch");
	struct sc_sample sample = {0};

	spec.setting.journal_mode = SC_JOURNAL_OFF;
	spec.setting.synchronous = SC_SYNCHRONOUS_OFF;
	spec.setting.rows_per_commit = 7;
	spec.operations = 200000;
	spec.time_limit_ns = 1000000;
	run_well(*state, "limit", &spec, &sample);
	assert_true(sample.operations > 0 && sample.operations < spec.operations);
	assert_int_equal(sample.operations % 7, 0);
	assert_int_equal(sample.commits, sample.operations / 7);
	assert_true(sample.wall_ns >= spec.time_limit_ns);
	sc_sample_fini(&sample);

	/* The control: a ledger sample does all of its operations. */
	spec.kind = SC_SAMPLE_LEDGER;
	spec.instruments = 1u << SC_INSTRUMENT_VFS;
	spec.operations = 7000;
	run_well(*state, "no-limit", &spec, &sample);
	assert_int_equal(sample.operations, 7000);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

/* --- verification */

static void assert_fails(const struct scratch *scratch, const char *name, const char *find,
			 const char *replace, const char *says)
{
	char *text = changed_suite(find, replace);
	struct sc_sample_spec spec = spec_for(text, strcmp(name, "rows") == 0 ? "find" : "add");
	struct sc_sample sample = {0};
	struct sc_error error = {0};

	assert_int_equal(run(scratch, name, &spec, &sample, &error), SC_E_VERIFY);
	assert_int_equal(sample.status, SC_FAILED);
	assert_false(sample.verified);
	assert_memory_equal(sample.reason, error.what, strlen(error.what));
	/* Only this one warms up. */
	assert_int_equal(strstr(sample.reason, " (timing sample of 6 operations, and 5 before") !=
				 NULL,
			 strcmp(name, "rows") == 0);
	if (!strstr(sample.reason, says))
		fail_msg("'%s' does not say '%s'", sample.reason, says);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
	free(text);
}

static void a_wrong_expectation_fails_the_sample(void **state)
{
	assert_fails(*state, "sum", ":sum_v = 7 * :operations", ":sum_v = 8 * :operations",
		     ": checks[0] does not hold after 6 operations (gives 0): SELECT :sum_v = 8");
	assert_fails(*state, "count", "FROM part_2) = :operations",
		     "FROM part_2) = :operations + 1", "does not hold after 6 operations");
	assert_fails(*state, "rows", "\"result_rows_per_operation\": 1",
		     "\"result_rows_per_operation\": 2",
		     "11 operations gave 11 result rows, not 2");
	assert_fails(*state, "none", "SELECT :sum_v = 7 * :operations",
		     "SELECT 1 FROM part_0 WHERE v = 0", "(gives no row)");
	assert_fails(*state, "several", "SELECT :sum_v = 7 * :operations", "SELECT 1 FROM item",
		     "gives several rows");
}

/* The other process takes the write lock, says so, and holds it for a while. */
static void hold_lock(const char *directory)
{
	char path[2 * SCRATCH_PATH_BYTES], byte = 0;
	sqlite3 *db = NULL;
	int pipes[2];

	(void)snprintf(path, sizeof(path), "%s/bench.db", directory);
	assert_int_equal(pipe(pipes), 0);
	if (fork() == 0) {
		bool held = sqlite3_open(path, &db) == SQLITE_OK &&
			    sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL) == SQLITE_OK;

		byte = held ? 'y' : 'n';
		if (write(pipes[1], &byte, 1) == 1)
			(void)usleep(100000);
		_exit(0); /* without a word to SQLite: the kernel drops the lock */
	}
	assert_int_equal(read(pipes[0], &byte, 1), 1);
	assert_int_equal(byte, 'y');
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

static void a_held_lock_is_waited_for_and_counted(void **state)
{
	static const char *const workloads[] = {"insert_one", "insert_batch"};

	for (size_t i = 0; i < SC_ARRAY_COUNT(workloads); i++) {
		struct sc_sample_spec spec = commit_spec(workloads[i]);
		struct sc_sample sample = {0};

		spec.setting.journal_mode = SC_JOURNAL_WAL;
		phases.at_measure = hold_lock;
		run_well(*state, workloads[i], &spec, &sample);
		phases.at_measure = NULL;
		assert_true(sample.busy_retries > 0);
		assert_int_equal(sample.operations, 6);
		assert_true(sample.op_ns.max_ns > 50000000);
		sc_sample_fini(&sample);
		sc_sample_spec_fini(&spec);
		assert_true(wait(NULL) > 0);
	}
}

/* --- ledger samples */

static const struct sc_io *row_of(const struct sc_sample *sample, enum sc_role role, enum sc_op op)
{
	for (size_t i = 0; i < sample->io_count; i++)
		if (sample->io[i].instrument == SC_INSTRUMENT_VFS && sample->io[i].role == role &&
		    sample->io[i].op == op)
			return &sample->io[i];
	return NULL;
}

static void run_ledger(const struct scratch *scratch, const char *name,
		       struct sc_sample *ret_sample)
{
	struct sc_sample_spec spec = commit_spec("update_one");

	spec.kind = SC_SAMPLE_LEDGER;
	spec.instruments = 1u << SC_INSTRUMENT_VFS | 1u << SC_INSTRUMENT_LIBC;
	spec.setting.journal_mode = SC_JOURNAL_WAL;
	spec.setting.synchronous = SC_SYNCHRONOUS_NORMAL;
	spec.operations = 100;
	run_well(scratch, name, &spec, ret_sample);
	sc_sample_spec_fini(&spec);
}

static void a_ledger_sample_counts_what_its_timed_part_did(void **state)
{
	struct sc_sample sample = {0};
	const struct sc_io *write;
	uint64_t sum_ns = 0;

	run_ledger(*state, "ledger", &sample);
	write = row_of(&sample, SC_ROLE_WAL, SC_OP_WRITE);
	assert_non_null(write);
	assert_string_equal(write->database, "bench.db");
	/* A page a commit: a frame header and a page each, and a WAL header after each reset. */
	assert_int_equal(write->calls, UINT64_C(200) + sample.checkpoints.resets);
	assert_int_equal(write->bytes, 100 * WAL_FRAME_BYTES + 32 * sample.checkpoints.resets);
	assert_int_equal(sample.checkpoints.resets, sample.checkpoints_seen);
	assert_true(sample.checkpoints.count >= 4 && sample.checkpoints.frames > 0);
	assert_int_equal(sample.split.status, SC_MEASURED);
	assert_int_equal(sample.split.total_ns, sample.wall_ns);
	for (int i = 0; i < SC_PART_COUNT_; i++)
		sum_ns += sample.split.wall_ns[i];
	assert_int_equal(sample.split.residual_ns,
			 (int64_t)(sample.wall_ns - sample.split.own_ns - sum_ns));
	assert_true(sample.space.vfs_bytes > write->bytes);
	assert_true(sample.space.total_bytes_max >= sample.space.total_bytes);
	/* Without the tap it is not known what reached the kernel, which is not zero. */
	assert_int_equal(sample.syncs.status, SC_MEASURED);
	assert_int_equal(sample.syncs.physical_status, SC_UNSUPPORTED);
	assert_string_equal(sample.syncs.reason, "this program was built without the tap");
	assert_int_equal(sample.calls_dropped, 0);
	sc_sample_fini(&sample);
}

static void two_ledger_samples_of_a_seed_count_the_same(void **state)
{
	struct sc_sample one = {0}, other = {0};

	run_ledger(*state, "one", &one);
	run_ledger(*state, "other", &other);
	assert_int_equal(one.io_count, other.io_count);
	for (size_t i = 0; i < one.io_count; i++) {
		assert_int_equal(one.io[i].role, other.io[i].role);
		assert_int_equal(one.io[i].op, other.io[i].op);
		assert_int_equal(one.io[i].calls, other.io[i].calls);
		assert_int_equal(one.io[i].bytes, other.io[i].bytes);
	}
	assert_int_equal(one.syncs.vfs, other.syncs.vfs);
	assert_int_equal(one.checkpoints.frames, other.checkpoints.frames);
	assert_int_equal(one.space.total_bytes_max, other.space.total_bytes_max);
	sc_sample_fini(&one);
	sc_sample_fini(&other);
}

static void a_timing_sample_runs_without_instruments(void **state)
{
	struct sc_sample_spec spec = commit_spec("insert_one");
	struct sc_sample sample = {0};

	run_well(*state, "timing", &spec, &sample);
	assert_int_equal(sample.split.status, SC_SKIPPED);
	assert_int_equal(sample.syncs.status, SC_SKIPPED);
	assert_string_equal(sample.split.reason, "the instruments were off");
	assert_int_equal(sample.io_count, 0);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

/* --- what cannot be run */

static void assert_refused(const struct scratch *scratch, const char *name,
			   struct sc_sample_spec *spec, int code, const char *says)
{
	struct sc_sample sample = {0};
	struct sc_error error = {0};

	assert_int_equal(run(scratch, name, spec, &sample, &error), code);
	assert_int_equal(sample.status, SC_FAILED);
	assert_string_equal(sample.cell_id, "test/cell");
	if (!sample.reason || !strstr(sample.reason, says))
		fail_msg("'%s' does not say '%s'", sample.reason ? sample.reason : "", says);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(spec);
}

static void what_cannot_be_run_says_why(void **state)
{
	struct sc_sample_spec spec = commit_spec("no_such");
	struct sc_sample sample = {0};
	struct sc_error error = {0};

	assert_refused(*state, "workload", &spec, SC_E_FORMAT,
		       "suite 'commit' has no workload 'no_such'");
	spec = commit_spec("insert_one");
	spec.operations = 0;
	assert_refused(*state, "operations", &spec, SC_E_FORMAT, "no operations");
	spec = commit_spec("insert_one");
	spec.store[0] = 'x';
	assert_refused(*state, "store", &spec, SC_E_FORMAT, "store 'xqlite' is not known");
	spec = spec_for("{", "insert_one");
	assert_refused(*state, "suite", &spec, SC_E_FORMAT, "is not JSON");

	spec = commit_spec("insert_one");
	scratch_write(*state, "used/bench.db", ""); /* SQLite would take it */
	spec.directory = strdup(scratch_path(*state, "used"));
	assert_int_equal(sc_execute(&spec, &sample, &error), -EEXIST);
	assert_non_null(strstr(sample.reason, "bench.db': File exists"));
	assert_true(file_is(scratch_path(*state, "used/bench.db"), ""));
	sc_sample_fini(&sample);

	free(spec.directory);
	spec.directory = strdup(scratch_path(*state, "none"));
	assert_int_equal(sc_execute(&spec, &sample, &error), -ENOENT);
	assert_non_null(strstr(sample.reason, "No such file or directory"));
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

static void nothing_stays_open_after_a_sample(void **state)
{
	struct sc_sample_spec spec = commit_spec("insert_one");
	struct sc_sample sample = {0};
	size_t before;

	run_well(*state, "first", &spec, &sample);
	sc_sample_fini(&sample);
	before = open_descriptors();
	run_well(*state, "second", &spec, &sample);
	assert_int_equal(open_descriptors(), before);
	sc_sample_fini(&sample);
	sc_sample_spec_fini(&spec);
}

/* --- the process of a sample */

/* Feeds @input to sc_execute_main() in a process of its own; the line it answers, to be freed. */
static char *answer(const struct scratch *scratch, const char *input, int *ret_status)
{
	char *line = NULL;
	size_t size = 0;
	pid_t child;
	FILE *out;

	scratch_write(scratch, "input", input);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		/* cmocka's own output is buffered: drop it here, or it is printed twice */
		if (!freopen(scratch_path(scratch, "input"), "r", stdin) ||
		    !freopen(scratch_path(scratch, "output"), "w", stdout) ||
		    !freopen(scratch_path(scratch, "errors"), "w", stderr))
			_exit(99);
		_exit(sc_execute_main());
	}
	assert_int_equal(waitpid(child, ret_status, 0), child);
	assert_true(file_is(scratch_path(scratch, "errors"), ""));
	out = fopen(scratch_path(scratch, "output"), "r");
	assert_non_null(out);
	assert_true(getline(&line, &size, out) > 0);
	assert_int_equal(fgetc(out), EOF);
	assert_int_equal(fclose(out), 0);
	return line;
}

static void the_process_answers_with_one_line(void **state)
{
	struct sc_sample_spec spec = commit_spec("update_one");
	struct sc_sample sample = {0};
	struct sc_error error = {0};
	char *text = NULL, *line;
	int status = -1;

	scratch_mkdir(*state, "process");
	spec.directory = strdup(scratch_path(*state, "process"));
	assert_int_equal(sc_sample_spec_format(&spec, &text, &error), 0);
	line = answer(*state, text, &status);
	assert_int_equal(status, 0);
	assert_int_equal(sc_sample_parse(line, &sample, &error), 0);
	assert_int_equal(sample.status, SC_MEASURED);
	assert_true(sample.verified);
	assert_string_equal(sample.cell_id, "test/cell");
	assert_int_equal(sample.operations, 6);
	assert_int_equal(sc_hist_count(sample.op_ns.buckets), 6);
	sc_sample_fini(&sample);
	free(line);
	free(text);
	sc_sample_spec_fini(&spec);
}

static void so_it_does_when_it_fails(void **state)
{
	static const struct {
		const char *input, *says;
	} cases[] = {
		{"", "is not a JSON object"},
		{"{}", "kind: must be timing or ledger"},
		{"\xff", "is not a JSON object"},
	};

	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct sc_sample sample = {0};
		struct sc_error error = {0};
		int status = -1;
		char *line = answer(*state, cases[i].input, &status);

		assert_int_equal(status, 0);
		assert_int_equal(sc_sample_parse(line, &sample, &error), 0);
		assert_int_equal(sample.status, SC_FAILED);
		assert_non_null(strstr(sample.reason, cases[i].says));
		sc_sample_fini(&sample);
		free(line);
	}
}

int main(void)
{
#define IN_SCRATCH(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		IN_SCRATCH("every journal mode and level is applied and verified",
			   every_journal_mode_and_level_is_applied_and_verified),
		IN_SCRATCH("so they are with exclusive locking",
			   so_they_are_with_exclusive_locking),
		IN_SCRATCH("other pragmas are applied", other_pragmas_are_applied),
		IN_SCRATCH("what SQLite does not take is no error but visible",
			   what_sqlite_does_not_take_is_no_error_but_visible),
		IN_SCRATCH("the phases are named in order", the_phases_are_named_in_order),
		IN_SCRATCH("a fresh WAL is empty and grows", a_fresh_wal_is_empty_and_grows),
		IN_SCRATCH("a fresh sample ends before the first checkpoint",
			   a_fresh_sample_ends_before_the_first_checkpoint),
		IN_SCRATCH("a fresh WAL of too few commits cannot be measured",
			   a_fresh_wal_of_too_few_commits_cannot_be_measured),
		IN_SCRATCH("a recycled WAL was reset and does not grow",
			   a_recycled_wal_was_reset_and_does_not_grow),
		IN_SCRATCH("a WAL without checkpoints is recycled by hand",
			   a_wal_without_checkpoints_is_recycled_by_hand),
		IN_SCRATCH("recycling restores the level", recycling_restores_the_level),
		IN_SCRATCH("a workload that fills no WAL cannot be recycled",
			   a_workload_that_fills_no_wal_cannot_be_recycled),
		IN_SCRATCH("the same seed leaves the same data under any setting",
			   the_same_seed_leaves_the_same_data_under_any_setting),
		IN_SCRATCH("names and reparsed statements run", names_and_reparsed_statements_run),
		IN_SCRATCH("reads have no commits and no payload",
			   reads_have_no_commits_and_no_payload),
		IN_SCRATCH("payload is what the timed part bound",
			   payload_is_what_the_timed_part_bound),
		IN_SCRATCH("rows per commit of the setting replaces the workload's",
			   rows_per_commit_of_the_setting_replaces_the_workloads),
		IN_SCRATCH("a time limit stops at the end of a transaction",
			   a_time_limit_stops_at_the_end_of_a_transaction),
		IN_SCRATCH("a wrong expectation fails the sample",
			   a_wrong_expectation_fails_the_sample),
		IN_SCRATCH("a held lock is waited for and counted",
			   a_held_lock_is_waited_for_and_counted),
		IN_SCRATCH("a ledger sample counts what its timed part did",
			   a_ledger_sample_counts_what_its_timed_part_did),
		IN_SCRATCH("two ledger samples of a seed count the same",
			   two_ledger_samples_of_a_seed_count_the_same),
		IN_SCRATCH("a timing sample runs without instruments",
			   a_timing_sample_runs_without_instruments),
		IN_SCRATCH("what cannot be run says why", what_cannot_be_run_says_why),
		IN_SCRATCH("nothing stays open after a sample", nothing_stays_open_after_a_sample),
		IN_SCRATCH("the process answers with one line", the_process_answers_with_one_line),
		IN_SCRATCH("so it does when it fails", so_it_does_when_it_fails),
	};

	return cmocka_run_group_tests_name("sweep-execute", tests, NULL, NULL);
}
