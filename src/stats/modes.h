/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Two modes in a small sample: named, never dropped. A cell that is fast in some rounds and slow
 * in others has no one rate, and its median says which of both happened more often.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_MODES_SAMPLES_MIN 6u /* fewer cannot be told from chance */
#define SC_MODES_SAMPLES_MAX 1000u

struct sc_modes {
	double low_centre, high_centre; /* medians of either side */
	size_t low_count, high_count;   /* samples of either side */
	double boundary;                /* values above it are of the high mode */
	double chance; /* probability of as clear a gap in samples of one mode, from simulation */
};

/**
 * sc_modes_find() - whether samples fall into two groups with a gap that chance does not explain
 * @values:    any order, > 0; borrowed; @count: at most SC_MODES_SAMPLES_MAX
 * @ratio_min: > 1: centres nearer to each other than this do not matter
 * @ret_modes: set on true only
 *
 * Pure and deterministic. Each group has at least two samples and a fifth of all, so that single
 * outliers are no mode. False alarms: 0.5 % of samples that are normal or log-normal.
 *
 * Return: false where there is no such gap, or fewer than SC_MODES_SAMPLES_MIN samples.
 */
bool sc_modes_find(const double *values, size_t count, double ratio_min,
		   struct sc_modes *ret_modes);
