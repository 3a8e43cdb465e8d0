/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "stats/order.h"
#include "stats/random.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

struct quantile_case {
	const char *sentence;
	double values[8];
	size_t count;
	double q, expected;
};

static void quantiles_are_values_of_nearest_rank(void **state)
{
	static const struct quantile_case cases[] = {
		{"one sample is every quantile", {7}, 1, 0.99, 7},
		{"one sample is the smallest quantile", {7}, 1, 1e-9, 7},
		{"median of four is the lower middle", {1, 2, 3, 4}, 4, 0.50, 2},
		{"a hair above it is the upper middle", {1, 2, 3, 4}, 4, 0.5001, 3},
		{"p100 is the maximum", {1, 2, 3, 9}, 4, 1.00, 9},
		{"p75 of four is the third", {1, 2, 3, 9}, 4, 0.75, 3},
		{"equal values", {5, 5, 5}, 3, 0.34, 5},
	};
	double answer;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_true(sc_quantile(cases[i].values, cases[i].count, cases[i].q, &answer));
		if (answer != cases[i].expected)
			fail_msg("%s: %g", cases[i].sentence, answer);
	}
	answer = 42;
	assert_false(sc_quantile(NULL, 0, 0.5, &answer));
	assert_true(answer == 42);
}

/* All fractions a / b of all counts: the rank is ceil(count * a / b) in integers. */
static void a_fraction_means_the_decimal_it_was_written_as(void **state)
{
	static const uint64_t counts[] = {1, 2, 3, 10, 20, 99, 100, 1000, 12345, 1000000007};

	(void)state;
	assert_int_equal(sc_nearest_rank(100, 0.07), 7); /* 0.07 * 100 > 7 */
	for (size_t i = 0; i < COUNT(counts); i++) {
		for (uint64_t thousandth = 1; thousandth <= 1000; thousandth++) {
			uint64_t expected = (counts[i] * thousandth + 999) / 1000;

			assert_int_equal(sc_nearest_rank(counts[i], (double)thousandth / 1000),
					 expected);
		}
	}
}

static void the_median_is_the_middle_or_between_the_two(void **state)
{
	static const double values[] = {1, 2, 4, 8, 100};
	static const double expected[] = {1, 1.5, 2, 3, 4};
	double answer = 42;

	(void)state;
	for (size_t count = 1; count <= 5; count++) {
		assert_true(sc_median(values, count, &answer));
		assert_true(answer == expected[count - 1]);
	}
	answer = 42;
	assert_false(sc_median(values, 0, &answer));
	assert_true(answer == 42);
}

#define VALUES 101

static void draw(double *values, uint64_t seed)
{
	struct sc_random random = sc_random_init(seed);

	for (size_t i = 0; i < VALUES; i++)
		values[i] = -log(1.0 - sc_random_unit(&random));
}

static void sorting_is_ascending_and_keeps_the_values(void **state)
{
	double values[VALUES], sum_before = 0, sum_after = 0;
	double few[] = {3, -1, 2};

	(void)state;
	draw(values, 3);
	for (size_t i = 0; i < VALUES; i++) {
		values[i] = round(values[i] * 1024); /* sums are exact in any order */
		sum_before += values[i];
	}
	sc_sort_doubles(values, VALUES);
	for (size_t i = 0; i < VALUES; i++) {
		sum_after += values[i];
		assert_true(i == 0 || values[i - 1] <= values[i]);
	}
	assert_true(sum_before == sum_after);
	sc_sort_doubles(few, 3);
	assert_true(few[0] == -1 && few[1] == 2 && few[2] == 3);
	sc_sort_doubles(NULL, 0);
}

