/* SPDX-License-Identifier: MIT */
#include "suites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char text[] =
	"{\n"
	"  \"name\": \"small\",\n"
	"  \"title\": \"A small suite\",\n"
	"  \"setting\": {\"journal_mode\": \"wal\", \"synchronous\": \"normal\", \"page_size\": "
	"8192,\n"
	"    \"cache_size\": -500, \"wal_autocheckpoint\": 50, \"locking_mode\": \"exclusive\",\n"
	"    \"mmap_size\": 65536, \"fullfsync\": true, \"checkpoint_fullfsync\": true},\n"
	"  \"schema\": [\n"
	"    \"CREATE TABLE item(id INTEGER PRIMARY KEY, a INTEGER, z INTEGER, r REAL, t TEXT,"
	" b BLOB, d TEXT, at INTEGER, iso TEXT)\",\n"
	"    {\"sql\": \"CREATE TABLE {part}(id INTEGER PRIMARY KEY, v INTEGER)\", \"repeat\": 3,\n"
	"     \"parameters\": {\"part\": {\"generator\": \"name\", \"prefix\": \"part_\",\n"
	"       \"from\": {\"generator\": \"sequence\", \"start\": 0}}}}\n"
	"  ],\n"
	"  \"dataset\": {\n"
	"    \"rows\": 100, \"rows_per_transaction\": 40,\n"
	"    \"sql\": \"INSERT INTO item VALUES(:id, :a, :z, :r, :t, :b, :d, :at, :iso)\",\n"
	"    \"parameters\": {\n"
	"      \"id\": {\"generator\": \"sequence\", \"start\": 10, \"step\": 10},\n"
	"      \"a\": {\"generator\": \"uniform\", \"min\": -5, \"max\": 5},\n"
	"      \"z\": {\"generator\": \"zipf\", \"min\": 1, \"max\": 1000, \"exponent\": 1.1},\n"
	"      \"r\": {\"generator\": \"real\", \"min\": -1, \"max\": 1.5},\n"
	"      \"t\": {\"generator\": \"text\", \"min_bytes\": 3, \"max_bytes\": 9},\n"
	"      \"b\": {\"generator\": \"blob\", \"bytes\": 16},\n"
	"      \"d\": {\"generator\": \"sha256\"},\n"
	"      \"at\": {\"generator\": \"timestamp\", \"start\": \"2024-01-31T00:00:00Z\","
	" \"per_second\": 4},\n"
	"      \"iso\": {\"generator\": \"timestamp\", \"start\": \"2024-01-31T00:00:00Z\","
	" \"per_second\": 4, \"unit\": \"text\"}\n"
	"    }\n"
	"  },\n"
	"  \"workloads\": [\n"
	"    {\"name\": \"add\", \"unit\": \"row\", \"writes\": true,\n"
	"     \"statements\": [\"INSERT INTO {part}(id, v) VALUES(:id, :v)\"],\n"
	"     \"parameters\": {\n"
	"       \"part\": {\"generator\": \"name\", \"prefix\": \"part_\",\n"
	"         \"from\": {\"generator\": \"integer\", \"min\": 0, \"max\": 2}},\n"
	"       \"id\": {\"generator\": \"sequence\", \"after_dataset\": true},\n"
	"       \"v\": {\"generator\": \"integer\", \"value\": 7}},\n"
	"     \"rows_per_commit\": {\"default\": 3, \"varies\": true}, \"ledger_ops\": 30,\n"
	"     \"begin\": \"exclusive\",\n"
	"     \"checks\": [\"SELECT :sum_v = 7 * :operations\",\n"
	"       \"SELECT (SELECT count(*) FROM part_0) + (SELECT count(*) FROM part_1) +"
	" (SELECT count(*) FROM part_2) = :operations\"]},\n"
	"    {\"name\": \"find\", \"title\": \"By digest\", \"unit\": \"query\", \"default\": "
	"false,\n"
	"     \"writes\": false, \"prepared\": false,\n"
	"     \"statements\": [\"SELECT id FROM item WHERE d = :d\"],\n"
	"     \"parameters\": {\"d\": {\"generator\": \"pick\", \"of\": \"d\","
	" \"distribution\": \"zipf\", \"exponent\": 0.9, \"scattered\": true}},\n"
	"     \"rows_per_commit\": 1, \"ledger_ops\": 20, \"warmup_ops\": 5,\n"
	"     \"expect\": {\"result_rows_per_operation\": 1},\n"
	"     \"checks\": [\"SELECT :result_rows = :operations AND :result_sum >= 10 * "
	":operations\",\n"
	"       \"SELECT sum(a) = :dataset_sum_a FROM item\"]},\n"
	"    {\"name\": \"point\", \"unit\": \"query\", \"writes\": false,\n"
	"     \"statements\": [\"SELECT id FROM item WHERE rowid = 10 * :n\"],\n"
	"     \"parameters\": {\"n\": {\"generator\": \"pick\"}}, \"ledger_ops\": 10}\n"
	"  ]\n"
	"}\n";

const char *small_suite(void)
{
	return text;
}

char *changed_suite(const char *find, const char *replace)
{
	const char *at = strstr(text, find);
	char *changed = NULL;

	if (!at) {
		(void)fprintf(stderr, "not in the suite: %s\n", find);
		abort();
	}
	if (asprintf(&changed, "%.*s%s%s", (int)(at - text), text, replace, at + strlen(find)) < 0)
		abort();
	return changed;
}

struct sc_suite *parse_small(void)
{
	struct sc_suite *suite = NULL;
	struct sc_error error;

	if (sc_suite_parse(text, "small", &suite, &error) < 0) {
		(void)fprintf(stderr, "%s\n", error.what);
		abort();
	}
	return suite;
}

const struct sc_parameter *parameter_of(const struct sc_suite *suite, const char *workload,
					const char *name)
{
	const struct sc_parameter *parameters = suite->dataset_parameters;
	size_t count = suite->dataset_parameter_count;

	if (workload) {
		parameters = sc_suite_workload(suite, workload)->parameters;
		count = sc_suite_workload(suite, workload)->parameter_count;
	}
	for (size_t i = 0; i < count; i++)
		if (strcmp(parameters[i].name, name) == 0)
			return &parameters[i];
	(void)fprintf(stderr, "no parameter %s\n", name);
	abort();
}
