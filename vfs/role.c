/* SPDX-License-Identifier: MIT */

/* Method: SQLite sets exactly one of these flags. */

#include "role.h"

#include <sqlite3.h>
#include <stddef.h>

enum sc_role sc_role_of(int flags)
{
	static const struct {
		int flag;
		enum sc_role role;
	} kinds[] = {
		{SQLITE_OPEN_MAIN_DB, SC_ROLE_MAIN_DB},
		{SQLITE_OPEN_WAL, SC_ROLE_WAL},
		{SQLITE_OPEN_MAIN_JOURNAL, SC_ROLE_MAIN_JOURNAL},
		{SQLITE_OPEN_SUPER_JOURNAL, SC_ROLE_SUPER_JOURNAL},
		{SQLITE_OPEN_SUBJOURNAL, SC_ROLE_SUBJOURNAL},
		{SQLITE_OPEN_TEMP_DB, SC_ROLE_TEMP_DB},
		{SQLITE_OPEN_TEMP_JOURNAL, SC_ROLE_TEMP_JOURNAL},
		{SQLITE_OPEN_TRANSIENT_DB, SC_ROLE_TRANSIENT_DB},
	};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (flags & kinds[i].flag)
			return kinds[i].role;
	}
	return SC_ROLE_OTHER;
}

bool sc_role_is_shared(enum sc_role role)
{
	return role == SC_ROLE_MAIN_DB || role == SC_ROLE_WAL || role == SC_ROLE_MAIN_JOURNAL ||
	       role == SC_ROLE_SUPER_JOURNAL || role == SC_ROLE_SHM;
}
