/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which SQL statement a thread is running: a stack of calls into SQLite, and a table of statements
 * in the meter that the calls underneath are charged to. sqlite.c pushes and pops; where SQLite is
 * not a shared library nobody does, and the statement is 0.
 */

#include <stdbool.h>
#include <stdint.h>

#include "commit.h"
#include "record.h"

enum sc_tap_sql {
	SC_TAP_SQL_NONE, /* statements are not followed */
	SC_TAP_SQL_SHAPE,
	SC_TAP_SQL_FULL,
};

/** sc_tap_statement_start() - before the first call */
void sc_tap_statement_start(enum sc_tap_sql sql);

/** sc_tap_statement_is_on() - whether statements are followed */
bool sc_tap_statement_is_on(void);

/** sc_tap_statement_of() - the meter's number of an SQL text; 0: none is left, or no meter */
uint32_t sc_tap_statement_of(const char *sql);

/* One call into SQLite. */
struct sc_tap_frame {
	struct sc_tap_frame *outer;
	void *exec; /* of sqlite3_exec(): what is known of the statement it runs; else NULL */
	uint32_t statement; /* where it has none of its own, that of the outer call */
	bool is_part;       /* its statement is that of the outer call */
	bool is_timed;
	bool has_inner;    /* another call came in between */
	bool has_commit;   /* a transaction was committed in it */
	bool has_slept;    /* for a lock of this process */
	bool has_unmarked; /* a database was written, and nothing will mark the end */
	uint32_t unmarked; /* that database */
	uint32_t steps;    /* calls that it stands for; 0: another call will stand for it */
	uint32_t instance; /* of the meter that the statement's number is of */
	struct sc_tap_moment begin; /* of one that is timed */
};

/** sc_tap_statement_push() - a call begins; @frame lives until it is popped */
void sc_tap_statement_push(struct sc_tap_frame *frame, uint32_t statement, bool is_timed);

/**
 * sc_tap_statement_pop() - it returns
 * @has_ended: an execution came to its end with it
 * @commits: SQLite says that the connection is in no transaction now, and that this was no rollback
 */
void sc_tap_statement_pop(struct sc_tap_frame *frame, bool has_ended, bool commits);

/* --- for what happens underneath */

/** sc_tap_statement_frame() - the innermost call of this thread; NULL: none */
struct sc_tap_frame *sc_tap_statement_frame(void);

/** sc_tap_statement_now() - its statement, 0: none */
uint32_t sc_tap_statement_now(void);

void sc_tap_statement_synced(uint64_t ns);
void sc_tap_statement_wrote(uint64_t bytes);
void sc_tap_statement_waited(uint64_t ns);
void sc_tap_statement_paid(uint32_t statement, uint64_t ns);
void sc_tap_statement_committed(void);
