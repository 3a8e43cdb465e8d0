/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <string.h>

#include "sweep/crowd.h"

static void a_limit_below_what_the_clients_need_is_refused(void **state)
{
	static const struct {
		uint64_t clients;
		struct sc_crowd_limits limits;
		const char *word; /* NULL: it is enough */
	} cases[] = {
		{1000, {RLIM_INFINITY, RLIM_INFINITY}, NULL},
		{1000, {1002, 1032}, NULL},
		{1000, {1001, 1032}, "1002 processes, and the limit is 1001"},
		{1000, {1002, 1031}, "1032 open files, and the limit is 1031"},
		{1, {1, 1}, NULL}, /* no client is made */
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct sc_error error = {0};
		int r = sc_crowd_check(cases[i].clients, &cases[i].limits, &error);

		assert_int_equal(r, cases[i].word ? SC_E_USAGE : 0);
		if (cases[i].word)
			assert_non_null(strstr(error.what, cases[i].word));
	}
}

static void there_is_a_cpu(void **state)
{
	(void)state;
	assert_true(sc_crowd_cpus() >= 1);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("a limit below what the clients need is refused",
		     a_limit_below_what_the_clients_need_is_refused),
		CASE("there is a CPU", there_is_a_cpu),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
