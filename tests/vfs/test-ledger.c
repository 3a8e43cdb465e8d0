/* SPDX-License-Identifier: MIT */
/* The recording interface itself: databases and their files, threads, resets, what is used up. */

#include "scene.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ledger.h"

/* --- databases */

static void files_find_their_database(void **state)
{
	static const struct {
		const char *path;
		uint32_t slot;
		enum sc_role role;
	} cases[] = {
		{"/data/a.db", 1, SC_ROLE_MAIN_DB},
		{"/data/a.db-wal", 2, SC_ROLE_MAIN_DB}, /* a name that is both is the database */
		{"/data/a.db-journal", 1, SC_ROLE_MAIN_JOURNAL},
		{"/data/a.db-shm", 1, SC_ROLE_SHM},
		{"/data/a.db-mj0A1B2C9DE", 1, SC_ROLE_SUPER_JOURNAL},
		{"/data/a.db-wal-wal", 2, SC_ROLE_WAL},
		{"/data/a.db-wal-journal", 2, SC_ROLE_MAIN_JOURNAL},
		{"/data", 1, SC_ROLE_DIRECTORY},
		{"/data/", 1, SC_ROLE_DIRECTORY},
		{"/other/b.db", 3, SC_ROLE_MAIN_DB},
		{"/other/b.db-wal", 3, SC_ROLE_WAL},
		{"/other", 3, SC_ROLE_DIRECTORY},
		{"/c.db", 4, SC_ROLE_MAIN_DB},
		{"/", 4, SC_ROLE_DIRECTORY},
		{"/data/a.dbx", 0, SC_ROLE_OTHER},
		{"/data/a.d", 0, SC_ROLE_OTHER},
		{"/data/a.db-mj0A1B2C9D", 0, SC_ROLE_OTHER},
		{"/data/a.db-mj0A1B2C9DX", 0, SC_ROLE_OTHER},
		{"/data/b.db-wal", 0, SC_ROLE_OTHER},
		{"-wal", 0, SC_ROLE_OTHER},
		{"", 0, SC_ROLE_OTHER},
		{"/dat", 0, SC_ROLE_OTHER},
	};

	(void)state;
	assert_int_equal(sc_ledger_database("/data/a.db"), 1);
	assert_int_equal(sc_ledger_database("/data/a.db-wal"), 2); /* a database of that name */
	assert_int_equal(sc_ledger_database("/other/b.db"), 3);
	assert_int_equal(sc_ledger_database("/c.db"), 4);
	assert_int_equal(sc_ledger_database("/data/a.db"), 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		enum sc_role role;
		uint32_t slot = sc_ledger_database_find(cases[i].path, &role);

		if (slot != cases[i].slot || role != cases[i].role)
			fail_msg("%s: slot %u, %s", cases[i].path, slot, syncost_role_name(role));
	}
}

static void a_full_table_is_slot_zero(void **state)
{
	char path[64];

	(void)state;
	for (uint32_t i = 1; i < SC_METER_DATABASES; i++) {
		snprintf(path, sizeof(path), "/d/%u.db", i);
		assert_int_equal(sc_ledger_database(path), i);
	}
	assert_int_equal(sc_ledger_database("/d/one-more.db"), 0);
	assert_int_equal(sc_ledger_database("/d/7.db"), 7);
}

static void a_long_path_keeps_its_tail(void **state)
{
	char path[2 * SC_METER_PATH_BYTES], other[sizeof(path)], wal[sizeof(path) + 4];
	enum sc_role role;
	uint32_t slot;

	(void)state;
	memset(path, 'p', sizeof(path));
	memcpy(path + sizeof(path) - 6, "/a.db", 6);
	slot = sc_ledger_database(path);
	assert_int_equal(slot, 1);
	assert_int_equal(sc_ledger_database(path), 1);
	snprintf(wal, sizeof(wal), "%s-wal", path);
	assert_int_equal(sc_ledger_database_find(wal, &role), 1);
	assert_int_equal(role, SC_ROLE_WAL);
	assert_int_equal(strlen(take()->databases[1].path), SC_METER_PATH_BYTES - 1);
	memcpy(other, path, sizeof(path));
	other[sizeof(other) - 5] = 'b';
	assert_int_equal(sc_ledger_database(other), 2);
}

static void *add_databases(void *argument)
{
	uint32_t *slots = argument;
	char path[64];

	for (uint32_t i = 0; i < 40; i++) {
		snprintf(path, sizeof(path), "/d/%u.db", i);
		slots[i] = sc_ledger_database(path);
	}
	return NULL;
}

