/* SPDX-License-Identifier: MIT */

/* syncost compare: stored results next to each other; with two of them, a gate. */

#include <errno.h>
#include <math.h>
#include <string.h>

#include "../report/compare.h"
#include "command.h"
#include "suggest.h"

#define REPORTS_MAX 16

struct compare_config {
	struct sc_common_config common;
	struct sc_option_texts allow, ignore;
	struct sc_option_number latency_percent, latency_floor, format;
	bool counts_only, only_common, gate, side_by_side;
};

static const char *format_name(int value)
{
	return (size_t)value < sc_compare_writer_count ? sc_compare_writers[value].name : NULL;
}

static bool format_parse(const char *text, int *ret_value)
{
	for (size_t i = 0; i < sc_compare_writer_count; i++) {
		if (strcmp(sc_compare_writers[i].name, text) == 0) {
			*ret_value = (int)i;
			return true;
		}
	}
	return false;
}

static const struct sc_choices formats = {format_name, format_parse};

#define PLACE(member) offsetof(struct compare_config, member)

/* clang-format off */
static const struct sc_option rows[] = {
	SC_OPTION_HELP_ROW,
	{ "allow", 'a', SC_OPTION_TEXTS, 0, PLACE(allow), "METRIC=PERCENT", NULL, 0, 0, NULL,
	  "Let a count grow by so much; give it again for more. Without it, any increase fails." },
	{ "latency-percent", 0, SC_OPTION_COUNT, 0, PLACE(latency_percent), "PERCENT", "30", 0, 100000, NULL,
	  "A time per operation fails only if it grew by more than this and than --latency-floor, beyond its interval." },
	{ "latency-floor", 0, SC_OPTION_DURATION, 0, PLACE(latency_floor), "DURATION", "500ns", 0, INT64_MAX, NULL,
	  "The smallest growth of a time per operation that can fail." },
	{ "counts-only", 0, SC_OPTION_FLAG, 0, PLACE(counts_only), NULL, NULL, 0, 0, NULL,
	  "Do not judge latency, so that the reports may come from different machines." },
	{ "ignore", 'i', SC_OPTION_TEXTS, 0, PLACE(ignore), "KEY", NULL, 0, 0, NULL,
	  "Compare although KEY differs; give it again for more. The refusal names the key." },
	{ "common", 0, SC_OPTION_FLAG, 0, PLACE(only_common), NULL, NULL, 0, 0, NULL,
	  "Judge the cells that both have, whatever else differs; what does is listed." },
	{ "gate", 0, SC_OPTION_FLAG, 0, PLACE(gate), NULL, NULL, 0, 0, NULL,
	  "Judge more than two reports too, each against BASE." },
	{ "side-by-side", 0, SC_OPTION_FLAG, 0, PLACE(side_by_side), NULL, NULL, 0, 0, NULL,
	  "Judge nothing and refuse nothing: show what each report has." },
	{ "format", 'f', SC_OPTION_ENUM, 0, PLACE(format), "FORMAT", "table", 0, 0, &formats,
	  "What is printed." },
};
/* clang-format on */

static const struct sc_option_table options = {rows, SC_ARRAY_COUNT(rows)};

/* --- the rules */

/* The metrics that a gate counts, by their rank among these. */
static const char *count_name(size_t index, const void *context)
{
	(void)context; /* the metrics are a constant */
	for (size_t i = 0; i < SC_COMPARE_METRICS; i++) {
		struct sc_compare_metric row = sc_compare_metric(i);

		if (row.kind == SC_COMPARE_COUNT && index-- == 0)
			return row.metric.key;
	}
	return NULL;
}

static const char *key_name(size_t index, const void *context)
{
	(void)context; /* the keys are a constant */
	return sc_compare_key(index);
}

static int fail_metric(const char *key, struct sc_error *error)
{
	size_t metric = sc_compare_metric_find(key);
	const char *near = sc_suggest(key, count_name, NULL);

	if (metric < SC_COMPARE_METRICS && sc_compare_metric(metric).kind == SC_COMPARE_LATENCY) {
		(void)sc_fail(error, SC_E_USAGE, "--allow: '%s' is a latency", key);
		return sc_hint(error,
			       "--latency-percent and --latency-floor say how much is too much");
	}
	if (metric < SC_COMPARE_METRICS)
		return sc_fail(error, SC_E_USAGE, "--allow: '%s' is shown, but never fails", key);
	(void)sc_fail(error, SC_E_USAGE, "--allow: no count is called '%s'", key);
	return near ? sc_hint(error, "did you mean '%s'?", near)
		    : sc_hint(error, "--format csv lists the metrics of kind count");
}

