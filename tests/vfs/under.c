/* SPDX-License-Identifier: MIT */
#include "under.h"

#include <assert.h>
#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct under under;

struct under_file {
	sqlite3_file base;
	enum sc_role role;
	sqlite3_io_methods methods;
	sqlite3_file *real;
};

static sqlite3_vfs *real;
static sqlite3_vfs vfs;

#define REAL(file) (((struct under_file *)(file))->real)
#define ROLE(file) (((struct under_file *)(file))->role)

static void count(enum sc_role role, enum sc_op op, int rc, uint64_t bytes)
{
	struct under_counts *counts = &under.counts[role][op];

	atomic_fetch_add(&counts->calls, 1);
	if (rc == SQLITE_OK)
		atomic_fetch_add(&counts->bytes, bytes);
	else if ((rc & 0xff) == SQLITE_BUSY)
		atomic_fetch_add(&under.busy, 1);
	else if (rc != SQLITE_IOERR_SHORT_READ && rc != SQLITE_NOTFOUND)
		atomic_fetch_add(&counts->failures, 1);
}

static uint64_t wall_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void pause_us(uint32_t us)
{
	struct timespec rest = {.tv_sec = us / 1000000, .tv_nsec = (long)(us % 1000000) * 1000};
	uint64_t start_ns;

	if (us == 0)
		return;
	start_ns = wall_ns();
	while (nanosleep(&rest, &rest) != 0 && errno == EINTR)
		;
	atomic_fetch_add(&under.planted_ns, wall_ns() - start_ns);
}

static uint64_t thread_cpu_us(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return (uint64_t)now.tv_sec * 1000000u + (uint64_t)now.tv_nsec / 1000u;
}

static void burn_us(uint32_t us)
{
	uint64_t start_us = us ? thread_cpu_us() : 0;

	while (us && thread_cpu_us() - start_us < us)
		;
}

/* --- files */

static int under_close(sqlite3_file *file)
{
	enum sc_role role = ROLE(file);
	int rc = REAL(file)->pMethods->xClose(REAL(file));

	count(role, SC_OP_CLOSE, rc, 0);
	file->pMethods = NULL;
	return rc;
}

static int under_read(sqlite3_file *file, void *data, int amount, sqlite3_int64 offset)
{
	int rc = REAL(file)->pMethods->xRead(REAL(file), data, amount, offset);

	pause_us(under.read_us);
	count(ROLE(file), SC_OP_READ, rc, (uint64_t)amount);
	return rc;
}

static int under_write(sqlite3_file *file, const void *data, int amount, sqlite3_int64 offset)
{
	int rc;

	if (under.on_write)
		under.on_write(ROLE(file), (uint64_t)offset + (uint64_t)amount);
	if (under.failing_write && atomic_fetch_sub(&under.failing_write, 1) == 1)
		rc = SQLITE_IOERR_WRITE;
	else
		rc = REAL(file)->pMethods->xWrite(REAL(file), data, amount, offset);
	pause_us(under.write_us);
	burn_us(under.spin_us);
	count(ROLE(file), SC_OP_WRITE, rc, (uint64_t)amount);
	return rc;
}

static int under_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	int rc = REAL(file)->pMethods->xTruncate(REAL(file), size);

	count(ROLE(file), SC_OP_TRUNCATE, rc, 0);
	return rc;
}

static int under_sync(sqlite3_file *file, int flags)
{
	int rc = REAL(file)->pMethods->xSync(REAL(file), flags);

	pause_us(under.sync_us);
	count(ROLE(file), SC_OP_SYNC, rc, 0);
	return rc;
}

static int under_file_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
	int rc = REAL(file)->pMethods->xFileSize(REAL(file), ret_size);

	count(ROLE(file), SC_OP_FILE_SIZE, rc, 0);
	return rc;
}

static int under_lock(sqlite3_file *file, int level)
{
	int rc = REAL(file)->pMethods->xLock(REAL(file), level);

	count(ROLE(file), SC_OP_LOCK, rc, 0);
	return rc;
}

static int under_unlock(sqlite3_file *file, int level)
{
	int rc = REAL(file)->pMethods->xUnlock(REAL(file), level);

	count(ROLE(file), SC_OP_UNLOCK, rc, 0);
	return rc;
}

