/* SPDX-License-Identifier: MIT */
#pragma once

/* The figures as a text to read, and as JSON. */

#include <sqlite3.h>

/* What the extension did when it was loaded. */
struct sc_report_head {
	const char *name; /* of the shim */
	const char *over; /* of the VFS that it wraps */
};

/**
 * sc_report_text() / sc_report_json() - all figures, asked by @db
 * @ret_text: to be freed with sqlite3_free()
 * Return: a SQLite result.
 */
int sc_report_text(sqlite3 *db, const struct sc_report_head *head, char **ret_text);
int sc_report_json(sqlite3 *db, const struct sc_report_head *head, char **ret_text);
