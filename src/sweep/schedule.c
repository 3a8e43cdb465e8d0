/* SPDX-License-Identifier: MIT */

/*
 * Cells share rounds, so those that are to get more have all had the same number of timing samples
 * but for the round that is under way. The next round is the lowest that a cell has not had, and
 * the turn is that of the first such cell in the round's order.
 *
 * A cell is out of time when its next sample does not fit into what is left of it. Time spent only
 * grows, so a cell that is out stays out, while cheaper ones may go on. When a cell ends there may
 * depend on its values: the intervals of the rule allow for that (stats/stop.c).
 */

#include "schedule.h"

#define SHARES        4u    /* of the time that a single cell may take */
#define DRAWS_MAX     2000u /* of each trial */
#define DRAWS_MIN     400u
#define DRAWN_SAMPLES 200000u /* draws times the most samples: a quarter of a second */
#define TRIAL_SEED    1u
#define NEED_MIN      4u /* samples whose spread says something */

static uint64_t spent_ns(const struct sc_plan *plan, const struct sc_record *records)
{
	uint64_t ns = 0;

	for (size_t i = 0; i < plan->cell_count; i++)
		ns += records[i].timing_ns;
	return ns;
}

static bool is_run(const struct sc_plan *plan, const struct sc_record *records, size_t index)
{
	return !plan->cells[index].is_same && !records[index].failed;
}

static uint32_t samples_max(const struct sc_stop_rule *rule)
{
	return rule->look_count ? rule->looks[rule->look_count - 1].samples : SC_SCHEDULE_PILOT;
}

/* Of a cell that has samples and did not fail. */
static enum sc_ended ended(const struct sc_sampling *sampling, const struct sc_record *record,
			   uint64_t spent)
{
	const struct sc_stop_rule *rule = &sampling->rule;
	struct sc_stop_verdict verdict;

	if (sampling->samples > 0)
		return record->timing_count < sampling->samples ? SC_ENDED_NOT : SC_ENDED_SAMPLES;
	if (record->timing_count < sampling->pilot || rule->look_count == 0)
		return SC_ENDED_NOT;
	verdict = sc_stop_look(rule, record->rates, record->rate_count);
	if (verdict.state == SC_STOP_CONVERGED)
		return SC_ENDED_CONVERGED;
	if (verdict.state == SC_STOP_EXHAUSTED || record->timing_count >= samples_max(rule))
		return SC_ENDED_SAMPLES;
	if (spent + sc_record_expected_ns(record) > sampling->time_ns)
		return SC_ENDED_TIME;
	return SC_ENDED_NOT;
}

void sc_schedule_mark(const struct sc_schedule *schedule, const struct sc_record *records,
		      struct sc_cell *cells)
{
	uint64_t spent = spent_ns(schedule->plan, records);

	for (size_t i = 0; i < schedule->plan->cell_count; i++) {
		if (is_run(schedule->plan, records, i))
			cells[i].ended = ended(schedule->sampling, &records[i], spent);
	}
}

static bool is_due(const struct sc_schedule *schedule, const struct sc_record *records,
		   size_t index, uint64_t spent)
{
	return is_run(schedule->plan, records, index) &&
	       ended(schedule->sampling, &records[index], spent) == SC_ENDED_NOT;
}

/* The round that the cell's next sample belongs to. */
static uint32_t round_of(const struct sc_record *record)
{
	return record->ledger_count == 0 ? 0 : record->timing_count + 1u;
}

static bool find_round(const struct sc_schedule *schedule, const struct sc_record *records,
		       uint64_t spent, uint32_t *ret_round)
{
	bool found = false;

	for (size_t i = 0; i < schedule->plan->cell_count; i++) {
		uint32_t round = round_of(&records[i]);

		if ((found && round >= *ret_round) || !is_due(schedule, records, i, spent))
			continue;
		*ret_round = round;
		found = true;
	}
	return found;
}

bool sc_schedule_next(struct sc_schedule *schedule, const struct sc_record *records,
		      struct sc_turn *ret_turn)
{
	const struct sc_plan *plan = schedule->plan;
	uint64_t spent = spent_ns(plan, records);
	uint32_t round = 0;

