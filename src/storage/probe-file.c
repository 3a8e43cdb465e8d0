/* SPDX-License-Identifier: MIT */

/*
 * Files that appear, shrink and go, and syncs that have nothing to write. A sample leaves the
 * directory as it was, and that is durable before the next one begins.
 */

#include "probe-kind.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "../base/clock.h"

#define NAME "file"

static int open_file(struct sc_probe_bench *bench, int flags, int *ret_fd)
{
	bench->what = "open";
	*ret_fd = openat(bench->fd, NAME, O_RDWR | O_CLOEXEC | flags, 0600);
	return *ret_fd < 0 ? -errno : 0;
}

static int write_page(struct sc_probe_bench *bench, const struct sc_probe_row *row, int fd)
{
	ssize_t written = pwrite(fd, bench->block, row->bytes, 0);

	bench->what = "pwrite";
	if (written < 0)
		return -errno;
	return (size_t)written == row->bytes ? 0 : -ENOSPC;
}

static int sync_file(struct sc_probe_bench *bench, int fd)
{
	bench->what = "fdatasync";
	return fdatasync(fd) < 0 ? -errno : 0;
}

/* As SQLite does: opened, synced, closed. */
static int sync_folder(struct sc_probe_bench *bench)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;

	bench->what = "open of the directory";
	fd = open(bench->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	bench->what = "fdatasync of the directory";
	return fdatasync(fd) < 0 ? -errno : 0;
}

static int remove_file(struct sc_probe_bench *bench)
{
	bench->what = "unlink";
	return unlinkat(bench->fd, NAME, 0) < 0 ? -errno : 0;
}

/* A file of one page, durable with its name. */
static int make_file(struct sc_probe_bench *bench, const struct sc_probe_row *row, int *ret_fd)
{
	int r = open_file(bench, O_CREAT | O_TRUNC, ret_fd);

	if (r == 0)
		r = write_page(bench, row, *ret_fd);
	if (r == 0)
		r = sync_file(bench, *ret_fd);
	return r == 0 ? sync_folder(bench) : r;
}

static int create(struct sc_probe_bench *bench, const struct sc_probe_row *row,
		  struct sc_probe_sample *sample)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	uint64_t start_ns, middle_ns, end_ns;
	int r;

	start_ns = sc_monotonic_ns();
	r = open_file(bench, O_CREAT | O_EXCL, &fd);
	if (r == 0)
		r = write_page(bench, row, fd);
	middle_ns = sc_monotonic_ns();
	if (r == 0)
		r = sync_file(bench, fd);
	if (r == 0)
		r = sync_folder(bench);
	end_ns = sc_monotonic_ns();

	sample->total_ns = end_ns - start_ns;
	sample->write_ns = middle_ns - start_ns;
	sample->sync_ns = end_ns - middle_ns;
	sc_fd_closep(&fd); /* its blocks are freed here, not in the next sample */
	if (r == 0)
		r = remove_file(bench);
	return r == 0 ? sync_folder(bench) : r;
}

static int shorten(struct sc_probe_bench *bench, const struct sc_probe_row *row,
		   struct sc_probe_sample *sample)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	uint64_t start_ns, middle_ns, end_ns;
	int r = make_file(bench, row, &fd);

	if (r < 0)
		return r;
	bench->what = "ftruncate";
	start_ns = sc_monotonic_ns();
	r = ftruncate(fd, 0) < 0 ? -errno : 0;
	middle_ns = sc_monotonic_ns();
	if (r == 0)
		r = sync_file(bench, fd);
	end_ns = sc_monotonic_ns();

	sample->total_ns = end_ns - start_ns;
	sample->write_ns = middle_ns - start_ns;
	sample->sync_ns = end_ns - middle_ns;
	sc_fd_closep(&fd);
	return r == 0 ? remove_file(bench) : r;
}

/* The descriptor is closed before, as SQLite does: the last name goes with the blocks. */
static int removal(struct sc_probe_bench *bench, const struct sc_probe_row *row,
		   struct sc_probe_sample *sample)
{
	uint64_t start_ns, middle_ns, end_ns;
	int fd = -1;
	int r = make_file(bench, row, &fd);

	sc_fd_closep(&fd);
	if (r < 0)
		return r;
	start_ns = sc_monotonic_ns();
	r = remove_file(bench);
	middle_ns = sc_monotonic_ns();
	if (r == 0)
		r = sync_folder(bench);
	end_ns = sc_monotonic_ns();

	sample->total_ns = end_ns - start_ns;
	sample->write_ns = middle_ns - start_ns;
	sample->sync_ns = end_ns - middle_ns;
	return r;
}

static int clean(struct sc_probe_bench *bench, bool is_folder, int fd,
		 struct sc_probe_sample *sample)
{
	uint64_t start_ns = sc_monotonic_ns();
	int r = is_folder ? sync_folder(bench) : sync_file(bench, fd);

	sample->total_ns = sc_monotonic_ns() - start_ns;
	sample->is_split = false;
	return r;
}

/* Of a clean file, which stays open for the block. */
struct work {
	int fd; /* -1: none */
};

static int open_work(struct sc_probe_bench *bench, const struct sc_probe_row *row, void **ret_self)
{
	struct work *work = calloc(1, sizeof(*work));
	int r;

	bench->what = "a row's memory";
	if (!work)
		return -ENOMEM;
	work->fd = -1;
	*ret_self = work;
	if (row->state == SC_PROBE_CLEAN) {
		r = make_file(bench, row, &work->fd);
		if (r < 0)
			return r;
		return remove_file(bench);
	}
	/* What an interrupted sample may have left. */
	if (unlinkat(bench->fd, NAME, 0) < 0 && errno != ENOENT)
		return -errno;
	return sync_folder(bench);
}

static void close_work(void *self)
{
	struct work *work = self;

	if (!work)
		return;
	sc_fd_closep(&work->fd);
	free(work);
}

static int once(struct sc_probe_bench *bench, const struct sc_probe_row *row, void *self,
		struct sc_probe_sample *sample)
{
	struct work *work = self;

	*sample = (struct sc_probe_sample){.is_split = true};
	sc_probe_bench_fill(bench, row->bytes);
	switch ((int)row->state) {
	case SC_PROBE_CREATE:
		return create(bench, row, sample);
	case SC_PROBE_TRUNCATE:
		return shorten(bench, row, sample);
	case SC_PROBE_UNLINK:
		return removal(bench, row, sample);
	default:
		return clean(bench, row->state == SC_PROBE_CLEAN_FOLDER, work->fd, sample);
	}
}

const struct sc_probe_kind sc_probe_kind_file = {
	.open = open_work,
	.once = once,
	.close = close_work,
};
