/* SPDX-License-Identifier: MIT */
#include "status.h"

#include <assert.h>

#include "attr.h"

/* clang-format off */
static const char *const names[] = {
	[SC_MEASURED] = "measured",
	[SC_UNSUPPORTED] = "unsupported",
	[SC_DENIED] = "denied",
	[SC_SKIPPED] = "skipped",
	[SC_MODELLED] = "modelled",
	[SC_FAILED] = "failed",
};
/* clang-format on */

static_assert(SC_ARRAY_COUNT(names) == SC_STATUS_COUNT_, "each status has a name");

const char *sc_status_name(enum sc_status status)
{
	assert((unsigned)status < SC_STATUS_COUNT_);
	return names[status];
}
