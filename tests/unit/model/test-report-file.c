/* SPDX-License-Identifier: MIT */

/* summary.json: written, read, written again; and files that are not what they should be. */

#include "../base/test.h"

#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "../base/scratch.h"
#include "model/report.h"
#include "samples.h"
#include "small-report.h"

#define FILE_NAME "summary.json"

/* Reads a report to its end. Return: 0, or the first error. */
static int read_all(const char *path, size_t *ret_cells, struct sc_error *error)
{
	SC_CLEANUP(sc_report_closep) struct sc_report_reader *reader = NULL;
	size_t count = 0;
	int r;

	memset(error, 0, sizeof(*error));
	r = sc_report_open(path, &reader, error);
	while (r == 0) {
		struct sc_cell cell = {0};

		r = sc_report_next(reader, &cell, error);
		sc_cell_fini(&cell);
		count += r == 0;
	}
	if (ret_cells)
		*ret_cells = count;
	return r < 0 ? r : 0;
}

/* The same report as text, read and written again. */
static char *copy_report(const char *path)
{
	SC_CLEANUP(sc_report_closep) struct sc_report_reader *reader = NULL;
	struct sc_error error = {0};
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	bool first = true;
	int r;

	assert_non_null(out);
	r = sc_report_open(path, &reader, &error);
	if (r < 0)
		fail_msg("%s", error.what);
	assert_int_equal(sc_report_write_head(out, sc_report_reader_head(reader), &error), 0);
	for (;;) {
		struct sc_cell cell = {0};

		r = sc_report_next(reader, &cell, &error);
		if (r < 0)
			fail_msg("%s", error.what);
		if (r == 1)
			break;
		assert_int_equal(sc_report_write_cell(out, &cell, first, &error), 0);
		first = false;
		sc_cell_fini(&cell);
	}
	assert_int_equal(sc_report_write_end(out, &error), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void write_small(const struct scratch *scratch, const struct small_report *report)
{
	char *text = small_report_text(report);

	scratch_write(scratch, FILE_NAME, text);
	free(text);
}

static void check_round_trip(const struct scratch *scratch, const struct small_report *report)
{
	char *text, *again;

	write_small(scratch, report);
	text = small_report_text(report);
	again = copy_report(scratch->path);
	assert_string_equal(text, again);
	free(text);
	free(again);
}

static void what_is_read_and_written_is_the_same_bytes(void **state)
{
	struct small_report report;

	small_report_make(&report);
	check_round_trip(*state, &report);
	small_report_fini(&report);
}

static void extreme_values_survive(void **state)
{
	struct small_report report;
	struct sc_cell *cell = &report.cells[0];

	small_report_make(&report);
	cell->seed = UINT64_MAX;
	cell->rows = (1ull << 53) + 1;
	cell->split.residual_ns = INT64_MIN;
	cell->setting.cache_size = -2147483648ll;
	cell->setting.mmap_size = (1ull << 62) + 1;
	cell->ops_per_s.median = 1.0 / 3;
	cell->ops_per_s.low = 5e-324;
	cell->ops_per_s.high = 1.7976931348623157e308;
	cell->space.payload_bytes = 1;
	cell->space.vfs_bytes = UINT64_MAX;
	report.head.rounds = UINT32_MAX;
	report.head.finished[0] = '\0';
	report.head.complete = false;
	free(report.head.sync_call);
	report.head.sync_call = NULL;
	free(report.head.targets[0].write_cache);
	report.head.targets[0].write_cache = NULL;
	report.head.targets[0].rotational_status = SC_UNSUPPORTED;
	report.head.targets[0].rotational = false;
	check_round_trip(*state, &report);
	small_report_fini(&report);
}

static void names_of_any_kind_survive(void **state)
{
	static const char name[] = "a\"\\/\b\f\n\r\t\x01\x7f é 日本 😀 ]}";
	struct small_report report;

	small_report_make(&report);
	free(report.cells[1].id);
	report.cells[1].id = strdup(name);
	free(report.head.targets[0].label);
	report.head.targets[0].label = strdup(name);
	check_round_trip(*state, &report);
	small_report_fini(&report);
}

static void figures_come_back_exactly(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	struct sc_report_reader *reader = NULL;
	struct sc_error error;

	small_report_make(&report);
	write_small(scratch, &report);
	assert_int_equal(sc_report_open(scratch->path, &reader, &error), 0);
	assert_int_equal(sc_report_reader_head(reader)->seed, UINT64_MAX);
	assert_int_equal(sc_report_reader_head(reader)->cell_count, report.count);
	for (size_t i = 0; i < report.count; i++) {
		const struct sc_cell *wrote = &report.cells[i];
		struct sc_cell cell = {0};

		assert_int_equal(sc_report_next(reader, &cell, &error), 0);
		assert_string_equal(cell.id, wrote->id);
		assert_int_equal(cell.status, wrote->status);
		assert_true(cell.ops_per_s.median == wrote->ops_per_s.median);
		assert_true(cell.commits_per_s.high == wrote->commits_per_s.high);
		assert_true(cell.cpu_wall == wrote->cpu_wall);
		assert_true(cell.bound.share == wrote->bound.share);
		assert_int_equal(cell.bound.by, wrote->bound.by);
		assert_int_equal(cell.op_ns.p99_ns, wrote->op_ns.p99_ns);
		assert_memory_equal(&cell.split.wall_ns, &wrote->split.wall_ns,
				    sizeof(cell.split.wall_ns));
		assert_memory_equal(&cell.split.checkpoint_ns, &wrote->split.checkpoint_ns,
				    sizeof(cell.split.checkpoint_ns));
		assert_memory_equal(&cell.checkpoints, &wrote->checkpoints,
				    sizeof(cell.checkpoints));
		assert_int_equal(cell.io_count, wrote->io_count);
		assert_int_equal(cell.sample_count, wrote->sample_count);
		if (wrote->op_ns.buckets)
			assert_memory_equal(cell.op_ns.buckets, wrote->op_ns.buckets,
					    SC_HIST_BUCKETS * sizeof(uint32_t));
		sc_cell_fini(&cell);
	}
	sc_report_closep(&reader);
	small_report_fini(&report);
}

static void a_report_can_be_gone_through_twice(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	struct sc_report_reader *reader = NULL;
	struct sc_error error;

	small_report_make(&report);
	write_small(scratch, &report);
	assert_int_equal(sc_report_open(scratch_path(scratch, FILE_NAME), &reader, &error), 0);
	for (int pass = 0; pass < 2; pass++) {
		size_t count = 0;
		struct sc_cell cell = {0};

		while (sc_report_next(reader, &cell, &error) == 0) {
			assert_string_equal(cell.id, report.cells[count++].id);
			sc_cell_fini(&cell);
		}
		assert_int_equal(count, report.count);
		assert_int_equal(sc_report_next(reader, &cell, &error), 1); /* stays at the end */
		assert_int_equal(sc_report_rewind(reader, &error), 0);
	}
	sc_report_closep(&reader);
	small_report_fini(&report);
}

static void it_is_json_as_a_whole(void **state)
{
	struct small_report report;
	cJSON *json;
	char *text;

	(void)state;
	small_report_make(&report);
	text = small_report_text(&report);
	json = cJSON_Parse(text);
	assert_non_null(json);
	assert_int_equal(cJSON_GetArraySize(cJSON_GetObjectItem(json, "cells")), (int)report.count);
	cJSON_Delete(json);
	free(text);
	small_report_fini(&report);
}

/* --- numbers that JSON has no word for */

static void what_is_not_finite_is_refused(void **state)
{
	static const double bad[] = {NAN, INFINITY, -INFINITY};
	struct small_report report;
	struct sc_error error;
	FILE *out = fopen("/dev/null", "we");

	(void)state;
	assert_non_null(out);
	small_report_make(&report);
	assert_int_equal(sc_report_write_cell(out, &report.cells[0], true, &error), 0);
	for (size_t i = 0; i < SC_ARRAY_COUNT(bad); i++) {
		double *const numbers[] = {
			&report.cells[0].ops_per_s.median, &report.cells[0].commits_per_s.low,
			&report.cells[0].cpu_wall,         &report.cells[0].instrument_cost,
			&report.cells[0].bound.share,      &report.cells[0].bound.if_free_ops_per_s,
		};

		for (size_t j = 0; j < SC_ARRAY_COUNT(numbers); j++) {
			double good = *numbers[j];

			*numbers[j] = bad[i];
			assert_int_equal(sc_report_write_cell(out, &report.cells[0], true, &error),
					 SC_E_FORMAT);
			assert_non_null(strstr(error.what, "is not a finite number"));
			*numbers[j] = good;
		}
		report.head.recommendations[0].commits_per_s.median = bad[i];
		assert_int_equal(sc_report_write_head(out, &report.head, &error), SC_E_FORMAT);
	}
	fclose(out);
	small_report_fini(&report);
}

static void a_full_device_is_said(void **state)
{
	struct small_report report;
	struct sc_error error;
	FILE *out = fopen("/dev/full", "we");

	(void)state;
	if (!out)
		skip();
	small_report_make(&report);
	setvbuf(out, NULL, _IONBF, 0);
	assert_int_equal(sc_report_write_head(out, &report.head, &error), -ENOSPC);
	assert_int_equal(sc_report_write_cell(out, &report.cells[0], true, &error), -ENOSPC);
	assert_int_equal(sc_report_write_end(out, &error), -ENOSPC);
	fclose(out);
	small_report_fini(&report);
}

/* --- files that are no reports, or not whole */

static void expect_format_error(const struct scratch *scratch, const char *text, const char *words)
{
	struct sc_error error;

	scratch_write(scratch, FILE_NAME, text);
	if (read_all(scratch->path, NULL, &error) != SC_E_FORMAT)
		fail_msg("accepted: %.60s", text);
	if (!strstr(error.what, words))
		fail_msg("'%s' does not say '%s'", error.what, words);
	assert_non_null(strstr(error.what, "summary.json', line"));
	assert_null(strchr(error.what, '\n'));
}

static void what_is_not_a_report_is_said_so(void **state)
{
	static const struct {
		const char *text, *words;
	} cases[] = {
		{"", "line 1: the file is empty, not a report of syncost"},
		{"\n\n", "the file is empty"},
		{"hello\n", "line 1: this is not a report of syncost"},
		{"{}\n", "line 1: this is not a report of syncost"},
		{"[1,2,3]\n", "this is not a report of syncost"},
		{"{\"format\":\"other-1\"}\n", "this is not a report of syncost"},
		{"{\n  \"format\": \"syncost-report-1\"\n}\n", "this is not a report of syncost"},
		{"SQLite format 3", "this is not a report of syncost"},
		{"{\"format\":\"syncost-report-1\",\n", "line 2: the file ends before its cells"},
		{"{\"format\":\"syncost-report-1\",\n\"cells\":[\n]}\n", "kind"},
		{"{\"format\":\"syncost-report-1\",]\n\"cells\":[\n]}\n", "line 2: is not JSON"},
		{"{\"format\":\"syncost-report-", "this version reads 'syncost-report-1'"},
	};

	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++)
		expect_format_error(*state, cases[i].text, cases[i].words);
}

/* JSON that is a number, and a rate that no sweep can have measured. */
static void a_rate_that_cannot_be_is_refused(void **state)
{
	static const struct {
		double low, median, high;
		const char *words; /* NULL: it can be */
	} cases[] = {
		{90, 100, 110, NULL},
		{100, 100, 100, NULL},
		{0, 0, 0, "ops_per_s.median: must be above 0"},
		{-3, -2, -1, "ops_per_s.median: must be above 0"},
		{-1, 100, 110, "ops_per_s.low: must be from 0 to the median"},
		{101, 100, 110, "ops_per_s.low: must be from 0 to the median"},
		{90, 100, 99, "ops_per_s.high: must be at least the median"},
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct small_report report;
		struct sc_error error;

		small_report_make(&report);
		report.cells[0].ops_per_s.low = cases[i].low;
		report.cells[0].ops_per_s.median = cases[i].median;
		report.cells[0].ops_per_s.high = cases[i].high;
		write_small(scratch, &report);
		assert_int_equal(read_all(scratch->path, NULL, &error),
				 cases[i].words ? SC_E_FORMAT : 0);
		if (cases[i].words && !strstr(error.what, cases[i].words))
			fail_msg("'%s' does not say '%s'", error.what, cases[i].words);
		small_report_fini(&report);
	}
}

static void another_version_names_both(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_error error;

	scratch_write(scratch, FILE_NAME, "{\"format\":\"syncost-report-2\",\"kind\":\"sweep\"}\n");
	assert_int_equal(read_all(scratch->path, NULL, &error), SC_E_FORMAT);
	assert_non_null(strstr(error.what, "line 1: its format is 'syncost-report-2', this version "
					   "reads 'syncost-report-1'"));
	assert_string_equal(error.next, "read it with the version of syncost that wrote it");
}

static void what_is_not_there_is_the_systems_error(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_error error;

	assert_int_equal(read_all(scratch_path(scratch, "nowhere"), NULL, &error), -ENOENT);
	assert_int_equal(read_all(scratch->path, NULL, &error), -ENOENT);
	assert_non_null(strstr(error.what, "summary.json"));
	assert_string_equal(error.next, "name the folder of a report, or its summary.json");
	scratch_mkdir(scratch, FILE_NAME);
	assert_int_equal(read_all(scratch->path, NULL, &error), SC_E_FORMAT);
	assert_non_null(strstr(error.what, "summary.json' is a directory, not a file"));
}

static void a_file_cut_anywhere_is_found_out(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	struct sc_error error;
	size_t cuts = 0;
	char *text;

	small_report_make(&report);
	text = small_report_text(&report);
	/* From the end: after each line, before its newline, and in its middle. */
	for (size_t length = strlen(text) - 2; length > 0; length--) {
		bool at_line = text[length - 1] == '\n' || text[length] == '\n';

		if (!at_line && length % 997 != 0)
			continue;
		text[length] = '\0';
		scratch_write(scratch, FILE_NAME, text);
		if (read_all(scratch->path, NULL, &error) != SC_E_FORMAT)
			fail_msg("accepted when cut to %zu bytes", length);
		cuts++;
	}
	assert_true(cuts > 80);
	free(text);
	small_report_fini(&report);
}

/* Replaces the first @from behind the start of the cells. */
static char *replaced(const char *text, const char *from, const char *to)
{
	const char *at = strstr(strstr(text, "\"cells\":["), from);
	char *result = NULL;

	assert_non_null(at);
	assert_true(asprintf(&result, "%.*s%s%s", (int)(at - text), text, to, at + strlen(from)) >
		    0);
	return result;
}

static void lines_out_of_order_are_found_out(void **state)
{
	static const struct {
		const char *from, *to, *words;
	} cases[] = {
		{"\n]}\n", "\n]}\nmore\n", "something follows the end of the report"},
		{"\n]}\n", ",\n]}\n", "a cell is missing after the comma"},
		{"},\n{", "}\n{", "a comma is missing after the cell before"},
		{"{\"id\"", "\"id\"", "is not JSON"},
		{"{\"id\"", "[{\"id\"", "is not JSON"},
		{"},\n{", "},\n{},\n{", "id: is missing"},
		{"},\n{", "},\n7,\n{", "is not a JSON object"},
		{"\"median\":", "\"median\":1e999,\"x\":", "ops_per_s.median: must be a number"},
	};
	struct small_report report;
	char *text;

	small_report_make(&report);
	text = small_report_text(&report);
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		char *bad = replaced(text, cases[i].from, cases[i].to);

		expect_format_error(*state, bad, cases[i].words);
		free(bad);
	}
	free(text);
	small_report_fini(&report);
}

