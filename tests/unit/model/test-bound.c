/* SPDX-License-Identifier: MIT */

/* What a cell is bound by: planted terms, each moves its own and no other. */

#include "../base/test.h"

#include <math.h>
#include <string.h>

#include "model/report.h"

#define assert_near(value, expected) assert_true(fabs((value) - (expected)) < 1e-6)

/* 1000 ns outside, 100 ns in each part, half of SQL on the CPU. */
static struct sc_split even_split(void)
{
	struct sc_split split = {.total_ns = 1700};

	for (int p = 0; p < SC_PART_COUNT_; p++)
		split.wall_ns[p] = p == SC_PART_OUTSIDE ? 1000 : 100;
	split.cpu_ns[SC_PART_SQL] = 100;
	split.cpu_n[SC_PART_SQL] = 10;
	return split;
}

static double sum_of(const struct sc_terms *terms)
{
	double sum = terms->rest_ns;

	for (int i = 0; i < SC_BOUND_COUNT_; i++)
		sum += terms->ns[i];
	return sum;
}

static struct sc_interval rate_of(double per_second)
{
	return (struct sc_interval){.status = SC_MEASURED, .median = per_second};
}

static void each_part_is_a_term_of_its_own(void **state)
{
	static const struct {
		enum sc_part part;
		enum sc_bound_by by;
	} planted[] = {
		{SC_PART_SQL, SC_BOUND_SQL_CPU}, {SC_PART_SYNC, SC_BOUND_SYNC},
		{SC_PART_WRITE, SC_BOUND_WRITE}, {SC_PART_READ, SC_BOUND_READ},
		{SC_PART_LOCK, SC_BOUND_LOCK},
	};
	const struct sc_split even = even_split();
	const struct sc_terms before = sc_split_terms(&even, 0);

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(planted); i++) {
		struct sc_split split = even;
		struct sc_interval rate = rate_of(500);
		struct sc_terms after;
		struct sc_bound bound;

		split.wall_ns[planted[i].part] += 900;
		split.cpu_ns[planted[i].part] += 900;
		after = sc_split_terms(&split, 0);
		for (int by = 0; by < SC_BOUND_COUNT_; by++)
			assert_near(after.ns[by] - before.ns[by],
				    by == (int)planted[i].by ? 900.0 : 0.0);
		assert_near(after.rest_ns, before.rest_ns);
		bound = sc_bound_of(&split, 0, &rate);
		assert_int_equal(bound.status, SC_MEASURED);
		assert_int_equal(bound.by, planted[i].by);
		assert_near(bound.share, 1000.0 / 1600);
		/* 2600 ns of wall, of which 1000 would go. */
		assert_near(bound.if_free_ops_per_s, 500.0 * 2600 / 1600);
	}
}

static void a_checkpoints_calls_are_its_own(void **state)
{
	struct sc_split split = even_split();
	struct sc_interval rate = rate_of(1);
	struct sc_terms terms;

	(void)state;
	split.checkpoint_ns[SC_PART_SYNC] = 100;
	split.checkpoint_ns[SC_PART_WRITE] = 80;
	split.checkpoint_ns[SC_PART_READ] = 70;
	terms = sc_split_terms(&split, 0);
	assert_near(terms.ns[SC_BOUND_CHECKPOINT], 250);
	assert_near(terms.ns[SC_BOUND_SYNC], 0);
	assert_near(terms.ns[SC_BOUND_WRITE], 20);
	assert_near(terms.ns[SC_BOUND_READ], 30);
	assert_near(sum_of(&terms), 700);
	assert_int_equal(sc_bound_of(&split, 0, &rate).by, SC_BOUND_CHECKPOINT);
}

