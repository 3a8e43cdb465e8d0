/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/files.h"
#include "fault.h"
#include "scratch.h"
#include "skip.h"

static void a_file_is_read_whole(void **state)
{
	const struct scratch *scratch = *state;
	static const size_t sizes[] = {0, 1, 4094, 4095, 4096, 4097, 8191, 8192, 100000};
	struct sc_error error;

	for (size_t i = 0; i < SC_ARRAY_COUNT(sizes); i++) {
		SC_CLEANUP(sc_freep) char *data = NULL;
		SC_CLEANUP(sc_freep) char *text = calloc(1, sizes[i] + 1);
		size_t bytes = 0;

		assert_non_null(text);
		for (size_t j = 0; j < sizes[i]; j++)
			text[j] = (char)('a' + j % 23);
		scratch_write(scratch, "file", text);
		assert_int_equal(sc_file_read_all(scratch_path(scratch, "file"), 1 << 20, &data,
						  &bytes, &error),
				 0);
		assert_int_equal(bytes, sizes[i]);
		assert_memory_equal(data, text, sizes[i] + 1);
	}
}

static void the_limit_is_the_last_size_that_is_read(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_freep) char *data = NULL;
	struct sc_error error;
	size_t bytes;

	scratch_write(scratch, "file", "0123456789");
	assert_int_equal(sc_file_read_all(scratch_path(scratch, "file"), 10, &data, &bytes, &error),
			 0);
	assert_int_equal(bytes, 10);
	sc_freep(&data);
	assert_int_equal(sc_file_read_all(scratch_path(scratch, "file"), 9, &data, NULL, &error),
			 SC_E_LIMIT);
	assert_non_null(strstr(error.what, "larger than 9 bytes"));
	assert_null(data);
	assert_int_equal(sc_file_read_all("/dev/zero", 100000, &data, NULL, &error), SC_E_LIMIT);
	assert_int_equal(
		sc_file_read_all(scratch_path(scratch, "file"), SIZE_MAX, &data, NULL, &error), 0);
}

static void a_file_of_proc_without_a_size_is_read(void **state)
{
	SC_CLEANUP(sc_freep) char *data = NULL;
	struct sc_error error;
	size_t bytes = 0;

	(void)state;
	assert_int_equal(sc_file_read_all("/proc/self/stat", 1 << 16, &data, &bytes, &error), 0);
	assert_true(bytes > 10);
	assert_int_equal(strtol(data, NULL, 10), getpid());
}

static void what_cannot_be_read_is_named(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_freep) char *data = NULL;
	struct sc_error error;

	assert_int_equal(sc_file_read_all(scratch_path(scratch, "no"), 1, &data, NULL, &error),
			 -ENOENT);
	assert_non_null(strstr(error.what, "/no': No such file"));
	assert_int_equal(sc_file_read_all(scratch->path, 1, &data, NULL, &error), -EISDIR);
	assert_null(data);
}

static void reading_survives_no_failed_call_silently(void **state)
{
	const struct scratch *scratch = *state;

	scratch_write(scratch, "file", "content");
	for (unsigned nth = 1;; nth++) {
		SC_CLEANUP(sc_freep) char *data = NULL;
		size_t descriptors = open_descriptors();
		struct sc_error error;
		int r;

		fault_begin(nth, EIO);
		r = sc_file_read_all(scratch_path(scratch, "file"), 100, &data, NULL, &error);
		if (!fault_end()) {
			assert_string_equal(data, "content");
			assert_true(nth > 3);
			break;
		}
		assert_true(r == -EIO || r == -ENOMEM);
		assert_int_equal(open_descriptors(), descriptors);
	}
}

