/* SPDX-License-Identifier: MIT */
#pragma once

/* Where the library is that is loaded into the program. */

#include "../base/err.h"

/**
 * sc_run_library_find() - beside this program, or where it was installed
 * @ret_path: absolute; the caller frees it
 *
 * Return: 0; -ENOENT; SC_E_UNMEASURABLE where its path cannot be given to the loader, whose lists
 * are separated by blanks and colons.
 */
int sc_run_library_find(char **ret_path, struct sc_error *error);
