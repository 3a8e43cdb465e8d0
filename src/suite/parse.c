/* SPDX-License-Identifier: MIT */

/*
 * The format as tables of keys, one for each object; functions only where an object holds a list
 * or two ways to say a thing. Workloads, variants and what a sweep varies have files of their own.
 * References between parts (which parameter is picked from, names
 * given twice) are checked when all is read.
 */

#include "parse.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#define ROWS_MAX   1000000000
#define REPEAT_MAX 10000
#define SCHEMA_MAX 1024u
#define EXACT_MAX  9007199254740992 /* 2^53 */

/* --- setting */

static int read_enum(struct sc_key_reader *reader, const cJSON *item, const char *names,
		     bool (*parse)(const char *text, void *setting), void *object)
{
	if (!cJSON_IsString(item))
		return sc_key_fail(reader, "must be a string, is %s", sc_key_type(item));
	if (!parse(item->valuestring, object))
		return sc_key_fail(reader, "must be one of %s, is \"%.60s\"", names,
				   item->valuestring);
	return 0;
}

static bool parse_journal_mode(const char *text, void *setting)
{
	return sc_journal_mode_parse(text, &((struct sc_setting *)setting)->journal_mode);
}

static bool parse_synchronous(const char *text, void *setting)
{
	return sc_synchronous_parse(text, &((struct sc_setting *)setting)->synchronous);
}

static bool parse_locking_mode(const char *text, void *setting)
{
	return sc_locking_mode_parse(text, &((struct sc_setting *)setting)->locking_mode);
}

static int read_journal_mode(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	return read_enum(reader, item, "delete, truncate, persist, memory, wal, off",
			 parse_journal_mode, object);
}

static int read_synchronous(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	return read_enum(reader, item, "off, normal, full, extra", parse_synchronous, object);
}

static int read_locking_mode(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	return read_enum(reader, item, "normal, exclusive", parse_locking_mode, object);
}

static int read_page_size(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	double value = cJSON_IsNumber(item) ? item->valuedouble : 0;

	for (uint32_t size = 512; size <= 65536; size *= 2) {
		if (value == (double)size) {
			((struct sc_setting *)object)->page_size = size;
			return 0;
		}
	}
	return sc_key_fail(reader, "must be a power of two from 512 to 65536");
}

#define SETTING(field) offsetof(struct sc_setting, field)

/* clang-format off */
static const struct sc_key setting_keys[] = {
	{"page_size", SC_KEY_OBJECT, .read = read_page_size},
	{"locking_mode", SC_KEY_OBJECT, .read = read_locking_mode},
	{"journal_mode", SC_KEY_OBJECT, .read = read_journal_mode},
	{"synchronous", SC_KEY_OBJECT, .read = read_synchronous},
	{"fullfsync", SC_KEY_BOOL, .offset = SETTING(fullfsync)},
	{"checkpoint_fullfsync", SC_KEY_BOOL, .offset = SETTING(checkpoint_fullfsync)},
	{"cache_size", SC_KEY_I64, .offset = SETTING(cache_size), .min = INT32_MIN, .max = INT32_MAX},
	{"wal_autocheckpoint", SC_KEY_U32, .offset = SETTING(wal_autocheckpoint), .max = INT32_MAX},
	{"mmap_size", SC_KEY_U64, .offset = SETTING(mmap_size), .max = EXACT_MAX},
};
/* clang-format on */

static int read_setting(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_suite *suite = object;

	suite->sets_journal_mode = cJSON_GetObjectItemCaseSensitive(item, "journal_mode");
	suite->sets_synchronous = cJSON_GetObjectItemCaseSensitive(item, "synchronous");
	return sc_keys_read(reader, item, setting_keys, SC_ARRAY_COUNT(setting_keys),
			    &suite->setting, NULL);
}

/* --- parameters */

int sc_suite_read_parameters(struct sc_key_reader *reader, const cJSON *item,
			     struct sc_parameter **ret_parameters, size_t *ret_count)
{
	const cJSON *entry;
	size_t count;

