/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include "../base/test.h"

#include <string.h>

static uint32_t *new_buckets(void)
{
	uint32_t *buckets = calloc(SC_HIST_BUCKETS, sizeof(*buckets));

	assert_non_null(buckets);
	return buckets;
}

struct sc_sample make_timing(uint32_t round, uint64_t operations, uint64_t commits,
			     uint64_t wall_ns)
{
	return (struct sc_sample){
		.kind = SC_SAMPLE_TIMING,
		.round = round,
		.verified = true,
		.effective = sc_setting_default(),
		.operations = operations,
		.commits = commits,
		.wall_ns = wall_ns,
		.reference_ns = 120000,
		.cpu_ns = wall_ns / 4,
		.op_ns.buckets = new_buckets(),
		.commit_ns = {.status = commits ? SC_MEASURED : SC_SKIPPED,
			      .buckets = commits ? new_buckets() : NULL,
			      .reason = "the workload does not commit"},
		.split = {.status = SC_SKIPPED, .reason = "the instruments were off"},
		.syncs = {.status = SC_SKIPPED,
			  .physical_status = SC_SKIPPED,
			  .reason = "the instruments were off"},
		.space = {.database_bytes = 8192, .total_bytes = 8192, .allocated_bytes = 8192},
	};
}

static void add_value(struct sc_latency *latency, uint64_t ns, uint32_t count)
{
	if (!latency->buckets)
		return;
	latency->buckets[sc_hist_bucket(ns)] += count;
	latency->n += count;
	if (ns > latency->max_ns)
		latency->max_ns = ns;
}

void add_latency(struct sc_sample *sample, uint64_t ns, uint32_t count)
{
	add_value(&sample->op_ns, ns, count);
	add_value(&sample->commit_ns, ns, count);
}

struct sc_sample make_ledger(uint32_t round, uint64_t wall_ns)
{
	struct sc_sample sample = make_timing(round, 100, 100, wall_ns);

	sample.kind = SC_SAMPLE_LEDGER;
	sample.split = (struct sc_split){.total_ns = wall_ns};
	sample.syncs =
		(struct sc_syncs){.vfs = 300, .directory = 100, .physical = 400, .fdatasync = 400};
	sample.work = (struct sc_work){.vm_steps = 2500, .pages = 420, .page_misses = 3};
	sample.memory = (struct sc_memory){
		.points = 64, .heap_bytes_per_op = 0.5, .heap_r2 = 0.25, .sqlite_bytes_per_op = 0};
	sample.space.payload_bytes = 10000;
	sample.space.vfs_bytes = 1000000;
	return sample;
}

void add_io(struct sc_sample *sample, enum sc_instrument instrument, enum sc_role role,
	    enum sc_op op, uint64_t calls, uint64_t bytes)
{
	size_t count = sample->io_count + 1;
	struct sc_io *io = realloc(sample->io, count * sizeof(*io));

	assert_non_null(io);
	sample->io = io;
	sample->io_count = count;
	io[count - 1] = (struct sc_io){
		.instrument = instrument,
		.database = "app.db",
		.role = role,
		.op = op,
		.calls = calls,
		.bytes = bytes,
		.timed = calls,
		.ns = 1000 * calls,
		.ns_p50 = 900,
		.ns_p99 = 2500,
		.ns_max = 31000,
	};
}

static char *copy(const char *text)
{
	char *result = strdup(text);

	assert_non_null(result);
	return result;
}

struct sc_cell make_cell(const char *target, const char *workload, enum sc_journal_mode mode,
			 enum sc_synchronous level)
{
	struct sc_cell cell;
	char label[100];

	sc_cell_init(&cell);
	cell.target = copy(target);
	cell.suite = copy("commit");
	memset(cell.suite_digest, 'a', sizeof(cell.suite_digest) - 1);
	cell.workload = copy(workload);
	cell.unit = copy("row");
	cell.store = copy("sqlite");
	cell.device = copy("none");
	cell.clock = copy("real");
	cell.layers = copy("meter,unix");
	cell.setting = cell.effective = sc_setting_default();
	cell.setting.journal_mode = cell.effective.journal_mode = mode;
	cell.setting.synchronous = cell.effective.synchronous = level;
	cell.uses_wal_state = mode == SC_JOURNAL_WAL;
	cell.wal_state = SC_WAL_RECYCLED;
	cell.rows = 10000;
	cell.seed = 7;
	(void)snprintf(label, sizeof(label), "%s/commit/%s/%s/%s", target, workload,
		       sc_journal_mode_name(mode), sc_synchronous_name(level));
	cell.id = copy(label);
	return cell;
}

void give_rates(struct sc_cell *cell, const double *rates, size_t count, double sync_share)
{
	struct sc_sample *samples = calloc(count + 1, sizeof(*samples));
	struct sc_error error;
	const uint64_t wall_ns = (uint64_t)(100 * 1e9 / rates[0]); /* of its 100 operations */

	assert_non_null(samples);
	samples[0] = make_ledger(0, wall_ns);
	samples[0].effective = cell->setting;
	samples[0].split.wall_ns[SC_PART_OUTSIDE] = wall_ns / 10;
	samples[0].split.wall_ns[SC_PART_SYNC] = (uint64_t)(0.9 * sync_share * (double)wall_ns);
	samples[0].split.wall_ns[SC_PART_SQL] =
		wall_ns - wall_ns / 10 - samples[0].split.wall_ns[SC_PART_SYNC];
	samples[0].checkpoints.count = cell->setting.journal_mode == SC_JOURNAL_WAL;
	for (size_t i = 0; i < count; i++) {
		samples[i + 1] =
			make_timing((uint32_t)i + 1, 1000, 1000, (uint64_t)(1000 * 1e9 / rates[i]));
		samples[i + 1].effective = cell->setting;
		add_latency(&samples[i + 1], (uint64_t)(1e9 / rates[i]), 1000);
	}
	assert_int_equal(sc_cell_summarise(cell, samples, count + 1, &error), 0);
	for (size_t i = 0; i <= count; i++)
		sc_sample_fini(&samples[i]);
	free(samples);
}
