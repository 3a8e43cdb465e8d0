/* SPDX-License-Identifier: MIT */
#pragma once

/* What the database must hold after clients, also where some of them have not come to their end. */

#include "execute-clients.h"
#include "execute-verify.h"

/**
 * sc_clients_count_values() - add the values that the clients bound in acknowledged operations
 * @program: of any connection; the values are made again
 * @tally: payload is added
 * @sums: as in sc_block_count()
 */
int sc_clients_count_values(const struct sc_timed_part *part, struct sc_program *program,
			    struct sc_tally *tally, int64_t *sums, struct sc_error *error);

/**
 * sc_casualties_check() - whether nothing that any client acknowledged is lost
 * @expected: of the warm-up and of sc_clients_run(); on success, of what is in the database
 *
 * A client that failed may have committed once more than it could say: the checks have to hold with
 * that commit or without it, for each of them.
 *
 * Return: 0; 1: it cannot be told, @ret_reason says why; SC_E_VERIFY; another code.
 */
int sc_casualties_check(const struct sc_timed_part *part, struct sc_program *program, sqlite3 *db,
			struct sc_expected *expected, const char **ret_reason,
			struct sc_error *error);

/**
 * sc_casualties_fail() - the error of a sample whose clients did not all come to their end
 * @first: the end of the first of them
 * @lost: what was found missing or broken; NULL: nothing
 * @unknown: why that cannot be told; NULL: it can
 *
 * Return: the code of @first.
 */
int sc_casualties_fail(const struct sc_timed_part *part, const struct sc_error *first,
		       const char *lost, const char *unknown, struct sc_error *error);
