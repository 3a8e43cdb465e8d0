/* SPDX-License-Identifier: MIT */

/*
 * Clocks run around each call of sc_program_run() and stand still in between: while values are made
 * (a block, "sc-values"), and, in a ledger sample, while memory is looked at (a stretch of a
 * block). What the kernel counts for the process is read around blocks only, for that takes system
 * calls of its own, which nobody should find in the timed part.
 */

#include "execute-alone.h"

#include <sys/prctl.h>
#include <time.h>

#include "../base/clock.h"
#include "syncost.h"

static void enter(const char *phase)
{
	(void)prctl(PR_SET_NAME, phase); /* a name for tracers; fails for no readable text */
}

static uint64_t process_cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int sc_alone_prepare(struct sc_alone *self, struct sc_error *error)
{
	uint64_t count = sc_block_operations(self->program, self->operations);

	sc_work_log_init(&self->log,
			 self->instruments->is_wanted && self->db ? self->operations : 0,
			 sc_program_rows_per_commit(self->program));
	return sc_block_new(self->program, self->first, count, &self->block, error);
}

void sc_alone_fini(struct sc_alone *self)
{
	sc_block_freep(&self->block);
}

/* Whether there was no more time, or no more room in a WAL that is to stay fresh. */
static bool is_over(const struct sc_alone *self, const struct sc_timed_part *part)
{
	return (self->time_limit_ns && part->wall_ns >= self->time_limit_ns) ||
	       sc_program_is_full(self->program);
}

static int run_stretch(struct sc_alone *self, struct sc_timed_part *part, struct sc_error *error)
{
	uint64_t limit_ns = self->time_limit_ns ? self->time_limit_ns - part->wall_ns : 0;
	uint64_t start_ns, start_cpu_ns;
	int r;

	start_cpu_ns = process_cpu_ns();
	start_ns = sc_monotonic_ns();
	r = sc_program_run(self->program, self->block, limit_ns, &part->tally, self->timing, error);
	part->wall_ns += sc_monotonic_ns() - start_ns;
	part->cpu_ns += process_cpu_ns() - start_cpu_ns;
	if (self->instruments->is_registered)
		syncost_call_pause();
	return r;
}

/* @count: operations of the block */
static int run_block(struct sc_alone *self, uint64_t count, struct sc_timed_part *part,
		     struct sc_error *error)
{
	uint64_t length = self->log.stretch ? self->log.stretch : count;
	int r = 0;

	for (uint64_t from = 0; from < count && r == 0 && !is_over(self, part); from += length) {
		sc_block_choose(self->block, from, count - from < length ? count : from + length);
		sc_work_log_begin(&self->log, self->db);
		r = run_stretch(self, part, error);
		sc_work_log_end(&self->log, self->db, self->program, part->tally.operations);
	}
	return r;
}

/* One block of the timed part, its values there. @is_last: of those that are planned */
static int time_block(struct sc_alone *self, uint64_t count, bool is_last,
		      struct sc_timed_part *part, struct sc_error *error)
{
	uint64_t done = part->tally.operations;
	struct sc_usage before, after, usage;
	int r;

	before = sc_usage_read("");
	enter("sc-measure");
	r = run_block(self, count, part, error);
	enter(is_last || r < 0 || is_over(self, part) ? "sc-verify" : "sc-values");
	after = sc_usage_read("");
	usage = sc_usage_since(&after, &before);
	sc_usage_add(&part->usage, &usage);
	sc_block_count(self->block, part->tally.operations - done, &part->tally, self->sums);
	return r;
}

int sc_alone_run(struct sc_alone *self, struct sc_timed_part *ret_part, struct sc_error *error)
{
	struct sc_timed_part part = {.instruments = *self->instruments};
	uint64_t count = sc_block_operations(self->program, self->operations);
	int r = 0;

	for (uint64_t at = 0; at < self->operations && r == 0; at += count) {
		uint64_t left = self->operations - at;

		if (count > left)
			count = left;
		if (at > 0)
			r = sc_block_fill(self->block, self->program, self->first + at, count,
					  error);
		if (r == 0)
			r = time_block(self, count, count == left, &part, error);
		if (is_over(self, &part))
			break;
	}
	part.threads_ns = part.wall_ns;
	part.is_full = sc_program_is_full(self->program);
	*ret_part = part;
	return r;
}
