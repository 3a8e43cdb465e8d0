/* SPDX-License-Identifier: MIT */

/*
 * Method. SQLite opens a database's file, reads its header (100 bytes from the start; nothing where
 * the file is new), and takes the pending and shared locks before it looks for a journal. So either
 * of header and lock comes before any other file of the database is touched by its name. The calls
 * until then are few; a file that has had KEPT of them is no suspect any more, unless it is locked
 * as a database is: one that is encrypted has no header that could be known.
 *
 * A descriptor beyond the table, or one that was inherited, is known by its locks alone.
 *
 * The first database makes the meter. It also does so in a child of fork(), which has one of its
 * own from its first call on.
 */

#include "watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <string.h>

#define SUSPECTS 4096u /* descriptors */
#define KEPT     10u   /* calls of each */

#define HEADER       "SQLite format 3" /* with its NUL 16 bytes */
#define LOCKED_FIRST 0x40000000        /* the pending byte; reserved and shared ones follow */
#define LOCKED_LAST  (LOCKED_FIRST + 1 + 1 + 510 - 1)

struct kept_call {
	uint8_t op;
	bool is_failed;
	uint32_t bytes;
	uint32_t ns;
};

/* One thread at a time knows a descriptor before it has told others. */
struct suspect {
	_Atomic uint8_t is_one;
	uint8_t count;
	struct kept_call calls[KEPT];
};

static struct suspect suspects[SUSPECTS];
static _Atomic uint32_t used; /* entries ever written, counted from the front */

_Atomic uint32_t sc_tap_watching;
static bool (*open_meter_now)(void);
static _Atomic bool has_failed; /* to open the meter: not tried again */
static atomic_flag is_opening = ATOMIC_FLAG_INIT;

void sc_tap_watch_start(bool (*open_meter)(void))
{
	open_meter_now = open_meter;
	atomic_store(&sc_tap_watching, 1);
}

static bool has_meter(void)
{
	if (atomic_load_explicit(&sc_ledger.generation, memory_order_acquire) == SC_LEDGER_FORKED)
		(void)sc_thread_get(); /* makes the child's own */
	return sc_ledger_is_on();
}

static bool need_meter(void)
{
	if (has_meter())
		return true;
	if (atomic_load(&has_failed))
		return false;
	while (atomic_flag_test_and_set_explicit(&is_opening, memory_order_acquire))
		(void)sched_yield();
	if (!sc_ledger_is_on() && !open_meter_now())
		atomic_store(&has_failed, true);
	atomic_flag_clear_explicit(&is_opening, memory_order_release);
	return sc_ledger_is_on();
}

bool sc_tap_watch_need_meter(void)
{
	int saved = errno;
	bool has_one;

	if (__builtin_expect(sc_ledger_is_on(), 1))
		return true;
	sc_thread_self.tap_depth++;
	has_one = need_meter();
	sc_thread_self.tap_depth--;
	errno = saved;
	return has_one;
}

void sc_tap_watch_name(const char *path)
{
	int saved = errno;

	if (sc_tap_is_inside() || sc_ledger_is_on() || !sc_tap_path_is_temporary(path))
		return;
	sc_thread_self.tap_depth++;
	(void)need_meter(); /* without one nothing is counted */
	sc_thread_self.tap_depth--;
	errno = saved;
}

/* --- suspects */

static struct suspect *suspect_of(int fd)
{
	return (uint32_t)fd < SUSPECTS ? &suspects[fd] : NULL;
}

static bool is_suspect(const struct suspect *suspect)
{
	return suspect && atomic_load_explicit(&suspect->is_one, memory_order_relaxed);
}

static void keep_call(struct suspect *suspect, enum sc_op op, uint64_t ns, uint64_t bytes,
		      bool is_failed)
{
	if (suspect->count == KEPT || bytes > UINT32_MAX) {
		atomic_store_explicit(&suspect->is_one, 0, memory_order_relaxed);
		return;
	}
	suspect->calls[suspect->count++] = (struct kept_call){
		.op = (uint8_t)op,
		.is_failed = is_failed,
		.bytes = (uint32_t)bytes,
		.ns = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX,
	};
}

void sc_tap_watch_opened(int fd, uint64_t ns)
{
	struct suspect *suspect = suspect_of(fd);
	uint32_t seen = atomic_load_explicit(&used, memory_order_relaxed);

	if (!suspect)
		return;
	while (seen <= (uint32_t)fd &&
	       !atomic_compare_exchange_weak_explicit(&used, &seen, (uint32_t)fd + 1,
						      memory_order_relaxed, memory_order_relaxed))
		;
	suspect->count = 0;
	keep_call(suspect, SC_OP_OPEN, ns, 0, false);
	atomic_store_explicit(&suspect->is_one, 1, memory_order_relaxed);
}

