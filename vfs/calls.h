/* SPDX-License-Identifier: MIT */
#pragma once

/* What the shim remembers of a thread between calls; part of struct sc_thread. */

#include <stdbool.h>
#include <stdint.h>

#include "cpu.h"
#include "syncost/meter.h"

struct sc_file;

/* The thread's running sums at one moment; the difference of two is what happened between. */
struct sc_moment {
	uint64_t at_ns;
	uint64_t part_ns[SC_PART_COUNT_]; /* wall time in VFS calls, by part */
	uint64_t own_ns;                  /* reading thread CPU */
	uint64_t wait_sql_ns;             /* waiting for locks, outside of VFS calls */
	uint64_t checkpoint_ns;
	uint64_t bytes; /* written at VFS level */
	uint64_t syncs;
};

/* An attempt to get a lock that came back BUSY. */
struct sc_wait {
	struct sc_file *file;  /* NULL: not waiting; compared, never followed */
	int wanted;            /* lock level, or SC_WAIT_SHM + slot */
	bool has_retried;      /* a second attempt or a sleep followed: it is a wait */
	bool is_resuming;      /* after a sleep: reads may be part of the next attempt */
	uint64_t since_ns;     /* start of the first attempt */
	uint64_t last_ns;      /* end of the last attempt or sleep */
	uint64_t vfs_since_ns; /* sum over parts at the same moments */
	uint64_t vfs_last_ns;
};

/* COMMIT_PHASETWO calls of one transaction, one a database. */
struct sc_group {
	const void *connection; /* compared, never followed */
	uint32_t serial;        /* of the group, never 0 once used */
	bool is_open;           /* more databases of the transaction will follow */
	bool is_joinable;       /* ended, but databases it did not write may still follow */
	uint32_t databases;     /* that it wrote */
	uint32_t first;         /* slot of the first of them */
};

/* Sums over the VFS calls of a part around which thread CPU was read. */
struct sc_readings {
	uint64_t wall_ns;
	uint64_t off_cpu_ns;
	uint64_t run_delay_ns;
};

enum sc_checkpoint_phase {
	SC_CHECKPOINT_NONE,
	SC_CHECKPOINT_BEGUN,   /* the lock is held, or the WAL has been synced */
	SC_CHECKPOINT_COPYING, /* CKPT_START seen */
	SC_CHECKPOINT_COPIED,  /* CKPT_DONE seen: truncation and sync may follow */
};

/* The checkpoint in progress. Its connection may be closed by another thread before it is known
   to be over: the file is compared, never followed. */
struct sc_checkpoint {
	const struct sc_file *main; /* the database's file; NULL: none in progress */
	uint32_t database;          /* its slot */
	enum sc_checkpoint_phase phase;
	bool has_lock;      /* ends with the release of the checkpoint lock */
	bool has_copied;    /* or tried to: it counts, and is not counted yet */
	uint64_t booked_ns; /* moment up to which it is booked; first its start */
	uint64_t last_ns;   /* end of the last call that belongs to it */
	uint64_t frames;    /* copied and not booked yet */
};

struct sc_calls {
	bool is_inside;             /* between syncost_call_begin() and _end() */
	bool is_sql_read;           /* thread CPU is read around the present bracketed call */
	bool is_outside_read;       /* … around the present time between two */
	uint64_t end_ns;            /* of the last bracketed call; 0: none yet */
	uint32_t databases;         /* of the call's last commit; 0: it has not committed */
	uint32_t database;          /* the first of them */
	bool has_committed_before;  /* that was not its first: its record begins at `since` */
	struct sc_moment begin;     /* of the present bracketed call */
	struct sc_moment since;     /* the moment of the commit before the last */
	struct sc_moment committed; /* the moment of the last */
	struct sc_cpu_mark mark;    /* for is_sql_read or is_outside_read */
	bool has_inside;            /* inside[] is not all zero */
	struct sc_readings inside[SC_PART_COUNT_]; /* readings in the present bracketed call */
	struct sc_wait wait;
	struct sc_group group;
	struct sc_checkpoint checkpoint;
	bool has_faults;       /* major_faults holds a reading */
	uint64_t major_faults; /* of the thread, at the last reading */
};
