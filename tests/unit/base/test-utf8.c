/* SPDX-License-Identifier: MIT */

/* What is text, against the definition: every sequence of one, two and three bytes. */

#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "base/utf8.h"

static size_t encode(uint32_t c, char *text)
{
	if (c < 0x80) {
		text[0] = (char)c;
		return 1;
	}
	if (c < 0x800) {
		text[0] = (char)(0xc0 | c >> 6);
		text[1] = (char)(0x80 | (c & 0x3f));
		return 2;
	}
	if (c < 0x10000) {
		text[0] = (char)(0xe0 | c >> 12);
		text[1] = (char)(0x80 | (c >> 6 & 0x3f));
		text[2] = (char)(0x80 | (c & 0x3f));
		return 3;
	}
	text[0] = (char)(0xf0 | c >> 18);
	text[1] = (char)(0x80 | (c >> 12 & 0x3f));
	text[2] = (char)(0x80 | (c >> 6 & 0x3f));
	text[3] = (char)(0x80 | (c & 0x3f));
	return 4;
}

static void every_character_is_read_back(void **state)
{
	(void)state;
	for (uint32_t c = 0; c <= 0x110000; c++) {
		char text[5] = {0};
		uint32_t back = 0;
		size_t bytes = encode(c, text);
		bool is_character = c <= 0x10ffff && !(c >= 0xd800 && c <= 0xdfff);

		assert_int_equal(sc_utf8_decode(text, &back), is_character ? bytes : 0);
		if (is_character)
			assert_int_equal(back, c);
	}
}

static void nothing_else_is_a_character(void **state)
{
	size_t count = 0;

	(void)state;
	for (uint32_t bytes = 0; bytes < 1u << 24; bytes++) {
		const char text[4] = {(char)(bytes >> 16), (char)(bytes >> 8), (char)bytes, 0};
		uint32_t character;

		/* Each character of three bytes stands here once. */
		count += sc_utf8_decode(text, &character) == 3;
	}
	assert_int_equal(count, 0x10000 - 0x800 - 0x800);
}

static void what_is_no_text_is_replaced_byte_by_byte(void **state)
{
	static const char *const cases[][2] = {
		{"", ""},
		{"plain", "plain"},
		{"\xc2\xb5s", "\xc2\xb5s"},
		{"h\xff", "h\xef\xbf\xbd"},
		{"u\xff\xfe.", "u\xef\xbf\xbd\xef\xbf\xbd."},
		{"cut\xe2\x82", "cut\xef\xbf\xbd\xef\xbf\xbd"},
		{"\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd"},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		SC_CLEANUP(sc_freep) char *repaired = sc_utf8_repair(cases[i][0]);

		assert_non_null(repaired);
		assert_string_equal(repaired, cases[i][1]);
		assert_true(sc_utf8_is_valid(repaired));
		assert_int_equal(sc_utf8_is_valid(cases[i][0]),
				 strcmp(cases[i][0], cases[i][1]) == 0);
	}
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("every character is read back", every_character_is_read_back),
		CASE("nothing else is a character", nothing_else_is_a_character),
		CASE("what is no text is replaced byte by byte",
		     what_is_no_text_is_replaced_byte_by_byte),
	};

	return cmocka_run_group_tests_name("utf8", cases, NULL, NULL);
}
