# SPDX-License-Identifier: MIT
"""Samples with several clients: processes that share one database and the operations.

Arguments: the program, and the library that meddles with its clients (meddle.c).
"""

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
import time

import harness
from harness import SYNCOST, Case, end, unittest, wait_for

MEDDLE = sys.argv[2]
PATIENCE = harness.PATIENCE = 60  # seconds, and none of it is used
ROWS = 100  # of the suite's dataset
SHIM, TAP = 1, 2

ITEM = {"id": {"generator": "sequence", "after_dataset": True},
        "owner": {"generator": "uniform", "min": 1, "max": 1000},
        "note": {"generator": "text", "min_bytes": 80, "max_bytes": 120}}
PICK = {"id": {"generator": "pick"}, "step": {"generator": "uniform", "min": 1, "max": 9}}
INSERT = "INSERT INTO item(id, owner, note) VALUES(:id, :owner, :note)"
UPDATE = "UPDATE item SET owner = owner + :step WHERE id = :id"
SUMS = ["SELECT sum(owner) = :dataset_sum_owner + :sum_step FROM item"]


def workload(name, statements, parameters, checks, **more):
    return {"name": name, "title": name, "unit": "row", "writes": True, "statements": statements,
            "parameters": parameters, "ledger_ops": 60, "warmup_ops": 5, "checks": checks, **more}


SUITE = {
    "name": "shared", "title": "What several clients run",
    "schema": ["CREATE TABLE item(id INTEGER PRIMARY KEY, owner INTEGER NOT NULL, "
               "note TEXT NOT NULL)"],
    "dataset": {"rows": ROWS, "rows_per_transaction": 100, "sql": INSERT,
                "parameters": {**ITEM, "id": {"generator": "sequence"}}},
    "workloads": [
        workload("insert", [INSERT], ITEM,
                 ["SELECT count(*) = :rows + :operations FROM item",
                  "SELECT sum(id) = :dataset_sum_id + :sum_id FROM item"],
                 rows_per_commit={"default": 1, "varies": True}),
        workload("update", [UPDATE], PICK, SUMS, rows_per_commit={"default": 1, "varies": True}),
        workload("look_and_update", ["SELECT owner FROM item WHERE id = :id", UPDATE], PICK, SUMS,
                 begin="deferred", rows_per_commit={"default": 1, "varies": True},
                 expect={"result_rows_per_operation": 1}),
        workload("look", ["SELECT owner FROM item WHERE id = :id"], {"id": PICK["id"]},
                 ["SELECT :result_rows >= :operations"], writes=False,
                 expect={"result_rows_per_operation": 1}),
    ],
}


def children(pid):
    """Numbers and names of the processes that @pid has started and that are not dead."""
    found = {}
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                comm, _, rest = file.read().partition("(")[2].rpartition(")")
        except OSError:
            continue
        state, parent = rest.split()[:2]
        if int(parent) == pid and state not in "ZX":
            found[int(name)] = comm
    return found


