/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Values of parameters. A value is a function of (seed, scope, parameter, index) and of nothing
 * else: values may be asked for in any order, and a key of the dataset can be picked again without
 * keeping the dataset.
 */

#include "generator.h"
#include "suite.h"

enum sc_value_kind {
	SC_VALUE_INTEGER,
	SC_VALUE_REAL,
	SC_VALUE_TEXT,
	SC_VALUE_BLOB,
	SC_VALUE_NAME, /* integer: the number after the generator's prefix */
};

struct sc_value {
	union {
		int64_t integer;
		double real;
		const char *bytes; /* of the generation's pool or of an arena; not terminated */
	};
	uint32_t byte_count; /* of texts and blobs */
	uint8_t kind;        /* enum sc_value_kind */
};

/* Memory that grows in blocks and is freed whole. {0} is empty. */
struct sc_arena {
	struct sc_arena_block *blocks;
};
void sc_arena_fini(struct sc_arena *arena);

/* What all values of a sample share: the seed, the dataset's rows, a pool of text and of blobs. */
struct sc_generation;

/**
 * sc_generation_new() - @suite is borrowed and stays
 * @rows: of the dataset
 */
int sc_generation_new(const struct sc_suite *suite, uint64_t rows, uint64_t seed,
		      struct sc_generation **ret_generation, struct sc_error *error);
void sc_generation_freep(struct sc_generation **generation);

/* The parameters of one statement set, ready to give values. */
struct sc_stream_set;

/**
 * sc_stream_set_new() - @parameters and @generation are borrowed and stay
 * @scope: tells streams of equal parameter names apart: "dataset", "workload/insert_one" …
 *
 * Return: 0; SC_E_FORMAT where a key is picked from a dataset without rows; -ENOMEM.
 */
int sc_stream_set_new(const struct sc_generation *generation, const struct sc_parameter *parameters,
		      size_t parameter_count, const char *scope, struct sc_stream_set **ret_set,
		      struct sc_error *error);
void sc_stream_set_freep(struct sc_stream_set **set);

/** sc_generation_dataset() - the stream set of the dataset. */
const struct sc_stream_set *sc_generation_dataset(const struct sc_generation *generation);

/**
 * sc_stream_set_row() - the values number @index, from 0, of all parameters
 * @arena: takes bytes that are made for this value; texts and blobs of a size lie in the pool
 * @ret_values: as many as there are parameters
 *
 * Return: 0 or -ENOMEM.
 */
int sc_stream_set_row(const struct sc_stream_set *set, uint64_t index, struct sc_arena *arena,
		      struct sc_value *ret_values);

struct sqlite3_stmt;
/** sc_value_bind() - to parameter @at; the bytes stay borrowed. Return: SQLite's result. */
int sc_value_bind(struct sqlite3_stmt *statement, int at, const struct sc_value *value);

/** sc_value_payload() - bytes of user data: 8 for a number, the size of a text or blob. */
uint64_t sc_value_payload(const struct sc_value *value);

/**
 * sc_sql_expand() - @sql with each {name} of a parameter that is a name replaced by its
 * identifier, quoted
 * @values: of the parameters
 *
 * Braces around anything else stay. Return: the text, owned by the caller, or NULL: no memory.
 */
char *sc_sql_expand(const char *sql, const struct sc_parameter *parameters, size_t parameter_count,
		    const struct sc_value *values);
