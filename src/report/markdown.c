/* SPDX-License-Identifier: MIT */

/*
 * Markdown that can be read unrendered: what was found and what to use first, then one section for
 * each group of metrics of the catalogue, then every input and output. Each section is one pass
 * over the cells; columns are as wide as their heads and the longest label, so that they line up.
 */

#include <inttypes.h>
#include <string.h>

#include "../model/format.h"
#include "about.h"
#include "syncost.h"
#include "text.h"
#include "value.h"
#include "writers.h"

#define LOSS_COLUMNS   5u /* "last?" */
#define FIGURE_COLUMNS 9u /* "123.4 KiB"; "unsupported" may be wider and is rare */

/* The passes: an overview, the groups of the catalogue, input and output. */
#define PASS_OVERVIEW 0u
#define PASS_IO       (1u + SC_GROUP_COUNT_)
#define PASS_COUNT    (PASS_IO + 1u)

/* What the overview shows: the table at a glance. */
static const char *const overview[] = {
	"ops_per_s",
	"commits_per_s",
	"ops_per_s_half_width",
	"syncs_physical_per_commit",
	"commit_ns_p50",
	"commit_ns_p99",
	"cpu_wall",
};

struct columns { /* of the section */
	const struct sc_metric *metrics[32];
	size_t count;
};

static struct columns columns_of(unsigned int pass)
{
	struct columns columns = {.count = 0};

	if (pass == PASS_OVERVIEW) {
		for (size_t i = 0; i < SC_ARRAY_COUNT(overview); i++)
			columns.metrics[columns.count++] = sc_metric_find(overview[i]);
		return columns;
	}
	for (size_t i = 0; i < sc_metric_count; i++) {
		if (sc_metrics[i].group == (enum sc_metric_group)(pass - 1) &&
		    columns.count < SC_ARRAY_COUNT(columns.metrics))
			columns.metrics[columns.count++] = &sc_metrics[i];
	}
	return columns;
}

static size_t figure_columns(const char *title)
{
	size_t columns = sc_text_columns(title);

	return columns > FIGURE_COLUMNS ? columns : FIGURE_COLUMNS;
}

static size_t label_columns(const struct sc_render *render)
{
	size_t columns = render->survey.label_columns;

	return columns > strlen("setting") ? columns : strlen("setting");
}

static int print(const struct sc_render *render, struct sc_buffer *buffer)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r = sc_buffer_take(buffer, &text, render->error);

	if (r == 0)
		fputs(text, render->out);
	return r;
}

/* @text, escaped and padded, and the bar behind it. */
static void add_field(struct sc_buffer *line, const char *text, size_t columns, bool right)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer escaped = {0};

	sc_text_add_markdown(&escaped, text);
	sc_buffer_add_text(line, " ");
	sc_text_add_padded(line, escaped.text ? escaped.text : "", columns, right, true);
	sc_buffer_add_text(line, " |");
	if (escaped.code < 0 && line->code == 0)
		line->code = escaped.code;
}

static void add_rule(struct sc_buffer *line, size_t columns, bool right)
{
	sc_buffer_add_text(line, " ");
	for (size_t i = 0; i < columns - right; i++)
		sc_buffer_add_text(line, "-");
	sc_buffer_add_text(line, right ? ": |" : " |");
}

/* --- before the first section */

/* Prints @sentence as it is, escaped, between @before and @after. */
static int print_escaped(const struct sc_render *render, const char *before,
			 struct sc_buffer *sentence, const char *after)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer escaped = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r;

	r = sc_buffer_take(sentence, &text, render->error);
	if (r < 0)
		return r;
	sc_text_add_markdown(&escaped, text);
	fputs(before, render->out);
	r = print(render, &escaped);
	fputs(after, render->out);
	return r;
}

static int print_about(struct sc_render *render)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r;

	fprintf(render->out, "# syncost %s\n\n", render->head->kind);
	sc_about_add_run(&sentence, render->head);
	r = print_escaped(render, "- ", &sentence, "\n");
	if (r < 0)
		return r;
	sc_about_add_sampling(&sentence, render->head, render->survey.out_of_time);
	if (sentence.length > 0 || sentence.code < 0)
		r = print_escaped(render, "- ", &sentence, "\n");
	if (r < 0)
		return r;
	sc_about_add_host(&sentence, render->head);
	r = print_escaped(render, "- ", &sentence, "\n");
	for (size_t i = 0; r == 0 && i < render->head->target_count; i++) {
		sc_about_add_target(&sentence, &render->head->targets[i]);
		r = print_escaped(render, "- ", &sentence, "\n");
	}
	return r;
}

static int print_findings(struct sc_render *render)
{
	const struct sc_findings *findings = &render->head->findings;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r = 0;

	if (findings->count > 0)
		fputs("\n## Findings\n\n", render->out);
	for (size_t i = 0; r == 0 && i < findings->count; i++) {
		const struct sc_finding *finding = &findings->items[i];
		char before[64];

		(void)snprintf(before, sizeof(before),
			       "- **%s** (%s): ", sc_severity_name(finding->severity),
			       finding->code);
		sc_buffer_printf(&sentence, "%s%s%s.", finding->text, finding->next[0] ? "; " : "",
				 finding->next);
		r = print_escaped(render, before, &sentence, "\n");
	}
	return r;
}

