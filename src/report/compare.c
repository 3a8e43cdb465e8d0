/* SPDX-License-Identifier: MIT */
#include "compare.h"

/* The one list of writers of a comparison, and the check that what they wrote has arrived. */

#include <assert.h>
#include <errno.h>

#include "compare-writers.h"

#define COLUMNS_MIN 80u
#define COLUMNS_MAX 100u

static int write_json(FILE *out, const struct sc_comparison *comparison,
		      const struct sc_render_options *options, struct sc_error *error)
{
	(void)options; /* JSON is the same everywhere */
	return sc_compare_write_json(out, comparison, error);
}

const struct sc_compare_writer sc_compare_writers[] = {
	{"table", "for people at a terminal: what changed", sc_compare_write_table},
	{"md", "a comment on a change: the verdict, what changed, the rest folded",
	 sc_compare_write_markdown},
	{"csv", "a row for each cell, report and metric", sc_compare_write_csv},
	{"json", "everything, a cell a line", write_json},
};

const size_t sc_compare_writer_count = SC_ARRAY_COUNT(sc_compare_writers);

int sc_compare_render(const struct sc_comparison *comparison, size_t writer, FILE *out,
		      const struct sc_render_options *options, struct sc_error *error)
{
	struct sc_render_options used =
		options ? *options : (struct sc_render_options){.utf8 = true};
	int r;

	assert(writer < sc_compare_writer_count);
	if (used.columns == 0 || used.columns > COLUMNS_MAX)
		used.columns = COLUMNS_MAX;
	if (used.columns < COLUMNS_MIN)
		used.columns = COLUMNS_MIN;
	errno = 0;
	r = sc_compare_writers[writer].write(out, comparison, &used, error);
	if (r < 0)
		return r;
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return sc_fail(error, errno ? -errno : -EIO, "writing the comparison");
}
