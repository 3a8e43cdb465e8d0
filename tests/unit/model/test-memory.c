/* SPDX-License-Identifier: MIT */

/*
 * Every allocation failed in turn, cJSON's included: each time an error that says so, nothing left
 * behind (the sanitizers look), and no half of an answer.
 */

#include "../base/test.h"

#include <errno.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "../base/fault.h"
#include "../base/scratch.h"
#include "report/writer.h"
#include "samples.h"
#include "small-report.h"

#define NTH_MAX 200000u

/* Compiled here, so that what is linked with this test can fail them. */
static void *counted_malloc(size_t bytes)
{
	return malloc(bytes);
}

static void counted_free(void *pointer)
{
	free(pointer);
}

static int hook_cjson(void **state)
{
	cJSON_Hooks hooks = {.malloc_fn = counted_malloc, .free_fn = counted_free};

	(void)state;
	cJSON_InitHooks(&hooks);
	return 0;
}

static int unhook_cjson(void **state)
{
	(void)state;
	cJSON_InitHooks(NULL);
	return 0;
}

/* An operation that leaves nothing behind, whether it succeeds or not. */
typedef int (*operation)(void *data, struct sc_error *error);

/* Fails each call of one allocator. Return: how many there were. */
static unsigned fail_each_call(const char *name, operation operate, void *data)
{
	unsigned nth;

	for (nth = 1; nth < NTH_MAX; nth++) {
		struct sc_error error = {0};
		int r;

		fault_begin_at(name, nth, ENOMEM);
		r = operate(data, &error);
		if (!fault_end()) {
			assert_int_equal(r, 0);
			return nth - 1;
		}
		if (r >= 0)
			fail_msg("%s number %u failed unnoticed", name, nth);
		/* A parser that ran out of memory cannot tell that from bad input. */
		if (r != -ENOMEM && r != SC_E_FORMAT)
			fail_msg("%s number %u: %d, %s", name, nth, r, error.what);
		assert_int_equal(error.code, r);
	}
	fail_msg("%s is called without end", name);
	return 0;
}

static void fail_each_allocation(operation operate, void *data)
{
	static const char *const names[] = {"malloc", "calloc",  "realloc",
					    "strdup", "strndup", "asprintf"};
	unsigned count = 0;

	for (size_t i = 0; i < SC_ARRAY_COUNT(names); i++)
		count += fail_each_call(names[i], operate, data);
	assert_true(count > 0);
}

static int summarise(void *data, struct sc_error *error)
{
	struct sc_sample *samples = data; /* the third one failed */
	int r = 0;

	for (size_t count = 2; r == 0 && count <= 3; count++) {
		struct sc_cell cell;

		sc_cell_init(&cell);
		r = sc_cell_summarise(&cell, samples, count, error);
		sc_cell_fini(&cell);
	}
	return r;
}

static int judge(void *data, struct sc_error *error)
{
	struct small_report *report = data;

	return sc_report_judge(&report->head, report->cells, report->count, error);
}

static int copy_cell(void *data, struct sc_error *error)
{
	struct small_report *report = data;
	struct sc_cell cell;
	int r;

	sc_cell_init(&cell);
	r = sc_cell_same(&cell, &report->cells[0], "because", error);
	sc_cell_fini(&cell);
	return r;
}

static void judging_survives_each_failed_allocation(void **state)
{
	struct small_report report;

	(void)state;
	small_report_make(&report);
	fail_each_allocation(judge, &report);
	small_report_fini(&report);
}

static void copying_survives_each_failed_allocation(void **state)
{
	struct small_report report;

	(void)state;
	small_report_make(&report);
	fail_each_allocation(copy_cell, &report);
	small_report_fini(&report);
}

static int write_all(void *data, struct sc_error *error)
{
	const struct small_report *report = data;
	static char buffer[1 << 20];
	FILE *out = fmemopen(buffer, sizeof(buffer), "w");
	int r;

	r = sc_report_write_head(out, &report->head, error);
	if (r == 0)
		r = sc_report_write_cell(out, &report->cells[2], true, error);
	if (r == 0)
		r = sc_report_write_cell(out, &report->cells[5], false, error);
	if (r == 0)
		r = sc_report_write_end(out, error);
	fclose(out);
	return r;
}

static void writing_survives_each_failed_allocation(void **state)
{
	struct small_report report;

	(void)state;
	small_report_make(&report);
	fail_each_allocation(write_all, &report);
	small_report_fini(&report);
}

/* A file with two cells, so that each allocation can be failed in reasonable time. */
static void write_short(const struct scratch *scratch)
{
	struct small_report report;
	char *text;

	small_report_make(&report);
	for (size_t i = 0; i < report.count; i++) {
		if (i != 6)
			sc_cell_fini(&report.cells[i]);
	}
	report.cells[0] = report.cells[6];
	report.count = 1;
	text = small_report_text(&report);
	scratch_write(scratch, "summary.json", text);
	free(text);
	small_report_fini(&report);
}

static int read_all(void *data, struct sc_error *error)
{
	struct sc_report_reader *reader = NULL;
	int r;

	r = sc_report_open(data, &reader, error);
	while (r == 0) {
		struct sc_cell cell = {0};

		r = sc_report_next(reader, &cell, error);
		sc_cell_fini(&cell);
	}
	sc_report_closep(&reader);
	return r < 0 ? r : 0;
}

static void reading_survives_each_failed_allocation(void **state)
{
	struct scratch *scratch = *state;

	write_short(scratch);
	fail_each_allocation(read_all, scratch->path);
}

struct rendering {
	const char *path, *format;
};

static int render(void *data, struct sc_error *error)
{
	const struct rendering *rendering = data;
	static char buffer[1 << 20];
	FILE *out = fmemopen(buffer, sizeof(buffer), "w");
	int r = sc_report_render(rendering->path, rendering->format, out, NULL, error);

	fclose(out);
	return r;
}

static void rendering_survives_each_failed_allocation(void **state)
{
	const struct scratch *scratch = *state;
	struct rendering rendering = {.path = scratch->path, .format = "table"};

	write_short(scratch);
	fail_each_allocation(render, &rendering);
}

static void summarising_survives_each_failed_allocation(void **state)
{
	struct sc_sample samples[3] = {make_timing(1, 100, 100, 1000), make_ledger(0, 1000),
				       make_timing(2, 0, 0, 0)};

	(void)state;
	add_latency(&samples[0], 20, 100);
	add_io(&samples[1], SC_INSTRUMENT_VFS, SC_ROLE_WAL, SC_OP_WRITE, 10, 41200);
	samples[1].calls_dropped = 1; /* a finding */
	samples[2].status = SC_FAILED;
	fail_each_allocation(summarise, samples);
	for (size_t i = 0; i < 3; i++)
		sc_sample_fini(&samples[i]);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("summarising survives each failed allocation",
		     summarising_survives_each_failed_allocation),
		CASE("judging survives each failed allocation",
		     judging_survives_each_failed_allocation),
		CASE("copying survives each failed allocation",
		     copying_survives_each_failed_allocation),
		CASE("writing survives each failed allocation",
		     writing_survives_each_failed_allocation),
		CASE_IN("reading survives each failed allocation",
			reading_survives_each_failed_allocation, scratch_setup, scratch_teardown),
		CASE_IN("rendering survives each failed allocation",
			rendering_survives_each_failed_allocation, scratch_setup, scratch_teardown),
	};

	return cmocka_run_group_tests_name("memory", cases, hook_cjson, unhook_cjson);
}
