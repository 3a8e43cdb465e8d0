/* SPDX-License-Identifier: MIT */

/*
 * summary.json of a run: one key a line, and one line for each database, process, finding.
 */

#include <errno.h>
#include <string.h>

#include "../base/buffer.h"
#include "../stats/hist.h"
#include "json-field.h"
#include "run.h"
#include "syncost.h"

/* Prints @json on a line of its own, and frees it. */
static int add_line(struct sc_buffer *text, const char *key, cJSON *json, bool more)
{
	char *printed = json ? cJSON_PrintUnformatted(json) : NULL;

	cJSON_Delete(json);
	if (!printed)
		return -ENOMEM;
	if (key)
		sc_buffer_printf(text, "\"%s\":", key);
	sc_buffer_add_text(text, printed);
	sc_buffer_add_text(text, more ? ",\n" : "\n");
	cJSON_free(printed);
	return 0;
}

static cJSON *tool_of(const struct sc_run *run)
{
	cJSON *json = cJSON_CreateObject();

	if (!sc_json_put_text(json, "version", run->tool_version) ||
	    !sc_json_put_text(json, "commit", run->tool_commit) ||
	    !cJSON_AddBoolToObject(json, "dirty", run->tool_dirty))
		sc_json_freep(&json);
	return json;
}

static cJSON *host_of(const struct sc_run *run)
{
	cJSON *json = cJSON_CreateObject();

	if (!sc_json_put_text(json, "label", run->host_label) ||
	    !sc_json_put_text(json, "kernel", run->kernel) ||
	    !sc_json_put_text(json, "cpu", run->cpu) ||
	    !sc_json_put_u64(json, "cpu_count", run->cpu_count))
		sc_json_freep(&json);
	return json;
}

static bool put_argv(cJSON *json, const struct sc_run *run)
{
	cJSON *list = cJSON_AddArrayToObject(json, "command_line");

	for (size_t i = 0; list && i < run->argc; i++) {
		if (!cJSON_AddItemToArray(list, sc_json_new_text(run->argv[i])))
			return false;
	}
	return list != NULL;
}

/* The settings of --set, where it was given. */
static bool put_set(cJSON *json, const struct sc_run *run)
{
	cJSON *set;

	if (!run->set)
		return true;
	set = cJSON_AddObjectToObject(json, "set");
	return sc_json_put_text(set, "pragmas", run->set) &&
	       sc_json_put_u64(set, "connections", run->connections_set) &&
	       sc_json_put_u64(set, "refused", run->pragmas_refused);
}

static cJSON *run_of(const struct sc_run *run)
{
	cJSON *json = cJSON_CreateObject();
	bool is_put = put_argv(json, run) && put_set(json, run) &&
		      sc_json_put_text(json, "directory", run->directory) &&
		      sc_json_put_text(json, "started", run->started);

	if (run->signal)
		is_put = is_put && sc_json_put_u64(json, "signal", (uint64_t)run->signal);
	else
		is_put = is_put && sc_json_put_u64(json, "exit_code", (uint64_t)run->exit_code);
	if (!is_put || !sc_json_put_u64(json, "wall_ns", run->wall_ns) ||
	    !sc_json_put_u64(json, "cpu_ns", run->cpu_ns) ||
	    !sc_json_put_u64(json, "major_faults", run->major_faults))
		sc_json_freep(&json);
	return json;
}

/* --- rows */

static bool put_quantiles(cJSON *json, const struct sc_run_row *row)
{
	uint64_t p50, p99;

	if (!row->buckets || !sc_hist_quantile(row->buckets, row->ns_max, 0.50, &p50) ||
	    !sc_hist_quantile(row->buckets, row->ns_max, 0.99, &p99))
		return sc_json_put_absent(json, "ns_p50", SC_SKIPPED, "no call was timed") &&
		       sc_json_put_absent(json, "ns_p99", SC_SKIPPED, "no call was timed") &&
		       sc_json_put_absent(json, "ns_max", SC_SKIPPED, "no call was timed");
	return sc_json_put_u64(json, "ns_p50", p50) && sc_json_put_u64(json, "ns_p99", p99) &&
	       sc_json_put_u64(json, "ns_max", row->ns_max);
}

