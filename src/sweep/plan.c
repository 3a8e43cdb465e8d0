/* SPDX-License-Identifier: MIT */

/*
 * The grid is walked like an odometer, one wheel an axis, for each target and workload. A cell's
 * journal decides whether it has a WAL state. Cells whose settings have the same canonical form
 * (model/setting.h) cannot differ: one of them is run, the canonical one if it is in the grid, and
 * the others refer to it.
 *
 * The number of cells is computed before anything is allocated:
 *	targets * sum over workloads of (product of the axes' lengths without the journal)
 *		* sum over journals of (WAL states, or 1)
 */

#include "plan.h"

#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <string.h>

#include "../stats/random.h"

#define LABEL_BYTES 320

static bool matches(const char *glob, const struct sc_workload *workload)
{
	return fnmatch(glob, workload->name, 0) == 0;
}

static bool is_chosen(const struct sc_plan_request *request, const struct sc_workload *workload)
{
	if (request->glob_count == 0)
		return workload->in_default_sweep;
	for (size_t i = 0; i < request->glob_count; i++)
		if (matches(request->globs[i], workload))
			return true;
	return false;
}

static bool is_field(const struct sc_axis *axis, const char *name)
{
	return strcmp(axis->field->name, name) == 0;
}

/* The axes that one workload has. */
static size_t axes_of(const struct sc_plan_request *request, const struct sc_workload *workload,
		      struct sc_axis *axes)
{
	size_t count = 0;

	for (size_t i = 0; i < request->axis_count; i++)
		if (workload->rows_per_commit_varies ||
		    !is_field(&request->axes[i], "rows_per_commit"))
			axes[count++] = request->axes[i];
	return count;
}

static uint64_t wal_state_count(const struct sc_plan_request *request, int64_t journal_mode)
{
	return journal_mode == SC_JOURNAL_WAL ? request->wal_state_count : 1;
}

static uint64_t count_journals(const struct sc_plan_request *request)
{
	for (size_t i = 0; i < request->axis_count; i++) {
		const struct sc_axis *axis = &request->axes[i];
		uint64_t count = 0;

		if (!is_field(axis, "journal_mode"))
			continue;
		for (size_t j = 0; j < axis->value_count; j++)
			count += wal_state_count(request, axis->values[j]);
		return count;
	}
	return wal_state_count(request, request->suite->setting.journal_mode);
}

/* Saturates, so that an absurd grid is refused and does not wrap around to a small one. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t count_settings(const struct sc_plan_request *request,
			       const struct sc_workload *workload)
{
	struct sc_axis axes[SC_PLAN_AXES_MAX];
	size_t axis_count = axes_of(request, workload, axes);
	uint64_t count = count_journals(request);

	for (size_t i = 0; i < axis_count; i++)
		if (!is_field(&axes[i], "journal_mode"))
			count = multiply(count, axes[i].value_count);
	return count;
}

/* @glob: NULL: the default sweep */
static int fail_no_workload(const struct sc_plan_request *request, const char *glob,
			    struct sc_error *error)
{
	const struct sc_suite *suite = request->suite;
	char names[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < suite->workload_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 suite->workloads[i].name);
	if (!glob)
		(void)sc_fail(error, SC_E_USAGE, "suite '%s' has no workload for a default sweep",
			      suite->name);
	else
		(void)sc_fail(error, SC_E_USAGE,
			      "--workload: '%s' matches no workload of suite '%s'", glob,
			      suite->name);
	return sc_hint(error, "its workloads: %s", names);
}

static int check_globs(const struct sc_plan_request *request, struct sc_error *error)
{
	for (size_t i = 0; i < request->glob_count; i++) {
		bool any = false;

		for (size_t j = 0; j < request->suite->workload_count; j++)
			any = any || matches(request->globs[i], &request->suite->workloads[j]);
		if (!any)
			return fail_no_workload(request, request->globs[i], error);
	}
	return 0;
}

static int check_workloads(const struct sc_plan_request *request, struct sc_error *error)
{
	bool any = false, varies = false, asked = false;
	int r = check_globs(request, error);

	if (r < 0)
		return r;
	for (size_t i = 0; i < request->suite->workload_count; i++) {
		const struct sc_workload *workload = &request->suite->workloads[i];

		if (!is_chosen(request, workload))
			continue;
		any = true;
		varies = varies || workload->rows_per_commit_varies;
	}
	if (!any)
		return fail_no_workload(request, NULL, error);
	for (size_t i = 0; i < request->axis_count; i++)
		asked = asked || is_field(&request->axes[i], "rows_per_commit");
	if (asked && !varies)
		return sc_fail(error, SC_E_USAGE,
			       "--rows-per-commit: no chosen workload of suite '%s' can cut its "
			       "transactions differently",
			       request->suite->name);
	return 0;
}

