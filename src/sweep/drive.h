/* SPDX-License-Identifier: MIT */
#pragma once

/* The running sweep: one place for what lives from its first to its last sample. */

#include "../base/directory.h"
#include "folder.h"
#include "schedule.h"
#include "sweep.h"

struct sc_drive {
	const struct sc_sweep *sweep;
	const struct sc_sweep_observer *observer;
	struct sc_folder folder;
	struct sc_directory *workplaces; /* one a target */
	struct sc_report_head head;
	struct sc_cell *cells; /* one a cell of the plan, as records */
	struct sc_record *records;
	struct sc_schedule schedule;
	uint64_t turn_start_ns; /* when the sample before this one was kept */
	struct sc_sweep_progress progress;
};

/** sc_drive_next() - whose turn it is; plans the rule when the ledger's round is over
 * Return: false where no sample is left to take. */
bool sc_drive_next(struct sc_drive *drive, struct sc_turn *ret_turn);

/**
 * sc_drive_round() - the samples of the next round, or those of it that are still missing
 * @ret_round: 0 was the ledger's, which sizes the timing samples; untouched where there is none
 *
 * Return: 0; 1 where no sample was left to take; SC_E_INTERRUPTED; another code where the sweep
 * cannot go on.
 */
int sc_drive_round(struct sc_drive *drive, uint32_t *ret_round, struct sc_error *error);

/** sc_drive_save() - summarise, judge and replace summary.json. */
int sc_drive_save(struct sc_drive *drive, bool complete, struct sc_error *error);
