/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/generate.h"
#include "suite/zipf.h"
#include "suites.h"

#define DRAWS 200000u

/* The small suite with streams over its dataset or a workload. */
struct fixture {
	struct sc_suite *suite;
	struct sc_generation *generation;
	struct sc_stream_set *set;
	struct sc_arena arena;
	struct sc_value values[SC_SUITE_PARAMETERS_MAX];
};

static void open_streams(struct fixture *fixture, struct sc_suite *suite, const char *workload,
			 uint64_t rows, uint64_t seed)
{
	const struct sc_parameter *parameters = suite->dataset_parameters;
	size_t count = suite->dataset_parameter_count;
	struct sc_error error = {0};

	memset(fixture, 0, sizeof(*fixture));
	fixture->suite = suite;
	if (workload) {
		parameters = sc_suite_workload(suite, workload)->parameters;
		count = sc_suite_workload(suite, workload)->parameter_count;
	}
	assert_int_equal(sc_generation_new(suite, rows, seed, &fixture->generation, &error), 0);
	assert_int_equal(sc_stream_set_new(fixture->generation, parameters, count,
					   workload ? workload : "dataset", &fixture->set, &error),
			 0);
}

static void close_streams(struct fixture *fixture)
{
	sc_arena_fini(&fixture->arena);
	sc_stream_set_freep(&fixture->set);
	sc_generation_freep(&fixture->generation);
	sc_suite_freep(&fixture->suite);
}

static const struct sc_value *row(struct fixture *fixture, uint64_t index)
{
	assert_int_equal(sc_stream_set_row(fixture->set, index, &fixture->arena, fixture->values),
			 0);
	return fixture->values;
}

/* The order of the small suite's dataset. */
enum { ID, A, Z, R, T, B, D, AT, ISO, DATASET_COUNT };

static bool same_value(const struct sc_value *one, const struct sc_value *other)
{
	if (one->kind != other->kind)
		return false;
	if (one->kind == SC_VALUE_TEXT || one->kind == SC_VALUE_BLOB)
		return one->byte_count == other->byte_count &&
		       memcmp(one->bytes, other->bytes, one->byte_count) == 0;
	if (one->kind == SC_VALUE_REAL)
		return one->integer == other->integer; /* bit by bit */
	return one->integer == other->integer;
}

static void the_same_seed_gives_the_same_values_in_any_order(void **state)
{
	struct fixture one, other;
	struct sc_value kept[DATASET_COUNT];

	(void)state;
	open_streams(&one, parse_small(), NULL, 100, 7);
	open_streams(&other, parse_small(), NULL, 100, 7);
	for (uint64_t i = 0; i < 100; i++)
		(void)row(&other, i);
	for (uint64_t i = 100; i-- > 0;) {
		memcpy(kept, row(&one, i), sizeof(kept));
		(void)row(&other, i);
		for (size_t j = 0; j < DATASET_COUNT; j++)
			assert_true(same_value(&kept[j], &other.values[j]));
	}
	close_streams(&one);
	close_streams(&other);
}

static void another_seed_gives_other_random_values_and_the_same_sequences(void **state)
{
	struct fixture one, other;
	size_t differing[DATASET_COUNT] = {0};

	(void)state;
	open_streams(&one, parse_small(), NULL, 100, 7);
	open_streams(&other, parse_small(), NULL, 100, 8);
	for (uint64_t i = 0; i < 100; i++) {
		(void)row(&one, i);
		(void)row(&other, i);
		for (size_t j = 0; j < DATASET_COUNT; j++)
			differing[j] += !same_value(&one.values[j], &other.values[j]);
	}
	for (size_t j = 0; j < DATASET_COUNT; j++) {
		bool is_fixed = j == ID || j == D || j == AT || j == ISO;

		assert_true(is_fixed ? differing[j] == 0 : differing[j] > 50);
	}
	close_streams(&one);
	close_streams(&other);
}

static void sequences_step_from_their_start(void **state)
{
	struct fixture fixture;

	(void)state;
	open_streams(&fixture, parse_small(), NULL, 100, 1);
	assert_int_equal(row(&fixture, 0)[ID].integer, 10);
	assert_int_equal(row(&fixture, 1)[ID].integer, 20);
	assert_int_equal(row(&fixture, 99)[ID].integer, 1000);
	close_streams(&fixture);
}

