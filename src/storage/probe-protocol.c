/* SPDX-License-Identifier: MIT */

/*
 * One commit as SQLite makes it, call by call in its order: a transaction that changes one row of a
 * small table, pages of 4 KiB, locking NORMAL, on a build that syncs with fdatasync. A test
 * compares the calls with those of the library.
 *
 * The order matters. A look at a file (fstat) makes recent kernels keep its times exactly, and then
 * the next sync carries metadata; as root SQLite gives a journal to the database's owner each time
 * it opens one, which does the same. Locks are taken as SQLite takes them, though nobody is there
 * to be locked out; what it does in memory (checksums, the WAL's index) is not replayed.
 */

#include "probe-protocol.h"

#include <assert.h>
#include <fcntl.h>
#include <string.h>

#include "../base/attr.h"
#include "probe-journal.h"

/* Which journals, and which levels, have a step. */
enum { DEL = 1, TRU = 2, PER = 4, ALL = DEL | TRU | PER };
enum { N = 1, F = 2, X = 4, NFX = N | F | X, FX = F | X };

#define PAGE     SC_PROTOCOL_PAGE_BYTES
#define WAL_HEAD SC_PROTOCOL_WAL_HEAD_BYTES

#define PENDING  1073741824u
#define RESERVED (PENDING + 1)
#define SHARED   (PENDING + 2)
#define SHARED_N 510u
#define WRITER   120u /* in the shm */
#define READER   124u

/* clang-format off */
static const struct sc_step rollback[] = {
	{SETLK, DB, PENDING, 1, F_RDLCK, ALL, NFX, 0, 0},
	{SETLK, DB, SHARED, SHARED_N, F_RDLCK, ALL, NFX, 0, 0},
	{SETLK, DB, PENDING, 1, F_UNLCK, ALL, NFX, 0, 0},
	{STAT, JOURNAL, 0, 0, 0, ALL, NFX, 0, 0},
	{GETLK, DB, RESERVED, 1, F_WRLCK, PER, NFX, 0, 0},
	{FSTAT, DB, 0, 0, 0, PER, NFX, 0, 0},
	{STAT, DB, 0, 0, 0, PER, NFX, 0, 0},
	{REOPEN, JOURNAL, 0, 0, 0, PER, NFX, 0, 0},
	{FSTAT, JOURNAL, 0, 0, 0, PER, NFX, 0, 0},
	{CHOWN, JOURNAL, 0, 0, 0, PER, NFX, 0, 0},
	{READ, JOURNAL, 0, 1, 0, PER, NFX, 0, 0},
	{CLOSE, JOURNAL, 0, 0, 0, PER, NFX, 0, 0},
	{READ, DB, 24, 16, 0, ALL, NFX, 0, 0},
	{STAT, WAL, 0, 0, 0, ALL, NFX, 0, 0},
	{FSTAT, DB, 0, 0, 0, ALL, NFX, 0, 0},
	{SETLK, DB, RESERVED, 1, F_WRLCK, ALL, NFX, 0, 0},
	{STAT, DB, 0, 0, 0, ALL, NFX, 0, 0},
	{STAT, DB, 0, 0, 0, ALL, NFX, 0, 0},
	{OPEN, JOURNAL, 0, 0, 0, ALL, NFX, 0, 0},
	{FSTAT, JOURNAL, 0, 0, 0, ALL, NFX, 0, 0},
	{CHOWN, JOURNAL, 0, 0, 0, ALL, NFX, 0, 0},
	{WRITE, JOURNAL, 0, 512, 0, ALL, NFX, 0, 0},
	{WRITE, JOURNAL, 512, 4, 0, ALL, NFX, 0, 0},
	{WRITE, JOURNAL, 516, PAGE, 0, ALL, NFX, 0, 0},
	{WRITE, JOURNAL, 4612, 4, 0, ALL, NFX, 0, 0},
	{SETLK, DB, PENDING, 1, F_WRLCK, ALL, NFX, 0, 0},
	{SETLK, DB, SHARED, SHARED_N, F_WRLCK, ALL, NFX, 0, 0},
	{WRITE, JOURNAL, 4616, 4, 0, ALL, NFX, 0, 0},
	{WRITE, JOURNAL, 4620, PAGE, 0, ALL, NFX, 0, 0},
	{WRITE, JOURNAL, 8716, 4, 0, ALL, NFX, 0, 0},
	{READ, JOURNAL, 9216, 8, 0, ALL, NFX, 0, 0},
	{SYNC, JOURNAL, 0, 0, 0, ALL, FX, 0, 0},
	{SYNC_FOLDER, FOLDER, 0, 0, 0, ALL, FX, 0, 0},
	{WRITE, JOURNAL, 0, 12, 0, ALL, NFX, 0, 0},
	{SYNC, JOURNAL, 0, 0, 0, ALL, NFX, 0, 0},
	{SYNC_FOLDER, FOLDER, 0, 0, 0, ALL, N, 0, 0},
	{WRITE, DB, 0, PAGE, 0, ALL, NFX, 0, 0},
	{WRITE, DB, 8192, PAGE, 0, ALL, NFX, 0, 0},
	{SYNC, DB, 0, 0, 0, ALL, NFX, 0, 0},
	{TRUNCATE, JOURNAL, 0, 0, 0, TRU, NFX, 0, 0},
	{SYNC, JOURNAL, 0, 0, 0, TRU, FX, 0, 0},
	{WRITE, JOURNAL, 0, 28, 0, PER, NFX, 0, 0},
	{SYNC, JOURNAL, 0, 0, 0, PER, NFX, 0, 0},
	{CLOSE, JOURNAL, 0, 0, 0, DEL, NFX, 0, 0},
	{UNLINK, JOURNAL, 0, 0, 0, DEL, NFX, 0, 0},
	{SYNC_FOLDER, FOLDER, 0, 0, 0, DEL, X, 0, 0},
	{SETLK, DB, SHARED, SHARED_N, F_RDLCK, ALL, NFX, 0, 0},
	{SETLK, DB, PENDING, 2, F_UNLCK, ALL, NFX, 0, 0},
	{CLOSE, JOURNAL, 0, 0, 0, TRU | PER, NFX, 0, 0},
	{SETLK, DB, 0, 0, F_UNLCK, ALL, NFX, 0, 0},
};

