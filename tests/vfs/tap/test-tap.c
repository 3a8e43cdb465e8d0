/* SPDX-License-Identifier: MIT */
/*
 * The tap alone, without SQLite and shim: files named as those of a database, calls of libc on
 * them, and what the ledger then says. This program's own calls go through the hooks.
 */

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks.h"
#include "syncost.h"

#define PAGE 4096u

static char home[64];       /* a fresh directory */
static char main_path[128]; /* of the one database that is named */
static char page[PAGE];

/* --- helpers */

static const char *path_in_home(const char *name)
{
	static char path[128];

	(void)snprintf(path, sizeof(path), "%s/%s", home, name);
	return path;
}

static const char *suffixed(const char *suffix)
{
	static char path[160];

	(void)snprintf(path, sizeof(path), "%s%s", main_path, suffix);
	return path;
}

static int open_new(const char *path)
{
	int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	return fd;
}

/* Everything the tap counted for one operation on one role of one database. */
static struct syncost_row counted_of(const char *path, enum sc_role role, enum sc_op op)
{
	struct syncost_row sum = {0};
	struct syncost_snapshot *snapshot;

	assert_int_equal(syncost_snapshot(&snapshot), 0);
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		if (row->instrument == SC_INSTRUMENT_LIBC && row->role == role && row->op == op &&
		    strcmp(snapshot->databases[row->database].path, path) == 0) {
			sum = *row;
			sum.buckets = NULL;
		}
	}
	syncost_snapshot_free(snapshot);
	return sum;
}

static struct syncost_row counted(enum sc_role role, enum sc_op op)
{
	return counted_of(main_path, role, op);
}

static uint64_t calls(enum sc_role role, enum sc_op op)
{
	return counted(role, op).calls;
}

static uint64_t all_calls(void)
{
	struct syncost_snapshot *snapshot;
	uint64_t sum = 0;

	assert_int_equal(syncost_snapshot(&snapshot), 0);
	for (size_t i = 0; i < snapshot->row_count; i++)
		sum += snapshot->rows[i].calls;
	syncost_snapshot_free(snapshot);
	return sum;
}

static uint64_t size_of(enum sc_role role)
{
	struct syncost_snapshot *snapshot;
	uint64_t bytes = UINT64_MAX;

	assert_int_equal(syncost_snapshot(&snapshot), 0);
	for (size_t i = 0; i < SC_METER_DATABASES; i++)
		if (strcmp(snapshot->databases[i].path, main_path) == 0)
			bytes = snapshot->databases[i].size_bytes[role];
	syncost_snapshot_free(snapshot);
	return bytes;
}

static int set_up(void **state)
{
	(void)state;
	(void)snprintf(home, sizeof(home), "/tmp/syncost-tap-XXXXXX");
	assert_non_null(mkdtemp(home));
	(void)snprintf(main_path, sizeof(main_path), "%s/app.db", home);
	assert_int_equal(syncost_start(&(struct syncost_options){.cpu = true}), 0);
	assert_int_equal(syncost_tap_database(main_path), 0);
	assert_int_equal(syncost_tap_start(), 0);
	return 0;
}

static int tear_down(void **state)
{
	char command[128];

	(void)state;
	syncost_tap_stop();
	assert_int_equal(syncost_stop(), 0);
	(void)snprintf(command, sizeof(command), "rm -rf '%s'", home);
	return system(command); /* NOLINT: a directory of our own making */
}

/* --- before main */

static struct {
	bool was_raw;
	ssize_t written, read;
	int sync, closed;
	char text[8];
} early;

/* Whether no hook has been given libc's function yet. */
static bool is_list_raw(void)
{
	for (size_t i = 0; i < sc_tap_hook_count; i++)
		if ((void *)(uintptr_t)sc_tap_hook_real(&sc_tap_hooks[i]) ==
		    dlsym(RTLD_NEXT, sc_tap_hooks[i].name))
			return false;
	return true;
}

/* Runs before any constructor, the tap's own included. */
static void call_early(void)
{
	int fd = (int)syscall(SYS_memfd_create, "early", 0);

	early.was_raw = is_list_raw();
	early.written = pwrite64(fd, "early", 5, 2);
	early.sync = fdatasync(fd);
	early.read = pread64(fd, early.text, 5, 2);
	early.closed = close(fd);
}

__attribute__((section(".preinit_array"), used)) static void (*const at_start)(void) = call_early;

