/* SPDX-License-Identifier: MIT */
#include "sweep-request.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "sweep-like.h"

#define ROWS_MAX 1000000000 /* as of --rows */

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
		const struct sc_suite_values *own = &suite->sweep.fields[i];

		if (own->count > 0 && !list->given)
			axes[count++] = (struct sc_axis){field, own->items, own->count};
		else if (list->count > 0 && (list->given || !is_fixed(suite, field)))
			axes[count++] = (struct sc_axis){field, list->items, list->count};
	}
	return count;
}

/* What the option says, or else the suite; empty: neither. */
static struct sc_plan_values values_of(const struct sc_option_numbers *given,
				       const struct sc_suite_values *own)
{
	if (given->given)
		return (struct sc_plan_values){given->items, given->count};
	return (struct sc_plan_values){own->items, own->count};
}

static int add_glob(struct sc_globs *globs, const char *option, const char *text, size_t length,
		    struct sc_error *error)
{
	char **items;

	if (length == 0)
		return sc_fail(error, SC_E_USAGE, "--%s: an item of the list is empty", option);
	items = reallocarray(globs->items, globs->count + 1u, sizeof(*items));
	if (!items)
		return sc_fail(error, -ENOMEM, "reading --%s", option);
	globs->items = items;
	items[globs->count] = strndup(text, length);
	if (!items[globs->count])
		return sc_fail(error, -ENOMEM, "reading --%s", option);
	globs->count++;
	return 0;
}

/* Given again or with commas, which no name has. */
static int read_globs(const struct sc_option_texts *texts, const char *option,
		      struct sc_globs *globs, struct sc_error *error)
{
	for (size_t i = 0; i < texts->count; i++) {
		for (const char *at = texts->items[i];; at++) {
			size_t length = strcspn(at, ",");
			int r = add_glob(globs, option, at, length, error);

			if (r < 0)
				return r;
			at += length;
			if (*at == '\0')
				break;
		}
	}
	return 0;
}

static int add_suite(struct sc_sweep_request *request, struct sc_suite *suite,
		     struct sc_error *error)
{
	struct sc_suite **suites =
		reallocarray(request->suites, request->suite_count + 1u, sizeof(*suites));

	if (!suites) {
		sc_suite_freep(&suite);
		return sc_fail(error, -ENOMEM, "reading the suites");
	}
	request->suites = suites;
	suites[request->suite_count++] = suite;
	return 0;
}

static int add_variant(struct sc_sweep_request *request, const struct sc_suite *base,
		       const char *variant, struct sc_error *error)
{
	struct sc_suite *suite = NULL;
	int r = sc_suite_vary(base, variant, &suite, error);

	return r < 0 ? r : add_suite(request, suite, error);
}

static int add_chosen_variants(struct sc_sweep_request *request, const struct sc_suite *base,
			       struct sc_error *error)
{
	int r = 0;

	for (size_t i = 0; i < request->variants.count && r == 0; i++) {
		const char *name = request->variants.items[i];

		r = add_variant(request, base, strcmp(name, SC_SUITE_BASE) == 0 ? NULL : name,
				error);
	}
	return r;
}

static int add_default_variants(struct sc_sweep_request *request, const struct sc_suite *base,
				struct sc_error *error)
{
	int r = add_variant(request, base, NULL, error);

	for (size_t i = 0; i < base->variant_count && r == 0; i++)
		if (base->variants[i].in_default_sweep)
			r = add_variant(request, base, base->variants[i].name, error);
	return r;
}

static int load_suite(struct sc_sweep_request *request, const char *name, struct sc_error *error)
{
	SC_CLEANUP(sc_suite_freep) struct sc_suite *suite = NULL;
	int r = sc_suite_load(name, &suite, error);

	if (r < 0)
		return r;
	if (request->variants.count > 0)
		return add_chosen_variants(request, suite, error);
	if (suite->variant_count > 0)
		return add_default_variants(request, suite, error);
	return add_suite(request, SC_TAKE(suite), error);
}

static int load_suites(const struct sc_option_texts *names, struct sc_sweep_request *request,
		       struct sc_error *error)
{
	static const char *const commit[] = {"commit"};
	const char *const *items = names->count ? names->items : commit;
	size_t count = names->count ? names->count : 1;
	int r = 0;

	for (size_t i = 0; i < count && r == 0; i++)
		r = load_suite(request, items[i], error);
	return r;
}

