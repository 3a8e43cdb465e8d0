/* SPDX-License-Identifier: MIT */
#include "sweep-request.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "sweep-like.h"

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

static int load_suites(const struct sc_option_texts *names, struct sc_sweep_request *request,
		       struct sc_error *error)
{
	static const char *const commit[] = {"commit"};
	const char *const *items = names->count ? names->items : commit;
	size_t count = names->count ? names->count : 1;
	int r = 0;

	request->suites = calloc(count, sizeof(*request->suites));
	if (!request->suites)
		return sc_fail(error, -ENOMEM, "reading the suites");
	for (size_t i = 0; i < count && r == 0; i++) {
		r = sc_suite_load(items[i], &request->suites[i], error);
		request->suite_count += r == 0;
	}
	return r;
}

static int make_plan(const struct sc_sweep_config *config, struct sc_sweep_request *request,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_freep) const char **labels = calloc(request->targets.count, sizeof(*labels));
	SC_CLEANUP(sc_freep)
	struct sc_plan_suite *suites = calloc(request->suite_count, sizeof(*suites));
	const struct sc_plan_request plan = {
		.suites = suites,
		.suite_count = request->suite_count,
		.globs = (const char *const *)request->globs.items,
		.glob_count = request->globs.count,
		.targets = labels,
		.target_count = request->targets.count,
		.wal_states = config->wal_state.items,
		.wal_state_count = config->wal_state.count,
		.clients = config->clients.items,
		.client_count = config->clients.count,
		.seed = (uint64_t)config->seed.value,
	};

	if (!labels || !suites)
		return sc_fail(error, -ENOMEM, "planning the sweep");
	for (size_t i = 0; i < request->suite_count; i++) {
		suites[i].suite = request->suites[i];
		suites[i].axis_count = fill_axes(config, request->suites[i], suites[i].axes);
	}
	for (size_t i = 0; i < request->targets.count; i++)
		labels[i] = request->targets.items[i].label;
	return sc_plan_new(&plan, &request->plan, error);
}

/* As many operations as in the report that is gone on with or repeated. */
static int fix_operations(const struct sc_sweep_choice *choice, struct sc_sweep_request *request,
			  struct sc_error *error)
{
	const struct sc_metadata *metadata = &choice->metadata;

	if (choice->config.like)
		return choice->config.ops.given ? 0
						: sc_sweep_like(choice->config.like, request->plan,
								&request->operations, error);
	if (metadata->operation_count == 0)
		return 0;
	if (metadata->operation_count != request->plan->cell_count)
		return sc_fail(error, SC_E_USAGE,
			       "--resume: the report has %zu cells, its plan is now one of %zu",
			       metadata->operation_count, request->plan->cell_count);
	request->operations = calloc(metadata->operation_count, sizeof(*request->operations));
	if (!request->operations)
		return sc_fail(error, -ENOMEM, "planning the sweep");
	memcpy(request->operations, metadata->operations,
	       metadata->operation_count * sizeof(*request->operations));
	return 0;
}

int sc_sweep_request_make(const struct sc_sweep_choice *choice, const struct sc_tool_facts *tool,
			  struct sc_sweep_request *request, struct sc_error *error)
{
	const struct sc_sweep_config *config = &choice->config;
	int r;

	r = sc_targets_parse(&config->targets, &request->targets, error);
	if (r < 0)
		return r;
	r = load_suites(&config->suites, request, error);
	if (r < 0)
		return r;
	r = read_globs(&config->workloads, &request->globs, error);
	if (r < 0)
		return r;
	r = make_plan(config, request, error);
	if (r == 0)
		r = fix_operations(choice, request, error);
	if (r < 0)
		return r;
	request->sweep = (struct sc_sweep){
		.plan = request->plan,
		.targets = request->targets.items,
		.target_count = request->targets.count,
		.rows = config->rows.given ? (uint64_t)config->rows.value : 0,
		.operations = config->ops.given ? (uint64_t)config->ops.value : 0,
		.samples = config->samples.given ? (uint32_t)config->samples.value : 0,
		.precision = (double)config->precision.value / 1e6,
		.time_ns = (uint64_t)config->time.value,
		.timeout_ns = (uint64_t)config->timeout.value,
		.host_label = config->host_label,
		.out = config->out,
		.resume = config->resume != NULL,
		.operations_of = request->operations,
		.options = choice->words,
		.option_count = choice->word_count,
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
	sc_freep(&request->operations);
	for (size_t i = 0; i < request->suite_count; i++)
		sc_suite_freep(&request->suites[i]);
	sc_freep(&request->suites);
	sc_targets_fini(&request->targets);
}
