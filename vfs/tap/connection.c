/* SPDX-License-Identifier: MIT */

/*
 * Method. A connection that was just opened has run nothing yet, so what is set here is what it
 * finds, unless the program sets the same again. Databases in memory, temporary ones and
 * connections that may only read are left alone. Another connection may hold a lock just then; a
 * pragma that changes the file is tried again for some time. The connection's busy timeout is its
 * own business and is not touched.
 */

#include "connection.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "../ledger.h"
#include "real.h"
#include "watch.h"

#define TRIES   1000
#define WAIT_NS 5000000

#define CALLER __builtin_extract_return_addr(__builtin_return_address(0))

static char pragmas[1024]; /* empty: none */

void sc_tap_connection_start(const char *wanted)
{
	if (wanted && strlen(wanted) < sizeof(pragmas))
		strcpy(pragmas, wanted);
}

/* What a pragma answered. */
static int take_answer(void *answer, int count, char **values, char **names)
{
	(void)names; /* there is one column */
	if (count > 0 && values[0])
		(void)strncpy(answer, values[0], 31);
	return 0;
}

static void wait_a_little(void)
{
	struct timespec pause = {.tv_nsec = WAIT_NS};

	(void)sc_tap_real_nanosleep(&pause, NULL); /* a shorter wait is one try more */
}

/* Return: whether SQLite took it. @pragma: "PRAGMA name = value" */
static bool apply_one(struct sc_tap_library *library, sqlite3 *db, const char *pragma)
{
	const char *value = strstr(pragma, " = ");
	char answer[32] = "";
	int rc;

	for (int i = 0; i < TRIES; i++) {
		rc = sc_tap_sqlite_exec(library, db, pragma, take_answer, answer, NULL);
		if ((rc & 0xff) != SQLITE_BUSY && (rc & 0xff) != SQLITE_LOCKED)
			break;
		wait_a_little();
	}
	if (rc != SQLITE_OK)
		return false;
	/* Of a mode that cannot be had SQLite answers with the one that it keeps. */
	return !strstr(pragma, "_mode") || (value && strcasecmp(answer, value + 3) == 0);
}

static void apply(struct sc_tap_library *library, sqlite3 *db)
{
	const char *at = pragmas;
	uint64_t refused = 0;

	while (*at) {
		size_t length = strcspn(at, ";");
		char pragma[128];

		if (length >= sizeof(pragma))
			break; /* none is as long */
		memcpy(pragma, at, length);
		pragma[length] = '\0';
		refused += !apply_one(library, db, pragma);
		at += length + (at[length] == ';');
	}
	if (!sc_ledger_is_on())
		return;
	(void)atomic_fetch_add(&sc_ledger.meter->connections_set, 1);
	(void)atomic_fetch_add(&sc_ledger.meter->pragmas_refused, refused);
}

static bool is_file(const char *path)
{
	return path && path[0] && strcmp(path, ":memory:") != 0 &&
	       strncmp(path, "file::memory:", 13) != 0 && !strstr(path, "mode=memory") &&
	       !strstr(path, "mode=ro") && !strstr(path, "immutable=1");
}

static void note_open(struct sc_tap_library *library, int rc, sqlite3 *db, bool is_wanted)
{
	int saved = errno;

	if (rc == SQLITE_OK && is_wanted && pragmas[0] && library->exec && !sc_tap_is_inside() &&
	    sc_tap_watch_is_on() && sc_tap_watch_need_meter())
		apply(library, db);
	errno = saved;
}

TAP_EXPORT int sqlite3_open(const char *path, sqlite3 **ret_db)
{
	struct sc_tap_library *library = sc_tap_library_of(CALLER);
	int rc;

	if (!library || !library->open)
		return SQLITE_MISUSE;
	rc = library->open(path, ret_db);
	note_open(library, rc, ret_db ? *ret_db : NULL, is_file(path));
	return rc;
}

TAP_EXPORT int sqlite3_open16(const void *path, sqlite3 **ret_db)
{
	struct sc_tap_library *library = sc_tap_library_of(CALLER);
	const uint16_t *name = path;
	int rc;

	if (!library || !library->open16)
		return SQLITE_MISUSE;
	rc = library->open16(path, ret_db);
	note_open(library, rc, ret_db ? *ret_db : NULL, name && name[0] && name[0] != ':');
	return rc;
}

TAP_EXPORT int sqlite3_open_v2(const char *path, sqlite3 **ret_db, int flags, const char *vfs)
{
	struct sc_tap_library *library = sc_tap_library_of(CALLER);
	int rc;

	if (!library || !library->open_v2)
		return SQLITE_MISUSE;
	rc = library->open_v2(path, ret_db, flags, vfs);
	note_open(library, rc, ret_db ? *ret_db : NULL,
		  is_file(path) && (flags & SQLITE_OPEN_READWRITE) &&
			  !(flags & SQLITE_OPEN_MEMORY));
	return rc;
}
