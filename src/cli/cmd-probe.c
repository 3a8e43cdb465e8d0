/* SPDX-License-Identifier: MIT */

/* syncost probe: what the storage itself costs. */

#include <errno.h>
#include <string.h>

#include "../base/clock.h"
#include "../base/files.h"
#include "../base/host.h"
#include "../report/probe.h"
#include "../storage/probe.h"
#include "../sweep/interrupt.h"
#include "command.h"
#include "version.h"

#define TIME_NS       INT64_C(30000000000)
#define TIME_QUICK_NS INT64_C(5000000000)

struct probe_config {
	struct sc_common_config common;
	bool quick, quiet;
	struct sc_option_number time, format;
	const char *profile;
};

enum { FORMAT_TABLE, FORMAT_JSON };

static const char *format_name(int value)
{
	static const char *const names[] = {"table", "json"};

	return (size_t)value < SC_ARRAY_COUNT(names) ? names[value] : NULL;
}

static bool format_parse(const char *text, int *ret_value)
{
	const char *name;

	for (int i = 0; (name = format_name(i)); i++) {
		if (strcmp(name, text) == 0) {
			*ret_value = i;
			return true;
		}
	}
	return false;
}

static const struct sc_choices formats = {format_name, format_parse};

#define PLACE(member) offsetof(struct probe_config, member)

/* clang-format off */
static const struct sc_option rows[] = {
	SC_OPTION_HELP_ROW,
	{ "quick", 0, SC_OPTION_FLAG, 0, PLACE(quick), NULL, NULL, 0, 0, NULL,
	  "Only what stands on the screen, in about 5 s a directory." },
	{ "time", 0, SC_OPTION_DURATION, 0, PLACE(time), "DURATION", NULL, 10000000, INT64_MAX / 4,
	  NULL, "About how long a directory may take; 30s where not given, 5s with --quick. Slow "
	  "storage takes longer: each row is measured once." },
	{ "profile", 0, SC_OPTION_PATH, 0, PLACE(profile), "FILE", NULL, 0, 0, NULL,
	  "Write a device profile of the directory, of which there may be one." },
	{ "format", 'f', SC_OPTION_ENUM, 0, PLACE(format), "FORMAT", "table", 0, 0, &formats,
	  "What is printed." },
	{ "quiet", 'q', SC_OPTION_FLAG, 0, PLACE(quiet), NULL, NULL, 0, 0, NULL,
	  "Nothing on standard error but what went wrong." },
};
/* clang-format on */

struct view { /* on standard error */
	FILE *err;
	const char *directory;
	bool is_shown;
	int percent;
};

static bool should_stop(void *self)
{
	(void)self; /* the flag is the process's */
	return sc_interrupt_seen();
}

static void show_progress(void *self, double share)
{
	struct view *view = self;
	int percent = (int)(100 * share);

	if (!view->is_shown || percent == view->percent)
		return;
	view->percent = percent;
	(void)fprintf(view->err, "\rprobing %s: %d %%", view->directory, percent);
	(void)fflush(view->err);
}

static void end_progress(struct view *view)
{
	if (view->percent >= 0)
		(void)fputs("\r\033[K", view->err);
}

static int probe_one(const struct probe_config *config, const char *directory,
		     const struct sc_invocation *invocation, struct sc_probe *probe,
		     struct sc_error *error)
{
	struct view view = {
		.err = invocation->err,
		.directory = directory,
		.is_shown = !config->quiet && isatty(fileno(invocation->err)),
		.percent = -1,
	};
	const struct sc_probe_request request = {
		.directory = directory,
		.is_quick = config->quick,
		.time_ns = (uint64_t)(config->time.given ? config->time.value
				      : config->quick    ? TIME_QUICK_NS
							 : TIME_NS),
		.seed = sc_monotonic_ns(), /* no two probes write the same */
		.should_stop = should_stop,
		.progress = show_progress,
		.self = &view,
	};
	int r = sc_probe_run(&request, probe, error);

	end_progress(&view);
	return r < 0 ? r : sc_probe_judge(probe, error);
}

static bool is_severe(const struct sc_probe *probe)
{
	for (size_t i = 0; i < probe->target.findings.count; i++) {
		if (probe->target.findings.items[i].severity == SC_SEVERITY_SEVERE)
			return true;
	}
	return false;
}

static bool has_failed(const struct sc_probe *probe)
{
	for (size_t i = 0; i < probe->row_count; i++) {
		if (probe->rows[i].status == SC_FAILED)
			return true;
	}
	return false;
}

struct run {
	const struct probe_config *config;
	const struct sc_invocation *invocation;
	struct sc_probe_tool tool;
	struct sc_host host;
	const char *const *directories;
	size_t directory_count;
	struct sc_probe *probes; /* a directory each; owned */
	size_t done;
};

