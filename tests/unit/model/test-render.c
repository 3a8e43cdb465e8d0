/* SPDX-License-Identifier: MIT */

/*
 * The writers, against golden files in tests/data/report, and against each other.
 *
 * With SC_GOLDEN_WRITE set in the environment the golden files are written anew instead; look at
 * the difference before it is kept.
 */

#include "../base/test.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/scratch.h"
#include "base/utf8.h"
#include "report/text.h"
#include "report/writer.h"
#include "skip.h"
#include "small-report.h"

#ifndef GOLDEN_DIRECTORY
#error "tests/unit/model/meson.build says where the golden files are"
#endif

static char *read_file(const char *path)
{
	FILE *in = fopen(path, "re");
	char *text = NULL;
	size_t bytes = 0;

	if (!in)
		return NULL;
	if (getdelim(&text, &bytes, '\0', in) < 0)
		text[0] = '\0';
	fclose(in);
	return text;
}

static char *golden_path(const char *name)
{
	char *path = NULL;

	assert_true(asprintf(&path, "%s/%s", GOLDEN_DIRECTORY, name) > 0);
	return path;
}

static char *render(const char *path, const char *format, const struct sc_render_options *options)
{
	struct sc_error error = {0};
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);
	int r;

	assert_non_null(out);
	r = sc_report_render(path, format, out, options, &error);
	assert_int_equal(fclose(out), 0);
	if (r < 0)
		fail_msg("%s: %s", format, error.what);
	return text;
}

/* The first line that differs, in words; the whole is too long to print. */
static void assert_same_text(const char *name, const char *got, const char *expected)
{
	size_t line = 1;

	while (*got && *got == *expected) {
		line += *got == '\n';
		got++;
		expected++;
	}
	if (*got || *expected)
		fail_msg("%s differs in line %zu: '%.*s' for '%.*s'", name, line,
			 (int)strcspn(got, "\n"), got, (int)strcspn(expected, "\n"), expected);
}

static void compare_golden(const char *name, const char *text)
{
	char *path = golden_path(name);
	char *expected;

	if (getenv("SC_GOLDEN_WRITE")) {
		FILE *out = fopen(path, "we");

		assert_non_null(out);
		fputs(text, out);
		assert_int_equal(fclose(out), 0);
	}
	expected = read_file(path);
	if (!expected)
		fail_msg("'%s': %s", path, strerror(errno));
	assert_same_text(name, text, expected);
	free(expected);
	free(path);
}

static void render_golden(const char *format, const struct sc_render_options *options,
			  const char *name)
{
	char *summary = golden_path("summary.json");
	char *text = render(summary, format, options);

	compare_golden(name, text);
	free(text);
	free(summary);
}

/* --- golden files */

static void the_small_report_is_written_as_its_golden_file(void **state)
{
	struct small_report report;
	char *text;

	(void)state;
	small_report_make(&report);
	text = small_report_text(&report);
	compare_golden("summary.json", text);
	free(text);
	small_report_fini(&report);
}

static void json_is_the_file_byte_for_byte(void **state)
{
	char *summary = golden_path("summary.json");
	char *expected = read_file(summary);
	char *text = render(summary, "json", NULL);

	(void)state;
	assert_non_null(expected);
	assert_same_text("JSON", text, expected);
	free(text);
	free(expected);
	free(summary);
}

static void the_table_is_its_golden_file_at_each_width(void **state)
{
	static const struct {
		struct sc_render_options options;
		const char *name;
	} cases[] = {
		{{.columns = 100, .utf8 = true}, "table.txt"},
		{{.columns = 80, .utf8 = true}, "table-80.txt"},
		{{.columns = 80}, "table-ascii.txt"},
		{{.columns = 100, .utf8 = true, .color = true}, "table-color.txt"},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++)
		render_golden("table", &cases[i].options, cases[i].name);
}

static void other_formats_are_their_golden_files(void **state)
{
	(void)state;
	render_golden("md", NULL, "summary.md");
	render_golden("csv", NULL, "summary.csv");
	render_golden("samples", NULL, "samples.csv");
}

/* --- the form of the table */

static void no_line_of_the_table_is_wider_than_the_terminal(void **state)
{
	static const uint32_t widths[] = {80, 85, 92, 100, 120, 160};
	char *summary = golden_path("summary.json");

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(widths); i++) {
		struct sc_render_options options = {.columns = widths[i], .utf8 = true};
		char *text = render(summary, "table", &options);

		for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
			if (sc_text_columns(line) > widths[i])
				fail_msg("%zu columns of %u: %s", sc_text_columns(line), widths[i],
					 line);
		}
		free(text);
	}
	free(summary);
}

