/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Files read whole, and files written so that a power cut leaves either the old or the new one.
 */

#include <stddef.h>
#include <stdio.h>

#include "err.h"

/**
 * sc_file_open_regular() - a file for reading, without waiting for anything
 * @ret_fd: the caller closes it
 *
 * A FIFO, a terminal or a device that a user names by mistake could wait for ever, or have no end.
 * Return: 0; SC_E_FORMAT if it is no regular file: "'x' is a FIFO, not a file"; or why it cannot be
 * opened.
 */
int sc_file_open_regular(const char *path, int *ret_fd, struct sc_error *error);

/**
 * sc_file_read_fd() - from where @fd stands to the end; otherwise as sc_file_read_all()
 * @path: of it, for messages
 */
int sc_file_read_fd(int fd, const char *path, size_t limit_bytes, char **ret_data,
		    size_t *ret_bytes, struct sc_error *error);

/**
 * sc_file_read_all() - the whole file, or pipe, or file of /proc
 * @limit_bytes: more than that is SC_E_LIMIT
 * @ret_data: with a NUL after the last byte; the caller frees it
 * @ret_bytes: without that NUL; may be NULL
 */
int sc_file_read_all(const char *path, size_t limit_bytes, char **ret_data, size_t *ret_bytes,
		     struct sc_error *error);

/**
 * sc_file_write_durable() - create or replace a file, mode 0600
 *
 * When it returns 0, the file and its name survive a power cut; before that, @path is what it was.
 * A symbolic link at @path is replaced, not followed.
 */
int sc_file_write_durable(const char *path, const void *data, size_t bytes, struct sc_error *error);

/*
 * The same for content that is written bit by bit:
 *
 *	SC_CLEANUP(sc_draft_abandonp) struct sc_draft *draft = NULL;
 *
 *	r = sc_draft_open("summary.json", &draft, error);
 *	...
 *	fprintf(sc_draft_stream(draft), ...);
 *	...
 *	return sc_draft_commit(&draft, error);
 */
struct sc_draft;

/** sc_draft_open() - begin; nothing is visible at @path, nor next to it where O_TMPFILE works. */
int sc_draft_open(const char *path, struct sc_draft **ret_draft, struct sc_error *error);

/** sc_draft_stream() - owned by the draft; its write errors are found by the commit. */
FILE *sc_draft_stream(struct sc_draft *draft);

/**
 * sc_draft_commit() - make it durable under its name; *@draft is NULL afterwards, also on failure
 *
 * Flush, fsync, rename, fsync of the directory. A failure of that last step leaves the new file in
 * place, not known to be durable; any other failure leaves @path as it was and nothing beside it.
 */
int sc_draft_commit(struct sc_draft **draft, struct sc_error *error);

/** sc_draft_abandonp() - drop it; @path stays as it was. */
void sc_draft_abandonp(struct sc_draft **draft);
