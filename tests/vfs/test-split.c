/* SPDX-License-Identifier: MIT */
/*
 * Each part of the split is planted: it moves by what was planted, and no other does.
 *
 * What was planted is measured by the test itself, with the system's clocks. The machine may be
 * busy with other things in between, so a case may try again; it passes if one try is right, and
 * the negative control shows that a wrong split never is.
 */

#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/statfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "skip.h"

enum { TRIES = 6 };

#define TMPFS_MAGIC 0x01021994

/* --- the test's own truth */

struct truth {
	uint64_t wall_ns, cpu_ns, run_delay_ns, major_faults;
};

static uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t thread_run_delay_ns(void)
{
	unsigned long long cpu = 0, delay = 0;
	FILE *file = fopen("/proc/thread-self/schedstat", "r");

	if (file) {
		if (fscanf(file, "%llu %llu", &cpu, &delay) != 2)
			delay = 0;
		fclose(file);
	}
	return delay;
}

static uint64_t thread_major_faults(void)
{
	struct rusage usage;

	getrusage(RUSAGE_THREAD, &usage);
	return (uint64_t)usage.ru_majflt;
}

static struct truth look(void)
{
	return (struct truth){clock_ns(), thread_cpu_ns(), thread_run_delay_ns(),
			      thread_major_faults()};
}

static struct truth since(struct truth before)
{
	struct truth now = look();

	return (struct truth){now.wall_ns - before.wall_ns, now.cpu_ns - before.cpu_ns,
			      now.run_delay_ns - before.run_delay_ns,
			      now.major_faults - before.major_faults};
}

/* --- trying */

static char complaint[400];

static bool near(const char *what, double value, double expected, double slack)
{
	if (fabs(value - expected) <= slack)
		return true;
	snprintf(complaint, sizeof(complaint), "%s: %.2f ms, not %.2f +- %.2f", what, value / 1e6,
		 expected / 1e6, slack / 1e6);
	return false;
}

static bool at_least(const char *what, double value, double floor)
{
	if (value >= floor)
		return true;
	snprintf(complaint, sizeof(complaint), "%s: %.2f ms, less than %.2f", what, value / 1e6,
		 floor / 1e6);
	return false;
}

static void try_until_right(bool (*attempt)(void))
{
	for (int i = 0; i < TRIES; i++) {
		if (attempt())
			return;
	}
	fail_msg("%s", complaint);
}

/* --- a workload whose split is compared with and without a plant */

static struct syncost_split split_now(void)
{
	return take()->split;
}

static double asleep_ns(const struct syncost_split *split, enum sc_part part)
{
	return (double)(split->wall_ns[part] - split->cpu_ns[part] - split->run_delay_ns[part]);
}

static sqlite3 *open_with_rows(const char *name, const char *journal)
{
	sqlite3 *db = scene_open(name);

	run(db, "PRAGMA journal_mode = %s; PRAGMA synchronous = FULL; PRAGMA cache_size = 5",
	    journal);
	run(db, "CREATE TABLE IF NOT EXISTS t(id INTEGER PRIMARY KEY, a)");
	if (ask(db, "SELECT count(*) FROM t") == 0)
		run(db, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 60) "
			"INSERT INTO t(a) SELECT randomblob(3500) FROM n");
	return db;
}

static void inserts(sqlite3 *db)
{
	for (int i = 0; i < 40; i++)
		run_marked(db, "INSERT INTO t(a) VALUES(1)");
}

static void scan(sqlite3 *db)
{
	syncost_call_begin();
	assert_true(ask(db, "SELECT sum(length(a)) FROM t") > 0);
	syncost_call_end();
}

/* The split of one run of @work; also in *@ret_planted how often @op reached the VFS below. */
static struct syncost_split split_of(sqlite3 *db, void (*work)(sqlite3 *), enum sc_role role,
				     enum sc_op op, uint64_t *ret_planted)
{
	uint64_t before = under.counts[role][op].calls;

	assert_int_equal(syncost_reset(), 0);
	work(db);
	*ret_planted = under.counts[role][op].calls - before;
	return split_now();
}

