/* SPDX-License-Identifier: MIT */

/* Settings: names, order, labels, PRAGMA lines, and which of them cannot differ. */

#include "../base/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "model/setting.h"

/* Calls @visit for each point of a grid that has two values at least of every field that a rule of
 * canonical settings looks at. */
struct grid {
	void (*visit)(const struct sc_setting *setting, bool device_tells, void *data);
	void *data;
};

static void walk_flags(const struct grid *grid, struct sc_setting setting)
{
	for (int flags = 0; flags < 16; flags++) {
		setting.fullfsync = flags & 1;
		setting.checkpoint_fullfsync = flags & 2;
		setting.wal_autocheckpoint = flags & 4 ? 1000 : 250;
		grid->visit(&setting, flags & 8, grid->data);
	}
}

static void walk_grid(const struct grid *grid)
{
	struct sc_setting setting = sc_setting_default();

	for (int mode = 0; mode < SC_JOURNAL_COUNT_; mode++) {
		for (int level = 0; level < SC_SYNCHRONOUS_COUNT_; level++) {
			for (int locking = 0; locking < SC_LOCKING_COUNT_; locking++) {
				setting.journal_mode = (enum sc_journal_mode)mode;
				setting.synchronous = (enum sc_synchronous)level;
				setting.locking_mode = (enum sc_locking_mode)locking;
				walk_flags(grid, setting);
			}
		}
	}
}

static struct sc_setting make(enum sc_journal_mode mode, enum sc_synchronous level,
			      enum sc_locking_mode locking)
{
	struct sc_setting setting = sc_setting_default();

	setting.journal_mode = mode;
	setting.synchronous = level;
	setting.locking_mode = locking;
	return setting;
}

static bool is_equal(const struct sc_setting *a, const struct sc_setting *b)
{
	return sc_setting_compare(a, b) == 0;
}

/* --- names */

static void names_read_back(void **state)
{
	enum sc_journal_mode mode;
	enum sc_synchronous level;
	enum sc_locking_mode locking;
	enum sc_wal_state wal_state;

	(void)state;
	for (int i = 0; i < SC_JOURNAL_COUNT_; i++) {
		assert_true(sc_journal_mode_parse(sc_journal_mode_name((enum sc_journal_mode)i),
						  &mode));
		assert_int_equal(mode, i);
	}
	for (int i = 0; i < SC_SYNCHRONOUS_COUNT_; i++) {
		assert_true(
			sc_synchronous_parse(sc_synchronous_name((enum sc_synchronous)i), &level));
		assert_int_equal(level, i);
	}
	for (int i = 0; i < SC_LOCKING_COUNT_; i++) {
		assert_true(sc_locking_mode_parse(sc_locking_mode_name((enum sc_locking_mode)i),
						  &locking));
		assert_int_equal(locking, i);
	}
	for (int i = 0; i < SC_WAL_STATE_COUNT_; i++) {
		assert_true(
			sc_wal_state_parse(sc_wal_state_name((enum sc_wal_state)i), &wal_state));
		assert_int_equal(wal_state, i);
	}
}

static void numbers_of_synchronous_are_sqlites(void **state)
{
	enum sc_synchronous level = SC_SYNCHRONOUS_OFF;

	(void)state;
	assert_true(sc_synchronous_parse("2", &level));
	assert_int_equal(level, SC_SYNCHRONOUS_FULL);
	assert_true(sc_synchronous_parse("EXTRA", &level));
	assert_int_equal(level, SC_SYNCHRONOUS_EXTRA);
	assert_int_equal(SC_SYNCHRONOUS_NORMAL, 1);
}

