# SPDX-License-Identifier: MIT
"""Sweeps that are interrupted or killed: a readable report, no litter, nothing else touched."""

import json
import os
import signal
import subprocess

from harness import (PATIENCE, SMALL, SYNCOST, Case, newest_report, reports, sample_count, samples,
                     summary, tree, wait_for)

# Long enough that no signal comes too late: the last round is never reached.
ENDLESS = ["sweep", *SMALL, "--samples", "1000", "--workload", "insert_one", "--journal-mode",
           "delete,wal", "--synchronous", "off,normal,full"]
LEDGER = 6  # samples of the first round


def workplaces(place):
    return [name for name in os.listdir(place) if name.startswith(".syncost-")]


def children_of(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as file:
        return [int(word) for word in file.read().split()]


def runs(pid):
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Signals(Case):
    def setUp(self):
        super().setUp()
        self.user_files()
        self.before = tree(self.place)

    def user_files(self):
        """What could be taken for ours: names alone are no reason to remove anything."""
        for name in (".syncost-20251201T001803Z-1/data", ".syncost-mine/x", "app.db", "app.db-wal"):
            path = os.path.join(self.place, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(name)

    def assertUntouched(self):
        after = tree(self.place)
        for path, state in self.before.items():
            self.assertEqual(after.get(path), state, path)
        return {path.split("/")[0] for path in set(after) - set(self.before)}

    def assertReadable(self, complete=False):
        folder = newest_report(self.place)
        self.assertIs(summary(folder)["plan"]["complete"], complete)
        done = self.run_syncost("report")
        self.assertDone(done)
        if not complete:
            self.assertIn("not complete", done.out)
        return folder

    def stop(self, number, moment):
        process = self.start_syncost(*ENDLESS)
        wait_for(moment, "the sweep's progress")
        process.send_signal(number)
        out, err = process.communicate(timeout=PATIENCE)
        return process.returncode, out, err

    def interrupt(self, number, moment):
        code, out, err = self.stop(number, moment)
        self.assertEqual(code, 130, err)
        self.assertIn("interrupted", err)
        self.assertEqual(self.assertUntouched(), {"syncost-reports"})
        self.assertReadable()
        self.assertIn("Report: ", out)

    def kill(self, moment):
        process = self.start_syncost(*ENDLESS)
        wait_for(moment, "the sweep's progress")
        children = children_of(process.pid)
        process.kill()
        process.communicate(timeout=PATIENCE)
        for child in children:
            wait_for(lambda pid=child: not runs(pid), "the end of the sample's process")
        self.assertReadable()
        # The negative control: a killed sweep does leave something behind …
        self.assertEqual(len(set(workplaces(self.place)) - set(self.before)), 1)
        # … and the next one removes it, and nothing else.
        self.assertDone(self.run_syncost("sweep", *SMALL, "--workload", "insert_one",
                                         "--journal-mode", "off", "--synchronous", "off"))
        self.assertEqual(self.assertUntouched(), {"syncost-reports"})
        self.assertReadable(complete=True)

    def test_interrupt_first(self):
        """SIGINT in the ledger's round leaves a report without rates and a clean target"""
        self.interrupt(signal.SIGINT, lambda: sample_count(self.place) >= 1)

    def test_interrupt_rounds(self):
        """SIGINT after some rounds leaves a report of what was measured"""
        self.interrupt(signal.SIGINT, lambda: sample_count(self.place) >= 4 * LEDGER + 2)
        folder = newest_report(self.place)
        for cell in summary(folder)["cells"]:
            if not cell["same_as"]:
                self.assertGreaterEqual(cell["ops_per_s"]["n"], 3)

    def test_interrupt_early(self):
        """SIGINT as soon as the working directory is there"""
        self.interrupt(signal.SIGINT, lambda: reports(self.place))

    def test_terminate(self):
        """SIGTERM ends it as SIGINT does"""
        self.interrupt(signal.SIGTERM, lambda: sample_count(self.place) >= LEDGER + 1)

    def test_hang_up(self):
        """SIGHUP ends it as SIGINT does"""
        self.interrupt(signal.SIGHUP, lambda: sample_count(self.place) >= LEDGER + 1)

    def test_terminal_interrupt(self):
        """Ctrl-C, which reaches the whole process group, ends it the same way"""
        process = self.start_syncost(*ENDLESS, start_new_session=True)
        wait_for(lambda: sample_count(self.place) >= LEDGER + 3, "the sweep's progress")
        os.killpg(process.pid, signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 130, err)
        self.assertEqual(self.assertUntouched(), {"syncost-reports"})
        self.assertNotIn("failed", json.dumps([cell.get("status") for cell in summary(
            newest_report(self.place))["cells"]]))

    def test_kill_ledger(self):
        """SIGKILL in the ledger's round: readable, and clean after the next start"""
        self.kill(lambda: sample_count(self.place) >= 2)

    def test_kill_rounds(self):
        """SIGKILL between rounds: the samples so far are kept whole"""
        self.kill(lambda: sample_count(self.place) >= 3 * LEDGER)
        killed = os.path.join(self.place, "syncost-reports", reports(self.place)[0])
        self.assertGreaterEqual(len(samples(killed)), 3 * LEDGER)

    def test_kill_many(self):
        """SIGKILL at twelve moments: the summary is whole each time"""
        for count in range(12):
            place = self.place
            done_before = len(reports(place))
            process = self.start_syncost(*ENDLESS)
            wait_for(lambda: len(reports(place)) > done_before and sample_count(place) >= count,
                     "the sweep's progress")
            process.kill()
            process.communicate(timeout=PATIENCE)
            self.assertReadable()
            for name in os.listdir(newest_report(place)):
                self.assertIn(name, ("metadata.json", "raw", "summary.json"))
            # a second one starts while the first one's directory is still there
            self.assertLessEqual(len(set(workplaces(place)) - set(self.before)), 1)

    def test_sample_killed(self):
        """a sample's process that is killed fails its cell alone, with the signal's name"""
        process = self.start_syncost("sweep", *SMALL, "--workload", "insert_one",
                                     "--journal-mode", "delete,wal", "--synchronous", "off,full")

        def kill_one():
            for child in children_of(process.pid) if sample_count(self.place) >= 4 else []:
                try:
                    os.kill(child, signal.SIGKILL)
                    return True
                except ProcessLookupError:
                    pass  # it ended in between: the next one
            return False

        wait_for(kill_one, "a sample's process")
        out, _ = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4)
        reasons = [cell for cell in summary(newest_report(self.place))["cells"]
                   if "was killed by signal 9 (Killed)" in json.dumps(cell)]
        self.assertGreaterEqual(len(reasons), 1)
        self.assertIn("was killed by signal 9 (Killed)", out)
        self.assertEqual(self.assertUntouched(), {"syncost-reports"})

    def test_reader_gone(self):
        """a reader that goes away ends it as SIGPIPE does, with the report whole and no mess"""
        process = self.start_syncost(*ENDLESS, "--synchronous", "off", "--samples", "6")
        process.stdout.close()
        process.wait(PATIENCE)
        self.assertEqual(process.returncode, -signal.SIGPIPE)
        self.assertNotIn("Broken pipe", process.stderr.read())
        self.assertEqual(self.assertUntouched(), {"syncost-reports"})
        self.assertReadable(complete=True)

    def test_nohup(self):
        """a hang-up that is ignored stays ignored"""
        process = subprocess.Popen(
            [SYNCOST, "sweep", *SMALL, "--workload", "insert_one", "--quiet", "--format", "json"],
            cwd=self.place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))
        wait_for(lambda: sample_count(self.place) >= 3, "the sweep's progress")
        process.send_signal(signal.SIGHUP)
        self.assertEqual(process.wait(PATIENCE), 0)
        self.assertReadable(complete=True)