static cJSON *row_of(const struct sc_run_row *row, bool is_brief)
{
	cJSON *json = cJSON_CreateObject();
	bool is_put = sc_json_put_text(json, "instrument", "libc") &&
		      sc_json_put_text(json, "role", syncost_role_name(row->role)) &&
		      sc_json_put_text(json, "op", syncost_op_info(row->op)->name) &&
		      sc_json_put_u64(json, "calls", row->calls) &&
		      sc_json_put_u64(json, "failures", row->failures) &&
		      sc_json_put_u64(json, "bytes", row->bytes) &&
		      sc_json_put_u64(json, "timed", row->timed) &&
		      sc_json_put_u64(json, "ns", row->ns);

	if (!is_put || (!is_brief && !put_quantiles(json, row)))
		sc_json_freep(&json);
	return json;
}

/* "io" of one database. */
static bool put_rows(cJSON *json, const struct sc_run_rows *rows, uint32_t database, bool is_brief)
{
	cJSON *list = cJSON_AddArrayToObject(json, "io");

	for (size_t i = 0; list && i < rows->count; i++) {
		if (rows->items[i].database == database &&
		    !cJSON_AddItemToArray(list, row_of(&rows->items[i], is_brief)))
			return false;
	}
	return list != NULL;
}

/* --- databases */

static bool put_syncs(cJSON *json, const struct sc_run_rows *rows, uint32_t database)
{
	cJSON *syncs = cJSON_AddObjectToObject(json, "syncs");

	return sc_json_put_u64(syncs, "physical",
			       sc_run_sum_syncs(rows, database, SC_RUN_ALL).calls) &&
	       sc_json_put_u64(syncs, "directory",
			       sc_run_sum_syncs(rows, database, SC_ROLE_DIRECTORY).calls) &&
	       sc_json_put_u64(syncs, "ns", sc_run_sum_syncs(rows, database, SC_RUN_ALL).ns);
}

static bool put_split(cJSON *json, const struct sc_run_rows *rows, uint32_t database)
{
	cJSON *split = cJSON_AddObjectToObject(json, "split_ns");

	for (int part = SC_PART_READ; split && part < SC_PART_COUNT_; part++) {
		if (!sc_json_put_u64(split, syncost_part_name((enum sc_part)part),
				     sc_run_sum_part(rows, database, (enum sc_part)part).ns))
			return false;
	}
	return split != NULL;
}

static bool put_sizes(cJSON *json, const struct sc_run_database *database)
{
	cJSON *sizes = cJSON_AddObjectToObject(json, "size_bytes_max");

	for (int role = 0; sizes && role < SC_ROLE_COUNT_; role++) {
		if (database->size_bytes_max[role] &&
		    !sc_json_put_u64(sizes, syncost_role_name((enum sc_role)role),
				     database->size_bytes_max[role]))
			return false;
	}
	return sizes != NULL;
}

static bool put_commits(cJSON *json, const struct sc_run *run,
			const struct sc_run_database *database)
{
	double seconds = (double)run->wall_ns / 1e9;

	if (database->unmarked_writes > 0)
		return sc_json_put_absent(json, "commits", SC_UNSUPPORTED, SC_RUN_UNMARKED) &&
		       sc_json_put_absent(json, "commits_per_s", SC_UNSUPPORTED, SC_RUN_UNMARKED);
	return sc_json_put_u64(json, "commits", database->commits) &&
	       cJSON_AddNumberToObject(json, "commits_per_s",
				       seconds > 0 ? (double)database->commits / seconds : 0);
}

