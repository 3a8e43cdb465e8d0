/* SPDX-License-Identifier: MIT */
#pragma once

/* How fast the machine is just now, by a fixed piece of work. */

#include <stdint.h>

/**
 * sc_reference_ns() - wall time of 200 writes and reads of a page in memory
 *
 * The work is what a sample without syncs spends most of its time in: entering the kernel and
 * copying pages. Virtual machines are seen to go from one speed of it to another, 1.6 times as
 * slow, for seconds at a time, while no counter says so (no steal, no run delay, arithmetic as fast
 * as ever). Takes about 2 ms: outside of timed parts.
 *
 * Return: the median of a few repeats; 0: it could not be measured.
 */
uint64_t sc_reference_ns(void);
