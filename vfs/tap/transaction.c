/* SPDX-License-Identifier: MIT */

/*
 * Method. Seen from libc,
 *
 *   - a commit to a WAL is a frame header whose second word is not zero. SQLite writes some frames'
 *     headers again before it syncs (with new checksums): it has read the frame just before.
 *     Where the storage is not trusted to keep what lies beside a write, the last frame is repeated
 *     up to the end of a sector before the sync: so frames that repeat a commit of the same page at
 *     once wait for what follows, and are no commits if that is a sync at the end of a sector.
 *   - a commit to the database is a journal that is unlinked, truncated, or whose header is zeroed,
 *     after the database was written, unless the journal's header was read in between: then it was
 *     played back. Journals of several databases whose super-journal was unlinked before are one
 *     transaction.
 *   - with a journal in memory or none, nothing marks the end: such writes are counted apart, so
 *     that a reader knows that the commits are not known.
 *   - a checkpoint is between taking and releasing the lock byte for it, and counts if the database
 *     was written. Where the whole database is locked there is no such lock: then it is from the
 *     first write to the database to its sync, or to what cannot belong to it. It was paid for by
 *     the commit that this thread has just made, if nothing but locks of the WAL came in between.
 *   - the time of a commit begins with the first WAL frame, journal sync or write to the database,
 *     and ends with the last call before its locks are released.
 *
 * One thread at a time has the right to write to a database; what is kept for a database is atomic
 * only so that none of its words is torn.
 */

#include "transaction.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "../ops.h"
#include "commit.h"
#include "statement.h"
#include "wait.h"

#define FDS 4096u /* whose position is followed */

#define WAL_HEADER_BYTES     32
#define FRAME_HEADER_BYTES   24
#define JOURNAL_HEADER_BYTES 28
#define SECTOR_BYTES         512 /* the smallest */

#define SHM_WRITE      120 /* lock bytes of the shared memory file */
#define SHM_CHECKPOINT 121

#define LOAD(field)         atomic_load_explicit(&(field), memory_order_relaxed)
#define STORE(field, value) atomic_store_explicit(&(field), (value), memory_order_relaxed)

struct state {
	_Atomic bool is_wal;
	/* rollback journals */
	_Atomic bool has_journal; /* written since the last end */
	_Atomic bool has_written; /* the database, the same */
	_Atomic bool is_playing;  /* back */
	/* WAL */
	_Atomic uint64_t salt;
	_Atomic int64_t last_frame;  /* offset of its header; -1: none */
	_Atomic int64_t last_commit; /* the same of the last that commits */
	_Atomic int64_t wal_end;     /* of the last write */
	_Atomic int64_t read_at;     /* offset of the frame just read, maybe to be rewritten; -1 */
	_Atomic uint32_t page;       /* of the last commit */
	_Atomic bool can_repeat;     /* it: nothing but WAL frames came since */
	_Atomic uint32_t repeats;    /* of it, not counted yet */
};

struct checkpoint {
	uint32_t database; /* 0: none */
	bool has_lock;
	bool is_paid; /* by the last commit */
	uint64_t frames;
	struct sc_tap_moment begin;
};

/* What a thread is doing. */
struct doing {
	uint32_t database;          /* whose commit has begun; 0: none */
	struct sc_tap_moment begin; /* of that */
	uint32_t group;             /* of databases with a super-journal: how many so far, + 1; 0 */
	struct checkpoint checkpoint;
};

static struct state states[SC_METER_DATABASES];
static _Atomic int64_t positions[FDS];
static __thread struct doing doing __attribute__((tls_model("initial-exec")));

/* One call, as the functions below see it. */
struct event {
	const struct sc_tap_call *call;
	uint32_t database;
	struct state *state;
	struct sc_tap_moment before; /* the thread's sums without the call, at its start */
	int64_t offset;
	uint64_t bytes, end_ns;
};