static bool put_wal(cJSON *json, const struct sc_run_database *database)
{
	cJSON *wal = cJSON_AddObjectToObject(json, "wal");
	cJSON *checkpoints = cJSON_AddObjectToObject(json, "checkpoints");
	cJSON *waits = cJSON_AddObjectToObject(json, "lock_waits");

	return sc_json_put_u64(wal, "frames", database->wal_frames) &&
	       sc_json_put_u64(wal, "resets", database->wal_resets) &&
	       sc_json_put_u64(wal, "creations", database->wal_creations) &&
	       sc_json_put_u64(checkpoints, "count", database->checkpoints) &&
	       sc_json_put_u64(checkpoints, "frames", database->checkpoint_frames) &&
	       sc_json_put_u64(checkpoints, "ns", database->checkpoint_ns) &&
	       sc_json_put_u64(waits, "count", database->lock_waits) &&
	       sc_json_put_u64(waits, "ns", database->lock_wait_ns);
}

static cJSON *commit_of(const struct sc_run *run, const struct sc_run_commit *commit)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *split = cJSON_AddObjectToObject(json, "split_ns");
	bool is_put = split != NULL;

	for (int part = SC_PART_SQL; is_put && part < SC_PART_COUNT_; part++)
		is_put = sc_json_put_u64(split, syncost_part_name((enum sc_part)part),
					 commit->part_ns[part]);
	if (!is_put || !sc_json_put_u64(json, "at_ns", commit->at_ns) ||
	    !sc_json_put_u64(json, "ns", commit->ns) ||
	    !sc_json_put_u64(json, "checkpoint_ns", commit->checkpoint_ns) ||
	    !sc_json_put_u64(json, "bytes", commit->bytes) ||
	    !sc_json_put_u64(json, "syncs", commit->syncs) ||
	    !sc_json_put_u64(json, "databases", commit->databases) ||
	    !sc_json_put_text(json, "sql",
			      commit->statement == SC_RUN_NO_STATEMENT
				      ? NULL
				      : run->statements[commit->statement].sql) ||
	    !sc_json_put_u64(json, "pid", run->processes[commit->process].pid) ||
	    !sc_json_put_text(json, "database", run->databases[commit->database].path))
		sc_json_freep(&json);
	return json;
}

static cJSON *database_of(const struct sc_run *run, uint32_t index)
{
	const struct sc_run_database *database = &run->databases[index];
	cJSON *json = cJSON_CreateObject();

	if (!sc_json_put_text(json, "path", database->path) || !put_commits(json, run, database) ||
	    !put_wal(json, database) || !put_syncs(json, &run->rows, index) ||
	    !put_split(json, &run->rows, index) || !put_sizes(json, database) ||
	    !put_rows(json, &run->rows, index, false))
		sc_json_freep(&json);
	return json;
}

static bool put_process_databases(cJSON *json, const struct sc_run *run,
				  const struct sc_run_process *process)
{
	cJSON *list = cJSON_AddArrayToObject(json, "databases");

	for (uint32_t i = 0; list && i < run->database_count; i++) {
		cJSON *item = cJSON_CreateObject();

		if (!sc_json_put_text(item, "path", run->databases[i].path) ||
		    !put_syncs(item, &process->rows, i) || !put_rows(item, &process->rows, i, true))
			sc_json_freep(&item);
		if (item && cJSON_GetArraySize(cJSON_GetObjectItem(item, "io")) == 0)
			cJSON_Delete(item);
		else if (!cJSON_AddItemToArray(list, item))
			return false;
	}
	return list != NULL;
}

static cJSON *process_of(const struct sc_run *run, const struct sc_run_process *process)
{
	cJSON *json = cJSON_CreateObject();

	if (!sc_json_put_u64(json, "pid", process->pid) ||
	    !sc_json_put_u64(json, "parent_pid", process->parent_pid) ||
	    !sc_json_put_text(json, "program", process->program) ||
	    !sc_json_put_u64(json, "started_ns", process->started_ns) ||
	    !cJSON_AddBoolToObject(json, "running", process->is_running) ||
	    !sc_json_put_u64(json, "calls_dropped", process->calls_dropped) ||
	    !put_process_databases(json, run, process))
		sc_json_freep(&json);
	return json;
}

