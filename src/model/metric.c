/* SPDX-License-Identifier: MIT */

/*
 * The metric catalogue. Rows stand in the order in which reports list them, grouped; readers are
 * one function each, the families (a part, a term, a quantile) made by macros. A metric of a cell
 * that was not measured has the status and the reason of what it is made of, never a number.
 *
 * "Per operation" and "per commit" are divided by what the ledger sample did. Shares are of the
 * time inside SQLite (bound.c), except those of the harness and of what no part explains, which
 * are of all wall time.
 */

#include "metric.h"

#include <assert.h>
#include <string.h>

#include "../stats/hist.h"
#include "metric-noise.h"
#include "metric-work.h"

#define NO_LEDGER "no ledger sample was run"
#define NO_COMMIT "the workload does not commit"

static struct sc_metric_value absent(enum sc_status status, const char *reason)
{
	return (struct sc_metric_value){.status = status, .reason = reason};
}

static struct sc_metric_value number(double value)
{
	return (struct sc_metric_value){.status = SC_MEASURED, .number = value};
}

static struct sc_metric_value interval(const struct sc_interval *interval)
{
	if (interval->status != SC_MEASURED)
		return absent(interval->status, interval->reason);
	return (struct sc_metric_value){
		.status = SC_MEASURED,
		.number = interval->median,
		.has_interval = true,
		.low = interval->low,
		.high = interval->high,
		.n = interval->n,
	};
}

static struct sc_metric_value latency(const struct sc_latency *latency, uint64_t ns)
{
	struct sc_metric_value value = number((double)ns);

	if (latency->status != SC_MEASURED)
		return absent(latency->status, latency->reason);
	value.n = latency->n;
	return value;
}

/* --- what rests on timing samples */

static struct sc_metric_value timing(const struct sc_cell *cell, double value)
{
	if (cell->ops_per_s.status != SC_MEASURED)
		return absent(cell->ops_per_s.status, cell->ops_per_s.reason);
	return number(value);
}

static struct sc_metric_value read_ops_per_s(const struct sc_cell *cell)
{
	return interval(&cell->ops_per_s);
}

static struct sc_metric_value read_commits_per_s(const struct sc_cell *cell)
{
	return interval(&cell->commits_per_s);
}

/* Of the timing samples, as some pages report: one end of chance, not what to expect. */
static struct sc_metric_value read_best(const struct sc_cell *cell)
{
	struct sc_metric_value value;
	double best = 0;
	uint64_t n = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sc_cell_sample *sample = &cell->samples[i];
		double rate;

		if (sample->kind != SC_SAMPLE_TIMING || sample->wall_ns == 0)
			continue;
		rate = (double)sample->operations * 1e9 / (double)sample->wall_ns;
		best = rate > best ? rate : best;
		n++;
	}
	value = timing(cell, best);
	if (value.status == SC_MEASURED && n == 0)
		return absent(SC_SKIPPED, "no samples are kept");
	value.n = n;
	return value;
}

static struct sc_metric_value read_half_width(const struct sc_cell *cell)
{
	struct sc_metric_value value = timing(cell, sc_interval_half_width(&cell->ops_per_s));

	value.n = cell->ops_per_s.n;
	return value;
}

static struct sc_metric_value read_busy_retries(const struct sc_cell *cell)
{
	return timing(cell, (double)cell->busy_retries);
}

static struct sc_metric_value read_cpu_wall(const struct sc_cell *cell)
{
	struct sc_metric_value value = timing(cell, cell->cpu_wall);

	value.n = cell->ops_per_s.n;
	return value;
}

/* One in @least lies beyond a quantile: of fewer values it is but their maximum. */
static struct sc_metric_value quantile(const struct sc_latency *of, uint64_t ns, uint64_t least)
{
	struct sc_metric_value value = latency(of, ns);

	if (value.status == SC_MEASURED && of->n < least)
		return absent(SC_SKIPPED, least == 10    ? "fewer than 10 values"
					  : least == 100 ? "fewer than 100 values"
							 : "fewer than 1000 values");
	return value;
}

