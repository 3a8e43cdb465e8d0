/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Reports compared: cells matched, metrics as ratios with intervals, a verdict for each, and what
 * makes reports incomparable. As a gate it is strict on counts, which are the same on every run,
 * and tolerant on latency, which is not.
 *
 *	sc_digest_load() each report -> sc_compare() -> sc_compare_change() for what a writer shows
 */

#include "compare-digest.h"

/* --- the rules */

struct sc_compare_rules {
	bool is_gate;            /* otherwise nothing is refused and nothing fails */
	bool counts_only;        /* no latency, and so no platform */
	bool common;             /* what both reports have is judged, whatever else differs */
	double latency_percent;  /* more than so many percent longer, … */
	double latency_floor_ns; /* … and more than so many ns an operation, is too much */
	double allowed_percent[SC_COMPARE_METRICS]; /* of counts; 0: no increase at all */
	const char *const *ignored;                 /* keys that may differ; borrowed */
	size_t ignored_count;
};

#define SC_COMPARE_LATENCY_PERCENT  30.0
#define SC_COMPARE_LATENCY_FLOOR_NS 500.0
#define SC_COMPARE_SAMPLES_MIN      5u   /* fewer timing samples are no evidence */
#define SC_COMPARE_SAME             0.05 /* an interval of a ratio within 1 ± this is "same" */

/** sc_compare_is_key() - whether a key can differ, and so be ignored: "sqlite.version", "rows" */
bool sc_compare_is_key(const char *key);

/** sc_compare_key() - each of those keys; NULL past the last. "platform" stands for several. */
const char *sc_compare_key(size_t index);

/* --- the comparison */

enum sc_verdict {
	SC_VERDICT_SAME,
	SC_VERDICT_BETTER,
	SC_VERDICT_WORSE,
	SC_VERDICT_UNKNOWN, /* cannot tell */
	SC_VERDICT_COUNT_,
};

/** sc_verdict_name() - "same", "better", "worse", "cannot tell" */
const char *sc_verdict_name(enum sc_verdict verdict);

struct sc_change {      /* one metric of one cell, from the base to another report */
	bool is_there;  /* both are measured; nothing else is set where they are not */
	bool has_ratio; /* the base is not 0 */
	bool has_interval;
	bool is_adjusted; /* at the base's speed, without waits: not that of the two figures */
	double ratio;     /* other / base */
	double ratio_low, ratio_high;
	enum sc_verdict verdict;
	bool fails; /* the gate */
};

struct sc_compare_tolerance {   /* of one cell */
	double allowed_percent; /* that a count may grow by */
	double slower; /* >= 1: a factor of time that the other's machine explains: it waited for */
	double faster; /* CPUs, or its storage was slow; and the base's, the other way round */
	bool is_blind; /* about latencies: a sample waited for too long, or there are too few */
};

/**
 * sc_change_of() - pure
 *
 * The interval of a ratio is [other's low / base's high, other's high / base's low]: with two
 * intervals of 95 % it holds the ratio in at least 90 %; simulated with equal and different
 * distributions of both, 6 to 15 samples each, in 95.8 % or more.
 */
struct sc_change sc_change_of(const struct sc_compare_metric *metric,
			      const struct sc_digest_figure *base,
			      const struct sc_digest_figure *other,
			      const struct sc_compare_rules *rules,
			      const struct sc_compare_tolerance *tolerance);

struct sc_difference {     /* between the base and another report */
	char key[64];      /* "sqlite.version", "page_size" */
	size_t digest;     /* which other report */
	const char *cell;  /* id in the base of the first cell with it; NULL: of the whole report */
	size_t cell_count; /* how many cells have it */
	char base[100], other[100]; /* what stands in either */
	bool missing; /* the other report lacks the cells, and may have others in their place */
	bool refused; /* a gate cannot compare; otherwise it is noted */
};

/* What became of a cell of the base in another report. */
enum sc_compare_state {
	SC_COMPARE_DONE,
	SC_COMPARE_COPY,    /* both carry the figures of another cell, which is compared */
	SC_COMPARE_MISSING, /* the other report does not have it */
	SC_COMPARE_ABSENT,  /* not measured in one of them */
};

struct sc_compare_tally { /* of one other report */
	size_t cells;     /* compared */
	size_t failing;   /* of those */
	size_t verdicts[SC_VERDICT_COUNT_];
	size_t copies, missing, absent;
	size_t extra; /* cells that the base does not have */
};

enum sc_outcome {
	SC_OUTCOME_PASS,
	SC_OUTCOME_REGRESSION,
	SC_OUTCOME_INVALID,
};

/** sc_outcome_name() - "pass", "regression", "invalid" */
const char *sc_outcome_name(enum sc_outcome outcome);

struct sc_comparison {
	const struct sc_digest *digests;      /* borrowed; the first is the base */
	size_t digest_count;                  /* >= 2 */
	const struct sc_compare_rules *rules; /* borrowed */
	size_t *matches; /* a row for each cell of the base, a column for each other report */
	struct sc_difference *differences;
	size_t difference_count;
	struct sc_compare_tally *tallies; /* for each other report */
	double coverage; /* that the intervals of ratios have at least; 0: there are none */
	enum sc_outcome outcome;
};

/**
 * sc_compare() - match, judge and count; pure
 * @digests, @rules: borrowed until sc_comparison_fini()
 *
 * Return: 0 whatever the outcome; SC_E_USAGE where ignored keys leave cells that cannot be told
 * apart; -ENOMEM.
 */
int sc_compare(const struct sc_digest *digests, size_t digest_count,
	       const struct sc_compare_rules *rules, struct sc_comparison *ret_comparison,
	       struct sc_error *error);
void sc_comparison_fini(struct sc_comparison *comparison);

/* @other: 1 … digest_count - 1; @cell: index in the base */

enum sc_compare_state sc_compare_state(const struct sc_comparison *comparison, size_t cell,
				       size_t other);

/** sc_compare_match() - the other report's cell; NULL where it is missing */
const struct sc_digest_cell *sc_compare_match(const struct sc_comparison *comparison, size_t cell,
					      size_t other);

/** sc_compare_tolerance() - what either machine explains; @cell has a match; no percentage yet */
struct sc_compare_tolerance sc_compare_tolerance(const struct sc_comparison *comparison,
						 size_t cell, size_t other);

/** sc_compare_change() - of one metric; @cell has a match */
struct sc_change sc_compare_change(const struct sc_comparison *comparison, size_t cell,
				   size_t other, size_t metric);

/** sc_compare_cell() - of all metrics that are judged: the worst; only verdict and fails are set */
struct sc_change sc_compare_cell(const struct sc_comparison *comparison, size_t cell, size_t other);

/** sc_compare_write_json() - everything; one cell per line */
int sc_compare_write_json(FILE *out, const struct sc_comparison *comparison,
			  struct sc_error *error);
