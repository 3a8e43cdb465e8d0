/* SPDX-License-Identifier: MIT */

/*
 * Method. SQLite ends a transaction on each of its databases with SQLITE_FCNTL_COMMIT_PHASETWO on
 * the main file, in every journal and locking mode of 3.40 (one exception: an empty transaction
 * with journal_mode=PERSIST and locking_mode=EXCLUSIVE ends without). It comes when the journal is
 * finalised; in WAL mode after the write lock was released. It also comes for transactions that
 * wrote nothing, and never for a rollback.
 *
 * So a main file remembers whether main file, journal or WAL were written since. A rollback leaves
 * such writes behind; they are forgotten when the write lock is taken anew, or when the journal is
 * read from its header on, which only playing back a whole journal does. In locking_mode=EXCLUSIVE
 * there is no lock to watch; what remains unseen there is a rollback that played back no journal
 * (WAL frames spilled before the rollback, journal_mode=MEMORY): an empty commit right after it is
 * then taken for one that wrote.
 *
 * Databases of one transaction: all are still held when the first reports. As long as a sibling
 * holds a write lock, more reports of the same transaction will come. It ends with the last of
 * them, or with whatever could not happen in between. A report of a sibling that wrote nothing and
 * comes directly after belongs to it, too (EXCLUSIVE again).
 */

#include "commit.h"

#include <string.h>

#include "call.h"

/* --- records */

static uint64_t difference(uint64_t later, uint64_t earlier)
{
	return later > earlier ? later - earlier : 0;
}

static void fill_record(struct sc_commit *record, const struct sc_moment *from,
			const struct sc_moment *to)
{
	uint64_t wall_ns = difference(to->at_ns, from->at_ns);
	uint64_t booked_ns = difference(to->own_ns, from->own_ns);

	record->start_ns = from->at_ns;
	record->end_ns = to->at_ns;
	for (int part = 0; part < SC_PART_COUNT_; part++) {
		record->part_ns[part] = difference(to->part_ns[part], from->part_ns[part]);
		booked_ns += record->part_ns[part];
	}
	record->part_ns[SC_PART_LOCK] += difference(to->wait_sql_ns, from->wait_sql_ns);
	booked_ns += difference(to->wait_sql_ns, from->wait_sql_ns);
	record->part_ns[SC_PART_SQL] = difference(wall_ns, booked_ns);
	record->checkpoint_ns = difference(to->checkpoint_ns, from->checkpoint_ns);
	record->bytes = difference(to->bytes, from->bytes);
	record->syncs = (uint32_t)difference(to->syncs, from->syncs);
}

/* Appends the record of a commit over @databases, @database the first of them. */
static void record_commit(struct sc_thread *thread, const struct sc_moment *from,
			  const struct sc_moment *to, uint32_t databases, uint32_t database)
{
	struct sc_shard *shard = thread->shard;
	uint64_t number = atomic_load_explicit(&shard->commit_count, memory_order_relaxed);
	_Atomic uint64_t *slot = shard->commits[number & (SC_METER_COMMITS - 1)];
	struct sc_commit record = {.databases = databases, .database = database};
	uint64_t words[SC_COMMIT_WORDS];

	if (sc_thread_has_ring(thread)) {
		fill_record(&record, from, to);
		memcpy(words, &record, sizeof(words));
		for (size_t i = 0; i < SC_COMMIT_WORDS; i++)
			atomic_store_explicit(&slot[i], words[i], memory_order_relaxed);
	}
	atomic_store_explicit(&shard->commit_count, number + 1, memory_order_release);
}

/* Where the record of the call's last commit begins. */
static const struct sc_moment *record_start(const struct sc_calls *calls)
{
	return calls->has_committed_before ? &calls->since : &calls->begin;
}

/*
 * In a bracketed call the record waits for the call to return, so that what follows the commit (a
 * checkpoint) is part of it; an earlier commit of the same call ends with itself.
 */
static void hold_commit(struct sc_thread *thread, uint64_t at_ns)
{
	struct sc_calls *calls = &thread->calls;

	if (calls->databases > 0) {
		record_commit(thread, record_start(calls), &calls->committed, calls->databases,
			      calls->database);
		calls->since = calls->committed;
		calls->has_committed_before = true;
	}
	sc_moment_take(thread, at_ns, &calls->committed);
	calls->databases = calls->group.databases;
	calls->database = calls->group.first;
}

/* --- groups */

/* Without brackets the sums are of one thread: they need the same writer. */
static void record_at_once(struct sc_thread *thread, const struct sc_transaction *last,
			   uint64_t at_ns)
{
	const struct sc_group *group = &thread->calls.group;
	struct sc_moment now;

	sc_moment_take(thread, at_ns, &now);
	record_commit(thread, last && last->writer == thread ? &last->first_write : &now, &now,
		      group->databases, group->first);
}

