/* SPDX-License-Identifier: MIT */

/*
 * metadata.json: written once, before the first sample. It is small and has no reader of its own
 * here, so it is put together as text; strings that are no valid UTF-8 (a command line may be) are
 * made valid with U+FFFD, as a JSON file must be.
 */

#include "head.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../base/buffer.h"

/* What can change a figure, and holds no secret. */
static const char *const variables[] = {
	"GLIBC_TUNABLES", "LD_LIBRARY_PATH", "LD_PRELOAD",      "MALLOC_ARENA_MAX",
	"SQLITE_TMPDIR",  "TMPDIR",          "XDG_RUNTIME_DIR",
};

/* Bytes of the UTF-8 character at @text, 0 if there is none. Overlong forms are not told apart. */
static size_t character_bytes(const unsigned char *text)
{
	size_t bytes = text[0] < 0x80   ? 1
		       : text[0] < 0xc2 ? 0
		       : text[0] < 0xe0 ? 2
		       : text[0] < 0xf0 ? 3
		       : text[0] < 0xf5 ? 4
					: 0;

	for (size_t i = 1; i < bytes; i++)
		if ((text[i] & 0xc0) != 0x80)
			return 0;
	return bytes;
}

static void add_string(struct sc_buffer *json, const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	sc_buffer_add_text(json, "\"");
	while (*at) {
		size_t bytes = character_bytes(at);

		if (*at == '"' || *at == '\\')
			sc_buffer_printf(json, "\\%c", *at);
		else if (*at < 0x20)
			sc_buffer_printf(json, "\\u%04x", *at);
		else if (bytes == 0)
			sc_buffer_add_text(json, "\xef\xbf\xbd");
		else
			sc_buffer_add(json, at, bytes);
		at += bytes ? bytes : 1;
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
	add_environment(&json);
	add_tool(&json, sweep);
	add_host(&json, head);
	add_sqlite(&json, head);
	add_targets(&json, head);
	sc_buffer_add_text(&json, "}\n");
	return sc_buffer_take(&json, ret_text, error);
}
