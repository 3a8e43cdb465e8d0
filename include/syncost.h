/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * syncost: the measuring instruments, for use inside a program that uses SQLite.
 *
 *	syncost_start(&(struct syncost_options){0});
 *	syncost_register(NULL, "syncost", true);     // later connections are measured
 *	... sqlite3_open(), work, sqlite3_close() ...
 *	syncost_snapshot(&snapshot);
 *	syncost_snapshot_free(snapshot);
 *	syncost_unregister("syncost");
 *	syncost_stop();
 *
 * Functions return 0, or a negative errno value; conditions are positive and named below.
 * All may be called from any thread except where said; none from a signal handler. NULL is -EINVAL
 * where it is not said to be taken.
 *
 * A child of fork() has no meter until its first measured call, which gives it one of its own, all
 * zero and with the same shims; until then it is as before syncost_start(): what wants a meter
 * returns -EINVAL, and it may be started.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "syncost/meter.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SYNCOST_API __attribute__((visibility("default")))

struct syncost_options {
	const char *directory; /* tmpfs directory for the meter; NULL: $XDG_RUNTIME_DIR, /dev/shm */
	bool anonymous;        /* a private mapping that no other process can read */
	bool cpu; /* read thread CPU and run delay around syncs and a sample of calls */
};

/**
 * syncost_start() - create the meter of this process
 * Return: 0, SYNCOST_ALREADY (> 0) if there is one, or a negative errno value.
 */
#define SYNCOST_ALREADY 1
SYNCOST_API int syncost_start(const struct syncost_options *options);

/**
 * syncost_stop() - remove the meter; no shim may be registered
 *
 * A shim that the program itself took out of SQLite's list, by sqlite3_vfs_unregister(), counts as
 * unregistered once no file is open through it.
 * Return: 0 or -EBUSY.
 */
SYNCOST_API int syncost_stop(void);

/**
 * syncost_register() - wrap a VFS with the counting shim
 * @base: name of the VFS to wrap, NULL for the default one
 * @name: name of the new VFS, at most 63 bytes; copied
 * @make_default: whether connections that name no VFS use it
 *
 * Return: 0; -ENOENT (no VFS @base), -EEXIST (@name is taken), -ENOSPC (16 shims), -EINVAL.
 */
SYNCOST_API int syncost_register(const char *base, const char *name, bool make_default);

/**
 * syncost_unregister() - take the shim away again; connections open through it stay valid
 * Return: 0, also for one that sqlite3_vfs_unregister() took out of SQLite's list; -ENOENT (not a
 * shim of ours, or NULL); -EBUSY while files are open through it.
 */
SYNCOST_API int syncost_unregister(const char *name);

/**
 * syncost_call_begin() / syncost_call_end() - bracket one call into SQLite
 *
 * Optional. With them the split knows `outside` from `sql`, and a commit's time runs from the
 * call that commits to its return. Per thread; must alternate.
 */
SYNCOST_API void syncost_call_begin(void);
SYNCOST_API void syncost_call_end(void);

/**
 * syncost_call_pause() - the time from here to this thread's next call is not `outside`
 *
 * For work that is no part of what is measured; its time is in no part of the split.
 */
SYNCOST_API void syncost_call_pause(void);

/** syncost_now_ns() - the meter's clock, nanoseconds from an arbitrary start. */
SYNCOST_API uint64_t syncost_now_ns(void);

/* One row of the ledger, merged over threads. */
struct syncost_row {
	enum sc_instrument instrument;
	uint32_t database; /* slot in databases[] */
	enum sc_role role;
	enum sc_op op;
	uint64_t calls, failures, bytes;
	uint64_t timed, ns, ns_max; /* ns is the sum over timed calls; scale by calls / timed */
	uint64_t cpu_n;             /* calls whose thread CPU was read; of those, weighted: */
	uint64_t cpu_wall_ns, cpu_ns, run_delay_ns; /* scale by ns / cpu_wall_ns */
	uint64_t checkpoint_calls, checkpoint_bytes, checkpoint_ns;
	uint32_t *buckets; /* SC_HIST_BUCKETS counts, owned by the snapshot; NULL if timed is 0 */
};

struct syncost_statement {
	uint32_t number; /* as in struct sc_commit */
	char sql[SC_METER_SQL_BYTES];
	uint64_t executions, steps, timed, ns, commits, syncs, sync_ns, bytes;
	uint64_t lock_waits, lock_wait_ns, checkpoints, checkpoint_ns;
};

struct syncost_database {
	char path[SC_METER_PATH_BYTES]; /* empty: slot not used */
	uint64_t size_bytes[SC_ROLE_COUNT_];
	uint64_t size_bytes_max[SC_ROLE_COUNT_];
	uint64_t total_bytes, total_bytes_max;
	uint64_t commits;
	uint64_t checkpoints, checkpoint_ns, checkpoint_frames;
	uint64_t wal_resets, wal_creations, wal_frames;
	uint64_t unmarked_writes; /* > 0: without a shim above, commits are not known */
	uint64_t lock_waits, lock_wait_ns;
};

/*
 * Two axes of the split, summed over threads; valid where calls were bracketed by marks. What is
 * left of a part's wall time without cpu_ns and run_delay_ns, its threads were asleep.
 */