#define LATENCY(of, name, least)                                                                   \
	static struct sc_metric_value read_##of##_##name(const struct sc_cell *cell)               \
	{                                                                                          \
		return quantile(&cell->of, cell->of.name##_ns, least);                             \
	}

/* Of the histogram: files keep no p95 of their own. */
static struct sc_metric_value quantile_95(const struct sc_latency *of)
{
	uint64_t ns = 0;

	if (of->status == SC_MEASURED && of->buckets)
		(void)sc_hist_quantile(of->buckets, of->max_ns, 0.95, &ns);
	return quantile(of, ns, 100);
}

static struct sc_metric_value read_op_ns_p95(const struct sc_cell *cell)
{
	return quantile_95(&cell->op_ns);
}

static struct sc_metric_value read_commit_ns_p95(const struct sc_cell *cell)
{
	return quantile_95(&cell->commit_ns);
}

LATENCY(op_ns, p50, 0)
LATENCY(op_ns, p90, 10)
LATENCY(op_ns, p99, 100)
LATENCY(op_ns, p999, 1000)
LATENCY(op_ns, max, 0)
LATENCY(commit_ns, p50, 0)
LATENCY(commit_ns, p90, 10)
LATENCY(commit_ns, p99, 100)
LATENCY(commit_ns, p999, 1000)
LATENCY(commit_ns, max, 0)

/* --- what rests on ledger samples */

static struct sc_metric_value ledger(const struct sc_cell *cell, double value)
{
	if (cell->ledger_ops > 0)
		return number(value);
	if (cell->status != SC_MEASURED)
		return absent(cell->status, cell->reason);
	return absent(SC_SKIPPED, NO_LEDGER);
}

static struct sc_metric_value per_commit(const struct sc_cell *cell, uint64_t total)
{
	if (cell->ledger_ops == 0)
		return ledger(cell, 0);
	if (cell->ledger_commits == 0)
		return absent(SC_SKIPPED, NO_COMMIT);
	return number((double)total / (double)cell->ledger_commits);
}

static struct sc_metric_value per_op(const struct sc_cell *cell, uint64_t total)
{
	return cell->ledger_ops ? number((double)total / (double)cell->ledger_ops)
				: ledger(cell, 0);
}

/* Per operation, of the split. */
static struct sc_metric_value split_per_op(const struct sc_cell *cell, uint64_t total, uint64_t n)
{
	struct sc_metric_value value = per_op(cell, total);

	if (cell->split.status != SC_MEASURED)
		return absent(cell->split.status, cell->split.reason);
	value.n = n;
	return value;
}

#define PART(name, part)                                                                           \
	static struct sc_metric_value read_wall_##name(const struct sc_cell *cell)                 \
	{                                                                                          \
		return split_per_op(cell, cell->split.wall_ns[part], 0);                           \
	}                                                                                          \
	static struct sc_metric_value read_cpu_##name(const struct sc_cell *cell)                  \
	{                                                                                          \
		return split_per_op(cell, cell->split.cpu_ns[part], cell->split.cpu_n[part]);      \
	}

PART(outside, SC_PART_OUTSIDE)
PART(sql, SC_PART_SQL)
PART(read, SC_PART_READ)
PART(write, SC_PART_WRITE)
PART(sync, SC_PART_SYNC)
PART(lock, SC_PART_LOCK)
PART(shm, SC_PART_SHM)
PART(other, SC_PART_OTHER)

static struct sc_metric_value read_run_delay(const struct sc_cell *cell)
{
	uint64_t total_ns = 0;

	for (int p = 0; p < SC_PART_COUNT_; p++)
		total_ns += cell->split.run_delay_ns[p];
	return split_per_op(cell, total_ns, 0);
}

static struct sc_metric_value share(const struct sc_cell *cell, double of, double whole)
{
	if (cell->split.status != SC_MEASURED)
		return absent(cell->split.status, cell->split.reason);
	if (!(whole > 0))
		return absent(SC_SKIPPED, "no time was spent");
	return number(of / whole);
}

static struct sc_terms terms_of(const struct sc_cell *cell)
{
	if (cell->split.status != SC_MEASURED)
		return (struct sc_terms){.inside_ns = 0};
	return sc_split_terms(&cell->split, cell->major_faults);
}

#define TERM(name, by)                                                                             \
	static struct sc_metric_value read_share_##name(const struct sc_cell *cell)                \
	{                                                                                          \
		struct sc_terms terms = terms_of(cell);                                            \
                                                                                                   \
		return share(cell, terms.ns[by], terms.inside_ns);                                 \
	}

TERM(sync, SC_BOUND_SYNC)
TERM(checkpoint, SC_BOUND_CHECKPOINT)
TERM(write, SC_BOUND_WRITE)
TERM(read, SC_BOUND_READ)
TERM(sql_cpu, SC_BOUND_SQL_CPU)
TERM(memory_faults, SC_BOUND_MEMORY_FAULTS)
TERM(lock, SC_BOUND_LOCK)
TERM(run_delay, SC_BOUND_RUN_DELAY)

static struct sc_metric_value read_share_rest(const struct sc_cell *cell)
{
	struct sc_terms terms = terms_of(cell);

	return share(cell, terms.rest_ns, terms.inside_ns);
}

static struct sc_metric_value read_share_outside(const struct sc_cell *cell)
{
	struct sc_terms terms = terms_of(cell);

	return share(cell, terms.outside_ns, terms.outside_ns + terms.inside_ns);
}

static struct sc_metric_value read_share_residual(const struct sc_cell *cell)
{
	return share(cell, (double)cell->split.residual_ns, (double)cell->split.total_ns);
}

static struct sc_metric_value read_bound_share(const struct sc_cell *cell)
{
	if (cell->bound.status != SC_MEASURED)
		return absent(cell->bound.status, cell->bound.reason);
	return number(cell->bound.share);
}

static struct sc_metric_value read_if_free(const struct sc_cell *cell)
{
	if (cell->bound.status != SC_MEASURED)
		return absent(cell->bound.status, cell->bound.reason);
	if (!(cell->bound.if_free_ops_per_s > 0))
		return absent(SC_SKIPPED, "there is no rate, nothing else takes time, or it is a "
					  "wait for other clients");
	return number(cell->bound.if_free_ops_per_s);
}

static struct sc_metric_value syncs(const struct sc_cell *cell, uint64_t total)
{
	if (cell->syncs.status != SC_MEASURED)
		return absent(cell->syncs.status, cell->syncs.reason);
	return per_commit(cell, total);
}

/* What SQLite asked of its VFS; a store without files has none to be asked. */
static struct sc_metric_value asked_of_vfs(const struct sc_cell *cell, struct sc_metric_value value)
{
	if (value.status == SC_MEASURED && cell->ledger_ops > 0 &&
	    cell->syncs.vfs_status != SC_MEASURED)
		return absent(cell->syncs.vfs_status, cell->syncs.reason);
	return value;
}

static struct sc_metric_value vfs_syncs(const struct sc_cell *cell, uint64_t total)
{
	return asked_of_vfs(cell, syncs(cell, total));
}

static struct sc_metric_value physical_syncs(const struct sc_cell *cell, uint64_t total)
{
	if (cell->syncs.status == SC_MEASURED && cell->syncs.physical_status != SC_MEASURED)
		return absent(cell->syncs.physical_status, cell->syncs.reason);
	return syncs(cell, total);
}

#define SYNCS(field, of)                                                                           \
	static struct sc_metric_value read_syncs_##field(const struct sc_cell *cell)               \
	{                                                                                          \
		return of(cell, cell->syncs.field);                                                \
	}

SYNCS(vfs, vfs_syncs)
SYNCS(directory, physical_syncs)
SYNCS(physical, physical_syncs)
SYNCS(withheld, vfs_syncs)
SYNCS(omitted, vfs_syncs)
SYNCS(fsync, physical_syncs)
SYNCS(fdatasync, physical_syncs)

static struct sc_metric_value read_syncs_per_op(const struct sc_cell *cell)
{
	if (cell->syncs.status != SC_MEASURED)
		return absent(cell->syncs.status, cell->syncs.reason);
	if (cell->syncs.physical_status != SC_MEASURED)
		return absent(cell->syncs.physical_status, cell->syncs.reason);
	return per_op(cell, cell->syncs.physical);
}

#define LEDGER(name, expression)                                                                   \
	static struct sc_metric_value read_##name(const struct sc_cell *cell)                      \
	{                                                                                          \
		return ledger(cell, (double)(expression));                                         \
	}

LEDGER(checkpoints, cell->checkpoints.count)
LEDGER(checkpoint_frames, cell->checkpoints.frames)
LEDGER(checkpoint_ns, cell->checkpoints.ns)
LEDGER(wal_resets, cell->checkpoints.resets)
LEDGER(calls_dropped, cell->calls_dropped)
LEDGER(major_faults, cell->major_faults)
LEDGER(wal_bytes_max, cell->space.wal_bytes_max)
LEDGER(journal_bytes_max, cell->space.journal_bytes_max)
LEDGER(total_bytes_max, cell->space.total_bytes_max)

static struct sc_metric_value read_instrument_cost(const struct sc_cell *cell)
{
	if (cell->instrument_cost > 0)
		return number(cell->instrument_cost);
	if (cell->status != SC_MEASURED)
		return absent(cell->status, cell->reason);
	return absent(SC_SKIPPED, "it takes a timing and a ledger sample");
}

/* --- input and output, as SQLite asked for it */

enum counted { COUNT_CALLS, COUNT_BYTES };

/* Over the files of a role, or of all where @role is SC_ROLE_COUNT_. */
static uint64_t sum_io(const struct sc_cell *cell, enum sc_role role, enum sc_op op,
		       enum counted counted)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < cell->io_count; i++) {
		const struct sc_io *io = &cell->io[i];

		if (io->instrument != SC_INSTRUMENT_VFS || io->op != op ||
		    (role != SC_ROLE_COUNT_ && io->role != role))
			continue;
		sum += counted == COUNT_CALLS ? io->calls : io->bytes;
	}
	return sum;
}

