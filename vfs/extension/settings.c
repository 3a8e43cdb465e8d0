/* SPDX-License-Identifier: MIT */

/*
 * Method. SQLite itself is asked about the connection that asks: SELECT has made it read all its
 * schemas before it comes here, so the answers open no file and take no lock; these questions are
 * not counted. Handles of other connections belong to other threads and are never used: what is
 * known of them is what passed the shim, and where nothing passed, what this build starts with.
 */

#include "settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../call.h"
#include "../host.h"
#include "../link.h"
#include "tables.h"

#define COLUMNS(list) list, sizeof(list) / sizeof((list)[0])

static const struct sc_column columns[] = {
	{"connection", "INTEGER"},
	{"is_this", "INTEGER"},
	{"measured", "INTEGER"},
	{"schema", "TEXT"},
	{"database", "TEXT"},
	{"setting", "TEXT"},
	{"value", ""},
	{"source", "TEXT"},
};

/* One database of one connection. */
struct subject {
	uint32_t connection; /* 0: nothing of it is measured */
	bool is_this;
	bool is_measured;
	const char *schema; /* NULL: not known */
	const char *path;
};

static const char *path_of(uint32_t slot)
{
	return sc_ledger.meter->databases[slot].path;
}

/* A slot keeps the tail of a path that is too long. */
static bool is_path(const char *path, uint32_t slot)
{
	size_t length = strlen(path);
	size_t skipped = length < SC_METER_PATH_BYTES ? 0 : length - (SC_METER_PATH_BYTES - 1);

	return strcmp(path + skipped, path_of(slot)) == 0;
}

uint32_t sc_settings_connection(const sqlite3 *db, const char *path)
{
	struct sc_link_view view;

	for (uint32_t i = 0; i < sc_link_count(); i++) {
		if (sc_link_read(i, &view) && view.connection == db &&
		    (!path || is_path(path, view.database)))
			return view.number;
	}
	return 0;
}

/* The first cells of a row: all but value and source. */
static void begin_row(struct sc_rows *rows, const struct subject *subject, enum sc_setting setting)
{
	if (subject->connection)
		sc_rows_integer(rows, subject->connection);
	else
		sc_rows_null(rows);
	sc_rows_integer(rows, subject->is_this);
	sc_rows_integer(rows, subject->is_measured);
	sc_rows_text(rows, subject->schema);
	sc_rows_text(rows, subject->path);
	sc_rows_text(rows, sc_setting_name(setting));
}

/* --- the connection that asks */

static void add_answer(struct sc_rows *rows, sqlite3 *db, const struct subject *subject,
		       enum sc_setting setting)
{
	char *sql = sqlite3_mprintf("PRAGMA \"%w\".%s", subject->schema, sc_setting_name(setting));
	sqlite3_stmt *statement = NULL;
	int rc = sql ? sqlite3_prepare_v2(db, sql, -1, &statement, NULL) : SQLITE_NOMEM;

	sqlite3_free(sql);
	if (rc == SQLITE_OK)
		rc = sqlite3_step(statement);
	begin_row(rows, subject, setting);
	if (rc != SQLITE_ROW) /* mmap_size of what has no file to map */
		sc_rows_null(rows);
	else if (sqlite3_column_type(statement, 0) == SQLITE_INTEGER)
		sc_rows_signed(rows, sqlite3_column_int64(statement, 0));
	else
		sc_rows_text(rows, (const char *)sqlite3_column_text(statement, 0));
	sc_rows_text(rows, rc == SQLITE_ROW ? "asked" : "unknown");
	(void)sqlite3_finalize(statement);
}

static void add_database(struct sc_rows *rows, sqlite3 *db, const char *schema, const char *path)
{
	struct subject subject = {
		.connection = sc_settings_connection(db, NULL),
		.is_this = true,
		.is_measured = path && *path && sc_settings_connection(db, path),
		.schema = schema,
		.path = path ? path : "",
	};

	for (int setting = 0; setting < SC_SETTING_COUNT_; setting++)
		add_answer(rows, db, &subject, (enum sc_setting)setting);
}

