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
	_Atomic uint32_t number;   /* of the connection, 0: not told */
	_Atomic uint32_t is_first; /* the connection's own database, not an attached one */
	_Atomic uint32_t serial;   /* counts the files that were here */
	struct sc_settings settings;
	_Atomic uint32_t has_wal;
	_Atomic uint32_t write_version; /* of the header, as last read or written; 0: not seen */
};

static struct link links[LINKS];
static _Atomic uint32_t links_used;  /* entries at and beyond it were never used */
static _Atomic uint32_t connections; /* that were ever seen */
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

static void clear(struct link *entry)
{
	atomic_store_explicit(&entry->connection, NULL, memory_order_relaxed);
	atomic_store_explicit(&entry->number, 0, memory_order_relaxed);
	atomic_store_explicit(&entry->is_first, 0, memory_order_relaxed);
	atomic_store_explicit(&entry->has_wal, 0, memory_order_relaxed);
	atomic_store_explicit(&entry->write_version, 0, memory_order_relaxed);
	sc_setting_clear(&entry->settings);
	(void)atomic_fetch_add_explicit(&entry->serial, 1, memory_order_release);
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
		clear(&links[i]);
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

/* What a PRAGMA without a database's name has set before this one was attached. */
static void inherit(struct link *entry, const struct link *from)
{
	static const enum sc_setting inherited[] = {
		SC_SETTING_LOCKING_MODE,
		SC_SETTING_WAL_AUTOCHECKPOINT,
	};

	for (size_t i = 0; i < sizeof(inherited) / sizeof(inherited[0]); i++) {
		enum sc_setting setting = inherited[i];

		if (atomic_load(&from->settings.sources[setting]) != SC_SETTING_UNSEEN)
			sc_setting_put(&entry->settings, setting,
				       atomic_load(&from->settings.values[setting]),
				       setting == SC_SETTING_LOCKING_MODE ? SC_SETTING_LIKELY
									  : SC_SETTING_PRAGMA);
	}
}

/* The first other entry of the connection, at or after @start. */
static struct link *find_sibling(const struct sc_file *file, sqlite3 *connection, uint32_t start)
{
	for (uint32_t i = start; i < used(); i++) {
		struct sc_file *other = entry_file(&links[i]);

		if (other && other != file &&
		    atomic_load_explicit(&links[i].connection, memory_order_relaxed) == connection)
			return &links[i];
	}
	return NULL;
}

void sc_link_connection(struct sc_file *file, sqlite3 *connection)
{
	struct link *entry, *sibling;
	struct sc_file *other;
	uint32_t number;

	if (!file->link || file->connection || !connection)
		return;
	entry = &links[file->link - 1];
	file->connection = connection;
	sibling = find_sibling(file, connection, 0);
	if (sibling) {
		other = entry_file(sibling);
		file->sibling = other->sibling;
		other->sibling = file;
		number = atomic_load_explicit(&sibling->number, memory_order_relaxed);
		inherit(entry, sibling);
	} else {
		number = atomic_fetch_add_explicit(&connections, 1, memory_order_relaxed) + 1;
		atomic_store_explicit(&entry->is_first, 1, memory_order_relaxed);
	}
	atomic_store_explicit(&entry->number, number, memory_order_relaxed);
	atomic_store_explicit(&entry->connection, connection, memory_order_release);
}

/* --- settings */

void sc_link_wal(struct sc_file *main, bool is_open)
{
	if (main->link)
		atomic_store_explicit(&links[main->link - 1].has_wal, is_open,
				      memory_order_relaxed);
}

void sc_link_header(struct sc_file *main, const unsigned char *header)
{
	uint32_t page_bytes = (uint32_t)header[16] << 8 | header[17];
	struct link *entry;

	if (!main->link || memcmp(header, "SQLite format 3", 16) != 0)
		return;
	entry = &links[main->link - 1];
	atomic_store_explicit(&entry->write_version, header[18], memory_order_relaxed);
	sc_setting_put(&entry->settings, SC_SETTING_PAGE_SIZE, page_bytes == 1 ? 65536 : page_bytes,
		       SC_SETTING_SEEN);
}

void sc_link_mmap(struct sc_file *main, int64_t bytes)
{
	if (main->link && bytes >= 0)
		sc_setting_put(&links[main->link - 1].settings, SC_SETTING_MMAP_SIZE, bytes,
			       SC_SETTING_SEEN);
}

void sc_link_pragma(struct sc_file *main, const char *name, const char *text)
{
	enum sc_setting setting;
	struct link *entry, *other;
	int64_t value;

	if (!main->link || !sc_setting_parse(name, text, &setting, &value))
		return;
	entry = &links[main->link - 1];
	sc_setting_put(&entry->settings, setting, value, SC_SETTING_PRAGMA);
	if (!main->connection || !sc_setting_is_wide(setting))
		return;
	if (setting != SC_SETTING_WAL_AUTOCHECKPOINT && !atomic_load(&entry->is_first))
		return; /* it named this database */
	for (other = find_sibling(main, main->connection, 0); other;
	     other = find_sibling(main, main->connection, (uint32_t)(other - links) + 1))
		sc_setting_put(&other->settings, setting, value,
			       setting == SC_SETTING_WAL_AUTOCHECKPOINT ? SC_SETTING_PRAGMA
									: SC_SETTING_LIKELY);
}

uint32_t sc_link_count(void)
{
	return used();
}

static void read_settings(const struct link *entry, struct sc_link_view *ret_view)
{
	for (int i = 0; i < SC_SETTING_COUNT_; i++) {
		ret_view->sources[i] =
			atomic_load_explicit(&entry->settings.sources[i], memory_order_acquire);
		ret_view->values[i] =
			atomic_load_explicit(&entry->settings.values[i], memory_order_relaxed);
	}
	/* The WAL itself is a better witness than who asked for one. */
	if (atomic_load_explicit(&entry->has_wal, memory_order_relaxed) ||
	    atomic_load_explicit(&entry->write_version, memory_order_relaxed) == 2) {
		ret_view->values[SC_SETTING_JOURNAL_MODE] = SC_JOURNAL_WAL;
		ret_view->sources[SC_SETTING_JOURNAL_MODE] = SC_SETTING_SEEN;
	} else if (ret_view->values[SC_SETTING_JOURNAL_MODE] == SC_JOURNAL_WAL) {
		ret_view->sources[SC_SETTING_JOURNAL_MODE] = SC_SETTING_UNSEEN;
	}
}

bool sc_link_read(uint32_t index, struct sc_link_view *ret_view)
{
	const struct link *entry = &links[index];
	uint32_t serial = atomic_load_explicit(&entry->serial, memory_order_acquire);

	if (!entry_file(entry))
		return false;
	ret_view->connection = atomic_load_explicit(&entry->connection, memory_order_acquire);
	ret_view->number = atomic_load_explicit(&entry->number, memory_order_relaxed);
	ret_view->database = atomic_load_explicit(&entry->database, memory_order_relaxed);
	read_settings(entry, ret_view);
	atomic_thread_fence(memory_order_acquire);
	return entry_file(entry) &&
	       atomic_load_explicit(&entry->serial, memory_order_relaxed) == serial;
}
