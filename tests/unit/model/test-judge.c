/* SPDX-License-Identifier: MIT */

/* Findings and recommendations over a report: sentences with numbers that can be worked out by
 * hand. */

#include "../base/test.h"

#include <math.h>
#include <string.h>

#include "model/judge.h"
#include "samples.h"

#define CELLS_MAX 24u

struct report {
	struct sc_report_head head;
	struct sc_cell cells[CELLS_MAX];
	size_t count;
};

static void begin(struct report *report)
{
	*report = (struct report){.count = 0};
	report->head.base = sc_setting_default();
	report->head.complete = true;
	strcpy(report->head.sqlite_version, "3.51.3");
}

static struct sc_cell *add(struct report *report, const char *target, const char *workload,
			   enum sc_journal_mode mode, enum sc_synchronous level)
{
	assert_true(report->count < CELLS_MAX);
	report->cells[report->count] = make_cell(target, workload, mode, level);
	return &report->cells[report->count++];
}

/* A cell whose six rates scatter by a little around one, each round by its own. */
static struct sc_cell *add_rate(struct report *report, const char *target, const char *workload,
				enum sc_journal_mode mode, enum sc_synchronous level, double rate)
{
	static const double drift[] = {1.00, 1.01, 0.99, 1.02, 0.98, 1.005};
	struct sc_cell *cell = add(report, target, workload, mode, level);
	double rates[SC_ARRAY_COUNT(drift)];

	for (size_t i = 0; i < SC_ARRAY_COUNT(drift); i++)
		rates[i] = rate * drift[i];
	give_rates(cell, rates, SC_ARRAY_COUNT(rates), 0.8);
	return cell;
}

static void judge(struct report *report)
{
	struct sc_error error;

	report->head.cell_count = report->count;
	assert_int_equal(sc_report_judge(&report->head, report->cells, report->count, &error), 0);
}

static void end(struct report *report)
{
	for (size_t i = 0; i < report->count; i++)
		sc_cell_fini(&report->cells[i]);
	sc_report_head_fini(&report->head);
}

static const struct sc_finding *find_nth(const struct report *report, enum sc_finding_code code,
					 size_t n)
{
	for (size_t i = 0; i < report->head.findings.count; i++) {
		const struct sc_finding *finding = &report->head.findings.items[i];

		if (strcmp(finding->code, sc_finding_name(code)) == 0 && n-- == 0)
			return finding;
	}
	return NULL;
}

static const struct sc_finding *find(const struct report *report, enum sc_finding_code code)
{
	return find_nth(report, code, 0);
}

static void give_target(struct report *report, const char *filesystem)
{
	struct sc_target *target = calloc(1, sizeof(*target));

	assert_non_null(target);
	target->label = strdup("local");
	target->filesystem = strdup(filesystem);
	target->rotational_status = target->sync_floor_status = SC_UNSUPPORTED;
	report->head.targets = target;
	report->head.target_count = 1;
}

/* --- what is faster */

static void the_fastest_that_never_corrupts_is_compared_with_the_default(void **state)
{
	struct report report;
	const struct sc_finding *finding;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_OFF, 9000);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL, 1120);
	judge(&report);
	finding = find(&report, SC_FINDING_SPEEDUP);
	assert_non_null(finding);
	/* Both drift alike, so that the ratio of each round is 11.2. */
	assert_string_equal(finding->text, "WAL+NORMAL is 11.2x DELETE+FULL here (insert_one, "
					   "median over rounds, 95 % interval 11.2–11.2)");
	assert_string_equal(finding->next,
			    "WAL+NORMAL: a power cut can take the commits since the last "
			    "checkpoint; never corrupts");
	assert_null(find_nth(&report, SC_FINDING_SPEEDUP, 1));
	end(&report);
}

static void where_a_commit_goes_names_the_hidden_syncs(void **state)
{
	struct report report;
	const struct sc_finding *finding;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	judge(&report);
	finding = find(&report, SC_FINDING_WHERE_COMMIT_GOES);
	assert_non_null(finding);
	assert_string_equal(
		finding->text,
		"72 % of a DELETE+FULL commit here (insert_one) is waiting in 4 syncs: 3 "
		"on files, 1 on the directory, where a VFS shim cannot see it (80 % of the time in "
		"SQLite)");
	/* 10 % outside and 72 % of all wall in syncs: 1 / 0.28. */
	assert_string_equal(
		finding->next,
		"if that alone cost nothing and all else as much as now, the rate would "
		"be 3.57x as high");
	finding = find(&report, SC_FINDING_HIDDEN_SYNCS);
	assert_string_equal(finding->text, "1 of 4 syncs of a DELETE+FULL commit is on the "
					   "directory, where a VFS shim cannot see it");
	end(&report);
}

static void hidden_syncs_are_told_for_each_setting(void **state)
{
	struct report report;
	struct sc_cell *extra, *truncate;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	add_rate(&report, "local", "insert_two", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	extra = add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_EXTRA,
			 80);
	extra->syncs.directory = 2 * extra->ledger_commits;
	extra->syncs.physical = 5 * extra->ledger_commits;
	truncate = add_rate(&report, "local", "insert_one", SC_JOURNAL_TRUNCATE,
			    SC_SYNCHRONOUS_FULL, 80);
	truncate->syncs.directory = 1; /* when the journal was made */
	judge(&report);
	assert_string_equal(find(&report, SC_FINDING_HIDDEN_SYNCS)->text,
			    "1 of 4 syncs of a DELETE+FULL commit, 2 of 5 of a DELETE+EXTRA commit "
			    "are on the directory, where a VFS shim cannot see them");
	end(&report);
}

