/* SPDX-License-Identifier: MIT */
#pragma once

/* A process that gets text on its standard input and answers on its standard output. */

#include <stdbool.h>
#include <stdint.h>

#include "../base/err.h"

struct sc_child_request {
	const char *program;    /* path to execute */
	char *const *argv;      /* ends with NULL */
	const char *input;      /* all of its standard input */
	uint64_t time_limit_ns; /* then it and its process group are killed; 0: none */
	int interrupt_fd;       /* when readable, the same; -1: none */
};

enum sc_child_end {
	SC_CHILD_EXITED,    /* status: its exit status */
	SC_CHILD_SIGNALLED, /* status: the signal */
	SC_CHILD_TIMED_OUT,
	SC_CHILD_INTERRUPTED,
	SC_CHILD_OVERFLOWED, /* more output than anything sensible */
};

struct sc_child_result { /* texts owned, never NULL after success */
	enum sc_child_end end;
	int status;
	char *output;
	char *messages; /* the beginning of its standard error */
	uint64_t elapsed_ns;
};

/**
 * sc_child_run() - start, feed, read, wait
 *
 * The process has its own process group, so that the terminal's Ctrl-C does not reach it, no
 * descriptors but the three, default signal actions, and dies with this process.
 *
 * Return: 0 with *ret_result filled, whatever became of the process; < 0 where it could not be
 * started or followed.
 */
int sc_child_run(const struct sc_child_request *request, struct sc_child_result *ret_result,
		 struct sc_error *error);

void sc_child_result_fini(struct sc_child_result *result);

/** sc_child_reason() - what became of it, in words: "was killed by signal 9 (Killed)". */
void sc_child_reason(const struct sc_child_result *result, char *text, size_t text_bytes);
