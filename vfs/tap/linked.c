/* SPDX-License-Identifier: MIT */

/*
 * The tap as part of a program that was linked with it: switched by the program itself.
 *
 * Method. Off, the hooks neither count nor follow descriptors; so at each start the tables begin
 * empty, and what is open by then is asked from the kernel when it is first used.
 */

#include <errno.h>
#include <stdatomic.h>

#include "syncost.h"

#include "../ledger.h"
#include "file.h"
#include "record.h"

int syncost_tap_start(void)
{
	if (!sc_ledger_is_on())
		return -EINVAL;
	if (sc_tap_is_on())
		return SYNCOST_ALREADY;

	sc_tap_fd_forget_range(0, UINT32_MAX);
	sc_tap_map_clear();
	sc_ledger_instrument(SC_INSTRUMENT_LIBC, true);
	atomic_store(&sc_tap_on, 1);
	return 0;
}

void syncost_tap_stop(void)
{
	if (!sc_tap_is_on())
		return;
	atomic_store(&sc_tap_on, 0);
	sc_ledger_instrument(SC_INSTRUMENT_LIBC, false);
}

int syncost_tap_database(const char *path)
{
	if (!path || !sc_ledger_is_on())
		return -EINVAL;
	return sc_ledger_database(path) == 0 ? -ENOSPC : 0;
}
