/* SPDX-License-Identifier: MIT */

/* The detector of two modes: how often it raises a false alarm, and what it finds. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "stats/modes.h"
#include "stats/normal.h"

#define SEED 20240611u

static const size_t counts[] = {6, 9, 12, 24, 60};
#define COUNTS (sizeof(counts) / sizeof(counts[0]))

/* A sample of one mode. */
struct one_mode {
	const char *name;
	double (*draw)(struct sc_random *random);
};

static double draw_narrow(struct sc_random *random)
{
	return 1.0 + 0.02 * sc_normal_draw(random);
}

static double draw_wide(struct sc_random *random)
{
	return fmax(1.0 + 0.2 * sc_normal_draw(random), 0.01);
}

static double draw_log(struct sc_random *random)
{
	return exp(0.05 * sc_normal_draw(random));
}

static double draw_wide_log(struct sc_random *random)
{
	return exp(0.7 * sc_normal_draw(random));
}

static void test_false_alarms(void **state)
{
	static const struct one_mode modes[] = {
		{"normal, 2 %", draw_narrow},
		{"normal, 20 %", draw_wide},
		{"log-normal, 5 %", draw_log},
		{"log-normal, 70 %", draw_wide_log},
	};
	const uint32_t draws = 500;

	(void)state;
	for (size_t i = 0; i < 4; i++) {
		struct sc_random random = sc_random_fork(SEED, modes[i].name);
		uint32_t alarms = 0;

		for (size_t c = 0; c < COUNTS; c++) {
			uint32_t alarms_here = 0;

			for (uint32_t draw = 0; draw < draws; draw++) {
				struct sc_modes found;
				double values[60];

				for (size_t k = 0; k < counts[c]; k++)
					values[k] = modes[i].draw(&random);
				alarms_here += sc_modes_find(values, counts[c], 1.0001, &found);
			}
			/* 0.5 % of 500 is 2.5: 10 are more than four standard errors above it */
			assert_true(alarms_here < 10);
			alarms += alarms_here;
		}
		printf("# %s: %.2f %% false alarms\n", modes[i].name,
		       100.0 * alarms / (draws * (double)COUNTS));
		assert_true(alarms <= draws * COUNTS / 100);
	}
}

/* Draws with modes at 1 and @ratio, @odds to be in the high one, 2 % spread. */
static double share_found(size_t count, double ratio, double odds)
{
	struct sc_random random = sc_random_fork(SEED, "two modes");
	const uint32_t draws = count > 20 ? 30 : 100; /* each simulates 2,000 samples more */
	uint32_t found = 0;

	for (uint32_t draw = 0; draw < draws; draw++) {
		struct sc_modes modes;
		double values[60];

		for (size_t k = 0; k < count; k++)
			values[k] = (sc_random_unit(&random) < odds ? ratio : 1.0) *
				    (1.0 + 0.02 * sc_normal_draw(&random));
		found += sc_modes_find(values, count, 1.05, &modes);
	}
	return (double)found / draws;
}

static void test_finds_modes(void **state)
{
	(void)state;
	assert_true(share_found(6, 1.5, 0.5) > 0.6);
	assert_true(share_found(9, 1.5, 0.5) > 0.9);
	assert_true(share_found(16, 1.2, 0.5) > 0.9);
	assert_true(share_found(60, 2.0, 0.3) > 0.8);
}

static void test_names_them(void **state)
{
	static const double values[] = {210, 99, 101, 205, 100, 98, 207, 102, 206};
	struct sc_modes modes;
	uint32_t high = 0;

	(void)state;
	assert_true(sc_modes_find(values, 9, 1.05, &modes));
	assert_int_equal(modes.low_count, 5);
	assert_int_equal(modes.high_count, 4);
	assert_true(fabs(modes.low_centre - 100) < 1e-9);
	assert_true(fabs(modes.high_centre - 206.5) < 1e-9);
	assert_true(modes.chance > 0 && modes.chance <= 0.005);
	for (size_t i = 0; i < 9; i++)
		high += (uint32_t)(values[i] > modes.boundary);
	assert_int_equal(high, 4);
}

static void test_order_and_scale(void **state)
{
	double values[] = {98, 99, 100, 101, 102, 205, 206, 207, 210};
	struct sc_modes a, b;

	(void)state;
	assert_true(sc_modes_find(values, 9, 1.05, &a));
	for (size_t i = 0; i < 9; i++)
		values[i] *= 1e6;
	for (size_t i = 0; i < 4; i++) {
		double kept = values[i];

		values[i] = values[8 - i];
		values[8 - i] = kept;
	}
	assert_true(sc_modes_find(values, 9, 1.05, &b));
	assert_int_equal(a.low_count, b.low_count);
	assert_true(fabs(b.high_centre / a.high_centre - 1e6) < 1e-3);
	assert_true(fabs(a.chance - b.chance) < 1e-12);
}

static void test_an_outlier_is_no_mode(void **state)
{
	static const double values[] = {100, 101, 99, 102, 98, 100.5, 99.5, 101.5, 400};
	struct sc_modes modes;

	(void)state;
	assert_false(sc_modes_find(values, 9, 1.05, &modes));
}

static void test_near_modes_do_not_matter(void **state)
{
	static const double values[] = {100, 100.01, 100.02, 101, 101.01, 101.02, 101.03};
	struct sc_modes modes;

	(void)state;
	assert_true(sc_modes_find(values, 7, 1.005, &modes));
	assert_false(sc_modes_find(values, 7, 1.05, &modes));
}

static void test_two_values(void **state)
{
	static const double values[] = {1, 2, 1, 2, 1, 2};
	static const double equal[] = {3, 3, 3, 3, 3, 3, 3};
	struct sc_modes modes;

	(void)state;
	assert_true(sc_modes_find(values, 6, 1.05, &modes));
	assert_int_equal(modes.low_count, 3);
	assert_false(sc_modes_find(equal, 7, 1.05, &modes));
}

static void test_too_few(void **state)
{
	static const double values[] = {1, 1, 2, 2, 2};
	struct sc_modes modes;

	(void)state;
	for (size_t count = 0; count <= 5; count++)
		assert_false(sc_modes_find(values, count, 1.05, &modes));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"normal and log-normal samples raise at most 1 % false alarms", test_false_alarms,
		 NULL, NULL, NULL},
		{"two modes are found", test_finds_modes, NULL, NULL, NULL},
		{"both centres are named, and which samples belong to each", test_names_them, NULL,
		 NULL, NULL},
		{"neither order nor scale matters", test_order_and_scale, NULL, NULL, NULL},
		{"a single outlier is no mode", test_an_outlier_is_no_mode, NULL, NULL, NULL},
		{"modes nearer than asked for do not matter", test_near_modes_do_not_matter, NULL,
		 NULL, NULL},
		{"samples of two values are two modes, equal ones are none", test_two_values, NULL,
		 NULL, NULL},
		{"fewer than six samples are no evidence", test_too_few, NULL, NULL, NULL},
	};

	return cmocka_run_group_tests_name("modes", tests, NULL, NULL);
}
