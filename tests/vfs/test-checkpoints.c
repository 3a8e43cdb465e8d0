/* SPDX-License-Identifier: MIT */
/* Checkpoints, resets and frames against what sqlite3_wal_checkpoint_v2() itself answers. */

#include "scene.h"

#include <stdio.h>
#include <string.h>

static const char *const lockings[] = {"NORMAL", "EXCLUSIVE"};
static const char *const syncs[] = {"OFF", "NORMAL", "FULL"};
static const int modes[] = {SQLITE_CHECKPOINT_PASSIVE, SQLITE_CHECKPOINT_FULL,
			    SQLITE_CHECKPOINT_RESTART, SQLITE_CHECKPOINT_TRUNCATE};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static sqlite3 *open_wal(const char *name, const char *sync, const char *locking)
{
	sqlite3 *db = scene_open(name);

	run(db, "PRAGMA locking_mode = %s; PRAGMA journal_mode = WAL", locking);
	run(db, "PRAGMA synchronous = %s; PRAGMA wal_autocheckpoint = 0", sync);
	run(db, "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a)");
	return db;
}

static void insert_rows(sqlite3 *db, int count)
{
	for (int i = 0; i < count; i++)
		run(db, "INSERT INTO t(a) VALUES(randomblob(3000))");
}

/* Pages that the WAL of @db holds and a complete checkpoint copies: each once. */
static int64_t distinct_frames(const char *name)
{
	char path[700], seen[4096] = {0};
	unsigned char header[24];
	int64_t distinct = 0;
	FILE *file;

	snprintf(path, sizeof(path), "%s-wal", scene_path(name));
	file = fopen(path, "rb");
	assert_non_null(file);
	for (long at = 32; fseek(file, at, SEEK_SET) == 0 && fread(header, 1, 24, file) == 24;
	     at += 24 + 4096) {
		unsigned page = (unsigned)header[2] << 8 | header[3];

		assert_true(page < sizeof(seen));
		distinct += !seen[page];
		seen[page] = 1;
	}
	fclose(file);
	return distinct;
}

static void one_checkpoint(const char *name, const char *sync, const char *locking, int mode)
{
	sqlite3 *db = open_wal(name, sync, locking);
	const struct syncost_database *database;
	const struct syncost_snapshot *snapshot;
	int in_wal = -1, copied = -1;
	int64_t distinct;

	insert_rows(db, 30);
	distinct = distinct_frames(name);
	under_clear();
	assert_int_equal(syncost_reset(), 0);
	assert_int_equal(sqlite3_wal_checkpoint_v2(db, NULL, mode, &in_wal, &copied), SQLITE_OK);
	assert_int_equal(in_wal, copied);

	snapshot = take();
	database = database_of(snapshot, name);
	if (database->checkpoints != 1 || database->checkpoint_frames != (uint64_t)distinct)
		fail_msg("%s %s mode %d: %llu checkpoints, %llu frames; %lld distinct pages", sync,
			 locking, mode, (unsigned long long)database->checkpoints,
			 (unsigned long long)database->checkpoint_frames, (long long)distinct);
	assert_true(database->checkpoint_ns > 0);
	assert_int_equal(database->wal_frames, 0);

	/* Everything that happened was the checkpoint, but for the locks around it. */
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		if (row->op == SC_OP_READ || row->op == SC_OP_WRITE || row->op == SC_OP_SYNC ||
		    row->op == SC_OP_TRUNCATE)
			assert_int_equal(row->checkpoint_calls, row->calls);
	}
	assert_int_equal(row_of(snapshot, slot_of(snapshot, name), SC_ROLE_MAIN_DB, SC_OP_WRITE)
				 ->checkpoint_bytes,
			 under.counts[SC_ROLE_MAIN_DB][SC_OP_WRITE].bytes);
	assert_int_equal(snapshot->transactions, 0);
	scene_close(db);
}

static void a_checkpoint_copies_each_page_once(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lockings) * COUNT(syncs) * COUNT(modes); i++) {
		char name[32];

		snprintf(name, sizeof(name), "%zu.db", i);
		one_checkpoint(name, syncs[i / COUNT(modes) % COUNT(syncs)],
			       lockings[i / (COUNT(modes) * COUNT(syncs))],
			       modes[i % COUNT(modes)]);
	}
}