/* As a block of code. */
static int print_pragmas(struct sc_render *render, const char *pragmas)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer code = {0};

	sc_text_add_lines(&code, pragmas, "    ", true);
	return print(render, &code);
}

static int print_recommendations(struct sc_render *render)
{
	const struct sc_report_head *head = render->head;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	char rate[160];
	int r = 0;

	if (head->recommendation_count > 0)
		fputs("\n## What to use\n\n" SC_ABOUT_FLUSH "\n", render->out);
	for (size_t i = 0; r == 0 && i < head->recommendation_count; i++) {
		const struct sc_recommendation *one = &head->recommendations[i];

		sc_buffer_printf(&sentence, "%s on %s, %s: %s, %s; %s.", one->workload, one->target,
				 sc_about_loss(one->loss), one->label,
				 sc_recommended_text(&one->commits_per_s, rate, sizeof(rate)),
				 one->sentence);
		r = print_escaped(render, "\n", &sentence, "\n\n");
		if (r == 0)
			r = print_pragmas(render, one->pragmas);
	}
	return r;
}

/* --- sections */

static int begin(struct sc_render *render)
{
	int r = 0;

	if (render->pass == PASS_OVERVIEW) {
		r = print_about(render);
		if (r == 0)
			r = print_recommendations(render);
		if (r == 0)
			r = print_findings(render);
		fputs("\n## At a glance\n", render->out);
	} else if (render->pass == PASS_IO) {
		fputs("\n## Every input and output of the ledger samples\n\n"
		      "What SQLite asked of its VFS (vfs) and what the kernel was asked (libc): "
		      "two "
		      "views of the same\nwork, not to be added. Times are estimates where not "
		      "every "
		      "call was timed.\n",
		      render->out);
	} else {
		fprintf(render->out, "\n## %s\n",
			sc_metric_group_title((enum sc_metric_group)(render->pass - 1)));
	}
	return r;
}

static int print_heads(struct sc_render *render, const struct columns *columns)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	size_t label = label_columns(render);

	sc_buffer_add_text(&line, "|");
	add_field(&line, "setting", label, false);
	add_field(&line, "WAL", strlen("recycled"), false);
	if (sc_render_table(render)->varies)
		add_field(&line, "batch", strlen("batch"), true);
	if (render->pass == PASS_OVERVIEW)
		add_field(&line, "loss", LOSS_COLUMNS, false);
	for (size_t i = 0; i < columns->count; i++)
		add_field(&line, columns->metrics[i]->column,
			  figure_columns(columns->metrics[i]->column), true);
	if (render->pass == PASS_OVERVIEW)
		add_field(&line, "bound by", strlen("checkpoint 100 %"), false);
	sc_buffer_add_text(&line, "\n|");
	add_rule(&line, label, false);
	add_rule(&line, strlen("recycled"), false);
	if (sc_render_table(render)->varies)
		add_rule(&line, strlen("batch"), true);
	if (render->pass == PASS_OVERVIEW)
		add_rule(&line, LOSS_COLUMNS, false);
	for (size_t i = 0; i < columns->count; i++)
		add_rule(&line, figure_columns(columns->metrics[i]->column), true);
	if (render->pass == PASS_OVERVIEW)
		add_rule(&line, strlen("checkpoint 100 %"), false);
	sc_buffer_add_text(&line, "\n");
	return print(render, &line);
}

static int print_group(struct sc_render *render, const struct sc_cell *cell)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};

	sc_about_add_group(&line, cell, !sc_render_table(render)->varies, render->survey.has_rows);
	return print_escaped(render, "\n### ", &line, "\n\n");
}

static void add_figures(struct sc_render *render, const struct columns *columns,
			const struct sc_cell *cell, struct sc_buffer *line)
{
	char text[SC_VALUE_BYTES];

	if (render->pass == PASS_OVERVIEW)
		add_field(line, sc_loss_text(render->head, cell, text, sizeof(text)), LOSS_COLUMNS,
			  false);
	for (size_t i = 0; i < columns->count; i++) {
		const struct sc_metric *metric = columns->metrics[i];
		struct sc_metric_value value = metric->read(cell);

		add_field(line, sc_value_text(metric, &value, text, sizeof(text)),
			  figure_columns(metric->column), true);
	}
	if (render->pass == PASS_OVERVIEW)
		add_field(line, sc_bound_text(cell, false, text, sizeof(text)),
			  strlen("checkpoint 100 %"), false);
}

/* One field for all the figures there are not, and empty ones, so that the table keeps its form. */
static void add_instead(struct sc_render *render, const struct columns *columns, const char *text,
			struct sc_buffer *line)
{
	size_t empty = columns->count - 1 + (render->pass == PASS_OVERVIEW ? 2 : 0);

