/* SPDX-License-Identifier: MIT */

/*
 * The timed loop. It costs what a loop written for the workload would: values lie in an array in
 * the order of use, parameters have their numbers, a latency is one increment in a histogram, and
 * the clock is read once an operation (once more before the call that commits).
 *
 * With marks, one bracket holds the calls that run one statement (bind, step, reset): brackets
 * around each of them would cost more than the binds they tell apart.
 */

#include "execute-run.h"

#include <time.h>

#include "syncost.h"

#define RETRY_NS_MIN   100000u      /* the first pause after SQLITE_BUSY */
#define RETRY_NS_MAX   10000000u    /* pauses double up to this */
#define RETRY_NS_TOTAL 60000000000u /* then the sample has failed */

/* One run of a block. */
struct run {
	struct sc_program *program;
	struct sc_tally *tally;
	struct sc_timing *timing;
	struct sc_error *error;
	bool marks, sums;         /* as in the program's options */
	bool stamps;              /* statements commit by themselves: note when each begins */
	uint64_t last_ns;         /* when the last operation ended */
	uint64_t commit_start_ns; /* when the last call that commits began */
};

static inline void note(uint32_t *buckets, uint64_t *max, uint64_t ns)
{
	buckets[sc_hist_bucket(ns)]++;
	if (ns > *max)
		*max = ns;
}

static inline int bind_values(const struct sc_program_statement *self, sqlite3_stmt *statement,
			      const struct sc_value *row)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < self->bind_count && rc == SQLITE_OK; i++) {
		const struct sc_bind *bind = &self->binds[i];
		const struct sc_value *value = &row[bind->parameter];

		rc = value->kind == SC_VALUE_INTEGER
			     ? sqlite3_bind_int64(statement, bind->at, value->integer)
			     : sc_value_bind(statement, bind->at, value);
	}
	return rc;
}

static inline int step_through(struct run *run, sqlite3_stmt *statement, uint64_t *rows)
{
	int rc;

	while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
		(*rows)++;
		if (run->sums)
			run->tally->result_sum =
				(int64_t)((uint64_t)run->tally->result_sum +
					  (uint64_t)sqlite3_column_int64(statement, 0));
	}
	return rc;
}

static int fail_statement(struct run *run, const char *sql)
{
	return sc_fail_sqlite(run->error, sqlite3_extended_errcode(run->program->db), "%s", sql);
}

/*
 * Again after SQLITE_BUSY, as long as the same call can be repeated: what gave rows has been
 * halfway through, and a snapshot that is out of date stays so.
 */
static int retry(struct run *run, sqlite3_stmt *statement, uint64_t *rows)
{
	uint64_t pause_ns = RETRY_NS_MIN, waited_ns = 0;
	int rc = SQLITE_BUSY;

	while (rc == SQLITE_BUSY && *rows == 0 && waited_ns < RETRY_NS_TOTAL &&
	       sqlite3_extended_errcode(run->program->db) != SQLITE_BUSY_SNAPSHOT) {
		struct timespec pause = {.tv_nsec = (long)pause_ns};

		(void)sqlite3_reset(statement); /* repeats SQLITE_BUSY */
		(void)nanosleep(&pause, NULL);  /* a signal only shortens it */
		run->tally->busy_retries++;
		waited_ns += pause_ns;
		pause_ns = pause_ns * 2 < RETRY_NS_MAX ? pause_ns * 2 : RETRY_NS_MAX;
		rc = step_through(run, statement, rows);
	}
	return rc;
}

static int run_bound(struct run *run, sqlite3_stmt *statement, const char *sql)
{
	uint64_t rows = 0;
	int rc;

	if (run->stamps)
		run->commit_start_ns = syncost_now_ns();
	rc = step_through(run, statement, &rows);
	if (__builtin_expect(rc == SQLITE_BUSY, 0))
		rc = retry(run, statement, &rows);
	run->tally->result_rows += rows;
	if (__builtin_expect(rc != SQLITE_DONE, 0))
		return fail_statement(run, sql);
	return 0;
}

static int run_unprepared(struct run *run, const struct sc_program_statement *self,
			  const struct sc_value *row)
{
	sqlite3_stmt *statement = NULL;
	int rc, r;

	rc = sqlite3_prepare_v2(run->program->db, self->sql, (int)self->sql_bytes + 1, &statement,
				NULL);
	if (rc != SQLITE_OK || bind_values(self, statement, row) != SQLITE_OK)
		r = fail_statement(run, self->sql);
	else
		r = run_bound(run, statement, self->sql);
	(void)sqlite3_finalize(statement); /* repeats the result of the step */
	return r;
}

