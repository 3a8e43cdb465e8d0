/* SPDX-License-Identifier: MIT */

/*
 * Method. A record is written into the thread's ring as soon as the transaction is committed, so
 * that a kill does not lose it, and written again with each call that still belongs to it. A reader
 * may meet either.
 *
 * What of the time between begin and end was in no call is the SQL part: SQLite, and the program.
 */

#include "commit.h"

#include <string.h>

#include "../ops.h"
#include "statement.h"

#define FRESH_NS 20000000u /* a checkpoint that follows from a commit begins at once */

static __thread struct {
	struct sc_tap_moment sums;
	struct sc_tap_moment begin; /* of the last record */
	struct sc_commit record;
	uint64_t number;   /* of the record in the ring, + 1; 0: none */
	uint32_t instance; /* of the meter that it is in */
	bool is_open, is_stale;
} last __attribute__((tls_model("initial-exec")));

static bool has_record(const struct sc_thread *thread)
{
	return last.number > 0 && last.instance == thread->instance;
}

void sc_tap_commit_now(struct sc_tap_moment *ret_moment)
{
	*ret_moment = last.sums;
	ret_moment->at_ns = sc_clock_real_ns();
}

uint32_t sc_tap_commit_database(void)
{
	return last.record.database;
}

static bool is_sync(enum sc_op op)
{
	return op == SC_OP_FSYNC || op == SC_OP_FDATASYNC || op == SC_OP_MSYNC;
}

void sc_tap_commit_sum(const struct sc_tap_call *call, uint64_t end_ns, uint64_t bytes,
		       struct sc_tap_moment *ret_before)
{
	last.sums.at_ns = call->start_ns;
	*ret_before = last.sums;
	last.sums.at_ns = end_ns;
	last.sums.part_ns[sc_ops[call->op].part] += end_ns - call->start_ns;
	if (call->op == SC_OP_WRITE) {
		last.sums.bytes += bytes;
		sc_tap_statement_wrote(bytes);
	}
	if (is_sync(call->op)) {
		last.sums.syncs++;
		sc_tap_statement_synced(end_ns - call->start_ns);
	}
}

void sc_tap_commit_waited(uint64_t ns)
{
	last.sums.part_ns[SC_PART_LOCK] += ns;
	sc_tap_statement_waited(ns);
}

static void write_record(const struct sc_thread *thread)
{
	_Atomic uint64_t *slot = thread->shard->commits[(last.number - 1) & (SC_METER_COMMITS - 1)];
	uint64_t words[SC_COMMIT_WORDS];

	memcpy(words, &last.record, sizeof(words));
	for (size_t i = 0; i < SC_COMMIT_WORDS; i++)
		atomic_store_explicit(&slot[i], words[i], memory_order_relaxed);
}

/* From the sums of now. */
static void fill_record(void)
{
	struct sc_commit *record = &last.record;
	uint64_t booked_ns = 0, wall_ns;

	record->start_ns = last.begin.at_ns;
	record->end_ns = last.sums.at_ns;
	for (int part = SC_PART_READ; part < SC_PART_COUNT_; part++) {
		record->part_ns[part] = last.sums.part_ns[part] - last.begin.part_ns[part];
		booked_ns += record->part_ns[part];
	}
	wall_ns = record->end_ns - record->start_ns;
	record->part_ns[SC_PART_SQL] = wall_ns > booked_ns ? wall_ns - booked_ns : 0;
	record->bytes = last.sums.bytes - last.begin.bytes;
	record->syncs = last.sums.syncs - last.begin.syncs;
}

void sc_tap_commit_record(struct sc_thread *thread, const struct sc_tap_moment *begin,
			  uint32_t database)
{
	uint64_t number = atomic_load_explicit(&thread->shard->commit_count, memory_order_relaxed);

	last.begin = *begin;
	last.record = (struct sc_commit){
		.databases = 1,
		.database = database,
		.statement = sc_tap_statement_now(),
	};
	last.number = 0;
	fill_record();
	if (sc_thread_has_ring(thread)) {
		last.number = number + 1;
		last.instance = thread->instance;
		last.is_open = true;
		last.is_stale = false;
		write_record(thread);
	}
	atomic_store_explicit(&thread->shard->commit_count, number + 1, memory_order_release);
}

void sc_tap_commit_returns(void)
{
	const struct sc_thread *thread = &sc_thread_self;

	if (!thread->shard || !has_record(thread))
		return;
	last.sums.at_ns = sc_clock_real_ns();
	fill_record();
	write_record(thread);
	last.is_open = false;
	last.is_stale = true;
}

void sc_tap_commit_more(struct sc_thread *thread)
{
	if (!has_record(thread))
		return;
	last.record.databases++;
	fill_record();
	write_record(thread);
}

void sc_tap_commit_extend(const struct sc_tap_call *call)
{
	enum sc_part part = sc_ops[call->op].part;

	if (!last.is_open || !has_record(call->thread) ||
	    sc_tap_file_database(call->file) != last.record.database)
		return;
	if (part != SC_PART_WRITE && part != SC_PART_SYNC && call->op != SC_OP_DELETE)
		return;
	fill_record();
	write_record(call->thread);
}

void sc_tap_commit_close(void)
{
	last.is_open = false;
}

void sc_tap_commit_stale(void)
{
	last.is_stale = true;
}

bool sc_tap_commit_is_fresh(const struct sc_thread *thread, uint32_t database, uint64_t at_ns)
{
	return has_record(thread) && !last.is_stale && last.record.database == database &&
	       at_ns - last.record.end_ns < FRESH_NS;
}

void sc_tap_commit_paid(struct sc_thread *thread, uint64_t ns)
{
	if (!has_record(thread))
		return;
	last.record.checkpoint_ns += ns;
	sc_tap_statement_paid(last.record.statement, ns);
	fill_record();
	write_record(thread);
	last.is_open = false;
	last.is_stale = true;
}
