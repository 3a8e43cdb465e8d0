/* SPDX-License-Identifier: MIT */
/*
 * Known workloads under shim and tap, for comparison with what strace saw of the same run.
 *
 * usage: tap-scenario DIRECTORY [--unseen-sync] [--journal MODE]
 *
 * For each journal mode, synchronous setting and locking mode it runs the phases of phases[] on a
 * fresh database in DIRECTORY. A phase stands between two calls of prctl(PR_SET_NAME, "sc+N") and
 * "sc-N", which strace sees, and its ledger is the difference of two snapshots taken just outside
 * of the two. One JSON object a phase on standard output; N is the line's number from 0.
 *
 * --unseen-sync: each phase makes one more sync, past libc. The negative control: the ledger
 * cannot see it, strace does. --journal: only this journal mode.
 */

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include <sqlite3.h>

#include "syncost.h"

#define WARM_UP      2
#define COMMITS      5
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const journals[] = {"DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"};
static const char *const synchronous[] = {"OFF", "NORMAL", "FULL", "EXTRA"};
static const char *const lockings[] = {"NORMAL", "EXCLUSIVE"};

struct cell {
	const char *directory;
	const char *journal;
	const char *synchronous;
	const char *locking;
	bool unseen_sync;
	char main_path[512];
	char second_path[512];
};

/* What the workload itself did, which the ledger has to agree with. */
struct done {
	unsigned transactions; /* that wrote */
	unsigned main_commits; /* of those: over the main database */
	unsigned second_commits;
	unsigned empty; /* commits that wrote nothing */
};

static unsigned line_number;

static void die(const char *what, const char *why)
{
	(void)fprintf(stderr, "tap-scenario: %s: %s\n", what, why);
	exit(EXIT_FAILURE);
}

static void must(sqlite3 *db, const char *sql)
{
	char *message = NULL;

	if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
		die(sql, message ? message : "failed");
}

static void mark(char sign)
{
	char name[16];

	(void)snprintf(name, sizeof(name), "sc%c%u", sign, line_number);
	(void)prctl(PR_SET_NAME, name);
}

/* --- files of a cell */

static void remove_files(const struct cell *cell)
{
	static const char *const suffixes[] = {"", "-wal", "-shm", "-journal"};
	const char *const paths[] = {cell->main_path, cell->second_path};
	char path[600];

	for (size_t i = 0; i < 2; i++) {
		for (size_t k = 0; k < COUNT(suffixes); k++) {
			(void)snprintf(path, sizeof(path), "%s%s", paths[i], suffixes[k]);
			(void)unlink(path); /* most do not exist */
		}
	}
}

static void configure(const struct cell *cell, sqlite3 *db, const char *schema)
{
	char sql[256];

	(void)snprintf(sql, sizeof(sql),
		       "PRAGMA %s.locking_mode=%s; PRAGMA %s.journal_mode=%s;"
		       "PRAGMA %s.synchronous=%s;",
		       schema, cell->locking, schema, cell->journal, schema, cell->synchronous);
	must(db, sql);
}

static sqlite3 *open_main(const struct cell *cell)
{
	sqlite3 *db = NULL;

	if (sqlite3_open(cell->main_path, &db) != SQLITE_OK)
		die(cell->main_path, sqlite3_errmsg(db));
	configure(cell, db, "main");
	return db;
}

static void close_database(sqlite3 *db)
{
	if (sqlite3_close(db) != SQLITE_OK)
		die("close", sqlite3_errmsg(db));
}

static void insert(sqlite3 *db, const char *table, unsigned count)
{
	char sql[128];

	(void)snprintf(sql, sizeof(sql), "INSERT INTO %s(v) VALUES(hex(randomblob(40)))", table);
	for (unsigned i = 0; i < count; i++)
		must(db, sql);
}

/* --- phases: prepared outside of the marks, run between them, ended outside again */

static sqlite3 *prepare_nothing(const struct cell *cell)
{
	(void)cell;
	return NULL;
}

static sqlite3 *prepare_warm(const struct cell *cell)
{
	sqlite3 *db = open_main(cell);

	insert(db, "t", WARM_UP);
	return db;
}

