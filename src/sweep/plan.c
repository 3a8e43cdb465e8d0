/* SPDX-License-Identifier: MIT */

/*
 * The grid is walked like an odometer, one wheel an axis, for each target, suite and workload. A
 * cell's journal decides whether it has a WAL state. Cells whose settings have the same canonical
 * form (model/setting.h) cannot differ: one of them is run, the canonical one if it is in the grid,
 * and the others refer to it.
 *
 * The number of cells is computed before anything is allocated:
 *	targets * sum over workloads of rows * clients * (product of the axes' lengths without the
 *journal)
 *		* sum over journals of (WAL states, or 1)
 *
 * The store snapshot adds cells of its own, for one client: the axes that mean something there, the
 * levels of synchronous drawn together into off and full.
 *
 * Cost: O(n log n) in the cells.
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
static size_t axes_of(const struct sc_plan_suite *planned, const struct sc_workload *workload,
		      struct sc_axis *axes)
{
	size_t count = 0;

	for (size_t i = 0; i < planned->axis_count; i++)
		if (workload->rows_per_commit_varies ||
		    !is_field(&planned->axes[i], "rows_per_commit"))
			axes[count++] = planned->axes[i];
	return count;
}

static struct sc_plan_values wal_states_of(const struct sc_plan_request *request,
					   const struct sc_plan_suite *planned)
{
	return planned->wal_states.count
		       ? planned->wal_states
		       : (struct sc_plan_values){request->wal_states, request->wal_state_count};
}

static struct sc_plan_values clients_of(const struct sc_plan_request *request,
					const struct sc_plan_suite *planned)
{
	static const int64_t one = 1;

	if (planned->clients.count)
		return planned->clients;
	if (request->client_count)
		return (struct sc_plan_values){request->clients, request->client_count};
	return (struct sc_plan_values){&one, 1};
}

static uint64_t wal_state_count(const struct sc_plan_request *request,
				const struct sc_plan_suite *planned, int64_t journal_mode)
{
	if (journal_mode != SC_JOURNAL_WAL || planned->suite->in_memory)
		return 1;
	return wal_states_of(request, planned).count;
}

static uint64_t count_journals(const struct sc_plan_request *request,
			       const struct sc_plan_suite *planned)
{
	for (size_t i = 0; i < planned->axis_count; i++) {
		const struct sc_axis *axis = &planned->axes[i];
		uint64_t count = 0;

		if (!is_field(axis, "journal_mode"))
			continue;
		for (size_t j = 0; j < axis->value_count; j++)
			count += wal_state_count(request, planned, axis->values[j]);
		return count;
	}
	return wal_state_count(request, planned, planned->suite->setting.journal_mode);
}

/* Saturates, so that an absurd grid is refused and does not wrap around to a small one. */
static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t count_settings(const struct sc_plan_request *request,
			       const struct sc_plan_suite *planned,
			       const struct sc_workload *workload)
{
	struct sc_axis axes[SC_PLAN_AXES_MAX];
	size_t axis_count = axes_of(planned, workload, axes);
	uint64_t count = count_journals(request, planned);

	for (size_t i = 0; i < axis_count; i++)
		if (!is_field(&axes[i], "journal_mode"))
			count = multiply(count, axes[i].value_count);
	count = multiply(count, clients_of(request, planned).count);
	return multiply(count, planned->rows.count ? planned->rows.count : 1);
}

static bool has_store(const struct sc_plan_request *request, enum sc_store store)
{
	if (request->store_count == 0)
		return store == SC_STORE_SQLITE;
	for (size_t i = 0; i < request->store_count; i++)
		if (request->stores[i] == (int64_t)store)
			return true;
	return false;
}

/* The axes of one workload that mean something in a snapshot. */
static size_t snapshot_axes(const struct sc_plan_suite *planned, const struct sc_workload *workload,
			    struct sc_axis *axes)
{
	size_t all = axes_of(planned, workload, axes), count = 0;

	for (size_t i = 0; i < all; i++)
		if (sc_store_has_field(SC_STORE_SNAPSHOT, axes[i].field))
			axes[count++] = axes[i];
	return count;
}