static void a_zero_byte_is_found_out(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	struct sc_error error;
	FILE *out = fopen(scratch_path(scratch, FILE_NAME), "we");

	assert_non_null(out);
	small_report_make(&report);
	assert_int_equal(sc_report_write_head(out, &report.head, &error), 0);
	fwrite("{\"id\":\0", 1, 7, out);
	assert_int_equal(fclose(out), 0);
	assert_int_equal(read_all(scratch->path, NULL, &error), SC_E_FORMAT);
	assert_non_null(strstr(error.what, "holds a zero byte"));
	small_report_fini(&report);
}

static void a_line_without_end_is_refused(void **state)
{
	const struct scratch *scratch = *state;
	static char block[1 << 16];
	struct small_report report;
	struct sc_error error;
	FILE *out = fopen(scratch_path(scratch, FILE_NAME), "we");

	assert_non_null(out);
	memset(block, 'x', sizeof(block));
	small_report_make(&report);
	assert_int_equal(sc_report_write_head(out, &report.head, &error), 0);
	for (int i = 0; i < 65 * 16; i++)
		assert_int_equal(fwrite(block, 1, sizeof(block), out), sizeof(block));
	assert_int_equal(fclose(out), 0);
	assert_int_equal(read_all(scratch->path, NULL, &error), SC_E_FORMAT);
	assert_non_null(strstr(error.what, "is too long for a report"));
	small_report_fini(&report);
}

