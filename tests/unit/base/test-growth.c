/* SPDX-License-Identifier: MIT */

/* Lines and classes of growth: closed forms, counts as a B-tree gives them, and noise. */

#include "test.h"

#include <math.h>

#include "stats/fit.h"
#include "stats/growth.h"
#include "stats/normal.h"

#define SEED   20240719u
#define TRIALS 2000

static void assert_close(double a, double b)
{
	if (fabs(a - b) > 1e-9 * (1 + fabs(b)))
		fail_msg("%.17g is not %.17g", a, b);
}

/* --- lines */

static void test_line_is_found(void **state)
{
	static const double x[] = {0, 1, 2, 3, 10}, y[] = {7, 4, 1, -2, -23};
	struct sc_fit fit;

	(void)state;
	assert_true(sc_fit_line(x, y, 5, &fit));
	assert_close(fit.slope, -3);
	assert_close(fit.intercept, 7);
	assert_close(fit.r2, 1);
}

/* By hand: means 2 and 3; xx 10, xy 6, yy 6; slope 0.6, R2 = 36 / 60. */
static void test_r2_is_the_explained_share(void **state)
{
	static const double x[] = {0, 1, 2, 3, 4}, y[] = {2, 1.8, 3.4, 3.6, 4.2};
	static const double z[] = {2, 3, 1, 5, 4};
	struct sc_fit fit;

	(void)state;
	assert_true(sc_fit_line(x, z, 5, &fit));
	assert_close(fit.slope, 0.6);
	assert_close(fit.r2, 0.36);
	assert_true(sc_fit_line(x, y, 5, &fit));
	assert_true(fit.r2 > 0.8 && fit.r2 < 1);
}

/* Bytes in use are large and their differences small: sums of squares would lose them. */
static void test_large_offsets_lose_nothing(void **state)
{
	double x[100], y[100];
	struct sc_fit fit;

	(void)state;
	for (int i = 0; i < 100; i++) {
		x[i] = 1e12 + i;
		y[i] = 4e15 + 600.0 * i;
	}
	assert_true(sc_fit_line(x, y, 100, &fit));
	assert_close(fit.slope, 600);
	assert_close(fit.r2, 1);
}

static void test_no_line(void **state)
{
	static const double x[] = {5, 5, 5}, y[] = {1, 2, 3}, up[] = {1, 2, 3};
	struct sc_fit fit;

	(void)state;
	assert_false(sc_fit_line(x, y, 3, &fit));
	assert_false(sc_fit_line(x, y, 1, &fit));
	assert_false(sc_fit_line(x, y, 0, &fit));
	assert_true(sc_fit_line(up, x, 3, &fit));
	assert_close(fit.slope, 0);
	assert_close(fit.r2, 0); /* nothing varies: nothing is explained */
}

/* --- classes */

static const double decades[] = {1000, 10000, 100000};

#define N(array) (sizeof(array) / sizeof((array)[0]))

static enum sc_growth_class class_of(const double *sizes, const double *costs, size_t count)
{
	struct sc_growth growth;

	assert_true(sc_growth_classify(sizes, costs, count, &growth));
	return growth.class;
}

static double constant(double n)
{
	(void)n;
	return 17;
}

static double logarithm(double n)
{
	return log2(n);
}

static double logarithm_above(double n)
{
	return 30 + 4 * log2(n);
}

static double linear(double n)
{
	return 3 * n;
}

static double linear_above(double n)
{
	return 500 + 0.1 * n;
}

/* The linear term adds a twentieth at 1,000, and is all there is at 100,000. */
static double linear_late(double n)
{
	return 20000 + n;
}

static double sorted(double n)
{
	return n * log2(n);
}

static double square(double n)
{
	return n * n / 1e6;
}

static const struct {
	const char *name;
	double (*cost)(double n);
	enum sc_growth_class class;
} forms[] = {
	{"constant", constant, SC_GROWTH_CONSTANT},
	{"log n", logarithm, SC_GROWTH_LOGARITHMIC},
	{"30 + 4 log n", logarithm_above, SC_GROWTH_LOGARITHMIC},
	{"3 n", linear, SC_GROWTH_LINEAR},
	{"500 + n / 10", linear_above, SC_GROWTH_LINEAR},
	{"20000 + n", linear_late, SC_GROWTH_LINEAR},
	{"n log n", sorted, SC_GROWTH_WORSE},
	{"n^2", square, SC_GROWTH_WORSE},
};

