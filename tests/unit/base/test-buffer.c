/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "fault.h"

static void pieces_are_appended_in_order(void **state)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer buffer = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct sc_error error;

	(void)state;
	sc_buffer_add_text(&buffer, "a");
	sc_buffer_printf(&buffer, "%d-%s", 42, "b");
	sc_buffer_add(&buffer, "cde", 2);
	assert_int_equal(buffer.length, 7);
	assert_int_equal(sc_buffer_take(&buffer, &text, &error), 0);
	assert_string_equal(text, "a42-bcd");
	assert_null(buffer.text);
	assert_int_equal(buffer.length, 0);
}

static void it_grows_past_any_first_size(void **state)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer buffer = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct sc_error error;

	(void)state;
	for (int i = 0; i < 20000; i++)
		sc_buffer_printf(&buffer, "%05d", i);
	assert_int_equal(sc_buffer_take(&buffer, &text, &error), 0);
	assert_int_equal(strlen(text), 100000);
	for (int i = 0; i < 20000; i++) {
		char expected[6];

		(void)snprintf(expected, sizeof(expected), "%05d", i);
		assert_memory_equal(text + 5 * (size_t)i, expected, 5);
	}
}

static void one_piece_may_be_larger_than_the_buffer_was(void **state)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer buffer = {0};

	(void)state;
	for (int width = 1; width < 3000; width += 7) {
		size_t before = buffer.length;

		sc_buffer_printf(&buffer, "%*d", width, 5);
		assert_int_equal(buffer.length, before + (size_t)width);
		assert_int_equal(buffer.text[buffer.length - 1], '5');
		assert_int_equal(buffer.text[buffer.length], '\0');
	}
	assert_int_equal(buffer.code, 0);
}

static void an_empty_buffer_gives_an_empty_text(void **state)
{
	struct sc_buffer buffer = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct sc_error error;

	(void)state;
	assert_int_equal(sc_buffer_take(&buffer, &text, &error), 0);
	assert_string_equal(text, "");
}

static void bytes_may_hold_nuls(void **state)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer buffer = {0};

	(void)state;
	sc_buffer_add(&buffer, "a\0b", 3);
	sc_buffer_add(&buffer, NULL, 0);
	assert_int_equal(buffer.length, 3);
	assert_memory_equal(buffer.text, "a\0b", 4);
}

static void what_was_added_can_be_cut_off(void **state)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer buffer = {0};

	(void)state;
	sc_buffer_cut(&buffer, 0);
	sc_buffer_add_text(&buffer, "keep, drop");
	sc_buffer_cut(&buffer, 4);
	assert_string_equal(buffer.text, "keep");
	sc_buffer_add_text(&buffer, "!");
	assert_string_equal(buffer.text, "keep!");
}

static int build(char **ret_text, struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer buffer = {0};

	for (int i = 0; i < 1000; i++)
		sc_buffer_printf(&buffer, "%d,", i);
	sc_buffer_add_text(&buffer, "end");
	return sc_buffer_take(&buffer, ret_text, error);
}

static void a_failed_allocation_is_told_at_the_end(void **state)
{
	unsigned nth;

	(void)state;
	for (nth = 1;; nth++) {
		SC_CLEANUP(sc_freep) char *text = NULL;
		struct sc_error error;
		int r;

		fault_begin(nth, ENOMEM);
		r = build(&text, &error);
		if (!fault_end()) {
			assert_int_equal(r, 0);
			assert_int_equal(strlen(text), 3893);
			break;
		}
		assert_int_equal(r, -ENOMEM);
		assert_int_equal(error.code, -ENOMEM);
		assert_null(text);
	}
	assert_true(nth > 3); /* it did allocate several times */
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("pieces are appended in order", pieces_are_appended_in_order),
		CASE("it grows past any first size", it_grows_past_any_first_size),
		CASE("one piece may be larger than the buffer was",
		     one_piece_may_be_larger_than_the_buffer_was),
		CASE("an empty buffer gives an empty text", an_empty_buffer_gives_an_empty_text),
		CASE("bytes may hold NULs", bytes_may_hold_nuls),
		CASE("what was added can be cut off", what_was_added_can_be_cut_off),
		CASE("a failed allocation is told at the end",
		     a_failed_allocation_is_told_at_the_end),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
