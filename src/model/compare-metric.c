/* SPDX-License-Identifier: MIT */

/*
 * What a comparison looks at: rows of the catalogue by their keys, and what only a comparison
 * needs. Counts are those that one build makes the same on every run; sizes that depend on when
 * the kernel writes back (allocated blocks, the page cache) are not among them. What counts
 * consist of (syncs of directories, bytes by file) is shown, so that one change is one failure.
 *
 * Latency is time per operation, the inverse of the rate: its interval is the rate's, turned over.
 */

#include <assert.h>
#include <string.h>

#include "compare-digest.h"
#include "syncost.h"

#define WAL_FRAME_HEADER_BYTES 24u

static struct sc_metric_value absent_like(const struct sc_metric_value *value)
{
	return (struct sc_metric_value){.status = value->status, .reason = value->reason};
}

static struct sc_metric_value read_op_ns(const struct sc_cell *cell)
{
	struct sc_metric_value rate = sc_metric_find("ops_per_s")->read(cell);

	if (rate.status != SC_MEASURED)
		return absent_like(&rate);
	if (!(rate.low > 0) || !(rate.number > 0) || !(rate.high > 0))
		return (struct sc_metric_value){.status = SC_FAILED, .reason = "the rate is 0"};
	return (struct sc_metric_value){
		.status = SC_MEASURED,
		.number = 1e9 / rate.number,
		.has_interval = rate.has_interval,
		.low = 1e9 / rate.high,
		.high = 1e9 / rate.low,
		.n = rate.n,
	};
}

/* @total per commit of the ledger sample; absent as the metric @like is. */
static struct sc_metric_value per_commit_like(const char *like, const struct sc_cell *cell,
					      double total)
{
	struct sc_metric_value value = sc_metric_find(like)->read(cell);

	if (value.status == SC_MEASURED)
		value.number = total / (double)cell->ledger_commits;
	return value;
}

static struct sc_metric_value per_commit(const struct sc_cell *cell, double total)
{
	return per_commit_like("written_bytes_per_commit", cell, total);
}

static struct sc_metric_value read_checkpoints(const struct sc_cell *cell)
{
	return per_commit(cell, (double)cell->checkpoints.count);
}

/* Pages written to the database, and frames to the WAL. */
static struct sc_metric_value read_pages(const struct sc_cell *cell)
{
	double page = cell->effective.page_size;
	double pages = 0;

	for (size_t i = 0; i < cell->io_count; i++) {
		const struct sc_io *io = &cell->io[i];

		if (io->instrument != SC_INSTRUMENT_VFS || io->op != SC_OP_WRITE)
			continue;
		if (io->role == SC_ROLE_MAIN_DB && page > 0)
			pages += (double)io->bytes / page;
		else if (io->role == SC_ROLE_WAL)
			pages += (double)io->bytes / (page + WAL_FRAME_HEADER_BYTES);
	}
	return per_commit(cell, pages);
}

/* What the kernel was asked to write to the files of the database: a VFS may write more than it was
 * asked to. */
static struct sc_metric_value read_kernel_bytes(const struct sc_cell *cell)
{
	double bytes = 0;
	bool seen = false;

	for (size_t i = 0; i < cell->io_count; i++) {
		const struct sc_io *io = &cell->io[i];

		seen = seen || io->instrument == SC_INSTRUMENT_LIBC;
		if (io->instrument == SC_INSTRUMENT_LIBC && io->op == SC_OP_WRITE &&
		    io->role != SC_ROLE_SHM && io->role != SC_ROLE_OTHER)
			bytes += (double)io->bytes;
	}
	if (cell->io_count > 0 && !seen)
		return (struct sc_metric_value){.status = SC_UNSUPPORTED,
						.reason = "the tap did not run"};
	return per_commit_like("syncs_physical_per_commit", cell, bytes);
}

/* A row: a key of the catalogue, or a metric of its own. */
struct row {
	enum sc_compare_kind kind;
	const char *key;
	struct sc_metric own; /* where @key is NULL */
};

