/* SPDX-License-Identifier: MIT */

/* Ratios with intervals, verdicts and what fails, on figures made by hand and on simulated ones. */

#include "../base/test.h"

#include <stdio.h>

#include "model/compare.h"
#include "stats/order.h"
#include "stats/stop-trial.h"

#define SEED 20240611u

static const struct sc_compare_rules rules = {
	.is_gate = true,
	.latency_percent = SC_COMPARE_LATENCY_PERCENT,
	.latency_floor_ns = SC_COMPARE_LATENCY_FLOOR_NS,
};

static struct sc_digest_figure timed(double low, double number, double high)
{
	return (struct sc_digest_figure){.n = 9, .number = number, .low = low, .high = high};
}

static struct sc_digest_figure counted(double number)
{
	return (struct sc_digest_figure){.number = number};
}

static struct sc_change judge(const char *key, struct sc_digest_figure base,
			      struct sc_digest_figure other, double allowed_percent)
{
	const struct sc_compare_tolerance tolerance = {allowed_percent, 1, 1, false};
	size_t index = sc_compare_metric_find(key);
	struct sc_compare_metric metric;

	assert_true(index < SC_COMPARE_METRICS);
	metric = sc_compare_metric(index);
	return sc_change_of(&metric, &base, &other, &rules, &tolerance);
}

/* --- by hand */

struct latency_case {
	const char *what;
	struct sc_digest_figure base, other;
	enum sc_verdict verdict;
	bool fails;
};

static void latency_is_judged_by_interval_percentage_and_floor(void **state)
{
	const struct latency_case cases[] = {
		{"equal and narrow", timed(9900, 10000, 10100), timed(9900, 10000, 10100),
		 SC_VERDICT_SAME, false},
		{"equal and wide", timed(9000, 10000, 11000), timed(9000, 10000, 11000),
		 SC_VERDICT_UNKNOWN, false},
		{"a tenth more, certainly", timed(9900, 10000, 10100), timed(10900, 11000, 11100),
		 SC_VERDICT_WORSE, false},
		{"a tenth less, certainly", timed(9900, 10000, 10100), timed(8900, 9000, 9100),
		 SC_VERDICT_BETTER, false},
		{"just 30 % more", timed(9900, 10000, 10100), timed(12900, 13000, 13100),
		 SC_VERDICT_WORSE, false},
		{"31 % more", timed(9900, 10000, 10100), timed(13000, 13100, 13200),
		 SC_VERDICT_WORSE, true},
		{"twice, and intervals that meet", timed(9000, 10000, 16000),
		 timed(15000, 20000, 25000), SC_VERDICT_UNKNOWN, false},
		{"twice, and intervals apart", timed(9000, 10000, 14000),
		 timed(15000, 20000, 25000), SC_VERDICT_WORSE, true},
		{"twice, below the floor", timed(390, 400, 410), timed(790, 800, 810),
		 SC_VERDICT_WORSE, false},
		{"ten times less", timed(9900, 10000, 10100), timed(990, 1000, 1010),
		 SC_VERDICT_BETTER, false},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct latency_case *one = &cases[i];
		struct sc_change change = judge("op_ns", one->base, one->other, 0);

		if (change.verdict != one->verdict || change.fails != one->fails)
			fail_msg("%s: %s%s", one->what, sc_verdict_name(change.verdict),
				 change.fails ? ", fails" : "");
	}
}

static void a_rate_is_better_when_it_is_higher(void **state)
{
	(void)state;
	assert_int_equal(judge("ops_per_s", timed(99, 100, 101), timed(199, 200, 201), 0).verdict,
			 SC_VERDICT_BETTER);
	assert_int_equal(judge("ops_per_s", timed(199, 200, 201), timed(99, 100, 101), 0).verdict,
			 SC_VERDICT_WORSE);
	/* it is shown: the time per operation is what fails */
	assert_false(judge("ops_per_s", timed(199, 200, 201), timed(99, 100, 101), 0).fails);
}

static void any_increase_of_a_count_fails(void **state)
{
	struct sc_change change = judge("syncs_physical_per_commit", counted(1), counted(2), 0);

	(void)state;
	assert_int_equal(change.verdict, SC_VERDICT_WORSE);
	assert_true(change.fails);
	assert_true(change.has_ratio && change.ratio > 1.99 && change.ratio < 2.01);
	assert_true(judge("syncs_physical_per_commit", counted(1), counted(1.001), 0).fails);
	assert_true(judge("syncs_physical_per_commit", counted(0), counted(0.001), 0).fails);
	assert_int_equal(judge("syncs_physical_per_commit", counted(3), counted(3), 0).verdict,
			 SC_VERDICT_SAME);
	assert_int_equal(judge("syncs_physical_per_commit", counted(3), counted(2), 0).verdict,
			 SC_VERDICT_BETTER);
	assert_false(judge("syncs_physical_per_commit", counted(0), counted(0), 0).has_ratio);
}

