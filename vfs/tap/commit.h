/* SPDX-License-Identifier: MIT */
#pragma once

/* The records of commits that the preloaded tap keeps, and the thread's sums they are made of. */

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/* The thread's running sums; the difference of two is what happened between. */
struct sc_tap_moment {
	uint64_t at_ns; /* sc_clock_real_ns() */
	uint64_t part_ns[SC_PART_COUNT_];
	uint64_t bytes; /* written */
	uint32_t syncs;
};

/** sc_tap_commit_sum() - add a call; @ret_before: the sums without it, when it began */
void sc_tap_commit_sum(const struct sc_tap_call *call, uint64_t end_ns, uint64_t bytes,
		       struct sc_tap_moment *ret_before);

/** sc_tap_commit_now() - the sums of now */
void sc_tap_commit_now(struct sc_tap_moment *ret_moment);

/** sc_tap_commit_returns() - the call that made the last record returns: its end */
void sc_tap_commit_returns(void);

/** sc_tap_commit_database() - the database of the last record */
uint32_t sc_tap_commit_database(void);

/** sc_tap_commit_waited() - @ns of the time that passed were waiting for a lock */
void sc_tap_commit_waited(uint64_t ns);

/**
 * sc_tap_commit_record() - a transaction was committed whose commit began at @begin
 *
 * Its record is there at once, and goes on with what the thread does on the same database until it
 * is closed.
 */
void sc_tap_commit_record(struct sc_thread *thread, const struct sc_tap_moment *begin,
			  uint32_t database);

/** sc_tap_commit_more() - another database belongs to the transaction of the last record */
void sc_tap_commit_more(struct sc_thread *thread);

/** sc_tap_commit_extend() - the open record goes on to the end of @call, if it is of its database
 */
void sc_tap_commit_extend(const struct sc_tap_call *call);

/** sc_tap_commit_close() - what follows is not part of the commit any more */
void sc_tap_commit_close(void);

/** sc_tap_commit_stale() - what follows was not caused by the commit either */
void sc_tap_commit_stale(void);

/** sc_tap_commit_is_fresh() - whether what begins at @at_ns follows from the thread's last commit
 */
bool sc_tap_commit_is_fresh(const struct sc_thread *thread, uint32_t database, uint64_t at_ns);

/** sc_tap_commit_paid() - the last commit ran a checkpoint of @ns, to this moment; it is closed */
void sc_tap_commit_paid(struct sc_thread *thread, uint64_t ns);