static void calls_before_the_constructor_reach_the_kernel(void **state)
{
	(void)state;
	assert_true(early.was_raw);
	assert_int_equal(early.written, 5);
	assert_int_equal(early.sync, 0);
	assert_int_equal(early.read, 5);
	assert_string_equal(early.text, "early");
	assert_int_equal(early.closed, 0);
}

/* --- the list */

static void each_hook_is_exported_and_forwards_to_the_next_of_its_name(void **state)
{
	(void)state;
	for (size_t i = 0; i < sc_tap_hook_count; i++) {
		const struct sc_tap_hook *hook = &sc_tap_hooks[i];
		void *next = dlsym(RTLD_NEXT, hook->name);

		if (dlsym(RTLD_DEFAULT, hook->name) != (void *)(uintptr_t)hook->hook)
			fail_msg("%s resolves to another function", hook->name);
		if (next && (void *)(uintptr_t)sc_tap_hook_real(hook) != next)
			fail_msg("%s does not forward to libc's", hook->name);
	}
}

/* --- counting */

static void a_write_counts_its_bytes_and_time(void **state)
{
	int fd = open_new(main_path);
	struct syncost_row row;

	(void)state;
	assert_int_equal(pwrite(fd, page, PAGE, 0), PAGE);
	assert_int_equal(write(fd, page, 100), 100);
	row = counted(SC_ROLE_MAIN_DB, SC_OP_WRITE);
	assert_int_equal(row.calls, 2);
	assert_int_equal(row.bytes, PAGE + 100);
	assert_int_equal(row.failures, 0);
	assert_int_equal(row.timed, 2);
	assert_true(row.ns > 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_OPEN), 1);
	assert_int_equal(close(fd), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_CLOSE), 1);
}

static void a_short_read_counts_what_it_delivered(void **state)
{
	int fd = open_new(suffixed("-wal"));
	struct iovec parts[2] = {{page, 16}, {page + 16, 16}};

	(void)state;
	assert_int_equal(pwrite(fd, "0123456789", 10, 0), 10);
	assert_int_equal(pread(fd, page, PAGE, 0), 10);
	assert_int_equal(preadv(fd, parts, 2, 4), 6);
	assert_int_equal(counted(SC_ROLE_WAL, SC_OP_READ).calls, 2);
	assert_int_equal(counted(SC_ROLE_WAL, SC_OP_READ).bytes, 16);
	assert_int_equal(close(fd), 0);
}

static void fsync_and_fdatasync_are_told_apart(void **state)
{
	int fd = open_new(suffixed("-journal"));
	struct syncost_row row;

	(void)state;
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(sync_file_range(fd, 0, 0, SYNC_FILE_RANGE_WRITE), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_JOURNAL, SC_OP_FSYNC), 1);
	assert_int_equal(calls(SC_ROLE_MAIN_JOURNAL, SC_OP_SYNC_FILE_RANGE), 1);
	row = counted(SC_ROLE_MAIN_JOURNAL, SC_OP_FDATASYNC);
	assert_int_equal(row.calls, 2);
	assert_int_equal(row.timed, 2);
	assert_true(row.ns > 0);
	assert_int_equal(close(fd), 0);
}

static void thread_cpu_is_read_around_the_first_sync(void **state)
{
	int fd = open_new(main_path);
	struct syncost_row row;

	(void)state;
	assert_int_equal(pwrite(fd, page, PAGE, 0), PAGE);
	assert_int_equal(fdatasync(fd), 0);
	row = counted(SC_ROLE_MAIN_DB, SC_OP_FDATASYNC);
	assert_int_equal(row.cpu_n, 1);
	assert_int_equal(row.cpu_wall_ns, row.ns);
	assert_true(row.cpu_ns + row.run_delay_ns <= row.cpu_wall_ns);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_WRITE).cpu_n, 0);
	assert_int_equal(all_calls(), 3); /* none of the instrument's own */
	assert_int_equal(close(fd), 0);
}

