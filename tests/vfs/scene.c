/* SPDX-License-Identifier: MIT */
#include "scene.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static char directory[512];
static struct syncost_snapshot *snapshot_taken;
static sqlite3 *opened[64]; /* what a failing case leaves open is closed for the next one */

static void enter_directory(const char *base)
{
	char *made;

	snprintf(directory, sizeof(directory), "%s/syncost-test-XXXXXX", base ? base : "/tmp");
	made = mkdtemp(directory);
	assert_non_null(made);
	/* SQLite names databases by their real path. */
	made = realpath(directory, NULL);
	assert_non_null(made);
	snprintf(directory, sizeof(directory), "%s", made);
	free(made);
}

static void leave_directory(void)
{
	DIR *entries = opendir(directory);
	struct dirent *entry;

	while (entries && (entry = readdir(entries))) {
		if (entry->d_name[0] != '.')
			unlinkat(dirfd(entries), entry->d_name, 0);
	}
	if (entries)
		closedir(entries);
	rmdir(directory);
}

static int set_up(const char *base, bool is_cpu_on)
{
	struct syncost_options options = {.anonymous = true, .cpu = is_cpu_on};

	enter_directory(base);
	under_register();
	under_clear();
	assert_int_equal(syncost_start(&options), 0);
	assert_int_equal(syncost_register(UNDER_NAME, SHIM_NAME, false), 0);
	return 0;
}

int scene_setup(void **state)
{
	(void)state;
	return set_up(getenv("TMPDIR"), false);
}

int scene_setup_cpu(void **state)
{
	(void)state;
	return set_up(getenv("TMPDIR"), true);
}

int scene_setup_quick(void **state)
{
	(void)state;
	return set_up(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : getenv("TMPDIR"), true);
}

int scene_teardown(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(opened) / sizeof(opened[0]); i++) {
		sqlite3_close_v2(opened[i]);
		opened[i] = NULL;
	}
	syncost_snapshot_free(snapshot_taken);
	snapshot_taken = NULL;
	leave_directory();
	if (syncost_unregister(SHIM_NAME) != 0)
		return -1;
	return syncost_stop();
}

const char *scene_path(const char *name)
{
	static char paths[8][600];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, sizeof(paths[0]), "%s/%s", directory, name);
	return path;
}

uint64_t scene_size(const char *name)
{
	struct stat facts;

	return stat(scene_path(name), &facts) == 0 ? (uint64_t)facts.st_size : 0;
}

sqlite3 *scene_open(const char *name)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open_v2(scene_path(name), &db,
					 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, SHIM_NAME),
			 SQLITE_OK);
	sqlite3_busy_timeout(db, 5000);
	for (size_t i = 0; i < sizeof(opened) / sizeof(opened[0]); i++) {
		if (!opened[i]) {
			opened[i] = db;
			break;
		}
	}
	return db;
}

void scene_close(sqlite3 *db)
{
	for (size_t i = 0; i < sizeof(opened) / sizeof(opened[0]); i++) {
		if (opened[i] == db)
			opened[i] = NULL;
	}
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static int execute(sqlite3 *db, const char *format, va_list arguments)
{
	char *sql = sqlite3_vmprintf(format, arguments);
	int rc;

	assert_non_null(sql);
	rc = sqlite3_exec(db, sql, NULL, NULL, NULL);
	sqlite3_free(sql);
	return rc;
}

static void assert_ok(sqlite3 *db, int rc, const char *format)
{
	if (rc != SQLITE_OK)
		fail_msg("%s: %s (%d)", format, sqlite3_errmsg(db), rc);
}

void run(sqlite3 *db, const char *format, ...)
{
	va_list arguments;
	int rc;

	va_start(arguments, format);
	rc = execute(db, format, arguments);
	va_end(arguments);
	assert_ok(db, rc, format);
}

void run_marked(sqlite3 *db, const char *format, ...)
{
	va_list arguments;
	int rc;

	va_start(arguments, format);
	syncost_call_begin();
	rc = execute(db, format, arguments);
	syncost_call_end();
	va_end(arguments);
	assert_ok(db, rc, format);
}

int run_code(sqlite3 *db, const char *format, ...)
{
	va_list arguments;
	int rc;

	va_start(arguments, format);
	rc = execute(db, format, arguments);
	va_end(arguments);
	return rc;
}

int64_t ask(sqlite3 *db, const char *format, ...)
{
	sqlite3_stmt *statement = NULL;
	va_list arguments;
	int64_t answer;
	char *sql;

	va_start(arguments, format);
	sql = sqlite3_vmprintf(format, arguments);
	va_end(arguments);
	assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &statement, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	answer = sqlite3_column_int64(statement, 0);
	sqlite3_finalize(statement);
	sqlite3_free(sql);
	return answer;
}

const struct syncost_snapshot *take(void)
{
	syncost_snapshot_free(snapshot_taken);
	snapshot_taken = NULL;
	assert_int_equal(syncost_snapshot(&snapshot_taken), 0);
	return snapshot_taken;
}

uint32_t slot_of(const struct syncost_snapshot *snapshot, const char *name)
{
	for (uint32_t i = 1; i < SC_METER_DATABASES; i++) {
		if (strcmp(snapshot->databases[i].path, scene_path(name)) == 0)
			return i;
	}
	fail_msg("no database %s in the snapshot", name);
	return 0;
}

const struct syncost_database *database_of(const struct syncost_snapshot *snapshot,
					   const char *name)
{
	return &snapshot->databases[slot_of(snapshot, name)];
}

const struct syncost_row *row_of(const struct syncost_snapshot *snapshot, uint32_t slot,
				 enum sc_role role, enum sc_op op)
{
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		if (row->instrument == SC_INSTRUMENT_VFS && row->database == slot &&
		    row->role == role && row->op == op)
			return row;
	}
	return NULL;
}

uint64_t calls_of(const struct syncost_snapshot *snapshot, enum sc_role role, enum sc_op op)
{
	uint64_t calls = 0;

	for (uint32_t slot = 0; slot < SC_METER_DATABASES; slot++) {
		const struct syncost_row *row = row_of(snapshot, slot, role, op);

		calls += row ? row->calls : 0;
	}
	return calls;
}

uint64_t bytes_of(const struct syncost_snapshot *snapshot, enum sc_role role, enum sc_op op)
{
	uint64_t bytes = 0;

	for (uint32_t slot = 0; slot < SC_METER_DATABASES; slot++) {
		const struct syncost_row *row = row_of(snapshot, slot, role, op);

		bytes += row ? row->bytes : 0;
	}
	return bytes;
}

uint64_t clock_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void rest_ms(uint32_t ms)
{
	struct timespec rest = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000};

	while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
		;
}

void assert_near(double value, double expected, double percent, const char *what)
{
	if (fabs(value - expected) > fabs(expected) * percent / 100.0)
		fail_msg("%s is %.0f, not within %.0f %% of %.0f", what, value, percent, expected);
}
