/* SPDX-License-Identifier: MIT */
#include "workplace.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/marker.h"
#include "../storage/floor.h"
#include "../storage/target.h"

#define WORKPLACE_NAME ".syncost" /* beginning of the private directory's name */
#define FLOOR_SAMPLES  400u
#define FLOOR_TIME_NS  250000000u

/* A target that is not what it should be, as opposed to one that cannot be written. */
static int fail_target(const struct sc_sweep_target *place, const char *what,
		       struct sc_error *error)
{
	(void)sc_fail(error, SC_E_USAGE, "target '%s': %s", place->path, what);
	return sc_hint(error, "name an existing directory with --target");
}

static int check_directory(const struct sc_sweep_target *place, char **ret_path,
			   struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = realpath(place->path, NULL);
	struct stat status;

	if (!path || stat(path, &status) < 0)
		return fail_target(place, strerror(errno), error);
	if (!S_ISDIR(status.st_mode))
		return fail_target(place, strerror(ENOTDIR), error);
	*ret_path = SC_TAKE(path);
	return 0;
}

/* What SQLite is given is longer than the path of the target, by names of ours. */
static int check_length(const struct sc_sweep_target *place, const char *path,
			struct sc_error *error)
{
	static const char more[] = "/" WORKPLACE_NAME "-20000101T000000Z-4194304-99/sample/bench.db"
				   "-journal";
	const sqlite3_vfs *vfs = sqlite3_vfs_find(NULL);
	size_t most = vfs && vfs->mxPathname > (int)sizeof(more)
			      ? (size_t)vfs->mxPathname - sizeof(more)
			      : 0;

	if (strlen(path) <= most)
		return 0;
	(void)sc_fail(error, SC_E_USAGE,
		      "--target: a path of %zu bytes is too long for SQLite, whose files there "
		      "need it to be %zu at most: '%.40s…'",
		      strlen(path), most, place->path);
	return sc_hint(error, "name a directory with a shorter path");
}

static int fail_place(const struct sc_sweep_target *place, int os_errno, struct sc_error *error)
{
	/* It is there, as was checked: /proc and the like say so of what is to be made in them. */
	bool is_kernels = os_errno == EPERM || os_errno == ENOENT;

	(void)sc_fail(error, SC_E_UNMEASURABLE, "target '%s' cannot be worked in: %s", place->path,
		      is_kernels ? "its file system lets no directory be made there"
				 : strerror(os_errno));
	if (os_errno == EMFILE || os_errno == ENFILE)
		return sc_hint(error, "let more files be open: ulimit -n");
	return sc_hint(error, "name a directory you may write to with --target");
}

static int check_place(const struct sc_sweep_target *place, char **ret_path, struct sc_error *error)
{
	int r = check_directory(place, ret_path, error);

	if (r == 0 && *ret_path)
		r = check_length(place, *ret_path, error);
	if (r == 0)
		r = sc_marker_check_proc(error);
	if (r < 0)
		return r;
	r = sc_directory_may_make(*ret_path);
	return r < 0 ? fail_place(place, -r, error) : 0;
}

int sc_workplace_check(const struct sc_sweep_target *place, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = NULL;

	return check_place(place, &path, error);
}

static int move_in(const struct sc_sweep_target *place, const char *path,
		   struct sc_directory *ret_workplace, struct sc_error *error)
{
	struct sc_error reason = {0};
	uint32_t stale_count;
	int r;

	/* Before anything of ours is made. What cannot be removed is no reason not to measure: it
	 * may be of a host that shares the directory. */
	(void)sc_directory_remove_stale(path, WORKPLACE_NAME, &stale_count, &reason);
	r = sc_directory_make_private(path, WORKPLACE_NAME, ret_workplace, &reason);
	return r < 0 ? fail_place(place, reason.os_errno, error) : 0;
}

int sc_workplace_open(const struct sc_sweep_target *place, struct sc_directory *ret_workplace,
		      struct sc_target *target, struct sc_error *error)
{
	int r;

	target->sync_floor_status = SC_SKIPPED;
	target->uring_floor_status = SC_SKIPPED;
	target->label = strdup(place->label);
	if (!target->label)
		return sc_fail(error, -ENOMEM, "target '%s'", place->label);
	r = check_place(place, &target->path, error);
	if (r < 0)
		return r;
	r = move_in(place, target->path, ret_workplace, error);
	if (r < 0)
		return r;
	return sc_target_read(ret_workplace->path, target, error);
}

/* One floor into the place of an earlier one. */
static int keep_lower(const struct sc_floor *floor, enum sc_status *status, uint64_t *p50_ns,
		      char **reason)
{
	if (floor->status == SC_MEASURED) {
		if (*status != SC_MEASURED || floor->p50_ns < *p50_ns)
			*p50_ns = floor->p50_ns;
		*status = SC_MEASURED;
		free(SC_TAKE(*reason));
		return 0;
	}
	if (*status == SC_MEASURED)
		return 0; /* the first measurement stands */
	*status = floor->status;
	free(*reason);
	*reason = strdup(floor->reason);
	return *reason ? 0 : -ENOMEM;
}

int sc_workplace_floor(const struct sc_directory *workplace, struct sc_target *target,
		       struct sc_error *error)
{
	struct sc_floor floor;
	int r;

	sc_sync_floor(workplace->path, FLOOR_SAMPLES, FLOOR_TIME_NS, &floor);
	r = keep_lower(&floor, &target->sync_floor_status, &target->sync_floor_ns_p50,
		       &target->sync_floor_reason);
	if (r < 0)
		return sc_fail(error, r, "sync floor of target '%s'", target->label);
	target->sync_floor_n += floor.n;
	sc_uring_floor(workplace->path, FLOOR_SAMPLES, FLOOR_TIME_NS, &floor);
	r = keep_lower(&floor, &target->uring_floor_status, &target->uring_floor_ns_p50,
		       &target->uring_floor_reason);
	return r < 0 ? sc_fail(error, r, "sync floor of target '%s'", target->label) : 0;
}

int sc_workplace_sample(const struct sc_directory *workplace, char **ret_path,
			struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = NULL;
	int r;

	r = sc_directory_empty(workplace, error);
	if (r < 0)
		return r;
	if (asprintf(&path, "%s/sample", workplace->path) < 0) {
		path = NULL; /* undefined after a failure */
		return sc_fail(error, -ENOMEM, "making a sample's directory");
	}
	if (mkdir(path, 0700) < 0)
		return sc_fail(error, -errno, "make directory '%s'", path);
	*ret_path = SC_TAKE(path);
	return 0;
}
