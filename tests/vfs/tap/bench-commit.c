/* SPDX-License-Identifier: MIT */
/*
 * One-row commits in the setting where they are cheapest, WAL and synchronous=OFF: the worst case
 * for instruments, since nothing waits.
 *
 * usage: bench-commit DATABASE none|tap|shim|both
 *
 * Prints nanoseconds of thread CPU per commit, which is all there is where nothing waits: that of
 * the batch which one in ten is faster than, since what disturbs a batch makes it slower. Then the
 * same for batches with the tap off, run in turn with the others where there is a tap to switch.
 * Built with the tap and without.
 */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#include "syncost.h"

#define BATCHES 200
#define COMMITS 200

static void check(int ok, const char *what)
{
	if (ok)
		return;
	(void)fprintf(stderr, "bench-commit: %s failed\n", what);
	exit(EXIT_FAILURE);
}

/* Returns whether there is a tap to switch off and on again. */
static int start_instruments(const char *mode, const char *path)
{
	int with_both = strcmp(mode, "both") == 0;
	int with_tap = with_both || strcmp(mode, "tap") == 0;

	if (strcmp(mode, "none") == 0)
		return 0;
	check(syncost_start(&(struct syncost_options){.cpu = true}) == 0, "start");
	if (with_both || strcmp(mode, "shim") == 0)
		check(syncost_register(NULL, "syncost", true) == 0, "register");
	if (with_tap)
		check(syncost_tap_start() == 0 && syncost_tap_database(path) == 0, "tap");
	return with_tap;
}

static double now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void insert(sqlite3_stmt *statement, int count)
{
	for (int i = 0; i < count; i++) {
		check(sqlite3_step(statement) == SQLITE_DONE, "insert");
		check(sqlite3_reset(statement) == SQLITE_OK, "reset");
	}
}

static double run_batch(sqlite3_stmt *statement)
{
	double start_ns;

	insert(statement, COMMITS / 20); /* descriptors are found again, caches warm */
	start_ns = now_ns();
	insert(statement, COMMITS);
	return (now_ns() - start_ns) / COMMITS;
}

static int compare(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double quick(double *batches)
{
	qsort(batches, BATCHES, sizeof(batches[0]), compare);
	return batches[BATCHES / 10];
}

int main(int argc, char **argv)
{
	static double batches[BATCHES], batches_off[BATCHES];
	sqlite3_stmt *statement;
	sqlite3 *db;
	int has_tap;

	check(argc == 3, "usage: bench-commit DATABASE none|tap|shim|both");
	has_tap = start_instruments(argv[2], argv[1]);
	check(sqlite3_open(argv[1], &db) == SQLITE_OK, "open");
	check(sqlite3_exec(db,
			   "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;"
			   "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)",
			   NULL, NULL, NULL) == SQLITE_OK,
	      "schema");
	check(sqlite3_prepare_v2(db, "INSERT INTO t(v) VALUES('0123456789012345678901234567')", -1,
				 &statement, NULL) == SQLITE_OK,
	      "prepare");

	insert(statement, COMMITS * BATCHES / 10);
	for (int i = 0; i < BATCHES; i++) {
		batches[i] = run_batch(statement);
		if (has_tap)
			syncost_tap_stop();
		batches_off[i] = run_batch(statement);
		if (has_tap)
			check(syncost_tap_start() == 0, "tap");
	}
	printf("%.1f %.1f\n", quick(batches), quick(batches_off));

	check(sqlite3_finalize(statement) == SQLITE_OK && sqlite3_close(db) == SQLITE_OK, "close");
	return EXIT_SUCCESS;
}
