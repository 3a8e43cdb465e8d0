/* SPDX-License-Identifier: MIT */

/*
 * A field row says key, kind and offset; writing and reading walk the same rows, so that what is
 * written can be read. An integer is a JSON number up to 2^53 and a string of digits beyond:
 * the limit below which a double holds every integer.
 */

#include "json-field.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../base/utf8.h"
#include "syncost/meter.h"

#define EXACT_MAX 9007199254740992.0 /* 2^53 */

static const void *field_of(const void *base, const struct sc_json_field *field)
{
	return (const char *)base + field->offset;
}

bool sc_json_put_u64(cJSON *object, const char *key, uint64_t value)
{
	char text[24];

	if (value <= (uint64_t)EXACT_MAX)
		return cJSON_AddNumberToObject(object, key, (double)value) != NULL;
	(void)snprintf(text, sizeof text, "%" PRIu64, value);
	return cJSON_AddStringToObject(object, key, text) != NULL;
}

bool sc_json_put_i64(cJSON *object, const char *key, int64_t value)
{
	char text[24];

	if (value >= -(int64_t)EXACT_MAX && value <= (int64_t)EXACT_MAX)
		return cJSON_AddNumberToObject(object, key, (double)value) != NULL;
	(void)snprintf(text, sizeof text, "%" PRId64, value);
	return cJSON_AddStringToObject(object, key, text) != NULL;
}

cJSON *sc_json_new_text(const char *text)
{
	SC_CLEANUP(sc_freep) char *repaired = NULL;

	if (sc_utf8_is_valid(text))
		return cJSON_CreateString(text);
	repaired = sc_utf8_repair(text);
	return repaired ? cJSON_CreateString(repaired) : NULL;
}

/* Takes @item, which is NULL where there was no memory for it. */
static bool put_item(cJSON *object, const char *key, cJSON *item)
{
	if (item && object && cJSON_AddItemToObject(object, key, item))
		return true;
	cJSON_Delete(item);
	return false;
}

bool sc_json_put_text(cJSON *object, const char *key, const char *text)
{
	if (!text)
		return cJSON_AddNullToObject(object, key) != NULL;
	return put_item(object, key, sc_json_new_text(text));
}

/* cJSON prints bytes as they are, whether they are text or not. */
static bool put_path(cJSON *object, const char *key, const char *path)
{
	if (!path)
		return cJSON_AddNullToObject(object, key) != NULL;
	return cJSON_AddStringToObject(object, key, path) != NULL;
}

static bool put_field(cJSON *object, const struct sc_json_field *field, const void *from)
{
	const void *at = field_of(from, field);

	switch (field->kind) {
	case SC_JSON_U64:
		return sc_json_put_u64(object, field->key, *(const uint64_t *)at);
	case SC_JSON_U32:
		return sc_json_put_u64(object, field->key, *(const uint32_t *)at);
	case SC_JSON_I64:
		return sc_json_put_i64(object, field->key, *(const int64_t *)at);
	case SC_JSON_BOOL:
		return cJSON_AddBoolToObject(object, field->key, *(const bool *)at) != NULL;
	case SC_JSON_TEXT:
		return sc_json_put_text(object, field->key, *(char *const *)at);
	case SC_JSON_PATH:
		return put_path(object, field->key, *(char *const *)at);
	}
	return false;
}

bool sc_json_put_fields(cJSON *object, const struct sc_json_field *fields, size_t count,
			const void *from)
{
	for (size_t i = 0; i < count; i++)
		if (!put_field(object, &fields[i], from))
			return false;
	return true;
}

bool sc_json_put_absent(cJSON *object, const char *key, enum sc_status status, const char *reason)
{
	cJSON *absent = cJSON_AddObjectToObject(object, key);

	return sc_json_put_text(absent, "status", sc_status_name(status)) &&
	       sc_json_put_text(absent, "reason", reason);
}

bool sc_json_put_buckets(cJSON *object, const char *key, const uint32_t *buckets)
{
	cJSON *list = cJSON_AddArrayToObject(object, key);

	if (!list)
		return false;
	for (uint32_t i = 0; i < SC_HIST_BUCKETS; i++) {
		const double pair[2] = {(double)i, (double)buckets[i]};
		cJSON *item;

		if (buckets[i] == 0)
			continue;
		item = cJSON_CreateDoubleArray(pair, 2);
		if (!item || !cJSON_AddItemToArray(list, item)) {
			cJSON_Delete(item);
			return false;
		}
	}
	return true;
}

