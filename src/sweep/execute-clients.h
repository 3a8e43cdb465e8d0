/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The timed part with several clients: processes that share one database and the operations.
 *
 *	sc_clients_start()     nothing is open here; the processes exist and wait
 *	...                    a connection is opened here, warms up, and stays open
 *	sc_clients_prepare()   each has its own connection, statements and values, and waits
 *	sc_clients_run()       all begin together; returns when the last one has ended
 */

#include "../base/procfs.h"
#include "execute-hold.h"
#include "execute-ledger.h"
#include "execute-program.h"

#define SC_CLIENTS_MAX 1024u

struct sc_clients;

/* Clients of another workload, beside those of the sample's own. */
struct sc_clients_beside {
	const struct sc_workload *workload;
	const struct sc_stream_set *values;
	uint32_t clients;
	bool holds; /* one snapshot each, until the share below; see struct sc_beside */
	double hold_until;
};

/* What the clients inherit; made before they are started, borrowed by them. */
struct sc_clients_task {
	const struct sc_sample_spec *spec;
	const char *path; /* of the main database file */
	const struct sc_connection *connection;
	const struct sc_workload *workload;
	const struct sc_stream_set *values;
	struct sc_program_options options;
	struct sc_clients_beside beside[SC_BESIDE_MAX];
	size_t beside_count;
};

/** sc_clients_count() - how many a specification asks for, without those beside */
uint32_t sc_clients_count(const struct sc_sample_spec *spec);

/**
 * sc_clients_start() - fork
 *
 * No connection may be open in this process, nor may one have been left open; no instruments may
 * run. They die with this process.
 *
 * Return: 0; SC_E_LIMIT; SC_E_UNMEASURABLE where locking_mode lets only one of them in; -errno.
 */
int sc_clients_start(const struct sc_clients_task *task, struct sc_clients **ret_clients,
		     struct sc_error *error);
void sc_clients_freep(struct sc_clients **clients); /* kills those that are left */

/** sc_clients_share() - operations of each: a whole number of commits */
uint64_t sc_clients_share(const struct sc_clients *clients);

/**
 * sc_clients_prepare() - let them connect, and wait until all are ready
 * @first: index of the first operation; client i does those from first + i * share
 * @effective: the setting that each of them must read back
 * @fresh_pages: see sc_program_stay_fresh(); 0: not so
 *
 * Return: 0; the error of a client that failed; SC_E_CHILD where one died. None has begun then.
 */
int sc_clients_prepare(struct sc_clients *clients, uint64_t first,
		       const struct sc_setting *effective, uint32_t fresh_pages,
		       struct sc_error *error);

/* What became of one client. */
struct sc_client_end {
	uint64_t first;      /* index of its first operation */
	uint64_t operations; /* that it acknowledged */
	uint64_t uncertain;  /* further ones that may be in the database, all or none: one commit */
	bool has_failed;
};

/* What the clients of one other workload did meanwhile. */
struct sc_timed_beside {
	struct sc_tally tally;
	struct sc_timing timing; /* owned */
	uint32_t clients;
	uint64_t block; /* client i's values begin at i * block, and come again after as many */
	uint64_t operations[64]; /* of each client */
};

/* The timed part, of a sample's own process or of all clients together. */
struct sc_timed_part {
	uint64_t wall_ns;    /* to the end of the last client */
	uint64_t threads_ns; /* the wall times of all clients together */
	uint64_t cpu_ns;
	struct sc_usage usage;
	struct sc_tally tally;             /* of clients that have not failed; without payload */
	bool is_full;                      /* whether it ended because the WAL was full */
	struct sc_instruments instruments; /* that ran */
	struct syncost_snapshot *snapshot; /* owned; NULL: none ran, or clients failed */
	struct sc_client_end *ends;        /* count of them; owned */
	uint32_t count, failed;            /* clients; 0: none; failed: of those beside too */
	struct sc_timed_beside beside[SC_BESIDE_MAX];
	size_t beside_count;
	struct sc_hold hold; /* holders 0: none */
};
void sc_timed_part_fini(struct sc_timed_part *part);

/**
 * sc_clients_run() - the timed part
 * @ret_part: filled in both cases; the caller finishes it
 * @timing: added to
 *
 * Return: 0; SC_E_CHILD where clients failed or died; @error tells the end of the first, and the
 * others have gone on to their ends; another code.
 */
int sc_clients_run(struct sc_clients *clients, struct sc_timed_part *ret_part,
		   struct sc_timing *timing, struct sc_error *error);
