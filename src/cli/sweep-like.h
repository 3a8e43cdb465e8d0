/* SPDX-License-Identifier: MIT */
#pragma once

/* --like: as many operations in each sample as an earlier sweep had. */

#include "../sweep/plan.h"

/**
 * sc_sweep_like() - operations of the plan's cells, from those of a report
 * @folder: of the report
 * @ret_operations: plan->cell_count of them, 0 where the report has no such cell; the caller frees
 *
 * Cells are the same by their identifiers; where a plan and a report have one target each, whatever
 * those are called. Return: 0; < 0.
 */
int sc_sweep_like(const char *folder, const struct sc_plan *plan, uint64_t **ret_operations,
		  struct sc_error *error);
