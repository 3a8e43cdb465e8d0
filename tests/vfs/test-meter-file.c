/* SPDX-License-Identifier: MIT */
/* The meter as a file: where it is, who may read it, what outlives a process, what fork() does. */

#include "scene.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "skip.h"

/* On tmpfs, and nobody else's: another start would remove what a case leaves behind. */
static char shm[64];

static void need_tmpfs(void)
{
	if (!shm[0])
		skip_because("/dev/shm is not writable here");
}

static char *meter_path_of(pid_t pid)
{
	static char path[128];

	snprintf(path, sizeof(path), "%s/syncost-meter.%d", shm, (int)pid);
	return path;
}

static int start_in_shm(void)
{
	return syncost_start(&(struct syncost_options){.directory = shm});
}

/* Runs @body in a child; returns its exit status, or 128 + signal. */
static int in_child(void (*body)(int fd), int fd)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		body(fd);
		exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

static void require(bool condition, int code)
{
	if (!condition)
		_exit(code);
}

/* --- one process */

static void look_at_own_file(int fd)
{
	struct stat facts;

	(void)fd;
	require(start_in_shm() == 0, 1);
	require(syncost_meter_path() != NULL, 2);
	require(strcmp(syncost_meter_path(), meter_path_of(getpid())) == 0, 3);
	require(stat(syncost_meter_path(), &facts) == 0, 4);
	require((facts.st_mode & 07777) == 0600, 5);
	require((uint64_t)facts.st_size == sizeof(struct sc_meter), 6);
	/* Sparse: what nobody has used is not there. */
	require((uint64_t)facts.st_blocks * 512 < 500000, 7);
	require(syncost_stop() == 0, 8);
	require(access(meter_path_of(getpid()), F_OK) != 0 && errno == ENOENT, 9);
	require(syncost_meter_path() == NULL, 10);
}

static void it_is_private_and_gone_after_the_stop(void **state)
{
	(void)state;
	need_tmpfs();
	umask(0);
	assert_int_equal(in_child(look_at_own_file, -1), 0);
}

static void end_without_stop(int fd)
{
	pid_t pid = getpid();

	require(start_in_shm() == 0, 1);
	require(access(meter_path_of(pid), F_OK) == 0, 2);
	require(write(fd, &pid, sizeof(pid)) == sizeof(pid), 3);
}

static void it_is_gone_after_a_normal_exit(void **state)
{
	int fds[2];
	pid_t pid;

	(void)state;
	need_tmpfs();
	assert_int_equal(pipe(fds), 0);
	assert_int_equal(in_child(end_without_stop, fds[1]), 0);
	assert_int_equal(read(fds[0], &pid, sizeof(pid)), sizeof(pid));
	assert_int_not_equal(access(meter_path_of(pid), F_OK), 0);
	close(fds[0]);
	close(fds[1]);
}

static void only_tmpfs_will_do(void **state)
{
	(void)state;
	assert_int_equal(syncost_start(&(struct syncost_options){.directory = "/no/such"}),
			 -ENOENT);
	assert_int_equal(syncost_start(&(struct syncost_options){.directory = "/proc"}), -EINVAL);
	assert_null(syncost_meter_path());
}

static void start_under_limit(int fd)
{
	struct rlimit limit = {1 << 20, 1 << 20};

	(void)fd;
	require(setrlimit(RLIMIT_FSIZE, &limit) == 0, 1);
	require(start_in_shm() == -EFBIG, 2);
	require(access(meter_path_of(getpid()), F_OK) != 0, 3);
}

static void a_file_size_limit_is_an_error_and_no_signal(void **state)
{
	(void)state;
	need_tmpfs();
	assert_int_equal(in_child(start_under_limit, -1), 0);
}

/* --- a tmpfs that is full */

static void *insert_on_a_thread(void *argument)
{
	sqlite3 *db = NULL;
	char sql[64] = "CREATE TABLE t(a); INSERT INTO t VALUES(1)";

	(void)argument;
	if (sqlite3_open_v2(":memory:", &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE,
			    SHIM_NAME) != SQLITE_OK ||
	    sqlite3_close(db) != SQLITE_OK)
		_exit(20);
	if (sqlite3_open_v2(argument, &db, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, SHIM_NAME) !=
		    SQLITE_OK ||
	    sqlite3_exec(db, sql, NULL, NULL, NULL) != SQLITE_OK || sqlite3_close(db) != SQLITE_OK)
		_exit(21);
	return NULL;
}

