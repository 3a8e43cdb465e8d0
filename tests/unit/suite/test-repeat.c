/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <stdlib.h>

#include "suite/value.h"

static const struct {
	const char *sql;
	uint32_t rows;
	const char *repeated; /* NULL: there is no VALUES(...) */
} cases[] = {
	{"INSERT INTO t VALUES(:a, :b)", 1, "INSERT INTO t VALUES($a::0, $b::0)"},
	{"INSERT INTO t VALUES(:a, :b)", 2, "INSERT INTO t VALUES($a::0, $b::0),($a::1, $b::1)"},
	{"insert into t(a) values (abs(:a) + (1)) ON CONFLICT DO NOTHING", 2,
	 "insert into t(a) values (abs($a::0) + (1)),(abs($a::1) + (1)) ON CONFLICT DO NOTHING"},
	{"INSERT INTO \"values(\" VALUES(:a, ':b)', '''(')", 2,
	 "INSERT INTO \"values(\" VALUES($a::0, ':b)', '''('),($a::1, ':b)', '''(')"},
	{"INSERT INTO t_values VALUES(:a)", 2, "INSERT INTO t_values VALUES($a::0),($a::1)"},
	{"INSERT INTO t SELECT :a", 2, NULL},
	{"INSERT INTO t_values(a) SELECT 'values(1)'", 2, NULL},
	{"INSERT INTO t DEFAULT VALUES", 2, NULL},
	{"INSERT INTO t VALUES(:a", 2, NULL},
};

static void the_group_behind_values_is_repeated(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *sql = NULL;

		assert_int_equal(sc_sql_repeat(cases[i].sql, cases[i].rows, &sql),
				 cases[i].repeated ? 0 : 1);
		if (cases[i].repeated)
			assert_string_equal(sql, cases[i].repeated);
		else
			assert_null(sql);
		free(sql);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("the group behind VALUES is repeated", the_group_behind_values_is_repeated),
	};

	return cmocka_run_group_tests_name("suite-repeat", tests, NULL, NULL);
}
