/* SPDX-License-Identifier: MIT */

/* Reading a cell of a report. What was not measured keeps its status and its reason. */

#include <errno.h>
#include <string.h>

#include "json-report-read.h"
#include "json-work.h"
#include "syncost.h"

static const char *bound_name(int index)
{
	return sc_bound_name((enum sc_bound_by)index);
}

static const char *status_name(int index)
{
	return sc_status_name((enum sc_status)index);
}

static const char *kind_name(int index)
{
	return sc_sample_kind_name((enum sc_sample_kind)index);
}

static const char *ended_name(int index)
{
	return sc_ended_name((enum sc_ended)index);
}

static const char *wal_state_name(int index)
{
	return sc_wal_state_name((enum sc_wal_state)index);
}

/* What was measured took time, so it is above 0; and an interval holds its median. */
static int check_rate(const struct sc_interval *rate, struct sc_json_place place,
		      struct sc_error *error)
{
	if (!(rate->median > 0))
		return sc_json_fail(place, "median", "must be above 0", error);
	if (!(rate->low >= 0) || rate->low > rate->median)
		return sc_json_fail(place, "low", "must be from 0 to the median", error);
	if (rate->high < rate->median)
		return sc_json_fail(place, "high", "must be at least the median", error);
	return 0;
}

static int get_interval(const cJSON *json, const char *key, struct sc_json_place place,
			struct sc_interval *interval, struct sc_error *error)
{
	const cJSON *child = NULL;
	uint64_t n = 0;
	int r;

	r = sc_json_get_object(json, key, place, &child, error);
	if (r < 0)
		return r;
	interval->status = SC_MEASURED;
	interval->reason[0] = '\0';
	if (sc_json_is_absent(child, &interval->status, interval->reason, sizeof(interval->reason)))
		return 0;
	place.path = key;
	r = sc_report_get_number(child, "median", place, &interval->median, error);
	if (r == 0)
		r = sc_report_get_number(child, "low", place, &interval->low, error);
	if (r == 0)
		r = sc_report_get_number(child, "high", place, &interval->high, error);
	if (r == 0)
		r = sc_report_get_u64_plain(child, "n", place, &n, error);
	if (r == 0)
		r = sc_report_get_number(child, "coverage", place, &interval->coverage, error);
	if (r == 0)
		r = sc_report_get_bool(child, "converged", place, &interval->converged, error);
	interval->n = n > UINT32_MAX ? UINT32_MAX : (uint32_t)n;
	return r < 0 ? r : check_rate(interval, place, error);
}

static int get_identity(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
			struct sc_error *error)
{
	const cJSON *wal_state = cJSON_GetObjectItemCaseSensitive(json, "wal_state");
	char reason[SC_REASON_BYTES];
	enum sc_status absent;
	int status = 0, state = SC_WAL_RECYCLED;
	int r;

	r = sc_report_get_fields(json, &sc_report_cell_name_fields, place, cell, error);
	if (r == 0 && cJSON_GetObjectItemCaseSensitive(json, "rate_per_s"))
		r = sc_report_get_u64_plain(json, "rate_per_s", place, &cell->rate, error);
	if (r == 0)
		r = sc_report_get_short_text(json, "suite_digest", place, cell->suite_digest,
					     sizeof(cell->suite_digest), error);
	if (r == 0 && !sc_json_is_absent(wal_state, &absent, reason, sizeof(reason))) {
		r = sc_report_get_name(json, "wal_state", place, wal_state_name,
				       SC_WAL_STATE_COUNT_, &state, error);
		cell->uses_wal_state = true;
	}
	if (r == 0)
		r = sc_json_get_setting(json, "setting", place, &cell->setting, error);
	if (r == 0)
		r = sc_json_get_setting(json, "effective", place, &cell->effective, error);
	if (r == 0)
		r = sc_report_get_text(json, "same_as", place, &cell->same_as, error);
	if (r == 0)
		r = sc_report_get_text(json, "same_as_reason", place, &cell->same_as_reason, error);
	if (r == 0)
		r = sc_report_get_name(json, "status", place, status_name, SC_STATUS_COUNT_,
				       &status, error);
	if (r == 0)
		r = sc_report_get_text(json, "reason", place, &cell->reason, error);
	if (r == 0)
		r = sc_report_get_bool(json, "verified", place, &cell->verified, error);
	cell->wal_state = (enum sc_wal_state)state;
	cell->status = (enum sc_status)status;
	return r;
}

