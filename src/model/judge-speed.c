/* SPDX-License-Identifier: MIT */

/*
 * What is faster than the default, and where a commit goes.
 *
 * The factor between two cells is the median of its ratios round by round: samples of one round
 * ran close to each other, so what drifts over a run (a warming disk, a neighbour) cancels. The
 * ratios are one value a round, so the median's exact interval (stats/order.c) applies to them as
 * it does to rates. A factor whose interval holds 1 is not a finding.
 */

#include <ctype.h>
#include <errno.h>
#include <string.h>

#include "../base/buffer.h"
#include "../stats/order.h"
#include "format.h"
#include "judge.h"
#include "store.h"

#define ALL_BUT     0.98 /* of a commit: above it a rate without that says nothing */
#define DELAY_NAMED 0.01 /* of a commit: a share of waiting for a CPU that is worth a word */

/* "WAL+NORMAL page_size=8192": a label as it is said. */
static void say_label(const char *store, const struct sc_setting *setting,
		      const struct sc_setting *base, char *text, size_t text_bytes)
{
	sc_store_label(store, setting, base, text, text_bytes);
	for (char *c = text; *c && *c != ' '; c++)
		*c = (char)(*c == '/' ? '+' : toupper((unsigned char)*c));
}

static void say_setting(const struct sc_report_head *head, const struct sc_cell *cell, char *text,
			size_t text_bytes)
{
	say_label(cell->store, &cell->setting, &head->base, text, text_bytes);
}

static void say_place(const struct sc_report_head *head, const struct sc_cell *cell, char *text,
		      size_t text_bytes)
{
	if (head->target_count > 1)
		(void)snprintf(text, text_bytes, "on %s", cell->target);
	else
		(void)snprintf(text, text_bytes, "here");
}

/* --- factors */

static const struct sc_cell_sample *timing_of_round(const struct sc_cell *cell, uint32_t round)
{
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sc_cell_sample *sample = &cell->samples[i];

		if (sample->kind == SC_SAMPLE_TIMING && sample->round == round &&
		    sample->wall_ns > 0 && sample->operations > 0)
			return sample;
	}
	return NULL;
}

static double rate_of(const struct sc_cell_sample *sample)
{
	return (double)sample->operations / (double)sample->wall_ns;
}

int sc_factor_between(const struct sc_cell *cell, const struct sc_cell *base,
		      struct sc_interval *ret_factor)
{
	SC_CLEANUP(sc_freep) double *ratios = NULL;
	struct sc_interval factor = {.status = SC_MEASURED};
	struct sc_stop_verdict verdict = {0};
	size_t count = 0, low, high;

	ratios = calloc(cell->sample_count + 1, sizeof(*ratios));
	if (!ratios)
		return -ENOMEM;
	for (size_t i = 0; i < cell->sample_count; i++) {
		const struct sc_cell_sample *sample = &cell->samples[i];
		const struct sc_cell_sample *other = timing_of_round(base, sample->round);

		/* The first of its own round, so that a round counts once. */
		if (other && sample == timing_of_round(cell, sample->round))
			ratios[count++] = rate_of(sample) / rate_of(other);
	}
	sc_sort_doubles(ratios, count);
	if (!sc_median(ratios, count, &factor.median)) {
		factor.status = SC_SKIPPED;
		*ret_factor = factor;
		return 0;
	}
	factor.n = (uint32_t)count;
	/* How many rounds both have was decided by their values: only the rule's ranks hold then.
	 */
	if (cell->rule)
		verdict = sc_stop_look(cell->rule, ratios, count);
	if (verdict.has_interval) {
		factor.converged = true;
		factor.low = verdict.low;
		factor.high = verdict.high;
		factor.coverage = cell->rule->coverage;
	} else {
		factor.converged =
			sc_median_ranks(count, SC_CONFIDENCE, &low, &high, &factor.coverage);
		factor.low = ratios[low - 1];
		factor.high = ratios[high - 1];
	}
	*ret_factor = factor;
	return 0;
}

static void say_interval(const struct sc_interval *factor, char *text, size_t text_bytes)
{
	char low[SC_FORMAT_BYTES], high[SC_FORMAT_BYTES];

	if (!factor->converged) {
		(void)snprintf(text, text_bytes, "median of %u rounds, too few for an interval",
			       factor->n);
		return;
	}
	(void)snprintf(text, text_bytes, "median over rounds, 95 %% interval %s–%s",
		       sc_format_count(factor->low, low, sizeof(low)),
		       sc_format_count(factor->high, high, sizeof(high)));
}

/* --- which cells to speak of */

/* SQLite's default, or what is nearest to it: the fewest pragmas that differ, the first in the
 * order of settings among equals. */
