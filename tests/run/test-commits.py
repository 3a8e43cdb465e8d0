# SPDX-License-Identifier: MIT
"""syncost run: commits, checkpoints, waits and statements, against what the program did.

All that libc alone can show is tested without following SQL, too.

Arguments: syncost, a program in several lives.
"""

import csv
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import truth  # noqa: E402
from harness import Case  # noqa: E402

# Each program says how many write transactions it committed, as its last word.
HEAD = """
import os, sqlite3, sys, time
place, options = sys.argv[1], sys.argv[2:]
done = 0

def connect(name="a.db", uri=""):
    return sqlite3.connect(f"file:{place}/{name}?{uri}", uri=True, isolation_level=None, timeout=30)

def write(db, *statements):
    global done
    for statement in statements:
        db.execute(statement)
        done += 1
"""

MODES = HEAD + """
journal, synchronous, locking = options
db = connect()
db.execute(f"PRAGMA locking_mode={locking}")
was = db.execute("PRAGMA journal_mode").fetchone()[0]
assert db.execute(f"PRAGMA journal_mode={journal}").fetchone()[0].upper() == journal
done += journal == "WAL" and was != "wal"
db.execute(f"PRAGMA synchronous={synchronous}")
db.execute("PRAGMA cache_size=5")  # large transactions spill
write(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
for i in range(6):
    write(db, f"INSERT INTO t VALUES({i}, 1)")
for i in range(9):
    write(db, "UPDATE t SET b = b + 1 WHERE a = 3")  # the same page again and again
db.execute("BEGIN")
for i in range(100, 160):
    db.execute("INSERT INTO t VALUES(?, randomblob(1500))", (i,))
db.execute("UPDATE t SET b = 7")
write(db, "COMMIT")
db.execute("BEGIN")  # rolled back before and after something was written to the file
db.execute("UPDATE t SET b = 8 WHERE a = 2")
db.execute("ROLLBACK")
db.execute("BEGIN")
for i in range(200, 260):
    db.execute("INSERT INTO t VALUES(?, randomblob(1500))", (i,))
db.execute("ROLLBACK")
write(db, "INSERT INTO t VALUES(300, 1)")
db.execute("BEGIN")  # a part is taken back, the rest committed
db.execute("INSERT INTO t VALUES(301, 1)")
db.execute("SAVEPOINT s")
for i in range(400, 460):
    db.execute("INSERT INTO t VALUES(?, randomblob(1500))", (i,))
db.execute("ROLLBACK TO s")
write(db, "COMMIT")
db.execute("BEGIN IMMEDIATE")  # nothing is written
db.execute("COMMIT")
db.execute("SELECT count(*) FROM t").fetchall()
assert db.execute("SELECT count(*) FROM t").fetchone() == (68,)
db.close()
print(done)
"""

UNMARKED = HEAD + """
db = connect()
db.execute(f"PRAGMA journal_mode={options[0]}")
write(db, "CREATE TABLE t(a)", "INSERT INTO t VALUES(1)")
db.execute("BEGIN")
db.execute("INSERT INTO t VALUES(1)")
db.execute("INSERT INTO t VALUES(2)")
write(db, "COMMIT")
db.execute("SELECT * FROM t").fetchall()
print(done)
"""

SECTORS = HEAD + """
db = connect(uri="psow=0")
db.execute("PRAGMA page_size=512")
db.execute("PRAGMA journal_mode=WAL")
done += 1
db.execute(f"PRAGMA synchronous={options[0]}")
write(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", "INSERT INTO t VALUES(1, 1)")
for i in range(40):
    write(db, "UPDATE t SET b = b + 1")
db.close()
print(done)
"""

ATTACHED = HEAD + """
db = connect()
for name in "bc":
    db.execute(f"ATTACH '{place}/{name}.db' AS {name}")
for name in ("main", "b", "c"):
    write(db, f"CREATE TABLE {name}.t(a)")
for i in range(5):
    db.execute("BEGIN")
    for name in ("main", "b", "c"):
        db.execute(f"INSERT INTO {name}.t VALUES(1)")
    write(db, "COMMIT")
db.close()
print(done)
"""

