/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/directory.h"
#include "base/files.h"
#include "base/marker.h"
#include "fault.h"
#include "scratch.h"
#include "skip.h"

#define MARKER "/.syncost-owner"

static struct sc_directory make(const struct scratch *scratch)
{
	struct sc_directory directory = SC_DIRECTORY_NONE;
	struct sc_error error;

	assert_int_equal(sc_directory_make_private(scratch->path, "work", &directory, &error), 0);
	return directory;
}

/* Another process makes a directory with a file in it. It lives until @ret_release is closed. */
static pid_t make_elsewhere(const struct scratch *scratch, char path[SCRATCH_PATH_BYTES],
			    int *ret_release)
{
	int told[2], release[2];
	ssize_t bytes;
	pid_t pid;

	assert_int_equal(pipe(told), 0);
	assert_int_equal(pipe(release), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct sc_directory directory;
		struct sc_error error;
		char inside[SCRATCH_PATH_BYTES + 16];
		char byte;
		int fd;

		(void)close(release[1]);
		if (sc_directory_make_private(scratch->path, "work", &directory, &error) < 0)
			_exit(1);
		(void)snprintf(inside, sizeof(inside), "%s/data", directory.path);
		fd = open(inside, O_CREAT | O_WRONLY, 0600);
		if (fd < 0 || write(told[1], directory.path, strlen(directory.path)) < 0)
			_exit(1);
		(void)close(told[1]);
		(void)read(release[0], &byte, 1);
		(void)kill(getpid(), SIGKILL); /* no clean-up of any kind */
	}
	assert_int_equal(close(told[1]), 0);
	assert_int_equal(close(release[0]), 0);
	bytes = read(told[0], path, SCRATCH_PATH_BYTES - 1);
	assert_true(bytes > 0);
	path[bytes] = '\0';
	assert_int_equal(close(told[0]), 0);
	*ret_release = release[1];
	return pid;
}

