/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/scratch.h"
#include "suite/generator.h"
#include "suites.h"

/* What is wrong, where it is put, and what is said of it after "suite 'x.json': ". */
struct bad_case {
	const char *find, *replace, *message;
};

#define DATASET_A "{\"generator\": \"uniform\", \"min\": -5, \"max\": 5}"
#define DATASET_Z "{\"generator\": \"zipf\", \"min\": 1, \"max\": 1000, \"exponent\": 1.1}"
#define SEQUENCE  "{\"generator\": \"sequence\", \"start\": 10, \"step\": 10}"
#define BLOB      "{\"generator\": \"blob\", \"bytes\": 16}"
#define CONSTANT  "{\"generator\": \"integer\", \"value\": 7}"
#define PICK                                                                                       \
	"{\"generator\": \"pick\", \"of\": \"d\", \"distribution\": \"zipf\", \"exponent\": 0.9, " \
	"\"scattered\": true}"
#define START  "\"start\": \"2024-01-31T00:00:00Z\", \"per_second\": 4}"
#define COMMIT "{\"default\": 3, \"varies\": true}"

/* clang-format off */
static const struct bad_case bad_types[] = {
	{"\"name\": \"small\"", "\"name\": 1", "name: must be a string, is an integer"},
	{"\"name\": \"small\"", "\"name\": \"9lives\"", "name: must be at most 63 letters, digits and _, no digit first"},
	{"\"name\": \"small\"", "\"name\": \"a b\"", "name: must be at most 63 letters, digits and _, no digit first"},
	{"\"title\": \"A small suite\"", "\"title\": \"\"", "title: must not be empty"},
	{"\"title\": \"A small suite\"", "\"title\": null", "title: must be a string, is null"},
	{"\"title\": \"A small suite\",", "", "title: is missing"},
	{"\"title\"", "\"titel\"", "titel: is not a key that is known here"},
	{"\"title\": \"A", "\"name\": \"other\", \"title\": \"A", "name: is given twice"},
	{"\"page_size\": 8192", "\"page_size\": 1000", "setting.page_size: must be a power of two from 512 to 65536"},
	{"\"page_size\": 8192", "\"page_size\": 131072", "setting.page_size: must be a power of two from 512 to 65536"},
	{"\"journal_mode\": \"wal\"", "\"journal_mode\": \"wall\"", "setting.journal_mode: must be one of delete, truncate, persist, memory, wal, off, is \"wall\""},
	{"\"journal_mode\": \"wal\"", "\"journal_mode\": true", "setting.journal_mode: must be a string, is true"},
	{"\"synchronous\": \"normal\"", "\"synchronous\": \"high\"", "setting.synchronous: must be one of off, normal, full, extra, is \"high\""},
	{"\"locking_mode\": \"exclusive\"", "\"locking_mode\": \"x\"", "setting.locking_mode: must be one of normal, exclusive, is \"x\""},
	{"\"cache_size\": -500", "\"cache_size\": \"2M\"", "setting.cache_size: must be an integer, is a string"},
	{"\"cache_size\": -500", "\"cache_size\": 2.5", "setting.cache_size: must be an integer, is a number"},
	{"\"wal_autocheckpoint\": 50", "\"wal_autocheckpoint\": -1", "setting.wal_autocheckpoint: must be an integer from 0 to 2147483647, is -1"},
	{"\"mmap_size\": 65536", "\"mmap_size\": []", "setting.mmap_size: must be an integer, is an array"},
	{"\"fullfsync\": true", "\"fullfsync\": 1", "setting.fullfsync: must be true or false, is an integer"},
	{"\"checkpoint_fullfsync\": true", "\"checkpoint_fullfsync\": \"yes\"", "setting.checkpoint_fullfsync: must be true or false, is a string"},
	{"\"fullfsync\": true", "\"full_fsync\": true", "setting.full_fsync: is not a key that is known here"},
	{"\"repeat\": 3", "\"repeat\": 0", "schema[1].repeat: must be an integer from 1 to 10000, is 0"},
	{"\"repeat\": 3", "\"repaet\": 3", "schema[1].repaet: is not a key that is known here"},
	{"\"sql\": \"CREATE TABLE {part}", "\"sgl\": \"CREATE TABLE {part}", "schema[1].sgl: is not a key that is known here"},
	{"\"CREATE TABLE item", "7, \"CREATE TABLE item", "schema[0]: must be a string or an object, is an integer"},
	{"\"schema\": [", "\"schema\": {}, \"x\": [", "x: is not a key that is known here"},
	{"\"rows\": 100", "\"rows\": 1000000001", "dataset.rows: must be an integer from 0 to 1000000000, is 1000000001"},
	{"\"rows_per_transaction\": 40", "\"rows_per_transaction\": 0", "dataset.rows_per_transaction: must be an integer from 1 to 1000000000, is 0"},
	{"\"rows\": 100, ", "", "dataset.rows: is missing"},
	{"\"id\": " SEQUENCE, "\"i d\": " SEQUENCE, "dataset.parameters.i d: must be at most 63 letters, digits and _, no digit first"},
	{"\"id\": " SEQUENCE, "\"id\": 3", "dataset.parameters.id: must be an object, is an integer"},
	{"\"id\": " SEQUENCE, "\"id\": {}", "dataset.parameters.id.generator: is missing"},
	{"\"id\": " SEQUENCE, "\"id\": {\"generator\": 1}", "dataset.parameters.id.generator: must be a string, is an integer"},
	{"\"id\": " SEQUENCE, "\"id\": {\"generator\": \"seq\"}", "dataset.parameters.id.generator: must be one of sequence, uniform, zipf, integer, real, text, blob, sha256, timestamp, pick, name"},
	{"\"id\": " SEQUENCE, "\"id\": " SEQUENCE ", \"id\": " SEQUENCE, "dataset.parameters.id: is given twice"},
	{"\"a\": " DATASET_A, "\"a\": {\"generator\": \"uniform\", \"min\": \"1\", \"max\": 5}", "dataset.parameters.a.min: must be an integer, is a string"},
	{"\"a\": " DATASET_A, "\"a\": {\"generator\": \"uniform\", \"max\": 5}", "dataset.parameters.a.min: is missing"},
	{"\"a\": " DATASET_A, "\"a\": {\"generator\": \"uniform\", \"min\": 6, \"max\": 5}", "dataset.parameters.a.max: must not be below its minimum"},
	{"\"a\": " DATASET_A, "\"a\": {\"generator\": \"uniform\", \"min\": 1, \"max\": 5, \"step\": 1}", "dataset.parameters.a.step: is not a key that is known here"},
	{"\"a\": " DATASET_A, "\"a\": {\"generator\": \"uniform\", \"min\": 1e300, \"max\": 5}", "dataset.parameters.a.min: must be an integer, is a number"},
	{"\"z\": " DATASET_Z, "\"z\": {\"generator\": \"zipf\", \"min\": 1, \"max\": 5, \"exponent\": 0}", "dataset.parameters.z.exponent: must be above 0"},
	{"\"z\": " DATASET_Z, "\"z\": {\"generator\": \"zipf\", \"min\": 1, \"max\": 5, \"exponent\": 11}", "dataset.parameters.z.exponent: must be a number from 0 to 10, is 11"},
	{"\"z\": " DATASET_Z, "\"z\": {\"generator\": \"zipf\", \"min\": 1, \"max\": 0, \"exponent\": 1}", "dataset.parameters.z.max: must not be below its minimum"},
	{"\"r\": {\"generator\": \"real\", \"min\": -1,", "\"r\": {\"generator\": \"real\", \"min\": 2,", "dataset.parameters.r.max: must not be below its minimum"},
	{"\"r\": {\"generator\": \"real\", \"min\": -1,", "\"r\": {\"generator\": \"real\", \"min\": false,", "dataset.parameters.r.min: must be a number, is false"},
	{"\"min_bytes\": 3, ", "", "dataset.parameters.t: must have bytes, or min_bytes and max_bytes"},
	{"\"min_bytes\": 3, ", "\"min_bytes\": 3, \"bytes\": 3, ", "dataset.parameters.t: must have bytes, or min_bytes and max_bytes"},
	{"\"max_bytes\": 9", "\"max_bytes\": 2", "dataset.parameters.t.max_bytes: must not be below its minimum"},
	{"\"b\": " BLOB, "\"b\": {\"generator\": \"blob\", \"bytes\": 67108865}", "dataset.parameters.b.bytes: must be an integer from 0 to 67108864, is 67108865"},
	{"\"at\": {\"generator\": \"timestamp\", " START, "\"at\": {\"generator\": \"timestamp\", \"start\": \"yesterday\", \"per_second\": 4}", "dataset.parameters.at.start: must be a time of 1970 to 2199 in UTC like 2024-01-31T00:00:00Z"},
	{"\"at\": {\"generator\": \"timestamp\", " START, "\"at\": {\"generator\": \"timestamp\", \"start\": \"2024-01-31T00:00:00Z\", \"per_second\": 0}", "dataset.parameters.at.per_second: must be above 0"},
	{"\"unit\": \"text\"", "\"unit\": \"min\"", "dataset.parameters.iso.unit: must be one of s, ms, us, ns, text, is \"min\""},
	{"\"v\": " CONSTANT, "\"v\": {\"generator\": \"integer\"}", "workloads[0].parameters.v: must have value, or min and max"},
	{"\"v\": " CONSTANT, "\"v\": {\"generator\": \"integer\", \"value\": 1, \"max\": 2}", "workloads[0].parameters.v: must have value, or min and max"},
	{"\"v\": " CONSTANT, "\"v\": {\"generator\": \"integer\", \"min\": 3, \"max\": 2}", "workloads[0].parameters.v.max: must not be below its minimum"},
	{"\"after_dataset\": true", "\"after_dataset\": 1", "workloads[0].parameters.id.after_dataset: must be true or false, is an integer"},
	{"\"after_dataset\": true", "\"every\": 0", "workloads[0].parameters.id.every: must be an integer from 1 to 9007199254740992, is 0"},
	{"\"from\": {\"generator\": \"integer\", \"min\": 0, \"max\": 2}", "\"from\": {\"generator\": \"text\", \"bytes\": 2}", "workloads[0].parameters.part.from: must be a generator of integers"},
	{"\"from\": {\"generator\": \"integer\", \"min\": 0, \"max\": 2}", "\"from\": {\"generator\": \"integer\", \"min\": 0}", "workloads[0].parameters.part.from: must have value, or min and max"},
	{PICK, "{\"generator\": \"pick\", \"of\": \"x\"}", "workloads[1].parameters.d.of: must be a parameter of the dataset, is \"x\""},
	{PICK, "{\"generator\": \"pick\", \"distribution\": \"zipf\"}", "workloads[1].parameters.d: must have an exponent for the zipf distribution"},
	{PICK, "{\"generator\": \"pick\", \"exponent\": 1}", "workloads[1].parameters.d: exponent is for the zipf distribution"},
	{PICK, "{\"generator\": \"pick\", \"scattered\": true}", "workloads[1].parameters.d: scattered is for the distributions zipf and each"},
	{PICK, "{\"generator\": \"pick\", \"distribution\": \"normal\"}", "workloads[1].parameters.d.distribution: must be one of uniform, zipf, each, is \"normal\""},
	{"\"a\": " DATASET_A, "\"a\": {\"generator\": \"pick\"}", "dataset.parameters.a: picks from the dataset, which only workloads can"},
	{"\"rows\": 100", "\"rows\": 0", "workloads[1].parameters.d: picks from a dataset without rows"},
	{"\"id\": " SEQUENCE, "\"id\": {\"generator\": \"sequence\", \"after_dataset\": true}", "dataset.parameters.id.after_dataset: is for workloads"},
	{"\"workloads\": [", "\"workloads\": 3, \"x\": [", "x: is not a key that is known here"},
	{"{\"name\": \"point\"", "{\"name\": \"add\"", "workloads[2].name: is the name of an earlier workload"},
	{"\"ledger_ops\": 30", "\"ledger_ops\": 30, \"rows_per_statement\": 10", "workloads[0].rows_per_statement: is for a workload of one statement that writes, without names"},
	{"\"ledger_ops\": 30", "\"ledger_ops\": 30, \"reopens\": true", "workloads[0].reopens: is for workloads that only read"},
	{"\"ledger_ops\": 10", "\"ledger_ops\": 10, \"reopens\": true, \"rows_per_commit\": 2", "workloads[2].reopens: is for one operation in a transaction"},
	{"[\"SELECT id FROM item WHERE rowid = 10 * :n\"]", "[\"SELECT 1\", \"SELECT id FROM item WHERE rowid = :n\"], \"reopens\": true", "workloads[2].reopens: is for one statement without names"},
	{"\"workloads\": [", "\"workloads\": [{\"name\": \"up\", \"unit\": \"row\", \"writes\": true, \"ledger_ops\": 1, \"rows_per_commit\": 2, \"rows_per_statement\": 2, \"statements\": [\"INSERT INTO item(id, a) VALUES(:id, 1) ON CONFLICT(id) DO UPDATE SET a = :id\"], \"parameters\": {\"id\": {\"generator\": \"sequence\"}}}, ", "workloads[0].statements[0]: :id stands outside of the parentheses behind VALUES, which rows_per_statement repeats"},
	{"\"workloads\": [", "\"workloads\": [{\"name\": \"up\", \"unit\": \"row\", \"writes\": true, \"ledger_ops\": 1, \"rows_per_statement\": 2, \"statements\": [\"WITH x AS (VALUES(1)) INSERT INTO item(id) VALUES(:id)\"], \"parameters\": {\"id\": {\"generator\": \"sequence\"}}}, ", "workloads[0].statements[0]: :id stands outside of the parentheses behind VALUES, which rows_per_statement repeats"},
	{"\"ledger_ops\": 10", "\"ledger_ops\": 10, \"consumes_rows\": 1", "workloads[2].consumes_rows: is for workloads that write"},
	{"\"ledger_ops\": 10", "\"ledger_ops\": 10, \"starts_empty\": true", "workloads[2].starts_empty: leaves no rows to pick from, nor to consume"},
	{"\"ledger_ops\": 10", "\"ledger_ops\": 10, \"distinct_ops\": 0", "workloads[2].distinct_ops: must be an integer from 1 to 100000000, is 0"},
	{"{\"name\": \"point\", ", "{", "workloads[2].name: is missing"},
	{"{\"name\": \"point\", ", "7, {\"name\": \"point\", ", "workloads[2]: must be an object, is an integer"},
	{"\"writes\": true", "\"writes\": \"true\"", "workloads[0].writes: must be true or false, is a string"},
	{"\"default\": false", "\"default\": null", "workloads[1].default: must be true or false, is null"},
	{"\"prepared\": false", "\"prepared\": 0", "workloads[1].prepared: must be true or false, is an integer"},
	{"\"begin\": \"exclusive\"", "\"begin\": \"now\"", "workloads[0].begin: must be one of deferred, immediate, exclusive, is \"now\""},
	{"\"begin\": \"exclusive\"", "\"beginn\": \"exclusive\"", "workloads[0].beginn: is not a key that is known here"},
	{"\"statements\": [\"INSERT", "\"statements\": [\"\", \"INSERT", "workloads[0].statements[0]: must not be empty"},
	{"\"statements\": [\"INSERT", "\"statements\": [3, \"INSERT", "workloads[0].statements[0]: must be a string, is an integer"},
	{"[\"INSERT INTO {part}(id, v) VALUES(:id, :v)\"]", "[]", "workloads[0].statements: must have at least 1 entry"},
	{"[\"INSERT INTO {part}(id, v) VALUES(:id, :v)\"]", "\"INSERT\"", "workloads[0].statements: must be an array, is a string"},
	{COMMIT, "\"many\"", "workloads[0].rows_per_commit: must be an integer or \"rows\", is a string"},
	{COMMIT, "0", "workloads[0].rows_per_commit: must be an integer from 1 to 1000000, is 0"},
	{COMMIT, "{\"default\": 0, \"varies\": true}", "workloads[0].rows_per_commit.default: must be an integer from 1 to 1000000, is 0"},
	{COMMIT, "{\"default\": 3}", "workloads[0].rows_per_commit.varies: is missing"},
	{COMMIT, "{\"default\": 3, \"varies\": true, \"max\": 9}", "workloads[0].rows_per_commit.max: is not a key that is known here"},
	{"\"ledger_ops\": 30", "\"ledger_ops\": 0", "workloads[0].ledger_ops: must be an integer from 1 to 100000000, is 0"},
	{"\"warmup_ops\": 5", "\"warmup_ops\": -5", "workloads[1].warmup_ops: must be an integer from 0 to 100000000, is -5"},
	{"\"result_rows_per_operation\": 1", "\"rows\": 1", "workloads[1].expect.rows: is not a key that is known here"},
	{"\"result_rows_per_operation\": 1", "\"result_rows_per_operation\": -1", "workloads[1].expect.result_rows_per_operation: must be an integer from 0 to 1000000000, is -1"},
	{"\"checks\": [\"SELECT :sum_v = 7 * :operations\"", "\"checks\": [false", "workloads[0].checks[0]: must be a string, is false"},
};

