/* SPDX-License-Identifier: MIT */
#pragma once

/* Checkpoints: copying what the WAL holds back into the main file. */

#include "file.h"
#include "ledger.h"

#define SC_SHM_WRITE      0 /* SQLite's lock bytes in the shm file */
#define SC_SHM_CHECKPOINT 1

/** sc_checkpoint_locked() - @main took the checkpoint lock, at @end_ns */
void sc_checkpoint_locked(struct sc_thread *thread, const struct sc_file *main, uint64_t end_ns);

/** sc_checkpoint_unlocked() - and released it */
void sc_checkpoint_unlocked(struct sc_thread *thread, const struct sc_file *main);

/** sc_checkpoint_before_sync() - a WAL is about to be synced */
void sc_checkpoint_before_sync(struct sc_thread *thread, const struct sc_file *wal);

/** sc_checkpoint_before_control() - @control of @main: CKPT_START and CKPT_DONE matter */
void sc_checkpoint_before_control(struct sc_thread *thread, const struct sc_file *main,
				  int control);

/** sc_checkpoint_copied() - a page of @main was written, maybe by a checkpoint */
void sc_checkpoint_copied(struct sc_thread *thread, const struct sc_file *main);

/** sc_checkpoint_finish() - the one in progress on this thread is over; there may be none */
void sc_checkpoint_finish(struct sc_thread *thread);

/* Slow paths of the next two. */
void sc_checkpoint_called_slow(struct sc_thread *thread);
void sc_checkpoint_step_slow(struct sc_thread *thread, const struct sc_file *file, enum sc_op op);

/** sc_checkpoint_step() - @op on @file comes: does it still belong to the one in progress? */
static inline void sc_checkpoint_step(struct sc_thread *thread, const struct sc_file *file,
				      enum sc_op op)
{
	if (__builtin_expect(thread->calls.checkpoint.main != NULL, 0))
		sc_checkpoint_step_slow(thread, file, op);
}

/** sc_checkpoint_called() - a call that may be the last of a checkpoint was booked */
static inline void sc_checkpoint_called(struct sc_thread *thread)
{
	if (__builtin_expect(thread->calls.checkpoint.main != NULL, 0))
		sc_checkpoint_called_slow(thread);
}
