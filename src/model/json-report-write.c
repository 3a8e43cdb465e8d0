/* SPDX-License-Identifier: MIT */

/*
 * Writing summary.json. Each line is built as a JSON tree and printed; building stops at the first
 * allocation that fails and says so at its end. Floating-point figures are checked before, since
 * JSON has no way to say NaN or infinity.
 */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "format.h"
#include "json-report.h"
#include "json-work.h"
#include "syncost.h"

#define KERNEL_SILENT "the kernel does not say"

/* cJSON would print 15 digits and accept what is near: then a figure read back is another. */
static bool put_number(cJSON *json, const char *key, double value)
{
	char text[SC_FORMAT_BYTES];

	return cJSON_AddRawToObject(json, key, sc_format_number(value, text, sizeof(text))) != NULL;
}

static bool put_bool(cJSON *json, const char *key, bool value)
{
	return cJSON_AddBoolToObject(json, key, value) != NULL;
}

static bool put_fields(cJSON *json, const struct sc_json_fields *fields, const void *from)
{
	return sc_json_put_fields(json, fields->rows, fields->count, from);
}

/* The same rows, as not measured. */
static bool put_fields_absent(cJSON *json, const struct sc_json_fields *fields,
			      enum sc_status status, const char *reason)
{
	for (size_t i = 0; i < fields->count; i++) {
		if (!sc_json_put_absent(json, fields->rows[i].key, status, reason))
			return false;
	}
	return true;
}

static bool put_text_or_absent(cJSON *json, const char *key, const char *text,
			       enum sc_status status, const char *reason)
{
	if (text && text[0])
		return sc_json_put_text(json, key, text);
	return sc_json_put_absent(json, key, status, reason);
}

static bool put_u64_or_absent(cJSON *json, const char *key, uint64_t value, enum sc_status status,
			      const char *reason)
{
	if (status == SC_MEASURED)
		return sc_json_put_u64(json, key, value);
	return sc_json_put_absent(json, key, status, reason);
}

static cJSON *build_finding(const struct sc_finding *finding, bool *ret_complete)
{
	cJSON *json = cJSON_CreateObject();

	*ret_complete = sc_json_put_text(json, "code", finding->code) &&
			sc_json_put_text(json, "severity", sc_severity_name(finding->severity)) &&
			sc_json_put_text(json, "text", finding->text) &&
			sc_json_put_text(json, "next", finding->next);
	return json;
}

/* Takes @item, also where it cannot be added. */
static bool add_item(cJSON *list, cJSON *item, bool complete)
{
	if (item && cJSON_AddItemToArray(list, item))
		return complete;
	cJSON_Delete(item);
	return false;
}

static bool put_findings(cJSON *json, const struct sc_findings *findings)
{
	cJSON *list = cJSON_AddArrayToObject(json, "findings");

	for (size_t i = 0; list && i < findings->count; i++) {
		bool complete;
		cJSON *item = build_finding(&findings->items[i], &complete);

		if (!add_item(list, item, complete))
			return false;
	}
	return list != NULL;
}

static int fail_write(struct sc_error *error)
{
	return sc_fail(error, errno ? -errno : -EIO, "writing the report");
}

/* Prints and frees @json. @before and @after stand on the same line. */
static int print_line(FILE *out, const char *before, cJSON *json, bool complete, const char *after,
		      struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *text = complete ? cJSON_PrintUnformatted(json) : NULL;

	cJSON_Delete(json);
	if (!text)
		return sc_fail(error, -ENOMEM, "building the report's JSON");
	errno = 0;
	if (fprintf(out, "%s%s%s", before, text, after) < 0)
		return fail_write(error);
	return 0;
}

/* --- the head */

static cJSON *build_tool(const struct sc_report_head *head, bool *ret_complete)
{
	cJSON *json = cJSON_CreateObject();

	*ret_complete = sc_json_put_text(json, "version", head->tool_version) &&
			put_text_or_absent(json, "commit", head->tool_commit, SC_UNSUPPORTED,
					   "built outside of a repository") &&
			put_bool(json, "dirty", head->tool_dirty);
	return json;
}

