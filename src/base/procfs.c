/* SPDX-License-Identifier: MIT */
#include "procfs.h"

/*
 * Sources, and their limits:
 *
 *	cpu          CLOCK_PROCESS_CPUTIME_ID: nanoseconds, ended threads included
 *	major faults getrusage()
 *	run delay    /proc/self/task/TID/schedstat, second field, summed over the threads there are;
 *	             what a thread waited before it ended is lost with it
 *	read bytes   /proc/self/io: what was fetched from storage
 *	write bytes  /proc/self/io: counted when a page is first dirtied, not when it is written
 *	steal        /proc/stat, first line, eighth field, in clock ticks (mostly 10 ms)
 *
 * A file that is not there, or not ours to read, is a status, not an error.
 */

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "attr.h"
#include "scan.h"

#define NS_PER_S   1000000000ull
#define TEXT_BYTES 4096 /* of what is read from a file: its first lines */

static struct sc_reading measured(uint64_t value)
{
	return (struct sc_reading){.status = SC_MEASURED, .value = value};
}

static struct sc_reading unsupported(const char *reason)
{
	return (struct sc_reading){.status = SC_UNSUPPORTED, .reason = reason};
}

static bool is_refusal(int code)
{
	return code == -EACCES || code == -EPERM;
}

/* The first TEXT_BYTES - 1 bytes of a file, NUL-terminated. Return: 0 or a negative errno value. */
static int read_text(const char *path, char text[TEXT_BYTES])
{
	SC_CLEANUP(sc_fd_closep) int fd = open(path, O_RDONLY | O_CLOEXEC);
	size_t bytes = 0;
	ssize_t got;

	if (fd < 0)
		return -errno;
	do {
		got = read(fd, text + bytes, TEXT_BYTES - 1 - bytes);
		if (got < 0 && errno != EINTR)
			return -errno;
		if (got > 0)
			bytes += (size_t)got;
	} while (got != 0 && bytes < TEXT_BYTES - 1);
	text[bytes] = '\0';
	return 0;
}

/* The number after @key, which begins a line. */
static bool find_number(const char *text, const char *key, uint64_t *ret_value)
{
	const char *line = text;

	while (line) {
		if (sc_scan_text(&line, key))
			return sc_scan_u64(&line, ret_value);
		line = strchr(line, '\n');
		if (line)
			line++;
	}
	return false;
}

static struct sc_reading read_cpu(void)
{
	struct timespec cpu;

	if (clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &cpu) < 0)
		return unsupported("no clock of the process's CPU time");
	return measured((uint64_t)cpu.tv_sec * NS_PER_S + (uint64_t)cpu.tv_nsec);
}

static struct sc_reading read_major_faults(void)
{
	struct rusage usage;

	if (getrusage(RUSAGE_SELF, &usage) < 0)
		return unsupported("getrusage failed");
	return measured((uint64_t)usage.ru_majflt);
}

/* @key: of a line, with its colon; @missing: the reason where it is not there */
static struct sc_reading read_io(const char *root, const char *key, const char *missing)
{
	char path[PATH_MAX], text[TEXT_BYTES];
	uint64_t value;
	int r;

	(void)snprintf(path, sizeof(path), "%s/proc/self/io", root);
	r = read_text(path, text);
	if (is_refusal(r))
		return (struct sc_reading){.status = SC_DENIED,
					   .reason = "/proc/self/io may not be read"};
	if (r < 0)
		return unsupported("no /proc/self/io: the kernel does not account I/O");
	if (!find_number(text, key, &value))
		return unsupported(missing);
	return measured(value);
}

static struct sc_reading read_steal(const char *root)
{
	char path[PATH_MAX], text[TEXT_BYTES];
	long ticks_per_s = sysconf(_SC_CLK_TCK);
	const char *at = text;
	uint64_t ticks;

	(void)snprintf(path, sizeof(path), "%s/proc/stat", root);
	if (read_text(path, text) < 0 || ticks_per_s <= 0)
		return unsupported("no /proc/stat");
	/* user, nice, system, idle, iowait, irq, softirq; then steal */
	if (!sc_scan_text(&at, "cpu ") || !sc_scan_skip(&at, 7) || !sc_scan_u64(&at, &ticks))
		return unsupported("/proc/stat does not count steal");
	return measured(ticks * (NS_PER_S / (uint64_t)ticks_per_s));
}

struct schedstat {
	uint64_t run_delay_ns;
	uint64_t slices; /* how often it ran */
};