static void threads_agree_on_slots(void **state)
{
	static uint32_t slots[4][40];
	pthread_t threads[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, add_databases, slots[i]), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	for (int i = 1; i < 4; i++)
		assert_memory_equal(slots[i], slots[0], sizeof(slots[0]));
	for (int a = 0; a < 40; a++) {
		assert_true(slots[0][a] >= 1 && slots[0][a] <= 40);
		for (int b = 0; b < a; b++)
			assert_int_not_equal(slots[0][a], slots[0][b]);
	}
}

/* --- sizes */

static void sizes_keep_their_highest_moment(void **state)
{
	const struct syncost_snapshot *snapshot;
	uint32_t a = sc_ledger_database("/d/a.db"), b = sc_ledger_database("/d/b.db");

	(void)state;
	sc_ledger_size(a, SC_ROLE_MAIN_DB, 100);
	sc_ledger_size(a, SC_ROLE_WAL, 50);
	sc_ledger_size(b, SC_ROLE_MAIN_DB, 1000);
	sc_ledger_size(a, SC_ROLE_WAL, 0);
	sc_ledger_size(b, SC_ROLE_MAIN_DB, 10);
	sc_ledger_size(a, SC_ROLE_MAIN_DB, 120);
	snapshot = take();
	assert_int_equal(snapshot->databases[a].size_bytes[SC_ROLE_MAIN_DB], 120);
	assert_int_equal(snapshot->databases[a].size_bytes_max[SC_ROLE_WAL], 50);
	assert_int_equal(snapshot->databases[a].total_bytes, 120);
	assert_int_equal(snapshot->databases[a].total_bytes_max, 150);
	assert_int_equal(snapshot->databases[b].total_bytes_max, 1000);
	assert_int_equal(snapshot->total_bytes, 130);
	assert_int_equal(snapshot->total_bytes_max, 1150);
}

static void a_look_does_not_undo_a_later_size(void **state)
{
	uint32_t slot = sc_ledger_database("/d/a.db");
	uint64_t known_bytes;

	(void)state;
	sc_ledger_size(slot, SC_ROLE_MAIN_DB, 100);
	known_bytes = sc_ledger_size_known(slot, SC_ROLE_MAIN_DB);
	sc_ledger_size(slot, SC_ROLE_MAIN_DB, 200); /* a writer, during the look */
	sc_ledger_size_seen(slot, SC_ROLE_MAIN_DB, known_bytes, 150);
	assert_int_equal(take()->databases[slot].size_bytes[SC_ROLE_MAIN_DB], 200);
	sc_ledger_size_seen(slot, SC_ROLE_MAIN_DB, 200, 150);
	assert_int_equal(take()->databases[slot].size_bytes[SC_ROLE_MAIN_DB], 150);
	assert_int_equal(take()->databases[slot].total_bytes, 150);
}

/* --- threads */

static void note_some(uint32_t slot, unsigned count)
{
	struct sc_thread *thread = sc_thread_get();

	for (unsigned i = 0; thread && i < count; i++)
		sc_ledger_note(
			sc_ledger_series(thread, SC_INSTRUMENT_VFS, slot, SC_ROLE_WAL, SC_OP_WRITE),
			true, 1, 1, false, false);
}

static void *note_ten(void *argument)
{
	note_some(*(uint32_t *)argument, 10);
	return NULL;
}

static void a_thread_that_ends_hands_its_shard_over(void **state)
{
	uint32_t slot = sc_ledger_database("/d/a.db");

	(void)state;
	note_some(slot, 1);
	for (int i = 0; i < 1000; i++) {
		pthread_t thread;

		assert_int_equal(pthread_create(&thread, NULL, note_ten, &slot), 0);
		pthread_join(thread, NULL);
	}
	assert_int_equal(row_of(take(), slot, SC_ROLE_WAL, SC_OP_WRITE)->calls, 10001);
	assert_int_equal(take()->calls_dropped, 0);
	assert_int_equal(sc_ledger.meter->shards_used, 2);
	assert_true(sc_ledger.meter->series_used <= 2);
}

static sem_t is_attached, may_end;

static void *attach_and_wait(void *argument)
{
	note_some(*(uint32_t *)argument, 1);
	sem_post(&is_attached);
	sem_wait(&may_end);
	return NULL;
}

static void what_finds_no_shard_is_dropped_and_counted(void **state)
{
	enum { SPARE = 5 };
	uint32_t slot = sc_ledger_database("/d/a.db");
	static pthread_t threads[SC_METER_SHARDS + SPARE];
	pthread_t late;

	(void)state;
	sem_init(&is_attached, 0, 0);
	sem_init(&may_end, 0, 0);
	for (size_t i = 0; i < SC_METER_SHARDS + SPARE; i++) {
		assert_int_equal(pthread_create(&threads[i], NULL, attach_and_wait, &slot), 0);
		sem_wait(&is_attached);
	}
	assert_int_equal(row_of(take(), slot, SC_ROLE_WAL, SC_OP_WRITE)->calls, SC_METER_SHARDS);
	assert_int_equal(take()->calls_dropped, SPARE);

	/* When they have ended, the next finds room again. */
	for (size_t i = 0; i < SC_METER_SHARDS + SPARE; i++)
		sem_post(&may_end);
	for (size_t i = 0; i < SC_METER_SHARDS + SPARE; i++)
		pthread_join(threads[i], NULL);
	assert_int_equal(pthread_create(&late, NULL, note_ten, &slot), 0);
	pthread_join(late, NULL);
	assert_int_equal(row_of(take(), slot, SC_ROLE_WAL, SC_OP_WRITE)->calls,
			 SC_METER_SHARDS + 10);
	sem_destroy(&is_attached);
	sem_destroy(&may_end);
}

