/* SPDX-License-Identifier: MIT */
#pragma once

/* The sentences about a report as a whole that its formats for people share. */

#include "../base/buffer.h"
#include "writer.h"

/** sc_about_add_run() - "syncost 0.1.0 sweep, SQLite 3.40.1, 2026-01-02T03:04:05Z, 6 rounds" */
void sc_about_add_run(struct sc_buffer *buffer, const struct sc_report_head *head);

/** sc_about_add_sampling() - how many samples cells were to get, and what their intervals promise;
 * nothing where the report does not say
 * @out_of_time: some cell got no more samples for want of time */
void sc_about_add_sampling(struct sc_buffer *buffer, const struct sc_report_head *head,
			   bool out_of_time);

/** sc_about_add_host() - "box, Linux 6.1.0, 2 x Some CPU, 3.8 GiB" */
void sc_about_add_host(struct sc_buffer *buffer, const struct sc_report_head *head);

/** sc_about_add_target() - "local: ext4 on vda, write back cache, sync floor 52 µs" */
void sc_about_add_target(struct sc_buffer *buffer, const struct sc_target *target);

/**
 * sc_about_add_group() - "insert_one on local, suite commit, 5000 rows, 100 operations a commit"
 * @with_batch: whether all cells have as many operations a commit
 * @with_rows: whether tables differ by the rows of the dataset
 */
void sc_about_add_group(struct sc_buffer *buffer, const struct sc_cell *cell, bool with_batch,
			bool with_rows);

/** sc_about_loss() - "nothing lost": a class of loss as a heading */
const char *sc_about_loss(enum sc_loss loss);

/** sc_about_add_loss_legend() - what the column "loss" says */
void sc_about_add_loss_legend(struct sc_buffer *buffer, const struct sc_report_head *head);

#define SC_ABOUT_BUSY "busy: attempts a commit that were repeated because of a lock of another."
#define SC_ABOUT_RATE                                                                              \
	"On a schedule (rate=) they are of an operation, from the moment at which it was due."
#define SC_ABOUT_NO_BUSY "Busy retries of the clients: in a wider table, or in the report."
#define SC_ABOUT_BATCH   "batch: operations a commit."
#define SC_ABOUT_STATEMENTS                                                                        \
	"p50 and p99 of a commit of several operations are those of the COMMIT alone, without "    \
	"the "                                                                                     \
	"statements before it: not to be held against commits of one."
#define SC_ABOUT_WAITED                                                                            \
	"bound by …?: its sample waited for a CPU for more than a fifth of its time, so that "   \
	"this "                                                                                    \
	"and the bar are of a busy machine."
#define SC_ABOUT_WAITED_CLIENTS                                                                     \
	"bound by … with several clients: they wait for a CPU for each other too, so that there " \
	"is "                                                                                       \
	"no ?."
#define SC_ABOUT_FLUSH "Promises hold on storage that honours a flush."
