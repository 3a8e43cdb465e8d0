/* SPDX-License-Identifier: MIT */
#pragma once

/* Which cell of one report is which of another. */

#include "compare.h"

#define SC_MATCH_NONE SIZE_MAX

/* What cells are told apart by. */
struct sc_match_terms {
	const struct sc_compare_rules *rules; /* ignored keys are left out */
	bool ignores_target; /* each report has one target: its label does not matter */
};

/**
 * sc_match() - pure
 * @ret_matches: an index of @other for each cell of @base, SC_MATCH_NONE where it has none; owned
 *               by the caller
 *
 * Return: 0; SC_E_USAGE where two cells of a report cannot be told apart; -ENOMEM.
 */
int sc_match(const struct sc_digest *base, const struct sc_digest *other,
	     const struct sc_match_terms *terms, size_t **ret_matches, struct sc_error *error);

/**
 * sc_match_nearest_key() - what a cell without a match lacks: the first key by which it differs
 * from the cell of @other that differs in fewest
 * @taken: for each cell of @other, whether it is the match of another one and does not count
 *
 * Return: the index of the key (identity), with that cell in *ret_nearest; SC_MATCH_NONE where
 * @other has no such cell.
 */
size_t sc_match_nearest_key(const struct sc_digest_cell *cell, const struct sc_digest *other,
			    const struct sc_match_terms *terms, const bool *taken,
			    size_t *ret_nearest);

/** sc_match_is_ignored() - @key, or what stands for it, is among the ignored ones */
bool sc_match_is_ignored(const struct sc_compare_rules *rules, const char *key);
