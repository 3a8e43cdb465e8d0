/* SPDX-License-Identifier: MIT */

/*
 * The histogram of a row is a line of SCALE_COLUMNS characters on one scale for all rows: a
 * character for each doubling from 4 us on, the first for all below and the last for all above.
 * Heights are shares of the row's largest; what is there at all can be seen.
 */

#include "probe.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../model/format.h"
#include "text.h"

#define SCALE_COLUMNS  18u
#define SCALE_FIRST_NS 4096.0
#define TITLE_COLUMNS  37u
#define WIDE_COLUMNS   114u /* room for the sync's share and the rate */
#define LEVELS         8u

static void add_histogram(struct sc_buffer *line, const struct sc_probe_row *row, bool utf8)
{
	static const char *const blocks[] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
	static const char *const ascii[] = {" ", ".", ":", "-", "=", "+", "*", "%", "#"};
	uint64_t counts[SCALE_COLUMNS] = {0}, most = 0;

	for (uint32_t i = 0; i < SC_HIST_BUCKETS; i++) {
		double doublings = log2((double)sc_hist_low(i) / SCALE_FIRST_NS);
		size_t column = doublings < 0 ? 0 : (size_t)doublings + 1;

		if (column >= SCALE_COLUMNS)
			column = SCALE_COLUMNS - 1;
		counts[column] += row->buckets[i];
	}
	for (size_t i = 0; i < SCALE_COLUMNS; i++)
		most = counts[i] > most ? counts[i] : most;
	for (size_t i = 0; i < SCALE_COLUMNS; i++) {
		size_t level = (size_t)ceil((double)counts[i] * LEVELS / (double)most);

		sc_buffer_add_text(line, utf8 ? blocks[level] : ascii[level]);
	}
}

/* Where titles say more than the method does. */
static void title_of(const struct sc_probe_row *row, char *text, size_t text_bytes)
{
	static const char *const files[] = {
		[SC_PROBE_CREATE] = "new file, sync, directory sync",
		[SC_PROBE_TRUNCATE] = "truncate, sync",
		[SC_PROBE_UNLINK] = "unlink, directory sync",
		[SC_PROBE_CLEAN] = "sync of a clean file",
		[SC_PROBE_CLEAN_FOLDER] = "sync of a clean directory",
	};

	switch ((int)row->group) {
	case SC_PROBE_METHODS:
		if (row->bytes == 4096 && row->state == SC_PROBE_OVERWRITE)
			(void)snprintf(text, text_bytes, "%s", sc_probe_method_title(row->method));
		else
			(void)snprintf(text, text_bytes, "%s, %" PRIu64 " bytes",
				       row->state == SC_PROBE_OVERWRITE ? "overwrite"
				       : row->state == SC_PROBE_APPEND  ? "append"
									: "first write, fallocated",
				       row->bytes);
		return;
	case SC_PROBE_FILES:
		(void)snprintf(text, text_bytes, "%s", files[row->state]);
		return;
	case SC_PROBE_PAGES:
		(void)snprintf(text, text_bytes, "%u pages %s", (unsigned int)row->pages,
			       row->is_spread ? "spread" : "together");
		return;
	case SC_PROBE_WRITERS:
		(void)snprintf(text, text_bytes, "%u writers at once", (unsigned int)row->writers);
		return;
	case SC_PROBE_PACED:
		(void)snprintf(text, text_bytes, "after a pause of %" PRIu64 " ms",
			       row->pause_ns / 1000000);
		return;
	default:
		(void)snprintf(text, text_bytes, "%s%s", row->journal ? row->journal : row->key,
			       sc_probe_row_is_durable(row) ? "" : ": not durable");
		return;
	}
}

static void add_ns(struct sc_buffer *line, const struct sc_probe_part *part, int index, bool utf8)
{
	char text[SC_FORMAT_BYTES];

	sc_buffer_add_text(line, " ");
	sc_text_add_padded(line,
			   part->n && part->ns[SC_PROBE_MAX]
				   ? sc_format_ns((double)part->ns[index], text, sizeof(text))
				   : "-",
			   8, true, utf8);
}

