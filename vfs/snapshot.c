/* SPDX-License-Identifier: MIT */

/*
 * Method. Series of equal key are added over all shards of the present epoch; the writers go on
 * meanwhile, so figures of one moment may differ by the calls in flight. Of a ring, the oldest
 * record may be under the writer's hand when the ring is full: it is left out, as are those
 * overwritten while the ring was copied.
 *
 * The split: VFS parts are what the bracketed calls spent there, locks with what was waited between
 * lock calls; SQL is the rest of the bracketed time. The second axis scales each part's readings to
 * its wall time; time waited between lock calls is taken to be asleep.
 */

#include "snapshot.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "ledger.h"
#include "ops.h"

#define LOAD(field) atomic_load_explicit(&(field), memory_order_relaxed)

/* --- rows */

struct key_index {
	uint32_t key;   /* sc_series_key() */
	uint32_t index; /* into the pool */
};

static int compare_keys(const void *a, const void *b)
{
	const struct key_index *one = a, *other = b;

	return (one->key > other->key) - (one->key < other->key);
}

static bool is_current(const struct sc_meter *meter, uint32_t shard_index)
{
	const struct sc_shard_entry *entry;

	if (shard_index >= SC_METER_SHARDS)
		return false;
	entry = &meter->shard_entries[shard_index];
	return atomic_load_explicit(&entry->state, memory_order_acquire) != SC_SHARD_NEVER_USED &&
	       atomic_load_explicit(&entry->epoch, memory_order_acquire) == LOAD(meter->epoch);
}

/* Series in use, sorted by key. @keys has room for all of the pool. */
static size_t collect_keys(const struct sc_meter *meter, struct key_index *keys)
{
	uint32_t used = LOAD(meter->series_used);
	size_t count = 0;

	for (uint32_t i = 0; i < used && i < SC_METER_SERIES; i++) {
		const struct sc_series_entry *entry = &meter->series_entries[i];
		uint32_t key = atomic_load_explicit(&entry->key, memory_order_acquire);

		if (key && key <= SC_METER_KEYS && is_current(meter, LOAD(entry->shard)) &&
		    LOAD(meter->series[i].calls))
			keys[count++] = (struct key_index){key - 1, i};
	}
	qsort(keys, count, sizeof(keys[0]), compare_keys);
	return count;
}

static void name_row(struct syncost_row *row, uint32_t key)
{
	row->op = (enum sc_op)(key % SC_OP_COUNT_);
	key /= SC_OP_COUNT_;
	row->role = (enum sc_role)(key % SC_ROLE_COUNT_);
	key /= SC_ROLE_COUNT_;
	row->database = key % SC_METER_DATABASES;
	row->instrument = (enum sc_instrument)(key / SC_METER_DATABASES);
}

static int add_buckets(struct syncost_row *row, const struct sc_series *series)
{
	if (!row->buckets)
		row->buckets = calloc(SC_HIST_BUCKETS, sizeof(row->buckets[0]));
	if (!row->buckets)
		return -ENOMEM;
	for (uint32_t i = 0; i < SC_HIST_BUCKETS; i++)
		row->buckets[i] += LOAD(series->buckets[i]);
	return 0;
}

static int add_series(struct syncost_row *row, const struct sc_series *series)
{
	uint64_t ns_max = LOAD(series->ns_max);

	row->calls += LOAD(series->calls);
	row->failures += LOAD(series->failures);
	row->bytes += LOAD(series->bytes);
	row->timed += LOAD(series->timed);
	row->ns += LOAD(series->ns);
	row->ns_max = ns_max > row->ns_max ? ns_max : row->ns_max;
	row->cpu_n += LOAD(series->cpu_n);
	row->cpu_wall_ns += LOAD(series->cpu_wall_ns);
	row->cpu_ns += LOAD(series->cpu_ns);
	row->run_delay_ns += LOAD(series->run_delay_ns);
	row->checkpoint_calls += LOAD(series->checkpoint_calls);
	row->checkpoint_bytes += LOAD(series->checkpoint_bytes);
	row->checkpoint_ns += LOAD(series->checkpoint_ns);
	return LOAD(series->timed) ? add_buckets(row, series) : 0;
}

