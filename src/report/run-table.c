/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <string.h>

#include "run-text.h"
#include "text.h"

#define SLOWEST_SHOWN 5 /* the folder has more */

/* Prints and empties a buffer, as clean text in lines of the terminal's width. */
static void put(struct sc_buffer *buffer, FILE *out, const struct sc_render_options *options,
		size_t indent)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer clean = {0};

	sc_text_add_clean(&clean, buffer->text ? buffer->text : "", options->utf8);
	(void)fprintf(out, "%*s", (int)indent, "");
	if (clean.text)
		sc_text_wrap(out, clean.text, indent, indent + 2,
			     options->columns ? options->columns : 100);
	sc_buffer_fini(buffer);
}

static void put_line(const struct sc_run_line *line, FILE *out,
		     const struct sc_render_options *options)
{
	static const size_t widths[SC_RUN_COLUMNS] = {13, 8, 9, 8, 9, 7, 9, 8, 12};
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};

	for (size_t i = 0; i < SC_RUN_COLUMNS; i++) {
		sc_buffer_add_text(&text, " ");
		sc_text_add_padded(&text, line->cells[i], widths[i], i > 0, options->utf8);
	}
	if (text.text)
		(void)fprintf(out, " %s\n", text.text);
}

static void put_database(const struct sc_run *run, uint32_t database, FILE *out,
			 const struct sc_render_options *options)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};
	struct sc_run_line line = {0};

	(void)fputc('\n', out);
	sc_buffer_add_text(&text, sc_run_database_name(&run->databases[database]));
	put(&text, out, options, 0);
	for (size_t i = 0; i < SC_RUN_COLUMNS; i++)
		(void)snprintf(line.cells[i], sizeof(line.cells[i]), "%s", sc_run_columns[i]);
	put_line(&line, out, options);
	for (uint32_t role = 0; role < SC_ROLE_COUNT_; role++) {
		if (sc_run_line(run, database, role, &line))
			put_line(&line, out, options);
	}
	if (sc_run_line(run, database, SC_RUN_ALL, &line))
		put_line(&line, out, options);
	if (run->databases[database].path) {
		sc_run_add_commits(&text, run, database);
		put(&text, out, options, 2);
	}
	sc_buffer_add_text(&text, "in calls: ");
	sc_run_add_time(&text, run, database);
	put(&text, out, options, 2);
}

void sc_run_print_table(const struct sc_run *run, FILE *out,
			const struct sc_render_options *options)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};

	sc_run_add_title(&text, run);
	put(&text, out, options, 0);
	sc_run_add_command(&text, run);
	put(&text, out, options, 0);
	if (run->set) {
		sc_run_add_set(&text, run);
		put(&text, out, options, 0);
	}
	sc_run_add_end(&text, run);
	put(&text, out, options, 0);
	for (uint32_t i = 0; i < run->database_count; i++)
		put_database(run, i, out, options);
	if (run->slowest_count > 0)
		(void)fputs("\nSlowest commits\n", out);
	for (size_t i = 0; i < run->slowest_count && i < SLOWEST_SHOWN; i++) {
		sc_run_add_slow(&text, run, &run->slowest[i]);
		put(&text, out, options, 2);
	}
	if (run->statement_count > 0)
		(void)fputs("\nStatements, by their time in syncs\n", out);
	for (size_t i = 0; i < run->statement_count && i < SLOWEST_SHOWN; i++) {
		sc_run_add_statement(&text, &run->statements[i]);
		put(&text, out, options, 2);
	}
	if (run->process_count > 1)
		(void)fputs("\nProcesses\n", out);
	for (size_t i = 0; run->process_count > 1 && i < run->process_count; i++) {
		sc_run_add_process(&text, &run->processes[i]);
		put(&text, out, options, 2);
	}
	for (size_t i = 0; i < run->findings.count; i++) {
		const struct sc_finding *finding = &run->findings.items[i];

		if (i == 0)
			(void)fputc('\n', out);
		sc_buffer_printf(&text, "%s: %s%s%s", sc_severity_name(finding->severity),
				 finding->text, finding->next[0] ? "; " : "", finding->next);
		put(&text, out, options, 0);
	}
}
