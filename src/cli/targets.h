/* SPDX-License-Identifier: MIT */
#pragma once

/* --target [LABEL=]DIR */

#include "../sweep/sweep.h"
#include "option.h"

struct sc_targets { /* owned; paths are borrowed from the command line */
	struct sc_sweep_target *items;
	char **labels;
	size_t count;
};

/**
 * sc_targets_parse() - labels and directories
 * @texts: as given; none: the current directory, called "local"
 *
 * A label is made of letters, digits, '.', '_' and '-'. Without one, a target is called "local" if
 * it is the only one, else by the last part of its path.
 * Return: 0; SC_E_USAGE where two have the same label; -ENOMEM.
 */
int sc_targets_parse(const struct sc_option_texts *texts, struct sc_targets *ret_targets,
		     struct sc_error *error);

void sc_targets_fini(struct sc_targets *targets);