static void what_is_no_name_is_refused(void **state)
{
	static const char *const wrong[] = {"", "4", "-1", "00", "fullest", "wa", "full ", " full"};
	enum sc_journal_mode mode = SC_JOURNAL_WAL;
	enum sc_synchronous level = SC_SYNCHRONOUS_FULL;
	enum sc_locking_mode locking = SC_LOCKING_NORMAL;
	enum sc_wal_state wal_state = SC_WAL_FRESH;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		assert_false(sc_journal_mode_parse(wrong[i], &mode));
		assert_false(sc_synchronous_parse(wrong[i], &level));
		assert_false(sc_locking_mode_parse(wrong[i], &locking));
		assert_false(sc_wal_state_parse(wrong[i], &wal_state));
	}
	assert_int_equal(mode, SC_JOURNAL_WAL); /* untouched */
	assert_int_equal(level, SC_SYNCHRONOUS_FULL);
}

/* --- fields */

static void every_field_is_listed_once(void **state)
{
	struct sc_setting setting = sc_setting_default();
	unsigned int orders = 0;

	(void)state;
	assert_int_equal(sc_setting_field_count, 10);
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];
		struct sc_setting changed = setting;
		int64_t other = field->get(&setting) == field->min ? field->max : field->min;

		orders |= 1u << field->apply_order;
		field->set(&changed, other);
		assert_true(field->get(&changed) == other);
		for (size_t j = 0; j < sc_setting_field_count; j++) {
			if (j != i)
				assert_true(sc_setting_fields[j].get(&changed) ==
					    sc_setting_fields[j].get(&setting));
		}
		if (field->value_name)
			assert_non_null(field->value_name(field->max));
	}
	assert_int_equal(orders, (1u << 10) - 1); /* 0 … 9, each */
}

static void the_order_is_total(void **state)
{
	struct sc_setting a = sc_setting_default();

	(void)state;
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];
		struct sc_setting low = a, high = a;

		field->set(&low, field->min);
		field->set(&high, field->max);
		assert_int_equal(sc_setting_compare(&low, &high), -1);
		assert_int_equal(sc_setting_compare(&high, &low), 1);
		assert_int_equal(sc_setting_compare(&low, &low), 0);
	}
}

/* --- labels and PRAGMA lines */

static void a_label_names_what_differs_from_the_base(void **state)
{
	struct sc_setting base = sc_setting_default();
	struct sc_setting setting = base;
	char text[200];

	(void)state;
	sc_setting_label(&base, &base, text, sizeof(text));
	assert_string_equal(text, "delete/full");
	setting.journal_mode = SC_JOURNAL_WAL;
	setting.synchronous = SC_SYNCHRONOUS_NORMAL;
	setting.page_size = 8192;
	setting.cache_size = -64000;
	setting.locking_mode = SC_LOCKING_EXCLUSIVE;
	setting.fullfsync = true;
	setting.rows_per_commit = 100;
	sc_setting_label(&setting, &base, text, sizeof(text));
	assert_string_equal(text, "wal/normal fullfsync=1 page_size=8192 cache_size=-64000 "
				  "locking_mode=exclusive rows_per_commit=100");
}

static void a_short_buffer_cuts_and_ends(void **state)
{
	struct sc_setting base = sc_setting_default();
	struct sc_setting setting = base;
	char text[12];

	(void)state;
	setting.page_size = 512;
	sc_setting_label(&setting, &base, text, sizeof(text));
	assert_string_equal(text, "delete/full");
	sc_setting_label(&setting, &base, text, 1);
	assert_string_equal(text, "");
	sc_setting_pragmas(&setting, &base, text, sizeof(text));
	assert_string_equal(text, "PRAGMA page");
}

