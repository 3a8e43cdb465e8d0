# SPDX-License-Identifier: MIT
"""syncost sweep --dry-run: what would be done, without doing it."""

import json
import os
import re

from harness import SMALL, Case, tree


class DryRun(Case):
    def lines(self, kind, *arguments):
        done = self.run_syncost("sweep", "--dry-run", *arguments)
        self.assertDone(done)
        self.assertEqual(done.err, "")
        return [line.split(None, 1)[1] for line in done.out.splitlines()
                if line.startswith(kind + " ")]

    def test_default(self):
        """the default sweep is three workloads, two journals and four levels"""
        cells = self.lines("cell") + self.lines("same")
        self.assertEqual(len(cells), 24)
        names = {tuple(cell.split()[0].split("/")[2:5]) for cell in cells}
        self.assertEqual(names, {(workload, journal, level)
                                 for workload in ("insert_one", "insert_batch", "update_one")
                                 for journal in ("delete", "wal")
                                 for level in ("off", "normal", "full", "extra")})

    def test_same(self):
        """settings that cannot differ say what they are the same as, and why"""
        for line in self.lines("same"):
            self.assertRegex(line, r"\Alocal/commit/\w+/wal/extra/recycled  = "
                                   r"local/commit/\w+/wal/full/recycled: \w+")
        self.assertEqual(len(self.lines("same")), 3)
        self.assertEqual(len(self.lines("same", "--fullfsync", "off,on", "--workload",
                                        "insert_one")), 9)

    def test_nothing_happens(self):
        """it makes nothing, in the targets and here"""
        other = self.directory()
        before = tree(self.place), tree(other)
        self.lines("cell", "--target", other, "--out", "report")
        self.assertEqual((tree(self.place), tree(other)), before)

    def test_refused(self):
        """what the sweep would refuse before it measures is refused, in the same words"""
        with open(os.path.join(self.place, "file"), "w", encoding="utf-8"):
            pass
        # SQLite's names below a target take about a hundred bytes of its 512
        parts = [self.place] + ["d" * 100] * 5
        long = os.path.join(*parts)[:480]
        os.makedirs(long)
        for arguments in (["--target", "nowhere"], ["--target", "file"], ["--target", "/proc"],
                          ["--target", ".", "--target", long], ["--out", "nowhere/report"],
                          ["--out", "file/report"], ["--out", "/proc/report"]):
            done = self.run_syncost("sweep", *SMALL, *arguments)
            dry = self.run_syncost("sweep", "--dry-run", *arguments)
            self.assertNotEqual(done.code, 0, arguments)
            self.assertEqual((dry.code, dry.err, dry.out), (done.code, done.err, ""))
            self.assertEqual(dry.err.count("\n"), 1)
        self.assertEqual(sorted(os.listdir(self.place)), ["d" * 100, "file"])

    def test_same_seed(self):
        """the same seed gives the same plan, another one another order"""
        first, again, other = (self.run_syncost("sweep", "--dry-run", "--seed", seed).out
                               for seed in ("7", "7", "8"))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)
        self.assertEqual(sorted(re.sub("seed 7", "seed 8", first).splitlines()),
                         sorted(other.splitlines()))

    def test_targets(self):
        """each target has its cells, under its label"""
        os.mkdir(os.path.join(self.place, "data"))
        cells = self.lines("cell", "--target", "hdd=.", "--target", "data", "--workload",
                           "read_*")
        self.assertEqual({cell.split("/")[0] for cell in cells}, {"hdd", "data"})
        self.assertEqual({cell.split("/")[2] for cell in cells}, {"read_point", "read_range"})

    def seconds(self, *arguments):
        """of each kind of storage"""
        found = []
        for line in self.lines("time", *arguments):
            words = re.match(r"about ((\d+ (s|min|h) )+)", line).group(1).split()
            found.append(sum(int(number) * {"s": 1, "min": 60, "h": 3600}[unit]
                             for number, unit in zip(words[::2], words[1::2])))
        return found

    def test_estimate(self):
        """a longer sweep is expected to take longer, on a slow disk most of all"""
        seconds = self.seconds
        few, many = seconds("--samples", "6"), seconds("--samples", "600")
        self.assertEqual(len(few), 2)
        self.assertLess(few[0], few[1])
        for short, long in zip(few, many):
            self.assertGreater(long, 10 * short)

    def test_estimate_of_rows(self):
        """rows cost their time in each table and index; rows that are used up come on top"""
        few, many = (self.seconds("--suite", "partitioner_day", "--workload", "count_hour",
                                  "--rows", rows)[0] for rows in ("100K", "1M"))
        self.assertTrue(5 * few < many < 15 * few, (few, many))
        # 7 samples, 6 of them with three hours of 60,000 rows of two tables, some 10 us each
        for workload in ("delete_hour", "drop_hour"):
            arguments = ["--suite", "partitioner_day", "--workload", workload, "--rows", "1"]
            self.assertGreater(self.seconds(*arguments)[0], 7 * 180000 * 2 * 5e-6)
            self.assertIn(f"an operation of {workload} takes 60000 rows away",
                          self.lines("note", *arguments)[0])
        self.assertEqual(len(self.lines("note", "--suite", "partitioner_day", "--workload",
                                        "count_hour")), 1)

    def test_crowd(self):
        """clients beyond the CPUs cost more than their share, and a note says so"""
        suite = ["--suite", "boxdb_concurrent", "--variant", "base", "--workload",
                 "update_autocommit", "--clients"]
        times = [self.seconds(*suite, clients)[0] for clients in ("4", "64", "1000")]
        self.assertGreater(times[1], 2 * times[0])
        self.assertGreater(times[2], 10 * times[1])
        most = 16 * len(os.sched_getaffinity(0))
        self.assertEqual(len(self.lines("note", *suite, str(most))), 1)
        self.assertIn(f"{most + 1} clients share {most // 16} CPU",
                      self.lines("note", *suite, f"1,{most + 1}")[0])

    def test_limits(self):
        """what cannot have so many clients is refused before anything is made"""
        def run(clients, option, *more):
            return self.run_syncost("sweep", *SMALL, "--clients", clients, *more,
                                    before=("sh", "-c", f"ulimit {option} 100; exec \"$@\"", "-"))

        for more in ((), ("--dry-run",)):
            self.assertOneLine(run("100", "-n", *more), 2, "--clients: 100 at once need at least "
                               "132 open files, and the limit is 100", "ulimit -n")
        self.assertDone(run("60", "-n", "--dry-run"))
        self.assertEqual(tree(self.place), tree(self.directory()))

    def test_both_bounds(self):
        """where the precision decides, the time is from the pilot's to all there is"""
        for arguments, most in ((["--time", "10h"], "10 h 0 min"), ([], "")):
            for line in self.lines("time", *arguments, "--ops", "20", "--rows", "10",
                                   "--workload", "insert_one", "--synchronous", "off"):
                self.assertRegex(line, r"\Aabout \d+ s to (\d+ s|10 h \d min) where a sync takes")
                self.assertIn(most, line)
        # where there is no time beyond the pilot's, there is one
        for line in self.lines("time", "--time", "1ms"):
            self.assertNotIn(" to ", line)
        self.assertIn("7 samples each, and more until ±0.5 % or 10 min",
                      self.lines("total", "--precision", "0.5", "--time", "10m")[0])
        self.assertIn("9 samples each", self.lines("total", "--samples", "9")[0])

    def test_axes(self):
        """each pragma's values are cells of their own"""
        names = self.lines("cell", "--workload", "insert_batch", "--journal-mode", "wal",
                           "--synchronous", "full", "--wal-state", "fresh,recycled",
                           "--page-size", "1K,4096", "--rows-per-commit", "1,1000")
        self.assertEqual(len(names), 8)
        self.assertIn("local/commit/insert_batch/wal/full/fresh/page_size=1024/"
                      "rows_per_commit=1000", names)

    def test_reader(self):
        """a workload that only reads has one cell a journal"""
        cells = self.lines("cell", "--workload", "read_point")
        self.assertEqual(len(cells), 2)
        for line in self.lines("same", "--workload", "read_point"):
            self.assertIn("a workload that only reads never syncs", line)

    def test_workloads(self):
        """--workload takes a list, and is given again for more"""
        for arguments in (("-w", "insert_one", "-w", "read_*"), ("-w", "insert_one,read_*")):
            cells = self.lines("cell", *arguments)
            self.assertEqual({cell.split("/")[2] for cell in cells},
                             {"insert_one", "read_point", "read_range"})

    def test_suite_setting(self):
        """what a suite sets replaces the default lists, what is asked for replaces both"""
        with open(SMALL[1], encoding="utf-8") as file:
            suite = json.load(file)
        for setting, settings in (({"journal_mode": "persist", "synchronous": "extra"},
                                   {("persist", "extra")}),
                                  ({"journal_mode": "persist"},
                                   {("persist", level)
                                    for level in ("off", "normal", "full", "extra")})):
            suite["setting"] = setting
            with open(os.path.join(self.place, "own.json"), "w", encoding="utf-8") as file:
                json.dump(suite, file)
            arguments = ("--suite", "own.json", "-w", "insert_one")
            found = {tuple(cell.split()[0].split("/")[3:5])
                     for kind in ("cell", "same") for cell in self.lines(kind, *arguments)}
            self.assertEqual(found, settings)
            cells = self.lines("cell", *arguments, "--journal-mode", "delete",
                               "--synchronous", "off")
            self.assertEqual(cells, ["local/small/insert_one/delete/off"])

    def test_untouched(self):
        """it says that the estimate is not of the targets"""
        self.assertIn("not touched", self.lines("note")[0])
