/* SPDX-License-Identifier: MIT */

/*
 * Method. A fixed set of shims, taken by an atomic exchange; SQLite's own list holds the rest.
 *
 * A program may take a shim out of SQLite's list itself. It is then dropped here once no file is
 * open through it: when it is unregistered by its name, or a shim is registered, or at the stop.
 */

#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "syncost.h"

#include "host.h"
#include "ledger.h"
#include "meter.h"
#include "shim.h"

enum state { /* of a slot, in sc_shim.is_used */
	     SHIM_FREE,
	     SHIM_TAKEN, /* by a thread that registers it or takes it away */
	     SHIM_REGISTERED,
};

static struct sc_shim shims[SC_SHIMS];
static _Atomic uint32_t registered;

static bool move(struct sc_shim *shim, enum state from, enum state to)
{
	uint32_t expected = from;

	return atomic_compare_exchange_strong(&shim->is_used, &expected, to);
}

static struct sc_shim *take_shim(void)
{
	for (size_t i = 0; i < SC_SHIMS; i++) {
		if (move(&shims[i], SHIM_FREE, SHIM_TAKEN))
			return &shims[i];
	}
	return NULL;
}

static bool is_listed(const struct sc_shim *shim)
{
	return sqlite3_vfs_find(shim->forward.name) == &shim->forward.base;
}

/* The listed one, or one that is no longer listed. */
static struct sc_shim *find_shim(const char *name)
{
	struct sc_shim *unlisted = NULL;

	for (size_t i = 0; i < SC_SHIMS; i++) {
		if (atomic_load(&shims[i].is_used) != SHIM_REGISTERED ||
		    strcmp(shims[i].forward.name, name) != 0)
			continue;
		if (is_listed(&shims[i]))
			return &shims[i];
		unlisted = &shims[i];
	}
	return unlisted;
}

static int drop(struct sc_shim *shim)
{
	if (!move(shim, SHIM_REGISTERED, SHIM_TAKEN))
		return -ENOENT; /* another thread was first */
	if (atomic_load(&shim->open_files) > 0) {
		atomic_store(&shim->is_used, SHIM_REGISTERED);
		return -EBUSY;
	}
	(void)sqlite3_vfs_unregister(&shim->forward.base); /* nothing, where it is not listed */
	atomic_store(&shim->is_used, SHIM_FREE);
	if (atomic_fetch_sub(&registered, 1) == 1)
		sc_ledger_instrument(SC_INSTRUMENT_VFS, false);
	return 0;
}

static void drop_unlisted(void)
{
	for (size_t i = 0; i < SC_SHIMS; i++) {
		if (atomic_load(&shims[i].is_used) == SHIM_REGISTERED && !is_listed(&shims[i]))
			(void)drop(&shims[i]); /* it stays while files are open */
	}
}

bool sc_shim_is_any(void)
{
	drop_unlisted();
	return atomic_load(&registered) > 0;
}

int syncost_register(const char *base, const char *name, bool make_default)
{
	struct sc_shim *shim;
	sqlite3_vfs *inner;
	int rc;

	if (!name || !*name || strlen(name) >= sizeof(shims[0].forward.name))
		return -EINVAL;
	inner = sqlite3_vfs_find(base);
	if (!inner)
		return -ENOENT;
	if (sqlite3_vfs_find(name))
		return -EEXIST;
	drop_unlisted();
	shim = take_shim();
	if (!shim)
		return -ENOSPC;

	sc_meter_wrap(shim, inner, name);
	rc = sqlite3_vfs_register(&shim->forward.base, make_default);
	if (rc != SQLITE_OK) {
		atomic_store(&shim->is_used, SHIM_FREE);
		return rc == SQLITE_NOMEM ? -ENOMEM : -EIO;
	}
	(void)atomic_fetch_add(&registered, 1);
	sc_ledger_instrument(SC_INSTRUMENT_VFS, true);
	atomic_store(&shim->is_used, SHIM_REGISTERED);
	return 0;
}

int syncost_unregister(const char *name)
{
	struct sc_shim *shim = name ? find_shim(name) : NULL;

	return shim ? drop(shim) : -ENOENT;
}
