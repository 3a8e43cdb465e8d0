/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Where the data of a cell is kept, and what of a setting means anything there.
 *
 * sqlite: a database file, and SQLite's own journal. memory: one of SQLite's in memory, where a
 * suite says so. snapshot: SQL runs in memory, and each commit
 * writes the whole content to a temporary file that takes the place of the one before.
 */

#include "setting.h"

enum sc_store {
	SC_STORE_SQLITE,
	SC_STORE_SNAPSHOT,
	SC_STORE_MEMORY, /* the last: a sweep does not choose it, its suite does */
	SC_STORE_COUNT_,
};

/** sc_store_name() - "sqlite", "memory", "snapshot": as in result files */
const char *sc_store_name(enum sc_store store);
bool sc_store_parse(const char *text, enum sc_store *ret_store);

/** sc_store_is() - whether @name, which may be of a later version, is that of @store */
bool sc_store_is(const char *name, enum sc_store store);

/** sc_store_has_field() - whether a field of the setting means anything in @store */
bool sc_store_has_field(enum sc_store store, const struct sc_setting_field *field);

/**
 * sc_store_setting() - @setting with what means nothing in @store taken from @base
 *
 * In a snapshot there is no journal on disk, so journal_mode is SQLite's in memory, and synchronous
 * is off, or full for every other level.
 */
struct sc_setting sc_store_setting(enum sc_store store, const struct sc_setting *setting,
				   const struct sc_setting *base);

/** sc_store_label() - as sc_setting_label(), with the store in the place of a journal it lacks:
 *  "snapshot/full page_size=8192" */
void sc_store_label(const char *store, const struct sc_setting *setting,
		    const struct sc_setting *base, char *text, size_t text_bytes);
