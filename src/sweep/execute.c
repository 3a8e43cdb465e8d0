/* SPDX-License-Identifier: MIT */

/*
 * The executor. Set-up in a connection of its own; then the measured connection, warm-up, the
 * timed part between two readings of every clock, and the verification, each under its name.
 *
 * The values of a block of operations exist before its clocks start, so the timed part allocates
 * nothing but what SQLite does. Files are looked at by their paths (stat takes no lock away), the
 * WAL's header through SQLite's own handle.
 */

#include "execute.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>

#include "../base/procfs.h"
#include "../model/store.h"
#include "../stats/hist.h"
#include "../storage/traffic.h"
#include "../suite/generate.h"
#include "amount.h"
#include "execute-alone.h"
#include "execute-casualty.h"
#include "execute-clients.h"
#include "execute-company.h"
#include "execute-database.h"
#include "execute-image.h"
#include "execute-ledger.h"
#include "execute-verify.h"
#include "execute-warmup.h"
#include "reference.h"
#include "syncost.h"

#define DATABASE_NAME "bench.db"
#define CONSUMED_MAX  1000000000u /* rows; a dataset has as many at most */

struct execution {
	const struct sc_sample_spec *spec;
	struct sc_sample *sample;
	struct sc_error *error;
	struct sc_suite *suite;
	const struct sc_workload *workload;
	char *path; /* of the main database file, resolved */
	struct sc_program_place place;
	uint64_t rows, rows_per_commit;
	struct sc_generation *generation;
	struct sc_stream_set *values;
	struct sc_companions companions; /* of other workloads */
	int64_t *sums, *dataset_sums;
	struct sc_instruments instruments;
	sqlite3 *db;
	struct sc_image *image; /* of the store snapshot; NULL: a database file */
	struct sc_progress progress;
	struct sc_alone alone; /* the timed part, without clients */
	struct sc_timing timing;
	uint32_t wal_sequence;      /* at the start of the timed part */
	uint32_t wal_salt;          /* with clients: the same; 0: there was no header */
	struct sc_clients *clients; /* NULL: this process alone */
	struct sc_timed_part part;
};

/* Statements before their connection, the connection before the shim under it. */
static void execution_fini(struct execution *self)
{
	sc_clients_freep(&self->clients);
	sc_alone_fini(&self->alone);
	sc_program_freep(&self->progress.program);
	sc_image_closep(&self->image);
	sc_connection_closep(&self->db);
	sc_instruments_stop(&self->instruments);
	sc_timed_part_fini(&self->part);
	sc_timing_fini(&self->progress.timing);
	sc_timing_fini(&self->timing);
	sc_stream_set_freep(&self->values);
	sc_companions_fini(&self->companions);
	sc_generation_freep(&self->generation);
	sc_suite_freep(&self->suite);
	free(self->sums);
	free(self->dataset_sums);
	free(self->path);
}

static void enter(const char *phase)
{
	(void)prctl(PR_SET_NAME, phase); /* a name for tracers; fails for no readable text */
}

/* --- set-up */

static bool is_snapshot(const struct execution *self)
{
	return sc_store_is(self->spec->store, SC_STORE_SNAPSHOT);
}

static int resolve(struct execution *self)
{
	SC_CLEANUP(sc_freep) char *directory = realpath(self->spec->directory, NULL);

	if (!directory)
		return sc_fail(self->error, -errno, "directory '%s'", self->spec->directory);
	if (asprintf(&self->path, "%s/" DATABASE_NAME, directory) < 0) {
		self->path = NULL;
		return sc_fail(self->error, -ENOMEM, "directory '%s'", self->spec->directory);
	}
	return 0;
}

