/* SPDX-License-Identifier: MIT */
#include "random.h"

/*
 * SplitMix64: a counter in steps of the golden ratio, through a bijective mixer. Period 2^64; all
 * streams are parts of the one sequence, and two of 2^32 numbers overlap with probability 2^-31.
 */

#include <assert.h>

#define GOLDEN_RATIO 0x9e3779b97f4a7c15ull

struct sc_random sc_random_init(uint64_t seed)
{
	return (struct sc_random){.state = seed};
}

static uint64_t mix(uint64_t value)
{
	value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ull;
	value = (value ^ (value >> 27)) * 0x94d049bb133111ebull;
	return value ^ (value >> 31);
}

/* FNV-1a, 64 bits. */
static uint64_t hash_name(const char *name)
{
	uint64_t hash = 0xcbf29ce484222325ull;

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * 0x100000001b3ull;
	return hash;
}

struct sc_random sc_random_fork(uint64_t seed, const char *name)
{
	/* Mixed twice, or seeds that differ by little would give streams that lie side by side. */
	return (struct sc_random){.state = mix(mix(seed + GOLDEN_RATIO) ^ hash_name(name))};
}

uint64_t sc_random_next(struct sc_random *random)
{
	random->state += GOLDEN_RATIO;
	return mix(random->state);
}

uint64_t sc_random_below(struct sc_random *random, uint64_t bound)
{
	uint64_t surplus, value;

	assert(bound > 0);
	surplus = -bound % bound; /* 2^64 mod bound: that many numbers are refused */
	do
		value = sc_random_next(random);
	while (value < surplus);
	return value % bound;
}

double sc_random_unit(struct sc_random *random)
{
	return (double)(sc_random_next(random) >> 11) * 0x1p-53;
}

void sc_random_shuffle(struct sc_random *random, uint32_t *indexes, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t j = sc_random_below(random, i);
		uint32_t kept = indexes[i - 1];

		indexes[i - 1] = indexes[j];
		indexes[j] = kept;
	}
}
