/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "stats/random.h"

static void the_numbers_are_the_published_ones(void **state)
{
	static const uint64_t expected[] = {
		UINT64_C(6457827717110365317),  UINT64_C(3203168211198807973),
		UINT64_C(9817491932198370423),  UINT64_C(4593380528125082431),
		UINT64_C(16408922859458223821),
	};
	struct sc_random random = sc_random_init(1234567);

	(void)state;
	for (size_t i = 0; i < 5; i++)
		assert_true(sc_random_next(&random) == expected[i]);
}

static void the_same_seed_gives_the_same_numbers(void **state)
{
	struct sc_random a = sc_random_fork(7, "order"), b = sc_random_fork(7, "order");

	(void)state;
	for (int i = 0; i < 100; i++)
		assert_true(sc_random_next(&a) == sc_random_next(&b));
}

/* Neighbouring seeds and names: no number of one stream is near in another. */
static void other_names_and_seeds_give_other_streams(void **state)
{
	static const char *const names[] = {"", "a", "b", "ab", "ba"};
	static uint64_t seen[3 * 5 * 200];
	size_t count = 0;

	(void)state;
	for (uint64_t seed = 0; seed < 3; seed++) {
		for (size_t name = 0; name < 5; name++) {
			struct sc_random random = sc_random_fork(seed, names[name]);

			for (int i = 0; i < 200; i++)
				seen[count++] = sc_random_next(&random);
		}
	}
	for (size_t i = 0; i < count; i++) {
		for (size_t j = i + 1; j < count; j++)
			assert_true(seen[i] != seen[j]);
	}
}

static void below_stays_below(void **state)
{
	struct sc_random random = sc_random_init(1);

	(void)state;
	for (uint64_t bound = 1; bound < 70; bound++) {
		for (int i = 0; i < 100; i++)
			assert_true(sc_random_below(&random, bound) < bound);
	}
	for (int i = 0; i < 100; i++)
		assert_true(sc_random_below(&random, UINT64_MAX) < UINT64_MAX);
}

/*
 * For a bound of 3 * 2^62 the remainder alone would give the lowest third half of all numbers.
 * 30000 numbers: the share's standard error is 0.0027.
 */
static void below_has_no_modulo_bias(void **state)
{
	const uint64_t third = UINT64_C(1) << 62;
	struct sc_random random = sc_random_init(99);
	struct sc_random control = sc_random_init(99);
	unsigned lowest = 0, lowest_biased = 0;

	(void)state;
	for (int i = 0; i < 30000; i++) {
		lowest += sc_random_below(&random, 3 * third) < third;
		lowest_biased += sc_random_next(&control) % (3 * third) < third;
	}
	assert_true(fabs(lowest / 30000.0 - 1.0 / 3) < 0.014);
	assert_true(fabs(lowest_biased / 30000.0 - 1.0 / 2) < 0.014); /* the control */
}

/* Chi-square of 100 equal cells, 99 degrees of freedom: above 149 once in a thousand seeds. */
static void unit_is_uniform_and_never_one(void **state)
{
	struct sc_random random = sc_random_init(5);
	unsigned cells[100] = {0};
	double chi_square = 0;

	(void)state;
	for (int i = 0; i < 100000; i++) {
		double unit = sc_random_unit(&random);

		assert_true(unit >= 0.0);
		assert_true(unit < 1.0);
		cells[(size_t)(unit * 100)]++;
	}
	for (int i = 0; i < 100; i++)
		chi_square += (cells[i] - 1000.0) * (cells[i] - 1000.0) / 1000.0;
	assert_true(chi_square < 149);
	assert_true(chi_square > 61); /* too even is not random either: once in a thousand */
}

static void shuffling_keeps_every_index_once(void **state)
{
	struct sc_random random = sc_random_init(8);
	uint32_t indexes[257];
	bool seen[257];

	(void)state;
	for (uint32_t count = 0; count <= 257; count++) {
		for (uint32_t i = 0; i < count; i++)
			indexes[i] = i;
		sc_random_shuffle(&random, indexes, count);
		memset(seen, 0, sizeof(seen));
		for (uint32_t i = 0; i < count; i++) {
			assert_in_range(indexes[i], 0, count - 1);
			assert_false(seen[indexes[i]]);
			seen[indexes[i]] = true;
		}
	}
}

#define SHUFFLES 24000

static size_t permutation_number(const uint32_t *indexes)
{
	static const size_t place[] = {6, 2, 1};
	size_t number = 0;

	for (size_t i = 0; i < 3; i++) {
		for (size_t j = i + 1; j < 4; j++)
			number += indexes[j] < indexes[i] ? place[i] : 0;
	}
	return number;
}

/* Exchanges each index with any: the mistake that Fisher-Yates is known for. */
static void shuffle_naively(struct sc_random *random, uint32_t *indexes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t j = sc_random_below(random, count);
		uint32_t kept = indexes[i];

		indexes[i] = indexes[j];
		indexes[j] = kept;
	}
}

static double chi_square_of(void (*shuffle)(struct sc_random *, uint32_t *, size_t))
{
	struct sc_random random = sc_random_init(31);
	unsigned seen[24] = {0};
	double chi_square = 0;

	for (int i = 0; i < SHUFFLES; i++) {
		uint32_t indexes[] = {0, 1, 2, 3};

		shuffle(&random, indexes, 4);
		seen[permutation_number(indexes)]++;
	}
	for (int i = 0; i < 24; i++)
		chi_square += (seen[i] - SHUFFLES / 24.0) * (seen[i] - SHUFFLES / 24.0);
	return chi_square / (SHUFFLES / 24.0);
}

/* 23 degrees of freedom: above 49.7 once in a thousand seeds. */
static void shuffling_is_uniform(void **state)
{
	(void)state;
	assert_true(chi_square_of(sc_random_shuffle) < 49.7);
	assert_true(chi_square_of(shuffle_naively) > 200); /* the control */
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("the numbers are the published ones", the_numbers_are_the_published_ones),
		CASE("the same seed gives the same numbers", the_same_seed_gives_the_same_numbers),
		CASE("other names and seeds give other streams",
		     other_names_and_seeds_give_other_streams),
		CASE("below stays below", below_stays_below),
		CASE("below has no modulo bias", below_has_no_modulo_bias),
		CASE("unit is uniform and never one", unit_is_uniform_and_never_one),
		CASE("shuffling keeps every index once", shuffling_keeps_every_index_once),
		CASE("shuffling is uniform", shuffling_is_uniform),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