static int check_spec(struct execution *self)
{
	const struct sc_sample_spec *spec = self->spec;
	enum sc_store store;

	if (!spec->suite_text || !spec->workload || !spec->directory || !spec->store)
		return sc_fail(self->error, SC_E_FORMAT, "sample specification is not complete");
	if (!sc_store_parse(spec->store, &store))
		return sc_fail(self->error, SC_E_FORMAT, "store '%s' is not known", spec->store);
	if (store == SC_STORE_SNAPSHOT && sc_clients_count(spec) > 1)
		return sc_fail(self->error, SC_E_FORMAT,
			       "store snapshot is in one process's memory: it has one client");
	if (spec->operations == 0)
		return sc_fail(self->error, SC_E_FORMAT, "sample specification has no operations");
	return 0;
}

static uint64_t round_up(uint64_t operations, uint64_t unit)
{
	return (operations + unit - 1) / unit * unit;
}

/*
 * That are in the dataset only to be used up: by the operations that are timed, by those before
 * them, and, where the WAL is recycled by hand, by as many as are timed and two commits more.
 */
static uint64_t consumed_rows(const struct execution *self)
{
	const struct sc_sample_spec *spec = self->spec;
	uint64_t unit = self->rows_per_commit, clients = sc_clients_count(spec);
	uint64_t timed = clients * round_up((spec->operations + clients - 1) / clients, unit);
	uint64_t before = round_up(self->workload->warmup_ops, unit);

	if (spec->setting.wal_autocheckpoint == 0)
		before += timed + 2 * unit;
	return self->workload->consumes_rows * (timed + before);
}

/* A number of rows that nobody would wait for, nor a disk hold, is refused before it is made. */
static int check_consumed(const struct execution *self)
{
	uint64_t rows = consumed_rows(self);

	if (rows <= CONSUMED_MAX)
		return 0;
	return sc_fail(self->error, SC_E_UNMEASURABLE,
		       "workload %s: %" PRIu64 " operations use up %" PRIu64
		       " rows with those before the clock, more than %u",
		       self->workload->name, self->spec->operations, rows, CONSUMED_MAX);
}

static int load(struct execution *self)
{
	const struct sc_sample_spec *spec = self->spec;
	int r;

	r = check_spec(self);
	if (r == 0)
		r = sc_suite_parse(spec->suite_text, "of the sample", &self->suite, self->error);
	if (r < 0)
		return r;
	self->workload = sc_suite_workload(self->suite, spec->workload);
	if (!self->workload)
		return sc_fail(self->error, SC_E_FORMAT, "suite '%s' has no workload '%s'",
			       self->suite->name, spec->workload);
	if (self->workload->reopens && sc_clients_count(spec) > 1)
		return sc_fail(self->error, SC_E_UNMEASURABLE,
			       "workload %s opens its database for each operation, which several "
			       "clients are not measured with",
			       self->workload->name);
	if (is_snapshot(self) && self->workload->beside_count > 0)
		return sc_fail(self->error, SC_E_FORMAT,
			       "store snapshot is in one process's memory: workload %s has other "
			       "clients beside it",
			       self->workload->name);
	self->rows = spec->rows ? spec->rows : self->suite->rows;
	self->rows_per_commit = spec->setting.rows_per_commit
					? spec->setting.rows_per_commit
					: sc_workload_unit(self->workload, self->rows);
	r = check_consumed(self);
	if (r < 0)
		return r;
	self->rows = self->workload->starts_empty ? 0 : self->rows + consumed_rows(self);
	return resolve(self);
}

static int generate(struct execution *self)
{
	char scope[80];
	int r;

	self->sums = calloc(self->workload->parameter_count + 1, sizeof *self->sums);
	self->dataset_sums =
		calloc(self->suite->dataset_parameter_count + 1, sizeof *self->dataset_sums);
	if (!self->sums || !self->dataset_sums)
		return sc_fail(self->error, -ENOMEM, "workload %s", self->workload->name);
	(void)snprintf(scope, sizeof scope, "workload/%s", self->workload->name);
	r = sc_generation_new(self->suite, self->rows, self->spec->seed, &self->generation,
			      self->error);
	if (r == 0)
		r = sc_stream_set_new(self->generation, self->workload->parameters,
				      self->workload->parameter_count, scope, &self->values,
				      self->error);
	if (r == 0)
		sc_stream_set_repeat(self->values, self->workload->distinct_ops);
	if (r == 0)
		r = sc_companions_new(self->suite, self->workload, self->generation,
				      &self->companions, self->error);
	if (r == 0)
		r = sc_timing_init(&self->timing, self->error);
	if (r == 0)
		r = sc_timing_init(&self->progress.timing, self->error);
	return r;
}

