/* SPDX-License-Identifier: MIT */
#include "sweep-request.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

/* What a suite says of these two takes the place of the lists that are varied without a word. */
static bool is_fixed(const struct sc_suite *suite, const struct sc_setting_field *field)
{
	return (suite->sets_journal_mode && strcmp(field->name, "journal_mode") == 0) ||
	       (suite->sets_synchronous && strcmp(field->name, "synchronous") == 0);
}

static size_t fill_axes(const struct sc_sweep_config *config, const struct sc_suite *suite,
			struct sc_axis *axes)
{
	size_t count = 0;

	assert(sc_setting_field_count <= SC_PLAN_AXES_MAX);
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];
		const struct sc_option_numbers *list = sc_sweep_list(config, field);

		if (list->count > 0 && (list->given || !is_fixed(suite, field)))
			axes[count++] = (struct sc_axis){field, list->items, list->count};
	}
	return count;
}

static int add_glob(struct sc_globs *globs, const char *text, size_t length, struct sc_error *error)
{
	char **items;

	if (length == 0)
		return sc_fail(error, SC_E_USAGE, "--workload: an item of the list is empty");
	items = reallocarray(globs->items, globs->count + 1u, sizeof(*items));
	if (!items)
		return sc_fail(error, -ENOMEM, "reading --workload");
	globs->items = items;
	items[globs->count] = strndup(text, length);
	if (!items[globs->count])
		return sc_fail(error, -ENOMEM, "reading --workload");
	globs->count++;
	return 0;
}

/* Given again or with commas, which no name has. */
static int read_globs(const struct sc_option_texts *texts, struct sc_globs *globs,
		      struct sc_error *error)
{
	for (size_t i = 0; i < texts->count; i++) {
		for (const char *at = texts->items[i];; at++) {
			size_t length = strcspn(at, ",");
			int r = add_glob(globs, at, length, error);

			if (r < 0)
				return r;
			at += length;
			if (*at == '\0')
				break;
		}
	}
	return 0;
}

static int make_plan(const struct sc_sweep_config *config, struct sc_sweep_request *request,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_freep) const char **labels = calloc(request->targets.count, sizeof(*labels));
	struct sc_axis axes[SC_PLAN_AXES_MAX];
	const struct sc_plan_request plan = {
		.suite = request->suite,
		.globs = (const char *const *)request->globs.items,
		.glob_count = request->globs.count,
		.targets = labels,
		.target_count = request->targets.count,
		.axes = axes,
		.axis_count = fill_axes(config, request->suite, axes),
		.wal_states = config->wal_state.items,
		.wal_state_count = config->wal_state.count,
		.seed = (uint64_t)config->seed.value,
	};

	if (!labels)
		return sc_fail(error, -ENOMEM, "planning the sweep");
	for (size_t i = 0; i < request->targets.count; i++)
		labels[i] = request->targets.items[i].label;
	return sc_plan_new(&plan, &request->plan, error);
}

int sc_sweep_request_make(const struct sc_sweep_config *config, const struct sc_tool_facts *tool,
			  struct sc_sweep_request *request, struct sc_error *error)
{
	int r;

	r = sc_targets_parse(&config->targets, &request->targets, error);
	if (r < 0)
		return r;
	r = sc_suite_load(config->suite, &request->suite, error);
	if (r < 0)
		return r;
	r = read_globs(&config->workloads, &request->globs, error);
	if (r < 0)
		return r;
	r = make_plan(config, request, error);
	if (r < 0)
		return r;
	request->sweep = (struct sc_sweep){
		.plan = request->plan,
		.targets = request->targets.items,
		.target_count = request->targets.count,
		.rows = config->rows.given ? (uint64_t)config->rows.value : 0,
		.operations = config->ops.given ? (uint64_t)config->ops.value : 0,
		.samples = (uint32_t)config->samples.value,
		.timeout_ns = (uint64_t)config->timeout.value,
		.host_label = config->host_label,
		.out = config->out,
		.tool = *tool,
	};
	return 0;
}

void sc_sweep_request_fini(struct sc_sweep_request *request)
{
	for (size_t i = 0; i < request->globs.count; i++)
		free(request->globs.items[i]);
	sc_freep(&request->globs.items);
	sc_plan_freep(&request->plan);
	sc_suite_freep(&request->suite);
	sc_targets_fini(&request->targets);
}
