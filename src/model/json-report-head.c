/* SPDX-License-Identifier: MIT */

/* Reading the head of a report. */

#include <errno.h>
#include <string.h>

#include "json-report-read.h"

static int get_tool(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		    struct sc_error *error)
{
	int r;

	r = sc_report_get_short_text(json, "version", place, head->tool_version,
				     sizeof(head->tool_version), error);
	if (r == 0)
		r = sc_report_get_short_text(json, "commit", place, head->tool_commit,
					     sizeof(head->tool_commit), error);
	if (r == 0)
		r = sc_report_get_bool(json, "dirty", place, &head->tool_dirty, error);
	return r;
}

static int get_host(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		    struct sc_error *error)
{
	return sc_report_get_fields(json, &sc_report_host_fields, place, head, error);
}

static int get_compile_options(const cJSON *json, struct sc_json_place place,
			       struct sc_report_head *head, struct sc_error *error)
{
	const cJSON *list = NULL, *item;
	int r;

	r = sc_report_get_array(json, "compile_options", place, &list, error);
	if (r < 0 || cJSON_GetArraySize(list) == 0)
		return r;
	head->compile_options =
		calloc((size_t)cJSON_GetArraySize(list), sizeof(*head->compile_options));
	if (!head->compile_options)
		return sc_fail(error, -ENOMEM, "reading %s", place.subject);
	cJSON_ArrayForEach(item, list)
	{
		char *option = cJSON_IsString(item) ? strdup(item->valuestring) : NULL;

		if (!cJSON_IsString(item))
			return sc_json_fail(place, "compile_options", "must hold texts", error);
		if (!option)
			return sc_fail(error, -ENOMEM, "reading %s", place.subject);
		head->compile_options[head->compile_option_count++] = option;
	}
	return 0;
}

static int get_sqlite(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		      struct sc_error *error)
{
	int r;

	r = sc_report_get_short_text(json, "version", place, head->sqlite_version,
				     sizeof(head->sqlite_version), error);
	if (r == 0)
		r = sc_report_get_text(json, "source_id", place, &head->sqlite_source_id, error);
	if (r == 0)
		r = sc_report_get_text(json, "sync_call", place, &head->sync_call, error);
	if (r == 0)
		r = get_compile_options(json, place, head, error);
	return r;
}

static int get_looks(const cJSON *json, struct sc_json_place place, struct sc_stop_rule *rule,
		     struct sc_error *error)
{
	const cJSON *list = NULL, *item;
	int r;

	r = sc_report_get_array(json, "looks", place, &list, error);
	if (r < 0)
		return r;
	if (cJSON_GetArraySize(list) > (int)SC_STOP_LOOKS_MAX)
		return sc_json_fail(place, "looks", "are too many", error);
	place.path = "plan.looks";
	cJSON_ArrayForEach(item, list)
	{
		struct sc_stop_planned *look = &rule->looks[rule->look_count];
		uint64_t samples = 0, rank = 0;

		r = sc_report_get_u64_plain(item, "samples", place, &samples, error);
		if (r == 0)
			r = sc_report_get_u64_plain(item, "rank", place, &rank, error);
		if (r < 0)
			return r;
		if (samples > SC_STOP_SAMPLES_MAX || rank == 0 || rank > samples)
			return sc_json_fail(place, "samples and rank", "do not go together", error);
		*look = (struct sc_stop_planned){(uint32_t)samples, (uint32_t)rank};
		rule->look_count++;
	}
	return 0;
}

static const char *shape_name(int index)
{
	return sc_stop_shape_name((enum sc_stop_shape)index);
}

static int get_simulated(const cJSON *json, struct sc_json_place place,
			 struct sc_sampling *sampling, struct sc_error *error)
{
	const cJSON *child = NULL;
	char reason[SC_REASON_BYTES];
	enum sc_status absent;
	uint64_t draws = 0;
	int shape = 0;
	int r;