static int count_cells(const struct sc_plan_request *request, size_t *ret_count,
		       struct sc_error *error)
{
	uint64_t count = 0;

	for (size_t i = 0; i < request->suite->workload_count; i++) {
		const struct sc_workload *workload = &request->suite->workloads[i];
		uint64_t more =
			is_chosen(request, workload) ? count_settings(request, workload) : 0;

		if (__builtin_add_overflow(count, more, &count))
			count = UINT64_MAX;
	}
	count = multiply(count, request->target_count);
	if (count > SC_PLAN_CELLS_MAX) {
		(void)sc_fail(error, SC_E_USAGE, "the grid has %" PRIu64 " cells, more than %u",
			      count, SC_PLAN_CELLS_MAX);
		return sc_hint(error, "shorten a list, or choose workloads with --workload");
	}
	*ret_count = (size_t)count;
	return 0;
}

/* One step of the odometer. Return: false after the last position. */
static bool turn(const struct sc_axis *axes, size_t axis_count, size_t *positions)
{
	for (size_t i = 0; i < axis_count; i++) {
		if (++positions[i] < axes[i].value_count)
			return true;
		positions[i] = 0;
	}
	return false;
}

static void append(struct sc_plan *plan, const struct sc_plan_request *request,
		   const struct sc_plan_cell *base)
{
	struct sc_plan_cell cell = *base;

	cell.uses_wal_state = cell.setting.journal_mode == SC_JOURNAL_WAL;
	for (uint64_t i = 0; i < wal_state_count(request, cell.setting.journal_mode); i++) {
		cell.wal_state = cell.uses_wal_state ? (enum sc_wal_state)request->wal_states[i]
						     : SC_WAL_RECYCLED;
		plan->cells[plan->cell_count++] = cell;
	}
}

static void append_settings(struct sc_plan *plan, const struct sc_plan_request *request,
			    size_t target_index, size_t workload_index)
{
	const struct sc_workload *workload = &request->suite->workloads[workload_index];
	struct sc_plan_cell cell = {.target_index = target_index, .workload_index = workload_index};
	size_t positions[SC_PLAN_AXES_MAX] = {0};
	struct sc_axis axes[SC_PLAN_AXES_MAX];
	size_t axis_count = axes_of(request, workload, axes);

	do {
		cell.setting = request->suite->setting;
		for (size_t i = 0; i < axis_count; i++)
			axes[i].field->set(&cell.setting, axes[i].values[positions[i]]);
		append(plan, request, &cell);
	} while (turn(axes, axis_count, positions));
}

static int compare_cells(const void *a, const void *b)
{
	const struct sc_plan_cell *left = a, *right = b;
	int r;

	if (left->target_index != right->target_index)
		return left->target_index < right->target_index ? -1 : 1;
	if (left->workload_index != right->workload_index)
		return left->workload_index < right->workload_index ? -1 : 1;
	r = sc_setting_compare(&left->setting, &right->setting);
	return r ? r : (int)left->wal_state - (int)right->wal_state;
}

/* "wal/full page_size=8192" becomes "wal/full/recycled/page_size=8192". */
static int name_cell(struct sc_plan_cell *cell, const struct sc_plan_request *request,
		     struct sc_error *error)
{
	const struct sc_suite *suite = request->suite;
	char label[LABEL_BYTES];
	size_t pair;

	sc_setting_label(&cell->setting, &suite->setting, label, sizeof(label));
	for (char *space = label; (space = strchr(space, ' '));)
		*space = '/';
	pair = strcspn(label, "/");
	pair += label[pair] ? 1u + strcspn(label + pair + 1, "/") : 0;
	if (asprintf(&cell->id, "%s/%s/%s/%.*s%s%s%s", request->targets[cell->target_index],
		     suite->name, suite->workloads[cell->workload_index].name, (int)pair, label,
		     cell->uses_wal_state ? "/" : "",
		     cell->uses_wal_state ? sc_wal_state_name(cell->wal_state) : "",
		     label + pair) < 0) {
		cell->id = NULL; /* not touched or undefined after a failure */
		return sc_fail(error, -ENOMEM, "naming a cell");
	}
	return 0;
}

/* A workload that only reads takes no sync, so what rules syncs means nothing to it. */
static struct sc_setting canonical_of(const struct sc_plan *plan, const struct sc_plan_cell *cell)
{
	struct sc_setting setting = cell->setting;

	if (!plan->suite->workloads[cell->workload_index].writes) {
		setting.synchronous = SC_SYNCHRONOUS_FULL;
		setting.fullfsync = setting.checkpoint_fullfsync = false;
	}
	return sc_setting_canonical(&setting, false, NULL);
}

