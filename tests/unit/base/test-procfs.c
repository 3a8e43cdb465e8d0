/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/host.h"
#include "base/procfs.h"
#include "fault.h"
#include "scratch.h"
#include "skip.h"

#define TMPFS_MAGIC 0x01021994

static void write_machine(const struct scratch *scratch)
{
	scratch_write(scratch, "proc/self/task/100/schedstat", "5000 700 9\n");
	scratch_write(scratch, "proc/self/task/101/schedstat", "6000 3000000000042 2\n");
	scratch_write(scratch, "proc/self/io",
		      "rchar: 1\nwchar: 2\nsyscr: 3\nsyscw: 4\nread_bytes: 5\n"
		      "write_bytes: 123456789012\ncancelled_write_bytes: 7\n");
	scratch_write(scratch, "proc/stat",
		      "cpu  4584 0 5092 185927 483 0 158 321 0 0\ncpu0 1 2 3 4 5 6 7 8 9 0\n");
}

static void counters_are_read_from_their_files(void **state)
{
	const struct scratch *scratch = *state;
	uint64_t tick_ns = 1000000000u / (uint64_t)sysconf(_SC_CLK_TCK);
	struct sc_usage usage;

	write_machine(scratch);
	usage = sc_usage_read(scratch->path);
	assert_int_equal(usage.run_delay_ns.status, SC_MEASURED);
	assert_int_equal(usage.run_delay_ns.value, 3000000000742);
	assert_int_equal(usage.write_bytes.status, SC_MEASURED);
	assert_int_equal(usage.write_bytes.value, 123456789012);
	assert_int_equal(usage.steal_ns.status, SC_MEASURED);
	assert_int_equal(usage.steal_ns.value, 321 * tick_ns);
	assert_null(usage.steal_ns.reason);
}

static void check_absent(struct sc_reading reading)
{
	assert_int_equal(reading.status, SC_UNSUPPORTED);
	assert_int_equal(reading.value, 0);
	assert_non_null(reading.reason);
}

static void what_is_not_there_says_why(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_usage usage = sc_usage_read(scratch->path);

	check_absent(usage.run_delay_ns);
	check_absent(usage.write_bytes);
	check_absent(usage.steal_ns);

	scratch_write(scratch, "proc/self/task/100/schedstat", "0 0 0\n");
	scratch_write(scratch, "proc/self/io", "rchar: 1\ncancelled_write_bytes: 7\n");
	scratch_write(scratch, "proc/stat", "cpu  4584 0 5092 185927\n");
	usage = sc_usage_read(scratch->path);
	check_absent(usage.run_delay_ns);
	check_absent(usage.write_bytes);
	check_absent(usage.steal_ns);
	assert_non_null(strstr(usage.run_delay_ns.reason, "no scheduler statistics"));
}

static void what_is_refused_is_denied(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_usage usage;
	unsigned nth;

	write_machine(scratch);
	for (nth = 1; nth < 20; nth++) {
		fault_begin_at("open64", nth, EACCES);
		usage = sc_usage_read(scratch->path);
		if (!fault_end())
			break;
		if (usage.write_bytes.status == SC_DENIED) {
			assert_string_equal(usage.write_bytes.reason,
					    "/proc/self/io may not be read");
			return;
		}
	}
	fail_msg("no failed open made write_bytes denied");
}

static void a_difference_needs_both_ends(void **state)
{
	struct sc_usage earlier = {0}, later = {0}, since;

	(void)state;
	earlier.cpu_ns.value = 100;
	later.cpu_ns.value = 350;
	earlier.run_delay_ns.value = 9;
	later.run_delay_ns.value = 5; /* a thread ended */
	earlier.write_bytes = (struct sc_reading){.status = SC_DENIED, .reason = "why"};
	later.write_bytes.value = 77;
	later.steal_ns = (struct sc_reading){.status = SC_UNSUPPORTED, .reason = "none"};
	since = sc_usage_since(&later, &earlier);
	assert_int_equal(since.cpu_ns.value, 250);
	assert_int_equal(since.run_delay_ns.status, SC_MEASURED);
	assert_int_equal(since.run_delay_ns.value, 0);
	assert_int_equal(since.write_bytes.status, SC_DENIED);
	assert_int_equal(since.write_bytes.value, 0);
	assert_string_equal(since.write_bytes.reason, "why");
	assert_int_equal(since.steal_ns.status, SC_UNSUPPORTED);
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec now;

	assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now), 0);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void *burn(void *argument)
{
	uint64_t start_ns = thread_cpu_ns();

	while (thread_cpu_ns() - start_ns < *(const uint64_t *)argument)
		;
	return NULL;
}

