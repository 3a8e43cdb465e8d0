/* SPDX-License-Identifier: MIT */
#pragma once

/* The instruments around a sample, and what they saw of its timed part. */

#include "../model/sample.h"

struct syncost_snapshot;

/* Which instruments run. {0}: none, as in timing samples. */
struct sc_instruments {
	bool is_started; /* the meter, in timing samples for its clock alone */
	bool is_wanted, is_registered, is_tapped;
	const char *tap_reason; /* why a tap that was wanted does not run; static text */
};

#define SC_INSTRUMENTS_VFS "syncost"

/**
 * sc_instruments_start() - before the measured connection is opened
 * @wanted: bit per enum sc_instrument; 0: a clock, no instruments
 * @database: full path of the main database file
 */
int sc_instruments_start(struct sc_instruments *instruments, uint32_t wanted, const char *database,
			 struct sc_error *error);

/** sc_instruments_reset() - zero at the start of the timed part. */
int sc_instruments_reset(const struct sc_instruments *instruments, struct sc_error *error);

/** sc_instruments_snapshot() - at its end; NULL where nothing runs. */
int sc_instruments_snapshot(const struct sc_instruments *instruments,
			    struct syncost_snapshot **ret_snapshot, struct sc_error *error);

/** sc_instruments_stop() - after the measured connection was closed. */
void sc_instruments_stop(struct sc_instruments *instruments);

/**
 * sc_ledger_fill() - split, syncs, checkpoints, I/O and sizes of @sample from @snapshot
 * @snapshot: NULL: marks them as skipped
 * @threads_ns: what the split divides: the wall times of all measured threads together
 */
int sc_ledger_fill(struct sc_sample *sample, const struct sc_instruments *instruments,
		   const struct syncost_snapshot *snapshot, uint64_t threads_ns,
		   struct sc_error *error);
