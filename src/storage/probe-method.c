/* SPDX-License-Identifier: MIT */

/*
 * The ways to write. A short write is a full disk: pwrite() says ENOSPC only when nothing fits.
 */

#include "probe-kind.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/uio.h>
#include <unistd.h>

enum how { BY_PWRITE, BY_PWRITEV2, BY_LINK, BY_RING };
enum then { NOTHING, FDATASYNC, FSYNC, RANGE };

/* clang-format off */
static const struct {
	int flags; /* of open() */
	enum how how;
	enum then then;
	bool is_split;
} ways[] = {
	[SC_PROBE_FDATASYNC] =        {0,                  BY_PWRITE,   FDATASYNC, true},
	[SC_PROBE_FSYNC] =            {0,                  BY_PWRITE,   FSYNC,     true},
	[SC_PROBE_DSYNC] =            {O_DSYNC,            BY_PWRITE,   NOTHING,   false},
	[SC_PROBE_RWF_DSYNC] =        {0,                  BY_PWRITEV2, NOTHING,   false},
	[SC_PROBE_DIRECT_FDATASYNC] = {O_DIRECT,           BY_PWRITE,   FDATASYNC, true},
	[SC_PROBE_DIRECT_DSYNC] =     {O_DIRECT | O_DSYNC, BY_PWRITE,   NOTHING,   false},
	[SC_PROBE_URING_FDATASYNC] =  {0,                  BY_LINK,     NOTHING,   false},
	[SC_PROBE_URING_DSYNC] =      {0,                  BY_RING,     NOTHING,   false},
	[SC_PROBE_RANGE] =            {0,                  BY_PWRITE,   RANGE,     true},
	[SC_PROBE_DIRECT_NONE] =      {O_DIRECT,           BY_PWRITE,   NOTHING,   false},
	[SC_PROBE_NONE] =             {0,                  BY_PWRITE,   NOTHING,   false},
};
/* clang-format on */

static_assert(SC_ARRAY_COUNT(ways) == SC_PROBE_METHOD_COUNT_, "each method has a way");

bool sc_probe_method_is_split(enum sc_probe_method method)
{
	return ways[method].is_split;
}

bool sc_probe_method_is_direct(enum sc_probe_method method)
{
	return (ways[method].flags & O_DIRECT) != 0;
}

int sc_probe_writer_open(struct sc_probe_bench *bench, enum sc_probe_method method,
			 const char *name, struct sc_probe_writer *ret_writer)
{
	struct sc_probe_writer writer = {.method = method, .fd = -1};
	int r;

	if (ways[method].how == BY_LINK || ways[method].how == BY_RING) {
		r = sc_probe_ring_open(&writer.ring, &bench->what);
		if (r < 0)
			return r;
	}
	bench->what = ways[method].flags & O_DIRECT ? "open with O_DIRECT" : "open";
	writer.fd =
		openat(bench->fd, name, O_RDWR | O_CREAT | O_CLOEXEC | ways[method].flags, 0600);
	if (writer.fd < 0) {
		r = -errno;
		sc_probe_writer_close(&writer);
		return r;
	}
	*ret_writer = writer;
	return 0;
}

void sc_probe_writer_close(struct sc_probe_writer *writer)
{
	sc_probe_ring_close(writer->ring);
	writer->ring = NULL;
	sc_fd_closep(&writer->fd);
}

int sc_probe_writer_write(const struct sc_probe_writer *writer, const void *data, size_t bytes,
			  uint64_t offset, const char **ret_what)
{
	struct iovec piece = {.iov_base = (void *)(uintptr_t)data, .iov_len = bytes};
	ssize_t written = -1;

	switch (ways[writer->method].how) {
	case BY_PWRITE:
		*ret_what = "pwrite";
		written = pwrite(writer->fd, data, bytes, (off_t)offset);
		break;
	case BY_PWRITEV2:
		*ret_what = "pwritev2 with RWF_DSYNC";
		written = pwritev2(writer->fd, &piece, 1, (off_t)offset, RWF_DSYNC);
		break;
	case BY_LINK:
	case BY_RING:
		return sc_probe_ring_write(writer->ring, writer->fd, data, bytes, offset,
					   ways[writer->method].how == BY_LINK, ret_what);
	}
	if (written < 0)
		return -errno;
	return (size_t)written == bytes ? 0 : -ENOSPC;
}

int sc_probe_writer_sync(const struct sc_probe_writer *writer, const char **ret_what)
{
	int r = 0;

	switch (ways[writer->method].then) {
	case NOTHING:
		return 0;
	case FDATASYNC:
		*ret_what = "fdatasync";
		r = fdatasync(writer->fd);
		break;
	case FSYNC:
		*ret_what = "fsync";
		r = fsync(writer->fd);
		break;
	case RANGE:
		*ret_what = "sync_file_range";
		r = sync_file_range(writer->fd, 0, 0,
				    SYNC_FILE_RANGE_WAIT_BEFORE | SYNC_FILE_RANGE_WRITE |
					    SYNC_FILE_RANGE_WAIT_AFTER);
		break;
	}
	return r < 0 ? -errno : 0;
}
