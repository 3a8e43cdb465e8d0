/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Working directories of our own: the only directories that are ever removed.
 *
 * Each holds a marker, ".syncost-owner", that says which process made it and which directory it
 * was made for, and that this process keeps locked while it lives. A directory without a matching
 * marker (a user's, a copy of one of ours) is never touched.
 */

#include <stdint.h>

#include "err.h"

struct sc_directory {
	char *path;    /* absolute; owned; NULL: none */
	int marker_fd; /* keeps the marker locked; -1: none */
};

#define SC_DIRECTORY_NONE ((struct sc_directory){.marker_fd = -1})

/**
 * sc_directory_make_private() - a fresh directory @parent/@name-TIME-PID, mode 0700
 * @name: no '/'
 * @ret_directory: end with sc_directory_remove_own(), or sc_directory_fini() to leave it behind
 */
int sc_directory_make_private(const char *parent, const char *name,
			      struct sc_directory *ret_directory, struct sc_error *error);

/**
 * sc_directory_may_make() - whether sc_directory_make_private() may work in @parent, as far as can
 * be told without making anything
 * Return: 0, or a negative errno value: -ENOENT, -ENOTDIR, -EACCES, -EROFS; -EPERM where the file
 * system is the kernel's own, which lets no directory be made.
 */
int sc_directory_may_make(const char *parent);

/** sc_directory_fini() - let go of it; it stays on disk, stale once this process ends. */
void sc_directory_fini(struct sc_directory *directory);

/**
 * sc_directory_settle() - it becomes somebody's: under another name, and never removed again
 * @path: on the same file system; in its place *@directory is empty afterwards
 *
 * Whoever looks at @path sees nothing or all that the directory held. Durable when it returns.
 * Return: 0; -EEXIST where @path exists, and then the directory is as it was; another code.
 */
int sc_directory_settle(struct sc_directory *directory, const char *path, struct sc_error *error);

/**
 * sc_directory_empty() - remove all it holds but the marker; it stays ours
 *
 * As sc_directory_remove_own() below. Return: -ENOENT if it is gone, -EPERM if it lost its marker.
 */
int sc_directory_empty(const struct sc_directory *directory, struct sc_error *error);

/**
 * sc_directory_remove_own() - remove it with all it holds; *@directory is empty afterwards
 *
 * Follows no symbolic link and enters no other mount or file system. On failure what is left
 * keeps its marker, so that the next sc_directory_remove_stale() tries again. Takes the empty
 * directory.
 */
int sc_directory_remove_own(struct sc_directory *directory, struct sc_error *error);

/**
 * sc_directory_remove_stale() - remove directories @name-TIME-PID whose owner is gone
 * @parent: not existing is fine
 * @ret_count: how many were removed; set also on failure
 *
 * Leaves alone what has no matching marker, belongs to another user, has a living owner, or may
 * have one on another host.
 */
int sc_directory_remove_stale(const char *parent, const char *name, uint32_t *ret_count,
			      struct sc_error *error);
