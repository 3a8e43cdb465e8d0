/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A report: a head, and cells. The file is summary.json (format "syncost-report-1"): the head on
 * the first lines, then one cell per line, so that readers hold one cell at a time.
 */

#include "../stats/stop-trial.h"
#include "finding.h"
#include "promise.h"
#include "sample.h"

struct sc_interval {
	enum sc_status status;
	double median, low, high; /* exact distribution-free interval of the median */
	uint32_t n;
	double coverage; /* what the interval's ranks promise; below 0.95 for n < 6 */
	bool converged;  /* half-width within the precision, and coverage >= 0.95; under a
			    stopping rule: at one of its looks */
	char reason[SC_REASON_BYTES]; /* why it was not measured; empty when it was */
};

/* Half-width of an interval that has converged, as a fraction of the median. */
#define SC_PRECISION_DEFAULT 0.05
#define SC_CONFIDENCE        0.95

/** sc_interval_half_width() - the wider side of the interval, as a fraction of the median */
double sc_interval_half_width(const struct sc_interval *interval);

enum sc_bound_by {
	SC_BOUND_SQL_CPU,
	SC_BOUND_SYNC,
	SC_BOUND_WRITE,
	SC_BOUND_READ,
	SC_BOUND_LOCK,
	SC_BOUND_CHECKPOINT,
	SC_BOUND_MEMORY_FAULTS,
	SC_BOUND_RUN_DELAY,
	SC_BOUND_COUNT_,
};

struct sc_bound {
	enum sc_status status;
	enum sc_bound_by by;
	double share;             /* of wall without `outside`, 0 … 1 */
	double if_free_ops_per_s; /* the rate if that part alone cost nothing; 0: it is all there
				   * is, or a wait for other clients */
	char reason[SC_REASON_BYTES];
};

/** sc_bound_name() - "sql_cpu", "sync" … as in result files */
const char *sc_bound_name(enum sc_bound_by by);

struct sc_cell_sample { /* what a cell keeps of each of its samples */
	uint32_t round;
	enum sc_sample_kind kind;
	uint64_t wall_ns, cpu_ns, operations, commits, steal_ns, run_delay_ns;
	enum sc_status steal_status, run_delay_status; /* whether the kernel says */
	uint64_t reference_ns;                         /* as in sc_sample; 0: unknown */
	uint64_t other_io_bytes; /* of others on the same disk, as in sc_sample */
	enum sc_status other_io_status;
	char other_io_reason[SC_REASON_BYTES]; /* empty when it was measured */
};

/* Why a cell got no more timing samples. */
enum sc_ended {
	SC_ENDED_NOT,       /* it was to get more, or failed */
	SC_ENDED_CONVERGED, /* its interval is as narrow as was asked for */
	SC_ENDED_TIME,      /* another sample did not fit into the time */
	SC_ENDED_SAMPLES,   /* it has the most samples that were planned */
	SC_ENDED_COUNT_,
};

/** sc_ended_name() - "converged", "time", "samples" as in result files; "not" */
const char *sc_ended_name(enum sc_ended ended);

struct sc_cell {
	/* identity; strings owned */
	char *id; /* "local/commit/insert_one/wal/full/recycled", unique in a report */
	char *target;
	char *suite;
	char suite_digest[65]; /* SHA-256 of the suite's text, hex */
	char *workload;
	char *unit; /* of one operation: "row", "query" … */
	char *store;
	uint32_t clients;
	char *device; /* "none" */
	char *clock;  /* "real" */
	char *layers; /* "meter,unix" */
	enum sc_wal_state wal_state;
	bool uses_wal_state; /* false outside WAL: printed as not applicable */
	struct sc_setting setting, effective;
	char *same_as; /* id of the cell that was run for it, or NULL */
	char *same_as_reason;
	uint64_t rows, seed;
	uint64_t rate;    /* operations due a second; 0: one after another */
	double precision; /* asked for, of `converged`; 0 = SC_PRECISION_DEFAULT; not in the file */
	const struct sc_stop_rule *rule; /* borrowed; NULL: a fixed number of samples; the same */

	/* state */
	enum sc_status status;
	char *reason;
	bool verified;

	/* from timing samples */
	uint64_t operations, commits; /* of one timing sample */
	struct sc_interval ops_per_s, commits_per_s;
	enum sc_ended ended;
	struct sc_latency op_ns, commit_ns;
	enum sc_status cpu_wall_status;
	double cpu_wall;           /* process CPU / wall, median over timing samples */
	uint64_t busy_retries;     /* of all timing samples */
	uint64_t checkpoints_seen; /* the same */
	struct sc_company company; /* over all timing samples; a hold of the ledger's, if of none */

