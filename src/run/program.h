/* SPDX-License-Identifier: MIT */
#pragma once

/* Whether a program can be measured: whether the loader would put our library into it. */

#include "../base/err.h"

/* How env(1) and shells say it. */
#define SC_RUN_CANNOT_RUN 126
#define SC_RUN_NOT_FOUND  127

/**
 * sc_run_program_find() - as execvp() would find it
 * @ret_path: the caller frees it
 *
 * Return: 0; SC_RUN_NOT_FOUND or SC_RUN_CANNOT_RUN, and then @error says why; < 0.
 */
int sc_run_program_find(const char *name, char **ret_path, struct sc_error *error);

/**
 * sc_run_program_check() - a program whose calls no library could see
 *
 * One that is linked statically, that runs with another user's rights, or that is made for another
 * machine or another libc. Of a script it is the interpreter that counts.
 *
 * Return: 0, or SC_E_UNMEASURABLE with the reason.
 */
int sc_run_program_check(const char *path, struct sc_error *error);
