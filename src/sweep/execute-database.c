/* SPDX-License-Identifier: MIT */

/*
 * Set-up has a connection of its own, closed before the measured one is opened, so that the timed
 * part starts from a file that an application could have opened, and from settings applied in an
 * application's order. Between the two nothing is open in this process, the one moment at which
 * the file may be opened and closed here to sync it.
 */

#include "execute-database.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "execute-program.h"

#define WAL_HEADER_BYTES 32
#define WAL_SEQUENCE_AT  12
#define WAL_SALT_AT      16

void sc_connection_closep(sqlite3 **db)
{
	(void)sqlite3_close_v2(
		*db); /* the safety net; where a failure matters it is closed explicitly */
	*db = NULL;
}

void sc_statement_finalizep(sqlite3_stmt **statement)
{
	(void)sqlite3_finalize(*statement); /* repeats the error of the last step */
	*statement = NULL;
}

int sc_database_run(sqlite3 *db, const char *sql, struct sc_error *error)
{
	int rc = sqlite3_exec(db, sql, NULL, NULL, NULL);

	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, sqlite3_extended_errcode(db), "%s", sql);
	return 0;
}

/* --- set-up */

static int bind_row(sqlite3_stmt *statement, const struct sc_parameter *parameters, size_t count,
		    const struct sc_value *values)
{
	for (size_t i = 0; i < count; i++) {
		char name[80];
		int at, rc;

		(void)snprintf(name, sizeof name, ":%s", parameters[i].name);
		at = sqlite3_bind_parameter_index(statement, name);
		rc = at > 0 ? sc_value_bind(statement, at, &values[i]) : SQLITE_OK;
		if (rc != SQLITE_OK)
			return rc;
	}
	return SQLITE_OK;
}

static int run_statement(sqlite3 *db, sqlite3_stmt *statement, const char *sql,
			 struct sc_error *error)
{
	int rc;

	do
		rc = sqlite3_step(statement);
	while (rc == SQLITE_ROW);
	if (rc != SQLITE_DONE)
		return sc_fail_sqlite(error, sqlite3_extended_errcode(db), "%s", sql);
	(void)sqlite3_reset(statement); /* repeats the result of the step */
	return 0;
}

static int run_expanded(sqlite3 *db, const struct sc_schema_step *step,
			const struct sc_value *values, struct sc_error *error)
{
	SC_CLEANUP(sc_statement_finalizep) sqlite3_stmt *statement = NULL;
	SC_CLEANUP(sc_freep) char *sql = NULL;

	sql = sc_sql_expand(step->sql, step->parameters, step->parameter_count, values);
	if (!sql)
		return sc_fail(error, -ENOMEM, "%s", step->sql);
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
	    bind_row(statement, step->parameters, step->parameter_count, values) != SQLITE_OK)
		return sc_fail_sqlite(error, sqlite3_extended_errcode(db), "%s", sql);
	return run_statement(db, statement, sql, error);
}

static int run_step(sqlite3 *db, const struct sc_generation *generation,
		    const struct sc_schema_step *step, struct sc_error *error)
{
	SC_CLEANUP(sc_stream_set_freep) struct sc_stream_set *set = NULL;
	SC_CLEANUP(sc_arena_fini) struct sc_arena arena = {0};
	struct sc_value values[SC_SUITE_PARAMETERS_MAX];
	int r;

	r = sc_stream_set_new(generation, step->parameters, step->parameter_count, step->sql, &set,
			      error);
	for (uint64_t i = 0; i < step->repeat && r == 0; i++) {
		r = sc_stream_set_row(set, i, &arena, values);
		if (r < 0)
			return sc_fail(error, r, "values of %s", step->sql);
		r = run_expanded(db, step, values, error);
	}
	return r;
}

