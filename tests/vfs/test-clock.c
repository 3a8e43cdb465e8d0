/* SPDX-License-Identifier: MIT */
/* The meter's clock against CLOCK_MONOTONIC, and when the counter may be one at all. */

#include "scene.h"

#include <time.h>

#include "clock.h"

static void the_kernel_decides_whether_the_counter_is_trusted(void **state)
{
	static const struct {
		const char *flags, *clocksource;
		bool is_trusted;
	} cases[] = {
		{"flags : fpu constant_tsc nonstop_tsc sse", "tsc\n", true},
		{"flags : fpu constant_tsc nonstop_tsc", "tsc", true},
		{"flags : fpu constant_tsc sse", "tsc\n", false},
		{"flags : fpu nonstop_tsc sse", "tsc\n", false},
		{"flags : fpu tsc sse", "tsc\n", false},
		{"flags : constant_tsc nonstop_tsc", "hpet\n", false},
		{"flags : constant_tsc nonstop_tsc", "acpi_pm\n", false},
		{"flags : constant_tsc nonstop_tsc", "hyperv_clocksource_tsc_page\n", false},
		{"flags : constant_tsc nonstop_tsc tsc_known_freq tsc_reliable", "kvm-clock\n",
		 true},
		{"flags : constant_tsc nonstop_tsc tsc_known_freq", "kvm-clock\n", false},
		{"flags : constant_tsc nonstop_tsc tsc_reliable", "kvm-clock\n", false},
		{"flags : constant_tscx nonstop_tsc", "tsc\n", false},
		{"", "", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		if (sc_clock_trusted(cases[i].flags, cases[i].clocksource) != cases[i].is_trusted)
			fail_msg("'%s' with %s", cases[i].flags, cases[i].clocksource);
	}
}

/* Both clocks at one moment: the tightest of several brackets. */
static void read_both(uint64_t *ret_ours, uint64_t *ret_theirs)
{
	uint64_t best = UINT64_MAX;

	for (int i = 0; i < 50; i++) {
		uint64_t before = clock_ns(), ours = sc_clock_real_ns(), after = clock_ns();

		if (after - before < best) {
			best = after - before;
			*ret_ours = ours;
			*ret_theirs = before + best / 2;
		}
	}
}

static void a_second_is_a_second(void **state)
{
	uint64_t ours, theirs, ours_later, theirs_later;
	double ratio;

	(void)state;
	read_both(&ours, &theirs);
	rest_ms(1000);
	read_both(&ours_later, &theirs_later);
	ratio = (double)(ours_later - ours) / (double)(theirs_later - theirs);
	if (ratio < 0.9998 || ratio > 1.0002)
		fail_msg("a second takes %.6f s by the meter's clock", ratio);
}

static void it_begins_where_the_system_clock_is(void **state)
{
	uint64_t ours, theirs;

	(void)state;
	read_both(&ours, &theirs);
	assert_true((ours > theirs ? ours - theirs : theirs - ours) < 10000000);
	assert_int_equal(take()->clock_kind, sc_clock.kind);
}

static void it_never_goes_back_on_one_thread(void **state)
{
	uint64_t last_ns = syncost_now_ns();

	(void)state;
	for (int i = 0; i < 1000000; i++) {
		uint64_t now_ns = syncost_now_ns();

		assert_true(now_ns >= last_ns);
		last_ns = now_ns;
	}
}

static void virtual_time_is_added(void **state)
{
	static _Atomic uint64_t virtual_ns;
	uint64_t before_ns = sc_clock_ns();

	(void)state;
	atomic_store(&virtual_ns, 5000000000000ull);
	sc_clock_set_virtual(&virtual_ns);
	assert_true(sc_clock_ns() >= before_ns + 5000000000000ull);
	assert_true(sc_clock_real_ns() < before_ns + 5000000000000ull);
	sc_clock_set_virtual(NULL);
	assert_true(sc_clock_ns() < before_ns + 5000000000000ull);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE_BARE("the kernel decides whether the counter is trusted",
			  the_kernel_decides_whether_the_counter_is_trusted),
		CASE("a second is a second", a_second_is_a_second),
		CASE("it begins where the system's clock is", it_begins_where_the_system_clock_is),
		CASE("it never goes back on one thread", it_never_goes_back_on_one_thread),
		CASE("virtual time is added", virtual_time_is_added),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
