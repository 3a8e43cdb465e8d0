/* SPDX-License-Identifier: MIT */

/*
 * Each process has a meter of its own; what they saw adds up, for no call is made by two of them.
 * Databases are found by their paths, rows by their keys.
 */

#include "execute-merge.h"

#include <errno.h>
#include <string.h>

#include "../stats/hist.h"

#define ROWS_MAX 256u /* a process on one database has some sixty */

struct sc_shared_snapshot {
	struct syncost_snapshot snapshot; /* its pointers are NULL */
	size_t row_count;
	struct syncost_row rows[ROWS_MAX];
	uint32_t buckets[ROWS_MAX][SC_HIST_BUCKETS];
};

size_t sc_shared_snapshot_bytes(void)
{
	return sizeof(struct sc_shared_snapshot);
}

int sc_shared_snapshot_put(struct sc_shared_snapshot *shared,
			   const struct syncost_snapshot *snapshot, struct sc_error *error)
{
	if (snapshot->row_count > ROWS_MAX)
		return sc_fail(error, SC_E_LIMIT,
			       "the ledger of a client has %zu rows, more than %u",
			       snapshot->row_count, ROWS_MAX);
	shared->snapshot = *snapshot;
	shared->snapshot.rows = NULL;
	shared->snapshot.row_count = 0;
	shared->snapshot.commits = NULL;
	shared->snapshot.commits_dropped += snapshot->commit_count;
	shared->snapshot.commit_count = 0;
	shared->row_count = snapshot->row_count;
	for (size_t i = 0; i < snapshot->row_count; i++) {
		shared->rows[i] = snapshot->rows[i];
		shared->rows[i].buckets = NULL;
		if (snapshot->rows[i].buckets)
			memcpy(shared->buckets[i], snapshot->rows[i].buckets,
			       sizeof(shared->buckets[i]));
	}
	return 0;
}

static void raise_to(uint64_t *value, uint64_t other)
{
	if (other > *value)
		*value = other;
}

static void add_parts(uint64_t *into, const uint64_t *from)
{
	for (int part = 0; part < SC_PART_COUNT_; part++)
		into[part] += from[part];
}

static void add_split(struct syncost_split *into, const struct syncost_split *from)
{
	add_parts(into->wall_ns, from->wall_ns);
	add_parts(into->cpu_ns, from->cpu_ns);
	add_parts(into->run_delay_ns, from->run_delay_ns);
	add_parts(into->cpu_n, from->cpu_n);
	add_parts(into->checkpoint_ns, from->checkpoint_ns);
	add_parts(into->read_wall_ns, from->read_wall_ns);
	add_parts(into->read_cpu_ns, from->read_cpu_ns);
	add_parts(into->read_run_delay_ns, from->read_run_delay_ns);
	into->calls += from->calls;
	into->own_ns += from->own_ns;
	into->major_faults += from->major_faults;
	into->wait_outside_vfs_ns += from->wait_outside_vfs_ns;
}

/* Slot 0 is no database, and has no path. */
static int find_database(struct syncost_snapshot *into, const char *path, uint32_t *ret_slot,
			 struct sc_error *error)
{
	for (uint32_t i = 1; i < SC_METER_DATABASES; i++) {
		if (!into->databases[i].path[0])
			memcpy(into->databases[i].path, path, sizeof(into->databases[i].path));
		if (strcmp(into->databases[i].path, path) == 0) {
			*ret_slot = i;
			return 0;
		}
	}
	return sc_fail(error, SC_E_LIMIT, "clients opened more than %u databases",
		       SC_METER_DATABASES - 1);
}

static void add_database(struct syncost_database *into, const struct syncost_database *from)
{
	for (int role = 0; role < SC_ROLE_COUNT_; role++) {
		raise_to(&into->size_bytes[role], from->size_bytes[role]);
		raise_to(&into->size_bytes_max[role], from->size_bytes_max[role]);
	}
	raise_to(&into->total_bytes, from->total_bytes);
	raise_to(&into->total_bytes_max, from->total_bytes_max);
	into->commits += from->commits;
	into->checkpoints += from->checkpoints;
	into->checkpoint_ns += from->checkpoint_ns;
	into->checkpoint_frames += from->checkpoint_frames;
	into->wal_resets += from->wal_resets;
	into->wal_creations += from->wal_creations;
	into->wal_frames += from->wal_frames;
}

