/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sweep/plan.h"

static char one_name[] = "insert_one", batch_name[] = "insert_batch", read_name[] = "read_point";
static char suite_name[] = "commit";

static struct sc_workload workloads[] = {
	{.name = one_name, .in_default_sweep = true, .writes = true, .rows_per_commit = 1},
	{.name = batch_name,
	 .in_default_sweep = true,
	 .writes = true,
	 .rows_per_commit = 100,
	 .rows_per_commit_varies = true},
	{.name = read_name, .rows_per_commit = 1},
};

static struct sc_suite suite = {.name = suite_name, .workloads = workloads, .workload_count = 3};

static const char *const targets[] = {"local", "other"};
static const int64_t recycled[] = {SC_WAL_RECYCLED};
static const int64_t both_states[] = {SC_WAL_RECYCLED, SC_WAL_FRESH};
static const int64_t journals[] = {SC_JOURNAL_DELETE, SC_JOURNAL_WAL};
static const int64_t all_journals[] = {0, 1, 2, 3, 4, 5};
static const int64_t levels[] = {0, 1, 2, 3};
static const int64_t page_sizes[] = {4096, 1024, 8192};
static const int64_t batches[] = {1, 10, 100};

static const struct sc_setting_field *field(const char *name)
{
	for (size_t i = 0; i < sc_setting_field_count; i++)
		if (strcmp(sc_setting_fields[i].name, name) == 0)
			return &sc_setting_fields[i];
	fail_msg("no field %s", name);
	return NULL;
}

static struct sc_axis axis(const char *name, const int64_t *values, size_t count)
{
	return (struct sc_axis){field(name), values, count};
}

static struct sc_plan_request request_of(const struct sc_axis *axes, size_t axis_count)
{
	static struct sc_plan_suite planned;

	suite.setting = sc_setting_default();
	planned = (struct sc_plan_suite){.suite = &suite, .axis_count = axis_count};
	for (size_t i = 0; i < axis_count; i++)
		planned.axes[i] = axes[i];
	return (struct sc_plan_request){
		.suites = &planned,
		.suite_count = 1,
		.targets = targets,
		.target_count = 1,
		.wal_states = recycled,
		.wal_state_count = 1,
		.seed = 1,
	};
}

static void choose(struct sc_plan_request *request, const char *glob)
{
	static const char *globs[1];

	globs[0] = glob;
	request->globs = globs;
	request->glob_count = 1;
}

static struct sc_plan *plan_of(const struct sc_plan_request *request)
{
	struct sc_plan *plan = NULL;
	struct sc_error error = {0};

	if (sc_plan_new(request, &plan, &error) < 0)
		fail_msg("%s", error.what);
	return plan;
}

static size_t find(const struct sc_plan *plan, const char *id)
{
	for (size_t i = 0; i < plan->cell_count; i++)
		if (strcmp(plan->cells[i].id, id) == 0)
			return i;
	fail_msg("no cell %s", id);
	return 0;
}

static void default_axes(struct sc_axis axes[2])
{
	axes[0] = axis("journal_mode", journals, 2);
	axes[1] = axis("synchronous", levels, 4);
}

