/* SPDX-License-Identifier: MIT */
#pragma once

/* The report of a run, for people and as a table of moments. */

#include "../model/run.h"
#include "writer.h"

/** sc_run_print_table() - for a terminal */
void sc_run_print_table(const struct sc_run *run, FILE *out,
			const struct sc_render_options *options);

/** sc_run_print_markdown() */
void sc_run_print_markdown(const struct sc_run *run, FILE *out);

/** sc_run_print_timeline() - CSV, a row for each database and process at each moment */
void sc_run_print_timeline(const struct sc_run *run, FILE *out);
