/* SPDX-License-Identifier: MIT */

/* Method: see the header. */

#include "sample.h"

#define SHARE_ONE_IN      100u /* of a part's time may go into readings */
#define SHARE_SYNC_ONE_IN 50u
#define PATIENCE          4u /* times the expected time between readings */
#define MEMORY            8u /* pairs of readings that their average goes back */
#define OUTLIER           8u /* times the calibrated cost: such a pair was interrupted */

/* Uniform in 1 … @bound. */
static uint32_t draw(struct sc_thread *thread, uint32_t bound)
{
	return 1u + (uint32_t)(((uint64_t)sc_random(thread) * bound) >> 32);
}

/* Time that a reading should be followed by before the next. */
static uint64_t period_ns(const struct sc_thread *thread, enum sc_part part)
{
	uint64_t pair_ns = thread->pair_ns ? thread->pair_ns : sc_cpu_cost_ns();

	return pair_ns * (part == SC_PART_SYNC ? SHARE_SYNC_ONE_IN : SHARE_ONE_IN);
}

/* A moving average, in which one that was interrupted does not count for more than it should. */
void sc_sampler_pair(struct sc_thread *thread, uint64_t ns)
{
	uint64_t cost_ns = sc_cpu_cost_ns(), highest_ns = OUTLIER * cost_ns;

	if (!thread->pair_ns)
		thread->pair_ns = cost_ns;
	if (ns > highest_ns)
		ns = highest_ns;
	thread->pair_ns = (thread->pair_ns * (MEMORY - 1) + ns) / MEMORY;
}

/* @ns was spent in @calls calls. */
static uint32_t stride_for(const struct sc_thread *thread, enum sc_part part, uint64_t ns,
			   uint64_t calls)
{
	uint64_t period = period_ns(thread, part);
	uint64_t stride = ns ? (period * calls + ns / 2) / ns : SC_STRIDE_MAX;

	if (stride < 1)
		return 1;
	return stride > SC_STRIDE_MAX ? SC_STRIDE_MAX : (uint32_t)stride;
}

static void start_gap(struct sc_thread *thread, struct sc_sampler *sampler, enum sc_part part,
		      uint32_t stride)
{
	sampler->stride = stride;
	sampler->gap = draw(thread, 2u * stride - 1u);
	sampler->countdown = sampler->gap;
	sampler->ns = 0;
	sampler->limit_ns = PATIENCE * period_ns(thread, part);
}

void sc_sampler_stop(struct sc_sampler *sampler)
{
	sampler->countdown = UINT32_MAX;
	sampler->limit_ns = UINT64_MAX;
}

void sc_sampler_redraw(struct sc_thread *thread, struct sc_sampler *sampler, enum sc_part part,
		       uint64_t wall_ns)
{
	if (sampler->countdown > 1) /* else the next call is read anyway */
		start_gap(thread, sampler, part, stride_for(thread, part, wall_ns, 1));
}

uint32_t sc_sampler_next(struct sc_thread *thread, struct sc_sampler *sampler, enum sc_part part,
			 uint64_t wall_ns)
{
	bool is_first = sampler->gap == 0;
	uint32_t weight = is_first || sc_cpu_is_long(wall_ns) ? 1 : sampler->stride;

	start_gap(thread, sampler, part,
		  is_first ? stride_for(thread, part, wall_ns, 1)
			   : stride_for(thread, part, sampler->ns, sampler->gap));
	return weight;
}