struct syncost_split {
	uint64_t wall_ns[SC_PART_COUNT_];
	uint64_t cpu_ns[SC_PART_COUNT_]; /* estimates, scaled from the calls that were read */
	uint64_t run_delay_ns[SC_PART_COUNT_];
	uint64_t cpu_n[SC_PART_COUNT_]; /* how many calls each estimate rests on; 0: unknown */
	uint64_t checkpoint_ns[SC_PART_COUNT_]; /* inside checkpoints, bracketed or not */
	uint64_t calls;                         /* bracketed calls */
	uint64_t own_ns;       /* wall time the instruments took to read thread CPU; in no part */
	uint64_t major_faults; /* of threads, up to the last bracketed call that was read */

	/* What the estimates are made of: sums over the calls that were read, weighted. */
	uint64_t read_wall_ns[SC_PART_COUNT_];
	uint64_t read_cpu_ns[SC_PART_COUNT_];
	uint64_t read_run_delay_ns[SC_PART_COUNT_];
	uint64_t wait_outside_vfs_ns; /* of wall_ns[SC_PART_LOCK]: between its calls, asleep */
};

struct syncost_snapshot {
	uint64_t at_ns; /* clock of the meter */
	uint32_t pid, parent_pid;
	char program[SC_METER_PROGRAM_BYTES]; /* name of the process */
	uint64_t start_ns;                    /* clock of the meter when it was made, */
	uint64_t start_realtime_ns;           /* and the same moment since the epoch */
	uint32_t instruments;                 /* bit per enum sc_instrument */
	enum sc_clock_kind clock_kind;
	uint64_t calls_dropped;
	uint64_t transactions, empty_commits;
	uint64_t connections_set, pragmas_refused;
	uint64_t lock_wait_ns, lock_waits, busy, syncs_omitted;
	uint64_t total_bytes, total_bytes_max;
	struct syncost_split split;
	struct syncost_database databases[SC_METER_DATABASES];
	struct syncost_row *rows; /* sorted by instrument, database, role, op; no all-zero rows */
	size_t row_count;
	struct sc_commit *commits; /* the newest kept ones, by end_ns */
	size_t commit_count;
	uint64_t commits_dropped;             /* overwritten in the rings */
	struct syncost_statement *statements; /* by number */
	size_t statement_count;
};

/**
 * syncost_snapshot() - merge all shards; the writers go on. Free with syncost_snapshot_free().
 * Return: 0, -EINVAL without a meter, -ENOMEM.
 */
SYNCOST_API int syncost_snapshot(struct syncost_snapshot **ret_snapshot);

/**
 * syncost_snapshot_read() - the same from a meter file of any process, read-only
 * Return: 0; -EBADMSG if it is no meter of this version; -ENOMEM, or why it cannot be opened.
 */
SYNCOST_API int syncost_snapshot_read(const char *meter_path,
				      struct syncost_snapshot **ret_snapshot);

/**
 * syncost_snapshot_since() - @later minus @earlier, as a new snapshot
 *
 * Counters, times, histograms and splits are differences; sizes are those of @later, and their
 * maxima count from the last syncost_reset(). ns_max is the maximum since that reset.
 * Return: 0, -EINVAL, -ENOMEM.
 */
SYNCOST_API int syncost_snapshot_since(const struct syncost_snapshot *later,
				       const struct syncost_snapshot *earlier,
				       struct syncost_snapshot **ret_snapshot);

/** syncost_snapshot_free() - takes NULL. */
SYNCOST_API void syncost_snapshot_free(struct syncost_snapshot *snapshot);

/**
 * syncost_reset() - set counters, histograms and maxima to zero
 *
 * Maxima of sizes fall to the current sizes. Calls in flight on other threads may be counted on
 * either side; with none in flight the reset is exact.
 * Return: 0, -EINVAL without a meter.
 */
SYNCOST_API int syncost_reset(void);

/** Names as used in reports, never NULL for valid values. */
SYNCOST_API const char *syncost_instrument_name(enum sc_instrument instrument);
SYNCOST_API const char *syncost_role_name(enum sc_role role);
SYNCOST_API const struct sc_op_info *syncost_op_info(enum sc_op op);
SYNCOST_API const char *syncost_part_name(enum sc_part part);

/** syncost_meter_path() - file of this process's meter, NULL if anonymous or not started. */
SYNCOST_API const char *syncost_meter_path(void);

/*
 * The tap: libc calls underneath SQLite. Only in programs that were linked with it; elsewhere
 * syncost_tap_start() returns SYNCOST_NO_TAP.
 */
#define SYNCOST_NO_TAP 2
/**
 * syncost_tap_start() - begin counting libc calls on the files of databases
 *
 * Files of known databases only: those opened through the shim, and those that were named. One
 * thread at a time.
 * Return: 0, SYNCOST_ALREADY, SYNCOST_NO_TAP, or -EINVAL without a meter.
 */
SYNCOST_API int syncost_tap_start(void);
SYNCOST_API void syncost_tap_stop(void);
/**
 * syncost_tap_database() - name a main database file before it is opened, by its full path
 * Return: 0, SYNCOST_NO_TAP, -EINVAL without a meter, or -ENOSPC when all slots are taken.
 */
SYNCOST_API int syncost_tap_database(const char *path);

#ifdef __cplusplus
}
#endif
