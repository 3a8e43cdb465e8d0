/* SPDX-License-Identifier: MIT */
/*
 * The workloads of suite `commit` as a program without any instrument would run them: a loop in C
 * around prepared statements, the clocks read before it and after it.
 *
 * The statements, the table, the dataset, the pragmas and the kinds of values are the suite's; the
 * values themselves are not (equal work matters, not equal bytes). They lie in an array before the
 * clock starts, each row with a text of its own, as a sample's do. The clock starts where that of a
 * sample with wal_state `recycled` does: the workload itself has filled and reset the WAL, and is
 * half a checkpoint cycle away from the next checkpoint, so that both time as many of them.
 *
 * usage: bare insert_one|insert_batch|read_point off|normal|full|extra OPERATIONS DIRECTORY
 *
 * Prints one JSON line: {"operations": N, "wall_ns": N, "cpu_ns": N}.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <sqlite3.h>

#define DATASET_ROWS    10000
#define ROWS_PER_COMMIT 100
#define WARMUP_OPS      2000
#define WARMUP_ROUNDS   10000 /* more than any WAL of 1000 pages takes to be reset */
#define TEXT_PART_BYTES (1 << 20)
#define TEXT_BYTES_MIN  80
#define TEXT_BYTES_MAX  120
#define POOL_BYTES      65536

#define INSERT "INSERT INTO item(id, owner, quantity, note) VALUES(:id, :owner, :quantity, :note)"
#define SELECT "SELECT id, owner, quantity, note FROM item WHERE id = :id"

struct row {
	int64_t id, owner, quantity;
	const char *note; /* in one of the texts' parts */
	int note_bytes;
};

struct bare {
	sqlite3 *db;
	sqlite3_stmt *begin, *commit, *insert, *select;
	char pool[POOL_BYTES]; /* what texts are copied from */
	char *part;            /* texts of rows, from the end; parts stay until the process ends */
	size_t part_left;
	uint64_t random;
	char wal_path[4200];  /* of the database's, and -wal */
	int64_t quantity_sum; /* of all rows that should be there */
	int64_t row_count;
	int64_t id_sum, result_sum; /* of keys asked for, and found */
};

static void die(struct bare *bare, const char *what)
{
	fprintf(stderr, "bare: %s: %s\n", what, bare->db ? sqlite3_errmsg(bare->db) : "failed");
	exit(4);
}

static void check(struct bare *bare, int rc, const char *what)
{
	if (rc != SQLITE_OK && rc != SQLITE_ROW && rc != SQLITE_DONE)
		die(bare, what);
}

struct cost {
	uint64_t wall_ns, cpu_ns;
};

