/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Differences between the base and another report. All add to comparison->differences and return
 * 0 or -ENOMEM.
 */

#include "compare-match.h"
#include "compare.h"

int sc_differ_heads(struct sc_comparison *comparison, size_t other);
int sc_differ_targets(struct sc_comparison *comparison, size_t other);

/**
 * sc_differ_missing() - a cell that the other report lacks: by the key in which the nearest cell
 * that is no other's match differs
 * @taken: for each cell of the other report, whether it is a match
 */
int sc_differ_missing(struct sc_comparison *comparison, size_t cell, size_t other,
		      const struct sc_match_terms *terms, const bool *taken);

/** sc_differ_status() - a cell that was not measured in one of them */
int sc_differ_status(struct sc_comparison *comparison, size_t other,
		     const struct sc_digest_cell *base, const struct sc_digest_cell *there);

/** sc_differ_cells() - two cells that match and were measured */
int sc_differ_cells(struct sc_comparison *comparison, size_t other,
		    const struct sc_digest_cell *base, const struct sc_digest_cell *there);