static void frames_are_those_of_the_wal(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lockings) * COUNT(syncs); i++) {
		int in_wal = -1, copied = -1;
		char name[32];
		sqlite3 *db;

		snprintf(name, sizeof(name), "%zu.db", i);
		db = open_wal(name, syncs[i % COUNT(syncs)], lockings[i / COUNT(syncs)]);
		insert_rows(db, 10);
		run(db, "UPDATE t SET a = 1");
		assert_int_equal(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE,
							   &in_wal, &copied),
				 SQLITE_OK);
		assert_int_equal(database_of(take(), name)->wal_frames, in_wal);
		assert_int_equal(database_of(take(), name)->wal_creations, 1);
		assert_int_equal(database_of(take(), name)->wal_resets, 0);
		scene_close(db);
	}
}

static void a_page_written_twice_in_a_spill_is_one_frame(void **state)
{
	sqlite3 *db = open_wal("a.db", "OFF", "NORMAL");
	int in_wal = -1, copied = -1;

	(void)state;
	insert_rows(db, 50);
	run(db, "PRAGMA cache_size = 4");
	assert_int_equal(
		sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, &in_wal, &copied),
		SQLITE_OK);
	assert_int_equal(syncost_reset(), 0);
	/* Pages spill, are changed again, and their frames get new headers before the commit. */
	run(db, "BEGIN; UPDATE t SET a = randomblob(3000); UPDATE t SET a = randomblob(2999)");
	run(db, "UPDATE t SET a = randomblob(2998) WHERE id %% 2 = 0; COMMIT");
	assert_int_equal(
		sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_wal, &copied),
		SQLITE_OK);
	assert_true(calls_of(take(), SC_ROLE_WAL, SC_OP_READ) > 50);
	assert_int_equal(database_of(take(), "a.db")->wal_frames, in_wal);
	scene_close(db);
}

static void resets_and_creations_are_told_apart(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lockings); i++) {
		const struct syncost_database *database;
		int in_wal, copied;
		sqlite3 *db = open_wal(lockings[i], "NORMAL", lockings[i]);

		for (int round = 0; round < 4; round++) {
			insert_rows(db, 5);
			assert_int_equal(sqlite3_wal_checkpoint_v2(db, NULL,
								   SQLITE_CHECKPOINT_PASSIVE,
								   &in_wal, &copied),
					 SQLITE_OK);
		}
		insert_rows(db, 1);
		database = database_of(take(), lockings[i]);
		assert_int_equal(database->wal_creations, 1);
		assert_int_equal(database->wal_resets, 4);
		assert_int_equal(database->checkpoints, 4);

		assert_int_equal(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE,
							   &in_wal, &copied),
				 SQLITE_OK);
		insert_rows(db, 1);
		database = database_of(take(), lockings[i]);
		assert_int_equal(database->wal_creations, 2);
		assert_int_equal(database->wal_resets, 4);
		scene_close(db);
	}
}

static void nothing_to_copy_is_no_checkpoint(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lockings); i++) {
		sqlite3 *db = open_wal(lockings[i], "NORMAL", lockings[i]);
		int in_wal, copied;

		insert_rows(db, 3);
		assert_int_equal(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE,
							   &in_wal, &copied),
				 SQLITE_OK);
		assert_int_equal(syncost_reset(), 0);
		assert_int_equal(sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE,
							   &in_wal, &copied),
				 SQLITE_OK);
		assert_int_equal(database_of(take(), lockings[i])->checkpoints, 0);
		assert_int_equal(database_of(take(), lockings[i])->checkpoint_frames, 0);
		scene_close(db);
	}
}

static void a_reader_stops_a_checkpoint_short(void **state)
{
	sqlite3 *db = open_wal("a.db", "NORMAL", "NORMAL"), *reader = scene_open("a.db");
	int in_wal, copied;

	(void)state;
	insert_rows(db, 5);
	run(reader, "BEGIN; SELECT * FROM t");
	insert_rows(db, 5);
	assert_int_equal(syncost_reset(), 0);
	under_clear();
	assert_int_equal(
		sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_PASSIVE, &in_wal, &copied),
		SQLITE_OK);
	assert_true(copied < in_wal);
	assert_int_equal(database_of(take(), "a.db")->checkpoints, 1);
	assert_int_equal(database_of(take(), "a.db")->checkpoint_frames,
			 under.counts[SC_ROLE_MAIN_DB][SC_OP_WRITE].calls);
	/* It asked for the reader's lock, was told BUSY, and did not wait. */
	assert_true(take()->busy >= 1);
	assert_int_equal(take()->lock_waits, 0);
	run(reader, "COMMIT");
	scene_close(reader);
	scene_close(db);
}

