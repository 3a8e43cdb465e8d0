/* SPDX-License-Identifier: MIT */

/*
 * Method. The methods of a file, each the same: forward between two clock readings, book, then
 * draw conclusions. What the conclusions are is said in wait.c, commit.c, checkpoint.c, size.c.
 * The only things done before forwarding are what would be too late after it: a file that grows
 * publishes its size first, and a call that belongs to a checkpoint is in it from its start.
 *
 * A short read past the end of the file is an answer, not a failure; so is BUSY of a lock, and
 * "no such file control".
 */

#include "meter.h"

#include <errno.h>

#include "call.h"
#include "checkpoint.h"
#include "commit.h"
#include "host.h"
#include "link.h"
#include "size.h"
#include "wait.h"

#define WAL_HEADER_BYTES   32
#define FRAME_HEADER_BYTES 24
#define DB_HEADER_BYTES    100

static bool is_busy(int rc)
{
	return (rc & 0xff) == SQLITE_BUSY;
}

static struct sc_database *database_of(const struct sc_file *file)
{
	return &sc_ledger.meter->databases[file->database];
}

static void count_in(_Atomic uint64_t *counter)
{
	(void)atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

static void note_header(struct sc_file *file, const void *data, int amount, int64_t offset)
{
	if (offset == 0 && amount >= DB_HEADER_BYTES)
		sc_link_header(file, data);
}

/* --- reading */

static int meter_read(sqlite3_file *base, void *data, int amount, sqlite3_int64 offset)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	uint64_t bytes;
	int rc;

	if (!thread)
		return sc_forward_read(base, data, amount, offset);
	sc_checkpoint_step(thread, file, SC_OP_READ);
	sc_wait_read(thread);

	sc_call_start(&call, thread, SC_OP_READ);
	rc = sc_forward_read(base, data, amount, offset);
	/* How much of a short read there was is not told; nothing counts as accepted. */
	bytes = rc == SQLITE_OK ? (uint64_t)amount : 0;
	(void)sc_call_finish(&call, file->database, file->role, SC_OP_READ, bytes,
			     rc != SQLITE_OK && rc != SQLITE_IOERR_SHORT_READ);

	if (file->role == SC_ROLE_MAIN_DB)
		note_header(file, data, rc == SQLITE_OK ? amount : 0, offset);
	else if (file->role == SC_ROLE_MAIN_JOURNAL)
		sc_commit_journal_read(file, offset);
	else if (file->role == SC_ROLE_WAL)
		file->frame_read_at = amount > FRAME_HEADER_BYTES ? offset : -1;
	sc_call_leave(thread);
	return rc;
}

static int meter_fetch(sqlite3_file *base, sqlite3_int64 offset, int amount, void **ret_page)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_fetch(base, offset, amount, ret_page);
	sc_checkpoint_step(thread, file, SC_OP_FETCH);
	sc_wait_read(thread);

	sc_call_start(&call, thread, SC_OP_FETCH);
	rc = sc_forward_fetch(base, offset, amount, ret_page);
	if (rc != SQLITE_OK || *ret_page)
		(void)sc_call_finish(&call, file->database, file->role, SC_OP_FETCH,
				     rc == SQLITE_OK ? (uint64_t)amount : 0, rc != SQLITE_OK);
	sc_call_leave(thread);
	return rc;
}

static int meter_unfetch(sqlite3_file *base, sqlite3_int64 offset, void *page)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_unfetch(base, offset, page);
	if (!sc_call_is_chosen(thread)) {
		rc = sc_forward_unfetch(base, offset, page);
		sc_call_count(thread, file->database, file->role, SC_OP_UNFETCH);
	} else {
		sc_call_start(&call, thread, SC_OP_UNFETCH);
		rc = sc_forward_unfetch(base, offset, page);
		(void)sc_call_finish(&call, file->database, file->role, SC_OP_UNFETCH, 0,
				     rc != SQLITE_OK);
	}
	sc_call_leave(thread);
	return rc;
}

/* --- writing */

/*
 * A frame is written as its header, then its page. The header of an old frame is written again
 * when a page changed twice in one transaction; the whole frame was read just before.
 */
static void note_wal_write(struct sc_file *wal, int amount, int64_t offset)
{
	bool is_rewritten = wal->frame_read_at == offset;

	wal->frame_read_at = -1;
	if (amount == FRAME_HEADER_BYTES && offset >= WAL_HEADER_BYTES && !is_rewritten)
		count_in(&database_of(wal)->wal_frames);
}

