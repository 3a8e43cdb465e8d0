/* SPDX-License-Identifier: MIT */

/* Human units: three digits, and the unit that what is printed belongs to. */

#include "../base/test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/attr.h"
#include "model/format.h"

struct format_case {
	double value;
	const char *text;
};

static void check(const struct format_case *cases, size_t count,
		  const char *(*format)(double value, char *text, size_t text_bytes))
{
	char text[SC_FORMAT_BYTES];

	for (size_t i = 0; i < count; i++)
		assert_string_equal(format(cases[i].value, text, sizeof(text)), cases[i].text);
}

#define CHECK(cases, format) check(cases, sizeof(cases) / sizeof(*(cases)), format)

static void times_have_three_digits_and_the_unit_they_round_to(void **state)
{
	static const struct format_case cases[] = {
		{0, "0 ns"},          {1, "1 ns"},         {850, "850 ns"},
		{999, "999 ns"},      {1000, "1.00 µs"},   {12340, "12.3 µs"},
		{999499, "999 µs"},   {999600, "1.00 ms"}, {1.234e6, "1.23 ms"},
		{9.996e6, "10.0 ms"}, {99.96e6, "100 ms"}, {2e9, "2.00 s"},
		{3600e9, "3600 s"},
	};

	(void)state;
	CHECK(cases, sc_format_ns);
}

static void sizes_count_in_1024(void **state)
{
	static const struct format_case cases[] = {
		{0, "0 B"},           {512, "512 B"},
		{1023, "1023 B"},     {1024, "1.0 KiB"},
		{4096, "4.0 KiB"},    {65536, "64.0 KiB"},
		{1048576, "1.0 MiB"}, {5.5 * (1 << 30), "5.5 GiB"},
	};

	(void)state;
	CHECK(cases, sc_format_size);
}

static void rates_count_in_thousands(void **state)
{
	static const struct format_case cases[] = {
		{0.5, "0.50"},   {845, "845"},     {845.4, "845"},     {11234, "11.2k"},
		{3449, "3.45k"}, {999.7, "1.00k"}, {1.234e6, "1.23M"}, {5e9, "5.00G"},
	};

	(void)state;
	CHECK(cases, sc_format_rate);
}

static void whole_counts_have_no_decimals(void **state)
{
	static const struct format_case cases[] = {
		{0, "0"}, {4, "4"}, {3.08, "3.08"}, {11.2, "11.2"}, {1000, "1.00k"},
	};

	(void)state;
	CHECK(cases, sc_format_count);
}

static void shares_are_percentages(void **state)
{
	static const struct format_case cases[] = {
		{0, "0 %"},      {0.004, "0.4 %"}, {0.0999, "10 %"},
		{0.874, "87 %"}, {1, "100 %"},     {-0.004, "-0.4 %"},
	};

	(void)state;
	CHECK(cases, sc_format_percent);
}

static void numbers_are_short_and_read_back(void **state)
{
	static const double values[] = {0,     1,    0.1,  1.0 / 3,       4096,
					1e300, -2.5, 1e-9, 123456789.123, 9007199254740993.0};
	char text[SC_FORMAT_BYTES];

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(values); i++)
		assert_true(strtod(sc_format_number(values[i], text, sizeof(text)), NULL) ==
			    values[i]);
	assert_string_equal(sc_format_number(0.1, text, sizeof(text)), "0.1");
	assert_string_equal(sc_format_number(4096, text, sizeof(text)), "4096");
}

/* Values of a report that no sweep wrote: every formatter has an end of its units. */
static void what_is_no_figure_is_unknown(void **state)
{
	static const double bad[] = {INFINITY, -INFINITY, NAN};
	static const double huge[] = {1.7976931348623157e308, -1e300, 5e-324};
	const char *(*const formats[])(double value, char *text, size_t text_bytes) = {
		sc_format_ns, sc_format_size, sc_format_rate, sc_format_count, sc_format_percent,
	};
	char text[SC_FORMAT_BYTES];

	(void)state;
	for (size_t f = 0; f < SC_ARRAY_COUNT(formats); f++) {
		for (size_t i = 0; i < SC_ARRAY_COUNT(bad); i++)
			assert_string_equal(formats[f](bad[i], text, sizeof(text)), "unknown");
		for (size_t i = 0; i < SC_ARRAY_COUNT(huge); i++) {
			(void)formats[f](huge[i], text, sizeof(text));
			assert_true(strlen(text) < sizeof(text) - 1); /* not cut */
			assert_null(strstr(text, "inf"));
			assert_null(strstr(text, "nan"));
		}
	}
	for (size_t i = 0; i < SC_ARRAY_COUNT(bad); i++)
		assert_string_equal(sc_format_number(bad[i], text, sizeof(text)), "");
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("times have three digits and the unit they round to",
		     times_have_three_digits_and_the_unit_they_round_to),
		CASE("sizes count in 1024", sizes_count_in_1024),
		CASE("rates count in thousands", rates_count_in_thousands),
		CASE("whole counts have no decimals", whole_counts_have_no_decimals),
		CASE("shares are percentages", shares_are_percentages),
		CASE("numbers are short and read back", numbers_are_short_and_read_back),
		CASE("what is no figure is unknown", what_is_no_figure_is_unknown),
	};

	return cmocka_run_group_tests_name("format", cases, NULL, NULL);
}