static void check_form(size_t form, const double *sizes, size_t count)
{
	double costs[16];
	enum sc_growth_class class;

	for (size_t i = 0; i < count; i++)
		costs[i] = forms[form].cost(sizes[i]);
	class = class_of(sizes, costs, count);
	if (class != forms[form].class)
		fail_msg("%s over %zu sizes from %g is called %s", forms[form].name, count,
			 sizes[0], sc_growth_name(class));
}

static void test_closed_forms(void **state)
{
	static const double more[] = {1000, 2000, 5000, 10000, 50000, 100000};
	static const double doubled[] = {1000, 2000, 4000, 8000, 16000, 32000, 64000, 128000};

	(void)state;
	for (size_t i = 0; i < N(forms); i++) {
		check_form(i, decades, N(decades));
		check_form(i, more, N(more));
		check_form(i, doubled, N(doubled));
	}
}

/* Pages on the way down a B-tree: its depth, in whole steps. */
static void test_depth_of_a_tree_is_a_logarithm(void **state)
{
	static const double depths[][3] = {{2, 2, 3}, {2, 3, 3}, {1, 2, 3}, {2, 3, 4}, {4, 4, 6}};
	static const double flat[] = {3, 3, 3};

	(void)state;
	for (size_t i = 0; i < N(depths); i++)
		assert_int_equal(class_of(decades, depths[i], 3), SC_GROWTH_LOGARITHMIC);
	assert_int_equal(class_of(decades, flat, 3), SC_GROWTH_CONSTANT);
}

/* Pages of a scan: 60 rows a page, the last one part full. */
static void test_pages_of_a_scan_are_linear(void **state)
{
	double costs[3];

	(void)state;
	for (size_t i = 0; i < 3; i++)
		costs[i] = ceil(decades[i] / 60) + 1;
	assert_int_equal(class_of(decades, costs, 3), SC_GROWTH_LINEAR);
}

static void test_what_falls_is_constant(void **state)
{
	static const double falls[] = {900, 400, 100}, zero[] = {0, 0, 0};

	(void)state;
	assert_int_equal(class_of(decades, falls, 3), SC_GROWTH_CONSTANT);
	assert_int_equal(class_of(decades, zero, 3), SC_GROWTH_CONSTANT);
}

/* 1 % of noise, as averages over operations drawn at random have, moves no class. */
static void test_noise(void **state)
{
	struct sc_random random = sc_random_init(SEED);
	unsigned wrong[N(forms)] = {0};

	(void)state;
	for (int trial = 0; trial < TRIALS; trial++) {
		for (size_t form = 0; form < N(forms); form++) {
			double costs[3];

			for (size_t i = 0; i < 3; i++)
				costs[i] = forms[form].cost(decades[i]) *
					   (1 + 0.01 * sc_normal_draw(&random));
			wrong[form] += class_of(decades, costs, 3) != forms[form].class;
		}
	}
	for (size_t form = 0; form < N(forms); form++)
		if (wrong[form] > TRIALS / 100)
			fail_msg("%s is called something else in %u of %d trials", forms[form].name,
				 wrong[form], TRIALS);
}

static void test_too_little_to_tell(void **state)
{
	static const double near[] = {1000, 4000, 15000}, just[] = {1000, 4000, 16000};
	static const double costs[] = {1000, 4000, 16000};
	struct sc_growth growth;

	(void)state;
	assert_false(sc_growth_classify(decades, costs, 2, &growth));
	assert_false(sc_growth_classify(near, costs, 3, &growth));
	assert_true(sc_growth_classify(just, costs, 3, &growth));
	assert_close(growth.exponent, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("line is found", test_line_is_found),
		CASE("r2 is the explained share", test_r2_is_the_explained_share),
		CASE("large offsets lose nothing", test_large_offsets_lose_nothing),
		CASE("no line", test_no_line),
		CASE("closed forms", test_closed_forms),
		CASE("depth of a tree is a logarithm", test_depth_of_a_tree_is_a_logarithm),
		CASE("pages of a scan are linear", test_pages_of_a_scan_are_linear),
		CASE("what falls is constant", test_what_falls_is_constant),
		CASE("noise", test_noise),
		CASE("too little to tell", test_too_little_to_tell),
	};

	return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
