/* SPDX-License-Identifier: MIT */
#pragma once

/* Where a sweep works on one target: a private directory inside it, gone at the end. */

#include "../base/directory.h"
#include "../model/report.h"
#include "sweep.h"

/**
 * sc_workplace_check() - what sc_workplace_open() would refuse @place for, without touching it
 * Return: as there.
 */
int sc_workplace_check(const struct sc_sweep_target *place, struct sc_error *error);

/**
 * sc_workplace_open() - look at the target, remove what killed sweeps left there, move in
 * @ret_workplace: end with sc_directory_remove_own()
 * @target: zeroed; filled with the report's facts, without the floors; the caller finishes it
 *
 * Return: 0; SC_E_USAGE where there is no such directory or it may not be entered;
 * SC_E_UNMEASURABLE where nothing can be made in it.
 */
int sc_workplace_open(const struct sc_sweep_target *place, struct sc_directory *ret_workplace,
		      struct sc_target *target, struct sc_error *error);

/**
 * sc_workplace_floor() - measure the sync floor into @target; a few tenths of a second
 *
 * Called before the first and after the last round: the lower of the two medians stays, since a
 * floor is what nothing gets below.
 */
int sc_workplace_floor(const struct sc_directory *workplace, struct sc_target *target,
		       struct sc_error *error);

/**
 * sc_workplace_sample() - empty the workplace and make a directory for one sample in it
 * @ret_path: the caller frees it
 */
int sc_workplace_sample(const struct sc_directory *workplace, char **ret_path,
			struct sc_error *error);
