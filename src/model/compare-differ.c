/* SPDX-License-Identifier: MIT */
#include "compare-differ.h"

/*
 * What stands in the way of a comparison, or should be known beside it. Each key is kept once for
 * each report, with the first cell that has it and how many do: a report of 10,000 cells with other
 * rows has one difference.
 */

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "compare-key.h"
#include "format.h"

#define NAMED_MISSING_MAX 20u /* missing cells for which the nearest one is looked for */
#define SYNC_FLOOR_MOVED  1.3 /* a ratio worth a note */
#define REFERENCE_NOTED   0.1 /* of the shorter time */
#define WAITING_NOTED     0.1 /* of the time, the same */

struct found { /* where, and what stands in either report */
	const char *key;
	size_t other;
	const char *cell; /* NULL: the whole report */
	struct sc_key_text base, there;
	bool refused, missing;
};

static struct sc_difference *find_difference(struct sc_comparison *comparison,
					     const struct found *found)
{
	for (size_t i = 0; i < comparison->difference_count; i++) {
		struct sc_difference *difference = &comparison->differences[i];

		if (difference->digest == found->other && strcmp(difference->key, found->key) == 0)
			return difference;
	}
	return NULL;
}

static int add_difference(struct sc_comparison *comparison, const struct found *found)
{
	struct sc_difference *difference = find_difference(comparison, found);

	if (!difference) {
		difference = reallocarray(comparison->differences, comparison->difference_count + 1,
					  sizeof(*difference));
		if (!difference)
			return -ENOMEM;
		comparison->differences = difference;
		difference += comparison->difference_count++;
		*difference = (struct sc_difference){
			.digest = found->other,
			.cell = found->cell,
			.missing = found->missing,
			.refused = found->refused && comparison->rules->is_gate &&
				   !comparison->rules->common &&
				   !sc_match_is_ignored(comparison->rules, found->key),
		};
		(void)snprintf(difference->key, sizeof(difference->key), "%s", found->key);
		(void)snprintf(difference->base, sizeof(difference->base), "%s", found->base.text);
		(void)snprintf(difference->other, sizeof(difference->other), "%s",
			       found->there.text);
	}
	difference->cell_count += found->cell != NULL;
	return 0;
}

static struct sc_key_text plain_text(const char *text)
{
	struct sc_key_text key;

	(void)snprintf(key.text, sizeof(key.text), "%s", text);
	return key;
}

static bool is_refused(const struct sc_compare_rules *rules, enum sc_key_weight weight)
{
	if (weight == SC_KEY_PLATFORM)
		return !rules->counts_only && !sc_match_is_ignored(rules, SC_KEY_PLATFORM_NAME);
	return weight == SC_KEY_REFUSED;
}

int sc_differ_heads(struct sc_comparison *comparison, size_t other)
{
	const struct sc_report_head *base = comparison->digests[0].head;
	const struct sc_report_head *there = comparison->digests[other].head;
	int r = 0;

	for (size_t i = 0; r == 0 && i < sc_head_key_count; i++) {
		const struct sc_head_key *key = &sc_head_keys[i];
		struct found found = {
			.key = key->name,
			.other = other,
			.base = key->text(base),
			.there = key->text(there),
			.refused = is_refused(comparison->rules, key->weight),
		};

		if (strcmp(found.base.text, found.there.text) != 0)
			r = add_difference(comparison, &found);
	}
	if (r == 0 && (!base->complete || !there->complete))
		r = add_difference(
			comparison,
			&(struct found){
				.key = SC_KEY_COMPLETE,
				.other = other,
				.base = plain_text(base->complete ? "complete" : "interrupted"),
				.there = plain_text(there->complete ? "complete" : "interrupted"),
				.refused = true,
			});
	return r;
}

static const struct sc_target *target_of(const struct sc_comparison *comparison, size_t other,
					 const struct sc_target *target)
{
	const struct sc_report_head *base = comparison->digests[0].head;
	const struct sc_report_head *there = comparison->digests[other].head;

	if (base->target_count == 1 && there->target_count == 1)
		return &there->targets[0];
	for (size_t i = 0; i < there->target_count; i++) {
		const char *label = there->targets[i].label;

		if (label && target->label && strcmp(label, target->label) == 0)
			return &there->targets[i];
	}
	return NULL;
}

