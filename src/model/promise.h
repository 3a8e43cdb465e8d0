/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What SQLite promises for a setting at a power cut, on storage that honours flush.
 * Source: sqlite.org pragma, wal, atomiccommit and howtocorrupt pages, and os_unix.c's directory
 * syncs; the table stands in promise.c.
 */

#include "setting.h"
#include "store.h"

enum sc_loss {
	SC_LOSS_NONE,   /* no acknowledged commit is lost */
	SC_LOSS_LAST,   /* at most the last */
	SC_LOSS_SUFFIX, /* those since the last checkpoint */
	SC_LOSS_ANY,    /* any */
	SC_LOSS_ALL,    /* all: the database is in memory */
	SC_LOSS_COUNT_,
};

enum sc_corruption {
	SC_CORRUPTION_NO,
	SC_CORRUPTION_RARE, /* a few percent of cut points when operations reorder freely */
	SC_CORRUPTION_YES,
	SC_CORRUPTION_COUNT_,
};

struct sc_promise {
	enum sc_loss loss;
	enum sc_corruption corruption;
	const char *sentence; /* "a power cut can take at most the last commit; never corrupts" */
};

/** sc_promise_of() - in a database file. Pure. */
struct sc_promise sc_promise_of(const struct sc_setting *setting);

/** sc_promise_in() - in the store called @store: a snapshot's rename replaces the whole content,
 * and what is in memory is gone with its process. */
struct sc_promise sc_promise_in(const char *store, const struct sc_setting *setting);

/** sc_loss_name() - "none", "last", "suffix", "any", "all": as in result files */
const char *sc_loss_name(enum sc_loss loss);

/** sc_corruption_name() - "no", "rare", "yes": as in result files */
const char *sc_corruption_name(enum sc_corruption corruption);