static void a_directory_sync_belongs_to_the_database_in_it(void **state)
{
	int fd = open(home, O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(calls(SC_ROLE_DIRECTORY, SC_OP_FDATASYNC), 1);
	assert_int_equal(calls(SC_ROLE_DIRECTORY, SC_OP_FSYNC), 1);
	assert_int_equal(close(fd), 0);
}

static void sync_directory(void)
{
	int fd = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(close(fd), 0);
}

static void a_shared_directory_goes_to_the_database_touched_last(void **state)
{
	char second[128];
	int one, two;

	(void)state;
	(void)snprintf(second, sizeof(second), "%s/second.db", home);
	assert_int_equal(syncost_tap_database(second), 0);
	one = open_new(main_path);
	two = open_new(second);
	assert_int_equal(fdatasync(two), 0);
	sync_directory();
	assert_int_equal(fdatasync(one), 0);
	sync_directory();
	sync_directory();
	assert_int_equal(counted_of(second, SC_ROLE_DIRECTORY, SC_OP_FDATASYNC).calls, 1);
	assert_int_equal(counted_of(main_path, SC_ROLE_DIRECTORY, SC_OP_FDATASYNC).calls, 2);
	assert_int_equal(close(one) | close(two), 0);
}

struct role_case {
	const char *suffix;
	enum sc_role role;
};

static const struct role_case role_cases[] = {
	{"", SC_ROLE_MAIN_DB},
	{"-wal", SC_ROLE_WAL},
	{"-journal", SC_ROLE_MAIN_JOURNAL},
	{"-shm", SC_ROLE_SHM},
	{"-mjABCDEF912", SC_ROLE_SUPER_JOURNAL},
};

static void a_name_says_the_role(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(role_cases) / sizeof(role_cases[0]); i++) {
		const struct role_case *c = &role_cases[i];
		int fd = open_new(suffixed(c->suffix));

		assert_int_equal(access(suffixed(c->suffix), F_OK), 0);
		assert_int_equal(unlink(suffixed(c->suffix)), 0);
		assert_int_equal(close(fd), 0);
		assert_int_equal(calls(c->role, SC_OP_OPEN), 1);
		assert_int_equal(calls(c->role, SC_OP_ACCESS), 1);
		assert_int_equal(calls(c->role, SC_OP_DELETE), 1);
		assert_int_equal(calls(c->role, SC_OP_CLOSE), 1);
	}
}

static void strangers_are_not_counted(void **state)
{
	uint64_t before = all_calls();
	int fd = open_new(path_in_home("stranger")), pipes[2];

	(void)state;
	assert_int_equal(pwrite(fd, page, PAGE, 0), PAGE);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(access(path_in_home("app.db-other"), F_OK), -1);
	assert_int_equal(pipe(pipes), 0);
	assert_int_equal(write(pipes[1], "x", 1), 1);
	assert_int_equal(read(pipes[0], page, 1), 1);
	assert_int_equal(close(pipes[0]) | close(pipes[1]), 0);
	assert_int_equal(all_calls(), before);
}

static void nothing_is_counted_while_the_tap_is_off(void **state)
{
	int fd = open_new(main_path);
	uint64_t before;

	(void)state;
	syncost_tap_stop();
	before = all_calls();
	assert_int_equal(pwrite(fd, page, PAGE, 0), PAGE);
	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(all_calls(), before);
	assert_int_equal(syncost_tap_start(), 0);
	assert_int_equal(syncost_tap_start(), SYNCOST_ALREADY);
	assert_int_equal(close(fd), 0);
}

static void locks_and_unlocks_are_counted(void **state)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = 120, .l_len = 1};
	int fd = open_new(suffixed("-shm"));

	(void)state;
	assert_int_equal(fcntl(fd, F_SETLK, &lock), 0);
	lock.l_type = F_UNLCK;
	assert_int_equal(fcntl(fd, F_SETLK, &lock), 0);
	lock.l_type = F_WRLCK;
	assert_int_equal(fcntl(fd, F_GETLK, &lock), 0);
	assert_int_equal(lock.l_type, F_UNLCK);
	assert_int_equal(fcntl(fd, F_GETFD), FD_CLOEXEC);
	assert_int_equal(calls(SC_ROLE_SHM, SC_OP_LOCK), 2);
	assert_int_equal(calls(SC_ROLE_SHM, SC_OP_UNLOCK), 1);
	assert_int_equal(close(fd), 0);
}

