/* SPDX-License-Identifier: MIT */

/* The shape of SQL texts. */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "shape.h"

static const struct {
	const char *sql, *shape;
} cases[] = {
	{"SELECT 1", "SELECT ?"},
	{"  SELECT\n\t a ,b  FROM t  ", "SELECT a,b FROM t"},
	{"INSERT INTO t VALUES('it''s', x'00ff', -1.5e-3, .5, 0xff, NULL)",
	 "INSERT INTO t VALUES(?, ?, -?, ?, ?, NULL)"},
	{"SELECT * FROM t WHERE a IN (1,2,3,4,5,6)", "SELECT * FROM t WHERE a IN (?,?,?,…)"},
	{"SELECT * FROM t WHERE a IN (1,2)", "SELECT * FROM t WHERE a IN (?,?)"},
	{"SELECT a1, \"b 'c'\", [d 'e'], `f` FROM t2",
	 "SELECT a1, \"b 'c'\", [d 'e'], `f` FROM t2"},
	{"SELECT ?, ?1, :name, @at, $dollar", "SELECT ?, ?1, :name, @at, $dollar"},
	{"SELECT 1 -- a comment 'with' 2\n+ /* another 3 */ 4", "SELECT ? + ?"},
	{"SELECT 1;", "SELECT ?"},
	{"SELECT 1; ; ", "SELECT ?"},
	{"BEGIN; COMMIT", "BEGIN; COMMIT"},
	{"SELECT 'unterminated", "SELECT ?"},
	{"SELECT \"unterminated", "SELECT \"unterminated"},
	{"SELECT /* unterminated", "SELECT"},
	{"", ""},
	{";", ""},
	{"SELECT x, xyz, x'61'", "SELECT x, xyz, ?"},
	{"SELECT 1e+5, 2E-6, 3e", "SELECT ?, ?, ?"},
};

static void literals_go_and_the_rest_stays(void **state)
{
	char text[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t length = sc_tap_shape(cases[i].sql, text, sizeof(text));

		assert_string_equal(text, cases[i].shape);
		assert_int_equal(length, strlen(text));
	}
}

static void a_full_text_keeps_its_literals(void **state)
{
	char text[200];

	(void)state;
	(void)sc_tap_shape_full("SELECT 'a''b',\n 12, x'ff' -- c\n;", text, sizeof(text));
	assert_string_equal(text, "SELECT 'a''b', 12, x'ff'");
}

static void a_long_text_is_cut_at_a_character(void **state)
{
	char text[24];

	(void)state;
	for (size_t room = 8; room <= sizeof(text); room++) {
		size_t length = sc_tap_shape("SELECT \"éééééééééééééé\"", text, room);

		assert_true(length < room);
		assert_string_equal(text + length - 3, "…");
		assert_int_equal(strlen(text), length);
		/* Each é is whole: their bytes come in pairs. */
		assert_true(length < 12 || (length - 3 - 8) % 2 == 0);
	}
}

static void a_shape_is_its_own_shape(void **state)
{
	char once[200], twice[200];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		(void)sc_tap_shape(cases[i].sql, once, sizeof(once));
		(void)sc_tap_shape(once, twice, sizeof(twice));
		assert_string_equal(once, twice);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		{"literals go and the rest stays", literals_go_and_the_rest_stays, NULL, NULL,
		 NULL},
		{"a full text keeps its literals", a_full_text_keeps_its_literals, NULL, NULL,
		 NULL},
		{"a long text is cut at a character", a_long_text_is_cut_at_a_character, NULL, NULL,
		 NULL},
		{"a shape is its own shape", a_shape_is_its_own_shape, NULL, NULL, NULL},
	};

	return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
