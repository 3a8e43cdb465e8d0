/* SPDX-License-Identifier: MIT */
#pragma once

/* Which writes became a committed transaction, and when. */

#include "file.h"
#include "ledger.h"

/** sc_commit_before_write() - a file is about to be written, maybe by a transaction */
void sc_commit_before_write(struct sc_thread *thread, struct sc_file *file);

/** sc_commit_write() - it was */
void sc_commit_write(struct sc_file *file);

/** sc_commit_journal_read() - a journal was read at @offset: at its header, it is played back */
void sc_commit_journal_read(struct sc_file *journal, int64_t offset);

/** sc_commit_journal_done() - a journal was truncated to nothing, or closed */
void sc_commit_journal_done(struct sc_file *journal);

/** sc_commit_write_lock() - the connection got the right to write to @main */
void sc_commit_write_lock(struct sc_thread *thread, struct sc_file *main);

/** sc_commit_write_unlock() - it gave it up; in WAL mode the commit is reported after that */
void sc_commit_write_unlock(struct sc_file *main);

/** sc_commit_phase_two() - SQLITE_FCNTL_COMMIT_PHASETWO on @main ended at @end_ns */
void sc_commit_phase_two(struct sc_thread *thread, struct sc_file *main, uint64_t end_ns);

/** sc_commit_call_ends() - the bracketed call returns, its sums are @now */
void sc_commit_call_ends(struct sc_thread *thread, const struct sc_moment *now);
