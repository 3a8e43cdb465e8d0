# SPDX-License-Identifier: MIT
"""Places where a sweep cannot work, or where its figures mean little."""

import json
import os
import re
import shutil
import sys
import tempfile

from harness import (SMALL, SYNCOST, Case, as_nobody, cells, mount_namespace, newest_report, samples,
                     summary, tree)

FEW = [*SMALL, "--workload", "insert_one", "--journal-mode", "wal", "--synchronous", "off,full"]


class Places(Case):
    def in_mount(self, options, *arguments, after="true", **others):
        """Runs the program, then a command, with a tmpfs of these options on 'mounted'."""
        target = os.path.join(self.place, "mounted")
        os.makedirs(target, exist_ok=True)
        shell = ["sh", "-c", f'mount -t tmpfs -o {options} tmpfs "$0" && "$@"; code=$?; {after}; '
                 "exit $code", target]
        return self.run_syncost(*arguments, before=[*mount_namespace(), *shell], **others)

    def test_read_only(self):
        """a read-only target cannot be measured: exit code 3 and no report"""
        done = self.in_mount("ro", "sweep", *FEW, "--target", "mounted")
        self.assertOneLine(done, 3, "target 'mounted' cannot be worked in",
                           "Read-only file system", "--target")
        self.assertEqual(os.listdir(self.place), ["mounted"])

    def test_no_proc(self):
        """without /proc nothing is measured, and it is /proc that is named"""
        done = self.run_syncost("sweep", *FEW, before=[
            *mount_namespace(), "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"])
        if "LeakSanitizer" in done.err:
            self.skipTest("a sanitizer needs /proc itself")
        self.assertOneLine(done, 3, "open '/proc/", "No such file or directory", "needs /proc")
        self.assertEqual(os.listdir(self.place), [])

    def test_few_descriptors(self):
        """where no file can be opened the limit is named, not the target's rights"""
        done = self.run_syncost("sweep", *FEW, before=["sh", "-c", 'ulimit -n 5; exec "$@"', "sh"])
        self.assertOneLine(done, 3, "Too many open files", "ulimit -n")
        self.assertNotIn("may write", done.err)

    def test_long_path(self):
        """the longest path that is accepted is measured; one byte more is refused before"""
        def target(length):
            path = self.place
            while len(path) < length:
                path = os.path.join(path, "d" * max(1, min(100, length - len(path) - 1)))
            os.makedirs(path, exist_ok=True)
            return path

        done = self.run_syncost("sweep", *FEW, "--target", target(500))
        self.assertOneLine(done, 2, "a path of 500 bytes is too long for SQLite", "at most")
        most = int(re.search(r"to be (\d+) at most", done.err)[1])
        self.assertOneLine(self.run_syncost("sweep", *FEW, "--target", target(most + 1)), 2,
                           f"a path of {most + 1} bytes")
        done = self.run_syncost("sweep", *FEW, "--target", target(most))
        self.assertDone(done)
        self.assertNotIn("failed", done.out)

    def test_not_permitted(self):
        """a target that another user owns cannot be measured: exit code 3"""
        command = as_nobody()
        os.chmod(self.place, 0o755)
        target = os.path.join(self.place, "target")
        os.mkdir(target)
        os.chmod(target, 0o555)
        done = self.run_syncost("sweep", *FEW, "--target", "target", "--out", "/tmp/none",
                                before=command)
        self.assertOneLine(done, 3, "target 'target' cannot be worked in", "Permission denied")
        self.assertEqual(os.listdir(target), [])

    def test_not_entered(self):
        """a target that may not be entered cannot be read: exit code 2"""
        command = as_nobody()
        os.chmod(self.place, 0o755)
        os.makedirs(os.path.join(self.place, "closed", "target"))
        os.chmod(os.path.join(self.place, "closed"), 0o000)
        done = self.run_syncost("sweep", *FEW, "--target", "closed/target", before=command)
        os.chmod(os.path.join(self.place, "closed"), 0o700)
        self.assertOneLine(done, 2, "target 'closed/target'", "Permission denied")

    def test_no_place_for_the_report(self):
        """where no report can be written nothing is measured, and --out is the way out"""
        command = as_nobody()
        os.chmod(self.place, 0o555)
        target = self.directory()
        os.chmod(target, 0o777)
        done = self.run_syncost("sweep", *FEW, "--target", target, before=command)
        self.assertOneLine(done, 4, "./syncost-reports", "Permission denied", "--out DIR")
        self.assertEqual((os.listdir(self.place), os.listdir(target)), ([], []))

    def test_user(self):
        """a user without rights measures, and the report is theirs"""
        command = as_nobody()
        os.chmod(self.place, 0o777)
        done = self.run_syncost("sweep", *FEW, before=command)
        self.assertDone(done)
        folder = newest_report(self.place)
        self.assertIs(summary(folder)["plan"]["complete"], True)
        if command:
            self.assertEqual(os.stat(os.path.join(folder, "summary.json")).st_uid, 65534)
        self.assertNoLitter()

    def test_tmpfs(self):
        """a target in memory is measured, with a finding that says what that means"""
        if not os.path.isdir("/dev/shm"):
            self.skipTest("there is no /dev/shm here")
        target = tempfile.mkdtemp(prefix="syncost-test-", dir="/dev/shm")
        self.addCleanup(shutil.rmtree, target)
        done = self.run_syncost("sweep", *FEW, "--target", target)
        self.assertDone(done)
        found = summary(newest_report(self.place))
        self.assertEqual(found["targets"][0]["filesystem"], "tmpfs")
        self.assertIn("sync-buys-nothing", json.dumps(found))
        self.assertIn("buys nothing", done.out)
        self.assertEqual(os.listdir(target), [])

    def test_disk(self):
        """a target on a disk has no such finding"""
        done = self.run_syncost("sweep", *FEW)
        self.assertDone(done)
        found = summary(newest_report(self.place))
        if found["targets"][0]["filesystem"] in ("tmpfs", "ramfs"):
            self.skipTest("the temporary directory is in memory")
        self.assertNotIn("sync-buys-nothing", json.dumps(found))

    def test_full_target(self):
        """a target that runs full fails the cells that need more, the others are measured"""
        done = self.in_mount("size=1m", "sweep", *SMALL, "--workload", "[gi]*", "--journal-mode",
                             "delete", "--synchronous", "off", "--target", "mounted")
        self.assertDone(done, 4)
        found = cells(newest_report(self.place))
        self.assertIn("full", json.dumps(found["local/small/grow/delete/off"]))
        self.assertGreater(found["local/small/insert_one/delete/off"]["ops_per_s"]["median"], 0)
        self.assertIn("full", done.out)

    def test_full_report(self):
        """a report folder that runs full ends the sweep, with the report as it was before"""
        done = self.in_mount("size=96k", "sweep", *FEW, "--samples", "1000", "--quiet", "--out",
                             "mounted/report")
        self.assertOneLine(done, 4, "No space left on device")
        self.assertNoLitter()

    def test_full_report_in_a_directory(self):
        """a directory that was there is left empty when the report does not fit into it"""
        keep = self.directory()
        done = self.in_mount("size=12k", "sh", "-c",
                             'mkdir mounted/report && head -c 8192 /dev/zero >mounted/rest; "$@"',
                             "sh", SYNCOST, "sweep", *FEW, "--quiet", "--out", "mounted/report",
                             after=f"find mounted/report >{keep}/left", program=())
        self.assertOneLine(done, 4, "No space left on device")
        with open(os.path.join(keep, "left"), encoding="utf-8") as file:
            self.assertEqual(file.read(), "mounted/report\n")

    def test_full_report_is_whole(self):
        """that report is still a report, of what was measured until then"""
        keep = self.directory()
        arguments = [*FEW, "--samples", "1000", "--quiet", "--out", "mounted/report"]
        done = self.in_mount("size=96k", "sweep", *arguments, after=f"cp -r mounted/report {keep}")
        self.assertEqual(done.code, 4, done)
        self.assertIs(summary(os.path.join(keep, "report"))["plan"]["complete"], False)
        self.assertGreater(len(samples(os.path.join(keep, "report"))), 0)
        self.assertDone(self.run_syncost("report", os.path.join(keep, "report")))

    def test_no_wal(self):
        """a SQLite without WAL is measured as it is, with a finding on what it did not take"""
        library = os.path.join(self.directory(), "no-wal.so")  # no blank in this path
        shutil.copyfile(sys.argv[2], library)
        environment = dict(os.environ, LD_PRELOAD=library)
        environment["ASAN_OPTIONS"] = (environment.get("ASAN_OPTIONS", "") +
                                       ":verify_asan_link_order=0")
        done = self.run_syncost("sweep", *FEW, env=environment)
        self.assertDone(done)
        folder = newest_report(self.place)
        cell = cells(folder)["local/small/insert_one/wal/full/recycled"]
        self.assertEqual(cell["setting"]["journal_mode"], "wal")
        self.assertEqual(cell["effective"]["journal_mode"], "delete")
        self.assertEqual(cell["syncs"]["per_commit"], 4)  # it is DELETE with FULL
        finding, = [finding for finding in cell["findings"]
                    if finding["code"] == "effective-differs"]
        self.assertIn("asked for wal, it reads back delete", finding["text"])
        self.assertIn("journal_mode", done.out)
        with open(os.path.join(folder, "metadata.json"), encoding="utf-8") as file:
            self.assertIn("no-wal", json.load(file)["environment"]["LD_PRELOAD"])

    def test_same_directory(self):
        """a report folder inside the target is not the target's to remove"""
        done = self.run_syncost("sweep", *FEW, "--out", "report")
        self.assertDone(done)
        before = tree(os.path.join(self.place, "report"))
        self.assertDone(self.run_syncost("sweep", *FEW))
        self.assertEqual(tree(os.path.join(self.place, "report")), before)
