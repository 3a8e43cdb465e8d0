/* SPDX-License-Identifier: MIT */

/*
 * Rows that write and sync one file. It stays from block to block, one for each state and size, and
 * apart for O_DIRECT, which would throw the others' pages out of the cache.
 *
 *	overwrite    SLOTS places in turn, built before; pages: as many as a write of them needs
 *	append       at the end; a file that got too long begins again, outside of the timing
 *	fallocated   from the beginning of space that was reserved, as above
 *
 * What a method left in the page cache is synced at the end of a block, so that the next row does
 * not pay for it.
 */

#include "probe-kind.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "../base/clock.h"

#define SLOTS        64u
#define SPREAD       8u /* pages from one to the next */
#define GROWTH_BYTES (16u << 20)

struct work {
	struct sc_probe_writer writer;
	uint64_t next;     /* overwrite: slot; else: offset */
	uint64_t end;      /* offset where it begins again */
	bool begins_again; /* the next sample follows a preparation */
};

static bool is_overwrite(const struct sc_probe_row *row)
{
	return row->state == SC_PROBE_OVERWRITE;
}

static uint64_t stride_of(const struct sc_probe_row *row)
{
	return row->is_spread ? SPREAD * row->bytes : row->bytes;
}

/* To nothing, and reserved where that is the state. */
static int begin_again(struct sc_probe_bench *bench, const struct sc_probe_row *row,
		       struct work *work)
{
	int fd = work->writer.fd;

	bench->what = "ftruncate";
	if (ftruncate(fd, 0) < 0)
		return -errno;
	if (row->state == SC_PROBE_FALLOCATED) {
		bench->what = "fallocate"; /* the call: libc's substitute would write */
		if (fallocate(fd, 0, 0, (off_t)work->end) < 0)
			return -errno;
	}
	bench->what = "fsync";
	if (fsync(fd) < 0)
		return -errno;
	work->next = 0;
	work->begins_again = true;
	return 0;
}

/* Through a descriptor of its own: the method's flags would make it slow. */
static int build(struct sc_probe_bench *bench, const struct sc_probe_row *row, const char *name)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	uint64_t slots = row->pages > 1 ? row->pages : SLOTS;

	bench->what = "open";
	fd = openat(bench->fd, name, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	return sc_probe_bench_build(bench, fd, slots * stride_of(row));
}

static int prepare(struct sc_probe_bench *bench, const struct sc_probe_row *row, struct work *work)
{
	struct stat status;

	if (is_overwrite(row))
		return 0;
	work->end = GROWTH_BYTES - GROWTH_BYTES % row->bytes;
	if (row->state == SC_PROBE_FALLOCATED)
		return begin_again(bench, row, work);
	bench->what = "fstat";
	if (fstat(work->writer.fd, &status) < 0)
		return -errno;
	work->next = (uint64_t)status.st_size;
	return 0;
}

static void close_work(void *self)
{
	struct work *work = self;

	if (!work)
		return;
	if (work->writer.fd >= 0)
		(void)fdatasync(work->writer.fd); /* of no sample; errors have been seen there */
	sc_probe_writer_close(&work->writer);
	free(work);
}

static int open_work(struct sc_probe_bench *bench, const struct sc_probe_row *row, void **ret_self)
{
	struct work *work = calloc(1, sizeof(*work));
	char name[64];
	int r;

	bench->what = "a row's memory";
	if (!work)
		return -ENOMEM;
	work->writer.fd = -1;
	*ret_self = work;
	(void)snprintf(name, sizeof(name), "%s-%u-%u%s%s", sc_probe_state_name(row->state),
		       (unsigned int)row->bytes, (unsigned int)row->pages,
		       row->is_spread ? "-spread" : "",
		       sc_probe_method_is_direct(row->method) ? "-direct" : "");
	if (is_overwrite(row)) {
		r = build(bench, row, name);
		if (r < 0)
			return r;
	}
	r = sc_probe_writer_open(bench, row->method, name, &work->writer);
	return r < 0 ? r : prepare(bench, row, work);
}

static void pause_before(const struct sc_probe_row *row)
{
	struct timespec left = {
		.tv_sec = (time_t)(row->pause_ns / 1000000000u),
		.tv_nsec = (long)(row->pause_ns % 1000000000u),
	};

	if (row->pause_ns > 0)
		(void)nanosleep(&left, NULL); /* a signal: the operation may as well come now */
}

static uint64_t place_of(const struct sc_probe_row *row, struct work *work)
{
	uint64_t offset;

	if (is_overwrite(row))
		return work->next++ % (row->pages > 1 ? row->pages : SLOTS) * stride_of(row);
	offset = work->next;
	work->next += row->bytes;
	return offset;
}

static int write_all(struct sc_probe_bench *bench, const struct sc_probe_row *row,
		     struct work *work)
{
	for (uint32_t i = 0; i < row->pages; i++) {
		int r = sc_probe_writer_write(&work->writer, bench->block, row->bytes,
					      place_of(row, work), &bench->what);

		if (r < 0)
			return r;
	}
	return 0;
}

static int once(struct sc_probe_bench *bench, const struct sc_probe_row *row, void *self,
		struct sc_probe_sample *sample)
{
	struct work *work = self;
	uint64_t start_ns, middle_ns, end_ns;
	int r;

	if (!is_overwrite(row) && work->next + row->bytes * row->pages > work->end) {
		r = begin_again(bench, row, work);
		if (r < 0)
			return r;
	}
	sc_probe_bench_fill(bench, row->bytes);
	pause_before(row);

	start_ns = sc_monotonic_ns();
	r = write_all(bench, row, work);
	middle_ns = sc_monotonic_ns();
	if (r == 0)
		r = sc_probe_writer_sync(&work->writer, &bench->what);
	end_ns = sc_monotonic_ns();

	*sample = (struct sc_probe_sample){
		.total_ns = end_ns - start_ns,
		.write_ns = middle_ns - start_ns,
		.sync_ns = end_ns - middle_ns,
		.is_split = sc_probe_method_is_split(row->method),
		.is_discarded = work->begins_again,
	};
	work->begins_again = false;
	return r;
}

const struct sc_probe_kind sc_probe_kind_write = {
	.open = open_work,
	.once = once,
	.close = close_work,
};
