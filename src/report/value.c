/* SPDX-License-Identifier: MIT */

/* The unit of a metric decides how it is written; a share is a percentage, another ratio is not. */

#include "value.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "../model/format.h"
#include "../model/judge.h"

static bool is_share(const struct sc_metric *metric)
{
	size_t length = strlen(metric->key);

	return (length > 6 && strcmp(metric->key + length - 6, "_share") == 0) ||
	       metric->group == SC_GROUP_SHARE || strcmp(metric->column, "±") == 0;
}

const char *sc_value_text(const struct sc_metric *metric, const struct sc_metric_value *value,
			  char *text, size_t text_bytes)
{
	if (value->status != SC_MEASURED) {
		(void)snprintf(text, text_bytes, "%s", sc_status_name(value->status));
		return text;
	}
	switch (metric->unit) {
	case SC_UNIT_NS:
		return sc_format_ns(value->number, text, text_bytes);
	case SC_UNIT_BYTES:
		return sc_format_size(value->number, text, text_bytes);
	case SC_UNIT_PER_SECOND:
		return sc_format_rate(value->number, text, text_bytes);
	case SC_UNIT_RATIO:
		if (is_share(metric))
			return sc_format_percent(value->number, text, text_bytes);
		return sc_format_count(value->number, text, text_bytes);
	case SC_UNIT_COUNT:
		break;
	}
	return sc_format_count(value->number, text, text_bytes);
}

const char *sc_bound_text(const struct sc_cell *cell, bool brief, char *text, size_t text_bytes)
{
	static const char *const names[][2] = {
		[SC_BOUND_SQL_CPU] = {"sql on CPU", "sql"},
		[SC_BOUND_SYNC] = {"sync", "sync"},
		[SC_BOUND_WRITE] = {"write", "write"},
		[SC_BOUND_READ] = {"read", "read"},
		[SC_BOUND_LOCK] = {"lock", "lock"},
		[SC_BOUND_CHECKPOINT] = {"checkpoint", "ckpt"},
		[SC_BOUND_MEMORY_FAULTS] = {"faults", "faults"},
		[SC_BOUND_RUN_DELAY] = {"run delay", "delay"},
	};
	char percent[SC_FORMAT_BYTES];

	text[0] = '\0';
	if (cell->bound.status == SC_MEASURED)
		(void)snprintf(text, text_bytes, "%s %s%s", names[cell->bound.by][brief],
			       sc_format_percent(cell->bound.share, percent, sizeof(percent)),
			       sc_cell_has_waited(cell) ? "?" : "");
	return text;
}

const char *sc_recommended_text(const struct sc_interval *rate, char *text, size_t text_bytes)
{
	char median[SC_FORMAT_BYTES], low[SC_FORMAT_BYTES], high[SC_FORMAT_BYTES];

	(void)sc_format_rate(rate->median, median, sizeof(median));
	(void)sc_format_rate(rate->low, low, sizeof(low));
	(void)sc_format_rate(rate->high, high, sizeof(high));
	if (rate->n == 0)
		(void)snprintf(text, text_bytes, "%s commits/s", median);
	else if (rate->coverage >= SC_CONFIDENCE)
		(void)snprintf(text, text_bytes, "%s commits/s (95 %% interval %s–%s)", median, low,
			       high);
	else
		(void)snprintf(text, text_bytes,
			       "%s commits/s (%s–%s in %u sample%s: too few for an interval)",
			       median, low, high, rate->n, rate->n == 1 ? "" : "s");
	return text;
}

const char *sc_half_width_text(const struct sc_cell *cell, char *text, size_t text_bytes)
{
	char percent[SC_FORMAT_BYTES];
	double width = sc_interval_half_width(&cell->ops_per_s);

	text[0] = '\0';
	if (cell->ops_per_s.status == SC_MEASURED && cell->ops_per_s.n == 1)
		(void)snprintf(text, text_bytes, "*"); /* one sample has no width */
	else if (cell->ops_per_s.status == SC_MEASURED)
		(void)snprintf(text, text_bytes, "±%s%s",
			       sc_format_percent(width, percent, sizeof(percent)),
			       cell->ops_per_s.converged ? "" : "*");
	return text;
}

