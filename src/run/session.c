/* SPDX-License-Identifier: MIT */

/*
 * The meters are in a directory of this run's own on tmpfs, so that a program that is killed leaves
 * its numbers and none of them is written to the disk that is measured. One that was left behind
 * by a killed run is removed by the next.
 */

#include "session.h"

#include <errno.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "../base/clock.h"
#include "../base/directory.h"
#include "../base/host.h"
#include "gather.h"
#include "launch.h"

#define NAME "syncost-run"

static bool is_tmpfs(const char *directory)
{
	struct statfs facts;

	return directory && directory[0] == '/' && statfs(directory, &facts) == 0 &&
	       (facts.f_type == TMPFS_MAGIC || facts.f_type == RAMFS_MAGIC) &&
	       access(directory, W_OK | X_OK) == 0;
}

static int make_directory(struct sc_directory *ret_directory, struct sc_error *error)
{
	const char *const places[] = {getenv("XDG_RUNTIME_DIR"), "/dev/shm"};
	struct sc_error stale_error;
	uint32_t count;

	for (size_t i = 0; i < SC_ARRAY_COUNT(places); i++) {
		if (!is_tmpfs(places[i]))
			continue;
		/* What is in the way of nothing may stay. */
		(void)sc_directory_remove_stale(places[i], NAME, &count, &stale_error);
		return sc_directory_make_private(places[i], NAME, ret_directory, error);
	}
	(void)sc_fail(error, SC_E_UNMEASURABLE,
		      "there is no tmpfs for the meters: neither $XDG_RUNTIME_DIR nor /dev/shm");
	return sc_hint(error, "mount one on /dev/shm");
}

/* "LD_PRELOAD=…": ours first, then what the caller has. */
static char *preload_variable(const char *library)
{
	const char *others = getenv("LD_PRELOAD");
	char *text = NULL;

	if (asprintf(&text, "LD_PRELOAD=%s%s%s", library, others && others[0] ? ":" : "",
		     others ? others : "") < 0)
		return NULL;
	return text;
}

static int copy_argv(char *const *argv, struct sc_run *run)
{
	size_t count = 0;

	while (argv[count])
		count++;
	run->argv = calloc(count ? count : 1, sizeof(*run->argv));
	if (!run->argv)
		return -ENOMEM;
	for (; run->argc < count; run->argc++) {
		run->argv[run->argc] = strdup(argv[run->argc]);
		if (!run->argv[run->argc])
			return -ENOMEM;
	}
	return 0;
}

static int describe(const struct sc_session *session, struct sc_run *run, struct sc_error *error)
{
	SC_CLEANUP(sc_host_fini) struct sc_host host = {0};
	int r = sc_host_read("", &host, error);

	if (r < 0)
		return r;
	run->host_label = SC_TAKE(host.name);
	run->kernel = SC_TAKE(host.kernel);
	run->cpu = SC_TAKE(host.cpu);
	run->cpu_count = host.cpu_count;
	run->tool_dirty = session->tool_dirty;
	(void)snprintf(run->tool_version, sizeof(run->tool_version), "%s", session->tool_version);
	(void)snprintf(run->tool_commit, sizeof(run->tool_commit), "%s", session->tool_commit);
	sc_utc_format(sc_realtime_ns(), run->started);
	run->directory = getcwd(NULL, 0); /* NULL where it was removed */
	run->set = session->set ? strdup(session->set) : NULL;
	if (copy_argv(session->argv, run) < 0 || (session->set && !run->set))
		return sc_fail(error, -ENOMEM, "describing the run");
	return 0;
}

static void tick(void *self)
{
	sc_gather_look(self);
}

