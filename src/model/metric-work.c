/* SPDX-License-Identifier: MIT */
#include "metric-work.h"

static struct sc_metric_value absent(enum sc_status status, const char *reason)
{
	return (struct sc_metric_value){.status = status, .reason = reason};
}

static struct sc_metric_value per_op(const struct sc_cell *cell, uint64_t total)
{
	if (cell->work.status != SC_MEASURED)
		return absent(cell->work.status, cell->work.reason);
	if (cell->ledger_ops == 0)
		return absent(SC_SKIPPED, "no ledger sample was run");
	return (struct sc_metric_value){.status = SC_MEASURED,
					.number = (double)total / (double)cell->ledger_ops};
}

static struct sc_metric_value memory(const struct sc_cell *cell, double value)
{
	if (cell->memory.status != SC_MEASURED)
		return absent(cell->memory.status, cell->memory.reason);
	return (struct sc_metric_value){
		.status = SC_MEASURED, .number = value, .n = cell->memory.points};
}

struct sc_metric_value sc_work_vm_steps(const struct sc_cell *cell)
{
	return per_op(cell, cell->work.vm_steps);
}

struct sc_metric_value sc_work_pages(const struct sc_cell *cell)
{
	return per_op(cell, cell->work.pages);
}

struct sc_metric_value sc_work_page_misses(const struct sc_cell *cell)
{
	return per_op(cell, cell->work.page_misses);
}

struct sc_metric_value sc_memory_heap(const struct sc_cell *cell)
{
	return memory(cell, cell->memory.heap_bytes_per_op);
}

struct sc_metric_value sc_memory_heap_r2(const struct sc_cell *cell)
{
	return memory(cell, cell->memory.heap_r2);
}

struct sc_metric_value sc_memory_sqlite(const struct sc_cell *cell)
{
	return memory(cell, cell->memory.sqlite_bytes_per_op);
}
