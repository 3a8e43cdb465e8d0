/* SPDX-License-Identifier: MIT */

/*
 * A look takes some ten microseconds a process; it is never taken more often than so that looks
 * are one part in fifty of the time. When the timeline has SAMPLES_MAX points, each second one is
 * dropped and looks are half as frequent from then on.
 *
 * Processes are known by their meters, a process that called exec by several of them. Their order
 * is that of the times at which they came to their first database.
 */

#include "gather.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>

#include "../base/clock.h"
#include "syncost.h"

#define PREFIX      "syncost-meter."
#define SHARE       50
#define SAMPLES_MAX 8192

static int is_meter(const struct dirent *entry)
{
	return strncmp(entry->d_name, PREFIX, strlen(PREFIX)) == 0;
}

static int scan(const struct sc_gather *gather, struct dirent ***ret_names)
{
	return scandir(gather->directory, ret_names, is_meter, versionsort);
}

static void free_names(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

static void snapshot_freep(struct syncost_snapshot **snapshot)
{
	syncost_snapshot_free(*snapshot);
}

/* Return: -EBADMSG while it is being made, or where it is none. */
static int read_meter(const struct sc_gather *gather, const char *name,
		      struct syncost_snapshot **ret_snapshot, bool *ret_is_live)
{
	SC_CLEANUP(sc_freep) char *path = NULL;
	SC_CLEANUP(sc_fd_closep) int fd = -1;

	if (asprintf(&path, "%s/%s", gather->directory, name) < 0) {
		path = NULL; /* undefined after a failure */
		return -ENOMEM;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	*ret_is_live = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) != 0; /* its process holds it */
	return syncost_snapshot_read(path, ret_snapshot);
}

/* --- processes */

/* The one with that meter, added where it is new. Return: its index, or < 0. */
static int64_t process_of(struct sc_gather *gather, const struct syncost_snapshot *snapshot)
{
	uint64_t started_ns =
		snapshot->start_ns > gather->start_ns ? snapshot->start_ns - gather->start_ns : 0;
	struct sc_run *run = gather->run;
	struct sc_run_process *processes;

	for (size_t i = 0; i < run->process_count; i++) {
		if (run->processes[i].pid == snapshot->pid &&
		    run->processes[i].started_ns == started_ns)
			return (int64_t)i;
	}
	processes = reallocarray(run->processes, run->process_count + 1, sizeof(*processes));
	if (!processes)
		return -ENOMEM;
	run->processes = processes;
	processes[run->process_count] = (struct sc_run_process){
		.pid = snapshot->pid,
		.parent_pid = snapshot->parent_pid,
		.started_ns = started_ns,
	};
	memcpy(processes[run->process_count].program, snapshot->program, sizeof(snapshot->program));
	return (int64_t)run->process_count++;
}

/* A database that was named while the snapshot was taken is in the next one. */
static bool is_named(const struct syncost_snapshot *snapshot, uint32_t slot)
{
	return slot == 0 || snapshot->databases[slot].path[0];
}

/* The run's index of a database of the process, or < 0. */
static int64_t database_of(struct sc_run *run, const struct syncost_snapshot *snapshot,
			   uint32_t slot)
{
	const char *path = snapshot->databases[slot].path;

	return sc_run_database(run, path[0] ? path : NULL);
}

/* --- the timeline */

static void thin(struct sc_gather *gather)
{
	struct sc_run *run = gather->run;
	size_t kept = 0, group = 0;

	for (size_t i = 0; i < run->sample_count; i++) {
		if (i > 0 && run->samples[i].at_ns != run->samples[i - 1].at_ns)
			group++;
		if (group % 2 == 0)
			run->samples[kept++] = run->samples[i];
	}
	run->sample_count = kept;
	gather->every_ns *= 2;
}

static void count_row(struct sc_run_sample *sample, const struct syncost_row *row)
{
	if (sc_run_is_sync(row->op)) {
		sample->syncs += row->calls;
		sample->sync_ns += row->ns;
	} else if (row->op == SC_OP_READ) {
		sample->read_bytes += row->bytes;
	} else if (row->op == SC_OP_WRITE) {
		sample->written_bytes += row->bytes;
	}
}

static bool is_news(const struct sc_run *run, const struct sc_run_sample *sample)
{
	for (size_t i = run->sample_count; i-- > 0;) {
		const struct sc_run_sample *last = &run->samples[i];

		if (last->process == sample->process && last->database == sample->database)
			return last->syncs != sample->syncs || last->commits != sample->commits ||
			       last->read_bytes != sample->read_bytes ||
			       last->written_bytes != sample->written_bytes ||
			       last->database_bytes != sample->database_bytes ||
			       last->wal_bytes != sample->wal_bytes ||
			       last->journal_bytes != sample->journal_bytes;
	}
	return true;
}

static int add_sample(struct sc_run *run, const struct sc_run_sample *sample)
{
	struct sc_run_sample *samples;

	if (!is_news(run, sample))
		return 0;
	samples = reallocarray(run->samples, run->sample_count + 1, sizeof(*samples));
	if (!samples)
		return -ENOMEM;
	run->samples = samples;
	samples[run->sample_count++] = *sample;
	return 0;
}

static int add_samples(struct sc_gather *gather, const struct syncost_snapshot *snapshot,
		       uint32_t process, uint64_t at_ns)
{
	int r = 0;

	for (uint32_t slot = 0; r == 0 && slot < SC_METER_DATABASES; slot++) {
		const struct syncost_database *database = &snapshot->databases[slot];
		struct sc_run_sample sample = {
			.at_ns = at_ns,
			.process = process,
			.commits = database->commits,
			.checkpoints = database->checkpoints,
			.database_bytes = database->size_bytes[SC_ROLE_MAIN_DB],
			.wal_bytes = database->size_bytes[SC_ROLE_WAL],
			.journal_bytes = database->size_bytes[SC_ROLE_MAIN_JOURNAL],
		};
		bool has_rows = false;
		int64_t index;

		for (size_t i = 0; i < snapshot->row_count; i++) {
			if (snapshot->rows[i].database == slot) {
				count_row(&sample, &snapshot->rows[i]);
				has_rows = true;
			}
		}
		if (!has_rows || !is_named(snapshot, slot))
			continue;
		index = database_of(gather->run, snapshot, slot);
		if (index < 0)
			return (int)index;
		sample.database = (uint32_t)index;
		r = add_sample(gather->run, &sample);
	}
	return r;
}

/* --- statements */

/* The run's index of the one with that number in the process's meter. */
static int64_t statement_of(struct sc_run *run, const struct syncost_snapshot *snapshot,
			    uint32_t number)
{
	for (size_t i = 0; number > 0 && i < snapshot->statement_count; i++) {
		if (snapshot->statements[i].number == number)
			return sc_run_statement(run, snapshot->statements[i].sql);
	}
	return SC_RUN_NO_STATEMENT;
}

static int add_statements(struct sc_run *run, const struct syncost_snapshot *snapshot)
{
	for (size_t i = 0; i < snapshot->statement_count; i++) {
		const struct syncost_statement *from = &snapshot->statements[i];
		struct sc_run_statement *into;
		int64_t index;

		if (from->steps == 0 && from->syncs == 0)
			continue; /* its text was looked at, and it did nothing */
		index = sc_run_statement(run, from->sql);
		if (index < 0)
			return (int)index;
		into = &run->statements[index];
		into->executions += from->executions;
		if (from->timed > 0)
			into->ns += (uint64_t)((double)from->ns * (double)from->steps /
					       (double)from->timed);
		into->commits += from->commits;
		into->syncs += from->syncs;
		into->sync_ns += from->sync_ns;
		into->bytes += from->bytes;
		into->lock_waits += from->lock_waits;
		into->lock_wait_ns += from->lock_wait_ns;
		into->checkpoints += from->checkpoints;
		into->checkpoint_ns += from->checkpoint_ns;
	}
	return 0;
}

/* --- commits */

static int add_commits(struct sc_gather *gather, const struct syncost_snapshot *snapshot,
		       uint32_t process)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < snapshot->commit_count; i++) {
		const struct sc_commit *from = &snapshot->commits[i];
		struct sc_run_commit commit = {
			.process = process,
			.ns = from->end_ns - from->start_ns,
			.checkpoint_ns = from->checkpoint_ns,
			.bytes = from->bytes,
			.syncs = from->syncs,
			.databases = from->databases,
		};
		int64_t database, statement;

		if (from->database >= SC_METER_DATABASES || from->end_ns < from->start_ns ||
		    !is_named(snapshot, from->database))
			continue; /* it was being written */
		if (gather->run->slowest_count == gather->run->slowest_max &&
		    gather->run->slowest_count > 0 &&
		    commit.ns <= gather->run->slowest[gather->run->slowest_count - 1].ns)
			continue;
		database = database_of(gather->run, snapshot, from->database);
		if (database < 0)
			return (int)database;
		statement = statement_of(gather->run, snapshot, from->statement);
		if (statement < 0)
			return (int)statement;
		commit.database = (uint32_t)database;
		commit.statement = (uint32_t)statement;
		commit.at_ns =
			from->start_ns > gather->start_ns ? from->start_ns - gather->start_ns : 0;
		memcpy(commit.part_ns, from->part_ns, sizeof(commit.part_ns));
		r = sc_run_add_commit(gather->run, &commit);
	}
	return r;
}

