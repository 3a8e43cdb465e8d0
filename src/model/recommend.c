/* SPDX-License-Identifier: MIT */

/*
 * Which setting to use. For each target and each class of loss (nothing, the last commit, those
 * since the last checkpoint) the fastest setting that promises no more loss than that and never
 * corrupts. A class whose answer is that of a stricter class is left out: giving up more would buy
 * nothing.
 *
 * Two rates count as equal where each median lies in the other's interval. Among equals the one
 * that loses less is taken, then the one closer to SQLite's defaults; the others are named.
 *
 * The answer is given for the workload with the fewest operations a commit, where a commit's cost
 * shows best, and for another workload only where that answer is clearly beaten.
 */

#include <errno.h>
#include <string.h>

#include "../base/buffer.h"
#include "judge.h"

/* Classes that can be recommended, strictest first. */
static const enum sc_loss classes[] = {SC_LOSS_NONE, SC_LOSS_LAST, SC_LOSS_SUFFIX};

#define CLASS_COUNT SC_ARRAY_COUNT(classes)

static bool is_candidate(const struct sc_group *group, const struct sc_cell *cell,
			 enum sc_loss loss)
{
	struct sc_promise promise = sc_promise_of(&cell->setting);

	return sc_group_takes_part(group, cell) && cell->commits_per_s.status == SC_MEASURED &&
	       promise.corruption == SC_CORRUPTION_NO && promise.loss <= loss;
}

static bool is_within(double value, const struct sc_interval *interval)
{
	return value >= interval->low && value <= interval->high;
}

static bool is_equal_rate(const struct sc_cell *a, const struct sc_cell *b)
{
	return is_within(a->commits_per_s.median, &b->commits_per_s) &&
	       is_within(b->commits_per_s.median, &a->commits_per_s);
}

/* How many fields are not as SQLite's defaults. */
static unsigned int count_changes(const struct sc_cell *cell)
{
	struct sc_setting usual = sc_setting_default();
	unsigned int count = 0;

	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];

		if (field->apply_order && field->get(&cell->setting) != field->get(&usual))
			count++;
	}
	return count;
}

/* Of two that are equally fast. */
static bool is_better_choice(const struct sc_cell *a, const struct sc_cell *b)
{
	enum sc_loss a_loss = sc_promise_of(&a->setting).loss;
	enum sc_loss b_loss = sc_promise_of(&b->setting).loss;

	if (a_loss != b_loss)
		return a_loss < b_loss;
	if (count_changes(a) != count_changes(b))
		return count_changes(a) < count_changes(b);
	return a->commits_per_s.median > b->commits_per_s.median;
}

struct pick {
	const struct sc_cell *cell;    /* the recommended one; NULL: there is none */
	const struct sc_cell *fastest; /* by its median */
};

static struct pick pick_class(const struct sc_group *group, enum sc_loss loss)
{
	struct pick pick = {NULL, NULL};

	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];

		if (is_candidate(group, cell, loss) &&
		    (!pick.fastest ||
		     cell->commits_per_s.median > pick.fastest->commits_per_s.median))
			pick.fastest = cell;
	}
	pick.cell = pick.fastest;
	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];

		if (is_candidate(group, cell, loss) && is_equal_rate(cell, pick.fastest) &&
		    is_better_choice(cell, pick.cell))
			pick.cell = cell;
	}
	return pick;
}

static void label_of(const struct sc_report_head *head, const struct sc_cell *cell, char *text,
		     size_t text_bytes)
{
	sc_setting_label(&cell->setting, &head->base, text, text_bytes);
}

/* The promise, and which others are as fast. */
static void say_choice(const struct sc_report_head *head, const struct sc_group *group,
		       const struct pick *pick, enum sc_loss loss, struct sc_buffer *sentence)
{
	char label[160];
	size_t equals = 0;

	sc_buffer_add_text(sentence, sc_promise_of(&pick->cell->setting).sentence);
	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];

		if (cell == pick->cell || !is_candidate(group, cell, loss) ||
		    !is_equal_rate(cell, pick->cell))
			continue;
		label_of(head, cell, label, sizeof(label));
		sc_buffer_printf(sentence, "%s%s",
				 equals++ ? ", " : "; within its interval: ", label);
	}
}

static char *copy_text(const char *text, bool *ret_memory)
{
	char *copy = strdup(text);

	*ret_memory = *ret_memory && copy;
	return copy;
}

