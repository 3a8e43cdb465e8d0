/* SPDX-License-Identifier: MIT */

/* Sums are of differences from the means: byte counts are large and their differences small. */

#include "fit.h"

static double mean(const double *values, size_t count)
{
	double sum = 0;

	for (size_t i = 0; i < count; i++)
		sum += values[i] - values[0];
	return values[0] + sum / (double)count;
}

bool sc_fit_line(const double *x, const double *y, size_t count, struct sc_fit *ret_fit)
{
	double mean_x, mean_y, xx = 0, xy = 0, yy = 0;

	if (count < 2)
		return false;
	mean_x = mean(x, count);
	mean_y = mean(y, count);
	for (size_t i = 0; i < count; i++) {
		double dx = x[i] - mean_x, dy = y[i] - mean_y;

		xx += dx * dx;
		xy += dx * dy;
		yy += dy * dy;
	}
	if (!(xx > 0))
		return false;
	ret_fit->slope = xy / xx;
	ret_fit->intercept = mean_y - ret_fit->slope * mean_x;
	ret_fit->r2 = yy > 0 ? xy / xx * xy / yy : 0;
	if (ret_fit->r2 > 1)
		ret_fit->r2 = 1;
	return true;
}
