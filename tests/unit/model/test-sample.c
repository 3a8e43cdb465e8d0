/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <cjson/cJSON.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/sample.h"
#include "syncost.h"

#define BEYOND_DOUBLE (UINT64_C(9007199254740993)) /* 2^53 + 1 */

static struct sc_setting odd_setting(void)
{
	return (struct sc_setting){
		.journal_mode = SC_JOURNAL_PERSIST,
		.synchronous = SC_SYNCHRONOUS_EXTRA,
		.fullfsync = true,
		.checkpoint_fullfsync = false,
		.page_size = 65536,
		.cache_size = -1234567890123,
		.wal_autocheckpoint = UINT32_MAX,
		.locking_mode = SC_LOCKING_EXCLUSIVE,
		.mmap_size = UINT64_MAX,
		.rows_per_commit = 17,
	};
}

static struct sc_sample_spec full_spec(void)
{
	return (struct sc_sample_spec){
		.kind = SC_SAMPLE_LEDGER,
		.cell_id = strdup("hdd/commit/insert_one/wal/full"),
		.suite_text = strdup("{\n\t\"name\": \"caf\xc3\xa9 \\ \\u0001\"}\n"),
		.workload = strdup("insert_one"),
		.directory = strdup("/mnt/a \"quoted\"/x"),
		.store = strdup("sqlite"),
		.setting = odd_setting(),
		.wal_state = SC_WAL_RECYCLED,
		.rows = 1,
		.operations = BEYOND_DOUBLE,
		.seed = UINT64_MAX,
		.time_limit_ns = 2000000000,
		.round = 7,
		.instruments = 3,
		.clients = 16,
		.rate = 2500,
	};
}

static void fill_latency(struct sc_latency *latency, uint64_t n)
{
	*latency = (struct sc_latency){
		.n = n,
		.p50_ns = 1,
		.p90_ns = 2,
		.p99_ns = 3,
		.p999_ns = BEYOND_DOUBLE,
		.max_ns = UINT64_MAX,
		.buckets = calloc(SC_HIST_BUCKETS, sizeof(uint32_t)),
	};
	latency->buckets[0] = 5;
	latency->buckets[SC_HIST_BUCKETS - 1] = UINT32_MAX;
}

/* Every field another value, so that none can be mistaken for another. */
static struct sc_sample full_sample(void)
{
	struct sc_sample sample = {
		.cell_id = strdup("cell"),
		.kind = SC_SAMPLE_LEDGER,
		.round = 3,
		.status = SC_MEASURED,
		.verified = true,
		.effective = odd_setting(),
		.operations = 11,
		.commits = 12,
		.wall_ns = BEYOND_DOUBLE,
		.cpu_ns = 14,
		.run_delay_ns = 15,
		.steal_ns = 16,
		.major_faults = 17,
		.busy_retries = 18,
		.reference_ns = 101,
		.busy_ns = 20,
		.space = {21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, SC_MEASURED},
		.checkpoints_seen = 19,
		.split = {.total_ns = 40, .own_ns = 42, .residual_ns = -41},
		.syncs = {SC_MEASURED, 51, 52, 53, 54, 55, 56, 57, SC_MEASURED, "", SC_MEASURED},
		.checkpoints = {61, 62, 63, 64},
		.calls_dropped = 65,
		.work = {SC_MEASURED, 66, 67, 68, ""},
		.memory = {SC_MEASURED, 69, 600.25, 0.75, 0.125, 0.5, ""},
		.io = calloc(2, sizeof(struct sc_io)),
		.io_count = 2,
	};

	fill_latency(&sample.op_ns, 101);
	fill_latency(&sample.commit_ns, 102);
	for (int i = 0; i < SC_PART_COUNT_; i++) {
		sample.split.wall_ns[i] = 1000 + (uint64_t)i;
		sample.split.cpu_ns[i] = 2000 + (uint64_t)i;
		sample.split.run_delay_ns[i] = 3000 + (uint64_t)i;
		sample.split.cpu_n[i] = 4000 + (uint64_t)i;
		sample.split.checkpoint_ns[i] = 5000 + (uint64_t)i;
	}
	sample.io[0] = (struct sc_io){
		SC_INSTRUMENT_LIBC,
		"bench.db",
		SC_ROLE_DIRECTORY,
		SC_OP_FDATASYNC,
		71,
		72,
		73,
		74,
		75,
		76,
		77,
		78,
	};
	sample.io[1] = (struct sc_io){
		.instrument = SC_INSTRUMENT_VFS,
		.database = "other",
		.role = SC_ROLE_OTHER,
		.op = SC_OP_DLOPEN,
		.calls = 81, /* none of them timed */
	};
	return sample;
}

