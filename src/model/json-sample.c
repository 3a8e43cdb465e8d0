/* SPDX-License-Identifier: MIT */

/*
 * The JSON line of a specification and of a sample.
 *
 * Plain figures are rows of a field table, walked by writer and reader alike. What was not
 * measured is {"status", "reason"} in the place of its value: a distribution without values, a
 * ledger figure of a timing sample, a counter the kernel does not give. Names of operations, roles
 * and parts are the instruments' own.
 */

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "json-field.h"
#include "json-sample.h"
#include "json-work.h"
#include "syncost.h"

#define NO_INSTRUMENTS "the instruments were off"

/* clang-format off */
static const struct sc_json_field spec_fields[] = {
	{"cell_id",       SC_JSON_TEXT, offsetof(struct sc_sample_spec, cell_id)},
	{"workload",      SC_JSON_TEXT, offsetof(struct sc_sample_spec, workload)},
	{"directory",     SC_JSON_PATH, offsetof(struct sc_sample_spec, directory)},
	{"store",         SC_JSON_TEXT, offsetof(struct sc_sample_spec, store)},
	{"rows",          SC_JSON_U64,  offsetof(struct sc_sample_spec, rows)},
	{"operations",    SC_JSON_U64,  offsetof(struct sc_sample_spec, operations)},
	{"seed",          SC_JSON_U64,  offsetof(struct sc_sample_spec, seed)},
	{"time_limit_ns", SC_JSON_U64,  offsetof(struct sc_sample_spec, time_limit_ns)},
	{"round",         SC_JSON_U32,  offsetof(struct sc_sample_spec, round)},
	{"instruments",   SC_JSON_U32,  offsetof(struct sc_sample_spec, instruments)},
	{"disk",          SC_JSON_TEXT, offsetof(struct sc_sample_spec, disk)},
	{"disk_reason",   SC_JSON_TEXT, offsetof(struct sc_sample_spec, disk_reason)},
	{"suite_text",    SC_JSON_TEXT, offsetof(struct sc_sample_spec, suite_text)},
};

/* May be missing: 0, which is one client. */
static const struct sc_json_field clients_field[] = {
	{"clients", SC_JSON_U32, offsetof(struct sc_sample_spec, clients)},
};

/* May be missing: 0, which is no schedule. */
static const struct sc_json_field rate_field[] = {
	{"rate", SC_JSON_U64, offsetof(struct sc_sample_spec, rate)},
};

static const struct sc_json_field sample_fields[] = {
	{"round",            SC_JSON_U32,  offsetof(struct sc_sample, round)},
	{"reason",           SC_JSON_TEXT, offsetof(struct sc_sample, reason)},
	{"verified",         SC_JSON_BOOL, offsetof(struct sc_sample, verified)},
	{"operations",       SC_JSON_U64,  offsetof(struct sc_sample, operations)},
	{"commits",          SC_JSON_U64,  offsetof(struct sc_sample, commits)},
	{"wall_ns",          SC_JSON_U64,  offsetof(struct sc_sample, wall_ns)},
	{"cpu_ns",           SC_JSON_U64,  offsetof(struct sc_sample, cpu_ns)},
	{"major_faults",     SC_JSON_U64,  offsetof(struct sc_sample, major_faults)},
	{"reference_ns",     SC_JSON_U64,  offsetof(struct sc_sample, reference_ns)},
	{"busy_retries",     SC_JSON_U64,  offsetof(struct sc_sample, busy_retries)},
	{"busy_ns",          SC_JSON_U64,  offsetof(struct sc_sample, busy_ns)},
	{"checkpoints_seen", SC_JSON_U64,  offsetof(struct sc_sample, checkpoints_seen)},
	{"turn_ns",          SC_JSON_U64,  offsetof(struct sc_sample, turn_ns)},
};

static const struct sc_json_field latency_fields[] = {
	{"n",    SC_JSON_U64, offsetof(struct sc_latency, n)},
	{"p50",  SC_JSON_U64, offsetof(struct sc_latency, p50_ns)},
	{"p90",  SC_JSON_U64, offsetof(struct sc_latency, p90_ns)},
	{"p99",  SC_JSON_U64, offsetof(struct sc_latency, p99_ns)},
	{"p999", SC_JSON_U64, offsetof(struct sc_latency, p999_ns)},
	{"max",  SC_JSON_U64, offsetof(struct sc_latency, max_ns)},
};

