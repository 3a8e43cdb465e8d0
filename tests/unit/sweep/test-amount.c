/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include "sweep/amount.h"

#define FRAME_BYTES (24u + 4096u)

static struct sc_io wal_writes = {
	.instrument = SC_INSTRUMENT_VFS,
	.role = SC_ROLE_WAL,
	.op = SC_OP_WRITE,
};

/* A ledger sample with so much time, so many operations a commit, so many frames a commit. */
static struct sc_sample ledger(uint64_t commit_ns, uint64_t unit, uint64_t frames)
{
	wal_writes.bytes = 1000u * frames * FRAME_BYTES;
	return (struct sc_sample){
		.kind = SC_SAMPLE_LEDGER,
		.wall_ns = 1000 * commit_ns,
		.commits = 1000,
		.operations = 1000 * unit,
		.io = &wal_writes,
		.io_count = frames ? 1 : 0,
	};
}

static struct sc_setting wal_setting(uint32_t autocheckpoint)
{
	struct sc_setting setting = sc_setting_default();

	setting.journal_mode = SC_JOURNAL_WAL;
	setting.wal_autocheckpoint = autocheckpoint;
	return setting;
}

static void outside_of_a_wal_it_is_what_takes_50_ms(void **state)
{
	struct sc_setting setting = sc_setting_default();
	struct sc_sample sample = ledger(1000000, 1, 0);
	struct sc_amount amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);

	(void)state;
	assert_int_equal(amount.operations, 51);
	assert_int_equal(amount.cycle_operations, 0);
}

static void commits_are_not_cut(void **state)
{
	struct sc_setting setting = sc_setting_default();
	struct sc_sample sample = ledger(2000000, 100, 0);
	struct sc_amount amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);

	(void)state;
	assert_int_equal(amount.operations, 2600); /* 26 commits of 2 ms */
}

static void slow_commits_are_twenty_or_what_2_s_hold(void **state)
{
	struct sc_setting setting = sc_setting_default();
	struct sc_sample sample = ledger(30000000, 1, 0);
	struct sc_amount amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);

	(void)state;
	assert_int_equal(amount.operations, 20);
	sample = ledger(150000000, 1, 0);
	amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);
	assert_int_equal(amount.operations, 13);
}

static void a_commit_longer_than_the_limit_is_done_once(void **state)
{
	struct sc_setting setting = sc_setting_default();
	struct sc_sample sample = ledger(5000000000, 10, 0);
	struct sc_amount amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);

	(void)state;
	assert_int_equal(amount.operations, 10);
}

static void a_recycled_wal_gets_whole_checkpoint_cycles(void **state)
{
	struct sc_setting setting = wal_setting(1000);
	struct sc_sample sample = ledger(100000, 1, 3);
	struct sc_amount amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);

	(void)state;
	/* 1000 frames are full with commit 334; 50 ms are 501 commits, so two cycles */
	assert_int_equal(amount.cycle_operations, 334);
	assert_int_equal(amount.operations, 668);
	assert_true(amount.whole_cycles);
}

static void the_headers_of_resets_are_no_frames(void **state)
{
	struct sc_setting setting = wal_setting(1000);
	struct sc_sample sample = ledger(100000, 1, 2);
	struct sc_amount amount;

	(void)state;
	wal_writes.bytes += 10 * 32;
	sample.checkpoints.resets = 10;
	amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);
	assert_int_equal(amount.cycle_operations, 500);
}

static void a_cycle_that_does_not_fit_is_left_out(void **state)
{
	struct sc_setting setting = wal_setting(1000000);
	struct sc_sample sample = ledger(100000, 1, 3);
	struct sc_amount amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);

	(void)state;
	assert_int_equal(amount.operations, 501);
	assert_false(amount.whole_cycles);
}

static void a_fresh_wal_stays_below_one_cycle(void **state)
{
	struct sc_setting setting = wal_setting(100);
	struct sc_sample sample = ledger(100000, 1, 3);
	struct sc_amount amount = sc_amount_choose(&sample, &setting, SC_WAL_FRESH);

	(void)state;
	assert_int_equal(amount.operations, 33); /* with 34 the WAL would be full */
	assert_false(amount.whole_cycles);
}

static void without_autocheckpoint_there_are_no_cycles(void **state)
{
	struct sc_setting setting = wal_setting(0);
	struct sc_sample sample = ledger(100000, 1, 3);
	struct sc_amount amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);

	(void)state;
	assert_int_equal(amount.cycle_operations, 0);
	assert_int_equal(amount.operations, 501);
}

static void a_schedule_runs_for_a_second_if_it_can_be_kept(void **state)
{
	struct sc_sample sample = ledger(1000000, 1, 0); /* 1000 a second are possible */

	(void)state;
	assert_int_equal(sc_amount_scheduled(&sample, 500), 500);
	assert_int_equal(sc_amount_scheduled(&sample, 3), SC_AMOUNT_SCHEDULED_MIN);
	assert_int_equal(sc_amount_scheduled(&sample, 1000000), 2000);
}

static void a_workload_that_only_reads_has_no_cycles(void **state)
{
	struct sc_setting setting = wal_setting(1000);
	struct sc_sample sample = ledger(1000, 1, 0);
	struct sc_amount amount;

	(void)state;
	sample.commits = 0;
	amount = sc_amount_choose(&sample, &setting, SC_WAL_RECYCLED);
	assert_int_equal(amount.operations, 50001);
	assert_int_equal(amount.cycle_operations, 0);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("outside of a WAL it is what takes 50 ms",
		     outside_of_a_wal_it_is_what_takes_50_ms),
		CASE("slow commits are twenty, or what two seconds hold",
		     slow_commits_are_twenty_or_what_2_s_hold),
		CASE("commits are not cut", commits_are_not_cut),
		CASE("a commit longer than the limit is done once",
		     a_commit_longer_than_the_limit_is_done_once),
		CASE("a recycled WAL gets whole checkpoint cycles",
		     a_recycled_wal_gets_whole_checkpoint_cycles),
		CASE("the headers of WAL resets are no frames",
		     the_headers_of_resets_are_no_frames),
		CASE("a cycle that does not fit into the limit is left out",
		     a_cycle_that_does_not_fit_is_left_out),
		CASE("a fresh WAL stays below one cycle", a_fresh_wal_stays_below_one_cycle),
		CASE("without autocheckpoint there are no cycles",
		     without_autocheckpoint_there_are_no_cycles),
		CASE("a schedule runs for a second, if it can be kept",
		     a_schedule_runs_for_a_second_if_it_can_be_kept),
		CASE("a workload that only reads has no cycles",
		     a_workload_that_only_reads_has_no_cycles),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
