/* SPDX-License-Identifier: MIT */
#pragma once

/* Whether a sample's data is what its operations must have left. */

#include "execute-program.h"

/* What checks may ask for. */
struct sc_expected {
	const struct sc_suite *suite;
	const struct sc_workload *workload;
	uint64_t rows;               /* of the dataset */
	struct sc_tally tally;       /* since the dataset, warm-up included */
	int64_t *sums;               /* of the workload's parameters; owned by the caller */
	const int64_t *dataset_sums; /* of the dataset's */
	struct {
		const struct sc_workload *workload;
		struct sc_tally tally;
		const int64_t *sums;
	} beside[SC_BESIDE_MAX]; /* clients of other workloads, in the workload's order */
};

/** sc_verify_sound() - quick_check of the database at @path; SC_E_VERIFY if not. */
int sc_verify_sound(sqlite3 *db, const char *path, struct sc_error *error);

/** sc_verify_checks() - expected result rows and the workload's checks; SC_E_VERIFY if not. */
int sc_verify_checks(sqlite3 *db, const struct sc_expected *expected, struct sc_error *error);

/** sc_verify_uses() - whether a check of @workload uses figure @name (without colon). */
bool sc_verify_uses(const struct sc_workload *workload, const char *name);

/* Rows of each table, to be compared over a close. */
struct sc_row_counts {
	char **names;
	int64_t *counts;
	size_t count;
};
void sc_row_counts_fini(struct sc_row_counts *counts);
int sc_row_counts_read(sqlite3 *db, struct sc_row_counts *ret_counts, struct sc_error *error);

/**
 * sc_verify_reopened() - the same after a close, with quick_check
 * @db: a connection of its own, without instruments
 * @path: of the file, for messages
 * @before: rows of each table before the close
 */
int sc_verify_reopened(sqlite3 *db, const char *path, const struct sc_expected *expected,
		       const struct sc_row_counts *before, struct sc_error *error);
