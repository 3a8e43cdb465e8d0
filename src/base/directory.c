/* SPDX-License-Identifier: MIT */
#include "directory.h"

/*
 * A directory is ours to remove only if it is this user's, holds this user's marker as a plain
 * file, and that marker names the directory's inode: a copy of one of our directories, marker
 * included, is the user's. Whether the owner lives is decided in marker.c, after trying the lock.
 *
 * The marker goes last, so that a removal that was cut short is taken up again. A process killed
 * between mkdir and the marker, or between the marker's removal and rmdir, leaves an empty
 * directory. Only its name tells whose it was; it is removed, by rmdir() alone, when no process of
 * that number lives here.
 */

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "clock.h"
#include "marker.h"
#include "tree.h"

#define NAMES_MAX 100        /* directories of one process in one second */
#define GRACE_NS  2000000000 /* between the making of a directory and its marker */

static void closedirp(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory); /* read-only */
	*directory = NULL;
}

static int write_marker(int directory_fd, int marker_fd, struct sc_marker *marker)
{
	char text[SC_MARKER_TEXT_BYTES];
	struct stat directory;
	ssize_t written;
	size_t bytes;

	if (fstat(directory_fd, &directory) < 0)
		return -errno;
	marker->directory = directory.st_ino;
	sc_marker_format(marker, text);
	bytes = strlen(text);

	/* Where locks do not work the marker's text decides alone. */
	if (flock(marker_fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK)
		return -EWOULDBLOCK;
	for (size_t done = 0; done < bytes; done += (size_t)written) {
		written = write(marker_fd, text + done, bytes - done);
		if (written < 0)
			return -errno;
		if (written == 0)
			return -ENOSPC;
	}
	return 0;
}

/* Marks @path, which was just made; on failure the directory is empty again. */
static int mark(const char *path, struct sc_marker *marker, int *ret_marker_fd,
		struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int directory_fd = -1;
	SC_CLEANUP(sc_fd_closep) int marker_fd = -1;
	int r;

	directory_fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory_fd < 0)
		return sc_fail(error, -errno, "open directory '%s'", path);
	marker_fd = openat(directory_fd, SC_MARKER_NAME,
			   O_CREAT | O_EXCL | O_NOFOLLOW | O_RDWR | O_CLOEXEC, 0600);
	if (marker_fd < 0)
		return sc_fail(error, -errno, "create '%s/" SC_MARKER_NAME "'", path);

	r = write_marker(directory_fd, marker_fd, marker);
	if (r < 0) {
		(void)unlinkat(directory_fd, SC_MARKER_NAME, 0); /* the first failure is told */
		return sc_fail(error, r, "write '%s/" SC_MARKER_NAME "'", path);
	}
	*ret_marker_fd = SC_TAKE_FD(marker_fd);
	return 0;
}

/* Makes a directory that was not there before: @base, @base-2, … */
static int make_fresh(const char *base, char **ret_path, struct sc_error *error)
{
	for (int i = 1; i <= NAMES_MAX; i++) {
		SC_CLEANUP(sc_freep) char *path = NULL;
		int length =
			i == 1 ? asprintf(&path, "%s", base) : asprintf(&path, "%s-%d", base, i);

		if (length < 0) {
			path = NULL;
			return sc_fail(error, -ENOMEM, "make directory '%s'", base);
		}
		if (mkdir(path, 0700) == 0) {
			*ret_path = SC_TAKE(path);
			return 0;
		}
		if (errno != EEXIST)
			return sc_fail(error, -errno, "make directory '%s'", path);
	}
	return sc_fail(error, -EEXIST, "make directory '%s'", base);
}