static void a_sequence_after_the_dataset_goes_on_where_its_rows_end(void **state)
{
	struct fixture fixture;

	(void)state;
	open_streams(&fixture, parse_small(), "add", 5000, 1);
	assert_int_equal(row(&fixture, 0)[1].integer, 5001);
	assert_int_equal(row(&fixture, 2)[1].integer, 5003);
	close_streams(&fixture);
}

static void every_repeats_a_number(void **state)
{
	char *text = changed_suite("\"start\": 10, \"step\": 10",
				   "\"start\": 5, \"step\": -2, \"every\": 3");
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};
	struct fixture fixture;

	(void)state;
	assert_int_equal(sc_suite_parse(text, "x", &suite, &error), 0);
	open_streams(&fixture, suite, NULL, 100, 1);
	for (uint64_t i = 0; i < 12; i++)
		assert_int_equal(row(&fixture, i)[ID].integer, 5 - 2 * (int64_t)(i / 3));
	close_streams(&fixture);
	free(text);
}

static void values_stay_in_their_ranges_and_reach_the_ends(void **state)
{
	struct fixture fixture;
	int64_t a_min = INT64_MAX, a_max = INT64_MIN;
	uint32_t bytes_min = UINT32_MAX, bytes_max = 0;
	double r_min = 9, r_max = -9;

	(void)state;
	open_streams(&fixture, parse_small(), NULL, 100, 3);
	for (uint64_t i = 0; i < 20000; i++) {
		const struct sc_value *values = row(&fixture, i);

		a_min = values[A].integer < a_min ? values[A].integer : a_min;
		a_max = values[A].integer > a_max ? values[A].integer : a_max;
		r_min = fmin(r_min, values[R].real);
		r_max = fmax(r_max, values[R].real);
		bytes_min = values[T].byte_count < bytes_min ? values[T].byte_count : bytes_min;
		bytes_max = values[T].byte_count > bytes_max ? values[T].byte_count : bytes_max;
		assert_int_equal(values[B].byte_count, 16);
		assert_true(values[Z].integer >= 1 && values[Z].integer <= 1000);
		for (uint32_t j = 0; j < values[T].byte_count; j++)
			assert_true(values[T].bytes[j] >= ' ' && values[T].bytes[j] <= 'z');
	}
	assert_int_equal(a_min, -5);
	assert_int_equal(a_max, 5);
	assert_int_equal(bytes_min, 3);
	assert_int_equal(bytes_max, 9);
	assert_true(r_min >= -1 && r_min < -0.99 && r_max < 1.5 && r_max > 1.49);
	close_streams(&fixture);
}

/* Counts within five standard deviations of what each of @n equal cells expects. */
static void uniform_values_are_equally_frequent(void **state)
{
	struct fixture fixture;
	uint64_t counts[11] = {0};
	double expected = DRAWS / 11.0, deviation = sqrt(DRAWS * (1 / 11.0) * (10 / 11.0));

	(void)state;
	open_streams(&fixture, parse_small(), NULL, 100, 4);
	for (uint64_t i = 0; i < DRAWS; i++)
		counts[row(&fixture, i)[A].integer + 5]++;
	for (size_t i = 0; i < 11; i++)
		assert_true(fabs((double)counts[i] - expected) < 5 * deviation);
	close_streams(&fixture);
}

static double zipf_share(uint64_t rank, uint64_t n, double exponent)
{
	double sum = 0;

	for (uint64_t k = 1; k <= n; k++)
		sum += pow((double)k, -exponent);
	return pow((double)rank, -exponent) / sum;
}

static void assert_zipf(uint64_t n, double exponent)
{
	struct sc_zipf zipf = sc_zipf_init(n, exponent);
	struct sc_random random = sc_random_init(11);
	uint64_t *counts = calloc(n + 1, sizeof(*counts));

	assert_non_null(counts);
	for (uint64_t i = 0; i < DRAWS; i++) {
		uint64_t rank = sc_zipf_next(&zipf, &random);

		assert_true(rank >= 1 && rank <= n);
		counts[rank]++;
	}
	for (uint64_t rank = 1; rank <= n && rank <= 20; rank++) {
		double share = zipf_share(rank, n, exponent);
		double deviation = sqrt(DRAWS * share * (1 - share));

		assert_true(fabs((double)counts[rank] - DRAWS * share) <= 5 * deviation + 1);
	}
	free(counts);
}

