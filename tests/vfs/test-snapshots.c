/* SPDX-License-Identifier: MIT */
/* Snapshots, what lies between two of them, and resets. */

#include "scene.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static sqlite3 *open_wal(const char *name)
{
	sqlite3 *db = scene_open(name);

	run(db, "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
	run(db, "CREATE TABLE IF NOT EXISTS t(a)");
	return db;
}

static void insert_marked(sqlite3 *db, int rows)
{
	for (int i = 0; i < rows; i++)
		run_marked(db, "INSERT INTO t VALUES(randomblob(100))");
}

static void rows_are_sorted_and_none_is_empty(void **state)
{
	sqlite3 *a = open_wal("a.db"), *b = open_wal("b.db");
	const struct syncost_snapshot *snapshot;

	(void)state;
	insert_marked(a, 5);
	insert_marked(b, 5);
	snapshot = take();
	assert_true(snapshot->row_count > 20);
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];
		uint64_t sum = 0;

		assert_true(row->calls > 0);
		assert_true(row->timed <= row->calls);
		assert_true((row->timed > 0) == (row->buckets != NULL));
		for (uint32_t k = 0; row->buckets && k < SC_HIST_BUCKETS; k++)
			sum += row->buckets[k];
		assert_int_equal(sum, row->timed);
		assert_true(row->ns <= row->timed * row->ns_max);
		if (i > 0)
			assert_true(
				sc_series_key(row->instrument, row->database, row->role, row->op) >
				sc_series_key(row[-1].instrument, row[-1].database, row[-1].role,
					      row[-1].op));
	}
	scene_close(a);
	scene_close(b);
}

static const struct syncost_row *row_in(const struct syncost_snapshot *snapshot,
					const struct syncost_row *like)
{
	return row_of(snapshot, like->database, like->role, like->op);
}

static void an_interval_is_the_difference(void **state)
{
	struct syncost_snapshot *earlier = NULL, *later = NULL, *between = NULL;
	sqlite3 *db = open_wal("a.db"), *other;

	(void)state;
	insert_marked(db, 20);
	assert_int_equal(syncost_snapshot(&earlier), 0);
	insert_marked(db, 30);
	other = open_wal("b.db");
	insert_marked(other, 3);
	assert_int_equal(syncost_snapshot(&later), 0);
	assert_int_equal(syncost_snapshot_since(later, earlier, &between), 0);

	assert_int_equal(between->transactions, later->transactions - earlier->transactions);
	assert_int_equal(database_of(between, "a.db")->commits, 30);
	assert_int_equal(between->split.calls, 33);
	assert_int_equal(between->commit_count, between->transactions);
	assert_int_equal(between->commits_dropped, 0);
	assert_int_equal(database_of(between, "a.db")->size_bytes[SC_ROLE_WAL],
			 scene_size("a.db-wal"));
	for (size_t i = 0; i < between->row_count; i++) {
		const struct syncost_row *row = &between->rows[i];
		const struct syncost_row *after = row_in(later, row),
					 *before = row_in(earlier, row);

		assert_int_equal(row->calls, after->calls - (before ? before->calls : 0));
		assert_int_equal(row->bytes, after->bytes - (before ? before->bytes : 0));
		assert_int_equal(row->ns, after->ns - (before ? before->ns : 0));
		for (uint32_t k = 0; row->buckets && k < SC_HIST_BUCKETS; k++)
			assert_int_equal(row->buckets[k],
					 after->buckets[k] - (before && before->buckets
								      ? before->buckets[k]
								      : 0));
	}
	/* Rows in which nothing happened are left out. */
	assert_true(between->row_count < later->row_count + 1);
	for (size_t i = 0; i < between->row_count; i++)
		assert_true(between->rows[i].calls > 0);
	for (int part = 0; part < SC_PART_COUNT_; part++)
		assert_int_equal(between->split.wall_ns[part],
				 later->split.wall_ns[part] - earlier->split.wall_ns[part]);
	syncost_snapshot_free(earlier);
	syncost_snapshot_free(later);
	syncost_snapshot_free(between);
	scene_close(db);
	scene_close(other);
}

static void nothing_happened_is_nothing(void **state)
{
	struct syncost_snapshot *earlier = NULL, *later = NULL, *between = NULL;
	sqlite3 *db = open_wal("a.db");

	(void)state;
	insert_marked(db, 3);
	assert_int_equal(syncost_snapshot(&earlier), 0);
	assert_int_equal(syncost_snapshot(&later), 0);
	assert_int_equal(syncost_snapshot_since(later, earlier, &between), 0);
	assert_int_equal(between->row_count, 0);
	assert_int_equal(between->commit_count, 0);
	assert_int_equal(between->transactions, 0);
	for (int part = 0; part < SC_PART_COUNT_; part++)
		assert_int_equal(between->split.wall_ns[part], 0);
	syncost_snapshot_free(earlier);
	syncost_snapshot_free(later);
	syncost_snapshot_free(between);
	scene_close(db);
}

