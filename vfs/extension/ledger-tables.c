/* SPDX-License-Identifier: MIT */

/* What the ledger holds, as tables: calls, commits, checkpoints. */

#include <stdio.h>
#include <time.h>

#include "../host.h"
#include "../ledger.h"
#include "tables.h"

#define COLUMNS(list) list, sizeof(list) / sizeof((list)[0])

/* --- syncost_io */

static const struct sc_column io_columns[] = {
	{"database", "TEXT"},         {"role", "TEXT"},        {"operation", "TEXT"},
	{"calls", "INTEGER"},         {"failures", "INTEGER"}, {"bytes", "INTEGER"},
	{"timed", "INTEGER"},         {"total_ns", "INTEGER"}, {"max_ns", "INTEGER"},
	{"p50_ns", "INTEGER"},        {"p99_ns", "INTEGER"},   {"checkpoint_calls", "INTEGER"},
	{"checkpoint_ns", "INTEGER"},
};

static void add_quantile(struct sc_rows *rows, const struct syncost_row *row, uint32_t per_mille)
{
	uint64_t ns;

	if (sc_table_quantile(row, per_mille, &ns))
		sc_rows_integer(rows, ns);
	else
		sc_rows_null(rows);
}

static void add_io(struct sc_rows *rows, const struct syncost_snapshot *snapshot,
		   const struct syncost_row *row)
{
	sc_rows_text(rows, snapshot->databases[row->database].path);
	sc_rows_text(rows, syncost_role_name(row->role));
	sc_rows_text(rows, syncost_op_info(row->op)->name);
	sc_rows_integer(rows, row->calls);
	sc_rows_integer(rows, row->failures);
	sc_rows_integer(rows, row->bytes);
	sc_rows_integer(rows, row->timed);
	if (row->timed > 0) {
		sc_rows_integer(rows, sc_table_total_ns(row));
		sc_rows_integer(rows, row->ns_max);
	} else {
		sc_rows_null(rows);
		sc_rows_null(rows);
	}
	add_quantile(rows, row, 500);
	add_quantile(rows, row, 990);
	sc_rows_integer(rows, row->checkpoint_calls);
	sc_rows_integer(rows, row->checkpoint_ns);
}

static int fill_io(sqlite3 *db, struct sc_rows *rows)
{
	struct syncost_snapshot *snapshot;
	int rc = sc_table_snapshot(&snapshot);

	(void)db;
	for (size_t i = 0; snapshot && i < snapshot->row_count; i++)
		add_io(rows, snapshot, &snapshot->rows[i]);
	syncost_snapshot_free(snapshot);
	return rc;
}

const struct sc_table sc_table_io = {"syncost_io", COLUMNS(io_columns), fill_io};

/* --- syncost_commits */

static const struct sc_column commit_columns[] = {
	{"database", "TEXT"},    {"databases", "INTEGER"}, {"ended", "TEXT"},
	{"start_ns", "INTEGER"}, {"ns", "INTEGER"},        {"sql_ns", "INTEGER"},
	{"read_ns", "INTEGER"},  {"write_ns", "INTEGER"},  {"sync_ns", "INTEGER"},
	{"lock_ns", "INTEGER"},  {"shm_ns", "INTEGER"},    {"other_ns", "INTEGER"},
	{"bytes", "INTEGER"},    {"syncs", "INTEGER"},     {"checkpoint_ns", "INTEGER"},
};

static void add_moment(struct sc_rows *rows, uint64_t at_ns)
{
	const struct sc_meter *meter = sc_ledger.meter;
	uint64_t realtime_ns = meter->start_realtime_ns + (at_ns - meter->start_ns);
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	char text[64], moment[40];
	struct tm calendar;

	if (!gmtime_r(&seconds, &calendar) ||
	    strftime(moment, sizeof(moment), "%Y-%m-%dT%H:%M:%S", &calendar) == 0) {
		sc_rows_null(rows);
		return;
	}
	(void)snprintf(text, sizeof(text), "%s.%06uZ", moment,
		       (uint32_t)(realtime_ns % 1000000000u / 1000u));
	sc_rows_text(rows, text);
}

