/* SPDX-License-Identifier: MIT */

/* The catalogue: well formed, and each row reads what it says. */

#include "../base/test.h"

#include <math.h>
#include <string.h>

#include "model/metric.h"
#include "samples.h"

/* A cell in which every figure has a value of its own. */
static struct sc_cell full_cell(void)
{
	struct sc_cell cell =
		make_cell("local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL);
	struct sc_sample samples[2] = {make_ledger(0, 1000000),
				       make_timing(1, 200, 100, 1000000000)};
	struct sc_sample *ledger = &samples[0];
	struct sc_error error;

	for (int p = 0; p < SC_PART_COUNT_; p++) {
		ledger->split.wall_ns[p] = 100000u * (unsigned int)(p + 1) / 4;
		ledger->split.cpu_ns[p] = 1000u * (unsigned int)(p + 1);
		ledger->split.run_delay_ns[p] = 10u * (unsigned int)(p + 1);
		ledger->split.cpu_n[p] = 1 + (unsigned int)p;
	}
	ledger->commits = 50; /* of 100 operations */
	ledger->split.total_ns = 1000000;
	ledger->split.residual_ns = 100000;
	ledger->syncs.fsync = 150;
	ledger->syncs.fdatasync = 250;
	ledger->syncs.withheld = 20;
	ledger->syncs.omitted = 30;
	ledger->checkpoints = (struct sc_checkpoints){4, 400, 40000, 3};
	ledger->calls_dropped = 9;
	ledger->work = (struct sc_work){.vm_steps = 4500, .pages = 700, .page_misses = 20};
	ledger->memory = (struct sc_memory){
		.points = 64, .heap_bytes_per_op = 600, .heap_r2 = 0.5, .sqlite_bytes_per_op = 24};
	ledger->major_faults = 8;
	ledger->space = (struct sc_space){
		.payload_bytes = 1000,
		.database_bytes = 2,
		.wal_bytes = 3,
		.journal_bytes = 4,
		.shm_bytes = 5,
		.total_bytes = 6,
		.wal_bytes_max = 7,
		.journal_bytes_max = 8,
		.total_bytes_max = 9,
		.allocated_bytes = 10,
		.vfs_bytes = 5000,
		.page_cache_bytes = 11,
	};
	add_io(ledger, SC_INSTRUMENT_VFS, SC_ROLE_MAIN_DB, SC_OP_WRITE, 100, 409600);
	add_io(ledger, SC_INSTRUMENT_VFS, SC_ROLE_WAL, SC_OP_WRITE, 50, 1000);
	add_io(ledger, SC_INSTRUMENT_VFS, SC_ROLE_MAIN_JOURNAL, SC_OP_WRITE, 200, 51200);
	add_io(ledger, SC_INSTRUMENT_VFS, SC_ROLE_MAIN_DB, SC_OP_READ, 300, 614400);
	add_io(ledger, SC_INSTRUMENT_VFS, SC_ROLE_MAIN_DB, SC_OP_FETCH, 700, 0);
	add_io(ledger, SC_INSTRUMENT_LIBC, SC_ROLE_MAIN_DB, SC_OP_WRITE, 9999, 99999999);
	samples[1].busy_retries = 6;
	add_latency(&samples[1], 20, 100);
	add_latency(&samples[1], 30, 100);
	assert_int_equal(sc_cell_summarise(&cell, samples, 2, &error), 0);
	sc_sample_fini(&samples[0]);
	sc_sample_fini(&samples[1]);
	return cell;
}

static void rows_are_well_formed(void **state)
{
	(void)state;
	assert_true(sc_metric_count >= 35);
	for (size_t i = 0; i < sc_metric_count; i++) {
		const struct sc_metric *metric = &sc_metrics[i];

		assert_int_equal(strspn(metric->key, "abcdefghijklmnopqrstuvwxyz0123456789_"),
				 strlen(metric->key));
		assert_ptr_equal(sc_metric_find(metric->key), metric); /* so keys are unique */
		assert_true(strlen(metric->title) > 0 && strlen(metric->meaning) > 10);
		assert_true(metric->meaning[strlen(metric->meaning) - 1] != '.');
		assert_true(strlen(metric->column) > 0 && strlen(metric->column) <= 13);
		assert_true(metric->group < SC_GROUP_COUNT_);
		assert_non_null(sc_unit_name(metric->unit));
		if (i > 0)
			assert_true(sc_metrics[i - 1].group <= metric->group);
	}
	assert_null(sc_metric_find("no_such_key"));
}

static void keys_carry_their_units(void **state)
{
	(void)state;
	for (size_t i = 0; i < sc_metric_count; i++) {
		const struct sc_metric *metric = &sc_metrics[i];

		assert_int_equal(strstr(metric->key, "_ns") != NULL, metric->unit == SC_UNIT_NS);
		assert_int_equal(strstr(metric->key, "bytes") != NULL,
				 metric->unit == SC_UNIT_BYTES);
		assert_int_equal(strstr(metric->key, "_per_s") != NULL &&
					 !strstr(metric->key, "half_width"),
				 metric->unit == SC_UNIT_PER_SECOND);
	}
}

static void columns_of_a_group_have_different_heads(void **state)
{
	(void)state;
	for (size_t i = 0; i < sc_metric_count; i++) {
		for (size_t j = 0; j < i; j++) {
			if (sc_metrics[i].group == sc_metrics[j].group)
				assert_string_not_equal(sc_metrics[i].column, sc_metrics[j].column);
		}
	}
}

static void rows_read_what_they_say(void **state)
{
	static const struct {
		const char *key;
		double value;
	} cases[] = {
		{"ops_per_s", 200},
		{"commits_per_s", 100},
		{"busy_retries", 6},
		{"ops_per_s_best", 200},
		{"storage_bytes", 5},
		{"op_ns_p50", 20},
		{"op_ns_p99", 30},
		{"commit_ns_max", 30},
		{"cpu_wall", 0.25},
		{"split_outside_ns_per_op", 250},
		{"split_sync_ns_per_op", 1250},
		{"split_other_ns_per_op", 2000},
		{"cpu_sql_ns_per_op", 20},
		{"run_delay_ns_per_op", 3.6},
		{"residual_share", 0.1},
		{"outside_share", 25000.0 / 900000},
		{"syncs_physical_per_commit", 8},
		{"syncs_vfs_per_commit", 6},
		{"syncs_directory_per_commit", 2},
		{"syncs_fsync_per_commit", 3},
		{"syncs_fdatasync_per_commit", 5},
		{"syncs_withheld_per_commit", 0.4},
		{"syncs_omitted_per_commit", 0.6},
		{"checkpoints", 4},
		{"checkpoint_frames", 400},
		{"checkpoint_ns", 40000},
		{"wal_resets", 3},
		{"written_bytes_per_commit", 9236},
		{"written_main_db_bytes_per_commit", 8192},
		{"written_wal_bytes_per_commit", 20},
		{"written_journal_bytes_per_commit", 1024},
		{"write_calls_per_commit", 7},
		{"read_calls_per_op", 3},
		{"read_bytes_per_op", 6144},
		{"mapped_reads_per_op", 7},
		{"write_amplification", 5},
		{"database_bytes", 2},
		{"wal_bytes_max", 7},
		{"total_bytes_max", 9},
		{"allocated_bytes", 10},
		{"page_cache_bytes", 11},
		{"instrument_cost",
		 9600.0 / 5000000}, /* without checkpoints: no timing sample had one */
		{"syncs_physical_per_op", 4},
		{"vm_steps_per_op", 45},
		{"pages_per_op", 7},
		{"page_misses_per_op", 0.2},
		{"memory_bytes_per_op", 600},
		{"memory_r2", 0.5},
		{"memory_sqlite_bytes_per_op", 24},
		{"calls_dropped", 9},
		{"major_faults", 8},
	};
	struct sc_cell cell = full_cell();

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct sc_metric *metric = sc_metric_find(cases[i].key);
		struct sc_metric_value value;

		assert_non_null(metric);
		value = metric->read(&cell);
		if (value.status != SC_MEASURED ||
		    !(fabs(value.number - cases[i].value) <= 1e-9 * cases[i].value))
			fail_msg("%s is %.17g, not %.17g", cases[i].key, value.number,
				 cases[i].value);
	}
	sc_cell_fini(&cell);
}