/* "written_bytes_per_commit=5", with or without a percent sign */
static int read_allowance(const char *text, struct sc_compare_rules *rules, struct sc_error *error)
{
	const char *equals = strchr(text, '=');
	SC_CLEANUP(sc_freep) char *key = NULL;
	size_t metric;
	double percent;
	char *end;

	if (!equals || equals == text)
		return sc_fail(error, SC_E_USAGE, "--allow: '%s' is not METRIC=PERCENT", text);
	key = strndup(text, (size_t)(equals - text));
	if (!key)
		return sc_fail(error, -ENOMEM, "reading --allow");
	metric = sc_compare_metric_find(key);
	if (metric == SC_COMPARE_METRICS || sc_compare_metric(metric).kind != SC_COMPARE_COUNT)
		return fail_metric(key, error);
	percent = strtod(equals + 1, &end);
	if (end != equals + 1 && strcmp(end, "%") == 0)
		end++;
	if (end == equals + 1 || *end || !(percent >= 0) || isinf(percent))
		return sc_fail(error, SC_E_USAGE, "--allow: '%s' is not a percentage from 0",
			       equals + 1);
	rules->allowed_percent[metric] = percent;
	return 0;
}

static int check_ignored(const struct sc_option_texts *ignore, struct sc_error *error)
{
	for (size_t i = 0; i < ignore->count; i++) {
		const char *near;

		if (sc_compare_is_key(ignore->items[i]))
			continue;
		near = sc_suggest(ignore->items[i], key_name, NULL);
		(void)sc_fail(error, SC_E_USAGE, "--ignore: no key is called '%s'",
			      ignore->items[i]);
		return near ? sc_hint(error, "did you mean '%s'?", near)
			    : sc_hint(error, "syncost-compare(1) lists the keys");
	}
	return 0;
}

/* Two reports, or tolerances for more: a gate, unless told otherwise. */
static bool wants_gate(const struct compare_config *config, size_t report_count)
{
	if (config->side_by_side)
		return false;
	return report_count == 2 || config->gate || config->counts_only || config->only_common ||
	       config->allow.count > 0 || config->latency_percent.given ||
	       config->latency_floor.given;
}

static int read_rules(const struct compare_config *config, size_t report_count,
		      struct sc_compare_rules *ret_rules, struct sc_error *error)
{
	struct sc_compare_rules rules = {
		.is_gate = wants_gate(config, report_count),
		.counts_only = config->counts_only,
		.common = config->only_common,
		.latency_percent = (double)config->latency_percent.value,
		.latency_floor_ns = (double)config->latency_floor.value,
		.ignored = config->ignore.items,
		.ignored_count = config->ignore.count,
	};
	int r;

	if ((config->gate || config->only_common) && config->side_by_side)
		return sc_fail(error, SC_E_USAGE, "--%s and --side-by-side exclude each other",
			       config->gate ? "gate" : "common");
	for (size_t i = 0; i < config->allow.count; i++) {
		r = read_allowance(config->allow.items[i], &rules, error);
		if (r < 0)
			return r;
	}
	r = check_ignored(&config->ignore, error);
	if (r == 0)
		*ret_rules = rules;
	return r;
}

/* --- the comparison */

struct digests {
	struct sc_digest items[REPORTS_MAX];
	size_t count;
};

static void digests_fini(struct digests *digests)
{
	for (size_t i = 0; i < digests->count; i++)
		sc_digest_fini(&digests->items[i]);
	digests->count = 0;
}

static int load(const struct sc_invocation *invocation, struct digests *digests,
		struct sc_error *error)
{
	for (size_t i = 0; i < invocation->operand_count; i++) {
		int r = sc_digest_load(invocation->operands[i], &digests->items[i], error);

		/* Whatever kept a report from being read, it is for the user to mend. */
		if (r < 0)
			return r == -ENOMEM ? r : SC_E_FORMAT;
		digests->count++;
	}
	return 0;
}

static size_t count_refused(const struct sc_comparison *comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->difference_count; i++)
		count += comparison->differences[i].refused;
	return count;
}

/* Whether other rules, tried, leave cells to compare and nothing that is refused. */
static bool is_settled_by(const struct sc_comparison *comparison,
			  const struct sc_compare_rules *rules)
{
	SC_CLEANUP(sc_comparison_fini) struct sc_comparison tried = {.digests = NULL};
	struct sc_error error;

	if (sc_compare(comparison->digests, comparison->digest_count, rules, &tried, &error) < 0)
		return false;
	for (size_t i = 0; i + 1 < tried.digest_count; i++) {
		if (tried.tallies[i].cells == 0)
			return false;
	}
	return count_refused(&tried) == 0;
}

