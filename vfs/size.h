/* SPDX-License-Identifier: MIT */
#pragma once

/* Sizes of files as calls move them; see sc_ledger_size() for when they are published. */

#include "file.h"
#include "ledger.h"

/** sc_size_reach() - bytes up to @end_bytes are, or are about to be, part of the file */
void sc_size_reach(struct sc_file *file, uint64_t end_bytes);

/** sc_size_set() - the file has this size now */
void sc_size_set(struct sc_file *file, uint64_t bytes);

/** sc_size_ask() - ask the wrapped VFS, unseen by the tap */
void sc_size_ask(struct sc_thread *thread, struct sc_file *file);

/** sc_size_truncated() - xTruncate to @bytes succeeded */
void sc_size_truncated(struct sc_thread *thread, struct sc_file *file, uint64_t bytes);

/** sc_size_known() - as published before a look at the file */
uint64_t sc_size_known(const struct sc_file *file);

/** sc_size_seen() - a look told @bytes; @known_bytes is from before it */
void sc_size_seen(struct sc_file *file, uint64_t known_bytes, uint64_t bytes);

/** sc_size_before_hint() - SQLITE_FCNTL_SIZE_HINT: with chunks the file may grow at once */
void sc_size_before_hint(struct sc_file *file, int64_t hint_bytes);

/** sc_size_closed() - a temporary file goes when it is closed */
void sc_size_closed(struct sc_file *file);
