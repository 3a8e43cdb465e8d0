/* SPDX-License-Identifier: MIT */

/*
 * A client goes from gate to gate: it connects, makes its statements and values ready and says so;
 * runs its share and says so; and keeps still until all have run theirs. execute-clients.c says why
 * the processes may be forked as they are.
 */

#include "execute-client.h"

#include <errno.h>
#include <signal.h>
#include <sys/prctl.h>
#include <time.h>

#include "../base/clock.h"
#include "execute-database.h"
#include "execute-merge.h"
#include "syncost.h"

#define CONNECT_TRIES    500
#define CONNECT_PAUSE_NS 10000000
#define BESIDE_BLOCK     1024u /* operations, at least; a whole number of commits */

struct own { /* what a client holds */
	sqlite3 *db;
	struct sc_program *program;
	struct sc_block *block;
	struct sc_timing timing; /* its buckets are the shared ones */
	bool holds;              /* a transaction that reads is open, until it is to be let go */
};

const struct sc_clients_beside *sc_client_beside(const struct sc_clients *self, uint32_t index,
						 uint32_t *ret_number)
{
	uint32_t first = self->own;

	for (size_t i = 0; i < self->task.beside_count; i++) {
		const struct sc_clients_beside *beside = &self->task.beside[i];

		*ret_number = index - first;
		if (index >= first && index < first + beside->clients)
			return beside;
		first += beside->clients;
	}
	return NULL;
}

uint64_t sc_client_block(const struct sc_workload *workload)
{
	uint64_t rows = workload->rows_per_commit;

	return (BESIDE_BLOCK + rows - 1) / rows * rows;
}

static void enter(const char *phase)
{
	(void)prctl(PR_SET_NAME, phase); /* a name for tracers; fails for no readable text */
}

struct sc_shared_snapshot *sc_client_snapshot(const struct sc_clients *self, uint32_t index)
{
	return (void *)(self->snapshots + index * sc_shared_snapshot_bytes());
}

/* Whom nobody hears must not wait at the next gate: it would be waited for, for ever. */
static int say(int fd, struct sc_error *error)
{
	ssize_t n;

	do
		n = write(fd, "", 1);
	while (n < 0 && errno == EINTR);
	return n == 1 ? 0 : sc_fail(error, n < 0 ? -errno : -EIO, "telling the sample of it");
}

static void pass_gate(const struct sc_clients *self, enum sc_gate gate)
{
	ssize_t n;
	char byte;

	do
		n = read(self->gates[gate][0], &byte, 1);
	while (n < 0 && errno == EINTR);
	if (atomic_load(&self->shared->gates_open) <= (uint32_t)gate)
		_exit(1);
}

static int connect_once(const struct sc_clients *self, const char *vfs, sqlite3 **ret_db,
			struct sc_error *error)
{
	SC_CLEANUP(sc_connection_closep) sqlite3 *db = NULL;
	const struct sc_setting *wanted = &self->shared->effective;
	struct sc_setting effective = self->task.spec->setting;
	int r;

	r = sc_database_open(self->task.path, vfs, &self->task.spec->setting, self->task.connection,
			     &db, error);
	if (r < 0)
		return r;
	effective.rows_per_commit = wanted->rows_per_commit;
	r = sc_database_effective(db, &effective, error);
	if (r < 0)
		return r;
	if (sc_setting_compare(&effective, wanted) != 0)
		return sc_fail(error, SC_E_CHILD,
			       "SQLite took another setting on a client's connection than on the "
			       "first one");
	*ret_db = SC_TAKE(db);
	return 0;
}

/* All come at once, and one of them may hold the others up for a moment. */
static int connect_client(const struct sc_clients *self, const char *vfs, sqlite3 **ret_db,
			  struct sc_error *error)
{
	const struct timespec pause = {.tv_nsec = CONNECT_PAUSE_NS};
	int r = connect_once(self, vfs, ret_db, error);

	for (int i = 0; r < 0 && (error->sqlite_rc & 0xff) == SQLITE_BUSY && i < CONNECT_TRIES;
	     i++) {
		*error = (struct sc_error){0};
		(void)nanosleep(&pause, NULL);
		r = connect_once(self, vfs, ret_db, error);
	}
	return r;
}

/* A workload that only reads finds its pages in the connection's own cache, as it would alone. */
static int warm_reads(const struct sc_workload *workload, struct own *own, struct sc_error *error)
{
	SC_CLEANUP(sc_block_freep) struct sc_block *block = NULL;
	SC_CLEANUP(sc_timing_fini) struct sc_timing timing = {0};
	struct sc_tally tally = {0};
	int r;

	if (workload->writes || workload->warmup_ops == 0)
		return 0;
	r = sc_timing_init(&timing, error);
	if (r == 0)
		r = sc_block_new(own->program, 0, workload->warmup_ops, &block, error);
	return r < 0 ? r : sc_program_run(own->program, block, 0, &tally, &timing, error);
}

