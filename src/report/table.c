/* SPDX-License-Identifier: MIT */

/*
 * The table for people at a terminal: a line a setting, grouped by target and workload, to be read
 * at a glance; then what to use, and findings.
 *
 * Widths are settled before the first line from the widest label of the report. The bar takes what
 * is left, between 4 and 40 columns; where even 4 do not fit, labels get lines of their own. A WAL
 * state is a column where a report has both, and where there is room. Where commits are of several
 * operations the table has the rate of those as well, and where their number varies, the number.
 */

#include <errno.h>
#include <string.h>

#include "../model/format.h"
#include "about.h"
#include "bar.h"
#include "text.h"
#include "value.h"
#include "writers.h"

#define RATE_COLUMNS       9u
#define HALF_WIDTH_COLUMNS 8u
#define BATCH_COLUMNS      5u
#define SYNCS_COLUMNS      5u
#define BUSY_COLUMNS       5u
#define LATENCY_COLUMNS    7u
#define WAL_COLUMNS        8u
#define LOSS_COLUMNS       5u
#define BOUND_COLUMNS      16u
#define BOUND_BRIEF        12u
#define BAR_COLUMNS_MIN    4u
#define BAR_COLUMNS_MAX    40u
#define PROSE_COLUMNS_MAX  100u /* longer lines are hard to read */
#define BRIEF_BELOW        100u /* columns: then what binds is named briefly, for the bar's sake */
#define LABEL_COLUMNS_MIN  10u
#define INDENT             4u

struct layout {
	size_t label, bar;
	bool has_wal;  /* a column for the WAL's state */
	bool has_busy; /* and one for the retries of several clients, where there is room */
	bool is_tall;  /* labels on lines of their own */
	bool is_brief;
	const struct sc_survey_table *table;
};

/* All columns but label and bar, each with the space before it. */
static size_t fixed_columns(const struct sc_survey_table *table, bool has_wal, bool is_brief)
{
	return (has_wal ? WAL_COLUMNS + 1 : 0) + (table->varies ? BATCH_COLUMNS + 1 : 0) +
	       (table->has_batches ? RATE_COLUMNS + 1 : 0) + LOSS_COLUMNS + 1 + RATE_COLUMNS + 1 +
	       HALF_WIDTH_COLUMNS + 1 + SYNCS_COLUMNS + 1 + 2 * (LATENCY_COLUMNS + 1) +
	       (is_brief ? BOUND_BRIEF : BOUND_COLUMNS) + 1;
}

static struct layout lay_out(const struct sc_render *render)
{
	const struct sc_survey *survey = &render->survey;
	bool is_mixed = survey->has_fresh && survey->has_recycled;
	size_t columns = render->options.columns;
	struct layout layout = {
		.label = survey->label_columns > LABEL_COLUMNS_MIN ? survey->label_columns
								   : LABEL_COLUMNS_MIN,
		.is_brief = columns < BRIEF_BELOW,
		.table = sc_render_table(render),
	};
	size_t taken;

	layout.has_wal = is_mixed || (survey->has_recycled + survey->has_fresh > 0 &&
				      fixed_columns(layout.table, true, layout.is_brief) +
						      layout.label + 1 + BAR_COLUMNS_MIN <=
					      columns);
	layout.is_tall = fixed_columns(layout.table, layout.has_wal, layout.is_brief) +
				 layout.label + 1 + BAR_COLUMNS_MIN >
			 columns;
	if (layout.is_tall)
		layout.label = 1;
	taken = fixed_columns(layout.table, layout.has_wal, layout.is_brief) + layout.label + 1;
	layout.has_busy =
		layout.table->has_clients && taken + BUSY_COLUMNS + 1 + BAR_COLUMNS_MIN <= columns;
	taken += layout.has_busy ? BUSY_COLUMNS + 1 : 0;
	layout.bar = taken + BAR_COLUMNS_MIN <= columns ? columns - taken : BAR_COLUMNS_MIN;
	if (layout.bar > BAR_COLUMNS_MAX)
		layout.bar = BAR_COLUMNS_MAX;
	return layout;
}

