/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Forwarding, written once: a VFS that passes everything to the one it wraps. A layer starts from
 * this and replaces the methods it is interested in.
 *
 * A layer's file begins with struct sc_forward_file; the wrapped file lies behind the layer's
 * struct in the same allocation. The method table is a file's own: it has the version of the
 * wrapped file's table, and a method the wrapped file lacks stays NULL, so that SQLite sees what
 * the storage underneath can do.
 */

#include <sqlite3.h>
#include <stdbool.h>
#include <stddef.h>

struct sc_forward_vfs {
	sqlite3_vfs base;   /* what SQLite calls */
	sqlite3_vfs *inner; /* what is wrapped; outlives this */
	size_t file_bytes;  /* of the layer's file struct, a multiple of 8 */
	char name[64];
};

struct sc_forward_file {
	sqlite3_file base;          /* what SQLite calls; NULL methods: not open */
	sqlite3_file *inner;        /* behind the layer's struct */
	sqlite3_io_methods methods; /* base.pMethods points here when open */
};

/**
 * sc_forward_vfs_init() - fill @vfs so that it forwards all to @inner
 * @inner: borrowed; versions 1 to 3 are followed, later ones are used as version 3
 * @name: at most 63 bytes, copied
 * @file_bytes: size of the layer's file struct
 */
void sc_forward_vfs_init(struct sc_forward_vfs *vfs, sqlite3_vfs *inner, const char *name,
			 size_t file_bytes);

/**
 * sc_forward_file_open() - open the wrapped file behind @file
 * @mine: methods of the layer; NULL entries forward plainly
 *
 * As with SQLite itself, the file may have methods after a failure, and is closed then.
 * Return: a SQLite result.
 */
int sc_forward_file_open(struct sc_forward_vfs *vfs, const char *name, sqlite3_file *file,
			 int flags, int *ret_flags, const sqlite3_io_methods *mine);

/* The plain forwarders of files. */
int sc_forward_close(sqlite3_file *file);
int sc_forward_read(sqlite3_file *file, void *data, int amount, sqlite3_int64 offset);
int sc_forward_write(sqlite3_file *file, const void *data, int amount, sqlite3_int64 offset);
int sc_forward_truncate(sqlite3_file *file, sqlite3_int64 size);
int sc_forward_sync(sqlite3_file *file, int flags);
int sc_forward_file_size(sqlite3_file *file, sqlite3_int64 *ret_size);
int sc_forward_lock(sqlite3_file *file, int level);
int sc_forward_unlock(sqlite3_file *file, int level);
int sc_forward_check_reserved(sqlite3_file *file, int *ret_is_reserved);
int sc_forward_file_control(sqlite3_file *file, int op, void *argument);
int sc_forward_sector_size(sqlite3_file *file);
int sc_forward_device_characteristics(sqlite3_file *file);
int sc_forward_shm_map(sqlite3_file *file, int region, int region_bytes, int is_extended,
		       void volatile **ret_memory);
int sc_forward_shm_lock(sqlite3_file *file, int offset, int count, int flags);
void sc_forward_shm_barrier(sqlite3_file *file);
int sc_forward_shm_unmap(sqlite3_file *file, int is_deleted);
int sc_forward_fetch(sqlite3_file *file, sqlite3_int64 offset, int amount, void **ret_page);
int sc_forward_unfetch(sqlite3_file *file, sqlite3_int64 offset, void *page);

/** sc_forward_inner() - the VFS that @vfs, one of ours, wraps. */
static inline sqlite3_vfs *sc_forward_inner(sqlite3_vfs *vfs)
{
	return ((struct sc_forward_vfs *)vfs)->inner;
}