def is_alive(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class Shared(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.directory()  # of the library that meddles

    def spec(self, clients, journal="wal", name="insert", operations=128, **more):
        self.data = self.directory(self.place)
        setting = {"journal_mode": journal, "synchronous": "off", "locking_mode": "normal",
                   "fullfsync": False, "checkpoint_fullfsync": False, "page_size": 4096,
                   "cache_size": -2000, "wal_autocheckpoint": 50, "mmap_size": 0,
                   "rows_per_commit": 0}
        spec = {"kind": "timing", "wal_state": "recycled", "cell_id": "test/cell",
                "workload": name, "directory": self.data, "store": "sqlite", "rows": 0,
                "operations": operations, "seed": 1, "time_limit_ns": 0, "round": 1,
                "instruments": 0, "disk": None, "disk_reason": "a test", "clients": clients,
                "suite_text": json.dumps(SUITE)}
        for key, value in more.items():
            if key in setting:
                setting[key] = value
            else:
                spec[key] = value
        return {**spec, "setting": setting}

    def start(self, spec, meddle=None, before=()):
        environment = dict(os.environ)
        if meddle:
            library = os.path.join(self.folder, "meddle.so")  # no blank in this path
            shutil.copyfile(MEDDLE, library)
            environment.update(LD_PRELOAD=library, MEDDLE=meddle, MEDDLE_FOLDER=self.folder)
            environment["ASAN_OPTIONS"] = (environment.get("ASAN_OPTIONS", "") +
                                           ":verify_asan_link_order=0")
        process = subprocess.Popen([*before, SYNCOST, "__sample"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment)
        self.addCleanup(end, process)
        process.stdin.write(json.dumps(spec) + "\n")
        process.stdin.close()
        process.stdin = None
        return process

    def answer(self, process):
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(err, "")
        return json.loads(out)

    def sample(self, spec, **options):
        return self.answer(self.start(spec, **options))

    def measured(self, sample):
        self.assertEqual((sample["status"], sample["verified"]), ("measured", True),
                         sample["reason"])
        return sample

    def database(self):
        path = os.path.join(self.data, "bench.db")
        db = sqlite3.connect(path, timeout=PATIENCE, isolation_level=None)
        self.addCleanup(db.close)
        return db

    def content(self):
        return self.database().execute("SELECT * FROM item ORDER BY id").fetchall()

    def hung(self):
        """The process that hangs, once it does."""
        def read():
            try:
                with open(os.path.join(self.folder, "hung"), encoding="utf-8") as file:
                    return int(file.read() or 0)
            except FileNotFoundError:
                return 0
        return wait_for(read, "a client that hangs")

    def words(self, name):
        return [word for word in os.listdir(self.folder) if word.startswith(name + ".")]

    def leave(self, name):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8"):
            pass


class Whole(Shared):
    def test_nothing_is_lost(self):
        """2, 16 and 64 clients leave the very rows that one client leaves"""
        for journal in ("wal", "delete"):
            for name in ("insert", "update"):
                alone = self.measured(self.sample(self.spec(1, journal, name)))
                rows = self.content()
                for clients in (2, 16, 64):
                    with self.subTest(journal=journal, workload=name, clients=clients):
                        sample = self.measured(self.sample(self.spec(clients, journal, name)))
                        self.assertEqual(sample["operations"], alone["operations"])
                        self.assertEqual(sample["commits"], 128)
                        self.assertEqual(sample["op_ns"]["n"], 128)
                        self.assertEqual(sample["commit_ns"]["n"], 128)
                        self.assertEqual(self.content(), rows)

    def test_transactions(self):
        """so do transactions of several operations, of all journals, whichever way they begin"""
        for journal in ("wal", "delete", "truncate", "persist", "memory", "off"):
            for name in ("insert", "look_and_update"):
                with self.subTest(journal=journal, workload=name):
                    wanted = {"rows_per_commit": 4}
                    self.measured(self.sample(self.spec(1, journal, name, **wanted)))
                    rows = self.content()
                    sample = self.measured(self.sample(self.spec(8, journal, name, **wanted)))
                    self.assertEqual(sample["commits"], 32)
                    self.assertEqual(sample["op_ns"]["n"], 128)
                    self.assertEqual(self.content(), rows)

    def test_whole_commits(self):
        """each client has the same number of whole commits, so that the total is rounded up"""
        sample = self.measured(self.sample(self.spec(3, operations=10, rows_per_commit=2)))
        self.assertEqual((sample["operations"], sample["commits"]), (12, 6))

    def test_reads(self):
        """clients that only read are not busy, and read what is there"""
        for journal in ("wal", "delete"):
            with self.subTest(journal):
                sample = self.measured(self.sample(self.spec(8, journal, "look", 4000)))
                self.assertEqual((sample["operations"], sample["commits"]), (4000, 0))
                self.assertEqual(sample["busy_retries"], 0)

    def test_walls(self):
        """the sample's time is that of the clients together, the split's that of each"""
        spec = self.spec(4, kind="ledger", instruments=SHIM | TAP, operations=400)
        sample = self.measured(self.sample(spec))
        split = sample["split_ns"]
        parts = sum(split["wall"].values())
        self.assertEqual(split["total"] - split["own"] - parts, split["residual"])
        self.assertLess(abs(split["residual"]), split["total"] / 20)
        self.assertLessEqual(split["total"], 4 * sample["wall_ns"])
        self.assertGreater(split["total"], sample["op_ns"]["max"])

    def test_one(self):
        """a specification without clients, with 0 or with 1 of them starts no process"""
        for clients in (None, 0, 1):
            spec = self.spec(clients)
            if clients is None:
                del spec["clients"]
            with self.subTest(clients):
                process = self.start(spec, meddle="absent")  # would kill a client
                self.measured(self.answer(process))

    def test_fresh(self):
        """a fresh WAL ends the part of all clients before its first checkpoint"""
        spec = self.spec(4, wal_state="fresh", operations=4000, wal_autocheckpoint=200)
        sample = self.measured(self.sample(spec))
        self.assertLess(sample["operations"], 4000)
        self.assertEqual(sample["checkpoints_seen"], 0)
        self.assertGreater(sample["space"]["wal_bytes"], 200 * 4096)

    def test_exclusive(self):
        """locking_mode=EXCLUSIVE lets one connection in, and a sample with more says so"""
        sample = self.sample(self.spec(4, locking_mode="exclusive"))
        self.assertEqual(sample["status"], "unsupported")
        self.assertIn("locking_mode=EXCLUSIVE", sample["reason"])


class Busy(Shared):
    def held_up(self, clients, journal, name, meddle, lock):
        """A sample of which each client meets SQLITE_BUSY: @lock(db) while all are held up."""
        process = self.start(self.spec(clients, journal, name), meddle=meddle)
        wait_for(lambda: len(self.words("ready")) == clients, "the start of all clients")
        db = self.database()
        lock(db)
        self.leave("go")
        return process, db

    def test_lock(self):
        """clients that find the database locked try again, and are counted"""
        for journal in ("delete", "wal"):
            with self.subTest(journal):
                self.folder = self.directory()
                process, db = self.held_up(16, journal, "insert", "start",
                                           lambda db: db.execute("BEGIN IMMEDIATE"))
                wait_for(lambda: len(self.words("busy")) == 16, "a lock that all of them meet")
                db.execute("ROLLBACK")
                sample = self.measured(self.answer(process))
                self.assertGreaterEqual(sample["busy_retries"], 16)
                self.assertGreaterEqual(sample["busy_ns"], 16 * 50_000)

    def test_snapshot(self):
        """a transaction whose snapshot is out of date begins anew and is no failure"""
        process, db = self.held_up(8, "wal", "look_and_update", "stale",
                                   lambda db: db.execute("PRAGMA user_version=7"))
        sample = self.measured(self.answer(process))
        self.assertGreaterEqual(sample["busy_retries"], 8)
        self.assertEqual(sample["op_ns"]["n"], 128)
        self.assertEqual(db.execute("PRAGMA user_version").fetchone(), (7,))

    def test_upgrade(self):
        """readers that all want to write give way to one another"""
        process, _ = self.held_up(8, "delete", "look_and_update", "stale", lambda db: None)
        sample = self.measured(self.answer(process))
        self.assertGreaterEqual(sample["busy_retries"], 7)
        self.assertEqual(sample["op_ns"]["n"], 128)


class Dead(Shared):
    REASON = re.compile(r"client (\d) of 4 was killed by signal 9 \(Killed\) after (\d+) operations; "
                        r"3 others finished with (\d+) operations; (.*) \(timing sample of "
                        r"\d+ operations, and (\d+) before the clock\)")

    def killed(self, journal, meddle, meanwhile=None, **more):
        """The sample of which one client is killed where it hangs; (its operations, the rest)."""
        process = self.start(self.spec(4, journal, **more), meddle=meddle)
        victim = self.hung()
        self.assertIn(children(process.pid)[victim], ("sc-measure", "syncost"))
        if meanwhile:
            meanwhile()
        os.kill(victim, signal.SIGKILL)
        sample = self.answer(process)
        self.assertEqual((sample["status"], sample["verified"]), ("failed", False))
        match = self.REASON.fullmatch(sample["reason"])
        self.assertTrue(match, sample["reason"])
        self.assertEqual(children(process.pid), {})
        return match

    def test_killed(self):
        """one that is killed in the middle is reported, the others finish, nothing is lost"""
        for journal in ("wal", "delete"):
            for meddle, extra in (("before", 0), ("after", 1), ("sync", 0)):
                with self.subTest(journal=journal, place=meddle):
                    self.folder = self.directory()
                    more = {"synchronous": "full"} if meddle == "sync" else {}
                    match = self.killed(journal, meddle, operations=40, **more)
                    self.assertEqual((match[2], match[3]), ("2", "30"))
                    self.assertEqual(match[4], "nothing acknowledged was lost")
                    self.assertEqual(len(self.content()),
                                     ROWS + int(match[5]) + 30 + 2 + extra)

    def test_lost(self):
        """a row that was acknowledged and is gone is told"""
        def lose():
            db = self.database()
            db.execute("DELETE FROM item WHERE id = 50")
        match = self.killed("delete", "before", lose)
        self.assertRegex(match[4], r"acknowledged ones were lost: .*does not hold")

    def test_failed(self):
        """one that fails in a transaction lets go of its locks, and the others finish"""
        for journal in ("wal", "delete"):
            with self.subTest(journal):
                self.folder = self.directory()
                spec = self.spec(4, journal, operations=80, rows_per_commit=4)
                sample = self.sample(spec, meddle="fail")
                self.assertEqual(sample["status"], "failed")
                self.assertRegex(sample["reason"],
                                 r"client \d of 4 failed after 0 operations: INSERT.*; 3 others "
                                 r"finished with 60 operations; nothing acknowledged was lost")

    def test_before_the_start(self):
        """one that dies or fails before the start keeps nobody waiting"""
        for meddle, how in (("absent", r"was killed by signal 9 \(Killed\) before the start"),
                            ("refuse", r"failed before the start: open '.*bench.db'")):
            with self.subTest(meddle):
                self.folder = self.directory()
                process = self.start(self.spec(4), meddle=meddle)
                sample = self.answer(process)
                self.assertEqual(sample["status"], "failed")
                self.assertRegex(sample["reason"], r"client \d of 4 " + how)
                self.assertEqual(children(process.pid), {})

    def test_orphans(self):
        """clients die with the sample's own process"""
        process = self.start(self.spec(4), meddle="start")
        wait_for(lambda: len(self.words("ready")) == 4, "the start of all clients")
        clients = children(process.pid)
        self.assertEqual(len(clients), 4)
        process.kill()
        wait_for(lambda: not any(is_alive(pid) for pid in clients), "the end of all clients")

    def test_skipped(self):
        """a client that skips an operation is found out"""
        for journal in ("wal", "delete"):
            for name in ("insert", "update"):
                with self.subTest(journal=journal, workload=name):
                    self.folder = self.directory()
                    sample = self.sample(self.spec(4, journal, name), meddle="skip")
                    self.assertEqual((sample["status"], sample["verified"]), ("failed", False))
                    self.assertIn("does not hold after", sample["reason"])


class Truth(Shared):
    """Ledgers against strace: what the clients asked of the kernel in their timed parts."""

    LINE = re.compile(r"^(\d+) +(\w+)\((\d+)<([^>]*)>.*\) += (\d+)$")
    NAME = re.compile(r'^(\d+) +prctl\(PR_SET_NAME, "([^"]*)"')
    ROLES = {"": "main_db", "-wal": "wal", "-journal": "main_journal"}

    @classmethod
    def setUpClass(cls):
        tried = None
        if shutil.which("strace"):
            tried = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"],
                                   stdin=subprocess.DEVNULL, capture_output=True)
        if tried is None or tried.returncode != 0:
            raise unittest.SkipTest("nothing can be traced here")

    def trace(self, spec):
        """(sample, {(role, call): [calls, bytes]}) of the phases sc-measure of all processes."""
        path = os.path.join(self.folder, "trace")
        before = ["strace", "-f", "-y", "-qq", "-e", "signal=none", "-s", "16", "-o", path, "-e",
                  "trace=prctl,fsync,fdatasync,pwrite64,write"]
        sanitizer = os.environ.get("ASAN_OPTIONS", "")
        os.environ["ASAN_OPTIONS"] = sanitizer + ":detect_leaks=0"  # impossible under ptrace
        try:
            sample = self.measured(self.sample(spec, before=before))
        finally:
            os.environ["ASAN_OPTIONS"] = sanitizer
        with open(path, encoding="utf-8", errors="replace") as file:
            return sample, self.read(file)

    def read(self, lines):
        counts, phases, unfinished = {}, {}, {}
        for line in lines:
            line = line.rstrip("\n")
            pid = line.split(" ", 1)[0]
            if line.endswith(" <unfinished ...>"):
                unfinished[pid] = line[:-len(" <unfinished ...>")]
                continue
            if " resumed>" in line:
                line = unfinished.pop(pid) + line.partition(" resumed>")[2]
            name, call = self.NAME.match(line), self.LINE.match(line)
            if name:
                phases[pid] = name[2]
            elif call and phases.get(pid) == "sc-measure":
                kind = self.kind(call[4])
                if kind:
                    count = counts.setdefault((kind, call[2]), [0, 0])
                    count[0] += 1
                    count[1] += int(call[5])
        return counts

    def kind(self, path):
        if path == self.data:
            return "directory"
        base = os.path.join(self.data, "bench.db")
        return self.ROLES.get(path[len(base):]) if path.startswith(base) else None

    def ledger(self, sample):
        counts = {}
        for row in sample["io"]:
            if row["instrument"] != "libc" or row["op"] not in ("fsync", "fdatasync", "write"):
                continue
            if row["role"] in ("directory", *self.ROLES.values()):
                call = "pwrite64" if row["op"] == "write" else row["op"]
                counts[row["role"], call] = [row["calls"], row["bytes"]]
        return counts

    def test_counts(self):
        """syncs and writes of all clients are those that strace sees, by file and byte"""
        for journal in ("wal", "delete", "truncate"):
            for clients in (2, 8):
                with self.subTest(journal=journal, clients=clients):
                    self.folder = self.directory()
                    spec = self.spec(clients, journal, operations=32, kind="ledger",
                                     synchronous="full", instruments=SHIM | TAP)
                    sample, seen = self.trace(spec)
                    self.assertEqual(self.ledger(sample), seen)
                    self.assertGreater(len(seen), 1)
                    syncs = sample["syncs"]
                    physical = sum(count for (_, call), (count, _) in seen.items()
                                   if call.endswith("sync"))
                    self.assertEqual(syncs["physical"], physical)
                    self.assertEqual(syncs["vfs"] + syncs["directory"], physical)
                    self.assertEqual(sample["commits"], 32)
                    self.assertEqual(sample["calls_dropped"], 0)
                    self.sums(sample)

    def sums(self, sample):
        """Figures that the clients' processes know in parts."""
        space = sample["space"]
        self.assertGreaterEqual(space["total_bytes_max"], space["total_bytes"])
        if space["wal_bytes"]:
            self.assertEqual(space["wal_bytes_max"], space["wal_bytes"])
            self.assertEqual(sample["checkpoints"]["resets"], sample["checkpoints_seen"])

    def test_left_out(self):
        """a ledger without the sync of one client differs from what strace sees"""
        spec = self.spec(2, "delete", operations=8, kind="ledger", synchronous="full",
                         instruments=SHIM | TAP)
        sample, seen = self.trace(spec)
        ledger = self.ledger(sample)
        ledger["main_db", "fdatasync"][0] -= 1
        self.assertNotEqual(ledger, seen)


if __name__ == "__main__":
    unittest.main()
