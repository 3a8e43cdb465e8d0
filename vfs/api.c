/* SPDX-License-Identifier: MIT */

/*
 * The public functions that start and stop. Those of the tap are weak: a program that is linked
 * with the tap has the real ones.
 */

#include <errno.h>

#include "syncost.h"

#include "ledger.h"
#include "shim.h"

int syncost_start(const struct syncost_options *options)
{
	static const struct syncost_options none;

	if (!options)
		options = &none;
	if (sc_ledger_is_on())
		return SYNCOST_ALREADY;
	return sc_ledger_open(options->directory, options->anonymous, options->cpu);
}

int syncost_stop(void)
{
	if (sc_shim_is_any())
		return -EBUSY;
	syncost_tap_stop();
	if (sc_ledger_is_on())
		sc_ledger_close();
	return 0;
}

uint64_t syncost_now_ns(void)
{
	return sc_clock_ns();
}

int syncost_reset(void)
{
	if (!sc_ledger_is_on())
		return -EINVAL;
	sc_ledger_reset();
	return 0;
}

const char *syncost_meter_path(void)
{
	return sc_ledger_path();
}

__attribute__((weak)) int syncost_tap_start(void)
{
	return SYNCOST_NO_TAP;
}

__attribute__((weak)) void syncost_tap_stop(void)
{
}

__attribute__((weak)) int syncost_tap_database(const char *path)
{
	(void)path;
	return SYNCOST_NO_TAP;
}