/* --- lines */

static const char *bold(const struct sc_render *render)
{
	return render->options.color ? "\x1b[1m" : "";
}

static const char *plain(const struct sc_render *render)
{
	return render->options.color ? "\x1b[0m" : "";
}

static void add_column(const struct sc_render *render, struct sc_buffer *line, const char *text,
		       size_t columns, bool right)
{
	sc_buffer_add_text(line, " ");
	sc_text_add_padded(line, text, columns, right, render->options.utf8);
}

/* Prints and empties @line, without spaces at its end. */
static int print_line(const struct sc_render *render, struct sc_buffer *line)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	size_t length;
	int r;

	r = sc_buffer_take(line, &text, render->error);
	if (r < 0)
		return r;
	length = strlen(text);
	while (length > 0 && text[length - 1] == ' ')
		length--;
	fprintf(render->out, "%.*s\n", (int)length, text);
	return 0;
}

/* Prints and empties @sentence, wrapped; @used columns of the line are already printed. */
static int print_sentence(const struct sc_render *render, struct sc_buffer *sentence, size_t used,
			  size_t indent)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer clean = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	SC_CLEANUP(sc_freep) char *clean_text = NULL;
	size_t columns = render->options.columns;
	int r;

	r = sc_buffer_take(sentence, &text, render->error);
	if (r < 0)
		return r;
	sc_text_add_clean(&clean, text, render->options.utf8);
	r = sc_buffer_take(&clean, &clean_text, render->error);
	if (r == 0)
		sc_text_wrap(render->out, clean_text, used, indent,
			     columns < PROSE_COLUMNS_MAX ? columns : PROSE_COLUMNS_MAX);
	return r;
}

/* --- the head */

static int begin(struct sc_render *render)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r;

	sc_about_add_run(&sentence, render->head);
	r = print_sentence(render, &sentence, 0, INDENT);
	if (r < 0)
		return r;
	sc_about_add_host(&sentence, render->head);
	r = print_sentence(render, &sentence, 0, INDENT);
	for (size_t i = 0; r == 0 && i < render->head->target_count; i++) {
		sc_about_add_target(&sentence, &render->head->targets[i]);
		r = print_sentence(render, &sentence, 0, INDENT);
	}
	return r;
}

/* --- the table */

static bool commits(const struct sc_cell *cell)
{
	return cell->commits > 0 || cell->ledger_commits > 0;
}

static int print_group(struct sc_render *render, const struct layout *layout,
		       const struct sc_cell *cell)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	const char *bar = layout->bar < strlen("time in SQLite") ? "time" : "time in SQLite";
	char unit[40], rate[48];
	int r;

	fprintf(render->out, "\n%s", bold(render));
	sc_about_add_group(&line, cell, !layout->table->varies, render->survey.has_rows);
	r = print_sentence(render, &line, 0, INDENT);
	fputs(plain(render), render->out);
	if (r < 0)
		return r;

	sc_unit_plural(cell->unit, unit, sizeof(unit));
	(void)snprintf(rate, sizeof(rate), "%s/s", unit);
	sc_text_add_padded(&line, layout->is_tall ? "" : "setting", layout->label, false, true);
	if (layout->table->varies)
		add_column(render, &line, "batch", BATCH_COLUMNS, true);
	if (layout->has_wal)
		add_column(render, &line, "WAL", WAL_COLUMNS, false);
	if (layout->table->has_batches)
		add_column(render, &line, rate, RATE_COLUMNS, true);
	add_column(render, &line, layout->table->commits ? "commits/s" : rate, RATE_COLUMNS, true);
	add_column(render, &line, "±", HALF_WIDTH_COLUMNS, true);
	add_column(render, &line, "syncs", SYNCS_COLUMNS, true);
	if (layout->has_busy)
		add_column(render, &line, "busy", BUSY_COLUMNS, true);
	render->has_shown_busy = render->has_shown_busy || layout->has_busy;
	add_column(render, &line, "p50", LATENCY_COLUMNS, true);
	add_column(render, &line, "p99", LATENCY_COLUMNS, true);
	add_column(render, &line, "loss", LOSS_COLUMNS, false);
	add_column(render, &line, bar, layout->bar, false);
	add_column(render, &line, "bound by", layout->is_brief ? BOUND_BRIEF : BOUND_COLUMNS,
		   false);
	return print_line(render, &line);
}

