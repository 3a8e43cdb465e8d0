/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A snapshot that a client holds while others commit, and what each of these sees of the WAL. All
 * of it lies in memory that the processes of a sample share.
 */

#include <sqlite3.h>
#include <stdatomic.h>

#include "../model/company.h"

#define SC_WATCH_POINTS_MAX 512u /* of one client; beyond it every other one is dropped */

/* Where those that commit and those that hold meet. */
struct sc_hold_gate {
	uint64_t commits; /* of the workload's clients, at which the snapshot is let go; 0: no hold
			   */
	uint32_t holders;
	_Atomic uint64_t done;       /* commits so far */
	_Atomic uint32_t released;   /* holders that have let go */
	_Atomic uint64_t pages_kept; /* in the WAL, by the commit before it was let go */
	_Atomic uint64_t copied;     /* of the WAL, while the snapshot was held: frames */
	_Atomic uint64_t held;       /* commits when the last holder let go */
	_Atomic uint64_t release_ns; /* when; syncost_now_ns() */
	_Atomic bool is_over;        /* the workload's clients have ended */
};

/* What one client that commits sees. */
struct sc_watch {
	struct sc_hold_gate *gate;
	uint32_t autocheckpoint; /* pages */
	uint64_t start_ns;
	uint64_t commits, pages_first, pages_max;
	uint64_t stride; /* commits from one point to the next */
	uint64_t point_count;
	struct sc_hold_point points[SC_WATCH_POINTS_MAX];
	/* its first commit after the release whose checkpoint got further; frames 0: none */
	bool is_paying; /* the commit under way is it: its time is still to come */
	uint64_t commit, after, frames, ns, checkpoint_ns, checkpoint_start_ns;
};

/**
 * sc_watch_start() - see each commit of @db from here on, by SQLite's own hook
 *
 * The hook does what the one that it replaces does: at @autocheckpoint pages, if that is not 0, a
 * passive checkpoint.
 */
void sc_watch_start(struct sc_watch *watch, sqlite3 *db, struct sc_hold_gate *gate,
		    uint32_t autocheckpoint);

/** sc_watch_time() - how long the commit took that has just returned */
static inline void sc_watch_time(struct sc_watch *watch, uint64_t ns)
{
	if (watch->is_paying)
		watch->ns = ns;
	watch->is_paying = false;
}

/**
 * sc_hold_pass() - one commit was acknowledged
 *
 * From the one on at which the snapshot is to be let go, they wait until it is.
 * Return: whether this one did.
 */
bool sc_hold_pass(struct sc_hold_gate *gate);

/** sc_hold_keep() - wait until the snapshot is to be let go, or all have ended */
void sc_hold_keep(struct sc_hold_gate *gate);

/** sc_hold_let_go() - it was */
void sc_hold_let_go(struct sc_hold_gate *gate);

/**
 * sc_hold_add() - what client @number, from 1, saw, into what all of them saw
 * @first_ns: when the checkpoint began that is in @hold; UINT64_MAX: none yet
 */
void sc_hold_add(struct sc_hold *hold, const struct sc_watch *watch, uint64_t number,
		 uint64_t *first_ns);

/** sc_hold_finish() - points in order of time, and what the gate knows */
void sc_hold_finish(struct sc_hold *hold, const struct sc_hold_gate *gate, uint64_t start_ns,
		    uint32_t page_size, uint64_t typical_ns);