static void keys_of_later_versions_are_passed_over(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	char *text, *more, *again;

	small_report_make(&report);
	text = small_report_text(&report);
	more = replaced(text, "{\"id\"", "{\"later\":{\"a\":[1,{\"b\":null}]},\"id\"");
	scratch_write(scratch, FILE_NAME, more);
	again = copy_report(scratch->path);
	assert_string_equal(again, text);
	free(more);
	free(again);
	free(text);
	small_report_fini(&report);
}

/* --- each value, turned into what it is not */

struct damage {
	const struct scratch *scratch;
	const char *head; /* text before the cells */
	cJSON *line;      /* the cell, whole */
	size_t tried, refused;
};

static void try_line(struct damage *damage)
{
	struct sc_error error;
	char *line = cJSON_PrintUnformatted(damage->line);
	char *text = NULL;
	int r;

	assert_non_null(line);
	assert_true(asprintf(&text, "%s%s\n]}\n", damage->head, line) > 0);
	scratch_write(damage->scratch, FILE_NAME, text);
	r = read_all(damage->scratch->path, NULL, &error);
	if (r != 0 && r != SC_E_FORMAT)
		fail_msg("%d for %s", r, line);
	damage->tried++;
	damage->refused += r != 0;
	free(text);
	free(line);
}

