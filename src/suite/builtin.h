/* SPDX-License-Identifier: MIT */
#pragma once

/* The suites of suites/, embedded when the library is built. */

struct sc_builtin {
	const char *name; /* of the file, without .json; NULL ends the list */
	const char *text;
};

extern const struct sc_builtin sc_builtins[];
