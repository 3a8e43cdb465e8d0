/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * The meter: the shared layout that the instruments inside a measured process write and that any
 * reader, in that process or another, merges.
 *
 * One meter is one file mapping on tmpfs ($XDG_RUNTIME_DIR or /dev/shm, mode 0600), never on the
 * measured disk. A killed process loses nothing; a reader may look at any moment.
 *
 *   header | shard_entries[] | series_entries[] | statement_entries[] | databases[] ||
 *   shards[] | series[] | statements[]
 *
 * What is left of the double bar always has memory behind it; a shard or series has it once its
 * entry says that it is taken.
 *
 * A shard belongs to one thread at a time, its only writer. A thread that ends hands its shard,
 * counters intact, to the next new thread. A series is one (instrument, database, role, operation)
 * of one shard: counters, times and a histogram. Series are taken from the pool on first use, so
 * the mapping is large but sparse: only what is used is backed by memory.
 *
 * All fields that change are written with relaxed atomic stores by their one writer and read with
 * relaxed loads. Readers add series with equal keys over all shards. Counters only grow; an
 * interval is the difference of two snapshots.
 *
 * All times are nanoseconds, all sizes bytes, all counts plain, unless a name says otherwise.
 */

#include <assert.h>
#include <stdatomic.h>
#include <stdint.h>

#define SC_METER_MAGIC   0x73796e636f737401ull /* "syncost" and the byte 1 */
#define SC_METER_VERSION 2u

#define SC_METER_DATABASES     64u   /* slot 0 is "everything else" */
#define SC_METER_SHARDS        256u  /* threads measured at the same time */
#define SC_METER_SERIES        8192u /* over all shards */
#define SC_METER_COMMITS       1024u /* commit records kept per shard; a power of two */
#define SC_METER_PROGRAM_BYTES 16u   /* the kernel keeps no more of a process's name */
#define SC_METER_STATEMENTS    1024u /* SQL texts; number 0 is none */
#define SC_METER_SQL_BYTES     448u  /* of each, with the final NUL */
#define SC_METER_PATH_BYTES    512u  /* with the final NUL; a longer path keeps its tail */

/* Where a figure was taken. What SQLite asks and what the kernel is asked are never added. */
enum sc_instrument {
	SC_INSTRUMENT_VFS,  /* the shim: calls of SQLite's VFS interface */
	SC_INSTRUMENT_LIBC, /* the tap: libc calls underneath */
	SC_INSTRUMENT_COUNT_,
};

/* What a file is to its database. */
enum sc_role {
	SC_ROLE_MAIN_DB,
	SC_ROLE_WAL,
	SC_ROLE_MAIN_JOURNAL,
	SC_ROLE_SUPER_JOURNAL,
	SC_ROLE_SUBJOURNAL,
	SC_ROLE_TEMP_DB,
	SC_ROLE_TEMP_JOURNAL,
	SC_ROLE_TRANSIENT_DB,
	SC_ROLE_SHM,
	SC_ROLE_DIRECTORY,
	SC_ROLE_OTHER,
	SC_ROLE_COUNT_,
};

/* One list for both instruments; some operations exist for one of them only. */
enum sc_op {
	SC_OP_OPEN,
	SC_OP_CLOSE,
	SC_OP_READ,
	SC_OP_WRITE,
	SC_OP_SYNC,            /* vfs: xSync */
	SC_OP_FSYNC,           /* libc */
	SC_OP_FDATASYNC,       /* libc */
	SC_OP_SYNC_FILE_RANGE, /* libc; not durable */
	SC_OP_MSYNC,           /* libc */
	SC_OP_TRUNCATE,        /* vfs xTruncate; libc ftruncate, truncate */
	SC_OP_FALLOCATE,       /* libc */
	SC_OP_DELETE,          /* vfs xDelete; libc unlink, unlinkat */
	SC_OP_RENAME,          /* libc */
	SC_OP_FILE_SIZE,       /* vfs xFileSize */
	SC_OP_STAT,            /* libc stat family */
	SC_OP_SEEK,            /* libc lseek */
	SC_OP_ACCESS,
	SC_OP_FULL_PATHNAME,          /* vfs */
	SC_OP_LOCK,                   /* vfs xLock; libc fcntl locks */
	SC_OP_UNLOCK,                 /* vfs xUnlock; libc fcntl F_UNLCK */
	SC_OP_CHECK_RESERVED,         /* vfs */
	SC_OP_FILE_CONTROL,           /* vfs */
	SC_OP_SECTOR_SIZE,            /* vfs */
	SC_OP_DEVICE_CHARACTERISTICS, /* vfs */
	SC_OP_SHM_MAP,                /* vfs */
	SC_OP_SHM_LOCK,               /* vfs */
	SC_OP_SHM_BARRIER,            /* vfs */
	SC_OP_SHM_UNMAP,              /* vfs */
	SC_OP_FETCH,        /* vfs xFetch that returned a mapping: a read without a call */
	SC_OP_UNFETCH,      /* vfs */
	SC_OP_MMAP,         /* libc mmap, mremap */
	SC_OP_MUNMAP,       /* libc */
	SC_OP_SLEEP,        /* vfs xSleep; libc usleep, nanosleep */
	SC_OP_RANDOMNESS,   /* vfs */
	SC_OP_CURRENT_TIME, /* vfs */
	SC_OP_DLOPEN,       /* vfs: the dl calls together */
	SC_OP_COUNT_,
};

