/* SPDX-License-Identifier: MIT */

/*
 * Method. Two clock readings bound a call into SQLite; the running sums of the thread's VFS calls,
 * taken at the same moments, say how much of it was spent below. The rest is SQL. Between two calls
 * is outside.
 *
 * Around a sample of the calls, and of the times between, thread CPU is read (sample.h). What the
 * call's VFS calls were off the processor or delayed is subtracted: of those that were read
 * themselves (every sync in such a call) what was measured; the others are taken to be like the
 * calls of their part that this thread has read so far.
 *
 * Nested brackets are one call: the outermost.
 */

#include <string.h>
#include <sys/resource.h>

#include "syncost.h"

#include "call.h"
#include "checkpoint.h"
#include "commit.h"
#include "wait.h"

static bool is_cpu_on(void)
{
	return atomic_load_explicit(&sc_ledger.is_cpu_on, memory_order_relaxed);
}

/* Begins a reading if the sampler says so; false: none. */
static bool begin_reading(struct sc_thread *thread, enum sc_part part)
{
	struct sc_sampler *sampler = &thread->samplers[part];

	if (__builtin_expect(!sc_sampler_is_due(sampler), 1))
		return false;
	if (is_cpu_on() && sc_cpu_begin(thread, &thread->calls.mark))
		return true;
	sc_sampler_stop(sampler);
	return false;
}

static uint64_t count_major_faults(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) == 0 ? (uint64_t)usage.ru_majflt : 0;
}

static void read_faults(struct sc_thread *thread)
{
	struct sc_calls *calls = &thread->calls;
	uint64_t faults = count_major_faults();

	if (calls->has_faults && faults > calls->major_faults)
		sc_add64(&thread->shard->major_faults, faults - calls->major_faults);
	calls->has_faults = true;
	calls->major_faults = faults;
}

/* --- outside */

static void note_outside(struct sc_shard *shard, uint64_t wall_ns, const struct sc_cpu_share *share,
			 uint64_t weight)
{
	sc_add64(&shard->outside_cpu_n, 1);
	sc_add64(&shard->outside_cpu_wall_ns, weight * wall_ns);
	sc_add64(&shard->outside_cpu_ns, weight * share->cpu_ns);
	sc_add64(&shard->outside_run_delay_ns, weight * share->run_delay_ns);
}

/* Ends the reading around the time since the last call, or makes a late one; false: none. */
static bool end_outside_reading(struct sc_thread *thread, uint64_t wall_ns)
{
	struct sc_calls *calls = &thread->calls;
	struct sc_cpu_share share;

	if (__builtin_expect(calls->is_outside_read, 0)) {
		calls->is_outside_read = false;
		sc_cpu_end(thread, &calls->mark, wall_ns, &share);
		note_outside(thread->shard, wall_ns, &share,
			     sc_sampler_next(thread, &thread->samplers[SC_PART_OUTSIDE],
					     SC_PART_OUTSIDE, wall_ns));
		return true;
	}
	if (!sc_cpu_is_long(wall_ns))
		return false;
	if (sc_cpu_end_late(thread, calls->end_ns, wall_ns, &share))
		note_outside(thread->shard, wall_ns, &share, 1);
	return true;
}

/* Books the time since the last call; whether thread CPU was read for that. */
static bool end_outside(struct sc_thread *thread, uint64_t now_ns)
{
	struct sc_calls *calls = &thread->calls;
	uint64_t wall_ns;
	bool has_read;

	if (!calls->end_ns)
		return false;
	wall_ns = now_ns > calls->end_ns ? now_ns - calls->end_ns : 0;
	sc_add64(&thread->shard->outside_ns, wall_ns);
	has_read = end_outside_reading(thread, wall_ns);
	sc_sampler_add(thread, SC_PART_OUTSIDE, wall_ns);
	return has_read;
}

/* --- inside */

static double clamp(double value, double highest)
{
	return value < 0 ? 0 : value > highest ? highest : value;
}

struct asleep {
	double off_cpu_ns, run_delay_ns;
};

/* What the VFS calls from calls->begin to @end were off the processor, or waited for it. */
static struct asleep asleep_in_vfs(const struct sc_thread *thread, const struct sc_moment *end)
{
	const struct sc_calls *calls = &thread->calls;
	struct asleep asleep = {0, 0};

	for (int part = SC_PART_READ; part < SC_PART_COUNT_; part++) {
		const struct sc_readings *known = &thread->readings[part];
		const struct sc_readings *inside = &calls->inside[part];
		uint64_t part_ns = end->part_ns[part] - calls->begin.part_ns[part];
		double times = 0;

		if (known->wall_ns && part_ns > inside->wall_ns)
			times = (double)(part_ns - inside->wall_ns) / (double)known->wall_ns;
		asleep.off_cpu_ns += (double)inside->off_cpu_ns + times * (double)known->off_cpu_ns;
		asleep.run_delay_ns +=
			(double)inside->run_delay_ns + times * (double)known->run_delay_ns;
	}
	return asleep;
}