static const struct sc_json_field setting_fields[] = {
	{"fullfsync", SC_JSON_BOOL, offsetof(struct sc_setting, fullfsync)},
	{"checkpoint_fullfsync", SC_JSON_BOOL, offsetof(struct sc_setting, checkpoint_fullfsync)},
	{"page_size", SC_JSON_U32, offsetof(struct sc_setting, page_size)},
	{"cache_size", SC_JSON_I64, offsetof(struct sc_setting, cache_size)},
	{"wal_autocheckpoint", SC_JSON_U32, offsetof(struct sc_setting, wal_autocheckpoint)},
	{"mmap_size", SC_JSON_U64, offsetof(struct sc_setting, mmap_size)},
	{"rows_per_commit", SC_JSON_U32, offsetof(struct sc_setting, rows_per_commit)},
};

bool sc_json_put_setting(cJSON *object, const char *key, const struct sc_setting *setting)
{
	cJSON *child = cJSON_AddObjectToObject(object, key);

	return sc_json_put_text(child, "journal_mode",
				sc_journal_mode_name(setting->journal_mode)) &&
	       sc_json_put_text(child, "synchronous", sc_synchronous_name(setting->synchronous)) &&
	       sc_json_put_text(child, "locking_mode",
				sc_locking_mode_name(setting->locking_mode)) &&
	       sc_json_put_fields(child, setting_fields, SC_ARRAY_COUNT(setting_fields), setting);
}

/* --- reading */

int sc_json_u64_value(const cJSON *item, uint64_t *ret_value)
{
	char *end;

	if (cJSON_IsNumber(item)) {
		double value = item->valuedouble;

		if (!(value >= 0.0 && value <= EXACT_MAX) || value != floor(value))
			return 1;
		*ret_value = (uint64_t)value;
		return 0;
	}
	if (!cJSON_IsString(item) || item->valuestring[0] < '0' || item->valuestring[0] > '9')
		return 1;
	errno = 0;
	*ret_value = strtoull(item->valuestring, &end, 10);
	return errno != 0 || *end != '\0';
}

int sc_json_i64_value(const cJSON *item, int64_t *ret_value)
{
	const char *text;
	char *end;

	if (cJSON_IsNumber(item)) {
		double value = item->valuedouble;

		if (!(value >= -EXACT_MAX && value <= EXACT_MAX) || value != floor(value))
			return 1;
		*ret_value = (int64_t)value;
		return 0;
	}
	if (!cJSON_IsString(item))
		return 1;
	text = item->valuestring;
	if (text[text[0] == '-'] < '0' || text[text[0] == '-'] > '9')
		return 1;
	errno = 0;
	*ret_value = strtoll(text, &end, 10);
	return errno != 0 || *end != '\0';
}

int sc_json_fail(struct sc_json_place place, const char *key, const char *must,
		 struct sc_error *error)
{
	return sc_fail(error, SC_E_FORMAT, "%s: %s%s%s: %s", place.subject, place.path,
		       place.path[0] ? "." : "", key, must);
}

int sc_json_get_object(const cJSON *object, const char *key, struct sc_json_place place,
		       const cJSON **ret_child, struct sc_error *error)
{
	const cJSON *child = cJSON_GetObjectItemCaseSensitive(object, key);

	if (!cJSON_IsObject(child))
		return sc_json_fail(place, key, "must be an object", error);
	*ret_child = child;
	return 0;
}

/* NULL, or what the value must be. */
static const char *get_field(const cJSON *item, const struct sc_json_field *field, void *at,
			     bool *ret_memory)
{
	uint64_t value;

	switch (field->kind) {
	case SC_JSON_U64:
		return sc_json_u64_value(item, at) ? "must be an integer from 0" : NULL;
	case SC_JSON_U32:
		if (sc_json_u64_value(item, &value) || value > UINT32_MAX)
			return "must be an integer from 0 to 4294967295";
		*(uint32_t *)at = (uint32_t)value;
		return NULL;
	case SC_JSON_I64:
		return sc_json_i64_value(item, at) ? "must be an integer" : NULL;
	case SC_JSON_BOOL:
		*(bool *)at = cJSON_IsTrue(item);
		return cJSON_IsBool(item) ? NULL : "must be true or false";
	case SC_JSON_TEXT:
	case SC_JSON_PATH:
		if (cJSON_IsNull(item))
			return NULL;
		if (!cJSON_IsString(item))
			return "must be a text or null";
		free(*(char **)at);
		*(char **)at = strdup(item->valuestring);
		*ret_memory = *(char **)at != NULL;
		return NULL;
	}
	return "is of no known kind";
}

