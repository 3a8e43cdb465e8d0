/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The owner's marker in a working directory: who made it, for which directory, and whether that
 * process may still live. For directory.c alone.
 *
 *	syncost-owner-1
 *	pid 4711
 *	start 123456            of that process, in clock ticks since boot
 *	boot 8e163cb1-658f-41c5-ab64-31566c3f4c2a
 *	pid_namespace 4026531836
 *	node myhost
 *	directory 1835012       inode number of the directory it was made for
 */

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "err.h"

#define SC_MARKER_NAME       ".syncost-owner"
#define SC_MARKER_TEXT_BYTES 512
#define SC_MARKER_BOOT_BYTES 37 /* a UUID and the NUL */
#define SC_MARKER_NODE_BYTES 65 /* as utsname's */

struct sc_marker {
	pid_t pid;
	uint64_t start_ticks;
	char boot[SC_MARKER_BOOT_BYTES];
	uint64_t pid_namespace; /* inode number; 0: the kernel has none */
	char node[SC_MARKER_NODE_BYTES];
	uint64_t directory; /* inode number */
};

/** sc_marker_of_self() - this process; @directory is left 0. @root as in procfs.h. */
int sc_marker_of_self(const char *root, struct sc_marker *ret_marker, struct sc_error *error);

/**
 * sc_marker_check_proc() - whether processes can be marked here: before anything is made
 *
 * Without /proc no directory could be told from one that a dead process left. Return: 0, or
 * SC_E_UNMEASURABLE with what to do.
 */
int sc_marker_check_proc(struct sc_error *error);

void sc_marker_format(const struct sc_marker *marker, char text[SC_MARKER_TEXT_BYTES]);

/** sc_marker_parse() - Return: false unless @text is a whole marker. */
bool sc_marker_parse(const char *text, struct sc_marker *ret_marker);

/**
 * sc_marker_may_live() - whether the process that made it may still run
 * @root: where to look for that process
 * @self: of the process that asks
 * @lock_was_free: the marker's lock was tried and is held by nobody; false: locks do not work
 *
 * In doubt true.
 */
bool sc_marker_may_live(const char *root, const struct sc_marker *marker,
			const struct sc_marker *self, bool lock_was_free);
