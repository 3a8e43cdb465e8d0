/* SPDX-License-Identifier: MIT */
#pragma once

/* Formats of a report: report/'s writers as an option takes them, and the files that need one. */

#include "option.h"

extern const struct sc_choices sc_choices_format;

/** sc_format_print() - render a report folder, or its summary.json. */
int sc_format_print(const char *path, int format, FILE *out, struct sc_error *error);

/** sc_format_is_table() - whether it is the one for people at a terminal. */
bool sc_format_is_table(int format);

/**
 * sc_format_folder() - the files of a report folder that are made of its summary.json
 *
 * summary.md for people, samples.csv for programs; durable, and replaced whole.
 */
int sc_format_folder(const char *folder, struct sc_error *error);
