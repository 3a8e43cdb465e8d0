/* SPDX-License-Identifier: MIT */
#include "hist.h"

/*
 * Quantiles of a log-linear histogram.
 *
 * A quantile is the value of nearest rank, ceil(q * n): the walk over the buckets finds the one
 * that holds it and answers with its midpoint. A bucket [low, low + width) has
 * width <= low / 2^SC_HIST_SUB_BITS, so the midpoint low + width / 2 is at most
 * width / 2 / low <= 2^-(SC_HIST_SUB_BITS + 1) = 1/64 (1.6 %) from any value in it; values below
 * 2^(SC_HIST_SUB_BITS + 1) have buckets of width 1 and are exact. q = 1 is the maximum, kept
 * exactly beside the histogram. n = 0 has no quantile; n = 1 answers its one value for each q,
 * within the bound and never above it.
 *
 * Cost: SC_HIST_BUCKETS counts of 4 bytes (4.5 KiB), two passes for each quantile.
 */

#include <assert.h>

#include "order.h"

uint64_t sc_hist_count(const uint32_t *buckets)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < SC_HIST_BUCKETS; i++)
		count += buckets[i];
	return count;
}

void sc_hist_add(uint32_t *into, const uint32_t *from)
{
	for (uint32_t i = 0; i < SC_HIST_BUCKETS; i++) {
		if (__builtin_add_overflow(into[i], from[i], &into[i]))
			into[i] = UINT32_MAX;
	}
}

/* The bucket that holds the value of @rank, which is at most the number of values. */
static uint32_t bucket_of_rank(const uint32_t *buckets, uint64_t rank)
{
	uint64_t seen = 0;
	uint32_t i;

	for (i = 0; i < SC_HIST_BUCKETS - 1; i++) {
		seen += buckets[i];
		if (seen >= rank)
			break;
	}
	return i;
}

bool sc_hist_quantile(const uint32_t *buckets, uint64_t max, double q, uint64_t *ret_value)
{
	uint64_t count = sc_hist_count(buckets);
	uint64_t rank, low, middle;
	uint32_t index;

	if (count == 0)
		return false;

	rank = sc_nearest_rank(count, q);
	index = bucket_of_rank(buckets, rank);
	low = sc_hist_low(index);
	middle = low + (sc_hist_low(index + 1) - low) / 2;

	/* The last bucket has no upper edge once a value beyond the range is in it. */
	if (rank == count || middle > max ||
	    (index == SC_HIST_BUCKETS - 1 && max >= sc_hist_low(SC_HIST_BUCKETS)))
		*ret_value = max;
	else
		*ret_value = middle;
	return true;
}