static void mappings_are_followed_to_their_file(void **state)
{
	int fd = open_new(main_path);
	char *bytes;

	(void)state;
	assert_int_equal(ftruncate(fd, 4 * PAGE), 0);
	bytes = mmap(NULL, 4 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	bytes[0] = 'x';
	assert_int_equal(msync(bytes, PAGE, MS_SYNC), 0);
	bytes = mremap(bytes, 4 * PAGE, 2 * PAGE, MREMAP_MAYMOVE);
	assert_ptr_not_equal(bytes, MAP_FAILED);
	assert_int_equal(munmap(bytes + PAGE, PAGE), 0);
	assert_int_equal(munmap(bytes, PAGE), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_MMAP), 2);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_MSYNC), 1);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_MUNMAP), 2);

	bytes = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_int_equal(munmap(bytes, PAGE), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_MUNMAP), 2);
	assert_int_equal(close(fd), 0);
}

/* What callers built with _FORTIFY_SOURCE import. */
ssize_t __read_chk(int fd, void *data, size_t size, size_t room);
ssize_t __pread_chk(int fd, void *data, size_t size, off_t offset, size_t room);
ssize_t __pread64_chk(int fd, void *data, size_t size, off64_t offset, size_t room);
int __open_2(const char *path, int flags);
int __open64_2(const char *path, int flags);
int __openat_2(int directory, const char *path, int flags);
int __openat64_2(int directory, const char *path, int flags);

static void every_spelling_of_a_call_is_counted(void **state)
{
	int fds[10];

	(void)state;
	fds[0] = creat(main_path, 0600);
	fds[1] = creat64(main_path, 0600);
	fds[2] = open(main_path, O_RDWR | O_CLOEXEC);
	fds[3] = open64(main_path, O_RDWR | O_CLOEXEC);
	fds[4] = openat(AT_FDCWD, main_path, O_RDWR | O_CLOEXEC);
	fds[5] = openat64(AT_FDCWD, main_path, O_RDWR | O_CLOEXEC);
	fds[6] = __open_2(main_path, O_RDWR | O_CLOEXEC);
	fds[7] = __open64_2(main_path, O_RDWR | O_CLOEXEC);
	fds[8] = __openat_2(AT_FDCWD, main_path, O_RDWR | O_CLOEXEC);
	fds[9] = __openat64_2(AT_FDCWD, main_path, O_RDWR | O_CLOEXEC);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_OPEN), 10);

	for (int i = 0; i < 10; i++)
		assert_int_equal(pwrite64(fds[i], page, 8, 8L * i), 8);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_WRITE).bytes, 80);

	assert_int_equal(__read_chk(fds[2], page, 1, PAGE), 1);
	assert_int_equal(__pread_chk(fds[2], page, 2, 0, PAGE), 2);
	assert_int_equal(__pread64_chk(fds[2], page, 4, 0, PAGE), 4);
	assert_int_equal(pread64(fds[2], page, 8, 0), 8);
	assert_int_equal(read(fds[2], page, 16), 16);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_READ).bytes, 31);

	assert_int_equal(ftruncate64(fds[2], 10) | truncate64(main_path, 5), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_TRUNCATE), 2);
	assert_int_equal(lseek64(fds[2], 0, SEEK_SET), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_SEEK), 1);
	for (int i = 0; i < 10; i++)
		assert_int_equal(close(fds[i]), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_CLOSE), 10);
}

static void asking_for_facts_is_counted(void **state)
{
	int fd = open_new(main_path);
	struct stat facts;

	(void)state;
	assert_int_equal(fstat(fd, &facts), 0);
	assert_int_equal(stat(main_path, &facts), 0);
	assert_int_equal(lstat(suffixed("-wal"), &facts), -1);
	assert_int_equal(fstatat(fd, "", &facts, AT_EMPTY_PATH), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_STAT), 3);
	assert_int_equal(counted(SC_ROLE_WAL, SC_OP_STAT).failures, 1);
	assert_int_equal(close(fd), 0);
}

static void sleeps_are_counted_apart(void **state)
{
	struct timespec wanted = {.tv_nsec = 1000};

	(void)state;
	assert_int_equal(usleep(1), 0);
	assert_int_equal(nanosleep(&wanted, NULL), 0);
	assert_int_equal(clock_nanosleep(CLOCK_MONOTONIC, 0, &wanted, NULL), 0);
	assert_int_equal(counted_of("", SC_ROLE_OTHER, SC_OP_SLEEP).calls, 3);
}

/* --- which file a descriptor is */

