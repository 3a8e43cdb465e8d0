/* SPDX-License-Identifier: MIT */

/*
 * Method. The loader looks for a symbol in the program, in what was preloaded, in the libraries
 * that the program is linked with, and then, for a library that was loaded for itself, in that
 * library and those it names. So without us a caller's symbol is the first one behind us in the
 * common order, or else the first in the caller's own.
 *
 * A wrapper that jumps into SQLite leaves its own caller's address, which may say nothing; then it
 * is the first SQLite that is loaded at all.
 *
 * The answer is the same for all calls from one place, and is kept for it in a table without locks;
 * places that share an entry ask again.
 */

#include "library.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "../ledger.h"

#define LIBRARIES 8u
#define PLACES    1024u /* a power of two */

static struct sc_tap_library libraries[LIBRARIES];
static _Atomic uint32_t used;
static atomic_flag is_adding = ATOMIC_FLAG_INIT;
static _Atomic uint64_t places[PLACES]; /* caller << 8 | 1 + index of the library; 0: none */

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{"sqlite3_step", offsetof(struct sc_tap_library, step)},
	{"sqlite3_reset", offsetof(struct sc_tap_library, reset)},
	{"sqlite3_finalize", offsetof(struct sc_tap_library, finalize)},
	{"sqlite3_exec", offsetof(struct sc_tap_library, exec)},
	{"sqlite3_prepare", offsetof(struct sc_tap_library, prepare)},
	{"sqlite3_open", offsetof(struct sc_tap_library, open)},
	{"sqlite3_open16", offsetof(struct sc_tap_library, open16)},
	{"sqlite3_open_v2", offsetof(struct sc_tap_library, open_v2)},
	{"sqlite3_close", offsetof(struct sc_tap_library, close)},
	{"sqlite3_close_v2", offsetof(struct sc_tap_library, close_v2)},
	{"sqlite3_sql", offsetof(struct sc_tap_library, sql)},
	{"sqlite3_stmt_readonly", offsetof(struct sc_tap_library, readonly)},
	{"sqlite3_db_handle", offsetof(struct sc_tap_library, db_handle)},
	{"sqlite3_get_autocommit", offsetof(struct sc_tap_library, get_autocommit)},
};

#define FUNCTIONS (sizeof(functions) / sizeof(functions[0]))

static const void *base_of(const void *address)
{
	Dl_info info;

	return address && dladdr(address, &info) ? info.dli_fbase : NULL;
}

static void *find_in_map(const struct link_map *map)
{
	void *handle, *symbol = NULL;

	if (!map->l_name || !map->l_name[0])
		return NULL; /* the program itself: it has what is common */
	handle = dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
	if (handle) {
		symbol = dlsym(handle, "sqlite3_step");
		(void)dlclose(handle); /* of what stays loaded */
	}
	return symbol && base_of(symbol) != base_of(libraries) ? symbol : NULL;
}

/* sqlite3_step as @caller's library itself would find it. */
static void *find_in_library(const void *caller)
{
	struct link_map *map = NULL;
	Dl_info info;

	return dladdr1(caller, &info, (void **)&map, RTLD_DL_LINKMAP) && map ? find_in_map(map)
									     : NULL;
}

/* The first that is loaded. */
static void *find_anywhere(void)
{
	void *program = dlopen(NULL, RTLD_LAZY), *step = NULL;
	struct link_map *map = NULL;

	if (!program || dlinfo(program, RTLD_DI_LINKMAP, &map) != 0)
		map = NULL;
	for (; map && !step; map = map->l_next)
		step = find_in_map(map);
	if (program)
		(void)dlclose(program); /* it stays */
	return step;
}

static void fill(struct sc_tap_library *library, void *step)
{
	void *handle = NULL;
	Dl_info info;

	if (dladdr(step, &info))
		handle = dlopen(info.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
	for (size_t i = 0; i < FUNCTIONS; i++) {
		void *symbol = handle ? dlsym(handle, functions[i].name) : NULL;

		/* Of a program that exports its own, the handle is the common order. */
		if (!symbol || base_of(symbol) == base_of(libraries))
			symbol = dlsym(RTLD_NEXT, functions[i].name);
		memcpy((char *)library + functions[i].offset, &symbol, sizeof(symbol));
	}
	memcpy((char *)library + functions[0].offset, &step, sizeof(step));
	if (handle)
		(void)dlclose(handle); /* of what stays loaded */
}

static struct sc_tap_library *add(void *step)
{
	struct sc_tap_library *found = NULL;
	uint32_t count;

	while (atomic_flag_test_and_set_explicit(&is_adding, memory_order_acquire))
		(void)sched_yield();
	count = atomic_load_explicit(&used, memory_order_relaxed);
	for (uint32_t i = 0; i < count && !found; i++) {
		if (memcmp(&libraries[i].step, &step, sizeof(step)) == 0)
			found = &libraries[i];
	}
	if (!found && count < LIBRARIES) {
		fill(&libraries[count], step);
		atomic_store_explicit(&used, count + 1, memory_order_release);
		found = &libraries[count];
	}
	atomic_flag_clear_explicit(&is_adding, memory_order_release);
	return found;
}

static struct sc_tap_library *find(const void *caller)
{
	void *step = dlsym(RTLD_NEXT, "sqlite3_step");

	if (!step)
		step = find_in_library(caller);
	if (!step)
		step = find_anywhere();
	return step ? add(step) : NULL;
}

struct sc_tap_library *sc_tap_library_of(const void *caller)
{
	_Atomic uint64_t *place = &places[((uintptr_t)caller >> 2) & (PLACES - 1)];
	uint64_t kept = atomic_load_explicit(place, memory_order_acquire);
	struct sc_tap_library *library;
	int saved = errno;

	if (__builtin_expect(kept >> 8 == (uint64_t)(uintptr_t)caller, 1))
		return &libraries[(kept & 0xff) - 1];
	sc_thread_self.tap_depth++; /* what the loader does is not the program's */
	library = find(caller);
	sc_thread_self.tap_depth--;
	if (library)
		atomic_store_explicit(place,
				      (uint64_t)(uintptr_t)caller << 8 |
					      (uint64_t)(library - libraries + 1),
				      memory_order_release);
	errno = saved;
	return library;
}