static const struct sc_step wal[] = {
	{SETLK, SHM, READER, 1, F_WRLCK, ALL, NFX, 0, 0},
	{SETLK, SHM, READER, 1, F_UNLCK, ALL, NFX, 0, 0},
	{SETLK, SHM, READER, 1, F_RDLCK, ALL, NFX, 0, 0},
	{SETLK, SHM, WRITER, 1, F_WRLCK, ALL, NFX, 0, 0},
	{FRAME, WAL, 0, 0, 0, ALL, NFX, 0, 0},
	{SYNC, WAL, 0, 0, 0, ALL, FX, 0, 0},
	{SETLK, SHM, WRITER, 1, F_UNLCK, ALL, NFX, 0, 0},
	{SETLK, SHM, READER, 1, F_UNLCK, ALL, NFX, 0, 0},
};

/* Of a hundred pages that lie apart, after as many frames that were not synced. */
static const struct sc_step checkpoint[] = {
	{WRITE, WAL, WAL_HEAD, 4120, 0, ALL, NFX, 100, 4120},
	{SYNC, WAL, 0, 0, 0, ALL, NFX, 0, 0},
	{WRITE, DB, 0, PAGE, 0, ALL, NFX, 100, 8 * PAGE},
	{SYNC, DB, 0, 0, 0, ALL, NFX, 0, 0},
};

static const struct sc_protocol protocols[] = {
	{"wal-full", wal, SC_ARRAY_COUNT(wal), ALL, F, 5 * PAGE, 0, 1000, true, true},
	{"wal-full-fresh", wal, SC_ARRAY_COUNT(wal), ALL, F, 5 * PAGE, 0, 0, true, true},
	{"wal-normal", wal, SC_ARRAY_COUNT(wal), ALL, N, 5 * PAGE, 0, 1000, true, true},
	{"wal-checkpoint-100", checkpoint, SC_ARRAY_COUNT(checkpoint), ALL, N, 800 * PAGE, 0, 100,
	 true, false},
	{"delete-normal", rollback, SC_ARRAY_COUNT(rollback), DEL, N, 5 * PAGE, 0, 0, false, false},
	{"delete-full", rollback, SC_ARRAY_COUNT(rollback), DEL, F, 5 * PAGE, 0, 0, false, false},
	{"delete-extra", rollback, SC_ARRAY_COUNT(rollback), DEL, X, 5 * PAGE, 0, 0, false, false},
	{"truncate-normal", rollback, SC_ARRAY_COUNT(rollback), TRU, N, 5 * PAGE, 0, 0, false, false},
	{"truncate-full", rollback, SC_ARRAY_COUNT(rollback), TRU, F, 5 * PAGE, 0, 0, false, false},
	{"persist-normal", rollback, SC_ARRAY_COUNT(rollback), PER, N, 5 * PAGE, 8720, 0, false, false},
	{"persist-full", rollback, SC_ARRAY_COUNT(rollback), PER, F, 5 * PAGE, 8720, 0, false, false},
};
/* clang-format on */

const char *sc_probe_journal_name(size_t index)
{
	return index < SC_ARRAY_COUNT(protocols) ? protocols[index].name : NULL;
}

const struct sc_protocol *sc_protocol_find(const char *name)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(protocols); i++) {
		if (strcmp(protocols[i].name, name) == 0)
			return &protocols[i];
	}
	assert(false && "a row's journal has no protocol");
	return NULL;
}
