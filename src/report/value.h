/* SPDX-License-Identifier: MIT */
#pragma once

/* Figures of the catalogue as people read them. */

#include "../model/metric.h"
#include "../model/report.h"

#define SC_VALUE_BYTES 40u

/** sc_value_text() - "1.23 ms", "3.08", "87 %"; the status where it was not measured */
const char *sc_value_text(const struct sc_metric *metric, const struct sc_metric_value *value,
			  char *text, size_t text_bytes);

/**
 * sc_bound_text() - "sync 87 %": by what, and its share; "" where it is not known
 * @brief: short names; a ? at the end: the sample waited for a CPU for long (SC_WAITING_MAX)
 */
const char *sc_bound_text(const struct sc_cell *cell, bool brief, char *text, size_t text_bytes);

/** sc_recommended_text() - "4.26k commits/s (95 % interval 3.9k–4.6k)" */
const char *sc_recommended_text(const struct sc_interval *rate, char *text, size_t text_bytes);

/** sc_half_width_text() - "±1.2 %", with a * where the interval is wider than was asked for */
const char *sc_half_width_text(const struct sc_cell *cell, char *text, size_t text_bytes);

/** sc_loss_text() - "none", "last?", "ckpt", "any!"; "all" in memory, "-" where nothing commits */
const char *sc_loss_text(const struct sc_report_head *head, const struct sc_cell *cell, char *text,
			 size_t text_bytes);

/** sc_busy_text() - busy retries a commit, over all timing samples; "-" where nothing commits */
const char *sc_busy_text(const struct sc_cell *cell, char *text, size_t text_bytes);

/** sc_batch_of() - operations a commit; the workload's own as they were measured; 0: not known */
uint32_t sc_batch_of(const struct sc_cell *cell);

/** sc_batch_text() - operations a commit; "-" where they are not known */
const char *sc_batch_text(const struct sc_cell *cell, char *text, size_t text_bytes);

/** sc_same_text() - "= wal/full": whose figures a cell carries, without what both have in common */
void sc_same_text(const struct sc_cell *cell, char *text, size_t text_bytes);

/** sc_unit_plural() - "rows" of "row", "queries" of "query" */
void sc_unit_plural(const char *unit, char *text, size_t text_bytes);

/** sc_reason_text() - "failed: the disk is full": why a cell has no figures */
void sc_reason_text(const struct sc_cell *cell, char *text, size_t text_bytes);
