/* SPDX-License-Identifier: MIT */

/*
 * Method. Statements are told apart by the hash of their text, which is in the table with the text
 * itself; two texts of one hash would be one statement. The table only grows: an entry is claimed
 * by its hash, and is read once its text is complete.
 *
 * Several threads may charge one statement, so its counters are added to atomically. That is rare
 * beside what they count.
 */

#include "statement.h"

#include <sched.h>
#include <string.h>

#include "../mapping.h"
#include "shape.h"
#include "transaction.h"

#define LOAD(field) atomic_load_explicit(&(field), memory_order_relaxed)

static enum sc_tap_sql wanted;
static __thread struct sc_tap_frame *innermost __attribute__((tls_model("initial-exec")));

void sc_tap_statement_start(enum sc_tap_sql sql)
{
	wanted = sql;
}

bool sc_tap_statement_is_on(void)
{
	return wanted != SC_TAP_SQL_NONE && sc_tap_is_on();
}

/* FNV-1a; never 0. */
static uint64_t hash_of(const char *text, size_t length)
{
	uint64_t hash = 14695981039346656037u;

	for (size_t i = 0; i < length; i++)
		hash = (hash ^ (unsigned char)text[i]) * 1099511628211u;
	return hash ? hash : 1;
}

/* Return: its number, 0: there is no memory for it. */
static uint32_t fill(uint32_t at, const char *text, size_t length)
{
	struct sc_statement *statement = &sc_ledger.meter->statements[at];

	if (!sc_mapping_back(statement, sizeof(*statement)))
		return 0;
	memcpy(statement->sql, text, length + 1);
	atomic_store_explicit(&sc_ledger.meter->statement_entries[at].is_ready, 1,
			      memory_order_release);
	return at;
}

uint32_t sc_tap_statement_of(const char *sql)
{
	struct sc_statement_entry *entries;
	char text[SC_METER_SQL_BYTES];
	size_t length;
	uint64_t hash;

	if (!sql || !sc_ledger_is_on())
		return 0;
	length = wanted == SC_TAP_SQL_FULL ? sc_tap_shape_full(sql, text, sizeof(text))
					   : sc_tap_shape(sql, text, sizeof(text));
	hash = hash_of(text, length);
	entries = sc_ledger.meter->statement_entries;
	for (uint32_t i = 0; i < SC_METER_STATEMENTS - 1; i++) {
		uint32_t at = 1 + (uint32_t)((hash + i) % (SC_METER_STATEMENTS - 1));
		uint64_t seen = 0;

		if (atomic_compare_exchange_strong(&entries[at].hash, &seen, hash))
			return fill(at, text, length);
		if (seen == hash)
			return LOAD(entries[at].is_ready) ? at : 0;
	}
	return 0;
}

/* --- the stack */

struct sc_tap_frame *sc_tap_statement_frame(void)
{
	return innermost;
}

uint32_t sc_tap_statement_now(void)
{
	if (!innermost || innermost->instance != LOAD(sc_ledger.instance))
		return 0;
	return innermost->statement;
}

static struct sc_statement *charged(void)
{
	uint32_t statement = sc_tap_statement_now();

	return statement && sc_ledger_is_on() ? &sc_ledger.meter->statements[statement] : NULL;
}

static void count(_Atomic uint64_t *counter, uint64_t amount)
{
	(void)atomic_fetch_add_explicit(counter, amount, memory_order_relaxed);
}

void sc_tap_statement_push(struct sc_tap_frame *frame, uint32_t statement, bool is_timed)
{
	/* Field by field: this is done for each row, and the moment is large. */
	frame->outer = innermost;
	frame->exec = NULL;
	frame->statement = statement ? statement : sc_tap_statement_now();
	frame->is_part = statement == 0;
	frame->is_timed = is_timed;
	frame->has_inner = false;
	frame->has_commit = false;
	frame->has_slept = false;
	frame->has_unmarked = false;
	frame->unmarked = 0;
	frame->steps = 1;
	frame->instance = LOAD(sc_ledger.instance);
	if (innermost)
		innermost->has_inner = true;
	if (is_timed)
		sc_tap_commit_now(&frame->begin);
	innermost = frame;
}

void sc_tap_statement_pop(struct sc_tap_frame *frame, bool has_ended, bool commits)
{
	struct sc_statement *statement;

	if (frame->has_unmarked && commits)
		sc_tap_transaction_unmarked(frame);
	if (frame->has_commit)
		sc_tap_commit_returns();
	statement = frame->steps > 0 || frame->is_timed ? charged() : NULL;
	if (statement && !frame->is_part && (!frame->has_inner || has_ended)) {
		if (frame->steps > 0)
			count(&statement->steps, frame->steps);
		if (has_ended)
			count(&statement->executions, 1);
		if (frame->is_timed) {
			count(&statement->timed, 1);
			count(&statement->ns, sc_clock_real_ns() - frame->begin.at_ns);
		}
	}
	innermost = frame->outer;
}

/* --- charges */

void sc_tap_statement_synced(uint64_t ns)
{
	struct sc_statement *statement = charged();

	if (!statement)
		return;
	count(&statement->syncs, 1);
	count(&statement->sync_ns, ns);
}

void sc_tap_statement_wrote(uint64_t bytes)
{
	struct sc_statement *statement = charged();

	if (statement)
		count(&statement->bytes, bytes);
}

void sc_tap_statement_waited(uint64_t ns)
{
	struct sc_statement *statement = charged();

	if (!statement)
		return;
	count(&statement->lock_waits, 1);
	count(&statement->lock_wait_ns, ns);
}

void sc_tap_statement_paid(uint32_t number, uint64_t ns)
{
	if (!number || !sc_ledger_is_on())
		return;
	count(&sc_ledger.meter->statements[number].checkpoints, 1);
	count(&sc_ledger.meter->statements[number].checkpoint_ns, ns);
}

void sc_tap_statement_committed(void)
{
	struct sc_statement *statement = charged();

	if (innermost)
		innermost->has_commit = true;
	if (statement)
		count(&statement->commits, 1);
}
