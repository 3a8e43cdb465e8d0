/* SPDX-License-Identifier: MIT */
#pragma once

/* Each writer, for the list of them. */

#include "writer.h"

extern const struct sc_writer sc_writer_table;
extern const struct sc_writer sc_writer_markdown;
extern const struct sc_writer sc_writer_csv;
extern const struct sc_writer sc_writer_samples;
extern const struct sc_writer sc_writer_json;