	if (!cJSON_IsObject(item))
		return sc_key_fail(reader, "must be an object, is %s", sc_key_type(item));
	count = (size_t)cJSON_GetArraySize(item);
	if (count > SC_SUITE_PARAMETERS_MAX)
		return sc_key_fail(reader, "must have at most %u parameters, has %zu",
				   SC_SUITE_PARAMETERS_MAX, count);
	*ret_parameters = calloc(count + 1, sizeof **ret_parameters);
	if (!*ret_parameters)
		return sc_key_memory(reader);
	cJSON_ArrayForEach(entry, item)
	{
		struct sc_parameter *parameter = &(*ret_parameters)[*ret_count];
		size_t length = sc_key_enter(reader, entry->string);
		int r;

		if (cJSON_GetObjectItemCaseSensitive(item, entry->string) != entry)
			return sc_key_fail(reader, "is given twice");
		r = sc_key_name(reader, entry->string, &parameter->name);
		if (r < 0)
			return r;
		(*ret_count)++;
		r = sc_generator_read(reader, entry, &parameter->generator);
		if (r < 0)
			return r;
		sc_key_leave(reader, length);
	}
	return 0;
}

/* --- schema */

static int read_step_parameters(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_schema_step *step = object;

	return sc_suite_read_parameters(reader, item, &step->parameters, &step->parameter_count);
}

#define STEP(field) offsetof(struct sc_schema_step, field)

static const struct sc_key step_keys[] = {
	{"sql", SC_KEY_TEXT, .offset = STEP(sql), .required = true},
	{"repeat", SC_KEY_U64, .offset = STEP(repeat), .min = 1, .max = REPEAT_MAX},
	{"parameters", SC_KEY_OBJECT, .read = read_step_parameters},
};

static int read_step(struct sc_key_reader *reader, const cJSON *item, struct sc_schema_step *step)
{
	const struct sc_key as_text = {"", SC_KEY_TEXT, .offset = STEP(sql)};

	step->repeat = 1;
	if (cJSON_IsObject(item))
		return sc_keys_read(reader, item, step_keys, SC_ARRAY_COUNT(step_keys), step, NULL);
	if (!cJSON_IsString(item))
		return sc_key_fail(reader, "must be a string or an object, is %s",
				   sc_key_type(item));
	return sc_key_value(reader, item, &as_text, step);
}

static int read_schema(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_suite *suite = object;
	const cJSON *entry;
	size_t count = 0;
	int r;

	r = sc_key_array(reader, item, 1, SCHEMA_MAX, &count);
	if (r < 0)
		return r;
	suite->schema = calloc(count, sizeof *suite->schema);
	if (!suite->schema)
		return sc_key_memory(reader);
	cJSON_ArrayForEach(entry, item)
	{
		size_t length = sc_key_enter_index(reader, suite->schema_count);

		suite->schema_count++;
		r = read_step(reader, entry, &suite->schema[suite->schema_count - 1]);
		if (r < 0)
			return r;
		sc_key_leave(reader, length);
	}
	return 0;
}

/* --- dataset */

static int read_dataset_parameters(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_suite *suite = object;

	return sc_suite_read_parameters(reader, item, &suite->dataset_parameters,
					&suite->dataset_parameter_count);
}

#define SUITE(field) offsetof(struct sc_suite, field)

/* One statement, or several in a list. */
static int read_dataset_sql(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_suite *suite = object;
	const struct sc_key text = {"sql", SC_KEY_TEXT, .offset = 0};
	int r;

	if (cJSON_IsArray(item))
		return sc_key_texts(reader, item, 1, STATEMENTS_MAX, &suite->dataset_statements,
				    &suite->dataset_statement_count);
	suite->dataset_statements = calloc(1, sizeof(*suite->dataset_statements));
	if (!suite->dataset_statements)
		return sc_key_memory(reader);
	r = sc_key_value(reader, item, &text, suite->dataset_statements);
	suite->dataset_statement_count = r == 0;
	return r;
}

/* clang-format off */
static const struct sc_key dataset_keys[] = {
	{"rows", SC_KEY_U64, .offset = SUITE(rows), .required = true, .max = ROWS_MAX},
	{"rows_per_transaction", SC_KEY_U64, .offset = SUITE(rows_per_transaction), .min = 1, .max = ROWS_MAX},
	{"sql", SC_KEY_OBJECT, .required = true, .read = read_dataset_sql},
	{"parameters", SC_KEY_OBJECT, .required = true, .read = read_dataset_parameters},
};
/* clang-format on */

static int read_dataset(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	return sc_keys_read(reader, item, dataset_keys, SC_ARRAY_COUNT(dataset_keys), object, NULL);
}

