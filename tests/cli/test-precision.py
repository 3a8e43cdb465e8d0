# SPDX-License-Identifier: MIT
"""syncost sweep --precision: how many samples a cell gets, why it gets no more, what that promises."""

import csv
import io
import json
import os
import re

from harness import SMALL, Case, cells, newest_report, samples, summary

PILOT = 7
QUICK = [*SMALL[:4], "--workload", "insert_one", "--journal-mode", "delete,wal", "--synchronous",
         "off"]


def timing(folder, cell):
    return [line for line in samples(folder)
            if line["cell_id"] == cell and line["kind"] == "timing"]


class Precision(Case):
    def sweep(self, *arguments):
        done = self.run_syncost("sweep", *QUICK, *arguments)
        self.assertDone(done)
        return done, newest_report(self.place)

    def test_wide(self):
        """what is asked for little precision ends with the pilot; nothing is marked"""
        done, folder = self.sweep("--precision", "50", "--ops", "400", "--time", "2s")
        plan = summary(folder)["plan"]
        self.assertEqual((plan["precision"], plan["confidence"], plan["pilot"], plan["time_ns"]),
                         (0.5, 0.95, PILOT, 2000000000))
        for name, cell in cells(folder).items():
            rate = cell["ops_per_s"]
            self.assertGreaterEqual(rate["n"], PILOT)
            self.assertEqual(len(timing(folder, name)), rate["n"])
            self.assertEqual(cell["ended"] == "converged", rate["converged"])
            width = max(rate["high"] - rate["median"], rate["median"] - rate["low"])
            self.assertIn(rate["n"], [look["samples"] for look in plan["looks"]]
                          if rate["converged"] else range(PILOT, 1000))
            if rate["converged"]:
                self.assertLessEqual(width, 0.5 * rate["median"])
            # a machine that is busy enough can scatter by more
            if rate["n"] == PILOT and width <= 0.5 * rate["median"]:
                self.assertTrue(rate["converged"])
        self.assertEqual("%*" in done.out,
                         not all(cell["ops_per_s"]["converged"] for cell in cells(folder).values()))

    def test_time(self):
        """what cannot be had ends by time, between looks as well, and says so"""
        done, folder = self.sweep("--precision", "0.1%", "--time", "3s")
        report = summary(folder)
        spent = sum(line["turn_ns"] for line in samples(folder) if line["kind"] == "timing")
        counts = []
        for name, cell in cells(folder).items():
            counts.append(cell["ops_per_s"]["n"])
            self.assertGreaterEqual(counts[-1], PILOT)
            self.assertEqual(len(timing(folder, name)), counts[-1])
            self.assertIn(cell["ended"], ("time", "samples", "converged"))
            self.assertEqual(cell["ended"] == "converged", cell["ops_per_s"]["converged"])
        # where a sample takes long, the most samples that the time could hold are few
        self.assertTrue({"time", "samples"} & {cell["ended"] for cell in report["cells"]})
        pilot = sum(line["turn_ns"] for line in samples(folder)
                    if line["kind"] == "timing" and line["round"] <= PILOT)
        # a sample is begun when it can be expected to fit; it may take longer than those before
        last = max(line["turn_ns"] for line in samples(folder))
        self.assertLessEqual(spent, max(pilot, 3e9) + 2 * last)
        self.assertLessEqual(max(counts) - min(counts), 1 if max(counts) > PILOT else 0)
        self.assertRegex(done.out, r"±\S+ %\*")
        self.assertIn("did not reach the precision asked for", done.out)
        self.assertEqual(report["plan"]["rounds"], max(counts))

    def test_promise(self):
        """the interval is that of the rule's ranks, and the report says what it promises"""
        done, folder = self.sweep("--precision", "0.1%", "--time", "3s")
        plan = summary(folder)["plan"]
        self.assertGreaterEqual(plan["coverage"], 0.95)
        self.assertGreaterEqual(plan["simulated"]["lowest"], 0.92)
        self.assertEqual(plan["simulated"]["distributions"], 12)
        self.assertEqual(plan["looks"][0]["samples"], PILOT)
        self.assertEqual(plan["looks"][-1]["samples"], plan["samples_max"])
        for name, cell in cells(folder).items():
            rates = sorted(line["operations"] * 1e9 / line["wall_ns"]
                           for line in timing(folder, name))
            rank = [look["rank"] for look in plan["looks"] if look["samples"] <= len(rates)][-1]
            self.assertAlmostEqual(cell["ops_per_s"]["low"], rates[rank - 1], places=6)
            self.assertAlmostEqual(cell["ops_per_s"]["high"], rates[-rank], places=6)
            self.assertEqual(cell["ops_per_s"]["coverage"], plan["coverage"])
        said = f"with {int(plan['coverage'] * 1000) / 10:.1f} % (exact)"
        text = re.sub(r"\s+", " ", done.out)
        self.assertIn(said, text)
        again = self.run_syncost("report", folder, "--format", "md")
        self.assertIn(said, again.out)
        self.assertEqual(self.run_syncost("report", folder).out.split("\nReport:")[0].strip(),
                         done.out.split("\nReport:")[0].strip())

    def test_rounds(self):
        """each cell has one sample in each round until it ends, in the order of the round"""
        _, folder = self.sweep("--precision", "5%", "--time", "2s")
        rounds = [line["round"] for line in samples(folder)]
        self.assertEqual(rounds, sorted(rounds))
        for name in cells(folder):
            self.assertEqual([line["round"] for line in timing(folder, name)],
                             list(range(1, len(timing(folder, name)) + 1)))

    def test_fixed(self):
        """--samples takes just so many, with the simple interval and no rule"""
        _, folder = self.sweep("--samples", "8")
        plan = summary(folder)["plan"]
        self.assertEqual(plan["samples"], 8)
        for key in ("pilot", "samples_max", "time_ns", "looks", "coverage", "simulated"):
            self.assertEqual(plan[key]["status"], "skipped", key)
        for cell in cells(folder).values():
            self.assertEqual((cell["ops_per_s"]["n"], cell["ended"]), (8, "samples"))
            self.assertAlmostEqual(cell["ops_per_s"]["coverage"], 1 - 2 / 2 ** 8)

    def test_noise(self):
        """what disturbed each sample is kept, shown, or says why it is not known"""
        done, folder = self.sweep("--samples", "6")
        disk = summary(folder)["targets"][0]["disk"]
        for name, cell in cells(folder).items():
            raw = {line["round"]: line["other_io_bytes"] for line in timing(folder, name)}
            for sample in cell["samples"]:
                if sample["kind"] == "timing":
                    self.assertEqual(sample["other_io_bytes"], raw[sample["round"]])
                if isinstance(disk, dict):
                    self.assertEqual(sample["other_io_bytes"], disk)
        rows = csv.DictReader(io.StringIO(
            self.run_syncost("report", folder, "--format", "samples").out))
        found = {row["metric"] for row in rows}
        self.assertLessEqual({"steal_ns", "run_delay_ns", "other_io_bytes"}, found)
        with open(os.path.join(folder, "summary.md"), encoding="utf-8") as file:
            self.assertIn("## Noise", file.read())

    def test_metadata(self):
        """what was asked for stands in the metadata"""
        _, folder = self.sweep("--precision", "20%", "--time", "1ms")
        with open(os.path.join(folder, "metadata.json"), encoding="utf-8") as file:
            words = json.load(file)["command_line"]
        self.assertIn("--precision", words)
        self.assertIn("20%", words)
        # no time at all: the pilot is taken, and its one look is the simple interval
        plan = summary(folder)["plan"]
        self.assertEqual(plan["looks"], [{"samples": PILOT, "rank": 1}])
        self.assertAlmostEqual(plan["coverage"], 1 - 2 / 2 ** PILOT)
        for cell in cells(folder).values():
            self.assertEqual(cell["ops_per_s"]["n"], PILOT)
            self.assertIn(cell["ended"], ("converged", "samples"))
