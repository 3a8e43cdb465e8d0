/* SPDX-License-Identifier: MIT */

/*
 * Method. Counters only grow between two resets, so the difference of two snapshots is the
 * interval. A reset between them leaves the later one smaller; what would be negative is then that
 * of the later. Rows are sorted, so equal keys are found by walking both.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "snapshot.h"

static uint64_t since(uint64_t later, uint64_t earlier)
{
	return later >= earlier ? later - earlier : later;
}

static void subtract_row(struct syncost_row *row, const struct syncost_row *earlier)
{
	row->calls = since(row->calls, earlier->calls);
	row->failures = since(row->failures, earlier->failures);
	row->bytes = since(row->bytes, earlier->bytes);
	row->timed = since(row->timed, earlier->timed);
	row->ns = since(row->ns, earlier->ns);
	row->cpu_n = since(row->cpu_n, earlier->cpu_n);
	row->cpu_wall_ns = since(row->cpu_wall_ns, earlier->cpu_wall_ns);
	row->cpu_ns = since(row->cpu_ns, earlier->cpu_ns);
	row->run_delay_ns = since(row->run_delay_ns, earlier->run_delay_ns);
	row->checkpoint_calls = since(row->checkpoint_calls, earlier->checkpoint_calls);
	row->checkpoint_bytes = since(row->checkpoint_bytes, earlier->checkpoint_bytes);
	row->checkpoint_ns = since(row->checkpoint_ns, earlier->checkpoint_ns);
	for (uint32_t i = 0; row->buckets && earlier->buckets && i < SC_HIST_BUCKETS; i++)
		row->buckets[i] = (uint32_t)since(row->buckets[i], earlier->buckets[i]);
}

static int copy_row(struct syncost_row *ret_row, const struct syncost_row *row)
{
	const size_t bytes = SC_HIST_BUCKETS * sizeof(row->buckets[0]);

	*ret_row = *row;
	if (!row->buckets)
		return 0;
	ret_row->buckets = malloc(bytes);
	if (!ret_row->buckets)
		return -ENOMEM;
	memcpy(ret_row->buckets, row->buckets, bytes);
	return 0;
}

static void drop_buckets(struct syncost_row *row)
{
	free(row->buckets);
	row->buckets = NULL;
}

static int subtract_rows(struct syncost_snapshot *snapshot, const struct syncost_snapshot *later,
			 const struct syncost_snapshot *earlier)
{
	size_t at = 0;

	snapshot->rows = calloc(later->row_count ? later->row_count : 1, sizeof(snapshot->rows[0]));
	if (!snapshot->rows)
		return -ENOMEM;

	for (size_t i = 0; i < later->row_count; i++) {
		struct syncost_row *row = &snapshot->rows[snapshot->row_count];

		while (at < earlier->row_count &&
		       sc_row_compare(&earlier->rows[at], &later->rows[i]) < 0)
			at++;
		if (copy_row(row, &later->rows[i]) < 0)
			return -ENOMEM;
		if (at < earlier->row_count &&
		    sc_row_compare(&earlier->rows[at], &later->rows[i]) == 0)
			subtract_row(row, &earlier->rows[at]);
		if (row->timed == 0)
			drop_buckets(row);
		if (row->calls > 0)
			snapshot->row_count++;
		else
			drop_buckets(row);
	}
	return 0;
}

static void subtract_database(struct syncost_database *database,
			      const struct syncost_database *earlier)
{
	database->commits = since(database->commits, earlier->commits);
	database->checkpoints = since(database->checkpoints, earlier->checkpoints);
	database->checkpoint_ns = since(database->checkpoint_ns, earlier->checkpoint_ns);
	database->checkpoint_frames =
		since(database->checkpoint_frames, earlier->checkpoint_frames);
	database->wal_resets = since(database->wal_resets, earlier->wal_resets);
	database->wal_creations = since(database->wal_creations, earlier->wal_creations);
	database->wal_frames = since(database->wal_frames, earlier->wal_frames);
	database->unmarked_writes = since(database->unmarked_writes, earlier->unmarked_writes);
	database->lock_waits = since(database->lock_waits, earlier->lock_waits);
	database->lock_wait_ns = since(database->lock_wait_ns, earlier->lock_wait_ns);
}

static void subtract_parts(uint64_t *parts, const uint64_t *earlier)
{
	for (int part = 0; part < SC_PART_COUNT_; part++)
		parts[part] = since(parts[part], earlier[part]);
}

static void subtract_split(struct syncost_split *split, const struct syncost_split *earlier)
{
	subtract_parts(split->wall_ns, earlier->wall_ns);
	subtract_parts(split->cpu_n, earlier->cpu_n);
	subtract_parts(split->checkpoint_ns, earlier->checkpoint_ns);
	subtract_parts(split->read_wall_ns, earlier->read_wall_ns);
	subtract_parts(split->read_cpu_ns, earlier->read_cpu_ns);
	subtract_parts(split->read_run_delay_ns, earlier->read_run_delay_ns);
	split->calls = since(split->calls, earlier->calls);
	split->own_ns = since(split->own_ns, earlier->own_ns);
	split->major_faults = since(split->major_faults, earlier->major_faults);
	split->wait_outside_vfs_ns =
		since(split->wait_outside_vfs_ns, earlier->wait_outside_vfs_ns);
	sc_snapshot_estimate(split);
}

/* Records are sorted by their end; those of the interval are the last ones. */
static int copy_commits(struct syncost_snapshot *snapshot, const struct syncost_snapshot *later,
			const struct syncost_snapshot *earlier)
{
	size_t first = 0;

	while (first < later->commit_count && later->commits[first].end_ns <= earlier->at_ns)
		first++;
	snapshot->commit_count = later->commit_count - first;
	snapshot->commits = malloc((snapshot->commit_count + 1) * sizeof(snapshot->commits[0]));
	if (!snapshot->commits)
		return -ENOMEM;
	if (snapshot->commit_count > 0)
		memcpy(snapshot->commits, later->commits + first,
		       snapshot->commit_count * sizeof(snapshot->commits[0]));
	return 0;
}

