/* SPDX-License-Identifier: MIT */

/*
 * A folder is never written over: a name that is taken gets "-2", "-3" … like a second sweep in the
 * same second. Lines are synced one by one. That is off the timed part, and it leaves nothing
 * behind that the next sample's first sync would have to write.
 */

#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/files.h"

#define REPORTS           "syncost-reports"
#define DRAFT             ".syncost-report" /* of directories that are no reports yet */
#define NAMES_MAX         1000
#define SAMPLES_BYTES_MAX (SIZE_MAX / 4) /* of all lines: what memory holds */

static void closedirp(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory); /* read-only */
	*directory = NULL;
}

/* Return: 1 if it is a directory with nothing in it, 0 if not. */
static int is_empty_directory(const char *path, struct sc_error *error)
{
	SC_CLEANUP(closedirp) DIR *directory = opendir(path);
	const struct dirent *entry;

	if (!directory && errno == ENOTDIR)
		return 0;
	if (!directory)
		return sc_fail(error, -errno, "open the report folder '%s'", path);
	while ((entry = readdir(directory)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return 0;
	return 1;
}

static bool exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static int check_empty(const char *path, struct sc_error *error)
{
	int r = is_empty_directory(path, error);

	if (r < 0)
		return r;
	if (r == 1)
		return 0;
	(void)sc_fail(error, SC_E_USAGE, "--out: '%s' exists and is no empty directory", path);
	return sc_hint(error, "reports are never written over: name a new directory");
}

/* Held as long as the process writes: a second one would mix its samples in. */
static int lock_samples(int fd, const char *path, struct sc_error *error)
{
	if (flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK)
		return 0; /* some file systems have no locks */
	(void)sc_fail(error, SC_E_USAGE, "'%s': a sweep is writing to this report", path);
	return sc_hint(error, "wait for its end, or interrupt it");
}

static int open_samples(struct sc_folder *folder, int flags, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *raw = NULL;
	SC_CLEANUP(sc_freep) char *samples = NULL;

	if (asprintf(&raw, "%s/raw", folder->path) < 0) {
		raw = NULL;
		return sc_fail(error, -ENOMEM, "making the report folder");
	}
	if (asprintf(&samples, "%s/samples.ndjson", raw) < 0) {
		samples = NULL;
		return sc_fail(error, -ENOMEM, "making the report folder");
	}
	if ((flags & O_CREAT) && mkdir(raw, 0700) < 0)
		return sc_fail(error, -errno, "make directory '%s'", raw);
	folder->fills_empty = (flags & O_CREAT) && !folder->draft.path;
	folder->samples_fd = open(samples, O_RDWR | O_APPEND | O_CLOEXEC | flags, 0600);
	if (folder->samples_fd < 0)
		return sc_fail(error, -errno, flags & O_CREAT ? "create '%s'" : "open '%s'",
			       samples);
	return lock_samples(folder->samples_fd, folder->path, error);
}

static char *parent_of(const char *path)
{
	const char *end = path + strlen(path);

	while (end > path + 1 && end[-1] == '/')
		end--;
	while (end > path && end[-1] != '/')
		end--;
	while (end > path + 1 && end[-1] == '/')
		end--;
	return end == path ? strdup(".") : strndup(path, (size_t)(end - path));
}

static int fail_make(const char *path, int code, struct sc_error *error)
{
	(void)sc_fail(error, code, "make the report folder '%s'", path);
	return sc_hint(error, "name a place that you may write to with --out DIR");
}

int sc_folder_check(const char *path, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *parent = NULL;
	int r;

	if (path && exists(path))
		return check_empty(path, error);
	if (path)
		parent = parent_of(path);
	else
		parent = strdup(exists(REPORTS) ? REPORTS : ".");
	if (!parent)
		return sc_fail(error, -ENOMEM, "looking at --out");
	r = sc_directory_may_make(parent);
	return r < 0 ? fail_make(path ? path : "./" REPORTS, r, error) : 0;
}

/* @path: NULL: a dated one */
static int make_draft(const char *path, struct sc_folder *folder, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *parent = path ? parent_of(path) : strdup(REPORTS);
	struct sc_error stale_error;
	uint32_t count;
	int r;

	if (!parent)
		return sc_fail(error, -ENOMEM, "making the report folder");
	if (!path && mkdir(parent, 0700) < 0 && errno != EEXIST) {
		(void)sc_fail(error, -errno, "make ./" REPORTS " for the report");
		return sc_hint(error, "name a place that you may write to with --out DIR");
	}
	/* What is in the way of nothing may stay. */
	(void)sc_directory_remove_stale(parent, DRAFT, &count, &stale_error);
	r = sc_directory_make_private(parent, DRAFT, &folder->draft, error);
	if (r < 0)
		return fail_make(path ? path : parent, r, error);
	folder->path = strdup(folder->draft.path);
	return folder->path ? 0 : sc_fail(error, -ENOMEM, "making the report folder");
}

/* Where an empty directory waits, it is filled. */
static int fill_empty(const char *path, struct sc_folder *folder, struct sc_error *error)
{
	int r = check_empty(path, error);

	if (r < 0)
		return r;
	folder->path = strdup(path);
	return folder->path ? 0 : sc_fail(error, -ENOMEM, "making the report folder");
}

int sc_folder_make(const char *path, const char *kind, struct sc_folder *ret_folder,
		   struct sc_error *error)
{
	SC_CLEANUP(sc_folder_fini) struct sc_folder folder = SC_FOLDER_NONE;
	int r;

	if (path && exists(path))
		r = fill_empty(path, &folder, error);
	else
		r = sc_folder_check(path, error);
	if (r == 0 && !folder.path)
		r = make_draft(path, &folder, error);
	if (r < 0)
		return r;
	folder.kind = strdup(kind);
	folder.place = path ? strdup(path) : NULL;
	if (!folder.kind || (path && !folder.place))
		return sc_fail(error, -ENOMEM, "making the report folder");
	r = open_samples(&folder, O_CREAT | O_EXCL, error);
	if (r < 0)
		return r;
	*ret_folder = folder;
	folder = SC_FOLDER_NONE;
	return 0;
}

static int settle_as(struct sc_folder *folder, char *place, struct sc_error *error)
{
	int r = sc_directory_settle(&folder->draft, place, error);

	if (r < 0)
		return r;
	free(folder->path);
	folder->path = place;
	return 0;
}

/* A name that is taken gets "-2", "-3" … */
static int settle_dated(struct sc_folder *folder, struct sc_error *error)
{
	char stamp[SC_UTC_BYTES];
	int r = -EEXIST;

	sc_utc_stamp(sc_realtime_ns(), stamp);
	for (int i = 1; i <= NAMES_MAX && r == -EEXIST; i++) {
		SC_CLEANUP(sc_freep) char *place = NULL;
		char suffix[16] = "";

		if (i > 1)
			(void)snprintf(suffix, sizeof(suffix), "-%d", i);
		if (asprintf(&place, "./" REPORTS "/%s-%s%s", stamp, folder->kind, suffix) < 0) {
			place = NULL; /* undefined after a failure */
			return sc_fail(error, -ENOMEM, "naming the report folder");
		}
		r = settle_as(folder, place, error);
		if (r == 0)
			place = NULL; /* the folder's */
	}
	return r;
}

int sc_folder_settle(struct sc_folder *folder, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *place = NULL;
	int r;

	folder->fills_empty = false;
	if (!folder->draft.path)
		return 0;
	if (!folder->place)
		return settle_dated(folder, error);
	place = strdup(folder->place);
	if (!place)
		return sc_fail(error, -ENOMEM, "naming the report folder");
	r = settle_as(folder, place, error);
	if (r == 0)
		place = NULL; /* the folder's */
	if (r == -EEXIST)
		return check_empty(folder->place, error) < 0 ? SC_E_USAGE : r;
	return r;
}

int sc_folder_open(const char *path, struct sc_folder *ret_folder, struct sc_error *error)
{
	SC_CLEANUP(sc_folder_fini) struct sc_folder folder = SC_FOLDER_NONE;
	int r;

	folder.path = strdup(path);
	if (!folder.path)
		return sc_fail(error, -ENOMEM, "opening the report folder");
	r = open_samples(&folder, 0, error);
	if (r == -ENOENT || r == -ENOTDIR) {
		(void)sc_fail(error, SC_E_USAGE, "'%s' holds no samples to go on from", path);
		return sc_hint(error, "name the report folder of an interrupted sweep");
	}
	if (r < 0)
		return r;
	*ret_folder = folder;
	folder = SC_FOLDER_NONE;
	return 0;
}

int sc_folder_samples(const struct sc_folder *folder, char **ret_text, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = NULL;
	SC_CLEANUP(sc_freep) char *text = NULL;
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	size_t bytes = 0, whole;
	int r;

	if (asprintf(&path, "%s/raw/samples.ndjson", folder->path) < 0) {
		path = NULL; /* undefined after a failure */
		return sc_fail(error, -ENOMEM, "reading the samples");
	}
	r = sc_file_open_regular(path, &fd, error); /* another: samples_fd stands at its end */
	if (r == 0)
		r = sc_file_read_fd(fd, path, SAMPLES_BYTES_MAX, &text, &bytes, error);
	if (r < 0)
		return r;
	if (!text || memchr(text, '\0', bytes))
		return sc_fail(error, SC_E_FORMAT, "'%s' holds a NUL byte", path);
	for (whole = bytes; whole > 0 && text[whole - 1] != '\n';)
		whole--;
	text[whole] = '\0';
	if (whole < bytes && ftruncate(folder->samples_fd, (off_t)whole) < 0)
		return sc_fail(error, -errno, "cut the unfinished line of '%s'", path);
	*ret_text = SC_TAKE(text);
	return 0;
}

void sc_folder_suite_name(const char *suite, char *name, size_t name_bytes)
{
	(void)snprintf(name, name_bytes, "raw/suite-%s.json", suite);
}

/* The whole of @text or an error; a line that was cut by a full disk ends with the error. */
static int write_all(int fd, const char *text, size_t bytes, struct sc_error *error)
{
	while (bytes > 0) {
		ssize_t n = write(fd, text, bytes);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return sc_fail(error, -errno, "append to raw/samples.ndjson");
		text += n;
		bytes -= (size_t)n;
	}
	return 0;
}

int sc_folder_append(const struct sc_folder *folder, const char *line, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct stat before;
	int r;

	if (asprintf(&text, "%s\n", line) < 0) {
		text = NULL;
		return sc_fail(error, -ENOMEM, "append to raw/samples.ndjson");
	}
	if (fstat(folder->samples_fd, &before) < 0)
		return sc_fail(error, -errno, "append to raw/samples.ndjson");
	r = write_all(folder->samples_fd, text, strlen(text), error);
	if (r < 0) {
		(void)!ftruncate(folder->samples_fd,
				 before.st_size); /* no torn line, if it can be */
		return r;
	}
	if (fdatasync(folder->samples_fd) < 0)
		return sc_fail(error, -errno, "sync raw/samples.ndjson");
	return 0;
}

static int path_of(const struct sc_folder *folder, const char *name, char **ret_path,
		   struct sc_error *error)
{
	if (asprintf(ret_path, "%s/%s", folder->path, name) < 0) {
		*ret_path = NULL; /* undefined after a failure */
		return sc_fail(error, -ENOMEM, "writing '%s'", name);
	}
	return 0;
}

int sc_folder_write(const struct sc_folder *folder, const char *name, const char *text,
		    struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = NULL;
	int r;

	r = path_of(folder, name, &path, error);
	return r < 0 ? r : sc_file_write_durable(path, text, strlen(text), error);
}

static int print_summary(FILE *out, const struct sc_report_head *head, const struct sc_cell *cells,
			 struct sc_error *error)
{
	int r;

	r = sc_report_write_head(out, head, error);
	for (size_t i = 0; i < head->cell_count && r >= 0; i++)
		r = sc_report_write_cell(out, &cells[i], i == 0, error);
	return r < 0 ? r : sc_report_write_end(out, error);
}

int sc_folder_write_summary(const struct sc_folder *folder, const struct sc_report_head *head,
			    const struct sc_cell *cells, struct sc_error *error)
{
	SC_CLEANUP(sc_draft_abandonp) struct sc_draft *draft = NULL;
	SC_CLEANUP(sc_freep) char *path = NULL;
	int r;

	r = path_of(folder, "summary.json", &path, error);
	if (r < 0)
		return r;
	r = sc_draft_open(path, &draft, error);
	if (r < 0)
		return r;
	r = print_summary(sc_draft_stream(draft), head, cells, error);
	return r < 0 ? r : sc_draft_commit(&draft, error);
}

/* All that was put into a directory that was empty; what cannot be removed stays. */
static void take_out(const struct sc_folder *folder)
{
	static const char *const files[] = {"summary.json", "metadata.json"};
	SC_CLEANUP(sc_fd_closep)
	int fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	SC_CLEANUP(closedirp) DIR *raw = NULL;
	int raw_fd = openat(fd, "raw", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	const struct dirent *entry;

	for (size_t i = 0; i < SC_ARRAY_COUNT(files); i++)
		(void)unlinkat(fd, files[i], 0);
	if (raw_fd < 0)
		return;
	raw = fdopendir(raw_fd); /* takes the descriptor, unless it fails */
	if (!raw)
		(void)close(raw_fd);
	while (raw && (entry = readdir(raw)))
		(void)unlinkat(raw_fd, entry->d_name, 0); /* "." and ".." refuse */
	(void)unlinkat(fd, "raw", AT_REMOVEDIR);
}

void sc_folder_fini(struct sc_folder *folder)
{
	struct sc_error error;

	if (folder->fills_empty) /* it holds no result yet */
		take_out(folder);
	folder->fills_empty = false;
	if (folder->draft.path) /* it holds no result yet; what is left is removed as stale */
		(void)sc_directory_remove_own(&folder->draft, &error);
	sc_freep(&folder->place);
	sc_freep(&folder->kind);
	sc_freep(&folder->path);
	sc_fd_closep(&folder->samples_fd); /* each line was synced */
}
