/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The operations as a table in every file that needs it, so that the part of a constant operation
 * is a constant too. Handed out by syncost_op_info().
 *
 * Every call that can enter the kernel is timed. What never does costs less than the two clock
 * readings around it; of those one in 16 is timed, and their time counts as `sql` otherwise.
 */

#include "syncost/meter.h"

#define SC_OP_RARELY 16u

static const struct sc_op_info sc_ops[SC_OP_COUNT_] = {
	[SC_OP_OPEN] = {"open", SC_PART_OTHER, 1},
	[SC_OP_CLOSE] = {"close", SC_PART_OTHER, 1},
	[SC_OP_READ] = {"read", SC_PART_READ, 1},
	[SC_OP_WRITE] = {"write", SC_PART_WRITE, 1},
	[SC_OP_SYNC] = {"sync", SC_PART_SYNC, 1},
	[SC_OP_FSYNC] = {"fsync", SC_PART_SYNC, 1},
	[SC_OP_FDATASYNC] = {"fdatasync", SC_PART_SYNC, 1},
	[SC_OP_SYNC_FILE_RANGE] = {"sync_file_range", SC_PART_SYNC, 1},
	[SC_OP_MSYNC] = {"msync", SC_PART_SYNC, 1},
	[SC_OP_TRUNCATE] = {"truncate", SC_PART_WRITE, 1},
	[SC_OP_FALLOCATE] = {"fallocate", SC_PART_WRITE, 1},
	[SC_OP_DELETE] = {"delete", SC_PART_OTHER, 1},
	[SC_OP_RENAME] = {"rename", SC_PART_OTHER, 1},
	[SC_OP_FILE_SIZE] = {"file_size", SC_PART_OTHER, 1},
	[SC_OP_STAT] = {"stat", SC_PART_OTHER, SC_OP_RARELY},
	[SC_OP_SEEK] = {"seek", SC_PART_OTHER, SC_OP_RARELY},
	[SC_OP_ACCESS] = {"access", SC_PART_OTHER, 1},
	[SC_OP_FULL_PATHNAME] = {"full_pathname", SC_PART_OTHER, 1},
	[SC_OP_LOCK] = {"lock", SC_PART_LOCK, 1},
	[SC_OP_UNLOCK] = {"unlock", SC_PART_LOCK, 1},
	[SC_OP_CHECK_RESERVED] = {"check_reserved", SC_PART_LOCK, 1},
	[SC_OP_FILE_CONTROL] = {"file_control", SC_PART_OTHER, 1},
	[SC_OP_SECTOR_SIZE] = {"sector_size", SC_PART_OTHER, SC_OP_RARELY},
	[SC_OP_DEVICE_CHARACTERISTICS] = {"device_characteristics", SC_PART_OTHER, SC_OP_RARELY},
	[SC_OP_SHM_MAP] = {"shm_map", SC_PART_SHM, 1},
	[SC_OP_SHM_LOCK] = {"shm_lock", SC_PART_LOCK, 1},
	[SC_OP_SHM_BARRIER] = {"shm_barrier", SC_PART_SHM, SC_OP_RARELY},
	[SC_OP_SHM_UNMAP] = {"shm_unmap", SC_PART_SHM, 1},
	[SC_OP_FETCH] = {"fetch", SC_PART_READ, 1},
	[SC_OP_UNFETCH] = {"unfetch", SC_PART_READ, SC_OP_RARELY},
	[SC_OP_MMAP] = {"mmap", SC_PART_OTHER, 1},
	[SC_OP_MUNMAP] = {"munmap", SC_PART_OTHER, 1},
	[SC_OP_SLEEP] = {"sleep", SC_PART_LOCK, 1},
	[SC_OP_RANDOMNESS] = {"randomness", SC_PART_OTHER, SC_OP_RARELY},
	[SC_OP_CURRENT_TIME] = {"current_time", SC_PART_OTHER, SC_OP_RARELY},
	[SC_OP_DLOPEN] = {"dlopen", SC_PART_OTHER, 1},
};