/* --- the suite */

static const char *const database_names[] = {"file", "memory", NULL};

static int read_database(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	const struct sc_key key = {"", SC_KEY_CHOICE, .choices = database_names};
	int choice = 0;
	int r = sc_key_value(reader, item, &key, &choice);

	((struct sc_suite *)object)->in_memory = choice == 1;
	return r;
}

#define CONNECTION(field) offsetof(struct sc_connection, field)

/* clang-format off */
static const struct sc_key connection_keys[] = {
	{"foreign_keys", SC_KEY_BOOL, .offset = CONNECTION(foreign_keys)},
	{"busy_timeout_ms", SC_KEY_U32, .offset = CONNECTION(busy_timeout_ms), .max = INT32_MAX},
};
/* clang-format on */

static int read_connection(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	return sc_keys_read(reader, item, connection_keys, SC_ARRAY_COUNT(connection_keys),
			    &((struct sc_suite *)object)->connection, NULL);
}

static const struct sc_key suite_keys[] = {
	{"name", SC_KEY_NAME, .offset = SUITE(name), .required = true},
	{"title", SC_KEY_TEXT, .offset = SUITE(title), .required = true},
	{"description", SC_KEY_TEXT, .offset = SUITE(description)},
	{"database", SC_KEY_OBJECT, .read = read_database},
	{"setting", SC_KEY_OBJECT, .read = read_setting},
	{"connection", SC_KEY_OBJECT, .read = read_connection},
	{"sweep", SC_KEY_OBJECT, .read = sc_suite_read_sweep},
	{"variants", SC_KEY_OBJECT, .read = sc_suite_read_variants},
	{"schema", SC_KEY_OBJECT, .required = true, .read = read_schema},
	{"dataset", SC_KEY_OBJECT, .read = read_dataset},
	{"workloads", SC_KEY_OBJECT, .required = true, .read = sc_suite_read_workloads},
};

static const struct sc_parameter *find_parameter(const struct sc_suite *suite, const char *name)
{
	for (size_t i = 0; i < suite->dataset_parameter_count; i++)
		if (strcmp(suite->dataset_parameters[i].name, name) == 0)
			return &suite->dataset_parameters[i];
	return NULL;
}

/* What picks, picks from the dataset, so in a workload; what is picked is no pick itself. */
static int check_picks(struct sc_key_reader *reader, const struct sc_suite *suite,
		       const struct sc_parameter *parameters, size_t count, bool in_workload)
{
	size_t start = sc_key_enter(reader, "parameters");

	for (size_t i = 0; i < count; i++) {
		const struct sc_generator *generator = parameters[i].generator;
		const struct sc_generator *from = generator->from ? generator->from : generator;
		size_t length = sc_key_enter(reader, parameters[i].name);
		const struct sc_parameter *of;

		if (from->kind == SC_GENERATOR_PICK && !in_workload)
			return sc_key_fail(reader,
					   "picks from the dataset, which only workloads can");
		if (from->kind == SC_GENERATOR_PICK && suite->rows == 0)
			return sc_key_fail(reader, "picks from a dataset without rows");
		of = generator->of ? find_parameter(suite, generator->of) : NULL;
		if (generator->of && !of) {
			(void)sc_key_enter(reader, "of");
			return sc_key_fail(reader, "must be a parameter of the dataset, is \"%s\"",
					   generator->of);
		}
		if (of && of->generator->kind == SC_GENERATOR_NAME) {
			(void)sc_key_enter(reader, "of");
			return sc_key_fail(reader, "must not be a name");
		}
		if (from->after_dataset && !in_workload) {
			(void)sc_key_enter(reader, "after_dataset");
			return sc_key_fail(reader, "is for workloads");
		}
		sc_key_leave(reader, length);
	}
	sc_key_leave(reader, start);
	return 0;
}

static int check_workloads(struct sc_key_reader *reader, const struct sc_suite *suite)
{
	size_t start = sc_key_enter(reader, "workloads");

	for (size_t i = 0; i < suite->workload_count; i++) {
		size_t length = sc_key_enter_index(reader, i);
		int r;

		if (sc_suite_workload(suite, suite->workloads[i].name) != &suite->workloads[i]) {
			(void)sc_key_enter(reader, "name");
			return sc_key_fail(reader, "is the name of an earlier workload");
		}
		if (suite->in_memory && suite->workloads[i].reopens) {
			(void)sc_key_enter(reader, "reopens");
			return sc_key_fail(reader, "is for databases in files: one in memory is "
						   "gone when it is closed");
		}
		r = check_picks(reader, suite, suite->workloads[i].parameters,
				suite->workloads[i].parameter_count, true);
		if (r == 0)
			r = sc_beside_check(reader, suite, &suite->workloads[i]);
		if (r < 0)
			return r;
		sc_key_leave(reader, length);
	}
	sc_key_leave(reader, start);
	return 0;
}

