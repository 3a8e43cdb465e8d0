/* SPDX-License-Identifier: MIT */

/*
 * That memory in use does not grow, said where it was the question: of the workloads of the suites
 * that are made for it. What does grow has a finding of its own in any suite (summarise.c). Of the
 * cells of a workload the one speaks whose memory grew the most.
 */

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "format.h"
#include "judge.h"
#include "leak.h"
#include "store.h"

#define SUITE "memory_checks" /* and its variants, which begin so */

static bool asks(const struct sc_cell *cell)
{
	return strncmp(cell->suite, SUITE, strlen(SUITE)) == 0 && cell->status == SC_MEASURED &&
	       !cell->same_as && !sc_store_is(cell->store, SC_STORE_SNAPSHOT);
}

static bool is_workload(const struct sc_cell *a, const struct sc_cell *b)
{
	return strcmp(a->target, b->target) == 0 && strcmp(a->suite, b->suite) == 0 &&
	       strcmp(a->workload, b->workload) == 0;
}

/* The one to speak; NULL where an earlier cell of the workload has been asked. */
static const struct sc_cell *pick(const struct sc_cell *cells, size_t cell_count, size_t first)
{
	const struct sc_cell *most = NULL;

	for (size_t i = 0; i < cell_count; i++) {
		const struct sc_cell *cell = &cells[i];

		if (!asks(cell) || !is_workload(cell, &cells[first]))
			continue;
		if (i < first)
			return NULL;
		if (!most || cell->memory.status > most->memory.status ||
		    (cell->memory.status == SC_MEASURED && most->memory.status == SC_MEASURED &&
		     cell->memory.heap_bytes_per_op > most->memory.heap_bytes_per_op))
			most = cell;
	}
	return most;
}

static int say(struct sc_report_head *head, const struct sc_cell *cell)
{
	const struct sc_memory *memory = &cell->memory;
	double bytes = memory->heap_bytes_per_op > 0 ? memory->heap_bytes_per_op : 0;
	char size[SC_FORMAT_BYTES], operations[24];

	if (memory->status != SC_MEASURED || memory->points == 0)
		return sc_findings_add(&head->findings, SC_FINDING_MEMORY_UNSEEN, cell->id,
				       memory->reason[0] ? memory->reason
							 : "no ledger sample was taken");
	if (sc_memory_leaks(memory, cell->ledger_ops))
		return 0; /* the cell says so */
	(void)snprintf(operations, sizeof(operations), "%" PRIu64, cell->ledger_ops);
	return sc_findings_add(&head->findings, SC_FINDING_MEMORY_STEADY, cell->id,
			       sc_format_size(bytes, size, sizeof(size)), operations);
}

int sc_judge_memory(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < cell_count; i++) {
		const struct sc_cell *cell = asks(&cells[i]) ? pick(cells, cell_count, i) : NULL;

		if (cell)
			r = say(head, cell);
	}
	return r;
}
