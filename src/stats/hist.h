/* SPDX-License-Identifier: MIT */
#pragma once

/* Reading histograms with the buckets of syncost/meter.h. */

#include <stdbool.h>
#include <stdint.h>

#include "syncost/meter.h"

/* @buckets, @into, @from: SC_HIST_BUCKETS counts. */

/** sc_hist_count() - how many values. */
uint64_t sc_hist_count(const uint32_t *buckets);
/** sc_hist_add() - @into += @from; saturates at UINT32_MAX. */
void sc_hist_add(uint32_t *into, const uint32_t *from);
/**
 * sc_hist_quantile() - nearest rank, the midpoint of its bucket, never above @max
 * @max: the largest value, kept exactly beside the histogram
 * @q: in (0, 1]; q = 1 gives @max exactly
 *
 * At most 1/64 from the value of that rank. @max also answers for a rank among values that lie
 * beyond the histogram's range (18 minutes): too long rather than too short.
 *
 * Return: false if there are no values.
 */
bool sc_hist_quantile(const uint32_t *buckets, uint64_t max, double q, uint64_t *ret_value);
