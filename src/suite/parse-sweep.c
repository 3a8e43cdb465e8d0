/* SPDX-License-Identifier: MIT */

/* The lists that a sweep of the suite varies: each holds what an option of the sweep would. */

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "parse.h"

#define VALUES_MAX  64u
#define ROWS_MAX    1000000000
#define CLIENTS_MAX 1000
#define SAMPLES_MIN 6 /* the fewest that give a 95 % interval */
#define SAMPLES_MAX 1000

/* What the items of a list are. */
struct item_kind {
	int64_t min, max;
	const char *(*name)(int64_t value); /* NULL: numbers */
	bool is_flag;
};

static int read_named(struct sc_key_reader *reader, const cJSON *item, const struct item_kind *kind,
		      int64_t *ret_value)
{
	char names[160] = "";
	size_t length = 0;

	if (!cJSON_IsString(item))
		return sc_key_fail(reader, "must be a string, is %s", sc_key_type(item));
	for (int64_t i = kind->min; i <= kind->max; i++) {
		if (strcmp(kind->name(i), item->valuestring) == 0) {
			*ret_value = i;
			return 0;
		}
		length += (size_t)snprintf(names + length, sizeof(names) - length, "%s%s",
					   i > kind->min ? ", " : "", kind->name(i));
		assert(length < sizeof(names));
	}
	return sc_key_fail(reader, "must be one of %s, is \"%.60s\"", names, item->valuestring);
}

static int read_item(struct sc_key_reader *reader, const cJSON *item, const struct item_kind *kind,
		     int64_t *ret_value)
{
	const struct sc_key integer = {"", SC_KEY_I64, .min = kind->min, .max = kind->max};
	const struct sc_key flag = {"", SC_KEY_BOOL, .offset = 0};
	bool is_set = false;
	int r;

	if (kind->name)
		return read_named(reader, item, kind, ret_value);
	if (!kind->is_flag)
		return sc_key_value(reader, item, &integer, ret_value);
	r = sc_key_value(reader, item, &flag, &is_set);
	*ret_value = is_set;
	return r;
}

static bool has_value(const struct sc_suite_values *values, int64_t value)
{
	for (size_t i = 0; i < values->count; i++)
		if (values->items[i] == value)
			return true;
	return false;
}

static int read_list(struct sc_key_reader *reader, const cJSON *item, const struct item_kind *kind,
		     struct sc_suite_values *into)
{
	const cJSON *entry;
	size_t count = 0;
	int r = sc_key_array(reader, item, 1, VALUES_MAX, &count);

	if (r < 0)
		return r;
	into->items = calloc(count, sizeof(*into->items));
	if (!into->items)
		return sc_key_memory(reader);
	cJSON_ArrayForEach(entry, item)
	{
		size_t length = sc_key_enter_index(reader, into->count);
		int64_t value = 0;

		r = read_item(reader, entry, kind, &value);
		if (r == 0 && has_value(into, value))
			r = sc_key_fail(reader, "is in the list already");
		if (r < 0)
			return r;
		into->items[into->count++] = value;
		sc_key_leave(reader, length);
	}
	return 0;
}

static int read_field(struct sc_key_reader *reader, const cJSON *item, const char *name,
		      struct sc_suite *suite)
{
	size_t i = 0;
	struct item_kind kind;

	assert(sc_setting_field_count <= SC_SUITE_FIELDS_MAX);
	while (strcmp(sc_setting_fields[i].name, name) != 0)
		i++;
	kind = (struct item_kind){
		.min = sc_setting_fields[i].min,
		.max = sc_setting_fields[i].max,
		.name = sc_setting_fields[i].value_name,
		.is_flag = sc_setting_fields[i].is_flag,
	};
	return read_list(reader, item, &kind, &suite->sweep.fields[i]);
}

#define FIELD(field)                                                                               \
	static int read_##field(struct sc_key_reader *reader, const cJSON *item, void *object)     \
	{                                                                                          \
		return read_field(reader, item, #field, object);                                   \
	}

FIELD(journal_mode)
FIELD(synchronous)
FIELD(fullfsync)
FIELD(checkpoint_fullfsync)
FIELD(page_size)
FIELD(cache_size)
FIELD(wal_autocheckpoint)
FIELD(locking_mode)
FIELD(mmap_size)
FIELD(rows_per_commit)

static const char *wal_state_name(int64_t value)
{
	return sc_wal_state_name((enum sc_wal_state)value);
}

static int read_wal_state(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	const struct item_kind kind = {.max = SC_WAL_STATE_COUNT_ - 1, .name = wal_state_name};

	return read_list(reader, item, &kind, &((struct sc_suite *)object)->sweep.wal_states);
}

static int read_rows(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	const struct item_kind kind = {.min = 1, .max = ROWS_MAX};

	return read_list(reader, item, &kind, &((struct sc_suite *)object)->sweep.rows);
}

static int read_clients(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	const struct item_kind kind = {.min = 1, .max = CLIENTS_MAX};

	return read_list(reader, item, &kind, &((struct sc_suite *)object)->sweep.clients);
}

/* clang-format off */
static const struct sc_key keys[] = {
	{"samples", SC_KEY_U32, .offset = offsetof(struct sc_suite, sweep.samples), .min = SAMPLES_MIN, .max = SAMPLES_MAX},
	{"rows", SC_KEY_OBJECT, .read = read_rows},
	{"clients", SC_KEY_OBJECT, .read = read_clients},
	{"wal_state", SC_KEY_OBJECT, .read = read_wal_state},
	{"journal_mode", SC_KEY_OBJECT, .read = read_journal_mode},
	{"synchronous", SC_KEY_OBJECT, .read = read_synchronous},
	{"fullfsync", SC_KEY_OBJECT, .read = read_fullfsync},
	{"checkpoint_fullfsync", SC_KEY_OBJECT, .read = read_checkpoint_fullfsync},
	{"page_size", SC_KEY_OBJECT, .read = read_page_size},
	{"cache_size", SC_KEY_OBJECT, .read = read_cache_size},
	{"wal_autocheckpoint", SC_KEY_OBJECT, .read = read_wal_autocheckpoint},
	{"locking_mode", SC_KEY_OBJECT, .read = read_locking_mode},
	{"mmap_size", SC_KEY_OBJECT, .read = read_mmap_size},
	{"rows_per_commit", SC_KEY_OBJECT, .read = read_rows_per_commit},
};
/* clang-format on */

int sc_suite_read_sweep(struct sc_key_reader *reader, const cJSON *item, void *suite)
{
	return sc_keys_read(reader, item, keys, SC_ARRAY_COUNT(keys), suite, NULL);
}

const struct sc_key *sc_suite_sweep_keys(size_t *ret_count)
{
	*ret_count = SC_ARRAY_COUNT(keys);
	return keys;
}

void sc_suite_sweep_fini(struct sc_suite_sweep *sweep)
{
	for (size_t i = 0; i < SC_SUITE_FIELDS_MAX; i++)
		free(sweep->fields[i].items);
	free(sweep->rows.items);
	free(sweep->clients.items);
	free(sweep->wal_states.items);
}
