/* SPDX-License-Identifier: MIT */
#pragma once

/* The facts of a storage as a report's target keeps them. */

#include "../model/report.h"

/**
 * sc_target_read() - what the kernel says of the storage under @directory, into @target
 * @target: its label, path and floors are left alone
 */
int sc_target_read(const char *directory, struct sc_target *target, struct sc_error *error);
