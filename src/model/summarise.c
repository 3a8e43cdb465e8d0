/* SPDX-License-Identifier: MIT */

/*
 * From samples to the figures of a cell.
 *
 * Rates: one value per timing sample, operations / wall time; the median and the exact
 * distribution-free interval of it (stats/order.c), or that of the stopping rule which decided on
 * their number (stats/stop.c). Below six samples, or before the rule's first look, the extremes
 * stand for the interval, with the coverage they have, and nothing has converged.
 * Latencies: the samples' histograms are added, then read; the maximum is the largest of theirs.
 * Ledger: counts are the same in each ledger sample, so the first (by round) speaks for all; only
 * the instruments' own cost is a median over them. Checkpoints are no cost of the instruments:
 * where the ledger had some and the timing samples none, the ledger's time is taken without them.
 *
 * Cost: O(samples log samples) and one array of doubles.
 */

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../stats/hist.h"
#include "../stats/modes.h"
#include "../stats/order.h"
#include "find-company.h"
#include "format.h"
#include "leak.h"
#include "report.h"
#include "store.h"

#define NO_TIMING "interrupted before its first timing sample"
#define NO_LEDGER "no ledger sample was run"
#define NO_COMMIT "the workload does not commit"

/* Of what a share must exceed to be worth a sentence: of wall time. */
#define WAITING_SHARE 0.05
/* The same of what the parts of the split do not sum to. */
#define RESIDUAL_SHARE 0.05
/* How far apart two modes of a rate are that matter. */
#define MODES_RATIO_MIN 1.1
/* What others must move on the disk, more than in the quietest sample, to be worth a sentence. */
#define OTHER_IO_BYTES_MIN (1u << 20)
/* Above what ratio of times the instruments' own cost is worth a sentence. */
#define INSTRUMENT_COST_MAX 1.15

double sc_interval_half_width(const struct sc_interval *interval)
{
	double below = interval->median - interval->low;
	double above = interval->high - interval->median;

	if (!(interval->median > 0))
		return 0.0;
	return (below < above ? above : below) / interval->median;
}

static bool is_usable(const struct sc_sample *sample, enum sc_sample_kind kind)
{
	return sample->kind == kind && sample->status == SC_MEASURED && sample->wall_ns > 0;
}

/* A figure of one sample, and the array they are gathered in. */
typedef double (*sample_value)(const struct sc_sample *sample);

static double commits_per_s(const struct sc_sample *sample)
{
	return (double)sample->commits * 1e9 / (double)sample->wall_ns;
}

static double cpu_wall(const struct sc_sample *sample)
{
	return (double)sample->cpu_ns / (double)sample->wall_ns;
}

static double ns_per_op(const struct sc_sample *sample)
{
	return sample->operations ? (double)sample->wall_ns / (double)sample->operations : 0.0;
}

/* Without checkpoints, in a ledger sample. */
static double ns_per_op_between_checkpoints(const struct sc_sample *sample)
{
	uint64_t checkpoint_ns = sample->checkpoints.ns;

	if (sample->operations == 0)
		return 0.0;
	if (checkpoint_ns > sample->wall_ns)
		checkpoint_ns = sample->wall_ns;
	return (double)(sample->wall_ns - checkpoint_ns) / (double)sample->operations;
}

static double steal_share(const struct sc_sample *sample)
{
	return (double)sample->steal_ns / (double)sample->wall_ns;
}

static double run_delay_share(const struct sc_sample *sample)
{
	return (double)sample->run_delay_ns / (double)sample->wall_ns;
}

/* Samples, and room for one value of each. */
struct gathering {
	const struct sc_sample *samples;
	size_t sample_count;
	uint32_t clients; /* that each sample had */
	double *values;   /* sample_count of them */
};

/* Ascending values of the usable samples of a kind. Return: how many. */
static size_t gather(const struct gathering *all, enum sc_sample_kind kind, sample_value value)
{
	size_t count = 0;

	for (size_t i = 0; i < all->sample_count; i++) {
		if (is_usable(&all->samples[i], kind))
			all->values[count++] = value(&all->samples[i]);
	}
	sc_sort_doubles(all->values, count);
	return count;
}

static bool median_of(const struct gathering *all, enum sc_sample_kind kind, sample_value value,
		      double *ret_median)
{
	return sc_median(all->values, gather(all, kind, value), ret_median);
}

