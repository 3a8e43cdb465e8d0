/* SPDX-License-Identifier: MIT */
#pragma once

/* Settings that are applied to each connection as it opens. */

#include <stdbool.h>
#include <stdint.h>

#include "library.h"

/**
 * sc_tap_connection_start() - before the first connection opens
 * @pragmas: "PRAGMA journal_mode = wal;PRAGMA synchronous = normal;", NULL for none; copied
 */
void sc_tap_connection_start(const char *pragmas);

/** sc_tap_sqlite_exec() - sqlite3_exec() of @library, its statements followed */
int sc_tap_sqlite_exec(struct sc_tap_library *library, sqlite3 *db, const char *sql,
		       int (*callback)(void *, int, char **, char **), void *argument,
		       char **ret_message);