	r = sc_json_get_object(json, "simulated", place, &child, error);
	if (r < 0 || sc_json_is_absent(child, &absent, reason, sizeof(reason)))
		return r;
	place.path = "plan.simulated";
	r = sc_report_get_u64_plain(child, "draws", place, &draws, error);
	if (r == 0)
		r = sc_report_get_number(child, "lowest", place, &sampling->simulated.lowest,
					 error);
	if (r == 0)
		r = sc_report_get_name(child, "distribution", place, shape_name,
				       SC_STOP_SHAPE_COUNT_, &shape, error);
	if (r == 0)
		r = sc_report_get_number(child, "spread", place, &sampling->simulated.spread,
					 error);
	if (r == 0 && draws > UINT32_MAX)
		r = sc_json_fail(place, "draws", "is too large", error);
	sampling->simulated.draws = (uint32_t)draws;
	sampling->simulated.shape = (enum sc_stop_shape)shape;
	return r;
}

static int get_rule(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		    struct sc_error *error)
{
	struct sc_sampling *sampling = &head->sampling;
	int r;

	r = get_looks(json, place, &sampling->rule, error);
	if (r == 0)
		r = sc_report_get_number(json, "confidence", place, &sampling->rule.confidence,
					 error);
	if (r == 0)
		r = sc_report_get_number(json, "coverage", place, &sampling->rule.coverage, error);
	if (r == 0)
		r = get_simulated(json, place, sampling, error);
	sampling->rule.precision = head->precision;
	return r;
}

/* A report of an earlier version has none of it: then nothing is known. */
static int get_sampling(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
			struct sc_error *error)
{
	struct sc_sampling *sampling = &head->sampling;
	uint64_t samples = 0, pilot = 0;
	int r;

	if (!cJSON_HasObjectItem(json, "samples"))
		return 0;
	r = sc_report_get_u64_plain(json, "samples", place, &samples, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "pilot", place, &pilot, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "time_ns", place, &sampling->time_ns, error);
	if (r == 0 && (samples > UINT32_MAX || pilot > UINT32_MAX))
		r = sc_json_fail(place, "samples and pilot", "are too large", error);
	sampling->samples = (uint32_t)samples;
	sampling->pilot = (uint32_t)pilot;
	if (r == 0 && cJSON_IsArray(cJSON_GetObjectItemCaseSensitive(json, "looks")))
		r = get_rule(json, place, head, error);
	return r;
}

static int get_load(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		    struct sc_error *error)
{
	const cJSON *load = cJSON_GetObjectItemCaseSensitive(json, "load");
	char reason[SC_REASON_BYTES];

	head->load_status = SC_SKIPPED;
	if (!load || sc_json_is_absent(load, &head->load_status, reason, sizeof(reason)))
		return 0;
	head->load_status = SC_MEASURED;
	return sc_report_get_number(json, "load", place, &head->load, error);
}

static int get_plan(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		    struct sc_error *error)
{
	uint64_t rounds = 0, cells = 0, resumed = 0;
	int r;

	r = sc_report_get_u64_plain(json, "seed", place, &head->seed, error);
	if (r == 0)
		r = sc_report_get_text(json, "order", place, &head->order, error);
	if (r == 0)
		r = sc_report_get_short_text(json, "started", place, head->started,
					     sizeof(head->started), error);
	if (r == 0)
		r = sc_report_get_short_text(json, "finished", place, head->finished,
					     sizeof(head->finished), error);
	if (r == 0)
		r = sc_report_get_bool(json, "complete", place, &head->complete, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "rounds", place, &rounds, error);
	if (r == 0 && cJSON_HasObjectItem(json, "resumed"))
		r = sc_report_get_u64_plain(json, "resumed", place, &resumed, error);
	if (r == 0)
		r = get_load(json, place, head, error);
	if (r == 0)
		r = sc_report_get_number(json, "precision", place, &head->precision, error);
	if (r == 0)
		r = get_sampling(json, place, head, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "cell_count", place, &cells, error);
	if (r == 0 && (rounds > UINT32_MAX || resumed > UINT32_MAX))
		r = sc_json_fail(place, "rounds", "is too large", error);
	if (r == 0)
		r = sc_json_get_setting(json, "base", place, &head->base, error);
	head->rounds = (uint32_t)rounds;
	head->resumed = (uint32_t)resumed;
	head->cell_count = (size_t)cells;
	return r;
}

