/* SPDX-License-Identifier: MIT */

/*
 * Clients beside a workload's own are told by the name of another workload of the suite, so that
 * statements, parameters and transactions are said once, and each can be measured alone, too.
 */

#include "clients.h"

#include <string.h>

#include "suite.h"

#define MS_MAX             3600000
#define BESIDE_CLIENTS_MAX 64

#define BUSY(field)   offsetof(struct sc_busy, field)
#define BESIDE(field) offsetof(struct sc_beside, field)

const char *const sc_latency_of_names[] = {"operation", "transaction", NULL};

/* clang-format off */
static const struct sc_key busy_keys[] = {
	{"pause_ms", SC_KEY_U64, .offset = BUSY(pause_ms), .min = 1, .max = 10000},
	{"limit_ms", SC_KEY_U64, .offset = BUSY(limit_ms), .min = 1, .max = MS_MAX},
	{"replay", SC_KEY_BOOL, .offset = BUSY(replays)},
};

enum { BESIDE_WORKLOAD, BESIDE_CLIENTS, BESIDE_HOLD };
static const struct sc_key beside_keys[] = {
	[BESIDE_WORKLOAD] = {"workload", SC_KEY_NAME, .offset = BESIDE(workload), .required = true},
	[BESIDE_CLIENTS] = {"clients", SC_KEY_U32, .offset = BESIDE(clients), .min = 1, .max = BESIDE_CLIENTS_MAX},
	[BESIDE_HOLD] = {"hold_until", SC_KEY_REAL, .offset = BESIDE(hold_until), .min = 0, .max = 1},
};
/* clang-format on */

const struct sc_key *sc_suite_busy_keys(size_t *ret_count)
{
	*ret_count = SC_ARRAY_COUNT(busy_keys);
	return busy_keys;
}

const struct sc_key *sc_suite_beside_keys(size_t *ret_count)
{
	*ret_count = SC_ARRAY_COUNT(beside_keys);
	return beside_keys;
}

int sc_busy_read(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_workload *workload = object;

	workload->busy = (struct sc_busy){
		.is_given = true,
		.pause_ms = 1,
		.limit_ms = 30000,
		.replays = true,
	};
	return sc_keys_read(reader, item, busy_keys, SC_ARRAY_COUNT(busy_keys), &workload->busy,
			    NULL);
}

static int read_one(struct sc_key_reader *reader, const cJSON *item, struct sc_beside *beside)
{
	uint64_t seen = 0;
	int r;

	beside->clients = 1;
	r = sc_keys_read(reader, item, beside_keys, SC_ARRAY_COUNT(beside_keys), beside, &seen);
	if (r < 0 || !(seen >> BESIDE_HOLD & 1u) || beside->hold_until > 0)
		return r;
	(void)sc_key_enter(reader, "hold_until");
	return sc_key_fail(reader, "must be above 0");
}

int sc_beside_read(struct sc_key_reader *reader, const cJSON *item, void *object)
{
	struct sc_workload *workload = object;
	const cJSON *entry;
	size_t count = 0;
	int r;

	r = sc_key_array(reader, item, 1, SC_BESIDE_MAX, &count);
	if (r < 0)
		return r;
	cJSON_ArrayForEach(entry, item)
	{
		size_t length = sc_key_enter_index(reader, workload->beside_count);

		workload->beside_count++;
		r = read_one(reader, entry, &workload->beside[workload->beside_count - 1]);
		if (r < 0)
			return r;
		sc_key_leave(reader, length);
	}
	return 0;
}

static int check_one(struct sc_key_reader *reader, const struct sc_suite *suite,
		     const struct sc_workload *workload, const struct sc_beside *beside)
{
	const struct sc_workload *other = sc_suite_workload(suite, beside->workload);
	size_t length = sc_key_enter(reader, "workload");

	if (!other)
		return sc_key_fail(reader, "must be a workload of the suite, is \"%s\"",
				   beside->workload);
	if (other == workload)
		return sc_key_fail(reader, "must be another workload: --clients says how many run "
					   "this one");
	if (other->reopens)
		return sc_key_fail(reader, "must be a workload that keeps its connection");
	if (other->beside_count > 0)
		return sc_key_fail(reader, "must be a workload that runs alone");
	if (other->consumes_rows > 0 || other->starts_empty || other->distinct_ops > 0)
		return sc_key_fail(reader, "must be a workload without consumes_rows, starts_empty "
					   "and distinct_ops: rows and values are this one's");
	if (other->commits_rows)
		return sc_key_fail(reader, "must be a workload whose rows_per_commit is a number");
	if (beside->hold_until > 0 && other->writes)
		return sc_key_fail(reader, "must only read: a snapshot is held by a reader");
	if (beside->hold_until > 0 && other->statement_count > 1)
		return sc_key_fail(reader, "must have one statement to hold a snapshot");
	sc_key_leave(reader, length);
	if (beside->hold_until > 0 && !workload->writes) {
		(void)sc_key_enter(reader, "hold_until");
		return sc_key_fail(reader, "is for workloads that write");
	}
	return 0;
}

int sc_beside_check(struct sc_key_reader *reader, const struct sc_suite *suite,
		    const struct sc_workload *workload)
{
	size_t start = sc_key_enter(reader, "beside");

	if (suite->in_memory && workload->beside_count > 0)
		return sc_key_fail(reader, "is for databases in files: one in memory has one "
					   "connection");
	for (size_t i = 0; i < workload->beside_count; i++) {
		size_t length = sc_key_enter_index(reader, i);
		int r = check_one(reader, suite, workload, &workload->beside[i]);

		if (r < 0)
			return r;
		for (size_t j = 0; j < i; j++) {
			if (strcmp(workload->beside[j].workload, workload->beside[i].workload) ==
			    0) {
				(void)sc_key_enter(reader, "workload");
				return sc_key_fail(reader, "is in an earlier entry");
			}
			if (workload->beside[i].hold_until > 0 &&
			    workload->beside[j].hold_until > 0) {
				(void)sc_key_enter(reader, "hold_until");
				return sc_key_fail(reader, "is in an earlier entry, and for one");
			}
		}
		sc_key_leave(reader, length);
	}
	sc_key_leave(reader, start);
	return 0;
}

void sc_beside_fini(struct sc_workload *workload)
{
	for (size_t i = 0; i < workload->beside_count; i++)
		free(workload->beside[i].workload);
}

uint32_t sc_workload_beside_clients(const struct sc_workload *workload)
{
	uint32_t count = 0;

	for (size_t i = 0; i < workload->beside_count; i++)
		count += workload->beside[i].clients;
	return count;
}

bool sc_workload_holds(const struct sc_workload *workload, double *until)
{
	*until = 0;
	for (size_t i = 0; i < workload->beside_count; i++)
		if (workload->beside[i].hold_until > *until)
			*until = workload->beside[i].hold_until;
	return *until > 0;
}

const char *sc_beside_figure(const struct sc_workload *workload, const char *name,
			     size_t *ret_index)
{
	const char *figure = NULL;
	size_t longest = 0;

	/* One name may be the beginning of another: the longest is meant. */
	for (size_t i = 0; i < workload->beside_count; i++) {
		size_t length = strlen(workload->beside[i].workload);

		if (length <= longest || strncmp(name, workload->beside[i].workload, length) != 0 ||
		    name[length] != '_')
			continue;
		longest = length;
		figure = name + length + 1;
		*ret_index = i;
	}
	return figure;
}
