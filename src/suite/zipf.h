/* SPDX-License-Identifier: MIT */
#pragma once

/* Ranks after Zipf's law: P(k) is proportional to k^-exponent for k = 1 … n. */

#include "../stats/random.h"

struct sc_zipf {
	double exponent;
	double n;
	double area_first, area_last; /* integrals of the hat where its two ends are */
	double shortcut;              /* within this of the left of a rank nothing is refused */
};

/** sc_zipf_init() - @n >= 1, @exponent > 0. */
struct sc_zipf sc_zipf_init(uint64_t n, double exponent);

/** sc_zipf_next() - a rank, 1 … n; constant time whatever n is. */
uint64_t sc_zipf_next(const struct sc_zipf *zipf, struct sc_random *random);
