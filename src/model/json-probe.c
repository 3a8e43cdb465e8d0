/* SPDX-License-Identifier: MIT */

/*
 * A probe as JSON: syncost-probe(1) has the format. Everything of a directory but its rows is one
 * line, and each row is one.
 */

#include "json-probe.h"

#include <errno.h>
#include <string.h>

#include "json-field.h"
#include "judge.h"

#define KERNEL_SILENT "the kernel does not say"

static bool put_text_or_absent(cJSON *json, const char *key, const char *text)
{
	return text ? sc_json_put_text(json, key, text)
		    : sc_json_put_absent(json, key, SC_UNSUPPORTED, KERNEL_SILENT);
}

bool sc_json_put_probe_target(cJSON *json, const struct sc_target *target)
{
	enum sc_status rotational = target->rotational_status;

	return sc_json_put_text(json, "label", target->label) &&
	       sc_json_put_text(json, "path", target->path) &&
	       put_text_or_absent(json, "filesystem", target->filesystem) &&
	       put_text_or_absent(json, "mount_options", target->mount_options) &&
	       put_text_or_absent(json, "storage", target->storage) &&
	       put_text_or_absent(json, "disk", target->disk) &&
	       put_text_or_absent(json, "model", target->model) &&
	       (rotational == SC_MEASURED
			? cJSON_AddBoolToObject(json, "rotational", target->rotational) != NULL
			: sc_json_put_absent(json, "rotational", rotational, KERNEL_SILENT)) &&
	       put_text_or_absent(json, "write_cache", target->write_cache) &&
	       put_text_or_absent(json, "fua", target->fua) &&
	       put_text_or_absent(json, "scheduler", target->scheduler) &&
	       put_text_or_absent(json, "discard", target->discard) &&
	       cJSON_AddBoolToObject(json, "in_memory", sc_target_is_memory(target)) &&
	       cJSON_AddBoolToObject(json, "network", target->is_network) &&
	       cJSON_AddBoolToObject(json, "virtual", target->is_virtual) &&
	       cJSON_AddBoolToObject(json, "flush_disabled", target->flush_disabled);
}

bool sc_json_put_probe_tool(cJSON *json, const struct sc_probe_tool *tool)
{
	cJSON *program = cJSON_AddObjectToObject(json, "tool");
	cJSON *host = cJSON_AddObjectToObject(json, "host");

	if (!program || !host || !sc_json_put_text(program, "version", tool->version) ||
	    !sc_json_put_text(program, "commit", tool->commit) ||
	    !sc_json_put_text(host, "label", tool->host) ||
	    !sc_json_put_text(host, "kernel", tool->kernel) ||
	    !sc_json_put_text(host, "cpu", tool->cpu))
		return false;
	if (tool->load < 0)
		return sc_json_put_absent(host, "load", SC_UNSUPPORTED, KERNEL_SILENT);
	return cJSON_AddNumberToObject(host, "load", tool->load) != NULL;
}

static bool put_findings(cJSON *json, const struct sc_findings *findings)
{
	cJSON *list = cJSON_AddArrayToObject(json, "findings");

	for (size_t i = 0; list && i < findings->count; i++) {
		const struct sc_finding *finding = &findings->items[i];
		cJSON *item = cJSON_CreateObject();

		if (!cJSON_AddItemToArray(list, item)) {
			cJSON_Delete(item);
			return false;
		}
		if (!sc_json_put_text(item, "code", finding->code) ||
		    !sc_json_put_text(item, "severity", sc_severity_name(finding->severity)) ||
		    !sc_json_put_text(item, "text", finding->text) ||
		    !sc_json_put_text(item, "next", finding->next))
			return false;
	}
	return list != NULL;
}

/* Commits a second of each journal that was measured. */
static bool put_ceilings(cJSON *json, const struct sc_probe *probe)
{
	cJSON *ceilings = cJSON_AddObjectToObject(json, "ceiling_commits_per_s");

	for (size_t i = 0; ceilings && i < probe->row_count; i++) {
		const struct sc_probe_row *row = &probe->rows[i];
		double rate = row->journal ? sc_probe_ceiling(probe, row->journal) : 0;

		if (rate > 0 && !cJSON_AddNumberToObject(ceilings, row->journal, rate))
			return false;
	}
	return ceilings != NULL;
}

static cJSON *build_head(const struct sc_probe *probe, bool *ret_complete)
{
	const struct sc_probe_row *cheapest = sc_probe_cheapest(probe);
	cJSON *json = cJSON_CreateObject();

	*ret_complete =
		sc_json_put_probe_target(json, &probe->target) &&
		sc_json_put_text(json, "started", probe->started) &&
		sc_json_put_u64(json, "elapsed_ns", probe->elapsed_ns) &&
		cJSON_AddBoolToObject(json, "quick", probe->is_quick) &&
		cJSON_AddBoolToObject(json, "complete", probe->is_complete) &&
		put_ceilings(json, probe) &&
		(cheapest ? sc_json_put_text(json, "cheapest", cheapest->key)
			  : sc_json_put_absent(json, "cheapest", SC_SKIPPED,
					       "no method was measured that is durable here")) &&
		put_findings(json, &probe->target.findings);
	return json;
}

