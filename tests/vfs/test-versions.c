/* SPDX-License-Identifier: MIT */
/* The shim is as old and as able as what it wraps; and it is found where SQLite looks. */

#include "scene.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static sqlite3_file *file_of(sqlite3 *db)
{
	sqlite3_file *file = NULL;

	assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_FILE_POINTER, &file),
			 SQLITE_OK);
	assert_non_null(file);
	return file;
}

static bool goes_wal(sqlite3 *db)
{
	sqlite3_stmt *statement = NULL;
	bool is_wal;

	assert_int_equal(sqlite3_prepare_v2(db, "PRAGMA journal_mode = WAL", -1, &statement, NULL),
			 SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	is_wal = strcmp((const char *)sqlite3_column_text(statement, 0), "wal") == 0;
	sqlite3_finalize(statement);
	return is_wal;
}

static void version_three_has_everything(void **state)
{
	sqlite3 *db = scene_open("a.db");
	const sqlite3_io_methods *methods = file_of(db)->pMethods;

	(void)state;
	assert_int_equal(methods->iVersion, 3);
	assert_non_null(methods->xShmMap);
	assert_non_null(methods->xFetch);
	assert_true(goes_wal(db));
	scene_close(db);
}

static void version_one_has_no_shared_memory(void **state)
{
	sqlite3 *db;

	(void)state;
	under.version = 1;
	db = scene_open("a.db");
	assert_int_equal(file_of(db)->pMethods->iVersion, 1);
	assert_null(file_of(db)->pMethods->xShmMap);
	assert_null(file_of(db)->pMethods->xFetch);
	assert_false(goes_wal(db));
	run(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
	assert_int_equal(ask(db, "SELECT count(*) FROM t"), 1);
	assert_int_equal(take()->transactions, 2);
	scene_close(db);
}

static void version_two_has_no_fetch(void **state)
{
	sqlite3 *db;

	(void)state;
	under.version = 2;
	db = scene_open("a.db");
	assert_int_equal(file_of(db)->pMethods->iVersion, 2);
	assert_null(file_of(db)->pMethods->xFetch);
	assert_null(file_of(db)->pMethods->xUnfetch);
	assert_true(goes_wal(db));
	run(db, "PRAGMA mmap_size = 1000000; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
	assert_int_equal(ask(db, "SELECT count(*) FROM t"), 1);
	assert_int_equal(calls_of(take(), SC_ROLE_MAIN_DB, SC_OP_FETCH), 0);
	scene_close(db);
}

static void what_the_wrapped_file_lacks_stays_absent(void **state)
{
	sqlite3 *db;

	(void)state;
	under.lacks_shm = true;
	db = scene_open("a.db");
	assert_int_equal(file_of(db)->pMethods->iVersion, 3);
	assert_null(file_of(db)->pMethods->xShmMap);
	assert_null(file_of(db)->pMethods->xShmLock);
	assert_null(file_of(db)->pMethods->xShmBarrier);
	assert_null(file_of(db)->pMethods->xShmUnmap);
	assert_non_null(file_of(db)->pMethods->xFetch);
	assert_false(goes_wal(db));
	scene_close(db);
}

static void mapped_reads_are_counted(void **state)
{
	sqlite3 *db = scene_open("a.db");
	const struct syncost_snapshot *snapshot;
	uint64_t pages, read_calls;

	(void)state;
	run(db, "CREATE TABLE t(a)");
	run(db, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 500) "
		"INSERT INTO t SELECT randomblob(3000) FROM n");
	pages = (uint64_t)ask(db, "PRAGMA page_count");
	scene_close(db);

	db = scene_open("a.db");
	under_clear();
	assert_int_equal(syncost_reset(), 0);
	assert_int_equal(ask(db, "SELECT sum(length(a)) FROM t"), 500 * 3000);
	read_calls = calls_of(take(), SC_ROLE_MAIN_DB, SC_OP_READ);
	assert_true(read_calls > 500);
	assert_int_equal(calls_of(take(), SC_ROLE_MAIN_DB, SC_OP_FETCH), 0);
	scene_close(db);

	db = scene_open("a.db");
	run(db, "PRAGMA mmap_size = 100000000");
	under_clear();
	assert_int_equal(syncost_reset(), 0);
	assert_int_equal(ask(db, "SELECT sum(length(a)) FROM t"), 500 * 3000);
	snapshot = take();
	assert_true(calls_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_READ) < 10);
	assert_true(calls_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_FETCH) > 500);
	assert_true(calls_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_FETCH) <= 2 * pages);
	assert_int_equal(bytes_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_FETCH),
			 calls_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_FETCH) * 4096);
	assert_int_equal(calls_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_FETCH),
			 under.counts[SC_ROLE_MAIN_DB][SC_OP_FETCH].calls);
	assert_int_equal(calls_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_UNFETCH),
			 under.counts[SC_ROLE_MAIN_DB][SC_OP_UNFETCH].calls);
	assert_true(calls_of(snapshot, SC_ROLE_MAIN_DB, SC_OP_UNFETCH) > 0);
	scene_close(db);
}

