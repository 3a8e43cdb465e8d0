/* SPDX-License-Identifier: MIT */

/*
 * Method. sqlite3_deserialize() puts the database into memory that SQLite owns, and
 * sqlite3_serialize() lends that memory without a copy: after a commit it holds the content as the
 * file is to have it. Both are weak, for a library may have been built without them.
 *
 * A sync that failed is not tried again: the kernel may have dropped the pages and would report
 * success.
 *
 * Watched, publishing reads the clock, the thread's CPU time and its run delay where it passes from
 * one part to the next.
 */

#include "execute-image.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "execute-database.h"
#include "syncost.h"

#pragma weak sqlite3_serialize
#pragma weak sqlite3_deserialize

struct reading {
	uint64_t wall_ns, cpu_ns, run_delay_ns;
};

struct sc_image {
	sqlite3 *db; /* borrowed */
	char *path, *temporary, *directory;
	bool syncs;
	bool is_watched;
	int schedstat; /* descriptor; -1: none */
	struct reading last;
	struct reading parts[SC_PART_COUNT_]; /* sums */
	uint64_t count;                       /* of publications */
};

void sc_image_closep(struct sc_image **image)
{
	struct sc_image *self = *image;

	*image = NULL;
	if (!self)
		return;
	if (self->schedstat >= 0)
		(void)close(self->schedstat); /* it was only read */
	free(self->path);
	free(self->temporary);
	free(self->directory);
	free(self);
}

/* --- where the time goes */

/* The second field of the thread's schedstat; 0 where the kernel has none. */
static uint64_t read_run_delay(const struct sc_image *self)
{
	char text[100];
	ssize_t length =
		self->schedstat >= 0 ? pread(self->schedstat, text, sizeof(text) - 1, 0) : 0;
	const char *space;

	text[length > 0 ? length : 0] = '\0';
	space = strchr(text, ' ');
	return space ? strtoull(space, NULL, 10) : 0;
}

static struct reading read_now(const struct sc_image *self)
{
	struct timespec cpu = {0};

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &cpu); /* cannot fail for this clock */
	return (struct reading){
		.wall_ns = syncost_now_ns(),
		.cpu_ns = (uint64_t)cpu.tv_sec * 1000000000u + (uint64_t)cpu.tv_nsec,
		.run_delay_ns = read_run_delay(self),
	};
}

/* What has passed since the last reading was @part's. */
static void end_part(struct sc_image *self, enum sc_part part)
{
	struct reading *sum = &self->parts[part];
	struct reading now;

	if (!self->is_watched)
		return;
	now = read_now(self);
	sum->wall_ns += now.wall_ns - self->last.wall_ns;
	sum->cpu_ns += now.cpu_ns - self->last.cpu_ns;
	sum->run_delay_ns += now.run_delay_ns - self->last.run_delay_ns;
	self->last = now;
}

static void begin_parts(struct sc_image *self)
{
	if (!self->is_watched)
		return;
	self->last = read_now(self);
	self->count++;
}

void sc_image_watch(struct sc_image *image)
{
	image->is_watched = true;
	if (image->schedstat < 0)
		image->schedstat = open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
	memset(image->parts, 0, sizeof(image->parts));
	image->count = 0;
}

/* --- loading */

static int fail_without(struct sc_error *error)
{
	return sc_fail(error, SC_E_UNMEASURABLE,
		       "store snapshot: this SQLite was built without sqlite3_deserialize()");
}

/* SQLite's allocator, for SQLite will own it. */
static int read_file(const char *path, unsigned char **ret_data, int64_t *ret_bytes,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	unsigned char *data;
	struct stat facts;
	int64_t at = 0;

	if (fd < 0 || fstat(fd, &facts) < 0)
		return sc_fail(error, -errno, "open '%s'", path);
	data = sqlite3_malloc64((uint64_t)facts.st_size + 1);
	if (!data)
		return sc_fail(error, -ENOMEM, "reading '%s'", path);
	while (at < facts.st_size) {
		ssize_t n = pread(fd, data + at, (size_t)(facts.st_size - at), at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			int code = n < 0 ? -errno : -EIO;

			sqlite3_free(data);
			return sc_fail(error, code, "read '%s'", path);
		}
		at += n;
	}
	*ret_data = data;
	*ret_bytes = facts.st_size;
	return 0;
}

static int load(sqlite3 *db, const char *path, struct sc_error *error)
{
	sqlite3_int64 limit = INT64_MAX; /* SQLite's own is 1 GiB */
	unsigned char *data = NULL;
	int64_t bytes = 0;
	int rc, r;

	if (!sqlite3_deserialize || !sqlite3_serialize)
		return fail_without(error);
	r = read_file(path, &data, &bytes, error);
	if (r < 0)
		return r;
	rc = sqlite3_deserialize(db, "main", data, bytes, bytes,
				 SQLITE_DESERIALIZE_FREEONCLOSE | SQLITE_DESERIALIZE_RESIZEABLE);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, rc, "loading '%s'", path);
	(void)sqlite3_file_control(db, "main", SQLITE_FCNTL_SIZE_LIMIT,
				   &limit); /* or the default */
	return 0;
}

static int name_files(struct sc_image *self, const char *path, struct sc_error *error)
{
	const char *slash = strrchr(path, '/');

	self->path = strdup(path);
	self->directory =
		slash ? strndup(path, (size_t)(slash - path) + (slash == path)) : strdup(".");
	if (!self->path || !self->directory ||
	    asprintf(&self->temporary, "%s" SC_IMAGE_TEMPORARY_SUFFIX, path) < 0) {
		self->temporary = NULL;
		return sc_fail(error, -ENOMEM, "'%s'", path);
	}
	return 0;
}

