/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a running sweep knows of one cell: its samples, its size, how long it takes. All of it
 * follows from the samples, so that it can be had again from raw/samples.ndjson.
 */

#include "../model/report.h"
#include "sweep.h"

struct sc_record {
	struct sc_sample *samples; /* owned */
	size_t sample_count;
	uint32_t ledger_count, timing_count; /* of them */
	double *rates;       /* operations per second of the timing samples; ascending; owned */
	size_t rate_count;   /* at most timing_count: what did nothing has no rate */
	uint64_t operations; /* of a timing sample; 0: not known yet */
	uint64_t timing_ns;  /* turns of the timing samples together */
	uint64_t planned_ns; /* turn of a timing sample, by the ledger sample; before it a guess */
	uint64_t ledger_ns;  /* turn of the ledger sample, a guess */
	bool failed;         /* no more samples */
};

/**
 * sc_record_add() - take over @sample; it is empty afterwards
 * @index: of the cell in the plan
 */
int sc_record_add(struct sc_record *record, const struct sc_sweep *sweep, size_t index,
		  struct sc_sample *sample, struct sc_error *error);

/** sc_record_expected_ns() - turn of the next timing sample: the mean of those before */
uint64_t sc_record_expected_ns(const struct sc_record *record);

/** sc_record_commits() - @operations of a cell, rounded up to whole commits of SQLite */
uint64_t sc_record_commits(const struct sc_sweep *sweep, size_t index, uint64_t operations);

void sc_record_fini(struct sc_record *record);

/** sc_record_cell() - the identity of a plan's cell; figures: not run yet. */
int sc_record_cell(const struct sc_sweep *sweep, size_t index, struct sc_cell *cell,
		   struct sc_error *error);

struct sc_schedule;

/**
 * sc_records_summarise() - all cells from their samples, copies for those that are not run
 * @cells, @records: one each for the plan's cells
 */
int sc_records_summarise(const struct sc_schedule *schedule, const struct sc_record *records,
			 struct sc_cell *cells, struct sc_error *error);