static void zipf_ranks_follow_the_closed_form(void **state)
{
	static const double exponents[] = {0.2, 0.5, 0.99, 1.0, 1.0 + 1e-9, 1.1, 2.0, 5.0};
	static const uint64_t sizes[] = {1, 2, 3, 10, 1000, 100000};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(exponents); i++)
		for (size_t j = 0; j < SC_ARRAY_COUNT(sizes); j++)
			assert_zipf(sizes[j], exponents[i]);
}

/* The control: a slightly wrong exponent is seen by the same test. */
static void another_exponent_does_not_follow_it(void **state)
{
	struct sc_zipf zipf = sc_zipf_init(1000, 1.05);
	struct sc_random random = sc_random_init(11);
	double share = zipf_share(1, 1000, 1.0), count = 0;

	(void)state;
	for (uint64_t i = 0; i < DRAWS; i++)
		count += sc_zipf_next(&zipf, &random) == 1;
	assert_true(fabs(count - DRAWS * share) > 5 * sqrt(DRAWS * share * (1 - share)));
}

static void the_generator_zipf_gives_its_minimum_most_often(void **state)
{
	struct fixture fixture;
	double share = zipf_share(1, 1000, 1.1), count = 0;

	(void)state;
	open_streams(&fixture, parse_small(), NULL, 100, 5);
	for (uint64_t i = 0; i < DRAWS; i++)
		count += row(&fixture, i)[Z].integer == 1;
	assert_true(fabs(count - DRAWS * share) < 5 * sqrt(DRAWS * share * (1 - share)));
	close_streams(&fixture);
}

/* printf 1 | sha256sum, printf 2 | sha256sum */
static void a_digest_is_of_the_number_in_decimal(void **state)
{
	static const char *const digests[] = {
		"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
		"d4735e3a265e16eee03f59718b9b5d03019c07d8b6c51f90da3a666eec13ab35",
	};
	struct fixture fixture;

	(void)state;
	open_streams(&fixture, parse_small(), NULL, 100, 6);
	for (uint64_t i = 0; i < SC_ARRAY_COUNT(digests); i++) {
		const struct sc_value *value = &row(&fixture, i)[D];

		assert_int_equal(value->byte_count, 64);
		assert_memory_equal(value->bytes, digests[i], 64);
	}
	close_streams(&fixture);
}

/* date -u -d 2024-01-31 +%s is 1706659200; four a second. */
static void timestamps_advance_at_their_rate(void **state)
{
	static const struct {
		uint64_t index;
		int64_t ms;
		const char *text;
	} cases[] = {
		{0, 1706659200000, "2024-01-31T00:00:00.000Z"},
		{1, 1706659200250, "2024-01-31T00:00:00.250Z"},
		{7, 1706659201750, "2024-01-31T00:00:01.750Z"},
		{4ull * 86400 * 30 + 1, 1709251200250, "2024-03-01T00:00:00.250Z"},
	};
	struct fixture fixture;

	(void)state;
	open_streams(&fixture, parse_small(), NULL, 100, 6);
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct sc_value *values = row(&fixture, cases[i].index);

		assert_int_equal(values[AT].integer, cases[i].ms);
		assert_int_equal(values[ISO].byte_count, 24);
		assert_memory_equal(values[ISO].bytes, cases[i].text, 24);
	}
	close_streams(&fixture);
}

static void a_pick_gives_numbers_of_rows(void **state)
{
	struct fixture fixture;
	uint64_t counts[101] = {0};

	(void)state;
	open_streams(&fixture, parse_small(), "point", 100, 2);
	for (uint64_t i = 0; i < DRAWS; i++) {
		int64_t key = row(&fixture, i)[0].integer;

		assert_true(key >= 1 && key <= 100);
		counts[key]++;
	}
	for (size_t i = 1; i <= 100; i++)
		assert_true(fabs((double)counts[i] - DRAWS / 100.0) <
			    5 * sqrt(DRAWS * 0.01 * 0.99));
	close_streams(&fixture);
}

