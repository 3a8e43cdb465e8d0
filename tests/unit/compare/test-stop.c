/* SPDX-License-Identifier: MIT */

/* The stopping rule: its coverage computed, enumerated and simulated; and that naive looks fail. */

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "stats/order.h"
#include "stats/stop-trial.h"

#define PRECISION 0.05
#define SEED      20240611u
#define DRAWS     10000u

static struct sc_stop_rule rule_to(uint32_t samples_max)
{
	struct sc_stop_rule rule;

	assert_true(sc_stop_plan(PRECISION, 0.95, SC_STOP_PILOT_DEFAULT, samples_max, &rule));
	return rule;
}

/* Someone who looks at the 95 % interval after each sample. */
static struct sc_stop_rule naive_rule(uint32_t first, uint32_t last)
{
	struct sc_stop_rule rule = {.precision = PRECISION, .confidence = 0.95};

	for (uint32_t n = first; n <= last; n++) {
		size_t low, high;
		double coverage;

		assert_true(rule.look_count < SC_STOP_LOOKS_MAX);
		(void)sc_median_ranks(n, 0.95, &low, &high, &coverage);
		rule.looks[rule.look_count++] = (struct sc_stop_planned){n, (uint32_t)low};
	}
	return rule;
}

/* --- the interval at fixed n */

static double share_covered(enum sc_stop_shape shape, size_t count, struct sc_random *random)
{
	size_t low, high;
	double coverage, values[16];
	uint32_t covered = 0;

	(void)sc_median_ranks(count, 0.95, &low, &high, &coverage);
	for (uint32_t draw = 0; draw < DRAWS; draw++) {
		for (size_t i = 0; i < count; i++)
			values[i] = sc_stop_draw(random, shape, 0.1);
		sc_sort_doubles(values, count);
		covered += values[low - 1] <= 1.0 && 1.0 <= values[high - 1];
	}
	return (double)covered / DRAWS;
}

static void test_exact_interval(void **state)
{
	struct sc_random random = sc_random_init(SEED);

	(void)state;
	for (size_t count = 6; count <= 15; count++) {
		size_t low, high;
		double closed;

		assert_true(sc_median_ranks(count, 0.95, &low, &high, &closed));
		for (int shape = 0; shape < SC_STOP_SHAPE_COUNT_; shape++) {
			double share = share_covered((enum sc_stop_shape)shape, count, &random);

			if (fabs(share - closed) > 0.007)
				fail_msg("n = %zu, %s: %.4f simulated, %.4f in closed form", count,
					 sc_stop_shape_name((enum sc_stop_shape)shape), share,
					 closed);
		}
	}
}

/* --- coverage of several looks */

/* Each of the 2^n walks, one after the other. */
static double enumerate_coverage(const struct sc_stop_planned *looks, size_t look_count)
{
	uint32_t samples = looks[look_count - 1].samples;
	uint64_t held = 0;

	for (uint64_t walk = 0; walk < 1ull << samples; walk++) {
		bool holds = true;

		for (size_t i = 0; i < look_count; i++) {
			uint64_t seen = walk & ((1ull << looks[i].samples) - 1);
			uint32_t below = (uint32_t)__builtin_popcountll(seen);

			holds = holds && below >= looks[i].rank &&
				looks[i].samples - below >= looks[i].rank;
		}
		held += holds;
	}
	return (double)held / (double)(1ull << samples);
}

static void test_coverage_enumerated(void **state)
{
	static const struct sc_stop_planned looks[][3] = {
		{{6, 1}, {9, 2}, {14, 3}},
		{{6, 1}, {7, 1}, {8, 1}},
		{{3, 0}, {10, 4}, {18, 5}},
		{{1, 0}, {2, 1}, {3, 1}},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(looks) / sizeof(looks[0]); i++)
		assert_true(fabs(sc_stop_coverage(looks[i], 3) - enumerate_coverage(looks[i], 3)) <
			    1e-12);
}

