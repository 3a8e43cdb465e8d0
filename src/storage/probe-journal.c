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
 *
 * Each protocol has a directory of its own, so that syncs of it carry nothing of others.
 */

#include "probe-journal.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "probe-kind.h"

enum file { DB, JOURNAL, WAL, SHM, FOLDER, FILES };
enum op {
	STAT,  /* by path */
	FSTAT, /* by descriptor */
	GETLK,
	SETLK,
	OPEN,   /* or make */
	REOPEN, /* for reading */
	CHOWN,  /* to who owns the database; root alone */
	READ,
	WRITE,
	FRAME, /* a frame's header, then its page, where the WAL stands */
	SYNC,
	SYNC_FOLDER,
	TRUNCATE,
	CLOSE,
	UNLINK,
};

/* Which journals, and which levels, have a step. */
enum { DEL = 1, TRU = 2, PER = 4, ALL = DEL | TRU | PER };
enum { N = 1, F = 2, X = 4, NFX = N | F | X, FX = F | X };

struct step {
	enum op op;
	enum file file;
	uint32_t offset, bytes; /* of a lock or the data */
	short type;             /* of a lock */
	uint8_t journals, levels;
	uint32_t count, stride; /* of a WRITE: so many, so far apart; 0: one */
};

#define PENDING  1073741824u
#define RESERVED (PENDING + 1)
#define SHARED   (PENDING + 2)
#define SHARED_N 510u
#define WRITER   120u /* in the shm */
#define READER   124u

#define PAGE       4096u
#define FRAME_HEAD 24u
#define WAL_HEAD   32u

