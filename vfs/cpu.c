/* SPDX-License-Identifier: MIT */

/*
 * Method. CLOCK_THREAD_CPUTIME_ID is exact to the nanosecond, user and system together; what the
 * thread waited for a processor while it could run is the second field of its schedstat. What is
 * left of the wall time, the thread was asleep: off_cpu.
 *
 * The readings bracket the call from outside, so a part of their own cost falls between the two
 * readings of thread CPU. That part, measured once as the smallest of many empty pairs, is taken
 * out; results are clamped so that the shares sum to the wall time given.
 *
 * The schedstat descriptor is opened once a thread. A program may close descriptors it does not
 * know and open files of its own under the same number; so before ours is closed its identity is
 * compared (closing a stranger's database file would drop that program's locks), and a reading
 * that does not look like schedstat, or goes backwards, ends the use of it.
 */

#include "cpu.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "ledger.h"

#define EMPTY_PAIRS   32
#define LONG_READINGS 100 /* pairs of readings that take as long as a long call */
#define FD_NONE       (-1)

_Atomic uint64_t sc_cpu_long_ns = UINT64_MAX;

static _Atomic uint64_t overhead_ns; /* of an empty pair, on the CPU clock */
static _Atomic uint64_t cost_ns;     /* of an empty pair, wall */

static bool read_thread_cpu(uint64_t *ret_ns)
{
	struct timespec now;

	if (clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) != 0)
		return false;
	*ret_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	return true;
}

/* Whether @fd still is the file that was opened. */
static bool is_ours(const struct sc_thread *thread, int fd)
{
	struct stat facts;

	return fstat(fd, &facts) == 0 && (uint64_t)facts.st_dev == thread->schedstat_device &&
	       (uint64_t)facts.st_ino == thread->schedstat_inode;
}

/* Under the tap's guard: what happens here is not the program's. */
static void open_schedstat(struct sc_thread *thread)
{
	struct stat facts;
	int fd;

	thread->tap_depth++;
	fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat",
			  O_RDONLY | O_CLOEXEC);
	thread->schedstat_fd = FD_NONE;
	if (fd >= 0 && fstat(fd, &facts) == 0) {
		thread->schedstat_device = (uint64_t)facts.st_dev;
		thread->schedstat_inode = (uint64_t)facts.st_ino;
		thread->schedstat_fd = fd + 1;
	} else if (fd >= 0) {
		(void)syscall(SYS_close, fd);
	}
	thread->tap_depth--;
}

/* Parses "cpu_ns run_delay_ns slices\n". */
static bool parse_run_delay(const char *text, const char *end, uint64_t *ret_ns)
{
	uint64_t values[3] = {0, 0, 0};

	for (int i = 0; i < 3; i++) {
		const char *start = text;

		while (text < end && *text >= '0' && *text <= '9')
			values[i] = values[i] * 10u + (uint64_t)(*text++ - '0');
		if (text == start || text >= end || *text != (i < 2 ? ' ' : '\n'))
			return false;
		text++;
	}
	*ret_ns = values[1];
	return true;
}

static uint64_t read_run_delay(struct sc_thread *thread)
{
	char text[96];
	uint64_t run_delay_ns;
	long length;

	if (thread->schedstat_fd == 0)
		open_schedstat(thread);
	if (thread->schedstat_fd == FD_NONE)
		return 0;

	length = syscall(SYS_pread64, thread->schedstat_fd - 1, text, sizeof(text), (off_t)0);
	if (length <= 0 || !parse_run_delay(text, text + length, &run_delay_ns)) {
		sc_cpu_release(thread);
		thread->schedstat_fd = FD_NONE;
		return 0;
	}
	return run_delay_ns;
}

/* Remembers a reading, for one that comes late. */
static void remember(struct sc_thread *thread, uint64_t cpu_ns, uint64_t run_delay_ns)
{
	thread->read_ns = sc_clock_ns();
	thread->read_mark = (struct sc_cpu_mark){cpu_ns, run_delay_ns};
}

