/* SPDX-License-Identifier: MIT */

/*
 * The store snapshot: what is in its file after each commit, after failures, and after a kill at
 * any moment, as SQLite itself reads it.
 */

#include "../base/test.h"

#include <errno.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../base/scratch.h"
#include "sweep/execute-database.h"
#include "sweep/execute-image.h"

#define ROWS  200
#define KILLS 40

struct opened {
	struct sc_image *image;
	sqlite3 *db;
};

static void opened_fini(struct opened *self)
{
	sc_image_closep(&self->image);
	sc_connection_closep(&self->db);
}

static const struct sc_connection connection = {0};

static void run_sql(sqlite3 *db, const char *sql)
{
	if (sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", sql, sqlite3_errmsg(db));
}

static int64_t ask(sqlite3 *db, const char *sql)
{
	sqlite3_stmt *statement = NULL;
	int64_t answer;

	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	answer = sqlite3_column_int64(statement, 0);
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	return answer;
}

/* A table whose rows all hold one number: a file with two numbers is torn. */
static const char *make_file(const struct scratch *scratch)
{
	const char *path = scratch_path(scratch, "bench.db");
	SC_CLEANUP(sc_connection_closep) sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	run_sql(db, "CREATE TABLE t(n INTEGER NOT NULL, filler BLOB NOT NULL);"
		    "WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < 200)"
		    "INSERT INTO t SELECT 0, randomblob(1000) FROM c");
	return path;
}

static struct opened open_image(const char *path, enum sc_synchronous level)
{
	struct sc_setting setting = sc_setting_default();
	struct opened opened = {NULL, NULL};
	struct sc_error error = {0};

	setting.journal_mode = SC_JOURNAL_MEMORY;
	setting.synchronous = level;
	if (sc_image_open(path, &setting, &connection, &opened.image, &opened.db, &error) < 0)
		fail_msg("%s", error.what);
	return opened;
}

/* The number in the file; -1: it is torn, or not a database. */
static int64_t number_in(const char *path)
{
	SC_CLEANUP(sc_connection_closep) sqlite3 *db = NULL;
	sqlite3_stmt *statement = NULL;
	int64_t number = -1;

	if (sqlite3_open_v2(path, &db, SQLITE_OPEN_READONLY, NULL) != SQLITE_OK ||
	    sqlite3_prepare_v2(db,
			       "SELECT min(n), min(n) = max(n) AND count(*) = 200, "
			       "(SELECT integrity_check FROM pragma_integrity_check(1)) = 'ok' "
			       "FROM t",
			       -1, &statement, NULL) != SQLITE_OK)
		return -1;
	if (sqlite3_step(statement) == SQLITE_ROW && sqlite3_column_int(statement, 1) &&
	    sqlite3_column_int(statement, 2))
		number = sqlite3_column_int64(statement, 0);
	(void)sqlite3_finalize(statement);
	return number;
}

static char *temporary_of(const char *path)
{
	char *name = NULL;

	assert_true(asprintf(&name, "%s" SC_IMAGE_TEMPORARY_SUFFIX, path) > 0);
	return name;
}

/* --- what is published */

static void the_file_is_what_the_last_publication_said(void **state)
{
	const char *path = make_file(*state);
	SC_CLEANUP(opened_fini) struct opened opened = open_image(path, SC_SYNCHRONOUS_FULL);
	struct sc_error error = {0};

	assert_int_equal(ask(opened.db, "SELECT count(*) FROM t"), ROWS);
	run_sql(opened.db, "UPDATE t SET n = 7");
	assert_int_equal(number_in(path), 0); /* in memory alone */
	assert_int_equal(sc_image_publish(opened.image, &error), 0);
	assert_int_equal(number_in(path), 7);
	run_sql(opened.db, "BEGIN; UPDATE t SET n = 9; ROLLBACK");
	assert_int_equal(sc_image_publish(opened.image, &error), 0);
	assert_int_equal(number_in(path), 7);
	assert_int_equal(scratch_count(*state), 1);
}

static void it_grows_and_shrinks_with_the_content(void **state)
{
	const char *path = make_file(*state);
	SC_CLEANUP(opened_fini) struct opened opened = open_image(path, SC_SYNCHRONOUS_OFF);
	struct sc_error error = {0};
	struct stat before, grown, shrunk;

	assert_int_equal(stat(path, &before), 0);
	run_sql(opened.db, "CREATE TABLE big AS SELECT zeroblob(4000000) AS b");
	assert_int_equal(sc_image_publish(opened.image, &error), 0);
	assert_int_equal(stat(path, &grown), 0);
	assert_true(grown.st_size > before.st_size + 4000000);
	run_sql(opened.db, "DROP TABLE big; VACUUM");
	assert_int_equal(sc_image_publish(opened.image, &error), 0);
	assert_int_equal(stat(path, &shrunk), 0);
	assert_true(shrunk.st_size <= before.st_size);
	assert_int_equal(number_in(path), 0);
}

/* --- failures */

static void a_file_that_is_missing_is_one_line(void **state)
{
	struct sc_setting setting = sc_setting_default();
	struct sc_image *image = NULL;
	struct sc_error error = {0};
	sqlite3 *db = NULL;

	assert_int_equal(sc_image_open(scratch_path(*state, "none.db"), &setting, &connection,
				       &image, &db, &error),
			 -ENOENT);
	assert_null(image);
	assert_null(db);
	assert_non_null(strstr(error.what, "none.db"));
}

static void a_disk_that_is_full_leaves_the_old_content_and_no_litter(void **state)
{
	const char *path = make_file(*state);
	SC_CLEANUP(opened_fini) struct opened opened = open_image(path, SC_SYNCHRONOUS_FULL);
	struct rlimit before, small;
	struct sc_error error = {0};
	int r;

	run_sql(opened.db, "UPDATE t SET n = 7");
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	small = (struct rlimit){.rlim_cur = 10000, .rlim_max = before.rlim_max};
	(void)signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	r = sc_image_publish(opened.image, &error);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(r, -EFBIG);
	assert_non_null(strstr(error.what, "write"));
	assert_non_null(strstr(error.what, "bench.db-snapshot"));
	assert_int_equal(number_in(path), 0);
	assert_int_equal(scratch_count(*state), 1);
}

static void a_directory_that_vanished_is_one_line(void **state)
{
	const char *path = make_file(*state);
	SC_CLEANUP(opened_fini) struct opened opened = open_image(path, SC_SYNCHRONOUS_FULL);
	struct sc_error error = {0};
	char away[SCRATCH_PATH_BYTES + 8];
	const struct scratch *scratch = *state;

	(void)snprintf(away, sizeof(away), "%s.away", scratch->path);
	assert_int_equal(rename(scratch->path, away), 0);
	assert_int_equal(sc_image_publish(opened.image, &error), -ENOENT);
	assert_non_null(strstr(error.what, "No such file"));
	assert_null(strchr(error.what, '\n'));
	assert_int_equal(rename(away, scratch->path), 0);
	assert_int_equal(number_in(path), 0);
}

/* --- kills */

typedef void publisher(struct opened *opened, const char *path);

static void publish_well(struct opened *opened, const char *path)
{
	struct sc_error error;

	(void)path;
	if (sc_image_publish(opened->image, &error) < 0)
		_exit(1);
}

/* Over the old content, in two halves: what the checks must not let pass. */
static void publish_in_place(struct opened *opened, const char *path)
{
	const struct timespec pause = {.tv_nsec = 1000000};
	sqlite3_int64 bytes = 0;
	unsigned char *data = sqlite3_serialize(opened->db, "main", &bytes, 0);
	FILE *file = fopen(path, "r+");

	if (!file || !data || fwrite(data, 1, (size_t)bytes / 2, file) != (size_t)bytes / 2 ||
	    fflush(file) != 0)
		_exit(1);
	(void)nanosleep(&pause, NULL);
	if (fwrite(data + bytes / 2, 1, (size_t)(bytes - bytes / 2), file) == 0 ||
	    fclose(file) != 0)
		_exit(1);
	sqlite3_free(data);
}

_Noreturn static void commit_for_ever(const char *path, _Atomic int64_t *said, publisher *publish)
{
	struct opened opened = open_image(path, SC_SYNCHRONOUS_FULL);

	for (int64_t n = ask(opened.db, "SELECT max(n) FROM t") + 1;; n++) {
		char sql[60];

		(void)snprintf(sql, sizeof(sql), "UPDATE t SET n = %lld", (long long)n);
		if (sqlite3_exec(opened.db, sql, NULL, NULL, NULL) != SQLITE_OK)
			_exit(1);
		publish(&opened, path);
		atomic_store(said, n);
	}
}

static void kill_at(pid_t child, long ns)
{
	const struct timespec pause = {.tv_nsec = ns};
	int status;

	(void)nanosleep(&pause, NULL);
	assert_int_equal(kill(child, SIGKILL), 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status)); /* and not one of its own ends */
}

