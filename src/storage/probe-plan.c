/* SPDX-License-Identifier: MIT */

/*
 * Which rows a probe has. Main rows stand on the screen and are all that a quick probe measures;
 * the others are in the JSON alone.
 */

#include "probe.h"

#include <errno.h>
#include <inttypes.h>

#include "probe-journal.h"

#define PAGE  4096u
#define FRAME 4120u /* of a WAL: a page and its header */
#define BLOCK 8192u /* of PostgreSQL, whose pg_test_fsync overwrites one */
#define LARGE 65536u
#define PAUSE 10000000u

static int add(struct sc_probe *probe, const struct sc_probe_row *row)
{
	struct sc_probe_row *rows =
		reallocarray(probe->rows, probe->row_count + 1, sizeof(*probe->rows));

	if (!rows)
		return -ENOMEM;
	probe->rows = rows;
	probe->rows[probe->row_count] = *row;
	probe->rows[probe->row_count].status = SC_SKIPPED;
	(void)snprintf(probe->rows[probe->row_count].reason, sizeof(row->reason),
		       "it was not reached");
	probe->row_count++;
	return 0;
}

static int add_methods(struct sc_probe *probe, bool is_quick)
{
	static const uint64_t sizes[] = {PAGE, FRAME, BLOCK, LARGE};

	for (int state = SC_PROBE_OVERWRITE; state <= SC_PROBE_FALLOCATED; state++) {
		for (size_t size = 0; size < SC_ARRAY_COUNT(sizes); size++) {
			for (int method = 0; method < SC_PROBE_METHOD_COUNT_; method++) {
				bool is_first = method == SC_PROBE_FDATASYNC;
				struct sc_probe_row row = {
					.group = SC_PROBE_METHODS,
					.state = (enum sc_probe_state)state,
					.method = (enum sc_probe_method)method,
					.bytes = sizes[size],
					.pages = 1,
					.writers = 1,
					.is_main =
						sizes[size] == PAGE
							? state == SC_PROBE_OVERWRITE || is_first
							: is_first && state != SC_PROBE_FALLOCATED,
				};

				if ((is_quick && !row.is_main) ||
				    (row.bytes == BLOCK && state != SC_PROBE_OVERWRITE))
					continue;
				(void)snprintf(row.key, sizeof(row.key), "%s/%" PRIu64 "/%s",
					       sc_probe_state_name(row.state), row.bytes,
					       sc_probe_method_name(row.method));
				if (add(probe, &row) < 0)
					return -ENOMEM;
			}
		}
	}
	return 0;
}

static int add_files(struct sc_probe *probe)
{
	for (int state = SC_PROBE_CREATE; state <= SC_PROBE_CLEAN_FOLDER; state++) {
		struct sc_probe_row row = {
			.group = SC_PROBE_FILES,
			.state = (enum sc_probe_state)state,
			.method = SC_PROBE_FDATASYNC,
			.bytes = PAGE,
			.pages = 1,
			.writers = 1,
			.is_main = true,
		};

		(void)snprintf(row.key, sizeof(row.key), "files/%s",
			       sc_probe_state_name(row.state));
		if (add(probe, &row) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_pages(struct sc_probe *probe, bool is_quick)
{
	static const uint32_t counts[] = {2, 8, 32, 100};

	for (size_t i = 0; i < 2 * SC_ARRAY_COUNT(counts); i++) {
		struct sc_probe_row row = {
			.group = SC_PROBE_PAGES,
			.state = SC_PROBE_OVERWRITE,
			.method = SC_PROBE_FDATASYNC,
			.bytes = PAGE,
			.pages = counts[i / 2],
			.is_spread = i % 2,
			.writers = 1,
			.is_main = counts[i / 2] == 100,
		};

		if (is_quick && !row.is_main)
			continue;
		(void)snprintf(row.key, sizeof(row.key), "pages/%u/%s", (unsigned int)row.pages,
			       row.is_spread ? "spread" : "together");
		if (add(probe, &row) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_writers(struct sc_probe *probe, bool is_quick)
{
	static const uint32_t counts[] = {1, 2, 4, 8, 16};

	for (size_t i = 0; i < SC_ARRAY_COUNT(counts); i++) {
		struct sc_probe_row row = {
			.group = SC_PROBE_WRITERS,
			.state = SC_PROBE_OVERWRITE,
			.method = SC_PROBE_FDATASYNC,
			.bytes = PAGE,
			.pages = 1,
			.writers = counts[i],
			.is_main = counts[i] == 4 || counts[i] == 16,
		};

		if (is_quick && !row.is_main)
			continue;
		(void)snprintf(row.key, sizeof(row.key), "writers/%u", (unsigned int)row.writers);
		if (add(probe, &row) < 0)
			return -ENOMEM;
	}
	return 0;
}

static int add_paced(struct sc_probe *probe)
{
	struct sc_probe_row row = {
		.key = "paced/10ms",
		.group = SC_PROBE_PACED,
		.state = SC_PROBE_OVERWRITE,
		.method = SC_PROBE_FDATASYNC,
		.bytes = PAGE,
		.pages = 1,
		.writers = 1,
		.pause_ns = PAUSE,
		.is_main = true,
	};

	return add(probe, &row);
}

static int add_journals(struct sc_probe *probe)
{
	const char *name;

	for (size_t i = 0; (name = sc_probe_journal_name(i)); i++) {
		struct sc_probe_row row = {
			.group = SC_PROBE_JOURNAL,
			.state = SC_PROBE_TRANSACTION,
			.method = SC_PROBE_FDATASYNC,
			.bytes = PAGE,
			.pages = 1,
			.writers = 1,
			.journal = name,
			.is_main = true,
		};

		(void)snprintf(row.key, sizeof(row.key), "journal/%s", name);
		if (add(probe, &row) < 0)
			return -ENOMEM;
	}
	return 0;
}

int sc_probe_plan(bool is_quick, struct sc_probe *probe, struct sc_error *error)
{
	int r = add_methods(probe, is_quick);

	if (r == 0)
		r = add_files(probe);
	if (r == 0)
		r = add_pages(probe, is_quick);
	if (r == 0)
		r = add_writers(probe, is_quick);
	if (r == 0)
		r = add_paced(probe);
	if (r == 0)
		r = add_journals(probe);
	return r < 0 ? sc_fail(error, r, "planning a probe") : 0;
}
