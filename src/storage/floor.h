/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The sync floor: what the least durable step costs on a storage, without SQLite. One sample is a
 * 4 KiB overwrite in a small, already allocated file and an fdatasync of it: no commit that syncs
 * can be faster.
 */

#include <stdint.h>

#include "../base/status.h"

#define SC_FLOOR_BLOCK_BYTES 4096u

struct sc_floor {
	enum sc_status status; /* SC_MEASURED, SC_UNSUPPORTED, SC_DENIED or SC_FAILED */
	char reason[200];      /* operation and error; empty when measured */
	uint64_t n;            /* samples: as asked for, or as time allowed; 0 unless measured */
	uint64_t p50_ns, p90_ns, p99_ns, max_ns; /* nearest rank; 0 unless measured */
};

/**
 * sc_sync_floor() - write, then fdatasync, by system calls
 * @directory: where the file is made; it has no name, or loses it at once, and never stays
 * @samples: > 0
 * @time_limit_ns: no sample is begun after that; at least one is made
 */
void sc_sync_floor(const char *directory, uint32_t samples, uint64_t time_limit_ns,
		   struct sc_floor *ret_floor);

/**
 * sc_uring_floor() - the same as two linked io_uring requests, one system call a sample
 *
 * SC_DENIED where io_uring is forbidden (sysctl kernel.io_uring_disabled, seccomp), SC_UNSUPPORTED
 * where the kernel or this build has none.
 */
void sc_uring_floor(const char *directory, uint32_t samples, uint64_t time_limit_ns,
		    struct sc_floor *ret_floor);
