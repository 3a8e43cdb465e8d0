/* SPDX-License-Identifier: MIT */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>

#include "fault.h"
#include "scratch.h"
#include "skip.h"
#include "storage/disk.h"
#include "storage/facts.h"
#include "storage/mount.h"

/* --- machines, built as the kernel shows them */

static void attribute(const struct scratch *scratch, const char *directory, const char *name,
		      const char *value)
{
	char path[512];

	(void)snprintf(path, sizeof(path), "%s/%s", directory, name);
	scratch_write(scratch, path, value);
}

/* A block device at @path below sys/devices, with its links by number and by name. */
static void device(const struct scratch *scratch, const char *path, const char *number)
{
	const char *name = strrchr(path, '/') + 1;
	char directory[256], link[256], target[256];

	(void)snprintf(directory, sizeof(directory), "sys/devices/%s", path);
	attribute(scratch, directory, "dev", number);
	(void)snprintf(link, sizeof(link), "sys/dev/block/%s", number);
	(void)snprintf(target, sizeof(target), "../../devices/%s", path);
	scratch_link(scratch, link, target);
	(void)snprintf(link, sizeof(link), "sys/class/block/%s", name);
	scratch_link(scratch, link, target);
}

static void disk(const struct scratch *scratch, const char *path, const char *number,
		 const char *rotational, const char *write_cache)
{
	char directory[256];

	device(scratch, path, number);
	(void)snprintf(directory, sizeof(directory), "sys/devices/%s", path);
	attribute(scratch, directory, "queue/rotational", rotational);
	attribute(scratch, directory, "queue/write_cache", write_cache);
	(void)snprintf(directory, sizeof(directory), "sys/devices/%s/slaves", path);
	scratch_mkdir(scratch, directory);
}

static void partition(const struct scratch *scratch, const char *path, const char *number)
{
	char directory[256];

	device(scratch, path, number);
	(void)snprintf(directory, sizeof(directory), "sys/devices/%s", path);
	attribute(scratch, directory, "partition", "1\n");
}

static void slave(const struct scratch *scratch, const char *path, const char *name)
{
	char link[256];

	(void)snprintf(link, sizeof(link), "sys/devices/%s/slaves/%s", path, name);
	scratch_link(scratch, link, "../../../../elsewhere");
}

static void mountinfo(const struct scratch *scratch, const char *lines)
{
	scratch_write(scratch, "proc/self/mountinfo", lines);
}

static void nvme(const struct scratch *scratch)
{
	disk(scratch, "pci0/nvme/nvme0/nvme0n1", "259:0", "0\n", "write back\n");
	attribute(scratch, "sys/devices/pci0/nvme/nvme0", "model",
		  "Samsung SSD 980 PRO 1TB                 \n");
	scratch_link(scratch, "sys/devices/pci0/nvme/nvme0/nvme0n1/device", "..");
	partition(scratch, "pci0/nvme/nvme0/nvme0n1/nvme0n1p2", "259:2");
}

static void sata(const struct scratch *scratch, const char *name, const char *number,
		 const char *model)
{
	char path[256], directory[300];

	(void)snprintf(path, sizeof(path), "pci0/ata-%s/block/%s", name, name);
	disk(scratch, path, number, "1\n", "write back\n");
	(void)snprintf(directory, sizeof(directory), "sys/devices/%s/device", path);
	attribute(scratch, directory, "vendor", "ATA     \n");
	attribute(scratch, directory, "model", model);
}

/* --- asking */

static struct sc_storage_facts look_at(const struct scratch *scratch, const char *path,
				       uint64_t mount_id)
{
	struct sc_storage_place place = {
		.path = path,
		.has_mount_id = mount_id != 0,
		.mount_id = mount_id,
		.magic = 0xef53,
	};
	struct sc_storage_facts facts = {0};
	struct sc_error error;

	assert_int_equal(sc_storage_facts_at(scratch->path, &place, &facts, &error), 0);
	return facts;
}

static void check(const struct sc_fact *fact, const char *expected)
{
	assert_int_equal(fact->status, SC_MEASURED);
	assert_null(fact->reason);
	assert_string_equal(fact->value, expected);
}

static void check_absent(const struct sc_fact *fact, const char *reason)
{
	assert_int_equal(fact->status, SC_UNSUPPORTED);
	assert_null(fact->value);
	assert_non_null(fact->reason);
	if (!strstr(fact->reason, reason))
		fail_msg("'%s' does not say '%s'", fact->reason, reason);
}