static cJSON *statement_of(const struct sc_run_statement *statement)
{
	cJSON *json = cJSON_CreateObject();

	if (!sc_json_put_text(json, "sql", statement->sql) ||
	    !sc_json_put_u64(json, "executions", statement->executions) ||
	    !sc_json_put_u64(json, "ns", statement->ns) ||
	    !sc_json_put_u64(json, "commits", statement->commits) ||
	    !sc_json_put_u64(json, "syncs", statement->syncs) ||
	    !sc_json_put_u64(json, "sync_ns", statement->sync_ns) ||
	    !sc_json_put_u64(json, "bytes", statement->bytes) ||
	    !sc_json_put_u64(json, "lock_waits", statement->lock_waits) ||
	    !sc_json_put_u64(json, "lock_wait_ns", statement->lock_wait_ns) ||
	    !sc_json_put_u64(json, "checkpoints", statement->checkpoints) ||
	    !sc_json_put_u64(json, "checkpoint_ns", statement->checkpoint_ns))
		sc_json_freep(&json);
	return json;
}

/* Why there are none, where there are none. */
static int add_statements(struct sc_buffer *text, const struct sc_run *run)
{
	size_t count =
		run->statement_count < run->slowest_max ? run->statement_count : run->slowest_max;
	int r = 0;

	if (run->statements_status == SC_SKIPPED) {
		sc_buffer_add_text(text, "\"statements\":{\"status\":\"skipped\",\"reason\":"
					 "\"not asked for (--sql none)\"},\n");
		return 0;
	}
	if (count == 0) {
		sc_buffer_add_text(text, "\"statements\":{\"status\":\"unsupported\",\"reason\":"
					 "\"" SC_RUN_NO_SQLITE "\"},\n");
		return 0;
	}
	sc_buffer_add_text(text, "\"statements\":[\n");
	for (size_t i = 0; r == 0 && i < count; i++)
		r = add_line(text, NULL, statement_of(&run->statements[i]), i + 1 < count);
	sc_buffer_add_text(text, "],\n");
	return r;
}

static cJSON *finding_of(const struct sc_finding *finding)
{
	cJSON *json = cJSON_CreateObject();

	if (!sc_json_put_text(json, "code", finding->code) ||
	    !sc_json_put_text(json, "severity", sc_severity_name(finding->severity)) ||
	    !sc_json_put_text(json, "text", finding->text) ||
	    !sc_json_put_text(json, "next", finding->next))
		sc_json_freep(&json);
	return json;
}

static int add_lists(struct sc_buffer *text, const struct sc_run *run)
{
	int r = 0;

	sc_buffer_add_text(text, "\"databases\":[\n");
	for (uint32_t i = 0; r == 0 && i < run->database_count; i++)
		r = add_line(text, NULL, database_of(run, i), i + 1 < run->database_count);
	sc_buffer_add_text(text, "],\n\"processes\":[\n");
	for (size_t i = 0; r == 0 && i < run->process_count; i++)
		r = add_line(text, NULL, process_of(run, &run->processes[i]),
			     i + 1 < run->process_count);
	sc_buffer_add_text(text, "],\n\"slowest_commits\":[\n");
	for (size_t i = 0; r == 0 && i < run->slowest_count; i++)
		r = add_line(text, NULL, commit_of(run, &run->slowest[i]),
			     i + 1 < run->slowest_count);
	sc_buffer_add_text(text, "],\n");
	if (r == 0)
		r = add_statements(text, run);
	sc_buffer_add_text(text, "\"findings\":[\n");
	for (size_t i = 0; r == 0 && i < run->findings.count; i++)
		r = add_line(text, NULL, finding_of(&run->findings.items[i]),
			     i + 1 < run->findings.count);
	sc_buffer_add_text(text, "]}\n");
	return r;
}

int sc_run_format(const struct sc_run *run, char **ret_text, struct sc_error *error)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer text = {0};
	int r;

	sc_buffer_add_text(&text, "{\"format\":\"syncost-report-1\",\"kind\":\"run\",\n");
	r = add_line(&text, "tool", tool_of(run), true);
	if (r == 0)
		r = add_line(&text, "host", host_of(run), true);
	if (r == 0)
		r = add_line(&text, "run", run_of(run), true);
	if (r == 0)
		r = add_lists(&text, run);
	if (r < 0)
		return sc_fail(error, r, "writing the report of the run");
	return sc_buffer_take(&text, ret_text, error);
}
