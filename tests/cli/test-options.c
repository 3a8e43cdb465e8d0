/* SPDX-License-Identifier: MIT */
#include "../unit/base/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/files.h"
#include "cli/choices.h"
#include "cli/command.h"
#include "cli/sweep-options.h"

#ifndef MAN_DIRECTORY
#error "the build says where the manual pages are"
#endif

/* --- reading command lines, on a table of each kind */

struct config {
	struct sc_common_config common;
	bool flag;
	struct sc_option_number count, size, power, duration, level;
	struct sc_option_numbers levels, sizes;
	struct sc_option_texts targets;
	const char *text;
};

#define PLACE(member) offsetof(struct config, member)

static const struct sc_option rows[] = {
	SC_OPTION_HELP_ROW,
	{"flag", 'q', SC_OPTION_FLAG, 0, PLACE(flag), NULL, NULL, 0, 0, NULL, "A flag."},
	{"count", 'n', SC_OPTION_COUNT, 0, PLACE(count), "N", "9", -5, 1000, NULL, "A count."},
	{"size", 0, SC_OPTION_SIZE, 0, PLACE(size), "SIZE", NULL, 0, INT64_MAX, NULL, "A size."},
	{"power", 0, SC_OPTION_POWER, 0, PLACE(power), "SIZE", NULL, 512, 65536, NULL, "A power."},
	{"duration", 0, SC_OPTION_DURATION, 0, PLACE(duration), "DURATION", "1s", 1, INT64_MAX,
	 NULL, "A duration."},
	{"level", 0, SC_OPTION_ENUM, 0, PLACE(level), "LEVEL", "full", 0, 0,
	 &sc_choices_synchronous, "A level."},
	{"levels", 0, SC_OPTION_LIST, SC_OPTION_ENUM, PLACE(levels), "LIST", "off,full", 0, 0,
	 &sc_choices_synchronous, "Levels."},
	{"sizes", 0, SC_OPTION_LIST, SC_OPTION_SIZE, PLACE(sizes), "LIST", NULL, 1, INT64_MAX, NULL,
	 "Sizes."},
	{"target", 't', SC_OPTION_TEXTS, 0, PLACE(targets), "DIR", NULL, 0, 0, NULL, "Targets."},
	{"text", 0, SC_OPTION_TEXT, 0, PLACE(text), "TEXT", NULL, 0, 0, NULL, "A text."},
};

static const struct sc_option_table table = {rows, SC_ARRAY_COUNT(rows)};

/* Splits at spaces and parses. Return: as sc_options_parse(); the caller ends @config. */
static int parse(const char *line, struct config *config, size_t *ret_operand_count,
		 struct sc_error *error)
{
	static char words[400];
	const char *operands[32];
	char *argv[32];
	int argc = 0;

	(void)snprintf(words, sizeof(words), "%s", line);
	for (char *word = strtok(words, " "); word; word = strtok(NULL, " "))
		argv[argc++] = strcmp(word, "EMPTY") == 0 ? word + 5 : word;
	*config = (struct config){0};
	return sc_options_parse(&table, argc, argv, config, operands, ret_operand_count, error);
}

static struct config parsed(const char *line, size_t operand_count)
{
	struct config config;
	struct sc_error error = {0};
	size_t count = 99;

	if (parse(line, &config, &count, &error) < 0)
		fail_msg("'%s': %s", line, error.what);
	assert_int_equal(count, operand_count);
	return config;
}

static void each_kind_is_read(void **state)
{
	struct config config = parsed("-q --count 12 --size=64K --power 4K --duration 250ms "
				      "--level 1 --levels normal,3 --sizes 1,2M --text a=b "
				      "-t x --target=y one two",
				      2);

	(void)state;
	assert_true(config.flag);
	assert_int_equal(config.count.value, 12);
	assert_true(config.count.given);
	assert_int_equal(config.size.value, 65536);
	assert_int_equal(config.power.value, 4096);
	assert_int_equal(config.duration.value, 250000000);
	assert_int_equal(config.level.value, SC_SYNCHRONOUS_NORMAL);
	assert_int_equal(config.levels.count, 2);
	assert_int_equal(config.levels.items[0], SC_SYNCHRONOUS_NORMAL);
	assert_int_equal(config.levels.items[1], SC_SYNCHRONOUS_EXTRA);
	assert_int_equal(config.sizes.items[1], 2 << 20);
	assert_int_equal(config.targets.count, 2);
	assert_string_equal(config.targets.items[1], "y");
	assert_string_equal(config.text, "a=b");
	sc_options_fini(&table, &config);
}