static void check_no_disk(const struct sc_storage_facts *facts, const char *reason)
{
	check_absent(&facts->device, reason);
	check_absent(&facts->model, reason);
	check_absent(&facts->write_cache, reason);
	assert_int_equal(facts->rotational_status, SC_UNSUPPORTED);
	assert_non_null(strstr(facts->rotational_reason, reason));
	assert_false(facts->rotational);
}

/* --- the cases */

static void ext4_on_a_partition(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	nvme(scratch);
	mountinfo(scratch,
		  "26 1 259:2 / / rw,relatime shared:1 - ext4 /dev/nvme0n1p2 rw,discard\n");
	facts = look_at(scratch, "/home/me", 26);
	assert_int_equal(facts.kind, SC_STORAGE_BLOCK);
	check(&facts.filesystem, "ext4");
	check(&facts.mount_point, "/");
	check(&facts.mount_options, "rw,relatime,discard");
	check(&facts.source, "/dev/nvme0n1p2");
	check(&facts.device, "nvme0n1p2");
	check(&facts.model, "Samsung SSD 980 PRO 1TB");
	check(&facts.storage, "nvme0n1 (Samsung SSD 980 PRO 1TB)");
	check(&facts.disk, "nvme0n1"); /* all of it, not the partition alone */
	check(&facts.write_cache, "write back");
	assert_int_equal(facts.rotational_status, SC_MEASURED);
	assert_false(facts.rotational);
	assert_false(facts.flush_disabled);
	assert_false(facts.is_virtual);
	sc_storage_facts_fini(&facts);
	sc_storage_facts_fini(&facts);
}

static void a_virtual_disk_without_a_model(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	disk(scratch, "pci0/virtio1/block/vda", "254:0", "1\n", "write through\n");
	attribute(scratch, "sys/devices/pci0/virtio1/block/vda/device", "vendor", "0x1af4\n");
	mountinfo(scratch, "26 1 254:0 / / rw - ext4 /dev/root rw\n");
	facts = look_at(scratch, "/", 26);
	check(&facts.device, "vda");
	check(&facts.storage, "vda");
	check_absent(&facts.model, "does not say");
	check(&facts.write_cache, "write through");
	assert_true(facts.rotational);
	assert_true(facts.is_virtual);
	sc_storage_facts_fini(&facts);
}

static void dm_crypt_on_nvme(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	nvme(scratch);
	disk(scratch, "virtual/block/dm-0", "253:0", "0\n", "write back\n");
	slave(scratch, "virtual/block/dm-0", "nvme0n1p2");
	attribute(scratch, "sys/devices/virtual/block/dm-0/dm", "name", "luks-root\n");
	attribute(scratch, "sys/devices/virtual/block/dm-0/dm", "uuid",
		  "CRYPT-LUKS2-0123456789abcdef-luks-root\n");
	mountinfo(scratch, "26 1 253:0 / / rw - xfs /dev/mapper/luks-root rw,attr2\n");
	facts = look_at(scratch, "/", 26);
	check(&facts.filesystem, "xfs");
	check(&facts.device, "dm-0");
	check(&facts.storage, "dm-0 (crypt luks-root) on nvme0n1 (Samsung SSD 980 PRO 1TB)");
	check(&facts.disk, "nvme0n1");
	check(&facts.model, "Samsung SSD 980 PRO 1TB");
	sc_storage_facts_fini(&facts);
}

