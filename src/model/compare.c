/* SPDX-License-Identifier: MIT */
#include "compare.h"

/* The comparison as a whole: matched, counted, judged. */

#include <assert.h>
#include <errno.h>
#include <math.h>

#include "compare-differ.h"

static const char *const outcome_names[] = {
	[SC_OUTCOME_PASS] = "pass",
	[SC_OUTCOME_REGRESSION] = "regression",
	[SC_OUTCOME_INVALID] = "invalid",
};

const char *sc_outcome_name(enum sc_outcome outcome)
{
	assert((size_t)outcome < SC_ARRAY_COUNT(outcome_names));
	return outcome_names[outcome];
}

static void count_verdict(struct sc_comparison *comparison, size_t cell, size_t other)
{
	struct sc_compare_tally *tally = &comparison->tallies[other - 1];
	struct sc_change change = sc_compare_cell(comparison, cell, other);

	tally->cells++;
	tally->verdicts[change.verdict]++;
	tally->failing += change.fails;
}

static void lower_coverage(struct sc_comparison *comparison, const struct sc_digest_cell *base,
			   const struct sc_digest_cell *there)
{
	double coverage = base->coverage + there->coverage - 1;

	if (base->timing_samples == 0 || there->timing_samples == 0)
		return;
	if (!(comparison->coverage > 0) || coverage < comparison->coverage)
		comparison->coverage = fmax(coverage, 0);
}

static int compare_cell(struct sc_comparison *comparison, size_t cell, size_t other,
			const struct sc_match_terms *terms, const bool *taken)
{
	struct sc_compare_tally *tally = &comparison->tallies[other - 1];
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	const struct sc_digest_cell *there = sc_compare_match(comparison, cell, other);

	switch (sc_compare_state(comparison, cell, other)) {
	case SC_COMPARE_MISSING:
		tally->missing++;
		return sc_differ_missing(comparison, cell, other, terms, taken);
	case SC_COMPARE_ABSENT:
		tally->absent++;
		return sc_differ_status(comparison, other, base, there);
	case SC_COMPARE_COPY:
		tally->copies++;
		return 0;
	case SC_COMPARE_DONE:
		break;
	}
	count_verdict(comparison, cell, other);
	lower_coverage(comparison, base, there);
	return sc_differ_cells(comparison, other, base, there);
}

static int match_all(struct sc_comparison *comparison, size_t other,
		     const struct sc_match_terms *terms, bool *taken, struct sc_error *error)
{
	const struct sc_digest *base = &comparison->digests[0];
	const struct sc_digest *there = &comparison->digests[other];
	SC_CLEANUP(sc_freep) size_t *matches = NULL;
	size_t found = 0;
	int r;

	r = sc_match(base, there, terms, &matches, error);
	if (r < 0)
		return r;
	for (size_t i = 0; i < base->cell_count; i++) {
		comparison->matches[i * (comparison->digest_count - 1) + other - 1] = matches[i];
		if (matches[i] == SC_MATCH_NONE)
			continue;
		taken[matches[i]] = true;
		found++;
	}
	comparison->tallies[other - 1].extra = there->cell_count - found;
	return 0;
}

static int compare_report(struct sc_comparison *comparison, size_t other, struct sc_error *error)
{
	const struct sc_report_head *head = comparison->digests[0].head;
	const struct sc_match_terms terms = {
		.rules = comparison->rules,
		.ignores_target = head->target_count == 1 &&
				  comparison->digests[other].head->target_count == 1,
	};
	SC_CLEANUP(sc_freep)
	bool *taken = calloc(comparison->digests[other].cell_count + 1, sizeof(*taken));
	int r;

	if (!taken)
		return sc_fail(error, -ENOMEM, "comparing reports");
	r = match_all(comparison, other, &terms, taken, error);
	if (r < 0)
		return r;
	r = sc_differ_heads(comparison, other);
	if (r == 0)
		r = sc_differ_targets(comparison, other);
	for (size_t i = 0; r == 0 && i < comparison->digests[0].cell_count; i++)
		r = compare_cell(comparison, i, other, &terms, taken);
	return r < 0 ? sc_fail(error, r, "comparing reports") : 0;
}

static enum sc_outcome outcome_of(const struct sc_comparison *comparison)
{
	enum sc_outcome outcome = SC_OUTCOME_PASS;

	for (size_t i = 0; i < comparison->difference_count; i++) {
		if (comparison->differences[i].refused)
			return SC_OUTCOME_INVALID;
	}
	for (size_t i = 0; i + 1 < comparison->digest_count; i++) {
		if (comparison->rules->is_gate && comparison->tallies[i].cells == 0)
			return SC_OUTCOME_INVALID; /* a gate that guards nothing */
		if (comparison->tallies[i].failing > 0)
			outcome = SC_OUTCOME_REGRESSION;
	}
	return outcome;
}

int sc_compare(const struct sc_digest *digests, size_t digest_count,
	       const struct sc_compare_rules *rules, struct sc_comparison *ret_comparison,
	       struct sc_error *error)
{
	SC_CLEANUP(sc_comparison_fini)
	struct sc_comparison comparison = {
		.digests = digests,
		.digest_count = digest_count,
		.rules = rules,
	};
	int r = 0;

	assert(digest_count >= 2);
	comparison.matches =
		calloc(digests[0].cell_count * (digest_count - 1) + 1, sizeof(*comparison.matches));
	comparison.tallies = calloc(digest_count - 1, sizeof(*comparison.tallies));
	if (!comparison.matches || !comparison.tallies)
		return sc_fail(error, -ENOMEM, "comparing reports");
	for (size_t other = 1; r == 0 && other < digest_count; other++)
		r = compare_report(&comparison, other, error);
	if (r < 0)
		return r;
	comparison.outcome = outcome_of(&comparison);
	*ret_comparison = comparison;
	comparison = (struct sc_comparison){.digests = NULL};
	return 0;
}

void sc_comparison_fini(struct sc_comparison *comparison)
{
	free(comparison->matches);
	free(comparison->differences);
	free(comparison->tallies);
	*comparison = (struct sc_comparison){.digests = NULL};
}