static void a_reset_sets_all_to_zero_but_sizes(void **state)
{
	sqlite3 *db = open_wal("a.db");
	const struct syncost_snapshot *snapshot;

	(void)state;
	run(db, "PRAGMA wal_autocheckpoint = 3");
	insert_marked(db, 50);
	assert_int_equal(syncost_reset(), 0);
	snapshot = take();
	assert_int_equal(snapshot->row_count, 0);
	assert_int_equal(snapshot->commit_count, 0);
	assert_int_equal(snapshot->commits_dropped, 0);
	assert_int_equal(snapshot->transactions, 0);
	assert_int_equal(snapshot->empty_commits, 0);
	assert_int_equal(snapshot->split.calls, 0);
	assert_int_equal(snapshot->busy, 0);
	for (int part = 0; part < SC_PART_COUNT_; part++) {
		assert_int_equal(snapshot->split.wall_ns[part], 0);
		assert_int_equal(snapshot->split.checkpoint_ns[part], 0);
	}
	assert_int_equal(database_of(snapshot, "a.db")->commits, 0);
	assert_int_equal(database_of(snapshot, "a.db")->checkpoints, 0);
	assert_int_equal(database_of(snapshot, "a.db")->wal_frames, 0);
	assert_int_equal(database_of(snapshot, "a.db")->size_bytes[SC_ROLE_MAIN_DB],
			 scene_size("a.db"));

	/* And what comes after is exact. */
	insert_marked(db, 10);
	assert_int_equal(take()->transactions, 10);
	assert_int_equal(take()->split.calls, 10);
	assert_int_equal(take()->commit_count, 10);
	assert_int_equal(calls_of(take(), SC_ROLE_WAL, SC_OP_SYNC) >= 10, 1);
	scene_close(db);
}

static _Atomic bool is_over;

static void *insert_until_over(void *argument)
{
	sqlite3 *db = argument;

	while (!atomic_load(&is_over)) {
		syncost_call_begin();
		sqlite3_exec(db, "INSERT INTO t VALUES(1)", NULL, NULL, NULL);
		syncost_call_end();
	}
	return NULL;
}

static void snapshots_do_not_disturb_writers(void **state)
{
	sqlite3 *db = open_wal("a.db");
	uint64_t last = 0, total;
	pthread_t writer;

	(void)state;
	run(db, "PRAGMA synchronous = OFF");
	assert_int_equal(syncost_reset(), 0);
	atomic_store(&is_over, false);
	assert_int_equal(pthread_create(&writer, NULL, insert_until_over, db), 0);
	for (int i = 0; i < 100; i++) {
		const struct syncost_snapshot *snapshot = take();

		assert_true(snapshot->transactions >= last);
		last = snapshot->transactions;
		for (size_t k = 0; k < snapshot->commit_count; k++)
			assert_true(snapshot->commits[k].end_ns >= snapshot->commits[k].start_ns);
	}
	atomic_store(&is_over, true);
	pthread_join(writer, NULL);
	total = (uint64_t)ask(db, "SELECT count(*) FROM t");
	assert_int_equal(take()->transactions, total);
	assert_int_equal(take()->commit_count + take()->commits_dropped, total);
	scene_close(db);
}

static void names_exist_for_all_there_is(void **state)
{
	(void)state;
	for (int i = 0; i < SC_INSTRUMENT_COUNT_; i++)
		assert_non_null(syncost_instrument_name((enum sc_instrument)i));
	for (int i = 0; i < SC_ROLE_COUNT_; i++)
		assert_non_null(syncost_role_name((enum sc_role)i));
	for (int i = 0; i < SC_PART_COUNT_; i++)
		assert_non_null(syncost_part_name((enum sc_part)i));
	for (int i = 0; i < SC_OP_COUNT_; i++) {
		assert_non_null(syncost_op_info((enum sc_op)i));
		assert_non_null(syncost_op_info((enum sc_op)i)->name);
		assert_true(syncost_op_info((enum sc_op)i)->every >= 1);
		assert_true(syncost_op_info((enum sc_op)i)->part < SC_PART_COUNT_);
		for (int k = 0; k < i; k++)
			assert_string_not_equal(syncost_op_info((enum sc_op)i)->name,
						syncost_op_info((enum sc_op)k)->name);
	}
	assert_null(syncost_op_info(SC_OP_COUNT_));
	assert_null(syncost_role_name(SC_ROLE_COUNT_));
}

