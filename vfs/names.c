/* SPDX-License-Identifier: MIT */

/* Names as reports use them. */

#include <stddef.h>

#include "syncost.h"

#include "ops.h"

const char *syncost_instrument_name(enum sc_instrument instrument)
{
	static const char *const names[SC_INSTRUMENT_COUNT_] = {
		[SC_INSTRUMENT_VFS] = "vfs",
		[SC_INSTRUMENT_LIBC] = "libc",
	};

	return (uint32_t)instrument < SC_INSTRUMENT_COUNT_ ? names[instrument] : NULL;
}

const char *syncost_role_name(enum sc_role role)
{
	static const char *const names[SC_ROLE_COUNT_] = {
		[SC_ROLE_MAIN_DB] = "main_db",
		[SC_ROLE_WAL] = "wal",
		[SC_ROLE_MAIN_JOURNAL] = "main_journal",
		[SC_ROLE_SUPER_JOURNAL] = "super_journal",
		[SC_ROLE_SUBJOURNAL] = "subjournal",
		[SC_ROLE_TEMP_DB] = "temp_db",
		[SC_ROLE_TEMP_JOURNAL] = "temp_journal",
		[SC_ROLE_TRANSIENT_DB] = "transient_db",
		[SC_ROLE_SHM] = "shm",
		[SC_ROLE_DIRECTORY] = "directory",
		[SC_ROLE_OTHER] = "other",
	};

	return (uint32_t)role < SC_ROLE_COUNT_ ? names[role] : NULL;
}

const struct sc_op_info *syncost_op_info(enum sc_op op)
{
	return (uint32_t)op < SC_OP_COUNT_ ? &sc_ops[op] : NULL;
}

const char *syncost_part_name(enum sc_part part)
{
	static const char *const names[SC_PART_COUNT_] = {
		[SC_PART_OUTSIDE] = "outside", [SC_PART_SQL] = "sql",     [SC_PART_READ] = "read",
		[SC_PART_WRITE] = "write",     [SC_PART_SYNC] = "sync",   [SC_PART_LOCK] = "lock",
		[SC_PART_SHM] = "shm",         [SC_PART_OTHER] = "other",
	};

	return (uint32_t)part < SC_PART_COUNT_ ? names[part] : NULL;
}
