/* SPDX-License-Identifier: MIT */

/*
 * Which setting to use. For each target and each class of loss (nothing, the last commit, those
 * since the last checkpoint) the fastest setting that promises no more loss than that and never
 * corrupts. A class whose answer is that of a stricter class is left out: giving up more would buy
 * nothing.
 *
 * Two rates count as equal where the interval of their ratio, round by round, holds 1; so what is
 * equal to another is so either way round. Among equals the one that loses less is taken, then the
 * one closer to SQLite's defaults; the others are named.
 *
 * The answer is given for the workload with the fewest operations a commit, where a commit's cost
 * shows best. Another workload has its own where that answer is clearly beaten, and is named
 * beside that answer where it is not. Where a target has no answer, a finding says why.
 */

#include <errno.h>
#include <string.h>

#include "../base/buffer.h"
#include "judge.h"
#include "store.h"

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

static int compare_rates(const struct sc_cell *a, const struct sc_cell *b, bool *ret_equal)
{
	struct sc_interval factor;
	int r;

	*ret_equal = a == b;
	if (a == b)
		return 0;
	r = sc_factor_between(a, b, &factor);
	if (r < 0)
		return r;
	if (factor.status == SC_MEASURED)
		*ret_equal = factor.low <= 1 && factor.high >= 1;
	else /* no round in common: where the intervals overlap */
		*ret_equal = a->commits_per_s.low <= b->commits_per_s.high &&
			     b->commits_per_s.low <= a->commits_per_s.high;
	return 0;
}

unsigned int sc_count_changes(const struct sc_setting *setting)
{
	struct sc_setting usual = sc_setting_default();
	unsigned int count = 0;

	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];

		if (field->apply_order && field->get(setting) != field->get(&usual))
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
	if (sc_count_changes(&a->setting) != sc_count_changes(&b->setting))
		return sc_count_changes(&a->setting) < sc_count_changes(&b->setting);
	return a->commits_per_s.median > b->commits_per_s.median;
}

struct pick {
	const struct sc_cell *cell;    /* the recommended one; NULL: there is none */
	const struct sc_cell *fastest; /* by its median */
};

static int pick_class(const struct sc_group *group, enum sc_loss loss, struct pick *ret_pick)
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

		bool is_equal;

		if (!is_candidate(group, cell, loss) || !is_better_choice(cell, pick.cell))
			continue;
		if (compare_rates(cell, pick.fastest, &is_equal) < 0)
			return -ENOMEM;
		if (is_equal)
			pick.cell = cell;
	}
	*ret_pick = pick;
	return 0;
}

static void label_of(const struct sc_report_head *head, const struct sc_cell *cell, char *text,
		     size_t text_bytes)
{
	sc_setting_label(&cell->setting, &head->base, text, text_bytes);
}

/* What taking the setting asks of a program. */
static void say_conditions(const struct sc_setting *setting, struct sc_buffer *sentence)
{
	if (setting->locking_mode == SC_LOCKING_EXCLUSIVE)
		sc_buffer_add_text(sentence,
				   "; other processes cannot open the database meanwhile");
	if (setting->page_size != sc_setting_default().page_size)
		sc_buffer_add_text(sentence, "; the page size takes a VACUUM (outside WAL) on an "
					     "existing database");
}

/* The promise, the conditions, and which others are as fast. */
static int say_choice(const struct sc_report_head *head, const struct sc_group *group,
		      const struct pick *pick, enum sc_loss loss, struct sc_buffer *sentence)
{
	char label[160];
	size_t equals = 0;

	sc_buffer_add_text(sentence, sc_promise_of(&pick->cell->setting).sentence);
	say_conditions(&pick->cell->setting, sentence);
	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];

		bool is_equal;

		if (cell == pick->cell || !is_candidate(group, cell, loss))
			continue;
		if (compare_rates(cell, pick->cell, &is_equal) < 0)
			return -ENOMEM;
		if (!is_equal)
			continue;
		label_of(head, cell, label, sizeof(label));
		sc_buffer_printf(sentence, "%s%s",
				 equals++ ? ", " : "; within its interval: ", label);
	}
	return 0;
}

static char *copy_text(const char *text, bool *ret_memory)
{
	char *copy = strdup(text);

	*ret_memory = *ret_memory && copy;
	return copy;
}