static int launch(const struct sc_session *session, const char *directory, struct sc_gather *gather,
		  struct sc_launched *launched, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *preload = preload_variable(session->library);
	SC_CLEANUP(sc_freep) char *place = NULL;
	SC_CLEANUP(sc_freep) char *sql = NULL;
	SC_CLEANUP(sc_freep) char *set = NULL;
	char *variables[5] = {NULL};
	const struct sc_launch request = {
		.path = session->path,
		.argv = session->argv,
		.variables = variables,
		.tick_ns = SC_GATHER_NS,
		.tick = tick,
		.self = gather,
	};

	if (asprintf(&place, "SYNCOST_RUN=%s", directory) < 0)
		place = NULL; /* undefined after a failure */
	if (asprintf(&sql, "SYNCOST_RUN_SQL=%s", session->sql) < 0)
		sql = NULL;
	if (asprintf(&set, "SYNCOST_RUN_SET=%s", session->set ? session->set : "") < 0)
		set = NULL;
	if (!preload || !place || !sql || !set)
		return sc_fail(error, -ENOMEM, "starting the program");
	variables[0] = preload;
	variables[1] = place;
	variables[2] = sql;
	variables[3] = set;
	return sc_launch_run(&request, launched, error);
}

static int note_findings(struct sc_run *run)
{
	uint64_t dropped = 0;
	uint32_t running = 0;
	char count[32];
	int r = 0;

	for (size_t i = 0; i < run->process_count; i++) {
		dropped += run->processes[i].calls_dropped;
		running += run->processes[i].is_running;
	}
	if (run->process_count == 0)
		r = sc_findings_add(&run->findings, SC_FINDING_RUN_NOTHING);
	if (r == 0 && running > 0)
		r = sc_findings_add(&run->findings, SC_FINDING_RUN_GOES_ON, running,
				    running == 1 ? "process" : "processes",
				    running == 1 ? "s" : "");
	if (r == 0 && run->set && run->connections_set == 0)
		r = sc_findings_add(&run->findings, SC_FINDING_RUN_NOT_SET);
	if (r == 0 && run->pragmas_refused > 0)
		r = sc_findings_add(&run->findings, SC_FINDING_RUN_REFUSED,
				    (unsigned long long)run->pragmas_refused,
				    run->pragmas_refused == 1 ? "" : "s",
				    (unsigned long long)run->connections_set,
				    run->connections_set == 1 ? "" : "s");
	(void)snprintf(count, sizeof(count), "%llu", (unsigned long long)dropped);
	if (r == 0 && dropped > 0)
		r = sc_findings_add(&run->findings, SC_FINDING_CALLS_DROPPED, count, "this run");
	return r;
}

static int run_in(const struct sc_session *session, const char *directory, int *ret_exec_errno,
		  struct sc_run *run, struct sc_error *error)
{
	struct sc_gather gather = {
		.directory = directory,
		.run = run,
		.start_ns = sc_monotonic_ns(),
		.every_ns = SC_GATHER_NS,
	};
	struct sc_launched launched = {0};
	int r;

	run->slowest_max = session->top;
	run->statements_status = strcmp(session->sql, "none") == 0 ? SC_SKIPPED : SC_MEASURED;
	r = launch(session, directory, &gather, &launched, error);

	if (r < 0)
		return r;
	*ret_exec_errno = launched.exec_errno;
	run->exit_code = launched.exit_code;
	run->signal = launched.signal;
	run->wall_ns = launched.end_ns - launched.start_ns;
	run->cpu_ns = launched.cpu_ns;
	run->major_faults = launched.major_faults;
	r = sc_gather_finish(&gather, error);
	if (r == 0 && note_findings(run) < 0)
		r = sc_fail(error, -ENOMEM, "reading the meters");
	return r;
}

int sc_session_run(const struct sc_session *session, int *ret_exec_errno, struct sc_run *ret_run,
		   struct sc_error *error)
{
	SC_CLEANUP(sc_run_fini) struct sc_run run = {0};
	struct sc_directory directory = SC_DIRECTORY_NONE;
	struct sc_error late_error;
	int r = describe(session, &run, error);

	if (r == 0)
		r = make_directory(&directory, error);
	if (r < 0)
		return r;
	r = run_in(session, directory.path, ret_exec_errno, &run, error);
	/* The numbers are read; what cannot be removed now is removed by the next run. */
	if (sc_directory_remove_own(&directory, &late_error) < 0)
		sc_directory_fini(&directory);
	if (r < 0)
		return r;
	*ret_run = run;
	run = (struct sc_run){0};
	return 0;
}