static void the_ascii_table_is_ascii(void **state)
{
	char *summary = golden_path("summary.json");
	struct sc_render_options options = {.columns = 80};
	char *text = render(summary, "table", &options);

	(void)state;
	for (const char *c = text; *c; c++)
		assert_true((*c >= ' ' && *c <= '~') || *c == '\n');
	free(text);
	options.utf8 = true; /* and the other is not, so the check can fail */
	text = render(summary, "table", &options);
	assert_non_null(strstr(text, "█"));
	free(text);
	free(summary);
}

/* --- reports of troubling content */

static void write_report(const struct scratch *scratch, const struct small_report *report)
{
	char *text = small_report_text(report);

	scratch_write(scratch, "summary.json", text);
	free(text);
}

static void set_text(char **text, const char *to)
{
	free(*text);
	*text = strdup(to);
	assert_non_null(*text);
}

static void names_cannot_break_out_of_any_format(void **state)
{
	static const char nasty[] = "a|b,\"c\"\n\x1b[31m\x7f*`<b>\xc2\x9b"
				    "1m\xe2\x80\xae\xff";
	const struct scratch *scratch = *state;
	struct small_report report;
	const struct sc_render_options options = {.columns = 100, .utf8 = true};
	char *text;

	small_report_make(&report);
	set_text(&report.head.targets[0].label, nasty);
	set_text(&report.head.host_label, nasty);
	for (size_t i = 0; i < report.count; i++)
		set_text(&report.cells[i].target, nasty);
	set_text(&report.cells[5].reason, nasty);
	write_report(scratch, &report);

	text = render(scratch->path, "table", &options);
	assert_null(strchr(text, '\x1b'));
	assert_null(strchr(text, '\x7f'));
	assert_null(strstr(text, "\xc2\x9b"));
	assert_null(strstr(text, "\xe2\x80\xae"));
	assert_non_null(strstr(text, "a|b,\"c\"??[31m?*`<b>?1m?" SC_UTF8_REPLACEMENT));
	free(text);

	text = small_report_text(&report);
	assert_true(sc_utf8_is_valid(text));
	assert_non_null(strstr(text, SC_UTF8_REPLACEMENT));
	free(text);

	text = render(scratch->path, "md", NULL);
	assert_null(strchr(text, '\x1b'));
	assert_non_null(strstr(text, "a\\|b,\"c\"??\\[31m?\\*\\`\\<b\\>?1m?" SC_UTF8_REPLACEMENT));
	free(text);

	text = render(scratch->path, "csv", NULL);
	assert_int_equal(strncmp(strchr(strchr(text, '\n'), ','), ",\"a|b,\"\"c\"\"\n", 12), 0);
	assert_true(sc_utf8_is_valid(text));
	free(text);
	small_report_fini(&report);
}

static void labels_that_do_not_fit_get_lines_of_their_own(void **state)
{
	const struct scratch *scratch = *state;
	const struct sc_render_options options = {.columns = 80, .utf8 = true};
	struct small_report report;
	char *text;

	small_report_make(&report);
	report.cells[0].setting.cache_size = -64000;
	report.cells[0].setting.mmap_size = 268435456;
	write_report(scratch, &report);
	text = render(scratch->path, "table", &options);
	assert_non_null(strstr(text, "\ndelete/full cache_size=-64000 mmap_size=268435456\n  "));
	free(text);
	small_report_fini(&report);
}

static void a_wide_terminal_is_used(void **state)
{
	const struct scratch *scratch = *state;
	const struct sc_render_options wide = {.columns = 160, .utf8 = true};
	const struct sc_render_options usual = {.columns = 100, .utf8 = true};
	const char *label = "\ndelete/full cache_size=-64000 mmap_size=268435456";
	struct small_report report;
	char *text;

	small_report_make(&report);
	report.cells[0].setting.cache_size = -64000;
	report.cells[0].setting.mmap_size = 268435456;
	write_report(scratch, &report);
	text = render(scratch->path, "table", &usual);
	assert_true(strstr(text, label)[strlen(label)] == '\n'); /* a line of its own */
	free(text);
	text = render(scratch->path, "table", &wide);
	assert_true(strstr(text, label)[strlen(label)] == ' ');
	/* Prose stays as narrow as it can be read. */
	for (char *line = strtok(strstr(text, "\nFindings"), "\n"); line; line = strtok(NULL, "\n"))
		assert_true(sc_text_columns(line) <= 100);
	free(text);
	small_report_fini(&report);
}

