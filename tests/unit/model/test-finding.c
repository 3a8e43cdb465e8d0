/* SPDX-License-Identifier: MIT */

/* Findings: sentence and next step from one list of arguments. */

#include "../base/test.h"

#include <stdlib.h>
#include <string.h>

#include "model/finding.h"

static void arguments_fill_the_sentence_then_the_next_step(void **state)
{
	struct sc_findings findings = {0};

	(void)state;
	assert_int_equal(sc_findings_add(&findings, SC_FINDING_AUTOCHECKPOINT_PAGES, 1000u, 65536u,
					 "62.5 MiB", "16", 62u),
			 0);
	assert_int_equal(findings.count, 1);
	assert_string_equal(findings.items[0].code, "autocheckpoint-counts-pages");
	assert_int_equal(findings.items[0].severity, SC_SEVERITY_WARNING);
	assert_string_equal(
		findings.items[0].text,
		"wal_autocheckpoint counts pages: 1000 pages of 65536 bytes let the WAL "
		"grow to 62.5 MiB between checkpoints, 16 times what pages of 4096 bytes "
		"do");
	assert_string_equal(
		findings.items[0].next,
		"PRAGMA wal_autocheckpoint = 62 keeps it as small as with pages of 4096 "
		"bytes");
	sc_findings_fini(&findings);
	sc_findings_fini(&findings); /* twice is once */
	assert_null(findings.items);
}

static void a_finding_may_have_no_next_step(void **state)
{
	struct sc_findings findings = {0};

	(void)state;
	assert_int_equal(sc_findings_add(&findings, SC_FINDING_HIDDEN_SYNCS,
					 "1 of 4 syncs of a DELETE+FULL commit", "is", "it"),
			 0);
	assert_string_equal(findings.items[0].next, "");
	assert_null(strchr(findings.items[0].text, 0x1e));
	sc_findings_fini(&findings);
}

static void a_long_argument_is_cut_at_a_character(void **state)
{
	struct sc_findings findings = {0};
	char name[900] = "";

	(void)state;
	for (size_t i = 0; i + 3 < sizeof(name); i += 2)
		memcpy(name + i, "é", 3);
	assert_int_equal(sc_findings_add(&findings, SC_FINDING_SYNC_BUYS_NOTHING, name, "tmpfs"),
			 0);
	assert_true(strlen(findings.items[0].text) < sizeof(findings.items[0].text));
	/* "target " is 7 bytes, so a cut at 639 would fall inside a character of two bytes. */
	assert_int_equal(strlen(findings.items[0].text) % 2, 1);
	sc_findings_fini(&findings);
}

static void a_ready_finding_is_copied(void **state)
{
	struct sc_findings findings = {0};
	struct sc_finding finding = {.code = "x", .severity = SC_SEVERITY_SEVERE, .text = "t"};

	(void)state;
	assert_int_equal(sc_findings_copy(&findings, &finding), 0);
	finding.text[0] = 'u';
	assert_string_equal(findings.items[0].text, "t");
	assert_int_equal(findings.items[0].severity, SC_SEVERITY_SEVERE);
	sc_findings_fini(&findings);
}

static void codes_are_names_each_its_own(void **state)
{
	(void)state;
	for (int i = 0; i < SC_FINDING_COUNT_; i++) {
		const char *name = sc_finding_name((enum sc_finding_code)i);

		assert_int_equal(strspn(name, "abcdefghijklmnopqrstuvwxyz-"), strlen(name));
		assert_true(strlen(name) < sizeof(((struct sc_finding *)0)->code));
		for (int j = 0; j < i; j++)
			assert_string_not_equal(name, sc_finding_name((enum sc_finding_code)j));
	}
	assert_string_equal(sc_severity_name(SC_SEVERITY_SEVERE), "severe");
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("arguments fill the sentence, then the next step",
		     arguments_fill_the_sentence_then_the_next_step),
		CASE("a finding may have no next step", a_finding_may_have_no_next_step),
		CASE("a long argument is cut at a character",
		     a_long_argument_is_cut_at_a_character),
		CASE("a ready finding is copied", a_ready_finding_is_copied),
		CASE("codes are names, each its own", codes_are_names_each_its_own),
	};

	return cmocka_run_group_tests_name("finding", cases, NULL, NULL);
}