/* Names that every table prints: they must be there. */
static int check_identity(const struct sc_cell *cell, struct sc_json_place place,
			  struct sc_error *error)
{
	if (!cell->id || !cell->target || !cell->suite || !cell->workload || !cell->unit ||
	    !cell->store || !cell->device || !cell->clock || !cell->layers)
		return sc_json_fail(place,
				    "id, target, suite, workload, unit, store, device, clock, "
				    "layers",
				    "must be texts", error);
	return 0;
}

/* A report of an earlier version does not have the key. */
static int get_ended(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
		     struct sc_error *error)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "ended");
	char reason[SC_REASON_BYTES];
	enum sc_status absent;
	int ended = SC_ENDED_NOT;
	int r;

	if (!item || sc_json_is_absent(item, &absent, reason, sizeof(reason)))
		return 0;
	r = sc_report_get_name(json, "ended", place, ended_name, SC_ENDED_COUNT_, &ended, error);
	cell->ended = (enum sc_ended)ended;
	return r;
}

static int get_timing(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
		      struct sc_error *error)
{
	const cJSON *cpu_wall = cJSON_GetObjectItemCaseSensitive(json, "cpu_wall");
	char reason[SC_REASON_BYTES];
	int r;

	/* The reader of latencies wants one that holds nothing, not one that was not run. */
	cell->op_ns = cell->commit_ns = (struct sc_latency){.status = SC_MEASURED};
	r = sc_report_get_u64_plain(json, "operations", place, &cell->operations, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "commits", place, &cell->commits, error);
	if (r == 0)
		r = get_interval(json, "ops_per_s", place, &cell->ops_per_s, error);
	if (r == 0)
		r = get_interval(json, "commits_per_s", place, &cell->commits_per_s, error);
	if (r == 0)
		r = get_ended(json, place, cell, error);
	if (r == 0)
		r = sc_json_get_latency(json, "op_ns", place, &cell->op_ns, error);
	if (r == 0)
		r = sc_json_get_latency(json, "commit_ns", place, &cell->commit_ns, error);
	if (r == 0 &&
	    !sc_json_is_absent(cpu_wall, &cell->cpu_wall_status, reason, sizeof(reason))) {
		r = sc_report_get_number(json, "cpu_wall", place, &cell->cpu_wall, error);
		cell->cpu_wall_status = SC_MEASURED;
	}
	if (r == 0)
		r = sc_report_get_u64_plain(json, "busy_retries", place, &cell->busy_retries,
					    error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "checkpoints_seen", place,
					    &cell->checkpoints_seen, error);
	return r < 0 ? r : sc_json_get_company(json, place, &cell->company, error);
}

static int get_axis(const cJSON *json, struct sc_json_place place, uint64_t *values,
		    struct sc_error *error)
{
	int r = 0;

	for (int p = 0; r == 0 && p < SC_PART_COUNT_; p++)
		r = sc_report_get_u64_plain(json, syncost_part_name((enum sc_part)p), place,
					    &values[p], error);
	return r;
}

static int get_split(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
		     struct sc_error *error)
{
	struct sc_split *split = &cell->split;
	const cJSON *child = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < SC_REPORT_AXES; i++) {
		const struct sc_report_axis *axis = &sc_report_axes[i];
		struct sc_json_place inside = {place.subject, axis->key};

		r = sc_json_get_object(json, axis->key, place, &child, error);
		if (r < 0)
			return r;
		if (i == 0)
			split->status = SC_MEASURED;
		if (sc_json_is_absent(child, &split->status, split->reason, sizeof(split->reason)))
			continue;
		r = get_axis(child, inside, (void *)((char *)split + axis->offset), error);
		if (r < 0 || i > 0)
			continue;
		r = sc_report_get_u64_plain(child, "wall", inside, &split->total_ns, error);
		if (r == 0)
			r = sc_report_get_u64_plain(child, "instruments", inside, &split->own_ns,
						    error);
		if (r == 0 && sc_json_i64_value(cJSON_GetObjectItemCaseSensitive(child, "residual"),
						&split->residual_ns))
			r = sc_json_fail(inside, "residual", "must be an integer", error);
		split->reason[0] = '\0';
	}
	if (r == 0)
		r = sc_report_get_u64_plain(json, "checkpoint_ns", place, &cell->checkpoint_ns,
					    error);
	return r;
}