static struct sc_suite *parse_changed(const char *find, const char *replace)
{
	char *text = changed_suite(find, replace);
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	if (sc_suite_parse(text, "changed", &suite, &error) < 0)
		fail_msg("%s", error.what);
	free(text);
	return suite;
}

static void a_pick_of_each_gives_every_row_once_a_turn(void **state)
{
	static const char *const orders[] = {
		"{\"generator\": \"pick\", \"distribution\": \"each\"}",
		"{\"generator\": \"pick\", \"distribution\": \"each\", \"scattered\": true}"};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(orders); i++) {
		struct fixture fixture;
		uint64_t counts[101] = {0}, neighbours = 0;
		int64_t before = -1;

		open_streams(&fixture, parse_changed("{\"generator\": \"pick\"}", orders[i]),
			     "point", 100, 2);
		for (uint64_t j = 0; j < 300; j++) {
			int64_t key = row(&fixture, j)[0].integer;

			assert_true(key >= 1 && key <= 100);
			assert_int_equal(counts[key]++, j / 100);
			neighbours += key == before + 1;
			before = key;
		}
		if (i == 0)
			assert_int_equal(neighbours, 297);
		else
			assert_true(neighbours < 10);
		close_streams(&fixture);
	}
}

static void values_come_again_after_the_period(void **state)
{
	struct fixture fixture;

	(void)state;
	open_streams(&fixture, parse_small(), "point", 100, 2);
	for (uint64_t i = 0; i < 70; i++) {
		struct sc_value first;

		sc_stream_set_repeat(fixture.set, 0);
		first = row(&fixture, i % 7)[0];
		sc_stream_set_repeat(fixture.set, 7);
		assert_true(same_value(&first, &row(&fixture, i)[0]));
	}
	close_streams(&fixture);
}

static void a_prefix_stands_before_the_digest(void **state)
{
	static const char text[] =
		"row 6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b";
	struct fixture fixture;
	const struct sc_value *value;

	(void)state;
	open_streams(&fixture,
		     parse_changed("{\"generator\": \"sha256\"}",
				   "{\"generator\": \"sha256\", \"prefix\": \"row \"}"),
		     NULL, 100, 6);
	value = &row(&fixture, 0)[D];
	assert_int_equal(value->byte_count, strlen(text));
	assert_memory_equal(value->bytes, text, strlen(text));
	assert_true(sc_stream_set_row_bytes(fixture.set) >= DATASET_COUNT * 16 + strlen(text));
	close_streams(&fixture);
}

static void a_pick_follows_the_rows(void **state)
{
	static const struct {
		const char *generator;
		uint64_t rows;
		int64_t last;
	} cases[] = {
		{"{\"generator\": \"pick\", \"parts\": 16}", 100, 6}, /* of 100/16, rounded down */
		{"{\"generator\": \"pick\", \"parts\": 16}", 16, 1},
		{"{\"generator\": \"pick\", \"run\": 10}", 100, 91}, /* 91 to 100 is the last run */
		{"{\"generator\": \"pick\", \"run\": 10}", 10, 1},
		{"{\"generator\": \"pick\", \"parts\": 2, \"run\": 10}", 100, 41},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct fixture fixture;
		int64_t least = INT64_MAX, most = 0;

		open_streams(&fixture,
			     parse_changed("{\"generator\": \"pick\"}", cases[i].generator),
			     "point", cases[i].rows, 2);
		for (uint64_t j = 0; j < 2000; j++) {
			int64_t key = row(&fixture, j)[0].integer;

			least = key < least ? key : least;
			most = key > most ? key : most;
		}
		assert_int_equal(least, 1);
		assert_int_equal(most, cases[i].last);
		close_streams(&fixture);
	}
}

/* Rows whose digest was picked, by brute force over the dataset. */
static void count_picks(uint64_t counts[100])
{
	struct fixture picks, dataset;
	char digests[100][64];

	open_streams(&dataset, parse_small(), NULL, 100, 2);
	for (uint64_t i = 0; i < 100; i++)
		memcpy(digests[i], row(&dataset, i)[D].bytes, 64);
	open_streams(&picks, parse_small(), "find", 100, 2);
	for (uint64_t i = 0; i < 20000; i++) {
		const struct sc_value *value = row(&picks, i);
		size_t at = 0;

		assert_int_equal(value->byte_count, 64);
		while (at < 100 && memcmp(digests[at], value->bytes, 64) != 0)
			at++;
		assert_true(at < 100);
		counts[at]++;
	}
	close_streams(&picks);
	close_streams(&dataset);
}

