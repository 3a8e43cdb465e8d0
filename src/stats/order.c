/* SPDX-License-Identifier: MIT */
#include "order.h"

/*
 * Quantiles by nearest rank, and the interval of the median from the binomial distribution.
 *
 * Of n independent samples, the number below the median of a continuous distribution is
 * Binomial(n, 1/2), whatever the distribution is. So the median lies between the samples of ranks
 * low and n + 1 - low with probability 1 - 2 * P(Binomial(n, 1/2) < low), exactly (David and
 * Nagaraja, Order Statistics, 7.1); ties and discrete distributions only make it larger.
 *
 * The sum runs over k = 0, 1, … with C(n, k) / 2^n kept as fraction and exponent: it is exact
 * while C(n, k) * (n - k) fits 53 bits (n <= 50 or so), and for large n nothing under- or
 * overflows. Time is O(n); there is no table and no approximation.
 *
 * n = 0: no quantile, no median, no interval. n = 1: the sample, an interval of coverage 0.
 * n = 2: the extremes, coverage 1/2.
 */

#include <assert.h>
#include <float.h>
#include <math.h>
#include <stdlib.h>

static int compare_doubles(const void *left, const void *right)
{
	double a = *(const double *)left;
	double b = *(const double *)right;

	return (a > b) - (a < b);
}

static bool is_ascending(const double *values, size_t count)
{
	for (size_t i = 1; i < count; i++) {
		if (!(values[i - 1] <= values[i])) /* a NaN is not in order either */
			return false;
	}
	return true;
}

void sc_sort_doubles(double *values, size_t count)
{
	if (count > 1)
		qsort(values, count, sizeof(*values), compare_doubles);
}

uint64_t sc_nearest_rank(uint64_t count, double q)
{
	double product = q * (double)count;
	double nearest = round(product);
	uint64_t rank;

	assert(count > 0);
	assert(q > 0.0);
	assert(q <= 1.0);

	/* 0.07 * 100 is 7.000000000000001: q means the decimal it was written as. */
	if (fabs(product - nearest) > 2 * DBL_EPSILON * product)
		nearest = ceil(product);
	rank = (uint64_t)nearest;
	if (rank < 1)
		return 1;
	return rank < count ? rank : count;
}

bool sc_quantile(const double *values, size_t count, double q, double *ret_value)
{
	assert(is_ascending(values, count));
	if (count == 0)
		return false;

	*ret_value = values[sc_nearest_rank(count, q) - 1];
	return true;
}

bool sc_median(const double *values, size_t count, double *ret_median)
{
	double lower, upper;

	assert(is_ascending(values, count));
	if (count == 0)
		return false;

	lower = values[(count - 1) / 2];
	upper = values[count / 2];
	*ret_median = lower + (upper - lower) / 2;
	return true;
}

/* C(count, k) / 2^count, from k = 0 upwards. */
struct binomial {
	double count;
	double k;
	double fraction; /* the term is fraction * 2^exponent */
	double exponent; /* a whole number; -count to begin with */
};

static double binomial_term(const struct binomial *binomial)
{
	if (binomial->exponent < -2000) /* far below any double, and perhaps below any int */
		return 0.0;
	return ldexp(binomial->fraction, (int)binomial->exponent);
}

static void binomial_step(struct binomial *binomial)
{
	int shift;

	binomial->fraction *= binomial->count - binomial->k;
	binomial->k += 1;
	binomial->fraction = frexp(binomial->fraction / binomial->k, &shift);
	binomial->exponent += shift;
}

bool sc_median_ranks(size_t count, double confidence, size_t *ret_low, size_t *ret_high,
		     double *ret_coverage)
{
	struct binomial binomial = {(double)count, .fraction = 1.0, .exponent = -(double)count};
	size_t low = 1;
	double below = binomial_term(&binomial); /* P(Binomial < low) */

	assert(confidence > 0.0);
	assert(confidence < 1.0);

	if (count == 0) {
		*ret_low = *ret_high = 0;
		*ret_coverage = 0.0;
		return false;
	}

	while (low < (count + 1) / 2) {
		double next;

		binomial_step(&binomial);
		next = below + binomial_term(&binomial);
		if (1.0 - 2.0 * next < confidence)
			break;
		below = next;
		low++;
	}

	*ret_low = low;
	*ret_high = count + 1 - low;
	*ret_coverage = 1.0 - 2.0 * below;
	return *ret_coverage >= confidence;
}
