/* SPDX-License-Identifier: MIT */

/* summary.json again, as this version writes it: byte for byte what it wrote. */

#include "writers.h"

static int begin(struct sc_render *render)
{
	return sc_report_write_head(render->out, render->head, render->error);
}

static int cell(struct sc_render *render, const struct sc_cell *cell)
{
	return sc_report_write_cell(render->out, cell, render->cell_index == 0, render->error);
}

static int end(struct sc_render *render)
{
	return sc_report_write_end(render->out, render->error);
}

const struct sc_writer sc_writer_json = {
	.name = "json",
	.extension = ".json",
	.summary = "everything, as in summary.json",
	.passes = 1,
	.begin = begin,
	.cell = cell,
	.end = end,
};
