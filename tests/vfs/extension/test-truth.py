# SPDX-License-Identifier: MIT
"""The extension's figures against strace of the same run, and against the C API.

The sqlite3 shell and CPython's sqlite3 work through the extension under strace. What SQLite asked of
a file is what the kernel was asked, call by call and byte by byte; only shared memory and
directories are the VFS's own affair.
"""

import os
import subprocess
import unittest

from places import (EXTENSION, PATIENCE, READ_METER, Case, find_python, find_shell,
                    stranger_environment)
from witness import TracedCase, table_of, trace, truth_of

IO = "SELECT database, role, operation, calls, bytes FROM syncost_io;"

WORKER = '''
import os, sqlite3, sys, threading, subprocess
extension, home, reader = sys.argv[1:]
loader = sqlite3.connect(":memory:")
loader.enable_load_extension(True)
loader.load_extension(extension)
def work(number):
    db = sqlite3.connect(f"{home}/{number}.db", isolation_level=None)
    db.execute(f"PRAGMA journal_mode={('wal', 'delete', 'truncate', 'persist')[number % 4]}")
    db.execute(f"ATTACH '{home}/{number}-attached.db' AS other")
    db.execute("CREATE TABLE t(a, b)")
    db.execute("CREATE TABLE other.t(a)")
    for i in range(20):
        db.execute("BEGIN")
        db.execute("INSERT INTO t VALUES(?, randomblob(3000))", (i,))
        if i % 2:
            db.execute("INSERT INTO other.t VALUES(?)", (i,))
        db.execute("ROLLBACK" if i == 7 else "COMMIT")
    db.execute("SELECT count(*) FROM t").fetchall()
    db.close()
threads = [threading.Thread(target=work, args=(n,)) for n in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for row in loader.execute("SELECT database, role, operation, calls, failures, bytes, timed, "
                          "total_ns, max_ns FROM syncost_io"):
    print("io", *row, sep="|")
print("commits", *loader.execute("SELECT sum(commits) FROM syncost_checkpoints").fetchone(), sep="|")
print("records", *loader.execute(
    "SELECT count(*), sum(databases), min(ns) > 0, sum(sql_ns + read_ns + write_ns + sync_ns + "
    "lock_ns + shm_ns + other_ns <= ns) FROM syncost_commits").fetchone(), sep="|")
import json
path = json.loads(loader.execute("SELECT syncost_report('json')").fetchone()[0])["meter"]
sys.stdout.flush()
if reader:
    subprocess.run([reader, path], check=True)
'''


class Truth(TracedCase):
    def shell(self, mode, also=""):
        script = f"""
.load {EXTENSION}
.open {self.db}
PRAGMA journal_mode={mode};
CREATE TABLE t(a INTEGER PRIMARY KEY, b);
INSERT INTO t(b) VALUES('one');
INSERT INTO t(b) SELECT hex(randomblob(3000)) FROM t;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO t(b) SELECT hex(randomblob(600)) FROM n;
BEGIN; DELETE FROM t WHERE a % 3 = 0; ROLLBACK;
UPDATE t SET b = 'two' WHERE a < 20;
DELETE FROM t WHERE a > 100;
VACUUM;
SELECT count(*) FROM t;
{also}
.open :memory:
{IO}
"""
        done = trace.run([find_shell()], self.trace_path, input=script, capture_output=True,
                         text=True, env=stranger_environment(), timeout=PATIENCE)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return (table_of(line for line in done.stdout.splitlines() if line.count("|") == 4),
                truth_of(self.trace_path))

    def test_shell(self):
        """in the shell, calls and bytes on a database's files are those of strace, in each mode"""
        for mode in ("delete", "truncate", "persist", "memory", "off", "wal"):
            with self.subTest(mode):
                for name in os.listdir(self.home):
                    os.unlink(f"{self.home}/{name}")
                table, truth = self.shell(mode)
                self.compare(truth, table)
                self.assertGreater(table[(self.db, "main_db", "write")][0], 10)

    def test_unmeasured(self):
        """control: what a connection with another VFS writes is missed, and the comparison fails"""
        table, truth = self.shell("delete", f".open 'file:{self.db}?vfs=unix'\n"
                                            "INSERT INTO t(b) VALUES('unseen');")
        key = self.db, "main_db", "write"
        self.assertGreater(truth[key][0], table[key][0])

    def python(self, command, reader=""):
        done = command([find_python(), "-c", WORKER, EXTENSION, self.home, reader],
                       capture_output=True, text=True, env=stranger_environment(),
                       timeout=PATIENCE)
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        return done.stdout.splitlines()

    def test_python(self):
        """so they are in CPython, with eight threads, attached databases and rollbacks"""
        lines = self.python(lambda command, **options: trace.run(command, self.trace_path,
                                                                 **options))
        rows = (line.split("|")[1:] for line in lines if line.startswith("io|"))
        table = table_of("|".join(row[:4] + row[5:6]) for row in rows)
        self.compare(truth_of(self.trace_path), table)
        self.assertEqual(16, len({key[0] for key in table}))


class Interface(Case):
    def test_snapshot(self):
        """the table is what the C API reads in the same process's meter, row by row"""
        worker = Truth.python
        lines = worker(self, subprocess.run, READ_METER)
        table = [line.split("|")[1:] for line in lines if line.startswith("io|")]
        witness = [line.split("|") for line in lines if line.count("|") == 8]
        self.assertGreater(len(table), 100)
        self.assertEqual([row[:7] for row in witness], [row[:7] for row in table])
        for ours, theirs in zip(table, witness):
            if int(theirs[6]) == int(theirs[3]):
                self.assertEqual(theirs[7:], ours[7:])  # all were timed: nothing is estimated
            elif int(theirs[6]) == 0:
                self.assertEqual(["None", "None"], ours[7:])

    def test_commits(self):
        """commits are those of the program: eight threads, two databases in half of them"""
        lines = self.python_lines()
        # Mode changes aside: two CREATEs, 20 transactions less one that is rolled back, of which
        # nine write to the attached database too.
        self.assertEqual(8 * (1 + 19 + 1 + 9) + 2 * 1, int(lines["commits"][0]))
        records, databases, all_positive, within = map(int, lines["records"])
        self.assertEqual((8 * (1 + 19 + 1) + 2 * 1, int(lines["commits"][0])), (records, databases))
        self.assertEqual((1, records), (all_positive, within))

    def python_lines(self):
        lines = Truth.python(self, subprocess.run)
        return {line.split("|")[0]: line.split("|")[1:] for line in lines
                if not line.startswith("io|")}


if __name__ == "__main__":
    unittest.main()
