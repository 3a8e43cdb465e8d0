/* SPDX-License-Identifier: MIT */

/*
 * Whose turn it is, against a sweep that is played round by round: another way to say the same,
 * with loops and counters where the schedule has only what was sampled.
 */

#include "../base/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stats/order.h"
#include "stats/random.h"
#include "stats/stop-trial.h"
#include "sweep/schedule.h"

#define CELLS_MAX 9u
#define TURNS_MAX 20000u
#define MS        1000000u
#define PRECISION 0.05

static char one_name[] = "insert_one";
static struct sc_workload workload = {
	.name = one_name, .in_default_sweep = true, .writes = true, .rows_per_commit = 1};
static struct sc_suite suite = {.name = one_name, .workloads = &workload, .workload_count = 1};

/* What a sweep would see. */
struct world {
	struct sc_plan *plan;
	struct sc_sweep sweep;
	uint64_t turn_ns[CELLS_MAX];
	double spread[CELLS_MAX];
	bool fails[CELLS_MAX]; /* in its third timing sample */
	uint64_t seed;
};

struct played {
	struct sc_turn turns[TURNS_MAX];
	size_t count;
};

static void world_init(struct world *world, size_t cell_count, uint64_t seed)
{
	static const char *const targets[] = {"local"};
	static const int64_t recycled[] = {SC_WAL_RECYCLED};
	static int64_t sizes[CELLS_MAX];
	static struct sc_plan_suite planned;
	struct sc_plan_request request = {.suites = &planned,
					  .suite_count = 1,
					  .targets = targets,
					  .target_count = 1,
					  .wal_states = recycled,
					  .wal_state_count = 1,
					  .seed = seed};
	struct sc_error error;

	suite.setting = sc_setting_default();
	planned = (struct sc_plan_suite){.suite = &suite, .axis_count = 1};
	for (size_t i = 0; i < cell_count; i++)
		sizes[i] = 1000 + (int64_t)i;
	planned.axes[0].values = sizes;
	planned.axes[0].value_count = cell_count;
	for (size_t i = 0; i < sc_setting_field_count; i++)
		if (strcmp(sc_setting_fields[i].name, "cache_size") == 0)
			planned.axes[0].field = &sc_setting_fields[i];
	*world = (struct world){.seed = seed};
	assert_int_equal(sc_plan_new(&request, &world->plan, &error), 0);
	assert_int_equal(world->plan->run_count, cell_count);
	world->sweep = (struct sc_sweep){.plan = world->plan, .operations = 1000};
}

static void world_fini(struct world *world)
{
	sc_plan_freep(&world->plan);
}

/* The same sample for the same turn, whenever it is taken. */
static struct sc_sample sample_of(const struct world *world, struct sc_turn turn)
{
	struct sc_random random =
		sc_random_init(world->seed * 1000003 + turn.index * 10007 + turn.round);
	double rate = 1000 * sc_stop_draw(&random, SC_STOP_LOG_NORMAL, world->spread[turn.index]);

	return (struct sc_sample){
		.kind = turn.round ? SC_SAMPLE_TIMING : SC_SAMPLE_LEDGER,
		.round = turn.round,
		.operations = 1000,
		.wall_ns = (uint64_t)(1e12 / rate),
		.turn_ns = world->turn_ns[turn.index] + (turn.round ? 0 : 1000000000),
		.status = world->fails[turn.index] && turn.round == 3 ? SC_FAILED : SC_MEASURED,
	};
}

/* --- what is under test */

struct state {
	struct sc_record records[CELLS_MAX];
	uint32_t order[CELLS_MAX];
	struct sc_sampling sampling;
	struct sc_schedule schedule;
};

static void state_init(struct state *state, const struct world *world,
		       const struct sc_sampling *sampling)
{
	*state = (struct state){.sampling = *sampling};
	state->schedule = (struct sc_schedule){
		.plan = world->plan, .sampling = &state->sampling, .order = state->order};
	for (size_t i = 0; i < world->plan->cell_count; i++)
		state->records[i].planned_ns = world->turn_ns[i];
}

static void state_fini(struct state *state)
{
	for (size_t i = 0; i < CELLS_MAX; i++)
		sc_record_fini(&state->records[i]);
}

static void take(struct state *state, const struct world *world, struct sc_turn turn)
{
	struct sc_sample sample = sample_of(world, turn);
	struct sc_error error;

	assert_int_equal(sc_record_add(&state->records[turn.index], &world->sweep, turn.index,
				       &sample, &error),
			 0);
}

