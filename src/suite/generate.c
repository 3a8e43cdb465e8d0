/* SPDX-License-Identifier: MIT */

/*
 * Each parameter has a stream: a state forked from the seed by scope and name. Value i draws from
 * a generator of its own, seeded by the i-th number of that stream.
 *
 * Texts and blobs of a size are slices of a pool of random bytes, each at one of 2^20 places: no
 * copy, no memory for each value, and still nothing that a file system could compress well (six
 * bits of entropy for a byte of text, eight for a blob's).
 *
 * A scattered rank k of n goes through k * a + b mod n with a and n coprime: a bijection that puts
 * neighbours about 0.618 n apart.
 */

#include "generate.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <openssl/sha.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "zipf.h"

#define POOL_PLACES      (1u << 20)
#define SHA256_HEX_BYTES 64u
#define TIME_TEXT_BYTES  24u
#define NS_PER_S         INT64_C(1000000000)
#define TIMESTAMP_S_MAX  2e9 /* after its start, 63 years: nanoseconds since 1970 fit 64 bits */

__extension__ typedef unsigned __int128 wide;

/* --- streams */

struct stream {
	const struct sc_generator *generator;
	struct sc_random random; /* its numbers seed the values */
	uint64_t offset;         /* added to the index of sequences */
	struct sc_zipf zipf;
	uint64_t rank_count;                     /* of zipf and pick */
	uint64_t scatter_factor, scatter_offset; /* 1 and 0: ranks stay where they are */
	const struct stream *of; /* of the dataset, that a pick takes its value from */
	const char *text_pool, *blob_pool;
};

struct sc_stream_set {
	size_t count;
	uint64_t period; /* rows until the first comes again; 0: never */
	struct stream *streams;
	struct stream *inner; /* of `from`, where a stream is a name */
};

struct sc_generation {
	const struct sc_suite *suite;
	uint64_t rows, seed;
	char *text_pool, *blob_pool; /* NULL where no parameter needs one */
	struct sc_stream_set *dataset;
};

static uint64_t greatest_divisor(uint64_t a, uint64_t b)
{
	while (b) {
		uint64_t rest = a % b;

		a = b;
		b = rest;
	}
	return a;
}

static void scatter(struct stream *self, uint64_t seed, const char *name)
{
	struct sc_random random = sc_random_fork(seed, name);
	uint64_t factor = (uint64_t)(0.6180339887498949 * (double)self->rank_count) | 1u;

	while (greatest_divisor(factor, self->rank_count) != 1)
		factor += 2;
	self->scatter_factor = factor;
	self->scatter_offset = sc_random_below(&random, self->rank_count);
}

static const struct stream *find_stream(const struct sc_stream_set *set,
					const struct sc_parameter *parameters, const char *name)
{
	for (size_t i = 0; i < set->count; i++)
		if (strcmp(parameters[i].name, name) == 0)
			return &set->streams[i];
	return NULL;
}

static int init_stream(struct stream *self, const struct sc_generation *generation,
		       const struct sc_generator *generator, const char *name,
		       struct sc_error *error)
{
	bool picks = generator->kind == SC_GENERATOR_PICK;

	assert(!picks || generation->dataset); /* the parser lets workloads alone pick */

	*self = (struct stream){
		.generator = generator,
		.random = sc_random_fork(generation->seed, name),
		.offset = generator->after_dataset ? generation->rows : 0,
		.text_pool = generation->text_pool,
		.blob_pool = generation->blob_pool,
		.scatter_factor = 1,
	};
	if (picks && generation->rows == 0)
		return sc_fail(error, SC_E_FORMAT,
			       "suite '%s': %s picks from a dataset without rows",
			       generation->suite->name, name);
	if (picks && generation->rows < generator->parts * generator->run)
		return sc_fail(error, SC_E_FORMAT,
			       "suite '%s': %s needs at least %" PRIu64 " rows, not %" PRIu64,
			       generation->suite->name, name, generator->parts * generator->run,
			       generation->rows);
	if (picks && generator->of)
		self->of = find_stream(generation->dataset, generation->suite->dataset_parameters,
				       generator->of);
	if (picks)
		self->rank_count = generation->rows / generator->parts - (generator->run - 1);
	else if (generator->kind == SC_GENERATOR_ZIPF)
		self->rank_count = (uint64_t)(generator->max - generator->min) + 1;
	if (generator->exponent > 0 && self->rank_count > 0)
		self->zipf = sc_zipf_init(self->rank_count, generator->exponent);
	if (generator->scattered)
		scatter(self, generation->seed, name);
	return 0;
}

