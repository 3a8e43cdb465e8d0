/* SPDX-License-Identifier: MIT */

/*
 * The calls that make, move and end descriptors.
 *
 * Method. The table of descriptors follows them, so that a number given to another file is never
 * taken for the old one: an entry is written when libc has returned the number and erased before
 * libc is asked to close it, for then no other thread can have been given it yet. An erased entry
 * is no loss, the kernel is asked again. (So a child of vfork(), which shares this memory, may
 * close what it likes.)
 *
 * The mode argument of open exists only where the flags say so; it is not touched otherwise.
 */

#include <errno.h>
#include <stdarg.h>
#include <sys/syscall.h>

#include "file.h"
#include "real.h"
#include "record.h"
#include "watch.h"

/* --- opening */

static bool has_mode(int flags)
{
	return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE;
}

/* The optional last argument after @flags, in a variadic function. */
#define TAKE_MODE(flags, mode)                                                                     \
	do {                                                                                       \
		va_list arguments_;                                                                \
                                                                                                   \
		if (has_mode(flags)) {                                                             \
			va_start(arguments_, flags);                                               \
			(mode) = va_arg(arguments_, mode_t);                                       \
			va_end(arguments_);                                                        \
		}                                                                                  \
	} while (0)

struct opening {
	int directory;
	const char *path; /* NULL: from inside another call, not counted */
	uint64_t start_ns;
};

static struct opening begin_open(int directory, const char *path)
{
	if (sc_tap_is_inside())
		return (struct opening){0};
	return (struct opening){directory, path, sc_clock_real_ns()};
}

/* @fd is what libc returned. Return: the same. */
static int end_open(const struct opening *opening, int fd)
{
	uint64_t end_ns = sc_clock_real_ns();
	sc_tap_file file = SC_TAP_STRANGER;
	struct sc_tap_call call;

	if (opening->path && (fd >= 0 || errno != EFAULT)) {
		if (sc_tap_watch_is_on())
			sc_tap_watch_name(opening->path);
		file = sc_tap_path_file(opening->directory, opening->path);
	}
	if (fd >= 0)
		sc_tap_fd_set(fd, file);
	if (fd >= 0 && file == SC_TAP_STRANGER && opening->path && sc_tap_watch_is_on())
		sc_tap_watch_opened(fd, end_ns - opening->start_ns);
	if (sc_tap_note(&call, file, SC_OP_OPEN, opening->start_ns, end_ns, fd < 0))
		sc_tap_size_ask(&call, fd);
	return fd;
}

/* One of open's spellings: @parent and the rest of @arguments name what is opened. */
#define OPEN_BODY(name, parent, path, ...)                                                         \
	struct opening opening;                                                                    \
                                                                                                   \
	if (!sc_tap_is_on())                                                                       \
		return sc_tap_real_##name(__VA_ARGS__);                                            \
	opening = begin_open(parent, path);                                                        \
	return end_open(&opening, sc_tap_real_##name(__VA_ARGS__))

#define RAW_BODY(parent, path, flags, mode)                                                        \
	return (int)syscall(SYS_openat, parent, path, flags, mode)

#define OPEN_VARIADIC(name, parameters, parent, ...)                                               \
	int sc_tap_raw_##name parameters                                                           \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
                                                                                                   \
		TAKE_MODE(flags, mode);                                                            \
		RAW_BODY(parent, path, flags, mode);                                               \
	}                                                                                          \
	int name parameters                                                                        \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
                                                                                                   \
		TAKE_MODE(flags, mode);                                                            \
		OPEN_BODY(name, parent, path, __VA_ARGS__);                                        \
	}
#define OPEN_FIXED(name, parameters, parent, flags, mode, ...)                                     \
	int sc_tap_raw_##name parameters                                                           \
	{                                                                                          \
		RAW_BODY(parent, path, flags, mode);                                               \
	}                                                                                          \
	int name parameters                                                                        \
	{                                                                                          \
		OPEN_BODY(name, parent, path, __VA_ARGS__);                                        \
	}

#define CREATE (O_CREAT | O_WRONLY | O_TRUNC)

/* clang-format off */
OPEN_VARIADIC(open, (const char *path, int flags, ...), AT_FDCWD, path, flags, mode)
OPEN_VARIADIC(open64, (const char *path, int flags, ...), AT_FDCWD, path, flags, mode)
OPEN_VARIADIC(openat, (int directory, const char *path, int flags, ...), directory, directory, path, flags, mode)
OPEN_VARIADIC(openat64, (int directory, const char *path, int flags, ...), directory, directory, path, flags, mode)
OPEN_FIXED(creat, (const char *path, mode_t mode), AT_FDCWD, CREATE, mode, path, mode)
OPEN_FIXED(creat64, (const char *path, mode_t mode), AT_FDCWD, CREATE, mode, path, mode)
OPEN_FIXED(__open_2, (const char *path, int flags), AT_FDCWD, flags, 0, path, flags)
OPEN_FIXED(__open64_2, (const char *path, int flags), AT_FDCWD, flags, 0, path, flags)
OPEN_FIXED(__openat_2, (int directory, const char *path, int flags), directory, flags, 0, directory, path, flags)
OPEN_FIXED(__openat64_2, (int directory, const char *path, int flags), directory, flags, 0, directory, path, flags)
/* clang-format on */

/* --- duplicating */

/* @copy is what libc returned for a duplicate of @fd. Return: the same. */
static int note_copy(int fd, int copy)
{
	if (copy >= 0 && copy != fd)
		sc_tap_fd_set(copy, sc_tap_fd_known(fd));
	return copy;
}

