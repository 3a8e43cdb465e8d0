/* SPDX-License-Identifier: MIT */
#pragma once

/* What a sweep says on standard error while it runs. */

#include "../sweep/sweep.h"

struct sc_progress_view {
	FILE *err;
	bool quiet;
	bool is_terminal;  /* one line that is rewritten, instead of a line now and then */
	bool line_open;    /* the rewritten line stands there */
	uint64_t told_ns;  /* when something was said last */
	size_t same_count; /* cells that carry the figures of others */
	const struct sc_sweep *sweep; /* what was asked for */
};

/** sc_progress_view_init() */
struct sc_progress_view sc_progress_view_init(FILE *err, bool quiet, const struct sc_sweep *sweep);

/** sc_progress_observer() - @view is borrowed for as long as the observer is used. */
struct sc_sweep_observer sc_progress_observer(struct sc_progress_view *view);

/** sc_progress_end() - leave the rewritten line behind. */
void sc_progress_end(struct sc_progress_view *view);

/** sc_sampling_text() - "9 samples each", "7 samples each, and more until ±5 % or 60 s" */
void sc_sampling_text(const struct sc_sweep *sweep, char *text, size_t text_bytes);

/** sc_duration_text() - "50 s", "4 min", "1 h 20 min": as people say it. */
void sc_duration_text(uint64_t ns, char *text, size_t text_bytes);

/** sc_duration_range_text() - "50 s", or "50 s to 65 s" where the two are not said alike */
void sc_duration_range_text(uint64_t least_ns, uint64_t most_ns, char *text, size_t text_bytes);
