/* SPDX-License-Identifier: MIT */
#pragma once

/* Parts of a comparison as people read them, shared by its formats. */

#include "../base/buffer.h"
#include "../model/compare.h"

#define SC_COMPARE_TEXT_BYTES 48u

/** sc_compare_figure_text() - "52.0 µs"; the status where it was not measured */
const char *sc_compare_figure_text(size_t metric, const struct sc_digest_figure *figure, char *text,
				   size_t text_bytes);

/** sc_compare_beside_text() - the same; a count that would read as @beside but differs has the
 * digits that tell them apart */
const char *sc_compare_beside_text(size_t metric, const struct sc_digest_figure *figure,
				   const struct sc_digest_figure *beside, char *text,
				   size_t text_bytes);

/** sc_compare_change_text() - "2.11x" of times and rates, "+100 %" of counts; "" for the same; with
 *  a ^ where it is not that of the two figures beside it */
const char *sc_compare_change_text(size_t metric, const struct sc_change *change, char *text,
				   size_t text_bytes);

/** sc_compare_interval_text() - "1.80 … 2.46"; "" where there is none */
const char *sc_compare_interval_text(const struct sc_change *change, char *text, size_t text_bytes);

/** sc_compare_verdict_text() - "worse, fails"; "" of what is not judged and has no interval */
const char *sc_compare_verdict_text(size_t metric, const struct sc_change *change, char *text,
				    size_t text_bytes);

/** sc_compare_label() - "wal/full, recycled": a cell within its group */
void sc_compare_label(const struct sc_comparison *comparison, size_t cell, char *text,
		      size_t text_bytes);

/** sc_compare_name() - of a report: its host's label if no other has it, else its path */
const char *sc_compare_name(const struct sc_comparison *comparison, size_t report);

/** sc_compare_begins_group() - whether a cell cannot be put in one table with the one before it */
bool sc_compare_begins_group(const struct sc_comparison *comparison, size_t cell);

/** sc_compare_add_group() - "insert_one on local, suite commit" */
void sc_compare_add_group(struct sc_buffer *buffer, const struct sc_comparison *comparison,
			  size_t cell);

/** sc_compare_add_headline() - "regression: 2 of 24 cells cost more than is allowed" */
void sc_compare_add_headline(struct sc_buffer *buffer, const struct sc_comparison *comparison);

/** sc_compare_add_tally() - "24 cells compared: 20 same, 2 better, 2 worse; 4 carry another's" */
void sc_compare_add_tally(struct sc_buffer *buffer, const struct sc_compare_tally *tally);

/** sc_compare_add_report() - "base box: SQLite 3.40.1, Linux 6.1, 2 x CPU, 2026-…; ./base" */
void sc_compare_add_report(struct sc_buffer *buffer, const struct sc_comparison *comparison,
			   size_t report);

/** sc_compare_add_difference() - "host.kernel: 6.1.0-17, 6.1.0-18 in box2 (noted)" */
void sc_compare_add_difference(struct sc_buffer *buffer, const struct sc_comparison *comparison,
			       const struct sc_difference *difference);

/** sc_compare_rate_change() - the change of a rate; where times are adjusted, the other way round
 *  that of the time, so that one cell has one number */
struct sc_change sc_compare_rate_change(const struct sc_comparison *comparison, size_t cell,
					size_t other, size_t rate);

/** sc_compare_adjusts() - whether any change is marked with a ^; what that means */
bool sc_compare_adjusts(const struct sc_comparison *comparison);
#define SC_COMPARE_ADJUSTED                                                                        \
	"^: of what does not sync, at the speed of the base's machine (by reference work) and "    \
	"without waits for a CPU; the figures beside it are as they were measured."

/** sc_compare_add_rules() - what fails, in one sentence; of a gate */
void sc_compare_add_rules(struct sc_buffer *buffer, const struct sc_comparison *comparison);

/** sc_compare_is_changed() - a cell to be shown first: better, worse or failing */
bool sc_compare_is_changed(const struct sc_comparison *comparison, size_t cell, size_t other);

/** sc_compare_shows() - whether a metric of such a cell is worth a line: its time, or a count that
 * is not the same */
bool sc_compare_shows(size_t metric, const struct sc_change *change);

/** sc_compare_rate() - the metric that stands for a cell's rate: of its commits, or operations */
size_t sc_compare_rate(const struct sc_comparison *comparison, size_t cell);
