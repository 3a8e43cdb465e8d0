/* SPDX-License-Identifier: MIT */
#include "floor.h"

/* For builds without liburing. */

#include <stdio.h>

void sc_uring_floor(const char *directory, uint32_t samples, uint64_t time_limit_ns,
		    struct sc_floor *ret_floor)
{
	(void)directory;
	(void)samples;
	(void)time_limit_ns;
	*ret_floor = (struct sc_floor){.status = SC_UNSUPPORTED};
	(void)snprintf(ret_floor->reason, sizeof(ret_floor->reason),
		       "this build has no io_uring (liburing was not found)");
}
