/* SPDX-License-Identifier: MIT */

/*
 * Findings. A row is the name, the severity and one format: the sentence, a separator, the next
 * step, so that both take their arguments from one list in the order in which they are read.
 * Rendering goes through one buffer of the two texts' size; what is longer is cut.
 */

#include "finding.h"

#include <assert.h>
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <string.h>

#define NEXT "\x1e" /* between the sentence and the next step; no argument contains it */

#define GROWTH                                                                                     \
	"%s under %s %s%s: from %s to %s rows an operation takes %s steps of SQLite (%s), asks "   \
	"for %s pages (%s)%s%s" NEXT "%s"

struct row {
	const char *name;
	enum sc_severity severity;
	const char *format;
};

/* Of any run of this build, not of these figures. */
static const enum sc_finding_code general[] = {
	SC_FINDING_SYNC_CALL,    SC_FINDING_DEFAULT_SYNCHRONOUS, SC_FINDING_SAME_SETTINGS,
	SC_FINDING_HIDDEN_SYNCS, SC_FINDING_WAL_RESET_BUG,
};

/* clang-format off */
static const struct row rows[] = {
	[SC_FINDING_SPEEDUP] = { "speedup", SC_SEVERITY_NOTE,
		"%s is %s %s %s (%s, %s)"
		NEXT "%s" },
	[SC_FINDING_WHERE_COMMIT_GOES] = { "where-a-commit-goes", SC_SEVERITY_NOTE,
		"%s of a %s commit %s (%s) is %s"
		NEXT "%s" },
	[SC_FINDING_SYNC_BUYS_NOTHING] = { "sync-buys-nothing", SC_SEVERITY_WARNING,
		"target %s is on %s: a sync there is free and buys nothing, a power cut takes everything"
		NEXT "name a directory on real storage" },
	[SC_FINDING_SYNC_CALL] = { "sync-call", SC_SEVERITY_NOTE,
		"this SQLite syncs with %s, %s"
		NEXT "compare rates only between builds that use the same call" },
	[SC_FINDING_DEFAULT_SYNCHRONOUS] = { "default-synchronous", SC_SEVERITY_NOTE,
		"this SQLite was built with default synchronous %s, and %s for WAL"
		NEXT "set PRAGMA synchronous on each connection: another build may have another "
		"default" },
	[SC_FINDING_SAME_SETTINGS] = { "same-settings", SC_SEVERITY_NOTE,
		"%zu of %zu cells cannot differ from another and carr%s its figures: %s"
		NEXT "" },
	[SC_FINDING_HIDDEN_SYNCS] = { "hidden-syncs", SC_SEVERITY_NOTE,
		"%s %s on the directory, where a VFS shim cannot see %s"
		NEXT "" },
	[SC_FINDING_AUTOCHECKPOINT_PAGES] = { "autocheckpoint-counts-pages", SC_SEVERITY_WARNING,
		"wal_autocheckpoint counts pages: %u pages of %u bytes let the WAL grow to %s "
		"between checkpoints, %s times what pages of 4096 bytes do"
		NEXT "PRAGMA wal_autocheckpoint = %u keeps it as small as with pages of 4096 bytes" },
	[SC_FINDING_NO_CHECKPOINT] = { "no-checkpoint", SC_SEVERITY_NOTE,
		"no checkpoint fell into the timed part of %s: its rate leaves out what they cost"
		NEXT "measure more operations (--ops), or a smaller --wal-autocheckpoint" },
	[SC_FINDING_WAL_RESET_BUG] = { "wal-reset-bug", SC_SEVERITY_WARNING,
		"SQLite %s has the WAL-reset bug (3.7.0 to 3.51.2): with WAL and several "
		"connections, a checkpoint that races with a reset can corrupt the database"
		NEXT "use 3.51.3 or later, or 3.50.7 or 3.44.6 of their branches" },
	[SC_FINDING_ROTATIONAL] = { "rotational-flag", SC_SEVERITY_NOTE,
		"the kernel says that target %s is %s, but a sync there takes %s (median of %s): %s"
		NEXT "trust the measured latency" },
	[SC_FINDING_RUN_DELAY] = { "run-delay", SC_SEVERITY_WARNING,
		"%s waited for a CPU in %s of its wall time: other programs share the cores"
		NEXT "repeat it on an idle machine" },
	[SC_FINDING_STEAL] = { "steal", SC_SEVERITY_WARNING,
		"the hypervisor took %s of the wall time of %s"
		NEXT "repeat it at another hour, or on a machine of its own" },
	[SC_FINDING_NOT_CONVERGED] = { "not-converged", SC_SEVERITY_WARNING,
		"%zu of %zu measured cell%s %s; the widest is %s%s"
		NEXT "give it more %s, or compare only what lies outside of the intervals" },
	[SC_FINDING_INSTRUMENT_COST] = { "instrument-cost", SC_SEVERITY_NOTE,
		"with the instruments on, an operation of %s took %.2f times as long: read its split "
		"as shares; its rate is from samples without them"
		NEXT "" },
	[SC_FINDING_EFFECTIVE_DIFFERS] = { "effective-differs", SC_SEVERITY_WARNING,
		"SQLite did not take %s of %s: asked for %s, it reads back %s"
		NEXT "take that cell's figures as those of the setting read back" },
	[SC_FINDING_CALLS_DROPPED] = { "calls-dropped", SC_SEVERITY_WARNING,
		"the meter had no room for %s calls of %s: its counts are too low"
		NEXT "measure with fewer clients" },
	[SC_FINDING_SYNC_MISMATCH] = { "sync-mismatch", SC_SEVERITY_SEVERE,
		"in %s the VFS was asked for %s syncs and %s were of directories, but %s reached the "
		"kernel"
		NEXT "do not rely on the syncs of that cell" },
	[SC_FINDING_FAILED_CELLS] = { "failed-cells", SC_SEVERITY_SEVERE,
		"%zu of %zu cell%s failed; the first is %s: %s"
		NEXT "%s" },
	[SC_FINDING_INCOMPLETE] = { "incomplete", SC_SEVERITY_WARNING,
		"the run was not over: after %u round%s %zu of %zu cell%s %s a rate and %zu %s none yet"
		NEXT "go on with it (sweep --resume)%s" },
	[SC_FINDING_UNSUPPORTED_CELLS] = { "unsupported-cells", SC_SEVERITY_WARNING,
		"%zu of %zu cell%s cannot be measured here; the first is %s: %s"
		NEXT "" },
	[SC_FINDING_RESIDUAL] = { "residual", SC_SEVERITY_WARNING,
		"%s of the wall time of the ledger sample of %s %s: its split misses that part"
		NEXT "do not compare its split with others; its rate does not depend on it" },
	[SC_FINDING_LOSS] = { "loss", SC_SEVERITY_NOTE,
		"at a power cut %s: %s"
		NEXT "%s" },
	[SC_FINDING_NO_RECOMMENDATION] = { "no-recommendation", SC_SEVERITY_NOTE,
		"no setting is recommended for target %s: %s"
		NEXT "" },
	[SC_FINDING_FEW_OPERATIONS] = { "few-operations", SC_SEVERITY_NOTE,
		"%zu of %zu measured cell%s rest%s on fewer than %u operations or commits (the first is "
		"%s): they have no p99"
		NEXT "measure more operations (--ops)" },
	[SC_FINDING_FLUSH_DISABLED] = { "flush-disabled", SC_SEVERITY_SEVERE,
		"target %s is mounted with %s: a sync does not flush the device, so a power cut can "
		"take what was synced"
		NEXT "mount it without that option, unless the device's cache survives a power cut" },
	[SC_FINDING_TWO_MODES] = { "two-modes", SC_SEVERITY_WARNING,
		"%s has two rates and no one in between: %zu samples near %s and %zu near %s %s/s"
		NEXT "its median is of the group that came more often: samples.csv has the rounds" },
	[SC_FINDING_OTHER_IO] = { "other-io", SC_SEVERITY_WARNING,
		"in %zu of %zu samples of %s others moved more on its disk than in its quietest one, "
		"and more than the sample itself, up to %s"
		NEXT "repeat it while nothing else uses the disk" },
	[SC_FINDING_SPLIT_WAITED] = { "split-waited", SC_SEVERITY_WARNING,
		"the ledger sample of %s waited for a CPU in %s of its time: its split and what it is "
		"bound by are those of a busy machine"
		NEXT "repeat it on an idle machine" },
	[SC_FINDING_OTHER_STATE] = { "ledger-differs", SC_SEVERITY_WARNING,
		"the ledger sample of %s took %.2f times as long an operation as its timing samples, "
		"with the instruments on: they met the machine in different states, so the split is "
		"not that of the rate"
		NEXT "repeat it on an idle machine; until then do not read its rate if free" },
	[SC_FINDING_BUSY_START] = { "busy-machine", SC_SEVERITY_WARNING,
		"before the sweep began the machine had a load of %s on %u CPU%s: other programs were "
		"running"
		NEXT "repeat it on an idle machine" },
	[SC_FINDING_SIZES_FEW] = { "sizes-too-few", SC_SEVERITY_NOTE,
		"%s was measured with two numbers of rows, which do not tell how its cost grows"
		NEXT "give --rows three or more, the largest 16 times the smallest" },
	[SC_FINDING_GROWTH] = { "growth", SC_SEVERITY_NOTE,
		GROWTH },
	[SC_FINDING_GROWTH_WORSE] = { "growth-worse-than-linear", SC_SEVERITY_WARNING,
		GROWTH },
	[SC_FINDING_MEMORY_GROWS] = { "memory-grows", SC_SEVERITY_SEVERE,
		"memory in use grows by %2$s an operation in %1$s (R\u00b2 %3$.2f over %4$u points, without "
		"the page cache): %5$s"
		NEXT "what is but a cache comes to an end: a larger ledger_ops in the suite tells" },
	[SC_FINDING_MEMORY_STEADY] = { "memory-steady", SC_SEVERITY_NOTE,
		"memory in use does not grow in %s: %s an operation over %s operations, without the "
		"page cache"
		NEXT "" },
	[SC_FINDING_MEMORY_UNSEEN] = { "memory-not-looked-at", SC_SEVERITY_WARNING,
		"whether memory in use grows in %s was not looked at: %s"
		NEXT "" },
	[SC_FINDING_CHECKPOINT_PAID] = { "checkpoint-paid", SC_SEVERITY_NOTE,
		"in %s a reader held its snapshot for %s commits, and the WAL grew from %s to %s "
		"pages (%s); commit %s of client %s, number %s after the release, paid for it: it took %s, where "
		"the median is %s, and its checkpoint dealt with %s frames in %s (%s of it)%s"
		NEXT "keep read transactions short, or run PRAGMA wal_checkpoint(TRUNCATE) where "
		"nobody waits" },
	[SC_FINDING_BESIDE] = { "beside", SC_SEVERITY_NOTE,
		"beside %s, %u client%s ran %s: %s/s together, p50 %s, p99 %s, %s busy retries"
		NEXT "" },
	[SC_FINDING_RATE_NOT_REACHED] = { "rate-not-reached", SC_SEVERITY_WARNING,
		"%s was due %s operations a second and did %s: its latencies are of a queue that grows"
		NEXT "ask for a lower --rate" },
	[SC_FINDING_RUN_NOTHING] = { "nothing-seen", SC_SEVERITY_WARNING,
		"no database was used, as far as could be seen: what is linked statically, calls the "
		"kernel itself or cleared LD_PRELOAD from its environment is not seen"
		NEXT "name the program itself, not one that only has it started elsewhere" },
	[SC_FINDING_RUN_GOES_ON] = { "goes-on", SC_SEVERITY_NOTE,
		"%1$u %2$s that use%3$s a database went on when the program ended: what came after is not "
		"in this report"
		NEXT "run what stays, a server, in the foreground" },
	[SC_FINDING_NETWORK_STORAGE] = { "network-storage", SC_SEVERITY_NOTE,
		"the storage of target %s is another machine's (%s), which decides what a sync is worth"
		NEXT "look there: an NFS export with async answers before anything is durable" },
	[SC_FINDING_FLUSH_FREE] = { "flush-seems-free", SC_SEVERITY_WARNING,
		"on %s a flush seems to be free: a write with fdatasync takes %s, a direct write "
		"without one %s, though the kernel says there is a write cache: a cache that outlives "
		"a power cut, a host's cache, or a flush that is ignored; from here they look alike"
		NEXT "ask the maker of the disk, or the host, for power-loss protection" },
	[SC_FINDING_FASTER_THAN_TURN] = { "faster-than-a-turn", SC_SEVERITY_WARNING,
		"%s is said to be a turning disk, but overwrites of the same blocks with a sync each "
		"take %s (median of %s), less than the 4 ms in which the fastest disk turns: a cache "
		"answers for it"
		NEXT "find out whether that cache outlives a power cut: hdparm -W shows a disk's own" },
	[SC_FINDING_FUA_CHEAP] = { "forced-write-seems-free", SC_SEVERITY_WARNING,
		"on %s a forced write (O_DIRECT with O_DSYNC) takes %s and a direct write with "
		"fdatasync %s: perhaps the disk answers forced writes from a cache that it should go "
		"around"
		NEXT "rely on fdatasync there, as SQLite does" },
	[SC_FINDING_FSYNC_DEARER] = { "fsync-dearer", SC_SEVERITY_NOTE,
		"on %s fsync takes %s and fdatasync %s for the same overwrite: a SQLite that is built "
		"to call fsync is that much slower"
		NEXT "use a build with HAVE_FDATASYNC" },
	[SC_FINDING_TWO_LATENCIES] = { "two-latencies", SC_SEVERITY_NOTE,
		"on %s %s has two latencies and little in between: about %s and about %s"
		NEXT "quantiles say more of it than a mean does" },
	[SC_FINDING_RUN_NOT_SET] = { "not-set", SC_SEVERITY_SEVERE,
		"--set changed nothing: no database was opened through a shared SQLite library, so these "
		"are the figures of the program as it is"
		NEXT "set the pragmas in the program itself" },
	[SC_FINDING_RUN_REFUSED] = { "set-refused", SC_SEVERITY_WARNING,
		"SQLite did not take %llu setting%s of --set on %llu connection%s"
		NEXT "see what it says to the same PRAGMA in its shell" },
};
/* clang-format on */

