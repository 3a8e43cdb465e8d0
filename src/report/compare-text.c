/* SPDX-License-Identifier: MIT */
#include "compare-text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "../model/format.h"
#include "../model/group.h"
#include "../model/store.h"
#include "about.h"
#include "value.h"

const char *sc_compare_figure_text(size_t metric, const struct sc_digest_figure *figure, char *text,
				   size_t text_bytes)
{
	struct sc_compare_metric row = sc_compare_metric(metric);
	struct sc_metric_value value = {.status = figure->status, .number = figure->number};

	return sc_value_text(&row.metric, &value, text, text_bytes);
}

/* With as few decimals as tell it from @beside. */
static void spell_out(double number, double beside, const char *unit, char *text, size_t text_bytes)
{
	char other[SC_COMPARE_TEXT_BYTES];

	for (int decimals = 0; decimals <= 9; decimals++) {
		(void)snprintf(text, text_bytes, "%.*f%s", decimals, number, unit);
		(void)snprintf(other, sizeof(other), "%.*f%s", decimals, beside, unit);
		if (strcmp(text, other) != 0)
			break;
	}
}

const char *sc_compare_beside_text(size_t metric, const struct sc_digest_figure *figure,
				   const struct sc_digest_figure *beside, char *text,
				   size_t text_bytes)
{
	struct sc_metric row = sc_compare_metric(metric).metric;
	double difference = fabs(figure->number - beside->number);
	char other[SC_COMPARE_TEXT_BYTES];

	(void)sc_compare_figure_text(metric, figure, text, text_bytes);
	(void)sc_compare_figure_text(metric, beside, other, sizeof(other));
	if (figure->status == SC_MEASURED && beside->status == SC_MEASURED &&
	    row.from == SC_FROM_LEDGER &&
	    (row.unit == SC_UNIT_COUNT || row.unit == SC_UNIT_BYTES) && strcmp(text, other) == 0 &&
	    difference > 1e-9 * fabs(figure->number))
		spell_out(figure->number, beside->number, row.unit == SC_UNIT_BYTES ? " B" : "",
			  text, text_bytes);
	return text;
}

static const char *ratio_text(double ratio, char *text, size_t text_bytes)
{
	(void)snprintf(text, text_bytes, "%.*fx", ratio < 9.995 ? 2 : ratio < 99.95 ? 1 : 0, ratio);
	return text;
}

const char *sc_compare_change_text(size_t metric, const struct sc_change *change, char *text,
				   size_t text_bytes)
{
	bool is_count = sc_compare_metric(metric).metric.from == SC_FROM_LEDGER;
	char percent[SC_FORMAT_BYTES], ratio[SC_FORMAT_BYTES];

	text[0] = '\0';
	if (!change->is_there || (is_count && change->verdict == SC_VERDICT_SAME))
		return text;
	if (!change->has_ratio)
		(void)snprintf(text, text_bytes, "from 0");
	else if (is_count)
		(void)snprintf(
			text, text_bytes, "%s%s", change->ratio < 1 ? "-" : "+",
			sc_format_percent(fabs(change->ratio - 1), percent, sizeof(percent)));
	else {
		(void)ratio_text(change->ratio, ratio, sizeof(ratio));
		(void)snprintf(text, text_bytes, "%s%s", ratio, change->is_adjusted ? "^" : "");
	}
	return text;
}

const char *sc_compare_interval_text(const struct sc_change *change, char *text, size_t text_bytes)
{
	char low[SC_FORMAT_BYTES], high[SC_FORMAT_BYTES];

	text[0] = '\0';
	if (change->has_interval)
		(void)snprintf(text, text_bytes, "%s … %s",
			       ratio_text(change->ratio_low, low, sizeof(low)),
			       ratio_text(change->ratio_high, high, sizeof(high)));
	return text;
}

const char *sc_compare_verdict_text(size_t metric, const struct sc_change *change, char *text,
				    size_t text_bytes)
{
	bool is_shown = sc_compare_metric(metric).kind == SC_COMPARE_SHOWN;

	text[0] = '\0';
	if (change->is_there && !(is_shown && change->verdict == SC_VERDICT_UNKNOWN))
		(void)snprintf(text, text_bytes, "%s%s", sc_verdict_name(change->verdict),
			       change->fails ? ", fails" : "");
	return text;
}

void sc_compare_label(const struct sc_comparison *comparison, size_t cell, char *text,
		      size_t text_bytes)
{
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	size_t used;

	sc_store_label(base->store, &base->setting, &comparison->digests[0].head->base, text,
		       text_bytes);
	used = strlen(text);
	if (base->uses_wal_state)
		(void)snprintf(text + used, text_bytes - used, ", %s",
			       sc_wal_state_name(base->wal_state));
}