static int get_bound(const cJSON *json, struct sc_json_place place, struct sc_bound *bound,
		     struct sc_error *error)
{
	const cJSON *child = NULL;
	char reason[SC_REASON_BYTES];
	enum sc_status absent;
	int by = 0;
	int r;

	r = sc_json_get_object(json, "bound", place, &child, error);
	if (r < 0)
		return r;
	bound->status = SC_MEASURED;
	bound->reason[0] = '\0';
	if (sc_json_is_absent(child, &bound->status, bound->reason, sizeof(bound->reason)))
		return 0;
	place.path = "bound";
	r = sc_report_get_name(child, "by", place, bound_name, SC_BOUND_COUNT_, &by, error);
	bound->by = (enum sc_bound_by)by;
	if (r == 0)
		r = sc_report_get_number(child, "share", place, &bound->share, error);
	if (r == 0 &&
	    !sc_json_is_absent(cJSON_GetObjectItemCaseSensitive(child, "if_free_ops_per_s"),
			       &absent, reason, sizeof(reason)))
		r = sc_report_get_number(child, "if_free_ops_per_s", place,
					 &bound->if_free_ops_per_s, error);
	return r;
}

static int get_syncs(const cJSON *json, struct sc_json_place place, struct sc_syncs *syncs,
		     struct sc_error *error)
{
	const cJSON *child = NULL;
	int r;

	r = sc_json_get_object(json, "syncs", place, &child, error);
	if (r < 0)
		return r;
	syncs->status = syncs->physical_status = syncs->vfs_status = SC_MEASURED;
	syncs->reason[0] = '\0';
	if (sc_json_is_absent(child, &syncs->status, syncs->reason, sizeof(syncs->reason))) {
		syncs->physical_status = syncs->vfs_status = syncs->status;
		return 0;
	}
	place.path = "syncs";
	if (!sc_json_is_absent(cJSON_GetObjectItemCaseSensitive(child, "vfs"), &syncs->vfs_status,
			       syncs->reason, sizeof(syncs->reason)))
		r = sc_report_get_fields(child, &sc_report_syncs_fields, place, syncs, error);
	if (r < 0)
		return r;
	if (sc_json_is_absent(cJSON_GetObjectItemCaseSensitive(child, "physical"),
			      &syncs->physical_status, syncs->reason, sizeof(syncs->reason)))
		return 0;
	return sc_report_get_fields(child, &sc_report_physical_fields, place, syncs, error);
}

static int get_checkpoints(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
			   struct sc_error *error)
{
	const cJSON *child = NULL;
	char reason[SC_REASON_BYTES];
	enum sc_status absent;
	int r;

	r = sc_json_get_object(json, "checkpoints", place, &child, error);
	if (r < 0 || sc_json_is_absent(child, &absent, reason, sizeof(reason)))
		return r;
	place.path = "checkpoints";
	return sc_report_get_fields(child, &sc_report_checkpoints_fields, place, &cell->checkpoints,
				    error);
}

static int get_written(const cJSON *json, struct sc_json_place place, struct sc_space *space,
		       struct sc_error *error)
{
	const cJSON *child = NULL;
	int r;

	r = sc_json_get_object(json, "written", place, &child, error);
	if (r < 0)
		return r;
	place.path = "space.written";
	r = sc_report_get_u64_plain(child, "vfs_bytes", place, &space->vfs_bytes, error);
	if (r == 0)
		r = sc_report_get_u64(child, "page_cache_bytes", place, &space->page_cache_bytes,
				      &space->page_cache_status, error);
	return r;
}

static int get_space(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
		     struct sc_error *error)
{
	const cJSON *child = NULL;
	char reason[SC_REASON_BYTES];
	enum sc_status absent;
	int r;

	r = sc_json_get_object(json, "space", place, &child, error);
	if (r < 0)
		return r;
	if (sc_json_is_absent(child, &absent, reason, sizeof(reason))) {
		cell->space.page_cache_status = absent;
		return 0;
	}
	place.path = "space";
	r = sc_report_get_fields(child, &sc_report_space_fields, place, &cell->space, error);
	if (r == 0 && sc_report_has_ledger(cell))
		r = sc_report_get_fields(child, &sc_report_ledger_space_fields, place, &cell->space,
					 error);
	if (r == 0)
		r = get_written(child, place, &cell->space, error);
	return r;
}

static int get_ledger(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
		      struct sc_error *error)
{
	const cJSON *cost = cJSON_GetObjectItemCaseSensitive(json, "instrument_cost");
	const cJSON *io = cJSON_GetObjectItemCaseSensitive(json, "io");
	char reason[SC_REASON_BYTES];
	enum sc_status absent;
	int r;