static void a_specification_comes_back_as_it_went(void **state)
{
	struct sc_sample_spec spec = full_spec(), again = {0};
	struct sc_error error = {0};
	char *text = NULL;

	(void)state;
	assert_int_equal(sc_sample_spec_format(&spec, &text, &error), 0);
	assert_null(strchr(text, '\n'));
	assert_int_equal(sc_sample_spec_parse(text, &again, &error), 0);
	assert_int_equal(again.kind, spec.kind);
	assert_string_equal(again.cell_id, spec.cell_id);
	assert_string_equal(again.suite_text, spec.suite_text);
	assert_string_equal(again.workload, spec.workload);
	assert_string_equal(again.directory, spec.directory);
	assert_string_equal(again.store, spec.store);
	assert_int_equal(sc_setting_compare(&again.setting, &spec.setting), 0);
	assert_int_equal(again.wal_state, spec.wal_state);
	assert_true(again.rows == spec.rows && again.operations == spec.operations);
	assert_true(again.seed == spec.seed && again.time_limit_ns == spec.time_limit_ns);
	assert_int_equal(again.round, spec.round);
	assert_int_equal(again.instruments, spec.instruments);
	assert_int_equal(again.clients, spec.clients);
	assert_int_equal(again.rate, spec.rate);
	free(text);
	sc_sample_spec_fini(&again);
	sc_sample_spec_fini(&spec);
}

static void a_specification_without_clients_has_one(void **state)
{
	struct sc_sample_spec spec = full_spec(), again = {0};
	struct sc_error error = {0};
	char *text = NULL, *without;
	cJSON *json;

	(void)state;
	assert_int_equal(sc_sample_spec_format(&spec, &text, &error), 0);
	json = cJSON_Parse(text);
	cJSON_DeleteItemFromObjectCaseSensitive(json, "clients");
	without = cJSON_PrintUnformatted(json);
	assert_int_equal(sc_sample_spec_parse(without, &again, &error), 0);
	assert_int_equal(again.clients, 0);
	assert_string_equal(again.suite_text, spec.suite_text);
	cJSON_Delete(json);
	free(without);
	free(text);
	sc_sample_spec_fini(&again);
	sc_sample_spec_fini(&spec);
}

static void assert_same_latency(const struct sc_latency *one, const struct sc_latency *other)
{
	assert_int_equal(one->status, other->status);
	assert_true(one->n == other->n && one->p50_ns == other->p50_ns &&
		    one->p90_ns == other->p90_ns && one->p99_ns == other->p99_ns &&
		    one->p999_ns == other->p999_ns && one->max_ns == other->max_ns);
	assert_memory_equal(one->buckets, other->buckets, SC_HIST_BUCKETS * sizeof(uint32_t));
}

static void a_sample_comes_back_as_it_went(void **state)
{
	struct sc_sample sample = full_sample(), again = {0};
	struct sc_error error = {0};
	char *text = NULL, *second = NULL;

	(void)state;
	assert_int_equal(sc_sample_format(&sample, &text, &error), 0);
	assert_null(strchr(text, '\n'));
	assert_int_equal(sc_sample_parse(text, &again, &error), 0);
	assert_string_equal(again.cell_id, "cell");
	assert_null(again.reason);
	assert_true(again.verified);
	assert_int_equal(sc_setting_compare(&again.effective, &sample.effective), 0);
	assert_true(again.wall_ns == sample.wall_ns);
	assert_int_equal(again.space.payload_bytes, 21);
	assert_int_equal(again.space.page_cache_bytes, 32);
	assert_int_equal(again.split.own_ns, 42);
	assert_int_equal(again.split.residual_ns, -41);
	assert_int_equal(again.split.checkpoint_ns[SC_PART_COUNT_ - 1], 5000 + SC_PART_COUNT_ - 1);
	assert_int_equal(again.syncs.vfs, 51);
	assert_int_equal(again.syncs.fdatasync, 57);
	assert_int_equal(again.checkpoints.resets, 64);
	assert_same_latency(&again.op_ns, &sample.op_ns);
	assert_same_latency(&again.commit_ns, &sample.commit_ns);
	assert_int_equal(again.io_count, 2);
	assert_int_equal(again.io[0].role, SC_ROLE_DIRECTORY);
	assert_int_equal(again.io[0].ns_max, 78);
	assert_int_equal(again.io[1].op, SC_OP_DLOPEN);
	assert_int_equal(again.io[1].timed, 0);

	/* And all that is written again is the same: no field is left out of both directions. */
	assert_int_equal(sc_sample_format(&again, &second, &error), 0);
	assert_string_equal(text, second);
	free(text);
	free(second);
	sc_sample_fini(&again);
	sc_sample_fini(&sample);
}