static void lvm_on_md_raid_of_hard_disks(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	sata(scratch, "sda", "8:0", "WDC WD40EFRX-68N\n");
	sata(scratch, "sdb", "8:16", "ST4000VN008-2DR1\n");
	partition(scratch, "pci0/ata-sda/block/sda/sda1", "8:1");
	partition(scratch, "pci0/ata-sdb/block/sdb/sdb1", "8:17");
	disk(scratch, "virtual/block/md0", "9:0", "1\n", "write back\n");
	attribute(scratch, "sys/devices/virtual/block/md0/md", "level", "raid1\n");
	slave(scratch, "virtual/block/md0", "sdb1");
	slave(scratch, "virtual/block/md0", "sda1");
	disk(scratch, "virtual/block/dm-1", "253:1", "1\n", "write back\n");
	attribute(scratch, "sys/devices/virtual/block/dm-1/dm", "name", "vg-data\n");
	attribute(scratch, "sys/devices/virtual/block/dm-1/dm", "uuid", "LVM-abc\n");
	slave(scratch, "virtual/block/dm-1", "md0");
	mountinfo(scratch, "26 1 253:1 / /data rw - ext4 /dev/mapper/vg-data rw\n");
	facts = look_at(scratch, "/data", 26);
	check(&facts.disk, "dm-1"); /* mirrors write twice what was written once */
	check(&facts.storage, "dm-1 (lvm vg-data) on md0 (raid1) on sda (WDC WD40EFRX-68N), "
			      "sdb (ST4000VN008-2DR1)");
	check(&facts.model, "WDC WD40EFRX-68N, ST4000VN008-2DR1");
	assert_true(facts.rotational);
	sc_storage_facts_fini(&facts);
}

/* Two volumes on two partitions of one disk: the disk is told once, and a volume is no disk. */
static void one_disk_twice_underneath_is_one_disk(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_disks_fini) struct sc_disks disks = {0};

	sata(scratch, "sda", "8:0", "WDC\n");
	partition(scratch, "pci0/ata-sda/block/sda/sda1", "8:1");
	partition(scratch, "pci0/ata-sda/block/sda/sda2", "8:2");
	disk(scratch, "virtual/block/dm-0", "253:0", "1\n", "write back\n");
	slave(scratch, "virtual/block/dm-0", "sda1");
	slave(scratch, "virtual/block/dm-0", "sda2");
	disk(scratch, "virtual/block/dm-1", "253:1", "1\n", "write back\n");
	slave(scratch, "virtual/block/dm-1", "sda2");
	assert_int_equal(sc_disks_add(&disks, scratch->path, "dm-0"), 0);
	assert_int_equal(sc_disks_add(&disks, scratch->path, "dm-1"), 0);
	assert_int_equal(sc_disks_add(&disks, scratch->path, "no"), 1);
	assert_string_equal(disks.description.text, "dm-0 on sda (WDC), dm-1");
	assert_int_equal(disks.count, 1);
	assert_string_equal(disks.models.text, "WDC");
}

static void devices_that_name_each_other_end(void **state)
{
	const struct scratch *scratch = *state;
	SC_CLEANUP(sc_disks_fini) struct sc_disks disks = {0};

	disk(scratch, "virtual/block/dm-0", "253:0", "1\n", "write back\n");
	disk(scratch, "virtual/block/dm-1", "253:1", "1\n", "write back\n");
	slave(scratch, "virtual/block/dm-0", "dm-1");
	slave(scratch, "virtual/block/dm-1", "dm-0");
	assert_int_equal(sc_disks_add(&disks, scratch->path, "dm-0"), 0);
}

static void btrfs_over_two_disks_with_an_anonymous_number(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	nvme(scratch);
	sata(scratch, "sda", "8:0", "WDC\n");
	disk(scratch, "virtual/block/dm-0", "253:0", "0\n", "write back\n");
	attribute(scratch, "sys/devices/virtual/block/dm-0/dm", "name", "root\n");
	slave(scratch, "virtual/block/dm-0", "nvme0n1p2");
	scratch_link(scratch, "dev/mapper/root", "../dm-0");
	scratch_write(scratch, "dev/dm-0", "");
	scratch_mkdir(scratch, "sys/fs/btrfs/features");
	scratch_link(scratch, "sys/fs/btrfs/6d7e/devices/dm-0",
		     "../../../../devices/virtual/block/dm-0");
	scratch_link(scratch, "sys/fs/btrfs/6d7e/devices/sda",
		     "../../../../devices/pci0/ata-sda/block/sda");
	mountinfo(scratch, "26 1 0:31 /@ / rw,relatime - btrfs /dev/mapper/root "
			   "rw,space_cache=v2,subvol=/@\n");
	facts = look_at(scratch, "/home", 26);
	check(&facts.filesystem, "btrfs");
	check(&facts.device, "dm-0");
	check(&facts.storage, "dm-0 (root) on nvme0n1 (Samsung SSD 980 PRO 1TB), sda (WDC)");
	assert_int_equal(facts.disk.status, SC_UNSUPPORTED);
	assert_string_equal(facts.disk.reason, "btrfs is on 2 disks, which share no counter");
	check(&facts.mount_options, "rw,relatime,space_cache=v2,subvol=/@");
	assert_true(facts.rotational); /* one of them is */
	assert_int_equal(facts.rotational_status, SC_MEASURED);
	sc_storage_facts_fini(&facts);
}

