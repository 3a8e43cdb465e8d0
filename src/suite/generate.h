/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Values of parameters. A value is a function of (seed, scope, parameter, index) and of nothing
 * else: values may be asked for in any order, and a key of the dataset can be picked again without
 * keeping the dataset.
 */

#include "arena.h"
#include "generator.h"
#include "suite.h"
#include "value.h"

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
 * Return: 0; SC_E_FORMAT where a key is picked from a dataset without rows enough; -ENOMEM.
 */
int sc_stream_set_new(const struct sc_generation *generation, const struct sc_parameter *parameters,
		      size_t parameter_count, const char *scope, struct sc_stream_set **ret_set,
		      struct sc_error *error);
/** sc_stream_set_repeat() - after @period rows come those from the first again; 0: never */
void sc_stream_set_repeat(struct sc_stream_set *set, uint64_t period);
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

/** sc_stream_set_row_bytes() - memory of the values of one row, in the array and in the arena */
size_t sc_stream_set_row_bytes(const struct sc_stream_set *set);
