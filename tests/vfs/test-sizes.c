/* SPDX-License-Identifier: MIT */
/* Sizes in the meter against stat() of the real files, after every statement. */

#include "scene.h"

#include <stdio.h>
#include <string.h>

#include "ledger.h"

struct files {
	uint64_t main_db, wal, journal, shm;
};

static struct files look(const char *name)
{
	char wal[64], journal[64], shm[64];

	snprintf(wal, sizeof(wal), "%s-wal", name);
	snprintf(journal, sizeof(journal), "%s-journal", name);
	snprintf(shm, sizeof(shm), "%s-shm", name);
	return (struct files){scene_size(name), scene_size(wal), scene_size(journal),
			      scene_size(shm)};
}

static uint64_t total(struct files files)
{
	return files.main_db + files.wal + files.journal + files.shm;
}

static void assert_sizes(const char *name, const char *after)
{
	const struct syncost_database *database = database_of(take(), name);
	struct files files = look(name);

	if (database->size_bytes[SC_ROLE_MAIN_DB] != files.main_db ||
	    database->size_bytes[SC_ROLE_WAL] != files.wal ||
	    database->size_bytes[SC_ROLE_MAIN_JOURNAL] != files.journal ||
	    database->size_bytes[SC_ROLE_SHM] != files.shm || database->total_bytes != total(files))
		fail_msg("after %s: main %llu (is %llu), wal %llu (%llu), journal %llu (%llu), "
			 "shm %llu (%llu), total %llu",
			 after, (unsigned long long)database->size_bytes[SC_ROLE_MAIN_DB],
			 (unsigned long long)files.main_db,
			 (unsigned long long)database->size_bytes[SC_ROLE_WAL],
			 (unsigned long long)files.wal,
			 (unsigned long long)database->size_bytes[SC_ROLE_MAIN_JOURNAL],
			 (unsigned long long)files.journal,
			 (unsigned long long)database->size_bytes[SC_ROLE_SHM],
			 (unsigned long long)files.shm, (unsigned long long)database->total_bytes);
	assert_true(database->total_bytes_max >= database->total_bytes);
}

static void step(sqlite3 *db, const char *name, const char *sql)
{
	run(db, "%s", sql);
	assert_sizes(name, sql);
}

static void sizes_follow_every_statement(void **state)
{
	static const char *const journals[] = {"DELETE", "TRUNCATE", "PERSIST",
					       "MEMORY", "OFF",      "WAL"};
	static const char *const statements[] = {
		"CREATE TABLE t(id INTEGER PRIMARY KEY, a)",
		"INSERT INTO t(a) VALUES(randomblob(50000))",
		"INSERT INTO t(a) VALUES(randomblob(100))",
		"BEGIN",
		"UPDATE t SET a = randomblob(60000)",
		"INSERT INTO t(a) VALUES(randomblob(100000))",
		"COMMIT",
		"BEGIN",
		"DELETE FROM t",
		"COMMIT",
		"VACUUM",
		"INSERT INTO t(a) VALUES(randomblob(7000))",
		"PRAGMA wal_checkpoint(PASSIVE)",
		"INSERT INTO t(a) VALUES(randomblob(7000))",
		"PRAGMA wal_checkpoint(TRUNCATE)",
		"PRAGMA journal_size_limit = 1000",
		"INSERT INTO t(a) VALUES(randomblob(70000))",
		"PRAGMA wal_checkpoint(RESTART)",
		"INSERT INTO t(a) VALUES(1)",
		"PRAGMA incremental_vacuum",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(journals) / sizeof(journals[0]); i++) {
		sqlite3 *db = scene_open(journals[i]);

		run(db, "PRAGMA auto_vacuum = INCREMENTAL; PRAGMA journal_mode = %s", journals[i]);
		run(db, "PRAGMA cache_size = 5");
		for (size_t k = 0; k < sizeof(statements) / sizeof(statements[0]); k++)
			step(db, journals[i], statements[k]);
		scene_close(db);
		assert_sizes(journals[i], "close");
	}
}

