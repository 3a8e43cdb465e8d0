/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A sample: one run of a cell in a process of its own. The specification goes to that process as
 * one JSON line on its standard input, the result comes back as one JSON line on its standard
 * output; a sample's line is also what raw/samples.ndjson keeps.
 *
 * Timing samples run with the instruments off: rates and latencies come from these alone.
 * Ledger samples run a fixed operation count with the instruments on: counts, bytes, sizes,
 * split and I/O histograms come from these alone.
 */

#include "../base/err.h"
#include "../base/status.h"
#include "company.h"
#include "latency.h"
#include "setting.h"
#include "syncost/meter.h"

enum sc_sample_kind {
	SC_SAMPLE_TIMING,
	SC_SAMPLE_LEDGER,
	SC_SAMPLE_KIND_COUNT_,
};

struct sc_sample_spec {
	enum sc_sample_kind kind;
	char *cell_id;    /* owned, as all strings here */
	char *suite_text; /* the suite's JSON, whole */
	char *workload;
	char *directory; /* existing and empty; the sample works only inside it */
	char *store;     /* see store.h */
	struct sc_setting setting;
	enum sc_wal_state wal_state;
	uint64_t rows;          /* of the dataset; 0 = the suite's */
	uint64_t operations;    /* to time; for a ledger sample the ledger_ops */
	uint64_t seed;          /* of the generators: same seed, same statements */
	uint64_t time_limit_ns; /* 0 = none: a timing sample stops early at a commit boundary */
	uint32_t round;
	uint32_t instruments; /* bit per enum sc_instrument; 0 for timing samples */
	uint32_t clients;     /* processes that share the operations; 0 and 1: one */
	uint64_t rate;        /* operations due a second, of all clients; 0: one after another */
	char *disk;           /* whose traffic is watched: "vda"; NULL: none can be */
	char *disk_reason;    /* why not */
};

/* I/O of one (instrument, database, role, operation). */
struct sc_io {
	enum sc_instrument instrument;
	char database[64]; /* file name without directory; "other" for slot 0 */
	enum sc_role role;
	enum sc_op op;
	uint64_t calls, failures, bytes;
	uint64_t timed, ns; /* ns: estimate for all calls where timed < calls */
	uint64_t ns_p50, ns_p99, ns_max;
};

struct sc_split {
	enum sc_status status;
	uint64_t wall_ns[SC_PART_COUNT_];
	uint64_t cpu_ns[SC_PART_COUNT_];
	uint64_t run_delay_ns[SC_PART_COUNT_];
	uint64_t cpu_n[SC_PART_COUNT_];
	uint64_t checkpoint_ns[SC_PART_COUNT_]; /* of wall_ns, inside checkpoints */
	uint64_t total_ns;   /* independent wall clock of the timed part; of clients, the sum */
	uint64_t own_ns;     /* of total_ns: the instruments reading thread CPU; in no part */
	int64_t residual_ns; /* total minus own_ns minus the sum of wall_ns */
	char reason[SC_REASON_BYTES];
};

struct sc_syncs {
	enum sc_status status;
	uint64_t vfs;       /* xSync calls */
	uint64_t directory; /* libc syncs of directories */
	uint64_t physical;  /* all libc syncs; vfs + directory when no layer withholds */
	uint64_t withheld;
	uint64_t omitted;          /* syncs SQLite itself left out: synchronous=OFF */
	uint64_t fsync, fdatasync; /* of physical */
	/* whether directory, physical, fsync and fdatasync were seen: they come from the tap alone
	 */
	enum sc_status physical_status;
	char reason[SC_REASON_BYTES]; /* of whichever status is not measured */
	enum sc_status vfs_status;    /* of vfs, withheld and omitted: they come from the shim */
};

struct sc_checkpoints {
	uint64_t count, frames, ns, resets;
};

