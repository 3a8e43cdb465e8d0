/* SPDX-License-Identifier: MIT */

/*
 * A WAL's header carries a checkpoint sequence number, one more after each reset; it is read
 * through SQLite's own handle. Recycling runs commits of the workload itself, without syncs, until
 * that number has grown: then a checkpoint has copied everything, the file has the size at which
 * checkpoints come, and the last commit was the first to overwrite it. Half as many commits again
 * bring the next checkpoint half a cycle away. A timed part of whole cycles would else end where a
 * checkpoint is due, and one frame more or less would decide whether it is counted; from here it
 * holds as many as it has cycles, even if a cycle takes a few commits more than was thought.
 *
 * Where SQLite never checkpoints by itself, as many operations run as will be timed, and one
 * explicit checkpoint follows: the file is then as long as the timed part will need it.
 */

#include "execute-warmup.h"

#include <inttypes.h>

#include "execute-database.h"

static int run_block(struct sc_progress *progress, uint64_t count, struct sc_error *error)
{
	SC_CLEANUP(sc_block_freep) struct sc_block *block = NULL;
	int r;

	r = sc_block_new(progress->program, progress->next, count, &block, error);
	if (r == 0)
		r = sc_program_run(progress->program, block, 0, &progress->tally, &progress->timing,
				   error);
	if (r < 0)
		return r;
	progress->next += count;
	sc_block_count(block, count, &progress->tally, progress->sums);
	return 0;
}

int sc_progress_run(struct sc_progress *progress, uint64_t count, struct sc_error *error)
{
	int r = 0;

	while (count > 0 && r == 0) {
		uint64_t part = sc_block_operations(progress->program, count);

		r = run_block(progress, part, error);
		count -= part;
	}
	return r;
}

static int run_commits(struct sc_progress *progress, const struct sc_warmup *warmup,
		       uint64_t operations, struct sc_error *error)
{
	uint64_t rows = warmup->rows_per_commit;

	return sc_progress_run(progress, (operations + rows - 1) / rows * rows, error);
}

/* Why the WAL was not reset. @changing: operations up to the last commit that changed a row. */
static int fail_to_reset(const struct sc_progress *progress, const struct sc_warmup *warmup,
			 uint64_t changing, struct sc_error *error)
{
	const char *name = warmup->workload->name;
	uint32_t pages = warmup->effective->wal_autocheckpoint;

	if (changing > 0 && changing < progress->next)
		return sc_fail(error, SC_E_UNMEASURABLE,
			       "workload %s used up its rows: after %" PRIu64 " operations nothing "
			       "changed, and the WAL was not at a checkpoint of %" PRIu32
			       " pages; it needs more --rows",
			       name, changing, pages);
	return sc_fail(error, SC_E_UNMEASURABLE,
		       "workload %s writes too little to bring the WAL to a checkpoint of %" PRIu32
		       " pages in %" PRIu64 " operations before the clock",
		       name, pages, progress->next);
}

/* Commits until the WAL has been reset once more. *ret_commits: how many of them that took. */
static int run_until_reset(struct sc_progress *progress, const struct sc_warmup *warmup,
			   uint64_t commits_max, uint64_t *ret_commits, struct sc_error *error)
{
	uint32_t before = 0, now = 0;
	uint64_t changing = 0;
	int r;

	r = run_commits(progress, warmup, 1, error);
	if (r == 0)
		r = sc_wal_sequence(progress->db, &before, error);
	for (uint64_t i = 0; r == 0 && i < commits_max; i++) {
		int changes = sqlite3_total_changes(progress->db);

		r = run_commits(progress, warmup, 1, error);
		if (sqlite3_total_changes(progress->db) != changes)
			changing = progress->next;
		if (r == 0)
			r = sc_wal_sequence(progress->db, &now, error);
		if (r == 0 && now != before) {
			*ret_commits = i + 1;
			return 0;
		}
	}
	if (r < 0)
		return r;
	return fail_to_reset(progress, warmup, changing, error);
}

/* The first cycle of a WAL, and half of the second. */
static int run_to_half_cycle(struct sc_progress *progress, const struct sc_warmup *warmup,
			     struct sc_error *error)
{
	/* Each commit writes a frame or more; what takes longer than this writes nothing. */
	uint64_t commits_max = UINT64_C(2) * warmup->effective->wal_autocheckpoint + 16;
	uint64_t commits = 0;
	int r;

	r = run_until_reset(progress, warmup, commits_max, &commits, error);
	if (r < 0)
		return r;
	return run_commits(progress, warmup, commits / 2 * warmup->rows_per_commit, error);
}

/* What it starts with must be there when the clock starts, no row more or less. */
static bool counts_its_rows(const struct sc_workload *workload)
{
	return workload->consumes_rows > 0 || workload->starts_empty;
}