/* The wall axis of the split: disjoint intervals. */
enum sc_part {
	SC_PART_OUTSIDE, /* between SQLite calls: harness or application */
	SC_PART_SQL,     /* inside SQLite, outside the VFS */
	SC_PART_READ,
	SC_PART_WRITE, /* write and truncate */
	SC_PART_SYNC,
	SC_PART_LOCK, /* lock calls and waiting for locks, SQLite's sleeps included */
	SC_PART_SHM,
	SC_PART_OTHER,
	SC_PART_COUNT_,
};

/*
 * Log-linear histogram. Values below 2^SC_HIST_SUB_BITS have a bucket each; above, each power of
 * two is cut into 2^SC_HIST_SUB_BITS equal buckets. A bucket is at most 1/32 of its lower edge
 * wide, so its midpoint is at most 1/64 = 1.6 % from any value in it. Values at and beyond
 * 2^SC_HIST_MAX_BITS ns (18 minutes) land in the last bucket; the maximum is kept exactly.
 */
#define SC_HIST_SUB_BITS 5u
#define SC_HIST_MAX_BITS 40u
#define SC_HIST_BUCKETS  ((SC_HIST_MAX_BITS - SC_HIST_SUB_BITS + 1u) << SC_HIST_SUB_BITS)

/* Index of the bucket that holds @value. Always < SC_HIST_BUCKETS. */
static inline uint32_t sc_hist_bucket(uint64_t value)
{
	uint32_t exponent;

	if (value < (1u << SC_HIST_SUB_BITS))
		return (uint32_t)value;
	if (value >> SC_HIST_MAX_BITS)
		return SC_HIST_BUCKETS - 1u;
	exponent = 63u - (uint32_t)__builtin_clzll(value);
	return ((exponent - SC_HIST_SUB_BITS) << SC_HIST_SUB_BITS) +
	       (uint32_t)(value >> (exponent - SC_HIST_SUB_BITS));
}

/* Smallest value of bucket @index. sc_hist_low(index + 1) is the first value beyond it. */
static inline uint64_t sc_hist_low(uint32_t index)
{
	uint32_t row = index >> SC_HIST_SUB_BITS;

	if (row < 2)
		return index;
	return ((uint64_t)((1u << SC_HIST_SUB_BITS) + (index & ((1u << SC_HIST_SUB_BITS) - 1u))))
	       << (row - 1u);
}

/* Which operation feeds which part; also the list of names. Indexed by enum sc_op. */
struct sc_op_info {
	const char *name;  /* "write": as in reports */
	enum sc_part part; /* where its wall time goes at VFS level */
	uint32_t every;    /* 1: each call is timed; n: one call in n, the rest only counted */
};

struct sc_series_entry {
	_Atomic uint32_t key;   /* sc_series_key() + 1; 0: not taken; set last */
	_Atomic uint32_t shard; /* index of the owner */
};

/* What each call writes lies together, on one line of the cache. */
struct sc_series {
	_Alignas(64) _Atomic uint64_t calls; /* failed ones included */
	_Atomic uint64_t bytes;              /* accepted by the call underneath */
	_Atomic uint64_t timed; /* calls that were timed: n of ns and of the histogram */
	_Atomic uint64_t ns;    /* sum over timed calls */
	_Atomic uint64_t ns_max;
	_Atomic uint64_t failures;
	_Atomic uint64_t cpu_n;        /* timed calls around which thread CPU was read; */
	_Atomic uint64_t cpu_wall_ns;  /* each weighted by how many calls it stands for: wall, */
	_Atomic uint64_t cpu_ns;       /* thread CPU, */
	_Atomic uint64_t run_delay_ns; /* runnable but not running; scale by ns / cpu_wall_ns */
	_Atomic uint64_t checkpoint_calls; /* of calls, bytes, ns: those inside a checkpoint */
	_Atomic uint64_t checkpoint_bytes;
	_Atomic uint64_t checkpoint_ns;
	uint64_t padding[3];
	_Atomic uint32_t buckets[SC_HIST_BUCKETS];
};