/* The interval that a stopping rule gives. Return: false before its first look. */
static bool interval_by_rule(const struct sc_stop_rule *rule, const double *values, size_t count,
			     struct sc_interval *interval)
{
	struct sc_stop_verdict verdict = sc_stop_look(rule, values, count);

	if (!verdict.has_interval)
		return false;
	interval->low = verdict.low;
	interval->high = verdict.high;
	interval->n = (uint32_t)count;
	interval->coverage = rule->coverage;
	interval->converged = verdict.state == SC_STOP_CONVERGED;
	return true;
}

static struct sc_interval interval_of(const struct gathering *all, sample_value value,
				      const struct sc_cell *cell)
{
	double precision = cell->precision > 0 ? cell->precision : SC_PRECISION_DEFAULT;
	struct sc_interval interval = {.status = SC_MEASURED};
	size_t count = gather(all, SC_SAMPLE_TIMING, value);
	size_t low, high;
	bool covered;

	if (!sc_median(all->values, count, &interval.median)) {
		interval.status = SC_SKIPPED;
		(void)snprintf(interval.reason, sizeof(interval.reason), NO_TIMING);
		return interval;
	}
	if (cell->rule && interval_by_rule(cell->rule, all->values, count, &interval))
		return interval;
	covered = sc_median_ranks(count, SC_CONFIDENCE, &low, &high, &interval.coverage);
	interval.low = all->values[low - 1];
	interval.high = all->values[high - 1];
	interval.n = (uint32_t)count;
	interval.converged =
		!cell->rule && covered && sc_interval_half_width(&interval) <= precision;
	return interval;
}

static int merge_latencies(struct sc_cell *cell, const struct gathering *all)
{
	for (size_t i = 0; i < all->sample_count; i++) {
		const struct sc_sample *sample = &all->samples[i];
		int r = 0;

		if (!is_usable(sample, SC_SAMPLE_TIMING))
			continue;
		r = sc_latency_merge(&cell->op_ns, &sample->op_ns);
		if (r == 0)
			r = sc_latency_merge(&cell->commit_ns, &sample->commit_ns);
		if (r < 0)
			return r;
	}
	sc_latency_read_quantiles(&cell->op_ns);
	sc_latency_read_quantiles(&cell->commit_ns);
	return 0;
}

/* The usable sample of a kind with the lowest round, the first of them where rounds are equal. */
static const struct sc_sample *first_of(const struct gathering *all, enum sc_sample_kind kind)
{
	const struct sc_sample *first = NULL;

	for (size_t i = 0; i < all->sample_count; i++) {
		const struct sc_sample *sample = &all->samples[i];

		if (is_usable(sample, kind) && (!first || sample->round < first->round))
			first = sample;
	}
	return first;
}

static int summarise_timing(struct sc_cell *cell, const struct gathering *all)
{
	const struct sc_sample *first = first_of(all, SC_SAMPLE_TIMING);

	if (!first)
		return 0;
	cell->effective = first->effective;
	cell->operations = first->operations;
	cell->commits = first->commits;
	cell->space = first->space; /* until a ledger sample says more */
	cell->ops_per_s = interval_of(all, sc_sample_rate, cell);
	if (first->commits > 0)
		cell->commits_per_s = interval_of(all, commits_per_s, cell);
	else
		(void)snprintf(cell->commits_per_s.reason, sizeof(cell->commits_per_s.reason),
			       NO_COMMIT);
	cell->cpu_wall_status = SC_MEASURED;
	(void)median_of(all, SC_SAMPLE_TIMING, cpu_wall, &cell->cpu_wall);
	for (size_t i = 0; i < all->sample_count; i++) {
		if (!is_usable(&all->samples[i], SC_SAMPLE_TIMING))
			continue;
		cell->busy_retries += all->samples[i].busy_retries;
		cell->checkpoints_seen += all->samples[i].checkpoints_seen;
	}
	cell->op_ns.reason[0] = cell->commit_ns.reason[0] = '\0'; /* the samples know better */
	return merge_latencies(cell, all);
}