static const struct bad_case bad_sql[] = {
	{"\"CREATE TABLE item(", "\"WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x FROM t) SELECT max(x) FROM t\", \"CREATE TABLE item(", "schema[0]: does not end: SQLite was stopped after 200 million steps"},
	{"\"CREATE TABLE item(", "\"CREATE TABLE t(x)\", \"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x FROM n) INSERT INTO t SELECT zeroblob(1000000) FROM n\", \"CREATE TABLE item(", "schema[1]: fills more than 256 MiB"},
	{"CREATE TABLE item(", "CREATE TABEL item(", "schema[0]: SQLite says: near \"TABEL\": syntax error"},
	{"VALUES(:id, :a, :z, :r, :t, :b, :d, :at, :iso)", "VALUES(:id, :a)", "dataset.sql: SQLite says: table item has 9 columns but 2 values were supplied"},
	{"INSERT INTO item VALUES(:id, :a, :z, :r, :t, :b, :d, :at, :iso)", "SELECT :id, :a", "dataset.sql: must write a row"},
	{"VALUES(:id, :a, :z,", "VALUES(:id, :missing, :z,", "dataset.sql: :missing is not a parameter that has a generator"},
	{"VALUES(:id, :a, :z,", "VALUES(:id, 3, :z,", "dataset.parameters.a: is not used by any statement"},
	{"INSERT INTO {part}(id, v)", "INSERT INTO {part}(id, w)", "workloads[0].statements[0]: SQLite says: table part_0 has no column named w"},
	{"INSERT INTO {part}(id, v) VALUES(:id, :v)", "INSERT INTO item(id, a) VALUES(:part, :v + :id)", "workloads[0].statements[0]: :part is a name: write {part}"},
	{"VALUES(:id, :v)\"]", "VALUES(:id, ?)\"]", "workloads[0].statements[0]: ? is not a parameter that has a generator"},
	{"VALUES(:id, :v)\"]", "VALUES(:id, @v)\"]", "workloads[0].statements[0]: @v is not a parameter that has a generator"},
	{"VALUES(:id, :v)\"]", "VALUES(:id, :v); SELECT 1\"]", "workloads[0].statements[0]: must be one statement"},
	{"\"INSERT INTO {part}(id, v)", "\"-- nothing\", \"INSERT INTO {part}(id, v)", "workloads[0].statements[0]: holds no statement"},
	{"\"INSERT INTO {part}(id, v)", "\"BEGIN\", \"INSERT INTO {part}(id, v)", "workloads[0].statements[0]: must not begin or end transactions: rows_per_commit does"},
	{"\"INSERT INTO {part}(id, v)", "\"SAVEPOINT a\", \"INSERT INTO {part}(id, v)", "workloads[0].statements[0]: must not begin or end transactions: rows_per_commit does"},
	{"\"INSERT INTO {part}(id, v)", "\"ATTACH '/tmp/x' AS x\", \"INSERT INTO {part}(id, v)", "workloads[0].statements[0]: must not attach databases"},
	{"\"INSERT INTO {part}(id, v)", "\"PRAGMA synchronous=OFF\", \"INSERT INTO {part}(id, v)", "workloads[0].statements[0]: must not use pragmas: the setting does"},
	{"\"INSERT INTO {part}(id, v)", "\" vacuum into '/tmp/x'\", \"INSERT INTO {part}(id, v)", "workloads[0].statements[0]: must not vacuum"},
	{"SELECT id FROM item WHERE d = :d", "DELETE FROM item WHERE d = :d", "workloads[1].statements[0]: writes, but the workload's key writes is false"},
	{"INSERT INTO {part}(id, v) VALUES(:id, :v)", "SELECT :id, :v FROM {part}", "workloads[0].statements: must hold a statement that writes, or the workload's key writes be false"},
	{"SELECT :sum_v = 7", "SELECT :sum_w = 7", "workloads[0].checks[0]: :sum_w is not a figure that checks know"},
	{":dataset_sum_a", ":dataset_sum_r", "workloads[1].checks[1]: :dataset_sum_r is not a figure that checks know"},
	{"SELECT :sum_v = 7 * :operations", "SELECT 1, 2", "workloads[0].checks[0]: must be a query of one column"},
	{"SELECT :sum_v = 7 * :operations", "DELETE FROM item", "workloads[0].checks[0]: must be a query of one column"},
	{"SELECT :sum_v = 7 * :operations", "SELEC 1", "workloads[0].checks[0]: SQLite says: near \"SELEC\": syntax error"},
};
/* clang-format on */

