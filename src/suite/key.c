/* SPDX-License-Identifier: MIT */

/*
 * One walk over the keys that are there (unknown, twice), one over the table (values, missing).
 * The path is one buffer; going down appends, coming back cuts.
 */

#include "key.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define EXACT_MAX      9007199254740992.0 /* 2^53: a JSON number is a double */
#define NAME_BYTES_MAX 63u
#define TEXT_BYTES_MAX 65536u

size_t sc_key_enter(struct sc_key_reader *reader, const char *key)
{
	size_t length = strlen(reader->path);

	(void)snprintf(reader->path + length, sizeof reader->path - length, "%s%s",
		       length > 0 ? "." : "", key);
	return length;
}

size_t sc_key_enter_index(struct sc_key_reader *reader, size_t index)
{
	size_t length = strlen(reader->path);

	(void)snprintf(reader->path + length, sizeof reader->path - length, "[%zu]", index);
	return length;
}

void sc_key_leave(struct sc_key_reader *reader, size_t length)
{
	reader->path[length] = '\0';
}

int sc_key_fail(struct sc_key_reader *reader, const char *format, ...)
{
	char must[200];
	va_list arguments;

	va_start(arguments, format);
	(void)vsnprintf(must, sizeof must, format, arguments);
	va_end(arguments);
	if (!reader->path[0])
		return sc_fail(reader->error, SC_E_FORMAT, "%s: %s", reader->origin, must);
	return sc_fail(reader->error, SC_E_FORMAT, "%s: %s: %s", reader->origin, reader->path,
		       must);
}

int sc_key_memory(struct sc_key_reader *reader)
{
	return sc_fail(reader->error, -ENOMEM, "reading %s", reader->origin);
}

static bool is_integer(const cJSON *item)
{
	return cJSON_IsNumber(item) && fabs(item->valuedouble) <= EXACT_MAX &&
	       item->valuedouble == floor(item->valuedouble);
}

const char *sc_key_type(const cJSON *item)
{
	if (is_integer(item))
		return "an integer";
	if (cJSON_IsNumber(item))
		return "a number";
	if (cJSON_IsString(item))
		return "a string";
	if (cJSON_IsBool(item))
		return cJSON_IsTrue(item) ? "true" : "false";
	if (cJSON_IsArray(item))
		return "an array";
	if (cJSON_IsObject(item))
		return "an object";
	return "null";
}

int sc_key_text(struct sc_key_reader *reader, const cJSON *item, size_t min, size_t max,
		char **ret_text)
{
	size_t bytes;
	char *text;

	if (!cJSON_IsString(item))
		return sc_key_fail(reader, "must be a string, is %s", sc_key_type(item));
	bytes = strlen(item->valuestring);
	if (bytes < min)
		return sc_key_fail(reader, "must not be empty");
	if (bytes > max)
		return sc_key_fail(reader, "must be at most %zu bytes, is %zu", max, bytes);
	text = strdup(item->valuestring);
	if (!text)
		return sc_key_memory(reader);
	free(*ret_text);
	*ret_text = text;
	return 0;
}

static bool is_name(const char *text)
{
	if (!text[0] || (text[0] >= '0' && text[0] <= '9'))
		return false;
	return text[strspn(text,
			   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789")] ==
	       '\0';
}

int sc_key_name(struct sc_key_reader *reader, const char *text, char **ret_name)
{
	char *name;

	if (!is_name(text) || strlen(text) > NAME_BYTES_MAX)
		return sc_key_fail(reader,
				   "must be at most %u letters, digits and _, no digit first",
				   NAME_BYTES_MAX);
	name = strdup(text);
	if (!name)
		return sc_key_memory(reader);
	free(*ret_name);
	*ret_name = name;
	return 0;
}

static int read_integer(struct sc_key_reader *reader, const cJSON *item, const struct sc_key *key,
			int64_t *ret_value)
{
	int64_t value;

	if (!is_integer(item))
		return sc_key_fail(reader, "must be an integer, is %s", sc_key_type(item));
	value = (int64_t)item->valuedouble;
	if (value < key->min || value > key->max)
		return sc_key_fail(
			reader, "must be an integer from %" PRId64 " to %" PRId64 ", is %" PRId64,
			key->min, key->max, value);
	*ret_value = value;
	return 0;
}

static int read_choice(struct sc_key_reader *reader, const cJSON *item, const struct sc_key *key,
		       int *ret_choice)
{
	char names[160] = "";
	size_t length = 0;

	if (!cJSON_IsString(item))
		return sc_key_fail(reader, "must be a string, is %s", sc_key_type(item));
	for (int i = 0; key->choices[i]; i++) {
		if (strcmp(key->choices[i], item->valuestring) == 0) {
			*ret_choice = i;
			return 0;
		}
		length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
					   i > 0 ? ", " : "", key->choices[i]);
		assert(length < sizeof names);
	}
	return sc_key_fail(reader, "must be one of %s, is \"%.60s\"", names, item->valuestring);
}

int sc_key_value(struct sc_key_reader *reader, const cJSON *item, const struct sc_key *key,
		 void *into)
{
	void *at = (char *)into + key->offset;
	int64_t value = 0;
	int r;

	switch (key->kind) {
	case SC_KEY_U64:
		r = read_integer(reader, item, key, &value);
		if (r == 0)
			*(uint64_t *)at = (uint64_t)value;
		return r;
	case SC_KEY_U32:
		r = read_integer(reader, item, key, &value);
		if (r == 0)
			*(uint32_t *)at = (uint32_t)value;
		return r;
	case SC_KEY_I64:
		return read_integer(reader, item, key, at);
	case SC_KEY_REAL:
		if (!cJSON_IsNumber(item) || !isfinite(item->valuedouble))
			return sc_key_fail(reader, "must be a number, is %s", sc_key_type(item));
		if (item->valuedouble < (double)key->min || item->valuedouble > (double)key->max)
			return sc_key_fail(
				reader, "must be a number from %" PRId64 " to %" PRId64 ", is %g",
				key->min, key->max, item->valuedouble);
		*(double *)at = item->valuedouble;
		return 0;
	case SC_KEY_BOOL:
		if (!cJSON_IsBool(item))
			return sc_key_fail(reader, "must be true or false, is %s",
					   sc_key_type(item));
		*(bool *)at = cJSON_IsTrue(item);
		return 0;
	case SC_KEY_TEXT:
		return sc_key_text(reader, item, 1, TEXT_BYTES_MAX, at);
	case SC_KEY_NAME:
		if (!cJSON_IsString(item))
			return sc_key_fail(reader, "must be a string, is %s", sc_key_type(item));
		return sc_key_name(reader, item->valuestring, at);
	case SC_KEY_CHOICE:
		return read_choice(reader, item, key, at);
	case SC_KEY_OBJECT:
		return key->read(reader, item, into);
	}
	return 0;
}

static bool in_table(const struct sc_key *keys, size_t key_count, const char *name)
{
	for (size_t i = 0; i < key_count; i++)
		if (strcmp(keys[i].key, name) == 0)
			return true;
	return false;
}

static void hint_keys(struct sc_key_reader *reader, const struct sc_key *keys, size_t key_count)
{
	char names[sizeof reader->error->next] = "";
	size_t length = 0;

	for (size_t i = 0; i < key_count && length < sizeof names; i++)
		length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
					   i > 0 ? ", " : "", keys[i].key);
	(void)sc_hint(reader->error, "keys here: %s", names);
}

