/* SPDX-License-Identifier: MIT */
#pragma once

/* Waiting for a lock: from the first BUSY of an attempt to success or giving up. */

#include "file.h"
#include "ledger.h"

#define SC_WAIT_SHM     16 /* + slot: what is wanted of a WAL's lock bytes; below: a lock level */
#define SC_WAIT_SHM_MAP 32 /* the first mapping of the shm file, which another one holds up */

/** sc_wait_busy() - an attempt from @start_ns to @end_ns came back BUSY, booked already */
void sc_wait_busy(struct sc_thread *thread, struct sc_file *file, int wanted, uint64_t start_ns,
		  uint64_t end_ns);

/* Slow paths of those below. */
void sc_wait_end(struct sc_thread *thread, uint64_t end_ns);
void sc_wait_sleep_slow(struct sc_thread *thread, uint64_t end_ns);
void sc_wait_give_up(struct sc_thread *thread);
void sc_wait_call_ends_slow(struct sc_thread *thread, uint64_t end_ns);

/** sc_wait_got() - @file got @got at @end_ns; booked already */
static inline void sc_wait_got(struct sc_thread *thread, const struct sc_file *file, int got,
			       uint64_t end_ns)
{
	const struct sc_wait *wait = &thread->calls.wait;

	if (__builtin_expect(wait->file == file, 0) &&
	    (got >= SC_WAIT_SHM ? got == wait->wanted
				: got >= wait->wanted && wait->wanted < SC_WAIT_SHM))
		sc_wait_end(thread, end_ns);
}

/** sc_wait_sleep() - a sleep of SQLite's busy handler ended; booked already */
static inline void sc_wait_sleep(struct sc_thread *thread, uint64_t end_ns)
{
	if (thread->calls.wait.file)
		sc_wait_sleep_slow(thread, end_ns);
}

/** sc_wait_moved_on() - work that no attempt to lock would do: the thread waits no longer */
static inline void sc_wait_moved_on(struct sc_thread *thread)
{
	if (__builtin_expect(thread->calls.wait.file != NULL, 0))
		sc_wait_give_up(thread);
}

/** sc_wait_read() - a read: part of the next attempt, or a sign that it was given up */
static inline void sc_wait_read(struct sc_thread *thread)
{
	const struct sc_wait *wait = &thread->calls.wait;

	if (__builtin_expect(wait->file != NULL, 0) && !wait->is_resuming &&
	    !thread->calls.is_inside)
		sc_wait_give_up(thread);
}

/** sc_wait_call_ends() - the bracketed call returns at @end_ns */
static inline void sc_wait_call_ends(struct sc_thread *thread, uint64_t end_ns)
{
	if (__builtin_expect(thread->calls.wait.file != NULL, 0))
		sc_wait_call_ends_slow(thread, end_ns);
}