static void defaults_stand_where_nothing_is_given(void **state)
{
	struct config config = parsed("", 0);

	(void)state;
	assert_int_equal(config.count.value, 9);
	assert_false(config.count.given);
	assert_int_equal(config.duration.value, 1000000000);
	assert_int_equal(config.level.value, SC_SYNCHRONOUS_FULL);
	assert_int_equal(config.levels.count, 2);
	assert_false(config.levels.given);
	assert_int_equal(config.sizes.count, 0);
	assert_int_equal(config.targets.count, 0);
	assert_null(config.text);
	sc_options_fini(&table, &config);
}

static void short_and_long_forms_are_the_same(void **state)
{
	static const char *const lines[] = {
		"--count 7", "--count=7", "-n 7", "-n7", "-qn7", "--cou 7", "--co=7",
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(lines); i++) {
		struct config config = parsed(lines[i], 0);

		assert_int_equal(config.count.value, 7);
		sc_options_fini(&table, &config);
	}
}

static void the_last_of_two_wins_and_a_list_replaces_its_default(void **state)
{
	struct config config = parsed("--count 1 --levels off --count 2 --levels extra", 0);

	(void)state;
	assert_int_equal(config.count.value, 2);
	assert_int_equal(config.levels.count, 1);
	assert_int_equal(config.levels.items[0], SC_SYNCHRONOUS_EXTRA);
	sc_options_fini(&table, &config);
}

static void a_double_dash_ends_the_options(void **state)
{
	struct config config = parsed("-q -- --count - -x", 3);

	(void)state;
	assert_int_equal(config.count.value, 9);
	sc_options_fini(&table, &config);
}

static void a_value_may_begin_with_a_dash(void **state)
{
	struct config config = parsed("--count -3", 0);

	(void)state;
	assert_int_equal(config.count.value, -3);
	sc_options_fini(&table, &config);
}

/* Of counts they are powers of 1000, of sizes of 1024. */
static void a_count_may_have_a_suffix(void **state)
{
	struct config config = parsed("--count 1K --size 1K", 0);

	(void)state;
	assert_int_equal(config.count.value, 1000);
	assert_int_equal(config.size.value, 1024);
	sc_options_fini(&table, &config);
}

static void an_exact_name_wins_over_a_prefix(void **state)
{
	struct config config = parsed("--level off --levels off --size 1", 0);

	(void)state;
	assert_int_equal(config.level.value, SC_SYNCHRONOUS_OFF);
	sc_options_fini(&table, &config);
}

static void errors_name_the_word_and_the_next_step(void **state)
{
	static const struct {
		const char *line, *what, *next;
	} cases[] = {
		{"--cuont 1", "unknown option '--cuont'", "did you mean '--count'?"},
		{"--nothing-like-it", "unknown option '--nothing-like-it'", "--help"},
		{"--cuont=1", "unknown option '--cuont=1'", "'--count'"},
		{"-x", "unknown option '-x'", "--help"},
		{"--s 1", "option '--s' could be --size or --sizes", ""},
		{"--=1", "unknown option '--=1'", ""},
		{"--count", "--count needs a value: N", ""},
		{"-n", "--count needs a value: N", ""},
		{"--flag=1", "--flag takes no value", ""},
		{"--count x", "--count: 'x' is not a whole number such as 500 or 10K", ""},
		{"--count 1x", "--count: '1x' is not a whole number such as 500 or 10K", ""},
		{"--count 1.5", "--count: '1.5' is not a whole number such as 500 or 10K", ""},
		{"--count EMPTY", "--count: '' is not a whole number such as 500 or 10K", ""},
		{"--count 1Ki", "--count: '1Ki' is not a whole number such as 500 or 10K", ""},
		{"--count 2K", "--count: '2K' is out of range (-5 to 1000)", ""},
		{"--count 1001", "--count: '1001' is out of range (-5 to 1000)", ""},
		{"--count -6", "--count: '-6' is out of range", ""},
		{"--count 99999999999999999999", "is out of range", ""},
		{"--size 4Q", "--size: '4Q' is not a size such as 4096 or 64K", ""},
		{"--size -1", "--size: '-1' is out of range", ""},
		{"--size 9999999999G", "--size: '9999999999G' is out of range", ""},
		{"--power 5000", "--power: '5000' is not a power of two", ""},
		{"--power 256", "--power: '256' is out of range (512 to 65536)", ""},
		{"--power 128K", "--power: '128K' is out of range", ""},
		{"--duration 10", "--duration: '10' is not a duration such as 250ms or 10s", ""},
		{"--duration 0s", "--duration: '0s' is out of range", ""},
		{"--level fulll", "--level: 'fulll' is not one of off, normal, full, extra",
		 "did you mean 'full'?"},
		{"--level 4", "--level: '4' is not one of off, normal, full, extra", ""},
		{"--levels full,,off", "--levels: an item of the list 'full,,off' is empty", ""},
		{"--levels full,", "--levels: an item of the list 'full,' is empty", ""},
		{"--levels EMPTY", "--levels: an item of the list '' is empty", ""},
		{"--levels full,2", "--levels: '2' stands in the list twice", ""},
		{"--levels ful,off", "--levels: 'ful' is not one of", "'full'"},
		{"--sizes 1,x", "--sizes: 'x' is not a size", ""},
		{"--text EMPTY", "--text: the value is empty", ""},
		{"--target EMPTY", "--target: the value is empty", ""},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct sc_error error = {0};
		struct config config;
		size_t count = 99;

		assert_int_equal(parse(cases[i].line, &config, &count, &error), SC_E_USAGE);
		if (!strstr(error.what, cases[i].what) || !strstr(error.next, cases[i].next))
			fail_msg("'%s' says '%s' and '%s'", cases[i].line, error.what, error.next);
		assert_int_equal(count, 99);
		sc_options_fini(&table, &config);
	}
}