int sc_stream_set_new(const struct sc_generation *generation, const struct sc_parameter *parameters,
		      size_t parameter_count, const char *scope, struct sc_stream_set **ret_set,
		      struct sc_error *error)
{
	SC_CLEANUP(sc_stream_set_freep) struct sc_stream_set *set = NULL;
	char name[256];

	set = calloc(1, sizeof *set);
	if (!set)
		return sc_fail(error, -ENOMEM, "generators of %s", scope);
	set->count = parameter_count;
	set->streams = calloc(parameter_count + 1, sizeof *set->streams);
	set->inner = calloc(parameter_count + 1, sizeof *set->inner);
	if (!set->streams || !set->inner)
		return sc_fail(error, -ENOMEM, "generators of %s", scope);

	for (size_t i = 0; i < parameter_count; i++) {
		const struct sc_generator *generator = parameters[i].generator;
		int r;

		(void)snprintf(name, sizeof name, "%s/%s", scope, parameters[i].name);
		r = init_stream(&set->streams[i], generation, generator, name, error);
		if (r == 0 && generator->from)
			r = init_stream(&set->inner[i], generation, generator->from, name, error);
		if (r < 0)
			return r;
	}
	*ret_set = SC_TAKE(set);
	return 0;
}

void sc_stream_set_repeat(struct sc_stream_set *set, uint64_t period)
{
	set->period = period;
}

void sc_stream_set_freep(struct sc_stream_set **set)
{
	if (*set) {
		free((*set)->streams);
		free((*set)->inner);
		free(*set);
	}
	*set = NULL;
}

/* --- what is shared */

static void find_most(const struct sc_parameter *parameters, size_t count, uint64_t *text_bytes,
		      uint64_t *blob_bytes)
{
	for (size_t i = 0; i < count; i++) {
		const struct sc_generator *generator = parameters[i].generator;

		if (generator->kind == SC_GENERATOR_TEXT && generator->bytes_max >= *text_bytes)
			*text_bytes = generator->bytes_max + 1;
		if (generator->kind == SC_GENERATOR_BLOB && generator->bytes_max >= *blob_bytes)
			*blob_bytes = generator->bytes_max + 1;
	}
}

static char *fill_pool(uint64_t seed, const char *name, uint64_t bytes, bool text)
{
	static const char letters[64] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
					"abcdefghijklmnopqrstuvwxyz0123456789 .";
	struct sc_random random = sc_random_fork(seed, name);
	size_t count = (size_t)(bytes + POOL_PLACES + 7) & ~(size_t)7;
	char *pool = malloc(count);

	for (size_t i = 0; pool && i < count; i += 8) {
		uint64_t number = sc_random_next(&random);

		memcpy(pool + i, &number, 8);
		for (size_t j = 0; text && j < 8; j++, number >>= 8)
			pool[i + j] = letters[number & 63];
	}
	return pool;
}

static int fill_pools(struct sc_generation *self, struct sc_error *error)
{
	const struct sc_suite *suite = self->suite;
	uint64_t text_bytes = 0, blob_bytes = 0;

	find_most(suite->dataset_parameters, suite->dataset_parameter_count, &text_bytes,
		  &blob_bytes);
	for (size_t i = 0; i < suite->schema_count; i++)
		find_most(suite->schema[i].parameters, suite->schema[i].parameter_count,
			  &text_bytes, &blob_bytes);
	for (size_t i = 0; i < suite->workload_count; i++)
		find_most(suite->workloads[i].parameters, suite->workloads[i].parameter_count,
			  &text_bytes, &blob_bytes);
	if (text_bytes > 0) {
		self->text_pool = fill_pool(self->seed, "text", text_bytes, true);
		if (!self->text_pool)
			return sc_fail(error, -ENOMEM, "texts of suite '%s'", suite->name);
	}
	if (blob_bytes > 0) {
		self->blob_pool = fill_pool(self->seed, "blob", blob_bytes, false);
		if (!self->blob_pool)
			return sc_fail(error, -ENOMEM, "blobs of suite '%s'", suite->name);
	}
	return 0;
}

int sc_generation_new(const struct sc_suite *suite, uint64_t rows, uint64_t seed,
		      struct sc_generation **ret_generation, struct sc_error *error)
{
	SC_CLEANUP(sc_generation_freep) struct sc_generation *self = NULL;
	int r;