/* At most: levels that are drawn together are counted each. */
static uint64_t count_snapshots(const struct sc_plan_suite *planned,
				const struct sc_workload *workload)
{
	struct sc_axis axes[SC_PLAN_AXES_MAX];
	size_t axis_count = snapshot_axes(planned, workload, axes);
	uint64_t count = planned->rows.count ? planned->rows.count : 1;

	for (size_t i = 0; i < axis_count; i++)
		count = multiply(count, axes[i].value_count);
	return count;
}

static bool has_one_client(const struct sc_plan_request *request,
			   const struct sc_plan_suite *planned)
{
	struct sc_plan_values clients = clients_of(request, planned);

	for (size_t i = 0; i < clients.count; i++)
		if (clients.items[i] == 1)
			return true;
	return false;
}

/* The first that is chosen and has clients of others beside its own; NULL: there is none. */
static const struct sc_workload *find_company(const struct sc_plan_request *request,
					      const struct sc_suite *suite)
{
	for (size_t i = 0; i < suite->workload_count; i++)
		if (is_chosen(request, &suite->workloads[i]) && suite->workloads[i].beside_count)
			return &suite->workloads[i];
	return NULL;
}

static int check_company(const struct sc_plan_request *request, struct sc_error *error)
{
	for (size_t i = 0; i < request->suite_count; i++) {
		const struct sc_suite *suite = request->suites[i].suite;
		const struct sc_workload *workload = find_company(request, suite);

		if (!workload)
			continue;
		(void)sc_fail(error, SC_E_USAGE,
			      "--store: snapshot is in the memory of one process, and workload "
			      "'%s' of suite '%s' has other clients beside it",
			      workload->name, suite->name);
		return sc_hint(error, "leave it out with --workload, or snapshot");
	}
	return 0;
}

static int check_stores(const struct sc_plan_request *request, struct sc_error *error)
{
	if (!has_store(request, SC_STORE_SNAPSHOT))
		return 0;
	for (size_t i = 0; i < request->suite_count; i++) {
		if (has_one_client(request, &request->suites[i]))
			continue;
		(void)sc_fail(error, SC_E_USAGE,
			      "--store: snapshot is in the memory of one process, and suite '%s' "
			      "is to have several --clients alone",
			      request->suites[i].suite->name);
		return sc_hint(error, "add 1 to --clients, or leave snapshot out");
	}
	return check_company(request, error);
}

static int hint_workloads(const struct sc_suite *suite, struct sc_error *error)
{
	char names[160] = "";
	size_t used = 0;

	for (size_t i = 0; i < suite->workload_count && used < sizeof(names); i++)
		used += (size_t)snprintf(names + used, sizeof(names) - used, "%s%s", i ? ", " : "",
					 suite->workloads[i].name);
	return sc_hint(error, "its workloads: %s", names);
}

static int fail_glob(const struct sc_plan_request *request, const char *glob,
		     struct sc_error *error)
{
	if (request->suite_count > 1)
		return sc_fail(error, SC_E_USAGE,
			       "--workload: '%s' matches no workload of any of the %zu suites",
			       glob, request->suite_count);
	(void)sc_fail(error, SC_E_USAGE, "--workload: '%s' matches no workload of suite '%s'", glob,
		      request->suites[0].suite->name);
	return hint_workloads(request->suites[0].suite, error);
}

static int fail_nothing(const struct sc_plan_request *request, const struct sc_suite *suite,
			struct sc_error *error)
{
	if (request->glob_count == 0)
		(void)sc_fail(error, SC_E_USAGE, "suite '%s' has no workload for a default sweep",
			      suite->name);
	else
		(void)sc_fail(error, SC_E_USAGE, "--workload: chooses nothing of suite '%s'",
			      suite->name);
	return hint_workloads(suite, error);
}

static int check_globs(const struct sc_plan_request *request, struct sc_error *error)
{
	for (size_t i = 0; i < request->glob_count; i++) {
		bool any = false;

		for (size_t j = 0; j < request->suite_count; j++) {
			const struct sc_suite *suite = request->suites[j].suite;

			for (size_t k = 0; k < suite->workload_count; k++)
				any = any || matches(request->globs[i], &suite->workloads[k]);
		}
		if (!any)
			return fail_glob(request, request->globs[i], error);
	}
	return 0;
}

