/* SPDX-License-Identifier: MIT */

/* Workloads: their keys, and which of them go together. */

#include <assert.h>
#include <string.h>

#include "parse.h"

#define ROWS_MAX           1000000000
#define COMMIT_ROWS_MAX    1000000
#define STATEMENT_ROWS_MAX 10000
#define OPERATIONS_MAX     100000000
#define WORKLOADS_MAX      64u

static const char *const begin_names[] = {"deferred", "immediate", "exclusive", NULL};

#define WORKLOAD(field) offsetof(struct sc_workload, field)

static int read_commit(struct sc_key_reader *reader, const cJSON *item, void *object);

/* clang-format off */
static const struct sc_key commit_keys[] = {
	{"default", SC_KEY_OBJECT, .required = true, .read = read_commit},
	{"varies", SC_KEY_BOOL, .offset = WORKLOAD(rows_per_commit_varies), .required = true},
};

static const struct sc_key expect_keys[] = {
	{"result_rows_per_operation", SC_KEY_I64, .offset = WORKLOAD(result_rows_per_op), .max = ROWS_MAX},
};
/* clang-format on */

/* Whether @item is "rows": as many as the dataset has. Else it must be a number; < 0. */
static int is_rows(struct sc_key_reader *reader, const cJSON *item)
{
	if (cJSON_IsString(item) && strcmp(item->valuestring, "rows") == 0)
		return 1;
	if (!cJSON_IsNumber(item))
		return sc_key_fail(reader, "must be an integer or \"rows\", is %s",
				   sc_key_type(item));
	return 0;
}

static int read_timed_ops(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	const struct sc_key number = {"", SC_KEY_U64, .offset = WORKLOAD(timed_ops), .min = 1,
				      .max = OPERATIONS_MAX};
	int r = is_rows(reader, item);

	((struct sc_workload *)object)->times_rows = r > 0;
	return r != 0 ? (r < 0 ? r : 0) : sc_key_value(reader, item, &number, object);
}

static int read_commit(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	const struct sc_key number = {"", SC_KEY_U32, .offset = WORKLOAD(rows_per_commit), .min = 1,
				      .max = COMMIT_ROWS_MAX};
	int r = is_rows(reader, item);

	((struct sc_workload *)object)->commits_rows = r > 0;
	return r != 0 ? (r < 0 ? r : 0) : sc_key_value(reader, item, &number, object);
}

static int read_rows_per_commit(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	if (cJSON_IsObject(item))
		return sc_keys_read(reader, item, commit_keys, SC_ARRAY_COUNT(commit_keys), object,
				    NULL);
	return read_commit(reader, item, object);
}

static int read_expect(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	return sc_keys_read(reader, item, expect_keys, SC_ARRAY_COUNT(expect_keys), object, NULL);
}

static int read_statements(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_workload *workload = object;

	return sc_key_texts(reader, item, 1, STATEMENTS_MAX, &workload->statements,
			    &workload->statement_count);
}

static int read_workload_parameters(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_workload *workload = object;

	return sc_suite_read_parameters(reader, item, &workload->parameters,
					&workload->parameter_count);
}

static int read_checks(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_workload *workload = object;
	char **texts = NULL;
	int r;

	static_assert(sizeof(struct sc_check) == sizeof(char *), "a check is its text");
	r = sc_key_texts(reader, item, 0, STATEMENTS_MAX, &texts, &workload->check_count);
	workload->checks = (struct sc_check *)(void *)texts;
	return r;
}

/* clang-format off */
static const struct sc_key workload_keys[] = {
	{"name", SC_KEY_NAME, .offset = WORKLOAD(name), .required = true},
	{"title", SC_KEY_TEXT, .offset = WORKLOAD(title)},
	{"unit", SC_KEY_TEXT, .offset = WORKLOAD(unit), .required = true},
	{"default", SC_KEY_BOOL, .offset = WORKLOAD(in_default_sweep)},
	{"writes", SC_KEY_BOOL, .offset = WORKLOAD(writes), .required = true},
	{"prepared", SC_KEY_BOOL, .offset = WORKLOAD(prepared)},
	{"begin", SC_KEY_CHOICE, .offset = WORKLOAD(begin), .choices = begin_names},
	{"statements", SC_KEY_OBJECT, .required = true, .read = read_statements},
	{"parameters", SC_KEY_OBJECT, .read = read_workload_parameters},
	{"rows_per_commit", SC_KEY_OBJECT, .read = read_rows_per_commit},
	{"rows_per_statement", SC_KEY_U32, .offset = WORKLOAD(rows_per_statement), .min = 1, .max = STATEMENT_ROWS_MAX},
	{"distinct_ops", SC_KEY_U64, .offset = WORKLOAD(distinct_ops), .min = 1, .max = OPERATIONS_MAX},
	{"rows_min", SC_KEY_U64, .offset = WORKLOAD(rows_min), .min = 1, .max = ROWS_MAX},
	{"starts_empty", SC_KEY_BOOL, .offset = WORKLOAD(starts_empty)},
	{"consumes_rows", SC_KEY_U64, .offset = WORKLOAD(consumes_rows), .max = COMMIT_ROWS_MAX},
	{"reopens", SC_KEY_BOOL, .offset = WORKLOAD(reopens)},
	{"ledger_ops", SC_KEY_U64, .offset = WORKLOAD(ledger_ops), .required = true, .min = 1, .max = OPERATIONS_MAX},
	{"timed_ops", SC_KEY_OBJECT, .read = read_timed_ops},
	{"warmup_ops", SC_KEY_U64, .offset = WORKLOAD(warmup_ops), .max = OPERATIONS_MAX},
	{"expect", SC_KEY_OBJECT, .read = read_expect},
	{"checks", SC_KEY_OBJECT, .read = read_checks},
	{"latency", SC_KEY_CHOICE, .offset = WORKLOAD(latency_of), .choices = sc_latency_of_names},
	{"busy", SC_KEY_OBJECT, .read = sc_busy_read},
	{"beside", SC_KEY_OBJECT, .read = sc_beside_read},
};
/* clang-format on */