static void scaling_shifting_and_permuting_do_what_they_must(void **state)
{
	double values[VALUES], scaled[VALUES], shifted[VALUES], shuffled[VALUES];
	struct sc_random random = sc_random_init(12);
	uint32_t order[VALUES];
	double a, b;

	(void)state;
	draw(values, 5);
	for (uint32_t i = 0; i < VALUES; i++) {
		values[i] = round(values[i] * 1024) / 1024;
		order[i] = i;
	}
	sc_random_shuffle(&random, order, VALUES);
	for (size_t i = 0; i < VALUES; i++) {
		scaled[i] = values[i] * 8;
		shifted[i] = values[i] + 100;
		shuffled[i] = values[order[i]];
	}
	sc_sort_doubles(values, VALUES);
	sc_sort_doubles(scaled, VALUES);
	sc_sort_doubles(shifted, VALUES);
	sc_sort_doubles(shuffled, VALUES);
	assert_memory_equal(values, shuffled, sizeof(values));
	for (int percent = 5; percent <= 100; percent += 5) {
		double q = percent / 100.0;

		assert_true(sc_quantile(values, VALUES, q, &a));
		assert_true(sc_quantile(scaled, VALUES, q, &b));
		assert_true(b == a * 8);
		assert_true(sc_quantile(shifted, VALUES, q, &b));
		assert_true(b == a + 100);
	}
	assert_true(sc_median(values, VALUES - 1, &a));
	assert_true(sc_median(scaled, VALUES - 1, &b));
	assert_true(b == a * 8);
	assert_true(sc_median(shifted, VALUES - 1, &b));
	assert_true(b == a + 100);
}

/* P(Binomial(count, 1/2) < low), the sum of the definition over integers. */
static long double binomial_below(size_t count, size_t low)
{
	uint64_t row[64] = {1};
	long double sum = 0;

	for (size_t n = 1; n <= count; n++) {
		for (size_t k = n; k > 0; k--)
			row[k] += row[k - 1]; /* Pascal's triangle */
	}
	for (size_t k = 0; k < low; k++)
		sum += (long double)row[k];
	return sum / powl(2, (long double)count);
}

static long double coverage_of(size_t count, size_t low)
{
	return 1 - 2 * binomial_below(count, low);
}

static void the_ranks_are_those_of_the_definition(void **state)
{
	static const double confidences[] = {0.5, 0.9, 0.95, 0.99, 0.999};

	(void)state;
	for (size_t i = 0; i < COUNT(confidences); i++) {
		for (size_t count = 1; count <= 60; count++) {
			size_t low = 0, high = 0, best = 0;
			double coverage = -1;
			bool enough =
				sc_median_ranks(count, confidences[i], &low, &high, &coverage);

			for (size_t rank = 1; rank <= (count + 1) / 2; rank++) {
				if (coverage_of(count, rank) >= confidences[i])
					best = rank;
			}
			assert_int_equal(enough, best > 0);
			assert_int_equal(low, best > 0 ? best : 1);
			assert_int_equal(low + high, count + 1);
			assert_true(fabsl(coverage - coverage_of(count, low)) < 1e-14L);
		}
	}
}

static void published_intervals_are_found(void **state)
{
	/* Conover, Practical Nonparametric Statistics: 95 % ranks of the median. */
	static const struct {
		size_t count, low, high;
		double coverage;
	} cases[] = {
		{6, 1, 6, 0.96875},      {7, 1, 7, 0.984375},     {8, 1, 8, 0.9921875},
		{9, 2, 8, 0.9609375},    {10, 2, 9, 0.978515625}, {12, 3, 10, 0.9614257812},
		{15, 4, 12, 0.9648437},  {20, 6, 15, 0.9586105},  {25, 8, 18, 0.9567147},
		{30, 10, 21, 0.9572260},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		size_t low, high;
		double coverage;

		assert_true(sc_median_ranks(cases[i].count, 0.95, &low, &high, &coverage));
		assert_int_equal(low, cases[i].low);
		assert_int_equal(high, cases[i].high);
		assert_true(fabs(coverage - cases[i].coverage) < 1e-6);
	}
}

