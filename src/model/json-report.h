/* SPDX-License-Identifier: MIT */
#pragma once

/*
 * summary.json, format "syncost-report-1": what its writer and its reader share.
 *
 *	{"format":"syncost-report-1","kind":"sweep",      first line
 *	"tool":{…},                                       one line a key
 *	…
 *	"targets":[                                       one line an element
 *	{…}
 *	],
 *	"cells":[                                         the head ends here
 *	{…},                                              one line a cell
 *	{…}
 *	]}                                                nothing follows
 *
 * It is JSON as a whole; a reader that goes by lines holds one cell at a time. Plain figures are
 * rows of the tables below, walked by writer and reader alike. Every key is described in
 * syncost-report(5), which a test compares with what is written.
 */

#include "json-sample.h"
#include "report.h"

#define SC_REPORT_FORMAT         "syncost-report-1"
#define SC_REPORT_FORMAT_FAMILY  "syncost-report-" /* of any version */
#define SC_REPORT_CELLS_LINE     "\"cells\":["
#define SC_REPORT_END_LINE       "]}"
#define SC_REPORT_LINE_BYTES_MAX (64u << 20) /* a cell takes kilobytes; more is not a report */

#define SC_REPORT_NO_LEDGER "no ledger sample was run"
#define SC_REPORT_NO_COMMIT "the workload does not commit"

struct sc_json_fields { /* a table and its length */
	const struct sc_json_field *rows;
	size_t count;
};

extern const struct sc_json_fields sc_report_host_fields;         /* of sc_report_head */
extern const struct sc_json_fields sc_report_cell_name_fields;    /* of sc_cell: what it is */
extern const struct sc_json_fields sc_report_space_fields;        /* of sc_space */
extern const struct sc_json_fields sc_report_ledger_space_fields; /* of sc_space, ledger alone */
extern const struct sc_json_fields sc_report_syncs_fields;        /* of sc_syncs */
extern const struct sc_json_fields sc_report_physical_fields;     /* of sc_syncs, the tap alone */
extern const struct sc_json_fields sc_report_checkpoints_fields;  /* of sc_checkpoints */
extern const struct sc_json_fields sc_report_sample_fields;       /* of sc_cell_sample */

/* The axes of the split: an array each, by part. */
struct sc_report_axis {
	const char *key;
	size_t offset; /* in sc_split, of uint64_t[SC_PART_COUNT_] */
};

#define SC_REPORT_AXES 5
extern const struct sc_report_axis sc_report_axes[SC_REPORT_AXES]; /* the wall axis first */

/* Whether the figures of a kind of sample are there. */
static inline bool sc_report_has_timing(const struct sc_cell *cell)
{
	return cell->ops_per_s.status == SC_MEASURED;
}

static inline bool sc_report_has_ledger(const struct sc_cell *cell)
{
	return cell->ledger_ops > 0;
}
