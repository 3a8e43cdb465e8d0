/* SPDX-License-Identifier: MIT */
#pragma once

/* The loop that both ways of measuring the sync floor share. For floor.c and uring.c alone. */

#include <stddef.h>

#include "floor.h"

struct sc_floor_method {
	/**
	 * Writes @block at @offset of @fd and waits until it is durable.
	 * Return: 0, or a negative errno value with *ret_what naming the call.
	 */
	int (*write_and_sync)(void *self, int fd, const void *block, uint64_t offset,
			      const char **ret_what);
	void *self;
};

/** sc_floor_run() - make the file, take the samples, remove the file; fills @ret_floor whole. */
void sc_floor_run(const struct sc_floor_method *method, const char *directory, uint32_t samples,
		  uint64_t time_limit_ns, struct sc_floor *ret_floor);

/** sc_floor_absent() - no measurement: @status with "@what: text of errno value -@code" */
void sc_floor_absent(struct sc_floor *floor, enum sc_status status, const char *what, int code);