static int under_check_reserved(sqlite3_file *file, int *ret_is_reserved)
{
	int rc = REAL(file)->pMethods->xCheckReservedLock(REAL(file), ret_is_reserved);

	count(ROLE(file), SC_OP_CHECK_RESERVED, rc, 0);
	return rc;
}

static int under_file_control(sqlite3_file *file, int op, void *argument)
{
	int rc = REAL(file)->pMethods->xFileControl(REAL(file), op, argument);

	count(ROLE(file), SC_OP_FILE_CONTROL, rc, 0);
	return rc;
}

static int under_sector_size(sqlite3_file *file)
{
	count(ROLE(file), SC_OP_SECTOR_SIZE, SQLITE_OK, 0);
	return REAL(file)->pMethods->xSectorSize(REAL(file));
}

static int under_device_characteristics(sqlite3_file *file)
{
	count(ROLE(file), SC_OP_DEVICE_CHARACTERISTICS, SQLITE_OK, 0);
	return REAL(file)->pMethods->xDeviceCharacteristics(REAL(file));
}

static int under_shm_map(sqlite3_file *file, int region, int size, int extend,
			 void volatile **ret_memory)
{
	int rc = REAL(file)->pMethods->xShmMap(REAL(file), region, size, extend, ret_memory);

	count(SC_ROLE_SHM, SC_OP_SHM_MAP, rc, 0);
	return rc;
}

static int under_shm_lock(sqlite3_file *file, int offset, int n, int flags)
{
	int rc = REAL(file)->pMethods->xShmLock(REAL(file), offset, n, flags);

	count(SC_ROLE_SHM, SC_OP_SHM_LOCK, rc, 0);
	return rc;
}

static void under_shm_barrier(sqlite3_file *file)
{
	REAL(file)->pMethods->xShmBarrier(REAL(file));
	count(SC_ROLE_SHM, SC_OP_SHM_BARRIER, SQLITE_OK, 0);
}

static int under_shm_unmap(sqlite3_file *file, int is_deleted)
{
	int rc = REAL(file)->pMethods->xShmUnmap(REAL(file), is_deleted);

	count(SC_ROLE_SHM, SC_OP_SHM_UNMAP, rc, 0);
	return rc;
}

static int under_fetch(sqlite3_file *file, sqlite3_int64 offset, int amount, void **ret_page)
{
	int rc = REAL(file)->pMethods->xFetch(REAL(file), offset, amount, ret_page);

	if (rc != SQLITE_OK || *ret_page)
		count(ROLE(file), SC_OP_FETCH, rc, (uint64_t)amount);
	return rc;
}

static int under_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page)
{
	int rc = REAL(file)->pMethods->xUnfetch(REAL(file), offset, page);

	count(ROLE(file), SC_OP_UNFETCH, rc, 0);
	return rc;
}

static const sqlite3_io_methods all_methods = {
	3,
	under_close,
	under_read,
	under_write,
	under_truncate,
	under_sync,
	under_file_size,
	under_lock,
	under_unlock,
	under_check_reserved,
	under_file_control,
	under_sector_size,
	under_device_characteristics,
	under_shm_map,
	under_shm_lock,
	under_shm_barrier,
	under_shm_unmap,
	under_fetch,
	under_unfetch,
};

/* What lies behind the end of an old table is no NULL but somebody else's data. */
static int must_not_be_called(void)
{
	abort();
}

static void poison(void *methods, size_t from, size_t to)
{
	int (*trap)(void) = must_not_be_called;

	for (size_t at = from; at < to; at += sizeof(trap))
		memcpy((char *)methods + at, &trap, sizeof(trap));
}

static enum sc_role role_of(int flags)
{
	switch (flags & 0x0fff00) {
	case SQLITE_OPEN_MAIN_DB:
		return SC_ROLE_MAIN_DB;
	case SQLITE_OPEN_TEMP_DB:
		return SC_ROLE_TEMP_DB;
	case SQLITE_OPEN_TRANSIENT_DB:
		return SC_ROLE_TRANSIENT_DB;
	case SQLITE_OPEN_MAIN_JOURNAL:
		return SC_ROLE_MAIN_JOURNAL;
	case SQLITE_OPEN_TEMP_JOURNAL:
		return SC_ROLE_TEMP_JOURNAL;
	case SQLITE_OPEN_SUBJOURNAL:
		return SC_ROLE_SUBJOURNAL;
	case SQLITE_OPEN_SUPER_JOURNAL:
		return SC_ROLE_SUPER_JOURNAL;
	case SQLITE_OPEN_WAL:
		return SC_ROLE_WAL;
	default:
		return SC_ROLE_OTHER;
	}
}

