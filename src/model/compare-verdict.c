/* SPDX-License-Identifier: MIT */

/*
 * Verdicts.
 *
 * Counts of one build and one seed are the same on every run, so any increase beyond what is
 * allowed is a regression; with several clients they are not, and are judged as tolerantly as
 * latency is.
 *
 * Latency: the interval of the ratio of two medians is taken from both medians' exact intervals,
 * [low / high, high / low]. If each holds its median, it holds the ratio; so it does with at least
 * 1 - (1 - a) - (1 - b) of the intervals' coverages a and b, whatever the distributions, and it is
 * wider than it would have to be (for equal spreads by about a factor of 1.4). Within 1 ± 5 % it
 * says "same", on one side of 1 "better" or "worse", else it cannot tell.
 *
 * Two runs see two machines: other programs take the CPU and the disk from one more than from the
 * other, and no interval within a run knows of it. But the samples do: a share w of the time that a
 * sample waited for a CPU (run delay and steal) made it 1 / (1 - w) times as long, and the sync
 * floor of a target was measured before each run. What these explain is no verdict: the interval
 * has to lie beyond 1 by as much. Of 42 pairs of one build on a machine with six times as many
 * runnable programs as CPUs, 6 failed without this, and none with it.
 *
 * The third is a piece of work of fixed size that each sample does before and after its timed part:
 * machines that share their memory with others run 1.6 times as slow for seconds at a time, and no
 * counter of the kernel says so. What does not sync spends its time in just such work: there each
 * sample's time, its run delay taken out, is divided by its own reference, and the quotients are
 * compared. Of 20 pairs whose
 * calls into SQLite were made twice as slow, one passed without this, since its base had been
 * measured while the machine was slow. What syncs is allowed the slower of reference and sync
 * floor, not both: part of the time is one, part is the other.
 *
 * That explanation is a mean: who waited for most of the time waited in lumps, and what those fell
 * on, commits or syncs or neither, differs from run to run. Where either side waited for more than
 * SC_DIGEST_WAITING_MAX no latency is told.
 *
 * A gate fails only where the verdict is "worse", and the medians are further apart than the
 * percentage beyond what is explained, and than the floor.
 */

#include <assert.h>
#include <math.h>

#include "compare-match.h"

#define ROUNDING             1e-9 /* counts are quotients of integers */
#define ADJUSTED_WAITING_MAX 0.6  /* of the time: what is left is too little to judge by */

static const char *const verdict_names[] = {
	[SC_VERDICT_SAME] = "same",
	[SC_VERDICT_BETTER] = "better",
	[SC_VERDICT_WORSE] = "worse",
	[SC_VERDICT_UNKNOWN] = "cannot tell",
};

const char *sc_verdict_name(enum sc_verdict verdict)
{
	assert(verdict < SC_VERDICT_COUNT_);
	return verdict_names[verdict];
}

/* --- one metric */

static enum sc_verdict side_of(const struct sc_compare_metric *metric, bool is_more)
{
	bool is_better = is_more == (metric->metric.better == SC_BETTER_HIGHER);

	return is_better ? SC_VERDICT_BETTER : SC_VERDICT_WORSE;
}

static enum sc_verdict verdict_of_count(const struct sc_compare_metric *metric, double base,
					double other)
{
	if (fabs(other - base) <= ROUNDING * fabs(base))
		return SC_VERDICT_SAME;
	return side_of(metric, other > base);
}

static enum sc_verdict verdict_of_ratio(const struct sc_compare_metric *metric,
					const struct sc_change *change,
					const struct sc_compare_tolerance *tolerance)
{
	bool is_time = metric->metric.better == SC_BETTER_LOWER;
	double more = is_time ? tolerance->slower : tolerance->faster;
	double less = is_time ? tolerance->faster : tolerance->slower;

	if (!change->has_interval || tolerance->is_blind)
		return SC_VERDICT_UNKNOWN;
	if (change->ratio_low >= 1 - SC_COMPARE_SAME && change->ratio_high <= 1 + SC_COMPARE_SAME)
		return SC_VERDICT_SAME;
	if (change->ratio_low > more)
		return side_of(metric, true);
	if (change->ratio_high < 1 / less)
		return side_of(metric, false);
	return SC_VERDICT_UNKNOWN;
}

