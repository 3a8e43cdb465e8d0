# SPDX-License-Identifier: MIT
"""The suites of published benchmarks: what they hold, that they run, and that they notice a lie."""

import csv
import json
import os
import unittest

from harness import Case, samples, summary

SUITES = os.path.join(os.path.dirname(__file__), "../../src/suite/suites")

MANUAL = os.path.join(os.path.dirname(__file__), "../../src/cli/man/syncost-suite.5")

# Workloads of the pages, with the unit of each.
PAGES = {
    "boxdb": {
        "insert_transaction": "row", "point_lookup": "query", "range_scan": "query",
        "aggregate": "query", "update_transaction": "row", "update_autocommit": "row",
        "delete_transaction": "row", "reopen_scan": "database",
    },
    "granary": {
        "point_lookup": "query", "scan_aggregate": "scan", "insert_autocommit": "row",
        "insert_batch": "row", "commit": "commit",
    },
    "photostructure": {
        "select_by_id": "query", "select_range": "query", "select_iterate": "query",
        "insert_simple": "row", "insert_transaction": "row", "select_join": "query",
        "insert_blob": "row", "update_indexed": "row", "delete_bulk": "transaction",
    },
    "ferrodb": {
        "insert": "row", "point_lookup": "query", "range_scan": "query", "aggregate": "query",
        "join": "query",
    },
}
# What makes a sweep small, and all the page asks for when it is not.
SMALL = ["--samples", "1", "--ops", "40", "--quiet", "--out", "report"]


def cells(report):
    return summary(report)["cells"]


def suite(name):
    with open(os.path.join(SUITES, f"{name}.json"), encoding="utf-8") as file:
        return json.load(file)


