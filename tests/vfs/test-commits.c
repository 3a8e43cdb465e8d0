/* SPDX-License-Identifier: MIT */
/* A known number of commits, in every mode SQLite has, and what is none. */

#include "scene.h"

#include <stdio.h>
#include <string.h>

static const char *const journals[] = {"DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"};
static const char *const syncs[] = {"OFF", "NORMAL", "FULL", "EXTRA"};
static const char *const lockings[] = {"NORMAL", "EXCLUSIVE"};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct mode {
	const char *journal, *sync, *locking;
	bool is_marked; /* statements are bracketed calls */
};

static void do_sql(const struct mode *mode, sqlite3 *db, const char *sql)
{
	if (mode->is_marked)
		run_marked(db, "%s", sql);
	else
		run(db, "%s", sql);
}

static sqlite3 *open_in(const struct mode *mode, const char *name)
{
	sqlite3 *db = scene_open(name);

	run(db, "PRAGMA locking_mode = %s", mode->locking);
	run(db, "PRAGMA journal_mode = %s", mode->journal);
	run(db, "PRAGMA synchronous = %s", mode->sync);
	run(db, "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a)");
	return db;
}

static bool has_no_rollback(const struct mode *mode)
{
	return strcmp(mode->journal, "OFF") == 0;
}

static void assert_commits(const struct mode *mode, const char *what, uint64_t transactions,
			   uint64_t empty)
{
	const struct syncost_snapshot *snapshot = take();

	if (snapshot->transactions != transactions || snapshot->empty_commits != empty)
		fail_msg("%s, %s %s %s%s: %llu transactions, %llu empty; not %llu and %llu", what,
			 mode->journal, mode->sync, mode->locking, mode->is_marked ? " marked" : "",
			 (unsigned long long)snapshot->transactions,
			 (unsigned long long)snapshot->empty_commits,
			 (unsigned long long)transactions, (unsigned long long)empty);
}

static void reset(void)
{
	assert_int_equal(syncost_reset(), 0);
}

/* Whether an empty transaction is reported at all in this mode. */
static uint64_t empties(const struct mode *mode, uint64_t count)
{
	return strcmp(mode->journal, "PERSIST") == 0 && strcmp(mode->locking, "EXCLUSIVE") == 0
		       ? 0
		       : count;
}

static void commits_of_one_connection(const struct mode *mode, sqlite3 *db)
{
	reset();
	for (int i = 0; i < 5; i++)
		do_sql(mode, db, "INSERT INTO t(a) VALUES(1)");
	assert_commits(mode, "five inserts", 5, 0);

	reset();
	do_sql(mode, db, "BEGIN");
	do_sql(mode, db, "INSERT INTO t(a) VALUES(2)");
	do_sql(mode, db, "UPDATE t SET a = a + 1");
	do_sql(mode, db, "COMMIT");
	assert_commits(mode, "a transaction of two statements", 1, 0);

	reset();
	do_sql(mode, db, "SELECT count(*) FROM t");
	do_sql(mode, db, "BEGIN; SELECT count(*) FROM t; COMMIT");
	assert_commits(mode, "reads", 0, 0);

	reset();
	do_sql(mode, db, "BEGIN IMMEDIATE");
	do_sql(mode, db, "COMMIT");
	do_sql(mode, db, "BEGIN IMMEDIATE");
	do_sql(mode, db, "COMMIT");
	assert_commits(mode, "two empty transactions", 0, empties(mode, 2));
}

static void rollbacks_of_one_connection(const struct mode *mode, sqlite3 *db)
{
	if (has_no_rollback(mode))
		return;

	reset();
	do_sql(mode, db, "BEGIN");
	do_sql(mode, db, "UPDATE t SET a = a + 1");
	do_sql(mode, db, "ROLLBACK");
	assert_commits(mode, "a rollback", 0, 0);

	do_sql(mode, db, "BEGIN IMMEDIATE");
	do_sql(mode, db, "COMMIT");
	assert_commits(mode, "a rollback, then an empty transaction", 0, empties(mode, 1));

	reset();
	do_sql(mode, db, "BEGIN; UPDATE t SET a = a + 1; ROLLBACK; INSERT INTO t(a) VALUES(3)");
	assert_commits(mode, "a rollback, then an insert", 1, 0);

	reset();
	do_sql(mode, db, "BEGIN; INSERT INTO t(a) VALUES(5)");
	do_sql(mode, db, "SAVEPOINT s; UPDATE t SET a = a + 1; ROLLBACK TO s");
	do_sql(mode, db, "COMMIT");
	assert_commits(mode, "a savepoint rolled back inside a transaction", 1, 0);
}

