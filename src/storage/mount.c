/* SPDX-License-Identifier: MIT */
#include "mount.h"

/*
 * proc(5): fields are separated by one blank, with blanks in them written as \040 and the like:
 *
 *	36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue
 *	id |  dev  root  point options    any number  type source    options of the file system
 *	   parent                         of tags, "-"
 *
 * A source may be empty; lines that do not look like this are skipped.
 */

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../base/scan.h"

void sc_mount_fini(struct sc_mount *mount)
{
	free(mount->line);
	*mount = (struct sc_mount){0};
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Replaces \ooo by its byte, in place. */
static void unescape(char *text)
{
	char *to = text;

	for (const char *from = text; *from; to++) {
		if (from[0] == '\\' && is_octal(from[1]) && is_octal(from[2]) &&
		    is_octal(from[3])) {
			*to = (char)((from[1] - '0') << 6 | (from[2] - '0') << 3 | (from[3] - '0'));
			from += 4;
		} else {
			*to = *from++;
		}
	}
	*to = '\0';
}

static char *next_field(char **rest)
{
	char *field = strsep(rest, " ");

	if (field)
		unescape(field);
	return field;
}

/* Cuts mount->line into fields. */
static bool parse(struct sc_mount *mount)
{
	char *rest = mount->line;
	const char *id = next_field(&rest);
	const char *parent = next_field(&rest);
	const char *device = next_field(&rest);
	const char *root = next_field(&rest);
	const char *tag;

	(void)parent;
	mount->point = next_field(&rest);
	mount->options = next_field(&rest);
	do
		tag = next_field(&rest);
	while (tag && strcmp(tag, "-") != 0);
	mount->filesystem = next_field(&rest);
	mount->source = next_field(&rest);
	mount->super_options = next_field(&rest);

	return root && mount->super_options && sc_scan_u64(&id, &mount->id) &&
	       sc_scan_u64(&device, &mount->major) && sc_scan_text(&device, ":") &&
	       sc_scan_u64(&device, &mount->minor);
}

/*
 * Parses the line that *@text begins with and moves *@text behind it.
 * Return: 0, 1 if it is not a mount, -ENOMEM.
 */
static int read_line(const char **text, struct sc_mount *ret_mount)
{
	const char *end = strchrnul(*text, '\n');
	struct sc_mount mount = {.line = strndup(*text, (size_t)(end - *text))};

	if (!mount.line)
		return -ENOMEM;
	*text = *end ? end + 1 : end;
	if (!parse(&mount)) {
		sc_mount_fini(&mount);
		return 1;
	}
	*ret_mount = mount;
	return 0;
}

int sc_mount_by_id(const char *mountinfo, uint64_t id, struct sc_mount *ret_mount)
{
	while (*mountinfo) {
		struct sc_mount mount = {0};
		int r = read_line(&mountinfo, &mount);

		if (r < 0)
			return r;
		if (r == 0 && mount.id == id) {
			*ret_mount = mount;
			return 0;
		}
		sc_mount_fini(&mount);
	}
	return 1;
}

static bool is_above(const char *point, const char *path)
{
	size_t bytes = strlen(point);

	if (strcmp(point, "/") == 0)
		return true;
	return strncmp(point, path, bytes) == 0 && (path[bytes] == '/' || path[bytes] == '\0');
}

int sc_mount_by_path(const char *mountinfo, const char *path, struct sc_mount *ret_mount)
{
	struct sc_mount best = {0};

	while (*mountinfo) {
		struct sc_mount mount = {0};
		int r = read_line(&mountinfo, &mount);

		if (r < 0) {
			sc_mount_fini(&best);
			return r;
		}
		if (r == 0 && is_above(mount.point, path) &&
		    (!best.line || strlen(mount.point) >= strlen(best.point))) {
			sc_mount_fini(&best);
			best = mount;
		} else {
			sc_mount_fini(&mount);
		}
	}
	if (!best.line)
		return 1;
	*ret_mount = best;
	return 0;
}

bool sc_options_have(const char *options, const char *option)
{
	size_t bytes = strlen(option);

	for (const char *at = options; at; at = strchr(at, ',')) {
		if (*at == ',')
			at++;
		if (strncmp(at, option, bytes) == 0 && (at[bytes] == ',' || at[bytes] == '\0'))
			return true;
	}
	return false;
}