static int descending(const void *one, const void *other)
{
	uint64_t a = *(const uint64_t *)one, b = *(const uint64_t *)other;

	return a < b ? 1 : a > b ? -1 : 0;
}

static void a_pick_of_a_parameter_gives_values_that_the_dataset_has(void **state)
{
	uint64_t counts[100] = {0};
	double share;

	(void)state;
	count_picks(counts);
	/* Scattered: not the first rows are the frequent ones, but as many are as Zipf has it. */
	assert_true(counts[0] < counts[1] || counts[1] < counts[2] || counts[2] < counts[3]);
	qsort(counts, 100, sizeof(counts[0]), descending);
	for (uint64_t rank = 1; rank <= 3; rank++) {
		share = zipf_share(rank, 100, 0.9);
		assert_true(fabs((double)counts[rank - 1] - 20000 * share) <
			    5 * sqrt(20000 * share));
	}
}

static void scattered_ranks_are_each_rank_once(void **state)
{
	char *text =
		changed_suite("\"max\": 1000, \"exponent\": 1.1", "\"max\": 12, \"exponent\": 0.1, "
								  "\"scattered\": true");
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};
	struct fixture fixture;
	uint64_t counts[13] = {0};

	(void)state;
	assert_int_equal(sc_suite_parse(text, "x", &suite, &error), 0);
	open_streams(&fixture, suite, NULL, 100, 1);
	for (uint64_t i = 0; i < DRAWS; i++) {
		assert_true(row(&fixture, i)[Z].integer >= 1 && fixture.values[Z].integer <= 12);
		counts[fixture.values[Z].integer]++;
	}
	for (size_t i = 1; i <= 12; i++)
		assert_true(counts[i] > 0);
	qsort(counts + 1, 12, sizeof(counts[0]), descending);
	for (uint64_t rank = 1; rank <= 12; rank++) {
		double share = zipf_share(rank, 12, 0.1);

		assert_true(fabs((double)counts[rank] - DRAWS * share) < 0.03 * DRAWS * share);
	}
	close_streams(&fixture);
	free(text);
}

static void picks_from_nothing_are_refused(void **state)
{
	struct sc_suite *suite = parse_small();
	const struct sc_workload *point = sc_suite_workload(suite, "point");
	struct sc_generation *generation = NULL;
	struct sc_stream_set *set = NULL;
	struct sc_error error = {0};

	(void)state;
	assert_int_equal(sc_generation_new(suite, 0, 1, &generation, &error), 0);
	assert_int_equal(sc_stream_set_new(generation, point->parameters, point->parameter_count,
					   "point", &set, &error),
			 SC_E_FORMAT);
	assert_null(set);
	sc_generation_freep(&generation);
	sc_suite_freep(&suite);
}

static void streams_of_one_name_in_two_scopes_differ(void **state)
{
	struct sc_suite *suite = parse_small();
	struct sc_generation *generation = NULL;
	struct sc_stream_set *one = NULL, *other = NULL;
	struct sc_value values[2][SC_SUITE_PARAMETERS_MAX];
	struct sc_arena arena = {0};
	struct sc_error error = {0};
	size_t differing = 0;

	(void)state;
	assert_int_equal(sc_generation_new(suite, 100, 1, &generation, &error), 0);
	assert_int_equal(sc_stream_set_new(generation, suite->dataset_parameters, DATASET_COUNT,
					   "workload/a", &one, &error),
			 0);
	assert_int_equal(sc_stream_set_new(generation, suite->dataset_parameters, DATASET_COUNT,
					   "workload/b", &other, &error),
			 0);
	for (uint64_t i = 0; i < 100; i++) {
		assert_int_equal(sc_stream_set_row(one, i, &arena, values[0]), 0);
		assert_int_equal(sc_stream_set_row(other, i, &arena, values[1]), 0);
		differing += values[0][A].integer != values[1][A].integer;
	}
	assert_true(differing > 50);
	sc_arena_fini(&arena);
	sc_stream_set_freep(&one);
	sc_stream_set_freep(&other);
	sc_generation_freep(&generation);
	sc_suite_freep(&suite);
}

