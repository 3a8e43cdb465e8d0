/* SPDX-License-Identifier: MIT */
#pragma once

/* What the kernel says of the queues of disks, added up over those under one mount. For disk.c and
 * facts.c alone. */

#include <stdbool.h>
#include <stddef.h>

#include "../base/buffer.h"

#define SC_DISK_ATTRIBUTE_BYTES 256u

struct sc_queues {
	size_t rotational_known, rotational;
	size_t write_cache_known, write_back;
	size_t fua_known, fua;         /* take forced writes */
	size_t discard_known, discard; /* can be told what is free */
	struct sc_buffer schedulers;   /* "none", "mq-deadline, none": each once */
};

void sc_queues_fini(struct sc_queues *queues);

/** sc_queues_add() - of disk @name; an allocation that failed shows in the buffer */
void sc_queues_add(struct sc_queues *queues, const char *root, const char *name);

/**
 * sc_disk_attribute() - first line of /sys/class/block/@name/@attribute, without blanks at its ends
 * Return: false if it is absent or empty.
 */
bool sc_disk_attribute(const char *root, const char *name, const char *attribute,
		       char value[SC_DISK_ATTRIBUTE_BYTES]);
