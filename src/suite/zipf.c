/* SPDX-License-Identifier: MIT */

/*
 * Rejection-inversion, W. Hörmann and G. Derflinger, "Rejection-inversion to generate variates
 * from monotone discrete distributions", ACM TOMACS 6 (1996) 169-184. Exact, no tables; fewer than
 * 1.2 draws for a rank.
 *
 * The hat is h(x) = x^-s. Its integral H(x) = (x^(1-s) - 1) / (1 - s), or log x where s = 1, is
 * inverted at a uniform number between H(1.5) - 1 and H(n + 0.5); the rank is the nearest integer,
 * taken if the number lies above H(k + 0.5) - h(k). Near s = 1 both functions lose all digits to
 * cancellation, so they are written with expm1 and log1p of a product that goes to 0.
 */

#include "zipf.h"

#include <assert.h>
#include <math.h>

/* expm1(x) / x, 1 at 0. */
static double expm1_over(double x)
{
	return fabs(x) > 1e-8 ? expm1(x) / x : 1.0 + x / 2.0;
}

/* log1p(x) / x, 1 at 0. */
static double log1p_over(double x)
{
	return fabs(x) > 1e-8 ? log1p(x) / x : 1.0 - x / 2.0;
}

static double hat(double exponent, double x)
{
	return exp(-exponent * log(x));
}

static double area(double exponent, double x)
{
	double log_x = log(x);

	return expm1_over((1.0 - exponent) * log_x) * log_x;
}

static double area_inverse(double exponent, double y)
{
	double t = y * (1.0 - exponent);

	if (t < -1.0)
		t = -1.0; /* rounding at the far end */
	return exp(log1p_over(t) * y);
}

struct sc_zipf sc_zipf_init(uint64_t n, double exponent)
{
	assert(n >= 1);
	assert(exponent > 0.0);
	return (struct sc_zipf){
		.exponent = exponent,
		.n = (double)n,
		.area_first = area(exponent, 1.5) - 1.0,
		.area_last = area(exponent, (double)n + 0.5),
		.shortcut = 2.0 - area_inverse(exponent, area(exponent, 2.5) - hat(exponent, 2.0)),
	};
}

uint64_t sc_zipf_next(const struct sc_zipf *zipf, struct sc_random *random)
{
	for (;;) {
		double y = zipf->area_last +
			   sc_random_unit(random) * (zipf->area_first - zipf->area_last);
		double x = area_inverse(zipf->exponent, y);
		double k = floor(x + 0.5);

		if (k < 1.0)
			k = 1.0;
		else if (k > zipf->n)
			k = zipf->n;
		if (k - x <= zipf->shortcut ||
		    y >= area(zipf->exponent, k + 0.5) - hat(zipf->exponent, k))
			return (uint64_t)k;
	}
}
