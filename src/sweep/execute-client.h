/* SPDX-License-Identifier: MIT */
#pragma once

/* One of several clients, in its own process; and the memory that it shares with the sample's. */

#include <sys/types.h>

#include "execute-clients.h"

struct sc_shared_snapshot;

enum sc_gate {
	SC_GATE_PREPARE,
	SC_GATE_RUN,
	SC_GATE_CLOSE, /* when all have ended: until then those that have finished keep still */
	SC_GATE_COUNT_,
};

enum sc_client_state {
	SC_CLIENT_WORKING,
	SC_CLIENT_FAILED, /* error says why */
	SC_CLIENT_DONE,
};

/* What one client tells, in memory that it shares with the sample's own process. */
struct sc_client {
	_Alignas(64) _Atomic uint64_t acknowledged; /* a line of the cache for itself */
	_Alignas(64) _Atomic uint32_t state;        /* enum sc_client_state */
	uint64_t start_ns, end_ns, cpu_ns;
	struct sc_usage usage;
	struct sc_tally tally;
	struct sc_instruments instruments; /* their text is static: it is the same in all */
	bool has_snapshot;
	uint64_t op_ns_max, commit_ns_max;
	uint32_t op_buckets[SC_HIST_BUCKETS], commit_buckets[SC_HIST_BUCKETS];
	struct sc_watch watch; /* where a snapshot is held */
	struct sc_error error;
};

struct sc_clients_shared {
	_Atomic uint32_t gates_open;
	/* set before the first gate opens */
	uint64_t first;
	uint32_t fresh_pages;
	struct sc_setting effective;
	_Alignas(64) _Atomic uint64_t commits; /* of all clients */
	_Alignas(64) _Atomic bool is_full;     /* read after each operation, written once */
	_Alignas(64) struct sc_hold_gate hold; /* is_over is for all that run beside */
	struct sc_client clients[];
};

struct sc_client_process { /* the sample's side of a client */
	pid_t pid;         /* 0: reaped */
	int fd;     /* it says a byte here when it is ready, and when it has ended its part */
	int status; /* of waitpid() */
};

struct sc_clients {
	struct sc_clients_task task;
	uint32_t count; /* all of them: first the workload's own, then those beside, in order */
	uint32_t own;   /* of its own workload */
	uint64_t share;
	pid_t parent;
	int gates[SC_GATE_COUNT_][2];
	struct sc_client_process *processes;
	struct sc_clients_shared *shared;
	size_t shared_bytes;
	unsigned char *snapshots; /* one for each client, of sc_shared_snapshot_bytes(); shared */
	size_t snapshots_bytes;
};

/**
 * sc_client_be() - the rest of the life of a process that was forked for client @index
 * @fd: where it says that it is ready, and that it has ended its part
 *
 * No destructors, no exit handlers, nothing of its parent's.
 */
_Noreturn void sc_client_be(const struct sc_clients *self, uint32_t index, int fd);

/** sc_client_beside() - whom client @index belongs to; NULL: the workload's own */
const struct sc_clients_beside *sc_client_beside(const struct sc_clients *self, uint32_t index,
						 uint32_t *ret_number);

/** sc_client_block() - operations whose values a client beside has; they come again */
uint64_t sc_client_block(const struct sc_workload *workload);

/** sc_client_snapshot() - where client @index puts its ledger. */
struct sc_shared_snapshot *sc_client_snapshot(const struct sc_clients *self, uint32_t index);
