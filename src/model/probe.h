/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A probe: what a storage's own calls cost, without SQLite. One row is one kind of operation, its
 * key unique in a probe: "overwrite/4096/fdatasync", "journal/wal-full".
 */

#include "report.h"

enum sc_probe_group {
	SC_PROBE_METHODS, /* ways to make a write durable, by state of the file and size */
	SC_PROBE_FILES,   /* files that appear, shrink and go; syncs with nothing to do */
	SC_PROBE_PAGES,   /* several dirty pages and one sync */
	SC_PROBE_WRITERS, /* several threads, each waiting for its own sync */
	SC_PROBE_PACED,   /* with a pause before each operation */
	SC_PROBE_JOURNAL, /* SQLite's own calls of a commit */
	SC_PROBE_GROUP_COUNT_,
};

enum sc_probe_state {
	SC_PROBE_OVERWRITE,    /* blocks that have been written before */
	SC_PROBE_APPEND,       /* the file grows */
	SC_PROBE_FALLOCATED,   /* the first write into space that fallocate() reserved */
	SC_PROBE_CREATE,       /* a new file: open, write, sync, sync of the directory */
	SC_PROBE_TRUNCATE,     /* to nothing, then a sync */
	SC_PROBE_UNLINK,       /* of a synced file, then a sync of the directory */
	SC_PROBE_CLEAN,        /* a sync of a file that has nothing to write */
	SC_PROBE_CLEAN_FOLDER, /* a sync of a directory, the same */
	SC_PROBE_TRANSACTION,  /* all calls of one commit */
	SC_PROBE_STATE_COUNT_,
};

enum sc_probe_method {
	SC_PROBE_FDATASYNC,
	SC_PROBE_FSYNC,
	SC_PROBE_DSYNC,            /* O_DSYNC */
	SC_PROBE_RWF_DSYNC,        /* pwritev2() */
	SC_PROBE_DIRECT_FDATASYNC, /* O_DIRECT */
	SC_PROBE_DIRECT_DSYNC,     /* O_DIRECT, O_DSYNC */
	SC_PROBE_URING_FDATASYNC,  /* io_uring: write and fdatasync, linked */
	SC_PROBE_URING_DSYNC,      /* io_uring: one write with RWF_DSYNC */
	SC_PROBE_RANGE,            /* sync_file_range(): not durable */
	SC_PROBE_DIRECT_NONE,      /* O_DIRECT without a sync: not durable */
	SC_PROBE_NONE,             /* into the page cache: not durable */
	SC_PROBE_METHOD_COUNT_,
};

/* Of samples: nearest rank, exact. */
#define SC_PROBE_QUANTILES 11u
extern const double sc_probe_quantiles[SC_PROBE_QUANTILES]; /* 0, 0.01 … 1 */
enum { SC_PROBE_MIN = 0, SC_PROBE_P50 = 5, SC_PROBE_P90 = 7, SC_PROBE_P99 = 9, SC_PROBE_MAX = 10 };

struct sc_probe_part {
	uint64_t n;                      /* samples; 0: not told apart */
	uint64_t mean_ns;                /* to be held against tools that know no other */
	uint64_t ns[SC_PROBE_QUANTILES]; /* at sc_probe_quantiles[] */
};

struct sc_probe_row {
	char key[64];
	enum sc_probe_group group;
	enum sc_probe_state state;
	enum sc_probe_method method;
	uint64_t bytes;      /* of one write */
	uint32_t pages;      /* writes before a sync */
	bool is_spread;      /* with untouched pages between them */
	uint32_t writers;    /* threads */
	uint64_t pause_ns;   /* before each operation, not timed */
	const char *journal; /* "wal-full"; NULL outside of SC_PROBE_JOURNAL */
	bool is_main;        /* on the screen, and in a quick probe */

	enum sc_status status;          /* SC_SKIPPED: not reached */
	char reason[200];               /* why it was not measured; empty when it was */
	struct sc_probe_part operation; /* from the first call to the last, one interval */
	struct sc_probe_part write;     /* of it: all calls but syncs */
	struct sc_probe_part sync;      /* of it: the syncs */
	uint32_t *buckets; /* of operations: SC_HIST_BUCKETS counts, owned; NULL unless measured */
	double ops_per_s;  /* of all writers together */
	bool has_modes;    /* operations fall into two groups */
	uint64_t mode_low_ns, mode_high_ns; /* their medians; 0 unless has_modes */
};

struct sc_probe {
	struct sc_target target;
	bool is_quick;
	bool is_complete;          /* false: interrupted */
	char started[40];          /* RFC 3339, UTC */
	uint64_t elapsed_ns;       /* all of it */
	struct sc_probe_row *rows; /* owned */
	size_t row_count;
};

void sc_probe_fini(struct sc_probe *probe);

/** sc_probe_group_name() - "methods"; sc_probe_state_name() - "overwrite" and so on, as in keys */
const char *sc_probe_group_name(enum sc_probe_group group);
const char *sc_probe_state_name(enum sc_probe_state state);
const char *sc_probe_method_name(enum sc_probe_method method);
/** sc_probe_method_title() - "O_DIRECT write, then fdatasync" */
const char *sc_probe_method_title(enum sc_probe_method method);
/** sc_probe_method_is_durable() - whether it promises that data outlives a power cut */
bool sc_probe_method_is_durable(enum sc_probe_method method);

/** sc_probe_row_is_durable() - the same of a row; of a journal that syncs at its commits */
bool sc_probe_row_is_durable(const struct sc_probe_row *row);

/** sc_probe_find() - a row by its key that was measured; NULL: there is none */
const struct sc_probe_row *sc_probe_find(const struct sc_probe *probe, const char *key);

/**
 * sc_probe_cheapest() - the durable method with the lowest median of 4 KiB overwrites
 * Return: NULL where none was measured, and in memory, where none is durable
 */
const struct sc_probe_row *sc_probe_cheapest(const struct sc_probe *probe);

/** sc_probe_ceiling() - commits a second at the median of "journal/@journal"; 0: not measured */
double sc_probe_ceiling(const struct sc_probe *probe, const char *journal);

/** sc_probe_judge() - findings of the target, from facts and rows; @probe without findings */
int sc_probe_judge(struct sc_probe *probe, struct sc_error *error);

struct sc_probe_tool { /* who measured; borrowed */
	const char *version, *commit;
	const char *host, *kernel, *cpu;
	double load; /* of the minute before; < 0: not known */
};

/**
 * sc_probe_print_json() - all of @probes as one object, format "syncost-probe-1"
 * Return: 0 or -ENOMEM; write errors stay in @out.
 */
int sc_probe_print_json(const struct sc_probe *probes, size_t count,
			const struct sc_probe_tool *tool, FILE *out, struct sc_error *error);

/**
 * sc_probe_format_profile() - a device profile, format "syncost-device-1"
 * @ret_text: the caller frees it
 */
int sc_probe_format_profile(const struct sc_probe *probe, const struct sc_probe_tool *tool,
			    char **ret_text, struct sc_error *error);