static sqlite3 *prepare_attached(const struct cell *cell)
{
	sqlite3 *db = open_main(cell);
	char sql[600];

	(void)snprintf(sql, sizeof(sql), "ATTACH '%s' AS second", cell->second_path);
	must(db, sql);
	configure(cell, db, "second");
	must(db, "CREATE TABLE IF NOT EXISTS second.s(id INTEGER PRIMARY KEY, v TEXT)");
	insert(db, "t", WARM_UP);
	return db;
}

/*
 * The first commit into a new database, from opening to closing. Turning to WAL is a commit of its
 * own: the database's header says so.
 */
static struct done run_create(const struct cell *cell, sqlite3 **db)
{
	unsigned commits = strcmp(cell->journal, "WAL") == 0 ? 2 : 1;

	*db = open_main(cell);
	must(*db, "CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT)");
	close_database(*db);
	*db = NULL;
	return (struct done){.transactions = commits, .main_commits = commits};
}

static struct done run_commits(const struct cell *cell, sqlite3 **db)
{
	(void)cell;
	insert(*db, "t", COMMITS);
	return (struct done){.transactions = COMMITS, .main_commits = COMMITS};
}

static struct done run_attached(const struct cell *cell, sqlite3 **db)
{
	(void)cell;
	must(*db, "BEGIN");
	insert(*db, "t", 1);
	insert(*db, "s", 1);
	must(*db, "COMMIT");
	return (struct done){.transactions = 1, .main_commits = 1, .second_commits = 1};
}

/* SQLite tells its VFS of the end of an empty transaction, but not with a journal it just keeps. */
static struct done run_empty(const struct cell *cell, sqlite3 **db)
{
	bool is_told =
		strcmp(cell->journal, "PERSIST") != 0 || strcmp(cell->locking, "EXCLUSIVE") != 0;

	must(*db, "BEGIN IMMEDIATE; COMMIT");
	return (struct done){.empty = is_told};
}

static struct done run_rollback(const struct cell *cell, sqlite3 **db)
{
	(void)cell;
	must(*db, "BEGIN");
	insert(*db, "t", 1);
	must(*db, "ROLLBACK");
	return (struct done){0};
}

/* More dirty pages than the cache holds: they reach the file and have to be taken back from there.
 */
static struct done run_spill(const struct cell *cell, sqlite3 **db)
{
	const char *end = strcmp(cell->journal, "OFF") == 0 ? "COMMIT" : "ROLLBACK";
	unsigned committed = strcmp(end, "COMMIT") == 0;

	must(*db, "PRAGMA cache_size=10; BEGIN");
	must(*db, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<200)"
		  "INSERT INTO t(v) SELECT hex(randomblob(400)) FROM n");
	must(*db, end);
	return (struct done){.transactions = committed, .main_commits = committed};
}

/* A sort, a VACUUM and statement journals: temporary files of all kinds. */
static struct done run_temporary(const struct cell *cell, sqlite3 **db)
{
	(void)cell;
	must(*db, "PRAGMA temp_store=FILE; PRAGMA temp.cache_size=10; CREATE TEMP TABLE x(v)");
	must(*db, "WITH RECURSIVE n(i) AS (VALUES(1) UNION ALL SELECT i+1 FROM n WHERE i<300)"
		  "INSERT INTO x SELECT hex(randomblob(400)) FROM n");
	must(*db, "SELECT count(*) FROM (SELECT v FROM x ORDER BY v LIMIT 200)");
	must(*db, "VACUUM");
	return (struct done){.transactions = 1, .main_commits = 1};
}

static struct done run_mapped(const struct cell *cell, sqlite3 **db)
{
	(void)cell;
	must(*db, "PRAGMA mmap_size=1048576; SELECT count(v) FROM t");
	insert(*db, "t", 1);
	must(*db, "SELECT count(v) FROM t");
	close_database(*db);
	*db = NULL;
	return (struct done){.transactions = 1, .main_commits = 1};
}

/* Automatic checkpoints, then each kind asked for, then the one of the last close. */
static struct done run_checkpoints(const struct cell *cell, sqlite3 **db)
{
	(void)cell;
	must(*db, "PRAGMA wal_autocheckpoint=4");
	insert(*db, "t", COMMITS);
	must(*db, "PRAGMA wal_checkpoint(PASSIVE)");
	insert(*db, "t", 1);
	must(*db, "PRAGMA wal_checkpoint(FULL)");
	insert(*db, "t", 1);
	must(*db, "PRAGMA wal_checkpoint(RESTART)");
	insert(*db, "t", 1);
	must(*db, "PRAGMA wal_checkpoint(TRUNCATE)");
	insert(*db, "t", 1);
	close_database(*db);
	*db = NULL;
	return (struct done){.transactions = COMMITS + 4, .main_commits = COMMITS + 4};
}