/* @part grew by @planted_ns within 10 %, no other by more than 10 % of it. */
static bool only_moved(const struct syncost_split *without, const struct syncost_split *with,
		       enum sc_part planted_part, double planted_ns)
{
	for (int part = SC_PART_SQL; part < SC_PART_COUNT_; part++) {
		double moved_ns = (double)with->wall_ns[part] - (double)without->wall_ns[part];

		if (!near(syncost_part_name((enum sc_part)part), moved_ns,
			  part == (int)planted_part ? planted_ns : 0, 0.1 * planted_ns))
			return false;
	}
	return true;
}

static sqlite3 *subject;

static bool plant(_Atomic uint32_t *us, uint32_t value, void (*work)(sqlite3 *), enum sc_role role,
		  enum sc_op op, enum sc_part part)
{
	struct syncost_split without, with;
	uint64_t calls;

	without = split_of(subject, work, role, op, &calls);
	atomic_store(us, value);
	atomic_store(&under.planted_ns, 0);
	with = split_of(subject, work, role, op, &calls);
	atomic_store(us, 0);
	assert_true(calls >= 30);
	assert_true(under.planted_ns >= calls * value * 1000);
	return only_moved(&without, &with, part, (double)under.planted_ns);
}

static bool slow_syncs(void)
{
	return plant(&under.sync_us, 5000, inserts, SC_ROLE_WAL, SC_OP_SYNC, SC_PART_SYNC);
}

static void a_slow_sync_is_sync(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	try_until_right(slow_syncs);
	scene_close(subject);
}

static bool slow_reads(void)
{
	return plant(&under.read_us, 5000, scan, SC_ROLE_MAIN_DB, SC_OP_READ, SC_PART_READ);
}

static void a_slow_read_is_read(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "DELETE");
	try_until_right(slow_reads);
	scene_close(subject);
}

static bool slow_writes(void)
{
	return plant(&under.write_us, 3000, inserts, SC_ROLE_WAL, SC_OP_WRITE, SC_PART_WRITE);
}

static void a_slow_write_is_write(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	try_until_right(slow_writes);
	scene_close(subject);
}

static bool a_wrong_part_is_right(void)
{
	return plant(&under.write_us, 3000, inserts, SC_ROLE_WAL, SC_OP_WRITE, SC_PART_SYNC);
}

static void a_wrong_split_is_never_right(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	for (int i = 0; i < TRIES; i++)
		assert_false(a_wrong_part_is_right());
	scene_close(subject);
}

/* --- the sum */

static bool parts_sum_to_wall(void)
{
	uint64_t start_ns, wall_ns, sum_ns = 0;
	struct syncost_split split;

	run_marked(subject, "SELECT 1");
	assert_int_equal(syncost_reset(), 0);
	run_marked(subject, "SELECT 1"); /* what is outside begins with its end */
	start_ns = clock_ns();
	for (int i = 0; i < 200; i++) {
		run_marked(subject, "INSERT INTO t(a) VALUES(2)");
		scan(subject);
		if (i % 50 == 0)
			rest_ms(20);
	}
	wall_ns = clock_ns() - start_ns;
	split = split_now();
	for (int part = 0; part < SC_PART_COUNT_; part++)
		sum_ns += split.wall_ns[part];
	return near("the sum of the parts", (double)(sum_ns + split.own_ns), (double)wall_ns,
		    0.01 * (double)wall_ns) &&
	       near("outside", (double)split.wall_ns[SC_PART_OUTSIDE], 80e6, 30e6);
}

static void the_parts_sum_to_the_wall(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	try_until_right(parts_sum_to_wall);
	scene_close(subject);
}

/* --- SQL on the processor */

static void burn(sqlite3_context *context, int count, sqlite3_value **values)
{
	uint64_t end_ns = thread_cpu_ns() + (uint64_t)sqlite3_value_int64(values[0]) * 1000000u;

	(void)count;
	while (thread_cpu_ns() < end_ns)
		;
	sqlite3_result_int(context, 1);
}

