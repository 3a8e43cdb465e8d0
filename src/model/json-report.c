/* SPDX-License-Identifier: MIT */

/* The tables of summary.json. */

#include "json-report.h"

#define TABLE(name, rows) const struct sc_json_fields name = {rows, SC_ARRAY_COUNT(rows)}

/* clang-format off */
static const struct sc_json_field host_fields[] = {
	{ "label",        SC_JSON_TEXT, offsetof(struct sc_report_head, host_label) },
	{ "kernel",       SC_JSON_TEXT, offsetof(struct sc_report_head, kernel) },
	{ "cpu",          SC_JSON_TEXT, offsetof(struct sc_report_head, cpu) },
	{ "cpu_count",    SC_JSON_U32,  offsetof(struct sc_report_head, cpu_count) },
	{ "memory_bytes", SC_JSON_U64,  offsetof(struct sc_report_head, memory_bytes) },
};

static const struct sc_json_field cell_name_fields[] = {
	{ "id",       SC_JSON_TEXT, offsetof(struct sc_cell, id) },
	{ "target",   SC_JSON_TEXT, offsetof(struct sc_cell, target) },
	{ "suite",    SC_JSON_TEXT, offsetof(struct sc_cell, suite) },
	{ "workload", SC_JSON_TEXT, offsetof(struct sc_cell, workload) },
	{ "unit",     SC_JSON_TEXT, offsetof(struct sc_cell, unit) },
	{ "store",    SC_JSON_TEXT, offsetof(struct sc_cell, store) },
	{ "clients",  SC_JSON_U32,  offsetof(struct sc_cell, clients) },
	{ "device",   SC_JSON_TEXT, offsetof(struct sc_cell, device) },
	{ "clock",    SC_JSON_TEXT, offsetof(struct sc_cell, clock) },
	{ "layers",   SC_JSON_TEXT, offsetof(struct sc_cell, layers) },
	{ "rows",     SC_JSON_U64,  offsetof(struct sc_cell, rows) },
	{ "seed",     SC_JSON_U64,  offsetof(struct sc_cell, seed) },
};

static const struct sc_json_field space_fields[] = {
	{ "payload_bytes",   SC_JSON_U64, offsetof(struct sc_space, payload_bytes) },
	{ "database_bytes",  SC_JSON_U64, offsetof(struct sc_space, database_bytes) },
	{ "wal_bytes",       SC_JSON_U64, offsetof(struct sc_space, wal_bytes) },
	{ "journal_bytes",   SC_JSON_U64, offsetof(struct sc_space, journal_bytes) },
	{ "shm_bytes",       SC_JSON_U64, offsetof(struct sc_space, shm_bytes) },
	{ "total_bytes",     SC_JSON_U64, offsetof(struct sc_space, total_bytes) },
	{ "allocated_bytes", SC_JSON_U64, offsetof(struct sc_space, allocated_bytes) },
};

static const struct sc_json_field ledger_space_fields[] = {
	{ "wal_bytes_max",     SC_JSON_U64, offsetof(struct sc_space, wal_bytes_max) },
	{ "journal_bytes_max", SC_JSON_U64, offsetof(struct sc_space, journal_bytes_max) },
	{ "total_bytes_max",   SC_JSON_U64, offsetof(struct sc_space, total_bytes_max) },
};

static const struct sc_json_field syncs_fields[] = {
	{ "vfs",      SC_JSON_U64, offsetof(struct sc_syncs, vfs) },
	{ "withheld", SC_JSON_U64, offsetof(struct sc_syncs, withheld) },
	{ "omitted",  SC_JSON_U64, offsetof(struct sc_syncs, omitted) },
};

static const struct sc_json_field physical_fields[] = {
	{ "directory", SC_JSON_U64, offsetof(struct sc_syncs, directory) },
	{ "physical",  SC_JSON_U64, offsetof(struct sc_syncs, physical) },
	{ "fsync",     SC_JSON_U64, offsetof(struct sc_syncs, fsync) },
	{ "fdatasync", SC_JSON_U64, offsetof(struct sc_syncs, fdatasync) },
};

static const struct sc_json_field checkpoints_fields[] = {
	{ "count",  SC_JSON_U64, offsetof(struct sc_checkpoints, count) },
	{ "frames", SC_JSON_U64, offsetof(struct sc_checkpoints, frames) },
	{ "ns",     SC_JSON_U64, offsetof(struct sc_checkpoints, ns) },
	{ "resets", SC_JSON_U64, offsetof(struct sc_checkpoints, resets) },
};

static const struct sc_json_field sample_fields[] = {
	{ "round",      SC_JSON_U32, offsetof(struct sc_cell_sample, round) },
	{ "wall_ns",    SC_JSON_U64, offsetof(struct sc_cell_sample, wall_ns) },
	{ "cpu_ns",     SC_JSON_U64, offsetof(struct sc_cell_sample, cpu_ns) },
	{ "operations", SC_JSON_U64, offsetof(struct sc_cell_sample, operations) },
	{ "commits",    SC_JSON_U64, offsetof(struct sc_cell_sample, commits) },
};

const struct sc_report_axis sc_report_axes[SC_REPORT_AXES] = {
	{ "split_ns",            offsetof(struct sc_split, wall_ns) },
	{ "split_cpu_ns",        offsetof(struct sc_split, cpu_ns) },
	{ "split_cpu_n",         offsetof(struct sc_split, cpu_n) },
	{ "split_run_delay_ns",  offsetof(struct sc_split, run_delay_ns) },
	{ "split_checkpoint_ns", offsetof(struct sc_split, checkpoint_ns) },
};
/* clang-format on */

TABLE(sc_report_host_fields, host_fields);
TABLE(sc_report_cell_name_fields, cell_name_fields);
TABLE(sc_report_space_fields, space_fields);
TABLE(sc_report_ledger_space_fields, ledger_space_fields);
TABLE(sc_report_syncs_fields, syncs_fields);
TABLE(sc_report_physical_fields, physical_fields);
TABLE(sc_report_checkpoints_fields, checkpoints_fields);
TABLE(sc_report_sample_fields, sample_fields);