static void assert_messages(const struct bad_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *text = changed_suite(cases[i].find, cases[i].replace);
		struct sc_suite *suite = NULL;
		struct sc_error error = {0};
		char expected[400];

		(void)snprintf(expected, sizeof(expected), "suite 'x.json': %s", cases[i].message);
		assert_int_equal(sc_suite_parse(text, "x.json", &suite, &error), SC_E_FORMAT);
		assert_string_equal(error.what, expected);
		assert_null(suite);
		free(text);
	}
}

static void a_faulty_key_is_named_by_its_path(void **state)
{
	(void)state;
	assert_messages(bad_types, SC_ARRAY_COUNT(bad_types));
}

static void faulty_sql_is_named_by_its_path(void **state)
{
	(void)state;
	assert_messages(bad_sql, SC_ARRAY_COUNT(bad_sql));
}

/* The control of both tables: unchanged, the suite is good. */
static void what_the_file_says_is_what_the_suite_has(void **state)
{
	struct sc_suite *suite = parse_small();
	const struct sc_workload *add = &suite->workloads[0], *find = &suite->workloads[1];

	(void)state;
	assert_string_equal(suite->name, "small");
	assert_string_equal(suite->text, small_suite());
	assert_int_equal(suite->setting.journal_mode, SC_JOURNAL_WAL);
	assert_int_equal(suite->setting.synchronous, SC_SYNCHRONOUS_NORMAL);
	assert_int_equal(suite->setting.locking_mode, SC_LOCKING_EXCLUSIVE);
	assert_int_equal(suite->setting.page_size, 8192);
	assert_int_equal(suite->setting.cache_size, -500);
	assert_int_equal(suite->setting.wal_autocheckpoint, 50);
	assert_int_equal(suite->setting.mmap_size, 65536);
	assert_true(suite->setting.fullfsync && suite->setting.checkpoint_fullfsync);
	assert_int_equal(suite->schema_count, 2);
	assert_int_equal(suite->schema[1].repeat, 3);
	assert_int_equal(suite->rows, 100);
	assert_int_equal(suite->rows_per_transaction, 40);
	assert_int_equal(suite->dataset_parameter_count, 9);
	assert_int_equal(suite->workload_count, 3);
	assert_string_equal(add->title, "add"); /* not given */
	assert_true(add->in_default_sweep && add->writes && add->prepared);
	assert_int_equal(add->rows_per_commit, 3);
	assert_true(add->rows_per_commit_varies);
	assert_int_equal(add->begin, SC_BEGIN_EXCLUSIVE);
	assert_int_equal(add->ledger_ops, 30);
	assert_int_equal(add->warmup_ops, 0);
	assert_int_equal(add->result_rows_per_op, -1);
	assert_int_equal(add->check_count, 2);
	assert_string_equal(find->title, "By digest");
	assert_false(find->in_default_sweep || find->writes || find->prepared);
	assert_int_equal(find->begin, SC_BEGIN_DEFERRED);
	assert_false(find->rows_per_commit_varies);
	assert_int_equal(find->result_rows_per_op, 1);
	assert_int_equal(find->warmup_ops, 5);
	sc_suite_freep(&suite);
}

