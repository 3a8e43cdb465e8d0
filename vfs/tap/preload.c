/* SPDX-License-Identifier: MIT */

/*
 * The tap as a library that `syncost run` has loaded into a program and its children.
 *
 * SYNCOST_RUN names a directory on tmpfs; each process that comes to use a database makes its meter
 * there, and leaves it behind when it ends, however it ends. Without that variable the library is
 * loaded and does nothing.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../ledger.h"
#include "connection.h"
#include "record.h"
#include "statement.h"
#include "watch.h"

static char directory[2048];

/* No thread's processor time: that takes a descriptor, whose number the program may miss. */
static bool open_meter(void)
{
	if (sc_ledger_open(directory, false, false) < 0)
		return false;
	sc_ledger_instrument(SC_INSTRUMENT_LIBC, true);
	return true;
}

static enum sc_tap_sql wanted_sql(void)
{
	const char *wanted = getenv("SYNCOST_RUN_SQL");

	if (wanted && strcmp(wanted, "none") == 0)
		return SC_TAP_SQL_NONE;
	return wanted && strcmp(wanted, "full") == 0 ? SC_TAP_SQL_FULL : SC_TAP_SQL_SHAPE;
}

__attribute__((constructor)) static void start(void)
{
	const char *wanted = getenv("SYNCOST_RUN");
	int saved = errno;

	if (wanted && wanted[0] == '/' && strlen(wanted) < sizeof(directory)) {
		strcpy(directory, wanted);
		sc_ledger_keep();
		sc_tap_watch_start(open_meter);
		sc_tap_statement_start(wanted_sql());
		sc_tap_connection_start(getenv("SYNCOST_RUN_SET"));
		atomic_store(&sc_tap_on, 1);
	}
	errno = saved;
}
