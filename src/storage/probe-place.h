/* SPDX-License-Identifier: MIT */
#pragma once

/* The private directory that a probe works in. For probe-run.c alone. */

#include "../base/directory.h"
#include "../model/report.h"

/**
 * sc_probe_place_open() - look at @directory, remove what killed runs left there, move in
 * @target: zeroed; filled with its path, its label and facts
 * Return: as sc_probe_check().
 */
int sc_probe_place_open(const char *directory, struct sc_directory *ret_place,
			struct sc_target *target, struct sc_error *error);

/** sc_probe_place_fail() - what ended a probe of @directory: @what with errno value -@code */
int sc_probe_place_fail(const char *directory, const char *what, int code, struct sc_error *error);