	/* from ledger samples */
	uint64_t ledger_ops, ledger_commits;
	struct sc_split split;
	struct sc_bound bound;
	uint64_t checkpoint_ns;
	double instrument_cost; /* ledger time per operation / timing time per operation; 0: none */
	struct sc_syncs syncs;
	struct sc_checkpoints checkpoints;
	struct sc_space space;
	uint64_t calls_dropped;
	struct sc_work work;
	struct sc_memory memory;
	uint64_t major_faults; /* of the first ledger sample */
	struct sc_io *io;
	size_t io_count;

	struct sc_cell_sample *samples;
	size_t sample_count;
	struct sc_findings findings;
};

void sc_cell_init(struct sc_cell *cell);
void sc_cell_fini(struct sc_cell *cell);

/** sc_cell_set_absent() - all figures as not measured, with the reason; samples stay */
void sc_cell_set_absent(struct sc_cell *cell, enum sc_status status, const char *reason);

/**
 * sc_cell_summarise() - fill all figures of @cell from its samples; pure
 * @samples: all of one cell, any order, at least one; borrowed
 *
 * ops_per_s, latencies, cpu_wall from timing samples (histograms merged); ledger figures from
 * the first ledger sample; bound and cell findings derived. A failed sample makes the cell failed
 * with its reason. Safe to call again with more samples.
 */
int sc_cell_summarise(struct sc_cell *cell, const struct sc_sample *samples, size_t sample_count,
		      struct sc_error *error);

/** sc_cell_same() - @cell carries the figures of @source, which was run for it. Deep copy. */
int sc_cell_same(struct sc_cell *cell, const struct sc_cell *source, const char *reason,
		 struct sc_error *error);

/*
 * Where the time inside SQLite went, in disjoint terms: a checkpoint's portions of sync, write and
 * read are the checkpoint's, and time spent runnable without a CPU is run delay wherever it fell.
 */
struct sc_terms {
	double ns[SC_BOUND_COUNT_];
	double delay_ns[SC_BOUND_COUNT_]; /* of the run delay: what fell into that term */
	double rest_ns;    /* shared memory, other calls, SQL that neither ran nor faulted */
	double inside_ns;  /* the sum of all of the above */
	double outside_ns; /* harness or application */
};

/** sc_split_terms() - pure. @split: measured; @major_faults: of the same sample */
struct sc_terms sc_split_terms(const struct sc_split *split, uint64_t major_faults);

/* A ledger sample that took less than this of a timing sample's time met another machine: its
 * instruments make it slower, never faster. */
#define SC_INSTRUMENT_COST_MIN 0.85

/** sc_split_waiting() - the share of all wall time that was spent waiting for a CPU, 0 … 1 */
double sc_split_waiting(const struct sc_split *split);

/**
 * sc_cell_has_waited() - whether its split says more of the machine than of the program
 *
 * Several clients wait for each other, whoever else is there: that is theirs.
 */
#define SC_WAITING_MAX 0.2
bool sc_cell_has_waited(const struct sc_cell *cell);

/** sc_bound_of() - the largest term and the rate without it; pure. @ops_per_s: of timing samples */
struct sc_bound sc_bound_of(const struct sc_split *split, uint64_t major_faults,
			    const struct sc_interval *ops_per_s);

struct sc_target {
	char *label;
	char *path;       /* where the sweep worked; absolute */
	char *filesystem; /* "ext4" */
	char *mount_options;
	char *storage; /* "vda" and what is known of it, or the mount source */
	enum sc_status rotational_status;
	bool rotational;     /* what the kernel says */
	char *write_cache;   /* "write back", "write through", or NULL: not known */
	bool flush_disabled; /* by a mount option, its own or of what is underneath; not in the file
			      */
	bool is_virtual;     /* a disk of a virtual machine; the same */
	bool in_memory;      /* a sync buys nothing: tmpfs, or a file or layer on one */
	bool is_network;     /* another machine's, which decides what a sync is worth */
	char *model;         /* of the disks underneath, as the four below NULL: not known */
	char *fua;           /* "yes", "no", "some": whether they take forced writes */
	char *scheduler;     /* of the kernel's queue: "none", "mq-deadline" */
	char *discard;       /* "yes", "no", "some": whether they are told what is free */
	char *disk;          /* whose traffic the samples watch: "vda"; NULL: none can be */
	char *disk_reason;   /* why not; NULL: not known */
	enum sc_status sync_floor_status;
	uint64_t sync_floor_ns_p50; /* 4 KiB overwrite + fdatasync */
	uint64_t sync_floor_n;
	char *sync_floor_reason;           /* why there is none; NULL: not known */
	enum sc_status uring_floor_status; /* the same as linked io_uring requests */
	uint64_t uring_floor_ns_p50;
	char *uring_floor_reason;
	struct sc_findings findings;
};

