/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "suites.h"

#define VARIED(variants) "\"title\": \"A small suite\", \"variants\": {" variants "}"

static struct sc_suite *parse(const char *title)
{
	char *text = changed_suite("\"title\": \"A small suite\"", title);
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	if (sc_suite_parse(text, "x.json", &suite, &error) < 0)
		fail_msg("%s", error.what);
	free(text);
	return suite;
}

static struct sc_suite *vary(const struct sc_suite *base, const char *variant)
{
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	if (sc_suite_vary(base, variant, &suite, &error) < 0)
		fail_msg("%s", error.what);
	return suite;
}

static void a_variant_replaces_what_it_names_and_nothing_else(void **state)
{
	struct sc_suite *base = parse(VARIED("\"ram\": {\"title\": \"In memory\", \"database\": "
					     "\"memory\", \"default\": true, \"setting\": "
					     "{\"page_size\": 1024, \"synchronous\": null}}, "
					     "\"plain\": {}"));
	struct sc_suite *ram = vary(base, "ram"), *plain = vary(base, "plain");
	struct sc_suite *itself = vary(base, NULL);

	(void)state;
	assert_int_equal(base->variant_count, 2);
	assert_true(base->variants[0].in_default_sweep);
	assert_false(base->variants[1].in_default_sweep);
	assert_string_equal(ram->name, "small_ram");
	assert_string_equal(ram->title, "In memory");
	assert_true(ram->in_memory);
	assert_false(base->in_memory);
	assert_int_equal(ram->setting.page_size, 1024);
	assert_int_equal(ram->setting.journal_mode, SC_JOURNAL_WAL);
	assert_int_equal(ram->setting.cache_size, base->setting.cache_size);
	assert_int_equal(ram->workload_count, base->workload_count);
	assert_int_equal(ram->variant_count, 0);
	assert_string_equal(itself->name, "small");
	assert_string_equal(itself->title, "A small suite");
	assert_int_equal(itself->variant_count, 0);
	assert_string_not_equal(plain->digest, itself->digest);
	assert_string_not_equal(plain->digest, ram->digest);
	sc_suite_freep(&ram);
	sc_suite_freep(&plain);
	sc_suite_freep(&itself);
	sc_suite_freep(&base);
}

/* As RFC 7396 has it: null takes away, also where there is nothing and where nothing was. */
static void null_takes_away_what_is_not_there(void **state)
{
	struct sc_suite *base = parse(VARIED("\"b\": {\"connection\": {\"foreign_keys\": null, "
					     "\"busy_timeout_ms\": 5}, \"description\": null}"));
	struct sc_suite *varied = vary(base, "b");

	(void)state;
	assert_false(varied->connection.foreign_keys);
	assert_int_equal(varied->connection.busy_timeout_ms, 5);
	sc_suite_freep(&varied);
	sc_suite_freep(&base);
}

/* The text is what a sample's process gets and what a report keeps. */
static void the_text_of_a_variant_is_a_suite_that_says_the_same(void **state)
{
	struct sc_suite *base = parse(VARIED("\"b\": {\"dataset\": {\"rows\": 7}}"));
	struct sc_suite *varied = vary(base, "b"), *again = NULL;
	struct sc_error error = {0};

	(void)state;
	assert_int_equal(sc_suite_parse(varied->text, "again", &again, &error), 0);
	assert_string_equal(again->digest, varied->digest);
	assert_string_equal(again->name, "small_b");
	assert_int_equal(again->rows, 7);
	assert_int_equal(base->rows, 100);
	sc_suite_freep(&again);
	sc_suite_freep(&varied);
	sc_suite_freep(&base);
}

static void an_unknown_variant_is_told_with_those_that_there_are(void **state)
{
	struct sc_suite *base = parse(VARIED("\"a\": {}, \"b\": {}"));
	struct sc_suite *none = NULL;
	struct sc_error error = {0};

	(void)state;
	assert_int_equal(sc_suite_vary(base, "c", &none, &error), SC_E_USAGE);
	assert_string_equal(error.what, "suite 'small' has no variant 'c'");
	assert_string_equal(error.next, "its variants: base, a, b");
	assert_null(none);
	sc_suite_freep(&base);
}

static void a_sweep_varies_what_the_suite_lists(void **state)
{
	struct sc_suite *suite =
		parse("\"title\": \"A small suite\", \"connection\": {\"foreign_keys\": true, "
		      "\"busy_timeout_ms\": 5000}, \"sweep\": {\"samples\": 7, \"rows\": [10, 20], "
		      "\"clients\": [1, 4], \"wal_state\": [\"fresh\"], \"journal_mode\": "
		      "[\"wal\", \"off\"], \"fullfsync\": [true, false], \"cache_size\": [-64]}");
	const struct sc_suite_sweep *sweep = &suite->sweep;

	(void)state;
	assert_true(suite->connection.foreign_keys);
	assert_int_equal(suite->connection.busy_timeout_ms, 5000);
	assert_int_equal(sweep->samples, 7);
	assert_int_equal(sweep->rows.count, 2);
	assert_int_equal(sweep->rows.items[1], 20);
	assert_int_equal(sweep->clients.items[1], 4);
	assert_int_equal(sweep->wal_states.items[0], SC_WAL_FRESH);
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_suite_values *values = &sweep->fields[i];

		if (strcmp(sc_setting_fields[i].name, "journal_mode") == 0) {
			assert_int_equal(values->count, 2);
			assert_int_equal(values->items[1], SC_JOURNAL_OFF);
		} else if (strcmp(sc_setting_fields[i].name, "fullfsync") == 0) {
			assert_int_equal(values->count, 2);
			assert_int_equal(values->items[0], 1);
		} else if (strcmp(sc_setting_fields[i].name, "cache_size") == 0) {
			assert_int_equal(values->items[0], -64);
		} else {
			assert_int_equal(values->count, 0);
		}
	}
	sc_suite_freep(&suite);
}

