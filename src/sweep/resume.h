/* SPDX-License-Identifier: MIT */
#pragma once

/* Going on with a sweep that was ended: its samples are taken back from its report. */

#include "drive.h"

/**
 * sc_resume_load() - take over what the report in the drive's folder holds
 * @drive: its folder is open; its records, head and cells are as for a new sweep
 * @ret_complete: nothing is left to do
 *
 * Return: 0; SC_E_USAGE where plan, SQLite, kernel or processor are not those of the report: its
 * samples and new ones would not be of one kind; another code.
 */
int sc_resume_load(struct sc_drive *drive, bool *ret_complete, struct sc_error *error);

/**
 * sc_resume_check_targets() - whether the drive's targets, now open, are on the same storage
 * Return: 0; SC_E_USAGE where one is not; another code.
 */
int sc_resume_check_targets(struct sc_drive *drive, struct sc_error *error);
