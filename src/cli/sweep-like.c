/* SPDX-License-Identifier: MIT */
#include "sweep-like.h"

#include <errno.h>
#include <string.h>

#include "../model/report.h"

/* The report's cells, by their names. */
struct former {
	char *id;
	uint64_t operations;
};

struct formers {
	struct former *items;
	size_t count;
	bool skip_target; /* names are identifiers without the target */
};

static void formers_fini(struct formers *formers)
{
	for (size_t i = 0; i < formers->count; i++)
		free(formers->items[i].id);
	free(formers->items);
}

static const char *name_of(const struct formers *formers, const char *id)
{
	const char *slash = formers->skip_target ? strchr(id, '/') : NULL;

	return slash ? slash + 1 : id;
}

static int compare_formers(const void *a, const void *b)
{
	const struct former *left = a, *right = b;

	return strcmp(left->id, right->id);
}

#define OPERATIONS_MAX 1000000000u /* as of --ops */

static int add(struct formers *formers, const struct sc_cell *cell, struct sc_error *error)
{
	struct former *items;

	if (cell->operations > OPERATIONS_MAX)
		return sc_fail(error, SC_E_USAGE,
			       "--like: cell '%s' of the report has more operations than --ops "
			       "allows",
			       cell->id);
	items = reallocarray(formers->items, formers->count + 1u, sizeof(*items));
	if (!items)
		return sc_fail(error, -ENOMEM, "reading the report");
	formers->items = items;
	items[formers->count].id = strdup(name_of(formers, cell->id));
	items[formers->count].operations = cell->operations;
	if (!items[formers->count].id)
		return sc_fail(error, -ENOMEM, "reading the report");
	formers->count++;
	return 0;
}

static int read_cells(struct sc_report_reader *reader, struct formers *formers,
		      struct sc_error *error)
{
	for (;;) {
		SC_CLEANUP(sc_cell_fini) struct sc_cell cell = {0};
		int r = sc_report_next(reader, &cell, error);

		if (r < 0)
			return r;
		if (r == 1)
			break;
		if (cell.operations == 0 || !cell.id)
			continue;
		r = add(formers, &cell, error);
		if (r < 0)
			return r;
	}
	if (formers->count > 0)
		qsort(formers->items, formers->count, sizeof(*formers->items), compare_formers);
	return 0;
}

static void match(const struct formers *formers, const struct sc_plan *plan, uint64_t *operations)
{
	for (size_t i = 0; i < plan->cell_count && formers->count > 0; i++) {
		char *id = plan->cells[i].id;
		const struct former key = {.id = id + (name_of(formers, id) - id)};
		const struct former *found = bsearch(&key, formers->items, formers->count,
						     sizeof(*formers->items), compare_formers);

		operations[i] = found ? found->operations : 0;
	}
}

static bool has_one_target(const struct sc_plan *plan)
{
	return plan->cells[0].target_index == plan->cells[plan->cell_count - 1].target_index;
}

int sc_sweep_like(const char *folder, const struct sc_plan *plan, uint64_t **ret_operations,
		  struct sc_error *error)
{
	SC_CLEANUP(sc_report_closep) struct sc_report_reader *reader = NULL;
	SC_CLEANUP(formers_fini) struct formers formers = {0};
	SC_CLEANUP(sc_freep) uint64_t *operations = calloc(plan->cell_count, sizeof(*operations));
	int r;

	if (!operations)
		return sc_fail(error, -ENOMEM, "planning the sweep");
	r = sc_report_open(folder, &reader, error);
	if (r < 0)
		return r;
	formers.skip_target =
		sc_report_reader_head(reader)->target_count == 1 && has_one_target(plan);
	r = read_cells(reader, &formers, error);
	if (r < 0)
		return r;
	match(&formers, plan, operations);
	*ret_operations = SC_TAKE(operations);
	return 0;
}
