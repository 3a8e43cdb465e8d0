/* SPDX-License-Identifier: MIT */

/*
 * Method. The rare halves of a call: readings of thread CPU. The clock is read on both sides of
 * each reading, and what the readings took is kept apart (own_ns): it belongs to no part of the
 * split.
 *
 * A call that nobody read and that turns out long is read when it is over.
 */

#include "call.h"

#include <string.h>

static bool is_tap_on(void)
{
	return atomic_load_explicit(&sc_ledger.instruments, memory_order_relaxed) &
	       (1u << SC_INSTRUMENT_LIBC);
}

void sc_moment_take(const struct sc_thread *thread, uint64_t at_ns, struct sc_moment *ret_moment)
{
	ret_moment->at_ns = at_ns;
	memcpy(ret_moment->part_ns, thread->part_ns, sizeof(ret_moment->part_ns));
	ret_moment->own_ns = thread->own_ns;
	ret_moment->wait_sql_ns = thread->wait_sql_ns;
	ret_moment->checkpoint_ns = thread->checkpoint_ns;
	ret_moment->bytes = thread->written_bytes;
	ret_moment->syncs = thread->syncs;
}

uint64_t sc_thread_booked_ns(const struct sc_thread *thread)
{
	uint64_t sum = thread->own_ns;

	for (int part = 0; part < SC_PART_COUNT_; part++)
		sum += thread->part_ns[part];
	return sum;
}

void sc_call_read_begin(struct sc_call *call, enum sc_op op)
{
	struct sc_thread *thread = call->thread;
	enum sc_part part = sc_ops[op].part;
	uint64_t before_ns;

	if (!atomic_load_explicit(&sc_ledger.is_cpu_on, memory_order_relaxed)) {
		sc_sampler_stop(&thread->samplers[part]);
		return;
	}

	if (part == SC_PART_SYNC && !thread->is_tap_absent && is_tap_on()) {
		call->reading = SC_READING_TAP;
		thread->below.is_wanted = true;
		return;
	}

	before_ns = sc_clock_ns();
	if (sc_cpu_begin(thread, &call->mark))
		call->reading = SC_READING_OWN;
	else
		sc_sampler_stop(&thread->samplers[part]);
	call->mark_ns = sc_clock_ns() - before_ns;
	thread->own_ns += call->mark_ns;
}

static void add_reading(struct sc_thread *thread, enum sc_part part, uint64_t wall_ns,
			uint64_t off_cpu_ns, uint64_t run_delay_ns)
{
	struct sc_readings *readings = &thread->readings[part];

	readings->wall_ns += wall_ns;
	readings->off_cpu_ns += off_cpu_ns;
	readings->run_delay_ns += run_delay_ns;

	readings = &thread->calls.inside[part];
	readings->wall_ns += wall_ns;
	readings->off_cpu_ns += off_cpu_ns;
	readings->run_delay_ns += run_delay_ns;
	thread->calls.has_inside = true;
}

/* How many calls the reading of this one stands for; 0: it was not chosen, and stands for none. */
static uint32_t weight_of(struct sc_call *call, enum sc_op op, uint64_t wall_ns)
{
	enum sc_part part = sc_ops[op].part;

	if (call->is_due)
		return sc_sampler_next(call->thread, &call->thread->samplers[part], part, wall_ns);
	return op == SC_OP_SLEEP ? 1 : 0;
}

/* The tap has read around what blocks: the rest of the call was on the processor. */
static void end_below(struct sc_call *call, enum sc_op op, struct sc_series *series,
		      uint64_t wall_ns)
{
	struct sc_thread *thread = call->thread;
	const struct sc_below *below = &thread->below;
	uint64_t asleep_ns = below->off_cpu_ns + below->run_delay_ns;
	uint64_t cpu_ns = wall_ns > asleep_ns ? wall_ns - asleep_ns : 0;
	enum sc_part part = sc_ops[op].part;
	uint32_t weight;

	thread->is_tap_absent = false;
	if (part != SC_PART_SYNC) {
		/* A directory synced inside a delete: that much of it is waiting for a sync. */
		add_reading(thread, SC_PART_SYNC, below->wall_ns, below->off_cpu_ns,
			    below->run_delay_ns);
		thread->part_ns[SC_PART_SYNC] += below->wall_ns;
		thread->part_ns[part] -= below->wall_ns;
		return;
	}
	weight = weight_of(call, op, wall_ns);
	add_reading(thread, part, wall_ns, below->off_cpu_ns, below->run_delay_ns);
	if (series && weight > 0)
		sc_ledger_note_cpu(series, weight, wall_ns, cpu_ns, below->run_delay_ns);
}

static void end_own(struct sc_call *call, enum sc_op op, struct sc_series *series, uint64_t wall_ns)
{
	struct sc_thread *thread = call->thread;
	struct sc_cpu_share share;
	uint32_t weight;

	sc_cpu_end(thread, &call->mark, wall_ns, &share);
	weight = weight_of(call, op, wall_ns);
	add_reading(thread, sc_ops[op].part, wall_ns, share.off_cpu_ns, share.run_delay_ns);
	if (series && weight > 0)
		sc_ledger_note_cpu(series, weight, wall_ns, share.cpu_ns, share.run_delay_ns);
}

void sc_call_read_late(struct sc_call *call, enum sc_op op, struct sc_series *series,
		       uint64_t wall_ns)
{
	struct sc_thread *thread = call->thread;
	uint64_t before_ns = sc_clock_ns();
	struct sc_cpu_share share;

	if (sc_cpu_end_late(thread, call->start_ns, wall_ns, &share)) {
		add_reading(thread, sc_ops[op].part, wall_ns, share.off_cpu_ns, share.run_delay_ns);
		if (series)
			sc_ledger_note_cpu(series, 1, wall_ns, share.cpu_ns, share.run_delay_ns);
	}
	thread->own_ns += sc_clock_ns() - before_ns;
}

/* The tap's readings are inside the call's wall time: they are taken out. */
static uint64_t without_below(struct sc_thread *thread, uint64_t wall_ns)
{
	const struct sc_below *below = &thread->below;
	uint64_t own_ns = below->own_ns < wall_ns ? below->own_ns : wall_ns;

	thread->own_ns += own_ns;
	sc_sampler_pair(thread, below->own_ns / below->n);
	return wall_ns - own_ns;
}

uint64_t sc_call_read_end(struct sc_call *call, enum sc_op op, struct sc_series *series,
			  uint64_t wall_ns)
{
	struct sc_thread *thread = call->thread;
	uint64_t before_ns = sc_clock_ns(), ns;

	if (thread->below.n > 0) {
		wall_ns = without_below(thread, wall_ns);
		end_below(call, op, series, wall_ns);
	} else if (call->reading == SC_READING_OWN) {
		end_own(call, op, series, wall_ns);
	} else {
		thread->is_tap_absent = true; /* nothing physical: next time read it here */
	}
	thread->below = (struct sc_below){0};

	ns = sc_clock_ns() - before_ns;
	thread->own_ns += ns;
	if (call->reading == SC_READING_OWN)
		sc_sampler_pair(thread, call->mark_ns + ns);
	return wall_ns;
}

bool sc_call_is_chosen(struct sc_thread *thread)
{
	return sc_random(thread) % SC_OP_RARELY == 0;
}
