/* SPDX-License-Identifier: MIT */
#pragma once

/* A small suite that uses every generator, and variants of it. */

#include "suite/suite.h"

/** small_suite() - its text; static */
const char *small_suite(void);

/**
 * changed_suite() - its text with the first @find replaced by @replace; the caller frees it
 *
 * Aborts where @find is not in it, so that no case tests the unchanged suite.
 */
char *changed_suite(const char *find, const char *replace);

/** parse_small() - the small suite, parsed; aborts where that fails */
struct sc_suite *parse_small(void);

/** parameter_of() - of a workload by name, NULL for the dataset */
const struct sc_parameter *parameter_of(const struct sc_suite *suite, const char *workload,
					const char *name);
