/* SPDX-License-Identifier: MIT */
/* Counts and bytes against the VFS underneath, in every journal mode, and as SQLite sees them. */

#include "scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Each call that reached the VFS underneath is in the ledger, and no other. */
static void assert_agrees(const struct syncost_snapshot *snapshot)
{
	uint64_t asked = 0;

	for (int role = 0; role < SC_ROLE_COUNT_; role++) {
		for (int op = 0; op < SC_OP_COUNT_; op++) {
			const struct under_counts *truth = &under.counts[role][op];
			uint64_t calls = calls_of(snapshot, (enum sc_role)role, (enum sc_op)op);
			uint64_t bytes = bytes_of(snapshot, (enum sc_role)role, (enum sc_op)op);

			if (op == SC_OP_FILE_SIZE) {
				asked += truth->calls - calls; /* looked at below */
				continue;
			}
			/* Its own names are all the VFS below has to tell roles of names by. */
			if (op == SC_OP_ACCESS || op == SC_OP_DELETE)
				continue;
			if (op == SC_OP_CURRENT_TIME)
				continue;
			if (calls != truth->calls || bytes != truth->bytes)
				fail_msg("%s %s: %llu calls, %llu bytes; underneath %llu and %llu",
					 syncost_role_name((enum sc_role)role),
					 syncost_op_info((enum sc_op)op)->name,
					 (unsigned long long)calls, (unsigned long long)bytes,
					 (unsigned long long)truth->calls,
					 (unsigned long long)truth->bytes);
		}
	}
	/* The shim asks for the size of each file that opens, once, and does not count that. */
	assert_int_equal(asked, under.opened);
}

static void work(sqlite3 *db)
{
	run(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, a, b)");
	for (int i = 0; i < 20; i++)
		run(db, "INSERT INTO t(a, b) VALUES(%d, randomblob(3000))", i);
	run(db, "BEGIN; UPDATE t SET a = a + 1; DELETE FROM t WHERE id %% 3 = 0; COMMIT");
	run(db, "BEGIN; UPDATE t SET b = randomblob(2000); ROLLBACK");
	run(db, "CREATE INDEX i ON t(a); VACUUM");
	assert_int_equal(ask(db, "SELECT count(*) FROM t"), 14);
}

static void every_call_is_counted(void **state)
{
	static const char *const journals[] = {"DELETE", "TRUNCATE", "PERSIST",
					       "MEMORY", "OFF",      "WAL"};

	(void)state;
	for (size_t i = 0; i < sizeof(journals) / sizeof(journals[0]); i++) {
		sqlite3 *db;

		under_clear();
		assert_int_equal(syncost_reset(), 0);
		db = scene_open(journals[i]);
		run(db, "PRAGMA temp_store = FILE; PRAGMA cache_spill = 1; PRAGMA cache_size = 5");
		run(db, "PRAGMA journal_mode = %s", journals[i]);
		work(db);
		scene_close(db);
		assert_agrees(take());
	}
}

static void an_unrecorded_call_would_be_noticed(void **state)
{
	sqlite3 *db = scene_open("a.db");

	(void)state;
	run(db, "CREATE TABLE t(a)");
	scene_close(db);
	assert_agrees(take());
	atomic_fetch_add(&under.counts[SC_ROLE_MAIN_DB][SC_OP_SYNC].calls, 1);
	assert_int_not_equal(calls_of(take(), SC_ROLE_MAIN_DB, SC_OP_SYNC),
			     under.counts[SC_ROLE_MAIN_DB][SC_OP_SYNC].calls);
}

static void names_are_told_apart_by_database(void **state)
{
	sqlite3 *a = scene_open("a.db"), *b = scene_open("b.db");
	const struct syncost_snapshot *snapshot;

	(void)state;
	run(a, "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
	run(b, "CREATE TABLE t(a)");
	snapshot = take();
	/* A database with rollback journal: each transaction deletes its journal once. */
	assert_int_equal(
		row_of(snapshot, slot_of(snapshot, "a.db"), SC_ROLE_MAIN_JOURNAL, SC_OP_DELETE)
			->calls,
		2);
	assert_int_equal(
		row_of(snapshot, slot_of(snapshot, "b.db"), SC_ROLE_MAIN_JOURNAL, SC_OP_DELETE)
			->calls,
		1);
	assert_int_equal(under.counts[SC_ROLE_MAIN_JOURNAL][SC_OP_DELETE].calls, 3);
	scene_close(a);
	scene_close(b);
}

static void page_writes_and_reads_are_what_sqlite_says(void **state)
{
	sqlite3 *db = scene_open("a.db");
	int written = 0, missed = 0, highest = 0;
	const struct syncost_snapshot *snapshot;

	(void)state;
	run(db, "PRAGMA page_size = 4096; PRAGMA journal_mode = WAL");
	run(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, b)");
	run(db, "BEGIN");
	for (int i = 0; i < 100; i++)
		run(db, "INSERT INTO t(b) VALUES(randomblob(3000))");
	run(db, "COMMIT");
	sqlite3_db_release_memory(db);
	assert_int_equal(syncost_reset(), 0);
	sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_WRITE, &written, &highest, 1);
	sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &missed, &highest, 1);

	run(db, "UPDATE t SET b = randomblob(2900) WHERE id %% 10 = 0");
	assert_int_equal(ask(db, "SELECT count(*) FROM t WHERE length(b) = 2900"), 10);
	sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_WRITE, &written, &highest, 0);
	sqlite3_db_status(db, SQLITE_DBSTATUS_CACHE_MISS, &missed, &highest, 0);

	snapshot = take();
	assert_true(written > 0);
	assert_int_equal(database_of(snapshot, "a.db")->wal_frames, written);
	/* A frame is a header of 24 bytes and a page. */
	assert_int_equal(bytes_of(snapshot, SC_ROLE_WAL, SC_OP_WRITE), written * (24 + 4096));
	assert_int_equal(calls_of(snapshot, SC_ROLE_WAL, SC_OP_READ), missed);
	scene_close(db);
}