/* Storage that has become slower by itself explains a latency; worth a note, no more. */
static int compare_floors(struct sc_comparison *comparison, size_t other,
			  const struct sc_target *base, const struct sc_target *there)
{
	struct found found = {.key = SC_KEY_SYNC_FLOOR, .other = other};
	double ratio;

	if (base->sync_floor_status != SC_MEASURED || there->sync_floor_status != SC_MEASURED ||
	    base->sync_floor_ns_p50 == 0)
		return 0;
	ratio = (double)there->sync_floor_ns_p50 / (double)base->sync_floor_ns_p50;
	if (ratio <= SYNC_FLOOR_MOVED && ratio >= 1 / SYNC_FLOOR_MOVED)
		return 0;
	(void)sc_format_ns((double)base->sync_floor_ns_p50, found.base.text,
			   sizeof(found.base.text));
	(void)sc_format_ns((double)there->sync_floor_ns_p50, found.there.text,
			   sizeof(found.there.text));
	return add_difference(comparison, &found);
}

int sc_differ_targets(struct sc_comparison *comparison, size_t other)
{
	const struct sc_report_head *head = comparison->digests[0].head;
	int r = 0;

	for (size_t t = 0; r == 0 && t < head->target_count; t++) {
		const struct sc_target *base = &head->targets[t];
		const struct sc_target *there = target_of(comparison, other, base);

		for (size_t i = 0; there && r == 0 && i < sc_target_key_count; i++) {
			const struct sc_target_key *key = &sc_target_keys[i];
			struct found found = {
				.key = key->name,
				.other = other,
				.base = key->text(base),
				.there = key->text(there),
				.refused = is_refused(comparison->rules, key->weight),
			};

			if (strcmp(found.base.text, found.there.text) != 0)
				r = add_difference(comparison, &found);
		}
		if (there && r == 0)
			r = compare_floors(comparison, other, base, there);
	}
	return r;
}

/* A cell that the other report lacks: by the key in which the nearest one differs. */
int sc_differ_missing(struct sc_comparison *comparison, size_t cell, size_t other,
		      const struct sc_match_terms *terms, const bool *taken)
{
	const struct sc_digest_cell *base = &comparison->digests[0].cells[cell];
	const struct sc_digest *there = &comparison->digests[other];
	struct found found = {
		.key = SC_KEY_CELLS,
		.other = other,
		.cell = base->id,
		.base = plain_text("measured"),
		.there = plain_text("not in it"),
		.refused = !sc_match_is_ignored(comparison->rules, SC_KEY_CELLS),
		.missing = true,
	};
	size_t nearest = 0, key = SC_MATCH_NONE;

	if (comparison->tallies[other - 1].missing <= NAMED_MISSING_MAX)
		key = sc_match_nearest_key(base, there, terms, taken, &nearest);
	if (key != SC_MATCH_NONE) {
		found.key = sc_key_identity_name(key);
		found.base = sc_key_identity_text(base, key);
		found.there = sc_key_identity_text(&there->cells[nearest], key);
	}
	return add_difference(comparison, &found);
}

int sc_differ_status(struct sc_comparison *comparison, size_t other,
		     const struct sc_digest_cell *base, const struct sc_digest_cell *there)
{
	struct found found = {
		.key = SC_KEY_STATUS,
		.other = other,
		.cell = base->id,
		.refused = true,
	};

	if (base->status == there->status && base->status != SC_FAILED)
		return 0; /* neither could be measured, for a reason of its own */
	(void)snprintf(found.base.text, sizeof(found.base.text), "%s%s%s",
		       sc_status_name(base->status), base->reason ? ": " : "",
		       base->reason ? base->reason : "");
	(void)snprintf(found.there.text, sizeof(found.there.text), "%s%s%s",
		       sc_status_name(there->status), there->reason ? ": " : "",
		       there->reason ? there->reason : "");
	return add_difference(comparison, &found);
}

static void say_samples(uint32_t samples, struct sc_key_text *ret_text)
{
	if (samples >= SC_COMPARE_SAMPLES_MIN)
		(void)snprintf(ret_text->text, sizeof(ret_text->text), "%" PRIu32, samples);
	else
		(void)snprintf(ret_text->text, sizeof(ret_text->text),
			       "%" PRIu32 " where a gate needs %u", samples,
			       SC_COMPARE_SAMPLES_MIN);
}

static int compare_samples(struct sc_comparison *comparison, size_t other,
			   const struct sc_digest_cell *base, const struct sc_digest_cell *there)
{
	struct found found = {
		.key = SC_KEY_SAMPLES,
		.other = other,
		.cell = base->id,
		.refused = true,
	};

	if (comparison->rules->counts_only || (base->timing_samples >= SC_COMPARE_SAMPLES_MIN &&
					       there->timing_samples >= SC_COMPARE_SAMPLES_MIN))
		return 0;
	say_samples(base->timing_samples, &found.base);
	say_samples(there->timing_samples, &found.there);
	return add_difference(comparison, &found);
}

