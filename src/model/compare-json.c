/* SPDX-License-Identifier: MIT */

/*
 * A comparison as JSON, format "syncost-compare-1":
 *
 *	{"format":"syncost-compare-1","outcome":"pass",
 *	"rules":{…},
 *	"reports":[                        a line each; the first is the base
 *	…
 *	],
 *	"differences":[                    a line each
 *	…
 *	],
 *	"cells":[                          a line each: a cell of the base, in all other reports
 *	…
 *	]}
 *
 * A figure that was not measured is {"status": …}; a ratio that there is none of is null.
 */

#include <errno.h>

#include "compare.h"
#include "json-field.h"

/* JSON has no way to say infinity: cJSON writes null. */
static bool put_number(cJSON *json, const char *key, double value)
{
	return cJSON_AddNumberToObject(json, key, value) != NULL;
}

static bool put_bool(cJSON *json, const char *key, bool value)
{
	return cJSON_AddBoolToObject(json, key, value) != NULL;
}

static bool put_count(cJSON *json, const char *key, size_t value)
{
	return sc_json_put_u64(json, key, (uint64_t)value);
}

/* An object at the end of @list; NULL: no memory. */
static cJSON *append_object(cJSON *list)
{
	cJSON *item = cJSON_CreateObject();

	if (item && list && cJSON_AddItemToArray(list, item))
		return item;
	cJSON_Delete(item);
	return NULL;
}

/* Prints and frees @json. */
static int print(FILE *out, const char *before, cJSON *json, bool complete, const char *after,
		 struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *text = complete ? cJSON_PrintUnformatted(json) : NULL;

	cJSON_Delete(json);
	if (!text)
		return sc_fail(error, -ENOMEM, "building the comparison's JSON");
	errno = 0;
	if (fprintf(out, "%s%s%s", before, text, after) < 0)
		return sc_fail(error, errno ? -errno : -EIO, "writing the comparison");
	return 0;
}

/* --- the head */

static int print_rules(FILE *out, const struct sc_comparison *comparison, struct sc_error *error)
{
	const struct sc_compare_rules *rules = comparison->rules;
	cJSON *json = cJSON_CreateObject(), *allowed = NULL, *ignored = NULL;
	bool complete = put_bool(json, "gate", rules->is_gate) &&
			put_bool(json, "counts_only", rules->counts_only) &&
			put_number(json, "latency_percent", rules->latency_percent) &&
			put_number(json, "latency_floor_ns", rules->latency_floor_ns) &&
			put_number(json, "interval_coverage", comparison->coverage) &&
			(allowed = cJSON_AddObjectToObject(json, "allowed_percent")) &&
			(ignored = cJSON_AddArrayToObject(json, "ignored"));

	for (size_t i = 0; complete && i < SC_COMPARE_METRICS; i++) {
		struct sc_compare_metric row = sc_compare_metric(i);

		if (row.kind == SC_COMPARE_COUNT)
			complete = put_number(allowed, row.metric.key, rules->allowed_percent[i]);
	}
	for (size_t i = 0; complete && i < rules->ignored_count; i++)
		complete = cJSON_AddItemToArray(ignored, sc_json_new_text(rules->ignored[i]));
	return print(out, "\"rules\":", json, complete, ",\n", error);
}

static bool put_tally(cJSON *json, const struct sc_compare_tally *tally)
{
	cJSON *child = cJSON_AddObjectToObject(json, "cells");
	bool complete = put_count(child, "compared", tally->cells) &&
			put_count(child, "failing", tally->failing) &&
			put_count(child, "copies", tally->copies) &&
			put_count(child, "missing", tally->missing) &&
			put_count(child, "not_measured", tally->absent) &&
			put_count(child, "extra", tally->extra);

	for (int v = 0; complete && v < SC_VERDICT_COUNT_; v++)
		complete =
			put_count(child, sc_verdict_name((enum sc_verdict)v), tally->verdicts[v]);
	return complete;
}

static int print_report(FILE *out, const struct sc_comparison *comparison, size_t index,
			struct sc_error *error)
{
	const struct sc_digest *digest = &comparison->digests[index];
	const struct sc_report_head *head = digest->head;
	cJSON *json = cJSON_CreateObject();
	bool complete = sc_json_put_text(json, "path", digest->path) &&
			sc_json_put_text(json, "host", head->host_label) &&
			sc_json_put_text(json, "kernel", head->kernel) &&
			sc_json_put_text(json, "cpu", head->cpu) &&
			sc_json_put_text(json, "sqlite", head->sqlite_version) &&
			sc_json_put_text(json, "started", head->started);

	if (complete && index > 0)
		complete = put_tally(json, &comparison->tallies[index - 1]);
	return print(out, "", json, complete, index + 1 < comparison->digest_count ? ",\n" : "\n",
		     error);
}

static int print_difference(FILE *out, const struct sc_comparison *comparison, size_t index,
			    struct sc_error *error)
{
	const struct sc_difference *difference = &comparison->differences[index];
	cJSON *json = cJSON_CreateObject();
	bool complete =
		sc_json_put_text(json, "key", difference->key) &&
		sc_json_put_text(json, "report", comparison->digests[difference->digest].path) &&
		sc_json_put_text(json, "cell", difference->cell) &&
		put_count(json, "cells", difference->cell_count) &&
		sc_json_put_text(json, "base", difference->base) &&
		sc_json_put_text(json, "other", difference->other) &&
		put_bool(json, "refused", difference->refused);

	return print(out, "", json, complete,
		     index + 1 < comparison->difference_count ? ",\n" : "\n", error);
}

/* --- cells */

