/* SPDX-License-Identifier: MIT */
#pragma once

/* The metric catalogue: the one list that every writer walks. A new metric is one row. */

#include "report.h"

enum sc_unit { SC_UNIT_NS, SC_UNIT_BYTES, SC_UNIT_COUNT, SC_UNIT_PER_SECOND, SC_UNIT_RATIO };
enum sc_better { SC_BETTER_HIGHER, SC_BETTER_LOWER, SC_BETTER_NEITHER };
enum sc_metric_from { SC_FROM_TIMING, SC_FROM_LEDGER };

struct sc_metric_value {
	enum sc_status status;
	double number;
	bool has_interval;
	double low, high;
	uint64_t n;         /* what it rests on; 0: not a sample statistic */
	const char *reason; /* borrowed from the cell; NULL when measured */
};

struct sc_metric {
	const char *key;     /* with unit: "commit_ns_p99" */
	const char *title;   /* "Commit latency, p99" */
	const char *meaning; /* one sentence */
	enum sc_unit unit;
	enum sc_better better;
	enum sc_metric_from from;
	struct sc_metric_value (*read)(const struct sc_cell *cell);
};

extern const struct sc_metric sc_metrics[];
extern const size_t sc_metric_count;

const struct sc_metric *sc_metric_find(const char *key);
const char *sc_unit_name(enum sc_unit unit);
