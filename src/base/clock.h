/* SPDX-License-Identifier: MIT */
#pragma once

/* The tool's own clocks. Times of measured calls come from the meter's clock instead. */

#include <stddef.h>
#include <stdint.h>

#define SC_UTC_BYTES 40 /* room for sc_utc_format(), with the final NUL */

/** sc_monotonic_ns() - CLOCK_MONOTONIC; any thread, also in a signal handler. */
uint64_t sc_monotonic_ns(void);

/** sc_realtime_ns() - since the epoch. */
uint64_t sc_realtime_ns(void);

/** sc_utc_format() - RFC 3339 in UTC with milliseconds: "2025-12-01T00:18:03.250Z" */
void sc_utc_format(uint64_t realtime_ns, char text[SC_UTC_BYTES]);

/** sc_utc_stamp() - for file names, sorts by time: "20251201T001803Z" */
void sc_utc_stamp(uint64_t realtime_ns, char text[SC_UTC_BYTES]);
