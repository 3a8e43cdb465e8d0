/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../stats/hist.h"
#include "syncost.h"

static void fini_rows(struct sc_run_rows *rows)
{
	for (size_t i = 0; i < rows->count; i++)
		free(rows->items[i].buckets);
	free(rows->items);
}

void sc_run_fini(struct sc_run *run)
{
	for (size_t i = 0; i < run->argc; i++)
		free(run->argv[i]);
	free(run->argv);
	free(run->directory);
	free(run->set);
	free(run->host_label);
	free(run->kernel);
	free(run->cpu);
	for (size_t i = 0; i < run->database_count; i++)
		free(run->databases[i].path);
	free(run->databases);
	for (size_t i = 0; i < run->process_count; i++)
		fini_rows(&run->processes[i].rows);
	free(run->processes);
	fini_rows(&run->rows);
	for (size_t i = 0; i < run->statement_count; i++)
		free(run->statements[i].sql);
	free(run->statements);
	free(run->slowest);
	free(run->samples);
	sc_findings_fini(&run->findings);
	*run = (struct sc_run){0};
}

static bool is_path(const char *one, const char *other)
{
	return one && other ? strcmp(one, other) == 0 : one == other;
}

int64_t sc_run_database(struct sc_run *run, const char *path)
{
	struct sc_run_database *databases;
	char *copy = NULL;

	for (size_t i = 0; i < run->database_count; i++) {
		if (is_path(run->databases[i].path, path))
			return (int64_t)i;
	}
	databases = reallocarray(run->databases, run->database_count + 1, sizeof(*databases));
	if (!databases)
		return -ENOMEM;
	run->databases = databases;
	if (path) {
		copy = strdup(path);
		if (!copy)
			return -ENOMEM;
	}
	databases[run->database_count] = (struct sc_run_database){.path = copy};
	return (int64_t)run->database_count++;
}

static int compare_rows(const struct sc_run_row *a, const struct sc_run_row *b)
{
	if (a->database != b->database)
		return a->database < b->database ? -1 : 1;
	if (a->role != b->role)
		return a->role < b->role ? -1 : 1;
	return ((int)a->op > (int)b->op) - ((int)a->op < (int)b->op);
}

/* A new row at @at, with nothing in it but the key of @row. */
static int insert_row(struct sc_run_rows *rows, size_t at, const struct sc_run_row *row)
{
	struct sc_run_row *items = reallocarray(rows->items, rows->count + 1, sizeof(*items));

	if (!items)
		return -ENOMEM;
	rows->items = items;
	memmove(items + at + 1, items + at, (rows->count - at) * sizeof(*items));
	items[at] =
		(struct sc_run_row){.database = row->database, .role = row->role, .op = row->op};
	rows->count++;
	return 0;
}

int sc_run_rows_add(struct sc_run_rows *rows, const struct sc_run_row *row)
{
	struct sc_run_row *into;
	size_t at = 0;

	while (at < rows->count && compare_rows(&rows->items[at], row) < 0)
		at++;
	if (at == rows->count || compare_rows(&rows->items[at], row) != 0) {
		int r = insert_row(rows, at, row);

		if (r < 0)
			return r;
	}
	into = &rows->items[at];
	if (row->buckets && !into->buckets) {
		into->buckets = calloc(SC_HIST_BUCKETS, sizeof(into->buckets[0]));
		if (!into->buckets)
			return -ENOMEM;
	}
	if (row->buckets)
		sc_hist_add(into->buckets, row->buckets);
	into->calls += row->calls;
	into->failures += row->failures;
	into->bytes += row->bytes;
	into->ns += row->ns;
	into->timed += row->timed;
	into->ns_max = row->ns_max > into->ns_max ? row->ns_max : into->ns_max;
	return 0;
}

int64_t sc_run_statement(struct sc_run *run, const char *sql)
{
	struct sc_run_statement *statements;
	char *copy;

	for (size_t i = 0; i < run->statement_count; i++) {
		if (strcmp(run->statements[i].sql, sql) == 0)
			return (int64_t)i;
	}
	statements = reallocarray(run->statements, run->statement_count + 1, sizeof(*statements));
	if (!statements)
		return -ENOMEM;
	run->statements = statements;
	copy = strdup(sql);
	if (!copy)
		return -ENOMEM;
	statements[run->statement_count] = (struct sc_run_statement){.sql = copy};
	return (int64_t)run->statement_count++;
}

