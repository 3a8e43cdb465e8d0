/* SPDX-License-Identifier: MIT */
#include "folder.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/clock.h"
#include "../base/files.h"

#define REPORTS   "syncost-reports"
#define DRAFT     ".syncost-report"
#define NAMES_MAX 1000 /* runs that begin in one second */

static int no_memory(struct sc_error *error)
{
	return sc_fail(error, -ENOMEM, "making the report folder");
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

/* An empty directory that waits there is replaced. */
static int clear_place(const char *path, struct sc_error *error)
{
	if (rmdir(path) == 0 || errno == ENOENT)
		return 0;
	(void)sc_fail(error, SC_E_USAGE, "--out: '%s' exists and is no empty directory", path);
	return sc_hint(error, "reports are never written over: name a new directory");
}

static int fail_make(int code, const char *parent, struct sc_error *error)
{
	if (code == -ENOMEM)
		return code;
	(void)sc_fail(error, code == -ENOENT || code == -ENOTDIR ? SC_E_USAGE : SC_E_UNMEASURABLE,
		      "no report folder can be made in '%s': %s", parent, strerror(-code));
	return sc_hint(error, "name a place that you may write to with --out DIR");
}

int sc_run_folder_make(const char *path, struct sc_run_folder *ret_folder, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *parent = path ? parent_of(path) : strdup(REPORTS);
	SC_CLEANUP(sc_run_folder_fini) struct sc_run_folder folder = SC_RUN_FOLDER_NONE;
	const char *base = path ? strrchr(path, '/') : NULL;
	struct sc_error stale_error;
	char stamp[SC_UTC_BYTES];
	const char *slash;
	uint32_t count;
	int r;

	if (!parent)
		return no_memory(error);
	if (path) {
		r = clear_place(path, error);
		if (r < 0)
			return r;
	} else if (mkdir(parent, 0700) < 0 && errno != EEXIST) {
		return fail_make(-errno, ".", error);
	}
	(void)sc_directory_remove_stale(parent, DRAFT, &count, &stale_error);
	r = sc_directory_make_private(parent, DRAFT, &folder.draft, error);
	if (r < 0)
		return fail_make(r, parent, error);

	slash = strrchr(folder.draft.path, '/'); /* it is absolute */
	sc_utc_stamp(sc_realtime_ns(), stamp);
	if (path)
		r = asprintf(&folder.place, "%.*s/%s", (int)(slash - folder.draft.path),
			     folder.draft.path, base ? base + 1 : path);
	else
		r = asprintf(&folder.place, "%.*s/%s-run", (int)(slash - folder.draft.path),
			     folder.draft.path, stamp);
	if (r < 0) {
		folder.place = NULL; /* undefined after a failure */
		return no_memory(error);
	}
	*ret_folder = folder;
	folder = SC_RUN_FOLDER_NONE;
	return 0;
}

int sc_run_folder_write(const struct sc_run_folder *folder, const char *name, const char *text,
			struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = NULL;

	if (asprintf(&path, "%s/%s", folder->draft.path, name) < 0) {
		path = NULL; /* undefined after a failure */
		return no_memory(error);
	}
	return sc_file_write_durable(path, text, strlen(text), error);
}

int sc_run_folder_settle(struct sc_run_folder *folder, char **ret_path, struct sc_error *error)
{
	int r = sc_directory_settle(&folder->draft, folder->place, error);

	for (int i = 2; r == -EEXIST && i < NAMES_MAX; i++) {
		SC_CLEANUP(sc_freep) char *other = NULL;

		if (asprintf(&other, "%s-%d", folder->place, i) < 0) {
			other = NULL; /* undefined after a failure */
			return no_memory(error);
		}
		r = sc_directory_settle(&folder->draft, other, error);
		if (r == 0) {
			*ret_path = SC_TAKE(other);
			return 0;
		}
	}
	if (r == 0)
		*ret_path = SC_TAKE(folder->place);
	return r;
}

void sc_run_folder_fini(struct sc_run_folder *folder)
{
	struct sc_error error;

	if (folder->draft.path && sc_directory_remove_own(&folder->draft, &error) < 0)
		sc_directory_fini(&folder->draft); /* stale: the next one removes it */
	free(folder->place);
	folder->place = NULL;
}
