/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Starting the program, and standing aside: it has the descriptors, the terminal, the process group
 * and the signal dispositions that it would have without us.
 */

#include <stdint.h>

#include "../base/err.h"

struct sc_launch {
	const char *path;       /* to execute */
	char *const *argv;      /* ends with NULL */
	char *const *variables; /* "NAME=value" to set, ends with NULL */
	uint64_t tick_ns;       /* how often to call tick() */
	void (*tick)(void *self);
	void *self;
};

struct sc_launched {
	int exit_code;             /* -1: ended by a signal */
	int signal;                /* that signal, 0: none */
	int exec_errno;            /* why it could not be executed, 0: it was */
	uint64_t start_ns, end_ns; /* sc_monotonic_ns() */
	uint64_t cpu_ns;           /* of it and of those children it waited for */
	uint64_t major_faults;
};

/**
 * sc_launch_run() - start the program and wait for its end
 *
 * A signal that is sent to this process alone is passed on; those that a terminal sends reach the
 * program by themselves. Where the program stops, this process stops, too.
 */
int sc_launch_run(const struct sc_launch *launch, struct sc_launched *ret_launched,
		  struct sc_error *error);