static struct sc_program_options program_options(const struct execution *self)
{
	return (struct sc_program_options){
		.rows_per_commit = self->rows_per_commit,
		.sums_results = sc_verify_uses(self->workload, "result_sum"),
		.place = &self->place,
		.marks = self->instruments.is_registered,
		.image = self->image,
	};
}

/* The same for the timed part: a ledger sample counts, and waits for no schedule. */
static struct sc_program_options timed_options(const struct execution *self)
{
	struct sc_program_options options = program_options(self);
	uint64_t unit = self->rows_per_commit;

	if (self->spec->rate == 0 || self->spec->kind != SC_SAMPLE_TIMING)
		return options;
	if (self->rows_per_commit == 1 && self->workload->rows_per_statement > 1)
		unit = self->workload->rows_per_statement;
	options.due.every_ns = 1e9 * (double)unit / (double)self->spec->rate;
	options.due.stride = sc_clients_count(self->spec);
	return options;
}

/* While nothing is open here. With clients the instruments are theirs; here is but a clock. */
static int start_measuring(struct execution *self)
{
	struct sc_clients_task task = {
		.spec = self->spec,
		.path = self->path,
		.connection = &self->suite->connection,
		.workload = self->workload,
		.values = self->values,
		.options = timed_options(self),
	};
	bool is_alone = sc_clients_count(self->spec) == 1 && self->companions.count == 0;
	int r = 0;

	sc_companions_join(&self->companions, &task);
	if (!is_alone)
		r = sc_clients_start(&task, &self->clients, self->error);
	if (r < 0)
		return r;
	return sc_instruments_start(&self->instruments, is_alone ? self->spec->instruments : 0,
				    self->path, self->error);
}

/* The suite's own store, where it has no files. */
static bool is_in_memory(const struct execution *self)
{
	return self->suite->in_memory && !is_snapshot(self);
}

static int open_measured(struct execution *self)
{
	self->place = (struct sc_program_place){
		.path = is_in_memory(self) ? ":memory:" : self->path,
		.vfs = self->instruments.is_registered ? SC_INSTRUMENTS_VFS : NULL,
		.setting = &self->spec->setting,
		.connection = &self->suite->connection,
		.is_snapshot = is_snapshot(self),
	};
	sc_image_closep(&self->image); /* of a connection that was closed */
	if (is_snapshot(self))
		return sc_image_open(self->path, &self->spec->setting, &self->suite->connection,
				     &self->image, &self->db, self->error);
	return sc_database_open(self->place.path, self->place.vfs, self->place.setting,
				self->place.connection, &self->db, self->error);
}

/* A database in memory is gone with its connection, so the measured one makes it, too. */
static int set_up_memory(struct execution *self)
{
	int r = start_measuring(self);

	if (r == 0)
		r = open_measured(self);
	if (r == 0)
		r = sc_database_fill(self->db, self->suite, self->generation, self->rows,
				     self->dataset_sums, self->error);
	return r;
}

static int set_up_file(struct execution *self)
{
	int r = sc_database_create(self->path, self->suite, self->generation, self->rows,
				   self->spec->setting.page_size, self->dataset_sums, self->error);

	if (r == 0)
		r = start_measuring(self);
	return r < 0 ? r : open_measured(self);
}

static int set_up(struct execution *self)
{
	int r;

	enter("sc-setup");
	r = load(self);
	if (r == 0)
		r = generate(self);
	if (r == 0)
		r = is_in_memory(self) ? set_up_memory(self) : set_up_file(self);
	if (r < 0)
		return r;
	self->sample->effective = self->spec->setting;
	self->sample->effective.rows_per_commit = (uint32_t)self->rows_per_commit;
	return sc_database_effective(self->db, &self->sample->effective, self->error);
}

