/* SPDX-License-Identifier: MIT */

/*
 * Memory. What is in use of the heap (mallinfo2: arenas and blocks mapped of their own) holds what
 * SQLite allocates, what the program does and what a library between them does; the resident set
 * would show a few hundred bytes an operation only after pages of them, and never goes down with
 * free(). SQLite's own share (sqlite3_memory_used) says whose a leak is. The page cache is taken
 * out of both: it fills up to cache_size, which is no leak, and in a database in memory it is the
 * data. Only differences over stretches are added up, so that values made in between do not show.
 *
 * Steps and pages. SQLite's counters have 32 bits; they are read and reset after each stretch.
 * Pages are those asked of the page cache, found there or not: how many are read from the file
 * depends on cache_size too, and those are counted apart.
 */

#include "execute-work.h"

#include <malloc.h>
#include <stdio.h>

#include "../model/leak.h"
#include "execute-program.h"

void sc_work_log_init(struct sc_work_log *log, uint64_t operations, uint64_t rows_per_commit)
{
	uint64_t stretch = (operations + SC_WORK_POINTS - 1) / SC_WORK_POINTS;

	*log = (struct sc_work_log){0};
	log->stretch = (stretch + rows_per_commit - 1) / rows_per_commit * rows_per_commit;
}

static uint64_t db_status(sqlite3 *db, int which, bool reset)
{
	int now = 0, highest = 0;

	(void)sqlite3_db_status(db, which, &now, &highest, reset); /* fails for no known name */
	return (unsigned)now;
}

/* With what the allocator and the cache's table take for each of its pages, some 30 bytes. */
static uint64_t less_cache(uint64_t bytes, sqlite3 *db)
{
	uint64_t cache = db_status(db, SQLITE_DBSTATUS_CACHE_USED, false);

	return bytes - cache - cache / 128; /* wraps; only differences are used */
}

static uint64_t heap_used(sqlite3 *db)
{
	struct mallinfo2 info = mallinfo2();

	return less_cache(info.uordblks + info.hblkhd, db);
}

static uint64_t sqlite_used(sqlite3 *db)
{
	return less_cache((uint64_t)sqlite3_memory_used(), db);
}

void sc_work_log_begin(struct sc_work_log *log, sqlite3 *db)
{
	if (!log->stretch)
		return;
	(void)db_status(db, SQLITE_DBSTATUS_CACHE_HIT, true);
	(void)db_status(db, SQLITE_DBSTATUS_CACHE_MISS, true);
	log->sqlite_start = sqlite_used(db);
	log->heap_start = heap_used(db);
}

void sc_work_log_end(struct sc_work_log *log, sqlite3 *db, struct sc_program *program,
		     uint64_t operations)
{
	uint64_t misses;

	if (!log->stretch)
		return;
	log->heap += (double)(int64_t)(heap_used(db) - log->heap_start);
	log->sqlite += (double)(int64_t)(sqlite_used(db) - log->sqlite_start);
	misses = db_status(db, SQLITE_DBSTATUS_CACHE_MISS, true);
	log->pages += db_status(db, SQLITE_DBSTATUS_CACHE_HIT, true) + misses;
	log->page_misses += misses;
	log->vm_steps += sc_program_take_steps(program);
	if (log->count == SC_WORK_POINTS)
		return;
	log->operations[log->count] = (double)operations;
	log->heap_at[log->count] = log->heap;
	log->sqlite_at[log->count] = log->sqlite;
	log->count++;
}

void sc_work_log_fill(const struct sc_work_log *log, struct sc_sample *sample)
{
	static const char clients[] = "several connections ran, each with counters of its own";
	static const char off[] = "the instruments were off";

	if (!log->stretch) {
		const char *reason = sample->kind == SC_SAMPLE_LEDGER ? clients : off;

		sample->work = (struct sc_work){.status = SC_SKIPPED};
		sample->memory = (struct sc_memory){.status = SC_SKIPPED};
		(void)snprintf(sample->work.reason, sizeof sample->work.reason, "%s", reason);
		(void)snprintf(sample->memory.reason, sizeof sample->memory.reason, "%s", reason);
		return;
	}
	sample->work = (struct sc_work){
		.vm_steps = log->vm_steps,
		.pages = log->pages,
		.page_misses = log->page_misses,
	};
	sample->memory = sc_memory_fit(log->operations, log->heap_at, log->sqlite_at, log->count);
}
