# SPDX-License-Identifier: MIT
"""run-count.py against meson itself: a small project with one program of each outcome.

Argument: the path of run-count.py. The project's programs are shell, so nothing is compiled.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

COUNT = os.path.abspath(sys.argv[1])

PROJECT = """
project('x')
sh = find_program('sh')
foreach name, script : {
  'three': 'echo 1..3; echo ok 1 - one; echo ok 2 - two; echo ok 3 - three',
  'skips': 'echo 1..2; echo ok 1 - one; echo "ok 2 - two # SKIP no ptrace here"',
  'fails': 'echo 1..2; echo ok 1 - one; echo not ok 2 - two; exit 1',
  'crashes': 'echo 1..2; echo ok 1 - one; kill -ABRT $$',
  'exits': 'echo 1..1; echo ok 1 - one; exit 3',
  'hangs': 'echo 1..2; echo ok 1 - one; exec sleep 60',
  'nothing': 'exit 4',
  'absent': 'echo "1..0 # SKIP no liburing"',
}
  test(name, sh, args: ['-c', script], protocol: 'tap', suite: name,
    timeout: name.endswith('hangs') ? 2 : 60)
endforeach
foreach name, script : {
  'plain': 'exit 0',
  'plain-fails': 'exit 1',
  'plain-skips': 'echo not here; exit 77',
  'plain-hangs': 'exec sleep 60',
}
  test(name, sh, args: ['-c', script], suite: name,
    timeout: name.endswith('hangs') ? 2 : 60)
endforeach
"""


class Count(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = tempfile.mkdtemp(prefix="syncost-count-")
        with open(os.path.join(cls.directory, "meson.build"), "w", encoding="utf-8") as file:
            file.write(PROJECT)
        cls.build = os.path.join(cls.directory, "b")
        subprocess.run(["meson", "setup", cls.build, cls.directory], check=True,
                       capture_output=True)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)

    def count(self, *lines):
        """The exit code and the lines of run-count.py for these stages."""
        stages = os.path.join(self.directory, "stages")
        with open(stages, "w", encoding="utf-8") as file:
            file.writelines("\t".join(line) + "\n" for line in lines)
        done = subprocess.run([sys.executable, COUNT, stages], capture_output=True, text=True)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout.splitlines()

    def count_suites(self, *suites):
        selection = [word for suite in suites for word in ("--suite", suite)]
        subprocess.run(["meson", "test", "-C", self.build, *selection], capture_output=True)
        return self.count(("tests", "plain", self.build, "testlog"))

    def test_cases(self):
        """cases are counted, not programs"""
        code, lines = self.count_suites("three", "plain")
        self.assertEqual((code, lines[-1]), (0, "4 passed, 0 failed, 0 skipped"))

    def test_skip(self):
        """a skipped case is counted with its reason"""
        code, lines = self.count_suites("skips", "absent", "plain-skips")
        self.assertEqual((code, lines[-1]), (0, "1 passed, 0 failed, 3 skipped"))
        self.assertIn("skipped, no ptrace here:", lines)
        self.assertIn("skipped, no liburing:", lines)
        self.assertIn("skipped, not here:", lines)

    def test_failed_case(self):
        """a failed case fails the whole and is named with its log"""
        code, lines = self.count_suites("three", "fails")
        self.assertEqual((code, lines[-1]), (1, "4 passed, 1 failed, 0 skipped"))
        self.assertIn("FAILED  plain: x:fails / fails: 2 - two", lines)
        log = os.path.join(self.build, "meson-logs", "testlog.txt")
        self.assertIn(f"        see {log}", lines)
        self.assertTrue(os.path.exists(log))

    def test_crash(self):
        """a program that crashes after passing cases is one failed case"""
        code, lines = self.count_suites("crashes")
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))
        self.assertIn("FAILED  plain: x:crashes / crashes: error: killed by signal 6", lines)

    def test_exit(self):
        """an exit status after passing cases is one failed case"""
        code, lines = self.count_suites("exits")
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_hang(self):
        """a time-out is one failed case, with TAP and without"""
        code, lines = self.count_suites("hangs", "plain-hangs")
        self.assertEqual((code, lines[-1]), (1, "1 passed, 2 failed, 0 skipped"))
        self.assertTrue(any(line.startswith("FAILED  plain: x:hangs / hangs: timed out after ")
                            for line in lines), lines)

    def test_nothing_printed(self):
        """a program that fails before its first case is one failed case"""
        code, lines = self.count_suites("nothing", "plain-fails")
        self.assertEqual((code, lines[-1]), (1, "0 passed, 2 failed, 0 skipped"))

    def test_no_test_ran(self):
        """no test at all is a failure"""
        code, lines = self.count()
        self.assertEqual((code, lines[-1]), (1, "0 passed, 0 failed, 0 skipped"))

    def test_all_skipped(self):
        """only skipped cases is a failure"""
        code, lines = self.count_suites("absent")
        self.assertEqual((code, lines[-1]), (1, "0 passed, 0 failed, 1 skipped"))

    def test_missing_log(self):
        """a stage without a result is a failure, not nothing"""
        code, lines = self.count(("pass", "build"), ("tests", "plain", self.build, "testlog-none"))
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 0 skipped"))

    def test_single_stages(self):
        """stages that are one case add up"""
        code, lines = self.count(("pass", "build"), ("fail", "format", "build/format.log"),
                                 ("skip", "tidy", "no clang-tidy"))
        self.assertEqual((code, lines[-1]), (1, "1 passed, 1 failed, 1 skipped"))
        self.assertIn("FAILED  format", lines)