static void a_descriptor_reused_for_another_file_is_not_counted(void **state)
{
	int fd = open_new(main_path), again;
	uint64_t before;

	(void)state;
	assert_int_equal(pwrite(fd, page, 10, 0), 10);
	assert_int_equal(close(fd), 0);
	before = all_calls();
	again = open_new(path_in_home("stranger"));
	assert_int_equal(again, fd);
	assert_int_equal(pwrite(again, page, 10, 0), 10);
	assert_int_equal(fdatasync(again), 0);
	assert_int_equal(all_calls(), before);
	assert_int_equal(close(again), 0);

	again = open_new(suffixed("-wal"));
	assert_int_equal(again, fd);
	assert_int_equal(pwrite(again, page, 10, 0), 10);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_WRITE).bytes, 10);
	assert_int_equal(counted(SC_ROLE_WAL, SC_OP_WRITE).bytes, 10);
	assert_int_equal(close(again), 0);
}

static void a_descriptor_closed_as_a_stream_is_forgotten(void **state)
{
	int fd = open_new(main_path), again;
	FILE *stream = fdopen(fd, "r+");

	(void)state;
	assert_non_null(stream);
	assert_int_equal(fclose(stream), 0);
	again = (int)syscall(SYS_openat, AT_FDCWD, path_in_home("stranger"), O_RDWR | O_CREAT,
			     0600);
	assert_int_equal(again, fd);
	assert_int_equal(write(again, page, 10), 10);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_WRITE), 0);
	assert_int_equal(close(again), 0);
}

static void duplicates_are_the_same_file(void **state)
{
	int fd = open_new(main_path), copies[4];
	int stranger = open_new(path_in_home("stranger"));

	(void)state;
	copies[0] = dup(fd);
	copies[1] = fcntl(fd, F_DUPFD_CLOEXEC, 100);
	copies[2] = dup2(fd, 120);
	copies[3] = dup3(fd, 121, O_CLOEXEC);
	for (int i = 0; i < 4; i++)
		assert_int_equal(pwrite(copies[i], page, 1, i), 1);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_WRITE).bytes, 4);

	assert_int_equal(dup2(stranger, 120), 120);
	assert_int_equal(write(120, page, 1), 1);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_WRITE).bytes, 4);
	assert_int_equal(dup2(fd, stranger), stranger);
	assert_int_equal(write(stranger, page, 1), 1);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_WRITE).bytes, 5);
	for (int i = 0; i < 4; i++)
		assert_int_equal(close(copies[i]), 0);
	assert_int_equal(close(fd) | close(stranger), 0);
}

static void a_file_opened_before_the_tap_is_found_when_it_is_used(void **state)
{
	int fd, deleted;

	(void)state;
	syncost_tap_stop();
	fd = open_new(main_path);
	deleted = open_new(suffixed("-journal"));
	assert_int_equal(unlink(suffixed("-journal")), 0);
	assert_int_equal(syncost_tap_start(), 0);
	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(fdatasync(deleted), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_FDATASYNC), 1);
	assert_int_equal(calls(SC_ROLE_MAIN_JOURNAL, SC_OP_FDATASYNC), 1);
	assert_int_equal(close(fd) | close(deleted), 0);
}

static void a_file_opened_before_its_database_was_named_is_found_then(void **state)
{
	char later[128];
	int fd;

	(void)state;
	(void)snprintf(later, sizeof(later), "%s/later.db", home);
	fd = open_new(later);
	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(syncost_tap_database(later), 0);
	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(counted_of(later, SC_ROLE_MAIN_DB, SC_OP_FDATASYNC).calls, 1);
	assert_int_equal(close(fd), 0);
}

static void other_spellings_of_a_name_are_found(void **state)
{
	char before[PATH_MAX];
	int directory = open(home, O_RDONLY | O_DIRECTORY | O_CLOEXEC), fds[4];

	(void)state;
	assert_non_null(getcwd(before, sizeof(before)));
	assert_int_equal(symlink("app.db", path_in_home("link")), 0);
	fds[0] = openat(directory, "app.db", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_int_equal(chdir(home), 0);
	fds[1] = open("app.db", O_RDWR | O_CLOEXEC);
	fds[2] = open("./app.db", O_RDWR | O_CLOEXEC);
	fds[3] = open("link", O_RDWR | O_CLOEXEC); /* found when it is used */
	assert_int_equal(chdir(before), 0);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_OPEN), 3);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(pwrite(fds[i], page, 1, 0), 1);
		assert_int_equal(close(fds[i]), 0);
	}
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_WRITE), 4);
	assert_int_equal(close(directory), 0);
}

