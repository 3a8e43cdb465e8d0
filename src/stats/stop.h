/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * When to stop sampling: planned looks at the interval of the median, wide enough that stopping at
 * the first narrow one does not cost its coverage.
 *
 *	struct sc_stop_rule rule;
 *
 *	sc_stop_plan(0.05, 0.95, SC_STOP_PILOT_DEFAULT, 100, &rule);
 *	do {
 *		...sample until there are verdict.next_samples...
 *		verdict = sc_stop_look(&rule, sorted, count);
 *	} while (verdict.state == SC_STOP_MORE);
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SC_STOP_PILOT_DEFAULT 8u
#define SC_STOP_SAMPLES_MAX   1000u /* most that a rule plans for */
#define SC_STOP_LOOKS_MAX     20u

struct sc_stop_planned {
	uint32_t samples; /* of this look; ascending */
	uint32_t rank;    /* the interval runs from the sample of this rank to samples + 1 - rank */
};

struct sc_stop_rule {
	double precision;  /* half-width to reach, as a fraction of the median; > 0 */
	double confidence; /* asked for */
	double coverage;   /* exact: all intervals of the looks hold the median together; >=
			      confidence */
	size_t look_count; /* >= 1; the first is the pilot, the last the most samples */
	struct sc_stop_planned looks[SC_STOP_LOOKS_MAX];
};

/**
 * sc_stop_plan() - looks and their ranks; pure
 * @precision:   > 0; @confidence: in (0, 1)
 * @pilot:       samples before the first look, >= 1
 * @samples_max: >= @pilot, at most SC_STOP_SAMPLES_MAX. May depend on anything but the values
 *               sampled: on a time limit divided by the plan's estimate, say.
 *
 * Return: false where the extremes of @pilot samples are not enough for @confidence (fewer than 6
 * for 95 %).
 */
bool sc_stop_plan(double precision, double confidence, uint32_t pilot, uint32_t samples_max,
		  struct sc_stop_rule *ret_rule);

/** sc_stop_coverage() - that all intervals of these looks hold the median; exact, pure. */
double sc_stop_coverage(const struct sc_stop_planned *looks, size_t look_count);

enum sc_stop_state {
	SC_STOP_MORE,      /* go on to next_samples */
	SC_STOP_CONVERGED, /* at a look, within the precision */
	SC_STOP_EXHAUSTED, /* at the last look, and still too wide */
	SC_STOP_STATE_COUNT_,
};

struct sc_stop_verdict {
	enum sc_stop_state state;
	bool has_interval;        /* false before the pilot is complete */
	double median, low, high; /* where there is an interval */
	uint32_t next_samples;    /* of the next look; 0 when done */
};

/**
 * sc_stop_look() - judge what has been sampled; pure
 * @values: ascending, > 0; @count: may lie between two looks
 *
 * Between looks nothing converges; the interval is then the one of the look before, over all
 * values, which the rule's coverage holds for as well. So sampling may end at any moment (time is
 * up) and the interval stands.
 */
struct sc_stop_verdict sc_stop_look(const struct sc_stop_rule *rule, const double *values,
				    size_t count);

/**
 * sc_stop_need() - the look at which these values can be expected to converge; pure
 * @values: ascending, > 0, at least two: the pilot's
 *
 * For estimates of time; nothing depends on it. Return: samples of that look, 0 if none suffices.
 */
uint32_t sc_stop_need(const struct sc_stop_rule *rule, const double *values, size_t count);
