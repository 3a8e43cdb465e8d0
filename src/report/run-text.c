/* SPDX-License-Identifier: MIT */
#include "run-text.h"

#include <inttypes.h>
#include <string.h>

#include "../model/format.h"
#include "../stats/hist.h"
#include "syncost.h"

const char *const sc_run_columns[SC_RUN_COLUMNS] = {
	"role", "reads", "read", "writes", "written", "syncs", "sync time", "p99", "size at most",
};

static const char *plural(uint64_t count)
{
	return count == 1 ? "" : "s";
}

void sc_run_add_title(struct sc_buffer *buffer, const struct sc_run *run)
{
	sc_buffer_printf(buffer, "syncost %s run, %s", run->tool_version, run->started);
}

static void add_word(struct sc_buffer *buffer, const char *word)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-_./=:,+@%";

	if (word[0] && strspn(word, plain) == strlen(word)) {
		sc_buffer_add_text(buffer, word);
		return;
	}
	sc_buffer_add_text(buffer, "'");
	for (; *word; word++) {
		if (*word == '\'')
			sc_buffer_add_text(buffer, "'\\''");
		else
			sc_buffer_add(buffer, word, 1);
	}
	sc_buffer_add_text(buffer, "'");
}

void sc_run_add_command(struct sc_buffer *buffer, const struct sc_run *run)
{
	for (size_t i = 0; i < run->argc; i++) {
		sc_buffer_add_text(buffer, i ? " " : "");
		add_word(buffer, run->argv[i]);
	}
}

void sc_run_add_set(struct sc_buffer *buffer, const struct sc_run *run)
{
	sc_buffer_add_text(buffer, "with ");
	for (const char *at = run->set; *at; at++)
		sc_buffer_printf(buffer, *at == ';' && at[1] ? "%c " : "%c", *at);
	sc_buffer_printf(buffer, " on %" PRIu64 " connection%s", run->connections_set,
			 plural(run->connections_set));
}

void sc_run_add_end(struct sc_buffer *buffer, const struct sc_run *run)
{
	char wall[SC_FORMAT_BYTES], share[SC_FORMAT_BYTES];

	if (run->signal)
		sc_buffer_printf(buffer, "ended by signal %d (%s)", run->signal,
				 strsignal(run->signal));
	else
		sc_buffer_printf(buffer, "exit code %d", run->exit_code);
	sc_buffer_printf(
		buffer, " after %s, %s of a CPU; %zu process%s with databases",
		sc_format_ns((double)run->wall_ns, wall, sizeof(wall)),
		sc_format_percent(run->wall_ns ? (double)run->cpu_ns / (double)run->wall_ns : 0,
				  share, sizeof(share)),
		run->process_count, run->process_count == 1 ? "" : "es");
}

const char *sc_run_database_name(const struct sc_run_database *database)
{
	return database->path ? database->path : "(temporary files)";
}

void sc_run_add_time(struct sc_buffer *buffer, const struct sc_run *run, uint32_t database)
{
	char wall[SC_FORMAT_BYTES], share[SC_FORMAT_BYTES], ns[SC_FORMAT_BYTES];
	bool is_first = true;

	for (int part = SC_PART_READ; part < SC_PART_COUNT_; part++) {
		double part_ns =
			(double)sc_run_sum_part(&run->rows, database, (enum sc_part)part).ns;
		double part_share = run->wall_ns ? part_ns / (double)run->wall_ns : 0;

		if (part_ns == 0)
			continue;
		sc_buffer_printf(buffer, "%s%s %s (%s)", is_first ? "" : ", ",
				 syncost_part_name((enum sc_part)part),
				 sc_format_ns(part_ns, ns, sizeof(ns)),
				 sc_format_percent(part_share, share, sizeof(share)));
		is_first = false;
	}
	sc_buffer_printf(buffer, " of %s", sc_format_ns((double)run->wall_ns, wall, sizeof(wall)));
}