static void what_finds_no_series_is_dropped_and_counted(void **state)
{
	struct sc_thread *thread = sc_thread_get();
	uint64_t dropped = 0;

	(void)state;
	atomic_store(&sc_ledger.meter->series_used, SC_METER_SERIES - 10);
	for (int op = 0; op < SC_OP_COUNT_; op++)
		dropped += sc_ledger_series(thread, SC_INSTRUMENT_VFS, 1, SC_ROLE_WAL,
					    (enum sc_op)op) == NULL;
	assert_int_equal(dropped, SC_OP_COUNT_ - 10);
	assert_int_equal(take()->calls_dropped, dropped);
}

/* --- resets and restarts */

static void *note_before_and_after(void *argument)
{
	note_some(*(uint32_t *)argument, 7);
	sem_post(&is_attached);
	sem_wait(&may_end);
	note_some(*(uint32_t *)argument, 3);
	return NULL;
}

static void a_reset_holds_for_threads_that_were_idle(void **state)
{
	uint32_t slot = sc_ledger_database("/d/a.db");
	pthread_t thread;

	(void)state;
	sem_init(&is_attached, 0, 0);
	sem_init(&may_end, 0, 0);
	note_some(slot, 5);
	assert_int_equal(pthread_create(&thread, NULL, note_before_and_after, &slot), 0);
	sem_wait(&is_attached);
	assert_int_equal(row_of(take(), slot, SC_ROLE_WAL, SC_OP_WRITE)->calls, 12);

	assert_int_equal(syncost_reset(), 0);
	assert_int_equal(take()->row_count, 0);
	note_some(slot, 2);
	assert_int_equal(row_of(take(), slot, SC_ROLE_WAL, SC_OP_WRITE)->calls, 2);
	sem_post(&may_end);
	pthread_join(thread, NULL);
	assert_int_equal(row_of(take(), slot, SC_ROLE_WAL, SC_OP_WRITE)->calls, 5);
	assert_int_equal(row_of(take(), slot, SC_ROLE_WAL, SC_OP_WRITE)->bytes, 5);
	sem_destroy(&is_attached);
	sem_destroy(&may_end);
}

static void a_second_start_begins_at_zero(void **state)
{
	uint32_t slot = sc_ledger_database("/d/a.db");

	(void)state;
	note_some(slot, 5);
	assert_int_equal(syncost_start(NULL), SYNCOST_ALREADY);
	assert_int_equal(syncost_stop(), -EBUSY);
	assert_int_equal(syncost_unregister(SHIM_NAME), 0);
	assert_int_equal(syncost_stop(), 0);
	assert_null(sc_thread_get());
	note_some(slot, 5);
	assert_int_equal(syncost_start(&(struct syncost_options){.anonymous = true}), 0);
	assert_int_equal(syncost_register(UNDER_NAME, SHIM_NAME, false), 0);
	assert_int_equal(take()->row_count, 0);
	assert_string_equal(take()->databases[1].path, "");
	slot = sc_ledger_database("/d/b.db");
	assert_int_equal(slot, 1);
	note_some(slot, 3);
	assert_int_equal(row_of(take(), slot, SC_ROLE_WAL, SC_OP_WRITE)->calls, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("files find their database", files_find_their_database),
		CASE("a full table is slot zero", a_full_table_is_slot_zero),
		CASE("a long path keeps its tail", a_long_path_keeps_its_tail),
		CASE("threads agree on slots", threads_agree_on_slots),
		CASE("sizes keep their highest moment", sizes_keep_their_highest_moment),
		CASE("a look does not undo a later size", a_look_does_not_undo_a_later_size),
		CASE("a thread that ends hands its shard over",
		     a_thread_that_ends_hands_its_shard_over),
		CASE("what finds no shard is dropped, and counted",
		     what_finds_no_shard_is_dropped_and_counted),
		CASE("what finds no series is dropped, and counted",
		     what_finds_no_series_is_dropped_and_counted),
		CASE("a reset holds for threads that were idle",
		     a_reset_holds_for_threads_that_were_idle),
		CASE("a second start begins at zero", a_second_start_begins_at_zero),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
