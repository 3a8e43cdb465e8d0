/* SPDX-License-Identifier: MIT */
#pragma once

/* A small report made by hand, the one behind the golden files in tests/data/report. */

#include "model/report.h"

#define SMALL_CELLS 8u

struct small_report {
	struct sc_report_head head;
	struct sc_cell cells[SMALL_CELLS];
	size_t count;
};

/** small_report_make() - judged; end with small_report_fini() */
void small_report_make(struct small_report *report);
void small_report_fini(struct small_report *report);

/** small_report_write() - head, cells, end */
void small_report_write(const struct small_report *report, FILE *out);

/** small_report_text() - the same as text; the caller frees it */
char *small_report_text(const struct small_report *report);