/* Waits until the process is gone. */
static void release(pid_t pid, int fd)
{
	int status;

	assert_int_equal(close(fd), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
}

/* A directory whose owner was killed. */
static void make_orphan(const struct scratch *scratch, char path[SCRATCH_PATH_BYTES])
{
	int fd;
	pid_t pid = make_elsewhere(scratch, path, &fd);

	release(pid, fd);
}

static uint32_t remove_stale(const struct scratch *scratch)
{
	struct sc_error error;
	uint32_t count = 99;

	assert_int_equal(sc_directory_remove_stale(scratch->path, "work", &count, &error), 0);
	return count;
}

static char *read_marker(const char *directory)
{
	char path[SCRATCH_PATH_BYTES + 32];
	struct sc_error error;
	char *text;

	(void)snprintf(path, sizeof(path), "%s" MARKER, directory);
	assert_int_equal(sc_file_read_all(path, 1000, &text, NULL, &error), 0);
	return text;
}

static void write_marker(const char *directory, const char *text)
{
	char path[SCRATCH_PATH_BYTES + 32];
	FILE *file;

	(void)snprintf(path, sizeof(path), "%s" MARKER, directory);
	file = fopen(path, "w");
	assert_non_null(file);
	assert_true(fputs(text, file) >= 0);
	assert_int_equal(fclose(file), 0);
}

/* Replaces the value of a line of a directory's marker. */
static void edit_marker(const char *directory, const char *key, const char *value)
{
	char *text = read_marker(directory);
	char *line = strstr(text, key);
	char edited[1000];
	const char *end;

	assert_non_null(line);
	end = strchr(line, '\n');
	(void)snprintf(edited, sizeof(edited), "%.*s%s %s%s", (int)(line - text), text, key, value,
		       end);
	write_marker(directory, edited);
	free(text);
}

static void it_is_fresh_private_and_goes_without_a_trace(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory first = make(scratch);
	struct sc_directory second = make(scratch);
	struct sc_error error;
	struct stat status;
	char pid[32];

	assert_string_not_equal(first.path, second.path);
	assert_int_equal(stat(first.path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0700);
	assert_int_equal(strncmp(first.path, scratch->path, strlen(scratch->path)), 0);
	(void)snprintf(pid, sizeof(pid), "-%d", (int)getpid());
	assert_non_null(strstr(first.path, pid));

	assert_int_equal(sc_directory_remove_own(&first, &error), 0);
	assert_null(first.path);
	assert_int_equal(sc_directory_remove_own(&first, &error), 0);
	assert_int_equal(sc_directory_remove_own(&second, &error), 0);
	assert_int_equal(scratch_count(scratch), 0);
}

static void all_that_it_holds_goes_with_it(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory directory = make(scratch);
	const char *name = strrchr(directory.path, '/') + 1;
	struct sc_error error;
	char path[512];

	for (int i = 0; i < 300; i++) {
		(void)snprintf(path, sizeof(path), "%s/d%d/e/f%d", name, i % 7, i);
		scratch_write(scratch, path, "x");
	}
	(void)snprintf(path, sizeof(path), "%s/pipe", directory.path);
	assert_int_equal(mkfifo(path, 0600), 0);
	(void)snprintf(path, sizeof(path), "%s/d0/.syncost-owner", name);
	scratch_write(scratch, path, "only the one at the top is kept to the end");
	assert_int_equal(sc_directory_remove_own(&directory, &error), 0);
	assert_int_equal(scratch_count(scratch), 0);
}

static void links_are_removed_not_followed(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory directory = make(scratch);
	const char *name = strrchr(directory.path, '/') + 1;
	struct sc_error error;
	char path[512];

	scratch_write(scratch, "precious/file", "keep");
	(void)snprintf(path, sizeof(path), "%s/to-directory", name);
	scratch_link(scratch, path, "../precious");
	(void)snprintf(path, sizeof(path), "%s/below/to-file", name);
	scratch_link(scratch, path, "../../precious/file");
	(void)snprintf(path, sizeof(path), "%s/dangling", name);
	scratch_link(scratch, path, "nowhere");
	assert_int_equal(sc_directory_remove_own(&directory, &error), 0);
	assert_true(file_is(scratch_path(scratch, "precious/file"), "keep"));
	assert_int_equal(scratch_count(scratch), 2);
}

static void emptied_it_stays_ours(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory directory = make(scratch);
	const char *name = strrchr(directory.path, '/') + 1;
	struct sc_error error;
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/below/file", name);
	scratch_write(scratch, path, "x");
	assert_int_equal(sc_directory_empty(&directory, &error), 0);
	assert_int_equal(scratch_count(scratch), 2); /* itself and its marker */
	assert_int_equal(sc_directory_empty(&directory, &error), 0);
	assert_int_equal(sc_directory_remove_own(&directory, &error), 0);
	assert_int_equal(scratch_count(scratch), 0);
}

static void only_what_is_ours_is_emptied(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory directory = make(scratch);
	const char *name = strrchr(directory.path, '/') + 1;
	struct sc_error error;
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/file", name);
	scratch_write(scratch, path, "keep");
	(void)snprintf(path, sizeof(path), "%s" MARKER, directory.path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(sc_directory_empty(&directory, &error), -EPERM);
	assert_int_equal(scratch_count(scratch), 2);
	(void)snprintf(path, sizeof(path), "%s/file", directory.path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(rmdir(directory.path), 0);
	assert_int_equal(sc_directory_empty(&directory, &error), -ENOENT);
	assert_int_equal(sc_directory_remove_own(&directory, &error), 0);
}

static void a_link_in_its_place_is_not_followed(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory directory = make(scratch);
	struct sc_error error;

	scratch_write(scratch, "precious/file", "keep");
	assert_int_equal(rename(directory.path, scratch_path(scratch, "moved")), 0);
	assert_int_equal(symlink("moved", directory.path), 0);
	assert_true(sc_directory_remove_own(&directory, &error) < 0);
	assert_true(path_exists(scratch_path(scratch, "moved" MARKER)));
	assert_true(file_is(scratch_path(scratch, "precious/file"), "keep"));
}

static void without_its_marker_it_is_not_ours(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory directory = make(scratch);
	const char *name = strrchr(directory.path, '/') + 1;
	struct sc_error error;
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/file", name);
	scratch_write(scratch, path, "keep");
	(void)snprintf(path, sizeof(path), "%s" MARKER, directory.path);
	assert_int_equal(unlink(path), 0);
	assert_int_equal(sc_directory_remove_own(&directory, &error), -EPERM);
	assert_non_null(strstr(error.what, "lost its marker"));
	assert_int_equal(scratch_count(scratch), 2);
}

/* In a mount namespace of its own; the exit code says what happened. */
static int try_mounted(const struct scratch *scratch, bool is_bind)
{
	struct sc_directory directory;
	struct sc_error error;
	char inside[SCRATCH_PATH_BYTES];
	const char *from = scratch_path(scratch, "precious");
	int r;

	if (unshare(CLONE_NEWNS) < 0 || mount("none", "/", "none", MS_REC | MS_PRIVATE, "") < 0)
		return 77;
	if (sc_directory_make_private(scratch->path, "work", &directory, &error) < 0)
		return 1;
	if (snprintf(inside, sizeof(inside), "%s/mounted", directory.path) >= (int)sizeof(inside))
		return 2;
	if (mkdir(inside, 0700) < 0)
		return 3;
	if (is_bind ? mount(from, inside, "none", MS_BIND, "") < 0
		    : mount("none", inside, "tmpfs", 0, "") < 0)
		return 77;
	r = sc_directory_remove_own(&directory, &error);
	if (r != -EXDEV || !strstr(error.what, "mounted"))
		return 4;
	if (umount(inside) < 0)
		return 5;
	return 0;
}

static void nothing_that_is_mounted_inside_is_touched(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_error error;
	uint32_t count;

	scratch_write(scratch, "precious/file", "keep");
	for (int is_bind = 0; is_bind < 2; is_bind++) {
		pid_t pid = fork();
		int status;

		assert_true(pid >= 0);
		if (pid == 0)
			_exit(try_mounted(scratch, is_bind));
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFEXITED(status));
		if (WEXITSTATUS(status) == 77)
			skip_because("mounting is not permitted here");
		assert_int_equal(WEXITSTATUS(status), 0);
		assert_true(file_is(scratch_path(scratch, "precious/file"), "keep"));
	}
	/* Unmounted, the next start takes it up again. */
	assert_int_equal(sc_directory_remove_stale(scratch->path, "work", &count, &error), 0);
	assert_int_equal(count, 2);
	assert_int_equal(scratch_count(scratch), 2);
}

static void a_killed_owners_directory_goes_at_the_next_start(void **state)
{
	const struct scratch *scratch = *state;
	char path[SCRATCH_PATH_BYTES];

	make_orphan(scratch, path);
	make_orphan(scratch, path);
	assert_true(path_exists(path));
	assert_int_equal(remove_stale(scratch), 2);
	assert_int_equal(scratch_count(scratch), 0);
	assert_int_equal(remove_stale(scratch), 0);
}

static void a_living_owners_directory_stays(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory own = make(scratch);
	char path[SCRATCH_PATH_BYTES];
	struct sc_error error;
	int fd;
	pid_t pid = make_elsewhere(scratch, path, &fd);

	assert_int_equal(remove_stale(scratch), 0);
	assert_true(path_exists(path));
	assert_true(path_exists(own.path));
	release(pid, fd);
	assert_int_equal(remove_stale(scratch), 1);
	assert_int_equal(sc_directory_remove_own(&own, &error), 0);
	assert_int_equal(scratch_count(scratch), 0);
}

/* The lock and the marker's text each tell that the owner lives, should the other fail. */
static void either_the_lock_or_the_process_is_enough(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory own = make(scratch);
	char path[SCRATCH_PATH_BYTES];
	struct sc_error error;
	int fd;
	pid_t pid = make_elsewhere(scratch, path, &fd);

	assert_int_equal(close(own.marker_fd), 0); /* our lock is gone; we are there */
	own.marker_fd = -1;
	edit_marker(path, "start", "1"); /* not the process of that number; it holds the lock */
	assert_int_equal(remove_stale(scratch), 0);

	release(pid, fd);
	assert_int_equal(remove_stale(scratch), 1);
	assert_false(path_exists(path));
	assert_true(path_exists(own.path));
	assert_int_equal(sc_directory_remove_own(&own, &error), 0);
}

static void without_locks_the_process_decides(void **state)
{
	const struct scratch *scratch = *state;
	char path[SCRATCH_PATH_BYTES];
	struct sc_error error;
	uint32_t count;

	make_orphan(scratch, path);
	fault_begin_at("flock", 1, ENOLCK);
	assert_int_equal(sc_directory_remove_stale(scratch->path, "work", &count, &error), 0);
	assert_true(fault_end());
	assert_int_equal(count, 1);

	make_orphan(scratch, path);
	edit_marker(path, "pid_namespace", "1"); /* a container's: its number says nothing here */
	fault_begin_at("flock", 1, ENOLCK);
	assert_int_equal(sc_directory_remove_stale(scratch->path, "work", &count, &error), 0);
	assert_true(fault_end());
	assert_int_equal(count, 0);
	assert_int_equal(remove_stale(scratch), 1); /* its free lock does */
}

static void a_restart_or_another_host_is_told_by_the_marker(void **state)
{
	const struct scratch *scratch = *state;
	char path[SCRATCH_PATH_BYTES];

	make_orphan(scratch, path);
	edit_marker(path, "boot", "00000000-0000-0000-0000-000000000000");
	edit_marker(path, "node", "another-host");
	assert_int_equal(remove_stale(scratch), 0);
	assert_true(path_exists(path));

	make_orphan(scratch, path);
	edit_marker(path, "boot", "00000000-0000-0000-0000-000000000000");
	assert_int_equal(remove_stale(scratch), 1);
	assert_false(path_exists(path));
}

static void a_reused_process_number_is_not_the_owner(void **state)
{
	const struct scratch *scratch = *state;
	char path[SCRATCH_PATH_BYTES], own[32];

	make_orphan(scratch, path);
	(void)snprintf(own, sizeof(own), "%d", (int)getpid());
	edit_marker(path, "pid", own); /* we live, but did not start when the owner did */
	edit_marker(path, "start", "1");
	assert_int_equal(remove_stale(scratch), 1);
}

static void what_is_not_ours_is_left_alone(void **state)
{
	const struct scratch *scratch = *state;
	char path[SCRATCH_PATH_BYTES], copy[SCRATCH_PATH_BYTES];
	char *marker;
	size_t count;

	make_orphan(scratch, path);
	marker = read_marker(path);

	/* A copy of one of ours, marker included: its inode is another. */
	scratch_write(scratch, "work-copy/data", "keep");
	(void)snprintf(copy, sizeof(copy), "%.900s/work-copy", scratch->path);
	write_marker(copy, marker);
	/* The prefix alone. */
	scratch_write(scratch, "work-of-mine/data", "keep");
	scratch_write(scratch, "work-file", "keep");
	/* Markers that are not markers. */
	scratch_write(scratch, "work-empty" MARKER, "");
	scratch_write(scratch, "work-garbage" MARKER, "syncost-owner-1\npid 1\n");
	scratch_link(scratch, "work-linked" MARKER, "../work-copy" MARKER);
	scratch_mkdir(scratch, "work-directory" MARKER);
	scratch_mkdir(scratch, "work-pipe");
	assert_int_equal(mkfifo(scratch_path(scratch, "work-pipe" MARKER), 0600), 0);
	scratch_link(scratch, "work-link", strrchr(path, '/') + 1);

	count = scratch_count(scratch);
	assert_int_equal(remove_stale(scratch), 1);
	/* Ours: the directory, its marker, its file. */
	assert_int_equal(scratch_count(scratch), count - 3);
	assert_false(path_exists(path));
	free(marker);
}

static void another_name_is_not_searched(void **state)
{
	const struct scratch *scratch = *state;
	char path[SCRATCH_PATH_BYTES];
	struct sc_error error;
	uint32_t count;

	make_orphan(scratch, path);
	assert_int_equal(sc_directory_remove_stale(scratch->path, "wor", &count, &error), 0);
	assert_int_equal(count, 0);
	assert_int_equal(remove_stale(scratch), 1);
}

static void another_users_directory_stays(void **state)
{
	const struct scratch *scratch = *state;
	char path[SCRATCH_PATH_BYTES];

	if (geteuid() != 0)
		skip_because("only root can give a directory away");
	make_orphan(scratch, path);
	assert_int_equal(chown(path, 12345, (gid_t)-1), 0);
	assert_int_equal(remove_stale(scratch), 0);
	assert_int_equal(chown(path, 0, (gid_t)-1), 0);
	assert_int_equal(remove_stale(scratch), 1);
}

static void one_that_cannot_be_removed_does_not_keep_the_rest(void **state)
{
	const struct scratch *scratch = *state;
	char path[SCRATCH_PATH_BYTES];
	struct sc_error error;
	uint32_t count;
	int r;

	make_orphan(scratch, path);
	make_orphan(scratch, path);
	make_orphan(scratch, path);
	fault_begin_at("unlinkat", 1, EIO);
	r = sc_directory_remove_stale(scratch->path, "work", &count, &error);
	assert_true(fault_end());
	assert_int_equal(r, -EIO);
	assert_int_equal(error.code, -EIO);
	assert_int_equal(count, 2);
	assert_int_equal(remove_stale(scratch), 1);
	assert_int_equal(scratch_count(scratch), 0);
}

static void a_parent_that_is_missing_is_told_apart(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_directory directory = SC_DIRECTORY_NONE;
	struct sc_error error;
	uint32_t count = 99;

	assert_int_equal(
		sc_directory_remove_stale(scratch_path(scratch, "no"), "work", &count, &error), 0);
	assert_int_equal(count, 0);
	assert_int_equal(
		sc_directory_make_private(scratch_path(scratch, "no"), "work", &directory, &error),
		-ENOENT);
	assert_non_null(strstr(error.what, "/no'"));
	assert_null(directory.path);
}

static void each_failed_call_of_making_leaves_nothing(void **state)
{
	const struct scratch *scratch = *state;
	unsigned failures = 0;

	for (unsigned nth = 1;; nth++) {
		struct sc_directory directory = SC_DIRECTORY_NONE;
		size_t descriptors = open_descriptors();
		struct sc_error error;
		bool failed;
		int r;

		fault_begin(nth, EIO);
		r = sc_directory_make_private(scratch->path, "work", &directory, &error);
		failed = fault_end();
		if (r == 0) {
			/* Undisturbed, or on storage where locks do not work. */
			assert_true(!failed || strcmp(fault_name(), "flock") == 0);
			assert_int_equal(sc_directory_remove_own(&directory, &error), 0);
		} else {
			assert_true(r == -EIO || r == -ENOMEM);
			assert_null(directory.path);
			failures++;
		}
		assert_int_equal(scratch_count(scratch), 0);
		assert_int_equal(open_descriptors(), descriptors);
		if (!failed)
			break;
	}
	assert_true(failures >= 10);
}

static void each_failed_call_of_removing_can_be_made_good(void **state)
{
	const struct scratch *scratch = *state;
	unsigned failures = 0;

	for (unsigned nth = 1;; nth++) {
		size_t descriptors = open_descriptors();
		char path[SCRATCH_PATH_BYTES], name[SCRATCH_PATH_BYTES + 16];
		struct sc_error error;
		uint32_t count;
		bool failed;
		int r;

		make_orphan(scratch, path);
		(void)snprintf(name, sizeof(name), "%s/below/file", strrchr(path, '/') + 1);
		scratch_write(scratch, name, "x");

		fault_begin(nth, EIO);
		r = sc_directory_remove_stale(scratch->path, "work", &count, &error);
		failed = fault_end();
		assert_int_equal(open_descriptors(), descriptors);
		if (!failed) {
			assert_int_equal(r, 0);
			assert_int_equal(count, 1);
			break;
		}
		if (r < 0) {
			assert_true(r == -EIO || r == -ENOMEM);
			failures++;
		}
		/* Whatever failed: nothing is half gone and no longer ours. */
		if (scratch_count(scratch) == 1 && strcmp(fault_name(), "unlinkat") == 0) {
			assert_int_equal(rmdir(path), 0); /* empty, as the header of the .c says */
			continue;
		}
		(void)remove_stale(scratch);
		assert_int_equal(scratch_count(scratch), 0);
	}
	assert_true(failures >= 10);
}

static void a_marker_is_only_what_we_would_have_written(void **state)
{
	static const struct sc_marker marker = {
		.pid = 4711,
		.start_ticks = UINT64_MAX,
		.boot = "8e163cb1-658f-41c5-ab64-31566c3f4c2a",
		.pid_namespace = 4026531836,
		.node = "host",
		.directory = 18446744073709551615u,
	};
	struct sc_marker parsed;
	char text[SC_MARKER_TEXT_BYTES], damaged[SC_MARKER_TEXT_BYTES + 1];
	size_t bytes;

	(void)state;
	sc_marker_format(&marker, text);
	assert_true(sc_marker_parse(text, &parsed));
	assert_int_equal(parsed.pid, marker.pid);
	assert_true(parsed.start_ticks == marker.start_ticks);
	assert_string_equal(parsed.boot, marker.boot);
	assert_string_equal(parsed.node, marker.node);
	assert_true(parsed.directory == marker.directory);

	bytes = strlen(text);
	for (size_t cut = 0; cut < bytes; cut++) {
		(void)snprintf(damaged, sizeof(damaged), "%.*s", (int)cut, text);
		assert_false(sc_marker_parse(damaged, &parsed));
	}
	(void)snprintf(damaged, sizeof(damaged), "%s\n", text);
	assert_false(sc_marker_parse(damaged, &parsed));
	(void)snprintf(damaged, sizeof(damaged), " %s", text);
	assert_false(sc_marker_parse(damaged, &parsed));
}

#define IN(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest cases[] = {
		IN("it is fresh, private, and goes without a trace",
		   it_is_fresh_private_and_goes_without_a_trace),
		IN("all that it holds goes with it", all_that_it_holds_goes_with_it),
		IN("links are removed, not followed", links_are_removed_not_followed),
		IN("emptied, it stays ours", emptied_it_stays_ours),
		IN("only what is ours is emptied", only_what_is_ours_is_emptied),
		IN("a link in its place is not followed", a_link_in_its_place_is_not_followed),
		IN("without its marker it is not ours", without_its_marker_it_is_not_ours),
		IN("nothing that is mounted inside is touched",
		   nothing_that_is_mounted_inside_is_touched),
		IN("a killed owner's directory goes at the next start",
		   a_killed_owners_directory_goes_at_the_next_start),
		IN("a living owner's directory stays", a_living_owners_directory_stays),
		IN("either the lock or the process is enough to live",
		   either_the_lock_or_the_process_is_enough),
		IN("without locks the process decides", without_locks_the_process_decides),
		IN("a restart, or another host, is told by the marker",
		   a_restart_or_another_host_is_told_by_the_marker),
		IN("a reused process number is not the owner",
		   a_reused_process_number_is_not_the_owner),
		IN("what is not ours is left alone", what_is_not_ours_is_left_alone),
		IN("another name is not searched", another_name_is_not_searched),
		IN("another user's directory stays", another_users_directory_stays),
		IN("one that cannot be removed does not keep the rest",
		   one_that_cannot_be_removed_does_not_keep_the_rest),
		IN("a parent that is missing is told apart",
		   a_parent_that_is_missing_is_told_apart),
		IN("each failed call of making leaves nothing",
		   each_failed_call_of_making_leaves_nothing),
		IN("each failed call of removing can be made good",
		   each_failed_call_of_removing_can_be_made_good),
		CASE("a marker is only what we would have written",
		     a_marker_is_only_what_we_would_have_written),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