static void settings_that_are_not_given_are_the_defaults(void **state)
{
	char *text = changed_suite("\"setting\": {",
				   "\"description\": \"x\", \"setting\": {}, \"schema\": "
				   "[\"CREATE TABLE t(x)\"], \"workloads\": [{"
				   "\"name\": \"w\", \"unit\": \"row\", \"writes\": "
				   "true, \"statements\": [\"INSERT INTO t "
				   "VALUES(1)\"], \"ledger_ops\": 1}]}//");
	struct sc_setting defaults = sc_setting_default();
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	(void)state;
	*strstr(text, "//") = '\0';
	assert_int_equal(sc_suite_parse(text, "x.json", &suite, &error), 0);
	assert_int_equal(sc_setting_compare(&suite->setting, &defaults), 0);
	assert_string_equal(suite->description, "x");
	assert_int_equal(suite->dataset_statement_count, 0);
	sc_suite_freep(&suite);
	free(text);
}

/* The bound on a schema's work is not met by a large one. */
static void a_schema_may_make_a_million_rows(void **state)
{
	char *text = changed_suite(
		"\"CREATE TABLE item(",
		"\"CREATE TABLE t(x)\", \"WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 "
		"FROM n "
		"WHERE x < 1000000) INSERT INTO t SELECT x FROM n\", \"CREATE TABLE item(");
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	(void)state;
	if (sc_suite_parse(text, "x.json", &suite, &error) != 0)
		fail_msg("%s", error.what);
	sc_suite_freep(&suite);
	free(text);
}