static void a_short_read_is_no_failure(void **state)
{
	sqlite3 *db = scene_open("a.db");
	const struct syncost_row *row;
	const struct syncost_snapshot *snapshot;

	(void)state;
	/* An empty file has no header to read: SQLite asks for 100 bytes and gets none. */
	run(db, "PRAGMA user_version");
	snapshot = take();
	row = row_of(snapshot, slot_of(snapshot, "a.db"), SC_ROLE_MAIN_DB, SC_OP_READ);
	assert_non_null(row);
	assert_true(row->calls >= 1);
	assert_int_equal(row->failures, 0);
	assert_int_equal(row->bytes, 0);
	scene_close(db);
}

static void a_failed_write_adds_no_bytes(void **state)
{
	sqlite3 *db = scene_open("a.db");
	const struct syncost_snapshot *snapshot;
	const struct syncost_row *row;

	(void)state;
	run(db, "CREATE TABLE t(a)");
	assert_int_equal(syncost_reset(), 0);
	under_clear();
	under.failing_write = 1;
	assert_int_equal(run_code(db, "INSERT INTO t VALUES(1)"), SQLITE_IOERR);
	snapshot = take();
	row = row_of(snapshot, slot_of(snapshot, "a.db"), SC_ROLE_MAIN_JOURNAL, SC_OP_WRITE);
	assert_non_null(row);
	assert_int_equal(row->failures, 1);
	assert_int_equal(row->failures, under.counts[SC_ROLE_MAIN_JOURNAL][SC_OP_WRITE].failures);
	assert_int_equal(row->bytes, under.counts[SC_ROLE_MAIN_JOURNAL][SC_OP_WRITE].bytes);
	assert_int_equal(snapshot->transactions, 0);
	scene_close(db);
}

static void busy_is_counted_and_no_failure(void **state)
{
	sqlite3 *holder = scene_open("a.db"), *other = scene_open("a.db");
	const struct syncost_snapshot *snapshot;
	const struct syncost_row *row;

	(void)state;
	sqlite3_busy_timeout(other, 0);
	run(holder, "CREATE TABLE t(a)");
	run(holder, "BEGIN IMMEDIATE");
	under.busy = 0;
	assert_int_equal(syncost_reset(), 0);
	assert_int_equal(run_code(other, "BEGIN IMMEDIATE"), SQLITE_BUSY);
	snapshot = take();
	assert_int_equal(snapshot->busy, 1);
	assert_int_equal(snapshot->busy, under.busy);
	row = row_of(snapshot, slot_of(snapshot, "a.db"), SC_ROLE_MAIN_DB, SC_OP_LOCK);
	assert_int_equal(row->failures, 0);
	run(holder, "ROLLBACK");
	scene_close(holder);
	scene_close(other);
}

static void errno_comes_through(void **state)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(SHIM_NAME);
	sqlite3_file *file = calloc(1, (size_t)vfs->szOsFile);
	int flags = 0;

	(void)state;
	assert_non_null(file);
	errno = 0;
	assert_int_equal(vfs->xOpen(vfs, "/nonexistent/a.db", file,
				    SQLITE_OPEN_MAIN_DB | SQLITE_OPEN_READWRITE, &flags),
			 SQLITE_CANTOPEN);
	assert_int_equal(errno, ENOENT);
	assert_null(file->pMethods);
	errno = 0;
	assert_int_equal(vfs->xDelete(vfs, scene_path("none"), 0), SQLITE_IOERR_DELETE_NOENT);
	assert_int_equal(errno, ENOENT);
	free(file);
}

static void without_a_meter_all_is_forwarded(void **state)
{
	sqlite3 *db;

	(void)state;
	assert_int_equal(syncost_unregister(SHIM_NAME), 0);
	assert_int_equal(syncost_stop(), 0);
	assert_int_equal(syncost_register(UNDER_NAME, SHIM_NAME, false), 0);
	db = scene_open("a.db");
	run(db, "PRAGMA journal_mode = WAL");
	work(db);
	scene_close(db);
	assert_int_equal(syncost_unregister(SHIM_NAME), 0);
	assert_int_equal(syncost_start(&(struct syncost_options){.anonymous = true}), 0);
	assert_int_equal(syncost_register(UNDER_NAME, SHIM_NAME, false), 0);
	assert_int_equal(take()->row_count, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("every call is counted, in every journal mode", every_call_is_counted),
		CASE("an unrecorded call would be noticed", an_unrecorded_call_would_be_noticed),
		CASE("each database has its own rows", names_are_told_apart_by_database),
		CASE("page writes and reads are what SQLite says",
		     page_writes_and_reads_are_what_sqlite_says),
		CASE("a short read is no failure", a_short_read_is_no_failure),
		CASE("a failed write adds no bytes", a_failed_write_adds_no_bytes),
		CASE("BUSY is counted, and no failure", busy_is_counted_and_no_failure),
		CASE("errno comes through", errno_comes_through),
		CASE("without a meter all is forwarded", without_a_meter_all_is_forwarded),
	};

	return cmocka_run_group_tests_name("counts", tests, NULL, NULL);
}