/* What waits for a writer, for a key, or for ever is told from a file without waiting. */
static void only_a_regular_file_is_opened_as_one(void **state)
{
	const struct scratch *scratch = *state;
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	SC_CLEANUP(sc_fd_closep) int server = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	SC_CLEANUP(sc_freep) char *data = NULL;
	struct sc_error error;

	assert_true(server >= 0);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s",
		       scratch_path(scratch, "socket"));
	assert_int_equal(bind(server, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(mkfifo(scratch_path(scratch, "fifo"), 0600), 0);
	scratch_link(scratch, "link", "fifo");
	scratch_write(scratch, "file", "text");
	const struct {
		const char *path, *words;
	} cases[] = {
		{scratch->path, "is a directory, not a file"},
		{scratch_path(scratch, "fifo"), "fifo' is a FIFO, not a file"},
		{scratch_path(scratch, "link"), "link' is a FIFO, not a file"},
		{scratch_path(scratch, "socket"), "socket' is a socket, not a file"},
		{"/dev/zero", "'/dev/zero' is a device, not a file"},
	};
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		assert_int_equal(sc_file_open_regular(cases[i].path, &fd, &error), SC_E_FORMAT);
		assert_non_null(strstr(error.what, cases[i].words));
		assert_int_equal(fd, -1);
	}
	assert_int_equal(sc_file_open_regular(scratch_path(scratch, "none"), &fd, &error), -ENOENT);
	assert_int_equal(sc_file_open_regular(scratch_path(scratch, "file"), &fd, &error), 0);
	assert_int_equal(sc_file_read_fd(fd, "file", 10, &data, NULL, &error), 0);
	assert_string_equal(data, "text");
}

static void an_interrupted_read_is_taken_up_again(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_freep) char *data = NULL;
	struct sc_error error;

	scratch_write(scratch, "file", "content");
	fault_begin_at("read", 1, EINTR);
	assert_int_equal(sc_file_read_all(scratch_path(scratch, "file"), 100, &data, NULL, &error),
			 0);
	assert_true(fault_end());
	assert_string_equal(data, "content");
}

static void a_durable_file_is_there_alone_and_private(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "report.json");
	struct sc_error error;
	struct stat status;

	assert_int_equal(sc_file_write_durable(path, "one", 3, &error), 0);
	assert_true(file_is(path, "one"));
	assert_int_equal(stat(path, &status), 0);
	assert_int_equal(status.st_mode & 07777, 0600);
	assert_int_equal(sc_file_write_durable(path, "second", 6, &error), 0);
	assert_true(file_is(path, "second"));
	assert_int_equal(sc_file_write_durable(path, "", 0, &error), 0);
	assert_true(file_is(path, ""));
	assert_int_equal(scratch_count(scratch), 1);
}

static void a_bare_name_is_written_to_the_current_directory(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_fd_closep) int before = open(".", O_RDONLY | O_DIRECTORY);
	struct sc_error error;
	int r;

	assert_int_equal(chdir(scratch->path), 0);
	r = sc_file_write_durable("bare", "x", 1, &error);
	assert_int_equal(fchdir(before), 0);
	assert_int_equal(r, 0);
	assert_true(file_is(scratch_path(scratch, "bare"), "x"));
}

/* Content, then its name, then the directory: the order that survives a power cut. */
static void each_step_is_synced(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_error error;

	fault_begin(0, 0); /* counts alone */
	assert_int_equal(sc_file_write_durable(scratch_path(scratch, "file"), "x", 1, &error), 0);
	assert_false(fault_end());
	assert_int_equal(fault_calls("renameat"), 1);
	/* Two for the file where it began without a name, one for the directory. */
	assert_int_equal(fault_calls("fsync"), fault_calls("linkat") == 1 ? 3 : 2);
}

static void a_symbolic_link_is_replaced_not_followed(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_error error;

	scratch_write(scratch, "precious", "keep");
	scratch_link(scratch, "link", "precious");
	assert_int_equal(sc_file_write_durable(scratch_path(scratch, "link"), "new", 3, &error), 0);
	assert_true(file_is(scratch_path(scratch, "precious"), "keep"));
	assert_true(file_is(scratch_path(scratch, "link"), "new"));
}

static void an_abandoned_draft_leaves_nothing(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "file");
	struct sc_draft *draft = NULL;
	struct sc_error error;

	scratch_write(scratch, "file", "old");
	assert_int_equal(sc_draft_open(path, &draft, &error), 0);
	assert_true(fprintf(sc_draft_stream(draft), "half of it") > 0);
	assert_int_equal(fflush(sc_draft_stream(draft)), 0);
	assert_true(file_is(path, "old"));
	sc_draft_abandonp(&draft);
	assert_null(draft);
	sc_draft_abandonp(&draft);
	assert_true(file_is(path, "old"));
	assert_int_equal(scratch_count(scratch), 1);
}

