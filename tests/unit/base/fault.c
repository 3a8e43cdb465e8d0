/* SPDX-License-Identifier: MIT */
#include "fault.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#define NAMES_MAX 64

static struct {
	bool armed;
	const char *only; /* count calls of this name alone, or NULL */
	unsigned left;    /* calls until the failing one */
	int error;
	const char *failed;
	struct {
		const char *name;
		unsigned calls;
	} seen[NAMES_MAX];
} plan;

static void begin(const char *only, unsigned nth, int error)
{
	memset(&plan, 0, sizeof(plan));
	plan.only = only;
	plan.left = nth;
	plan.error = error;
	plan.armed = true;
}

void fault_begin(unsigned nth, int error)
{
	begin(NULL, nth, error);
}

void fault_begin_at(const char *name, unsigned nth, int error)
{
	begin(name, nth, error);
}

bool fault_end(void)
{
	plan.armed = false;
	return plan.failed != NULL;
}

const char *fault_name(void)
{
	return plan.failed;
}

unsigned fault_calls(const char *name)
{
	unsigned calls = 0;

	for (unsigned i = 0; i < NAMES_MAX && plan.seen[i].name; i++) {
		if (!name || strcmp(plan.seen[i].name, name) == 0)
			calls += plan.seen[i].calls;
	}
	return calls;
}

static void count(const char *name)
{
	unsigned i = 0;

	while (plan.seen[i].name && strcmp(plan.seen[i].name, name) != 0) {
		i++;
		assert(i < NAMES_MAX);
	}
	plan.seen[i].name = name;
	plan.seen[i].calls++;
}

/* Whether this call of @name is the one to fail; errno is set then. */
static bool fails(const char *name)
{
	if (!plan.armed)
		return false;
	count(name);
	if (plan.failed || (plan.only && strcmp(plan.only, name) != 0))
		return false;
	if (--plan.left > 0)
		return false;
	plan.failed = name;
	errno = plan.error;
	return true;
}

/* Allocations fail with ENOMEM whatever the plan's error. */
static bool fails_to_allocate(const char *name)
{
	if (!fails(name))
		return false;
	errno = ENOMEM;
	return true;
}

/* The names are the linker's, and the analyser does not see that a mode is there where it is read.
 */
/* NOLINTBEGIN(bugprone-*, cert-dcl*, clang-analyzer-valist.*) */

/* A wrapper: the real call, or its way of failing. `type name(parameters)` called with `arguments`.
 */
#define WRAP(type, name, parameters, arguments, failure)                                           \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails(#name) ? (failure) : __real_##name arguments;                         \
	}

#define WRAP_ALLOCATION(type, name, parameters, arguments)                                         \
	type __real_##name parameters;                                                             \
	type __wrap_##name parameters;                                                             \
	type __wrap_##name parameters                                                              \
	{                                                                                          \
		return fails_to_allocate(#name) ? NULL : __real_##name arguments;                  \
	}

/* A wrapper of a call whose last parameter, a mode, need not be there. */
#define WRAP_OPEN(name, parameters, real, mode_follows)                                            \
	int __wrap_##name parameters;                                                              \
	int __wrap_##name parameters                                                               \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
		va_list list;                                                                      \
                                                                                                   \
		if (mode_follows) {                                                                \
			va_start(list, flags);                                                     \
			mode = va_arg(list, mode_t);                                               \
			va_end(list);                                                              \
		}                                                                                  \
		return fails(#name) ? -1 : real;                                                   \
	}

int __real_open64(const char *path, int flags, ...);
int __real_openat64(int directory_fd, const char *path, int flags, ...);
int __wrap_asprintf(char **text, const char *format, ...) __attribute__((format(printf, 2, 3)));

WRAP_ALLOCATION(void *, malloc, (size_t bytes), (bytes))
WRAP_ALLOCATION(void *, calloc, (size_t count_, size_t bytes), (count_, bytes))
WRAP_ALLOCATION(void *, realloc, (void *old, size_t bytes), (old, bytes))
WRAP_ALLOCATION(char *, strdup, (const char *text), (text))
WRAP_ALLOCATION(char *, strndup, (const char *text, size_t bytes), (text, bytes))

int __wrap_asprintf(char **text, const char *format, ...)
{
	va_list list;
	int length;

	if (fails_to_allocate("asprintf"))
		return -1;
	va_start(list, format);
	length = vasprintf(text, format, list);
	va_end(list);
	return length;
}

WRAP_OPEN(open64, (const char *path, int flags, ...), __real_open64(path, flags, mode),
	  (flags & (O_CREAT | __O_TMPFILE)) != 0)
WRAP_OPEN(openat64, (int directory_fd, const char *path, int flags, ...),
	  __real_openat64(directory_fd, path, flags, mode), (flags & (O_CREAT | __O_TMPFILE)) != 0)

WRAP(ssize_t, read, (int fd, void *data, size_t bytes), (fd, data, bytes), -1)
WRAP(ssize_t, pread64, (int fd, void *data, size_t bytes, off_t offset), (fd, data, bytes, offset),
     -1)
WRAP(ssize_t, write, (int fd, const void *data, size_t bytes), (fd, data, bytes), -1)
WRAP(ssize_t, pwrite64, (int fd, const void *data, size_t bytes, off_t offset),
     (fd, data, bytes, offset), -1)
WRAP(int, fsync, (int fd), (fd), -1)
WRAP(int, fdatasync, (int fd), (fd), -1)
WRAP(int, linkat, (int from_fd, const char *from, int to_fd, const char *to, int flags),
     (from_fd, from, to_fd, to, flags), -1)
WRAP(int, renameat, (int from_fd, const char *from, int to_fd, const char *to),
     (from_fd, from, to_fd, to), -1)
WRAP(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1)
WRAP(int, flock, (int fd, int operation), (fd, operation), -1)
WRAP(int, fstat64, (int fd, struct stat64 *status), (fd, status), -1)
WRAP(int, fstatat64, (int fd, const char *path, struct stat64 *status, int flags),
     (fd, path, status, flags), -1)
WRAP(int, statx, (int fd, const char *path, int flags, unsigned mask, struct statx *status),
     (fd, path, flags, mask, status), -1)
WRAP(FILE *, fdopen, (int fd, const char *mode), (fd, mode), NULL)
WRAP(DIR *, opendir, (const char *path), (path), NULL)
WRAP(DIR *, fdopendir, (int fd), (fd), NULL)
WRAP(struct dirent64 *, readdir64, (DIR * directory), (directory), NULL)
WRAP(char *, realpath, (const char *path, char *resolved), (path, resolved), NULL)
WRAP(size_t, fwrite, (const void *data, size_t bytes, size_t items, FILE *file),
     (data, bytes, items, file), 0)
WRAP(int, fflush, (FILE * file), (file), EOF)

/* The stream is gone also when closing it fails. */
int __real_fclose(FILE *file);
int __wrap_fclose(FILE *file);
int __wrap_fclose(FILE *file)
{
	bool failing = fails("fclose");
	int error = errno;
	int r = __real_fclose(file);

	if (failing) {
		errno = error;
		return EOF;
	}
	return r;
}

/* NOLINTEND(bugprone-*, cert-dcl*, clang-analyzer-valist.*) */
