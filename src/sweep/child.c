/* SPDX-License-Identifier: MIT */

/*
 * One poll loop feeds the child and reads both of its streams, so neither side can block the
 * other. The loop ends when both streams are closed, or when the time is up, an interrupt comes or
 * the output overflows; then the process group is killed. In all cases the child is reaped.
 *
 * While the child works this process sleeps in poll() without waking up: what is measured there
 * has the machine for itself.
 */

#include "child.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>

#include "../base/buffer.h"
#include "../base/clock.h"

#define OUTPUT_MAX   (64u << 20)
#define MESSAGES_MAX 4096u /* beyond it they are read and dropped */
#define REAP_STEP_NS 1000000

struct pipes {
	int input[2], output[2], messages[2]; /* [0] read, [1] write */
};

struct follow { /* the parent's side of a running child */
	pid_t pid;
	int input_fd, output_fd, messages_fd;
	const char *input; /* what is left to send */
	struct sc_buffer output, messages;
	uint64_t deadline_ns; /* 0: none */
	int interrupt_fd;
};

static void close_pair(int pair[2])
{
	sc_fd_closep(&pair[0]);
	sc_fd_closep(&pair[1]);
}

static void close_pipes(struct pipes *pipes)
{
	close_pair(pipes->input);
	close_pair(pipes->output);
	close_pair(pipes->messages);
}

static int open_pipes(struct pipes *pipes, struct sc_error *error)
{
	if (pipe2(pipes->input, O_CLOEXEC) < 0 || pipe2(pipes->output, O_CLOEXEC) < 0 ||
	    pipe2(pipes->messages, O_CLOEXEC) < 0)
		return sc_fail(error, -errno, "pipe for a sample's process");
	return 0;
}

/* In the child, between fork and exec: async-signal-safe calls only. */
_Noreturn static void become_child(const struct pipes *pipes,
				   const struct sc_child_request *request, pid_t parent)
{
	static const char message[] = "the program could not be executed\n";
	sigset_t none;

	(void)setpgid(0, 0); /* only fails where the parent already did it */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127); /* it died before prctl took effect */
	if (dup2(pipes->input[0], 0) < 0 || dup2(pipes->output[1], 1) < 0 ||
	    dup2(pipes->messages[1], 2) < 0)
		_exit(127);
	(void)close_range(3, UINT_MAX,
			  0); /* what the user's shell left open; no harm if it stays */
	(void)signal(SIGPIPE, SIG_DFL);
	(void)signal(SIGXFSZ, SIG_DFL);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
	(void)execv(request->program, request->argv);
	(void)!write(2, message, sizeof(message) - 1);
	_exit(127);
}

static int set_nonblocking(int fd, struct sc_error *error)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0)
		return sc_fail(error, -errno, "pipe of a sample's process");
	return 0;
}

/* Takes what is there; closes the stream at its end. */
static int drain(int *fd, struct sc_buffer *buffer, size_t length_max, struct sc_error *error)
{
	char chunk[16384];
	ssize_t n = read(*fd, chunk, sizeof(chunk));
	size_t fits;

	if (n < 0)
		return errno == EINTR || errno == EAGAIN
			       ? 0
			       : sc_fail(error, -errno, "reading from a sample's process");
	if (n == 0) {
		sc_fd_closep(fd);
		return 0;
	}
	fits = length_max - buffer->length;
	sc_buffer_add(buffer, chunk, (size_t)n < fits ? (size_t)n : fits);
	return 0;
}

static void feed(struct follow *follow)
{
	size_t left = strlen(follow->input);
	ssize_t n = left ? write(follow->input_fd, follow->input, left) : 0;

	if (n > 0)
		follow->input += n;
	else if (n < 0 && (errno == EINTR || errno == EAGAIN))
		return;
	/* EPIPE: it ended without reading, and its exit says why */
	if (n < 0 || follow->input[0] == '\0')
		sc_fd_closep(&follow->input_fd);
}