/* The line of @text that begins with @start, without its end. */
static char *line_of(const char *text, const char *start)
{
	for (const char *line = text; *line; line += strcspn(line, "\n"), line += *line == '\n') {
		if (strncmp(line, start, strlen(start)) == 0)
			return strndup(line, strcspn(line, "\n"));
	}
	fail_msg("no line begins with '%s' in:\n%s", start, text);
	return NULL;
}

static void assert_in_line(const char *text, const char *start, const char *expected)
{
	char *line = line_of(text, start);

	if (!strstr(line, expected))
		fail_msg("no '%s' in '%s'", expected, line);
	free(line);
}

static void each_setting_says_what_a_power_cut_can_take(void **state)
{
	static const struct {
		enum sc_journal_mode mode;
		enum sc_synchronous level;
		const char *loss, *csv;
	} cases[] = {
		{SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, " last ", ",last,no,"},
		{SC_JOURNAL_DELETE, SC_SYNCHRONOUS_EXTRA, " none ", ",none,no,"},
		{SC_JOURNAL_DELETE, SC_SYNCHRONOUS_NORMAL, " last? ", ",last,rare,"},
		{SC_JOURNAL_DELETE, SC_SYNCHRONOUS_OFF, " any! ", ",any,yes,"},
		{SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL, " ckpt ", ",suffix,no,"},
	};
	const struct scratch *scratch = *state;
	struct small_report report;
	char *text;

	small_report_make(&report);
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		report.cells[0].effective.journal_mode = cases[i].mode;
		report.cells[0].effective.synchronous = cases[i].level;
		write_report(scratch, &report);
		text = render(scratch->path, "table", NULL);
		assert_in_line(text, "delete/full ", cases[i].loss);
		free(text);
		text = render(scratch->path, "md", NULL);
		assert_in_line(text, "| delete/full ", cases[i].loss);
		free(text);
		text = render(scratch->path, "csv", NULL);
		assert_non_null(strstr(text, cases[i].csv));
		free(text);
	}
	set_text(&report.head.targets[0].filesystem, "tmpfs");
	write_report(scratch, &report);
	text = render(scratch->path, "table", NULL);
	assert_in_line(text, "wal/full ", " all ");
	assert_non_null(strstr(text, "all (in memory)"));
	free(text);
	small_report_fini(&report);
}

static void commits_of_several_sizes_stand_in_one_table(void **state)
{
	static const uint32_t rows[] = {1, 10, 100};
	const struct scratch *scratch = *state;
	struct small_report report;
	char *text, *again;

	small_report_make(&report);
	for (size_t i = 0; i < 3; i++) {
		report.cells[i].setting.rows_per_commit = rows[i];
		report.cells[i].operations *= rows[i];
	}
	for (size_t i = 3; i < 6; i++)
		report.cells[i].setting.rows_per_commit = 7;
	write_report(scratch, &report);
	text = render(scratch->path, "table", NULL);
	again = strstr(text, "\ninsert_one on local, suite commit\n");
	assert_non_null(again);
	assert_null(strstr(again + 1, "\ninsert_one on"));
	assert_in_line(text, "setting ", "batch ");
	assert_in_line(text, "setting ", "    rows/s commits/s ");
	assert_in_line(text, "wal/normal ", "  100 ");
	assert_in_line(text, "memory/off ", "    7 failed");
	assert_non_null(strstr(text, "batch: operations a commit."));
	free(text);
	text = render(scratch->path, "md", NULL);
	assert_in_line(text, "| wal/normal ", "|   100 |");
	free(text);

	for (size_t i = 0; i < 6; i++) /* as many everywhere: the heading says it */
		report.cells[i].setting.rows_per_commit = 100;
	write_report(scratch, &report);
	text = render(scratch->path, "table", NULL);
	assert_non_null(strstr(text, "insert_one on local, suite commit, 100 operations a commit"));
	assert_null(strstr(text, " batch "));
	free(text);
	small_report_fini(&report);
}