static void an_unknown_key_is_told_with_the_known_ones(void **state)
{
	char *text = changed_suite("\"begin\"", "\"beginn\"");
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	(void)state;
	assert_int_equal(sc_suite_parse(text, "x.json", &suite, &error), SC_E_FORMAT);
	assert_non_null(strstr(error.next, "begin, "));
	free(text);
}

static void a_syntax_error_is_told_with_its_line(void **state)
{
	char *text = changed_suite("\"rows\": 100, ", "\"rows\": 100 ");
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	(void)state;
	assert_int_equal(sc_suite_parse(text, "x.json", &suite, &error), SC_E_FORMAT);
	assert_string_equal(error.what,
			    "suite 'x.json': line 14: is not JSON: \"\"rows_per_transactio\"");
	free(text);
	assert_int_equal(sc_suite_parse("", "x.json", &suite, &error), SC_E_FORMAT);
	assert_string_equal(error.what, "suite 'x.json': line 1: is not JSON: \"\"");
	assert_int_equal(sc_suite_parse("[]", "x.json", &suite, &error), SC_E_FORMAT);
	assert_string_equal(error.what, "suite 'x.json': must be an object, is an array");
	assert_int_equal(sc_suite_parse("{} x", "x.json", &suite, &error), SC_E_FORMAT);
	assert_string_equal(error.what, "suite 'x.json': line 1: is not JSON: \"x\"");
}