static void add_commit(struct sc_rows *rows, const struct syncost_snapshot *snapshot,
		       const struct sc_commit *commit)
{
	sc_rows_text(rows, snapshot->databases[commit->database].path);
	sc_rows_integer(rows, commit->databases);
	add_moment(rows, commit->end_ns);
	sc_rows_integer(rows, commit->start_ns);
	sc_rows_integer(rows, commit->end_ns - commit->start_ns);
	for (int part = SC_PART_SQL; part < SC_PART_COUNT_; part++)
		sc_rows_integer(rows, commit->part_ns[part]);
	sc_rows_integer(rows, commit->bytes);
	sc_rows_integer(rows, commit->syncs);
	sc_rows_integer(rows, commit->checkpoint_ns);
}

static int fill_commits(sqlite3 *db, struct sc_rows *rows)
{
	struct syncost_snapshot *snapshot;
	int rc = sc_table_snapshot(&snapshot);

	(void)db;
	for (size_t i = 0; snapshot && i < snapshot->commit_count; i++)
		add_commit(rows, snapshot, &snapshot->commits[i]);
	syncost_snapshot_free(snapshot);
	return rc;
}

const struct sc_table sc_table_commits = {"syncost_commits", COLUMNS(commit_columns), fill_commits};

/* --- syncost_checkpoints */

static const struct sc_column checkpoint_columns[] = {
	{"database", "TEXT"},         {"commits", "INTEGER"},    {"checkpoints", "INTEGER"},
	{"total_ns", "INTEGER"},      {"frames", "INTEGER"},     {"bytes", "INTEGER"},
	{"syncs", "INTEGER"},         {"wal_frames", "INTEGER"}, {"wal_resets", "INTEGER"},
	{"wal_creations", "INTEGER"}, {"wal_bytes", "INTEGER"},  {"wal_bytes_max", "INTEGER"},
};

static uint64_t sum_in_checkpoints(const struct syncost_snapshot *snapshot, uint32_t slot,
				   enum sc_op op)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		if (row->database == slot && row->op == op)
			sum += op == SC_OP_WRITE ? row->checkpoint_bytes : row->checkpoint_calls;
	}
	return sum;
}

static void add_checkpoints(struct sc_rows *rows, const struct syncost_snapshot *snapshot,
			    uint32_t slot)
{
	const struct syncost_database *database = &snapshot->databases[slot];

	sc_rows_text(rows, database->path);
	sc_rows_integer(rows, database->commits);
	sc_rows_integer(rows, database->checkpoints);
	sc_rows_integer(rows, database->checkpoint_ns);
	sc_rows_integer(rows, database->checkpoint_frames);
	sc_rows_integer(rows, sum_in_checkpoints(snapshot, slot, SC_OP_WRITE));
	sc_rows_integer(rows, sum_in_checkpoints(snapshot, slot, SC_OP_SYNC));
	sc_rows_integer(rows, database->wal_frames);
	sc_rows_integer(rows, database->wal_resets);
	sc_rows_integer(rows, database->wal_creations);
	sc_rows_integer(rows, database->size_bytes[SC_ROLE_WAL]);
	sc_rows_integer(rows, database->size_bytes_max[SC_ROLE_WAL]);
}

static int fill_checkpoints(sqlite3 *db, struct sc_rows *rows)
{
	struct syncost_snapshot *snapshot;
	int rc = sc_table_snapshot(&snapshot);

	(void)db;
	for (uint32_t slot = 1; snapshot && slot < SC_METER_DATABASES; slot++) {
		if (snapshot->databases[slot].path[0])
			add_checkpoints(rows, snapshot, slot);
	}
	syncost_snapshot_free(snapshot);
	return rc;
}

const struct sc_table sc_table_checkpoints = {"syncost_checkpoints", COLUMNS(checkpoint_columns),
					      fill_checkpoints};
