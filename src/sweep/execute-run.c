/* SPDX-License-Identifier: MIT */

/*
 * The timed loop. It costs what a loop written for the workload would: values lie in an array in
 * the order of use, parameters have their numbers, a latency is one increment in a histogram, and
 * the clock is read once an operation (once more before the call that commits).
 *
 * With marks, one bracket holds the calls that run one statement (bind, step, reset): brackets
 * around each of them would cost more than the binds they tell apart.
 *
 * SQLITE_BUSY. A call that leaves no lock behind is made again after a pause, and so is COMMIT,
 * which waits for readers only. A call in the middle of a transaction is not: the lock that it
 * holds (SHARED, or a snapshot that others have overtaken) may be the one that another client
 * waits for. That transaction is rolled back before the pause, and begins anew after it. Pauses
 * double up to a limit and are drawn from their upper half, so that clients do not meet again.
 * Whoever has just committed is first at the lock again and may go on for long; so patience is
 * counted from the last commit of any client.
 *
 * A suite may say otherwise (struct sc_busy): pauses of one length, patience with each call for
 * itself, and transactions that are not replayed.
 */

#include "execute-run.h"

#include <time.h>
#include <unistd.h>

#include "execute-database.h"
#include "execute-hold.h"
#include "execute-image.h"
#include "syncost.h"

#define RETRY_NS_MIN   100000u      /* the first pause after SQLITE_BUSY */
#define RETRY_NS_MAX   10000000u    /* pauses double up to this */
#define RETRY_NS_TOTAL 60000000000u /* without a commit of anyone: then the sample has failed */

/* What each operation goes through is one piece of code; what few do stays out of it. */
#define HOT  static inline __attribute__((always_inline))
#define COLD static __attribute__((noinline, cold))

/* Before an operation is due: a sleep takes this much longer than it was asked to. */
#define SPIN_NS 100000u

#define RUN_ANEW 1 /* of functions here: the transaction was rolled back and is to be repeated */

/* How long a transaction has been waiting, all of its attempts together. */
struct backoff {
	uint64_t pause_ns;     /* the next one, at most; 0: none yet */
	uint64_t waited_ns;    /* since the last commit of any client */
	uint64_t commits_seen; /* of all clients */
};

/* One run of a block. */
struct run {
	struct sc_program *program;
	struct sc_tally *tally;
	struct sc_timing *timing;
	struct sc_error *error;
	bool marks, sums;         /* as in the program's options */
	bool stamps;              /* statements commit by themselves: note when each begins */
	bool notes_operations;    /* else their transactions alone have a latency */
	bool is_scheduled;        /* last_ns is when the transaction was due */
	uint64_t start_ns, due;   /* of the schedule; the number of the next transaction in it */
	bool publishes;           /* a commit ends with the image in its file */
	uint64_t last_ns;         /* when the last operation ended */
	uint64_t commit_start_ns; /* when the last call that commits began */
	struct backoff backoff;
	uint32_t random; /* xorshift; not 0 */
};

static inline void note(uint32_t *buckets, uint64_t *max, uint64_t ns)
{
	buckets[sc_hist_bucket(ns)]++;
	if (ns > *max)
		*max = ns;
}

HOT int bind_values(const struct sc_program_statement *self, sqlite3_stmt *statement,
		    const struct sc_value *row)
{
	int rc = SQLITE_OK;

	for (size_t i = 0; i < self->bind_count && rc == SQLITE_OK; i++) {
		const struct sc_bind *bind = &self->binds[i];
		const struct sc_value *value = &row[bind->parameter];

		if (value->kind == SC_VALUE_INTEGER)
			rc = sqlite3_bind_int64(statement, bind->at, value->integer);
		else if (value->kind == SC_VALUE_TEXT)
			rc = sqlite3_bind_text(statement, bind->at, value->bytes,
					       (int)value->byte_count, SQLITE_STATIC);
		else
			rc = sc_value_bind(statement, bind->at, value);
	}
	return rc;
}

HOT int step_through(struct run *run, sqlite3_stmt *statement, uint64_t *rows)
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

COLD int fail_statement(struct run *run, const char *sql)
{
	return sc_fail_sqlite(run->error, sqlite3_extended_errcode(run->program->db), "%s", sql);
}

/* SQLITE_PROTOCOL: too many at once asked for a place in the WAL's index. */
static inline bool is_busy(int rc)
{
	return rc == SQLITE_BUSY || rc == SQLITE_PROTOCOL;
}

static uint64_t draw_pause(struct run *run, uint64_t pause_ns)
{
	run->random ^= run->random << 13;
	run->random ^= run->random >> 17;
	run->random ^= run->random << 5;
	return pause_ns / 2 + run->random % (pause_ns / 2);
}