static bool put_figure(cJSON *json, const char *key, const struct sc_digest_figure *figure)
{
	cJSON *child = cJSON_AddObjectToObject(json, key);

	if (figure->status != SC_MEASURED)
		return sc_json_put_text(child, "status", sc_status_name(figure->status));
	if (!put_number(child, "value", figure->number))
		return false;
	return figure->n == 0 ||
	       (put_number(child, "low", figure->low) && put_number(child, "high", figure->high) &&
		sc_json_put_u64(child, "n", figure->n));
}

static bool put_ratio(cJSON *json, const struct sc_change *change)
{
	cJSON *child;

	if (!change->has_ratio)
		return cJSON_AddNullToObject(json, "ratio") != NULL;
	child = cJSON_AddObjectToObject(json, "ratio");
	if (!put_number(child, "value", change->ratio))
		return false;
	return !change->has_interval || (put_number(child, "low", change->ratio_low) &&
					 put_number(child, "high", change->ratio_high));
}

static bool put_metric(cJSON *list, const struct sc_comparison *comparison, size_t cell,
		       size_t other, size_t metric)
{
	static const char *const kinds[] = {
		[SC_COMPARE_COUNT] = "count",
		[SC_COMPARE_LATENCY] = "latency",
		[SC_COMPARE_SHOWN] = "shown",
	};
	struct sc_compare_metric row = sc_compare_metric(metric);
	struct sc_change change = sc_compare_change(comparison, cell, other, metric);
	cJSON *json = append_object(list);

	return sc_json_put_text(json, "key", row.metric.key) &&
	       sc_json_put_text(json, "unit", sc_unit_name(row.metric.unit)) &&
	       sc_json_put_text(json, "kind", kinds[row.kind]) &&
	       put_figure(json, "base", &comparison->digests[0].cells[cell].figures[metric]) &&
	       put_figure(json, "other",
			  &sc_compare_match(comparison, cell, other)->figures[metric]) &&
	       put_ratio(json, &change) &&
	       sc_json_put_text(json, "verdict", sc_verdict_name(change.verdict)) &&
	       put_bool(json, "fails", change.fails);
}

static bool put_match(cJSON *list, const struct sc_comparison *comparison, size_t cell,
		      size_t other)
{
	static const char *const states[] = {
		[SC_COMPARE_DONE] = "compared",
		[SC_COMPARE_COPY] = "copy",
		[SC_COMPARE_MISSING] = "missing",
		[SC_COMPARE_ABSENT] = "not measured",
	};
	enum sc_compare_state state = sc_compare_state(comparison, cell, other);
	const struct sc_digest_cell *match = sc_compare_match(comparison, cell, other);
	cJSON *json = append_object(list), *metrics;
	struct sc_compare_tolerance tolerance;
	struct sc_change whole;

	if (!sc_json_put_text(json, "report", comparison->digests[other].path) ||
	    !sc_json_put_text(json, "id", match ? match->id : NULL) ||
	    !sc_json_put_text(json, "state", states[state]))
		return false;
	if (state != SC_COMPARE_DONE)
		return true;
	whole = sc_compare_cell(comparison, cell, other);
	tolerance = sc_compare_tolerance(comparison, cell, other);
	if (!sc_json_put_text(json, "verdict", sc_verdict_name(whole.verdict)) ||
	    !put_bool(json, "fails", whole.fails) ||
	    !put_number(json, "slower_machine", tolerance.slower) ||
	    !put_number(json, "faster_machine", tolerance.faster))
		return false;
	metrics = cJSON_AddArrayToObject(json, "metrics");
	for (size_t i = 0; i < SC_COMPARE_METRICS; i++) {
		if (!put_metric(metrics, comparison, cell, other, i))
			return false;
	}
	return true;
}

static int print_cell(FILE *out, const struct sc_comparison *comparison, size_t index,
		      struct sc_error *error)
{
	const struct sc_digest_cell *cell = &comparison->digests[0].cells[index];
	cJSON *json = cJSON_CreateObject(), *others = NULL;
	bool complete = sc_json_put_text(json, "id", cell->id) &&
			sc_json_put_text(json, "target", cell->target) &&
			sc_json_put_text(json, "suite", cell->suite) &&
			sc_json_put_text(json, "workload", cell->workload) &&
			sc_json_put_text(json, "wal_state",
					 cell->uses_wal_state ? sc_wal_state_name(cell->wal_state)
							      : NULL) &&
			sc_json_put_setting(json, "setting", &cell->setting) &&
			(others = cJSON_AddArrayToObject(json, "reports"));

	for (size_t other = 1; complete && other < comparison->digest_count; other++)
		complete = put_match(others, comparison, index, other);
	return print(out, "", json, complete,
		     index + 1 < comparison->digests[0].cell_count ? ",\n" : "\n", error);
}

int sc_compare_write_json(FILE *out, const struct sc_comparison *comparison, struct sc_error *error)
{
	int r;

	fprintf(out, "{\"format\":\"syncost-compare-1\",\"outcome\":\"%s\",\n",
		sc_outcome_name(comparison->outcome));
	r = print_rules(out, comparison, error);
	fputs("\"reports\":[\n", out);
	for (size_t i = 0; r == 0 && i < comparison->digest_count; i++)
		r = print_report(out, comparison, i, error);
	fputs("],\n\"differences\":[\n", out);
	for (size_t i = 0; r == 0 && i < comparison->difference_count; i++)
		r = print_difference(out, comparison, i, error);
	fputs("],\n\"cells\":[\n", out);
	for (size_t i = 0; r == 0 && i < comparison->digests[0].cell_count; i++)
		r = print_cell(out, comparison, i, error);
	fputs("]}\n", out);
	return r;
}
