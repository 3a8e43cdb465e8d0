#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""syncost compare in each format, against golden files in tests/data/compare.

usage: run-unittest.py test-golden.py SYNCOST

With SC_GOLDEN_WRITE set in the environment the golden files are written anew instead; look at the
difference before it is kept.
"""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]

import reports  # noqa: E402
from harness import Case  # noqa: E402

GOLDEN = os.path.join(HERE, "..", "..", "data", "compare")
EXTENSIONS = {"table": "txt", "md": "md", "csv": "csv", "json": "json"}


def is_set(mode, *levels):
    return lambda cell: (cell["setting"]["journal_mode"] == mode and
                         (not levels or cell["setting"]["synchronous"] in levels))


class Golden(Case):
    def pair(self):
        """A base, and a report in which something got worse, better, and uncertain."""
        base = reports.load()
        new = reports.changed(base, reports.add_syncs(1), is_set("delete"))
        new = reports.changed(new, reports.scale_time(2.5), is_set("delete"))
        new = reports.changed(new, reports.scale_time(0.6), is_set("wal", "normal"))
        new = reports.changed(new, reports.scale_time(1.02), is_set("wal", "full"))
        new["host"]["kernel"] = "Linux 6.1.1"
        return base, new

    def put(self, **named):
        for name, report in named.items():
            reports.write(report, os.path.join(self.place, name))
        return list(named)

    def check(self, name, code, *arguments):
        done = self.run_syncost("compare", *arguments,
                                env={**os.environ, "LC_ALL": "C.UTF-8", "COLUMNS": "100"})
        self.assertDone(done, code)
        path = os.path.join(GOLDEN, name)
        if os.environ.get("SC_GOLDEN_WRITE"):
            with open(path, "w", encoding="utf-8") as file:
                file.write(done.out)
        with open(path, encoding="utf-8") as file:
            self.assertEqual(done.out, file.read(), name)

    def test_a_regression(self):
        base, new = self.pair()
        places = self.put(base=base, new=new)
        for format_name, extension in EXTENSIONS.items():
            self.check(f"regression.{extension}", 1, *places, "--format", format_name)

    def test_a_pass(self):
        base, _ = self.pair()
        places = self.put(base=base, new=base)
        for format_name in ("table", "md"):
            self.check(f"pass.{EXTENSIONS[format_name]}", 0, *places, "--format", format_name)

    def test_an_invalid_comparison(self):
        base, new = self.pair()
        new["sqlite"]["version"] = "3.45.1"
        new = reports.changed(new, lambda cell: cell.update(rows=20000))
        places = self.put(base=base, new=new)
        for format_name in ("table", "md", "json"):
            self.check(f"invalid.{EXTENSIONS[format_name]}", 2, *places, "--format", format_name)

    def test_three_hosts_side_by_side(self):
        base, new = self.pair()
        new["host"]["label"] = "hdd"
        other = reports.changed(base, reports.scale_time(0.3))
        other["host"]["label"] = "nvme"
        del other["cells"][0]
        places = self.put(base=base, hdd=new, nvme=other)
        for format_name in ("table", "md"):
            self.check(f"hosts.{EXTENSIONS[format_name]}", 0, *places, "--format", format_name)

    def test_the_command_of_the_ci_example_works(self):
        path = os.path.join(HERE, "..", "..", "..", "tools", "compare-ci-example.yml")
        with open(path, encoding="utf-8") as file:
            lines = [line.split(">")[0].split() for line in file
                     if line.strip().startswith("syncost compare base-report")]
        self.assertEqual(len(lines), 1)
        base, new = self.pair()
        reports.write(base, os.path.join(self.place, "base-report"))
        reports.write(new, os.path.join(self.place, "new-report"))
        done = self.run_syncost(*lines[0][1:])
        self.assertDone(done, 1)
        self.assertTrue(done.out.startswith("### syncost: regression"), done)

    def test_a_terminal_of_ascii_gets_ascii(self):
        base, new = self.pair()
        places = self.put(base=base, new=new)
        done = self.run_syncost("compare", *places, env={**os.environ, "LC_ALL": "C"})
        self.assertTrue(done.out.isascii())

    def test_names_from_a_report_cannot_reach_the_terminal(self):
        base, new = self.pair()
        nasty = "\x1b[31m|<b>`*"
        for report in (base, new):
            report["host"]["label"] = report["targets"][0]["label"] = nasty
            for cell in report["cells"]:
                cell["target"] = cell["workload"] = nasty
        places = self.put(base=base, new=new)
        for options in ((), ("--side-by-side",), ("--format", "md")):
            done = self.run_syncost("compare", *places, *options)
            self.assertIn(done.code, (0, 1), done)
            self.assertNotIn("\x1b", done.out)
        self.assertNotIn("<b>", done.out)


if __name__ == "__main__":
    unittest.main()