static void counts_have_a_closed_form(void **state)
{
	const struct {
		size_t target_count, journal_count, level_count, state_count, page_count,
			batch_count;
	} grids[] = {
		{1, 2, 4, 1, 1, 1}, {2, 2, 4, 1, 1, 1}, {1, 2, 4, 2, 1, 1},
		{1, 6, 4, 2, 3, 1}, {2, 6, 3, 2, 3, 3}, {1, 6, 1, 1, 2, 2},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(grids) / sizeof(grids[0]); i++) {
		const struct sc_axis axes[] = {
			axis("journal_mode", grids[i].journal_count == 2 ? journals : all_journals,
			     grids[i].journal_count),
			axis("synchronous", levels, grids[i].level_count),
			axis("page_size", page_sizes, grids[i].page_count),
			axis("rows_per_commit", batches, grids[i].batch_count),
		};
		struct sc_plan_request request = request_of(axes, 4);
		struct sc_plan *plan;
		size_t per_workload, workload_weight;

		request.target_count = grids[i].target_count;
		request.wal_states = both_states;
		request.wal_state_count = grids[i].state_count;
		plan = plan_of(&request);
		/* WAL is in both lists of journals, and it alone has states */
		per_workload = (grids[i].journal_count - 1 + grids[i].state_count) *
			       grids[i].level_count * grids[i].page_count;
		/* insert_one is not cut, insert_batch is; read_point is not in the default */
		workload_weight = 1 + grids[i].batch_count;
		assert_int_equal(plan->cell_count,
				 grids[i].target_count * per_workload * workload_weight);
		sc_plan_freep(&plan);
	}
}

static void a_default_grid_runs_16_of_24_cells_for_two_writers_and_a_reader(void **state)
{
	struct sc_axis axes[2];
	struct sc_plan_request request;
	struct sc_plan *plan;

	(void)state;
	default_axes(axes);
	request = request_of(axes, 2);
	choose(&request, "*");
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, 24);
	assert_int_equal(plan->run_count, 16); /* WAL: EXTRA is FULL; a reader has no levels */
	sc_plan_freep(&plan);
}

static void identifiers_say_what_a_cell_is(void **state)
{
	const struct sc_axis axes[] = {
		axis("journal_mode", journals, 2),
		axis("page_size", page_sizes, 3),
	};
	struct sc_plan_request request = request_of(axes, 2);
	struct sc_plan *plan;

	(void)state;
	request.wal_states = both_states;
	request.wal_state_count = 2;
	plan = plan_of(&request);
	(void)find(plan, "local/commit/insert_one/delete/full");
	(void)find(plan, "local/commit/insert_one/wal/full/recycled");
	(void)find(plan, "local/commit/insert_one/wal/full/fresh/page_size=8192");
	(void)find(plan, "local/commit/insert_batch/delete/full/page_size=1024");
	for (size_t i = 0; i < plan->cell_count; i++)
		for (size_t j = 0; j < i; j++)
			assert_string_not_equal(plan->cells[i].id, plan->cells[j].id);
	sc_plan_freep(&plan);
}

static void the_order_of_lists_does_not_change_the_plan(void **state)
{
	static const int64_t backwards[] = {3, 2, 1, 0};
	struct sc_axis axes[2], turned[2];
	struct sc_plan_request request, other;
	struct sc_plan *plan, *same;

	(void)state;
	default_axes(axes);
	turned[0] = axis("synchronous", backwards, 4);
	turned[1] = axes[0];
	request = request_of(axes, 2);
	other = request_of(turned, 2);
	plan = plan_of(&request);
	same = plan_of(&other);
	assert_int_equal(plan->cell_count, same->cell_count);
	for (size_t i = 0; i < plan->cell_count; i++)
		assert_string_equal(plan->cells[i].id, same->cells[i].id);
	sc_plan_freep(&plan);
	sc_plan_freep(&same);
}

static void settings_that_cannot_differ_refer_to_the_canonical_one(void **state)
{
	struct sc_axis axes[2];
	struct sc_plan_request request;
	struct sc_plan *plan;
	size_t extra;

	(void)state;
	default_axes(axes);
	request = request_of(axes, 2);
	plan = plan_of(&request);
	extra = find(plan, "local/commit/insert_one/wal/extra/recycled");
	assert_true(plan->cells[extra].is_same);
	assert_int_equal(plan->cells[extra].same_index,
			 find(plan, "local/commit/insert_one/wal/full/recycled"));
	assert_non_null(plan->cells[extra].same_reason);
	/* the journal is deleted, so its directory is synced: EXTRA does differ there */
	assert_false(plan->cells[find(plan, "local/commit/insert_one/delete/extra")].is_same);
	sc_plan_freep(&plan);
}

