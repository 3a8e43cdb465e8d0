/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One call through the shim:
 *
 *	thread = sc_call_enter();
 *	if (!thread)
 *		return ...forward plainly...;
 *	... what must be published before the call ...
 *	sc_call_start(&call, thread, op);
 *	rc = ...forward...;
 *	end_ns = sc_call_finish(&call, database, role, op, bytes, is_failed);
 *	... what follows from it ...
 *	sc_call_leave(thread);
 *
 * errno comes through unchanged.
 */

#include "ledger.h"
#include "ops.h"
#include "sample.h"

/* Who reads thread CPU for the present call. */
enum sc_reading {
	SC_READING_NONE,
	SC_READING_OWN, /* the shim, around it */
	SC_READING_TAP, /* the tap, around each physical sync in it */
};

struct sc_call {
	struct sc_thread *thread;
	uint64_t start_ns;
	bool is_due; /* chosen by the sampler */
	enum sc_reading reading;
	struct sc_cpu_mark mark; /* for SC_READING_OWN */
	uint64_t mark_ns;        /* what that took */
};

/** sc_call_enter() - NULL: do not record (no meter, or inside another shim's call). */
static inline struct sc_thread *sc_call_enter(void)
{
	struct sc_thread *thread = sc_thread_get();

	if (!thread || thread->vfs_depth > 0)
		return NULL;
	thread->vfs_depth = 1;
	return thread;
}

static inline void sc_call_leave(struct sc_thread *thread)
{
	thread->vfs_depth = 0;
}

/* Slow path of sc_call_start(): begins a reading of thread CPU. */
void sc_call_read_begin(struct sc_call *call, enum sc_op op);

/* Slow path of sc_call_finish(): ends it. @series may be NULL. Returns the wall time that is left
   when readings the tap made inside the call are taken out. */
uint64_t sc_call_read_end(struct sc_call *call, enum sc_op op, struct sc_series *series,
			  uint64_t wall_ns);

/* A call that was not to be read and took long: read it now, as well as can be. */
void sc_call_read_late(struct sc_call *call, enum sc_op op, struct sc_series *series,
		       uint64_t wall_ns);

/*
 * Whether a call is read although it was not chosen: sleeps, one and all, for they are not what
 * other calls of their part are like; and syncs inside a bracketed call that is read, for what they
 * were asleep is subtracted from that, and is mostly far more than what is left.
 */
static inline bool sc_call_is_wanted(const struct sc_thread *thread, enum sc_op op)
{
	return op == SC_OP_SLEEP || (op == SC_OP_SYNC && thread->calls.is_sql_read);
}

/* Timed calls. @op is a constant: its part is then one too. */
static inline void sc_call_start(struct sc_call *call, struct sc_thread *thread, enum sc_op op)
{
	enum sc_part part = sc_ops[op].part;

	call->thread = thread;
	call->reading = SC_READING_NONE;
	thread->below.is_wanted = op == SC_OP_DELETE; /* the rest is zero: see sc_call_read_end() */
	call->is_due = op != SC_OP_SLEEP && sc_sampler_is_due(&thread->samplers[part]);
	if (__builtin_expect(call->is_due || sc_call_is_wanted(thread, op), 0))
		sc_call_read_begin(call, op);
	call->start_ns = sc_clock_ns();
}

/* Books the call; returns when it ended. */
static inline uint64_t sc_call_finish(struct sc_call *call, uint32_t database, enum sc_role role,
				      enum sc_op op, uint64_t bytes, bool is_failed)
{
	uint64_t end_ns = sc_clock_ns();
	uint64_t wall_ns = end_ns > call->start_ns ? end_ns - call->start_ns : 0;
	struct sc_thread *thread = call->thread;
	enum sc_part part = sc_ops[op].part;
	struct sc_series *series;

	series = sc_ledger_series(thread, SC_INSTRUMENT_VFS, database, role, op);
	if (__builtin_expect(thread->below.n > 0 || call->reading != SC_READING_NONE, 0))
		wall_ns = sc_call_read_end(call, op, series, wall_ns);
	else if (sc_cpu_is_long(wall_ns))
		sc_call_read_late(call, op, series, wall_ns);

	thread->part_ns[part] += wall_ns;
	if (op != SC_OP_SLEEP)
		sc_sampler_add(thread, part, wall_ns);
	if (__builtin_expect(series != NULL, 1))
		sc_ledger_note(series, true, wall_ns, bytes, is_failed,
			       thread->checkpoint_depth > 0);
	if (__builtin_expect(thread->checkpoint_depth > 0, 0))
		thread->calls.checkpoint.last_ns = end_ns;
	return end_ns;
}

/* Whether to time a call of which one in SC_OP_RARELY is: by the thread's generator. */
bool sc_call_is_chosen(struct sc_thread *thread);

/* A call that was only counted. */
static inline void sc_call_count(struct sc_thread *thread, uint32_t database, enum sc_role role,
				 enum sc_op op)
{
	struct sc_series *series = sc_ledger_series(thread, SC_INSTRUMENT_VFS, database, role, op);

	if (__builtin_expect(series != NULL, 1))
		sc_ledger_note(series, false, 0, 0, false, thread->checkpoint_depth > 0);
}

/** sc_moment_take() - the thread's running sums at @at_ns */
void sc_moment_take(const struct sc_thread *thread, uint64_t at_ns, struct sc_moment *ret_moment);

/** sc_thread_booked_ns() - wall time booked so far: all parts, and the readings */
uint64_t sc_thread_booked_ns(const struct sc_thread *thread);
