/* SPDX-License-Identifier: MIT */

/*
 * The comparison as a comment on a change: the verdict in the heading, then only what changed, and
 * the rest folded. A comment has a limit of size (64 KiB on GitHub), so tables end after so many
 * rows and say how many they left out.
 */

#include "compare-text.h"
#include "compare-writers.h"
#include "text.h"

#define CHANGED_ROWS_MAX 150u
#define FOLDED_ROWS_MAX  150u

struct page {
	FILE *out;
	const struct sc_comparison *comparison;
	struct sc_error *error;
};

/* Prints and empties @buffer. */
static int print(const struct page *page, struct sc_buffer *buffer)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r = sc_buffer_take(buffer, &text, page->error);

	if (r == 0)
		fputs(text, page->out);
	return r;
}

/* Prints and empties @sentence, escaped, between @before and @after. */
static int print_escaped(const struct page *page, const char *before, struct sc_buffer *sentence,
			 const char *after)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer escaped = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r;

	r = sc_buffer_take(sentence, &text, page->error);
	if (r < 0)
		return r;
	sc_buffer_add_text(&escaped, before);
	sc_text_add_markdown(&escaped, text);
	sc_buffer_add_text(&escaped, after);
	return print(page, &escaped);
}

static void add_field(struct sc_buffer *line, const char *text)
{
	sc_buffer_add_text(line, " ");
	sc_text_add_markdown(line, text);
	sc_buffer_add_text(line, " |");
}

/* "insert_one, wal/full, recycled"; with the target where there are several */
static void add_cell(struct sc_buffer *line, const struct sc_comparison *comparison, size_t cell)
{
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	char label[200], text[480];

	sc_compare_label(comparison, cell, label, sizeof(label));
	(void)snprintf(text, sizeof(text), "%s%s%s, %s", base->workload,
		       comparison->digests[0].head->target_count > 1 ? " on " : "",
		       comparison->digests[0].head->target_count > 1 ? base->target : "", label);
	add_field(line, text);
}

/* --- what changed */

static int print_change(const struct page *page, size_t cell, size_t other, size_t metric)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	struct sc_change change = sc_compare_change(page->comparison, cell, other, metric);
	const struct sc_digest_cell *base = &page->comparison->digests[0].cells[cell];
	const struct sc_digest_cell *match = sc_compare_match(page->comparison, cell, other);
	char text[SC_COMPARE_TEXT_BYTES];

	sc_buffer_add_text(&line, "|");
	add_cell(&line, page->comparison, cell);
	add_field(&line, sc_compare_metric(metric).metric.key);
	add_field(&line, sc_compare_beside_text(metric, &base->figures[metric],
						&match->figures[metric], text, sizeof(text)));
	add_field(&line, sc_compare_beside_text(metric, &match->figures[metric],
						&base->figures[metric], text, sizeof(text)));
	add_field(&line, sc_compare_change_text(metric, &change, text, sizeof(text)));
	add_field(&line, sc_compare_interval_text(&change, text, sizeof(text)));
	if (change.fails)
		sc_buffer_printf(&line, " %s, **fails** |", sc_verdict_name(change.verdict));
	else
		add_field(&line, sc_compare_verdict_text(metric, &change, text, sizeof(text)));
	sc_buffer_add_text(&line, "\n");
	return print(page, &line);
}

/* Rows of one cell: of what fails, or of what changed otherwise. */
static int print_changes(const struct page *page, size_t cell, size_t other, bool failing,
			 size_t *rows)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < SC_COMPARE_METRICS; i++) {
		struct sc_change change = sc_compare_change(page->comparison, cell, other, i);

		if (!sc_compare_shows(i, &change))
			continue;
		if (sc_compare_cell(page->comparison, cell, other).fails != failing)
			continue;
		if ((*rows)++ < CHANGED_ROWS_MAX)
			r = print_change(page, cell, other, i);
	}
	return r;
}

static int print_changed(const struct page *page, size_t other)
{
	const struct sc_comparison *comparison = page->comparison;
	bool has_head = false;
	size_t rows = 0;
	int r = 0;

	for (int failing = 1; failing >= 0; failing--) {
		for (size_t cell = 0; r == 0 && cell < comparison->digests[0].cell_count; cell++) {
			if (!sc_compare_is_changed(comparison, cell, other))
				continue;
			if (!has_head)
				fputs("\n| cell | figure | base | new | change | interval | "
				      "verdict |\n"
				      "| --- | --- | ---: | ---: | ---: | --- | --- |\n",
				      page->out);
			has_head = true;
			r = print_changes(page, cell, other, failing, &rows);
		}
	}
	if (rows > CHANGED_ROWS_MAX)
		fprintf(page->out, "\n%zu rows more are left out.\n", rows - CHANGED_ROWS_MAX);
	return r;
}

/* --- the rest */

