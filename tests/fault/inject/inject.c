/* SPDX-License-Identifier: MIT */

/*
 * Makes the Nth call fail. For LD_PRELOAD, in tests alone; never installed.
 *
 * The environment says which calls and how:
 *
 *	INJECT_STATE    file with the counters, shared by all processes; without it nothing happens
 *	INJECT_NTH      which of the matching calls fails, from 1; 0 or absent: none, they are
 *counted INJECT_STICKY   1: and each one after it, as on a full disk INJECT_ERROR    EIO (the
 *default), ENOSPC, EROFS, EMFILE, EINTR, ENOMEM, EACCES, or SHORT: half of the bytes are moved
 *(reads and writes; others do not match) INJECT_CALLS    kinds of call, comma separated:
 *"write,fsync"; "any" (the default) is all but memory INJECT_PATH     pattern of fnmatch(3) for the
 *path, or what the descriptor is open on INJECT_PROCESS  the same for the command line, words
 *separated by spaces; "!…": not those INJECT_LEAKS    file for descriptors that a process opened
 *and still has when it exits
 *
 * The state is four numbers of 64 bits and a text: calls that matched, faults injected, the last
 * fault's process, unused, and "write /path" of the last fault.
 *
 * Where it stands: a program that exports these names itself (syncost does, for its tap) comes
 * first, and finds this library as the next; libc's own calls to itself pass neither. Streams are
 * libc's own calls, so fopen() and fdopen() give streams whose reads, writes and closes are made
 * here. A close that fails has closed, as on Linux.
 */

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <poll.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

enum kind {
	KIND_open,
	KIND_close,
	KIND_read,
	KIND_write,
	KIND_fsync,
	KIND_truncate,
	KIND_seek,
	KIND_stat,
	KIND_chmod,
	KIND_lock,
	KIND_dup,
	KIND_rename,
	KIND_unlink,
	KIND_link,
	KIND_mkdir,
	KIND_opendir,
	KIND_readdir,
	KIND_mmap,
	KIND_fcntl,
	KIND_exec,
	KIND_pipe,
	KIND_fork,
	KIND_wait,
	KIND_poll,
	KIND_memory,
	KIND_COUNT,
};

static const char *const kind_names[KIND_COUNT] = {
	"open",  "close", "read",   "write",  "fsync", "truncate", "seek",    "stat",    "chmod",
	"lock",  "dup",   "rename", "unlink", "link",  "mkdir",    "opendir", "readdir", "mmap",
	"fcntl", "exec",  "pipe",   "fork",   "wait",  "poll",     "memory",
};

struct state {
	_Atomic uint64_t matched, injected, process, unused;
	char what[4064];
};

_Static_assert(sizeof(struct state) == 4096, "one page");

static struct {
	struct state *state; /* NULL: not armed */
	uint64_t nth;
	int error; /* 0: SHORT */
	bool sticky;
	bool kinds[KIND_COUNT];
	const char *path; /* NULL: any */
	const char *leaks;
	uint64_t open_at_start[16]; /* descriptors 0 … 1023, a bit each */
} inject;

/* Inside of ours: what libc calls on our behalf is not counted. */
static __thread int depth;

/* --- deciding */

static void describe_fd(int fd, char *text, size_t text_bytes)
{
	char link[64];
	long length;

	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = syscall(SYS_readlinkat, AT_FDCWD, link, text, text_bytes - 1);
	text[length > 0 ? length : 0] = '\0';
}

static void note(const char *name, const char *subject)
{
	(void)snprintf(inject.state->what, sizeof(inject.state->what), "%s %.4000s", name, subject);
	inject.state->process = (uint64_t)syscall(SYS_getpid);
	inject.state->injected++;
}

/* Whether this call is the one. @path: or NULL where @fd says what it acts on */
static bool hit(enum kind kind, const char *name, int fd, const char *path)
{
	char target[4096];
	int saved = errno;
	uint64_t number;
	bool is_hit = false;

	if (!inject.state || depth > 0 || !inject.kinds[kind])
		return false;
	depth++;
	if (!path) {
		describe_fd(fd, target, sizeof(target));
		path = target;
	}
	if (!inject.path || fnmatch(inject.path, path, 0) == 0) {
		number = ++inject.state->matched;
		is_hit = inject.nth > 0 &&
			 (inject.sticky ? number >= inject.nth : number == inject.nth);
		if (is_hit)
			note(name, path);
	}
	depth--;
	errno = saved;
	return is_hit;
}

/* The same for calls that cannot be short. */
static bool fails(enum kind kind, const char *name, int fd, const char *path)
{
	if (inject.error == 0 || !hit(kind, name, fd, path))
		return false;
	errno = inject.error;
	return true;
}

