/* SPDX-License-Identifier: MIT */
#include "disk.h"

/*
 * sysfs, all of it readable by everybody:
 *
 *	dev/block/254:0          a link to the device's directory, which ends in its name
 *	class/block/NAME/        the same by name, partitions too
 *	  partition              only partitions have it; the disk is the directory above
 *	  slaves/                what a device mapper or RAID device is made of
 *	  dm/uuid, dm/name       "CRYPT-LUKS2-…", "LVM-…"; "luks-root"
 *	  md/level               "raid1"
 *	  loop/backing_file
 *	  device/model, vendor   SCSI, ATA, NVMe; MMC has device/name
 *	  queue/rotational       0 or 1
 *	  queue/write_cache      "write back": there is a cache that a flush must empty
 */

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEPTH_MAX   8 /* of mapped devices upon each other; the kernel allows no loops */
#define MODEL_BYTES 512u

enum { NOT_THERE = 1, SEEN };

struct device {
	const char *root;
	char name[NAME_MAX + 1];
};

void sc_disks_fini(struct sc_disks *disks)
{
	sc_buffer_fini(&disks->description);
	sc_buffer_fini(&disks->models);
	sc_buffer_fini(&disks->names);
	sc_queues_fini(&disks->queues);
	*disks = (struct sc_disks){0};
}

static bool read_attribute(const struct device *device, const char *attribute,
			   char value[SC_DISK_ATTRIBUTE_BYTES])
{
	return sc_disk_attribute(device->root, device->name, attribute, value);
}

static bool copy_name(char *name, size_t name_bytes, const char *from)
{
	size_t length = strlen(from);

	if (length == 0 || length >= name_bytes)
		return false;
	memcpy(name, from, length + 1);
	return true;
}

/* The last component of what a path resolves to. */
static bool resolve_name(const char *path, char *name, size_t name_bytes)
{
	SC_CLEANUP(sc_freep) char *resolved = realpath(path, NULL);

	return resolved && copy_name(name, name_bytes, strrchr(resolved, '/') + 1);
}

static bool is_known(const char *root, const char *name)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/sys/class/block/%s", root, name);
	return access(path, F_OK) == 0;
}

bool sc_disk_name(const char *root, uint64_t major, uint64_t minor, char *name, size_t name_bytes)
{
	char path[PATH_MAX];

	(void)snprintf(path, sizeof(path), "%s/sys/dev/block/%" PRIu64 ":%" PRIu64, root, major,
		       minor);
	return resolve_name(path, name, name_bytes) && is_known(root, name);
}

bool sc_disk_name_of_source(const char *root, const char *source, char *name, size_t name_bytes)
{
	char path[PATH_MAX];
	const char *slash = strrchr(source, '/');

	if (strncmp(source, "/dev/", 5) != 0)
		return false;
	(void)snprintf(path, sizeof(path), "%s%s", root, source);
	if (resolve_name(path, name, name_bytes) && is_known(root, name))
		return true;

	/* A container's /dev may lack it; its last component is often the kernel's name. */
	return copy_name(name, name_bytes, slash + 1) && is_known(root, name);
}

/* A partition becomes its disk. */
static void to_whole_disk(struct device *device)
{
	char path[PATH_MAX], number[SC_DISK_ATTRIBUTE_BYTES];

	if (!read_attribute(device, "partition", number))
		return;
	(void)snprintf(path, sizeof(path), "%s/sys/class/block/%s/..", device->root, device->name);
	(void)resolve_name(path, device->name, sizeof(device->name)); /* or it stays what it is */
}

/* What kind of mapping it is: " (raid1)", " (crypt luks-root)", " (/var/disk.img)" or nothing. */
static void describe_mapping(struct sc_buffer *description, const struct device *device)
{
	char value[SC_DISK_ATTRIBUTE_BYTES], name[SC_DISK_ATTRIBUTE_BYTES];

	if (read_attribute(device, "md/level", value)) {
		bool has_bitmap = read_attribute(device, "md/bitmap/location", name) &&
				  strcmp(name, "none") != 0;

		sc_buffer_printf(description, " (%s%s)", value, has_bitmap ? ", bitmap" : "");
		return;
	}
	if (read_attribute(device, "loop/backing_file", value)) {
		sc_buffer_printf(description, " (%s)", value);
		return;
	}
	if (!read_attribute(device, "dm/name", name))
		return;
	if (!read_attribute(device, "dm/uuid", value)) {
		sc_buffer_printf(description, " (%s)", name);
		return;
	}
	value[strcspn(value, "-")] = '\0';
	for (char *c = value; *c; c++)
		*c = (char)tolower((unsigned char)*c);
	sc_buffer_printf(description, " (%s %s)", value, name);
}

static bool read_model(const struct device *device, char model[MODEL_BYTES])
{
	char name[SC_DISK_ATTRIBUTE_BYTES], vendor[SC_DISK_ATTRIBUTE_BYTES];

	if (!read_attribute(device, "device/model", name) &&
	    !read_attribute(device, "device/name", name))
		return false;
	/* "ATA" is no maker; a virtio device's vendor is a number and it has no model. */
	if (read_attribute(device, "device/vendor", vendor) && strcmp(vendor, "ATA") != 0 &&
	    strncmp(vendor, "0x", 2) != 0)
		(void)snprintf(model, MODEL_BYTES, "%s %s", vendor, name);
	else
		(void)snprintf(model, MODEL_BYTES, "%s", name);
	return true;
}

