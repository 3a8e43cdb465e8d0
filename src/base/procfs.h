/* SPDX-License-Identifier: MIT */
#pragma once

/* What the kernel counts for a process and for the machine. */

#include <stdint.h>
#include <sys/types.h>

#include "status.h"

struct sc_reading {
	enum sc_status status; /* SC_MEASURED, SC_UNSUPPORTED or SC_DENIED */
	uint64_t value;        /* unit: that of the field; 0 unless measured */
	const char *reason;    /* static text; NULL when measured */
};

/* Counters of this process since its start; an interval is the difference of two. */
struct sc_usage {
	struct sc_reading cpu_ns;       /* CPU time of all threads, ended ones too */
	struct sc_reading major_faults; /* page faults that had to read; ended threads too */
	struct sc_reading run_delay_ns; /* runnable but not running; of threads alive now */
	struct sc_reading read_bytes;   /* caused to be fetched from storage */
	struct sc_reading write_bytes;  /* caused to be sent to storage: dirtied page cache */
	struct sc_reading steal_ns; /* of the machine, over all CPUs, in steps of a clock tick */
};

/**
 * sc_usage_read() - read all counters now; takes some 50 us, so outside of timed parts
 * @root: "" for this machine; a test passes a directory that holds proc/
 */
struct sc_usage sc_usage_read(const char *root);

/**
 * sc_usage_since() - @later minus @earlier, field by field
 *
 * What is not measured in one of the two is not measured in the difference. A counter that fell
 * (threads ended) gives 0.
 */
struct sc_usage sc_usage_since(const struct sc_usage *later, const struct sc_usage *earlier);

/** sc_usage_add() - add @more to @into; what is not measured in one of the two is not in the sum */
void sc_usage_add(struct sc_usage *into, const struct sc_usage *more);

/**
 * sc_process_start_ticks() - when process @pid started, in clock ticks since boot
 * Return: 0, -ENOENT (no such process), or another negative errno value.
 */
int sc_process_start_ticks(const char *root, pid_t pid, uint64_t *ret_ticks);
