/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A report folder: a directory of mode 0700 whose files are replaced whole, or grow by lines.
 *
 * A new one is filled under a name of its own and gets its place when a reader finds a report in
 * it; a process that is killed before leaves nothing there.
 */

#include "../base/directory.h"
#include "../model/report.h"

struct sc_folder {
	char *path;                /* of the files, now; owned; NULL: none */
	struct sc_directory draft; /* while it has not got its place */
	char *place;               /* asked for; owned; NULL: a dated one, or it is there */
	char *kind;                /* owned, the same */
	bool fills_empty;          /* a directory that was there, until it is settled */
	int samples_fd;            /* raw/samples.ndjson, for appending, locked; -1: none */
};

#define SC_FOLDER_NONE ((struct sc_folder){.draft = SC_DIRECTORY_NONE, .samples_fd = -1})

/**
 * sc_folder_make()
 * @path: a directory that is empty or does not exist, or NULL for a new one,
 *        ./syncost-reports/TIME-@kind
 * @ret_folder: end with sc_folder_fini(); it stays on disk once it is settled
 *
 * Return: 0; SC_E_USAGE where @path is something else already; another code where it cannot be
 * made.
 */
int sc_folder_make(const char *path, const char *kind, struct sc_folder *ret_folder,
		   struct sc_error *error);

/** sc_folder_settle() - what sc_folder_make() made gets its place, with all it holds by now */
int sc_folder_settle(struct sc_folder *folder, struct sc_error *error);

/**
 * sc_folder_open() - one that is there, to be gone on with
 * Return: 0; SC_E_USAGE where @path is no report folder, or a process is writing to it; < 0.
 */
int sc_folder_open(const char *path, struct sc_folder *ret_folder, struct sc_error *error);

/**
 * sc_folder_samples() - all lines of raw/samples.ndjson; one that was cut short is removed
 * @ret_text: the caller frees it
 */
int sc_folder_samples(const struct sc_folder *folder, char **ret_text, struct sc_error *error);

/** sc_folder_check() - what sc_folder_make() would refuse @path for; NULL: nothing */
int sc_folder_check(const char *path, struct sc_error *error);

#define SC_FOLDER_NAME_BYTES 128u

/** sc_folder_suite_name() - where the text of a suite is kept in a report folder */
void sc_folder_suite_name(const char *suite, char *name, size_t name_bytes);

/** sc_folder_append() - one sample's line, durable when it returns. */
int sc_folder_append(const struct sc_folder *folder, const char *line, struct sc_error *error);

/** sc_folder_write() - create or replace a file of the folder, durably. */
int sc_folder_write(const struct sc_folder *folder, const char *name, const char *text,
		    struct sc_error *error);

/** sc_folder_write_summary() - replace summary.json, durably. */
int sc_folder_write_summary(const struct sc_folder *folder, const struct sc_report_head *head,
			    const struct sc_cell *cells, struct sc_error *error);

/** sc_folder_fini() - let go of it; one that was not settled is removed. */
void sc_folder_fini(struct sc_folder *folder);