static void without_a_meter_there_is_none(void **state)
{
	struct syncost_snapshot *snapshot = NULL;

	(void)state;
	assert_int_equal(syncost_snapshot(&snapshot), -EINVAL);
	assert_int_equal(syncost_reset(), -EINVAL);
	assert_null(snapshot);
	syncost_snapshot_free(NULL);
	syncost_call_begin();
	syncost_call_end();
	assert_int_equal(syncost_stop(), 0);
	assert_int_equal(syncost_tap_start(), SYNCOST_NO_TAP);
	assert_int_equal(syncost_tap_database("/a.db"), SYNCOST_NO_TAP);
	syncost_tap_stop();
}

static void nothing_is_read_through_null(void **state)
{
	struct syncost_snapshot *snapshot = NULL, *none = NULL;

	(void)state;
	assert_int_equal(syncost_snapshot(&snapshot), 0);
	assert_int_equal(syncost_snapshot(NULL), -EINVAL);
	assert_int_equal(syncost_snapshot_read(NULL, &none), -EINVAL);
	assert_int_equal(syncost_snapshot_read("/dev/null", NULL), -EINVAL);
	assert_int_equal(syncost_snapshot_since(NULL, snapshot, &none), -EINVAL);
	assert_int_equal(syncost_snapshot_since(snapshot, NULL, &none), -EINVAL);
	assert_int_equal(syncost_snapshot_since(snapshot, snapshot, NULL), -EINVAL);
	assert_int_equal(syncost_register(NULL, NULL, false), -EINVAL);
	assert_int_equal(syncost_unregister(NULL), -ENOENT);
	assert_null(none);
	assert_int_equal(syncost_snapshot_since(snapshot, snapshot, &none), 0); /* the control */
	syncost_snapshot_free(none);
	syncost_snapshot_free(snapshot);
}

/* A program may call SQLite behind our back. */
static void a_shim_that_sqlite_forgot_is_dropped(void **state)
{
	struct syncost_snapshot *snapshot = NULL;
	sqlite3 *db = NULL;

	(void)state;
	assert_int_equal(syncost_start(&(struct syncost_options){.anonymous = true}), 0);

	/* by name, though SQLite no longer knows the name */
	assert_int_equal(syncost_register(NULL, "z", false), 0);
	assert_int_equal(sqlite3_vfs_unregister(sqlite3_vfs_find("z")), SQLITE_OK);
	assert_int_equal(syncost_unregister("z"), 0);
	assert_int_equal(syncost_unregister("z"), -ENOENT);

	/* by the next of its name, and no slot is lost: there are 16 */
	for (int i = 0; i < 40; i++) {
		assert_int_equal(syncost_register(NULL, "z", false), 0);
		assert_int_equal(sqlite3_vfs_unregister(sqlite3_vfs_find("z")), SQLITE_OK);
	}

	/* not while a file is open through it; the connection stays measured */
	assert_int_equal(syncost_register(NULL, "y", false), 0);
	assert_int_equal(sqlite3_open_v2(scene_path("y.db"), &db,
					 SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, "y"),
			 SQLITE_OK);
	run(db, "CREATE TABLE t(a)");
	assert_int_equal(sqlite3_vfs_unregister(sqlite3_vfs_find("y")), SQLITE_OK);
	assert_int_equal(syncost_unregister("y"), -EBUSY);
	assert_int_equal(syncost_stop(), -EBUSY);
	run(db, "INSERT INTO t VALUES(1)");
	assert_int_equal(syncost_snapshot(&snapshot), 0);
	assert_int_equal(snapshot->transactions, 2);
	syncost_snapshot_free(snapshot);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(syncost_stop(), 0);
}

/* A directory, and no meter: the case starts its own. */
static int directory_only(void **state)
{
	int r = scene_setup(state);

	if (r == 0)
		r = syncost_unregister(SHIM_NAME);
	return r == 0 ? syncost_stop() : r;
}

static int directory_done(void **state)
{
	syncost_start(&(struct syncost_options){.anonymous = true});
	syncost_register(UNDER_NAME, SHIM_NAME, false);
	return scene_teardown(state);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE_BARE("without a meter there is none", without_a_meter_there_is_none),
		CASE("rows are sorted, and none is empty", rows_are_sorted_and_none_is_empty),
		CASE("an interval is the difference", an_interval_is_the_difference),
		CASE("nothing happened is nothing", nothing_happened_is_nothing),
		CASE("a reset sets all to zero but sizes", a_reset_sets_all_to_zero_but_sizes),
		CASE("snapshots do not disturb writers", snapshots_do_not_disturb_writers),
		CASE("nothing is read through NULL", nothing_is_read_through_null),
		{
			.name = "a shim that SQLite forgot is dropped",
			.test_func = a_shim_that_sqlite_forgot_is_dropped,
			.setup_func = directory_only,
			.teardown_func = directory_done,
		},
		CASE_BARE("names exist for all there is", names_exist_for_all_there_is),
	};

	return cmocka_run_group_tests_name("snapshots", tests, NULL, NULL);
}
