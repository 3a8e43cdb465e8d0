/* SPDX-License-Identifier: MIT */
#include "probe.h"

#include <assert.h>
#include <string.h>

#include "judge.h"

const double sc_probe_quantiles[SC_PROBE_QUANTILES] = {
	0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1.0,
};

/* clang-format off */
static const char *const group_names[] = {
	[SC_PROBE_METHODS] = "methods",
	[SC_PROBE_FILES] = "files",
	[SC_PROBE_PAGES] = "pages",
	[SC_PROBE_WRITERS] = "writers",
	[SC_PROBE_PACED] = "paced",
	[SC_PROBE_JOURNAL] = "journal",
};

static const char *const state_names[] = {
	[SC_PROBE_OVERWRITE] = "overwrite",
	[SC_PROBE_APPEND] = "append",
	[SC_PROBE_FALLOCATED] = "fallocated",
	[SC_PROBE_CREATE] = "create",
	[SC_PROBE_TRUNCATE] = "truncate",
	[SC_PROBE_UNLINK] = "unlink",
	[SC_PROBE_CLEAN] = "clean",
	[SC_PROBE_CLEAN_FOLDER] = "clean-directory",
	[SC_PROBE_TRANSACTION] = "transaction",
};

static const struct {
	const char *name, *title;
	bool is_durable;
} methods[] = {
	[SC_PROBE_FDATASYNC] = {"fdatasync", "write, then fdatasync", true},
	[SC_PROBE_FSYNC] = {"fsync", "write, then fsync", true},
	[SC_PROBE_DSYNC] = {"dsync", "O_DSYNC write", true},
	[SC_PROBE_RWF_DSYNC] = {"rwf-dsync", "pwritev2 with RWF_DSYNC", true},
	[SC_PROBE_DIRECT_FDATASYNC] =
		{"direct-fdatasync", "O_DIRECT write, then fdatasync", true},
	[SC_PROBE_DIRECT_DSYNC] = {"direct-dsync", "O_DIRECT O_DSYNC write", true},
	[SC_PROBE_URING_FDATASYNC] =
		{"uring-fdatasync", "io_uring write linked to fdatasync", true},
	[SC_PROBE_URING_DSYNC] = {"uring-dsync", "io_uring write with RWF_DSYNC", true},
	[SC_PROBE_RANGE] = {"sync-file-range", "sync_file_range: not durable", false},
	[SC_PROBE_DIRECT_NONE] = {"direct-none", "O_DIRECT, no sync: not durable", false},
	[SC_PROBE_NONE] = {"none", "write, no sync: not durable", false},
};
/* clang-format on */

static_assert(SC_ARRAY_COUNT(group_names) == SC_PROBE_GROUP_COUNT_, "each group has a name");
static_assert(SC_ARRAY_COUNT(state_names) == SC_PROBE_STATE_COUNT_, "each state has a name");
static_assert(SC_ARRAY_COUNT(methods) == SC_PROBE_METHOD_COUNT_, "each method has a row");

const char *sc_probe_group_name(enum sc_probe_group group)
{
	assert((unsigned)group < SC_PROBE_GROUP_COUNT_);
	return group_names[group];
}

const char *sc_probe_state_name(enum sc_probe_state state)
{
	assert((unsigned)state < SC_PROBE_STATE_COUNT_);
	return state_names[state];
}

const char *sc_probe_method_name(enum sc_probe_method method)
{
	assert((unsigned)method < SC_PROBE_METHOD_COUNT_);
	return methods[method].name;
}

const char *sc_probe_method_title(enum sc_probe_method method)
{
	assert((unsigned)method < SC_PROBE_METHOD_COUNT_);
	return methods[method].title;
}

bool sc_probe_method_is_durable(enum sc_probe_method method)
{
	assert((unsigned)method < SC_PROBE_METHOD_COUNT_);
	return methods[method].is_durable;
}

bool sc_probe_row_is_durable(const struct sc_probe_row *row)
{
	return sc_probe_method_is_durable(row->method) &&
	       !(row->journal && strcmp(row->journal, "wal-normal") == 0);
}

void sc_probe_fini(struct sc_probe *probe)
{
	for (size_t i = 0; i < probe->row_count; i++)
		free(probe->rows[i].buckets);
	free(probe->rows);
	sc_target_fini(&probe->target);
	*probe = (struct sc_probe){0};
}

const struct sc_probe_row *sc_probe_find(const struct sc_probe *probe, const char *key)
{
	for (size_t i = 0; i < probe->row_count; i++) {
		if (probe->rows[i].status == SC_MEASURED && strcmp(probe->rows[i].key, key) == 0)
			return &probe->rows[i];
	}
	return NULL;
}

const struct sc_probe_row *sc_probe_cheapest(const struct sc_probe *probe)
{
	const struct sc_probe_row *best = NULL;

	if (sc_target_is_memory(&probe->target))
		return NULL;

	for (size_t i = 0; i < probe->row_count; i++) {
		const struct sc_probe_row *row = &probe->rows[i];

		if (row->status == SC_MEASURED && row->group == SC_PROBE_METHODS &&
		    row->state == SC_PROBE_OVERWRITE && row->bytes == 4096 &&
		    sc_probe_method_is_durable(row->method) &&
		    (!best || row->operation.ns[SC_PROBE_P50] < best->operation.ns[SC_PROBE_P50]))
			best = row;
	}
	return best;
}

double sc_probe_ceiling(const struct sc_probe *probe, const char *journal)
{
	const struct sc_probe_row *row;
	char key[64];

	(void)snprintf(key, sizeof(key), "journal/%s", journal);
	row = sc_probe_find(probe, key);
	if (!row || row->operation.ns[SC_PROBE_P50] == 0)
		return 0;
	return 1e9 / (double)row->operation.ns[SC_PROBE_P50];
}