static void an_allowance_is_a_percentage_of_the_base(void **state)
{
	(void)state;
	assert_false(judge("written_bytes_per_commit", counted(1000), counted(1100), 10).fails);
	assert_true(judge("written_bytes_per_commit", counted(1000), counted(1101), 10).fails);
	assert_true(judge("written_bytes_per_commit", counted(0), counted(1), 10).fails);
	/* thirds do not fail for their last bit */
	assert_false(
		judge("written_bytes_per_commit", counted(1e7 / 3), counted(1.1e7 / 3), 10).fails);
}

static void side_by_side_nothing_fails(void **state)
{
	struct sc_compare_rules side = rules;
	struct sc_compare_metric metric = sc_compare_metric(sc_compare_metric_find("op_ns"));
	const struct sc_digest_figure base = timed(9900, 10000, 10100);
	const struct sc_digest_figure other = timed(99000, 100000, 101000);
	const struct sc_compare_tolerance tolerance = {0, 1, 1, false};
	struct sc_change change;

	(void)state;
	side.is_gate = false;
	change = sc_change_of(&metric, &base, &other, &side, &tolerance);
	assert_int_equal(change.verdict, SC_VERDICT_WORSE);
	assert_false(change.fails);
}

static struct sc_change judge_machine(const char *key, struct sc_digest_figure base,
				      struct sc_digest_figure other, double slower, double faster)
{
	const struct sc_compare_tolerance tolerance = {0, slower, faster, false};
	struct sc_compare_metric metric = sc_compare_metric(sc_compare_metric_find(key));

	return sc_change_of(&metric, &base, &other, &rules, &tolerance);
}

static void what_the_machine_explains_is_no_verdict(void **state)
{
	const struct sc_digest_figure once = timed(9900, 10000, 10100);
	const struct sc_digest_figure twice = timed(19800, 20000, 20200);

	(void)state;
	assert_true(judge_machine("op_ns", once, twice, 1, 1).fails);
	assert_int_equal(judge_machine("op_ns", once, twice, 2.1, 1).verdict, SC_VERDICT_UNKNOWN);
	assert_false(judge_machine("op_ns", once, twice, 2.1, 1).fails);
	/* a part of it: the percentage counts from there */
	assert_int_equal(judge_machine("op_ns", once, twice, 1.6, 1).verdict, SC_VERDICT_WORSE);
	assert_false(judge_machine("op_ns", once, twice, 1.6, 1).fails);
	assert_true(judge_machine("op_ns", once, twice, 1.5, 1).fails);
	/* the other way round, and of rates */
	assert_int_equal(judge_machine("op_ns", twice, once, 1, 2.1).verdict, SC_VERDICT_UNKNOWN);
	assert_int_equal(judge_machine("op_ns", twice, once, 2.1, 1).verdict, SC_VERDICT_BETTER);
	assert_int_equal(judge_machine("ops_per_s", once, twice, 1, 2.1).verdict,
			 SC_VERDICT_UNKNOWN);
	assert_int_equal(judge_machine("ops_per_s", twice, once, 2.1, 1).verdict,
			 SC_VERDICT_UNKNOWN);
	assert_int_equal(judge_machine("ops_per_s", twice, once, 1, 2.1).verdict, SC_VERDICT_WORSE);
	/* counts know of no machine */
	assert_true(judge_machine("syncs_vfs_per_commit", counted(1), counted(2), 9, 9).fails);
}

static void what_was_not_measured_is_no_change(void **state)
{
	struct sc_digest_figure absent = {.status = SC_UNSUPPORTED};

	(void)state;
	assert_false(judge("syncs_physical_per_commit", absent, counted(2), 0).is_there);
	assert_false(judge("syncs_physical_per_commit", counted(2), absent, 0).fails);
	assert_int_equal(judge("op_ns", absent, absent, 0).verdict, SC_VERDICT_UNKNOWN);
}

static void keys_and_metrics_are_found_by_their_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < SC_COMPARE_METRICS; i++)
		assert_int_equal(sc_compare_metric_find(sc_compare_metric(i).metric.key), i);
	assert_int_equal(sc_compare_metric_find("no_such_metric"), SC_COMPARE_METRICS);
	assert_true(sc_compare_is_key("page_size"));
	assert_true(sc_compare_is_key("sqlite.version"));
	assert_true(sc_compare_is_key("platform"));
	assert_false(sc_compare_is_key("no.such.key"));
}

/* --- simulated */

/* The exact interval of @count times with the median @scale. */
static struct sc_digest_figure sample(struct sc_random *random, enum sc_stop_shape shape,
				      size_t count, double spread, double scale)
{
	double values[32], median;
	size_t low, high;
	double coverage;

	for (size_t i = 0; i < count; i++)
		values[i] = scale * sc_stop_draw(random, shape, spread);
	sc_sort_doubles(values, count);
	(void)sc_median(values, count, &median);
	(void)sc_median_ranks(count, 0.95, &low, &high, &coverage);
	return timed(values[low - 1], median, values[high - 1]);
}