	add_field(line, text, 0, false);
	while (empty-- > 0)
		sc_buffer_add_text(line, " |");
}

static int print_figures(struct sc_render *render, const struct sc_cell *cell)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	struct columns columns = columns_of(render->pass);
	char label[200], text[600];
	int r = 0;

	if (sc_render_begins_table(render, cell)) {
		r = print_group(render, cell);
		if (r == 0)
			r = print_heads(render, &columns);
	}
	if (r < 0)
		return r;
	sc_render_label(render->head, cell, label, sizeof(label));
	sc_buffer_add_text(&line, "|");
	add_field(&line, label, label_columns(render), false);
	add_field(&line, cell->uses_wal_state ? sc_wal_state_name(cell->wal_state) : "",
		  strlen("recycled"), false);
	if (sc_render_table(render)->varies)
		add_field(&line, sc_batch_text(cell, text, sizeof(text)), strlen("batch"), true);
	if (cell->same_as) {
		sc_same_text(cell, text, sizeof(text));
		add_instead(render, &columns, text, &line);
	} else if (cell->status != SC_MEASURED) {
		sc_reason_text(cell, text, sizeof(text));
		add_instead(render, &columns, text, &line);
	} else {
		add_figures(render, &columns, cell, &line);
	}
	sc_buffer_add_text(&line, "\n");
	return print(render, &line);
}

/* --- input and output */

static void add_time(struct sc_buffer *line, const struct sc_io *io, uint64_t ns)
{
	char text[SC_FORMAT_BYTES];

	add_field(line, io->timed > 0 ? sc_format_ns((double)ns, text, sizeof(text)) : "skipped",
		  FIGURE_COLUMNS, true);
}

static int print_io_row(struct sc_render *render, const struct sc_io *io)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	char text[SC_FORMAT_BYTES];

	sc_buffer_add_text(&line, "|");
	add_field(&line, syncost_instrument_name(io->instrument), 4, false);
	add_field(&line, io->database, 12, false);
	add_field(&line, syncost_role_name(io->role), 12, false);
	add_field(&line, syncost_op_info(io->op)->name, 16, false);
	add_field(&line, sc_format_count((double)io->calls, text, sizeof(text)), FIGURE_COLUMNS,
		  true);
	add_field(&line, sc_format_count((double)io->failures, text, sizeof(text)), FIGURE_COLUMNS,
		  true);
	add_field(&line, sc_format_size((double)io->bytes, text, sizeof(text)), FIGURE_COLUMNS,
		  true);
	add_time(&line, io, io->ns);
	add_time(&line, io, io->ns_p50);
	add_time(&line, io, io->ns_p99);
	add_time(&line, io, io->ns_max);
	sc_buffer_add_text(&line, "\n");
	return print(render, &line);
}

static int print_io(struct sc_render *render, const struct sc_cell *cell)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	int r;

	if (cell->same_as || cell->io_count == 0)
		return 0;
	sc_buffer_add_text(&line, cell->id);
	r = print_escaped(render, "\n### ", &line, "\n\n");
	if (r < 0)
		return r;
	fputs("|      | database     | role         | operation        |     calls |  failures |"
	      "     bytes |      time |       p50 |       p99 |       max |\n"
	      "| ---- | ------------ | ------------ | ---------------- | --------: | --------: |"
	      " --------: | --------: | --------: | --------: | --------: |\n",
	      render->out);
	for (size_t i = 0; r == 0 && i < cell->io_count; i++)
		r = print_io_row(render, &cell->io[i]);
	return r;
}

static int print_cell(struct sc_render *render, const struct sc_cell *cell)
{
	return render->pass == PASS_IO ? print_io(render, cell) : print_figures(render, cell);
}

static int print_loss_legend(struct sc_render *render)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};

	sc_about_add_loss_legend(&sentence, render->head);
	if (render->survey.has_waited)
		sc_buffer_add_text(&sentence, " " SC_ABOUT_WAITED);
	if (render->survey.has_batches)
		sc_buffer_add_text(&sentence, " " SC_ABOUT_BATCH);
	if (render->survey.has_statements)
		sc_buffer_add_text(&sentence, " " SC_ABOUT_STATEMENTS);
	return print_escaped(render, "\n", &sentence, "\n");
}

/* What the columns of a section mean, from the catalogue. */
static int end(struct sc_render *render)
{
	struct columns columns = columns_of(render->pass);

	if (render->pass == PASS_OVERVIEW)
		return render->survey.cell_count > 0 ? print_loss_legend(render) : 0;
	if (render->pass == PASS_IO)
		return 0;
	fputc('\n', render->out);
	for (size_t i = 0; i < columns.count; i++)
		fprintf(render->out, "- %s (`%s`): %s\n", columns.metrics[i]->column,
			columns.metrics[i]->key, columns.metrics[i]->meaning);
	return 0;
}

const struct sc_writer sc_writer_markdown = {
	.name = "md",
	.extension = ".md",
	.summary = "Markdown: findings, what to use, and every metric",
	.passes = PASS_COUNT,
	.begin = begin,
	.cell = print_cell,
	.end = end,
};
