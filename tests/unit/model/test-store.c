/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <string.h>

#include "model/promise.h"
#include "model/store.h"

static void names_are_parsed_back_and_others_are_not(void **state)
{
	enum sc_store store;

	(void)state;
	for (int i = 0; i < SC_STORE_COUNT_; i++) {
		assert_true(sc_store_parse(sc_store_name((enum sc_store)i), &store));
		assert_int_equal(store, i);
		assert_true(sc_store_is(sc_store_name((enum sc_store)i), (enum sc_store)i));
	}
	assert_false(sc_store_parse("Snapshot", &store));
	assert_false(sc_store_parse("", &store));
	assert_false(sc_store_is(NULL, SC_STORE_SQLITE));
	assert_false(sc_store_is("later", SC_STORE_SQLITE));
}

/* Every field set to something unusual. */
static struct sc_setting unusual(void)
{
	return (struct sc_setting){
		.journal_mode = SC_JOURNAL_WAL,
		.synchronous = SC_SYNCHRONOUS_EXTRA,
		.fullfsync = true,
		.checkpoint_fullfsync = true,
		.page_size = 8192,
		.cache_size = 77,
		.wal_autocheckpoint = 5,
		.locking_mode = SC_LOCKING_EXCLUSIVE,
		.mmap_size = 4096,
		.rows_per_commit = 10,
	};
}

static void a_snapshot_keeps_what_means_something_there(void **state)
{
	const struct sc_setting usual = sc_setting_default(), given = unusual();
	struct sc_setting expected = usual, got;

	(void)state;
	expected.journal_mode = SC_JOURNAL_MEMORY;
	expected.synchronous = SC_SYNCHRONOUS_FULL;
	expected.page_size = 8192;
	expected.rows_per_commit = 10;
	got = sc_store_setting(SC_STORE_SNAPSHOT, &given, &usual);
	assert_int_equal(sc_setting_compare(&got, &expected), 0);
	got = sc_store_setting(SC_STORE_SQLITE, &given, &usual);
	assert_int_equal(sc_setting_compare(&got, &given), 0);
	for (int level = 0; level < SC_SYNCHRONOUS_COUNT_; level++) {
		struct sc_setting one = usual;

		one.synchronous = (enum sc_synchronous)level;
		got = sc_store_setting(SC_STORE_SNAPSHOT, &one, &usual);
		assert_int_equal(got.synchronous, level == SC_SYNCHRONOUS_OFF
							  ? SC_SYNCHRONOUS_OFF
							  : SC_SYNCHRONOUS_FULL);
	}
}

static void a_label_names_the_store_where_it_has_no_journal(void **state)
{
	const struct sc_setting usual = sc_setting_default(), given = unusual();
	struct sc_setting means = sc_store_setting(SC_STORE_SNAPSHOT, &given, &usual);
	char text[200], plain[200];

	(void)state;
	sc_store_label("snapshot", &means, &usual, text, sizeof(text));
	assert_string_equal(text, "snapshot/full page_size=8192 rows_per_commit=10");
	sc_setting_label(&given, &usual, plain, sizeof(plain));
	sc_store_label("sqlite", &given, &usual, text, sizeof(text));
	assert_string_equal(text, plain);
}

static void a_snapshot_promises_all_or_with_off_nothing(void **state)
{
	struct sc_setting setting = sc_setting_default();
	struct sc_promise promise;

	(void)state;
	setting.journal_mode = SC_JOURNAL_MEMORY;
	promise = sc_promise_in("snapshot", &setting);
	assert_int_equal(promise.loss, SC_LOSS_NONE);
	assert_int_equal(promise.corruption, SC_CORRUPTION_NO);
	assert_non_null(strstr(promise.sentence, "never corrupts"));
	setting.synchronous = SC_SYNCHRONOUS_OFF;
	promise = sc_promise_in("snapshot", &setting);
	assert_int_equal(promise.loss, SC_LOSS_ANY);
	assert_int_equal(promise.corruption, SC_CORRUPTION_YES);
	/* of a database file the same setting is as it was */
	setting.synchronous = SC_SYNCHRONOUS_FULL;
	assert_int_equal(sc_promise_in("sqlite", &setting).loss, SC_LOSS_ANY);
	assert_int_equal(sc_promise_in("memory", &setting).loss, SC_LOSS_ALL);
	assert_string_equal(sc_loss_name(SC_LOSS_ALL), "all");
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("names are parsed back, and others are not",
		     names_are_parsed_back_and_others_are_not),
		CASE("a snapshot keeps what means something there",
		     a_snapshot_keeps_what_means_something_there),
		CASE("a label names the store where it has no journal",
		     a_label_names_the_store_where_it_has_no_journal),
		CASE("a snapshot promises all, or with off nothing",
		     a_snapshot_promises_all_or_with_off_nothing),
	};

	return cmocka_run_group_tests_name("store", cases, NULL, NULL);
}
