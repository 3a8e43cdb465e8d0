/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Order statistics: quantiles of samples, and the exact distribution-free interval of the median.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_MEDIAN_SAMPLES_MIN 6u /* fewest samples whose extremes cover the median with 95 % */

/** sc_sort_doubles() - ascending, in place. */
void sc_sort_doubles(double *values, size_t count);

/**
 * sc_nearest_rank() - 1-based rank of the smallest value with at least a fraction @q at or below it
 * @count: > 0; @q: in (0, 1], taken as the decimal it was written as: 0.07 of 100 is rank 7
 */
uint64_t sc_nearest_rank(uint64_t count, double q);

/** sc_quantile() - nearest rank: smallest value with at least a fraction @q at or below it
 * @values: ascending; @q in (0, 1]. Return: false if @count is 0. */
bool sc_quantile(const double *values, size_t count, double q, double *ret_value);

/** sc_median() - the mean of the two middle values where @count is even. @values ascending. */
bool sc_median(const double *values, size_t count, double *ret_median);

/**
 * sc_median_ranks() - the narrowest symmetric order-statistic interval of the median
 * @count: samples; @confidence in (0, 1)
 * @ret_low, @ret_high: 1-based ranks, low + high = count + 1
 * @ret_coverage: exact: 1 - 2 * P(Binomial(count, 1/2) < low)
 *
 * Return: false where even the extremes do not reach @confidence (count < 6 for 0.95); then the
 * ranks are the extremes and the coverage theirs (ranks and coverage 0 for count 0).
 */
bool sc_median_ranks(size_t count, double confidence, size_t *ret_low, size_t *ret_high,
		     double *ret_coverage);