/* Every key that is there must be known, and there once. */
static int check_names(struct sc_key_reader *reader, const cJSON *object, const struct sc_key *keys,
		       size_t key_count)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, object)
	{
		size_t length = sc_key_enter(reader, item->string);

		if (!in_table(keys, key_count, item->string)) {
			int r = sc_key_fail(reader, "is not a key that is known here");

			hint_keys(reader, keys, key_count);
			return r;
		}
		if (cJSON_GetObjectItemCaseSensitive(object, item->string) != item)
			return sc_key_fail(reader, "is given twice");
		sc_key_leave(reader, length);
	}
	return 0;
}

int sc_keys_read(struct sc_key_reader *reader, const cJSON *object, const struct sc_key *keys,
		 size_t key_count, void *into, uint64_t *ret_seen)
{
	uint64_t seen = 0;
	int r;

	assert(key_count <= 64);
	if (!cJSON_IsObject(object))
		return sc_key_fail(reader, "must be an object, is %s", sc_key_type(object));
	r = check_names(reader, object, keys, key_count);
	if (r < 0)
		return r;
	for (size_t i = 0; i < key_count; i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, keys[i].key);
		size_t length = sc_key_enter(reader, keys[i].key);

		if (!item && keys[i].required)
			return sc_key_fail(reader, "is missing");
		r = item ? sc_key_value(reader, item, &keys[i], into) : 0;
		if (r < 0)
			return r;
		seen |= (uint64_t)(item != NULL) << i;
		sc_key_leave(reader, length);
	}
	if (ret_seen)
		*ret_seen = seen;
	return 0;
}

int sc_key_array(struct sc_key_reader *reader, const cJSON *item, size_t min, size_t max,
		 size_t *ret_count)
{
	size_t count;

	if (!cJSON_IsArray(item))
		return sc_key_fail(reader, "must be an array, is %s", sc_key_type(item));
	count = (size_t)cJSON_GetArraySize(item);
	if (count < min)
		return sc_key_fail(reader, "must have at least %zu entr%s", min,
				   min == 1 ? "y" : "ies");
	if (count > max)
		return sc_key_fail(reader, "must have at most %zu entries, has %zu", max, count);
	*ret_count = count;
	return 0;
}

int sc_key_texts(struct sc_key_reader *reader, const cJSON *item, size_t min, size_t max,
		 char ***ret_texts, size_t *ret_count)
{
	const cJSON *entry;
	size_t count = 0;
	int r;

	assert(!*ret_texts);
	r = sc_key_array(reader, item, min, max, &count);
	if (r < 0 || count == 0)
		return r;
	*ret_texts = calloc(count, sizeof **ret_texts);
	if (!*ret_texts)
		return sc_key_memory(reader);
	cJSON_ArrayForEach(entry, item)
	{
		size_t length = sc_key_enter_index(reader, *ret_count);

		r = sc_key_text(reader, entry, 1, TEXT_BYTES_MAX, &(*ret_texts)[*ret_count]);
		if (r < 0)
			return r;
		(*ret_count)++;
		sc_key_leave(reader, length);
	}
	return 0;
}