const char *sc_compare_name(const struct sc_comparison *comparison, size_t report)
{
	const char *label = comparison->digests[report].head->host_label;

	for (size_t i = 0; label && i < comparison->digest_count; i++) {
		const char *another = comparison->digests[i].head->host_label;

		if (i != report && another && strcmp(another, label) == 0)
			label = NULL;
	}
	return label && label[0] ? label : comparison->digests[report].path;
}

bool sc_compare_begins_group(const struct sc_comparison *comparison, size_t cell)
{
	struct sc_cell here, before;

	if (cell == 0)
		return true;
	here = sc_digest_view(&comparison->digests[0].cells[cell]);
	before = sc_digest_view(&comparison->digests[0].cells[cell - 1]);
	return !sc_group_is_same(&before, &here);
}

void sc_compare_add_group(struct sc_buffer *buffer, const struct sc_comparison *comparison,
			  size_t cell)
{
	struct sc_cell view = sc_digest_view(&comparison->digests[0].cells[cell]);

	sc_about_add_group(buffer, &view, true, false);
}

static size_t count_refused(const struct sc_comparison *comparison)
{
	size_t count = 0;

	for (size_t i = 0; i < comparison->difference_count; i++)
		count += comparison->differences[i].refused;
	return count;
}

enum blind { /* why a latency could not be judged */
	     BLIND_STARVED,
	     BLIND_FEW,
	     BLIND_WIDE,
	     BLIND_EXPLAINED,
	     BLIND_COUNT_,
};

struct latencies { /* of the cells that were compared */
	size_t judged, unknown;
	size_t why[BLIND_COUNT_]; /* the unknown */
	bool rose;                /* the median of some unknown one, by more than "same" */
};

static enum blind why_unknown(const struct sc_comparison *comparison, size_t cell, size_t other,
			      const struct sc_change *change)
{
	const struct sc_digest *base = &comparison->digests[0];
	const struct sc_digest_cell *match = sc_compare_match(comparison, cell, other);

	if (sc_digest_is_starved(base, &base->cells[cell]) ||
	    sc_digest_is_starved(&comparison->digests[other], match))
		return BLIND_STARVED;
	if (!change->has_interval || sc_compare_tolerance(comparison, cell, other).is_blind)
		return BLIND_FEW;
	return change->ratio_low <= 1 ? BLIND_WIDE : BLIND_EXPLAINED;
}

static void count_latency(struct latencies *latencies, const struct sc_comparison *comparison,
			  size_t cell, size_t other, const struct sc_change *change)
{
	latencies->judged += change->is_there;
	if (!change->is_there || change->verdict != SC_VERDICT_UNKNOWN)
		return;
	latencies->unknown++;
	latencies->why[why_unknown(comparison, cell, other, change)]++;
	latencies->rose =
		latencies->rose || (change->has_ratio && change->ratio > 1 + SC_COMPARE_SAME);
}

static struct latencies count_latencies(const struct sc_comparison *comparison)
{
	struct latencies latencies = {.judged = 0};
	size_t time = sc_compare_metric_find("op_ns");

	for (size_t cell = 0; cell < comparison->digests[0].cell_count; cell++) {
		for (size_t other = 1; other < comparison->digest_count; other++) {
			struct sc_change change;

			if (sc_compare_state(comparison, cell, other) != SC_COMPARE_DONE)
				continue;
			change = sc_compare_change(comparison, cell, other, time);
			count_latency(&latencies, comparison, cell, other, &change);
		}
	}
	return latencies;
}

static void add_blind(struct sc_buffer *buffer, const struct latencies *latencies, size_t cells)
{
	static const char *const reasons[] = {
		[BLIND_STARVED] = "samples waited too long for a CPU",
		[BLIND_FEW] = "too few samples",
		[BLIND_WIDE] = "intervals too wide",
		[BLIND_EXPLAINED] = "a busier machine or slower storage explains it",
	};
	const char *separator = ": ";

	sc_buffer_add_text(buffer, "pass on counts; latency could not be judged");
	for (size_t i = 0; i < BLIND_COUNT_; i++) {
		if (latencies->why[i] == 0)
			continue;
		sc_buffer_printf(buffer, "%s%s in %zu", separator, reasons[i], latencies->why[i]);
		separator = ", ";
	}
	sc_buffer_printf(buffer, " of %zu cell%s", cells, cells == 1 ? "" : "s");
}