static const struct sc_cell *pick_baseline(const struct sc_group *group)
{
	const struct sc_cell *nearest = NULL;
	unsigned int fewest = 0;

	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];
		unsigned int changes = sc_count_changes(&cell->setting);

		if (!sc_group_takes_part(group, cell))
			continue;
		if (!nearest || changes < fewest ||
		    (changes == fewest &&
		     sc_setting_compare(&cell->setting, &nearest->setting) < 0)) {
			nearest = cell;
			fewest = changes;
		}
	}
	return nearest;
}

/* The fastest that never corrupts. */
static const struct sc_cell *pick_fastest(const struct sc_group *group)
{
	const struct sc_cell *fastest = NULL;

	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *cell = group->members[i];

		if (sc_group_takes_part(group, cell) &&
		    sc_promise_in(cell->store, &cell->setting).corruption == SC_CORRUPTION_NO &&
		    (!fastest || cell->ops_per_s.median > fastest->ops_per_s.median))
			fastest = cell;
	}
	return fastest;
}

/* --- sentences */

static int say_speedup(struct sc_report_head *head, const char *subject,
		       const struct sc_cell *fastest, const struct sc_cell *base)
{
	char name[160], base_name[160], place[100], interval[100], times[SC_FORMAT_BYTES + 2];
	char promise[300] = "";
	struct sc_interval factor;
	size_t length;
	int r;

	r = sc_factor_between(fastest, base, &factor);
	if (r < 0 || factor.status != SC_MEASURED || !(factor.low > 1) || fastest->rate > 0)
		return r; /* on a schedule all are as fast as it */
	say_setting(head, fastest, name, sizeof(name));
	say_setting(head, base, base_name, sizeof(base_name));
	say_place(head, fastest, place, sizeof(place));
	say_interval(&factor, interval, sizeof(interval));
	(void)sc_format_count(factor.median, times, SC_FORMAT_BYTES);
	length = strlen(times);
	memcpy(times + length, "x", 2);
	if (!sc_cell_in_memory(head, fastest)) /* there it promises nothing */
		(void)snprintf(promise, sizeof(promise), "%s: %s", name,
			       sc_promise_in(fastest->store, &fastest->setting).sentence);
	return sc_findings_add(&head->findings, SC_FINDING_SPEEDUP, name, times, base_name, place,
			       subject, interval, promise);
}

/* "3", "3.1": what is whole is said whole. */
static void say_count(double value, char *text, size_t text_bytes)
{
	double tenths = (double)(long)(value * 10 + 0.5) / 10;

	(void)snprintf(text, text_bytes, tenths == (double)(long)tenths ? "%.0f" : "%.1f", tenths);
}

static void say_syncs(const struct sc_cell *cell, char *text, size_t text_bytes)
{
	const struct sc_syncs *syncs = &cell->syncs;
	double commits = (double)cell->ledger_commits;
	char all[16], files[16], directory[16];

	if (syncs->status != SC_MEASURED || syncs->physical_status != SC_MEASURED ||
	    cell->ledger_commits == 0 || syncs->physical < syncs->directory) {
		(void)snprintf(text, text_bytes, "waiting in syncs");
		return;
	}
	say_count((double)syncs->physical / commits, all, sizeof(all));
	say_count((double)(syncs->physical - syncs->directory) / commits, files, sizeof(files));
	say_count((double)syncs->directory / commits, directory, sizeof(directory));
	if (syncs->directory == 0)
		(void)snprintf(text, text_bytes, "waiting in %s sync%s", all,
			       strcmp(all, "1") == 0 ? "" : "s");
	else
		(void)snprintf(text, text_bytes,
			       "waiting in %s syncs: %s on files, %s on the directory, where a VFS "
			       "shim cannot see it",
			       all, files, directory);
}

static void say_bound(const struct sc_cell *cell, enum sc_bound_by by, char *text,
		      size_t text_bytes)
{
	static const char *const phrases[] = {
		[SC_BOUND_SQL_CPU] = "SQL on the CPU",
		[SC_BOUND_SYNC] = "",
		[SC_BOUND_WRITE] = "writing",
		[SC_BOUND_READ] = "reading",
		[SC_BOUND_LOCK] = "taking locks and waiting for them",
		[SC_BOUND_CHECKPOINT] = "its share of checkpoints",
		[SC_BOUND_MEMORY_FAULTS] = "waiting for memory faults",
		[SC_BOUND_RUN_DELAY] = "waiting for a CPU",
	};

	if (by == SC_BOUND_SYNC)
		say_syncs(cell, text, text_bytes);
	else
		(void)snprintf(text, text_bytes, "%s", phrases[by]);
}