static void a_source_is_found_without_its_node_in_dev(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	nvme(scratch);
	mountinfo(scratch, "26 1 0:31 / / rw - btrfs /dev/nvme0n1p2 rw\n");
	facts = look_at(scratch, "/", 26);
	check(&facts.device, "nvme0n1p2");
	check(&facts.storage, "nvme0n1 (Samsung SSD 980 PRO 1TB)");
	sc_storage_facts_fini(&facts);
}

static void a_loop_device_shows_its_file(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	disk(scratch, "virtual/block/loop3", "7:3", "0\n", "write back\n");
	attribute(scratch, "sys/devices/virtual/block/loop3/loop", "backing_file",
		  "/var/images/a b.img\n");
	mountinfo(scratch, "26 1 7:3 / /mnt rw - ext4 /dev/loop3 rw\n");
	facts = look_at(scratch, "/mnt", 26);
	check(&facts.storage, "loop3 (/var/images/a b.img)");
	sc_storage_facts_fini(&facts);
}

/* A file system in a file, on another file system. */
static void loop_on(const struct scratch *scratch, const char *mounts)
{
	char lines[400];

	disk(scratch, "virtual/block/loop3", "7:3", "0\n", "write back\n");
	attribute(scratch, "sys/devices/virtual/block/loop3/loop", "backing_file",
		  "/var/images/a b.img\n");
	scratch_write(scratch, "var/images/a b.img", "");
	(void)snprintf(lines, sizeof(lines), "26 1 7:3 / /mnt rw - ext4 /dev/loop3 rw\n%s", mounts);
	mountinfo(scratch, lines);
}

static void a_loop_device_is_on_what_its_file_is_on(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	sata(scratch, "sda", "8:0", "WDC WD40EFRX-68N\n");
	loop_on(scratch, "20 1 8:0 / / rw - ext4 /dev/sda rw\n"
			 "21 1 0:7 / /other rw - tmpfs tmpfs rw\n");
	facts = look_at(scratch, "/mnt", 26);
	check(&facts.storage, "loop3 (/var/images/a b.img) on ext4 on sda (WDC WD40EFRX-68N)");
	check(&facts.disk, "sda");
	check(&facts.model, "WDC WD40EFRX-68N");
	assert_true(facts.rotational); /* the disk's, not the loop device's */
	assert_false(facts.in_memory);
	sc_storage_facts_fini(&facts);
}

static void a_loop_device_may_be_in_memory(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	loop_on(scratch, "20 1 0:7 / /var/images rw - tmpfs tmpfs rw\n");
	facts = look_at(scratch, "/mnt", 26);
	check(&facts.storage, "loop3 (/var/images/a b.img) on tmpfs");
	assert_true(facts.in_memory);
	sc_storage_facts_fini(&facts);
}

static void a_loop_device_hides_no_lost_barrier(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	nvme(scratch);
	loop_on(scratch, "20 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw,nobarrier\n");
	facts = look_at(scratch, "/mnt", 26);
	assert_true(facts.flush_disabled);
	sc_storage_facts_fini(&facts);
}

static void an_overlay_may_be_in_memory(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	scratch_mkdir(scratch, "run/upper");
	mountinfo(scratch,
		  "20 1 0:7 / /run rw - tmpfs tmpfs rw\n"
		  "26 1 0:9 / /mnt rw - overlay overlay rw,lowerdir=/,upperdir=/run/upper\n");
	facts = look_at(scratch, "/mnt", 26);
	assert_true(facts.in_memory);
	check(&facts.storage, "tmpfs");
	sc_storage_facts_fini(&facts);
}