static int add_this(struct sc_rows *rows, sqlite3 *db)
{
	sqlite3_stmt *statement;
	int rc = sqlite3_prepare_v2(db, "PRAGMA database_list", -1, &statement, NULL);

	if (rc != SQLITE_OK)
		return rc;
	while ((rc = sqlite3_step(statement)) == SQLITE_ROW)
		add_database(rows, db, (const char *)sqlite3_column_text(statement, 1),
			     (const char *)sqlite3_column_text(statement, 2));
	(void)sqlite3_finalize(statement);
	return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

/* --- the others */

static bool find_option(const char *name, int64_t *ret_value)
{
	size_t length = strlen(name);
	const char *option;

	if (!sqlite3_api->compileoption_get) /* left out of this build */
		return false;
	for (int i = 0; (option = sqlite3_compileoption_get(i)) != NULL; i++) {
		if (strncmp(option, name, length) == 0 && option[length] == '=') {
			*ret_value = strtoll(option + length + 1, NULL, 10);
			return true;
		}
	}
	return false;
}

/* What a connection has that was told nothing. */
static bool find_default(enum sc_setting setting, bool is_wal, int64_t *ret_value)
{
	static const struct {
		const char *option;
		bool is_known;
		int64_t value; /* where the build does not say */
	} defaults[SC_SETTING_COUNT_] = {
		[SC_SETTING_JOURNAL_MODE] = {"", true, SC_JOURNAL_DELETE},
		[SC_SETTING_SYNCHRONOUS] = {"DEFAULT_SYNCHRONOUS", true, 2},
		[SC_SETTING_LOCKING_MODE] = {"", true, 0},
		[SC_SETTING_PAGE_SIZE] = {"", false, 0}, /* the file says */
		[SC_SETTING_CACHE_SIZE] = {"DEFAULT_CACHE_SIZE", true, -2000},
		[SC_SETTING_WAL_AUTOCHECKPOINT] = {"DEFAULT_WAL_AUTOCHECKPOINT", true, 1000},
		[SC_SETTING_MMAP_SIZE] = {"DEFAULT_MMAP_SIZE", true, 0},
	};

	*ret_value = defaults[setting].value;
	if (setting == SC_SETTING_SYNCHRONOUS && is_wal &&
	    find_option("DEFAULT_WAL_SYNCHRONOUS", ret_value))
		return true;
	(void)find_option(defaults[setting].option, ret_value);
	return defaults[setting].is_known;
}

static void add_seen(struct sc_rows *rows, const struct subject *subject,
		     const struct sc_link_view *view, enum sc_setting setting)
{
	static const char *const sources[SC_SETTING_SOURCE_COUNT_] = {
		[SC_SETTING_UNSEEN] = "default",
		[SC_SETTING_SEEN] = "seen",
		[SC_SETTING_PRAGMA] = "pragma",
		[SC_SETTING_LIKELY] = "likely",
	};
	bool is_wal = view->values[SC_SETTING_JOURNAL_MODE] == SC_JOURNAL_WAL &&
		      view->sources[SC_SETTING_JOURNAL_MODE] == SC_SETTING_SEEN;
	uint32_t source = view->sources[setting];
	int64_t value = view->values[setting];
	bool is_known = source != SC_SETTING_UNSEEN || find_default(setting, is_wal, &value);

	begin_row(rows, subject, setting);
	if (!is_known)
		sc_rows_null(rows);
	else if (sc_setting_word(setting, value))
		sc_rows_text(rows, sc_setting_word(setting, value));
	else
		sc_rows_signed(rows, value);
	sc_rows_text(rows, is_known ? sources[source] : "unknown");
}

/* Of all connections, but not of @left_out. */
static void add_all_seen(struct sc_rows *rows, const sqlite3 *db, const sqlite3 *left_out)
{
	struct sc_link_view view;

	for (uint32_t i = 0; i < sc_link_count(); i++) {
		struct subject subject = {.is_measured = true};

		if (!sc_link_read(i, &view) || !view.connection || view.connection == left_out)
			continue;
		subject.is_this = view.connection == db;
		subject.connection = view.number;
		subject.path = path_of(view.database);
		for (int setting = 0; setting < SC_SETTING_COUNT_; setting++)
			add_seen(rows, &subject, &view, (enum sc_setting)setting);
	}
}

static int fill(sqlite3 *db, struct sc_rows *rows)
{
	struct sc_thread *thread = sc_call_enter(); /* the shim forwards plainly meanwhile */
	int rc = add_this(rows, db);

	if (thread)
		sc_call_leave(thread);
	/* The program's authorizer may forbid the questions. */
	add_all_seen(rows, db, rc == SQLITE_AUTH ? NULL : db);
	return rc == SQLITE_AUTH ? SQLITE_OK : rc;
}

static int fill_seen(sqlite3 *db, struct sc_rows *rows)
{
	add_all_seen(rows, db, NULL);
	return SQLITE_OK;
}

const struct sc_table sc_table_settings = {"syncost_settings", COLUMNS(columns), fill};

const struct sc_table sc_table_settings_seen = {"settings", COLUMNS(columns), fill_seen};
