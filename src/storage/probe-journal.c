/* SPDX-License-Identifier: MIT */

/*
 * Takes the steps of a protocol. Each has a directory of its own, so that syncs of it carry nothing
 * of others.
 */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "../base/clock.h"
#include "probe-kind.h"
#include "probe-protocol.h"

static const char *const file_names[FILES] = {
	[DB] = "probe.db",      [JOURNAL] = "probe.db-journal",
	[WAL] = "probe.db-wal", [SHM] = "probe.db-shm",
	[FOLDER] = ".",
};

#define PAGE             SC_PROTOCOL_PAGE_BYTES
#define FRAME_HEAD       SC_PROTOCOL_FRAME_HEAD_BYTES
#define WAL_HEAD         SC_PROTOCOL_WAL_HEAD_BYTES
#define FRESH_FRAMES_MAX 4000u /* of a WAL that grows, until it begins again */

struct work {
	const struct sc_protocol *protocol;
	char paths[FILES][PATH_MAX];
	int fds[FILES];
	uint32_t frame; /* that is next */
	bool is_root;
	unsigned char *data; /* of the bench; borrowed */
	uint64_t sync_ns;    /* of the transaction */
	const char *what;
};

static int failed_if(bool is_bad, struct work *work, const char *what)
{
	int code = is_bad ? -errno : 0;

	if (is_bad)
		work->what = what;
	return code;
}

static int write_at(struct work *work, enum sc_step_file file, uint64_t bytes, uint64_t offset)
{
	ssize_t written = pwrite(work->fds[file], work->data, bytes, (off_t)offset);

	if (written >= 0 && (uint64_t)written != bytes)
		errno = ENOSPC;
	return failed_if(written < 0 || (uint64_t)written != bytes, work, "pwrite");
}

static int write_step(struct work *work, const struct sc_step *step)
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

static int lock(struct work *work, const struct sc_step *step)
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

static int open_file(struct work *work, enum sc_step_file file, int flags)
{
	work->fds[file] = open(work->paths[file], flags | O_NOFOLLOW | O_CLOEXEC, 0644);
	return failed_if(work->fds[file] < 0, work, "open");
}

static int look(struct work *work, const struct sc_step *step)
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

static int change(struct work *work, const struct sc_step *step)
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

static int take(struct work *work, const struct sc_step *step)
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
	const struct sc_protocol *protocol = work->protocol;
	uint64_t start_ns, end_ns;
	int r = rewind_wal(work);
	bool is_discarded = r > 0;

	(void)row;
	sc_probe_bench_fill(bench, FRAME_HEAD + PAGE);
	work->sync_ns = 0;
	start_ns = sc_monotonic_ns();
	for (size_t i = 0; i < protocol->step_count && r >= 0; i++) {
		const struct sc_step *step = &protocol->steps[i];

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
static int build(struct sc_probe_bench *bench, struct work *work, enum sc_step_file file,
		 uint64_t bytes)
{
	int r = open_file(work, file, O_RDWR | O_CREAT);

	bench->what = work->what;
	return r == 0 ? sc_probe_bench_build(bench, work->fds[file], bytes) : r;
}

static int build_all(struct sc_probe_bench *bench, struct work *work)
{
	const struct sc_protocol *protocol = work->protocol;
	uint64_t wal_bytes = WAL_HEAD + (uint64_t)protocol->wal_frames * (FRAME_HEAD + PAGE);
	struct stat status;
	int r = build(bench, work, DB, protocol->db_bytes);

	if (r == 0 && protocol->journal_bytes > 0) {
		r = build(bench, work, JOURNAL, protocol->journal_bytes);
		sc_fd_closep(&work->fds[JOURNAL]);
	}
	if (r == 0 && protocol->has_wal)
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
	work->protocol = sc_protocol_find(row->journal);
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
