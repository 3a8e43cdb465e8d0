/* SPDX-License-Identifier: MIT */

/*
 * How the cost of an operation grows with the rows of the dataset. Cells that differ in nothing but
 * those are a family; steps of SQLite and pages asked for are counts, so that a machine's noise has
 * no part in the class, and the time stands beside them. The class is that of the one that grows
 * faster. Of families of one workload whose classes are the same, one speaks.
 */

#include "judge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../stats/growth.h"
#include "format.h"

#define SIZES_MAX 64u

enum figure { STEPS, PAGES, TIME, FIGURES };

struct family {
	const struct sc_cell *key; /* its first cell */
	size_t count;
	double rows[SIZES_MAX], costs[FIGURES][SIZES_MAX]; /* an operation; by increasing rows */
	bool has_time;
	struct sc_growth growth[FIGURES];
};

static bool is_counted(const struct sc_cell *cell)
{
	return cell->status == SC_MEASURED && !cell->same_as && cell->ledger_ops > 0 &&
	       cell->work.status == SC_MEASURED && cell->work.vm_steps > 0;
}

static bool is_workload(const struct sc_cell *a, const struct sc_cell *b)
{
	return strcmp(a->target, b->target) == 0 && strcmp(a->suite, b->suite) == 0 &&
	       strcmp(a->workload, b->workload) == 0;
}

static bool is_family(const struct sc_cell *a, const struct sc_cell *b)
{
	return is_workload(a, b) && strcmp(a->store, b->store) == 0 &&
	       strcmp(a->device, b->device) == 0 && strcmp(a->clock, b->clock) == 0 &&
	       strcmp(a->layers, b->layers) == 0 && a->clients == b->clients &&
	       a->wal_state == b->wal_state && sc_setting_compare(&a->setting, &b->setting) == 0;
}

/* Where it goes to stay sorted; a number of rows that is there already is left out. */
static void insert(struct family *family, const struct sc_cell *cell)
{
	double operations = (double)cell->ledger_ops, rate = cell->ops_per_s.median;
	size_t at = family->count;

	while (at > 0 && family->rows[at - 1] > (double)cell->rows)
		at--;
	if (family->count == SIZES_MAX || (at > 0 && family->rows[at - 1] == (double)cell->rows))
		return;
	for (size_t i = family->count; i > at; i--) {
		family->rows[i] = family->rows[i - 1];
		for (int f = 0; f < FIGURES; f++)
			family->costs[f][i] = family->costs[f][i - 1];
	}
	family->rows[at] = (double)cell->rows;
	family->costs[STEPS][at] = (double)cell->work.vm_steps / operations;
	family->costs[PAGES][at] = (double)cell->work.pages / operations;
	family->costs[TIME][at] = rate > 0 ? 1e9 / rate : 0;
	family->has_time = family->has_time && rate > 0;
	family->count++;
}

/* The family of @cells[@first], if that is its first cell and sizes are enough to tell. */
static bool find_family(const struct sc_cell *cells, size_t cell_count, size_t first,
			struct family *family)
{
	*family = (struct family){.key = &cells[first], .has_time = true};
	for (size_t i = 0; i < cell_count; i++) {
		if (!is_counted(&cells[i]) || !is_family(&cells[first], &cells[i]))
			continue;
		if (i < first)
			return false;
		insert(family, &cells[i]);
	}
	for (int f = 0; f < FIGURES; f++)
		if (!sc_growth_classify(family->rows, family->costs[f], family->count,
					&family->growth[f]))
			return false;
	return true;
}

static enum sc_growth_class class_of(const struct family *family)
{
	enum sc_growth_class steps = family->growth[STEPS].class;
	enum sc_growth_class pages = family->growth[PAGES].class;

	return steps > pages ? steps : pages;
}

static bool says_the_same(const struct family *a, const struct family *b)
{
	return is_workload(a->key, b->key) && a->growth[STEPS].class == b->growth[STEPS].class &&
	       a->growth[PAGES].class == b->growth[PAGES].class;
}

static bool is_said(const struct sc_cell *cells, size_t cell_count, const struct family *family)
{
	for (const struct sc_cell *cell = cells; cell < family->key; cell++) {
		struct family earlier;

		if (is_counted(cell) && is_workload(cell, family->key) &&
		    find_family(cells, cell_count, (size_t)(cell - cells), &earlier) &&
		    says_the_same(&earlier, family))
			return true;
	}
	return false;
}

/* "3 to 240", or "3" */
static const char *span(const struct family *family, enum figure figure,
			const char *(*format)(double value, char *text, size_t text_bytes),
			char *text, size_t text_bytes)
{
	const double *costs = family->costs[figure];
	char first[SC_FORMAT_BYTES], last[SC_FORMAT_BYTES];

	(void)format(costs[0], first, sizeof(first));
	(void)format(costs[family->count - 1], last, sizeof(last));
	if (strcmp(first, last) == 0)
		(void)snprintf(text, text_bytes, "%s", first);
	else
		(void)snprintf(text, text_bytes, "%s to %s", first, last);
	return text;
}

static int say(struct sc_report_head *head, const struct family *family)
{
	static const struct {
		const char *verb, *next;
	} words[] = {
		[SC_GROWTH_CONSTANT] = {"costs the same however many rows there are", ""},
		[SC_GROWTH_LOGARITHMIC] = {"grows with the logarithm of the rows", ""},
		[SC_GROWTH_LINEAR] = {"grows with the rows",
				      "where EXPLAIN QUERY PLAN says SCAN an index may be "
				      "missing, unless all rows are wanted"},
		[SC_GROWTH_WORSE] = {"grows faster than the rows",
				     "look at EXPLAIN QUERY PLAN: a loop in a loop, or a sort"},
	};
	enum sc_growth_class class = class_of(family);
	char least[24], most[24], steps[80], pages[80], time[80] = "";

	static_assert(SC_ARRAY_COUNT(words) == SC_GROWTH_COUNT_, "words for each class");
	(void)snprintf(least, sizeof(least), "%.0f", family->rows[0]);
	(void)snprintf(most, sizeof(most), "%.0f", family->rows[family->count - 1]);
	if (family->has_time)
		(void)snprintf(time, sizeof(time), ", and ");
	if (family->has_time)
		(void)span(family, TIME, sc_format_ns, time + strlen(time),
			   sizeof(time) - strlen(time));
	return sc_findings_add(
		&head->findings,
		class == SC_GROWTH_WORSE ? SC_FINDING_GROWTH_WORSE : SC_FINDING_GROWTH,
		family->key->workload, words[class].verb, least, most,
		span(family, STEPS, sc_format_count, steps, sizeof(steps)),
		sc_growth_name(family->growth[STEPS].class),
		span(family, PAGES, sc_format_count, pages, sizeof(pages)),
		sc_growth_name(family->growth[PAGES].class), time, words[class].next);
}

int sc_judge_growth(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	struct family family;
	int r = 0;

	for (size_t i = 0; i < cell_count && r == 0; i++)
		if (is_counted(&cells[i]) && find_family(cells, cell_count, i, &family) &&
		    !is_said(cells, cell_count, &family))
			r = say(head, &family);
	return r;
}
