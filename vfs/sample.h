/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When to read thread CPU. A pair of readings costs microseconds, the cheapest calls a fraction of
 * one; so readings are sampled, and how often follows from what they cost:
 *
 *   - each part of the split, SQL included, may spend a share of its own time on readings:
 *     1 % (syncs, which matter most, 2 %). A mean call of D ns and a pair of R ns make a stride of
 *     R / (share * D), from 1 (read every call) to SC_STRIDE_MAX. D is the mean since the last
 *     reading, so the stride follows the workload; R is what pairs took lately, for after a sleep
 *     they take twice what they do in a loop.
 *   - the gap to the next reading is drawn uniformly from 1 … 2 * stride - 1: its mean is the
 *     stride, and no period of the workload's calls can hide from it or attract it. The choice
 *     never looks at the call itself, so slow calls are read as often as fast ones.
 *   - a reading counts stride times: it stands for the calls passed over.
 *   - calls so long that a reading costs less than 1 % of them are a class of their own: each is
 *     read, if need be when it is over (sc_cpu_end_late()), and counts once. Rare stalls are thus
 *     neither missed nor taken for a thousand.
 *   - calls that become much slower while a long gap runs have it drawn anew, as for calls like the
 *     last, when the time since the last reading is several times what was expected.
 */

#include <stdbool.h>
#include <stdint.h>

#include "ledger.h"

#define SC_STRIDE_MAX 1024u

/** sc_random() - the thread's own generator: xorshift, period 2^32 - 1, good enough to sample */
static inline uint32_t sc_random(struct sc_thread *thread)
{
	uint32_t x = thread->random;

	x ^= x << 13;
	x ^= x >> 17;
	x ^= x << 5;
	thread->random = x;
	return x;
}

/** sc_sampler_is_due() - whether the present call is to be read; counts it either way. */
static inline bool sc_sampler_is_due(struct sc_sampler *sampler)
{
	if (__builtin_expect(sampler->countdown > 1, 1)) {
		sampler->countdown--;
		return false;
	}
	return true;
}

/* Slow path of sc_sampler_add(). */
void sc_sampler_redraw(struct sc_thread *thread, struct sc_sampler *sampler, enum sc_part part,
		       uint64_t wall_ns);

/** sc_sampler_add() - a call took @wall_ns; after it was read, if it was */
static inline void sc_sampler_add(struct sc_thread *thread, enum sc_part part, uint64_t wall_ns)
{
	struct sc_sampler *sampler = &thread->samplers[part];

	sampler->ns += wall_ns;
	if (__builtin_expect(sampler->ns > sampler->limit_ns, 0))
		sc_sampler_redraw(thread, sampler, part, wall_ns);
}

/** sc_sampler_pair() - a pair of readings took @ns */
void sc_sampler_pair(struct sc_thread *thread, uint64_t ns);

/** sc_sampler_stop() - no more readings: they are switched off, or not possible. */
void sc_sampler_stop(struct sc_sampler *sampler);

/**
 * sc_sampler_next() - after a reading: choose the next
 * @part: SC_PART_SYNC may spend more
 * @wall_ns: of the call just read, which the caller adds to the sampler after this
 *
 * Return: how many calls the reading just made stands for.
 */
uint32_t sc_sampler_next(struct sc_thread *thread, struct sc_sampler *sampler, enum sc_part part,
			 uint64_t wall_ns);