static int summarise_ledger(struct sc_cell *cell, const struct gathering *all)
{
	const struct sc_sample *first = first_of(all, SC_SAMPLE_LEDGER);
	double ledger_ns, timing_ns;

	if (!first)
		return 0;
	if (cell->ops_per_s.status != SC_MEASURED)
		cell->effective = first->effective;
	cell->ledger_ops = first->operations;
	cell->ledger_commits = first->commits;
	cell->split = first->split;
	cell->syncs = first->syncs;
	cell->checkpoints = first->checkpoints;
	cell->space = first->space;
	cell->calls_dropped = first->calls_dropped;
	cell->work = first->work;
	cell->memory = first->memory;
	cell->major_faults = first->major_faults;
	for (int p = 0; p < SC_PART_COUNT_; p++)
		cell->checkpoint_ns += first->split.checkpoint_ns[p];
	cell->bound = sc_bound_of(&cell->split, cell->major_faults, &cell->ops_per_s);
	/* A wait for a lock is the work of the others, whose rate is a part of this one. */
	if (cell->clients > 1 && cell->bound.by == SC_BOUND_LOCK)
		cell->bound.if_free_ops_per_s = 0;
	if (median_of(all, SC_SAMPLE_LEDGER,
		      cell->checkpoints_seen > 0 ? ns_per_op : ns_per_op_between_checkpoints,
		      &ledger_ns) &&
	    median_of(all, SC_SAMPLE_TIMING, ns_per_op, &timing_ns) && timing_ns > 0 &&
	    cell->rate == 0) /* on a schedule the time is that of the schedule */
		cell->instrument_cost = ledger_ns / timing_ns;

	if (first->io_count == 0)
		return 0;
	cell->io = calloc(first->io_count, sizeof(*cell->io));
	if (!cell->io)
		return -ENOMEM;
	memcpy(cell->io, first->io, first->io_count * sizeof(*cell->io));
	cell->io_count = first->io_count;
	return 0;
}

static void keep_sample(const struct sc_sample *sample, struct sc_cell_sample *kept)
{
	*kept = (struct sc_cell_sample){
		.round = sample->round,
		.kind = sample->kind,
		.wall_ns = sample->wall_ns,
		.cpu_ns = sample->cpu_ns,
		.operations = sample->operations,
		.commits = sample->commits,
		.steal_ns = sample->steal_ns,
		.run_delay_ns = sample->run_delay_ns,
		.steal_status = sample->steal_status,
		.run_delay_status = sample->run_delay_status,
		.reference_ns = sample->reference_ns,
		.other_io_bytes = sample->other_io_bytes,
		.other_io_status = sample->other_io_status,
	};
	memcpy(kept->other_io_reason, sample->other_io_reason, sizeof(kept->other_io_reason));
}

static int keep_samples(struct sc_cell *cell, const struct gathering *all)
{
	free(SC_TAKE(cell->samples));
	cell->sample_count = 0;
	cell->samples = calloc(all->sample_count, sizeof(*cell->samples));
	if (!cell->samples)
		return -ENOMEM;
	for (size_t i = 0; i < all->sample_count; i++) {
		if (all->samples[i].status == SC_MEASURED)
			keep_sample(&all->samples[i], &cell->samples[cell->sample_count++]);
	}
	return 0;
}

/* The worst sample decides: a cell is measured only if each of its samples is. */
static int set_state(struct sc_cell *cell, const struct gathering *all)
{
	const struct sc_sample *bad = NULL;

	cell->verified = true;
	for (size_t i = 0; i < all->sample_count; i++) {
		const struct sc_sample *sample = &all->samples[i];

		cell->verified = cell->verified && sample->verified;
		if (sample->status != SC_MEASURED && (!bad || bad->status != SC_FAILED))
			bad = sample;
	}
	free(SC_TAKE(cell->reason));
	cell->status = bad ? bad->status : SC_MEASURED;
	if (!bad)
		return 0;
	cell->reason = strdup(bad->reason ? bad->reason : "the sample does not say why");
	return cell->reason ? 0 : -ENOMEM;
}

/* --- what a reader of the figures should know */

/* Of the finding that was added since @before, if there is one: how bad it is. */
static void weigh(struct sc_cell *cell, int r, size_t before, double weight)
{
	if (r == 0 && cell->findings.count > before)
		sc_findings_weigh(&cell->findings, weight);
}

