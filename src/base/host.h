/* SPDX-License-Identifier: MIT */
#pragma once

/* The machine, as a report's head names it. */

#include <stdint.h>

#include "err.h"
#include "status.h"

struct sc_host {
	char *name;         /* node name; owned, as all strings here */
	char *kernel;       /* "Linux 6.1.0-18-amd64" */
	char *cpu;          /* model, or the architecture where the kernel gives no model */
	uint32_t cpu_count; /* online */
	enum sc_status memory_status;
	uint64_t memory_bytes; /* of the machine, not a container's share */
	enum sc_status load_status;
	double load; /* programs that ran, waited for a CPU or for a disk: mean of a minute */
};

/**
 * sc_host_read()
 * @root: "" for this machine; a test passes a directory that holds proc/
 * @ret_host: end with sc_host_fini()
 */
int sc_host_read(const char *root, struct sc_host *ret_host, struct sc_error *error);

void sc_host_fini(struct sc_host *host);
