/* SPDX-License-Identifier: MIT */
#include "filesystem.h"

#include <string.h>

#include "../base/attr.h"

/* File systems that are not on block devices. */
/* clang-format off */
static const struct {
	const char *filesystem;
	enum sc_storage_kind kind;
} kinds[] = {
	{"9p", SC_STORAGE_NETWORK},
	{"afs", SC_STORAGE_NETWORK},
	{"aufs", SC_STORAGE_OVERLAY},
	{"beegfs", SC_STORAGE_NETWORK},
	{"ceph", SC_STORAGE_NETWORK},
	{"cifs", SC_STORAGE_NETWORK},
	{"coda", SC_STORAGE_NETWORK},
	{"devtmpfs", SC_STORAGE_MEMORY},
	{"ecryptfs", SC_STORAGE_OVERLAY},
	{"fuse", SC_STORAGE_USER},
	{"fuse.ceph", SC_STORAGE_NETWORK},
	{"fuse.glusterfs", SC_STORAGE_NETWORK},
	{"fuse.s3fs", SC_STORAGE_NETWORK},
	{"fuse.sshfs", SC_STORAGE_NETWORK},
	{"gpfs", SC_STORAGE_NETWORK},
	{"hugetlbfs", SC_STORAGE_MEMORY},
	{"lustre", SC_STORAGE_NETWORK},
	{"ncpfs", SC_STORAGE_NETWORK},
	{"nfs", SC_STORAGE_NETWORK},
	{"nfs4", SC_STORAGE_NETWORK},
	{"orangefs", SC_STORAGE_NETWORK},
	{"overlay", SC_STORAGE_OVERLAY},
	{"prl_fs", SC_STORAGE_NETWORK},
	{"ramfs", SC_STORAGE_MEMORY},
	{"rootfs", SC_STORAGE_MEMORY},
	{"smb3", SC_STORAGE_NETWORK},
	{"smbfs", SC_STORAGE_NETWORK},
	{"tmpfs", SC_STORAGE_MEMORY},
	{"vboxsf", SC_STORAGE_NETWORK},
	{"virtiofs", SC_STORAGE_NETWORK},
	{"vmhgfs", SC_STORAGE_NETWORK},
};
/* clang-format on */

/* For machines that do not let us read mountinfo: statfs() names families only. */
static const struct {
	uint64_t magic;
	const char *filesystem;
	enum sc_storage_kind kind;
} magics[] = {
	{0x0000ef53, "ext2, ext3 or ext4", SC_STORAGE_BLOCK},
	{0x00006969, "nfs", SC_STORAGE_NETWORK},
	{0x01021994, "tmpfs", SC_STORAGE_MEMORY},
	{0x01021997, "9p", SC_STORAGE_NETWORK},
	{0x2fc12fc1, "zfs", SC_STORAGE_BLOCK},
	{0x58465342, "xfs", SC_STORAGE_BLOCK},
	{0x65735546, "fuse", SC_STORAGE_USER},
	{0x794c7630, "overlay", SC_STORAGE_OVERLAY},
	{0x858458f6, "ramfs", SC_STORAGE_MEMORY},
	{0x9123683e, "btrfs", SC_STORAGE_BLOCK},
	{0xf2f52010, "f2fs", SC_STORAGE_BLOCK},
	{0xff534d42, "cifs", SC_STORAGE_NETWORK},
};

/* Mount options under which a sync does not reach the device. */
/* clang-format off */
static const struct {
	const char *filesystem;
	const char *option;
} flush_disablers[] = {
	{"btrfs", "nobarrier"},
	{"ext3", "barrier=0"},
	{"ext3", "nobarrier"},
	{"ext4", "barrier=0"},
	{"ext4", "nobarrier"},
	{"f2fs", "fsync_mode=nobarrier"},
	{"f2fs", "nobarrier"},
	{"jfs", "nointegrity"},
	{"overlay", "volatile"},
	{"reiserfs", "barrier=none"},
	{"xfs", "nobarrier"},
};
/* clang-format on */

enum sc_storage_kind sc_filesystem_kind(const char *filesystem)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(kinds); i++) {
		if (strcmp(kinds[i].filesystem, filesystem) == 0)
			return kinds[i].kind;
	}
	return strncmp(filesystem, "fuse.", 5) == 0 ? SC_STORAGE_USER : SC_STORAGE_BLOCK;
}

bool sc_mount_disables_flush(const struct sc_mount *mount)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(flush_disablers); i++) {
		if (strcmp(flush_disablers[i].filesystem, mount->filesystem) == 0 &&
		    (sc_options_have(mount->super_options, flush_disablers[i].option) ||
		     sc_options_have(mount->options, flush_disablers[i].option)))
			return true;
	}
	return false;
}

const char *sc_filesystem_of_magic(uint64_t magic, enum sc_storage_kind *ret_kind)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(magics); i++) {
		if (magics[i].magic == magic) {
			*ret_kind = magics[i].kind;
			return magics[i].filesystem;
		}
	}
	return NULL;
}
