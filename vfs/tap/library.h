/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which SQLite a caller means. A program may have several: one that it is linked with, and others
 * that came with libraries it loaded for itself. Their calls all arrive at our hooks.
 */

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>

struct sc_tap_library {
	int (*step)(sqlite3_stmt *statement);
	int (*reset)(sqlite3_stmt *statement);
	int (*finalize)(sqlite3_stmt *statement);
	int (*exec)(sqlite3 *db, const char *sql, int (*callback)(void *, int, char **, char **),
		    void *argument, char **ret_message);
	int (*prepare)(sqlite3 *db, const char *sql, int bytes, sqlite3_stmt **ret_statement,
		       const char **ret_tail);
	int (*open)(const char *path, sqlite3 **ret_db);
	int (*open16)(const void *path, sqlite3 **ret_db);
	int (*open_v2)(const char *path, sqlite3 **ret_db, int flags, const char *vfs);
	int (*close)(sqlite3 *db);
	int (*close_v2)(sqlite3 *db);
	/* what is only asked */
	const char *(*sql)(sqlite3_stmt *statement);
	int (*readonly)(sqlite3_stmt *statement);
	sqlite3 *(*db_handle)(sqlite3_stmt *statement);
	int (*get_autocommit)(sqlite3 *db);

	_Atomic bool is_exec_open; /* what its sqlite3_exec() runs comes through our hooks, too */
};

/**
 * sc_tap_library_of() - the one that a call from @caller would have reached without us
 * @caller: an address in the code that calls
 *
 * Return: NULL: there is none, as far as can be told. errno is preserved.
 */
struct sc_tap_library *sc_tap_library_of(const void *caller);
