/* SPDX-License-Identifier: MIT */
#pragma once

/* One sample in a process of its own: this program again, with the specification on its stdin. */

#include "../model/sample.h"

struct sc_sample_process {
	const char *program;    /* "/proc/self/exe"; a test passes another */
	uint64_t time_limit_ns; /* 0: none */
	int interrupt_fd;       /* readable: stop; -1: none */
};

#define SC_SAMPLE_PROGRAM "/proc/self/exe"

/**
 * sc_sample_process_run() - start it, wait, read its answer
 * @ret_sample: filled on success, whatever became of the process: one that died is a failed
 *              sample whose reason names the cell and what happened. The caller finishes it.
 *
 * Return: 0; SC_E_INTERRUPTED; another code where no process could be started.
 */
int sc_sample_process_run(const struct sc_sample_process *process,
			  const struct sc_sample_spec *spec, struct sc_sample *ret_sample,
			  struct sc_error *error);
