/* SPDX-License-Identifier: MIT */

/*
 * A suite's SQL is prepared against its own schema in a database in memory, so that a misspelt
 * column is told by the path of its key before anything is measured.
 *
 * An authorizer refuses what the executor must keep to itself: transactions and pragmas; and what
 * reaches outside of the sample's database: ATTACH and, since it attaches only when it runs,
 * VACUUM. Names are expanded with their first value.
 *
 * The schema runs, in the process of whoever reads the suite, so its work is bounded, in steps and
 * in memory: a statement that never ends meets the bound in seconds, one of a million rows does
 * not.
 */

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "generate.h"
#include "parse.h"

#define STEPS_MAX  200000000u /* instructions of SQLite's machine, of the whole schema */
#define STEPS_UNIT 100000u    /* between two looks */
#define PAGES_MAX  "65536"    /* of the database in memory: 256 MiB */

static const char *const figures[] = {"rows",        "operations", "commits",
				      "result_rows", "result_sum", NULL};

const char *const *sc_suite_check_figures(void)
{
	return figures;
}

struct validation {
	struct sc_key_reader *reader;
	const struct sc_suite *suite;
	struct sc_generation *generation;
	sqlite3 *db;
	const char *refused; /* by the authorizer, in the statement at hand */
	bool pragmas_allowed;
	uint64_t steps;   /* that were run, in units */
	bool is_too_long; /* more than STEPS_MAX */
};

/* SQL of one place in the suite, with its parameters. */
struct text {
	const char *sql;
	const struct sc_parameter *parameters;
	size_t parameter_count;
	struct sc_value values[SC_SUITE_PARAMETERS_MAX]; /* the first of each */
	bool used[SC_SUITE_PARAMETERS_MAX];
};

static void validation_fini(struct validation *self)
{
	sc_generation_freep(&self->generation);
	(void)sqlite3_close(self->db); /* in memory; statements are finalized before */
}

static void finalize_statement(sqlite3_stmt **statement)
{
	(void)sqlite3_finalize(*statement); /* repeats the error of the step */
}

static int authorize(void *context, int action, const char *a, const char *b, const char *c,
		     const char *d)
{
	struct validation *self = context;

	(void)a, (void)b, (void)c, (void)d;
	if (action == SQLITE_ATTACH || action == SQLITE_DETACH)
		self->refused = "must not attach databases";
	else if (action == SQLITE_TRANSACTION || action == SQLITE_SAVEPOINT)
		self->refused = "must not begin or end transactions: rows_per_commit does";
	else if (action == SQLITE_PRAGMA && !self->pragmas_allowed)
		self->refused = "must not use pragmas: the setting does";
	else
		return SQLITE_OK;
	return SQLITE_DENY;
}

/* Return: not 0 ends the statement at hand. */
static int count_steps(void *context)
{
	struct validation *self = context;

	self->is_too_long = ++self->steps * STEPS_UNIT > STEPS_MAX;
	return self->is_too_long;
}

static bool is_blank(const char *text)
{
	return text[strspn(text, " \t\r\n;")] == '\0';
}

static int prepare(struct validation *self, const char *sql, sqlite3_stmt **ret_statement)
{
	const char *tail = NULL;
	int rc;

	self->refused = NULL;
	if (strncasecmp(sql + strspn(sql, " \t\r\n"), "vacuum", 6) == 0)
		return sc_key_fail(self->reader, "must not vacuum");
	rc = sqlite3_prepare_v2(self->db, sql, -1, ret_statement, &tail);
	if (self->refused)
		return sc_key_fail(self->reader, "%s", self->refused);
	if (rc != SQLITE_OK)
		return sc_key_fail(self->reader, "SQLite says: %s", sqlite3_errmsg(self->db));
	if (!*ret_statement)
		return sc_key_fail(self->reader, "holds no statement");
	if (!is_blank(tail))
		return sc_key_fail(self->reader, "must be one statement");
	return 0;
}

/* The parameter of @text that "@name", ":name" or "$name" stands for; -1: none. */
static int find_parameter(const struct text *text, const char *name)
{
	if (!name || name[0] != ':')
		return -1;
	for (size_t i = 0; i < text->parameter_count; i++)
		if (strcmp(text->parameters[i].name, name + 1) == 0)
			return (int)i;
	return -1;
}

