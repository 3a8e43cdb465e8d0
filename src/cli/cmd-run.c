/* SPDX-License-Identifier: MIT */

/*
 * syncost run: somebody's program, measured from below. Standard output is the program's alone; the
 * report goes to standard error when the program has ended, and into a folder.
 *
 * Exit codes are env(1)'s: the program's own, or 128 and the signal that ended it; 125, 126, 127
 * where it could not be run or the report not be kept. What is refused before the program starts
 * has the codes of the other commands, 2 and 3.
 */

#include <errno.h>
#include <string.h>

#include "../report/run.h"
#include "../run/folder.h"
#include "../run/library.h"
#include "../run/pragmas.h"
#include "../run/program.h"
#include "../run/session.h"
#include "command.h"
#include "stream.h"
#include "version.h"

#define OWN_FAILURE  125
#define SIGNAL_SHIFT 128

struct run_config {
	struct sc_common_config common;
	const char *out;
	const char *set;
	struct sc_option_number sql;
	struct sc_option_number top;
	bool quiet;
};

static const char *const sql_names[] = {"shape", "full", "none"};

static const char *sql_name(int value)
{
	return (size_t)value < SC_ARRAY_COUNT(sql_names) ? sql_names[value] : NULL;
}

static bool sql_parse(const char *text, int *ret_value)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(sql_names); i++) {
		if (strcmp(sql_names[i], text) == 0) {
			*ret_value = (int)i;
			return true;
		}
	}
	return false;
}

static const struct sc_choices choices_sql = {sql_name, sql_parse};

/* clang-format off */
static const struct sc_option rows[] = {
	{ "out", 'o', SC_OPTION_PATH, 0, offsetof(struct run_config, out), "DIR", NULL, 0, 0, NULL,
	  "Report folder: a new or an empty directory. By default a new one in ./syncost-reports." },
	{ "set", 0, SC_OPTION_TEXT, 0, offsetof(struct run_config, set), "SETTINGS", NULL, 0, 0,
	  NULL, "For each connection as it opens, as synchronous=normal,journal_mode=wal." },
	{ "sql", 0, SC_OPTION_ENUM, 0, offsetof(struct run_config, sql), "TEXT", "shape", 0, 0,
	  &choices_sql, "Of statements what is kept. Their shape has no literals." },
	{ "top", 'n', SC_OPTION_COUNT, 0, offsetof(struct run_config, top), "N", "20", 1, 1000, NULL,
	  "How many of the slowest commits and of the statements are kept." },
	{ "quiet", 'q', SC_OPTION_FLAG, 0, offsetof(struct run_config, quiet), NULL, NULL, 0, 0, NULL,
	  "Print nothing of our own; the report folder has it all." },
	SC_OPTION_HELP_ROW,
};
/* clang-format on */

static void print_table(const struct sc_run *run, FILE *out)
{
	struct sc_render_options options = sc_render_options_detect(out);

	sc_run_print_table(run, out, &options);
}

/* The same for whoever looks at it later, on any terminal. */
static void print_text(const struct sc_run *run, FILE *out)
{
	const struct sc_render_options options = {.columns = 100, .utf8 = true};

	sc_run_print_table(run, out, &options);
}

/* Writes what @print prints as a file of the folder. */
static int keep(const struct sc_run_folder *folder, const char *name, const struct sc_run *run,
		void (*print)(const struct sc_run *run, FILE *out), struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	if (out)
		print(run, out);
	if (!out || fclose(out) != 0)
		return sc_fail(error, -ENOMEM, "writing '%s'", name);
	return sc_run_folder_write(folder, name, text, error);
}

static int keep_all(struct sc_run_folder *folder, const struct sc_run *run, char **ret_path,
		    struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *summary = NULL;
	int r = sc_run_format(run, &summary, error);

	if (r == 0)
		r = sc_run_folder_write(folder, "summary.json", summary, error);
	if (r == 0)
		r = keep(folder, "summary.md", run, sc_run_print_markdown, error);
	if (r == 0)
		r = keep(folder, "summary.txt", run, print_text, error);
	if (r == 0)
		r = keep(folder, "timeline.csv", run, sc_run_print_timeline, error);
	return r < 0 ? r : sc_run_folder_settle(folder, ret_path, error);
}

