/* SPDX-License-Identifier: MIT */
#include "sweep-request.h"

#include <assert.h>
#include <errno.h>

static size_t fill_axes(const struct sc_sweep_config *config, struct sc_axis *axes)
{
	size_t count = 0;

	assert(sc_setting_field_count <= SC_PLAN_AXES_MAX);
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];
		const struct sc_option_numbers *list = sc_sweep_list(config, field);

		if (list->count > 0)
			axes[count++] = (struct sc_axis){field, list->items, list->count};
	}
	return count;
}

static int make_plan(const struct sc_sweep_config *config, struct sc_sweep_request *request,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_freep) const char **labels = calloc(request->targets.count, sizeof(*labels));
	struct sc_axis axes[SC_PLAN_AXES_MAX];
	const struct sc_plan_request plan = {
		.suite = request->suite,
		.workloads = config->workload,
		.targets = labels,
		.target_count = request->targets.count,
		.axes = axes,
		.axis_count = fill_axes(config, axes),
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
	sc_plan_freep(&request->plan);
	sc_suite_freep(&request->suite);
	sc_targets_fini(&request->targets);
}
