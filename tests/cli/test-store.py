# SPDX-License-Identifier: MIT
"""The store snapshot: its cells beside those of sqlite, its ledger against strace, kills, reports."""

import csv
import json
import os
import random
import re
import shutil
import signal
import sqlite3
import subprocess
import time

from harness import (PATIENCE, SMALL, SYNCOST, Case, cells, default_signals, end, samples, summary,
                     unittest, wait_for)

SHIM, TAP = 1, 2
ROWS = 100  # of the suite's dataset
with open(SMALL[1], encoding="utf-8") as suite:
    SUITE = suite.read()
CHOSEN = ["sweep", *SMALL, "--workload", "insert_one", "--quiet"]
PREFIX = "local/small/insert_one/"


class One(Case):
    """One sample by its specification, as the sweep starts them."""

    def spec(self, operations=20, kind="ledger", synchronous="full", **more):
        self.data = self.directory(self.place)
        setting = {"journal_mode": "memory", "synchronous": synchronous, "locking_mode": "normal",
                   "fullfsync": False, "checkpoint_fullfsync": False, "page_size": 4096,
                   "cache_size": -2000, "wal_autocheckpoint": 1000, "mmap_size": 0,
                   "rows_per_commit": 0}
        return {"kind": kind, "wal_state": "recycled", "cell_id": "test/cell",
                "workload": "insert_one", "directory": self.data, "store": "snapshot", "rows": 0,
                "operations": operations, "seed": 1, "time_limit_ns": 0, "round": 1,
                "instruments": SHIM | TAP if kind == "ledger" else 0, "disk": None,
                "disk_reason": "a test", "clients": 1, "suite_text": SUITE, "setting": setting,
                **more}

    def start(self, spec, before=()):
        environment = dict(os.environ)  # leaks cannot be looked for under ptrace
        environment["ASAN_OPTIONS"] = environment.get("ASAN_OPTIONS", "") + ":detect_leaks=0"
        process = subprocess.Popen([*before, SYNCOST, "__sample"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                   env=environment, preexec_fn=default_signals)
        self.addCleanup(end, process)
        process.stdin.write(json.dumps(spec) + "\n")
        process.stdin.close()
        process.stdin = None
        return process

    def sample(self, spec, before=()):
        out, err = self.start(spec, before).communicate(timeout=PATIENCE)
        self.assertEqual(err, "")
        return json.loads(out)

    def measured(self, sample):
        self.assertEqual((sample["status"], sample["verified"]), ("measured", True),
                         sample["reason"])
        return sample

    def content(self):
        """(rows, what SQLite says of the file), by another program than the one that wrote it."""
        database = sqlite3.connect(os.path.join(self.data, "bench.db"))
        try:
            return (database.execute("SELECT count(*) FROM item").fetchone()[0],
                    database.execute("PRAGMA integrity_check").fetchone()[0])
        finally:
            database.close()


class Sample(One):
    def test_content(self):
        """the file has the rows of all commits, and is the only one"""
        for synchronous in ("off", "full"):
            for kind in ("timing", "ledger"):
                with self.subTest(synchronous=synchronous, kind=kind):
                    sample = self.measured(self.sample(self.spec(20, kind, synchronous)))
                    self.assertEqual((sample["operations"], sample["commits"]), (20, 20))
                    self.assertEqual(self.content(), (ROWS + 5 + 20, "ok"))  # and the warm-up's
                    self.assertEqual(os.listdir(self.data), ["bench.db"])
                    self.assertEqual(sample["effective"]["journal_mode"], "memory")
                    self.assertEqual(sample["effective"]["synchronous"], synchronous)

    def test_transactions(self):
        """a transaction of several operations is published once"""
        spec = self.spec(20, suite_text=SUITE.replace(
            '"title": "One row a commit, added",',
            '"title": "x", "rows_per_commit": {"default": 5, "varies": true},'))
        sample = self.measured(self.sample(spec))
        self.assertEqual((sample["operations"], sample["commits"]), (20, 4))
        self.assertEqual(sample["syncs"]["physical"], 2 * 4)

    def test_statements_of_many_rows(self):
        """a statement of many rows is published once, too"""
        suite = json.loads(SUITE)
        suite["workloads"][0].update(
            rows_per_statement=5, rows_per_commit={"default": 5, "varies": True})
        suite["workloads"][0]["statements"] = [
            "INSERT INTO item(id, owner, note) VALUES(:id, :owner, :note)"]
        sample = self.measured(self.sample(self.spec(20, suite_text=json.dumps(suite))))
        self.assertEqual((sample["operations"], sample["commits"]), (20, 4))
        self.assertEqual(sample["syncs"]["physical"], 2 * 4)

    def test_reopening(self):
        """an operation that opens the database loads its file"""
        suite = json.loads(SUITE)
        suite["workloads"][0].update(
            reopens=True, writes=False, statements=["SELECT count(*) FROM item"], parameters={},
            checks=["SELECT :result_sum = :rows * :operations"],
            expect={"result_rows_per_operation": 1})
        sample = self.measured(self.sample(self.spec(20, suite_text=json.dumps(suite))))
        self.assertEqual((sample["operations"], sample["syncs"]["physical"]), (20, 0))
        self.assertEqual(sample["syncs"]["vfs"]["status"], "unsupported")
        reads = [row for row in sample["io"] if row["op"] == "read" and row["role"] == "main_db"]
        self.assertEqual([row["bytes"] for row in reads],
                         [20 * os.path.getsize(os.path.join(self.data, "bench.db"))])

    def test_wrong(self):
        """a check that does not hold fails the sample"""
        sample = self.sample(self.spec(5, suite_text=SUITE.replace(
            ":rows + :operations FROM item", ":rows + :operations + 1 FROM item")))
        self.assertEqual((sample["status"], sample["verified"]), ("failed", False))
        self.assertIn("does not hold", sample["reason"])

    def test_clients(self):
        """several clients have no memory in common"""
        sample = self.sample(self.spec(5, clients=2))
        self.assertEqual(sample["status"], "failed")
        self.assertIn("one client", sample["reason"])

    def test_kills(self):
        """a sample that is killed at any moment leaves whole commits in its file"""
        random.seed(1)
        growing = set()
        for _ in range(12):
            process = self.start(self.spec(1000000, "timing"))
            name = os.path.join(self.data, "bench.db")

            def is_measuring():
                with open(f"/proc/{process.pid}/comm", encoding="utf-8") as file:
                    return file.read().strip() == "sc-measure"

            process_is = wait_for(is_measuring, "a sample that measures")
            self.assertTrue(process_is)
            time.sleep(random.uniform(0, 0.05))
            process.send_signal(signal.SIGKILL)
            process.communicate()
            self.assertLessEqual(set(os.listdir(self.data)), {"bench.db", "bench.db-snapshot"})
            rows, said = self.content()
            self.assertEqual(said, "ok", name)
            self.assertGreaterEqual(rows, ROWS)
            growing.add(rows)
        self.assertGreater(len(growing), 1)  # they were not all killed at one moment


class Truth(One):
    """The ledger against strace, of one run."""

    CALL = re.compile(r"^\d+ +(\w+)\((.*)\) += (-?\d+)")
    NAME = re.compile(r'PR_SET_NAME, "([^"]*)"')

    @classmethod
    def setUpClass(cls):
        tried = None
        if shutil.which("strace"):
            tried = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"],
                                   stdin=subprocess.DEVNULL, capture_output=True)
        if tried is None or tried.returncode != 0:
            raise unittest.SkipTest("nothing can be traced here")

    def trace(self, spec):
        """(sample, calls on the store's files in its timed part: (name, file, result))"""
        path = os.path.join(self.place, "trace")
        before = ["strace", "-f", "-y", "-qq", "-e", "signal=none", "-s", "16", "-o", path, "-e",
                  "trace=prctl,openat,pwrite64,write,fsync,fdatasync,rename,renameat,renameat2"]
        sample = self.measured(self.sample(spec, before))
        calls, phase = [], None
        with open(path, encoding="utf-8", errors="replace") as lines:
            for line in lines:
                match = self.CALL.match(line)
                if not match:
                    continue
                if match[1] == "prctl":
                    phase = self.NAME.search(match[2])[1]
                elif phase == "sc-measure":
                    calls.append((match[1], self.file(match), int(match[3])))
        return sample, [call for call in calls if call[1]]

    def file(self, match):
        text = match[2] if match[1] != "openat" else match[0].partition(" = ")[2] + match[2]
        if self.data + "/bench.db-snapshot" in text:
            return "temporary"
        if self.data + "/bench.db" in text:
            return "main"
        return "directory" if self.data in text else None

    def ledger(self, sample, op):
        return {row["role"]: (row["calls"], row["bytes"]) for row in sample["io"]
                if row["instrument"] == "libc" and row["op"] == op}

    def test_order(self):
        """each commit: write, sync of the file, rename, sync of the directory"""
        _, calls = self.trace(self.spec(10))
        names = [(name, file) for name, file, _ in calls]
        self.assertEqual(names, 10 * [
            ("openat", "temporary"), ("pwrite64", "temporary"), ("fsync", "temporary"),
            ("rename", "temporary"), ("openat", "directory"), ("fsync", "directory")])
        self.assertTrue(all(result >= 0 for _, _, result in calls))

    def test_counts(self):
        """syncs and bytes are those that strace sees"""
        for synchronous, page_size in (("full", 4096), ("full", 16384), ("off", 4096)):
            with self.subTest(synchronous=synchronous, page_size=page_size):
                spec = self.spec(20, synchronous=synchronous)
                spec["setting"]["page_size"] = page_size
                sample, calls = self.trace(spec)
                written = [size for name, _, size in calls if name == "pwrite64"]
                files = sum(name == "fsync" and file == "temporary" for name, file, _ in calls)
                folders = sum(name == "fsync" and file == "directory" for name, file, _ in calls)
                expected = 20 if synchronous == "full" else 0
                self.assertEqual((files, folders), (expected, expected))
                self.assertEqual(self.ledger(sample, "write"),
                                 {"temp_db": (len(written), sum(written))})
                syncs = sample["syncs"]
                self.assertEqual((syncs["physical"], syncs["directory"], syncs["fsync"],
                                  syncs["fdatasync"]), (2 * expected, expected, 2 * expected, 0))
                for name in ("vfs", "withheld", "omitted"):
                    self.assertEqual(syncs[name]["status"], "unsupported")
                    self.assertIn("no VFS", syncs[name]["reason"])
                space = sample["space"]
                size = os.path.getsize(os.path.join(self.data, "bench.db"))
                self.assertEqual((space["database_bytes"], space["total_bytes"]), (size, size))
                self.assertEqual(written[-1], size)
                self.assertGreaterEqual(space["total_bytes_max"], 2 * size - page_size)
                self.assertEqual(sample["calls_dropped"], 0)

    def test_left_out(self):
        """a ledger without one sync, or one byte, differs from what strace sees"""
        sample, calls = self.trace(self.spec(5))
        self.assertNotEqual(sample["syncs"]["physical"] - 1,
                            sum(name == "fsync" for name, _, _ in calls))
        self.assertNotEqual(self.ledger(sample, "write")["temp_db"][1] - 1,
                            sum(size for name, _, size in calls if name == "pwrite64"))


