/* SPDX-License-Identifier: MIT */
#pragma once

/* The sample's database: made, opened under a setting, asked what it took, made quiescent. */

#include <sqlite3.h>

#include "../model/sample.h"
#include "../suite/generate.h"

void sc_connection_closep(sqlite3 **db);
void sc_statement_finalizep(sqlite3_stmt **statement);

/**
 * sc_database_create() - schema and dataset in a new file at @path, durable, nothing open
 *
 * Fast: no journal, no syncs until the end. The file is the one that any setting with this page
 * size would have made.
 *
 * @dataset_sums: one for each parameter of the dataset: added to, as sc_block_count() does
 */
int sc_database_create(const char *path, const struct sc_suite *suite,
		       const struct sc_generation *generation, uint64_t rows, uint32_t page_size,
		       int64_t *dataset_sums, struct sc_error *error);

/**
 * sc_database_open() - a connection with the pragmas of @setting, applied in the documented order
 * @path: ":memory:": a new database in memory
 * @vfs: NULL: the default one
 * @connection: what else it is told
 *
 * What SQLite does not take is no error: sc_database_effective() tells.
 */
int sc_database_open(const char *path, const char *vfs, const struct sc_setting *setting,
		     const struct sc_connection *connection, sqlite3 **ret_db,
		     struct sc_error *error);

/**
 * sc_database_fill() - schema and dataset in a database in memory that was just opened
 * @dataset_sums: as in sc_database_create()
 */
int sc_database_fill(sqlite3 *db, const struct sc_suite *suite,
		     const struct sc_generation *generation, uint64_t rows, int64_t *dataset_sums,
		     struct sc_error *error);

/** sc_database_memory_bytes() - the size of a database in memory: its pages */
int sc_database_memory_bytes(sqlite3 *db, uint64_t *ret_bytes, struct sc_error *error);

/** sc_database_apply() - the same pragmas on a connection that is open. */
int sc_database_apply(sqlite3 *db, const struct sc_setting *setting,
		      const struct sc_connection *connection, struct sc_error *error);

/** sc_database_effective() - read back; rows_per_commit is not SQLite's and stays as it is. */
int sc_database_effective(sqlite3 *db, struct sc_setting *setting, struct sc_error *error);

/** sc_database_run() - SQL without results. */
int sc_database_run(sqlite3 *db, const char *sql, struct sc_error *error);

/**
 * sc_database_sync() - what the connection wrote reaches the disk
 *
 * Through SQLite's own handles: opening a file to sync it would, when closed, drop the locks that
 * this process holds on it.
 */
int sc_database_sync(sqlite3 *db, struct sc_error *error);

/**
 * sc_wal_sequence() - the checkpoint sequence number in the WAL's header, which counts its resets
 * Return: 0; 1: there is no header (the file is empty, or the journal is no WAL); < 0.
 */
int sc_wal_sequence(sqlite3 *db, uint32_t *ret_sequence, struct sc_error *error);

/**
 * sc_wal_salt() - the first salt in the WAL's header, which counts the resets of all connections
 *
 * Each connection has a sequence number of its own; the salt they take from one another. The first
 * header of a file begins with a random one.
 *
 * Return: as sc_wal_sequence().
 */
int sc_wal_salt(sqlite3 *db, uint32_t *ret_salt, struct sc_error *error);

/** sc_database_sizes() - the sizes of @space that stat() tells, of the files at @path; adds blocks.
 */
void sc_database_sizes(const char *path, struct sc_space *space);