/* A snapshot is held, and what its end does is seen; a fresh WAL ends before. */
static bool watches(const struct sc_clients *self)
{
	return self->shared->hold.commits > 0 && self->shared->fresh_pages == 0;
}

/* One operation in a transaction of its own, which stays open. */
static int take_snapshot(struct own *own, struct sc_error *error)
{
	SC_CLEANUP(sc_block_freep) struct sc_block *block = NULL;
	SC_CLEANUP(sc_timing_fini) struct sc_timing timing = {0};
	struct sc_tally tally = {0};
	int r;

	r = sc_timing_init(&timing, error);
	if (r == 0)
		r = sc_block_new(own->program, 0, 1, &block, error);
	if (r == 0)
		r = sc_database_run(own->db, "BEGIN", error);
	if (r == 0)
		r = sc_program_run(own->program, block, 0, &tally, &timing, error);
	own->holds = r == 0;
	return r;
}

/* One that runs another workload. Its instruments are off: the ledger is of the sample's own. */
static int prepare_beside(const struct sc_clients *self, uint32_t index,
			  const struct sc_clients_beside *beside, uint32_t number, struct own *own,
			  struct sc_error *error)
{
	struct sc_client *client = &self->shared->clients[index];
	const struct sc_program_options options = {
		.rows_per_commit = beside->holds ? 1 : beside->workload->rows_per_commit,
		.acknowledged = &client->acknowledged,
		.commits = &self->shared->commits,
		.is_full = &self->shared->is_full,
		.is_over = &self->shared->hold.is_over,
	};
	uint64_t block = sc_client_block(beside->workload);
	int r;

	own->timing.op_buckets = client->op_buckets;
	own->timing.commit_buckets = client->commit_buckets;
	r = sc_instruments_start(&client->instruments, 0, self->task.path, error);
	if (r == 0)
		r = connect_client(self, NULL, &own->db, error);
	if (r == 0)
		r = sc_program_new(own->db, beside->workload, beside->values, &options,
				   &own->program, error);
	if (r == 0 && beside->holds)
		r = take_snapshot(own, error);
	else if (r == 0)
		r = warm_reads(beside->workload, own, error);
	if (r == 0)
		r = sc_block_new(own->program, number * block, block, &own->block, error);
	if (r == 0 && self->shared->fresh_pages)
		sc_program_stay_fresh(own->program, self->shared->fresh_pages);
	atomic_store(&client->acknowledged, 0);
	return r;
}

static int prepare_client(const struct sc_clients *self, uint32_t index, struct own *own,
			  struct sc_error *error)
{
	const struct sc_clients_task *task = &self->task;
	struct sc_client *client = &self->shared->clients[index];
	struct sc_program_options options = task->options;
	int r;

	own->timing.op_buckets = client->op_buckets;
	own->timing.commit_buckets = client->commit_buckets;
	options.acknowledged = &client->acknowledged;
	options.commits = &self->shared->commits;
	options.is_full = &self->shared->is_full;
	options.due.first = index;
	if (watches(self))
		options.watch = &client->watch;
	r = sc_instruments_start(&client->instruments, task->spec->instruments, task->path, error);
	if (r < 0)
		return r;
	options.marks = client->instruments.is_registered;
	r = connect_client(self, options.marks ? SC_INSTRUMENTS_VFS : NULL, &own->db, error);
	if (r == 0)
		r = sc_program_new(own->db, task->workload, task->values, &options, &own->program,
				   error);
	if (r == 0)
		r = warm_reads(task->workload, own, error);
	if (r == 0)
		r = sc_block_new(own->program, self->shared->first + index * self->share,
				 self->share, &own->block, error);
	if (r == 0 && self->shared->fresh_pages)
		sc_program_stay_fresh(own->program, self->shared->fresh_pages);
	else if (r == 0 && watches(self))
		sc_watch_start(&client->watch, own->db, &self->shared->hold,
			       self->shared->effective.wal_autocheckpoint);
	atomic_store(&client->acknowledged, 0);
	return r < 0 ? r : sc_instruments_reset(&client->instruments, error);
}

static uint64_t process_cpu_ns(void)
{
	struct timespec now;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now); /* cannot fail for this clock */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* As long as the sample's own run. */
static int run_beside(const struct sc_clients *self, uint32_t index, struct own *own,
		      struct sc_error *error)
{
	struct sc_clients_shared *shared = self->shared;
	struct sc_client *client = &shared->clients[index];
	int r = 0;

