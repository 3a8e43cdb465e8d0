/* SPDX-License-Identifier: MIT */
/* Waiting for locks, told call by call: what is one attempt, what is none, and what ends it. */

#include "scene.h"

#include <string.h>

#include "call.h"
#include "wait.h"

static struct sc_file file, other_file;
static struct sc_thread *thread;
static uint64_t now_ns;

static void begin(void)
{
	thread = sc_thread_get();
	assert_non_null(thread);
	assert_int_equal(syncost_reset(), 0);
	thread = sc_thread_get();
	now_ns = sc_clock_ns();
}

/* Ten microseconds of a lock call, booked as the shim does. */
static void busy(struct sc_file *on, int wanted)
{
	now_ns += 10000;
	thread->part_ns[SC_PART_LOCK] += 10000;
	sc_wait_busy(thread, on, wanted, now_ns - 10000, now_ns);
}

static void got(struct sc_file *on, int level)
{
	now_ns += 10000;
	thread->part_ns[SC_PART_LOCK] += 10000;
	sc_wait_got(thread, on, level, now_ns);
}

static void sleep_of_sqlite(uint64_t ns)
{
	now_ns += ns;
	thread->part_ns[SC_PART_LOCK] += ns;
	sc_wait_sleep(thread, now_ns);
}

static void assert_waits(uint64_t waits, uint64_t wait_ns, uint64_t busy_count)
{
	const struct syncost_snapshot *snapshot = take();

	assert_int_equal(snapshot->lock_waits, waits);
	assert_int_equal(snapshot->lock_wait_ns, wait_ns);
	assert_int_equal(snapshot->busy, busy_count);
}

static void sleeps_are_part_of_a_wait(void **state)
{
	(void)state;
	begin();
	busy(&file, SQLITE_LOCK_RESERVED);
	sleep_of_sqlite(1000000);
	busy(&file, SQLITE_LOCK_RESERVED);
	sleep_of_sqlite(2000000);
	got(&file, SQLITE_LOCK_RESERVED);
	assert_waits(1, 3030000, 2);
	got(&file, SQLITE_LOCK_RESERVED);
	assert_waits(1, 3030000, 2);
}

static void lower_locks_on_the_way_do_not_end_it(void **state)
{
	(void)state;
	begin();
	busy(&file, SQLITE_LOCK_RESERVED);
	sleep_of_sqlite(1000000);
	got(&file, SQLITE_LOCK_SHARED);
	sc_wait_read(thread); /* the change counter */
	busy(&file, SQLITE_LOCK_RESERVED);
	sleep_of_sqlite(1000000);
	busy(&file, SQLITE_LOCK_SHARED); /* the other one is committing */
	sleep_of_sqlite(1000000);
	got(&file, SQLITE_LOCK_SHARED);
	got(&file, SQLITE_LOCK_RESERVED);
	assert_waits(1, 3060000, 3);
}

static void a_higher_lock_ends_it_too(void **state)
{
	(void)state;
	begin();
	busy(&file, SQLITE_LOCK_SHARED);
	sleep_of_sqlite(1000000);
	got(&file, SQLITE_LOCK_EXCLUSIVE);
	assert_waits(1, 1020000, 1);
}

static void another_file_does_not_end_it(void **state)
{
	(void)state;
	begin();
	busy(&file, SQLITE_LOCK_RESERVED);
	sleep_of_sqlite(1000000);
	got(&other_file, SQLITE_LOCK_RESERVED);
	assert_waits(0, 0, 1);
	got(&file, SQLITE_LOCK_RESERVED);
	assert_waits(1, 1030000, 1);
}

static void looking_for_a_read_mark_is_no_wait_of_its_own(void **state)
{
	const int write_lock = SC_WAIT_SHM, first_mark = SC_WAIT_SHM + 4;

	(void)state;
	begin();
	busy(&file, write_lock);
	sleep_of_sqlite(1000000);
	busy(&file, first_mark);
	got(&file, first_mark + 1);
	got(&file, write_lock);
	assert_waits(1, 1040000, 2);
}