static void pragmas_stand_in_order_of_application(void **state)
{
	struct sc_setting base = sc_setting_default();
	struct sc_setting setting = base;
	char text[600];

	(void)state;
	for (size_t i = 0; i < sc_setting_field_count; i++) {
		const struct sc_setting_field *field = &sc_setting_fields[i];

		if (field->get(&base) == field->get(&setting))
			field->set(&setting,
				   field->get(&base) == field->max ? field->min : field->max);
	}
	sc_setting_pragmas(&setting, &base, text, sizeof(text));
	assert_string_equal(text, "PRAGMA page_size = 65536;\n"
				  "PRAGMA locking_mode = exclusive;\n"
				  "PRAGMA journal_mode = off;\n"
				  "PRAGMA synchronous = extra;\n"
				  "PRAGMA fullfsync = 1;\n"
				  "PRAGMA checkpoint_fullfsync = 1;\n"
				  "PRAGMA cache_size = 2147483647;\n"
				  "PRAGMA wal_autocheckpoint = 2147483647;\n"
				  "PRAGMA mmap_size = 9223372036854775807;\n");
}

static void journal_mode_and_synchronous_are_always_said(void **state)
{
	struct sc_setting base = sc_setting_default();
	char text[200];

	(void)state;
	sc_setting_pragmas(&base, &base, text, sizeof(text));
	assert_string_equal(text, "PRAGMA journal_mode = delete;\nPRAGMA synchronous = full;\n");
}

/* --- what cannot differ */

static void check_idempotent(const struct sc_setting *setting, bool device_tells, void *data)
{
	struct sc_setting once = sc_setting_canonical(setting, device_tells, NULL);
	const char *reason = "unset";
	struct sc_setting twice = sc_setting_canonical(&once, device_tells, &reason);

	(void)data;
	assert_true(is_equal(&once, &twice));
	assert_null(reason);
}

static void a_canonical_setting_stands_for_itself(void **state)
{
	struct grid grid = {check_idempotent, NULL};

	(void)state;
	walk_grid(&grid);
}

static void check_reason(const struct sc_setting *setting, bool device_tells, void *data)
{
	const char *reason = "unset";
	struct sc_setting canonical = sc_setting_canonical(setting, device_tells, &reason);
	size_t *changed = data;

	if (is_equal(setting, &canonical)) {
		assert_null(reason);
		assert_string_equal(sc_setting_same_reason(setting, &canonical, device_tells),
				    "the settings are equal");
		return;
	}
	(*changed)++;
	assert_non_null(reason);
	assert_non_null(sc_setting_same_reason(setting, &canonical, device_tells));
	assert_non_null(sc_setting_same_reason(&canonical, setting, device_tells));
}

static void what_is_replaced_has_a_reason_and_what_is_not_has_none(void **state)
{
	size_t changed = 0;
	struct grid grid = {check_reason, &changed};

	(void)state;
	walk_grid(&grid);
	assert_true(changed > 300 && changed < 768);
}

/*
 * The rules once more, from the documentation's side: two settings differ if something that SQLite
 * does at run time differs. Written as what is observable, not as replacements.
 */
struct observable {
	int mode, locking;
	int level;      /* what the level changes for this mode: 0 … 3 */
	bool full_flag; /* commits ask for SQLITE_SYNC_FULL and somebody looks */
	bool checkpoint_full_flag;
	unsigned int autocheckpoint; /* 0 where there is no WAL */
};

static struct observable observe(const struct sc_setting *s, bool device_tells)
{
	bool wal = s->journal_mode == SC_JOURNAL_WAL;
	bool syncs = s->synchronous != SC_SYNCHRONOUS_OFF;
	bool deletes = s->journal_mode == SC_JOURNAL_DELETE && s->locking_mode == SC_LOCKING_NORMAL;
	struct observable seen = {
		.mode = (int)s->journal_mode,
		.locking = (int)s->locking_mode,
		.full_flag = device_tells && syncs && s->fullfsync,
		.checkpoint_full_flag =
			device_tells && syncs && wal && (s->checkpoint_fullfsync || s->fullfsync),
		.autocheckpoint = wal ? s->wal_autocheckpoint + 1 : 0,
	};

	if (s->journal_mode == SC_JOURNAL_MEMORY || s->journal_mode == SC_JOURNAL_OFF)
		seen.level = syncs;
	else if (s->synchronous == SC_SYNCHRONOUS_EXTRA)
		seen.level = deletes ? 3 : 2;
	else
		seen.level = (int)s->synchronous;
	return seen;
}

