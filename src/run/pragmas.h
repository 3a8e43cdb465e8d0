/* SPDX-License-Identifier: MIT */
#pragma once

/* Settings for the connections of a program: "synchronous=normal,journal_mode=wal". */

#include "../base/err.h"

/**
 * sc_run_pragmas_parse() - as PRAGMA lines, each with a ';' and nothing between, in the order in
 * which they are to be applied
 * @ret_lines: the caller frees it
 *
 * Return: 0; SC_E_USAGE where a name is none of a setting, or a value is none of that.
 */
int sc_run_pragmas_parse(const char *text, char **ret_lines, struct sc_error *error);