static size_t count_rows(const struct key_index *keys, size_t count)
{
	size_t rows = 0;

	for (size_t i = 0; i < count; i++)
		rows += i == 0 || keys[i].key != keys[i - 1].key;
	return rows;
}

static int merge_rows(const struct sc_meter *meter, struct syncost_snapshot *snapshot)
{
	struct key_index *keys = malloc(SC_METER_SERIES * sizeof(keys[0]));
	size_t count, row = 0;
	int r = 0;

	if (!keys)
		return -ENOMEM;
	count = collect_keys(meter, keys);
	snapshot->rows = calloc(count ? count_rows(keys, count) : 1, sizeof(snapshot->rows[0]));
	if (!snapshot->rows)
		r = -ENOMEM;

	for (size_t i = 0; r == 0 && i < count; i++) {
		row += i > 0 && keys[i].key != keys[i - 1].key;
		name_row(&snapshot->rows[row], keys[i].key);
		snapshot->row_count = row + 1;
		r = add_series(&snapshot->rows[row], &meter->series[keys[i].index]);
	}
	free(keys);
	return r;
}

int sc_row_compare(const struct syncost_row *a, const struct syncost_row *b)
{
	uint32_t one = sc_series_key(a->instrument, a->database, a->role, a->op);
	uint32_t other = sc_series_key(b->instrument, b->database, b->role, b->op);

	return (one > other) - (one < other);
}

/* --- commits */

static int compare_commits(const void *a, const void *b)
{
	const struct sc_commit *one = a, *other = b;

	return (one->end_ns > other->end_ns) - (one->end_ns < other->end_ns);
}

static void copy_commit(const struct sc_shard *shard, uint64_t number, struct sc_commit *ret_commit)
{
	const _Atomic uint64_t *slot = shard->commits[number & (SC_METER_COMMITS - 1)];
	uint64_t words[SC_COMMIT_WORDS];

	/* Acquire: the count is looked at again after all of them. */
	for (size_t i = 0; i < SC_COMMIT_WORDS; i++)
		words[i] = atomic_load_explicit(&slot[i], memory_order_acquire);
	memcpy(ret_commit, words, sizeof(*ret_commit));
}

/* Number of the oldest record that is not being overwritten. */
static uint64_t oldest_kept(uint64_t count)
{
	return count < SC_METER_COMMITS ? 0 : count - SC_METER_COMMITS + 1;
}

static void copy_ring(const struct sc_shard *shard, bool has_ring,
		      struct syncost_snapshot *snapshot)
{
	uint64_t count = atomic_load_explicit(&shard->commit_count, memory_order_acquire);
	uint64_t first = has_ring ? oldest_kept(count) : count, still_first;
	struct sc_commit *commits = snapshot->commits + snapshot->commit_count;
	uint64_t overwritten;

	for (uint64_t i = first; i < count; i++)
		copy_commit(shard, i, &commits[i - first]);

	still_first = oldest_kept(LOAD(shard->commit_count));
	overwritten = still_first > first ? still_first - first : 0;
	if (overwritten > count - first)
		overwritten = count - first;
	memmove(commits, commits + overwritten,
		(size_t)(count - first - overwritten) * sizeof(commits[0]));
	snapshot->commit_count += (size_t)(count - first - overwritten);
	snapshot->commits_dropped += first + overwritten;
}

static int merge_commits(const struct sc_meter *meter, struct syncost_snapshot *snapshot)
{
	size_t room = 1;

	for (uint32_t i = 0; i < SC_METER_SHARDS; i++) {
		if (is_current(meter, i) && LOAD(meter->shards[i].commit_count))
			room += SC_METER_COMMITS;
	}
	snapshot->commits = malloc(room * sizeof(snapshot->commits[0]));
	if (!snapshot->commits)
		return -ENOMEM;
	for (uint32_t i = 0; i < SC_METER_SHARDS; i++) {
		if (is_current(meter, i) && LOAD(meter->shards[i].commit_count) &&
		    room >= snapshot->commit_count + SC_METER_COMMITS)
			copy_ring(&meter->shards[i],
				  atomic_load_explicit(&meter->shard_entries[i].has_ring,
						       memory_order_acquire),
				  snapshot);
	}
	qsort(snapshot->commits, snapshot->commit_count, sizeof(snapshot->commits[0]),
	      compare_commits);
	return 0;
}

