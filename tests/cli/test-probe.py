# SPDX-License-Identifier: MIT
"""syncost probe: its rows, its calls beside SQLite's, places where it cannot work, what it leaves."""

import errno
import json
import os
import platform
import shutil
import signal
import sys

from harness import PATIENCE, SYNCOST, Case, as_nobody, mount_namespace, wait_for
from syscalls import O_DIRECT, call_of, needs_strace, refuse, repeats, strace

SHORT = ["probe", "--quick", "--time", "300ms"]
ENDLESS = ["probe", "--time", "1h"]
JOURNALS = ["wal-full", "wal-normal", "delete-normal", "delete-full", "delete-extra",
            "truncate-normal", "truncate-full", "persist-normal", "persist-full"]


def workplaces(place):
    return [name for name in os.listdir(place) if name.startswith(".syncost-2")]  # its name has the time


class Probe(Case):
    def probe(self, *arguments, code=0, **options):
        """Its rows by key, and the target they are of."""
        done = self.run_syncost(*arguments, "--format", "json", **options)
        self.assertDone(done, code)
        self.assertEqual(done.err, "")
        target = json.loads(done.out)["targets"][0]
        return {row["key"]: row for row in target["rows"]}, target

    def assertOrdered(self, row):
        part = row["operation_ns"]
        self.assertGreaterEqual(part["n"], 1, row["key"])
        figures = [part[key] for key in ("min", "p50", "p90", "p99", "max")]
        self.assertEqual(figures, sorted(figures), row["key"])
        self.assertTrue(part["min"] <= part["mean"] <= part["max"], row["key"])
        self.assertEqual(sum(count for _, count in row["histogram"]), part["n"], row["key"])
        for key in ("write_ns", "sync_ns"):
            if "status" not in row[key]:
                self.assertEqual(row[key]["n"], part["n"], row["key"])
                self.assertLessEqual(row[key]["max"], part["max"], row["key"])


class Rows(Probe):
    def test_rows(self):
        """each method meets each state and size, and each figure is in order"""
        rows, target = self.probe("probe", "--time", "500ms")
        self.assertIs(target["complete"], True)
        expected = {f"{state}/{size}/{method}"
                    for state in ("overwrite", "append", "fallocated")
                    for size in (4096, 4120, 65536)
                    for method in ("fdatasync", "fsync", "dsync", "rwf-dsync", "direct-fdatasync",
                                   "direct-dsync", "uring-fdatasync", "uring-dsync",
                                   "sync-file-range", "direct-none", "none")}
        expected |= {key.replace("/4120/", "/8192/") for key in expected
                     if key.startswith("overwrite/4120/")}
        expected |= {f"files/{state}" for state in ("create", "truncate", "unlink", "clean",
                                                    "clean-directory")}
        expected |= {f"pages/{count}/{how}" for count in (2, 8, 32, 100)
                     for how in ("together", "spread")}
        expected |= {f"writers/{count}" for count in (1, 2, 4, 8, 16)} | {"paced/10ms"}
        self.assertEqual({key for key in rows if not key.startswith("journal/")}, expected)
        self.assertLessEqual({f"journal/{name}" for name in JOURNALS}, set(rows))
        for key, row in rows.items():
            if "status" not in row["operation_ns"]:
                self.assertOrdered(row)
            else:  # an odd number of bytes around the page cache, or what the kernel lacks
                self.assertIn(row["operation_ns"]["status"], ("unsupported", "denied"), key)
                self.assertNotEqual(row["operation_ns"]["reason"], "", key)
        for key in ("overwrite/4096/fdatasync", "append/4120/fsync", "writers/16", "files/unlink"):
            self.assertNotIn("status", rows[key]["operation_ns"], key)
        self.assertNoLitter()

    def test_durable(self):
        """what promises nothing says so"""
        rows, _ = self.probe(*SHORT)
        lax = {key for key, row in rows.items() if not row["durable"]}
        self.assertEqual(lax, {"overwrite/4096/sync-file-range", "overwrite/4096/direct-none",
                               "overwrite/4096/none", "journal/wal-normal"})

    def test_screen(self):
        """a screen has the facts, a line a row, ceilings and the cheapest method"""
        os.mkdir(os.path.join(self.place, "other"))
        done = self.run_syncost(*SHORT, ".", "other", env={**os.environ, "LC_ALL": "C.UTF-8"})
        self.assertDone(done)
        for directory in (self.place, os.path.join(self.place, "other")):
            self.assertIn(f"\n{directory}: ", done.out)
        for line in ("  write, then fdatasync ", "  sync_file_range: not durable ",
                     "  100 pages spread ", "  16 writers at once ", "  delete-full ",
                     "Ceiling, commits/s: WAL+FULL "):
            self.assertEqual(done.out.count("\n" + line), 2, line)
        self.assertLess(done.out.count("\n") / 2, 60)
        self.assertEqual(done.err, "")
        self.assertNoLitter(self.place, os.path.join(self.place, "other"))

    def test_ascii(self):
        """without UTF-8 all of it is ASCII"""
        done = self.run_syncost(*SHORT, env={**os.environ, "LC_ALL": "C"})
        self.assertDone(done)
        self.assertTrue(done.out.isascii())

    def test_profile(self):
        """a profile has quantiles of each class of event, the sync of an append among them"""
        done = self.run_syncost(*SHORT, "--profile", "disk.json")
        self.assertDone(done)
        with open(os.path.join(self.place, "disk.json"), encoding="utf-8") as file:
            profile = json.load(file)
        self.assertEqual(profile["format"], "syncost-device-1")
        self.assertEqual(profile["quantiles"], [0, .01, .05, .1, .25, .5, .75, .9, .95, .99, 1])
        for name in ("write/overwrite/4096", "sync/overwrite/4096", "sync/append/4120",
                     "sync/create-and-directory", "unlink", "sync/directory-unlink", "truncate",
                     "sync/pages/100/spread", "journal/wal-full", "sync/journal/delete-full"):
            event = profile["events"][name]
            self.assertGreaterEqual(event["n"], 1, name)
            self.assertEqual(len(event["ns"]), 11, name)
            self.assertEqual(event["ns"], sorted(event["ns"]), name)

    def test_memory(self):
        """what is in memory is named: nothing is durable there"""
        if not os.path.isdir("/dev/shm"):
            self.skipTest("there is no /dev/shm")
        place = self.directory("/dev/shm")
        done = self.run_syncost(*SHORT, place)
        self.assertDone(done)
        self.assertIn("in memory: a sync there is free and buys nothing", " ".join(done.out.split()))
        self.assertNotIn("Cheapest durable", done.out)
        self.assertNoLitter(place)