static int fail_at(struct sc_key_reader *reader, const char *key, const char *what)
{
	(void)sc_key_enter(reader, key);
	return sc_key_fail(reader, "%s", what);
}

static bool has_names(const struct sc_workload *workload)
{
	for (size_t i = 0; i < workload->parameter_count; i++)
		if (workload->parameters[i].generator->kind == SC_GENERATOR_NAME)
			return true;
	return false;
}

static bool picks(const struct sc_workload *workload)
{
	for (size_t i = 0; i < workload->parameter_count; i++) {
		const struct sc_generator *generator = workload->parameters[i].generator;

		if ((generator->from ? generator->from : generator)->kind == SC_GENERATOR_PICK)
			return true;
	}
	return false;
}

/* Keys that do not go together. */
static int check_keys(struct sc_key_reader *reader, const struct sc_workload *workload)
{
	bool repeats = workload->rows_per_statement > 1;

	if (repeats && (!workload->writes || workload->statement_count > 1 || has_names(workload)))
		return fail_at(reader, "rows_per_statement",
			       "is for a workload of one statement that writes, without names");
	if (workload->reopens && workload->writes)
		return fail_at(reader, "reopens", "is for workloads that only read");
	if (workload->reopens && (workload->rows_per_commit > 1 || workload->commits_rows))
		return fail_at(reader, "reopens", "is for one operation in a transaction");
	if (workload->reopens && (workload->statement_count > 1 || has_names(workload)))
		return fail_at(reader, "reopens", "is for one statement without names");
	if (workload->consumes_rows > 0 && !workload->writes)
		return fail_at(reader, "consumes_rows", "is for workloads that write");
	if (workload->starts_empty && (workload->consumes_rows > 0 || picks(workload)))
		return fail_at(reader, "starts_empty",
			       "leaves no rows to pick from, nor to consume");
	return 0;
}

static int read_workload(struct sc_key_reader *reader, const cJSON *item,
			 struct sc_workload *workload)
{
	int r;

	workload->in_default_sweep = true;
	workload->prepared = true;
	workload->rows_per_commit = 1;
	workload->rows_per_statement = 1;
	workload->result_rows_per_op = -1;
	workload->begin = -1;
	r = sc_keys_read(reader, item, workload_keys, SC_ARRAY_COUNT(workload_keys), workload,
			 NULL);
	if (r < 0)
		return r;
	if (workload->begin < 0)
		workload->begin = workload->writes ? SC_BEGIN_IMMEDIATE : SC_BEGIN_DEFERRED;
	if (!workload->title)
		workload->title = strdup(workload->name);
	return workload->title ? check_keys(reader, workload) : sc_key_memory(reader);
}

int sc_suite_read_workloads(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_suite *suite = object;
	const cJSON *entry;
	size_t count = 0;
	int r;

	r = sc_key_array(reader, item, 1, WORKLOADS_MAX, &count);
	if (r < 0)
		return r;
	suite->workloads = calloc(count, sizeof *suite->workloads);
	if (!suite->workloads)
		return sc_key_memory(reader);
	cJSON_ArrayForEach(entry, item)
	{
		size_t length = sc_key_enter_index(reader, suite->workload_count);

		suite->workload_count++;
		r = read_workload(reader, entry, &suite->workloads[suite->workload_count - 1]);
		if (r < 0)
			return r;
		sc_key_leave(reader, length);
	}
	return 0;
}

const struct sc_key *sc_suite_workload_keys(size_t *ret_count)
{
	*ret_count = SC_ARRAY_COUNT(workload_keys);
	return workload_keys;
}

const struct sc_key *sc_suite_commit_keys(size_t *ret_count)
{
	*ret_count = SC_ARRAY_COUNT(commit_keys);
	return commit_keys;
}

const struct sc_key *sc_suite_expect_keys(size_t *ret_count)
{
	*ret_count = SC_ARRAY_COUNT(expect_keys);
	return expect_keys;
}