/* Fields were written in the order in which they are read: most often it is the next one. */
static const cJSON *find_after(const cJSON *last, const cJSON *object, const char *key)
{
	if (last && last->next && last->next->string && strcmp(last->next->string, key) == 0)
		return last->next;
	return cJSON_GetObjectItemCaseSensitive(object, key);
}

int sc_json_get_fields(const cJSON *object, const struct sc_json_field *fields, size_t count,
		       void *into, struct sc_json_place place, struct sc_error *error)
{
	const cJSON *item = NULL;

	for (size_t i = 0; i < count; i++) {
		bool memory = true;
		const char *must;

		item = find_after(item, object, fields[i].key);
		if (!item)
			return sc_json_fail(place, fields[i].key, "is missing", error);
		must = get_field(item, &fields[i], (char *)into + fields[i].offset, &memory);
		if (must)
			return sc_json_fail(place, fields[i].key, must, error);
		if (!memory)
			return sc_fail(error, -ENOMEM, "reading %s", place.subject);
	}
	return 0;
}

bool sc_json_is_absent(const cJSON *item, enum sc_status *ret_status, char *reason,
		       size_t reason_bytes)
{
	const cJSON *status = cJSON_GetObjectItemCaseSensitive(item, "status");
	const cJSON *why = cJSON_GetObjectItemCaseSensitive(item, "reason");

	if (!cJSON_IsString(status))
		return false;
	for (int i = 0; i < SC_STATUS_COUNT_; i++) {
		if (strcmp(status->valuestring, sc_status_name((enum sc_status)i)) != 0)
			continue;
		*ret_status = (enum sc_status)i;
		(void)snprintf(reason, reason_bytes, "%s",
			       cJSON_IsString(why) ? why->valuestring : "");
		return true;
	}
	return false;
}

int sc_json_get_buckets(const cJSON *object, const char *key, struct sc_json_place place,
			uint32_t **ret_buckets, struct sc_error *error)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, key);
	SC_CLEANUP(sc_freep) uint32_t *buckets = NULL;
	const cJSON *pair;

	if (!cJSON_IsArray(list))
		return sc_json_fail(place, key, "must be an array of [index, count]", error);
	buckets = calloc(SC_HIST_BUCKETS, sizeof *buckets);
	if (!buckets)
		return sc_fail(error, -ENOMEM, "reading %s", place.subject);

	cJSON_ArrayForEach(pair, list)
	{
		uint64_t index, n;

		if (cJSON_GetArraySize(pair) != 2 ||
		    sc_json_u64_value(cJSON_GetArrayItem(pair, 0), &index) ||
		    sc_json_u64_value(cJSON_GetArrayItem(pair, 1), &n) ||
		    index >= SC_HIST_BUCKETS || n > UINT32_MAX)
			return sc_json_fail(place, key, "has an entry that is not [index, count]",
					    error);
		buckets[index] = (uint32_t)n;
	}
	free(*ret_buckets);
	*ret_buckets = SC_TAKE(buckets);
	return 0;
}

static const char *text_of(const cJSON *object, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, key);

	return cJSON_IsString(item) ? item->valuestring : "";
}

int sc_json_get_setting(const cJSON *object, const char *key, struct sc_json_place place,
			struct sc_setting *ret_setting, struct sc_error *error)
{
	struct sc_setting setting = {0};
	const cJSON *child = NULL;
	int r;

	r = sc_json_get_object(object, key, place, &child, error);
	if (r < 0)
		return r;
	place.path = key;
	if (!sc_journal_mode_parse(text_of(child, "journal_mode"), &setting.journal_mode))
		return sc_json_fail(place, "journal_mode", "must be a journal mode", error);
	if (!sc_synchronous_parse(text_of(child, "synchronous"), &setting.synchronous))
		return sc_json_fail(place, "synchronous", "must be off, normal, full or extra",
				    error);
	if (!sc_locking_mode_parse(text_of(child, "locking_mode"), &setting.locking_mode))
		return sc_json_fail(place, "locking_mode", "must be normal or exclusive", error);
	r = sc_json_get_fields(child, setting_fields, SC_ARRAY_COUNT(setting_fields), &setting,
			       place, error);
	if (r < 0)
		return r;
	*ret_setting = setting;
	return 0;
}
