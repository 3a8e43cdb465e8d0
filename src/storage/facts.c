/* SPDX-License-Identifier: MIT */
#include "facts.h"

/*
 * From a directory to its disks:
 *
 *	mount    by the mount's number where the kernel gives it (statx, 5.8), else by the longest
 *	         mount point above the path. Not by st_dev: btrfs gives each subvolume a number that
 *	         mountinfo does not know.
 *	kind     by the name of the file system; filesystem.c
 *	device   by the number in mountinfo; file systems over several devices (btrfs) have none
 *	         there: by the mount's source, and for btrfs /sys/fs/btrfs/UUID/devices
 *	disks    disk.c
 *
 * An overlay is as durable as what its upper directory is on, if that can be seen from here.
 */

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "../base/buffer.h"
#include "../base/files.h"
#include "disk.h"
#include "filesystem.h"
#include "mount.h"

#define MOUNTINFO_BYTES_MAX (16u << 20) /* a host of many containers has some thousand lines */

/* clang-format off */
static const char *const kind_names[] = {
	[SC_STORAGE_UNKNOWN] = "unknown",
	[SC_STORAGE_BLOCK] = "block",
	[SC_STORAGE_MEMORY] = "memory",
	[SC_STORAGE_OVERLAY] = "overlay",
	[SC_STORAGE_NETWORK] = "network",
	[SC_STORAGE_USER] = "user",
};
/* clang-format on */

static_assert(SC_ARRAY_COUNT(kind_names) == SC_STORAGE_KIND_COUNT_, "each kind has a name");

/* Facts being filled. An allocation that fails is remembered until the end. */
struct builder {
	const char *root;
	const char *mountinfo; /* borrowed */
	struct sc_storage_facts *facts;
	bool out_of_memory;
};

static void set(struct builder *builder, struct sc_fact *fact, const char *value)
{
	fact->status = SC_MEASURED;
	fact->value = strdup(value);
	if (!fact->value)
		builder->out_of_memory = true;
}

static void SC_PRINTF(4, 0)
	set_reason(struct builder *builder, char **reason, enum sc_status *status,
		   const char *format, va_list arguments)
{
	*status = SC_UNSUPPORTED;
	if (vasprintf(reason, format, arguments) < 0) {
		*reason = NULL;
		builder->out_of_memory = true;
	}
}

static void SC_PRINTF(3, 4)
	set_absent(struct builder *builder, struct sc_fact *fact, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	set_reason(builder, &fact->reason, &fact->status, format, arguments);
	va_end(arguments);
}

/* What a disk would have said, where there is none to ask. */
static void SC_PRINTF(2, 3) set_disk_absent(struct builder *builder, const char *format, ...)
{
	struct sc_storage_facts *facts = builder->facts;
	struct sc_fact *const texts[] = {&facts->device,      &facts->disk, &facts->model,
					 &facts->write_cache, &facts->fua,  &facts->scheduler,
					 &facts->discard};
	va_list arguments;

	for (size_t i = 0; i < SC_ARRAY_COUNT(texts); i++) {
		va_start(arguments, format);
		set_reason(builder, &texts[i]->reason, &texts[i]->status, format, arguments);
		va_end(arguments);
	}
	va_start(arguments, format);
	set_reason(builder, &facts->rotational_reason, &facts->rotational_status, format,
		   arguments);
	va_end(arguments);
}

/* The mount's options, then those of the file system that are not among them. */
static void set_options(struct builder *builder, const struct sc_mount *mount)
{
	SC_CLEANUP(sc_buffer_fini) struct sc_buffer options = {0};
	SC_CLEANUP(sc_freep) char *more = strdup(mount->super_options);
	char *rest = more;
	const char *option;

	sc_buffer_add_text(&options, mount->options);
	while ((option = strsep(&rest, ","))) {
		/* "rw" of the file system says nothing beside the mount's "ro" or "rw". */
		if (*option && strcmp(option, "rw") != 0 &&
		    !sc_options_have(mount->options, option))
			sc_buffer_printf(&options, ",%s", option);
	}
	if (!more || options.code < 0) {
		builder->out_of_memory = true;
		return;
	}
	set(builder, &builder->facts->mount_options, options.text);
}

