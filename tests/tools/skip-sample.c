/* SPDX-License-Identifier: MIT */
/* A cmocka program with one case of each outcome; test-skip.py reads the TAP that it prints. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "skip.h"

static void pass(void **state)
{
	(void)state;
}

static void skip_with_reason(void **state)
{
	(void)state;
	skip_because("only %d of %d cores", 1, 2);
}

static void skip_bare(void **state)
{
	(void)state;
	skip();
}

static void fail_always(void **state)
{
	(void)state;
	assert_int_equal(1, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"a case that passes", pass, NULL, NULL, NULL},
		{"a case with a reason", skip_with_reason, NULL, NULL, NULL},
		{"a case without", skip_bare, NULL, NULL, NULL},
		{"a case that fails", fail_always, NULL, NULL, NULL},
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