	r = sc_report_get_u64_plain(json, "ledger_ops", place, &cell->ledger_ops, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "ledger_commits", place, &cell->ledger_commits,
					    error);
	if (r == 0)
		r = get_split(json, place, cell, error);
	if (r == 0 && !sc_json_is_absent(cost, &absent, reason, sizeof(reason)))
		r = sc_report_get_number(json, "instrument_cost", place, &cell->instrument_cost,
					 error);
	if (r == 0)
		r = get_bound(json, place, &cell->bound, error);
	if (r == 0)
		r = get_syncs(json, place, &cell->syncs, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "calls_dropped", place, &cell->calls_dropped,
					    error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "major_faults", place, &cell->major_faults,
					    error);
	if (r == 0)
		r = sc_json_get_work(json, place, &cell->work, error);
	if (r == 0)
		r = sc_json_get_memory(json, place, &cell->memory, error);
	if (r == 0 && !sc_json_is_absent(io, &absent, reason, sizeof(reason)))
		r = sc_json_get_io(json, "io", place, &cell->io, &cell->io_count, error);
	if (r == 0)
		r = get_checkpoints(json, place, cell, error);
	return r;
}

/* A report of an earlier version does not have the key. */
static int get_other_io(const cJSON *json, struct sc_json_place place,
			struct sc_cell_sample *sample, struct sc_error *error)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "other_io_bytes");

	if (!item) {
		sample->other_io_status = SC_SKIPPED;
		(void)snprintf(sample->other_io_reason, sizeof(sample->other_io_reason),
			       "the version that wrote the report did not measure it");
		return 0;
	}
	if (sc_json_is_absent(item, &sample->other_io_status, sample->other_io_reason,
			      sizeof(sample->other_io_reason)))
		return 0;
	return sc_report_get_u64(json, "other_io_bytes", place, &sample->other_io_bytes,
				 &sample->other_io_status, error);
}

static int get_sample(const cJSON *json, struct sc_json_place place, struct sc_cell_sample *sample,
		      struct sc_error *error)
{
	int kind = 0;
	int r;

	r = sc_report_get_name(json, "kind", place, kind_name, SC_SAMPLE_KIND_COUNT_, &kind, error);
	if (r == 0)
		r = sc_report_get_fields(json, &sc_report_sample_fields, place, sample, error);
	if (r == 0)
		r = sc_report_get_u64(json, "steal_ns", place, &sample->steal_ns,
				      &sample->steal_status, error);
	if (r == 0)
		r = sc_report_get_u64(json, "run_delay_ns", place, &sample->run_delay_ns,
				      &sample->run_delay_status, error);
	if (r == 0)
		r = get_other_io(json, place, sample, error);
	if (r == 0 && cJSON_HasObjectItem(json, "reference_ns")) /* older reports have none */
		r = sc_report_get_u64_plain(json, "reference_ns", place, &sample->reference_ns,
					    error);
	sample->kind = (enum sc_sample_kind)kind;
	return r;
}

static int get_samples(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
		       struct sc_error *error)
{
	const cJSON *list = NULL, *item;
	int r;

	r = sc_report_get_array(json, "samples", place, &list, error);
	if (r < 0 || cJSON_GetArraySize(list) == 0)
		return r;
	cell->samples = calloc((size_t)cJSON_GetArraySize(list), sizeof(*cell->samples));
	if (!cell->samples)
		return sc_fail(error, -ENOMEM, "reading %s", place.subject);
	place.path = "samples";
	cJSON_ArrayForEach(item, list)
	{
		r = get_sample(item, place, &cell->samples[cell->sample_count++], error);
		if (r < 0)
			return r;
	}
	return 0;
}

int sc_report_get_cell(const cJSON *json, struct sc_json_place place, struct sc_cell *cell,
		       struct sc_error *error)
{
	int r;

	r = get_identity(json, place, cell, error);
	if (r == 0)
		r = check_identity(cell, place, error);
	if (r == 0)
		r = get_timing(json, place, cell, error);
	if (r == 0)
		r = get_ledger(json, place, cell, error);
	if (r == 0)
		r = get_space(json, place, cell, error);
	if (r == 0)
		r = get_samples(json, place, cell, error);
	if (r == 0)
		r = sc_report_get_findings(json, place, &cell->findings, error);
	return r;
}