/* The dataset is a workload, too: one transaction at a time. */
static int fill(sqlite3 *db, const struct sc_suite *suite, const struct sc_generation *generation,
		uint64_t rows, int64_t *sums, struct sc_error *error)
{
	static char name[] = "dataset";
	const struct sc_workload workload = {
		.name = name,
		.writes = true,
		.prepared = true,
		.rows_per_statement = 1,
		.statements = suite->dataset_statements,
		.statement_count = suite->dataset_statement_count,
		.parameters = suite->dataset_parameters,
		.parameter_count = suite->dataset_parameter_count,
	};
	const struct sc_program_options options = {.rows_per_commit = suite->rows_per_transaction};
	SC_CLEANUP(sc_program_freep) struct sc_program *program = NULL;
	SC_CLEANUP(sc_timing_fini) struct sc_timing timing = {0};
	struct sc_tally tally = {0};
	int r;

	if (suite->dataset_statement_count == 0)
		return 0;
	r = sc_timing_init(&timing, error);
	if (r == 0)
		r = sc_program_new(db, &workload, sc_generation_dataset(generation), &options,
				   &program, error);
	for (uint64_t first = 0; first < rows && r == 0; first += suite->rows_per_transaction) {
		SC_CLEANUP(sc_block_freep) struct sc_block *block = NULL;
		uint64_t count = suite->rows_per_transaction;

		if (count > rows - first)
			count = rows - first;
		r = sc_block_new(program, first, count, &block, error);
		if (r == 0)
			r = sc_program_run(program, block, 0, &tally, &timing, error);
		if (r == 0)
			sc_block_count(block, count, &tally, sums);
	}
	return r;
}

static int sync_path(const char *path, int flags, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = open(path, flags | O_CLOEXEC);

	if (fd < 0)
		return sc_fail(error, -errno, "open '%s'", path);
	if (fsync(fd) < 0)
		return sc_fail(error, -errno, "fsync '%s'", path);
	return 0;
}

static int sync_closed(const char *path, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *directory = strdup(path);
	char *slash;
	int r;

	if (!directory)
		return sc_fail(error, -ENOMEM, "fsync '%s'", path);
	slash = strrchr(directory, '/');
	if (slash)
		*slash = '\0';
	r = sync_path(path, O_RDONLY, error);
	return r < 0 ? r : sync_path(slash ? directory : ".", O_RDONLY | O_DIRECTORY, error);
}

/* An empty file is an empty database; one that is there already is somebody's. */
static int create_file(const char *path, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);

	return fd < 0 ? sc_fail(error, -errno, "create '%s'", path) : 0;
}

int sc_database_fill(sqlite3 *db, const struct sc_suite *suite,
		     const struct sc_generation *generation, uint64_t rows, int64_t *dataset_sums,
		     struct sc_error *error)
{
	int r = 0;

	for (size_t i = 0; i < suite->schema_count && r == 0; i++)
		r = run_step(db, generation, &suite->schema[i], error);
	return r < 0 ? r : fill(db, suite, generation, rows, dataset_sums, error);
}

int sc_database_create(const char *path, const struct sc_suite *suite,
		       const struct sc_generation *generation, uint64_t rows, uint32_t page_size,
		       int64_t *dataset_sums, struct sc_error *error)
{
	SC_CLEANUP(sc_connection_closep) sqlite3 *db = NULL;
	char pragmas[200];
	int rc, r;

	r = create_file(path, error);
	if (r < 0)
		return r;
	rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, NULL);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, db ? sqlite3_extended_errcode(db) : rc, "open '%s'",
				      path);
	(void)snprintf(pragmas, sizeof pragmas,
		       "PRAGMA page_size=%" PRIu32 "; PRAGMA journal_mode=OFF;"
		       "PRAGMA synchronous=OFF; PRAGMA locking_mode=EXCLUSIVE;"
		       "PRAGMA cache_size=-65536",
		       page_size);
	r = sc_database_run(db, pragmas, error);
	if (r == 0)
		r = sc_database_fill(db, suite, generation, rows, dataset_sums, error);
	if (r < 0)
		return r;
	rc = sqlite3_close(db);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, rc, "close '%s'", path);
	db = NULL;
	return sync_closed(path, error);
}

/* --- settings */

