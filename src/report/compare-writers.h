/* SPDX-License-Identifier: MIT */
#pragma once

/* Each writer of a comparison, for the list of them. All return 0 or a negative code. */

#include "compare.h"

int sc_compare_write_table(FILE *out, const struct sc_comparison *comparison,
			   const struct sc_render_options *options, struct sc_error *error);
int sc_compare_write_markdown(FILE *out, const struct sc_comparison *comparison,
			      const struct sc_render_options *options, struct sc_error *error);
int sc_compare_write_csv(FILE *out, const struct sc_comparison *comparison,
			 const struct sc_render_options *options, struct sc_error *error);
