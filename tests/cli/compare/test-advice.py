#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""syncost compare, what it says where it cannot compare or cannot tell: advice has to work.

usage: run-unittest.py test-advice.py SYNCOST
"""

import copy
import os
import re
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import reports  # noqa: E402
from harness import Case  # noqa: E402


def stranger(report):
    other = reports.changed(report, lambda cell: cell.update(workload="other"))
    other["host"]["label"] = "two"
    return other


class Reports(Case):
    def setUp(self):
        super().setUp()
        self.base = reports.load()
        self.count = 0

    def put(self, report):
        self.count += 1
        return reports.write(report, os.path.join(self.place, f"report{self.count}"))


class Advice(Reports):
    def follow(self, new, base=None):
        """Keys that are advised to ignore, one after the other, until it compares."""
        places = self.put(base or self.base), self.put(new)
        keys = []
        for _ in range(9):
            options = [word for key in keys for word in ("--ignore", key)]
            done = self.run_syncost("compare", *places, *options)
            if done.code in (0, 1):
                return keys
            self.assertEqual(done.code, 2, done)
            self.assertNotIn("told apart", done.err)
            found = re.search(r"--ignore (\S+)", done.err)
            if not found:
                self.assertIn("--side-by-side only shows", done.err)
                self.assertDone(self.run_syncost("compare", *places, "--side-by-side"))
                return None
            self.assertNotIn(found.group(1), keys)
            keys.append(found.group(1))
        self.fail(keys)

    def test_cells_of_both_are_compared_where_there_are_some(self):
        new = copy.deepcopy(self.base)
        del new["cells"][0]
        self.assertEqual(self.follow(new), ["cells"])

    def test_a_key_is_named_where_ignoring_it_works(self):
        self.assertEqual(self.follow(stranger(self.base)), ["workload"])

    def test_where_one_key_is_not_enough_what_is_common_is_advised(self):
        new = copy.deepcopy(self.base)
        new["sqlite"]["version"] = "3.45.1"
        new["host"]["cpu"] = "Other CPU"
        places = self.put(self.base), self.put(new)
        done = self.run_syncost("compare", *places)
        self.assertDone(done, 2)
        self.assertIn("--common judges what both have", done.err)
        self.assertNotIn("--ignore", done.err)
        self.assertDone(self.run_syncost("compare", *places, "--common"))
        self.assertDone(self.run_syncost("compare", *places, "--ignore", "sqlite.version",
                                         "--ignore", "host.cpu"))

    def test_no_key_is_named_where_none_works(self):
        def target(name):
            def change(cell):
                cell["target"] = name
                cell["id"] = name + cell["id"]
            return change
        new = copy.deepcopy(self.base)
        new["targets"] = [dict(new["targets"][0], label=name) for name in ("c", "d")]
        both = [reports.changed(new, target(name))["cells"] for name in ("c", "d")]
        new["cells"] = both[0] + both[1]
        self.assertIsNone(self.follow(new))

    def test_a_report_without_a_common_cell_is_shown_and_named(self):
        places = [self.put(one) for one in (self.base, self.base, stranger(self.base))]
        for name in ("table", "md", "csv", "json"):
            done = self.run_syncost("compare", *places, "--format", name)
            self.assertDone(done)
        done = self.run_syncost("compare", *places)
        self.assertIn("3 reports side by side; two has no cell in common with the base",
                      " ".join(done.out.split()))
        self.assertRegex(done.out, r"\n +two +-\n")
        done = self.run_syncost("compare", *places, "--gate")
        self.assertEqual(done.code, 2, done)
        done = self.run_syncost("compare", places[0], places[1], places[0])
        self.assertNotIn("in common", done.out)


class Unknown(Reports):
    def headline(self, base, new, *options):
        done = self.run_syncost("compare", self.put(base), self.put(new), *options)
        self.assertDone(done)
        return " ".join(done.out.split("\n\n")[0].split())

    def test_a_gate_that_could_not_tell_says_so_first(self):
        def widen(cell):
            for key in ("ops_per_s", "commits_per_s"):
                cell[key]["low"] *= 0.6
                cell[key]["high"] *= 1.5
        wide = reports.changed(self.base, widen)
        slow = reports.changed(wide, reports.scale_time(1.5))
        said = ("pass on counts; latency could not be judged: intervals too wide in 4 of 4 cells")
        self.assertTrue(self.headline(wide, slow).startswith(said))
        plain = "pass: no cell of 4 costs more than is allowed"
        self.assertTrue(self.headline(wide, wide).startswith(plain))
        self.assertTrue(self.headline(wide, slow, "--counts-only").startswith(plain))
        self.assertTrue(self.headline(self.base, self.base).startswith(plain))

    def test_what_waited_for_a_cpu_is_not_called_wide(self):
        def wait(cell):
            for sample in cell["samples"]:
                if sample["kind"] == "timing":
                    sample["run_delay_ns"] = sample["wall_ns"] * 4 // 10
        slow = reports.changed(self.base, reports.scale_time(1.5))
        said = ("pass on counts; latency could not be judged: samples waited too long for a CPU "
                "in 4 of 4 cells")
        self.assertTrue(self.headline(self.base, reports.changed(slow, wait)).startswith(said))

    def test_counts_that_differ_read_so(self):
        def grow(cell):
            cell["syncs"]["physical"] *= 100000
            cell["syncs"]["vfs"] *= 100000
            cell["ledger_commits"] *= 100000
        base = reports.changed(self.base, grow)
        new = reports.changed(base, lambda cell: cell["syncs"].update(
            physical=cell["syncs"]["physical"] + 1))
        done = self.run_syncost("compare", self.put(base), self.put(new))
        lines = [line.split() for line in done.out.splitlines()
                 if "syncs_physical_per_commit" in line]
        self.assertTrue(lines, done)
        for line in lines:
            self.assertNotEqual(line[1], line[2])
        self.assertIn("merely shown", " ".join(done.out.split()))


if __name__ == "__main__":
    unittest.main()