static void subtract_totals(struct syncost_snapshot *snapshot,
			    const struct syncost_snapshot *earlier)
{
	uint64_t kept = snapshot->commit_count;

	snapshot->calls_dropped = since(snapshot->calls_dropped, earlier->calls_dropped);
	snapshot->transactions = since(snapshot->transactions, earlier->transactions);
	snapshot->empty_commits = since(snapshot->empty_commits, earlier->empty_commits);
	snapshot->lock_wait_ns = since(snapshot->lock_wait_ns, earlier->lock_wait_ns);
	snapshot->lock_waits = since(snapshot->lock_waits, earlier->lock_waits);
	snapshot->busy = since(snapshot->busy, earlier->busy);
	snapshot->syncs_omitted = since(snapshot->syncs_omitted, earlier->syncs_omitted);
	snapshot->commits_dropped =
		snapshot->transactions > kept ? snapshot->transactions - kept : 0;
}

static const struct syncost_statement *find_statement(const struct syncost_snapshot *snapshot,
						      uint32_t number)
{
	for (size_t i = 0; i < snapshot->statement_count; i++) {
		if (snapshot->statements[i].number == number)
			return &snapshot->statements[i];
	}
	return NULL;
}

static void subtract_statement(struct syncost_statement *statement,
			       const struct syncost_statement *earlier)
{
	statement->executions = since(statement->executions, earlier->executions);
	statement->steps = since(statement->steps, earlier->steps);
	statement->timed = since(statement->timed, earlier->timed);
	statement->ns = since(statement->ns, earlier->ns);
	statement->commits = since(statement->commits, earlier->commits);
	statement->syncs = since(statement->syncs, earlier->syncs);
	statement->sync_ns = since(statement->sync_ns, earlier->sync_ns);
	statement->bytes = since(statement->bytes, earlier->bytes);
	statement->lock_waits = since(statement->lock_waits, earlier->lock_waits);
	statement->lock_wait_ns = since(statement->lock_wait_ns, earlier->lock_wait_ns);
	statement->checkpoints = since(statement->checkpoints, earlier->checkpoints);
	statement->checkpoint_ns = since(statement->checkpoint_ns, earlier->checkpoint_ns);
}

static int copy_statements(struct syncost_snapshot *snapshot, const struct syncost_snapshot *later,
			   const struct syncost_snapshot *earlier)
{
	size_t count = later->statement_count;

	snapshot->statements = calloc(count ? count : 1, sizeof(snapshot->statements[0]));
	if (!snapshot->statements)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		const struct syncost_statement *before =
			find_statement(earlier, later->statements[i].number);

		snapshot->statements[i] = later->statements[i];
		if (before)
			subtract_statement(&snapshot->statements[i], before);
	}
	snapshot->statement_count = count;
	return 0;
}

int syncost_snapshot_since(const struct syncost_snapshot *later,
			   const struct syncost_snapshot *earlier,
			   struct syncost_snapshot **ret_snapshot)
{
	struct syncost_snapshot *snapshot;
	int r;

	if (!later || !earlier || !ret_snapshot)
		return -EINVAL;
	snapshot = malloc(sizeof(*snapshot));
	if (!snapshot)
		return -ENOMEM;
	*snapshot = *later;
	snapshot->rows = NULL;
	snapshot->row_count = 0;
	snapshot->commits = NULL;
	snapshot->commit_count = 0;
	snapshot->statements = NULL;
	snapshot->statement_count = 0;

	r = subtract_rows(snapshot, later, earlier);
	if (r == 0)
		r = copy_commits(snapshot, later, earlier);
	if (r == 0)
		r = copy_statements(snapshot, later, earlier);
	if (r < 0) {
		syncost_snapshot_free(snapshot);
		return r;
	}
	for (uint32_t i = 0; i < SC_METER_DATABASES; i++)
		subtract_database(&snapshot->databases[i], &earlier->databases[i]);
	subtract_split(&snapshot->split, &earlier->split);
	subtract_totals(snapshot, earlier);
	*ret_snapshot = snapshot;
	return 0;
}