static void what_was_there_before_is_seen_at_open(void **state)
{
	sqlite3 *db;

	(void)state;
	assert_int_equal(sqlite3_open_v2(scene_path("a.db"), &db,
					 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix"),
			 SQLITE_OK);
	run(db, "PRAGMA journal_mode = PERSIST; CREATE TABLE t(a); "
		"INSERT INTO t VALUES(randomblob(20000)); DELETE FROM t");
	sqlite3_close(db);
	assert_true(scene_size("a.db-journal") > 0);

	db = scene_open("a.db");
	run(db, "PRAGMA journal_mode = PERSIST");
	step(db, "a.db", "INSERT INTO t VALUES(1)");
	scene_close(db);
}

static void the_highest_moment_of_the_wal_survives_its_truncation(void **state)
{
	sqlite3 *db = scene_open("a.db");
	const struct syncost_database *database;
	uint64_t highest, highest_total;

	(void)state;
	run(db, "PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0; CREATE TABLE t(a)");
	run(db, "INSERT INTO t VALUES(randomblob(300000))");
	highest = scene_size("a.db-wal");
	highest_total = total(look("a.db"));
	run(db, "PRAGMA wal_checkpoint(TRUNCATE)");
	database = database_of(take(), "a.db");
	assert_int_equal(database->size_bytes[SC_ROLE_WAL], 0);
	assert_int_equal(database->size_bytes_max[SC_ROLE_WAL], highest);
	/* All together were highest when the main file had grown and the WAL was still there. */
	assert_true(database->total_bytes_max > highest_total);
	assert_int_equal(database->total_bytes_max, total(look("a.db")) + highest);

	assert_int_equal(syncost_reset(), 0);
	database = database_of(take(), "a.db");
	assert_int_equal(database->size_bytes_max[SC_ROLE_WAL], 0);
	assert_int_equal(database->total_bytes_max, total(look("a.db")));
	assert_int_equal(database->size_bytes[SC_ROLE_MAIN_DB], scene_size("a.db"));
	scene_close(db);
}

static void a_journal_is_seen_at_its_highest_although_it_is_gone(void **state)
{
	sqlite3 *db = scene_open("a.db");
	const struct syncost_database *database;

	(void)state;
	run(db, "CREATE TABLE t(a); INSERT INTO t VALUES(randomblob(100000))");
	assert_int_equal(syncost_reset(), 0);
	run(db, "BEGIN; UPDATE t SET a = randomblob(100000)");
	database = database_of(take(), "a.db");
	assert_int_equal(database->size_bytes[SC_ROLE_MAIN_JOURNAL], scene_size("a.db-journal"));
	assert_true(scene_size("a.db-journal") > 90000);
	run(db, "COMMIT");
	database = database_of(take(), "a.db");
	assert_int_equal(database->size_bytes[SC_ROLE_MAIN_JOURNAL], 0);
	assert_true(database->size_bytes_max[SC_ROLE_MAIN_JOURNAL] > 90000);
	scene_close(db);
}

static void chunks_are_rounded_up(void **state)
{
	sqlite3 *db = scene_open("a.db");
	int chunk = 1 << 20;

	(void)state;
	run(db, "CREATE TABLE t(a)");
	assert_int_equal(sqlite3_file_control(db, "main", SQLITE_FCNTL_CHUNK_SIZE, &chunk),
			 SQLITE_OK);
	step(db, "a.db", "INSERT INTO t VALUES(randomblob(100000))");
	assert_int_equal(scene_size("a.db"), chunk);
	step(db, "a.db", "INSERT INTO t VALUES(randomblob(2000000))");
	step(db, "a.db", "DELETE FROM t; VACUUM");
	scene_close(db);
}

static void a_failed_write_leaves_the_real_size(void **state)
{
	sqlite3 *db = scene_open("a.db");

	(void)state;
	run(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)");
	under.failing_write = 2;
	assert_int_equal(run_code(db, "INSERT INTO t VALUES(randomblob(30000))"), SQLITE_IOERR);
	assert_sizes("a.db", "a failed write");
	scene_close(db);
}

static unsigned late_growths, early_growths;

static void look_at_growth(enum sc_role role, uint64_t end_bytes)
{
	uint32_t slot = 1; /* the only database */

	if (sc_ledger_size_known(slot, role) < end_bytes)
		late_growths++;
	else
		early_growths++;
}

static void growth_is_published_before_it_happens(void **state)
{
	sqlite3 *db = scene_open("a.db");

	(void)state;
	late_growths = early_growths = 0;
	under.on_write = look_at_growth;
	run(db, "CREATE TABLE t(a); INSERT INTO t VALUES(randomblob(30000))");
	run(db, "PRAGMA journal_mode = WAL; INSERT INTO t VALUES(randomblob(30000))");
	run(db, "PRAGMA wal_checkpoint(TRUNCATE)");
	assert_true(early_growths > 20);
	assert_int_equal(late_growths, 0);
	scene_close(db);
}

static void temporary_files_come_and_go(void **state)
{
	sqlite3 *db = scene_open("a.db");
	const struct syncost_snapshot *snapshot;

	(void)state;
	run(db, "PRAGMA temp_store = FILE; PRAGMA cache_size = 5; PRAGMA temp.cache_size = 5");
	run(db, "CREATE TEMP TABLE t(a)");
	run(db, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 300) "
		"INSERT INTO t SELECT randomblob(3000) FROM n");
	snapshot = take();
	assert_true(snapshot->databases[0].size_bytes[SC_ROLE_TEMP_DB] > 500000);
	assert_true(snapshot->total_bytes >= snapshot->databases[0].total_bytes);
	scene_close(db);
	snapshot = take();
	assert_int_equal(snapshot->databases[0].size_bytes[SC_ROLE_TEMP_DB], 0);
	assert_int_equal(snapshot->databases[0].total_bytes, 0);
	assert_true(snapshot->databases[0].size_bytes_max[SC_ROLE_TEMP_DB] > 500000);
}