static void numbers_past_the_table_are_counted(void **state)
{
	int fd = open_new(main_path), high;

	(void)state;
	high = fcntl(fd, F_DUPFD_CLOEXEC, 70000);
	if (high >= 0) { /* the limit of this process may forbid it */
		assert_int_equal(pwrite(high, page, 1, 0), 1);
		assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_WRITE), 1);
		assert_int_equal(close(high), 0);
	}
	assert_int_equal(pwrite(INT_MAX, page, 1, 0), -1);
	assert_int_equal(pwrite(-1, page, 1, 0), -1);
	assert_int_equal(close(fd), 0);
}

/* --- transparent */

static void errno_is_what_libc_left(void **state)
{
	int fd = open_new(main_path), reader;

	(void)state;
	reader = open(main_path, O_RDONLY | O_CLOEXEC);

	errno = 4711;
	assert_int_equal(pwrite(fd, page, 1, 0), 1);
	assert_int_equal(fdatasync(fd), 0);
	assert_int_equal(access(main_path, F_OK), 0);
	assert_int_equal(errno, 4711);

	assert_int_equal(pwrite(reader, page, 1, 0), -1);
	assert_int_equal(errno, EBADF);
	assert_int_equal(lseek(fd, -1, SEEK_SET), -1);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(open(suffixed("-journal"), O_RDONLY), -1);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(unlink(suffixed("-wal")), -1);
	assert_int_equal(errno, ENOENT);
	errno = 4711;
	assert_int_equal(posix_fallocate(fd, 0, 0), EINVAL);
	assert_int_equal(errno, 4711);
	assert_int_equal(close(fd), 0);
	assert_int_equal(close(fd), -1);
	assert_int_equal(errno, EBADF);

	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_WRITE).failures, 1);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_WRITE).bytes, 1);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_SEEK).failures, 1);
	assert_int_equal(counted(SC_ROLE_MAIN_JOURNAL, SC_OP_OPEN).failures, 1);
	assert_int_equal(counted(SC_ROLE_WAL, SC_OP_DELETE).failures, 1);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_FALLOCATE).failures, 1);
	assert_int_equal(close(reader), 0);
}

/* Values nobody could follow are the kernel's to refuse. */
static void a_bad_address_fails_as_it_does_in_libc(void **state)
{
	char *const volatile nowhere = (char *)(uintptr_t)16;

	(void)state;
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	errno = 0;
	assert_int_equal(open(nowhere, O_RDONLY), -1);
	assert_int_equal(errno, EFAULT);
	errno = 0;
	assert_int_equal(unlink(nowhere), -1);
	assert_int_equal(errno, EFAULT);
#else
	(void)nowhere; /* the sanitizer's interceptor reads the name before libc can refuse it */
#endif
}

static void on_alarm(int number)
{
	(void)number;
}

static void a_lock_interrupted_by_a_signal_is_a_failure(void **state)
{
	struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_len = 1};
	struct sigaction action = {.sa_handler = on_alarm};
	struct itimerval soon = {.it_value.tv_usec = 20000, .it_interval.tv_usec = 20000},
			 off = {0};
	int fd = open_new(main_path), ready[2];
	pid_t holder;
	char byte;

	(void)state;
	assert_int_equal(pipe(ready), 0);
	holder = fork();
	if (holder == 0) {
		(void)fcntl(fd, F_SETLK, &lock);
		(void)!write(ready[1], "x", 1);
		(void)pause();
		_exit(0);
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);

	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &soon, NULL), 0);
	assert_int_equal(fcntl(fd, F_SETLKW, &lock), -1);
	assert_int_equal(errno, EINTR);
	assert_int_equal(setitimer(ITIMER_REAL, &off, NULL), 0);
	assert_int_equal(counted(SC_ROLE_MAIN_DB, SC_OP_LOCK).failures, 1);

	assert_int_equal(kill(holder, SIGKILL), 0);
	assert_int_equal(waitpid(holder, NULL, 0), holder);
	assert_int_equal(close(fd) | close(ready[0]) | close(ready[1]), 0);
}