static inline uint32_t sc_series_key(enum sc_instrument instrument, uint32_t database,
				     enum sc_role role, enum sc_op op)
{
	return (((uint32_t)instrument * SC_METER_DATABASES + database) * SC_ROLE_COUNT_ +
		(uint32_t)role) *
		       SC_OP_COUNT_ +
	       (uint32_t)op;
}

#define SC_METER_KEYS                                                                              \
	((uint32_t)SC_INSTRUMENT_COUNT_ * SC_METER_DATABASES * SC_ROLE_COUNT_ * SC_OP_COUNT_)

/* One committed write transaction, as the shim and the caller's marks saw it. */
struct sc_commit {
	uint64_t start_ns;                /* clock of the meter; the call that commits began */
	uint64_t end_ns;                  /* the same call returned */
	uint64_t part_ns[SC_PART_COUNT_]; /* of that call; OUTSIDE is 0 */
	uint64_t checkpoint_ns;           /* of that call, spent in checkpoints */
	uint64_t bytes;                   /* written at VFS level in that call */
	uint32_t syncs;                   /* xSync calls in that call */
	uint32_t databases;               /* how many the transaction wrote */
	uint32_t database;                /* slot of the first */
	uint32_t statement;               /* 0: not known */
};

/* A record is copied word by word: a reader may meet one that is being overwritten. */
#define SC_COMMIT_WORDS (sizeof(struct sc_commit) / sizeof(uint64_t))

struct sc_shard_entry {
	_Atomic uint32_t state;    /* enum sc_shard_state */
	_Atomic uint32_t thread;   /* kernel thread id of the (last) owner */
	_Atomic uint32_t epoch;    /* of the meter when last zeroed; others: holds nothing valid */
	_Atomic uint32_t has_ring; /* there is memory behind its commit records */
};

enum sc_shard_state {
	SC_SHARD_NEVER_USED, /* no memory behind it */
	SC_SHARD_OWNED,
	SC_SHARD_FREE, /* to be taken over, counters intact */
};

struct sc_shard {
	_Atomic uint64_t calls;      /* SQLite calls bracketed by marks */
	_Atomic uint64_t inside_ns;  /* wall time between mark begin and end, without own_ns */
	_Atomic uint64_t outside_ns; /* wall time between end and the next begin */
	_Atomic uint64_t inside_part_ns[SC_PART_COUNT_]; /* of inside_ns: in VFS calls */
	_Atomic uint64_t own_ns;           /* the instrument reading thread CPU; in no part */
	_Atomic uint64_t sql_cpu_n;        /* bracketed calls around which thread CPU was read; */
	_Atomic uint64_t sql_cpu_wall_ns;  /* their SQL part, weighted as in a series: wall, */
	_Atomic uint64_t sql_cpu_ns;       /* thread CPU, */
	_Atomic uint64_t sql_run_delay_ns; /* runnable but not running */
	_Atomic uint64_t outside_cpu_n;    /* the same of the time between bracketed calls */
	_Atomic uint64_t outside_cpu_wall_ns;
	_Atomic uint64_t outside_cpu_ns;
	_Atomic uint64_t outside_run_delay_ns;
	_Atomic uint64_t major_faults;     /* of the thread, up to the last bracketed call read */
	_Atomic uint64_t lock_wait_ns;     /* first BUSY to success or giving up */
	_Atomic uint64_t lock_wait_sql_ns; /* of that: outside any VFS call (moves sql -> lock) */
	_Atomic uint64_t lock_waits;
	_Atomic uint64_t busy;                  /* lock calls that came back BUSY */
	_Atomic uint64_t syncs_omitted;         /* SQLITE_FCNTL_SYNC_OMITTED */
	_Atomic uint64_t commit_count;          /* records ever written; ring index is modulo */
	_Atomic uint16_t series[SC_METER_KEYS]; /* index + 1 into series[]; 0 = none yet */
	_Atomic uint64_t
		commits[SC_METER_COMMITS][SC_COMMIT_WORDS]; /* struct sc_commit, in words */
};

