/* SPDX-License-Identifier: MIT */

/*
 * For LD_PRELOAD: meddles with one client of a sample, or holds all of them up, at a place that
 * does not depend on speed. MEDDLE_FOLDER is where it and the test leave word for one another;
 * MEDDLE says what happens:
 *
 *	skip	the third statement of one client gives SQLITE_DONE and is not run
 *	fail	it gives SQLITE_FULL
 *	before	that client hangs before it
 *	after	it hangs when the statement has been run and committed
 *	sync	it hangs in the first sync of the database, or of the WAL, from then on
 *	absent	one client is killed when it connects
 *	refuse	it cannot connect
 *	start	all wait at the start for "go", after "ready.PID"; "busy.PID" is a first SQLITE_BUSY
 *	stale	the same, but before the first statement that writes
 *	stall	the hundredth statement that writes of each process takes 200 ms longer
 *
 * "hung" holds the number of the process that hangs.
 */

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

static pid_t first_pid; /* the sample's own process */
static bool is_measuring, is_armed, has_waited, was_busy;
static int done;   /* statements that write, in the timed part */
static int stalls; /* the same, of any process */

/* "FOLDER/NAME" made anew; false: it is there. */
static bool leave(const char *name, long number)
{
	const char *folder = getenv("MEDDLE_FOLDER");
	char path[512], text[32];
	int fd;

	(void)snprintf(path, sizeof(path), "%s/%s", folder ? folder : ".", name);
	fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	if (fd < 0)
		return false;
	(void)snprintf(text, sizeof(text), "%ld\n", number);
	(void)!write(fd, text, strlen(text));
	(void)close(fd);
	return true;
}

static void leave_own(const char *name)
{
	char own[64];

	(void)snprintf(own, sizeof(own), "%s.%d", name, (int)getpid());
	(void)leave(own, 0);
}

static void wait_for_go(void)
{
	const struct timespec step = {.tv_nsec = 1000000};
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/go", getenv("MEDDLE_FOLDER"));
	leave_own("ready");
	while (access(path, F_OK) != 0)
		(void)nanosleep(&step, NULL);
}

_Noreturn static void hang(void)
{
	(void)leave("hung", getpid());
	for (;;)
		(void)pause();
}

static bool is_mode(const char *mode)
{
	const char *wanted = getenv("MEDDLE");

	return wanted && strcmp(wanted, mode) == 0;
}

static bool is_client(void)
{
	return first_pid && getpid() != first_pid;
}

__attribute__((constructor)) static void begin(void)
{
	first_pid = getpid();
}

/* --- calls of the program */

/* The next function of this name; ISO C has no cast from an object's address to a function's. */
static void find(void *ret_function, const char *name)
{
	void *address = dlsym(RTLD_NEXT, name);

	memcpy(ret_function, &address, sizeof(address));
}

__attribute__((visibility("default"))) int prctl(int option, ...)
{
	int (*real)(int, unsigned long);
	unsigned long argument;
	va_list arguments;
	int r;

	find(&real, "prctl");
	va_start(arguments, option);
	argument = va_arg(arguments, unsigned long);
	va_end(arguments);
	r = real(option, argument);
	if (option == PR_SET_NAME && (is_client() || is_mode("stall"))) {
		is_measuring = strcmp((const char *)argument, "sc-measure") == 0;
		if (is_measuring && is_mode("start"))
			wait_for_go();
	}
	return r;
}

static bool writes(sqlite3_stmt *statement)
{
	const char *sql = sqlite3_sql(statement);

	return sql && (strncmp(sql, "INSERT", 6) == 0 || strncmp(sql, "UPDATE", 6) == 0);
}

/* Of one client, the third. */
static bool is_chosen(void)
{
	if (done != 2 || is_armed)
		return false;
	is_armed = leave("chosen", getpid());
	return is_armed;
}

__attribute__((visibility("default"))) int sqlite3_step(sqlite3_stmt *statement)
{
	int (*real)(sqlite3_stmt *);
	bool chosen = false, is_write = false;
	int rc;

	find(&real, "sqlite3_step");
	if (is_measuring && is_mode("stall") && writes(statement) && ++stalls == 100)
		(void)nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
	if (is_measuring && is_client() && writes(statement)) {
		is_write = true;
		if (is_mode("stale") && !has_waited) {
			has_waited = true;
			wait_for_go();
		}
		if (!is_mode("start") && !is_mode("stale"))
			chosen = is_chosen();
	}
	if (chosen && is_mode("skip"))
		return SQLITE_DONE;
	if (chosen && is_mode("fail"))
		return SQLITE_FULL;
	if (chosen && is_mode("before"))
		hang();
	rc = real(statement);
	if (chosen && is_mode("after")) {
		while (rc == SQLITE_BUSY) {
			(void)sqlite3_reset(statement);
			rc = real(statement);
		}
		hang();
	}
	done += is_write && rc == SQLITE_DONE;
	if (rc == SQLITE_BUSY && is_measuring && !was_busy) {
		was_busy = true;
		leave_own("busy");
	}
	return rc;
}

/* libsqlite3 calls the tap's, which is the program's and calls this one. */
__attribute__((visibility("default"))) int fdatasync(int fd)
{
	int (*real)(int);
	char link[64], path[512];
	ssize_t n;

	find(&real, "fdatasync");
	if (is_armed && is_mode("sync")) {
		(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
		n = readlink(link, path, sizeof(path) - 1);
		path[n < 0 ? 0 : n] = '\0';
		if (strstr(path, "bench.db") && !strstr(path, "-journal"))
			hang();
	}
	return real(fd);
}

__attribute__((visibility("default"))) int sqlite3_open_v2(const char *path, sqlite3 **db,
							   int flags, const char *vfs)
{
	int (*real)(const char *, sqlite3 **, int, const char *);

	find(&real, "sqlite3_open_v2");
	if (is_client() && is_mode("absent") && leave("chosen", getpid()))
		(void)raise(SIGKILL);
	if (is_client() && is_mode("refuse") && leave("chosen", getpid())) {
		*db = NULL;
		return SQLITE_CANTOPEN;
	}
	return real(path, db, flags, vfs);
}
