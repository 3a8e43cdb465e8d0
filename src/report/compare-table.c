/* SPDX-License-Identifier: MIT */

/*
 * The comparison for people at a terminal.
 *
 * A gate prints its verdict, what differs between the reports, and each cell that is not the same
 * with the figures that changed; cells that are the same are a number. Reports side by side
 * have a line for each cell and report.
 */

#include <string.h>

#include "compare-text.h"
#include "compare-writers.h"
#include "text.h"

#define INDENT           4u
#define KEY_COLUMNS      34u /* "  written_journal_bytes_per_commit" */
#define FIGURE_COLUMNS   10u
#define CHANGE_COLUMNS   8u
#define INTERVAL_COLUMNS 15u
#define NAME_COLUMNS_MAX 16u
#define SYNCS_COLUMNS    6u

struct table {
	FILE *out;
	const struct sc_comparison *comparison;
	const struct sc_render_options *options;
	struct sc_error *error;
};

static const char *bold(const struct table *table)
{
	return table->options->color ? "\x1b[1m" : "";
}

static const char *red(const struct table *table)
{
	return table->options->color ? "\x1b[31m" : "";
}

static const char *plain(const struct table *table)
{
	return table->options->color ? "\x1b[0m" : "";
}

static void add_column(const struct table *table, struct sc_buffer *line, const char *text,
		       size_t columns, bool right)
{
	sc_buffer_add_text(line, " ");
	sc_text_add_padded(line, text, columns, right, table->options->utf8);
}

/* Prints and empties @line, without spaces at its end. */
static int print_line(const struct table *table, struct sc_buffer *line)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	size_t length;
	int r;

	r = sc_buffer_take(line, &text, table->error);
	if (r < 0)
		return r;
	length = strlen(text);
	while (length > 0 && text[length - 1] == ' ')
		length--;
	fprintf(table->out, "%.*s\n", (int)length, text);
	return 0;
}

/* Prints and empties @sentence, wrapped. */
static int print_sentence(const struct table *table, struct sc_buffer *sentence, size_t indent)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer clean = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	SC_CLEANUP(sc_freep) char *clean_text = NULL;
	int r;

	r = sc_buffer_take(sentence, &text, table->error);
	if (r < 0)
		return r;
	sc_text_add_clean(&clean, text, table->options->utf8);
	r = sc_buffer_take(&clean, &clean_text, table->error);
	if (r == 0)
		sc_text_wrap(table->out, clean_text, 0, indent, table->options->columns);
	return r;
}

/* --- the head */

static int print_head(const struct table *table)
{
	const struct sc_comparison *comparison = table->comparison;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r;

	fprintf(table->out, "%s%s", bold(table),
		comparison->rules->is_gate && comparison->outcome != SC_OUTCOME_PASS ? red(table)
										     : "");
	sc_compare_add_headline(&sentence, comparison);
	r = print_sentence(table, &sentence, INDENT);
	fputs(plain(table), table->out);
	for (size_t i = 0; r == 0 && i < comparison->digest_count; i++) {
		sc_compare_add_report(&sentence, comparison, i);
		r = print_sentence(table, &sentence, INDENT);
	}
	return r;
}

static int print_differences(const struct table *table, bool refused, const char *title)
{
	const struct sc_comparison *comparison = table->comparison;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	bool is_first = true;
	int r = 0;

	for (size_t i = 0; r == 0 && i < comparison->difference_count; i++) {
		const struct sc_difference *difference = &comparison->differences[i];

		if (difference->refused != refused)
			continue;
		if (is_first)
			fprintf(table->out, "\n%s%s%s\n", bold(table), title, plain(table));
		is_first = false;
		sc_buffer_add_text(&sentence, refused ? "! " : "- ");
		sc_compare_add_difference(&sentence, comparison, difference);
		r = print_sentence(table, &sentence, INDENT);
	}
	return r;
}

/* --- what changed */

static int print_group(const struct table *table, size_t cell)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	int r;

	fprintf(table->out, "\n%s", bold(table));
	sc_compare_add_group(&line, table->comparison, cell);
	r = print_sentence(table, &line, INDENT);
	fputs(plain(table), table->out);
	return r;
}

static int print_change_heads(const struct table *table)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};

	sc_text_add_padded(&line, "setting, time per operation", KEY_COLUMNS, false, true);
	add_column(table, &line, "base", FIGURE_COLUMNS, true);
	add_column(table, &line, "new", FIGURE_COLUMNS, true);
	add_column(table, &line, "change", CHANGE_COLUMNS, true);
	add_column(table, &line, "interval", INTERVAL_COLUMNS, false);
	add_column(table, &line, "verdict", 0, false);
	return print_line(table, &line);
}

