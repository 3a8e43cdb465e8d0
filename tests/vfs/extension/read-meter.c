/* SPDX-License-Identifier: MIT */

/*
 * Prints what the C API reads in another process's meter, a row of the ledger a line:
 * path|role|op|calls|failures|bytes|timed|ns|ns_max. Argument: the meter's file.
 */

#include <stdio.h>
#include <string.h>

#include "syncost.h"

int main(int argc, char **argv)
{
	struct syncost_snapshot *snapshot = NULL;
	int r = argc == 2 ? syncost_snapshot_read(argv[1], &snapshot) : -1;

	if (r < 0) {
		(void)fprintf(stderr, "read-meter: %s\n", strerror(-r));
		return 1;
	}
	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		printf("%s|%s|%s|%llu|%llu|%llu|%llu|%llu|%llu\n",
		       snapshot->databases[row->database].path, syncost_role_name(row->role),
		       syncost_op_info(row->op)->name, (unsigned long long)row->calls,
		       (unsigned long long)row->failures, (unsigned long long)row->bytes,
		       (unsigned long long)row->timed, (unsigned long long)row->ns,
		       (unsigned long long)row->ns_max);
	}
	syncost_snapshot_free(snapshot);
	return 0;
}
