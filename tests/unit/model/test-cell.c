/* SPDX-License-Identifier: MIT */

/* From samples to a cell: closed forms, and what happens to samples that are bad or missing. */

#include "../base/test.h"

#include <math.h>
#include <string.h>

#include "model/format.h"
#include "samples.h"
#include "stats/order.h"

#define COUNT(array) (sizeof(array) / sizeof(*(array)))

static struct sc_cell summarise(struct sc_sample *samples, size_t count)
{
	struct sc_cell cell =
		make_cell("local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL);
	struct sc_error error;

	assert_int_equal(sc_cell_summarise(&cell, samples, count, &error), 0);
	for (size_t i = 0; i < count; i++)
		sc_sample_fini(&samples[i]);
	return cell;
}

static const struct sc_finding *find(const struct sc_cell *cell, enum sc_finding_code code)
{
	for (size_t i = 0; i < cell->findings.count; i++) {
		if (strcmp(cell->findings.items[i].code, sc_finding_name(code)) == 0)
			return &cell->findings.items[i];
	}
	return NULL;
}

static bool has_finding(const struct sc_cell *cell, enum sc_finding_code code)
{
	return find(cell, code) != NULL;
}

#define assert_near(value, expected)                                                               \
	assert_true(fabs((double)(value) - (double)(expected)) <= 1e-9 * fabs((double)(expected)))

/* --- rates */

static void the_median_and_its_interval_are_order_statistics(void **state)
{
	/* Rates 100 … 700 a second, given in no order; of 7 the interval is the extremes
	 * (1 - 2/128 = 0.984), of 6 too (0.969). */
	static const uint64_t rates[] = {300, 700, 100, 500, 200, 600, 400};
	struct sc_sample samples[COUNT(rates)];
	struct sc_cell cell;

	(void)state;
	for (size_t i = 0; i < COUNT(rates); i++)
		samples[i] = make_timing((uint32_t)i, rates[i], 0, 1000000000);
	cell = summarise(samples, COUNT(samples));
	assert_int_equal(cell.ops_per_s.status, SC_MEASURED);
	assert_near(cell.ops_per_s.median, 400);
	assert_near(cell.ops_per_s.low, 100);
	assert_near(cell.ops_per_s.high, 700);
	assert_near(cell.ops_per_s.coverage, 1 - 2.0 / 128);
	assert_int_equal(cell.ops_per_s.n, 7);
	assert_false(cell.ops_per_s.converged); /* 75 % wide */
	assert_near(sc_interval_half_width(&cell.ops_per_s), 0.75);
	sc_cell_fini(&cell);
}

static void nine_samples_leave_out_the_extremes(void **state)
{
	struct sc_sample samples[9];
	struct sc_cell cell;

	(void)state;
	for (uint32_t i = 0; i < 9; i++)
		samples[i] = make_timing(i, 1000 + i, 1000 + i, 1000000000);
	cell = summarise(samples, 9);
	/* P(Binomial(9, 1/2) < 2) = 10/512: ranks 2 and 8. */
	assert_near(cell.ops_per_s.low, 1001);
	assert_near(cell.ops_per_s.median, 1004);
	assert_near(cell.ops_per_s.high, 1007);
	assert_near(cell.ops_per_s.coverage, 1 - 20.0 / 512);
	assert_true(cell.ops_per_s.converged);
	assert_near(cell.commits_per_s.median, 1004);
	assert_true(cell.commits_per_s.converged);
	sc_cell_fini(&cell);
}

static void five_samples_never_converge(void **state)
{
	struct sc_sample samples[5];
	struct sc_cell cell;

	(void)state;
	for (uint32_t i = 0; i < 5; i++)
		samples[i] = make_timing(i, 1000, 1000, 1000000000);
	cell = summarise(samples, 5);
	assert_near(cell.ops_per_s.low, cell.ops_per_s.high);
	assert_near(cell.ops_per_s.coverage, 1 - 2.0 / 32);
	assert_false(cell.ops_per_s.converged);
	sc_cell_fini(&cell);
}

static void the_precision_asked_for_decides_what_has_converged(void **state)
{
	struct sc_cell cell =
		make_cell("local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL);
	struct sc_sample samples[6];
	struct sc_error error;

	(void)state;
	for (uint32_t i = 0; i < 6; i++)
		samples[i] = make_timing(i, i == 0 ? 960 : 1000, 1000, 1000000000);
	assert_int_equal(sc_cell_summarise(&cell, samples, 6, &error), 0);
	assert_true(cell.ops_per_s.converged); /* 4 % of the 5 % that are asked for */
	cell.precision = 0.03;
	assert_int_equal(sc_cell_summarise(&cell, samples, 6, &error), 0);
	assert_false(cell.ops_per_s.converged);
	for (size_t i = 0; i < 6; i++)
		sc_sample_fini(&samples[i]);
	sc_cell_fini(&cell);
}

static void the_order_of_samples_means_nothing(void **state)
{
	struct sc_cell cells[2];

	(void)state;
	for (int backwards = 0; backwards < 2; backwards++) {
		struct sc_sample samples[8];

		for (uint32_t i = 0; i < 8; i++) {
			uint32_t round = backwards ? 7 - i : i;

			samples[i] = round == 0 ? make_ledger(0, 5000000)
						: make_timing(round, 1000 * round, 50, 1000000000);
			if (round > 0)
				add_latency(&samples[i], 1000 * round, 100);
		}
		cells[backwards] = summarise(samples, 8);
	}
	assert_near(cells[0].ops_per_s.median, cells[1].ops_per_s.median);
	assert_int_equal(cells[0].op_ns.p50_ns, cells[1].op_ns.p50_ns);
	assert_int_equal(cells[0].op_ns.max_ns, cells[1].op_ns.max_ns);
	assert_int_equal(cells[0].operations, cells[1].operations);
	assert_near(cells[0].instrument_cost, cells[1].instrument_cost);
	sc_cell_fini(&cells[0]);
	sc_cell_fini(&cells[1]);
}

/* --- latencies */

static void histograms_are_merged_before_they_are_read(void **state)
{
	struct sc_sample samples[2] = {make_timing(1, 100, 100, 1000000),
				       make_timing(2, 100, 100, 1000000)};
	struct sc_cell cell;

	(void)state;
	/* 89 of 20 ns, 10 of 30 ns, 1 of 31 ns: buckets below 32 are exact. */
	add_latency(&samples[0], 20, 50);
	add_latency(&samples[1], 20, 39);
	add_latency(&samples[1], 30, 10);
	add_latency(&samples[0], 31, 1);
	cell = summarise(samples, 2);
	assert_int_equal(cell.op_ns.n, 100);
	assert_int_equal(cell.op_ns.p50_ns, 20);
	assert_int_equal(cell.op_ns.p90_ns, 30);
	assert_int_equal(cell.op_ns.p99_ns, 30);
	assert_int_equal(cell.op_ns.p999_ns, 31);
	assert_int_equal(cell.op_ns.max_ns, 31);
	assert_int_equal(cell.commit_ns.n, 100);
	sc_cell_fini(&cell);
}

static void a_workload_that_does_not_commit_says_so(void **state)
{
	struct sc_sample samples[1] = {make_timing(1, 100, 0, 1000000)};
	struct sc_cell cell;

	(void)state;
	add_latency(&samples[0], 20, 100);
	cell = summarise(samples, 1);
	assert_int_equal(cell.commits_per_s.status, SC_SKIPPED);
	assert_string_equal(cell.commits_per_s.reason, "the workload does not commit");
	assert_int_equal(cell.commit_ns.status, SC_SKIPPED);
	assert_string_equal(cell.commit_ns.reason, "the workload does not commit");
	assert_int_equal(cell.op_ns.status, SC_MEASURED);
	sc_cell_fini(&cell);
}

static void cpu_wall_is_a_median_over_timing_samples(void **state)
{
	struct sc_sample samples[4] = {make_timing(1, 1, 1, 1000), make_timing(2, 1, 1, 1000),
				       make_timing(3, 1, 1, 1000), make_ledger(0, 1000)};
	struct sc_cell cell;

	(void)state;
	samples[0].cpu_ns = 900;
	samples[1].cpu_ns = 300;
	samples[2].cpu_ns = 500;
	samples[3].cpu_ns = 1000;
	cell = summarise(samples, 4);
	assert_near(cell.cpu_wall, 0.5);
	sc_cell_fini(&cell);
}

/* --- the ledger */

static void the_first_ledger_sample_by_round_speaks(void **state)
{
	struct sc_sample samples[3] = {make_ledger(9, 700000), make_ledger(2, 300000),
				       make_timing(1, 1000, 1000, 1000000)};
	struct sc_cell cell;

	(void)state;
	samples[0].syncs.vfs = 1;
	samples[1].split.checkpoint_ns[SC_PART_SYNC] = 40;
	samples[1].split.checkpoint_ns[SC_PART_WRITE] = 2;
	samples[1].checkpoints = (struct sc_checkpoints){3, 30, 42, 2};
	samples[1].major_faults = 5;
	samples[2].checkpoints_seen = 1;
	add_io(&samples[1], SC_INSTRUMENT_VFS, SC_ROLE_WAL, SC_OP_WRITE, 10, 41200);
	cell = summarise(samples, 3);
	assert_int_equal(cell.syncs.vfs, 300);
	assert_int_equal(cell.ledger_ops, 100);
	assert_int_equal(cell.ledger_commits, 100);
	assert_int_equal(cell.checkpoint_ns, 42);
	assert_int_equal(cell.checkpoints.count, 3);
	assert_int_equal(cell.major_faults, 5);
	assert_int_equal(cell.io_count, 1);
	assert_int_equal(cell.io[0].bytes, 41200);
	assert_int_equal(cell.space.vfs_bytes, 1000000);
	/* 5000 ns an operation (the median of 7000 and 3000) beside 1000 of the timing sample. */
	assert_near(cell.instrument_cost, 5.0);
	sc_cell_fini(&cell);
}

static void without_a_ledger_its_figures_say_why_not(void **state)
{
	struct sc_sample samples[1] = {make_timing(1, 1000, 1000, 1000000)};
	struct sc_cell cell = summarise(samples, 1);

	(void)state;
	assert_int_equal(cell.ledger_ops, 0);
	assert_int_equal(cell.split.status, SC_SKIPPED);
	assert_string_equal(cell.split.reason, "no ledger sample was run");
	assert_int_equal(cell.syncs.status, SC_SKIPPED);
	assert_int_equal(cell.bound.status, SC_SKIPPED);
	assert_int_equal(cell.space.database_bytes, 8192); /* sizes do not need instruments */
	sc_cell_fini(&cell);
}

static void a_ledger_alone_has_no_rate(void **state)
{
	struct sc_sample samples[1] = {make_ledger(0, 1000)};
	struct sc_cell cell = summarise(samples, 1);

	(void)state;
	assert_int_equal(cell.status, SC_MEASURED);
	assert_int_equal(cell.ops_per_s.status, SC_SKIPPED);
	assert_string_equal(cell.ops_per_s.reason, "interrupted before its first timing sample");
	assert_int_equal(cell.syncs.physical, 400);
	assert_near(cell.instrument_cost + 1, 1);
	sc_cell_fini(&cell);
}

/* --- state */

static void one_failed_sample_fails_the_cell_and_leaves_no_number(void **state)
{
	struct sc_sample samples[3] = {make_timing(1, 1000, 1000, 1000000), make_ledger(0, 1000),
				       make_timing(2, 0, 0, 0)};
	struct sc_cell cell;

	(void)state;
	samples[2].status = SC_FAILED;
	samples[2].verified = false;
	samples[2].reason = strdup("disk I/O error on 'a.db'");
	cell = summarise(samples, 3);
	assert_int_equal(cell.status, SC_FAILED);
	assert_string_equal(cell.reason, "disk I/O error on 'a.db'");
	assert_false(cell.verified);
	assert_int_equal(cell.ops_per_s.status, SC_FAILED);
	assert_string_equal(cell.ops_per_s.reason, "disk I/O error on 'a.db'");
	assert_int_equal(cell.split.status, SC_FAILED);
	assert_int_equal(cell.syncs.status, SC_FAILED);
	assert_int_equal(cell.ledger_ops, 0);
	assert_int_equal(cell.sample_count, 2); /* what was measured stays on record */
	sc_cell_fini(&cell);
}

static void a_failure_weighs_more_than_what_is_unsupported(void **state)
{
	struct sc_sample samples[2] = {make_timing(1, 0, 0, 0), make_timing(2, 0, 0, 0)};
	struct sc_cell cell;

	(void)state;
	samples[0].status = SC_UNSUPPORTED;
	samples[0].reason = strdup("built without WAL");
	samples[1].status = SC_FAILED;
	samples[1].reason = strdup("killed by signal 9");
	cell = summarise(samples, 2);
	assert_int_equal(cell.status, SC_FAILED);
	assert_string_equal(cell.reason, "killed by signal 9");
	sc_cell_fini(&cell);
}

static void more_samples_replace_the_figures(void **state)
{
	struct sc_cell cell =
		make_cell("local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL);
	struct sc_sample samples[3] = {make_timing(1, 100, 100, 1000000000), make_ledger(0, 1000),
				       make_timing(2, 300, 300, 1000000000)};
	struct sc_error error;

	(void)state;
	add_io(&samples[1], SC_INSTRUMENT_VFS, SC_ROLE_WAL, SC_OP_WRITE, 10, 41200);
	add_latency(&samples[0], 20, 10);
	add_latency(&samples[2], 20, 10);
	for (size_t count = 1; count <= 3; count++)
		assert_int_equal(sc_cell_summarise(&cell, samples, count, &error), 0);
	assert_near(cell.ops_per_s.median, 200);
	assert_int_equal(cell.op_ns.n, 20);
	assert_int_equal(cell.sample_count, 3);
	assert_int_equal(cell.io_count, 1);
	samples[0].status = SC_FAILED; /* no reason given */
	assert_int_equal(sc_cell_summarise(&cell, samples, 3, &error), 0);
	assert_int_equal(cell.status, SC_FAILED);
	assert_int_equal(cell.io_count, 0);
	samples[0].status = SC_MEASURED;
	assert_int_equal(sc_cell_summarise(&cell, samples, 3, &error), 0);
	assert_int_equal(cell.status, SC_MEASURED);
	assert_null(cell.reason);
	assert_near(cell.ops_per_s.median, 200);
	for (size_t i = 0; i < 3; i++)
		sc_sample_fini(&samples[i]);
	sc_cell_fini(&cell);
}

/* --- findings of a cell */

static void planted_troubles_are_each_found_alone(void **state)
{
	static const enum sc_finding_code codes[] = {
		SC_FINDING_RUN_DELAY,         SC_FINDING_STEAL,         SC_FINDING_CALLS_DROPPED,
		SC_FINDING_EFFECTIVE_DIFFERS, SC_FINDING_SYNC_MISMATCH, SC_FINDING_INSTRUMENT_COST,
		SC_FINDING_RESIDUAL,
	};

	(void)state;
	for (size_t planted = 0; planted <= COUNT(codes); planted++) {
		struct sc_sample samples[2] = {make_ledger(0, 100000),
					       make_timing(1, 1000, 1000, 1000000)};
		struct sc_cell cell;

		if (planted < COUNT(codes) && codes[planted] == SC_FINDING_RUN_DELAY)
			samples[1].run_delay_ns = 60000;
		if (planted < COUNT(codes) && codes[planted] == SC_FINDING_STEAL)
			samples[1].steal_ns = 60000;
		if (planted < COUNT(codes) && codes[planted] == SC_FINDING_CALLS_DROPPED)
			samples[0].calls_dropped = 3;
		if (planted < COUNT(codes) && codes[planted] == SC_FINDING_EFFECTIVE_DIFFERS)
			samples[1].effective.page_size = 8192;
		if (planted < COUNT(codes) && codes[planted] == SC_FINDING_SYNC_MISMATCH)
			samples[0].syncs.physical = 399;
		if (planted < COUNT(codes) && codes[planted] == SC_FINDING_INSTRUMENT_COST)
			samples[0].wall_ns = 120000;
		if (planted < COUNT(codes) && codes[planted] == SC_FINDING_RESIDUAL)
			samples[0].split.residual_ns = 5001;
		cell = summarise(samples, 2);
		assert_int_equal(cell.findings.count, planted < COUNT(codes) ? 1 : 0);
		if (planted < COUNT(codes))
			assert_true(has_finding(&cell, codes[planted]));
		sc_cell_fini(&cell);
	}
}

/* Samples whose rates fall into two groups, in any order: named, and each still counted. */
static void rates_of_two_modes_are_named_and_none_is_dropped(void **state)
{
	static const double two[] = {1000, 2010, 1010, 990, 2000, 1005, 1990, 2020, 995};
	static const double one[] = {1000, 1020, 1010, 990, 1008, 1005, 985, 1015, 995};
	static const double outlier[] = {1000, 1020, 1010, 990, 1008, 1005, 985, 1015, 2000};
	static const double near[] = {1000, 1061, 1001, 999, 1060, 1000, 1059, 1062, 998};
	const struct {
		const double *rates;
		bool modes;
	} cases[] = {{two, true}, {one, false}, {outlier, false}, {near, false}};

	(void)state;
	for (size_t c = 0; c < COUNT(cases); c++) {
		struct sc_sample samples[9];
		struct sc_cell cell;

		for (uint32_t i = 0; i < 9; i++)
			samples[i] = make_timing(i + 1, 1000, 500,
						 (uint64_t)(1000 * 1e9 / cases[c].rates[i]));
		cell = summarise(samples, 9);
		assert_int_equal(has_finding(&cell, SC_FINDING_TWO_MODES), cases[c].modes);
		assert_int_equal(cell.ops_per_s.n, 9);
		assert_int_equal(cell.sample_count, 9);
		if (cases[c].modes) /* commits, of which there are half as many */
			assert_non_null(strstr(cell.findings.items[0].text,
					       "5 samples near 500 and 4 near 1.00k commits/s"));
		sc_cell_fini(&cell);
	}
}

/* Of nine samples that write 100 KB each, what others moved meanwhile. */
static bool finds_other_io(const uint64_t *others, enum sc_status status)
{
	struct sc_sample samples[9];
	struct sc_cell cell;
	bool found;

	for (uint32_t i = 0; i < 9; i++) {
		samples[i] = make_timing(i + 1, 1000, 1000, 1000000);
		samples[i].space.page_cache_bytes = 100000;
		samples[i].other_io_bytes = others[i];
		samples[i].other_io_status = status;
	}
	cell = summarise(samples, 9);
	found = has_finding(&cell, SC_FINDING_OTHER_IO);
	for (uint32_t i = 0; i < 9; i++)
		assert_int_equal(cell.samples[i].other_io_bytes, others[i]);
	sc_cell_fini(&cell);
	return found;
}

static void what_others_moved_is_judged_by_the_cells_own_samples(void **state)
{
	static const uint64_t quiet[] = {0, 8192, 4096, 0, 4096, 12288, 0, 4096, 500000};
	static const uint64_t journal[] = {6000000, 6100000, 6200000, 6300000, 6100000,
					   6050000, 6150000, 6000000, 7100000};
	static const uint64_t one[] = {0, 8192, 4096, 0, 20000000, 12288, 0, 4096, 0};
	static const uint64_t most[] = {0,       20000000, 20000000, 20000000, 20000000,
					2000000, 20000000, 20000000, 20000000};

	(void)state;
	assert_false(finds_other_io(quiet, SC_MEASURED));
	assert_false(finds_other_io(journal, SC_MEASURED)); /* the file system's, in each of them */
	assert_true(finds_other_io(one, SC_MEASURED));
	assert_true(finds_other_io(most, SC_MEASURED));
	assert_false(finds_other_io(one, SC_UNSUPPORTED));
}

/* --- the interval of a stopping rule */

static void under_a_rule_the_interval_is_the_rules(void **state)
{
	static const double rates[] = {1000, 1030, 970, 1010, 990, 1020, 980, 1005, 995, 1015, 985};
	struct sc_sample samples[COUNT(rates)];
	struct sc_stop_rule rule;

	(void)state;
	assert_true(sc_stop_plan(0.05, SC_CONFIDENCE, 7, 24, &rule)); /* 7/1 11/2 17/4 24/7 */
	assert_int_equal(rule.looks[1].samples, 11);
	for (size_t n = 1; n <= COUNT(rates); n++) {
		struct sc_cell cell =
			make_cell("local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL);
		struct sc_interval *rate = &cell.ops_per_s;
		double sorted[COUNT(rates)];
		struct sc_error error;
		size_t rank = n < 11 ? 1 : 2;

		for (uint32_t i = 0; i < n; i++) {
			samples[i] =
				make_timing(i + 1, 1000, 1000, (uint64_t)(1000 * 1e9 / rates[i]));
			sorted[i] = sc_sample_rate(&samples[i]);
		}
		sc_sort_doubles(sorted, n);
		cell.rule = &rule;
		assert_int_equal(sc_cell_summarise(&cell, samples, n, &error), 0);
		assert_near(rate->low, sorted[rank - 1]);
		assert_near(rate->high, sorted[n - rank]);
		assert_int_equal(rate->converged, n == 7 || n == 11); /* at its looks alone */
		if (n >= 7)
			assert_near(rate->coverage, rule.coverage);
		for (size_t i = 0; i < n; i++)
			sc_sample_fini(&samples[i]);
		sc_cell_fini(&cell);
	}
}

static void a_residual_is_found_above_a_twentieth_either_way(void **state)
{
	static const struct {
		int64_t residual_ns;
		const char *text; /* NULL: it is small enough */
	} cases[] = {
		{5000, NULL},
		{-5000, NULL},
		{25000, "25 % of the wall time of the ledger sample of "
			"local/commit/insert_one/delete/full is in no part: its split misses that "
			"part"},
		{-12000, "12 % of the wall time of the ledger sample of "
			 "local/commit/insert_one/delete/full is counted in two parts: its split "
			 "misses that part"},
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct sc_sample samples[2] = {make_ledger(0, 100000),
					       make_timing(1, 1000, 1000, 1000000)};
		const struct sc_finding *finding;
		struct sc_cell cell;

		samples[0].split.residual_ns = cases[i].residual_ns;
		cell = summarise(samples, 2);
		finding = find(&cell, SC_FINDING_RESIDUAL);
		assert_int_equal(finding != NULL, cases[i].text != NULL);
		if (finding) {
			assert_string_equal(finding->text, cases[i].text);
			assert_int_equal(finding->severity, SC_SEVERITY_WARNING);
		}
		sc_cell_fini(&cell);
	}
}

static void checkpoints_are_no_cost_of_the_instruments(void **state)
{
	(void)state;
	for (uint64_t seen = 0; seen < 2; seen++) {
		/* 4000 ns an operation, 2900 of them in checkpoints, beside 1000 without. */
		struct sc_sample samples[2] = {make_ledger(0, 400000),
					       make_timing(1, 1000, 1000, 1000000)};
		struct sc_cell cell;

		samples[0].checkpoints = (struct sc_checkpoints){2, 500, 290000, 1};
		samples[1].checkpoints_seen = seen;
		cell = summarise(samples, 2);
		assert_near(cell.instrument_cost, seen ? 4.0 : 1.1);
		assert_int_equal(has_finding(&cell, SC_FINDING_INSTRUMENT_COST), seen);
		sc_cell_fini(&cell);
	}
}

static void what_waited_for_a_cpu_tells_nothing_of_the_instruments(void **state)
{
	(void)state;
	for (int waited = 0; waited < 3; waited++) { /* no sample, the ledger, the timing one */
		struct sc_sample samples[2] = {make_ledger(0, 200000),
					       make_timing(1, 1000, 1000, 1000000)};
		struct sc_cell cell;

		if (waited > 0)
			samples[waited - 1].run_delay_ns = samples[waited - 1].wall_ns / 10;
		cell = summarise(samples, 2);
		assert_near(cell.instrument_cost, 2.0);
		assert_int_equal(has_finding(&cell, SC_FINDING_INSTRUMENT_COST), waited == 0);
		sc_cell_fini(&cell);
	}
}

/* What clients wait for each other is their work: no rate comes of its being free. */
static void no_rate_is_claimed_without_a_wait_for_other_clients(void **state)
{
	(void)state;
	for (uint32_t clients = 1; clients <= 2; clients++) {
		for (int part = 0; part < 2; part++) {
			struct sc_sample samples[2] = {make_ledger(0, 200000),
						       make_timing(1, 1000, 1000, 1000000)};
			struct sc_cell cell = {.clients = clients};
			struct sc_error error;

			samples[0].split.wall_ns[part ? SC_PART_LOCK : SC_PART_SYNC] = 150000;
			samples[0].split.wall_ns[SC_PART_SQL] = 50000;
			assert_int_equal(sc_cell_summarise(&cell, samples, 2, &error), 0);
			assert_int_equal(cell.bound.by, part ? SC_BOUND_LOCK : SC_BOUND_SYNC);
			assert_int_equal(cell.bound.if_free_ops_per_s > 0, !(part && clients > 1));
			sc_cell_fini(&cell);
			for (int i = 0; i < 2; i++)
				sc_sample_fini(&samples[i]);
		}
	}
}

/* Instruments make nothing faster: then the machine was another one. */
static void a_ledger_faster_than_the_rate_is_found(void **state)
{
	static const struct {
		uint64_t wall_ns; /* of 100 operations, beside 1000 ns each of the timing sample */
		bool is_found;
	} cases[] = {{49000, true}, {84000, true}, {86000, false}, {100000, false}};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct sc_sample samples[2] = {make_ledger(0, cases[i].wall_ns),
					       make_timing(1, 1000, 1000, 1000000)};
		struct sc_cell cell;
		const struct sc_finding *finding;

		samples[1].run_delay_ns = 100000; /* that the machine was busy does not hide it */
		cell = summarise(samples, 2);
		finding = find(&cell, SC_FINDING_OTHER_STATE);
		assert_int_equal(finding != NULL, cases[i].is_found);
		if (finding)
			assert_int_equal(finding->severity, SC_SEVERITY_WARNING);
		if (i == 0)
			assert_non_null(strstr(finding->text, " took 0.49 times as long"));
		sc_cell_fini(&cell);
	}
}

static void a_split_that_waited_for_a_cpu_is_found(void **state)
{
	(void)state;
	for (uint64_t delay_ns = 20000; delay_ns <= 21000; delay_ns += 1000) {
		struct sc_sample samples[1] = {make_ledger(0, 100000)};
		struct sc_cell cell;
		const struct sc_finding *finding;

		samples[0].split.wall_ns[SC_PART_SYNC] = 80000;
		samples[0].split.wall_ns[SC_PART_SQL] = 20000;
		samples[0].split.run_delay_ns[SC_PART_SYNC] = delay_ns;
		cell = summarise(samples, 1);
		finding = find(&cell, SC_FINDING_SPLIT_WAITED);
		assert_int_equal(finding != NULL, delay_ns > 20000);
		if (finding)
			assert_non_null(
				strstr(finding->text, "waited for a CPU in 21 % of its time"));
		sc_cell_fini(&cell);
	}
}

static void a_twentieth_of_waiting_is_no_finding(void **state)
{
	struct sc_sample samples[1] = {make_timing(1, 1000, 1000, 1000000)};
	struct sc_cell cell;

	(void)state;
	samples[0].run_delay_ns = samples[0].steal_ns = 50000;
	cell = summarise(samples, 1);
	assert_int_equal(cell.findings.count, 0);
	sc_cell_fini(&cell);
}

static void withheld_syncs_are_no_mismatch(void **state)
{
	struct sc_sample samples[1] = {make_ledger(0, 100000)};
	struct sc_cell cell;

	(void)state;
	samples[0].syncs.physical = 100;
	samples[0].syncs.withheld = 300;
	cell = summarise(samples, 1);
	assert_int_equal(cell.findings.count, 0);
	sc_cell_fini(&cell);
}

static void a_wal_without_a_checkpoint_is_a_finding(void **state)
{
	(void)state;
	for (uint64_t seen = 0; seen < 2; seen++) {
		struct sc_cell cell =
			make_cell("local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL);
		struct sc_sample sample = make_timing(1, 1000, 1000, 1000000);
		struct sc_error error;

		sample.effective = cell.setting;
		sample.checkpoints_seen = seen;
		assert_int_equal(sc_cell_summarise(&cell, &sample, 1, &error), 0);
		assert_int_equal(has_finding(&cell, SC_FINDING_NO_CHECKPOINT), seen == 0);
		sc_sample_fini(&sample);
		sc_cell_fini(&cell);
	}
}

/* --- copies */

static void a_copy_carries_the_figures_and_keeps_its_identity(void **state)
{
	struct sc_sample samples[2] = {make_ledger(0, 100000), make_timing(1, 1000, 1000, 1000000)};
	struct sc_cell copy =
		make_cell("local", "insert_one", SC_JOURNAL_WAL, SC_SYNCHRONOUS_EXTRA);
	struct sc_cell source;
	struct sc_error error;

	(void)state;
	add_io(&samples[0], SC_INSTRUMENT_VFS, SC_ROLE_WAL, SC_OP_WRITE, 10, 41200);
	add_latency(&samples[1], 20, 10);
	samples[1].run_delay_ns = 900000;
	source = summarise(samples, 2);
	assert_int_equal(sc_cell_same(&copy, &source, "because", &error), 0);
	assert_int_equal(sc_cell_same(&copy, &source, "because", &error), 0); /* again */
	assert_string_equal(copy.id, "local/commit/insert_one/wal/extra");
	assert_string_equal(copy.same_as, source.id);
	assert_string_equal(copy.same_as_reason, "because");
	assert_int_equal(copy.setting.synchronous, SC_SYNCHRONOUS_EXTRA);
	assert_int_equal(copy.effective.synchronous, SC_SYNCHRONOUS_FULL);
	assert_near(copy.ops_per_s.median, source.ops_per_s.median);
	assert_ptr_not_equal(copy.io, source.io);
	assert_int_equal(copy.findings.count, 0);
	assert_int_equal(source.findings.count, 1);
	sc_cell_fini(&source);
	assert_int_equal(copy.io[0].bytes, 41200); /* its own */
	assert_int_equal(copy.op_ns.buckets[20], 10);
	assert_int_equal(copy.samples[1].operations, 1000);
	sc_cell_fini(&copy);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("the median and its interval are order statistics",
		     the_median_and_its_interval_are_order_statistics),
		CASE("nine samples leave out the extremes", nine_samples_leave_out_the_extremes),
		CASE("five samples never converge", five_samples_never_converge),
		CASE("the precision asked for decides what has converged",
		     the_precision_asked_for_decides_what_has_converged),
		CASE("the order of samples means nothing", the_order_of_samples_means_nothing),
		CASE("histograms are merged before they are read",
		     histograms_are_merged_before_they_are_read),
		CASE("a workload that does not commit says so",
		     a_workload_that_does_not_commit_says_so),
		CASE("CPU/wall is a median over timing samples",
		     cpu_wall_is_a_median_over_timing_samples),
		CASE("the first ledger sample by round speaks for all",
		     the_first_ledger_sample_by_round_speaks),
		CASE("without a ledger its figures say why not",
		     without_a_ledger_its_figures_say_why_not),
		CASE("a ledger alone has no rate", a_ledger_alone_has_no_rate),
		CASE("one failed sample fails the cell and leaves no number",
		     one_failed_sample_fails_the_cell_and_leaves_no_number),
		CASE("a failure weighs more than what is unsupported",
		     a_failure_weighs_more_than_what_is_unsupported),
		CASE("more samples replace the figures", more_samples_replace_the_figures),
		CASE("planted troubles are each found, and alone",
		     planted_troubles_are_each_found_alone),
		CASE("rates of two modes are named, and none is dropped",
		     rates_of_two_modes_are_named_and_none_is_dropped),
		CASE("what others moved on the disk is judged by the cell's own samples",
		     what_others_moved_is_judged_by_the_cells_own_samples),
		CASE("under a rule the interval is the rule's",
		     under_a_rule_the_interval_is_the_rules),
		CASE("a residual is found above a twentieth, either way",
		     a_residual_is_found_above_a_twentieth_either_way),
		CASE("checkpoints are no cost of the instruments",
		     checkpoints_are_no_cost_of_the_instruments),
		CASE("what waited for a CPU tells nothing of the instruments",
		     what_waited_for_a_cpu_tells_nothing_of_the_instruments),
		CASE("no rate is claimed without a wait for other clients",
		     no_rate_is_claimed_without_a_wait_for_other_clients),
		CASE("a ledger faster than the rate is found",
		     a_ledger_faster_than_the_rate_is_found),
		CASE("a split that waited for a CPU is found",
		     a_split_that_waited_for_a_cpu_is_found),
		CASE("a twentieth of waiting is no finding", a_twentieth_of_waiting_is_no_finding),
		CASE("withheld syncs are no mismatch", withheld_syncs_are_no_mismatch),
		CASE("a WAL without a checkpoint is a finding",
		     a_wal_without_a_checkpoint_is_a_finding),
		CASE("a copy carries the figures and keeps its identity",
		     a_copy_carries_the_figures_and_keeps_its_identity),
	};

	return cmocka_run_group_tests_name("cell", cases, NULL, NULL);
}
