/* SPDX-License-Identifier: MIT */

/*
 * Why this is safe.
 *
 * SQLite must not be carried over fork(): POSIX locks belong to a process, and the list by which it
 * shares them between connections would say that the child holds what only its parent does. So all
 * clients are forked while no connection exists, before the sample's own one is opened; the
 * database was made by a connection that has been closed. They inherit plain memory alone: the
 * suite, the streams of values, the specification.
 *
 * The last connection that closes a database in WAL mode checkpoints and deletes the WAL. The
 * sample's own connection, which warmed up, stays open and idle over the whole timed part, so no
 * client is ever the last, and the WAL that the warm-up made is the one that clients find. Idle,
 * it holds no lock and no snapshot: it keeps no checkpoint from resetting the WAL.
 *
 * A gate is a pipe that nobody writes to: all clients wait in read(), and the close of its last
 * writing end wakes all of them. Who dies holds nobody up: a client says that it is ready by a byte
 * in a pipe of its own, and its death ends that pipe; and if this process dies, the gate opens,
 * too, but a number in shared memory tells that it was not opened on purpose. (The kernel has
 * killed the clients by then: PR_SET_PDEATHSIG.)
 *
 * What a client has acknowledged is a number in shared memory, written after each commit. Of one
 * that was killed, no more than a single commit can be in the database beyond that.
 */

#include "execute-clients.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "../base/clock.h"
#include "../stats/hist.h"
#include "execute-client.h"
#include "execute-merge.h"

uint32_t sc_clients_count(const struct sc_sample_spec *spec)
{
	return spec->clients ? spec->clients : 1;
}

uint64_t sc_clients_share(const struct sc_clients *clients)
{
	return clients->share;
}

/* --- their life, seen from the sample's own process */

