/* SPDX-License-Identifier: MIT */

/*
 * All signals that could end this process are blocked and taken one by one with sigtimedwait(), so
 * there are no handlers. The child gets back the mask and the dispositions that were found.
 *
 * The exec's failure comes through a pipe that a successful exec closes.
 */

#include "launch.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "../base/clock.h"

/* What ends a process by default and can be caught, and what tells of the child. */
static const int taken[] = {
	SIGHUP,  SIGINT,  SIGQUIT, SIGTERM,  SIGUSR1,   SIGUSR2, SIGALRM, SIGPIPE, SIGCHLD, SIGTSTP,
	SIGTTIN, SIGTTOU, SIGCONT, SIGWINCH, SIGVTALRM, SIGPROF, SIGIO,   SIGPWR,  SIGXCPU, SIGXFSZ,
};

static void fill_taken(sigset_t *set)
{
	(void)sigemptyset(set);
	for (size_t i = 0; i < SC_ARRAY_COUNT(taken); i++)
		(void)sigaddset(set, taken[i]);
}

static int set_variables(char *const *variables)
{
	for (size_t i = 0; variables[i]; i++) {
		if (putenv(variables[i]) != 0)
			return errno;
	}
	return 0;
}

/* Never returns. */
static void become(const struct sc_launch *launch, const sigset_t *mask, int report_fd)
{
	int failure = set_variables(launch->variables);

	(void)sigprocmask(SIG_SETMASK, mask, NULL);
	if (failure == 0) {
		(void)execv(launch->path, launch->argv);
		failure = errno;
	}
	(void)!write(report_fd, &failure, sizeof(failure)); /* else it looks like a death */
	_exit(127);
}

/*
 * A terminal signals the whole group, the program included; others only whom they name. A terminal
 * that goes away tells the leader of the session alone.
 */
static void pass_on(pid_t child, const siginfo_t *info)
{
	if (info->si_code == SI_KERNEL && !(info->si_signo == SIGHUP && getsid(0) == getpid()))
		return;
	(void)kill(child, info->si_signo); /* it may just have ended */
}

/* The program was stopped: so are we, until both are continued. */
static void stop_too(pid_t child)
{
	(void)raise(SIGSTOP);
	(void)kill(child, SIGCONT); /* by fg it has been; by kill of this process alone it has not
				     */
}

static bool reap(pid_t child, struct sc_launched *launched)
{
	struct rusage usage;
	int status;
	pid_t reaped;

	while ((reaped = wait4(child, &status, WNOHANG | WUNTRACED, &usage)) == child) {
		if (WIFSTOPPED(status)) {
			stop_too(child);
			continue;
		}
		launched->exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
		launched->signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
		launched->cpu_ns =
			((uint64_t)usage.ru_utime.tv_sec + (uint64_t)usage.ru_stime.tv_sec) *
				1000000000u +
			((uint64_t)usage.ru_utime.tv_usec + (uint64_t)usage.ru_stime.tv_usec) *
				1000u;
		launched->major_faults = (uint64_t)usage.ru_majflt;
		return true;
	}
	return false;
}

static void wait_for(pid_t child, const struct sc_launch *launch, const sigset_t *set,
		     struct sc_launched *launched)
{
	uint64_t next_ns = sc_monotonic_ns() + launch->tick_ns;

	while (!reap(child, launched)) {
		uint64_t now_ns = sc_monotonic_ns();
		uint64_t left_ns = next_ns > now_ns ? next_ns - now_ns : 0;
		const struct timespec pause = {.tv_sec = (time_t)(left_ns / 1000000000u),
					       .tv_nsec = (long)(left_ns % 1000000000u)};
		siginfo_t info;

		if (sigtimedwait(set, &info, &pause) > 0) {
			if (info.si_signo != SIGCHLD && info.si_signo != SIGCONT)
				pass_on(child, &info);
			continue;
		}
		if (sc_monotonic_ns() >= next_ns) {
			launch->tick(launch->self);
			next_ns = sc_monotonic_ns() + launch->tick_ns;
		}
	}
	launched->end_ns = sc_monotonic_ns();
}

int sc_launch_run(const struct sc_launch *launch, struct sc_launched *ret_launched,
		  struct sc_error *error)
{
	struct sc_launched launched = {0};
	int ends[2];
	sigset_t set, old;
	pid_t child;

	if (pipe2(ends, O_CLOEXEC) != 0)
		return sc_fail(error, -errno, "make a pipe");
	fill_taken(&set);
	(void)sigprocmask(SIG_BLOCK, &set, &old);
	launched.start_ns = sc_monotonic_ns();
	child = fork();
	if (child == 0)
		become(launch, &old, ends[1]);
	(void)close(ends[1]); /* the child's */
	if (child < 0) {
		int r = sc_fail(error, -errno, "start the program");

		(void)close(ends[0]); /* nothing to read */
		(void)sigprocmask(SIG_SETMASK, &old, NULL);
		return r;
	}
	if (read(ends[0], &launched.exec_errno, sizeof(int)) != (ssize_t)sizeof(int))
		launched.exec_errno = 0;
	(void)close(ends[0]); /* read to its end */
	wait_for(child, launch, &set, &launched);
	(void)sigprocmask(SIG_SETMASK, &old, NULL);
	*ret_launched = launched;
	return 0;
}