/* The largest term other than waiting for a CPU: that is other programs', and has a finding of its
 * own. What of that waiting fell into the term is the term's: it would go with it. */
struct own_term {
	enum sc_bound_by by;
	double share;       /* of all wall time, with the waiting in it */
	double delay_share; /* that waiting alone */
};

static struct own_term largest_own(const struct sc_cell *cell)
{
	struct sc_terms terms = sc_split_terms(&cell->split, cell->major_faults);
	double all_ns = terms.outside_ns + terms.inside_ns;
	struct own_term own = {.by = SC_BOUND_SQL_CPU};

	for (int other = 0; other < SC_BOUND_COUNT_; other++) {
		if (other != SC_BOUND_RUN_DELAY && terms.ns[other] > terms.ns[own.by])
			own.by = (enum sc_bound_by)other;
	}
	if (all_ns > 0) {
		own.delay_share = terms.delay_ns[own.by] / all_ns;
		own.share = terms.ns[own.by] / all_ns + own.delay_share;
	}
	return own;
}

/* The cell that differs in nothing but that it never syncs. */
static const struct sc_cell *find_off_twin(const struct sc_group *group, const struct sc_cell *cell)
{
	struct sc_setting off = cell->setting;

	off.synchronous = SC_SYNCHRONOUS_OFF;
	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *other = group->members[i];

		if (other != cell && sc_group_takes_part(group, other) &&
		    other->wal_state == cell->wal_state &&
		    sc_setting_compare(&other->setting, &off) == 0)
			return other;
	}
	return NULL;
}

/* What was measured where the syncs were left out. Return: false where nothing was. */
static bool say_measured_off(const struct sc_report_head *head, const struct sc_group *group,
			     const struct sc_cell *cell, char *text, size_t text_bytes)
{
	const struct sc_cell *twin = find_off_twin(group, cell);
	char name[100], times[SC_FORMAT_BYTES], interval[100];
	struct sc_interval factor;

	if (!twin || sc_factor_between(twin, cell, &factor) < 0 || factor.status != SC_MEASURED)
		return false;
	say_setting(head, twin, name, sizeof(name));
	say_interval(&factor, interval, sizeof(interval));
	(void)snprintf(text, text_bytes,
		       "%s, which leaves the syncs out, was measured to be %sx as fast (%s)", name,
		       sc_format_count(factor.median, times, sizeof(times)), interval);
	return true;
}

/* Whether the split can be held against the rate at all; else findings of the cell say why. */
static bool is_split_of_rate(const struct sc_cell *cell)
{
	return cell->bound.status == SC_MEASURED && cell->split.status == SC_MEASURED &&
	       !sc_cell_has_waited(cell) &&
	       !(cell->instrument_cost > 0 && cell->instrument_cost < SC_INSTRUMENT_COST_MIN);
}

/* The table's share, which leaves out what is done between calls of SQLite, where it is another. */
static void say_inside(const struct sc_cell *cell, const struct own_term *own, char *text,
		       size_t text_bytes)
{
	char whole[SC_FORMAT_BYTES], inside[SC_FORMAT_BYTES];
	size_t used = strlen(text);

	(void)sc_format_percent(own->share, whole, sizeof(whole));
	(void)sc_format_percent(cell->bound.share, inside, sizeof(inside));
	if (own->by == cell->bound.by && strcmp(whole, inside) != 0)
		(void)snprintf(text + used, text_bytes - used, " (%s of the time in SQLite)",
			       inside);
}

static int say_where(struct sc_report_head *head, const char *subject, const struct sc_group *group,
		     const struct sc_cell *cell)
{
	char name[160], place[100], what[320], percent[SC_FORMAT_BYTES], next[300];
	char times[SC_FORMAT_BYTES];
	struct own_term own;

	if (!is_split_of_rate(cell))
		return 0;
	own = largest_own(cell);
	if (!(own.share > 0) || !(own.share < 1))
		return 0;
	say_setting(head, cell, name, sizeof(name));
	say_place(head, cell, place, sizeof(place));
	say_bound(cell, own.by, what, sizeof(what));
	if (own.delay_share >= DELAY_NAMED)
		(void)snprintf(what + strlen(what), sizeof(what) - strlen(what),
			       " (%s of the commit for a CPU in it)",
			       sc_format_percent(own.delay_share, percent, sizeof(percent)));
	say_inside(cell, &own, what, sizeof(what));
	if ((own.by == SC_BOUND_LOCK && cell->clients > 1) || cell->rate > 0)
		next[0] = '\0'; /* the others' work does not go away; a schedule stays as it is */
	else if (own.by == SC_BOUND_SYNC && say_measured_off(head, group, cell, next, sizeof(next)))
		; /* what was measured needs no estimate */
	else if (own.share > ALL_BUT)
		(void)snprintf(next, sizeof(next), "next to nothing else is in it");
	else
		(void)snprintf(next, sizeof(next),
			       "if that alone cost nothing and all else as much as now, the rate "
			       "would be %sx as high",
			       sc_format_count(1 / (1 - own.share), times, sizeof(times)));
	return sc_findings_add(&head->findings, SC_FINDING_WHERE_COMMIT_GOES,
			       sc_format_percent(own.share, percent, sizeof(percent)), name, place,
			       subject, what, next);
}

