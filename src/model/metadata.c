/* SPDX-License-Identifier: MIT */
#include "metadata.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/files.h"
#include "json-report-read.h"

#define METADATA_BYTES_MAX (4u << 20) /* a command line is at most 2 MiB */

static int no_memory(struct sc_json_place place, struct sc_error *error)
{
	return sc_fail(error, -ENOMEM, "reading %s", place.subject);
}

static int get_texts(const cJSON *json, const char *key, struct sc_json_place place,
		     char ***ret_texts, size_t *ret_count, struct sc_error *error)
{
	const cJSON *list = NULL, *item;
	int r = sc_report_get_array(json, key, place, &list, error);

	if (r < 0)
		return r;
	*ret_texts = calloc((size_t)cJSON_GetArraySize(list) + 1u, sizeof(**ret_texts));
	if (!*ret_texts)
		return no_memory(place, error);
	cJSON_ArrayForEach(item, list)
	{
		char *text = cJSON_IsString(item) ? strdup(item->valuestring) : NULL;

		if (!cJSON_IsString(item))
			return sc_json_fail(place, key, "must hold texts", error);
		if (!text)
			return no_memory(place, error);
		(*ret_texts)[(*ret_count)++] = text;
	}
	return 0;
}

static int get_operations(const cJSON *json, struct sc_json_place place,
			  struct sc_metadata *metadata, struct sc_error *error)
{
	const cJSON *list = NULL, *item;
	int r = sc_report_get_array(json, "operations", place, &list, error);

	if (r < 0)
		return r;
	metadata->operations =
		calloc((size_t)cJSON_GetArraySize(list) + 1u, sizeof(*metadata->operations));
	if (!metadata->operations)
		return no_memory(place, error);
	cJSON_ArrayForEach(item, list)
	{
		if (sc_json_u64_value(item, &metadata->operations[metadata->operation_count++]))
			return sc_json_fail(place, "operations", "must hold counts", error);
	}
	return 0;
}

static int add_target(const cJSON *item, struct sc_json_place place, struct sc_metadata *metadata,
		      struct sc_error *error)
{
	char *label = strdup(item->string), *path = NULL;

	if (cJSON_IsString(item))
		path = strdup(item->valuestring);
	metadata->labels[metadata->target_count] = label;
	metadata->paths[metadata->target_count++] = path;
	if (!cJSON_IsString(item))
		return sc_json_fail(place, "targets", "must hold a path for each label", error);
	return label && path ? 0 : no_memory(place, error);
}

static int get_targets(const cJSON *json, struct sc_json_place place, struct sc_metadata *metadata,
		       struct sc_error *error)
{
	const cJSON *targets = NULL, *item;
	size_t count;
	int r = sc_json_get_object(json, "targets", place, &targets, error);

	if (r < 0)
		return r;
	count = (size_t)cJSON_GetArraySize(targets);
	metadata->labels = calloc(count + 1u, sizeof(*metadata->labels));
	metadata->paths = calloc(count + 1u, sizeof(*metadata->paths));
	if (!metadata->labels || !metadata->paths)
		return no_memory(place, error);
	cJSON_ArrayForEach(item, targets)
	{
		r = add_target(item, place, metadata, error);
		if (r < 0)
			return r;
	}
	return 0;
}

static int parse(const char *text, const char *path, struct sc_metadata *metadata,
		 struct sc_error *error)
{
	const struct sc_json_place place = {path, ""};
	SC_CLEANUP(sc_json_freep) cJSON *json = cJSON_Parse(text);
	int r;

	if (!cJSON_IsObject(json))
		return sc_fail(error, SC_E_FORMAT, "'%s' is no JSON object", path);
	if (!cJSON_HasObjectItem(json, "options"))
		return sc_fail(error, SC_E_USAGE, "'%s' is of a version that did not keep its plan",
			       path);
	r = get_texts(json, "options", place, &metadata->options, &metadata->option_count, error);
	if (r == 0)
		r = get_texts(json, "suites", place, &metadata->suites, &metadata->suite_count,
			      error);
	if (r == 0)
		r = get_operations(json, place, metadata, error);
	return r < 0 ? r : get_targets(json, place, metadata, error);
}

int sc_metadata_read(const char *folder, struct sc_metadata *ret_metadata, struct sc_error *error)
{
	SC_CLEANUP(sc_metadata_fini) struct sc_metadata metadata = {0};
	SC_CLEANUP(sc_freep) char *path = NULL;
	SC_CLEANUP(sc_freep) char *text = NULL;
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	int r;

	if (asprintf(&path, "%s/metadata.json", folder) < 0) {
		path = NULL; /* undefined after a failure */
		return sc_fail(error, -ENOMEM, "reading '%s'", folder);
	}
	r = sc_file_open_regular(path, &fd, error);
	if (r == 0)
		r = sc_file_read_fd(fd, path, METADATA_BYTES_MAX, &text, NULL, error);
	if (r == -ENOENT || r == -ENOTDIR) {
		(void)sc_fail(error, SC_E_USAGE, "'%s' is no report folder of a sweep", folder);
		return sc_hint(error, "name the folder that holds its metadata.json");
	}
	if (r < 0)
		return r;
	r = parse(text, path, &metadata, error);
	if (r < 0)
		return r;
	*ret_metadata = metadata;
	metadata = (struct sc_metadata){0};
	return 0;
}

static void free_texts(char ***texts, size_t count)
{
	for (size_t i = 0; *texts && i < count; i++)
		free((*texts)[i]);
	free(*texts);
	*texts = NULL;
}

void sc_metadata_fini(struct sc_metadata *metadata)
{
	free_texts(&metadata->options, metadata->option_count);
	free_texts(&metadata->suites, metadata->suite_count);
	sc_freep(&metadata->operations);
	free_texts(&metadata->labels, metadata->target_count);
	free_texts(&metadata->paths, metadata->target_count);
	*metadata = (struct sc_metadata){0};
}