static void the_mode_of_open_is_read_only_where_it_exists(void **state)
{
	int (*variadic)(const char *, int, ...) = open;
	struct stat facts;
	mode_t mask = umask(0);
	int fd = variadic(main_path, O_RDWR | O_CREAT | O_CLOEXEC, 0640);

	(void)state;
	assert_int_equal(fstat(fd, &facts), 0);
	assert_int_equal(facts.st_mode & 07777, 0640);
	assert_int_equal(close(fd), 0);

	fd = variadic(main_path, O_RDWR | O_CLOEXEC, 0xdeadbeefdeadbeefull);
	assert_true(fd >= 0);
	assert_int_equal(fstat(fd, &facts), 0);
	assert_int_equal(facts.st_mode & 07777, 0640);
	assert_int_equal(close(fd), 0);

	fd = variadic(home, O_RDWR | O_TMPFILE | O_CLOEXEC, 0604);
	if (fd >= 0) { /* not every file system has it */
		assert_int_equal(fstat(fd, &facts), 0);
		assert_int_equal(facts.st_mode & 07777, 0604);
		assert_int_equal(close(fd), 0);
	}
	(void)umask(mask);
}

/* --- sizes, where no shim tells them */

static void sizes_follow_the_calls(void **state)
{
	int fd = open_new(main_path);

	(void)state;
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 0);
	assert_int_equal(pwrite(fd, page, PAGE, PAGE), PAGE);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 2 * PAGE);
	assert_int_equal(pwrite(fd, page, PAGE, 0), PAGE);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 2 * PAGE);
	assert_int_equal(lseek(fd, 0, SEEK_END), 2 * PAGE);
	assert_int_equal(write(fd, page, 5), 5);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 2 * PAGE + 5);
	assert_int_equal(ftruncate(fd, 7), 0);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 7);
	assert_int_equal(posix_fallocate(fd, 0, PAGE), 0);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), PAGE);
	assert_int_equal(close(fd), 0);
	fd = open(main_path, O_RDONLY | O_CLOEXEC);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), PAGE);
	assert_int_equal(unlink(main_path), 0);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 0);
	assert_int_equal(close(fd), 0);
}

/* Where a file's new content is written beside it, both are there until one replaces the other. */
static void a_rename_moves_the_size(void **state)
{
	struct syncost_snapshot *snapshot;
	char beside[sizeof(main_path) + 16];
	int fd = open_new(main_path);

	(void)state;
	(void)snprintf(beside, sizeof(beside), "%s-snapshot", main_path);
	assert_int_equal(pwrite(fd, page, PAGE, 2 * PAGE), PAGE);
	assert_int_equal(close(fd), 0);
	assert_int_equal(syncost_reset(), 0);
	fd = open_new(beside);
	assert_int_equal(pwrite(fd, page, PAGE, 0), PAGE);
	assert_int_equal(pwrite(fd, page, PAGE, PAGE), PAGE);
	assert_int_equal(fsync(fd), 0);
	assert_int_equal(close(fd), 0);
	assert_int_equal(size_of(SC_ROLE_TEMP_DB), 2 * PAGE);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 3 * PAGE);
	assert_int_equal(rename(beside, main_path), 0);
	assert_int_equal(size_of(SC_ROLE_TEMP_DB), 0);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 2 * PAGE);
	assert_int_equal(calls(SC_ROLE_TEMP_DB, SC_OP_RENAME), 1);
	assert_int_equal(calls(SC_ROLE_TEMP_DB, SC_OP_FSYNC), 1);
	assert_int_equal(counted(SC_ROLE_TEMP_DB, SC_OP_WRITE).bytes, 2 * PAGE);
	assert_int_equal(syncost_snapshot(&snapshot), 0);
	assert_int_equal(snapshot->total_bytes, 2 * PAGE);
	assert_int_equal(snapshot->total_bytes_max, 5 * PAGE);
	syncost_snapshot_free(snapshot);

	/* One that fails moves nothing, and one from elsewhere is of unknown size. */
	assert_int_equal(rename(beside, main_path), -1);
	assert_int_equal(size_of(SC_ROLE_MAIN_DB), 2 * PAGE);
}

/* --- processes and threads */

static void a_child_does_not_count_into_its_parent(void **state)
{
	int fd = open_new(main_path), status;
	pid_t child;

	(void)state;
	assert_int_equal(pwrite(fd, page, 1, 0), 1);
	child = fork();
	if (child == 0) {
		bool ok = true;

		for (int i = 0; i < 10; i++)
			ok = ok && pwrite(fd, page, 1, 0) == 1 && fdatasync(fd) == 0;
		_exit(ok ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	assert_int_equal(pwrite(fd, page, 1, 0), 1);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_WRITE), 2);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_FDATASYNC), 0);
	assert_int_equal(close(fd), 0);
}