static const struct sc_json_field space_fields[] = {
	{"payload_bytes",     SC_JSON_U64, offsetof(struct sc_space, payload_bytes)},
	{"database_bytes",    SC_JSON_U64, offsetof(struct sc_space, database_bytes)},
	{"wal_bytes",         SC_JSON_U64, offsetof(struct sc_space, wal_bytes)},
	{"journal_bytes",     SC_JSON_U64, offsetof(struct sc_space, journal_bytes)},
	{"shm_bytes",         SC_JSON_U64, offsetof(struct sc_space, shm_bytes)},
	{"total_bytes",       SC_JSON_U64, offsetof(struct sc_space, total_bytes)},
	{"allocated_bytes",   SC_JSON_U64, offsetof(struct sc_space, allocated_bytes)},
};

/* Of sc_space too, but known to the shim alone. */
static const struct sc_json_field ledger_space_fields[] = {
	{"wal_bytes_max",     SC_JSON_U64, offsetof(struct sc_space, wal_bytes_max)},
	{"journal_bytes_max", SC_JSON_U64, offsetof(struct sc_space, journal_bytes_max)},
	{"total_bytes_max",   SC_JSON_U64, offsetof(struct sc_space, total_bytes_max)},
	{"vfs_bytes",         SC_JSON_U64, offsetof(struct sc_space, vfs_bytes)},
};

static const struct sc_json_field syncs_fields[] = {
	{"vfs",      SC_JSON_U64, offsetof(struct sc_syncs, vfs)},
	{"withheld", SC_JSON_U64, offsetof(struct sc_syncs, withheld)},
	{"omitted",  SC_JSON_U64, offsetof(struct sc_syncs, omitted)},
};

static const struct sc_json_field physical_syncs_fields[] = {
	{"directory", SC_JSON_U64, offsetof(struct sc_syncs, directory)},
	{"physical",  SC_JSON_U64, offsetof(struct sc_syncs, physical)},
	{"fsync",     SC_JSON_U64, offsetof(struct sc_syncs, fsync)},
	{"fdatasync", SC_JSON_U64, offsetof(struct sc_syncs, fdatasync)},
};

static const struct sc_json_field checkpoints_fields[] = {
	{"count",  SC_JSON_U64, offsetof(struct sc_checkpoints, count)},
	{"frames", SC_JSON_U64, offsetof(struct sc_checkpoints, frames)},
	{"ns",     SC_JSON_U64, offsetof(struct sc_checkpoints, ns)},
	{"resets", SC_JSON_U64, offsetof(struct sc_checkpoints, resets)},
};

static const struct sc_json_field io_fields[] = {
	{"calls",    SC_JSON_U64, offsetof(struct sc_io, calls)},
	{"failures", SC_JSON_U64, offsetof(struct sc_io, failures)},
	{"bytes",    SC_JSON_U64, offsetof(struct sc_io, bytes)},
	{"timed",    SC_JSON_U64, offsetof(struct sc_io, timed)},
};

/* Of sc_io too; absent where no call was timed. */
static const struct sc_json_field io_time_fields[] = {
	{"ns",     SC_JSON_U64, offsetof(struct sc_io, ns)},
	{"ns_p50", SC_JSON_U64, offsetof(struct sc_io, ns_p50)},
	{"ns_p99", SC_JSON_U64, offsetof(struct sc_io, ns_p99)},
	{"ns_max", SC_JSON_U64, offsetof(struct sc_io, ns_max)},
};

/* The axes of the split: an array each, by part. */
static const struct {
	const char *key;
	size_t offset;
} split_axes[] = {
	{"wall",       offsetof(struct sc_split, wall_ns)},
	{"cpu",        offsetof(struct sc_split, cpu_ns)},
	{"run_delay",  offsetof(struct sc_split, run_delay_ns)},
	{"cpu_n",      offsetof(struct sc_split, cpu_n)},
	{"checkpoint", offsetof(struct sc_split, checkpoint_ns)},
};

static const struct sc_json_field split_fields[] = {
	{"total",    SC_JSON_U64, offsetof(struct sc_split, total_ns)},
	{"own",      SC_JSON_U64, offsetof(struct sc_split, own_ns)},
	{"residual", SC_JSON_I64, offsetof(struct sc_split, residual_ns)},
};
/* clang-format on */

