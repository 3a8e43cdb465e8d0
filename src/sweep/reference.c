/* SPDX-License-Identifier: MIT */

/* The pages are of a file without a name in memory: no storage, nothing to clean up. */

#include "reference.h"

#include <sys/mman.h>
#include <unistd.h>

#include "../base/attr.h"
#include "../base/clock.h"
#include "../stats/order.h"

#define PAGE_BYTES 4096
#define PAGES      64
#define PAIRS      200
#define REPEATS    9

/* Return: whether all went through. */
static bool work(int file)
{
	static char page[PAGE_BYTES];

	for (int i = 0; i < PAIRS; i++) {
		off_t at = (off_t)(i % PAGES) * PAGE_BYTES;

		if (pwrite(file, page, PAGE_BYTES, at) != PAGE_BYTES ||
		    pread(file, page, PAGE_BYTES, at) != PAGE_BYTES)
			return false;
	}
	return true;
}

uint64_t sc_reference_ns(void)
{
	SC_CLEANUP(sc_fd_closep) int file = memfd_create("syncost-reference", MFD_CLOEXEC);
	double times[REPEATS], median = 0;

	if (file < 0 || !work(file)) /* the first time makes the pages */
		return 0;
	for (int i = 0; i < REPEATS; i++) {
		uint64_t start_ns = sc_monotonic_ns();

		if (!work(file))
			return 0;
		times[i] = (double)(sc_monotonic_ns() - start_ns);
	}
	sc_sort_doubles(times, REPEATS);
	(void)sc_median(times, REPEATS, &median);
	return (uint64_t)median;
}
