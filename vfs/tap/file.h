/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which file of which database a call of libc acts on. Found from names alone: nothing is opened,
 * duplicated or closed to look at it.
 *
 * A file is one word, so that the descriptor table is read and written whole. Files of SQLite
 * that belong to no known database (temporary ones) are in slot 0; everything else is
 * SC_TAP_STRANGER and not counted at all.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "syncost/meter.h"

typedef uint32_t sc_tap_file;

#define SC_TAP_STRANGER      0u
#define SC_TAP_SUSPECT       (1u << 29) /* may turn out to be a database: see watch.h */
#define SC_TAP_OURS          (1u << 30)
#define SC_TAP_ROLE_BITS     4u
#define SC_TAP_DATABASE_BITS 6u

static_assert(SC_ROLE_COUNT_ <= 1u << SC_TAP_ROLE_BITS, "a role fits");
static_assert(SC_METER_DATABASES <= 1u << SC_TAP_DATABASE_BITS, "a database fits");

static inline sc_tap_file sc_tap_file_make(uint32_t database, enum sc_role role)
{
	return SC_TAP_OURS | database << SC_TAP_ROLE_BITS | (uint32_t)role;
}

static inline uint32_t sc_tap_file_database(sc_tap_file file)
{
	return file >> SC_TAP_ROLE_BITS & ((1u << SC_TAP_DATABASE_BITS) - 1u);
}

static inline enum sc_role sc_tap_file_role(sc_tap_file file)
{
	return (enum sc_role)(file & ((1u << SC_TAP_ROLE_BITS) - 1u));
}

/**
 * sc_tap_path_file() - the file a name stands for
 * @directory: descriptor or AT_FDCWD, for a relative @path
 * @path: may be NULL or anything else a program passes to libc
 *
 * By spelling: another spelling (a link, "..") is a stranger. errno is preserved.
 */
sc_tap_file sc_tap_path_file(int directory, const char *path);

/** sc_tap_path_either() - the first of two names that is not a stranger's. */
sc_tap_file sc_tap_path_either(int directory, const char *path, int other_directory,
			       const char *other_path);

/** sc_tap_path_is_temporary() - whether @path is one of SQLite's temporary files, by its name. */
bool sc_tap_path_is_temporary(const char *path);

/**
 * sc_tap_path_of_fd() - the kernel's name of what @fd is open on
 * @ret_path: @size bytes; a mark that the name was deleted is taken off
 * Return: false where it has none: a pipe, a socket. errno is preserved.
 */
bool sc_tap_path_of_fd(int fd, char *ret_path, size_t size);

/**
 * sc_tap_path_fd() - the file behind an open descriptor, asked from the kernel
 *
 * By the kernel's own spelling, so links do not matter; a name that was deleted is understood.
 * One readlink of /proc/self/fd. errno is preserved.
 */
sc_tap_file sc_tap_path_fd(int fd);

/* --- the descriptor table */

/**
 * sc_tap_fd_file() - the file behind @fd
 *
 * From the table; asked from the kernel once where the table does not know, or knew it as a
 * stranger before more databases were named. Any @fd; errno is preserved.
 */
sc_tap_file sc_tap_fd_file(int fd);

/** sc_tap_fd_known() - the same without asking: a stranger where the table does not know. */
sc_tap_file sc_tap_fd_known(int fd);

/** sc_tap_fd_set() - @fd was opened; SC_TAP_STRANGER: ask when it is first used. */
void sc_tap_fd_set(int fd, sc_tap_file file);

/** sc_tap_fd_forget() - @fd is about to be closed, or may be another file now. */
void sc_tap_fd_forget(int fd);

/** sc_tap_fd_forget_range() - from @first to @last, both included. */
void sc_tap_fd_forget_range(uint32_t first, uint32_t last);

/* --- the mappings */

/** sc_tap_map_add() - @size bytes of @file are mapped at @address; lost if the table is full. */
void sc_tap_map_add(const void *address, uint64_t size, sc_tap_file file);

/** sc_tap_map_file() - the file mapped at @address; a stranger where none is followed. */
sc_tap_file sc_tap_map_file(const void *address);

/** sc_tap_map_remove() - these @size bytes are no longer mapped: a whole mapping or its end. */
void sc_tap_map_remove(const void *address, uint64_t size);

/** sc_tap_map_clear() - forget all. */
void sc_tap_map_clear(void);
