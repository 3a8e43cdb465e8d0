/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * A sweep: from a plan to a report folder. What it is asked for, what it tells while it runs, and
 * what is left at its end. It prints nothing.
 */

#include "../model/report.h"
#include "plan.h"

struct sc_sweep_target {
	const char *label; /* unique in a sweep */
	const char *path;  /* an existing directory; absolute or relative */
};

struct sc_tool_facts {
	const char *version, *commit;
	bool dirty;
	const char *build; /* compiler and options that matter */
	int argc;          /* the command line, for the record */
	char *const *argv;
};

struct sc_sweep {
	const struct sc_plan *plan;
	const struct sc_sweep_target *targets; /* as the plan's labels, in their order */
	size_t target_count;
	uint64_t operations;           /* of a timing sample; 0: by time */
	const uint64_t *operations_of; /* the same of each cell of the plan, 0: as above; or NULL */
	uint32_t samples; /* timing samples of each cell, one a round; 0: by the next two */
	double precision; /* half-width to reach, of the median */
	uint64_t time_ns; /* that the timing rounds may take, the first SC_SCHEDULE_PILOT aside */
	uint64_t timeout_ns;    /* of one sample's process */
	const char *host_label; /* NULL: the host's name */
	const char *out;        /* the report folder; NULL: a new one under ./syncost-reports */
	bool resume;            /* go on with the sweep whose report is in @out */
	struct sc_tool_facts tool;
	char *const *options; /* what the plan follows from, as words; for the record */
	size_t option_count;
};

struct sc_sweep_progress {
	uint32_t round;      /* 0 is the ledger's */
	uint64_t done;       /* samples, of all rounds */
	uint64_t left;       /* samples, an estimate where the precision decides */
	const char *cell_id; /* of the sample that is done */
	uint64_t left_ns;    /* estimate */
};

/* Who is told. Called between samples, never while one runs. */
struct sc_sweep_observer {
	void *self;
	/* everything is known but the figures; from here to the end it takes from @least_ns to
	 * @most_ns, which are the same where the number of samples is fixed */
	void (*begin)(void *self, const struct sc_report_head *head, const char *folder,
		      uint64_t least_ns, uint64_t most_ns);
	void (*progress)(void *self, const struct sc_sweep_progress *progress);
};

struct sc_sweep_outcome {
	char *folder;             /* of the report; owned; NULL where it was not made */
	bool interrupted;         /* the report is readable and marked incomplete */
	bool was_complete;        /* there was nothing to go on with */
	size_t failed_cells;      /* marked failed in the report, with their reasons */
	size_t unsupported_cells; /* cannot be measured here */
	size_t measured_cells;
	bool is_severe; /* a finding of the report or of a cell is */
};

/**
 * sc_sweep_run() - measure, and leave a report
 * @ret_outcome: set on success
 *
 * SIGINT, SIGTERM and SIGHUP end it after the sample that is running was stopped; what was measured
 * is in the report. All that it made in the targets is gone when it returns.
 *
 * Return: 0, also where cells failed or it was interrupted; SC_E_USAGE where a target or the
 * report folder is not what it should be, or its sweep cannot be gone on with; SC_E_UNMEASURABLE
 * where a target cannot be written; another code where the report could not be written.
 */
int sc_sweep_run(const struct sc_sweep *sweep, const struct sc_sweep_observer *observer,
		 struct sc_sweep_outcome *ret_outcome, struct sc_error *error);

void sc_sweep_outcome_fini(struct sc_sweep_outcome *outcome);