/* A figure, or nothing: a table to be read at a glance does not say why, the report does. */
static void add_metric(struct sc_render *render, struct sc_buffer *line, const char *key,
		       const struct sc_cell *cell, size_t columns)
{
	const struct sc_metric *metric = sc_metric_find(key);
	struct sc_metric_value value = metric->read(cell);
	char text[SC_VALUE_BYTES];

	add_column(render, line,
		   value.status == SC_MEASURED ? sc_value_text(metric, &value, text, sizeof(text))
					       : "-",
		   columns, true);
}

static void add_figures(struct sc_render *render, const struct layout *layout,
			const struct sc_cell *cell, struct sc_buffer *line)
{
	bool writes = commits(cell);
	char text[SC_VALUE_BYTES];

	if (layout->table->varies)
		add_column(render, line, sc_batch_text(cell, text, sizeof(text)), BATCH_COLUMNS,
			   true);
	if (layout->has_wal)
		add_column(render, line,
			   cell->uses_wal_state ? sc_wal_state_name(cell->wal_state) : "-",
			   WAL_COLUMNS, false);
	if (layout->table->has_batches)
		add_metric(render, line, "ops_per_s", cell, RATE_COLUMNS);
	add_metric(render, line, writes ? "commits_per_s" : "ops_per_s", cell, RATE_COLUMNS);
	add_column(render, line, sc_half_width_text(cell, text, sizeof(text)), HALF_WIDTH_COLUMNS,
		   true);
	add_metric(render, line, "syncs_physical_per_commit", cell, SYNCS_COLUMNS);
	if (layout->has_busy)
		add_column(render, line, sc_busy_text(cell, text, sizeof(text)), BUSY_COLUMNS,
			   true);
	/* On a schedule the wait counts, which an operation has and a commit has not. */
	add_metric(render, line, writes && cell->rate == 0 ? "commit_ns_p50" : "op_ns_p50", cell,
		   LATENCY_COLUMNS);
	add_metric(render, line, writes && cell->rate == 0 ? "commit_ns_p99" : "op_ns_p99", cell,
		   LATENCY_COLUMNS);
	add_column(render, line, sc_loss_text(render->head, cell, text, sizeof(text)), LOSS_COLUMNS,
		   false);
	sc_buffer_add_text(line, " ");
	sc_bar_add(line, cell, layout->bar, &render->options);
	add_column(render, line, sc_bound_text(cell, layout->is_brief, text, sizeof(text)), 0,
		   false);
}

/* Which line it is, of one without figures. */
static void add_label(struct sc_render *render, const struct layout *layout, const char *label,
		      const struct sc_cell *cell, struct sc_buffer *line)
{
	char text[SC_VALUE_BYTES];

	sc_text_add_padded(line, label, layout->is_tall ? 0 : layout->label, false,
			   render->options.utf8);
	if (layout->table->varies)
		add_column(render, line, sc_batch_text(cell, text, sizeof(text)), BATCH_COLUMNS,
			   true);
}

static int print_failure(struct sc_render *render, const struct layout *layout, const char *label,
			 const struct sc_cell *cell)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	char reason[600];
	size_t columns;
	int r;

	add_label(render, layout, label, cell, &line);
	r = sc_buffer_take(&line, &text, render->error);
	if (r < 0)
		return r;
	fprintf(render->out, "%s ", text);
	columns = sc_text_columns(text) + 1;
	sc_reason_text(cell, reason, sizeof(reason));
	sc_buffer_add_text(&line, reason);
	return print_sentence(render, &line, columns, columns);
}

/* --- cells that carry another's figures: a line for each of those others, below the table */

static struct sc_copies *copies_of(struct sc_render *render, const char *source)
{
	struct sc_copies *copies;

