/* SPDX-License-Identifier: MIT */

/*
 * The self-pipe trick: the handler sets a flag and writes a byte that nobody reads, so a poll()
 * that begins after the signal returns at once, too.
 */

#include "interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>

static volatile sig_atomic_t seen;
static int wake_fds[2] = {-1, -1}; /* file-level since a handler takes no context */

static void note_signal(int signal_number)
{
	int saved = errno;

	(void)signal_number;
	seen = 1;
	(void)!write(wake_fds[1], "!",
		     1); /* a full pipe is readable, which is all that is needed */
	errno = saved;
}

static int watch(int signal_number, struct sc_error *error)
{
	struct sigaction action = {.sa_handler = note_signal, .sa_flags = SA_RESTART};
	struct sigaction before;

	(void)sigemptyset(&action.sa_mask);
	if (sigaction(signal_number, NULL, &before) < 0)
		return sc_fail(error, -errno, "sigaction");
	if (before.sa_handler == SIG_IGN)
		return 0;
	if (sigaction(signal_number, &action, NULL) < 0)
		return sc_fail(error, -errno, "sigaction");
	return 0;
}

int sc_interrupt_watch(struct sc_error *error)
{
	static const int watched[] = {SIGINT, SIGTERM, SIGHUP};

	if (wake_fds[0] < 0 && pipe2(wake_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return sc_fail(error, -errno, "pipe2");
	for (size_t i = 0; i < SC_ARRAY_COUNT(watched); i++) {
		int r = watch(watched[i], error);

		if (r < 0)
			return r;
	}
	if (signal(SIGPIPE, SIG_IGN) == SIG_ERR || signal(SIGXFSZ, SIG_IGN) == SIG_ERR)
		return sc_fail(error, -errno, "signal");
	return 0;
}

bool sc_interrupt_seen(void)
{
	return seen;
}

int sc_interrupt_fd(void)
{
	return wake_fds[0];
}
