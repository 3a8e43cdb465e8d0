/* SPDX-License-Identifier: MIT */

/*
 * A small program to practise on: copies a text into a file so that either the old or the new one
 * is there, and says in one line what failed. Its other manners are each wrong in one way, so that
 * the walker can be seen to notice.
 *
 *	sample MANNER FILE
 */

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const char text[] = "{\"written\": \"whole\"}\n";
static const char *manner;

static bool is(const char *name)
{
	return strcmp(manner, name) == 0;
}

static int fail(const char *what)
{
	int code = is("wrong-code") ? 7 : 4;

	if (is("crashing"))
		raise(SIGSEGV);
	if (!is("mute"))
		(void)fprintf(stderr, "sample: %s: %s\n", what, strerror(errno));
	if (is("chatty"))
		(void)fprintf(stderr, "sample: and once more\n");
	return code;
}

static int write_all(int fd, const char *data, size_t size)
{
	while (size > 0) {
		ssize_t n = write(fd, data, size);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || (n == 0 && (errno = EIO)))
			return -1;
		data += n;
		size -= is("short-sighted") ? size : (size_t)n;
	}
	return 0;
}

/* As a program should. */
static int copy_carefully(const char *path)
{
	char temporary[4096];
	const char *failed = NULL;
	int fd, saved;

	(void)snprintf(temporary, sizeof(temporary), "%s.tmp", path);
	do
		fd = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	while (fd < 0 && errno == EINTR);
	if (fd < 0)
		return fail("open");
	if (write_all(fd, text, sizeof(text) - 1) < 0)
		failed = "write";
	else if (fsync(fd) < 0 && errno != EINTR && !is("careless"))
		failed = "fsync";
	saved = errno;
	if (!(failed && is("leaky")) && close(fd) < 0 && errno != EINTR && !failed) {
		failed = "close";
		saved = errno;
	}
	if (!failed && rename(temporary, path) < 0) {
		failed = "rename";
		saved = errno;
	}
	if (!failed)
		return 0;
	errno = saved;
	if (is("littering-aloud"))
		return fail(temporary);
	if (!is("littering"))
		(void)unlink(temporary);
	errno = saved;
	return fail(failed);
}

/* Through a stream, straight into the file. */
static int copy_torn(const char *path)
{
	FILE *file = fopen(path, "we");

	if (!file)
		return fail("fopen");
	for (size_t i = 0; i < sizeof(text) - 1; i++) {
		if (fputc(text[i], file) < 0 || fflush(file) != 0) {
			int code = fail("write");

			(void)fclose(file);
			return code;
		}
	}
	return fclose(file) == 0 ? 0 : fail("fclose");
}

static int copy_in_child(const char *path)
{
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return fail("fork");
	if (pid == 0)
		exit(copy_carefully(path));
	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return fail("waitpid");
	}
	return WIFEXITED(status) ? WEXITSTATUS(status) : 5;
}

/* Each allocation is checked. */
static int allocate(void)
{
	for (int i = 0; i < 3; i++) {
		void *volatile memory = malloc(100);

		if (!memory)
			return fail("malloc");
		free(memory);
	}
	return 0;
}

int main(int argc, char **argv)
{
	if (argc != 3)
		return 2;
	manner = argv[1];
	if (is("torn"))
		return copy_torn(argv[2]);
	if (is("forking"))
		return copy_in_child(argv[2]);
	if (is("allocating"))
		return allocate();
	if (is("hanging")) {
		while (write(-1, "", 0) < 0 && errno != EBADF)
			;
	}
	return copy_carefully(argv[2]);
}
