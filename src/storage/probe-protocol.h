/* SPDX-License-Identifier: MIT */
#pragma once

/* The calls of SQLite's commits, as tables of steps. For probe-*.c alone. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Without prefixes, so that the tables read as lists of calls. */
enum sc_step_file { DB, JOURNAL, WAL, SHM, FOLDER, FILES };
enum sc_step_op {
	STAT,  /* by path */
	FSTAT, /* by descriptor */
	GETLK,
	SETLK,
	OPEN,   /* or make */
	REOPEN, /* for reading */
	CHOWN,  /* to who owns the database; root alone */
	READ,
	WRITE,
	FRAME, /* a frame's header, then its page, where the WAL stands */
	SYNC,
	SYNC_FOLDER,
	TRUNCATE,
	CLOSE,
	UNLINK,
};

struct sc_step {
	enum sc_step_op op;
	enum sc_step_file file;
	uint32_t offset, bytes;   /* of a lock or the data */
	short type;               /* of a lock */
	uint8_t journals, levels; /* bits: of which protocols it is a step */
	uint32_t count, stride;   /* of a WRITE: so many, so far apart; 0: one */
};

#define SC_PROTOCOL_PAGE_BYTES       4096u
#define SC_PROTOCOL_FRAME_HEAD_BYTES 24u
#define SC_PROTOCOL_WAL_HEAD_BYTES   32u

struct sc_protocol {
	const char *name;
	const struct sc_step *steps;
	size_t step_count;
	uint8_t journal, level; /* one bit each */
	uint32_t db_bytes, journal_bytes,
		wal_frames; /* that are there before; frames: overwritten */
	bool has_wal, keeps_shm;
};

/** sc_protocol_find() - by its name, which is one of sc_probe_journal_name() */
const struct sc_protocol *sc_protocol_find(const char *name);
