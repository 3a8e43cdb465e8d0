/* SPDX-License-Identifier: MIT */

/*
 * syncost sweep: request, then run, then show. What is printed at the end is read back from the
 * report folder, as `syncost report` would: what a reader sees is what is kept.
 */

#include <inttypes.h>
#include <string.h>

#include "../base/buffer.h"
#include "../model/report.h"
#include "../report/about.h"
#include "../report/text.h"
#include "../report/writer.h"
#include "../sweep/crowd.h"
#include "command.h"
#include "dry-run.h"
#include "formats.h"
#include "progress.h"
#include "sweep-options.h"
#include "sweep-request.h"
#include "version.h"

static int check_config(const struct sc_sweep_config *config, struct sc_error *error)
{
	if (config->resume && config->like)
		return sc_fail(error, SC_E_USAGE,
			       "--resume goes on with a report, --like makes a new one: give one "
			       "of them");
	if (config->dry_run && config->format.given)
		return sc_fail(error, SC_E_USAGE,
			       "--dry-run prints a plan, --format is for reports");
	if (config->samples.given && (config->precision.given || config->time.given))
		return sc_fail(error, SC_E_USAGE,
			       "--samples fixes their number, --%s decides on it: give one of them",
			       config->precision.given ? "precision" : "time");
	return 0;
}

/* What a shell finds again: a path as it was called by, else the name. */
static const char *program_of(const struct sc_invocation *invocation)
{
	return strchr(invocation->argv[0], '/') ? invocation->argv[0] : "syncost";
}

/* The strictest recommendation of each target again, since the last lines are what stays in sight.
 */
static int print_use(const char *folder, FILE *out, bool *ret_has_use, struct sc_error *error)
{
	SC_CLEANUP(sc_report_closep) struct sc_report_reader *reader = NULL;
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer line = {0};
	const struct sc_report_head *head;
	bool is_first = true;
	struct sc_render_options options = sc_render_options_detect(out);
	int r = 0;

	r = sc_report_open(folder, &reader, error);
	if (r < 0)
		return r;
	head = sc_report_reader_head(reader);
	for (size_t i = 0; r == 0 && i < head->recommendation_count; i++) {
		SC_CLEANUP(sc_freep) char *text = NULL;
		const struct sc_recommendation *one = &head->recommendations[i];

		if (i > 0 && strcmp(one->target, one[-1].target) == 0)
			continue;
		if (head->target_count > 1) {
			sc_text_add_clean(&line, one->target, options.utf8);
			sc_buffer_add_text(&line, ": ");
		}
		for (const char *c = one->pragmas; *c; c++)
			sc_buffer_printf(&line, "%c", *c == '\n' ? ' ' : *c);
		sc_buffer_printf(&line, "%s(%s)", line.text[line.length - 1] == ' ' ? "" : " ",
				 sc_about_loss(one->loss));
		r = sc_buffer_take(&line, &text, error);
		if (r < 0)
			break;
		(void)fputs(is_first ? "\nUse:    " : "Use:    ", out);
		sc_text_wrap(out, text, 8, 8, 80);
		is_first = false;
	}
	*ret_has_use = !is_first;
	return r;
}

/* Renders the files of the folder that are for people, and the product on standard output. */
static int show(const struct sc_sweep_config *config, const struct sc_invocation *invocation,
		const char *folder, struct sc_error *error)
{
	bool has_use = false;
	int r;

	r = sc_format_folder(folder, error);
	if (r < 0)
		return r;
	r = sc_format_print(folder, (int)config->format.value, invocation->out, error);
	if (r < 0)
		return r;
	if (sc_format_is_table((int)config->format.value)) {
		r = print_use(folder, invocation->out, &has_use, error);
		if (r < 0)
			return r;
		(void)fprintf(invocation->out, "%sReport: %s\nNext:   %s report %s --format md\n",
			      has_use ? "" : "\n", folder, program_of(invocation), folder);
	} else if (!config->quiet)
		(void)fprintf(invocation->err, "syncost: report is in %s\n", folder);
	return 0;
}

