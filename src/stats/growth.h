/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * How a cost grows with the size of what it works on: a class, from a few sizes. Made for counts
 * (steps, pages), which have no noise to speak of; times need sizes further apart.
 */

#include <stdbool.h>
#include <stddef.h>

enum sc_growth_class {
	SC_GROWTH_CONSTANT,
	SC_GROWTH_LOGARITHMIC,
	SC_GROWTH_LINEAR,
	SC_GROWTH_WORSE, /* than linear */
	SC_GROWTH_COUNT_,
};

struct sc_growth {
	enum sc_growth_class class;
	double exponent; /* e of cost ~ size^e over all sizes, by least squares of the logarithms */
};

#define SC_GROWTH_SIZES_MIN 3u   /* below that there is no telling */
#define SC_GROWTH_SPAN_MIN  16.0 /* the largest size is at least so many times the smallest */
#define SC_GROWTH_NOISE     0.05 /* what differs by less is the same */

/**
 * sc_growth_classify() - pure
 * @sizes: increasing, above 0
 * @costs: 0 or more
 *
 * Return: false: too few sizes, or too close together.
 */
bool sc_growth_classify(const double *sizes, const double *costs, size_t count,
			struct sc_growth *ret_growth);

/** sc_growth_name() - "constant", "logarithmic", "linear", "worse" */
const char *sc_growth_name(enum sc_growth_class class);