/* clang-format off */
static const struct row rows[] = {
	{ SC_COMPARE_LATENCY, NULL,
	  { "op_ns", "Time per operation", "time/op",
	    "wall time of one operation, from the median rate of timing samples",
	    SC_UNIT_NS, SC_BETTER_LOWER, SC_FROM_TIMING, SC_GROUP_RATE, read_op_ns } },
	{ SC_COMPARE_SHOWN,   "ops_per_s", { 0 } },
	{ SC_COMPARE_SHOWN,   "commits_per_s", { 0 } },
	{ SC_COMPARE_SHOWN,   "commit_ns_p50", { 0 } },
	{ SC_COMPARE_SHOWN,   "commit_ns_p99", { 0 } },
	{ SC_COMPARE_COUNT,   "syncs_physical_per_commit", { 0 } },
	{ SC_COMPARE_COUNT,   "syncs_vfs_per_commit", { 0 } },
	{ SC_COMPARE_SHOWN,   "syncs_directory_per_commit", { 0 } },
	{ SC_COMPARE_COUNT,   "written_bytes_per_commit", { 0 } },
	{ SC_COMPARE_SHOWN,   "written_main_db_bytes_per_commit", { 0 } },
	{ SC_COMPARE_SHOWN,   "written_wal_bytes_per_commit", { 0 } },
	{ SC_COMPARE_SHOWN,   "written_journal_bytes_per_commit", { 0 } },
	{ SC_COMPARE_COUNT,   NULL,
	  { "written_kernel_bytes_per_commit", "Bytes the kernel was given per commit", "to kernel",
	    "bytes written at libc level to the files of the database, per commit",
	    SC_UNIT_BYTES, SC_BETTER_LOWER, SC_FROM_LEDGER, SC_GROUP_IO, read_kernel_bytes } },
	{ SC_COMPARE_COUNT,   NULL,
	  { "pages_written_per_commit", "Pages written per commit", "pages",
	    "pages written to the database and to the WAL, per commit; its header counts in part",
	    SC_UNIT_COUNT, SC_BETTER_LOWER, SC_FROM_LEDGER, SC_GROUP_IO, read_pages } },
	{ SC_COMPARE_COUNT,   NULL,
	  { "checkpoints_per_commit", "Checkpoints per commit", "checkpoints",
	    "checkpoints of the ledger sample divided by its commits",
	    SC_UNIT_COUNT, SC_BETTER_LOWER, SC_FROM_LEDGER, SC_GROUP_CHECKPOINT, read_checkpoints } },
	{ SC_COMPARE_COUNT,   "read_calls_per_op", { 0 } },
	{ SC_COMPARE_COUNT,   "read_bytes_per_op", { 0 } },
	{ SC_COMPARE_COUNT,   "vm_steps_per_op", { 0 } },
	{ SC_COMPARE_COUNT,   "pages_per_op", { 0 } },
	{ SC_COMPARE_COUNT,   "database_bytes", { 0 } },
	{ SC_COMPARE_COUNT,   "total_bytes_max", { 0 } },
	{ SC_COMPARE_SHOWN,   "wal_bytes_max", { 0 } },
};
/* clang-format on */

static_assert(SC_ARRAY_COUNT(rows) == SC_COMPARE_METRICS, "the header says how many");

struct sc_compare_metric sc_compare_metric(size_t index)
{
	static const struct sc_metric *found[SC_COMPARE_METRICS]; /* asked for by every cell */
	const struct row *row = &rows[index];

	assert(index < SC_COMPARE_METRICS);
	if (!found[index])
		found[index] = row->key ? sc_metric_find(row->key) : &row->own;
	return (struct sc_compare_metric){.kind = row->kind, .metric = *found[index]};
}

size_t sc_compare_metric_find(const char *key)
{
	size_t index = 0;

	while (index < SC_COMPARE_METRICS &&
	       strcmp(rows[index].key ? rows[index].key : rows[index].own.key, key) != 0)
		index++;
	return index;
}