static void two_connections_share_their_files(void **state)
{
	sqlite3 *a = scene_open("a.db"), *b = scene_open("a.db");

	(void)state;
	run(a, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)");
	step(b, "a.db", "INSERT INTO t VALUES(randomblob(9000))");
	step(a, "a.db", "INSERT INTO t VALUES(randomblob(9000))");
	step(b, "a.db", "PRAGMA wal_checkpoint(TRUNCATE)");
	step(a, "a.db", "INSERT INTO t VALUES(randomblob(9000))");
	scene_close(a);
	assert_sizes("a.db", "the first close");
	scene_close(b);
	assert_sizes("a.db", "the last close");
	assert_int_equal(scene_size("a.db-wal"), 0);
}

static void all_databases_together_have_a_highest_moment(void **state)
{
	sqlite3 *a = scene_open("a.db"), *b = scene_open("b.db");
	uint64_t highest;

	(void)state;
	run(a, "PRAGMA journal_mode = MEMORY; CREATE TABLE t(a)");
	run(b, "PRAGMA journal_mode = MEMORY; CREATE TABLE t(a)");
	run(a, "INSERT INTO t VALUES(randomblob(500000))");
	run(b, "INSERT INTO t VALUES(randomblob(300000))");
	highest = scene_size("a.db") + scene_size("b.db");
	assert_int_equal(take()->total_bytes, highest);
	assert_int_equal(take()->total_bytes_max, highest);
	run(a, "DELETE FROM t; VACUUM");
	run(b, "INSERT INTO t VALUES(randomblob(1000))");
	assert_int_equal(take()->total_bytes, scene_size("a.db") + scene_size("b.db"));
	assert_true(take()->total_bytes < highest);
	scene_close(a);
	scene_close(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("sizes follow every statement, in every journal mode",
		     sizes_follow_every_statement),
		CASE("what was there before is seen at open",
		     what_was_there_before_is_seen_at_open),
		CASE("the highest moment of the WAL survives its truncation",
		     the_highest_moment_of_the_wal_survives_its_truncation),
		CASE("a journal is seen at its highest although it is gone",
		     a_journal_is_seen_at_its_highest_although_it_is_gone),
		CASE("chunks are rounded up", chunks_are_rounded_up),
		CASE("a failed write leaves the real size", a_failed_write_leaves_the_real_size),
		CASE("growth is published before it happens",
		     growth_is_published_before_it_happens),
		CASE("temporary files come and go", temporary_files_come_and_go),
		CASE("two connections share their files", two_connections_share_their_files),
		CASE("all databases together have a highest moment",
		     all_databases_together_have_a_highest_moment),
	};

	return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