static cJSON *build_host(const struct sc_report_head *head, bool *ret_complete)
{
	cJSON *json = cJSON_CreateObject();

	*ret_complete = put_fields(json, &sc_report_host_fields, head);
	return json;
}

static cJSON *build_sqlite(const struct sc_report_head *head, bool *ret_complete)
{
	cJSON *json = cJSON_CreateObject();
	cJSON *options = NULL;

	*ret_complete = sc_json_put_text(json, "version", head->sqlite_version) &&
			sc_json_put_text(json, "source_id", head->sqlite_source_id) &&
			put_text_or_absent(json, "sync_call", head->sync_call, SC_SKIPPED,
					   "no sync was seen") &&
			(options = cJSON_AddArrayToObject(json, "compile_options"));
	for (size_t i = 0; *ret_complete && i < head->compile_option_count; i++)
		*ret_complete = add_item(options, sc_json_new_text(head->compile_options[i]), true);
	return json;
}

static bool put_looks(cJSON *json, const struct sc_stop_rule *rule)
{
	cJSON *list = cJSON_AddArrayToObject(json, "looks");

	for (size_t i = 0; list && i < rule->look_count; i++) {
		cJSON *item = cJSON_CreateObject();

		if (!add_item(list, item, true) ||
		    !sc_json_put_u64(item, "samples", rule->looks[i].samples) ||
		    !sc_json_put_u64(item, "rank", rule->looks[i].rank))
			return false;
	}
	return list != NULL;
}

static bool put_simulated(cJSON *json, const struct sc_sampling *sampling)
{
	cJSON *child;

	if (sampling->simulated.draws == 0)
		return sc_json_put_absent(json, "simulated", SC_SKIPPED, "no trial was run");
	child = cJSON_AddObjectToObject(json, "simulated");
	return sc_json_put_u64(child, "draws", sampling->simulated.draws) &&
	       sc_json_put_u64(child, "distributions", SC_STOP_TRIALS) &&
	       put_number(child, "lowest", sampling->simulated.lowest) &&
	       sc_json_put_text(child, "distribution",
				sc_stop_shape_name(sampling->simulated.shape)) &&
	       put_number(child, "spread", sampling->simulated.spread);
}

/* Keys that are about the stopping rule alone, as not measured. */
static bool put_no_rule(cJSON *json, const char *const *keys, size_t count, const char *reason)
{
	for (size_t i = 0; i < count; i++) {
		if (!sc_json_put_absent(json, keys[i], SC_SKIPPED, reason))
			return false;
	}
	return true;
}

static bool put_sampling(cJSON *json, const struct sc_sampling *sampling)
{
	static const char *const keys[] = {"pilot", "time_ns",  "samples_max",
					   "looks", "coverage", "simulated"};
	const struct sc_stop_rule *rule = &sampling->rule;

	if (!put_number(json, "confidence", SC_CONFIDENCE))
		return false;
	if (sampling->samples > 0)
		return sc_json_put_u64(json, "samples", sampling->samples) &&
		       put_no_rule(json, keys, SC_ARRAY_COUNT(keys),
				   "a fixed number of samples was asked for");
	if (!sc_json_put_absent(json, "samples", SC_SKIPPED, "as many as the precision takes"))
		return false;
	if (sampling->pilot == 0)
		return put_no_rule(json, keys, SC_ARRAY_COUNT(keys), "it is not known");
	if (!sc_json_put_u64(json, "pilot", sampling->pilot) ||
	    !sc_json_put_u64(json, "time_ns", sampling->time_ns))
		return false;
	if (rule->look_count == 0)
		return put_no_rule(json, keys + 2, SC_ARRAY_COUNT(keys) - 2,
				   "planned only when the first round is over");
	return sc_json_put_u64(json, "samples_max", rule->looks[rule->look_count - 1].samples) &&
	       put_looks(json, rule) && put_number(json, "coverage", rule->coverage) &&
	       put_simulated(json, sampling);
}