/* A line for one figure: @title is the cell's label, or the figure's key below it. */
static int print_change(const struct table *table, const char *title, size_t cell, size_t other,
			size_t metric)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	struct sc_change change = sc_compare_change(table->comparison, cell, other, metric);
	const struct sc_digest_cell *base = &table->comparison->digests[0].cells[cell];
	const struct sc_digest_cell *match = sc_compare_match(table->comparison, cell, other);
	char text[SC_COMPARE_TEXT_BYTES];
	int r;

	sc_text_add_padded(&line, title, KEY_COLUMNS, false, table->options->utf8);
	add_column(table, &line,
		   sc_compare_beside_text(metric, &base->figures[metric], &match->figures[metric],
					  text, sizeof(text)),
		   FIGURE_COLUMNS, true);
	add_column(table, &line,
		   sc_compare_beside_text(metric, &match->figures[metric], &base->figures[metric],
					  text, sizeof(text)),
		   FIGURE_COLUMNS, true);
	add_column(table, &line, sc_compare_change_text(metric, &change, text, sizeof(text)),
		   CHANGE_COLUMNS, true);
	add_column(table, &line, sc_compare_interval_text(&change, text, sizeof(text)),
		   INTERVAL_COLUMNS, false);
	add_column(table, &line, sc_compare_verdict_text(metric, &change, text, sizeof(text)), 0,
		   false);
	fputs(change.fails ? red(table) : "", table->out);
	r = print_line(table, &line);
	fputs(change.fails ? plain(table) : "", table->out);
	return r;
}

/* Its time first, which nearly always moves a little; then the figures that changed. */
static int print_changed_cell(const struct table *table, size_t cell, size_t other)
{
	char label[200], key[KEY_COLUMNS + 20];
	size_t first = sc_compare_metric_find("op_ns");
	int r;

	sc_compare_label(table->comparison, cell, label, sizeof(label));
	r = print_change(table, label, cell, other, first);
	for (size_t i = 0; r == 0 && i < SC_COMPARE_METRICS; i++) {
		struct sc_change change = sc_compare_change(table->comparison, cell, other, i);

		if (i == first || !sc_compare_shows(i, &change))
			continue;
		(void)snprintf(key, sizeof(key), "  %s", sc_compare_metric(i).metric.key);
		r = print_change(table, key, cell, other, i);
	}
	return r;
}

static int print_gate(const struct table *table, size_t other)
{
	const struct sc_comparison *comparison = table->comparison;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	bool wants_group = true;
	int r;

	fputc('\n', table->out);
	if (comparison->digest_count > 2)
		sc_buffer_printf(&sentence, "%s, ", sc_compare_name(comparison, other));
	sc_compare_add_tally(&sentence, &comparison->tallies[other - 1]);
	r = print_sentence(table, &sentence, INDENT);
	for (size_t cell = 0; r == 0 && cell < comparison->digests[0].cell_count; cell++) {
		wants_group = wants_group || sc_compare_begins_group(comparison, cell);
		if (sc_compare_state(comparison, cell, other) != SC_COMPARE_DONE ||
		    sc_compare_cell(comparison, cell, other).verdict == SC_VERDICT_SAME)
			continue;
		if (wants_group) {
			r = print_group(table, cell);
			if (r == 0)
				r = print_change_heads(table);
		}
		wants_group = false;
		if (r == 0)
			r = print_changed_cell(table, cell, other);
	}
	return r;
}

/* --- side by side */

struct side {
	size_t label, name; /* columns */
};

static size_t larger(size_t a, size_t b)
{
	return a > b ? a : b;
}

static struct side lay_out(const struct table *table)
{
	const struct sc_comparison *comparison = table->comparison;
	struct side side = {.label = strlen("setting"), .name = strlen("report")};
	char label[200];

	for (size_t i = 0; i < comparison->digests[0].cell_count; i++) {
		sc_compare_label(comparison, i, label, sizeof(label));
		side.label = larger(side.label, sc_text_columns(label));
	}
	for (size_t i = 0; i < comparison->digest_count; i++)
		side.name = larger(side.name, sc_text_columns(sc_compare_name(comparison, i)));
	if (side.name > NAME_COLUMNS_MAX)
		side.name = NAME_COLUMNS_MAX;
	return side;
}