static void queues_are_added_up(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	sata(scratch, "sda", "8:0", "WDC WD40EFRX-68N\n");
	sata(scratch, "sdb", "8:16", "WDC WD40EFRX-68N\n");
	attribute(scratch, "sys/devices/pci0/ata-sda/block/sda", "queue/fua", "0\n");
	attribute(scratch, "sys/devices/pci0/ata-sdb/block/sdb", "queue/fua", "1\n");
	attribute(scratch, "sys/devices/pci0/ata-sda/block/sda", "queue/scheduler",
		  "none [mq-deadline] kyber\n");
	attribute(scratch, "sys/devices/pci0/ata-sdb/block/sdb", "queue/scheduler",
		  "mq-deadline kyber [none]\n");
	attribute(scratch, "sys/devices/pci0/ata-sda/block/sda", "queue/discard_max_bytes", "0\n");
	attribute(scratch, "sys/devices/pci0/ata-sdb/block/sdb", "queue/discard_max_bytes", "0\n");
	disk(scratch, "virtual/block/md0", "9:0", "1\n", "write back\n");
	attribute(scratch, "sys/devices/virtual/block/md0/md", "level", "raid1\n");
	attribute(scratch, "sys/devices/virtual/block/md0/md/bitmap", "location", "+8\n");
	slave(scratch, "virtual/block/md0", "sda");
	slave(scratch, "virtual/block/md0", "sdb");
	mountinfo(scratch, "26 1 9:0 / /mnt rw - ext4 /dev/md0 rw\n");
	facts = look_at(scratch, "/mnt", 26);
	check(&facts.storage, "md0 (raid1, bitmap) on sda (WDC WD40EFRX-68N), sdb (WDC "
			      "WD40EFRX-68N)");
	check(&facts.fua, "some");
	check(&facts.scheduler, "mq-deadline, none");
	check(&facts.discard, "no");
	sc_storage_facts_fini(&facts);
}

static void a_network_block_device_is_another_machines(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	disk(scratch, "virtual/block/nbd0", "43:0", "0\n", "write back\n");
	mountinfo(scratch, "26 1 43:0 / /mnt rw - ext4 /dev/nbd0 rw\n");
	facts = look_at(scratch, "/mnt", 26);
	assert_true(facts.is_network);
	assert_false(facts.is_virtual);
	check_absent(&facts.fua, "the kernel does not say");
	sc_storage_facts_fini(&facts);
}

static void tmpfs_is_memory(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	mountinfo(scratch, "26 1 0:22 / /dev/shm rw,nosuid - tmpfs tmpfs rw,size=4k\n");
	facts = look_at(scratch, "/dev/shm/x", 26);
	assert_int_equal(facts.kind, SC_STORAGE_MEMORY);
	check(&facts.filesystem, "tmpfs");
	check(&facts.storage, "memory");
	check_no_disk(&facts, "tmpfs keeps files in memory");
	sc_storage_facts_fini(&facts);
}

static void network_storage_is_another_machines(void **state)
{
	const struct scratch *scratch = *state;
	static const char *const names[] = {"nfs",  "nfs4",       "cifs",    "9p",
					    "ceph", "fuse.sshfs", "virtiofs"};

	for (size_t i = 0; i < SC_ARRAY_COUNT(names); i++) {
		struct sc_storage_facts facts;
		char line[256];

		(void)snprintf(line, sizeof(line),
			       "26 1 0:52 / /net rw - %s server:/export\\040one rw,vers=4.2\n",
			       names[i]);
		mountinfo(scratch, line);
		facts = look_at(scratch, "/net", 26);
		assert_int_equal(facts.kind, SC_STORAGE_NETWORK);
		check(&facts.filesystem, names[i]);
		check(&facts.storage, "server:/export one");
		check_no_disk(&facts, "another machine's");
		sc_storage_facts_fini(&facts);
	}
}

static void fuse_is_a_process(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	mountinfo(scratch, "26 1 0:52 / /mnt rw - fuse.mine mine rw\n");
	facts = look_at(scratch, "/mnt", 26);
	assert_int_equal(facts.kind, SC_STORAGE_USER);
	check_no_disk(&facts, "a process decides");
	sc_storage_facts_fini(&facts);
}

