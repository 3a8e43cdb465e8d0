/* SPDX-License-Identifier: MIT */

/* Method: each function is the same call on what is wrapped; the tables say which exist. */

#include "forward.h"

#include <assert.h>
#include <string.h>

#define VERSION_MAX 3

static int min_int(int a, int b)
{
	return a < b ? a : b;
}

/* --- files */

static sqlite3_file *inner_file(sqlite3_file *file)
{
	return ((struct sc_forward_file *)file)->inner;
}

int sc_forward_close(sqlite3_file *file)
{
	sqlite3_file *inner = inner_file(file);
	int rc = inner->pMethods->xClose(inner);

	file->pMethods = NULL;
	return rc;
}

int sc_forward_read(sqlite3_file *file, void *data, int amount, sqlite3_int64 offset)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xRead(inner, data, amount, offset);
}

int sc_forward_write(sqlite3_file *file, const void *data, int amount, sqlite3_int64 offset)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xWrite(inner, data, amount, offset);
}

int sc_forward_truncate(sqlite3_file *file, sqlite3_int64 size)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xTruncate(inner, size);
}

int sc_forward_sync(sqlite3_file *file, int flags)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xSync(inner, flags);
}

int sc_forward_file_size(sqlite3_file *file, sqlite3_int64 *ret_size)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xFileSize(inner, ret_size);
}

int sc_forward_lock(sqlite3_file *file, int level)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xLock(inner, level);
}

int sc_forward_unlock(sqlite3_file *file, int level)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xUnlock(inner, level);
}

int sc_forward_check_reserved(sqlite3_file *file, int *ret_is_reserved)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xCheckReservedLock(inner, ret_is_reserved);
}

int sc_forward_file_control(sqlite3_file *file, int op, void *argument)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xFileControl(inner, op, argument);
}

int sc_forward_sector_size(sqlite3_file *file)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xSectorSize(inner);
}

int sc_forward_device_characteristics(sqlite3_file *file)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xDeviceCharacteristics(inner);
}

int sc_forward_shm_map(sqlite3_file *file, int region, int region_bytes, int is_extended,
		       void volatile **ret_memory)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xShmMap(inner, region, region_bytes, is_extended, ret_memory);
}

int sc_forward_shm_lock(sqlite3_file *file, int offset, int count, int flags)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xShmLock(inner, offset, count, flags);
}

void sc_forward_shm_barrier(sqlite3_file *file)
{
	sqlite3_file *inner = inner_file(file);

	inner->pMethods->xShmBarrier(inner);
}

int sc_forward_shm_unmap(sqlite3_file *file, int is_deleted)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xShmUnmap(inner, is_deleted);
}

int sc_forward_fetch(sqlite3_file *file, sqlite3_int64 offset, int amount, void **ret_page)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xFetch(inner, offset, amount, ret_page);
}

int sc_forward_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page)
{
	sqlite3_file *inner = inner_file(file);

	return inner->pMethods->xUnfetch(inner, offset, page);
}

static const sqlite3_io_methods plain = {
	.xClose = sc_forward_close,
	.xRead = sc_forward_read,
	.xWrite = sc_forward_write,
	.xTruncate = sc_forward_truncate,
	.xSync = sc_forward_sync,
	.xFileSize = sc_forward_file_size,
	.xLock = sc_forward_lock,
	.xUnlock = sc_forward_unlock,
	.xCheckReservedLock = sc_forward_check_reserved,
	.xFileControl = sc_forward_file_control,
	.xSectorSize = sc_forward_sector_size,
	.xDeviceCharacteristics = sc_forward_device_characteristics,
	.xShmMap = sc_forward_shm_map,
	.xShmLock = sc_forward_shm_lock,
	.xShmBarrier = sc_forward_shm_barrier,
	.xShmUnmap = sc_forward_shm_unmap,
	.xFetch = sc_forward_fetch,
	.xUnfetch = sc_forward_unfetch,
};

/* NULL where the wrapped file has none, the layer's where it has one, else the plain forwarder. */
#define CHOOSE(method) (!inner->method ? NULL : mine->method ? mine->method : plain.method)

static void build_methods(sqlite3_io_methods *ret_methods, const sqlite3_io_methods *inner,
			  const sqlite3_io_methods *mine)
{
	*ret_methods = (sqlite3_io_methods){
		.iVersion = min_int(inner->iVersion, VERSION_MAX),
		.xClose = CHOOSE(xClose),
		.xRead = CHOOSE(xRead),
		.xWrite = CHOOSE(xWrite),
		.xTruncate = CHOOSE(xTruncate),
		.xSync = CHOOSE(xSync),
		.xFileSize = CHOOSE(xFileSize),
		.xLock = CHOOSE(xLock),
		.xUnlock = CHOOSE(xUnlock),
		.xCheckReservedLock = CHOOSE(xCheckReservedLock),
		.xFileControl = CHOOSE(xFileControl),
		.xSectorSize = CHOOSE(xSectorSize),
		.xDeviceCharacteristics = CHOOSE(xDeviceCharacteristics),
	};

	/* An older table ends before these. */
	if (inner->iVersion >= 2) {
		ret_methods->xShmMap = CHOOSE(xShmMap);
		ret_methods->xShmLock = CHOOSE(xShmLock);
		ret_methods->xShmBarrier = CHOOSE(xShmBarrier);
		ret_methods->xShmUnmap = CHOOSE(xShmUnmap);
	}
	if (inner->iVersion >= 3) {
		ret_methods->xFetch = CHOOSE(xFetch);
		ret_methods->xUnfetch = CHOOSE(xUnfetch);
	}
}