static bool put_load(cJSON *json, const struct sc_report_head *head)
{
	if (head->load_status == SC_SKIPPED)
		return true; /* of a version that did not look */
	if (head->load_status != SC_MEASURED)
		return sc_json_put_absent(json, "load", head->load_status, KERNEL_SILENT);
	return put_number(json, "load", head->load);
}

static cJSON *build_plan(const struct sc_report_head *head, bool *ret_complete)
{
	cJSON *json = cJSON_CreateObject();

	*ret_complete = sc_json_put_u64(json, "seed", head->seed) &&
			sc_json_put_text(json, "order", head->order) &&
			sc_json_put_text(json, "started", head->started) &&
			put_text_or_absent(json, "finished", head->finished, SC_SKIPPED,
					   "the run was not over") &&
			put_bool(json, "complete", head->complete) &&
			sc_json_put_u64(json, "rounds", head->rounds) &&
			sc_json_put_u64(json, "resumed", head->resumed) && put_load(json, head) &&
			put_number(json, "precision",
				   head->precision > 0 ? head->precision : SC_PRECISION_DEFAULT) &&
			put_sampling(json, &head->sampling) &&
			sc_json_put_u64(json, "cell_count", head->cell_count) &&
			sc_json_put_setting(json, "base", &head->base);
	return json;
}

/* What a version before this one did not look for: left out where it is not known. */
static bool put_more_facts(cJSON *json, const struct sc_target *target)
{
	const struct {
		const char *key, *text;
	} texts[] = {
		{"model", target->model},
		{"fua", target->fua},
		{"scheduler", target->scheduler},
		{"discard", target->discard},
	};

	for (size_t i = 0; i < SC_ARRAY_COUNT(texts); i++) {
		if (texts[i].text && !sc_json_put_text(json, texts[i].key, texts[i].text))
			return false;
	}
	return put_bool(json, "in_memory", target->in_memory) &&
	       put_bool(json, "network", target->is_network);
}

static cJSON *build_target(const struct sc_report_head *head, size_t index, bool *ret_complete)
{
	const struct sc_target *target = &head->targets[index];
	cJSON *json = cJSON_CreateObject();
	enum sc_status rotational = target->rotational_status;
	const char *floor_reason =
		target->sync_floor_reason ? target->sync_floor_reason : "it was not measured";
	const char *uring_reason =
		target->uring_floor_reason ? target->uring_floor_reason : "it was not measured";

	*ret_complete =
		sc_json_put_text(json, "label", target->label) &&
		sc_json_put_text(json, "path", target->path) &&
		put_text_or_absent(json, "filesystem", target->filesystem, SC_UNSUPPORTED,
				   KERNEL_SILENT) &&
		put_text_or_absent(json, "mount_options", target->mount_options, SC_UNSUPPORTED,
				   KERNEL_SILENT) &&
		put_text_or_absent(json, "storage", target->storage, SC_UNSUPPORTED,
				   KERNEL_SILENT) &&
		(rotational == SC_MEASURED
			 ? put_bool(json, "rotational", target->rotational)
			 : sc_json_put_absent(json, "rotational", rotational, KERNEL_SILENT)) &&
		put_text_or_absent(json, "write_cache", target->write_cache, SC_UNSUPPORTED,
				   KERNEL_SILENT) &&
		put_text_or_absent(json, "disk", target->disk, SC_UNSUPPORTED,
				   target->disk_reason ? target->disk_reason : KERNEL_SILENT) &&
		put_more_facts(json, target) &&
		put_u64_or_absent(json, "sync_floor_ns_p50", target->sync_floor_ns_p50,
				  target->sync_floor_status, floor_reason) &&
		sc_json_put_u64(json, "sync_floor_n", target->sync_floor_n) &&
		put_u64_or_absent(json, "uring_floor_ns_p50", target->uring_floor_ns_p50,
				  target->uring_floor_status, uring_reason) &&
		put_findings(json, &target->findings);
	return json;
}

