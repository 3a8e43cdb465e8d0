/* SPDX-License-Identifier: MIT */

/*
 * Method. The tables as they are, an array of objects each; not the single commits. Of settings,
 * what passed the shim: to ask SQLite could make it read a schema, and so open a WAL.
 */

#include "report.h"

#include "../host.h"
#include "settings.h"
#include "tables.h"

#define EXACT_MAX (INT64_C(1) << 53) /* beyond it many readers lose digits: as text then */

static void append_string(sqlite3_str *text, const char *string)
{
	sqlite3_str_appendchar(text, 1, '"');
	for (const char *c = string; *c; c++) {
		if (*c == '"' || *c == '\\')
			sqlite3_str_appendf(text, "\\%c", *c);
		else if ((unsigned char)*c < 0x20)
			sqlite3_str_appendf(text, "\\u%04x", *c);
		else
			sqlite3_str_appendchar(text, 1, *c);
	}
	sqlite3_str_appendchar(text, 1, '"');
}

static void append_integer(sqlite3_str *text, int64_t value)
{
	if (value > EXACT_MAX || value < -EXACT_MAX)
		sqlite3_str_appendf(text, "\"%lld\"", value);
	else
		sqlite3_str_appendf(text, "%lld", value);
}

static void append_cell(sqlite3_str *text, const struct sc_cell *cell)
{
	if (cell->kind == SC_CELL_TEXT)
		append_string(text, cell->text);
	else if (cell->kind == SC_CELL_INTEGER)
		append_integer(text, cell->integer);
	else
		sqlite3_str_appendall(text, "null");
}

static int append_table(sqlite3_str *text, sqlite3 *db, const char *key,
			const struct sc_table *table)
{
	struct sc_rows rows = {0};
	int rc = table->fill(db, &rows);

	if (rc == SQLITE_OK && rows.is_short)
		rc = SQLITE_NOMEM;
	sqlite3_str_appendf(text, ",\n\"%s\": [", key);
	for (size_t i = 0; rc == SQLITE_OK && i < rows.cell_count; i++) {
		size_t column = i % table->column_count;

		sqlite3_str_appendall(text, column ? ", " : i ? "},\n  {" : "\n  {");
		sqlite3_str_appendf(text, "\"%s\": ", table->columns[column].name);
		append_cell(text, &rows.cells[i]);
	}
	sqlite3_str_appendall(text, rows.cell_count ? "}]" : "]");
	sc_rows_fini(&rows);
	return rc;
}

static int append_head(sqlite3_str *text, sqlite3 *db, const struct sc_report_head *head)
{
	struct syncost_snapshot *snapshot;
	int rc = sc_table_snapshot(&snapshot);

	if (rc != SQLITE_OK)
		return rc;
	sqlite3_str_appendall(text, "{\"format\": \"syncost-vfs-1\", \"vfs\": ");
	append_string(text, head->name);
	sqlite3_str_appendall(text, ", \"over\": ");
	append_string(text, head->over);
	sqlite3_str_appendall(text, ", \"meter\": ");
	if (syncost_meter_path())
		append_string(text, syncost_meter_path());
	else
		sqlite3_str_appendall(text, "null");
	sqlite3_str_appendf(text, ",\n\"is_this_connection_measured\": %s",
			    sc_settings_connection(db, NULL) ? "true" : "false");
	sqlite3_str_appendf(
		text,
		", \"transactions\": %llu, \"empty_commits\": %llu, "
		"\"commits_kept\": %llu, \"lock_waits\": %llu, \"lock_wait_ns\": %llu, "
		"\"busy\": %llu, \"calls_dropped\": %llu",
		snapshot ? snapshot->transactions : 0, snapshot ? snapshot->empty_commits : 0,
		snapshot ? (uint64_t)snapshot->commit_count : 0,
		snapshot ? snapshot->lock_waits : 0, snapshot ? snapshot->lock_wait_ns : 0,
		snapshot ? snapshot->busy : 0, snapshot ? snapshot->calls_dropped : 0);
	syncost_snapshot_free(snapshot);
	return SQLITE_OK;
}

int sc_report_json(sqlite3 *db, const struct sc_report_head *head, char **ret_text)
{
	sqlite3_str *text = sqlite3_str_new(db);
	int rc = append_head(text, db, head);

	if (rc == SQLITE_OK)
		rc = append_table(text, db, "io", &sc_table_io);
	if (rc == SQLITE_OK)
		rc = append_table(text, db, "checkpoints", &sc_table_checkpoints);
	if (rc == SQLITE_OK)
		rc = append_table(text, db, "settings", &sc_table_settings_seen);
	sqlite3_str_appendall(text, "}\n");
	if (rc == SQLITE_OK)
		rc = sqlite3_str_errcode(text);
	*ret_text = sqlite3_str_finish(text);
	return rc;
}
