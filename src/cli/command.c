/* SPDX-License-Identifier: MIT */

/* The one array of commands, and the way from words to a command's configuration. */

#include "command.h"

#include <errno.h>
#include <string.h>

#include "suggest.h"

static const struct sc_command *const commands[] = {
	&sc_command_sweep,  &sc_command_run_program, &sc_command_probe,
	&sc_command_report, &sc_command_compare,
};

const struct sc_command *sc_commands(size_t index)
{
	return index < SC_ARRAY_COUNT(commands) ? commands[index] : NULL;
}

static const char *command_name(size_t index, const void *context)
{
	(void)context; /* the commands are a constant */
	return index < SC_ARRAY_COUNT(commands) ? commands[index]->name : NULL;
}

int sc_command_find(const char *name, const struct sc_command **ret_command, struct sc_error *error)
{
	const char *near;

	for (size_t i = 0; i < SC_ARRAY_COUNT(commands); i++) {
		if (strcmp(commands[i]->name, name) == 0) {
			*ret_command = commands[i];
			return 0;
		}
	}
	near = sc_suggest(name, command_name, NULL);
	(void)sc_fail(error, SC_E_USAGE, "unknown %s '%s'", name[0] == '-' ? "option" : "command",
		      name);
	return near ? sc_hint(error, "did you mean '%s'?", near)
		    : sc_hint(error, "'syncost --help' lists the commands");
}

void sc_command_help(const struct sc_command *command, FILE *out)
{
	(void)fprintf(out, "usage: syncost %s [OPTION…]%s%s\n\n%s\n\nOptions:\n", command->name,
		      command->operands[0] ? " " : "", command->operands, command->description);
	sc_options_help(command->options, out);
}

static int check_operands(const struct sc_command *command, const char *const *operands,
			  size_t operand_count, struct sc_error *error)
{
	if (operand_count <= command->operands_max)
		return 0;
	(void)sc_fail(error, SC_E_USAGE, "'%s' is one argument too many",
		      operands[command->operands_max]);
	if (command->operands_max == 0)
		return sc_hint(error, "'syncost %s' takes options only", command->name);
	return sc_hint(error, "usage: syncost %s [OPTION…] %s", command->name, command->operands);
}

static int parse_and_run(const struct sc_command *command, const char **operands, void *config,
			 struct sc_invocation *invocation, struct sc_error *error)
{
	const struct sc_common_config *common = config;
	int r;

	r = (command->takes_command ? sc_options_parse_head : sc_options_parse)(
		command->options, invocation->argc - 2, invocation->argv + 2, config, operands,
		&invocation->operand_count, error);
	if (r < 0)
		return r;
	if (common->help) {
		sc_command_help(command, invocation->out);
		return 0;
	}
	r = check_operands(command, operands, invocation->operand_count, error);
	if (r < 0)
		return r;
	return command->run(invocation, error);
}

int sc_command_run(const struct sc_command *command, int argc, char *const *argv, FILE *out,
		   FILE *err, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) const char **operands = calloc((size_t)argc, sizeof(*operands));
	SC_CLEANUP(sc_freep) void *config = calloc(1, command->config_bytes);
	struct sc_invocation invocation = {
		.config = config,
		.argc = argc,
		.argv = argv,
		.out = out,
		.err = err,
	};
	int r;

	if (!operands || !config)
		return sc_fail(error, -ENOMEM, "reading the command line");
	invocation.operands = operands;
	r = parse_and_run(command, operands, config, &invocation, error);
	sc_options_fini(command->options, config);
	return r;
}
