/* SPDX-License-Identifier: MIT */

/* Find the command, run it, make sure that what was printed has arrived. */

#include <string.h>

#include "../sweep/execute.h"
#include "command.h"
#include "overview.h"
#include "stream.h"

static int run(int argc, char **argv, struct sc_error *error)
{
	const struct sc_command *command = NULL;
	int r;

	if (argc < 2 || strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
		return sc_overview(stdout);
	if (strcmp(argv[1], "--version") == 0)
		return sc_version(stdout);
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
		sc_error_print(stderr, argc > 1 ? argv[1] : "", &error);
		r = sc_exit_code(r);
	}
	return sc_stdout_close(r, failed);
}
