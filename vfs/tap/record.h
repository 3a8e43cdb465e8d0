/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * One call of libc, from before it is forwarded until it is in the ledger.
 *
 *	struct sc_tap_call call;
 *
 *	if (!sc_tap_is_on() || !sc_tap_begin(&call, sc_tap_fd_file(fd), SC_OP_WRITE))
 *		return real(fd, ...);
 *	result = real(fd, ...);
 *	sc_tap_end(&call, result < 0, bytes);
 *	return result;
 *
 * Between begin and end the thread's hooks go straight through. None of these allocates, locks or
 * changes errno.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "../ledger.h"
#include "file.h"

struct sc_tap_call {
	struct sc_thread *thread;
	sc_tap_file file;
	enum sc_op op; /* may be made more precise until the end */
	bool is_timed;
	bool has_cpu;       /* mark is set */
	uint64_t before_ns; /* with has_cpu: when its readings began */
	uint64_t start_ns;  /* with is_timed; sc_clock_real_ns() */
	struct sc_cpu_mark mark;

	int fd;           /* -1: on a name or an address */
	const void *data; /* the first of the bytes that moved, @shown of them; NULL: none */
	int64_t offset;   /* where in the file, or SC_TAP_HERE */
	uint64_t shown;
};

#define SC_TAP_HERE (-1) /* at the descriptor's position */

extern _Atomic uint32_t sc_tap_on; /* 0 or 1 */

static inline bool sc_tap_is_on(void)
{
	return __builtin_expect(atomic_load_explicit(&sc_tap_on, memory_order_relaxed), 0);
}

/* Slot of the database whose file this thread's last counted call acted on. */
extern __thread uint32_t sc_tap_last_database __attribute__((tls_model("initial-exec")));

/** sc_tap_is_inside() - whether this call was made by one that is being counted. */
static inline bool sc_tap_is_inside(void)
{
	return sc_thread_self.tap_depth > 0;
}

/**
 * sc_tap_begin() - a call on @file is about to be forwarded
 * @op: says whether this call is timed
 *
 * Return: false if it is not to be counted: a stranger's file, a call from inside another, or no
 * ledger. Then there is no sc_tap_end().
 */
bool sc_tap_begin(struct sc_tap_call *call, sc_tap_file file, enum sc_op op);

/** sc_tap_begin_fd() - the same for the file behind @fd. */
bool sc_tap_begin_fd(struct sc_tap_call *call, int fd, enum sc_op op);

/** sc_tap_show() - the bytes it moved, valid until sc_tap_end(); of several parts the first. */
static inline void sc_tap_show(struct sc_tap_call *call, const void *data, int64_t offset,
			       uint64_t bytes)
{
	call->data = data;
	call->offset = offset;
	call->shown = bytes;
}

/**
 * sc_tap_end() - it returned
 * @is_failed: counted as a failure; @bytes are then 0
 * @bytes: accepted or delivered
 *
 * Return: true if it succeeded and the sizes of files are the tap's to tell, because no shim is
 * above to do it.
 */
bool sc_tap_end(struct sc_tap_call *call, bool is_failed, uint64_t bytes);

/**
 * sc_tap_note() - a call that was forwarded and timed before its file was known
 * @start_ns, @end_ns: sc_clock_real_ns()
 *
 * For calls on names: a name that the kernel could not read must not be read here either.
 * Return: as sc_tap_end(), with @ret_call filled for sc_tap_size_set().
 */
bool sc_tap_note(struct sc_tap_call *ret_call, sc_tap_file file, enum sc_op op, uint64_t start_ns,
		 uint64_t end_ns, bool is_failed);

/* --- sizes, after a call for which the above returned true */

/** sc_tap_size_set() - the file has @size bytes now. */
void sc_tap_size_set(const struct sc_tap_call *call, int64_t size);

/** sc_tap_size_reach() - @count bytes were written at @offset. */
void sc_tap_size_reach(const struct sc_tap_call *call, int64_t offset, int64_t count);

/** sc_tap_size_move() - @from has taken the place of @to; either may be a stranger. */
void sc_tap_size_move(sc_tap_file from, sc_tap_file to);

/** sc_tap_size_ask() - the size may have changed: fstat @fd. */
void sc_tap_size_ask(const struct sc_tap_call *call, int fd);
