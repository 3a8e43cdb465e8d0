/* SPDX-License-Identifier: MIT */

/*
 * Rendering: one file, opened once, gone through once to survey it and then once for each pass of
 * the writer, so that memory does not grow with the number of cells and a file that is replaced
 * meanwhile does not mix into the result.
 */

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "../model/group.h"
#include "../model/store.h"
#include "text.h"
#include "writer.h"

#define COLUMNS_MIN   80u
#define COLUMNS_MAX   160u
#define COLUMNS_USUAL 100u

static bool begins_table(const struct sc_cell *previous, const struct sc_cell *cell)
{
	return !previous->id || !sc_group_shares_table(previous, cell);
}

/* Room doubles, so that n tables cost O(n). */
static struct sc_survey_table *add_table(struct sc_survey *survey)
{
	size_t n = survey->table_count;

	if ((n & (n - 1)) == 0) {
		struct sc_survey_table *tables =
			reallocarray(survey->tables, n ? 2 * n : 1, sizeof(*tables));

		if (!tables)
			return NULL;
		survey->tables = tables;
	}
	survey->tables[n] = (struct sc_survey_table){.commits = false};
	survey->table_count++;
	return &survey->tables[n];
}

/* Return: false where memory is short. */
static bool survey_table(struct sc_survey *survey, const struct sc_cell *previous,
			 const struct sc_cell *cell)
{
	struct sc_survey_table *table;

	if (begins_table(previous, cell)) {
		survey->has_rows =
			survey->has_rows || (previous->id && previous->rows != cell->rows &&
					     strcmp(previous->suite, cell->suite) == 0 &&
					     strcmp(previous->workload, cell->workload) == 0);
		table = add_table(survey);
		if (!table)
			return false;
	} else {
		table = &survey->tables[survey->table_count - 1];
		table->varies = table->varies ||
				previous->setting.rows_per_commit != cell->setting.rows_per_commit;
	}
	/* Before the first timing sample the ledger knows. */
	if (cell->status == SC_MEASURED && (cell->commits > 0 || cell->ledger_commits > 0))
		table->commits = true;
	if (cell->status == SC_MEASURED && cell->commits > 0) {
		survey->has_statements = survey->has_statements || cell->operations > cell->commits;
		table->has_batches = table->has_batches || cell->operations != cell->commits;
	}
	survey->has_batches = survey->has_batches || table->has_batches || table->varies;
	table->has_clients = table->has_clients || cell->clients > 1;
	survey->has_clients = survey->has_clients || table->has_clients;
	survey->has_rate = survey->has_rate || cell->rate > 0;
	return true;
}

static void survey_cell(struct sc_survey *survey, const struct sc_report_head *head,
			const struct sc_cell *cell)
{
	char label[200];
	size_t columns;

	sc_render_label(head, cell, label, sizeof(label));
	columns = sc_text_columns(label);
	if (columns > survey->label_columns)
		survey->label_columns = columns;
	if (cell->uses_wal_state && cell->wal_state == SC_WAL_FRESH)
		survey->has_fresh = true;
	if (cell->uses_wal_state && cell->wal_state == SC_WAL_RECYCLED)
		survey->has_recycled = true;
	if (cell->status == SC_MEASURED && !cell->same_as && sc_cell_has_waited(cell))
		survey->has_waited = true;
	if (cell->ended == SC_ENDED_TIME)
		survey->out_of_time = true;
	survey->cell_count++;
}

/* Whoever calls it frees the tables, on error as well. */
static int survey(struct sc_report_reader *reader, struct sc_survey *ret_survey,
		  struct sc_error *error)
{
	SC_CLEANUP(sc_cell_fini) struct sc_cell previous = {0};
	int r;

	*ret_survey = (struct sc_survey){0};
	for (;;) {
		SC_CLEANUP(sc_cell_fini) struct sc_cell cell = {0};

		r = sc_report_next(reader, &cell, error);
		if (r != 0)
			return r < 0 ? r : 0;
		survey_cell(ret_survey, sc_report_reader_head(reader), &cell);
		if (!survey_table(ret_survey, &previous, &cell))
			return sc_fail(error, -ENOMEM, "rendering a report");
		sc_cell_fini(&previous);
		previous = cell;
		cell = (struct sc_cell){0};
	}
}

