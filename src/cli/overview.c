/* SPDX-License-Identifier: MIT */
#include "overview.h"

#include <sqlite3.h>

#include "command.h"
#include "version.h"

int sc_overview(FILE *out)
{
	const struct sc_command *command;

	(void)fputs("syncost: what a SQLite commit costs on this storage, and what it buys.\n\n"
		    "usage: syncost COMMAND [OPTION…]\n\nCommands:\n",
		    out);
	for (size_t i = 0; (command = sc_commands(i)); i++)
		(void)fprintf(out, "  %-8s  %s\n", command->name, command->summary);
	(void)fputs(
		"\nBegin with:\n"
		"  syncost sweep             measure the current directory's storage, a minute\n"
		"  syncost sweep --dry-run   say what would be measured\n"
		"  syncost report            show the newest report again\n\n"
		"It works in directories of its own and removes them; your files are not touched.\n"
		"'syncost COMMAND --help' lists a command's options, 'man syncost' says more.\n",
		out);
	return 0;
}

int sc_version(FILE *out)
{
	(void)fprintf(out, "syncost %s (%s%s), SQLite %s\n", sc_tool_version, sc_tool_commit(),
		      sc_tool_is_dirty() ? ", changed" : "", sqlite3_libversion());
	return 0;
}
