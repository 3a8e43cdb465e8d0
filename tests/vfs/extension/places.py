# SPDX-License-Identifier: MIT
"""What the tests of the extension share: hosts that load it, and their answers.

Arguments: syncost.so, the two hosts ("" where there is no static SQLite), read-meter, and what has
to be loaded into a program that was not built with the extension's sanitizer: "" nothing, "none" it
cannot be done.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

EXTENSION, SHARED, STATIC, READ_METER, PRELOAD = sys.argv[1:6]
PATIENCE = 240


def environment(**more):
    asan = os.environ.get("ASAN_OPTIONS", "")
    return dict(os.environ, ASAN_OPTIONS=f"{asan}:detect_leaks=0", **more)


def stranger_environment(**more):
    """For programs that know nothing of sanitizers."""
    if PRELOAD == "none":
        raise unittest.SkipTest("this sanitizer cannot be loaded into other programs")
    if PRELOAD:
        more["LD_PRELOAD"] = PRELOAD
    return environment(**more)


def find_python():
    """A CPython whose sqlite3 loads extensions."""
    probe = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)"
    for name in (sys.executable, "/usr/bin/python3"):
        if os.path.exists(name) and subprocess.run([name, "-c", probe], capture_output=True,
                                                   check=False).returncode == 0:
            return name
    raise unittest.SkipTest("no python3 here whose sqlite3 module loads extensions")


def find_shell():
    shell = shutil.which("sqlite3")
    if not shell:
        raise unittest.SkipTest("the sqlite3 shell is not installed")
    return shell


class Host:
    """One of our hosts, answering line by line."""

    def __init__(self, program):
        self.process = subprocess.Popen([program], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        text=True, env=environment())

    def __call__(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()
        answer = []
        while True:
            got = self.process.stdout.readline()
            if not got:
                raise AssertionError(f"the host died of: {line}")
            if got == ".\n":
                return answer
            answer.append(got.rstrip("\n"))

    def end(self):
        """Its exit code."""
        self.process.stdin.close()
        self.process.stdout.close()
        return self.process.wait(PATIENCE)


class Case(unittest.TestCase):
    def setUp(self):
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="syncost-extension-"))
        self.addCleanup(shutil.rmtree, self.home)
        self.db = f"{self.home}/app.db"

    def host(self, program=SHARED):
        if not program:
            self.skipTest("no static SQLite to link")
        host = Host(program)
        self.addCleanup(self.end, host)
        return host

    def end(self, host):
        if host.process.returncode is None:  # not ended by the test itself
            self.assertEqual(0, host.end())

    def loaded(self, program=SHARED):
        """A host whose connection "loader" has loaded the extension."""
        host = self.host(program)
        self.assertEqual([], host("open loader :memory:"))
        self.assertEqual([], host(f"load loader {EXTENSION}"))
        return host

    def work(self, host, name="a", uri=None, rows=5):
        self.assertEqual([], host(f"open {name} {uri or self.db}"))
        self.assertEqual(["wal"], host(f"sql {name} PRAGMA journal_mode=wal"))
        host(f"sql {name} CREATE TABLE IF NOT EXISTS t(a)")
        for row in range(rows):
            self.assertEqual([], host(f"sql {name} INSERT INTO t VALUES({row})"))

    def writes(self, host, path=None, name="loader"):
        """(calls, bytes) written to the files of a database."""
        rows = host(f"sql {name} SELECT sum(calls), sum(bytes) FROM syncost_io "
                    f"WHERE operation = 'write' AND database = '{path or self.db}'")
        return tuple(0 if value == "NULL" else int(value) for value in rows[0].split("|"))