static void set_ratio(struct sc_change *change, const struct sc_digest_figure *base,
		      const struct sc_digest_figure *other)
{
	change->has_ratio = base->number > 0;
	if (!change->has_ratio)
		return;
	change->ratio = other->number / base->number;
	change->has_ratio = isfinite(change->ratio); /* not where the base is almost 0 */
	change->has_interval =
		base->n > 0 && other->n > 0 && base->low > 0 && isfinite(other->high / base->low);
	if (!change->has_interval)
		return;
	change->ratio_low = other->low / base->high;
	change->ratio_high = other->high / base->low;
}

struct sc_change sc_change_of(const struct sc_compare_metric *metric,
			      const struct sc_digest_figure *base,
			      const struct sc_digest_figure *other,
			      const struct sc_compare_rules *rules,
			      const struct sc_compare_tolerance *tolerance)
{
	struct sc_change change = {.verdict = SC_VERDICT_UNKNOWN};
	double more = other->number - base->number;

	if (base->status != SC_MEASURED || other->status != SC_MEASURED)
		return change;
	change.is_there = true;
	set_ratio(&change, base, other);
	if (metric->kind == SC_COMPARE_COUNT) {
		change.verdict = verdict_of_count(metric, base->number, other->number);
		change.fails = change.verdict == SC_VERDICT_WORSE &&
			       more > base->number * (tolerance->allowed_percent / 100 + ROUNDING);
	} else {
		change.verdict = metric->metric.from == SC_FROM_LEDGER
					 ? verdict_of_count(metric, base->number, other->number)
					 : verdict_of_ratio(metric, &change, tolerance);
		change.fails = metric->kind == SC_COMPARE_LATENCY &&
			       change.verdict == SC_VERDICT_WORSE &&
			       other->number > base->number * tolerance->slower *
						       (1 + rules->latency_percent / 100) &&
			       more > rules->latency_floor_ns;
	}
	change.fails = change.fails && rules->is_gate;
	return change;
}

/* --- one cell */

static size_t match_of(const struct sc_comparison *comparison, size_t cell, size_t other)
{
	assert(other >= 1 && other < comparison->digest_count);
	assert(cell < comparison->digests[0].cell_count);
	return comparison->matches[cell * (comparison->digest_count - 1) + other - 1];
}

const struct sc_digest_cell *sc_compare_match(const struct sc_comparison *comparison, size_t cell,
					      size_t other)
{
	size_t match = match_of(comparison, cell, other);

	return match == SC_MATCH_NONE ? NULL : &comparison->digests[other].cells[match];
}

enum sc_compare_state sc_compare_state(const struct sc_comparison *comparison, size_t cell,
				       size_t other)
{
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	const struct sc_digest_cell *match = sc_compare_match(comparison, cell, other);

	if (!match)
		return SC_COMPARE_MISSING;
	if (base->status != SC_MEASURED || match->status != SC_MEASURED)
		return SC_COMPARE_ABSENT;
	return base->same_as && match->same_as ? SC_COMPARE_COPY : SC_COMPARE_DONE;
}

static double smaller(double a, double b)
{
	return a < b ? a : b;
}

static double larger(double a, double b)
{
	return a > b ? a : b;
}

/* Only what syncs has to do with how fast the storage syncs. */
static bool does_sync(const struct sc_digest_cell *cell)
{
	return cell->figures[sc_compare_metric_find("syncs_vfs_per_commit")].number > 0;
}

/* Whether times are compared without run delay and at the speed that the base's machine had. */
static bool is_adjusted(const struct sc_digest_cell *base, const struct sc_digest_cell *match)
{
	return base->references_per_op.status == SC_MEASURED &&
	       match->references_per_op.status == SC_MEASURED && !does_sync(base) &&
	       !does_sync(match);
}

static void adjust_time(const struct sc_digest_cell *base, const struct sc_digest_cell *match,
			struct sc_digest_figure *ret_base, struct sc_digest_figure *ret_match)
{
	*ret_base = base->references_per_op;
	*ret_match = match->references_per_op;
	for (int i = 0; i < 2; i++) {
		struct sc_digest_figure *figure = i ? ret_match : ret_base;

		figure->number *= base->reference_ns;
		figure->low *= base->reference_ns;
		figure->high *= base->reference_ns;
	}
}

