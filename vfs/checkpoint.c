/* SPDX-License-Identifier: MIT */

/*
 * Method. A checkpoint of 3.40 is, as its VFS sees it:
 *
 *	take lock byte 1 · sync the WAL · CKPT_START · (size hint) · for each page: read the WAL,
 *	write the main file · CKPT_DONE · truncate and sync the main file, if the WAL was copied to
 *	its end · in mode TRUNCATE truncate the WAL · release lock byte 1
 *
 * The syncs are missing with synchronous=OFF; the lock is missing in locking_mode=EXCLUSIVE, and in
 * the checkpoint of the last close, which holds the database lock instead. (Recovery takes lock
 * bytes 1 and 2 together.)
 *
 * With the lock, it marks both ends. Without, a checkpoint begins with a WAL sync while no
 * transaction is under way (a commit syncs before it reports, and the header of a new WAL is
 * synced after it was written by one), or else with CKPT_START; it ends before the first call
 * after CKPT_DONE that is none of the above. That call may be long in coming, so what is known to
 * belong is booked at CKPT_DONE and after each call that follows.
 *
 * One that had nothing to copy is timed like any other, but not counted.
 */

#include "checkpoint.h"

static void begin(struct sc_thread *thread, const struct sc_file *main, uint64_t start_ns,
		  bool has_lock)
{
	sc_checkpoint_finish(thread);
	thread->calls.checkpoint = (struct sc_checkpoint){
		.main = main,
		.database = main->database,
		.phase = SC_CHECKPOINT_BEGUN,
		.has_lock = has_lock,
		.booked_ns = start_ns,
		.last_ns = start_ns,
	};
	thread->checkpoint_depth = 1;
}

/* Books what is not booked yet, up to the last call that belongs to it. */
static void book(struct sc_thread *thread)
{
	struct sc_checkpoint *checkpoint = &thread->calls.checkpoint;
	struct sc_database *database = &sc_ledger.meter->databases[checkpoint->database];
	uint64_t ns = checkpoint->last_ns - checkpoint->booked_ns;

	checkpoint->booked_ns = checkpoint->last_ns;
	thread->checkpoint_ns += ns;
	(void)atomic_fetch_add_explicit(&database->checkpoint_ns, ns, memory_order_relaxed);
	(void)atomic_fetch_add_explicit(&database->checkpoint_frames, checkpoint->frames,
					memory_order_relaxed);
	checkpoint->frames = 0;
	if (checkpoint->has_copied)
		(void)atomic_fetch_add_explicit(&database->checkpoints, 1, memory_order_relaxed);
	checkpoint->has_copied = false;
}

void sc_checkpoint_finish(struct sc_thread *thread)
{
	if (!thread->calls.checkpoint.main)
		return;
	book(thread);
	thread->calls.checkpoint.main = NULL;
	thread->checkpoint_depth = 0;
}

void sc_checkpoint_called_slow(struct sc_thread *thread)
{
	const struct sc_checkpoint *checkpoint = &thread->calls.checkpoint;

	if (!checkpoint->has_lock && checkpoint->phase == SC_CHECKPOINT_COPIED)
		book(thread);
}

void sc_checkpoint_locked(struct sc_thread *thread, const struct sc_file *main, uint64_t end_ns)
{
	begin(thread, main, end_ns, true);
}

void sc_checkpoint_unlocked(struct sc_thread *thread, const struct sc_file *main)
{
	if (thread->calls.checkpoint.main == main && thread->calls.checkpoint.has_lock)
		sc_checkpoint_finish(thread);
}

void sc_checkpoint_before_sync(struct sc_thread *thread, const struct sc_file *wal)
{
	const struct sc_file *main = wal->main;

	if (main && thread->calls.checkpoint.main != main && !main->transaction.has_written)
		begin(thread, main, sc_clock_ns(), false);
}

void sc_checkpoint_before_control(struct sc_thread *thread, const struct sc_file *main, int control)
{
	struct sc_checkpoint *checkpoint = &thread->calls.checkpoint;

	if (control == SQLITE_FCNTL_CKPT_START) {
		if (checkpoint->main != main)
			begin(thread, main, sc_clock_ns(), false);
		checkpoint->phase = SC_CHECKPOINT_COPYING;
		checkpoint->has_copied = true;
	} else if (control == SQLITE_FCNTL_CKPT_DONE && checkpoint->main == main) {
		checkpoint->phase = SC_CHECKPOINT_COPIED;
	} else {
		sc_checkpoint_step(thread, main, SC_OP_FILE_CONTROL);
	}
}

void sc_checkpoint_copied(struct sc_thread *thread, const struct sc_file *main)
{
	struct sc_checkpoint *checkpoint = &thread->calls.checkpoint;

	if (checkpoint->main == main && checkpoint->phase == SC_CHECKPOINT_COPYING)
		checkpoint->frames++;
}

void sc_checkpoint_step_slow(struct sc_thread *thread, const struct sc_file *file, enum sc_op op)
{
	const struct sc_checkpoint *checkpoint = &thread->calls.checkpoint;

	if (checkpoint->has_lock || checkpoint->phase == SC_CHECKPOINT_COPYING)
		return;
	if (checkpoint->phase == SC_CHECKPOINT_COPIED && file && file->main == checkpoint->main &&
	    (op == SC_OP_TRUNCATE || (op == SC_OP_SYNC && file == checkpoint->main)))
		return;
	sc_checkpoint_finish(thread);
}
