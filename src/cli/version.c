/* SPDX-License-Identifier: MIT */

/* The build writes SC_VCS_TAG: what `git describe` says, "-dirty" at its end where it applies. */

#include "version.h"

#include <string.h>

#include "vcs-tag.h"

#define DIRTY "-dirty"

const char sc_tool_version[] = SC_VERSION;
const char sc_tool_build[] = SC_BUILD;

static const char tag[] = SC_VCS_TAG;

bool sc_tool_is_dirty(void)
{
	size_t length = sizeof(tag) - 1, suffix = sizeof(DIRTY) - 1;

	return length >= suffix && strcmp(tag + length - suffix, DIRTY) == 0;
}

const char *sc_tool_commit(void)
{
	static char commit[sizeof(tag)];
	size_t length = sizeof(tag) - 1 - (sc_tool_is_dirty() ? sizeof(DIRTY) - 1 : 0);

	memcpy(commit, tag, length); /* the rest is zero */
	return commit;
}