static void names_are_substituted_and_other_braces_stay(void **state)
{
	struct fixture fixture;
	const struct sc_workload *add;
	static const struct {
		const char *sql, *expanded;
	} cases[] = {
		{"INSERT INTO {part} VALUES(1)", "INSERT INTO \"part_1\" VALUES(1)"},
		{"{part}{part}", "\"part_1\"\"part_1\""},
		{"SELECT '{\"a\": {}}', '{id}', {part", "SELECT '{\"a\": {}}', '{id}', {part"},
		{"", ""},
	};

	(void)state;
	open_streams(&fixture, parse_small(), "add", 100, 1);
	add = sc_suite_workload(fixture.suite, "add");
	(void)row(&fixture, 4); /* 0, 1, 2 in turn */
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		char *sql = sc_sql_expand(cases[i].sql, add->parameters, add->parameter_count,
					  fixture.values);

		assert_non_null(sql);
		assert_string_equal(sql, cases[i].expanded);
		free(sql);
	}
	close_streams(&fixture);
}

static void payload_is_eight_bytes_a_number_and_the_size_of_a_text(void **state)
{
	struct fixture fixture;
	const struct sc_value *values;

	(void)state;
	open_streams(&fixture, parse_small(), NULL, 100, 1);
	values = row(&fixture, 0);
	assert_int_equal(sc_value_payload(&values[ID]), 8);
	assert_int_equal(sc_value_payload(&values[R]), 8);
	assert_int_equal(sc_value_payload(&values[B]), 16);
	assert_int_equal(sc_value_payload(&values[D]), 64);
	close_streams(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("the same seed gives the same values in any order",
		     the_same_seed_gives_the_same_values_in_any_order),
		CASE("another seed gives other random values and the same sequences",
		     another_seed_gives_other_random_values_and_the_same_sequences),
		CASE("streams of one name in two scopes differ",
		     streams_of_one_name_in_two_scopes_differ),
		CASE("sequences step from their start", sequences_step_from_their_start),
		CASE("a sequence after the dataset goes on where its rows end",
		     a_sequence_after_the_dataset_goes_on_where_its_rows_end),
		CASE("every repeats a number", every_repeats_a_number),
		CASE("values stay in their ranges and reach the ends",
		     values_stay_in_their_ranges_and_reach_the_ends),
		CASE("uniform values are equally frequent", uniform_values_are_equally_frequent),
		CASE("Zipf ranks follow the closed form", zipf_ranks_follow_the_closed_form),
		CASE("another exponent does not follow it", another_exponent_does_not_follow_it),
		CASE("the generator zipf gives its minimum most often",
		     the_generator_zipf_gives_its_minimum_most_often),
		CASE("a digest is SHA-256 of the number in decimal",
		     a_digest_is_of_the_number_in_decimal),
		CASE("timestamps advance at their rate", timestamps_advance_at_their_rate),
		CASE("a pick gives numbers of rows", a_pick_gives_numbers_of_rows),
		CASE("a pick follows the rows", a_pick_follows_the_rows),
		CASE("a pick of each gives every row once a turn",
		     a_pick_of_each_gives_every_row_once_a_turn),
		CASE("values come again after the period", values_come_again_after_the_period),
		CASE("a prefix stands before the digest", a_prefix_stands_before_the_digest),
		CASE("a pick of a parameter gives values that the dataset has",
		     a_pick_of_a_parameter_gives_values_that_the_dataset_has),
		CASE("scattered ranks are each rank once", scattered_ranks_are_each_rank_once),
		CASE("picks from nothing are refused", picks_from_nothing_are_refused),
		CASE("names are substituted and other braces stay",
		     names_are_substituted_and_other_braces_stay),
		CASE("payload is eight bytes a number and the size of a text",
		     payload_is_eight_bytes_a_number_and_the_size_of_a_text),
	};

	return cmocka_run_group_tests_name("suite-generate", tests, NULL, NULL);
}