static void without_the_canonical_one_the_first_stands_for_the_rest(void **state)
{
	static const int64_t wal[] = {SC_JOURNAL_WAL}, extra[] = {SC_SYNCHRONOUS_EXTRA};
	static const int64_t switches[] = {0, 1};
	const struct sc_axis axes[] = {
		axis("journal_mode", wal, 1),
		axis("synchronous", extra, 1),
		axis("fullfsync", switches, 2),
	};
	struct sc_plan_request request = request_of(axes, 3);
	struct sc_plan *plan;

	(void)state;
	choose(&request, "insert_one");
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, 2);
	assert_int_equal(plan->run_count, 1);
	assert_false(plan->cells[0].is_same);
	assert_true(plan->cells[1].is_same);
	assert_int_equal(plan->cells[1].same_index, 0);
	assert_non_null(strstr(plan->cells[1].same_reason, "fullfsync"));
	sc_plan_freep(&plan);
}

static void the_same_seed_gives_the_same_orders_and_another_one_does_not(void **state)
{
	struct sc_axis axes[2];
	struct sc_plan_request request;
	struct sc_plan *plan, *again, *other;
	uint32_t *orders[4];

	(void)state;
	default_axes(axes);
	request = request_of(axes, 2);
	plan = plan_of(&request);
	again = plan_of(&request);
	request.seed = 2;
	other = plan_of(&request);
	for (size_t i = 0; i < 4; i++)
		orders[i] = calloc(plan->run_count, sizeof(*orders[i]));
	sc_plan_order(plan, 1, orders[0]);
	sc_plan_order(again, 1, orders[1]);
	sc_plan_order(other, 1, orders[2]);
	sc_plan_order(plan, 2, orders[3]);
	assert_memory_equal(orders[0], orders[1], plan->run_count * sizeof(**orders));
	assert_memory_not_equal(orders[0], orders[2], plan->run_count * sizeof(**orders));
	assert_memory_not_equal(orders[0], orders[3], plan->run_count * sizeof(**orders));
	for (size_t i = 0; i < 4; i++)
		free(orders[i]);
	sc_plan_freep(&plan);
	sc_plan_freep(&again);
	sc_plan_freep(&other);
}

static void each_round_takes_each_cell_that_is_run_once(void **state)
{
	struct sc_axis axes[2];
	struct sc_plan_request request;
	struct sc_plan *plan;
	uint32_t *order;
	bool *taken;

	(void)state;
	default_axes(axes);
	request = request_of(axes, 2);
	plan = plan_of(&request);
	order = calloc(plan->run_count, sizeof(*order));
	for (uint32_t round = 0; round < 20; round++) {
		taken = calloc(plan->cell_count, sizeof(*taken));
		sc_plan_order(plan, round, order);
		for (size_t i = 0; i < plan->run_count; i++) {
			assert_true(order[i] < plan->cell_count);
			assert_false(taken[order[i]]);
			assert_false(plan->cells[order[i]].is_same);
			taken[order[i]] = true;
		}
		free(taken);
	}
	free(order);
	sc_plan_freep(&plan);
}

static void expect_refusal(const struct sc_plan_request *request, const char *what)
{
	struct sc_plan *plan = NULL;
	struct sc_error error = {0};

	assert_int_equal(sc_plan_new(request, &plan, &error), SC_E_USAGE);
	assert_null(plan);
	if (!strstr(error.what, what))
		fail_msg("'%s' does not say '%s'", error.what, what);
}

