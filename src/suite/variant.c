/* SPDX-License-Identifier: MIT */

/*
 * A variant is a merge patch (RFC 7396) of its suite's JSON: keys that it has take the place of the
 * suite's, objects are merged, null takes a key away. What comes out is printed and read as a suite
 * of its own, so that nothing behind the loader knows of variants.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "parse.h"

#define VARIANTS_MAX 32u

/* clang-format off */
static const struct sc_key keys[] = {
	{"default", SC_KEY_BOOL, .offset = offsetof(struct sc_suite_variant, in_default_sweep)},
};
/* clang-format on */

const struct sc_key *sc_suite_variant_keys(size_t *ret_count)
{
	*ret_count = SC_ARRAY_COUNT(keys);
	return keys;
}

/* Merged one after the other, the last would hold; a suite refuses both. */
static int check_unique(struct sc_key_reader *reader, const cJSON *patch)
{
	const cJSON *entry;

	cJSON_ArrayForEach(entry, patch)
	{
		size_t length = sc_key_enter(reader, entry->string);
		int r = 0;

		if (cJSON_GetObjectItemCaseSensitive(patch, entry->string) != entry)
			return sc_key_fail(reader, "is given twice");
		if (cJSON_IsObject(entry))
			r = check_unique(reader, entry);
		if (r < 0)
			return r;
		sc_key_leave(reader, length);
	}
	return 0;
}

static int read_variant(struct sc_key_reader *reader, const cJSON *item,
			struct sc_suite_variant *variant)
{
	const cJSON *in_default_sweep;
	size_t length;
	int r = sc_key_name(reader, item->string, &variant->name);

	if (r < 0)
		return r;
	if (strcmp(variant->name, SC_SUITE_BASE) == 0)
		return sc_key_fail(reader, "is what the suite without variants is called");
	if (!cJSON_IsObject(item))
		return sc_key_fail(reader, "must be an object, is %s", sc_key_type(item));
	if (cJSON_GetObjectItemCaseSensitive(item, "name") ||
	    cJSON_GetObjectItemCaseSensitive(item, "variants"))
		return sc_key_fail(reader, "must not change the name, nor have variants");
	r = check_unique(reader, item);
	if (r < 0)
		return r;
	in_default_sweep = cJSON_GetObjectItemCaseSensitive(item, keys[0].key);
	length = sc_key_enter(reader, keys[0].key);
	r = in_default_sweep ? sc_key_value(reader, in_default_sweep, &keys[0], variant) : 0;
	sc_key_leave(reader, r < 0 ? strlen(reader->path) : length);
	return r;
}

int sc_suite_read_variants(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_suite *suite = object;
	const cJSON *entry;

	if (!cJSON_IsObject(item))
		return sc_key_fail(reader, "must be an object, is %s", sc_key_type(item));
	if (cJSON_GetArraySize(item) > (int)VARIANTS_MAX)
		return sc_key_fail(reader, "must have at most %u variants", VARIANTS_MAX);
	suite->variants = calloc((size_t)cJSON_GetArraySize(item) + 1, sizeof(*suite->variants));
	if (!suite->variants)
		return sc_key_memory(reader);
	cJSON_ArrayForEach(entry, item)
	{
		size_t length = sc_key_enter(reader, entry->string);
		int r;

		if (cJSON_GetObjectItemCaseSensitive(item, entry->string) != entry)
			return sc_key_fail(reader, "is given twice");
		suite->variant_count++;
		r = read_variant(reader, entry, &suite->variants[suite->variant_count - 1]);
		if (r < 0)
			return r;
		sc_key_leave(reader, length);
	}
	return 0;
}

/* --- applied */

static void delete_json(cJSON **json)
{
	cJSON_Delete(*json);
}

static void free_text(char **text)
{
	cJSON_free(*text);
}

/* Return: false: no memory. An object that the target does not have is merged into an empty one. */
static bool merge(cJSON *target, const cJSON *patch)
{
	const cJSON *entry;

	cJSON_ArrayForEach(entry, patch)
	{
		cJSON *own = cJSON_GetObjectItemCaseSensitive(target, entry->string);

		if (own && !(cJSON_IsObject(entry) && cJSON_IsObject(own))) {
			cJSON_DeleteItemFromObjectCaseSensitive(target, entry->string);
			own = NULL;
		}
		if (cJSON_IsObject(entry)) {
			if (!own)
				own = cJSON_AddObjectToObject(target, entry->string);
			if (!own || !merge(own, entry))
				return false;
			continue;
		}
		if (!cJSON_IsNull(entry) &&
		    !cJSON_AddItemToObject(target, entry->string, cJSON_Duplicate(entry, true)))
			return false;
	}
	return true;
}

static bool rename_suite(cJSON *json, const char *base, const char *variant)
{
	char name[130];

	(void)snprintf(name, sizeof(name), "%s_%s", base, variant);
	return cJSON_SetValuestring(cJSON_GetObjectItemCaseSensitive(json, "name"), name);
}

static int fail_unknown(const struct sc_suite *base, const char *variant, struct sc_error *error)
{
	char names[sizeof(error->next) - 64] = "";
	size_t length = 0;
	int r = sc_fail(error, SC_E_USAGE, "suite '%s' has no variant '%s'", base->name, variant);

	for (size_t i = 0; i < base->variant_count && length < sizeof(names); i++)
		length += (size_t)snprintf(names + length, sizeof(names) - length, ", %s",
					   base->variants[i].name);
	(void)sc_hint(error, "its variants: " SC_SUITE_BASE "%s", names);
	return r;
}

int sc_suite_vary(const struct sc_suite *base, const char *variant, struct sc_suite **ret_suite,
		  struct sc_error *error)
{
	SC_CLEANUP(delete_json) cJSON *json = cJSON_Parse(base->text);
	SC_CLEANUP(delete_json) cJSON *variants = NULL;
	SC_CLEANUP(free_text) char *text = NULL;
	char origin[200];
	cJSON *patch;

	if (!json) /* it was read before */
		return sc_fail(error, -ENOMEM, "suite '%s'", base->name);
	variants = cJSON_DetachItemFromObjectCaseSensitive(json, "variants");
	(void)snprintf(origin, sizeof(origin), "%s", base->name);
	if (variant) {
		patch = variants ? cJSON_GetObjectItemCaseSensitive(variants, variant) : NULL;
		if (!patch)
			return fail_unknown(base, variant, error);
		cJSON_DeleteItemFromObjectCaseSensitive(patch, keys[0].key);
		(void)snprintf(origin, sizeof(origin), "%s', variant '%s", base->name, variant);
		if (!merge(json, patch) || !rename_suite(json, base->name, variant))
			return sc_fail(error, -ENOMEM, "suite '%s'", base->name);
	}
	text = cJSON_Print(json);
	if (!text)
		return sc_fail(error, -ENOMEM, "suite '%s'", base->name);
	return sc_suite_parse(text, origin, ret_suite, error);
}