static bool same_seen(struct observable a, struct observable b)
{
	return a.mode == b.mode && a.locking == b.locking && a.level == b.level &&
	       a.full_flag == b.full_flag && a.checkpoint_full_flag == b.checkpoint_full_flag &&
	       a.autocheckpoint == b.autocheckpoint;
}

struct pair_check {
	const struct sc_setting *first;
	bool device_tells;
	size_t same, different;
};

static void check_pair(const struct sc_setting *second, bool device_tells, void *data)
{
	struct pair_check *check = data;
	struct sc_setting a, b;
	bool merged;

	if (device_tells != check->device_tells)
		return;
	a = sc_setting_canonical(check->first, device_tells, NULL);
	b = sc_setting_canonical(second, device_tells, NULL);
	merged = is_equal(&a, &b);
	assert_int_equal(merged, same_seen(observe(check->first, device_tells),
					   observe(second, device_tells)));
	assert_int_equal(merged,
			 sc_setting_same_reason(check->first, second, device_tells) != NULL);
	check->same += merged;
	check->different += !merged;
}

static void check_all_pairs(const struct sc_setting *first, bool device_tells, void *data)
{
	struct pair_check *check = data;
	struct grid grid = {check_pair, check};

	check->first = first;
	check->device_tells = device_tells;
	walk_grid(&grid);
}

static void exactly_what_nothing_can_observe_is_merged(void **state)
{
	struct pair_check check = {.same = 0};
	struct grid grid = {check_all_pairs, &check};

	(void)state;
	walk_grid(&grid);
	assert_true(check.same > 1000);
	assert_true(check.different > 1000);
}

/* Syncs of a one-row commit as system calls, locking NORMAL; from a trace of SQLite 3.40.1. */
static const unsigned int traced_syncs[SC_JOURNAL_COUNT_][SC_SYNCHRONOUS_COUNT_] = {
	[SC_JOURNAL_DELETE] = {0, 3, 4, 5},  [SC_JOURNAL_TRUNCATE] = {0, 3, 5, 5},
	[SC_JOURNAL_PERSIST] = {0, 4, 5, 5}, [SC_JOURNAL_MEMORY] = {0, 1, 1, 1},
	[SC_JOURNAL_WAL] = {0, 0, 1, 1},     [SC_JOURNAL_OFF] = {0, 1, 1, 1},
};

static void what_a_trace_tells_apart_is_never_merged(void **state)
{
	size_t told_apart = 0;

	(void)state;
	for (int i = 0; i < SC_JOURNAL_COUNT_ * SC_SYNCHRONOUS_COUNT_; i++) {
		for (int j = 0; j < SC_JOURNAL_COUNT_ * SC_SYNCHRONOUS_COUNT_; j++) {
			struct sc_setting a = make((enum sc_journal_mode)(i / 4),
						   (enum sc_synchronous)(i % 4), SC_LOCKING_NORMAL);
			struct sc_setting b = make((enum sc_journal_mode)(j / 4),
						   (enum sc_synchronous)(j % 4), SC_LOCKING_NORMAL);

			if (traced_syncs[i / 4][i % 4] == traced_syncs[j / 4][j % 4])
				continue;
			told_apart++;
			assert_null(sc_setting_same_reason(&a, &b, false));
		}
	}
	/* Of 24 settings: 7 without a sync, 8 with one, 2 with 3, 2 with 4, 5 with 5. */
	assert_int_equal(told_apart, 24 * 24 - (7 * 7 + 8 * 8 + 2 * 2 + 2 * 2 + 5 * 5));
}

static void normal_and_off_of_a_wal_differ_at_checkpoints(void **state)
{
	struct sc_setting off = make(SC_JOURNAL_WAL, SC_SYNCHRONOUS_OFF, SC_LOCKING_NORMAL);
	struct sc_setting normal = make(SC_JOURNAL_WAL, SC_SYNCHRONOUS_NORMAL, SC_LOCKING_NORMAL);

	(void)state;
	assert_null(sc_setting_same_reason(&off, &normal, false)); /* though no commit syncs */
}

