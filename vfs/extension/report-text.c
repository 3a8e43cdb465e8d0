/* SPDX-License-Identifier: MIT */

/*
 * Method. A block a database, its calls with the longest total first. What takes less than a
 * hundredth of all time and did not fail is summed up in one line.
 */

#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../host.h"
#include "settings.h"
#include "tables.h"

#define CELL_BYTES 32

/* --- figures */

static void format_ns(char *ret_text, uint64_t ns)
{
	static const struct {
		double ns;
		const char *unit;
	} units[] = {{1e9, "s"}, {1e6, "ms"}, {1e3, "\xc2\xb5s"}, {1, "ns"}};
	size_t i = 0;
	double value;
	int digits;

	while (i < 3 && (double)ns < units[i].ns)
		i++;
	value = (double)ns / units[i].ns;
	digits = i == 3 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
	(void)snprintf(ret_text, CELL_BYTES, "%.*f %s", digits, value, units[i].unit);
}

static void format_bytes(char *ret_text, uint64_t bytes)
{
	static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
	double value = (double)bytes;
	size_t i = 0;

	if (bytes == 0) {
		(void)snprintf(ret_text, CELL_BYTES, "-");
		return;
	}
	while (i < 4 && value >= 1024) {
		value /= 1024;
		i++;
	}
	(void)snprintf(ret_text, CELL_BYTES, "%.*f %s", i == 0 || value >= 99.95 ? 0 : 1, value,
		       units[i]);
}

/* Right-aligned by characters, not bytes. */
static void append_right(sqlite3_str *text, const char *cell, int width)
{
	int characters = 0;

	for (const char *c = cell; *c; c++)
		characters += (*c & 0xc0) != 0x80;
	sqlite3_str_appendchar(text, width > characters ? width - characters : 0, ' ');
	sqlite3_str_appendall(text, cell);
}

static void append_ns(sqlite3_str *text, uint64_t ns, int width)
{
	char cell[CELL_BYTES];

	format_ns(cell, ns);
	append_right(text, cell, width);
}

static void append_bytes(sqlite3_str *text, uint64_t bytes, int width)
{
	char cell[CELL_BYTES];

	format_bytes(cell, bytes);
	append_right(text, cell, width);
}

/* --- calls */

static int by_total(const void *a, const void *b)
{
	uint64_t total_a = sc_table_total_ns(*(const struct syncost_row *const *)a);
	uint64_t total_b = sc_table_total_ns(*(const struct syncost_row *const *)b);

	return total_a < total_b ? 1 : total_a > total_b ? -1 : 0;
}

static void append_row(sqlite3_str *text, const struct syncost_row *row, double share)
{
	uint64_t ns;

	sqlite3_str_appendf(text, "  %-13s %-12s %9llu %8llu", syncost_role_name(row->role),
			    syncost_op_info(row->op)->name, row->calls, row->failures);
	append_bytes(text, row->bytes, 11);
	append_ns(text, sc_table_total_ns(row), 10);
	sqlite3_str_appendf(text, " %4d %%", (int)(100 * share + 0.5));
	append_ns(text, sc_table_quantile(row, 500, &ns) ? ns : 0, 10);
	append_ns(text, sc_table_quantile(row, 990, &ns) ? ns : 0, 10);
	append_ns(text, row->ns_max, 10);
	sqlite3_str_appendchar(text, 1, '\n');
}

static void append_rows(sqlite3_str *text, const struct syncost_row **rows, size_t count,
			uint64_t all_ns)
{
	uint64_t rest_calls = 0, rest_ns = 0;
	double all = all_ns ? (double)all_ns : 1;
	size_t rest = 0;

	sqlite3_str_appendf(text, "  %-13s %-12s %9s %8s %10s %9s %6s %9s %9s %9s\n", "file",
			    "operation", "calls", "failed", "bytes", "total", "share", "p50", "p99",
			    "max");
	for (size_t i = 0; i < count; i++) {
		double share = (double)sc_table_total_ns(rows[i]) / all;

		if (share >= 0.01 || rows[i]->failures > 0) {
			append_row(text, rows[i], share);
			continue;
		}
		rest++;
		rest_calls += rows[i]->calls;
		rest_ns += sc_table_total_ns(rows[i]);
	}
	if (rest > 0) {
		sqlite3_str_appendf(text, "  %llu other kinds of calls: %llu calls, ",
				    (uint64_t)rest, rest_calls);
		append_ns(text, rest_ns, 0);
		sqlite3_str_appendchar(text, 1, '\n');
	}
}

static void append_database(sqlite3_str *text, const struct syncost_snapshot *snapshot,
			    uint32_t slot)
{
	const struct syncost_database *database = &snapshot->databases[slot];

	if (slot == 0) {
		sqlite3_str_appendall(text, "\ntemporary files, and calls without a file\n");
		return;
	}
	sqlite3_str_appendf(text, "\n%s\n  commits %llu, checkpoints %llu", database->path,
			    database->commits, database->checkpoints);
	if (database->checkpoints > 0) {
		sqlite3_str_appendf(text, " (frames %llu, ", database->checkpoint_frames);
		append_ns(text, database->checkpoint_ns, 0);
		sqlite3_str_appendall(text, ")");
	}
	sqlite3_str_appendall(text, "; size at most ");
	append_bytes(text, database->total_bytes_max, 0);
	sqlite3_str_appendall(text, ", of that WAL ");
	append_bytes(text, database->size_bytes_max[SC_ROLE_WAL], 0);
	sqlite3_str_appendchar(text, 1, '\n');
}

