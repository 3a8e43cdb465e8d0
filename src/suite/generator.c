/* SPDX-License-Identifier: MIT */

/*
 * A table of keys for each kind of generator. What a table cannot say (min before max, one of two
 * ways to give a size) is checked after the read by the kind's function.
 */

#include "generator.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define EXACT_MAX 9007199254740992 /* 2^53 */
#define PICK_MAX  1000000          /* of parts, of rows in a run */

static const char *const distribution_names[] = {"uniform", "zipf", "each", NULL};
static const char *const time_unit_names[] = {"s", "ms", "us", "ns", "text", NULL};

static int read_start_time(struct sc_key_reader *reader, const cJSON *item, void *object);
static int read_from(struct sc_key_reader *reader, const cJSON *item, void *object);

#define FIELD(field) offsetof(struct sc_generator, field)

/* clang-format off */
static const struct sc_key sequence_keys[] = {
	{"start", SC_KEY_I64, .offset = FIELD(start), .min = -EXACT_MAX, .max = EXACT_MAX},
	{"step", SC_KEY_I64, .offset = FIELD(step), .min = -EXACT_MAX, .max = EXACT_MAX},
	{"every", SC_KEY_U64, .offset = FIELD(every), .min = 1, .max = EXACT_MAX},
	{"after_dataset", SC_KEY_BOOL, .offset = FIELD(after_dataset)},
};

static const struct sc_key sha256_keys[] = {
	{"start", SC_KEY_I64, .offset = FIELD(start), .min = -EXACT_MAX, .max = EXACT_MAX},
	{"step", SC_KEY_I64, .offset = FIELD(step), .min = -EXACT_MAX, .max = EXACT_MAX},
	{"every", SC_KEY_U64, .offset = FIELD(every), .min = 1, .max = EXACT_MAX},
	{"after_dataset", SC_KEY_BOOL, .offset = FIELD(after_dataset)},
	{"prefix", SC_KEY_TEXT, .offset = FIELD(prefix)},
};

static const struct sc_key uniform_keys[] = {
	{"min", SC_KEY_I64, .offset = FIELD(min), .required = true, .min = -EXACT_MAX, .max = EXACT_MAX},
	{"max", SC_KEY_I64, .offset = FIELD(max), .required = true, .min = -EXACT_MAX, .max = EXACT_MAX},
};

static const struct sc_key zipf_keys[] = {
	{"min", SC_KEY_I64, .offset = FIELD(min), .required = true, .min = -EXACT_MAX, .max = EXACT_MAX},
	{"max", SC_KEY_I64, .offset = FIELD(max), .required = true, .min = -EXACT_MAX, .max = EXACT_MAX},
	{"exponent", SC_KEY_REAL, .offset = FIELD(exponent), .required = true, .min = 0, .max = 10},
	{"scattered", SC_KEY_BOOL, .offset = FIELD(scattered)},
};

enum { INTEGER_VALUE, INTEGER_MIN, INTEGER_MAX };
static const struct sc_key integer_keys[] = {
	[INTEGER_VALUE] = {"value", SC_KEY_I64, .offset = FIELD(min), .min = -EXACT_MAX, .max = EXACT_MAX},
	[INTEGER_MIN] = {"min", SC_KEY_I64, .offset = FIELD(min), .min = -EXACT_MAX, .max = EXACT_MAX},
	[INTEGER_MAX] = {"max", SC_KEY_I64, .offset = FIELD(max), .min = -EXACT_MAX, .max = EXACT_MAX},
};

static const struct sc_key real_keys[] = {
	{"min", SC_KEY_REAL, .offset = FIELD(real_min), .required = true, .min = -EXACT_MAX, .max = EXACT_MAX},
	{"max", SC_KEY_REAL, .offset = FIELD(real_max), .required = true, .min = -EXACT_MAX, .max = EXACT_MAX},
};