static void waiting_for_a_cpu_is_taken_out_of_every_part(void **state)
{
	struct sc_split split = even_split();
	struct sc_terms terms;

	(void)state;
	split.run_delay_ns[SC_PART_SYNC] = 60;
	split.run_delay_ns[SC_PART_SQL] = 90;
	split.run_delay_ns[SC_PART_OUTSIDE] = 900; /* not SQLite's time */
	split.checkpoint_ns[SC_PART_SYNC] = 50;
	terms = sc_split_terms(&split, 0);
	assert_near(terms.ns[SC_BOUND_RUN_DELAY], 150);
	assert_near(terms.ns[SC_BOUND_SYNC], 50 * 0.4);
	assert_near(terms.ns[SC_BOUND_CHECKPOINT], 50 * 0.4);
	assert_near(terms.ns[SC_BOUND_SQL_CPU], 10);
	assert_near(sum_of(&terms), 700);
	/* 60 of 100 ns in syncs, half of these in checkpoints. */
	assert_near(terms.delay_ns[SC_BOUND_SYNC], 50 * 0.6);
	assert_near(terms.delay_ns[SC_BOUND_CHECKPOINT], 50 * 0.6);
	assert_near(terms.delay_ns[SC_BOUND_SQL_CPU], 90);
	assert_near(terms.delay_ns[SC_BOUND_RUN_DELAY], 0);
	assert_near(terms.delay_ns[SC_BOUND_WRITE], 0);
}

/* Who does not sleep in a sync does not wait for a CPU when it returns. */
static void what_is_free_takes_its_own_wait_for_a_cpu_along(void **state)
{
	struct sc_split split = even_split();
	struct sc_interval rate = rate_of(500);
	struct sc_bound bound;

	(void)state;
	split.wall_ns[SC_PART_SYNC] = 1000; /* of 2600 */
	for (int elsewhere = 0; elsewhere < 2; elsewhere++) {
		split.run_delay_ns[SC_PART_SYNC] = elsewhere ? 0 : 90;
		split.run_delay_ns[SC_PART_READ] = elsewhere ? 90 : 0;
		bound = sc_bound_of(&split, 0, &rate);
		assert_int_equal(bound.by, SC_BOUND_SYNC);
		assert_near(bound.share, elsewhere ? 1000.0 / 1600 : 910.0 / 1600);
		assert_near(bound.if_free_ops_per_s, 500.0 * 2600 / 1600);
	}
}

static void how_long_a_sample_waited_is_a_share_of_all_its_time(void **state)
{
	struct sc_split split = even_split();

	(void)state;
	assert_near(sc_split_waiting(&split), 0);
	split.run_delay_ns[SC_PART_OUTSIDE] = 330;
	split.run_delay_ns[SC_PART_SYNC] = 1000; /* an estimate beyond its 100 */
	assert_near(sc_split_waiting(&split), 430.0 / 1700);
	/* Of one client it is the machine's; several wait for each other. */
	for (uint32_t clients = 1; clients < 3; clients++) {
		struct sc_cell cell = {.clients = clients, .split = split};

		assert_int_equal(sc_cell_has_waited(&cell), clients == 1);
		cell.split.run_delay_ns[SC_PART_OUTSIDE] = 200; /* 300 of 1700 */
		assert_false(sc_cell_has_waited(&cell));
	}
	split.status = SC_DENIED;
	assert_near(sc_split_waiting(&split), 0);
}

static void sql_off_the_cpu_is_faults_only_where_there_were_some(void **state)
{
	struct sc_split split = even_split();

	(void)state;
	split.cpu_ns[SC_PART_SQL] = 30;
	for (uint64_t faults = 0; faults < 2; faults++) {
		struct sc_terms terms = sc_split_terms(&split, faults);

		assert_near(terms.ns[SC_BOUND_SQL_CPU], 30);
		assert_near(terms.ns[SC_BOUND_MEMORY_FAULTS], faults ? 70 : 0);
		assert_near(terms.rest_ns, faults ? 200 : 270); /* shm and other are 200 */
		assert_near(sum_of(&terms), 700);
	}
}

static void sql_without_cpu_readings_counts_as_on_the_cpu(void **state)
{
	struct sc_split split = even_split();
	struct sc_terms terms;

	(void)state;
	split.cpu_ns[SC_PART_SQL] = 0;
	split.cpu_n[SC_PART_SQL] = 0;
	terms = sc_split_terms(&split, 9);
	assert_near(terms.ns[SC_BOUND_SQL_CPU], 100);
	assert_near(terms.ns[SC_BOUND_MEMORY_FAULTS], 0);
}