	enter("sc-beside");
	client->start_ns = sc_monotonic_ns();
	if (own->holds) {
		sc_hold_keep(&shared->hold);
		r = sc_database_run(own->db, "COMMIT", error);
		sc_hold_let_go(&shared->hold);
	} else {
		while (r == 0 && !atomic_load(&shared->hold.is_over) &&
		       !atomic_load(&shared->is_full))
			r = sc_program_run(own->program, own->block, 0, &client->tally,
					   &own->timing, error);
	}
	client->end_ns = sc_monotonic_ns();
	client->op_ns_max = own->timing.op_ns_max;
	client->commit_ns_max = own->timing.commit_ns_max;
	return r;
}

static int run_client(const struct sc_clients *self, uint32_t index, struct own *own,
		      struct sc_error *error)
{
	const struct sc_sample_spec *spec = self->task.spec;
	struct sc_client *client = &self->shared->clients[index];
	uint64_t cpu_ns;
	int r;

	enter("sc-measure");
	cpu_ns = process_cpu_ns();
	client->start_ns = sc_monotonic_ns();
	client->watch.start_ns = syncost_now_ns();
	r = sc_program_run(own->program, own->block,
			   spec->kind == SC_SAMPLE_TIMING ? spec->time_limit_ns : 0, &client->tally,
			   &own->timing, error);
	client->end_ns = sc_monotonic_ns();
	client->cpu_ns = process_cpu_ns() - cpu_ns;
	enter("sc-verify");
	client->op_ns_max = own->timing.op_ns_max;
	client->commit_ns_max = own->timing.commit_ns_max;
	return r;
}

static int keep_snapshot(const struct sc_clients *self, uint32_t index, struct sc_error *error)
{
	struct sc_client *client = &self->shared->clients[index];
	struct syncost_snapshot *snapshot = NULL;
	int r = sc_instruments_snapshot(&client->instruments, &snapshot, error);

	if (r < 0 || !snapshot)
		return r;
	r = sc_shared_snapshot_put(sc_client_snapshot(self, index), snapshot, error);
	client->has_snapshot = r == 0;
	syncost_snapshot_free(snapshot);
	return r;
}

static int close_client(const struct sc_clients *self, struct own *own, struct sc_error *error)
{
	int rc;

	sc_block_freep(&own->block);
	sc_program_freep(&own->program);
	rc = sqlite3_close(own->db);
	if (rc != SQLITE_OK)
		return sc_fail_sqlite(error, rc, "close '%s'", self->task.path);
	own->db = NULL;
	return 0;
}

/* From gate to gate. What is left open after an error, the end of the process closes. */
static int work(const struct sc_clients *self, uint32_t index, int fd, struct sc_error *error)
{
	struct sc_client *client = &self->shared->clients[index];
	const struct sc_clients_beside *beside;
	struct sc_usage before, after;
	struct own own = {0};
	uint32_t number = 0;
	int r, told;

	pass_gate(self, SC_GATE_PREPARE);
	beside = sc_client_beside(self, index, &number);
	r = beside ? prepare_beside(self, index, beside, number, &own, error)
		   : prepare_client(self, index, &own, error);
	if (r < 0)
		return r;
	before = sc_usage_read("");
	r = say(fd, error);
	if (r < 0)
		return r;
	pass_gate(self, SC_GATE_RUN);
	r = beside ? run_beside(self, index, &own, error) : run_client(self, index, &own, error);
	if (r < 0) /* others may be waiting for its locks */
		(void)close_client(self, &own, &(struct sc_error){0});
	told = say(fd, r < 0 ? &(struct sc_error){0} : error);
	if (told < 0)
		return r < 0 ? r : told;
	pass_gate(self, SC_GATE_CLOSE);
	if (r < 0)
		return r;
	after = sc_usage_read("");
	client->usage = sc_usage_since(&after, &before);
	r = keep_snapshot(self, index, error);
	return r < 0 ? r : close_client(self, &own, error);
}

_Noreturn void sc_client_be(const struct sc_clients *self, uint32_t index, int fd)
{
	struct sc_client *client = &self->shared->clients[index];
	struct sc_error error = {0};
	int r;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != self->parent)
		_exit(1); /* it died before prctl took effect */
	for (int gate = 0; gate < SC_GATE_COUNT_; gate++)
		(void)close(self->gates[gate][1]);
	r = work(self, index, fd, &error);
	if (r < 0)
		client->error = error;
	atomic_store(&client->state, r < 0 ? SC_CLIENT_FAILED : SC_CLIENT_DONE);
	enter("sc-done");
	_exit(r < 0 ? 1 : 0);
}