/* A brute force would compare each pair of cells: minutes. */
static void a_grid_of_the_greatest_size_is_planned_and_one_beyond_it_is_refused(void **state)
{
	static int64_t many[25001];
	struct sc_axis axes[2];
	struct sc_plan_request request;
	struct sc_plan *plan;

	(void)state;
	for (int64_t i = 0; i < 25001; i++)
		many[i] = i;
	axes[0] = axis("wal_autocheckpoint", many, 25000);
	axes[1] = axis("synchronous", levels, 4);
	request = request_of(axes, 2);
	choose(&request, "insert_one");
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, SC_PLAN_CELLS_MAX);
	for (size_t i = 0; i < plan->cell_count; i += 997)
		assert_false(plan->cells[plan->cells[i].same_index].is_same);
	sc_plan_freep(&plan);

	axes[0] = axis("wal_autocheckpoint", many, 25001);
	request = request_of(axes, 2);
	choose(&request, "insert_one");
	expect_refusal(&request, "100004 cells");
}

static void an_absurd_grid_is_refused_and_does_not_wrap_around(void **state)
{
	static int64_t many[1 << 17];
	struct sc_axis axes[4];
	struct sc_plan_request request;

	(void)state;
	axes[0] = axis("wal_autocheckpoint", many, 1 << 17);
	axes[1] = axis("cache_size", many, 1 << 17);
	axes[2] = axis("mmap_size", many, 1 << 17);
	axes[3] = axis("page_size", many, 1 << 17); /* 2^68 */
	request = request_of(axes, 4);
	expect_refusal(&request, "cells, more than 100000");
}

static void a_glob_that_matches_nothing_is_refused_with_the_names(void **state)
{
	struct sc_plan_request request = request_of(NULL, 0);
	struct sc_plan *plan = NULL;
	struct sc_error error = {0};

	(void)state;
	choose(&request, "delete_*");
	assert_int_equal(sc_plan_new(&request, &plan, &error), SC_E_USAGE);
	assert_non_null(strstr(error.what, "delete_*"));
	assert_non_null(strstr(error.next, "insert_one, insert_batch, read_point"));
}

static void each_of_several_globs_must_match(void **state)
{
	static const char *const globs[] = {"*_point", "insert_o*"}, *const bad[] = {"*", "none"};
	struct sc_plan_request request = request_of(NULL, 0);
	struct sc_plan *plan;

	(void)state;
	request.globs = globs;
	request.glob_count = 2;
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, 2);
	(void)find(plan, "local/commit/insert_one/delete/full");
	(void)find(plan, "local/commit/read_point/delete/full");
	sc_plan_freep(&plan);
	request.globs = bad;
	expect_refusal(&request, "'none' matches no workload");
}

static void a_reader_has_one_level_of_synchronous_but_its_journals(void **state)
{
	static const int64_t switches[] = {0, 1};
	struct sc_axis axes[4];
	struct sc_plan_request request;
	struct sc_plan *plan;

	(void)state;
	default_axes(axes);
	axes[2] = axis("fullfsync", switches, 2);
	axes[3] = axis("checkpoint_fullfsync", switches, 2);
	request = request_of(axes, 4);
	choose(&request, "read_point");
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, 32);
	assert_int_equal(plan->run_count, 2);
	assert_false(plan->cells[find(plan, "local/commit/read_point/delete/full")].is_same);
	assert_false(plan->cells[find(plan, "local/commit/read_point/wal/full/recycled")].is_same);
	assert_string_equal(
		plan->cells[find(plan, "local/commit/read_point/delete/off")].same_reason,
		"a workload that only reads never syncs");
	sc_plan_freep(&plan);
}