static int check_binds(struct validation *self, sqlite3_stmt *statement, struct text *text)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
		const char *name = sqlite3_bind_parameter_name(statement, i);
		int index = find_parameter(text, name);

		if (index < 0)
			return sc_key_fail(self->reader,
					   "%s is not a parameter that has a generator",
					   name ? name : "?");
		if (text->parameters[index].generator->kind == SC_GENERATOR_NAME)
			return sc_key_fail(self->reader, "%s is a name: write {%s}", name,
					   name + 1);
		text->used[index] = true;
	}
	for (size_t i = 0; i < text->parameter_count; i++) {
		char braced[80];

		(void)snprintf(braced, sizeof braced, "{%s}", text->parameters[i].name);
		if (strstr(text->sql, braced))
			text->used[i] = true;
	}
	return 0;
}

/* A statement with the values of @text in the place of its names, checked. */
static int prepare_text(struct validation *self, struct text *text, sqlite3_stmt **ret_statement)
{
	SC_CLEANUP(sc_freep) char *sql = NULL;
	int r;

	sql = sc_sql_expand(text->sql, text->parameters, text->parameter_count, text->values);
	if (!sql)
		return sc_key_memory(self->reader);
	r = prepare(self, sql, ret_statement);
	return r < 0 ? r : check_binds(self, *ret_statement, text);
}

static int check_used(struct validation *self, const struct text *text)
{
	(void)sc_key_enter(self->reader, "parameters");
	for (size_t i = 0; i < text->parameter_count; i++) {
		if (text->used[i])
			continue;
		(void)sc_key_enter(self->reader, text->parameters[i].name);
		return sc_key_fail(self->reader, "is not used by any statement");
	}
	return 0;
}

/* Fills @text's first values. */
static int first_values(struct validation *self, struct text *text, uint64_t index,
			struct sc_arena *arena)
{
	SC_CLEANUP(sc_stream_set_freep) struct sc_stream_set *set = NULL;
	int r;

	r = sc_stream_set_new(self->generation, text->parameters, text->parameter_count, "first",
			      &set, self->reader->error);
	if (r == 0 && sc_stream_set_row(set, index, arena, text->values) < 0)
		r = sc_key_memory(self->reader);
	return r;
}

static int fail_too_long(struct validation *self)
{
	int r = sc_key_fail(self->reader, "does not end: SQLite was stopped after %u million steps",
			    STEPS_MAX / 1000000);

	(void)sc_hint(self->reader->error,
		      "a schema is run when its suite is read; many rows belong in the dataset");
	return r;
}

static int run_step(struct validation *self, struct text *text)
{
	SC_CLEANUP(finalize_statement) sqlite3_stmt *statement = NULL;
	int rc = SQLITE_OK;
	int r;

	r = prepare_text(self, text, &statement);
	if (r < 0)
		return r;
	for (size_t i = 0; i < text->parameter_count && rc == SQLITE_OK; i++) {
		char name[80];
		int at;

		(void)snprintf(name, sizeof name, ":%s", text->parameters[i].name);
		at = sqlite3_bind_parameter_index(statement, name);
		if (at > 0)
			rc = sc_value_bind(statement, at, &text->values[i]);
	}
	while (rc == SQLITE_OK || rc == SQLITE_ROW)
		rc = sqlite3_step(statement);
	if (self->is_too_long)
		return fail_too_long(self);
	if (rc == SQLITE_FULL)
		return sc_key_fail(self->reader, "fills more than 256 MiB");
	if (rc != SQLITE_DONE)
		return sc_key_fail(self->reader, "SQLite says: %s", sqlite3_errmsg(self->db));
	return 0;
}

static int check_step(struct validation *self, const struct sc_schema_step *step)
{
	SC_CLEANUP(sc_arena_fini) struct sc_arena arena = {0};
	struct text text = {
		.sql = step->sql,
		.parameters = step->parameters,
		.parameter_count = step->parameter_count,
	};

	for (uint64_t i = 0; i < step->repeat; i++) {
		int r = first_values(self, &text, i, &arena);

		if (r == 0)
			r = run_step(self, &text);
		if (r < 0)
			return r;
	}
	return check_used(self, &text);
}

static int check_schema(struct validation *self)
{
	size_t start = sc_key_enter(self->reader, "schema");

	for (size_t i = 0; i < self->suite->schema_count; i++) {
		size_t length = sc_key_enter_index(self->reader, i);
		int r = check_step(self, &self->suite->schema[i]);

		if (r < 0)
			return r;
		sc_key_leave(self->reader, length);
	}
	sc_key_leave(self->reader, start);
	return 0;
}

