/* SPDX-License-Identifier: MIT */
#pragma once

/* Reading the meters of a run: while it goes on for the timeline, and at its end for the report. */

#include "../model/run.h"

struct sc_gather {
	const char *directory; /* where the meters are; borrowed */
	uint64_t start_ns;     /* of the run, sc_monotonic_ns() */
	struct sc_run *run;    /* filled; borrowed */
	uint64_t every_ns;     /* between two looks; grows, so that the timeline does not */
	uint64_t next_ns;      /* no look before */
};

#define SC_GATHER_NS 100000000u /* between two looks, at first */

/** sc_gather_look() - one moment for the timeline; what cannot be read now is left out */
void sc_gather_look(struct sc_gather *gather);

/** sc_gather_finish() - processes, databases and rows, and the last moment of the timeline */
int sc_gather_finish(struct sc_gather *gather, struct sc_error *error);
