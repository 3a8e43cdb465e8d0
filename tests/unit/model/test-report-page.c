/* SPDX-License-Identifier: MIT */

/* syncost-report(5) and what is written: the same keys, metrics and findings, both ways. */

#include "../base/test.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include <cjson/cJSON.h>

#include "model/metric.h"
#include "small-report.h"

#ifndef MANUAL_PAGE
#error "tests/unit/model/meson.build says where the page is"
#endif

#define NAMES_MAX  400u
#define NAME_BYTES 64u

struct names {
	char items[NAMES_MAX][NAME_BYTES];
	size_t count;
};

static bool has_name(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++) {
		if (strcmp(names->items[i], name) == 0)
			return true;
	}
	return false;
}

static void add_name(struct names *names, const char *name)
{
	if (has_name(names, name))
		return;
	assert_true(names->count < NAMES_MAX);
	assert_true(strlen(name) < NAME_BYTES);
	strcpy(names->items[names->count++], name);
}

/* "wal\-reset\-bug" is read as it is shown. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; from++) {
		if (*from != '\\' || from[1] != '-')
			*to++ = *from;
	}
	*to = '\0';
}

/* Tags of the lists in a section: ".B name" in the line after .TP or .TQ. */
static void read_section(const char *section, struct names *ret_names)
{
	FILE *page = fopen(MANUAL_PAGE, "re");
	char line[1000];
	bool is_inside = false, is_tag = false;

	assert_non_null(page);
	ret_names->count = 0;
	while (fgets(line, sizeof(line), page)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, ".SH ", 4) == 0)
			is_inside = strcmp(line + 4, section) == 0;
		if (is_inside && is_tag && strncmp(line, ".B ", 3) == 0) {
			unescape(line + 3);
			add_name(ret_names, line + 3);
		}
		is_tag = strcmp(line, ".TP") == 0 || strcmp(line, ".TQ") == 0;
	}
	fclose(page);
	assert_true(ret_names->count > 0);
}

static void collect_keys(const cJSON *json, struct names *names)
{
	const cJSON *item;

	cJSON_ArrayForEach(item, json)
	{
		if (item->string)
			add_name(names, item->string);
		collect_keys(item, names);
	}
}

static void expect_same(const struct names *page, const struct names *written)
{
	for (size_t i = 0; i < written->count; i++) {
		if (!has_name(page, written->items[i]))
			fail_msg("the page does not describe '%s'", written->items[i]);
	}
	for (size_t i = 0; i < page->count; i++) {
		if (!has_name(written, page->items[i]))
			fail_msg("the page describes '%s', which is not written", page->items[i]);
	}
}

static void the_page_describes_the_keys_that_are_written(void **state)
{
	static struct names page, written;
	struct small_report report;
	cJSON *json;
	char *text;

	(void)state;
	small_report_make(&report);
	report.cells[0].rate = 500;
	report.cells[0].company = (struct sc_company){
		.parts = {{.workload = "read_point", .clients = 1}},
		.part_count = 1,
		.hold = {.holders = 1, .frames = 1, .point_count = 1},
	};
	text = small_report_text(&report);
	json = cJSON_Parse(text);
	assert_non_null(json);
	written.count = 0;
	collect_keys(json, &written);
	read_section("KEYS", &page);
	expect_same(&page, &written);
	assert_false(has_name(&page, "no_such_key"));
	cJSON_Delete(json);
	free(text);
	small_report_fini(&report);
}

static void the_page_describes_the_metrics_of_the_catalogue(void **state)
{
	static struct names page, written;

	(void)state;
	written.count = 0;
	for (size_t i = 0; i < sc_metric_count; i++)
		add_name(&written, sc_metrics[i].key);
	read_section("METRICS", &page);
	expect_same(&page, &written);
}

static void the_page_describes_the_findings(void **state)
{
	static struct names page, written;

	(void)state;
	written.count = 0;
	for (int i = 0; i < SC_FINDING_COUNT_; i++)
		add_name(&written, sc_finding_name((enum sc_finding_code)i));
	read_section("FINDINGS", &page);
	expect_same(&page, &written);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("the page describes the keys that are written, and no others",
		     the_page_describes_the_keys_that_are_written),
		CASE("the page describes the metrics of the catalogue, and no others",
		     the_page_describes_the_metrics_of_the_catalogue),
		CASE("the page describes the findings, and no others",
		     the_page_describes_the_findings),
	};

	return cmocka_run_group_tests_name("report-page", cases, NULL, NULL);
}