static uint64_t now_ns(clockid_t clock)
{
	struct timespec now;

	(void)clock_gettime(clock, &now); /* cannot fail for these clocks */
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* --- values */

/* SplitMix64, reduced without care for its tiny bias. */
static uint64_t below(struct bare *bare, uint64_t bound)
{
	uint64_t mixed = (bare->random += 0x9e3779b97f4a7c15u);

	mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
	mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
	return (mixed ^ (mixed >> 31)) % bound;
}

static const char *make_text(struct bare *bare, int bytes)
{
	char *text;

	if (bare->part_left < (size_t)bytes) {
		bare->part = malloc(TEXT_PART_BYTES);
		if (!bare->part)
			die(bare, "no memory");
		bare->part_left = TEXT_PART_BYTES;
	}
	text = bare->part + TEXT_PART_BYTES - bare->part_left;
	memcpy(text, bare->pool + below(bare, POOL_BYTES - TEXT_BYTES_MAX), (size_t)bytes);
	bare->part_left -= (size_t)bytes;
	return text;
}

static struct row *make_rows(struct bare *bare, int64_t count, bool picks)
{
	struct row *rows = calloc((size_t)count, sizeof(*rows));

	if (!rows)
		die(bare, "no memory");
	for (int64_t i = 0; i < count; i++) {
		struct row *row = &rows[i];

		row->id = picks ? 1 + (int64_t)below(bare, DATASET_ROWS) : bare->row_count + i + 1;
		row->owner = 1 + (int64_t)below(bare, 1000);
		row->quantity = (int64_t)below(bare, 1000001);
		row->note_bytes =
			TEXT_BYTES_MIN + (int)below(bare, TEXT_BYTES_MAX - TEXT_BYTES_MIN + 1);
		row->note = make_text(bare, row->note_bytes);
	}
	return rows;
}

/* --- the loops */

static void insert_row(struct bare *bare, const struct row *row)
{
	sqlite3_stmt *insert = bare->insert;

	check(bare, sqlite3_bind_int64(insert, 1, row->id), "bind");
	check(bare, sqlite3_bind_int64(insert, 2, row->owner), "bind");
	check(bare, sqlite3_bind_int64(insert, 3, row->quantity), "bind");
	check(bare, sqlite3_bind_text(insert, 4, row->note, row->note_bytes, SQLITE_STATIC),
	      "bind");
	check(bare, sqlite3_step(insert), "insert");
	check(bare, sqlite3_reset(insert), "insert");
}

static void insert_one(struct bare *bare, const struct row *rows, int64_t count)
{
	for (int64_t i = 0; i < count; i++)
		insert_row(bare, &rows[i]);
}

static void run_plain(struct bare *bare, sqlite3_stmt *statement)
{
	check(bare, sqlite3_step(statement), sqlite3_sql(statement));
	check(bare, sqlite3_reset(statement), sqlite3_sql(statement));
}

static void insert_batch(struct bare *bare, const struct row *rows, int64_t count)
{
	for (int64_t first = 0; first < count; first += ROWS_PER_COMMIT) {
		int64_t rest = count - first;

		run_plain(bare, bare->begin);
		insert_one(bare, rows + first, rest < ROWS_PER_COMMIT ? rest : ROWS_PER_COMMIT);
		run_plain(bare, bare->commit);
	}
}

static void read_point(struct bare *bare, const struct row *rows, int64_t count)
{
	sqlite3_stmt *select = bare->select;

	for (int64_t i = 0; i < count; i++) {
		int rc;

		check(bare, sqlite3_bind_int64(select, 1, rows[i].id), "bind");
		while ((rc = sqlite3_step(select)) == SQLITE_ROW)
			bare->result_sum += sqlite3_column_int64(select, 0);
		check(bare, rc, "select");
		check(bare, sqlite3_reset(select), "select");
	}
}

static const struct workload {
	const char *name;
	void (*run)(struct bare *bare, const struct row *rows, int64_t count);
	int64_t rows_per_commit; /* 0: does not write */
} workloads[] = {
	{"insert_one", insert_one, 1},
	{"insert_batch", insert_batch, ROWS_PER_COMMIT},
	{"read_point", read_point, 0},
};

/* Makes values, runs them, counts what should be there afterwards. */
static struct cost run(struct bare *bare, const struct workload *workload, int64_t count)
{
	struct row *rows = make_rows(bare, count, workload->rows_per_commit == 0);
	uint64_t start_cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID);
	uint64_t start_ns = now_ns(CLOCK_MONOTONIC);
	struct cost cost;

	workload->run(bare, rows, count);
	cost.wall_ns = now_ns(CLOCK_MONOTONIC) - start_ns;
	cost.cpu_ns = now_ns(CLOCK_PROCESS_CPUTIME_ID) - start_cpu_ns;

	for (int64_t i = 0; i < count; i++) {
		if (workload->rows_per_commit)
			bare->quantity_sum += rows[i].quantity;
		else
			bare->id_sum += rows[i].id;
	}
	if (workload->rows_per_commit)
		bare->row_count += count;
	free(rows);
	return cost;
}

/* --- before and after */

static void execute(struct bare *bare, const char *sql)
{
	check(bare, sqlite3_exec(bare->db, sql, NULL, NULL, NULL), sql);
}

static void open_database(struct bare *bare, const char *path)
{
	check(bare, sqlite3_open(path, &bare->db), path);
}

static void prepare(struct bare *bare, const char *sql, sqlite3_stmt **ret_statement)
{
	check(bare,
	      sqlite3_prepare_v3(bare->db, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_statement, NULL),
	      sql);
}

static void prepare_all(struct bare *bare)
{
	prepare(bare, "BEGIN IMMEDIATE", &bare->begin);
	prepare(bare, "COMMIT", &bare->commit);
	prepare(bare, INSERT, &bare->insert);
	prepare(bare, SELECT, &bare->select);
}

static void close_database(struct bare *bare)
{
	check(bare, sqlite3_finalize(bare->begin), "finalize");
	check(bare, sqlite3_finalize(bare->commit), "finalize");
	check(bare, sqlite3_finalize(bare->insert), "finalize");
	check(bare, sqlite3_finalize(bare->select), "finalize");
	check(bare, sqlite3_close(bare->db), "close");
}