void sc_tap_watch_forget(int fd)
{
	struct suspect *suspect = suspect_of(fd);

	if (is_suspect(suspect))
		atomic_store_explicit(&suspect->is_one, 0, memory_order_relaxed);
}

void sc_tap_watch_forget_range(uint32_t first, uint32_t last)
{
	uint32_t count = atomic_load_explicit(&used, memory_order_relaxed);

	for (uint32_t fd = first; fd < count && fd <= last; fd++)
		sc_tap_watch_forget((int)fd);
}

/* --- what a call says */

static bool is_lock(enum sc_op op)
{
	return op == SC_OP_LOCK || op == SC_OP_UNLOCK;
}

/* What SQLite does with a file before it is known. */
static bool is_telling(enum sc_op op)
{
	return op == SC_OP_READ || op == SC_OP_WRITE || op == SC_OP_SEEK || op == SC_OP_STAT;
}

bool sc_tap_watch_begin(struct sc_tap_call *call, int fd, enum sc_op op)
{
	if (!is_lock(op) && !(is_telling(op) && is_suspect(suspect_of(fd))))
		return false;
	*call = (struct sc_tap_call){
		.file = SC_TAP_SUSPECT,
		.op = op,
		.fd = fd,
		.is_timed = true,
	};
	sc_thread_self.tap_depth++;
	call->start_ns = sc_clock_real_ns();
	return true;
}

static bool tells_database(const struct sc_tap_call *call)
{
	struct flock lock;

	if (!call->data)
		return false;
	if (!is_lock(call->op))
		return call->shown >= sizeof(HEADER) &&
		       memcmp(call->data, HEADER, sizeof(HEADER)) == 0;
	memcpy(&lock, call->data, sizeof(lock));
	return lock.l_whence == SEEK_SET && lock.l_start >= LOCKED_FIRST &&
	       lock.l_start <= LOCKED_LAST;
}

/* The file that @fd is from now on; a stranger where it cannot be counted. */
static sc_tap_file claim(int fd)
{
	sc_tap_file file = SC_TAP_STRANGER;
	char path[PATH_MAX];

	if (!need_meter() || !sc_tap_path_of_fd(fd, path, sizeof(path)))
		return file;
	file = sc_tap_path_fd(fd); /* another thread may have named it, or it is a temporary one */
	if (file == SC_TAP_STRANGER || sc_tap_file_role(file) == SC_ROLE_DIRECTORY)
		file = sc_tap_file_make(sc_ledger_database(path), SC_ROLE_MAIN_DB);
	sc_tap_fd_set(fd, file);
	return file;
}

static void note(sc_tap_file file, const struct kept_call *kept)
{
	struct sc_thread *thread = sc_thread_get();
	struct sc_series *series = NULL;

	if (thread)
		series = sc_ledger_series(thread, SC_INSTRUMENT_LIBC, sc_tap_file_database(file),
					  sc_tap_file_role(file), (enum sc_op)kept->op);
	if (series)
		sc_ledger_note(series, true, kept->ns, kept->bytes, kept->is_failed, false);
}

static void book(struct suspect *suspect, sc_tap_file file)
{
	atomic_store_explicit(&suspect->is_one, 0, memory_order_relaxed);
	for (uint32_t i = 0; i < suspect->count; i++)
		note(file, &suspect->calls[i]);
}

bool sc_tap_watch_suspects(int fd)
{
	return is_suspect(suspect_of(fd));
}

void sc_tap_watch_book(int fd, sc_tap_file file)
{
	sc_thread_self.tap_depth++;
	book(suspect_of(fd), file);
	sc_thread_self.tap_depth--;
}

void sc_tap_watch_end(struct sc_tap_call *call, uint64_t end_ns, bool is_failed, uint64_t bytes)
{
	struct suspect *suspect = suspect_of(call->fd);
	uint64_t ns = end_ns - call->start_ns;
	sc_tap_file file = tells_database(call) ? claim(call->fd) : SC_TAP_STRANGER;
	struct kept_call last = {
		.op = (uint8_t)call->op,
		.is_failed = is_failed,
		.bytes = (uint32_t)bytes,
		.ns = ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX,
	};

	if (file == SC_TAP_STRANGER) {
		if (is_suspect(suspect))
			keep_call(suspect, call->op, ns, bytes, is_failed);
		sc_thread_self.tap_depth--;
		return;
	}
	if (is_suspect(suspect))
		book(suspect, file);
	note(file, &last);

	call->file = file;
	call->thread = &sc_thread_self;
	if (sc_tap_file_database(file))
		sc_tap_size_ask(call, call->fd);
	sc_thread_self.tap_depth--;
}
