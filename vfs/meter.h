/* SPDX-License-Identifier: MIT */
#pragma once

/* The shim: method tables that count and time what passes. */

#include "file.h"

/** sc_meter_io_methods() - all methods of a file; those the wrapped file lacks are left out later
 */
extern const sqlite3_io_methods sc_meter_io_methods;

/** sc_meter_wrap() - make @shim wrap @inner under @name, ready to be registered */
void sc_meter_wrap(struct sc_shim *shim, sqlite3_vfs *inner, const char *name);