static void test_coverage_of_one_look(void **state)
{
	(void)state;
	for (uint32_t n = 6; n <= SC_STOP_SAMPLES_MAX; n += 71) {
		size_t low, high;
		double closed;
		struct sc_stop_planned look = {.samples = n};

		(void)sc_median_ranks(n, 0.95, &low, &high, &closed);
		look.rank = (uint32_t)low;
		assert_true(fabs(sc_stop_coverage(&look, 1) - closed) < 1e-9);
	}
}

static void test_plan_holds(void **state)
{
	static const uint32_t ends[] = {8, 9, 12, 20, 60, 100, 333, SC_STOP_SAMPLES_MAX};

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct sc_stop_rule rule = rule_to(ends[i]);

		assert_true(rule.coverage >= 0.95);
		assert_true(fabs(sc_stop_coverage(rule.looks, rule.look_count) - rule.coverage) <
			    1e-12);
		assert_int_equal(rule.looks[0].samples, 8);
		assert_int_equal(rule.looks[rule.look_count - 1].samples, ends[i]);
		for (size_t k = 0; k < rule.look_count; k++) {
			assert_true(rule.looks[k].rank >= 1);
			assert_true(2 * rule.looks[k].rank <= rule.looks[k].samples + 1);
		}
	}
}

static void test_plan_cannot_be_tightened(void **state)
{
	struct sc_stop_rule rule = rule_to(60);

	(void)state;
	for (size_t i = 0; i < rule.look_count; i++) {
		rule.looks[i].rank++;
		assert_true(sc_stop_coverage(rule.looks, rule.look_count) < 0.95);
		rule.looks[i].rank--;
	}
}

static void test_short_pilot(void **state)
{
	struct sc_stop_rule rule;

	(void)state;
	for (uint32_t pilot = 1; pilot < 6; pilot++)
		assert_false(sc_stop_plan(PRECISION, 0.95, pilot, 60, &rule));
	assert_true(sc_stop_plan(PRECISION, 0.95, 6, 60, &rule));
	assert_true(sc_stop_plan(PRECISION, 0.10, 2, SC_STOP_SAMPLES_MAX, &rule));
}

/* --- simulated */

static void print_trial(const struct sc_stop_trial *trial)
{
	printf("# %-12s spread %.2f: covered %.2f %%, converged %5.1f %%, %.1f samples\n",
	       sc_stop_shape_name(trial->shape), trial->spread,
	       100.0 * trial->covered / trial->draws, 100.0 * trial->converged / trial->draws,
	       trial->samples_mean);
}

static void test_simulated_coverage(void **state)
{
	static const uint32_t ends[] = {12, 60};
	struct sc_stop_trial trials[SC_STOP_TRIALS];

	(void)state;
	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		struct sc_stop_rule rule = rule_to(ends[i]);
		double lowest = sc_stop_try_all(&rule, DRAWS / 2, SEED, trials);

		printf("# %u to %u samples: %.2f %% in exact numbers, at least %.2f %% simulated\n",
		       rule.looks[0].samples, ends[i], 100 * rule.coverage, 100 * lowest);
		for (size_t k = 0; k < SC_STOP_TRIALS; k++)
			print_trial(&trials[k]);
		assert_true(lowest >= 0.92);
		/* the exact number is a bound: four standard errors below it is not chance */
		assert_true(lowest >= rule.coverage - 4 * 0.0031);
	}
}

static void test_naive_looks_fail(void **state)
{
	struct sc_stop_rule rule = naive_rule(6, 6 + SC_STOP_LOOKS_MAX - 1);
	double exact = sc_stop_coverage(rule.looks, rule.look_count);
	struct sc_stop_trial trial =
		sc_stop_try(&rule, SC_STOP_BIMODAL, 2 * PRECISION, DRAWS, SEED);

	(void)state;
	printf("# a look after each sample from 6 to %u: %.2f %% in exact numbers\n",
	       rule.looks[rule.look_count - 1].samples, 100 * exact);
	print_trial(&trial);
	assert_true(exact < 0.92);
	assert_true((double)trial.covered / trial.draws < 0.92);
}

