/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Settings of a connection's database, as far as they pass the shim: PRAGMA statements are shown to
 * a VFS before they run, and some settings are seen in what is read and written. What a program
 * sets through SQLite's C functions passes elsewhere.
 *
 * A connection writes its own, any thread may read them: relaxed atomics.
 */

#include <sqlite3.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum sc_setting {
	SC_SETTING_JOURNAL_MODE, /* enum sc_journal */
	SC_SETTING_SYNCHRONOUS,  /* 0 to 3 */
	SC_SETTING_LOCKING_MODE, /* 1: exclusive */
	SC_SETTING_PAGE_SIZE,
	SC_SETTING_CACHE_SIZE,
	SC_SETTING_WAL_AUTOCHECKPOINT,
	SC_SETTING_MMAP_SIZE,
	SC_SETTING_COUNT_,
};

enum sc_journal {
	SC_JOURNAL_DELETE,
	SC_JOURNAL_TRUNCATE,
	SC_JOURNAL_PERSIST,
	SC_JOURNAL_MEMORY,
	SC_JOURNAL_OFF,
	SC_JOURNAL_WAL,
	SC_JOURNAL_COUNT_,
};

/* How a value is known. */
enum sc_setting_source {
	SC_SETTING_UNSEEN,
	SC_SETTING_SEEN,   /* in what the database's files were asked */
	SC_SETTING_PRAGMA, /* a PRAGMA for this database passed */
	SC_SETTING_LIKELY, /* one passed that is for all databases, or for main alone */
	SC_SETTING_SOURCE_COUNT_,
};

struct sc_settings {
	_Atomic int64_t values[SC_SETTING_COUNT_];
	_Atomic uint32_t sources[SC_SETTING_COUNT_]; /* enum sc_setting_source; set last */
};

/** sc_setting_name() - the pragma's name */
const char *sc_setting_name(enum sc_setting setting);

/** sc_setting_word() - a value that has a name, as SQLite reports it; NULL: it is a number */
const char *sc_setting_word(enum sc_setting setting, int64_t value);

/** sc_setting_put() - @value is known from @source */
void sc_setting_put(struct sc_settings *settings, enum sc_setting setting, int64_t value,
		    enum sc_setting_source source);

/** sc_setting_clear() - nothing is known any more */
void sc_setting_clear(struct sc_settings *settings);

/**
 * sc_setting_parse() - PRAGMA @name = @text
 * Return: whether it sets one of the settings, and to what.
 */
bool sc_setting_parse(const char *name, const char *text, enum sc_setting *ret_setting,
		      int64_t *ret_value);

/** sc_setting_is_wide() - whether such a PRAGMA that names no database is for all of them */
bool sc_setting_is_wide(enum sc_setting setting);