int sc_database_open(const char *path, const char *vfs, const struct sc_setting *setting,
		     const struct sc_connection *connection, sqlite3 **ret_db,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_connection_closep) sqlite3 *db = NULL;
	int rc, r;

	rc = sqlite3_open_v2(path, &db, SQLITE_OPEN_READWRITE, vfs);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, db ? sqlite3_extended_errcode(db) : rc, "open '%s'",
				      path);
	r = sc_database_apply(db, setting, connection, error);
	if (r < 0)
		return r;
	*ret_db = SC_TAKE(db);
	return 0;
}

int sc_database_apply(sqlite3 *db, const struct sc_setting *setting,
		      const struct sc_connection *connection, struct sc_error *error)
{
	char pragmas[600];

	(void)snprintf(pragmas, sizeof pragmas,
		       "PRAGMA page_size=%" PRIu32 "; PRAGMA locking_mode=%s;"
		       "PRAGMA journal_mode=%s; PRAGMA synchronous=%s; PRAGMA fullfsync=%d;"
		       "PRAGMA checkpoint_fullfsync=%d; PRAGMA cache_size=%" PRId64 ";"
		       "PRAGMA wal_autocheckpoint=%" PRIu32 "; PRAGMA mmap_size=%" PRIu64
		       "; PRAGMA foreign_keys=%d; PRAGMA busy_timeout=%" PRIu32,
		       setting->page_size, sc_locking_mode_name(setting->locking_mode),
		       sc_journal_mode_name(setting->journal_mode),
		       sc_synchronous_name(setting->synchronous), setting->fullfsync,
		       setting->checkpoint_fullfsync, setting->cache_size,
		       setting->wal_autocheckpoint, setting->mmap_size, connection->foreign_keys,
		       connection->busy_timeout_ms);
	return sc_database_run(db, pragmas, error);
}

/* Zero and "" where the pragma answers nothing: this build does not know it. */
static int ask(sqlite3 *db, const char *pragma, int64_t *ret_number, char text[32],
	       struct sc_error *error)
{
	SC_CLEANUP(sc_statement_finalizep) sqlite3_stmt *statement = NULL;
	char sql[64];
	int rc;

	*ret_number = 0;
	text[0] = '\0';
	(void)snprintf(sql, sizeof sql, "PRAGMA %s", pragma);
	rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW) {
		*ret_number = sqlite3_column_int64(statement, 0);
		(void)snprintf(text, 32, "%s", (const char *)sqlite3_column_text(statement, 0));
		rc = sqlite3_step(statement);
	}
	if (rc != SQLITE_DONE)
		return sc_fail_sqlite(error, sqlite3_extended_errcode(db), "%s", sql);
	return 0;
}

int sc_database_effective(sqlite3 *db, struct sc_setting *setting, struct sc_error *error)
{
	enum {
		PAGE,
		LOCKING,
		JOURNAL,
		SYNCHRONOUS,
		FULL,
		CHECKPOINT_FULL,
		CACHE,
		AUTO,
		MMAP,
		COUNT
	};
	static const char *const pragmas[COUNT] = {
		"page_size",   "locking_mode",       "journal_mode",
		"synchronous", "fullfsync",          "checkpoint_fullfsync",
		"cache_size",  "wal_autocheckpoint", "mmap_size",
	};
	int64_t numbers[COUNT];
	char texts[COUNT][32];

	for (int i = 0; i < COUNT; i++) {
		int r = ask(db, pragmas[i], &numbers[i], texts[i], error);

		if (r < 0)
			return r;
	}
	if (!sc_locking_mode_parse(texts[LOCKING], &setting->locking_mode) ||
	    !sc_journal_mode_parse(texts[JOURNAL], &setting->journal_mode) ||
	    !sc_synchronous_parse(texts[SYNCHRONOUS], &setting->synchronous))
		return sc_fail(error, SC_E_FORMAT,
			       "SQLite answers '%s', '%s', '%s' for locking_mode, journal_mode, "
			       "synchronous",
			       texts[LOCKING], texts[JOURNAL], texts[SYNCHRONOUS]);
	setting->page_size = (uint32_t)numbers[PAGE];
	setting->fullfsync = numbers[FULL] != 0;
	setting->checkpoint_fullfsync = numbers[CHECKPOINT_FULL] != 0;
	setting->cache_size = numbers[CACHE];
	setting->wal_autocheckpoint = (uint32_t)numbers[AUTO];
	setting->mmap_size = (uint64_t)numbers[MMAP];
	return 0;
}

