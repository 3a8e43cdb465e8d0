/* SPDX-License-Identifier: MIT */
#pragma once

/* Snapshots of several processes that worked on the same databases, as one. */

#include "../base/err.h"
#include "syncost.h"

/* A snapshot in memory that processes share: no pointers. Commit records are not kept. */
struct sc_shared_snapshot;

/** sc_shared_snapshot_bytes() - what one takes; most of it is never touched. */
size_t sc_shared_snapshot_bytes(void);

/** sc_shared_snapshot_put() - copy; SC_E_LIMIT where there are more rows than fit. */
int sc_shared_snapshot_put(struct sc_shared_snapshot *shared,
			   const struct syncost_snapshot *snapshot, struct sc_error *error);

/**
 * sc_snapshot_merge() - add @from to @into, which begins as zeros from calloc()
 *
 * Counts, times and histograms are added. Of a size each process knows what its own calls told it;
 * the maximum of all is that of the process that reached furthest. total_bytes_max stays the
 * highest moment that one process saw: with a journal that comes and goes, that is the moment of
 * the writer, who holds the lock; where no file shrinks, it is less than the sum at the end.
 */
int sc_snapshot_merge(struct syncost_snapshot *into, const struct sc_shared_snapshot *from,
		      struct sc_error *error);