static bool is_starved(const struct sc_comparison *comparison, size_t digest,
		       const struct sc_digest_cell *cell, bool is_adjusted)
{
	return is_adjusted ? cell->waiting > ADJUSTED_WAITING_MAX
			   : sc_digest_is_starved(&comparison->digests[digest], cell);
}

struct sc_compare_tolerance sc_compare_tolerance(const struct sc_comparison *comparison,
						 size_t cell, size_t other)
{
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	const struct sc_digest_cell *match = sc_compare_match(comparison, cell, other);
	bool adjusts = is_adjusted(base, match);
	double waited = adjusts ? (1 - base->stolen) / (1 - match->stolen)
				: (1 - base->waiting) / (1 - match->waiting);
	uint64_t floor_base = sc_digest_floor(&comparison->digests[0], base);
	uint64_t floor_other = sc_digest_floor(&comparison->digests[other], match);
	double floors = floor_base > 0 && floor_other > 0 && does_sync(match)
				? (double)floor_other / (double)floor_base
				: 1.0;
	double reference = !adjusts && base->reference_ns > 0 && match->reference_ns > 0
				   ? match->reference_ns / base->reference_ns
				   : 1.0;
	double slower = larger(floors, reference), faster = smaller(floors, reference);

	return (struct sc_compare_tolerance){
		.slower = larger(1, waited) * larger(1, slower),
		.faster = larger(1, 1 / waited) * larger(1, 1 / faster),
		.is_blind = is_starved(comparison, 0, base, adjusts) ||
			    is_starved(comparison, other, match, adjusts) ||
			    (comparison->rules->common &&
			     (base->timing_samples < SC_COMPARE_SAMPLES_MIN ||
			      match->timing_samples < SC_COMPARE_SAMPLES_MIN)),
	};
}

struct sc_change sc_compare_change(const struct sc_comparison *comparison, size_t cell,
				   size_t other, size_t metric)
{
	const struct sc_compare_rules *rules = comparison->rules;
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	const struct sc_digest_cell *match = sc_compare_match(comparison, cell, other);
	struct sc_compare_metric row = sc_compare_metric(metric);
	struct sc_compare_tolerance tolerance = sc_compare_tolerance(comparison, cell, other);
	struct sc_digest_figure adjusted_base, adjusted_match;
	struct sc_change change;

	assert(match);
	tolerance.allowed_percent = rules->allowed_percent[metric];
	if (base->clients > 1)
		tolerance.allowed_percent =
			larger(tolerance.allowed_percent, rules->latency_percent);
	if (row.kind == SC_COMPARE_LATENCY && base->figures[metric].status == SC_MEASURED &&
	    match->figures[metric].status == SC_MEASURED && is_adjusted(base, match)) {
		adjust_time(base, match, &adjusted_base, &adjusted_match);
		change = sc_change_of(&row, &adjusted_base, &adjusted_match, rules, &tolerance);
		change.is_adjusted = true;
		return change;
	}
	return sc_change_of(&row, &base->figures[metric], &match->figures[metric], rules,
			    &tolerance);
}

static bool is_judged(const struct sc_compare_rules *rules, enum sc_compare_kind kind)
{
	return kind == SC_COMPARE_COUNT || (kind == SC_COMPARE_LATENCY && !rules->counts_only);
}

/* The more telling of two: worse, cannot tell, better, same. */
static enum sc_verdict worse_of(enum sc_verdict a, enum sc_verdict b)
{
	static const int weights[] = {
		[SC_VERDICT_SAME] = 0,
		[SC_VERDICT_BETTER] = 1,
		[SC_VERDICT_UNKNOWN] = 2,
		[SC_VERDICT_WORSE] = 3,
	};

	return weights[a] >= weights[b] ? a : b;
}

struct sc_change sc_compare_cell(const struct sc_comparison *comparison, size_t cell, size_t other)
{
	struct sc_change whole = {.verdict = SC_VERDICT_SAME};

	for (size_t i = 0; i < SC_COMPARE_METRICS; i++) {
		struct sc_change change = sc_compare_change(comparison, cell, other, i);

		if (!change.is_there || !is_judged(comparison->rules, sc_compare_metric(i).kind))
			continue;
		whole.is_there = true;
		whole.fails = whole.fails || change.fails;
		whole.verdict = worse_of(whole.verdict, change.verdict);
	}
	if (!whole.is_there)
		whole.verdict = SC_VERDICT_UNKNOWN;
	return whole;
}