class Refused(Probe):
    """What the kernel refuses is a status with its reason; what fails is a failure."""

    def test_io_uring(self):
        """io_uring refused by seccomp: its rows say why, and the others are measured"""
        rows, target = self.probe(*SHORT, preexec_fn=refuse("io_uring_setup", errno.EPERM))
        for method in ("uring-fdatasync", "uring-dsync"):
            absent = rows[f"overwrite/4096/{method}"]["operation_ns"]
            self.assertEqual(absent["status"], "denied")
            self.assertIn("io_uring is forbidden here", absent["reason"])
        self.assertNotIn("status", rows["overwrite/4096/fdatasync"]["operation_ns"])
        self.assertNotIn("uring", target["cheapest"])

    def test_direct(self):
        """a file system without O_DIRECT: a status, not an error"""
        rows, _ = self.probe(*SHORT, preexec_fn=refuse("openat", errno.EINVAL,
                                                       O_DIRECT.get(platform.machine(), 0)))
        for method in ("direct-fdatasync", "direct-dsync", "direct-none"):
            absent = rows[f"overwrite/4096/{method}"]["operation_ns"]
            self.assertEqual(absent["status"], "unsupported")
            self.assertIn("open with O_DIRECT: Invalid argument", absent["reason"])
        self.assertNotIn("status", rows["overwrite/4096/fsync"]["operation_ns"])

    def test_failing_sync(self):
        """a sync that fails is no sample: the row has failed, and the exit code is 4"""
        rows, _ = self.probe(*SHORT, code=4, preexec_fn=refuse("fdatasync", errno.EIO))
        for key in ("overwrite/4096/fdatasync", "files/create", "writers/4", "journal/wal-full"):
            self.assertEqual(rows[key]["operation_ns"]["status"], "failed", key)
            self.assertIn("fdatasync", rows[key]["operation_ns"]["reason"])
        self.assertNotIn("status", rows["overwrite/4096/fsync"]["operation_ns"])
        self.assertNoLitter()


class Calls(Probe):
    """The calls of a journal's row against those of SQLite, both as strace sees them."""

    SQL = """
import sqlite3, sys
path, mode, level = sys.argv[1:]
db = sqlite3.connect(path, isolation_level=None)
db.execute("pragma page_size=4096")
db.execute("pragma locking_mode=normal")
db.execute("pragma journal_mode=" + mode)
db.execute("pragma synchronous=" + level)
db.execute("create table t(a integer primary key, b)")
for i in range(50):
    db.execute("insert into t values(?, ?)", (i, "x" * 200))
for i in range(6):
    db.execute("update t set b=? where a=7", ("y" * 200 + str(i),))
"""

    def sqlite(self, name):
        """All calls of some like transactions on a database."""
        place = self.directory()
        path = os.path.join(place, "test.db")
        lines = strace([sys.executable, "-c", self.SQL, path, *name.split("-")],
                       lambda line: place in line)
        return [call for call in map(call_of, lines) if call]

    @staticmethod
    def last_transaction(calls, name):
        if name.startswith("wal"):
            begin = [("F_WRLCK", "shm", "", "1"), ("F_UNLCK", "shm", "", "1")]
        else:
            begin = [("F_RDLCK", "db", "1073741824", "1")]
        starts = [at for at in range(len(calls)) if calls[at:at + len(begin)] == begin]
        return calls[starts[-2]:starts[-1]]

    def test_protocols(self):
        """each protocol makes the calls of a SQLite transaction, all of them and in its order"""
        needs_strace()
        record = strace([SYNCOST, "probe", "--quick", "--time", "1s", self.place],
                        lambda line: ".syncost-" in line)
        for name in JOURNALS:
            with self.subTest(name):
                pattern = self.last_transaction(self.sqlite(name), name)
                calls = [call_of(line) for line in record if f"/{name}/" in line
                         or f'/{name}"' in line or f"/{name}>" in line]
                calls = [call for call in calls if call]
                # Where this SQLite syncs by another call than Debian's.
                if ("fsync", "wal") in pattern or ("fsync", "db") in pattern:
                    self.skipTest("this SQLite calls fsync")
                self.assertGreater(len(pattern), 5)
                self.assertGreaterEqual(repeats(calls, pattern), 1, pattern)
                # The control: one call less, or two in the other order, is another protocol.
                middle = len(pattern) // 2
                self.assertEqual(repeats(calls, pattern[:middle] + pattern[middle + 1:]), 0)
                self.assertEqual(repeats(calls, pattern[1:2] + pattern[:1] + pattern[2:]), 0)


