# SPDX-License-Identifier: MIT
"""The extension's figures beside what strace saw."""

import os
import re
import sys

from places import Case

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tap"))
import trace  # noqa: E402

ROLES = [("-wal", "wal"), ("-journal", "main_journal"), ("", "main_db")]
# Operation of the table -> calls in the trace.
OPS = {"read": "read", "write": "write", "truncate": "truncate", "delete": "delete",
       "fsync": "sync", "fdatasync": "sync"}


def classify(path):
    for suffix, role in ROLES:
        if path.endswith(".db" + suffix):
            return path[:len(path) - len(suffix)] if suffix else path, role
    return None


class Reader(trace.Reader):
    """The whole trace, of many threads: a number is free from the beginning of its close."""

    CLOSE = re.compile(r"^\d+\s+close\((\d+) <unfinished \.\.\.>$")
    CLOSED = re.compile(r"^\d+\s+<\.\.\. close resumed>")

    def __init__(self):
        super().__init__(classify)
        self.current, self.intervals = 0, {0: {}}

    def line(self, line):
        match = self.CLOSE.match(line)
        if match:
            self.files.pop(int(match[1]), None)
        elif not self.CLOSED.match(line):
            super().line(line)


def truth_of(trace_path):
    reader = Reader()
    found = {}
    for (kind, op), count in reader.read(trace_path)[0].items():
        if op in OPS:
            calls, size = found.get((*kind, OPS[op]), (0, 0))
            found[(*kind, OPS[op])] = calls + count.calls, size + count.bytes
    return found


def table_of(lines):
    found = {}
    for line in lines:
        database, role, op, calls, size = line.split("|")
        if op in OPS.values() and role in ("main_db", "wal", "main_journal"):
            found[(database, role, op)] = int(calls), int(size)
    return found


class TracedCase(Case):
    def setUp(self):
        super().setUp()
        reason = trace.why_not()
        if reason:
            self.skipTest(reason)
        self.trace_path = f"{self.home}/trace"

    def compare(self, truth, table):
        self.assertEqual([], [f"{key}: table {table.get(key)}, strace {truth.get(key)}"
                              for key in sorted(truth.keys() | table.keys())
                              if truth.get(key) != table.get(key)])