/* The value at a path of keys; NULL: none. */
static const cJSON *at(const cJSON *json, const char *one, const char *two)
{
	const cJSON *item = cJSON_GetObjectItemCaseSensitive(json, one);

	return two ? cJSON_GetObjectItemCaseSensitive(item, two) : item;
}

/* A sample with one part beside and a hold in which a commit paid. */
static struct sc_sample sample_with_company(void)
{
	struct sc_sample sample = {.cell_id = strdup("x"), .op_ns = {.status = SC_SKIPPED}};
	struct sc_company *company = &sample.company;

	sample.commit_ns.status = sample.split.status = sample.syncs.status = SC_SKIPPED;
	sample.syncs.physical_status = SC_SKIPPED;
	company->part_count = 1;
	company->parts[0] = (struct sc_company_part){
		.workload = "read_point",
		.clients = 3,
		.operations = 1000,
		.commits = 5,
		.busy_retries = 7,
		.busy_ns = 8,
		.wall_ns = BEYOND_DOUBLE,
	};
	fill_latency(&company->parts[0].op_ns, 1000);
	company->hold = (struct sc_hold){
		.holders = 2,
		.page_size = 4096,
		.commits_held = 50,
		.held_ns = 6,
		.pages_first = 7,
		.pages_released = 8,
		.pages_max = 9,
		.client = 1,
		.commit = 51,
		.after = 1,
		.frames = 44,
		.ns = 45,
		.checkpoint_ns = 46,
		.typical_ns = 47,
		.points = {{1, 2}, {3, 4}},
		.point_count = 2,
	};
	return sample;
}

static void company_comes_back_as_it_went(void **state)
{
	struct sc_sample sample = sample_with_company(), back = {0};
	struct sc_company_part *part;
	struct sc_error error;
	char *text = NULL;

	(void)state;
	assert_int_equal(sc_sample_format(&sample, &text, &error), 0);
	assert_int_equal(sc_sample_parse(text, &back, &error), 0);
	assert_int_equal(back.company.part_count, 1);
	part = &back.company.parts[0];
	assert_string_equal(part->workload, "read_point");
	assert_int_equal(part->clients, 3);
	assert_int_equal(part->wall_ns, BEYOND_DOUBLE);
	assert_int_equal(part->op_ns.n, 1000);
	assert_memory_equal(&back.company.hold, &sample.company.hold, sizeof(back.company.hold));
	free(text);

	/* In a hold that nobody paid for there is no payment; without one, no hold. */
	sample.company.hold.frames = 0;
	assert_int_equal(sc_sample_format(&sample, &text, &error), 0);
	assert_non_null(strstr(text, "\"paid\":null"));
	free(text);
	sample.company.hold.holders = 0;
	assert_int_equal(sc_sample_format(&sample, &text, &error), 0);
	assert_null(strstr(text, "\"hold\""));
	free(text);
	sc_sample_fini(&back);
	sc_sample_fini(&sample);
}

static void company_of_several_samples_is_added_up(void **state)
{
	struct sc_sample first = sample_with_company(), second = sample_with_company();
	struct sc_company sum = {0}, copy = {0};

	(void)state;
	first.company.hold.frames = 0; /* held to the end */
	second.company.hold.commit = 77;
	assert_int_equal(sc_company_add(&sum, &first.company), 0);
	assert_int_equal(sc_company_add(&sum, &second.company), 0);
	first.company.hold.frames = 5; /* a later one does not take its place */
	assert_int_equal(sc_company_add(&sum, &first.company), 0);
	assert_int_equal(sum.hold.commit, 77);
	assert_int_equal(sum.parts[0].operations, 3000);
	assert_int_equal(sum.parts[0].op_ns.n, 3000);
	assert_int_equal(sc_company_copy(&sum, &copy), 0);
	assert_ptr_not_equal(copy.parts[0].op_ns.buckets, sum.parts[0].op_ns.buckets);
	assert_memory_equal(copy.parts[0].op_ns.buckets, sum.parts[0].op_ns.buckets,
			    SC_HIST_BUCKETS * sizeof(uint32_t));
	sc_company_fini(&copy);
	sc_company_fini(&sum);
	sc_sample_fini(&first);
	sc_sample_fini(&second);
}