static void note_wal_header(struct sc_file *wal, uint64_t known_bytes)
{
	count_in(known_bytes > WAL_HEADER_BYTES ? &database_of(wal)->wal_resets
						: &database_of(wal)->wal_creations);
}

static void conclude_write(struct sc_thread *thread, struct sc_file *file, int amount,
			   int64_t offset, uint64_t known_bytes)
{
	thread->written_bytes += (uint64_t)amount;
	sc_size_reach(file, (uint64_t)offset + (uint64_t)amount);
	if (file->role == SC_ROLE_WAL) {
		if (offset == 0)
			note_wal_header(file, known_bytes);
		else
			note_wal_write(file, amount, offset);
	}
	if (file->role == SC_ROLE_MAIN_DB)
		sc_checkpoint_copied(thread, file);
	sc_commit_write(file);
}

static int meter_write(sqlite3_file *base, const void *data, int amount, sqlite3_int64 offset)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	uint64_t known_bytes;
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_write(base, data, amount, offset);
	sc_checkpoint_step(thread, file, SC_OP_WRITE);
	sc_wait_moved_on(thread);
	sc_commit_before_write(thread, file);
	known_bytes = sc_size_known(file);
	sc_size_reach(file, (uint64_t)offset + (uint64_t)amount);

	sc_call_start(&call, thread, SC_OP_WRITE);
	rc = sc_forward_write(base, data, amount, offset);
	(void)sc_call_finish(&call, file->database, file->role, SC_OP_WRITE,
			     rc == SQLITE_OK ? (uint64_t)amount : 0, rc != SQLITE_OK);

	if (rc == SQLITE_OK) {
		conclude_write(thread, file, amount, offset, known_bytes);
		if (file->role == SC_ROLE_MAIN_DB)
			note_header(file, data, amount, offset);
	} else {
		sc_size_ask(thread, file);
	}
	sc_call_leave(thread);
	return rc;
}

static int meter_truncate(sqlite3_file *base, sqlite3_int64 size)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_truncate(base, size);
	sc_checkpoint_step(thread, file, SC_OP_TRUNCATE);
	sc_wait_moved_on(thread);

	sc_call_start(&call, thread, SC_OP_TRUNCATE);
	rc = sc_forward_truncate(base, size);
	(void)sc_call_finish(&call, file->database, file->role, SC_OP_TRUNCATE, 0, rc != SQLITE_OK);

	sc_checkpoint_called(thread);
	if (rc == SQLITE_OK)
		sc_size_truncated(thread, file, (uint64_t)size);
	if (file->role == SC_ROLE_MAIN_JOURNAL && size == 0)
		sc_commit_journal_done(file);
	sc_call_leave(thread);
	return rc;
}

static int meter_sync(sqlite3_file *base, int flags)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_sync(base, flags);
	sc_checkpoint_step(thread, file, SC_OP_SYNC);
	sc_wait_moved_on(thread);
	if (file->role == SC_ROLE_WAL)
		sc_checkpoint_before_sync(thread, file);

	sc_call_start(&call, thread, SC_OP_SYNC);
	rc = sc_forward_sync(base, flags);
	(void)sc_call_finish(&call, file->database, file->role, SC_OP_SYNC, 0, rc != SQLITE_OK);

	sc_checkpoint_called(thread);
	thread->syncs++;
	sc_call_leave(thread);
	return rc;
}

static int meter_file_size(sqlite3_file *base, sqlite3_int64 *ret_size)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	uint64_t known_bytes;
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_file_size(base, ret_size);
	sc_checkpoint_step(thread, file, SC_OP_FILE_SIZE);
	known_bytes = sc_size_known(file);

	sc_call_start(&call, thread, SC_OP_FILE_SIZE);
	rc = sc_forward_file_size(base, ret_size);
	(void)sc_call_finish(&call, file->database, file->role, SC_OP_FILE_SIZE, 0,
			     rc != SQLITE_OK);

	if (rc == SQLITE_OK && *ret_size >= 0)
		sc_size_seen(file, known_bytes, (uint64_t)*ret_size);
	sc_call_leave(thread);
	return rc;
}

/* --- locks of the main file */

static int meter_lock(sqlite3_file *base, int level)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	uint64_t end_ns;
	int rc;

	if (!thread)
		return sc_forward_lock(base, level);
	sc_checkpoint_step(thread, file, SC_OP_LOCK);

	sc_call_start(&call, thread, SC_OP_LOCK);
	rc = sc_forward_lock(base, level);
	end_ns = sc_call_finish(&call, file->database, file->role, SC_OP_LOCK, 0,
				rc != SQLITE_OK && !is_busy(rc));

	if (rc == SQLITE_OK) {
		sc_wait_got(thread, file, level, end_ns);
		file->lock_level = level;
		if (level >= SQLITE_LOCK_RESERVED)
			sc_commit_write_lock(thread, file);
	} else if (is_busy(rc)) {
		sc_wait_busy(thread, file, level, call.start_ns, end_ns);
	}
	sc_call_leave(thread);
	return rc;
}

