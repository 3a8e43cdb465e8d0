/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A workload made ready to run: statements with their binds, blocks of values generated before the
 * clock starts, and the loop that runs them.
 */

#include <sqlite3.h>
#include <stdatomic.h>

#include "../suite/generate.h"
#include "syncost/meter.h"

struct sc_image;

#define SC_PROGRAM_STATEMENTS_MAX 4096u /* with each name substituted */

struct sc_watch;

/* Counts of what ran; only ever added to. */
struct sc_tally {
	uint64_t operations, commits;
	uint64_t result_rows;
	int64_t result_sum;     /* of the first column, wrapping, where a check asks for it */
	uint64_t payload_bytes; /* of the values that were bound */
	uint64_t busy_retries, busy_ns; /* attempts after SQLITE_BUSY, and the pauses before them */
};

struct sc_timing {
	uint32_t *op_buckets, *commit_buckets; /* SC_HIST_BUCKETS each, owned */
	uint64_t op_ns_max, commit_ns_max;
};
int sc_timing_init(struct sc_timing *timing, struct sc_error *error);
void sc_timing_fini(struct sc_timing *timing);

/* What it takes to open the database. */
struct sc_program_place {
	const char *path, *vfs;
	const struct sc_setting *setting;
	const struct sc_connection *connection;
	bool is_snapshot; /* loaded, not opened: see execute-image.h */
};

/*
 * A schedule, of transactions: the first is due `first` times every_ns after the run's start, the
 * next one `stride` times every_ns later. every_ns 0: one after another.
 */
struct sc_due {
	double every_ns;
	uint32_t first, stride;
};

/* How a program runs, from the workload and the specification. */
struct sc_program_options {
	uint64_t rows_per_commit;             /* >= 1 */
	bool sums_results;                    /* result_sum is wanted */
	const struct sc_program_place *place; /* borrowed; for a workload that reopens */
	bool marks;                           /* bracket SQLite calls for the shim's split */
	struct sc_image *image; /* published after each commit; borrowed; NULL: a file's commit */
	/* Of one client among several, in memory that all of them share; NULL: it is alone. */
	_Atomic uint64_t *acknowledged; /* its operations that SQLite has said are committed */
	_Atomic uint64_t *commits;      /* of all clients */
	_Atomic bool *is_full;          /* see sc_program_is_full() */
	_Atomic bool *is_over;          /* those whom it runs beside have ended; NULL: nobody */
	struct sc_watch *watch;         /* of the WAL, while a snapshot is held; NULL: none is */
	struct sc_due due;
};

struct sc_program;

/**
 * sc_program_new() - prepare @workload on @db
 * @workload, @set, @db: borrowed and stay; all values come from @set
 */
int sc_program_new(sqlite3 *db, const struct sc_workload *workload, const struct sc_stream_set *set,
		   const struct sc_program_options *options, struct sc_program **ret_program,
		   struct sc_error *error);
void sc_program_freep(struct sc_program **program);

/** sc_program_rows_per_commit() - operations of a transaction */
uint64_t sc_program_rows_per_commit(const struct sc_program *program);

/* Values of consecutive operations. */
struct sc_block;

/**
 * sc_block_new() - values of operations @first … @first + @count - 1
 *
 * Statements that names make necessary are prepared here.
 */
int sc_block_new(struct sc_program *program, uint64_t first, uint64_t count,
		 struct sc_block **ret_block, struct sc_error *error);
void sc_block_freep(struct sc_block **block);

/**
 * sc_block_fill() - other values into the same memory: of @first … @first + @count - 1
 * @count: no more than it was made with
 */
int sc_block_fill(struct sc_block *block, struct sc_program *program, uint64_t first,
		  uint64_t count, struct sc_error *error);

/* Memory of a block; one transaction is never cut, however large it is. */
#define SC_BLOCK_BYTES (16u << 20)

/** sc_block_operations() - how many of @left operations make a block: whole transactions */
uint64_t sc_block_operations(const struct sc_program *program, uint64_t left);

/** sc_block_choose() - what sc_program_run() runs: operations @from up to, not with, @to of it
 * @from: where a transaction begins
 */
void sc_block_choose(struct sc_block *block, uint64_t from, uint64_t to);

/**
 * sc_program_stay_fresh() - end each later run before SQLite's first checkpoint
 * @pages: wal_autocheckpoint, > 0
 *
 * Takes the place of SQLite's automatic checkpoint: the commit that would start it is the last one.
 * Of clients all end then, each with the transaction that it has begun.
 */
void sc_program_stay_fresh(struct sc_program *program, uint32_t pages);

/** sc_program_schedule() - for each later run; {0}: none */
void sc_program_schedule(struct sc_program *program, struct sc_due due);

/** sc_program_is_full() - whether a run ended for that reason. */
bool sc_program_is_full(const struct sc_program *program);

/**
 * sc_program_run() - run a block, or what was chosen of it
 * @time_limit_ns: 0: none; else it stops at the first end of a transaction beyond it
 * @tally: added to; payload and sums are added by sc_block_count()
 * @timing: added to
 *
 * An operation lasts from the end of the one before to its own end; the last of a transaction
 * includes the commit, the first the begin. On a schedule it lasts from the moment at which its
 * transaction was due, however late that began. The time of a commit is that of the call that
 * commits.
 * Allocates nothing itself. After SQLITE_BUSY the same call is tried again, or the transaction
 * begins anew where it holds a lock that another one may be waiting for; up to a minute in which
 * no client commits.
 */
int sc_program_run(struct sc_program *program, const struct sc_block *block, uint64_t time_limit_ns,
		   struct sc_tally *tally, struct sc_timing *timing, struct sc_error *error);

/**
 * sc_block_count() - add what the first @operations of a block bound
 * @sums: one for each parameter: sums of integers, wrapping; others stay
 */
void sc_block_count(const struct sc_block *block, uint64_t operations, struct sc_tally *tally,
		    int64_t *sums);

/** sc_program_take_steps() - of SQLite's virtual machine since the last time; unprepared: of marks
 */
uint64_t sc_program_take_steps(struct sc_program *program);