static void add_row(struct sc_buffer *line, const struct sc_probe_row *row, bool is_wide, bool utf8)
{
	char text[128], title[96];

	title_of(row, title, sizeof(title));
	(void)snprintf(text, sizeof(text), "  %s", title);
	sc_text_add_padded(line, text, TITLE_COLUMNS, false, utf8);
	if (row->status != SC_MEASURED) {
		sc_buffer_printf(line, " %s: ", sc_status_name(row->status));
		sc_text_add_clean(line, row->reason, utf8);
		sc_buffer_add_text(line, "\n");
		return;
	}
	(void)snprintf(text, sizeof(text), "%" PRIu64, row->operation.n);
	sc_text_add_padded(line, text, 6, true, utf8);
	add_ns(line, &row->operation, SC_PROBE_P50, utf8);
	add_ns(line, &row->operation, SC_PROBE_P90, utf8);
	add_ns(line, &row->operation, SC_PROBE_P99, utf8);
	add_ns(line, &row->operation, SC_PROBE_MAX, utf8);
	if (is_wide) {
		add_ns(line, &row->sync, SC_PROBE_P50, utf8);
		sc_text_add_padded(line, sc_format_rate(row->ops_per_s, text, sizeof(text)), 7,
				   true, utf8);
	}
	sc_buffer_add_text(line, " ");
	add_histogram(line, row, utf8);
	while (line->length > 0 && line->text[line->length - 1] == ' ')
		sc_buffer_cut(line, line->length - 1);
	sc_buffer_add_text(line, "\n");
}

static void add_rows(struct sc_buffer *lines, const struct sc_probe *probe, bool is_wide, bool utf8)
{
	static const char *const headings[] = {
		[SC_PROBE_METHODS] = "4 KiB over written blocks; then other states and sizes",
		[SC_PROBE_FILES] = "files and directories",
		[SC_PROBE_PAGES] = "several 4 KiB pages, one fdatasync",
		[SC_PROBE_WRITERS] = "write and fdatasync by several at one file",
		[SC_PROBE_PACED] = "write and fdatasync, paced",
		[SC_PROBE_JOURNAL] =
			"SQLite's calls of a one-row commit, as the journal makes them",
	};
	int group = -1;

	sc_text_add_padded(lines, "", TITLE_COLUMNS, false, utf8);
	sc_buffer_printf(lines,
			 "     n      p50      p90      p99      max%s <4us  64us  1ms  16ms\n",
			 is_wide ? " sync p50    a s" : "");
	for (size_t i = 0; i < probe->row_count; i++) {
		const struct sc_probe_row *row = &probe->rows[i];

		if (!row->is_main)
			continue;
		if ((int)row->group != group)
			sc_buffer_printf(lines, "%s\n", headings[row->group]);
		group = (int)row->group;
		add_row(lines, row, is_wide, utf8);
	}
}

static void add_facts(struct sc_buffer *lines, const struct sc_target *target, bool utf8)
{
	sc_text_add_clean(lines, target->path, utf8);
	sc_buffer_add_text(lines, ": ");
	sc_text_add_clean(lines, target->filesystem ? target->filesystem : "unknown file system",
			  utf8);
	if (target->mount_options) {
		sc_buffer_add_text(lines, " (");
		sc_text_add_clean(lines, target->mount_options, utf8);
		sc_buffer_add_text(lines, ")");
	}
	if (target->storage) {
		sc_buffer_add_text(lines, " on ");
		sc_text_add_clean(lines, target->storage, utf8);
	}
	if (target->rotational_status == SC_MEASURED)
		sc_buffer_add_text(lines, target->rotational ? ", said to be rotational"
							     : ", not rotational");
	if (target->is_network)
		sc_buffer_add_text(lines, ", another machine's");
	if (target->is_virtual)
		sc_buffer_add_text(lines, ", virtual");
	if (target->write_cache)
		sc_buffer_printf(lines, ", %s cache", target->write_cache);
	if (target->fua)
		sc_buffer_printf(lines, ", forced writes: %s", target->fua);
	if (target->scheduler)
		sc_buffer_printf(lines, ", scheduler %s", target->scheduler);
	if (target->discard)
		sc_buffer_printf(lines, ", discard: %s", target->discard);
}