static void the_last_close_checkpoints(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lockings) * COUNT(syncs); i++) {
		const struct syncost_snapshot *snapshot;
		int64_t distinct;
		char name[32];
		sqlite3 *db;

		snprintf(name, sizeof(name), "%zu.db", i);
		db = open_wal(name, syncs[i % COUNT(syncs)], lockings[i / COUNT(syncs)]);
		insert_rows(db, 5);
		distinct = distinct_frames(name);
		assert_int_equal(syncost_reset(), 0);
		scene_close(db);
		snapshot = take();
		assert_int_equal(database_of(snapshot, name)->checkpoints, 1);
		assert_int_equal(database_of(snapshot, name)->checkpoint_frames, distinct);
		assert_int_equal(
			row_of(snapshot, slot_of(snapshot, name), SC_ROLE_MAIN_DB, SC_OP_WRITE)
				->checkpoint_calls,
			distinct);
		if (i % COUNT(syncs) > 0) {
			assert_int_equal(
				row_of(snapshot, slot_of(snapshot, name), SC_ROLE_WAL, SC_OP_SYNC)
					->checkpoint_calls,
				1);
			assert_int_equal(row_of(snapshot, slot_of(snapshot, name), SC_ROLE_MAIN_DB,
						SC_OP_SYNC)
						 ->checkpoint_calls,
					 1);
		}
	}
}

static void an_automatic_checkpoint_is_charged_to_its_commit(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(lockings); i++) {
		sqlite3 *db = open_wal(lockings[i], "FULL", lockings[i]);
		const struct syncost_snapshot *snapshot;
		uint64_t in_commits_ns = 0;
		size_t with = 0;

		run(db, "PRAGMA wal_autocheckpoint = 20");
		assert_int_equal(syncost_reset(), 0);
		for (int round = 0; round < 100; round++)
			run_marked(db, "INSERT INTO t(a) VALUES(randomblob(2000))");

		snapshot = take();
		assert_int_equal(snapshot->transactions, 100);
		assert_int_equal(snapshot->commit_count, 100);
		for (size_t k = 0; k < snapshot->commit_count; k++) {
			const struct sc_commit *commit = &snapshot->commits[k];

			with += commit->checkpoint_ns > 0;
			in_commits_ns += commit->checkpoint_ns;
			assert_true(commit->checkpoint_ns < commit->end_ns - commit->start_ns);
		}
		assert_true(database_of(snapshot, lockings[i])->checkpoints >= 5);
		assert_int_equal(with, database_of(snapshot, lockings[i])->checkpoints);
		assert_int_equal(in_commits_ns, database_of(snapshot, lockings[i])->checkpoint_ns);
		/* Syncs of the commits themselves are outside of checkpoints. */
		assert_int_equal(
			row_of(snapshot, slot_of(snapshot, lockings[i]), SC_ROLE_WAL, SC_OP_SYNC)
				->checkpoint_calls,
			with);
		scene_close(db);
	}
}

static void leaving_wal_mode_checkpoints(void **state)
{
	sqlite3 *db = open_wal("a.db", "NORMAL", "NORMAL");
	int64_t distinct;

	(void)state;
	insert_rows(db, 5);
	distinct = distinct_frames("a.db");
	assert_int_equal(syncost_reset(), 0);
	run(db, "PRAGMA journal_mode = DELETE");
	assert_int_equal(database_of(take(), "a.db")->checkpoints, 1);
	assert_int_equal(database_of(take(), "a.db")->checkpoint_frames, distinct);
	assert_int_equal(take()->transactions, 1); /* the header's version number */
	insert_rows(db, 2);
	assert_int_equal(take()->transactions, 3);
	scene_close(db);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("a checkpoint copies each page once, in every mode",
		     a_checkpoint_copies_each_page_once),
		CASE("frames are those of the WAL", frames_are_those_of_the_wal),
		CASE("a page written twice in a spill is one frame",
		     a_page_written_twice_in_a_spill_is_one_frame),
		CASE("resets and creations are told apart", resets_and_creations_are_told_apart),
		CASE("nothing to copy is no checkpoint", nothing_to_copy_is_no_checkpoint),
		CASE("a reader stops a checkpoint short", a_reader_stops_a_checkpoint_short),
		CASE("the last close checkpoints", the_last_close_checkpoints),
		CASE("an automatic checkpoint is charged to its commit",
		     an_automatic_checkpoint_is_charged_to_its_commit),
		CASE("leaving WAL mode checkpoints", leaving_wal_mode_checkpoints),
	};

	return cmocka_run_group_tests_name("checkpoints", tests, NULL, NULL);
}