/* More threads than a tmpfs of this size has room for; each still does its work. */
static void work_on_a_full_tmpfs(uint32_t kib, bool must_start)
{
	struct syncost_snapshot *snapshot = NULL;
	pthread_t threads[16];
	char paths[16][700], options[64];
	int r;

	under_register();
	under_clear();
	snprintf(options, sizeof(options), "size=%uk", kib);
	if (unshare(CLONE_NEWNS) != 0 || mount("none", "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
	    mount("tmpfs", shm, "tmpfs", 0, options) != 0)
		_exit(77);
	r = start_in_shm();
	if (!must_start) {
		require(r == -ENOSPC, 1);
		return;
	}
	require(r == 0, 2);
	require(syncost_register(UNDER_NAME, SHIM_NAME, false) == 0, 3);
	for (int i = 0; i < 16; i++) {
		char name[16];

		snprintf(name, sizeof(name), "%d.db", i);
		strcpy(paths[i], scene_path(name));
		require(pthread_create(&threads[i], NULL, insert_on_a_thread, paths[i]) == 0, 4);
	}
	for (int i = 0; i < 16; i++)
		pthread_join(threads[i], NULL);
	require(syncost_snapshot(&snapshot) == 0, 5);
	require(snapshot->calls_dropped > 0, 6);
	syncost_snapshot_free(snapshot);
}

static void work_with_little_room(int fd)
{
	(void)fd;
	work_on_a_full_tmpfs(600, true);
}

static void work_with_no_room(int fd)
{
	(void)fd;
	work_on_a_full_tmpfs(16, false);
}

static void a_full_tmpfs_costs_counts_and_no_process(void **state)
{
	int status;

	(void)state;
	need_tmpfs();
	status = in_child(work_with_little_room, -1);
	if (status == 77)
		skip_because("mounting is not permitted here");
	assert_int_equal(status, 0);
	assert_int_equal(in_child(work_with_no_room, -1), 0);
}

/* --- two processes */

static void work(const char *name, int rows)
{
	sqlite3 *db = scene_open(name);

	run(db, "PRAGMA journal_mode = WAL; CREATE TABLE IF NOT EXISTS t(a)");
	for (int i = 0; i < rows; i++)
		run(db, "INSERT INTO t VALUES(%d)", i);
	scene_close(db);
}

static void work_and_be_killed(int fd)
{
	under_register();
	under_clear();
	require(start_in_shm() == 0, 1);
	require(syncost_register(UNDER_NAME, SHIM_NAME, false) == 0, 2);
	work("a.db", 25);
	(void)fd;
	raise(SIGKILL);
}

static void a_killed_process_loses_nothing(void **state)
{
	struct syncost_snapshot *snapshot = NULL;
	char path[128];
	pid_t pid;
	int status;

	(void)state;
	need_tmpfs();
	pid = fork();
	if (pid == 0) {
		work_and_be_killed(-1);
		_exit(1);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));

	snprintf(path, sizeof(path), "%s", meter_path_of(pid));
	assert_int_equal(syncost_snapshot_read(path, &snapshot), 0);
	assert_int_equal(snapshot->pid, pid);
	assert_int_equal(snapshot->instruments, 1u << SC_INSTRUMENT_VFS);
	/* journal_mode, the table, the rows */
	assert_int_equal(snapshot->transactions, 27);
	assert_int_equal(database_of(snapshot, "a.db")->wal_frames,
			 calls_of(snapshot, SC_ROLE_WAL, SC_OP_WRITE) / 2);
	assert_int_equal(snapshot->commit_count, 27);
	syncost_snapshot_free(snapshot);

	/* It is stale; the next start removes it, and not what lives. */
	assert_int_equal(access(path, F_OK), 0);
	assert_int_equal(in_child(look_at_own_file, -1), 0);
	assert_int_not_equal(access(path, F_OK), 0);
}

static void wait_for_word(int fd)
{
	char word;

	require(start_in_shm() == 0, 1);
	require(write(fd, "r", 1) == 1, 2);
	require(read(fd, &word, 1) == 1, 3);
	require(access(meter_path_of(getpid()), F_OK) == 0, 4);
}

