/* SPDX-License-Identifier: MIT */

/*
 * While a reader holds a snapshot, a checkpoint copies what that snapshot has seen and no more, and
 * the WAL cannot be reset: each commit that finds it above wal_autocheckpoint tries in vain. When
 * the reader lets go, the next one succeeds, and whoever committed waits for all of it.
 *
 * Whoever comes to the commit at which the reader is to let go waits until it has, so that the one
 * that pays is the same in every run of one client, and one of the next of several: that time is no
 * commit's.
 *
 * SQLite says after a checkpoint how many frames of the WAL are in the database by then. The commit
 * that paid is the one whose checkpoint was the first to get beyond what was there while the
 * snapshot was held; of several clients', the one that began first, for only one can be at it.
 */

#include "execute-hold.h"

#include <stdlib.h>
#include <time.h>

#include "syncost.h"

#define POLL_NS     100000
#define PATIENCE_NS 10000000000u /* with a holder that does not let go: it has died */

static void pause_once(void)
{
	const struct timespec pause = {.tv_nsec = POLL_NS};

	(void)nanosleep(&pause, NULL);
}

bool sc_hold_pass(struct sc_hold_gate *gate)
{
	uint64_t start_ns;

	if (atomic_fetch_add(&gate->done, 1) + 1 < gate->commits ||
	    atomic_load_explicit(&gate->released, memory_order_relaxed) >= gate->holders)
		return false;
	start_ns = syncost_now_ns();
	while (atomic_load(&gate->released) < gate->holders &&
	       syncost_now_ns() - start_ns < PATIENCE_NS)
		pause_once();
	return true;
}

void sc_hold_keep(struct sc_hold_gate *gate)
{
	while (atomic_load(&gate->done) < gate->commits && !atomic_load(&gate->is_over))
		pause_once();
}

void sc_hold_let_go(struct sc_hold_gate *gate)
{
	if (!atomic_load(&gate->is_over)) {
		atomic_store(&gate->held, atomic_load(&gate->done));
		atomic_store(&gate->release_ns, syncost_now_ns());
	}
	(void)atomic_fetch_add(&gate->released, 1);
}

/* --- what a client sees */

static void add_point(struct sc_watch *watch, uint64_t now_ns, uint64_t pages)
{
	if (watch->commits % watch->stride != 0)
		return;
	if (watch->point_count == SC_WATCH_POINTS_MAX) {
		watch->point_count /= 2;
		for (uint64_t i = 0; i < watch->point_count; i++)
			watch->points[i] = watch->points[2 * i];
		watch->stride *= 2;
	}
	watch->points[watch->point_count++] =
		(struct sc_hold_point){now_ns - watch->start_ns, pages};
}

/* Return: frames of the WAL that are in the database; 0 where another one is at it. */
static uint64_t checkpoint(sqlite3 *db, const char *database)
{
	int frames = -1, copied = -1;

	(void)sqlite3_wal_checkpoint_v2(db, database, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied);
	return copied < 0 ? 0 : (uint64_t)copied;
}

static void raise_to(_Atomic uint64_t *value, uint64_t other)
{
	uint64_t now = atomic_load(value);

	while (now < other && !atomic_compare_exchange_weak(value, &now, other))
		;
}

/* @copied: by a checkpoint that began at @start_ns, after @done commits */
static void note_checkpoint(struct sc_watch *watch, uint64_t copied, uint64_t start_ns,
			    uint64_t done)
{
	struct sc_hold_gate *gate = watch->gate;
	uint64_t before, held;

	if (watch->frames > 0 || atomic_load(&gate->is_over))
		return;
	if (atomic_load(&gate->released) < gate->holders) {
		raise_to(&gate->copied, copied);
		return;
	}
	before = atomic_load(&gate->copied);
	if (copied <= before)
		return;
	watch->frames = copied - before;
	watch->checkpoint_start_ns = start_ns;
	watch->checkpoint_ns = syncost_now_ns() - start_ns;
	watch->commit = watch->commits;
	held = atomic_load(&gate->held);
	watch->after = done >= held ? done + 1 - held : 1; /* others' were counted meanwhile */
	watch->is_paying = true;
}