int sc_directory_make_private(const char *parent, const char *name,
			      struct sc_directory *ret_directory, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *resolved = NULL;
	SC_CLEANUP(sc_freep) char *base = NULL;
	SC_CLEANUP(sc_freep) char *path = NULL;
	struct sc_marker marker;
	char stamp[SC_UTC_BYTES];
	int marker_fd = -1;
	int r;

	assert(!strchr(name, '/'));
	resolved = realpath(parent, NULL);
	if (!resolved)
		return sc_fail(error, -errno, "open directory '%s'", parent);
	r = sc_marker_of_self("", &marker, error);
	if (r < 0)
		return r;

	sc_utc_stamp(sc_realtime_ns(), stamp);
	if (asprintf(&base, "%s/%s-%s-%d", strcmp(resolved, "/") == 0 ? "" : resolved, name, stamp,
		     (int)marker.pid) < 0) {
		base = NULL;
		return sc_fail(error, -ENOMEM, "make a directory in '%s'", parent);
	}
	r = make_fresh(base, &path, error);
	if (r < 0)
		return r;
	r = mark(path, &marker, &marker_fd, error);
	if (r < 0) {
		(void)rmdir(path); /* the first failure is told */
		return r;
	}
	*ret_directory = (struct sc_directory){.path = SC_TAKE(path), .marker_fd = marker_fd};
	return 0;
}

int sc_directory_may_make(const char *parent)
{
	struct stat status;
	struct statfs system;

	if (stat(parent, &status) < 0)
		return -errno;
	if (!S_ISDIR(status.st_mode))
		return -ENOTDIR;
	if (access(parent, W_OK | X_OK) < 0 || statfs(parent, &system) < 0)
		return -errno;
	return system.f_type == PROC_SUPER_MAGIC || system.f_type == SYSFS_MAGIC ? -EPERM : 0;
}

void sc_directory_fini(struct sc_directory *directory)
{
	sc_freep(&directory->path);
	sc_fd_closep(&directory->marker_fd);
}

static bool is_this_users(int fd, mode_t type, struct stat *ret_stat)
{
	if (fstat(fd, ret_stat) < 0)
		return false;
	return (ret_stat->st_mode & S_IFMT) == type && ret_stat->st_uid == geteuid();
}

/* Opens and reads the marker of a directory. Return: false unless the directory is ours. */
static bool read_marker(int directory_fd, int *ret_marker_fd, struct sc_marker *ret_marker)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	char text[SC_MARKER_TEXT_BYTES];
	struct stat directory, file;
	ssize_t bytes;

	/* Writable, or network file systems refuse the lock; never blocking on a planted pipe. */
	fd = openat(directory_fd, SC_MARKER_NAME, O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || !is_this_users(fd, S_IFREG, &file) ||
	    !is_this_users(directory_fd, S_IFDIR, &directory))
		return false;

	bytes = pread(fd, text, sizeof(text) - 1, 0);
	if (bytes < 0)
		return false;
	text[bytes] = '\0';
	if (!sc_marker_parse(text, ret_marker) || ret_marker->directory != directory.st_ino)
		return false;
	*ret_marker_fd = SC_TAKE_FD(fd);
	return true;
}

/* Removes a directory known to be ours. */
static int remove_marked(int parent_fd, const char *name, int directory_fd, const char *path,
			 struct sc_error *error)
{
	int r = sc_tree_empty(directory_fd, path, SC_MARKER_NAME, error);