static void a_file_system_without_nameless_files_will_do(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "file");
	struct sc_draft *draft = NULL;
	struct sc_error error;

	fault_begin_at("openat64", 1, EOPNOTSUPP);
	assert_int_equal(sc_draft_open(path, &draft, &error), 0);
	assert_true(fault_end());
	assert_int_equal(scratch_count(scratch), 1); /* the temporary name */
	assert_false(path_exists(path));
	assert_true(fputs("text", sc_draft_stream(draft)) >= 0);
	assert_int_equal(sc_draft_commit(&draft, &error), 0);
	assert_null(draft);
	assert_true(file_is(path, "text"));
	assert_int_equal(scratch_count(scratch), 1);

	fault_begin_at("openat64", 1, EOPNOTSUPP);
	assert_int_equal(sc_draft_open(path, &draft, &error), 0);
	assert_true(fault_end());
	sc_draft_abandonp(&draft);
	assert_int_equal(scratch_count(scratch), 1);
}

static void what_a_dead_process_left_is_overwritten(void **state)
{
	const struct scratch *scratch = *state;
	char left[64];
	struct sc_error error;

	(void)snprintf(left, sizeof(left), ".file.%d.tmp", (int)getpid());
	scratch_write(scratch, left, "garbage of an earlier process with this number");
	assert_int_equal(sc_file_write_durable(scratch_path(scratch, "file"), "x", 1, &error), 0);
	assert_true(file_is(scratch_path(scratch, "file"), "x"));
	assert_int_equal(scratch_count(scratch), 1);
}

static void where_nothing_can_be_written_the_path_is_named(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_error error;

	assert_int_equal(sc_file_write_durable(scratch_path(scratch, "no/file"), "x", 1, &error),
			 -ENOENT);
	assert_non_null(strstr(error.what, "/no'"));
	scratch_mkdir(scratch, "directory");
	assert_int_equal(sc_file_write_durable(scratch_path(scratch, "directory"), "x", 1, &error),
			 -EISDIR);
	assert_non_null(strstr(error.what, "/directory'"));
	assert_int_equal(sc_file_write_durable(scratch_path(scratch, "directory/"), "x", 1, &error),
			 -EISDIR);
	assert_int_equal(scratch_count(scratch), 1);
}

/* A disk that is full is found, however late the stream notices. */
static void a_full_disk_is_found(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_draft_abandonp) struct sc_draft *draft = NULL;
	struct sc_error error;
	FILE *full = fopen("/dev/full", "w");
	int r;

	if (!full)
		skip_because("/dev/full is not here");
	assert_int_equal(sc_draft_open(scratch_path(scratch, "file"), &draft, &error), 0);
	assert_true(fputs("text", sc_draft_stream(draft)) >= 0);
	assert_int_equal(dup2(fileno(full), fileno(sc_draft_stream(draft))),
			 fileno(sc_draft_stream(draft)));
	r = sc_draft_commit(&draft, &error);
	assert_int_equal(fclose(full), 0);
	assert_int_equal(r, -ENOSPC);
	assert_non_null(strstr(error.what, "No space left on device"));
	assert_int_equal(scratch_count(scratch), 0);
}

static bool is_old_or_new(const char *path)
{
	return file_is(path, "old") || file_is(path, "new");
}

/* The disk had no room for a while: what was lost then is not missed silently. */
static void an_earlier_failed_write_is_not_forgotten(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_draft_abandonp) struct sc_draft *draft = NULL;
	struct sc_error error;
	int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
	int fd, kept;

	if (full < 0)
		skip_because("/dev/full is not here");
	assert_int_equal(sc_draft_open(scratch_path(scratch, "file"), &draft, &error), 0);
	fd = fileno(sc_draft_stream(draft));
	kept = dup(fd);
	assert_int_equal(dup2(full, fd), fd);
	assert_true(fputs("text", sc_draft_stream(draft)) >= 0);
	assert_int_equal(fflush(sc_draft_stream(draft)), EOF);
	assert_int_equal(dup2(kept, fd), fd);
	assert_int_equal(close(kept), 0);
	assert_int_equal(close(full), 0);
	assert_int_equal(sc_draft_commit(&draft, &error), -EIO);
	assert_int_equal(scratch_count(scratch), 0);
}