/* What of many kills was found: leftovers, and files that are neither the old nor the new. */
struct kills {
	int commits, leftovers, torn;
};

static struct kills kill_many(const struct scratch *scratch, publisher *publish)
{
	_Atomic int64_t *said = mmap(NULL, sizeof(*said), PROT_READ | PROT_WRITE,
				     MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	const char *path = make_file(scratch);
	char *temporary = temporary_of(path);
	struct kills kills = {0};

	assert_ptr_not_equal(said, MAP_FAILED);
	srandom(1);
	for (int i = 0; i < KILLS; i++) {
		int64_t before = atomic_load(said), found;
		pid_t child = fork();

		assert_true(child >= 0);
		if (child == 0)
			commit_for_ever(path, said, publish);
		kill_at(child, 1000000 + random() % 30000000);
		kills.commits += atomic_load(said) > before;
		kills.leftovers += path_exists(temporary);
		found = number_in(path);
		kills.torn += found != atomic_load(said) && found != atomic_load(said) + 1;
		if (found < 0) {
			assert_int_equal(unlink(path), 0);
			(void)make_file(scratch);
			found = 0;
		}
		atomic_store(said, found);
	}
	free(temporary);
	assert_int_equal(munmap(said, sizeof(*said)), 0);
	return kills;
}

static void a_kill_leaves_the_old_content_or_the_new(void **state)
{
	struct kills kills = kill_many(*state, publish_well);
	const char *path = scratch_path(*state, "bench.db");

	assert_int_equal(kills.torn, 0);
	assert_true(kills.commits > 0);
	{
		SC_CLEANUP(opened_fini)
		struct opened opened = open_image(path, SC_SYNCHRONOUS_FULL);

		assert_non_null(opened.db);
		assert_int_equal(scratch_count(*state), 1); /* the next start has swept */
	}
}

static void a_store_that_writes_in_place_is_found_torn(void **state)
{
	assert_true(kill_many(*state, publish_in_place).torn > 0);
}

static void a_leftover_of_a_kill_is_gone_after_the_next_start(void **state)
{
	const char *path = make_file(*state);

	scratch_write(*state, "bench.db-snapshot", "half of a data");
	{
		SC_CLEANUP(opened_fini)
		struct opened opened = open_image(path, SC_SYNCHRONOUS_FULL);

		assert_int_equal(scratch_count(*state), 1);
		assert_int_equal(ask(opened.db, "SELECT count(*) FROM t"), ROWS);
	}
}

#define SCRATCH(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest cases[] = {
		SCRATCH("the file is what the last publication said",
			the_file_is_what_the_last_publication_said),
		SCRATCH("it grows and shrinks with the content",
			it_grows_and_shrinks_with_the_content),
		SCRATCH("a file that is missing is one line", a_file_that_is_missing_is_one_line),
		SCRATCH("a disk that is full leaves the old content and no litter",
			a_disk_that_is_full_leaves_the_old_content_and_no_litter),
		SCRATCH("a directory that vanished is one line",
			a_directory_that_vanished_is_one_line),
		SCRATCH("a kill leaves the old content or the new",
			a_kill_leaves_the_old_content_or_the_new),
		SCRATCH("a store that writes in place is found torn",
			a_store_that_writes_in_place_is_found_torn),
		SCRATCH("a leftover of a kill is gone after the next start",
			a_leftover_of_a_kill_is_gone_after_the_next_start),
	};

	return cmocka_run_group_tests_name("image", cases, NULL, NULL);
}
