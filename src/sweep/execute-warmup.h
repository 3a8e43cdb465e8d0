/* SPDX-License-Identifier: MIT */
#pragma once

/* What runs before the clock starts. */

#include "execute-program.h"

/* A program, and how far it has got. */
struct sc_progress {
	sqlite3 *db;
	struct sc_program *program;
	uint64_t next;           /* index of the next operation's values */
	struct sc_tally tally;   /* of all that ran */
	int64_t *sums;           /* of the workload's parameters; caller's */
	struct sc_timing timing; /* of the warm-up: thrown away; caller's */
};

/** sc_progress_run() - the next @count operations, counted */
int sc_progress_run(struct sc_progress *progress, uint64_t count, struct sc_error *error);

struct sc_warmup {
	const struct sc_workload *workload;
	const struct sc_setting *effective;
	enum sc_wal_state wal_state;
	uint64_t rows_per_commit;
	uint64_t operations; /* that will be timed */
};

/**
 * sc_warmup_run() - warm up, and bring the WAL into the state that the sample starts from
 * @ret_wal_sequence: of the WAL's header when the timed part begins; 0 outside of WAL
 *
 * Fresh: the file is empty, and the timed part ends before the first checkpoint would begin, so
 * that every sync follows an append. Recycled: the file has its working size and has been reset, so
 * that syncs follow overwrites; the commits that bring it there are not synced. For a workload
 * that only reads, recycled is a WAL that was written to and checkpointed.
 *
 * What was written before the timed part is on the disk when this returns.
 *
 * Return: 0; SC_E_UNMEASURABLE where the workload writes too little to fill the WAL; another code.
 */
int sc_warmup_run(struct sc_progress *progress, const struct sc_warmup *warmup,
		  uint32_t *ret_wal_sequence, struct sc_error *error);
