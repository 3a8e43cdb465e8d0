/* SPDX-License-Identifier: MIT */

/*
 * A sample's process holds one end of a pipe for each client, the gates, and the database. Other
 * processes of the user count against RLIMIT_NPROC, too; how many there will be nobody knows, so
 * only what cannot work at all is refused.
 */

#include "crowd.h"

#include <inttypes.h>
#include <sched.h>
#include <unistd.h>

#define FILES_BESIDE     32u /* gates, database, WAL, index, meters, standard streams */
#define PROCESSES_BESIDE 2u  /* the sweep and the sample */

uint64_t sc_crowd_clients(const struct sc_plan *plan)
{
	uint64_t most = 0;

	for (size_t i = 0; i < plan->cell_count; i++) {
		uint64_t count = plan->cells[i].clients +
				 sc_workload_beside_clients(sc_plan_workload(plan, i));

		most = count > most ? count : most;
	}
	return most;
}

uint64_t sc_crowd_cpus(void)
{
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return 1;
	return (uint64_t)CPU_COUNT(&set);
}

struct sc_crowd_limits sc_crowd_limits(void)
{
	struct sc_crowd_limits limits = {RLIM_INFINITY, RLIM_INFINITY};
	struct rlimit limit;

	if (geteuid() != 0 && getrlimit(RLIMIT_NPROC, &limit) == 0)
		limits.processes = limit.rlim_cur;
	if (getrlimit(RLIMIT_NOFILE, &limit) == 0)
		limits.files = limit.rlim_cur;
	return limits;
}

static int too_low(uint64_t clients, const char *name, const char *option, rlim_t limit,
		   uint64_t needed, struct sc_error *error)
{
	(void)sc_fail(error, SC_E_USAGE,
		      "--clients: %" PRIu64 " at once need at least %" PRIu64
		      " %s, and the limit is %" PRIu64,
		      clients, needed, name, (uint64_t)limit);
	return sc_hint(error, "raise it with ulimit %s, or ask for fewer", option);
}

int sc_crowd_check(uint64_t clients, const struct sc_crowd_limits *limits, struct sc_error *error)
{
	if (clients <= 1)
		return 0;
	if (limits->files != RLIM_INFINITY && limits->files < clients + FILES_BESIDE)
		return too_low(clients, "open files", "-n", limits->files, clients + FILES_BESIDE,
			       error);
	if (limits->processes != RLIM_INFINITY && limits->processes < clients + PROCESSES_BESIDE)
		return too_low(clients, "processes", "-u", limits->processes,
			       clients + PROCESSES_BESIDE, error);
	return 0;
}