static int find_waiting(struct sc_cell *cell, const struct gathering *all)
{
	size_t before = cell->findings.count;
	char percent[SC_FORMAT_BYTES];
	double share = 0;
	int r = 0;

	/* Several clients wait for each other, whoever else is there. */
	if (all->clients == 1 && cell->company.part_count == 0 &&
	    median_of(all, SC_SAMPLE_TIMING, run_delay_share, &share) && share > WAITING_SHARE)
		r = sc_findings_add(&cell->findings, SC_FINDING_RUN_DELAY, cell->id,
				    sc_format_percent(share, percent, sizeof(percent)));
	weigh(cell, r, before, share);
	before = cell->findings.count;
	if (r == 0 && median_of(all, SC_SAMPLE_TIMING, steal_share, &share) &&
	    share > WAITING_SHARE)
		r = sc_findings_add(&cell->findings, SC_FINDING_STEAL,
				    sc_format_percent(share, percent, sizeof(percent)), cell->id);
	weigh(cell, r, before, share);
	return r;
}

/* Named and kept: which of two modes is the true one, the samples cannot say. */
static int find_modes(struct sc_cell *cell, const struct gathering *all)
{
	bool commits = cell->commits > 0;
	size_t count = gather(all, SC_SAMPLE_TIMING, commits ? commits_per_s : sc_sample_rate);
	char low[SC_FORMAT_BYTES], high[SC_FORMAT_BYTES];
	struct sc_modes modes;

	if (count > SC_MODES_SAMPLES_MAX || count == 0 || !(all->values[0] > 0) ||
	    !sc_modes_find(all->values, count, MODES_RATIO_MIN, &modes))
		return 0;
	return sc_findings_add(&cell->findings, SC_FINDING_TWO_MODES, cell->id, modes.low_count,
			       sc_format_rate(modes.low_centre, low, sizeof(low)), modes.high_count,
			       sc_format_rate(modes.high_centre, high, sizeof(high)),
			       commits ? "commits" : "operations");
}

static bool has_other_io(const struct sc_sample *sample)
{
	return is_usable(sample, SC_SAMPLE_TIMING) && sample->other_io_status == SC_MEASURED;
}

/*
 * What a sample's own writes cost the journal of the file system counts as others' too, but does
 * so in each sample of the cell: only what goes beyond the quietest of them is judged, and only
 * where it is more than the sample itself wrote.
 */
static int find_other_io(struct sc_cell *cell, const struct gathering *all)
{
	uint64_t quietest = UINT64_MAX, most = 0;
	size_t before = cell->findings.count;
	char size[SC_FORMAT_BYTES];
	size_t count = 0, noisy = 0;
	int r;

	for (size_t i = 0; i < all->sample_count; i++) {
		const struct sc_sample *sample = &all->samples[i];

		if (has_other_io(sample) && sample->other_io_bytes < quietest)
			quietest = sample->other_io_bytes;
	}
	for (size_t i = 0; i < all->sample_count; i++) {
		const struct sc_sample *sample = &all->samples[i];
		uint64_t own = sample->space.page_cache_bytes;

		if (!has_other_io(sample))
			continue;
		count++;
		if (sample->other_io_bytes - quietest < OTHER_IO_BYTES_MIN ||
		    sample->other_io_bytes - quietest < own + quietest)
			continue;
		noisy++;
		if (sample->other_io_bytes > most)
			most = sample->other_io_bytes;
	}
	if (noisy == 0)
		return 0;
	r = sc_findings_add(&cell->findings, SC_FINDING_OTHER_IO, noisy, count, cell->id,
			    sc_format_size((double)most, size, sizeof(size)));
	weigh(cell, r, before, (double)most);
	return r;
}

static void field_text(const struct sc_setting_field *field, const struct sc_setting *setting,
		       char *text, size_t text_bytes)
{
	int64_t value = field->get(setting);

	if (field->value_name)
		(void)snprintf(text, text_bytes, "%s", field->value_name(value));
	else
		(void)snprintf(text, text_bytes, "%" PRId64, value);
}

