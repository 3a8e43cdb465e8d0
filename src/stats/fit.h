/* SPDX-License-Identifier: MIT */
#pragma once

/* A straight line through points, by least squares. */

#include <stdbool.h>
#include <stddef.h>

struct sc_fit {
	double slope, intercept;
	double r2; /* of the variance of y, what the line explains, 0 … 1; 0 where y is constant */
};

/** sc_fit_line() - Return: false: fewer than two different x */
bool sc_fit_line(const double *x, const double *y, size_t count, struct sc_fit *ret_fit);