/* --- warm-up */

/* The operations find it closed, as a program that starts does. */
static int close_for_reopening(struct execution *self)
{
	int rc = self->workload->reopens ? sqlite3_close(self->db) : SQLITE_OK;

	if (rc != SQLITE_OK)
		return sc_fail_sqlite(self->error, rc, "close '%s'", self->path);
	if (self->workload->reopens)
		self->db = NULL;
	return 0;
}

static int prepare_alone(struct execution *self)
{
	const struct sc_sample_spec *spec = self->spec;
	int r;

	self->alone = (struct sc_alone){
		.program = self->progress.program,
		.instruments = &self->instruments,
		.db = self->workload->reopens ? NULL : self->db,
		.timing = &self->timing,
		.sums = self->sums,
		.first = self->progress.next,
		.operations = spec->operations,
		.time_limit_ns = spec->kind == SC_SAMPLE_TIMING ? spec->time_limit_ns : 0,
	};
	/* Steps of the warm-up are not the sample's. */
	(void)sc_program_take_steps(self->progress.program);
	r = sc_alone_prepare(&self->alone, self->error);
	return r < 0 ? r : close_for_reopening(self);
}

/* The clients connect once the WAL is what they are to find. */
static int prepare(struct execution *self)
{
	const struct sc_setting *effective = &self->sample->effective;
	bool is_fresh = effective->journal_mode == SC_JOURNAL_WAL &&
			self->spec->wal_state == SC_WAL_FRESH && self->workload->writes;

	int r = 0;

	if (self->image && self->workload->writes)
		r = sc_image_settle(self->image, self->error);
	if (r < 0)
		return r;
	if (self->image && self->instruments.is_wanted)
		sc_image_watch(self->image);
	if (!self->clients) {
		sc_program_schedule(self->progress.program, timed_options(self).due);
		return prepare_alone(self);
	}
	r = sc_wal_salt(self->db, &self->wal_salt, self->error);
	if (r < 0)
		return r;
	return sc_clients_prepare(self->clients, self->progress.next, effective,
				  is_fresh ? effective->wal_autocheckpoint : 0, self->error);
}

static int warm_up(struct execution *self)
{
	const struct sc_program_options options = program_options(self);
	const struct sc_warmup warmup = {
		.workload = self->workload,
		.effective = &self->sample->effective,
		.wal_state = self->spec->wal_state,
		.rows_per_commit = self->rows_per_commit,
		.operations = self->spec->operations,
	};
	int r;

	enter("sc-warmup");
	self->progress.db = self->db;
	self->progress.sums = self->sums;
	r = sc_program_new(self->db, self->workload, self->values, &options,
			   &self->progress.program, self->error);
	if (r == 0)
		r = sc_warmup_run(&self->progress, &warmup, &self->wal_sequence, self->error);
	return r < 0 ? r : prepare(self);
}

/* --- the timed part */

static void fill_latency(struct sc_latency *latency, uint32_t **buckets, uint64_t max_ns,
			 const char *reason)
{
	latency->n = sc_hist_count(*buckets);
	if (latency->n == 0) {
		latency->status = SC_SKIPPED;
		(void)snprintf(latency->reason, sizeof latency->reason, "%s", reason);
		return;
	}
	(void)sc_hist_quantile(*buckets, max_ns, 0.5, &latency->p50_ns);
	(void)sc_hist_quantile(*buckets, max_ns, 0.9, &latency->p90_ns);
	(void)sc_hist_quantile(*buckets, max_ns, 0.99, &latency->p99_ns);
	(void)sc_hist_quantile(*buckets, max_ns, 0.999, &latency->p999_ns);
	latency->max_ns = max_ns;
	latency->buckets = SC_TAKE(*buckets);
}

