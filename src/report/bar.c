/* SPDX-License-Identifier: MIT */

/*
 * Shares become characters by largest remainders: each gets the whole part of share * columns, and
 * what is left goes to those that lost most by that. So the bar is always full, and a part is at
 * most one character off.
 */

#include "bar.h"

#include <assert.h>
#include <string.h>

struct part {
	const char *key;  /* of the metric that is its share */
	const char *name; /* in the legend */
	const char *utf8, *ascii;
	const char *color; /* ANSI, after ESC [ */
};

static const struct part parts[] = {
	{"sync_share", "sync", "█", "S", "31"},
	{"checkpoint_share", "checkpoint", "▓", "C", "35"},
	{"write_share", "write", "▒", "w", "33"},
	{"read_share", "read", "▚", "r", "36"},
	{"sql_cpu_share", "SQL on CPU", "░", "q", "32"},
	{"memory_faults_share", "faults", "▞", "f", "34"},
	{"lock_share", "lock", "╳", "L", "91"},
	{"run_delay_share", "run delay", "~", "~", "90"},
	{"rest_share", "rest", "·", ".", "37"},
};

#define PART_COUNT SC_ARRAY_COUNT(parts)

static bool read_shares(const struct sc_cell *cell, double *shares)
{
	for (size_t i = 0; i < PART_COUNT; i++) {
		const struct sc_metric *metric = sc_metric_find(parts[i].key);
		struct sc_metric_value value;

		assert(metric);
		value = metric->read(cell);
		if (value.status != SC_MEASURED)
			return false;
		shares[i] = value.number;
	}
	return true;
}

static void share_out(const double *shares, size_t columns, size_t *ret_counts)
{
	double remainders[PART_COUNT];
	size_t left = columns;

	for (size_t i = 0; i < PART_COUNT; i++) {
		double exact = shares[i] * (double)columns;
		size_t whole = exact > 0 ? (size_t)exact : 0;

		ret_counts[i] = whole < left ? whole : left;
		remainders[i] = exact - (double)whole;
		left -= ret_counts[i];
	}
	while (left > 0) {
		size_t most = 0;

		for (size_t i = 1; i < PART_COUNT; i++) {
			if (remainders[i] > remainders[most])
				most = i;
		}
		ret_counts[most]++;
		remainders[most] -= 1;
		left--;
	}
}

static void add_glyphs(struct sc_buffer *buffer, const struct part *part, size_t count,
		       const struct sc_render_options *options)
{
	if (count == 0)
		return;
	if (options->color)
		sc_buffer_printf(buffer, "\x1b[%sm", part->color);
	while (count-- > 0)
		sc_buffer_add_text(buffer, options->utf8 ? part->utf8 : part->ascii);
	if (options->color)
		sc_buffer_add_text(buffer, "\x1b[0m");
}

void sc_bar_add(struct sc_buffer *buffer, const struct sc_cell *cell, size_t columns,
		const struct sc_render_options *options)
{
	double shares[PART_COUNT];
	size_t counts[PART_COUNT];

	if (!read_shares(cell, shares)) {
		while (columns-- > 0)
			sc_buffer_add_text(buffer, " ");
		return;
	}
	share_out(shares, columns, counts);
	for (size_t i = 0; i < PART_COUNT; i++)
		add_glyphs(buffer, &parts[i], counts[i], options);
}

void sc_bar_add_legend(struct sc_buffer *buffer, const struct sc_render_options *options)
{
	size_t used = 0;

	for (size_t i = 0; i < PART_COUNT; i++) {
		size_t columns = 2 + strlen(parts[i].name);

		if (used > 0 && used + 2 + columns > options->columns) {
			sc_buffer_add_text(buffer, "\n");
			used = 0;
		} else if (used > 0) {
			sc_buffer_add_text(buffer, "  ");
			used += 2;
		}
		add_glyphs(buffer, &parts[i], 1, options);
		sc_buffer_printf(buffer, " %s", parts[i].name);
		used += columns;
	}
}
