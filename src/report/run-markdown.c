/* SPDX-License-Identifier: MIT */
#include "run.h"

#include "run-text.h"
#include "text.h"

/* Prints and empties a buffer, escaped. */
static void put(struct sc_buffer *buffer, FILE *out, const char *before, const char *after)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer clean = {0};

	sc_text_add_markdown(&clean, buffer->text ? buffer->text : "");
	(void)fprintf(out, "%s%s%s", before, clean.text ? clean.text : "", after);
	sc_buffer_fini(buffer);
}

static void put_line(const struct sc_run_line *line, FILE *out)
{
	for (size_t i = 0; i < SC_RUN_COLUMNS; i++)
		(void)fprintf(out, "| %s ", line->cells[i]);
	(void)fputs("|\n", out);
}

static void put_database(const struct sc_run *run, uint32_t database, FILE *out)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};
	struct sc_run_line line = {0};

	sc_buffer_add_text(&text, sc_run_database_name(&run->databases[database]));
	put(&text, out, "\n## ", "\n\n");
	for (size_t i = 0; i < SC_RUN_COLUMNS; i++)
		(void)fprintf(out, "| %s ", sc_run_columns[i]);
	(void)fputs("|\n| --- ", out);
	for (size_t i = 1; i < SC_RUN_COLUMNS; i++)
		(void)fputs("| ---: ", out);
	(void)fputs("|\n", out);
	for (uint32_t role = 0; role < SC_ROLE_COUNT_; role++) {
		if (sc_run_line(run, database, role, &line))
			put_line(&line, out);
	}
	if (sc_run_line(run, database, SC_RUN_ALL, &line))
		put_line(&line, out);
	if (run->databases[database].path) {
		sc_run_add_commits(&text, run, database);
		put(&text, out, "\n", "\n");
	}
	sc_run_add_time(&text, run, database);
	put(&text, out, "\nTime in calls: ", "\n");
}

void sc_run_print_markdown(const struct sc_run *run, FILE *out)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};

	sc_run_add_title(&text, run);
	put(&text, out, "# ", "\n\n");
	sc_run_add_command(&text, run);
	put(&text, out, "Command: ", "  \n");
	if (run->set) {
		sc_run_add_set(&text, run);
		put(&text, out, "", "  \n");
	}
	sc_run_add_end(&text, run);
	put(&text, out, "", "\n");
	for (uint32_t i = 0; i < run->database_count; i++)
		put_database(run, i, out);
	if (run->slowest_count > 0)
		(void)fputs("\n## Slowest commits\n\n", out);
	for (size_t i = 0; i < run->slowest_count; i++) {
		sc_run_add_slow(&text, run, &run->slowest[i]);
		put(&text, out, "1. ", "\n");
	}
	if (run->statement_count > 0)
		(void)fputs("\n## Statements, by their time in syncs\n\n", out);
	for (size_t i = 0; i < run->statement_count && i < run->slowest_max; i++) {
		sc_run_add_statement(&text, &run->statements[i]);
		put(&text, out, "1. ", "\n");
	}
	if (run->process_count > 0)
		(void)fputs("\n## Processes\n\n", out);
	for (size_t i = 0; i < run->process_count; i++) {
		sc_run_add_process(&text, &run->processes[i]);
		put(&text, out, "- ", "\n");
	}
	if (run->findings.count > 0)
		(void)fputs("\n## Findings\n\n", out);
	for (size_t i = 0; i < run->findings.count; i++) {
		const struct sc_finding *finding = &run->findings.items[i];

		sc_buffer_printf(&text, "%s: %s%s%s", sc_severity_name(finding->severity),
				 finding->text, finding->next[0] ? "; " : "", finding->next);
		put(&text, out, "- ", "\n");
	}
}