static void the_commit_of_a_transaction_is_not_all_of_it(void **state)
{
	const struct scratch *scratch = *state;
	const char *note = "COMMIT";
	struct small_report report;
	char *text;

	small_report_make(&report);
	for (int batch = 0; batch < 2; batch++) {
		if (batch)
			report.cells[1].operations *= 100; /* the workload's own number */
		write_report(scratch, &report);
		text = render(scratch->path, "table", NULL);
		assert_int_equal(strstr(text, note) != NULL, batch);
		free(text);
		text = render(scratch->path, "md", NULL);
		assert_int_equal(strstr(text, note) != NULL, batch);
		free(text);
		text = render(scratch->path, "csv", NULL);
		assert_int_equal(strstr(text, ",delete,extra,0,0,4096,-2000,1000,normal,0,100,") !=
					 NULL,
				 batch);
		free(text);
	}
	small_report_fini(&report);
}

static void a_split_of_a_busy_machine_is_marked(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	char *text, *line;

	small_report_make(&report);
	for (int busy = 0; busy < 2; busy++) {
		if (busy) {
			struct sc_split *split = &report.cells[0].split;

			split->run_delay_ns[SC_PART_SYNC] = split->wall_ns[SC_PART_SYNC] / 4;
			report.cells[0].bound = sc_bound_of(split, 0, &report.cells[0].ops_per_s);
		}
		write_report(scratch, &report);
		text = render(scratch->path, "table", NULL);
		assert_in_line(text, "delete/full ", busy ? " sync 64 %?" : " sync 86 %");
		assert_in_line(text, "wal/full ", " sync 64 %");
		assert_int_equal(strstr(text, "bound by …?") != NULL, busy);
		line = line_of(text, "wal/full ");
		assert_null(strstr(line, "%?"));
		free(line);
		free(text);
	}
	small_report_fini(&report);
}

/* Eight settings of one that cannot differ are one line, not eight. */
static void copies_of_one_cell_share_a_line(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	char *text;

	small_report_make(&report);
	set_text(&report.cells[2].same_as, report.cells[3].id);
	set_text(&report.cells[2].same_as_reason, "planted");
	write_report(scratch, &report);
	text = render(scratch->path, "table", NULL);
	assert_in_line(text, "wal/normal, wal/extra", " = wal/full");
	assert_true(strstr(text, " = wal/full") < strstr(text, "read_point on"));
	free(text);
	small_report_fini(&report);
}

static void a_rate_that_is_recommended_says_how_sure_it_is(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	char *text;

	small_report_make(&report);
	for (int few = 0; few < 2; few++) {
		if (few) {
			report.head.recommendations[0].commits_per_s.n = 2;
			report.head.recommendations[0].commits_per_s.coverage = 0.5;
		}
		write_report(scratch, &report);
		text = render(scratch->path, "table", NULL);
		assert_in_line(text, "nothing lost: wal/full, 7.44k commits/s ",
			       few ? "(7.27k–7.57k in 2 samples: too few"
				   : "(95 % interval 7.27k–7.57k)");
		free(text);
	}
	small_report_fini(&report);
}

/* Before the first timing sample, the ledger says whether a workload commits. */
static void a_ledger_alone_names_the_rate_of_commits(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	char *text;

	small_report_make(&report);
	for (size_t i = 0; i < 6; i++)
		report.cells[i].commits = report.cells[i].operations = 0;
	write_report(scratch, &report);
	text = render(scratch->path, "table", NULL);
	assert_in_line(text, "setting ", " commits/s ");
	assert_in_line(strstr(text, "read_point on"), "setting ", " queries/s ");
	free(text);
	small_report_fini(&report);
}

static void a_first_cell_that_failed_does_not_name_the_rate(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	char *text;

	small_report_make(&report);
	for (size_t i = 0; i <= 6; i += 6) {
		sc_cell_set_absent(&report.cells[i], SC_FAILED, "planted");
		report.cells[i].status = SC_FAILED;
		set_text(&report.cells[i].reason, "planted");
	}
	write_report(scratch, &report);
	text = render(scratch->path, "table", NULL);
	assert_non_null(strstr(text, "delete/full  failed: planted"));
	assert_in_line(text, "setting ", " commits/s ");
	assert_in_line(strstr(text, "read_point on"), "setting ", " queries/s ");
	assert_null(strstr(text, "rate/s"));
	free(text);
	small_report_fini(&report);
}

