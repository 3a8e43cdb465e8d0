/* SPDX-License-Identifier: MIT */

/* Find the command, run it, make sure that what was printed has arrived. */

#include <errno.h>
#include <string.h>

#include "../sweep/execute.h"
#include "command.h"
#include "overview.h"
#include "stream.h"

/* syncost help [COMMAND] */
static int help(int argc, char **argv, struct sc_error *error)
{
	const struct sc_command *command = NULL;
	int r;

	if (argc == 2 || (argc == 3 && strcmp(argv[2], "help") == 0))
		return sc_overview(stdout);
	if (argc > 3)
		return sc_fail(error, SC_E_USAGE, "'%s' is one argument too many", argv[3]);
	r = sc_command_find(argv[2], &command, error);
	if (r == 0)
		sc_command_help(command, stdout);
	return r;
}

static int run(int argc, char **argv, struct sc_error *error)
{
	const struct sc_command *command = NULL;
	int r;

	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return sc_overview(stdout);
	if (strcmp(argv[1], "--version") == 0 && argc > 2)
		return sc_fail(error, SC_E_USAGE, "'%s' is one argument too many", argv[2]);
	if (strcmp(argv[1], "--version") == 0)
		return sc_version(stdout);
	if (strcmp(argv[1], "help") == 0)
		return help(argc, argv, error);
	r = sc_command_find(argv[1], &command, error);
	if (r < 0)
		return r;
	return sc_command_run(command, argc, argv, stdout, stderr, error);
}

int main(int argc, char **argv)
{
	struct sc_error error = {0};
	bool failed;
	int r;

	/* The process of a sample is this program again, and prints its own line. */
	if (argc == 2 && strcmp(argv[1], "__sample") == 0)
		return sc_execute_main();

	sc_streams_open();
	r = run(argc, argv, &error);
	failed = r < 0;
	if (failed) {
		if (r == -EPIPE && ferror(stdout)) /* and not a pipe of ours */
			sc_end_by_pipe();
		sc_error_print(stderr, argc > 1 ? argv[1] : "", &error);
		r = sc_exit_code(r);
	}
	return sc_stdout_close(r, failed);
}