static void what_is_wrong_is_told_by_its_path(void **state)
{
	static const struct {
		const char *title, *message;
	} cases[] = {
		{VARIED("\"base\": {}"),
		 "suite 'x.json': variants.base: is what the suite without variants is called"},
		{VARIED("\"b\": {\"name\": \"c\"}"),
		 "suite 'x.json': variants.b: must not change the name, nor have variants"},
		{VARIED("\"b\": 1"),
		 "suite 'x.json': variants.b: must be an object, is an integer"},
		{VARIED("\"b\": {\"default\": 1}"),
		 "suite 'x.json': variants.b.default: must be true or false, is an integer"},
		{VARIED("\"b\": {\"rows\": 1}"),
		 "suite 'small', variant 'b': rows: is not a key that is known here"},
		{VARIED("\"b\": {\"schema\": [\"CREATE TABLE other(id)\"]}"),
		 "suite 'small', variant 'b': dataset.sql: SQLite says: no such table: item"},
		{VARIED("\"b\": {\"dataset\": {\"rows\": 5, \"rows\": 6}}"),
		 "suite 'x.json': variants.b.dataset.rows: is given twice"},
		{VARIED("\"b\": {\"dataset\": {\"rows\": 5}, \"dataset\": {}}"),
		 "suite 'x.json': variants.b.dataset: is given twice"},
		{VARIED("\"b\": {\"workloads\": null}"),
		 "suite 'small', variant 'b': workloads: is missing"},
		{VARIED("\"b\": {\"database\": \"memory\", \"workloads\": [{\"name\": \"w\", "
			"\"unit\": "
			"\"q\", \"writes\": false, \"reopens\": true, \"ledger_ops\": 1, "
			"\"statements\": [\"SELECT 1\"]}]}"),
		 "suite 'small', variant 'b': workloads[0].reopens: is for databases in files: one "
		 "in memory is gone when it is closed"},
		{VARIED("\"b\": {\"workloads\": [{\"name\": \"w\", \"unit\": \"q\", \"writes\": "
			"false, \"reopens\": true, \"ledger_ops\": 1, \"statements\": [\"SELECT * "
			"FROM {p}\"], \"parameters\": {\"p\": {\"generator\": \"name\", "
			"\"prefix\": "
			"\"part_\", \"from\": {\"generator\": \"integer\", \"value\": 1}}}}]}"),
		 "suite 'small', variant 'b': workloads[0].reopens: is for one statement without "
		 "names"},
		{"\"title\": \"t\", \"database\": \"disk\"",
		 "suite 'x.json': database: must be one of file, memory, is \"disk\""},
		{"\"title\": \"t\", \"sweep\": {\"samples\": 5}",
		 "suite 'x.json': sweep.samples: must be an integer from 6 to 1000, is 5"},
		{"\"title\": \"t\", \"sweep\": {\"rows\": []}",
		 "suite 'x.json': sweep.rows: must have at least 1 entry"},
		{"\"title\": \"t\", \"sweep\": {\"rows\": [5, 5]}",
		 "suite 'x.json': sweep.rows[1]: is in the list already"},
		{"\"title\": \"t\", \"sweep\": {\"journal_mode\": [\"wall\"]}",
		 "suite 'x.json': sweep.journal_mode[0]: must be one of delete, truncate, persist, "
		 "memory, wal, off, is \"wall\""},
		{"\"title\": \"t\", \"connection\": {\"foreign_key\": true}",
		 "suite 'x.json': connection.foreign_key: is not a key that is known here"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char *text = changed_suite("\"title\": \"A small suite\"", cases[i].title);
		struct sc_suite *suite = NULL;
		struct sc_error error = {0};

		assert_int_equal(sc_suite_parse(text, "x.json", &suite, &error), SC_E_FORMAT);
		assert_string_equal(error.what, cases[i].message);
		assert_null(suite);
		free(text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("a variant replaces what it names and nothing else",
		     a_variant_replaces_what_it_names_and_nothing_else),
		CASE("null takes away what is not there", null_takes_away_what_is_not_there),
		CASE("the text of a variant is a suite that says the same",
		     the_text_of_a_variant_is_a_suite_that_says_the_same),
		CASE("an unknown variant is told with those that there are",
		     an_unknown_variant_is_told_with_those_that_there_are),
		CASE("a sweep varies what the suite lists", a_sweep_varies_what_the_suite_lists),
		CASE("what is wrong is told by its path", what_is_wrong_is_told_by_its_path),
	};

	return cmocka_run_group_tests_name("suite-variant", tests, NULL, NULL);
}
