/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Which sample is next: a pure function of the plan and of the samples so far. A sweep that was
 * ended and is taken up again from its stored samples goes on as if nothing had happened.
 */

#include "record.h"

/*
 * Rounds before the rule's first look. With 7 the next looks are at 11 and 17 of any sweep that has
 * time for them; 6 samples have the extremes alone up to 9 of them, and 8 cost a round more where
 * most cells are done with the first look.
 */
#define SC_SCHEDULE_PILOT 7u

struct sc_schedule {
	const struct sc_plan *plan;
	const struct sc_sampling *sampling; /* borrowed, as it goes into the report */
	uint32_t *order;                    /* room for the cells that are run: of order_round */
	uint32_t order_round;
	bool has_order;
};

struct sc_turn {
	size_t index;   /* of the cell */
	uint32_t round; /* 0: a ledger sample */
};

/**
 * sc_schedule_next() - whose turn it is
 * @records: one each for the plan's cells
 *
 * Round 0 takes the ledger sample of each cell; then each round takes a timing sample of each cell
 * that is to get more, in the round's own order. That is all cells in the pilot, and after it those
 * whose interval is too wide, as long as another sample fits into the time.
 *
 * Return: false where the sweep is over.
 */
bool sc_schedule_next(struct sc_schedule *schedule, const struct sc_record *records,
		      struct sc_turn *ret_turn);

/** sc_schedule_mark() - of each cell that is run, why it gets no more timing samples, or that it
 * does; @cells: as @records */
void sc_schedule_mark(const struct sc_schedule *schedule, const struct sc_record *records,
		      struct sc_cell *cells);

/**
 * sc_schedule_plan() - the stopping rule, when all ledger samples are taken; pure
 * @sampling: its rule and trials are filled
 *
 * The most samples of a cell are four times what there is time for if all go on to the end, as
 * most do not. They follow from what the ledger samples took, not from rates of timing samples.
 */
void sc_schedule_plan(const struct sc_plan *plan, const struct sc_record *records, double precision,
		      struct sc_sampling *sampling);

struct sc_schedule_left {
	uint64_t samples, ns;
};

/** sc_schedule_left() - what is to come, as far as the samples so far tell; for progress only */
struct sc_schedule_left sc_schedule_left(const struct sc_schedule *schedule,
					 const struct sc_record *records);
