/* SPDX-License-Identifier: MIT */

/* Folders are named by the time at which they were made, so the last name is the newest. */

#include "report-path.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#define REPORTS "syncost-reports"

static int fail_none(struct sc_error *error)
{
	(void)sc_fail(error, SC_E_USAGE, "there is no report under ./" REPORTS);
	return sc_hint(error, "make one with 'syncost sweep', or name a report folder");
}

static bool has_summary(const char *name)
{
	SC_CLEANUP(sc_freep) char *path = NULL;

	if (asprintf(&path, REPORTS "/%s/summary.json", name) < 0) {
		path = NULL; /* undefined after a failure */
		return false;
	}
	return access(path, F_OK) == 0;
}

static void free_names(struct dirent **names, int count)
{
	for (int i = 0; i < count; i++)
		free(names[i]);
	free(names);
}

int sc_report_newest(char **ret_path, struct sc_error *error)
{
	struct dirent **names = NULL;
	int count = scandir(REPORTS, &names, NULL, versionsort);
	int r = -ENOENT;

	if (count < 0 && errno == ENOENT)
		return fail_none(error);
	if (count < 0)
		return sc_fail(error, -errno, "look for reports in ./" REPORTS);
	for (int i = count; i-- > 0 && r == -ENOENT;) {
		if (names[i]->d_name[0] == '.' || !has_summary(names[i]->d_name))
			continue;
		r = asprintf(ret_path, "./" REPORTS "/%s", names[i]->d_name) < 0 ? -ENOMEM : 0;
	}
	free_names(names, count);
	if (r == -ENOMEM)
		return sc_fail(error, r, "look for reports in ./" REPORTS);
	return r == 0 ? 0 : fail_none(error);
}
