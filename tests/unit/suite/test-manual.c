/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suite/generator.h"
#include "suite/suite.h"

#define LINES_MAX     2000
#define PATHS_MAX     400
#define EXAMPLE_BYTES 16384

/* The keys and the example of a manual page. */
struct manual {
	char paths[PATHS_MAX][96];
	size_t path_count;
	char example[EXAMPLE_BYTES];
	size_t example_bytes;
};

static void copy_unescaped(char *to, const char *from)
{
	while (*from) {
		if (from[0] == '\\' && from[1])
			from++;
		*to++ = *from++;
	}
	*to = '\0';
}

static void read_manual(FILE *file, struct manual *manual)
{
	char line[512], section[32] = "", heading[64] = "", text[512];
	bool is_item = false, is_example = false;

	while (fgets(line, sizeof(line), file)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, ".SH ", 4) == 0)
			(void)snprintf(section, sizeof(section), "%.31s", line + 4);
		if (strncmp(line, ".SS ", 4) == 0)
			(void)snprintf(heading, sizeof(heading), "%.63s", line + 4);
		if (strncmp(line, ".fi", 3) == 0)
			is_example = false;
		if (is_example) {
			copy_unescaped(text, line);
			manual->example_bytes += (size_t)snprintf(
				manual->example + manual->example_bytes,
				EXAMPLE_BYTES - manual->example_bytes, "%s\n", text);
		}
		if (strncmp(line, ".nf", 3) == 0)
			is_example = strcmp(section, "EXAMPLE") == 0;
		if (is_item && strncmp(line, ".B ", 3) == 0 && strcmp(section, "CHECKS") != 0)
			(void)snprintf(manual->paths[manual->path_count++], 96, "%s%s%.30s",
				       strcmp(heading, "the suite") == 0 ? "" : heading,
				       strcmp(heading, "the suite") == 0 ? "" : ".", line + 3);
		is_item = strcmp(line, ".TP") == 0;
	}
}

static struct manual *open_manual(void)
{
	struct manual *manual = calloc(1, sizeof(*manual));
	FILE *file = fopen(MANUAL, "r");

	assert_non_null(manual);
	assert_non_null(file);
	read_manual(file, manual);
	assert_int_equal(fclose(file), 0);
	return manual;
}

static bool manual_has(const struct manual *manual, const char *path)
{
	for (size_t i = 0; i < manual->path_count; i++)
		if (strcmp(manual->paths[i], path) == 0)
			return true;
	return false;
}

static bool parser_has(const char *path)
{
	char known[96];

	for (size_t i = 0; sc_suite_key_path(i, known, sizeof(known)); i++)
		if (strcmp(known, path) == 0)
			return true;
	return false;
}

static void every_key_of_the_parser_is_in_the_manual(void **state)
{
	struct manual *manual = open_manual();
	char path[96];
	size_t count = 0;

	(void)state;
	for (; sc_suite_key_path(count, path, sizeof(path)); count++)
		if (!manual_has(manual, path))
			fail_msg("%s is not in the manual", path);
	assert_true(count > 50);
	assert_false(manual_has(manual, "workloads[].no_such_key")); /* the control */
	free(manual);
}

static void every_key_of_the_manual_is_one_of_the_parser(void **state)
{
	struct manual *manual = open_manual();

	(void)state;
	for (size_t i = 0; i < manual->path_count; i++)
		if (!parser_has(manual->paths[i]))
			fail_msg("the parser does not know %s", manual->paths[i]);
	assert_false(parser_has("workloads[].no_such_key"));
	free(manual);
}

static void each_figure_of_checks_is_in_the_manual(void **state)
{
	FILE *file = fopen(MANUAL, "r");
	const char *const *figures = sc_suite_check_figures();
	char line[512], wanted[64];
	size_t found = 0, count = 0;

	(void)state;
	assert_non_null(file);
	while (fgets(line, sizeof(line), file)) {
		for (size_t i = 0; figures[i]; i++) {
			(void)snprintf(wanted, sizeof(wanted), ".B :%s\n", figures[i]);
			found += strcmp(line, wanted) == 0;
		}
	}
	assert_int_equal(fclose(file), 0);
	while (figures[count])
		count++;
	assert_int_equal(found, count);
}

static void the_example_is_a_suite(void **state)
{
	struct manual *manual = open_manual();
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};
	int r = sc_suite_parse(manual->example, "example", &suite, &error);

	(void)state;
	if (r < 0)
		fail_msg("%s", error.what);
	assert_string_equal(suite->name, "log");
	assert_int_equal(suite->workload_count, 2);
	sc_suite_freep(&suite);
	free(manual);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("every key of the parser is in the manual",
		     every_key_of_the_parser_is_in_the_manual),
		CASE("every key of the manual is one of the parser",
		     every_key_of_the_manual_is_one_of_the_parser),
		CASE("each figure of checks is in the manual",
		     each_figure_of_checks_is_in_the_manual),
		CASE("the example is a suite", the_example_is_a_suite),
	};

	return cmocka_run_group_tests_name("suite-manual", tests, NULL, NULL);
}
