/* SPDX-License-Identifier: MIT */

/*
 * The promises, as rules in order; the first that fits speaks. Each rule names the sets of journal
 * modes, levels and locking modes it covers, so that the table reads as SQLite's documentation:
 *
 *  - synchronous OFF and journals MEMORY and OFF promise nothing. The difference: with OFF a power
 *    cut is needed, with MEMORY and OFF journals a killed process in mid-commit is enough.
 *  - WAL: each commit is synced at FULL and EXTRA; at NORMAL only checkpoints are.
 *  - Rollback journals end a transaction by deleting, truncating or zeroing the journal. At FULL
 *    truncation and zeroing are synced; the deletion is synced only at EXTRA (the directory).
 *    Locking EXCLUSIVE zeroes where it would delete.
 *  - At NORMAL the journal's content and its record count are synced together; a lost record can
 *    pass its sparse checksum and be played back.
 */

#include "promise.h"

#include <assert.h>

#define BIT(value)  (1u << (value))
#define ANY_LOCKING (BIT(SC_LOCKING_NORMAL) | BIT(SC_LOCKING_EXCLUSIVE))
#define ANY_LEVEL                                                                                  \
	(BIT(SC_SYNCHRONOUS_OFF) | BIT(SC_SYNCHRONOUS_NORMAL) | BIT(SC_SYNCHRONOUS_FULL) |         \
	 BIT(SC_SYNCHRONOUS_EXTRA))
#define FULL_OR_EXTRA (BIT(SC_SYNCHRONOUS_FULL) | BIT(SC_SYNCHRONOUS_EXTRA))
#define ROLLBACK      (BIT(SC_JOURNAL_DELETE) | BIT(SC_JOURNAL_TRUNCATE) | BIT(SC_JOURNAL_PERSIST))
#define ANY_JOURNAL   (ROLLBACK | BIT(SC_JOURNAL_MEMORY) | BIT(SC_JOURNAL_WAL) | BIT(SC_JOURNAL_OFF))

struct rule {
	unsigned int journals, levels, lockings; /* bit sets of what the rule covers */
	struct sc_promise promise;
};

/* clang-format off */
static const struct rule rules[] = {
	{ BIT(SC_JOURNAL_MEMORY) | BIT(SC_JOURNAL_OFF), ANY_LEVEL, ANY_LOCKING,
	  { SC_LOSS_ANY, SC_CORRUPTION_YES,
	    "a power cut, or a process killed in mid-commit, can corrupt the database" } },
	{ ANY_JOURNAL, BIT(SC_SYNCHRONOUS_OFF), ANY_LOCKING,
	  { SC_LOSS_ANY, SC_CORRUPTION_YES,
	    "a power cut can take any commit and can corrupt the database" } },
	{ BIT(SC_JOURNAL_WAL), FULL_OR_EXTRA, ANY_LOCKING,
	  { SC_LOSS_NONE, SC_CORRUPTION_NO,
	    "a power cut takes no acknowledged commit and never corrupts" } },
	{ BIT(SC_JOURNAL_WAL), BIT(SC_SYNCHRONOUS_NORMAL), ANY_LOCKING,
	  { SC_LOSS_SUFFIX, SC_CORRUPTION_NO,
	    "a power cut can take the commits since the last checkpoint; never corrupts" } },
	{ ROLLBACK, BIT(SC_SYNCHRONOUS_NORMAL), ANY_LOCKING,
	  { SC_LOSS_LAST, SC_CORRUPTION_RARE,
	    "a power cut can take the last commit, and at a few percent of moments corrupt the "
	    "database where the storage reorders writes" } },
	{ BIT(SC_JOURNAL_DELETE), BIT(SC_SYNCHRONOUS_FULL), BIT(SC_LOCKING_NORMAL),
	  { SC_LOSS_LAST, SC_CORRUPTION_NO,
	    "a power cut can take at most the last commit (the journal's unlink is not synced); "
	    "never corrupts" } },
	{ ROLLBACK, FULL_OR_EXTRA, ANY_LOCKING,
	  { SC_LOSS_NONE, SC_CORRUPTION_NO,
	    "a power cut takes no acknowledged commit and never corrupts" } },
};
/* clang-format on */

struct sc_promise sc_promise_of(const struct sc_setting *setting)
{
	const size_t rule_count = sizeof(rules) / sizeof(*rules);
	size_t i;

	for (i = 0; i < rule_count; i++) {
		if ((rules[i].journals & BIT(setting->journal_mode)) &&
		    (rules[i].levels & BIT(setting->synchronous)) &&
		    (rules[i].lockings & BIT(setting->locking_mode)))
			break;
	}
	assert(i < rule_count); /* the rules cover every setting; a test walks them all */
	return rules[i].promise;
}

/* Without the file's sync its new name can reach the disk before its content. */
static const struct sc_promise snapshot_off = {
	SC_LOSS_ANY, SC_CORRUPTION_YES,
	"a power cut can take any commit and can leave a file without its content"};
static const struct sc_promise snapshot_synced = {
	SC_LOSS_NONE, SC_CORRUPTION_NO,
	"a power cut takes no acknowledged commit and never corrupts"};

/* Lost as a whole, so there is nothing left that could be corrupt. */
static const struct sc_promise in_memory = {
	SC_LOSS_ALL, SC_CORRUPTION_NO,
	"the database is in memory, and all of it is lost with its process"};

struct sc_promise sc_promise_in(const char *store, const struct sc_setting *setting)
{
	if (sc_store_is(store, SC_STORE_MEMORY))
		return in_memory;
	if (!sc_store_is(store, SC_STORE_SNAPSHOT))
		return sc_promise_of(setting);
	return setting->synchronous == SC_SYNCHRONOUS_OFF ? snapshot_off : snapshot_synced;
}

static const char *const loss_names[] = {
	[SC_LOSS_NONE] = "none", [SC_LOSS_LAST] = "last", [SC_LOSS_SUFFIX] = "suffix",
	[SC_LOSS_ANY] = "any",   [SC_LOSS_ALL] = "all",
};

static_assert(sizeof(loss_names) / sizeof(*loss_names) == SC_LOSS_COUNT_, "a name each");

const char *sc_loss_name(enum sc_loss loss)
{
	assert(loss < SC_LOSS_COUNT_);
	return loss_names[loss];
}

static const char *const corruption_names[] = {
	[SC_CORRUPTION_NO] = "no",
	[SC_CORRUPTION_RARE] = "rare",
	[SC_CORRUPTION_YES] = "yes",
};

static_assert(sizeof(corruption_names) / sizeof(*corruption_names) == SC_CORRUPTION_COUNT_,
	      "a name each");

const char *sc_corruption_name(enum sc_corruption corruption)
{
	assert(corruption < SC_CORRUPTION_COUNT_);
	return corruption_names[corruption];
}