static int add_recommendation(struct sc_report_head *head, const struct sc_groups *groups,
			      const struct sc_group *group, const struct pick *pick,
			      enum sc_loss loss)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	const struct sc_setting usual = sc_setting_default();
	const struct sc_cell *cell = pick->cell;
	struct sc_setting setting = cell->setting;
	struct sc_recommendation *items;
	struct sc_recommendation *added;
	struct sc_error error;
	char label[160], pragmas[400], name[SC_GROUP_NAME_BYTES];
	bool memory = true;

	items = realloc(head->recommendations, (head->recommendation_count + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	head->recommendations = items;
	added = &items[head->recommendation_count++];
	*added = (struct sc_recommendation){
		.loss = sc_promise_of(&cell->setting).loss,
		.commits_per_s = cell->commits_per_s,
	};
	label_of(head, cell, label, sizeof(label));
	setting.fullfsync = setting.checkpoint_fullfsync = false; /* they change nothing here */
	sc_setting_pragmas(&setting, &usual, pragmas, sizeof(pragmas));
	if (say_choice(head, group, pick, loss, &sentence) < 0)
		return -ENOMEM;
	added->target = copy_text(cell->target, &memory);
	added->workload = copy_text(sc_groups_name(groups, group, name), &memory);
	added->label = copy_text(label, &memory);
	added->pragmas = copy_text(pragmas, &memory);
	if (sc_buffer_take(&sentence, &added->sentence, &error) < 0)
		return -ENOMEM;
	return memory ? 0 : -ENOMEM;
}

/* Whether what @group would choose is no faster than what was already chosen elsewhere. */
static int find_covered(const struct sc_group *group, const struct pick *pick,
			const struct pick *chosen, enum sc_loss loss, bool *ret_covered)
{
	struct sc_setting setting;

	*ret_covered = false;
	if (!chosen->cell)
		return 0;
	setting = chosen->cell->setting;
	setting.rows_per_commit = group->key->setting.rows_per_commit; /* the workload's */
	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];

		if (is_candidate(group, cell, loss) &&
		    sc_setting_compare(&cell->setting, &setting) == 0)
			return compare_rates(cell, cell == pick->cell ? cell : pick->fastest,
					     ret_covered);
	}
	return 0;
}

/* What the first workload of a target chose in a class, and who else it holds for. */
struct choice {
	struct pick pick;
	bool has_line;           /* there is a recommendation of this class */
	size_t line;             /* its index */
	struct sc_buffer others; /* names of workloads */
};

