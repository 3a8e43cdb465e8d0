/* SPDX-License-Identifier: MIT */

/*
 * The calls into SQLite that a preloaded library can stand before, where SQLite is a shared
 * library. Each is forwarded to the SQLite that its caller means; nothing is asked of SQLite that
 * would change it, and no hook of its own (trace, profile, commit hooks) is touched.
 *
 * What a statement writes may happen in sqlite3_step(), or only when it is reset or finalized; all
 * three are calls of that statement. sqlite3_exec() runs statements by calls that arrive here too;
 * where they do not, its whole text is the statement.
 *
 * A statement's number is looked up once and kept for its address until it is finalized, together
 * with whether it only reads: such statements return once a row, so of their calls one in so many
 * is timed. sqlite3_exec() finalizes what it runs by itself: what is known of that ends with it. A
 * statement without a text is one of SQLite's own, and part of the statement that needed it.
 */

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "../ops.h"
#include "../sample.h"
#include "connection.h"
#include "library.h"
#include "real.h"
#include "statement.h"
#include "watch.h"

#define KNOWN 4096u /* statements at a time; a power of two */
#define PROBE 8u

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

struct known {
	_Atomic uintptr_t address;
	_Atomic uint32_t number;
	_Atomic uint32_t instance; /* of the meter that the number is of */
	_Atomic bool is_reader;
	_Atomic bool is_rollback;
	_Atomic bool is_running; /* has returned a row and is not at its end */
	_Atomic uint32_t steps;  /* that returned rows and were not counted yet, of a reader */
};

static struct known known[KNOWN];

#define LOAD(field)         atomic_load_explicit(&(field), memory_order_relaxed)
#define STORE(field, value) atomic_store_explicit(&(field), (value), memory_order_relaxed)

static struct known *place_of(uintptr_t address, uint32_t probe)
{
	return &known[((address >> 4) * 0x9e3779b97f4a7c15u >> 40 & (KNOWN - 1)) ^ probe];
}

static struct known *find(const sqlite3_stmt *statement)
{
	for (uint32_t probe = 0; probe < PROBE; probe++) {
		struct known *entry = place_of((uintptr_t)statement, probe);

		if (LOAD(entry->address) == (uintptr_t)statement)
			return entry;
	}
	return NULL;
}

/* A free place, or the first: what stands there is looked up again when it is used. */
static struct known *claim(const sqlite3_stmt *statement)
{
	struct known *entry;

	for (uint32_t probe = 0; probe < PROBE; probe++) {
		uintptr_t seen = 0;

		entry = place_of((uintptr_t)statement, probe);
		if (atomic_compare_exchange_strong(&entry->address, &seen, (uintptr_t)statement))
			return entry;
	}
	entry = place_of((uintptr_t)statement, 0);
	STORE(entry->address, (uintptr_t)statement);
	return entry;
}

static bool begins_with(const char *sql, const char *word)
{
	while (*sql && strchr(" \t\r\n;", *sql))
		sql++;
	return strncasecmp(sql, word, strlen(word)) == 0;
}

/* SQLite says of BEGIN, COMMIT and the like that they only read. */
static bool reads_only(const struct sc_tap_library *library, sqlite3_stmt *statement,
		       const char *sql)
{
	return library->readonly && library->readonly(statement) &&
	       (begins_with(sql, "SELECT") || begins_with(sql, "VALUES") ||
		begins_with(sql, "WITH") || begins_with(sql, "EXPLAIN"));
}

static void describe(const struct sc_tap_library *library, sqlite3_stmt *statement,
		     struct known *entry, const char *sql)
{
	STORE(entry->number, sc_tap_statement_of(sql));
	STORE(entry->instance, LOAD(sc_ledger.instance));
	STORE(entry->is_reader, sql && reads_only(library, statement, sql));
	STORE(entry->is_rollback, sql && begins_with(sql, "ROLLBACK"));
	STORE(entry->is_running, false);
	STORE(entry->steps, 0);
}

