/* SPDX-License-Identifier: MIT */
#pragma once

/* What `syncost sweep` takes. */

#include "../model/setting.h"
#include "command.h"

struct sc_sweep_config {
	struct sc_common_config common;
	struct sc_option_texts targets;
	struct sc_option_texts suites;
	struct sc_option_texts variants;
	struct sc_option_texts workloads;
	struct sc_option_numbers journal_mode, synchronous, fullfsync, checkpoint_fullfsync;
	struct sc_option_numbers page_size, cache_size, wal_autocheckpoint, locking_mode, mmap_size;
	struct sc_option_numbers rows_per_commit, wal_state, clients, store, rows;
	struct sc_option_number scale, ops, rate, precision, time, samples, seed, timeout;
	const char *host_label, *out, *resume, *like;
	struct sc_option_number format;
	bool dry_run, list_suites, quiet;
};

extern const struct sc_option_table sc_sweep_options;

/** sc_sweep_list() - the list given for a field of the setting; empty: the suite's own value. */
const struct sc_option_numbers *sc_sweep_list(const struct sc_sweep_config *config,
					      const struct sc_setting_field *field);