static int check_suites(const struct sc_plan_request *request, struct sc_error *error)
{
	if (request->suite_count > SC_PLAN_SUITES_MAX)
		return sc_fail(error, SC_E_USAGE, "--suite: %zu suites, more than %u",
			       request->suite_count, SC_PLAN_SUITES_MAX);
	for (size_t i = 0; i < request->suite_count; i++)
		for (size_t j = 0; j < i; j++)
			if (strcmp(request->suites[i].suite->name,
				   request->suites[j].suite->name) == 0)
				return sc_fail(error, SC_E_USAGE,
					       "--suite: two suites have the name '%s'",
					       request->suites[i].suite->name);
	return 0;
}

/* What the chosen workloads of a suite have in common. */
struct choice {
	bool any, varies;
};

static struct choice choice_of(const struct sc_plan_request *request, const struct sc_suite *suite)
{
	struct choice choice = {0};

	for (size_t i = 0; i < suite->workload_count; i++) {
		if (!is_chosen(request, &suite->workloads[i]))
			continue;
		choice.any = true;
		choice.varies = choice.varies || suite->workloads[i].rows_per_commit_varies;
	}
	return choice;
}

static bool asks_rows_per_commit(const struct sc_plan_suite *planned)
{
	for (size_t i = 0; i < planned->axis_count; i++)
		if (is_field(&planned->axes[i], "rows_per_commit"))
			return true;
	return false;
}

static uint64_t rows_min(const struct sc_suite *suite, const struct sc_workload *workload)
{
	uint64_t rows = sc_workload_rows_min(workload);

	for (size_t i = 0; i < workload->beside_count; i++) {
		const struct sc_workload *other =
			sc_suite_workload(suite, workload->beside[i].workload);
		uint64_t more = other ? sc_workload_rows_min(other) : 0;

		rows = more > rows ? more : rows;
	}
	return rows;
}

/* What a workload does must not depend on how small its dataset was made. */
static int check_rows(const struct sc_plan_suite *planned, const struct sc_workload *workload,
		      struct sc_error *error)
{
	uint64_t needed = rows_min(planned->suite, workload), rows = planned->suite->rows;

	for (size_t i = 0; i < planned->rows.count; i++)
		if (i == 0 || (uint64_t)planned->rows.items[i] < rows)
			rows = (uint64_t)planned->rows.items[i];
	if (rows >= needed)
		return 0;
	(void)sc_fail(error, SC_E_USAGE,
		      "--rows: workload '%s' of suite '%s' needs at least %" PRIu64
		      " rows, not %" PRIu64,
		      workload->name, planned->suite->name, needed, rows);
	return sc_hint(error,
		       "ask for more with --rows or --scale, or leave it out with --workload");
}

static int check_sizes(const struct sc_plan_request *request, struct sc_error *error)
{
	int r = 0;

	for (size_t i = 0; i < request->suite_count; i++) {
		const struct sc_suite *suite = request->suites[i].suite;

		for (size_t j = 0; j < suite->workload_count && r == 0; j++)
			if (is_chosen(request, &suite->workloads[j]))
				r = check_rows(&request->suites[i], &suite->workloads[j], error);
	}
	return r;
}

static int check_workloads(const struct sc_plan_request *request, struct sc_error *error)
{
	bool varies = false, asked = false;
	int r = check_globs(request, error);

	for (size_t i = 0; i < request->suite_count && r == 0; i++) {
		const struct sc_suite *suite = request->suites[i].suite;
		struct choice choice = choice_of(request, suite);

		if (!choice.any)
			r = fail_nothing(request, suite, error);
		varies = varies || choice.varies;
		asked = asked || asks_rows_per_commit(&request->suites[i]);
	}
	if (r < 0)
		return r;
	if (asked && !varies)
		return sc_fail(error, SC_E_USAGE,
			       "--rows-per-commit: no chosen workload of suite '%s' can cut its "
			       "transactions differently",
			       request->suites[0].suite->name);
	return 0;
}