class Sweep(Case):
    def sweep(self, *arguments, code=0, out="report"):
        folder = os.path.join(self.place, out)
        self.assertDone(self.run_syncost(*CHOSEN, *arguments, "--out", folder), code)
        return folder

    def test_beside(self):
        """stores are a dimension: cells of each, none of the other changed"""
        folder = self.sweep("--store", "sqlite,snapshot", "--journal-mode", "delete,wal",
                            "--synchronous", "off,full", "--wal-autocheckpoint", "50,60")
        found = cells(folder)
        self.assertEqual({name[len(PREFIX):] for name, cell in found.items()
                          if cell["store"] == "snapshot"}, {"snapshot/off", "snapshot/full"})
        self.assertEqual(sum(cell["store"] == "sqlite" for cell in found.values()), 8)
        full = found[PREFIX + "snapshot/full"]
        self.assertEqual((full["syncs"]["per_commit"], full["layers"]), (2, "memdb"))
        self.assertEqual(found[PREFIX + "snapshot/off"]["syncs"]["per_commit"], 0)
        self.assertIs(full["verified"], True)
        self.assertEqual(full["space"]["written"]["vfs_bytes"]["status"], "unsupported")
        self.assertEqual(full["space"]["write_amplification"]["status"], "unsupported")
        self.assertEqual(summary(folder)["sqlite"]["sync_call"], "fdatasync")
        split = full["split_ns"]
        for part in ("sql", "write", "sync", "other"):
            self.assertGreater(split[part], 0, part)
        self.assertLessEqual(abs(split["residual"]), split["wall"] // 4)
        self.assertEqual(split["wall"], sum(
            value for part, value in split.items() if part != "wall"))

    def test_report(self):
        """tables, Markdown and CSV name the store"""
        folder = self.sweep("--store", "sqlite,snapshot", "--synchronous", "full")
        for form in ("table", "md"):
            done = self.run_syncost("report", folder, "--format", form)
            self.assertDone(done)
            self.assertIn("snapshot/full", done.out)
            self.assertNotIn("memory/full", done.out)
            if form == "table":
                self.assertEqual(done.out.count("insert_one on local, suite small"), 1)
        done = self.run_syncost("report", folder, "--format", "csv")
        rows = {(row["cell"], row["metric"]): row for row in csv.DictReader(done.out.splitlines())}
        row = rows[PREFIX + "snapshot/full", "syncs_vfs_per_commit"]
        self.assertEqual((row["store"], row["value"], row["status"], row["loss"]),
                         ("snapshot", "", "unsupported", "none"))
        self.assertEqual(rows[PREFIX + "delete/full", "syncs_vfs_per_commit"]["store"], "sqlite")

    def test_alone(self):
        """without a setting of sqlite nothing is recommended"""
        folder = self.sweep("--store", "snapshot")
        self.assertEqual(summary(folder)["recommendations"], [])
        codes = [finding["code"] for finding in summary(folder)["findings"]]
        self.assertIn("no-recommendation", codes)

    def test_compare(self):
        """a gate over the same cells passes; the bytes of more content do not"""
        base = self.sweep("--store", "snapshot", out="base")
        new = self.sweep("--store", "snapshot", out="new")
        done = self.run_syncost("compare", base, new, "--counts-only")
        self.assertDone(done)
        self.assertIn("2 cells compared: 2 same", done.out)
        more = self.sweep("--store", "snapshot", "--rows", "1000", out="more")
        done = self.run_syncost("compare", base, more, "--counts-only", "--ignore", "rows")
        self.assertDone(done, 1)
        self.assertIn("snapshot/full", done.out)
        self.assertIn("written_kernel_bytes_per_commit", done.out)

    def test_like(self):
        """--like and --resume take the store from the report"""
        base = self.sweep("--store", "snapshot", "--synchronous", "full", out="base")
        folder = os.path.join(self.place, "again")
        self.assertDone(self.run_syncost("sweep", "--like", base, "--out", folder, "--quiet"))
        self.assertEqual(list(cells(folder)), [PREFIX + "snapshot/full"])
        path = os.path.join(folder, "raw", "samples.ndjson")
        with open(path, encoding="utf-8") as file:
            lines = file.readlines()
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines[:3])
        path = os.path.join(folder, "summary.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace('"complete":true', '"complete":false'))
        self.assertDone(self.run_syncost("sweep", "--resume", folder, "--quiet"))
        self.assertEqual(len(samples(folder)), 7)
        self.assertEqual(cells(folder)[PREFIX + "snapshot/full"]["store"], "snapshot")

    def test_unknown(self):
        """a store that is not known, and several clients alone, are one line"""
        self.assertOneLine(self.run_syncost(*CHOSEN, "--store", "yaml"), 2, "--store", "yaml",
                           "snapshot")
        self.assertOneLine(self.run_syncost(*CHOSEN, "--store", "snapshot", "--clients", "4"), 2,
                           "--store", "--clients")

    def test_litter(self):
        """a sweep that was killed leaves nothing after the next start"""
        process = self.start_syncost(*CHOSEN, "--store", "snapshot", "--ops", "100000",
                                     "--out", os.path.join(self.place, "killed"))

        def names():
            return [name for _, _, files in os.walk(self.place) for name in files
                    if name.startswith("bench.db")]

        wait_for(names, "a sample's database")
        process.kill()
        process.communicate()
        self.sweep("--store", "snapshot", "--synchronous", "off")
        self.assertNoLitter()
        self.assertEqual(names(), [])


if __name__ == "__main__":
    unittest.main()