static cJSON *build_head_finding(const struct sc_report_head *head, size_t index,
				 bool *ret_complete)
{
	return build_finding(&head->findings.items[index], ret_complete);
}

/* Of a recommended rate; what was read from a report without it has none. */
static bool put_interval_of(cJSON *json, const struct sc_interval *rate)
{
	return put_number(json, "low", rate->low) && put_number(json, "high", rate->high) &&
	       sc_json_put_u64(json, "n", rate->n) &&
	       put_number(json, "coverage", rate->coverage) &&
	       cJSON_AddBoolToObject(json, "converged", rate->converged);
}

static cJSON *build_recommendation(const struct sc_report_head *head, size_t index,
				   bool *ret_complete)
{
	const struct sc_recommendation *recommendation = &head->recommendations[index];
	const struct sc_interval *rate = &recommendation->commits_per_s;
	cJSON *json = cJSON_CreateObject();

	*ret_complete = (rate->n == 0 || put_interval_of(json, rate)) &&
			sc_json_put_text(json, "target", recommendation->target) &&
			sc_json_put_text(json, "workload", recommendation->workload) &&
			sc_json_put_text(json, "loss", sc_loss_name(recommendation->loss)) &&
			sc_json_put_text(json, "label", recommendation->label) &&
			sc_json_put_text(json, "pragmas", recommendation->pragmas) &&
			put_number(json, "commits_per_s", rate->median) &&
			sc_json_put_text(json, "sentence", recommendation->sentence);
	return json;
}

/* An array of the head: a line each element. */
static int write_array(FILE *out, const struct sc_report_head *head, const char *key, size_t count,
		       cJSON *(*build)(const struct sc_report_head *head, size_t index,
				       bool *ret_complete),
		       struct sc_error *error)
{
	int r = 0;

	errno = 0;
	if (fprintf(out, "\"%s\":[\n", key) < 0)
		return fail_write(error);
	for (size_t i = 0; r == 0 && i < count; i++) {
		bool complete;
		cJSON *json = build(head, i, &complete);

		r = print_line(out, "", json, complete, i + 1 < count ? ",\n" : "\n", error);
	}
	if (r == 0 && fputs("],\n", out) < 0)
		return fail_write(error);
	return r;
}

static int check_head(const struct sc_report_head *head, struct sc_error *error)
{
	for (size_t i = 0; i < head->recommendation_count; i++) {
		if (!isfinite(head->recommendations[i].commits_per_s.median))
			return sc_fail(error, SC_E_FORMAT,
				       "report: recommendations[%zu].commits_per_s is not a "
				       "finite number",
				       i);
	}
	if (!isfinite(head->sampling.rule.coverage) || !isfinite(head->sampling.simulated.lowest) ||
	    !isfinite(head->sampling.simulated.spread))
		return sc_fail(error, SC_E_FORMAT,
			       "report: a figure of plan.coverage or plan.simulated is not a "
			       "finite number");
	if (!isfinite(head->precision))
		return sc_fail(error, SC_E_FORMAT, "report: plan.precision is not a finite number");
	return 0;
}