	for (size_t i = 0; i < render->copies_count; i++) {
		if (strcmp(render->copies[i].source, source) == 0)
			return &render->copies[i];
	}
	copies = reallocarray(render->copies, render->copies_count + 1, sizeof(*copies));
	if (!copies)
		return NULL;
	render->copies = copies;
	copies += render->copies_count++;
	*copies = (struct sc_copies){.count = 0};
	(void)snprintf(copies->source, sizeof(copies->source), "%s", source);
	return copies;
}

static int keep_copy(struct sc_render *render, const struct layout *layout, const char *label,
		     const struct sc_cell *cell)
{
	struct sc_copies *copies;
	char source[200], batch[SC_VALUE_BYTES];

	sc_same_text(cell, source, sizeof(source));
	copies = copies_of(render, source);
	if (!copies)
		return sc_fail(render->error, -ENOMEM, "rendering a report");
	sc_buffer_printf(&copies->labels, "%s%s", copies->count++ > 0 ? ", " : "", label);
	if (layout->table->varies)
		sc_buffer_printf(&copies->labels, " (batch %s)",
				 sc_batch_text(cell, batch, sizeof(batch)));
	return 0;
}

/* And forgets them. */
static int print_copies(struct sc_render *render)
{
	int r = 0;

	for (size_t i = 0; i < render->copies_count; i++) {
		struct sc_copies *copies = &render->copies[i];

		sc_buffer_printf(&copies->labels, " %s", copies->source);
		if (r == 0)
			r = print_sentence(render, &copies->labels, 0, 2);
		sc_buffer_fini(&copies->labels);
	}
	render->copies_count = 0;
	return r;
}

static int print_cell(struct sc_render *render, const struct sc_cell *cell)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	struct layout layout = lay_out(render);
	char label[200];
	int r = 0;

	if (sc_render_begins_table(render, cell)) {
		r = print_copies(render);
		if (r == 0)
			r = print_group(render, &layout, cell);
	}
	if (r < 0)
		return r;
	sc_render_label(render->head, cell, label, sizeof(label));
	if (cell->status != SC_MEASURED && !cell->same_as)
		return print_failure(render, &layout, label, cell);
	if (cell->same_as)
		return keep_copy(render, &layout, label, cell);
	sc_text_add_padded(&line, label, layout.is_tall ? 0 : layout.label, false,
			   render->options.utf8);
	if (layout.is_tall) {
		r = print_line(render, &line);
		sc_buffer_add_text(&line, " ");
	}
	if (r < 0)
		return r;
	add_figures(render, &layout, cell, &line);
	return print_line(render, &line);
}

/* --- what follows it */

static int print_legend(struct sc_render *render)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	int r;

	fputc('\n', render->out);
	sc_bar_add_legend(&line, &render->options);
	r = print_line(render, &line);
	if (r < 0)
		return r;
	sc_buffer_add_text(&line,
			   "±: the wider side of the median's 95 % interval; * wider than was "
			   "asked for, or too few samples. syncs: per commit, those of the "
			   "directory included. p50, p99: of a commit, where there are any. ");
	if (render->survey.has_rate)
		sc_buffer_add_text(&line, SC_ABOUT_RATE " ");
	if (render->survey.has_clients)
		sc_buffer_add_text(&line, render->has_shown_busy ? SC_ABOUT_BUSY " "
								 : SC_ABOUT_NO_BUSY " ");
	if (render->survey.has_clients)
		sc_buffer_add_text(&line, SC_ABOUT_WAITED_CLIENTS " ");
	if (render->survey.has_batches)
		sc_buffer_add_text(&line, SC_ABOUT_BATCH " ");
	if (render->survey.has_statements)
		sc_buffer_add_text(&line, SC_ABOUT_STATEMENTS " ");
	if (render->survey.has_waited)
		sc_buffer_add_text(&line, SC_ABOUT_WAITED " ");
	sc_about_add_loss_legend(&line, render->head);
	r = print_sentence(render, &line, 0, 0);
	if (r < 0)
		return r;
	sc_about_add_sampling(&line, render->head, render->survey.out_of_time);
	return line.length > 0 || line.code < 0 ? print_sentence(render, &line, 0, 0) : 0;
}

