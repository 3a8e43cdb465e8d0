/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include <assert.h>
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void require(bool holds, const char *what)
{
	if (!holds) {
		perror(what);
		abort();
	}
}

int scratch_setup(void **state)
{
	struct scratch *scratch = malloc(sizeof(*scratch));
	const char *parent = getenv("TMPDIR");

	require(scratch, "malloc");
	(void)snprintf(scratch->path, sizeof(scratch->path), "%s/syncost-test-XXXXXX",
		       parent && parent[0] ? parent : "/tmp");
	require(mkdtemp(scratch->path), scratch->path);
	*state = scratch;
	return 0;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)status;
	(void)type;
	(void)at;
	return remove(path);
}

int scratch_teardown(void **state)
{
	struct scratch *scratch = *state;
	int r = nftw(scratch->path, remove_entry, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);

	free(scratch);
	return r;
}

const char *scratch_path(const struct scratch *scratch, const char *name)
{
	static char paths[8][2 * SCRATCH_PATH_BYTES];
	static unsigned next;
	char *path = paths[next++ % 8];

	(void)snprintf(path, sizeof(paths[0]), "%s/%s", scratch->path, name);
	return path;
}

static void make_directories_of(const char *path)
{
	char above[2 * SCRATCH_PATH_BYTES];

	(void)snprintf(above, sizeof(above), "%s", path);
	for (char *slash = strchr(above + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		(void)mkdir(above, 0700); /* mostly it is there; what follows finds out */
		*slash = '/';
	}
}

void scratch_write(const struct scratch *scratch, const char *name, const char *text)
{
	const char *path = scratch_path(scratch, name);
	FILE *file;

	make_directories_of(path);
	file = fopen(path, "w");
	require(file, path);
	require(fputs(text, file) >= 0, path);
	require(fclose(file) == 0, path);
}

void scratch_link(const struct scratch *scratch, const char *name, const char *target)
{
	const char *path = scratch_path(scratch, name);

	make_directories_of(path);
	require(symlink(target, path) == 0, path);
}

void scratch_mkdir(const struct scratch *scratch, const char *name)
{
	const char *path = scratch_path(scratch, name);

	make_directories_of(path);
	require(mkdir(path, 0700) == 0, path);
}

static size_t counted;

static int count_entry(const char *path, const struct stat *status, int type, struct FTW *at)
{
	(void)path;
	(void)status;
	(void)type;
	if (at->level > 0)
		counted++;
	return 0;
}

size_t scratch_count(const struct scratch *scratch)
{
	counted = 0;
	require(nftw(scratch->path, count_entry, 16, FTW_PHYS) == 0, scratch->path);
	return counted;
}

bool path_exists(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

bool file_is(const char *path, const char *text)
{
	size_t bytes = strlen(text);
	char *content = malloc(bytes + 1);
	FILE *file = fopen(path, "r");
	bool same;

	require(content, "malloc");
	if (!file) {
		free(content);
		return false;
	}
	same = fread(content, 1, bytes + 1, file) == bytes && memcmp(content, text, bytes) == 0;
	free(content);
	require(fclose(file) == 0, path);
	return same;
}

size_t open_descriptors(void)
{
	DIR *directory = opendir("/proc/self/fd");
	size_t count = 0;

	require(directory, "/proc/self/fd");
	while (readdir(directory))
		count++;
	require(closedir(directory) == 0, "/proc/self/fd");
	return count;
}
