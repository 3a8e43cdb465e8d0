/* SPDX-License-Identifier: MIT */
#pragma once

/* Writers of a comparison. What is printed was judged before; nothing is computed here. */

#include "../model/compare.h"
#include "writer.h"

struct sc_compare_writer {
	const char *name;    /* "md" */
	const char *summary; /* one line for --help */
	int (*write)(FILE *out, const struct sc_comparison *comparison,
		     const struct sc_render_options *options, struct sc_error *error);
};

/* In the order of help; the first is the default. */
extern const struct sc_compare_writer sc_compare_writers[];
extern const size_t sc_compare_writer_count;

/**
 * sc_compare_render() - print a comparison
 * @writer: an index of the list above
 * @options: as for sc_report_render(); NULL: 100 columns, UTF-8, no colours
 */
int sc_compare_render(const struct sc_comparison *comparison, size_t writer, FILE *out,
		      const struct sc_render_options *options, struct sc_error *error);