/* Also that of a thread which has ended. */
static void cpu_time_is_the_whole_process(void **state)
{
	uint64_t burnt_ns = 20000000;
	struct sc_usage earlier, later, since;
	pthread_t thread;

	(void)state;
	earlier = sc_usage_read("");
	assert_int_equal(pthread_create(&thread, NULL, burn, &burnt_ns), 0);
	(void)burn(&burnt_ns);
	assert_int_equal(pthread_join(thread, NULL), 0);
	later = sc_usage_read("");
	since = sc_usage_since(&later, &earlier);
	assert_int_equal(since.cpu_ns.status, SC_MEASURED);
	assert_true(since.cpu_ns.value >= 2 * burnt_ns);
	assert_int_equal(since.major_faults.status, SC_MEASURED);
}

/* A hog on the same CPU: what we wait for it is run delay, and no sleep is. */
static void run_delay_is_waiting_for_a_cpu(void **state)
{
	const struct timespec nap = {.tv_nsec = 100000000};
	uint64_t burnt_ns = 100000000;
	struct sc_usage before, idle, busy;
	cpu_set_t one, kept;
	int status;
	pid_t hog;

	(void)state;
	before = sc_usage_read("");
	if (before.run_delay_ns.status != SC_MEASURED)
		skip_because("%s", before.run_delay_ns.reason);
	assert_int_equal(nanosleep(&nap, NULL), 0);
	idle = sc_usage_read("");

	assert_int_equal(sched_getaffinity(0, sizeof(kept), &kept), 0);
	CPU_ZERO(&one);
	for (size_t cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&one) == 0; cpu++) {
		if (CPU_ISSET(cpu, &kept))
			CPU_SET(cpu, &one);
	}
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	hog = fork();
	assert_true(hog >= 0);
	if (hog == 0) {
		for (;;)
			(void)burn(&burnt_ns);
	}
	(void)burn(&burnt_ns);
	busy = sc_usage_read("");
	assert_int_equal(kill(hog, SIGKILL), 0);
	assert_int_equal(waitpid(hog, &status, 0), hog);
	assert_int_equal(sched_setaffinity(0, sizeof(kept), &kept), 0);

	assert_true(sc_usage_since(&busy, &idle).run_delay_ns.value > 10000000);
	assert_true(sc_usage_since(&idle, &before).run_delay_ns.value <
		    sc_usage_since(&busy, &idle).run_delay_ns.value);
}

static void written_bytes_are_those_written(void **state)
{
	const struct scratch *scratch = *state;
	static char data[1 << 20];
	struct sc_usage earlier, later, since;
	struct statfs at;
	FILE *file;

	assert_int_equal(statfs(scratch->path, &at), 0);
	if (at.f_type == TMPFS_MAGIC)
		skip_because("the kernel does not account writes to tmpfs");
	earlier = sc_usage_read("");
	if (earlier.write_bytes.status != SC_MEASURED)
		skip_because("%s", earlier.write_bytes.reason);
	file = fopen(scratch_path(scratch, "file"), "w");
	assert_non_null(file);
	assert_int_equal(fwrite(data, 1, sizeof(data), file), sizeof(data));
	assert_int_equal(fflush(file), 0);
	assert_int_equal(fsync(fileno(file)), 0);
	assert_int_equal(fclose(file), 0);
	later = sc_usage_read("");
	since = sc_usage_since(&later, &earlier);
	assert_in_range(since.write_bytes.value, sizeof(data), 2 * sizeof(data));
}

