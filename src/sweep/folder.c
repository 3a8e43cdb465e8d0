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
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "../base/files.h"

#define REPORTS   "syncost-reports"
#define NAMES_MAX 1000

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

static int make_named(const char *path, struct sc_error *error)
{
	if (mkdir(path, 0700) == 0)
		return 0;
	if (errno != EEXIST) {
		(void)sc_fail(error, -errno, "make the report folder '%s'", path);
		return sc_hint(error, "name a place that you may write to with --out");
	}
	return check_empty(path, error);
}

int sc_folder_check(const char *path, struct sc_error *error)
{
	return !path || access(path, F_OK) < 0 ? 0 : check_empty(path, error);
}

static int make_dated(const char *kind, char **ret_path, struct sc_error *error)
{
	char stamp[SC_UTC_BYTES];

	if (mkdir(REPORTS, 0700) < 0 && errno != EEXIST) {
		(void)sc_fail(error, -errno, "make ./" REPORTS " for the report");
		return sc_hint(error, "name a place that you may write to with --out DIR");
	}
	sc_utc_stamp(sc_realtime_ns(), stamp);
	for (int i = 1; i <= NAMES_MAX; i++) {
		SC_CLEANUP(sc_freep) char *path = NULL;
		char suffix[16] = "";

		if (i > 1)
			(void)snprintf(suffix, sizeof(suffix), "-%d", i);
		if (asprintf(&path, "./" REPORTS "/%s-%s%s", stamp, kind, suffix) < 0) {
			path = NULL; /* undefined after a failure */
			return sc_fail(error, -ENOMEM, "naming the report folder");
		}
		if (mkdir(path, 0700) == 0) {
			*ret_path = SC_TAKE(path);
			return 0;
		}
		if (errno != EEXIST) {
			(void)sc_fail(error, -errno, "make the report folder '%s'", path);
			return sc_hint(error, "name a place that you may write to with --out DIR");
		}
	}
	return sc_fail(error, -EEXIST, "make a report folder in ./" REPORTS);
}

static int open_samples(struct sc_folder *folder, struct sc_error *error)
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
	if (mkdir(raw, 0700) < 0)
		return sc_fail(error, -errno, "make directory '%s'", raw);
	folder->samples_fd =
		open(samples, O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (folder->samples_fd < 0)
		return sc_fail(error, -errno, "create '%s'", samples);
	return 0;
}

int sc_folder_make(const char *path, const char *kind, struct sc_folder *ret_folder,
		   struct sc_error *error)
{
	SC_CLEANUP(sc_folder_fini) struct sc_folder folder = SC_FOLDER_NONE;
	int r;

	if (path) {
		folder.path = strdup(path);
		if (!folder.path)
			return sc_fail(error, -ENOMEM, "making the report folder");
		r = make_named(path, error);
	} else {
		r = make_dated(kind, &folder.path, error);
	}
	if (r < 0)
		return r;
	r = open_samples(&folder, error);
	if (r < 0)
		return r;
	ret_folder->path = SC_TAKE(folder.path);
	ret_folder->samples_fd = SC_TAKE_FD(folder.samples_fd);
	return 0;
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

void sc_folder_fini(struct sc_folder *folder)
{
	sc_freep(&folder->path);
	sc_fd_closep(&folder->samples_fd); /* each line was synced */
}
