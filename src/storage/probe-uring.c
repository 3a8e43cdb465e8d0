/* SPDX-License-Identifier: MIT */

/*
 * Durable writes by io_uring: a write linked to an fdatasync, or one write with RWF_DSYNC; one
 * system call submits and waits.
 *
 * A linked request is cancelled (ECANCELED) when the one before it fails or writes short: the first
 * result is looked at first.
 */

#include "probe-kind.h"

#include <errno.h>
#include <liburing.h>
#include <sys/uio.h>

#define RING_ENTRIES 4

enum { WRITE, SYNC, REQUESTS_MAX };

struct sc_probe_ring {
	struct io_uring io;
};

int sc_probe_ring_open(struct sc_probe_ring **ret_ring, const char **ret_what)
{
	SC_CLEANUP(sc_freep) struct sc_probe_ring *ring = calloc(1, sizeof(*ring));
	int r;

	*ret_what = "io_uring_queue_init";
	if (!ring)
		return -ENOMEM;
	r = io_uring_queue_init(RING_ENTRIES, &ring->io, 0);
	if (r == -EPERM || r == -EACCES)
		*ret_what = "io_uring is forbidden here (kernel.io_uring_disabled or seccomp)";
	if (r < 0)
		return r;
	*ret_ring = SC_TAKE(ring);
	return 0;
}

void sc_probe_ring_close(struct sc_probe_ring *ring)
{
	if (!ring)
		return;
	io_uring_queue_exit(&ring->io);
	free(ring);
}

/* The ring is empty here and has room: no NULL. */
static unsigned int prepare(struct io_uring *io, int fd, const void *data, size_t bytes,
			    uint64_t offset, bool is_linked)
{
	struct io_uring_sqe *write = io_uring_get_sqe(io);
	struct io_uring_sqe *sync;

	io_uring_prep_write(write, fd, data, (unsigned int)bytes, offset);
	io_uring_sqe_set_data64(write, WRITE);
	if (!is_linked) {
		write->rw_flags = RWF_DSYNC;
		return 1;
	}
	io_uring_sqe_set_flags(write, IOSQE_IO_LINK);
	sync = io_uring_get_sqe(io);
	io_uring_prep_fsync(sync, fd, IORING_FSYNC_DATASYNC);
	io_uring_sqe_set_data64(sync, SYNC);
	return 2;
}

/* Waits for one result; a signal does not end the wait, the requests are under way. */
static int collect(struct io_uring *io, int results[REQUESTS_MAX])
{
	struct io_uring_cqe *cqe;
	int r;

	do
		r = io_uring_wait_cqe(io, &cqe);
	while (r == -EINTR);
	if (r < 0)
		return r;
	results[io_uring_cqe_get_data64(cqe)] = cqe->res;
	io_uring_cqe_seen(io, cqe);
	return 0;
}

int sc_probe_ring_write(struct sc_probe_ring *ring, int fd, const void *data, size_t bytes,
			uint64_t offset, bool is_linked, const char **ret_what)
{
	unsigned int requests = prepare(&ring->io, fd, data, bytes, offset, is_linked);
	int results[REQUESTS_MAX] = {0};
	int r;

	*ret_what = "io_uring_submit_and_wait";
	do
		r = io_uring_submit_and_wait(&ring->io, requests);
	while (r == -EINTR); /* nothing was submitted then */
	if (r < 0)
		return r;
	if (r != (int)requests)
		return -EIO; /* a result that never comes would be waited for */
	for (unsigned int i = 0; i < requests; i++) {
		r = collect(&ring->io, results);
		if (r < 0)
			return r;
	}

	*ret_what = "io_uring write";
	if (results[WRITE] < 0)
		return results[WRITE];
	if ((size_t)results[WRITE] != bytes)
		return -ENOSPC;
	*ret_what = "io_uring fdatasync";
	return results[SYNC];
}
