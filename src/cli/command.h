/* SPDX-License-Identifier: MIT */
#pragma once

/* Commands: what they are called, what they take, and how one is run. */

#include "option.h"

/* The beginning of each command's configuration. */
struct sc_common_config {
	bool help;
};

#define SC_OPTION_HELP_ROW                                                                         \
	{                                                                                          \
		.name = "help", .letter = 'h', .kind = SC_OPTION_FLAG, .help = "Show this help."   \
	}

struct sc_invocation {
	const void *config; /* the command's own structure */
	const char *const *operands;
	size_t operand_count;
	int argc; /* the whole command line, for the record */
	char *const *argv;
	FILE *out; /* the product */
	FILE *err; /* for people */
};

struct sc_command {
	const char *name;
	const char *operands; /* as in the usage line; "" for none */
	size_t operands_max;
	const char *summary;     /* one line in the overview */
	const char *description; /* what --help says above the options */
	const struct sc_option_table *options;
	bool takes_command;  /* the operands are a command of its own: they end the options */
	size_t config_bytes; /* begins with struct sc_common_config */
	/* Return: an exit code (>= 0), or a fatal error that the caller prints. */
	int (*run)(const struct sc_invocation *invocation, struct sc_error *error);
};

extern const struct sc_command sc_command_sweep;
extern const struct sc_command sc_command_run_program;
extern const struct sc_command sc_command_probe;
extern const struct sc_command sc_command_report;
extern const struct sc_command sc_command_compare;

/** sc_commands() - all of them in the order of the overview; NULL past the last. */
const struct sc_command *sc_commands(size_t index);

/** sc_command_find() - by its whole name; an unknown one is an error with a suggestion. */
int sc_command_find(const char *name, const struct sc_command **ret_command,
		    struct sc_error *error);

/** sc_command_run() - parse, then run or show help. Return: as sc_command.run. */
int sc_command_run(const struct sc_command *command, int argc, char *const *argv, FILE *out,
		   FILE *err, struct sc_error *error);

/** sc_command_help() - what `syncost COMMAND --help` prints. */
void sc_command_help(const struct sc_command *command, FILE *out);
