# SPDX-License-Identifier: MIT
"""Bytes and files that others made: names that are no text, files that are no files."""

import csv
import json
import os
import shutil
import socket
import subprocess

from harness import SMALL, SYNCOST, Case, default_signals

FEW = [*SMALL, "--workload", "insert_one", "--journal-mode", "wal", "--synchronous", "full", "-q"]
BYTES = b"u\xff\xfe"
TEXT = "u\ufffd\ufffd"

SCHEMA = ("WITH RECURSIVE t(x) AS (SELECT 1 UNION ALL SELECT x FROM t) "
          "SELECT max(x) FROM t")


def load(path):
    """A file as strict UTF-8 JSON."""
    with open(path, "rb") as file:
        return json.loads(file.read().decode("utf-8", errors="strict"))


class Outside(Case):
    def run_bytes(self, *arguments):
        done = subprocess.run([SYNCOST, *arguments], cwd=self.place, stdin=subprocess.DEVNULL,
                              capture_output=True, timeout=240, check=False)
        self.assertEqual(done.returncode, 0, done)
        return done.stdout.decode("utf-8", errors="strict")

    def test_bytes(self):
        """a label and a path that are no UTF-8 are text in every file and format"""
        target = os.path.join(os.fsencode(self.place), BYTES)
        os.mkdir(target)
        self.run_bytes("sweep", *FEW, "--out", "report", "--host-label", b"h\xff", "-t", target)
        self.assertEqual(os.listdir(target), [])
        summary = load(os.path.join(self.place, "report", "summary.json"))
        self.assertEqual(summary["host"]["label"], "h\ufffd")
        self.assertEqual(os.path.basename(summary["targets"][0]["path"]), TEXT)
        metadata = load(os.path.join(self.place, "report", "metadata.json"))
        self.assertIn("h\ufffd", metadata["command_line"])
        with open(os.path.join(self.place, "report", "raw", "samples.ndjson"), "rb") as file:
            lines = [json.loads(line.decode("utf-8", errors="strict")) for line in file]
        self.assertEqual(len(lines), 7)
        self.assertTrue(any(row["database"] for line in lines for row in line.get("io") or ()
                            if isinstance(row, dict)))
        self.assertEqual(json.loads(self.run_bytes("report", "report", "-f", "json")), summary)
        for style in ("table", "md", "csv", "samples"):
            self.assertTrue(self.run_bytes("report", "report", "-f", style))
        for style in ("table", "md", "csv", "json"):
            text = self.run_bytes("compare", "report", "report", "-f", style)
            if style == "csv":
                self.assertGreater(len(list(csv.reader(text.splitlines()))), 1)

    def test_environment(self):
        """so is the environment that is kept"""
        done = subprocess.run([SYNCOST, "sweep", *FEW, "--out", "report"], cwd=self.place,
                              env={**os.environb, b"TMPDIR": b"/tmp/\xff"},
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=240,
                              check=False)
        self.assertEqual(done.returncode, 0, done)
        metadata = load(os.path.join(self.place, "report", "metadata.json"))
        self.assertEqual(metadata["environment"]["TMPDIR"], "/tmp/\ufffd")

    def kinds(self, name):
        """One of each kind of thing that is no file, as @name of a directory of its own."""
        for kind in ("a directory", "a FIFO", "a socket", "a device"):
            place = self.directory(self.place)
            path = os.path.join(place, name)
            if kind == "a directory":
                os.mkdir(path)
            elif kind == "a FIFO":
                os.mkfifo(path)
            elif kind == "a socket":
                server = socket.socket(socket.AF_UNIX)
                self.addCleanup(server.close)
                server.bind(path)
            else:
                os.symlink("/dev/zero", path)
            yield kind, place, path

    def test_no_files(self):
        """a report that is no file is refused, and nobody waits for its writer"""
        for kind, place, path in self.kinds("summary.json"):
            for arguments in (["report", place], ["compare", place, place]):
                self.assertOneLine(self.run_syncost(*arguments), 2, f"is {kind}, not a file")
            if kind != "a directory":
                self.assertOneLine(self.run_syncost("report", path), 2, f"is {kind}, not a file")

    def test_no_plans(self):
        """so are a plan and samples that are no files"""
        for kind, place, _ in self.kinds("metadata.json"):
            self.assertOneLine(self.run_syncost("sweep", "--like", place), 2,
                               f"is {kind}, not a file")
            self.assertOneLine(self.run_syncost("sweep", "--resume", place), 2,
                               f"is {kind}, not a file")

    def test_no_suites(self):
        """so is a suite"""
        for kind, _, path in self.kinds("suite.json"):
            self.assertOneLine(self.run_syncost("sweep", "--suite", path), 2,
                               f"is {kind}, not a file")

    def test_pipe(self):
        """a suite may come through a pipe that is open"""
        with open(SMALL[1], "rb") as file:
            text = file.read()
        for path in ("/dev/stdin", "/proc/self/fd/0"):
            done = subprocess.run([SYNCOST, "sweep", "--dry-run", "--suite", path], input=text,
                                  cwd=self.place, capture_output=True, timeout=60, check=False,
                                  preexec_fn=default_signals)
            self.assertEqual(done.returncode, 0, done)
            self.assertIn(b"cell ", done.stdout)

    def test_endless_schema(self):
        """a schema that does not end is stopped, and named"""
        with open(SMALL[1], encoding="utf-8") as file:
            suite = json.load(file)
        suite["schema"].append(SCHEMA)
        with open(os.path.join(self.place, "suite.json"), "w", encoding="utf-8") as file:
            json.dump(suite, file)
        done = self.run_syncost("sweep", "--suite", "./suite.json", "--timeout", "1s")
        self.assertOneLine(done, 2, f"schema[{len(suite['schema']) - 1}]: does not end")
        self.assertEqual(os.listdir(self.place), ["suite.json"])

    def test_no_figures(self):
        """a report whose rates were changed to 0 is refused where it is read"""
        self.assertDone(self.run_syncost("sweep", *FEW, "--out", "report"))
        shutil.copytree(os.path.join(self.place, "report"), os.path.join(self.place, "changed"))
        path = os.path.join(self.place, "changed", "summary.json")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        lines = text.splitlines(keepends=True)
        for i, line in enumerate(lines):
            if line.startswith('{"id"'):
                cell = json.loads(line.rstrip(",\n"))
                cell["ops_per_s"]["median"] = 0
                lines[i] = json.dumps(cell) + line[len(line.rstrip(",\n")):]
        with open(path, "w", encoding="utf-8") as file:
            file.writelines(lines)
        self.assertNotEqual("".join(lines), text)
        for arguments in (["report", "changed"], ["compare", "report", "changed"]):
            self.assertOneLine(self.run_syncost(*arguments), 2,
                               "ops_per_s.median: must be above 0")
        self.assertDone(self.run_syncost("report", "report"))
