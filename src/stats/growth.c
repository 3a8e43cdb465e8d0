/* SPDX-License-Identifier: MIT */

/*
 * The exponent e of cost ~ size^e, over all sizes, tells the classes apart where a term rules the
 * cost from the smallest size on: 0 is constant, 1 linear, and n log n over two decades from 1,000
 * is 1.11. Two things need more than that.
 *
 * A linear term beneath a large constant one has a small exponent, as a logarithm has (of n from
 * 1,000 to 100,000: 0.11). They differ in how the increments grow: from one size to the next, each
 * r times the last, those of a logarithm stay as they are, those of n^e grow r^e times.
 *
 * The depth of a tree is a logarithm in whole steps: 2, 2, 3. Its increments say nothing: the first
 * is nothing at all, and one level more adds no more than the levels that are there already. So
 * increments count only where both are above the noise.
 */

#include "growth.h"

#include <assert.h>
#include <math.h>

#include "fit.h"

#define SIZES_MAX     64u
#define LINEAR_MIN    0.5  /* exponents from here are nearer to linear than to a logarithm */
#define LINEAR_MAX    1.05 /* and beyond this above linear */
#define COST_SMALLEST 1e-9 /* in the place of nothing, for the logarithm */

static double largest(const double *values, size_t count)
{
	double most = values[0];

	for (size_t i = 1; i < count; i++)
		most = values[i] > most ? values[i] : most;
	return most;
}

static double smallest(const double *values, size_t count)
{
	double least = values[0];

	for (size_t i = 1; i < count; i++)
		least = values[i] < least ? values[i] : least;
	return least;
}

static double exponent_of(const double *sizes, const double *costs, size_t count)
{
	double x[SIZES_MAX], y[SIZES_MAX];
	struct sc_fit fit = {0};

	for (size_t i = 0; i < count; i++) {
		x[i] = log(sizes[i]);
		y[i] = log(costs[i] > COST_SMALLEST ? costs[i] : COST_SMALLEST);
	}
	(void)sc_fit_line(x, y, count, &fit); /* sizes differ */
	return fit.slope;
}

/* The exponent of what the last two increments are made of; negative where they do not tell. */
static double exponent_of_increments(const double *sizes, const double *costs, size_t count)
{
	const double *size = sizes + count - 3, *cost = costs + count - 3;
	double first = cost[1] - cost[0], second = cost[2] - cost[1];
	/* of a logarithm increments go as the logarithm of the ratio of the sizes */
	double first_ratio = log(size[1] / size[0]), second_ratio = log(size[2] / size[1]);

	if (first <= SC_GROWTH_NOISE * cost[0] || second <= SC_GROWTH_NOISE * cost[1])
		return -1;
	return log(second / second_ratio / (first / first_ratio)) /
	       ((first_ratio + second_ratio) / 2);
}

bool sc_growth_classify(const double *sizes, const double *costs, size_t count,
			struct sc_growth *ret_growth)
{
	double exponent;

	if (count < SC_GROWTH_SIZES_MIN || count > SIZES_MAX ||
	    sizes[count - 1] < SC_GROWTH_SPAN_MIN * sizes[0])
		return false;
	exponent = exponent_of(sizes, costs, count);
	ret_growth->exponent = exponent;
	/* What falls is no dearer for more rows. */
	if (largest(costs, count) <= (1 + SC_GROWTH_NOISE) * smallest(costs, count) ||
	    costs[count - 1] <= (1 + SC_GROWTH_NOISE) * costs[0])
		ret_growth->class = SC_GROWTH_CONSTANT;
	else if (exponent > LINEAR_MAX)
		ret_growth->class = SC_GROWTH_WORSE;
	else if (exponent > LINEAR_MIN || exponent_of_increments(sizes, costs, count) > LINEAR_MIN)
		ret_growth->class = SC_GROWTH_LINEAR;
	else
		ret_growth->class = SC_GROWTH_LOGARITHMIC;
	return true;
}

const char *sc_growth_name(enum sc_growth_class class)
{
	static const char *const names[] = {
		[SC_GROWTH_CONSTANT] = "constant",
		[SC_GROWTH_LOGARITHMIC] = "logarithmic",
		[SC_GROWTH_LINEAR] = "linear",
		[SC_GROWTH_WORSE] = "worse",
	};

	assert(class < SC_GROWTH_COUNT_);
	return names[class];
}
