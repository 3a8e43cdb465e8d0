/* SPDX-License-Identifier: MIT */
#pragma once

/* Waiting for locks: from the first attempt that fails and is repeated to the last. */

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/** sc_tap_wait_lock() - an attempt at a lock of @database, whose struct flock the call shows */
void sc_tap_wait_lock(const struct sc_tap_call *call, uint32_t database, uint64_t end_ns,
		      bool is_failed);

/** sc_tap_wait_moved_on() - the thread does what no attempt would: it waits no longer */
void sc_tap_wait_moved_on(struct sc_thread *thread);

/** sc_tap_wait_slept() - the thread slept for this time, maybe to wait for a lock */
void sc_tap_wait_slept(uint64_t start_ns, uint64_t end_ns);
