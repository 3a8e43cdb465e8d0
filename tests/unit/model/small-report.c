/* SPDX-License-Identifier: MIT */
#include "small-report.h"

#include "../base/test.h"

#include <string.h>

#include "samples.h"

static char *copy(const char *text)
{
	char *result = strdup(text);

	assert_non_null(result);
	return result;
}

static void make_head(struct sc_report_head *head)
{
	static const char *const options[] = {"DEFAULT_SYNCHRONOUS=2", "DEFAULT_WAL_SYNCHRONOUS=2",
					      "THREADSAFE=1"};
	struct sc_target *target = calloc(1, sizeof(*target));

	assert_non_null(target);
	*head = (struct sc_report_head){
		.kind = "sweep",
		.tool_version = "0.1.0",
		.tool_commit = "0123456789abcdef",
		.host_label = copy("box"),
		.kernel = copy("Linux 6.1.0"),
		.cpu = copy("Example CPU"),
		.cpu_count = 2,
		.memory_bytes = 4ull << 30,
		.sqlite_version = "3.40.1",
		.sqlite_source_id = copy("2022-12-28 14:03:47 df5c253c"),
		.sync_call = copy("fdatasync"),
		.seed = 18446744073709551615ull, /* does not fit a double */
		.order = copy("shuffled per round"),
		.started = "2026-01-02T03:04:05Z",
		.finished = "2026-01-02T03:05:06Z",
		.complete = true,
		.rounds = 6,
		.load = 0.25,
		.precision = 0.05,
		.sampling = {.pilot = 6,
			     .time_ns = 60000000000,
			     .simulated = {2000, 0.9545, SC_STOP_BIMODAL, 0.1}},
		.base = sc_setting_default(),
		.targets = target,
		.target_count = 1,
	};
	assert_true(sc_stop_plan(0.05, SC_CONFIDENCE, 6, 24, &head->sampling.rule));
	head->compile_options = calloc(SC_ARRAY_COUNT(options), sizeof(char *));
	assert_non_null(head->compile_options);
	for (size_t i = 0; i < SC_ARRAY_COUNT(options); i++)
		head->compile_options[head->compile_option_count++] = copy(options[i]);
	*target = (struct sc_target){
		.label = copy("local"),
		.path = copy("/data"),
		.filesystem = copy("ext4"),
		.mount_options = copy("rw,relatime"),
		.storage = copy("vda (virtio)"),
		.rotational = true,
		.write_cache = copy("write back"),
		.model = copy("Samsung SSD 980"),
		.fua = copy("yes"),
		.scheduler = copy("none"),
		.discard = copy("yes"),
		.in_memory = false,
		.disk = copy("vda"),
		.sync_floor_ns_p50 = 52300,
		.sync_floor_n = 1000,
		.uring_floor_status = SC_DENIED,
		.uring_floor_reason = copy("io_uring is disabled on this machine"),
	};
}

/* How a setting behaves: what its samples are made of. */
struct behaviour {
	enum sc_journal_mode mode;
	enum sc_synchronous level;
	double commits_per_s;
	uint64_t vfs_syncs, directory_syncs; /* per 100 commits */
	double sync_share, write_share;      /* of the time inside SQLite */
	uint64_t checkpoints;
};

static void fill_split(struct sc_split *split, const struct behaviour *behaviour, uint64_t wall_ns)
{
	uint64_t inside_ns = wall_ns - wall_ns / 20 - 5000;
	uint64_t left_ns = inside_ns;

	split->total_ns = wall_ns;
	split->residual_ns = 5000;
	split->wall_ns[SC_PART_OUTSIDE] = wall_ns / 20;
	split->wall_ns[SC_PART_SYNC] = (uint64_t)((double)inside_ns * behaviour->sync_share);
	split->wall_ns[SC_PART_WRITE] = (uint64_t)((double)inside_ns * behaviour->write_share);
	split->wall_ns[SC_PART_READ] = inside_ns / 100;
	split->wall_ns[SC_PART_LOCK] = inside_ns / 50;
	split->wall_ns[SC_PART_OTHER] = inside_ns / 40;
	for (int p = SC_PART_READ; p < SC_PART_COUNT_; p++)
		left_ns -= split->wall_ns[p];
	split->wall_ns[SC_PART_SQL] = left_ns;
	for (int p = 0; p < SC_PART_COUNT_; p++) {
		split->cpu_ns[p] = split->wall_ns[p] / (p == SC_PART_SYNC ? 3 : 1);
		split->run_delay_ns[p] = split->wall_ns[p] / 200;
		split->cpu_n[p] = p == SC_PART_SYNC ? 400 : 20;
	}
	split->cpu_ns[SC_PART_SQL] -= split->run_delay_ns[SC_PART_SQL];
	if (behaviour->checkpoints)
		split->checkpoint_ns[SC_PART_WRITE] = split->wall_ns[SC_PART_WRITE] / 4;
}