static void shares_of_the_time_inside_sum_to_one(void **state)
{
	struct sc_cell cell = full_cell();
	double sum = 0;

	(void)state;
	for (size_t i = 0; i < sc_metric_count; i++) {
		struct sc_metric_value value = sc_metrics[i].read(&cell);

		if (sc_metrics[i].group == SC_GROUP_SHARE &&
		    strcmp(sc_metrics[i].key, "bound_share") != 0)
			sum += value.number;
	}
	assert_true(fabs(sum - 1) < 1e-9);
	sc_cell_fini(&cell);
}

static void a_full_cell_has_every_metric_and_an_empty_one_none(void **state)
{
	struct sc_cell full = full_cell();
	struct sc_cell empty =
		make_cell("local", "insert_one", SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL);

	(void)state;
	for (size_t i = 0; i < sc_metric_count; i++) {
		struct sc_metric_value value = sc_metrics[i].read(&full);

		if (strstr(sc_metrics[i].key, "_p999")) { /* of 100 */
			assert_int_equal(value.status, SC_SKIPPED);
			assert_non_null(strstr(value.reason, "fewer than 1000"));
		} else {
			assert_int_equal(value.status, SC_MEASURED);
			assert_null(value.reason);
			assert_true(isfinite(value.number));
		}
		value = sc_metrics[i].read(&empty);
		if (value.status == SC_MEASURED)
			fail_msg("%s of nothing is %g", sc_metrics[i].key, value.number);
	}
	sc_cell_fini(&full);
	sc_cell_fini(&empty);
}