static int meter_unlock(sqlite3_file *base, int level)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_unlock(base, level);
	sc_checkpoint_step(thread, file, SC_OP_UNLOCK);

	sc_call_start(&call, thread, SC_OP_UNLOCK);
	rc = sc_forward_unlock(base, level);
	(void)sc_call_finish(&call, file->database, file->role, SC_OP_UNLOCK, 0, rc != SQLITE_OK);

	if (rc == SQLITE_OK && level < file->lock_level) {
		file->lock_level = level;
		if (level <= SQLITE_LOCK_SHARED && !file->wal)
			sc_commit_write_unlock(file);
	}
	sc_call_leave(thread);
	return rc;
}

static int meter_check_reserved(sqlite3_file *base, int *ret_is_reserved)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_check_reserved(base, ret_is_reserved);
	sc_checkpoint_step(thread, file, SC_OP_CHECK_RESERVED);

	sc_call_start(&call, thread, SC_OP_CHECK_RESERVED);
	rc = sc_forward_check_reserved(base, ret_is_reserved);
	(void)sc_call_finish(&call, file->database, file->role, SC_OP_CHECK_RESERVED, 0,
			     rc != SQLITE_OK);
	sc_call_leave(thread);
	return rc;
}

/* --- file controls */

static void before_control(struct sc_thread *thread, struct sc_file *file, int op,
			   const void *argument)
{
	if (file->role == SC_ROLE_MAIN_DB)
		sc_checkpoint_before_control(thread, file, op);
	if (op == SQLITE_FCNTL_SIZE_HINT)
		sc_size_before_hint(file, *(const sqlite3_int64 *)argument);
	if (op == SQLITE_FCNTL_MMAP_SIZE && file->role == SC_ROLE_MAIN_DB)
		sc_link_mmap(file, *(const sqlite3_int64 *)argument);
}

/* SQLite refuses to change synchronous in a transaction; a VFS below may have taken the PRAGMA. */
static void note_pragma(struct sc_file *file, char *const *words, int rc)
{
	if (rc != SQLITE_NOTFOUND || file->role != SC_ROLE_MAIN_DB)
		return;
	if (file->connection && !sqlite3_get_autocommit(file->connection) &&
	    sqlite3_stricmp(words[1], sc_setting_name(SC_SETTING_SYNCHRONOUS)) == 0)
		return;
	sc_link_pragma(file, words[1], words[2]);
}

static void conclude_control(struct sc_thread *thread, struct sc_file *file, int op, void *argument,
			     int rc, uint64_t end_ns)
{
	switch (op) {
	case SQLITE_FCNTL_COMMIT_PHASETWO:
		if (file->role == SC_ROLE_MAIN_DB)
			sc_commit_phase_two(thread, file, end_ns);
		break;
	case SQLITE_FCNTL_PDB:
		if (file->role == SC_ROLE_MAIN_DB)
			sc_link_connection(file, *(sqlite3 *const *)argument);
		break;
	case SQLITE_FCNTL_PRAGMA:
		note_pragma(file, argument, rc);
		break;
	case SQLITE_FCNTL_SYNC_OMITTED:
		sc_add64(&thread->shard->syncs_omitted, 1);
		break;
	case SQLITE_FCNTL_CHUNK_SIZE:
		if (rc == SQLITE_OK && *(const int *)argument > 0)
			file->chunk_bytes = (uint64_t) * (const int *)argument;
		break;
	case SQLITE_FCNTL_SIZE_HINT:
		if (file->chunk_bytes)
			sc_size_ask(thread, file);
		break;
	default:
		break;
	}
}

/* As SQLite's own shims do: the name of the stack, top first. */
static void prefix_vfs_name(const struct sc_file *file, void *argument)
{
	char **name = argument;

	*name = sqlite3_mprintf("%s/%z", file->shim->forward.name, *name);
}

