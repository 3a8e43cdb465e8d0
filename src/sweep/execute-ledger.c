/* SPDX-License-Identifier: MIT */

/*
 * From a snapshot of the meter to the ledger's figures. Times of operations that are timed one
 * call in n are scaled to all calls; everything else is taken as it is. The shim tells what SQLite
 * asks, the tap what the kernel is asked; no figure adds the two.
 */

#include "execute-ledger.h"

#include <assert.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "../stats/hist.h"
#include "syncost.h"

static bool is_wanted(uint32_t wanted, enum sc_instrument instrument)
{
	return (wanted >> instrument) & 1u;
}

static int start_tap(struct sc_instruments *instruments, const char *database,
		     struct sc_error *error)
{
	int r = syncost_tap_database(database);

	if (r == 0)
		r = syncost_tap_start();
	if (r < 0)
		return sc_fail(error, r, "starting the tap");
	instruments->is_tapped = r == 0;
	if (r == SYNCOST_NO_TAP)
		instruments->tap_reason = "this program was built without the tap";
	return 0;
}

int sc_instruments_start(struct sc_instruments *instruments, uint32_t wanted, const char *database,
			 struct sc_error *error)
{
	int r;

	instruments->tap_reason = "the tap was off";
	/*
	 * Timing samples have a meter, too, which nothing writes to: with it comes the fast clock.
	 * Anonymous: nothing is left behind whatever becomes of this process.
	 */
	r = syncost_start(&(struct syncost_options){.anonymous = true, .cpu = wanted != 0});
	if (r < 0)
		return sc_fail(error, r, "starting the meter");
	instruments->is_started = true;
	instruments->is_wanted = wanted != 0;
	if (is_wanted(wanted, SC_INSTRUMENT_LIBC)) {
		r = start_tap(instruments, database, error);
		if (r < 0)
			return r;
	}
	if (is_wanted(wanted, SC_INSTRUMENT_VFS)) {
		r = syncost_register(NULL, SC_INSTRUMENTS_VFS, false);
		if (r < 0)
			return sc_fail(error, r, "registering the shim");
		instruments->is_registered = true;
	}
	return 0;
}

int sc_instruments_reset(const struct sc_instruments *instruments, struct sc_error *error)
{
	int r = instruments->is_wanted ? syncost_reset() : 0;

	return r < 0 ? sc_fail(error, r, "resetting the meter") : 0;
}

int sc_instruments_snapshot(const struct sc_instruments *instruments,
			    struct syncost_snapshot **ret_snapshot, struct sc_error *error)
{
	int r = instruments->is_wanted ? syncost_snapshot(ret_snapshot) : 0;

	return r < 0 ? sc_fail(error, r, "reading the meter") : 0;
}

void sc_instruments_stop(struct sc_instruments *instruments)
{
	if (instruments->is_tapped)
		syncost_tap_stop();
	/* Both fail where a connection is still open after an error; the process ends anyway. */
	if (instruments->is_registered)
		(void)syncost_unregister(SC_INSTRUMENTS_VFS);
	if (instruments->is_started)
		(void)syncost_stop();
	*instruments = (struct sc_instruments){0};
}

/* --- figures */

static bool is_sync(enum sc_op op)
{
	return op == SC_OP_FSYNC || op == SC_OP_FDATASYNC;
}

static void fill_syncs(struct sc_sample *sample, const struct sc_instruments *instruments,
		       const struct syncost_snapshot *snapshot)
{
	struct sc_syncs *syncs = &sample->syncs;

	if (!instruments->is_registered) {
		syncs->status = SC_SKIPPED;
		(void)snprintf(syncs->reason, sizeof syncs->reason, "the shim was off");
		return;
	}
	syncs->omitted = snapshot->syncs_omitted;
	if (!instruments->is_tapped) {
		syncs->physical_status = SC_UNSUPPORTED;
		(void)snprintf(syncs->reason, sizeof syncs->reason, "%s", instruments->tap_reason);
	}
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		if (row->instrument == SC_INSTRUMENT_VFS && row->op == SC_OP_SYNC)
			syncs->vfs += row->calls;
		if (row->instrument != SC_INSTRUMENT_LIBC || !is_sync(row->op))
			continue;
		syncs->physical += row->calls;
		if (row->role == SC_ROLE_DIRECTORY)
			syncs->directory += row->calls;
		if (row->op == SC_OP_FSYNC)
			syncs->fsync += row->calls;
		else
			syncs->fdatasync += row->calls;
	}
}