/* @item is a child of @parent at @index; it is put back afterwards. */
static void damage_item(struct damage *damage, cJSON *parent, int index)
{
	static const char *const values[] = {"null",  "-1",   "0.5",
					     "\"x\"", "[[]]", "{\"status\":\"failed\"}"};
	cJSON *item = cJSON_GetArrayItem(parent, index);

	for (size_t i = 0; i < SC_ARRAY_COUNT(values); i++) {
		cJSON *bad = cJSON_Parse(values[i]);
		cJSON saved;

		/* Swap the contents and keep the links and the key, so that the tree stays whole.
		 */
		saved = *item;
		item->type = bad->type | (saved.type & cJSON_StringIsConst);
		item->child = bad->child;
		item->valuestring = bad->valuestring;
		item->valueint = bad->valueint;
		item->valuedouble = bad->valuedouble;
		try_line(damage);
		*item = saved;
		cJSON_Delete(bad);
	}
}

static void damage_tree(struct damage *damage, cJSON *parent)
{
	int size = cJSON_GetArraySize(parent);

	/* Long arrays hold many of a kind: the first two elements speak for all. */
	if (cJSON_IsArray(parent) && size > 2)
		size = 2;
	for (int i = 0; i < size; i++) {
		cJSON *item = cJSON_GetArrayItem(parent, i);

		damage_item(damage, parent, i);
		if (item->child)
			damage_tree(damage, item);
	}
}

