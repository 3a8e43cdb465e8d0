#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""syncost compare on reports of 10,000 cells: memory, and formats that stay usable.

usage: run-unittest.py test-large.py SYNCOST
"""

import json
import os
import resource
import subprocess
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import reports  # noqa: E402
from harness import SYNCOST, Case  # noqa: E402

CELLS = 10000
MEMORY = 100 << 20       # bytes that it may allocate
COMMENT_BYTES = 65536    # the longest comment that GitHub takes


def has_sanitizer():
    with open(SYNCOST, "rb") as file:
        return b"__asan_init" in file.read()


def write_large(folder, change):
    """The cells of the golden report again and again, each with a workload of its own."""
    report = reports.load()
    cells = [cell for cell in report["cells"] if not cell["same_as"]]
    report["cells"] = []
    head, tail = reports.text_of(report).split("\n\n")
    os.makedirs(folder)
    with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
        file.write(head + "\n")
        for index in range(CELLS):
            cell = dict(cells[index % len(cells)])
            cell["workload"] = f"workload_{index // len(cells)}"
            cell["id"] = cell["id"].replace("insert_one", cell["workload"])
            file.write(reports.dumps(change(index, cell)))
            file.write(",\n" if index + 1 < CELLS else "\n")
        file.write(tail)
    return folder


def slower(index, cell):
    if index % 10 == 0:
        cell = json.loads(json.dumps(cell))
        reports.scale_time(3)(cell)
    return cell


class Large(Case):
    def run_limited(self, *arguments, limit=MEMORY):
        """Exit code, standard output and error of a run that may allocate so much."""
        def lower():
            if not has_sanitizer():  # which reserves more than there is
                resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))
        done = subprocess.run([SYNCOST, "compare", *arguments], cwd=self.place,
                              capture_output=True, preexec_fn=lower, check=False)
        return done.returncode, done.stdout, done.stderr

    def test_ten_thousand_cells(self):
        """10,000 cells are compared in each format in under 100 MiB"""
        base = write_large(os.path.join(self.place, "base"), lambda index, cell: cell)
        new = write_large(os.path.join(self.place, "new"), slower)
        for name in ("table", "md", "csv", "json"):
            code, out, err = self.run_limited(base, new, "--format", name)
            self.assertEqual((code, err), (1, b""), name)
            if name == "md":
                self.assertLess(len(out), COMMENT_BYTES)
                self.assertIn(b"rows more are left out", out)
            if name == "json":
                value = json.loads(out)
                self.assertEqual(len(value["cells"]), CELLS)
                self.assertEqual(value["reports"][1]["cells"]["failing"], CELLS // 10)
            if name == "csv":
                self.assertEqual(out.count(b",yes,measured,measured\n"), CELLS // 10)

    def test_the_limit_holds(self):
        """control: with a tenth of that memory it fails, in one clear line"""
        if has_sanitizer():
            self.skipTest("a sanitizer's own memory hides what the program takes")
        base = write_large(os.path.join(self.place, "base"), lambda index, cell: cell)
        code, out, err = self.run_limited(base, base, limit=MEMORY // 10)
        self.assertEqual((code, out), (4, b""), err)
        self.assertRegex(err, rb"\Asyncost compare: [^\n]*Cannot allocate memory\n\Z")

    def test_ten_thousand_cells_without_a_match(self):
        """10,000 cells that the other report lacks are refused in reasonable time"""
        def rename(_, cell):
            return {**cell, "suite": "other"}
        base = write_large(os.path.join(self.place, "base"), lambda index, cell: cell)
        new = write_large(os.path.join(self.place, "new"), rename)
        code, out, err = self.run_limited(base, new)
        self.assertEqual(code, 2, err)
        self.assertIn(b"suite: commit in the base, other in the new", out)


if __name__ == "__main__":
    unittest.main()