#define PUT(object, table, from) sc_json_put_fields(object, table, SC_ARRAY_COUNT(table), from)
#define GET(object, table, into, place, error)                                                     \
	sc_json_get_fields(object, table, SC_ARRAY_COUNT(table), into, place, error)

/* --- writing */

/* Prints and frees @json; @complete says whether all of it was built. */
static int print_line(cJSON *json, bool complete, char **ret_text, struct sc_error *error)
{
	char *text = complete ? cJSON_PrintUnformatted(json) : NULL;

	cJSON_Delete(json);
	if (!text)
		return sc_fail(error, -ENOMEM, "writing a sample as JSON");
	*ret_text = text;
	return 0;
}

int sc_sample_spec_format(const struct sc_sample_spec *spec, char **ret_text,
			  struct sc_error *error)
{
	cJSON *json = cJSON_CreateObject();
	bool complete = sc_json_put_text(json, "kind", sc_sample_kind_name(spec->kind)) &&
			sc_json_put_text(json, "wal_state", sc_wal_state_name(spec->wal_state)) &&
			sc_json_put_setting(json, "setting", &spec->setting) &&
			PUT(json, clients_field, spec) && PUT(json, rate_field, spec) &&
			PUT(json, spec_fields, spec);

	return print_line(json, complete, ret_text, error);
}

bool sc_json_put_latency(cJSON *json, const char *key, const struct sc_latency *latency)
{
	cJSON *child;

	if (latency->status != SC_MEASURED)
		return sc_json_put_absent(json, key, latency->status, latency->reason);
	if (latency->n == 0 || !latency->buckets)
		return sc_json_put_absent(json, key, SC_SKIPPED, "nothing of the kind happened");
	child = cJSON_AddObjectToObject(json, key);
	return PUT(child, latency_fields, latency) &&
	       sc_json_put_buckets(child, "histogram", latency->buckets);
}

/* A counter the kernel may keep to itself. */
static bool put_counter(cJSON *json, const char *key, enum sc_status status, uint64_t value)
{
	if (status != SC_MEASURED)
		return sc_json_put_absent(json, key, status, "the kernel does not say");
	return sc_json_put_u64(json, key, value);
}

static bool put_other_io(cJSON *json, const struct sc_sample *sample)
{
	if (sample->other_io_status != SC_MEASURED)
		return sc_json_put_absent(json, "other_io_bytes", sample->other_io_status,
					  sample->other_io_reason);
	return sc_json_put_u64(json, "other_io_bytes", sample->other_io_bytes);
}

static bool put_absent_fields(cJSON *json, const struct sc_json_field *fields, size_t count,
			      enum sc_status status, const char *reason)
{
	for (size_t i = 0; i < count; i++)
		if (!sc_json_put_absent(json, fields[i].key, status, reason))
			return false;
	return true;
}

static bool put_space(cJSON *json, const struct sc_sample *sample)
{
	cJSON *child = cJSON_AddObjectToObject(json, "space");
	bool ledger = sample->kind == SC_SAMPLE_LEDGER;

	return PUT(child, space_fields, &sample->space) &&
	       (ledger ? PUT(child, ledger_space_fields, &sample->space)
		       : put_absent_fields(child, ledger_space_fields,
					   SC_ARRAY_COUNT(ledger_space_fields), SC_SKIPPED,
					   NO_INSTRUMENTS)) &&
	       put_counter(child, "page_cache_bytes", sample->space.page_cache_status,
			   sample->space.page_cache_bytes);
}

static bool put_split(cJSON *json, const struct sc_split *split)
{
	cJSON *child;

	if (split->status != SC_MEASURED)
		return sc_json_put_absent(json, "split_ns", split->status, split->reason);
	child = cJSON_AddObjectToObject(json, "split_ns");
	if (!PUT(child, split_fields, split))
		return false;
	for (size_t i = 0; i < SC_ARRAY_COUNT(split_axes); i++) {
		const uint64_t *values = (const void *)((const char *)split + split_axes[i].offset);
		cJSON *axis = cJSON_AddObjectToObject(child, split_axes[i].key);

		for (int part = 0; part < SC_PART_COUNT_; part++)
			if (!sc_json_put_u64(axis, syncost_part_name((enum sc_part)part),
					     values[part]))
				return false;
	}
	return true;
}

