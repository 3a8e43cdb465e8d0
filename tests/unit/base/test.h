/* SPDX-License-Identifier: MIT */
#pragma once

/* What each unit test includes first: cmocka with the headers it needs, and cases with sentences.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define CASE(sentence, function)                                                                   \
	{                                                                                          \
		.name = (sentence), .test_func = (function)                                        \
	}
#define CASE_IN(sentence, function, setup, teardown)                                               \
	{                                                                                          \
		.name = (sentence), .test_func = (function), .setup_func = (setup),                \
		.teardown_func = (teardown)                                                        \
	}
