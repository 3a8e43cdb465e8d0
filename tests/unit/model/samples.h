/* SPDX-License-Identifier: MIT */
#pragma once

/* Samples and cells made by hand, for the tests of the model and of the writers. */

#include "model/report.h"

/** make_timing() - a verified timing sample; its histograms are owned, end with sc_sample_fini() */
struct sc_sample make_timing(uint32_t round, uint64_t operations, uint64_t commits,
			     uint64_t wall_ns);

/** add_latency() - @count operations, and commits, of @ns each */
void add_latency(struct sc_sample *sample, uint64_t ns, uint32_t count);

/** make_ledger() - a verified ledger sample of 100 operations, each a commit, without I/O rows */
struct sc_sample make_ledger(uint32_t round, uint64_t wall_ns);

/** add_io() - a row for the database "app.db" */
void add_io(struct sc_sample *sample, enum sc_instrument instrument, enum sc_role role,
	    enum sc_op op, uint64_t calls, uint64_t bytes);

/** make_cell() - a cell that was not run, with an id made of its names */
struct sc_cell make_cell(const char *target, const char *workload, enum sc_journal_mode mode,
			 enum sc_synchronous level);

/** give_rates() - run the cell: @count timing samples of 1000 commits with these rates per second,
 * in rounds from 1, and a ledger sample in round 0 that spends @sync_share of its time in syncs */
void give_rates(struct sc_cell *cell, const double *rates, size_t count, double sync_share);
