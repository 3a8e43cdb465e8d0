/* SPDX-License-Identifier: MIT */
#pragma once

/* What is known of file systems by their names. For facts.c alone. */

#include <stdbool.h>
#include <stdint.h>

#include "facts.h"
#include "mount.h"

/** sc_filesystem_kind() - what a file system stands on */
enum sc_storage_kind sc_filesystem_kind(const char *filesystem);

/** sc_filesystem_of_magic() - its name, or that of its family, by f_type of statfs(); NULL: none */
const char *sc_filesystem_of_magic(uint64_t magic, enum sc_storage_kind *ret_kind);

/** sc_mount_disables_flush() - whether an option keeps a sync from the device */
bool sc_mount_disables_flush(const struct sc_mount *mount);