/* Cells whose ledger sample is of another machine than the rate: nothing is built on its split. */
static void a_split_of_a_busy_machine_is_not_built_on(void **state)
{
	static const struct {
		uint64_t delay_in_sql_ns, delay_in_sync_ns; /* of 1 s */
		double instrument_cost;
		const char *text, *next; /* NULL: nothing is said */
	} cases[] = {
		{0, 0, 1,
		 "72 % of a DELETE+FULL commit here (insert_one) is waiting in 4 syncs: 3 on "
		 "files, 1 on the directory, where a VFS shim cannot see it (80 % of the time in "
		 "SQLite)",
		 "if that alone cost nothing and all else as much as now, the rate would be 3.57x "
		 "as "
		 "high"},
		/* What waited for a CPU when a sync returned goes with the sync … */
		{0, 100000000, 1,
		 "72 % of a DELETE+FULL commit here (insert_one) is waiting in 4 syncs: 3 on "
		 "files, 1 "
		 "on the directory, where a VFS shim cannot see it (10 % of the commit for a CPU "
		 "in "
		 "it) (80 % of the time in SQLite)",
		 "if that alone cost nothing and all else as much as now, the rate would be 3.57x "
		 "as "
		 "high"},
		/* … and what waited elsewhere does not. */
		{100000000, 0, 1,
		 "72 % of a DELETE+FULL commit here (insert_one) is waiting in 4 syncs: 3 on "
		 "files, 1 "
		 "on the directory, where a VFS shim cannot see it (80 % of the time in SQLite)",
		 "if that alone cost nothing and all else as much as now, the rate would be 3.57x "
		 "as "
		 "high"},
		{0, 210000000, 1, NULL, NULL},
		{100000000, 110000000, 1, NULL, NULL},
		{0, 0, 0.84, NULL, NULL},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct sc_finding *finding;
		struct report report;
		struct sc_cell *cell;

		begin(&report);
		cell = add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE,
				SC_SYNCHRONOUS_FULL, 100);
		cell->split.run_delay_ns[SC_PART_SQL] = cases[i].delay_in_sql_ns;
		cell->split.run_delay_ns[SC_PART_SYNC] = cases[i].delay_in_sync_ns;
		cell->instrument_cost = cases[i].instrument_cost;
		judge(&report);
		finding = find(&report, SC_FINDING_WHERE_COMMIT_GOES);
		assert_int_equal(finding != NULL, cases[i].text != NULL);
		if (finding) {
			assert_string_equal(finding->text, cases[i].text);
			assert_string_equal(finding->next, cases[i].next);
		}
		end(&report);
	}
}

static void where_nothing_else_is_no_rate_is_promised(void **state)
{
	static const double rates[] = {100, 101, 99, 102, 98, 100.5};
	struct report report;
	struct sc_cell *cell;

	(void)state;
	begin(&report);
	cell = add(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL);
	give_rates(cell, rates, SC_ARRAY_COUNT(rates), 0.8);
	cell->split.wall_ns[SC_PART_SYNC] *= 1000;
	judge(&report);
	assert_string_equal(find(&report, SC_FINDING_WHERE_COMMIT_GOES)->next,
			    "next to nothing else is in it");
	end(&report);
}

static void a_recommendation_leaves_out_what_changes_nothing(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 500)
		->setting.fullfsync = true;
	judge(&report);
	assert_string_equal(report.head.recommendations[0].pragmas,
			    "PRAGMA journal_mode = wal;\nPRAGMA synchronous = full;\n");
	end(&report);
}

static void a_check_that_does_not_hold_is_not_to_be_repeated(void **state)
{
	static const char *const reasons[] = {
		"workload a: checks[0] does not hold after 6 operations "
		"(gives 0): SELECT 0",
		"the process was killed"};
	static const char *const nexts[] = {
		"correct that check of the suite, or the statements that it is of",
		"repeat them alone, with --workload and the lists of pragmas"};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(reasons); i++) {
		struct report report;
		struct sc_cell *cell;

		begin(&report);
		cell = add(&report, "local", "a", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL);
		cell->status = SC_FAILED;
		free(cell->reason);
		cell->reason = strdup(reasons[i]);
		judge(&report);
		assert_string_equal(find(&report, SC_FINDING_FAILED_CELLS)->next, nexts[i]);
		end(&report);
	}
}

static void one_sample_has_no_width(void **state)
{
	static const double rate[] = {100};
	struct report report;

	(void)state;
	begin(&report);
	report.head.sampling.samples = 1;
	give_rates(add(&report, "local", "a", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL), rate, 1, 0.8);
	report.cells[0].ops_per_s.converged = false;
	judge(&report);
	assert_non_null(strstr(find(&report, SC_FINDING_NOT_CONVERGED)->text, ", of one sample"));
	assert_null(strstr(find(&report, SC_FINDING_NOT_CONVERGED)->text, "±"));
	end(&report);
}

static void on_a_schedule_no_rate_is_promised(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100)
		->rate = 100;
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 110)->rate =
		100;
	judge(&report);
	assert_null(find(&report, SC_FINDING_SPEEDUP));
	assert_string_equal(find(&report, SC_FINDING_WHERE_COMMIT_GOES)->next, "");
	end(&report);
}

/* Of a commit without syncs more goes than the syncs: a measurement beats the arithmetic. */
static void where_syncs_were_left_out_their_cost_was_measured(void **state)
{
	static const struct {
		enum sc_journal_mode mode; /* of the cell with OFF */
		uint32_t page_size;
		bool is_twin;
	} cases[] = {
		{SC_JOURNAL_DELETE, 4096, true},
		{SC_JOURNAL_DELETE, 8192, false},
		{SC_JOURNAL_TRUNCATE, 4096, false},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct report report;
		struct sc_cell *off;

		begin(&report);
		add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL,
			 100);
		off = add_rate(&report, "local", "insert_one", cases[i].mode, SC_SYNCHRONOUS_OFF,
			       1300);
		off->setting.page_size = cases[i].page_size;
		judge(&report);
		assert_non_null(strstr(find(&report, SC_FINDING_WHERE_COMMIT_GOES)->next,
				       cases[i].is_twin
					       ? "DELETE+OFF, which leaves the syncs out, was "
						 "measured to be 13.0x as "
						 "fast (median over rounds, 95 % interval 13"
					       : "if that alone cost nothing and all else as much "
						 "as now, the rate "
						 "would be 3.57x as high"));
		end(&report);
	}
}

static void in_memory_the_speedup_promises_nothing(void **state)
{
	(void)state;
	for (int memory = 0; memory < 2; memory++) {
		struct report report;

		begin(&report);
		give_target(&report, memory ? "tmpfs" : "ext4");
		add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL,
			 100);
		add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 300);
		judge(&report);
		assert_string_equal(
			find(&report, SC_FINDING_SPEEDUP)->next,
			memory ? ""
			       : "WAL+FULL: a power cut takes no acknowledged commit and "
				 "never corrupts");
		end(&report);
	}
}

