/* SPDX-License-Identifier: MIT */
#pragma once

/* What a running sweep knows of one cell: its samples, its size, how long it takes. */

#include "../model/report.h"
#include "sweep.h"

struct sc_record {
	struct sc_sample *samples; /* owned */
	size_t sample_count;
	uint64_t operations;  /* of a timing sample; 0: not known yet */
	uint64_t expected_ns; /* from start to end of the next timing sample's process */
	uint64_t ledger_ns;   /* the same of the ledger sample */
	bool failed;          /* no more samples */
};

/** sc_record_add() - take over @sample; it is empty afterwards. */
int sc_record_add(struct sc_record *record, struct sc_sample *sample, struct sc_error *error);

void sc_record_fini(struct sc_record *record);

/** sc_record_cell() - the identity of a plan's cell; figures: not run yet. */
int sc_record_cell(const struct sc_sweep *sweep, size_t index, struct sc_cell *cell,
		   struct sc_error *error);

/**
 * sc_records_summarise() - all cells from their samples, copies for those that are not run
 * @cells, @records: one each for the plan's cells
 */
int sc_records_summarise(const struct sc_plan *plan, const struct sc_record *records,
			 struct sc_cell *cells, struct sc_error *error);
