/* SPDX-License-Identifier: MIT */
/* Eight threads, each with a database of its own, and one that all share. */

#include "scene.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { THREADS = 8, COMMITS = 60 };

struct worker {
	pthread_t thread;
	int index;
	int failures;
	char own[700], shared[700]; /* paths */
};

/* cmocka's asserts are for the main thread. */
static void check(struct worker *worker, bool is_right)
{
	worker->failures += !is_right;
}

static sqlite3 *open_quietly(struct worker *worker, const char *path)
{
	sqlite3 *db = NULL;

	check(worker, sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
				      SHIM_NAME) == SQLITE_OK);
	sqlite3_busy_timeout(db, 60000);
	return db;
}

static void exec(struct worker *worker, sqlite3 *db, const char *sql)
{
	syncost_call_begin();
	check(worker, sqlite3_exec(db, sql, NULL, NULL, NULL) == SQLITE_OK);
	syncost_call_end();
}

static void *work(void *argument)
{
	static const char *const journals[] = {"WAL", "DELETE", "TRUNCATE", "PERSIST"};
	struct worker *worker = argument;
	char sql[100];
	sqlite3 *mine = open_quietly(worker, worker->own);
	sqlite3 *ours = open_quietly(worker, worker->shared);

	snprintf(sql, sizeof(sql), "PRAGMA journal_mode = %s; PRAGMA synchronous = OFF",
		 journals[worker->index % 4]);
	exec(worker, mine, sql);
	exec(worker, mine, "CREATE TABLE t(a)");
	exec(worker, ours, "PRAGMA synchronous = OFF");
	for (int i = 0; i < COMMITS; i++) {
		exec(worker, mine, "INSERT INTO t VALUES(randomblob(500))");
		exec(worker, ours, "INSERT INTO t VALUES(1)");
		if (i % 10 == 0)
			exec(worker, mine, "PRAGMA wal_checkpoint(PASSIVE)");
	}
	check(worker, sqlite3_close(mine) == SQLITE_OK);
	check(worker, sqlite3_close(ours) == SQLITE_OK);
	return NULL;
}

static void eight_threads_lose_nothing(void **state)
{
	struct worker workers[THREADS] = {0};
	const struct syncost_snapshot *snapshot;
	sqlite3 *db = scene_open("shared.db");
	uint64_t mode_changes = THREADS / 4; /* to WAL, which writes the header */

	(void)state;
	run(db, "PRAGMA journal_mode = WAL; CREATE TABLE t(a)");
	assert_int_equal(syncost_reset(), 0);
	under_clear();
	for (int i = 0; i < THREADS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "own-%d.db", i);
		workers[i].index = i;
		strcpy(workers[i].own, scene_path(name));
		strcpy(workers[i].shared, scene_path("shared.db"));
		assert_int_equal(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].failures, 0);
	}

	snapshot = take();
	assert_int_equal(snapshot->calls_dropped, 0);
	assert_int_equal(database_of(snapshot, "shared.db")->commits, THREADS * COMMITS);
	assert_int_equal(snapshot->transactions, THREADS * (2 * COMMITS + 1) + mode_changes);
	for (int role = 0; role < SC_ROLE_COUNT_; role++) {
		assert_int_equal(calls_of(snapshot, (enum sc_role)role, SC_OP_WRITE),
				 under.counts[role][SC_OP_WRITE].calls);
		assert_int_equal(bytes_of(snapshot, (enum sc_role)role, SC_OP_WRITE),
				 under.counts[role][SC_OP_WRITE].bytes);
		assert_int_equal(calls_of(snapshot, (enum sc_role)role, SC_OP_SHM_LOCK),
				 under.counts[role][SC_OP_SHM_LOCK].calls);
	}
	assert_int_equal(snapshot->busy, under.busy);
	assert_int_equal(ask(db, "SELECT count(*) FROM t"), THREADS * COMMITS);
	for (int i = 0; i < THREADS; i++) {
		char name[32];

		snprintf(name, sizeof(name), "own-%d.db", i);
		assert_int_equal(database_of(snapshot, name)->size_bytes[SC_ROLE_MAIN_DB],
				 scene_size(name));
	}
	assert_int_equal(database_of(snapshot, "shared.db")->size_bytes[SC_ROLE_WAL],
			 scene_size("shared.db-wal"));
	scene_close(db);
}

/* One connection used by several threads in turn, serialised by SQLite. */
static sqlite3 *common;

static void *work_in_turn(void *argument)
{
	struct worker *worker = argument;

	for (int i = 0; i < COMMITS; i++)
		check(worker, sqlite3_exec(common, "INSERT INTO t VALUES(1)", NULL, NULL, NULL) ==
				      SQLITE_OK);
	return NULL;
}

static void one_connection_may_serve_several_threads(void **state)
{
	struct worker workers[4] = {0};

	(void)state;
	common = scene_open("a.db");
	run(common, "PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; CREATE TABLE t(a)");
	run(common, "PRAGMA wal_autocheckpoint = 10");
	assert_int_equal(syncost_reset(), 0);
	for (int i = 0; i < 4; i++)
		assert_int_equal(
			pthread_create(&workers[i].thread, NULL, work_in_turn, &workers[i]), 0);
	for (int i = 0; i < 4; i++) {
		pthread_join(workers[i].thread, NULL);
		assert_int_equal(workers[i].failures, 0);
	}
	assert_int_equal(take()->transactions, 4 * COMMITS);
	assert_int_equal(ask(common, "SELECT count(*) FROM t"), 4 * COMMITS);
	scene_close(common);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("eight threads lose nothing", eight_threads_lose_nothing),
		CASE("one connection may serve several threads",
		     one_connection_may_serve_several_threads),
	};

	return cmocka_run_group_tests_name("threads", tests, NULL, NULL);
}