static void say_waiting(const struct sc_digest *digest, const struct sc_digest_cell *cell,
			struct sc_key_text *ret_text)
{
	char percent[SC_FORMAT_BYTES];

	(void)snprintf(ret_text->text, sizeof(ret_text->text), "%s of the time for a CPU%s",
		       sc_format_percent(cell->waiting, percent, sizeof(percent)),
		       sc_digest_is_starved(digest, cell) ? ": too much to judge latency" : "");
}

/* A machine that had other things to do; what that explains is allowed for. */
static int compare_waiting(struct sc_comparison *comparison, size_t other,
			   const struct sc_digest_cell *base, const struct sc_digest_cell *there)
{
	struct found found = {.key = SC_KEY_WAITING, .other = other, .cell = base->id};

	if (comparison->rules->counts_only ||
	    (base->waiting < WAITING_NOTED && there->waiting < WAITING_NOTED))
		return 0;
	say_waiting(&comparison->digests[0], base, &found.base);
	say_waiting(&comparison->digests[other], there, &found.there);
	return add_difference(comparison, &found);
}

static struct sc_key_text say_reference(const struct sc_digest_cell *cell)
{
	char time[SC_FORMAT_BYTES];
	struct sc_key_text said;

	(void)snprintf(said.text, sizeof(said.text), "%s for the reference work",
		       sc_format_ns(cell->reference_ns, time, sizeof(time)));
	return said;
}

/* The machine itself was faster or slower, which is allowed for as well. */
static int compare_reference(struct sc_comparison *comparison, size_t other,
			     const struct sc_digest_cell *base, const struct sc_digest_cell *there)
{
	double a = base->reference_ns, b = there->reference_ns;

	if (comparison->rules->counts_only || !(a > 0) || !(b > 0) ||
	    fabs(a - b) <= REFERENCE_NOTED * fmin(a, b))
		return 0;
	return add_difference(comparison, &(struct found){
						  .key = SC_KEY_REFERENCE,
						  .other = other,
						  .cell = base->id,
						  .base = say_reference(base),
						  .there = say_reference(there),
					  });
}

/* Steps and pages asked for, which reports did not always keep. */
static bool may_lack(const struct sc_compare_metric *row, enum sc_status a, enum sc_status b)
{
	return row->metric.group == SC_GROUP_WORK && (a == SC_SKIPPED || b == SC_SKIPPED);
}

/* A count that one report has and the other lacks cannot be guarded. */
static int compare_counts(struct sc_comparison *comparison, size_t other,
			  const struct sc_digest_cell *base, const struct sc_digest_cell *there)
{
	for (size_t i = 0; i < SC_COMPARE_METRICS; i++) {
		struct sc_compare_metric row = sc_compare_metric(i);
		enum sc_status a = base->figures[i].status, b = there->figures[i].status;
		struct found found = {
			.key = SC_KEY_COUNTS,
			.other = other,
			.cell = base->id,
			.refused = true,
		};

		if (row.kind != SC_COMPARE_COUNT || (a == SC_MEASURED) == (b == SC_MEASURED) ||
		    may_lack(&row, a, b))
			continue;
		(void)snprintf(found.base.text, sizeof(found.base.text), "%s: %s", row.metric.key,
			       sc_status_name(a));
		found.there = plain_text(sc_status_name(b));
		return add_difference(comparison, &found);
	}
	return 0;
}

int sc_differ_cells(struct sc_comparison *comparison, size_t other,
		    const struct sc_digest_cell *base, const struct sc_digest_cell *there)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < sc_cell_key_count; i++) {
		struct found found = {
			.key = sc_cell_keys[i].name,
			.other = other,
			.cell = base->id,
			.base = sc_cell_keys[i].text(base),
			.there = sc_cell_keys[i].text(there),
			.refused = true,
		};

		if (strcmp(found.base.text, found.there.text) != 0)
			r = add_difference(comparison, &found);
	}
	if (r == 0)
		r = compare_samples(comparison, other, base, there);
	if (r == 0)
		r = compare_waiting(comparison, other, base, there);
	if (r == 0)
		r = compare_reference(comparison, other, base, there);
	if (r == 0)
		r = compare_counts(comparison, other, base, there);
	return r;
}