static void run(struct state *state, const struct world *world, struct played *played)
{
	struct sc_turn turn;

	played->count = 0;
	while (sc_schedule_next(&state->schedule, state->records, &turn)) {
		assert_true(played->count < TURNS_MAX);
		played->turns[played->count++] = turn;
		take(state, world, turn);
	}
}

/* --- the same, played */

static enum sc_stop_state judge(const struct world *world, const struct sc_stop_rule *rule,
				size_t index, uint32_t count)
{
	double values[SC_STOP_SAMPLES_MAX];

	for (uint32_t i = 0; i < count; i++) {
		struct sc_sample sample = sample_of(world, (struct sc_turn){index, i + 1});

		values[i] = sc_sample_rate(&sample);
	}
	sc_sort_doubles(values, count);
	return sc_stop_look(rule, values, count).state;
}

static void play(const struct world *world, const struct sc_sampling *sampling,
		 struct played *played)
{
	uint32_t order[CELLS_MAX], counts[CELLS_MAX] = {0};
	bool over[CELLS_MAX] = {false};
	uint64_t spent = 0;
	size_t cells = world->plan->cell_count, left = cells;

	played->count = 0;
	for (uint32_t round = 0; left > 0; round++) {
		sc_plan_order(world->plan, round, order);
		for (size_t i = 0; i < cells; i++) {
			size_t index = order[i];

			if (over[index])
				continue;
			if (round > SC_SCHEDULE_PILOT && sampling->samples == 0 &&
			    spent + world->turn_ns[index] > sampling->time_ns) {
				over[index] = true;
				left--;
				continue;
			}
			assert_true(played->count < TURNS_MAX);
			played->turns[played->count++] = (struct sc_turn){index, round};
			if (round == 0)
				continue;
			counts[index]++;
			spent += world->turn_ns[index];
			over[index] = world->fails[index] && round == 3;
			if (sampling->samples)
				over[index] = over[index] || counts[index] == sampling->samples;
			else if (round >= SC_SCHEDULE_PILOT)
				over[index] = over[index] || judge(world, &sampling->rule, index,
								   round) != SC_STOP_MORE;
			left -= over[index];
		}
	}
}

static bool same(const struct played *a, const struct played *b)
{
	if (a->count != b->count)
		return false;
	for (size_t i = 0; i < a->count; i++) {
		if (a->turns[i].index != b->turns[i].index ||
		    a->turns[i].round != b->turns[i].round)
			return false;
	}
	return true;
}

/* Cells that differ in what they cost and in how they scatter; a time that ends some of them. */
static void make_scenario(struct world *world, struct sc_sampling *sampling, uint64_t seed)
{
	struct sc_random random = sc_random_fork(seed, "scenario");
	size_t cells = 1 + (size_t)sc_random_below(&random, CELLS_MAX);

	world_init(world, cells, seed);
	for (size_t i = 0; i < cells; i++) {
		world->turn_ns[i] = (1 + sc_random_below(&random, 200)) * MS;
		world->spread[i] = pow(10, -3 + 2 * sc_random_unit(&random));
		world->fails[i] = sc_random_below(&random, 8) == 0;
	}
	*sampling = (struct sc_sampling){.pilot = SC_SCHEDULE_PILOT};
	sampling->time_ns = sc_random_below(&random, 40000) * MS;
	assert_true(sc_stop_plan(PRECISION, 0.95, SC_SCHEDULE_PILOT,
				 7 + (uint32_t)sc_random_below(&random, 60), &sampling->rule));
}

static struct played expected, found;

static void turns_are_those_of_a_sweep_played_round_by_round(void **state)
{
	size_t ends[SC_ENDED_COUNT_] = {0};

	(void)state;
	for (uint64_t seed = 0; seed < 300; seed++) {
		struct sc_cell cells[CELLS_MAX] = {{0}};
		struct sc_sampling sampling;
		struct state under_test;
		struct world world;

		make_scenario(&world, &sampling, seed);
		play(&world, &sampling, &expected);
		state_init(&under_test, &world, &sampling);
		run(&under_test, &world, &found);
		if (!same(&expected, &found))
			fail_msg("seed %d: %zu turns, %zu played", (int)seed, found.count,
				 expected.count);
		sc_schedule_mark(&under_test.schedule, under_test.records, cells);
		for (size_t i = 0; i < world.plan->cell_count; i++) {
			ends[cells[i].ended]++;
			assert_int_equal(cells[i].ended == SC_ENDED_NOT, world.fails[i]);
		}
		state_fini(&under_test);
		world_fini(&world);
	}
	for (int i = 0; i < SC_ENDED_COUNT_; i++)
		assert_true(ends[i] > 20); /* the scenarios reach each of them */
}