static void several_suites_keep_their_own_axes_and_workloads(void **state)
{
	static char other_name[] = "other", delete_name[] = "delete_one";
	static struct sc_workload other_workloads[] = {
		{.name = delete_name,
		 .in_default_sweep = true,
		 .writes = true,
		 .rows_per_commit = 1},
		{.name = one_name, .in_default_sweep = true, .writes = true, .rows_per_commit = 1},
	};
	static struct sc_suite other = {
		.name = other_name, .workloads = other_workloads, .workload_count = 2};
	struct sc_plan_suite suites[2] = {{.suite = &suite}, {.suite = &other}};
	struct sc_plan_request request = request_of(NULL, 0);
	struct sc_plan *plan;

	(void)state;
	other.setting = sc_setting_default();
	default_axes(suites[0].axes);
	suites[0].axis_count = 2;
	request.suites = suites;
	request.suite_count = 2;
	request.target_count = 2;
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, 2 * (2 * 8 + 2));
	for (size_t i = 0; i < plan->cell_count; i++) {
		const char *name = sc_plan_suite(plan, i)->name;

		assert_non_null(strstr(plan->cells[i].id, name));
		assert_non_null(strstr(plan->cells[i].id, sc_plan_workload(plan, i)->name));
		assert_ptr_equal(sc_plan_suite(plan, plan->cells[i].same_index),
				 sc_plan_suite(plan, i));
	}
	(void)find(plan, "other/other/insert_one/delete/full");
	sc_plan_freep(&plan);

	choose(&request, "delete_one");
	expect_refusal(&request, "chooses nothing of suite 'commit'");
	choose(&request, "none");
	expect_refusal(&request, "of any of the 2 suites");
	suites[1].suite = &suite;
	request.glob_count = 0;
	expect_refusal(&request, "two suites have the name 'commit'");
}

static void cells_of_several_clients_are_cells_of_their_own(void **state)
{
	static const int64_t clients[] = {16, 1, 4};
	struct sc_axis axes[2];
	struct sc_plan_request request;
	struct sc_plan *plan;
	size_t same;

	(void)state;
	default_axes(axes);
	request = request_of(axes, 2);
	choose(&request, "insert_one");
	request.clients = clients;
	request.client_count = 3;
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, 24);
	assert_int_equal(plan->run_count, 21);
	assert_int_equal(plan->cells[find(plan, "local/commit/insert_one/delete/off")].clients, 1);
	same = find(plan, "local/commit/insert_one/wal/extra/recycled/clients=16");
	assert_int_equal(plan->cells[same].clients, 16);
	assert_true(plan->cells[same].is_same);
	assert_string_equal(plan->cells[plan->cells[same].same_index].id,
			    "local/commit/insert_one/wal/full/recycled/clients=16");
	sc_plan_freep(&plan);
}

static const int64_t both_stores[] = {SC_STORE_SQLITE, SC_STORE_SNAPSHOT};

static void a_snapshot_has_cells_for_what_means_something_there(void **state)
{
	struct sc_axis axes[4];
	struct sc_plan_request request;
	const struct sc_plan_cell *cell;
	struct sc_plan *plan;

	(void)state;
	default_axes(axes);
	axes[2] = axis("page_size", page_sizes, 3);
	axes[3] = axis("rows_per_commit", batches, 3);
	request = request_of(axes, 4);
	request.stores = &both_stores[1];
	request.store_count = 1;
	plan = plan_of(&request);
	/* off and full, three page sizes; the batch cuts its transactions in three ways */
	assert_int_equal(plan->cell_count, 2 * 3 + 2 * 3 * 3);
	assert_int_equal(plan->run_count, plan->cell_count);
	cell = &plan->cells[find(plan, "local/commit/insert_one/snapshot/full/page_size=8192")];
	assert_int_equal(cell->store, SC_STORE_SNAPSHOT);
	assert_int_equal(cell->setting.journal_mode, SC_JOURNAL_MEMORY);
	assert_int_equal(cell->setting.page_size, 8192);
	assert_false(cell->uses_wal_state);
	(void)find(plan,
		   "local/commit/insert_batch/snapshot/off/page_size=1024/rows_per_commit=10");
	sc_plan_freep(&plan);
}

