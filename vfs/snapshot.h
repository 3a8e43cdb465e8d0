/* SPDX-License-Identifier: MIT */
#pragma once

/* Pieces of a snapshot that both taking and subtracting need. */

#include "syncost.h"

/** sc_snapshot_estimate() - fill cpu_ns and run_delay_ns of the split from its read_ sums */
void sc_snapshot_estimate(struct syncost_split *split);

/** sc_row_compare() - order of rows: instrument, database, role, op */
int sc_row_compare(const struct syncost_row *a, const struct syncost_row *b);
