/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <sqlite3.h>

#include "base/err.h"
#include "base/status.h"

static bool ends_with(const char *text, const char *end)
{
	size_t text_bytes = strlen(text), end_bytes = strlen(end);

	return text_bytes >= end_bytes && strcmp(text + text_bytes - end_bytes, end) == 0;
}

static void an_errno_is_told_in_words(void **state)
{
	struct sc_error error;

	(void)state;
	memset(&error, 'x', sizeof(error));
	assert_int_equal(sc_fail(&error, -ENOENT, "open '%s'", "a.db"), -ENOENT);
	assert_int_equal(error.code, -ENOENT);
	assert_int_equal(error.os_errno, ENOENT);
	assert_int_equal(error.sqlite_rc, 0);
	assert_string_equal(error.what, "open 'a.db': No such file or directory");
	assert_string_equal(error.next, "");
}

static void our_own_codes_say_all_in_their_text(void **state)
{
	struct sc_error error;

	(void)state;
	assert_int_equal(sc_fail(&error, SC_E_USAGE, "unknown option '%s'", "--x"), SC_E_USAGE);
	assert_string_equal(error.what, "unknown option '--x'");
	assert_int_equal(error.os_errno, 0);
}

static void a_sqlite_failure_keeps_its_extended_code(void **state)
{
	struct sc_error error;

	(void)state;
	assert_int_equal(sc_fail_sqlite(&error, SQLITE_IOERR_FSYNC, "commit on '%s'", "a.db"),
			 SC_E_SQLITE);
	assert_int_equal(error.code, SC_E_SQLITE);
	assert_int_equal(error.sqlite_rc, SQLITE_IOERR_FSYNC);
	assert_string_equal(error.what, "commit on 'a.db': disk I/O error (SQLite result 1034)");
}

static void a_long_subject_does_not_hide_the_reason(void **state)
{
	struct sc_error error;
	char path[1000];

	(void)state;
	memset(path, 'p', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	(void)sc_fail(&error, -ENOSPC, "write '%s'", path);
	assert_true(strlen(error.what) < sizeof(error.what));
	assert_true(strlen(error.what) >= sizeof(error.what) - 4);
	assert_true(ends_with(error.what, "…: No space left on device"));
	(void)sc_fail_sqlite(&error, SQLITE_FULL, "write '%s'", path);
	assert_true(ends_with(error.what, "…: database or disk is full (SQLite result 13)"));
	(void)sc_fail(&error, SC_E_FORMAT, "bad '%s'", path);
	assert_true(ends_with(error.what, "p…"));
}

/* At each length around the limit the text is whole or is cut, and never half a character. */
static void cutting_splits_no_character(void **state)
{
	struct sc_error error;
	char text[600];

	(void)state;
	for (size_t bytes = 380; bytes < 420; bytes++) {
		memset(text, 'a', bytes);
		for (size_t i = bytes % 2; i + 1 < bytes; i += 2)
			memcpy(text + i, "é", 2);
		text[bytes] = '\0';
		(void)sc_fail(&error, SC_E_FORMAT, "%s", text);
		if (bytes < sizeof(error.what)) {
			assert_string_equal(error.what, text);
			continue;
		}
		assert_true(ends_with(error.what, "é…"));
		assert_memory_equal(error.what, text, strlen(error.what) - strlen("…"));
	}
}

static void a_hint_is_the_next_step_and_a_new_error_has_none(void **state)
{
	struct sc_error error;

	(void)state;
	(void)sc_fail(&error, SC_E_USAGE, "bad");
	assert_int_equal(sc_hint(&error, "try '%s'", "--help"), SC_E_USAGE);
	assert_string_equal(error.next, "try '--help'");
	assert_string_equal(error.what, "bad");
	(void)sc_fail(&error, SC_E_USAGE, "worse");
	assert_string_equal(error.next, "");
}

static void each_code_has_its_exit_code(void **state)
{
	static const struct {
		int code, exit_code;
	} cases[] = {
		{0, 0},
		{1, 1},
		{7, 1},
		{-ENOENT, 4},
		{-EACCES, 4},
		{-4095, 4},
		{SC_E_SQLITE, 4},
		{SC_E_FORMAT, 2},
		{SC_E_LIMIT, 4},
		{SC_E_USAGE, 2},
		{SC_E_UNMEASURABLE, 3},
		{SC_E_CHILD, 4},
		{SC_E_VERIFY, 4},
		{SC_E_INTERRUPTED, 130},
		{-99999, 4},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++)
		assert_int_equal(sc_exit_code(cases[i].code), cases[i].exit_code);
}

static void each_status_has_its_name_in_files(void **state)
{
	static const char *const expected[] = {"measured", "unsupported", "denied",
					       "skipped",  "modelled",    "failed"};

	(void)state;
	assert_int_equal(SC_ARRAY_COUNT(expected), SC_STATUS_COUNT_);
	for (int i = 0; i < SC_STATUS_COUNT_; i++)
		assert_string_equal(sc_status_name((enum sc_status)i), expected[i]);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("an errno is told in words", an_errno_is_told_in_words),
		CASE("our own codes say all in their text", our_own_codes_say_all_in_their_text),
		CASE("a SQLite failure keeps its extended code",
		     a_sqlite_failure_keeps_its_extended_code),
		CASE("a long subject does not hide the reason",
		     a_long_subject_does_not_hide_the_reason),
		CASE("cutting splits no character", cutting_splits_no_character),
		CASE("a hint is the next step, and a new error has none",
		     a_hint_is_the_next_step_and_a_new_error_has_none),
		CASE("each code has its exit code", each_code_has_its_exit_code),
		CASE("each status has its name in files", each_status_has_its_name_in_files),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
