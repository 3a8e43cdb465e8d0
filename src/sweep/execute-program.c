/* SPDX-License-Identifier: MIT */

/*
 * Statements and values. A statement whose SQL holds no name exists once and has the number it has
 * in the workload. Where names are substituted, each distinct text is a statement of its own, found
 * by its text in a hash table (open addressing, half empty), and a block keeps for each operation
 * which ones it runs.
 *
 * Values are 16 bytes each, a row of them an operation, in the order in which the loop reads them.
 */

#include "execute-program.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "execute-database.h"
#include "execute-run.h"

#define TABLE_SLOTS (2 * SC_PROGRAM_STATEMENTS_MAX)

static void statement_fini(struct sc_program_statement *statement)
{
	sc_statement_finalizep(&statement->statement);
	free(statement->sql);
	free(statement->binds);
}

void sc_program_freep(struct sc_program **program)
{
	struct sc_program *self = *program;

	*program = NULL;
	if (!self)
		return;
	for (size_t i = 0; i < self->statement_count; i++)
		statement_fini(&self->statements[i]);
	statement_fini(&self->begin);
	statement_fini(&self->commit);
	free(self->statements);
	free(self->slots);
	free(self);
}

/* --- statements */

/* @row: of the values of operations that follow each other */
static void find_row_binds(const struct sc_program *self, sqlite3_stmt *statement, uint64_t row,
			   uint64_t rows, struct sc_program_statement *ret_statement)
{
	const struct sc_workload *workload = self->workload;

	for (size_t i = 0; i < workload->parameter_count; i++) {
		char name[SC_SQL_REPEAT_NAME_BYTES];
		int at;

		if (rows > 1)
			sc_sql_repeat_name(workload->parameters[i].name, (uint32_t)row, name);
		else
			(void)snprintf(name, sizeof name, ":%s", workload->parameters[i].name);
		at = sqlite3_bind_parameter_index(statement, name);
		if (at > 0)
			ret_statement->binds[ret_statement->bind_count++] = (struct sc_bind){
				.parameter = (uint32_t)(row * workload->parameter_count + i),
				.at = at};
	}
}

static int find_binds(const struct sc_program *self, sqlite3_stmt *statement, uint64_t rows,
		      struct sc_program_statement *ret_statement, struct sc_error *error)
{
	ret_statement->binds =
		calloc(rows * self->workload->parameter_count + 1, sizeof(struct sc_bind));
	if (!ret_statement->binds)
		return sc_fail(error, -ENOMEM, "parameters of %s", ret_statement->sql);
	for (uint64_t row = 0; row < rows; row++)
		find_row_binds(self, statement, row, rows, ret_statement);
	return 0;
}

static bool is_prepared(const struct sc_program *self)
{
	return self->workload->prepared && !self->workload->reopens;
}

/* Takes @sql over, also on failure. @rows: operations that it does together */
static int add_statement(struct sc_program *self, char *sql, uint64_t rows, uint32_t *ret_index,
			 struct sc_error *error)
{
	SC_CLEANUP(statement_fini) struct sc_program_statement added = {.sql = sql};
	SC_CLEANUP(sc_statement_finalizep) sqlite3_stmt *parsed = NULL;
	int r;

	if (self->statement_count == SC_PROGRAM_STATEMENTS_MAX)
		return sc_fail(error, SC_E_LIMIT, "workload %s needs more than %u statements",
			       self->workload->name, SC_PROGRAM_STATEMENTS_MAX);
	added.sql_bytes = strlen(sql);
	if (sqlite3_prepare_v3(self->db, sql, -1, is_prepared(self) ? SQLITE_PREPARE_PERSISTENT : 0,
			       &parsed, NULL) != SQLITE_OK)
		return sc_fail_sqlite(error, sqlite3_extended_errcode(self->db), "%s", sql);
	r = find_binds(self, parsed, rows, &added, error);
	if (r < 0)
		return r;
	if (is_prepared(self))
		added.statement = SC_TAKE(parsed);
	*ret_index = (uint32_t)self->statement_count;
	self->statements[self->statement_count++] = added;
	memset(&added, 0, sizeof added);
	return 0;
}

static uint32_t hash_text(const char *text)
{
	uint32_t hash = 2166136261u; /* FNV-1a */

	for (; *text; text++)
		hash = (hash ^ (unsigned char)*text) * 16777619u;
	return hash;
}

/* The statement with this text; @sql is taken over. Slots hold the index plus one. */
static int find_statement(struct sc_program *self, char *sql, uint32_t *ret_index,
			  struct sc_error *error)
{
	uint32_t slot = hash_text(sql) % TABLE_SLOTS;
	int r;

