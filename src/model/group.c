/* SPDX-License-Identifier: MIT */

/*
 * A cell joins the first group whose key it fits. A report has few groups, most often one after
 * the other, so the last one is tried first: O(cells) then, O(cells * groups) at worst.
 */

#include "group.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "store.h"

bool sc_group_shares_table(const struct sc_cell *a, const struct sc_cell *b)
{
	return strcmp(a->target, b->target) == 0 && strcmp(a->suite, b->suite) == 0 &&
	       strcmp(a->workload, b->workload) == 0 && strcmp(a->device, b->device) == 0 &&
	       strcmp(a->clock, b->clock) == 0 && a->clients == b->clients && a->rows == b->rows &&
	       a->rate == b->rate;
}

bool sc_group_is_same(const struct sc_cell *a, const struct sc_cell *b)
{
	return sc_group_shares_table(a, b) && strcmp(a->store, b->store) == 0 &&
	       strcmp(a->layers, b->layers) == 0 &&
	       a->setting.rows_per_commit == b->setting.rows_per_commit;
}

static struct sc_group *find_group(struct sc_groups *groups, const struct sc_cell *cell)
{
	for (size_t i = groups->count; i > 0; i--) {
		if (sc_group_is_same(groups->items[i - 1].key, cell))
			return &groups->items[i - 1];
	}
	return NULL;
}

static struct sc_group *add_group(struct sc_groups *groups, const struct sc_cell *cell)
{
	struct sc_group *items = realloc(groups->items, (groups->count + 1) * sizeof(*items));

	if (!items)
		return NULL;
	groups->items = items;
	items[groups->count] = (struct sc_group){.key = cell};
	return &items[groups->count++];
}

/* Room doubles, so that a group of n costs O(n). */
static int add_member(struct sc_group *group, const struct sc_cell *cell)
{
	size_t n = group->member_count;

	if ((n & (n - 1)) == 0) {
		const struct sc_cell **members;

		/* NOLINTNEXTLINE(bugprone-sizeof-expression): it is an array of pointers */
		members = reallocarray(group->members, n ? 2 * n : 1, sizeof(*members));
		if (!members)
			return -ENOMEM;
		group->members = members;
	}
	group->members[group->member_count++] = cell;
	return 0;
}

int sc_groups_of(const struct sc_cell *cells, size_t cell_count, struct sc_groups *ret_groups)
{
	SC_CLEANUP(sc_groups_fini) struct sc_groups groups = {0};

	for (size_t i = 0; i < cell_count; i++) {
		struct sc_group *group = find_group(&groups, &cells[i]);

		if (!group)
			group = add_group(&groups, &cells[i]);
		if (!group || add_member(group, &cells[i]) < 0)
			return -ENOMEM;
	}
	*ret_groups = groups;
	groups = (struct sc_groups){0};
	return 0;
}

void sc_groups_fini(struct sc_groups *groups)
{
	for (size_t i = 0; i < groups->count; i++)
		free(groups->items[i].members);
	free(groups->items);
	*groups = (struct sc_groups){0};
}

static bool has_rate(const struct sc_cell *cell)
{
	return cell->status == SC_MEASURED && !cell->same_as &&
	       cell->ops_per_s.status == SC_MEASURED;
}

static bool is_fresh(const struct sc_cell *cell)
{
	return cell->uses_wal_state && cell->wal_state == SC_WAL_FRESH;
}

bool sc_group_takes_part(const struct sc_group *group, const struct sc_cell *member)
{
	if (!has_rate(member))
		return false;
	if (!is_fresh(member))
		return true;
	for (size_t i = 0; i < group->member_count; i++) {
		const struct sc_cell *other = group->members[i];

		if (other->uses_wal_state && other->wal_state == SC_WAL_RECYCLED && has_rate(other))
			return false;
	}
	return true;
}

bool sc_group_commits(const struct sc_group *group)
{
	for (size_t i = 0; i < group->member_count; i++) {
		if (group->members[i]->commits_per_s.status == SC_MEASURED)
			return true;
	}
	return false;
}

const char *sc_groups_name(const struct sc_groups *groups, const struct sc_group *group,
			   char text[SC_GROUP_NAME_BYTES])
{
	const struct sc_cell *key = group->key;
	bool has_suites = false, has_clients = false, has_rows = false, has_stores = false;
	char clients[32] = "", rows[40] = "", store[32] = "";

	for (size_t i = 0; i < groups->count; i++) {
		const struct sc_cell *other = groups->items[i].key;

		has_suites = has_suites || strcmp(other->suite, key->suite) != 0;
		has_clients = has_clients || other->clients != key->clients;
		has_rows = has_rows ||
			   (other->rows != key->rows && strcmp(other->suite, key->suite) == 0);
		has_stores = has_stores || strcmp(other->store, key->store) != 0;
	}
	if (has_stores && sc_store_is(key->store, SC_STORE_SNAPSHOT))
		(void)snprintf(store, sizeof(store), ", store %s", key->store);
	if (has_clients)
		(void)snprintf(clients, sizeof(clients), ", %u client%s", key->clients,
			       key->clients == 1 ? "" : "s");
	if (has_rows)
		(void)snprintf(rows, sizeof(rows), ", %" PRIu64 " rows", key->rows);
	(void)snprintf(text, SC_GROUP_NAME_BYTES, "%s%s%s%s%s%s", has_suites ? key->suite : "",
		       has_suites ? "/" : "", key->workload, rows, clients, store);
	return text;
}
