/* SPDX-License-Identifier: MIT */
#pragma once

/* Emptying a directory. For directory.c alone, which knows that it is ours. */

#include "err.h"

/**
 * sc_tree_empty() - remove all that a directory holds
 * @directory_fd: borrowed
 * @path: of it, for messages
 * @keep: name of one entry at the top that stays, or NULL
 *
 * Symbolic links are removed, not followed. Nothing is removed from another mount or file system
 * underneath; meeting one is -EXDEV. Stops at the first failure.
 */
int sc_tree_empty(int directory_fd, const char *path, const char *keep, struct sc_error *error);
