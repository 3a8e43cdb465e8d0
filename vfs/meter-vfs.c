/* SPDX-License-Identifier: MIT */

/*
 * Method. The methods of the VFS. Opening a file decides all that its calls are booked under: role,
 * database, and the connection it belongs to; its size is asked from the VFS underneath once, so
 * that it is right before the first write. What the dl calls and the random generator do has no
 * file and is booked under slot 0.
 */

#include "meter.h"

#include <errno.h>
#include <string.h>

#include "call.h"
#include "checkpoint.h"
#include "link.h"
#include "role.h"
#include "size.h"
#include "wait.h"

static sqlite3_vfs *inner_of(sqlite3_vfs *vfs)
{
	return sc_forward_inner(vfs);
}

/* --- files */

/* The database that a named file belongs to, and its role if the flags name none. */
static uint32_t database_for(const char *name, enum sc_role *role)
{
	enum sc_role found_role;
	uint32_t database;

	if (!name)
		return 0;
	if (*role == SC_ROLE_MAIN_DB)
		return sc_ledger_database(name);
	if (!sc_role_is_shared(*role) && *role != SC_ROLE_OTHER)
		return 0;
	database = sc_ledger_database_find(name, &found_role);
	if (*role == SC_ROLE_OTHER && database && found_role != SC_ROLE_DIRECTORY)
		*role = found_role;
	return database;
}

static void init_file(struct sc_file *file, struct sc_shim *shim, const char *name, int flags)
{
	/* Everything behind the forwarder's part, which opening fills. */
	memset((char *)file + sizeof(file->forward), 0, sizeof(*file) - sizeof(file->forward));
	file->shim = shim;
	file->name = name;
	file->role = sc_role_of(flags);
	file->database = database_for(name, &file->role);
	file->frame_read_at = -1;
	file->sibling = file;
}

static void join_connection(struct sc_file *file)
{
	switch ((int)file->role) {
	case SC_ROLE_MAIN_DB:
		file->main = file;
		sc_link_add(file);
		break;
	case SC_ROLE_WAL:
		file->main = sc_link_main(file);
		if (file->main) {
			file->main->wal = file;
			sc_link_wal(file->main, true);
		}
		break;
	case SC_ROLE_MAIN_JOURNAL:
		file->main = sc_link_main(file);
		break;
	default:
		break;
	}
}

static int meter_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *base, int flags,
		      int *ret_flags)
{
	struct sc_shim *shim = (struct sc_shim *)(void *)vfs;
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	init_file(file, shim, name, flags);
	if (thread) {
		sc_checkpoint_step(thread, file, SC_OP_OPEN);
		thread->opening = 1 + file->database * SC_ROLE_COUNT_ + file->role;
		sc_call_start(&call, thread, SC_OP_OPEN);
	}
	rc = sc_forward_file_open(&shim->forward, name, base, flags, ret_flags,
				  &sc_meter_io_methods);
	if (thread) {
		(void)sc_call_finish(&call, file->database, file->role, SC_OP_OPEN, 0,
				     rc != SQLITE_OK);
		thread->opening = 0;
	}
	if (base->pMethods) {
		(void)atomic_fetch_add_explicit(&shim->open_files, 1, memory_order_relaxed);
		join_connection(file);
		if (thread && rc == SQLITE_OK)
			sc_size_ask(thread, file);
	}
	if (thread)
		sc_call_leave(thread);
	return rc;
}

static int meter_delete(sqlite3_vfs *vfs, const char *name, int is_directory_synced)
{
	struct sc_thread *thread = sc_call_enter();
	enum sc_role role;
	struct sc_call call;
	uint32_t database;
	int rc;

	if (!thread)
		return inner_of(vfs)->xDelete(inner_of(vfs), name, is_directory_synced);
	sc_checkpoint_step(thread, NULL, SC_OP_DELETE);
	sc_wait_moved_on(thread);
	database = sc_ledger_database_find(name, &role);

	sc_call_start(&call, thread, SC_OP_DELETE);
	rc = inner_of(vfs)->xDelete(inner_of(vfs), name, is_directory_synced);
	(void)sc_call_finish(&call, database, role, SC_OP_DELETE, 0, rc != SQLITE_OK);

	if (rc == SQLITE_OK && database && sc_role_is_shared(role))
		sc_ledger_size(database, role, 0);
	sc_call_leave(thread);
	return rc;
}

