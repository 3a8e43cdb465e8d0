/* SPDX-License-Identifier: MIT */
#pragma once

/* Measuring what model/probe.h describes. It prints nothing. */

#include "../model/probe.h"

struct sc_probe_request {
	const char *directory;                      /* as the user named it */
	bool is_quick;                              /* main rows alone */
	uint64_t time_ns;                           /* about how long it may take; > 0 */
	uint64_t seed;                              /* of the order and of what is written */
	bool (*should_stop)(void *self);            /* asked between operations; NULL: never */
	void (*progress)(void *self, double share); /* told between blocks, 0 … 1; NULL: nobody */
	void *self;
};

/**
 * sc_probe_check() - what sc_probe_run() would refuse a directory for, without touching it
 * Return: 0; SC_E_USAGE where there is no such directory; SC_E_UNMEASURABLE where nothing can be
 * made in it.
 */
int sc_probe_check(const char *directory, struct sc_error *error);

/**
 * sc_probe_run() - probe one directory, in a directory of its own that is gone at the end
 * @ret_probe: set on success; end with sc_probe_fini(); without findings
 *
 * What the storage or the kernel does not offer is a row's status. Stopped early, the probe has
 * what was measured, and is not complete.
 *
 * Return: as sc_probe_check(); SC_E_UNMEASURABLE where the file system is full; -ENOENT where the
 * directory vanished; -ENOMEM.
 */
int sc_probe_run(const struct sc_probe_request *request, struct sc_probe *ret_probe,
		 struct sc_error *error);

/** sc_probe_plan() - the rows of a probe, none measured yet. Return: 0 or -ENOMEM. */
int sc_probe_plan(bool is_quick, struct sc_probe *probe, struct sc_error *error);
