/* SPDX-License-Identifier: MIT */
#pragma once

/* Which syncost this is. */

#include <stdbool.h>

extern const char sc_tool_version[]; /* "0.1.0" */
extern const char sc_tool_build[];   /* "gcc 12.2.0, debugoptimized" */

/** sc_tool_commit() - 40 hex digits, or "unknown" where it was built outside of a repository. */
const char *sc_tool_commit(void);

/** sc_tool_is_dirty() - whether files differed from that commit. */
bool sc_tool_is_dirty(void);
