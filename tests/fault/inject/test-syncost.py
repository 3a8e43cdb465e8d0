#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each call that syncost makes fails once: rendering and comparing reports, and a small sweep.

usage: run-unittest.py test-syncost.py LIBRARY SYNCOST HAS-MEMORY [all]

A sweep makes thousands of calls and takes about a second, so by default some of them fail, denser
at its beginning; with `all` each of the tool's own does.
"""

import json
import os
import shutil
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from walk import Walk, steps  # noqa: E402

LIBRARY, SYNCOST = (os.path.abspath(path) for path in sys.argv[1:3])
HAS_MEMORY = sys.argv[3] == "true"
WALKS_ALL = "all" in sys.argv[4:]

GOLDEN = os.path.join(HERE, "..", "..", "data", "report", "summary.json")
SUITE = os.path.join(HERE, "tiny.json")
ERRORS = ("EIO", "ENOSPC", "EROFS", "EMFILE", "EINTR", "SHORT")

TOOL, SAMPLE = "!*__sample*", "*__sample*"  # the sweep's own process, and those of its samples
KEPT = (r"[34] pipe:\[",                           # what interrupts a sweep
        r"\d+ /proc/\d+/task/\d+/schedstat$")      # a thread's, as long as it lives


def some(*numbers, dense=None):
    """Of a whole walk all; @dense: each of so many, and then ever fewer: what comes repeats it."""
    if not WALKS_ALL:
        return numbers
    return steps(dense=dense, growth=1.05) if dense else None


class Case(unittest.TestCase):
    maxDiff = None

    def walk(self, walk, faults, **how):
        """No complaints of a walk of at least so many faults. Return: the exit codes."""
        self.assertEqual("\n".join(walk.run(**how)), "", how)
        self.assertGreaterEqual(walk.faults, faults, how)
        return walk.outcomes


class Reading(Case):
    """What cannot be read is exit code 2, what cannot be written 4; some faults are survived."""

    def setUp(self):
        folder = tempfile.mkdtemp(prefix="inject-")
        self.addCleanup(shutil.rmtree, folder, ignore_errors=True)
        self.report = shutil.copy(GOLDEN, folder)

    def compare(self):
        return ["compare", self.report, self.report, "--ignore", "status", "--ignore", "samples"]

    def check_command(self, command, errors):
        walk = Walk(LIBRARY, command, codes=(0, 2, 4))
        for error in errors:
            outcomes = self.walk(walk, 8, error=error)
            if error == "SHORT":
                self.assertEqual(set(outcomes), {0})  # reading goes on until the end
            else:
                self.assertTrue(outcomes.get(2), outcomes)

    def test_report(self):
        """syncost report, each call failing once with each error"""
        for name in ("table", "md", "csv", "samples", "json"):
            self.check_command([SYNCOST, "report", self.report, "--format", name],
                               ERRORS if name == "table" else ERRORS[:1])

    def test_compare(self):
        """syncost compare, each call failing once with each error"""
        for name in ("table", "md", "csv", "json"):
            self.check_command([SYNCOST, *self.compare(), "--format", name],
                               ERRORS if name == "table" else ERRORS[:1])

    @unittest.skipUnless(HAS_MEMORY, "a sanitizer has its own allocator")
    def test_memory(self):
        """syncost report and compare without memory, at one moment after another"""
        for command in (["report", self.report], ["report", self.report, "--format", "csv"],
                        self.compare()):
            walk = Walk(LIBRARY, [SYNCOST, *command], codes=(0, 2, 4))
            self.walk(walk, 40, calls="memory",
                      numbers=None if WALKS_ALL else steps(dense=40, growth=1.2))


def check_sweep(run):
    """A report that is whole, and complete where the exit code says so."""
    folder = os.path.join(run.place, "report")
    complaints, found = [], {}
    for name in ("metadata.json", "summary.json"):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                found[name] = json.load(file)
        except FileNotFoundError:
            pass
        except ValueError as error:
            complaints.append(f"{name} is torn: {error}")
    try:
        with open(os.path.join(folder, "raw", "samples.ndjson"), encoding="utf-8") as file:
            for line in file:
                json.loads(line)
    except FileNotFoundError:
        pass
    except ValueError as error:
        complaints.append(f"samples.ndjson is torn: {error}")
    if run.code == 0:
        summary = found.get("summary.json", {"plan": {"complete": False}, "cells": []})
        if not summary["plan"]["complete"] or not summary["cells"] or any(
                cell["status"] != "measured" for cell in summary["cells"]):
            complaints.append("exit code 0, and the report is not complete")
    if run.code == 4 and run.out:
        cells = found.get("summary.json", {"cells": []})["cells"]
        if not any(cell["status"] == "failed" and cell["reason"] for cell in cells):
            complaints.append("a table, exit code 4, and no cell failed")
    return complaints


def check_snapshot(run):
    """What a failed cell says: one line that names the call and the file, or its directory."""
    complaints = check_sweep(run)
    with open(os.path.join(run.place, "report", "summary.json"), encoding="utf-8") as file:
        cells = json.load(file)["cells"]
    for cell in cells:
        reason = cell["reason"] or ""
        if "\n" in reason or "/sample" not in reason or ": " not in reason:
            complaints.append(f"the reason is {reason!r}")
    return complaints


class Sweeping(Case):
    COMMAND = [SYNCOST, "sweep", "--suite", SUITE, "--ops", "2", "--samples", "6", "--workload",
               "insert_one", "--journal-mode", "delete", "--synchronous", "off", "--quiet",
               "--target", "PLACE", "--out", "PLACE/report"]

    def sweep(self, faults, **how):
        walk = Walk(LIBRARY, self.COMMAND, check=check_sweep, codes=(0, 2, 3, 4), kept=KEPT,
                    again=[*self.COMMAND[:-1], "PLACE/again"])
        return self.walk(walk, faults, **how)

    def test_the_tool(self):
        """a sweep, calls of its own failing"""
        self.sweep(12, process=TOOL, error="EIO",
                   numbers=some(1, 2, 4, 7, 12, 20, 45, 90, 160, 300, 480, 700, 950, dense=900))

    def test_what_cannot_be_removed(self):
        """a sweep that cannot remove its directory says so, and the next one removes it"""
        self.sweep(5, process=TOOL, error="EIO", calls="opendir,readdir,unlink",
                   path="*/.syncost-*", numbers=some(1, 2, 5, 9, 14))

    def test_the_disk_is_full(self):
        """a sweep on a disk that is full from some moment on"""
        self.sweep(8, process=TOOL, error="ENOSPC", sticky=1, calls="write,mkdir,truncate",
                   path="*/place/*", numbers=some(1, 2, 3, 5, 8, 13, 20, 30, dense=100))

    def test_interrupted_calls(self):
        """a sweep, calls of its own interrupted"""
        self.sweep(6, process=TOOL, error="EINTR", calls="read,write,poll,wait,fsync,open",
                   numbers=some(1, 6, 30, 90, 200, 350, dense=300))

    def test_short_reads_and_writes(self):
        """a sweep, reads and writes of its own moving half: it succeeds"""
        outcomes = self.sweep(6, process=TOOL, error="SHORT", calls="read,write",
                              numbers=some(1, 5, 20, 60, 130, 220, dense=100))
        self.assertEqual(set(outcomes), {0}, outcomes)

    def test_the_samples(self):
        """a sweep, calls of its samples failing: their cell fails, the report says why"""
        for error in ("EIO", "ENOSPC"):
            # the ledger's sample and the first timing sample, call by call
            self.sweep(6, process=SAMPLE, error=error,
                       numbers=some(1, 9, 40, 110, 210, 330, 700, dense=650))

    def test_the_snapshot(self):
        """a store that each commit writes anew, its own calls failing: no commit is taken for one"""
        command = [word if word != "off" else "full" for word in self.COMMAND]
        command = [*command[:-4], "--store", "snapshot", *command[-4:]]
        walk = Walk(LIBRARY, command, check=check_snapshot, codes=(4,), kept=KEPT,
                    again=[*command[:-1], "PLACE/again"])
        for error in ("EIO", "ENOSPC"):
            self.walk(walk, 6, process=SAMPLE, error=error, path="*/bench.db-snapshot",
                      calls="open,write,fsync,close,rename,unlink",
                      numbers=some(1, 2, 3, 4, 5, 6, 7, 12, dense=30))
            self.walk(walk, 2, process=SAMPLE, error=error, path="*/sample", calls="fsync",
                      numbers=some(2, 3, dense=6))

    def test_the_clients(self):
        """a sweep with clients, calls of its samples and clients failing"""
        command = [*self.COMMAND[:-4], "--clients", "2", *self.COMMAND[-4:]]
        walk = Walk(LIBRARY, command, check=check_sweep, codes=(0, 2, 3, 4), kept=KEPT,
                    again=[*command[:-1], "PLACE/again"])
        self.walk(walk, 6, process=SAMPLE, error="EIO",
                  numbers=some(3, 30, 120, 250, 400, 520, 700, dense=600))
        # what they tell each other: whom nobody hears must not be waited for
        self.walk(walk, 5, process=SAMPLE, error="EIO", calls="write", path="pipe:*",
                  numbers=some(1, 2, 3, 4, 5, 6, 7, dense=12))
        self.walk(walk, 3, process=SAMPLE, error="EIO", calls="read", path="pipe:*",
                  numbers=some(1, 2, 3, 4, 5, 6, 7, dense=12))
        self.walk(walk, 3, process=SAMPLE, error="EMFILE", calls="fork,pipe,read,poll,wait",
                  numbers=some(1, 2, 3, 5, 8, dense=60))


if __name__ == "__main__":
    unittest.main()