static void *next_of(const char *name)
{
	void *function;

	depth++;
	function = dlsym(RTLD_NEXT, name);
	depth--;
	return function;
}

/* libc's function of this name; a pointer to data and one to code are the same thing here. */
#define NEXT(name)                                                                                 \
	static __typeof__(&name) next;                                                             \
	if (!next)                                                                                 \
	*(void **)&next = next_of(#name)

/* --- the rows */

#define INJECT_FD(kind, type, name, parameters, arguments)                                         \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		NEXT(name);                                                                        \
		return fails(KIND_##kind, #name, fd, NULL) ? (type)-1 : next arguments;            \
	}
#define INJECT_PATH(kind, type, name, parameters, arguments, path)                                 \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		NEXT(name);                                                                        \
		return fails(KIND_##kind, #name, -1, path) ? (type)-1 : next arguments;            \
	}
#define INJECT_MOVE(kind, type, name, parameters, arguments, half)                                 \
	EXPORT type name parameters                                                                \
	{                                                                                          \
		NEXT(name);                                                                        \
		if (inject.error == 0 && size < 2)                                                 \
			return next arguments; /* nothing shorter than it but nothing */           \
		if (!hit(KIND_##kind, #name, fd, NULL))                                            \
			return next arguments;                                                     \
		if (inject.error == 0)                                                             \
			return next half;                                                          \
		errno = inject.error;                                                              \
		return -1;                                                                         \
	}
#include "calls.def"

/* --- calls with bodies of their own */

#define OPEN(name, parameters, arguments)                                                          \
	EXPORT int name parameters                                                                 \
	{                                                                                          \
		mode_t mode = 0;                                                                   \
		NEXT(name);                                                                        \
		if (flags & (O_CREAT | __O_TMPFILE)) {                                             \
			va_list rest;                                                              \
			va_start(rest, flags);                                                     \
			mode = va_arg(rest, mode_t);                                               \
			va_end(rest);                                                              \
		}                                                                                  \
		return fails(KIND_open, #name, -1, path) ? -1 : next arguments;                    \
	}

OPEN(open, (const char *path, int flags, ...), (path, flags, mode))
OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
OPEN(openat, (int at, const char *path, int flags, ...), (at, path, flags, mode))
OPEN(openat64, (int at, const char *path, int flags, ...), (at, path, flags, mode))

EXPORT int close(int fd)
{
	bool failing;

	NEXT(close);
	failing = fails(KIND_close, "close", fd, NULL);
	if (!failing)
		return next(fd);
	(void)next(fd);
	errno = inject.error;
	return -1;
}

static bool is_lock(int command)
{
	return command == F_SETLK || command == F_SETLKW || command == F_OFD_SETLK ||
	       command == F_OFD_SETLKW || command == F_GETLK;
}

#define FCNTL(name)                                                                                \
	EXPORT int name(int fd, int command, ...)                                                  \
	{                                                                                          \
		va_list rest;                                                                      \
		void *argument;                                                                    \
		NEXT(name);                                                                        \
		va_start(rest, command);                                                           \
		argument = va_arg(rest, void *);                                                   \
		va_end(rest);                                                                      \
		return fails(is_lock(command) ? KIND_lock : KIND_fcntl, #name, fd, NULL)           \
			       ? -1                                                                \
			       : next(fd, command, argument);                                      \
	}

FCNTL(fcntl)
FCNTL(fcntl64)

EXPORT void *mmap(void *address, size_t size, int protection, int flags, int fd, off_t offset)
{
	NEXT(mmap);
	return fails(KIND_mmap, "mmap", fd, NULL)
		       ? MAP_FAILED
		       : next(address, size, protection, flags, fd, offset);
}

EXPORT void *mmap64(void *address, size_t size, int protection, int flags, int fd, off64_t offset)
{
	NEXT(mmap64);
	return fails(KIND_mmap, "mmap64", fd, NULL)
		       ? MAP_FAILED
		       : next(address, size, protection, flags, fd, offset);
}

EXPORT int posix_fallocate(int fd, off_t offset, off_t size)
{
	int saved = errno;

	NEXT(posix_fallocate);
	if (!fails(KIND_truncate, "posix_fallocate", fd, NULL))
		return next(fd, offset, size);
	errno = saved;
	return inject.error;
}

EXPORT DIR *opendir(const char *path)
{
	NEXT(opendir);
	return fails(KIND_opendir, "opendir", -1, path) ? NULL : next(path);
}

EXPORT DIR *fdopendir(int fd)
{
	NEXT(fdopendir);
	return fails(KIND_opendir, "fdopendir", fd, NULL) ? NULL : next(fd);
}

EXPORT struct dirent *readdir(DIR *directory)
{
	NEXT(readdir);
	return fails(KIND_readdir, "readdir", dirfd(directory), NULL) ? NULL : next(directory);
}

EXPORT struct dirent64 *readdir64(DIR *directory)
{
	NEXT(readdir64);
	return fails(KIND_readdir, "readdir64", dirfd(directory), NULL) ? NULL : next(directory);
}

EXPORT char *realpath(const char *path, char *resolved)
{
	NEXT(realpath);
	return fails(KIND_stat, "realpath", -1, path) ? NULL : next(path, resolved);
}

/* --- streams */

#define STREAMS 64

static struct stream {
	FILE *file;
	int fd;
} streams[STREAMS];

static pthread_mutex_t streams_lock = PTHREAD_MUTEX_INITIALIZER;

static ssize_t stream_read(void *cookie, char *data, size_t size)
{
	return read((int)(intptr_t)cookie, data, size);
}

/* A stream wants all of it, or what there is after an error; libc's own goes on as this does. */
static ssize_t stream_write(void *cookie, const char *data, size_t size)
{
	size_t done = 0;

	while (done < size) {
		ssize_t n = write((int)(intptr_t)cookie, data + done, size - done);

		if (n < 0)
			return 0; /* a cookie's way to say so; errno stays */
		done += (size_t)n;
	}
	return (ssize_t)done;
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
	off64_t reached = lseek64((int)(intptr_t)cookie, *offset, whence);

	if (reached < 0)
		return -1;
	*offset = reached;
	return 0;
}

static int stream_close(void *cookie)
{
	int fd = (int)(intptr_t)cookie;

	(void)pthread_mutex_lock(&streams_lock);
	for (size_t i = 0; i < STREAMS; i++) {
		if (streams[i].file && streams[i].fd == fd)
			streams[i].file = NULL;
	}
	(void)pthread_mutex_unlock(&streams_lock);
	return close(fd);
}

/* @fd is the stream's on success alone, as fdopen() has it. */
static FILE *open_stream(int fd, const char *mode)
{
	static const cookie_io_functions_t functions = {
		stream_read,
		stream_write,
		stream_seek,
		stream_close,
	};
	FILE *file = fopencookie((void *)(intptr_t)fd, mode, functions);
	bool kept = false;

	if (!file)
		return NULL;
	(void)pthread_mutex_lock(&streams_lock);
	for (size_t i = 0; !kept && i < STREAMS; i++) {
		if (streams[i].file)
			continue;
		streams[i] = (struct stream){file, fd};
		kept = true;
	}
	(void)pthread_mutex_unlock(&streams_lock);
	if (!kept)
		abort(); /* fileno() would lie */
	return file;
}

static int flags_of(const char *mode)
{
	int flags = strchr(mode, '+') ? O_RDWR : mode[0] == 'r' ? O_RDONLY : O_WRONLY;

	if (mode[0] == 'w')
		flags |= O_CREAT | O_TRUNC;
	if (mode[0] == 'a')
		flags |= O_CREAT | O_APPEND;
	return flags | (strchr(mode, 'e') ? O_CLOEXEC : 0) | (strchr(mode, 'x') ? O_EXCL : 0);
}

static FILE *open_file(const char *path, const char *mode)
{
	int fd = open(path, flags_of(mode), 0666);
	FILE *file;

	if (fd < 0)
		return NULL;
	file = open_stream(fd, mode);
	if (!file)
		(void)close(fd);
	return file;
}

EXPORT FILE *fopen(const char *path, const char *mode)
{
	NEXT(fopen);
	return inject.state ? open_file(path, mode) : next(path, mode);
}

EXPORT FILE *fopen64(const char *path, const char *mode)
{
	NEXT(fopen64);
	return inject.state ? open_file(path, mode) : next(path, mode);
}

EXPORT FILE *fdopen(int fd, const char *mode)
{
	NEXT(fdopen);
	if (!inject.state)
		return next(fd, mode);
	return fails(KIND_open, "fdopen", fd, NULL) ? NULL : open_stream(fd, mode);
}

EXPORT int fileno(FILE *file)
{
	int fd = -1;

	NEXT(fileno);
	(void)pthread_mutex_lock(&streams_lock);
	for (size_t i = 0; i < STREAMS; i++) {
		if (streams[i].file == file)
			fd = streams[i].fd;
	}
	(void)pthread_mutex_unlock(&streams_lock);
	return fd >= 0 ? fd : next(file);
}

/* --- memory */

/* With a sanitizer the allocator is its own; these must not stand before it. */
#ifdef INJECT_MEMORY
/* libc's allocator under the names that need no look-up, which would itself allocate. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *memory, size_t size);

static bool is_out_of_memory(const char *name)
{
	if (!inject.kinds[KIND_memory] || !fails(KIND_memory, name, -1, "memory"))
		return false;
	errno = ENOMEM;
	return true;
}

EXPORT void *malloc(size_t size)
{
	return is_out_of_memory("malloc") ? NULL : __libc_malloc(size);
}

EXPORT void *calloc(size_t count, size_t size)
{
	return is_out_of_memory("calloc") ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *memory, size_t size)
{
	return is_out_of_memory("realloc") ? NULL : __libc_realloc(memory, size);
}
#endif

/* --- arming */

static int parse_error(const char *name)
{
	static const struct {
		const char *name;
		int error;
	} errors[] = {
		{"EIO", EIO},     {"ENOSPC", ENOSPC}, {"EROFS", EROFS},   {"EMFILE", EMFILE},
		{"EINTR", EINTR}, {"ENOMEM", ENOMEM}, {"EACCES", EACCES}, {"SHORT", 0},
	};

	for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++) {
		if (strcmp(errors[i].name, name) == 0)
			return errors[i].error;
	}
	abort(); /* a test that asks for nothing would pass */
}

static void parse_calls(const char *list)
{
	while (*list) {
		size_t length = strcspn(list, ",");
		bool is_any = length == 3 && strncmp(list, "any", 3) == 0;
		bool known = is_any;

		for (int kind = 0; kind < KIND_COUNT; kind++) {
			bool is_named = strlen(kind_names[kind]) == length &&
					strncmp(list, kind_names[kind], length) == 0;

			if (is_named || (is_any && kind != KIND_memory))
				inject.kinds[kind] = true;
			known = known || is_named;
		}
		if (!known)
			abort();
		list += length;
		list += *list == ',';
	}
}

static bool is_this_process(const char *pattern)
{
	bool wanted = pattern[0] != '!';
	char line[4096];
	long length = 0;
	int fd = (int)syscall(SYS_openat, AT_FDCWD, "/proc/self/cmdline", O_RDONLY | O_CLOEXEC);

	if (fd >= 0) {
		length = syscall(SYS_read, fd, line, sizeof(line) - 1);
		(void)syscall(SYS_close, fd);
	}
	for (long i = 0; i + 1 < length; i++)
		line[i] = line[i] ? line[i] : ' ';
	line[length > 0 ? length : 0] = '\0';
	return (fnmatch(pattern + !wanted, line, 0) == 0) == wanted;
}

static struct state *map_state(const char *path)
{
	int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_RDWR | O_CLOEXEC);
	void *memory;

	if (fd < 0)
		return NULL;
	memory = (void *)syscall(SYS_mmap, NULL, sizeof(struct state), PROT_READ | PROT_WRITE,
				 MAP_SHARED, fd, 0);
	(void)syscall(SYS_close, fd);
	return memory == MAP_FAILED ? NULL : memory;
}

static void note_open(uint64_t open_now[16])
{
	for (int fd = 0; fd < 1024; fd++) {
		if (syscall(SYS_fcntl, fd, F_GETFD) >= 0)
			open_now[fd / 64] |= 1ull << (fd % 64);
	}
}

__attribute__((constructor)) static void arm(void)
{
	const char *path = getenv("INJECT_STATE");
	const char *nth = getenv("INJECT_NTH"), *error = getenv("INJECT_ERROR");
	const char *calls = getenv("INJECT_CALLS"), *process = getenv("INJECT_PROCESS");
	const char *sticky = getenv("INJECT_STICKY");

	if (!path || (process && !is_this_process(process)))
		return;
	inject.nth = nth ? strtoull(nth, NULL, 10) : 0;
	inject.error = parse_error(error ? error : "EIO");
	inject.sticky = sticky && strcmp(sticky, "1") == 0;
	inject.path = getenv("INJECT_PATH");
	inject.leaks = getenv("INJECT_LEAKS");
	parse_calls(calls ? calls : "any");
	note_open(inject.open_at_start);
	inject.state = map_state(path);
	if (!inject.state)
		abort();
}

/* What a process opened and still has. The streams of libc belong to the process's start. */
__attribute__((destructor)) static void report_leaks(void)
{
	uint64_t open_now[16] = {0};

	if (!inject.state || !inject.leaks)
		return;
	depth++;
	note_open(open_now);
	for (int fd = 3; fd < 1024; fd++) {
		char target[3000], line[4096];
		int out, length;

		if (!((open_now[fd / 64] & ~inject.open_at_start[fd / 64]) >> (fd % 64) & 1))
			continue;
		describe_fd(fd, target, sizeof(target));
		length = snprintf(line, sizeof(line), "%d %s\n", fd, target);
		out = (int)syscall(SYS_openat, AT_FDCWD, inject.leaks,
				   O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
		if (out < 0)
			continue;
		(void)!syscall(SYS_write, out, line, (size_t)length);
		(void)syscall(SYS_close, out);
	}
	depth--;
}