static void each_mode_counts_its_commits(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(journals) * COUNT(syncs) * COUNT(lockings) * 2; i++) {
		struct mode mode = {
			journals[i / (COUNT(syncs) * COUNT(lockings) * 2)],
			syncs[i / (COUNT(lockings) * 2) % COUNT(syncs)],
			lockings[i / 2 % COUNT(lockings)],
			i % 2,
		};
		char name[32];
		sqlite3 *db;

		snprintf(name, sizeof(name), "%zu.db", i);
		db = open_in(&mode, name);
		commits_of_one_connection(&mode, db);
		rollbacks_of_one_connection(&mode, db);
		scene_close(db);
	}
}

static void a_large_transaction_spills_and_is_one_commit(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(journals); i++) {
		struct mode mode = {journals[i], "NORMAL", "NORMAL", true};
		sqlite3 *db = open_in(&mode, journals[i]);

		run(db, "PRAGMA cache_size = 5");
		reset();
		run_marked(db, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n "
			       "LIMIT 200) INSERT INTO t(a) SELECT randomblob(3000) FROM n");
		assert_commits(&mode, "a large insert", 1, 0);
		if (!has_no_rollback(&mode)) {
			reset();
			run_marked(db, "BEGIN; UPDATE t SET a = randomblob(2900)");
			run_marked(db, "ROLLBACK");
			assert_commits(&mode, "a large rollback", 0, 0);
			assert_int_equal(ask(db, "SELECT count(*) FROM t WHERE length(a) = 3000"),
					 200);
			assert_commits(&mode, "a large rollback, then a read", 0, 0);
			run_marked(db, "BEGIN IMMEDIATE");
			run_marked(db, "COMMIT");
			assert_commits(&mode, "a large rollback, then an empty commit", 0, 1);
		}
		scene_close(db);
	}
}

static void the_first_commit_of_a_database_counts(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(journals); i++) {
		struct mode mode = {journals[i], "FULL", "NORMAL", true};
		sqlite3 *db = scene_open(journals[i]);

		run(db, "PRAGMA journal_mode = %s", journals[i]);
		reset();
		run_marked(db, "CREATE TABLE t(a)");
		assert_commits(&mode, "creating the first table", 1, 0);
		scene_close(db);
	}
}

/* --- attached databases */

static sqlite3 *open_pair(const struct mode *mode)
{
	sqlite3 *db = open_in(mode, "main.db");

	run(db, "ATTACH '%s' AS aux", scene_path("aux.db"));
	run(db, "PRAGMA aux.locking_mode = %s", mode->locking);
	run(db, "PRAGMA aux.journal_mode = %s", mode->journal);
	run(db, "PRAGMA aux.synchronous = %s", mode->sync);
	run(db, "CREATE TABLE IF NOT EXISTS aux.u(id INTEGER PRIMARY KEY, a)");
	return db;
}

static void assert_databases(const struct mode *mode, const char *what, uint64_t on_main,
			     uint64_t on_aux)
{
	const struct syncost_snapshot *snapshot = take();

	if (database_of(snapshot, "main.db")->commits != on_main ||
	    database_of(snapshot, "aux.db")->commits != on_aux)
		fail_msg("%s, %s %s: commits on main %llu, on aux %llu", what, mode->journal,
			 mode->locking,
			 (unsigned long long)database_of(snapshot, "main.db")->commits,
			 (unsigned long long)database_of(snapshot, "aux.db")->commits);
}

static void assert_last_spans(uint32_t databases)
{
	const struct syncost_snapshot *snapshot = take();

	assert_true(snapshot->commit_count > 0);
	assert_int_equal(snapshot->commits[snapshot->commit_count - 1].databases, databases);
}

