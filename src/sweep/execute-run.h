/* SPDX-License-Identifier: MIT */
#pragma once

/* What execute-program.c prepares and execute-run.c runs. */

#include "execute-program.h"

struct sc_bind {
	uint32_t parameter; /* index in a row of values */
	int at;             /* SQLite's number of the parameter */
};

struct sc_program_statement {
	char *sql; /* owned */
	size_t sql_bytes;
	sqlite3_stmt *statement; /* NULL where the workload has it parsed anew */
	struct sc_bind *binds;   /* owned */
	size_t bind_count;
};

struct sc_program {
	sqlite3 *db;
	sqlite3_vfs *vfs; /* the connection's: its sleep is the one that instruments see */
	const struct sc_workload *workload;
	const struct sc_stream_set *set;
	struct sc_program_options options;
	bool explicit;  /* BEGIN and COMMIT; else each statement commits by itself */
	uint64_t batch; /* operations of statements[0]; above 1, statements[1] does one */
	bool named;     /* statements differ by operation: see sc_block.chosen */
	struct sc_program_statement begin, commit;
	struct sc_program_statement *statements;
	size_t statement_count;
	uint64_t unprepared_steps; /* of statements that are gone */
	uint32_t *slots;           /* of the hash table by text, where named */
	int wal_pages_max;         /* see sc_program_stay_fresh(); 0: none */
	_Atomic bool *is_full;     /* the WAL has reached it: all clients', or the one below */
	_Atomic bool is_own_full;
};

struct sc_block {
	uint64_t count, capacity; /* operations */
	uint64_t from, to;        /* those that a run runs */
	size_t parameter_count;
	struct sc_value *values; /* count rows of parameter_count */
	uint32_t *chosen;        /* where named: statements of each operation */
	struct sc_arena arena;
};