static int meter_file_control(sqlite3_file *base, int op, void *argument)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	uint64_t end_ns;
	int rc, saved;

	if (!thread) {
		rc = sc_forward_file_control(base, op, argument);
		if (rc == SQLITE_OK && op == SQLITE_FCNTL_VFSNAME)
			prefix_vfs_name(file, argument);
		return rc;
	}
	before_control(thread, file, op, argument);

	sc_call_start(&call, thread, SC_OP_FILE_CONTROL);
	rc = sc_forward_file_control(base, op, argument);
	saved = errno;
	end_ns = sc_call_finish(&call, file->database, file->role, SC_OP_FILE_CONTROL, 0,
				rc != SQLITE_OK && rc != SQLITE_NOTFOUND);

	sc_checkpoint_called(thread);
	conclude_control(thread, file, op, argument, rc, end_ns);
	if (rc == SQLITE_OK && op == SQLITE_FCNTL_VFSNAME)
		prefix_vfs_name(file, argument);
	errno = saved;
	sc_call_leave(thread);
	return rc;
}

static int meter_sector_size(sqlite3_file *base)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int bytes;

	if (!thread)
		return sc_forward_sector_size(base);
	if (!sc_call_is_chosen(thread)) {
		bytes = sc_forward_sector_size(base);
		sc_call_count(thread, file->database, file->role, SC_OP_SECTOR_SIZE);
	} else {
		sc_call_start(&call, thread, SC_OP_SECTOR_SIZE);
		bytes = sc_forward_sector_size(base);
		(void)sc_call_finish(&call, file->database, file->role, SC_OP_SECTOR_SIZE, 0,
				     false);
	}
	sc_call_leave(thread);
	return bytes;
}

static int meter_device_characteristics(sqlite3_file *base)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int flags;

	if (!thread)
		return sc_forward_device_characteristics(base);
	if (!sc_call_is_chosen(thread)) {
		flags = sc_forward_device_characteristics(base);
		sc_call_count(thread, file->database, file->role, SC_OP_DEVICE_CHARACTERISTICS);
	} else {
		sc_call_start(&call, thread, SC_OP_DEVICE_CHARACTERISTICS);
		flags = sc_forward_device_characteristics(base);
		(void)sc_call_finish(&call, file->database, file->role,
				     SC_OP_DEVICE_CHARACTERISTICS, 0, false);
	}
	sc_call_leave(thread);
	return flags;
}

/* --- shared memory of the WAL */

static int meter_shm_map(sqlite3_file *base, int region, int region_bytes, int is_extended,
			 void volatile **ret_memory)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	uint64_t end_bytes = ((uint64_t)region + 1) * (uint64_t)region_bytes;
	struct sc_call call;
	uint64_t end_ns;
	int rc;

	if (!thread)
		return sc_forward_shm_map(base, region, region_bytes, is_extended, ret_memory);
	sc_checkpoint_step(thread, file, SC_OP_SHM_MAP);

	sc_call_start(&call, thread, SC_OP_SHM_MAP);
	rc = sc_forward_shm_map(base, region, region_bytes, is_extended, ret_memory);
	end_ns = sc_call_finish(&call, file->database, SC_ROLE_SHM, SC_OP_SHM_MAP, 0,
				rc != SQLITE_OK && !is_busy(rc));

	if (rc == SQLITE_OK && *ret_memory &&
	    end_bytes > sc_ledger_size_known(file->database, SC_ROLE_SHM))
		sc_ledger_size(file->database, SC_ROLE_SHM, end_bytes);
	if (rc == SQLITE_OK)
		sc_wait_got(thread, file, SC_WAIT_SHM_MAP, end_ns);
	else if (is_busy(rc))
		sc_wait_busy(thread, file, SC_WAIT_SHM_MAP, call.start_ns, end_ns);
	sc_call_leave(thread);
	return rc;
}

static void conclude_shm_lock(struct sc_thread *thread, struct sc_file *file, int offset, int count,
			      int flags, uint64_t end_ns)
{
	bool is_one = count == 1 && (flags & SQLITE_SHM_EXCLUSIVE);

	if (flags & SQLITE_SHM_LOCK) {
		sc_wait_got(thread, file, SC_WAIT_SHM + offset, end_ns);
		if (is_one && offset == SC_SHM_WRITE)
			sc_commit_write_lock(thread, file);
		else if (is_one && offset == SC_SHM_CHECKPOINT)
			sc_checkpoint_locked(thread, file, end_ns);
	} else if (is_one && offset == SC_SHM_WRITE) {
		sc_commit_write_unlock(file);
	} else if (is_one && offset == SC_SHM_CHECKPOINT) {
		sc_checkpoint_unlocked(thread, file);
	}
}