static double ratios_covered(enum sc_stop_shape shape, enum sc_stop_shape other_shape, size_t count,
			     double other_spread)
{
	struct sc_random random = sc_random_fork(SEED, sc_stop_shape_name(shape));
	const uint32_t draws = 4000;
	uint32_t covered = 0;

	for (uint32_t i = 0; i < draws; i++) {
		struct sc_digest_figure base = sample(&random, shape, count, 0.1, 10000);
		struct sc_digest_figure other =
			sample(&random, other_shape, count, other_spread, 13000);
		struct sc_change change = judge("op_ns", base, other, 0);

		covered += change.ratio_low <= 1.3 && 1.3 <= change.ratio_high;
	}
	return (double)covered / draws;
}

static void the_interval_of_a_ratio_holds_it_with_more_than_it_promises(void **state)
{
	double lowest = 1;

	(void)state;
	for (size_t count = 6; count <= 15; count += 3) {
		for (int shape = 0; shape < SC_STOP_SHAPE_COUNT_; shape++) {
			for (int other = 0; other < SC_STOP_SHAPE_COUNT_; other++) {
				double share = ratios_covered((enum sc_stop_shape)shape,
							      (enum sc_stop_shape)other, count,
							      other == shape ? 0.1 : 0.25);

				if (share < 0.95)
					fail_msg("%s to %s, n = %zu: %.2f %%",
						 sc_stop_shape_name((enum sc_stop_shape)shape),
						 sc_stop_shape_name((enum sc_stop_shape)other),
						 count, 100 * share);
				lowest = share < lowest ? share : lowest;
			}
		}
	}
	printf("# intervals of ratios hold the ratio in at least %.1f %%\n", 100 * lowest);
}

/* Of 1,000 pairs drawn from one set of rates, how many are worse, and how many fail. */
static void resampled_pairs_raise_no_alarm(void **state)
{
	/* rates of one cell on a busy machine, nine rounds */
	static const double rates[] = {12410, 9876, 14890, 11020, 13120, 7950, 12800, 10340, 15210};
	struct sc_random random = sc_random_init(SEED);
	uint32_t failing = 0, worse = 0;

	(void)state;
	for (uint32_t pair = 0; pair < 1000; pair++) {
		struct sc_digest_figure figures[2];
		struct sc_change change;

		for (size_t side = 0; side < 2; side++) {
			double times[9], median;

			for (size_t i = 0; i < 9; i++)
				times[i] = 1e9 / rates[sc_random_below(&random, 9)];
			sc_sort_doubles(times, 9);
			(void)sc_median(times, 9, &median);
			figures[side] = timed(times[1], median, times[7]);
		}
		change = judge("op_ns", figures[0], figures[1], 0);
		worse += change.verdict == SC_VERDICT_WORSE;
		failing += change.fails;
	}
	printf("# 1000 pairs of equal cells: %u worse, %u failing\n", worse, failing);
	assert_int_equal(failing, 0);
	assert_in_range(worse, 0, 10);
}

static void a_planted_factor_of_two_is_caught(void **state)
{
	struct sc_random random = sc_random_init(SEED);
	uint32_t caught = 0;

	(void)state;
	for (uint32_t pair = 0; pair < 1000; pair++) {
		struct sc_digest_figure base = sample(&random, SC_STOP_LOG_NORMAL, 9, 0.15, 10000);
		struct sc_digest_figure other = sample(&random, SC_STOP_LOG_NORMAL, 9, 0.15, 20000);

		caught += judge("op_ns", base, other, 0).fails;
	}
	printf("# a factor of two with 15 %% spread and nine samples: %u of 1000 caught\n", caught);
	assert_true(caught > 995);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("latency is judged by interval, percentage and floor",
		     latency_is_judged_by_interval_percentage_and_floor),
		CASE("a rate is better when it is higher", a_rate_is_better_when_it_is_higher),
		CASE("any increase of a count fails", any_increase_of_a_count_fails),
		CASE("an allowance is a percentage of the base",
		     an_allowance_is_a_percentage_of_the_base),
		CASE("side by side nothing fails", side_by_side_nothing_fails),
		CASE("what the machine explains is no verdict",
		     what_the_machine_explains_is_no_verdict),
		CASE("what was not measured is no change", what_was_not_measured_is_no_change),
		CASE("keys and metrics are found by their names",
		     keys_and_metrics_are_found_by_their_names),
		CASE("the interval of a ratio holds it with more than it promises",
		     the_interval_of_a_ratio_holds_it_with_more_than_it_promises),
		CASE("1,000 pairs of equal cells raise no alarm", resampled_pairs_raise_no_alarm),
		CASE("a planted factor of two is caught", a_planted_factor_of_two_is_caught),
	};

	return cmocka_run_group_tests_name("verdict", cases, NULL, NULL);
}