static void values_of_a_wrong_kind_are_refused_or_harmless(void **state)
{
	static const size_t which[] = {2, 5}; /* one with all figures, one with none */
	struct small_report report;
	struct sc_error error;
	size_t bytes = 0;
	char *head = NULL;
	FILE *out = open_memstream(&head, &bytes);

	assert_non_null(out);
	small_report_make(&report);
	assert_int_equal(sc_report_write_head(out, &report.head, &error), 0);
	assert_int_equal(fclose(out), 0);
	for (size_t i = 0; i < SC_ARRAY_COUNT(which); i++) {
		struct damage damage = {.scratch = *state, .head = head};
		char *line = NULL;

		out = open_memstream(&line, &bytes);
		assert_non_null(out);
		assert_int_equal(sc_report_write_cell(out, &report.cells[which[i]], true, &error),
				 0);
		assert_int_equal(fclose(out), 0);
		damage.line = cJSON_Parse(line);
		assert_non_null(damage.line);
		try_line(&damage);
		assert_int_equal(damage.refused, 0); /* whole, it is accepted */
		damage_tree(&damage, damage.line);
		assert_true(damage.tried > 500);
		assert_true(damage.refused * 2 > damage.tried);
		cJSON_Delete(damage.line);
		free(line);
	}
	free(head);
	small_report_fini(&report);
}

static void a_missing_key_is_named(void **state)
{
	/* Derived from others, figures of other kinds of report, or not in earlier versions. */
	static const char *const not_read[] = {"run_delay_ns", "loss", "timeline",
					       "ended",        "work", "memory"};
	const struct scratch *scratch = *state;
	struct small_report report;
	struct sc_error error;
	char *text, *head, *line;
	cJSON *json;

	small_report_make(&report);
	text = small_report_text(&report);
	line = strstr(text, "{\"id\"");
	head = strndup(text, (size_t)(line - text));
	json = cJSON_ParseWithOpts(line, NULL, false);
	assert_non_null(json);
	for (int i = 0; i < cJSON_GetArraySize(json); i++) {
		const char *key = cJSON_GetArrayItem(json, i)->string;
		cJSON *without = cJSON_Duplicate(json, true);
		char *rest, *file = NULL;
		int r;
		bool is_read = true;

		cJSON_DeleteItemFromArray(without, i);
		rest = cJSON_PrintUnformatted(without);

		assert_true(asprintf(&file, "%s%s\n]}\n", head, rest) > 0);
		scratch_write(scratch, FILE_NAME, file);
		r = read_all(scratch->path, NULL, &error);
		for (size_t j = 0; j < SC_ARRAY_COUNT(not_read); j++)
			is_read = is_read && strcmp(key, not_read[j]) != 0;
		if ((r == SC_E_FORMAT) != is_read)
			fail_msg("without %s: %d", key, r);
		if (is_read && !strstr(error.what, key))
			fail_msg("'%s' does not name %s", error.what, key);
		cJSON_Delete(without);
		free(rest);
		free(file);
	}
	cJSON_Delete(json);
	free(head);
	free(text);
	small_report_fini(&report);
}

