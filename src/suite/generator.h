/* SPDX-License-Identifier: MIT */
#pragma once

/* What a suite says about a parameter's values. How they come about is in generate.h. */

#include "key.h"

/* Limits of the format, named in messages and in the manual page. */
#define SC_SUITE_VALUE_BYTES_MAX (64 << 20) /* of one text or blob */
#define SC_SUITE_PARAMETERS_MAX  64u        /* of one statement set */

enum sc_generator_kind {
	SC_GENERATOR_SEQUENCE,  /* start, start + step … */
	SC_GENERATOR_UNIFORM,   /* an integer from min to max */
	SC_GENERATOR_ZIPF,      /* the same, min the most frequent */
	SC_GENERATOR_INTEGER,   /* a constant, or min to max in turn */
	SC_GENERATOR_REAL,      /* a real from min to max */
	SC_GENERATOR_TEXT,      /* of a size */
	SC_GENERATOR_BLOB,      /* of a size */
	SC_GENERATOR_SHA256,    /* hex digest of the numbers of a sequence */
	SC_GENERATOR_TIMESTAMP, /* at a rate */
	SC_GENERATOR_PICK,      /* a key of a row of the dataset */
	SC_GENERATOR_NAME,      /* an identifier, substituted into the SQL */
	SC_GENERATOR_COUNT_,
};

enum sc_distribution {
	SC_DISTRIBUTION_UNIFORM,
	SC_DISTRIBUTION_ZIPF,
	SC_DISTRIBUTION_EACH, /* one after the other, then from the first again */
};

enum sc_time_unit {
	SC_TIME_S,
	SC_TIME_MS,
	SC_TIME_US,
	SC_TIME_NS,
	SC_TIME_TEXT, /* "2024-01-31T23:59:59.999Z" */
};

/* Fields that a kind does not name are not used by it. */
struct sc_generator {
	enum sc_generator_kind kind;
	int64_t start, step; /* sequence, sha256 */
	uint64_t every;      /* sequence, sha256: values before the next step */
	bool after_dataset;  /* sequence, sha256, timestamp: goes on where the dataset's rows end */
	int64_t min, max;    /* uniform, zipf, integer; constant where they are equal */
	double real_min, real_max;
	double exponent;  /* zipf, pick; above 0 */
	int distribution; /* pick: enum sc_distribution */
	bool scattered; /* zipf, pick: neighbours, or frequent values lie apart, not side by side */
	uint64_t bytes_min, bytes_max; /* text, blob */
	int64_t start_ns;              /* timestamp: since the epoch */
	double per_second;
	int unit;            /* enum sc_time_unit */
	uint64_t parts, run; /* pick: of the first part of so many; the first of so many in a row */
	char *of;            /* pick: a parameter of the dataset; NULL: the row's number from 1 */
	char *prefix;        /* name; sha256: before the digest, or NULL */
	struct sc_generator *from; /* name: of integers */
};

/** sc_generator_read() - a generator's object, its key "generator" says of which kind. */
int sc_generator_read(struct sc_key_reader *reader, const cJSON *object,
		      struct sc_generator **ret_generator);
void sc_generator_freep(struct sc_generator **generator);

/** sc_generator_is_integer() - whether all values are integers, so that they have a sum. */
bool sc_generator_is_integer(const struct sc_generator *generator,
			     const struct sc_generator *picked);

const char *sc_generator_name(enum sc_generator_kind kind);

/** sc_generator_keys() - the keys of a kind beside "generator". */
const struct sc_key *sc_generator_keys(enum sc_generator_kind kind, size_t *ret_count);
