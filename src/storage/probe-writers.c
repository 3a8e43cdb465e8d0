/* SPDX-License-Identifier: MIT */

/*
 * Several threads write to one file and each waits for its own fdatasync: how far the storage, and
 * the file system above it, commit a group for the price of one. Places of a thread are its own, so
 * that nobody waits for a page that another one holds.
 *
 * A thread keeps its times in memory that was allocated before it began; they are put together when
 * all are done. The rate is that of all of them together, over the time from the first to the last.
 */

#include "probe-kind.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "../base/clock.h"

#define SLOTS     16u /* of a thread */
#define TIMES_MAX 4096u

struct work;

struct thread {
	struct work *work;
	pthread_t id;
	uint32_t index;
	uint64_t *times; /* total and sync in turn; owned */
	uint64_t count;  /* operations */
	int code;
	const char *what;
};

struct work {
	int fd;
	const struct sc_probe_row *row;
	const unsigned char *block;
	struct thread *threads; /* owned; row->writers of them */
	pthread_mutex_t gate;   /* held until all are there */
	bool is_off;            /* they are not: go home */
	uint64_t quota, time_ns;
	const struct sc_probe_bench *bench;
};

static int one(struct thread *thread, uint64_t number, uint64_t times[2])
{
	const struct work *work = thread->work;
	uint64_t slot = thread->index * SLOTS + number % SLOTS;
	uint64_t start_ns = sc_monotonic_ns(), middle_ns;
	ssize_t written =
		pwrite(work->fd, work->block, work->row->bytes, (off_t)(slot * work->row->bytes));

	thread->what = "pwrite";
	if (written < 0)
		return -errno;
	if ((size_t)written != work->row->bytes)
		return -ENOSPC;
	middle_ns = sc_monotonic_ns();
	thread->what = "fdatasync";
	if (fdatasync(work->fd) < 0)
		return -errno;
	times[1] = sc_monotonic_ns() - middle_ns;
	times[0] = middle_ns - start_ns + times[1];
	return 0;
}

static void *run(void *self)
{
	struct thread *thread = self;
	const struct work *work = thread->work;
	const struct sc_probe_bench *bench = work->bench;
	uint64_t begin_ns;

	(void)pthread_mutex_lock(&thread->work->gate);
	(void)pthread_mutex_unlock(&thread->work->gate);
	if (work->is_off)
		return NULL;
	begin_ns = sc_monotonic_ns();
	do {
		thread->code = one(thread, thread->count, thread->times + 2 * thread->count);
		if (thread->code < 0)
			break;
		thread->count++;
	} while (thread->count < work->quota && sc_monotonic_ns() - begin_ns < work->time_ns &&
		 !(bench->should_stop && bench->should_stop(bench->self)));
	return NULL;
}

static void close_work(void *self)
{
	struct work *work = self;

	if (!work)
		return;
	for (uint32_t i = 0; work->threads && i < work->row->writers; i++)
		free(work->threads[i].times);
	free(work->threads);
	(void)pthread_mutex_destroy(&work->gate);
	sc_fd_closep(&work->fd);
	free(work);
}

static int open_work(struct sc_probe_bench *bench, const struct sc_probe_row *row, void **ret_self)
{
	struct work *work = calloc(1, sizeof(*work));

	bench->what = "a row's memory";
	if (!work)
		return -ENOMEM;
	*work = (struct work){.fd = -1, .row = row, .block = bench->block, .bench = bench};
	(void)pthread_mutex_init(&work->gate, NULL); /* of the default kind: never fails */
	*ret_self = work;
	work->threads = calloc(row->writers, sizeof(*work->threads));
	if (!work->threads)
		return -ENOMEM;
	for (uint32_t i = 0; i < row->writers; i++) {
		work->threads[i] = (struct thread){.work = work, .index = i};
		work->threads[i].times = calloc(2 * TIMES_MAX, sizeof(uint64_t));
		if (!work->threads[i].times)
			return -ENOMEM;
	}
	bench->what = "open";
	work->fd = openat(bench->fd, "writers", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (work->fd < 0)
		return -errno;
	return sc_probe_bench_build(bench, work->fd, row->writers * SLOTS * row->bytes);
}

/* All of them, or none. The caller holds the gate. Return: how many there are. */
static uint32_t start(struct work *work, int *ret_code)
{
	*ret_code = 0;
	for (uint32_t i = 0; i < work->row->writers; i++) {
		work->threads[i].count = 0;
		work->threads[i].code = 0;
		*ret_code = -pthread_create(&work->threads[i].id, NULL, run, &work->threads[i]);
		if (*ret_code < 0) {
			work->is_off = true;
			return i;
		}
	}
	return work->row->writers;
}

/* The first of each thread is dropped: it ran while others were not there yet. */
static void keep(const struct thread *thread, struct sc_probe_samples *samples)
{
	for (uint64_t i = thread->count > 1 ? 1 : 0; i < thread->count; i++) {
		const struct sc_probe_sample sample = {
			.total_ns = thread->times[2 * i],
			.write_ns = thread->times[2 * i] - thread->times[2 * i + 1],
			.sync_ns = thread->times[2 * i + 1],
			.is_split = true,
		};

		if (!sc_probe_samples_add(samples, &sample))
			return;
	}
}

static int block(struct sc_probe_bench *bench, const struct sc_probe_row *row, void *self,
		 uint64_t quota, uint64_t time_ns, struct sc_probe_samples *samples)
{
	struct work *work = self;
	uint64_t begin_ns;
	uint32_t count;
	int r;

	work->quota = quota / row->writers + 2;
	if (work->quota > TIMES_MAX)
		work->quota = TIMES_MAX;
	work->time_ns = time_ns;
	sc_probe_bench_fill(bench, row->bytes);
	bench->what = "pthread_create";
	(void)pthread_mutex_lock(&work->gate);
	count = start(work, &r);
	begin_ns = sc_monotonic_ns();
	(void)pthread_mutex_unlock(&work->gate);
	for (uint32_t i = 0; i < count; i++)
		(void)pthread_join(work->threads[i].id, NULL);
	if (r < 0)
		return r;

	samples->wall_ns += sc_monotonic_ns() - begin_ns;
	for (uint32_t i = 0; i < count; i++) {
		const struct thread *thread = &work->threads[i];

		if (thread->code < 0) {
			bench->what = thread->what;
			r = thread->code;
		}
		samples->done += thread->count;
		keep(thread, samples);
	}
	return r;
}

const struct sc_probe_kind sc_probe_kind_writers = {
	.open = open_work,
	.block = block,
	.close = close_work,
};
