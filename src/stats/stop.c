/* SPDX-License-Identifier: MIT */
#include "stop.h"

/*
 * A stopping rule whose coverage does not depend on the distribution.
 *
 * Whoever looks at the 95 % interval after each sample and stops at the first narrow one is wrong
 * far more often than in 5 %: an interval is narrow just when the samples happen to agree, and with
 * two modes they agree on the wrong value. In the worst case, looks at each n from 6 to 60 cover
 * the median in 81 %, from 6 to 200 in 72 % (computed as below).
 *
 * So looks are planned: the pilot, then half as many again each time, to the most samples. Of n
 * independent samples of a continuous distribution, S(n) lie below its median, and S is a walk that
 * adds 0 or 1 with probability 1/2, whatever the distribution. The interval of ranks r … n + 1 - r
 * misses the median exactly if S(n) < r or S(n) > n - r. That no look misses is the probability
 * that the walk passes all these gates, which is summed exactly (sc_stop_coverage(): the
 * distribution of S, cut at each gate). Stopping at any look for any reason, the values included,
 * can then miss no more often: to miss, the walk has to fail the gate where it stopped. This is
 * the group-sequential sign test turned into an interval.
 *
 * Ranks: the largest that leave each look the same chance of a miss, such that all looks together
 * hold with the confidence; then what the whole numbers left over is spent by raising single ranks,
 * the first looks first. For 95 % and looks at 8 12 18 27 41 60 the ranks are 1 2 4 8 13 21, where
 * single looks at 95 % would have 1 3 5 8 14 22: the price is about one rank.
 *
 * Between looks, at n + m samples with the rank of n: were the median below that sample, then
 * fewer than r of the n + m and so of the n lie below it, and the look at n has missed too.
 *
 * Exact for continuous distributions and independent samples; ties cover more. Drift is not
 * independence: rounds spread the samples of a cell over the whole run.
 *
 * Cost: planning O(samples_max²) for each of some 40 tries (n = 1000: 20 ms), looking O(1).
 */

#include <assert.h>
#include <math.h>

#include "normal.h"
#include "order.h"

#define TRIES 40

double sc_stop_coverage(const struct sc_stop_planned *looks, size_t look_count)
{
	double walk[SC_STOP_SAMPLES_MAX + 1u] = {1.0}; /* P(S(n) = s and no gate failed) */
	uint32_t n = 0;
	double held = 0.0;

	for (size_t i = 0; i < look_count; i++) {
		const struct sc_stop_planned *look = &looks[i];

		assert(look->samples > n && look->samples <= SC_STOP_SAMPLES_MAX);
		for (; n < look->samples; n++) {
			walk[n + 1] = 0.0;
			for (uint32_t s = n + 1; s > 0; s--)
				walk[s] = (walk[s] + walk[s - 1]) / 2;
			walk[0] /= 2;
		}
		for (uint32_t s = 0; s <= n; s++) {
			if (s < look->rank || s + look->rank > n)
				walk[s] = 0.0;
		}
	}
	for (uint32_t s = 0; s <= n; s++)
		held += walk[s];
	return held;
}

/* Half as many samples again each time; the last look is not one sample after the one before. */
static void plan_looks(struct sc_stop_rule *rule, uint32_t pilot, uint32_t samples_max)
{
	uint32_t samples = pilot;

	rule->look_count = 0;
	while (samples < samples_max) {
		rule->looks[rule->look_count++].samples = samples;
		samples += (samples + 1) / 2;
	}
	if (rule->look_count > 1 && samples_max < rule->looks[rule->look_count - 1].samples * 5 / 4)
		rule->look_count--;
	assert(rule->look_count < SC_STOP_LOOKS_MAX);
	rule->looks[rule->look_count++].samples = samples_max;
}

/* Each look misses with a probability of at most @miss, but for the extremes, which always count.
 */
static void set_ranks(struct sc_stop_rule *rule, double miss)
{
	for (size_t i = 0; i < rule->look_count; i++) {
		size_t low, high;
		double coverage;

		(void)sc_median_ranks(rule->looks[i].samples, 1.0 - miss, &low, &high, &coverage);
		rule->looks[i].rank = (uint32_t)low;
	}
	rule->coverage = sc_stop_coverage(rule->looks, rule->look_count);
}