static bool is_settled_by_ignoring(const struct sc_comparison *comparison, const char *key)
{
	size_t count = comparison->rules->ignored_count;
	SC_CLEANUP(sc_freep) const char **ignored = calloc(count + 1, sizeof(*ignored));
	struct sc_compare_rules rules = *comparison->rules;

	if (!ignored)
		return false;
	for (size_t i = 0; i < count; i++)
		ignored[i] = rules.ignored[i];
	ignored[count] = key;
	rules.ignored = ignored;
	rules.ignored_count = count + 1;
	return is_settled_by(comparison, &rules);
}

/* Only advice that was tried. */
static int advise(const struct sc_comparison *comparison, const struct sc_difference *first,
		  struct sc_error *error)
{
	struct sc_compare_rules common = *comparison->rules;

	common.common = true;
	if (first && first->missing && is_settled_by_ignoring(comparison, "cells"))
		return sc_hint(error,
			       "--ignore cells compares what both have, --side-by-side only shows");
	if (first && is_settled_by_ignoring(comparison, first->key))
		return sc_hint(error,
			       "--ignore %s compares all the same, --side-by-side only shows",
			       first->key);
	if (is_settled_by(comparison, &common))
		return sc_hint(error, "--common judges what both have, --side-by-side only shows");
	return sc_hint(error, "--side-by-side only shows");
}

/* The first key that was refused, as the one line on standard error. */
static int fail_invalid(const struct sc_comparison *comparison, struct sc_error *error)
{
	const struct sc_difference *first = NULL;
	size_t more = 0;
	char others[40] = "";

	for (size_t i = 0; i < comparison->difference_count; i++) {
		if (comparison->differences[i].refused && !first)
			first = &comparison->differences[i];
		else
			more += comparison->differences[i].refused;
	}
	if (!first) {
		(void)sc_fail(error, SC_E_FORMAT, "the reports have no cell in common");
		return advise(comparison, NULL, error);
	}
	if (more > 0)
		(void)snprintf(others, sizeof(others), " (and %zu key%s more)", more,
			       more == 1 ? "" : "s");
	if (strcmp(first->base, first->other) == 0)
		(void)sc_fail(error, SC_E_FORMAT,
			      "the reports cannot be compared: %s is %s in the base and in '%s'%s",
			      first->key, first->base, comparison->digests[first->digest].path,
			      others);
	else
		(void)sc_fail(error, SC_E_FORMAT,
			      "the reports cannot be compared: %s is %s in the base, %s in '%s'%s",
			      first->key, first->base, first->other,
			      comparison->digests[first->digest].path, others);
	return advise(comparison, first, error);
}

static int print(const struct sc_comparison *comparison, size_t format, FILE *out,
		 struct sc_error *error)
{
	struct sc_render_options detected = sc_render_options_detect(out);
	int r = sc_compare_render(comparison, format, out, &detected, error);

	if (r < 0)
		return r;
	if (comparison->outcome == SC_OUTCOME_INVALID)
		return fail_invalid(comparison, error);
	return comparison->outcome == SC_OUTCOME_REGRESSION ? 1 : 0;
}

static int run(const struct sc_invocation *invocation, struct sc_error *error)
{
	const struct compare_config *config = invocation->config;
	SC_CLEANUP(digests_fini) struct digests digests = {.count = 0};
	SC_CLEANUP(sc_comparison_fini) struct sc_comparison comparison = {.digests = NULL};
	struct sc_compare_rules rules;
	int r;

	if (invocation->operand_count < 2) {
		(void)sc_fail(error, SC_E_USAGE, "two reports are needed, %s given",
			      invocation->operand_count ? "one is" : "none is");
		return sc_hint(error, "usage: syncost compare [OPTION…] BASE NEW [MORE…]");
	}
	r = read_rules(config, invocation->operand_count, &rules, error);
	if (r == 0)
		r = load(invocation, &digests, error);
	if (r == 0)
		r = sc_compare(digests.items, digests.count, &rules, &comparison, error);
	return r < 0 ? r : print(&comparison, (size_t)config->format.value, invocation->out, error);
}

const struct sc_command sc_command_compare = {
	.name = "compare",
	.operands = "BASE NEW [MORE…]",
	.operands_max = REPORTS_MAX,
	.summary = "put stored results side by side; of two, fail where one got dearer",
	.description = "Compare report folders, or their summary.json, cell by cell. Of two "
		       "reports it is a\n"
		       "gate: exit 0 if nothing costs more, 1 if something does, 2 if they cannot "
		       "be compared.\n"
		       "It is strict on what is counted (syncs, bytes, pages, checkpoints) and "
		       "tolerant on\n"
		       "latency. More than two are shown next to each other.",
	.options = &options,
	.config_bytes = sizeof(struct compare_config),
	.run = run,
};