static void fill_usage(struct sc_sample *sample, const struct sc_usage *usage)
{
	sample->run_delay_ns = usage->run_delay_ns.value;
	sample->run_delay_status = usage->run_delay_ns.status;
	sample->steal_ns = usage->steal_ns.value;
	sample->steal_status = usage->steal_ns.status;
	sample->major_faults = usage->major_faults.value;
	sample->space.page_cache_bytes = usage->write_bytes.value;
	sample->space.page_cache_status = usage->write_bytes.status;
}

static struct sc_traffic read_traffic(const struct sc_sample_spec *spec)
{
	return spec->disk ? sc_traffic_read("", spec->disk) : (struct sc_traffic){0};
}

/* @own: of all processes of the sample */
static void fill_other_io(const struct sc_sample_spec *spec, const struct sc_traffic *later,
			  const struct sc_traffic *earlier, const struct sc_usage *own,
			  struct sc_sample *sample)
{
	struct sc_reading other = {
		.status = SC_UNSUPPORTED,
		.reason = spec->disk_reason ? spec->disk_reason : "no disk is known",
	};

	if (spec->disk)
		other = sc_traffic_others(later, earlier, own);
	sample->other_io_bytes = other.value;
	sample->other_io_status = other.status;
	(void)snprintf(sample->other_io_reason, sizeof sample->other_io_reason, "%s",
		       other.reason ? other.reason : "");
}

/* Of all clients together. */
static uint64_t planned_operations(const struct execution *self)
{
	return self->clients ? sc_clients_count(self->spec) * sc_clients_share(self->clients)
			     : self->spec->operations;
}

/* A WAL that is due for a checkpoint after a few commits has no fresh state to speak of. */
static int check_fresh(struct execution *self)
{
	const struct sc_tally *tally = &self->part.tally;

	if (!self->part.is_full || tally->commits >= SC_AMOUNT_COMMITS ||
	    tally->operations == planned_operations(self))
		return 0;
	return sc_fail(self->error, SC_E_UNMEASURABLE,
		       "workload %s: wal_autocheckpoint=%" PRIu32 " leaves a fresh WAL %" PRIu64
		       " commits before its first checkpoint, fewer than %u",
		       self->workload->name, self->sample->effective.wal_autocheckpoint,
		       tally->commits, SC_AMOUNT_COMMITS);
}

static int run_alone(struct execution *self)
{
	int r = sc_instruments_reset(&self->instruments, self->error);

	return r < 0 ? r : sc_alone_run(&self->alone, &self->part, self->error);
}

static int run_clients(struct execution *self)
{
	int r;

	enter("sc-measure");
	r = sc_clients_run(self->clients, &self->part, &self->timing, self->error);
	enter("sc-verify");
	return r;
}

/* What the operations left in the database; for the verification it goes with the warm-up's. */
static int count_operations(struct execution *self)
{
	struct sc_tally *tally = &self->part.tally, *all = &self->progress.tally;
	int r = 0;

	if (self->clients)
		r = sc_clients_count_values(&self->part, self->progress.program, tally, self->sums,
					    self->error);
	if (r == 0)
		r = sc_companions_count(&self->companions, &self->part, self->error);
	all->operations += tally->operations;
	all->commits += tally->commits;
	all->result_rows += tally->result_rows;
	all->result_sum += tally->result_sum;
	return r;
}

