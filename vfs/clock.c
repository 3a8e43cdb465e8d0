/* SPDX-License-Identifier: MIT */

/*
 * Method. The processor's time stamp counter is a clock only where its rate never changes and it
 * never stops; the processor says so with constant_tsc and nonstop_tsc. Whether it may also be
 * compared between processors is the kernel's judgement:
 *
 *   - clocksource "tsc": the kernel itself keeps time with it, after checking its synchronisation.
 *   - clocksource "kvm-clock": the guest's time is the counter scaled by the host. The kernel
 *     lists tsc_known_freq when the host told the rate and tsc_reliable when its watchdog was
 *     waived; both are asked for, and the kernel must read the clock without a system call (the
 *     vDSO refuses unless the host vouches that all virtual processors share one counter), which
 *     shows as a clock_gettime() that takes far less than a system call could.
 *   - anything else (hpet, acpi_pm, hyperv, xen): the kernel has its reasons; so have we.
 *
 * Calibration takes two readings of both clocks some milliseconds apart, each the tightest of
 * several (counter, clock, counter) brackets. With a bracket of b ns the rate is off by at most
 * b / interval: 60 ns over 8 ms is 8 ppm. The scale is fixed for the life of the process, so the
 * clock drifts from CLOCK_MONOTONIC by this plus what NTP slews it, at most 500 ppm. Intervals are
 * what this clock is for. A counter that disagrees between the first and the second half of the
 * calibration by more than DISAGREEMENT is refused.
 */

#include "clock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define BRACKETS         16
#define CALIBRATION_NS   4000000 /* each half */
#define DISAGREEMENT_PPM 100
#define VDSO_READ_NS_MAX 150 /* a system call with page-table isolation takes more */

static const _Atomic uint64_t no_virtual_ns;

struct sc_clock sc_clock = {
	.kind = SC_CLOCK_MONOTONIC,
	.virtual_ns = &no_virtual_ns,
};

void sc_clock_set_virtual(const _Atomic uint64_t *virtual_ns)
{
	sc_clock.virtual_ns = virtual_ns ? virtual_ns : &no_virtual_ns;
}

/* Whether blank-separated @words contain @word, in whole. */
static bool has_word(const char *words, const char *word)
{
	size_t length = strlen(word);

	for (const char *at = strstr(words, word); at; at = strstr(at + 1, word)) {
		bool begins = at == words || strchr(" \t:", at[-1]);
		bool ends = !at[length] || strchr(" \t\n", at[length]);

		if (begins && ends)
			return true;
	}
	return false;
}

bool sc_clock_trusted(const char *flags, const char *clocksource)
{
	if (!has_word(flags, "constant_tsc") || !has_word(flags, "nonstop_tsc"))
		return false;
	if (has_word(clocksource, "tsc"))
		return true;
	return has_word(clocksource, "kvm-clock") && has_word(flags, "tsc_reliable") &&
	       has_word(flags, "tsc_known_freq");
}

#if defined(__x86_64__)

static uint64_t monotonic_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The start of @path, at most @size - 1 bytes, a NUL behind it. */
static bool read_text(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t length;

	if (fd < 0)
		return false;
	length = read(fd, text, size - 1);
	(void)close(fd); /* only read from */
	if (length <= 0)
		return false;
	text[length] = '\0';
	return true;
}

static bool kernel_trusts_counter(void)
{
	char cpuinfo[8192], clocksource[64];
	char *flags, *end;

	if (!read_text("/proc/cpuinfo", cpuinfo, sizeof(cpuinfo)) ||
	    !read_text("/sys/devices/system/clocksource/clocksource0/current_clocksource",
		       clocksource, sizeof(clocksource)))
		return false;

	flags = strstr(cpuinfo, "\nflags");
	end = flags ? strchr(flags + 1, '\n') : NULL;
	if (!end)
		return false;
	*end = '\0';
	return sc_clock_trusted(flags + 1, clocksource);
}

/* Both clocks at one moment; returns the width of the bracket in nanoseconds, roughly. */
static uint64_t read_both(uint64_t *ret_ticks, uint64_t *ret_ns)
{
	uint64_t best = UINT64_MAX, best_ns = UINT64_MAX;

	for (int i = 0; i < BRACKETS; i++) {
		uint64_t before = sc_clock_ticks();
		uint64_t ns = monotonic_ns();
		uint64_t after = sc_clock_ticks();
		uint64_t again_ns = monotonic_ns();

		if (after - before < best) {
			best = after - before;
			*ret_ticks = before + best / 2;
			*ret_ns = ns;
		}
		if (again_ns - ns < best_ns)
			best_ns = again_ns - ns;
	}
	return best_ns;
}

static uint64_t scale_between(uint64_t ticks, uint64_t ns, uint64_t later_ticks, uint64_t later_ns)
{
	return later_ticks <= ticks
		       ? 0
		       : (uint64_t)(((sc_wide)(later_ns - ns) << 32) / (later_ticks - ticks));
}

static void wait_half(void)
{
	struct timespec pause = {.tv_nsec = CALIBRATION_NS};

	(void)nanosleep(&pause, NULL); /* a shorter sleep only widens the error bound */
}

static bool agree(uint64_t one, uint64_t other)
{
	uint64_t apart = one > other ? one - other : other - one;

	return apart <= one / 1000000u * DISAGREEMENT_PPM;
}

static void calibrate_counter(void)
{
	uint64_t ticks[3], ns[3], read_ns = UINT64_MAX, scale;

	if (!kernel_trusts_counter())
		return;

	for (int i = 0; i < 3; i++) {
		uint64_t width_ns;

		if (i > 0)
			wait_half();
		width_ns = read_both(&ticks[i], &ns[i]);
		if (width_ns < read_ns)
			read_ns = width_ns;
	}

	scale = scale_between(ticks[0], ns[0], ticks[2], ns[2]);
	if (!scale || read_ns > VDSO_READ_NS_MAX ||
	    !agree(scale_between(ticks[0], ns[0], ticks[1], ns[1]),
		   scale_between(ticks[1], ns[1], ticks[2], ns[2])))
		return;

	sc_clock.base_ticks = ticks[2];
	sc_clock.base_ns = ns[2];
	sc_clock.scale = scale;
	sc_clock.kind = SC_CLOCK_TSC;
}

#else

static void calibrate_counter(void)
{
}

#endif

void sc_clock_calibrate(void)
{
	static bool is_done;
	int saved = errno;

	if (!is_done)
		calibrate_counter();
	is_done = true;
	errno = saved;
}
