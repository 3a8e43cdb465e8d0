/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a ledger sample asks SQLite and the allocator between stretches of its operations: steps of
 * the virtual machine, pages, and memory in use.
 */

#include <sqlite3.h>

#include "../model/sample.h"

#define SC_WORK_POINTS 64u

struct sc_program;

struct sc_work_log {      /* {0}: nothing is asked */
	uint64_t stretch; /* operations between two looks; 0: there are none */
	uint64_t vm_steps, pages, page_misses;
	uint64_t heap_start, sqlite_start; /* at the beginning of the stretch, bytes in use */
	double heap, sqlite;               /* what stretches added up to now */
	uint32_t count;
	double operations[SC_WORK_POINTS], heap_at[SC_WORK_POINTS], sqlite_at[SC_WORK_POINTS];
};

/**
 * sc_work_log_init() - @operations in about SC_WORK_POINTS stretches of whole transactions
 * @operations: 0: nothing is asked
 */
void sc_work_log_init(struct sc_work_log *log, uint64_t operations, uint64_t rows_per_commit);

/** sc_work_log_begin(), sc_work_log_end() - around a stretch, its clocks stopped */
void sc_work_log_begin(struct sc_work_log *log, sqlite3 *db);
void sc_work_log_end(struct sc_work_log *log, sqlite3 *db, struct sc_program *program,
		     uint64_t operations);

/** sc_work_log_fill() - the figures of the sample; skipped where nothing was asked */
void sc_work_log_fill(const struct sc_work_log *log, struct sc_sample *sample);
