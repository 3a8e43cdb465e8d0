/* SPDX-License-Identifier: MIT */
#pragma once

/* One line of /proc/self/mountinfo. For facts.c alone. */

#include <stdbool.h>
#include <stdint.h>

struct sc_mount {
	char *line; /* owned; the strings below lie in it */
	uint64_t id;
	uint64_t major, minor; /* of what is mounted; major 0: no block device of its own */
	const char *point;
	const char *options;       /* of the mount: "rw,relatime" */
	const char *filesystem;    /* "ext4", "fuse.sshfs" */
	const char *source;        /* "/dev/vda1", "server:/export"; may be empty */
	const char *super_options; /* of the file system: "rw,discard" */
};

/** sc_mount_by_id() - Return: 0, 1 if @mountinfo has no such mount, -ENOMEM. */
int sc_mount_by_id(const char *mountinfo, uint64_t id, struct sc_mount *ret_mount);

/**
 * sc_mount_by_path() - the mount with the longest mount point above @path; of several at one
 * point the last, which hides the others
 *
 * Return: 0, 1 if there is none, -ENOMEM.
 */
int sc_mount_by_path(const char *mountinfo, const char *path, struct sc_mount *ret_mount);

/** sc_mount_fini() - takes the empty mount. */
void sc_mount_fini(struct sc_mount *mount);

/** sc_options_have() - whether a comma separated list has @option, whole. */
bool sc_options_have(const char *options, const char *option);