static void *map_shared(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

static void close_gates(struct sc_clients *self)
{
	for (int gate = 0; gate < SC_GATE_COUNT_; gate++) {
		sc_fd_closep(&self->gates[gate][0]);
		sc_fd_closep(&self->gates[gate][1]);
	}
}

static void reap(struct sc_client_process *process)
{
	if (process->pid > 0)
		while (waitpid(process->pid, &process->status, 0) < 0 && errno == EINTR)
			;
	process->pid = 0;
	sc_fd_closep(&process->fd);
}

void sc_clients_freep(struct sc_clients **clients)
{
	struct sc_clients *self = *clients;

	*clients = NULL;
	if (!self)
		return;
	for (uint32_t i = 0; i < self->count && self->processes; i++)
		if (self->processes[i].pid > 0)
			(void)kill(self->processes[i].pid, SIGKILL); /* it may be dead already */
	for (uint32_t i = 0; i < self->count && self->processes; i++)
		reap(&self->processes[i]);
	close_gates(self);
	if (self->shared)
		(void)munmap(self->shared, self->shared_bytes); /* of our own mapping */
	if (self->snapshots)
		(void)munmap(self->snapshots, self->snapshots_bytes);
	free(self->processes);
	free(self);
}

static int check_task(const struct sc_clients_task *task, struct sc_error *error)
{
	uint32_t count = sc_clients_count(task->spec);

	if (count > SC_CLIENTS_MAX)
		return sc_fail(error, SC_E_LIMIT, "%" PRIu32 " clients, more than %u", count,
			       SC_CLIENTS_MAX);
	for (size_t i = 0; i < task->beside_count; i++)
		if (task->beside[i].holds && task->spec->setting.journal_mode != SC_JOURNAL_WAL)
			return sc_fail(error, SC_E_UNMEASURABLE,
				       "workload %s: a snapshot that is held keeps all others from "
				       "committing outside of WAL",
				       task->workload->name);
	if (task->spec->setting.locking_mode == SC_LOCKING_EXCLUSIVE)
		return sc_fail(error, SC_E_UNMEASURABLE,
			       "locking_mode=EXCLUSIVE lets one connection in, not %" PRIu32
			       " clients",
			       count + sc_workload_beside_clients(task->workload));
	return 0;
}

static int allocate(struct sc_clients *self, struct sc_error *error)
{
	bool has_ledger = self->task.spec->instruments != 0;

	self->shared_bytes = sizeof(*self->shared) + self->count * sizeof(struct sc_client);
	self->snapshots_bytes = self->count * sc_shared_snapshot_bytes();
	self->processes = calloc(self->count, sizeof(*self->processes));
	self->shared = map_shared(self->shared_bytes);
	if (has_ledger)
		self->snapshots = map_shared(self->snapshots_bytes);
	if (!self->processes || !self->shared || (has_ledger && !self->snapshots))
		return sc_fail(error, -ENOMEM, "%" PRIu32 " clients", self->count);
	for (uint32_t i = 0; i < self->count; i++)
		self->processes[i].fd = -1;
	for (int gate = 0; gate < SC_GATE_COUNT_; gate++)
		if (pipe2(self->gates[gate], O_CLOEXEC) < 0)
			return sc_fail(error, -errno, "pipes of %" PRIu32 " clients", self->count);
	return 0;
}

/* Once, while the machine is quiet, so that the clocks of all are one: they inherit it. */
static int set_clock(const struct sc_clients_task *task, struct sc_error *error)
{
	struct sc_instruments clock = {0};
	int r = sc_instruments_start(&clock, 0, task->path, error);

	if (r == 0)
		sc_instruments_stop(&clock);
	return r;
}

/* From how many commits on the snapshot is let go, if one is held. */
static void set_hold(struct sc_clients *self)
{
	uint64_t rows = self->task.options.rows_per_commit;
	double commits = (double)self->own * (double)((self->share + rows - 1) / rows);

	for (size_t i = 0; i < self->task.beside_count; i++) {
		const struct sc_clients_beside *beside = &self->task.beside[i];

		if (!beside->holds)
			continue;
		self->shared->hold.holders = beside->clients;
		self->shared->hold.commits = (uint64_t)(beside->hold_until * commits);
		if (self->shared->hold.commits == 0)
			self->shared->hold.commits = 1;
	}
}

static int start_one(struct sc_clients *self, uint32_t index, struct sc_error *error)
{
	struct sc_client_process *process = &self->processes[index];
	int fds[2];
	pid_t pid;

	if (pipe2(fds, O_CLOEXEC) < 0)
		return sc_fail(error, -errno, "pipe of client %" PRIu32, index + 1);
	process->fd = fds[0];
	pid = fork();
	if (pid == 0)
		sc_client_be(self, index, fds[1]);
	(void)close(fds[1]); /* nothing was written; the next client must not inherit it */
	if (pid < 0)
		return sc_fail(error, -errno, "starting client %" PRIu32 " of %" PRIu32, index + 1,
			       self->count);
	process->pid = pid;
	return 0;
}

int sc_clients_start(const struct sc_clients_task *task, struct sc_clients **ret_clients,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_clients_freep) struct sc_clients *self = NULL;
	uint64_t rows = task->options.rows_per_commit, operations = task->spec->operations;
	int r;

	r = check_task(task, error);
	if (r < 0)
		return r;
	self = calloc(1, sizeof(*self));
	if (!self)
		return sc_fail(error, -ENOMEM, "clients");
	self->task = *task;
	self->own = self->count = sc_clients_count(task->spec);
	for (size_t i = 0; i < task->beside_count; i++)
		self->count += task->beside[i].clients;
	self->share = (operations + self->own - 1) / self->own;
	self->share = (self->share + rows - 1) / rows * rows;
	self->parent = getpid();
	for (int gate = 0; gate < SC_GATE_COUNT_; gate++)
		self->gates[gate][0] = self->gates[gate][1] = -1;
	r = allocate(self, error);
	if (r == 0) {
		set_hold(self);
		r = set_clock(task, error);
	}
	for (uint32_t i = 0; i < self->count && r == 0; i++)
		r = start_one(self, i, error);
	if (r < 0)
		return r;
	*ret_clients = SC_TAKE(self);
	return 0;
}

static void open_gate(struct sc_clients *self, enum sc_gate gate)
{
	atomic_store(&self->shared->gates_open, (uint32_t)gate + 1);
	sc_fd_closep(&self->gates[gate][1]);
}

/* Whether the client said something; else it has ended. */
static bool hear(struct sc_clients *self, uint32_t index)
{
	struct sc_client_process *process = &self->processes[index];
	ssize_t n;
	char byte;

	if (process->fd < 0)
		return false;
	do
		n = read(process->fd, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n == 1)
		return true;
	if (n < 0) /* it may be well, and would wait for ever to be let on */
		(void)kill(process->pid, SIGKILL);
	reap(process);
	return false;
}

/* Why client @index, which has ended, has not done its part. */
static int fail_client(const struct sc_clients *self, uint32_t index, const char *when,
		       struct sc_error *error)
{
	const struct sc_client *client = &self->shared->clients[index];
	int status = self->processes[index].status;

