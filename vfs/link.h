/* SPDX-License-Identifier: MIT */
#pragma once

/* Which handles belong to the same connection. */

#include "file.h"

/** sc_link_add() - a main file was opened. More than 4096 at a time are not linked. */
void sc_link_add(struct sc_file *file);

/** sc_link_remove() - it is closing: nothing finds it any more. */
void sc_link_remove(struct sc_file *file);

/** sc_link_main() - the main file of the connection that opens a journal or WAL; NULL: unknown */
struct sc_file *sc_link_main(const struct sc_file *file);

/** sc_link_connection() - SQLite told whose a main file is */
void sc_link_connection(struct sc_file *file, sqlite3 *connection);