static void the_name_tells_the_stack(void **state)
{
	sqlite3 *db = scene_open("a.db");
	sqlite3_vfs *vfs = NULL;
	char *name = NULL;

	(void)state;
	assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &name), SQLITE_OK);
	assert_string_equal(name, "shim/unix");
	sqlite3_free(name);
	assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, &vfs),
			 SQLITE_OK);
	assert_ptr_equal(vfs, sqlite3_vfs_find(SHIM_NAME));
	scene_close(db);
}

static void a_uri_may_name_it(void **state)
{
	sqlite3 *db = NULL;
	char *uri = sqlite3_mprintf("file:%s?vfs=%s&mode=rwc", scene_path("a.db"), SHIM_NAME);

	(void)state;
	assert_int_equal(
		sqlite3_open_v2(uri, &db,
				SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_URI, NULL),
		SQLITE_OK);
	sqlite3_free(uri);
	run(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)");
	assert_int_equal(take()->transactions, 2);
	assert_int_equal(database_of(take(), "a.db")->commits, 2);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void parameters_of_a_uri_reach_the_vfs_underneath(void **state)
{
	sqlite3 *db = NULL;
	char *uri = sqlite3_mprintf("file:%s?vfs=%s&immutable=1", scene_path("a.db"), SHIM_NAME);

	(void)state;
	db = scene_open("a.db");
	run(db, "CREATE TABLE t(a)");
	scene_close(db);
	assert_int_equal(syncost_reset(), 0);
	assert_int_equal(sqlite3_open_v2(uri, &db, SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, NULL),
			 SQLITE_OK);
	assert_int_equal(ask(db, "SELECT count(*) FROM t"), 0);
	/* What does not change needs no lock. */
	assert_int_equal(calls_of(take(), SC_ROLE_MAIN_DB, SC_OP_LOCK), 0);
	sqlite3_free(uri);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void a_shim_on_a_shim_counts_once(void **state)
{
	sqlite3 *db = NULL;
	char *name = NULL;

	(void)state;
	assert_int_equal(syncost_register(SHIM_NAME, "upper", false), 0);
	under_clear();
	assert_int_equal(sqlite3_open_v2(scene_path("a.db"), &db,
					 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "upper"),
			 SQLITE_OK);
	run(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1)");
	assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_VFSNAME, &name), SQLITE_OK);
	assert_string_equal(name, "upper/shim/unix");
	sqlite3_free(name);
	assert_int_equal(calls_of(take(), SC_ROLE_WAL, SC_OP_WRITE),
			 under.counts[SC_ROLE_WAL][SC_OP_WRITE].calls);
	assert_int_equal(take()->transactions, 3);
	assert_int_equal(syncost_unregister("upper"), -EBUSY);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(syncost_unregister("upper"), 0);
}

static void several_wrapped_vfs_go_side_by_side(void **state)
{
	sqlite3 *a = scene_open("a.db"), *b = NULL;

	(void)state;
	assert_int_equal(syncost_register("unix-excl", "second", false), 0);
	assert_int_equal(sqlite3_open_v2(scene_path("b.db"), &b,
					 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "second"),
			 SQLITE_OK);
	run(a, "CREATE TABLE t(a)");
	run(b, "CREATE TABLE t(a)");
	assert_int_equal(database_of(take(), "a.db")->commits, 1);
	assert_int_equal(database_of(take(), "b.db")->commits, 1);
	assert_int_equal(sqlite3_close(b), SQLITE_OK);
	assert_int_equal(syncost_unregister("second"), 0);
	scene_close(a);
}

static void each_vfs_of_sqlite_can_be_wrapped(void **state)
{
	static const char *const names[] = {"unix", "unix-none", "unix-dotfile", "unix-excl",
					    "memdb"};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		sqlite3 *db = NULL;

		assert_int_equal(syncost_register(names[i], "second", false), 0);
		assert_int_equal(sqlite3_open_v2(scene_path(names[i]), &db,
						 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
						 "second"),
				 SQLITE_OK);
		run(db, "CREATE TABLE t(a); INSERT INTO t VALUES(1)");
		assert_int_equal(ask(db, "SELECT count(*) FROM t"), 1);
		assert_int_equal(sqlite3_close(db), SQLITE_OK);
		assert_int_equal(syncost_unregister("second"), 0);
	}
	rmdir(scene_path("unix-dotfile.lock"));
}

