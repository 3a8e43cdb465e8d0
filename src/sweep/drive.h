/* SPDX-License-Identifier: MIT */
#pragma once

/* The running sweep: one place for what lives from its first to its last sample. */

#include "../base/directory.h"
#include "folder.h"
#include "record.h"
#include "sweep.h"

struct sc_drive {
	const struct sc_sweep *sweep;
	const struct sc_sweep_observer *observer;
	struct sc_folder folder;
	struct sc_directory *workplaces; /* one a target */
	struct sc_report_head head;
	struct sc_cell *cells; /* one a cell of the plan, as records */
	struct sc_record *records;
	uint32_t *order; /* room for one round */
	struct sc_sweep_progress progress;
};

/**
 * sc_drive_round() - one sample of each cell that is run and has not failed
 * @round: 0 takes the ledger's samples, and sizes the timing samples from them
 *
 * Return: 0; SC_E_INTERRUPTED; another code where the sweep cannot go on.
 */
int sc_drive_round(struct sc_drive *drive, uint32_t round, struct sc_error *error);

/** sc_drive_save() - summarise, judge and replace summary.json. */
int sc_drive_save(struct sc_drive *drive, bool complete, struct sc_error *error);