static int get_target_figures(const cJSON *json, struct sc_json_place place,
			      struct sc_target *target, struct sc_error *error)
{
	const cJSON *rotational = cJSON_GetObjectItemCaseSensitive(json, "rotational");
	char reason[SC_REASON_BYTES];
	int r = 0;

	if (!sc_json_is_absent(rotational, &target->rotational_status, reason, sizeof(reason)))
		r = sc_report_get_bool(json, "rotational", place, &target->rotational, error);
	if (r == 0)
		r = sc_report_get_u64(json, "sync_floor_ns_p50", place, &target->sync_floor_ns_p50,
				      &target->sync_floor_status, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "sync_floor_n", place, &target->sync_floor_n,
					    error);
	if (r == 0)
		r = sc_report_get_u64(json, "uring_floor_ns_p50", place,
				      &target->uring_floor_ns_p50, &target->uring_floor_status,
				      error);
	return r;
}

/* Why a figure is absent, for a struct that keeps the text. */
static int get_reason(const cJSON *json, const char *key, char **ret_reason)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
	const cJSON *reason = cJSON_GetObjectItemCaseSensitive(item, "reason");

	if (!cJSON_IsString(reason))
		return 0;
	*ret_reason = strdup(reason->valuestring);
	return *ret_reason ? 0 : -ENOMEM;
}

/* What older reports do not have. */
static int get_more_facts(const cJSON *json, struct sc_target *target)
{
	const struct {
		const char *key;
		char **text;
	} texts[] = {
		{"model", &target->model},
		{"fua", &target->fua},
		{"scheduler", &target->scheduler},
		{"discard", &target->discard},
	};

	for (size_t i = 0; i < SC_ARRAY_COUNT(texts); i++) {
		const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, texts[i].key);

		if (!cJSON_IsString(item))
			continue;
		*texts[i].text = strdup(item->valuestring);
		if (!*texts[i].text)
			return -ENOMEM;
	}
	target->in_memory = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "in_memory"));
	target->is_network = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "network"));
	return 0;
}

static int get_target(const cJSON *json, struct sc_json_place place, struct sc_target *target,
		      struct sc_error *error)
{
	const struct {
		const char *key;
		char **text;
	} texts[] = {
		{"label", &target->label},           {"path", &target->path},
		{"filesystem", &target->filesystem}, {"mount_options", &target->mount_options},
		{"storage", &target->storage},       {"write_cache", &target->write_cache},
	};
	int r;

	for (size_t i = 0; i < SC_ARRAY_COUNT(texts); i++) {
		r = sc_report_get_text(json, texts[i].key, place, texts[i].text, error);
		if (r < 0)
			return r;
	}
	r = get_target_figures(json, place, target, error);
	if (r < 0)
		return r;
	if (cJSON_HasObjectItem(json, "disk")) {
		r = sc_report_get_text(json, "disk", place, &target->disk, error);
		if (r < 0)
			return r;
	}
	if (get_more_facts(json, target) < 0 ||
	    get_reason(json, "disk", &target->disk_reason) < 0 ||
	    get_reason(json, "sync_floor_ns_p50", &target->sync_floor_reason) < 0 ||
	    get_reason(json, "uring_floor_ns_p50", &target->uring_floor_reason) < 0)
		return sc_fail(error, -ENOMEM, "reading %s", place.subject);
	return sc_report_get_findings(json, place, &target->findings, error);
}

static int get_targets(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		       struct sc_error *error)
{
	const cJSON *list = NULL, *item;
	int r;

	r = sc_report_get_array(json, "targets", place, &list, error);
	if (r < 0 || cJSON_GetArraySize(list) == 0)
		return r;
	head->targets = calloc((size_t)cJSON_GetArraySize(list), sizeof(*head->targets));
	if (!head->targets)
		return sc_fail(error, -ENOMEM, "reading %s", place.subject);
	place.path = "targets";
	cJSON_ArrayForEach(item, list)
	{
		r = get_target(item, place, &head->targets[head->target_count++], error);
		if (r < 0)
			return r;
	}
	return 0;
}

static const char *loss_name(int index)
{
	return sc_loss_name((enum sc_loss)index);
}

