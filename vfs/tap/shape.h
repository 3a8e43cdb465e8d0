/* SPDX-License-Identifier: MIT */
#pragma once

/* The shape of an SQL text: what is the same each time it runs. */

#include <stddef.h>

/**
 * sc_tap_shape() - @sql without literals and comments, on one line
 * @ret_text: @room bytes with the NUL, at least 8; what is longer is cut at a character and ends
 *            with "…"
 *
 * Strings, blobs and numbers become "?", more than three of them in a row "?, ?, ?, …". Names
 * stay, quoted ones too: SQLite takes a name in double quotes for a string where no such name
 * exists, which nobody can tell from here.
 *
 * Return: its length.
 */
size_t sc_tap_shape(const char *sql, char *ret_text, size_t room);

/** sc_tap_shape_full() - the same with its literals */
size_t sc_tap_shape_full(const char *sql, char *ret_text, size_t room);