static_assert(SC_ARRAY_COUNT(rows) == SC_FINDING_COUNT_, "a row each");

static const char *const severity_names[] = {
	[SC_SEVERITY_NOTE] = "note",
	[SC_SEVERITY_WARNING] = "warning",
	[SC_SEVERITY_SEVERE] = "severe",
};

static_assert(SC_ARRAY_COUNT(severity_names) == SC_SEVERITY_COUNT_, "a name each");

const char *sc_severity_name(enum sc_severity severity)
{
	assert(severity < SC_SEVERITY_COUNT_);
	return severity_names[severity];
}

const char *sc_finding_name(enum sc_finding_code code)
{
	assert(code < SC_FINDING_COUNT_);
	return rows[code].name;
}

/* @text_bytes > 0; cuts at a character's edge, so that the text stays UTF-8. */
static void copy_cut(char *text, size_t text_bytes, const char *from)
{
	size_t n = strlen(from);

	if (n >= text_bytes) {
		n = text_bytes - 1;
		while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80)
			n--;
	}
	memcpy(text, from, n);
	text[n] = '\0';
}

int sc_findings_copy(struct sc_findings *findings, const struct sc_finding *finding)
{
	struct sc_finding *items;

	items = realloc(findings->items, (findings->count + 1) * sizeof(*items));
	if (!items)
		return -ENOMEM;
	findings->items = items;
	items[findings->count++] = *finding;
	return 0;
}

