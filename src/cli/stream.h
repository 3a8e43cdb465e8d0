/* SPDX-License-Identifier: MIT */
#pragma once

/* The program's three streams. */

#include <stdbool.h>

#include "../base/err.h"

/** sc_streams_open() - descriptors 0 to 2 exist, so that no file of ours becomes one of them. */
void sc_streams_open(void);

/**
 * sc_stdout_close() - flush and close standard output
 * @said: an error has been printed, which may be this one: another line would say it twice
 *
 * Return: @exit_code, or 4 if that failed. Does not return where it was a pipe that nobody reads:
 * the program ends as by SIGPIPE, without a word.
 */
int sc_stdout_close(int exit_code, bool said);

/** sc_end_by_pipe() - end as a program does that wrote to a pipe which nobody reads. */
void sc_end_by_pipe(void);

/** sc_error_print() - one line: program, command, what is wrong, what to do. */
void sc_error_print(FILE *err, const char *command, const struct sc_error *error);
