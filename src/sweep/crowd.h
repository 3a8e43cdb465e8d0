/* SPDX-License-Identifier: MIT */
#pragma once

/* Clients are processes: whether a sample may have as many as it is to have, and what they share.
 */

#include <stdbool.h>
#include <sys/resource.h>

#include "plan.h"

#define SC_CROWD_CLIENTS_PER_CPU 16u /* more wait for a CPU rather than for one another */

/** sc_crowd_clients() - the most processes that work at once in a sample of @plan */
uint64_t sc_crowd_clients(const struct sc_plan *plan);

/** sc_crowd_cpus() - that this process may use; 1 where nobody says */
uint64_t sc_crowd_cpus(void);

struct sc_crowd_limits {
	rlim_t processes, files; /* RLIM_INFINITY: none */
};

/** sc_crowd_limits() - of this process; those that may exceed RLIMIT_NPROC have none */
struct sc_crowd_limits sc_crowd_limits(void);

/** sc_crowd_check() - SC_E_USAGE where a limit is below what the clients alone need. Pure. */
int sc_crowd_check(uint64_t clients, const struct sc_crowd_limits *limits, struct sc_error *error);