RECOVERY = HEAD + """
db = connect()
write(db, "CREATE TABLE t(a)", "INSERT INTO t VALUES(1)")
child = os.fork()
if child == 0:
    other = connect()
    other.execute("PRAGMA cache_size=2")
    other.execute("BEGIN")
    for i in range(50):
        other.execute("INSERT INTO t VALUES(randomblob(3000))")
    os.kill(os.getpid(), 9)
os.waitpid(child, 0)
assert os.path.getsize(f"{place}/a.db-journal") > 512
assert db.execute("SELECT count(*) FROM t").fetchone() == (1,)  # plays the journal back
write(db, "INSERT INTO t VALUES(2)")
db.close()
print(done)
"""

CHECKPOINTS = HEAD + """
db = connect()
db.execute("PRAGMA journal_mode=WAL")
db.execute("PRAGMA synchronous=NORMAL")
db.execute("PRAGMA wal_autocheckpoint=20")
write(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)")
for i in range(100):
    write(db, f"INSERT INTO t VALUES({i}, 1)")
done += 1  # to WAL
time.sleep(0.2)  # what follows a commit at once looks as if that had caused it
db.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
db.close()
print(done)
"""

WAITS = HEAD + """
db = connect()
write(db, "CREATE TABLE t(a)")
db.execute(f"PRAGMA journal_mode={options[0]}")
done += options[0] == "WAL"
ready, told = os.pipe()
child = os.fork()
if child == 0:
    other = connect()
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO t VALUES(1)")
    os.write(told, b".")
    time.sleep(0.4)
    other.execute("COMMIT")
    other.close()
    os._exit(0)
done += 1
os.read(ready, 1)
begun = time.monotonic()
write(db, "INSERT INTO t VALUES(2)")
assert time.monotonic() - begun > 0.2
os.waitpid(child, 0)
db.close()
print(done)
"""


class RunCase(Case):
    SQL = "none"
    options = ()

    def run_python(self, program, *options):
        """Runs it in a place of its own; returns the report and how often it committed."""
        self.folder = os.path.join(self.directory(), "report")
        place = self.directory()
        done = self.run_syncost("run", "-q", "--sql", self.SQL, *self.options, "--out", self.folder,
                                "--", sys.executable, "-I", "-c",
                                program, place, *options)
        self.assertEqual((done.code, done.err), (0, ""), done)
        return truth.report(self.folder), int(done.out)

    def database(self, summary, name="a.db"):
        return next(entry for entry in summary["databases"]
                    if os.path.basename(entry["path"] or "") == name)

    def statements(self, summary):
        return {entry["sql"]: entry for entry in summary["statements"]}

    def assertCommits(self, journal, locking="NORMAL"):
        for synchronous in ("OFF", "NORMAL", "FULL", "EXTRA"):
            with self.subTest(synchronous):
                summary, done = self.run_python(MODES, journal, synchronous, locking)
                self.assertEqual(self.database(summary)["commits"], done)
                self.assertGreaterEqual(done, 19)