static void commits_over_a_pair(const struct mode *mode, sqlite3 *db)
{
	reset();
	do_sql(mode, db, "BEGIN");
	do_sql(mode, db, "INSERT INTO t(a) VALUES(1)");
	do_sql(mode, db, "INSERT INTO u(a) VALUES(1)");
	do_sql(mode, db, "COMMIT");
	assert_commits(mode, "both written", 1, 0);
	assert_databases(mode, "both written", 1, 1);
	assert_last_spans(2);

	reset();
	do_sql(mode, db, "INSERT INTO t(a) VALUES(1)");
	do_sql(mode, db, "INSERT INTO u(a) VALUES(1)");
	assert_commits(mode, "one, then the other", 2, 0);
	assert_databases(mode, "one, then the other", 1, 1);
	assert_last_spans(1);

	reset();
	do_sql(mode, db, "BEGIN IMMEDIATE");
	do_sql(mode, db, "INSERT INTO t(a) VALUES(1)");
	do_sql(mode, db, "COMMIT");
	assert_commits(mode, "both locked, main written", 1, 0);
	assert_databases(mode, "both locked, main written", 1, 0);
	assert_last_spans(1);

	reset();
	do_sql(mode, db, "BEGIN IMMEDIATE");
	do_sql(mode, db, "INSERT INTO u(a) VALUES(1)");
	do_sql(mode, db, "COMMIT");
	assert_commits(mode, "both locked, aux written", 1, 0);
	assert_databases(mode, "both locked, aux written", 0, 1);

	reset();
	do_sql(mode, db, "BEGIN IMMEDIATE");
	do_sql(mode, db, "COMMIT");
	do_sql(mode, db, "BEGIN IMMEDIATE");
	do_sql(mode, db, "COMMIT");
	assert_commits(mode, "both locked, none written, twice", 0, empties(mode, 2));

	if (has_no_rollback(mode))
		return;
	reset();
	do_sql(mode, db, "BEGIN");
	do_sql(mode, db, "UPDATE t SET a = a + 1");
	do_sql(mode, db, "UPDATE u SET a = a + 1");
	do_sql(mode, db, "ROLLBACK");
	do_sql(mode, db, "INSERT INTO t(a) VALUES(1)");
	assert_commits(mode, "a rollback over both, then one written", 1, 0);
	assert_databases(mode, "a rollback over both, then one written", 1, 0);
}

static void a_transaction_over_two_databases_is_one(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(journals) * COUNT(lockings) * 2; i++) {
		struct mode mode = {journals[i / (COUNT(lockings) * 2)], "NORMAL",
				    lockings[i / 2 % COUNT(lockings)], i % 2};
		sqlite3 *db = open_pair(&mode);

		commits_over_a_pair(&mode, db);
		scene_close(db);
	}
}

/* --- several connections */

static void connections_of_one_thread_do_not_mix(void **state)
{
	struct mode mode = {"WAL", "NORMAL", "NORMAL", true};
	sqlite3 *a = open_in(&mode, "a.db"), *b = open_in(&mode, "b.db");
	sqlite3 *same = open_in(&mode, "a.db");

	(void)state;
	reset();
	run_marked(a, "BEGIN; INSERT INTO t(a) VALUES(1)");
	run_marked(b, "BEGIN; INSERT INTO t(a) VALUES(1)");
	assert_int_equal(ask(same, "SELECT count(*) FROM t"), 0);
	run_marked(b, "COMMIT");
	assert_commits(&mode, "the second of two open transactions", 1, 0);
	run_marked(a, "COMMIT");
	assert_commits(&mode, "both", 2, 0);
	run_marked(same, "INSERT INTO t(a) VALUES(2)");
	assert_commits(&mode, "a second connection to the first database", 3, 0);
	assert_int_equal(database_of(take(), "a.db")->commits, 2);
	assert_int_equal(database_of(take(), "b.db")->commits, 1);
	assert_int_equal(take()->commit_count, 3);
	scene_close(a);
	scene_close(b);
	scene_close(same);
}

