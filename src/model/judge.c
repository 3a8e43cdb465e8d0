/* SPDX-License-Identifier: MIT */

/*
 * Findings over a whole report, in the order in which they are read: whether the report can be
 * trusted at all, then the answer (what is faster, where the time goes), then what qualifies it;
 * the severe ones first, and of one severity what is true of any run of this build last.
 * What many cells have in common is said once, with the worst cell's words and a count.
 */

#include "judge.h"
#include "store.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "../stats/order.h"
#include "format.h"

/* Below how many values a 99th percentile is about their maximum. */
#define FEW 100u

const struct sc_target *sc_head_target(const struct sc_report_head *head, const char *label)
{
	for (size_t i = 0; i < head->target_count; i++) {
		if (head->targets[i].label && strcmp(head->targets[i].label, label) == 0)
			return &head->targets[i];
	}
	return NULL;
}

static const char *plural(size_t count)
{
	return count == 1 ? "" : "s";
}

static size_t count_status(const struct sc_cell *cells, size_t cell_count, enum sc_status status,
			   const struct sc_cell **ret_first)
{
	size_t count = 0;

	*ret_first = NULL;
	for (size_t i = 0; i < cell_count; i++) {
		if (cells[i].status != status)
			continue;
		if (!*ret_first)
			*ret_first = &cells[i];
		count++;
	}
	return count;
}

static bool has_rate(const struct sc_cell *cell)
{
	return cell->status == SC_MEASURED && cell->ops_per_s.status == SC_MEASURED;
}

/* A cell that failed, or that cannot be measured, is neither one with a rate nor one to come. */
static int judge_complete(struct sc_report_head *head, const struct sc_cell *cells,
			  size_t cell_count)
{
	size_t all = head->cell_count > cell_count ? head->cell_count : cell_count;
	size_t rates = 0, left = all - cell_count;
	bool has_interval = false;

	if (head->complete)
		return 0;
	for (size_t i = 0; i < cell_count; i++) {
		if (has_rate(&cells[i])) {
			rates++;
			has_interval = has_interval || cells[i].ops_per_s.coverage >= SC_CONFIDENCE;
		} else if (cells[i].status != SC_FAILED && cells[i].status != SC_UNSUPPORTED) {
			left++;
		}
	}
	return sc_findings_add(&head->findings, SC_FINDING_INCOMPLETE, head->rounds,
			       plural(head->rounds), rates, all, plural(all),
			       rates == 1 ? "has" : "have", left, left == 1 ? "has" : "have",
			       has_interval ? "; intervals tell what these figures are worth until "
					      "then"
					    : "");
}

/* One program less than CPUs may run beside it; a machine of one CPU may have been busy with the
 * run before this one. */
bool sc_report_was_busy(const struct sc_report_head *head)
{
	double spare = head->cpu_count > 1 ? head->cpu_count - 0.5 : 1.5;

	return head->load_status == SC_MEASURED && head->cpu_count > 0 && head->load > spare;
}

static int judge_busy(struct sc_report_head *head)
{
	char load[24];

	if (!sc_report_was_busy(head))
		return 0;
	(void)snprintf(load, sizeof(load), "%.1f", head->load);
	return sc_findings_add(&head->findings, SC_FINDING_BUSY_START, load, head->cpu_count,
			       plural(head->cpu_count));
}

/* A check that does not hold fails again, alone or not. */
static const char *next_after(const struct sc_cell *failed)
{
	if (failed->reason && strstr(failed->reason, "] does not hold"))
		return "correct that check of the suite, or the statements that it is of";
	return "repeat them alone, with --workload and the lists of pragmas";
}