#define WRITTEN(name, role)                                                                        \
	static struct sc_metric_value read_written_##name(const struct sc_cell *cell)              \
	{                                                                                          \
		return asked_of_vfs(                                                               \
			cell, per_commit(cell, sum_io(cell, role, SC_OP_WRITE, COUNT_BYTES)));     \
	}

WRITTEN(main_db, SC_ROLE_MAIN_DB)
WRITTEN(wal, SC_ROLE_WAL)
WRITTEN(journal, SC_ROLE_MAIN_JOURNAL)
WRITTEN(all, SC_ROLE_COUNT_)

static struct sc_metric_value read_write_calls(const struct sc_cell *cell)
{
	return asked_of_vfs(
		cell, per_commit(cell, sum_io(cell, SC_ROLE_COUNT_, SC_OP_WRITE, COUNT_CALLS)));
}

static struct sc_metric_value read_read_calls(const struct sc_cell *cell)
{
	return asked_of_vfs(cell,
			    per_op(cell, sum_io(cell, SC_ROLE_COUNT_, SC_OP_READ, COUNT_CALLS)));
}

static struct sc_metric_value read_read_bytes(const struct sc_cell *cell)
{
	return asked_of_vfs(cell,
			    per_op(cell, sum_io(cell, SC_ROLE_COUNT_, SC_OP_READ, COUNT_BYTES)));
}