static int check_row(struct validation *self, struct text *text, const char *sql)
{
	SC_CLEANUP(finalize_statement) sqlite3_stmt *statement = NULL;
	int r;

	text->sql = sql;
	r = prepare_text(self, text, &statement);
	if (r == 0 && sqlite3_stmt_readonly(statement))
		r = sc_key_fail(self->reader, "must write a row");
	return r;
}

static int check_dataset(struct validation *self)
{
	SC_CLEANUP(sc_arena_fini) struct sc_arena arena = {0};
	const struct sc_suite *suite = self->suite;
	struct text text = {
		.parameters = suite->dataset_parameters,
		.parameter_count = suite->dataset_parameter_count,
	};
	size_t start = sc_key_enter(self->reader, "dataset");
	size_t length = sc_key_enter(self->reader, "sql");
	int r;

	r = first_values(self, &text, 0, &arena);
	for (size_t i = 0; i < suite->dataset_statement_count && r == 0; i++)
		r = check_row(self, &text, suite->dataset_statements[i]);
	if (r < 0)
		return r;
	sc_key_leave(self->reader, length);
	r = check_used(self, &text);
	if (r < 0)
		return r;
	sc_key_leave(self->reader, start);
	return 0;
}

/* What stands outside of the rows has no value of its own: SQLite would take NULL for it. */
static int check_repeated_binds(struct validation *self, sqlite3_stmt *statement)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
		const char *name = sqlite3_bind_parameter_name(statement, i);

		if (name && name[0] != '$')
			return sc_key_fail(self->reader,
					   "%s stands outside of the parentheses behind VALUES, "
					   "which rows_per_statement repeats",
					   name);
	}
	return 0;
}

/* As one statement of many rows it may have more parameters than SQLite takes. */
static int check_repeated(struct validation *self, const struct sc_workload *workload)
{
	SC_CLEANUP(finalize_statement) sqlite3_stmt *statement = NULL;
	SC_CLEANUP(sc_freep) char *sql = NULL;
	int r;

	if (workload->rows_per_statement == 1)
		return 0;
	r = sc_sql_repeat(workload->statements[0], workload->rows_per_statement, &sql);
	if (r < 0)
		return sc_key_memory(self->reader);
	if (r == 0) {
		r = prepare(self, sql, &statement);
		return r < 0 ? r : check_repeated_binds(self, statement);
	}
	return sc_key_fail(self->reader, "must have VALUES(...), which rows_per_statement repeats");
}

static int check_statements(struct validation *self, const struct sc_workload *workload)
{
	SC_CLEANUP(sc_arena_fini) struct sc_arena arena = {0};
	struct text text = {
		.parameters = workload->parameters,
		.parameter_count = workload->parameter_count,
	};
	size_t start = sc_key_enter(self->reader, "statements");
	bool writes = false;
	int r;

	r = first_values(self, &text, 0, &arena);
	for (size_t i = 0; i < workload->statement_count && r == 0; i++) {
		SC_CLEANUP(finalize_statement) sqlite3_stmt *statement = NULL;
		size_t length = sc_key_enter_index(self->reader, i);

		text.sql = workload->statements[i];
		r = prepare_text(self, &text, &statement);
		if (r < 0)
			return r;
		if (!sqlite3_stmt_readonly(statement) && !workload->writes)
			return sc_key_fail(self->reader,
					   "writes, but the workload's key writes is false");
		writes |= !sqlite3_stmt_readonly(statement);
		r = check_repeated(self, workload);
		if (r < 0)
			return r;
		sc_key_leave(self->reader, length);
	}
	if (r < 0)
		return r;
	if (workload->writes && !writes)
		return sc_key_fail(self->reader, "must hold a statement that writes, or the "
						 "workload's key writes be false");
	sc_key_leave(self->reader, start);
	return check_used(self, &text);
}

static const struct sc_generator *picked(const struct sc_suite *suite,
					 const struct sc_generator *generator)
{
	for (size_t i = 0; generator->of && i < suite->dataset_parameter_count; i++)
		if (strcmp(suite->dataset_parameters[i].name, generator->of) == 0)
			return suite->dataset_parameters[i].generator;
	return NULL;
}

static bool has_sum(const struct sc_suite *suite, const struct sc_parameter *parameters,
		    size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(parameters[i].name, name) == 0)
			return sc_generator_is_integer(parameters[i].generator,
						       picked(suite, parameters[i].generator));
	return false;
}

