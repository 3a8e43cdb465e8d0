/* SPDX-License-Identifier: MIT */
#pragma once

/* What a comparison needs of a report: its head, and of each cell the names and some figures. */

#include "metric.h"

/* --- what is compared */

enum sc_compare_kind {
	SC_COMPARE_COUNT,   /* from ledger samples: any increase is one */
	SC_COMPARE_LATENCY, /* from timing samples: within intervals, a percentage and a floor */
	SC_COMPARE_SHOWN,   /* beside the others, never judged by the gate */
};

struct sc_compare_metric {
	enum sc_compare_kind kind;
	struct sc_metric metric; /* of the catalogue, or of the comparison alone */
};

#define SC_COMPARE_METRICS 22u

/** sc_compare_metric() - of an index below SC_COMPARE_METRICS, in the order of tables */
struct sc_compare_metric sc_compare_metric(size_t index);

/** sc_compare_metric_find() - Return: its index, SC_COMPARE_METRICS where there is none */
size_t sc_compare_metric_find(const char *key);

/* --- a report, reduced to that */

struct sc_digest_figure { /* a metric of a cell */
	enum sc_status status;
	uint32_t n; /* samples that an interval rests on; 0: no interval */
	double number;
	double low, high; /* where there is an interval */
};

struct sc_digest_cell {
	char *id, *reason, *same_as; /* owned; @reason where it was not measured */
	const char *target, *suite, *suite_digest, *workload, *unit; /* the digest's, as the next */
	const char *store, *device, *clock, *layers;
	uint32_t clients;
	enum sc_wal_state wal_state;
	bool uses_wal_state;
	enum sc_status status;
	struct sc_setting setting, effective;
	uint64_t rows, seed, rate, ledger_ops;
	uint32_t timing_samples; /* that its rate rests on; 0: it has none */
	double coverage;         /* of the interval of that rate */
	double reference_ns;     /* median over timing samples; 0: one of them does not have it */
	/* Of each timing sample the time per operation, run delay taken out, over that of its
	 * reference work; skipped for clients, who work at once as the reference does not. */
	struct sc_digest_figure references_per_op;
	double stolen;  /* the part of waiting that is steal */
	double waiting; /* share of their time without a CPU, runnable; 0 … 0.99 */
	struct sc_digest_figure figures[SC_COMPARE_METRICS];
};

struct sc_digest {
	char *path;                      /* as given */
	struct sc_report_reader *reader; /* owns the head */
	const struct sc_report_head *head;
	struct sc_digest_cell *cells;
	size_t cell_count;
	char **texts;                 /* names that cells share, hashed; owned; NULL: a free slot */
	size_t text_count, text_room; /* slots: a power of 2 */
};

/**
 * sc_digest_load() - read a report, one cell at a time
 * @path: a report folder or its summary.json
 * @ret_digest: end with sc_digest_fini()
 */
int sc_digest_load(const char *path, struct sc_digest *ret_digest, struct sc_error *error);
void sc_digest_fini(struct sc_digest *digest);

/**
 * sc_digest_is_starved() - whether @cell waited for CPUs for so long that it tells no latency
 *
 * More clients than CPUs wait for each other, and do so on each run alike: that tells.
 */
#define SC_DIGEST_WAITING_MAX 0.3
bool sc_digest_is_starved(const struct sc_digest *digest, const struct sc_digest_cell *cell);

/** sc_digest_floor() - ns of a sync on the cell's target before the run; 0: not known */
uint64_t sc_digest_floor(const struct sc_digest *digest, const struct sc_digest_cell *cell);

/** sc_digest_view() - names and setting as those of a cell; borrowed, never to be finished */
struct sc_cell sc_digest_view(const struct sc_digest_cell *cell);