int sc_report_write_head(FILE *out, const struct sc_report_head *head, struct sc_error *error)
{
	static const struct {
		const char *before;
		cJSON *(*build)(const struct sc_report_head *head, bool *ret_complete);
	} objects[] = {
		{"\"tool\":", build_tool},
		{"\"host\":", build_host},
		{"\"sqlite\":", build_sqlite},
		{"\"plan\":", build_plan},
	};
	int r;

	r = check_head(head, error);
	if (r < 0)
		return r;
	errno = 0;
	if (fprintf(out, "{\"format\":\"%s\",\"kind\":\"%s\",\n", SC_REPORT_FORMAT, head->kind) < 0)
		return fail_write(error);
	for (size_t i = 0; i < SC_ARRAY_COUNT(objects); i++) {
		bool complete;
		cJSON *json = objects[i].build(head, &complete);

		r = print_line(out, objects[i].before, json, complete, ",\n", error);
		if (r < 0)
			return r;
	}
	r = write_array(out, head, "targets", head->target_count, build_target, error);
	if (r == 0)
		r = write_array(out, head, "findings", head->findings.count, build_head_finding,
				error);
	if (r == 0)
		r = write_array(out, head, "recommendations", head->recommendation_count,
				build_recommendation, error);
	if (r == 0 && fputs(SC_REPORT_CELLS_LINE "\n", out) < 0)
		return fail_write(error);
	return r;
}

/* --- cells */

static bool put_interval(cJSON *json, const char *key, const struct sc_interval *interval)
{
	cJSON *child;

	if (interval->status != SC_MEASURED)
		return sc_json_put_absent(json, key, interval->status, interval->reason);
	child = cJSON_AddObjectToObject(json, key);
	return put_number(child, "median", interval->median) &&
	       put_number(child, "low", interval->low) &&
	       put_number(child, "high", interval->high) &&
	       sc_json_put_u64(child, "n", interval->n) &&
	       put_number(child, "coverage", interval->coverage) &&
	       put_bool(child, "converged", interval->converged);
}

/* A cell that has not got a rate yet says why, as its figures do. */
static const char *reason_of(const struct sc_cell *cell)
{
	if (cell->reason || cell->ops_per_s.status == SC_MEASURED || !cell->ops_per_s.reason[0])
		return cell->reason;
	return cell->ops_per_s.reason;
}

static bool put_identity(cJSON *json, const struct sc_cell *cell)
{
	return put_fields(json, &sc_report_cell_name_fields, cell) &&
	       (cell->rate == 0 || sc_json_put_u64(json, "rate_per_s", cell->rate)) &&
	       sc_json_put_text(json, "suite_digest", cell->suite_digest) &&
	       (cell->uses_wal_state
			? sc_json_put_text(json, "wal_state", sc_wal_state_name(cell->wal_state))
			: sc_json_put_absent(json, "wal_state", SC_UNSUPPORTED,
					     "the journal is not a WAL")) &&
	       sc_json_put_setting(json, "setting", &cell->setting) &&
	       sc_json_put_setting(json, "effective", &cell->effective) &&
	       sc_json_put_text(json, "same_as", cell->same_as) &&
	       sc_json_put_text(json, "same_as_reason", cell->same_as_reason) &&
	       sc_json_put_text(json, "status", sc_status_name(cell->status)) &&
	       sc_json_put_text(json, "reason", reason_of(cell)) &&
	       put_bool(json, "verified", cell->verified);
}

static bool put_timing(cJSON *json, const struct sc_cell *cell)
{
	enum sc_status status = cell->ops_per_s.status;
	const char *reason = cell->ops_per_s.reason;

	return put_u64_or_absent(json, "operations", cell->operations, status, reason) &&
	       put_u64_or_absent(json, "commits", cell->commits, status, reason) &&
	       put_interval(json, "ops_per_s", &cell->ops_per_s) &&
	       put_interval(json, "commits_per_s", &cell->commits_per_s) &&
	       (cell->ended != SC_ENDED_NOT
			? sc_json_put_text(json, "ended", sc_ended_name(cell->ended))
			: sc_json_put_absent(json, "ended", SC_SKIPPED,
					     "it was to get more samples, or failed")) &&
	       sc_json_put_latency(json, "op_ns", &cell->op_ns) &&
	       sc_json_put_latency(json, "commit_ns", &cell->commit_ns) &&
	       (cell->cpu_wall_status == SC_MEASURED
			? put_number(json, "cpu_wall", cell->cpu_wall)
			: sc_json_put_absent(json, "cpu_wall", cell->cpu_wall_status, reason)) &&
	       put_u64_or_absent(json, "busy_retries", cell->busy_retries, status, reason) &&
	       put_u64_or_absent(json, "checkpoints_seen", cell->checkpoints_seen, status,
				 reason) &&
	       sc_json_put_company(json, &cell->company);
}

