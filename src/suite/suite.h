/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A suite: schema, dataset and workloads as data (JSON). A new scenario needs no C.
 * The format is described in the manual page syncost-suite(5), which a test compares with the
 * parser.
 */

#include <stdbool.h>
#include <stdint.h>

#include "../base/err.h"
#include "../model/setting.h"
#include "clients.h"

struct sc_generator; /* how a parameter's values come about; see generate.h */

struct sc_parameter {
	char *name; /* of the SQL parameter, without the colon */
	struct sc_generator *generator;
};

/*
 * SQL that returns one row with one true value. It may use, as named parameters, the figures of
 * sc_suite_check_figures() and :sum_<parameter>, :dataset_sum_<parameter> of integer parameters.
 * All of them count from the end of the dataset: operations of the warm-up too.
 */
struct sc_check {
	char *sql;
};

/* How a transaction of several operations, or of several statements, begins. */
enum sc_begin {
	SC_BEGIN_DEFERRED,
	SC_BEGIN_IMMEDIATE,
	SC_BEGIN_EXCLUSIVE,
};

/* A statement of the schema, run once, or several times with other values. */
struct sc_schema_step {
	char *sql;
	uint64_t repeat;
	struct sc_parameter *parameters; /* names are substituted, other values bound */
	size_t parameter_count;
};

struct sc_workload {
	char *name;
	char *title;
	char *unit; /* of one operation: "row", "query" */
	bool in_default_sweep;
	bool writes;       /* whether operations commit */
	bool prepared;     /* false: parsed anew for each operation */
	int begin;         /* enum sc_begin */
	char **statements; /* run in order for one operation */
	size_t statement_count;
	struct sc_parameter *parameters;
	size_t parameter_count;
	uint32_t rows_per_commit;    /* operations in one transaction; 1 = autocommit */
	bool commits_rows;           /* instead: as many as the sweep's number of rows */
	bool rows_per_commit_varies; /* whether --rows-per-commit applies */
	uint32_t rows_per_statement; /* operations that one INSERT does together; 1: one */
	uint64_t distinct_ops;       /* then the values come again from the first; 0: never */
	uint64_t rows_min;           /* of the dataset, that make it what it is called; 0: any */
	bool starts_empty;           /* without the rows of the dataset */
	uint64_t consumes_rows;      /* of each operation: so many more are in the dataset */
	bool reopens;                /* each operation opens and closes the database */
	uint64_t ledger_ops;         /* operations of a ledger sample */
	uint64_t timed_ops;          /* of a timing sample; 0: what takes long enough */
	bool times_rows;             /* instead: as many as the sweep's number of rows */
	uint64_t warmup_ops;
	int64_t result_rows_per_op; /* expected result rows of one operation; -1: not checked */
	struct sc_check *checks;
	size_t check_count;
	int latency_of; /* enum sc_latency_of */
	struct sc_busy busy;
	struct sc_beside beside[SC_BESIDE_MAX]; /* clients beside its own */
	size_t beside_count;
};

/* What each connection is told beside the setting. */
struct sc_connection {
	bool foreign_keys;
	uint32_t busy_timeout_ms; /* of SQLite's own handler; 0: none */
};

struct sc_suite_values { /* owned; empty: not given */
	int64_t *items;
	size_t count;
};

#define SC_SUITE_FIELDS_MAX 16u

/* What a sweep of the suite varies unless it is told otherwise. */
struct sc_suite_sweep {
	struct sc_suite_values fields[SC_SUITE_FIELDS_MAX]; /* as sc_setting_fields */
	struct sc_suite_values rows, clients, wal_states;
	uint32_t samples; /* timing samples of each cell; 0: as many as the precision takes */
};

#define SC_SUITE_BASE "base" /* what the suite itself is called among its variants */

struct sc_suite_variant {
	char *name;
	bool in_default_sweep;
};

struct sc_suite {
	char *name, *title, *description;
	char *text;                /* the JSON as read; goes to the samples' processes */
	char digest[65];           /* SHA-256 of text, hex */
	struct sc_setting setting; /* starting point, before the command line */
	bool sets_journal_mode, sets_synchronous; /* whether the text does; else a default */
	bool in_memory; /* the database is one of SQLite's in memory, without files */
	struct sc_connection connection;
	struct sc_suite_sweep sweep;
	struct sc_suite_variant *variants;
	size_t variant_count;
	struct sc_schema_step *schema;
	size_t schema_count;
	char **dataset_statements; /* run in order for one row; none: it is empty */
	size_t dataset_statement_count;
	struct sc_parameter *dataset_parameters;
	size_t dataset_parameter_count;
	uint64_t rows;
	uint64_t rows_per_transaction;
	struct sc_workload *workloads;
	size_t workload_count;
};

/**
 * sc_suite_load() - a built-in suite by name, or a file where @name_or_path has a '/' or ends in
 * .json
 *
 * Errors name the path of the faulty key: "suite 'x.json': workloads[2].parameters.id.min: …".
 */
int sc_suite_load(const char *name_or_path, struct sc_suite **ret_suite, struct sc_error *error);

/** sc_suite_parse() - from text; @origin is the subject of error messages. */
int sc_suite_parse(const char *text, const char *origin, struct sc_suite **ret_suite,
		   struct sc_error *error);

void sc_suite_freep(struct sc_suite **suite);

/**
 * sc_suite_vary() - a suite as one of its variants changes it, or as it is without them
 * @variant: a name; NULL: the suite itself
 *
 * The result is a suite of its own, without variants: its name is that of @base, with "_" and the
 * variant's behind it, its text and digest are what the variant makes of them.
 * Return: 0; SC_E_USAGE where there is no such variant; < 0.
 */
int sc_suite_vary(const struct sc_suite *base, const char *variant, struct sc_suite **ret_suite,
		  struct sc_error *error);

/** sc_suite_check_figures() - names that checks may use, without colon; NULL at the end. */
const char *const *sc_suite_check_figures(void);

/** sc_suite_workload() - by name; NULL: there is none. */
const struct sc_workload *sc_suite_workload(const struct sc_suite *suite, const char *name);

/** sc_workload_unit() - operations of a transaction where the sweep's number of rows is @rows */
uint64_t sc_workload_unit(const struct sc_workload *workload, uint64_t rows);

/** sc_workload_rows_min() - the fewest rows of the dataset that it means anything with */
uint64_t sc_workload_rows_min(const struct sc_workload *workload);

/**
 * sc_suite_key_path() - every key of the format, in order: "name", "workloads[].ledger_ops",
 * "generator sequence.start"; a test compares them with the manual page. False past the last.
 */
bool sc_suite_key_path(size_t index, char *path, size_t path_bytes);

/** sc_suite_builtin_name() - names of built-in suites, in order; NULL past the last. */
const char *sc_suite_builtin_name(size_t index);
