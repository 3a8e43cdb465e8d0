/* SPDX-License-Identifier: MIT */

/* The judgement of memory in use: planted growth under noise is seen, and noise alone is not. */

#include "../base/test.h"

#include <string.h>

#include "model/leak.h"
#include "model/report.h"
#include "samples.h"
#include "stats/normal.h"

#define SEED       20240720u
#define POINTS     64
#define TRIALS     2000
#define OPERATIONS 1024 /* of POINTS points */

struct series {
	double operations[POINTS], heap[POINTS], sqlite[POINTS];
};

/* @bytes an operation, 16 operations a point, and normal noise of @noise bytes in each point */
static void fill(struct series *series, struct sc_random *random, double bytes, double noise)
{
	for (int i = 0; i < POINTS; i++) {
		series->operations[i] = 16.0 * (i + 1);
		series->heap[i] = bytes * series->operations[i] + noise * sc_normal_draw(random);
		series->sqlite[i] = 0;
	}
}

static struct sc_memory fit(const struct series *series)
{
	return sc_memory_fit(series->operations, series->heap, series->sqlite, POINTS);
}

static unsigned count_leaks(double bytes, double noise)
{
	struct sc_random random = sc_random_init(SEED);
	unsigned count = 0;

	for (int trial = 0; trial < TRIALS; trial++) {
		struct series series;
		struct sc_memory memory;

		fill(&series, &random, bytes, noise);
		memory = fit(&series);
		count += sc_memory_leaks(&memory, OPERATIONS);
	}
	return count;
}

/*
 * 600 bytes over 1024 operations are 614,400; points that lie 60,000 beside the line leave R2 at
 * 0.89, and the slope has a standard error of about 25 bytes.
 */
static void a_planted_leak_is_seen_under_noise(void **state)
{
	(void)state;
	assert_int_equal(count_leaks(600, 0), TRIALS);
	assert_int_equal(count_leaks(600, 5000), TRIALS);
	assert_true(count_leaks(600, 60000) > TRIALS * 99 / 100);
}

/* However loud: a slope above 500 bytes would have to explain half of the variance. */
static void noise_alone_is_no_leak(void **state)
{
	static const double noises[] = {0, 100, 5000, 60000, 600000, 1e7};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(noises); i++)
		assert_int_equal(count_leaks(0, noises[i]), 0);
}

static void growth_below_the_limit_is_no_leak(void **state)
{
	(void)state;
	assert_int_equal(count_leaks(400, 5000), 0);
	assert_int_equal(count_leaks(-600, 5000), 0); /* it shrinks */
}

/* A cache that fills up in the first tenth grows by as much; the line does not fit. */
static void a_cache_that_comes_to_an_end_is_no_leak(void **state)
{
	struct series series;
	struct sc_memory memory;

	(void)state;
	for (int i = 0; i < POINTS; i++) {
		series.operations[i] = 16.0 * (i + 1);
		series.heap[i] = 600.0 * 1024 * (i < 6 ? i / 6.0 : 1);
		series.sqlite[i] = series.heap[i];
	}
	memory = fit(&series);
	assert_false(sc_memory_leaks(&memory, OPERATIONS));
	assert_true(memory.heap_r2 < SC_LEAK_R2);
}

static void both_limits_count(void **state)
{
	struct sc_memory memory = {.points = POINTS, .heap_bytes_per_op = 501, .heap_r2 = 0.5};

	(void)state;
	assert_true(sc_memory_leaks(&memory, OPERATIONS));
	memory.heap_r2 = 0.49;
	assert_false(sc_memory_leaks(&memory, OPERATIONS));
	memory.heap_r2 = 1;
	memory.heap_bytes_per_op = 500;
	assert_false(sc_memory_leaks(&memory, OPERATIONS));
	memory.heap_bytes_per_op = 501;
	memory.status = SC_SKIPPED;
	assert_false(sc_memory_leaks(&memory, OPERATIONS));
}

/* 20 operations at which a table of a cache grew are no trend, however straight the line. */
static void a_few_operations_are_no_leak(void **state)
{
	static const struct {
		double bytes;
		uint64_t operations;
		bool leaks;
	} cases[] = {
		{600, 20, false},  {3276, 20, false}, {3277, 20, true},
		{600, 109, false}, {600, 110, true},  {600, 1024, true},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct sc_memory memory = {
			.points = 20, .heap_bytes_per_op = cases[i].bytes, .heap_r2 = 1};

		assert_int_equal(sc_memory_leaks(&memory, cases[i].operations), cases[i].leaks);
	}
}

static void few_points_are_skipped(void **state)
{
	struct sc_random random = sc_random_init(SEED);
	struct sc_memory memory;
	struct series series;

	(void)state;
	fill(&series, &random, 600, 0);
	memory = sc_memory_fit(series.operations, series.heap, series.sqlite,
			       SC_MEMORY_POINTS_MIN - 1);
	assert_int_equal(memory.status, SC_SKIPPED);
	assert_non_null(strstr(memory.reason, "fewer than 8"));
	memory = sc_memory_fit(series.operations, series.heap, series.sqlite, SC_MEMORY_POINTS_MIN);
	assert_int_equal(memory.status, SC_MEASURED);
}

/* What a cell says of itself, and whose the memory is. */
static void a_cell_names_whose_it_is(void **state)
{
	static const struct {
		double heap, sqlite;
		const char *says; /* NULL: nothing */
	} cases[] = {
		{600, 590, "SQLite allocated it"},
		{600, 10, "it was not SQLite"},
		{100, 100, NULL},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct sc_cell cell =
			make_cell("local", "w", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL);
		struct sc_sample ledger = make_ledger(0, 1000000);
		struct sc_error error;
		const char *text = NULL;

		ledger.operations = OPERATIONS;
		ledger.memory = (struct sc_memory){.points = 64,
						   .heap_bytes_per_op = cases[i].heap,
						   .heap_r2 = 0.97,
						   .sqlite_bytes_per_op = cases[i].sqlite};
		assert_int_equal(sc_cell_summarise(&cell, &ledger, 1, &error), 0);
		for (size_t j = 0; j < cell.findings.count; j++)
			if (strcmp(cell.findings.items[j].code, "memory-grows") == 0)
				text = cell.findings.items[j].text;
		if (cases[i].says) {
			assert_non_null(text);
			assert_non_null(strstr(text, cases[i].says));
			assert_non_null(strstr(text, "600"));
			assert_non_null(strstr(text, "0.97"));
			assert_non_null(strstr(text, cell.id));
		} else {
			assert_null(text);
		}
		sc_sample_fini(&ledger);
		sc_cell_fini(&cell);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("a planted leak is seen under noise", a_planted_leak_is_seen_under_noise),
		CASE("noise alone is no leak", noise_alone_is_no_leak),
		CASE("growth below the limit is no leak", growth_below_the_limit_is_no_leak),
		CASE("a cache that comes to an end is no leak",
		     a_cache_that_comes_to_an_end_is_no_leak),
		CASE("both limits count", both_limits_count),
		CASE("a few operations are no leak", a_few_operations_are_no_leak),
		CASE("few points are skipped", few_points_are_skipped),
		CASE("a cell names whose it is", a_cell_names_whose_it_is),
	};

	return cmocka_run_group_tests_name("leak", tests, NULL, NULL);
}