enum { BYTES, BYTES_MIN, BYTES_MAX };
static const struct sc_key bytes_keys[] = {
	[BYTES] = {"bytes", SC_KEY_U64, .offset = FIELD(bytes_min), .max = SC_SUITE_VALUE_BYTES_MAX},
	[BYTES_MIN] = {"min_bytes", SC_KEY_U64, .offset = FIELD(bytes_min), .max = SC_SUITE_VALUE_BYTES_MAX},
	[BYTES_MAX] = {"max_bytes", SC_KEY_U64, .offset = FIELD(bytes_max), .max = SC_SUITE_VALUE_BYTES_MAX},
};

static const struct sc_key timestamp_keys[] = {
	{"start", SC_KEY_OBJECT, .required = true, .read = read_start_time},
	{"per_second", SC_KEY_REAL, .offset = FIELD(per_second), .required = true, .max = 1000000000},
	{"unit", SC_KEY_CHOICE, .offset = FIELD(unit), .choices = time_unit_names},
	{"after_dataset", SC_KEY_BOOL, .offset = FIELD(after_dataset)},
};

enum { PICK_OF, PICK_DISTRIBUTION, PICK_EXPONENT, PICK_SCATTERED, PICK_PARTS, PICK_RUN };
static const struct sc_key pick_keys[] = {
	[PICK_OF] = {"of", SC_KEY_NAME, .offset = FIELD(of)},
	[PICK_DISTRIBUTION] = {"distribution", SC_KEY_CHOICE, .offset = FIELD(distribution), .choices = distribution_names},
	[PICK_EXPONENT] = {"exponent", SC_KEY_REAL, .offset = FIELD(exponent), .min = 0, .max = 10},
	[PICK_SCATTERED] = {"scattered", SC_KEY_BOOL, .offset = FIELD(scattered)},
	[PICK_PARTS] = {"parts", SC_KEY_U64, .offset = FIELD(parts), .min = 1, .max = PICK_MAX},
	[PICK_RUN] = {"run", SC_KEY_U64, .offset = FIELD(run), .min = 1, .max = PICK_MAX},
};

static const struct sc_key name_keys[] = {
	{"prefix", SC_KEY_NAME, .offset = FIELD(prefix), .required = true},
	{"from", SC_KEY_OBJECT, .required = true, .read = read_from},
};
/* clang-format on */

#define SEEN(mask, index) (((mask) >> (index)) & 1u)

static int check_order(struct sc_key_reader *reader, const char *key, bool in_order)
{
	if (in_order)
		return 0;
	(void)sc_key_enter(reader, key);
	return sc_key_fail(reader, "must not be below its minimum");
}

static int check_exponent(struct sc_key_reader *reader, double exponent)
{
	if (exponent > 0)
		return 0;
	(void)sc_key_enter(reader, "exponent");
	return sc_key_fail(reader, "must be above 0");
}

static int check_uniform(struct sc_key_reader *reader, struct sc_generator *self, uint64_t seen)
{
	(void)seen;
	return check_order(reader, "max", self->min <= self->max);
}

static int check_zipf(struct sc_key_reader *reader, struct sc_generator *self, uint64_t seen)
{
	int r = check_uniform(reader, self, seen);

	return r < 0 ? r : check_exponent(reader, self->exponent);
}

static int check_integer(struct sc_key_reader *reader, struct sc_generator *self, uint64_t seen)
{
	bool constant = SEEN(seen, INTEGER_VALUE);
	bool range = SEEN(seen, INTEGER_MIN) && SEEN(seen, INTEGER_MAX);

	if (constant == range || (constant && (seen >> INTEGER_MIN) != 0))
		return sc_key_fail(reader, "must have value, or min and max");
	if (constant)
		self->max = self->min;
	return check_order(reader, "max", self->min <= self->max);
}

static int check_real(struct sc_key_reader *reader, struct sc_generator *self, uint64_t seen)
{
	(void)seen;
	return check_order(reader, "max", self->real_min <= self->real_max);
}