const char *sc_loss_text(const struct sc_report_head *head, const struct sc_cell *cell, char *text,
			 size_t text_bytes)
{
	static const char *const losses[] = {
		[SC_LOSS_NONE] = "none", [SC_LOSS_LAST] = "last", [SC_LOSS_SUFFIX] = "ckpt",
		[SC_LOSS_ANY] = "any",   [SC_LOSS_ALL] = "all",
	};
	static const char *const marks[] = {
		[SC_CORRUPTION_NO] = "",
		[SC_CORRUPTION_RARE] = "?",
		[SC_CORRUPTION_YES] = "!",
	};
	struct sc_promise promise;

	if (cell->status != SC_MEASURED || cell->commits == 0)
		return "-";
	if (sc_cell_in_memory(head, cell))
		return "all";
	promise = sc_promise_in(cell->store, &cell->effective);
	assert(promise.loss < SC_LOSS_COUNT_ && promise.corruption < SC_CORRUPTION_COUNT_);
	(void)snprintf(text, text_bytes, "%s%s", losses[promise.loss], marks[promise.corruption]);
	return text;
}

uint32_t sc_batch_of(const struct sc_cell *cell)
{
	if (cell->setting.rows_per_commit > 0)
		return cell->setting.rows_per_commit;
	if (cell->commits > 0)
		return (uint32_t)(((double)cell->operations + 0.5) / (double)cell->commits);
	if (cell->ledger_commits > 0)
		return (uint32_t)(((double)cell->ledger_ops + 0.5) / (double)cell->ledger_commits);
	return 0;
}

const char *sc_batch_text(const struct sc_cell *cell, char *text, size_t text_bytes)
{
	uint32_t rows = sc_batch_of(cell);

	if (rows == 0)
		return "-";
	(void)snprintf(text, text_bytes, "%" PRIu32, rows);
	return text;
}

/* Whether @text ends in "/@end"; both have a length. */
static bool ends_in(const char *text, const char *end)
{
	size_t length = strlen(text), end_length = strlen(end);

	return length > end_length && text[length - end_length - 1] == '/' &&
	       strcmp(text + length - end_length, end) == 0;
}

void sc_same_text(const struct sc_cell *cell, char *text, size_t text_bytes)
{
	const char *state = sc_wal_state_name(cell->wal_state);
	const char *id = cell->same_as;
	char prefix[400];
	int length = snprintf(prefix, sizeof(prefix), "%s/%s/%s/", cell->target, cell->suite,
			      cell->workload);
	size_t shown;

	/* What both have in common stands in the heading and in the column beside it. */
	if (length > 0 && (size_t)length < sizeof(prefix) &&
	    strncmp(id, prefix, (size_t)length) == 0)
		id += length;
	shown = strlen(id);
	if (cell->uses_wal_state && ends_in(id, state))
		shown -= strlen(state) + 1;
	(void)snprintf(text, text_bytes, "= %.*s", (int)shown, id);
}

void sc_unit_plural(const char *unit, char *text, size_t text_bytes)
{
	size_t length = strlen(unit);

	if (length > 1 && unit[length - 1] == 'y' && !strchr("aeiou", unit[length - 2]))
		(void)snprintf(text, text_bytes, "%.*sies", (int)length - 1, unit);
	else
		(void)snprintf(text, text_bytes, "%ss", unit);
}

void sc_reason_text(const struct sc_cell *cell, char *text, size_t text_bytes)
{
	(void)snprintf(text, text_bytes, "%s: %s", sc_status_name(cell->status),
		       cell->reason ? cell->reason : cell->ops_per_s.reason);
}

const char *sc_busy_text(const struct sc_cell *cell, char *text, size_t text_bytes)
{
	uint64_t commits = 0;

	for (size_t i = 0; i < cell->sample_count; i++) {
		if (cell->samples[i].kind == SC_SAMPLE_TIMING)
			commits += cell->samples[i].commits;
	}
	(void)snprintf(text, text_bytes, "-");
	return commits > 0 ? sc_format_count((double)cell->busy_retries / (double)commits, text,
					     text_bytes)
			   : text;
}
