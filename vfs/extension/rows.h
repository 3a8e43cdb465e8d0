/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Rows of a table, made when somebody asks for them. A row is filled cell by cell, in the order of
 * the table's columns. Where memory runs out the rows are marked and nothing more is added.
 */

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct sc_column {
	const char *name;
	const char *type; /* as in CREATE TABLE */
};

enum sc_cell_kind {
	SC_CELL_NULL,
	SC_CELL_INTEGER,
	SC_CELL_TEXT,
};

struct sc_cell {
	enum sc_cell_kind kind;
	int64_t integer;
	char *text; /* owned */
};

struct sc_rows {
	struct sc_cell *cells;
	size_t cell_count, cell_room;
	bool is_short; /* of memory */
};

struct sc_table {
	const char *name;
	const struct sc_column *columns;
	size_t column_count;

	/* Appends all rows. @db: the connection that asks. Return: a SQLite result. */
	int (*fill)(sqlite3 *db, struct sc_rows *rows);
};

void sc_rows_null(struct sc_rows *rows);
void sc_rows_integer(struct sc_rows *rows, uint64_t value); /* beyond 2^63: that */
void sc_rows_signed(struct sc_rows *rows, int64_t value);
void sc_rows_text(struct sc_rows *rows, const char *text); /* copied; NULL: null */
void sc_rows_fini(struct sc_rows *rows);
