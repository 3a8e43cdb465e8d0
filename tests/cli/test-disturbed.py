# SPDX-License-Identifier: MIT
"""What happens around a sweep: directories that vanish, clocks that are set, disks that fill up."""

import datetime
import os
import shutil
import subprocess
import sys
import unittest

from harness import (PATIENCE, SMALL, SYNCOST, Case, cells, default_signals, samples,
                     summary, wait_for)

STEPS = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
GRID = ["--workload", "insert_one", "--journal-mode", "delete,wal", "--synchronous", "full"]
CAN_MOUNT = os.geteuid() == 0 and shutil.which("mkfs.ext4") and subprocess.run(
    ["unshare", "-m", "true"], capture_output=True).returncode == 0


class Vanished(Case):
    def start(self, *arguments):
        report = os.path.join(self.place, "report")
        process = self.start_syncost("sweep", *SMALL, "--quiet", *GRID, "--out", report,
                                     *arguments)

        def lines():
            path = os.path.join(report, "raw", "samples.ndjson")
            return os.path.exists(path) and len(samples(report)) >= 3

        wait_for(lines, "the sweep's progress")
        return process, report

    def test_a_target_fails_its_cells_and_the_others_are_completed(self):
        stays, goes = self.directory(), self.directory()
        process, report = self.start("--target", "stays=" + stays, "--target", "goes=" + goes)
        os.rename(goes, goes + ".gone")  # at once: removing it would race with the sample's files
        self.addCleanup(shutil.rmtree, goes + ".gone", ignore_errors=True)
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4, err)
        self.assertIs(summary(report)["plan"]["complete"], True)
        for name, cell in cells(report).items():
            if name.startswith("goes/"):
                self.assertEqual(cell["status"], "failed")
                self.assertRegex(cell["reason"], "No such file|unable to open|disk I/O|verif")
            else:
                self.assertEqual(cell["status"], "measured")
                self.assertEqual(cell["ops_per_s"]["n"], 6)
        self.assertIn("failed", out)
        self.assertEqual(os.listdir(stays), [])

    def test_without_the_report_folder_it_ends_with_one_line(self):
        process, report = self.start()
        os.rename(report, report + ".gone")
        out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual(process.returncode, 4, err)
        self.assertRegex(err, r"\Asyncost[^\n]*No such file[^\n]*\n\Z")
        self.assertEqual(out, "")
        self.assertNoLitter()


class Clocks(Case):
    def sweep(self, **variables):
        done = self.run_syncost("sweep", *SMALL, "--quiet", *GRID, "--out", "report",
                                env={**os.environ, "LD_PRELOAD": STEPS, **variables})
        return done, os.path.join(self.place, "report")

    @unittest.skipIf(not STEPS, "no library to preload")
    def test_a_clock_of_the_day_that_is_set_changes_no_figure(self):
        done, report = self.sweep()
        self.assertDone(done)
        for cell in cells(report).values():
            self.assertEqual(cell["status"], "measured")
            for line in samples(report):
                self.assertLess(int(line["wall_ns"]), 60e9)
                self.assertGreater(int(line["wall_ns"]), 0)
            self.assertLess(cell["split_ns"]["wall"], 60e9)
        started = datetime.datetime.fromisoformat(
            summary(report)["plan"]["started"].replace("Z", "+00:00"))
        away = abs(datetime.datetime.now(datetime.timezone.utc) - started).total_seconds()
        self.assertGreater(away, 80000, "the clock was not set")

    @unittest.skipIf(not STEPS, "no library to preload")
    def test_a_monotonic_clock_that_is_set_would_be_seen(self):
        """negative control: the library reaches the clock that durations come from"""
        done, report = self.sweep(STEP_ALL="1")
        if done.code == 0:
            longest = max(int(line["wall_ns"]) for line in samples(report))
            self.assertGreater(longest, 60e9)


class Full(Case):
    @unittest.skipUnless(CAN_MOUNT, "no file system can be mounted here")
    def test_a_disk_that_is_full_fails_cells_with_the_reason(self):
        """on a loop image of a few MiB"""
        image, mount = os.path.join(self.place, "image"), os.path.join(self.place, "mount")
        os.mkdir(mount)
        with open(image, "wb") as file:
            file.truncate(4 << 20)
        subprocess.run(["mkfs.ext4", "-q", "-b", "1024", image], check=True, capture_output=True)
        script = (f"mount -o loop {image} {mount} || exit 77\n"
                  f"exec {SYNCOST} sweep {' '.join(SMALL)} --rows 100000 --quiet "
                  f"{' '.join(GRID)} --target {mount} --out {self.place}/report\n")
        done = subprocess.run(["unshare", "-m", "sh", "-c", script], capture_output=True, text=True,
                              timeout=PATIENCE, cwd=self.place, preexec_fn=default_signals)
        if done.returncode == 77:
            self.skipTest("no loop device can be mounted here")
        self.assertEqual(done.returncode, 4, done.stderr)
        for cell in cells(os.path.join(self.place, "report")).values():
            self.assertEqual(cell["status"], "failed")
            self.assertIn("full", cell["reason"])


if __name__ == "__main__":
    unittest.main()