/* --- databases */

static void copy_database(const struct sc_database *database, struct syncost_database *ret)
{
	if (!atomic_load_explicit(&database->used, memory_order_acquire))
		return;
	memcpy(ret->path, database->path, sizeof(ret->path));
	for (int role = 0; role < SC_ROLE_COUNT_; role++) {
		ret->size_bytes[role] = LOAD(database->size_bytes[role]);
		ret->size_bytes_max[role] = LOAD(database->size_bytes_max[role]);
	}
	ret->total_bytes = LOAD(database->total_bytes);
	ret->total_bytes_max = LOAD(database->total_bytes_max);
	ret->commits = LOAD(database->commits);
	ret->checkpoints = LOAD(database->checkpoints);
	ret->checkpoint_ns = LOAD(database->checkpoint_ns);
	ret->checkpoint_frames = LOAD(database->checkpoint_frames);
	ret->wal_resets = LOAD(database->wal_resets);
	ret->wal_creations = LOAD(database->wal_creations);
	ret->wal_frames = LOAD(database->wal_frames);
	ret->unmarked_writes = LOAD(database->unmarked_writes);
	ret->lock_waits = LOAD(database->lock_waits);
	ret->lock_wait_ns = LOAD(database->lock_wait_ns);
}

/* --- statements */

/* What is not taken has no memory behind it, and would get some if it were looked at. */
static int copy_statements(const struct sc_meter *meter, struct syncost_snapshot *snapshot)
{
	size_t count = 0;

	for (uint32_t i = 1; i < SC_METER_STATEMENTS; i++)
		count += LOAD(meter->statement_entries[i].is_ready) != 0;
	snapshot->statements = calloc(count ? count : 1, sizeof(snapshot->statements[0]));
	if (!snapshot->statements)
		return -ENOMEM;
	for (uint32_t i = 1; i < SC_METER_STATEMENTS && snapshot->statement_count < count; i++) {
		const struct sc_statement *from = &meter->statements[i];
		struct syncost_statement *into = &snapshot->statements[snapshot->statement_count];

		if (!atomic_load_explicit(&meter->statement_entries[i].is_ready,
					  memory_order_acquire))
			continue;
		into->number = i;
		memcpy(into->sql, from->sql, sizeof(into->sql));
		into->sql[sizeof(into->sql) - 1] = '\0';
		into->executions = LOAD(from->executions);
		into->steps = LOAD(from->steps);
		into->timed = LOAD(from->timed);
		into->ns = LOAD(from->ns);
		into->commits = LOAD(from->commits);
		into->syncs = LOAD(from->syncs);
		into->sync_ns = LOAD(from->sync_ns);
		into->bytes = LOAD(from->bytes);
		into->lock_waits = LOAD(from->lock_waits);
		into->lock_wait_ns = LOAD(from->lock_wait_ns);
		into->checkpoints = LOAD(from->checkpoints);
		into->checkpoint_ns = LOAD(from->checkpoint_ns);
		snapshot->statement_count++;
	}
	return 0;
}

/* --- the split */

static uint64_t without(uint64_t value, uint64_t less)
{
	return value > less ? value - less : 0;
}

