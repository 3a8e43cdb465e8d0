/* SPDX-License-Identifier: MIT */
#pragma once

/* How long a sample will take, before anything is known but the price of a sync. Pure. */

#include "../model/sample.h"
#include "plan.h"

struct sc_estimate {
	uint64_t sync_ns;    /* one sync on the target */
	uint64_t operations; /* of a timing sample; 0: by time */
};

/** sc_estimate_sample() - nanoseconds from start to end of the process; within a factor of two. */
uint64_t sc_estimate_sample(const struct sc_estimate *estimate, const struct sc_plan *plan,
			    size_t cell_index, enum sc_sample_kind kind);

/** sc_estimate_sweep() - ledger samples, and @samples timing samples, of all cells that are run */
uint64_t sc_estimate_sweep(const struct sc_estimate *estimate, const struct sc_plan *plan,
			   uint32_t samples);
