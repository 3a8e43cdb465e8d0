/* SPDX-License-Identifier: MIT */
#include "files.h"

/*
 * How a file becomes durable (the order is the point):
 *
 *	write          into a file without a name (O_TMPFILE); where the file system has no such
 *	               thing, under a temporary name beside the target
 *	fsync          the long part, while there is still nothing to clean up after a kill
 *	link, fsync    give it the temporary name; again, because an fsync of a file without a name
 *	               need not keep its inode (btrfs does not)
 *	close          network file systems report the last errors here
 *	rename         the target is the old file or the new one, never part of either
 *	fsync          of the directory, or a power cut may take the rename back
 */

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_BYTES_MIN 4096u

/* Reads to the end or to one byte beyond @limit; leaves room for a NUL. */
static int read_to_end(int fd, size_t limit, char **data, size_t *bytes)
{
	size_t capacity = 0;
	size_t stop = limit < SIZE_MAX - 2 ? limit + 1 : SIZE_MAX - 2;

	*bytes = 0;
	for (;;) {
		ssize_t got;

		if (*bytes + 1 >= capacity) {
			char *larger;

			capacity = capacity ? capacity * 2 : READ_BYTES_MIN;
			if (capacity > stop + 1)
				capacity = stop + 1;
			larger = realloc(*data, capacity);
			if (!larger)
				return -ENOMEM;
			*data = larger;
		}
		got = read(fd, *data + *bytes, capacity - 1 - *bytes);
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		*bytes += (size_t)got;
		if (got == 0 || *bytes == stop)
			return 0;
	}
}

static const char *kind_of(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return "a directory";
	case S_IFIFO:
		return "a FIFO";
	case S_IFSOCK:
		return "a socket";
	default:
		return "a device";
	}
}

int sc_file_open_regular(const char *path, int *ret_fd, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep)
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	struct stat status;
	int code = fd < 0 ? -errno : 0;

	if (fd >= 0 && fstat(fd, &status) < 0)
		return sc_fail(error, -errno, "open '%s'", path);
	if (code == -ENXIO && stat(path, &status) == 0) /* a socket cannot be opened */
		code = 0;
	if (code < 0)
		return sc_fail(error, code, "open '%s'", path);
	if (!S_ISREG(status.st_mode))
		return sc_fail(error, SC_E_FORMAT, "'%s' is %s, not a file", path,
			       kind_of(status.st_mode));
	*ret_fd = SC_TAKE_FD(fd);
	return 0;
}

int sc_file_read_all(const char *path, size_t limit_bytes, char **ret_data, size_t *ret_bytes,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);

	if (fd < 0)
		return sc_fail(error, -errno, "open '%s'", path);
	return sc_file_read_fd(fd, path, limit_bytes, ret_data, ret_bytes, error);
}

int sc_file_read_fd(int fd, const char *path, size_t limit_bytes, char **ret_data,
		    size_t *ret_bytes, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *data = NULL;
	size_t bytes;
	int r;

	r = read_to_end(fd, limit_bytes, &data, &bytes);
	if (r < 0)
		return sc_fail(error, r, "read '%s'", path);
	if (bytes > limit_bytes)
		return sc_fail(error, SC_E_LIMIT, "'%s' is larger than %zu bytes", path,
			       limit_bytes);

	data[bytes] = '\0';
	if (ret_bytes)
		*ret_bytes = bytes;
	*ret_data = SC_TAKE(data);
	return 0;
}

struct sc_draft {
	char *path;      /* as given, for messages */
	char *name;      /* its last component */
	char *temporary; /* name beside it */
	bool is_named;   /* whether the temporary name exists */
	int directory_fd;
	FILE *stream;
};

static int open_directory_of(const char *path, int *ret_fd, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *directory = NULL;
	const char *slash = strrchr(path, '/');

	if (!slash)
		directory = strdup(".");
	else if (slash == path)
		directory = strdup("/");
	else
		directory = strndup(path, (size_t)(slash - path));
	if (!directory)
		return sc_fail(error, -ENOMEM, "create '%s'", path);

	*ret_fd = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (*ret_fd < 0)
		return sc_fail(error, -errno, "open directory '%s'", directory);
	return 0;
}

static int set_names(struct sc_draft *draft, const char *path)
{
	const char *slash = strrchr(path, '/');

	draft->path = strdup(path);
	draft->name = strdup(slash ? slash + 1 : path);
	if (!draft->path || !draft->name)
		return -ENOMEM;
	if (asprintf(&draft->temporary, ".%s.%d.tmp", draft->name, (int)getpid()) < 0) {
		draft->temporary = NULL;
		return -ENOMEM;
	}
	return 0;
}