static int find_differences(struct sc_cell *cell)
{
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];
		char asked[32], got[32];
		int r;

		if (field->apply_order == 0 ||
		    field->get(&cell->setting) == field->get(&cell->effective))
			continue;
		field_text(field, &cell->setting, asked, sizeof(asked));
		field_text(field, &cell->effective, got, sizeof(got));
		r = sc_findings_add(&cell->findings, SC_FINDING_EFFECTIVE_DIFFERS, field->name,
				    cell->id, asked, got);
		if (r < 0)
			return r;
	}
	return 0;
}

/* A fresh WAL has none by definition. The ledger's checkpoints are in no rate. */
static int find_no_checkpoint(struct sc_cell *cell)
{
	if (cell->setting.journal_mode != SC_JOURNAL_WAL || cell->setting.wal_autocheckpoint == 0 ||
	    cell->wal_state == SC_WAL_FRESH || cell->commits == 0 || cell->checkpoints_seen > 0 ||
	    sc_store_is(cell->store, SC_STORE_MEMORY))
		return 0;
	return sc_findings_add(&cell->findings, SC_FINDING_NO_CHECKPOINT, cell->id);
}

/* Whether samples of a kind waited for a CPU so long that their times say little. */
static bool has_waited(const struct gathering *all, enum sc_sample_kind kind)
{
	double share;

	return median_of(all, kind, run_delay_share, &share) &&
	       share / all->clients > WAITING_SHARE;
}

static int find_instrument_cost(struct sc_cell *cell, const struct gathering *all)
{
	size_t before = cell->findings.count;
	double cost = cell->instrument_cost;
	int r;

	if (cost > 0 && cost < SC_INSTRUMENT_COST_MIN) {
		r = sc_findings_add(&cell->findings, SC_FINDING_OTHER_STATE, cell->id, cost);
		weigh(cell, r, before, 1 / cost);
		return r;
	}
	if (cost <= INSTRUMENT_COST_MAX || has_waited(all, SC_SAMPLE_LEDGER) ||
	    has_waited(all, SC_SAMPLE_TIMING))
		return 0;
	r = sc_findings_add(&cell->findings, SC_FINDING_INSTRUMENT_COST, cell->id, cost);
	weigh(cell, r, before, cost);
	return r;
}

static int find_split_waited(struct sc_cell *cell)
{
	double share = sc_split_waiting(&cell->split);
	size_t before = cell->findings.count;
	char percent[SC_FORMAT_BYTES];
	int r;

	if (!sc_cell_has_waited(cell))
		return 0;
	r = sc_findings_add(&cell->findings, SC_FINDING_SPLIT_WAITED, cell->id,
			    sc_format_percent(share, percent, sizeof(percent)));
	weigh(cell, r, before, share);
	return r;
}

static int find_residual(struct sc_cell *cell)
{
	const struct sc_split *split = &cell->split;
	size_t before = cell->findings.count;
	char percent[SC_FORMAT_BYTES];
	double share;
	int r;

	if (split->status != SC_MEASURED || split->total_ns == 0)
		return 0;
	share = (double)split->residual_ns / (double)split->total_ns;
	if (share >= -RESIDUAL_SHARE && share <= RESIDUAL_SHARE)
		return 0;
	r = sc_findings_add(&cell->findings, SC_FINDING_RESIDUAL,
			    sc_format_percent(share < 0 ? -share : share, percent, sizeof(percent)),
			    cell->id, share < 0 ? "is counted in two parts" : "is in no part");
	weigh(cell, r, before, share < 0 ? -share : share);
	return r;
}

static int find_leak(struct sc_cell *cell)
{
	const struct sc_memory *memory = &cell->memory;
	size_t before = cell->findings.count;
	char size[SC_FORMAT_BYTES];
	int r;

	/* A snapshot's rows are in that memory, to stay. */
	if (!sc_memory_leaks(memory, cell->ledger_ops) ||
	    sc_store_is(cell->store, SC_STORE_SNAPSHOT))
		return 0;
	r = sc_findings_add(
		&cell->findings, SC_FINDING_MEMORY_GROWS, cell->id,
		sc_format_size(memory->heap_bytes_per_op, size, sizeof(size)), memory->heap_r2,
		memory->points,
		sc_memory_leaks_in_sqlite(memory)
			? "SQLite allocated it: a statement, a blob handle or a function's "
			  "memory that is not released"
			: "it was not SQLite that allocated it, but a library or the program");
	weigh(cell, r, before, memory->heap_bytes_per_op);
	return r;
}

