/* SPDX-License-Identifier: MIT */

/*
 * Method. The operations' table says which calls are timed: each of those that move data or sync,
 * one in n of the cheap ones, chosen at random so that the fixed pattern of a commit's calls does
 * not always offer the same one. Whether a call is counted never depends on it.
 *
 * Around a sync the thread's CPU time and run delay are read as well, or around a sample of syncs
 * where these are so fast that reading would cost more (sample.h). Under a shim it says when, and
 * finds the shares in the thread's state together with what reading them took, to take that out of
 * its own interval.
 */

#include "record.h"

#include <errno.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../ops.h"
#include "../sample.h"
#include "transaction.h"
#include "watch.h"

_Atomic uint32_t sc_tap_on;
__thread uint32_t sc_tap_last_database __attribute__((tls_model("initial-exec")));

static bool is_chosen(struct sc_thread *thread, enum sc_op op)
{
	uint32_t every = sc_ops[op].every;

	return every <= 1 || (uint64_t)sc_random(thread) * every <= UINT32_MAX;
}

static bool is_sync(enum sc_op op)
{
	return op == SC_OP_FSYNC || op == SC_OP_FDATASYNC || op == SC_OP_MSYNC;
}

/* Whether to read thread CPU around this sync. Under the shim, it is the shim that decides. */
static bool is_reading_due(struct sc_thread *thread)
{
	if (!atomic_load_explicit(&sc_ledger.is_cpu_on, memory_order_relaxed))
		return false;
	if (thread->vfs_depth > 0)
		return thread->below.is_wanted;
	return sc_sampler_is_due(&thread->samplers[SC_PART_SYNC]);
}

bool sc_tap_begin(struct sc_tap_call *call, sc_tap_file file, enum sc_op op)
{
	if (file == SC_TAP_STRANGER || sc_tap_is_inside())
		return false;

	sc_thread_self.tap_depth++; /* attaching may map the meter of a new process */
	call->thread = sc_thread_get();
	if (!call->thread) {
		sc_thread_self.tap_depth--;
		return false;
	}

	call->file = file;
	call->op = op;
	call->fd = -1;
	call->data = NULL;
	call->is_timed = is_chosen(call->thread, op);
	call->has_cpu = false;
	if (is_sync(op) && is_reading_due(call->thread)) {
		call->before_ns = sc_clock_real_ns();
		call->has_cpu = sc_cpu_begin(call->thread, &call->mark);
	}
	if (call->is_timed)
		call->start_ns = sc_clock_real_ns();
	return true;
}

bool sc_tap_begin_fd(struct sc_tap_call *call, int fd, enum sc_op op)
{
	sc_tap_file file;
	bool has_begun;

	if (sc_tap_is_inside())
		return false;
	file = sc_tap_fd_file(fd);
	if (file == SC_TAP_STRANGER)
		return sc_tap_watch_is_on() && sc_tap_watch_begin(call, fd, op);
	if (sc_tap_watch_is_on())
		sc_tap_watch_known(fd, file);
	has_begun = sc_tap_begin(call, file, op);
	call->fd = fd;
	return has_begun;
}

static void leave_below(struct sc_below *below, uint64_t wall_ns, const struct sc_cpu_share *share,
			uint64_t own_ns)
{
	below->n++;
	below->wall_ns += wall_ns;
	below->cpu_ns += share->cpu_ns;
	below->run_delay_ns += share->run_delay_ns;
	below->off_cpu_ns += share->off_cpu_ns;
	below->own_ns += own_ns;
}

/* Books the shares of a sync that ran from call->start_ns to @end_ns, and what reading them took.
 */
static void note_cpu(const struct sc_tap_call *call, struct sc_series *series, uint64_t end_ns)
{
	struct sc_thread *thread = call->thread;
	bool is_under_shim = thread->vfs_depth > 0;
	uint64_t wall_ns = end_ns - call->start_ns, own_ns;
	struct sc_cpu_share share;
	uint32_t weight = 1;

	sc_cpu_end(thread, &call->mark, wall_ns, &share);
	if (!is_under_shim)
		weight = sc_sampler_next(thread, &thread->samplers[SC_PART_SYNC], SC_PART_SYNC,
					 wall_ns);
	sc_ledger_note_cpu(series, weight, wall_ns, share.cpu_ns, share.run_delay_ns);

	own_ns = (sc_clock_real_ns() - call->before_ns) - wall_ns;
	if (is_under_shim)
		leave_below(&thread->below, wall_ns, &share, own_ns);
	else
		thread->own_ns += own_ns;
}

