/* SPDX-License-Identifier: MIT */

/*
 * For LD_PRELOAD: makes SQLite one that has no WAL, by a default VFS whose database files have the
 * first version of the methods, which knows no shared memory. It stands for builds with OMIT_WAL
 * and for platforms without mmap.
 */

#include <stddef.h>

#include <sqlite3.h>

static sqlite3_vfs *inner;
static sqlite3_vfs outer;
static sqlite3_io_methods methods;

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		     int *out_flags)
{
	int rc = inner->xOpen(vfs, name, file, flags, out_flags);

	if (rc == SQLITE_OK && (flags & SQLITE_OPEN_MAIN_DB)) {
		methods = *file->pMethods;
		methods.iVersion = 1;
		file->pMethods = &methods;
	}
	return rc;
}

__attribute__((constructor)) static void take_wal_away(void)
{
	inner = sqlite3_vfs_find(NULL);
	outer = *inner;
	outer.zName = "no-wal";
	outer.xOpen = open_file;
	(void)sqlite3_vfs_register(&outer, 1); /* where it fails the test sees a WAL */
}