static void without_the_default_the_nearest_setting_is_the_baseline(void **state)
{
	struct report report;
	struct sc_cell *cell;

	(void)state;
	begin(&report);
	cell = add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 50);
	cell->setting.page_size = 16384;
	cell->setting.cache_size = 100;
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 100);
	cell = add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL, 300);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_TRUNCATE, SC_SYNCHRONOUS_FULL, 150);
	judge(&report);
	/* TRUNCATE+FULL and WAL+FULL have one field each; TRUNCATE sorts first. */
	assert_non_null(strstr(find(&report, SC_FINDING_SPEEDUP)->text,
			       "WAL+NORMAL is 2x TRUNCATE+FULL here"));
	report.cells[0].setting.cache_size = sc_setting_default().cache_size;
	judge(&report);
	assert_non_null(strstr(find(&report, SC_FINDING_SPEEDUP)->text,
			       "WAL+NORMAL is 6x DELETE+FULL page_size=16384 here"));
	end(&report);
}

/* --- what can be lost */

static void what_each_setting_can_lose_is_listed(void **state)
{
	struct report report;
	const struct sc_finding *finding;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 100);
	judge(&report);
	finding = find(&report, SC_FINDING_LOSS);
	assert_string_equal(finding->text, "at a power cut here: wal/full loses nothing");
	assert_int_equal(finding->severity, SC_SEVERITY_NOTE);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_OFF, 100);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_NORMAL, 100);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL, 100);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_OFF, 100);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_MEMORY, SC_SYNCHRONOUS_FULL, 100);
	add_rate(&report, "local", "other", SC_JOURNAL_WAL, SC_SYNCHRONOUS_OFF, 100);
	add_rate(&report, "local", "other", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100)
		->setting.locking_mode = SC_LOCKING_EXCLUSIVE;
	add_rate(&report, "local", "other", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 100)
		->setting.locking_mode = SC_LOCKING_EXCLUSIVE; /* promises the same */
	judge(&report);
	finding = find(&report, SC_FINDING_LOSS);
	assert_string_equal(
		finding->text,
		"at a power cut here: memory/full can lose any commit and corrupt the database, at "
		"a "
		"killed process too; delete/off and wal/off can lose any commit and corrupt the "
		"database; delete/normal can lose the last commit and rarely corrupt; wal/normal "
		"can "
		"lose the commits since the last checkpoint; delete/full can lose the last commit; "
		"delete/full locking_mode=exclusive and wal/full lose nothing");
	assert_int_equal(finding->severity, SC_SEVERITY_WARNING);
	assert_string_equal(finding->next, "");
	assert_null(find_nth(&report, SC_FINDING_LOSS, 1));
	end(&report);
}

static void a_grid_that_keeps_nothing_is_said_to_be_unsafe(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_OFF, 100);
	judge(&report);
	assert_string_equal(find(&report, SC_FINDING_LOSS)->text,
			    "at a power cut here: delete/off can lose any commit and corrupt the "
			    "database; no measured setting is safe");
	assert_string_equal(
		find(&report, SC_FINDING_NO_RECOMMENDATION)->text,
		"no setting is recommended for target local: a power cut can corrupt the "
		"database under each setting that was measured");
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	judge(&report);
	assert_non_null(strstr(find(&report, SC_FINDING_LOSS)->text,
			       "; delete/full can lose the last commit; no measured setting keeps "
			       "every commit"));
	assert_null(find(&report, SC_FINDING_NO_RECOMMENDATION));
	end(&report);
}

static void a_large_grid_is_cut_to_some_names(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	for (int mode = 0; mode < SC_JOURNAL_COUNT_; mode++) {
		for (int level = 0; level < SC_SYNCHRONOUS_COUNT_; level++)
			add_rate(&report, "local", "insert_one", (enum sc_journal_mode)mode,
				 (enum sc_synchronous)level, 100);
	}
	judge(&report);
	assert_non_null(strstr(find(&report, SC_FINDING_LOSS)->text,
			       "delete/off, truncate/off, persist/off and 1 more can lose"));
	assert_non_null(strstr(find(&report, SC_FINDING_LOSS)->text, " lose nothing"));
	end(&report);
}

static void what_is_no_faster_is_not_said_to_be(void **state)
{
	static const double scattered[] = {130, 75, 128, 80, 120, 90};
	struct report report;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	give_rates(add(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL),
		   scattered, 6, 0.5);
	judge(&report);
	assert_true(report.cells[1].ops_per_s.median > report.cells[0].ops_per_s.median);
	assert_null(find(&report, SC_FINDING_SPEEDUP));
	end(&report);
}

static void too_few_rounds_have_no_interval(void **state)
{
	static const double slow[] = {100, 101}, fast[] = {300, 303};
	struct report report;

	(void)state;
	begin(&report);
	give_rates(add(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL),
		   slow, 2, 0.5);
	give_rates(add(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL), fast,
		   2, 0.5);
	judge(&report);
	assert_string_equal(find(&report, SC_FINDING_SPEEDUP)->text,
			    "WAL+FULL is 3x DELETE+FULL here (insert_one, median of 2 rounds, too "
			    "few for an interval)");
	assert_non_null(find(&report, SC_FINDING_NOT_CONVERGED));
	end(&report);
}

static void several_targets_are_named(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	report.head.targets = calloc(2, sizeof(*report.head.targets));
	report.head.target_count = 2;
	add_rate(&report, "hdd", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 10);
	add_rate(&report, "hdd", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 40);
	add_rate(&report, "nvme", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 1000);
	add_rate(&report, "nvme", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 2000);
	judge(&report);
	assert_non_null(strstr(find_nth(&report, SC_FINDING_SPEEDUP, 0)->text,
			       "WAL+FULL is 4x DELETE+FULL on hdd ("));
	assert_non_null(strstr(find_nth(&report, SC_FINDING_SPEEDUP, 1)->text,
			       "WAL+FULL is 2x DELETE+FULL on nvme ("));
	end(&report);
}

static void a_fresh_wal_is_compared_only_where_there_is_no_other(void **state)
{
	struct report report;
	struct sc_cell *fresh;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	fresh = add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 900);
	fresh->wal_state = SC_WAL_FRESH;
	judge(&report);
	assert_non_null(strstr(find(&report, SC_FINDING_SPEEDUP)->text, "WAL+FULL is 9x"));
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 500);
	judge(&report);
	assert_non_null(strstr(find(&report, SC_FINDING_SPEEDUP)->text, "WAL+FULL is 5x"));
	end(&report);
}

