/* SPDX-License-Identifier: MIT */

/*
 * Tidy CSV as in csv.c: a row for each cell of the base, other report and metric. What there is
 * none of is empty: a figure that was not measured has its status in the last columns, a cell that
 * the other report lacks has one row with its state and no metric.
 */

#include <inttypes.h>

#include "../model/format.h"
#include "compare-writers.h"
#include "text.h"

struct row { /* what the columns of a row are about */
	const struct sc_comparison *comparison;
	size_t cell, other;
};

static void put_number(FILE *out, bool is_there, double value)
{
	char text[SC_FORMAT_BYTES];

	fputc(',', out);
	if (is_there)
		fputs(sc_format_number(value, text, sizeof(text)), out);
}

static void put_about(FILE *out, const struct row *row, const char *state)
{
	const struct sc_digest_cell *cell = &row->comparison->digests[0].cells[row->cell];

	sc_text_put_csv(out, row->comparison->digests[row->other].path);
	fputc(',', out);
	sc_text_put_csv(out, cell->id);
	fputc(',', out);
	sc_text_put_csv(out, cell->target);
	fputc(',', out);
	sc_text_put_csv(out, cell->suite);
	fputc(',', out);
	sc_text_put_csv(out, cell->workload);
	fputc(',', out);
	sc_text_put_csv(out, cell->store);
	fprintf(out, ",%" PRIu32 ",%s", cell->clients,
		cell->uses_wal_state ? sc_wal_state_name(cell->wal_state) : "none");
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];
		int64_t value = field->get(&cell->setting);

		if (field->value_name)
			fprintf(out, ",%s", field->value_name(value));
		else
			fprintf(out, ",%" PRId64, value);
	}
	fprintf(out, ",%s", state);
}

static void put_figure(FILE *out, const struct sc_digest_figure *figure)
{
	bool is_there = figure->status == SC_MEASURED;

	put_number(out, is_there, figure->number);
	put_number(out, is_there && figure->n > 0, figure->low);
	put_number(out, is_there && figure->n > 0, figure->high);
	put_number(out, is_there && figure->n > 0, figure->n);
}

static void put_metric(FILE *out, const struct row *row, size_t index)
{
	static const char *const kinds[] = {
		[SC_COMPARE_COUNT] = "count",
		[SC_COMPARE_LATENCY] = "latency",
		[SC_COMPARE_SHOWN] = "shown",
	};
	struct sc_compare_metric metric = sc_compare_metric(index);
	struct sc_change change = sc_compare_change(row->comparison, row->cell, row->other, index);
	const struct sc_digest_figure *base =
		&row->comparison->digests[0].cells[row->cell].figures[index];
	const struct sc_digest_figure *other =
		&sc_compare_match(row->comparison, row->cell, row->other)->figures[index];

	put_about(out, row, "compared");
	fprintf(out, ",%s,%s,%s", metric.metric.key, sc_unit_name(metric.metric.unit),
		kinds[metric.kind]);
	put_figure(out, base);
	put_figure(out, other);
	put_number(out, change.has_ratio, change.ratio);
	put_number(out, change.has_interval, change.ratio_low);
	put_number(out, change.has_interval, change.ratio_high);
	fprintf(out, ",%s,%s,%s,%s\n", sc_verdict_name(change.verdict), change.fails ? "yes" : "no",
		sc_status_name(base->status), sc_status_name(other->status));
}

static void put_cell(FILE *out, const struct row *row)
{
	static const char *const states[] = {
		[SC_COMPARE_DONE] = "compared",
		[SC_COMPARE_COPY] = "copy",
		[SC_COMPARE_MISSING] = "missing",
		[SC_COMPARE_ABSENT] = "not measured",
	};
	enum sc_compare_state state = sc_compare_state(row->comparison, row->cell, row->other);

	if (state != SC_COMPARE_DONE) {
		put_about(out, row, states[state]);
		fputs(",,,,,,,,,,,,,,,,,,\n", out);
		return;
	}
	for (size_t i = 0; i < SC_COMPARE_METRICS; i++)
		put_metric(out, row, i);
}

int sc_compare_write_csv(FILE *out, const struct sc_comparison *comparison,
			 const struct sc_render_options *options, struct sc_error *error)
{
	(void)options; /* CSV is the same everywhere, */
	(void)error;   /* and is built without memory */
	fputs("report,cell,target,suite,workload,store,clients,wal_state", out);
	for (size_t i = 0; i < sc_setting_field_count; i++)
		fprintf(out, ",%s", sc_setting_fields[i].name);
	fputs(",state,metric,unit,kind,base,base_low,base_high,base_n,value,low,high,n,ratio,"
	      "ratio_low,ratio_high,verdict,fails,base_status,status\n",
	      out);
	for (size_t cell = 0; cell < comparison->digests[0].cell_count; cell++) {
		for (size_t other = 1; other < comparison->digest_count; other++)
			put_cell(out, &(struct row){comparison, cell, other});
	}
	return 0;
}
