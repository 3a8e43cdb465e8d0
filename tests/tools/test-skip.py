# SPDX-License-Identifier: MIT
"""The TAP of a cmocka program, as skip.c corrects it. Argument: the program skip-sample."""

import os
import subprocess
import sys
import unittest

SAMPLE = sys.argv[1]


class Skip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        environment = dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP")
        done = subprocess.run([SAMPLE], env=environment, capture_output=True, text=True)
        cls.lines = done.stdout.splitlines()
        cls.code = done.returncode

    def test_passes_stay(self):
        """a passing case keeps its line"""
        self.assertIn("ok 1 - a case that passes", self.lines)

    def test_reason(self):
        """a skip carries its reason and is no failure"""
        self.assertIn("ok 2 - a case with a reason # SKIP only 1 of 2 cores", self.lines)

    def test_bare(self):
        """a skip without a reason says so"""
        self.assertIn("ok 3 - a case without # SKIP no reason given", self.lines)

    def test_failure_stays(self):
        """a failing case still fails"""
        self.assertIn("not ok 4 - a case that fails", self.lines)
        self.assertEqual(self.code, 1)

    def test_plan(self):
        """the plan counts every case"""
        self.assertEqual(self.lines[0], "1..4")