static void a_report_without_cells_renders(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;

	small_report_make(&report);
	for (size_t i = 0; i < report.count; i++)
		sc_cell_fini(&report.cells[i]);
	report.count = 0;
	write_report(scratch, &report);
	for (size_t i = 0; i < sc_writer_count; i++) {
		char *text = render(scratch->path, sc_writers[i]->name, NULL);

		assert_true(strlen(text) > 0);
		free(text);
	}
	small_report_fini(&report);
}

static void a_bad_report_prints_nothing(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	struct sc_error error;
	char *text;

	small_report_make(&report);
	text = small_report_text(&report);
	*strrchr(text, ']') = '\0'; /* all cells are there, the end is not */
	scratch_write(scratch, "summary.json", text);
	free(text);
	for (size_t i = 0; i < sc_writer_count; i++) {
		char *printed = NULL;
		size_t bytes = 0;
		FILE *out = open_memstream(&printed, &bytes);

		assert_non_null(out);
		assert_int_equal(
			sc_report_render(scratch->path, sc_writers[i]->name, out, NULL, &error),
			SC_E_FORMAT);
		assert_int_equal(fclose(out), 0);
		assert_int_equal(bytes, 0);
		free(printed);
	}
	small_report_fini(&report);
}

static void an_unknown_format_is_a_usage_error(void **state)
{
	struct sc_error error;

	(void)state;
	assert_int_equal(sc_report_render("/nowhere", "xml", stdout, NULL, &error), SC_E_USAGE);
	assert_string_equal(error.what, "no report format is called 'xml'");
	assert_int_equal(sc_report_render("/nowhere", "md", stdout, NULL, &error), -ENOENT);
}

static void a_full_device_is_an_error(void **state)
{
	struct sc_error error;
	char *summary = golden_path("summary.json");
	FILE *full = fopen("/dev/full", "we");

	(void)state;
	if (!full)
		skip();
	assert_int_equal(sc_report_render(summary, "md", full, NULL, &error), -ENOSPC);
	fclose(full);
	free(summary);
}

/* --- the same numbers everywhere */

static size_t count_lines(const char *text)
{
	size_t lines = 0;

	for (; *text; text++)
		lines += *text == '\n';
	return lines;
}

static void csv_has_each_metric_of_each_cell_exactly(void **state)
{
	struct small_report report;
	char *summary = golden_path("summary.json");
	char *text = render(summary, "csv", NULL);
	const char *line = strchr(text, '\n') + 1;

	(void)state;
	small_report_make(&report);
	assert_int_equal(count_lines(text), 1 + report.count * sc_metric_count);
	for (size_t i = 0; i < report.count * sc_metric_count; i++) {
		const struct sc_metric *metric = &sc_metrics[i % sc_metric_count];
		struct sc_metric_value value = metric->read(&report.cells[i / sc_metric_count]);
		char expected[200];
		const char *found;

		(void)snprintf(expected, sizeof(expected), ",%s,%s,", metric->key,
			       sc_unit_name(metric->unit));
		found = strstr(line, expected);
		if (!found || found > strchr(line, '\n'))
			fail_msg("no '%s' in '%.*s'", expected, (int)strcspn(line, "\n"), line);
		found += strlen(expected);
		if (value.status == SC_MEASURED && strtod(found, NULL) != value.number)
			fail_msg("%.17g is not '%.*s'", value.number, (int)strcspn(line, "\n"),
				 line);
		if (value.status != SC_MEASURED)
			assert_int_equal(strncmp(found, ",,,,", 4), 0);
		line = strchr(line, '\n') + 1;
	}
	small_report_fini(&report);
	free(text);
	free(summary);
}

static void writers_that_list_all_metrics_have_every_key(void **state)
{
	static const char *const formats[] = {"md", "csv"};
	char *summary = golden_path("summary.json");

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(formats); i++) {
		char *text = render(summary, formats[i], NULL);

		for (size_t j = 0; j < sc_metric_count; j++) {
			if (!strstr(text, sc_metrics[j].key))
				fail_msg("%s has no %s", formats[i], sc_metrics[j].key);
		}
		assert_null(strstr(text, "no_such_metric"));
		free(text);
	}
	free(summary);
}

