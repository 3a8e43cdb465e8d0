/* SPDX-License-Identifier: MIT */
#pragma once

/* What a sweep would do, without doing it. */

#include "../sweep/sweep.h"

/** sc_dry_run_print() - cells, what stands for what, the first order, the time. Return: 0. */
int sc_dry_run_print(const struct sc_sweep *sweep, FILE *out, struct sc_error *error);

/** sc_suites_print() - built-in suites and their workloads. */
int sc_suites_print(FILE *out, struct sc_error *error);