class Places(Probe):
    def in_mount(self, options, *arguments):
        target = os.path.join(self.place, "mounted")
        os.makedirs(target, exist_ok=True)
        shell = ["sh", "-c", f'mount -t tmpfs -o {options} tmpfs "$0" && "$@"; code=$?; '
                 'ls -A "$0" >&2; exit $code', target]
        return self.run_syncost(*arguments, before=[*mount_namespace(), *shell])

    def test_missing(self):
        """a directory that is missing, or none: exit code 2"""
        self.assertOneLine(self.run_syncost(*SHORT, "none"), 2, "'none'", "No such file")
        with open(os.path.join(self.place, "file"), "w", encoding="utf-8"):
            pass
        self.assertOneLine(self.run_syncost(*SHORT, "file"), 2, "'file'", "Not a directory")

    def test_all_are_checked_first(self):
        """the last of several is refused before the first is measured"""
        self.assertOneLine(self.run_syncost("probe", ".", "none"), 2, "'none'")

    def test_not_permitted(self):
        """a directory of another user: exit code 3"""
        command = as_nobody()
        os.chmod(self.place, 0o755)
        target = os.path.join(self.place, "target")
        os.mkdir(target)
        os.chmod(target, 0o555)
        done = self.run_syncost(*SHORT, "target", before=command)
        self.assertOneLine(done, 3, "'target' cannot be worked in", "Permission denied")

    def test_read_only(self):
        """a read-only file system: exit code 3"""
        done = self.in_mount("ro", *SHORT, "mounted")
        self.assertOneLine(done, 3, "'mounted' cannot be worked in", "Read-only file system")

    def test_full(self):
        """a file system that fills up: exit code 3, and its room is given back"""
        done = self.in_mount("size=1m", *SHORT, "mounted")
        self.assertOneLine(done, 3, "'mounted' cannot be worked in", "No space left on device",
                           "make room")

    def test_vanished(self):
        """a directory that vanishes meanwhile: one line, exit code 4"""
        target = os.path.join(self.place, "target")
        os.mkdir(target)
        process = self.start_syncost(*ENDLESS, "target")
        wait_for(lambda: workplaces(target), "the probe's beginning")
        wait_for(lambda: os.listdir(os.path.join(target, workplaces(target)[0])), "its first file")
        wait_for(lambda: not os.path.exists(target) or shutil.rmtree(target, ignore_errors=True)
                 or not os.path.exists(target), "the end of the directory")
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4, err)
        self.assertRegex(err, r"\Asyncost[^\n]*'target' vanished while it was probed[^\n]*\n\Z")
        self.assertEqual(out.strip(), "")

    def test_profile_of_two(self):
        """a profile is of one directory"""
        done = self.run_syncost(*SHORT, "--profile", "x.json", ".", ".")
        self.assertOneLine(done, 2, "--profile", "one directory")


class Signals(Probe):
    def stop(self, number):
        process = self.start_syncost(*ENDLESS)
        wait_for(lambda: workplaces(self.place), "the probe's beginning")
        wait_for(lambda: len(os.listdir(os.path.join(self.place, workplaces(self.place)[0]))) > 1,
                 "its first file")
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def test_interrupted(self):
        """SIGINT and SIGTERM: what was measured is shown, exit code 130, nothing stays"""
        for number in (signal.SIGINT, signal.SIGTERM):
            code, out, _ = self.stop(number)
            self.assertEqual(code, 130)
            self.assertIn("not complete", out)
            self.assertIn("skipped: it was not reached", out)
            self.assertNoLitter()

    def test_killed(self):
        """what a killed probe left is removed at the next start, and nothing else"""
        mine = os.path.join(self.place, ".syncost-mine")
        os.mkdir(mine)
        self.stop(signal.SIGKILL)
        self.assertEqual(len(workplaces(self.place)), 1)  # the control: it does leave something
        self.assertDone(self.run_syncost(*SHORT))
        self.assertEqual(os.listdir(self.place), [".syncost-mine"])
