/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Writers: a stored report in the formats that people and programs read. Writers never measure
 * and do no arithmetic on figures beyond units; what they print they take from the cells and from
 * the metric catalogue. They hold one cell at a time.
 */

#include "../base/buffer.h"
#include "../model/metric.h"

struct sc_render_options {
	uint32_t columns; /* width of the table: 80 … 160 are used; 0 = 100 */
	bool utf8;        /* otherwise ASCII alone */
	bool color;       /* ANSI colours */
};

/** sc_render_options_detect() - what suits @out: terminal, COLUMNS, NO_COLOR, TERM, the locale */
struct sc_render_options sc_render_options_detect(FILE *out);

/**
 * sc_report_render() - print a stored report
 * @path: a report folder or its summary.json
 * @format: the name of a writer: "table", "md", "csv", "samples", "json"
 * @options: NULL: 100 columns, UTF-8, no colours; they matter for "table" alone
 *
 * The whole file is read before the first byte is printed, so that a bad one prints nothing.
 *
 * Return: 0; SC_E_USAGE (no such format); SC_E_FORMAT (not a report); the error of a system call.
 */
int sc_report_render(const char *path, const char *format, FILE *out,
		     const struct sc_render_options *options, struct sc_error *error);

struct sc_survey_table {  /* of cells that stand in one table */
	bool commits;     /* some cell has commits */
	bool has_batches; /* some commit has more or less than one operation */
	bool has_clients; /* several at a time */
	bool varies;      /* in operations a commit: a column, not a part of the heading */
};

/* What the pass before the writing found out. */
struct sc_survey {
	struct sc_survey_table *tables; /* in order; owned by whoever renders */
	size_t table_count;
	size_t cell_count;
	size_t label_columns;         /* widest label of a setting, in terminal columns */
	bool has_fresh, has_recycled; /* WAL states of the cells */
	bool has_batches;             /* some table has */
	bool has_statements;          /* some commit has several operations */
	bool out_of_time;             /* some cell got no more samples for want of time */
	bool has_clients;             /* some table has */
	bool has_rate;                /* operations were due on a schedule */
	bool has_rows;                /* a workload has tables of different numbers of rows */
	bool has_waited;              /* some split is of a sample that waited for a CPU */
};

/* Cells of a table that carry the figures of one other. */
struct sc_copies {
	char source[200];        /* "= wal/full" */
	struct sc_buffer labels; /* "wal/extra, wal/normal" */
	size_t count;
};

struct sc_render {
	FILE *out;
	struct sc_render_options options;
	const struct sc_report_head *head;
	struct sc_survey survey;
	unsigned int pass;  /* 0 … passes - 1 */
	size_t cell_index;  /* within the pass */
	size_t table_index; /* of the cell, in the survey */
	struct sc_copies
		*copies; /* of the current table, for its end; whoever renders frees them */
	size_t copies_count;
	bool has_shown_busy; /* some table had room for that column */
	struct sc_cell
		previous; /* of the pass, for where a group begins; id NULL before the first */
	struct sc_error *error;
};

/* All functions return 0 or a negative code with render->error filled. */
struct sc_writer {
	const char *name;                       /* "md" */
	const char *extension;                  /* ".md" */
	const char *summary;                    /* one line for --help */
	unsigned int passes;                    /* how often the cells are gone through */
	int (*begin)(struct sc_render *render); /* of each pass */
	int (*cell)(struct sc_render *render, const struct sc_cell *cell);
	int (*end)(struct sc_render *render); /* of each pass */
};

/** sc_render_begins_table() - whether @cell cannot stand in a table with the one before it */
bool sc_render_begins_table(const struct sc_render *render, const struct sc_cell *cell);

/** sc_render_table() - what the survey found out of the table that the current cell is in */
const struct sc_survey_table *sc_render_table(const struct sc_render *render);

/** sc_render_label() - of a setting, without operations a commit: heading or column says those */
void sc_render_label(const struct sc_report_head *head, const struct sc_cell *cell, char *text,
		     size_t text_bytes);

extern const struct sc_writer *const sc_writers[];
extern const size_t sc_writer_count;

/** sc_writer_find() - NULL where there is none */
const struct sc_writer *sc_writer_find(const char *name);