	for (; self->slots[slot]; slot = (slot + 1) % TABLE_SLOTS) {
		if (strcmp(self->statements[self->slots[slot] - 1].sql, sql) == 0) {
			*ret_index = self->slots[slot] - 1;
			free(sql);
			return 0;
		}
	}
	r = add_statement(self, sql, 1, ret_index, error);
	if (r == 0)
		self->slots[slot] = *ret_index + 1;
	return r;
}

static bool has_names(const struct sc_workload *workload)
{
	for (size_t i = 0; i < workload->parameter_count; i++)
		if (workload->parameters[i].generator->kind == SC_GENERATOR_NAME)
			return true;
	return false;
}

static int add_batch(struct sc_program *self, struct sc_error *error)
{
	char *sql = NULL;
	uint32_t index;
	int r = sc_sql_repeat(self->workload->statements[0], (uint32_t)self->batch, &sql);

	assert(r <= 0); /* the suite was checked */
	return r < 0 ? sc_fail(error, r, "%s", self->workload->statements[0])
		     : add_statement(self, sql, self->batch, &index, error);
}

static int add_plain_statements(struct sc_program *self, struct sc_error *error)
{
	if (self->batch > 1) {
		int r = add_batch(self, error);

		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < self->workload->statement_count; i++) {
		char *sql = strdup(self->workload->statements[i]);
		uint32_t index;
		int r = sql ? add_statement(self, sql, 1, &index, error)
			    : sc_fail(error, -ENOMEM, "%s", self->workload->statements[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static int prepare_plain(struct sc_program *self, const char *sql,
			 struct sc_program_statement *ret_statement, struct sc_error *error)
{
	ret_statement->sql = strdup(sql);
	if (!ret_statement->sql)
		return sc_fail(error, -ENOMEM, "%s", sql);
	if (sqlite3_prepare_v3(self->db, sql, -1, SQLITE_PREPARE_PERSISTENT,
			       &ret_statement->statement, NULL) != SQLITE_OK)
		return sc_fail_sqlite(error, sqlite3_extended_errcode(self->db), "%s", sql);
	return 0;
}

static int prepare_transaction(struct sc_program *self, struct sc_error *error)
{
	static const char *const begins[] = {
		[SC_BEGIN_DEFERRED] = "BEGIN DEFERRED",
		[SC_BEGIN_IMMEDIATE] = "BEGIN IMMEDIATE",
		[SC_BEGIN_EXCLUSIVE] = "BEGIN EXCLUSIVE",
	};
	int r;

	if (self->workload->reopens)
		return 0; /* each statement is a transaction of its own */
	r = prepare_plain(self, begins[self->workload->begin], &self->begin, error);

	return r < 0 ? r : prepare_plain(self, "COMMIT", &self->commit, error);
}

int sc_program_new(sqlite3 *db, const struct sc_workload *workload, const struct sc_stream_set *set,
		   const struct sc_program_options *options, struct sc_program **ret_program,
		   struct sc_error *error)
{
	SC_CLEANUP(sc_program_freep) struct sc_program *self = NULL;
	int r;

	self = calloc(1, sizeof *self);
	if (!self)
		return sc_fail(error, -ENOMEM, "workload %s", workload->name);
	self->db = db;
	self->workload = workload;
	self->set = set;
	/* Fails for no open connection. */
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_VFS_POINTER, (void *)&self->vfs);
	self->options = *options;
	self->is_full = options->is_full ? options->is_full : &self->is_own_full;
	self->named = has_names(workload);
	self->batch = workload->rows_per_statement;
	if (self->batch > options->rows_per_commit)
		self->batch = options->rows_per_commit;
	self->batch = self->batch ? self->batch : 1;
	/* Several statements are one transaction, as several operations are. */
	self->explicit = options->rows_per_commit > self->batch || workload->statement_count > 1;
	self->statements =
		calloc(self->named ? SC_PROGRAM_STATEMENTS_MAX : workload->statement_count + 1,
		       sizeof *self->statements);
	self->slots = calloc(self->named ? TABLE_SLOTS : 1, sizeof *self->slots);
	if (!self->statements || !self->slots)
		return sc_fail(error, -ENOMEM, "workload %s", workload->name);
	r = prepare_transaction(self, error);
	if (r == 0 && !self->named)
		r = add_plain_statements(self, error);
	if (r < 0)
		return r;
	*ret_program = SC_TAKE(self);
	return 0;
}

uint64_t sc_program_rows_per_commit(const struct sc_program *program)
{
	return program->options.rows_per_commit;
}

/* --- latencies */

int sc_timing_init(struct sc_timing *timing, struct sc_error *error)
{
	memset(timing, 0, sizeof *timing);
	timing->op_buckets = calloc(SC_HIST_BUCKETS, sizeof *timing->op_buckets);
	timing->commit_buckets = calloc(SC_HIST_BUCKETS, sizeof *timing->commit_buckets);
	if (!timing->op_buckets || !timing->commit_buckets)
		return sc_fail(error, -ENOMEM, "latencies");
	return 0;
}

void sc_timing_fini(struct sc_timing *timing)
{
	free(timing->op_buckets);
	free(timing->commit_buckets);
	memset(timing, 0, sizeof *timing);
}

/* --- values */

void sc_block_freep(struct sc_block **block)
{
	struct sc_block *self = *block;

	*block = NULL;
	if (!self)
		return;
	sc_arena_fini(&self->arena);
	free(self->values);
	free(self->chosen);
	free(self);
}

/* The statements of operation @index, by its names. */
static int choose_statements(struct sc_program *program, struct sc_block *self, uint64_t index,
			     struct sc_error *error)
{
	const struct sc_workload *workload = program->workload;

	for (size_t i = 0; i < workload->statement_count; i++) {
		char *sql = sc_sql_expand(workload->statements[i], workload->parameters,
					  workload->parameter_count,
					  self->values + index * workload->parameter_count);
		int r;

		if (!sql)
			return sc_fail(error, -ENOMEM, "%s", workload->statements[i]);
		r = find_statement(program, sql,
				   &self->chosen[index * workload->statement_count + i], error);
		if (r < 0)
			return r;
	}
	return 0;
}

int sc_block_fill(struct sc_block *self, struct sc_program *program, uint64_t first, uint64_t count,
		  struct sc_error *error)
{
	assert(count <= self->capacity);
	sc_arena_fini(&self->arena);
	self->from = 0;
	self->to = self->count = count;
	for (uint64_t i = 0; i < count; i++) {
		int r = sc_stream_set_row(program->set, first + i, &self->arena,
					  self->values + i * self->parameter_count);

		if (r < 0)
			return sc_fail(error, r, "values of workload %s", program->workload->name);
		if (program->named)
			r = choose_statements(program, self, i, error);
		if (r < 0)
			return r;
	}
	return 0;
}

int sc_block_new(struct sc_program *program, uint64_t first, uint64_t count,
		 struct sc_block **ret_block, struct sc_error *error)
{
	const struct sc_workload *workload = program->workload;
	SC_CLEANUP(sc_block_freep) struct sc_block *self = NULL;
	int r;

	self = calloc(1, sizeof *self);
	if (!self)
		return sc_fail(error, -ENOMEM, "values of workload %s", workload->name);
	self->capacity = count;
	self->parameter_count = workload->parameter_count;
	/* One more: a workload may have no parameters, and calloc(0) may be NULL. */
	self->values = calloc(count * workload->parameter_count + 1, sizeof *self->values);
	self->chosen = calloc(program->named ? count * workload->statement_count + 1 : 1,
			      sizeof *self->chosen);
	if (!self->values || !self->chosen)
		return sc_fail(error, -ENOMEM, "values of workload %s", workload->name);
	r = sc_block_fill(self, program, first, count, error);
	if (r < 0)
		return r;
	*ret_block = SC_TAKE(self);
	return 0;
}

uint64_t sc_block_operations(const struct sc_program *program, uint64_t left)
{
	uint64_t rows = program->options.rows_per_commit;
	uint64_t bytes = sc_stream_set_row_bytes(program->set) +
			 program->workload->statement_count * sizeof(uint32_t);
	uint64_t commits = SC_BLOCK_BYTES / bytes / rows;
	uint64_t count = (commits ? commits : 1) * rows;

	return count < left ? count : left;
}

void sc_block_choose(struct sc_block *block, uint64_t from, uint64_t to)
{
	assert(from <= to && to <= block->count);
	block->from = from;
	block->to = to;
}

void sc_block_count(const struct sc_block *block, uint64_t operations, struct sc_tally *tally,
		    int64_t *sums)
{
	for (uint64_t i = 0; i < operations; i++) {
		const struct sc_value *row = block->values + i * block->parameter_count;

		for (size_t j = 0; j < block->parameter_count; j++) {
			tally->payload_bytes += sc_value_payload(&row[j]);
			if (row[j].kind == SC_VALUE_INTEGER)
				sums[j] = (int64_t)((uint64_t)sums[j] + (uint64_t)row[j].integer);
		}
	}
}

static uint64_t take_steps(const struct sc_program_statement *self)
{
	return self->statement ? (unsigned)sqlite3_stmt_status(self->statement,
							       SQLITE_STMTSTATUS_VM_STEP, true)
			       : 0;
}

uint64_t sc_program_take_steps(struct sc_program *program)
{
	uint64_t steps = program->unprepared_steps;

	program->unprepared_steps = 0;
	steps += take_steps(&program->begin) + take_steps(&program->commit);
	for (size_t i = 0; i < program->statement_count; i++)
		steps += take_steps(&program->statements[i]);
	return steps;
}
