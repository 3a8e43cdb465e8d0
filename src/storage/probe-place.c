/* SPDX-License-Identifier: MIT */
#include "probe-place.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/marker.h"
#include "probe.h"
#include "target.h"

#define NAME ".syncost" /* as a sweep's: each removes what the other left */

static int fail_directory(const char *directory, int os_errno, struct sc_error *error)
{
	(void)sc_fail(error, SC_E_USAGE, "'%s': %s", directory, strerror(os_errno));
	return sc_hint(error, "name an existing directory");
}

static int fail_place(const char *directory, int os_errno, struct sc_error *error)
{
	/* It is there, as was checked: /proc and the like say so of what is to be made in them. */
	bool is_kernels = os_errno == EPERM || os_errno == ENOENT;

	(void)sc_fail(error, SC_E_UNMEASURABLE, "'%s' cannot be worked in: %s", directory,
		      is_kernels ? "its file system lets no directory be made there"
				 : strerror(os_errno));
	if (os_errno == EMFILE || os_errno == ENFILE)
		return sc_hint(error, "let more files be open: ulimit -n");
	if (os_errno == ENOSPC || os_errno == EDQUOT)
		return sc_hint(error, "make room there: a probe takes about 200 MiB");
	return sc_hint(error, "name a directory you may write to");
}

static int check(const char *directory, char **ret_path, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = realpath(directory, NULL);
	struct stat status;
	int r;

	if (!path || stat(path, &status) < 0)
		return fail_directory(directory, errno, error);
	if (!S_ISDIR(status.st_mode))
		return fail_directory(directory, ENOTDIR, error);
	r = sc_marker_check_proc(error);
	if (r < 0)
		return r;
	r = sc_directory_may_make(path);
	if (r < 0)
		return fail_place(directory, -r, error);
	*ret_path = SC_TAKE(path);
	return 0;
}

int sc_probe_check(const char *directory, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = NULL;

	return check(directory, &path, error);
}

int sc_probe_place_open(const char *directory, struct sc_directory *ret_place,
			struct sc_target *target, struct sc_error *error)
{
	struct sc_error reason = {0};
	uint32_t stale_count;
	int r = check(directory, &target->path, error);

	if (r < 0)
		return r;
	target->sync_floor_status = SC_SKIPPED;
	target->uring_floor_status = SC_SKIPPED;
	target->label = strdup(target->path);
	if (!target->label)
		return sc_fail(error, -ENOMEM, "directory '%s'", directory);
	r = sc_target_read(target->path, target, error);
	if (r < 0)
		return r;
	/* What cannot be removed is no reason not to measure: it may be of a host that shares the
	 * directory. */
	(void)sc_directory_remove_stale(target->path, NAME, &stale_count, &reason);
	r = sc_directory_make_private(target->path, NAME, ret_place, &reason);
	return r < 0 ? fail_place(directory, reason.os_errno, error) : 0;
}

int sc_probe_place_fail(const char *directory, const char *what, int code, struct sc_error *error)
{
	switch (code) {
	case -ENOSPC:
	case -EDQUOT:
	case -EROFS:
		return fail_place(directory, -code, error);
	case -ENOENT:
	case -ESTALE:
		(void)sc_fail(error, code, "'%s' vanished while it was probed (%s)", directory,
			      what);
		return code;
	default:
		return sc_fail(error, code, "probe of '%s': %s", directory, what);
	}
}
