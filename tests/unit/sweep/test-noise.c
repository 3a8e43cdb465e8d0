/* SPDX-License-Identifier: MIT */

/*
 * What others move on a sample's disk, against a process that writes a known number of bytes there
 * between the two readings: the executor names its phases with prctl, and the test does its work
 * when the timed part begins.
 */

#include "../base/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../base/scratch.h"
#include "skip.h"
#include "storage/facts.h"
#include "storage/traffic.h"
#include "suite/suite.h"
#include "sweep/execute.h"

#define PLANTED_BYTES (24u << 20)
#define BLOCK_BYTES   (1u << 20)
#define TRIES         12 /* for a moment in which nobody else uses the disk */

enum work { NOTHING, BY_ANOTHER, BY_ITSELF };

static struct {
	enum work work;
	pid_t child; /* of the sample; 0: none */
	char path[SCRATCH_PATH_BYTES + 32];
} planted;

/* Return: whether all of it is on the disk. */
static bool write_planted(void)
{
	char *block = malloc(BLOCK_BYTES);
	int fd = open(planted.path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	bool done = block && fd >= 0;

	for (size_t at = 0; done && at < PLANTED_BYTES; at += BLOCK_BYTES) {
		memset(block, (int)(at / BLOCK_BYTES) + 1, BLOCK_BYTES);
		done = write(fd, block, BLOCK_BYTES) == BLOCK_BYTES;
	}
	done = done && fsync(fd) == 0;
	free(block);
	if (fd >= 0)
		(void)close(fd);
	return done;
}

/* It is waited for when the sample is over: the kernel adds what a child did to its parent then. */
static void write_in_another_process(void)
{
	char done = 0;
	int pipes[2];

	assert_int_equal(pipe(pipes), 0);
	planted.child = fork();
	assert_true(planted.child >= 0);
	if (planted.child == 0) {
		done = (char)write_planted();
		_exit(write(pipes[1], &done, 1) == 1 ? 0 : 1);
	}
	assert_int_equal(read(pipes[0], &done, 1), 1);
	assert_int_equal(done, 1);
	(void)close(pipes[0]);
	(void)close(pipes[1]);
}

/* NOLINTBEGIN(bugprone-reserved-identifier, cert-dcl*): the name is the linker's */
int __wrap_prctl(int option, const char *name);

int __wrap_prctl(int option, const char *name)
{
	assert_int_equal(option, PR_SET_NAME);
	if (strcmp(name, "sc-measure") != 0)
		return 0;
	if (planted.work == BY_ANOTHER)
		write_in_another_process();
	else if (planted.work == BY_ITSELF)
		assert_true(write_planted());
	return 0;
}
/* NOLINTEND(bugprone-reserved-identifier, cert-dcl*) */

/* The disk under the scratch directory. */
static char *disk_of(const struct scratch *scratch)
{
	struct sc_storage_facts facts = {0};
	struct sc_error error = {0};
	char *disk;

	assert_int_equal(sc_storage_facts_read(scratch->path, &facts, &error), 0);
	disk = facts.disk.value ? strdup(facts.disk.value) : NULL;
	if (!disk)
		printf("# %s\n", facts.disk.reason);
	sc_storage_facts_fini(&facts);
	if (!disk)
		skip_because("temporary files are not on a disk that counts");
	return disk;
}

/* A sample of six commits, on @disk as far as it knows. */
static struct sc_sample run(const struct scratch *scratch, const char *disk, const char *reason,
			    enum work work)
{
	struct sc_sample_spec spec = {
		.kind = SC_SAMPLE_TIMING,
		.cell_id = strdup("test/cell"),
		.workload = strdup("insert_one"),
		.store = strdup("sqlite"),
		.directory = strdup(scratch_path(scratch, "sample")),
		.disk = disk ? strdup(disk) : NULL,
		.disk_reason = reason ? strdup(reason) : NULL,
		.setting = sc_setting_default(),
		.wal_state = SC_WAL_RECYCLED,
		.rows = 100,
		.operations = 6,
		.seed = 5,
		.round = 1,
	};
	struct sc_suite *suite = NULL;
	struct sc_sample sample = {0};
	struct sc_error error = {0};
	char command[SCRATCH_PATH_BYTES + 40];

	(void)snprintf(command, sizeof(command), "rm -rf '%s/sample'", scratch->path);
	assert_int_equal(system(command), 0); /* NOLINT(cert-env33-c): a path of ours */
	scratch_mkdir(scratch, "sample");
	assert_int_equal(sc_suite_load("commit", &suite, &error), 0);
	spec.suite_text = strdup(suite->text);
	sc_suite_freep(&suite);
	(void)snprintf(planted.path, sizeof(planted.path), "%s/planted", scratch->path);
	planted.work = work;
	if (sc_execute(&spec, &sample, &error) < 0)
		fail_msg("%s", error.what);
	planted.work = NOTHING;
	if (planted.child > 0)
		assert_int_equal(waitpid(planted.child, NULL, 0), planted.child);
	planted.child = 0;
	(void)unlink(planted.path);
	sc_sample_spec_fini(&spec);
	return sample;
}

static uint64_t other_io(const struct scratch *scratch, const char *disk, enum work work)
{
	struct sc_sample sample = run(scratch, disk, NULL, work);
	uint64_t bytes = sample.other_io_bytes;

	if (sample.other_io_status == SC_DENIED)
		skip_because("%s", sample.other_io_reason);
	assert_int_equal(sample.other_io_status, SC_MEASURED);
	sc_sample_fini(&sample);
	return bytes;
}

/* The least of several: others on this machine use the disk as well. */
static uint64_t least_other_io(const struct scratch *scratch, const char *disk, enum work work)
{
	uint64_t least = UINT64_MAX;

	for (int i = 0; i < TRIES && least > PLANTED_BYTES / 10; i++) {
		uint64_t bytes = other_io(scratch, disk, work);

		least = bytes < least ? bytes : least;
	}
	return least;
}

static void what_another_process_writes_is_seen(void **state)
{
	const struct scratch *scratch = *state;
	char *disk = disk_of(scratch);
	uint64_t idle, seen;

	seen = other_io(scratch, disk, BY_ANOTHER);
	idle = least_other_io(scratch, disk, NOTHING);
	printf("# planted %u, seen %llu, idle %llu bytes\n", PLANTED_BYTES,
	       (unsigned long long)seen, (unsigned long long)idle);
	free(disk);
	assert_true(seen >= PLANTED_BYTES / 10 * 9);
	assert_true(idle < PLANTED_BYTES / 4);
}

static void what_the_sample_itself_writes_is_not_of_others(void **state)
{
	const struct scratch *scratch = *state;
	char *disk = disk_of(scratch);
	uint64_t own = least_other_io(scratch, disk, BY_ITSELF);

	printf("# written by itself %u, of others %llu bytes\n", PLANTED_BYTES,
	       (unsigned long long)own);
	free(disk);
	assert_true(own < PLANTED_BYTES / 4);
}

static void without_a_disk_the_sample_says_why(void **state)
{
	struct sc_sample sample = run(*state, NULL, "tmpfs keeps files in memory", BY_ANOTHER);

	assert_int_equal(sample.other_io_status, SC_UNSUPPORTED);
	assert_string_equal(sample.other_io_reason, "tmpfs keeps files in memory");
	assert_int_equal(sample.other_io_bytes, 0);
	sc_sample_fini(&sample);
	sample = run(*state, "no-such-disk", NULL, NOTHING);
	assert_int_equal(sample.other_io_status, SC_UNSUPPORTED);
	assert_true(strlen(sample.other_io_reason) > 0);
	sc_sample_fini(&sample);
}

/* --- counters */

static void counters_are_read_from_their_fields(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_traffic traffic;

	scratch_write(scratch, "sys/class/block/vdx/stat",
		      "     451        2    18446    90    3000       41   614402   1234        0 "
		      "     900     1324     10     0     99999      7      800       60\n");
	traffic = sc_traffic_read(scratch->path, "vdx");
	assert_int_equal(traffic.read_bytes.status, SC_MEASURED);
	assert_int_equal(traffic.read_bytes.value, 18446 * 512);
	assert_int_equal(traffic.written_bytes.value, 614402 * 512);
	scratch_write(scratch, "sys/class/block/vdy/stat", "1 2 3\n");
	assert_int_equal(sc_traffic_read(scratch->path, "vdy").read_bytes.status, SC_UNSUPPORTED);
	scratch_write(scratch, "sys/class/block/vdz/stat", "");
	assert_int_equal(sc_traffic_read(scratch->path, "vdz").read_bytes.status, SC_UNSUPPORTED);
}

static struct sc_reading of(uint64_t value)
{
	return (struct sc_reading){.status = SC_MEASURED, .value = value};
}

static void reads_and_writes_are_judged_apart(void **state)
{
	static const struct {
		uint64_t reads, writes, own_reads, own_writes, others;
	} cases[] = {
		{0, 0, 0, 0, 0},           {500, 900, 0, 0, 1400},   {500, 900, 500, 900, 0},
		{500, 900, 400, 700, 300}, {500, 900, 0, 5000, 500}, /* more of its own in the page
									cache than on the disk */
		{500, 900, 5000, 0, 900},
	};

	(void)state;
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		const struct sc_traffic before = {of(70), of(80)};
		const struct sc_traffic after = {of(70 + cases[i].reads), of(80 + cases[i].writes)};
		struct sc_usage own = {.read_bytes = of(cases[i].own_reads),
				       .write_bytes = of(cases[i].own_writes)};

		assert_int_equal(sc_traffic_others(&after, &before, &own).value, cases[i].others);
		own.read_bytes = (struct sc_reading){.status = SC_DENIED, .reason = "no"};
		assert_int_equal(sc_traffic_others(&after, &before, &own).status, SC_DENIED);
	}
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE_IN("what another process writes to the disk is seen, and not when it is idle",
			what_another_process_writes_is_seen, scratch_setup, scratch_teardown),
		CASE_IN("control: what the sample itself writes is not of others",
			what_the_sample_itself_writes_is_not_of_others, scratch_setup,
			scratch_teardown),
		CASE_IN("without a disk the sample says why", without_a_disk_the_sample_says_why,
			scratch_setup, scratch_teardown),
		CASE_IN("counters are read from their fields", counters_are_read_from_their_fields,
			scratch_setup, scratch_teardown),
		CASE("reads and writes are judged apart", reads_and_writes_are_judged_apart),
	};

	return cmocka_run_group_tests_name("noise", cases, NULL, NULL);
}