static void beside_sqlite_it_changes_none_of_its_cells(void **state)
{
	static const int64_t clients[] = {1, 4};
	struct sc_axis axes[2];
	struct sc_plan_request request;
	struct sc_plan *plan, *alone;
	size_t memory;

	(void)state;
	default_axes(axes);
	axes[0] = axis("journal_mode", all_journals, 6);
	request = request_of(axes, 2);
	choose(&request, "*");
	request.clients = clients;
	request.client_count = 2;
	alone = plan_of(&request);
	request.stores = both_stores;
	request.store_count = 2;
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, alone->cell_count + 3 * 2);
	assert_int_equal(plan->run_count, alone->run_count + 2 * 2 + 1);
	for (size_t i = 0; i < alone->cell_count; i++)
		(void)find(plan, alone->cells[i].id);
	/* a journal in memory is not a snapshot, though their settings are the same */
	memory = find(plan, "local/commit/insert_one/memory/full");
	assert_false(plan->cells[memory].is_same);
	assert_false(plan->cells[find(plan, "local/commit/insert_one/snapshot/full")].is_same);
	/* a reader never syncs, in either */
	memory = find(plan, "local/commit/read_point/snapshot/off");
	assert_true(plan->cells[memory].is_same);
	assert_int_equal(plan->cells[memory].same_index,
			 find(plan, "local/commit/read_point/snapshot/full"));
	sc_plan_freep(&plan);
	sc_plan_freep(&alone);
}

static void a_snapshot_for_several_clients_alone_is_refused(void **state)
{
	static const int64_t clients[] = {4, 16};
	struct sc_axis axes[2];
	struct sc_plan_request request;

	(void)state;
	default_axes(axes);
	request = request_of(axes, 2);
	request.stores = both_stores;
	request.store_count = 2;
	request.clients = clients;
	request.client_count = 2;
	expect_refusal(&request, "--store");
	request.client_count = 0;
	workloads[0].beside_count = 1; /* and so is one that has others beside it */
	expect_refusal(&request, "insert_one");
	workloads[0].beside_count = 0;
}

static void rows_per_commit_for_workloads_that_cannot_vary_are_refused(void **state)
{
	const struct sc_axis axes[] = {axis("rows_per_commit", batches, 3)};
	struct sc_plan_request request = request_of(axes, 1);

	(void)state;
	choose(&request, "insert_one");
	expect_refusal(&request, "--rows-per-commit");
}

static void numbers_of_rows_are_cells_of_their_own_and_of_one_suite_alone(void **state)
{
	static const int64_t rows[] = {10000, 1000}, clients[] = {1, 4};
	static char other_name[] = "other";
	static struct sc_suite other = {
		.name = other_name, .workloads = workloads, .workload_count = 3, .rows = 77};
	struct sc_plan_suite suites[2] = {
		{.suite = &suite, .rows = {rows, 2}, .clients = {clients, 2}},
		{.suite = &other},
	};
	struct sc_plan_request request = request_of(NULL, 0);
	struct sc_plan *plan;
	size_t index;

	(void)state;
	other.setting = sc_setting_default();
	request.suites = suites;
	request.suite_count = 2;
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, 2 * 2 * 2 + 2);
	assert_int_equal(plan->run_count, plan->cell_count);
	index = find(plan, "local/commit/insert_one/delete/full/rows=10000/clients=4");
	assert_int_equal(plan->cells[index].rows, 10000);
	assert_int_equal(plan->cells[index].clients, 4);
	index = find(plan, "local/other/insert_one/delete/full");
	assert_int_equal(plan->cells[index].rows, 77);
	assert_int_equal(plan->cells[index].clients, 1);
	sc_plan_freep(&plan);
}