static int check_bytes(struct sc_key_reader *reader, struct sc_generator *self, uint64_t seen)
{
	bool constant = SEEN(seen, BYTES);
	bool range = SEEN(seen, BYTES_MIN) && SEEN(seen, BYTES_MAX);

	if (constant == range || (constant && (seen >> BYTES_MIN) != 0))
		return sc_key_fail(reader, "must have bytes, or min_bytes and max_bytes");
	if (constant)
		self->bytes_max = self->bytes_min;
	return check_order(reader, "max_bytes", self->bytes_min <= self->bytes_max);
}

static int check_timestamp(struct sc_key_reader *reader, struct sc_generator *self, uint64_t seen)
{
	(void)seen;
	if (self->per_second > 0)
		return 0;
	(void)sc_key_enter(reader, "per_second");
	return sc_key_fail(reader, "must be above 0");
}

static int check_pick(struct sc_key_reader *reader, struct sc_generator *self, uint64_t seen)
{
	if (self->distribution == SC_DISTRIBUTION_ZIPF) {
		if (!SEEN(seen, PICK_EXPONENT))
			return sc_key_fail(reader,
					   "must have an exponent for the zipf distribution");
		return check_exponent(reader, self->exponent);
	}
	if (SEEN(seen, PICK_EXPONENT))
		return sc_key_fail(reader, "exponent is for the zipf distribution");
	if (SEEN(seen, PICK_SCATTERED) && self->distribution != SC_DISTRIBUTION_EACH)
		return sc_key_fail(reader, "scattered is for the distributions zipf and each");
	return 0;
}

static const struct {
	const char *name;
	const struct sc_key *keys;
	size_t key_count;
	int (*check)(struct sc_key_reader *reader, struct sc_generator *self, uint64_t seen);
} kinds[] = {
#define KIND(name, table, check)                                                                   \
	{                                                                                          \
		name, table, SC_ARRAY_COUNT(table), check                                          \
	}
	[SC_GENERATOR_SEQUENCE] = KIND("sequence", sequence_keys, NULL),
	[SC_GENERATOR_UNIFORM] = KIND("uniform", uniform_keys, check_uniform),
	[SC_GENERATOR_ZIPF] = KIND("zipf", zipf_keys, check_zipf),
	[SC_GENERATOR_INTEGER] = KIND("integer", integer_keys, check_integer),
	[SC_GENERATOR_REAL] = KIND("real", real_keys, check_real),
	[SC_GENERATOR_TEXT] = KIND("text", bytes_keys, check_bytes),
	[SC_GENERATOR_BLOB] = KIND("blob", bytes_keys, check_bytes),
	[SC_GENERATOR_SHA256] = KIND("sha256", sha256_keys, NULL),
	[SC_GENERATOR_TIMESTAMP] = KIND("timestamp", timestamp_keys, check_timestamp),
	[SC_GENERATOR_PICK] = KIND("pick", pick_keys, check_pick),
	[SC_GENERATOR_NAME] = KIND("name", name_keys, NULL),
#undef KIND
};

static_assert(SC_ARRAY_COUNT(kinds) == SC_GENERATOR_COUNT_, "a row a kind");

const char *sc_generator_name(enum sc_generator_kind kind)
{
	return kinds[kind].name;
}

const struct sc_key *sc_generator_keys(enum sc_generator_kind kind, size_t *ret_count)
{
	*ret_count = kinds[kind].key_count;
	return kinds[kind].keys;
}

bool sc_generator_is_integer(const struct sc_generator *generator,
			     const struct sc_generator *picked)
{
	switch (generator->kind) {
	case SC_GENERATOR_SEQUENCE:
	case SC_GENERATOR_UNIFORM:
	case SC_GENERATOR_ZIPF:
	case SC_GENERATOR_INTEGER:
		return true;
	case SC_GENERATOR_TIMESTAMP:
		return generator->unit != SC_TIME_TEXT;
	case SC_GENERATOR_PICK:
		return !generator->of || (picked && sc_generator_is_integer(picked, NULL));
	case SC_GENERATOR_REAL:
	case SC_GENERATOR_TEXT:
	case SC_GENERATOR_BLOB:
	case SC_GENERATOR_SHA256:
	case SC_GENERATOR_NAME:
	case SC_GENERATOR_COUNT_:
		return false;
	}
	return false;
}

