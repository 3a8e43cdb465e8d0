/* SPDX-License-Identifier: MIT */
#pragma once

/* A report folder: a directory of mode 0700 whose files are replaced whole, or grow by lines. */

#include "../model/report.h"

struct sc_folder {
	char *path;     /* owned; NULL: none */
	int samples_fd; /* raw/samples.ndjson, for appending; -1: none */
};

#define SC_FOLDER_NONE ((struct sc_folder){.samples_fd = -1})

/**
 * sc_folder_make()
 * @path: a directory that is empty or does not exist, or NULL for a new one,
 *        ./syncost-reports/TIME-@kind
 * @ret_folder: end with sc_folder_fini(); it stays on disk
 *
 * Return: 0; SC_E_USAGE where @path is something else already; another code where it cannot be
 * made.
 */
int sc_folder_make(const char *path, const char *kind, struct sc_folder *ret_folder,
		   struct sc_error *error);

/** sc_folder_check() - what sc_folder_make() would refuse @path for; NULL: nothing */
int sc_folder_check(const char *path, struct sc_error *error);

/** sc_folder_append() - one sample's line, durable when it returns. */
int sc_folder_append(const struct sc_folder *folder, const char *line, struct sc_error *error);

/** sc_folder_write() - create or replace a file of the folder, durably. */
int sc_folder_write(const struct sc_folder *folder, const char *name, const char *text,
		    struct sc_error *error);

/** sc_folder_write_summary() - replace summary.json, durably. */
int sc_folder_write_summary(const struct sc_folder *folder, const struct sc_report_head *head,
			    const struct sc_cell *cells, struct sc_error *error);

void sc_folder_fini(struct sc_folder *folder);
