/* SPDX-License-Identifier: MIT */
#pragma once

/* Sentences and figures that both formats for people share. */

#include "../base/buffer.h"
#include "../model/run.h"

/** sc_run_add_title() - "syncost 0.1.0 run, 2026-01-02T03:04:05.000Z" */
void sc_run_add_title(struct sc_buffer *buffer, const struct sc_run *run);

/** sc_run_add_command() - the words of the command line, quoted where a shell needs it */
void sc_run_add_command(struct sc_buffer *buffer, const struct sc_run *run);

/** sc_run_add_set() - "with PRAGMA synchronous = normal; on 2 connections"; not where set is NULL
 */
void sc_run_add_set(struct sc_buffer *buffer, const struct sc_run *run);

/** sc_run_add_end() - "exit code 0 after 1.20 s, 12 % of a CPU, 2 processes with databases" */
void sc_run_add_end(struct sc_buffer *buffer, const struct sc_run *run);

/** sc_run_database_name() - its path, or what it is instead */
const char *sc_run_database_name(const struct sc_run_database *database);

/** sc_run_add_time() - "in calls: sync 80 %, write 3 % of 1.2 s": where the time in calls went */
void sc_run_add_time(struct sc_buffer *buffer, const struct sc_run *run, uint32_t database);

/** sc_run_add_commits() - "12 commits, 30/s; 4 frames …": commits, WAL, checkpoints, waits */
void sc_run_add_commits(struct sc_buffer *buffer, const struct sc_run *run, uint32_t database);

/** sc_run_add_slow() - one of the slowest commits: when, how long, its split, whose */
void sc_run_add_slow(struct sc_buffer *buffer, const struct sc_run *run,
		     const struct sc_run_commit *commit);

/** sc_run_add_statement() - its costs, then its text */
void sc_run_add_statement(struct sc_buffer *buffer, const struct sc_run_statement *statement);

/* A line of the table of roles; each figure as a text. */
#define SC_RUN_COLUMNS 9
extern const char *const sc_run_columns[SC_RUN_COLUMNS];

struct sc_run_line {
	char cells[SC_RUN_COLUMNS][32];
};

/**
 * sc_run_line() - of one role of a database, or of all: SC_RUN_ALL
 * Return: false where nothing happened to it.
 */
bool sc_run_line(const struct sc_run *run, uint32_t database, uint32_t role,
		 struct sc_run_line *ret_line);

/** sc_run_add_process() - "4711 python3: 12 syncs (30 ms), read 4.0 KiB, written 1.2 MiB" */
void sc_run_add_process(struct sc_buffer *buffer, const struct sc_run_process *process);
