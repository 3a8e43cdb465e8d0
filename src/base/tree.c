/* SPDX-License-Identifier: MIT */
#include "tree.h"

/*
 * Each level is reached by openat() from the one above with O_NOFOLLOW, so that nobody can lead us
 * elsewhere by swapping a directory for a link. A directory is entered only if its device and its
 * mount are those of the level above: the device alone would not tell a bind mount.
 *
 * Passes are repeated until one finds nothing left, as some file systems skip entries while
 * others are being removed.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct level {
	int fd;           /* borrowed */
	const char *path; /* for messages */
	const char *keep; /* or NULL */
	struct statx at;  /* device and mount */
};

static void closedirp(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory); /* read-only */
	*directory = NULL;
}

static int look_at(int fd, struct statx *ret_at)
{
	int r = statx(fd, "", AT_EMPTY_PATH, STATX_INO | STATX_MNT_ID, ret_at);

	return r < 0 ? -errno : 0;
}

static bool is_same_mount(const struct statx *a, const struct statx *b)
{
	if (a->stx_dev_major != b->stx_dev_major || a->stx_dev_minor != b->stx_dev_minor)
		return false;
	/* Kernels before 5.8 do not tell mounts apart. */
	return !(a->stx_mask & b->stx_mask & STATX_MNT_ID) || a->stx_mnt_id == b->stx_mnt_id;
}

static int empty_level(const struct level *level, struct sc_error *error);

static int remove_directory(const struct level *above, const char *name, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	SC_CLEANUP(sc_freep) char *path = NULL;
	struct level level = {0};
	int r;

	if (asprintf(&path, "%s/%s", above->path, name) < 0) {
		path = NULL;
		return sc_fail(error, -ENOMEM, "remove '%s/%s'", above->path, name);
	}
	fd = openat(above->fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return sc_fail(error, -errno, "open directory '%s' to remove it", path);
	r = look_at(fd, &level.at);
	if (r < 0)
		return sc_fail(error, r, "look at '%s'", path);
	if (!is_same_mount(&above->at, &level.at))
		return sc_fail(error, -EXDEV, "remove '%s', which is mounted there", path);

	level.fd = fd;
	level.path = path;
	r = empty_level(&level, error);
	if (r < 0)
		return r;
	if (unlinkat(above->fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT)
		return sc_fail(error, -errno, "remove directory '%s'", path);
	return 0;
}

static int remove_entry(const struct level *level, const char *name, struct sc_error *error)
{
	struct stat entry;

	if (fstatat(level->fd, name, &entry, AT_SYMLINK_NOFOLLOW) < 0) {
		if (errno == ENOENT) /* gone by itself */
			return 0;
		return sc_fail(error, -errno, "look at '%s/%s'", level->path, name);
	}
	if (S_ISDIR(entry.st_mode))
		return remove_directory(level, name, error);
	if (unlinkat(level->fd, name, 0) < 0 && errno != ENOENT)
		return sc_fail(error, -errno, "remove '%s/%s'", level->path, name);
	return 0;
}

static bool is_kept(const struct level *level, const char *name)
{
	if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
		return true;
	return level->keep && strcmp(name, level->keep) == 0;
}

/* One pass; *ret_any tells whether it found something. */
static int sweep_level(const struct level *level, DIR *directory, bool *ret_any,
		       struct sc_error *error)
{
	*ret_any = false;
	for (;;) {
		const struct dirent *entry;
		int r;

		errno = 0; /* readdir() tells an error from the end by it alone */
		entry = readdir(directory);
		if (!entry && errno != 0)
			return sc_fail(error, -errno, "read directory '%s'", level->path);
		if (!entry)
			return 0;
		if (is_kept(level, entry->d_name))
			continue;

		*ret_any = true;
		r = remove_entry(level, entry->d_name, error);
		if (r < 0)
			return r;
	}
}

static int empty_level(const struct level *level, struct sc_error *error)
{
	SC_CLEANUP(closedirp) DIR *directory = NULL;
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	bool any;
	int r;

	/* A stream owns its descriptor; the level's is borrowed. */
	fd = openat(level->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return sc_fail(error, -errno, "open directory '%s' to empty it", level->path);
	directory = fdopendir(fd);
	if (!directory)
		return sc_fail(error, -errno, "open directory '%s' to empty it", level->path);
	(void)SC_TAKE_FD(fd);

	do {
		r = sweep_level(level, directory, &any, error);
		if (r < 0)
			return r;
		rewinddir(directory);
	} while (any);
	return 0;
}

int sc_tree_empty(int directory_fd, const char *path, const char *keep, struct sc_error *error)
{
	struct level level = {.fd = directory_fd, .path = path, .keep = keep};
	int r = look_at(directory_fd, &level.at);

	if (r < 0)
		return sc_fail(error, r, "look at '%s'", path);
	return empty_level(&level, error);
}
