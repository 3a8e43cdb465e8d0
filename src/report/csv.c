/* SPDX-License-Identifier: MIT */

/*
 * Tidy CSV (quoted as in RFC 4180, decimal points, one header line, lines end in \n): what the row
 * is about, then one figure. "csv" has a row for each cell and metric, "samples" one for each
 * sample and figure of a sample. An empty value is never a zero: its status and reason stand behind
 * it. A cell that carries the figures of another names it in same_as; its samples are those of the
 * other and not repeated.
 */

#include <inttypes.h>

#include "../model/format.h"
#include "text.h"
#include "value.h"
#include "writers.h"

static void put_about_header(FILE *out)
{
	fputs("cell,host,target,suite,workload,store,rows,clients,wal_state", out);
	for (size_t i = 0; i < sc_setting_field_count; i++)
		fprintf(out, ",%s", sc_setting_fields[i].name);
}

static void put_field(FILE *out, const struct sc_setting_field *field,
		      const struct sc_setting *setting)
{
	if (field->value_name)
		fprintf(out, ",%s", field->value_name(field->get(setting)));
	else
		fprintf(out, ",%" PRId64, field->get(setting));
}

static void put_about(const struct sc_render *render, const struct sc_cell *cell)
{
	FILE *out = render->out;
	struct sc_setting setting = cell->setting;

	sc_text_put_csv(out, cell->id);
	fputc(',', out);
	sc_text_put_csv(out, render->head->host_label);
	fputc(',', out);
	sc_text_put_csv(out, cell->target);
	fputc(',', out);
	sc_text_put_csv(out, cell->suite);
	fputc(',', out);
	sc_text_put_csv(out, cell->workload);
	fputc(',', out);
	sc_text_put_csv(out, cell->store);
	fprintf(out, ",%" PRIu64 ",%" PRIu32 ",%s", cell->rows, cell->clients,
		cell->uses_wal_state ? sc_wal_state_name(cell->wal_state) : "none");
	setting.rows_per_commit = sc_batch_of(cell); /* a number, where 0 is the workload's own */
	for (size_t i = 0; i < sc_setting_field_count; i++)
		put_field(out, &sc_setting_fields[i], &setting);
}

static void put_number(FILE *out, bool is_there, double value)
{
	char text[SC_FORMAT_BYTES];

	fputc(',', out);
	if (is_there)
		fputs(sc_format_number(value, text, sizeof(text)), out);
}

static void put_status(FILE *out, const struct sc_metric_value *value)
{
	fprintf(out, ",%s,", sc_status_name(value->status));
	sc_text_put_csv(out, value->status == SC_MEASURED ? NULL : value->reason);
}

/* --- cells */

static int begin_cells(struct sc_render *render)
{
	put_about_header(render->out);
	fputs(",loss,corruption,metric,unit,value,low,high,n,status,reason,same_as\n", render->out);
	return 0;
}

/* The promise for what SQLite took; empty where that is not known. */
static void put_promise(FILE *out, const struct sc_cell *cell)
{
	struct sc_promise promise;

	if (cell->status != SC_MEASURED) {
		fputs(",,", out);
		return;
	}
	promise = sc_promise_in(cell->store, &cell->effective);
	fprintf(out, ",%s,%s", sc_loss_name(promise.loss), sc_corruption_name(promise.corruption));
}

static int put_cell(struct sc_render *render, const struct sc_cell *cell)
{
	FILE *out = render->out;

	for (size_t i = 0; i < sc_metric_count; i++) {
		const struct sc_metric *metric = &sc_metrics[i];
		struct sc_metric_value value = metric->read(cell);
		bool is_there = value.status == SC_MEASURED;

		put_about(render, cell);
		put_promise(out, cell);
		fprintf(out, ",%s,%s", metric->key, sc_unit_name(metric->unit));
		put_number(out, is_there, value.number);
		put_number(out, is_there && value.has_interval, value.low);
		put_number(out, is_there && value.has_interval, value.high);
		put_number(out, is_there && value.n > 0, (double)value.n);
		put_status(out, &value);
		fputc(',', out);
		sc_text_put_csv(out, cell->same_as);
		fputs("\n", out);
	}
	return 0;
}

/* --- samples */

static int begin_samples(struct sc_render *render)
{
	put_about_header(render->out);
	fputs(",round,kind,metric,unit,value,status,reason\n", render->out);
	return 0;
}

static int put_samples(struct sc_render *render, const struct sc_cell *cell)
{
	FILE *out = render->out;

	for (size_t i = 0; !cell->same_as && i < cell->sample_count; i++) {
		const struct sc_cell_sample *sample = &cell->samples[i];

		for (size_t j = 0; j < sc_sample_metric_count; j++) {
			const struct sc_sample_metric *metric = &sc_sample_metrics[j];
			struct sc_metric_value value = metric->read(sample);

			put_about(render, cell);
			fprintf(out, ",%" PRIu32 ",%s,%s,%s", sample->round,
				sc_sample_kind_name(sample->kind), metric->key,
				sc_unit_name(metric->unit));
			put_number(out, value.status == SC_MEASURED, value.number);
			put_status(out, &value);
			fputs("\n", out);
		}
	}
	return 0;
}

static int end(struct sc_render *render)
{
	(void)render;
	return 0;
}

const struct sc_writer sc_writer_csv = {
	.name = "csv",
	.extension = ".csv",
	.summary = "a row for each cell and metric",
	.passes = 1,
	.begin = begin_cells,
	.cell = put_cell,
	.end = end,
};

const struct sc_writer sc_writer_samples = {
	.name = "samples",
	.extension = ".csv",
	.summary = "CSV with a row for each sample and figure",
	.passes = 1,
	.begin = begin_samples,
	.cell = put_samples,
	.end = end,
};
