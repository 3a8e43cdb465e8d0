/* SPDX-License-Identifier: MIT */
/* The buckets of the meter against a brute-force reference. */

#include "scene.h"

#include <stdlib.h>
#include <string.h>

#include "ledger.h"

/* The definition, told by searching: the last bucket whose lower edge is not above the value. */
static uint32_t reference(uint64_t value)
{
	uint32_t index = 0;

	while (index + 1 < SC_HIST_BUCKETS && sc_hist_low(index + 1) <= value)
		index++;
	return index;
}

static void edges_ascend_from_zero(void **state)
{
	(void)state;
	assert_int_equal(sc_hist_low(0), 0);
	for (uint32_t i = 1; i <= SC_HIST_BUCKETS; i++)
		assert_true(sc_hist_low(i) > sc_hist_low(i - 1));
	assert_int_equal(sc_hist_low(SC_HIST_BUCKETS), 1ull << SC_HIST_MAX_BITS);
}

static void every_edge_is_in_its_bucket(void **state)
{
	(void)state;
	for (uint32_t i = 0; i < SC_HIST_BUCKETS; i++) {
		assert_int_equal(sc_hist_bucket(sc_hist_low(i)), i);
		assert_int_equal(sc_hist_bucket(sc_hist_low(i + 1) - 1), i);
	}
}

static void values_land_where_the_reference_says(void **state)
{
	uint64_t value = 88172645463325252ull;

	(void)state;
	for (int i = 0; i < 20000; i++) {
		value ^= value << 13;
		value ^= value >> 7;
		value ^= value << 17;
		assert_int_equal(sc_hist_bucket(value >> (i % 64)), reference(value >> (i % 64)));
	}
}

static void a_bucket_is_at_most_a_32nd_of_its_edge_wide(void **state)
{
	(void)state;
	for (uint32_t i = 1u << SC_HIST_SUB_BITS; i < SC_HIST_BUCKETS; i++)
		assert_true((sc_hist_low(i + 1) - sc_hist_low(i)) * 32 <= sc_hist_low(i));
}

static void beyond_the_end_is_the_last_bucket(void **state)
{
	(void)state;
	assert_int_equal(sc_hist_bucket(1ull << SC_HIST_MAX_BITS), SC_HIST_BUCKETS - 1);
	assert_int_equal(sc_hist_bucket(UINT64_MAX), SC_HIST_BUCKETS - 1);
}

static void a_series_adds_up_to_what_was_noted(void **state)
{
	uint32_t *expected = calloc(SC_HIST_BUCKETS, sizeof(expected[0]));
	struct sc_thread *thread = sc_thread_get();
	uint32_t slot = sc_ledger_database("/x/a.db");
	uint64_t sum = 0, highest = 0, random = 1;
	const struct syncost_row *row;
	struct sc_series *series;

	(void)state;
	assert_non_null(thread);
	series = sc_ledger_series(thread, SC_INSTRUMENT_VFS, slot, SC_ROLE_WAL, SC_OP_SYNC);
	assert_non_null(series);
	for (int i = 0; i < 5000; i++) {
		uint64_t ns = (random = random * 6364136223846793005ull + 1442695040888963407ull) >>
			      (24 + i % 40);

		sc_ledger_note(series, true, ns, 10, i % 100 == 0, i % 2 == 0);
		expected[reference(ns)]++;
		sum += ns;
		highest = ns > highest ? ns : highest;
	}
	sc_ledger_note(series, false, 0, 7, false, false);

	row = row_of(take(), slot, SC_ROLE_WAL, SC_OP_SYNC);
	assert_int_equal(row->calls, 5001);
	assert_int_equal(row->timed, 5000);
	assert_int_equal(row->failures, 50);
	assert_int_equal(row->bytes, 50007);
	assert_int_equal(row->ns, sum);
	assert_int_equal(row->ns_max, highest);
	assert_int_equal(row->checkpoint_calls, 2500);
	assert_int_equal(row->checkpoint_bytes, 25000);
	assert_memory_equal(row->buckets, expected, SC_HIST_BUCKETS * sizeof(expected[0]));
	free(expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE_BARE("edges ascend from zero", edges_ascend_from_zero),
		CASE_BARE("every edge is in its bucket", every_edge_is_in_its_bucket),
		CASE_BARE("values land where the reference says",
			  values_land_where_the_reference_says),
		CASE_BARE("a bucket is at most a 32nd of its edge wide",
			  a_bucket_is_at_most_a_32nd_of_its_edge_wide),
		CASE_BARE("beyond the end is the last bucket", beyond_the_end_is_the_last_bucket),
		CASE("a series adds up to what was noted", a_series_adds_up_to_what_was_noted),
	};

	return cmocka_run_group_tests_name("histogram", tests, NULL, NULL);
}
