/* SPDX-License-Identifier: MIT */

/*
 * A sample that lost or invented a row is no measurement. Checks are the suite's own SQL with the
 * figures of the run bound by name; they run on the measured connection and again on a new one
 * without instruments, which must find the same number of rows in each table and a sound file.
 */

#include "execute-verify.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "execute-database.h"

static int fail_query(sqlite3 *db, const char *sql, struct sc_error *error)
{
	return sc_fail_sqlite(error, sqlite3_extended_errcode(db), "%s", sql);
}

/* The parameter of this name among @parameters; -1: none. */
static int find_parameter(const struct sc_parameter *parameters, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(parameters[i].name, name) == 0)
			return (int)i;
	return -1;
}

/* Of clients beside; 0 where there were none, as in a warm-up. */
static int64_t beside_figure(const struct sc_expected *expected, size_t index, const char *name)
{
	const struct sc_workload *workload = expected->beside[index].workload;
	const struct sc_tally *tally = &expected->beside[index].tally;
	int at;

	if (!workload)
		return 0;
	if (strcmp(name, "operations") == 0)
		return (int64_t)tally->operations;
	if (strcmp(name, "commits") == 0)
		return (int64_t)tally->commits;
	if (strcmp(name, "result_rows") == 0)
		return (int64_t)tally->result_rows;
	at = find_parameter(workload->parameters, workload->parameter_count, name + strlen("sum_"));
	return at < 0 ? 0 : expected->beside[index].sums[at];
}

/* The figure called @name, without its colon; the suite's parser knows no others. */
static int64_t figure(const struct sc_expected *expected, const char *name)
{
	static const char sum[] = "sum_", dataset_sum[] = "dataset_sum_";
	const struct sc_tally *tally = &expected->tally;
	int at;

	if (strcmp(name, "rows") == 0)
		return (int64_t)expected->rows;
	if (strcmp(name, "operations") == 0)
		return (int64_t)tally->operations;
	if (strcmp(name, "commits") == 0)
		return (int64_t)tally->commits;
	if (strcmp(name, "result_rows") == 0)
		return (int64_t)tally->result_rows;
	if (strcmp(name, "result_sum") == 0)
		return tally->result_sum;
	if (strncmp(name, sum, strlen(sum)) == 0) {
		at = find_parameter(expected->workload->parameters,
				    expected->workload->parameter_count, name + strlen(sum));
		return at < 0 ? 0 : expected->sums[at];
	}
	if (strncmp(name, dataset_sum, strlen(dataset_sum)) != 0) {
		size_t index = 0;
		const char *of = sc_beside_figure(expected->workload, name, &index);

		return of ? beside_figure(expected, index, of) : 0;
	}
	at = find_parameter(expected->suite->dataset_parameters,
			    expected->suite->dataset_parameter_count, name + strlen(dataset_sum));
	return at < 0 ? 0 : expected->dataset_sums[at];
}

static void bind_figures(sqlite3_stmt *statement, const struct sc_expected *expected)
{
	for (int i = 1; i <= sqlite3_bind_parameter_count(statement); i++) {
		const char *name = sqlite3_bind_parameter_name(statement, i);

		if (name) /* fails for no index in range */
			(void)sqlite3_bind_int64(statement, i, figure(expected, name + 1));
	}
}

static int run_check(sqlite3 *db, const struct sc_expected *expected, size_t index,
		     struct sc_error *error)
{
	const char *sql = expected->workload->checks[index].sql;
	SC_CLEANUP(sc_statement_finalizep) sqlite3_stmt *statement = NULL;
	const char *answer;
	int rc;

	rc = sqlite3_prepare_v2(db, sql, -1, &statement, NULL);
	if (rc != SQLITE_OK)
		return fail_query(db, sql, error);
	bind_figures(statement, expected);
	rc = sqlite3_step(statement);
	if (rc == SQLITE_ROW && sqlite3_column_int64(statement, 0) != 0)
		return sqlite3_step(statement) == SQLITE_DONE
			       ? 0
			       : sc_fail(error, SC_E_VERIFY,
					 "workload %s: checks[%zu] gives several rows: %s",
					 expected->workload->name, index, sql);
	if (rc != SQLITE_ROW && rc != SQLITE_DONE)
		return fail_query(db, sql, error);
	answer = rc == SQLITE_ROW ? (const char *)sqlite3_column_text(statement, 0) : "no row";
	return sc_fail(error, SC_E_VERIFY,
		       "workload %s: checks[%zu] does not hold after %" PRIu64
		       " operations (gives %s): %s",
		       expected->workload->name, index, expected->tally.operations,
		       answer ? answer : "NULL", sql);
}

int sc_verify_checks(sqlite3 *db, const struct sc_expected *expected, struct sc_error *error)
{
	const struct sc_workload *workload = expected->workload;
	const struct sc_tally *tally = &expected->tally;

	if (workload->result_rows_per_op >= 0 &&
	    tally->result_rows != tally->operations * (uint64_t)workload->result_rows_per_op)
		return sc_fail(error, SC_E_VERIFY,
			       "workload %s: %" PRIu64 " operations gave %" PRIu64
			       " result rows, not %" PRId64 " each",
			       workload->name, tally->operations, tally->result_rows,
			       workload->result_rows_per_op);
	for (size_t i = 0; i < workload->check_count; i++) {
		int r = run_check(db, expected, i, error);

		if (r < 0)
			return r;
	}
	return 0;
}

