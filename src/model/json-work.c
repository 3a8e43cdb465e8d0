/* SPDX-License-Identifier: MIT */
#include "json-work.h"

#include <math.h>
#include <stdio.h>

#define NOT_KEPT "the version that wrote it did not measure it"

#define ROWS(table) table, SC_ARRAY_COUNT(table)

/* clang-format off */
static const struct sc_json_field work_fields[] = {
	{"vm_steps",    SC_JSON_U64, offsetof(struct sc_work, vm_steps)},
	{"pages",       SC_JSON_U64, offsetof(struct sc_work, pages)},
	{"page_misses", SC_JSON_U64, offsetof(struct sc_work, page_misses)},
};

static const struct sc_json_field memory_fields[] = {
	{"points", SC_JSON_U32, offsetof(struct sc_memory, points)},
};

static const struct {
	const char *key;
	size_t offset;
} memory_numbers[] = {
	{"heap_bytes_per_op",   offsetof(struct sc_memory, heap_bytes_per_op)},
	{"heap_r2",             offsetof(struct sc_memory, heap_r2)},
	{"sqlite_bytes_per_op", offsetof(struct sc_memory, sqlite_bytes_per_op)},
	{"sqlite_r2",           offsetof(struct sc_memory, sqlite_r2)},
};
/* clang-format on */

bool sc_json_put_work(cJSON *json, const struct sc_work *work)
{
	if (work->status != SC_MEASURED)
		return sc_json_put_absent(json, "work", work->status, work->reason);
	return sc_json_put_fields(cJSON_AddObjectToObject(json, "work"), ROWS(work_fields), work);
}

bool sc_json_put_memory(cJSON *json, const struct sc_memory *memory)
{
	cJSON *child;

	if (memory->status != SC_MEASURED)
		return sc_json_put_absent(json, "memory", memory->status, memory->reason);
	child = cJSON_AddObjectToObject(json, "memory");
	if (!sc_json_put_fields(child, ROWS(memory_fields), memory))
		return false;
	for (size_t i = 0; i < SC_ARRAY_COUNT(memory_numbers); i++) {
		const double *value =
			(const void *)((const char *)memory + memory_numbers[i].offset);

		if (!cJSON_AddNumberToObject(child, memory_numbers[i].key, *value))
			return false;
	}
	return true;
}

/* Return: 0 with *ret_child; 1: it is absent, and why is filled. */
static int get_child(const cJSON *json, const char *key, struct sc_json_place place,
		     const cJSON **ret_child, enum sc_status *ret_status, char *reason,
		     struct sc_error *error)
{
	if (!cJSON_HasObjectItem(json, key)) {
		*ret_status = SC_SKIPPED;
		(void)snprintf(reason, SC_REASON_BYTES, NOT_KEPT);
		return 1;
	}
	if (sc_json_get_object(json, key, place, ret_child, error) < 0)
		return SC_E_FORMAT;
	if (sc_json_is_absent(*ret_child, ret_status, reason, SC_REASON_BYTES))
		return 1;
	*ret_status = SC_MEASURED;
	return 0;
}

int sc_json_get_work(const cJSON *json, struct sc_json_place place, struct sc_work *work,
		     struct sc_error *error)
{
	const cJSON *child = NULL;
	int r = get_child(json, "work", place, &child, &work->status, work->reason, error);

	if (r != 0)
		return r < 0 ? r : 0;
	place.path = "work";
	return sc_json_get_fields(child, ROWS(work_fields), work, place, error);
}

int sc_json_get_memory(const cJSON *json, struct sc_json_place place, struct sc_memory *memory,
		       struct sc_error *error)
{
	const cJSON *child = NULL;
	int r = get_child(json, "memory", place, &child, &memory->status, memory->reason, error);

	if (r != 0)
		return r < 0 ? r : 0;
	place.path = "memory";
	r = sc_json_get_fields(child, ROWS(memory_fields), memory, place, error);
	for (size_t i = 0; r == 0 && i < SC_ARRAY_COUNT(memory_numbers); i++) {
		const char *key = memory_numbers[i].key;
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(child, key);
		double *value = (void *)((char *)memory + memory_numbers[i].offset);

		if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
			return sc_json_fail(place, key, "must be a number", error);
		*value = item->valuedouble;
	}
	return r;
}