static int measure(struct execution *self)
{
	struct sc_sample *sample = self->sample;
	struct sc_timed_part *part = &self->part;
	bool times = self->spec->kind == SC_SAMPLE_TIMING;
	struct sc_traffic before, after;
	uint64_t reference_ns = 0;
	int r;

	if (times)
		reference_ns = sc_reference_ns();
	before = read_traffic(self->spec);
	r = self->clients ? run_clients(self) : run_alone(self);
	after = read_traffic(self->spec);
	if (times && reference_ns > 0)
		sample->reference_ns = (reference_ns + sc_reference_ns()) / 2;
	if (r == 0)
		r = check_fresh(self);
	if (r == 0 && !self->clients)
		r = sc_instruments_snapshot(&self->instruments, &part->snapshot, self->error);
	if (r == 0)
		r = count_operations(self);
	if (r < 0)
		return r;
	fill_usage(sample, &part->usage);
	fill_other_io(self->spec, &after, &before, &part->usage, sample);
	sample->wall_ns = part->wall_ns;
	sample->cpu_ns = part->cpu_ns;
	sample->operations = part->tally.operations;
	sample->commits = part->tally.commits;
	sample->busy_retries = part->tally.busy_retries;
	sample->busy_ns = part->tally.busy_ns;
	sample->space.payload_bytes = self->workload->writes ? part->tally.payload_bytes : 0;
	sc_companions_tell(&self->companions, part, &sample->company);
	fill_latency(&sample->op_ns, &self->timing.op_buckets, self->timing.op_ns_max,
		     "no operation was timed");
	fill_latency(&sample->commit_ns, &self->timing.commit_buckets, self->timing.commit_ns_max,
		     "the workload does not commit");
	sc_work_log_fill(&self->alone.log, sample);
	r = sc_ledger_fill(sample, &part->instruments, part->snapshot, part->threads_ns,
			   self->error);
	if (r == 0 && self->image)
		sc_image_ledger(self->image, sample);
	return r;
}

/* Of the WAL, in the timed part. Clients that find it empty, or without a header, never do. */
static int count_resets(struct execution *self, uint64_t *ret_count)
{
	uint32_t now = 0;
	int r;

	if (!self->clients) {
		r = sc_wal_sequence(self->db, &now, self->error);
		*ret_count = r == 0 ? now - self->wal_sequence : 0;
		return r;
	}
	r = sc_wal_salt(self->db, &now, self->error);
	*ret_count = r == 0 && self->wal_salt ? now - self->wal_salt : 0;
	return r;
}

/* Before the last close, which deletes the WAL. */
static int look_at_files(struct execution *self)
{
	struct sc_space *space = &self->sample->space;
	int r;

	if (is_in_memory(self)) {
		r = sc_database_memory_bytes(self->db, &space->database_bytes, self->error);
		space->total_bytes = space->database_bytes;
		return r;
	}
	sc_database_sizes(self->path, space);
	/* Clients see the others' files grow late, or not at all; what did not shrink is here. */
	if (self->part.snapshot && self->clients && space->total_bytes_max < space->total_bytes)
		space->total_bytes_max = space->total_bytes;
	if (self->sample->effective.journal_mode != SC_JOURNAL_WAL || !self->workload->writes)
		return 0;
	r = count_resets(self, &self->sample->checkpoints_seen);
	return r < 0 ? r : 0;
}

/* --- verification */

static int close_measured(struct execution *self, struct sc_error *error)
{
	int rc;

	sc_program_freep(&self->progress.program);
	sc_image_closep(&self->image);
	rc = sqlite3_close(self->db);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, rc, "close '%s'", self->path);
	self->db = NULL;
	sc_instruments_stop(&self->instruments);
	return 0;
}

static struct sc_expected expectation(const struct execution *self)
{
	struct sc_expected expected = {
		.suite = self->suite,
		.workload = self->workload,
		.rows = self->rows,
		.tally = self->progress.tally,
		.sums = self->sums,
		.dataset_sums = self->dataset_sums,
	};

	sc_companions_expect(&self->companions, &self->part, &expected);
	return expected;
}

/* Without instruments; a snapshot's file is loaded as the next process would. */
static int reopen(const struct execution *self, struct sc_image **ret_image, sqlite3 **ret_db,
		  struct sc_error *error)
{
	int rc;

	if (is_snapshot(self))
		return sc_image_open(self->path, &self->spec->setting, &self->suite->connection,
				     ret_image, ret_db, error);
	rc = sqlite3_open_v2(self->path, ret_db, SQLITE_OPEN_READWRITE, NULL);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, *ret_db ? sqlite3_extended_errcode(*ret_db) : rc,
				      "reopen '%s'", self->path);
	return 0;
}

