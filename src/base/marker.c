/* SPDX-License-Identifier: MIT */
#include "marker.h"

/*
 * Whether an owner may live, from the surest to the least sure:
 *
 *	same boot, same pid namespace	the process is there with the start time of the marker, or
 *					it is not
 *	same boot, other namespace	a container's process: its number says nothing here, its
 *					lock on the marker does
 *	other boot, same node		this machine has restarted since
 *	other boot, other node		another host's on a shared file system, where neither
 *					numbers nor locks need reach us: may live
 *
 * A held lock always means alive; the caller has looked at that before.
 */

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>

#include "files.h"
#include "procfs.h"
#include "scan.h"

static int read_boot(const char *root, char boot[SC_MARKER_BOOT_BYTES], struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	char path[PATH_MAX];
	size_t bytes;
	int r;

	(void)snprintf(path, sizeof(path), "%s/proc/sys/kernel/random/boot_id", root);
	r = sc_file_read_all(path, SC_MARKER_BOOT_BYTES, &text, &bytes, error);
	if (r < 0)
		return r;
	if (bytes < SC_MARKER_BOOT_BYTES - 1)
		return sc_fail(error, SC_E_UNMEASURABLE, "'%s' is not a boot's number", path);

	memcpy(boot, text, SC_MARKER_BOOT_BYTES - 1);
	boot[SC_MARKER_BOOT_BYTES - 1] = '\0';
	return 0;
}

static uint64_t read_pid_namespace(const char *root)
{
	char path[PATH_MAX];
	struct stat namespace;

	(void)snprintf(path, sizeof(path), "%s/proc/self/ns/pid", root);
	if (stat(path, &namespace) < 0)
		return 0;
	return namespace.st_ino;
}

int sc_marker_of_self(const char *root, struct sc_marker *ret_marker, struct sc_error *error)
{
	struct sc_marker self = {.pid = getpid()};
	struct utsname names;
	int r;

	r = read_boot(root, self.boot, error);
	if (r < 0)
		return r;
	r = sc_process_start_ticks(root, self.pid, &self.start_ticks);
	if (r < 0)
		return sc_fail(error, r, "read /proc/%d/stat", (int)self.pid);
	self.pid_namespace = read_pid_namespace(root);
	if (uname(&names) < 0)
		return sc_fail(error, -errno, "uname");
	(void)snprintf(self.node, sizeof(self.node), "%s",
		       names.nodename[0] ? names.nodename : "-");

	*ret_marker = self;
	return 0;
}

void sc_marker_format(const struct sc_marker *marker, char text[SC_MARKER_TEXT_BYTES])
{
	(void)snprintf(text, SC_MARKER_TEXT_BYTES,
		       "syncost-owner-1\n"
		       "pid %d\n"
		       "start %" PRIu64 "\n"
		       "boot %s\n"
		       "pid_namespace %" PRIu64 "\n"
		       "node %s\n"
		       "directory %" PRIu64 "\n",
		       (int)marker->pid, marker->start_ticks, marker->boot, marker->pid_namespace,
		       marker->node, marker->directory);
}

bool sc_marker_parse(const char *text, struct sc_marker *ret_marker)
{
	char again[SC_MARKER_TEXT_BYTES];
	struct sc_marker marker = {0};
	const char *at = text;
	uint64_t pid;

	if (!sc_scan_text(&at, "syncost-owner-1\npid ") || !sc_scan_u64(&at, &pid) ||
	    pid > INT_MAX || !sc_scan_text(&at, "\nstart ") ||
	    !sc_scan_u64(&at, &marker.start_ticks) || !sc_scan_text(&at, "\nboot ") ||
	    !sc_scan_word(&at, marker.boot, sizeof(marker.boot)) ||
	    !sc_scan_text(&at, "\npid_namespace ") || !sc_scan_u64(&at, &marker.pid_namespace) ||
	    !sc_scan_text(&at, "\nnode ") || !sc_scan_word(&at, marker.node, sizeof(marker.node)) ||
	    !sc_scan_text(&at, "\ndirectory ") || !sc_scan_u64(&at, &marker.directory))
		return false;
	marker.pid = (pid_t)pid;

	/* Numbers and words may have blanks before them; a marker is only what we would write. */
	sc_marker_format(&marker, again);
	if (strcmp(text, again) != 0)
		return false;
	*ret_marker = marker;
	return true;
}

static bool is_running(const char *root, const struct sc_marker *marker)
{
	uint64_t start_ticks;
	int r = sc_process_start_ticks(root, marker->pid, &start_ticks);

	if (r == -ENOENT)
		return false;
	return r < 0 || start_ticks == marker->start_ticks;
}

bool sc_marker_may_live(const char *root, const struct sc_marker *marker,
			const struct sc_marker *self, bool lock_was_free)
{
	if (strcmp(marker->boot, self->boot) != 0)
		return strcmp(marker->node, self->node) != 0;
	if (marker->pid_namespace == self->pid_namespace)
		return is_running(root, marker);
	return !lock_was_free;
}

int sc_marker_check_proc(struct sc_error *error)
{
	struct sc_marker self;
	struct sc_error reason = {0};

	if (sc_marker_of_self("", &self, &reason) == 0)
		return 0;
	(void)sc_fail(error, SC_E_UNMEASURABLE, "%s", reason.what);
	if (reason.os_errno == EMFILE || reason.os_errno == ENFILE)
		return sc_hint(error, "let more files be open: ulimit -n");
	return sc_hint(error, "syncost needs /proc: mount it there");
}
