/* SPDX-License-Identifier: MIT */
#include "queue.h"

/*
 *	queue/rotational         0 or 1
 *	queue/write_cache        "write back": there is a cache that a flush must empty
 *	queue/fua                1: a write can ask to be durable when it returns; with 0 the kernel
 *	                         makes of it a write and a flush
 *	queue/scheduler          "none [mq-deadline] kyber"; a single name without brackets
 *	queue/discard_max_bytes  0: discards are not passed on
 */

#include <ctype.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void sc_queues_fini(struct sc_queues *queues)
{
	sc_buffer_fini(&queues->schedulers);
	*queues = (struct sc_queues){0};
}

bool sc_disk_attribute(const char *root, const char *name, const char *attribute,
		       char value[SC_DISK_ATTRIBUTE_BYTES])
{
	SC_CLEANUP(sc_fd_closep) int fd = -1;
	char path[PATH_MAX];
	const char *start;
	size_t length;
	ssize_t bytes;

	(void)snprintf(path, sizeof(path), "%s/sys/class/block/%s/%s", root, name, attribute);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	bytes = read(fd, value, SC_DISK_ATTRIBUTE_BYTES - 1);
	if (bytes <= 0)
		return false;
	value[bytes] = '\0';
	value[strcspn(value, "\n")] = '\0';

	start = value + strspn(value, " \t");
	memmove(value, start, strlen(start) + 1);
	length = strlen(value);
	while (length > 0 && isspace((unsigned char)value[length - 1]))
		value[--length] = '\0';
	return length > 0;
}

/* Whether @name is one of the comma separated names. */
static bool has_name(const struct sc_buffer *names, const char *name)
{
	size_t length = strlen(name);

	for (const char *at = names->text; at && *at;) {
		size_t bytes = strcspn(at, ",");

		if (bytes == length && strncmp(at, name, length) == 0)
			return true;
		at += bytes;
		at += strspn(at, ", ");
	}
	return false;
}

static void add_scheduler(struct sc_queues *queues, char *value)
{
	char *name = strchr(value, '[');

	name = name ? name + 1 : value;
	name[strcspn(name, "] ")] = '\0';
	if (!has_name(&queues->schedulers, name))
		sc_buffer_printf(&queues->schedulers, "%s%s", queues->schedulers.length ? ", " : "",
				 name);
}

void sc_queues_add(struct sc_queues *queues, const char *root, const char *name)
{
	const struct {
		const char *attribute;
		size_t *known, *count;
		const char *is; /* counted: this value; NULL: any but "0" */
	} flags[] = {
		{"queue/rotational", &queues->rotational_known, &queues->rotational, NULL},
		{"queue/write_cache", &queues->write_cache_known, &queues->write_back,
		 "write back"},
		{"queue/fua", &queues->fua_known, &queues->fua, NULL},
		{"queue/discard_max_bytes", &queues->discard_known, &queues->discard, NULL},
	};
	char value[SC_DISK_ATTRIBUTE_BYTES];

	for (size_t i = 0; i < SC_ARRAY_COUNT(flags); i++) {
		if (!sc_disk_attribute(root, name, flags[i].attribute, value))
			continue;
		++*flags[i].known;
		*flags[i].count +=
			flags[i].is ? strcmp(value, flags[i].is) == 0 : strcmp(value, "0") != 0;
	}
	if (sc_disk_attribute(root, name, "queue/scheduler", value))
		add_scheduler(queues, value);
}
