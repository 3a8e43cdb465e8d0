/* SPDX-License-Identifier: MIT */
/*
 * What one call costs under each instrument, in nanoseconds.
 *
 * The shim wraps a VFS whose methods do nothing, so what is left is the shim. The tap's calls go to
 * a file on tmpfs and are compared with the same system call made by syscall(), which the tap does
 * not see. Each figure is the smallest of REPEATS passes over the same number of calls: other load
 * only ever adds.
 *
 * usage: bench-calls [CALLS]
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#include "syncost.h"

#define REPEATS    7
#define PAGE_BYTES 4096

static char page[PAGE_BYTES];

static uint64_t now_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void die(const char *what, int code)
{
	fprintf(stderr, "bench-calls: %s: %d\n", what, code);
	exit(4);
}

/* --- a VFS that does nothing */

static int null_close(sqlite3_file *file)
{
	(void)file;
	return SQLITE_OK;
}

static int null_read(sqlite3_file *file, void *data, int bytes, sqlite3_int64 offset)
{
	(void)file, (void)data, (void)bytes, (void)offset;
	return SQLITE_OK;
}

static int null_write(sqlite3_file *file, const void *data, int bytes, sqlite3_int64 offset)
{
	(void)file, (void)data, (void)bytes, (void)offset;
	return SQLITE_OK;
}

static int null_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	(void)file, (void)size;
	return SQLITE_OK;
}

static int null_flags(sqlite3_file *file, int flags)
{
	(void)file, (void)flags;
	return SQLITE_OK;
}

static int null_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
	(void)file;
	*ret_size = PAGE_BYTES;
	return SQLITE_OK;
}

static int null_check(sqlite3_file *file, int *ret_reserved)
{
	(void)file;
	*ret_reserved = 0;
	return SQLITE_OK;
}

static int null_control(sqlite3_file *file, int operation, void *argument)
{
	(void)file, (void)operation, (void)argument;
	return SQLITE_NOTFOUND;
}

static int null_property(sqlite3_file *file)
{
	(void)file;
	return 0;
}

static int null_shm_map(sqlite3_file *file, int region, int bytes, int extend, void volatile **ret)
{
	(void)file, (void)region, (void)bytes, (void)extend;
	*ret = page;
	return SQLITE_OK;
}

static int null_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
	(void)file, (void)offset, (void)count, (void)flags;
	return SQLITE_OK;
}

static void null_shm_barrier(sqlite3_file *file)
{
	(void)file;
}

static int null_fetch(sqlite3_file *file, sqlite3_int64 offset, int bytes, void **ret)
{
	(void)file, (void)offset, (void)bytes;
	*ret = page;
	return SQLITE_OK;
}

static int null_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *data)
{
	(void)file, (void)offset, (void)data;
	return SQLITE_OK;
}

static const sqlite3_io_methods null_methods = {
	.iVersion = 3,
	.xClose = null_close,
	.xRead = null_read,
	.xWrite = null_write,
	.xTruncate = null_truncate,
	.xSync = null_flags,
	.xFileSize = null_size,
	.xLock = null_flags,
	.xUnlock = null_flags,
	.xCheckReservedLock = null_check,
	.xFileControl = null_control,
	.xSectorSize = null_property,
	.xDeviceCharacteristics = null_property,
	.xShmMap = null_shm_map,
	.xShmLock = null_shm_lock,
	.xShmBarrier = null_shm_barrier,
	.xShmUnmap = null_flags,
	.xFetch = null_fetch,
	.xUnfetch = null_unfetch,
};

static int null_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *file, int flags,
		     int *ret_flags)
{
	(void)vfs, (void)name;
	file->pMethods = &null_methods;
	if (ret_flags)
		*ret_flags = flags;
	return SQLITE_OK;
}

/* --- the calls through the VFS */

static int call_read(sqlite3_file *file)
{
	return file->pMethods->xRead(file, page, PAGE_BYTES, 0);
}

static int call_write(sqlite3_file *file)
{
	return file->pMethods->xWrite(file, page, PAGE_BYTES, 0);
}

static int call_sync(sqlite3_file *file)
{
	return file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
}

static int call_size(sqlite3_file *file)
{
	sqlite3_int64 size;

	return file->pMethods->xFileSize(file, &size);
}

static int call_lock(sqlite3_file *file)
{
	return file->pMethods->xLock(file, SQLITE_LOCK_SHARED);
}

