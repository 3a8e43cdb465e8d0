/* SPDX-License-Identifier: MIT */

/*
 * Method. One virtual table for all: its rows are made as a whole when a cursor is opened on them,
 * so that one SELECT sees one snapshot.
 */

#include "tables.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "../host.h"

struct table {
	sqlite3_vtab base; /* first: SQLite's pointer is ours */
	sqlite3 *db;
	const struct sc_table *table;
};

struct cursor {
	sqlite3_vtab_cursor base;
	struct sc_rows rows;
	size_t row;
};

static int table_connect(sqlite3 *db, void *context, int argument_count,
			 const char *const *arguments, sqlite3_vtab **ret_table, char **ret_message)
{
	const struct sc_table *definition = context;
	struct table *self;
	char text[1024];
	int length, rc;

	(void)argument_count, (void)arguments, (void)ret_message;
	length = snprintf(text, sizeof(text), "CREATE TABLE x(");
	for (size_t i = 0; i < definition->column_count; i++)
		length += snprintf(text + length, sizeof(text) - (size_t)length, "%s %s%s",
				   definition->columns[i].name, definition->columns[i].type,
				   i + 1 < definition->column_count ? ", " : ")");
	rc = sqlite3_declare_vtab(db, text);
	if (rc != SQLITE_OK)
		return rc;
	self = calloc(1, sizeof(*self));
	if (!self)
		return SQLITE_NOMEM;
	self->db = db;
	self->table = definition;
	*ret_table = &self->base;
	return SQLITE_OK;
}

static int table_disconnect(sqlite3_vtab *table)
{
	free(table);
	return SQLITE_OK;
}

static int table_best_index(sqlite3_vtab *table, sqlite3_index_info *info)
{
	(void)table;
	info->estimatedCost = 1000;
	info->estimatedRows = 100;
	return SQLITE_OK;
}

static int table_open(sqlite3_vtab *table, sqlite3_vtab_cursor **ret_cursor)
{
	struct cursor *cursor = calloc(1, sizeof(*cursor));

	(void)table;
	if (!cursor)
		return SQLITE_NOMEM;
	*ret_cursor = &cursor->base;
	return SQLITE_OK;
}

static int table_close(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	sc_rows_fini(&cursor->rows);
	free(cursor);
	return SQLITE_OK;
}

static int table_filter(sqlite3_vtab_cursor *base, int index, const char *index_text,
			int argument_count, sqlite3_value **arguments)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct table *self = (const struct table *)base->pVtab;
	int rc;

	(void)index, (void)index_text, (void)argument_count, (void)arguments;
	sc_rows_fini(&cursor->rows);
	cursor->row = 0;
	rc = self->table->fill(self->db, &cursor->rows);
	return rc == SQLITE_OK && cursor->rows.is_short ? SQLITE_NOMEM : rc;
}

static int table_next(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->row++;
	return SQLITE_OK;
}

static int table_eof(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct table *self = (const struct table *)base->pVtab;

	return cursor->row >= cursor->rows.cell_count / self->table->column_count;
}

static int table_column(sqlite3_vtab_cursor *base, sqlite3_context *context, int column)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct table *self = (const struct table *)base->pVtab;
	const struct sc_cell *cell =
		&cursor->rows.cells[cursor->row * self->table->column_count + (size_t)column];

	if (cell->kind == SC_CELL_INTEGER)
		sqlite3_result_int64(context, cell->integer);
	else if (cell->kind == SC_CELL_TEXT)
		sqlite3_result_text(context, cell->text, -1, SQLITE_TRANSIENT);
	return SQLITE_OK;
}

static int table_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *ret_id)
{
	*ret_id = (sqlite3_int64)((const struct cursor *)base)->row + 1;
	return SQLITE_OK;
}

/* Without xCreate: it is there in each connection, and CREATE VIRTUAL TABLE makes no other. */
static const sqlite3_module module = {
	.xConnect = table_connect,
	.xBestIndex = table_best_index,
	.xDisconnect = table_disconnect,
	.xOpen = table_open,
	.xClose = table_close,
	.xFilter = table_filter,
	.xNext = table_next,
	.xEof = table_eof,
	.xColumn = table_column,
	.xRowid = table_row_id,
};

const struct sc_table *const sc_tables[SC_TABLES] = {
	&sc_table_io,
	&sc_table_commits,
	&sc_table_checkpoints,
	&sc_table_settings,
};

int sc_table_create(sqlite3 *db, const struct sc_table *table)
{
	/* SQLite passes the pointer back as it is; nothing writes through it. */
	return sqlite3_create_module_v2(db, table->name, &module, (void *)(uintptr_t)table, NULL);
}

/* --- what tables are made of */

int sc_table_snapshot(struct syncost_snapshot **ret_snapshot)
{
	int r = syncost_snapshot(ret_snapshot);

	if (r < 0)
		*ret_snapshot = NULL;
	return r == -ENOMEM ? SQLITE_NOMEM : SQLITE_OK;
}

uint64_t sc_table_total_ns(const struct syncost_row *row)
{
	if (row->timed == 0 || row->timed == row->calls)
		return row->ns;
	return (uint64_t)((double)row->ns / (double)row->timed * (double)row->calls);
}

bool sc_table_quantile(const struct syncost_row *row, uint32_t per_mille, uint64_t *ret_ns)
{
	uint64_t count = 0, seen = 0, rank, middle;
	uint32_t i;

	if (!row->buckets)
		return false;
	for (i = 0; i < SC_HIST_BUCKETS; i++)
		count += row->buckets[i];
	if (count == 0)
		return false;
	rank = (count * per_mille + 999) / 1000;
	for (i = 0; i < SC_HIST_BUCKETS - 1; i++) {
		seen += row->buckets[i];
		if (seen >= rank)
			break;
	}
	middle = sc_hist_low(i) + (sc_hist_low(i + 1) - sc_hist_low(i)) / 2;
	/* The last bucket has no upper edge; nothing is above the maximum. */
	*ret_ns = rank == count || i == SC_HIST_BUCKETS - 1 || middle > row->ns_max ? row->ns_max
										    : middle;
	return true;
}
