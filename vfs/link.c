/* SPDX-License-Identifier: MIT */

/*
 * Method. SQLite keeps the names of a database, its journal and its WAL in one allocation of the
 * pager, main name first, and passes these very pointers to xOpen. So of all main files that are
 * open, the one whose name lies nearest below the name of a WAL is that connection's, although
 * other connections have the same file open under the same name. No memory is followed for that.
 * Where a VFS above passes copies of names there is nothing near, and the file stays unlinked: its
 * calls are counted, the commits of that connection are not seen.
 *
 * Main files of one connection form a ring (databases attached to it). SQLite serialises the calls
 * of a connection, so only the table that finds the ring is shared: a fixed array of atomic
 * entries, whose handles are followed only if they belong to the connection that asks.
 *
 * In shared-cache mode several connections use one handle; it stays with the one that opened it.
 */

#include "link.h"

#include <stdatomic.h>
#include <string.h>

#define LINKS            4096u
#define PARAMETERS_BYTES 4096u /* room for what a URI may add between the names */

struct link {
	_Atomic(struct sc_file *) file; /* NULL: free; TAKEN: being filled */
	_Atomic(uintptr_t) name;
	_Atomic uint32_t database;
	_Atomic(const struct sc_shim *) shim; /* on a shim on a shim, names are in both */
	_Atomic(sqlite3 *) connection;
};

static struct link links[LINKS];
static _Atomic uint32_t links_used; /* entries at and beyond it were never used */
static struct sc_file taken_mark;

#define TAKEN (&taken_mark)

static struct sc_file *entry_file(const struct link *entry)
{
	struct sc_file *file = atomic_load_explicit(&entry->file, memory_order_acquire);

	return file == TAKEN ? NULL : file;
}

static uint32_t used(void)
{
	return atomic_load_explicit(&links_used, memory_order_acquire);
}

static void raise_used(uint32_t count)
{
	uint32_t seen = used();

	while (seen < count && !atomic_compare_exchange_weak(&links_used, &seen, count))
		;
}

void sc_link_add(struct sc_file *file)
{
	file->sibling = file;
	for (uint32_t i = 0; i < LINKS; i++) {
		struct sc_file *expected = NULL;

		if (!atomic_compare_exchange_strong(&links[i].file, &expected, TAKEN))
			continue;
		atomic_store_explicit(&links[i].name, (uintptr_t)file->name, memory_order_relaxed);
		atomic_store_explicit(&links[i].database, file->database, memory_order_relaxed);
		atomic_store_explicit(&links[i].shim, file->shim, memory_order_relaxed);
		atomic_store_explicit(&links[i].connection, NULL, memory_order_relaxed);
		atomic_store_explicit(&links[i].file, file, memory_order_release);
		file->link = i + 1;
		raise_used(i + 1);
		return;
	}
}

void sc_link_remove(struct sc_file *file)
{
	struct sc_file *previous = file;

	if (file->link)
		atomic_store_explicit(&links[file->link - 1].file, NULL, memory_order_release);
	file->link = 0;
	while (previous->sibling != file)
		previous = previous->sibling;
	previous->sibling = file->sibling;
	file->sibling = file;
}

/* Distance from the name of @entry up to that of @file; UINTPTR_MAX: not its main file. */
static uintptr_t distance(const struct link *entry, const struct sc_file *file)
{
	uintptr_t start = atomic_load_explicit(&entry->name, memory_order_relaxed);
	uintptr_t name = (uintptr_t)file->name;

	if (atomic_load_explicit(&entry->database, memory_order_relaxed) != file->database ||
	    atomic_load_explicit(&entry->shim, memory_order_relaxed) != file->shim)
		return UINTPTR_MAX;
	return start < name ? name - start : UINTPTR_MAX;
}

struct sc_file *sc_link_main(const struct sc_file *file)
{
	uintptr_t best = 2 * strlen(file->name) + PARAMETERS_BYTES;
	struct sc_file *nearest = NULL;

	for (uint32_t i = 0; i < used(); i++) {
		struct sc_file *candidate = entry_file(&links[i]);

		if (candidate && distance(&links[i], file) < best) {
			best = distance(&links[i], file);
			nearest = candidate;
		}
	}
	return nearest;
}

void sc_link_connection(struct sc_file *file, sqlite3 *connection)
{
	if (!file->link || file->connection || !connection)
		return;
	file->connection = connection;
	for (uint32_t i = 0; i < used(); i++) {
		struct sc_file *other = entry_file(&links[i]);

		if (!other || other == file ||
		    atomic_load_explicit(&links[i].connection, memory_order_relaxed) != connection)
			continue;
		file->sibling = other->sibling;
		other->sibling = file;
		break;
	}
	atomic_store_explicit(&links[file->link - 1].connection, connection, memory_order_release);
}