static int print_side_heads(const struct table *table, const struct side *side, size_t cell)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	size_t rate = sc_compare_rate(table->comparison, cell);

	sc_text_add_padded(&line, "setting", side->label, false, true);
	add_column(table, &line, "report", side->name, false);
	add_column(table, &line, sc_compare_metric(rate).metric.column, FIGURE_COLUMNS, true);
	add_column(table, &line, "times", CHANGE_COLUMNS, true);
	add_column(table, &line, "interval", INTERVAL_COLUMNS, false);
	add_column(table, &line, "syncs", SYNCS_COLUMNS, true);
	add_column(table, &line, "verdict", 0, false);
	return print_line(table, &line);
}

/* What stands in a line of @report for a cell: nothing but its name where it has no such cell. */
static int print_side(const struct table *table, const struct side *side, size_t cell,
		      size_t report)
{
	const struct sc_comparison *comparison = table->comparison;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	const struct sc_digest_cell *here =
		report == 0 ? base : sc_compare_match(comparison, cell, report);
	size_t rate = sc_compare_rate(comparison, cell);
	size_t syncs = sc_compare_metric_find("syncs_physical_per_commit");
	struct sc_change change = {.verdict = SC_VERDICT_UNKNOWN};
	char label[200] = "", text[SC_COMPARE_TEXT_BYTES];

	if (report == 0)
		sc_compare_label(comparison, cell, label, sizeof(label));
	sc_text_add_padded(&line, label, side->label, false, table->options->utf8);
	add_column(table, &line, sc_compare_name(comparison, report), side->name, false);
	if (!here) {
		add_column(table, &line, "-", FIGURE_COLUMNS, true);
		return print_line(table, &line);
	}
	if (report > 0)
		change = sc_compare_rate_change(comparison, cell, report, rate);
	add_column(table, &line,
		   sc_compare_figure_text(rate, &here->figures[rate], text, sizeof(text)),
		   FIGURE_COLUMNS, true);
	add_column(table, &line, sc_compare_change_text(rate, &change, text, sizeof(text)),
		   CHANGE_COLUMNS, true);
	add_column(table, &line, sc_compare_interval_text(&change, text, sizeof(text)),
		   INTERVAL_COLUMNS, false);
	add_column(
		table, &line,
		here->figures[syncs].status == SC_MEASURED
			? sc_compare_figure_text(syncs, &here->figures[syncs], text, sizeof(text))
			: "-",
		SYNCS_COLUMNS, true);
	if (change.is_there)
		add_column(table, &line, sc_verdict_name(change.verdict), 0, false);
	return print_line(table, &line);
}

static int print_side_by_side(const struct table *table)
{
	const struct sc_comparison *comparison = table->comparison;
	struct side side = lay_out(table);
	int r = 0;

	for (size_t cell = 0; r == 0 && cell < comparison->digests[0].cell_count; cell++) {
		if (comparison->digests[0].cells[cell].same_as)
			continue;
		if (sc_compare_begins_group(comparison, cell)) {
			r = print_group(table, cell);
			if (r == 0)
				r = print_side_heads(table, &side, cell);
		}
		for (size_t i = 0; r == 0 && i < comparison->digest_count; i++)
			r = print_side(table, &side, cell, i);
	}
	return r;
}

static int print_sides(const struct table *table)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r = print_side_by_side(table);

	if (r < 0 || !sc_compare_adjusts(table->comparison))
		return r;
	fputc('\n', table->out);
	sc_buffer_add_text(&sentence, SC_COMPARE_ADJUSTED);
	return print_sentence(table, &sentence, 0);
}

/* --- */

int sc_compare_write_table(FILE *out, const struct sc_comparison *comparison,
			   const struct sc_render_options *options, struct sc_error *error)
{
	const struct table table = {out, comparison, options, error};
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r;

	r = print_head(&table);
	if (r == 0)
		r = print_differences(&table, true, "What cannot be compared");
	if (r == 0)
		r = print_differences(&table, false, "What differs");
	if (r == 0 && !comparison->rules->is_gate)
		return print_sides(&table);
	if (r < 0 || comparison->outcome == SC_OUTCOME_INVALID)
		return r;
	for (size_t other = 1; r == 0 && other < comparison->digest_count; other++)
		r = print_gate(&table, other);
	if (r < 0)
		return r;
	fputc('\n', out);
	if (sc_compare_adjusts(comparison))
		sc_buffer_add_text(&sentence, SC_COMPARE_ADJUSTED " ");
	sc_compare_add_rules(&sentence, comparison);
	return print_sentence(&table, &sentence, 0);
}
