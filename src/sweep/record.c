/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <errno.h>
#include <string.h>

int sc_record_add(struct sc_record *record, struct sc_sample *sample, struct sc_error *error)
{
	struct sc_sample *samples =
		reallocarray(record->samples, record->sample_count + 1u, sizeof(*samples));

	if (!samples)
		return sc_fail(error, -ENOMEM, "keeping a sample");
	record->samples = samples;
	record->failed = record->failed || sample->status != SC_MEASURED;
	samples[record->sample_count++] = *sample;
	*sample = (struct sc_sample){0};
	return 0;
}

void sc_record_fini(struct sc_record *record)
{
	for (size_t i = 0; i < record->sample_count; i++)
		sc_sample_fini(&record->samples[i]);
	sc_freep(&record->samples);
	record->sample_count = 0;
}

int sc_record_cell(const struct sc_sweep *sweep, size_t index, struct sc_cell *cell,
		   struct sc_error *error)
{
	const struct sc_plan_cell *planned = &sweep->plan->cells[index];
	const struct sc_workload *workload = sc_plan_workload(sweep->plan, index);
	const struct sc_suite *suite = sc_plan_suite(sweep->plan, index);

	sc_cell_init(cell);
	cell->id = strdup(planned->id);
	cell->target = strdup(sweep->targets[planned->target_index].label);
	cell->suite = strdup(suite->name);
	cell->workload = strdup(workload->name);
	cell->unit = strdup(workload->unit);
	cell->store = strdup("sqlite");
	cell->device = strdup("none");
	cell->clock = strdup("real");
	cell->layers = strdup("meter,unix");
	if (!cell->id || !cell->target || !cell->suite || !cell->workload || !cell->unit ||
	    !cell->store || !cell->device || !cell->clock || !cell->layers)
		return sc_fail(error, -ENOMEM, "naming a cell");
	(void)snprintf(cell->suite_digest, sizeof(cell->suite_digest), "%s", suite->digest);
	cell->wal_state = planned->wal_state;
	cell->uses_wal_state = planned->uses_wal_state;
	cell->setting = planned->setting;
	cell->clients = planned->clients;
	cell->rows = sweep->rows ? sweep->rows : suite->rows;
	cell->seed = sweep->plan->seed;
	return 0;
}

int sc_records_summarise(const struct sc_plan *plan, const struct sc_record *records,
			 struct sc_cell *cells, struct sc_error *error)
{
	for (size_t i = 0; i < plan->cell_count; i++) {
		int r = 0;

		if (records[i].sample_count > 0)
			r = sc_cell_summarise(&cells[i], records[i].samples,
					      records[i].sample_count, error);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < plan->cell_count; i++) {
		const struct sc_plan_cell *planned = &plan->cells[i];
		int r = 0;

		if (planned->is_same)
			r = sc_cell_same(&cells[i], &cells[planned->same_index],
					 planned->same_reason, error);
		if (r < 0)
			return r;
	}
	return 0;
}
