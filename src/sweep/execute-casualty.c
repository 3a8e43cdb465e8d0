/* SPDX-License-Identifier: MIT */

/*
 * Cost of the check: two to the number of clients that failed, times the workload's checks; so
 * beyond a few it is not made.
 */

#include "execute-casualty.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#define UNCERTAIN_MAX 6u

/* What one commit adds that may or may not be there. */
struct extra {
	struct sc_tally tally;
	int64_t *sums;
};

struct extras {
	struct extra of[UNCERTAIN_MAX];
	size_t count;
};

static void extras_fini(struct extras *extras)
{
	for (size_t i = 0; i < extras->count; i++)
		free(extras->of[i].sums);
	extras->count = 0;
}

static int count_block(struct sc_program *program, uint64_t first, uint64_t count,
		       struct sc_tally *tally, int64_t *sums, struct sc_error *error)
{
	SC_CLEANUP(sc_block_freep) struct sc_block *block = NULL;
	int r;

	if (count == 0)
		return 0;
	r = sc_block_new(program, first, count, &block, error);
	if (r == 0)
		sc_block_count(block, count, tally, sums);
	return r;
}

int sc_clients_count_values(const struct sc_timed_part *part, struct sc_program *program,
			    struct sc_tally *tally, int64_t *sums, struct sc_error *error)
{
	int r = 0;

	for (uint32_t i = 0; i < part->count && r == 0; i++)
		r = count_block(program, part->ends[i].first, part->ends[i].operations, tally, sums,
				error);
	return r;
}

/* What clients that failed have acknowledged; sc_clients_run() left it out. */
static void add_acknowledged(const struct sc_timed_part *part, uint64_t rows_per_commit,
			     struct sc_tally *tally)
{
	for (uint32_t i = 0; i < part->count; i++) {
		const struct sc_client_end *end = &part->ends[i];

		if (!end->has_failed)
			continue;
		tally->operations += end->operations;
		if (end->uncertain > 0)
			tally->commits += (end->operations + rows_per_commit - 1) / rows_per_commit;
	}
}

static int make_extras(const struct sc_timed_part *part, struct sc_program *program,
		       size_t sum_count, struct extras *extras, struct sc_error *error)
{
	for (uint32_t i = 0; i < part->count; i++) {
		const struct sc_client_end *end = &part->ends[i];
		struct extra *extra = &extras->of[extras->count];
		int r;

		if (end->uncertain == 0)
			continue;
		extra->tally = (struct sc_tally){.operations = end->uncertain, .commits = 1};
		extra->sums = calloc(sum_count + 1, sizeof(*extra->sums));
		if (!extra->sums)
			return sc_fail(error, -ENOMEM, "what clients may have committed");
		extras->count++;
		r = count_block(program, end->first + end->operations, end->uncertain,
				&extra->tally, extra->sums, error);
		if (r < 0)
			return r;
	}
	return 0;
}

static int64_t add_wrapping(int64_t a, int64_t b)
{
	return (int64_t)((uint64_t)a + (uint64_t)b);
}

/* Adds those of @extras whose bit is set, or takes them away again. */
static void move(struct sc_expected *expected, const struct extras *extras, uint32_t mask, bool add)
{
	size_t sum_count = expected->workload->parameter_count;

	for (size_t i = 0; i < extras->count; i++) {
		const struct extra *extra = &extras->of[i];

		if (!(mask >> i & 1u))
			continue;
		expected->tally.operations +=
			add ? extra->tally.operations : -extra->tally.operations;
		expected->tally.commits += add ? 1 : (uint64_t)-1;
		for (size_t j = 0; j < sum_count; j++)
			expected->sums[j] = add_wrapping(expected->sums[j],
							 add ? extra->sums[j]
							     : add_wrapping(0, -extra->sums[j]));
	}
}

static int try_all(sqlite3 *db, struct sc_expected *expected, const struct extras *extras,
		   struct sc_error *error)
{
	int64_t result_rows = expected->workload->result_rows_per_op;
	struct sc_error other = {0};
	int r = 0;

	for (uint32_t mask = 0; mask < 1u << extras->count; mask++) {
		move(expected, extras, mask, true);
		/* Of result rows, those of clients that failed are not known, and not looked at. */
		if (result_rows >= 0)
			expected->tally.result_rows =
				expected->tally.operations * (uint64_t)result_rows;
		r = sc_verify_checks(db, expected, mask == 0 ? error : &other);
		if (r == 0)
			return 0;
		move(expected, extras, mask, false);
	}
	return r;
}

static size_t count_uncertain(const struct sc_timed_part *part)
{
	size_t count = 0;

	for (uint32_t i = 0; i < part->count; i++)
		count += part->ends[i].uncertain > 0;
	return count;
}

int sc_casualties_check(const struct sc_timed_part *part, struct sc_program *program, sqlite3 *db,
			struct sc_expected *expected, const char **ret_reason,
			struct sc_error *error)
{
	const struct sc_workload *workload = expected->workload;
	SC_CLEANUP(extras_fini) struct extras extras = {0};
	int r;

	*ret_reason = NULL;
	if (count_uncertain(part) > UNCERTAIN_MAX)
		*ret_reason = "too many clients failed";
	else if (part->beside_count > 0)
		*ret_reason = "clients of other workloads ran beside";
	else if (workload->check_count == 0)
		*ret_reason = "the workload has no checks";
	else if (sc_verify_uses(workload, "result_rows") || sc_verify_uses(workload, "result_sum"))
		*ret_reason = "its checks ask what the client has read";
	if (*ret_reason)
		return 1;
	add_acknowledged(part, sc_program_rows_per_commit(program), &expected->tally);
	r = sc_clients_count_values(part, program, &expected->tally, expected->sums, error);
	if (r == 0)
		r = make_extras(part, program, workload->parameter_count, &extras, error);
	return r < 0 ? r : try_all(db, expected, &extras, error);
}

static void describe_others(const struct sc_timed_part *part, char *text, size_t text_bytes)
{
	uint32_t others = part->count - part->failed;

	if (part->failed > 1)
		(void)snprintf(text, text_bytes,
			       "%" PRIu32 " more failed, %" PRIu32 " finished with %" PRIu64
			       " operations",
			       part->failed - 1, others, part->tally.operations);
	else
		(void)snprintf(text, text_bytes,
			       "%" PRIu32 " other%s finished with %" PRIu64 " operations", others,
			       others == 1 ? "" : "s", part->tally.operations);
}

int sc_casualties_fail(const struct sc_timed_part *part, const struct sc_error *first,
		       const char *lost, const char *unknown, struct sc_error *error)
{
	char others[120];

	describe_others(part, others, sizeof(others));
	if (lost)
		return sc_fail(error, first->code, "%s; %s; acknowledged ones were lost: %s",
			       first->what, others, lost);
	if (unknown)
		return sc_fail(error, first->code,
			       "%s; %s; whether acknowledged ones were lost is not known: %s",
			       first->what, others, unknown);
	return sc_fail(error, first->code, "%s; %s; nothing acknowledged was lost", first->what,
		       others);
}