static void each_failed_call_leaves_the_old_file_or_the_new(void **state)
{
	const struct scratch *scratch = *state;
	const char *path = scratch_path(scratch, "file");
	unsigned failures = 0;

	for (unsigned nth = 1;; nth++) {
		size_t descriptors = open_descriptors();
		struct sc_error error;
		int r;

		scratch_write(scratch, "file", "old");
		fault_begin(nth, EIO);
		r = sc_file_write_durable(path, "new", 3, &error);
		if (!fault_end()) {
			assert_int_equal(r, 0);
			assert_true(file_is(path, "new"));
			break;
		}
		assert_int_equal(open_descriptors(), descriptors);
		/* Only the removal of a name that mostly is not there may fail unnoticed. */
		if (r == 0)
			assert_string_equal(fault_name(), "unlinkat");
		else
			failures++;
		assert_true(r == 0 || r == -EIO || r == -ENOMEM);
		assert_true(is_old_or_new(path));
		assert_int_equal(scratch_count(scratch), 1);
	}
	assert_true(failures >= 10);
}

static void the_same_without_nameless_files(void **state)
{
	const struct scratch *scratch = *state;
	static const char *const names[] = {"fsync", "fclose", "renameat", "fflush"};

	for (size_t i = 0; i < SC_ARRAY_COUNT(names); i++) {
		struct sc_draft *draft = NULL;
		struct sc_error error;
		int r;

		scratch_write(scratch, "file", "old");
		fault_begin_at("openat64", 1, EOPNOTSUPP);
		r = sc_draft_open(scratch_path(scratch, "file"), &draft, &error);
		assert_true(fault_end());
		assert_int_equal(r, 0);
		assert_true(fputs("new", sc_draft_stream(draft)) >= 0);
		fault_begin_at(names[i], 1, EIO);
		r = sc_draft_commit(&draft, &error);
		assert_true(fault_end());
		assert_int_equal(r, -EIO);
		assert_null(draft);
		assert_true(file_is(scratch_path(scratch, "file"), "old"));
		assert_int_equal(scratch_count(scratch), 1);
	}
}

#define FILE_CASE(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest cases[] = {
		FILE_CASE("a file is read whole", a_file_is_read_whole),
		FILE_CASE("the limit is the last size that is read",
			  the_limit_is_the_last_size_that_is_read),
		CASE("a file of /proc, without a size, is read",
		     a_file_of_proc_without_a_size_is_read),
		FILE_CASE("what cannot be read is named", what_cannot_be_read_is_named),
		FILE_CASE("reading survives no failed call silently",
			  reading_survives_no_failed_call_silently),
		FILE_CASE("only a regular file is opened as one",
			  only_a_regular_file_is_opened_as_one),
		FILE_CASE("an interrupted read is taken up again",
			  an_interrupted_read_is_taken_up_again),
		FILE_CASE("a durable file is there, alone and private",
			  a_durable_file_is_there_alone_and_private),
		FILE_CASE("a bare name is written to the current directory",
			  a_bare_name_is_written_to_the_current_directory),
		FILE_CASE("content, name and directory are each synced", each_step_is_synced),
		FILE_CASE("a symbolic link is replaced, not followed",
			  a_symbolic_link_is_replaced_not_followed),
		FILE_CASE("an abandoned draft leaves nothing", an_abandoned_draft_leaves_nothing),
		FILE_CASE("a file system without nameless files will do",
			  a_file_system_without_nameless_files_will_do),
		FILE_CASE("what a dead process left is overwritten",
			  what_a_dead_process_left_is_overwritten),
		FILE_CASE("where nothing can be written the path is named",
			  where_nothing_can_be_written_the_path_is_named),
		FILE_CASE("a full disk is found", a_full_disk_is_found),
		FILE_CASE("an earlier failed write is not forgotten",
			  an_earlier_failed_write_is_not_forgotten),
		FILE_CASE("each failed call leaves the old file or the new, nothing else",
			  each_failed_call_leaves_the_old_file_or_the_new),
		FILE_CASE("the same where files have names from the start",
			  the_same_without_nameless_files),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