/* A gate that passes because it could not tell says so. */
static void add_pass(struct sc_buffer *buffer, const struct sc_comparison *comparison, size_t cells)
{
	struct latencies latencies = {.judged = 0};

	if (!comparison->rules->counts_only)
		latencies = count_latencies(comparison);
	if (!latencies.rose || latencies.unknown < latencies.judged)
		sc_buffer_printf(buffer, "pass: no cell of %zu costs more than is allowed", cells);
	else
		add_blind(buffer, &latencies, cells);
}

/* Reports beside the base that can only be named. */
static void add_strangers(struct sc_buffer *buffer, const struct sc_comparison *comparison)
{
	for (size_t i = 1; i < comparison->digest_count; i++) {
		const struct sc_compare_tally *tally = &comparison->tallies[i - 1];

		if (tally->cells + tally->copies + tally->absent == 0)
			sc_buffer_printf(buffer, "; %s has no cell in common with the base",
					 sc_compare_name(comparison, i));
	}
}

void sc_compare_add_headline(struct sc_buffer *buffer, const struct sc_comparison *comparison)
{
	size_t cells = 0, failing = 0, refused = count_refused(comparison);

	for (size_t i = 0; i + 1 < comparison->digest_count; i++) {
		cells += comparison->tallies[i].cells;
		failing += comparison->tallies[i].failing;
	}
	if (!comparison->rules->is_gate) {
		sc_buffer_printf(buffer, "%zu reports side by side", comparison->digest_count);
		add_strangers(buffer, comparison);
	} else if (refused > 0) {
		sc_buffer_printf(buffer,
				 "invalid: the reports cannot be compared, %zu key%s differ%s",
				 refused, refused == 1 ? "" : "s", refused == 1 ? "s" : "");
	} else if (comparison->outcome == SC_OUTCOME_INVALID) {
		sc_buffer_add_text(buffer, "invalid: the reports have no cell in common");
	} else if (failing > 0) {
		sc_buffer_printf(buffer,
				 "regression: %zu of %zu cell%s cost%s more than is allowed",
				 failing, cells, cells == 1 ? "" : "s", failing == 1 ? "s" : "");
	} else {
		add_pass(buffer, comparison, cells);
	}
}

static void add_count(struct sc_buffer *buffer, const char *separator, size_t count,
		      const char *what)
{
	if (count > 0)
		sc_buffer_printf(buffer, "%s%zu %s", separator, count, what);
}

void sc_compare_add_tally(struct sc_buffer *buffer, const struct sc_compare_tally *tally)
{
	const char *separator = ": ";

	sc_buffer_printf(buffer, "%zu cell%s compared", tally->cells, tally->cells == 1 ? "" : "s");
	for (int v = 0; v < SC_VERDICT_COUNT_; v++) {
		add_count(buffer, separator, tally->verdicts[v],
			  sc_verdict_name((enum sc_verdict)v));
		if (tally->verdicts[v] > 0)
			separator = ", ";
	}
	add_count(buffer, "; ", tally->copies, "with the figures of another");
	add_count(buffer, "; ", tally->absent, "not measured in both");
	add_count(buffer, "; ", tally->missing, "only in the base");
	add_count(buffer, "; ", tally->extra, "not in the base");
}

void sc_compare_add_report(struct sc_buffer *buffer, const struct sc_comparison *comparison,
			   size_t report)
{
	const struct sc_digest *digest = &comparison->digests[report];
	const struct sc_report_head *head = digest->head;

	sc_buffer_printf(buffer, "%s: %s, %s, %" PRIu32 " x %s, SQLite %s, %s%s; %s",
			 report == 0                     ? "base"
			 : comparison->digest_count == 2 ? "new"
							 : sc_compare_name(comparison, report),
			 head->host_label ? head->host_label : "unnamed host",
			 head->kernel ? head->kernel : "unknown kernel", head->cpu_count,
			 head->cpu ? head->cpu : "unknown CPU", head->sqlite_version, head->started,
			 head->complete ? "" : ", not complete", digest->path);
}

void sc_compare_add_difference(struct sc_buffer *buffer, const struct sc_comparison *comparison,
			       const struct sc_difference *difference)
{
	const char *there = comparison->digest_count == 2
				    ? "the new"
				    : sc_compare_name(comparison, difference->digest);

	if (strcmp(difference->base, difference->other) == 0)
		sc_buffer_printf(buffer, "%s: %s in the base and in %s", difference->key,
				 difference->base, there);
	else
		sc_buffer_printf(buffer, "%s: %s in the base, %s in %s", difference->key,
				 difference->base, difference->other, there);
	if (difference->cell && difference->cell_count == 1)
		sc_buffer_printf(buffer, " (cell %s)", difference->cell);
	else if (difference->cell)
		sc_buffer_printf(buffer, " (%zu cells, the first is %s)", difference->cell_count,
				 difference->cell);
}