/* Of all suites alike: a cell that was measured less would say less. */
static uint32_t samples_of(const struct sc_sweep_config *config,
			   const struct sc_sweep_request *request)
{
	uint32_t samples = 0;

	if (config->samples.given)
		return (uint32_t)config->samples.value;
	if (config->precision.given || config->time.given)
		return 0;
	for (size_t i = 0; i < request->suite_count; i++) {
		uint32_t own = request->suites[i]->sweep.samples;

		if (own == 0)
			return 0;
		samples = own > samples ? own : samples;
	}
	return samples;
}

#define SCALE_ONE 1000000

static int64_t scale_rows(int64_t rows, int64_t scale)
{
	double scaled = (double)rows * (double)scale / SCALE_ONE;

	if (rows == 0)
		return 0;
	return scaled < 1 ? 1 : scaled > ROWS_MAX ? ROWS_MAX : (int64_t)(scaled + 0.5);
}

/* The numbers of rows of a suite, times --scale. */
static int scale_suite(struct sc_sweep_request *request, size_t index, int64_t scale,
		       struct sc_plan_values *rows, struct sc_error *error)
{
	const int64_t own = (int64_t)request->suites[index]->rows;
	size_t count = 0;
	int64_t *scaled;

	if (rows->count == 0)
		*rows = (struct sc_plan_values){&own, 1};
	scaled = calloc(rows->count, sizeof(*scaled));
	if (!scaled)
		return sc_fail(error, -ENOMEM, "planning the sweep");
	request->scaled[index] = scaled;
	for (size_t i = 0; i < rows->count; i++) {
		int64_t value = scale_rows(rows->items[i], scale);
		bool is_new = value > 0;

		for (size_t j = 0; j < count; j++)
			is_new = is_new && scaled[j] != value;
		if (is_new)
			scaled[count++] = value;
	}
	*rows = (struct sc_plan_values){scaled, count};
	return 0;
}

static int make_plan(const struct sc_sweep_config *config, struct sc_sweep_request *request,
		     struct sc_error *error)
{
	SC_CLEANUP(sc_freep) const char **labels = calloc(request->targets.count, sizeof(*labels));
	SC_CLEANUP(sc_freep)
	struct sc_plan_suite *suites = calloc(request->suite_count, sizeof(*suites));
	int r = 0;
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
		.rate = config->rate.given ? (uint64_t)config->rate.value : 0,
		.stores = config->store.items,
		.store_count = config->store.count,
		.seed = (uint64_t)config->seed.value,
	};

	if (config->scale.given)
		request->scaled = calloc(request->suite_count, sizeof(*request->scaled));
	if (!labels || !suites || (config->scale.given && !request->scaled))
		return sc_fail(error, -ENOMEM, "planning the sweep");
	for (size_t i = 0; i < request->suite_count && r == 0; i++) {
		suites[i].suite = request->suites[i];
		suites[i].axis_count = fill_axes(config, request->suites[i], suites[i].axes);
		suites[i].rows = values_of(&config->rows, &request->suites[i]->sweep.rows);
		suites[i].clients = values_of(&config->clients, &request->suites[i]->sweep.clients);
		suites[i].wal_states =
			values_of(&config->wal_state, &request->suites[i]->sweep.wal_states);
		if (config->scale.given)
			r = scale_suite(request, i, config->scale.value, &suites[i].rows, error);
	}
	if (r < 0)
		return r;
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
	r = read_globs(&config->variants, "variant", &request->variants, error);
	if (r == 0)
		r = load_suites(&config->suites, request, error);
	if (r == 0)
		r = read_globs(&config->workloads, "workload", &request->globs, error);
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
		.operations = config->ops.given ? (uint64_t)config->ops.value : 0,
		.samples = samples_of(config, request),
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

static void globs_fini(struct sc_globs *globs)
{
	for (size_t i = 0; i < globs->count; i++)
		free(globs->items[i]);
	sc_freep(&globs->items);
}

void sc_sweep_request_fini(struct sc_sweep_request *request)
{
	globs_fini(&request->globs);
	globs_fini(&request->variants);
	sc_plan_freep(&request->plan);
	sc_freep(&request->operations);
	for (size_t i = 0; i < request->suite_count; i++) {
		sc_suite_freep(&request->suites[i]);
		if (request->scaled)
			sc_freep(&request->scaled[i]);
	}
	sc_freep(&request->suites);
	sc_freep(&request->scaled);
	sc_targets_fini(&request->targets);
}