int sc_judge_speed(struct sc_report_head *head, const struct sc_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++) {
		const struct sc_group *group = &groups->items[i];
		const struct sc_cell *base, *fastest;
		char subject[SC_GROUP_NAME_BYTES];
		int r = 0;

		if (!sc_group_commits(group))
			continue;
		base = pick_baseline(group);
		fastest = pick_fastest(group);
		(void)sc_groups_name(groups, group, subject);
		if (base && fastest && base != fastest)
			r = say_speedup(head, subject, fastest, base);
		if (r == 0 && base)
			r = say_where(head, subject, group, base);
		if (r < 0)
			return r;
	}
	return 0;
}

/* --- syncs that no VFS sees */

/* Syncs of all cells with one setting of what decides on them. */
struct hidden {
	const struct sc_cell *cell; /* the first of them */
	uint64_t commits, directory, physical;
};

static bool has_syncs(const struct sc_cell *cell)
{
	return !cell->same_as && cell->setting.journal_mode != SC_JOURNAL_WAL &&
	       cell->syncs.vfs_status == SC_MEASURED && cell->syncs.status == SC_MEASURED &&
	       cell->syncs.physical_status == SC_MEASURED && cell->ledger_commits > 0;
}

static bool syncs_alike(const struct sc_setting *a, const struct sc_setting *b)
{
	return a->journal_mode == b->journal_mode && a->synchronous == b->synchronous &&
	       a->locking_mode == b->locking_mode;
}

/* The sums over cells from @first on; nothing where an earlier cell has spoken for its setting. */
static struct hidden add_hidden(const struct sc_cell *cells, size_t cell_count, size_t first)
{
	struct hidden sums = {.cell = &cells[first]};

	for (size_t i = 0; i < cell_count; i++) {
		if (!has_syncs(&cells[i]) || !syncs_alike(&cells[i].setting, &cells[first].setting))
			continue;
		if (i < first)
			return (struct hidden){.cell = NULL};
		sums.commits += cells[i].ledger_commits;
		sums.directory += cells[i].syncs.directory;
		sums.physical += cells[i].syncs.physical;
	}
	return sums;
}

static void say_hidden(const struct sc_report_head *head, const struct hidden *sums, bool is_first,
		       struct sc_buffer *list)
{
	char directory[16], all[16], name[160];
	struct sc_setting brief = head->base;

	brief.journal_mode = sums->cell->setting.journal_mode;
	brief.synchronous = sums->cell->setting.synchronous;
	brief.locking_mode = sums->cell->setting.locking_mode;
	say_label(sums->cell->store, &brief, &head->base, name, sizeof(name));
	say_count((double)sums->directory / (double)sums->commits, directory, sizeof(directory));
	say_count((double)sums->physical / (double)sums->commits, all, sizeof(all));
	sc_buffer_printf(list, "%s%s of %s%s of a %s commit", is_first ? "" : ", ", directory, all,
			 is_first ? " syncs" : "", name);
}

int sc_judge_hidden_syncs(struct sc_report_head *head, const struct sc_cell *cells,
			  size_t cell_count)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer list = {0};
	SC_CLEANUP(sc_freep) char *text = NULL;
	bool is_one = true;
	size_t count = 0;
	struct sc_error error;

	for (size_t i = 0; i < cell_count; i++) {
		struct hidden sums;

		if (!has_syncs(&cells[i]) || cells[i].syncs.directory == 0)
			continue;
		sums = add_hidden(cells, cell_count, i);
		/* A journal that is kept has its directory synced once, when it is made. */
		if (!sums.cell || (double)sums.directory < 0.05 * (double)sums.commits)
			continue;
		is_one = count == 0 && sums.directory <= sums.commits;
		say_hidden(head, &sums, count == 0, &list);
		count++;
	}
	if (count == 0)
		return 0;
	if (sc_buffer_take(&list, &text, &error) < 0)
		return -ENOMEM;
	return sc_findings_add(&head->findings, SC_FINDING_HIDDEN_SYNCS, text,
			       is_one ? "is" : "are", is_one ? "it" : "them");
}