/*
 * Calls that this SQLite does not make, by hand, on a file of the database's that nobody has open.
 * Their results do not matter, only that both counts of them agree.
 */
static struct done run_by_hand(const struct cell *cell, sqlite3 **db)
{
	char page[4096] = {0}, path[600], other[600];
	struct iovec parts[2] = {{page, 1000}, {page + 1000, 2000}};
	int directory, fd;
	void *mapped;

	(void)db;
	(void)snprintf(path, sizeof(path), "%s-journal", cell->main_path);
	(void)snprintf(other, sizeof(other), "%s-wal", cell->main_path);
	directory = open(cell->directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	fd = openat(directory, "main.db-journal", O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	(void)!write(fd, page, 100);
	(void)!writev(fd, parts, 2);
	(void)!pwritev(fd, parts, 2, 4096);
	(void)!pwrite(fd, page, sizeof(page), -1);
	(void)lseek(fd, 0, SEEK_SET);
	(void)!read(fd, page, 50);
	(void)!readv(fd, parts, 2);
	(void)!preadv(fd, parts, 2, 7000);
	(void)!fallocate(fd, 0, 0, 16384);
	(void)!ftruncate(fd, 8192);
	mapped = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	(void)msync(mapped, 4096, MS_SYNC);
	mapped = mremap(mapped, 8192, 4096, 0);
	(void)munmap(mapped, 4096);
	(void)fsync(fd);
	(void)fdatasync(dup2(fd, 90));
	(void)fsync(directory);
	(void)sync_file_range(90, 0, 0, SYNC_FILE_RANGE_WRITE);
	(void)close(fd);
	(void)close(90);
	(void)!truncate(path, 10);
	(void)rename(path, other);
	(void)unlinkat(directory, "main.db-wal", 0);
	(void)unlink(other); /* again: fails */
	(void)close(directory);
	return (struct done){0};
}

struct phase {
	const char *name;
	sqlite3 *(*prepare)(const struct cell *cell);
	struct done (*run)(const struct cell *cell, sqlite3 **db);
	const char *only_journal; /* NULL: all */
};

static const struct phase phases[] = {
	{"create", prepare_nothing, run_create, NULL},
	{"commits", prepare_warm, run_commits, NULL},
	{"attached", prepare_attached, run_attached, NULL},
	{"empty", prepare_warm, run_empty, NULL},
	{"rollback", prepare_warm, run_rollback, NULL},
	{"spill", prepare_warm, run_spill, NULL},
	{"temporary", prepare_warm, run_temporary, NULL},
	{"mapped", prepare_warm, run_mapped, NULL},
	{"checkpoints", prepare_warm, run_checkpoints, "WAL"},
	{"by hand", prepare_nothing, run_by_hand, NULL},
};

/* --- the ledger as JSON */

static void print_rows(const struct syncost_snapshot *snapshot)
{
	const char *separator = "";

	for (size_t i = 0; i < snapshot->row_count; i++) {
		const struct syncost_row *row = &snapshot->rows[i];

		printf("%s{\"instrument\":\"%s\",\"path\":\"%s\",\"role\":\"%s\",\"op\":\"%s\","
		       "\"calls\":%" PRIu64 ",\"failures\":%" PRIu64 ",\"bytes\":%" PRIu64
		       ",\"timed\":%" PRIu64 "}",
		       separator, syncost_instrument_name(row->instrument),
		       snapshot->databases[row->database].path, syncost_role_name(row->role),
		       syncost_op_info(row->op)->name, row->calls, row->failures, row->bytes,
		       row->timed);
		separator = ",";
	}
}

static uint64_t commits_of(const struct syncost_snapshot *snapshot, const char *path)
{
	for (size_t i = 0; i < SC_METER_DATABASES; i++)
		if (strcmp(snapshot->databases[i].path, path) == 0)
			return snapshot->databases[i].commits;
	return 0;
}

static void print_phase(const struct cell *cell, const struct phase *phase, struct done done,
			const struct syncost_snapshot *snapshot)
{
	printf("{\"journal\":\"%s\",\"synchronous\":\"%s\",\"locking\":\"%s\",\"phase\":\"%s\","
	       "\"done\":{\"transactions\":%u,\"main\":%u,\"second\":%u,\"empty\":%u},"
	       "\"transactions\":%" PRIu64 ",\"main\":%" PRIu64 ",\"second\":%" PRIu64
	       ",\"empty\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"rows\":[",
	       cell->journal, cell->synchronous, cell->locking, phase->name, done.transactions,
	       done.main_commits, done.second_commits, done.empty, snapshot->transactions,
	       commits_of(snapshot, cell->main_path), commits_of(snapshot, cell->second_path),
	       snapshot->empty_commits, snapshot->calls_dropped);
	print_rows(snapshot);
	printf("]}\n");
}

/* --- one cell */

static void sync_past_libc(const struct cell *cell)
{
	int fd = open(cell->directory, O_RDONLY | O_CLOEXEC);

	(void)syscall(SYS_fdatasync,
		      fd); /* a directory of ours: cannot fail in a way that matters */
	(void)close(fd);
}

static void run_phase(const struct cell *cell, const struct phase *phase)
{
	struct syncost_snapshot *before = NULL, *after = NULL, *difference = NULL;
	sqlite3 *db = phase->prepare(cell);
	struct done done;

	if (syncost_snapshot(&before) < 0)
		die(phase->name, "no snapshot");
	mark('+');
	done = phase->run(cell, &db);
	if (cell->unseen_sync)
		sync_past_libc(cell);
	mark('-');
	if (syncost_snapshot(&after) < 0 || syncost_snapshot_since(after, before, &difference) < 0)
		die(phase->name, "no snapshot");

	if (db)
		close_database(db);
	print_phase(cell, phase, done, difference);
	line_number++;
	syncost_snapshot_free(before);
	syncost_snapshot_free(after);
	syncost_snapshot_free(difference);
}

static void run_cell(const struct cell *cell)
{
	remove_files(cell);
	if (syncost_start(&(struct syncost_options){.cpu = true}) != 0 ||
	    syncost_register(NULL, "syncost", true) != 0 || syncost_tap_start() != 0 ||
	    syncost_tap_database(cell->main_path) != 0 ||
	    syncost_tap_database(cell->second_path) != 0)
		die("start", "failed");

	for (size_t i = 0; i < COUNT(phases); i++)
		if (!phases[i].only_journal || strcmp(phases[i].only_journal, cell->journal) == 0)
			run_phase(cell, &phases[i]);

	syncost_tap_stop();
	if (syncost_unregister("syncost") != 0 || syncost_stop() != 0)
		die("stop", "failed");
	remove_files(cell);
}

static bool is_wanted(const char *journal, const char *only)
{
	return !only || strcmp(journal, only) == 0;
}

static void run_cells(struct cell *cell, const char *only_journal)
{
	for (size_t j = 0; j < COUNT(journals); j++) {
		for (size_t i = 0; i < COUNT(synchronous) * COUNT(lockings); i++) {
			cell->journal = journals[j];
			cell->synchronous = synchronous[i / COUNT(lockings)];
			cell->locking = lockings[i % COUNT(lockings)];
			if (is_wanted(cell->journal, only_journal))
				run_cell(cell);
		}
	}
}

int main(int argc, char **argv)
{
	const char *only_journal = NULL;
	struct cell cell = {0};

	if (argc < 2)
		die("usage", "tap-scenario DIRECTORY [--unseen-sync] [--journal MODE]");
	cell.directory = argv[1];
	for (int i = 2; i < argc; i++) {
		if (strcmp(argv[i], "--unseen-sync") == 0)
			cell.unseen_sync = true;
		else if (strcmp(argv[i], "--journal") == 0 && i + 1 < argc)
			only_journal = argv[++i];
		else
			die(argv[i], "not an option");
	}
	(void)snprintf(cell.main_path, sizeof(cell.main_path), "%s/main.db", argv[1]);
	(void)snprintf(cell.second_path, sizeof(cell.second_path), "%s/second/second.db", argv[1]);

	run_cells(&cell, only_journal);
	if (fflush(stdout) != 0 || ferror(stdout))
		die("standard output", "cannot be written");
	return EXIT_SUCCESS;
}