static void the_factor_is_a_median_of_ratios_round_by_round(void **state)
{
	/* Each round is half as fast as the one before, the ratio is 2 but for one round. */
	static const double slow[] = {1000, 500, 250, 125, 62.5, 31.25};
	static const double fast[] = {2000, 1000, 500, 250, 125, 93.75};
	struct report report;
	struct sc_interval factor;

	(void)state;
	begin(&report);
	give_rates(add(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL),
		   slow, 6, 0.5);
	give_rates(add(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL), fast,
		   6, 0.5);
	assert_int_equal(sc_factor_between(&report.cells[1], &report.cells[0], &factor), 0);
	assert_int_equal(factor.n, 6);
	assert_true(factor.converged);
	assert_true(fabs(factor.median - 2) < 1e-4);
	assert_true(fabs(factor.low - 2) < 1e-4);
	assert_true(fabs(factor.high - 3) < 1e-4);
	report.cells[1].sample_count = 1; /* the ledger sample alone */
	assert_int_equal(sc_factor_between(&report.cells[1], &report.cells[0], &factor), 0);
	assert_int_equal(factor.status, SC_SKIPPED);
	end(&report);
}

/* --- what qualifies it */

static void storage_in_memory_is_found_and_nothing_recommended(void **state)
{
	struct report report;

	(void)state;
	for (int memory = 0; memory < 2; memory++) {
		begin(&report);
		give_target(&report, memory ? "tmpfs" : "ext4");
		add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 100);
		judge(&report);
		assert_int_equal(find(&report, SC_FINDING_SYNC_BUYS_NOTHING) != NULL, memory);
		assert_int_equal(find(&report, SC_FINDING_LOSS) != NULL, !memory);
		assert_int_equal(find(&report, SC_FINDING_NO_RECOMMENDATION) != NULL, memory);
		assert_int_equal(report.head.targets[0].findings.count, memory);
		assert_int_equal(report.head.recommendation_count, !memory);
		judge(&report); /* again: nothing is said twice */
		assert_int_equal(report.head.targets[0].findings.count, memory);
		assert_null(find_nth(&report, SC_FINDING_SYNC_BUYS_NOTHING, 1));
		end(&report);
	}
}

static void what_others_know_of_a_target_stays(void **state)
{
	struct report report;
	struct sc_finding known = {.code = "known", .text = "somebody else said this"};

	(void)state;
	begin(&report);
	give_target(&report, "tmpfs");
	assert_int_equal(sc_findings_copy(&report.head.targets[0].findings, &known), 0);
	judge(&report);
	judge(&report);
	assert_int_equal(report.head.targets[0].findings.count, 2);
	assert_string_equal(report.head.targets[0].findings.items[0].code, "known");
	end(&report);
}

static void the_rotational_flag_is_held_against_the_clock(void **state)
{
	static const struct {
		bool rotational;
		uint64_t floor_ns;
		const char *text; /* NULL: they agree */
	} cases[] = {
		{true, 52000,
		 "the kernel says that target local is a rotational disk, but a sync there takes "
		 "52.0 "
		 "µs (median of 100): no disk turns that fast, so a cache answers or the "
		 "flag is wrong"},
		{true, 12000000, NULL},
		{false, 52000, NULL},
		{false, 12000000,
		 "the kernel says that target local is not a rotational disk, but a sync there "
		 "takes 12.0 ms (median of 100): as slow as a disk that does"},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct sc_finding *finding;
		struct report report;

		begin(&report);
		give_target(&report, "ext4");
		report.head.targets[0].rotational_status = SC_MEASURED;
		report.head.targets[0].rotational = cases[i].rotational;
		report.head.targets[0].sync_floor_status = SC_MEASURED;
		report.head.targets[0].sync_floor_ns_p50 = cases[i].floor_ns;
		report.head.targets[0].sync_floor_n = 100;
		judge(&report);
		finding = find(&report, SC_FINDING_ROTATIONAL);
		assert_int_equal(finding != NULL, cases[i].text != NULL);
		if (finding)
			assert_string_equal(finding->text, cases[i].text);
		end(&report);
	}
}

static void mount_options_that_drop_flushes_are_severe(void **state)
{
	static const char *const options[] = {"rw,relatime", "rw,nobarrier", "barrier=0,rw",
					      "rw,nobarriers", ""};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(options); i++) {
		const struct sc_finding *finding;
		struct report report;

		begin(&report);
		give_target(&report, "ext4");
		report.head.targets[0].mount_options = strdup(options[i]);
		judge(&report);
		finding = find(&report, SC_FINDING_FLUSH_DISABLED);
		assert_int_equal(finding != NULL, i == 1 || i == 2);
		if (finding)
			assert_int_equal(finding->severity, SC_SEVERITY_SEVERE);
		end(&report);
	}
}

static void an_option_underneath_drops_flushes_too(void **state)
{
	(void)state;
	for (int disabled = 0; disabled < 2; disabled++) {
		const struct sc_finding *finding;
		struct report report;

		begin(&report);
		give_target(&report, "overlay");
		report.head.targets[0].mount_options = strdup("rw");
		report.head.targets[0].flush_disabled = disabled;
		judge(&report);
		finding = find(&report, SC_FINDING_FLUSH_DISABLED);
		assert_int_equal(finding != NULL, disabled);
		if (finding)
			assert_int_equal(finding->severity, SC_SEVERITY_SEVERE);
		end(&report);
	}
}

static void a_machine_that_was_busy_before_is_told(void **state)
{
	static const struct {
		uint32_t cpus;
		double load;
		enum sc_status status;
		bool is_told;
	} cases[] = {
		{2, 9.03, SC_MEASURED, true},    {2, 1.6, SC_MEASURED, true},
		{2, 1.4, SC_MEASURED, false},    {1, 1.2, SC_MEASURED, false},
		{1, 1.6, SC_MEASURED, true},     {64, 9.0, SC_MEASURED, false},
		{2, 9.0, SC_UNSUPPORTED, false}, {2, 9.0, SC_SKIPPED, false},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct sc_finding *finding;
		struct report report;

		begin(&report);
		report.head.cpu_count = cases[i].cpus;
		report.head.load = cases[i].load;
		report.head.load_status = cases[i].status;
		judge(&report);
		finding = find(&report, SC_FINDING_BUSY_START);
		assert_int_equal(finding != NULL, cases[i].is_told);
		if (i == 0)
			assert_string_equal(finding->text,
					    "before the sweep began the machine had a load of 9.0 "
					    "on 2 CPUs: other programs were running");
		end(&report);
	}
}