/* --- the VFS */

static int under_open(sqlite3_vfs *self, const char *name, sqlite3_file *file, int flags,
		      int *ret_flags)
{
	struct under_file *mine = (struct under_file *)file;
	int rc;

	(void)self;
	mine->real = (sqlite3_file *)(void *)(mine + 1);
	mine->role = role_of(flags);
	mine->base.pMethods = NULL;
	rc = real->xOpen(real, name, mine->real, flags, ret_flags);
	count(mine->role, SC_OP_OPEN, rc, 0);
	if (rc != SQLITE_OK)
		return rc;

	atomic_fetch_add(&under.opened, 1);
	mine->methods = all_methods;
	mine->methods.iVersion = under.version;
	if (under.version < 2)
		poison(&mine->methods, offsetof(sqlite3_io_methods, xShmMap),
		       offsetof(sqlite3_io_methods, xFetch));
	if (under.version < 3)
		poison(&mine->methods, offsetof(sqlite3_io_methods, xFetch),
		       sizeof(sqlite3_io_methods));
	if (under.lacks_shm) {
		mine->methods.xShmMap = NULL;
		mine->methods.xShmLock = NULL;
		mine->methods.xShmBarrier = NULL;
		mine->methods.xShmUnmap = NULL;
	}
	mine->base.pMethods = &mine->methods;
	return rc;
}

/* By the end of the name alone; in tests no database has such a name itself. */
static enum sc_role role_of_name(const char *name)
{
	size_t length = strlen(name);
	const char *dash = strrchr(name, '-');

	if (length > 12 && strncmp(name + length - 12, "-mj", 3) == 0)
		return SC_ROLE_SUPER_JOURNAL;
	if (dash && strcmp(dash, "-wal") == 0)
		return SC_ROLE_WAL;
	if (dash && strcmp(dash, "-journal") == 0)
		return SC_ROLE_MAIN_JOURNAL;
	return SC_ROLE_MAIN_DB;
}

static int under_delete(sqlite3_vfs *self, const char *name, int is_synced)
{
	int rc = real->xDelete(real, name, is_synced);

	(void)self;
	count(role_of_name(name), SC_OP_DELETE, rc, 0);
	return rc;
}

static int under_access(sqlite3_vfs *self, const char *name, int flags, int *ret_result)
{
	int rc = real->xAccess(real, name, flags, ret_result);

	(void)self;
	count(role_of_name(name), SC_OP_ACCESS, rc, 0);
	return rc;
}

static int under_full_pathname(sqlite3_vfs *self, const char *name, int size, char *ret_path)
{
	(void)self;
	count(SC_ROLE_OTHER, SC_OP_FULL_PATHNAME, SQLITE_OK, 0);
	return real->xFullPathname(real, name, size, ret_path);
}

static int under_sleep(sqlite3_vfs *self, int us)
{
	(void)self;
	count(SC_ROLE_OTHER, SC_OP_SLEEP, SQLITE_OK, 0);
	return real->xSleep(real, us);
}

static int under_randomness(sqlite3_vfs *self, int size, char *ret_bytes)
{
	(void)self;
	count(SC_ROLE_OTHER, SC_OP_RANDOMNESS, SQLITE_OK, 0);
	return real->xRandomness(real, size, ret_bytes);
}

void under_register(void)
{
	if (real)
		return;
	real = sqlite3_vfs_find("unix");
	assert(real);
	vfs = *real;
	vfs.pNext = NULL;
	vfs.zName = UNDER_NAME;
	vfs.szOsFile = (int)sizeof(struct under_file) + real->szOsFile;
	vfs.xOpen = under_open;
	vfs.xDelete = under_delete;
	vfs.xAccess = under_access;
	vfs.xFullPathname = under_full_pathname;
	vfs.xSleep = under_sleep;
	vfs.xRandomness = under_randomness;
	sqlite3_vfs_register(&vfs, 0);
	under_clear();
}

void under_clear(void)
{
	memset(&under, 0, sizeof(under));
	under.version = 3;
}