bool sc_cpu_begin(struct sc_thread *thread, struct sc_cpu_mark *ret_mark)
{
	struct sc_cpu_mark mark;
	int saved = errno;
	bool is_read;

	mark.run_delay_ns = read_run_delay(thread);
	is_read = read_thread_cpu(&mark.cpu_ns);
	if (is_read) {
		remember(thread, mark.cpu_ns, mark.run_delay_ns);
		*ret_mark = mark;
	}
	errno = saved;
	return is_read;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static uint64_t without(uint64_t value, uint64_t less)
{
	return value > less ? value - less : 0;
}

/* Reads, and shares out @wall_ns; @elsewhere_ns of the CPU time since @mark is not the call's. */
static void share_out(struct sc_thread *thread, const struct sc_cpu_mark *mark, uint64_t wall_ns,
		      uint64_t elsewhere_ns, struct sc_cpu_share *ret_share)
{
	uint64_t cpu_ns = mark->cpu_ns, run_delay_ns;
	int saved = errno;

	(void)read_thread_cpu(&cpu_ns); /* succeeded for @mark */
	run_delay_ns = read_run_delay(thread);
	remember(thread, cpu_ns, run_delay_ns);

	cpu_ns = without(cpu_ns - mark->cpu_ns, elsewhere_ns);
	run_delay_ns = without(run_delay_ns, mark->run_delay_ns);
	ret_share->cpu_ns = min_u64(cpu_ns, wall_ns);
	ret_share->run_delay_ns = min_u64(run_delay_ns, wall_ns - ret_share->cpu_ns);
	ret_share->off_cpu_ns = wall_ns - ret_share->cpu_ns - ret_share->run_delay_ns;
	errno = saved;
}

void sc_cpu_end(struct sc_thread *thread, const struct sc_cpu_mark *mark, uint64_t wall_ns,
		struct sc_cpu_share *ret_share)
{
	share_out(thread, mark, wall_ns, atomic_load_explicit(&overhead_ns, memory_order_relaxed),
		  ret_share);
}

bool sc_cpu_end_late(struct sc_thread *thread, uint64_t start_ns, uint64_t wall_ns,
		     struct sc_cpu_share *ret_share)
{
	const uint64_t tolerance = 4;
	struct sc_cpu_mark mark = thread->read_mark;
	uint64_t before_ns = without(start_ns, thread->read_ns);
	bool is_known = thread->read_ns != 0 && before_ns <= wall_ns / tolerance;

	share_out(thread, &mark, wall_ns, before_ns, ret_share);
	return is_known;
}

/* One empty pair; what it adds to thread CPU, and what it takes. */
static bool try_empty_pair(struct sc_thread *thread, uint64_t *ret_overhead_ns,
			   uint64_t *ret_cost_ns)
{
	uint64_t before_ns = sc_clock_real_ns(), start_ns, wall_ns, cpu_ns;
	struct sc_cpu_mark mark;

	if (!sc_cpu_begin(thread, &mark))
		return false;
	start_ns = sc_clock_real_ns();
	wall_ns = sc_clock_real_ns() - start_ns;
	if (!read_thread_cpu(&cpu_ns))
		return false;
	(void)read_run_delay(thread); /* for what it takes */

	cpu_ns -= mark.cpu_ns;
	*ret_overhead_ns = cpu_ns > wall_ns ? cpu_ns - wall_ns : 0;
	*ret_cost_ns = sc_clock_real_ns() - before_ns;
	return true;
}

void sc_cpu_calibrate(struct sc_thread *thread)
{
	uint64_t best_overhead_ns = UINT64_MAX, best_cost_ns = UINT64_MAX;

	for (int i = 0; i < EMPTY_PAIRS; i++) {
		uint64_t pair_overhead_ns, pair_cost_ns;

		if (!try_empty_pair(thread, &pair_overhead_ns, &pair_cost_ns))
			return;
		best_overhead_ns = min_u64(best_overhead_ns, pair_overhead_ns);
		best_cost_ns = min_u64(best_cost_ns, pair_cost_ns);
	}
	atomic_store_explicit(&overhead_ns, best_overhead_ns, memory_order_relaxed);
	atomic_store_explicit(&cost_ns, best_cost_ns, memory_order_relaxed);
	atomic_store_explicit(&sc_cpu_long_ns, LONG_READINGS * best_cost_ns, memory_order_relaxed);
}

void sc_cpu_forget(void)
{
	atomic_store_explicit(&sc_cpu_long_ns, UINT64_MAX, memory_order_relaxed);
}

uint64_t sc_cpu_cost_ns(void)
{
	return atomic_load_explicit(&cost_ns, memory_order_relaxed);
}

void sc_cpu_release(struct sc_thread *thread)
{
	int fd = thread->schedstat_fd - 1;

	thread->tap_depth++;
	if (thread->schedstat_fd > 0 && is_ours(thread, fd))
		(void)syscall(SYS_close, fd);
	thread->schedstat_fd = 0;
	thread->tap_depth--;
}
