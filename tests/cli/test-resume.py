# SPDX-License-Identifier: MIT
"""Sweeps that are gone on with (--resume) and repeated (--like); several suites and targets."""

import json
import os
import random
import shutil
import signal
import sys
import time

from harness import (PATIENCE, SMALL, Case, cells, sample_count, samples, summary, tree, wait_for)

KILLS = 40 if "all" in sys.argv else 4
GRID = ["--workload", "insert_one", "--journal-mode", "delete,wal", "--synchronous", "full"]
PLAN = ["sweep", *SMALL, *GRID, "--quiet"]
CELLS, ROUNDS = 2, 6
LINES = CELLS * (1 + ROUNDS)


def turns(folder):
    return [(line["cell_id"], line["kind"], line["round"]) for line in samples(folder)]


def rewrite(folder, name, change):
    path = os.path.join(folder, name)
    with open(path, encoding="utf-8") as file:
        text = file.read()
    changed = change(text)
    assert changed != text, "nothing to change"
    with open(path, "w", encoding="utf-8") as file:
        file.write(changed)


class Resume(Case):
    def setUp(self):
        super().setUp()
        self.report = os.path.join(self.place, "report")
        with open(os.path.join(self.place, "app.db"), "w", encoding="utf-8") as file:
            file.write("not ours")
        self.before = tree(self.place)

    def lines(self):
        try:
            with open(os.path.join(self.report, "raw", "samples.ndjson"), "rb") as file:
                return file.read().count(b"\n")
        except FileNotFoundError:
            return 0

    def assertWhole(self, plan):
        """The report is that of a sweep that nobody ended."""
        self.assertEqual(list(cells(self.report)), plan)
        self.assertIs(summary(self.report)["plan"]["complete"], True)
        done = turns(self.report)
        self.assertEqual(len(done), len(set(done)), "a turn was taken twice")
        self.assertEqual(set(done), {(cell, "ledger", 0) for cell in plan} |
                         {(cell, "timing", number) for cell in plan
                          for number in range(1, ROUNDS + 1)})
        for cell in cells(self.report).values():
            self.assertEqual(cell["ops_per_s"]["n"], ROUNDS)
            self.assertIs(cell["verified"], True)

    def assertNothingElse(self):
        after = tree(self.place)
        for path, state in self.before.items():
            self.assertEqual(after.get(path), state)
        self.assertEqual({path.split("/")[0] for path in set(after) - set(self.before)},
                         {"report"})

    def plan(self):
        whole = os.path.join(self.directory(), "whole")
        start = time.monotonic()
        self.assertDone(self.run_syncost(*PLAN, "--out", whole))
        return list(cells(whole)), time.monotonic() - start

    def interrupted(self, after=5, number=signal.SIGKILL):
        process = self.start_syncost(*PLAN, "--out", self.report)
        wait_for(lambda: self.lines() >= after, "the sweep's progress")
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
        return process.returncode

    def test_killed_at_random_moments_it_is_completed(self):
        plan, whole_seconds = self.plan()
        chance = random.Random(11)
        early = 0
        for attempt in range(KILLS):
            with self.subTest(attempt=attempt):
                process = self.start_syncost(*PLAN, "--out", self.report)
                time.sleep(chance.uniform(0, whole_seconds))
                process.kill()
                process.communicate(timeout=PATIENCE)
                if not os.path.exists(self.report):
                    early += 1  # before there was anything to say: nothing is there at all
                    self.assertDone(self.run_syncost(*PLAN, "--out", self.report))
                else:
                    self.assertDone(self.run_syncost("report", self.report))
                    before = turns(self.report)
                    complete = summary(self.report)["plan"]["complete"]
                    time.sleep(2.1)  # what has no marker yet may be somebody's for so long
                    done = self.run_syncost("sweep", "--resume", self.report)
                    self.assertDone(done)
                    self.assertEqual(turns(self.report)[:len(before)], before)
                    self.assertEqual(summary(self.report)["plan"]["resumed"],
                                     0 if complete else 1)
                self.assertWhole(plan)
                self.assertNothingElse()
                shutil.rmtree(self.report)
        self.assertLess(early, KILLS, "no sweep ever began")

    def test_interrupted_it_says_how_to_go_on_and_does(self):
        plan, _ = self.plan()
        self.assertEqual(self.interrupted(number=signal.SIGINT), 130)
        self.assertIs(summary(self.report)["plan"]["complete"], False)
        self.assertLess(self.lines(), LINES)
        done = self.run_syncost("sweep", "--resume", self.report)
        self.assertDone(done)
        self.assertIn("resumed 1 time", done.out)
        self.assertWhole(plan)
        self.assertNothingElse()

    def test_ended_again_and_again_it_comes_to_its_end(self):
        plan, _ = self.plan()
        self.interrupted(after=2)
        for after in (4, 7, 10):
            process = self.start_syncost("sweep", "--resume", self.report, "--quiet")
            wait_for(lambda n=after: self.lines() >= n, "the sweep's progress")
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=PATIENCE)
            self.assertEqual(process.returncode, 130)
        self.assertDone(self.run_syncost("sweep", "--resume", self.report))
        self.assertEqual(summary(self.report)["plan"]["resumed"], 4)
        self.assertWhole(plan)

    def test_a_complete_one_is_shown_and_nothing_is_measured(self):
        self.assertDone(self.run_syncost(*PLAN, "--out", self.report))
        before = tree(self.report)
        done = self.run_syncost("sweep", "--resume", self.report)
        self.assertDone(done)
        self.assertIn("was complete", done.err)
        self.assertIn("insert_one", done.out)
        after = tree(self.report)
        for name in ("summary.json", "metadata.json", "raw/samples.ndjson"):
            self.assertEqual(after[name], before[name])

    def test_a_line_that_was_cut_short_is_measured_again(self):
        plan, _ = self.plan()
        self.interrupted()
        with open(os.path.join(self.report, "raw", "samples.ndjson"), "r+b") as file:
            text = file.read()
            file.truncate(text.rindex(b"\n", 0, len(text) - 1) + 40)
        self.assertDone(self.run_syncost("sweep", "--resume", self.report))
        self.assertWhole(plan)

    def test_a_line_that_is_none_is_named(self):
        self.interrupted()
        with open(os.path.join(self.report, "raw", "samples.ndjson"), "a",
                  encoding="utf-8") as file:
            file.write("{}\n")
            line = self.lines()
        self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2,
                           "samples.ndjson", "line")
        self.assertLessEqual(line, self.lines())

    def test_a_cell_that_is_not_of_the_plan_is_named(self):
        self.interrupted()
        rewrite(self.report, "raw/samples.ndjson", lambda text: text.replace("insert_one", "none"))
        self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2,
                           "no cell of the plan")

    def test_another_machine_or_library_is_refused(self):
        self.interrupted()
        for key, words in {"kernel": ("kernel", "--like"), "cpu": ("processor", "--like")}.items():
            folder = os.path.join(self.directory(), "copy")
            shutil.copytree(self.report, folder)
            was = json.dumps(summary(folder)["host"][key])
            rewrite(folder, "summary.json", lambda text, w=was: text.replace(w, '"another"'))
            self.assertOneLine(self.run_syncost("sweep", "--resume", folder, "--quiet"), 2, *words)
        was = summary(self.report)["sqlite"]["source_id"]
        rewrite(self.report, "summary.json", lambda text: text.replace(was, was[::-1]))
        self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2,
                           "SQLite", "--like")

    def test_lines_that_the_sweep_did_not_write_are_named(self):
        self.interrupted(after=CELLS + 2)
        path = os.path.join(self.report, "raw", "samples.ndjson")
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines(keepends=True)
        last = json.loads(lines[-1])
        broken = {
            "taken before": lines + lines[-1:],
            "NUL": [*lines[:-1], "\0\n", lines[-1]],
            "no round": [*lines[:-1], json.dumps({**last, "round": 0}) + "\n"],
            "and is none": [*lines[:-1], json.dumps({**last, "verified": False}) + "\n"],
            "more operations": [*lines[:-1], json.dumps({**last, "operations": 10**6}) + "\n"],
        }
        for words, text in broken.items():
            with self.subTest(words):
                with open(path, "w", encoding="utf-8") as file:
                    file.writelines(text)
                self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2,
                                   "samples.ndjson", words)
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        self.assertDone(self.run_syncost("sweep", "--resume", self.report))

    def test_another_storage_is_refused(self):
        self.interrupted()
        for key in ("filesystem", "storage"):
            folder = os.path.join(self.directory(), "copy")
            shutil.copytree(self.report, folder)
            was = json.dumps(summary(folder)["targets"][0][key])
            rewrite(folder, "summary.json",
                    lambda text, k=key, w=was: text.replace(f'"{k}":{w}', f'"{k}":"another"'))
            self.assertOneLine(self.run_syncost("sweep", "--resume", folder, "--quiet"), 2,
                               "another", "--like")
            self.assertNoLitter()

    def test_a_complete_one_with_a_failed_cell_fails_again(self):
        done = self.run_syncost("sweep", *SMALL, "--workload", "insert_one", "--journal-mode", "wal",
                                "--synchronous", "off", "--quiet", "--timeout", "1ms", "--out",
                                self.report)
        self.assertDone(done, 4)
        self.assertDone(self.run_syncost("sweep", "--resume", self.report), 4)

    def test_another_plan_is_refused(self):
        self.interrupted()
        rewrite(self.report, "metadata.json",
                lambda text: text.replace("--synchronous=full", "--synchronous=normal"))
        self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2,
                           "--resume", "cell")

    def test_a_suite_that_was_changed_is_refused(self):
        self.interrupted()
        name = os.listdir(os.path.join(self.report, "raw"))
        name = next(name for name in name if name.startswith("suite-"))
        rewrite(self.report, "raw/" + name, lambda text: text.replace("\n", "\n ", 1))
        self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2,
                           "--resume", "cell")

    def test_one_that_is_written_to_is_left_alone(self):
        process = self.start_syncost("sweep", *SMALL, "--samples", "1000", *GRID, "--quiet", "--out",
                                     self.report)
        wait_for(lambda: self.lines() >= 2, "the sweep's progress")
        self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2,
                           "is writing to this report")
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=PATIENCE)
        done = turns(self.report)
        self.assertEqual(len(done), len(set(done)))

    def test_what_is_no_report_is_one_line(self):
        for path in ("none", "app.db", "."):
            for option in ("--resume", "--like"):
                self.assertOneLine(self.run_syncost("sweep", option, path, "--quiet"), 2, path,
                                   "no report folder")
        self.assertOneLine(self.run_syncost("sweep", "--resume", "a", "--like", "b"), 2, "--like")

    def test_a_report_without_its_summary_is_one_line(self):
        self.interrupted()
        os.unlink(os.path.join(self.report, "summary.json"))
        self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2,
                           self.report, "has lost its summary.json")

    def test_its_plan_cannot_be_changed(self):
        self.interrupted()
        before = tree(self.report)
        for option in ("--seed=3", "--samples=9", "--target=.", "--out=other", "--dry-run"):
            self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, option), 2,
                               option.split("=")[0], "--like")
        self.assertEqual(tree(self.report), before)

    def test_where_its_target_is_gone_it_says_so(self):
        target = self.directory()
        process = self.start_syncost(*PLAN, "--out", self.report, "--target", target)
        wait_for(lambda: self.lines() >= 3, "the sweep's progress")
        process.kill()
        process.communicate(timeout=PATIENCE)
        shutil.rmtree(target)
        self.assertOneLine(self.run_syncost("sweep", "--resume", self.report, "--quiet"), 2, target)