static void count(_Atomic uint64_t *counter, uint64_t amount)
{
	(void)atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

static struct sc_database *database_of(uint32_t database)
{
	return &sc_ledger.meter->databases[database];
}

static uint32_t big_endian(const void *data, size_t at)
{
	uint8_t bytes[4];

	memcpy(bytes, (const uint8_t *)data + at, sizeof(bytes));
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

/* --- positions */

void sc_tap_transaction_seek(int fd, int64_t offset)
{
	if ((uint32_t)fd < FDS)
		STORE(positions[fd], offset);
}

static int64_t offset_of(const struct sc_tap_call *call, uint64_t bytes)
{
	int64_t offset;

	if (call->op != SC_OP_READ && call->op != SC_OP_WRITE)
		return -1;
	if (call->data && call->offset != SC_TAP_HERE)
		return call->offset;
	if ((uint32_t)call->fd >= FDS)
		return -1;
	offset = LOAD(positions[call->fd]);
	STORE(positions[call->fd], offset + (int64_t)bytes);
	return offset;
}

/* --- commits */

static void begin_commit(const struct event *event)
{
	if (doing.database)
		return; /* of several databases the first begins it */
	doing.database = event->database;
	doing.begin = event->before;
	if (doing.group > 0 && event->call->op != SC_OP_DELETE)
		doing.group = 0;
}

/* Whether it belongs to the transaction of the last record. */
static bool is_more_of_it(uint32_t database)
{
	const struct sc_tap_frame *frame = sc_tap_statement_frame();

	return doing.group > 1 ||
	       (frame && frame->has_commit && sc_tap_commit_database() != database);
}

/* @begin: of the commit, unless the call into SQLite says when that was. */
static void commit_database(struct sc_thread *thread, uint32_t database,
			    const struct sc_tap_moment *begin)
{
	const struct sc_tap_frame *frame = sc_tap_statement_frame();
	bool is_more = is_more_of_it(database);

	doing.database = 0;
	count(&database_of(database)->commits, 1);
	if (doing.group > 0)
		doing.group++;
	if (is_more) {
		sc_tap_commit_more(thread);
		return;
	}
	count(&sc_ledger.meter->transactions, 1);
	if (frame && frame->is_timed && !frame->has_commit)
		begin = &frame->begin;
	sc_tap_commit_record(thread, begin, database);
	sc_tap_statement_committed();
}

static void commit(const struct event *event)
{
	commit_database(event->call->thread, event->database,
			doing.database ? &doing.begin : &event->before);
}

void sc_tap_transaction_unmarked(const struct sc_tap_frame *frame)
{
	struct sc_thread *thread = sc_thread_get();
	struct sc_tap_moment now;

	if (!thread || frame->instance != thread->instance)
		return;
	sc_tap_commit_now(&now);
	commit_database(thread, frame->unmarked, doing.database ? &doing.begin : &now);
}

/* Repeats of the last commit that turned out to be commits themselves. */
static void settle_repeats(const struct event *event)
{
	uint32_t repeats = LOAD(event->state->repeats);

	STORE(event->state->can_repeat, false);
	if (repeats == 0)
		return;
	STORE(event->state->repeats, 0);
	for (uint32_t i = 0; i < repeats; i++) {
		doing.database = event->database;
		doing.begin = event->before;
		commit(event);
	}
}

static void note_frame(const struct event *event)
{
	struct state *state = event->state;
	const void *data = event->call->data;
	uint32_t page = big_endian(data, 0), pages = big_endian(data, 4);
	uint64_t salt = (uint64_t)big_endian(data, 8) << 32 | big_endian(data, 12);
	int64_t last = LOAD(state->last_commit);
	bool is_repeat;

	if (LOAD(state->salt) != salt) {
		STORE(state->salt, salt);
		STORE(state->last_frame, -1);
		STORE(state->last_commit, -1);
		last = -1;
	}
	if (LOAD(state->read_at) == event->offset)
		return;
	count(&database_of(event->database)->wal_frames, 1);
	is_repeat = pages != 0 && LOAD(state->can_repeat) && page == LOAD(state->page) &&
		    LOAD(state->last_frame) == last && LOAD(state->wal_end) == event->offset;
	STORE(state->last_frame, event->offset);
	if (!is_repeat)
		settle_repeats(event);
	begin_commit(event);
	if (pages == 0)
		return;
	STORE(state->last_commit, event->offset);
	STORE(state->page, page);
	if (is_repeat)
		(void)atomic_fetch_add_explicit(&state->repeats, 1, memory_order_relaxed);
	else
		commit(event);
	STORE(state->can_repeat, true);
}

static void wal_write(const struct event *event)
{
	struct state *state = event->state;
	uint64_t size = sc_ledger_size_known(event->database, SC_ROLE_WAL);

	STORE(state->is_wal, true);
	if (event->offset == 0 && event->bytes == WAL_HEADER_BYTES) {
		begin_commit(event);
		count(size > WAL_HEADER_BYTES ? &database_of(event->database)->wal_resets
					      : &database_of(event->database)->wal_creations,
		      1);
	} else if (event->bytes == FRAME_HEADER_BYTES && event->call->data) {
		note_frame(event);
	}
	STORE(state->wal_end, event->offset + (int64_t)event->bytes);
	STORE(state->read_at, -1);
}

static void wal_read(const struct event *event)
{
	STORE(event->state->is_wal, true);
	STORE(event->state->read_at, event->bytes > FRAME_HEADER_BYTES ? event->offset : -1);
}

static void wal_sync(const struct event *event)
{
	/* What repeats a commit up to here only fills a sector. */
	if (LOAD(event->state->wal_end) % SECTOR_BYTES == 0)
		STORE(event->state->repeats, 0);
	settle_repeats(event);
}

static void end_transaction(const struct event *event)
{
	struct state *state = event->state;

	if (LOAD(state->has_written) && !LOAD(state->is_playing))
		commit(event);
	else
		doing.database = 0;
	STORE(state->has_journal, false);
	STORE(state->has_written, false);
	STORE(state->is_playing, false);
}

static bool is_zeroed(const struct event *event)
{
	static const uint8_t zeros[JOURNAL_HEADER_BYTES];

	return event->offset == 0 && event->bytes == sizeof(zeros) && event->call->data &&
	       memcmp(event->call->data, zeros, sizeof(zeros)) == 0;
}

static void journal_call(const struct event *event)
{
	struct state *state = event->state;
	enum sc_op op = event->call->op;

	if (op == SC_OP_DELETE || op == SC_OP_TRUNCATE || (op == SC_OP_WRITE && is_zeroed(event))) {
		end_transaction(event);
	} else if (op == SC_OP_WRITE) {
		STORE(state->has_journal, true);
		STORE(state->is_wal, false);
	} else if (op == SC_OP_READ && event->offset < JOURNAL_HEADER_BYTES && event->bytes > 1) {
		/* A byte alone is SQLite's look whether there is anything to play back. */
		STORE(state->is_playing, true);
		STORE(state->has_written, false);
	} else if (sc_ops[op].part == SC_PART_SYNC && LOAD(state->has_journal)) {
		begin_commit(event);
	}
}

/* --- checkpoints */

/* By the last commit: in the same call into SQLite, or at once after it. */
static bool is_paid(const struct event *event)
{
	const struct sc_tap_frame *frame = sc_tap_statement_frame();

	if (frame)
		return frame->has_commit && sc_tap_commit_database() == event->database;
	return sc_tap_commit_is_fresh(event->call->thread, event->database, event->before.at_ns);
}

static void begin_checkpoint(const struct event *event, bool has_lock)
{
	doing.checkpoint = (struct checkpoint){
		.database = event->database,
		.has_lock = has_lock,
		.is_paid = is_paid(event),
		.begin = event->before,
	};
}

static void end_checkpoint(struct sc_thread *thread, uint64_t end_ns)
{
	struct checkpoint *checkpoint = &doing.checkpoint;
	struct sc_database *database = database_of(checkpoint->database);
	uint64_t ns = end_ns > checkpoint->begin.at_ns ? end_ns - checkpoint->begin.at_ns : 0;

	if (checkpoint->frames > 0) {
		count(&database->checkpoints, 1);
		count(&database->checkpoint_ns, ns);
		count(&database->checkpoint_frames, checkpoint->frames);
		if (checkpoint->is_paid)
			sc_tap_commit_paid(thread, ns);
	}
	checkpoint->database = 0;
}

static void database_write(const struct event *event)
{
	struct sc_tap_frame *frame = sc_tap_statement_frame();
	struct checkpoint *checkpoint = &doing.checkpoint;
	struct state *state = event->state;

	if (checkpoint->database != event->database && LOAD(state->is_wal))
		begin_checkpoint(event, false);
	if (checkpoint->database == event->database) {
		checkpoint->frames++;
		return;
	}
	if (LOAD(state->is_playing))
		return;
	begin_commit(event);
	STORE(state->has_written, true);
	if (LOAD(state->has_journal))
		return;
	if (frame) { /* SQLite will say whether it was committed */
		frame->has_unmarked = true;
		frame->unmarked = event->database;
	} else {
		count(&database_of(event->database)->unmarked_writes, 1);
	}
}

static void shm_lock(const struct event *event)
{
	struct flock lock;

	memcpy(&lock, event->call->data, sizeof(lock));
	if (lock.l_len != 1 || lock.l_type == F_RDLCK)
		return;
	if (event->call->op == SC_OP_LOCK && lock.l_start == SHM_CHECKPOINT) {
		begin_checkpoint(event, true);
	} else if (lock.l_start == SHM_CHECKPOINT) {
		if (doing.checkpoint.database == event->database)
			end_checkpoint(event->call->thread, event->end_ns);
	} else if (lock.l_start == SHM_WRITE && event->call->op == SC_OP_UNLOCK) {
		settle_repeats(event);
		doing.database = 0;
		sc_tap_commit_close();
	}
}

/* --- the calls */

/* What a waiting thread, or one in a checkpoint without a lock, would not do. */
static void note_progress(const struct event *event)
{
	enum sc_part part = sc_ops[event->call->op].part;
	enum sc_role role = sc_tap_file_role(event->call->file);
	const struct checkpoint *checkpoint = &doing.checkpoint;

	if (part == SC_PART_WRITE || part == SC_PART_SYNC)
		sc_tap_wait_moved_on(event->call->thread);
	if (checkpoint->database != event->database || checkpoint->has_lock)
		return;
	if ((role == SC_ROLE_WAL && event->call->op != SC_OP_READ) ||
	    event->call->op == SC_OP_CLOSE)
		end_checkpoint(event->call->thread, event->before.at_ns);
	else if (role == SC_ROLE_MAIN_DB && part == SC_PART_SYNC)
		end_checkpoint(event->call->thread, event->end_ns);
}

static void database_lock(const struct event *event)
{
	if (event->call->op == SC_OP_UNLOCK && doing.database == event->database)
		doing.database = 0;
	sc_tap_commit_close();
	sc_tap_commit_stale();
}

static void dispatch(const struct event *event)
{
	enum sc_op op = event->call->op;

	switch (sc_tap_file_role(event->call->file)) {
	case SC_ROLE_MAIN_DB:
		if (op == SC_OP_WRITE)
			database_write(event);
		else if (op == SC_OP_LOCK || op == SC_OP_UNLOCK)
			database_lock(event);
		break;
	case SC_ROLE_WAL:
		if (op == SC_OP_WRITE)
			wal_write(event);
		else if (sc_ops[op].part == SC_PART_SYNC)
			wal_sync(event);
		else if (op == SC_OP_READ)
			wal_read(event);
		else if (op == SC_OP_OPEN)
			STORE(event->state->is_wal, true);
		else if (op == SC_OP_DELETE)
			STORE(event->state->is_wal, false);
		break;
	case SC_ROLE_MAIN_JOURNAL:
		journal_call(event);
		break;
	case SC_ROLE_SUPER_JOURNAL:
		if (op == SC_OP_DELETE)
			doing.group = 1;
		break;
	case SC_ROLE_SHM:
		if ((op == SC_OP_LOCK || op == SC_OP_UNLOCK) && event->call->data)
			shm_lock(event);
		break;
	case SC_ROLE_SUBJOURNAL:
	case SC_ROLE_TEMP_DB:
	case SC_ROLE_TEMP_JOURNAL:
	case SC_ROLE_TRANSIENT_DB:
	case SC_ROLE_DIRECTORY:
	case SC_ROLE_OTHER:
	case SC_ROLE_COUNT_:
		break;
	}
}

void sc_tap_transaction_call(const struct sc_tap_call *call, uint64_t end_ns, int error,
			     uint64_t bytes)
{
	uint32_t database = sc_tap_file_database(call->file);
	struct event event = {
		.call = call,
		.database = database,
		.state = &states[database],
		.offset = offset_of(call, bytes),
		.bytes = bytes,
		.end_ns = end_ns,

	};

	if (end_ns == 0)
		return; /* cheap, and of no meaning */
	sc_tap_commit_sum(call, end_ns, bytes, &event.before);
	note_progress(&event);
	if (call->op == SC_OP_LOCK && call->data)
		sc_tap_wait_lock(call, database, end_ns, error != 0);
	if (sc_tap_file_role(call->file) != SC_ROLE_WAL)
		settle_repeats(&event);
	if (error == 0)
		dispatch(&event);
	sc_tap_commit_extend(call);
}