/* One pass. Each cell is kept until the next one, which may begin a group. */
static int run_pass(struct sc_render *render, struct sc_report_reader *reader,
		    const struct sc_writer *writer)
{
	int r;

	r = sc_report_rewind(reader, render->error);
	if (r == 0)
		r = writer->begin(render);
	while (r == 0) {
		SC_CLEANUP(sc_cell_fini) struct sc_cell cell = {0};

		r = sc_report_next(reader, &cell, render->error);
		if (r != 0)
			break;
		if (render->previous.id && begins_table(&render->previous, &cell))
			render->table_index++;
		r = writer->cell(render, &cell);
		sc_cell_fini(&render->previous);
		render->previous = cell;
		cell = (struct sc_cell){0};
		render->cell_index++;
	}
	sc_cell_fini(&render->previous);
	render->cell_index = 0;
	render->table_index = 0;
	return r < 0 ? r : writer->end(render);
}

bool sc_render_begins_table(const struct sc_render *render, const struct sc_cell *cell)
{
	return begins_table(&render->previous, cell);
}

const struct sc_survey_table *sc_render_table(const struct sc_render *render)
{
	assert(render->table_index < render->survey.table_count);
	return &render->survey.tables[render->table_index];
}

void sc_render_label(const struct sc_report_head *head, const struct sc_cell *cell, char *text,
		     size_t text_bytes)
{
	struct sc_setting base = head->base;

	base.rows_per_commit = cell->setting.rows_per_commit;
	sc_store_label(cell->store, &cell->setting, &base, text, text_bytes);
}

static int check_stream(FILE *out, struct sc_error *error)
{
	if (fflush(out) == 0 && !ferror(out))
		return 0;
	return sc_fail(error, errno ? -errno : -EIO, "writing the rendered report");
}

int sc_report_render(const char *path, const char *format, FILE *out,
		     const struct sc_render_options *options, struct sc_error *error)
{
	SC_CLEANUP(sc_report_closep) struct sc_report_reader *reader = NULL;
	SC_CLEANUP(sc_freep) struct sc_survey_table *tables = NULL;
	const struct sc_writer *writer = sc_writer_find(format);
	struct sc_render render = {
		.out = out,
		.options = options ? *options : (struct sc_render_options){.utf8 = true},
		.error = error,
	};
	int r;

	if (!writer)
		return sc_fail(error, SC_E_USAGE, "no report format is called '%s'", format);
	if (render.options.columns == 0)
		render.options.columns = COLUMNS_USUAL;
	if (render.options.columns > COLUMNS_MAX)
		render.options.columns = COLUMNS_MAX;
	if (render.options.columns < COLUMNS_MIN)
		render.options.columns = COLUMNS_MIN;

	r = sc_report_open(path, &reader, error);
	if (r == 0)
		r = survey(reader, &render.survey, error);
	if (r < 0) {
		free(render.survey.tables);
		return r;
	}
	/* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): its clean-up frees it */
	tables = render.survey.tables;
	render.head = sc_report_reader_head(reader);
	errno = 0;
	for (; r == 0 && render.pass < writer->passes; render.pass++)
		r = run_pass(&render, reader, writer);
	for (size_t i = 0; i < render.copies_count; i++)
		sc_buffer_fini(&render.copies[i].labels);
	free(render.copies);
	return r < 0 ? r : check_stream(out, error);
}

/* --- what suits a stream */

static uint32_t columns_of(FILE *out)
{
	const char *text = getenv("COLUMNS");
	struct winsize size;
	char *end;
	unsigned long columns;

	if (text && *text) {
		errno = 0;
		columns = strtoul(text, &end, 10);
		if (errno == 0 && *end == '\0' && columns > 0 && columns <= UINT16_MAX)
			return (uint32_t)columns;
	}
	if (ioctl(fileno(out), TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
		return size.ws_col;
	return 0;
}

/* The first of the variables that is set decides, as for setlocale(). */
static bool is_utf8(void)
{
	static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};

	for (size_t i = 0; i < SC_ARRAY_COUNT(names); i++) {
		const char *value = getenv(names[i]);

		if (value && *value)
			return strcasestr(value, "utf-8") || strcasestr(value, "utf8");
	}
	return false;
}

struct sc_render_options sc_render_options_detect(FILE *out)
{
	const char *no_color = getenv("NO_COLOR");
	const char *term = getenv("TERM");
	bool is_terminal = isatty(fileno(out));

	return (struct sc_render_options){
		.columns = columns_of(out),
		.utf8 = is_utf8(),
		.color = is_terminal && !(no_color && *no_color) && term &&
			 strcmp(term, "dumb") != 0,
	};
}