static void the_wal_reset_bug_is_in_a_range_with_holes(void **state)
{
	static const struct {
		const char *version;
		bool has_bug;
	} cases[] = {
		{"3.6.23", false}, {"3.7.0", true},   {"3.40.1", true}, {"3.44.5", true},
		{"3.44.6", false}, {"3.44.7", false}, {"3.45.0", true}, {"3.50.6", true},
		{"3.50.7", false}, {"3.51.0", true},  {"3.51.2", true}, {"3.51.3", false},
		{"3.52.0", false}, {"4.0.0", false},  {"", false},      {"nonsense", false},
		{"3.40", true},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++)
		assert_int_equal(sc_version_has_wal_reset_bug(cases[i].version), cases[i].has_bug);
}

static void the_wal_reset_bug_matters_where_there_is_a_wal(void **state)
{
	(void)state;
	for (int wal = 0; wal < 2; wal++) {
		struct report report;

		begin(&report);
		strcpy(report.head.sqlite_version, "3.40.1");
		add_rate(&report, "local", "insert_one", wal ? SC_JOURNAL_WAL : SC_JOURNAL_DELETE,
			 SC_SYNCHRONOUS_FULL, 100);
		judge(&report);
		assert_int_equal(find(&report, SC_FINDING_WAL_RESET_BUG) != NULL, wal);
		end(&report);
	}
}

static void the_builds_defaults_are_told(void **state)
{
	static const char *const options[] = {"THREADSAFE=1", "DEFAULT_SYNCHRONOUS=2",
					      "DEFAULT_WAL_SYNCHRONOUS=1"};

	(void)state;
	for (size_t count = 1; count <= SC_ARRAY_COUNT(options); count++) {
		struct report report;
		const struct sc_finding *finding;

		begin(&report);
		report.head.compile_options = calloc(count, sizeof(char *));
		for (size_t i = 0; i < count; i++)
			report.head.compile_options[report.head.compile_option_count++] =
				strdup(options[i]);
		report.head.sync_call = strdup("fdatasync");
		judge(&report);
		finding = find(&report, SC_FINDING_DEFAULT_SYNCHRONOUS);
		if (count == 1)
			assert_null(finding);
		else
			assert_string_equal(finding->text,
					    count == 2 ? "this SQLite was built with default "
							 "synchronous full, and full for WAL"
						       : "this SQLite was built with default "
							 "synchronous full, and normal for WAL");
		assert_non_null(strstr(find(&report, SC_FINDING_SYNC_CALL)->text,
				       "this SQLite syncs with fdatasync, which"));
		end(&report);
	}
}

static void large_pages_make_autocheckpoints_dearer(void **state)
{
	struct report report;
	struct sc_cell *cell;

	(void)state;
	begin(&report);
	cell = add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 100);
	judge(&report);
	assert_null(find(&report, SC_FINDING_AUTOCHECKPOINT_PAGES));
	cell->setting.page_size = 65536;
	judge(&report);
	assert_string_equal(
		find(&report, SC_FINDING_AUTOCHECKPOINT_PAGES)->text,
		"wal_autocheckpoint counts pages: 1000 pages of 65536 bytes let the WAL "
		"grow to 62.5 MiB between checkpoints, 16 times what pages of 4096 bytes "
		"do");
	assert_non_null(strstr(find(&report, SC_FINDING_AUTOCHECKPOINT_PAGES)->next,
			       "wal_autocheckpoint = 62 "));
	end(&report);
}

static void failures_and_interruptions_come_first(void **state)
{
	struct report report;
	struct sc_cell *failed;

	(void)state;
	begin(&report);
	report.head.complete = false;
	report.head.rounds = 3;
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	failed = add(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL);
	failed->status = SC_FAILED;
	failed->reason = strdup("the disk is full");
	judge(&report);
	assert_string_equal(report.head.findings.items[0].text,
			    "1 of 2 cells failed; the first is local/commit/insert_one/wal/full: "
			    "the disk is full");
	assert_int_equal(report.head.findings.items[0].severity, SC_SEVERITY_SEVERE);
	assert_string_equal(
		report.head.findings.items[1].text,
		"the run was not over: after 3 rounds 1 of 2 cells has a rate and 0 have "
		"none yet");
	assert_string_equal(report.head.findings.items[1].next,
			    "go on with it (sweep --resume); intervals tell what these figures are "
			    "worth until then");
	end(&report);
}

static void an_interrupted_run_counts_rates_apart(void **state)
{
	static const double rates[] = {100};
	struct sc_sample ledger = make_ledger(0, 100000);
	struct report report;
	struct sc_error error;

	(void)state;
	begin(&report);
	report.head.complete = false;
	report.head.rounds = 1;
	give_rates(add(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL),
		   rates, 1, 0.5);
	assert_int_equal(sc_cell_summarise(add(&report, "local", "insert_one", SC_JOURNAL_DELETE,
					       SC_SYNCHRONOUS_EXTRA),
					   &ledger, 1, &error),
			 0);
	add(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL);
	judge(&report);
	assert_string_equal(
		find(&report, SC_FINDING_INCOMPLETE)->text,
		"the run was not over: after 1 round 1 of 3 cells has a rate and 2 have "
		"none yet");
	assert_string_equal(find(&report, SC_FINDING_INCOMPLETE)->next,
			    "go on with it (sweep --resume)");
	sc_sample_fini(&ledger);
	end(&report);
}

static void cells_of_few_operations_are_counted(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	for (int i = 0; i < 3; i++)
		add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, (enum sc_synchronous)i,
			 100);
	report.cells[0].op_ns.n = report.cells[0].commit_ns.n = 100;
	judge(&report);
	assert_null(find(&report, SC_FINDING_FEW_OPERATIONS));
	report.cells[1].commit_ns.n = 99;
	report.cells[2].op_ns.n = 7;
	judge(&report);
	assert_string_equal(
		find(&report, SC_FINDING_FEW_OPERATIONS)->text,
		"2 of 3 measured cells rest on fewer than 100 operations or commits (the "
		"first is local/commit/insert_one/delete/normal): they have no p99");
	end(&report);
}