/* Books the SQL part of a call, @sql_ns, of which @share was read for the whole call. */
static void note_sql(struct sc_thread *thread, const struct sc_moment *end, uint64_t sql_ns,
		     const struct sc_cpu_share *share, uint64_t weight)
{
	uint64_t wait_ns = end->wait_sql_ns - thread->calls.begin.wait_sql_ns;
	struct asleep in_vfs = asleep_in_vfs(thread, end);
	struct sc_shard *shard = thread->shard;
	double off_cpu_ns, run_delay_ns;

	off_cpu_ns = clamp((double)share->off_cpu_ns - in_vfs.off_cpu_ns - (double)wait_ns,
			   (double)sql_ns);
	run_delay_ns = clamp((double)share->run_delay_ns - in_vfs.run_delay_ns,
			     (double)sql_ns - off_cpu_ns);

	sc_add64(&shard->sql_cpu_n, 1);
	sc_add64(&shard->sql_cpu_wall_ns, weight * sql_ns);
	sc_add64(&shard->sql_cpu_ns,
		 weight * (uint64_t)((double)sql_ns - off_cpu_ns - run_delay_ns));
	sc_add64(&shard->sql_run_delay_ns, weight * (uint64_t)run_delay_ns);
	read_faults(thread);
}

/* Ends the reading around the call up to @end, or makes a late one; false: none. */
static bool end_sql_reading(struct sc_thread *thread, const struct sc_moment *end, uint64_t sql_ns)
{
	struct sc_calls *calls = &thread->calls;
	uint64_t wall_ns = end->at_ns - calls->begin.at_ns;
	struct sc_cpu_share share;

	if (__builtin_expect(calls->is_sql_read, 0)) {
		calls->is_sql_read = false;
		sc_cpu_end(thread, &calls->mark, wall_ns, &share);
		note_sql(thread, end, sql_ns, &share,
			 sc_sampler_next(thread, &thread->samplers[SC_PART_SQL], SC_PART_SQL,
					 sql_ns));
		return true;
	}
	if (!sc_cpu_is_long(sql_ns))
		return false;
	if (sc_cpu_end_late(thread, calls->begin.at_ns, wall_ns, &share))
		note_sql(thread, end, sql_ns, &share, 1);
	return true;
}

/* Books the call from calls->begin to @end; returns its SQL part. */
static uint64_t book_inside(struct sc_thread *thread, const struct sc_moment *end)
{
	const struct sc_moment *begin = &thread->calls.begin;
	struct sc_shard *shard = thread->shard;
	uint64_t own_ns = end->own_ns - begin->own_ns;
	uint64_t wall_ns = end->at_ns > begin->at_ns ? end->at_ns - begin->at_ns : 0;
	uint64_t booked_ns = end->wait_sql_ns - begin->wait_sql_ns;

	wall_ns = wall_ns > own_ns ? wall_ns - own_ns : 0;
	for (int part = SC_PART_READ; part < SC_PART_COUNT_; part++) {
		uint64_t part_ns = end->part_ns[part] - begin->part_ns[part];

		if (part_ns)
			sc_add64(&shard->inside_part_ns[part], part_ns);
		booked_ns += part_ns;
	}
	sc_add64(&shard->calls, 1);
	sc_add64(&shard->inside_ns, wall_ns);
	if (own_ns)
		sc_add64(&shard->own_ns, own_ns);
	return wall_ns > booked_ns ? wall_ns - booked_ns : 0;
}

static void forget_inside(struct sc_calls *calls)
{
	memset(calls->inside, 0, sizeof(calls->inside));
	calls->has_inside = false;
}

void syncost_call_begin(void)
{
	struct sc_thread *thread = sc_thread_get();
	uint64_t now_ns;
	bool has_read;

	if (!thread || thread->calls.is_inside)
		return;
	now_ns = sc_clock_ns();
	has_read = end_outside(thread, now_ns);
	if (begin_reading(thread, SC_PART_SQL)) {
		thread->calls.is_sql_read = true;
		has_read = true;
	}
	if (__builtin_expect(!thread->calls.has_faults, 0) && is_cpu_on()) {
		read_faults(thread);
		has_read = true;
	}
	if (__builtin_expect(has_read, 0)) {
		uint64_t before_ns = now_ns;

		now_ns = sc_clock_ns();
		sc_add64(&thread->shard->own_ns, now_ns - before_ns);
	}
	thread->calls.is_inside = true;
	thread->calls.databases = 0;
	thread->calls.has_committed_before = false;
	if (thread->calls.has_inside)
		forget_inside(&thread->calls);
	sc_moment_take(thread, now_ns, &thread->calls.begin);
}

void syncost_call_end(void)
{
	struct sc_thread *thread = sc_thread_get();
	struct sc_calls *calls;
	struct sc_moment end;
	uint64_t now_ns, sql_ns;
	bool has_read;

	if (!thread || !thread->calls.is_inside)
		return;
	calls = &thread->calls;
	now_ns = sc_clock_ns();
	sc_wait_call_ends(thread, now_ns);
	sc_checkpoint_finish(thread);
	sc_moment_take(thread, now_ns, &end);
	sc_commit_call_ends(thread, &end);
	sql_ns = book_inside(thread, &end);
	calls->is_inside = false;

	has_read = end_sql_reading(thread, &end, sql_ns);
	sc_sampler_add(thread, SC_PART_SQL, sql_ns);
	if (begin_reading(thread, SC_PART_OUTSIDE)) {
		calls->is_outside_read = true;
		has_read = true;
	}
	if (__builtin_expect(has_read, 0)) {
		uint64_t before_ns = now_ns;

		now_ns = sc_clock_ns();
		sc_add64(&thread->shard->own_ns, now_ns - before_ns);
	}
	calls->end_ns = now_ns;
}

void syncost_call_pause(void)
{
	struct sc_thread *thread = sc_thread_get();

	if (!thread || thread->calls.is_inside)
		return;
	thread->calls.end_ns = 0;
	thread->calls.is_outside_read = false;
}
