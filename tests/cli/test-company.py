# SPDX-License-Identifier: MIT
"""What clients may have beside them, how they wait, and when their operations are due.

Arguments: the program, and the library that meddles with its processes (meddle.c).
"""

import hashlib
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import time

import harness
from harness import SYNCOST, Case, end, unittest, wait_for

MEDDLE = sys.argv[2]
PATIENCE = harness.PATIENCE = 60  # seconds, and none of it is used
ROWS = 100  # of the suite's dataset
PAGES = 50  # wal_autocheckpoint
SHIM, TAP = 1, 2
MS = 1_000_000

BUSY = {"pause_ms": 1, "limit_ms": 30000, "replay": False}
PICK = {"id": {"generator": "pick"}, "step": {"generator": "uniform", "min": 1, "max": 9}}
ID = {"id": PICK["id"]}
ADD = "UPDATE counter SET value = value + :step WHERE id = :id"
LOOK = "SELECT value FROM counter WHERE id = :id"
ALL = "SELECT sum(value) FROM counter"
EXACT = "SELECT sum(value) = :dataset_sum_value + :sum_step FROM counter"


def workload(name, statements, parameters, checks=(), **more):
    return {"name": name, "title": name, "unit": "row", "writes": True, "statements": statements,
            "parameters": parameters, "ledger_ops": 60, "warmup_ops": 5, "checks": list(checks),
            "expect": {"result_rows_per_operation": 0}, **more}


def reader(name, statement, parameters):
    return {**workload(name, [statement], parameters), "writes": False,
            "expect": {"result_rows_per_operation": 1}}


WORKLOADS = [
    reader("look", LOOK, ID),
    reader("look_at_all", ALL, {}),
    workload("add", [ADD], PICK, [EXACT]),
    workload("batch", [ADD], PICK, [EXACT], rows_per_commit=4, latency="transaction"),
    workload("batch_by_operation", [ADD], PICK, [EXACT], rows_per_commit=4),
    workload("polite", [ADD], PICK, [EXACT], busy=BUSY),
    workload("polite_batch", [ADD], PICK, [EXACT], busy=BUSY, rows_per_commit=4),
    workload("hasty", [ADD], PICK, [EXACT], busy={**BUSY, "limit_ms": 200}),
    workload("once", [LOOK, ADD], PICK, [EXACT], busy=BUSY, begin="deferred",
             expect={"result_rows_per_operation": 1}),
    workload("again", [LOOK, ADD], PICK, [EXACT], busy={**BUSY, "replay": True}, begin="deferred",
             expect={"result_rows_per_operation": 1}),
    workload("mixed", [ADD], PICK, [EXACT, "SELECT :look_operations = :look_result_rows"],
             beside=[{"workload": "look", "clients": 2}]),
    workload("mixed_writers", [ADD], PICK,
             ["SELECT sum(value) = :dataset_sum_value + :sum_step + :batch_sum_step FROM counter",
              "SELECT :batch_operations BETWEEN 1 AND 4 * :batch_commits"],
             beside=[{"workload": "batch", "clients": 2}, {"workload": "look"}]),
    workload("miscounted", [ADD], PICK, [EXACT], beside=[{"workload": "batch"}]),
    {**reader("watched", LOOK, ID), "beside": [{"workload": "add"}],
     "checks": ["SELECT sum(value) = :dataset_sum_value + :add_sum_step FROM counter"]},
    workload("held", [ADD], PICK, [EXACT],
             beside=[{"workload": "look_at_all", "hold_until": 0.5}]),
    workload("held_by_two", [ADD], PICK, [EXACT],
             beside=[{"workload": "look_at_all", "clients": 2, "hold_until": 0.125}]),
    workload("held_to_the_end", [ADD], PICK, [EXACT],
             beside=[{"workload": "look_at_all", "hold_until": 1}]),
    workload("not_held", [ADD], PICK, [EXACT], beside=[{"workload": "look_at_all"}]),
]
SUITE = {
    "name": "company", "title": "What several clients run",
    "schema": ["CREATE TABLE counter(id INTEGER PRIMARY KEY, value INTEGER NOT NULL)"],
    "dataset": {"rows": ROWS, "rows_per_transaction": 100,
                "sql": "INSERT INTO counter(id, value) VALUES(:id, :value)",
                "parameters": {"id": {"generator": "sequence"},
                               "value": {"generator": "uniform", "min": 1, "max": 99}}},
    "workloads": WORKLOADS,
}


