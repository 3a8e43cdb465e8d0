# SPDX-License-Identifier: MIT
"""What a sweep finds of itself: how costs grow with the rows, and memory that is not released."""

import json
import os
import sys
import unittest

from harness import Case, cells, samples, summary

LEAK = os.path.abspath(sys.argv[2]) if len(sys.argv) > 2 else None
QUIET = ["--quiet", "--samples", "6", "--out", "report"]

PLANTED = {
    "name": "planted",
    "title": "A query with an index, and one without",
    "setting": {"journal_mode": "delete", "synchronous": "off"},
    "schema": ["CREATE TABLE t(id INTEGER PRIMARY KEY, k INTEGER, v INTEGER)",
               "CREATE INDEX t_k ON t(k)"],
    "dataset": {
        "rows": 1000,
        "rows_per_transaction": 100000,
        "sql": "INSERT INTO t(id, k, v) VALUES(:id, :k, :v)",
        "parameters": {"id": {"generator": "sequence"}, "k": {"generator": "sequence"},
                       "v": {"generator": "sequence"}},
    },
    "workloads": [
        {"name": name, "unit": "query", "writes": False, "ledger_ops": operations,
         "statements": [sql], "expect": {"result_rows_per_operation": 1},
         **({"parameters": {"k": {"generator": "pick"}}} if ":k" in sql else {})}
        for name, operations, sql in [
            ("by_index", 500, "SELECT id FROM t WHERE k = :k"),
            ("by_scan", 10, "SELECT id FROM t WHERE v = :k"),
            ("largest", 100, "SELECT max(id) FROM t WHERE id < 500"),
            ("pairs", 2, "SELECT count(*) FROM t a, t b WHERE a.id % 100 = 0 AND +b.v > a.v"),
        ]],
}


def findings(folder, code):
    return [finding["text"] for finding in summary(folder)["findings"]
            if finding["code"].startswith(code)]


class Growth(Case):
    def sweep(self, *arguments):
        with open(os.path.join(self.place, "planted.json"), "w", encoding="utf-8") as file:
            json.dump(PLANTED, file)
        done = self.run_syncost("sweep", "--suite", "./planted.json", "--ops", "2", *QUIET,
                                *arguments)
        return done, os.path.join(self.place, "report")

    def growth(self, folder):
        return {text.split()[0]: text for text in findings(folder, "growth")}

    def test_an_index_and_a_scan_are_told_apart(self):
        done, report = self.sweep("--rows", "1K,10K,100K", "--workload",
                                  "by_index,by_scan,largest")
        self.assertDone(done)
        said = self.growth(report)
        self.assertEqual(sorted(said), ["by_index", "by_scan", "largest"])
        self.assertRegex(said["by_index"], r"by_index under delete/off grows with the logarithm of "
                                           r"the rows \(pages\): from 1000 to 100000 rows .*"
                                           r"\(constant\).*\(logarithmic\)")
        self.assertRegex(said["by_scan"], r"grows with the rows \(steps, pages\): .*\(linear\).*"
                                          r"\(linear\)")
        self.assertRegex(said["largest"], r"costs the same .*\(constant\).*\(constant\)")
        for text in said.values():
            self.assertIn(text.replace("\u00b5", "")[:30], " ".join(done.out.split()))

    def test_a_loop_in_a_loop_is_a_warning(self):
        done, report = self.sweep("--rows", "500,2K,8K", "--workload", "pairs")
        self.assertDone(done)
        self.assertRegex(self.growth(report)["pairs"], "faster than the rows")
        self.assertEqual([finding["severity"] for finding in summary(report)["findings"]
                          if finding["code"] == "growth-worse-than-linear"], ["warning"])

    def test_a_snapshot_grows_by_what_it_writes_and_a_file_does_not(self):
        done = self.run_syncost("sweep", "--suite", "commit", "--workload", "insert_one", "--store",
                                "sqlite,snapshot", "--journal-mode", "delete", "--synchronous",
                                "off", "--rows", "100,1K,10K", "--ops", "2", *QUIET)
        self.assertDone(done)
        said = {text.split()[2]: text
                for text in findings(os.path.join(self.place, "report"), "growth")}
        self.assertEqual(sorted(said), ["delete/off", "snapshot/off"])
        self.assertRegex(said["snapshot/off"],
                         r"grows with the rows \(bytes written\): .* writes .* \(linear\)")
        self.assertNotIn("with the rows", said["delete/off"])
        self.assertRegex(said["delete/off"], r" writes .* \((constant|logarithmic)\)")

    def test_two_sizes_are_too_few(self):
        done, report = self.sweep("--rows", "1K,100K", "--workload", "by_scan")
        self.assertDone(done)
        self.assertEqual(self.growth(report), {})
        self.assertEqual(findings(report, "sizes-too-few"),
                         ["by_scan was measured with two numbers of rows, which do not tell how "
                          "its cost grows"])

    def test_steps_are_those_of_the_plan(self):
        # By hand: a scan of n rows takes three steps a row and a few more.
        done, report = self.sweep("--rows", "1000", "--workload", "by_scan")
        self.assertDone(done)
        (cell,) = cells(report).values()
        steps = cell["work"]["vm_steps"] / cell["ledger_ops"]
        self.assertGreater(steps, 3000)
        self.assertLess(steps, 3050)
        # The table's pages, each once: the rows are 1000, the root one more.
        self.assertLess(cell["work"]["pages"] / cell["ledger_ops"], 12)