bool sc_verify_uses(const struct sc_workload *workload, const char *name)
{
	char colon[80];

	(void)snprintf(colon, sizeof colon, ":%s", name);
	for (size_t i = 0; i < workload->check_count; i++)
		if (strstr(workload->checks[i].sql, colon))
			return true;
	return false;
}

/* --- rows of tables */

void sc_row_counts_fini(struct sc_row_counts *counts)
{
	for (size_t i = 0; i < counts->count; i++)
		free(counts->names[i]);
	free(counts->names);
	free(counts->counts);
	*counts = (struct sc_row_counts){0};
}

static int add_name(struct sc_row_counts *counts, const unsigned char *name, struct sc_error *error)
{
	char **names = reallocarray(counts->names, counts->count + 1, sizeof *names);

	if (names)
		counts->names = names;
	if (!names || !(names[counts->count] = strdup((const char *)name)))
		return sc_fail(error, -ENOMEM, "rows of tables");
	counts->count++;
	return 0;
}

/* Ordinary tables; virtual ones keep their rows in such. */
static int list_tables(sqlite3 *db, struct sc_row_counts *counts, struct sc_error *error)
{
	static const char sql[] = "SELECT name FROM sqlite_schema WHERE type = 'table' AND "
				  "rootpage > 0 ORDER BY name";
	SC_CLEANUP(sc_statement_finalizep) sqlite3_stmt *statement = NULL;
	int rc, r;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK)
		return fail_query(db, sql, error);
	while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
		r = add_name(counts, sqlite3_column_text(statement, 0), error);
		if (r < 0)
			return r;
	}
	return rc == SQLITE_DONE ? 0 : fail_query(db, sql, error);
}

static int count_rows(sqlite3 *db, const char *name, int64_t *ret_count, struct sc_error *error)
{
	SC_CLEANUP(sc_statement_finalizep) sqlite3_stmt *statement = NULL;
	char *sql = sqlite3_mprintf("SELECT count(*) FROM \"%w\"", name);
	int r = 0;

	if (!sql)
		return sc_fail(error, -ENOMEM, "rows of table %s", name);
	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW)
		r = fail_query(db, sql, error);
	else
		*ret_count = sqlite3_column_int64(statement, 0);
	sqlite3_free(sql);
	return r;
}

int sc_row_counts_read(sqlite3 *db, struct sc_row_counts *ret_counts, struct sc_error *error)
{
	SC_CLEANUP(sc_row_counts_fini) struct sc_row_counts counts = {0};
	int r;

	r = list_tables(db, &counts, error);
	if (r < 0)
		return r;
	counts.counts = calloc(counts.count + 1, sizeof *counts.counts);
	if (!counts.counts)
		return sc_fail(error, -ENOMEM, "rows of tables");
	for (size_t i = 0; i < counts.count; i++) {
		r = count_rows(db, counts.names[i], &counts.counts[i], error);
		if (r < 0)
			return r;
	}
	*ret_counts = counts;
	counts = (struct sc_row_counts){0};
	return 0;
}

static int compare_counts(const struct sc_row_counts *before, const struct sc_row_counts *after,
			  struct sc_error *error)
{
	if (before->count != after->count)
		return sc_fail(error, SC_E_VERIFY, "%zu tables before the close, %zu after it",
			       before->count, after->count);
	for (size_t i = 0; i < before->count; i++)
		if (strcmp(before->names[i], after->names[i]) != 0 ||
		    before->counts[i] != after->counts[i])
			return sc_fail(error, SC_E_VERIFY,
				       "table %s had %" PRId64 " rows before the close, table %s "
				       "%" PRId64 " after it",
				       before->names[i], before->counts[i], after->names[i],
				       after->counts[i]);
	return 0;
}

/* --- a new connection */

int sc_verify_sound(sqlite3 *db, const char *path, struct sc_error *error)
{
	static const char sql[] = "PRAGMA quick_check(1)";
	SC_CLEANUP(sc_statement_finalizep) sqlite3_stmt *statement = NULL;
	const char *answer;

	if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK ||
	    sqlite3_step(statement) != SQLITE_ROW)
		return fail_query(db, sql, error);
	answer = (const char *)sqlite3_column_text(statement, 0);
	if (!answer || strcmp(answer, "ok") != 0)
		return sc_fail(error, SC_E_VERIFY, "quick_check of '%s': %.200s", path,
			       answer ? answer : "NULL");
	return 0;
}

int sc_verify_reopened(sqlite3 *db, const char *path, const struct sc_expected *expected,
		       const struct sc_row_counts *before, struct sc_error *error)
{
	SC_CLEANUP(sc_row_counts_fini) struct sc_row_counts after = {0};
	int r;

	r = sc_verify_sound(db, path, error);
	if (r == 0)
		r = sc_verify_checks(db, expected, error);
	if (r == 0)
		r = sc_row_counts_read(db, &after, error);
	return r < 0 ? r : compare_counts(before, &after, error);
}