static void several_clients_have_their_retries_shown(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_render_options options = {.columns = 120, .utf8 = true};
	struct small_report report;
	uint64_t commits = 0;
	char *text;

	small_report_make(&report);
	for (size_t i = 0; i < report.cells[0].sample_count; i++) {
		if (report.cells[0].samples[i].kind == SC_SAMPLE_TIMING)
			commits += report.cells[0].samples[i].commits;
	}
	report.cells[0].busy_retries = 7 * commits / 4;
	write_report(scratch, &report);
	text = render(scratch->path, "table", &options);
	assert_null(strstr(text, " busy")); /* of one client */
	free(text);
	report.cells[0].clients = 4;
	write_report(scratch, &report);
	text = render(scratch->path, "table", &options);
	assert_non_null(strstr(text, " syncs  busy "));
	assert_in_line(text, "delete/full ", "  1.75 ");
	assert_non_null(strstr(text, "busy: attempts"));
	free(text);
	options.columns = 60; /* no room */
	text = render(scratch->path, "table", &options);
	assert_null(strstr(text, " syncs  busy "));
	assert_non_null(strstr(text, "Busy retries"));
	free(text);
	small_report_fini(&report);
}

static void the_table_shows_the_catalogues_numbers(void **state)
{
	struct sc_render_options options = {.columns = 100, .utf8 = true};
	char *summary = golden_path("summary.json");
	char *text = render(summary, "table", &options);

	(void)state;
	/* 2210 commits a second with six rates around it, 300 + 100 syncs for 100 commits. */
	assert_non_null(strstr(text, "2.22k"));
	assert_non_null(strstr(text, "    4 "));
	assert_non_null(strstr(text, "= wal/full\n"));
	assert_non_null(strstr(text, "failed: quick_check of 'a.db' says"));
	assert_non_null(strstr(text, "queries/s"));
	free(text);
	free(summary);
}

/* --- programs that read CSV */

/* What sqlite3 answers to @sql after the file was imported as "t", one line. */
static void ask_sqlite3(const char *file, const char *sql, char *answer, size_t answer_bytes)
{
	char *command = NULL;
	FILE *in;

	assert_true(asprintf(&command,
			     "sqlite3 :memory: -cmd '.mode csv' '.import \"%s\" t' '.mode list' "
			     "\"%s\" 2>&1",
			     file, sql) > 0);
	in = popen(command, "re");
	assert_non_null(in);
	if (!fgets(answer, (int)answer_bytes, in))
		answer[0] = '\0';
	answer[strcspn(answer, "\n")] = '\0';
	if (pclose(in) != 0)
		fail_msg("%s: %s", command, answer);
	free(command);
}

static void csv_imports_into_sqlite3(void **state)
{
	const struct scratch *scratch = *state;
	struct small_report report;
	char answer[200], expected[200];
	char *text;

	if (system("command -v sqlite3 >/dev/null") != 0)
		skip_because("the sqlite3 shell is not installed");
	small_report_make(&report);
	for (size_t i = 0; i < report.count; i++)
		set_text(&report.cells[i].target, "a, \"b\"\nc");
	report.cells[0].clients = 4;
	write_report(scratch, &report);

	text = render(scratch->path, "csv", NULL);
	scratch_write(scratch, "cells.csv", text);
	free(text);
	ask_sqlite3(scratch_path(scratch, "cells.csv"),
		    "select count(*), count(distinct metric), count(distinct target), "
		    "sum(status = 'measured' and value = ''), "
		    "sum(status <> 'measured' and value <> '') from t",
		    answer, sizeof(answer));
	(void)snprintf(expected, sizeof(expected), "%zu|%zu|1|0|0", report.count * sc_metric_count,
		       sc_metric_count);
	assert_string_equal(answer, expected);
	ask_sqlite3(scratch_path(scratch, "cells.csv"),
		    "select replace(target, char(10), '/') from t limit 1", answer, sizeof(answer));
	assert_string_equal(answer, "a, \"b\"/c");

	ask_sqlite3(scratch_path(scratch, "cells.csv"),
		    "select count(distinct cell), group_concat(distinct clients) from t", answer,
		    sizeof(answer));
	(void)snprintf(expected, sizeof(expected), "%zu|4,1", report.count);
	assert_string_equal(answer, expected);

	text = render(scratch->path, "samples", NULL);
	scratch_write(scratch, "samples.csv", text);
	free(text);
	/* Four cells of 1 + 6 samples, one of 3; the copy's are not repeated. */
	ask_sqlite3(scratch_path(scratch, "samples.csv"),
		    "select count(*), count(distinct metric), sum(metric = 'steal_ns' and status = "
		    "'unsupported' and value = '') from t",
		    answer, sizeof(answer));
	(void)snprintf(expected, sizeof(expected), "%zu|%zu|4",
		       (4 * 7 + 3) * sc_sample_metric_count, sc_sample_metric_count);
	assert_string_equal(answer, expected);
	small_report_fini(&report);
}