static int judge_state(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	static const struct {
		enum sc_status status;
		enum sc_finding_code code;
	} states[] = {
		{SC_FAILED, SC_FINDING_FAILED_CELLS},
		{SC_UNSUPPORTED, SC_FINDING_UNSUPPORTED_CELLS},
	};
	const struct sc_cell *first;
	size_t count;
	int r = 0;

	for (size_t i = 0; r == 0 && i < SC_ARRAY_COUNT(states); i++) {
		count = count_status(cells, cell_count, states[i].status, &first);
		if (count > 0)
			r = sc_findings_add(&head->findings, states[i].code, count, cell_count,
					    plural(cell_count), first->id,
					    first->reason ? first->reason : "no reason is known",
					    next_after(first));
	}
	if (r == 0)
		r = judge_complete(head, cells, cell_count);
	if (r == 0)
		r = judge_busy(head);
	return r;
}

/* Takes out what an earlier judgement added, and leaves what others know of the target. */
static void drop_judged(struct sc_findings *findings)
{
	static const enum sc_finding_code judged[] = {
		SC_FINDING_SYNC_BUYS_NOTHING,
		SC_FINDING_FLUSH_DISABLED,
		SC_FINDING_ROTATIONAL,
	};
	size_t kept = 0;

	for (size_t i = 0; i < findings->count; i++) {
		bool is_judged = false;

		for (size_t j = 0; j < SC_ARRAY_COUNT(judged); j++)
			is_judged = is_judged || strcmp(findings->items[i].code,
							sc_finding_name(judged[j])) == 0;
		if (!is_judged)
			findings->items[kept++] = findings->items[i];
	}
	findings->count = kept;
}

static int judge_targets(struct sc_report_head *head)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < head->target_count; i++) {
		drop_judged(&head->targets[i].findings);
		r = sc_judge_target(&head->targets[i]);
	}
	return r;
}

/* What is known of the targets, either what puts the answer in doubt or mere notes. */
static int gather_targets(struct sc_report_head *head, bool notes)
{
	for (size_t i = 0; i < head->target_count; i++) {
		const struct sc_findings *findings = &head->targets[i].findings;

		for (size_t j = 0; j < findings->count; j++) {
			int r = 0;

			if ((findings->items[j].severity == SC_SEVERITY_NOTE) == notes)
				r = sc_findings_copy(&head->findings, &findings->items[j]);
			if (r < 0)
				return r;
		}
	}
	return 0;
}

static bool is_few(const struct sc_latency *latency)
{
	return latency->status == SC_MEASURED && latency->n < FEW;
}

/* What cells lack whose interval is wide: a sweep that was told the number of samples did not stop
 * short of anything. */
static void say_wide(const struct sc_report_head *head, size_t wide, char *text, size_t text_bytes)
{
	double precision = head->precision > 0 ? head->precision : SC_PRECISION_DEFAULT;
	const char *has = wide == 1 ? "has" : "have";
	const uint32_t samples = head->sampling.samples;
	char percent[SC_FORMAT_BYTES];
	size_t low, high;
	double coverage;

	if (samples == 0)
		(void)snprintf(text, text_bytes, "did not reach the precision asked for");
	else if (!sc_median_ranks(samples, SC_CONFIDENCE, &low, &high, &coverage))
		(void)snprintf(text, text_bytes,
			       "%s too few samples, %" PRIu32 ", for an interval of 95 %%", has,
			       samples);
	else
		(void)snprintf(text, text_bytes,
			       "%s an interval wider than ±%s with %" PRIu32 " samples", has,
			       sc_format_percent(precision, percent, sizeof(percent)), samples);
}