static void add_rate(struct sc_buffer *text, const struct sc_probe *probe, const char *journal,
		     const char *name)
{
	double rate = sc_probe_ceiling(probe, journal);
	char number[SC_FORMAT_BYTES];

	if (rate > 0)
		sc_buffer_printf(text, "%s%s %s", text->length ? ", " : "", name,
				 sc_format_rate(rate, number, sizeof(number)));
}

/* What a commit cannot be faster than here, at the median. */
static void add_ceilings(struct sc_buffer *text, const struct sc_probe *probe)
{
	add_rate(text, probe, "wal-full", "WAL+FULL");
	add_rate(text, probe, "wal-full-fresh", "while the WAL grows");
	add_rate(text, probe, "persist-full", "PERSIST+FULL");
	add_rate(text, probe, "truncate-full", "TRUNCATE+FULL");
	add_rate(text, probe, "delete-full", "DELETE+FULL");
	add_rate(text, probe, "delete-extra", "DELETE+EXTRA");
}

static int put_wrapped(const char *label, struct sc_buffer *text, size_t columns, FILE *out,
		       struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *taken = NULL;
	int r = sc_buffer_take(text, &taken, error);

	if (r < 0)
		return r;
	(void)fputs(label, out);
	sc_text_wrap(out, taken, sc_text_columns(label), 2, columns);
	return 0;
}

static int put_conclusions(const struct sc_probe *probe, size_t columns, bool utf8, FILE *out,
			   struct sc_error *error)
{
	const struct sc_probe_row *cheapest = sc_probe_cheapest(probe);
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};
	char number[SC_FORMAT_BYTES];
	int r;

	add_ceilings(&text, probe);
	r = put_wrapped("Ceiling, commits/s: ", &text, columns, out, error);
	if (r == 0 && cheapest) {
		sc_text_add_clean(&text, sc_probe_method_title(cheapest->method), utf8);
		sc_buffer_add_text(&text, ", ");
		sc_text_add_clean(&text,
				  sc_format_ns((double)cheapest->operation.ns[SC_PROBE_P50], number,
					       sizeof(number)),
				  utf8);
		r = put_wrapped("Cheapest durable 4 KiB: ", &text, columns, out, error);
	}
	return r;
}

static int put_findings(const struct sc_findings *findings, size_t columns, bool utf8, FILE *out,
			struct sc_error *error)
{
	static const char *const marks[] = {"-  ", "!  ", "!! "};
	int r = 0;

	for (size_t i = 0; i < findings->count && r == 0; i++) {
		const struct sc_finding *finding = &findings->items[i];
		SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};

		sc_text_add_clean(&text, finding->text, utf8);
		if (finding->next[0]) {
			sc_buffer_add_text(&text, "; ");
			sc_text_add_clean(&text, finding->next, utf8);
		}
		r = put_wrapped(marks[finding->severity], &text, columns, out, error);
	}
	return r;
}

void sc_probe_print_heading(const struct sc_probe_tool *tool, const char *started,
			    const struct sc_render_options *options, FILE *out)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};

	sc_text_add_clean(&line, tool->host, options->utf8);
	(void)fprintf(out, "syncost %s probe, %s\n%s, %s, %s", tool->version, started,
		      line.text ? line.text : "", tool->kernel, tool->cpu);
	if (tool->load >= 0)
		(void)fprintf(out, ", load %.1f", tool->load);
	(void)fputs("\n", out);
}

int sc_probe_print(const struct sc_probe *probe, const struct sc_render_options *options, FILE *out,
		   struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};
	SC_CLEANUP(sc_freep) char *rows = NULL;
	size_t columns = options->columns ? options->columns : 100;
	int r;

	(void)fputs("\n", out);
	add_facts(&text, &probe->target, options->utf8);
	r = put_wrapped("", &text, columns, out, error);
	if (r == 0) {
		add_rows(&text, probe, columns >= WIDE_COLUMNS, options->utf8);
		r = sc_buffer_take(&text, &rows, error);
	}
	if (r < 0)
		return r;
	(void)fputs(rows, out);
	r = put_conclusions(probe, columns, options->utf8, out, error);
	if (r == 0)
		r = put_findings(&probe->target.findings, columns, options->utf8, out, error);
	if (!probe->is_complete)
		(void)fputs("not complete: it was interrupted\n", out);
	return r;
}
