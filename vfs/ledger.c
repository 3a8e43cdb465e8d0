/* SPDX-License-Identifier: MIT */

/*
 * Method. Recording touches only what its thread owns. What threads share is taken rarely and
 * without waiting: a series is an atomic increment of the pool's cursor, a size is an exchange
 * whose difference is added to the totals. The one exclusion is between threads that add a
 * database at the same moment; a slot becomes visible (used) when its path is complete, so
 * lookups never wait.
 *
 * A part of the mapping is only touched once there is memory behind it (sc_mapping_back()); what
 * finds none is dropped, and counted.
 *
 * A path longer than a slot keeps its tail, and is compared by its tail.
 */

#include "ledger.h"

#include <sched.h>
#include <string.h>

#include "mapping.h"

struct sc_ledger sc_ledger = {
	.generation = SC_LEDGER_OFF,
};

static atomic_flag is_adding = ATOMIC_FLAG_INIT;

/* --- series */

struct sc_series *sc_ledger_series_take(struct sc_thread *thread, uint32_t key)
{
	struct sc_meter *meter = sc_ledger.meter;
	struct sc_series_entry *entry;
	uint32_t index = atomic_load_explicit(&meter->series_used, memory_order_relaxed);

	if (index < SC_METER_SERIES)
		index = atomic_fetch_add_explicit(&meter->series_used, 1, memory_order_relaxed);
	if (index >= SC_METER_SERIES ||
	    !sc_mapping_back(&meter->series[index], sizeof(meter->series[index]))) {
		(void)atomic_fetch_add_explicit(&meter->calls_dropped, 1, memory_order_relaxed);
		return NULL;
	}

	entry = &meter->series_entries[index];
	atomic_store_explicit(&entry->shard, thread->shard_index, memory_order_relaxed);
	atomic_store_explicit(&entry->key, key + 1, memory_order_release);
	atomic_store_explicit(&thread->shard->series[key], (uint16_t)(index + 1),
			      memory_order_relaxed);
	return &meter->series[index];
}

/* --- databases */

/* The part of a path of @length bytes that a slot can hold. */
static const char *tail_of(const char *path, size_t *length)
{
	size_t skipped = *length < SC_METER_PATH_BYTES ? 0 : *length - (SC_METER_PATH_BYTES - 1);

	*length -= skipped;
	return path + skipped;
}

static uint32_t find_slot(const char *path, size_t length)
{
	path = tail_of(path, &length);
	for (uint32_t slot = 1; slot < SC_METER_DATABASES; slot++) {
		struct sc_database *database = &sc_ledger.meter->databases[slot];

		if (!atomic_load_explicit(&database->used, memory_order_acquire))
			return 0; /* slots are taken in order and never given back */
		if (strncmp(database->path, path, length) == 0 && !database->path[length])
			return slot;
	}
	return 0;
}

static uint32_t add_slot(const char *path, size_t length)
{
	path = tail_of(path, &length);
	for (uint32_t slot = 1; slot < SC_METER_DATABASES; slot++) {
		struct sc_database *database = &sc_ledger.meter->databases[slot];

		if (atomic_load_explicit(&database->used, memory_order_relaxed))
			continue;
		memcpy(database->path, path, length);
		database->path[length] = '\0';
		atomic_store_explicit(&database->used, 1, memory_order_release);
		return slot;
	}
	return 0;
}

uint32_t sc_ledger_database(const char *path)
{
	size_t length = strlen(path);
	uint32_t slot;

	if (!sc_ledger_is_on())
		return 0;
	slot = find_slot(path, length);
	if (slot)
		return slot;

	while (atomic_flag_test_and_set_explicit(&is_adding, memory_order_acquire))
		(void)sched_yield();
	slot = find_slot(path, length);
	if (!slot)
		slot = add_slot(path, length);
	atomic_flag_clear_explicit(&is_adding, memory_order_release);
	return slot;
}

void sc_ledger_database_unlock(void)
{
	atomic_flag_clear(&is_adding);
}

/* Length of @path without SQLite's "-mj" and nine hexadecimal digits; 0 if it does not end so. */
static size_t super_journal_stem(const char *path, size_t length)
{
	const size_t digits = 9, suffix = digits + 3;

	if (length <= suffix || memcmp(path + length - suffix, "-mj", 3) != 0)
		return 0;
	if (strspn(path + length - digits, "0123456789ABCDEFabcdef") != digits)
		return 0;
	return length - suffix;
}

