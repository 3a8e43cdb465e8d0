/* SPDX-License-Identifier: MIT */

/*
 * How the cost of an operation grows with the rows of the dataset. Cells that differ in nothing but
 * those are a family; steps of SQLite, pages asked for and bytes written are counts, so that a
 * machine's noise has no part in the class, and the time stands beside them. The class is that of
 * the one that grows fastest. Of families of one workload and store whose classes are the same, one
 * speaks, and says how many more there are.
 */

#include "judge.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../stats/growth.h"
#include "format.h"
#include "store.h"

#define SIZES_MAX 64u

enum figure { STEPS, PAGES, WRITTEN, COUNTS, TIME = COUNTS, FIGURES };

struct family {
	const struct sc_cell *key; /* its first cell */
	size_t count;
	double rows[SIZES_MAX], costs[FIGURES][SIZES_MAX]; /* an operation; by increasing rows */
	bool has_time, has_written;
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

/* As SQLite asked its VFS; of a snapshot, which asks none, as libc was asked. */
static double written_by(const struct sc_cell *cell)
{
	bool is_snapshot = sc_store_is(cell->store, SC_STORE_SNAPSHOT);
	double bytes = 0;

	for (size_t i = 0; i < cell->io_count; i++)
		if (cell->io[i].op == SC_OP_WRITE &&
		    cell->io[i].instrument ==
			    (is_snapshot ? SC_INSTRUMENT_LIBC : SC_INSTRUMENT_VFS))
			bytes += (double)cell->io[i].bytes;
	return bytes;
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
	family->costs[WRITTEN][at] = written_by(cell) / operations;
	family->has_written = family->has_written || family->costs[WRITTEN][at] > 0;
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
	enum sc_growth_class class = SC_GROWTH_CONSTANT;

	for (int f = 0; f < COUNTS; f++)
		if (family->growth[f].class > class)
			class = family->growth[f].class;
	return class;
}

static bool says_the_same(const struct family *a, const struct family *b)
{
	for (int f = 0; f < COUNTS; f++)
		if (a->growth[f].class != b->growth[f].class)
			return false;
	return is_workload(a->key, b->key) && strcmp(a->key->store, b->key->store) == 0;
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

/* How many later families say the same. */
static size_t count_alike(const struct sc_cell *cells, size_t cell_count,
			  const struct family *family)
{
	struct family later;
	size_t count = 0;

	for (size_t i = (size_t)(family->key - cells) + 1; i < cell_count; i++)
		count += is_counted(&cells[i]) && is_workload(&cells[i], family->key) &&
			 find_family(cells, cell_count, i, &later) && says_the_same(family, &later);
	return count;
}

/* "wal/full fresh", and how many are like it */
static void say_subject(const struct sc_report_head *head, const struct family *family,
			size_t alike, char *text, size_t text_bytes)
{
	const struct sc_cell *key = family->key;
	size_t used;

	sc_store_label(key->store, &key->setting, &head->base, text, text_bytes);
	used = strlen(text);
	if (key->uses_wal_state && key->wal_state == SC_WAL_FRESH)
		used += (size_t)snprintf(text + used, text_bytes - used, " with a fresh WAL");
	if (alike > 0)
		(void)snprintf(text + used, text_bytes - used, " (and %zu more like it)", alike);
}

/* " (bytes written)": the counts that decide, unless nothing grows */
static void say_deciding(const struct family *family, enum sc_growth_class class, char *text,
			 size_t text_bytes)
{
	static const char *const names[] = {
		[STEPS] = "steps", [PAGES] = "pages", [WRITTEN] = "bytes written"};
	size_t used = 0;

	text[0] = '\0';
	if (class == SC_GROWTH_CONSTANT)
		return;
	for (int f = 0; f < COUNTS; f++)
		if (family->growth[f].class == class)
			used += (size_t)snprintf(text + used, text_bytes - used, "%s%s",
						 used ? ", " : " (", names[f]);
	(void)snprintf(text + used, text_bytes - used, ")");
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

static int say(struct sc_report_head *head, const struct family *family, size_t alike)
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
	char least[24], most[24], steps[80], pages[80], time[80] = "", written[120] = "";
	char subject[300], deciding[60], bytes[80];
	const char *next = words[class].next;

	static_assert(SC_ARRAY_COUNT(words) == SC_GROWTH_COUNT_, "words for each class");
	(void)snprintf(least, sizeof(least), "%.0f", family->rows[0]);
	(void)snprintf(most, sizeof(most), "%.0f", family->rows[family->count - 1]);
	if (family->has_time)
		(void)snprintf(time, sizeof(time), ", and ");
	if (family->has_time)
		(void)span(family, TIME, sc_format_ns, time + strlen(time),
			   sizeof(time) - strlen(time));
	say_subject(head, family, alike, subject, sizeof(subject));
	say_deciding(family, class, deciding, sizeof(deciding));
	if (family->has_written)
		(void)snprintf(written, sizeof(written), ", writes %s (%s)",
			       span(family, WRITTEN, sc_format_size, bytes, sizeof(bytes)),
			       sc_growth_name(family->growth[WRITTEN].class));
	if (sc_store_is(family->key->store, SC_STORE_SNAPSHOT) &&
	    family->growth[WRITTEN].class == class && class > SC_GROWTH_CONSTANT)
		next = "each commit writes the whole content there";
	else if (family->growth[STEPS].class < class && family->growth[PAGES].class < class)
		next = ""; /* no query plan's fault */
	return sc_findings_add(&head->findings,
			       class == SC_GROWTH_WORSE ? SC_FINDING_GROWTH_WORSE
							: SC_FINDING_GROWTH,
			       family->key->workload, subject, words[class].verb, deciding, least,
			       most, span(family, STEPS, sc_format_count, steps, sizeof(steps)),
			       sc_growth_name(family->growth[STEPS].class),
			       span(family, PAGES, sc_format_count, pages, sizeof(pages)),
			       sc_growth_name(family->growth[PAGES].class), written, time, next);
}

/* Once a workload. */
static int say_few(struct sc_report_head *head, const struct sc_cell *cells, size_t first)
{
	for (size_t i = 0; i < first; i++)
		if (is_counted(&cells[i]) && is_workload(&cells[i], &cells[first]))
			return 0;
	return sc_findings_add(&head->findings, SC_FINDING_SIZES_FEW, cells[first].workload);
}

int sc_judge_growth(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	struct family family;
	int r = 0;

	for (size_t i = 0; i < cell_count && r == 0; i++) {
		if (!is_counted(&cells[i]))
			continue;
		if (!find_family(cells, cell_count, i, &family))
			r = family.count == 2 ? say_few(head, cells, i) : 0;
		else if (!is_said(cells, cell_count, &family))
			r = say(head, &family, count_alike(cells, cell_count, &family));
	}
	return r;
}