static void writing_ends_it_where_it_was_last_tried(void **state)
{
	(void)state;
	begin();
	busy(&file, SQLITE_LOCK_RESERVED);
	sleep_of_sqlite(1000000);
	busy(&file, SQLITE_LOCK_RESERVED);
	now_ns += 500000000; /* the program does something else */
	sc_wait_moved_on(thread);
	assert_waits(1, 1020000, 2);
	got(&file, SQLITE_LOCK_RESERVED);
	assert_waits(1, 1020000, 2);
}

static void reading_after_the_last_try_ends_it_too(void **state)
{
	(void)state;
	begin();
	busy(&file, SQLITE_LOCK_RESERVED);
	sleep_of_sqlite(1000000);
	busy(&file, SQLITE_LOCK_RESERVED);
	now_ns += 500000000;
	sc_wait_read(thread);
	now_ns += 500000000;
	got(&file, SQLITE_LOCK_RESERVED);
	assert_waits(1, 1020000, 2);
}

static void a_single_busy_is_no_wait(void **state)
{
	(void)state;
	begin();
	busy(&file, SQLITE_LOCK_RESERVED);
	sc_wait_moved_on(thread);
	busy(&file, SQLITE_LOCK_RESERVED);
	now_ns += 1000000000;
	got(&file, SQLITE_LOCK_RESERVED);
	assert_waits(0, 0, 2);
}

static void inside_a_call_what_is_between_moves_from_sql_to_lock(void **state)
{
	struct syncost_split split;

	(void)state;
	begin();
	syncost_call_begin();
	now_ns = sc_clock_ns();
	busy(&file, SQLITE_LOCK_RESERVED);
	rest_ms(30); /* a busy handler of the program's own */
	now_ns += 30000000;
	got(&file, SQLITE_LOCK_RESERVED);
	syncost_call_end();
	split = take()->split;
	assert_int_equal(split.wait_outside_vfs_ns, 30000000);
	assert_int_equal(split.wall_ns[SC_PART_LOCK], 30020000);
	assert_waits(1, 30020000, 1);
}

static void the_end_of_the_call_ends_it(void **state)
{
	(void)state;
	begin();
	syncost_call_begin();
	now_ns = sc_clock_ns();
	busy(&file, SQLITE_LOCK_RESERVED);
	sleep_of_sqlite(1000);
	busy(&file, SQLITE_LOCK_RESERVED);
	rest_ms(1);
	syncost_call_end();
	assert_int_equal(take()->lock_waits, 1);
	now_ns += 1000000000;
	got(&file, SQLITE_LOCK_RESERVED);
	assert_int_equal(take()->lock_waits, 1);
	assert_true(take()->lock_wait_ns < 900000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("sleeps are part of a wait", sleeps_are_part_of_a_wait),
		CASE("lower locks on the way do not end it", lower_locks_on_the_way_do_not_end_it),
		CASE("a higher lock ends it too", a_higher_lock_ends_it_too),
		CASE("another file does not end it", another_file_does_not_end_it),
		CASE("looking for a read mark is no wait of its own",
		     looking_for_a_read_mark_is_no_wait_of_its_own),
		CASE("writing ends it where it was last tried",
		     writing_ends_it_where_it_was_last_tried),
		CASE("reading after the last try ends it too",
		     reading_after_the_last_try_ends_it_too),
		CASE("a single BUSY is no wait", a_single_busy_is_no_wait),
		CASE("inside a call, what is between moves from sql to lock",
		     inside_a_call_what_is_between_moves_from_sql_to_lock),
		CASE("the end of the call ends it", the_end_of_the_call_ends_it),
	};

	return cmocka_run_group_tests_name("waits", tests, NULL, NULL);
}
