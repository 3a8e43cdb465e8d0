/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The disks under a block device: through partitions, device mapper and RAID down to what has
 * nothing underneath. For facts.c alone.
 */

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "../base/buffer.h"
#include "queue.h"

struct sc_disks {
	struct sc_buffer description; /* "dm-0 (crypt root) on nvme0n1 (Samsung SSD 980)" */
	struct sc_buffer models;      /* "WDC WD40, ST4000"; empty: none is known */
	size_t count;                 /* disks */
	struct sc_queues queues;
	size_t virtual;         /* disks of a virtual machine */
	size_t network;         /* disks of another machine */
	struct sc_buffer names; /* of the disks seen, each with its NUL */
	/* describes what the file of a loop device is on; false: it cannot be told. NULL: nobody
	 * does, and the loop device is the disk */
	bool (*add_backing)(void *context, struct sc_disks *disks, const char *path, int depth);
	void *context;
};

void sc_disks_fini(struct sc_disks *disks);

/** sc_disk_name() - kernel's name of device @major:@minor. Return: false if sysfs has none. */
bool sc_disk_name(const char *root, uint64_t major, uint64_t minor, char *name, size_t name_bytes);

/** sc_disk_name_of_source() - the same for a mount's source: "/dev/mapper/root" is "dm-0" */
bool sc_disk_name_of_source(const char *root, const char *source, char *name, size_t name_bytes);

/**
 * sc_disks_add() - add what is under device @name to @disks
 * @name: as the kernel calls it; a disk that was added before is not counted again
 *
 * Return: 0, 1 if sysfs does not have it. An allocation that failed shows in the buffers.
 */
int sc_disks_add(struct sc_disks *disks, const char *root, const char *name);

/** sc_disks_add_below() - the same for add_backing(), behind " on " */
int sc_disks_add_below(struct sc_disks *disks, const char *root, const char *name, int depth);