/* poll()'s timeout: rounded up, so that it never wakes just before the deadline. */
static int timeout_ms(uint64_t deadline_ns)
{
	uint64_t now = sc_monotonic_ns();

	if (deadline_ns == 0)
		return -1;
	if (now >= deadline_ns)
		return 0;
	if ((deadline_ns - now) / 1000000u >= INT_MAX)
		return INT_MAX;
	return (int)((deadline_ns - now) / 1000000u) + 1;
}

static bool is_late(const struct follow *follow)
{
	return follow->deadline_ns && sc_monotonic_ns() >= follow->deadline_ns;
}

/* Return: 0 with *ret_end set when the streams are closed or the child must be stopped. */
static int follow_streams(struct follow *follow, enum sc_child_end *ret_end, struct sc_error *error)
{
	int r;

	*ret_end = SC_CHILD_EXITED;
	while (follow->output_fd >= 0 || follow->messages_fd >= 0) {
		struct pollfd fds[] = {
			{.fd = follow->input_fd, .events = POLLOUT},
			{.fd = follow->output_fd, .events = POLLIN},
			{.fd = follow->messages_fd, .events = POLLIN},
			{.fd = follow->interrupt_fd, .events = POLLIN},
		};

		if (poll(fds, SC_ARRAY_COUNT(fds), timeout_ms(follow->deadline_ns)) < 0) {
			if (errno == EINTR)
				continue;
			return sc_fail(error, -errno, "waiting for a sample's process");
		}
		if (fds[0].revents)
			feed(follow);
		r = fds[1].revents ? drain(&follow->output_fd, &follow->output, OUTPUT_MAX, error)
				   : 0;
		if (r >= 0 && fds[2].revents)
			r = drain(&follow->messages_fd, &follow->messages, MESSAGES_MAX, error);
		if (r < 0)
			return r;
		if (fds[3].revents)
			*ret_end = SC_CHILD_INTERRUPTED;
		else if (follow->output.length >= OUTPUT_MAX)
			*ret_end = SC_CHILD_OVERFLOWED;
		else if (is_late(follow))
			*ret_end = SC_CHILD_TIMED_OUT;
		if (*ret_end != SC_CHILD_EXITED)
			return 0;
	}
	return 0;
}

static void kill_group(pid_t pid)
{
	/* The group may not exist yet, or the leader may be gone: each gets the signal that can. */
	(void)kill(-pid, SIGKILL);
	(void)kill(pid, SIGKILL);
}

/* With its streams closed a child is about to end; one that is not gets the rest of its time. */
static int reap(const struct follow *follow, enum sc_child_end *end, int *ret_status,
		struct sc_error *error)
{
	const struct timespec step = {.tv_nsec = REAP_STEP_NS};
	bool killed = *end != SC_CHILD_EXITED;

	if (killed)
		kill_group(follow->pid);
	for (;;) {
		siginfo_t info = {0};

		/* It stays a zombie for now: its number still names its group, for whatever it
		 * started itself and left behind. */
		if (waitid(P_PID, (id_t)follow->pid, &info,
			   WEXITED | WNOWAIT | (killed ? 0 : WNOHANG)) < 0 &&
		    errno != EINTR)
			return sc_fail(error, -errno, "waiting for a sample's process");
		if (info.si_pid == follow->pid)
			break;
		if (!killed)
			(void)nanosleep(&step, NULL);
		if (!killed && is_late(follow)) {
			*end = SC_CHILD_TIMED_OUT;
			kill_group(follow->pid);
			killed = true;
		}
	}
	kill_group(follow->pid);
	if (waitpid(follow->pid, ret_status, 0) < 0)
		return sc_fail(error, -errno, "waiting for a sample's process");
	return 0;
}

static void fill_end(struct sc_child_result *result, enum sc_child_end end, int status)
{
	result->end = end;
	if (end != SC_CHILD_EXITED)
		return;
	if (WIFSIGNALED(status)) {
		result->end = SC_CHILD_SIGNALLED;
		result->status = WTERMSIG(status);
	} else {
		result->status = WEXITSTATUS(status);
	}
}