static void control_a_rule_that_looks_each_time_takes_other_turns(void **state)
{
	size_t others = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct sc_sampling sampling, naive;
		struct state under_test;
		struct world world;

		make_scenario(&world, &sampling, seed);
		naive = sampling;
		naive.rule.look_count = 0;
		for (uint32_t n = SC_SCHEDULE_PILOT; n < SC_SCHEDULE_PILOT + 15; n++)
			naive.rule.looks[naive.rule.look_count++] = (struct sc_stop_planned){n, 1};
		play(&world, &naive, &expected);
		state_init(&under_test, &world, &sampling);
		run(&under_test, &world, &found);
		others += !same(&expected, &found);
		state_fini(&under_test);
		world_fini(&world);
	}
	assert_true(others > 10);
}

static void a_fixed_number_of_samples_knows_no_looks_and_no_time(void **state)
{
	const struct sc_sampling sampling = {.samples = 12};

	(void)state;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct sc_sampling unused;
		struct state under_test;
		struct world world;

		make_scenario(&world, &unused, seed);
		play(&world, &sampling, &expected);
		state_init(&under_test, &world, &sampling);
		run(&under_test, &world, &found);
		assert_true(same(&expected, &found));
		for (size_t i = 0; i < world.plan->cell_count; i++)
			assert_int_equal(under_test.records[i].timing_count,
					 world.fails[i] ? 3 : 12);
		state_fini(&under_test);
		world_fini(&world);
	}
}

static void a_sweep_taken_up_after_any_sample_goes_on_as_before(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 12; seed++) {
		struct sc_sampling sampling;
		struct world world;
		size_t step;

		make_scenario(&world, &sampling, seed);
		play(&world, &sampling, &expected);
		step = 1 + expected.count / 60;
		for (size_t done = 0; done <= expected.count; done += step) {
			struct state again;
			struct sc_turn turn;
			bool more;

			state_init(&again, &world, &sampling);
			for (size_t i = 0; i < done; i++)
				take(&again, &world, expected.turns[i]);
			more = sc_schedule_next(&again.schedule, again.records, &turn);
			assert_int_equal(more, done < expected.count);
			if (more) {
				assert_int_equal(turn.index, expected.turns[done].index);
				assert_int_equal(turn.round, expected.turns[done].round);
			}
			state_fini(&again);
		}
		world_fini(&world);
	}
}

static void the_pilot_is_completed_and_then_the_time_is_kept(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 100; seed++) {
		uint64_t pilot_ns = 0, spent = 0;
		struct sc_sampling sampling;
		struct state under_test;
		struct world world;

		make_scenario(&world, &sampling, seed);
		state_init(&under_test, &world, &sampling);
		run(&under_test, &world, &found);
		for (size_t i = 0; i < world.plan->cell_count; i++) {
			pilot_ns += SC_SCHEDULE_PILOT * world.turn_ns[i];
			spent += under_test.records[i].timing_ns;
			assert_true(world.fails[i] ||
				    under_test.records[i].timing_count >= SC_SCHEDULE_PILOT);
		}
		assert_true(spent <= (sampling.time_ns > pilot_ns ? sampling.time_ns : pilot_ns));
		state_fini(&under_test);
		world_fini(&world);
	}
}

/* --- the rule */

static struct sc_sampling planned(struct world *world, uint64_t time_ns, uint32_t timing_rounds)
{
	struct sc_sampling sampling = {.pilot = SC_SCHEDULE_PILOT, .time_ns = time_ns};
	struct state under_test;

	state_init(&under_test, world, &sampling);
	for (uint32_t round = 0; round <= timing_rounds; round++)
		for (size_t i = 0; i < world->plan->cell_count; i++)
			take(&under_test, world, (struct sc_turn){i, round});
	sc_schedule_plan(world->plan, under_test.records, PRECISION, &sampling);
	state_fini(&under_test);
	return sampling;
}