static int exit_code_of(const struct sc_sweep_outcome *outcome)
{
	if (outcome->interrupted)
		return sc_exit_code(SC_E_INTERRUPTED);
	if (outcome->failed_cells > 0)
		return sc_exit_code(SC_E_CHILD);
	if (outcome->unsupported_cells > 0 && outcome->measured_cells == 0)
		return sc_exit_code(SC_E_UNMEASURABLE);
	return outcome->is_severe ? 1 : 0;
}

static int run_sweep(const struct sc_sweep_config *config, const struct sc_sweep *sweep,
		     const struct sc_invocation *invocation, struct sc_error *error)
{
	SC_CLEANUP(sc_sweep_outcome_fini) struct sc_sweep_outcome outcome = {0};
	struct sc_progress_view view = sc_progress_view_init(invocation->err, config->quiet, sweep);
	struct sc_sweep_observer observer = sc_progress_observer(&view);
	int r;

	r = sc_sweep_run(sweep, &observer, &outcome, error);
	sc_progress_end(&view);
	if (r < 0)
		return r;
	r = show(config, invocation, outcome.folder, error);
	if (r < 0)
		return r;
	if (outcome.was_complete) {
		(void)fprintf(invocation->err,
			      "syncost sweep: this sweep was complete; nothing was measured\n");
		return exit_code_of(&outcome);
	}
	if (outcome.interrupted)
		(void)fprintf(invocation->err,
			      "syncost sweep: interrupted; the report holds what was measured "
			      "until then; go on with: %s sweep --resume %s\n",
			      program_of(invocation), outcome.folder);
	return exit_code_of(&outcome);
}

/* Cells that --like finds no number of operations for. */
static void tell_strangers(const struct sc_sweep_config *config,
			   const struct sc_sweep_request *request, FILE *err)
{
	size_t count = 0, first = 0;

	if (!config->like || !request->operations || config->quiet)
		return;
	for (size_t i = request->plan->cell_count; i-- > 0;) {
		if (request->operations[i] > 0)
			continue;
		first = i;
		count++;
	}
	if (count == 0)
		return;
	(void)fprintf(err,
		      "syncost sweep: %zu of %zu cells have no baseline in '%s', and find their "
		      "number of operations themselves: %s%s\n",
		      count, request->plan->cell_count, config->like,
		      request->plan->cells[first].id, count > 1 ? " and others" : "");
}

static int run(const struct sc_invocation *invocation, struct sc_error *error)
{
	SC_CLEANUP(sc_sweep_request_fini) struct sc_sweep_request request = {0};
	SC_CLEANUP(sc_sweep_choice_fini) struct sc_sweep_choice choice = {0};
	const struct sc_sweep_config *config = invocation->config;
	const struct sc_tool_facts tool = {
		.version = sc_tool_version,
		.commit = sc_tool_commit(),
		.dirty = sc_tool_is_dirty(),
		.build = sc_tool_build,
		.argc = invocation->argc,
		.argv = invocation->argv,
	};
	struct sc_crowd_limits limits;
	int r;

	if (config->list_suites)
		return sc_suites_print(invocation->out, error);
	r = check_config(config, error);
	if (r == 0)
		r = sc_sweep_choice_make(config, invocation->argc - 2, invocation->argv + 2,
					 &choice, error);
	if (r == 0)
		r = sc_sweep_request_make(&choice, &tool, &request, error);
	if (r < 0)
		return r;
	limits = sc_crowd_limits();
	r = sc_crowd_check(sc_crowd_clients(request.plan), &limits, error);
	if (r < 0)
		return r;
	tell_strangers(&choice.config, &request, invocation->err);
	if (config->dry_run)
		return sc_dry_run_print(&request.sweep, invocation->out, error);
	return run_sweep(config, &request.sweep, invocation, error);
}

const struct sc_command sc_command_sweep = {
	.name = "sweep",
	.operands = "",
	.summary = "measure settings on real storage and say where the time went",
	.description =
		"Run a suite's workloads under each setting of a grid, in a directory of its own\n"
		"under each target, and say what a commit costs, where its time goes and what a\n"
		"power cut could take. Lists are comma separated; sizes are bytes or 64K, 1M.",
	.options = &sc_sweep_options,
	.config_bytes = sizeof(struct sc_sweep_config),
	.run = run,
};