/* Of a recommended rate; reports from before it was kept do not have it. */
static int get_interval(const cJSON *json, struct sc_json_place place, struct sc_interval *interval,
			struct sc_error *error)
{
	uint64_t n = 0;
	int r;

	r = sc_report_get_number(json, "low", place, &interval->low, error);
	if (r == 0)
		r = sc_report_get_number(json, "high", place, &interval->high, error);
	if (r == 0)
		r = sc_report_get_number(json, "coverage", place, &interval->coverage, error);
	if (r == 0)
		r = sc_report_get_u64_plain(json, "n", place, &n, error);
	if (r == 0 && n > UINT32_MAX)
		return sc_json_fail(place, "n", "is too large", error);
	interval->n = (uint32_t)n;
	interval->converged = cJSON_IsTrue(cJSON_GetObjectItemCaseSensitive(json, "converged"));
	return r;
}

static int get_recommendation(const cJSON *json, struct sc_json_place place,
			      struct sc_recommendation *recommendation, struct sc_error *error)
{
	const struct {
		const char *key;
		char **text;
	} texts[] = {
		{"target", &recommendation->target},     {"workload", &recommendation->workload},
		{"label", &recommendation->label},       {"pragmas", &recommendation->pragmas},
		{"sentence", &recommendation->sentence},
	};
	int loss = 0;
	int r;

	for (size_t i = 0; i < SC_ARRAY_COUNT(texts); i++) {
		r = sc_report_get_text(json, texts[i].key, place, texts[i].text, error);
		if (r < 0)
			return r;
		if (!*texts[i].text)
			return sc_json_fail(place, texts[i].key, "must be a text", error);
	}
	r = sc_report_get_number(json, "commits_per_s", place,
				 &recommendation->commits_per_s.median, error);
	if (r == 0 && cJSON_HasObjectItem(json, "low"))
		r = get_interval(json, place, &recommendation->commits_per_s, error);
	if (r == 0)
		r = sc_report_get_name(json, "loss", place, loss_name, SC_LOSS_COUNT_, &loss,
				       error);
	recommendation->loss = (enum sc_loss)loss;
	return r;
}

static int get_recommendations(const cJSON *json, struct sc_json_place place,
			       struct sc_report_head *head, struct sc_error *error)
{
	const cJSON *list = NULL, *item;
	int r;

	r = sc_report_get_array(json, "recommendations", place, &list, error);
	if (r < 0 || cJSON_GetArraySize(list) == 0)
		return r;
	head->recommendations =
		calloc((size_t)cJSON_GetArraySize(list), sizeof(*head->recommendations));
	if (!head->recommendations)
		return sc_fail(error, -ENOMEM, "reading %s", place.subject);
	place.path = "recommendations";
	cJSON_ArrayForEach(item, list)
	{
		r = get_recommendation(item, place,
				       &head->recommendations[head->recommendation_count++], error);
		if (r < 0)
			return r;
	}
	return 0;
}

int sc_report_get_head(const cJSON *json, struct sc_json_place place, struct sc_report_head *head,
		       struct sc_error *error)
{
	static const struct {
		const char *key;
		int (*get)(const cJSON *json, struct sc_json_place place,
			   struct sc_report_head *head, struct sc_error *error);
	} objects[] = {
		{"tool", get_tool},
		{"host", get_host},
		{"sqlite", get_sqlite},
		{"plan", get_plan},
	};
	int r;

	r = sc_report_get_short_text(json, "kind", place, head->kind, sizeof(head->kind), error);
	if (r < 0)
		return r;
	for (size_t i = 0; i < SC_ARRAY_COUNT(objects); i++) {
		const cJSON *child = NULL;

		r = sc_json_get_object(json, objects[i].key, place, &child, error);
		if (r < 0)
			return r;
		r = objects[i].get(child, (struct sc_json_place){place.subject, objects[i].key},
				   head, error);
		if (r < 0)
			return r;
	}
	r = get_targets(json, place, head, error);
	if (r == 0)
		r = sc_report_get_findings(json, place, &head->findings, error);
	if (r == 0)
		r = get_recommendations(json, place, head, error);
	return r;
}