class Commits(RunCase):
    def test_delete(self):
        """commits with journal mode DELETE, rollbacks among them"""
        self.assertCommits("DELETE")

    def test_truncate(self):
        """… TRUNCATE"""
        self.assertCommits("TRUNCATE")

    def test_persist(self):
        """… PERSIST"""
        self.assertCommits("PERSIST")

    def test_wal(self):
        """… WAL"""
        self.assertCommits("WAL")

    def test_exclusive(self):
        """… each of them with locking_mode=EXCLUSIVE"""
        for journal in ("DELETE", "TRUNCATE", "PERSIST", "WAL"):
            with self.subTest(journal):
                self.assertCommits(journal, "EXCLUSIVE")

    def test_unsupported(self):
        """with the journal in memory or off commits are not known, and the reason is said"""
        for journal in ("MEMORY", "OFF"):
            with self.subTest(journal):
                summary, done = self.run_python(UNMARKED, journal)
                if self.SQL != "none":  # there they are known
                    self.assertEqual(self.database(summary)["commits"], done)
                    continue
                for key in ("commits", "commits_per_s"):
                    self.assertEqual(self.database(summary)[key]["status"], "unsupported")
                    self.assertIn("nothing marks the end", self.database(summary)[key]["reason"])

    def test_sectors(self):
        """frames that are repeated to the end of a sector (psow=0, pages of 512 bytes) count once"""
        for synchronous in ("NORMAL", "FULL"):
            with self.subTest(synchronous):
                summary, done = self.run_python(SECTORS, synchronous)
                self.assertEqual(self.database(summary)["commits"], done)
                if synchronous == "FULL":  # the control: they are there
                    self.assertGreater(self.database(summary)["wal"]["frames"], 2 * done)

    def test_attached(self):
        """one transaction on three databases is a commit of each, and one of the slowest"""
        summary, done = self.run_python(ATTACHED)
        self.assertEqual(done, 8)
        for name in ("a.db", "b.db", "c.db"):
            self.assertEqual(self.database(summary, name)["commits"], 6)
        commits = summary["slowest_commits"]
        self.assertEqual(sorted(commit["databases"] for commit in commits), [1] * 3 + [3] * 5)

    def test_recovery(self):
        """playing a journal back is no commit"""
        summary, done = self.run_python(RECOVERY)
        self.assertEqual(self.database(summary)["commits"], done)

    def test_checkpoints(self):
        """checkpoints, resets and who paid: the commits that ran them, and no others"""
        summary, done = self.run_python(CHECKPOINTS)
        database = self.database(summary)
        self.assertEqual(database["commits"], done)
        self.assertGreaterEqual(database["checkpoints"]["count"], 4)
        self.assertEqual(database["wal"]["creations"], 1)
        self.assertGreaterEqual(database["wal"]["resets"], 3)
        self.assertGreater(database["checkpoints"]["ns"], 0)
        paid = [commit for commit in summary["slowest_commits"] if commit["checkpoint_ns"] > 0]
        # The last one was asked for: no commit paid for it.
        self.assertEqual(len(paid), database["checkpoints"]["count"] - 1)
        for commit in paid:
            self.assertLess(commit["checkpoint_ns"], commit["ns"])
            self.assertGreaterEqual(commit["syncs"], 2)

    def test_waits(self):
        """a lock that another process holds is a wait of that time, on that database"""
        for journal in ("DELETE", "WAL"):
            with self.subTest(journal):
                summary, done = self.run_python(WAITS, journal)
                database = self.database(summary)
                self.assertEqual(database["commits"], done)
                self.assertEqual(database["lock_waits"]["count"], 1)
                self.assertGreater(database["lock_waits"]["ns"], 200e6)
                self.assertLess(database["lock_waits"]["ns"], 5e9)

    def test_no_waits(self):
        """a program that sleeps by itself waits for no lock"""
        program = HEAD + """
db = connect()
write(db, "CREATE TABLE t(a)")
time.sleep(0.2)
write(db, "INSERT INTO t VALUES(2)")
print(done)
"""
        summary, done = self.run_python(program)
        self.assertEqual(self.database(summary)["lock_waits"], {"count": 0, "ns": 0})
        self.assertEqual(self.database(summary)["commits"], done)

    def test_split(self):
        """the parts of each of the slowest commits add up to its time"""
        summary, done = self.run_python(MODES, "DELETE", "FULL", "NORMAL")
        self.assertEqual(len(summary["slowest_commits"]), done)
        times = [commit["ns"] for commit in summary["slowest_commits"]]
        self.assertEqual(times, sorted(times, reverse=True))
        for commit in summary["slowest_commits"]:
            self.assertAlmostEqual(sum(commit["split_ns"].values()), commit["ns"],
                                   delta=commit["ns"] / 50)
            self.assertIn(commit["syncs"], (3, 4, 5, 6))

    def test_timeline(self):
        """the timeline counts commits and checkpoints"""
        summary, done = self.run_python(CHECKPOINTS)
        with open(os.path.join(self.folder, "timeline.csv"), encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(int(rows[-1]["commits"]), done)
        self.assertEqual(int(rows[-1]["checkpoints"]),
                         self.database(summary)["checkpoints"]["count"])


class CommitsOfStatements(Commits):
    """The same where SQLite's calls are followed."""

    SQL = "shape"

    def test_unmarked(self):
        """with the journal in memory or off commits are known from SQLite itself"""
        self.assertCommits("MEMORY")

    def test_attached_wal(self):
        """one transaction on two databases with a WAL is one commit"""
        program = ATTACHED.replace("for name in (\"main\", \"b\", \"c\"):\n    write(",
                                   "for name in (\"main\", \"b\", \"c\"):\n"
                                   "    db.execute(f\"PRAGMA {name}.journal_mode=WAL\")\n    write(")
        summary, _ = self.run_python(program)
        commits = [commit["databases"] for commit in summary["slowest_commits"]
                   if commit["sql"] == "COMMIT"]
        self.assertEqual(commits, [3] * 5)

    def test_asked_for(self):
        """a checkpoint that is asked for right after a commit was paid for by no commit"""
        summary, _ = self.run_python(CHECKPOINTS.replace("time.sleep", "(lambda _: 0)"))
        paid = [commit for commit in summary["slowest_commits"] if commit["checkpoint_ns"] > 0]
        self.assertEqual(len(paid), self.database(summary)["checkpoints"]["count"] - 1)


STATEMENTS = HEAD + """
db = connect()
write(db, "CREATE TABLE t(a INTEGER PRIMARY KEY, b)", "CREATE TABLE log(a)")
for i in range(50):
    db.execute(f"SELECT count(*), {i} FROM t WHERE b = 'secret{i}'").fetchall()
    db.execute(f"UPDATE t SET b = 'secret' WHERE a = {i}")
for i in range(5):
    write(db, f"INSERT INTO log VALUES('secret {i}')")
got = db.execute("INSERT INTO t VALUES(1, 'secret') RETURNING a")
assert next(got) == (1,)
del got  # the commit is in sqlite3_reset() or sqlite3_finalize()
done += 1
db.execute("BEGIN")
db.execute("INSERT INTO t VALUES(2, x'00ff')")
write(db, "COMMIT")
db.close()
print(done)
"""

THREADS = HEAD + """
import threading
db = connect(uri="cache=private")
write(db, "CREATE TABLE t(a)")
ready = threading.Event()

def hold():
    other = connect()
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO t VALUES(1)")
    ready.set()
    time.sleep(0.4)
    other.execute("COMMIT")
    other.close()

holder = threading.Thread(target=hold)
holder.start()
ready.wait()
write(db, "INSERT INTO t VALUES(2)")
holder.join()
done += 1
db.close()
print(done)
"""

TRACED = HEAD + """
seen = []
db = connect()
db.set_trace_callback(seen.append)
write(db, "CREATE TABLE t(a)", "INSERT INTO t VALUES(1)")
db.create_function("nested", 1, lambda n: connect().execute("SELECT count(*) FROM t").fetchone()[0])
write(db, "INSERT INTO t SELECT nested(a) FROM t")
db.set_trace_callback(None)
assert seen == ["CREATE TABLE t(a)", "INSERT INTO t VALUES(1)", "INSERT INTO t SELECT nested(a) FROM t"]
db.close()
print(done)
"""


class Statements(RunCase):
    SQL = "shape"

    def test_charged(self):
        """what syncs is named, and charged to its statement: also in a reset, also in COMMIT"""
        summary, done = self.run_python(STATEMENTS)
        self.assertEqual(self.database(summary)["commits"], done)
        found = self.statements(summary)
        most = max(summary["statements"], key=lambda entry: entry["syncs"])
        self.assertEqual(most["sql"], "INSERT INTO log VALUES(?)")
        times = [entry["sync_ns"] for entry in summary["statements"]]
        self.assertEqual(times, sorted(times, reverse=True))
        expected = {
            "INSERT INTO log VALUES(?)": (5, 5, 20),
            "INSERT INTO t VALUES(?, ?) RETURNING a": (1, 1, 4),
            "INSERT INTO t VALUES(?, ?)": (1, 0, 0),
            "COMMIT": (1, 1, 4),
            "CREATE TABLE log(a)": (1, 1, 4),
            "SELECT count(*), ? FROM t WHERE b = ?": (50, 0, 0),
            "UPDATE t SET b = ? WHERE a = ?": (50, 0, 0),
        }
        for sql, (executions, commits, syncs) in expected.items():
            with self.subTest(sql):
                self.assertEqual([found[sql][key] for key in ("executions", "commits", "syncs")],
                                 [executions, commits, syncs])
        self.assertEqual(sum(entry["syncs"] for entry in found.values()),
                         self.database(summary)["syncs"]["physical"])
        self.assertEqual(sum(entry["commits"] for entry in found.values()), done)
        self.assertGreater(found["COMMIT"]["ns"], found["COMMIT"]["sync_ns"])

    def test_no_secrets(self):
        """literals stand in no file of the report, but with --sql full"""
        self.run_python(STATEMENTS)
        for name in ("timeline.csv", "summary.md", "summary.json"):
            with open(os.path.join(self.folder, name), encoding="utf-8") as file:
                lines = [line for line in file if "command_line" not in line and
                         not line.startswith("Command: ")]
            self.assertNotIn("secret", "".join(lines[2:] if name == "summary.md" else lines)
                             if name != "summary.md" else "".join(
                                 line for line in lines if line.startswith("1. ")))
        self.SQL = "full"
        summary, _ = self.run_python(STATEMENTS)
        self.assertIn("INSERT INTO log VALUES('secret 3')", self.statements(summary))

    def test_none(self):
        """--sql none: nothing is kept, and the report says so"""
        self.SQL = "none"
        summary, done = self.run_python(STATEMENTS)
        self.assertEqual(summary["statements"]["status"], "skipped")
        self.assertEqual(self.database(summary)["commits"], done)
        self.assertEqual({commit["sql"] for commit in summary["slowest_commits"]}, {None})

    def test_paid(self):
        """the statement that ran the autocheckpoint is named as the one that paid"""
        summary, _ = self.run_python(CHECKPOINTS)
        paid = {sql: entry["checkpoints"] for sql, entry in self.statements(summary).items()
                if entry["checkpoints"] > 0}
        self.assertEqual(paid, {"INSERT INTO t VALUES(?, ?)":
                                self.database(summary)["checkpoints"]["count"] - 1})

    def test_waits(self):
        """a lock that is held is a wait of the statement that wanted it, between threads, too"""
        for program, options in ((WAITS, ["DELETE"]), (WAITS, ["WAL"]), (THREADS, [])):
            with self.subTest(options):
                summary, done = self.run_python(program, *options)
                self.assertEqual(self.database(summary)["commits"], done)
                waits = {sql: entry["lock_wait_ns"]
                         for sql, entry in self.statements(summary).items()
                         if entry["lock_waits"] > 0}
                self.assertEqual(list(waits), ["INSERT INTO t VALUES(?)"])
                self.assertGreater(waits["INSERT INTO t VALUES(?)"], 200e6)
                waited = [commit for commit in summary["slowest_commits"]
                          if commit["split_ns"]["lock"] > 200e6]
                self.assertEqual([commit["sql"] for commit in waited],
                                 ["INSERT INTO t VALUES(?)"])

    def test_trace(self):
        """the program's own trace callback and functions that run SQL keep working"""
        summary, done = self.run_python(TRACED)
        self.assertEqual(self.database(summary)["commits"], done)
        found = self.statements(summary)
        self.assertEqual(found["SELECT count(*) FROM t"]["executions"], 1)
        self.assertEqual(found["INSERT INTO t SELECT nested(a) FROM t"]["commits"], 1)


SETTINGS = HEAD + """
db = connect()
write(db, "CREATE TABLE t(a)")
for i in range(6):
    write(db, "INSERT INTO t VALUES(1)")
got = [db.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
assert sqlite3.connect(":memory:").execute("PRAGMA journal_mode").fetchone() == ("memory",)
db.execute("PRAGMA synchronous=OFF")  # the program's own word comes last
db.execute("INSERT INTO t VALUES(1)")
done += 1
db.close()
assert got == [options[0], int(options[1])], got
print(done)
"""

# Through a handle: its calls do not pass by us.
HANDLE = """
import ctypes, ctypes.util, sys
lib = ctypes.CDLL(ctypes.util.find_library("sqlite3") or "libsqlite3.so.0")
db = ctypes.c_void_p()
assert lib.sqlite3_open(f"{sys.argv[1]}/a.db".encode(), ctypes.byref(db)) == 0
for i in range(3):
    assert lib.sqlite3_exec(db, b"CREATE TABLE IF NOT EXISTS t(a); INSERT INTO t VALUES(1)",
                            None, None, None) == 0
assert lib.sqlite3_close(db) == 0
print(4)
"""


class WhatIf(RunCase):
    SQL = "shape"

    def test_set(self):
        """--set applies settings to each connection: fewer syncs, and what was set is said"""
        summary, done = self.run_python(SETTINGS, "delete", "2")
        before = self.database(summary)["syncs"]["physical"]
        self.assertNotIn("set", summary["run"])
        self.options = ("--set", "synchronous=NORMAL,journal_mode=wal")
        summary, done_with = self.run_python(SETTINGS, "wal", "1")
        self.assertEqual(self.database(summary)["commits"], done_with + 1)  # the change of mode
        self.assertLess(self.database(summary)["syncs"]["physical"], before / 2)
        self.assertEqual(summary["run"]["set"], {
            "pragmas": "PRAGMA journal_mode = wal;PRAGMA synchronous = normal;",
            "connections": 1, "refused": 0})
        self.assertEqual(done, done_with)

    def test_refused(self):
        """a setting that SQLite does not take is a finding"""
        self.options = ("--set", "journal_mode=wal")
        program = HEAD + """
db = sqlite3.connect(f"file:{place}/a.db?vfs=unix-none", uri=True, isolation_level=None)
db.execute("CREATE TABLE t(a)")
print(db.execute("PRAGMA journal_mode").fetchone()[0] == "wal")
"""
        self.folder = os.path.join(self.directory(), "report")
        place = self.directory()
        done = self.run_syncost("run", "-q", *self.options, "--out", self.folder, "--",
                                sys.executable, "-I", "-c", program, place)
        self.assertEqual((done.code, done.out), (0, "False\n"), done)
        self.assertEqual([finding["code"] for finding in truth.report(self.folder)["findings"]],
                         ["set-refused"])

    def test_not_reached(self):
        """where no connection can be reached the exit code is 3, with the reason"""
        place = self.directory()
        command = ["run", "-q", "--out", f"{self.directory()}/report"]
        done = self.run_syncost(*command, "--set", "synchronous=off", "--", sys.executable, "-I",
                                "-c", HANDLE, place)
        self.assertEqual((done.code, done.out), (3, "4\n"), done)
        self.assertRegex(done.err, r"\Asyncost run: --set changed nothing: [^\n]*\n\Z")

    def test_handle(self):
        """a library that is opened through a handle is measured from libc"""
        summary, done = self.run_python(HANDLE)
        self.assertEqual(self.database(summary)["commits"], done)

    def test_usage(self):
        """a bad setting is named, and nothing is run: exit code 2"""
        for text, *words in (("speed=9", "speed", "journal_mode"),
                             ("journal_mode=fast", "journal_mode", "fast", "truncate"),
                             ("page_size=no", "page_size", "from 512 to 65536"),
                             ("synchronous", "synchronous"), ("", "empty")):
            done = self.run_syncost("run", "--set", text, "--", "touch", "was-run")
            self.assertOneLine(done, 2, "--set", *words)
        self.assertFalse(os.path.exists(os.path.join(self.place, "was-run")))


if __name__ == "__main__":
    unittest.main()