static void run_fini(struct run *run)
{
	for (size_t i = 0; i < run->done; i++)
		sc_probe_fini(&run->probes[i]);
	free(run->probes);
	sc_host_fini(&run->host);
}

static int write_profile(const struct run *run, struct sc_error *error)
{
	const char *path = run->config->profile;
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r;

	if (!path || !run->probes[0].is_complete)
		return 0;
	r = sc_probe_format_profile(&run->probes[0], &run->tool, &text, error);
	if (r < 0)
		return r;
	return sc_file_write_durable(path, text, strlen(text), error);
}

static int print_table(const struct run *run, size_t from, struct sc_error *error)
{
	struct sc_render_options options = sc_render_options_detect(run->invocation->out);
	int r = 0;

	if (run->config->format.value != FORMAT_TABLE)
		return 0;
	if (from == 0)
		sc_probe_print_heading(&run->tool, run->probes[0].started, &options,
				       run->invocation->out);
	for (size_t i = from; i < run->done && r == 0; i++)
		r = sc_probe_print(&run->probes[i], &options, run->invocation->out, error);
	return r;
}

/* Each is shown when it is there: the next may take half a minute. */
static int probe_all(struct run *run, struct sc_error *error)
{
	for (size_t i = 0; i < run->directory_count && !sc_interrupt_seen(); i++) {
		int r = probe_one(run->config, run->directories[i], run->invocation,
				  &run->probes[i], error);

		if (r < 0)
			return r;
		run->done++;
		r = print_table(run, i, error);
		if (r < 0)
			return r;
		(void)fflush(run->invocation->out);
	}
	return 0;
}

static int exit_code_of(const struct run *run)
{
	bool severe = false;

	if (sc_interrupt_seen())
		return sc_exit_code(SC_E_INTERRUPTED);
	for (size_t i = 0; i < run->done; i++) {
		if (has_failed(&run->probes[i]))
			return sc_exit_code(SC_E_CHILD);
		severe |= is_severe(&run->probes[i]);
	}
	return severe ? 1 : 0;
}

/* Before the first is measured, so that half a minute is not for nothing. */
static int check(const struct run *run, struct sc_error *error)
{
	int r = 0;

	if (run->config->profile && run->directory_count > 1) {
		(void)sc_fail(error, SC_E_USAGE,
			      "--profile: a profile is of one directory, and %zu "
			      "are named",
			      run->directory_count);
		return sc_hint(error, "probe them one after another");
	}
	for (size_t i = 0; i < run->directory_count && r == 0; i++)
		r = sc_probe_check(run->directories[i], error);
	return r;
}

static int describe_host(struct run *run, struct sc_error *error)
{
	int r = sc_host_read("", &run->host, error);

	if (r < 0)
		return r;
	run->tool = (struct sc_probe_tool){
		.version = sc_tool_version,
		.commit = sc_tool_commit(),
		.host = run->host.name,
		.kernel = run->host.kernel,
		.cpu = run->host.cpu,
		.load = run->host.load_status == SC_MEASURED ? run->host.load : -1,
	};
	return 0;
}

static int run(const struct sc_invocation *invocation, struct sc_error *error)
{
	static const char *const here[] = {"."};
	bool is_named = invocation->operand_count > 0;
	SC_CLEANUP(run_fini)
	struct run run = {
		.config = invocation->config,
		.invocation = invocation,
		.directories = is_named ? invocation->operands : here,
		.directory_count = is_named ? invocation->operand_count : 1,
	};
	int r;

	run.probes = calloc(run.directory_count, sizeof(*run.probes));
	if (!run.probes)
		return sc_fail(error, -ENOMEM, "probing");
	r = check(&run, error);
	if (r == 0)
		r = describe_host(&run, error);
	if (r == 0)
		r = sc_interrupt_watch(error);
	if (r == 0)
		r = probe_all(&run, error);
	if (r == 0)
		r = write_profile(&run, error);
	if (r == 0 && run.config->format.value == FORMAT_JSON)
		r = sc_probe_print_json(run.probes, run.done, &run.tool, invocation->out, error);
	return r < 0 ? r : exit_code_of(&run);
}

static const struct sc_option_table options = {rows, SC_ARRAY_COUNT(rows)};

const struct sc_command sc_command_probe = {
	.name = "probe",
	.operands = "[DIR…]",
	.operands_max = SIZE_MAX,
	.summary = "say what the storage costs, and whether its sync can be believed",
	.description = "Measure what SQLite does to a storage, without SQLite: ways to make a "
		       "write durable,\n"
		       "files that grow, appear and go, several writers, and the calls of a commit "
		       "in each\n"
		       "journal mode. In a directory of its own under each DIR (the current one "
		       "where none is\n"
		       "named), which is removed again.",
	.options = &options,
	.config_bytes = sizeof(struct probe_config),
	.run = run,
};