static void end_group(struct sc_thread *thread, const struct sc_transaction *last, uint64_t at_ns)
{
	struct sc_calls *calls = &thread->calls;
	struct sc_meter *meter = sc_ledger.meter;

	calls->group.is_open = false;
	if (calls->group.databases == 0) {
		(void)atomic_fetch_add_explicit(&meter->empty_commits, 1, memory_order_relaxed);
		return;
	}
	(void)atomic_fetch_add_explicit(&meter->transactions, 1, memory_order_relaxed);
	if (calls->is_inside)
		hold_commit(thread, at_ns);
	else
		record_at_once(thread, last, at_ns);
}

/* What cannot happen between the reports of one transaction has happened. */
static void close_group(struct sc_thread *thread)
{
	struct sc_group *group = &thread->calls.group;

	group->is_joinable = false;
	if (group->is_open)
		end_group(thread, NULL, sc_clock_ns());
}

static bool has_open_sibling(const struct sc_file *main, uint32_t serial)
{
	for (const struct sc_file *other = main->sibling; other != main; other = other->sibling) {
		if (other->transaction.is_open && other->transaction.serial != serial)
			return true;
	}
	return false;
}

/* Whether a report of @main belongs to the transaction whose reports are coming in. */
static bool belongs_to_group(const struct sc_thread *thread, const struct sc_file *main)
{
	const struct sc_group *group = &thread->calls.group;
	const struct sc_transaction *transaction = &main->transaction;

	if (!main->connection || group->connection != main->connection ||
	    transaction->serial == group->serial)
		return false;
	return group->is_open || (group->is_joinable && !transaction->has_written);
}

static void begin_group(struct sc_thread *thread, const struct sc_file *main)
{
	static _Atomic uint32_t serials;
	uint32_t serial;

	close_group(thread);
	do
		serial = atomic_fetch_add_explicit(&serials, 1, memory_order_relaxed) + 1;
	while (serial == 0);
	thread->calls.group = (struct sc_group){
		.connection = main->connection,
		.serial = serial,
		.is_open = true,
	};
}

void sc_commit_phase_two(struct sc_thread *thread, struct sc_file *main, uint64_t end_ns)
{
	struct sc_group *group = &thread->calls.group;
	struct sc_transaction *transaction = &main->transaction;
	bool was_open;

	if (!belongs_to_group(thread, main))
		begin_group(thread, main);
	was_open = group->is_open;
	transaction->serial = group->serial;

	if (transaction->has_written) {
		if (group->databases++ == 0)
			group->first = main->database;
		(void)atomic_fetch_add_explicit(&sc_ledger.meter->databases[main->database].commits,
						1, memory_order_relaxed);
	}
	if (was_open && !has_open_sibling(main, group->serial)) {
		end_group(thread, transaction, end_ns);
		group->is_joinable = true;
	}
	transaction->has_written = false;
	transaction->is_open = false;
	transaction->is_rolling_back = false;
}

/* --- what happens to a transaction */

void sc_commit_before_write(struct sc_thread *thread, struct sc_file *file)
{
	struct sc_file *main = file->main;

	if (!main || main->transaction.has_written || (file == main && main->wal))
		return; /* in WAL mode only checkpoints write to the main file */
	if (!thread->calls.is_inside) {
		sc_moment_take(thread, sc_clock_ns(), &main->transaction.first_write);
		main->transaction.writer = thread;
	}
	if (thread->calls.group.connection == main->connection)
		close_group(thread);
}

void sc_commit_write(struct sc_file *file)
{
	struct sc_file *main = file->main;

	if (!main || (file == main && main->wal))
		return;
	if (main->transaction.is_rolling_back) {
		/* Zeroing the header ends it, unless the main file is being restored. */
		if (file->role == SC_ROLE_MAIN_JOURNAL)
			main->transaction.is_rolling_back = false;
		return;
	}
	main->transaction.has_written = true;
	main->transaction.is_open = true;
}

void sc_commit_journal_read(struct sc_file *journal, int64_t offset)
{
	const int64_t header_bytes = 28;
	struct sc_file *main = journal->main;

	if (!main || offset >= header_bytes)
		return;
	main->transaction.is_rolling_back = true;
	main->transaction.has_written = false;
	main->transaction.is_open = false;
}

void sc_commit_journal_done(struct sc_file *journal)
{
	if (journal->main)
		journal->main->transaction.is_rolling_back = false;
}

void sc_commit_write_lock(struct sc_thread *thread, struct sc_file *main)
{
	struct sc_transaction *transaction = &main->transaction;

	if (transaction->is_open)
		return; /* a higher level of the same lock */
	if (thread->calls.group.connection == main->connection)
		close_group(thread);
	transaction->is_open = true;
	transaction->has_written = false;
	transaction->is_rolling_back = false;
}

void sc_commit_write_unlock(struct sc_file *main)
{
	main->transaction.is_open = false;
}

void sc_commit_call_ends(struct sc_thread *thread, const struct sc_moment *now)
{
	struct sc_calls *calls = &thread->calls;

	close_group(thread);
	if (calls->databases == 0)
		return;
	record_commit(thread, record_start(calls), now, calls->databases, calls->database);
	calls->databases = 0;
}