static uint64_t patience_ns(const struct run *run)
{
	const struct sc_busy *busy = &run->program->workload->busy;

	return busy->is_given ? busy->limit_ms * 1000000u : RETRY_NS_TOTAL;
}

/* Through the VFS, as SQLite's own busy handler sleeps. */
static void pause_for(struct run *run, uint64_t pause_ns)
{
	const struct sc_program *program = run->program;
	uint64_t start_ns = syncost_now_ns();

	(void)program->vfs->xSleep(program->vfs, (int)(pause_ns / 1000));
	pause_ns = syncost_now_ns() - start_ns;
	run->backoff.waited_ns += pause_ns;
	run->tally->busy_retries++;
	run->tally->busy_ns += pause_ns;
}

/* False: patience is at an end. */
COLD bool pause_busy(struct run *run)
{
	const struct sc_program *program = run->program;
	const struct sc_busy *busy = &program->workload->busy;
	struct backoff *backoff = &run->backoff;
	uint64_t pause_ns, commits;

	if (busy->is_given) {
		if (backoff->waited_ns >= patience_ns(run))
			return false;
		pause_for(run, busy->pause_ms * 1000000u);
		return true;
	}
	commits = program->options.commits ? atomic_load(program->options.commits) : 0;
	if (commits != backoff->commits_seen)
		backoff->waited_ns = 0;
	backoff->commits_seen = commits;
	if (backoff->waited_ns >= RETRY_NS_TOTAL)
		return false;
	pause_ns = backoff->pause_ns ? backoff->pause_ns : RETRY_NS_MIN;
	backoff->pause_ns = pause_ns * 2 < RETRY_NS_MAX ? pause_ns * 2 : RETRY_NS_MAX;
	pause_for(run, draw_pause(run, pause_ns));
	return true;
}

/* Whether the call that was just reset can be made again as it is. */
static bool is_repeatable(const struct run *run, const sqlite3_stmt *statement)
{
	return statement == run->program->commit.statement ||
	       sqlite3_txn_state(run->program->db, NULL) == SQLITE_TXN_NONE;
}

/* SQLite may have rolled back already. */
COLD int roll_back(struct run *run)
{
	sqlite3 *db = run->program->db;

	if (sqlite3_get_autocommit(db) ||
	    sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL) == SQLITE_OK)
		return 0;
	return fail_statement(run, "ROLLBACK");
}

COLD int fail_patience(struct run *run)
{
	return sc_fail(run->error, SC_E_SQLITE,
		       "the database stayed locked (SQLITE_BUSY) for %u ms%s",
		       (unsigned)(patience_ns(run) / 1000000u),
		       run->program->workload->busy.is_given ? "" : ", and nobody committed");
}

COLD int fail_replay(struct run *run, sqlite3_stmt *statement)
{
	return sc_fail(run->error, SC_E_SQLITE,
		       "SQLITE_BUSY inside of a transaction, and the workload's are not to be "
		       "replayed: %s",
		       sqlite3_sql(statement));
}

/*
 * Again after a SQLITE_BUSY, until the call gives something else. *rows are of the last attempt.
 *
 * Return: 0 with *rc; RUN_ANEW; < 0.
 */
COLD int retry(struct run *run, sqlite3_stmt *statement, int64_t sum, int *rc, uint64_t *rows)
{
	const struct sc_busy *busy = &run->program->workload->busy;

	if (!run->program->explicit || busy->is_given)
		run->backoff = (struct backoff){0};
	while (is_busy(*rc)) {
		bool may_repeat;
		int r = 0;

		(void)sqlite3_reset(statement); /* repeats SQLITE_BUSY */
		run->tally->result_sum = sum;
		*rows = 0;
		may_repeat = is_repeatable(run, statement);
		if (!may_repeat)
			r = roll_back(run);
		if (r < 0)
			return r;
		if (!may_repeat && busy->is_given && !busy->replays)
			return fail_replay(run, statement);
		if (!pause_busy(run))
			return fail_patience(run);
		if (!may_repeat)
			return RUN_ANEW;
		*rc = step_through(run, statement, rows);
	}
	return 0;
}

HOT int run_bound(struct run *run, sqlite3_stmt *statement, const char *sql)
{
	int64_t sum = run->tally->result_sum;
	uint64_t rows = 0;
	int rc, r;

	if (run->stamps)
		run->commit_start_ns = syncost_now_ns();
	rc = step_through(run, statement, &rows);
	if (__builtin_expect(is_busy(rc), 0)) {
		r = retry(run, statement, sum, &rc, &rows);
		if (r != 0)
			return r;
	}
	run->tally->result_rows += rows;
	if (__builtin_expect(rc != SQLITE_DONE, 0))
		return fail_statement(run, sql);
	return 0;
}