static void what_many_cells_say_is_said_once(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	for (int i = 0; i < 3; i++) {
		struct sc_cell *cell = add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE,
						(enum sc_synchronous)i, 100);

		assert_int_equal(
			sc_findings_add(&cell->findings, SC_FINDING_RUN_DELAY, cell->id, "9 %"), 0);
	}
	judge(&report);
	assert_string_equal(
		find(&report, SC_FINDING_RUN_DELAY)->text,
		"local/commit/insert_one/delete/off waited for a CPU in 9 % of its wall "
		"time: other programs share the cores (and so for 2 more cells)");
	assert_null(find_nth(&report, SC_FINDING_RUN_DELAY, 1));
	end(&report);
}

static void of_many_the_worst_is_named(void **state)
{
	static const double costs[] = {1.18, 1.55, 1.3};
	struct report report;

	(void)state;
	begin(&report);
	for (int i = 0; i < 3; i++) {
		struct sc_cell *cell = add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE,
						(enum sc_synchronous)i, 100);

		assert_int_equal(sc_findings_add(&cell->findings, SC_FINDING_INSTRUMENT_COST,
						 cell->id, costs[i]),
				 0);
		sc_findings_weigh(&cell->findings, costs[i]);
	}
	judge(&report);
	assert_non_null(strstr(find(&report, SC_FINDING_INSTRUMENT_COST)->text,
			       "local/commit/insert_one/delete/normal took 1.55 times"));
	assert_non_null(strstr(find(&report, SC_FINDING_INSTRUMENT_COST)->text,
			       "(and so for 2 more cells)"));
	end(&report);
}

static void a_group_is_told_apart_by_suite_and_clients(void **state)
{
	static const struct {
		const char *suite;
		uint32_t clients;
		const char *name;
	} groups[] = {
		{"commit", 1, "(commit/insert_one, 1 client, "},
		{"commit", 4, "(commit/insert_one, 4 clients, "},
		{"other", 1, "(other/insert_one, 1 client, "},
	};
	struct report report;

	(void)state;
	for (size_t count = 1; count <= SC_ARRAY_COUNT(groups); count += 2) {
		begin(&report);
		for (size_t i = 0; i < 2 * count; i++) {
			struct sc_cell *cell = add_rate(&report, "local", "insert_one",
							i % 2 ? SC_JOURNAL_WAL : SC_JOURNAL_DELETE,
							SC_SYNCHRONOUS_FULL, i % 2 ? 900 : 100);

			free(cell->suite);
			cell->suite = strdup(groups[i / 2].suite);
			cell->clients = groups[i / 2].clients;
		}
		judge(&report);
		for (size_t i = 0; i < count; i++)
			assert_non_null(strstr(find_nth(&report, SC_FINDING_SPEEDUP, i)->text,
					       count == 1 ? "(insert_one, " : groups[i].name));
		assert_string_equal(report.head.recommendations[0].workload,
				    count == 1 ? "insert_one" : "commit/insert_one, 1 client");
		end(&report);
	}
}

static void a_number_of_samples_is_not_a_precision_missed(void **state)
{
	static const struct {
		uint32_t samples;
		const char *text, *next;
	} cases[] = {
		{0, " did not reach the precision asked for", "give it more --time (or "},
		{6, " has an interval wider than ±5 % with 6 samples",
		 "give it more --samples or --ops"},
		{3, " has too few samples, 3, for an interval of 95 %",
		 "give it more --samples or --ops"},
	};
	struct report report;

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		begin(&report);
		report.head.sampling.samples = cases[i].samples;
		add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 100)
			->ops_per_s.converged = false;
		judge(&report);
		assert_non_null(
			strstr(find(&report, SC_FINDING_NOT_CONVERGED)->text, cases[i].text));
		assert_non_null(
			strstr(find(&report, SC_FINDING_NOT_CONVERGED)->next, cases[i].next));
		end(&report);
	}
}

static void what_matters_comes_first(void **state)
{
	struct report report;
	size_t general = 0;
	bool was_general = false;
	int before = SC_SEVERITY_SEVERE;

	(void)state;
	begin(&report);
	strcpy(report.head.sqlite_version, "3.40.1");
	report.head.sync_call = strdup("fdatasync");
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_OFF, 900)
		->ops_per_s.converged = false;
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 1000)
		->status = SC_FAILED;
	judge(&report);
	for (size_t i = 0; i < report.head.findings.count; i++) {
		const struct sc_finding *finding = &report.head.findings.items[i];
		bool is_general =
			strcmp(finding->code, sc_finding_name(SC_FINDING_WAL_RESET_BUG)) == 0 ||
			strcmp(finding->code, sc_finding_name(SC_FINDING_SYNC_CALL)) == 0 ||
			strcmp(finding->code, sc_finding_name(SC_FINDING_HIDDEN_SYNCS)) == 0;

		assert_true((int)finding->severity <= before);
		if ((int)finding->severity == before)
			assert_true(is_general || !was_general);
		general += is_general;
		was_general = is_general;
		before = (int)finding->severity;
	}
	assert_int_equal(general, 3);
	assert_string_equal(report.head.findings.items[0].code,
			    sc_finding_name(SC_FINDING_FAILED_CELLS));
	end(&report);
}

static void copies_are_counted_with_their_reasons(void **state)
{
	struct report report;
	struct sc_error error;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 100);
	for (int i = 0; i < 2; i++)
		assert_int_equal(sc_cell_same(add(&report, "local", "insert_one", SC_JOURNAL_WAL,
						  SC_SYNCHRONOUS_EXTRA),
					      &report.cells[0], "EXTRA is FULL", &error),
				 0);
	judge(&report);
	assert_string_equal(find(&report, SC_FINDING_SAME_SETTINGS)->text,
			    "2 of 3 cells cannot differ from another and carry its figures: "
			    "EXTRA is FULL");
	assert_int_equal(report.head.recommendation_count, 1);
	assert_string_equal(report.head.recommendations[0].label, "wal/full");
	end(&report);
}

/* --- recommendations */

static void each_class_of_loss_has_its_fastest(void **state)
{
	struct report report;
	const struct sc_recommendation *one;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_OFF, 99999);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_NORMAL, 9999);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 400);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_EXTRA, 200);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_TRUNCATE, SC_SYNCHRONOUS_FULL, 300);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL, 5000);
	judge(&report);
	assert_int_equal(report.head.recommendation_count, 3);
	one = report.head.recommendations;
	assert_int_equal(one[0].loss, SC_LOSS_NONE);
	assert_string_equal(one[0].label, "truncate/full");
	assert_string_equal(one[0].pragmas, "PRAGMA journal_mode = truncate;\n"
					    "PRAGMA synchronous = full;\n");
	assert_string_equal(one[0].sentence,
			    "a power cut takes no acknowledged commit and never corrupts");
	assert_true(fabs(one[0].commits_per_s.median - 300.75) < 0.01);
	assert_int_equal(one[1].loss, SC_LOSS_LAST);
	assert_string_equal(one[1].label, "delete/full");
	assert_int_equal(one[2].loss, SC_LOSS_SUFFIX);
	assert_string_equal(one[2].label, "wal/normal");
	end(&report);
}

