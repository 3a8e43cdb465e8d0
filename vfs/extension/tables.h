/* SPDX-License-Identifier: MIT */
#pragma once

/* The tables of the extension. */

#include "rows.h"
#include "syncost.h"

extern const struct sc_table sc_table_io;
extern const struct sc_table sc_table_commits;
extern const struct sc_table sc_table_checkpoints;
extern const struct sc_table sc_table_settings;

/* The same without asking SQLite anything; not a table of SQL. */
extern const struct sc_table sc_table_settings_seen;

#define SC_TABLES 4
extern const struct sc_table *const sc_tables[SC_TABLES];

/** sc_table_create() - add @table to a connection as one that needs no CREATE. A SQLite result. */
int sc_table_create(sqlite3 *db, const struct sc_table *table);

/**
 * sc_table_snapshot() - the meter's figures
 * @ret_snapshot: NULL where this process has recorded nothing, as in a child of fork()
 * Return: SQLITE_OK, SQLITE_NOMEM.
 */
int sc_table_snapshot(struct syncost_snapshot **ret_snapshot);

/** sc_table_total_ns() - time of all calls of a row, scaled from those that were timed */
uint64_t sc_table_total_ns(const struct syncost_row *row);

/** sc_table_quantile() - nearest rank, of @per_mille; false: nothing was timed */
bool sc_table_quantile(const struct syncost_row *row, uint32_t per_mille, uint64_t *ret_ns);
