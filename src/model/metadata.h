/* SPDX-License-Identifier: MIT */
#pragma once

/* metadata.json of a report folder: what a sweep can be gone on with, and run again from. */

#include <stddef.h>
#include <stdint.h>

#include "../base/err.h"

struct sc_metadata {    /* all owned */
	char **options; /* words that the plan follows from, but for suites and targets */
	size_t option_count;
	char **suites; /* names; their texts are in the folder */
	size_t suite_count;
	uint64_t *operations; /* of the timing samples of each cell of the plan, 0: as they come */
	size_t operation_count; /* 0: none were fixed */
	char **labels, **paths; /* of the targets, absolute; target_count each */
	size_t target_count;
};

/**
 * sc_metadata_read()
 * @folder: a report folder
 * Return: 0; SC_E_USAGE where it has none; SC_E_FORMAT; another code.
 */
int sc_metadata_read(const char *folder, struct sc_metadata *ret_metadata, struct sc_error *error);

void sc_metadata_fini(struct sc_metadata *metadata);