int sc_tap_raw_dup(int fd)
{
	return (int)syscall(SYS_dup, fd);
}

int dup(int fd)
{
	if (!sc_tap_is_on())
		return sc_tap_real_dup(fd);
	return note_copy(fd, sc_tap_real_dup(fd));
}

int sc_tap_raw_dup2(int fd, int target)
{
	if (fd == target)
		return syscall(SYS_fcntl, fd, F_GETFD) < 0 ? -1 : fd;
	return (int)syscall(SYS_dup3, fd, target, 0);
}

int dup2(int fd, int target)
{
	if (!sc_tap_is_on())
		return sc_tap_real_dup2(fd, target);
	return note_copy(fd, sc_tap_real_dup2(fd, target));
}

int sc_tap_raw_dup3(int fd, int target, int flags)
{
	return (int)syscall(SYS_dup3, fd, target, flags);
}

int dup3(int fd, int target, int flags)
{
	if (!sc_tap_is_on())
		return sc_tap_real_dup3(fd, target, flags);
	return note_copy(fd, sc_tap_real_dup3(fd, target, flags));
}

/* --- fcntl: locks, and another way to duplicate */

typedef int (*fcntl_function)(int fd, int command, ...);

static bool is_lock(int command)
{
	switch (command) {
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return true;
	default:
		return false;
	}
}

/* Asking who holds a lock is booked as a lock; then the kernel writes F_UNLCK for "nobody". */
static bool is_unlock(int command, const struct flock *lock)
{
	return command != F_GETLK && command != F_OFD_GETLK && lock->l_type == F_UNLCK;
}

static int counted_fcntl(fcntl_function real, int fd, int command, void *argument)
{
	struct sc_tap_call call;
	int result;

	if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
		return note_copy(fd, real(fd, command, argument));
	if (!is_lock(command) || !sc_tap_begin_fd(&call, fd, SC_OP_LOCK))
		return real(fd, command, argument);

	result = real(fd, command, argument);
	if (result != -1 || errno != EFAULT) {
		if (is_unlock(command, argument))
			call.op = SC_OP_UNLOCK;
		if (command != F_GETLK && command != F_OFD_GETLK) /* asked, nothing was done */
			sc_tap_show(&call, argument, 0, sizeof(struct flock));
	}
	(void)sc_tap_end(&call, result == -1, 0); /* a lock changes no size */
	return result;
}

/* Every command passes one word or none; libc itself reads it always. */
#define FCNTL(name)                                                                                \
	int sc_tap_raw_##name(int fd, int command, ...)                                            \
	{                                                                                          \
		va_list arguments;                                                                 \
		void *argument;                                                                    \
                                                                                                   \
		va_start(arguments, command);                                                      \
		argument = va_arg(arguments, void *);                                              \
		va_end(arguments);                                                                 \
		return (int)syscall(SYS_fcntl, fd, command, argument);                             \
	}                                                                                          \
	int name(int fd, int command, ...)                                                         \
	{                                                                                          \
		va_list arguments;                                                                 \
		void *argument;                                                                    \
                                                                                                   \
		va_start(arguments, command);                                                      \
		argument = va_arg(arguments, void *);                                              \
		va_end(arguments);                                                                 \
		if (!sc_tap_is_on())                                                               \
			return sc_tap_real_##name(fd, command, argument);                          \
		return counted_fcntl(sc_tap_real_##name, fd, command, argument);                   \
	}

FCNTL(fcntl)
FCNTL(fcntl64)

/* --- closing */

int sc_tap_raw_close(int fd)
{
	return (int)syscall(SYS_close, fd);
}

int close(int fd)
{
	struct sc_tap_call call;
	sc_tap_file file;
	int result;

	if (!sc_tap_is_on())
		return sc_tap_real_close(fd);
	file = sc_tap_fd_known(fd);
	if (sc_tap_watch_is_on() && sc_tap_watch_suspects(fd) && sc_ledger_is_on()) {
		file = sc_tap_fd_file(fd); /* closed unused, and yet a database by its name */
		if (file != SC_TAP_STRANGER)
			sc_tap_watch_book(fd, file);
	}
	sc_tap_fd_forget(fd);
	if (!sc_tap_begin(&call, file, SC_OP_CLOSE))
		return sc_tap_real_close(fd);
	result = sc_tap_real_close(fd);
	(void)sc_tap_end(&call, result == -1, 0); /* closing changes no size */
	return result;
}

int sc_tap_raw_close_range(unsigned int first, unsigned int last, int flags)
{
	return (int)syscall(SYS_close_range, first, last, flags);
}

int close_range(unsigned int first, unsigned int last, int flags)
{
	if (sc_tap_is_on() && !(flags & (int)CLOSE_RANGE_CLOEXEC))
		sc_tap_fd_forget_range(first, last);
	return sc_tap_real_close_range(first, last, flags);
}

/* Nobody has a stream before libc is there to make it. */
int sc_tap_raw_fclose(FILE *stream)
{
	(void)stream;
	errno = EBADF;
	return EOF;
}

/* A descriptor that was opened here, made a stream by fdopen, and is closed inside libc. */
int fclose(FILE *stream)
{
	int saved = errno;

	if (sc_tap_is_on())
		sc_tap_fd_forget(fileno(stream)); /* -1 where there is none */
	errno = saved;
	return sc_tap_real_fclose(stream);
}
