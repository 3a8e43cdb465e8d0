/* SPDX-License-Identifier: MIT */

#include "report.h"

#include <string.h>

void sc_cell_init(struct sc_cell *cell)
{
	*cell = (struct sc_cell){
		.clients = 1,
		.status = SC_SKIPPED,
		.ops_per_s.status = SC_SKIPPED,
		.commits_per_s.status = SC_SKIPPED,
		.op_ns.status = SC_SKIPPED,
		.commit_ns.status = SC_SKIPPED,
		.cpu_wall_status = SC_SKIPPED,
		.split.status = SC_SKIPPED,
		.bound.status = SC_SKIPPED,
		.syncs.status = SC_SKIPPED,
	};
}

void sc_cell_fini(struct sc_cell *cell)
{
	free(cell->id);
	free(cell->target);
	free(cell->suite);
	free(cell->workload);
	free(cell->unit);
	free(cell->store);
	free(cell->device);
	free(cell->clock);
	free(cell->layers);
	free(cell->same_as);
	free(cell->same_as_reason);
	free(cell->reason);
	free(cell->op_ns.buckets);
	free(cell->commit_ns.buckets);
	free(cell->io);
	free(cell->samples);
	sc_findings_fini(&cell->findings);
	*cell = (struct sc_cell){ 0 };
}