static int call_control(sqlite3_file *file)
{
	return file->pMethods->xFileControl(file, SQLITE_FCNTL_PRAGMA, NULL);
}

static int call_shm_lock(sqlite3_file *file)
{
	return file->pMethods->xShmLock(file, 0, 1, SQLITE_SHM_LOCK | SQLITE_SHM_SHARED);
}

static int call_shm_barrier(sqlite3_file *file)
{
	file->pMethods->xShmBarrier(file);
	return SQLITE_OK;
}

static int call_fetch(sqlite3_file *file)
{
	void *data;

	return file->pMethods->xFetch(file, 0, PAGE_BYTES, &data);
}

static int call_nothing(sqlite3_file *file)
{
	(void)file;
	return SQLITE_OK;
}

static int call_marks(sqlite3_file *file)
{
	(void)file;
	syncost_call_begin();
	syncost_call_end();
	return SQLITE_OK;
}

/* clang-format off */
static const struct {
	const char *name;
	int (*run)(sqlite3_file *file);
} vfs_calls[] = {
	{"xRead",        call_read},
	{"xWrite",       call_write},
	{"xSync",        call_sync},
	{"xFileSize",    call_size},
	{"xLock",        call_lock},
	{"xFileControl", call_control},
	{"xShmLock",     call_shm_lock},
	{"xShmBarrier",  call_shm_barrier},
	{"xFetch",       call_fetch},
};
/* clang-format on */

/* One way to make a call: a function and what it is given. */
struct way {
	int (*run)(sqlite3_file *file);
	sqlite3_file *file;
};

static uint64_t pass_ns(struct way way, uint64_t calls)
{
	uint64_t start_ns = now_ns();

	for (uint64_t i = 0; i < calls; i++)
		(void)way.run(way.file); /* some answer NOTFOUND, as the null VFS does */
	return now_ns() - start_ns;
}

/* A line of the table: the same call in two ways, passes taken in turn. */
static void compare(const char *name, struct way plain, struct way measured, uint64_t calls)
{
	uint64_t plain_ns = UINT64_MAX, measured_ns = UINT64_MAX;
	double scale = 1.0 / (double)calls;

	for (int pass = 0; pass < REPEATS; pass++) {
		uint64_t ns = pass_ns(plain, calls);

		plain_ns = ns < plain_ns ? ns : plain_ns;
		ns = pass_ns(measured, calls);
		measured_ns = ns < measured_ns ? ns : measured_ns;
	}
	printf("%-16s %10.1f %10.1f %10.1f\n", name, (double)plain_ns * scale,
	       (double)measured_ns * scale, ((double)measured_ns - (double)plain_ns) * scale);
}

static sqlite3_file *open_through(const char *vfs_name, const char *path, int flags)
{
	sqlite3_vfs *vfs = sqlite3_vfs_find(vfs_name);
	sqlite3_file *file;
	int rc;

	if (!vfs)
		die(vfs_name, SQLITE_NOTFOUND);
	file = calloc(1, (size_t)vfs->szOsFile);
	if (!file)
		die("calloc", 0);
	rc = vfs->xOpen(vfs, path, file, flags | SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, NULL);
	if (rc)
		die("xOpen", rc);
	return file;
}

static void close_through(sqlite3_file *file)
{
	if (file->pMethods)
		(void)file->pMethods->xClose(file); /* the null VFS cannot fail */
	free(file);
}

static void bench_shim(uint64_t calls)
{
	const char *name = sqlite3_create_filename("/null/x.db", "/null/x.db-journal",
						   "/null/x.db-wal", 0, NULL);
	sqlite3_file *plain, *measured;
	int rc;

	rc = syncost_register("null", "shim", false);
	if (rc)
		die("syncost_register", rc);
	plain = open_through("null", name, SQLITE_OPEN_MAIN_DB);
	measured = open_through("shim", name, SQLITE_OPEN_MAIN_DB);

	printf("%-16s %10s %10s %10s\n", "shim", "null ns", "shim ns", "cost ns");
	for (size_t i = 0; i < sizeof(vfs_calls) / sizeof(vfs_calls[0]); i++)
		compare(vfs_calls[i].name, (struct way){vfs_calls[i].run, plain},
			(struct way){vfs_calls[i].run, measured}, calls);
	compare("begin + end", (struct way){call_nothing, NULL}, (struct way){call_marks, NULL},
		calls);

	close_through(measured);
	close_through(plain);
	rc = syncost_unregister("shim");
	if (rc)
		die("syncost_unregister", rc);
	sqlite3_free_filename(name);
}

