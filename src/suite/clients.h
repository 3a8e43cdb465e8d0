/* SPDX-License-Identifier: MIT */
#pragma once

/* What a suite says about a workload's clients: how they wait, and who runs beside them. */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "key.h"

struct sc_suite;
struct sc_workload;

#define SC_BESIDE_MAX 4u /* other workloads that run beside one */

/* What a client does about SQLITE_BUSY. Without it: see execute-run.c. */
struct sc_busy {
	bool is_given;
	uint64_t pause_ms; /* before a call is made again */
	uint64_t limit_ms; /* of one call: after that the client fails */
	bool replays;      /* a transaction that is rejected inside begins anew; else it fails */
};

/* Clients that run another workload of the suite as long as this one's run. */
struct sc_beside {
	char *workload; /* its name; owned */
	uint32_t clients;
	double hold_until; /* 0: none; else each begins one transaction, reads once, and holds its
			    * snapshot until this share of the workload's operations is done */
};

/* Which latency an operation has that is one of several in a transaction. */
enum sc_latency_of {
	SC_LATENCY_OF_OPERATION,   /* its own; the last one's contains the commit */
	SC_LATENCY_OF_TRANSACTION, /* the transaction's, divided by its operations; one value */
};

/** sc_suite_busy_keys(), sc_suite_beside_keys() - the keys of these objects */
const struct sc_key *sc_suite_busy_keys(size_t *ret_count);
const struct sc_key *sc_suite_beside_keys(size_t *ret_count);

extern const char *const sc_latency_of_names[]; /* NULL at the end */

/** sc_busy_read(), sc_beside_read() - the keys of these names, into a struct sc_workload */
int sc_busy_read(struct sc_key_reader *reader, const cJSON *item, void *workload);
int sc_beside_read(struct sc_key_reader *reader, const cJSON *item, void *workload);

/** sc_beside_check() - that what runs beside @workload exists and can */
int sc_beside_check(struct sc_key_reader *reader, const struct sc_suite *suite,
		    const struct sc_workload *workload);
void sc_beside_fini(struct sc_workload *workload);

/** sc_workload_beside_clients() - processes beside its own clients */
uint32_t sc_workload_beside_clients(const struct sc_workload *workload);

/** sc_workload_holds() - whether one of those holds a snapshot; the largest share is in *@until */
bool sc_workload_holds(const struct sc_workload *workload, double *until);

/**
 * sc_beside_figure() - splits "NAME_FIGURE" of a check, NAME a workload beside
 * @ret_index: which of workload->beside
 * Return: the figure; NULL: @name does not begin with such a name.
 */
const char *sc_beside_figure(const struct sc_workload *workload, const char *name,
			     size_t *ret_index);