/* sha256sum is the independent truth. */
static void the_digest_is_of_the_text_as_read(void **state)
{
	struct scratch *scratch = *state;
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};
	char command[3000], digest[65] = "";
	FILE *pipe;

	scratch_write(scratch, "small.json", small_suite());
	assert_int_equal(sc_suite_load(scratch_path(scratch, "small.json"), &suite, &error), 0);
	(void)snprintf(command, sizeof(command), "sha256sum '%s'",
		       scratch_path(scratch, "small.json"));
	pipe = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command */
	assert_non_null(pipe);
	assert_int_equal(fread(digest, 1, 64, pipe), 64);
	assert_int_equal(pclose(pipe), 0);
	assert_string_equal(suite->digest, digest);
	sc_suite_freep(&suite);
}

static void built_in_suites_are_found_by_name(void **state)
{
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};
	bool has_default = false;
	size_t count = 0;

	(void)state;
	for (const char *name; (name = sc_suite_builtin_name(count)); count++) {
		assert_int_equal(sc_suite_load(name, &suite, &error), 0);
		assert_string_equal(suite->name, name);
		assert_true(count == 0 || strcmp(sc_suite_builtin_name(count - 1), name) < 0);
		has_default |= strcmp(name, "commit") == 0;
		sc_suite_freep(&suite);
	}
	assert_true(has_default);
	assert_null(sc_suite_builtin_name(count));
}