/* --- the calls of libc, and the same past the tap */

static int tap_fd = -1;

static int libc_pread(sqlite3_file *file)
{
	(void)file;
	return (int)pread(tap_fd, page, 1, PAGE_BYTES);
}

static int raw_pread(sqlite3_file *file)
{
	(void)file;
	return (int)syscall(SYS_pread64, tap_fd, page, 1, PAGE_BYTES);
}

static int libc_pwrite(sqlite3_file *file)
{
	(void)file;
	return (int)pwrite(tap_fd, page, 1, 0);
}

static int raw_pwrite(sqlite3_file *file)
{
	(void)file;
	return (int)syscall(SYS_pwrite64, tap_fd, page, 1, 0);
}

static int libc_fdatasync(sqlite3_file *file)
{
	(void)file;
	return fdatasync(tap_fd);
}

static int raw_fdatasync(sqlite3_file *file)
{
	(void)file;
	return (int)syscall(SYS_fdatasync, tap_fd);
}

static int libc_lseek(sqlite3_file *file)
{
	(void)file;
	return (int)lseek(tap_fd, 0, SEEK_SET);
}

static int raw_lseek(sqlite3_file *file)
{
	(void)file;
	return (int)syscall(SYS_lseek, tap_fd, 0, SEEK_SET);
}

static const struct {
	const char *name;
	int (*raw)(sqlite3_file *file);
	int (*tapped)(sqlite3_file *file);
} libc_calls[] = {
	{"pread", raw_pread, libc_pread},
	{"pwrite", raw_pwrite, libc_pwrite},
	{"fdatasync", raw_fdatasync, libc_fdatasync},
	{"lseek", raw_lseek, libc_lseek},
};

static void bench_tap(uint64_t calls)
{
	char path[] = "/dev/shm/syncost-bench-XXXXXX";
	int rc, fd;

	fd = mkstemp(path);
	if (fd < 0)
		die("mkstemp in /dev/shm", fd);
	(void)close(fd); /* opened again below, where the tap can see it */
	rc = syncost_tap_start();
	if (rc)
		die("syncost_tap_start", rc);
	rc = syncost_tap_database(path);
	if (rc)
		die("syncost_tap_database", rc);
	tap_fd = open(path, O_RDWR | O_CLOEXEC);
	if (tap_fd < 0)
		die("open", tap_fd);

	printf("\n%-16s %10s %10s %10s\n", "tap", "raw ns", "tap ns", "cost ns");
	for (size_t i = 0; i < sizeof(libc_calls) / sizeof(libc_calls[0]); i++)
		compare(libc_calls[i].name, (struct way){libc_calls[i].raw, NULL},
			(struct way){libc_calls[i].tapped, NULL}, calls);
	(void)close(tap_fd); /* nothing was written that matters */
	syncost_tap_stop();
	(void)unlink(path); /* a leftover on tmpfs is all that could follow */
}

int main(int argc, char **argv)
{
	static sqlite3_vfs null_vfs = {
		.iVersion = 1,
		.szOsFile = sizeof(sqlite3_file),
		.mxPathname = 512,
		.zName = "null",
		.xOpen = null_open,
	};
	uint64_t calls = argc > 1 ? strtoull(argv[1], NULL, 10) : 200000;
	int rc;

	if (!calls) {
		fprintf(stderr, "usage: bench-calls [CALLS]\n");
		return 2;
	}
	for (int cpu = 0; cpu < 2; cpu++) {
		struct syncost_options options = {.anonymous = true, .cpu = cpu};

		printf("%s--- CPU readings %s, %" PRIu64 " calls, best of %d\n", cpu ? "\n" : "",
		       cpu ? "on" : "off", calls, REPEATS);
		rc = syncost_start(&options);
		if (rc)
			die("syncost_start", rc);
		if (!cpu) {
			rc = sqlite3_initialize();
			if (rc == SQLITE_OK)
				rc = sqlite3_vfs_register(&null_vfs, 0);
			if (rc)
				die("sqlite3_vfs_register", rc);
		}
		bench_shim(calls);
		bench_tap(calls);
		rc = syncost_stop();
		if (rc)
			die("syncost_stop", rc);
	}
	return 0;
}