class Suites(Case):
    def sweep(self, *arguments):
        done = self.run_syncost("sweep", *SMALL, *arguments)
        return done, os.path.join(self.place, "report")

    def dry_run(self, *arguments):
        done = self.run_syncost("sweep", "--dry-run", *arguments)
        self.assertDone(done)
        return [line.split()[1] for line in done.out.splitlines()
                if line.startswith(("cell ", "same "))]

    def run_page(self, name, *arguments):
        done, report = self.sweep("--suite", name, *arguments)
        self.assertDone(done)
        found = cells(report)
        self.assertEqual({cell["workload"]: cell["unit"] for cell in found}, PAGES[name])
        for cell in found:
            self.assertEqual(cell["status"], "measured", cell["id"])
            self.assertTrue(cell["verified"], cell["id"])
            self.assertGreaterEqual(cell["operations"], 1)
        return found

    def test_boxdb_runs_and_is_verified(self):
        found = self.run_page("boxdb", "--rows", "200")
        self.assertEqual({cell["suite"] for cell in found}, {"boxdb", "boxdb_varchar"})
        self.assertEqual(len(found), 16)
        self.assertEqual({cell["rows"] for cell in found}, {200})

    def test_granary_runs_and_is_verified(self):
        found = self.run_page("granary")
        self.assertEqual({cell["effective"]["cache_size"] for cell in found}, {1024})

    def test_photostructure_runs_and_is_verified(self):
        found = self.run_page("photostructure")
        self.assertEqual({cell["effective"]["journal_mode"] for cell in found}, {"delete"})

    def test_ferrodb_runs_and_is_verified_in_memory_and_in_a_file(self):
        found = self.run_page("ferrodb", "--variant", "base,file", "--rows", "2000")
        self.assertEqual({cell["store"] for cell in found}, {"memory", "sqlite"})
        for cell in found:
            if cell["store"] == "memory":
                self.assertEqual(cell["syncs"]["physical"], 0, cell["id"])
            elif cell["workload"] == "insert":
                self.assertGreater(cell["syncs"]["physical"], 0)

    def test_defaults_are_those_of_the_pages(self):
        boxdb = self.dry_run("--suite", "boxdb")
        self.assertEqual(len(boxdb), 2 * 2 * 8)
        self.assertIn("local/boxdb/reopen_scan/wal/full/fresh/rows=1000", boxdb)
        self.assertIn("local/boxdb_varchar/aggregate/wal/full/fresh/rows=10000", boxdb)
        self.assertEqual(len(self.dry_run("--suite", "granary")), 5)
        self.assertEqual(len(self.dry_run("--suite", "photostructure")), 9)
        self.assertEqual(self.dry_run("--suite", "ferrodb", "--workload", "join"),
                         ["local/ferrodb/join/memory/off"])
        said = self.run_syncost("sweep", "--dry-run", "--suite", "photostructure").out
        self.assertIn("30 samples", said)

    def test_every_dimension_can_be_said_otherwise(self):
        self.assertEqual(
            self.dry_run("--suite", "boxdb", "--variant", "historical", "--rows", "50,60",
                         "--workload", "update_autocommit"),
            [f"local/boxdb_historical/update_autocommit/delete/extra/rows={rows}"
             for rows in (50, 60)])
        self.assertEqual(
            self.dry_run("--suite", "boxdb", "--variant", "base", "--rows", "50",
                         "--workload", "update_transaction", "--journal-mode", "truncate",
                         "--synchronous", "off", "--page-size", "1K", "--rows-per-commit", "5",
                         "--fullfsync", "off", "--clients", "2"),
            ["local/boxdb/update_transaction/truncate/off/fullfsync=0/page_size=1024/"
             "rows_per_commit=5/clients=2"])
        said = self.run_syncost("sweep", "--dry-run", "--suite", "boxdb", "--samples", "9").out
        self.assertIn("9 samples", said)
        said = self.run_syncost("sweep", "--dry-run", "--suite", "boxdb", "--precision", "2%").out
        self.assertIn("more until ±2 %", said)

    def test_an_unknown_variant_is_refused(self):
        done = self.run_syncost("sweep", "--suite", "boxdb", "--variant", "yaml", "--dry-run")
        self.assertOneLine(done, 2, "suite 'boxdb' has no variant 'yaml'", "base, varchar")

    def test_the_list_names_suites_variants_and_workloads(self):
        done = self.run_syncost("sweep", "--list-suites")
        self.assertDone(done)
        for name, workloads in PAGES.items():
            self.assertIn(f"{name}: {suite(name)['title']}\n", done.out)
            for workload in workloads:
                self.assertIn(f"  {workload} ", done.out)
        self.assertIn("  variants: varchar, historical\n", done.out)

    def test_sizes_after_insertion_follow_from_the_rows(self):
        """By SQLite itself: pages of the file that was made, frames of what one commit wrote."""
        done, report = self.sweep("--suite", "boxdb", "--variant", "base", "--workload",
                                  "insert_transaction")
        self.assertDone(done)
        totals = {cell["rows"]: cell["space"]["database_bytes"] + cell["space"]["wal_bytes"]
                  for cell in cells(report)}
        # The page made its schema in the WAL: 4 frames there, 2 pages less in the file.
        self.assertEqual({rows: total + 4 * (4096 + 24) - 2 * 4096
                          for rows, total in totals.items()},
                         {1000: 144208, 10000: 1108288})

    def test_a_wrong_expectation_makes_the_cell_fail(self):
        """One lie a suite; everything else of the suite stays as it is."""
        for name in PAGES:
            with self.subTest(suite=name):
                lying = suite(name)
                lying["name"] = f"lying_{name}"
                liar = lying["workloads"][-1]
                liar["checks"] = [liar["checks"][0].replace("SELECT ", "SELECT NOT (", 1)
                                  .replace(" FROM ", ") FROM ", 1)
                                  if " FROM " in liar["checks"][0]
                                  else liar["checks"][0].replace("SELECT ", "SELECT NOT (", 1) + ")"]
                self.lie(lying, liar["name"])

    def test_a_wrong_number_of_result_rows_makes_the_cell_fail(self):
        lying = suite("boxdb")
        liar = lying["workloads"][1]
        liar["expect"]["result_rows_per_operation"] = 2
        self.lie(lying, liar["name"])

    def lie(self, lying, workload):
        folder = self.directory()
        path = os.path.join(folder, "lying.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(lying, file)
        done = self.run_syncost("sweep", "--suite", path, "--variant", "base", "--rows", "1000",
                                "--samples", "1", "--ops", "20", "--quiet", "--out",
                                os.path.join(folder, "report"))
        self.assertDone(done, 4)
        states = {cell["workload"]: cell["status"]
                  for cell in cells(os.path.join(folder, "report"))}
        self.assertEqual(states.pop(workload), "failed")
        self.assertEqual(set(states.values()), {"measured"})

    def test_the_suite_in_five_minutes_runs(self):
        """As it stands in the manual page, and with what the page says is told."""
        with open(MANUAL, encoding="utf-8") as file:
            page = file.read()
        text = page.split(".SH A SUITE IN FIVE MINUTES")[1].split(".nf\n")[1].split(".fi\n")[0]
        text = text.replace("\\-", "-")
        for find, replace, code in (("", "", 0), ("customer INTEGER, ", "", 2),
                                    (":rows + :operations", ":rows", 4)):
            folder = self.directory()
            path = os.path.join(folder, "shop.json")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text.replace(find, replace, 1))
            done = self.run_syncost("sweep", "--suite", path, "--journal-mode", "wal",
                                    "--synchronous", "full", "--samples", "1", "--ops", "50",
                                    "--quiet", "--out", os.path.join(folder, "report"))
            self.assertDone(done, code)
            if code == 2:
                self.assertIn("dataset.sql: SQLite says: table orders has no column named customer",
                              done.err)

    def test_a_report_says_host_rows_and_the_best_sample(self):
        done, report = self.sweep("--suite", "granary", "--host-label", "a box", "--samples", "3",
                                  "--workload", "commit")
        self.assertDone(done)
        table = list(csv.DictReader(self.run_syncost("report", report, "--format",
                                                     "csv").out.splitlines()))
        self.assertEqual({(row["host"], row["rows"]) for row in table}, {("a box", "5000")})
        rates = [sample["operations"] * 1e9 / sample["wall_ns"] for sample in samples(report)
                 if sample["kind"] == "timing"]
        (best,) = [row for row in table if row["metric"] == "ops_per_s_best"]
        self.assertEqual(best["n"], "3")
        self.assertAlmostEqual(float(best["value"]) / max(rates), 1)

    def test_a_report_of_variants_can_be_repeated(self):
        done, report = self.sweep("--suite", "boxdb", "--rows", "60,70", "--workload",
                                  "point_lookup")
        self.assertDone(done)
        before = [cell["id"] for cell in cells(report)]
        self.assertEqual(len(before), 4)
        self.assertEqual(self.dry_run("--like", report), before)
        again = self.run_syncost("sweep", "--resume", report, "--quiet")
        self.assertDone(again)
        self.assertEqual(len(samples(report)), 8)


if __name__ == "__main__":
    unittest.main()
