# SPDX-License-Identifier: MIT
"""The ledger against strace of the same run. Argument: the program tap-scenario.

Every call on the database's files, the journals, the temporary files and the directories: calls,
failures and bytes, one by one, have to be equal. The one exception is stat, because strace also
sees the fstat calls by which the shim learns sizes; those of SQLite are a part of what strace sees.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

import trace

SCENARIO = sys.argv[1]
COMMITS = 5

JOURNALS = ["DELETE", "TRUNCATE", "PERSIST", "MEMORY", "OFF", "WAL"]
SYNCHRONOUS = ["OFF", "NORMAL", "FULL", "EXTRA"]
LOCKINGS = ["NORMAL", "EXCLUSIVE"]

# Syncs per one-row commit, locking NORMAL, directory syncs included.
SYNCS_PER_COMMIT = {
    "DELETE": [0, 3, 4, 5],
    "TRUNCATE": [0, 3, 5, 5],
    "PERSIST": [0, 4, 5, 5],
    "MEMORY": [0, 1, 1, 1],
    "OFF": [0, 1, 1, 1],
    "WAL": [0, 0, 1, 1],
}

ROLES = [("-wal", "wal"), ("-journal", "main_journal"), ("-shm", "shm"), ("", "main_db")]
SYNCS = ("fsync", "fdatasync")
DURABLE = SYNCS + ("sync_file_range", "msync")
EXACT = DURABLE + ("open", "close", "read", "write", "truncate", "fallocate", "delete", "rename",
                   "seek", "access", "lock", "unlock", "mmap", "munmap")


def classifier(home):
    """Names as the scenario makes them, without asking what the tap would say."""
    databases = [f"{home}/main.db", f"{home}/second/second.db"]
    kinds = {}
    for path in databases:
        kinds[os.path.dirname(path)] = (path, "directory")
        for suffix, role in ROLES:
            kinds[path + suffix] = (path, role)

    def classify(path):
        if path.startswith(databases[0] + "-mj"):
            return databases[0], "super_journal"
        if os.path.basename(path).startswith("etilqs_"):
            return "", "temporary"
        return kinds.get(path)

    return classify


def rows_of(phase, instrument):
    """{((path, role), op): Count}; the kinds of temporary files are one, strace cannot tell them."""
    counts = {}
    for row in phase["rows"]:
        if row["instrument"] != instrument or row["op"] == "sleep":
            continue
        role = row["role"] if row["path"] else "temporary"
        key = (row["path"], role), row["op"]
        old = counts.get(key, trace.Count(0, 0, 0))
        new = (row["calls"], row["failures"], row["bytes"])
        counts[key] = trace.Count(*(a + b for a, b in zip(old, new)))
    return counts


def differences(ledger, truth, ops=EXACT):
    return [f"{key}: ledger {ledger.get(key)}, strace {truth.get(key)}"
            for key in sorted(ledger.keys() | truth.keys())
            if key[1] in ops and ledger.get(key) != truth.get(key)]


def total(counts, ops, field="calls", roles=None):
    return sum(getattr(count, field) for ((_, role), op), count in counts.items()
               if op in ops and (roles is None or role in roles))


def name_of(phase):
    return " ".join(phase[key] for key in ("journal", "synchronous", "locking", "phase"))


class Run:
    def __init__(self, *options):
        self.home = os.path.realpath(tempfile.mkdtemp(prefix="syncost-truth-"))
        os.mkdir(f"{self.home}/second")
        os.mkdir(f"{self.home}/temporary")
        self.trace_path = f"{self.home}/temporary/strace"
        sanitizer = os.environ.get("ASAN_OPTIONS", "")
        environment = dict(
            os.environ,
            SQLITE_TMPDIR=f"{self.home}/temporary",
            ASAN_OPTIONS=f"{sanitizer}:detect_leaks=0")  # impossible under ptrace
        self.done = trace.run([SCENARIO, self.home, *options], self.trace_path, env=environment,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        try:
            self.phases = [json.loads(line) for line in self.done.stdout.splitlines()]
            self.truths = trace.Reader(classifier(self.home)).read(self.trace_path)
        finally:
            shutil.rmtree(self.home)


class Truth(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        reason = trace.why_not()
        if reason:
            raise unittest.SkipTest(reason)
        cls.run_all = Run()

    def each(self, by_hand=False):
        """The phases with their truth; those without SQLite only if wanted."""
        for number, phase in enumerate(self.run_all.phases):
            if by_hand or phase["phase"] != "by hand":
                yield phase, self.run_all.truths[number]

    def equal_for(self, ops):
        problems = {}
        for phase, truth in self.each(by_hand=True):
            found = differences(rows_of(phase, "libc"), truth, ops)
            if found:
                problems[name_of(phase)] = found
        self.none(problems)

    def none(self, problems):
        for name, found in list(problems.items())[:5]:
            print(name, found, file=sys.stderr)
        self.assertEqual(0, len(problems), "phases that differ")

    def equal_pairs(self, pairs):
        """@pairs: (phase, expected, actual)."""
        problems = {}
        for phase, expected, actual in pairs:
            if expected != actual:
                problems[name_of(phase)] = f"expected {expected}, found {actual}"
        self.none(problems)

    def test_complete(self):
        """the scenario ran every phase of all 48 settings and dropped no call"""
        self.assertEqual((0, ""), (self.run_all.done.returncode, self.run_all.done.stderr))
        wanted = sum(10 if journal == "WAL" else 9 for journal in JOURNALS) * 4 * 2
        self.assertEqual(wanted, len(self.run_all.phases))
        self.assertEqual(wanted, len(self.run_all.truths))
        self.assertEqual(0, sum(phase["dropped"] for phase in self.run_all.phases))

    def test_syncs(self):
        """physical syncs are those of strace, per file and directory, fsync and fdatasync apart"""
        self.equal_for(DURABLE)
        seen = sum(total(truth, SYNCS) for truth in self.run_all.truths.values())
        self.assertGreater(seen, 1000)

    def test_bytes(self):
        """bytes read and written are those of strace, per role"""
        self.equal_for(("read", "write"))

    def test_everything(self):
        """every call on those files is counted as strace counts it"""
        self.equal_for(EXACT)

    def test_stat(self):
        """SQLite's stat calls are among those strace saw, and missing nowhere"""
        for phase, truth in self.each():
            ledger = rows_of(phase, "libc")
            for key, count in truth.items():
                if key[1] == "stat":
                    seen = ledger.get(key, trace.Count(0, 0, 0))
                    self.assertLessEqual(seen.calls, count.calls)
                    self.assertEqual(seen.failures, count.failures)
            self.assertEqual(set(), {key for key in ledger if key not in truth})

    def test_sum(self):
        """syncs asked of the VFS and directory syncs make up the physical syncs"""
        self.equal_pairs(
            (phase, total(truth, SYNCS),
             total(rows_of(phase, "vfs"), ("sync",)) +
             total(rows_of(phase, "libc"), SYNCS, roles=("directory",)))
            for phase, truth in self.each())

    def test_levels(self):
        """what SQLite wrote is what reached the kernel, per role, shm aside"""
        for role in ("main_db", "wal", "main_journal", "super_journal", "temporary"):
            with self.subTest(role):
                self.equal_pairs(
                    (phase, total(truth, ("write",), "bytes", (role,)),
                     total(rows_of(phase, "vfs"), ("write",), "bytes", (role,)))
                    for phase, truth in self.each())

    def test_table(self):
        """syncs per one-row commit are those of the table of settings"""
        self.equal_pairs(
            (phase,
             SYNCS_PER_COMMIT[phase["journal"]][SYNCHRONOUS.index(phase["synchronous"])] * COMMITS,
             total(rows_of(phase, "libc"), SYNCS))
            for phase, truth in self.each()
            if (phase["phase"], phase["locking"]) == ("commits", "NORMAL"))

    def test_commits(self):
        """commits and empty transactions are those of the workload"""
        self.equal_pairs((phase, phase["done"], {key: phase[key] for key in phase["done"]})
                         for phase, _ in self.each())

    # --- negative controls

    def test_unseen(self):
        """a sync that goes past libc is missed, and the comparison says so"""
        run = Run("--unseen-sync", "--journal", "DELETE")
        for number, phase in enumerate(run.phases):
            ledger, truth = rows_of(phase, "libc"), run.truths[number]
            with self.subTest(name_of(phase)):
                self.assertEqual(total(truth, SYNCS), total(ledger, SYNCS) + 1)
                self.assertNotEqual([], differences(ledger, truth))

    def test_left_out(self):
        """a ledger with any one operation left out fails the comparison"""
        pairs = [(rows_of(phase, "libc"), self.run_all.truths[number])
                 for number, phase in enumerate(self.run_all.phases)]
        ops = {op for ledger, _ in pairs for _, op in ledger if op in EXACT}
        self.assertEqual(set(EXACT), ops)
        for left_out in sorted(ops):
            with self.subTest(left_out):
                found = [differences({key: count for key, count in ledger.items()
                                      if key[1] != left_out}, truth) for ledger, truth in pairs]
                self.assertTrue(any(found))


if __name__ == "__main__":
    unittest.main()
