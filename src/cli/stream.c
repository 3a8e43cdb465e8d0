/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "../report/text.h"
#include "command.h"

void sc_streams_open(void)
{
	for (int fd = 0; fd <= 2; fd++)
		if (fcntl(fd, F_GETFD) < 0 && errno == EBADF)
			(void)!open("/dev/null", O_RDONLY); /* takes the lowest number: fd */
}

/* Nobody reads on, as behind `| head`: the end that every program without a handler has. */
void sc_end_by_pipe(void)
{
	sigset_t pipe_set;

	(void)sigemptyset(&pipe_set); /* these fail for numbers that are no signals */
	(void)sigaddset(&pipe_set, SIGPIPE);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)sigprocmask(SIG_UNBLOCK, &pipe_set, NULL);
	(void)raise(SIGPIPE);
}

int sc_stdout_close(int exit_code, bool said)
{
	int os_errno = 0;

	/* An earlier write may have failed, and its errno is gone by now: ask again. */
	errno = 0;
	if (fflush(stdout) != 0 || ferror(stdout))
		os_errno = errno ? errno : EIO;
	if (close(STDOUT_FILENO) < 0 && !os_errno)
		os_errno = errno;
	if (!os_errno)
		return exit_code;
	if (os_errno == EPIPE)
		sc_end_by_pipe();
	if (!said)
		(void)fprintf(stderr, "syncost: standard output could not be written: %s\n",
			      strerror(os_errno));
	return 4;
}

static bool is_command(const char *name)
{
	const struct sc_command *command;

	for (size_t i = 0; (command = sc_commands(i)); i++)
		if (strcmp(command->name, name) == 0)
			return true;
	return false;
}

/* What a user typed is in it: one line, and nothing that moves the cursor. */
void sc_error_print(FILE *err, const char *command, const struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};

	sc_text_add_clean(&line, error->what, true);
	sc_buffer_add_text(&line, error->next[0] ? "; " : "");
	sc_text_add_clean(&line, error->next, true);
	(void)fprintf(err, "syncost%s%s: %s\n", is_command(command) ? " " : "",
		      is_command(command) ? command : "",
		      line.code == 0 ? line.text : "out of memory");
}