/* NULL: statements are not followed, or there is no meter. */
static struct known *known_of(const struct sc_tap_library *library, sqlite3_stmt *statement)
{
	const struct sc_tap_frame *frame;
	struct known *entry;

	if (!statement || !sc_tap_statement_is_on() || sc_tap_is_inside() ||
	    !sc_tap_watch_need_meter())
		return NULL;
	frame = sc_tap_statement_frame();
	entry = frame && frame->exec ? frame->exec : find(statement);
	if (frame && frame->exec && LOAD(entry->is_running) &&
	    LOAD(entry->address) == (uintptr_t)statement)
		return entry;
	if (frame && frame->exec)
		STORE(entry->address, (uintptr_t)statement);
	else if (entry && LOAD(entry->instance) == LOAD(sc_ledger.instance))
		return entry;
	if (!entry)
		entry = claim(statement);
	describe(library, statement, entry, library->sql ? library->sql(statement) : NULL);
	return entry;
}

/* Whether this call is timed: each that may write, one in so many of the others. */
static bool is_timed(const struct known *entry)
{
	struct sc_thread *thread;

	if (!LOAD(entry->is_reader))
		return true;
	thread = sc_thread_get();
	return thread && sc_random(thread) % SC_OP_RARELY == 0;
}

struct call {
	struct sc_tap_frame frame;
	const struct sc_tap_library *library;
	struct known *entry; /* NULL: nothing was pushed */
	sqlite3 *db;
};

static void begin(struct call *call, const struct sc_tap_library *library, sqlite3_stmt *statement)
{
	call->library = library;
	call->entry = known_of(library, statement);
	call->db = NULL;
	if (!call->entry)
		return;
	sc_tap_statement_push(&call->frame, LOAD(call->entry->number), is_timed(call->entry));
}

/* Whether the connection is in no transaction, by anything but a rollback. Asked only if it
 * matters; @statement: NULL where it is gone, then the connection was asked for before. */
static bool has_committed(const struct call *call, sqlite3_stmt *statement)
{
	sqlite3 *db = call->db;

	if (!call->frame.has_unmarked || LOAD(call->entry->is_rollback))
		return false;
	if (statement && call->library->db_handle)
		db = call->library->db_handle(statement);
	return db && call->library->get_autocommit && call->library->get_autocommit(db);
}

/* Steps of a reader are added up and counted at its end: they are many, and cheap. */
static void count_steps(struct call *call, bool has_row)
{
	uint32_t steps;

	if (!LOAD(call->entry->is_reader))
		return;
	steps = LOAD(call->entry->steps) + 1;
	STORE(call->entry->steps, has_row ? steps : 0);
	call->frame.steps = has_row ? 0 : steps;
}

static void end(struct call *call, sqlite3_stmt *statement, bool has_ended)
{
	int saved = errno;

	if (!call->entry)
		return;
	sc_tap_statement_pop(&call->frame, has_ended, has_committed(call, statement));
	errno = saved;
}

/* --- the hooks */

TAP_EXPORT int sqlite3_step(sqlite3_stmt *statement)
{
	const struct sc_tap_library *library = sc_tap_library_of(CALLER);
	struct call call;
	int rc;

	if (!library)
		return SQLITE_MISUSE;
	begin(&call, library, statement);
	rc = library->step(statement);
	if (call.entry) {
		STORE(call.entry->is_running, rc == SQLITE_ROW);
		count_steps(&call, rc == SQLITE_ROW);
	}
	end(&call, statement, rc != SQLITE_ROW);
	return rc;
}