static int check_set_up(struct sc_key_reader *reader, const struct sc_suite *suite)
{
	size_t start = sc_key_enter(reader, "schema");
	int r;

	for (size_t i = 0; i < suite->schema_count; i++) {
		size_t length = sc_key_enter_index(reader, i);

		r = check_picks(reader, suite, suite->schema[i].parameters,
				suite->schema[i].parameter_count, false);
		if (r < 0)
			return r;
		sc_key_leave(reader, length);
	}
	sc_key_leave(reader, start);
	start = sc_key_enter(reader, "dataset");
	r = check_picks(reader, suite, suite->dataset_parameters, suite->dataset_parameter_count,
			false);
	sc_key_leave(reader, start);
	return r;
}

int sc_suite_read(struct sc_key_reader *reader, const cJSON *json, struct sc_suite *suite)
{
	int r;

	suite->setting = sc_setting_default();
	suite->rows_per_transaction = 1000;
	r = sc_keys_read(reader, json, suite_keys, SC_ARRAY_COUNT(suite_keys), suite, NULL);
	if (suite->in_memory && !suite->sets_journal_mode) {
		suite->setting.journal_mode = SC_JOURNAL_MEMORY; /* what SQLite takes for it */
		suite->sets_journal_mode = true;
	}
	if (suite->in_memory && !suite->sets_synchronous) {
		suite->setting.synchronous = SC_SYNCHRONOUS_OFF;
		suite->sets_synchronous = true;
	}
	if (r == 0)
		r = check_set_up(reader, suite);
	if (r == 0)
		r = check_workloads(reader, suite);
	return r;
}

/* --- the list of keys */

static const struct {
	const char *path; /* of the object, with the dot; before its keys */
	const struct sc_key *keys;
	size_t key_count;
} tables[] = {
#define TABLE(path, table)                                                                         \
	{                                                                                          \
		path, table, SC_ARRAY_COUNT(table)                                                 \
	}
	TABLE("", suite_keys),
	TABLE("setting.", setting_keys),
	TABLE("connection.", connection_keys),
	TABLE("schema[].", step_keys),
	TABLE("dataset.", dataset_keys),
#undef TABLE
};

/* Of other files. */
static const struct {
	const char *path;
	const struct sc_key *(*keys)(size_t *ret_count);
} others[] = {
	{"sweep.", sc_suite_sweep_keys},
	{"variants{}.", sc_suite_variant_keys},
	{"workloads[].", sc_suite_workload_keys},
	{"workloads[].rows_per_commit.", sc_suite_commit_keys},
	{"workloads[].expect.", sc_suite_expect_keys},
	{"workloads[].busy.", sc_suite_busy_keys},
	{"workloads[].beside[].", sc_suite_beside_keys},
};

bool sc_suite_key_path(size_t index, char *path, size_t path_bytes)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(tables); i++) {
		if (index < tables[i].key_count) {
			(void)snprintf(path, path_bytes, "%s%s", tables[i].path,
				       tables[i].keys[index].key);
			return true;
		}
		index -= tables[i].key_count;
	}
	for (size_t i = 0; i < SC_ARRAY_COUNT(others); i++) {
		size_t count;
		const struct sc_key *keys = others[i].keys(&count);

		if (index < count) {
			(void)snprintf(path, path_bytes, "%s%s", others[i].path, keys[index].key);
			return true;
		}
		index -= count;
	}
	for (int i = 0; i < SC_GENERATOR_COUNT_; i++) {
		enum sc_generator_kind kind = (enum sc_generator_kind)i;
		size_t count;
		const struct sc_key *keys = sc_generator_keys(kind, &count);

		if (index < count) {
			(void)snprintf(path, path_bytes, "generator %s.%s", sc_generator_name(kind),
				       keys[index].key);
			return true;
		}
		index -= count;
	}
	return false;
}