/* What is there under our own temporary name was left by a dead process with our number. */
static void clear_temporary(const struct sc_draft *draft)
{
	(void)unlinkat(draft->directory_fd, draft->temporary, 0); /* mostly there is nothing */
}

/* A file without a name where possible, else one with the temporary name. */
static int open_file(struct sc_draft *draft)
{
	int fd = openat(draft->directory_fd, ".", O_TMPFILE | O_WRONLY | O_CLOEXEC, 0600);

	if (fd >= 0)
		return fd;
	if (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL)
		return -errno;

	clear_temporary(draft);
	fd = openat(draft->directory_fd, draft->temporary,
		    O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	draft->is_named = true;
	return fd;
}

int sc_draft_open(const char *path, struct sc_draft **ret_draft, struct sc_error *error)
{
	SC_CLEANUP(sc_draft_abandonp) struct sc_draft *draft = NULL;
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	int r;

	draft = calloc(1, sizeof(*draft));
	if (!draft)
		return sc_fail(error, -ENOMEM, "create '%s'", path);
	draft->directory_fd = -1;

	r = open_directory_of(path, &draft->directory_fd, error);
	if (r < 0)
		return r;
	r = set_names(draft, path);
	if (r < 0)
		return sc_fail(error, r, "create '%s'", path);
	if (draft->name[0] == '\0')
		return sc_fail(error, -EISDIR, "create '%s'", path);

	fd = open_file(draft);
	if (fd < 0)
		return sc_fail(error, fd, "create '%s'", path);
	draft->stream = fdopen(fd, "w");
	if (!draft->stream)
		return sc_fail(error, -errno, "create '%s'", path);
	(void)SC_TAKE_FD(fd); /* the stream's from here on */

	*ret_draft = SC_TAKE(draft);
	return 0;
}

FILE *sc_draft_stream(struct sc_draft *draft)
{
	return draft->stream;
}

static int flush_stream(FILE *stream)
{
	if (fflush(stream) != 0)
		return -errno;
	if (ferror(stream))
		return -EIO; /* an earlier write failed; its errno is gone */
	return 0;
}

static int link_temporary(struct sc_draft *draft)
{
	char self[64];

	(void)snprintf(self, sizeof(self), "/proc/self/fd/%d", fileno(draft->stream));
	clear_temporary(draft);
	if (linkat(AT_FDCWD, self, draft->directory_fd, draft->temporary, AT_SYMLINK_FOLLOW) < 0)
		return -errno;
	draft->is_named = true;
	return fsync(fileno(draft->stream)) < 0 ? -errno : 0;
}

static int close_stream(struct sc_draft *draft)
{
	FILE *stream = SC_TAKE(draft->stream);

	return fclose(stream) != 0 ? -errno : 0;
}

static int commit(struct sc_draft *draft, struct sc_error *error)
{
	int r = flush_stream(draft->stream);

	if (r < 0)
		return sc_fail(error, r, "write '%s'", draft->path);
	if (fsync(fileno(draft->stream)) < 0)
		return sc_fail(error, -errno, "fsync '%s'", draft->path);
	if (!draft->is_named) {
		r = link_temporary(draft);
		if (r < 0)
			return sc_fail(error, r, "link '%s' beside '%s'", draft->temporary,
				       draft->path);
	}
	r = close_stream(draft);
	if (r < 0)
		return sc_fail(error, r, "close '%s'", draft->path);

	if (renameat(draft->directory_fd, draft->temporary, draft->directory_fd, draft->name) < 0)
		return sc_fail(error, -errno, "rename '%s' to '%s'", draft->temporary, draft->path);
	draft->is_named = false;
	if (fsync(draft->directory_fd) < 0)
		return sc_fail(error, -errno, "fsync the directory of '%s'", draft->path);
	return 0;
}

int sc_draft_commit(struct sc_draft **draft, struct sc_error *error)
{
	int r = commit(*draft, error);

	sc_draft_abandonp(draft);
	return r;
}

void sc_draft_abandonp(struct sc_draft **draft)
{
	struct sc_draft *self = SC_TAKE(*draft);

	if (!self)
		return;
	sc_filep(&self->stream);
	if (self->is_named)
		clear_temporary(self);
	sc_fd_closep(&self->directory_fd);
	free(self->temporary);
	free(self->name);
	free(self->path);
	free(self);
}

int sc_file_write_durable(const char *path, const void *data, size_t bytes, struct sc_error *error)
{
	SC_CLEANUP(sc_draft_abandonp) struct sc_draft *draft = NULL;
	int r;

	r = sc_draft_open(path, &draft, error);
	if (r < 0)
		return r;
	if (fwrite(data, 1, bytes, draft->stream) != bytes)
		return sc_fail(error, -errno, "write '%s'", path);
	return sc_draft_commit(&draft, error);
}
