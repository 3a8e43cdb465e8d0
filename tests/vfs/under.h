/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A second opinion: a VFS that lies between the shim and the real one, counts with plain increments
 * what reaches it, and can be told to be slow, busy, failing or old. It shares no code with the
 * shim.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "syncost/meter.h"

#define UNDER_NAME "under"

struct under_counts {
	_Atomic uint64_t calls;
	_Atomic uint64_t failures; /* results other than OK, BUSY, SHORT_READ, NOTFOUND */
	_Atomic uint64_t bytes;    /* of results OK */
};

struct under {
	struct under_counts counts[SC_ROLE_COUNT_][SC_OP_COUNT_];
	_Atomic uint64_t opened; /* successfully */
	_Atomic uint64_t busy;
	_Atomic uint64_t planted_ns;    /* what the delays below really took, wall */
	int version;                    /* of the io_methods: 1 to 3 */
	bool lacks_shm;                 /* version 2 or 3 without shared memory */
	_Atomic uint32_t sync_us;       /* each sync takes this much longer, asleep */
	_Atomic uint32_t read_us;       /* each read */
	_Atomic uint32_t write_us;      /* each write */
	_Atomic uint32_t spin_us;       /* each write burns this much processor time */
	_Atomic uint32_t failing_write; /* counts down; the write that reaches 0 fails */
	void (*on_write)(enum sc_role role,
			 uint64_t end_bytes); /* before each write; may be NULL */
};

extern struct under under;

/** under_register() - once per process. */
void under_register(void);

/** under_clear() - counts to zero, no delays, version 3. */
void under_clear(void);