static bool same_run(const struct sc_plan *plan, const struct sc_plan_cell *a,
		     const struct sc_plan_cell *b)
{
	struct sc_setting left = canonical_of(plan, a);
	struct sc_setting right = canonical_of(plan, b);

	return a->target_index == b->target_index && a->workload_index == b->workload_index &&
	       a->wal_state == b->wal_state && sc_setting_compare(&left, &right) == 0;
}

static bool is_canonical(const struct sc_plan *plan, const struct sc_plan_cell *cell)
{
	struct sc_setting canonical = canonical_of(plan, cell);

	return sc_setting_compare(&cell->setting, &canonical) == 0;
}

/* The cell that stands for @index: the canonical one of its kind, else the first. */
static size_t find_representative(const struct sc_plan *plan, size_t index, size_t first,
				  size_t last)
{
	size_t found = index;

	for (size_t i = last; i-- > first;) {
		if (!same_run(plan, &plan->cells[index], &plan->cells[i]))
			continue;
		if (is_canonical(plan, &plan->cells[i]))
			return i;
		found = i;
	}
	return found;
}

/* Cells of one target and workload stand together: [first, last). */
static size_t group_end(const struct sc_plan *plan, size_t first)
{
	size_t last = first;

	while (last < plan->cell_count &&
	       plan->cells[last].target_index == plan->cells[first].target_index &&
	       plan->cells[last].workload_index == plan->cells[first].workload_index)
		last++;
	return last;
}

static const char *reason_of(const struct sc_plan *plan, const struct sc_plan_cell *cell)
{
	const struct sc_setting *own = &cell->setting;
	const struct sc_setting *source = &plan->cells[cell->same_index].setting;

	if (!plan->suite->workloads[cell->workload_index].writes &&
	    (own->synchronous != source->synchronous || own->fullfsync != source->fullfsync ||
	     own->checkpoint_fullfsync != source->checkpoint_fullfsync))
		return "a workload that only reads never syncs";
	return sc_setting_same_reason(own, source, false);
}

static void find_same(struct sc_plan *plan)
{
	size_t first = 0, last;

	for (; first < plan->cell_count; first = last) {
		last = group_end(plan, first);
		for (size_t i = first; i < last; i++) {
			struct sc_plan_cell *cell = &plan->cells[i];

			cell->same_index = find_representative(plan, i, first, last);
			cell->is_same = cell->same_index != i;
			if (cell->is_same)
				cell->same_reason = reason_of(plan, cell);
			else
				plan->run_count++;
		}
	}
}

static void enumerate(struct sc_plan *plan, const struct sc_plan_request *request)
{
	for (size_t target = 0; target < request->target_count; target++)
		for (size_t i = 0; i < request->suite->workload_count; i++)
			if (is_chosen(request, &request->suite->workloads[i]))
				append_settings(plan, request, target, i);
	qsort(plan->cells, plan->cell_count, sizeof(*plan->cells), compare_cells);
	find_same(plan);
}

int sc_plan_new(const struct sc_plan_request *request, struct sc_plan **ret_plan,
		struct sc_error *error)
{
	SC_CLEANUP(sc_plan_freep) struct sc_plan *plan = calloc(1, sizeof(*plan));
	size_t count = 0;
	int r;

	if (!plan)
		return sc_fail(error, -ENOMEM, "planning the sweep");
	r = check_workloads(request, error);
	if (r < 0)
		return r;
	r = count_cells(request, &count, error);
	if (r < 0)
		return r;

	plan->suite = request->suite;
	plan->seed = request->seed;
	plan->cells = calloc(count, sizeof(*plan->cells));
	if (!plan->cells)
		return sc_fail(error, -ENOMEM, "planning %zu cells", count);
	enumerate(plan, request);
	for (size_t i = 0; i < plan->cell_count; i++) {
		r = name_cell(&plan->cells[i], request, error);
		if (r < 0)
			return r;
	}
	*ret_plan = SC_TAKE(plan);
	return 0;
}

void sc_plan_freep(struct sc_plan **plan)
{
	if (!*plan)
		return;
	for (size_t i = 0; i < (*plan)->cell_count; i++)
		free((*plan)->cells[i].id);
	free((*plan)->cells);
	free(*plan);
	*plan = NULL;
}

void sc_plan_order(const struct sc_plan *plan, uint32_t round, uint32_t *indexes)
{
	struct sc_random random;
	char name[32];
	size_t count = 0;

	(void)snprintf(name, sizeof(name), "round %" PRIu32, round);
	random = sc_random_fork(plan->seed, name);
	for (size_t i = 0; i < plan->cell_count; i++)
		if (!plan->cells[i].is_same)
			indexes[count++] = (uint32_t)i;
	sc_random_shuffle(&random, indexes, count);
}

const struct sc_workload *sc_plan_workload(const struct sc_plan *plan, size_t cell_index)
{
	return &plan->suite->workloads[plan->cells[cell_index].workload_index];
}