static void several_connections_to_one_database_find_their_wal(void **state)
{
	static const int order[] = {3, 1, 4, 0, 2};
	struct mode mode = {"WAL", "NORMAL", "NORMAL", false};
	sqlite3 *dbs[5];

	(void)state;
	scene_close(open_in(&mode, "a.db"));
	for (int i = 0; i < 5; i++)
		dbs[i] = scene_open("a.db");
	/* Main files are open; each opens its WAL with its first statement. */
	reset();
	for (int i = 0; i < 50; i++)
		run(dbs[order[i % 5]], "INSERT INTO t(a) VALUES(1)");
	assert_commits(&mode, "five connections in turn", 50, 0);
	for (int i = 0; i < 5; i++)
		scene_close(dbs[i]);
}

static void several_connections_to_one_database_find_their_journal(void **state)
{
	static const int order[] = {3, 1, 4, 0, 2};
	struct mode mode = {"DELETE", "OFF", "NORMAL", false};
	sqlite3 *dbs[5];

	(void)state;
	for (int i = 0; i < 5; i++)
		dbs[i] = open_in(&mode, "a.db");
	reset();
	for (int i = 0; i < 50; i++) {
		run(dbs[order[i % 5]], "BEGIN IMMEDIATE; INSERT INTO t(a) VALUES(1)");
		run(dbs[order[i % 5]], i % 2 ? "COMMIT" : "ROLLBACK");
	}
	assert_commits(&mode, "five connections in turn", 25, 0);
	for (int i = 0; i < 5; i++)
		scene_close(dbs[i]);
}

/* --- records */

static void a_record_tells_its_commit(void **state)
{
	struct mode mode = {"WAL", "FULL", "NORMAL", true};
	sqlite3 *db = open_in(&mode, "a.db");
	const struct syncost_snapshot *snapshot;
	uint64_t before_ns, after_ns, sum_ns = 0;
	const struct sc_commit *commit;

	(void)state;
	run_marked(db, "INSERT INTO t(a) VALUES(1)");
	reset();
	before_ns = syncost_now_ns();
	run_marked(db, "INSERT INTO t(a) VALUES(1)");
	after_ns = syncost_now_ns();

	snapshot = take();
	assert_int_equal(snapshot->commit_count, 1);
	commit = &snapshot->commits[0];
	assert_true(commit->start_ns >= before_ns);
	assert_true(commit->end_ns <= after_ns);
	assert_int_equal(commit->syncs, 1);
	assert_int_equal(commit->bytes, bytes_of(snapshot, SC_ROLE_WAL, SC_OP_WRITE));
	assert_int_equal(commit->databases, 1);
	assert_int_equal(commit->database, slot_of(snapshot, "a.db"));
	assert_int_equal(commit->checkpoint_ns, 0);
	assert_int_equal(commit->part_ns[SC_PART_OUTSIDE], 0);
	for (int part = 0; part < SC_PART_COUNT_; part++)
		sum_ns += commit->part_ns[part];
	/* Readings of thread CPU are off in this scene: the parts are all there is. */
	assert_int_equal(sum_ns, commit->end_ns - commit->start_ns);
	assert_true(commit->part_ns[SC_PART_SYNC] > 0);
	scene_close(db);
}

static void without_marks_a_record_runs_from_the_first_write(void **state)
{
	struct mode mode = {"DELETE", "FULL", "NORMAL", false};
	sqlite3 *db = open_in(&mode, "a.db");
	const struct syncost_snapshot *snapshot;
	const struct sc_commit *commit;
	uint64_t before_ns, written_ns;

	(void)state;
	reset();
	run(db, "BEGIN");
	before_ns = syncost_now_ns();
	run(db, "INSERT INTO t(a) VALUES(1)");
	written_ns = syncost_now_ns();
	rest_ms(20);
	run(db, "COMMIT");
	snapshot = take();
	assert_int_equal(snapshot->commit_count, 1);
	commit = &snapshot->commits[0];
	assert_true(commit->start_ns >= before_ns);
	assert_true(commit->start_ns <= written_ns);
	assert_true(commit->end_ns - commit->start_ns >= 20000000);
	assert_int_equal(commit->syncs,
			 calls_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_SYNC) +
				 calls_of(snapshot, SC_ROLE_MAIN_JOURNAL, SC_OP_SYNC));
	scene_close(db);
}

