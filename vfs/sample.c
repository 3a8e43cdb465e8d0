/* SPDX-License-Identifier: MIT */

/* Method: see the header. */

#include "sample.h"

#define SHARE_ONE_IN 100u     /* of a part's time may go into readings */
#define SHARE_SYNC_ONE_IN 20u

/* Uniform in 1 … @bound. */
static uint32_t draw(struct sc_thread *thread, uint32_t bound)
{
	return 1u + (uint32_t)(((uint64_t)sc_random(thread) * bound) >> 32);
}

void sc_sampler_stop(struct sc_sampler *sampler)
{
	sampler->countdown = UINT32_MAX;
}

/* @ns was spent in @calls calls. */
static uint32_t stride_for(enum sc_part part, uint64_t ns, uint64_t calls)
{
	uint64_t one_in = part == SC_PART_SYNC ? SHARE_SYNC_ONE_IN : SHARE_ONE_IN;
	uint64_t stride = ns ? sc_cpu_cost_ns() * one_in * calls / ns : SC_STRIDE_MAX;

	if (stride < 1)
		return 1;
	return stride > SC_STRIDE_MAX ? SC_STRIDE_MAX : (uint32_t)stride;
}

uint32_t sc_sampler_next(struct sc_thread *thread, struct sc_sampler *sampler, enum sc_part part,
			 uint64_t wall_ns)
{
	uint32_t weight = sampler->stride;

	if (sampler->gap == 0) {
		weight = 1;
		sampler->stride = stride_for(part, wall_ns, 1);
	} else {
		sampler->stride = stride_for(part, sampler->ns, sampler->gap);
	}
	sampler->gap = draw(thread, 2u * sampler->stride - 1u);
	sampler->countdown = sampler->gap;
	sampler->ns = 0;
	return weight;
}
