/* SPDX-License-Identifier: MIT */
#pragma once

/* The one executor: runs a sample in this process, which exists for nothing else. */

#include "../model/sample.h"

/**
 * sc_execute() - set up, warm up, time, verify
 * @spec: borrowed; its directory must exist and be empty
 * @ret_sample: always filled, also on failure (status and reason); the caller finishes it
 *
 * The thread's name (prctl PR_SET_NAME) tells the phase: "sc-setup", "sc-warmup", "sc-measure",
 * "sc-verify", "sc-done"; a tracer can cut its own counts at the same places.
 *
 * Return: 0, or the code of the failure that @ret_sample describes.
 */
int sc_execute(const struct sc_sample_spec *spec, struct sc_sample *ret_sample,
	       struct sc_error *error);

/** sc_execute_main() - the sample process: specification on stdin, one line of result on stdout. */
int sc_execute_main(void);
