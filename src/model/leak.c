/* SPDX-License-Identifier: MIT */
#include "leak.h"

#include <stdio.h>

#include "../stats/fit.h"

struct sc_memory sc_memory_fit(const double *operations, const double *heap, const double *sqlite,
			       size_t count)
{
	struct sc_memory memory = {.status = SC_SKIPPED};
	struct sc_fit of_heap, of_sqlite;

	if (count < SC_MEMORY_POINTS_MIN || !sc_fit_line(operations, heap, count, &of_heap) ||
	    !sc_fit_line(operations, sqlite, count, &of_sqlite)) {
		(void)snprintf(memory.reason, sizeof(memory.reason),
			       "fewer than %u transactions in the ledger sample",
			       SC_MEMORY_POINTS_MIN);
		return memory;
	}
	return (struct sc_memory){
		.points = (uint32_t)count,
		.heap_bytes_per_op = of_heap.slope,
		.heap_r2 = of_heap.r2,
		.sqlite_bytes_per_op = of_sqlite.slope,
		.sqlite_r2 = of_sqlite.r2,
	};
}

bool sc_memory_leaks(const struct sc_memory *memory, uint64_t operations)
{
	return memory->status == SC_MEASURED && memory->heap_bytes_per_op > SC_LEAK_BYTES &&
	       memory->heap_bytes_per_op * (double)operations >= SC_LEAK_BYTES_ALL &&
	       memory->heap_r2 >= SC_LEAK_R2;
}

bool sc_memory_leaks_in_sqlite(const struct sc_memory *memory)
{
	return memory->sqlite_bytes_per_op > memory->heap_bytes_per_op / 2;
}
