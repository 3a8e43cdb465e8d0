/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The timed part of a sample that has no other clients. Values are made block by block, with every
 * clock stopped; an ordinary sample has one block, and a week of inserts takes no more memory.
 */

#include "execute-clients.h"
#include "execute-work.h"

struct sc_alone {
	/* the caller's */
	struct sc_program *program;
	const struct sc_instruments *instruments;
	sqlite3 *db; /* NULL: the program opens one for each operation */
	struct sc_timing *timing;
	int64_t *sums;          /* of the workload's parameters; added to */
	uint64_t first;         /* index of the first operation */
	uint64_t operations;    /* at most */
	uint64_t time_limit_ns; /* 0: none */
	/* own */
	struct sc_block *block;
	struct sc_work_log log; /* in ledger samples */
};

/** sc_alone_prepare() - the first block */
int sc_alone_prepare(struct sc_alone *alone, struct sc_error *error);
void sc_alone_fini(struct sc_alone *alone);

/**
 * sc_alone_run() - run to the end
 * @ret_part: without a snapshot
 */
int sc_alone_run(struct sc_alone *alone, struct sc_timed_part *ret_part, struct sc_error *error);
