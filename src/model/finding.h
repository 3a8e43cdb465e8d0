/* SPDX-License-Identifier: MIT */
#pragma once

/* Findings: what a reader of the numbers should know, by code, never free text in measuring code.
 */

#include "../base/err.h"

enum sc_severity {
	SC_SEVERITY_NOTE,
	SC_SEVERITY_WARNING,
	SC_SEVERITY_SEVERE,
	SC_SEVERITY_COUNT_,
};

/* Rows of the table in finding.c: code name, severity, text with %-directives, next step. */
enum sc_finding_code {
	SC_FINDING_SPEEDUP,              /* "WAL+NORMAL is 11.2x DELETE+FULL here" */
	SC_FINDING_WHERE_COMMIT_GOES,    /* "87 % of a DELETE+FULL commit is waiting in 4 syncs" */
	SC_FINDING_SYNC_BUYS_NOTHING,    /* tmpfs: a sync is free and buys nothing */
	SC_FINDING_SYNC_CALL,            /* this SQLite calls fdatasync (or fsync) */
	SC_FINDING_DEFAULT_SYNCHRONOUS,  /* the build's default synchronous */
	SC_FINDING_SAME_SETTINGS,        /* n settings cannot differ and were run once */
	SC_FINDING_HIDDEN_SYNCS,         /* directory syncs that a VFS shim cannot see */
	SC_FINDING_AUTOCHECKPOINT_PAGES, /* counted in pages: dearer with large pages */
	SC_FINDING_NO_CHECKPOINT,        /* no checkpoint fell into the timed part */
	SC_FINDING_WAL_RESET_BUG,        /* SQLite 3.7.0 … 3.51.2, several connections */
	SC_FINDING_ROTATIONAL,           /* the kernel's flag does not match the latency */
	SC_FINDING_RUN_DELAY,            /* run delay above 5 % of wall */
	SC_FINDING_STEAL,                /* steal above 5 % of wall */
	SC_FINDING_NOT_CONVERGED,
	SC_FINDING_INSTRUMENT_COST,   /* the ledger's own cost above 15 % */
	SC_FINDING_EFFECTIVE_DIFFERS, /* SQLite did not take a setting */
	SC_FINDING_CALLS_DROPPED,
	SC_FINDING_SYNC_MISMATCH, /* vfs + directory != physical */
	SC_FINDING_FAILED_CELLS,
	SC_FINDING_INCOMPLETE,        /* interrupted */
	SC_FINDING_UNSUPPORTED_CELLS, /* cannot be measured here */
	SC_FINDING_RESIDUAL,          /* the split misses more than 5 % of wall */
	SC_FINDING_LOSS,              /* what each measured setting can lose */
	SC_FINDING_NO_RECOMMENDATION, /* why there is none for a target */
	SC_FINDING_FEW_OPERATIONS,    /* quantiles from fewer than 100 */
	SC_FINDING_FLUSH_DISABLED,    /* a mount option keeps flushes from the device */
	SC_FINDING_TWO_MODES,         /* samples of a cell fall into two groups */
	SC_FINDING_OTHER_IO,          /* others used the disk meanwhile */
	SC_FINDING_SPLIT_WAITED,     /* the ledger sample waited for a CPU: its split says little */
	SC_FINDING_OTHER_STATE,      /* the ledger sample was much faster than timing samples */
	SC_FINDING_BUSY_START,       /* the machine was busy before the sweep began */
	SC_FINDING_GROWTH,           /* how the cost of an operation grows with the rows */
	SC_FINDING_GROWTH_WORSE,     /* faster than the rows */
	SC_FINDING_SIZES_FEW,        /* two numbers of rows do not tell */
	SC_FINDING_MEMORY_GROWS,     /* memory in use grows with the operations */
	SC_FINDING_MEMORY_STEADY,    /* it does not, where that was the question */
	SC_FINDING_MEMORY_UNSEEN,    /* that was the question, and there is no answer */
	SC_FINDING_CHECKPOINT_PAID,  /* which commit paid for what a snapshot had held up */
	SC_FINDING_BESIDE,           /* what clients of other workloads did meanwhile */
	SC_FINDING_RATE_NOT_REACHED, /* an open loop that could not keep its schedule */
	SC_FINDING_RUN_NOTHING,      /* the program came to no database that could be seen */
	SC_FINDING_RUN_GOES_ON,      /* processes that did not end with the program */
	SC_FINDING_NETWORK_STORAGE,  /* another machine decides what a sync is worth */
	SC_FINDING_FLUSH_FREE,       /* a probe: a flush costs nothing */
	SC_FINDING_FASTER_THAN_TURN, /* a probe: a turning disk answers within a turn */
	SC_FINDING_FUA_CHEAP,        /* a probe: a forced write is much cheaper than a flush */
	SC_FINDING_FSYNC_DEARER,     /* a probe: than fdatasync */
	SC_FINDING_TWO_LATENCIES,    /* a probe: operations fall into two groups */
	SC_FINDING_RUN_NOT_SET, /* no connection could be given the settings that were asked for */
	SC_FINDING_RUN_REFUSED, /* SQLite did not take some of them */
	SC_FINDING_COUNT_,
};

struct sc_finding {
	char code[40]; /* "sync-buys-nothing" */
	enum sc_severity severity;
	char text[640]; /* one sentence */
	char next[300]; /* the next step; may be empty */
	double weight;  /* how bad, among those of one code; 0: not said; not in the file */
};

struct sc_findings { /* owned growable list */
	struct sc_finding *items;
	size_t count;
};

/** sc_findings_add() - fill the row's text and next step from the arguments of its format. */
int sc_findings_add(struct sc_findings *findings, enum sc_finding_code code, ...);
/** sc_findings_copy() - add a ready finding (as loaded from a file). */
int sc_findings_copy(struct sc_findings *findings, const struct sc_finding *finding);
/** sc_findings_weigh() - say of the last one how bad it is */
void sc_findings_weigh(struct sc_findings *findings, double weight);
/** sc_findings_sort() - by severity; of one, what is of any run of this build last; stable */
void sc_findings_sort(struct sc_findings *findings);
void sc_findings_fini(struct sc_findings *findings);

const char *sc_severity_name(enum sc_severity severity);

/** sc_finding_name() - "speedup", "sync-buys-nothing" …: what sc_finding.code holds */
const char *sc_finding_name(enum sc_finding_code code);
