/* SPDX-License-Identifier: MIT */

/*
 * Method. SQLite's lock calls do not block: they come back BUSY, the busy handler sleeps, and all
 * begins anew, lower locks first. So a wait is an attempt at one lock (a level of a main file, a
 * lock byte of a WAL), and ends when that handle gets that lock, or a higher one.
 *
 * It is given up when the thread does what no attempt would: writes, syncs, truncates, deletes; or
 * when the bracketed call returns. Reads do belong to an attempt (the change counter is read
 * between SHARED and RESERVED). Without brackets only those after one of SQLite's own sleeps are
 * taken for that, others end the wait where the last attempt ended; a busy handler of the
 * program's that sleeps by itself is then not seen.
 *
 * A single BUSY that is not tried again is no wait: a passive checkpoint asks for the readers'
 * locks and goes on without them.
 *
 * What of a wait lies outside of VFS calls would be taken for SQL; it is moved to the locks.
 */

#include "wait.h"

#include "call.h"

/* A retry takes the lower locks of a main file first, and may be stopped there. */
static bool is_same_attempt(int wanted, int busy)
{
	return wanted == busy || (wanted < SC_WAIT_SHM && busy < SC_WAIT_SHM);
}

/* Before it tries the write lock again, SQLite looks for a read mark that nobody holds. */
static bool is_poll(int wanted, int busy)
{
	const int first_reader = SC_WAIT_SHM + 3;

	return wanted >= SC_WAIT_SHM && wanted < first_reader && busy >= first_reader;
}

void sc_wait_busy(struct sc_thread *thread, struct sc_file *file, int wanted, uint64_t start_ns,
		  uint64_t end_ns)
{
	struct sc_wait *wait = &thread->calls.wait;
	uint64_t vfs_ns = sc_thread_booked_ns(thread), call_ns = end_ns - start_ns;

	sc_add64(&thread->shard->busy, 1);
	if (wait->file == file && is_same_attempt(wait->wanted, wanted)) {
		wait->has_retried = true;
		wait->wanted =
			wanted < SC_WAIT_SHM && wanted > wait->wanted ? wanted : wait->wanted;
	} else if (wait->file == file && is_poll(wait->wanted, wanted)) {
		return;
	} else {
		sc_wait_moved_on(thread);
		*wait = (struct sc_wait){
			.file = file,
			.wanted = wanted,
			.since_ns = start_ns,
			.vfs_since_ns = vfs_ns > call_ns ? vfs_ns - call_ns : 0,
		};
	}
	wait->is_resuming = false;
	wait->last_ns = end_ns;
	wait->vfs_last_ns = vfs_ns;
}

void sc_wait_sleep_slow(struct sc_thread *thread, uint64_t end_ns)
{
	struct sc_wait *wait = &thread->calls.wait;

	wait->has_retried = true;
	wait->is_resuming = true;
	wait->last_ns = end_ns;
	wait->vfs_last_ns = sc_thread_booked_ns(thread);
}

/* Books the present wait as over at @end_ns, when @vfs_ns had been booked. */
static void end_at(struct sc_thread *thread, uint64_t end_ns, uint64_t vfs_ns)
{
	struct sc_wait *wait = &thread->calls.wait;
	uint64_t wait_ns = end_ns > wait->since_ns ? end_ns - wait->since_ns : 0;
	uint64_t inside_ns = vfs_ns - wait->vfs_since_ns;

	wait->file = NULL;
	sc_add64(&thread->shard->lock_waits, 1);
	sc_add64(&thread->shard->lock_wait_ns, wait_ns);
	if (thread->calls.is_inside && wait_ns > inside_ns) {
		thread->wait_sql_ns += wait_ns - inside_ns;
		sc_add64(&thread->shard->lock_wait_sql_ns, wait_ns - inside_ns);
	}
}

void sc_wait_end(struct sc_thread *thread, uint64_t end_ns)
{
	/* Without brackets, nobody knows whose time it is that passed since a single BUSY. */
	if (thread->calls.wait.has_retried || thread->calls.is_inside)
		end_at(thread, end_ns, sc_thread_booked_ns(thread));
	else
		thread->calls.wait.file = NULL;
}

void sc_wait_call_ends_slow(struct sc_thread *thread, uint64_t end_ns)
{
	if (thread->calls.wait.has_retried)
		sc_wait_end(thread, end_ns);
	else
		thread->calls.wait.file = NULL;
}

void sc_wait_give_up(struct sc_thread *thread)
{
	const struct sc_wait *wait = &thread->calls.wait;

	if (wait->has_retried)
		end_at(thread, wait->last_ns, wait->vfs_last_ns);
	else
		thread->calls.wait.file = NULL;
}