	if (!find_round(schedule, records, spent, &round))
		return false;
	if (!schedule->has_order || schedule->order_round != round)
		sc_plan_order(plan, round, schedule->order);
	schedule->order_round = round;
	schedule->has_order = true;
	for (size_t i = 0; i < plan->run_count; i++) {
		size_t index = schedule->order[i];

		if (round_of(&records[index]) != round || !is_due(schedule, records, index, spent))
			continue;
		*ret_turn = (struct sc_turn){index, round};
		return true;
	}
	return false; /* cannot be: the round was found for one of them */
}

/* --- the rule */

static void try_rule(struct sc_sampling *sampling)
{
	struct sc_stop_trial trials[SC_STOP_TRIALS];
	uint32_t draws = DRAWN_SAMPLES / samples_max(&sampling->rule);
	double lowest;

	draws = draws < DRAWS_MIN ? DRAWS_MIN : draws;
	draws = draws > DRAWS_MAX ? DRAWS_MAX : draws;
	lowest = sc_stop_try_all(&sampling->rule, draws, TRIAL_SEED, trials);
	sampling->simulated.draws = draws;
	sampling->simulated.lowest = lowest;
	for (size_t i = SC_STOP_TRIALS; i-- > 0;) {
		if ((double)trials[i].covered > lowest * draws + 0.5)
			continue;
		sampling->simulated.shape = trials[i].shape;
		sampling->simulated.spread = trials[i].spread;
	}
}

void sc_schedule_plan(const struct sc_plan *plan, const struct sc_record *records, double precision,
		      struct sc_sampling *sampling)
{
	uint64_t round_ns = 0, most = SC_SCHEDULE_PILOT;

	for (size_t i = 0; i < plan->cell_count; i++)
		round_ns += is_run(plan, records, i) ? records[i].planned_ns : 0;
	if (round_ns > 0 && sampling->time_ns / round_ns * SHARES > most)
		most = sampling->time_ns / round_ns * SHARES;
	if (most > SC_STOP_SAMPLES_MAX)
		most = SC_STOP_SAMPLES_MAX;
	/* it holds for any pilot of at least six */
	(void)sc_stop_plan(precision, SC_CONFIDENCE, SC_SCHEDULE_PILOT, (uint32_t)most,
			   &sampling->rule);
	try_rule(sampling);
}

/* --- what is left */

/* Timing samples that a cell is going to have, by what is known now. */
static uint32_t samples_needed(const struct sc_sampling *sampling, const struct sc_record *record)
{
	const struct sc_stop_rule *rule = &sampling->rule;
	uint32_t need;

	if (sampling->samples > 0)
		return sampling->samples;
	if (rule->look_count == 0 || record->rate_count < NEED_MIN)
		return sampling->pilot;
	need = sc_stop_need(rule, record->rates, record->rate_count);
	if (need == 0)
		need = samples_max(rule);
	if (need <= record->timing_count)
		need = sc_stop_look(rule, record->rates, record->rate_count).next_samples;
	return need > record->timing_count ? need : record->timing_count;
}

struct sc_schedule_left sc_schedule_left(const struct sc_schedule *schedule,
					 const struct sc_record *records)
{
	const struct sc_sampling *sampling = schedule->sampling;
	uint64_t spent = spent_ns(schedule->plan, records), limit_ns;
	uint64_t more = 0, more_ns = 0; /* after the pilot */
	struct sc_schedule_left left = {0};

	for (size_t i = 0; i < schedule->plan->cell_count; i++) {
		const struct sc_record *record = &records[i];
		uint64_t expected_ns = sc_record_expected_ns(record);
		uint32_t need, sure;

		if (!is_due(schedule, records, i, spent))
			continue;
		left.samples += record->ledger_count == 0;
		left.ns += record->ledger_count == 0 ? record->ledger_ns : 0;
		need = samples_needed(sampling, record);
		sure = sampling->samples ? need : sampling->pilot;
		if (sure > record->timing_count) {
			left.samples += sure - record->timing_count;
			left.ns += (sure - record->timing_count) * expected_ns;
		}
		sure = sure > record->timing_count ? sure : record->timing_count;
		if (need > sure) {
			more += need - sure;
			more_ns += (need - sure) * expected_ns;
		}
	}
	limit_ns = sampling->time_ns > spent + left.ns ? sampling->time_ns - spent - left.ns : 0;
	if (more_ns > limit_ns) {
		more = (uint64_t)((double)more * (double)limit_ns / (double)more_ns);
		more_ns = limit_ns;
	}
	left.samples += more;
	left.ns += more_ns;
	return left;
}
