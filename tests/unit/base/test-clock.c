/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/attr.h"
#include "base/clock.h"

/* Expected texts are from date(1). */
static void times_are_written_in_utc(void **state)
{
	static const struct {
		uint64_t realtime_ns;
		const char *text, *stamp;
	} cases[] = {
		{0, "1970-01-01T00:00:00.000Z", "19700101T000000Z"},
		{999999999, "1970-01-01T00:00:00.999Z", "19700101T000000Z"},
		{951782400000000000, "2000-02-29T00:00:00.000Z", "20000229T000000Z"},
		{1764541627123456789, "2025-11-30T22:27:07.123Z", "20251130T222707Z"},
		{UINT64_MAX, "2554-07-21T23:34:33.709Z", "25540721T233433Z"},
	};
	static const char *const zones[] = {"UTC", "America/Los_Angeles", "XXX-14"};
	char text[SC_UTC_BYTES];

	(void)state;
	for (size_t zone = 0; zone < SC_ARRAY_COUNT(zones); zone++) {
		assert_int_equal(setenv("TZ", zones[zone], 1), 0);
		tzset();
		for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
			sc_utc_format(cases[i].realtime_ns, text);
			assert_string_equal(text, cases[i].text);
			sc_utc_stamp(cases[i].realtime_ns, text);
			assert_string_equal(text, cases[i].stamp);
		}
	}
}

static void monotonic_time_runs_forward_with_the_systems(void **state)
{
	struct timespec before, after;
	uint64_t last = sc_monotonic_ns();
	uint64_t now;

	(void)state;
	for (int i = 0; i < 1000; i++) {
		now = sc_monotonic_ns();
		assert_true(now >= last);
		last = now;
	}
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &before), 0);
	now = sc_monotonic_ns();
	assert_int_equal(clock_gettime(CLOCK_MONOTONIC, &after), 0);
	assert_true(now >= (uint64_t)before.tv_sec * 1000000000u + (uint64_t)before.tv_nsec);
	assert_true(now <= (uint64_t)after.tv_sec * 1000000000u + (uint64_t)after.tv_nsec);
}

static void real_time_is_the_systems(void **state)
{
	time_t before = time(NULL);
	uint64_t now_s = sc_realtime_ns() / 1000000000u;

	(void)state;
	assert_in_range(now_s, before - 1, before + 60);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("times are written in UTC, whatever the time zone", times_are_written_in_utc),
		CASE("monotonic time runs forward, with the system's",
		     monotonic_time_runs_forward_with_the_systems),
		CASE("real time is the system's", real_time_is_the_systems),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