static int add_recommendation(struct sc_report_head *head, const struct sc_group *group,
			      const struct pick *pick, enum sc_loss loss)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	const struct sc_setting usual = sc_setting_default();
	const struct sc_cell *cell = pick->cell;
	struct sc_recommendation *items;
	struct sc_recommendation *added;
	struct sc_error error;
	char label[160], pragmas[400];
	bool memory = true;

	items = realloc(head->recommendations, (head->recommendation_count + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	head->recommendations = items;
	added = &items[head->recommendation_count++];
	*added = (struct sc_recommendation){
		.loss = sc_promise_of(&cell->setting).loss,
		.commits_per_s = cell->commits_per_s.median,
	};
	label_of(head, cell, label, sizeof(label));
	sc_setting_pragmas(&cell->setting, &usual, pragmas, sizeof(pragmas));
	say_choice(head, group, pick, loss, &sentence);
	added->target = copy_text(cell->target, &memory);
	added->workload = copy_text(cell->workload, &memory);
	added->label = copy_text(label, &memory);
	added->pragmas = copy_text(pragmas, &memory);
	if (sc_buffer_take(&sentence, &added->sentence, &error) < 0)
		return -ENOMEM;
	return memory ? 0 : -ENOMEM;
}

/* Whether what @group would choose is no faster than what was already chosen elsewhere. */
static bool is_covered(const struct sc_group *group, const struct pick *pick,
		       const struct pick *chosen, enum sc_loss loss)
{
	for (size_t i = 0; chosen->cell && i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];

		if (is_candidate(group, cell, loss) &&
		    sc_setting_compare(&cell->setting, &chosen->cell->setting) == 0)
			return cell == pick->cell || is_equal_rate(cell, pick->fastest);
	}
	return false;
}

/*
 * Adds the choices of one group; @chosen holds those of the target's first workload, and is filled
 * by it.
 */
static int recommend_group(struct sc_report_head *head, const struct sc_group *group,
			   struct pick *chosen, bool is_first)
{
	const struct sc_cell *stricter = NULL;
	int r = 0;

	for (size_t i = 0; r == 0 && i < CLASS_COUNT; i++) {
		struct pick pick = pick_class(group, classes[i]);

		if (is_first)
			chosen[i] = pick;
		if (!pick.cell || pick.cell == stricter)
			continue;
		stricter = pick.cell;
		if (is_first || !is_covered(group, &pick, &chosen[i], classes[i]))
			r = add_recommendation(head, group, &pick, classes[i]);
	}
	return r;
}

static double ops_per_commit(const struct sc_group *group)
{
	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];

		if (cell->commits > 0)
			return (double)cell->operations / (double)cell->commits;
	}
	return 1;
}

static bool is_of_target(const struct sc_group *group, const char *target)
{
	return sc_group_commits(group) && strcmp(group->key->target, target) == 0;
}

static const struct sc_group *pick_first(const struct sc_groups *groups, const char *target)
{
	const struct sc_group *first = NULL;

	for (size_t i = 0; i < groups->count; i++) {
		const struct sc_group *group = &groups->items[i];

		if (is_of_target(group, target) &&
		    (!first || ops_per_commit(group) < ops_per_commit(first)))
			first = group;
	}
	return first;
}

static int recommend_target(struct sc_report_head *head, const struct sc_groups *groups,
			    const char *label)
{
	const struct sc_target *target = sc_head_target(head, label);
	const struct sc_group *first = pick_first(groups, label);
	struct pick chosen[CLASS_COUNT] = {{NULL, NULL}};
	int r;

	if (!first || (target && sc_target_is_memory(target)))
		return 0; /* in memory every setting loses everything */
	r = recommend_group(head, first, chosen, true);
	for (size_t i = 0; r == 0 && i < groups->count; i++) {
		const struct sc_group *group = &groups->items[i];

		if (group != first && is_of_target(group, label))
			r = recommend_group(head, group, chosen, false);
	}
	return r;
}

/* Whether a group before @index is of the same target. */
static bool is_seen(const struct sc_groups *groups, size_t index)
{
	for (size_t i = 0; i < index; i++) {
		if (strcmp(groups->items[i].key->target, groups->items[index].key->target) == 0)
			return true;
	}
	return false;
}

int sc_recommend(struct sc_report_head *head, const struct sc_groups *groups)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < groups->count; i++) {
		if (!is_seen(groups, i))
			r = recommend_target(head, groups, groups->items[i].key->target);
	}
	return r;
}