static void add_shard(const struct sc_shard *shard, struct syncost_snapshot *snapshot)
{
	struct syncost_split *split = &snapshot->split;
	uint64_t wait_ns = LOAD(shard->lock_wait_sql_ns), booked_ns = wait_ns;

	for (int part = 0; part < SC_PART_COUNT_; part++) {
		uint64_t part_ns = LOAD(shard->inside_part_ns[part]);

		split->wall_ns[part] += part_ns;
		booked_ns += part_ns;
	}
	split->wall_ns[SC_PART_OUTSIDE] += LOAD(shard->outside_ns);
	split->wall_ns[SC_PART_LOCK] += wait_ns;
	split->wall_ns[SC_PART_SQL] += without(LOAD(shard->inside_ns), booked_ns);
	split->wait_outside_vfs_ns += wait_ns;
	split->calls += LOAD(shard->calls);
	split->own_ns += LOAD(shard->own_ns);
	split->major_faults += LOAD(shard->major_faults);

	split->cpu_n[SC_PART_SQL] += LOAD(shard->sql_cpu_n);
	split->read_wall_ns[SC_PART_SQL] += LOAD(shard->sql_cpu_wall_ns);
	split->read_cpu_ns[SC_PART_SQL] += LOAD(shard->sql_cpu_ns);
	split->read_run_delay_ns[SC_PART_SQL] += LOAD(shard->sql_run_delay_ns);
	split->cpu_n[SC_PART_OUTSIDE] += LOAD(shard->outside_cpu_n);
	split->read_wall_ns[SC_PART_OUTSIDE] += LOAD(shard->outside_cpu_wall_ns);
	split->read_cpu_ns[SC_PART_OUTSIDE] += LOAD(shard->outside_cpu_ns);
	split->read_run_delay_ns[SC_PART_OUTSIDE] += LOAD(shard->outside_run_delay_ns);

	snapshot->lock_wait_ns += LOAD(shard->lock_wait_ns);
	snapshot->lock_waits += LOAD(shard->lock_waits);
	snapshot->busy += LOAD(shard->busy);
	snapshot->syncs_omitted += LOAD(shard->syncs_omitted);
}

static void add_rows(struct syncost_snapshot *snapshot)
{
	struct syncost_split *split = &snapshot->split;
	uint64_t checkpoint_ns = 0;

	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];
		enum sc_part part = sc_ops[row->op].part;

		if (row->instrument != SC_INSTRUMENT_VFS)
			continue;
		split->cpu_n[part] += row->cpu_n;
		split->read_wall_ns[part] += row->cpu_wall_ns;
		split->read_cpu_ns[part] += row->cpu_ns;
		split->read_run_delay_ns[part] += row->run_delay_ns;
		split->checkpoint_ns[part] += row->checkpoint_ns;
		checkpoint_ns += row->checkpoint_ns;
	}
	for (int i = 0; i < (int)SC_METER_DATABASES; i++)
		split->checkpoint_ns[SC_PART_SQL] += snapshot->databases[i].checkpoint_ns;
	split->checkpoint_ns[SC_PART_SQL] =
		without(split->checkpoint_ns[SC_PART_SQL], checkpoint_ns);
}

static uint64_t scale(uint64_t value, uint64_t from, uint64_t to)
{
	return from ? (uint64_t)((double)value * ((double)to / (double)from)) : 0;
}

void sc_snapshot_estimate(struct syncost_split *split)
{
	for (int part = 0; part < SC_PART_COUNT_; part++) {
		uint64_t wall_ns = split->wall_ns[part], read_ns = split->read_wall_ns[part];

		if (part == SC_PART_LOCK)
			wall_ns = without(wall_ns, split->wait_outside_vfs_ns);
		split->cpu_ns[part] = scale(split->read_cpu_ns[part], read_ns, wall_ns);
		split->run_delay_ns[part] = scale(split->read_run_delay_ns[part], read_ns, wall_ns);
	}
}

/* --- taking one */

