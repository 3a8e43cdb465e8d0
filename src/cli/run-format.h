/* SPDX-License-Identifier: MIT */
#pragma once

/* The stored report of a run, which its folder holds in each format already. */

#include <stdbool.h>
#include <stdio.h>

#include "../base/err.h"

/** sc_run_format_is() - whether @path, a folder or its summary.json, is the report of a run */
bool sc_run_format_is(const char *path);

/** sc_run_format_print() - @format: "table", "md", "csv", "samples", "json" */
int sc_run_format_print(const char *path, const char *format, FILE *out, struct sc_error *error);