static void create(struct bare *bare, const char *path)
{
	open_database(bare, path);
	execute(bare, "PRAGMA page_size=4096; PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF;"
		      "CREATE TABLE item(id INTEGER PRIMARY KEY, owner INTEGER NOT NULL,"
		      " quantity INTEGER NOT NULL, note TEXT NOT NULL);"
		      "CREATE INDEX item_owner ON item(owner); BEGIN");
	prepare_all(bare);
	(void)run(bare, &workloads[0], DATASET_ROWS);
	execute(bare, "COMMIT");
	close_database(bare);
}

/* The dirty pages of what came before are not to be written in the timed part. */
static void sync_handle(struct bare *bare, int which)
{
	sqlite3_file *file = NULL;

	check(bare, sqlite3_file_control(bare->db, "main", which, &file), "file handle");
	if (file && file->pMethods)
		check(bare, file->pMethods->xSync(file, SQLITE_SYNC_NORMAL), "sync");
}

/* The checkpoint sequence number in the WAL's header: one more after each reset. */
static uint32_t wal_sequence(struct bare *bare, int wal)
{
	unsigned char at[4];

	if (pread(wal, at, sizeof(at), 12) != (ssize_t)sizeof(at))
		die(bare, bare->wal_path);
	return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

static void run_to_half_cycle(struct bare *bare, const struct workload *workload)
{
	int64_t commits = 0;
	uint32_t before;
	int wal;

	(void)run(bare, workload, workload->rows_per_commit);
	wal = open(bare->wal_path, O_RDONLY | O_CLOEXEC);
	if (wal < 0)
		die(bare, bare->wal_path);
	before = wal_sequence(bare, wal);
	do {
		(void)run(bare, workload, workload->rows_per_commit);
		commits++;
	} while (wal_sequence(bare, wal) == before && commits < WARMUP_ROUNDS);
	(void)close(wal); /* read only; the process's locks on the WAL are on its -shm */
	(void)run(bare, workload, commits / 2 * workload->rows_per_commit);
}

static void warm_up(struct bare *bare, const struct workload *workload)
{
	if (workload->rows_per_commit) {
		run_to_half_cycle(bare, workload);
	} else {
		(void)run(bare, &workloads[0], WARMUP_OPS);
		(void)run(bare, workload, WARMUP_OPS);
		execute(bare, "PRAGMA wal_checkpoint(RESTART)");
	}
	sync_handle(bare, SQLITE_FCNTL_JOURNAL_POINTER);
	sync_handle(bare, SQLITE_FCNTL_FILE_POINTER);
}

static void verify(struct bare *bare)
{
	sqlite3_stmt *sums = NULL;

	prepare(bare, "SELECT count(*), sum(quantity) FROM item", &sums);
	check(bare, sqlite3_step(sums), "sums");
	if (sqlite3_column_int64(sums, 0) != bare->row_count ||
	    sqlite3_column_int64(sums, 1) != bare->quantity_sum || bare->id_sum != bare->result_sum)
		die(bare, "the rows are not what was written or asked for");
	check(bare, sqlite3_finalize(sums), "finalize");
}

static const struct workload *find_workload(const char *name)
{
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		if (strcmp(workloads[i].name, name) == 0)
			return &workloads[i];
	return NULL;
}

int main(int argc, char **argv)
{
	static struct bare bare;
	const struct workload *workload = argc == 5 ? find_workload(argv[1]) : NULL;
	int64_t operations = argc == 5 ? strtoll(argv[3], NULL, 10) : 0;
	char text[4096];
	struct cost cost;

	if (!workload || operations <= 0) {
		fprintf(stderr, "usage: bare insert_one|insert_batch|read_point SYNCHRONOUS "
				"OPERATIONS DIRECTORY\n");
		return 2;
	}
	for (size_t i = 0; i < sizeof(bare.pool); i++)
		bare.pool[i] = (char)('a' + below(&bare, 26));

	(void)snprintf(text, sizeof(text), "%s/bare.db", argv[4]);
	(void)snprintf(bare.wal_path, sizeof(bare.wal_path), "%s-wal", text);
	create(&bare, text);
	open_database(&bare, text);
	(void)snprintf(text, sizeof(text),
		       "PRAGMA journal_mode=WAL; PRAGMA synchronous=%s; PRAGMA cache_size=-2000;"
		       "PRAGMA wal_autocheckpoint=1000",
		       argv[2]);
	execute(&bare, text);
	prepare_all(&bare);
	warm_up(&bare, workload);
	cost = run(&bare, workload, operations);
	verify(&bare);
	close_database(&bare);
	printf("{\"operations\": %" PRId64 ", \"wall_ns\": %" PRIu64 ", \"cpu_ns\": %" PRIu64 "}\n",
	       operations, cost.wall_ns, cost.cpu_ns);
	return 0;
}
