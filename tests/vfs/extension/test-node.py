# SPDX-License-Identifier: MIT
"""Drivers of Node.js that have SQLite inside, without a symbol of it to be seen from outside.

A driver is looked for where Node looks, NODE_PATH included; one that is not there is skipped.
"""

import os
import shutil
import subprocess
import unittest

from places import EXTENSION, PATIENCE, PRELOAD, environment
from witness import TracedCase, table_of, trace, truth_of

WORKER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "worker.js")


class Node(TracedCase):
    def run_driver(self, driver):
        node = shutil.which("node")
        if not node:
            self.skipTest("node is not installed")
        if PRELOAD:
            self.skipTest("not with a sanitizer")
        probe = subprocess.run([node, "-e", f"require('{driver}')"], capture_output=True,
                               check=False)
        if probe.returncode != 0:
            self.skipTest(f"node does not find {driver}; NODE_PATH says where to look")
        done = trace.run([node, WORKER, driver, EXTENSION, f"{self.home}/app"], self.trace_path,
                         capture_output=True, text=True, timeout=PATIENCE,
                         env=environment(NODE_NO_WARNINGS="1"))
        self.assertEqual((0, ""), (done.returncode, done.stderr))
        table = table_of(done.stdout.splitlines())
        self.compare(truth_of(self.trace_path), table)
        self.assertGreater(table[(f"{self.home}/app-wal.db", "wal", "write")][0], 40)
        self.assertGreater(table[(f"{self.home}/app-delete.db", "main_journal", "sync")][0], 20)

    def test_better(self):
        """better-sqlite3: calls and bytes are those of strace"""
        self.run_driver("better-sqlite3")

    def test_photostructure(self):
        """@photostructure/sqlite: calls and bytes are those of strace"""
        self.run_driver("@photostructure/sqlite")


if __name__ == "__main__":
    unittest.main()
