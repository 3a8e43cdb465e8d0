/* SPDX-License-Identifier: MIT */
#pragma once

/* The calls of SQLite's commits. For probe-*.c alone. */

#include <stddef.h>

/** sc_probe_journal_name() - "wal-full", "delete-full" …; NULL past the last */
const char *sc_probe_journal_name(size_t index);