static bool burning_is_sql(void)
{
	struct syncost_split without = split_now(), with;
	struct truth before, planted;

	before = look();
	for (int i = 0; i < 20; i++)
		run_marked(subject, "SELECT burn(10)");
	planted = since(before);
	with = split_now();
	return near("sql", (double)(with.wall_ns[SC_PART_SQL] - without.wall_ns[SC_PART_SQL]),
		    (double)planted.wall_ns, 0.1 * (double)planted.wall_ns) &&
	       near("sql on the processor",
		    (double)(with.cpu_ns[SC_PART_SQL] - without.cpu_ns[SC_PART_SQL]), 200e6, 20e6);
}

static void a_function_that_burns_is_sql_on_the_processor(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	assert_int_equal(
		sqlite3_create_function(subject, "burn", 1, SQLITE_UTF8, NULL, burn, NULL, NULL),
		SQLITE_OK);
	try_until_right(burning_is_sql);
	scene_close(subject);
}

static void doze(sqlite3_context *context, int count, sqlite3_value **values)
{
	(void)count;
	rest_ms((uint32_t)sqlite3_value_int(values[0]));
	sqlite3_result_int(context, 1);
}

static bool dozing_is_asleep(void)
{
	struct syncost_split split;
	struct truth before, planted;

	assert_int_equal(syncost_reset(), 0);
	before = look();
	for (int i = 0; i < 10; i++)
		run_marked(subject, "SELECT doze(20)");
	planted = since(before);
	split = split_now();
	return near("sql asleep", asleep_ns(&split, SC_PART_SQL),
		    (double)(planted.wall_ns - planted.cpu_ns - planted.run_delay_ns), 20e6) &&
	       near("sql on the processor", (double)split.cpu_ns[SC_PART_SQL],
		    (double)planted.cpu_ns, 10e6);
}

static void a_function_that_sleeps_is_sql_off_the_processor(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	assert_int_equal(
		sqlite3_create_function(subject, "doze", 1, SQLITE_UTF8, NULL, doze, NULL, NULL),
		SQLITE_OK);
	try_until_right(dozing_is_asleep);
	scene_close(subject);
}

static bool sleeping_syncs_are_off_cpu(void)
{
	struct syncost_split split;
	struct truth before, planted;
	double truth_ns;
	uint64_t calls;

	atomic_store(&under.sync_us, 5000);
	before = look();
	split = split_of(subject, inserts, SC_ROLE_WAL, SC_OP_SYNC, &calls);
	planted = since(before);
	atomic_store(&under.sync_us, 0);
	truth_ns = (double)(planted.wall_ns - planted.cpu_ns - planted.run_delay_ns);
	assert_int_equal(split.cpu_n[SC_PART_SYNC], calls);
	return near("sync asleep", asleep_ns(&split, SC_PART_SYNC), truth_ns, 0.1 * truth_ns) &&
	       near("sql asleep", asleep_ns(&split, SC_PART_SQL), 0, 0.1 * truth_ns) &&
	       near("write asleep", asleep_ns(&split, SC_PART_WRITE), 0, 0.1 * truth_ns);
}

/* Both in one call: the sleeping sync must not be taken for sleeping SQL. */
static bool burning_and_sleeping_in_one_call(void)
{
	struct syncost_split split;
	struct truth before, planted;
	double truth_ns;

	assert_int_equal(syncost_reset(), 0);
	atomic_store(&under.sync_us, 5000);
	before = look();
	for (int i = 0; i < 20; i++)
		run_marked(subject, "INSERT INTO t(a) VALUES(burn(6))");
	planted = since(before);
	atomic_store(&under.sync_us, 0);
	split = split_now();
	truth_ns = (double)(planted.wall_ns - planted.cpu_ns - planted.run_delay_ns);
	return near("sync asleep", asleep_ns(&split, SC_PART_SYNC), truth_ns, 0.1 * truth_ns) &&
	       near("sql asleep", asleep_ns(&split, SC_PART_SQL), 0, 0.1 * truth_ns) &&
	       near("sql on the processor", (double)split.cpu_ns[SC_PART_SQL], 120e6, 12e6);
}

static void burning_and_sleeping_are_told_apart(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	assert_int_equal(
		sqlite3_create_function(subject, "burn", 1, SQLITE_UTF8, NULL, burn, NULL, NULL),
		SQLITE_OK);
	try_until_right(burning_and_sleeping_in_one_call);
	scene_close(subject);
}