static void assert_absent(const cJSON *item, const char *status, const char *reason)
{
	assert_true(cJSON_IsObject(item));
	assert_string_equal(at(item, "status", NULL)->valuestring, status);
	assert_string_equal(at(item, "reason", NULL)->valuestring, reason);
}

static cJSON *written(const struct sc_sample *sample)
{
	struct sc_error error = {0};
	char *text = NULL;
	cJSON *json;

	assert_int_equal(sc_sample_format(sample, &text, &error), 0);
	json = cJSON_Parse(text);
	assert_non_null(json);
	free(text);
	return json;
}

static void what_a_double_cannot_hold_is_a_string(void **state)
{
	struct sc_sample sample = full_sample();
	cJSON *json = written(&sample);

	(void)state;
	assert_true(cJSON_IsNumber(at(json, "operations", NULL)));
	assert_string_equal(at(json, "wall_ns", NULL)->valuestring, "9007199254740993");
	assert_string_equal(at(json, "effective", "mmap_size")->valuestring,
			    "18446744073709551615");
	cJSON_Delete(json);
	sc_sample_fini(&sample);
}

static void a_histogram_is_pairs_of_index_and_count(void **state)
{
	struct sc_sample sample = full_sample();
	cJSON *json = written(&sample);
	char *text = cJSON_PrintUnformatted(at(json, "op_ns", "histogram"));
	char expected[64];

	(void)state;
	(void)snprintf(expected, sizeof(expected), "[[0,5],[%u,4294967295]]", SC_HIST_BUCKETS - 1);
	assert_string_equal(text, expected);
	free(text);
	cJSON_Delete(json);
	sc_sample_fini(&sample);
}

static void what_was_not_measured_is_a_status_with_a_reason(void **state)
{
	struct sc_sample sample = full_sample();
	cJSON *json;

	(void)state;
	free(sample.commit_ns.buckets);
	sample.commit_ns = (struct sc_latency){
		.status = SC_SKIPPED,
		.reason = "the workload does not commit",
	};
	sample.run_delay_status = SC_UNSUPPORTED;
	sample.steal_status = SC_DENIED;
	sample.space.page_cache_status = SC_DENIED;
	sample.syncs.physical_status = SC_UNSUPPORTED;
	(void)strcpy(sample.syncs.reason, "no tap");
	json = written(&sample);
	assert_absent(at(json, "commit_ns", NULL), "skipped", "the workload does not commit");
	assert_absent(at(json, "run_delay_ns", NULL), "unsupported", "the kernel does not say");
	assert_absent(at(json, "steal_ns", NULL), "denied", "the kernel does not say");
	assert_absent(at(json, "space", "page_cache_bytes"), "denied", "the kernel does not say");
	assert_absent(at(json, "syncs", "physical"), "unsupported", "no tap");
	assert_absent(at(json, "syncs", "directory"), "unsupported", "no tap");
	assert_int_equal(at(json, "syncs", "vfs")->valueint, 51);
	cJSON_Delete(json);
	sc_sample_fini(&sample);
}

static void absence_comes_back_as_absence(void **state)
{
	struct sc_sample sample = full_sample(), again = {0};
	struct sc_error error = {0};
	char *text = NULL;

	(void)state;
	sample.status = SC_FAILED;
	sample.reason = strdup("disk full");
	sample.verified = false;
	sample.steal_status = SC_DENIED;
	sample.syncs.physical_status = SC_UNSUPPORTED;
	sample.split.status = SC_SKIPPED;
	(void)strcpy(sample.split.reason, "the shim was off");
	assert_int_equal(sc_sample_format(&sample, &text, &error), 0);
	assert_int_equal(sc_sample_parse(text, &again, &error), 0);
	assert_int_equal(again.status, SC_FAILED);
	assert_string_equal(again.reason, "disk full");
	assert_false(again.verified);
	assert_int_equal(again.steal_status, SC_DENIED);
	assert_int_equal(again.run_delay_status, SC_MEASURED);
	assert_int_equal(again.syncs.physical_status, SC_UNSUPPORTED);
	assert_int_equal(again.split.status, SC_SKIPPED);
	assert_string_equal(again.split.reason, "the shim was off");
	free(text);
	sc_sample_fini(&again);
	sc_sample_fini(&sample);
}

