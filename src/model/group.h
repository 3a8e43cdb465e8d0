/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * Groups: the cells that differ only in their settings and WAL state, and so can be compared.
 */

#include "report.h"

struct sc_group {
	const struct sc_cell *key; /* its first cell; borrowed, as the members */
	const struct sc_cell **members;
	size_t member_count;
};

struct sc_groups {
	struct sc_group *items; /* in order of their first cells */
	size_t count;
};

/** sc_group_is_same() - whether two cells are of one group */
bool sc_group_is_same(const struct sc_cell *a, const struct sc_cell *b);

/**
 * sc_group_shares_table() - whether two cells are read side by side: the same work on the same
 * target, whatever number of operations a commit has and whatever store keeps it
 */
bool sc_group_shares_table(const struct sc_cell *a, const struct sc_cell *b);

/** sc_groups_of() - every cell in exactly one group. Return: 0 or -ENOMEM; end with fini. */
int sc_groups_of(const struct sc_cell *cells, size_t cell_count, struct sc_groups *ret_groups);
void sc_groups_fini(struct sc_groups *groups);

/**
 * sc_group_takes_part() - whether a member's rate can be compared with others of its group
 *
 * Measured, not a copy; a fresh WAL only where the group has no recycled one.
 */
bool sc_group_takes_part(const struct sc_group *group, const struct sc_cell *member);

/**
 * sc_groups_name() - "insert_one", and what else tells it apart in this report: with several suites
 * "commit/insert_one", with several numbers of clients "insert_one, 4 clients"
 */
#define SC_GROUP_NAME_BYTES 240u
const char *sc_groups_name(const struct sc_groups *groups, const struct sc_group *group,
			   char text[SC_GROUP_NAME_BYTES]);

/** sc_group_commits() - whether its operations commit: some member has a rate of commits */
bool sc_group_commits(const struct sc_group *group);
