/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The store "snapshot": SQLite works on an image of its database in memory, and each commit is
 * published: the whole image is written to a temporary file beside the one before, synced, renamed
 * over it, and the directory is synced. With synchronous=off both syncs are left out.
 *
 * The file is a database as SQLite writes it. A process that is killed leaves the old content or
 * the new one, and at most the temporary file, which the next sc_image_open() removes.
 */

#include <sqlite3.h>

#include "../model/sample.h"
#include "../suite/suite.h"

#define SC_IMAGE_TEMPORARY_SUFFIX "-snapshot" /* a name that the tap knows */

struct sc_image;

/**
 * sc_image_open() - load the file at @path into memory
 * @setting, @connection: applied to the connection
 * @ret_db: a connection of the caller's, closed by it after the image
 *
 * Return: 0; SC_E_UNMEASURABLE where this SQLite keeps no database in memory; another code.
 */
int sc_image_open(const char *path, const struct sc_setting *setting,
		  const struct sc_connection *connection, struct sc_image **ret_image,
		  sqlite3 **ret_db, struct sc_error *error);
void sc_image_closep(struct sc_image **image);

/** sc_image_watch() - from now on note where the time of publishing goes. */
void sc_image_watch(struct sc_image *image);

/**
 * sc_image_publish() - make the file what the last commit left in memory
 *
 * When it returns 0 the content survives a power cut, unless synchronous is off. After a failure
 * the file holds what it held before, the temporary one is gone, and the image is of no more use.
 * Where the sync of the directory alone failed, the file has the new content.
 */
int sc_image_publish(struct sc_image *image, struct sc_error *error);

/** sc_image_settle() - the same, and durable whatever synchronous is: before a timed part. */
int sc_image_settle(struct sc_image *image, struct sc_error *error);

/**
 * sc_image_ledger() - what the shim cannot know of @sample, from the image
 *
 * The shim saw neither a call nor a file. Publishing came after SQLite's calls, so it stands in the
 * split as time outside; it is moved to the parts it was.
 */
void sc_image_ledger(const struct sc_image *image, struct sc_sample *sample);
