/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the calls on a database's files mean: commits, checkpoints, waits for locks. For the
 * preloaded tap, which has no shim above it to say so; what each is, is said in transaction.c.
 */

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/**
 * sc_tap_transaction_call() - a call on a file of a database was counted
 * @end_ns: when it ended, sc_clock_real_ns(); 0: it was not timed
 * @error: errno of a failure, 0: it succeeded
 * @bytes: that it moved
 *
 * Before the size that it left is known. Neither allocates nor changes errno, as all here.
 */
void sc_tap_transaction_call(const struct sc_tap_call *call, uint64_t end_ns, int error,
			     uint64_t bytes);

/** sc_tap_transaction_seek() - @fd is at @offset from now on */
void sc_tap_transaction_seek(int fd, int64_t offset);

struct sc_tap_frame;

/** sc_tap_transaction_unmarked() - what @frame wrote without a mark has been committed by it */
void sc_tap_transaction_unmarked(const struct sc_tap_frame *frame);