/* Names and models that only virtual machines have. */
static const char *const virtual_names[] = {"vd", "xvd"};
static const char *const network_names[] = {"drbd", "nbd", "rbd"}; /* another machine's */
static const char *const virtual_models[] = {
	"Amazon Elastic Block Store",
	"Google PersistentDisk",
	"Msft Virtual Disk",
	"QEMU",
	"VBOX",
	"VMware",
	"nvme_card",
};

/* Whether its name is one of the beginnings, and letters or digits. */
static bool has_name_of(const struct device *device, const char *const *names, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		size_t bytes = strlen(names[i]);

		if (strncmp(device->name, names[i], bytes) == 0 &&
		    isalnum((unsigned char)device->name[bytes]))
			return true;
	}
	return false;
}

static bool is_virtual(const struct device *device, const char *model)
{
	if (has_name_of(device, virtual_names, SC_ARRAY_COUNT(virtual_names)))
		return true;
	for (size_t i = 0; i < SC_ARRAY_COUNT(virtual_models); i++) {
		if (strstr(model, virtual_models[i]))
			return true;
	}
	return false;
}

static bool was_seen(const struct sc_disks *disks, const char *name)
{
	const char *end = disks->names.text + disks->names.length;

	for (const char *at = disks->names.text; at && at < end; at += strlen(at) + 1) {
		if (strcmp(at, name) == 0)
			return true;
	}
	return false;
}

/* A device with nothing underneath. */
static void add_disk(struct sc_disks *disks, const struct device *device, const char *model)
{
	sc_buffer_add(&disks->names, device->name, strlen(device->name) + 1);
	disks->count++;
	disks->virtual += is_virtual(device, model);
	disks->network += has_name_of(device, network_names, SC_ARRAY_COUNT(network_names));
	if (model[0])
		sc_buffer_printf(&disks->models, "%s%s", disks->models.length ? ", " : "", model);
	sc_queues_add(&disks->queues, device->root, device->name);
}

/* A loop device is on what its file is on. Return: false where that cannot be seen from here. */
static bool add_backing(struct sc_disks *disks, const struct device *device, int depth)
{
	char path[SC_DISK_ATTRIBUTE_BYTES];

	return disks->add_backing && read_attribute(device, "loop/backing_file", path) &&
	       disks->add_backing(disks->context, disks, path, depth + 1);
}

static int compare_names(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_entry(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int add_device(struct sc_disks *disks, const char *root, const char *name, int depth);

/* Adds @name after @separator, or nothing at all. */
static int add_after(struct sc_disks *disks, const char *separator, const char *root,
		     const char *name, int depth)
{
	size_t length = disks->description.length;
	int r;

	sc_buffer_add_text(&disks->description, separator);
	r = add_device(disks, root, name, depth);
	if (r != 0)
		sc_buffer_cut(&disks->description, length);
	return r;
}

/* Adds what @device is made of. Return: how many devices, those seen before included. */
static int add_slaves(struct sc_disks *disks, const struct device *device, int depth)
{
	char path[PATH_MAX];
	struct dirent **slaves;
	int count, known = 0, added = 0;

	(void)snprintf(path, sizeof(path), "%s/sys/class/block/%s/slaves", device->root,
		       device->name);
	count = scandir(path, &slaves, is_entry, compare_names);
	if (count < 0)
		return 0;
	for (int i = 0; i < count; i++) {
		int r = add_after(disks, added ? ", " : " on ", device->root, slaves[i]->d_name,
				  depth + 1);

		known += r != NOT_THERE;
		added += r == 0;
		free(slaves[i]);
	}
	free(slaves);
	return known;
}

/* Return: 0, NOT_THERE, or SEEN where its disk is described already. */
static int add_device(struct sc_disks *disks, const char *root, const char *name, int depth)
{
	struct device device = {.root = root};
	char model[MODEL_BYTES] = "";

	if (depth > DEPTH_MAX || !copy_name(device.name, sizeof(device.name), name) ||
	    !is_known(root, name))
		return NOT_THERE;
	to_whole_disk(&device);
	if (was_seen(disks, device.name))
		return SEEN;

	sc_buffer_add_text(&disks->description, device.name);
	if (read_model(&device, model))
		sc_buffer_printf(&disks->description, " (%s)", model);
	else
		describe_mapping(&disks->description, &device);
	if (!add_backing(disks, &device, depth) && add_slaves(disks, &device, depth) == 0)
		add_disk(disks, &device, model);
	return 0;
}

int sc_disks_add_below(struct sc_disks *disks, const char *root, const char *name, int depth)
{
	return add_after(disks, " on ", root, name, depth) == NOT_THERE ? 1 : 0;
}

int sc_disks_add(struct sc_disks *disks, const char *root, const char *name)
{
	int r = add_after(disks, disks->description.length ? ", " : "", root, name, 0);

	return r == NOT_THERE ? 1 : 0;
}