static bool put_part(cJSON *json, const char *key, const struct sc_probe_part *part)
{
	static const struct {
		const char *name;
		int index;
	} shown[] = {
		{"min", SC_PROBE_MIN}, {"p50", SC_PROBE_P50}, {"p90", SC_PROBE_P90},
		{"p99", SC_PROBE_P99}, {"max", SC_PROBE_MAX},
	};
	cJSON *object;

	if (part->n == 0)
		return sc_json_put_absent(json, key, SC_UNSUPPORTED, "write and sync are one call");
	object = cJSON_AddObjectToObject(json, key);
	if (!object || !sc_json_put_u64(object, "n", part->n))
		return false;
	for (size_t i = 0; i < SC_ARRAY_COUNT(shown); i++) {
		if (!sc_json_put_u64(object, shown[i].name, part->ns[shown[i].index]))
			return false;
	}
	return sc_json_put_u64(object, "mean", part->mean_ns);
}

static bool put_figures(cJSON *json, const struct sc_probe_row *row)
{
	if (row->status != SC_MEASURED)
		return sc_json_put_absent(json, "operation_ns", row->status, row->reason);
	return put_part(json, "operation_ns", &row->operation) &&
	       put_part(json, "write_ns", &row->write) && put_part(json, "sync_ns", &row->sync) &&
	       cJSON_AddNumberToObject(json, "ops_per_s", row->ops_per_s) &&
	       (!row->has_modes || (sc_json_put_u64(json, "mode_low_ns", row->mode_low_ns) &&
				    sc_json_put_u64(json, "mode_high_ns", row->mode_high_ns))) &&
	       sc_json_put_buckets(json, "histogram", row->buckets);
}

static cJSON *build_row(const struct sc_probe_row *row, bool *ret_complete)
{
	cJSON *json = cJSON_CreateObject();

	*ret_complete = sc_json_put_text(json, "key", row->key) &&
			sc_json_put_text(json, "group", sc_probe_group_name(row->group)) &&
			sc_json_put_text(json, "state", sc_probe_state_name(row->state)) &&
			sc_json_put_text(json, "method", sc_probe_method_name(row->method)) &&
			cJSON_AddBoolToObject(json, "durable", sc_probe_row_is_durable(row)) &&
			sc_json_put_u64(json, "bytes", row->bytes) &&
			sc_json_put_u64(json, "pages", row->pages) &&
			cJSON_AddBoolToObject(json, "spread", row->is_spread) &&
			sc_json_put_u64(json, "writers", row->writers) &&
			sc_json_put_u64(json, "pause_ns", row->pause_ns) && put_figures(json, row);
	return json;
}

/* Without its closing brace where @is_open. Takes @json. */
static int print(cJSON *json, bool is_complete, bool is_open, FILE *out)
{
	SC_CLEANUP(sc_freep) char *text = is_complete ? cJSON_PrintUnformatted(json) : NULL;

	cJSON_Delete(json);
	if (!text)
		return -ENOMEM;
	if (is_open)
		text[strlen(text) - 1] = '\0';
	(void)fputs(text, out);
	return 0;
}

static int print_probe(const struct sc_probe *probe, FILE *out)
{
	bool is_complete;
	cJSON *json = build_head(probe, &is_complete);
	int r = print(json, is_complete, true, out);

	(void)fputs(",\"rows\":[", out);
	for (size_t i = 0; i < probe->row_count && r == 0; i++) {
		(void)fputs(i ? ",\n" : "\n", out);
		json = build_row(&probe->rows[i], &is_complete);
		r = print(json, is_complete, false, out);
	}
	(void)fputs("]}", out);
	return r;
}

int sc_probe_print_json(const struct sc_probe *probes, size_t count,
			const struct sc_probe_tool *tool, FILE *out, struct sc_error *error)
{
	cJSON *json = cJSON_CreateObject();
	bool is_complete = sc_json_put_text(json, "format", "syncost-probe-1") &&
			   sc_json_put_probe_tool(json, tool);
	int r = print(json, is_complete, true, out);

	(void)fputs(",\"targets\":[", out);
	for (size_t i = 0; i < count && r == 0; i++) {
		(void)fputs(i ? ",\n" : "\n", out);
		r = print_probe(&probes[i], out);
	}
	(void)fputs("]}\n", out);
	return r < 0 ? sc_fail(error, r, "writing a probe") : 0;
}
