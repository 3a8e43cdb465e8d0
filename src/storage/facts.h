/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What the kernel says about the storage under a directory. It is the kernel's belief, not a
 * measurement: `rotational` is often wrong on virtual disks, and `write cache` can be overwritten
 * by root. Each fact is there, or says why not.
 */

#include <stdbool.h>
#include <stdint.h>

#include "../base/err.h"
#include "../base/status.h"

enum sc_storage_kind {
	SC_STORAGE_UNKNOWN,
	SC_STORAGE_BLOCK,   /* a file system on block devices */
	SC_STORAGE_MEMORY,  /* tmpfs, ramfs: a sync is free and buys nothing */
	SC_STORAGE_OVERLAY, /* stacked on another file system */
	SC_STORAGE_NETWORK, /* another machine's, or the host's of a virtual machine */
	SC_STORAGE_USER,    /* served by a process (FUSE) */
	SC_STORAGE_KIND_COUNT_,
};

struct sc_fact {
	enum sc_status status;
	char *value;  /* owned; NULL unless measured */
	char *reason; /* owned; NULL when measured */
};

struct sc_storage_facts {
	enum sc_storage_kind kind;
	struct sc_fact filesystem;    /* "ext4" */
	struct sc_fact mount_point;   /* "/data" */
	struct sc_fact mount_options; /* of the mount, then of the file system: "rw,relatime,…" */
	struct sc_fact source;        /* "/dev/nvme0n1p2", "server:/export" */
	struct sc_fact device;        /* kernel's name of what is mounted: "nvme0n1p2", "dm-0" */
	struct sc_fact
		disk; /* whose counters have all of its traffic: "nvme0n1", or "md0" of several */
	struct sc_fact model;       /* of the disks underneath: "Samsung SSD 980 PRO 1TB" */
	struct sc_fact storage;     /* "md0 (raid1) on sda (WDC WD40), sdb (WDC WD40)" */
	struct sc_fact write_cache; /* "write back" if that of any disk is, or "write through" */
	struct sc_fact fua;         /* "yes", "no", "some": whether disks take forced writes */
	struct sc_fact scheduler;   /* of the disks' queues: "none", "mq-deadline, none" */
	struct sc_fact discard; /* "yes", "no", "some": whether disks can be told what is free */
	enum sc_status rotational_status;
	bool rotational;         /* whether any disk underneath is */
	char *rotational_reason; /* owned; NULL when measured */
	bool flush_disabled;     /* a mount option keeps flushes from the device: nobarrier … */
	bool in_memory;          /* a tmpfs and its like, or a file or layer on one */
	bool is_network;         /* another machine's, or on a disk that is */
	bool is_virtual;         /* a disk of a virtual machine: `rotational` means little */
};

/* Where a directory is, as the kernel identifies it. */
struct sc_storage_place {
	const char *path; /* absolute, no symbolic links, outside of any root; borrowed */
	bool has_mount_id;
	uint64_t mount_id; /* field 1 of mountinfo */
	uint64_t magic;    /* f_type of statfs */
};

/**
 * sc_storage_facts_read() - the facts of @directory, on this machine
 * @ret_facts: end with sc_storage_facts_fini()
 *
 * Return: 0 also where facts are missing; negative where @directory cannot be looked at.
 */
int sc_storage_facts_read(const char *directory, struct sc_storage_facts *ret_facts,
			  struct sc_error *error);

/**
 * sc_storage_facts_at() - the same with the world passed in
 * @root: "" or a directory that holds proc/self/mountinfo, sys/ and dev/
 */
int sc_storage_facts_at(const char *root, const struct sc_storage_place *place,
			struct sc_storage_facts *ret_facts, struct sc_error *error);

void sc_storage_facts_fini(struct sc_storage_facts *facts);

/** sc_storage_kind_name() - "block", "memory" … */
const char *sc_storage_kind_name(enum sc_storage_kind kind);
