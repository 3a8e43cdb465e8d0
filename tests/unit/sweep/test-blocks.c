/* SPDX-License-Identifier: MIT */

/*
 * A sample of more operations than a block holds: its values come block by block, all of them, and
 * take the memory of one; the clocks stand still while they are made.
 */

#include "../base/scratch.h"
#include "../base/test.h"

#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sweep/execute-program.h"
#include "sweep/execute.h"

/* Digests: 80 bytes an operation beside a number of 16, and 4 for its statement. */
#define OPERATION_BYTES  100u
#define BLOCK_OPERATIONS (SC_BLOCK_BYTES / OPERATION_BYTES)

static const char suite[] =
	"{\"name\": \"blocks\", \"title\": \"Many operations\","
	" \"schema\": [\"CREATE TABLE t(id INTEGER PRIMARY KEY)\"],"
	" \"dataset\": {\"rows\": 10, \"sql\": \"INSERT INTO t(id) VALUES(:id)\","
	"  \"parameters\": {\"id\": {\"generator\": \"sequence\"}}},"
	" \"workloads\": ["
	"  {\"name\": \"look\", \"unit\": \"query\", \"writes\": false, \"ledger_ops\": 1,"
	"   \"statements\": [\"SELECT :number + length(:digest)\"],"
	"   \"parameters\": {\"number\": {\"generator\": \"sequence\"},"
	"    \"digest\": {\"generator\": \"sha256\"}},"
	"   \"checks\": [\"SELECT :result_sum = :sum_number + 64 * :operations\","
	"    \"SELECT :operations * (:operations + 1) / 2 = :sum_number\"]},"
	"  {\"name\": \"wrong\", \"unit\": \"query\", \"writes\": false, \"ledger_ops\": 1,"
	"   \"statements\": [\"SELECT :number + (:number = 200000) WHERE :digest > 0\"],"
	"   \"parameters\": {\"number\": {\"generator\": \"sequence\"},"
	"    \"digest\": {\"generator\": \"sha256\"}},"
	"   \"checks\": [\"SELECT :result_sum = :sum_number\"]}]}";

static unsigned measured, filled; /* how often each phase was entered */

/* NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl*): the name is the linker's */
int __wrap_prctl(int option, const char *name);

int __wrap_prctl(int option, const char *name)
{
	assert_int_equal(option, PR_SET_NAME);
	measured += strcmp(name, "sc-measure") == 0;
	filled += strcmp(name, "sc-values") == 0;
	return 0;
}
/* NOLINTEND(bugprone-reserved-identifier, cert-dcl*) */

static int run(const struct scratch *scratch, enum sc_sample_kind kind, const char *workload,
	       uint64_t operations, struct sc_sample *ret_sample)
{
	struct sc_sample_spec spec = {
		.kind = kind,
		.cell_id = strdup("blocks"),
		.suite_text = strdup(suite),
		.workload = strdup(workload),
		.store = strdup("sqlite"),
		.setting = sc_setting_default(),
		.operations = operations,
		.instruments = kind == SC_SAMPLE_LEDGER ? 1u << SC_INSTRUMENT_VFS : 0,
	};
	struct sc_error error = {0};
	int r;

	measured = filled = 0;
	scratch_mkdir(scratch, workload);
	spec.directory = strdup(scratch_path(scratch, workload));
	r = sc_execute(&spec, ret_sample, &error);
	if (r < 0 && r != SC_E_VERIFY)
		print_error("%s\n", error.what);
	sc_sample_spec_fini(&spec);
	return r;
}

static void values_come_block_by_block(void **state)
{
	static const uint64_t counts[] = {1, BLOCK_OPERATIONS, BLOCK_OPERATIONS + 1,
					  2 * BLOCK_OPERATIONS + 7};
	static const unsigned blocks[] = {1, 1, 2, 3};

	for (size_t i = 0; i < SC_ARRAY_COUNT(counts); i++) {
		struct scratch *scratch = *state;
		struct sc_sample sample = {0};

		assert_int_equal(run(scratch, SC_SAMPLE_TIMING, "look", counts[i], &sample), 0);
		assert_true(sample.verified);
		assert_int_equal(sample.operations, counts[i]);
		assert_int_equal(sample.op_ns.n, counts[i]);
		assert_int_equal(measured, blocks[i]);
		assert_int_equal(filled, blocks[i] - 1);
		sc_sample_fini(&sample);
		scratch_teardown(state);
		scratch_setup(state);
	}
}

/* In the second block, so that a sample that checked the first alone would not see it. */
static void a_wrong_result_of_a_later_block_is_seen(void **state)
{
	struct sc_sample sample = {0};

	assert_true(200000 > BLOCK_OPERATIONS);
	assert_int_equal(run(*state, SC_SAMPLE_TIMING, "wrong", 2 * BLOCK_OPERATIONS, &sample),
			 SC_E_VERIFY);
	assert_int_equal(sample.status, SC_FAILED);
	sc_sample_fini(&sample);
}

/* Making the digests takes longer than the queries: it would be most of the time. */
static void the_clocks_stand_still_in_between(void **state)
{
	struct sc_sample sample = {0};
	int64_t limit;

	assert_int_equal(run(*state, SC_SAMPLE_LEDGER, "look", 2 * BLOCK_OPERATIONS + 7, &sample),
			 0);
	limit = (int64_t)sample.split.total_ns / 20;
	assert_int_equal(sample.split.status, SC_MEASURED);
	assert_true(sample.split.residual_ns > -limit && sample.split.residual_ns < limit);
	assert_int_equal(sample.split.total_ns, sample.wall_ns);
	assert_int_equal(sample.work.status, SC_MEASURED);
	assert_int_equal(sample.work.vm_steps % sample.operations, 0);
	assert_true(sample.work.vm_steps > 0);
	assert_int_equal(sample.memory.points, 64);
	assert_true(sample.memory.heap_bytes_per_op < 1 && sample.memory.heap_bytes_per_op > -1);
	sc_sample_fini(&sample);
}

/* "VmHWM:   12345 kB" of this process, in bytes */
static uint64_t peak_bytes(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	unsigned long long kib = 0;
	char line[256];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %llu kB", &kib) == 1)
			break;
	if (file)
		(void)fclose(file);
	return kib * 1024;
}

/* In a process of its own: its peak is nobody else's. */
static void many_blocks_take_the_memory_of_one(void **state)
{
	int status = 0;
	pid_t child = fork();

	assert_true(child >= 0);
	if (child == 0) {
		struct sc_sample sample = {0};
		uint64_t before = peak_bytes();

		if (run(*state, SC_SAMPLE_TIMING, "look", 10 * BLOCK_OPERATIONS, &sample) < 0)
			_exit(1);
		_exit(peak_bytes() - before < 3ull * SC_BLOCK_BYTES ? 0 : 2);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

int main(void)
{
#define IN_SCRATCH(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)
	const struct CMUnitTest tests[] = {
		IN_SCRATCH("values come block by block", values_come_block_by_block),
		IN_SCRATCH("a wrong result of a later block is seen",
			   a_wrong_result_of_a_later_block_is_seen),
		IN_SCRATCH("the clocks stand still in between", the_clocks_stand_still_in_between),
		IN_SCRATCH("many blocks take the memory of one",
			   many_blocks_take_the_memory_of_one),
	};
#undef IN_SCRATCH

	return cmocka_run_group_tests_name("blocks", tests, NULL, NULL);
}
