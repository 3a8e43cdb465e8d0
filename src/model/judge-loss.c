/* SPDX-License-Identifier: MIT */

/*
 * What a power cut can take, per target: the settings that were measured, by their promise, worst
 * first. A promise depends on the journal mode, the level and, for DELETE at FULL, the locking
 * mode, so that settings that differ in other pragmas are named once.
 */

#include <errno.h>
#include <string.h>

#include "../base/buffer.h"
#include "judge.h"
#include "store.h"

/* More names than this in a sentence are cut to a few of each promise. */
#define NAMES_MAX 16u
#define NAMES_FEW 3u

/* Classes of promises, worst first. */
static const struct class
{
	enum sc_loss loss;
	enum sc_corruption corruption;
	bool no_journal;           /* journals MEMORY and OFF: a killed process suffices */
	const char *one, *several; /* what one setting does, and several */
} classes[] = {
	{SC_LOSS_ANY, SC_CORRUPTION_YES, true,
	 "can lose any commit and corrupt the database, at a killed process too",
	 "can lose any commit and corrupt the database, at a killed process too"},
	{SC_LOSS_ANY, SC_CORRUPTION_YES, false, "can lose any commit and corrupt the database",
	 "can lose any commit and corrupt the database"},
	{SC_LOSS_LAST, SC_CORRUPTION_RARE, false, "can lose the last commit and rarely corrupt",
	 "can lose the last commit and rarely corrupt"},
	{SC_LOSS_SUFFIX, SC_CORRUPTION_NO, false, "can lose the commits since the last checkpoint",
	 "can lose the commits since the last checkpoint"},
	{SC_LOSS_LAST, SC_CORRUPTION_NO, false, "can lose the last commit",
	 "can lose the last commit"},
	{SC_LOSS_NONE, SC_CORRUPTION_NO, false, "loses nothing", "lose nothing"},
};

#define CLASS_COUNT SC_ARRAY_COUNT(classes)
/* Every journal mode and level, in each locking mode. */
#define KINDS ((size_t)SC_JOURNAL_COUNT_ * SC_SYNCHRONOUS_COUNT_ * SC_LOCKING_COUNT_)

static struct sc_setting setting_of_kind(size_t kind)
{
	struct sc_setting setting = sc_setting_default();

	setting.locking_mode = (enum sc_locking_mode)(kind % SC_LOCKING_COUNT_);
	kind /= SC_LOCKING_COUNT_;
	setting.synchronous = (enum sc_synchronous)(kind % SC_SYNCHRONOUS_COUNT_);
	setting.journal_mode = (enum sc_journal_mode)(kind / SC_SYNCHRONOUS_COUNT_);
	return setting;
}

/* Locking counts only where it decides on the promise. */
static size_t kind_of(const struct sc_setting *setting)
{
	struct sc_setting normal = *setting;
	enum sc_locking_mode locking = setting->locking_mode;

	normal.locking_mode = SC_LOCKING_NORMAL;
	if (sc_promise_of(&normal).loss == sc_promise_of(setting).loss)
		locking = SC_LOCKING_NORMAL;
	return ((size_t)setting->journal_mode * SC_SYNCHRONOUS_COUNT_ + setting->synchronous) *
		       SC_LOCKING_COUNT_ +
	       locking;
}

static bool is_of_class(const struct sc_setting *setting, const struct class *class)
{
	struct sc_promise promise = sc_promise_of(setting);
	bool no_journal = setting->journal_mode == SC_JOURNAL_MEMORY ||
			  setting->journal_mode == SC_JOURNAL_OFF;

	return promise.loss == class->loss && promise.corruption == class->corruption &&
	       no_journal == class->no_journal;
}

/* Marks what was measured on @target. Return: how many kinds. */
static size_t find_kinds(const struct sc_groups *groups, const char *target, bool *is_measured)
{
	size_t count = 0;

	for (size_t i = 0; i < groups->count; i++) {
		const struct sc_group *group = &groups->items[i];

		if (!sc_group_commits(group) || strcmp(group->key->target, target) != 0 ||
		    sc_store_is(group->key->store, SC_STORE_SNAPSHOT) ||
		    sc_store_is(group->key->store, SC_STORE_MEMORY))
			continue;
		for (size_t j = 0; j < group->member_count; j++) {
			size_t kind = kind_of(&group->members[j]->setting);

			if (!sc_group_takes_part(group, group->members[j]) || is_measured[kind])
				continue;
			is_measured[kind] = true;
			count++;
		}
	}
	return count;
}