/* Syncs of which only some are read, and much more of them than of SQL. */
static bool sql_beside_short_syncs_is_awake(void)
{
	struct syncost_split split;

	assert_int_equal(syncost_reset(), 0);
	atomic_store(&under.sync_us, 60);
	for (int i = 0; i < 2000; i++)
		run_marked(subject, "INSERT INTO t(a) VALUES(1)");
	atomic_store(&under.sync_us, 0);
	split = split_now();
	return at_least("readings of sql", (double)split.cpu_n[SC_PART_SQL] * 1e6, 5e6) &&
	       near("sql asleep", asleep_ns(&split, SC_PART_SQL), 0,
		    0.25 * (double)split.wall_ns[SC_PART_SQL]);
}

static void sql_beside_many_syncs_is_not_taken_to_sleep(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	run(subject, "PRAGMA wal_autocheckpoint = 0");
	try_until_right(sql_beside_short_syncs_is_awake);
	scene_close(subject);
}

static void a_sync_that_sleeps_is_off_the_processor(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	try_until_right(sleeping_syncs_are_off_cpu);
	scene_close(subject);
}

static bool burning_writes_are_on_cpu(void)
{
	struct syncost_split split;
	uint64_t calls;

	atomic_store(&under.spin_us, 1000);
	split = split_of(subject, inserts, SC_ROLE_WAL, SC_OP_WRITE, &calls);
	atomic_store(&under.spin_us, 0);
	assert_true(split.cpu_n[SC_PART_WRITE] > 0);
	return near("write on the processor", (double)split.cpu_ns[SC_PART_WRITE],
		    (double)calls * 1e6, (double)calls * 1e5);
}

static void a_write_that_burns_is_on_the_processor(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	try_until_right(burning_writes_are_on_cpu);
	scene_close(subject);
}

/* --- what sampling might miss */

static bool one_long_call_among_short_ones(void)
{
	struct syncost_split without, with;
	struct truth before, planted;

	for (int i = 0; i < 3000; i++)
		run_marked(subject, "SELECT 1");
	without = split_now();
	before = look();
	run_marked(subject, "SELECT doze(200)");
	planted = since(before);
	with = split_now();
	return near("sql asleep", asleep_ns(&with, SC_PART_SQL) - asleep_ns(&without, SC_PART_SQL),
		    (double)(planted.wall_ns - planted.cpu_ns - planted.run_delay_ns), 20e6);
}

static void one_long_call_among_short_ones_is_read(void **state)
{
	(void)state;
	subject = open_with_rows("a.db", "WAL");
	assert_int_equal(
		sqlite3_create_function(subject, "doze", 1, SQLITE_UTF8, NULL, doze, NULL, NULL),
		SQLITE_OK);
	try_until_right(one_long_call_among_short_ones);
	scene_close(subject);
}

static void calls_that_become_slow_are_read_more_often(void **state)
{
	uint64_t before, after;

	(void)state;
	subject = open_with_rows("a.db", "WAL");
	run(subject, "PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF");
	for (int i = 0; i < 2000; i++)
		run_marked(subject, "INSERT INTO t(a) VALUES(1)");
	before = split_now().cpu_n[SC_PART_WRITE];
	atomic_store(&under.write_us, 200); /* too short to be read one and all */
	for (int i = 0; i < 200; i++)
		run_marked(subject, "INSERT INTO t(a) VALUES(1)");
	atomic_store(&under.write_us, 0);
	after = split_now().cpu_n[SC_PART_WRITE];
	/* Of 4000 fast writes one in many was read, of 400 slow ones one in a few. */
	assert_true(before < 1000);
	assert_true(after - before >= 40);
	scene_close(subject);
}

/* --- a hog on the same processor */