static void fill_split(struct sc_sample *sample, const struct sc_instruments *instruments,
		       const struct syncost_snapshot *snapshot, uint64_t threads_ns)
{
	struct sc_split *split = &sample->split;
	uint64_t sum_ns = 0;

	if (!instruments->is_registered) {
		split->status = SC_SKIPPED;
		(void)snprintf(split->reason, sizeof split->reason, "the shim was off");
		return;
	}
	for (int i = 0; i < SC_PART_COUNT_; i++) {
		split->wall_ns[i] = snapshot->split.wall_ns[i];
		split->cpu_ns[i] = snapshot->split.cpu_ns[i];
		split->run_delay_ns[i] = snapshot->split.run_delay_ns[i];
		split->cpu_n[i] = snapshot->split.cpu_n[i];
		split->checkpoint_ns[i] = snapshot->split.checkpoint_ns[i];
		sum_ns += split->wall_ns[i];
	}
	split->total_ns = threads_ns;
	split->own_ns = snapshot->split.own_ns;
	split->residual_ns = (int64_t)(threads_ns - split->own_ns - sum_ns);
}

static void fill_databases(struct sc_sample *sample, const struct syncost_snapshot *snapshot)
{
	for (size_t i = 0; i < SC_METER_DATABASES; i++) {
		const struct syncost_database *database = &snapshot->databases[i];

		sample->checkpoints.count += database->checkpoints;
		sample->checkpoints.frames += database->checkpoint_frames;
		sample->checkpoints.ns += database->checkpoint_ns;
		sample->checkpoints.resets += database->wal_resets;
		sample->space.wal_bytes_max += database->size_bytes_max[SC_ROLE_WAL];
		sample->space.journal_bytes_max += database->size_bytes_max[SC_ROLE_MAIN_JOURNAL];
	}
	sample->space.total_bytes_max = snapshot->total_bytes_max;
}

static void copy_row(struct sc_io *io, const struct syncost_row *row,
		     const struct syncost_snapshot *snapshot)
{
	const char *path = snapshot->databases[row->database].path;
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;

	io->instrument = row->instrument;
	io->role = row->role;
	io->op = row->op;
	(void)snprintf(io->database, sizeof io->database, "%s",
		       row->database == 0 || !name[0] ? "other" : name);
	io->calls = row->calls;
	io->failures = row->failures;
	io->bytes = row->bytes;
	io->timed = row->timed;
	if (row->timed == 0 || !row->buckets)
		return;
	io->ns = row->timed == row->calls
			 ? row->ns
			 : (uint64_t)((double)row->ns / (double)row->timed * (double)row->calls);
	io->ns_max = row->ns_max;
	(void)sc_hist_quantile(row->buckets, row->ns_max, 0.5, &io->ns_p50);
	(void)sc_hist_quantile(row->buckets, row->ns_max, 0.99, &io->ns_p99);
}

static int fill_io(struct sc_sample *sample, const struct syncost_snapshot *snapshot,
		   struct sc_error *error)
{
	sample->io = calloc(snapshot->row_count + 1, sizeof *sample->io);
	if (!sample->io)
		return sc_fail(error, -ENOMEM, "the ledger of %s", sample->cell_id);
	sample->io_count = snapshot->row_count;
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		copy_row(&sample->io[i], row, snapshot);
		if (row->instrument == SC_INSTRUMENT_VFS && row->op == SC_OP_WRITE)
			sample->space.vfs_bytes += row->bytes;
	}
	return 0;
}

int sc_ledger_fill(struct sc_sample *sample, const struct sc_instruments *instruments,
		   const struct syncost_snapshot *snapshot, uint64_t threads_ns,
		   struct sc_error *error)
{
	static const char off[] = "the instruments were off";

	if (!snapshot) {
		sample->split.status = SC_SKIPPED;
		sample->syncs.status = SC_SKIPPED;
		memcpy(sample->split.reason, off, sizeof off);
		memcpy(sample->syncs.reason, off, sizeof off);
		return 0;
	}
	sample->calls_dropped = snapshot->calls_dropped;
	fill_split(sample, instruments, snapshot, threads_ns);
	fill_syncs(sample, instruments, snapshot);
	fill_databases(sample, snapshot);
	return fill_io(sample, snapshot, error);
}