static void an_overlay_is_on_what_its_upper_directory_is(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	nvme(scratch);
	scratch_mkdir(scratch, "var/lib/upper");
	mountinfo(scratch, "26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw\n"
			   "30 26 0:50 / /merged rw - overlay overlay "
			   "rw,lowerdir=/a:/b,upperdir=/var/lib/upper,workdir=/w\n"
			   "31 26 0:51 / /elsewhere rw - overlay overlay "
			   "rw,lowerdir=/a,upperdir=/not/here,workdir=/w\n"
			   "32 26 0:53 / /lost rw - overlay overlay "
			   "rw,lowerdir=/a,upperdir=/var/lib/upper,workdir=/w,volatile\n");
	facts = look_at(scratch, "/merged", 30);
	assert_int_equal(facts.kind, SC_STORAGE_OVERLAY);
	check(&facts.filesystem, "overlay");
	check(&facts.device, "nvme0n1p2");
	check(&facts.storage, "nvme0n1 (Samsung SSD 980 PRO 1TB)");
	assert_false(facts.flush_disabled);
	sc_storage_facts_fini(&facts);

	facts = look_at(scratch, "/elsewhere", 31);
	check(&facts.storage, "overlay");
	check_no_disk(&facts, "not visible from here");
	sc_storage_facts_fini(&facts);

	facts = look_at(scratch, "/lost", 32);
	assert_true(facts.flush_disabled);
	sc_storage_facts_fini(&facts);
}

static void options_that_keep_flushes_away_are_found(void **state)
{
	const struct scratch *scratch = *state;
	static const struct {
		const char *filesystem, *options;
		bool disabled;
	} cases[] = {
		{"ext4", "rw,nobarrier", true},         {"ext4", "rw,barrier=0,data=ordered", true},
		{"ext4", "rw,barrier=1", false},        {"ext4", "rw,xnobarrier,nobarrierx", false},
		{"btrfs", "rw,nobarrier", true},        {"f2fs", "rw,fsync_mode=nobarrier", true},
		{"f2fs", "rw,fsync_mode=posix", false}, {"vfat", "rw,nobarrier", false},
	};

	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct sc_storage_facts facts;
		char line[256];

		(void)snprintf(line, sizeof(line), "26 1 8:1 / / rw - %s /dev/sda1 %s\n",
			       cases[i].filesystem, cases[i].options);
		mountinfo(scratch, line);
		facts = look_at(scratch, "/", 26);
		assert_int_equal(facts.flush_disabled, cases[i].disabled);
		sc_storage_facts_fini(&facts);
	}
}

static void options_of_mount_and_file_system_are_one_list(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	mountinfo(scratch, "26 1 8:1 / / ro,noatime - ext4 /dev/sda1 rw,noatime,discard\n"
			   "27 1 8:1 / /b rw,relatime - ext4 /dev/sda1 ro,discard\n");
	facts = look_at(scratch, "/", 26);
	check(&facts.mount_options, "ro,noatime,discard");
	sc_storage_facts_fini(&facts);
	facts = look_at(scratch, "/b", 27);
	check(&facts.mount_options, "rw,relatime,ro,discard");
	sc_storage_facts_fini(&facts);
}

/* Kernels before 5.8: the longest mount point; of two at one point, the one on top. */
static void without_a_mount_number_the_path_decides(void **state)
{
	const struct scratch *scratch = *state;
	static const struct {
		const char *path, *filesystem;
	} cases[] = {
		{"/", "ext4"},      {"/data", "xfs"},      {"/data/a b/c", "vfat"},
		{"/data/a", "xfs"}, {"/database", "ext4"}, {"/twice/x", "f2fs"},
	};

	mountinfo(scratch, "20 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
			   "21 20 8:2 / /data/a\\040b rw - vfat /dev/sda2 rw\n"
			   "22 20 8:3 / /data rw master:3 propagate_from:2 - xfs /dev/sda3 rw\n"
			   "23 20 8:4 / /twice rw - ext2 /dev/sda4 rw\n"
			   "24 20 8:5 / /twice rw - f2fs /dev/sda5 rw\n"
			   "this is no mount\n"
			   "25 20\n");
	for (size_t i = 0; i < SC_ARRAY_COUNT(cases); i++) {
		struct sc_storage_facts facts = look_at(scratch, cases[i].path, 0);

		check(&facts.filesystem, cases[i].filesystem);
		sc_storage_facts_fini(&facts);
	}
	/* With the number, the path has no say: a mount that another one hides. */
	struct sc_storage_facts facts = look_at(scratch, "/twice/x", 23);

	check(&facts.filesystem, "ext2");
	sc_storage_facts_fini(&facts);
}