class Like(Case):
    def setUp(self):
        super().setUp()
        self.base, self.new = (os.path.join(self.place, name) for name in ("base", "new"))

    def sweep(self, *arguments, code=0):
        self.assertDone(self.run_syncost("sweep", "--quiet", *arguments), code)

    def operations(self, folder):
        return {name: cell["operations"] for name, cell in cells(folder).items()
                if cell["same_as"] is None}

    def test_operations_seed_and_rows_are_those_of_the_report(self):
        self.sweep(*SMALL, "--workload", "insert_one", "--journal-mode", "delete,wal",
                   "--synchronous", "full", "--seed", "77", "--rows", "33", "--out", self.base)
        # Numbers that no rule would come to.
        rewrite(self.base, "metadata.json", lambda text: text.replace('"--ops=20", ', ""))
        planted = {}

        def plant(text):
            lines = text.split("\n")
            for i, line in enumerate(lines):
                if line.startswith('{"id"'):
                    cell = json.loads(line.rstrip(","))
                    planted[cell["id"]] = 31 + len(planted)
                    lines[i] = line.replace(f'"operations":{cell["operations"]}',
                                            f'"operations":{planted[cell["id"]]}', 1)
            return "\n".join(lines)

        rewrite(self.base, "summary.json", plant)
        self.sweep("--like", self.base, "--out", self.new)
        self.assertEqual(self.operations(self.new), planted)
        for name, cell in cells(self.new).items():
            self.assertEqual(cell["seed"], 77, name)
            self.assertEqual(cell["rows"], 33, name)
            self.assertEqual(cell["suite_digest"], cells(self.base)[name]["suite_digest"])
        # A copy of it is as good: it holds its own suites, and its operations.
        again = os.path.join(self.place, "again")
        shutil.move(self.new, os.path.join(self.place, "moved"))
        self.sweep("--like", "moved", "--out", again)
        self.assertEqual(self.operations(again), planted)

    def test_ended_early_it_goes_on_with_the_operations_of_the_other_report(self):
        self.sweep(*SMALL, "--workload", "insert_one", "--journal-mode", "delete", "--synchronous",
                   "full,normal", "--ops", "21", "--out", self.base)
        rewrite(self.base, "metadata.json", lambda text: text.replace(', "--ops=21"', ""))
        process = self.start_syncost("sweep", "--like", self.base, "--out", self.new, "--quiet")
        wait_for(lambda: os.path.exists(self.new) and len(samples(self.new)) >= 1, "a sample")
        process.kill()
        process.communicate(timeout=PATIENCE)
        shutil.rmtree(self.base)
        self.sweep("--resume", self.new)
        self.assertEqual(set(self.operations(self.new).values()), {21})

    def test_options_that_are_given_take_the_place_of_its_own(self):
        target = self.directory()
        self.sweep(*SMALL, "--workload", "insert_one", "--journal-mode", "delete,wal",
                   "--synchronous", "full", "--out", self.base)
        self.sweep("--like", self.base, "--journal-mode", "delete", "--samples", "7", "--target",
                   "elsewhere=" + target, "--out", self.new)
        self.assertEqual(list(cells(self.new)),
                         ["elsewhere/small/insert_one/delete/full"])
        cell = cells(self.new)["elsewhere/small/insert_one/delete/full"]
        self.assertEqual(cell["ops_per_s"]["n"], 7)
        self.assertEqual(cell["operations"], 20)
        with open(os.path.join(self.new, "metadata.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["targets"], {"elsewhere": target})

    def test_samples_and_precision_replace_each_other(self):
        self.sweep(*SMALL, "--workload", "insert_one", "--journal-mode", "delete",
                   "--synchronous", "off", "--out", self.base)
        self.sweep("--like", self.base, "--precision", "50%", "--time", "1s", "--out", self.new)
        cell = next(iter(cells(self.new).values()))
        self.assertGreaterEqual(cell["ops_per_s"]["n"], 7)  # a pilot, not the six of the report

    def test_cells_without_a_baseline_run_and_are_named(self):
        self.sweep(*SMALL, "--workload", "insert_one", "--journal-mode", "delete", "--synchronous",
                   "full", "--out", self.base)
        rewrite(self.base, "metadata.json", lambda text: text.replace('"--ops=20", ', ""))
        done = self.run_syncost("sweep", "--like", self.base, "--page-size", "8K",
                                "--out", self.new)
        self.assertDone(done)
        self.assertIn("1 of 1 cells have no baseline in ", done.err)
        self.assertIn("insert_one/delete/full/page_size=8192", done.err)
        (cell,) = cells(self.new).values()
        self.assertEqual(cell["status"], "measured")
        again = self.run_syncost("sweep", "--like", self.base, "--dry-run")
        self.assertDone(again)
        self.assertNotIn("baseline", again.err)


class Several(Case):
    def test_suites_and_targets_in_one_run(self):
        one, two = self.directory(), self.directory()
        suite = os.path.join(self.place, "other.json")
        shutil.copyfile(SMALL[1], suite)
        rewrite(self.place, "other.json", lambda text: text.replace('"small"', '"other"', 1))
        report = os.path.join(self.place, "report")
        done = self.run_syncost("sweep", *SMALL, "--suite", suite, "--target", "a=" + one,
                                "--target", "b=" + two, "--workload", "insert_one",
                                "--journal-mode", "wal", "--synchronous", "full", "--out", report)
        self.assertDone(done)
        found = cells(report)
        self.assertEqual(list(found), [f"{target}/{name}/insert_one/wal/full/recycled"
                                       for target in "ab" for name in ("small", "other")])
        self.assertEqual(len({cell["suite_digest"] for cell in found.values()}), 2)
        for target, directory in (("a", one), ("b", two)):
            self.assertIn(f"insert_one on {target}", done.out)
            self.assertEqual(os.listdir(directory), [])
        for name in ("small", "other"):
            with open(os.path.join(report, "raw", f"suite-{name}.json"), encoding="utf-8") as file:
                self.assertEqual(json.load(file)["name"], name)


if __name__ == "__main__":
    import unittest

    unittest.main()