static int follow_child(struct follow *follow, struct sc_child_result *result,
			struct sc_error *error)
{
	struct sc_error reap_error = {0};
	enum sc_child_end end = SC_CHILD_EXITED;
	int r, status = 0;

	r = follow_streams(follow, &end, error);
	if (r < 0)
		end = SC_CHILD_INTERRUPTED; /* it cannot be followed, so it must go */
	sc_fd_closep(&follow->input_fd);
	sc_fd_closep(&follow->output_fd);
	sc_fd_closep(&follow->messages_fd);
	if (reap(follow, &end, &status, &reap_error) < 0 && r >= 0) {
		*error = reap_error;
		r = reap_error.code;
	}
	fill_end(result, end, status);
	if (r >= 0)
		r = sc_buffer_take(&follow->output, &result->output, error);
	if (r >= 0)
		r = sc_buffer_take(&follow->messages, &result->messages, error);
	return r;
}

/* Gives the parent's ends of the pipes to @follow and closes the child's. */
static int take_ends(struct pipes *pipes, struct follow *follow, struct sc_error *error)
{
	follow->input_fd = SC_TAKE_FD(pipes->input[1]);
	follow->output_fd = SC_TAKE_FD(pipes->output[0]);
	follow->messages_fd = SC_TAKE_FD(pipes->messages[0]);
	close_pipes(pipes);
	return set_nonblocking(follow->input_fd, error);
}

int sc_child_run(const struct sc_child_request *request, struct sc_child_result *ret_result,
		 struct sc_error *error)
{
	struct pipes pipes = {{-1, -1}, {-1, -1}, {-1, -1}};
	struct sc_child_result result = {0};
	struct follow follow = {.input = request->input, .interrupt_fd = request->interrupt_fd};
	uint64_t start_ns = sc_monotonic_ns();
	pid_t parent = getpid();
	int r;

	r = open_pipes(&pipes, error);
	if (r < 0) {
		close_pipes(&pipes);
		return r;
	}
	follow.deadline_ns = request->time_limit_ns ? start_ns + request->time_limit_ns : 0;
	follow.pid = fork();
	if (follow.pid < 0) {
		r = sc_fail(error, -errno, "starting a sample's process");
		close_pipes(&pipes);
		return r;
	}
	if (follow.pid == 0)
		become_child(&pipes, request, parent);

	(void)setpgid(follow.pid, follow.pid); /* both sides try: whoever is first wins */
	r = take_ends(&pipes, &follow, error);
	if (r < 0)
		kill_group(follow.pid);
	r = follow_child(&follow, &result, error);
	sc_buffer_fini(&follow.output);
	sc_buffer_fini(&follow.messages);
	result.elapsed_ns = sc_monotonic_ns() - start_ns;
	if (r < 0) {
		sc_child_result_fini(&result);
		return r;
	}
	*ret_result = result;
	return 0;
}

void sc_child_result_fini(struct sc_child_result *result)
{
	sc_freep(&result->output);
	sc_freep(&result->messages);
}

void sc_child_reason(const struct sc_child_result *result, char *text, size_t text_bytes)
{
	switch (result->end) {
	case SC_CHILD_EXITED:
		(void)snprintf(text, text_bytes, "ended with exit status %d", result->status);
		break;
	case SC_CHILD_SIGNALLED:
		(void)snprintf(text, text_bytes, "was killed by signal %d (%s)", result->status,
			       strsignal(result->status));
		break;
	case SC_CHILD_TIMED_OUT:
		(void)snprintf(text, text_bytes, "was stopped: it took longer than %.0f s",
			       (double)result->elapsed_ns / 1e9);
		break;
	case SC_CHILD_INTERRUPTED:
		(void)snprintf(text, text_bytes, "was interrupted");
		break;
	case SC_CHILD_OVERFLOWED:
		(void)snprintf(text, text_bytes, "was stopped: it wrote more than %u MiB",
			       OUTPUT_MAX >> 20);
		break;
	}
}
