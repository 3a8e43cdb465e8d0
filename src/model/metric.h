/* SPDX-License-Identifier: MIT */
#pragma once

/* The metric catalogue: the one list that every writer walks. A new metric is one row. */

#include "report.h"

enum sc_unit { SC_UNIT_NS, SC_UNIT_BYTES, SC_UNIT_COUNT, SC_UNIT_PER_SECOND, SC_UNIT_RATIO };
enum sc_better { SC_BETTER_HIGHER, SC_BETTER_LOWER, SC_BETTER_NEITHER };
enum sc_metric_from { SC_FROM_TIMING, SC_FROM_LEDGER };

/* What a metric is about: a table of its own in reports for people. */
enum sc_metric_group {
	SC_GROUP_RATE,
	SC_GROUP_LATENCY,
	SC_GROUP_SHARE, /* of the time inside SQLite */
	SC_GROUP_SPLIT, /* wall time of an operation, by part */
	SC_GROUP_CPU,
	SC_GROUP_SYNC,
	SC_GROUP_CHECKPOINT,
	SC_GROUP_IO,
	SC_GROUP_WORK, /* steps, pages, memory in use */
	SC_GROUP_SPACE,
	SC_GROUP_QUALITY, /* how far the other figures can be trusted */
	SC_GROUP_NOISE,   /* what disturbed the timing samples */
	SC_GROUP_COUNT_,
};

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
	const char *column;  /* the same as the head of a narrow column in its group: "p99" */
	const char *meaning; /* one sentence */
	enum sc_unit unit;
	enum sc_better better;
	enum sc_metric_from from;
	enum sc_metric_group group;
	struct sc_metric_value (*read)(const struct sc_cell *cell);
};

extern const struct sc_metric sc_metrics[];
extern const size_t sc_metric_count;

const struct sc_metric *sc_metric_find(const char *key);
const char *sc_unit_name(enum sc_unit unit);

/** sc_metric_group_title() - "Syncs per commit" */
const char *sc_metric_group_title(enum sc_metric_group group);

/* The same for the samples that a cell keeps: what samples.csv walks. */
struct sc_sample_metric {
	const char *key;
	enum sc_unit unit;
	struct sc_metric_value (*read)(const struct sc_cell_sample *sample);
};

extern const struct sc_sample_metric sc_sample_metrics[];
extern const size_t sc_sample_metric_count;