static struct sc_sample make_small_ledger(const struct sc_cell *cell,
					  const struct behaviour *behaviour)
{
	uint64_t wall_ns = (uint64_t)(100 * 1e9 / behaviour->commits_per_s * 1.08);
	struct sc_sample ledger = make_ledger(0, wall_ns);
	bool wal = behaviour->mode == SC_JOURNAL_WAL;
	uint64_t physical = behaviour->vfs_syncs + behaviour->directory_syncs;

	ledger.effective = cell->setting;
	fill_split(&ledger.split, behaviour, wall_ns);
	ledger.syncs = (struct sc_syncs){
		.vfs = behaviour->vfs_syncs,
		.directory = behaviour->directory_syncs,
		.physical = physical,
		.fdatasync = physical,
	};
	ledger.checkpoints = (struct sc_checkpoints){
		behaviour->checkpoints, 12 * behaviour->checkpoints,
		ledger.split.checkpoint_ns[SC_PART_WRITE], behaviour->checkpoints};
	ledger.space = (struct sc_space){
		.payload_bytes = 11200,
		.database_bytes = 1400832,
		.wal_bytes = wal ? 4124152 : 0,
		.shm_bytes = wal ? 32768 : 0,
		.total_bytes = wal ? 5557752 : 1400832,
		.wal_bytes_max = wal ? 4124152 : 0,
		.journal_bytes_max = wal ? 0 : 12824,
		.total_bytes_max = wal ? 5557752 : 1413656,
		.allocated_bytes = wal ? 5558272 : 1404928,
		.vfs_bytes = wal ? 1236000 : 2110400,
		.page_cache_bytes = wal ? 1237000 : 2112512,
	};
	add_io(&ledger, SC_INSTRUMENT_VFS, SC_ROLE_MAIN_DB, SC_OP_READ, 20, 81920);
	add_io(&ledger, SC_INSTRUMENT_VFS, wal ? SC_ROLE_WAL : SC_ROLE_MAIN_JOURNAL, SC_OP_WRITE,
	       600, 1236000);
	if (physical > 0)
		add_io(&ledger, SC_INSTRUMENT_LIBC, wal ? SC_ROLE_WAL : SC_ROLE_MAIN_DB,
		       SC_OP_FDATASYNC, physical, 0);
	ledger.io[0].timed = 0; /* one row that was only counted */
	return ledger;
}

static void run_cell(struct sc_cell *cell, const struct behaviour *behaviour,
		     const struct sc_stop_rule *rule)
{
	static const double drift[] = {1.00, 1.01, 0.99, 1.02, 0.98, 1.005};
	struct sc_sample samples[SC_ARRAY_COUNT(drift) + 1];
	struct sc_error error;

	samples[0] = make_small_ledger(cell, behaviour);
	for (size_t i = 0; i < SC_ARRAY_COUNT(drift); i++) {
		double rate = behaviour->commits_per_s * drift[i];
		struct sc_sample *sample = &samples[i + 1];

		*sample = make_timing((uint32_t)i + 1, 1000, 1000, (uint64_t)(1000 * 1e9 / rate));
		sample->effective = cell->setting;
		add_latency(sample, (uint64_t)(0.9e9 / rate), 980);
		add_latency(sample, (uint64_t)(5e9 / rate), 20);
		sample->checkpoints_seen = behaviour->checkpoints;
		sample->run_delay_ns = sample->wall_ns / 100;
		sample->steal_status = i == 0 ? SC_UNSUPPORTED : SC_MEASURED;
		sample->other_io_bytes = 16384 + 4096 * i;
	}
	cell->rule = rule;
	assert_int_equal(sc_cell_summarise(cell, samples, SC_ARRAY_COUNT(samples), &error), 0);
	cell->ended = SC_ENDED_CONVERGED;
	for (size_t i = 0; i < SC_ARRAY_COUNT(samples); i++)
		sc_sample_fini(&samples[i]);
}

static struct sc_cell *add(struct small_report *report, const char *workload,
			   const struct behaviour *behaviour)
{
	struct sc_cell *cell = &report->cells[report->count++];

	assert_true(report->count <= SMALL_CELLS);
	*cell = make_cell("local", workload, behaviour->mode, behaviour->level);
	if (cell->uses_wal_state) { /* as the planner names it */
		char *id = NULL;

		assert_true(asprintf(&id, "%s/recycled", cell->id) > 0);
		free(cell->id);
		cell->id = id;
	}
	return cell;
}

