/* SPDX-License-Identifier: MIT */

/*
 * Method. SQLite's attempts do not block: one that fails is followed by a sleep and by all locks
 * anew. So a wait is for one byte of one file, and ends when that is got; or, when the thread
 * writes or syncs without it, at the last attempt. One that fails and is not repeated is no wait.
 *
 * Between threads of one process SQLite does not ask the kernel; there only the sleep tells, and
 * that it is one of SQLite's is known only inside a call into it.
 */

#include "wait.h"

#include <fcntl.h>
#include <string.h>

#include "commit.h"
#include "statement.h"

#define SHM_READ 123 /* the first of the read marks' lock bytes in the shared memory file */

static __thread struct {
	uint32_t database; /* 0: none */
	enum sc_role role;
	int64_t byte;
	bool is_repeated;
	uint64_t since_ns, last_ns;
} wait __attribute__((tls_model("initial-exec")));

static void end_at(struct sc_thread *thread, uint64_t end_ns)
{
	struct sc_database *database = &sc_ledger.meter->databases[wait.database];

	wait.database = 0;
	if (!wait.is_repeated || end_ns <= wait.since_ns)
		return;
	sc_add64(&thread->shard->lock_waits, 1);
	sc_add64(&thread->shard->lock_wait_ns, end_ns - wait.since_ns);
	(void)atomic_fetch_add_explicit(&database->lock_waits, 1, memory_order_relaxed);
	(void)atomic_fetch_add_explicit(&database->lock_wait_ns, end_ns - wait.since_ns,
					memory_order_relaxed);
	sc_tap_commit_waited(end_ns - wait.since_ns);
}

/* Before it tries the write lock again, SQLite looks for a read mark that nobody holds. */
static bool is_poll(uint32_t database, enum sc_role role, int64_t byte)
{
	return wait.database == database && wait.role == SC_ROLE_SHM && role == SC_ROLE_SHM &&
	       wait.byte < SHM_READ && byte >= SHM_READ;
}

void sc_tap_wait_lock(const struct sc_tap_call *call, uint32_t database, uint64_t end_ns,
		      bool is_failed)
{
	enum sc_role role = sc_tap_file_role(call->file);
	bool is_same;
	struct flock lock;

	memcpy(&lock, call->data, sizeof(lock));
	is_same = wait.database == database && wait.role == role && wait.byte == lock.l_start;
	if (!is_failed) {
		if (is_same)
			end_at(call->thread, end_ns);
		return;
	}
	sc_add64(&call->thread->shard->busy, 1);
	if (is_poll(database, role, lock.l_start))
		return;
	if (!is_same) {
		sc_tap_wait_moved_on(call->thread);
		wait.database = database;
		wait.role = role;
		wait.byte = lock.l_start;
		wait.since_ns = call->start_ns;
	}
	wait.is_repeated = is_same;
	wait.last_ns = end_ns;
}

void sc_tap_wait_moved_on(struct sc_thread *thread)
{
	if (wait.database)
		end_at(thread, wait.last_ns);
}

void sc_tap_wait_slept(uint64_t start_ns, uint64_t end_ns)
{
	struct sc_tap_frame *frame = sc_tap_statement_frame();
	struct sc_thread *thread;

	if (wait.database) {
		wait.is_repeated = true;
		wait.last_ns = end_ns;
		return;
	}
	thread = frame ? sc_thread_get() : NULL;
	if (!thread)
		return;
	sc_add64(&thread->shard->lock_waits, !frame->has_slept);
	sc_add64(&thread->shard->lock_wait_ns, end_ns - start_ns);
	frame->has_slept = true;
	sc_tap_commit_waited(end_ns - start_ns);
}
