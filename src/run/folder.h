/* SPDX-License-Identifier: MIT */
#pragma once

/* The report folder of a run: filled under a name of its own, then given its place as a whole. */

#include "../base/directory.h"

struct sc_run_folder {
	struct sc_directory draft;
	char *place; /* where it goes; owned */
};

#define SC_RUN_FOLDER_NONE ((struct sc_run_folder){.draft = SC_DIRECTORY_NONE})

/**
 * sc_run_folder_make() - before the program starts: what could not be kept shows early
 * @path: a directory that is empty or does not exist, or NULL for a new one,
 *        ./syncost-reports/TIME-run
 * @ret_folder: end with sc_run_folder_fini()
 *
 * The place is resolved now: a program that changes nothing here cannot move it.
 */
int sc_run_folder_make(const char *path, struct sc_run_folder *ret_folder, struct sc_error *error);

/** sc_run_folder_write() - a file of it */
int sc_run_folder_write(const struct sc_run_folder *folder, const char *name, const char *text,
			struct sc_error *error);

/** sc_run_folder_settle() - it gets its place; @ret_path: the caller frees it */
int sc_run_folder_settle(struct sc_run_folder *folder, char **ret_path, struct sc_error *error);

/** sc_run_folder_fini() - one that has not got its place is removed. */
void sc_run_folder_fini(struct sc_run_folder *folder);