/* The manual page's table for samples.csv: its names are the file's, in order. */
static void the_manual_pages_table_has_the_columns(void **state)
{
	static const char create[] = "CREATE TABLE samples(";
	char *summary = golden_path("summary.json");
	char *text = render(summary, "samples", NULL);
	char *page = read_file(MANUAL_PAGE);
	const char *at = strstr(page, create), *name = text;
	size_t count = 0;

	(void)state;
	assert_non_null(at);
	at += strlen(create);
	for (;;) {
		size_t length = strcspn(name, ",\n");

		at += strspn(at, " \n");
		if (strncmp(at, name, length) != 0 || at[length] != ' ')
			fail_msg("'%.20s' is not '%.*s'", at, (int)length, name);
		at += strcspn(at, ",)");
		count++;
		if (name[length] == '\n')
			break;
		assert_int_equal(*at, ',');
		at++;
		name += length + 1;
	}
	assert_int_equal(*at, ')');
	assert_true(count > 20);
	free(page);
	free(text);
	free(summary);
}

/* --- large reports */

extern size_t __sanitizer_get_current_allocated_bytes(void) __attribute__((weak));

static size_t allocated_bytes(void)
{
	if (__sanitizer_get_current_allocated_bytes)
		return __sanitizer_get_current_allocated_bytes();
	return mallinfo2().uordblks;
}

struct meter { /* of a stream that drops what it gets */
	size_t written, early, most;
};

static ssize_t drop(void *cookie, const char *data, size_t bytes)
{
	struct meter *meter = cookie;
	size_t now = allocated_bytes();

	(void)data;
	meter->written += bytes;
	if (meter->early == 0)
		meter->early = now;
	if (now > meter->most)
		meter->most = now;
	return (ssize_t)bytes;
}

static void many_cells_take_the_memory_of_few(void **state)
{
	static const char *const formats[] = {"table", "md", "csv", "samples", "json"};
	const struct scratch *scratch = *state;
	struct small_report report;
	struct sc_error error;
	FILE *out = fopen(scratch_path(scratch, "summary.json"), "we");

	assert_non_null(out);
	small_report_make(&report);
	assert_int_equal(sc_report_write_head(out, &report.head, &error), 0);
	for (size_t i = 0; i < 300; i++)
		assert_int_equal(sc_report_write_cell(out, &report.cells[6], i == 0, &error), 0);
	assert_int_equal(sc_report_write_end(out, &error), 0);
	assert_int_equal(fclose(out), 0);
	small_report_fini(&report);

	for (size_t i = 0; i < SC_ARRAY_COUNT(formats); i++) {
		struct meter meter = {.early = 0};

		out = fopencookie(&meter, "w", (cookie_io_functions_t){.write = drop});
		assert_non_null(out);
		assert_int_equal(sc_report_render(scratch->path, formats[i], out, NULL, &error), 0);
		assert_int_equal(fclose(out), 0);
		assert_true(meter.written > 15000);
		assert_true(meter.most <= meter.early + 262144);
	}
}

/* --- text */

static void text_is_cleaned_and_escaped(void **state)
{
	static const struct {
		const char *text, *utf8, *ascii;
	} cases[] = {
		{"plain", "plain", "plain"},
		{"±5 µs – 3×…", "±5 µs – 3×…", "+-5 us - 3x..."},
		{"日本", "日本", "??"},
		{"tab\there\r\n", "tab?here??", "tab?here??"},
		{"\xc3(", "?(", "?("},                /* a lead byte alone */
		{"\xc0\xaf", "??", "??"},             /* overlong */
		{"\xed\xa0\x80", "???", "???"},       /* a surrogate */
		{"\xf4\x90\x80\x80", "????", "????"}, /* beyond Unicode */
		{"\xe2\x80", "??", "??"},             /* cut */
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		for (int utf8 = 0; utf8 < 2; utf8++) {
			struct sc_buffer buffer = {0};

			sc_text_add_clean(&buffer, cases[i].text, utf8);
			assert_string_equal(buffer.text, utf8 ? cases[i].utf8 : cases[i].ascii);
			sc_buffer_fini(&buffer);
		}
	}
}

