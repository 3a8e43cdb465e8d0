/* SPDX-License-Identifier: MIT */
#include "../base/test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>

#include "sweep/child.h"
#include "sweep/sample-process.h"

#define GENEROUS_NS 60000000000u

static struct sc_child_result shell(const char *script, const char *input, uint64_t limit_ns,
				    int interrupt_fd)
{
	char name[] = "sh", option[] = "-c", text[512];
	char *const argv[] = {name, option, text, NULL};
	const struct sc_child_request request = {
		.program = "/bin/sh",
		.argv = argv,
		.input = input,
		.time_limit_ns = limit_ns,
		.interrupt_fd = interrupt_fd,
	};
	struct sc_child_result result = {0};
	struct sc_error error = {0};

	(void)snprintf(text, sizeof(text), "%s", script);
	if (sc_child_run(&request, &result, &error) < 0)
		fail_msg("%s", error.what);
	return result;
}

static size_t count_fds(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t count = 0;

	while (readdir(directory))
		count++;
	(void)closedir(directory);
	return count;
}

static void wait_until_gone(const char *pid_text)
{
	pid_t pid = (pid_t)strtol(pid_text, NULL, 10);
	const struct timespec step = {.tv_nsec = 5000000};

	assert_true(pid > 0);
	for (int i = 0; i < 6000; i++) {
		char path[64], state[256] = "";
		FILE *file;

		(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		file = fopen(path, "re");
		if (!file)
			return;
		(void)!fgets(state, sizeof(state), file);
		(void)fclose(file);
		if (strstr(state, ") Z"))
			return; /* dead; whoever inherited it has yet to notice */
		(void)nanosleep(&step, NULL);
	}
	fail_msg("process %d still runs", (int)pid);
}

static void the_child_reads_its_input_and_its_output_comes_back(void **state)
{
	struct sc_child_result result = shell("cat; echo word >&2", "a line\n", GENEROUS_NS, -1);

	(void)state;
	assert_int_equal(result.end, SC_CHILD_EXITED);
	assert_int_equal(result.status, 0);
	assert_string_equal(result.output, "a line\n");
	assert_string_equal(result.messages, "word\n");
	sc_child_result_fini(&result);
}

static void megabytes_go_both_ways_without_blocking(void **state)
{
	const size_t bytes = 3u << 20;
	char *input = malloc(bytes + 1);
	struct sc_child_result result;

	(void)state;
	memset(input, 'x', bytes);
	input[bytes] = '\0';
	result = shell("cat", input, GENEROUS_NS, -1);
	assert_int_equal(result.end, SC_CHILD_EXITED);
	assert_int_equal(strlen(result.output), bytes);
	assert_string_equal(result.output, input);
	sc_child_result_fini(&result);
	free(input);
}

static void a_child_that_does_not_read_its_input_is_no_error(void **state)
{
	const size_t bytes = 1u << 20;
	char *input = malloc(bytes + 1);
	struct sc_child_result result;

	(void)state;
	memset(input, 'x', bytes);
	input[bytes] = '\0';
	assert_ptr_not_equal(signal(SIGPIPE, SIG_IGN), SIG_ERR);
	result = shell("exec <&-; echo done", input, GENEROUS_NS, -1);
	assert_int_equal(result.end, SC_CHILD_EXITED);
	assert_string_equal(result.output, "done\n");
	sc_child_result_fini(&result);
	free(input);
}

static void an_exit_status_is_told(void **state)
{
	struct sc_child_result result = shell("exit 7", "", GENEROUS_NS, -1);
	char text[96];

	(void)state;
	assert_int_equal(result.end, SC_CHILD_EXITED);
	assert_int_equal(result.status, 7);
	sc_child_reason(&result, text, sizeof(text));
	assert_string_equal(text, "ended with exit status 7");
	sc_child_result_fini(&result);
}

static void a_signal_is_told_by_number_and_name(void **state)
{
	struct sc_child_result result = shell("kill -9 $$", "", GENEROUS_NS, -1);
	char text[96];

	(void)state;
	assert_int_equal(result.end, SC_CHILD_SIGNALLED);
	sc_child_reason(&result, text, sizeof(text));
	assert_string_equal(text, "was killed by signal 9 (Killed)");
	sc_child_result_fini(&result);
}

static void a_child_beyond_its_time_is_killed_with_what_it_started(void **state)
{
	struct sc_child_result result =
		shell("sleep 1000 & echo $!; exec sleep 1000", "", 500000000, -1);
	char text[96];

	(void)state;
	assert_int_equal(result.end, SC_CHILD_TIMED_OUT);
	assert_true(result.elapsed_ns >= 500000000);
	sc_child_reason(&result, text, sizeof(text));
	assert_non_null(strstr(text, "took longer than"));
	wait_until_gone(result.output);
	sc_child_result_fini(&result);
}

static void a_child_that_closed_its_streams_still_has_to_end_in_time(void **state)
{
	struct sc_child_result result = shell("exec >&- 2>&-; exec sleep 1000", "", 300000000, -1);

	(void)state;
	assert_int_equal(result.end, SC_CHILD_TIMED_OUT);
	sc_child_result_fini(&result);
}

static void what_a_child_leaves_running_is_killed(void **state)
{
	struct sc_child_result result =
		shell("sleep 1000 >/dev/null 2>&1 & echo $!", "", GENEROUS_NS, -1);

	(void)state;
	assert_int_equal(result.end, SC_CHILD_EXITED);
	wait_until_gone(result.output);
	sc_child_result_fini(&result);
}

static void an_interrupt_stops_it_even_if_it_came_first(void **state)
{
	struct sc_child_result result;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(write(fds[1], "!", 1), 1);
	result = shell("exec sleep 1000", "", GENEROUS_NS, fds[0]);
	assert_int_equal(result.end, SC_CHILD_INTERRUPTED);
	sc_child_result_fini(&result);
	(void)close(fds[0]);
	(void)close(fds[1]);
}

static void no_descriptor_leaks_to_the_child_or_stays_behind(void **state)
{
	size_t before;
	struct sc_child_result result;
	int inherited = dup(1); /* as a shell would leave one, without close-on-exec */

	(void)state;
	before = count_fds();
	result = shell("exec ls /proc/self/fd", "", GENEROUS_NS, -1);
	assert_string_equal(result.output, "0\n1\n2\n3\n"); /* the last is ls's own */
	assert_int_equal(count_fds(), before);
	sc_child_result_fini(&result);
	(void)close(inherited);
}

static void a_program_that_cannot_be_executed_is_told(void **state)
{
	char name[] = "none";
	char *const argv[] = {name, NULL};
	const struct sc_child_request request = {
		.program = "/nonexistent/program", .argv = argv, .input = "", .interrupt_fd = -1};
	struct sc_child_result result = {0};
	struct sc_error error = {0};

	(void)state;
	assert_int_equal(sc_child_run(&request, &result, &error), 0);
	assert_int_equal(result.status, 127);
	assert_non_null(strstr(result.messages, "could not be executed"));
	sc_child_result_fini(&result);
}

static void a_child_dies_with_its_parent(void **state)
{
	char text[32] = "";
	int fds[2];
	pid_t parent;

	(void)state;
	assert_int_equal(pipe(fds), 0);
	parent = fork();
	if (parent == 0) {
		struct sc_child_result result;
		char script[96];

		(void)snprintf(script, sizeof(script), "echo $$ >/proc/%d/fd/%d; exec sleep 1000",
			       (int)getpid(), fds[1]);
		result = shell(script, "", GENEROUS_NS, -1);
		_exit(result.status);
	}
	(void)close(fds[1]);
	assert_true(read(fds[0], text, sizeof(text) - 1) > 0);
	assert_int_equal(kill(parent, SIGKILL), 0);
	assert_int_equal(waitpid(parent, NULL, 0), parent);
	wait_until_gone(text);
	(void)close(fds[0]);
}

/* --- samples */

static char cell_id[] = "local/commit/insert_one/wal/full/recycled";
static char any_text[] = "x";

static struct sc_sample run_as_sample(const char *script, uint64_t limit_ns)
{
	char path[] = "/tmp/syncost-test-child-XXXXXX";
	const struct sc_sample_spec spec = {
		.kind = SC_SAMPLE_LEDGER,
		.cell_id = cell_id,
		.suite_text = any_text,
		.workload = any_text,
		.directory = any_text,
		.store = any_text,
		.round = 3,
		.setting = sc_setting_default(),
	};
	struct sc_sample_process process = {.time_limit_ns = limit_ns, .interrupt_fd = -1};
	struct sc_sample sample = {0};
	struct sc_error error = {0};
	int fd = mkstemp(path);

	assert_true(fd >= 0);
	assert_int_equal(dprintf(fd, "#!/bin/sh\n%s\n", script), (int)strlen(script) + 11);
	assert_int_equal(fchmod(fd, 0700), 0);
	assert_int_equal(close(fd), 0);
	process.program = path;
	if (sc_sample_process_run(&process, &spec, &sample, &error) < 0)
		fail_msg("%s", error.what);
	assert_int_equal(unlink(path), 0);
	return sample;
}

static void a_sample_that_is_killed_is_a_failed_sample_with_its_reason(void **state)
{
	struct sc_sample sample = run_as_sample("kill -9 $$", GENEROUS_NS);

	(void)state;
	assert_int_equal(sample.status, SC_FAILED);
	assert_string_equal(sample.reason,
			    "sample of local/commit/insert_one/wal/full/recycled was "
			    "killed by signal 9 (Killed)");
	assert_int_equal(sample.kind, SC_SAMPLE_LEDGER);
	assert_int_equal(sample.round, 3);
	sc_sample_fini(&sample);
}

static void the_last_line_of_its_messages_is_in_the_reason(void **state)
{
	struct sc_sample sample =
		run_as_sample("echo noise >&2; echo 'it broke' >&2; exit 3", GENEROUS_NS);

	(void)state;
	assert_string_equal(sample.reason, "sample of local/commit/insert_one/wal/full/recycled "
					   "ended with exit status 3: it broke");
	sc_sample_fini(&sample);
}

static void an_answer_that_is_no_sample_is_a_failure(void **state)
{
	struct sc_sample sample = run_as_sample("echo '{\"kind\": 1}'", GENEROUS_NS);

	(void)state;
	assert_int_equal(sample.status, SC_FAILED);
	assert_non_null(strstr(sample.reason, "ended with exit status 0; sample:"));
	sc_sample_fini(&sample);
}

static void a_sample_beyond_its_time_is_a_failed_sample(void **state)
{
	struct sc_sample sample = run_as_sample("exec sleep 1000", 300000000);

	(void)state;
	assert_int_equal(sample.status, SC_FAILED);
	assert_non_null(strstr(sample.reason, "was stopped: it took longer than"));
	sc_sample_fini(&sample);
}

int main(void)
{
	const struct CMUnitTest cases[] = {
		CASE("the child reads its input, its output and messages come back",
		     the_child_reads_its_input_and_its_output_comes_back),
		CASE("megabytes go both ways without blocking",
		     megabytes_go_both_ways_without_blocking),
		CASE("a child that does not read its input is no error",
		     a_child_that_does_not_read_its_input_is_no_error),
		CASE("an exit status is told", an_exit_status_is_told),
		CASE("a signal is told by number and name", a_signal_is_told_by_number_and_name),
		CASE("a child beyond its time is killed with what it started",
		     a_child_beyond_its_time_is_killed_with_what_it_started),
		CASE("a child that closed its streams still has to end in time",
		     a_child_that_closed_its_streams_still_has_to_end_in_time),
		CASE("what a child leaves running is killed",
		     what_a_child_leaves_running_is_killed),
		CASE("an interrupt stops it, even one that came first",
		     an_interrupt_stops_it_even_if_it_came_first),
		CASE("no descriptor leaks to the child or stays behind",
		     no_descriptor_leaks_to_the_child_or_stays_behind),
		CASE("a program that cannot be executed is told",
		     a_program_that_cannot_be_executed_is_told),
		CASE("a child dies with its parent", a_child_dies_with_its_parent),
		CASE("a sample that is killed is a failed sample with its reason",
		     a_sample_that_is_killed_is_a_failed_sample_with_its_reason),
		CASE("the last line of a sample's messages is in the reason",
		     the_last_line_of_its_messages_is_in_the_reason),
		CASE("an answer that is no sample is a failure",
		     an_answer_that_is_no_sample_is_a_failure),
		CASE("a sample beyond its time is a failed sample",
		     a_sample_beyond_its_time_is_a_failed_sample),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