static void test_planned_looks_at_95_fail(void **state)
{
	struct sc_stop_rule rule = rule_to(60);
	struct sc_stop_trial trial;

	(void)state;
	for (size_t i = 0; i < rule.look_count; i++) {
		size_t low, high;
		double coverage;

		(void)sc_median_ranks(rule.looks[i].samples, 0.95, &low, &high, &coverage);
		rule.looks[i].rank = (uint32_t)low;
	}
	trial = sc_stop_try(&rule, SC_STOP_BIMODAL, 2 * PRECISION, DRAWS, SEED);
	printf("# the planned looks with 95 %% each: %.2f %% in exact numbers\n",
	       100 * sc_stop_coverage(rule.looks, rule.look_count));
	print_trial(&trial);
	assert_true((double)trial.covered / trial.draws < 0.92);
}

static void test_time_runs_out(void **state)
{
	struct sc_stop_rule rule = rule_to(60);
	struct sc_random random = sc_random_init(SEED);
	double values[60];

	(void)state;
	for (int shape = 0; shape < SC_STOP_SHAPE_COUNT_; shape++) {
		uint32_t covered = 0;

		for (uint32_t draw = 0; draw < DRAWS; draw++) {
			size_t end = 8 + (size_t)sc_random_below(&random, 53);
			struct sc_stop_verdict verdict = {0};

			for (size_t n = 0; n < end && verdict.state == SC_STOP_MORE;) {
				values[n++] = sc_stop_draw(&random, (enum sc_stop_shape)shape, 0.1);
				sc_sort_doubles(values, n);
				verdict = sc_stop_look(&rule, values, n);
			}
			covered += verdict.low <= 1.0 && 1.0 <= verdict.high;
		}
		assert_true((double)covered / DRAWS >= rule.coverage - 4 * 0.0022);
	}
}

static void test_seed(void **state)
{
	struct sc_stop_rule rule = rule_to(60);
	struct sc_stop_trial a = sc_stop_try(&rule, SC_STOP_NORMAL, 0.1, 500, 1);
	struct sc_stop_trial b = sc_stop_try(&rule, SC_STOP_NORMAL, 0.1, 500, 1);
	struct sc_stop_trial c = sc_stop_try(&rule, SC_STOP_NORMAL, 0.1, 500, 2);

	(void)state;
	assert_int_equal(a.covered, b.covered);
	assert_int_equal(a.converged, b.converged);
	assert_true(a.samples_mean <= b.samples_mean && a.samples_mean >= b.samples_mean);
	assert_true(c.samples_mean < a.samples_mean || c.samples_mean > a.samples_mean);
}

static void test_medians_are_one(void **state)
{
	(void)state;
	for (int shape = 0; shape < SC_STOP_SHAPE_COUNT_; shape++) {
		struct sc_random random = sc_random_init(SEED);
		uint32_t below = 0;

		for (uint32_t i = 0; i < 40000; i++)
			below += sc_stop_draw(&random, (enum sc_stop_shape)shape, 0.2) < 1.0;
		assert_in_range(below, 20000 - 400, 20000 + 400); /* four standard errors */
	}
}

/* --- verdicts */

static void test_converges_at_looks(void **state)
{
	struct sc_stop_rule rule = rule_to(60);
	double values[60];

	(void)state;
	for (size_t i = 0; i < 60; i++)
		values[i] = 100.0; /* as narrow as can be */
	for (size_t count = 0; count <= 60; count++) {
		struct sc_stop_verdict verdict = sc_stop_look(&rule, values, count);
		bool is_look = false;

		for (size_t i = 0; i < rule.look_count; i++)
			is_look = is_look || rule.looks[i].samples == count;
		assert_int_equal(verdict.state, is_look ? SC_STOP_CONVERGED : SC_STOP_MORE);
		assert_int_equal(verdict.has_interval, count >= 8);
		assert_true(is_look ? verdict.next_samples == 0 : verdict.next_samples > count);
	}
}