static int meter_shm_lock(sqlite3_file *base, int offset, int count, int flags)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	uint64_t end_ns;
	int rc;

	if (!thread)
		return sc_forward_shm_lock(base, offset, count, flags);
	sc_checkpoint_step(thread, file, SC_OP_SHM_LOCK);

	sc_call_start(&call, thread, SC_OP_SHM_LOCK);
	rc = sc_forward_shm_lock(base, offset, count, flags);
	end_ns = sc_call_finish(&call, file->database, SC_ROLE_SHM, SC_OP_SHM_LOCK, 0,
				rc != SQLITE_OK && !is_busy(rc));

	if (rc == SQLITE_OK)
		conclude_shm_lock(thread, file, offset, count, flags, end_ns);
	else if (is_busy(rc))
		sc_wait_busy(thread, file, SC_WAIT_SHM + offset, call.start_ns, end_ns);
	sc_call_leave(thread);
	return rc;
}

static void meter_shm_barrier(sqlite3_file *base)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;

	if (!thread) {
		sc_forward_shm_barrier(base);
		return;
	}
	if (!sc_call_is_chosen(thread)) {
		sc_forward_shm_barrier(base);
		sc_call_count(thread, file->database, SC_ROLE_SHM, SC_OP_SHM_BARRIER);
	} else {
		sc_call_start(&call, thread, SC_OP_SHM_BARRIER);
		sc_forward_shm_barrier(base);
		(void)sc_call_finish(&call, file->database, SC_ROLE_SHM, SC_OP_SHM_BARRIER, 0,
				     false);
	}
	sc_call_leave(thread);
}

static int meter_shm_unmap(sqlite3_file *base, int is_deleted)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (!thread)
		return sc_forward_shm_unmap(base, is_deleted);
	sc_checkpoint_step(thread, file, SC_OP_SHM_UNMAP);

	sc_call_start(&call, thread, SC_OP_SHM_UNMAP);
	rc = sc_forward_shm_unmap(base, is_deleted);
	(void)sc_call_finish(&call, file->database, SC_ROLE_SHM, SC_OP_SHM_UNMAP, 0,
			     rc != SQLITE_OK);

	if (rc == SQLITE_OK && is_deleted)
		sc_ledger_size(file->database, SC_ROLE_SHM, 0);
	sc_call_leave(thread);
	return rc;
}

/* --- closing */

/* Nothing may point at a handle that is about to go. */
static void unlink_file(struct sc_file *file)
{
	if (file->role == SC_ROLE_MAIN_DB) {
		sc_link_remove(file);
		if (file->wal)
			file->wal->main = NULL;
	} else if (file->role == SC_ROLE_WAL && file->main && file->main->wal == file) {
		file->main->wal = NULL;
		sc_link_wal(file->main, false);
	} else if (file->role == SC_ROLE_MAIN_JOURNAL) {
		sc_commit_journal_done(file);
	}
}

static int meter_close(sqlite3_file *base)
{
	struct sc_file *file = sc_file_of(base);
	struct sc_shim *shim = file->shim;
	struct sc_thread *thread = sc_call_enter();
	struct sc_call call;
	int rc;

	if (thread) {
		sc_checkpoint_step(thread, file, SC_OP_CLOSE);
		if (thread->calls.checkpoint.main == file)
			sc_checkpoint_finish(thread);
	}
	unlink_file(file);
	if (thread) {
		sc_call_start(&call, thread, SC_OP_CLOSE);
		rc = sc_forward_close(base);
		(void)sc_call_finish(&call, file->database, file->role, SC_OP_CLOSE, 0,
				     rc != SQLITE_OK);
		sc_size_closed(file);
		sc_call_leave(thread);
	} else {
		rc = sc_forward_close(base);
	}
	(void)atomic_fetch_sub_explicit(&shim->open_files, 1, memory_order_release);
	return rc;
}

const sqlite3_io_methods sc_meter_io_methods = {
	.xClose = meter_close,
	.xRead = meter_read,
	.xWrite = meter_write,
	.xTruncate = meter_truncate,
	.xSync = meter_sync,
	.xFileSize = meter_file_size,
	.xLock = meter_lock,
	.xUnlock = meter_unlock,
	.xCheckReservedLock = meter_check_reserved,
	.xFileControl = meter_file_control,
	.xSectorSize = meter_sector_size,
	.xDeviceCharacteristics = meter_device_characteristics,
	.xShmMap = meter_shm_map,
	.xShmLock = meter_shm_lock,
	.xShmBarrier = meter_shm_barrier,
	.xShmUnmap = meter_shm_unmap,
	.xFetch = meter_fetch,
	.xUnfetch = meter_unfetch,
};
