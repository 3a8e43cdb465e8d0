/* SPDX-License-Identifier: MIT */
#pragma once

/* The head of a sweep's report: tool, host, SQLite, plan. */

#include "../model/report.h"
#include "sweep.h"

/**
 * sc_head_fill() - everything but the targets, the times and what samples show
 * @head: zeroed; the caller ends it with sc_report_head_fini(), also after a failure
 */
int sc_head_fill(const struct sc_sweep *sweep, struct sc_report_head *head, struct sc_error *error);

/** sc_head_note_syncs() - which call syncs, from a cell's ledger. */
int sc_head_note_syncs(struct sc_report_head *head, const struct sc_syncs *syncs,
		       struct sc_error *error);

/**
 * sc_metadata_format() - metadata.json: host, build, command line, environment
 *
 * Of the environment only variables that change figures, from a fixed list.
 */
int sc_metadata_format(const struct sc_sweep *sweep, const struct sc_report_head *head,
		       char **ret_text, struct sc_error *error);