static bool put_axis(cJSON *json, const struct sc_split *split, const struct sc_report_axis *axis)
{
	const uint64_t *values = (const void *)((const char *)split + axis->offset);

	for (int p = 0; p < SC_PART_COUNT_; p++) {
		if (!sc_json_put_u64(json, syncost_part_name((enum sc_part)p), values[p]))
			return false;
	}
	return true;
}

static bool put_split(cJSON *json, const struct sc_cell *cell)
{
	const struct sc_split *split = &cell->split;
	uint64_t run_delay_ns = 0;

	for (size_t i = 0; i < SC_REPORT_AXES; i++) {
		const struct sc_report_axis *axis = &sc_report_axes[i];
		cJSON *child;

		if (split->status != SC_MEASURED) {
			if (!sc_json_put_absent(json, axis->key, split->status, split->reason))
				return false;
			continue;
		}
		child = cJSON_AddObjectToObject(json, axis->key);
		if (i == 0 && !sc_json_put_u64(child, "wall", split->total_ns))
			return false;
		if (!put_axis(child, split, axis))
			return false;
		if (i == 0 && (!sc_json_put_u64(child, "instruments", split->own_ns) ||
			       !sc_json_put_i64(child, "residual", split->residual_ns)))
			return false;
	}
	for (int p = 0; p < SC_PART_COUNT_; p++)
		run_delay_ns += split->run_delay_ns[p];
	return put_u64_or_absent(json, "run_delay_ns", run_delay_ns, split->status,
				 split->reason) &&
	       put_u64_or_absent(json, "checkpoint_ns", cell->checkpoint_ns, split->status,
				 split->reason);
}

static bool put_bound(cJSON *json, const struct sc_bound *bound)
{
	cJSON *child;

	if (bound->status != SC_MEASURED)
		return sc_json_put_absent(json, "bound", bound->status, bound->reason);
	child = cJSON_AddObjectToObject(json, "bound");
	return sc_json_put_text(child, "by", sc_bound_name(bound->by)) &&
	       put_number(child, "share", bound->share) &&
	       (bound->if_free_ops_per_s > 0
			? put_number(child, "if_free_ops_per_s", bound->if_free_ops_per_s)
			: sc_json_put_absent(child, "if_free_ops_per_s", SC_SKIPPED,
					     "there is no rate, nothing else takes time, or it is "
					     "a wait for other clients"));
}

static bool put_syncs(cJSON *json, const struct sc_cell *cell)
{
	const struct sc_syncs *syncs = &cell->syncs;
	cJSON *child;

	if (syncs->status != SC_MEASURED)
		return sc_json_put_absent(json, "syncs", syncs->status, syncs->reason);
	child = cJSON_AddObjectToObject(json, "syncs");
	if (!(syncs->vfs_status == SC_MEASURED
		      ? put_fields(child, &sc_report_syncs_fields, syncs)
		      : put_fields_absent(child, &sc_report_syncs_fields, syncs->vfs_status,
					  syncs->reason)))
		return false;
	if (syncs->physical_status != SC_MEASURED)
		return put_fields_absent(child, &sc_report_physical_fields, syncs->physical_status,
					 syncs->reason) &&
		       sc_json_put_absent(child, "per_commit", syncs->physical_status,
					  syncs->reason);
	return put_fields(child, &sc_report_physical_fields, syncs) &&
	       (cell->ledger_commits
			? put_number(child, "per_commit",
				     (double)syncs->physical / (double)cell->ledger_commits)
			: sc_json_put_absent(child, "per_commit", SC_SKIPPED, SC_REPORT_NO_COMMIT));
}

