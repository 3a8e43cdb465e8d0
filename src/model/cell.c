/* SPDX-License-Identifier: MIT */

/* A cell: what it owns, and the copy that a setting carries which cannot differ from another. */

#include "report.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define NOT_RUN "the cell was not run"

const char *sc_ended_name(enum sc_ended ended)
{
	static const char *const names[] = {
		[SC_ENDED_NOT] = "not",
		[SC_ENDED_CONVERGED] = "converged",
		[SC_ENDED_TIME] = "time",
		[SC_ENDED_SAMPLES] = "samples",
	};

	static_assert(SC_ARRAY_COUNT(names) == SC_ENDED_COUNT_, "a name each");
	assert(ended < SC_ENDED_COUNT_);
	return names[ended];
}

static void set_reason(char *reason, const char *text)
{
	(void)snprintf(reason, SC_REASON_BYTES, "%s", text);
}

void sc_cell_set_absent(struct sc_cell *cell, enum sc_status status, const char *reason)
{
	cell->ops_per_s = (struct sc_interval){.status = status};
	cell->commits_per_s = (struct sc_interval){.status = status};
	free(cell->op_ns.buckets);
	free(cell->commit_ns.buckets);
	cell->op_ns = (struct sc_latency){.status = status};
	cell->commit_ns = (struct sc_latency){.status = status};
	cell->cpu_wall_status = status;
	cell->ended = SC_ENDED_NOT;
	cell->split = (struct sc_split){.status = status};
	cell->bound = (struct sc_bound){.status = status};
	cell->syncs = (struct sc_syncs){
		.status = status, .physical_status = status, .vfs_status = status};
	set_reason(cell->ops_per_s.reason, reason);
	set_reason(cell->commits_per_s.reason, reason);
	set_reason(cell->op_ns.reason, reason);
	set_reason(cell->commit_ns.reason, reason);
	set_reason(cell->split.reason, reason);
	set_reason(cell->bound.reason, reason);
	set_reason(cell->syncs.reason, reason);
	cell->work = (struct sc_work){.status = status};
	cell->memory = (struct sc_memory){.status = status};
	set_reason(cell->work.reason, reason);
	set_reason(cell->memory.reason, reason);

	cell->operations = cell->commits = 0;
	cell->busy_retries = cell->checkpoints_seen = 0;
	cell->cpu_wall = cell->instrument_cost = 0;
	cell->ledger_ops = cell->ledger_commits = 0;
	cell->checkpoint_ns = cell->calls_dropped = cell->major_faults = 0;
	cell->checkpoints = (struct sc_checkpoints){0};
	cell->space = (struct sc_space){.page_cache_status = status};
	sc_company_fini(&cell->company);
	free(SC_TAKE(cell->io));
	cell->io_count = 0;
}

void sc_cell_init(struct sc_cell *cell)
{
	*cell = (struct sc_cell){.clients = 1, .status = SC_SKIPPED};
	sc_cell_set_absent(cell, SC_SKIPPED, NOT_RUN);
}

/* The figures and state, as opposed to what identifies the cell. */
static void free_figures(struct sc_cell *cell)
{
	free(SC_TAKE(cell->same_as));
	free(SC_TAKE(cell->same_as_reason));
	free(SC_TAKE(cell->reason));
	free(SC_TAKE(cell->op_ns.buckets));
	free(SC_TAKE(cell->commit_ns.buckets));
	free(SC_TAKE(cell->io));
	free(SC_TAKE(cell->samples));
	sc_company_fini(&cell->company);
	cell->io_count = cell->sample_count = 0;
	sc_findings_fini(&cell->findings);
}

void sc_cell_fini(struct sc_cell *cell)
{
	free(cell->id);
	free(cell->target);
	free(cell->suite);
	free(cell->workload);
	free(cell->unit);
	free(cell->store);
	free(cell->device);
	free(cell->clock);
	free(cell->layers);
	free_figures(cell);
	*cell = (struct sc_cell){0};
}

/* Copies @bytes into new memory, NULL of nothing. Return: false where memory is short. */
static bool copy_of(const void *from, size_t bytes, void *ret_copy)
{
	void *copy = NULL;

	if (from && bytes) {
		copy = malloc(bytes);
		if (!copy)
			return false;
		memcpy(copy, from, bytes);
	}
	memcpy(ret_copy, &copy, sizeof(copy)); /* a pointer to any type */
	return true;
}

static bool copy_text(const char *from, char **ret_copy)
{
	return copy_of(from, from ? strlen(from) + 1 : 0, ret_copy);
}

/* The plain values of both; what @cell owns is freed, and it owns nothing of @source. */
static void copy_plain(struct sc_cell *cell, const struct sc_cell *source)
{
	struct sc_cell identity = *cell;

	free_figures(cell);
	*cell = *source;
	cell->id = identity.id;
	cell->target = identity.target;
	cell->suite = identity.suite;
	memcpy(cell->suite_digest, identity.suite_digest, sizeof(cell->suite_digest));
	cell->workload = identity.workload;
	cell->unit = identity.unit;
	cell->store = identity.store;
	cell->clients = identity.clients;
	cell->device = identity.device;
	cell->clock = identity.clock;
	cell->layers = identity.layers;
	cell->wal_state = identity.wal_state;
	cell->uses_wal_state = identity.uses_wal_state;
	cell->setting = identity.setting;
	cell->rows = identity.rows;
	cell->seed = identity.seed;
	cell->rate = identity.rate;
	cell->precision = identity.precision;
	cell->rule = identity.rule;

	cell->same_as = cell->same_as_reason = cell->reason = NULL;
	cell->op_ns.buckets = cell->commit_ns.buckets = NULL;
	cell->io = NULL;
	cell->company = (struct sc_company){0};
	cell->samples = NULL;
	cell->findings = (struct sc_findings){0}; /* said once, of the source */
}

int sc_cell_same(struct sc_cell *cell, const struct sc_cell *source, const char *reason,
		 struct sc_error *error)
{
	const size_t buckets_bytes = SC_HIST_BUCKETS * sizeof(*source->op_ns.buckets);

	copy_plain(cell, source);
	if (!copy_text(source->id, &cell->same_as) || !copy_text(reason, &cell->same_as_reason) ||
	    !copy_text(source->reason, &cell->reason) ||
	    !copy_of(source->op_ns.buckets, buckets_bytes, &cell->op_ns.buckets) ||
	    !copy_of(source->commit_ns.buckets, buckets_bytes, &cell->commit_ns.buckets) ||
	    sc_company_copy(&source->company, &cell->company) < 0 ||
	    !copy_of(source->io, source->io_count * sizeof(*source->io), &cell->io) ||
	    !copy_of(source->samples, source->sample_count * sizeof(*source->samples),
		     &cell->samples)) {
		free_figures(cell);
		sc_cell_set_absent(cell, SC_FAILED, "no memory for its figures");
		return sc_fail(error, -ENOMEM, "copying the figures of cell '%s'", source->id);
	}
	return 0;
}