TAP_EXPORT int sqlite3_reset(sqlite3_stmt *statement)
{
	const struct sc_tap_library *library = sc_tap_library_of(CALLER);
	bool was_running;
	struct call call;
	int rc;

	if (!library || !library->reset)
		return SQLITE_MISUSE;
	begin(&call, library, statement);
	was_running = call.entry && LOAD(call.entry->is_running);
	rc = library->reset(statement);
	if (call.entry) {
		STORE(call.entry->is_running, false);
		count_steps(&call, false);
	}
	end(&call, statement, was_running);
	return rc;
}

TAP_EXPORT int sqlite3_finalize(sqlite3_stmt *statement)
{
	const struct sc_tap_library *library = sc_tap_library_of(CALLER);
	bool was_running;
	struct call call;
	int rc;

	if (!library || !library->finalize)
		return SQLITE_MISUSE;
	begin(&call, library, statement);
	was_running = call.entry && LOAD(call.entry->is_running);
	if (call.entry) {
		call.db = library->db_handle ? library->db_handle(statement) : NULL;
		count_steps(&call, false);
		STORE(call.entry->address, 0); /* another may get it at once */
	}
	rc = library->finalize(statement);
	end(&call, NULL, was_running);
	return rc;
}

/* Whether what sqlite3_exec() left unmarked is committed: where its statements do not come here. */
static bool exec_committed(const struct sc_tap_library *library, sqlite3 *db, const char *sql)
{
	return !begins_with(sql, "ROLLBACK") && library->get_autocommit &&
	       library->get_autocommit(db);
}

int sc_tap_sqlite_exec(struct sc_tap_library *library, sqlite3 *db, const char *sql,
		       int (*callback)(void *, int, char **, char **), void *argument,
		       char **ret_message)
{
	struct known inner = {0};
	struct sc_tap_frame frame;
	uint32_t number;
	bool commits;
	int rc, saved;

	if (!sql || !sc_tap_statement_is_on() || sc_tap_is_inside() || !sc_tap_watch_need_meter())
		return library->exec(db, sql, callback, argument, ret_message);
	number = LOAD(library->is_exec_open) ? 0 : sc_tap_statement_of(sql);
	sc_tap_statement_push(&frame, number, number > 0);
	frame.exec = &inner;
	rc = library->exec(db, sql, callback, argument, ret_message);
	saved = errno;
	if (frame.has_inner)
		STORE(library->is_exec_open, true);
	commits = frame.has_unmarked && exec_committed(library, db, sql);
	sc_tap_statement_pop(&frame, !frame.has_inner, commits);
	errno = saved;
	return rc;
}

TAP_EXPORT int sqlite3_exec(sqlite3 *db, const char *sql,
			    int (*callback)(void *, int, char **, char **), void *argument,
			    char **ret_message)
{
	struct sc_tap_library *library = sc_tap_library_of(CALLER);

	if (!library || !library->exec)
		return SQLITE_MISUSE;
	return sc_tap_sqlite_exec(library, db, sql, callback, argument, ret_message);
}

/* Of a statement that is prepared in the old way SQLite keeps no text. */
TAP_EXPORT int sqlite3_prepare(sqlite3 *db, const char *sql, int bytes,
			       sqlite3_stmt **ret_statement, const char **ret_tail)
{
	const struct sc_tap_library *library = sc_tap_library_of(CALLER);
	const char *tail = NULL;
	char text[4096];
	size_t length;
	int rc;

	if (!library || !library->prepare)
		return SQLITE_MISUSE;
	rc = library->prepare(db, sql, bytes, ret_statement, &tail);
	if (ret_tail)
		*ret_tail = tail;
	if (rc != SQLITE_OK || !ret_statement || !*ret_statement || !sc_tap_statement_is_on() ||
	    !sc_tap_watch_need_meter())
		return rc;
	length = tail ? (size_t)(tail - sql) : 0;
	if (length >= sizeof(text))
		length = sizeof(text) - 1;
	memcpy(text, sql, length);
	text[length] = '\0';
	describe(library, *ret_statement, claim(*ret_statement), text);
	return rc;
}
