/* SPDX-License-Identifier: MIT */
#pragma once

/* What a file is to its database, from the flags SQLite opens it with. */

#include <stdbool.h>

#include "syncost/meter.h"

/** sc_role_of() - role for the flags of xOpen; SC_ROLE_OTHER when they name none. */
enum sc_role sc_role_of(int flags);

/**
 * sc_role_is_shared() - whether all handles of this role in a database are one file
 *
 * False for temporary files: each handle has its own.
 */
bool sc_role_is_shared(enum sc_role role);
