/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Databases that nobody named: which of the files that a program opens are one.
 *
 * A file is known as a database by what SQLite itself does with it: its first 16 bytes are read or
 * written, or a lock is asked for in the range of bytes that SQLite locks. Until then a file that
 * was opened is a suspect, and its first calls are kept, so that they are in the ledger from the
 * first one on. Nothing is opened, read or closed to find out.
 *
 * Only where the tap is preloaded; elsewhere databases are named by the shim.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "record.h"

extern _Atomic uint32_t sc_tap_watching; /* 0 or 1 */

static inline bool sc_tap_watch_is_on(void)
{
	return atomic_load_explicit(&sc_tap_watching, memory_order_relaxed);
}

/**
 * sc_tap_watch_start() - watch from now on
 * @open_meter: makes the process's meter, or says that it cannot; called when one is needed, by any
 *              thread, one at a time, with errno of no importance
 */
void sc_tap_watch_start(bool (*open_meter)(void));

/** sc_tap_watch_need_meter() - SQLite is at work: false if there can be no meter */
bool sc_tap_watch_need_meter(void);

/** sc_tap_watch_name() - a file is called @path: its name may say that a meter is needed */
void sc_tap_watch_name(const char *path);

/** sc_tap_watch_opened() - a stranger was opened as @fd, in @ns: it is a suspect */
void sc_tap_watch_opened(int fd, uint64_t ns);

/** sc_tap_watch_suspects() - whether @fd is of a suspect */
bool sc_tap_watch_suspects(int fd);

/* Slow path of sc_tap_watch_known(). */
void sc_tap_watch_book(int fd, sc_tap_file file);

/**
 * sc_tap_watch_known() - @fd is of @file, named by another descriptor of it: its calls until now
 * are those of a database, if they were kept
 */
static inline void sc_tap_watch_known(int fd, sc_tap_file file)
{
	if (__builtin_expect(sc_tap_watch_suspects(fd), 0))
		sc_tap_watch_book(fd, file);
}

/** sc_tap_watch_forget() - @fd is about to be closed, or may be another file now */
void sc_tap_watch_forget(int fd);
void sc_tap_watch_forget_range(uint32_t first, uint32_t last); /* both included */

/**
 * sc_tap_watch_begin() - sc_tap_begin_fd() of a stranger
 * Return: true where the call says something about it; sc_tap_end() then comes to
 * sc_tap_watch_end().
 */
bool sc_tap_watch_begin(struct sc_tap_call *call, int fd, enum sc_op op);
void sc_tap_watch_end(struct sc_tap_call *call, uint64_t end_ns, bool is_failed, uint64_t bytes);