static bool put_written(cJSON *json, const struct sc_cell *cell, enum sc_status ledger)
{
	const struct sc_space *space = &cell->space;
	cJSON *child = cJSON_AddObjectToObject(json, "written");
	bool no_vfs = ledger == SC_MEASURED && cell->syncs.vfs_status != SC_MEASURED;

	return put_u64_or_absent(child, "vfs_bytes", space->vfs_bytes,
				 no_vfs ? cell->syncs.vfs_status : ledger,
				 no_vfs ? cell->syncs.reason : SC_REPORT_NO_LEDGER) &&
	       put_u64_or_absent(child, "page_cache_bytes", space->page_cache_bytes,
				 space->page_cache_status, KERNEL_SILENT) &&
	       sc_json_put_absent(child, "storage_bytes", SC_UNSUPPORTED,
				  "what reaches the storage is not counted");
}

static bool put_space(cJSON *json, const struct sc_cell *cell)
{
	const struct sc_space *space = &cell->space;
	enum sc_status ledger = sc_report_has_ledger(cell) ? SC_MEASURED : SC_SKIPPED;
	cJSON *child;

	if (!sc_report_has_timing(cell) && !sc_report_has_ledger(cell))
		return sc_json_put_absent(json, "space", cell->ops_per_s.status,
					  cell->ops_per_s.reason);
	child = cJSON_AddObjectToObject(json, "space");
	return put_fields(child, &sc_report_space_fields, space) &&
	       (ledger == SC_MEASURED ? put_fields(child, &sc_report_ledger_space_fields, space)
				      : put_fields_absent(child, &sc_report_ledger_space_fields,
							  SC_SKIPPED, SC_REPORT_NO_LEDGER)) &&
	       put_written(child, cell, ledger) &&
	       (ledger == SC_MEASURED && cell->syncs.vfs_status != SC_MEASURED
			? sc_json_put_absent(child, "write_amplification", cell->syncs.vfs_status,
					     cell->syncs.reason)
		: ledger == SC_MEASURED && space->payload_bytes > 0
			? put_number(child, "write_amplification",
				     (double)space->vfs_bytes / (double)space->payload_bytes)
			: sc_json_put_absent(child, "write_amplification", SC_SKIPPED,
					     ledger == SC_MEASURED ? "nothing was stored"
								   : SC_REPORT_NO_LEDGER));
}

static bool put_ledger(cJSON *json, const struct sc_cell *cell)
{
	enum sc_status status = sc_report_has_ledger(cell) ? SC_MEASURED : cell->split.status;
	const char *reason = cell->split.reason;
	cJSON *child;

	if (!put_u64_or_absent(json, "ledger_ops", cell->ledger_ops, status, reason) ||
	    !put_u64_or_absent(json, "ledger_commits", cell->ledger_commits, status, reason) ||
	    !put_split(json, cell))
		return false;
	if (!(cell->instrument_cost > 0
		      ? put_number(json, "instrument_cost", cell->instrument_cost)
		      : sc_json_put_absent(json, "instrument_cost", SC_SKIPPED,
					   "it takes a timing and a ledger sample")) ||
	    !put_bound(json, &cell->bound) || !put_syncs(json, cell) ||
	    !put_u64_or_absent(json, "calls_dropped", cell->calls_dropped, status, reason) ||
	    !put_u64_or_absent(json, "major_faults", cell->major_faults, status, reason) ||
	    !sc_json_put_work(json, &cell->work) || !sc_json_put_memory(json, &cell->memory))
		return false;
	if (status != SC_MEASURED)
		return sc_json_put_absent(json, "io", status, reason) &&
		       sc_json_put_absent(json, "checkpoints", status, reason);
	if (!sc_json_put_io(json, "io", cell->io, cell->io_count))
		return false;
	child = cJSON_AddObjectToObject(json, "checkpoints");
	return put_fields(child, &sc_report_checkpoints_fields, &cell->checkpoints);
}