/* --- large reports */

extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated_bytes(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	return mallinfo2().uordblks;
}

static void ten_thousand_cells_take_the_memory_of_one(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	struct sc_report_reader *reader = NULL;
	struct sc_error error;
	FILE *out = fopen(scratch_path(scratch, FILE_NAME), "we");
	size_t count = 0, early = 0;
	struct sc_cell cell = {0};

	assert_non_null(out);
	small_report_make(&report);
	report.head.cell_count = 10000;
	assert_int_equal(sc_report_write_head(out, &report.head, &error), 0);
	for (size_t i = 0; i < 10000; i++)
		assert_int_equal(sc_report_write_cell(out, &report.cells[6], i == 0, &error), 0);
	assert_int_equal(sc_report_write_end(out, &error), 0);
	assert_int_equal(fclose(out), 0);
	small_report_fini(&report);

	assert_int_equal(sc_report_open(scratch->path, &reader, &error), 0);
	while (sc_report_next(reader, &cell, &error) == 0) {
		count++;
		if (count == 10)
			early = allocated_bytes();
		if (count > 10 && count % 500 == 0)
			assert_true(allocated_bytes() <= early + 65536);
		sc_cell_fini(&cell);
	}
	assert_int_equal(count, 10000);
	sc_report_closep(&reader);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE_IN("what is read and written again is the same bytes",
			what_is_read_and_written_is_the_same_bytes, scratch_setup,
			scratch_teardown),
		CASE_IN("extreme values survive", extreme_values_survive, scratch_setup,
			scratch_teardown),
		CASE_IN("names of any kind survive", names_of_any_kind_survive, scratch_setup,
			scratch_teardown),
		CASE_IN("figures come back exactly", figures_come_back_exactly, scratch_setup,
			scratch_teardown),
		CASE_IN("a report can be gone through twice", a_report_can_be_gone_through_twice,
			scratch_setup, scratch_teardown),
		CASE("it is JSON as a whole", it_is_json_as_a_whole),
		CASE("what is not finite is refused", what_is_not_finite_is_refused),
		CASE_IN("a rate that cannot be is refused", a_rate_that_cannot_be_is_refused,
			scratch_setup, scratch_teardown),
		CASE("a full device is said", a_full_device_is_said),
		CASE_IN("what is not a report is said so", what_is_not_a_report_is_said_so,
			scratch_setup, scratch_teardown),
		CASE_IN("another version names both", another_version_names_both, scratch_setup,
			scratch_teardown),
		CASE_IN("what is not there is the system's error",
			what_is_not_there_is_the_systems_error, scratch_setup, scratch_teardown),
		CASE_IN("a file cut anywhere is found out", a_file_cut_anywhere_is_found_out,
			scratch_setup, scratch_teardown),
		CASE_IN("lines out of order are found out", lines_out_of_order_are_found_out,
			scratch_setup, scratch_teardown),
		CASE_IN("a zero byte is found out", a_zero_byte_is_found_out, scratch_setup,
			scratch_teardown),
		CASE_IN("a line without end is refused", a_line_without_end_is_refused,
			scratch_setup, scratch_teardown),
		CASE_IN("keys of later versions are passed over",
			keys_of_later_versions_are_passed_over, scratch_setup, scratch_teardown),
		CASE_IN("values of a wrong kind are refused or harmless",
			values_of_a_wrong_kind_are_refused_or_harmless, scratch_setup,
			scratch_teardown),
		CASE_IN("a missing key is named", a_missing_key_is_named, scratch_setup,
			scratch_teardown),
		CASE_IN("ten thousand cells take the memory of one",
			ten_thousand_cells_take_the_memory_of_one, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests_name("report-file", cases, NULL, NULL);
}
