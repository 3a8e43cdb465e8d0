/* SPDX-License-Identifier: MIT */

/*
 * What is promised, against a table written from SQLite's documentation, one entry for each journal
 * mode, level and locking mode.
 */

#include "../base/test.h"

#include <string.h>

#include "model/promise.h"

/* Loss: none, last, suffix, any. Corruption: - no, r rare, y yes. "n-" is "none, no". */
static const char
	*const expected[SC_LOCKING_COUNT_][SC_JOURNAL_COUNT_][SC_SYNCHRONOUS_COUNT_] =
		{
			[SC_LOCKING_NORMAL] =
				{
					/*                         OFF   NORMAL FULL  EXTRA */
					[SC_JOURNAL_DELETE] = {"ay", "lr", "l-", "n-"},
					[SC_JOURNAL_TRUNCATE] = {"ay", "lr", "n-", "n-"},
					[SC_JOURNAL_PERSIST] = {"ay", "lr", "n-", "n-"},
					[SC_JOURNAL_MEMORY] = {"ay", "ay", "ay", "ay"},
					[SC_JOURNAL_WAL] = {"ay", "s-", "n-", "n-"},
					[SC_JOURNAL_OFF] = {"ay", "ay", "ay", "ay"},
				},
			[SC_LOCKING_EXCLUSIVE] =
				{
					[SC_JOURNAL_DELETE] = {"ay", "lr", "n-", "n-"},
					[SC_JOURNAL_TRUNCATE] = {"ay", "lr", "n-", "n-"},
					[SC_JOURNAL_PERSIST] = {"ay", "lr", "n-", "n-"},
					[SC_JOURNAL_MEMORY] = {"ay", "ay", "ay", "ay"},
					[SC_JOURNAL_WAL] = {"ay", "s-", "n-", "n-"},
					[SC_JOURNAL_OFF] = {"ay", "ay", "ay", "ay"},
				},
};

static struct sc_promise promise_of(int mode, int level, int locking)
{
	struct sc_setting setting = sc_setting_default();

	setting.journal_mode = (enum sc_journal_mode)mode;
	setting.synchronous = (enum sc_synchronous)level;
	setting.locking_mode = (enum sc_locking_mode)locking;
	return sc_promise_of(&setting);
}

static void every_setting_promises_what_the_documentation_says(void **state)
{
	static const char losses[] = {'n', 'l', 's', 'a'};
	static const char corruptions[] = {'-', 'r', 'y'};

	(void)state;
	for (int locking = 0; locking < SC_LOCKING_COUNT_; locking++) {
		for (int mode = 0; mode < SC_JOURNAL_COUNT_; mode++) {
			for (int level = 0; level < SC_SYNCHRONOUS_COUNT_; level++) {
				struct sc_promise promise = promise_of(mode, level, locking);
				const char text[3] = {losses[promise.loss],
						      corruptions[promise.corruption], '\0'};

				assert_string_equal(text, expected[locking][mode][level]);
			}
		}
	}
}

static void more_synchronous_never_promises_less(void **state)
{
	(void)state;
	for (int locking = 0; locking < SC_LOCKING_COUNT_; locking++) {
		for (int mode = 0; mode < SC_JOURNAL_COUNT_; mode++) {
			for (int level = 1; level < SC_SYNCHRONOUS_COUNT_; level++) {
				struct sc_promise less = promise_of(mode, level - 1, locking);
				struct sc_promise more = promise_of(mode, level, locking);

				assert_true(more.loss <= less.loss);
				assert_true(more.corruption <= less.corruption);
			}
		}
	}
}

static void settings_that_cannot_differ_promise_the_same(void **state)
{
	(void)state;
	for (int i = 0; i < SC_LOCKING_COUNT_ * SC_JOURNAL_COUNT_ * SC_SYNCHRONOUS_COUNT_; i++) {
		struct sc_setting setting = sc_setting_default();
		struct sc_setting canonical;

		setting.synchronous = (enum sc_synchronous)(i % 4);
		setting.journal_mode = (enum sc_journal_mode)(i / 4 % 6);
		setting.locking_mode = (enum sc_locking_mode)(i / 24);
		canonical = sc_setting_canonical(&setting, false, NULL);
		assert_string_equal(sc_promise_of(&setting).sentence,
				    sc_promise_of(&canonical).sentence);
	}
}

static void the_sentence_says_what_the_class_is(void **state)
{
	(void)state;
	assert_string_equal(
		promise_of(SC_JOURNAL_DELETE, SC_SYNCHRONOUS_FULL, SC_LOCKING_NORMAL).sentence,
		"a power cut can take at most the last commit (the journal's unlink is not "
		"synced); never corrupts");
	for (int i = 0; i < SC_JOURNAL_COUNT_ * SC_SYNCHRONOUS_COUNT_; i++) {
		struct sc_promise promise = promise_of(i / 4, i % 4, SC_LOCKING_NORMAL);
		int says_never = strstr(promise.sentence, "never corrupts") != NULL;

		assert_int_equal(says_never, promise.corruption == SC_CORRUPTION_NO);
	}
	assert_string_equal(sc_loss_name(SC_LOSS_SUFFIX), "suffix");
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("every setting promises what the documentation says",
		     every_setting_promises_what_the_documentation_says),
		CASE("more synchronous never promises less", more_synchronous_never_promises_less),
		CASE("settings that cannot differ promise the same",
		     settings_that_cannot_differ_promise_the_same),
		CASE("the sentence says what the class is", the_sentence_says_what_the_class_is),
	};

	return cmocka_run_group_tests_name("promise", cases, NULL, NULL);
}