static void the_default_can_be_taken_and_given_back(void **state)
{
	const char *before = sqlite3_vfs_find(NULL)->zName;
	sqlite3 *db = NULL;

	(void)state;
	assert_int_equal(syncost_register(NULL, "mine", true), 0);
	assert_string_equal(sqlite3_vfs_find(NULL)->zName, "mine");
	assert_int_equal(sqlite3_open(scene_path("a.db"), &db), SQLITE_OK);
	run(db, "CREATE TABLE t(a)");
	assert_int_equal(take()->transactions, 1);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(syncost_unregister("mine"), 0);
	assert_string_equal(sqlite3_vfs_find(NULL)->zName, before);
}

static void bad_registrations_are_refused(void **state)
{
	char long_name[65], name[16];

	(void)state;
	memset(long_name, 'x', 64);
	long_name[64] = '\0';
	assert_int_equal(syncost_register("no such vfs", "a", false), -ENOENT);
	assert_int_equal(syncost_register(NULL, SHIM_NAME, false), -EEXIST);
	assert_int_equal(syncost_register(NULL, "unix", false), -EEXIST);
	assert_int_equal(syncost_register(NULL, "", false), -EINVAL);
	assert_int_equal(syncost_register(NULL, NULL, false), -EINVAL);
	assert_int_equal(syncost_register(NULL, long_name, false), -EINVAL);
	assert_int_equal(syncost_unregister("unix"), -ENOENT);
	assert_int_equal(syncost_unregister("no such vfs"), -ENOENT);
	assert_int_equal(syncost_unregister(NULL), -ENOENT);

	for (int i = 0; i < 15; i++) {
		sqlite3_snprintf(sizeof(name), name, "s%d", i);
		assert_int_equal(syncost_register(NULL, name, false), 0);
	}
	assert_int_equal(syncost_register(NULL, "one more", false), -ENOSPC);
	for (int i = 0; i < 15; i++) {
		sqlite3_snprintf(sizeof(name), name, "s%d", i);
		assert_int_equal(syncost_unregister(name), 0);
	}
	long_name[63] = '\0';
	assert_int_equal(syncost_register(NULL, long_name, false), 0);
	assert_int_equal(syncost_unregister(long_name), 0);
}

static void system_calls_and_libraries_pass_through(void **state)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(SHIM_NAME), *unix_vfs = sqlite3_vfs_find("unix");
	void *handle;
	char text[200] = "";

	(void)state;
	assert_int_equal(vfs->iVersion, unix_vfs->iVersion);
	assert_ptr_equal(vfs->xGetSystemCall(vfs, "open"),
			 unix_vfs->xGetSystemCall(unix_vfs, "open"));
	assert_string_equal(vfs->xNextSystemCall(vfs, NULL),
			    unix_vfs->xNextSystemCall(unix_vfs, NULL));
	handle = vfs->xDlOpen(vfs, "libc.so.6");
	assert_non_null(handle);
	assert_true(vfs->xDlSym(vfs, handle, "getpid") != NULL);
	vfs->xDlClose(vfs, handle);
	assert_null(vfs->xDlOpen(vfs, "/no/such/library.so"));
	vfs->xDlError(vfs, sizeof(text), text);
	assert_non_null(strstr(text, "library.so"));
	assert_int_equal(calls_of(take(), SC_ROLE_OTHER, SC_OP_DLOPEN), 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("version 3 has everything", version_three_has_everything),
		CASE("version 1 has no shared memory", version_one_has_no_shared_memory),
		CASE("version 2 has no fetch", version_two_has_no_fetch),
		CASE("what the wrapped file lacks stays absent",
		     what_the_wrapped_file_lacks_stays_absent),
		CASE("mapped reads are counted", mapped_reads_are_counted),
		CASE("the name tells the stack", the_name_tells_the_stack),
		CASE("a URI may name it", a_uri_may_name_it),
		CASE("parameters of a URI reach the VFS underneath",
		     parameters_of_a_uri_reach_the_vfs_underneath),
		CASE("a shim on a shim counts once", a_shim_on_a_shim_counts_once),
		CASE("several wrapped VFSes go side by side", several_wrapped_vfs_go_side_by_side),
		CASE("each VFS of SQLite can be wrapped", each_vfs_of_sqlite_can_be_wrapped),
		CASE("the default can be taken and given back",
		     the_default_can_be_taken_and_given_back),
		CASE("bad registrations are refused", bad_registrations_are_refused),
		CASE("system calls and libraries pass through",
		     system_calls_and_libraries_pass_through),
	};

	return cmocka_run_group_tests_name("versions", tests, NULL, NULL);
}