static bool put_syncs(cJSON *json, const struct sc_syncs *syncs)
{
	cJSON *child;

	if (syncs->status != SC_MEASURED)
		return sc_json_put_absent(json, "syncs", syncs->status, syncs->reason);
	child = cJSON_AddObjectToObject(json, "syncs");
	if (!(syncs->vfs_status == SC_MEASURED
		      ? PUT(child, syncs_fields, syncs)
		      : put_absent_fields(child, syncs_fields, SC_ARRAY_COUNT(syncs_fields),
					  syncs->vfs_status, syncs->reason)))
		return false;
	if (syncs->physical_status != SC_MEASURED)
		return put_absent_fields(child, physical_syncs_fields,
					 SC_ARRAY_COUNT(physical_syncs_fields),
					 syncs->physical_status, syncs->reason);
	return PUT(child, physical_syncs_fields, syncs);
}

static bool put_io(cJSON *list, const struct sc_io *io)
{
	cJSON *row = cJSON_CreateObject();

	if (!row || !cJSON_AddItemToArray(list, row)) {
		cJSON_Delete(row);
		return false;
	}
	return sc_json_put_text(row, "instrument", syncost_instrument_name(io->instrument)) &&
	       sc_json_put_text(row, "database", io->database) &&
	       sc_json_put_text(row, "role", syncost_role_name(io->role)) &&
	       sc_json_put_text(row, "op", syncost_op_info(io->op)->name) &&
	       PUT(row, io_fields, io) &&
	       (io->timed > 0
			? PUT(row, io_time_fields, io)
			: put_absent_fields(row, io_time_fields, SC_ARRAY_COUNT(io_time_fields),
					    SC_SKIPPED, "no call was timed"));
}

bool sc_json_put_io(cJSON *json, const char *key, const struct sc_io *io, size_t io_count)
{
	cJSON *list = cJSON_AddArrayToObject(json, key);

	for (size_t i = 0; i < io_count; i++)
		if (!put_io(list, &io[i]))
			return false;
	return list != NULL;
}

static bool put_ledger(cJSON *json, const struct sc_sample *sample)
{
	cJSON *child;

	if (!put_split(json, &sample->split) || !put_syncs(json, &sample->syncs))
		return false;
	if (!sc_json_put_work(json, &sample->work) || !sc_json_put_memory(json, &sample->memory))
		return false;
	if (sample->kind != SC_SAMPLE_LEDGER)
		return sc_json_put_absent(json, "checkpoints", SC_SKIPPED, NO_INSTRUMENTS) &&
		       sc_json_put_absent(json, "calls_dropped", SC_SKIPPED, NO_INSTRUMENTS) &&
		       sc_json_put_absent(json, "io", SC_SKIPPED, NO_INSTRUMENTS);

	child = cJSON_AddObjectToObject(json, "checkpoints");
	if (!PUT(child, checkpoints_fields, &sample->checkpoints) ||
	    !sc_json_put_u64(json, "calls_dropped", sample->calls_dropped))
		return false;
	return sc_json_put_io(json, "io", sample->io, sample->io_count);
}

int sc_sample_format(const struct sc_sample *sample, char **ret_text, struct sc_error *error)
{
	cJSON *json = cJSON_CreateObject();
	bool complete =
		sc_json_put_text(json, "cell_id", sample->cell_id) &&
		sc_json_put_text(json, "kind", sc_sample_kind_name(sample->kind)) &&
		sc_json_put_text(json, "status", sc_status_name(sample->status)) &&
		PUT(json, sample_fields, sample) &&
		put_counter(json, "run_delay_ns", sample->run_delay_status, sample->run_delay_ns) &&
		put_counter(json, "steal_ns", sample->steal_status, sample->steal_ns) &&
		put_other_io(json, sample) &&
		sc_json_put_setting(json, "effective", &sample->effective) &&
		sc_json_put_latency(json, "op_ns", &sample->op_ns) &&
		sc_json_put_latency(json, "commit_ns", &sample->commit_ns) &&
		sc_json_put_company(json, &sample->company) && put_space(json, sample) &&
		put_ledger(json, sample);

	return print_line(json, complete, ret_text, error);
}

/* --- reading */

static const char *text_of(const cJSON *json, const char *key)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);

	return cJSON_IsString(item) ? item->valuestring : "";
}

static int get_kind(const cJSON *json, struct sc_json_place place, enum sc_sample_kind *ret_kind,
		    struct sc_error *error)
{
	const char *name = text_of(json, "kind");