static void add_wal(struct sc_buffer *buffer, const struct sc_run_database *database)
{
	char size[SC_FORMAT_BYTES], ns[SC_FORMAT_BYTES];

	if (database->wal_frames == 0 && database->checkpoints == 0)
		return;
	sc_buffer_printf(
		buffer, "; WAL: %" PRIu64 " frame%s, at most %s, %" PRIu64 " reset%s, ",
		database->wal_frames, plural(database->wal_frames),
		sc_format_size((double)database->size_bytes_max[SC_ROLE_WAL], size, sizeof(size)),
		database->wal_resets, plural(database->wal_resets));
	sc_buffer_printf(buffer, "%" PRIu64 " checkpoint%s", database->checkpoints,
			 plural(database->checkpoints));
	if (database->checkpoints > 0)
		sc_buffer_printf(buffer, " of %" PRIu64 " frame%s in %s",
				 database->checkpoint_frames, plural(database->checkpoint_frames),
				 sc_format_ns((double)database->checkpoint_ns, ns, sizeof(ns)));
}

void sc_run_add_commits(struct sc_buffer *buffer, const struct sc_run *run, uint32_t index)
{
	const struct sc_run_database *database = &run->databases[index];
	char rate[SC_FORMAT_BYTES], ns[SC_FORMAT_BYTES];
	double seconds = (double)run->wall_ns / 1e9;

	if (database->unmarked_writes > 0)
		sc_buffer_add_text(buffer, "commits are not known: " SC_RUN_UNMARKED);
	else
		sc_buffer_printf(
			buffer, "%" PRIu64 " commit%s, %s/s", database->commits,
			plural(database->commits),
			sc_format_rate(seconds > 0 ? (double)database->commits / seconds : 0, rate,
				       sizeof(rate)));
	add_wal(buffer, database);
	if (database->lock_waits > 0)
		sc_buffer_printf(buffer, "; %" PRIu64 " wait%s for a lock of another process, %s",
				 database->lock_waits, plural(database->lock_waits),
				 sc_format_ns((double)database->lock_wait_ns, ns, sizeof(ns)));
}

void sc_run_add_slow(struct sc_buffer *buffer, const struct sc_run *run,
		     const struct sc_run_commit *commit)
{
	char ns[SC_FORMAT_BYTES], at[SC_FORMAT_BYTES], part_ns[SC_FORMAT_BYTES];
	const char *path = sc_run_database_name(&run->databases[commit->database]);
	const char *slash = strrchr(path, '/');

	sc_buffer_printf(buffer, "%s at %s: ", sc_format_ns((double)commit->ns, ns, sizeof(ns)),
			 sc_format_ns((double)commit->at_ns, at, sizeof(at)));
	for (int part = SC_PART_SQL; part < SC_PART_COUNT_; part++) {
		if (commit->part_ns[part] * 100 >= commit->ns)
			sc_buffer_printf(buffer, "%s %s, ", syncost_part_name((enum sc_part)part),
					 sc_format_ns((double)commit->part_ns[part], part_ns,
						      sizeof(part_ns)));
	}
	sc_buffer_printf(buffer, "%" PRIu32 " sync%s, ", commit->syncs, plural(commit->syncs));
	if (commit->checkpoint_ns > 0)
		sc_buffer_printf(
			buffer, "of it %s for a checkpoint, ",
			sc_format_ns((double)commit->checkpoint_ns, part_ns, sizeof(part_ns)));
	sc_buffer_printf(buffer, "%s, process %" PRIu32, slash ? slash + 1 : path,
			 run->processes[commit->process].pid);
	if (commit->statement != SC_RUN_NO_STATEMENT)
		sc_buffer_printf(buffer, ": %s", run->statements[commit->statement].sql);
}

void sc_run_add_statement(struct sc_buffer *buffer, const struct sc_run_statement *statement)
{
	char sync_ns[SC_FORMAT_BYTES], ns[SC_FORMAT_BYTES];

	sc_buffer_printf(buffer, "%s in %" PRIu64 " sync%s, of %s; %" PRIu64 " run%s",
			 sc_format_ns((double)statement->sync_ns, sync_ns, sizeof(sync_ns)),
			 statement->syncs, plural(statement->syncs),
			 sc_format_ns((double)statement->ns, ns, sizeof(ns)), statement->executions,
			 plural(statement->executions));
	if (statement->commits > 0)
		sc_buffer_printf(buffer, ", %" PRIu64 " commit%s", statement->commits,
				 plural(statement->commits));
	if (statement->lock_waits > 0)
		sc_buffer_printf(buffer, ", waited %s for locks",
				 sc_format_ns((double)statement->lock_wait_ns, ns, sizeof(ns)));
	if (statement->checkpoints > 0)
		sc_buffer_printf(buffer, ", paid for %" PRIu64 " checkpoint%s (%s)",
				 statement->checkpoints, plural(statement->checkpoints),
				 sc_format_ns((double)statement->checkpoint_ns, ns, sizeof(ns)));
	sc_buffer_printf(buffer, ": %s", statement->sql);
}