static int verify_over_close(struct execution *self, const struct sc_expected *expected,
			     struct sc_error *error)
{
	SC_CLEANUP(sc_row_counts_fini) struct sc_row_counts counts = {0};
	SC_CLEANUP(sc_connection_closep) sqlite3 *db = NULL;
	SC_CLEANUP(sc_image_closep) struct sc_image *image = NULL;
	int r;

	r = sc_row_counts_read(self->db, &counts, error);
	if (r == 0)
		r = close_measured(self, error);
	if (r == 0)
		r = reopen(self, &image, &db, error);
	return r < 0 ? r : sc_verify_reopened(db, self->path, expected, &counts, error);
}

static int verify(struct execution *self)
{
	const struct sc_expected expected = expectation(self);
	int r;

	r = self->db ? 0 : open_measured(self);
	if (r == 0)
		r = look_at_files(self);
	if (r == 0)
		r = sc_verify_checks(self->db, &expected, self->error);
	if (r == 0 && is_in_memory(self))
		r = sc_verify_sound(self->db, "in memory", self->error);
	else if (r == 0)
		r = verify_over_close(self, &expected, self->error);
	self->sample->verified = r == 0;
	return r;
}

/* --- clients that did not come to their end */

/* Whether the database still holds all that was acknowledged, beside what the error tells. */
static int tell_casualties(struct execution *self)
{
	const struct sc_tally *tally = &self->part.tally;
	struct sc_expected expected = expectation(self);
	struct sc_error first = *self->error;
	struct sc_error lost = {0};
	const char *unknown = NULL;
	int r;

	expected.tally.operations += tally->operations;
	expected.tally.commits += tally->commits;
	r = sc_casualties_check(&self->part, self->progress.program, self->db, &expected, &unknown,
				&lost);
	if (r == 0)
		r = verify_over_close(self, &expected, &lost);
	return sc_casualties_fail(&self->part, &first, r < 0 ? lost.what : NULL, unknown,
				  self->error);
}

/* --- all of it */

static int run(struct execution *self)
{
	int r;

	r = set_up(self);
	if (r == 0)
		r = warm_up(self);
	if (r == 0)
		r = measure(self);
	if (r < 0 && self->part.failed > 0)
		r = tell_casualties(self);
	if (r == 0)
		r = verify(self);
	enter("sc-done");
	return r;
}

/* A workload that uses up its rows has mostly done so where nobody looks: before the clock. */
static void describe_failure(const struct execution *self, struct sc_sample *sample,
			     const struct sc_error *error)
{
	const char *kind = sc_sample_kind_name(self->spec->kind);
	uint64_t before = self->progress.next;

	sample->status = error->code == SC_E_UNMEASURABLE ? SC_UNSUPPORTED : SC_FAILED;
	free(sample->reason);
	if (before == 0 || sample->status == SC_UNSUPPORTED)
		sample->reason = strdup(error->what);
	else if (asprintf(&sample->reason,
			  "%s (%s sample of %" PRIu64 " operations, and %" PRIu64
			  " before the clock)",
			  error->what, kind, self->spec->operations, before) < 0)
		sample->reason = NULL; /* the status tells enough */
}

int sc_execute(const struct sc_sample_spec *spec, struct sc_sample *ret_sample,
	       struct sc_error *error)
{
	struct sc_sample sample = {.kind = spec->kind, .round = spec->round};
	SC_CLEANUP(execution_fini)
	struct execution self = {
		.spec = spec,
		.sample = &sample,
		.error = error,
	};
	int r;

	sample.effective = spec->setting;
	sample.cell_id = strdup(spec->cell_id ? spec->cell_id : "");
	r = sample.cell_id ? run(&self) : sc_fail(error, -ENOMEM, "a sample");
	if (r < 0)
		describe_failure(&self, &sample, error);
	*ret_sample = sample;
	return r;
}
