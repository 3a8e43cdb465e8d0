/* SPDX-License-Identifier: MIT */
#pragma once

/* The steps of sc_suite_parse(). */

#include "generator.h"
#include "suite.h"

#define STATEMENTS_MAX 64u /* of one operation, or of one row of the dataset */

/** sc_suite_read() - the JSON of a suite into an empty @suite; references between parts hold. */
int sc_suite_read(struct sc_key_reader *reader, const cJSON *json, struct sc_suite *suite);

/** sc_suite_read_parameters() - generators by name; the caller frees what is there, also after a
 * failure */
int sc_suite_read_parameters(struct sc_key_reader *reader, const cJSON *item,
			     struct sc_parameter **ret_parameters, size_t *ret_count);

/** sc_suite_read_workloads() and the like - what stands at these keys; @suite: struct sc_suite */
int sc_suite_read_workloads(struct sc_key_reader *reader, const cJSON *item, void *suite);
int sc_suite_read_sweep(struct sc_key_reader *reader, const cJSON *item, void *suite);
int sc_suite_read_variants(struct sc_key_reader *reader, const cJSON *item, void *suite);
void sc_suite_sweep_fini(struct sc_suite_sweep *sweep);

/** sc_suite_sweep_keys() and the like - their tables; static */
const struct sc_key *sc_suite_sweep_keys(size_t *ret_count);
const struct sc_key *sc_suite_variant_keys(size_t *ret_count);
const struct sc_key *sc_suite_workload_keys(size_t *ret_count);
const struct sc_key *sc_suite_commit_keys(size_t *ret_count);
const struct sc_key *sc_suite_expect_keys(size_t *ret_count);

/**
 * sc_suite_validate() - the SQL of @suite, against its schema in a database in memory
 *
 * Each text must be one statement that SQLite takes; its parameters must have a generator and
 * generators must be used. What would reach outside of the sample's database or take its
 * transactions and settings away is refused.
 */
int sc_suite_validate(struct sc_key_reader *reader, const struct sc_suite *suite);
