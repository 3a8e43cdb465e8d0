/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The plan of a sweep: which cells there are, which of them need no run of their own, and in which
 * order each round takes them. Pure: the same request gives the same plan.
 */

#include "../base/err.h"
#include "../model/store.h"
#include "../suite/suite.h"

#define SC_PLAN_CELLS_MAX  100000u /* beyond it a sweep takes days and its report is unreadable */
#define SC_PLAN_AXES_MAX   16u     /* more than a setting has fields */
#define SC_PLAN_SUITES_MAX 64u

/* What a sweep varies: one field of the setting, and its values. */
struct sc_axis {
	const struct sc_setting_field *field; /* each at most once in a request */
	const int64_t *values;                /* borrowed, each once, in the field's range */
	size_t value_count;                   /* at least one */
};

struct sc_plan_values {
	const int64_t *items; /* borrowed, each once */
	size_t count;
};

/* A suite, and what is varied of its setting. */
struct sc_plan_suite {
	const struct sc_suite *suite;          /* borrowed, outlives the plan */
	struct sc_axis axes[SC_PLAN_AXES_MAX]; /* fields without one keep the suite's value */
	size_t axis_count;
	/* Of this suite alone; empty: those of the request. */
	struct sc_plan_values rows, clients, wal_states;
};

struct sc_plan_request {
	const struct sc_plan_suite *suites; /* each name once; at least one */
	size_t suite_count;                 /* at most SC_PLAN_SUITES_MAX */
	const char *const *globs;   /* glob(7) over names of workloads, each matches one or more */
	size_t glob_count;          /* 0: the workloads of the default sweeps */
	const char *const *targets; /* labels, unique */
	size_t target_count;
	const int64_t *wal_states; /* enum sc_wal_state, for cells with journal WAL */
	size_t wal_state_count;    /* at least one */
	const int64_t *clients;    /* processes at one database, each 1 … UINT32_MAX */
	size_t client_count;       /* 0: those of each suite */
	uint64_t rate;             /* operations due a second, in each cell; 0: no schedule */
	const int64_t *stores;     /* enum sc_store, each once */
	size_t store_count;        /* 0: sqlite */
	uint64_t seed;
};

struct sc_plan_cell {
	char *id; /* "local/commit/insert_one/wal/full/recycled"; owned */
	size_t target_index;
	size_t suite_index;
	size_t workload_index; /* in the suite */
	uint32_t clients;
	uint64_t rows; /* of the dataset */
	enum sc_store store;
	struct sc_setting setting;
	enum sc_wal_state wal_state;
	bool uses_wal_state;     /* journal WAL */
	bool is_same;            /* not run: its figures are those of same_index */
	size_t same_index;       /* a cell that is run */
	const char *same_reason; /* static text */
};

struct sc_plan {
	const struct sc_suite *suites[SC_PLAN_SUITES_MAX];
	size_t suite_count;
	uint64_t seed, rate;
	struct sc_plan_cell
		*cells; /* sorted: target, suite, workload, rows, clients, store, setting, WAL state
			 */
	size_t cell_count;
	size_t run_count; /* cells with a run of their own */
};

/**
 * sc_plan_new() - enumerate the grid
 *
 * rows_per_commit is varied for the workloads whose transactions can be cut differently. What
 * means nothing in a store (model/store.h) is not varied for it, and snapshot has one client.
 * Return: 0; SC_E_USAGE where two suites have one name, a glob matches no workload, a suite has
 * none to run, rows per commit can apply to none, or there are more than SC_PLAN_CELLS_MAX cells,
 * or store snapshot has cells with several clients alone;
 * -ENOMEM.
 */
int sc_plan_new(const struct sc_plan_request *request, struct sc_plan **ret_plan,
		struct sc_error *error);
void sc_plan_freep(struct sc_plan **plan);

/**
 * sc_plan_order() - the order of a round: indexes of the cells that are run
 * @round:   0 is the ledger's
 * @indexes: room for plan->run_count
 */
void sc_plan_order(const struct sc_plan *plan, uint32_t round, uint32_t *indexes);

/** sc_plan_suite(), sc_plan_workload() - of a cell; borrowed. */
const struct sc_suite *sc_plan_suite(const struct sc_plan *plan, size_t cell_index);
const struct sc_workload *sc_plan_workload(const struct sc_plan *plan, size_t cell_index);

/** sc_plan_unit() - operations of a cell's transactions */
uint64_t sc_plan_unit(const struct sc_plan *plan, size_t cell_index);

/** sc_plan_timed_ops() - operations of a timing sample, as the suite fixes them; 0: it does not */
uint64_t sc_plan_timed_ops(const struct sc_plan *plan, size_t cell_index);

/** sc_plan_store() - where the data of a cell is kept: "sqlite", "snapshot", "memory"; static text
 */
const char *sc_plan_store(const struct sc_plan *plan, size_t cell_index);