static void a_device_that_sysfs_lacks_says_so(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	mountinfo(scratch, "26 1 8:1 / / rw - ext4 /dev/sda1 rw\n");
	facts = look_at(scratch, "/", 26);
	check(&facts.storage, "/dev/sda1");
	check_no_disk(&facts, "no block device of ext4 on '/dev/sda1'");
	sc_storage_facts_fini(&facts);

	mountinfo(scratch, "26 1 0:40 / /tank rw - zfs tank/data rw,xattr\n");
	facts = look_at(scratch, "/tank", 26);
	assert_int_equal(facts.kind, SC_STORAGE_BLOCK);
	check(&facts.storage, "tank/data");
	check_no_disk(&facts, "no block device of zfs on 'tank/data'");
	sc_storage_facts_fini(&facts);

	mountinfo(scratch, "26 1 0:20 / /proc rw - proc proc rw\n");
	facts = look_at(scratch, "/proc", 26);
	assert_int_equal(facts.kind, SC_STORAGE_UNKNOWN);
	check(&facts.filesystem, "proc");
	sc_storage_facts_fini(&facts);
}

static void a_disk_that_says_nothing_is_not_made_up(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts;

	device(scratch, "virtual/block/odd", "8:1");
	mountinfo(scratch, "26 1 8:1 / / rw - ext4 /dev/odd rw\n");
	facts = look_at(scratch, "/", 26);
	check(&facts.device, "odd");
	check_absent(&facts.write_cache, "does not say");
	assert_int_equal(facts.rotational_status, SC_UNSUPPORTED);
	assert_string_equal(facts.rotational_reason, "the kernel does not say");
	sc_storage_facts_fini(&facts);
}

static void without_mountinfo_the_type_is_what_statfs_says(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts = look_at(scratch, "/", 26);

	check(&facts.filesystem, "ext2, ext3 or ext4");
	assert_int_equal(facts.kind, SC_STORAGE_BLOCK);
	check_absent(&facts.mount_options, "mountinfo': No such file");
	check_no_disk(&facts, "mountinfo': No such file");
	sc_storage_facts_fini(&facts);

	mountinfo(scratch, "26 1 8:1 / /other rw - ext4 /dev/odd rw\n");
	facts = look_at(scratch, "/", 27);
	check_absent(&facts.storage, "does not list the mount");
	sc_storage_facts_fini(&facts);
}

static void this_machine_agrees_with_its_own_tools(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts = {0};
	struct sc_error error;
	struct statfs filesystem;
	char line[256] = "";
	char command[2048];
	FILE *tool;

	assert_int_equal(sc_storage_facts_read(scratch->path, &facts, &error), 0);
	assert_int_equal(statfs(scratch->path, &filesystem), 0);
	if (filesystem.f_type == 0x01021994)
		assert_int_equal(facts.kind, SC_STORAGE_MEMORY);
	(void)snprintf(command, sizeof(command), "findmnt -n -o FSTYPE,TARGET -T '%s' 2>/dev/null",
		       scratch->path);
	tool = popen(command, "r"); /* NOLINT(cert-env33-c): a fixed command */
	assert_non_null(tool);
	if (fgets(line, sizeof(line), tool)) {
		char type[128], target[128];

		assert_int_equal(sscanf(line, "%127s %127s", type, target), 2);
		check(&facts.filesystem, type);
		check(&facts.mount_point, target);
	}
	(void)pclose(tool);
	sc_storage_facts_fini(&facts);
	if (line[0] == '\0')
		skip_because("findmnt is not here to compare with");
}

static void a_directory_that_is_not_there_is_an_error(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_facts facts = {0};
	struct sc_error error;

	assert_int_equal(sc_storage_facts_read(scratch_path(scratch, "no"), &facts, &error),
			 -ENOENT);
	assert_non_null(strstr(error.what, "/no'"));
}