	self = calloc(1, sizeof *self);
	if (!self)
		return sc_fail(error, -ENOMEM, "generators of suite '%s'", suite->name);
	self->suite = suite;
	self->rows = rows;
	self->seed = seed;
	r = fill_pools(self, error);
	if (r == 0)
		r = sc_stream_set_new(self, suite->dataset_parameters,
				      suite->dataset_parameter_count, "dataset", &self->dataset,
				      error);
	if (r < 0)
		return r;
	*ret_generation = SC_TAKE(self);
	return 0;
}

void sc_generation_freep(struct sc_generation **generation)
{
	struct sc_generation *self = *generation;

	if (self) {
		sc_stream_set_freep(&self->dataset);
		free(self->text_pool);
		free(self->blob_pool);
		free(self);
	}
	*generation = NULL;
}

const struct sc_stream_set *sc_generation_dataset(const struct sc_generation *generation)
{
	return generation->dataset;
}

/* --- values */

static void set_integer(struct sc_value *ret_value, int64_t integer)
{
	ret_value->kind = SC_VALUE_INTEGER;
	ret_value->integer = integer;
}

/* Wraps, as adding and multiplying in two's complement does. */
static int64_t sequence_at(const struct stream *self, uint64_t index)
{
	const struct sc_generator *generator = self->generator;
	uint64_t steps = (index + self->offset) / generator->every;

	return (int64_t)((uint64_t)generator->start + steps * (uint64_t)generator->step);
}

static uint64_t scattered(const struct stream *self, uint64_t rank)
{
	return (uint64_t)(((wide)rank * self->scatter_factor + self->scatter_offset) %
			  self->rank_count);
}

/* From 0; the most frequent first unless scattered. */
static uint64_t rank_at(const struct stream *self, struct sc_random *random)
{
	if (self->generator->exponent <= 0)
		return sc_random_below(random, self->rank_count);
	return scattered(self, sc_zipf_next(&self->zipf, random) - 1);
}

static int64_t between(struct sc_random *random, int64_t min, int64_t max)
{
	uint64_t width = (uint64_t)max - (uint64_t)min + 1; /* at most 2^54 */

	return (int64_t)((uint64_t)min + sc_random_below(random, width));
}

static void slice(const struct sc_generator *generator, const char *pool, enum sc_value_kind kind,
		  struct sc_random *random, struct sc_value *ret_value)
{
	ret_value->kind = (uint8_t)kind;
	ret_value->byte_count = (uint32_t)between(random, (int64_t)generator->bytes_min,
						  (int64_t)generator->bytes_max);
	ret_value->bytes = pool + sc_random_below(random, POOL_PLACES);
}

static int digest(const char *prefix, int64_t number, struct sc_arena *arena,
		  struct sc_value *ret_value)
{
	size_t prefix_bytes = prefix ? strlen(prefix) : 0;
	static const char digits[16] = "0123456789abcdef";
	unsigned char raw[SHA256_DIGEST_LENGTH];
	char decimal[24];
	int length = snprintf(decimal, sizeof decimal, "%" PRId64, number);
	char *text = sc_arena_take(arena, prefix_bytes + SHA256_HEX_BYTES), *at = text;

	if (!text)
		return -ENOMEM;
	for (size_t i = 0; i < prefix_bytes; i++) /* no end: what follows is a digest */
		*at++ = prefix[i];
	(void)SHA256((const unsigned char *)decimal, (size_t)length, raw); /* returns raw */
	for (size_t i = 0; i < sizeof raw; i++) {
		*at++ = digits[raw[i] >> 4];
		*at++ = digits[raw[i] & 15];
	}
	ret_value->kind = SC_VALUE_TEXT;
	ret_value->bytes = text;
	ret_value->byte_count = (uint32_t)(prefix_bytes + SHA256_HEX_BYTES);
	return 0;
}

static int time_text(int64_t ns, struct sc_arena *arena, struct sc_value *ret_value)
{
	time_t seconds = (time_t)(ns / NS_PER_S);
	char text[64];
	struct tm tm;
	char *bytes;
	int length;

	(void)gmtime_r(&seconds, &tm); /* the range of start keeps the year in range */
	length = snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ",
			  tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min,
			  tm.tm_sec, (int)(ns % NS_PER_S / 1000000));
	bytes = sc_arena_take(arena, (size_t)length);
	if (!bytes)
		return -ENOMEM;
	memcpy(bytes, text, (size_t)length);
	ret_value->kind = SC_VALUE_TEXT;
	ret_value->bytes = bytes;
	ret_value->byte_count = (uint32_t)length;
	return 0;
}