static void test_precision_is_the_edge(void **state)
{
	struct sc_stop_rule rule = rule_to(8);
	double values[8] = {95.5, 100, 100, 100, 100, 100, 100, 104.5};

	(void)state;
	assert_int_equal(sc_stop_look(&rule, values, 8).state, SC_STOP_CONVERGED);
	values[7] = 105.5; /* the wider side decides */
	assert_int_equal(sc_stop_look(&rule, values, 8).state, SC_STOP_EXHAUSTED);
}

/* Of 400 pilots: how many see no look that will do, and the mean of the others. */
static uint32_t count_hopeless(const struct sc_stop_rule *rule, double spread, double *ret_mean)
{
	struct sc_random random = sc_random_init(SEED);
	uint32_t hopeless = 0;
	double sum = 0;

	for (uint32_t draw = 0; draw < 400; draw++) {
		double values[SC_STOP_PILOT_DEFAULT];
		uint32_t need;

		for (size_t k = 0; k < SC_STOP_PILOT_DEFAULT; k++)
			values[k] = sc_stop_draw(&random, SC_STOP_NORMAL, spread);
		sc_sort_doubles(values, SC_STOP_PILOT_DEFAULT);
		need = sc_stop_need(rule, values, SC_STOP_PILOT_DEFAULT);
		hopeless += need == 0;
		sum += need;
	}
	*ret_mean = sum / (400 - hopeless);
	return hopeless;
}

static void test_need(void **state)
{
	struct sc_stop_rule rule = rule_to(100);
	double mean;

	(void)state;
	assert_int_equal(count_hopeless(&rule, 0.01, &mean), 0);
	assert_true(mean < 10);
	assert_in_range(count_hopeless(&rule, 0.05, &mean), 0, 40);
	assert_true(mean > 12 && mean < 47); /* it takes 23.5: within a factor of two */
	assert_true(count_hopeless(&rule, 0.25, &mean) > 300);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"at fixed n the interval covers what the binomial says, for each distribution",
		 test_exact_interval, NULL, NULL, NULL},
		{"each distribution of the trials has the median 1", test_medians_are_one, NULL,
		 NULL, NULL},
		{"the coverage of several looks is that of all walks enumerated",
		 test_coverage_enumerated, NULL, NULL, NULL},
		{"the coverage of one look is the closed form", test_coverage_of_one_look, NULL,
		 NULL, NULL},
		{"planned looks hold together with the confidence asked for", test_plan_holds, NULL,
		 NULL, NULL},
		{"no rank of a plan could be higher", test_plan_cannot_be_tightened, NULL, NULL,
		 NULL},
		{"a pilot too short for the confidence is refused", test_short_pilot, NULL, NULL,
		 NULL},
		{"simulated coverage of the rule is at least 92 % for each distribution",
		 test_simulated_coverage, NULL, NULL, NULL},
		{"control: a look after each sample covers less than 92 %", test_naive_looks_fail,
		 NULL, NULL, NULL},
		{"control: the planned looks with 95 % each cover less than 92 %",
		 test_planned_looks_at_95_fail, NULL, NULL, NULL},
		{"sampling that ends between looks keeps the coverage", test_time_runs_out, NULL,
		 NULL, NULL},
		{"the same seed gives the same trial", test_seed, NULL, NULL, NULL},
		{"samples that agree converge at a look and only there", test_converges_at_looks,
		 NULL, NULL, NULL},
		{"the wider side of the interval decides", test_precision_is_the_edge, NULL, NULL,
		 NULL},
		{"a pilot's spread says which look will do", test_need, NULL, NULL, NULL},
	};

	return cmocka_run_group_tests_name("stop", tests, NULL, NULL);
}