static int meter_access(sqlite3_vfs *vfs, const char *name, int flags, int *ret_result)
{
	struct sc_thread *thread = sc_call_enter();
	enum sc_role role;
	struct sc_call call;
	uint32_t database;
	int rc;

	if (!thread)
		return inner_of(vfs)->xAccess(inner_of(vfs), name, flags, ret_result);
	sc_checkpoint_step(thread, NULL, SC_OP_ACCESS);
	database = sc_ledger_database_find(name, &role);

	sc_call_start(&call, thread, SC_OP_ACCESS);
	rc = inner_of(vfs)->xAccess(inner_of(vfs), name, flags, ret_result);
	(void)sc_call_finish(&call, database, role, SC_OP_ACCESS, 0, rc != SQLITE_OK);
	sc_call_leave(thread);
	return rc;
}

static int meter_full_pathname(sqlite3_vfs *vfs, const char *name, int size, char *ret_path)
{
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (!thread)
		return inner_of(vfs)->xFullPathname(inner_of(vfs), name, size, ret_path);
	sc_call_start(&call, thread, SC_OP_FULL_PATHNAME);
	rc = inner_of(vfs)->xFullPathname(inner_of(vfs), name, size, ret_path);
	/* A name that leads through a symbolic link is an answer of its own. */
	(void)sc_call_finish(&call, 0, SC_ROLE_OTHER, SC_OP_FULL_PATHNAME, 0,
			     rc != SQLITE_OK && rc != SQLITE_OK_SYMLINK);
	sc_call_leave(thread);
	return rc;
}

/* --- the rest */

static int meter_sleep(sqlite3_vfs *vfs, int microseconds)
{
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	uint64_t end_ns;
	int slept;

	if (!thread)
		return inner_of(vfs)->xSleep(inner_of(vfs), microseconds);
	sc_call_start(&call, thread, SC_OP_SLEEP);
	slept = inner_of(vfs)->xSleep(inner_of(vfs), microseconds);
	end_ns = sc_call_finish(&call, 0, SC_ROLE_OTHER, SC_OP_SLEEP, 0, false);
	sc_wait_sleep(thread, end_ns);
	sc_call_leave(thread);
	return slept;
}

static int meter_randomness(sqlite3_vfs *vfs, int size, char *ret_bytes)
{
	struct sc_thread *thread = sc_call_enter();
	int filled = inner_of(vfs)->xRandomness(inner_of(vfs), size, ret_bytes);

	if (thread) {
		sc_call_count(thread, 0, SC_ROLE_OTHER, SC_OP_RANDOMNESS);
		sc_call_leave(thread);
	}
	return filled;
}

static int meter_current_time(sqlite3_vfs *vfs, double *ret_days)
{
	struct sc_thread *thread = sc_call_enter();
	int rc = inner_of(vfs)->xCurrentTime(inner_of(vfs), ret_days);

	if (thread) {
		sc_call_count(thread, 0, SC_ROLE_OTHER, SC_OP_CURRENT_TIME);
		sc_call_leave(thread);
	}
	return rc;
}

static int meter_current_time_int64(sqlite3_vfs *vfs, sqlite3_int64 *ret_ms)
{
	struct sc_thread *thread = sc_call_enter();
	int rc = inner_of(vfs)->xCurrentTimeInt64(inner_of(vfs), ret_ms);

	if (thread) {
		sc_call_count(thread, 0, SC_ROLE_OTHER, SC_OP_CURRENT_TIME);
		sc_call_leave(thread);
	}
	return rc;
}

static void *meter_dl_open(sqlite3_vfs *vfs, const char *name)
{
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	void *handle;

	if (!thread)
		return inner_of(vfs)->xDlOpen(inner_of(vfs), name);
	sc_call_start(&call, thread, SC_OP_DLOPEN);
	handle = inner_of(vfs)->xDlOpen(inner_of(vfs), name);
	(void)sc_call_finish(&call, 0, SC_ROLE_OTHER, SC_OP_DLOPEN, 0, handle == NULL);
	sc_call_leave(thread);
	return handle;
}

#define OVERRIDE(method, function)                                                                 \
	do {                                                                                       \
		if (vfs->method)                                                                   \
			vfs->method = function;                                                    \
	} while (0)

void sc_meter_wrap(struct sc_shim *shim, sqlite3_vfs *inner, const char *name)
{
	sqlite3_vfs *vfs = &shim->forward.base;

	sc_forward_vfs_init(&shim->forward, inner, name, sizeof(struct sc_file));
	vfs->xOpen = meter_open;
	vfs->xDelete = meter_delete;
	vfs->xAccess = meter_access;
	vfs->xFullPathname = meter_full_pathname;
	OVERRIDE(xDlOpen, meter_dl_open);
	OVERRIDE(xRandomness, meter_randomness);
	OVERRIDE(xSleep, meter_sleep);
	OVERRIDE(xCurrentTime, meter_current_time);
	OVERRIDE(xCurrentTimeInt64, meter_current_time_int64);
}