/* The program has run: from here on our own failures have one code. */
static int finish(const struct run_config *config, struct sc_run_folder *folder,
		  const struct sc_run *run, FILE *err, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *path = NULL;
	int r = keep_all(folder, run, &path, error);

	if (!config->quiet) {
		(void)fputc('\n', err);
		print_table(run, err);
	}
	if (r < 0) {
		sc_error_print(err, "run", error);
		return OWN_FAILURE;
	}
	if (!config->quiet)
		(void)fprintf(err, "\nReport: %s\n", path);
	if (run->set && run->connections_set == 0) {
		(void)sc_fail(error, SC_E_UNMEASURABLE,
			      "--set changed nothing: no database was opened through a shared "
			      "SQLite library");
		sc_error_print(err, "run", error);
		return sc_exit_code(SC_E_UNMEASURABLE);
	}
	return run->signal ? SIGNAL_SHIFT + run->signal : run->exit_code;
}

/* Return: an exit code where it could not be executed, 0 where it was. */
static int exec_failed(int exec_errno, const char *name, FILE *err, struct sc_error *error)
{
	if (exec_errno == 0)
		return 0;
	(void)sc_fail(error, -exec_errno, "run '%s'", name);
	sc_error_print(err, "run", error);
	return exec_errno == ENOENT ? SC_RUN_NOT_FOUND : SC_RUN_CANNOT_RUN;
}

static int run_program(const struct run_config *config, const struct sc_session *session, FILE *err,
		       struct sc_error *error)
{
	SC_CLEANUP(sc_run_folder_fini) struct sc_run_folder folder = SC_RUN_FOLDER_NONE;
	SC_CLEANUP(sc_run_fini) struct sc_run run = {0};
	int r = sc_run_folder_make(config->out, &folder, error), exec_errno = 0;

	if (r < 0)
		return r;
	r = sc_session_run(session, &exec_errno, &run, error);
	if (r == SC_E_UNMEASURABLE)
		return r;
	if (r < 0) {
		sc_error_print(err, "run", error);
		return OWN_FAILURE;
	}
	r = exec_failed(exec_errno, session->argv[0], err, error);
	return r > 0 ? r : finish(config, &folder, &run, err, error);
}

static int run(const struct sc_invocation *invocation, struct sc_error *error)
{
	const struct run_config *config = invocation->config;
	SC_CLEANUP(sc_freep) char *program = NULL;
	SC_CLEANUP(sc_freep) char *library = NULL;
	SC_CLEANUP(sc_freep) char *set = NULL;
	struct sc_session session = {
		.tool_version = sc_tool_version,
		.tool_commit = sc_tool_commit(),
		.tool_dirty = sc_tool_is_dirty(),
		.top = (size_t)config->top.value,
		.sql = sql_name((int)config->sql.value),
	};
	int r;

	if (invocation->operand_count == 0) {
		(void)sc_fail(error, SC_E_USAGE, "no program is named");
		return sc_hint(error, "syncost run -- COMMAND [ARGUMENT…]");
	}
	/* The operands are the last words of the command line, and end with a NULL there. */
	session.argv = invocation->argv + invocation->argc - invocation->operand_count;
	if (config->set) {
		r = sc_run_pragmas_parse(config->set, &set, error);
		if (r < 0)
			return r;
		session.set = set;
	}
	r = sc_run_program_find(session.argv[0], &program, error);
	if (r > 0) {
		sc_error_print(invocation->err, "run", error);
		return r;
	}
	if (r == 0)
		r = sc_run_program_check(program, error);
	if (r == 0)
		r = sc_run_library_find(&library, error);
	if (r < 0)
		return r;
	session.path = program;
	session.library = library;
	return run_program(config, &session, invocation->err, error);
}

static const struct sc_option_table options = {rows, SC_ARRAY_COUNT(rows)};

const struct sc_command sc_command_run_program = {
	.name = "run",
	.operands = "[--] COMMAND [ARGUMENT…]",
	.operands_max = SIZE_MAX,
	.summary = "measure a program that uses SQLite, as it is",
	.description =
		"Run a program and say, for each database that it and its children use, what was\n"
		"read, written and synced, and how long that took. The program is not changed and\n"
		"need not know; its output, exit code and signals are its own.",
	.options = &options,
	.takes_command = true,
	.config_bytes = sizeof(struct run_config),
	.run = run,
};