/* clang-format off */
static const struct step rollback[] = {
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

static const struct step wal[] = {
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
static const struct step checkpoint[] = {
	{WRITE, WAL, WAL_HEAD, 4120, 0, ALL, NFX, 100, 4120},
	{SYNC, WAL, 0, 0, 0, ALL, NFX, 0, 0},
	{WRITE, DB, 0, PAGE, 0, ALL, NFX, 100, 8 * PAGE},
	{SYNC, DB, 0, 0, 0, ALL, NFX, 0, 0},
};

static const struct protocol {
	const char *name;
	const struct step *steps;
	size_t step_count;
	uint8_t journal, level;
	uint32_t db_bytes, journal_bytes, wal_frames; /* that are there before; frames: overwritten */
	bool keeps_shm;
} protocols[] = {
	{"wal-full", wal, SC_ARRAY_COUNT(wal), ALL, F, 5 * PAGE, 0, 1000, true},
	{"wal-full-fresh", wal, SC_ARRAY_COUNT(wal), ALL, F, 5 * PAGE, 0, 0, true},
	{"wal-normal", wal, SC_ARRAY_COUNT(wal), ALL, N, 5 * PAGE, 0, 1000, true},
	{"wal-checkpoint-100", checkpoint, SC_ARRAY_COUNT(checkpoint), ALL, N, 800 * PAGE, 0, 100,
	 false},
	{"delete-normal", rollback, SC_ARRAY_COUNT(rollback), DEL, N, 5 * PAGE, 0, 0, false},
	{"delete-full", rollback, SC_ARRAY_COUNT(rollback), DEL, F, 5 * PAGE, 0, 0, false},
	{"delete-extra", rollback, SC_ARRAY_COUNT(rollback), DEL, X, 5 * PAGE, 0, 0, false},
	{"truncate-normal", rollback, SC_ARRAY_COUNT(rollback), TRU, N, 5 * PAGE, 0, 0, false},
	{"truncate-full", rollback, SC_ARRAY_COUNT(rollback), TRU, F, 5 * PAGE, 0, 0, false},
	{"persist-normal", rollback, SC_ARRAY_COUNT(rollback), PER, N, 5 * PAGE, 8720, 0, false},
	{"persist-full", rollback, SC_ARRAY_COUNT(rollback), PER, F, 5 * PAGE, 8720, 0, false},
};
/* clang-format on */

static const char *const file_names[FILES] = {
	[DB] = "probe.db",      [JOURNAL] = "probe.db-journal",
	[WAL] = "probe.db-wal", [SHM] = "probe.db-shm",
	[FOLDER] = ".",
};

#define FRESH_FRAMES_MAX 4000u /* of a WAL that grows, until it begins again */

struct work {
	const struct protocol *protocol;
	char paths[FILES][PATH_MAX];
	int fds[FILES];
	uint32_t frame; /* that is next */
	bool is_root;
	unsigned char *data; /* of the bench; borrowed */
	uint64_t sync_ns;    /* of the transaction */
	const char *what;
};

const char *sc_probe_journal_name(size_t index)
{
	return index < SC_ARRAY_COUNT(protocols) ? protocols[index].name : NULL;
}

static int failed_if(bool is_bad, struct work *work, const char *what)
{
	int code = is_bad ? -errno : 0;

	if (is_bad)
		work->what = what;
	return code;
}

static int write_at(struct work *work, enum file file, uint64_t bytes, uint64_t offset)
{
	ssize_t written = pwrite(work->fds[file], work->data, bytes, (off_t)offset);

	if (written >= 0 && (uint64_t)written != bytes)
		errno = ENOSPC;
	return failed_if(written < 0 || (uint64_t)written != bytes, work, "pwrite");
}

static int write_step(struct work *work, const struct step *step)
{
	uint32_t count = step->count ? step->count : 1;

	for (uint32_t i = 0; i < count; i++) {
		int r = write_at(work, step->file, step->bytes,
				 step->offset + (uint64_t)i * step->stride);

		if (r < 0)
			return r;
	}
	return 0;
}

static int write_frame(struct work *work)
{
	uint32_t frames = work->protocol->wal_frames;
	uint32_t index = frames ? work->frame % frames : work->frame;
	uint64_t offset = WAL_HEAD + (uint64_t)index * (FRAME_HEAD + PAGE);
	int r = write_at(work, WAL, FRAME_HEAD, offset);

	work->frame++;
	return r == 0 ? write_at(work, WAL, PAGE, offset + FRAME_HEAD) : r;
}

static int sync_timed(struct work *work, int fd, const char *what)
{
	uint64_t start_ns = sc_monotonic_ns();
	int r = failed_if(fdatasync(fd) < 0, work, what);

	work->sync_ns += sc_monotonic_ns() - start_ns;
	return r;
}

static int sync_folder(struct work *work)
{
	SC_CLEANUP(sc_fd_closep) int fd = open(work->paths[FOLDER], O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return failed_if(true, work, "open of the directory");
	return sync_timed(work, fd, "fdatasync of the directory");
}

static int lock(struct work *work, const struct step *step)
{
	struct flock range = {
		.l_type = step->type,
		.l_whence = SEEK_SET,
		.l_start = (off_t)step->offset,
		.l_len = (off_t)step->bytes,
	};
	int command = step->op == GETLK ? F_GETLK : F_SETLK;

	return failed_if(fcntl(work->fds[step->file], command, &range) < 0, work, "fcntl");
}

static int open_file(struct work *work, enum file file, int flags)
{
	work->fds[file] = open(work->paths[file], flags | O_NOFOLLOW | O_CLOEXEC, 0644);
	return failed_if(work->fds[file] < 0, work, "open");
}

static int look(struct work *work, const struct step *step)
{
	struct stat status;
	unsigned char data[32];

	switch ((int)step->op) {
	case STAT: /* the journal and the WAL may be absent */
		return failed_if(stat(work->paths[step->file], &status) < 0 && errno != ENOENT,
				 work, "stat");
	case FSTAT:
		return failed_if(fstat(work->fds[step->file], &status) < 0, work, "fstat");
	case READ:
		return failed_if(
			pread(work->fds[step->file], data, step->bytes, (off_t)step->offset) < 0,
			work, "pread");
	default:
		return lock(work, step);
	}
}

static int change(struct work *work, const struct step *step)
{
	switch ((int)step->op) {
	case OPEN:
		return open_file(work, step->file, O_RDWR | O_CREAT);
	case REOPEN:
		return open_file(work, step->file, O_RDONLY);
	case CHOWN:
		return work->is_root
			       ? failed_if(fchown(work->fds[step->file], geteuid(), getegid()) < 0,
					   work, "fchown")
			       : 0;
	case WRITE:
		return write_step(work, step);
	case FRAME:
		return write_frame(work);
	case TRUNCATE:
		return failed_if(ftruncate(work->fds[step->file], 0) < 0, work, "ftruncate");
	case CLOSE:
		sc_fd_closep(&work->fds[step->file]); /* synced, where that matters */
		return 0;
	default:
		return failed_if(unlink(work->paths[step->file]) < 0, work, "unlink");
	}
}

static int take(struct work *work, const struct step *step)
{
	if (step->op == SYNC)
		return sync_timed(work, work->fds[step->file], "fdatasync");
	if (step->op == SYNC_FOLDER)
		return sync_folder(work);
	if (step->op == STAT || step->op == FSTAT || step->op == READ || step->op == GETLK ||
	    step->op == SETLK)
		return look(work, step);
	return change(work, step);
}

/* A WAL that grew long begins again, outside of the timing. Return: 1 if it did. */
static int rewind_wal(struct work *work)
{
	if (work->protocol->wal_frames > 0 || work->frame < FRESH_FRAMES_MAX)
		return 0;
	work->frame = 0;
	if (ftruncate(work->fds[WAL], 0) < 0 || fsync(work->fds[WAL]) < 0)
		return failed_if(true, work, "ftruncate");
	return 1;
}

static int once(struct sc_probe_bench *bench, const struct sc_probe_row *row, void *self,
		struct sc_probe_sample *sample)
{
	struct work *work = self;
	const struct protocol *protocol = work->protocol;
	uint64_t start_ns, end_ns;
	int r = rewind_wal(work);
	bool is_discarded = r > 0;

	(void)row;
	sc_probe_bench_fill(bench, FRAME_HEAD + PAGE);
	work->sync_ns = 0;
	start_ns = sc_monotonic_ns();
	for (size_t i = 0; i < protocol->step_count && r >= 0; i++) {
		const struct step *step = &protocol->steps[i];

		if ((step->journals & protocol->journal) && (step->levels & protocol->level))
			r = take(work, step);
	}
	end_ns = sc_monotonic_ns();
	bench->what = work->what;
	*sample = (struct sc_probe_sample){
		.total_ns = end_ns - start_ns,
		.write_ns = end_ns - start_ns - work->sync_ns,
		.sync_ns = work->sync_ns,
		.is_split = true,
		.is_discarded = is_discarded,
	};
	return r < 0 ? r : 0;
}

static void close_work(void *self)
{
	struct work *work = self;

	if (!work)
		return;
	if (work->fds[WAL] >= 0)
		(void)fdatasync(work->fds[WAL]); /* of no sample: the next row's is not for it */
	for (int file = 0; file < FILES; file++)
		sc_fd_closep(&work->fds[file]);
	free(work);
}

/* A file with so many bytes in it, which stays open. */
static int build(struct sc_probe_bench *bench, struct work *work, enum file file, uint64_t bytes)
{
	int r = open_file(work, file, O_RDWR | O_CREAT);

	bench->what = work->what;
	return r == 0 ? sc_probe_bench_build(bench, work->fds[file], bytes) : r;
}

static int build_all(struct sc_probe_bench *bench, struct work *work)
{
	const struct protocol *protocol = work->protocol;
	uint64_t wal_bytes = WAL_HEAD + (uint64_t)protocol->wal_frames * (FRAME_HEAD + PAGE);
	struct stat status;
	int r = build(bench, work, DB, protocol->db_bytes);

	if (r == 0 && protocol->journal_bytes > 0) {
		r = build(bench, work, JOURNAL, protocol->journal_bytes);
		sc_fd_closep(&work->fds[JOURNAL]);
	}
	if (r == 0 && (protocol->steps != rollback))
		r = build(bench, work, WAL, protocol->wal_frames ? wal_bytes : WAL_HEAD);
	if (r == 0 && protocol->keeps_shm)
		r = build(bench, work, SHM, 32768);
	if (r < 0 || work->fds[WAL] < 0 || protocol->wal_frames > 0)
		return r;

	/* One that grows goes on where the block before ended. */
	r = failed_if(fstat(work->fds[WAL], &status) < 0, work, "fstat");
	if (r == 0)
		work->frame = (uint32_t)((uint64_t)status.st_size / (FRAME_HEAD + PAGE));
	return r;
}

static int open_work(struct sc_probe_bench *bench, const struct sc_probe_row *row, void **ret_self)
{
	struct work *work = calloc(1, sizeof(*work));
	int r;

	bench->what = "a row's memory";
	if (!work)
		return -ENOMEM;
	*ret_self = work;
	for (int file = 0; file < FILES; file++)
		work->fds[file] = -1;
	work->is_root = geteuid() == 0;
	work->data = bench->block;
	for (size_t i = 0; i < SC_ARRAY_COUNT(protocols); i++) {
		if (strcmp(protocols[i].name, row->journal) == 0)
			work->protocol = &protocols[i];
	}
	bench->what = "mkdir";
	if (mkdirat(bench->fd, row->journal, 0700) < 0 && errno != EEXIST)
		return -errno;
	for (int file = 0; file < FILES; file++) {
		r = snprintf(work->paths[file], PATH_MAX, "%s/%s/%s", bench->path, row->journal,
			     file_names[file]);
		if (r >= PATH_MAX)
			return -ENAMETOOLONG;
	}
	return build_all(bench, work);
}

const struct sc_probe_kind sc_probe_kind_journal = {
	.open = open_work,
	.once = once,
	.close = close_work,
};