static int judge_convergence(struct sc_report_head *head, const struct sc_cell *cells,
			     size_t cell_count)
{
	const struct sc_cell *widest = NULL;
	size_t measured = 0, wide = 0;
	char percent[SC_FORMAT_BYTES], width[SC_FORMAT_BYTES + 16], what[100];
	double widest_width = -1;

	for (size_t i = 0; i < cell_count; i++) {
		const struct sc_interval *rate = &cells[i].ops_per_s;
		double half = sc_interval_half_width(rate);

		if (cells[i].same_as || rate->status != SC_MEASURED)
			continue;
		measured++;
		if (rate->converged)
			continue;
		wide++;
		if (half > widest_width) {
			widest_width = half;
			widest = &cells[i];
		}
	}
	if (!widest)
		return 0;
	say_wide(head, wide, what, sizeof(what));
	(void)snprintf(width, sizeof(width), " with ±%s",
		       sc_format_percent(widest_width, percent, sizeof(percent)));
	if (widest->ops_per_s.n == 1)
		(void)snprintf(width, sizeof(width), ", of one sample");
	return sc_findings_add(&head->findings, SC_FINDING_NOT_CONVERGED, wide, measured,
			       plural(measured), what, widest->id, width,
			       head->sampling.samples > 0 ? "--samples or --ops"
							  : "--time (or --samples)");
}

/* Whose quantiles rest on too few values: the p99 of fewer than 100 is their maximum. */
static int judge_few(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	const struct sc_cell *first = NULL;
	size_t measured = 0, few = 0;

	for (size_t i = 0; i < cell_count; i++) {
		if (cells[i].same_as || !has_rate(&cells[i]))
			continue;
		measured++;
		if (!is_few(&cells[i].op_ns) && !is_few(&cells[i].commit_ns))
			continue;
		if (few++ == 0)
			first = &cells[i];
	}
	if (!first)
		return 0;
	return sc_findings_add(&head->findings, SC_FINDING_FEW_OPERATIONS, few, measured,
			       plural(measured), few == 1 ? "s" : "", FEW, first->id);
}

static const struct sc_finding *find_code(const struct sc_cell *cell, enum sc_finding_code code)
{
	for (size_t i = 0; i < cell->findings.count; i++) {
		if (strcmp(cell->findings.items[i].code, sc_finding_name(code)) == 0)
			return &cell->findings.items[i];
	}
	return NULL;
}

/* What cells found of themselves: the worst one's words, and how many more say the same. */
static int gather_code(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count,
		       enum sc_finding_code code)
{
	struct sc_finding finding = {.code = ""};
	size_t count = 0;

	for (size_t i = 0; i < cell_count; i++) {
		const struct sc_finding *found = find_code(&cells[i], code);

		if (found && (count++ == 0 || found->weight > finding.weight))
			finding = *found;
	}
	if (count == 0)
		return 0;
	if (count > 1) {
		size_t used = strlen(finding.text);

		(void)snprintf(finding.text + used, sizeof(finding.text) - used,
			       " (and so for %zu more cell%s)", count - 1, count > 2 ? "s" : "");
	}
	return sc_findings_copy(&head->findings, &finding);
}

static int gather_cells(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	static const enum sc_finding_code codes[] = {
		SC_FINDING_MEMORY_GROWS,      SC_FINDING_SYNC_MISMATCH,   SC_FINDING_CALLS_DROPPED,
		SC_FINDING_EFFECTIVE_DIFFERS, SC_FINDING_RUN_DELAY,       SC_FINDING_STEAL,
		SC_FINDING_OTHER_IO,          SC_FINDING_TWO_MODES,       SC_FINDING_NO_CHECKPOINT,
		SC_FINDING_INSTRUMENT_COST,   SC_FINDING_RESIDUAL,        SC_FINDING_SPLIT_WAITED,
		SC_FINDING_OTHER_STATE,       SC_FINDING_CHECKPOINT_PAID, SC_FINDING_BESIDE,
		SC_FINDING_RATE_NOT_REACHED,
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < SC_ARRAY_COUNT(codes); i++)
		r = gather_code(head, cells, cell_count, codes[i]);
	return r;
}

