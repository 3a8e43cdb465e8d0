/* SPDX-License-Identifier: MIT */

/* For builds without liburing. */

#include "probe-kind.h"

#include <errno.h>

int sc_probe_ring_open(struct sc_probe_ring **ret_ring, const char **ret_what)
{
	(void)ret_ring;
	*ret_what = "this build has no io_uring (liburing was not found)";
	return -ENOSYS;
}

void sc_probe_ring_close(struct sc_probe_ring *ring)
{
	(void)ring; /* there is none */
}

int sc_probe_ring_write(struct sc_probe_ring *ring, int fd, const void *data, size_t bytes,
			uint64_t offset, bool is_linked, const char **ret_what)
{
	(void)ring;
	(void)fd;
	(void)data;
	(void)bytes;
	(void)offset;
	(void)is_linked;
	*ret_what = "io_uring";
	return -ENOSYS;
}
