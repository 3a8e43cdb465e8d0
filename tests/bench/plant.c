/* SPDX-License-Identifier: MIT */

/*
 * Preloaded into a program that uses SQLite: makes it dearer by a known amount, to be found.
 *
 *	PLANT=sync      each sync of a WAL or journal is made twice
 *	PLANT=bytes     each tenth write is made twice
 *	PLANT=latency   each sqlite3_step() takes twice as long as it took
 *
 * The VFS is the real one with a function or two in front: its files keep their own objects, so
 * locks and shared memory are untouched.
 */

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <sqlite3.h>

#define EXPORTED   __attribute__((visibility("default")))
#define TABLES_MAX 16
#define ONE_IN     10

struct table { /* methods of the real VFS, and the same with ours in front */
	const sqlite3_io_methods *real;
	sqlite3_io_methods planted;
};

static struct table tables[TABLES_MAX];
static size_t table_count;
static sqlite3_vfs *real_vfs, planted_vfs;
static enum { NOTHING, SYNC, BYTES, LATENCY } plant;

static const sqlite3_io_methods *real_of(const sqlite3_file *file)
{
	for (size_t i = 0; i < table_count; i++)
		if (file->pMethods == &tables[i].planted)
			return tables[i].real;
	abort();
}

static int sync_twice(sqlite3_file *file, int flags)
{
	const sqlite3_io_methods *real = real_of(file);
	int rc = real->xSync(file, flags);

	return rc == SQLITE_OK ? real->xSync(file, flags) : rc;
}

static int write_some_twice(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 offset)
{
	static unsigned count;
	const sqlite3_io_methods *real = real_of(file);
	int rc = real->xWrite(file, data, bytes, offset);

	if (rc == SQLITE_OK && ++count % ONE_IN == 0)
		rc = real->xWrite(file, data, bytes, offset);
	return rc;
}

static const sqlite3_io_methods *planted_of(const sqlite3_io_methods *real)
{
	struct table *table = NULL;

	for (size_t i = 0; i < table_count; i++)
		if (tables[i].real == real)
			return &tables[i].planted;
	if (table_count == TABLES_MAX)
		abort();
	table = &tables[table_count++];
	*table = (struct table){real, *real};
	if (plant == SYNC)
		table->planted.xSync = sync_twice;
	else if (plant == BYTES)
		table->planted.xWrite = write_some_twice;
	return &table->planted;
}

static int open_planted(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
			int *ret_flags)
{
	const int logs = SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL;
	int rc = real_vfs->xOpen(vfs, name, file, flags, ret_flags);

	if (rc == SQLITE_OK && (plant == BYTES || (plant == SYNC && (flags & logs))))
		file->pMethods = planted_of(file->pMethods);
	return rc;
}

__attribute__((constructor)) static void begin(void)
{
	const char *name = getenv("PLANT");

	if (!name)
		return;
	plant = strcmp(name, "sync") == 0      ? SYNC
		: strcmp(name, "bytes") == 0   ? BYTES
		: strcmp(name, "latency") == 0 ? LATENCY
					       : NOTHING;
	if (plant != SYNC && plant != BYTES)
		return;
	real_vfs = sqlite3_vfs_find(NULL);
	planted_vfs = *real_vfs;
	planted_vfs.zName = "planted";
	planted_vfs.pNext = NULL;
	planted_vfs.xOpen = open_planted;
	if (sqlite3_vfs_register(&planted_vfs, 1) != SQLITE_OK)
		abort();
}

static double now_s(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

EXPORTED int sqlite3_step(sqlite3_stmt *statement)
{
	static int (*real)(sqlite3_stmt *);
	double start, end;
	int rc;

	if (!real)
		*(void **)&real = dlsym(RTLD_NEXT, "sqlite3_step");
	if (plant != LATENCY)
		return real(statement);
	start = now_s();
	rc = real(statement);
	end = now_s();
	while (now_s() < 2 * end - start)
		;
	return rc;
}
