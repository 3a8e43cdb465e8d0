/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A measured run of somebody's program: what its processes did to the files of databases, per
 * process and added up. All figures come from the tap, so they are what the kernel was asked.
 */

#include <stdbool.h>
#include <stdint.h>

#include "../base/err.h"
#include "../base/status.h"
#include "finding.h"
#include "syncost/meter.h"

/* Calls of one operation on one role of one database. */
struct sc_run_row {
	uint32_t database; /* index in sc_run.databases */
	enum sc_role role;
	enum sc_op op;
	uint64_t calls, failures, bytes;
	uint64_t ns;       /* of all calls: where not each was timed, scaled */
	uint64_t ns_max;   /* of those that were timed */
	uint64_t timed;    /* how many those are */
	uint32_t *buckets; /* of those, SC_HIST_BUCKETS counts; owned; NULL: none */
};

struct sc_run_rows { /* owned; sorted by database, role, operation */
	struct sc_run_row *items;
	size_t count;
};

struct sc_run_database {
	char *path; /* owned; NULL: files of SQLite that belong to no database that is known */
	uint64_t size_bytes_max[SC_ROLE_COUNT_];
	uint64_t commits;         /* unless there are unmarked writes: */
	uint64_t unmarked_writes; /* of transactions whose end nothing marks, so commits are unknown
				   */
	uint64_t wal_frames, wal_resets, wal_creations;
	uint64_t checkpoints, checkpoint_ns, checkpoint_frames;
	uint64_t lock_waits, lock_wait_ns;
};

/* What one SQL text cost, where SQLite is a shared library. */
struct sc_run_statement {
	char *sql; /* owned: its shape, or itself */
	uint64_t executions;
	uint64_t ns; /* in calls of it; of those that only read an estimate */
	uint64_t commits, syncs, sync_ns, bytes;
	uint64_t lock_waits, lock_wait_ns;
	uint64_t checkpoints, checkpoint_ns; /* that it ran, and paid for */
};

#define SC_RUN_NO_STATEMENT UINT32_MAX

/* One of the slowest commits. */
struct sc_run_commit {
	uint32_t process, database; /* database: the first of it */
	uint64_t at_ns;             /* when it began, after the start of the run */
	uint64_t ns;
	uint64_t part_ns[SC_PART_COUNT_];
	uint64_t checkpoint_ns; /* of it, for a checkpoint that it caused */
	uint64_t bytes;         /* written */
	uint32_t syncs, databases;
	uint32_t statement; /* index in sc_run.statements, or SC_RUN_NO_STATEMENT */
};

#define SC_RUN_NO_SQLITE "SQLite is not a shared library here, or was not called"
#define SC_RUN_UNMARKED                                                                            \
	"its rollback journal is in memory or off, so nothing marks the end of a transaction"

struct sc_run_process {
	uint32_t pid, parent_pid;
	char program[SC_METER_PROGRAM_BYTES];
	uint64_t started_ns; /* after the start of the run, when it came to its first database */
	bool is_running;     /* it went on after the run ended */
	uint64_t calls_dropped;
	struct sc_run_rows rows;
};

/* One database in one process at one moment; the counters go on from the start of the process. */
struct sc_run_sample {
	uint64_t at_ns; /* after the start of the run */
	uint32_t process, database;
	uint64_t commits, checkpoints, syncs, sync_ns, read_bytes, written_bytes;
	uint64_t database_bytes, wal_bytes, journal_bytes; /* sizes of the files */
};

struct sc_run {
	char **argv; /* owned, all texts here are */
	size_t argc;
	char *directory;
	char started[40]; /* UTC */
	char tool_version[40], tool_commit[64];
	bool tool_dirty;
	char *host_label, *kernel, *cpu;
	uint32_t cpu_count;
	int exit_code; /* the program's, or -1: it was ended by a signal */
	int signal;    /* the signal, 0: none */
	uint64_t wall_ns;
	uint64_t cpu_ns; /* of the program and of those children that it waited for */
	uint64_t major_faults;
	struct sc_run_database *databases;
	size_t database_count;
	struct sc_run_process *processes;
	size_t process_count;
	struct sc_run_rows rows;             /* of all processes */
	enum sc_status statements_status;    /* measured, or skipped: not asked for */
	struct sc_run_statement *statements; /* the longest in syncs first, once sorted */
	size_t statement_count;
	struct sc_run_commit *slowest; /* the slowest first */
	size_t slowest_count;
	size_t slowest_max; /* how many of them are wanted, and of the statements */
	uint64_t transactions;
	char *set; /* PRAGMA lines that were applied to each connection; owned; NULL: none */
	uint64_t connections_set, pragmas_refused;
	struct sc_run_sample *samples;
	size_t sample_count;
	struct sc_findings findings;
};

/** sc_run_fini() - takes a zeroed one; it is zeroed afterwards. */
void sc_run_fini(struct sc_run *run);

/** sc_run_database() - the index of the one with this path, added where it is new; < 0: no memory
 */
int64_t sc_run_database(struct sc_run *run, const char *path);

/** sc_run_rows_add() - add @row, its database as given, to the one with the same key. */
int sc_run_rows_add(struct sc_run_rows *rows, const struct sc_run_row *row);

/** sc_run_statement() - the index of the one with this text, added where it is new; < 0: no memory
 */
int64_t sc_run_statement(struct sc_run *run, const char *sql);

/** sc_run_sort_statements() - at the end; commits find theirs */
int sc_run_sort_statements(struct sc_run *run);

/** sc_run_add_commit() - keep it if it is one of the slowest; a later look at one replaces it. */
int sc_run_add_commit(struct sc_run *run, const struct sc_run_commit *commit);

/** sc_run_is_sync() - whether an operation makes data durable */
bool sc_run_is_sync(enum sc_op op);

/* Sums over rows. */
struct sc_run_sum {
	uint64_t calls, bytes, ns, ns_max;
};

#define SC_RUN_ALL UINT32_MAX /* databases, roles */

/** sc_run_sum() - of the calls with operation @op; SC_RUN_ALL for each @database, each @role */
struct sc_run_sum sc_run_sum(const struct sc_run_rows *rows, uint32_t database, uint32_t role,
			     enum sc_op op);
/** sc_run_sum_syncs() - of fsync, fdatasync and msync */
struct sc_run_sum sc_run_sum_syncs(const struct sc_run_rows *rows, uint32_t database,
				   uint32_t role);
/** sc_run_sum_part() - of all operations of a part of the split */
struct sc_run_sum sc_run_sum_part(const struct sc_run_rows *rows, uint32_t database,
				  enum sc_part part);

/** sc_run_format() - summary.json of it, without the samples. The caller frees @ret_text. */
int sc_run_format(const struct sc_run *run, char **ret_text, struct sc_error *error);