static int print_rest_row(const struct page *page, size_t cell, size_t other)
{
	const struct sc_comparison *comparison = page->comparison;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	size_t rate = sc_compare_rate(comparison, cell);
	size_t syncs = sc_compare_metric_find("syncs_physical_per_commit");
	size_t bytes = sc_compare_metric_find("written_bytes_per_commit");
	struct sc_change change = sc_compare_rate_change(comparison, cell, other, rate);
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	const struct sc_digest_cell *match = sc_compare_match(comparison, cell, other);
	char text[SC_COMPARE_TEXT_BYTES];

	sc_buffer_add_text(&line, "|");
	add_cell(&line, comparison, cell);
	add_field(&line, sc_compare_figure_text(rate, &base->figures[rate], text, sizeof(text)));
	add_field(&line, sc_compare_figure_text(rate, &match->figures[rate], text, sizeof(text)));
	add_field(&line, sc_compare_change_text(rate, &change, text, sizeof(text)));
	add_field(&line, sc_compare_interval_text(&change, text, sizeof(text)));
	add_field(&line, sc_compare_figure_text(syncs, &match->figures[syncs], text, sizeof(text)));
	add_field(&line, sc_compare_figure_text(bytes, &match->figures[bytes], text, sizeof(text)));
	add_field(&line, sc_verdict_name(sc_compare_cell(comparison, cell, other).verdict));
	sc_buffer_add_text(&line, "\n");
	return print(page, &line);
}

static bool is_rest(const struct sc_comparison *comparison, size_t cell, size_t other)
{
	return sc_compare_state(comparison, cell, other) == SC_COMPARE_DONE &&
	       (!comparison->rules->is_gate || !sc_compare_is_changed(comparison, cell, other));
}

static int print_rest(const struct page *page, size_t other)
{
	const struct sc_comparison *comparison = page->comparison;
	const char *const base = comparison->rules->is_gate ? "new" : "other";
	size_t rows = 0;
	int r = 0;

	for (size_t cell = 0; r == 0 && cell < comparison->digests[0].cell_count; cell++) {
		if (!is_rest(comparison, cell, other))
			continue;
		if (rows == 0)
			fprintf(page->out,
				"\n| cell | base, per second | %s | times | interval | syncs | "
				"bytes | "
				"verdict |\n"
				"| --- | ---: | ---: | ---: | --- | ---: | ---: | --- |\n",
				base);
		if (rows++ < FOLDED_ROWS_MAX)
			r = print_rest_row(page, cell, other);
	}
	if (rows > FOLDED_ROWS_MAX)
		fprintf(page->out, "\n%zu cells more are left out.\n", rows - FOLDED_ROWS_MAX);
	return r;
}

/* --- around the tables */

/* @other: of this report alone; 0: of all */
static int print_differences(const struct page *page, bool refused, size_t other, const char *title)
{
	const struct sc_comparison *comparison = page->comparison;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	bool is_first = true;
	int r = 0;

	for (size_t i = 0; r == 0 && i < comparison->difference_count; i++) {
		const struct sc_difference *difference = &comparison->differences[i];

		if (difference->refused != refused || (other > 0 && difference->digest != other))
			continue;
		if (is_first)
			fprintf(page->out, "\n%s:\n\n", title);
		is_first = false;
		sc_compare_add_difference(&sentence, comparison, difference);
		r = print_escaped(page, "- ", &sentence, "\n");
	}
	return r;
}

static int print_reports(const struct page *page)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r = 0;

	fputc('\n', page->out);
	for (size_t i = 0; r == 0 && i < page->comparison->digest_count; i++) {
		sc_compare_add_report(&sentence, page->comparison, i);
		r = print_escaped(page, "- ", &sentence, "\n");
	}
	return r;
}

static int print_folded(const struct page *page, size_t other)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r;

	if (page->comparison->digest_count > 2)
		sc_buffer_printf(&sentence, "%s, ", sc_compare_name(page->comparison, other));
	sc_compare_add_tally(&sentence, &page->comparison->tallies[other - 1]);
	r = print_escaped(page, "\n<details><summary>", &sentence, "</summary>\n");
	if (r == 0)
		r = print_rest(page, other);
	if (r == 0 && page->comparison->digest_count == 2)
		r = print_reports(page);
	if (r == 0)
		r = print_differences(page, false, other, "What differs");
	if (r == 0 && sc_compare_adjusts(page->comparison)) {
		sc_buffer_add_text(&sentence, SC_COMPARE_ADJUSTED);
		r = print_escaped(page, "\n", &sentence, "\n");
	}
	if (r == 0 && page->comparison->rules->is_gate) {
		sc_compare_add_rules(&sentence, page->comparison);
		r = print_escaped(page, "\n", &sentence, "\n");
	}
	fputs("\n</details>\n", page->out);
	return r;
}

int sc_compare_write_markdown(FILE *out, const struct sc_comparison *comparison,
			      const struct sc_render_options *options, struct sc_error *error)
{
	const struct page page = {out, comparison, error};
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	int r;

	(void)options; /* a page has no width and no colours */
	sc_compare_add_headline(&sentence, comparison);
	r = print_escaped(&page, "### syncost: ", &sentence, "\n");
	if (r == 0 && comparison->outcome == SC_OUTCOME_INVALID) {
		r = print_differences(&page, true, 0, "What cannot be compared");
		return r == 0 ? print_reports(&page) : r;
	}
	if (r == 0 && comparison->digest_count > 2)
		r = print_reports(&page);
	for (size_t other = 1; r == 0 && other < comparison->digest_count; other++) {
		if (comparison->rules->is_gate)
			r = print_changed(&page, other);
		if (r == 0)
			r = print_folded(&page, other);
	}
	return r;
}
