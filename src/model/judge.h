/* SPDX-License-Identifier: MIT */
#pragma once

/* Judging a report, inside: what judge.c puts together. All return 0 or -ENOMEM. */

#include "group.h"

/** sc_judge_speed() - per group that commits: what is faster than the default, and where a commit
 * goes */
int sc_judge_speed(struct sc_report_head *head, const struct sc_groups *groups);

/** sc_judge_loss() - per target: what a power cut can take of each setting that was measured */
int sc_judge_loss(struct sc_report_head *head, const struct sc_groups *groups);

/** sc_judge_growth() - per workload that was measured with several numbers of rows: how it grows */
int sc_judge_growth(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count);

/** sc_judge_memory() - per workload of the suites that ask for it: that memory in use does not grow
 */
int sc_judge_memory(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count);

/** sc_judge_hidden_syncs() - syncs of directories a commit, for each setting with a rollback
 * journal */
int sc_judge_hidden_syncs(struct sc_report_head *head, const struct sc_cell *cells,
			  size_t cell_count);

/** sc_judge_target() - what the storage of @target means for its figures: its own findings */
int sc_judge_target(struct sc_target *target);

/** sc_judge_build() - what the SQLite that was measured is */
int sc_judge_build(struct sc_report_head *head, const struct sc_cell *cells, size_t cell_count);

/** sc_recommend() - @head's recommendations, which must be empty */
int sc_recommend(struct sc_report_head *head, const struct sc_groups *groups);

/** sc_target_is_memory() - whether a sync buys nothing there */
bool sc_target_is_memory(const struct sc_target *target);

/** sc_cell_on_memory() - the same of a cell's target; false where the head does not list it */
bool sc_cell_on_memory(const struct sc_report_head *head, const struct sc_cell *cell);

/** sc_cell_in_memory() - whether a power cut takes all of it: such a target, or SQLite's memory */
bool sc_cell_in_memory(const struct sc_report_head *head, const struct sc_cell *cell);

/** sc_count_changes() - how many pragmas of @setting are not as SQLite's defaults */
unsigned int sc_count_changes(const struct sc_setting *setting);

/** sc_groups_see_target() - whether a group before @index is of the same target */
bool sc_groups_see_target(const struct sc_groups *groups, size_t index);

/** sc_head_target() - the target of a cell, NULL where the head does not list it */
const struct sc_target *sc_head_target(const struct sc_report_head *head, const char *label);

/** sc_version_has_wal_reset_bug() - @version: "3.40.1" */
bool sc_version_has_wal_reset_bug(const char *version);

/**
 * sc_factor_between() - how much faster @cell is than @base, in operations per second
 * @ret_factor: the median of the ratios round by round and its interval; `converged` where the
 *              rounds suffice for it; SC_SKIPPED where they have no round in common
 */
int sc_factor_between(const struct sc_cell *cell, const struct sc_cell *base,
		      struct sc_interval *ret_factor);
