/* SPDX-License-Identifier: MIT */
#include "floor.h"

/*
 * The sync floor through io_uring: a write and an fdatasync, linked, so that the kernel starts the
 * second when the first is done; one system call submits both and waits. What it saves over two
 * system calls is the way into the kernel and back; what it adds is a worker thread of the kernel,
 * since an fsync never completes inline.
 *
 * A linked request is cancelled (ECANCELED) when the one before it fails or writes short: the
 * first result is looked at first.
 */

#include <errno.h>
#include <liburing.h>

#include "../base/attr.h"
#include "floor-run.h"

#define RING_ENTRIES 4

enum { WRITE, SYNC, REQUESTS };

static void ring_exitp(struct io_uring **ring)
{
	if (*ring)
		io_uring_queue_exit(*ring);
	*ring = NULL;
}

static void prepare(struct io_uring *ring, int fd, const void *block, uint64_t offset)
{
	/* The ring is empty here and has room for both: no NULL. */
	struct io_uring_sqe *write = io_uring_get_sqe(ring);
	struct io_uring_sqe *sync = io_uring_get_sqe(ring);

	io_uring_prep_write(write, fd, block, SC_FLOOR_BLOCK_BYTES, offset);
	io_uring_sqe_set_data64(write, WRITE);
	io_uring_sqe_set_flags(write, IOSQE_IO_LINK);
	io_uring_prep_fsync(sync, fd, IORING_FSYNC_DATASYNC);
	io_uring_sqe_set_data64(sync, SYNC);
}

/* Waits for one result; a signal does not end the wait, the requests are under way. */
static int collect(struct io_uring *ring, int results[REQUESTS])
{
	struct io_uring_cqe *cqe;
	int r;

	do
		r = io_uring_wait_cqe(ring, &cqe);
	while (r == -EINTR);
	if (r < 0)
		return r;
	results[io_uring_cqe_get_data64(cqe)] = cqe->res;
	io_uring_cqe_seen(ring, cqe);
	return 0;
}

static int write_and_sync(void *self, int fd, const void *block, uint64_t offset,
			  const char **ret_what)
{
	struct io_uring *ring = self;
	int results[REQUESTS];
	int r;

	prepare(ring, fd, block, offset);
	*ret_what = "io_uring_submit_and_wait";
	do
		r = io_uring_submit_and_wait(ring, REQUESTS);
	while (r == -EINTR); /* nothing was submitted then */
	if (r < 0)
		return r;
	if (r != REQUESTS)
		return -EIO; /* a result that never comes would be waited for */
	for (int i = 0; i < REQUESTS; i++) {
		r = collect(ring, results);
		if (r < 0)
			return r;
	}

	*ret_what = "io_uring write";
	if (results[WRITE] < 0)
		return results[WRITE];
	if (results[WRITE] != SC_FLOOR_BLOCK_BYTES)
		return -ENOSPC;
	*ret_what = "io_uring fdatasync";
	return results[SYNC];
}

void sc_uring_floor(const char *directory, uint32_t samples, uint64_t time_limit_ns,
		    struct sc_floor *ret_floor)
{
	struct io_uring storage;
	SC_CLEANUP(ring_exitp) struct io_uring *ring = NULL;
	struct sc_floor_method requests = {.write_and_sync = write_and_sync};
	int r;

	r = io_uring_queue_init(RING_ENTRIES, &storage, 0);
	if (r == -EPERM || r == -EACCES) {
		sc_floor_absent(ret_floor, SC_DENIED,
				"io_uring is forbidden here (kernel.io_uring_disabled or seccomp)",
				r);
		return;
	}
	if (r < 0) {
		sc_floor_absent(ret_floor, r == -ENOSYS ? SC_UNSUPPORTED : SC_FAILED,
				"io_uring_queue_init", r);
		return;
	}
	ring = &storage;
	requests.self = ring;
	sc_floor_run(&requests, directory, samples, time_limit_ns, ret_floor);
}
