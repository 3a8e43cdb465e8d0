/* SPDX-License-Identifier: MIT */
#include "sweep-options.h"

#include <assert.h>
#include <string.h>

#include "choices.h"
#include "formats.h"

#define PLACE(member) offsetof(struct sc_sweep_config, member)
#define DAY_NS        INT64_C(86400000000000)

/* clang-format off */
static const struct sc_option rows[] = {
	SC_OPTION_HELP_ROW,
	{ "target", 't', SC_OPTION_TEXTS, 0, PLACE(targets), "[LABEL=]DIR", NULL, 0, 0, NULL,
	  "Measure the storage under DIR; give it again for more. The default is the current "
	  "directory." },
	{ "suite", 's', SC_OPTION_TEXTS, 0, PLACE(suites), "NAME|FILE", NULL, 0, 0, NULL,
	  "A suite of workloads: a built-in one, or a JSON file; give it again for more. The "
	  "default is commit." },
	{ "variant", 0, SC_OPTION_TEXTS, 0, PLACE(variants), "NAME", NULL, 0, 0, NULL,
	  "A variant of the suites, such as another schema; base is the suite itself; several with "
	  "commas, or given again. Without it, those of its default sweep." },
	{ "workload", 'w', SC_OPTION_TEXTS, 0, PLACE(workloads), "GLOB", NULL, 0, 0, NULL,
	  "Only the suite's workloads whose name matches; several with commas, or given again. "
	  "Without it, those of its default sweep." },
	{ "journal-mode", 0, SC_OPTION_LIST, SC_OPTION_ENUM, PLACE(journal_mode), "LIST",
	  "delete,wal", 0, 0, &sc_choices_journal_mode,
	  "Journal modes; a suite that sets one replaces the default." },
	{ "synchronous", 0, SC_OPTION_LIST, SC_OPTION_ENUM, PLACE(synchronous), "LIST",
	  "off,normal,full,extra", 0, 0, &sc_choices_synchronous,
	  "Levels of synchronous; a suite that sets one replaces the default." },
	{ "fullfsync", 0, SC_OPTION_LIST, SC_OPTION_ENUM, PLACE(fullfsync), "LIST", NULL, 0, 0,
	  &sc_choices_switch,
	  "Values of the pragma; they cannot differ on Linux, and say so." },
	{ "checkpoint-fullfsync", 0, SC_OPTION_LIST, SC_OPTION_ENUM, PLACE(checkpoint_fullfsync),
	  "LIST", NULL, 0, 0, &sc_choices_switch,
	  "The same for checkpoints." },
	{ "page-size", 0, SC_OPTION_LIST, SC_OPTION_POWER, PLACE(page_size), "LIST", NULL, 512,
	  65536, NULL,
	  "Page sizes in bytes." },
	{ "cache-size", 0, SC_OPTION_LIST, SC_OPTION_PAGES, PLACE(cache_size), "LIST", NULL,
	  INT32_MIN, INT32_MAX, NULL,
	  "Cache sizes as the pragma takes them: pages, or KiB where negative." },
	{ "wal-autocheckpoint", 0, SC_OPTION_LIST, SC_OPTION_COUNT, PLACE(wal_autocheckpoint),
	  "LIST", NULL, 0, INT32_MAX, NULL,
	  "Pages in the WAL that start a checkpoint; 0 for never." },
	{ "locking-mode", 0, SC_OPTION_LIST, SC_OPTION_ENUM, PLACE(locking_mode), "LIST", NULL, 0,
	  0, &sc_choices_locking_mode,
	  "Locking modes." },
	{ "mmap-size", 0, SC_OPTION_LIST, SC_OPTION_SIZE, PLACE(mmap_size), "LIST", NULL, 0,
	  INT64_MAX, NULL,
	  "Bytes of the database that are read through a memory map." },
	{ "rows-per-commit", 0, SC_OPTION_LIST, SC_OPTION_COUNT, PLACE(rows_per_commit), "LIST",
	  NULL, 1, 1000000, NULL,
	  "Operations in one transaction, for workloads that can be cut differently." },
	{ "wal-state", 0, SC_OPTION_LIST, SC_OPTION_ENUM, PLACE(wal_state), "LIST", "recycled", 0,
	  0, &sc_choices_wal_state,
	  "State of the WAL: fresh grows with every sync, recycled overwrites." },
	{ "clients", 0, SC_OPTION_LIST, SC_OPTION_COUNT, PLACE(clients), "LIST", NULL, 1, 1000,
	  NULL,
	  "Processes that run the workload at once on one database; they share its operations." },
	{ "store", 0, SC_OPTION_LIST, SC_OPTION_ENUM, PLACE(store), "LIST", "sqlite", 0, 0,
	  &sc_choices_store,
	  "Where the data is kept: sqlite is a database file; snapshot is memory that each commit "
	  "writes to a new file as a whole." },
	{ "rows", 0, SC_OPTION_LIST, SC_OPTION_COUNT, PLACE(rows), "LIST", NULL, 1, 1000000000,
	  NULL,
	  "Rows of the dataset before the clock starts. Without it, the suite's numbers." },
	{ "scale", 0, SC_OPTION_FACTOR, 0, PLACE(scale), "FACTOR", NULL, 1, 1000000000, NULL,
	  "So many times the rows, those of the suite or of --rows: 0.01 for a hundredth." },
	{ "ops", 0, SC_OPTION_COUNT, 0, PLACE(ops), "N", NULL, 1, 1000000000, NULL,
	  "Operations of each timing sample. Without it, what takes 50 ms, or up to 2 s for 20 "
	  "commits and whole checkpoint cycles." },
	{ "rate", 0, SC_OPTION_COUNT, 0, PLACE(rate), "N", NULL, 1, 10000000, NULL,
	  "Operations due a second, of all clients together, for a second a timing sample; a "
	  "latency begins when its operation was due." },
	{ "precision", 0, SC_OPTION_PERCENT, 0, PLACE(precision), "PERCENT", "5%", 1000, 500000,
	  NULL,
	  "Take timing samples of a cell until neither side of the 95 % interval of its rate is "
	  "wider." },
	{ "time", 0, SC_OPTION_DURATION, 0, PLACE(time), "DURATION", "1m", 1000000, DAY_NS, NULL,
	  "But no more than fit into this time, all cells together; 7 of each are taken anyway." },
	{ "samples", 0, SC_OPTION_COUNT, 0, PLACE(samples), "N", NULL, 1, 1000, NULL,
	  "Just so many timing samples of each cell, instead of --precision and --time; six is the "
	  "fewest that give a 95 % interval." },
	{ "seed", 0, SC_OPTION_COUNT, 0, PLACE(seed), "N", "1", 0, INT64_MAX, NULL,
	  "Seed of the order and of all generated values." },
	{ "timeout", 0, SC_OPTION_DURATION, 0, PLACE(timeout), "DURATION", "10m", 1000000,
	  DAY_NS, NULL,
	  "A sample that takes longer is stopped and its cell fails." },
	{ "host-label", 0, SC_OPTION_TEXT, 0, PLACE(host_label), "TEXT", NULL, 0, 0, NULL,
	  "What the report calls this machine. Without it, its host name." },
	{ "out", 'o', SC_OPTION_PATH, 0, PLACE(out), "DIR", NULL, 0, 0, NULL,
	  "The report folder; it must be empty or not exist. Without it, a new one under "
	  "./syncost-reports." },
	{ "resume", 0, SC_OPTION_PATH, 0, PLACE(resume), "DIR", NULL, 0, 0, NULL,
	  "Go on with the interrupted sweep whose report is in DIR: same plan, what is missing is "
	  "measured." },
	{ "like", 0, SC_OPTION_PATH, 0, PLACE(like), "REPORT", NULL, 0, 0, NULL,
	  "Measure as that report did: same options, seed, rows and operations; other options "
	  "given take the place of its own." },
	{ "format", 'f', SC_OPTION_ENUM, 0, PLACE(format), "FORMAT", "table", 0, 0,
	  &sc_choices_format,
	  "What is printed at the end. In the table, * marks an interval wider than --precision." },
	{ "dry-run", 0, SC_OPTION_FLAG, 0, PLACE(dry_run), NULL, NULL, 0, 0, NULL,
	  "Print the plan with an estimate of the time, and run nothing." },
	{ "list-suites", 0, SC_OPTION_FLAG, 0, PLACE(list_suites), NULL, NULL, 0, 0, NULL,
	  "Print the built-in suites and their workloads." },
	{ "quiet", 'q', SC_OPTION_FLAG, 0, PLACE(quiet), NULL, NULL, 0, 0, NULL,
	  "No progress and no introduction." },
};
/* clang-format on */

const struct sc_option_table sc_sweep_options = {rows, SC_ARRAY_COUNT(rows)};

/* "journal-mode" is the option of the field "journal_mode". */
static bool same_words(const char *option, const char *field)
{
	while (*option && (*option == *field || (*option == '-' && *field == '_'))) {
		option++;
		field++;
	}
	return *option == *field;
}

const struct sc_option_numbers *sc_sweep_list(const struct sc_sweep_config *config,
					      const struct sc_setting_field *field)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(rows); i++)
		if (same_words(rows[i].name, field->name))
			return (const void *)((const char *)config + rows[i].offset);
	assert(false && "each field of a setting has an option");
	return NULL;
}
