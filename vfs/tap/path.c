/* SPDX-License-Identifier: MIT */

/*
 * Method. Names are compared as SQLite spells them: it makes full paths itself and passes those to
 * libc, so the spelling of the database's name is the one to look for. Relative names get the
 * working directory in front, by getcwd.
 *
 * A directory that holds several databases is ascribed to the one this thread touched last: a
 * directory is synced right after the sync of a new journal in it, or right after the removal of
 * one.
 *
 * Temporary files have random names that say nothing about their kind. Under the shim it says
 * which file it is just opening; without it their role is "other".
 *
 * All calls are made directly, so that no hook sees them.
 */

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stddef.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../ledger.h"
#include "record.h"

#define TEMPORARY_PREFIX "etilqs_"
#define DELETED_SUFFIX   " (deleted)"

static bool has_prefix(const char *text, const char *prefix)
{
	return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* Whether @directory is where database @slot lies. */
static bool is_directory_of(const char *directory, uint32_t slot)
{
	const char *path = sc_ledger.meter->databases[slot].path;
	const char *slash = strrchr(path, '/');
	size_t length = strlen(directory), stem = slash ? (size_t)(slash - path) : 0;

	if (slash == path)
		stem = 1; /* the root */
	return slash && stem == length && memcmp(path, directory, length) == 0;
}

static sc_tap_file temporary_file(void)
{
	uint32_t opening = sc_thread_self.opening;

	if (!opening)
		return sc_tap_file_make(0, SC_ROLE_OTHER);
	return sc_tap_file_make((opening - 1) / SC_ROLE_COUNT_,
				(enum sc_role)((opening - 1) % SC_ROLE_COUNT_));
}

/* @path begins with a slash. */
static sc_tap_file full_path_file(const char *path)
{
	enum sc_role role;
	uint32_t slot;

	if (!sc_ledger_is_on())
		return SC_TAP_STRANGER;
	if (sc_tap_path_is_temporary(path))
		return temporary_file();

	slot = sc_ledger_database_find(path, &role);
	if (slot == 0)
		return SC_TAP_STRANGER;
	if (role == SC_ROLE_DIRECTORY && sc_tap_last_database != slot &&
	    is_directory_of(path, sc_tap_last_database))
		slot = sc_tap_last_database;
	return sc_tap_file_make(slot, role);
}

/* "/proc/self/fd/N"; @ret_text has room for 32 bytes. */
static void print_fd_link(int fd, char *ret_text)
{
	static const char prefix[] = "/proc/self/fd/";
	char *digits = ret_text + sizeof(prefix) - 1;
	unsigned rest = (unsigned)fd;
	size_t count = 1;

	memcpy(ret_text, prefix, sizeof(prefix) - 1);
	for (unsigned more = rest / 10; more; more /= 10)
		count++;
	digits[count] = '\0';
	do
		digits[--count] = (char)('0' + rest % 10);
	while ((rest /= 10) != 0);
}

/* What @fd is open on, with a NUL behind it; @size is that of @ret_path. False: not a file. */
static bool read_fd_path(int fd, char *ret_path, size_t size)
{
	char link[32];
	long length;

	print_fd_link(fd, link);
	length = syscall(SYS_readlinkat, AT_FDCWD, link, ret_path, size - 1);
	if (length <= 0 || ret_path[0] != '/')
		return false;
	ret_path[length] = '\0';
	return true;
}

static sc_tap_file relative_path_file(int directory, const char *path)
{
	char full[PATH_MAX];
	size_t length, room;

	if (directory == AT_FDCWD) {
		if (syscall(SYS_getcwd, full, sizeof(full)) <= 0 || full[0] != '/')
			return SC_TAP_STRANGER;
	} else if (directory < 0 || !read_fd_path(directory, full, sizeof(full))) {
		return SC_TAP_STRANGER;
	}

	while (has_prefix(path, "./"))
		path += 2;
	if (strcmp(path, ".") == 0)
		return full_path_file(full);

	length = strlen(full);
	if (length > 1)
		full[length++] = '/';
	room = sizeof(full) - length;
	if (strlen(path) >= room)
		return SC_TAP_STRANGER;
	memcpy(full + length, path, strlen(path) + 1);
	return full_path_file(full);
}

sc_tap_file sc_tap_path_file(int directory, const char *path)
{
	sc_tap_file file;
	int saved = errno;

	if (!path)
		return SC_TAP_STRANGER;
	if (!path[0])
		return sc_tap_fd_file(directory); /* AT_EMPTY_PATH */
	if (path[0] == '/')
		return full_path_file(path);

	file = relative_path_file(directory, path);
	errno = saved;
	return file;
}

sc_tap_file sc_tap_path_either(int directory, const char *path, int other_directory,
			       const char *other_path)
{
	sc_tap_file file = sc_tap_path_file(directory, path);

	return file != SC_TAP_STRANGER ? file : sc_tap_path_file(other_directory, other_path);
}

bool sc_tap_path_is_temporary(const char *path)
{
	const char *slash = strrchr(path, '/');

	return has_prefix(slash ? slash + 1 : path, TEMPORARY_PREFIX);
}

bool sc_tap_path_of_fd(int fd, char *ret_path, size_t size)
{
	const size_t suffix = sizeof(DELETED_SUFFIX) - 1;
	int saved = errno;
	size_t length;
	bool has_name;

	has_name = fd >= 0 && read_fd_path(fd, ret_path, size);
	length = has_name ? strlen(ret_path) : 0;
	if (length > suffix && strcmp(ret_path + length - suffix, DELETED_SUFFIX) == 0)
		ret_path[length - suffix] = '\0';
	errno = saved;
	return has_name;
}

sc_tap_file sc_tap_path_fd(int fd)
{
	char path[PATH_MAX];

	return sc_tap_path_of_fd(fd, path, sizeof(path)) ? full_path_file(path) : SC_TAP_STRANGER;
}