/* Adds one thread's; a thread that has just ended adds nothing. */
static void add_thread(const char *tasks, const char *thread, struct schedstat *total)
{
	char path[PATH_MAX + NAME_MAX + 16], text[TEXT_BYTES];
	const char *at = text;
	uint64_t run_delay_ns, slices;

	(void)snprintf(path, sizeof(path), "%s/%s/schedstat", tasks, thread);
	if (read_text(path, text) < 0)
		return;
	if (!sc_scan_skip(&at, 1) || !sc_scan_u64(&at, &run_delay_ns) || !sc_scan_u64(&at, &slices))
		return;
	total->run_delay_ns += run_delay_ns;
	total->slices += slices;
}

static void closedirp(DIR **directory)
{
	if (*directory)
		(void)closedir(*directory); /* read-only */
	*directory = NULL;
}

static struct sc_reading read_run_delay(const char *root)
{
	SC_CLEANUP(closedirp) DIR *directory = NULL;
	struct schedstat total = {0};
	const struct dirent *entry;
	char tasks[PATH_MAX];

	(void)snprintf(tasks, sizeof(tasks), "%s/proc/self/task", root);
	directory = opendir(tasks);
	if (!directory)
		return unsupported("no /proc/self/task");
	while ((entry = readdir(directory))) {
		if (entry->d_name[0] != '.')
			add_thread(tasks, entry->d_name, &total);
	}
	/* A thread that reads this has run: zeros are a kernel that does not count. */
	if (total.slices == 0)
		return unsupported("the kernel keeps no scheduler statistics");
	return measured(total.run_delay_ns);
}

struct sc_usage sc_usage_read(const char *root)
{
	return (struct sc_usage){
		.cpu_ns = read_cpu(),
		.major_faults = read_major_faults(),
		.run_delay_ns = read_run_delay(root),
		.read_bytes = read_io(root, "read_bytes:", "/proc/self/io has no read_bytes"),
		.write_bytes = read_io(root, "write_bytes:", "/proc/self/io has no write_bytes"),
		.steal_ns = read_steal(root),
	};
}

static struct sc_reading difference(struct sc_reading later, struct sc_reading earlier)
{
	if (later.status != SC_MEASURED)
		return later;
	if (earlier.status != SC_MEASURED)
		return earlier;
	return measured(later.value > earlier.value ? later.value - earlier.value : 0);
}

struct sc_usage sc_usage_since(const struct sc_usage *later, const struct sc_usage *earlier)
{
	return (struct sc_usage){
		.cpu_ns = difference(later->cpu_ns, earlier->cpu_ns),
		.major_faults = difference(later->major_faults, earlier->major_faults),
		.run_delay_ns = difference(later->run_delay_ns, earlier->run_delay_ns),
		.read_bytes = difference(later->read_bytes, earlier->read_bytes),
		.write_bytes = difference(later->write_bytes, earlier->write_bytes),
		.steal_ns = difference(later->steal_ns, earlier->steal_ns),
	};
}

static void add_reading(struct sc_reading *into, const struct sc_reading *more)
{
	if (into->status != SC_MEASURED)
		return;
	if (more->status == SC_MEASURED)
		into->value += more->value;
	else
		*into = *more;
}

void sc_usage_add(struct sc_usage *into, const struct sc_usage *more)
{
	add_reading(&into->cpu_ns, &more->cpu_ns);
	add_reading(&into->major_faults, &more->major_faults);
	add_reading(&into->run_delay_ns, &more->run_delay_ns);
	add_reading(&into->read_bytes, &more->read_bytes);
	add_reading(&into->write_bytes, &more->write_bytes);
	add_reading(&into->steal_ns, &more->steal_ns);
}

int sc_process_start_ticks(const char *root, pid_t pid, uint64_t *ret_ticks)
{
	char path[PATH_MAX], text[TEXT_BYTES];
	const char *at;
	int r;

	(void)snprintf(path, sizeof(path), "%s/proc/%d/stat", root, (int)pid);
	r = read_text(path, text);
	if (r < 0)
		return r == -ESRCH ? -ENOENT : r;

	/* Field 22; the second one, the name in parentheses, may hold anything. */
	at = strrchr(text, ')');
	if (!at)
		return -EBADMSG;
	at++;
	if (!sc_scan_skip(&at, 19) || !sc_scan_u64(&at, ret_ticks))
		return -EBADMSG;
	return 0;
}