static void a_child_of_vfork_takes_no_file_from_its_parent(void **state)
{
	int fd = open_new(main_path);
	pid_t child = vfork(); /* NOLINT: what it shares is the point */

	(void)state;
	if (child == 0) {
		(void)close(fd);
		_exit(0);
	}
	assert_int_equal(waitpid(child, NULL, 0), child);
	assert_int_equal(pwrite(fd, page, 1, 0), 1);
	assert_int_equal(calls(SC_ROLE_MAIN_DB, SC_OP_WRITE), 1);
	assert_int_equal(close(fd), 0);
}

#define THREADS 8
#define ROUNDS  500

/* Opens and closes as well, so that numbers change hands between threads all the time. */
static void *work(void *argument)
{
	const bool is_ours = *(const int *)argument % 2 == 0;
	char path[160], bytes[64] = {0};
	uintptr_t bad = 0;

	(void)snprintf(path, sizeof(path), is_ours ? "%s-wal" : "%s-not", main_path);
	for (int i = 0; i < ROUNDS; i++) {
		int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);

		bad += fd < 0;
		bad += pwrite(fd, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes);
		bad += pread(fd, bytes, sizeof(bytes), 0) != (ssize_t)sizeof(bytes);
		bad += close(fd) != 0;
	}
	return (void *)bad;
}

static void eight_threads_are_counted_exactly(void **state)
{
	pthread_t threads[THREADS];
	int numbers[THREADS];
	const uint64_t expected = (uint64_t)THREADS / 2 * ROUNDS;

	(void)state;
	for (int i = 0; i < THREADS; i++) {
		numbers[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, work, &numbers[i]), 0);
	}
	for (int i = 0; i < THREADS; i++) {
		void *bad;

		assert_int_equal(pthread_join(threads[i], &bad), 0);
		assert_null(bad);
	}
	assert_int_equal(calls(SC_ROLE_WAL, SC_OP_OPEN), expected);
	assert_int_equal(counted(SC_ROLE_WAL, SC_OP_WRITE).bytes, expected * 64);
	assert_int_equal(counted(SC_ROLE_WAL, SC_OP_READ).bytes, expected * 64);
	assert_int_equal(calls(SC_ROLE_WAL, SC_OP_CLOSE), expected);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		CASE(calls_before_the_constructor_reach_the_kernel),
		CASE(each_hook_is_exported_and_forwards_to_the_next_of_its_name),
		CASE(a_write_counts_its_bytes_and_time),
		CASE(a_short_read_counts_what_it_delivered),
		CASE(fsync_and_fdatasync_are_told_apart),
		CASE(thread_cpu_is_read_around_the_first_sync),
		CASE(a_directory_sync_belongs_to_the_database_in_it),
		CASE(a_shared_directory_goes_to_the_database_touched_last),
		CASE(a_name_says_the_role),
		CASE(strangers_are_not_counted),
		CASE(nothing_is_counted_while_the_tap_is_off),
		CASE(locks_and_unlocks_are_counted),
		CASE(mappings_are_followed_to_their_file),
		CASE(every_spelling_of_a_call_is_counted),
		CASE(asking_for_facts_is_counted),
		CASE(sleeps_are_counted_apart),
		CASE(a_descriptor_reused_for_another_file_is_not_counted),
		CASE(a_descriptor_closed_as_a_stream_is_forgotten),
		CASE(duplicates_are_the_same_file),
		CASE(a_file_opened_before_the_tap_is_found_when_it_is_used),
		CASE(a_file_opened_before_its_database_was_named_is_found_then),
		CASE(other_spellings_of_a_name_are_found),
		CASE(numbers_past_the_table_are_counted),
		CASE(errno_is_what_libc_left),
		CASE(a_bad_address_fails_as_it_does_in_libc),
		CASE(a_lock_interrupted_by_a_signal_is_a_failure),
		CASE(the_mode_of_open_is_read_only_where_it_exists),
		CASE(sizes_follow_the_calls),
		CASE(a_rename_moves_the_size),
		CASE(a_child_does_not_count_into_its_parent),
		CASE(a_child_of_vfork_takes_no_file_from_its_parent),
		CASE(eight_threads_are_counted_exactly),
	};

	return cmocka_run_group_tests_name("tap", tests, NULL, NULL);
}