static void each_failed_call_leaves_facts_or_an_error(void **state)
{
	const struct scratch *scratch = *state;
	struct sc_storage_place place = {.path = "/home", .has_mount_id = true, .mount_id = 26};
	unsigned nth;

	nvme(scratch);
	mountinfo(scratch, "26 1 259:2 / / rw - ext4 /dev/nvme0n1p2 rw,discard\n");
	for (nth = 1;; nth++) {
		struct sc_storage_facts facts = {0};
		size_t descriptors = open_descriptors();
		struct sc_error error;
		bool failed;
		int r;

		fault_begin(nth, EIO);
		r = sc_storage_facts_at(scratch->path, &place, &facts, &error);
		failed = fault_end();
		assert_int_equal(open_descriptors(), descriptors);
		if (!failed) {
			check(&facts.storage, "nvme0n1 (Samsung SSD 980 PRO 1TB)");
			sc_storage_facts_fini(&facts);
			break;
		}
		assert_true(r == 0 || r == -ENOMEM);
		if (r == 0) {
			assert_int_equal(!!facts.storage.value + !!facts.storage.reason, 1);
			assert_int_equal(!!facts.device.value + !!facts.device.reason, 1);
			assert_int_equal(!!facts.filesystem.value + !!facts.filesystem.reason, 1);
		} else {
			assert_null(facts.filesystem.value);
		}
		sc_storage_facts_fini(&facts);
	}
	assert_true(nth > 20);
}

static void options_are_compared_whole(void **state)
{
	(void)state;
	assert_true(sc_options_have("rw,nobarrier", "nobarrier"));
	assert_true(sc_options_have("nobarrier", "nobarrier"));
	assert_true(sc_options_have("a,nobarrier,b", "nobarrier"));
	assert_false(sc_options_have("a,nobarrier=1,b", "nobarrier"));
	assert_false(sc_options_have("", "nobarrier"));
	assert_false(sc_options_have("xnobarrier", "nobarrier"));
}

static void each_kind_has_a_name(void **state)
{
	(void)state;
	assert_string_equal(sc_storage_kind_name(SC_STORAGE_UNKNOWN), "unknown");
	assert_string_equal(sc_storage_kind_name(SC_STORAGE_USER), "user");
}

#define IN(sentence, function) CASE_IN(sentence, function, scratch_setup, scratch_teardown)

int main(void)
{
	const struct CMUnitTest cases[] = {
		IN("ext4 on a partition", ext4_on_a_partition),
		IN("a virtual disk without a model", a_virtual_disk_without_a_model),
		IN("dm-crypt on NVMe", dm_crypt_on_nvme),
		IN("LVM on md RAID of hard disks", lvm_on_md_raid_of_hard_disks),
		IN("one disk twice underneath is one disk", one_disk_twice_underneath_is_one_disk),
		IN("devices that name each other end", devices_that_name_each_other_end),
		IN("btrfs over two disks, with an anonymous number",
		   btrfs_over_two_disks_with_an_anonymous_number),
		IN("a source is found without its node in /dev",
		   a_source_is_found_without_its_node_in_dev),
		IN("a loop device shows its file", a_loop_device_shows_its_file),
		IN("a loop device is on what its file is on",
		   a_loop_device_is_on_what_its_file_is_on),
		IN("a loop device may be in memory", a_loop_device_may_be_in_memory),
		IN("a loop device hides no lost barrier", a_loop_device_hides_no_lost_barrier),
		IN("an overlay may be in memory", an_overlay_may_be_in_memory),
		IN("queues are added up", queues_are_added_up),
		IN("a network block device is another machine's",
		   a_network_block_device_is_another_machines),
		IN("tmpfs is memory", tmpfs_is_memory),
		IN("network storage is another machine's", network_storage_is_another_machines),
		IN("FUSE is a process", fuse_is_a_process),
		IN("an overlay is on what its upper directory is on",
		   an_overlay_is_on_what_its_upper_directory_is),
		IN("options that keep flushes away are found",
		   options_that_keep_flushes_away_are_found),
		IN("options of mount and file system are one list",
		   options_of_mount_and_file_system_are_one_list),
		IN("without a mount number the path decides",
		   without_a_mount_number_the_path_decides),
		IN("a device that sysfs lacks says so", a_device_that_sysfs_lacks_says_so),
		IN("a disk that says nothing is not made up",
		   a_disk_that_says_nothing_is_not_made_up),
		IN("without mountinfo the type is what statfs says",
		   without_mountinfo_the_type_is_what_statfs_says),
		IN("this machine agrees with findmnt", this_machine_agrees_with_its_own_tools),
		IN("a directory that is not there is an error",
		   a_directory_that_is_not_there_is_an_error),
		IN("each failed call leaves facts or an error",
		   each_failed_call_leaves_facts_or_an_error),
		CASE("options are compared whole", options_are_compared_whole),
		CASE("each kind has a name", each_kind_has_a_name),
	};

	return cmocka_run_group_tests(cases, NULL, NULL);
}