void sc_gather_look(struct sc_gather *gather)
{
	uint64_t now_ns = sc_monotonic_ns(), took_ns;
	struct dirent **names = NULL;
	int count;

	if (now_ns < gather->next_ns)
		return;
	count = scan(gather, &names);
	for (int i = 0; i < count; i++) {
		SC_CLEANUP(snapshot_freep) struct syncost_snapshot *snapshot = NULL;
		int64_t process;
		bool is_live;

		if (read_meter(gather, names[i]->d_name, &snapshot, &is_live) != 0)
			continue;
		process = process_of(gather, snapshot);
		if (process < 0 ||
		    add_samples(gather, snapshot, (uint32_t)process, now_ns - gather->start_ns) <
			    0 ||
		    add_commits(gather, snapshot, (uint32_t)process) < 0)
			break; /* no memory: the end of the run will say so */
	}
	free_names(names, count);
	if (gather->run->sample_count >= SAMPLES_MAX)
		thin(gather);
	took_ns = sc_monotonic_ns() - now_ns;
	gather->next_ns =
		now_ns + (took_ns * SHARE > gather->every_ns ? took_ns * SHARE : gather->every_ns);
}

/* --- the end */

static int add_row(struct sc_run *run, struct sc_run_process *process, int64_t database,
		   const struct syncost_row *from)
{
	const struct sc_run_row row = {
		.database = (uint32_t)database,
		.role = from->role,
		.op = from->op,
		.calls = from->calls,
		.failures = from->failures,
		.bytes = from->bytes,
		.ns = from->timed ? (uint64_t)((double)from->ns * (double)from->calls /
					       (double)from->timed)
				  : 0,
		.ns_max = from->ns_max,
		.timed = from->timed,
		.buckets = from->buckets,
	};
	int r = sc_run_rows_add(&process->rows, &row);

	return r < 0 ? r : sc_run_rows_add(&run->rows, &row);
}

