/* SPDX-License-Identifier: MIT */

/* Method. A fixed set of shims, taken by an atomic exchange; SQLite's own list holds the rest. */

#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "syncost.h"

#include "ledger.h"
#include "meter.h"
#include "shim.h"

static struct sc_shim shims[SC_SHIMS];
static _Atomic uint32_t registered;

static struct sc_shim *take_shim(void)
{
	for (size_t i = 0; i < SC_SHIMS; i++) {
		uint32_t expected = 0;

		if (atomic_compare_exchange_strong(&shims[i].is_used, &expected, 1))
			return &shims[i];
	}
	return NULL;
}

static struct sc_shim *find_shim(const char *name)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(name);

	for (size_t i = 0; vfs && i < SC_SHIMS; i++) {
		if (vfs == &shims[i].forward.base && atomic_load(&shims[i].is_used))
			return &shims[i];
	}
	return NULL;
}

bool sc_shim_is_any(void)
{
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
	shim = take_shim();
	if (!shim)
		return -ENOSPC;

	sc_meter_wrap(shim, inner, name);
	rc = sqlite3_vfs_register(&shim->forward.base, make_default);
	if (rc != SQLITE_OK) {
		atomic_store(&shim->is_used, 0);
		return rc == SQLITE_NOMEM ? -ENOMEM : -EIO;
	}
	(void)atomic_fetch_add(&registered, 1);
	sc_ledger_instrument(SC_INSTRUMENT_VFS, true);
	return 0;
}

int syncost_unregister(const char *name)
{
	struct sc_shim *shim = name ? find_shim(name) : NULL;

	if (!shim)
		return -ENOENT;
	if (atomic_load(&shim->open_files) > 0)
		return -EBUSY;
	(void)sqlite3_vfs_unregister(&shim->forward.base); /* succeeds for what it has found */
	atomic_store(&shim->is_used, 0);
	if (atomic_fetch_sub(&registered, 1) == 1)
		sc_ledger_instrument(SC_INSTRUMENT_VFS, false);
	return 0;
}
