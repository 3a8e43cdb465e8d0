/* SPDX-License-Identifier: MIT */
#pragma once

/* Settings of open connections, and which connection is measured. */

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * sc_settings_connection() - number of a connection
 * @path: of one of its databases; NULL: of any
 * Return: from 1; 0 where none of its files passes the shim.
 */
uint32_t sc_settings_connection(const sqlite3 *db, const char *path);