static void a_living_process_keeps_its_file(void **state)
{
	int fds[2], status;
	pid_t pid;
	char word;

	(void)state;
	need_tmpfs();
	assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, fds), 0);
	pid = fork();
	if (pid == 0) {
		wait_for_word(fds[1]);
		exit(0);
	}
	assert_int_equal(read(fds[0], &word, 1), 1);
	assert_int_equal(in_child(look_at_own_file, -1), 0);
	assert_int_equal(write(fds[0], "g", 1), 1);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(status, 0);
	close(fds[0]);
	close(fds[1]);
}

static int make_file(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_EXCL, 0600);

	assert_true(fd >= 0);
	return fd;
}

static pid_t number_of_the_dead(void)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	return pid;
}

static void one_sign_of_life_is_enough(void **state)
{
	char living[128], locked[128], dead[128], foreign[128];
	pid_t pid = number_of_the_dead();
	int living_fd, locked_fd, dead_fd, foreign_fd;

	(void)state;
	need_tmpfs();
	/* Of a process that lives, here or under the same number elsewhere; nobody locks it. */
	snprintf(living, sizeof(living), "%s", meter_path_of(getppid()));
	/* Locked by somebody, although no process has this number here. */
	snprintf(locked, sizeof(locked), "%s", meter_path_of(pid));
	snprintf(dead, sizeof(dead), "%s", meter_path_of(number_of_the_dead()));
	snprintf(foreign, sizeof(foreign), "%s/syncost-meter.x", shm);
	living_fd = make_file(living);
	locked_fd = make_file(locked);
	dead_fd = make_file(dead);
	foreign_fd = make_file(foreign);
	assert_int_equal(flock(locked_fd, LOCK_EX | LOCK_NB), 0);

	assert_int_equal(in_child(look_at_own_file, -1), 0);
	assert_int_equal(access(living, F_OK), 0);
	assert_int_equal(access(locked, F_OK), 0);
	assert_int_equal(access(foreign, F_OK), 0);
	assert_int_not_equal(access(dead, F_OK), 0);

	unlink(living);
	unlink(locked);
	unlink(foreign);
	close(living_fd);
	close(locked_fd);
	close(dead_fd);
	close(foreign_fd);
}

static void files_that_are_no_meter_are_refused(void **state)
{
	struct syncost_snapshot *snapshot = NULL;
	char *zeros = calloc(1, 4096);
	int fd;

	(void)state;
	assert_non_null(zeros);
	assert_int_equal(syncost_snapshot_read(scene_path("none"), &snapshot), -ENOENT);
	assert_int_equal(syncost_snapshot_read("/", &snapshot), -EBADMSG);

	fd = open(scene_path("m"), O_RDWR | O_CREAT, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, zeros, 4096), 4096);
	assert_int_equal(syncost_snapshot_read(scene_path("m"), &snapshot), -EBADMSG);
	assert_int_equal(ftruncate(fd, sizeof(struct sc_meter)), 0);
	assert_int_equal(syncost_snapshot_read(scene_path("m"), &snapshot), -EBADMSG);
	assert_null(snapshot);
	close(fd);
	free(zeros);
}

/* --- fork */