	if (atomic_load(&client->state) == SC_CLIENT_FAILED)
		return sc_fail(error, SC_E_CHILD, "client %" PRIu32 " of %" PRIu32 " failed %s: %s",
			       index + 1, self->count, when, client->error.what);
	if (WIFSIGNALED(status))
		return sc_fail(error, SC_E_CHILD,
			       "client %" PRIu32 " of %" PRIu32 " was killed by signal %d (%s) %s",
			       index + 1, self->count, WTERMSIG(status),
			       strsignal(WTERMSIG(status)), when);
	return sc_fail(error, SC_E_CHILD,
		       "client %" PRIu32 " of %" PRIu32 " ended with exit status %d %s", index + 1,
		       self->count, WEXITSTATUS(status), when);
}

int sc_clients_prepare(struct sc_clients *self, uint64_t first, const struct sc_setting *effective,
		       uint32_t fresh_pages, struct sc_error *error)
{
	self->shared->first = first;
	self->shared->effective = *effective;
	self->shared->fresh_pages = fresh_pages;
	open_gate(self, SC_GATE_PREPARE);
	for (uint32_t i = 0; i < self->count; i++) {
		const struct sc_client *client = &self->shared->clients[i];
		int r;

		if (hear(self, i))
			continue;
		r = fail_client(self, i, "before the start", error);
		/* What cannot be measured is no failure, whoever finds it out. */
		if (atomic_load(&client->state) == SC_CLIENT_FAILED &&
		    client->error.code == SC_E_UNMEASURABLE)
			error->code = r = SC_E_UNMEASURABLE;
		return r;
	}
	return 0;
}

/* --- what they tell */

static void add_tally(struct sc_tally *into, const struct sc_tally *from)
{
	into->operations += from->operations;
	into->commits += from->commits;
	into->result_rows += from->result_rows;
	into->result_sum = (int64_t)((uint64_t)into->result_sum + (uint64_t)from->result_sum);
	into->busy_retries += from->busy_retries;
	into->busy_ns += from->busy_ns;
}

static void add_client(struct sc_timed_part *part, const struct sc_client *client,
		       struct sc_timing *timing)
{
	part->threads_ns += client->end_ns - client->start_ns;
	part->cpu_ns += client->cpu_ns;
	sc_usage_add(&part->usage, &client->usage);
	add_tally(&part->tally, &client->tally);
	part->instruments = client->instruments;
	sc_hist_add(timing->op_buckets, client->op_buckets);
	sc_hist_add(timing->commit_buckets, client->commit_buckets);
	if (client->op_ns_max > timing->op_ns_max)
		timing->op_ns_max = client->op_ns_max;
	if (client->commit_ns_max > timing->commit_ns_max)
		timing->commit_ns_max = client->commit_ns_max;
}

static void note_end(const struct sc_clients *self, uint32_t index, struct sc_timed_part *part)
{
	const struct sc_client *client = &self->shared->clients[index];
	uint64_t rows = self->task.options.rows_per_commit, left;
	struct sc_client_end *end = &part->ends[index];

	end->has_failed = atomic_load(&client->state) != SC_CLIENT_DONE;
	part->failed += end->has_failed;
	if (index >= self->own)
		return; /* values of other streams */
	end->first = self->shared->first + index * self->share;
	end->operations = atomic_load_explicit(&client->acknowledged, memory_order_acquire);
	if (!end->has_failed)
		return;
	left = self->share - end->operations;
	if (self->task.workload->writes)
		end->uncertain = left < rows ? left : rows;
}

static int merge_snapshots(const struct sc_clients *self, struct sc_timed_part *part,
			   struct sc_error *error)
{
	int r = 0;

	if (!self->snapshots || part->failed > 0)
		return 0;
	part->snapshot = calloc(1, sizeof(*part->snapshot));
	if (!part->snapshot)
		return sc_fail(error, -ENOMEM, "the ledger of the clients");
	for (uint32_t i = 0; i < self->own && r == 0; i++)
		if (self->shared->clients[i].has_snapshot)
			r = sc_snapshot_merge(part->snapshot, sc_client_snapshot(self, i), error);
	return r;
}

