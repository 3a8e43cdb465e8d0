/* SPDX-License-Identifier: MIT */

#include "find-company.h"

#include <inttypes.h>

#include "format.h"

#define RATE_REACHED 0.95 /* of the rate that was asked for: below it a queue has grown */

static const char *count_of(uint64_t count, char *text)
{
	(void)snprintf(text, SC_FORMAT_BYTES, "%" PRIu64, count);
	return text;
}

static int find_paid(struct sc_cell *cell)
{
	const struct sc_hold *hold = &cell->company.hold;
	uint64_t typical_ns = cell->commit_ns.status == SC_MEASURED ? cell->commit_ns.p50_ns : 0;
	char texts[12][SC_FORMAT_BYTES];
	const char *rest = "";
	int r;

	if (hold->holders == 0 || hold->frames == 0)
		return 0;
	if (typical_ns == 0)
		typical_ns = hold->typical_ns; /* of that sample alone, a ledger's */
	if (hold->ns > 2 * hold->checkpoint_ns && hold->ns - hold->checkpoint_ns > 2 * typical_ns)
		rest = cell->clients > 1 ? "; the rest was mostly waiting, for the lock that "
					   "the other clients took in turn"
					 : "; the rest was not the checkpoint's";
	r = sc_findings_add(
		&cell->findings, SC_FINDING_CHECKPOINT_PAID, cell->id,
		count_of(hold->commits_held, texts[0]), count_of(hold->pages_first, texts[1]),
		count_of(hold->pages_released, texts[2]),
		sc_format_size((double)(hold->pages_released * hold->page_size), texts[3],
			       sizeof(texts[3])),
		count_of(hold->commit, texts[4]), count_of(hold->client, texts[5]),
		count_of(hold->after, texts[6]),
		sc_format_ns((double)hold->ns, texts[7], sizeof(texts[7])),
		sc_format_ns((double)typical_ns, texts[8], sizeof(texts[8])),
		count_of(hold->frames, texts[9]),
		sc_format_ns((double)hold->checkpoint_ns, texts[10], sizeof(texts[10])),
		sc_format_percent(hold->ns > 0 ? (double)hold->checkpoint_ns / (double)hold->ns : 0,
				  texts[11], sizeof(texts[11])),
		rest);
	if (r == 0)
		sc_findings_weigh(&cell->findings, (double)hold->ns);
	return r;
}

static int find_part(struct sc_cell *cell, const struct sc_company_part *part)
{
	char rate[SC_FORMAT_BYTES], p50[SC_FORMAT_BYTES], p99[SC_FORMAT_BYTES];
	char retries[SC_FORMAT_BYTES];

	if (part->wall_ns == 0 || part->op_ns.n == 0)
		return 0;
	return sc_findings_add(
		&cell->findings, SC_FINDING_BESIDE, cell->id, part->clients,
		part->clients == 1 ? "" : "s", part->workload,
		sc_format_rate((double)part->operations * 1e9 / (double)part->wall_ns, rate,
			       sizeof(rate)),
		sc_format_ns((double)part->op_ns.p50_ns, p50, sizeof(p50)),
		sc_format_ns((double)part->op_ns.p99_ns, p99, sizeof(p99)),
		count_of(part->busy_retries, retries));
}

static int find_rate(struct sc_cell *cell)
{
	char due[SC_FORMAT_BYTES], done[SC_FORMAT_BYTES];

	if (cell->rate == 0 || cell->ops_per_s.status != SC_MEASURED ||
	    cell->ops_per_s.median >= RATE_REACHED * (double)cell->rate)
		return 0;
	return sc_findings_add(&cell->findings, SC_FINDING_RATE_NOT_REACHED, cell->id,
			       sc_format_rate((double)cell->rate, due, sizeof(due)),
			       sc_format_rate(cell->ops_per_s.median, done, sizeof(done)));
}

int sc_find_company(struct sc_cell *cell)
{
	int r = find_rate(cell);

	if (r == 0)
		r = find_paid(cell);
	for (size_t i = 0; r == 0 && i < cell->company.part_count; i++)
		r = find_part(cell, &cell->company.parts[i]);
	return r;
}