static int touch(struct sc_progress *progress, struct sc_error *error)
{
	return sc_database_run(progress->db, "PRAGMA user_version=0", error);
}

/*
 * For a workload that uses up its rows, or starts without any: the page that each such commit
 * writes is the first one, and its content does not change.
 */
static int touch_to_half_cycle(struct sc_progress *progress, const struct sc_warmup *warmup,
			       struct sc_error *error)
{
	uint32_t before = 0, now = 0, commits = 0;
	int r = touch(progress, error);

	if (r == 0)
		r = sc_wal_sequence(progress->db, &before, error);
	for (now = before; r == 0 && now == before; commits++) {
		r = touch(progress, error);
		if (r == 0)
			r = sc_wal_sequence(progress->db, &now, error);
		if (r == 0 && commits > warmup->effective->wal_autocheckpoint + 16)
			return fail_to_reset(progress, warmup, 0, error);
	}
	for (uint32_t i = 0; r == 0 && i < commits / 2; i++)
		r = touch(progress, error);
	return r;
}

static int recycle_by_hand(struct sc_progress *progress, const struct sc_warmup *warmup,
			   struct sc_error *error)
{
	uint32_t before = 0, now = 0;
	int r;

	r = run_commits(progress, warmup, warmup->operations, error);
	if (r == 0)
		r = sc_wal_sequence(progress->db, &before, error);
	if (r == 0)
		r = sc_database_run(progress->db, "PRAGMA wal_checkpoint(PASSIVE)", error);
	if (r == 0)
		r = run_commits(progress, warmup, 1, error);
	if (r == 0)
		r = sc_wal_sequence(progress->db, &now, error);
	if (r < 0)
		return r;
	if (r > 0 || now == before)
		return sc_fail(error, SC_E_UNMEASURABLE,
			       "workload %s does not write, so its WAL is never reset",
			       warmup->workload->name);
	return 0;
}

static int recycle(struct sc_progress *progress, const struct sc_warmup *warmup,
		   struct sc_error *error)
{
	char restore[48];
	int r;

	r = sc_database_run(progress->db, "PRAGMA synchronous=OFF", error);
	if (r < 0)
		return r;
	if (warmup->effective->wal_autocheckpoint > 0 && counts_its_rows(warmup->workload))
		r = touch_to_half_cycle(progress, warmup, error);
	else if (warmup->effective->wal_autocheckpoint > 0)
		r = run_to_half_cycle(progress, warmup, error);
	else
		r = recycle_by_hand(progress, warmup, error);
	if (r < 0)
		return r;
	(void)snprintf(restore, sizeof restore, "PRAGMA synchronous=%s",
		       sc_synchronous_name(warmup->effective->synchronous));
	return sc_database_run(progress->db, restore, error);
}

/* The next header will carry *ret_sequence. */
static int empty_wal(struct sc_progress *progress, uint32_t *ret_sequence, struct sc_error *error)
{
	int r = sc_wal_sequence(progress->db, ret_sequence, error);

	if (r < 0)
		return r;
	/* A truncating checkpoint resets; a WAL without a header starts at 0 and goes to 1. */
	*ret_sequence = r == 0 ? *ret_sequence + 1 : 1;
	return sc_database_run(progress->db, "PRAGMA wal_checkpoint(TRUNCATE)", error);
}

/*
 * For a workload that only reads. A WAL without a frame does not tell the database's size, so that
 * each read transaction asks the file system for it; one that was written to and checkpointed, as
 * an application's mostly is, does. The write changes nothing: suites set no user_version.
 */
static int touch_wal(struct sc_progress *progress, struct sc_error *error)
{
	return sc_database_run(progress->db,
			       "PRAGMA user_version=0; PRAGMA wal_checkpoint(PASSIVE)", error);
}

int sc_warmup_run(struct sc_progress *progress, const struct sc_warmup *warmup,
		  uint32_t *ret_wal_sequence, struct sc_error *error)
{
	bool in_wal = warmup->effective->journal_mode == SC_JOURNAL_WAL;
	bool writes = warmup->workload->writes;
	bool fresh = warmup->wal_state == SC_WAL_FRESH;
	int r = 0;

	*ret_wal_sequence = 0;
	if (in_wal && !fresh)
		r = writes ? recycle(progress, warmup, error) : touch_wal(progress, error);
	if (r == 0)
		r = run_commits(progress, warmup, warmup->workload->warmup_ops, error);
	if (r == 0 && in_wal && fresh && writes)
		r = empty_wal(progress, ret_wal_sequence, error);
	else if (r == 0 && in_wal && writes)
		r = sc_wal_sequence(progress->db, ret_wal_sequence, error);
	if (r == 0 && in_wal && fresh && writes && warmup->effective->wal_autocheckpoint > 0)
		sc_program_stay_fresh(progress->program, warmup->effective->wal_autocheckpoint);
	return r < 0 ? r : sc_database_sync(progress->db, error);
}