static void a_child_starts_a_capture_of_its_own(void **state)
{
	struct syncost_snapshot *snapshot = NULL;
	uint64_t before;
	int status;
	pid_t pid;

	(void)state;
	work("a.db", 5);
	before = take()->transactions;
	pid = fork();
	if (pid == 0) {
		require(syncost_snapshot(&snapshot) == -EINVAL, 1); /* nothing recorded yet */
		require(syncost_reset() == -EINVAL, 7);
		work("b.db", 3);
		require(syncost_snapshot(&snapshot) == 0, 2);
		require(snapshot->transactions == 5, 3);
		require(snapshot->pid == (uint32_t)getpid(), 4);
		require(database_of(snapshot, "b.db")->commits == 5, 5);
		require(database_of(snapshot, "a.db")->commits == 0, 6);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
	assert_int_equal(take()->transactions, before);
	work("c.db", 1);
	assert_int_equal(take()->transactions, before + 3);
}

/* It need not: but a program may not know that it is a child. */
static void a_child_may_start_before_it_works(void **state)
{
	struct syncost_snapshot *snapshot = NULL;
	int status;
	pid_t pid;

	(void)state;
	work("a.db", 5);
	pid = fork();
	if (pid == 0) {
		require(syncost_start(&(struct syncost_options){.anonymous = true}) == 0, 1);
		require(syncost_snapshot(&snapshot) == 0, 2);
		require(snapshot->transactions == 0, 3);
		syncost_snapshot_free(snapshot);
		work("b.db", 3);
		require(syncost_snapshot(&snapshot) == 0, 4);
		require(snapshot->transactions == 5, 5);
		_exit(0);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void fork_in_a_measured_process(int fd)
{
	pid_t parent, pid;
	int status;

	(void)fd;
	under_register();
	under_clear();
	require(start_in_shm() == 0, 1);
	require(syncost_register(UNDER_NAME, SHIM_NAME, false) == 0, 2);
	work("p.db", 1);
	parent = getpid();

	pid = fork();
	if (pid == 0)
		exit(0); /* it never recorded; the parent's file stays */
	require(waitpid(pid, &status, 0) == pid && status == 0, 8);
	require(access(meter_path_of(parent), F_OK) == 0, 9);

	pid = fork();
	if (pid == 0) {
		require(syncost_meter_path() == NULL, 11);
		require(access(meter_path_of(getpid()), F_OK) != 0, 12);
		work("q.db", 1);
		require(access(meter_path_of(getpid()), F_OK) == 0, 13);
		require(strcmp(syncost_meter_path(), meter_path_of(getpid())) == 0, 14);
		exit(0); /* its own file goes, the parent's stays */
	}
	require(waitpid(pid, &status, 0) == pid, 3);
	require(status == 0, 20 + WEXITSTATUS(status));
	require(access(meter_path_of(parent), F_OK) == 0, 4);
	require(access(meter_path_of(pid), F_OK) != 0, 5);
	require(syncost_unregister(SHIM_NAME) == 0, 6);
	require(syncost_stop() == 0, 7);
}

static void a_child_has_a_file_of_its_own_once_it_records(void **state)
{
	(void)state;
	need_tmpfs();
	assert_int_equal(in_child(fork_in_a_measured_process, -1), 0);
}

/* A directory, and no meter: the case starts its own in a child. */
static int directory_only(void **state)
{
	int r = scene_setup(state);

	strcpy(shm, "/dev/shm/syncost-test-XXXXXX");
	if (!mkdtemp(shm))
		shm[0] = '\0';
	if (r == 0)
		r = syncost_unregister(SHIM_NAME);
	return r == 0 ? syncost_stop() : r;
}

static int directory_done(void **state)
{
	int is_littered = shm[0] && rmdir(shm) != 0;

	syncost_start(&(struct syncost_options){.anonymous = true});
	syncost_register(UNDER_NAME, SHIM_NAME, false);
	return scene_teardown(state) != 0 || is_littered;
}

#define CASE_CHILD(sentence, function)                                                             \
	{                                                                                          \
		.name = (sentence), .test_func = (function), .setup_func = directory_only,         \
		.teardown_func = directory_done                                                    \
	}

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE_CHILD("it is private, and gone after the stop",
			   it_is_private_and_gone_after_the_stop),
		CASE_CHILD("it is gone after a normal exit", it_is_gone_after_a_normal_exit),
		CASE_CHILD("only tmpfs will do", only_tmpfs_will_do),
		CASE_CHILD("a file size limit is an error and no signal",
			   a_file_size_limit_is_an_error_and_no_signal),
		CASE_CHILD("a full tmpfs costs counts, and no process",
			   a_full_tmpfs_costs_counts_and_no_process),
		CASE_CHILD("a killed process loses nothing", a_killed_process_loses_nothing),
		CASE_CHILD("a living process keeps its file", a_living_process_keeps_its_file),
		CASE_CHILD("one sign of life is enough", one_sign_of_life_is_enough),
		CASE_CHILD("files that are no meter are refused",
			   files_that_are_no_meter_are_refused),
		CASE("a child starts a capture of its own", a_child_starts_a_capture_of_its_own),
		CASE("a child may start before it works", a_child_may_start_before_it_works),
		CASE_CHILD("a child has a file of its own once it records",
			   a_child_has_a_file_of_its_own_once_it_records),
	};

	return cmocka_run_group_tests_name("meter-file", tests, NULL, NULL);
}