static void a_name_that_is_not_built_in_is_told_with_those_that_are(void **state)
{
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	(void)state;
	assert_int_equal(sc_suite_load("comit", &suite, &error), SC_E_USAGE);
	assert_string_equal(error.what, "suite 'comit': there is no built-in suite of this name");
	assert_non_null(strstr(error.next, "commit"));
	assert_null(suite);
}

static void files_that_cannot_be_suites_are_told_apart(void **state)
{
	struct scratch *scratch = *state;
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};
	const char *path = scratch_path(scratch, "big.json");
	char expected[3000];
	FILE *file = fopen(path, "w");

	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (1 << 20) + 1), 0);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(sc_suite_load(path, &suite, &error), SC_E_FORMAT);
	(void)snprintf(expected, sizeof(expected), "suite '%s': is more than 1048576 bytes", path);
	assert_string_equal(error.what, expected);
	assert_int_equal(truncate(path, 100), 0);
	assert_int_equal(sc_suite_load(path, &suite, &error), SC_E_FORMAT);
	(void)snprintf(expected, sizeof(expected), "suite '%s': holds a NUL byte", path);
	assert_string_equal(error.what, expected);
	assert_int_equal(sc_suite_load(scratch_path(scratch, "none.json"), &suite, &error),
			 SC_E_FORMAT);
	assert_non_null(
		strstr(error.what, "none.json': cannot be read: No such file or directory"));
	assert_int_equal(sc_suite_load(scratch->path, &suite, &error), SC_E_FORMAT);
	assert_non_null(strstr(error.what, "' is a directory, not a file"));
	path = scratch_path(scratch, "fifo.json");
	assert_int_equal(mkfifo(path, 0600), 0);
	assert_int_equal(sc_suite_load(path, &suite, &error), SC_E_FORMAT); /* and does not wait */
	assert_non_null(strstr(error.what, "fifo.json' is a FIFO, not a file"));
	scratch_write(scratch, "bytes.json", "{\n\"name\": \"caf\xe9\"}");
	assert_int_equal(sc_suite_load(scratch_path(scratch, "bytes.json"), &suite, &error),
			 SC_E_FORMAT);
	assert_non_null(strstr(error.what, "bytes.json': line 2: is not UTF-8"));
}