static int read_start_time(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_generator *self = object;
	struct tm tm = {0};
	const char *end;

	if (!cJSON_IsString(item))
		return sc_key_fail(reader, "must be a string, is %s", sc_key_type(item));
	end = strptime(item->valuestring, "%Y-%m-%dT%H:%M:%SZ", &tm);
	if (!end || *end || tm.tm_year < 70 || tm.tm_year > 299)
		return sc_key_fail(reader, "must be a time of 1970 to 2199 in UTC like "
					   "2024-01-31T00:00:00Z");
	self->start_ns = (int64_t)timegm(&tm) * 1000000000;
	return 0;
}

static int read_from(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_generator *self = object;
	int r;

	r = sc_generator_read(reader, item, &self->from);
	if (r < 0)
		return r;
	if (!sc_generator_is_integer(self->from, NULL))
		return sc_key_fail(reader, "must be a generator of integers");
	return 0;
}

static int read_kind(struct sc_key_reader *reader, const cJSON *object,
		     enum sc_generator_kind *ret_kind)
{
	const cJSON *name = cJSON_GetObjectItemCaseSensitive(object, "generator");
	char names[160] = "";
	size_t length = 0;

	if (!cJSON_IsObject(object))
		return sc_key_fail(reader, "must be an object, is %s", sc_key_type(object));
	(void)sc_key_enter(reader, "generator");
	if (!name)
		return sc_key_fail(reader, "is missing");
	if (!cJSON_IsString(name))
		return sc_key_fail(reader, "must be a string, is %s", sc_key_type(name));
	for (size_t i = 0; i < SC_GENERATOR_COUNT_; i++) {
		if (strcmp(kinds[i].name, name->valuestring) == 0) {
			*ret_kind = (enum sc_generator_kind)i;
			return 0;
		}
		length += (size_t)snprintf(names + length, sizeof names - length, "%s%s",
					   i > 0 ? ", " : "", kinds[i].name);
		assert(length < sizeof names);
	}
	return sc_key_fail(reader, "must be one of %s", names);
}

/* The object's keys without "generator", which every kind has. */
static int read_keys(struct sc_key_reader *reader, const cJSON *object, struct sc_generator *self)
{
	cJSON *copy = cJSON_Duplicate(object, true);
	uint64_t seen = 0;
	int r;

	if (!copy)
		return sc_key_memory(reader);
	cJSON_DeleteItemFromObjectCaseSensitive(copy, "generator");
	r = sc_keys_read(reader, copy, kinds[self->kind].keys, kinds[self->kind].key_count, self,
			 &seen);
	cJSON_Delete(copy);
	if (r == 0 && kinds[self->kind].check)
		r = kinds[self->kind].check(reader, self, seen);
	return r;
}

int sc_generator_read(struct sc_key_reader *reader, const cJSON *object,
		      struct sc_generator **ret_generator)
{
	SC_CLEANUP(sc_generator_freep) struct sc_generator *self = NULL;
	size_t length = strlen(reader->path);
	int r;

	self = calloc(1, sizeof *self);
	if (!self)
		return sc_key_memory(reader);
	self->start = 1;
	self->step = 1;
	self->every = 1;
	self->parts = 1;
	self->run = 1;
	self->unit = SC_TIME_MS;

	r = read_kind(reader, object, &self->kind);
	if (r < 0)
		return r;
	sc_key_leave(reader, length);
	r = read_keys(reader, object, self);
	if (r < 0)
		return r;
	sc_generator_freep(ret_generator);
	*ret_generator = SC_TAKE(self);
	return 0;
}

void sc_generator_freep(struct sc_generator **generator)
{
	struct sc_generator *self = *generator;

	if (self) {
		sc_generator_freep(&self->from);
		free(self->of);
		free(self->prefix);
		free(self);
	}
	*generator = NULL;
}
