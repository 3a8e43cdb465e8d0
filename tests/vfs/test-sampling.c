/* SPDX-License-Identifier: MIT */
/* When thread CPU is read: often enough, seldom enough, and in step with nothing. */

#include "scene.h"

#include <math.h>
#include <stdlib.h>

#include "ledger.h"
#include "sample.h"

static struct sc_thread *thread;
static struct sc_sampler *sampler;

static void begin(void)
{
	thread = sc_thread_get();
	assert_non_null(thread);
	assert_true(sc_cpu_cost_ns() > 0);
	sampler = &thread->samplers[SC_PART_WRITE];
	*sampler = (struct sc_sampler){0};
}

/* One call of @ns; the weight of its reading, 0 if it was not read. */
static uint32_t call(uint64_t ns)
{
	uint32_t weight = 0;

	if (sc_sampler_is_due(sampler))
		weight = sc_sampler_next(thread, sampler, SC_PART_WRITE, ns);
	sc_sampler_add(thread, SC_PART_WRITE, ns);
	return weight;
}

struct count {
	uint64_t readings, weights;
};

static struct count calls(unsigned n, uint64_t ns)
{
	struct count count = {0, 0};

	for (unsigned i = 0; i < n; i++) {
		uint32_t weight = call(ns);

		count.readings += weight > 0;
		count.weights += weight;
	}
	return count;
}

static void readings_cost_one_percent(void **state)
{
	(void)state;
	begin();
	for (uint64_t stride = 2; stride <= 512; stride *= 4) {
		uint64_t ns = sc_cpu_cost_ns() * 100 / stride;
		struct count count;

		calls(5000, ns); /* the stride settles */
		count = calls(400000, ns);
		assert_near((double)count.readings, 400000.0 / (double)stride, 15, "readings");
		assert_near((double)count.weights, 400000.0, 15, "calls they stand for");
	}
}

static void the_cheapest_calls_are_read_at_least_sometimes(void **state)
{
	(void)state;
	begin();
	assert_near((double)calls(1000000, 1).readings, 1000000.0 / SC_STRIDE_MAX, 15, "readings");
}

static void long_calls_are_read_one_and_all(void **state)
{
	(void)state;
	begin();
	assert_int_equal(calls(100, sc_cpu_cost_ns() * 101).readings, 100);
}

static void no_pattern_of_calls_is_preferred(void **state)
{
	const uint64_t ns = sc_cpu_cost_ns(); /* a stride of about a hundred */
	const unsigned period = 4;
	uint64_t hits[4] = {0};

	(void)state;
	begin();
	for (unsigned i = 0; i < 2000000; i++)
		hits[i % period] += call(i % period == 0 ? 3 * ns : ns / 3) > 0;
	for (unsigned i = 1; i < period; i++)
		assert_near((double)hits[i], (double)hits[0], 10, "readings of one place");
}

static void a_reading_counts_for_those_passed_over(void **state)
{
	uint64_t slow = 0, all = 0;

	(void)state;
	begin();
	/* One call in ten takes a hundred times as long: weighted readings find the share. */
	for (unsigned i = 0; i < 3000000; i++) {
		uint64_t ns = rand() % 10 == 0 ? 2000 : 20;
		uint32_t weight = call(ns);

		all += weight * ns;
		slow += ns > 20 ? weight * ns : 0;
	}
	assert_near((double)slow / (double)all * 1000, 200000.0 / 218.0, 3, "share of slow calls");
}

static void slow_calls_after_cheap_ones_are_soon_read(void **state)
{
	(void)state;
	begin();
	for (int round = 0; round < 200; round++) {
		uint64_t ns = sc_cpu_cost_ns() * 50;
		unsigned passed = 0;

		calls(3000, 10); /* strides of a thousand */
		while (call(ns) == 0)
			passed++;
		/* Patience is four times the time between two readings, and then a gap of two. */
		assert_true(passed <= 12);
	}
}

static void without_readings_there_are_none(void **state)
{
	(void)state;
	thread = sc_thread_get();
	sampler = &thread->samplers[SC_PART_WRITE];
	*sampler = (struct sc_sampler){0};
	assert_true(sc_sampler_is_due(sampler));
	sc_sampler_stop(sampler);
	for (int i = 0; i < 1000000; i++) {
		assert_false(sc_sampler_is_due(sampler));
		sc_sampler_add(thread, SC_PART_WRITE, 1000000000);
	}
	assert_false(sc_cpu_is_long(UINT64_MAX - 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE_CPU("readings cost one percent", readings_cost_one_percent),
		CASE_CPU("the cheapest calls are read at least sometimes",
			 the_cheapest_calls_are_read_at_least_sometimes),
		CASE_CPU("long calls are read, one and all", long_calls_are_read_one_and_all),
		CASE_CPU("no pattern of calls is preferred", no_pattern_of_calls_is_preferred),
		CASE_CPU("a reading counts for those passed over",
			 a_reading_counts_for_those_passed_over),
		CASE_CPU("slow calls after cheap ones are soon read",
			 slow_calls_after_cheap_ones_are_soon_read),
		CASE("without readings there are none", without_readings_there_are_none),
	};

	return cmocka_run_group_tests_name("sampling", tests, NULL, NULL);
}