static int see_commit(void *self, sqlite3 *db, const char *database, int pages)
{
	struct sc_watch *watch = self;
	struct sc_hold_gate *gate = watch->gate;
	uint64_t now_ns = syncost_now_ns(), done = atomic_load(&gate->done), copied;

	watch->commits++;
	if (watch->commits == 1)
		watch->pages_first = (uint64_t)pages;
	if ((uint64_t)pages > watch->pages_max)
		watch->pages_max = (uint64_t)pages;
	if (atomic_load(&gate->released) < gate->holders)
		atomic_store(&gate->pages_kept, (uint64_t)pages);
	add_point(watch, now_ns, (uint64_t)pages);
	if (watch->autocheckpoint == 0 || (uint64_t)pages < watch->autocheckpoint)
		return SQLITE_OK;
	copied = checkpoint(db, database);
	note_checkpoint(watch, copied, now_ns, done);
	return SQLITE_OK;
}

void sc_watch_start(struct sc_watch *watch, sqlite3 *db, struct sc_hold_gate *gate,
		    uint32_t autocheckpoint)
{
	*watch = (struct sc_watch){
		.gate = gate,
		.autocheckpoint = autocheckpoint,
		.stride = 1,
	};
	(void)sqlite3_wal_hook(db, see_commit, watch); /* gives the former context */
}

/* --- what all of them saw */

static int compare_points(const void *a, const void *b)
{
	const struct sc_hold_point *one = a, *other = b;

	return (one->ns > other->ns) - (one->ns < other->ns);
}

/* Room for @from's points is made by dropping every nth, evenly. */
static void add_points(struct sc_hold *hold, const struct sc_watch *watch)
{
	struct sc_hold_point all[SC_HOLD_POINTS_MAX + SC_WATCH_POINTS_MAX];
	uint64_t count = 0;

	for (uint64_t i = 0; i < hold->point_count; i++)
		all[count++] = hold->points[i];
	for (uint64_t i = 0; i < watch->point_count; i++)
		all[count++] = watch->points[i];
	qsort(all, count, sizeof(*all), compare_points);
	hold->point_count = count < SC_HOLD_POINTS_MAX ? count : SC_HOLD_POINTS_MAX;
	for (uint64_t i = 0; i < hold->point_count; i++)
		hold->points[i] =
			all[hold->point_count == 1 ? 0 : i * (count - 1) / (hold->point_count - 1)];
}

void sc_hold_add(struct sc_hold *hold, const struct sc_watch *watch, uint64_t number,
		 uint64_t *first_ns)
{
	if (watch->commits == 0)
		return;
	if (hold->pages_first == 0 || watch->pages_first < hold->pages_first)
		hold->pages_first = watch->pages_first;
	if (watch->pages_max > hold->pages_max)
		hold->pages_max = watch->pages_max;
	if (watch->frames > 0 && watch->checkpoint_start_ns < *first_ns) {
		*first_ns = watch->checkpoint_start_ns;
		hold->client = number;
		hold->commit = watch->commit;
		hold->after = watch->after;
		hold->frames = watch->frames;
		hold->ns = watch->ns;
		hold->checkpoint_ns = watch->checkpoint_ns;
	}
	add_points(hold, watch);
}

void sc_hold_finish(struct sc_hold *hold, const struct sc_hold_gate *gate, uint64_t start_ns,
		    uint32_t page_size, uint64_t typical_ns)
{
	uint64_t done = atomic_load(&gate->done), release_ns = atomic_load(&gate->release_ns);

	hold->holders = gate->holders;
	hold->page_size = page_size;
	hold->commits_held = release_ns ? atomic_load(&gate->held) : done;
	hold->held_ns = release_ns ? release_ns - start_ns : 0;
	hold->pages_released = atomic_load(&gate->pages_kept);
	hold->typical_ns = typical_ns;
}