int sc_database_memory_bytes(sqlite3 *db, uint64_t *ret_bytes, struct sc_error *error)
{
	int64_t count, bytes;
	char text[32];
	int r;

	r = ask(db, "page_count", &count, text, error);
	if (r == 0)
		r = ask(db, "page_size", &bytes, text, error);
	if (r == 0)
		*ret_bytes = (uint64_t)count * (uint64_t)bytes;
	return r;
}

/* --- handles */

/* SQLite's file handle; NULL where it is not open. */
static sqlite3_file *handle_of(sqlite3 *db, int which)
{
	sqlite3_file *file = NULL;

	if (sqlite3_file_control(db, "main", which, &file) != SQLITE_OK || !file || !file->pMethods)
		return NULL;
	return file;
}

static int sync_handle(sqlite3 *db, int which, const char *what, struct sc_error *error)
{
	sqlite3_file *file = handle_of(db, which);
	int rc = file ? file->pMethods->xSync(file, SQLITE_SYNC_NORMAL) : SQLITE_OK;

	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, rc, "sync of the %s before the timed part", what);
	return 0;
}

int sc_database_sync(sqlite3 *db, struct sc_error *error)
{
	int r = sync_handle(db, SQLITE_FCNTL_JOURNAL_POINTER, "journal", error);

	return r < 0 ? r : sync_handle(db, SQLITE_FCNTL_FILE_POINTER, "database", error);
}

/* A number in the WAL's header. Return: 0; 1: there is no header; < 0. */
static int read_wal_header(sqlite3 *db, size_t at, uint32_t *ret_number, struct sc_error *error)
{
	sqlite3_file *file = handle_of(db, SQLITE_FCNTL_JOURNAL_POINTER);
	unsigned char header[WAL_HEADER_BYTES];
	const unsigned char *bytes = header + at;
	int rc;

	if (!file)
		return 1;
	rc = file->pMethods->xRead(file, header, sizeof header, 0);
	if (rc == SQLITE_IOERR_SHORT_READ)
		return 1;
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, rc, "reading the WAL's header");
	*ret_number = (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 |
		      (uint32_t)bytes[2] << 8 | bytes[3];
	return 0;
}

int sc_wal_sequence(sqlite3 *db, uint32_t *ret_sequence, struct sc_error *error)
{
	return read_wal_header(db, WAL_SEQUENCE_AT, ret_sequence, error);
}

int sc_wal_salt(sqlite3 *db, uint32_t *ret_salt, struct sc_error *error)
{
	return read_wal_header(db, WAL_SALT_AT, ret_salt, error);
}

/* --- files */

/* Size of @path with @suffix; 0 where there is no such file. */
static uint64_t size_of(const char *path, const char *suffix, uint64_t *allocated_bytes)
{
	char name[4096];
	struct stat status;

	(void)snprintf(name, sizeof name, "%s%s", path, suffix);
	if (stat(name, &status) < 0)
		return 0;
	*allocated_bytes += (uint64_t)status.st_blocks * 512;
	return (uint64_t)status.st_size;
}

void sc_database_sizes(const char *path, struct sc_space *space)
{
	space->database_bytes = size_of(path, "", &space->allocated_bytes);
	space->wal_bytes = size_of(path, "-wal", &space->allocated_bytes);
	space->journal_bytes = size_of(path, "-journal", &space->allocated_bytes);
	space->shm_bytes = size_of(path, "-shm", &space->allocated_bytes);
	space->total_bytes =
		space->database_bytes + space->wal_bytes + space->journal_bytes + space->shm_bytes;
}