/* --- the real tables */

static char *help_of(const struct sc_command *command)
{
	char *text = NULL;
	size_t bytes;
	FILE *out = open_memstream(&text, &bytes);

	sc_command_help(command, out);
	assert_int_equal(fclose(out), 0);
	return text;
}

/* Runs of white space become one space; font changes and escapes of man(7) go away. */
static void plain(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (from[0] == '\\' && from[1] == 'f') {
			from += 2;
		} else if (from[0] == '\\' && from[1] == '-') {
			*to++ = '-';
			from++;
		} else if (strchr(" \n\t", *from)) {
			if (to > text && to[-1] != ' ')
				*to++ = ' ';
		} else {
			*to++ = *from;
		}
	}
	*to = '\0';
}

static char *man_of(const struct sc_command *command)
{
	struct sc_error error = {0};
	char path[512], *text = NULL;

	(void)snprintf(path, sizeof(path), MAN_DIRECTORY "/syncost-%s.1", command->name);
	if (sc_file_read_all(path, 1 << 20, &text, NULL, &error) < 0)
		fail_msg("%s", error.what);
	plain(text);
	return text;
}

/* What must stand in @text for a row, from its forms to its default. Return: what is missing. */
static const char *missing(const char *text, const struct sc_option *row)
{
	static char words[160];
	const char *at, *end;

	(void)snprintf(words, sizeof(words), "%s%c%s--%s%s%s ", row->letter ? "-" : "",
		       row->letter ? row->letter : ' ', row->letter ? ", " : "", row->name,
		       row->operand ? " " : "", row->operand ? row->operand : "");
	at = strstr(text, row->letter ? words : words + 1);
	if (!at)
		return words;
	end = strstr(at, " .TP ");
	at = strstr(at, row->help);
	if (!at || (end && at > end))
		return row->help;
	for (int i = 0; row->choices && row->choices->name(i); i++) {
		(void)snprintf(words, sizeof(words), "%s%s", row->choices->name(i),
			       row->choices->name(i + 1) ? "," : ".");
		at = strstr(at, words);
		if (!at || (end && at > end))
			return words;
	}
	if (!row->fallback)
		return NULL;
	(void)snprintf(words, sizeof(words), "Default: %s.", row->fallback);
	at = strstr(at, words);
	return !at || (end && at > end) ? words : NULL;
}

static void expect_row(const char *where, const char *text, const struct sc_option *row)
{
	const char *what = missing(text, row);

	if (what)
		fail_msg("%s does not say of --%s: %s", where, row->name, what);
}

static size_t count_of(const char *text, const char *word)
{
	size_t count = 0;

	for (const char *at = text; (at = strstr(at, word)); at++)
		count++;
	return count;
}

static void help_and_manual_say_what_the_rows_say(void **state)
{
	const struct sc_command *command;

	(void)state;
	for (size_t i = 0; (command = sc_commands(i)); i++) {
		char *help = help_of(command), *man = man_of(command);

		assert_non_null(strstr(help, command->description));
		plain(help);
		for (size_t j = 0; j < command->options->count; j++) {
			expect_row("--help", help, &command->options->rows[j]);
			expect_row("the manual", man, &command->options->rows[j]);
		}
		/* and the manual has no option that is none: each is one entry */
		*strstr(man, " .SH EXIT STATUS") = '\0';
		if (strstr(man, " .SH FILES"))
			*strstr(man, " .SH FILES") = '\0';
		assert_int_equal(count_of(strstr(man, " .SH OPTIONS"), " .TP "),
				 command->options->count);
		free(help);
		free(man);
	}
}

