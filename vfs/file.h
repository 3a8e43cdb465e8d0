/* SPDX-License-Identifier: MIT */
#pragma once

/* A file as the shim knows it. */

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"
#include "forward.h"
#include "syncost/meter.h"

#define SC_SHIMS 16

struct sc_shim {
	struct sc_forward_vfs forward; /* first: SQLite's pointer is ours */
	_Atomic uint32_t is_used;      /* enum state of shim.c */
	_Atomic uint32_t open_files;
};

/* A write transaction as seen from one main file. */
struct sc_transaction {
	bool is_open;                 /* holds a write lock, or has written */
	bool has_written;             /* main file, WAL or journal, since its last commit */
	bool is_rolling_back;         /* its journal is being played back */
	uint32_t serial;              /* of the group it last was part of */
	const void *writer;           /* thread of the first write; compared only */
	struct sc_moment first_write; /* kept where calls are not bracketed */
};

struct sc_file {
	struct sc_forward_file forward; /* first: SQLite's pointer is ours */
	struct sc_shim *shim;
	const char *name;  /* SQLite's, valid while open; NULL for temporary files */
	uint32_t database; /* slot */
	enum sc_role role;
	uint64_t size_bytes;  /* of a temporary file, which has its size to itself */
	uint64_t chunk_bytes; /* SQLITE_FCNTL_CHUNK_SIZE: sizes are rounded up below us; 0: not set
			       */

	struct sc_file *main; /* of a main file itself; of its WAL and journal that; else NULL */

	/* main files */
	struct sc_file *wal;     /* open on the same connection; NULL: none */
	struct sc_file *sibling; /* ring of the connection's main files */
	sqlite3 *connection;     /* NULL: not told */
	uint32_t link;           /* 1 + index in the table of main files; 0: not in it */
	int lock_level;
	struct sc_transaction transaction;

	/* WALs */
	uint64_t frame_bytes;  /* header and page; 0: not seen yet */
	int64_t frame_read_at; /* offset of the frame just read to be rewritten; -1: none */
};

static inline struct sc_file *sc_file_of(sqlite3_file *file)
{
	return (struct sc_file *)(void *)file;
}