class Memory(Case):
    def sweep(self, workload, **variables):
        environment = dict(os.environ)
        if variables:
            environment.update(LD_PRELOAD=LEAK, **variables)
        done = self.run_syncost("sweep", "--suite", "memory_checks", "--workload", workload,
                                "--synchronous", "off", "--ops", "50", *QUIET, env=environment)
        folder = os.path.join(self.place, "report")
        return done, folder, (cells(folder) if os.path.exists(folder) else {})

    def assertClean(self, done, folder):
        self.assertDone(done)
        self.assertEqual(findings(folder, "memory-grows"), [])

    def test_none_of_the_checks_leaks(self):
        done, folder, found = self.sweep("*")
        self.assertClean(done, folder)
        self.assertEqual({cell["workload"] for cell in found.values()},
                         {"statement_lifecycle", "large_select", "blobs", "transactions",
                          "prepare_churn"})
        steady = findings(folder, "memory-steady")
        self.assertEqual(len(steady), 5)
        for text in steady:
            self.assertRegex(text, r"does not grow in local/memory_checks/\S+: \d\S* \S*B an "
                                   r"operation over \d+ operations")
        for cell in found.values():
            self.assertEqual(cell["memory"]["points"], 64, cell["id"])
            self.assertLess(abs(cell["memory"]["sqlite_bytes_per_op"]), 100, cell["id"])
        timing = [line for line in samples(folder) if line["kind"] == "timing"]
        self.assertEqual({line["memory"]["status"] for line in timing}, {"skipped"})

    @unittest.skipIf(not LEAK, "no library to preload")
    def test_a_planted_leak_is_found_and_whose_it_is(self):
        for source, words in ("malloc", "it was not SQLite"), ("sqlite", "SQLite allocated it"):
            with self.subTest(source):
                self.setUp()
                done, folder, found = self.sweep("statement_lifecycle", LEAK_BYTES="600",
                                                 LEAK_FROM=source, LEAK_NOISE="20000")
                self.assertDone(done, 1)
                (cell,) = found.values()
                self.assertGreater(cell["memory"]["heap_r2"], 0.5)
                self.assertAlmostEqual(cell["memory"]["heap_bytes_per_op"], 608, delta=60)
                self.assertEqual(len(findings(folder, "memory-grows")), 1)
                self.assertEqual(findings(folder, "memory-steady"), [])
                self.assertIn(words, findings(folder, "memory-grows")[0])

    @unittest.skipIf(not LEAK, "no library to preload")
    def test_noise_and_a_small_leak_are_none(self):
        for leak in "0", "300":
            with self.subTest(leak):
                self.setUp()
                done, folder, _ = self.sweep("statement_lifecycle", LEAK_BYTES=leak,
                                             LEAK_FROM="malloc", LEAK_NOISE="20000")
                self.assertClean(done, folder)

    def test_clients_are_not_asked(self):
        done, folder, found = self.sweep("statement_lifecycle")
        self.assertClean(done, folder)
        done = self.run_syncost("sweep", "--suite", "memory_checks", "--workload",
                                "statement_lifecycle", "--ops", "50", "--clients", "2", "--quiet",
                                "--samples", "6", "--out", "two")
        self.assertDone(done)
        (cell,) = cells(os.path.join(self.place, "two")).values()
        self.assertEqual(cell["memory"]["status"], "skipped")
        self.assertEqual(cell["work"]["status"], "skipped")
        self.assertEqual(found[next(iter(found))]["work"]["vm_steps"] % 6400, 0)