static void add_beside(const struct sc_clients *self, uint32_t index, struct sc_timed_part *part)
{
	const struct sc_client *client = &self->shared->clients[index];
	uint32_t number = 0;
	const struct sc_clients_beside *beside = sc_client_beside(self, index, &number);
	struct sc_timed_beside *into = &part->beside[beside - self->task.beside];

	add_tally(&into->tally, &client->tally);
	into->operations[number] = client->tally.operations;
	sc_hist_add(into->timing.op_buckets, client->op_buckets);
	if (client->op_ns_max > into->timing.op_ns_max)
		into->timing.op_ns_max = client->op_ns_max;
}

static void add_hold(const struct sc_clients *self, const struct sc_timing *timing,
		     struct sc_timed_part *part)
{
	uint64_t typical_ns = 0, first_ns = UINT64_MAX;

	if (self->shared->hold.commits == 0)
		return;
	for (uint32_t i = 0; i < self->own; i++)
		sc_hold_add(&part->hold, &self->shared->clients[i].watch, i + 1, &first_ns);
	(void)sc_hist_quantile(timing->commit_buckets, timing->commit_ns_max, 0.5, &typical_ns);
	sc_hold_finish(&part->hold, &self->shared->hold, self->shared->clients[0].watch.start_ns,
		       self->shared->effective.page_size, typical_ns);
}

static int collect(const struct sc_clients *self, uint64_t release_ns, struct sc_timed_part *part,
		   struct sc_timing *timing, struct sc_error *error)
{
	int r = 0;

	part->is_full = atomic_load(&self->shared->is_full);
	for (uint32_t i = 0; i < self->count; i++) {
		const struct sc_client *client = &self->shared->clients[i];
		char when[64];

		note_end(self, i, part);
		if (!part->ends[i].has_failed && i >= self->own) {
			add_beside(self, i, part);
			continue;
		}
		if (!part->ends[i].has_failed) {
			add_client(part, client, timing);
			if (client->end_ns - release_ns > part->wall_ns)
				part->wall_ns = client->end_ns - release_ns;
			continue;
		}
		(void)snprintf(when, sizeof(when), "after %" PRIu64 " operations",
			       part->ends[i].operations);
		if (r == 0)
			r = fail_client(self, i, when, error);
	}
	add_hold(self, timing, part);
	return r < 0 ? r : merge_snapshots(self, part, error);
}

static int prepare_parts(const struct sc_clients *self, struct sc_timed_part *part,
			 struct sc_error *error)
{
	for (size_t i = 0; i < self->task.beside_count; i++) {
		const struct sc_clients_beside *beside = &self->task.beside[i];
		int r;

		part->beside[i].clients = beside->clients;
		part->beside[i].block = sc_client_block(beside->workload);
		part->beside_count = i + 1;
		r = sc_timing_init(&part->beside[i].timing, error);
		if (r < 0)
			return r;
	}
	return 0;
}

int sc_clients_run(struct sc_clients *self, struct sc_timed_part *ret_part,
		   struct sc_timing *timing, struct sc_error *error)
{
	struct sc_usage before, after;
	uint64_t release_ns;
	int r;

	*ret_part = (struct sc_timed_part){.count = self->count};
	ret_part->ends = calloc(self->count, sizeof(*ret_part->ends));
	if (!ret_part->ends) {
		ret_part->count = 0;
		return sc_fail(error, -ENOMEM, "clients");
	}
	r = prepare_parts(self, ret_part, error);
	if (r < 0)
		return r;
	before = sc_usage_read("");
	release_ns = sc_monotonic_ns();
	open_gate(self, SC_GATE_RUN);
	for (uint32_t i = 0; i < self->own; i++)
		(void)hear(self, i); /* who ends without a word is found below */
	atomic_store(&self->shared->hold.is_over, true);
	for (uint32_t i = self->own; i < self->count; i++)
		(void)hear(self, i);
	after = sc_usage_read("");
	open_gate(self, SC_GATE_CLOSE);
	for (uint32_t i = 0; i < self->count; i++)
		(void)hear(self, i);
	r = collect(self, release_ns, ret_part, timing, error);
	ret_part->usage.steal_ns = sc_usage_since(&after, &before).steal_ns;
	return r;
}

void sc_timed_part_fini(struct sc_timed_part *part)
{
	syncost_snapshot_free(part->snapshot);
	part->snapshot = NULL;
	free(part->ends);
	part->ends = NULL;
	for (size_t i = 0; i < part->beside_count; i++)
		sc_timing_fini(&part->beside[i].timing);
	part->beside_count = 0;
}