int sc_findings_add(struct sc_findings *findings, enum sc_finding_code code, ...)
{
	struct sc_finding finding = {.severity = rows[code].severity};
	char text[sizeof(finding.text) + sizeof(finding.next)];
	va_list arguments;
	char *next;
	int n;

	assert(code < SC_FINDING_COUNT_);
	va_start(arguments, code);
	n = vsnprintf(text, sizeof(text), rows[code].format, arguments);
	va_end(arguments);
	if (n < 0)
		return -EINVAL;

	next = strchr(text, NEXT[0]);
	if (next)
		*next++ = '\0';
	copy_cut(finding.code, sizeof(finding.code), rows[code].name);
	copy_cut(finding.text, sizeof(finding.text), text);
	copy_cut(finding.next, sizeof(finding.next), next ? next : "");
	return sc_findings_copy(findings, &finding);
}

void sc_findings_weigh(struct sc_findings *findings, double weight)
{
	assert(findings->count > 0);
	findings->items[findings->count - 1].weight = weight;
}

static bool is_general(const struct sc_finding *finding)
{
	for (size_t i = 0; i < SC_ARRAY_COUNT(general); i++) {
		if (strcmp(finding->code, rows[general[i]].name) == 0)
			return true;
	}
	return false;
}

static bool comes_before(const struct sc_finding *a, const struct sc_finding *b)
{
	if (a->severity != b->severity)
		return a->severity > b->severity;
	return is_general(b) && !is_general(a);
}

/* By insertion: they are a few dozen. */
void sc_findings_sort(struct sc_findings *findings)
{
	for (size_t i = 1; i < findings->count; i++) {
		struct sc_finding finding = findings->items[i];
		size_t at = i;

		for (; at > 0 && comes_before(&finding, &findings->items[at - 1]); at--)
			findings->items[at] = findings->items[at - 1];
		findings->items[at] = finding;
	}
}

void sc_findings_fini(struct sc_findings *findings)
{
	free(findings->items);
	*findings = (struct sc_findings){0};
}