/* Of one workload on one target, for all stores and clients. */
static uint64_t count_workload(const struct sc_plan_request *request,
			       const struct sc_plan_suite *planned,
			       const struct sc_workload *workload)
{
	uint64_t count = 0, more = 0;

	if (has_store(request, SC_STORE_SQLITE))
		count = count_settings(request, planned, workload);
	if (has_store(request, SC_STORE_SNAPSHOT))
		more = count_snapshots(planned, workload);
	return __builtin_add_overflow(count, more, &count) ? UINT64_MAX : count;
}

static int count_cells(const struct sc_plan_request *request, size_t *ret_count,
		       struct sc_error *error)
{
	uint64_t count = 0;

	for (size_t i = 0; i < request->suite_count; i++) {
		const struct sc_suite *suite = request->suites[i].suite;

		for (size_t j = 0; j < suite->workload_count; j++) {
			const struct sc_workload *workload = &suite->workloads[j];
			uint64_t more =
				is_chosen(request, workload)
					? count_workload(request, &request->suites[i], workload)
					: 0;

			if (__builtin_add_overflow(count, more, &count))
				count = UINT64_MAX;
		}
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

/* Among other journals WAL is one more name for the same run; alone it is a mistake. */
static bool asks_for_wal_alone(const struct sc_plan_suite *planned)
{
	for (size_t i = 0; i < planned->axis_count; i++) {
		const struct sc_axis *axis = &planned->axes[i];

		if (is_field(axis, "journal_mode"))
			return axis->value_count == 1 && axis->values[0] == SC_JOURNAL_WAL;
	}
	return false;
}

static int check_memory(const struct sc_plan_request *request, struct sc_error *error)
{
	for (size_t i = 0; i < request->suite_count; i++) {
		struct sc_plan_values clients = clients_of(request, &request->suites[i]);
		const struct sc_suite *suite = request->suites[i].suite;

		if (suite->in_memory && (clients.count > 1 || clients.items[0] > 1))
			return sc_fail(error, SC_E_USAGE,
				       "--clients: the database of suite '%s' is in memory, where "
				       "only one client finds it",
				       suite->name);
		if (suite->in_memory && asks_for_wal_alone(&request->suites[i])) {
			(void)sc_fail(error, SC_E_USAGE,
				      "--journal-mode: the database of suite '%s' is in memory, "
				      "where there is no WAL",
				      suite->name);
			return sc_hint(error, "leave --journal-mode out, or choose another suite");
		}
	}
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

static void append_rows(struct sc_plan *plan, const struct sc_plan_suite *planned,
			const struct sc_plan_cell *base)
{
	struct sc_plan_cell cell = *base;

	cell.rows = planned->suite->rows;
	if (planned->rows.count == 0)
		plan->cells[plan->cell_count++] = cell;
	for (size_t i = 0; i < planned->rows.count; i++) {
		cell.rows = (uint64_t)planned->rows.items[i];
		plan->cells[plan->cell_count++] = cell;
	}
}

static void append_clients(struct sc_plan *plan, const struct sc_plan_request *request,
			   const struct sc_plan_cell *base)
{
	const struct sc_plan_suite *planned = &request->suites[base->suite_index];
	struct sc_plan_values clients = clients_of(request, planned);
	struct sc_plan_cell cell = *base;

	for (size_t i = 0; i < clients.count; i++) {
		cell.clients = (uint32_t)clients.items[i];
		append_rows(plan, planned, &cell);
	}
}

static void append(struct sc_plan *plan, const struct sc_plan_request *request,
		   const struct sc_plan_cell *base)
{
	const struct sc_plan_suite *planned = &request->suites[base->suite_index];
	struct sc_plan_values wal_states = wal_states_of(request, planned);
	struct sc_plan_cell cell = *base;

	cell.uses_wal_state =
		cell.setting.journal_mode == SC_JOURNAL_WAL && !planned->suite->in_memory;
	for (uint64_t i = 0; i < wal_state_count(request, planned, cell.setting.journal_mode);
	     i++) {
		cell.wal_state = cell.uses_wal_state ? (enum sc_wal_state)wal_states.items[i]
						     : SC_WAL_RECYCLED;
		append_clients(plan, request, &cell);
	}
}

/* @base: target, suite and workload */
static void append_settings(struct sc_plan *plan, const struct sc_plan_request *request,
			    const struct sc_plan_cell *base)
{
	const struct sc_plan_suite *planned = &request->suites[base->suite_index];
	size_t positions[SC_PLAN_AXES_MAX] = {0};
	struct sc_axis axes[SC_PLAN_AXES_MAX];
	size_t axis_count =
		axes_of(planned, &planned->suite->workloads[base->workload_index], axes);
	struct sc_plan_cell cell = *base;

	cell.store = planned->suite->in_memory ? SC_STORE_MEMORY : SC_STORE_SQLITE;
	do {
		cell.setting = planned->suite->setting;
		for (size_t i = 0; i < axis_count; i++)
			axes[i].field->set(&cell.setting, axes[i].values[positions[i]]);
		append(plan, request, &cell);
	} while (turn(axes, axis_count, positions));
}

static bool is_planned(const struct sc_plan *plan, size_t first, const struct sc_setting *setting)
{
	for (size_t i = first; i < plan->cell_count; i++)
		if (sc_setting_compare(&plan->cells[i].setting, setting) == 0)
			return true;
	return false;
}

/* @base: target, suite and workload */
static void append_snapshots(struct sc_plan *plan, const struct sc_plan_request *request,
			     const struct sc_plan_cell *base)
{
	const struct sc_plan_suite *planned = &request->suites[base->suite_index];
	const struct sc_setting *usual = &planned->suite->setting;
	size_t positions[SC_PLAN_AXES_MAX] = {0}, first = plan->cell_count;
	struct sc_axis axes[SC_PLAN_AXES_MAX];
	size_t axis_count =
		snapshot_axes(planned, &planned->suite->workloads[base->workload_index], axes);
	struct sc_plan_cell cell = *base;

	cell.store = SC_STORE_SNAPSHOT;
	cell.clients = 1;
	cell.wal_state = SC_WAL_RECYCLED;
	do {
		struct sc_setting setting = *usual;

		for (size_t i = 0; i < axis_count; i++)
			axes[i].field->set(&setting, axes[i].values[positions[i]]);
		cell.setting = sc_store_setting(SC_STORE_SNAPSHOT, &setting, usual);
		if (!is_planned(plan, first, &cell.setting))
			append_rows(plan, planned, &cell);
	} while (turn(axes, axis_count, positions));
}

static int compare_indexes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

static int compare_groups(const struct sc_plan_cell *a, const struct sc_plan_cell *b)
{
	int r = compare_indexes(a->target_index, b->target_index);

	r = r ? r : compare_indexes(a->suite_index, b->suite_index);
	r = r ? r : compare_indexes(a->workload_index, b->workload_index);
	return r ? r : compare_indexes(a->rows, b->rows);
}

/* Of one group. */
static int compare_states(const struct sc_plan_cell *a, const struct sc_plan_cell *b)
{
	int r = (int)a->wal_state - (int)b->wal_state;

	return r ? r : compare_indexes(a->clients, b->clients);
}

static int compare_cells(const void *a, const void *b)
{
	const struct sc_plan_cell *left = a, *right = b;
	int r = compare_groups(left, right);

	r = r ? r : compare_indexes(left->clients, right->clients);
	r = r ? r : (int)left->store - (int)right->store;
	r = r ? r : sc_setting_compare(&left->setting, &right->setting);
	return r ? r : compare_states(left, right);
}

/* "wal/full page_size=8192" becomes "wal/full/recycled/page_size=8192/rows=1000/clients=4". */
static int name_cell(struct sc_plan_cell *cell, const struct sc_plan_request *request,
		     struct sc_error *error)
{
	const struct sc_suite *suite = request->suites[cell->suite_index].suite;
	const struct sc_plan_suite *planned = &request->suites[cell->suite_index];
	char label[LABEL_BYTES], clients[32] = "", rows[32] = "", rate[40] = "";
	size_t pair;

	sc_store_label(sc_store_name(cell->store), &cell->setting, &suite->setting, label,
		       sizeof(label));
	for (char *space = label; (space = strchr(space, ' '));)
		*space = '/';
	pair = strcspn(label, "/");
	pair += label[pair] ? 1u + strcspn(label + pair + 1, "/") : 0;
	if (cell->clients > 1)
		(void)snprintf(clients, sizeof(clients), "/clients=%" PRIu32, cell->clients);
	if (planned->rows.count > 1)
		(void)snprintf(rows, sizeof(rows), "/rows=%" PRIu64, cell->rows);
	if (request->rate > 0)
		(void)snprintf(rate, sizeof(rate), "/rate=%" PRIu64, request->rate);
	if (asprintf(&cell->id, "%s/%s/%s/%.*s%s%s%s%s%s%s", request->targets[cell->target_index],
		     suite->name, suite->workloads[cell->workload_index].name, (int)pair, label,
		     cell->uses_wal_state ? "/" : "",
		     cell->uses_wal_state ? sc_wal_state_name(cell->wal_state) : "", label + pair,
		     rows, clients, rate) < 0) {
		cell->id = NULL; /* not touched or undefined after a failure */
		return sc_fail(error, -ENOMEM, "naming a cell");
	}
	return 0;
}

/* Without files there is nothing to journal, sync, lock or map. */
static struct sc_setting in_memory(const struct sc_setting *setting)
{
	struct sc_setting memory = sc_setting_default();

	memory.page_size = setting->page_size;
	memory.cache_size = setting->cache_size;
	memory.rows_per_commit = setting->rows_per_commit;
	return memory;
}

/* A workload that only reads takes no sync, so what rules syncs means nothing to it. */
static struct sc_setting canonical_of(const struct sc_workload *workload,
				      const struct sc_plan_cell *cell)
{
	struct sc_setting setting = cell->setting;

	if (cell->store == SC_STORE_MEMORY)
		return in_memory(&setting);
	if (!workload->writes) {
		setting.synchronous = SC_SYNCHRONOUS_FULL;
		setting.fullfsync = setting.checkpoint_fullfsync = false;
	}
	return sc_setting_canonical(&setting, false, NULL);
}

/* A cell, and what its figures depend on. */
struct kind {
	struct sc_plan_cell *cell;
	struct sc_setting canonical;
};

static int compare_runs(const struct kind *a, const struct kind *b)
{
	int r = compare_groups(a->cell, b->cell);

	r = r ? r : (int)a->cell->store - (int)b->cell->store;
	r = r ? r : sc_setting_compare(&a->canonical, &b->canonical);
	return r ? r : compare_states(a->cell, b->cell);
}

static bool is_canonical(const struct kind *kind)
{
	return sc_setting_compare(&kind->cell->setting, &kind->canonical) == 0;
}

/* Of one run the canonical cell comes first, if it is in the grid. */
static int compare_kinds(const void *a, const void *b)
{
	const struct kind *left = a, *right = b;
	int r = compare_runs(left, right);

	r = r ? r : (int)is_canonical(right) - (int)is_canonical(left);
	if (r)
		return r;
	return (left->cell > right->cell) - (left->cell < right->cell);
}

static const char *reason_of(const struct sc_workload *workload, const struct sc_plan_cell *cell,
			     const struct sc_plan_cell *source)
{
	const struct sc_setting *own = &cell->setting, *other = &source->setting;

	if (cell->store == SC_STORE_MEMORY)
		return "a database in memory has no file to journal, sync, lock or map";
	if (!workload->writes &&
	    (own->synchronous != other->synchronous || own->fullfsync != other->fullfsync ||
	     own->checkpoint_fullfsync != other->checkpoint_fullfsync))
		return "a workload that only reads never syncs";
	return sc_setting_same_reason(own, other, false);
}

static int find_same(struct sc_plan *plan, struct sc_error *error)
{
	SC_CLEANUP(sc_freep) struct kind *kinds = calloc(plan->cell_count, sizeof(*kinds));
	const struct kind *first = kinds;

	if (!kinds)
		return sc_fail(error, -ENOMEM, "planning %zu cells", plan->cell_count);
	for (size_t i = 0; i < plan->cell_count; i++)
		kinds[i] = (struct kind){&plan->cells[i],
					 canonical_of(sc_plan_workload(plan, i), &plan->cells[i])};
	qsort(kinds, plan->cell_count, sizeof(*kinds), compare_kinds);
	for (size_t i = 0; i < plan->cell_count; i++) {
		struct sc_plan_cell *cell = kinds[i].cell;

		if (compare_runs(first, &kinds[i]) != 0)
			first = &kinds[i];
		cell->same_index = (size_t)(first->cell - plan->cells);
		cell->is_same = first != &kinds[i];
		if (cell->is_same)
			cell->same_reason = reason_of(sc_plan_workload(plan, cell->same_index),
						      cell, first->cell);
		else
			plan->run_count++;
	}
	return 0;
}

static void enumerate(struct sc_plan *plan, const struct sc_plan_request *request)
{
	struct sc_plan_cell cell = {0};

	for (cell.target_index = 0; cell.target_index < request->target_count; cell.target_index++)
		for (cell.suite_index = 0; cell.suite_index < plan->suite_count;
		     cell.suite_index++) {
			const struct sc_suite *suite = plan->suites[cell.suite_index];

			for (size_t i = 0; i < suite->workload_count; i++) {
				cell.workload_index = i;
				if (!is_chosen(request, &suite->workloads[i]))
					continue;
				if (has_store(request, SC_STORE_SQLITE))
					append_settings(plan, request, &cell);
				if (has_store(request, SC_STORE_SNAPSHOT))
					append_snapshots(plan, request, &cell);
			}
		}
	qsort(plan->cells, plan->cell_count, sizeof(*plan->cells), compare_cells);
}

int sc_plan_new(const struct sc_plan_request *request, struct sc_plan **ret_plan,
		struct sc_error *error)
{
	SC_CLEANUP(sc_plan_freep) struct sc_plan *plan = calloc(1, sizeof(*plan));
	size_t count = 0;
	int r;

	if (!plan)
		return sc_fail(error, -ENOMEM, "planning the sweep");
	r = check_suites(request, error);
	if (r == 0)
		r = check_workloads(request, error);
	if (r == 0)
		r = check_memory(request, error);
	if (r == 0)
		r = check_stores(request, error);
	if (r == 0)
		r = count_cells(request, &count, error);
	if (r == 0)
		r = check_sizes(request, error);
	if (r < 0)
		return r;

	plan->suite_count = request->suite_count;
	for (size_t i = 0; i < plan->suite_count; i++)
		plan->suites[i] = request->suites[i].suite;
	plan->seed = request->seed;
	plan->rate = request->rate;
	plan->cells = calloc(count, sizeof(*plan->cells));
	if (!plan->cells)
		return sc_fail(error, -ENOMEM, "planning %zu cells", count);
	enumerate(plan, request);
	r = find_same(plan, error);
	for (size_t i = 0; i < plan->cell_count && r == 0; i++)
		r = name_cell(&plan->cells[i], request, error);
	if (r < 0)
		return r;
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

const struct sc_suite *sc_plan_suite(const struct sc_plan *plan, size_t cell_index)
{
	return plan->suites[plan->cells[cell_index].suite_index];
}

const struct sc_workload *sc_plan_workload(const struct sc_plan *plan, size_t cell_index)
{
	return &sc_plan_suite(plan, cell_index)->workloads[plan->cells[cell_index].workload_index];
}

const char *sc_plan_store(const struct sc_plan *plan, size_t cell_index)
{
	return sc_store_name(plan->cells[cell_index].store);
}

uint64_t sc_plan_unit(const struct sc_plan *plan, size_t cell_index)
{
	const struct sc_plan_cell *cell = &plan->cells[cell_index];

	return cell->setting.rows_per_commit
		       ? cell->setting.rows_per_commit
		       : sc_workload_unit(sc_plan_workload(plan, cell_index), cell->rows);
}

uint64_t sc_plan_timed_ops(const struct sc_plan *plan, size_t cell_index)
{
	const struct sc_workload *workload = sc_plan_workload(plan, cell_index);

	return workload->times_rows ? plan->cells[cell_index].rows : workload->timed_ops;
}