static void raise_ranks(struct sc_stop_rule *rule)
{
	for (size_t i = 0; i < rule->look_count; i++) {
		struct sc_stop_planned *look = &rule->looks[i];
		double coverage;

		if (look->rank >= (look->samples + 1) / 2)
			continue;
		look->rank++;
		coverage = sc_stop_coverage(rule->looks, rule->look_count);
		if (coverage < rule->confidence)
			look->rank--;
		else
			rule->coverage = coverage;
	}
}

bool sc_stop_plan(double precision, double confidence, uint32_t pilot, uint32_t samples_max,
		  struct sc_stop_rule *ret_rule)
{
	struct sc_stop_rule rule = {.precision = precision, .confidence = confidence};
	double allowed = 1e-9, refused = 1.0 - confidence;

	assert(precision > 0.0);
	assert(confidence > 0.0 && confidence < 1.0);
	assert(pilot >= 1 && pilot <= samples_max && samples_max <= SC_STOP_SAMPLES_MAX);

	plan_looks(&rule, pilot, samples_max);
	set_ranks(&rule, allowed);
	if (rule.coverage < confidence)
		return false;
	for (int i = 0; i < TRIES; i++) {
		double middle = (allowed + refused) / 2;

		set_ranks(&rule, middle);
		if (rule.coverage >= confidence)
			allowed = middle;
		else
			refused = middle;
	}
	set_ranks(&rule, allowed);
	raise_ranks(&rule);
	*ret_rule = rule;
	return true;
}

/* The last look at or before @count samples, NULL before the pilot. */
static const struct sc_stop_planned *look_before(const struct sc_stop_rule *rule, size_t count)
{
	const struct sc_stop_planned *look = NULL;

	for (size_t i = 0; i < rule->look_count && rule->looks[i].samples <= count; i++)
		look = &rule->looks[i];
	return look;
}

static uint32_t samples_of_next(const struct sc_stop_rule *rule, size_t count)
{
	for (size_t i = 0; i < rule->look_count; i++) {
		if (rule->looks[i].samples > count)
			return rule->looks[i].samples;
	}
	return 0;
}

static double half_width(const struct sc_stop_verdict *verdict)
{
	return fmax(verdict->median - verdict->low, verdict->high - verdict->median) /
	       verdict->median;
}

struct sc_stop_verdict sc_stop_look(const struct sc_stop_rule *rule, const double *values,
				    size_t count)
{
	const struct sc_stop_planned *look = look_before(rule, count);
	struct sc_stop_verdict verdict = {.next_samples = samples_of_next(rule, count)};

	if (!look)
		return verdict;

	verdict.has_interval = true;
	(void)sc_median(values, count, &verdict.median);
	verdict.low = values[look->rank - 1];
	verdict.high = values[count - look->rank];
	if (look->samples == count && verdict.median > 0 &&
	    half_width(&verdict) <= rule->precision) {
		verdict.state = SC_STOP_CONVERGED;
		verdict.next_samples = 0;
	} else if (verdict.next_samples == 0) {
		verdict.state = SC_STOP_EXHAUSTED;
	}
	return verdict;
}

/* Half the width of the middle half, as the standard deviation of a normal distribution. */
static double spread_of(const double *values, size_t count)
{
	double lower, upper;

	(void)sc_quantile(values, count, 0.25, &lower);
	(void)sc_quantile(values, count, 0.75, &upper);
	return (upper - lower) / 2 / sc_normal_deviate(0.25);
}

uint32_t sc_stop_need(const struct sc_stop_rule *rule, const double *values, size_t count)
{
	double median, spread;

	assert(count >= 2);
	(void)sc_median(values, count, &median);
	spread = spread_of(values, count) / median;
	for (size_t i = 0; i < rule->look_count; i++) {
		const struct sc_stop_planned *look = &rule->looks[i];
		double q = (double)look->rank / ((double)look->samples + 1.0);

		if (spread * sc_normal_deviate(q) <= rule->precision)
			return look->samples;
	}
	return 0;
}