#define ALLOWED                                                                                    \
	" \"worse\" without \"fails\" is within what is allowed, or of a figure that is merely "   \
	"shown: "                                                                                  \
	"that never fails."

struct sc_change sc_compare_rate_change(const struct sc_comparison *comparison, size_t cell,
					size_t other, size_t rate)
{
	struct sc_change change = sc_compare_change(comparison, cell, other, rate), time;

	time = sc_compare_change(comparison, cell, other, sc_compare_metric_find("op_ns"));
	if (!change.is_there || !time.is_adjusted || !time.has_ratio || !(time.ratio > 0))
		return change;
	change.is_adjusted = true;
	change.has_interval = time.has_interval && time.ratio_low > 0;
	change.ratio = 1 / time.ratio;
	if (change.has_interval) {
		change.ratio_low = 1 / time.ratio_high;
		change.ratio_high = 1 / time.ratio_low;
	}
	return change;
}

bool sc_compare_adjusts(const struct sc_comparison *comparison)
{
	size_t time = sc_compare_metric_find("op_ns");

	for (size_t other = 1; other < comparison->digest_count; other++)
		for (size_t cell = 0; cell < comparison->digests[0].cell_count; cell++)
			if (sc_compare_match(comparison, cell, other) &&
			    sc_compare_change(comparison, cell, other, time).is_adjusted)
				return true;
	return false;
}

void sc_compare_add_rules(struct sc_buffer *buffer, const struct sc_comparison *comparison)
{
	const struct sc_compare_rules *rules = comparison->rules;
	char percent[SC_FORMAT_BYTES], floor[SC_FORMAT_BYTES], coverage[SC_FORMAT_BYTES];
	char waiting[SC_FORMAT_BYTES];
	const char *separator = " but ";

	sc_buffer_add_text(buffer, "What fails: any increase of a count");
	for (size_t i = 0; i < SC_COMPARE_METRICS; i++) {
		if (!(rules->allowed_percent[i] > 0))
			continue;
		sc_buffer_printf(buffer, "%s%s of %s", separator,
				 sc_format_percent(rules->allowed_percent[i] / 100, percent,
						   sizeof(percent)),
				 sc_compare_metric(i).metric.key);
		separator = ", ";
	}
	if (rules->counts_only) {
		sc_buffer_add_text(buffer, "; latency is not judged." ALLOWED);
		return;
	}
	sc_buffer_printf(
		buffer,
		"; a time per operation that is more than %s and more than %s longer, "
		"where neither waited for a CPU for more than %s of its time and the interval "
		"of the ratio lies above what waiting, a slower machine and a slower sync floor "
		"explain",
		sc_format_percent(rules->latency_percent / 100, percent, sizeof(percent)),
		sc_format_ns(rules->latency_floor_ns, floor, sizeof(floor)),
		sc_format_percent(SC_DIGEST_WAITING_MAX, waiting, sizeof(waiting)));
	if (comparison->coverage > 0)
		sc_buffer_printf(
			buffer, " (it holds the ratio in at least %s)",
			sc_format_percent(comparison->coverage, coverage, sizeof(coverage)));
	sc_buffer_add_text(buffer, "." ALLOWED);
}

bool sc_compare_is_changed(const struct sc_comparison *comparison, size_t cell, size_t other)
{
	struct sc_change whole;

	if (sc_compare_state(comparison, cell, other) != SC_COMPARE_DONE)
		return false;
	whole = sc_compare_cell(comparison, cell, other);
	return whole.fails || whole.verdict == SC_VERDICT_BETTER ||
	       whole.verdict == SC_VERDICT_WORSE;
}

bool sc_compare_shows(size_t metric, const struct sc_change *change)
{
	struct sc_compare_metric row = sc_compare_metric(metric);

	if (!change->is_there)
		return false;
	if (row.kind == SC_COMPARE_LATENCY)
		return true;
	return row.metric.from == SC_FROM_LEDGER && change->verdict != SC_VERDICT_SAME;
}

size_t sc_compare_rate(const struct sc_comparison *comparison, size_t cell)
{
	size_t commits = sc_compare_metric_find("commits_per_s");

	return comparison->digests[0].cells[cell].figures[commits].status == SC_MEASURED
		       ? commits
		       : sc_compare_metric_find("ops_per_s");
}