COLD int run_unprepared(struct run *run, const struct sc_program_statement *self,
			const struct sc_value *row)
{
	sqlite3_stmt *statement = NULL;
	int rc, r;

	do /* to parse, the schema may have to be read */
		rc = sqlite3_prepare_v2(run->program->db, self->sql, (int)self->sql_bytes + 1,
					&statement, NULL);
	while (is_busy(rc) && pause_busy(run));
	if (rc != SQLITE_OK || bind_values(self, statement, row) != SQLITE_OK)
		r = fail_statement(run, self->sql);
	else
		r = run_bound(run, statement, self->sql);
	if (run->marks && statement)
		run->program->unprepared_steps +=
			(unsigned)sqlite3_stmt_status(statement, SQLITE_STMTSTATUS_VM_STEP, false);
	(void)sqlite3_finalize(statement); /* repeats the result of the step */
	return r;
}

HOT int run_statement(struct run *run, const struct sc_program_statement *self,
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

/*
 * The values of the operation after @row are seen once, and come from memory: asking for them while
 * this one runs saves the wait (about 150 ns an operation with a text of 100 bytes).
 */
HOT void fetch_next_values(const struct sc_value *row, size_t parameter_count)
{
	const struct sc_value *next = row + parameter_count;

	for (size_t i = 0; i < parameter_count; i++) {
		if (next[i].kind == SC_VALUE_INTEGER || next[i].byte_count == 0)
			continue;
		__builtin_prefetch(next[i].bytes);
		__builtin_prefetch(next[i].bytes + next[i].byte_count - 1);
	}
	__builtin_prefetch(next + parameter_count);
}

HOT int run_operation(struct run *run, const struct sc_block *block, uint64_t index)
{
	const struct sc_program *program = run->program;
	const struct sc_value *row = block->values + index * block->parameter_count;
	size_t count = program->workload->statement_count;
	int r = 0;

	if (index + 1 < block->count)
		fetch_next_values(row, block->parameter_count);
	for (size_t i = 0; i < count && r == 0; i++) {
		size_t at = program->named ? block->chosen[index * count + i] : i;

		r = run_statement(run, &program->statements[at], row);
	}
	return r;
}

/* Time outside is booked from one call into SQLite to the next: here is none, but an end of one. */
COLD void book_outside(const struct run *run)
{
	if (!run->marks)
		return;
	syncost_call_begin();
	syncost_call_end();
}

/* Open, ask, close: as a program that starts, asks once and ends. */
COLD int run_reopened(struct run *run, const struct sc_value *row)
{
	struct sc_program *program = run->program;
	const struct sc_program_place *place = program->options.place;
	SC_CLEANUP(sc_image_closep) struct sc_image *image = NULL;
	sqlite3 *own = program->db, *opened = NULL;
	int r = 0;

	if (place->is_snapshot)
		book_outside(run);
	if (place->is_snapshot) /* it is the program that reads the file */
		r = sc_image_open(place->path, place->setting, place->connection, &image, &opened,
				  run->error);
	if (run->marks)
		syncost_call_begin();
	if (!place->is_snapshot)
		r = sc_database_open(place->path, place->vfs, place->setting, place->connection,
				     &opened, run->error);
	if (r == 0) {
		program->db = opened;
		r = run_unprepared(run, &program->statements[0], row);
		program->db = own;
	}
	if (r == 0 && sqlite3_close(opened) != SQLITE_OK)
		r = sc_fail_sqlite(run->error, sqlite3_extended_errcode(opened), "close '%s'",
				   place->path);
	else if (r == 0)
		opened = NULL;
	sc_connection_closep(&opened);
	if (run->marks)
		syncost_call_end();
	return r;
}

HOT uint64_t end_operation(struct run *run)
{
	uint64_t now_ns = syncost_now_ns();

	if (__builtin_expect(run->notes_operations, 1))
		note(run->timing->op_buckets, &run->timing->op_ns_max, now_ns - run->last_ns);
	if (__builtin_expect(!run->is_scheduled, 1))
		run->last_ns = now_ns;
	run->tally->operations++;
	return now_ns;
}

/* That one statement did together, so that none of them has a time of its own: the mean for each.
 */
static uint64_t end_operations(struct run *run, uint64_t count)
{
	uint64_t now_ns = syncost_now_ns(), ns = (now_ns - run->last_ns) / count;
	struct sc_timing *timing = run->timing;

	if (run->notes_operations) {
		timing->op_buckets[sc_hist_bucket(ns)] += (uint32_t)count;
		timing->op_ns_max = ns > timing->op_ns_max ? ns : timing->op_ns_max;
	}
	if (!run->is_scheduled)
		run->last_ns = now_ns;
	run->tally->operations += count;
	return now_ns;
}

static inline void end_commit(struct run *run, uint64_t now_ns)
{
	note(run->timing->commit_buckets, &run->timing->commit_ns_max,
	     now_ns - run->commit_start_ns);
	if (__builtin_expect(run->program->options.watch != NULL, 0))
		sc_watch_time(run->program->options.watch, now_ns - run->commit_start_ns);
	run->tally->commits++;
}

/* The time of a commit at which a snapshot is let go is nobody's. */
COLD void pass_hold(struct run *run)
{
	if (sc_hold_pass(run->program->options.watch->gate) && !run->is_scheduled)
		run->last_ns = syncost_now_ns();
}

/* A commit in memory is none before its file has it. */
COLD int publish(struct run *run)
{
	int r = sc_image_publish(run->program->options.image, run->error);

	book_outside(run);
	return r;
}

/* Its own word last: what it counts is in the database. */
static inline void acknowledge(struct run *run)
{
	const struct sc_program_options *options = &run->program->options;

	if (__builtin_expect(!options->acknowledged, 1))
		return;
	if (run->program->workload->writes)
		(void)atomic_fetch_add_explicit(options->commits, 1, memory_order_relaxed);
	atomic_store_explicit(options->acknowledged, run->tally->operations, memory_order_release);
	if (options->watch)
		pass_hold(run);
}

/* Until the next transaction is due; one that is late begins at once. */
COLD void await_due(struct run *run)
{
	const struct sc_program_options *options = &run->program->options;
	uint64_t due_ns, now_ns = syncost_now_ns();

	due_ns = run->start_ns + (uint64_t)((double)run->due * options->due.every_ns);
	run->due += options->due.stride;
	run->last_ns = due_ns;
	if (now_ns + SPIN_NS < due_ns) {
		uint64_t ns = due_ns - now_ns - SPIN_NS;
		const struct timespec sleep = {
			.tv_sec = (time_t)(ns / 1000000000u),
			.tv_nsec = (long)(ns % 1000000000u),
		};

		(void)nanosleep(&sleep, NULL); /* what is left is spun away */
	}
	while (syncost_now_ns() < due_ns)
		;
}

bool sc_program_is_full(const struct sc_program *program)
{
	return atomic_load_explicit(program->is_full, memory_order_relaxed);
}

static inline bool may_go_on(const struct run *run, uint64_t end_ns)
{
	const _Atomic bool *is_over = run->program->options.is_over;

	return run->last_ns < end_ns && !sc_program_is_full(run->program) &&
	       !(is_over && atomic_load_explicit(is_over, memory_order_relaxed));
}

/* Operations from @first that go into one statement; one of them where that many are not left. */
static int run_rows(struct run *run, const struct sc_block *block, uint64_t first, uint64_t end,
		    uint64_t *ret_count)
{
	const struct sc_program *program = run->program;
	bool is_whole = end - first >= program->batch;

	*ret_count = is_whole ? program->batch : 1;
	return run_statement(run, &program->statements[is_whole ? 0 : 1],
			     block->values + first * block->parameter_count);
}

/* Statements of many operations that commit by themselves. */
static int run_batches(struct run *run, const struct sc_block *block, uint64_t end_ns)
{
	uint64_t count;

	for (uint64_t i = block->from; i < block->to && may_go_on(run, end_ns); i += count) {
		uint64_t now_ns;
		int r;

		if (run->is_scheduled)
			await_due(run);
		do
			r = run_rows(run, block, i, block->to, &count);
		while (r == RUN_ANEW);
		if (r == 0 && run->publishes)
			r = publish(run);
		if (r < 0)
			return r;
		now_ns = end_operations(run, count);
		end_commit(run, now_ns);
		acknowledge(run);
	}
	return 0;
}

static int run_reopening(struct run *run, const struct sc_block *block, uint64_t end_ns)
{
	for (uint64_t i = block->from; i < block->to && may_go_on(run, end_ns); i++) {
		int r;

		if (run->is_scheduled)
			await_due(run);
		r = run_reopened(run, block->values + i * block->parameter_count);
		if (r < 0)
			return r;
		(void)end_operation(run);
	}
	return 0;
}

/* Operations that commit by themselves, or that only read. */
static int run_single(struct run *run, const struct sc_block *block, uint64_t end_ns)
{
	for (uint64_t i = block->from; i < block->to && may_go_on(run, end_ns); i++) {
		uint64_t now_ns;
		int r;

		if (__builtin_expect(run->is_scheduled, 0))
			await_due(run);
		do
			r = run_operation(run, block, i);
		while (__builtin_expect(r == RUN_ANEW, 0));
		if (__builtin_expect(run->publishes, 0) && r == 0)
			r = publish(run);
		if (__builtin_expect(r < 0, 0))
			return r;
		now_ns = end_operation(run);
		if (run->stamps)
			end_commit(run, now_ns);
		acknowledge(run);
	}
	return 0;
}

/*
 * An attempt at operations @first up to, not with, @end, without the end of the last one. Those
 * below *ended have ended in an attempt before, and do so once: what it takes to repeat them is
 * time of the one that is under way.
 */
static int try_transaction(struct run *run, const struct sc_block *block, uint64_t first,
			   uint64_t end, uint64_t *ended)
{
	bool is_batched = run->program->batch > 1;
	uint64_t count = 1;
	int r;

	r = run_statement(run, &run->program->begin, block->values);
	for (uint64_t i = first; i < end && r == 0; i += count) {
		if (i > *ended) {
			if (is_batched)
				(void)end_operations(run, i - *ended);
			else
				(void)end_operation(run);
			*ended = i;
		}
		r = is_batched ? run_rows(run, block, i, end, &count)
			       : run_operation(run, block, i);
	}
	if (r != 0)
		return r;
	run->commit_start_ns = syncost_now_ns();
	return run_statement(run, &run->program->commit, block->values);
}

static int run_transaction(struct run *run, const struct sc_block *block, uint64_t first,
			   uint64_t end)
{
	uint64_t result_rows = run->tally->result_rows, ended = first, now_ns;
	uint64_t begin_ns;
	int64_t result_sum = run->tally->result_sum;
	int r;

	if (run->is_scheduled)
		await_due(run);
	begin_ns = run->last_ns;
	run->backoff = (struct backoff){0};
	while ((r = try_transaction(run, block, first, end, &ended)) == RUN_ANEW) {
		run->tally->result_rows = result_rows;
		run->tally->result_sum = result_sum;
	}
	if (r == 0 && run->publishes)
		r = publish(run);
	if (r < 0)
		return r;
	now_ns = end_operations(run, end - ended);
	if (!run->notes_operations)
		note(run->timing->op_buckets, &run->timing->op_ns_max,
		     (now_ns - begin_ns) / (end - first));
	if (run->program->workload->writes)
		end_commit(run, now_ns);
	acknowledge(run);
	return 0;
}

static int run_transactions(struct run *run, const struct sc_block *block, uint64_t end_ns)
{
	uint64_t rows = run->program->options.rows_per_commit;
	int r = 0;

	for (uint64_t i = block->from; i < block->to && may_go_on(run, end_ns) && r == 0; i += rows)
		r = run_transaction(run, block, i, block->to - i < rows ? block->to : i + rows);
	return r;
}

/* SQLite calls it after each commit, where it would else start a checkpoint itself. */
static int note_wal_pages(void *self, sqlite3 *db, const char *database, int pages)
{
	struct sc_program *program = self;

	(void)db;
	(void)database;
	if (pages >= program->wal_pages_max)
		atomic_store_explicit(program->is_full, true, memory_order_relaxed);
	return SQLITE_OK;
}

void sc_program_stay_fresh(struct sc_program *program, uint32_t pages)
{
	program->wal_pages_max = (int)pages;                          /* SQLite's own range */
	(void)sqlite3_wal_hook(program->db, note_wal_pages, program); /* gives the former context */
}

void sc_program_schedule(struct sc_program *program, struct sc_due due)
{
	program->options.due = due;
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
		.notes_operations = !program->explicit ||
				    program->workload->latency_of == SC_LATENCY_OF_OPERATION,
		.is_scheduled = program->options.due.every_ns > 0,
		.due = program->options.due.first,
		.publishes = program->options.image && program->workload->writes,
		.last_ns = syncost_now_ns(),
	};
	uint64_t end_ns = time_limit_ns ? run.last_ns + time_limit_ns : UINT64_MAX;

	run.start_ns = run.last_ns;
	run.random = ((uint32_t)run.last_ns ^ (uint32_t)getpid() << 16) | 1;
	if (program->workload->reopens)
		return run_reopening(&run, block, end_ns);
	if (program->explicit)
		return run_transactions(&run, block, end_ns);
	return program->batch > 1 ? run_batches(&run, block, end_ns)
				  : run_single(&run, block, end_ns);
}