static pid_t start_hog(int cpu)
{
	pid_t pid = fork();
	cpu_set_t set;

	if (pid != 0)
		return pid;
	/* Whatever becomes of the test, it does not outlive it, nor hold its output open. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	close(STDOUT_FILENO);
	close(STDERR_FILENO);
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	for (;;)
		;
}

static bool hog_is_run_delay(void)
{
	struct truth before, planted;
	struct syncost_split split;

	assert_int_equal(syncost_reset(), 0);
	before = look();
	for (int i = 0; i < 20; i++)
		run_marked(subject, "SELECT burn(15)");
	planted = since(before);
	split = split_now();
	return at_least("the test's own run delay", (double)planted.run_delay_ns, 50e6) &&
	       near("run delay of sql", (double)split.run_delay_ns[SC_PART_SQL],
		    (double)planted.run_delay_ns, 0.1 * (double)planted.run_delay_ns) &&
	       near("sql on the processor", (double)split.cpu_ns[SC_PART_SQL],
		    (double)planted.cpu_ns, 0.1 * (double)planted.cpu_ns);
}

static void a_hog_on_the_same_processor_is_run_delay(void **state)
{
	cpu_set_t before, one;
	int cpu = sched_getcpu();
	pid_t hog;

	(void)state;
	if (access("/proc/thread-self/schedstat", R_OK) != 0)
		skip_because("this kernel has no schedstat");
	sched_getaffinity(0, sizeof(before), &before);
	CPU_ZERO(&one);
	CPU_SET((size_t)cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one) != 0)
		skip_because("the processor cannot be chosen here");

	subject = open_with_rows("a.db", "WAL");
	assert_int_equal(
		sqlite3_create_function(subject, "burn", 1, SQLITE_UTF8, NULL, burn, NULL, NULL),
		SQLITE_OK);
	hog = start_hog(cpu);
	assert_true(hog > 0);
	rest_ms(10);
	complaint[0] = '\0';
	for (int i = 0; i < TRIES; i++) {
		if (hog_is_run_delay()) {
			complaint[0] = '\0';
			break;
		}
	}
	kill(hog, SIGKILL);
	waitpid(hog, NULL, 0);
	sched_setaffinity(0, sizeof(before), &before);
	scene_close(subject);
	if (complaint[0])
		fail_msg("%s", complaint);
}

/* --- memory that is not there */

static size_t resident_pages(int fd, size_t bytes)
{
	void *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, 0);
	size_t pages = bytes / 4096, resident = 0;
	unsigned char *is_resident = calloc(1, pages);

	assert_ptr_not_equal(mapped, MAP_FAILED);
	assert_non_null(is_resident);
	assert_int_equal(mincore(mapped, bytes, is_resident), 0);
	for (size_t i = 0; i < pages; i++)
		resident += is_resident[i] & 1;
	munmap(mapped, bytes);
	free(is_resident);
	return resident;
}

static void drop_from_cache(const char *name)
{
	/* No connection of this process has the file open: closing it here drops no lock. */
	int fd = open(scene_path(name), O_RDONLY);
	size_t bytes = (size_t)scene_size(name);

	assert_true(fd >= 0);
	fsync(fd);
	posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
	if (resident_pages(fd, bytes) > bytes / 4096 / 10) {
		close(fd);
		skip_because("the page cache cannot be dropped here");
	}
	close(fd);
}

static bool cold_scan_is_asleep_in_sql(void)
{
	struct truth before, planted;
	struct syncost_split split;

	drop_from_cache("a.db");
	subject = scene_open("a.db");
	run(subject, "PRAGMA mmap_size = 1000000000; PRAGMA cache_size = 5");
	run_marked(subject, "SELECT 1");
	assert_int_equal(syncost_reset(), 0);
	before = look();
	scan(subject);
	planted = since(before);
	split = split_now();
	scene_close(subject);
	assert_true(planted.major_faults > 0);
	return near("major faults (as ms)", (double)split.major_faults * 1e6,
		    (double)planted.major_faults * 1e6, 0) &&
	       near("sql asleep", asleep_ns(&split, SC_PART_SQL),
		    (double)(planted.wall_ns - planted.cpu_ns - planted.run_delay_ns),
		    0.1 * (double)planted.wall_ns);
}