struct sc_space {
	uint64_t payload_bytes; /* of the values bound by the timed part; 0 for reads */
	uint64_t database_bytes, wal_bytes, journal_bytes, shm_bytes, total_bytes;
	uint64_t wal_bytes_max, journal_bytes_max, total_bytes_max;
	uint64_t allocated_bytes;  /* blocks of all files, from stat; before the last close */
	uint64_t vfs_bytes;        /* written at VFS level in the timed part; 0 without ledger */
	uint64_t page_cache_bytes; /* /proc/self/io write_bytes of the timed part */
	enum sc_status page_cache_status;
};

/* What SQLite did for the operations of a ledger sample, apart from input and output. */
struct sc_work {
	enum sc_status status;
	uint64_t vm_steps;    /* of its virtual machine */
	uint64_t pages;       /* asked of the page cache */
	uint64_t page_misses; /* of these, not found in it */
	char reason[SC_REASON_BYTES];
};

/* How memory in use grew with the operations: straight lines, the page cache taken out. */
#define SC_MEMORY_POINTS_MIN 8u
struct sc_memory {
	enum sc_status status;
	uint32_t points;
	double heap_bytes_per_op, heap_r2;     /* of the whole process */
	double sqlite_bytes_per_op, sqlite_r2; /* of what SQLite allocated */
	char reason[SC_REASON_BYTES];
};

struct sc_sample {
	char *cell_id; /* of the specification; owned; NULL where that could not be read */
	enum sc_sample_kind kind;
	uint32_t round;
	enum sc_status status;       /* SC_MEASURED, SC_FAILED, SC_UNSUPPORTED */
	char *reason;                /* owned; NULL when measured */
	bool verified;               /* rows, sums, reopened, quick_check */
	struct sc_setting effective; /* read back */
	uint64_t operations, commits;
	uint64_t wall_ns; /* of the timed part, independent clock */
	uint64_t cpu_ns;  /* process CPU of the timed part; of clients, the sum */
	uint64_t run_delay_ns, steal_ns;
	enum sc_status run_delay_status, steal_status; /* whether the kernel says */
	uint64_t other_io_bytes; /* that the disk moved in the timed part, without the own ones */
	enum sc_status other_io_status;
	char other_io_reason[SC_REASON_BYTES]; /* empty when it was measured */
	uint64_t reference_ns; /* of a fixed piece of work, before and after, their mean; 0: unknown
				*/
	uint64_t turn_ns; /* of the sweep's time: since the sample before it was kept; 0: unknown */
	uint64_t major_faults;
	uint64_t busy_retries; /* attempts after SQLITE_BUSY, */
	uint64_t busy_ns;      /* and the pauses before them; of clients, the sum */
	struct sc_latency op_ns, commit_ns;
	struct sc_company company; /* of clients of other workloads, and of a snapshot held */
	struct sc_space space;
	uint64_t checkpoints_seen; /* timing: by the WAL's own header, where it can be told */
	/* ledger samples only */
	struct sc_split split;
	struct sc_syncs syncs;
	struct sc_checkpoints checkpoints;
	uint64_t calls_dropped;
	struct sc_work work;
	struct sc_memory memory;
	struct sc_io *io; /* owned */
	size_t io_count;
};

void sc_sample_spec_fini(struct sc_sample_spec *spec);
void sc_sample_fini(struct sc_sample *sample);

const char *sc_sample_kind_name(enum sc_sample_kind kind);

/** sc_sample_rate() - operations per second of wall time; 0 where no time passed */
double sc_sample_rate(const struct sc_sample *sample);

/*
 * JSON of both, one line, no newline inside. The caller frees *ret_text. The parsers fill a struct
 * that holds nothing yet, and leave it empty when they fail.
 */
int sc_sample_spec_format(const struct sc_sample_spec *spec, char **ret_text,
			  struct sc_error *error);
int sc_sample_spec_parse(const char *text, struct sc_sample_spec *ret_spec, struct sc_error *error);
int sc_sample_format(const struct sc_sample *sample, char **ret_text, struct sc_error *error);
int sc_sample_parse(const char *text, struct sc_sample *ret_sample, struct sc_error *error);
