/* SPDX-License-Identifier: MIT */
#pragma once

/* A setting: one point of the grid of pragmas, and which points cannot differ. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum sc_journal_mode {
	SC_JOURNAL_DELETE,
	SC_JOURNAL_TRUNCATE,
	SC_JOURNAL_PERSIST,
	SC_JOURNAL_MEMORY,
	SC_JOURNAL_WAL,
	SC_JOURNAL_OFF,
	SC_JOURNAL_COUNT_,
};

enum sc_synchronous { /* the numbers are SQLite's */
		      SC_SYNCHRONOUS_OFF,
		      SC_SYNCHRONOUS_NORMAL,
		      SC_SYNCHRONOUS_FULL,
		      SC_SYNCHRONOUS_EXTRA,
		      SC_SYNCHRONOUS_COUNT_,
};

enum sc_locking_mode {
	SC_LOCKING_NORMAL,
	SC_LOCKING_EXCLUSIVE,
	SC_LOCKING_COUNT_,
};

enum sc_wal_state {
	SC_WAL_FRESH,    /* the WAL grows: every sync appends */
	SC_WAL_RECYCLED, /* reset at least once: syncs overwrite */
	SC_WAL_STATE_COUNT_,
};

struct sc_setting {
	enum sc_journal_mode journal_mode;
	enum sc_synchronous synchronous;
	bool fullfsync;
	bool checkpoint_fullfsync;
	uint32_t page_size;          /* bytes, a power of two, 512 … 65536 */
	int64_t cache_size;          /* as SQLite's pragma: > 0 pages, < 0 KiB */
	uint32_t wal_autocheckpoint; /* pages; 0 = never */
	enum sc_locking_mode locking_mode;
	uint64_t mmap_size;       /* bytes */
	uint32_t rows_per_commit; /* operations in one transaction; 0 = the workload's own */
};

/** sc_setting_default() - what SQLite's documentation calls the defaults (DELETE, FULL, 4096 …). */
struct sc_setting sc_setting_default(void);

/* Names are SQLite's, lower case. The parsers accept SQLite's synonyms (0…3 for synchronous). */
const char *sc_journal_mode_name(enum sc_journal_mode mode);
const char *sc_synchronous_name(enum sc_synchronous synchronous);
const char *sc_locking_mode_name(enum sc_locking_mode mode);
const char *sc_wal_state_name(enum sc_wal_state state);
bool sc_journal_mode_parse(const char *text, enum sc_journal_mode *ret_mode);
bool sc_synchronous_parse(const char *text, enum sc_synchronous *ret_synchronous);
bool sc_locking_mode_parse(const char *text, enum sc_locking_mode *ret_mode);
bool sc_wal_state_parse(const char *text, enum sc_wal_state *ret_state);

/**
 * sc_setting_canonical() - the setting this one cannot differ from
 * @setting: borrowed
 * @device_tells_full_sync: whether the storage tells SQLITE_SYNC_FULL from SQLITE_SYNC_NORMAL;
 *                          false on Linux with real storage
 * @ret_reason: static text why, or NULL where the setting stands for itself
 *
 * fullfsync and checkpoint_fullfsync change only the flag given to xSync on Linux; EXTRA is FULL
 * except in DELETE with locking NORMAL; NORMAL = FULL = EXTRA for journals MEMORY and OFF;
 * wal_autocheckpoint means nothing outside WAL. Pure.
 */
struct sc_setting sc_setting_canonical(const struct sc_setting *setting,
				       bool device_tells_full_sync, const char **ret_reason);

/** sc_setting_compare() - total order for sorting; 0 when all fields are equal. */
int sc_setting_compare(const struct sc_setting *a, const struct sc_setting *b);

/**
 * sc_setting_label() - short name that tells the settings of one report apart: "wal/full",
 * with every other field that differs from @base added: "wal/full page_size=8192"
 */
void sc_setting_label(const struct sc_setting *setting, const struct sc_setting *base, char *text,
		      size_t text_bytes);

/** sc_setting_pragmas() - the PRAGMA lines that produce it, in order of application. */
void sc_setting_pragmas(const struct sc_setting *setting, const struct sc_setting *base, char *text,
			size_t text_bytes);

/* One field of a setting: the list that labels, PRAGMA lines, result files and tables walk. */
struct sc_setting_field {
	const char *name;         /* the pragma's, or "rows_per_commit" */
	unsigned int apply_order; /* 1 … in order of application; 0: not a pragma */
	int64_t (*get)(const struct sc_setting *setting);
	void (*set)(struct sc_setting *setting, int64_t value); /* @value was checked */
	int64_t min, max;                         /* inclusive, of what get() returns */
	const char *(*value_name)(int64_t value); /* "wal"; NULL where the value is a number */
	bool is_flag;                             /* 0 or 1: false and true in JSON */
};

extern const struct sc_setting_field sc_setting_fields[];
extern const size_t sc_setting_field_count;

/** sc_setting_same_reason() - why two settings cannot differ, NULL where they can; pure */
const char *sc_setting_same_reason(const struct sc_setting *setting,
				   const struct sc_setting *source, bool device_tells_full_sync);
