/* SPDX-License-Identifier: MIT */
#pragma once

/* SIGINT, SIGTERM and SIGHUP: noticed, never acted upon in the handler. */

#include <stdbool.h>

#include "../base/err.h"

/**
 * sc_interrupt_watch() - from now on these signals only raise the flag
 *
 * A signal that was ignored when the program started (nohup) stays ignored. SIGPIPE and SIGXFSZ
 * are ignored for good: a reader that goes away, or a limit on the size of files, is the error of
 * a write and must not leave files behind.
 */
int sc_interrupt_watch(struct sc_error *error);

/** sc_interrupt_seen() - whether one arrived. */
bool sc_interrupt_seen(void);

/** sc_interrupt_fd() - readable as soon as one arrived, and for good; for poll(). */
int sc_interrupt_fd(void);
