/* SPDX-License-Identifier: MIT */
#pragma once

/* The enumerations of the model, as options take them. */

#include "option.h"

extern const struct sc_choices sc_choices_journal_mode;
extern const struct sc_choices sc_choices_synchronous;
extern const struct sc_choices sc_choices_locking_mode;
extern const struct sc_choices sc_choices_switch; /* off, on; SQLite's words for them too */
extern const struct sc_choices sc_choices_wal_state;
extern const struct sc_choices sc_choices_store;
