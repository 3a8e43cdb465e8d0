/* SPDX-License-Identifier: MIT */

/*
 * A WAL frame is a header of 24 bytes and a page. Frames per commit follow from the bytes that the
 * shim saw written to the WAL, less the WAL's own header; SQLite begins a checkpoint with the
 * commit that brings the WAL to wal_autocheckpoint frames, so a cycle is that many commits.
 *
 * Times come from the ledger sample, in which the instruments cost a little: the estimate is
 * somewhat low, and a sample somewhat longer than asked for.
 */

#include "amount.h"

#define WAL_HEADER_BYTES   32u
#define FRAME_HEADER_BYTES 24u

/* a / b, rounded up; b > 0 */
static uint64_t divide_up(uint64_t a, uint64_t b)
{
	return a / b + (a % b != 0);
}

static uint64_t wal_frames(const struct sc_sample *ledger, const struct sc_setting *setting)
{
	uint64_t bytes = 0, headers = 0;

	for (size_t i = 0; i < ledger->io_count; i++) {
		const struct sc_io *io = &ledger->io[i];

		if (io->instrument == SC_INSTRUMENT_VFS && io->role == SC_ROLE_WAL &&
		    io->op == SC_OP_WRITE)
			bytes += io->bytes;
	}
	headers = (ledger->checkpoints.resets) * WAL_HEADER_BYTES;
	bytes -= headers < bytes ? headers : bytes;
	return bytes / (setting->page_size + FRAME_HEADER_BYTES);
}

/* Commits from one checkpoint to the next; 0: there are none. */
static uint64_t cycle_commits(const struct sc_sample *ledger, const struct sc_setting *setting)
{
	uint64_t frames;

	if (setting->journal_mode != SC_JOURNAL_WAL || setting->wal_autocheckpoint == 0)
		return 0;
	frames = wal_frames(ledger, setting);
	if (ledger->commits == 0 || frames == 0)
		return 0;
	/* wal_autocheckpoint / (frames / commits), both sides small enough for 64 bits */
	return divide_up(setting->wal_autocheckpoint * ledger->commits, frames);
}

/* Commits of @unit operations that fit into @time_ns, at least one. */
static uint64_t commits_in(const struct sc_sample *ledger, uint64_t unit, uint64_t time_ns)
{
	double per_operation_ns = (double)ledger->wall_ns / (double)ledger->operations;
	double commits = (double)time_ns / (per_operation_ns * (double)unit);

	return commits < 1.0 ? 1 : (uint64_t)commits;
}

struct sc_amount sc_amount_choose(const struct sc_sample *ledger, const struct sc_setting *setting,
				  enum sc_wal_state wal_state)
{
	struct sc_amount amount = {.operations = 1};
	uint64_t unit, commits, commits_max, cycle;

	if (ledger->operations == 0 || ledger->wall_ns == 0)
		return amount;
	unit = ledger->commits ? divide_up(ledger->operations, ledger->commits) : 1;
	commits = commits_in(ledger, unit, SC_AMOUNT_TIME_NS) + 1u;
	if (ledger->commits && commits < SC_AMOUNT_COMMITS)
		commits = SC_AMOUNT_COMMITS;
	commits_max = commits_in(ledger, unit, SC_AMOUNT_TIME_MAX_NS);
	commits = commits < commits_max ? commits : commits_max;
	cycle = cycle_commits(ledger, setting);

	if (cycle && wal_state == SC_WAL_FRESH) {
		commits = commits < cycle ? commits : cycle - 1;
		commits = commits ? commits : 1;
	} else if (cycle && divide_up(commits, cycle) * cycle <= commits_max) {
		commits = divide_up(commits, cycle) * cycle;
		amount.whole_cycles = true;
	}
	amount.operations = commits * unit;
	amount.cycle_operations = cycle * unit;
	return amount;
}

uint64_t sc_amount_scheduled(const struct sc_sample *ledger, uint64_t rate)
{
	double due = (double)rate * SC_AMOUNT_SCHEDULED_NS / 1e9;
	double possible = sc_sample_rate(ledger) * SC_AMOUNT_TIME_MAX_NS / 1e9;

	if (possible > 0 && possible < due)
		due = possible;
	return due < SC_AMOUNT_SCHEDULED_MIN ? SC_AMOUNT_SCHEDULED_MIN : (uint64_t)due;
}
