/* SPDX-License-Identifier: MIT */
#pragma once

/* Seeded pseudo-random numbers: SplitMix64 (Steele, Lea, Flood 2014). Same seed, same numbers. */

#include <stddef.h>
#include <stdint.h>

struct sc_random {
	uint64_t state;
};

struct sc_random sc_random_init(uint64_t seed);
/** sc_random_fork() - an independent stream for @name under the same seed. */
struct sc_random sc_random_fork(uint64_t seed, const char *name);
uint64_t sc_random_next(struct sc_random *random);
/** sc_random_below() - uniform in [0, @bound), without modulo bias; @bound > 0. */
uint64_t sc_random_below(struct sc_random *random, uint64_t bound);
/** sc_random_unit() - uniform in [0, 1). */
double sc_random_unit(struct sc_random *random);
/** sc_random_shuffle() - Fisher-Yates over indexes. */
void sc_random_shuffle(struct sc_random *random, uint32_t *indexes, size_t count);