static struct sc_metric_value read_mapped_reads(const struct sc_cell *cell)
{
	return asked_of_vfs(cell,
			    per_op(cell, sum_io(cell, SC_ROLE_COUNT_, SC_OP_FETCH, COUNT_CALLS)));
}

/* --- sizes */

/* Both kinds of sample see the files' sizes. */
static struct sc_metric_value size(const struct sc_cell *cell, uint64_t bytes)
{
	return cell->ledger_ops > 0 ? number((double)bytes) : timing(cell, (double)bytes);
}

#define SIZE(field)                                                                                \
	static struct sc_metric_value read_##field(const struct sc_cell *cell)                     \
	{                                                                                          \
		return size(cell, cell->space.field);                                              \
	}

SIZE(payload_bytes)
SIZE(database_bytes)
SIZE(wal_bytes)
SIZE(journal_bytes)
SIZE(shm_bytes)
SIZE(total_bytes)
SIZE(allocated_bytes)

static struct sc_metric_value read_storage_bytes(const struct sc_cell *cell)
{
	return size(cell, cell->space.database_bytes + cell->space.wal_bytes);
}

static struct sc_metric_value read_page_cache_bytes(const struct sc_cell *cell)
{
	struct sc_metric_value value = size(cell, cell->space.page_cache_bytes);

	if (value.status == SC_MEASURED && cell->space.page_cache_status != SC_MEASURED)
		return absent(cell->space.page_cache_status, "the kernel does not say");
	return value;
}

static struct sc_metric_value read_write_amplification(const struct sc_cell *cell)
{
	struct sc_metric_value value = asked_of_vfs(cell, ledger(cell, 0));

	if (value.status != SC_MEASURED)
		return value;
	if (cell->space.payload_bytes == 0)
		return absent(SC_SKIPPED, "nothing was stored");
	return number((double)cell->space.vfs_bytes / (double)cell->space.payload_bytes);
}

/* --- the catalogue */

#define NS          SC_UNIT_NS
#define BYTES       SC_UNIT_BYTES
#define COUNT       SC_UNIT_COUNT
#define PER_SECOND  SC_UNIT_PER_SECOND
#define RATIO       SC_UNIT_RATIO
#define HIGHER      SC_BETTER_HIGHER
#define LOWER       SC_BETTER_LOWER
#define NEITHER     SC_BETTER_NEITHER
#define TIMING      SC_FROM_TIMING
#define FROM_LEDGER SC_FROM_LEDGER

