# SPDX-License-Identifier: MIT
"""What an operation of a built-in suite does must not depend on how small its dataset was made."""

import glob
import json
import os
import unittest

from harness import Case, summary

SUITES = os.path.join(os.path.dirname(__file__), "../../src/suite/suites")

# The result rows of an operation of each workload that reads, where the dataset has N rows.
READS = {
    "boxdb": {"point_lookup": 1, "range_scan": 50, "aggregate": 10, "reopen_scan": "N"},
    "boxdb_concurrent": {"reads": 1, "all_rows": 1, "read_beside_writer": 1},
    "commit": {"read_point": 1, "read_range": 50},
    "ferrodb": {"point_lookup": 1, "range_scan": 100, "aggregate": 1, "join": 1},
    "granary": {"point_lookup": 1, "scan_aggregate": 1},
    "memory_checks": {"statement_lifecycle": 1, "large_select": 1000, "prepare_churn": 1},
    "partitioner_day": {"count_hour": 1, "count_hour_hourly": 1, "scan": 1, "scan_hourly": 1},
    "partitioner_week": {"count_hour": 1, "count_hour_hourly": 1, "scan": 1, "scan_hourly": 1},
    "photostructure": {"select_by_id": 1, "select_range": 1000, "select_iterate": 1000,
                       "select_join": 100},
}
# The fewest rows that the whole of a suite can be run with.
SMALLEST = {"boxdb": 50, "commit": 50, "ferrodb": 100, "memory_checks": 1000,
            "photostructure": 1000, "boxdb_concurrent": 16}


def load(name):
    with open(os.path.join(SUITES, f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)


def names():
    return sorted(os.path.basename(path)[:-5] for path in glob.glob(f"{SUITES}/*.json"))


class SuiteRows(Case):
    def run_suite(self, suite, rows, wrong=0, *arguments):
        """Each reading workload says its result rows once more, by the table of this test."""
        reads = READS[suite["name"]]
        workloads = list(suite["workloads"])
        for variant in suite.get("variants", {}).values():
            workloads += variant.get("workloads", [])
        for workload in workloads:
            self.assertEqual(workload["name"] in reads, not workload["writes"], workload["name"])
            workload["ledger_ops"] = min(workload["ledger_ops"], 20)
            workload["warmup_ops"] = min(workload.get("warmup_ops", 0), 2)
            if workload["name"] in reads:
                per = rows if reads[workload["name"]] == "N" else reads[workload["name"]]
                workload["checks"] = workload.get("checks", []) + [
                    f"SELECT :result_rows = {per + wrong} * :operations"]
        folder = self.directory()
        path = os.path.join(folder, "suite.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(suite, file)
        done = self.run_syncost("sweep", "--suite", path, "--rows", str(rows), "--samples", "1",
                                "--ops", "3", "--clients", "1", "--quiet", "--out",
                                os.path.join(folder, "report"), *arguments)
        return done, os.path.join(folder, "report")

    def states(self, report):
        return {(cell["suite"], cell["workload"]): cell["status"]
                for cell in summary(report)["cells"]}

    def everything(self, name, rows):
        suite = load(name)
        # What makes its own rows does not depend on those of the dataset.
        chosen = ["--workload", ",".join(
            workload["name"] for workload in suite["workloads"]
            if not workload.get("starts_empty") and workload.get("consumes_rows", 0) <= 1)]
        variants = ",".join(["base", *suite.get("variants", {})])
        done, report = self.run_suite(suite, rows, 0, "--variant", variants, *chosen)
        self.assertDone(done)
        self.assertEqual(set(self.states(report).values()), {"measured"})

    def test_every_suite_does_the_same_with_its_smallest_dataset(self):
        self.assertEqual(names(), sorted(READS))
        for name in names():
            with self.subTest(suite=name):
                self.everything(name, SMALLEST.get(name, 1))

    def test_every_suite_does_the_same_with_a_size_of_its_own(self):
        """No round number, and for 16 tables no multiple of them."""
        for name in names():
            with self.subTest(suite=name):
                self.everything(name, 1009)

    def test_a_workload_that_gives_other_rows_is_seen(self):
        for name in ("photostructure", "commit"):
            done, report = self.run_suite(load(name), 1009, 1, "--workload",
                                          ",".join(READS[name]))
            self.assertDone(done, 4)
            self.assertEqual(set(self.states(report).values()), {"failed"})

    def test_too_few_rows_are_refused_before_anything_runs(self):
        for name, rows in SMALLEST.items():
            for variant in ("base", *load(name).get("variants", {})):
                if (name, variant) == ("boxdb_concurrent", "base"):
                    continue
                globs = ",".join(w["name"] for w in load(name)["workloads"])
                for size, code in ((rows, 0), (rows - 1, 2)):
                    done = self.run_syncost("sweep", "--suite", name, "--variant", variant,
                                            "--workload", globs, "--rows", str(size), "--dry-run")
                    self.assertEqual(done.code, code, (name, variant, size))
                self.assertOneLine(done, 2, f"needs at least {rows} rows, not {rows - 1}",
                                   "--workload")
        done = self.run_syncost("sweep", "--suite", "photostructure", "--scale", "0.05",
                                "--dry-run")
        self.assertOneLine(done, 2, "--rows: workload 'select_range' of suite 'photostructure'",
                           "needs at least 1000 rows, not 500")


if __name__ == "__main__":
    unittest.main()