class Company(Case):
    def setUp(self):
        super().setUp()
        self.folder = self.directory()  # of the library that meddles

    def spec(self, name, clients=1, operations=128, suite=SUITE, journal="wal", **more):
        self.data = self.directory(self.place)
        setting = {"journal_mode": journal, "synchronous": "off", "locking_mode": "normal",
                   "fullfsync": False, "checkpoint_fullfsync": False, "page_size": 4096,
                   "cache_size": -2000, "wal_autocheckpoint": PAGES, "mmap_size": 0,
                   "rows_per_commit": 0}
        return {"kind": "timing", "wal_state": "recycled", "cell_id": "test/cell",
                "workload": name, "directory": self.data, "store": "sqlite", "rows": 0,
                "operations": operations, "seed": 1, "time_limit_ns": 0, "round": 1,
                "instruments": 0, "disk": None, "disk_reason": "a test", "clients": clients,
                "suite_text": json.dumps(suite), "setting": setting, **more}

    def start(self, spec, meddle=None):
        environment = dict(os.environ)
        if meddle:
            library = os.path.join(self.folder, "meddle.so")  # no blank in this path
            shutil.copyfile(MEDDLE, library)
            environment.update(LD_PRELOAD=library, MEDDLE=meddle, MEDDLE_FOLDER=self.folder)
            environment["ASAN_OPTIONS"] = (environment.get("ASAN_OPTIONS", "") +
                                           ":verify_asan_link_order=0")
        process = subprocess.Popen([SYNCOST, "__sample"], stdin=subprocess.PIPE,
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

    def failed(self, sample, *words):
        self.assertEqual((sample["status"], sample["verified"]), ("failed", False))
        for word in words:
            self.assertIn(word, sample["reason"])

    def database(self):
        db = sqlite3.connect(os.path.join(self.data, "bench.db"), timeout=PATIENCE,
                             isolation_level=None)
        self.addCleanup(db.close)
        return db

    def words(self, name):
        return [word for word in os.listdir(self.folder) if word.startswith(name + ".")]

    def locked(self, name, clients, meanwhile, meddle="start", **more):
        """A sample whose clients all begin while the database is locked."""
        self.folder = self.directory()
        process = self.start(self.spec(name, clients, **more), meddle=meddle)
        wait_for(lambda: len(self.words("ready")) == clients, "the start of all clients")
        db = self.database()
        if meddle == "stale":  # they read, another one writes, then they write
            db.execute("PRAGMA user_version=7")
        else:
            db.execute("BEGIN IMMEDIATE")
        with open(os.path.join(self.folder, "go"), "w", encoding="utf-8"):
            pass
        meanwhile()
        if db.in_transaction:
            db.execute("ROLLBACK")
        return self.answer(process)


def slow(latency, ns):
    """Values of @ns or more; lower ends of buckets as in syncost/meter.h."""
    return sum(count for index, count in latency["histogram"] if lowest(index) >= ns)


def lowest(index):
    """The smallest value of a bucket: 32 for each power of two, the first 64 one by one."""
    if index < 64:
        return index
    return (32 + index % 32) << (index // 32 - 1)


class Busy(Company):
    def test_retries(self):
        """what is rejected is made again after a millisecond, counted, and its time is included"""
        for name in ("polite", "polite_batch"):
            with self.subTest(name):
                sample = self.measured(self.locked(
                    name, 4, lambda: wait_for(lambda: len(self.words("busy")) == 4, "a lock")
                    and time.sleep(0.2)))
                self.assertGreaterEqual(sample["busy_retries"], 4)
                self.assertGreaterEqual(sample["busy_ns"], sample["busy_retries"] * MS)
                self.assertGreaterEqual(sample["busy_ns"], 4 * 200 * MS * 0.9)
                self.assertGreaterEqual(slow(sample["op_ns"], 150 * MS), 4)
                self.assertEqual(sample["op_ns"]["n"], 128)

    def test_limit(self):
        """patience with one call ends, and is not renewed by what others do"""
        sample = self.locked("hasty", 2, lambda: time.sleep(1))
        self.failed(sample, "stayed locked (SQLITE_BUSY) for 200 ms", "nothing acknowledged was")

    def test_no_replay(self):
        """a transaction that is rejected inside is not run again, unless the suite says so"""
        self.failed(self.locked("once", 4, lambda: None, meddle="stale"),
                    "SQLITE_BUSY inside of a transaction", "not to be replayed: UPDATE counter")
        sample = self.measured(self.locked("again", 4, lambda: None, meddle="stale"))
        self.assertGreaterEqual(sample["busy_retries"], 4)

    def test_timeout(self):
        """with a busy timeout SQLite waits by itself, and nothing is made again"""
        sample = self.measured(self.locked(
            "polite", 4, lambda: time.sleep(0.3),
            suite={**SUITE, "connection": {"busy_timeout_ms": 60000}}))
        self.assertEqual(sample["busy_retries"], 0)
        self.assertGreaterEqual(slow(sample["op_ns"], 200 * MS), 4)

    def test_exact(self):
        """1, 4, 16 and 64 clients leave the exact sum, and a wrong one is found"""
        for clients in (1, 4, 16, 64):
            for name in ("polite", "polite_batch"):
                with self.subTest(name=name, clients=clients):
                    sample = self.measured(self.sample(self.spec(name, clients, 256)))
                    self.assertEqual(sample["operations"], 256)
        wrong = json.loads(json.dumps(SUITE).replace(":dataset_sum_value + :sum_step FROM",
                                                     ":dataset_sum_value + :sum_step + 1 FROM"))
        self.failed(self.sample(self.spec("polite", 4, suite=wrong)), "does not hold after")


class Latency(Company):
    def test_transaction(self):
        """a transaction's latency divided by its operations is one value"""
        for clients in (1, 4):
            sample = self.measured(self.sample(self.spec("batch", clients)))
            self.assertEqual((sample["operations"], sample["op_ns"]["n"]), (128, 32))
            self.assertEqual(sample["commit_ns"]["n"], 32)
            self.assertLess(sample["op_ns"]["max"] * 4, sample["wall_ns"] + 4)
            sample = self.measured(self.sample(self.spec("batch_by_operation", clients)))
            self.assertEqual(sample["op_ns"]["n"], 128)


class Beside(Company):
    def test_readers(self):
        """readers run as long as the writers do, and are told apart"""
        for clients in (1, 4):
            for journal in ("wal", "delete"):
                sample = self.measured(self.sample(self.spec("mixed", clients, 400,
                                                             journal=journal)))
                self.assertEqual((sample["operations"], sample["op_ns"]["n"]), (400, 400))
                part, = sample["beside"]
                self.assertEqual((part["workload"], part["clients"], part["commits"]),
                                 ("look", 2, 0))
                self.assertGreater(part["operations"], 0)
                self.assertEqual(part["op_ns"]["n"], part["operations"])
                self.assertEqual(part["wall_ns"], sample["wall_ns"])

    def test_writers(self):
        """what other writers changed is in the sums, to the last step"""
        for clients in (1, 4):
            sample = self.measured(self.sample(self.spec("mixed_writers", clients, 400)))
            batch, look = sample["beside"]
            self.assertEqual((batch["workload"], look["workload"]), ("batch", "look"))
            self.assertGreater(batch["commits"], 0)
            total, = self.database().execute(ALL).fetchone()
            self.assertGreater(total, 0)

    def test_miscounted(self):
        """a check that leaves other writers out is found to be wrong"""
        self.failed(self.sample(self.spec("miscounted", 1, 400)), "does not hold after")

    def test_ledger(self):
        """the ledger counts the workload's own clients alone"""
        for name, clients in (("watched", 2), ("mixed_writers", 2)):
            spec = self.spec(name, clients, 20000 if name == "watched" else 60, kind="ledger",
                             instruments=SHIM | TAP)
            spec["setting"]["synchronous"] = "full"
            sample = self.measured(self.sample(spec))
            self.assertGreater(sample["beside"][0]["commits"], 0)
            if name == "watched":
                self.assertEqual((sample["syncs"]["physical"], sample["commits"]), (0, 0))
            else:  # each of its own commits, and checkpoints
                self.assertGreaterEqual(sample["syncs"]["physical"], 60)

    def test_killed(self):
        """one beside that fails fails the sample, and keeps nobody waiting"""
        broken = json.loads(json.dumps(SUITE).replace('"SELECT value FROM counter WHERE id = :id"',
                                                      '"SELECT abs(-9223372036854775808 + 0 * :id)"'))
        self.failed(self.sample(self.spec("mixed", 2, suite=broken)), "client 3 of 4 failed")

    def test_refused(self):
        """what cannot run beside is told by the path of its key"""
        cases = (
            ([{"workload": "nobody"}], "beside[0].workload: must be a workload of the suite"),
            ([{"workload": "mixed"}], "beside[0].workload: must be another workload"),
            ([{"workload": "held"}], "beside[0].workload: must be a workload that runs alone"),
            ([{"workload": "add", "hold_until": 0.5}], "must only read"),
            ([{"workload": "look", "hold_until": 0}], "hold_until: must be above 0"),
            ([{"workload": "look"}, {"workload": "look"}], "beside[1].workload: is in an earlier"),
            ([{"workload": "look", "hold_until": 1}, {"workload": "look_at_all", "hold_until": 1}],
             "beside[1].hold_until: is in an earlier entry"),
            ([], "must have at least 1 entry"),
        )
        for beside, words in cases:
            with self.subTest(words):
                suite = json.loads(json.dumps(SUITE))
                for entry in suite["workloads"]:
                    if entry["name"] == "mixed":
                        entry["beside"] = beside
                        entry["checks"] = [EXACT]
                self.failed(self.sample(self.spec("look", suite=suite)), words)


    def test_what_only_means_something_alone_is_refused(self):
        cases = (("distinct_ops", 5, "without consumes_rows, starts_empty and distinct_ops"),
                 ("consumes_rows", 1, "without consumes_rows, starts_empty and distinct_ops"),
                 ("rows_per_commit", "rows", "whose rows_per_commit is a number"))
        for key, value, words in cases:
            with self.subTest(key):
                suite = json.loads(json.dumps(SUITE))
                for entry in suite["workloads"]:
                    if entry["name"] == "batch":
                        entry[key] = value
                self.failed(self.sample(self.spec("look", suite=suite)),
                            "beside[0].workload: must be a workload " + words)


class Held(Company):
    def test_paid(self):
        """the first commit after the release pays, is named, and copies what was held up"""
        for operations, kind in ((400, "timing"), (1000, "timing"), (400, "ledger")):
            with self.subTest(operations=operations, kind=kind):
                spec = self.spec("held", 1, operations, kind=kind,
                                 instruments=SHIM | TAP if kind == "ledger" else 0)
                sample = self.measured(self.sample(spec))
                hold, paid = sample["hold"], sample["hold"]["paid"]
                self.assertEqual((hold["holders"], hold["commits_held"]), (1, operations // 2))
                self.assertEqual((paid["client"], paid["commit"], paid["after_release"]),
                                 (1, operations // 2 + 1, 1))
                # one page a commit: what is in the WAL, but for what could be copied before
                self.assertEqual(hold["pages_released"],
                                 hold["pages_first"] + operations // 2 - 1)
                self.assertGreaterEqual(paid["frames"], operations // 2)
                self.assertLessEqual(paid["frames"], hold["pages_released"] + 1)
                self.assertLessEqual(paid["checkpoint_ns"], paid["ns"])
                self.assertGreater(hold["pages_max"], 3 * PAGES)
                self.assertEqual(hold["pages_max"], hold["pages_released"] + 1)
                self.assertGreaterEqual(sample["space"]["wal_bytes"],
                                        hold["pages_max"] * (4096 + 24))
                points = hold["wal_pages"]
                self.assertEqual(points, sorted(points, key=lambda point: point[0]))
                self.assertGreater(len(points), 30)
                grown = [pages for ns, pages in points if ns < hold["held_ns"]]
                self.assertEqual(grown, sorted(grown))
                self.assertLessEqual(points[-1][1], PAGES + 1)  # it was reset

    def test_sqlite(self):
        """SQLite itself, without this program: the file changes at that very commit"""
        path = os.path.join(self.place, "truth.db")
        db = sqlite3.connect(path, isolation_level=None)
        db.execute("PRAGMA journal_mode=wal")
        db.execute(f"PRAGMA wal_autocheckpoint={PAGES}")
        db.execute("CREATE TABLE counter(id INTEGER PRIMARY KEY, value INTEGER NOT NULL)")
        db.execute("INSERT INTO counter VALUES(1, 0)")
        other = sqlite3.connect(path, isolation_level=None)
        other.execute("BEGIN")
        other.execute(ALL).fetchone()
        changed, before = [], None
        for commit in range(1, 401):
            db.execute("UPDATE counter SET value = value + 1")
            with open(path, "rb") as file:
                now = hashlib.sha256(file.read()).hexdigest()
            if before not in (None, now):
                changed.append(commit)
            before = now
            if commit == 200:
                other.execute("COMMIT")
        self.assertEqual([commit for commit in changed if commit > PAGES][0], 201)
        other.close()
        db.close()

    def test_several(self):
        """of several clients, too, one commit is named, after the release"""
        sample = self.measured(self.sample(self.spec("held_by_two", 4, 1600)))
        hold, paid = sample["hold"], sample["hold"]["paid"]
        self.assertEqual(hold["holders"], 2)
        self.assertIn(hold["commits_held"], range(200, 204))  # one more of each, at most
        self.assertIn(paid["client"], (1, 2, 3, 4))
        self.assertLessEqual(paid["commit"], 400)
        self.assertLessEqual(paid["after_release"], 16)
        self.assertGreaterEqual(paid["frames"], 100)
        self.assertEqual([part["workload"] for part in sample["beside"]], ["look_at_all"])

    def test_not_paid(self):
        """where the snapshot is held to the end nobody pays, and where none is held none is told"""
        hold = self.measured(self.sample(self.spec("held_to_the_end", 1, 400)))["hold"]
        self.assertIsNone(hold["paid"])
        self.assertEqual(hold["commits_held"], 400)
        self.assertGreater(hold["pages_max"], 400)
        sample = self.measured(self.sample(self.spec("not_held", 1, 400)))
        self.assertNotIn("hold", sample)
        sample = self.measured(self.sample(self.spec("add", 1, 400)))
        self.assertNotIn("hold", sample)
        # nothing kept the WAL from being reset
        self.assertLess(sample["space"]["wal_bytes"], 2 * PAGES * (4096 + 24))

    def test_rollback_journal(self):
        """outside of WAL a reader that holds on would keep all writers out, and that is told"""
        sample = self.sample(self.spec("held", 1, journal="delete"))
        self.assertEqual(sample["status"], "unsupported")
        self.assertIn("keeps all others from committing outside of WAL", sample["reason"])


class Suite(Company):
    """The built-in suite, as a user would run it."""

    FILE = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                        "../../src/suite/suites/boxdb_concurrent.json")

    def sweep(self, *arguments):
        return self.run_syncost("sweep", "--samples", "1", "--ops", "100", "--quiet", "--out", "r",
                                *arguments)

    def test_all(self):
        """each workload of both schemas is verified, with company and without"""
        self.assertDone(self.sweep("--suite", "boxdb_concurrent", "--workload", "*", "--clients",
                                   "2", "--variant", "base,tables_16", "--synchronous", "off"))
        cells = harness.cells(os.path.join(self.place, "r"))
        self.assertEqual(len(cells), 2 * 7)
        for name, cell in cells.items():
            self.assertEqual((name, cell["status"], cell["verified"]), (name, "measured", True))
            self.assertEqual("beside" in cell, "_beside_" in name)
            codes = [finding["code"] for finding in cell["findings"]]
            self.assertEqual("checkpoint-paid" in codes, "_beside_snapshot" in name)
            if "/update_batch/" in name:
                self.assertEqual(cell["op_ns"]["n"], 2)
        found = harness.summary(os.path.join(self.place, "r"))["findings"]
        texts = [finding["text"] for finding in found if finding["code"] == "checkpoint-paid"]
        self.assertRegex(texts[0], r"held its snapshot for 300\d commits, .* commit \d+ of client "
                                   r"[12], number \d+ after the release, paid for it: .* its checkpoint "
                                   r"dealt with \d+ frames in .* \(\S+ % of it\)")

    def test_wrong(self):
        """a wrong expected value makes the cell failed, and the exit code 4"""
        with open(self.FILE, encoding="utf-8") as file:
            suite = file.read().replace(":dataset_sum_value + :sum_step", ":dataset_sum_value")
        with open(os.path.join(self.place, "wrong.json"), "w", encoding="utf-8") as file:
            file.write(suite)
        done = self.sweep("--suite", "./wrong.json", "--variant", "base", "--workload",
                          "update_autocommit", "--clients", "2", "--synchronous", "off")
        self.assertDone(done, 4)
        self.assertIn("does not hold after", done.out + done.err)

    def test_rate(self):
        """a schedule is a cell of its own, and one that cannot be kept says so"""
        for rate, reached in (("100", True), ("9000000", False)):
            done = self.run_syncost("sweep", "--suite", "boxdb_concurrent", "--workload", "reads",
                                    "--variant", "base", "--clients", "1", "--samples", "1",
                                    "--ops", "100" if reached else "20000", "--rate", rate,
                                    "--quiet", "--out", "r" + rate)
            self.assertDone(done)
            cell, = harness.cells(os.path.join(self.place, "r" + rate)).values()
            self.assertTrue(cell["id"].endswith("/rate=" + rate), cell["id"])
            self.assertEqual(cell["rate_per_s"], int(rate))
            self.assertEqual(cell["instrument_cost"]["status"], "skipped")
            codes = [finding["code"] for finding in cell["findings"]]
            self.assertEqual("rate-not-reached" in codes, not reached)
            self.assertIn(f"{rate} due a second", done.out)
        done = self.run_syncost("compare", "r100", "r9000000")
        self.assertEqual(done.code, 2, done)  # they have no cell in common


class Due(Company):
    RATE = 1000

    def test_stall(self):
        """200 ms that one commit takes show in the p99 of a schedule, and are hidden without one"""
        closed = self.measured(self.sample(self.spec("add", 1, 1000), meddle="stall"))["op_ns"]
        self.assertGreaterEqual(closed["max"], 200 * MS)
        self.assertLess(closed["p99"], 100 * MS)
        self.assertLess(slow(closed, 100 * MS), 10)
        for clients in (1, 2):
            spec = self.spec("add", clients, 1000, rate=self.RATE)
            late = self.measured(self.sample(spec, meddle="stall"))["op_ns"]
            self.assertEqual(late["n"], 1000)
            self.assertGreaterEqual(late["max"], 200 * MS)
            self.assertGreaterEqual(late["p99"], 150 * MS)
            # those that were due in its first half, at the least
            self.assertGreaterEqual(slow(late, 100 * MS), 90)
        calm = self.measured(self.sample(self.spec("add", 1, 1000, rate=self.RATE)))["op_ns"]
        self.assertLess(slow(calm, 100 * MS), 90)

    def test_schedule(self):
        """nothing begins before it is due: the last one, of several clients too"""
        for name, unit in (("add", 1), ("batch", 4)):
            for clients in (1, 4):
                with self.subTest(name=name, clients=clients):
                    spec = self.spec(name, clients, 400, rate=2000)
                    sample = self.measured(self.sample(spec))
                    self.assertGreaterEqual(sample["wall_ns"], (400 - unit) / 2000 * 1e9)
                    self.assertEqual(sample["operations"], 400)

    def test_ledger(self):
        """a ledger sample counts and waits for no schedule"""
        spec = self.spec("add", 1, 60, rate=1, kind="ledger", instruments=SHIM | TAP)
        sample = self.measured(self.sample(spec))  # a minute else
        self.assertLess(sample["wall_ns"], 30 * 1e9)


if __name__ == "__main__":
    unittest.main()