static const char *mark_of(enum sc_severity severity)
{
	static const char *const marks[] = {
		[SC_SEVERITY_NOTE] = "-",
		[SC_SEVERITY_WARNING] = "!",
		[SC_SEVERITY_SEVERE] = "!!",
	};

	return marks[severity];
}

static const char *color_of(const struct sc_render *render, enum sc_severity severity)
{
	static const char *const colors[] = {
		[SC_SEVERITY_NOTE] = "",
		[SC_SEVERITY_WARNING] = "\x1b[33m",
		[SC_SEVERITY_SEVERE] = "\x1b[1;31m",
	};

	return render->options.color ? colors[severity] : "";
}

static int print_findings(struct sc_render *render)
{
	const struct sc_findings *findings = &render->head->findings;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r = 0;

	if (findings->count > 0)
		fprintf(render->out, "\n%sFindings%s (%s! a warning, - a note)\n", bold(render),
			plain(render),
			findings->items[0].severity == SC_SEVERITY_SEVERE ? "!! severe, " : "");
	for (size_t i = 0; r == 0 && i < findings->count; i++) {
		const struct sc_finding *finding = &findings->items[i];

		fprintf(render->out, "%s%-2s%s ", color_of(render, finding->severity),
			mark_of(finding->severity),
			finding->severity == SC_SEVERITY_NOTE ? "" : plain(render));
		sc_buffer_printf(&sentence, "%s%s%s.", finding->text, finding->next[0] ? "; " : "",
				 finding->next);
		r = print_sentence(render, &sentence, 3, 3);
	}
	return r;
}

/* The lines as they are to be copied: never wrapped. */
static int print_pragmas(struct sc_render *render, const char *pragmas)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer lines = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r;

	sc_text_add_lines(&lines, pragmas, "    ", render->options.utf8);
	r = sc_buffer_take(&lines, &text, render->error);
	if (r == 0)
		fputs(text, render->out);
	return r;
}

static bool is_new_subject(const struct sc_report_head *head, size_t index)
{
	const struct sc_recommendation *one = &head->recommendations[index];
	const struct sc_recommendation *before = one - 1;

	return index == 0 || strcmp(one->target, before->target) != 0 ||
	       strcmp(one->workload, before->workload) != 0;
}

static int print_recommendations(struct sc_render *render)
{
	const struct sc_report_head *head = render->head;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	char rate[160];
	int r = 0;

	for (size_t i = 0; r == 0 && i < head->recommendation_count; i++) {
		const struct sc_recommendation *one = &head->recommendations[i];

		if (is_new_subject(head, i)) {
			fprintf(render->out, "\n%s", bold(render));
			sc_buffer_printf(&sentence, "What to use for %s on %s", one->workload,
					 one->target);
			r = print_sentence(render, &sentence, 0, INDENT);
			fputs(plain(render), render->out);
		}
		sc_buffer_printf(&sentence, "%s: %s, %s; %s.", sc_about_loss(one->loss), one->label,
				 sc_recommended_text(&one->commits_per_s, rate, sizeof(rate)),
				 one->sentence);
		if (r == 0)
			r = print_sentence(render, &sentence, 0, 2);
		if (r == 0)
			r = print_pragmas(render, one->pragmas);
	}
	if (r == 0 && head->recommendation_count > 0)
		fputs(SC_ABOUT_FLUSH "\n", render->out);
	return r;
}

static int end(struct sc_render *render)
{
	int r = print_copies(render);

	if (r == 0 && render->survey.cell_count > 0)
		r = print_legend(render);
	if (r == 0)
		r = print_recommendations(render);
	if (r == 0)
		r = print_findings(render);
	return r;
}

const struct sc_writer sc_writer_table = {
	.name = "table",
	.extension = ".txt",
	.summary = "for people at a terminal: a line for each setting",
	.passes = 1,
	.begin = begin,
	.cell = print_cell,
	.end = end,
};
