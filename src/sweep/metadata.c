/* SPDX-License-Identifier: MIT */

/*
 * metadata.json: written once, before the first sample. It is small, so it is put together as
 * text; strings that are no valid UTF-8 (a command line may be) are
 * made valid with U+FFFD, as a JSON file must be.
 */

#include "head.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/buffer.h"
#include "../base/utf8.h"

/* What can change a figure, and holds no secret. */
static const char *const variables[] = {
	"GLIBC_TUNABLES", "LD_LIBRARY_PATH", "LD_PRELOAD",      "MALLOC_ARENA_MAX",
	"SQLITE_TMPDIR",  "TMPDIR",          "XDG_RUNTIME_DIR",
};

static void add_string(struct sc_buffer *json, const char *text)
{
	uint32_t character = 0;

	sc_buffer_add_text(json, "\"");
	while (*text) {
		size_t bytes = sc_utf8_decode(text, &character);

		if (*text == '"' || *text == '\\')
			sc_buffer_printf(json, "\\%c", *text);
		else if (bytes == 0)
			sc_buffer_add_text(json, SC_UTF8_REPLACEMENT);
		else if (character < 0x20)
			sc_buffer_printf(json, "\\u%04x", (unsigned int)character);
		else
			sc_buffer_add(json, text, bytes);
		text += bytes ? bytes : 1;
	}
	sc_buffer_add_text(json, "\"");
}

/* @more: another key follows */
static void add_key(struct sc_buffer *json, const char *key, const char *text, bool more)
{
	sc_buffer_printf(json, "\"%s\": ", key);
	if (text)
		add_string(json, text);
	else
		sc_buffer_add_text(json, "null");
	sc_buffer_add_text(json, more ? ", " : "");
}

static void add_list(struct sc_buffer *json, char *const *texts, size_t count)
{
	sc_buffer_add_text(json, "[");
	for (size_t i = 0; i < count; i++) {
		sc_buffer_add_text(json, i ? ", " : "");
		add_string(json, texts[i]);
	}
	sc_buffer_add_text(json, "]");
}

/* What a sweep is gone on with, and run again from: see model/metadata.h. */
static void add_plan(struct sc_buffer *json, const struct sc_sweep *sweep)
{
	const struct sc_plan *plan = sweep->plan;

	sc_buffer_add_text(json, "  \"options\": ");
	add_list(json, sweep->options, sweep->option_count);
	sc_buffer_add_text(json, ",\n  \"suites\": [");
	for (size_t i = 0; i < plan->suite_count; i++) {
		sc_buffer_add_text(json, i ? ", " : "");
		add_string(json, plan->suites[i]->name);
	}
	sc_buffer_add_text(json, "],\n  \"operations\": [");
	for (size_t i = 0; sweep->operations_of && i < plan->cell_count; i++)
		sc_buffer_printf(json, "%s%" PRIu64, i ? ", " : "", sweep->operations_of[i]);
	sc_buffer_add_text(json, "],\n");
}

static void add_environment(struct sc_buffer *json)
{
	bool first = true;

	sc_buffer_add_text(json, "  \"environment\": {");
	for (size_t i = 0; i < SC_ARRAY_COUNT(variables); i++) {
		const char *value = getenv(variables[i]);

		if (!value)
			continue;
		sc_buffer_add_text(json, first ? "" : ", ");
		add_key(json, variables[i], value, false);
		first = false;
	}
	sc_buffer_add_text(json, "},\n");
}

static void add_tool(struct sc_buffer *json, const struct sc_sweep *sweep)
{
	sc_buffer_add_text(json, "  \"tool\": {");
	add_key(json, "version", sweep->tool.version, true);
	add_key(json, "commit", sweep->tool.commit, true);
	sc_buffer_printf(json, "\"dirty\": %s, ", sweep->tool.dirty ? "true" : "false");
	add_key(json, "build", sweep->tool.build, false);
	sc_buffer_add_text(json, "},\n");
}

static void add_host(struct sc_buffer *json, const struct sc_report_head *head)
{
	sc_buffer_add_text(json, "  \"host\": {");
	add_key(json, "label", head->host_label, true);
	add_key(json, "kernel", head->kernel, true);
	add_key(json, "cpu", head->cpu, true);
	/* beyond 2^53 neither will ever be */
	sc_buffer_printf(json, "\"cpu_count\": %" PRIu32 ", \"memory_bytes\": %" PRIu64 "},\n",
			 head->cpu_count, head->memory_bytes);
}

static void add_sqlite(struct sc_buffer *json, const struct sc_report_head *head)
{
	sc_buffer_add_text(json, "  \"sqlite\": {");
	add_key(json, "version", head->sqlite_version, true);
	add_key(json, "source_id", head->sqlite_source_id, true);
	sc_buffer_add_text(json, "\"compile_options\": ");
	add_list(json, head->compile_options, head->compile_option_count);
	sc_buffer_add_text(json, "},\n");
}

static void add_targets(struct sc_buffer *json, const struct sc_report_head *head)
{
	sc_buffer_add_text(json, "  \"targets\": {");
	for (size_t i = 0; i < head->target_count; i++) {
		add_string(json, head->targets[i].label);
		sc_buffer_add_text(json, ": ");
		add_string(json, head->targets[i].path);
		sc_buffer_add_text(json, i + 1 < head->target_count ? ", " : "");
	}
	sc_buffer_add_text(json, "}\n");
}

int sc_metadata_format(const struct sc_sweep *sweep, const struct sc_report_head *head,
		       char **ret_text, struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer json = {0};
	SC_CLEANUP(sc_freep) char *directory = getcwd(NULL, 0); /* NULL where it was removed */

	sc_buffer_add_text(&json, "{\n  ");
	add_key(&json, "format", "syncost-metadata-1", true);
	add_key(&json, "started", head->started, false);
	sc_buffer_add_text(&json, ",\n  \"command_line\": ");
	add_list(&json, sweep->tool.argv, (size_t)sweep->tool.argc);
	sc_buffer_add_text(&json, ",\n  ");
	add_key(&json, "directory", directory, false);
	sc_buffer_add_text(&json, ",\n");
	add_plan(&json, sweep);
	add_environment(&json);
	add_tool(&json, sweep);
	add_host(&json, head);
	add_sqlite(&json, head);
	add_targets(&json, head);
	sc_buffer_add_text(&json, "}\n");
	return sc_buffer_take(&json, ret_text, error);
}