/* The devices of the btrfs file system that has @name among them. Return: whether it was found. */
static bool add_btrfs_devices(struct builder *builder, struct sc_disks *disks, const char *name)
{
	char path[PATH_MAX], devices[PATH_MAX + 2 * NAME_MAX];
	struct dirent **filesystems, **members;
	int filesystem_count, member_count;
	bool found = false;

	(void)snprintf(path, sizeof(path), "%s/sys/fs/btrfs", builder->root);
	filesystem_count = scandir(path, &filesystems, NULL, alphasort);
	for (int i = 0; i < filesystem_count; i++) {
		(void)snprintf(devices, sizeof(devices), "%s/%s/devices/%s", path,
			       filesystems[i]->d_name, name);
		if (!found && filesystems[i]->d_name[0] != '.' && access(devices, F_OK) == 0) {
			found = true;
			*strrchr(devices, '/') = '\0';
			member_count = scandir(devices, &members, NULL, alphasort);
			for (int j = 0; j < member_count; j++) {
				if (members[j]->d_name[0] != '.')
					(void)sc_disks_add(disks, builder->root,
							   members[j]->d_name);
				free(members[j]);
			}
			if (member_count >= 0)
				free(members);
		}
		free(filesystems[i]);
	}
	if (filesystem_count >= 0)
		free(filesystems);
	return found && disks->count > 0;
}

static const char *const silent = "the kernel does not say";

/* Of all disks, of none, or of some. */
static void set_share(struct builder *builder, struct sc_fact *fact, size_t known, size_t count)
{
	if (known == 0)
		set_absent(builder, fact, "%s", silent);
	else
		set(builder, fact, count == known ? "yes" : count == 0 ? "no" : "some");
}

static void set_from_disks(struct builder *builder, const struct sc_disks *disks)
{
	struct sc_storage_facts *facts = builder->facts;
	const struct sc_queues *queues = &disks->queues;

	if (disks->description.code < 0 || disks->models.code < 0 || disks->names.code < 0 ||
	    disks->queues.schedulers.code < 0) {
		builder->out_of_memory = true;
		return;
	}
	set(builder, &facts->storage, disks->description.text);
	if (disks->models.length > 0)
		set(builder, &facts->model, disks->models.text);
	else
		set_absent(builder, &facts->model, "%s", silent);

	if (queues->write_cache_known > 0)
		set(builder, &facts->write_cache,
		    queues->write_back > 0 ? "write back" : "write through");
	else
		set_absent(builder, &facts->write_cache, "%s", silent);

	set_share(builder, &facts->fua, queues->fua_known, queues->fua);
	set_share(builder, &facts->discard, queues->discard_known, queues->discard);
	if (queues->schedulers.length > 0)
		set(builder, &facts->scheduler, queues->schedulers.text);
	else
		set_absent(builder, &facts->scheduler, "%s", silent);

	facts->is_virtual = disks->virtual > 0;
	facts->is_network |= disks->network > 0;
	facts->rotational = queues->rotational > 0;
	if (queues->rotational_known == 0) {
		facts->rotational_status = SC_UNSUPPORTED;
		facts->rotational_reason = strdup(silent);
		builder->out_of_memory |= !facts->rotational_reason;
	}
}

/*
 * The disk, since other partitions of it compete as well; of several disks the device made of
 * them, whose own counters count a mirrored write once. btrfs mirrors without such a device.
 */
static void set_disk(struct builder *builder, const struct sc_disks *disks, const char *device,
		     bool is_btrfs)
{
	struct sc_fact *disk = &builder->facts->disk;

	if (disks->count == 1 && disks->names.length > 0)
		set(builder, disk, disks->names.text);
	else if (is_btrfs)
		set_absent(builder, disk, "btrfs is on %zu disks, which share no counter",
			   disks->count);
	else
		set(builder, disk, device);
}

/* The kernel's name of what is mounted. */
static bool find_device(const struct builder *builder, const struct sc_mount *mount, char *name,
			size_t name_bytes)
{
	if (mount->major != 0 &&
	    sc_disk_name(builder->root, mount->major, mount->minor, name, name_bytes))
		return true;
	return sc_disk_name_of_source(builder->root, mount->source, name, name_bytes);
}

/* Below a loop device: the file system of its file, and that one's disks. */
static bool add_backing(void *context, struct sc_disks *disks, const char *path, int depth)
{
	struct builder *builder = context;
	SC_CLEANUP(sc_mount_fini) struct sc_mount below = {0};
	char file[PATH_MAX], name[NAME_MAX + 1];
	enum sc_storage_kind kind;

	/* In a container the path may be the host's, and mean nothing here. */
	(void)snprintf(file, sizeof(file), "%s%s", builder->root, path);
	if (access(file, F_OK) < 0 || sc_mount_by_path(builder->mountinfo, path, &below) != 0)
		return false;
	kind = sc_filesystem_kind(below.filesystem);
	builder->facts->flush_disabled |= sc_mount_disables_flush(&below);
	builder->facts->in_memory |= kind == SC_STORAGE_MEMORY;
	builder->facts->is_network |= kind == SC_STORAGE_NETWORK;
	sc_buffer_printf(&disks->description, " on %s", below.filesystem);
	if (kind != SC_STORAGE_BLOCK || !find_device(builder, &below, name, sizeof(name)))
		return false;
	return sc_disks_add_below(disks, builder->root, name, depth) == 0;
}