static void locking_exclusive_makes_extra_full(void **state)
{
	struct sc_setting full = make(SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, SC_LOCKING_NORMAL);
	struct sc_setting extra = make(SC_JOURNAL_DELETE, SC_SYNCHRONOUS_EXTRA, SC_LOCKING_NORMAL);

	(void)state;
	assert_null(sc_setting_same_reason(&extra, &full, false));
	full.locking_mode = extra.locking_mode = SC_LOCKING_EXCLUSIVE;
	assert_string_equal(sc_setting_same_reason(&extra, &full, false),
			    "EXTRA differs from FULL only where a journal is deleted: DELETE with "
			    "locking NORMAL");
	full.locking_mode = SC_LOCKING_NORMAL;
	assert_null(sc_setting_same_reason(&extra, &full, false)); /* the lock itself differs */
}

static void the_reason_is_of_the_field_that_differs(void **state)
{
	struct sc_setting a = make(SC_JOURNAL_WAL, SC_SYNCHRONOUS_EXTRA, SC_LOCKING_NORMAL);
	struct sc_setting b = make(SC_JOURNAL_WAL, SC_SYNCHRONOUS_FULL, SC_LOCKING_NORMAL);

	(void)state;
	a.fullfsync = b.fullfsync = true; /* of both, so no reason for them to be the same */
	assert_non_null(strstr(sc_setting_same_reason(&a, &b, false), "EXTRA differs from FULL"));
	b.synchronous = SC_SYNCHRONOUS_EXTRA;
	b.fullfsync = false;
	assert_non_null(strstr(sc_setting_same_reason(&a, &b, false), "fullfsync changes only"));
	assert_null(sc_setting_same_reason(&a, &b, true));
	a = make(SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, SC_LOCKING_NORMAL);
	b = a;
	b.wal_autocheckpoint = 7;
	assert_non_null(strstr(sc_setting_same_reason(&a, &b, false), "outside WAL"));
	b.wal_autocheckpoint = a.wal_autocheckpoint;
	b.page_size = 8192;
	assert_null(sc_setting_same_reason(&a, &b, false));
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("names read back", names_read_back),
		CASE("the numbers of synchronous are SQLite's", numbers_of_synchronous_are_sqlites),
		CASE("what is no name is refused", what_is_no_name_is_refused),
		CASE("every field is listed once", every_field_is_listed_once),
		CASE("the order of settings is total", the_order_is_total),
		CASE("a label names what differs from the base",
		     a_label_names_what_differs_from_the_base),
		CASE("a short buffer cuts and ends", a_short_buffer_cuts_and_ends),
		CASE("PRAGMA lines stand in order of application",
		     pragmas_stand_in_order_of_application),
		CASE("journal_mode and synchronous are always said",
		     journal_mode_and_synchronous_are_always_said),
		CASE("a canonical setting stands for itself",
		     a_canonical_setting_stands_for_itself),
		CASE("what is replaced has a reason, what is not has none",
		     what_is_replaced_has_a_reason_and_what_is_not_has_none),
		CASE("exactly what nothing can observe is merged",
		     exactly_what_nothing_can_observe_is_merged),
		CASE("what a trace tells apart is never merged",
		     what_a_trace_tells_apart_is_never_merged),
		CASE("NORMAL and OFF of a WAL are not merged though no commit syncs",
		     normal_and_off_of_a_wal_differ_at_checkpoints),
		CASE("locking EXCLUSIVE makes EXTRA the same as FULL",
		     locking_exclusive_makes_extra_full),
		CASE("the reason is of the field that differs",
		     the_reason_is_of_the_field_that_differs),
	};

	return cmocka_run_group_tests_name("setting", cases, NULL, NULL);
}