static void a_timing_sample_has_no_ledger(void **state)
{
	struct sc_sample sample = full_sample(), again = {0};
	static const char *const keys[] = {"checkpoints", "calls_dropped", "io"};
	struct sc_error error = {0};
	char *text = NULL;
	cJSON *json;

	(void)state;
	sample.kind = SC_SAMPLE_TIMING;
	json = written(&sample);
	for (size_t i = 0; i < SC_ARRAY_COUNT(keys); i++)
		assert_absent(at(json, keys[i], NULL), "skipped", "the instruments were off");
	assert_absent(at(json, "space", "vfs_bytes"), "skipped", "the instruments were off");
	assert_absent(at(json, "space", "wal_bytes_max"), "skipped", "the instruments were off");
	assert_int_equal(sc_sample_format(&sample, &text, &error), 0);
	assert_int_equal(sc_sample_parse(text, &again, &error), 0);
	assert_int_equal(again.io_count, 0);
	assert_null(again.io);
	free(text);
	cJSON_Delete(json);
	sc_sample_fini(&again);
	sc_sample_fini(&sample);
}

/* Removes, or replaces by null, each top-level key of a line in turn. */
static void each_missing_key_is_named(void **state)
{
	struct sc_sample sample = full_sample();
	cJSON *json = written(&sample);

	(void)state;
	for (int i = 0; i < cJSON_GetArraySize(json); i++) {
		cJSON *copy = cJSON_Duplicate(json, true);
		struct sc_sample again = {0};
		struct sc_error error = {0};
		char *key = cJSON_GetArrayItem(copy, i)->string, *text;

		/* Of a sample whose specification is not known; and not in earlier versions. */
		if (strcmp(key, "cell_id") == 0 || strcmp(key, "work") == 0 ||
		    strcmp(key, "memory") == 0) {
			cJSON_Delete(copy);
			continue;
		}
		key = strdup(key);
		cJSON_DeleteItemFromArray(copy, i);
		text = cJSON_PrintUnformatted(copy);
		assert_int_equal(sc_sample_parse(text, &again, &error), SC_E_FORMAT);
		if (!strstr(error.what, key))
			fail_msg("'%s' does not name %s", error.what, key);
		assert_null(again.cell_id);
		assert_null(again.io);
		free(key);
		free(text);
		cJSON_Delete(copy);
	}
	cJSON_Delete(json);
	sc_sample_fini(&sample);
}

static void a_line_that_is_none_is_refused(void **state)
{
	static const char *const lines[] = {
		"", "{", "[]", "null", "7", "{}", "{\"kind\": 1}", "{\"kind\": \"timing\"}",
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(lines); i++) {
		struct sc_sample_spec spec = {0};
		struct sc_sample sample = {0};
		struct sc_error error = {0};

		assert_int_equal(sc_sample_parse(lines[i], &sample, &error), SC_E_FORMAT);
		assert_memory_equal(error.what, "sample: ", 8);
		assert_int_equal(sc_sample_spec_parse(lines[i], &spec, &error), SC_E_FORMAT);
		assert_memory_equal(error.what, "sample specification: ", 22);
		assert_null(spec.workload);
	}
}

static void unknown_keys_are_left_alone(void **state)
{
	struct sc_sample sample = full_sample(), again = {0};
	cJSON *json = written(&sample);
	struct sc_error error = {0};
	char *text;

	(void)state;
	assert_non_null(cJSON_AddStringToObject(json, "colour", "blue"));
	text = cJSON_PrintUnformatted(json);
	assert_int_equal(sc_sample_parse(text, &again, &error), 0);
	free(text);
	cJSON_Delete(json);
	sc_sample_fini(&again);
	sc_sample_fini(&sample);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE("a specification comes back as it went",
		     a_specification_comes_back_as_it_went),
		CASE("a specification without clients has one",
		     a_specification_without_clients_has_one),
		CASE("a sample comes back as it went", a_sample_comes_back_as_it_went),
		CASE("what ran beside comes back as it went", company_comes_back_as_it_went),
		CASE("what ran beside is added up over samples",
		     company_of_several_samples_is_added_up),
		CASE("what a double cannot hold is a string",
		     what_a_double_cannot_hold_is_a_string),
		CASE("a histogram is pairs of index and count",
		     a_histogram_is_pairs_of_index_and_count),
		CASE("what was not measured is a status with a reason",
		     what_was_not_measured_is_a_status_with_a_reason),
		CASE("absence comes back as absence", absence_comes_back_as_absence),
		CASE("a timing sample has no ledger", a_timing_sample_has_no_ledger),
		CASE("each missing key is named", each_missing_key_is_named),
		CASE("a line that is none is refused", a_line_that_is_none_is_refused),
		CASE("unknown keys are left alone", unknown_keys_are_left_alone),
	};

	return cmocka_run_group_tests_name("sample", tests, NULL, NULL);
}
