/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * What a disk moves, and how much of it others caused. The kernel counts sectors that a block
 * device transferred, whoever asked; what a process caused itself is in base/procfs.h.
 */

#include "../base/procfs.h"

struct sc_traffic {
	struct sc_reading read_bytes, written_bytes; /* since the device appeared */
};

/**
 * sc_traffic_read() - counters of a block device now; some 10 us
 * @root: "" for this machine; a test passes a directory that holds sys/
 * @disk: the kernel's name: "vda", "md0"
 */
struct sc_traffic sc_traffic_read(const char *root, const char *disk);

/**
 * sc_traffic_others() - bytes that @disk moved between two readings beyond what the process caused
 * @own: of the same time, from sc_usage_since(): its read_bytes and write_bytes; the kernel adds
 *       those of children when they have been waited for
 *
 * Reads and writes are judged apart: too few of one do not hide the other.
 *
 * It is an upper bound of what others moved: what the file system writes for the process by itself
 * (its journal, its metadata) is in no process's account. Where the process leaves its writes in
 * the page cache they are subtracted although the disk has not seen them yet; then it can be too
 * low as well. So compare it with the same figure of like work, not with zero.
 */
struct sc_reading sc_traffic_others(const struct sc_traffic *later,
				    const struct sc_traffic *earlier, const struct sc_usage *own);