/* Of clients beside the workload's own. */
static bool is_beside_figure(const struct sc_suite *suite, const struct sc_workload *workload,
			     const char *name)
{
	static const char *const known[] = {"operations", "commits", "result_rows"};
	const struct sc_workload *other;
	size_t index = 0;

	name = sc_beside_figure(workload, name, &index);
	if (!name)
		return false;
	for (size_t i = 0; i < SC_ARRAY_COUNT(known); i++)
		if (strcmp(known[i], name) == 0)
			return true;
	other = sc_suite_workload(suite, workload->beside[index].workload);
	return other && strncmp(name, "sum_", 4) == 0 &&
	       has_sum(suite, other->parameters, other->parameter_count, name + 4);
}

/* Whether a check may use @name, without its colon. */
static bool is_figure(const struct sc_suite *suite, const struct sc_workload *workload,
		      const char *name)
{
	static const char sum[] = "sum_", dataset_sum[] = "dataset_sum_";

	for (size_t i = 0; figures[i]; i++)
		if (strcmp(figures[i], name) == 0)
			return true;
	if (strncmp(name, sum, strlen(sum)) == 0)
		return has_sum(suite, workload->parameters, workload->parameter_count,
			       name + strlen(sum));
	if (strncmp(name, dataset_sum, strlen(dataset_sum)) == 0)
		return has_sum(suite, suite->dataset_parameters, suite->dataset_parameter_count,
			       name + strlen(dataset_sum));
	return is_beside_figure(suite, workload, name);
}

static int check_check(struct validation *self, const struct sc_workload *workload, const char *sql)
{
	SC_CLEANUP(finalize_statement) sqlite3_stmt *statement = NULL;
	int r;

	r = prepare(self, sql, &statement);
	if (r < 0)
		return r;
	if (!sqlite3_stmt_readonly(statement) || sqlite3_column_count(statement) != 1)
		return sc_key_fail(self->reader, "must be a query of one column");
	for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
		const char *name = sqlite3_bind_parameter_name(statement, i);

		if (name && name[0] == ':' && is_figure(self->suite, workload, name + 1))
			continue;
		r = sc_key_fail(self->reader, "%s is not a figure that checks know",
				name ? name : "?");
		(void)sc_hint(self->reader->error,
			      "known: :rows, :operations, :commits, :result_rows, :result_sum, "
			      ":sum_PARAMETER and :dataset_sum_PARAMETER of integer parameters");
		return r;
	}
	return 0;
}

static int check_workload(struct validation *self, const struct sc_workload *workload)
{
	size_t start = strlen(self->reader->path);
	int r;

	r = check_statements(self, workload);
	if (r < 0)
		return r;
	sc_key_leave(self->reader, start);
	(void)sc_key_enter(self->reader, "checks");
	self->pragmas_allowed = true;
	for (size_t i = 0; i < workload->check_count; i++) {
		size_t length = sc_key_enter_index(self->reader, i);

		r = check_check(self, workload, workload->checks[i].sql);
		if (r < 0)
			return r;
		sc_key_leave(self->reader, length);
	}
	self->pragmas_allowed = false;
	sc_key_leave(self->reader, start);
	return 0;
}

static int check_workloads(struct validation *self)
{
	size_t start = sc_key_enter(self->reader, "workloads");

	for (size_t i = 0; i < self->suite->workload_count; i++) {
		size_t length = sc_key_enter_index(self->reader, i);
		int r = check_workload(self, &self->suite->workloads[i]);

		if (r < 0)
			return r;
		sc_key_leave(self->reader, length);
	}
	sc_key_leave(self->reader, start);
	return 0;
}

int sc_suite_validate(struct sc_key_reader *reader, const struct sc_suite *suite)
{
	SC_CLEANUP(validation_fini) struct validation self = {.reader = reader, .suite = suite};
	int rc, r;

	/* Picks need a row to pick from, whatever the dataset's size will be. */
	r = sc_generation_new(suite, suite->rows > 0 ? suite->rows : 1, 0, &self.generation,
			      reader->error);
	if (r < 0)
		return r;
	rc = sqlite3_open_v2(":memory:", &self.db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			     NULL);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(reader->error, rc, "a database in memory");
	rc = sqlite3_exec(self.db, "PRAGMA max_page_count=" PAGES_MAX, NULL, NULL, NULL);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(reader->error, rc, "a database in memory");
	(void)sqlite3_set_authorizer(self.db, authorize, &self); /* fails for no handle alone */
	sqlite3_progress_handler(self.db, STEPS_UNIT, count_steps, &self);
	r = check_schema(&self);
	if (r == 0 && suite->dataset_statement_count > 0)
		r = check_dataset(&self);
	if (r == 0)
		r = check_workloads(&self);
	return r;
}