static void describe_block(struct builder *builder, const struct sc_mount *mount)
{
	SC_CLEANUP(sc_disks_fini)
	struct sc_disks disks = {.add_backing = add_backing, .context = builder};
	char name[NAME_MAX + 1];
	bool is_btrfs;

	if (!find_device(builder, mount, name, sizeof(name))) {
		if (mount->source[0] != '/' && strcmp(mount->filesystem, "zfs") != 0)
			builder->facts->kind = SC_STORAGE_UNKNOWN; /* proc and its like */
		set(builder, &builder->facts->storage, mount->source);
		set_disk_absent(builder, "sysfs knows no block device of %s on '%s'",
				mount->filesystem, mount->source);
		return;
	}
	set(builder, &builder->facts->device, name);
	is_btrfs = strcmp(mount->filesystem, "btrfs") == 0;
	if (!is_btrfs || !add_btrfs_devices(builder, &disks, name))
		(void)sc_disks_add(&disks, builder->root, name);
	set_from_disks(builder, &disks);
	set_disk(builder, &disks, name, is_btrfs);
}

/* The directory that an overlay writes to, as far as it exists here. The caller frees it. */
static char *upper_directory(const struct builder *builder, const struct sc_mount *mount)
{
	const char *option = strstr(mount->super_options, "upperdir=");
	SC_CLEANUP(sc_freep) char *upper = NULL;
	char path[PATH_MAX];

	if (!option)
		return NULL;
	option += strlen("upperdir=");
	upper = strndup(option, strcspn(option, ","));
	if (!upper)
		return NULL;
	(void)snprintf(path, sizeof(path), "%s%s", builder->root, upper);
	return access(path, F_OK) == 0 ? SC_TAKE(upper) : NULL;
}

static void describe_overlay(struct builder *builder, const struct sc_mount *mount,
			     const char *mountinfo)
{
	SC_CLEANUP(sc_freep) char *upper = upper_directory(builder, mount);
	SC_CLEANUP(sc_mount_fini) struct sc_mount below = {0};

	if (upper && sc_mount_by_path(mountinfo, upper, &below) == 0) {
		builder->facts->flush_disabled |= sc_mount_disables_flush(&below);
		if (sc_filesystem_kind(below.filesystem) == SC_STORAGE_BLOCK) {
			describe_block(builder, &below);
			return;
		}
		builder->facts->in_memory =
			sc_filesystem_kind(below.filesystem) == SC_STORAGE_MEMORY;
		builder->facts->is_network =
			sc_filesystem_kind(below.filesystem) == SC_STORAGE_NETWORK;
	}
	set(builder, &builder->facts->storage, below.line ? below.filesystem : mount->source);
	set_disk_absent(builder, "%s: the storage underneath is not visible from here",
			mount->filesystem);
}

static void describe_storage(struct builder *builder, const struct sc_mount *mount,
			     const char *mountinfo)
{
	struct sc_storage_facts *facts = builder->facts;

	switch (facts->kind) {
	case SC_STORAGE_MEMORY:
		set(builder, &facts->storage, "memory");
		set_disk_absent(builder, "%s keeps files in memory", mount->filesystem);
		return;
	case SC_STORAGE_NETWORK:
		set(builder, &facts->storage, mount->source);
		set_disk_absent(builder, "%s: the storage is another machine's", mount->filesystem);
		return;
	case SC_STORAGE_OVERLAY:
		describe_overlay(builder, mount, mountinfo);
		return;
	case SC_STORAGE_USER:
		set(builder, &facts->storage, mount->source);
		set_disk_absent(builder, "%s: a process decides where the files are",
				mount->filesystem);
		return;
	case SC_STORAGE_BLOCK:
	case SC_STORAGE_UNKNOWN:
	case SC_STORAGE_KIND_COUNT_:
		describe_block(builder, mount);
		return;
	}
}

static void describe_mount(struct builder *builder, const struct sc_mount *mount,
			   const char *mountinfo)
{
	struct sc_storage_facts *facts = builder->facts;

	builder->mountinfo = mountinfo;
	facts->kind = sc_filesystem_kind(mount->filesystem);
	facts->in_memory = facts->kind == SC_STORAGE_MEMORY;
	facts->is_network = facts->kind == SC_STORAGE_NETWORK;
	facts->flush_disabled = sc_mount_disables_flush(mount);
	set(builder, &facts->filesystem, mount->filesystem);
	set(builder, &facts->mount_point, mount->point);
	set(builder, &facts->source, mount->source);
	set_options(builder, mount);
	describe_storage(builder, mount, mountinfo);
}