	for (int i = 0; i < SC_SAMPLE_KIND_COUNT_; i++) {
		if (strcmp(name, sc_sample_kind_name((enum sc_sample_kind)i)) == 0) {
			*ret_kind = (enum sc_sample_kind)i;
			return 0;
		}
	}
	return sc_json_fail(place, "kind", "must be timing or ledger", error);
}

static int parse_object(const char *text, struct sc_json_place place, cJSON **ret_json,
			struct sc_error *error)
{
	cJSON *json = cJSON_ParseWithOpts(text, NULL, true);

	if (!cJSON_IsObject(json)) {
		cJSON_Delete(json);
		return sc_fail(error, SC_E_FORMAT, "%s: is not a JSON object", place.subject);
	}
	*ret_json = json;
	return 0;
}

static int get_spec(const cJSON *json, struct sc_sample_spec *spec, struct sc_error *error)
{
	const struct sc_json_place place = {"sample specification", ""};
	int r;

	r = get_kind(json, place, &spec->kind, error);
	if (r < 0)
		return r;
	if (!sc_wal_state_parse(text_of(json, "wal_state"), &spec->wal_state))
		return sc_json_fail(place, "wal_state", "must be fresh or recycled", error);
	r = sc_json_get_setting(json, "setting", place, &spec->setting, error);
	if (r < 0)
		return r;
	if (cJSON_GetObjectItemCaseSensitive(json, "clients"))
		r = GET(json, clients_field, spec, place, error);
	if (r == 0 && cJSON_GetObjectItemCaseSensitive(json, "rate"))
		r = GET(json, rate_field, spec, place, error);
	return r < 0 ? r : GET(json, spec_fields, spec, place, error);
}

int sc_sample_spec_parse(const char *text, struct sc_sample_spec *ret_spec, struct sc_error *error)
{
	SC_CLEANUP(sc_json_freep) cJSON *json = NULL;
	SC_CLEANUP(sc_sample_spec_fini) struct sc_sample_spec spec = {0};
	int r;

	r = parse_object(text, (struct sc_json_place){"sample specification", ""}, &json, error);
	if (r < 0)
		return r;
	r = get_spec(json, &spec, error);
	if (r < 0)
		return r;
	*ret_spec = spec;
	memset(&spec, 0, sizeof spec);
	return 0;
}

int sc_json_get_latency(const cJSON *json, const char *key, struct sc_json_place place,
			struct sc_latency *latency, struct sc_error *error)
{
	const cJSON *child = NULL;
	int r;

	r = sc_json_get_object(json, key, place, &child, error);
	if (r < 0)
		return r;
	if (sc_json_is_absent(child, &latency->status, latency->reason, sizeof latency->reason))
		return 0;
	place.path = key;
	r = GET(child, latency_fields, latency, place, error);
	if (r < 0)
		return r;
	return sc_json_get_buckets(child, "histogram", place, &latency->buckets, error);
}

static int get_counter(const cJSON *json, const char *key, struct sc_json_place place,
		       enum sc_status *ret_status, uint64_t *ret_value, struct sc_error *error)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, key);
	char reason[SC_REASON_BYTES];

	if (sc_json_is_absent(item, ret_status, reason, sizeof reason))
		return 0;
	if (sc_json_u64_value(item, ret_value))
		return sc_json_fail(place, key, "must be an integer from 0", error);
	return 0;
}

static int get_other_io(const cJSON *json, struct sc_json_place place, struct sc_sample *sample,
			struct sc_error *error)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, "other_io_bytes");

	if (sc_json_is_absent(item, &sample->other_io_status, sample->other_io_reason,
			      sizeof sample->other_io_reason))
		return 0;
	if (sc_json_u64_value(item, &sample->other_io_bytes))
		return sc_json_fail(place, "other_io_bytes", "must be an integer from 0", error);
	return 0;
}

static int get_space(const cJSON *json, struct sc_json_place place, struct sc_sample *sample,
		     struct sc_error *error)
{
	const cJSON *child = NULL;
	int r;

	r = sc_json_get_object(json, "space", place, &child, error);
	if (r < 0)
		return r;
	place.path = "space";
	r = GET(child, space_fields, &sample->space, place, error);
	if (r == 0 && sample->kind == SC_SAMPLE_LEDGER)
		r = GET(child, ledger_space_fields, &sample->space, place, error);
	if (r < 0)
		return r;
	return get_counter(child, "page_cache_bytes", place, &sample->space.page_cache_status,
			   &sample->space.page_cache_bytes, error);
}