/* clang-format off */
const struct sc_metric sc_metrics[] = {
	{ "ops_per_s", "Operations per second", "ops/s",
	  "operations finished per second of wall time, the median over timing samples",
	  PER_SECOND, HIGHER, TIMING, SC_GROUP_RATE, read_ops_per_s },
	{ "commits_per_s", "Commits per second", "commits/s",
	  "transactions committed per second of wall time, the median over timing samples",
	  PER_SECOND, HIGHER, TIMING, SC_GROUP_RATE, read_commits_per_s },
	{ "ops_per_s_half_width", "Half-width of the interval of operations per second", "±",
	  "the wider side of the median's interval, as a fraction of the median",
	  RATIO, LOWER, TIMING, SC_GROUP_RATE, read_half_width },
	{ "ops_per_s_best", "Operations per second, best sample", "best",
	  "the highest rate of a single timing sample, for pages that report the best of N",
	  PER_SECOND, HIGHER, TIMING, SC_GROUP_RATE, read_best },
	{ "if_free_ops_per_s", "Operations per second if what bounds them were free", "if free",
	  "the rate that would be reached if the largest term of the time, and the wait for a CPU within "
	  "it, cost nothing and all else as much as now",
	  PER_SECOND, NEITHER, FROM_LEDGER, SC_GROUP_RATE, read_if_free },
	{ "busy_retries", "Busy retries", "busy",
	  "attempts repeated because another connection held a lock, over all timing samples",
	  COUNT, LOWER, TIMING, SC_GROUP_RATE, read_busy_retries },

	{ "op_ns_p50", "Operation latency, median", "op p50",
	  "half of the operations took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_op_ns_p50 },
	{ "op_ns_p90", "Operation latency, p90", "op p90",
	  "nine of ten operations took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_op_ns_p90 },
	{ "op_ns_p95", "Operation latency, p95", "op p95",
	  "19 of 20 operations took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_op_ns_p95 },
	{ "op_ns_p99", "Operation latency, p99", "op p99",
	  "99 of 100 operations took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_op_ns_p99 },
	{ "op_ns_p999", "Operation latency, p99.9", "op p99.9",
	  "999 of 1000 operations took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_op_ns_p999 },
	{ "op_ns_max", "Operation latency, maximum", "op max",
	  "the slowest operation",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_op_ns_max },
	{ "commit_ns_p50", "Commit latency, median", "p50",
	  "half of the calls that committed took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_commit_ns_p50 },
	{ "commit_ns_p90", "Commit latency, p90", "p90",
	  "nine of ten calls that committed took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_commit_ns_p90 },
	{ "commit_ns_p95", "Commit latency, p95", "p95",
	  "19 of 20 calls that committed took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_commit_ns_p95 },
	{ "commit_ns_p99", "Commit latency, p99", "p99",
	  "99 of 100 calls that committed took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_commit_ns_p99 },
	{ "commit_ns_p999", "Commit latency, p99.9", "p99.9",
	  "999 of 1000 calls that committed took no longer",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_commit_ns_p999 },
	{ "commit_ns_max", "Commit latency, maximum", "max",
	  "the slowest call that committed",
	  NS, LOWER, TIMING, SC_GROUP_LATENCY, read_commit_ns_max },

	{ "sync_share", "Share of syncs", "sync",
	  "of the time inside SQLite: in xSync, directory syncs included, outside of checkpoints",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_share_sync },
	{ "checkpoint_share", "Share of checkpoints", "ckpt",
	  "of the time inside SQLite: in checkpoints, their reads, writes and syncs included",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_share_checkpoint },
	{ "write_share", "Share of writes", "write",
	  "of the time inside SQLite: in writes and truncations, outside of checkpoints",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_share_write },
	{ "read_share", "Share of reads", "read",
	  "of the time inside SQLite: in reads, outside of checkpoints",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_share_read },
	{ "sql_cpu_share", "Share of SQL on the CPU", "sql",
	  "of the time inside SQLite: executing, outside of the VFS",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_share_sql_cpu },
	{ "memory_faults_share", "Share of memory faults", "faults",
	  "of the time inside SQLite: outside of the VFS and off the CPU, with major faults counted",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_share_memory_faults },
	{ "lock_share", "Share of locks", "lock",
	  "of the time inside SQLite: in lock calls and waiting for locks, sleeps included",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_share_lock },
	{ "run_delay_share", "Share of run delay", "delay",
	  "of the time inside SQLite: runnable, but waiting for a CPU",
	  RATIO, LOWER, FROM_LEDGER, SC_GROUP_SHARE, read_share_run_delay },
	{ "rest_share", "Share of the rest", "rest",
	  "of the time inside SQLite: shared memory, other calls, and waiting that no term explains",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_share_rest },
	{ "bound_share", "Share of what bounds the cell", "bound",
	  "of the time inside SQLite: the largest of the terms",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SHARE, read_bound_share },

	{ "split_outside_ns_per_op", "Outside SQLite, per operation", "outside",
	  "wall time between calls into SQLite, per operation",
	  NS, NEITHER, FROM_LEDGER, SC_GROUP_SPLIT, read_wall_outside },
	{ "split_sql_ns_per_op", "SQL, per operation", "sql",
	  "wall time inside SQLite and outside of the VFS, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_wall_sql },
	{ "split_read_ns_per_op", "Reads, per operation", "read",
	  "wall time in reads, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_wall_read },
	{ "split_write_ns_per_op", "Writes, per operation", "write",
	  "wall time in writes and truncations, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_wall_write },
	{ "split_sync_ns_per_op", "Syncs, per operation", "sync",
	  "wall time in syncs, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_wall_sync },
	{ "split_lock_ns_per_op", "Locks, per operation", "lock",
	  "wall time in lock calls and waiting for locks, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_wall_lock },
	{ "split_shm_ns_per_op", "Shared memory, per operation", "shm",
	  "wall time in calls for the shared memory of a WAL, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_wall_shm },
	{ "split_other_ns_per_op", "Other calls, per operation", "other",
	  "wall time in all other VFS calls, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_wall_other },
	{ "run_delay_ns_per_op", "Run delay, per operation", "delay",
	  "time runnable but waiting for a CPU, per operation; part of the other columns",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_run_delay },
	{ "outside_share", "Share outside SQLite", "outside %",
	  "of all wall time: between calls into SQLite",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_SPLIT, read_share_outside },
	{ "residual_share", "Share that no part explains", "residual",
	  "of all wall time by an independent clock: what the parts do not sum to",
	  RATIO, LOWER, FROM_LEDGER, SC_GROUP_SPLIT, read_share_residual },

	{ "cpu_wall", "CPU time / wall time", "cpu/wall",
	  "process CPU time divided by wall time, the median over timing samples",
	  RATIO, NEITHER, TIMING, SC_GROUP_CPU, read_cpu_wall },
	{ "cpu_sql_ns_per_op", "CPU of SQL, per operation", "sql",
	  "thread CPU time inside SQLite and outside of the VFS, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_CPU, read_cpu_sql },
	{ "cpu_read_ns_per_op", "CPU of reads, per operation", "read",
	  "thread CPU time in reads, per operation; an estimate from some of the calls",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_CPU, read_cpu_read },
	{ "cpu_write_ns_per_op", "CPU of writes, per operation", "write",
	  "thread CPU time in writes and truncations, per operation; an estimate from some of the calls",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_CPU, read_cpu_write },
	{ "cpu_sync_ns_per_op", "CPU of syncs, per operation", "sync",
	  "thread CPU time in syncs, per operation",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_CPU, read_cpu_sync },
	{ "cpu_lock_ns_per_op", "CPU of locks, per operation", "lock",
	  "thread CPU time in lock calls, per operation; an estimate from some of the calls",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_CPU, read_cpu_lock },
	{ "cpu_shm_ns_per_op", "CPU of shared memory, per operation", "shm",
	  "thread CPU time in calls for shared memory, per operation; an estimate from some of the calls",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_CPU, read_cpu_shm },
	{ "cpu_other_ns_per_op", "CPU of other calls, per operation", "other",
	  "thread CPU time in all other VFS calls, per operation; an estimate from some of the calls",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_CPU, read_cpu_other },
	{ "cpu_outside_ns_per_op", "CPU outside SQLite, per operation", "outside",
	  "thread CPU time between calls into SQLite, per operation, where it was read",
	  NS, NEITHER, FROM_LEDGER, SC_GROUP_CPU, read_cpu_outside },

	{ "syncs_physical_per_commit", "Syncs per commit", "syncs",
	  "syncs that reached the kernel per commit, of files and directories",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_SYNC, read_syncs_physical },
	{ "syncs_physical_per_op", "Syncs per operation", "syncs/op",
	  "the same per operation: per row, where that is one",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_SYNC, read_syncs_per_op },
	{ "syncs_vfs_per_commit", "Syncs asked of the VFS, per commit", "vfs",
	  "calls of xSync per commit",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_SYNC, read_syncs_vfs },
	{ "syncs_directory_per_commit", "Directory syncs per commit", "directory",
	  "syncs of directories per commit, which no VFS call shows",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_SYNC, read_syncs_directory },
	{ "syncs_fsync_per_commit", "fsync per commit", "fsync",
	  "those of the syncs that are fsync",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_SYNC, read_syncs_fsync },
	{ "syncs_fdatasync_per_commit", "fdatasync per commit", "fdatasync",
	  "those of the syncs that are fdatasync",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_SYNC, read_syncs_fdatasync },
	{ "syncs_withheld_per_commit", "Syncs withheld, per commit", "withheld",
	  "syncs that a layer kept from the storage, per commit",
	  COUNT, NEITHER, FROM_LEDGER, SC_GROUP_SYNC, read_syncs_withheld },
	{ "syncs_omitted_per_commit", "Syncs omitted, per commit", "omitted",
	  "syncs that SQLite left out because synchronous is OFF, per commit",
	  COUNT, NEITHER, FROM_LEDGER, SC_GROUP_SYNC, read_syncs_omitted },

	{ "checkpoints", "Checkpoints", "checkpoints",
	  "checkpoints in the ledger sample",
	  COUNT, NEITHER, FROM_LEDGER, SC_GROUP_CHECKPOINT, read_checkpoints },
	{ "checkpoint_frames", "Pages checkpointed", "pages",
	  "pages copied from the WAL to the database by checkpoints",
	  COUNT, NEITHER, FROM_LEDGER, SC_GROUP_CHECKPOINT, read_checkpoint_frames },
	{ "checkpoint_ns", "Time in checkpoints", "time",
	  "wall time of all checkpoints of the ledger sample together",
	  NS, LOWER, FROM_LEDGER, SC_GROUP_CHECKPOINT, read_checkpoint_ns },
	{ "wal_resets", "WAL resets", "resets",
	  "times the WAL was begun anew while it held frames",
	  COUNT, NEITHER, FROM_LEDGER, SC_GROUP_CHECKPOINT, read_wal_resets },

	{ "written_bytes_per_commit", "Bytes written per commit", "written",
	  "bytes written at VFS level to all files, per commit",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_IO, read_written_all },
	{ "written_main_db_bytes_per_commit", "Bytes written to the database, per commit", "to database",
	  "bytes written at VFS level to the main file, per commit; in WAL mode by checkpoints",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_IO, read_written_main_db },
	{ "written_wal_bytes_per_commit", "Bytes written to the WAL, per commit", "to WAL",
	  "bytes written at VFS level to the WAL, per commit",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_IO, read_written_wal },
	{ "written_journal_bytes_per_commit", "Bytes written to the journal, per commit", "to journal",
	  "bytes written at VFS level to the rollback journal, per commit",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_IO, read_written_journal },
	{ "write_calls_per_commit", "Writes per commit", "writes",
	  "calls of xWrite per commit, on all files",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_IO, read_write_calls },
	{ "read_calls_per_op", "Reads per operation", "reads/op",
	  "calls of xRead per operation, on all files",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_IO, read_read_calls },
	{ "read_bytes_per_op", "Bytes read per operation", "read/op",
	  "bytes read at VFS level per operation, from all files",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_IO, read_read_bytes },
	{ "mapped_reads_per_op", "Mapped reads per operation", "mapped/op",
	  "pages taken from a memory mapping instead of a read, per operation",
	  COUNT, NEITHER, FROM_LEDGER, SC_GROUP_IO, read_mapped_reads },
	{ "write_amplification", "Bytes written per byte stored", "amplification",
	  "bytes written at VFS level divided by the bytes of the values that were stored",
	  RATIO, LOWER, FROM_LEDGER, SC_GROUP_IO, read_write_amplification },

	{ "vm_steps_per_op", "Steps of SQLite per operation", "steps",
	  "instructions of SQLite's virtual machine, per operation",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_WORK, sc_work_vm_steps },
	{ "pages_per_op", "Pages per operation", "pages",
	  "pages asked of SQLite's page cache, per operation, whether they were in it or not",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_WORK, sc_work_pages },
	{ "page_misses_per_op", "Pages not in the cache, per operation", "misses",
	  "those of the pages that were not in the cache",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_WORK, sc_work_page_misses },
	{ "memory_bytes_per_op", "Growth of the heap, per operation", "heap grows",
	  "slope of a straight line through the bytes of heap in use, the page cache taken out, over the "
	  "operations of the ledger sample",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_WORK, sc_memory_heap },
	{ "memory_r2", "How far that is a straight line", "R²",
	  "of the variance of the bytes in use, what the line explains",
	  RATIO, NEITHER, FROM_LEDGER, SC_GROUP_WORK, sc_memory_heap_r2 },
	{ "memory_sqlite_bytes_per_op", "Growth of what SQLite allocated, per operation", "SQLite grows",
	  "the same of the bytes that SQLite has allocated",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_WORK, sc_memory_sqlite },

	{ "payload_bytes", "Bytes stored", "stored",
	  "bytes of the values bound by the timed part",
	  BYTES, NEITHER, FROM_LEDGER, SC_GROUP_SPACE, read_payload_bytes },
	{ "database_bytes", "Size of the database", "database",
	  "size of the main file at the end, before the last close",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_database_bytes },
	{ "wal_bytes", "Size of the WAL", "WAL",
	  "size of the WAL at the end, before the last close",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_wal_bytes },
	{ "storage_bytes", "Size of the database and the WAL", "both",
	  "size of the main file and the WAL together at the end, before the last close",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_storage_bytes },
	{ "wal_bytes_max", "Size of the WAL, maximum", "WAL max",
	  "the largest size of the WAL at any moment",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_wal_bytes_max },
	{ "journal_bytes", "Size of the journal", "journal",
	  "size of the rollback journal at the end, before the last close",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_journal_bytes },
	{ "journal_bytes_max", "Size of the journal, maximum", "journal max",
	  "the largest size of the rollback journal at any moment",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_journal_bytes_max },
	{ "shm_bytes", "Size of the shared memory file", "shm",
	  "size of the WAL's index at the end, before the last close",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_shm_bytes },
	{ "total_bytes", "Size of all files", "total",
	  "size of the files of the database together at the end, before the last close",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_total_bytes },
	{ "total_bytes_max", "Size of all files, maximum", "total max",
	  "the largest sum of the sizes at any one moment",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_total_bytes_max },
	{ "allocated_bytes", "Allocated on the file system", "allocated",
	  "blocks of all files as the file system counts them",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_allocated_bytes },
	{ "page_cache_bytes", "Bytes written to the page cache", "page cache",
	  "bytes of the pages that the process dirtied in the timed part, as its write_bytes in "
	  "/proc/self/io: a page dirtied again before it was written back counts once",
	  BYTES, LOWER, FROM_LEDGER, SC_GROUP_SPACE, read_page_cache_bytes },

	{ "instrument_cost", "Cost of the instruments", "instruments",
	  "time per operation of ledger samples divided by that of timing samples, medians",
	  RATIO, LOWER, FROM_LEDGER, SC_GROUP_QUALITY, read_instrument_cost },
	{ "calls_dropped", "Calls not counted", "dropped",
	  "calls that the meter had no room for",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_QUALITY, read_calls_dropped },
	{ "major_faults", "Major faults", "faults",
	  "memory faults that had to wait for the storage in the ledger sample",
	  COUNT, LOWER, FROM_LEDGER, SC_GROUP_QUALITY, read_major_faults },

	{ "worst_steal_share", "Steal, worst sample", "steal",
	  "CPU time that the hypervisor took from the machine, of the wall time of a timing sample: "
	  "the largest",
	  RATIO, NEITHER, TIMING, SC_GROUP_NOISE, sc_noise_steal },
	{ "worst_run_delay_share", "Run delay, worst sample", "delay",
	  "time runnable but waiting for a CPU, of the wall time of a timing sample: the largest",
	  RATIO, NEITHER, TIMING, SC_GROUP_NOISE, sc_noise_run_delay },
	{ "other_io_bytes_max", "I/O of others, worst sample", "other I/O",
	  "what the disk moved in a timing sample beyond the sample's own bytes: the largest; the "
	  "file system's journal is part of it, so it is an upper bound",
	  BYTES, NEITHER, TIMING, SC_GROUP_NOISE, sc_noise_other_io_max },
	{ "other_io_bytes_min", "I/O of others, quietest sample", "quietest",
	  "the same of the sample with the least: what is above it came from others",
	  BYTES, NEITHER, TIMING, SC_GROUP_NOISE, sc_noise_other_io_min },
	{ "reference_ns_max", "Reference work, slowest sample", "reference",
	  "wall time of a fixed piece of work (200 writes and reads of a page in memory) beside a "
	  "timing sample: the largest",
	  NS, NEITHER, TIMING, SC_GROUP_NOISE, sc_noise_reference_max },
	{ "reference_ns_min", "Reference work, fastest sample", "fastest",
	  "the same beside the sample with the least: the machine has been this fast",
	  NS, NEITHER, TIMING, SC_GROUP_NOISE, sc_noise_reference_min },
};
/* clang-format on */

const size_t sc_metric_count = SC_ARRAY_COUNT(sc_metrics);

const struct sc_metric *sc_metric_find(const char *key)
{
	for (size_t i = 0; i < sc_metric_count; i++) {
		if (strcmp(sc_metrics[i].key, key) == 0)
			return &sc_metrics[i];
	}
	return NULL;
}

const char *sc_unit_name(enum sc_unit unit)
{
	static const char *const names[] = {
		[SC_UNIT_NS] = "ns",          [SC_UNIT_BYTES] = "bytes", [SC_UNIT_COUNT] = "count",
		[SC_UNIT_PER_SECOND] = "1/s", [SC_UNIT_RATIO] = "ratio",
	};

	assert(unit < SC_ARRAY_COUNT(names));
	return names[unit];
}

const char *sc_metric_group_title(enum sc_metric_group group)
{
	static const char *const titles[] = {
		[SC_GROUP_RATE] = "Rates",
		[SC_GROUP_LATENCY] = "Latencies of operations and commits",
		[SC_GROUP_SHARE] = "Where the time inside SQLite went",
		[SC_GROUP_SPLIT] = "Wall time of an operation, by part",
		[SC_GROUP_CPU] = "CPU time of an operation, by part",
		[SC_GROUP_SYNC] = "Syncs per commit",
		[SC_GROUP_CHECKPOINT] = "Checkpoints of the ledger sample",
		[SC_GROUP_IO] = "Reads and writes, as SQLite asked for them",
		[SC_GROUP_WORK] = "Work and memory of SQLite",
		[SC_GROUP_SPACE] = "Sizes",
		[SC_GROUP_QUALITY] = "How far the figures can be trusted",
		[SC_GROUP_NOISE] = "Noise: the worst timing sample of each cell",
	};

	static_assert(SC_ARRAY_COUNT(titles) == SC_GROUP_COUNT_, "a title each");
	assert(group < SC_GROUP_COUNT_);
	return titles[group];
}

/* --- of samples */

#define SAMPLE(field)                                                                              \
	static struct sc_metric_value sample_##field(const struct sc_cell_sample *sample)          \
	{                                                                                          \
		return number((double)sample->field);                                              \
	}

SAMPLE(operations)
SAMPLE(commits)
SAMPLE(wall_ns)
SAMPLE(cpu_ns)

static struct sc_metric_value kernel_counter(enum sc_status status, uint64_t value)
{
	if (status != SC_MEASURED)
		return absent(status, "the kernel does not say");
	return number((double)value);
}

static struct sc_metric_value sample_steal_ns(const struct sc_cell_sample *sample)
{
	return kernel_counter(sample->steal_status, sample->steal_ns);
}

static struct sc_metric_value sample_other_io_bytes(const struct sc_cell_sample *sample)
{
	if (sample->other_io_status != SC_MEASURED)
		return absent(sample->other_io_status, sample->other_io_reason);
	return number((double)sample->other_io_bytes);
}

static struct sc_metric_value sample_reference_ns(const struct sc_cell_sample *sample)
{
	if (sample->reference_ns == 0)
		return absent(SC_SKIPPED, "it was not measured");
	return number((double)sample->reference_ns);
}

static struct sc_metric_value sample_run_delay_ns(const struct sc_cell_sample *sample)
{
	return kernel_counter(sample->run_delay_status, sample->run_delay_ns);
}

static struct sc_metric_value per_second(const struct sc_cell_sample *sample, uint64_t count)
{
	if (sample->wall_ns == 0)
		return absent(SC_SKIPPED, "no time passed");
	return number((double)count * 1e9 / (double)sample->wall_ns);
}

static struct sc_metric_value sample_ops_per_s(const struct sc_cell_sample *sample)
{
	return per_second(sample, sample->operations);
}

static struct sc_metric_value sample_commits_per_s(const struct sc_cell_sample *sample)
{
	if (sample->commits == 0)
		return absent(SC_SKIPPED, NO_COMMIT);
	return per_second(sample, sample->commits);
}

const struct sc_sample_metric sc_sample_metrics[] = {
	{"operations", SC_UNIT_COUNT, sample_operations},
	{"commits", SC_UNIT_COUNT, sample_commits},
	{"wall_ns", SC_UNIT_NS, sample_wall_ns},
	{"cpu_ns", SC_UNIT_NS, sample_cpu_ns},
	{"steal_ns", SC_UNIT_NS, sample_steal_ns},
	{"run_delay_ns", SC_UNIT_NS, sample_run_delay_ns},
	{"other_io_bytes", SC_UNIT_BYTES, sample_other_io_bytes},
	{"reference_ns", SC_UNIT_NS, sample_reference_ns},
	{"ops_per_s", SC_UNIT_PER_SECOND, sample_ops_per_s},
	{"commits_per_s", SC_UNIT_PER_SECOND, sample_commits_per_s},
};

const size_t sc_sample_metric_count = SC_ARRAY_COUNT(sc_sample_metrics);