/* *ret_slots: where each of @from's databases is in @into. */
static int add_databases(struct syncost_snapshot *into, const struct syncost_snapshot *from,
			 uint32_t slots[SC_METER_DATABASES], struct sc_error *error)
{
	slots[0] = 0;
	add_database(&into->databases[0], &from->databases[0]);
	for (uint32_t i = 1; i < SC_METER_DATABASES; i++) {
		int r;

		slots[i] = 0;
		if (!from->databases[i].path[0])
			continue;
		r = find_database(into, from->databases[i].path, &slots[i], error);
		if (r < 0)
			return r;
		add_database(&into->databases[slots[i]], &from->databases[i]);
	}
	return 0;
}

static uint32_t key_of(const struct syncost_row *row)
{
	return sc_series_key(row->instrument, row->database, row->role, row->op);
}

static int compare_rows(const void *a, const void *b)
{
	uint32_t one = key_of(a), other = key_of(b);

	return (one > other) - (one < other);
}

/* The row of this key, added where it is new. */
static struct syncost_row *find_row(struct syncost_snapshot *into, const struct syncost_row *key)
{
	struct syncost_row *rows;

	for (size_t i = 0; i < into->row_count; i++)
		if (key_of(&into->rows[i]) == key_of(key))
			return &into->rows[i];
	rows = reallocarray(into->rows, into->row_count + 1, sizeof(*rows));
	if (!rows)
		return NULL;
	into->rows = rows;
	rows[into->row_count] = (struct syncost_row){
		.instrument = key->instrument,
		.database = key->database,
		.role = key->role,
		.op = key->op,
	};
	return &rows[into->row_count++];
}

static void add_counts(struct syncost_row *into, const struct syncost_row *from)
{
	into->calls += from->calls;
	into->failures += from->failures;
	into->bytes += from->bytes;
	into->timed += from->timed;
	into->ns += from->ns;
	raise_to(&into->ns_max, from->ns_max);
	into->cpu_n += from->cpu_n;
	into->cpu_wall_ns += from->cpu_wall_ns;
	into->cpu_ns += from->cpu_ns;
	into->run_delay_ns += from->run_delay_ns;
	into->checkpoint_calls += from->checkpoint_calls;
	into->checkpoint_bytes += from->checkpoint_bytes;
	into->checkpoint_ns += from->checkpoint_ns;
}

static int add_row(struct syncost_snapshot *into, struct syncost_row from, const uint32_t *buckets)
{
	struct syncost_row *row = find_row(into, &from);

	if (!row)
		return -ENOMEM;
	if (from.timed && !row->buckets)
		row->buckets = calloc(SC_HIST_BUCKETS, sizeof(*row->buckets));
	if (from.timed && !row->buckets)
		return -ENOMEM;
	add_counts(row, &from);
	if (from.timed)
		sc_hist_add(row->buckets, buckets);
	return 0;
}

static void add_totals(struct syncost_snapshot *into, const struct syncost_snapshot *from)
{
	into->instruments |= from->instruments;
	into->calls_dropped += from->calls_dropped;
	into->transactions += from->transactions;
	into->empty_commits += from->empty_commits;
	into->lock_wait_ns += from->lock_wait_ns;
	into->lock_waits += from->lock_waits;
	into->busy += from->busy;
	into->syncs_omitted += from->syncs_omitted;
	into->commits_dropped += from->commits_dropped;
	raise_to(&into->total_bytes, from->total_bytes);
	raise_to(&into->total_bytes_max, from->total_bytes_max);
	add_split(&into->split, &from->split);
}

int sc_snapshot_merge(struct syncost_snapshot *into, const struct sc_shared_snapshot *from,
		      struct sc_error *error)
{
	uint32_t slots[SC_METER_DATABASES];
	int r = add_databases(into, &from->snapshot, slots, error);

	if (r < 0)
		return r;
	for (size_t i = 0; i < from->row_count; i++) {
		struct syncost_row row = from->rows[i];

		row.database = slots[row.database];
		if (add_row(into, row, from->buckets[i]) < 0)
			return sc_fail(error, -ENOMEM, "the ledger of the clients");
	}
	qsort(into->rows, into->row_count, sizeof(*into->rows), compare_rows);
	add_totals(into, &from->snapshot);
	return 0;
}