static int get_split(const cJSON *json, struct sc_json_place place, struct sc_split *split,
		     struct sc_error *error)
{
	const cJSON *child = NULL, *axis = NULL;
	int r;

	r = sc_json_get_object(json, "split_ns", place, &child, error);
	if (r < 0)
		return r;
	if (sc_json_is_absent(child, &split->status, split->reason, sizeof split->reason))
		return 0;
	place.path = "split_ns";
	r = GET(child, split_fields, split, place, error);
	if (r < 0)
		return r;
	for (size_t i = 0; i < SC_ARRAY_COUNT(split_axes); i++) {
		uint64_t *values = (void *)((char *)split + split_axes[i].offset);

		place.path = "split_ns";
		r = sc_json_get_object(child, split_axes[i].key, place, &axis, error);
		if (r < 0)
			return r;
		place.path = split_axes[i].key;
		for (int part = 0; part < SC_PART_COUNT_; part++) {
			const char *name = syncost_part_name((enum sc_part)part);

			if (sc_json_u64_value(cJSON_GetObjectItemCaseSensitive(axis, name),
					      &values[part]))
				return sc_json_fail(place, name, "must be an integer from 0",
						    error);
		}
	}
	return 0;
}

static int get_syncs(const cJSON *json, struct sc_json_place place, struct sc_syncs *syncs,
		     struct sc_error *error)
{
	const cJSON *child = NULL;
	int r;

	r = sc_json_get_object(json, "syncs", place, &child, error);
	if (r < 0)
		return r;
	if (sc_json_is_absent(child, &syncs->status, syncs->reason, sizeof syncs->reason))
		return 0;
	place.path = "syncs";
	if (!sc_json_is_absent(cJSON_GetObjectItemCaseSensitive(child, "vfs"), &syncs->vfs_status,
			       syncs->reason, sizeof syncs->reason))
		r = GET(child, syncs_fields, syncs, place, error);
	if (r < 0)
		return r;
	if (sc_json_is_absent(cJSON_GetObjectItemCaseSensitive(child, "physical"),
			      &syncs->physical_status, syncs->reason, sizeof syncs->reason))
		return 0;
	return GET(child, physical_syncs_fields, syncs, place, error);
}

static bool find_instrument(const char *name, enum sc_instrument *ret_instrument)
{
	for (int i = 0; i < SC_INSTRUMENT_COUNT_; i++) {
		*ret_instrument = (enum sc_instrument)i;
		if (strcmp(name, syncost_instrument_name(*ret_instrument)) == 0)
			return true;
	}
	return false;
}

static bool find_role(const char *name, enum sc_role *ret_role)
{
	for (int i = 0; i < SC_ROLE_COUNT_; i++) {
		*ret_role = (enum sc_role)i;
		if (strcmp(name, syncost_role_name(*ret_role)) == 0)
			return true;
	}
	return false;
}

static bool find_op(const char *name, enum sc_op *ret_op)
{
	for (int i = 0; i < SC_OP_COUNT_; i++) {
		*ret_op = (enum sc_op)i;
		if (strcmp(name, syncost_op_info(*ret_op)->name) == 0)
			return true;
	}
	return false;
}

static int get_io_row(const cJSON *row, struct sc_json_place place, struct sc_io *io,
		      struct sc_error *error)
{
	int r;

	if (!find_instrument(text_of(row, "instrument"), &io->instrument))
		return sc_json_fail(place, "instrument", "must be vfs or libc", error);
	if (!find_role(text_of(row, "role"), &io->role))
		return sc_json_fail(place, "role", "must be the role of a file", error);
	if (!find_op(text_of(row, "op"), &io->op))
		return sc_json_fail(place, "op", "must be an operation", error);
	(void)snprintf(io->database, sizeof io->database, "%s", text_of(row, "database"));
	r = GET(row, io_fields, io, place, error);
	if (r < 0 || io->timed == 0)
		return r;
	return GET(row, io_time_fields, io, place, error);
}