static int fill(const struct sc_meter *meter, uint64_t at_ns, struct syncost_snapshot *snapshot)
{
	int r;

	snapshot->at_ns = at_ns;
	snapshot->pid = meter->pid;
	snapshot->parent_pid = meter->parent_pid;
	memcpy(snapshot->program, meter->program, sizeof(snapshot->program));
	snapshot->start_ns = meter->start_ns;
	snapshot->start_realtime_ns = meter->start_realtime_ns;
	snapshot->instruments = LOAD(meter->instruments);
	snapshot->clock_kind = (enum sc_clock_kind)meter->clock_kind;
	snapshot->calls_dropped = LOAD(meter->calls_dropped);
	snapshot->transactions = LOAD(meter->transactions);
	snapshot->empty_commits = LOAD(meter->empty_commits);
	snapshot->connections_set = LOAD(meter->connections_set);
	snapshot->pragmas_refused = LOAD(meter->pragmas_refused);
	snapshot->total_bytes = LOAD(meter->total_bytes);
	snapshot->total_bytes_max = LOAD(meter->total_bytes_max);
	for (uint32_t i = 0; i < SC_METER_DATABASES; i++)
		copy_database(&meter->databases[i], &snapshot->databases[i]);

	r = merge_rows(meter, snapshot);
	if (r == 0)
		r = merge_commits(meter, snapshot);
	if (r == 0)
		r = copy_statements(meter, snapshot);
	if (r < 0)
		return r;
	for (uint32_t i = 0; i < SC_METER_SHARDS; i++) {
		if (is_current(meter, i))
			add_shard(&meter->shards[i], snapshot);
	}
	add_rows(snapshot);
	sc_snapshot_estimate(&snapshot->split);
	return 0;
}

static int take(const struct sc_meter *meter, uint64_t at_ns,
		struct syncost_snapshot **ret_snapshot)
{
	struct syncost_snapshot *snapshot = calloc(1, sizeof(*snapshot));
	int r;

	if (!snapshot)
		return -ENOMEM;
	r = fill(meter, at_ns, snapshot);
	if (r < 0) {
		syncost_snapshot_free(snapshot);
		return r;
	}
	*ret_snapshot = snapshot;
	return 0;
}

int syncost_snapshot(struct syncost_snapshot **ret_snapshot)
{
	if (!ret_snapshot || !sc_ledger_is_on())
		return -EINVAL;
	return take(sc_ledger.meter, sc_clock_ns(), ret_snapshot);
}

static bool is_readable(const struct sc_meter *meter)
{
	return __atomic_load_n(&meter->magic, __ATOMIC_ACQUIRE) == SC_METER_MAGIC &&
	       meter->version == SC_METER_VERSION &&
	       meter->header_bytes == offsetof(struct sc_meter, shards) &&
	       meter->shard_bytes == sizeof(struct sc_shard) &&
	       meter->series_bytes == sizeof(struct sc_series) &&
	       meter->database_bytes == sizeof(struct sc_database);
}

/* Both kinds of clock begin with CLOCK_MONOTONIC. */
static uint64_t foreign_now_ns(const struct sc_meter *meter)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_MONOTONIC, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec + LOAD(meter->virtual_ns);
}

static int map_meter(const char *path, const struct sc_meter **ret_meter)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK), r = 0;
	struct stat facts;
	void *mapped = MAP_FAILED;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &facts) != 0)
		r = -errno;
	else if (!S_ISREG(facts.st_mode) || (uint64_t)facts.st_size < sizeof(struct sc_meter))
		r = -EBADMSG;
	else
		mapped = mmap(NULL, sizeof(struct sc_meter), PROT_READ, MAP_SHARED, fd, 0);
	if (r == 0 && mapped == MAP_FAILED)
		r = -errno;
	(void)close(fd); /* only read from */
	*ret_meter = mapped;
	return r;
}

int syncost_snapshot_read(const char *meter_path, struct syncost_snapshot **ret_snapshot)
{
	const struct sc_meter *meter;
	int r;

	if (!meter_path || !ret_snapshot)
		return -EINVAL;
	r = map_meter(meter_path, &meter);
	if (r < 0)
		return r;
	r = is_readable(meter) ? take(meter, foreign_now_ns(meter), ret_snapshot) : -EBADMSG;
	(void)munmap((void *)(uintptr_t)meter, sizeof(*meter)); /* of our own mapping */
	return r;
}

void syncost_snapshot_free(struct syncost_snapshot *snapshot)
{
	if (!snapshot)
		return;
	for (size_t i = 0; i < snapshot->row_count; i++)
		free(snapshot->rows[i].buckets);
	free(snapshot->rows);
	free(snapshot->commits);
	free(snapshot->statements);
	free(snapshot);
}
