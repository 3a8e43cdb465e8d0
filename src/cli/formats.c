/* SPDX-License-Identifier: MIT */
#include "formats.h"

#include <errno.h>
#include <string.h>

#include "../base/files.h"
#include "../report/writer.h"
#include "run-format.h"

static const char *format_name(int value)
{
	return (size_t)value < sc_writer_count ? sc_writers[value]->name : NULL;
}

static bool format_parse(const char *text, int *ret_value)
{
	for (size_t i = 0; i < sc_writer_count; i++) {
		if (strcmp(sc_writers[i]->name, text) == 0) {
			*ret_value = (int)i;
			return true;
		}
	}
	return false;
}

const struct sc_choices sc_choices_format = {format_name, format_parse};

bool sc_format_is_table(int format)
{
	return strcmp(sc_writers[format]->name, "table") == 0;
}

int sc_format_print(const char *path, int format, FILE *out, struct sc_error *error)
{
	struct sc_render_options options = sc_render_options_detect(out);

	if (sc_run_format_is(path))
		return sc_run_format_print(path, sc_writers[format]->name, out, error);
	return sc_report_render(path, sc_writers[format]->name, out, &options, error);
}

static int write_file(const char *folder, const char *name, const char *format,
		      struct sc_error *error)
{
	SC_CLEANUP(sc_draft_abandonp) struct sc_draft *draft = NULL;
	SC_CLEANUP(sc_freep) char *path = NULL;
	int r;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		path = NULL; /* undefined after a failure */
		return sc_fail(error, -ENOMEM, "writing '%s'", name);
	}
	r = sc_draft_open(path, &draft, error);
	if (r < 0)
		return r;
	r = sc_report_render(folder, format, sc_draft_stream(draft), NULL, error);
	return r < 0 ? r : sc_draft_commit(&draft, error);
}

int sc_format_folder(const char *folder, struct sc_error *error)
{
	int r;

	r = write_file(folder, "summary.md", "md", error);
	return r < 0 ? r : write_file(folder, "samples.csv", "samples", error);
}