class Partitioner(Case):
    """A hundredth of the week: 100,800 rows, an hour and two thirds of another."""

    def sweep(self, workloads, *arguments):
        done = self.run_syncost("sweep", "--suite", "partitioner_week", "--scale", "0.01",
                                "--samples", "1", "--quiet", "--out", "report", "--workload",
                                workloads, *arguments)
        self.assertDone(done)
        found = cells(os.path.join(self.place, "report"))
        for cell in found.values():
            self.assertEqual(cell["status"], "measured", cell["reason"])
            self.assertIs(cell["verified"], True)
        return {cell["workload"]: cell for cell in found.values()}

    def test_a_batch_shares_its_syncs_among_its_rows(self):
        found = self.sweep("insert_*")
        syncs = {name: cell["syncs"]["physical"] / cell["ledger_ops"]
                 for name, cell in found.items()}
        self.assertEqual(syncs["insert_each"], 4)
        self.assertEqual(syncs["insert_batch"], 4 / 5000)
        self.assertAlmostEqual(syncs["insert_hourly"], 4 / 5000, delta=1e-4)
        # As many rows as the week has at that scale, and whole batches.
        for name in "insert_batch", "insert_hourly":
            timing = [line for line in samples(os.path.join(self.place, "report"))
                      if line["kind"] == "timing" and name in line["cell_id"]]
            self.assertEqual([line["operations"] for line in timing], [105000])

    def test_the_batch_is_a_parameter(self):
        self.sweep("insert_hourly", "--rows-per-commit", "1000,10000")
        found = cells(os.path.join(self.place, "report"))
        self.assertEqual(sorted(cell["syncs"]["physical"] for cell in found.values()),
                         [4 * 10, 4 * 100])

    def test_a_table_is_dropped_and_rows_are_deleted(self):
        found = self.sweep("delete_hour,drop_hour,count_*,scan*")
        steps = {name: cell["work"]["vm_steps"] / cell["ledger_ops"]
                 for name, cell in found.items()}
        self.assertGreater(steps["delete_hour"], 60000)
        self.assertLess(steps["drop_hour"], 60000)
        self.assertGreater(steps["count_hour"], 60000)
        self.assertLess(steps["count_hour_hourly"], 100)
        self.assertGreater(steps["scan"], 100800)

    def test_in_memory_nothing_is_synced(self):
        found = self.sweep("insert_batch,insert_hourly,drop_hour", "--variant", "memory")
        for cell in found.values():
            self.assertEqual(cell["store"], "memory")
            self.assertEqual(cell["syncs"]["physical"], 0)


if __name__ == "__main__":
    unittest.main()