static void too_few_samples_say_so_with_their_coverage(void **state)
{
	static const double expected[] = {0, 0, 0.5, 0.75, 0.875, 0.9375};
	size_t low, high;
	double coverage;

	(void)state;
	for (size_t count = 0; count < SC_MEDIAN_SAMPLES_MIN; count++) {
		assert_false(sc_median_ranks(count, 0.95, &low, &high, &coverage));
		assert_int_equal(low, count ? 1 : 0);
		assert_int_equal(high, count);
		assert_true(coverage == expected[count]);
	}
	assert_true(sc_median_ranks(SC_MEDIAN_SAMPLES_MIN, 0.95, &low, &high, &coverage));
	/* A confidence met exactly is met. */
	assert_true(sc_median_ranks(6, 0.96875, &low, &high, &coverage));
	assert_true(sc_median_ranks(9, 0.9609375, &low, &high, &coverage));
	assert_int_equal(low, 2);
	assert_false(sc_median_ranks(6, 0.9687501, &low, &high, &coverage));
}

/* For many samples low approaches count/2 - 1.96 * sqrt(count)/2, and nothing under- or overflows.
 */
static void large_counts_follow_the_normal_law(void **state)
{
	static const size_t counts[] = {100, 1100, 20000, 1000000};

	(void)state;
	for (size_t i = 0; i < COUNT(counts); i++) {
		double n = (double)counts[i];
		size_t low, high;
		double coverage;

		assert_true(sc_median_ranks(counts[i], 0.95, &low, &high, &coverage));
		assert_true(fabs((double)low - (n / 2 - 1.959964 * sqrt(n) / 2)) <= 1.5);
		assert_int_equal(low + high, counts[i] + 1);
		assert_true(coverage >= 0.95);
		/* One rank further in loses about the middle term: it would have been too narrow.
		 */
		assert_true(coverage - 2 * sqrt(2 / (3.14159265 * n)) * exp(-1.92) < 0.95);
	}
}

#define TRIALS        20000
#define TRIAL_SAMPLES 20

/* How often the samples of ranks @low and @high of a skewed distribution enclose its median. */
static double observed_coverage(size_t low, size_t high)
{
	struct sc_random random = sc_random_init(20251201);
	size_t covered = 0;

	for (size_t trial = 0; trial < TRIALS; trial++) {
		double values[TRIAL_SAMPLES];

		for (size_t i = 0; i < TRIAL_SAMPLES; i++)
			values[i] = -log(1.0 - sc_random_unit(&random));
		sc_sort_doubles(values, TRIAL_SAMPLES);
		covered += values[low - 1] <= log(2) && log(2) <= values[high - 1];
	}
	return (double)covered / TRIALS;
}

/* Standard error at 20000 trials: 0.0014. */
static void the_interval_covers_as_often_as_it_says(void **state)
{
	size_t low, high;
	double coverage;

	(void)state;
	assert_true(sc_median_ranks(TRIAL_SAMPLES, 0.95, &low, &high, &coverage));
	assert_true(fabs(observed_coverage(low, high) - coverage) < 0.006);
	/* Control: one rank narrower covers 0.8847, and the trials see it. */
	assert_true(fabs(observed_coverage(low + 1, high - 1) - 0.8847) < 0.01);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("quantiles are values of nearest rank", quantiles_are_values_of_nearest_rank),
		CASE("a fraction means the decimal it was written as",
		     a_fraction_means_the_decimal_it_was_written_as),
		CASE("the median is the middle, or between the two",
		     the_median_is_the_middle_or_between_the_two),
		CASE("sorting is ascending and keeps the values",
		     sorting_is_ascending_and_keeps_the_values),
		CASE("scaling, shifting and permuting do what they must",
		     scaling_shifting_and_permuting_do_what_they_must),
		CASE("the ranks are those of the definition",
		     the_ranks_are_those_of_the_definition),
		CASE("published intervals are found", published_intervals_are_found),
		CASE("too few samples say so, with their coverage",
		     too_few_samples_say_so_with_their_coverage),
		CASE("large counts follow the normal law", large_counts_follow_the_normal_law),
		CASE("the interval covers as often as it says",
		     the_interval_covers_as_often_as_it_says),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