static void append_databases(sqlite3_str *text, const struct syncost_snapshot *snapshot,
			     const struct syncost_row **rows)
{
	uint64_t all_ns = 0;

	for (size_t i = 0; i < snapshot->row_count; i++)
		all_ns += sc_table_total_ns(&snapshot->rows[i]);
	for (uint32_t n = 0; n < SC_METER_DATABASES; n++) {
		uint32_t slot = (n + 1) % SC_METER_DATABASES; /* what is of none comes last */
		size_t count = 0;

		for (size_t i = 0; i < snapshot->row_count; i++) {
			if (snapshot->rows[i].database == slot)
				rows[count++] = &snapshot->rows[i];
		}
		if (count == 0)
			continue;
		qsort(rows, count, sizeof(rows[0]), by_total);
		append_database(text, snapshot, slot);
		append_rows(text, rows, count, all_ns);
	}
}

/* --- commits */

static int by_value(const void *a, const void *b)
{
	uint64_t value_a = *(const uint64_t *)a, value_b = *(const uint64_t *)b;

	return value_a < value_b ? -1 : value_a > value_b;
}

static void append_split(sqlite3_str *text, const struct syncost_snapshot *snapshot)
{
	uint64_t sums[SC_PART_COUNT_] = {0}, all = 0;
	const char *before = "; ";

	for (size_t i = 0; i < snapshot->commit_count; i++) {
		for (int part = SC_PART_SQL; part < SC_PART_COUNT_; part++) {
			sums[part] += snapshot->commits[i].part_ns[part];
			all += snapshot->commits[i].part_ns[part];
		}
	}
	for (int part = SC_PART_SQL; part < SC_PART_COUNT_; part++) {
		int share = all ? (int)(100 * (double)sums[part] / (double)all + 0.5) : 0;

		if (share == 0)
			continue;
		sqlite3_str_appendf(text, "%s%s %d %%", before,
				    syncost_part_name((enum sc_part)part), share);
		before = ", ";
	}
}

static int append_commits(sqlite3_str *text, const struct syncost_snapshot *snapshot)
{
	size_t count = snapshot->commit_count;
	uint64_t *ns;

	if (count == 0)
		return SQLITE_OK;
	ns = malloc(count * sizeof(*ns));
	if (!ns)
		return SQLITE_NOMEM;
	for (size_t i = 0; i < count; i++)
		ns[i] = snapshot->commits[i].end_ns - snapshot->commits[i].start_ns;
	qsort(ns, count, sizeof(*ns), by_value);
	sqlite3_str_appendf(text, "\nfrom first write to commit, last %llu of %llu: p50 ",
			    (uint64_t)count, snapshot->transactions);
	append_ns(text, ns[(count * 50 + 99) / 100 - 1], 0);
	sqlite3_str_appendall(text, ", p99 ");
	append_ns(text, ns[(count * 99 + 99) / 100 - 1], 0);
	sqlite3_str_appendall(text, ", max ");
	append_ns(text, ns[count - 1], 0);
	append_split(text, snapshot);
	sqlite3_str_appendchar(text, 1, '\n');
	free(ns);
	return SQLITE_OK;
}

/* --- the whole */

static int append_figures(sqlite3_str *text, const struct syncost_snapshot *snapshot)
{
	const struct syncost_row **rows = calloc(snapshot->row_count + 1, sizeof(*rows));

	if (!rows)
		return SQLITE_NOMEM;
	append_databases(text, snapshot, rows);
	free(rows);
	if (snapshot->calls_dropped > 0)
		sqlite3_str_appendf(text, "\n%llu calls found no room in the meter\n",
				    snapshot->calls_dropped);
	return append_commits(text, snapshot);
}

int sc_report_text(sqlite3 *db, const struct sc_report_head *head, char **ret_text)
{
	struct syncost_snapshot *snapshot;
	int rc = sc_table_snapshot(&snapshot);
	sqlite3_str *text;

	if (rc != SQLITE_OK)
		return rc;
	text = sqlite3_str_new(db);
	sqlite3_str_appendf(text, "syncost: VFS %s over %s; commits %llu\n", head->name, head->over,
			    snapshot ? snapshot->transactions : 0);
	if (!sc_settings_connection(db, NULL))
		sqlite3_str_appendall(text,
				      "this connection is not measured: it was opened before "
				      "the extension was loaded,\nor with another VFS, or has "
				      "no file: what is opened from now on is measured\n");
	if (!snapshot || snapshot->row_count == 0)
		sqlite3_str_appendall(text, "nothing was measured yet\n");
	else
		rc = append_figures(text, snapshot);
	syncost_snapshot_free(snapshot);
	if (rc == SQLITE_OK)
		rc = sqlite3_str_errcode(text);
	*ret_text = sqlite3_str_finish(text);
	return rc;
}