static int recommend_first(struct sc_report_head *head, const struct sc_groups *groups,
			   const struct sc_group *group, struct choice *choices)
{
	const struct sc_cell *stricter = NULL;

	for (size_t i = 0; i < CLASS_COUNT; i++) {
		struct choice *choice = &choices[i];

		if (pick_class(group, classes[i], &choice->pick) < 0)
			return -ENOMEM;
		if (!choice->pick.cell || choice->pick.cell == stricter)
			continue;
		stricter = choice->pick.cell;
		choice->line = head->recommendation_count;
		choice->has_line = true;
		if (add_recommendation(head, groups, group, &choice->pick, classes[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* "insert_one rows_per_commit=100": as labels name what is not the workload's own */
static void name_group(const struct sc_groups *groups, const struct sc_group *group,
		       struct sc_buffer *names)
{
	const struct sc_cell *key = group->key;
	char name[SC_GROUP_NAME_BYTES];

	sc_buffer_printf(names, "%s%s", names->length ? ", " : "",
			 sc_groups_name(groups, group, name));
	if (key->setting.rows_per_commit > 0)
		sc_buffer_printf(names, " rows_per_commit=%u", key->setting.rows_per_commit);
}

static int recommend_other(struct sc_report_head *head, const struct sc_groups *groups,
			   const struct sc_group *group, struct choice *choices)
{
	const struct sc_cell *stricter = NULL;

	for (size_t i = 0; i < CLASS_COUNT; i++) {
		struct choice *choice = &choices[i];
		struct pick pick;
		bool is_covered;

		if (pick_class(group, classes[i], &pick) < 0)
			return -ENOMEM;
		if (!pick.cell)
			continue;
		if (find_covered(group, &pick, &choice->pick, classes[i], &is_covered) < 0)
			return -ENOMEM;
		if (is_covered && choice->has_line)
			name_group(groups, group, &choice->others);
		if (pick.cell == stricter)
			continue;
		stricter = pick.cell;
		if (!is_covered && add_recommendation(head, groups, group, &pick, classes[i]) < 0)
			return -ENOMEM;
	}
	return 0;
}

/* Names the workloads for which a choice of the first one holds too. */
static int say_others(struct sc_report_head *head, struct choice *choice)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer sentence = {0};
	SC_CLEANUP(sc_freep) char *others = NULL;
	struct sc_recommendation *line;
	struct sc_error error;
	char *text;

	if (sc_buffer_take(&choice->others, &others, &error) < 0)
		return -ENOMEM;
	if (!choice->has_line || !others[0])
		return 0;
	line = &head->recommendations[choice->line];
	sc_buffer_printf(&sentence, "%s; the same setting holds for %s", line->sentence, others);
	if (sc_buffer_take(&sentence, &text, &error) < 0)
		return -ENOMEM;
	free(line->sentence);
	line->sentence = text;
	return 0;
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
	return sc_group_commits(group) && strcmp(group->key->target, target) == 0 &&
	       !sc_store_is(group->key->store, SC_STORE_MEMORY);
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

static int recommend_groups(struct sc_report_head *head, const struct sc_groups *groups,
			    const struct sc_group *first, struct choice *choices)
{
	int r;

	r = recommend_first(head, groups, first, choices);
	for (size_t i = 0; r == 0 && i < groups->count; i++) {
		const struct sc_group *group = &groups->items[i];

		if (group != first && is_of_target(group, first->key->target))
			r = recommend_other(head, groups, group, choices);
	}
	for (size_t i = 0; r == 0 && i < CLASS_COUNT; i++)
		r = say_others(head, &choices[i]);
	return r;
}

/* Why there is nothing to recommend where storage keeps what it is given. */
static const char *why_none(const struct sc_groups *groups, const char *target)
{
	bool has_rate = false, has_commit = false, has_file = false, has_settings = false;

	for (size_t i = 0; i < groups->count; i++) {
		const struct sc_group *group = &groups->items[i];

		if (strcmp(group->key->target, target) != 0)
			continue;
		has_commit = has_commit || sc_group_commits(group);
		has_file = has_file || !sc_store_is(group->key->store, SC_STORE_MEMORY);
		has_settings = has_settings || sc_store_is(group->key->store, SC_STORE_SQLITE);
		for (size_t j = 0; j < group->member_count; j++)
			has_rate = has_rate || sc_group_takes_part(group, group->members[j]);
	}
	if (!has_rate)
		return "no cell there has a rate";
	if (!has_commit)
		return "nothing that was measured there commits";
	if (!has_file)
		return "the database is in memory, where every setting loses everything";
	if (!has_settings)
		return "only settings of store sqlite are recommended, and none was measured there";
	return "a power cut can corrupt the database under each setting that was measured";
}

static int recommend_target(struct sc_report_head *head, const struct sc_groups *groups,
			    const struct sc_cell *key)
{
	const struct sc_group *first = pick_first(groups, key->target);
	struct choice choices[CLASS_COUNT] = {{.has_line = false}};
	size_t before = head->recommendation_count;
	int r = 0;

	if (sc_cell_on_memory(head, key))
		return sc_findings_add(&head->findings, SC_FINDING_NO_RECOMMENDATION, key->target,
				       "it is in memory, where every setting loses everything");
	if (first)
		r = recommend_groups(head, groups, first, choices);
	for (size_t i = 0; i < CLASS_COUNT; i++)
		sc_buffer_fini(&choices[i].others);
	if (r < 0 || head->recommendation_count > before)
		return r;
	return sc_findings_add(&head->findings, SC_FINDING_NO_RECOMMENDATION, key->target,
			       why_none(groups, key->target));
}

bool sc_groups_see_target(const struct sc_groups *groups, size_t index)
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
		if (!sc_groups_see_target(groups, i))
			r = recommend_target(head, groups, groups->items[i].key);
	}
	return r;
}
