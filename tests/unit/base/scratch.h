/* SPDX-License-Identifier: MIT */
#pragma once

/* A directory for one case, and looks at it that owe nothing to the code under test. */

#include <stdbool.h>
#include <stddef.h>

#define SCRATCH_PATH_BYTES 1024

struct scratch {
	char path[SCRATCH_PATH_BYTES];
};

/** scratch_setup(), scratch_teardown() - of a cmocka case; *state is the struct scratch. */
int scratch_setup(void **state);
int scratch_teardown(void **state);

/** scratch_path() - "@scratch/@name"; valid until eight calls later. */
const char *scratch_path(const struct scratch *scratch, const char *name);

/** scratch_write() - a file below, with the directories above it. */
void scratch_write(const struct scratch *scratch, const char *name, const char *text);

/** scratch_link() - a symbolic link below, with the directories above it. */
void scratch_link(const struct scratch *scratch, const char *name, const char *target);

/** scratch_mkdir() - a directory below, with those above it. */
void scratch_mkdir(const struct scratch *scratch, const char *name);

/** scratch_count() - entries below, at any depth; symbolic links count and are not followed. */
size_t scratch_count(const struct scratch *scratch);

bool path_exists(const char *path);

/** file_is() - whether the file has just this content. */
bool file_is(const char *path, const char *text);

/** open_descriptors() - of this process. */
size_t open_descriptors(void);
