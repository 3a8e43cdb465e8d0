/* SPDX-License-Identifier: MIT */
#pragma once

/* Which handles belong to the same connection, and what is known of its settings. */

#include "file.h"
#include "setting.h"

/** sc_link_add() - a main file was opened. More than 4096 at a time are not linked. */
void sc_link_add(struct sc_file *file);

/** sc_link_remove() - it is closing: nothing finds it any more. */
void sc_link_remove(struct sc_file *file);

/** sc_link_main() - the main file of the connection that opens a journal or WAL; NULL: unknown */
struct sc_file *sc_link_main(const struct sc_file *file);

/** sc_link_connection() - SQLite told whose a main file is */
void sc_link_connection(struct sc_file *file, sqlite3 *connection);

/** sc_link_wal() - the WAL of a main file's connection was opened, or is closing */
void sc_link_wal(struct sc_file *main, bool is_open);

/** sc_link_header() - the first 20 bytes of a main file, or more, were read or written */
void sc_link_header(struct sc_file *main, const unsigned char *header);

/** sc_link_mmap() - SQLite set the limit of the mapping; negative: it asked */
void sc_link_mmap(struct sc_file *main, int64_t bytes);

/** sc_link_pragma() - a PRAGMA is about to run; @text may be NULL */
void sc_link_pragma(struct sc_file *main, const char *name, const char *text);

/* A main file that is open, as any thread may see it. */
struct sc_link_view {
	const sqlite3 *connection; /* to be compared only; NULL: not told */
	uint32_t number;           /* of the connection, from 1; 0: not told */
	uint32_t database;         /* slot */
	int64_t values[SC_SETTING_COUNT_];
	uint32_t sources[SC_SETTING_COUNT_]; /* enum sc_setting_source */
};

/** sc_link_count() - indices below it may be in use */
uint32_t sc_link_count(void);

/** sc_link_read() - Return: false where no file is open at @index, or it changed meanwhile */
bool sc_link_read(uint32_t index, struct sc_link_view *ret_view);
