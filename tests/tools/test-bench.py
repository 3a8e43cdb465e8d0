# SPDX-License-Identifier: MIT
"""bench.py's arithmetic, and its pairs with stand-ins that answer with known rates.

Argument: the path of bench.py.
"""

import argparse
import importlib.util
import os
import shutil
import sys
import tempfile
import unittest

SPEC = importlib.util.spec_from_file_location("bench", sys.argv[1])
bench = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(bench)

# Stand-ins: the bare loop takes 1000 ns an operation, 500 of them CPU, a sample 1250 and 1000.
BARE = """#!/bin/sh
[ -z "$(ls -A "$4")" ] || exit 9
echo "{\\"operations\\": $3, \\"wall_ns\\": $(($3 * 1000)), \\"cpu_ns\\": $(($3 * 500))}"
"""
SYNCOST = """#!/usr/bin/env python3
import json, os, sys
spec = json.loads(sys.stdin.readline())
assert sys.argv[1:] == ["__sample"] and os.listdir(spec["directory"]) == []
print("noise before the line")
print(json.dumps({"status": "measured", "verified": VERIFIED, "reason": "rows differ",
                  "operations": spec["operations"], "wall_ns": spec["operations"] * 1250,
                  "cpu_ns": spec["operations"] * 1000}))
"""


class Arithmetic(unittest.TestCase):
    def test_ranks(self):
        """ranks of the median's interval are those of the binomial tables"""
        for count, expected in {6: (1, 6), 9: (2, 8), 10: (2, 9), 20: (6, 15), 25: (8, 18),
                                100: (40, 61)}.items():
            self.assertEqual(bench.median_ranks(count)[:2], expected)

    def test_coverage(self):
        """coverage is exact"""
        self.assertEqual(bench.median_ranks(6)[2], 1 - 2 / 64)
        self.assertAlmostEqual(bench.median_ranks(25)[2], 0.9567147, places=7)

    def test_few(self):
        """too few pairs give the extremes and the coverage that they have"""
        self.assertEqual(bench.median_ranks(2), (1, 2, 0.5))
        self.assertEqual(bench.median_ranks(1), (1, 1, 0.0))

    def test_median(self):
        """the median of an even count is the mean of the middle two"""
        self.assertEqual(bench.summarise([4, 1, 3, 2])["median"], 2.5)
        self.assertEqual(bench.summarise([9, 1, 2])["median"], 2)

    def test_verdicts(self):
        """shown needs the whole interval, met the median, and A/A has to hold 1"""
        figure = {"low": 0.94, "median": 0.96, "high": 0.99}
        self.assertEqual(bench.verdict(figure, 0.93), "shown")
        self.assertEqual(bench.verdict(figure, 0.95), "met")
        self.assertEqual(bench.verdict(figure, 0.97), "missed")
        self.assertEqual(bench.verdict(figure, None), "misses 1")
        self.assertEqual(bench.verdict({"low": 0.99, "median": 1.0, "high": 1.02}, None),
                         "holds 1")


class Pairs(unittest.TestCase):
    def setUp(self):
        self.directory = tempfile.mkdtemp(prefix="syncost-test-bench-")
        self.addCleanup(shutil.rmtree, self.directory)

    def bench_with(self, verified):
        self.write("tests/bench/bare", BARE)
        self.write("src/cli/syncost", SYNCOST.replace("VERIFIED", str(verified)))
        data = os.path.join(self.directory, "data")
        os.makedirs(data)
        options = argparse.Namespace(build=self.directory, directory=data, pairs=7, seconds=0.002,
                                     seed=1)
        subject = bench.Bench(options)
        subject.suite = os.devnull
        return subject

    def write(self, path, text):
        path = os.path.join(self.directory, path)
        os.makedirs(os.path.dirname(path))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, 0o755)

    def test_ratio(self):
        """a sample that takes 25 % longer has the ratio 0.8, and A/A has 1"""
        again, sample = self.bench_with(True).measure("insert_one", "off",
                                                      [("sample", "timing", 0, 0.75)])
        self.assertAlmostEqual(again["ratio"]["median"], 1.0)
        self.assertEqual(again["verdict"], "holds 1")
        self.assertAlmostEqual(sample["ratio"]["low"], 0.8)
        self.assertAlmostEqual(sample["cpu_ratio"]["median"], 0.5)
        self.assertEqual((sample["verdict"], sample["operations"]), ("shown", 2000))
        self.assertEqual(len(sample["subject_ops_per_s"]), 7)
        self.assertEqual(os.listdir(os.path.join(self.directory, "data")), [])

    def test_rendered(self):
        """each row of the result is a line of the table"""
        rows = self.bench_with(True).measure("insert_one", "off",
                                             [("sample", "timing", 0, 0.95)])
        text = bench.render({"started": "now", "load_average": (0.5, 0.25, 0.125)}, rows)
        self.assertIn("| insert_one | WAL+OFF | sample | 1,000,000 | 0.800 | 0.800 – 0.800 "
                      "(98.4%) | 7 | ≥ 0.95 | missed | 0.500 | 0.500 – 0.500 |", text)
        self.assertIn("| load average | 0.50, 0.25, 0.12 |", text)

    def test_unverified(self):
        """a sample that was not verified stops the benchmark"""
        with self.assertRaises(SystemExit) as stopped:
            self.bench_with(False).measure("insert_one", "off", [("sample", "timing", 0, 0.95)])
        self.assertIn("rows differ", str(stopped.exception))
