/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * SQLite's functions, as whoever measures has them: linked, or in the loadable extension the table
 * of pointers that the program's SQLite passed when it loaded that. The latter is right wherever
 * SQLite is: in a shared library, or linked into the program without a symbol to be seen.
 *
 * For source files alone, after their other headers have included <sqlite3.h>.
 */

#include <sqlite3.h>

#ifdef SC_EXTENSION
#include <sqlite3ext.h>
SQLITE_EXTENSION_INIT3
#endif