static void the_check_of_the_manual_sees_what_is_missing(void **state)
{
	static const struct sc_option row = {"count", 'n',  SC_OPTION_COUNT, 0, 0, "N", "9", 0,
					     9,       NULL, "A count."};
	static const char *const texts[] = {
		"-n, --count N A count. Default: 9. .TP -x ",
		"--count N A count. Default: 9. ",
		"-n, --count M A count. Default: 9. ",
		"-n, --count N Another. Default: 9. ",
		"-n, --count N A count. Default: 8. ",
		"-n, --count N .TP A count. Default: 9. ",
		"-n, --count N A count. .TP Default: 9. ",
	};

	(void)state;
	assert_null(missing(texts[0], &row));
	for (size_t i = 1; i < SC_ARRAY_COUNT(texts); i++)
		assert_non_null(missing(texts[i], &row));
}

static void each_command_stands_in_the_main_manual(void **state)
{
	const struct sc_command *command;
	struct sc_error error = {0};
	char *text = NULL;

	(void)state;
	assert_int_equal(sc_file_read_all(MAN_DIRECTORY "/syncost.1", 1 << 20, &text, NULL, &error),
			 0);
	plain(text);
	for (size_t i = 0; (command = sc_commands(i)); i++) {
		char words[200];

		(void)snprintf(words, sizeof(words), ".TP .B %s %s", command->name,
			       command->summary);
		if (!strstr(text, words))
			fail_msg("the manual does not say '%s'", words);
	}
	free(text);
}

static void each_field_of_a_setting_has_an_option_within_its_range(void **state)
{
	static const struct sc_sweep_config config;

	(void)state;
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];
		const struct sc_option_numbers *list = sc_sweep_list(&config, field);
		const struct sc_option *row = NULL;

		for (size_t j = 0; j < sc_sweep_options.count; j++)
			if ((const char *)&config + sc_sweep_options.rows[j].offset ==
			    (const char *)list)
				row = &sc_sweep_options.rows[j];
		if (!row || row->kind != SC_OPTION_LIST)
			fail_msg("%s is no list", field->name);
		if (row->choices) {
			for (int value = 0; row->choices->name(value); value++)
				assert_true(value >= field->min && value <= field->max);
		} else {
			assert_true(row->low >= field->min);
			assert_true(row->high <= field->max);
		}
	}
}

static void rows_have_names_of_their_own(void **state)
{
	const struct sc_command *command;

	(void)state;
	for (size_t i = 0; (command = sc_commands(i)); i++) {
		const struct sc_option_table *options = command->options;

		for (size_t j = 0; j < options->count; j++) {
			for (size_t k = 0; k < j; k++) {
				assert_string_not_equal(options->rows[j].name,
							options->rows[k].name);
				assert_true(options->rows[j].letter == 0 ||
					    options->rows[j].letter != options->rows[k].letter);
			}
			assert_int_equal(options->rows[j].operand == NULL,
					 options->rows[j].kind == SC_OPTION_FLAG);
		}
	}
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("each kind of option is read", each_kind_is_read),
		CASE("defaults stand where nothing is given",
		     defaults_stand_where_nothing_is_given),
		CASE("short, long and shortened forms are the same",
		     short_and_long_forms_are_the_same),
		CASE("the last of two wins, and a list replaces its default",
		     the_last_of_two_wins_and_a_list_replaces_its_default),
		CASE("a double dash ends the options", a_double_dash_ends_the_options),
		CASE("a value may begin with a dash", a_value_may_begin_with_a_dash),
		CASE("a count may have a suffix", a_count_may_have_a_suffix),
		CASE("an exact name wins over a prefix", an_exact_name_wins_over_a_prefix),
		CASE("errors name the word and the next step",
		     errors_name_the_word_and_the_next_step),
		CASE("--help and the manual say what the rows say",
		     help_and_manual_say_what_the_rows_say),
		CASE("the check of the manual sees what is missing",
		     the_check_of_the_manual_sees_what_is_missing),
		CASE("each command stands in the main manual",
		     each_command_stands_in_the_main_manual),
		CASE("each field of a setting has an option within its range",
		     each_field_of_a_setting_has_an_option_within_its_range),
		CASE("rows have names of their own", rows_have_names_of_their_own),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