static int timestamp_at(const struct stream *self, uint64_t index, struct sc_arena *arena,
			struct sc_value *ret_value)
{
	static const int64_t unit_ns[] = {
		[SC_TIME_S] = NS_PER_S,
		[SC_TIME_MS] = 1000000,
		[SC_TIME_US] = 1000,
		[SC_TIME_NS] = 1,
	};
	const struct sc_generator *generator = self->generator;
	double events = (double)(index + self->offset);
	/* Whole seconds apart, so that nanoseconds survive the double. */
	double seconds = floor(events / generator->per_second);
	double rest = (events - seconds * generator->per_second) / generator->per_second;
	int64_t ns;

	if (seconds > TIMESTAMP_S_MAX) {
		seconds = TIMESTAMP_S_MAX;
		rest = 0;
	}
	ns = generator->start_ns + (int64_t)seconds * NS_PER_S + (int64_t)(rest * 1e9);
	if (generator->unit == SC_TIME_TEXT)
		return time_text(ns, arena, ret_value);
	set_integer(ret_value, ns / unit_ns[generator->unit]);
	return 0;
}

static int value_at(const struct stream *self, const struct stream *inner, uint64_t index,
		    struct sc_arena *arena, struct sc_value *ret_value)
{
	const struct sc_generator *generator = self->generator;
	struct sc_random place = {self->random.state + index * 0xd1342543de82ef95u};
	struct sc_random random = sc_random_init(sc_random_next(&place));
	uint64_t rank;
	int r;

	switch (generator->kind) {
	case SC_GENERATOR_SEQUENCE:
		set_integer(ret_value, sequence_at(self, index));
		return 0;
	case SC_GENERATOR_UNIFORM:
		set_integer(ret_value, between(&random, generator->min, generator->max));
		return 0;
	case SC_GENERATOR_ZIPF:
		set_integer(ret_value, generator->min + (int64_t)rank_at(self, &random));
		return 0;
	case SC_GENERATOR_INTEGER:
		set_integer(ret_value,
			    generator->min +
				    (int64_t)(index %
					      ((uint64_t)(generator->max - generator->min) + 1)));
		return 0;
	case SC_GENERATOR_REAL:
		ret_value->kind = SC_VALUE_REAL;
		ret_value->real =
			generator->real_min +
			sc_random_unit(&random) * (generator->real_max - generator->real_min);
		return 0;
	case SC_GENERATOR_TEXT:
		slice(generator, self->text_pool, SC_VALUE_TEXT, &random, ret_value);
		return 0;
	case SC_GENERATOR_BLOB:
		slice(generator, self->blob_pool, SC_VALUE_BLOB, &random, ret_value);
		return 0;
	case SC_GENERATOR_SHA256:
		return digest(generator->prefix, sequence_at(self, index), arena, ret_value);
	case SC_GENERATOR_TIMESTAMP:
		return timestamp_at(self, index, arena, ret_value);
	case SC_GENERATOR_PICK:
		rank = generator->distribution == SC_DISTRIBUTION_EACH
			       ? scattered(self, index % self->rank_count)
			       : rank_at(self, &random);
		if (self->of)
			return value_at(self->of, NULL, rank, arena, ret_value);
		set_integer(ret_value, (int64_t)rank + 1);
		return 0;
	case SC_GENERATOR_NAME:
		assert(inner); /* a name's own numbers are no names */
		r = value_at(inner, NULL, index, arena, ret_value);
		ret_value->kind = SC_VALUE_NAME;
		return r;
	case SC_GENERATOR_COUNT_:
		break;
	}
	assert(false);
	return 0;
}

int sc_stream_set_row(const struct sc_stream_set *set, uint64_t index, struct sc_arena *arena,
		      struct sc_value *ret_values)
{
	if (set->period > 0)
		index %= set->period;
	for (size_t i = 0; i < set->count; i++) {
		int r = value_at(&set->streams[i], &set->inner[i], index, arena, &ret_values[i]);

		if (r < 0)
			return r;
	}
	return 0;
}

static size_t arena_bytes(const struct stream *self)
{
	const struct sc_generator *generator = self->generator;

	if (self->of)
		return arena_bytes(self->of);
	if (generator->kind == SC_GENERATOR_SHA256)
		return SHA256_HEX_BYTES + (generator->prefix ? strlen(generator->prefix) : 0);
	if (generator->kind == SC_GENERATOR_TIMESTAMP && generator->unit == SC_TIME_TEXT)
		return TIME_TEXT_BYTES;
	return 0;
}

size_t sc_stream_set_row_bytes(const struct sc_stream_set *set)
{
	size_t bytes = set->count * sizeof(struct sc_value);

	for (size_t i = 0; i < set->count; i++)
		bytes += arena_bytes(&set->streams[i]);
	return bytes;
}