static struct sc_cell *add_in_memory(struct report *report, enum sc_journal_mode mode)
{
	struct sc_cell *cell =
		add_rate(report, "local", "insert_one", mode, SC_SYNCHRONOUS_FULL, 5000);

	free(cell->store);
	cell->store = strdup("memory");
	return cell;
}

static void a_database_in_memory_loses_everything(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	strcpy(report.head.sqlite_version, "3.46.1");
	add_in_memory(&report, SC_JOURNAL_WAL);
	judge(&report);
	assert_int_equal(report.head.recommendation_count, 0);
	assert_string_equal(find(&report, SC_FINDING_NO_RECOMMENDATION)->text,
			    "no setting is recommended for target local: the database is in "
			    "memory, where every setting loses everything");
	assert_string_equal(
		find(&report, SC_FINDING_LOSS)->text,
		"at a power cut here: a database in memory loses everything, under each setting");
	assert_string_equal(find(&report, SC_FINDING_LOSS)->next, "");
	assert_null(find(&report, SC_FINDING_WAL_RESET_BUG));

	/* Beside files, which have an answer of their own. */
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 400);
	judge(&report);
	assert_int_equal(report.head.recommendation_count, 1);
	assert_true(report.head.recommendations[0].commits_per_s.median < 500);
	assert_string_equal(find(&report, SC_FINDING_LOSS)->text,
			    "at a power cut here: wal/full loses nothing");
	assert_non_null(find_nth(&report, SC_FINDING_LOSS, 1));
	assert_non_null(find(&report, SC_FINDING_WAL_RESET_BUG));
	end(&report);
}

static void losing_more_for_nothing_is_not_recommended(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 100);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 500);
	judge(&report);
	assert_int_equal(report.head.recommendation_count, 1);
	assert_string_equal(report.head.recommendations[0].label, "wal/full");
	end(&report);
}

static void among_equals_the_safer_and_then_the_simpler_is_taken(void **state)
{
	static const double scattered[][6] = {{490, 510, 495, 505, 498, 520},
					      {505, 490, 510, 500, 503, 495}};
	struct report report;
	struct sc_cell *large;

	(void)state;
	begin(&report);
	give_rates(add(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL),
		   scattered[0], 6, 0.8);
	add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 500);
	large = add(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL);
	give_rates(large, scattered[1], 6, 0.8);
	large->setting.page_size = 8192;
	judge(&report);
	assert_int_equal(report.head.recommendation_count, 1);
	assert_string_equal(report.head.recommendations[0].label, "wal/full");
	assert_string_equal(
		report.head.recommendations[0].sentence,
		"a power cut takes no acknowledged commit and never corrupts; within its "
		"interval: wal/full page_size=8192");
	end(&report);
}

static void another_workload_speaks_only_where_it_disagrees(void **state)
{
	struct report report;

	(void)state;
	for (int disagrees = 0; disagrees < 2; disagrees++) {
		begin(&report);
		add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_EXTRA,
			 100);
		add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 500);
		add_rate(&report, "local", "insert_batch", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_EXTRA,
			 disagrees ? 90 : 50);
		add_rate(&report, "local", "insert_batch", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 60);
		judge(&report);
		assert_int_equal(report.head.recommendation_count, 1 + disagrees);
		assert_string_equal(report.head.recommendations[0].workload, "insert_one");
		if (disagrees) {
			assert_string_equal(report.head.recommendations[1].workload,
					    "insert_batch");
			assert_string_equal(report.head.recommendations[1].label, "delete/extra");
		}
		assert_int_equal(strstr(report.head.recommendations[0].sentence,
					"; the same setting holds for insert_batch") != NULL,
				 !disagrees);
		end(&report);
	}
}

static void one_workload_of_several_sizes_is_told_apart(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	for (uint32_t rows = 1; rows <= 100; rows *= 10) {
		struct sc_cell *slow, *fast;

		slow = add_rate(&report, "local", "insert_one", SC_JOURNAL_DELETE,
				SC_SYNCHRONOUS_EXTRA, 100);
		fast = add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL,
				rows == 100 ? 60 : 500);
		slow->setting.rows_per_commit = fast->setting.rows_per_commit = rows;
	}
	judge(&report);
	assert_int_equal(report.head.recommendation_count, 2);
	assert_string_equal(report.head.recommendations[0].label, "wal/full rows_per_commit=1");
	assert_non_null(strstr(report.head.recommendations[0].sentence,
			       "; the same setting holds for insert_one rows_per_commit=10"));
	assert_null(strstr(report.head.recommendations[0].sentence, "rows_per_commit=100"));
	assert_string_equal(report.head.recommendations[1].label,
			    "delete/extra rows_per_commit=100");
	end(&report);
}

static void what_is_as_fast_round_by_round_is_so_either_way(void **state)
{
	/* Medians lie in each other's intervals, but the one is faster in every round. */
	static const double slow[] = {100, 200, 300, 400, 500, 600};
	static const double fast[] = {110, 220, 330, 440, 550, 660};
	/* The ratios lie on both sides of 1. */
	static const double mixed[] = {110, 190, 330, 380, 520, 590};
	struct report report;

	(void)state;
	for (int equal = 0; equal < 2; equal++) {
		begin(&report);
		give_rates(add(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL),
			   slow, 6, 0.5);
		give_rates(add(&report, "local", "insert_one", SC_JOURNAL_DELETE,
			       SC_SYNCHRONOUS_EXTRA),
			   equal ? mixed : fast, 6, 0.5);
		judge(&report);
		assert_int_equal(report.head.recommendation_count, 1);
		assert_int_equal(strstr(report.head.recommendations[0].sentence,
					"within its interval: ") != NULL,
				 equal);
		end(&report);
	}
}