static void add_counters(struct sc_run_database *into, const struct syncost_database *from)
{
	into->commits += from->commits;
	into->unmarked_writes += from->unmarked_writes;
	into->wal_frames += from->wal_frames;
	into->wal_resets += from->wal_resets;
	into->wal_creations += from->wal_creations;
	into->checkpoints += from->checkpoints;
	into->checkpoint_ns += from->checkpoint_ns;
	into->checkpoint_frames += from->checkpoint_frames;
	into->lock_waits += from->lock_waits;
	into->lock_wait_ns += from->lock_wait_ns;
}

static void note_sizes(struct sc_run_database *into, const struct syncost_database *from)
{
	for (int role = 0; role < SC_ROLE_COUNT_; role++) {
		if (from->size_bytes_max[role] > into->size_bytes_max[role])
			into->size_bytes_max[role] = from->size_bytes_max[role];
	}
}

static int add_process(struct sc_gather *gather, const struct syncost_snapshot *snapshot,
		       bool is_live)
{
	struct sc_run *run = gather->run;
	int64_t index = process_of(gather, snapshot);
	struct sc_run_process *process;
	int r = 0;

	if (index < 0)
		return (int)index;
	process = &run->processes[index];
	process->is_running = is_live;
	process->calls_dropped = snapshot->calls_dropped;
	for (size_t i = 0; r == 0 && i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];
		int64_t database;

		if (!is_named(snapshot, row->database))
			continue;
		database = database_of(run, snapshot, row->database);
		if (database < 0)
			return (int)database;
		r = add_row(run, process, database, row);
	}
	for (uint32_t slot = 1;
	     r == 0 && slot < SC_METER_DATABASES && snapshot->databases[slot].path[0]; slot++) {
		int64_t database = database_of(run, snapshot, slot);

		if (database < 0)
			return (int)database;
		note_sizes(&run->databases[database], &snapshot->databases[slot]);
		add_counters(&run->databases[database], &snapshot->databases[slot]);
	}
	run->transactions += snapshot->transactions;
	run->connections_set += snapshot->connections_set;
	run->pragmas_refused += snapshot->pragmas_refused;
	if (r == 0)
		r = add_statements(run, snapshot);
	if (r == 0)
		r = add_commits(gather, snapshot, (uint32_t)index);
	if (r == 0)
		r = add_samples(gather, snapshot, (uint32_t)index,
				sc_monotonic_ns() - gather->start_ns);
	return r;
}

int sc_gather_finish(struct sc_gather *gather, struct sc_error *error)
{
	struct dirent **names = NULL;
	int count = scan(gather, &names), r = 0;

	if (count < 0)
		return sc_fail(error, -errno, "look for meters in '%s'", gather->directory);
	for (int i = 0; r == 0 && i < count; i++) {
		SC_CLEANUP(snapshot_freep) struct syncost_snapshot *snapshot = NULL;
		bool is_live = false;

		r = read_meter(gather, names[i]->d_name, &snapshot, &is_live);
		if (r == -EBADMSG)
			r = 0; /* its process was killed while it made it: it counted nothing */
		else if (r == 0)
			r = add_process(gather, snapshot, is_live);
	}
	if (r == 0)
		r = sc_run_sort_statements(gather->run);
	free_names(names, count);
	return r < 0 ? sc_fail(error, r, "reading the meters in '%s'", gather->directory) : 0;
}
