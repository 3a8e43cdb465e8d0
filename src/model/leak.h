/* SPDX-License-Identifier: MIT */
#pragma once

/* Whether memory in use grows with the operations. Pure. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sample.h"

/* A leak: more than so many bytes an operation, by a line that explains so much of the variance… */
#define SC_LEAK_BYTES 500.0
#define SC_LEAK_R2    0.5

/* And in all of a sample: a few operations fill caches and tables that are full soon after. */
#define SC_LEAK_BYTES_ALL 65536.0

/**
 * sc_memory_fit() - lines through bytes in use over operations
 * @heap: of the process; @sqlite: of what SQLite allocated
 *
 * Skipped with a reason where there are fewer than SC_MEMORY_POINTS_MIN points.
 */
struct sc_memory sc_memory_fit(const double *operations, const double *heap, const double *sqlite,
			       size_t count);

/** sc_memory_leaks() - @operations: of the sample that the line is of */
bool sc_memory_leaks(const struct sc_memory *memory, uint64_t operations);

/** sc_memory_leaks_in_sqlite() - whether most of the growth is of what SQLite allocated */
bool sc_memory_leaks_in_sqlite(const struct sc_memory *memory);