static void a_process_start_is_known_by_its_number(void **state)
{
	const struct scratch *scratch = *state;
	uint64_t ticks = 0;

	scratch_write(
		scratch, "proc/42/stat",
		"42 (a) S (b)) S 1 42 42 0 -1 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 100 200\n");
	assert_int_equal(sc_process_start_ticks(scratch->path, 42, &ticks), 0);
	assert_int_equal(ticks, 987654);
	assert_int_equal(sc_process_start_ticks(scratch->path, 43, &ticks), -ENOENT);
	scratch_write(scratch, "proc/44/stat", "44 (short) S 1\n");
	assert_int_equal(sc_process_start_ticks(scratch->path, 44, &ticks), -EBADMSG);
	scratch_write(scratch, "proc/45/stat", "");
	assert_int_equal(sc_process_start_ticks(scratch->path, 45, &ticks), -EBADMSG);
}

static void a_real_process_has_started_before_now_and_after_us(void **state)
{
	uint64_t own = 0, child = 0, again = 0;
	struct timespec now;
	uint64_t now_ticks;
	int ends[2], status;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(sc_process_start_ticks("", getpid(), &own), 0);
	assert_int_equal(pipe(ends), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)close(ends[1]);
		_exit(read(ends[0], &byte, 1) == 0 ? 0 : 1);
	}
	assert_int_equal(close(ends[0]), 0);
	assert_int_equal(sc_process_start_ticks("", pid, &child), 0);
	assert_int_equal(clock_gettime(CLOCK_BOOTTIME, &now), 0);
	now_ticks = ((uint64_t)now.tv_sec + 1) * (uint64_t)sysconf(_SC_CLK_TCK);
	assert_true(own <= child);
	assert_true(child <= now_ticks);
	assert_int_equal(sc_process_start_ticks("", pid, &again), 0);
	assert_int_equal(again, child);
	assert_int_equal(close(ends[1]), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	assert_int_equal(sc_process_start_ticks("", pid, &child), -ENOENT);
}

static void check_cpu(const struct scratch *scratch, const char *cpuinfo, const char *expected)
{
	SC_CLEANUP(sc_host_fini) struct sc_host host = {0};
	struct sc_error error;

	scratch_write(scratch, "proc/cpuinfo", cpuinfo);
	assert_int_equal(sc_host_read(scratch->path, &host, &error), 0);
	assert_string_equal(host.cpu, expected);
}

static void the_cpu_is_named_on_each_architecture(void **state)
{
	const struct scratch *scratch = *state;

	check_cpu(scratch,
		  "processor\t: 0\ncpu family\t: 6\nmodel\t\t: 85\n"
		  "model name\t: Intel(R) Xeon(R)   CPU  @ 2.00GHz  \nflags\t: a b\n",
		  "Intel(R) Xeon(R) CPU @ 2.00GHz");
	check_cpu(scratch, "processor\t: 0\ncpu\t\t: POWER9, altivec supported\nclock\t: 1\n",
		  "POWER9, altivec supported");
	check_cpu(scratch, "system type\t: x\ncpu model\t\t: MIPS 1004Kc V2.15\n",
		  "MIPS 1004Kc V2.15");
	check_cpu(scratch,
		  "processor\t: 0\nBogoMIPS\t: 108.00\nModel\t\t: Raspberry Pi 4 Model B\n",
		  "Raspberry Pi 4 Model B");
}

static void without_a_model_the_architecture_stands_in(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_host_fini) struct sc_host host = {0};
	struct sc_error error;

	assert_int_equal(sc_host_read(scratch->path, &host, &error), 0);
	assert_true(strlen(host.cpu) > 0);
	assert_int_equal(host.memory_status, SC_UNSUPPORTED);
	sc_host_fini(&host);
	scratch_write(scratch, "proc/cpuinfo",
		      "processor\t: 0\nBogoMIPS\t: 50.00\nmodel name\t:\n");
	scratch_write(scratch, "proc/meminfo", "MemTotal:       24683620 kB\nMemFree: 1 kB\n");
	assert_int_equal(sc_host_read(scratch->path, &host, &error), 0);
	assert_true(strlen(host.cpu) > 0);
	assert_int_equal(host.memory_status, SC_MEASURED);
	assert_int_equal(host.memory_bytes, 24683620ull * 1024);
}