/* What statfs() alone tells; @reason says why there is no more. */
static void describe_magic(struct builder *builder, uint64_t magic, const char *reason)
{
	struct sc_storage_facts *facts = builder->facts;
	struct sc_fact *const texts[] = {&facts->mount_point, &facts->mount_options, &facts->source,
					 &facts->storage};
	const char *name;

	for (size_t i = 0; i < SC_ARRAY_COUNT(texts); i++)
		set_absent(builder, texts[i], "%s", reason);
	set_disk_absent(builder, "%s", reason);
	name = sc_filesystem_of_magic(magic, &facts->kind);
	if (name) {
		set(builder, &facts->filesystem, name);
		return;
	}
	set_absent(builder, &facts->filesystem, "type 0x%llx is not known, and %s",
		   (unsigned long long)magic, reason);
}

static int find_mount(const char *mountinfo, const struct sc_storage_place *place,
		      struct sc_mount *ret_mount)
{
	int r = 1;

	if (place->has_mount_id)
		r = sc_mount_by_id(mountinfo, place->mount_id, ret_mount);
	return r == 1 ? sc_mount_by_path(mountinfo, place->path, ret_mount) : r;
}

int sc_storage_facts_at(const char *root, const struct sc_storage_place *place,
			struct sc_storage_facts *ret_facts, struct sc_error *error)
{
	SC_CLEANUP(sc_storage_facts_fini) struct sc_storage_facts facts = {0};
	SC_CLEANUP(sc_mount_fini) struct sc_mount mount = {0};
	SC_CLEANUP(sc_freep) char *mountinfo = NULL;
	struct builder builder = {.root = root, .facts = &facts};
	struct sc_error unreadable;
	char path[PATH_MAX];
	int r;

	(void)snprintf(path, sizeof(path), "%s/proc/self/mountinfo", root);
	if (sc_file_read_all(path, MOUNTINFO_BYTES_MAX, &mountinfo, NULL, &unreadable) < 0) {
		describe_magic(&builder, place->magic, unreadable.what);
	} else {
		r = find_mount(mountinfo, place, &mount);
		if (r < 0)
			builder.out_of_memory = true;
		else if (r > 0)
			describe_magic(&builder, place->magic, "mountinfo does not list the mount");
		else
			describe_mount(&builder, &mount, mountinfo);
	}
	if (builder.out_of_memory)
		return sc_fail(error, -ENOMEM, "looking at the storage of '%s'", place->path);

	*ret_facts = facts;
	facts = (struct sc_storage_facts){0};
	return 0;
}

int sc_storage_facts_read(const char *directory, struct sc_storage_facts *ret_facts,
			  struct sc_error *error)
{
	SC_CLEANUP(sc_freep) char *resolved = realpath(directory, NULL);
	struct sc_storage_place place = {0};
	struct statfs filesystem;
	struct statx mount;

	if (!resolved || statfs(resolved, &filesystem) < 0)
		return sc_fail(error, -errno, "look at '%s'", directory);

	place.path = resolved;
	place.magic = (uint32_t)filesystem.f_type; /* signed, and longer than what is in it */
	if (statx(AT_FDCWD, resolved, 0, STATX_MNT_ID, &mount) == 0 &&
	    (mount.stx_mask & STATX_MNT_ID)) {
		place.has_mount_id = true;
		place.mount_id = mount.stx_mnt_id;
	}
	return sc_storage_facts_at("", &place, ret_facts, error);
}

static void fact_fini(struct sc_fact *fact)
{
	free(fact->value);
	free(fact->reason);
}

void sc_storage_facts_fini(struct sc_storage_facts *facts)
{
	fact_fini(&facts->filesystem);
	fact_fini(&facts->mount_point);
	fact_fini(&facts->mount_options);
	fact_fini(&facts->source);
	fact_fini(&facts->device);
	fact_fini(&facts->disk);
	fact_fini(&facts->model);
	fact_fini(&facts->storage);
	fact_fini(&facts->write_cache);
	fact_fini(&facts->fua);
	fact_fini(&facts->scheduler);
	fact_fini(&facts->discard);
	free(facts->rotational_reason);
	*facts = (struct sc_storage_facts){0};
}

const char *sc_storage_kind_name(enum sc_storage_kind kind)
{
	assert((unsigned)kind < SC_STORAGE_KIND_COUNT_);
	return kind_names[kind];
}