int sc_image_open(const char *path, const struct sc_setting *setting,
		  const struct sc_connection *connection, struct sc_image **ret_image,
		  sqlite3 **ret_db, struct sc_error *error)
{
	SC_CLEANUP(sc_image_closep) struct sc_image *self = calloc(1, sizeof(*self));
	SC_CLEANUP(sc_connection_closep) sqlite3 *db = NULL;
	int rc, r;

	if (!self)
		return sc_fail(error, -ENOMEM, "'%s'", path);
	self->schedstat = -1;
	self->syncs = setting->synchronous != SC_SYNCHRONOUS_OFF;
	r = name_files(self, path, error);
	if (r < 0)
		return r;
	if (unlink(self->temporary) < 0 && errno != ENOENT) /* of one that was killed */
		return sc_fail(error, -errno, "remove '%s'", self->temporary);
	rc = sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE, NULL);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, rc, "a database in memory");
	r = load(db, path, error);
	if (r == 0)
		r = sc_database_apply(db, setting, connection, error);
	if (r < 0)
		return r;
	self->db = db;
	*ret_image = SC_TAKE(self);
	*ret_db = SC_TAKE(db);
	return 0;
}

/* --- publishing */

static int write_all(const struct sc_image *self, int fd, const unsigned char *data, int64_t bytes,
		     struct sc_error *error)
{
	int64_t at = 0;

	while (at < bytes) {
		ssize_t n = pwrite(fd, data + at, (size_t)(bytes - at), at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return sc_fail(error, n < 0 ? -errno : -EIO, "write '%s'", self->temporary);
		at += n;
	}
	return 0;
}

static int write_temporary(struct sc_image *self, bool syncs, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	sqlite3_int64 bytes = 0;
	const unsigned char *data =
		sqlite3_serialize(self->db, "main", &bytes, SQLITE_SERIALIZE_NOCOPY);
	int r;

	if (!data)
		return sc_fail(error, SC_E_UNMEASURABLE,
			       "store snapshot: SQLite does not give the content of '%s'",
			       self->path);
	fd = open(self->temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0)
		return sc_fail(error, -errno, "create '%s'", self->temporary);
	end_part(self, SC_PART_OTHER);
	r = write_all(self, fd, data, bytes, error);
	end_part(self, SC_PART_WRITE);
	if (r < 0)
		return r;
	if (syncs && fsync(fd) < 0)
		return sc_fail(error, -errno, "fsync '%s'", self->temporary);
	if (syncs)
		end_part(self, SC_PART_SYNC);
	if (close(SC_TAKE_FD(fd)) < 0)
		return sc_fail(error, -errno, "close '%s'", self->temporary);
	return 0;
}

static int sync_directory(struct sc_image *self, struct sc_error *error)
{
	SC_CLEANUP(sc_fd_closep) int fd = open(self->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return sc_fail(error, -errno, "open '%s'", self->directory);
	end_part(self, SC_PART_OTHER);
	if (fsync(fd) < 0)
		return sc_fail(error, -errno, "fsync '%s'", self->directory);
	end_part(self, SC_PART_SYNC);
	return 0;
}

static int replace(struct sc_image *self, bool syncs, struct sc_error *error)
{
	int r = write_temporary(self, syncs, error);

	if (r == 0 && rename(self->temporary, self->path) < 0)
		r = sc_fail(error, -errno, "rename '%s'", self->temporary);
	if (r < 0) {
		(void)unlink(self->temporary); /* the failure before it is the one to tell */
		return r;
	}
	return syncs ? sync_directory(self, error) : 0;
}

int sc_image_publish(struct sc_image *image, struct sc_error *error)
{
	int r;

	begin_parts(image);
	r = replace(image, image->syncs, error);
	end_part(image, SC_PART_OTHER);
	return r;
}

int sc_image_settle(struct sc_image *image, struct sc_error *error)
{
	return replace(image, true, error);
}

/* --- the ledger */

static void take(uint64_t *from, uint64_t amount)
{
	*from -= *from < amount ? *from : amount;
}

static void move_parts(const struct sc_image *self, struct sc_split *split)
{
	for (int part = SC_PART_READ; part < SC_PART_COUNT_; part++) {
		const struct reading *sum = &self->parts[part];

		if (sum->wall_ns == 0)
			continue;
		split->wall_ns[part] += sum->wall_ns;
		split->cpu_ns[part] += sum->cpu_ns;
		split->run_delay_ns[part] += sum->run_delay_ns;
		split->cpu_n[part] += self->count;
		take(&split->wall_ns[SC_PART_OUTSIDE], sum->wall_ns);
		take(&split->run_delay_ns[SC_PART_OUTSIDE], sum->run_delay_ns);
	}
	/* An estimate of both together says nothing of what is left. */
	split->cpu_ns[SC_PART_OUTSIDE] = split->cpu_n[SC_PART_OUTSIDE] = 0;
}

void sc_image_ledger(const struct sc_image *image, struct sc_sample *sample)
{
	struct sc_syncs *syncs = &sample->syncs;

	if (sample->split.status == SC_MEASURED)
		move_parts(image, &sample->split);
	if (syncs->status != SC_MEASURED)
		return;
	syncs->vfs_status = SC_UNSUPPORTED;
	if (syncs->physical_status == SC_MEASURED)
		(void)snprintf(syncs->reason, sizeof(syncs->reason),
			       "store snapshot works in memory: SQLite asks no VFS for files");
}
