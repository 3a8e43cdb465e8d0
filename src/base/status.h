/* SPDX-License-Identifier: MIT */
#pragma once

/* Absence is a tag beside a value, with a reason; never 0, -1 or an empty cell. */

enum sc_status {
	SC_MEASURED,
	SC_UNSUPPORTED,
	SC_DENIED,
	SC_SKIPPED,
	SC_MODELLED,
	SC_FAILED,
	SC_STATUS_COUNT_,
};

/** sc_status_name() - "measured", "unsupported" … as in result files. */
const char *sc_status_name(enum sc_status status);