int sc_json_get_io(const cJSON *json, const char *key, struct sc_json_place place,
		   struct sc_io **ret_io, size_t *ret_io_count, struct sc_error *error)
{
	const cJSON *list = cJSON_GetObjectItemCaseSensitive(json, key);
	SC_CLEANUP(sc_freep) struct sc_io *io = NULL;
	const cJSON *row;
	size_t count = 0;
	int r;

	if (!cJSON_IsArray(list))
		return sc_json_fail(place, key, "must be an array", error);
	if (cJSON_GetArraySize(list) == 0)
		return 0;
	io = calloc((size_t)cJSON_GetArraySize(list), sizeof *io);
	if (!io)
		return sc_fail(error, -ENOMEM, "reading %s", place.subject);
	place.path = key;
	cJSON_ArrayForEach(row, list)
	{
		r = get_io_row(row, place, &io[count], error);
		if (r < 0)
			return r;
		count++;
	}
	*ret_io = SC_TAKE(io);
	*ret_io_count = count;
	return 0;
}

static int get_ledger(const cJSON *json, struct sc_json_place place, struct sc_sample *sample,
		      struct sc_error *error)
{
	const cJSON *child = NULL;
	int r;

	r = get_split(json, place, &sample->split, error);
	if (r == 0)
		r = get_syncs(json, place, &sample->syncs, error);
	if (r == 0)
		r = sc_json_get_work(json, place, &sample->work, error);
	if (r == 0)
		r = sc_json_get_memory(json, place, &sample->memory, error);
	if (r < 0 || sample->kind != SC_SAMPLE_LEDGER)
		return r;
	if (sc_json_u64_value(cJSON_GetObjectItemCaseSensitive(json, "calls_dropped"),
			      &sample->calls_dropped))
		return sc_json_fail(place, "calls_dropped", "must be an integer from 0", error);
	r = sc_json_get_object(json, "checkpoints", place, &child, error);
	if (r < 0)
		return r;
	r = GET(child, checkpoints_fields, &sample->checkpoints,
		((struct sc_json_place){place.subject, "checkpoints"}), error);
	if (r < 0)
		return r;
	return sc_json_get_io(json, "io", place, &sample->io, &sample->io_count, error);
}

static int get_sample(const cJSON *json, struct sc_sample *sample, struct sc_error *error)
{
	const struct sc_json_place place = {"sample", ""};
	const cJSON *cell_id = cJSON_GetObjectItemCaseSensitive(json, "cell_id");
	char reason[SC_REASON_BYTES];
	int r;

	r = get_kind(json, place, &sample->kind, error);
	if (r < 0)
		return r;
	if (!sc_json_is_absent(json, &sample->status, reason, sizeof reason))
		return sc_json_fail(place, "status", "must be a status", error);
	if (cJSON_IsString(cell_id)) {
		sample->cell_id = strdup(cell_id->valuestring);
		if (!sample->cell_id)
			return sc_fail(error, -ENOMEM, "reading a sample");
	}
	r = GET(json, sample_fields, sample, place, error);
	if (r == 0)
		r = get_counter(json, "run_delay_ns", place, &sample->run_delay_status,
				&sample->run_delay_ns, error);
	if (r == 0)
		r = get_counter(json, "steal_ns", place, &sample->steal_status, &sample->steal_ns,
				error);
	if (r == 0)
		r = get_other_io(json, place, sample, error);
	if (r == 0)
		r = sc_json_get_setting(json, "effective", place, &sample->effective, error);
	if (r == 0)
		r = sc_json_get_latency(json, "op_ns", place, &sample->op_ns, error);
	if (r == 0)
		r = sc_json_get_latency(json, "commit_ns", place, &sample->commit_ns, error);
	if (r == 0)
		r = sc_json_get_company(json, place, &sample->company, error);
	if (r == 0)
		r = get_space(json, place, sample, error);
	if (r == 0)
		r = get_ledger(json, place, sample, error);
	return r;
}

int sc_sample_parse(const char *text, struct sc_sample *ret_sample, struct sc_error *error)
{
	SC_CLEANUP(sc_json_freep) cJSON *json = NULL;
	SC_CLEANUP(sc_sample_fini) struct sc_sample sample = {0};
	int r;

	r = parse_object(text, (struct sc_json_place){"sample", ""}, &json, error);
	if (r < 0)
		return r;
	r = get_sample(json, &sample, error);
	if (r < 0)
		return r;
	*ret_sample = sample;
	memset(&sample, 0, sizeof sample);
	return 0;
}