static int compare_numbers(uint64_t one, uint64_t other)
{
	return one == other ? 0 : one > other ? -1 : 1;
}

static int compare_statements(const void *a, const void *b)
{
	const struct sc_run_statement *one = a, *other = b;
	int order = compare_numbers(one->sync_ns, other->sync_ns);

	if (order == 0)
		order = compare_numbers(one->ns, other->ns);
	return order ? order : strcmp(one->sql, other->sql);
}

int sc_run_sort_statements(struct sc_run *run)
{
	const char **texts = calloc(run->slowest_count ? run->slowest_count : 1, sizeof(*texts));

	if (!texts)
		return -ENOMEM;
	for (size_t i = 0; i < run->slowest_count; i++) {
		if (run->slowest[i].statement != SC_RUN_NO_STATEMENT)
			texts[i] = run->statements[run->slowest[i].statement].sql;
	}
	if (run->statement_count > 1)
		qsort(run->statements, run->statement_count, sizeof(run->statements[0]),
		      compare_statements);
	for (size_t i = 0; i < run->slowest_count; i++) {
		for (size_t j = 0; texts[i] && j < run->statement_count; j++) {
			if (run->statements[j].sql == texts[i])
				run->slowest[i].statement = (uint32_t)j;
		}
	}
	free(texts);
	return 0;
}

static int compare_commits(const void *a, const void *b)
{
	const struct sc_run_commit *one = a, *other = b;

	if (one->ns != other->ns)
		return one->ns > other->ns ? -1 : 1;
	return (one->at_ns > other->at_ns) - (one->at_ns < other->at_ns);
}

int sc_run_add_commit(struct sc_run *run, const struct sc_run_commit *commit)
{
	struct sc_run_commit *slowest = run->slowest;
	size_t at = 0;

	if (run->slowest_max == 0)
		return 0;
	if (!slowest) {
		slowest = calloc(run->slowest_max, sizeof(*slowest));
		if (!slowest)
			return -ENOMEM;
		run->slowest = slowest;
	}
	while (at < run->slowest_count &&
	       (slowest[at].at_ns != commit->at_ns || slowest[at].process != commit->process))
		at++;
	if (at == run->slowest_max) {
		at--;
		if (commit->ns <= slowest[at].ns)
			return 0;
	}
	if (at == run->slowest_count)
		run->slowest_count++;
	slowest[at] = *commit;
	qsort(slowest, run->slowest_count, sizeof(*slowest), compare_commits);
	return 0;
}

bool sc_run_is_sync(enum sc_op op)
{
	return op == SC_OP_FSYNC || op == SC_OP_FDATASYNC || op == SC_OP_MSYNC;
}

static void add_to(struct sc_run_sum *sum, const struct sc_run_row *row)
{
	sum->calls += row->calls;
	sum->bytes += row->bytes;
	sum->ns += row->ns;
	sum->ns_max = row->ns_max > sum->ns_max ? row->ns_max : sum->ns_max;
}

static bool is_of(const struct sc_run_row *row, uint32_t database, uint32_t role)
{
	return (database == SC_RUN_ALL || row->database == database) &&
	       (role == SC_RUN_ALL || (uint32_t)row->role == role);
}

struct sc_run_sum sc_run_sum(const struct sc_run_rows *rows, uint32_t database, uint32_t role,
			     enum sc_op op)
{
	struct sc_run_sum sum = {0};

	for (size_t i = 0; i < rows->count; i++) {
		if (is_of(&rows->items[i], database, role) && rows->items[i].op == op)
			add_to(&sum, &rows->items[i]);
	}
	return sum;
}

struct sc_run_sum sc_run_sum_syncs(const struct sc_run_rows *rows, uint32_t database, uint32_t role)
{
	struct sc_run_sum sum = {0};

	for (size_t i = 0; i < rows->count; i++) {
		if (is_of(&rows->items[i], database, role) && sc_run_is_sync(rows->items[i].op))
			add_to(&sum, &rows->items[i]);
	}
	return sum;
}

struct sc_run_sum sc_run_sum_part(const struct sc_run_rows *rows, uint32_t database,
				  enum sc_part part)
{
	struct sc_run_sum sum = {0};

	for (size_t i = 0; i < rows->count; i++) {
		if (is_of(&rows->items[i], database, SC_RUN_ALL) &&
		    syncost_op_info(rows->items[i].op)->part == part)
			add_to(&sum, &rows->items[i]);
	}
	return sum;
}