static void a_failed_cell_gives_its_reason_everywhere(void **state)
{
	struct sc_cell cell = full_cell();
	struct sc_sample sample = make_timing(1, 1, 1, 1);
	struct sc_error error;

	(void)state;
	sample.status = SC_FAILED;
	sample.reason = strdup("no space left");
	assert_int_equal(sc_cell_summarise(&cell, &sample, 1, &error), 0);
	for (size_t i = 0; i < sc_metric_count; i++) {
		struct sc_metric_value value = sc_metrics[i].read(&cell);

		assert_int_equal(value.status, SC_FAILED);
		assert_string_equal(value.reason, "no space left");
	}
	sc_sample_fini(&sample);
	sc_cell_fini(&cell);
}

static void without_the_tap_only_what_it_sees_is_missing(void **state)
{
	struct sc_cell cell = full_cell();

	(void)state;
	cell.syncs.physical_status = SC_UNSUPPORTED;
	strcpy(cell.syncs.reason, "the tap is not linked");
	assert_int_equal(sc_metric_find("syncs_vfs_per_commit")->read(&cell).status, SC_MEASURED);
	assert_int_equal(sc_metric_find("syncs_physical_per_commit")->read(&cell).status,
			 SC_UNSUPPORTED);
	assert_string_equal(sc_metric_find("syncs_directory_per_commit")->read(&cell).reason,
			    "the tap is not linked");
	sc_cell_fini(&cell);
}

static void a_sample_without_a_counter_says_so(void **state)
{
	struct sc_cell_sample sample = {.wall_ns = 1000,
					.operations = 5,
					.steal_ns = 7,
					.reference_ns = 9,
					.run_delay_status = SC_UNSUPPORTED};

	(void)state;
	for (size_t i = 0; i < sc_sample_metric_count; i++) {
		struct sc_metric_value value = sc_sample_metrics[i].read(&sample);
		bool is_delay = strcmp(sc_sample_metrics[i].key, "run_delay_ns") == 0;
		bool is_commits = strcmp(sc_sample_metrics[i].key, "commits_per_s") == 0;

		/* It reads: no rate of commits, not one of 0. */
		assert_int_equal(value.status, is_delay     ? SC_UNSUPPORTED
					       : is_commits ? SC_SKIPPED
							    : SC_MEASURED);
		if (strcmp(sc_sample_metrics[i].key, "ops_per_s") == 0)
			assert_true(fabs(value.number - 5e6) < 1e-3);
	}
}

static void a_quantile_needs_values_beyond_it(void **state)
{
	static const struct {
		const char *key;
		uint64_t least;
	} cases[] = {
		{"op_ns_p50", 1},       {"op_ns_p90", 10},        {"op_ns_p99", 100},
		{"op_ns_p999", 1000},   {"op_ns_max", 1},         {"commit_ns_p90", 10},
		{"commit_ns_p99", 100}, {"commit_ns_p999", 1000},
	};
	struct sc_cell cell = full_cell();

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct sc_metric *metric = sc_metric_find(cases[i].key);

		cell.op_ns.n = cell.commit_ns.n = cases[i].least;
		assert_int_equal(metric->read(&cell).status, SC_MEASURED);
		cell.op_ns.n = cell.commit_ns.n = cases[i].least - 1;
		if (cases[i].least > 1)
			assert_int_equal(metric->read(&cell).status, SC_SKIPPED);
	}
	sc_cell_fini(&cell);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("rows are well formed", rows_are_well_formed),
		CASE("keys carry their units", keys_carry_their_units),
		CASE("columns of a group have different heads",
		     columns_of_a_group_have_different_heads),
		CASE("rows read what they say", rows_read_what_they_say),
		CASE("shares of the time inside sum to one", shares_of_the_time_inside_sum_to_one),
		CASE("a full cell has every metric and an empty one none",
		     a_full_cell_has_every_metric_and_an_empty_one_none),
		CASE("a failed cell gives its reason everywhere",
		     a_failed_cell_gives_its_reason_everywhere),
		CASE("without the tap only what it sees is missing",
		     without_the_tap_only_what_it_sees_is_missing),
		CASE("a quantile needs values beyond it", a_quantile_needs_values_beyond_it),
		CASE("a sample without a counter says so", a_sample_without_a_counter_says_so),
	};

	return cmocka_run_group_tests_name("metric", cases, NULL, NULL);
}
