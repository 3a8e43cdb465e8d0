/* SPDX-License-Identifier: MIT */
#pragma once

/* The shims that are registered with SQLite. */

#include <stdbool.h>

/** sc_shim_is_any() - whether one is registered */
bool sc_shim_is_any(void);
