# SPDX-License-Identifier: MIT
"""Writes of a report's files that fail, at one size after another: no torn file, no litter."""

import json
import os
import resource
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

from harness import SMALL, Case, samples, summary  # noqa: E402

ARGUMENTS = ["sweep", *SMALL, "--workload", "insert_one", "--journal-mode", "delete",
             "--synchronous", "off", "--quiet", "--out", "report"]


class ReportFiles(Case):
    def run_limited(self, limit_bytes):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (limit_bytes, limit_bytes))

        return self.run_syncost(*ARGUMENTS, cwd=self.place, preexec_fn=limit)

    def assertWhole(self, folder):
        """Whatever is there is whole."""
        for name in os.listdir(folder):
            self.assertIn(name, ("metadata.json", "raw", "samples.csv", "summary.json",
                                 "summary.md"))
        for name in ("metadata.json", "summary.json"):
            path = os.path.join(folder, name)
            if os.path.exists(path):
                with open(path, encoding="utf-8") as file:
                    json.load(file)
        samples(folder)

    def test_sizes(self):
        """with less and less room for each file: an error in one line, and no file is torn"""
        outcomes = set()
        for limit_bytes in (1 << 20, 60000, 30000, 20000, 16000, 12000, 8000, 6000, 4000, 2000,
                            1000, 100, 1, 0):
            self.place = self.directory()
            done = self.run_limited(limit_bytes)
            self.assertIn(done.code, (0, 3, 4), done)
            outcomes.add(done.code)
            if done.code and not done.out:
                self.assertRegex(done.err, r"\Asyncost sweep: [^\n]+\n\Z", limit_bytes)
            self.assertNoLitter()
            folder = os.path.join(self.place, "report")
            if os.path.exists(folder):
                self.assertWhole(folder)
        self.assertLessEqual({0, 4}, outcomes)

    def test_report_that_stays(self):
        """a summary that can no longer be replaced stays what it was"""
        self.assertDone(self.run_limited(resource.RLIM_INFINITY))
        size = os.path.getsize(os.path.join(self.place, "report", "summary.json"))
        self.place = self.directory()
        # room for the summary that stands there before the first sample, not for the last one
        done = self.run_limited(size // 2)
        self.assertOneLine(done, 4, "File too large")
        self.assertIs(summary(os.path.join(self.place, "report"))["plan"]["complete"], False)
        self.assertDone(self.run_syncost("report", "report"))