static int judge_same(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	char reasons[300] = "";
	size_t count = 0;

	for (size_t i = 0; i < cell_count; i++) {
		const char *reason = cells[i].same_as_reason;
		size_t used = strlen(reasons);

		if (!cells[i].same_as)
			continue;
		count++;
		if (reason && !strstr(reasons, reason) &&
		    used + strlen(reason) + 3 < sizeof(reasons))
			(void)snprintf(reasons + used, sizeof(reasons) - used, "%s%s",
				       used ? "; " : "", reason);
	}
	if (count == 0)
		return 0;
	return sc_findings_add(&head->findings, SC_FINDING_SAME_SETTINGS, count, cell_count,
			       count == 1 ? "ies" : "y", reasons);
}

/* The WAL that autocheckpoints let grow the most, if pages made it so. */
static int judge_autocheckpoint(struct sc_report_head *head, const struct sc_cell *cells,
				size_t cell_count)
{
	const uint32_t usual = sc_setting_default().page_size;
	const struct sc_setting *largest = NULL;
	char size[SC_FORMAT_BYTES], times[SC_FORMAT_BYTES];
	uint32_t pages;

	for (size_t i = 0; i < cell_count; i++) {
		const struct sc_setting *setting = &cells[i].setting;

		if (setting->journal_mode != SC_JOURNAL_WAL || setting->wal_autocheckpoint == 0 ||
		    setting->page_size < 4 * usual || sc_store_is(cells[i].store, SC_STORE_MEMORY))
			continue;
		if (!largest || (uint64_t)setting->page_size * setting->wal_autocheckpoint >
					(uint64_t)largest->page_size * largest->wal_autocheckpoint)
			largest = setting;
	}
	if (!largest)
		return 0;
	pages = (uint32_t)((uint64_t)largest->wal_autocheckpoint * usual / largest->page_size);
	return sc_findings_add(
		&head->findings, SC_FINDING_AUTOCHECKPOINT_PAGES, largest->wal_autocheckpoint,
		largest->page_size,
		sc_format_size((double)largest->page_size * largest->wal_autocheckpoint, size,
			       sizeof(size)),
		sc_format_count((double)largest->page_size / usual, times, sizeof(times)),
		pages > 0 ? pages : 1);
}

static void drop_old(struct sc_report_head *head)
{
	sc_findings_fini(&head->findings);
	for (size_t i = 0; i < head->recommendation_count; i++)
		sc_recommendation_fini(&head->recommendations[i]);
	free(SC_TAKE(head->recommendations));
	head->recommendation_count = 0;
}

static int judge(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count)
{
	SC_CLEANUP(sc_groups_fini) struct sc_groups groups = {0};
	int r;

	drop_old(head);
	r = sc_groups_of(cells, cell_count, &groups);
	if (r == 0)
		r = judge_state(head, cells, cell_count);
	if (r == 0)
		r = judge_targets(head);
	if (r == 0)
		r = gather_targets(head, false);
	if (r == 0)
		r = sc_judge_speed(head, &groups);
	if (r == 0)
		r = sc_judge_loss(head, &groups);
	if (r == 0)
		r = sc_judge_growth(head, cells, cell_count);
	if (r == 0)
		r = sc_judge_memory(head, cells, cell_count);
	if (r == 0)
		r = judge_convergence(head, cells, cell_count);
	if (r == 0)
		r = judge_few(head, cells, cell_count);
	if (r == 0)
		r = gather_cells(head, cells, cell_count);
	if (r == 0)
		r = gather_targets(head, true);
	if (r == 0)
		r = judge_autocheckpoint(head, cells, cell_count);
	if (r == 0)
		r = sc_judge_hidden_syncs(head, cells, cell_count);
	if (r == 0)
		r = sc_judge_build(head, cells, cell_count);
	if (r == 0)
		r = judge_same(head, cells, cell_count);
	if (r == 0)
		r = sc_recommend(head, &groups);
	sc_findings_sort(&head->findings);
	return r;
}

int sc_report_judge(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count,
		    struct sc_error *error)
{
	int r = judge(head, cells, cell_count);

	return r < 0 ? sc_fail(error, r, "judging the report") : 0;
}