void sc_target_fini(struct sc_target *target);

struct sc_recommendation { /* the cheapest setting of a loss class, on one target */
	char *target;
	char *workload;
	enum sc_loss loss;
	char *label;                      /* "wal/full" */
	char *pragmas;                    /* lines, newline separated */
	struct sc_interval commits_per_s; /* n 0: a report from before it was kept */
	char *sentence;                   /* what it can lose */
};

/* How many timing samples cells were to get. */
struct sc_sampling {
	uint32_t samples; /* of each cell; 0: as the rule says */
	uint32_t pilot;   /* the rest is of the rule: samples before its first look; 0: unknown */
	uint64_t time_ns; /* that all timing rounds could take, the pilot aside */
	struct sc_stop_rule rule; /* look_count 0: not planned, as nothing had been measured */
	struct {                  /* trials of the rule; draws 0: none */
		uint32_t draws;   /* of each distribution and spread */
		double lowest;    /* share of runs that were covered, of the worst of them */
		enum sc_stop_shape shape; /* which that is */
		double spread;
	} simulated;
};

struct sc_report_head {
	char kind[16]; /* "sweep" */
	char tool_version[32], tool_commit[64];
	bool tool_dirty;
	char *host_label, *kernel, *cpu;
	uint32_t cpu_count;
	uint64_t memory_bytes;
	char sqlite_version[32];
	char *sqlite_source_id;
	char *sync_call;        /* "fdatasync", "fsync" or NULL: no sync was seen */
	char **compile_options; /* owned, compile_option_count of them */
	size_t compile_option_count;
	uint64_t seed;
	char *order;                    /* "shuffled per round" */
	char started[40], finished[40]; /* RFC 3339, UTC */
	bool complete;
	uint32_t rounds;
	enum sc_status load_status; /* SC_SKIPPED: a report from before it was kept */
	double load;                /* of the machine in the minute before the first sample */
	uint32_t resumed;           /* how often it was gone on with after an early end */
	double precision;           /* asked for; 0 = SC_PRECISION_DEFAULT */
	struct sc_sampling sampling;
	struct sc_setting base; /* what labels leave out */
	struct sc_target *targets;
	size_t target_count;
	struct sc_findings findings; /* over the whole report */
	struct sc_recommendation *recommendations;
	size_t recommendation_count;
	size_t cell_count;
};

/** sc_report_was_busy() - whether other programs had the CPUs in the minute before the run */
bool sc_report_was_busy(const struct sc_report_head *head);

void sc_report_head_fini(struct sc_report_head *head);
void sc_recommendation_fini(struct sc_recommendation *recommendation);

/**
 * sc_report_judge() - findings and recommendations over all cells of a report; pure
 * @cells: borrowed; @head's findings and recommendations are replaced, and what an earlier
 *         judgement said of its targets
 */
int sc_report_judge(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count,
		    struct sc_error *error);

/* Writing: head, cells, end; to a stream that the caller makes durable. */
int sc_report_write_head(FILE *out, const struct sc_report_head *head, struct sc_error *error);
int sc_report_write_cell(FILE *out, const struct sc_cell *cell, bool first, struct sc_error *error);
int sc_report_write_end(FILE *out, struct sc_error *error);

/* Reading: one cell at a time. */
struct sc_report_reader;
/** @path: a report folder or its summary.json. */
int sc_report_open(const char *path, struct sc_report_reader **ret_reader, struct sc_error *error);
const struct sc_report_head *sc_report_reader_head(const struct sc_report_reader *reader);
/** Return: 0 with *ret_cell filled (caller finishes it), 1 at the end, < 0 on error. */
int sc_report_next(struct sc_report_reader *reader, struct sc_cell *ret_cell,
		   struct sc_error *error);
/** sc_report_rewind() - go back to before the first cell of the same file */
int sc_report_rewind(struct sc_report_reader *reader, struct sc_error *error);
void sc_report_closep(struct sc_report_reader **reader);
