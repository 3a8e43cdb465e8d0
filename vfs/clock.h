/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The meter's clock: nanoseconds from an arbitrary start, never backwards by more than the
 * disagreement of two processors' counters, plus the virtual time that device models added.
 */

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "syncost/meter.h"

struct sc_clock {
	uint32_t kind;       /* enum sc_clock_kind; MONOTONIC until sc_clock_calibrate() */
	uint64_t base_ticks; /* counter at calibration */
	uint64_t base_ns;    /* CLOCK_MONOTONIC at the same moment */
	uint64_t scale;      /* nanoseconds per tick, 32.32 fixed point */
	const _Atomic uint64_t *virtual_ns; /* of the meter, or a zero; never NULL */
};

extern struct sc_clock sc_clock;

__extension__ typedef unsigned __int128 sc_wide;

static inline uint64_t sc_clock_ticks(void)
{
#if defined(__x86_64__)
	return __builtin_ia32_rdtsc();
#else
	return 0; /* the kind is never TSC here */
#endif
}

/** sc_clock_real_ns() - the clock without virtual time; async-signal-safe. */
static inline uint64_t sc_clock_real_ns(void)
{
	struct timespec now;

	if (__builtin_expect(sc_clock.kind == SC_CLOCK_TSC, 1))
		return sc_clock.base_ns +
		       (uint64_t)(((sc_wide)(sc_clock_ticks() - sc_clock.base_ticks) *
				   sc_clock.scale) >>
				  32);

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/** sc_clock_ns() - the clock of the meter; async-signal-safe. */
static inline uint64_t sc_clock_ns(void)
{
	return sc_clock_real_ns() + atomic_load_explicit(sc_clock.virtual_ns, memory_order_relaxed);
}

/**
 * sc_clock_calibrate() - choose the counter where it can be trusted, and scale it
 *
 * Once per process, some milliseconds of sleep; later calls return at once. Not while another
 * thread records.
 */
void sc_clock_calibrate(void);

/** sc_clock_set_virtual() - where virtual time is kept; NULL: nowhere. */
void sc_clock_set_virtual(const _Atomic uint64_t *virtual_ns);

/**
 * sc_clock_trusted() - whether the kernel's own words allow the counter to serve as a clock
 * @flags: the flags line of /proc/cpuinfo, words separated by blanks
 * @clocksource: content of current_clocksource, a newline at its end allowed
 */
bool sc_clock_trusted(const char *flags, const char *clocksource);
