/* SPDX-License-Identifier: MIT */
#include "run-format.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

#include "../base/files.h"

#define SUMMARY     "summary.json"
#define LIMIT_BYTES (256u << 20)

/* Of a folder or a file in it: the file called @name there. */
static char *file_of(const char *path, const char *name)
{
	const char *slash = strrchr(path, '/');
	struct stat facts;
	char *file = NULL;
	int printed;

	if (stat(path, &facts) == 0 && S_ISDIR(facts.st_mode))
		printed = asprintf(&file, "%s/%s", path, name);
	else if (slash)
		printed = asprintf(&file, "%.*s/%s", (int)(slash - path), path, name);
	else
		printed = asprintf(&file, "%s", name);
	return printed < 0 ? NULL : file;
}

bool sc_run_format_is(const char *path)
{
	static const char head[] = "{\"format\":\"syncost-report-1\",\"kind\":\"run\",";
	SC_CLEANUP(sc_freep) char *summary = file_of(path, SUMMARY);
	char start[sizeof(head)] = "";
	struct sc_error error;
	int fd;

	if (!summary || sc_file_open_regular(summary, &fd, &error) < 0)
		return false;
	(void)!read(fd, start, sizeof(start) - 1); /* what is shorter is not the same */
	(void)close(fd);                           /* only read from */
	return strcmp(start, head) == 0;
}

int sc_run_format_print(const char *path, const char *format, FILE *out, struct sc_error *error)
{
	static const struct {
		const char *format, *name;
	} files[] = {
		{"table", "summary.txt"},    {"md", "summary.md"}, {"csv", "timeline.csv"},
		{"samples", "timeline.csv"}, {"json", SUMMARY},
	};
	SC_CLEANUP(sc_freep) char *file = NULL;
	SC_CLEANUP(sc_freep) char *text = NULL;
	int r;

	for (size_t i = 0; i < SC_ARRAY_COUNT(files) && !file; i++) {
		if (strcmp(files[i].format, format) == 0)
			file = file_of(path, files[i].name);
	}
	if (!file)
		return sc_fail(error, -ENOMEM, "reading '%s'", path);
	r = sc_file_read_all(file, LIMIT_BYTES, &text, NULL, error);
	if (r == 0 && fputs(text, out) == EOF)
		r = sc_fail(error, errno ? -errno : -EIO, "write standard output");
	return r;
}