static void estimates_beyond_the_wall_are_cut_to_it(void **state)
{
	struct sc_split split = even_split();
	struct sc_terms terms;

	(void)state;
	split.cpu_ns[SC_PART_SQL] = 1000;
	split.run_delay_ns[SC_PART_SYNC] = 5000;
	split.checkpoint_ns[SC_PART_READ] = 5000;
	terms = sc_split_terms(&split, 0);
	assert_near(terms.ns[SC_BOUND_SQL_CPU], 100);
	assert_near(terms.ns[SC_BOUND_RUN_DELAY], 100);
	assert_near(terms.ns[SC_BOUND_CHECKPOINT], 100);
	assert_near(sum_of(&terms), 700);
}

static void no_split_is_no_bound(void **state)
{
	struct sc_split split = {.status = SC_DENIED, .reason = "no meter"};
	struct sc_interval rate = rate_of(1);
	struct sc_bound bound = sc_bound_of(&split, 0, &rate);

	(void)state;
	assert_int_equal(bound.status, SC_DENIED);
	assert_string_equal(bound.reason, "no meter");
	split = (struct sc_split){.wall_ns[SC_PART_OUTSIDE] = 100};
	bound = sc_bound_of(&split, 0, &rate);
	assert_int_equal(bound.status, SC_SKIPPED);
}

static void where_nothing_else_takes_time_no_rate_is_invented(void **state)
{
	struct sc_split split = {.wall_ns[SC_PART_SYNC] = 100};
	struct sc_interval rate = rate_of(1000);
	struct sc_bound bound = sc_bound_of(&split, 0, &rate);

	(void)state;
	assert_int_equal(bound.by, SC_BOUND_SYNC);
	assert_near(bound.share, 1);
	assert_near(bound.if_free_ops_per_s, 0);
}

/* As SQL is in a database in memory: one part in a hundred is left, or there is no figure. */
static void a_part_that_is_nearly_all_has_no_rate_without_it(void **state)
{
	static const struct {
		uint64_t rest_ns;
		double rate;
	} cases[] = {{0, 0}, {1, 0}, {9900, 0}, {10102, 99990.3}, {1000000, 2000}};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct sc_split split = {.wall_ns[SC_PART_SQL] = 1000000,
					 .wall_ns[SC_PART_WRITE] = cases[i].rest_ns};
		struct sc_interval rate = rate_of(1000);
		struct sc_bound bound = sc_bound_of(&split, 0, &rate);

		assert_int_equal(bound.by, SC_BOUND_SQL_CPU);
		assert_true(bound.if_free_ops_per_s > cases[i].rate * 0.999 - 1e-9);
		assert_true(bound.if_free_ops_per_s < cases[i].rate * 1.001 + 1e-9);
	}
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("each part is a term of its own, and moves no other",
		     each_part_is_a_term_of_its_own),
		CASE("a checkpoint's calls are its own", a_checkpoints_calls_are_its_own),
		CASE("waiting for a CPU is taken out of every part",
		     waiting_for_a_cpu_is_taken_out_of_every_part),
		CASE("what is free takes its own wait for a CPU along",
		     what_is_free_takes_its_own_wait_for_a_cpu_along),
		CASE("how long a sample waited is a share of all its time",
		     how_long_a_sample_waited_is_a_share_of_all_its_time),
		CASE("SQL off the CPU is memory faults only where there were some",
		     sql_off_the_cpu_is_faults_only_where_there_were_some),
		CASE("SQL without CPU readings counts as on the CPU",
		     sql_without_cpu_readings_counts_as_on_the_cpu),
		CASE("estimates beyond the wall are cut to it",
		     estimates_beyond_the_wall_are_cut_to_it),
		CASE("no split is no bound", no_split_is_no_bound),
		CASE("where nothing else takes time no rate is invented",
		     where_nothing_else_takes_time_no_rate_is_invented),
		CASE("a part that is nearly all has no rate without it",
		     a_part_that_is_nearly_all_has_no_rate_without_it),
	};

	return cmocka_run_group_tests_name("bound", cases, NULL, NULL);
}