static uint32_t find_directory(const char *path, size_t length)
{
	while (length > 1 && path[length - 1] == '/')
		length--;
	for (uint32_t slot = 1; slot < SC_METER_DATABASES; slot++) {
		struct sc_database *database = &sc_ledger.meter->databases[slot];
		const char *name;
		size_t stem;

		if (!atomic_load_explicit(&database->used, memory_order_acquire))
			return 0;
		name = strrchr(database->path, '/');
		if (!name)
			continue;
		stem = name == database->path ? 1 : (size_t)(name - database->path);
		if (stem == length && memcmp(database->path, path, length) == 0)
			return slot;
	}
	return 0;
}

uint32_t sc_ledger_database_find(const char *path, enum sc_role *ret_role)
{
	static const struct {
		const char *suffix;
		enum sc_role role;
	} kinds[] = {
		{"", SC_ROLE_MAIN_DB},
		{"-wal", SC_ROLE_WAL},
		{"-journal", SC_ROLE_MAIN_JOURNAL},
		{"-shm", SC_ROLE_SHM},
		{"-snapshot", SC_ROLE_TEMP_DB}, /* the content that will take the main file's place
						 */
	};
	size_t length = strlen(path), stem;
	uint32_t slot;

	*ret_role = SC_ROLE_OTHER;
	if (!sc_ledger_is_on() || length == 0)
		return 0;

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		size_t suffix = strlen(kinds[i].suffix);

		if (length <= suffix || strcmp(path + length - suffix, kinds[i].suffix) != 0)
			continue;
		slot = find_slot(path, length - suffix);
		if (slot) {
			*ret_role = kinds[i].role;
			return slot;
		}
	}

	stem = super_journal_stem(path, length);
	slot = stem ? find_slot(path, stem) : 0;
	if (slot) {
		*ret_role = SC_ROLE_SUPER_JOURNAL;
		return slot;
	}

	slot = find_directory(path, length);
	if (slot)
		*ret_role = SC_ROLE_DIRECTORY;
	return slot;
}

/* --- sizes */

static void raise_to(_Atomic uint64_t *highest, uint64_t value)
{
	uint64_t seen = atomic_load_explicit(highest, memory_order_relaxed);

	while (value > seen &&
	       !atomic_compare_exchange_weak_explicit(highest, &seen, value, memory_order_relaxed,
						      memory_order_relaxed))
		;
}

/* Adds a difference, possibly a negative one in two's complement. */
static void move_total(_Atomic uint64_t *total, _Atomic uint64_t *highest, uint64_t difference)
{
	uint64_t now =
		atomic_fetch_add_explicit(total, difference, memory_order_relaxed) + difference;

	/* Two threads' halves of a shrink and a growth may pass zero for an instant. */
	if ((int64_t)now > 0)
		raise_to(highest, now);
}

static void move_totals(struct sc_database *database, uint64_t difference)
{
	struct sc_meter *meter = sc_ledger.meter;

	move_total(&database->total_bytes, &database->total_bytes_max, difference);
	move_total(&meter->total_bytes, &meter->total_bytes_max, difference);
}

void sc_ledger_size(uint32_t database, enum sc_role role, uint64_t bytes)
{
	struct sc_database *slot = &sc_ledger.meter->databases[database];
	uint64_t old_bytes = atomic_load_explicit(&slot->size_bytes[role], memory_order_relaxed);

	if (old_bytes == bytes)
		return;
	old_bytes = atomic_exchange_explicit(&slot->size_bytes[role], bytes, memory_order_relaxed);
	raise_to(&slot->size_bytes_max[role], bytes);
	move_totals(slot, bytes - old_bytes);
}

void sc_ledger_size_seen(uint32_t database, enum sc_role role, uint64_t known_bytes, uint64_t bytes)
{
	struct sc_database *slot = &sc_ledger.meter->databases[database];
	uint64_t expected = known_bytes;

	if (bytes == known_bytes ||
	    !atomic_compare_exchange_strong_explicit(&slot->size_bytes[role], &expected, bytes,
						     memory_order_relaxed, memory_order_relaxed))
		return;
	raise_to(&slot->size_bytes_max[role], bytes);
	move_totals(slot, bytes - known_bytes);
}

void sc_ledger_size_change(uint32_t database, enum sc_role role, uint64_t old_bytes,
			   uint64_t new_bytes)
{
	struct sc_database *slot = &sc_ledger.meter->databases[database];

	if (old_bytes == new_bytes)
		return;
	move_total(&slot->size_bytes[role], &slot->size_bytes_max[role], new_bytes - old_bytes);
	move_totals(slot, new_bytes - old_bytes);
}
