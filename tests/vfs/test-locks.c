/* SPDX-License-Identifier: MIT */
/*
 * usage: test-locks [SECONDS]    3 unless told, for each journal
 *
 * POSIX locks belong to a process and a file: any close() of the file, through whatever descriptor,
 * drops them. Instruments that open a database to look at it would corrupt what they measure. The
 * negative controls show it; the rest shows that ours do not. Built with the tap as well as
 * without.
 */

#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint32_t seconds = 3;

/* --- in a process of its own */

enum { CAN_LOCK = 1, IS_BUSY = 2 };

/*
 * Whether another process can take SQLite's lock bytes of a.db. By fcntl() itself: a child of
 * fork() has a copy of SQLite's own notes on who holds what, and would believe them.
 */
static int ask_other_process(void)
{
	int status;
	pid_t pid = fork();

	assert_true(pid >= 0);
	if (pid == 0) {
		const off_t pending_byte = 0x40000000, bytes = 512;
		struct flock lock = {.l_type = F_WRLCK,
				     .l_whence = SEEK_SET,
				     .l_start = pending_byte,
				     .l_len = bytes};
		int fd = open(scene_path("a.db"), O_RDWR | O_CLOEXEC);

		if (fd < 0)
			_exit(0);
		if (fcntl(fd, F_SETLK, &lock) == 0)
			_exit(CAN_LOCK);
		_exit(errno == EAGAIN || errno == EACCES ? IS_BUSY : 0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void open_and_close_the_file(void)
{
	int fd = open(scene_path("a.db"), O_RDONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	close(fd);
}

static sqlite3 *lock_a_database(void)
{
	sqlite3 *db = scene_open("a.db");

	run(db, "CREATE TABLE IF NOT EXISTS t(a)");
	run(db, "BEGIN EXCLUSIVE");
	return db;
}

static void opening_and_closing_the_file_loses_the_lock(void **state)
{
	sqlite3 *db = lock_a_database();

	(void)state;
	assert_int_equal(ask_other_process(), IS_BUSY);
	open_and_close_the_file();
	assert_int_equal(ask_other_process(), CAN_LOCK);
	run(db, "ROLLBACK");
	scene_close(db);
}

static void what_the_shim_does_keeps_it(void **state)
{
	sqlite3 *db = lock_a_database(), *other;
	struct syncost_snapshot *snapshot = NULL;

	(void)state;
	assert_int_equal(ask_other_process(), IS_BUSY);
	for (int i = 0; i < 50; i++) {
		run_marked(db, "INSERT INTO t VALUES(randomblob(5000))");
		assert_int_equal(syncost_snapshot(&snapshot), 0);
		syncost_snapshot_free(snapshot);
	}
	assert_int_equal(ask_other_process(), IS_BUSY);
	assert_int_equal(syncost_reset(), 0);
	/* Another connection comes and goes: SQLite itself takes care not to close under a lock. */
	other = scene_open("a.db");
	sqlite3_busy_timeout(other, 0);
	assert_int_equal(run_code(other, "SELECT * FROM t"), SQLITE_BUSY);
	scene_close(other);
	assert_int_equal(ask_other_process(), IS_BUSY);
	assert_int_equal(syncost_register("unix", "another", false), 0);
	assert_int_equal(syncost_unregister("another"), 0);
	assert_int_equal(ask_other_process(), IS_BUSY);
	run(db, "COMMIT");
	scene_close(db);
}

/* --- two processes */

enum { PROCESSES = 2 };

struct board {
	_Atomic uint64_t acknowledged[PROCESSES]; /* increments whose COMMIT returned OK */
	_Atomic uint64_t measured[PROCESSES];     /* transactions its meter counted */
	_Atomic uint64_t errors[PROCESSES];       /* results other than OK and BUSY */
};

static struct board *board;

static int quietly(sqlite3 *db, const char *sql)
{
	int rc;

	syncost_call_begin();
	rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	syncost_call_end();
	return rc;
}

/* SQLite's own backs off so far that the other process hardly meets it. */
static int try_again_soon(void *argument, int count)
{
	struct timespec rest = {.tv_nsec = 200000};

	nanosleep(&rest, NULL);
	return count < *(const int *)argument;
}

static bool increment(sqlite3 *db, int me, bool is_saboteur)
{
	char sql[100];

	snprintf(sql, sizeof(sql), "INSERT INTO log(process) VALUES(%d)", me);
	if (quietly(db, "BEGIN IMMEDIATE") != SQLITE_OK)
		return false;
	if (quietly(db, "UPDATE counter SET n = n + 1") != SQLITE_OK ||
	    quietly(db, sql) != SQLITE_OK) {
		quietly(db, "ROLLBACK");
		return false;
	}
	if (is_saboteur) {
		int fd = open(scene_path("c.db"), O_RDONLY);

		close(fd);
		rest_ms(3);
	}
	if (quietly(db, "COMMIT") == SQLITE_OK)
		return true;
	quietly(db, "ROLLBACK");
	return false;
}

static void hammer(int me, const char *journal, uint64_t end_ns, bool is_sabotaged)
{
	/* Who has lost its locks may meet them again, held by the other, which waits for it. */
	int tries = is_sabotaged ? 500 : 50000;
	struct syncost_snapshot *snapshot = NULL;
	char pragma[100];
	sqlite3 *db = NULL;
	int r;

	r = syncost_start(&(struct syncost_options){.anonymous = true, .cpu = true});
	if (r != 0 || syncost_register("unix", SHIM_NAME, false) != 0)
		_exit(1);
	r = syncost_tap_start();
	if (r != 0 && r != SYNCOST_NO_TAP)
		_exit(2);
	if (sqlite3_open_v2(scene_path("c.db"), &db, SQLITE_OPEN_READWRITE, SHIM_NAME) != SQLITE_OK)
		_exit(3);
	sqlite3_busy_handler(db, try_again_soon, &tries);
	snprintf(pragma, sizeof(pragma), "PRAGMA journal_mode = %s; PRAGMA wal_autocheckpoint = 20",
		 journal);
	if (quietly(db, pragma) != SQLITE_OK || syncost_reset() != 0)
		_exit(4);

	while (clock_ns() < end_ns) {
		bool is_done = increment(db, me, is_sabotaged && me == 0);

		if (is_done)
			atomic_fetch_add(&board->acknowledged[me], 1);
		else if ((sqlite3_errcode(db) & 0xff) != SQLITE_BUSY)
			atomic_fetch_add(&board->errors[me], 1);
		if (board->acknowledged[me] % 16 == 0 && syncost_snapshot(&snapshot) == 0) {
			syncost_snapshot_free(snapshot);
			snapshot = NULL;
		}
	}
	if (syncost_snapshot(&snapshot) != 0)
		_exit(5);
	atomic_store(&board->measured[me], snapshot->transactions);
	syncost_snapshot_free(snapshot);
	_exit(sqlite3_close(db) == SQLITE_OK ? 0 : 6);
}

static void create_counter(const char *journal)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open_v2(scene_path("c.db"), &db,
					 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "unix"),
			 SQLITE_OK);
	run(db, "PRAGMA journal_mode = %s", journal);
	run(db, "CREATE TABLE counter(n); INSERT INTO counter VALUES(0); "
		"CREATE TABLE log(id INTEGER PRIMARY KEY, process)");
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Whether the database holds exactly what was acknowledged. */
static bool is_all_there(void)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	uint64_t acknowledged = board->acknowledged[0] + board->acknowledged[1];
	bool is_right = true;

	assert_int_equal(sqlite3_open_v2(scene_path("c.db"), &db, SQLITE_OPEN_READWRITE, "unix"),
			 SQLITE_OK);
	if (sqlite3_prepare_v2(db, "PRAGMA quick_check", -1, &statement, NULL) != SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW ||
	    strcmp((const char *)sqlite3_column_text(statement, 0), "ok") != 0)
		is_right = false;
	sqlite3_finalize(statement);
	if (is_right)
		is_right = (uint64_t)ask(db, "SELECT n FROM counter") == acknowledged;
	for (int i = 0; is_right && i < PROCESSES; i++)
		is_right = (uint64_t)ask(db, "SELECT count(*) FROM log WHERE process = %d", i) ==
			   board->acknowledged[i];
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return is_right;
}

static void run_two(const char *journal, uint32_t ms, bool is_sabotaged)
{
	uint64_t end_ns;
	pid_t pids[PROCESSES];

	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	assert_ptr_not_equal(board, MAP_FAILED);
	create_counter(journal);
	end_ns = clock_ns() + (uint64_t)ms * 1000000;
	for (int i = 0; i < PROCESSES; i++) {
		pids[i] = fork();
		assert_true(pids[i] >= 0);
		if (pids[i] == 0)
			hammer(i, journal, end_ns, is_sabotaged);
	}
	for (int i = 0; i < PROCESSES; i++) {
		int status;

		assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
		if (!is_sabotaged)
			assert_int_equal(status, 0);
	}
}

static void nothing_acknowledged_is_lost_in(const char *journal)
{
	run_two(journal, seconds * 1000, false);
	for (int i = 0; i < PROCESSES; i++) {
		assert_true(board->acknowledged[i] > 0);
		assert_int_equal(board->errors[i], 0);
		assert_int_equal(board->measured[i], board->acknowledged[i]);
	}
	assert_true(is_all_there());
	print_message("# %s: %llu and %llu commits\n", journal,
		      (unsigned long long)board->acknowledged[0],
		      (unsigned long long)board->acknowledged[1]);
	munmap(board, sizeof(*board));
}

static void nothing_acknowledged_is_lost_with_a_journal(void **state)
{
	(void)state;
	nothing_acknowledged_is_lost_in("DELETE");
}

static void nothing_acknowledged_is_lost_with_a_wal(void **state)
{
	(void)state;
	nothing_acknowledged_is_lost_in("WAL");
}

static void a_process_that_closes_the_file_does_lose(void **state)
{
	bool is_wrong = false;

	(void)state;
	for (int i = 0; !is_wrong && i < 10; i++) {
		run_two("DELETE", 500, true);
		is_wrong = board->errors[0] + board->errors[1] > 0 || !is_all_there();
		munmap(board, sizeof(*board));
		unlink(scene_path("c.db"));
		unlink(scene_path("c.db-journal"));
	}
	assert_true(is_wrong);
}

/* The directory alone: the processes start their own meters. */
static int directory_only(void **state)
{
	int r = scene_setup(state);

	if (r == 0)
		r = syncost_unregister(SHIM_NAME);
	return r == 0 ? syncost_stop() : r;
}

static int directory_done(void **state)
{
	syncost_start(&(struct syncost_options){.anonymous = true});
	syncost_register(UNDER_NAME, SHIM_NAME, false);
	return scene_teardown(state);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		CASE("opening and closing the file loses the lock",
		     opening_and_closing_the_file_loses_the_lock),
		CASE("what the shim does keeps it", what_the_shim_does_keeps_it),
		{"two processes lose nothing acknowledged with a journal",
		 nothing_acknowledged_is_lost_with_a_journal, directory_only, directory_done, NULL},
		{"two processes lose nothing acknowledged with a WAL",
		 nothing_acknowledged_is_lost_with_a_wal, directory_only, directory_done, NULL},
		{"a process that closes the file does lose",
		 a_process_that_closes_the_file_does_lose, directory_only, directory_done, NULL},
	};

	if (argc > 1)
		seconds = (uint32_t)atoi(argv[1]);
	return cmocka_run_group_tests_name("locks", tests, NULL, NULL);
}