static uint32_t most(const struct sc_sampling *sampling)
{
	return sampling->rule.looks[sampling->rule.look_count - 1].samples;
}

static void the_rule_follows_from_time_and_ledger_alone(void **state)
{
	struct sc_sampling short_one, longer, endless, after;
	struct world world;

	(void)state;
	world_init(&world, 4, 1);
	for (size_t i = 0; i < 4; i++)
		world.turn_ns[i] = 1000 * MS; /* and a second more in the ledger's round */
	short_one = planned(&world, 1000 * MS, 0);
	longer = planned(&world, 60000ull * MS, 0);
	endless = planned(&world, 86400000ull * MS, 0);
	assert_int_equal(most(&short_one), SC_SCHEDULE_PILOT);
	/* four cells of 2 s: 7.5 rounds of them in a minute, and four times that */
	assert_in_range(most(&longer), 28, 30);
	assert_int_equal(most(&endless), SC_STOP_SAMPLES_MAX);
	for (size_t i = 0; i < 4; i++)
		world.spread[i] = 0.3;
	after = planned(&world, 60000ull * MS, 9);
	assert_memory_equal(&after.rule, &longer.rule, sizeof(longer.rule));
	world_fini(&world);
}

static void the_coverage_of_the_rule_is_simulated_with_it(void **state)
{
	static const uint64_t times_ms[] = {1, 60000, 86400000};
	struct world world;

	(void)state;
	world_init(&world, 4, 1);
	for (size_t i = 0; i < 4; i++)
		world.turn_ns[i] = 1000 * MS;
	for (size_t i = 0; i < SC_ARRAY_COUNT(times_ms); i++) {
		struct sc_sampling sampling = planned(&world, times_ms[i] * MS, 0);
		struct sc_stop_trial trial;

		assert_true(sampling.rule.coverage >= 0.95);
		assert_true(sampling.simulated.lowest >= 0.92);
		assert_true(sampling.simulated.draws >= 400);
		/* the one it names is as low */
		trial = sc_stop_try(&sampling.rule, sampling.simulated.shape,
				    sampling.simulated.spread, sampling.simulated.draws, 1);
		assert_true(fabs((double)trial.covered / trial.draws - sampling.simulated.lowest) <
			    1e-9);
	}
	world_fini(&world);
}

/* --- what is left */

static void what_is_left_ends_at_nothing_and_is_exact_where_it_is_fixed(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 40; seed++) {
		struct sc_sampling sampling;
		struct sc_schedule_left left;
		struct state under_test;
		struct sc_turn turn;
		struct world world;
		size_t count = 0;

		make_scenario(&world, &sampling, seed);
		if (seed % 2)
			sampling = (struct sc_sampling){.samples = 10};
		memset(world.fails, 0, sizeof(world.fails));
		state_init(&under_test, &world, &sampling);
		while (sc_schedule_next(&under_test.schedule, under_test.records, &turn)) {
			left = sc_schedule_left(&under_test.schedule, under_test.records);
			assert_true(left.samples > 0);
			if (sampling.samples)
				assert_int_equal(left.samples, world.plan->cell_count * 11 - count);
			take(&under_test, &world, turn);
			count++;
		}
		left = sc_schedule_left(&under_test.schedule, under_test.records);
		assert_int_equal(left.samples, 0);
		assert_int_equal(left.ns, 0);
		state_fini(&under_test);
		world_fini(&world);
	}
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("turns are those of a sweep played round by round",
		     turns_are_those_of_a_sweep_played_round_by_round),
		CASE("control: a rule that looks each time takes other turns",
		     control_a_rule_that_looks_each_time_takes_other_turns),
		CASE("a fixed number of samples knows no looks and no time",
		     a_fixed_number_of_samples_knows_no_looks_and_no_time),
		CASE("a sweep taken up after any sample goes on as before",
		     a_sweep_taken_up_after_any_sample_goes_on_as_before),
		CASE("the pilot is completed and then the time is kept",
		     the_pilot_is_completed_and_then_the_time_is_kept),
		CASE("the rule follows from time and ledger alone",
		     the_rule_follows_from_time_and_ledger_alone),
		CASE("the coverage of the rule is simulated with it",
		     the_coverage_of_the_rule_is_simulated_with_it),
		CASE("what is left ends at nothing and is exact where it is fixed",
		     what_is_left_ends_at_nothing_and_is_exact_where_it_is_fixed),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