static void a_cold_mapped_scan_is_sql_off_the_processor(void **state)
{
	struct statfs facts;
	sqlite3 *db;

	(void)state;
	assert_int_equal(statfs(scene_path(""), &facts), 0);
	if (facts.f_type == TMPFS_MAGIC)
		skip_because("the directory is on tmpfs, which has no storage to be cold");
	db = scene_open("a.db");
	run(db, "CREATE TABLE t(id INTEGER PRIMARY KEY, a)");
	run(db, "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n LIMIT 20000) "
		"INSERT INTO t(a) SELECT randomblob(3500) FROM n");
	scene_close(db);
	try_until_right(cold_scan_is_asleep_in_sql);
}

/* --- waiting for a lock */

struct holder {
	sqlite3 *db;
	sem_t has_lock;
	uint32_t ms;
};

static void *hold(void *argument)
{
	struct holder *holder = argument;

	if (sqlite3_exec(holder->db, "BEGIN IMMEDIATE; INSERT INTO t(a) VALUES(3)", NULL, NULL,
			 NULL) != SQLITE_OK)
		abort();
	sem_post(&holder->has_lock);
	rest_ms(holder->ms);
	if (sqlite3_exec(holder->db, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
		abort();
	return NULL;
}

static struct holder holder;

/* An insert that meets a lock held for 100 ms; how long it took by the test's own clock. */
static uint64_t insert_against_holder(void)
{
	pthread_t thread;
	uint64_t start_ns;

	sem_init(&holder.has_lock, 0, 0);
	holder.ms = 100;
	assert_int_equal(pthread_create(&thread, NULL, hold, &holder), 0);
	sem_wait(&holder.has_lock);
	start_ns = clock_ns();
	run_marked(subject, "INSERT INTO t(a) VALUES(4)");
	start_ns = clock_ns() - start_ns;
	pthread_join(thread, NULL);
	sem_destroy(&holder.has_lock);
	return start_ns;
}

static bool a_held_lock_is_lock(void)
{
	const struct syncost_snapshot *snapshot;
	struct syncost_split without, with;
	uint64_t calls, took_ns;

	without = split_of(subject, inserts, SC_ROLE_WAL, SC_OP_SYNC, &calls);
	assert_int_equal(syncost_reset(), 0);
	took_ns = insert_against_holder();
	snapshot = take();
	with = snapshot->split;
	if (row_of(snapshot, 0, SC_ROLE_OTHER, SC_OP_SLEEP) &&
	    row_of(snapshot, 0, SC_ROLE_OTHER, SC_OP_SLEEP)->cpu_n !=
		    row_of(snapshot, 0, SC_ROLE_OTHER, SC_OP_SLEEP)->calls)
		fail_msg("a sleep was not read");
	return near("times waited", (double)snapshot->lock_waits, 1, 0) &&
	       at_least("the test's own wait", (double)took_ns, 90e6) &&
	       near("lock", (double)with.wall_ns[SC_PART_LOCK], (double)took_ns,
		    0.1 * (double)took_ns) &&
	       near("the wait", (double)snapshot->lock_wait_ns, (double)took_ns,
		    0.1 * (double)took_ns) &&
	       near("lock on the processor", (double)with.cpu_ns[SC_PART_LOCK], 0, 10e6) &&
	       near("sql", (double)with.wall_ns[SC_PART_SQL],
		    (double)without.wall_ns[SC_PART_SQL] / 40, 10e6);
}

static void wait_in(const char *name, const char *journal, bool (*attempt)(void))
{
	subject = open_with_rows(name, journal);
	holder.db = open_with_rows(name, journal);
	run(subject, "PRAGMA synchronous = OFF"); /* what comes after the wait is short */
	try_until_right(attempt);
	scene_close(subject);
	scene_close(holder.db);
}

static void a_lock_held_for_100_ms_is_lock(void **state)
{
	(void)state;
	wait_in("a.db", "WAL", a_held_lock_is_lock);
	wait_in("b.db", "DELETE", a_held_lock_is_lock);
}

/* A busy handler that sleeps by itself: SQLite's VFS does not see that. */
static int own_handler(void *argument, int count)
{
	(void)argument;
	(void)count;
	rest_ms(5);
	return 1;
}

static bool a_held_lock_is_lock_with_own_handler(void)
{
	sqlite3_busy_handler(subject, own_handler, NULL);
	return a_held_lock_is_lock();
}

static void the_programs_own_busy_handler_is_lock_too(void **state)
{
	(void)state;
	wait_in("a.db", "WAL", a_held_lock_is_lock_with_own_handler);
	wait_in("b.db", "DELETE", a_held_lock_is_lock_with_own_handler);
}

static void giving_up_ends_the_wait(void **state)
{
	sqlite3 *db = open_with_rows("a.db", "WAL"), *other = open_with_rows("a.db", "WAL");
	const struct syncost_snapshot *snapshot;

	(void)state;
	run(db, "BEGIN IMMEDIATE");
	sqlite3_busy_timeout(other, 60);
	assert_int_equal(syncost_reset(), 0);
	/* Not bracketed: what comes after must not be taken for waiting. */
	assert_int_equal(run_code(other, "INSERT INTO t(a) VALUES(1)"), SQLITE_BUSY);
	rest_ms(300);
	assert_int_equal(ask(other, "SELECT count(*) FROM t WHERE id = 1"), 1);
	run(db, "COMMIT");
	run(other, "INSERT INTO t(a) VALUES(1)");
	snapshot = take();
	assert_int_equal(snapshot->lock_waits, 1);
	assert_true(snapshot->lock_wait_ns >= 50000000);
	assert_true(snapshot->lock_wait_ns < 250000000);
	scene_close(db);
	scene_close(other);
}

static void busy_at_once_is_no_wait(void **state)
{
	sqlite3 *db = open_with_rows("a.db", "WAL"), *other = open_with_rows("a.db", "WAL");

	(void)state;
	run(db, "BEGIN IMMEDIATE");
	sqlite3_busy_timeout(other, 0);
	assert_int_equal(syncost_reset(), 0);
	assert_int_equal(run_code(other, "INSERT INTO t(a) VALUES(1)"), SQLITE_BUSY);
	rest_ms(50);
	run(db, "COMMIT");
	run(other, "INSERT INTO t(a) VALUES(1)");
	assert_int_equal(take()->busy, 1);
	assert_int_equal(take()->lock_waits, 0);
	assert_int_equal(take()->lock_wait_ns, 0);
	scene_close(db);
	scene_close(other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE_QUICK("a slow sync is sync", a_slow_sync_is_sync),
		CASE_QUICK("a slow read is read", a_slow_read_is_read),
		CASE_QUICK("a slow write is write", a_slow_write_is_write),
		CASE_QUICK("a wrong split is never right", a_wrong_split_is_never_right),
		CASE_QUICK("the parts sum to the wall", the_parts_sum_to_the_wall),
		CASE_QUICK("a function that burns is sql on the processor",
			   a_function_that_burns_is_sql_on_the_processor),
		CASE_QUICK("a function that sleeps is sql off the processor",
			   a_function_that_sleeps_is_sql_off_the_processor),
		CASE_QUICK("a sync that sleeps is off the processor",
			   a_sync_that_sleeps_is_off_the_processor),
		CASE_QUICK("sql beside many syncs is not taken to sleep",
			   sql_beside_many_syncs_is_not_taken_to_sleep),
		CASE_QUICK("burning and sleeping in one call are told apart",
			   burning_and_sleeping_are_told_apart),
		CASE_QUICK("a write that burns is on the processor",
			   a_write_that_burns_is_on_the_processor),
		CASE_QUICK("one long call among short ones is read",
			   one_long_call_among_short_ones_is_read),
		CASE_QUICK("calls that become slow are read more often",
			   calls_that_become_slow_are_read_more_often),
		CASE_QUICK("a hog on the same processor is run delay",
			   a_hog_on_the_same_processor_is_run_delay),
		CASE_CPU("a cold mapped scan is sql off the processor",
			 a_cold_mapped_scan_is_sql_off_the_processor),
		CASE_QUICK("a lock held for 100 ms is lock", a_lock_held_for_100_ms_is_lock),
		CASE_QUICK("the program's own busy handler is lock too",
			   the_programs_own_busy_handler_is_lock_too),
		CASE_QUICK("giving up ends the wait", giving_up_ends_the_wait),
		CASE_QUICK("BUSY at once is no wait", busy_at_once_is_no_wait),
	};

	return cmocka_run_group_tests_name("split", tests, NULL, NULL);
}