/* Of all syncs of a role together; "" where there are none. */
static void print_sync_p99(const struct sc_run *run, uint32_t database, uint32_t role, char *text,
			   size_t bytes)
{
	uint32_t buckets[SC_HIST_BUCKETS] = {0};
	uint64_t ns_max = 0, p99;

	for (size_t i = 0; i < run->rows.count; i++) {
		const struct sc_run_row *row = &run->rows.items[i];

		if (row->database != database || !sc_run_is_sync(row->op) || !row->buckets ||
		    (role != SC_RUN_ALL && (uint32_t)row->role != role))
			continue;
		sc_hist_add(buckets, row->buckets);
		ns_max = row->ns_max > ns_max ? row->ns_max : ns_max;
	}
	if (sc_hist_quantile(buckets, ns_max, 0.99, &p99))
		(void)sc_format_ns((double)p99, text, bytes);
}

static void print_count(uint64_t count, char *text, size_t bytes)
{
	if (count)
		(void)snprintf(text, bytes, "%" PRIu64, count);
}

bool sc_run_line(const struct sc_run *run, uint32_t database, uint32_t role,
		 struct sc_run_line *ret_line)
{
	struct sc_run_sum reads = sc_run_sum(&run->rows, database, role, SC_OP_READ);
	struct sc_run_sum writes = sc_run_sum(&run->rows, database, role, SC_OP_WRITE);
	struct sc_run_sum syncs = sc_run_sum_syncs(&run->rows, database, role);
	uint64_t size = role < SC_ROLE_COUNT_ ? run->databases[database].size_bytes_max[role] : 0;
	char(*cells)[32] = ret_line->cells;
	const size_t bytes = sizeof(cells[0]);

	*ret_line = (struct sc_run_line){0};
	if (reads.calls + writes.calls + syncs.calls == 0)
		return false;
	(void)snprintf(cells[0], bytes, "%s",
		       role == SC_RUN_ALL ? "all" : syncost_role_name((enum sc_role)role));
	print_count(reads.calls, cells[1], bytes);
	if (reads.calls)
		(void)sc_format_size((double)reads.bytes, cells[2], bytes);
	print_count(writes.calls, cells[3], bytes);
	if (writes.calls)
		(void)sc_format_size((double)writes.bytes, cells[4], bytes);
	print_count(syncs.calls, cells[5], bytes);
	if (syncs.calls) {
		(void)sc_format_ns((double)syncs.ns, cells[6], bytes);
		print_sync_p99(run, database, role, cells[7], bytes);
	}
	if (size)
		(void)sc_format_size((double)size, cells[8], bytes);
	return true;
}

void sc_run_add_process(struct sc_buffer *buffer, const struct sc_run_process *process)
{
	struct sc_run_sum syncs = sc_run_sum_syncs(&process->rows, SC_RUN_ALL, SC_RUN_ALL);
	struct sc_run_sum writes = sc_run_sum(&process->rows, SC_RUN_ALL, SC_RUN_ALL, SC_OP_WRITE);
	struct sc_run_sum reads = sc_run_sum(&process->rows, SC_RUN_ALL, SC_RUN_ALL, SC_OP_READ);
	char read[SC_FORMAT_BYTES], written[SC_FORMAT_BYTES], ns[SC_FORMAT_BYTES];

	sc_buffer_printf(buffer, "%" PRIu32 " %s: ", process->pid, process->program);
	sc_buffer_printf(buffer, "%" PRIu64 " syncs (%s), read %s, written %s", syncs.calls,
			 sc_format_ns((double)syncs.ns, ns, sizeof(ns)),
			 sc_format_size((double)reads.bytes, read, sizeof(read)),
			 sc_format_size((double)writes.bytes, written, sizeof(written)));
}