int sc_forward_file_open(struct sc_forward_vfs *vfs, const char *name, sqlite3_file *file,
			 int flags, int *ret_flags, const sqlite3_io_methods *mine)
{
	struct sc_forward_file *self = (struct sc_forward_file *)file;
	int rc;

	self->base.pMethods = NULL;
	self->inner = (sqlite3_file *)(void *)((char *)file + vfs->file_bytes);
	self->inner->pMethods = NULL;
	rc = vfs->inner->xOpen(vfs->inner, name, self->inner, flags, ret_flags);
	if (self->inner->pMethods) {
		build_methods(&self->methods, self->inner->pMethods, mine);
		self->base.pMethods = &self->methods;
	}
	return rc;
}

/* --- the VFS */

static int forward_delete(sqlite3_vfs *vfs, const char *name, int is_directory_synced)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xDelete(inner, name, is_directory_synced);
}

static int forward_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret_result)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xAccess(inner, name, flags, ret_result);
}

static int forward_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *ret_path)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xFullPathname(inner, name, size, ret_path);
}

static void *forward_dl_open(sqlite3_vfs *vfs, const char *name)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xDlOpen(inner, name);
}

static void forward_dl_error(sqlite3_vfs *vfs, int size, char *ret_message)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	inner->xDlError(inner, size, ret_message);
}

static void (*forward_dl_sym(sqlite3_vfs *vfs, void *handle, const char *symbol))(void)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xDlSym(inner, handle, symbol);
}

static void forward_dl_close(sqlite3_vfs *vfs, void *handle)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	inner->xDlClose(inner, handle);
}

static int forward_randomness(sqlite3_vfs *vfs, int size, char *ret_bytes)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xRandomness(inner, size, ret_bytes);
}

static int forward_sleep(sqlite3_vfs *vfs, int microseconds)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xSleep(inner, microseconds);
}

static int forward_current_time(sqlite3_vfs *vfs, double *ret_days)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xCurrentTime(inner, ret_days);
}

static int forward_last_error(sqlite3_vfs *vfs, int size, char *ret_message)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xGetLastError(inner, size, ret_message);
}

static int forward_current_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *ret_ms)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xCurrentTimeInt64(inner, ret_ms);
}

static int forward_set_system_call(sqlite3_vfs *vfs, const char *name, sqlite3_syscall_ptr call)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xSetSystemCall(inner, name, call);
}

static sqlite3_syscall_ptr forward_get_system_call(sqlite3_vfs *vfs, const char *name)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xGetSystemCall(inner, name);
}

static const char *forward_next_system_call(sqlite3_vfs *vfs, const char *name)
{
	sqlite3_vfs *inner = sc_forward_inner(vfs);

	return inner->xNextSystemCall(inner, name);
}

#define FORWARD(method, function) (inner->method ? function : NULL)

void sc_forward_vfs_init(struct sc_forward_vfs *vfs, sqlite3_vfs *inner, const char *name,
			 size_t file_bytes)
{
	assert(strlen(name) < sizeof(vfs->name));

	*vfs = (struct sc_forward_vfs){.inner = inner,
				       .file_bytes = (file_bytes + 7u) & ~(size_t)7};
	strcpy(vfs->name, name);
	vfs->base = (sqlite3_vfs){
		.iVersion = min_int(inner->iVersion, VERSION_MAX),
		.szOsFile = (int)vfs->file_bytes + inner->szOsFile,
		.mxPathname = inner->mxPathname,
		.zName = vfs->name,
		.xDelete = FORWARD(xDelete, forward_delete),
		.xAccess = FORWARD(xAccess, forward_access),
		.xFullPathname = FORWARD(xFullPathname, forward_full_pathname),
		.xDlOpen = FORWARD(xDlOpen, forward_dl_open),
		.xDlError = FORWARD(xDlError, forward_dl_error),
		.xDlSym = FORWARD(xDlSym, forward_dl_sym),
		.xDlClose = FORWARD(xDlClose, forward_dl_close),
		.xRandomness = FORWARD(xRandomness, forward_randomness),
		.xSleep = FORWARD(xSleep, forward_sleep),
		.xCurrentTime = FORWARD(xCurrentTime, forward_current_time),
		.xGetLastError = FORWARD(xGetLastError, forward_last_error),
	};

	if (inner->iVersion >= 2)
		vfs->base.xCurrentTimeInt64 =
			FORWARD(xCurrentTimeInt64, forward_current_time_int64);
	if (inner->iVersion >= 3) {
		vfs->base.xSetSystemCall = FORWARD(xSetSystemCall, forward_set_system_call);
		vfs->base.xGetSystemCall = FORWARD(xGetSystemCall, forward_get_system_call);
		vfs->base.xNextSystemCall = FORWARD(xNextSystemCall, forward_next_system_call);
	}
}