static void what_a_setting_asks_of_a_program_is_told(void **state)
{
	struct report report;
	struct sc_cell *cell;

	(void)state;
	begin(&report);
	cell = add_rate(&report, "local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 500);
	cell->setting.locking_mode = SC_LOCKING_EXCLUSIVE;
	cell->setting.page_size = 8192;
	judge(&report);
	assert_string_equal(report.head.recommendations[0].sentence,
			    "a power cut takes no acknowledged commit and never corrupts; other "
			    "processes cannot open the database meanwhile; the page size takes a "
			    "VACUUM (outside WAL) on an existing database");
	end(&report);
}

static void what_only_reads_is_not_recommended(void **state)
{
	struct report report;
	struct sc_cell *cell;
	struct sc_sample sample = make_timing(1, 1000, 0, 1000000);
	struct sc_error error;

	(void)state;
	begin(&report);
	cell = add(&report, "local", "read_point", SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL);
	assert_int_equal(sc_cell_summarise(cell, &sample, 1, &error), 0);
	judge(&report);
	assert_int_equal(report.head.recommendation_count, 0);
	assert_null(find(&report, SC_FINDING_SPEEDUP));
	assert_null(find(&report, SC_FINDING_LOSS));
	assert_string_equal(find(&report, SC_FINDING_NO_RECOMMENDATION)->text,
			    "no setting is recommended for target local: nothing that was measured "
			    "there commits");
	sc_sample_fini(&sample);
	end(&report);
}

static void a_report_without_cells_is_judged_too(void **state)
{
	struct report report;

	(void)state;
	begin(&report);
	judge(&report);
	assert_int_equal(report.head.findings.count, 0);
	assert_int_equal(report.head.recommendation_count, 0);
	end(&report);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("the fastest that never corrupts is compared with the default",
		     the_fastest_that_never_corrupts_is_compared_with_the_default),
		CASE("where a commit goes names the hidden syncs",
		     where_a_commit_goes_names_the_hidden_syncs),
		CASE("where nothing else is, no rate is promised",
		     where_nothing_else_is_no_rate_is_promised),
		CASE("a recommendation leaves out what changes nothing",
		     a_recommendation_leaves_out_what_changes_nothing),
		CASE("a check that does not hold is not to be repeated",
		     a_check_that_does_not_hold_is_not_to_be_repeated),
		CASE("one sample has no width", one_sample_has_no_width),
		CASE("on a schedule no rate is promised", on_a_schedule_no_rate_is_promised),
		CASE("hidden syncs are told for each setting",
		     hidden_syncs_are_told_for_each_setting),
		CASE("a split of a busy machine is not built on",
		     a_split_of_a_busy_machine_is_not_built_on),
		CASE("where syncs were left out, their cost was measured",
		     where_syncs_were_left_out_their_cost_was_measured),
		CASE("in memory the speedup promises nothing",
		     in_memory_the_speedup_promises_nothing),
		CASE("without the default, the nearest setting is the baseline",
		     without_the_default_the_nearest_setting_is_the_baseline),
		CASE("what each setting can lose is listed", what_each_setting_can_lose_is_listed),
		CASE("a grid that keeps nothing is said to be unsafe",
		     a_grid_that_keeps_nothing_is_said_to_be_unsafe),
		CASE("a large grid is cut to some names", a_large_grid_is_cut_to_some_names),
		CASE("an interrupted run counts rates apart",
		     an_interrupted_run_counts_rates_apart),
		CASE("cells of few operations are counted", cells_of_few_operations_are_counted),
		CASE("one workload of several sizes is told apart",
		     one_workload_of_several_sizes_is_told_apart),
		CASE("what is as fast round by round is so either way",
		     what_is_as_fast_round_by_round_is_so_either_way),
		CASE("what a setting asks of a program is told",
		     what_a_setting_asks_of_a_program_is_told),
		CASE("what is no faster is not said to be", what_is_no_faster_is_not_said_to_be),
		CASE("too few rounds have no interval", too_few_rounds_have_no_interval),
		CASE("several targets are named", several_targets_are_named),
		CASE("a fresh WAL is compared only where there is no other",
		     a_fresh_wal_is_compared_only_where_there_is_no_other),
		CASE("the factor is a median of ratios round by round",
		     the_factor_is_a_median_of_ratios_round_by_round),
		CASE("storage in memory is found, and nothing recommended for it",
		     storage_in_memory_is_found_and_nothing_recommended),
		CASE("what others know of a target stays", what_others_know_of_a_target_stays),
		CASE("the rotational flag is held against the clock",
		     the_rotational_flag_is_held_against_the_clock),
		CASE("mount options that drop flushes are severe",
		     mount_options_that_drop_flushes_are_severe),
		CASE("the WAL-reset bug is in a range with holes",
		     the_wal_reset_bug_is_in_a_range_with_holes),
		CASE("the WAL-reset bug matters where there is a WAL",
		     the_wal_reset_bug_matters_where_there_is_a_wal),
		CASE("the build's defaults are told", the_builds_defaults_are_told),
		CASE("large pages make autocheckpoints dearer",
		     large_pages_make_autocheckpoints_dearer),
		CASE("failures and interruptions come first",
		     failures_and_interruptions_come_first),
		CASE("an option underneath drops flushes too",
		     an_option_underneath_drops_flushes_too),
		CASE("a machine that was busy before is told",
		     a_machine_that_was_busy_before_is_told),
		CASE("of many the worst is named", of_many_the_worst_is_named),
		CASE("a group is told apart by suite and clients",
		     a_group_is_told_apart_by_suite_and_clients),
		CASE("a number of samples is not a precision missed",
		     a_number_of_samples_is_not_a_precision_missed),
		CASE("what matters comes first", what_matters_comes_first),
		CASE("what many cells say is said once", what_many_cells_say_is_said_once),
		CASE("copies are counted with their reasons",
		     copies_are_counted_with_their_reasons),
		CASE("each class of loss has its fastest", each_class_of_loss_has_its_fastest),
		CASE("a database in memory loses everything",
		     a_database_in_memory_loses_everything),
		CASE("losing more for nothing is not recommended",
		     losing_more_for_nothing_is_not_recommended),
		CASE("among equals the safer, then the simpler is taken",
		     among_equals_the_safer_and_then_the_simpler_is_taken),
		CASE("another workload speaks only where it disagrees",
		     another_workload_speaks_only_where_it_disagrees),
		CASE("what only reads is not recommended", what_only_reads_is_not_recommended),
		CASE("a report without cells is judged too", a_report_without_cells_is_judged_too),
	};

	return cmocka_run_group_tests_name("judge", cases, NULL, NULL);
}