static bool has_memory(const struct sc_groups *groups, const char *target)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct sc_group *group = &groups->items[i];

		if (sc_group_commits(group) && strcmp(group->key->target, target) == 0 &&
		    sc_store_is(group->key->store, SC_STORE_MEMORY))
			return true;
	}
	return false;
}

/* Adds the settings of one class, "a, b and c lose nothing". Return: how many there are. */
static size_t say_class(const struct class *class, const bool *is_measured, size_t names_max,
			struct sc_buffer *text)
{
	const struct sc_setting usual = sc_setting_default();
	size_t count = 0, said = 0, names;
	char label[100];

	for (size_t kind = 0; kind < KINDS; kind++) {
		struct sc_setting setting = setting_of_kind(kind);

		count += is_measured[kind] && is_of_class(&setting, class);
	}
	names = count > names_max ? names_max : count;
	for (size_t kind = 0; kind < KINDS && said < names; kind++) {
		struct sc_setting setting = setting_of_kind(kind);

		if (!is_measured[kind] || !is_of_class(&setting, class))
			continue;
		sc_setting_label(&setting, &usual, label, sizeof(label));
		if (said > 0)
			sc_buffer_add_text(text, said + 1 == count ? " and " : ", ");
		sc_buffer_add_text(text, label);
		said++;
	}
	if (count > names)
		sc_buffer_printf(text, " and %zu more", count - names);
	if (count > 0)
		sc_buffer_printf(text, " %s", count == 1 ? class->one : class->several);
	return count;
}

static int add_sentence(struct sc_report_head *head, const char *target, struct sc_buffer *list,
			const char *next)
{
	SC_CLEANUP(sc_freep) char *text = NULL;
	struct sc_error error;
	char place[100];

	if (sc_buffer_take(list, &text, &error) < 0)
		return -ENOMEM;
	(void)snprintf(place, sizeof(place), head->target_count > 1 ? "on %s" : "here", target);
	return sc_findings_add(&head->findings, SC_FINDING_LOSS, place, text, next);
}

static int add_loss(struct sc_report_head *head, const char *target, struct sc_buffer *list,
		    bool is_safe, bool keeps_all, bool corrupts)
{
	int r;

	if (!is_safe)
		sc_buffer_add_text(list, "; no measured setting is safe");
	else if (!keeps_all)
		sc_buffer_add_text(list, "; no measured setting keeps every commit");
	r = add_sentence(head, target, list,
			 keeps_all ? "" : "measure wal/full too: it loses nothing");
	if (r == 0 && corrupts)
		head->findings.items[head->findings.count - 1].severity = SC_SEVERITY_WARNING;
	return r;
}

/* What no setting changes. */
static int judge_memory(struct sc_report_head *head, const struct sc_groups *groups,
			const char *target)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer list = {0};

	if (!has_memory(groups, target))
		return 0;
	sc_buffer_add_text(&list, "a database in memory loses everything, under each setting");
	return add_sentence(head, target, &list, "");
}

static int judge_target_loss(struct sc_report_head *head, const struct sc_groups *groups,
			     const char *target)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer list = {0};
	bool is_measured[KINDS] = {false};
	bool is_safe = false, keeps_all = false, corrupts = false;
	size_t all = find_kinds(groups, target, is_measured);

	if (all == 0)
		return 0;
	for (size_t i = 0; i < CLASS_COUNT; i++) {
		size_t before = list.length;
		size_t count;

		if (before > 0)
			sc_buffer_add_text(&list, "; ");
		count = say_class(&classes[i], is_measured, all > NAMES_MAX ? NAMES_FEW : all,
				  &list);
		if (count == 0) {
			sc_buffer_cut(&list, before);
			continue;
		}
		corrupts = corrupts || classes[i].corruption != SC_CORRUPTION_NO;
		is_safe = is_safe || classes[i].corruption == SC_CORRUPTION_NO;
		keeps_all = keeps_all || classes[i].loss == SC_LOSS_NONE;
	}
	return add_loss(head, target, &list, is_safe, keeps_all, corrupts);
}

int sc_judge_loss(struct sc_report_head *head, const struct sc_groups *groups)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < groups->count; i++) {
		const struct sc_cell *key = groups->items[i].key;

		if (!sc_groups_see_target(groups, i) && !sc_cell_on_memory(head, key))
			r = judge_target_loss(head, groups, key->target);
		if (r == 0 && !sc_groups_see_target(groups, i) && !sc_cell_on_memory(head, key))
			r = judge_memory(head, groups, key->target);
	}
	return r;
}
