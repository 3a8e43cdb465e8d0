/* SPDX-License-Identifier: MIT */
#include "head.h"

#include <errno.h>
#include <string.h>

#include <sqlite3.h>

#include "../base/host.h"
#include "schedule.h"

static int no_memory(struct sc_error *error)
{
	return sc_fail(error, -ENOMEM, "describing this machine");
}

static int fill_host(const char *label, struct sc_report_head *head, struct sc_error *error)
{
	SC_CLEANUP(sc_host_fini) struct sc_host host = {0};
	int r;

	r = sc_host_read("", &host, error);
	if (r < 0)
		return r;
	head->host_label = label ? strdup(label) : SC_TAKE(host.name);
	head->kernel = SC_TAKE(host.kernel);
	head->cpu = SC_TAKE(host.cpu);
	head->cpu_count = host.cpu_count;
	head->memory_bytes = host.memory_bytes;
	head->load_status = host.load_status;
	head->load = host.load;
	return head->host_label ? 0 : no_memory(error);
}

/* The samples' processes run this program, so this is the library they use. */
static int fill_sqlite(struct sc_report_head *head, struct sc_error *error)
{
	size_t count = 0;

	(void)snprintf(head->sqlite_version, sizeof(head->sqlite_version), "%s",
		       sqlite3_libversion());
	head->sqlite_source_id = strdup(sqlite3_sourceid());
	while (sqlite3_compileoption_get((int)count))
		count++;
	head->compile_options = calloc(count ? count : 1, sizeof(*head->compile_options));
	if (!head->sqlite_source_id || !head->compile_options)
		return no_memory(error);
	for (size_t i = 0; i < count; i++) {
		head->compile_options[i] = strdup(sqlite3_compileoption_get((int)i));
		if (!head->compile_options[i])
			return no_memory(error);
		head->compile_option_count++;
	}
	return 0;
}

int sc_head_fill(const struct sc_sweep *sweep, struct sc_report_head *head, struct sc_error *error)
{
	int r;

	(void)snprintf(head->kind, sizeof(head->kind), "sweep");
	(void)snprintf(head->tool_version, sizeof(head->tool_version), "%s", sweep->tool.version);
	(void)snprintf(head->tool_commit, sizeof(head->tool_commit), "%s", sweep->tool.commit);
	head->tool_dirty = sweep->tool.dirty;
	head->seed = sweep->plan->seed;
	head->precision = sweep->precision;
	head->sampling.samples = sweep->samples;
	if (sweep->samples == 0) {
		head->sampling.pilot = SC_SCHEDULE_PILOT;
		head->sampling.time_ns = sweep->time_ns;
	}
	head->base = sweep->plan->suites[0]->setting;
	head->cell_count = sweep->plan->cell_count;
	head->order = strdup("shuffled per round");
	if (!head->order)
		return no_memory(error);
	r = fill_host(sweep->host_label, head, error);
	return r < 0 ? r : fill_sqlite(head, error);
}

int sc_head_note_syncs(struct sc_report_head *head, const struct sc_syncs *syncs,
		       struct sc_error *error)
{
	const char *call = NULL;

	/* Where SQLite asked for none, they are another's. */
	if (syncs->status != SC_MEASURED || syncs->physical_status != SC_MEASURED ||
	    syncs->vfs_status != SC_MEASURED)
		return 0;
	if (syncs->fdatasync > 0)
		call = syncs->fsync > 0 ? "fdatasync and fsync" : "fdatasync";
	else if (syncs->fsync > 0)
		call = "fsync";
	if (!call || (head->sync_call && strcmp(head->sync_call, call) == 0))
		return 0;
	/* Cells that disagree: each call was seen somewhere. */
	if (head->sync_call)
		call = "fdatasync and fsync";
	free(head->sync_call);
	head->sync_call = strdup(call);
	return head->sync_call ? 0 : no_memory(error);
}
