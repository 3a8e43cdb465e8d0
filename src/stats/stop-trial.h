/* SPDX-License-Identifier: MIT */
#pragma once

/* Trials of a stopping rule: how often its intervals hold a median that is known. */

#include "random.h"
#include "stop.h"

/* Distributions of rates; the median of each is 1. */
enum sc_stop_shape {
	SC_STOP_NORMAL,
	SC_STOP_LOG_NORMAL,
	SC_STOP_BIMODAL, /* half of the samples each in two modes: where agreement misleads most */
	SC_STOP_HEAVY_TAILED, /* times with a tail whose variance is infinite */
	SC_STOP_SHAPE_COUNT_,
};

/** sc_stop_shape_name() - "normal", "log-normal", "bimodal", "heavy-tailed" */
const char *sc_stop_shape_name(enum sc_stop_shape shape);

/** sc_stop_draw() - one rate; @spread: about its relative standard deviation, 0 … 0.5 */
double sc_stop_draw(struct sc_random *random, enum sc_stop_shape shape, double spread);

struct sc_stop_trial {
	enum sc_stop_shape shape;
	double spread;
	uint32_t draws;      /* runs of the rule */
	uint32_t covered;    /* whose final interval held the median */
	uint32_t converged;  /* that stopped within the precision */
	double samples_mean; /* that a run took */
};

/** sc_stop_try() - @draws runs of the rule on one distribution; pure, the same for the same seed */
struct sc_stop_trial sc_stop_try(const struct sc_stop_rule *rule, enum sc_stop_shape shape,
				 double spread, uint32_t draws, uint64_t seed);

#define SC_STOP_SPREADS 3u /* of each distribution: one, two and four times the precision */
#define SC_STOP_TRIALS  ((size_t)SC_STOP_SHAPE_COUNT_ * SC_STOP_SPREADS)

/**
 * sc_stop_try_all() - all distributions, each with all spreads
 * @ret_trials: SC_STOP_TRIALS of them
 * Return: the lowest share of covered runs.
 */
double sc_stop_try_all(const struct sc_stop_rule *rule, uint32_t draws, uint64_t seed,
		       struct sc_stop_trial *ret_trials);