static inline int run_statement(struct run *run, const struct sc_program_statement *self,
				const struct sc_value *row)
{
	int r;

	if (run->marks)
		syncost_call_begin();
	if (!self->statement) {
		r = run_unprepared(run, self, row);
	} else if (__builtin_expect(bind_values(self, self->statement, row) != SQLITE_OK, 0)) {
		r = fail_statement(run, self->sql);
	} else {
		r = run_bound(run, self->statement, self->sql);
		(void)sqlite3_reset(self->statement); /* repeats the result of the step */
	}
	if (run->marks)
		syncost_call_end();
	return r;
}

static inline int run_operation(struct run *run, const struct sc_block *block, uint64_t index)
{
	const struct sc_program *program = run->program;
	const struct sc_value *row = block->values + index * block->parameter_count;
	size_t count = program->workload->statement_count;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++) {
		size_t at = program->named ? block->chosen[index * count + i] : i;

		r = run_statement(run, &program->statements[at], row);
	}
	return r;
}

static inline uint64_t end_operation(struct run *run)
{
	uint64_t now_ns = syncost_now_ns();

	note(run->timing->op_buckets, &run->timing->op_ns_max, now_ns - run->last_ns);
	run->last_ns = now_ns;
	run->tally->operations++;
	return now_ns;
}

static inline void end_commit(struct run *run, uint64_t now_ns)
{
	note(run->timing->commit_buckets, &run->timing->commit_ns_max,
	     now_ns - run->commit_start_ns);
	run->tally->commits++;
}

static inline bool may_go_on(const struct run *run, uint64_t end_ns)
{
	return run->last_ns < end_ns && !run->program->is_full;
}

/* Operations that commit by themselves, or that only read. */
static int run_single(struct run *run, const struct sc_block *block, uint64_t end_ns)
{
	for (uint64_t i = 0; i < block->count && may_go_on(run, end_ns); i++) {
		int r = run_operation(run, block, i);
		uint64_t now_ns;

		if (__builtin_expect(r < 0, 0))
			return r;
		now_ns = end_operation(run);
		if (run->stamps)
			end_commit(run, now_ns);
	}
	return 0;
}

/* One transaction: operations @first up to, not with, @end. */
static int run_transaction(struct run *run, const struct sc_block *block, uint64_t first,
			   uint64_t end)
{
	uint64_t now_ns;
	int r;

	r = run_statement(run, &run->program->begin, block->values);
	for (uint64_t i = first; i < end && r == 0; i++) {
		if (i > first)
			(void)end_operation(run);
		r = run_operation(run, block, i);
	}
	if (r < 0)
		return r;
	run->commit_start_ns = syncost_now_ns();
	r = run_statement(run, &run->program->commit, block->values);
	if (r < 0)
		return r;
	now_ns = end_operation(run);
	if (run->program->workload->writes)
		end_commit(run, now_ns);
	return 0;
}

static int run_transactions(struct run *run, const struct sc_block *block, uint64_t end_ns)
{
	uint64_t rows = run->program->options.rows_per_commit;
	int r = 0;

	for (uint64_t i = 0; i < block->count && may_go_on(run, end_ns) && r == 0; i += rows)
		r = run_transaction(run, block, i,
				    block->count - i < rows ? block->count : i + rows);
	return r;
}

/* SQLite calls it after each commit, where it would else start a checkpoint itself. */
static int note_wal_pages(void *self, sqlite3 *db, const char *database, int pages)
{
	struct sc_program *program = self;

	(void)db;
	(void)database;
	program->is_full = pages >= program->wal_pages_max;
	return SQLITE_OK;
}

void sc_program_stay_fresh(struct sc_program *program, uint32_t pages)
{
	program->wal_pages_max = (int)pages;                          /* SQLite's own range */
	(void)sqlite3_wal_hook(program->db, note_wal_pages, program); /* gives the former context */
}

bool sc_program_is_full(const struct sc_program *program)
{
	return program->is_full;
}

int sc_program_run(struct sc_program *program, const struct sc_block *block, uint64_t time_limit_ns,
		   struct sc_tally *tally, struct sc_timing *timing, struct sc_error *error)
{
	struct run run = {
		.program = program,
		.tally = tally,
		.timing = timing,
		.error = error,
		.marks = program->options.marks,
		.sums = program->options.sums_results,
		.stamps = program->workload->writes && !program->explicit,
		.last_ns = syncost_now_ns(),
	};
	uint64_t end_ns = time_limit_ns ? run.last_ns + time_limit_ns : UINT64_MAX;

	return program->explicit ? run_transactions(&run, block, end_ns)
				 : run_single(&run, block, end_ns);
}
