/* SPDX-License-Identifier: MIT */
#pragma once

/* The normal distribution: drawing from it, and its quantiles. */

#include "random.h"

/** sc_normal_draw() - mean 0, standard deviation 1; never infinite. */
double sc_normal_draw(struct sc_random *random);

/**
 * sc_normal_deviate() - how many standard deviations below the mean a fraction @q lies
 * @q: in (0, 0.5]
 */
double sc_normal_deviate(double q);