static void add_writers(struct small_report *report)
{
	static const struct behaviour behaviours[] = {
		{SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, 2210, 300, 100, 0.86, 0.04, 0},
		{SC_JOURNAL_DELETE, SC_SYNCHRONOUS_EXTRA, 1890, 300, 200, 0.89, 0.03, 0},
		{SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL, 24800, 4, 0, 0.11, 0.34, 2},
		{SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, 7420, 104, 0, 0.64, 0.12, 2},
	};

	for (size_t i = 0; i < SC_ARRAY_COUNT(behaviours); i++)
		run_cell(add(report, "insert_one", &behaviours[i]), &behaviours[i],
			 &report->head.sampling.rule);
}

static void add_copy(struct small_report *report)
{
	const struct behaviour behaviour = {.mode = SC_JOURNAL_WAL, .level = SC_SYNCHRONOUS_EXTRA};
	struct sc_cell *source = &report->cells[report->count - 1];
	struct sc_cell *cell = add(report, "insert_one", &behaviour);
	struct sc_error error;

	assert_int_equal(
		sc_cell_same(cell, source,
			     sc_setting_same_reason(&cell->setting, &source->setting, false),
			     &error),
		0);
}

static void add_failure(struct small_report *report)
{
	const struct behaviour behaviour = {.mode = SC_JOURNAL_MEMORY, .level = SC_SYNCHRONOUS_OFF};
	struct sc_cell *cell = add(report, "insert_one", &behaviour);
	struct sc_sample sample = make_timing(1, 0, 0, 0);
	struct sc_error error;

	sample.status = SC_FAILED;
	sample.verified = false;
	sample.reason = copy("quick_check of 'a.db' says: database disk image is malformed");
	assert_int_equal(sc_cell_summarise(cell, &sample, 1, &error), 0);
	sc_sample_fini(&sample);
}

/* One that reads, in three rounds that do not agree, and without a ledger. */
static void add_reader(struct small_report *report)
{
	const struct behaviour behaviour = {.mode = SC_JOURNAL_DELETE,
					    .level = SC_SYNCHRONOUS_FULL};
	struct sc_cell *cell = add(report, "read_point", &behaviour);
	struct sc_sample samples[3];
	struct sc_error error;

	free(cell->unit);
	cell->unit = copy("query");
	for (uint32_t i = 0; i < 3; i++) {
		samples[i] = make_timing(i + 1, 100000, 0, 500000000 + 40000000 * i);
		samples[i].space.page_cache_status = SC_DENIED;
		samples[i].other_io_status = SC_DENIED;
		(void)snprintf(samples[i].other_io_reason, sizeof(samples[i].other_io_reason),
			       "/proc/self/io may not be read");
		add_latency(&samples[i], 4700, 99000);
		add_latency(&samples[i], 9800, 1000);
	}
	cell->rule = &report->head.sampling.rule;
	assert_int_equal(sc_cell_summarise(cell, samples, 3, &error), 0);
	cell->ended = SC_ENDED_TIME;
	for (uint32_t i = 0; i < 3; i++)
		sc_sample_fini(&samples[i]);
}

static void add_unmeasured(struct small_report *report)
{
	const struct behaviour behaviour = {.mode = SC_JOURNAL_WAL, .level = SC_SYNCHRONOUS_FULL};

	(void)add(report, "read_point", &behaviour);
}

void small_report_make(struct small_report *report)
{
	struct sc_error error;

	*report = (struct small_report){.count = 0};
	make_head(&report->head);
	add_writers(report);
	add_copy(report);
	add_failure(report);
	add_reader(report);
	add_unmeasured(report);
	report->head.cell_count = report->count;
	assert_int_equal(sc_report_judge(&report->head, report->cells, report->count, &error), 0);
}

void small_report_fini(struct small_report *report)
{
	for (size_t i = 0; i < report->count; i++)
		sc_cell_fini(&report->cells[i]);
	sc_report_head_fini(&report->head);
}

void small_report_write(const struct small_report *report, FILE *out)
{
	struct sc_error error;

	assert_int_equal(sc_report_write_head(out, &report->head, &error), 0);
	for (size_t i = 0; i < report->count; i++)
		assert_int_equal(sc_report_write_cell(out, &report->cells[i], i == 0, &error), 0);
	assert_int_equal(sc_report_write_end(out, &error), 0);
}

char *small_report_text(const struct small_report *report)
{
	char *text = NULL;
	size_t bytes = 0;
	FILE *out = open_memstream(&text, &bytes);

	assert_non_null(out);
	small_report_write(report, out);
	assert_int_equal(fclose(out), 0);
	return text;
}
