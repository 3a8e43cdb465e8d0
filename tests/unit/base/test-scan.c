/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <stdbool.h>

#include "base/scan.h"

static void numbers_are_decimal_and_whole(void **state)
{
	static const struct {
		const char *text;
		bool is_number;
		uint64_t value;
		const char *rest;
	} cases[] = {
		{"0", true, 0, ""},
		{" \t\n42 x", true, 42, " x"},
		{"7:3", true, 7, ":3"},
		{"18446744073709551615", true, UINT64_MAX, ""},
		{"18446744073709551616", false, 0, NULL},
		{"99999999999999999999999", false, 0, NULL},
		{"", false, 0, NULL},
		{"  ", false, 0, NULL},
		{"-1", false, 0, NULL},
		{"+1", false, 0, NULL},
		{"x1", false, 0, NULL},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = cases[i].text;
		uint64_t value = 4711;

		assert_int_equal(sc_scan_u64(&at, &value), cases[i].is_number);
		if (cases[i].is_number) {
			assert_true(value == cases[i].value);
			assert_string_equal(at, cases[i].rest);
		} else {
			assert_int_equal(value, 4711);
			assert_ptr_equal(at, cases[i].text);
		}
	}
}

static void a_word_must_fit(void **state)
{
	const char *text = "  four\tfive", *at = text;
	char word[5];

	(void)state;
	assert_true(sc_scan_word(&at, word, sizeof(word)));
	assert_string_equal(word, "four");
	assert_string_equal(at, "\tfive");
	assert_false(sc_scan_word(&at, word, 4));
	assert_string_equal(at, "\tfive");
	assert_true(sc_scan_word(&at, word, sizeof(word)));
	assert_false(sc_scan_word(&at, word, sizeof(word)));
	assert_string_equal(word, "five");
}

static void skipping_is_all_or_nothing(void **state)
{
	const char *text = "a  b\tc\n", *at = text;

	(void)state;
	assert_false(sc_scan_skip(&at, 4));
	assert_ptr_equal(at, text);
	assert_true(sc_scan_skip(&at, 2));
	assert_string_equal(at, "\tc\n");
	assert_true(sc_scan_skip(&at, 0));
	assert_true(sc_scan_skip(&at, 1));
	assert_false(sc_scan_skip(&at, 1));
	assert_string_equal(at, "\n");
}

static void text_is_matched_to_the_letter(void **state)
{
	const char *text = "pid 1", *at = text;

	(void)state;
	assert_false(sc_scan_text(&at, "pid  "));
	assert_false(sc_scan_text(&at, "pid 12"));
	assert_ptr_equal(at, text);
	assert_true(sc_scan_text(&at, "pid "));
	assert_string_equal(at, "1");
	assert_true(sc_scan_text(&at, ""));
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("numbers are decimal and whole", numbers_are_decimal_and_whole),
		CASE("a word must fit", a_word_must_fit),
		CASE("skipping is all or nothing", skipping_is_all_or_nothing),
		CASE("text is matched to the letter", text_is_matched_to_the_letter),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
