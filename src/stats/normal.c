/* SPDX-License-Identifier: MIT */
#include "normal.h"

/*
 * Draws by Box and Muller's transform; the second number of each pair is left, so that a draw has
 * no state beside the generator's. The largest is sqrt(2 ln 2^53) = 8.6.
 * Quantiles by bisection of erfc(), to the last bits of a double.
 */

#include <assert.h>
#include <math.h>

double sc_normal_draw(struct sc_random *random)
{
	/* 1 - [0, 1) is never 0 */
	double radius = sqrt(-2.0 * log(1.0 - sc_random_unit(random)));

	return radius * cos(2.0 * M_PI * sc_random_unit(random));
}

double sc_normal_deviate(double q)
{
	double low = 0.0, high = 40.0;

	assert(q > 0.0 && q <= 0.5);
	for (int i = 0; i < 60; i++) {
		double middle = (low + high) / 2;

		if (erfc(middle / M_SQRT2) / 2 > q)
			low = middle;
		else
			high = middle;
	}
	return low;
}
