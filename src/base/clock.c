/* SPDX-License-Identifier: MIT */
#include "clock.h"

/* Both clocks exist on every Linux and cannot fail with these arguments; a failure is a bug. */

#include <assert.h>
#include <stdio.h>
#include <time.h>

#define NS_PER_S  1000000000ull
#define NS_PER_MS 1000000ull

static uint64_t read_clock(clockid_t clock)
{
	struct timespec now;
	int r = clock_gettime(clock, &now);

	assert(r == 0);
	(void)r; /* for builds without assertions */
	return (uint64_t)now.tv_sec * NS_PER_S + (uint64_t)now.tv_nsec;
}

uint64_t sc_monotonic_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

uint64_t sc_realtime_ns(void)
{
	return read_clock(CLOCK_REALTIME);
}

static struct tm utc_of(uint64_t realtime_ns)
{
	time_t seconds = (time_t)(realtime_ns / NS_PER_S);
	struct tm utc;

	/* 2^64 ns end in the year 2554: gmtime_r() has no reason to fail. */
	(void)gmtime_r(&seconds, &utc);
	return utc;
}

void sc_utc_format(uint64_t realtime_ns, char text[SC_UTC_BYTES])
{
	struct tm utc = utc_of(realtime_ns);
	size_t length = strftime(text, SC_UTC_BYTES, "%Y-%m-%dT%H:%M:%S", &utc);

	(void)snprintf(text + length, SC_UTC_BYTES - length, ".%03uZ",
		       (unsigned)(realtime_ns % NS_PER_S / NS_PER_MS));
}

void sc_utc_stamp(uint64_t realtime_ns, char text[SC_UTC_BYTES])
{
	struct tm utc = utc_of(realtime_ns);

	(void)strftime(text, SC_UTC_BYTES, "%Y%m%dT%H%M%SZ", &utc);
}