static void the_suite_commit_has_its_workloads(void **state)
{
	static const struct {
		const char *name;
		bool in_default_sweep, writes;
		uint32_t rows_per_commit;
	} expected[] = {
		{"insert_one", true, true, 1},   {"insert_batch", true, true, 100},
		{"update_one", true, true, 1},   {"read_point", false, false, 1},
		{"read_range", false, false, 1},
	};
	struct sc_suite *suite = NULL;
	struct sc_error error = {0};

	(void)state;
	assert_int_equal(sc_suite_load("commit", &suite, &error), 0);
	assert_int_equal(suite->rows, 10000);
	assert_int_equal(suite->workload_count, SC_ARRAY_COUNT(expected));
	for (size_t i = 0; i < SC_ARRAY_COUNT(expected); i++) {
		const struct sc_workload *workload = sc_suite_workload(suite, expected[i].name);

		assert_non_null(workload);
		assert_int_equal(workload->in_default_sweep, expected[i].in_default_sweep);
		assert_int_equal(workload->writes, expected[i].writes);
		assert_int_equal(workload->rows_per_commit, expected[i].rows_per_commit);
		assert_int_equal(workload->rows_per_commit_varies, i == 1);
	}
	sc_suite_freep(&suite);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("what the file says is what the suite has",
		     what_the_file_says_is_what_the_suite_has),
		CASE("settings that are not given are the defaults",
		     settings_that_are_not_given_are_the_defaults),
		CASE("a faulty key is named by its path", a_faulty_key_is_named_by_its_path),
		CASE("faulty SQL is named by its path", faulty_sql_is_named_by_its_path),
		CASE("a schema may make a million rows", a_schema_may_make_a_million_rows),
		CASE("an unknown key is told with the known ones",
		     an_unknown_key_is_told_with_the_known_ones),
		CASE("a syntax error is told with its line", a_syntax_error_is_told_with_its_line),
		CASE_IN("the digest is SHA-256 of the file", the_digest_is_of_the_text_as_read,
			scratch_setup, scratch_teardown),
		CASE("built-in suites are found by name", built_in_suites_are_found_by_name),
		CASE("a name that is not built in is told with those that are",
		     a_name_that_is_not_built_in_is_told_with_those_that_are),
		CASE_IN("files that cannot be suites are told apart",
			files_that_cannot_be_suites_are_told_apart, scratch_setup,
			scratch_teardown),
		CASE("the suite commit has its workloads", the_suite_commit_has_its_workloads),
	};

	return cmocka_run_group_tests_name("suite-parse", tests, NULL, NULL);
}
