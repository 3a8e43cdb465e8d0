/* SPDX-License-Identifier: MIT */
#pragma once

/* How many operations a timing sample does, from what the ledger sample took. Pure. */

#include "../model/sample.h"

#define SC_AMOUNT_TIME_NS     50000000u   /* a sample's timed part, at least */
#define SC_AMOUNT_COMMITS     20u         /* and as many commits, on slow storage */
#define SC_AMOUNT_TIME_MAX_NS 2000000000u /* but no longer, unless one commit takes that long */

#define SC_AMOUNT_SCHEDULED_NS  1000000000u /* of a schedule, that a timing sample runs */
#define SC_AMOUNT_SCHEDULED_MIN 100u        /* operations of it, at least: they have a p99 */

struct sc_amount {
	uint64_t operations;       /* whole commits of the workload */
	uint64_t cycle_operations; /* that fill the WAL up to a checkpoint; 0: no checkpoints */
	bool whole_cycles;         /* operations is a multiple of it */
};

/**
 * sc_amount_choose() - operations of a timing sample, in whole checkpoint cycles where they fit
 * @ledger: a measured ledger sample of the cell: time, commits and WAL bytes per operation
 * @setting, @wal_state: of the cell
 *
 * A recycled WAL sees checkpoints at their true rate only over whole cycles; where one cycle takes
 * longer than SC_AMOUNT_TIME_MAX_NS the sample goes without. A fresh WAL must not be reset inside
 * the timed part: it stays below one cycle, however short that is.
 */
struct sc_amount sc_amount_choose(const struct sc_sample *ledger, const struct sc_setting *setting,
				  enum sc_wal_state wal_state);

/**
 * sc_amount_scheduled() - the same where @rate operations are due a second
 *
 * No more than what SC_AMOUNT_TIME_MAX_NS suffices for, if the schedule cannot be kept.
 */
uint64_t sc_amount_scheduled(const struct sc_sample *ledger, uint64_t rate);
