/* SPDX-License-Identifier: MIT */
#include "library.h"

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <string.h>

#define NAME "syncost-preload.so"

/* The directory of the running program, without a slash at its end. */
static int find_home(char home[PATH_MAX], struct sc_error *error)
{
	ssize_t length = readlink("/proc/self/exe", home, PATH_MAX - 1);
	char *slash;

	if (length < 0)
		return sc_fail(error, -errno, "readlink on '/proc/self/exe'");
	home[length] = '\0';
	slash = strrchr(home, '/');
	if (slash)
		*slash = '\0';
	return 0;
}

int sc_run_library_find(char **ret_path, struct sc_error *error)
{
	static const struct {
		bool is_absolute;
		const char *directory;
	} places[] = {
		{false, ""},
		{false, "/" SC_LIBRARY_FROM_BINARY},
		{true, SC_LIBRARY_DIRECTORY},
	};
	char home[PATH_MAX];
	int r = find_home(home, error);

	for (size_t i = 0; r == 0 && i < SC_ARRAY_COUNT(places); i++) {
		SC_CLEANUP(sc_freep) char *path = NULL;

		if (asprintf(&path, "%s%s/" NAME, places[i].is_absolute ? "" : home,
			     places[i].directory) < 0) {
			path = NULL; /* undefined after a failure */
			return sc_fail(error, -ENOMEM, "looking for " NAME);
		}
		if (access(path, R_OK) != 0)
			continue;
		if (strpbrk(path, " \t\n:;")) {
			(void)sc_fail(error, SC_E_UNMEASURABLE,
				      "'%s' cannot be preloaded: a blank or a colon in its name",
				      path);
			return sc_hint(error, "install syncost under another name");
		}
		*ret_path = SC_TAKE(path);
		return 0;
	}
	if (r < 0)
		return r;
	(void)sc_fail(error, -ENOENT, "find " NAME " beside the program or in %s",
		      SC_LIBRARY_DIRECTORY);
	return sc_hint(error, "install syncost whole");
}
