/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a sweep is asked for: the command line, on top of what the report that it goes on with
 * (--resume) or repeats (--like) was asked for.
 */

#include "../model/metadata.h"
#include "sweep-options.h"

struct sc_sweep_choice {
	struct sc_sweep_config config; /* borrows from the rest */
	char **words; /* options that the plan follows from, for the record; owned */
	size_t word_count;
	char **all_words; /* the same with suites and targets; owned */
	size_t all_count;
	const char **operands;
	struct sc_metadata metadata; /* of the report; empty without one */
};

/**
 * sc_sweep_choice_make()
 * @given:      as parsed from the command line
 * @argc, @argv: the words after the command's name
 * @choice:     zeroed; ended with sc_sweep_choice_fini(), also after a failure
 *
 * Return: 0; SC_E_USAGE where an option cannot be given beside --resume, or the report has no plan
 * to go by; another code.
 */
int sc_sweep_choice_make(const struct sc_sweep_config *given, int argc, char *const *argv,
			 struct sc_sweep_choice *choice, struct sc_error *error);

void sc_sweep_choice_fini(struct sc_sweep_choice *choice);