static void note(const struct sc_tap_call *call, struct sc_series *series, uint64_t end_ns,
		 bool is_failed, uint64_t bytes)
{
	struct sc_thread *thread = call->thread;
	uint64_t ns = call->is_timed ? end_ns - call->start_ns : 0;

	sc_ledger_note(series, call->is_timed, ns, bytes, is_failed, thread->checkpoint_depth > 0);
	if (call->has_cpu)
		note_cpu(call, series, end_ns);
	if (thread->vfs_depth == 0 && is_sync(call->op))
		thread->samplers[SC_PART_SYNC].ns += ns;
}

/* Whether the tap tells the size of the file the call acted on. */
static bool feeds_sizes(const struct sc_tap_call *call)
{
	return call->thread->vfs_depth == 0 && sc_tap_file_database(call->file) != 0;
}

bool sc_tap_end(struct sc_tap_call *call, bool is_failed, uint64_t bytes)
{
	uint64_t end_ns = call->is_timed ? sc_clock_real_ns() : 0;
	uint32_t database = sc_tap_file_database(call->file);
	struct sc_thread *thread = call->thread;
	struct sc_series *series;
	int saved = errno;

	if (__builtin_expect(call->file == SC_TAP_SUSPECT, 0)) {
		sc_tap_watch_end(call, end_ns, is_failed, bytes);
		errno = saved;
		return false;
	}
	series = sc_ledger_series(thread, SC_INSTRUMENT_LIBC, database,
				  sc_tap_file_role(call->file), call->op);
	if (series)
		note(call, series, end_ns, is_failed, bytes);
	if (database)
		sc_tap_last_database = database;
	if (database && sc_tap_watch_is_on())
		sc_tap_transaction_call(call, end_ns, is_failed ? saved : 0, bytes);
	thread->tap_depth--;
	errno = saved;
	return !is_failed && feeds_sizes(call);
}

bool sc_tap_note(struct sc_tap_call *ret_call, sc_tap_file file, enum sc_op op, uint64_t start_ns,
		 uint64_t end_ns, bool is_failed)
{
	uint32_t database = sc_tap_file_database(file);
	struct sc_series *series = NULL;

	if (file == SC_TAP_STRANGER || sc_tap_is_inside())
		return false;

	sc_thread_self.tap_depth++;
	*ret_call = (struct sc_tap_call){
		.thread = sc_thread_get(),
		.file = file,
		.op = op,
		.fd = -1,
		.start_ns = start_ns,
	};
	if (ret_call->thread)
		series = sc_ledger_series(ret_call->thread, SC_INSTRUMENT_LIBC, database,
					  sc_tap_file_role(file), op);
	if (series)
		sc_ledger_note(series, true, end_ns - start_ns, 0, is_failed,
			       ret_call->thread->checkpoint_depth > 0);
	if (ret_call->thread && database && sc_tap_watch_is_on())
		sc_tap_transaction_call(ret_call, end_ns, is_failed ? errno : 0, 0);
	sc_thread_self.tap_depth--;
	if (database)
		sc_tap_last_database = database;
	return ret_call->thread && !is_failed && feeds_sizes(ret_call);
}

/* --- sizes */

void sc_tap_size_set(const struct sc_tap_call *call, int64_t size)
{
	sc_ledger_size(sc_tap_file_database(call->file), sc_tap_file_role(call->file),
		       (uint64_t)size);
}

void sc_tap_size_reach(const struct sc_tap_call *call, int64_t offset, int64_t count)
{
	const struct sc_database *database =
		&sc_ledger.meter->databases[sc_tap_file_database(call->file)];
	uint64_t end = (uint64_t)offset + (uint64_t)count;

	if (end > atomic_load_explicit(&database->size_bytes[sc_tap_file_role(call->file)],
				       memory_order_relaxed))
		sc_tap_size_set(call, (int64_t)end);
}

/* The old file is gone before the new one has its name, as for who adds them up. */
void sc_tap_size_move(sc_tap_file from, sc_tap_file to)
{
	uint32_t source = sc_tap_file_database(from), target = sc_tap_file_database(to);
	uint64_t bytes;

	if (from == SC_TAP_STRANGER || source == 0)
		return;
	bytes = sc_ledger_size_known(source, sc_tap_file_role(from));
	sc_ledger_size(source, sc_tap_file_role(from), 0);
	if (to != SC_TAP_STRANGER && target != 0)
		sc_ledger_size(target, sc_tap_file_role(to), bytes);
}

void sc_tap_size_ask(const struct sc_tap_call *call, int fd)
{
	struct stat facts;
	int saved = errno;

	if (syscall(SYS_fstat, fd, &facts) == 0 && S_ISREG(facts.st_mode))
		sc_tap_size_set(call, facts.st_size);
	errno = saved;
}