static void options_follow_the_environment(void **state)
{
	FILE *out = fopen("/dev/null", "we");
	struct sc_render_options options;

	(void)state;
	assert_non_null(out);
	setenv("COLUMNS", "123", 1);
	setenv("LC_ALL", "C.UTF-8", 1);
	options = sc_render_options_detect(out);
	assert_int_equal(options.columns, 123);
	assert_true(options.utf8);
	assert_false(options.color); /* not a terminal */
	setenv("COLUMNS", "12x", 1);
	setenv("LC_ALL", "C", 1);
	options = sc_render_options_detect(out);
	assert_int_equal(options.columns, 0);
	assert_false(options.utf8);
	fclose(out);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("the small report is written as its golden file",
		     the_small_report_is_written_as_its_golden_file),
		CASE("JSON is the file byte for byte", json_is_the_file_byte_for_byte),
		CASE("the table is its golden file at each width",
		     the_table_is_its_golden_file_at_each_width),
		CASE("other formats are their golden files", other_formats_are_their_golden_files),
		CASE("no line of the table is wider than the terminal",
		     no_line_of_the_table_is_wider_than_the_terminal),
		CASE("the ASCII table is ASCII", the_ascii_table_is_ascii),
		CASE_IN("names cannot break out of any format",
			names_cannot_break_out_of_any_format, scratch_setup, scratch_teardown),
		CASE_IN("labels that do not fit get lines of their own",
			labels_that_do_not_fit_get_lines_of_their_own, scratch_setup,
			scratch_teardown),
		CASE_IN("each setting says what a power cut can take",
			each_setting_says_what_a_power_cut_can_take, scratch_setup,
			scratch_teardown),
		CASE_IN("commits of several sizes stand in one table",
			commits_of_several_sizes_stand_in_one_table, scratch_setup,
			scratch_teardown),
		CASE_IN("a wide terminal is used", a_wide_terminal_is_used, scratch_setup,
			scratch_teardown),
		CASE_IN("the COMMIT of a transaction is not all of it",
			the_commit_of_a_transaction_is_not_all_of_it, scratch_setup,
			scratch_teardown),
		CASE_IN("several clients have their retries shown",
			several_clients_have_their_retries_shown, scratch_setup, scratch_teardown),
		CASE_IN("a split of a busy machine is marked", a_split_of_a_busy_machine_is_marked,
			scratch_setup, scratch_teardown),
		CASE_IN("copies of one cell share a line", copies_of_one_cell_share_a_line,
			scratch_setup, scratch_teardown),
		CASE_IN("a rate that is recommended says how sure it is",
			a_rate_that_is_recommended_says_how_sure_it_is, scratch_setup,
			scratch_teardown),
		CASE_IN("a ledger alone names the rate of commits",
			a_ledger_alone_names_the_rate_of_commits, scratch_setup, scratch_teardown),
		CASE_IN("a first cell that failed does not name the rate",
			a_first_cell_that_failed_does_not_name_the_rate, scratch_setup,
			scratch_teardown),
		CASE_IN("a report without cells renders", a_report_without_cells_renders,
			scratch_setup, scratch_teardown),
		CASE_IN("a bad report prints nothing", a_bad_report_prints_nothing, scratch_setup,
			scratch_teardown),
		CASE("an unknown format is a usage error", an_unknown_format_is_a_usage_error),
		CASE("a full device is an error", a_full_device_is_an_error),
		CASE("CSV has each metric of each cell, exactly",
		     csv_has_each_metric_of_each_cell_exactly),
		CASE("writers that list all metrics have every key",
		     writers_that_list_all_metrics_have_every_key),
		CASE("the table shows the catalogue's numbers",
		     the_table_shows_the_catalogues_numbers),
		CASE("the manual page's table has the columns of samples.csv",
		     the_manual_pages_table_has_the_columns),
		CASE_IN("CSV imports into sqlite3", csv_imports_into_sqlite3, scratch_setup,
			scratch_teardown),
		CASE_IN("many cells take the memory of few", many_cells_take_the_memory_of_few,
			scratch_setup, scratch_teardown),
		CASE("text is cleaned and escaped", text_is_cleaned_and_escaped),
		CASE("options follow the environment", options_follow_the_environment),
	};

	return cmocka_run_group_tests_name("render", cases, NULL, NULL);
}
