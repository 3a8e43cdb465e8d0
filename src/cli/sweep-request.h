/* SPDX-License-Identifier: MIT */
#pragma once

/* From options to a sweep: suite, targets, axes, plan. Reads the suite, measures nothing. */

#include "../sweep/sweep.h"
#include "sweep-choice.h"
#include "targets.h"

struct sc_globs { /* the items of a list of texts; all owned */
	char **items;
	size_t count;
};

struct sc_sweep_request { /* owned, but for texts of the command line */
	struct sc_suite **suites;
	size_t suite_count;
	struct sc_targets targets;
	struct sc_globs globs;    /* of --workload */
	struct sc_globs variants; /* of --variant */
	struct sc_plan *plan;
	int64_t **scaled;      /* of each suite: its numbers of rows; NULL: as they are */
	uint64_t *operations;  /* of the plan's cells; NULL: as they come */
	struct sc_sweep sweep; /* borrows all of the above */
};

/**
 * sc_sweep_request_make()
 * @choice: borrowed for as long as the request is used
 * @request: zeroed; ended with sc_sweep_request_fini(), also after a failure
 */
int sc_sweep_request_make(const struct sc_sweep_choice *choice, const struct sc_tool_facts *tool,
			  struct sc_sweep_request *request, struct sc_error *error);

void sc_sweep_request_fini(struct sc_sweep_request *request);