	if (r < 0)
		return r;
	if (unlinkat(directory_fd, SC_MARKER_NAME, 0) < 0 && errno != ENOENT)
		return sc_fail(error, -errno, "remove '%s/" SC_MARKER_NAME "'", path);
	if (unlinkat(parent_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return sc_fail(error, -errno, "remove directory '%s'", path);
	return 0;
}

/* Opens a directory of this process. Return: 1 if it is there, 0 if somebody removed it. */
static int open_own(const struct sc_directory *directory, int *ret_directory_fd,
		    struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int directory_fd = -1;
	SC_CLEANUP(sc_fd_closep) int marker_fd = -1;
	struct sc_marker marker;

	directory_fd = open(directory->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory_fd < 0 && errno == ENOENT)
		return 0;
	if (directory_fd < 0)
		return sc_fail(error, -errno, "open directory '%s'", directory->path);
	if (!read_marker(directory_fd, &marker_fd, &marker) || marker.pid != getpid())
		return sc_fail(error, -EPERM, "remove '%s', which lost its marker",
			       directory->path);
	*ret_directory_fd = SC_TAKE_FD(directory_fd);
	return 1;
}

int sc_directory_empty(const struct sc_directory *directory, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int directory_fd = -1;
	int r = open_own(directory, &directory_fd, error);

	if (r < 0)
		return r;
	if (r == 0)
		return sc_fail(error, -ENOENT, "open directory '%s'", directory->path);
	return sc_tree_empty(directory_fd, directory->path, SC_MARKER_NAME, error);
}

static int remove_own(const struct sc_directory *directory, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *parent = NULL;
	SC_CLEANUP(sc_fd_closep) int parent_fd = -1;
	SC_CLEANUP(sc_fd_closep) int directory_fd = -1;
	const char *name = strrchr(directory->path, '/') + 1;
	int r;

	parent = strndup(directory->path, (size_t)(name - directory->path));
	if (!parent)
		return sc_fail(error, -ENOMEM, "remove directory '%s'", directory->path);
	parent_fd = open(parent, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (parent_fd < 0 && errno == ENOENT)
		return 0; /* somebody removed all of it */
	if (parent_fd < 0)
		return sc_fail(error, -errno, "open directory '%s'", parent);
	r = open_own(directory, &directory_fd, error);
	if (r <= 0)
		return r; /* 0: somebody was faster */
	return remove_marked(parent_fd, name, directory_fd, directory->path, error);
}

int sc_directory_remove_own(struct sc_directory *directory, struct sc_error *error)
{
	int r = directory->path ? remove_own(directory, error) : 0;

	sc_directory_fini(directory);
	return r;
}

/* Without one of the same name, which rename() would replace where it is empty. */
static int rename_to_new(const char *from, const char *to)
{
	if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0)
		return 0;
	if (errno != EINVAL && errno != ENOSYS)
		return -errno;
	if (mkdir(to, 0700) < 0) /* the file system knows no such flag: an own one is replaced */
		return -errno;
	if (rename(from, to) == 0)
		return 0;
	(void)rmdir(to);
	return -errno;
}

static int sync_directory(const char *path, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return sc_fail(error, -errno, "open directory '%s'", path);
	return fsync(fd) < 0 ? sc_fail(error, -errno, "sync directory '%s'", path) : 0;
}

int sc_directory_settle(struct sc_directory *directory, const char *path, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *parent = strdup(path);
	SC_CLEANUP(sc_freep) char *marker = NULL;
	char *slash = parent ? strrchr(parent, '/') : NULL;
	int r;

	if (!parent || asprintf(&marker, "%s/" SC_MARKER_NAME, path) < 0) {
		marker = NULL;
		return sc_fail(error, -ENOMEM, "rename '%s' to '%s'", directory->path, path);
	}
	if (slash)
		slash[slash == parent] = '\0';
	r = sync_directory(directory->path, error);
	if (r < 0)
		return r;
	r = rename_to_new(directory->path, path);
	if (r < 0)
		return sc_fail(error, r, "rename '%s' to '%s'", directory->path, path);
	sc_directory_fini(directory);
	/* Where it stays it says nothing, for the name is another; but then it stays for good. */
	if (unlink(marker) < 0)
		(void)unlink(marker);
	return sync_directory(slash ? parent : ".", error);
}

struct search {
	const char *parent; /* as given, for messages */
	int parent_fd;
	struct sc_marker self;
};

/* Whether nobody uses the directory any more; the lock stays held with @marker_fd. */
static bool is_stale(const struct search *search, const struct sc_marker *marker, int marker_fd)
{
	bool lock_was_free = flock(marker_fd, LOCK_EX | LOCK_NB) == 0;

	if (!lock_was_free && errno == EWOULDBLOCK)
		return false;
	return !sc_marker_may_live("", marker, &search->self, lock_was_free);
}

/* "-YYYYMMDDTHHMMSSZ-" */
static bool is_stamp(const char *text)
{
	static const char shape[] = "-00000000T000000Z-";

	for (size_t i = 0; shape[i]; i++)
		if (shape[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != shape[i])
			return false;
	return true;
}

/* NAME-YYYYMMDDTHHMMSSZ-PID[-N]. Return: PID, 0 if it is no such name. */
static pid_t owner_of(const char *name)
{
	const char *stamp = strchr(name, '-');
	char *end = NULL;
	long pid;

	while (stamp && !is_stamp(stamp))
		stamp = strchr(stamp + 1, '-');
	if (!stamp)
		return 0;
	pid = strtol(strchr(stamp + 1, '-') + 1, &end, 10);
	if ((*end && *end != '-') || pid <= 0 || pid > INT_MAX)
		return 0;
	return (pid_t)pid;
}

static bool is_older(const struct stat *directory, int64_t age_ns)
{
	int64_t made_ns =
		(int64_t)directory->st_mtim.tv_sec * 1000000000 + directory->st_mtim.tv_nsec;

	return (int64_t)sc_realtime_ns() - made_ns > age_ns;
}

/* Return: 1 if @name was made here by a process that died before it could mark it, else 0. */
static int remove_if_unmarked(const struct search *search, const char *name, int directory_fd)
{
	struct stat directory;
	pid_t pid = owner_of(name);

	if (pid <= 0 || !is_this_users(directory_fd, S_IFDIR, &directory) ||
	    !is_older(&directory, GRACE_NS) || kill(pid, 0) == 0 || errno != ESRCH)
		return 0;
	return unlinkat(search->parent_fd, name, AT_REMOVEDIR) == 0; /* fails unless empty */
}

/* Return: 1 if @name was a stale directory and is removed, 0 if it is to be left alone. */
static int remove_if_stale(const struct search *search, const char *name, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int directory_fd = -1;
	SC_CLEANUP(sc_fd_closep) int marker_fd = -1;
	SC_CLEANUP(sc_freep) char *path = NULL;
	struct sc_marker marker;
	int r;

	directory_fd =
		openat(search->parent_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (directory_fd < 0)
		return 0;
	if (!read_marker(directory_fd, &marker_fd, &marker))
		return remove_if_unmarked(search, name, directory_fd);
	if (!is_stale(search, &marker, marker_fd))
		return 0;

	if (asprintf(&path, "%s/%s", search->parent, name) < 0) {
		path = NULL;
		return sc_fail(error, -ENOMEM, "remove '%s/%s'", search->parent, name);
	}
	r = remove_marked(search->parent_fd, name, directory_fd, path, error);
	return r < 0 ? r : 1;
}

static bool has_prefix(const char *entry, const char *name)
{
	size_t bytes = strlen(name);

	return strncmp(entry, name, bytes) == 0 && entry[bytes] == '-';
}

int sc_directory_remove_stale(const char *parent, const char *name, uint32_t *ret_count,
			      struct sc_error *error)
{
	SC_CLEANUP(closedirp) DIR *directory = NULL;
	struct search search = {.parent = parent};
	const struct dirent *entry;
	int result = 0;
	int r;

	*ret_count = 0;
	r = sc_marker_of_self("", &search.self, error);
	if (r < 0)
		return r;
	directory = opendir(parent);
	if (!directory && errno == ENOENT)
		return 0;
	if (!directory)
		return sc_fail(error, -errno, "open directory '%s'", parent);

	search.parent_fd = dirfd(directory);
	for (;;) {
		struct sc_error other;

		errno = 0; /* readdir() tells an error from the end by it alone */
		entry = readdir(directory);
		if (!entry && errno != 0 && result == 0)
			result = sc_fail(error, -errno, "read directory '%s'", parent);
		if (!entry)
			break;
		if (!has_prefix(entry->d_name, name))
			continue;
		/* One that cannot be removed does not keep the rest; the first failure is told. */
		r = remove_if_stale(&search, entry->d_name, result == 0 ? error : &other);
		if (r == 1)
			++*ret_count;
		else if (r < 0 && result == 0)
			result = r;
	}
	return result;
}