static int find_ledger(struct sc_cell *cell, const struct gathering *all)
{
	const struct sc_syncs *syncs = &cell->syncs;
	char a[24], b[24], c[24];
	int r;

	if (cell->ledger_ops == 0)
		return 0;
	r = find_split_waited(cell);
	if (r == 0)
		r = find_instrument_cost(cell, all);
	if (r == 0)
		r = find_residual(cell);
	if (r == 0)
		r = find_leak(cell);
	if (r == 0 && cell->calls_dropped > 0) {
		(void)snprintf(a, sizeof(a), "%" PRIu64, cell->calls_dropped);
		r = sc_findings_add(&cell->findings, SC_FINDING_CALLS_DROPPED, a, cell->id);
	}
	if (r < 0 || syncs->status != SC_MEASURED || syncs->physical_status != SC_MEASURED ||
	    syncs->vfs_status != SC_MEASURED || syncs->withheld > 0 ||
	    syncs->vfs + syncs->directory == syncs->physical)
		return r;
	(void)snprintf(a, sizeof(a), "%" PRIu64, syncs->vfs);
	(void)snprintf(b, sizeof(b), "%" PRIu64, syncs->directory);
	(void)snprintf(c, sizeof(c), "%" PRIu64, syncs->physical);
	return sc_findings_add(&cell->findings, SC_FINDING_SYNC_MISMATCH, cell->id, a, b, c);
}

static int find_all(struct sc_cell *cell, const struct gathering *all)
{
	int r;

	r = find_waiting(cell, all);
	if (r == 0)
		r = find_other_io(cell, all);
	if (r == 0)
		r = find_modes(cell, all);
	if (r == 0)
		r = find_differences(cell);
	if (r == 0)
		r = find_no_checkpoint(cell);
	if (r == 0)
		r = find_ledger(cell, all);
	return r < 0 ? r : sc_find_company(cell);
}

/* Of the timing samples; of the ledger's but a hold, where they have none in which a commit paid.
 */
static int summarise_company(struct sc_cell *cell, const struct gathering *all)
{
	const struct sc_sample *ledger = first_of(all, SC_SAMPLE_LEDGER);
	struct sc_company hold = {0};

	for (size_t i = 0; i < all->sample_count; i++) {
		int r = 0;

		if (is_usable(&all->samples[i], SC_SAMPLE_TIMING))
			r = sc_company_add(&cell->company, &all->samples[i].company);
		if (r < 0)
			return r;
	}
	if (ledger)
		hold.hold = ledger->company.hold;
	return sc_company_add(&cell->company, &hold);
}

static int summarise(struct sc_cell *cell, const struct gathering *all)
{
	int r;

	sc_findings_fini(&cell->findings);
	r = set_state(cell, all);
	if (r == 0)
		r = keep_samples(cell, all);
	if (r < 0)
		return r;
	if (cell->status != SC_MEASURED) {
		sc_cell_set_absent(cell, cell->status, cell->reason);
		return 0;
	}

	sc_cell_set_absent(cell, SC_SKIPPED, NO_TIMING);
	(void)snprintf(cell->split.reason, sizeof(cell->split.reason), NO_LEDGER);
	(void)snprintf(cell->bound.reason, sizeof(cell->bound.reason), NO_LEDGER);
	(void)snprintf(cell->syncs.reason, sizeof(cell->syncs.reason), NO_LEDGER);
	r = summarise_timing(cell, all);
	if (r == 0)
		r = summarise_ledger(cell, all);
	if (r == 0)
		r = summarise_company(cell, all);
	if (r == 0)
		r = find_all(cell, all);
	return r;
}

int sc_cell_summarise(struct sc_cell *cell, const struct sc_sample *samples, size_t sample_count,
		      struct sc_error *error)
{
	SC_CLEANUP(sc_freep) double *values = NULL;
	struct gathering all = {
		.samples = samples,
		.sample_count = sample_count,
		.clients = cell->clients > 0 ? cell->clients : 1,
	};
	int r;

	assert(sample_count > 0);
	values = calloc(sample_count, sizeof(*values));
	all.values = values;
	r = values ? summarise(cell, &all) : -ENOMEM;
	return r < 0 ? sc_fail(error, r, "summarising cell '%s'", cell->id) : 0;
}