static void commits_in_one_call_share_its_time(void **state)
{
	struct mode mode = {"WAL", "NORMAL", "NORMAL", true};
	sqlite3 *db = open_in(&mode, "a.db");
	const struct syncost_snapshot *snapshot;

	(void)state;
	reset();
	run_marked(db, "INSERT INTO t(a) VALUES(1); INSERT INTO t(a) VALUES(2); "
		       "INSERT INTO t(a) VALUES(3)");
	snapshot = take();
	assert_int_equal(snapshot->transactions, 3);
	assert_int_equal(snapshot->commit_count, 3);
	for (size_t i = 1; i < 3; i++)
		assert_int_equal(snapshot->commits[i].start_ns, snapshot->commits[i - 1].end_ns);
	assert_int_equal(snapshot->commits[0].bytes + snapshot->commits[1].bytes +
				 snapshot->commits[2].bytes,
			 bytes_of(snapshot, SC_ROLE_WAL, SC_OP_WRITE));
	scene_close(db);
}

static void the_ring_keeps_the_newest(void **state)
{
	struct mode mode = {"WAL", "OFF", "NORMAL", true};
	sqlite3 *db = open_in(&mode, "a.db");
	const struct syncost_snapshot *snapshot;
	const unsigned commits = SC_METER_COMMITS + 100;

	(void)state;
	reset();
	for (unsigned i = 0; i < commits; i++)
		run_marked(db, "INSERT INTO t(a) VALUES(1)");
	snapshot = take();
	assert_int_equal(snapshot->transactions, commits);
	assert_true(snapshot->commit_count >= SC_METER_COMMITS - 1);
	assert_int_equal(snapshot->commit_count + snapshot->commits_dropped, commits);
	for (size_t i = 1; i < snapshot->commit_count; i++)
		assert_true(snapshot->commits[i].end_ns > snapshot->commits[i - 1].end_ns);
	scene_close(db);
}

static void a_backup_and_vacuum_commit(void **state)
{
	struct mode mode = {"DELETE", "NORMAL", "NORMAL", true};
	sqlite3 *from = open_in(&mode, "a.db"), *to = scene_open("b.db");
	sqlite3_backup *backup;

	(void)state;
	run(from, "INSERT INTO t(a) VALUES(randomblob(20000))");
	reset();
	backup = sqlite3_backup_init(to, "main", from, "main");
	assert_non_null(backup);
	assert_int_equal(sqlite3_backup_step(backup, -1), SQLITE_DONE);
	assert_int_equal(sqlite3_backup_finish(backup), SQLITE_OK);
	assert_commits(&mode, "a backup", 1, 0);
	assert_int_equal(database_of(take(), "b.db")->commits, 1);
	reset();
	run_marked(to, "VACUUM");
	assert_int_equal(database_of(take(), "b.db")->commits, 1);
	scene_close(from);
	scene_close(to);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("each journal, synchronous and locking mode counts its commits",
		     each_mode_counts_its_commits),
		CASE("a large transaction spills, and is one commit",
		     a_large_transaction_spills_and_is_one_commit),
		CASE("the first commit of a database counts",
		     the_first_commit_of_a_database_counts),
		CASE("a transaction over two databases is one",
		     a_transaction_over_two_databases_is_one),
		CASE("connections of one thread do not mix", connections_of_one_thread_do_not_mix),
		CASE("several connections to one database find their WAL",
		     several_connections_to_one_database_find_their_wal),
		CASE("several connections to one database find their journal",
		     several_connections_to_one_database_find_their_journal),
		CASE("a record tells its commit", a_record_tells_its_commit),
		CASE("without marks a record runs from the first write",
		     without_marks_a_record_runs_from_the_first_write),
		CASE("commits in one call share its time", commits_in_one_call_share_its_time),
		CASE("the ring keeps the newest", the_ring_keeps_the_newest),
		CASE("a backup and a VACUUM commit", a_backup_and_vacuum_commit),
	};

	return cmocka_run_group_tests_name("commits", tests, NULL, NULL);
}