/* Sizes of one database's files as its calls left them. */
struct sc_database {
	_Atomic uint32_t used; /* set last, when path is complete */
	char path[SC_METER_PATH_BYTES];
	_Atomic uint64_t size_bytes[SC_ROLE_COUNT_];
	_Atomic uint64_t size_bytes_max[SC_ROLE_COUNT_];
	_Atomic uint64_t total_bytes;     /* sum of size_bytes over roles */
	_Atomic uint64_t total_bytes_max; /* the highest moment of that sum */
	_Atomic uint64_t commits;         /* write transactions that included this database */
	_Atomic uint64_t checkpoints;     /* that copied or tried to copy frames */
	_Atomic uint64_t checkpoint_ns;
	_Atomic uint64_t checkpoint_frames; /* pages copied from the WAL */
	_Atomic uint64_t wal_resets;        /* header rewritten while frames existed */
	_Atomic uint64_t wal_creations;     /* first header of an empty WAL */
	_Atomic uint64_t wal_frames;        /* frames appended */
	_Atomic uint64_t unmarked_writes;   /* of transactions whose end nothing marks (libc) */
	_Atomic uint64_t lock_waits;        /* for a lock of another process (libc) */
	_Atomic uint64_t lock_wait_ns;
};

struct sc_statement_entry {
	_Atomic uint64_t hash; /* of the text; 0: not taken */
	_Atomic uint64_t
		is_ready; /* set last: there is memory behind it, and the text is complete */
};

/* What was charged to one SQL text; of a call into SQLite what lies underneath it. */
struct sc_statement {
	_Atomic uint64_t executions; /* that came to their end */
	_Atomic uint64_t steps;      /* calls into SQLite: a row each, or the whole */
	_Atomic uint64_t timed;      /* of those: n of ns */
	_Atomic uint64_t ns;
	_Atomic uint64_t commits;
	_Atomic uint64_t syncs;
	_Atomic uint64_t sync_ns;
	_Atomic uint64_t bytes; /* written */
	_Atomic uint64_t lock_waits;
	_Atomic uint64_t lock_wait_ns;
	_Atomic uint64_t checkpoints;   /* that it ran, */
	_Atomic uint64_t checkpoint_ns; /* and what they took */
	char sql[SC_METER_SQL_BYTES];
};

enum sc_clock_kind {
	SC_CLOCK_MONOTONIC, /* clock_gettime(CLOCK_MONOTONIC) */
	SC_CLOCK_TSC,       /* invariant TSC, scaled to it */
};

struct sc_meter {
	uint64_t magic;
	uint32_t version;
	uint32_t header_bytes;
	uint32_t shard_bytes;
	uint32_t series_bytes;
	uint32_t database_bytes;
	uint32_t pid;
	uint32_t clock_kind;          /* enum sc_clock_kind */
	_Atomic uint32_t instruments; /* bit per enum sc_instrument that is on */
	_Atomic uint32_t epoch;       /* counts resets; shards of another epoch are not read */
	uint32_t parent_pid;          /* when the meter was made */
	char program[SC_METER_PROGRAM_BYTES]; /* name of the process, the same */
	uint64_t start_ns;                    /* clock of the meter */
	uint64_t start_realtime_ns;           /* the same moment, since the epoch */
	_Atomic uint64_t virtual_ns;          /* added to the clock by device models */
	_Atomic uint32_t series_used;         /* may run past the pool: the rest was dropped */
	_Atomic uint32_t shards_used;
	_Atomic uint64_t calls_dropped;   /* no shard or no series left */
	_Atomic uint64_t transactions;    /* write transactions over any number of databases */
	_Atomic uint64_t empty_commits;   /* commits that wrote nothing */
	_Atomic uint64_t connections_set; /* that settings were applied to as they opened */
	_Atomic uint64_t pragmas_refused; /* of those settings */
	_Atomic uint64_t total_bytes;     /* files of all databases together */
	_Atomic uint64_t total_bytes_max;
	struct sc_shard_entry shard_entries[SC_METER_SHARDS];
	struct sc_series_entry series_entries[SC_METER_SERIES];
	struct sc_statement_entry statement_entries[SC_METER_STATEMENTS];
	struct sc_database databases[SC_METER_DATABASES];
	struct sc_shard shards[SC_METER_SHARDS];
	struct sc_series series[SC_METER_SERIES];
	struct sc_statement
		statements[SC_METER_STATEMENTS]; /* memory behind it where it is taken */
};

static_assert(sizeof(struct sc_series) % 64 == 0, "series stay aligned");
static_assert(sizeof(struct sc_commit) % 8 == 0, "records are whole words");
static_assert(SC_METER_SERIES < UINT16_MAX, "a shard's index is 16 bits");
static_assert((SC_METER_COMMITS & (SC_METER_COMMITS - 1)) == 0, "ring index is a mask");
