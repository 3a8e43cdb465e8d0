/* SPDX-License-Identifier: MIT */

/*
 * Method. munmap, mremap and msync name an address, so the mappings of files that are counted are
 * kept: a fixed table, searched from the front up to the highest slot ever used. A slot is claimed
 * with one compare-and-swap and published by its address; it has one owner at a time, since the
 * kernel gives an address to one mapping at a time. SQLite maps whole files from the start (a few
 * mappings a connection), the -shm in pieces of 32 KiB.
 */

#include "file.h"

#include <stdatomic.h>
#include <stddef.h>

#define MAPPINGS 256u
#define CLAIMED  1u /* no mapping begins there */

struct mapping {
	_Atomic uintptr_t start; /* 0: free */
	_Atomic uint64_t size;   /* bytes */
	_Atomic sc_tap_file file;
};

static struct mapping mappings[MAPPINGS];
static _Atomic uint32_t used; /* slots ever claimed, counted from the front */

static void raise_used(uint32_t count)
{
	uint32_t seen = atomic_load_explicit(&used, memory_order_relaxed);

	while (seen < count &&
	       !atomic_compare_exchange_weak_explicit(&used, &seen, count, memory_order_relaxed,
						      memory_order_relaxed))
		;
}

void sc_tap_map_add(const void *address, uint64_t size, sc_tap_file file)
{
	for (uint32_t i = 0; i < MAPPINGS; i++) {
		struct mapping *mapping = &mappings[i];
		uintptr_t start = 0;

		if (!atomic_compare_exchange_strong_explicit(&mapping->start, &start, CLAIMED,
							     memory_order_acquire,
							     memory_order_relaxed))
			continue;
		atomic_store_explicit(&mapping->size, size, memory_order_relaxed);
		atomic_store_explicit(&mapping->file, file, memory_order_relaxed);
		atomic_store_explicit(&mapping->start, (uintptr_t)address, memory_order_release);
		raise_used(i + 1);
		return;
	}
}

static struct mapping *find(const void *address)
{
	uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);
	uintptr_t wanted = (uintptr_t)address;

	for (uint32_t i = 0; i < count; i++) {
		uintptr_t start = atomic_load_explicit(&mappings[i].start, memory_order_acquire);
		uint64_t size = atomic_load_explicit(&mappings[i].size, memory_order_relaxed);

		if (start > CLAIMED && wanted >= start && wanted - start < size)
			return &mappings[i];
	}
	return NULL;
}

sc_tap_file sc_tap_map_file(const void *address)
{
	const struct mapping *mapping = find(address);

	return mapping ? atomic_load_explicit(&mapping->file, memory_order_relaxed)
		       : SC_TAP_STRANGER;
}

void sc_tap_map_remove(const void *address, uint64_t size)
{
	struct mapping *mapping = find(address);
	uint64_t before, kept;

	if (!mapping)
		return;
	before = (uintptr_t)address - atomic_load_explicit(&mapping->start, memory_order_relaxed);
	kept = atomic_load_explicit(&mapping->size, memory_order_relaxed);
	if (before > 0 && before + size >= kept)
		atomic_store_explicit(&mapping->size, before, memory_order_relaxed);
	else if (before == 0 && size >= kept)
		atomic_store_explicit(&mapping->start, 0, memory_order_release);
}

void sc_tap_map_clear(void)
{
	uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);

	for (uint32_t i = 0; i < count; i++)
		atomic_store_explicit(&mappings[i].start, 0, memory_order_relaxed);
}