static void a_database_in_memory_runs_once_whatever_the_setting(void **state)
{
	static char memory_name[] = "memory";
	static struct sc_suite memory = {.name = memory_name,
					 .workloads = workloads,
					 .workload_count = 3,
					 .in_memory = true};
	struct sc_plan_suite planned = {.suite = &memory};
	struct sc_plan_request request = request_of(NULL, 0);
	static const int64_t clients[] = {2}, wal[] = {SC_JOURNAL_WAL};
	struct sc_plan *plan = NULL;
	struct sc_error error = {0};

	(void)state;
	memory.setting = sc_setting_default();
	default_axes(planned.axes);
	planned.axis_count = 2;
	request.suites = &planned;
	choose(&request, "insert_one");
	request.wal_states = both_states;
	request.wal_state_count = 2;
	plan = plan_of(&request);
	assert_int_equal(plan->cell_count, 8); /* no state of a WAL that there is not */
	assert_int_equal(plan->run_count, 1);
	assert_string_equal(sc_plan_store(plan, 0), "memory");
	assert_string_equal(plan->cells[find(plan, "local/memory/insert_one/wal/off")].same_reason,
			    "a database in memory has no file to journal, sync, lock or map");
	sc_plan_freep(&plan);
	planned.axes[0].values = wal;
	planned.axes[0].value_count = 1;
	assert_int_equal(sc_plan_new(&request, &plan, &error), SC_E_USAGE);
	assert_string_equal(error.what, "--journal-mode: the database of suite 'memory' is in "
					"memory, where there is no WAL");
	default_axes(planned.axes);
	request.clients = clients;
	request.client_count = 1;
	assert_int_equal(sc_plan_new(&request, &plan, &error), SC_E_USAGE);
	assert_string_equal(error.what, "--clients: the database of suite 'memory' is in memory, "
					"where only one client finds it");
	memory.in_memory = false; /* the control */
	plan = plan_of(&request);
	assert_int_equal(plan->run_count, 4 + 2 * 3); /* the latter in both states of the WAL */
	sc_plan_freep(&plan);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("the number of cells has a closed form", counts_have_a_closed_form),
		CASE("each of several globs must match", each_of_several_globs_must_match),
		CASE("a reader has one level of synchronous, but its journals",
		     a_reader_has_one_level_of_synchronous_but_its_journals),
		CASE("a default grid runs 16 of 24 cells for two writers and a reader",
		     a_default_grid_runs_16_of_24_cells_for_two_writers_and_a_reader),
		CASE("identifiers say what a cell is, and are unique",
		     identifiers_say_what_a_cell_is),
		CASE("the order of lists does not change the plan",
		     the_order_of_lists_does_not_change_the_plan),
		CASE("settings that cannot differ refer to the canonical one",
		     settings_that_cannot_differ_refer_to_the_canonical_one),
		CASE("without the canonical one the first stands for the rest",
		     without_the_canonical_one_the_first_stands_for_the_rest),
		CASE("the same seed gives the same orders, another seed or round does not",
		     the_same_seed_gives_the_same_orders_and_another_one_does_not),
		CASE("each round takes each cell that is run once",
		     each_round_takes_each_cell_that_is_run_once),
		CASE("a grid of the greatest size is planned and one beyond it is refused",
		     a_grid_of_the_greatest_size_is_planned_and_one_beyond_it_is_refused),
		CASE("several suites keep their own axes and workloads",
		     several_suites_keep_their_own_axes_and_workloads),
		CASE("cells of several clients are cells of their own",
		     cells_of_several_clients_are_cells_of_their_own),
		CASE("numbers of rows are cells of their own, and of one suite alone",
		     numbers_of_rows_are_cells_of_their_own_and_of_one_suite_alone),
		CASE("a database in memory runs once, whatever the setting",
		     a_database_in_memory_runs_once_whatever_the_setting),
		CASE("a snapshot has cells for what means something there",
		     a_snapshot_has_cells_for_what_means_something_there),
		CASE("beside sqlite it changes none of its cells",
		     beside_sqlite_it_changes_none_of_its_cells),
		CASE("a snapshot for several clients alone is refused",
		     a_snapshot_for_several_clients_alone_is_refused),
		CASE("an absurd grid is refused and does not wrap around",
		     an_absurd_grid_is_refused_and_does_not_wrap_around),
		CASE("a glob that matches nothing is refused with the names there are",
		     a_glob_that_matches_nothing_is_refused_with_the_names),
		CASE("rows per commit are refused where no workload can vary them",
		     rows_per_commit_for_workloads_that_cannot_vary_are_refused),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
