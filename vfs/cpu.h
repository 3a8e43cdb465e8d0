/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The second axis of the split: what a wall interval of this thread was made of.
 *
 *	struct sc_cpu_mark mark;
 *
 *	if (sc_cpu_begin(thread, &mark)) {
 *		start_ns = sc_clock_ns();
 *		... the call ...
 *		wall_ns = sc_clock_ns() - start_ns;
 *		sc_cpu_end(thread, &mark, wall_ns, &share);
 *	}
 *
 * A pair of readings costs some microseconds, so callers sample. Neither allocates, locks or
 * changes errno; the system calls are made directly, so that the tap does not see them.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct sc_thread;

struct sc_cpu_mark {
	uint64_t cpu_ns;       /* CLOCK_THREAD_CPUTIME_ID */
	uint64_t run_delay_ns; /* second field of /proc/thread-self/schedstat */
};

/* cpu_ns + run_delay_ns + off_cpu_ns is the wall time given. */
struct sc_cpu_share {
	uint64_t cpu_ns;
	uint64_t run_delay_ns;
	uint64_t off_cpu_ns;
};

/** sc_cpu_begin() - Return: false where thread CPU cannot be read; @ret_mark is then untouched. */
bool sc_cpu_begin(struct sc_thread *thread, struct sc_cpu_mark *ret_mark);

/** sc_cpu_end() - the shares of @wall_ns since @mark, the readings' own cost taken out. */
void sc_cpu_end(struct sc_thread *thread, const struct sc_cpu_mark *mark, uint64_t wall_ns,
		struct sc_cpu_share *ret_share);

/**
 * sc_cpu_end_late() - the same for a call that was not expected to matter
 * @start_ns: clock when it began
 *
 * It is measured from the last reading, whatever that was for. What lies between that and @start_ns
 * is taken to have been on the processor: it holds no sync and no long call, for those are read.
 *
 * Return: false if that is more than a quarter of the call; @ret_share then means nothing, but the
 * next late reading has something to begin with.
 */
bool sc_cpu_end_late(struct sc_thread *thread, uint64_t start_ns, uint64_t wall_ns,
		     struct sc_cpu_share *ret_share);

/* Calls that take longer are worth a late reading: it costs 1 % of them. Never without readings. */
extern _Atomic uint64_t sc_cpu_long_ns;

/** sc_cpu_is_long() - whether a call of @wall_ns is one of them */
static inline bool sc_cpu_is_long(uint64_t wall_ns)
{
	return __builtin_expect(
		wall_ns > atomic_load_explicit(&sc_cpu_long_ns, memory_order_relaxed), 0);
}

/** sc_cpu_calibrate() - measure what a pair of readings adds and takes */
void sc_cpu_calibrate(struct sc_thread *thread);

/** sc_cpu_forget() - as before sc_cpu_calibrate(): no call is long */
void sc_cpu_forget(void);

/** sc_cpu_cost_ns() - wall time of a pair of readings, as calibrated; 0 before. */
uint64_t sc_cpu_cost_ns(void);

/** sc_cpu_release() - close the thread's schedstat descriptor, if it is still ours. */
void sc_cpu_release(struct sc_thread *thread);
