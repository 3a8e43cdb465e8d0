/* SPDX-License-Identifier: MIT */
#pragma once

/* A probe for people: one screen a directory. */

#include "../model/probe.h"
#include "writer.h"

/** sc_probe_print_heading() - who measured; once, above all directories */
void sc_probe_print_heading(const struct sc_probe_tool *tool, const char *started,
			    const struct sc_render_options *options, FILE *out);

/**
 * sc_probe_print() - one directory: facts, main rows, ceilings, findings
 * Return: 0 or -ENOMEM; write errors stay in @out.
 */
int sc_probe_print(const struct sc_probe *probe, const struct sc_render_options *options, FILE *out,
		   struct sc_error *error);