static bool put_sample(cJSON *list, const struct sc_cell_sample *sample)
{
	cJSON *item = cJSON_CreateObject();

	if (!add_item(list, item, true))
		return false;
	return sc_json_put_text(item, "kind", sc_sample_kind_name(sample->kind)) &&
	       put_fields(item, &sc_report_sample_fields, sample) &&
	       put_u64_or_absent(item, "steal_ns", sample->steal_ns, sample->steal_status,
				 KERNEL_SILENT) &&
	       put_u64_or_absent(item, "run_delay_ns", sample->run_delay_ns,
				 sample->run_delay_status, KERNEL_SILENT) &&
	       put_u64_or_absent(item, "other_io_bytes", sample->other_io_bytes,
				 sample->other_io_status, sample->other_io_reason) &&
	       put_u64_or_absent(item, "reference_ns", sample->reference_ns,
				 sample->reference_ns ? SC_MEASURED : SC_SKIPPED,
				 "it was not measured");
}

static bool put_samples(cJSON *json, const struct sc_cell *cell)
{
	cJSON *list = cJSON_AddArrayToObject(json, "samples");

	for (size_t i = 0; list && i < cell->sample_count; i++) {
		if (!put_sample(list, &cell->samples[i]))
			return false;
	}
	return list != NULL;
}

/* Figures that other kinds of report have. */
static bool put_others(cJSON *json)
{
	return sc_json_put_absent(json, "loss", SC_SKIPPED, "no power cut was tried") &&
	       sc_json_put_absent(json, "timeline", SC_SKIPPED, "no timeline was recorded");
}

static int check_cell(const struct sc_cell *cell, struct sc_error *error)
{
	const struct {
		const char *key;
		double value;
	} numbers[] = {
		{"ops_per_s.median", cell->ops_per_s.median},
		{"ops_per_s.low", cell->ops_per_s.low},
		{"ops_per_s.high", cell->ops_per_s.high},
		{"ops_per_s.coverage", cell->ops_per_s.coverage},
		{"commits_per_s.median", cell->commits_per_s.median},
		{"commits_per_s.low", cell->commits_per_s.low},
		{"commits_per_s.high", cell->commits_per_s.high},
		{"commits_per_s.coverage", cell->commits_per_s.coverage},
		{"cpu_wall", cell->cpu_wall},
		{"instrument_cost", cell->instrument_cost},
		{"memory.heap_bytes_per_op", cell->memory.heap_bytes_per_op},
		{"memory.heap_r2", cell->memory.heap_r2},
		{"memory.sqlite_bytes_per_op", cell->memory.sqlite_bytes_per_op},
		{"memory.sqlite_r2", cell->memory.sqlite_r2},
		{"bound.share", cell->bound.share},
		{"bound.if_free_ops_per_s", cell->bound.if_free_ops_per_s},
	};

	for (size_t i = 0; i < SC_ARRAY_COUNT(numbers); i++) {
		if (!isfinite(numbers[i].value))
			return sc_fail(error, SC_E_FORMAT,
				       "report: cell '%s': %s is not a finite number", cell->id,
				       numbers[i].key);
	}
	return 0;
}

int sc_report_write_cell(FILE *out, const struct sc_cell *cell, bool first, struct sc_error *error)
{
	cJSON *json;
	bool complete;
	int r;

	r = check_cell(cell, error);
	if (r < 0)
		return r;
	json = cJSON_CreateObject();
	complete = put_identity(json, cell) && put_timing(json, cell) && put_ledger(json, cell) &&
		   put_space(json, cell) && put_others(json) && put_samples(json, cell) &&
		   put_findings(json, &cell->findings);
	return print_line(out, first ? "" : ",\n", json, complete, "", error);
}

int sc_report_write_end(FILE *out, struct sc_error *error)
{
	errno = 0;
	if (fputs("\n" SC_REPORT_END_LINE "\n", out) < 0 || ferror(out))
		return fail_write(error);
	return 0;
}