static void this_machine_has_a_name_and_memory(void **state)
{
	SC_CLEANUP(sc_host_fini) struct sc_host host = {0};
	struct sc_error error;
	char name[256];

	(void)state;
	assert_int_equal(sc_host_read("", &host, &error), 0);
	assert_int_equal(gethostname(name, sizeof(name)), 0);
	assert_string_equal(host.name, name);
	assert_int_equal(strncmp(host.kernel, "Linux ", 6), 0);
	assert_int_equal(host.cpu_count, sysconf(_SC_NPROCESSORS_ONLN));
	assert_true(host.memory_bytes > 64u << 20);
}

static void the_load_is_that_of_the_last_minute(void **state)
{
	static const struct {
		const char *text;
		double load; /* < 0: not known */
	} cases[] = {
		{"9.25 0.58 0.59 1/467 12345\n", 9.25},
		{"0.07 1.00 2.00 1/9 1\n", 0.07},
		{"112.50 1.00 2.00 1/9 1\n", 112.5},
		{"nonsense\n", -1},
		{"9.25", -1},
		{"", -1},
	};
	const struct scratch *scratch = *state;

	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		SC_CLEANUP(sc_host_fini) struct sc_host host = {0};
		struct sc_error error;

		scratch_write(scratch, "proc/loadavg", cases[i].text);
		assert_int_equal(sc_host_read(scratch->path, &host, &error), 0);
		assert_int_equal(host.load_status,
				 cases[i].load < 0 ? SC_UNSUPPORTED : SC_MEASURED);
		if (cases[i].load >= 0)
			assert_true(host.load - cases[i].load < 1e-9 &&
				    cases[i].load - host.load < 1e-9);
	}
}

static void each_failed_call_leaves_a_host_or_an_error(void **state)
{
	const struct scratch *scratch = *state;

	scratch_write(scratch, "proc/cpuinfo", "model name\t: X\n");
	scratch_write(scratch, "proc/meminfo", "MemTotal: 1 kB\n");
	for (unsigned nth = 1;; nth++) {
		SC_CLEANUP(sc_host_fini) struct sc_host host = {0};
		struct sc_error error;
		int r;

		fault_begin(nth, EIO);
		r = sc_host_read(scratch->path, &host, &error);
		if (!fault_end()) {
			assert_int_equal(r, 0);
			break;
		}
		assert_true(r == 0 || r == -ENOMEM);
		if (r == 0) {
			assert_non_null(host.cpu);
		} else {
			assert_null(host.cpu);
		}
	}
}

#define IN(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest cases[] = {
		IN("counters are read from their files", counters_are_read_from_their_files),
		IN("what is not there says why", what_is_not_there_says_why),
		IN("what is refused is denied", what_is_refused_is_denied),
		CASE("a difference needs both ends", a_difference_needs_both_ends),
		CASE("CPU time is that of the whole process, ended threads too",
		     cpu_time_is_the_whole_process),
		CASE("run delay is waiting for a CPU", run_delay_is_waiting_for_a_cpu),
		IN("written bytes are those written", written_bytes_are_those_written),
		IN("a process's start is known by its number",
		   a_process_start_is_known_by_its_number),
		CASE("a real process started before now and after us",
		     a_real_process_has_started_before_now_and_after_us),
		IN("the load is that of the last minute", the_load_is_that_of_the_last_minute),
		IN("the CPU is named on each architecture", the_cpu_is_named_on_each_architecture),
		IN("without a model the architecture stands in",
		   without_a_model_the_architecture_stands_in),
		CASE("this machine has a name and memory", this_machine_has_a_name_and_memory),
		IN("each failed call leaves a host or an error",
		   each_failed_call_leaves_a_host_or_an_error),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
