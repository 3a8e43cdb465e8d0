# SPDX-License-Identifier: MIT
"""A small sweep on the real disk, and what its report says, against what SQLite itself says."""

import csv
import fcntl
import hashlib
import io
import json
import os
import pty
import re
import shutil
import signal
import sqlite3
import stat
import struct
import subprocess
import termios

from harness import SMALL, SYNCOST, Case, cells, newest_report, samples, summary, tree

# Syncs of one commit that changes one row, by journal and level: directory syncs included, WAL
# checkpoints not. From a trace of system calls of SQLite 3.40.
SYNCS = {
    "delete": {"off": 0, "normal": 3, "full": 4, "extra": 5},
    "truncate": {"off": 0, "normal": 3, "full": 5, "extra": 5},
    "persist": {"off": 0, "normal": 4, "full": 5, "extra": 5},
    "memory": {"off": 0, "normal": 1, "full": 1, "extra": 1},
    "off": {"off": 0, "normal": 1, "full": 1, "extra": 1},
    "wal": {"off": 0, "normal": 0, "full": 1, "extra": 1},
}

PRAGMAS = ("journal_mode", "synchronous", "page_size", "cache_size", "wal_autocheckpoint",
           "locking_mode", "mmap_size")


class Sweep(Case):
    """One sweep that all cases look at."""

    @classmethod
    def setUpClass(cls):
        case = Case("run_syncost")
        case.setUp()
        cls.addClassCleanup(case.doCleanups)
        cls.case, cls.swept = case, case.place
        with open(os.path.join(cls.swept, "mine.db"), "wb") as file:
            file.write(b"not yours")
        os.mkdir(os.path.join(cls.swept, ".syncost-20200101T000000Z-1"))
        os.mkdir(os.path.join(cls.swept, "target"))
        cls.before = tree(cls.swept)
        cls.done = case.run_syncost(
            "sweep", *SMALL, "--ops", "50", "--workload", "insert_one", "--journal-mode",
            ",".join(SYNCS), "--synchronous", "off,normal,full,extra", "--wal-autocheckpoint",
            "0", "--seed", "11", "--host-label", "bench \"1\"")
        if cls.done.code:
            raise AssertionError(cls.done)
        cls.folder = newest_report(cls.swept)
        cls.summary, cls.cells = summary(cls.folder), cells(cls.folder)

    def test_exit(self):
        """it ends with 0 and leaves nothing in the target but its report"""
        self.assertDone(self.done)
        after = tree(self.swept)
        for path, state in self.before.items():
            self.assertEqual(after[path], state, path)
        self.assertEqual({path.split("/")[0] for path in set(after) - set(self.before)},
                         {"syncost-reports"})

    def test_modes(self):
        """the report is readable for its owner alone"""
        for folder, _, names in os.walk(self.folder):
            self.assertEqual(stat.S_IMODE(os.stat(folder).st_mode), 0o700, folder)
            for name in names:
                path = os.path.join(folder, name)
                self.assertEqual(stat.S_IMODE(os.stat(path).st_mode), 0o600, path)
        self.assertEqual(sorted(os.listdir(self.folder)), ["metadata.json", "raw", "samples.csv",
                                                           "summary.json", "summary.md"])

    def test_complete(self):
        """the summary is complete and has each cell of the grid once, by name"""
        self.assertEqual(self.summary["format"], "syncost-report-1")
        self.assertEqual(self.summary["kind"], "sweep")
        self.assertIs(self.summary["plan"]["complete"], True)
        self.assertEqual(int(self.summary["plan"]["seed"]), 11)
        self.assertEqual(len(self.summary["cells"]), 24)
        self.assertEqual(set(self.cells), {
            f"local/small/insert_one/{journal}/{level}" +
            ("/recycled" if journal == "wal" else "") + "/wal_autocheckpoint=0"
            for journal in SYNCS for level in SYNCS[journal]})

    def test_lines(self):
        """each cell is a line of the summary"""
        with open(os.path.join(self.folder, "summary.json"), encoding="utf-8") as file:
            lines = [line.strip().rstrip(",") for line in file]
        found = [json.loads(line)["id"] for line in lines if line.startswith('{"id"')]
        self.assertEqual(found, list(self.cells))

    def test_settings_read_back(self):
        """each cell says what it was asked for and what SQLite took"""
        for name, cell in self.cells.items():
            journal, level = name.split("/")[3:5]
            self.assertEqual(cell["setting"]["journal_mode"], journal, name)
            self.assertEqual(cell["setting"]["synchronous"], level, name)
            source = self.cells[cell["same_as"]] if cell["same_as"] else cell
            for pragma in PRAGMAS:
                self.assertEqual(cell["effective"][pragma], source["setting"][pragma], name)

    def test_syncs(self):
        """syncs per commit are those that a trace of system calls counts"""
        for name, cell in self.cells.items():
            journal, level = name.split("/")[3:5]
            syncs = cell["syncs"]
            self.assertEqual(syncs["vfs"] + syncs["directory"], syncs["physical"], name)
            expected = SYNCS[journal][level] * cell["ledger_ops"]
            self.assertEqual(syncs["physical"], expected, name)
            self.assertEqual(syncs["per_commit"], SYNCS[journal][level], name)

    def test_same_as(self):
        """cells that cannot differ carry the figures of one that was run, and say why"""
        run = {line["cell_id"] for line in samples(self.folder)}
        for name, cell in self.cells.items():
            self.assertEqual(cell["same_as"] is None, name in run, name)
            if cell["same_as"]:
                self.assertIn(cell["same_as"], run)
                self.assertEqual(cell["ops_per_s"], self.cells[cell["same_as"]]["ops_per_s"])
                self.assertTrue(cell["same_as_reason"])
        self.assertEqual(len(run), 24 - 7)

    def test_samples(self):
        """each cell that was run has one ledger sample and six of fifty operations"""
        by_cell = {}
        for line in samples(self.folder):
            by_cell.setdefault(line["cell_id"], []).append(line)
        for name, lines in by_cell.items():
            self.assertEqual([line["round"] for line in lines], list(range(7)), name)
            self.assertEqual([line["kind"] for line in lines], ["ledger"] + 6 * ["timing"], name)
            self.assertEqual({line["operations"] for line in lines[1:]}, {50}, name)
            self.assertTrue(all(line["verified"] for line in lines), name)

    def test_interval(self):
        """the median and its interval are those of the samples"""
        for name, cell in self.cells.items():
            rates = sorted(sample["operations"] * 1e9 / int(sample["wall_ns"])
                           for sample in cell["samples"] if sample["kind"] == "timing")
            self.assertEqual(len(rates), 6, name)
            interval = cell["ops_per_s"]
            self.assertAlmostEqual(interval["median"] / ((rates[2] + rates[3]) / 2), 1, places=6)
            self.assertAlmostEqual(interval["low"] / rates[0], 1, places=6)
            self.assertAlmostEqual(interval["high"] / rates[5], 1, places=6)
            self.assertEqual(interval["n"], 6)

    def test_rounds(self):
        """each round has an order of its own"""
        rounds = {}
        for line in samples(self.folder):
            rounds.setdefault(line["round"], []).append(line["cell_id"])
        orders = list(rounds.values())
        self.assertEqual(len(orders), 7)
        for order in orders:
            self.assertEqual(sorted(order), sorted(orders[0]))
        self.assertGreater(len({tuple(order) for order in orders}), 1)

    def test_target(self):
        """the target's storage is named and its sync floor measured"""
        target, = self.summary["targets"]
        self.assertEqual(target["label"], "local")
        kind = subprocess.run(["stat", "-f", "-c", "%T", self.swept], capture_output=True,
                              text=True, check=True).stdout.strip()
        self.assertIn(target["filesystem"][:4], kind.replace("ext2/ext3", "ext4"))
        self.assertGreater(int(target["sync_floor_ns_p50"]), 0)

    def test_metadata(self):
        """metadata.json has the machine, the build and the command line, as they are"""
        with open(os.path.join(self.folder, "metadata.json"), encoding="utf-8") as file:
            metadata = json.load(file)
        self.assertEqual(metadata["command_line"][:2], [SYNCOST, "sweep"])
        self.assertEqual(metadata["directory"], self.swept)
        self.assertEqual(metadata["host"]["label"], 'bench "1"')
        self.assertEqual(metadata["host"]["kernel"], "Linux " + os.uname().release)
        self.assertEqual(metadata["host"]["cpu_count"], os.sysconf("SC_NPROCESSORS_ONLN"))
        self.assertEqual(metadata["targets"], {"local": self.swept})
        version = self.case.run_syncost("--version").out
        self.assertIn(metadata["tool"]["version"], version)
        self.assertTrue(version.rstrip().endswith(metadata["sqlite"]["version"]))
        self.assertTrue(all(re.fullmatch(r"[A-Z0-9_]+(=.*)?", option)
                            for option in metadata["sqlite"]["compile_options"]))

    def test_no_secrets(self):
        """of the environment only what is on the list is kept"""
        out = os.path.join(self.directory(), "report")
        environment = dict(os.environ, SECRET_TOKEN="hunter2", TMPDIR="/tmp", LD_PRELOAD="")
        self.assertDone(self.run_syncost("sweep", *SMALL, "--workload", "insert_one",
                                         "--journal-mode", "off", "--synchronous", "off", "--out",
                                         out, env=environment))
        for name in ("metadata.json", "summary.json"):
            with open(os.path.join(out, name), encoding="utf-8") as file:
                text = file.read()
            self.assertNotIn("hunter2", text)
        with open(os.path.join(out, "metadata.json"), encoding="utf-8") as file:
            self.assertEqual(json.load(file)["environment"]["TMPDIR"], "/tmp")

    def test_csv(self):
        """samples.csv imports into sqlite3 and agrees with the raw samples"""
        with open(os.path.join(self.folder, "samples.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        database = sqlite3.connect(":memory:")
        columns = list(rows[0])
        database.execute(f"CREATE TABLE samples({', '.join(columns)})")
        database.executemany(f"INSERT INTO samples VALUES({', '.join('?' * len(columns))})",
                             [list(row.values()) for row in rows])
        self.assertTrue(all(None not in row and None not in row.values() for row in rows))
        for line in samples(self.folder):
            journal, level = line["cell_id"].split("/")[3:5]
            for metric in ("wall_ns", "cpu_ns", "operations"):
                value, = database.execute(
                    "SELECT value FROM samples WHERE journal_mode = ? AND synchronous = ? AND "
                    "round = ? AND metric = ? AND workload = 'insert_one'",
                    (journal, level, str(line["round"]), metric)).fetchone()
                self.assertEqual(int(value), int(line[metric]), (line["cell_id"], metric))

    def test_sqlite_shell(self):
        """samples.csv imports into the sqlite3 shell without a complaint"""
        try:
            shell = subprocess.run(
                ["sqlite3", ":memory:", ".mode csv", f".import {self.folder}/samples.csv samples",
                 "SELECT count(*) > 100 FROM samples"], capture_output=True, text=True)
        except FileNotFoundError:
            self.skipTest("there is no sqlite3 shell here")
        self.assertEqual((shell.returncode, shell.stdout.strip(), shell.stderr), (0, "1", ""))

    def test_import_example(self):
        """the manual page's import gives numbers that compare as numbers, and NULL for no figure"""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "../../src/cli/man/syncost-report.5")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        example = re.search(r"^sqlite3 samples\.db <<'END'\n(.*?)^END$", text, re.S | re.M).group(0)
        example = example.replace("\\&", "").replace("\\-", "-")
        place = self.directory()
        shutil.copy(os.path.join(self.folder, "samples.csv"), place)
        shell = subprocess.run(["sh", "-c", example], cwd=place, capture_output=True, text=True)
        if shell.returncode == 127:
            self.skipTest("there is no sqlite3 shell here")
        self.assertEqual((shell.returncode, shell.stderr), (0, ""))
        database = sqlite3.connect(os.path.join(place, "samples.db"))
        self.addCleanup(database.close)
        ask = lambda sql: database.execute(sql).fetchone()[0]
        with open(os.path.join(self.folder, "samples.csv"), newline="", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(ask("SELECT count(*) FROM samples"), len(rows))
        self.assertEqual(ask("SELECT max(value) FROM samples WHERE metric = 'wall_ns'"),
                         max(float(row["value"]) for row in rows if row["metric"] == "wall_ns"))
        self.assertEqual(ask("SELECT count(*) FROM samples WHERE status <> 'measured' AND value "
                             "IS NOT NULL"), 0)
        self.assertEqual(ask("SELECT group_concat(DISTINCT typeof(value)) FROM samples WHERE "
                             "status = 'measured'"), "real")
        # what the page warns of: a table made by .import compares as text
        texts = sqlite3.connect(":memory:")
        texts.execute("CREATE TABLE samples(value TEXT)")
        texts.executemany("INSERT INTO samples VALUES(?)", [("9",), ("10",)])
        self.assertEqual(texts.execute("SELECT max(value) FROM samples").fetchone()[0], "9")
        texts.close()

    def test_jq_example(self):
        """the manual page's query gives each cell a rate, copies too"""
        page = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                            "../../src/cli/man/syncost-report.5")
        with open(page, encoding="utf-8") as file:
            text = file.read()
        example = re.search(r"^jq .*?^\.EE$", text, re.S | re.M).group(0)
        example = example.replace("\n.EE", "").replace("\\-", "-")
        shell = subprocess.run(["sh", "-c", example], cwd=self.folder, capture_output=True,
                               text=True)
        if shell.returncode == 127:
            self.skipTest("jq is not installed")
        self.assertEqual((shell.returncode, shell.stderr), (0, ""))
        lines = [line.split("\t") for line in shell.stdout.splitlines()]
        self.assertEqual(len(lines), len(self.cells))
        self.assertTrue(all(float(line[1]) > 0 for line in lines))
        self.assertTrue(any(line[2] for line in lines))

    def test_markdown(self):
        """summary.md has a table with each setting that was run"""
        with open(os.path.join(self.folder, "summary.md"), encoding="utf-8") as file:
            text = file.read()
        for journal in SYNCS:
            self.assertIn(f"{journal}/full", text)
        self.assertIn("| --", text.replace("|--", "| --").replace("| :-", "| --"))

    def test_table(self):
        """standard output is the table, what to use, the report's path and the next command"""
        path = "./" + os.path.relpath(self.folder, self.swept)
        self.assertIn(f"Report: {path}\n", self.done.out)
        self.assertTrue(self.done.out.endswith(f"Next:   {SYNCOST} report {path} --format md\n"))
        self.assertIn("wal/full", self.done.out)
        self.assertIn("PRAGMA", self.done.out)
        *lines, report, _ = self.done.out.splitlines()
        first = max(i for i, line in enumerate(lines) if line.startswith("Use:"))
        self.assertLessEqual(max(len(line) for line in lines[first:]), 80)
        use = "Use:    " + " ".join(" ".join(lines[first:]).split()[1:])
        first = self.summary["recommendations"][0]
        self.assertEqual(use, "Use:    " + " ".join(first["pragmas"].split("\n")).strip() +
                         " (nothing lost)")
        self.assertTrue(report.startswith("Report: "))

    def test_introduction(self):
        """standard error says first where it works, on what, and for how long"""
        first = self.done.err.splitlines()[:4]
        self.assertIn(f"target local, {self.swept}: ", first[0])
        self.assertIn("nothing else is touched", first[1])
        self.assertRegex(first[2], r"24 cells, 7 of them cannot differ from another; 6 samples "
                                   r"each: about \d+ (s|min)")
        self.assertNotIn("\r", self.done.err)

    def test_report(self):
        """report shows the newest, or the one named, as the sweep did"""
        shown = self.case.run_syncost("report")
        self.assertDone(shown)
        self.assertEqual(shown.err, "")
        self.assertTrue(self.done.out.startswith(shown.out))
        for name in (self.folder, os.path.join(self.folder, "summary.json")):
            self.assertEqual(self.case.run_syncost("report", name).out, shown.out)

    def test_formats(self):
        """each format of report parses"""
        before = tree(self.folder)
        out = {kind: self.case.run_syncost("report", self.folder, "--format", kind).out
               for kind in ("md", "csv", "samples", "json")}
        self.assertEqual(len(json.loads(out["json"])["cells"]), 24)
        for kind in ("csv", "samples"):
            rows = list(csv.reader(io.StringIO(out[kind])))
            self.assertEqual({len(row) for row in rows}, {len(rows[0])}, kind)
        with open(os.path.join(self.folder, "summary.md"), encoding="utf-8") as file:
            self.assertEqual(file.read(), out["md"])
        self.assertEqual(tree(self.folder), before)


class Repeats(Case):
    """Sweeps with the same seed: two workloads, rollback journal and WAL with checkpoints."""

    def ledger(self, *arguments):
        out = os.path.join(self.directory(), "report")
        done = self.run_syncost("sweep", *SMALL, "--quiet", "--format", "json", "--out", out,
                                *arguments)
        self.assertDone(done)
        self.assertEqual(done.err, "")
        figures = {}
        for name, cell in cells(out).items():
            io_rows = [[row[key] for key in ("instrument", "database", "role", "op", "calls",
                                             "failures", "bytes")] for row in cell["io"]]
            space = {key: value for key, value in cell["space"].items()
                     if key not in ("allocated_bytes", "written")}
            figures[name] = (cell["ledger_ops"], cell["syncs"], cell["checkpoints"]["count"],
                             cell["checkpoints"]["frames"], space,
                             cell["space"]["written"]["vfs_bytes"], io_rows)
        return figures

    def test_same(self):
        """the ledger is the same over five sweeps with the same seed"""
        first = self.ledger("--seed", "5")
        self.assertEqual(len(first), 16)
        self.assertTrue(any(figures[2] > 0 for figures in first.values()))  # checkpoints
        for _ in range(4):
            self.assertEqual(self.ledger("--seed", "5"), first)

    def test_other(self):
        """another number of rows gives another ledger"""
        arguments = ["--journal-mode", "wal", "--synchronous", "full"]
        self.assertNotEqual(self.ledger(*arguments), self.ledger(*arguments, "--rows", "1000"))


class Output(Case):
    """What goes where."""

    FEW = [*SMALL, "--workload", "insert_one", "--journal-mode", "wal", "--synchronous",
           "off,full"]

    def test_json(self):
        """with --format json standard output is the summary and nothing else"""
        done = self.run_syncost("sweep", *self.FEW, "--format", "json")
        self.assertDone(done)
        self.assertEqual(json.loads(done.out), summary(newest_report(self.place)))
        self.assertIn("report is in ./syncost-reports/", done.err)

    def test_quiet(self):
        """--quiet says nothing but the product"""
        done = self.run_syncost("sweep", *self.FEW, "--quiet")
        self.assertDone(done)
        self.assertEqual(done.err, "")

    def test_out(self):
        """--out takes a new directory or an empty one, and only once"""
        os.mkdir(os.path.join(self.place, "empty"))
        for name in ("new", "empty"):
            self.assertDone(self.run_syncost("sweep", *self.FEW, "--out", name))
            self.assertIs(summary(os.path.join(self.place, name))["plan"]["complete"], True)
        before = tree(os.path.join(self.place, "new"))
        self.assertOneLine(self.run_syncost("sweep", *self.FEW, "--out", "new"), 2, "'new'")
        self.assertEqual(tree(os.path.join(self.place, "new")), before)

    def test_names(self):
        """two sweeps at the same time have folders of their own"""
        others = [self.start_syncost("sweep", *self.FEW, "--quiet") for _ in range(2)]
        for other in others:
            self.assertEqual(other.wait(240), 0)
        self.assertEqual(len(os.listdir(os.path.join(self.place, "syncost-reports"))), 2)
        self.assertNoLitter()

    def test_targets(self):
        """two targets are measured side by side, and both are left clean"""
        others = [self.directory(), self.directory()]
        done = self.run_syncost("sweep", *self.FEW, "--target", "a=" + others[0], "--target",
                                "b=" + others[1])
        self.assertDone(done)
        found = cells(newest_report(self.place))
        self.assertEqual({name.split("/")[0] for name in found}, {"a", "b"})
        self.assertEqual([os.listdir(other) for other in others], [[], []])

    def test_terminal(self):
        """on a terminal one line is rewritten, and gone at the end"""
        try:
            import pty
        except ImportError:
            self.skipTest("there are no pseudo-terminals here")
        ours, theirs = pty.openpty()
        process = subprocess.Popen([SYNCOST, "sweep", *self.FEW], cwd=self.place, stderr=theirs,
                                   stdout=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
        os.close(theirs)
        text = b""
        try:
            while chunk := os.read(ours, 65536):
                text += chunk
        except OSError:
            pass  # the terminal's other side is closed
        os.close(ours)
        self.assertEqual(process.wait(240), 0)
        self.assertRegex(text.decode(), r"\r\[[#.]{24}\] \d+/14, \d+ s left")
        self.assertTrue(text.endswith(b"\r\x1b[K"), text[-200:])

    def test_built_in(self):
        """a built-in suite, its dataset cut to --rows"""
        done = self.run_syncost("sweep", "--rows", "200", "--ops", "50", "--samples", "6",
                                "--workload", "*", "--journal-mode", "wal", "--synchronous", "off",
                                "--format", "json")
        self.assertDone(done)
        found = {cell["workload"]: cell for cell in json.loads(done.out)["cells"]}
        self.assertEqual(list(found), ["insert_one", "insert_batch", "update_one", "read_point",
                                       "read_range"])
        for name, cell in found.items():
            self.assertEqual((cell["status"], cell["verified"], cell["rows"]),
                             ("measured", True, 200), name)
        self.assertEqual(found["insert_batch"]["operations"], 100)  # a whole commit

    def test_suite_file(self):
        """--suite FILE takes a relative path, and the report names the suite and its digest"""
        shutil.copy(SMALL[1], os.path.join(self.place, "mine.json"))
        done = self.run_syncost("sweep", "--suite", "mine.json", *self.FEW[2:])
        self.assertDone(done)
        cell = cells(newest_report(self.place))["local/small/insert_one/wal/full/recycled"]
        with open(SMALL[1], "rb") as file:
            self.assertEqual(cell["suite_digest"], hashlib.sha256(file.read()).hexdigest())

    def test_whole_cycles(self):
        """a timing sample of a recycled WAL has the checkpoints that its frames are worth"""
        small = SMALL[:2] + SMALL[4:]  # without --ops: sized by time
        done = self.run_syncost("sweep", *small, "--journal-mode", "wal", "--synchronous", "off",
                                "--workload", "insert_one", "--wal-autocheckpoint", "30,50,200",
                                "--page-size", "1024,4096", "--format", "json")
        self.assertDone(done)
        seen = set()
        lines = samples(newest_report(self.place))
        for ledger in lines[:6]:
            setting = ledger["effective"]
            frames = sum(row["bytes"] for row in ledger["io"]
                         if (row["instrument"], row["role"], row["op"]) ==
                         ("vfs", "wal", "write")) / (setting["page_size"] + 24)
            cycle = setting["wal_autocheckpoint"] * ledger["operations"] / frames
            for line in lines[6:]:
                if line["cell_id"] == ledger["cell_id"]:
                    self.assertAlmostEqual(line["checkpoints_seen"], line["operations"] / cycle,
                                           delta=0.1 * line["operations"] / cycle + 0.5)
                    seen.add(line["checkpoints_seen"])
        self.assertNotIn(0, seen)

    def test_failed_cell(self):
        """a cell that fails has its reason in the report, the others go on, exit code 4"""
        done = self.run_syncost("sweep", *SMALL, "--workload", "*r*", "--journal-mode", "delete",
                                "--synchronous", "off")
        self.assertDone(done, 4)
        found = cells(newest_report(self.place))
        self.assertIn("count(*) = -1", json.dumps(found["local/small/broken/delete/off"]))
        for name in ("insert_one", "grow"):
            cell = found[f"local/small/{name}/delete/off"]
            self.assertGreater(cell["ops_per_s"]["median"], 0)
        self.assertIn("broken", done.out)
        self.assertNoLitter()

    def test_unmeasurable(self):
        """where no cell can be measured the report says why, exit code 3"""
        done = self.run_syncost("sweep", *SMALL, "--workload", "idle", "--journal-mode", "wal",
                                "--synchronous", "off")
        self.assertDone(done, 3)
        cell, = cells(newest_report(self.place)).values()
        self.assertEqual(cell["status"], "unsupported")
        self.assertIn("writes too little", cell["reason"])
        self.assertIn("writes too little", done.out.replace("\n", " "))

    def test_used_up(self):
        """a workload whose rows run out before the WAL is full is told from one that writes none"""
        with open(SMALL[1], encoding="utf-8") as file:
            suite = json.load(file)
        suite["workloads"] = [{
            "name": "drain", "title": "One row a commit, removed", "unit": "row", "writes": True,
            "statements": ["DELETE FROM item WHERE id = :id"],
            "parameters": {"id": {"generator": "sequence"}},
            "ledger_ops": 10, "warmup_ops": 5, "checks": ["SELECT count(*) >= 0 FROM item"]}]
        suite["setting"]["wal_autocheckpoint"] = 1000
        path = os.path.join(self.place, "drain.json")
        with open(path, "w", encoding="utf-8") as file:
            json.dump(suite, file)
        done = self.run_syncost("sweep", "--suite", path, "--journal-mode", "wal", "--synchronous",
                                "off", "--samples", "6", "--ops", "10")
        self.assertDone(done, 3)
        cell, = cells(newest_report(self.place)).values()
        self.assertIn("used up its rows: after 100 operations nothing changed", cell["reason"])
        self.assertIn("it needs more --rows", cell["reason"])

    def test_no_directory(self):
        """a file system that lets no directory be made is named as the reason"""
        if not os.path.isdir("/proc/self"):
            self.skipTest("there is no /proc here")
        done = self.run_syncost("sweep", *SMALL, "--target", "/proc", "--quiet")
        self.assertDone(done, 3)
        self.assertIn("its file system lets no directory be made there", done.err)
        self.assertNotIn("No such file", done.err)

    def test_terminal(self):
        """on a terminal sentences break between words, and what is cut ends in dots"""
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 60, 0, 0))
        with subprocess.Popen(
                [SYNCOST, "sweep", *SMALL[:4], "--workload", "update_one", "--journal-mode",
                 "delete", "--synchronous", "off", "--cache-size=-64000", "--mmap-size", "1M",
                 "--samples", "6"], cwd=self.place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                stderr=theirs, env=dict(os.environ, TERM="xterm")) as process:
            os.close(theirs)
            text = b""
            try:
                while chunk := os.read(ours, 4096):
                    text += chunk
            except OSError:  # the other side is closed
                pass
            os.close(ours)
        self.assertEqual(process.returncode, 0)
        text = text.decode().replace("\r\n", "\n")
        said, bars = text[:text.index("\r")], text[text.index("\r"):].split("\r")
        lines = said.rstrip("\n").split("\n")
        for line in lines:
            words = line.split()
            self.assertTrue(len(line) <= 60 or len(words) < 3, line)
        joined = " ".join(said.split())
        self.assertIn("works in a directory of its own there (.syncost-…), removed at the end; "
                      "nothing else is touched", joined)
        self.assertIn("1 cell; 6 samples each: about ", joined)
        self.assertEqual("other programs are running: a load of " in joined,
                         summary(newest_report(self.place))["plan"]["load"] >
                         (os.cpu_count() - 0.5 if os.cpu_count() > 1 else 1.5))
        self.assertTrue(any(bar.endswith("...\x1b[K") for bar in bars), bars)

    def test_fresh(self):
        """a fresh WAL sees no checkpoint, in no sample, whatever --ops says, and has no finding"""
        self.assertDone(self.run_syncost("sweep", *SMALL, "-w", "update_one,grow", "--ops", "300",
                                         "--journal-mode", "wal", "--synchronous", "off",
                                         "--wal-state", "fresh"))
        found = cells(newest_report(self.place))
        cell = found["local/small/update_one/wal/off/fresh"]
        self.assertEqual(cell["checkpoints_seen"], 0)
        self.assertEqual((cell["checkpoints"]["count"], cell["checkpoints"]["resets"]), (0, 0))
        self.assertEqual(cell["ledger_ops"], 50)
        self.assertEqual(cell["operations"], 50)
        self.assertNotIn("no-checkpoint", json.dumps(cell["findings"]))
        few = found["local/small/grow/wal/off/fresh"]
        self.assertEqual(few["status"], "unsupported")
        self.assertIn("wal_autocheckpoint=50 leaves a fresh WAL", few["reason"])

    def test_no_checkpoint(self):
        """timing samples without a checkpoint are told, even where the ledger had one"""
        self.assertDone(self.run_syncost("sweep", *SMALL, "-w", "update_one", "--ops", "10",
                                         "--journal-mode", "wal", "--synchronous", "off"))
        cell, = cells(newest_report(self.place)).values()
        self.assertEqual(cell["checkpoints_seen"], 0)
        self.assertGreater(cell["checkpoints"]["count"], 0)
        self.assertIn("no-checkpoint", json.dumps(cell["findings"]))

    def test_pipe(self):
        """a report that nobody reads ends it by SIGPIPE, without a word and without litter"""
        reader, writer = os.pipe()
        os.close(reader)
        done = subprocess.run([SYNCOST, "sweep", *SMALL, "-q", "-w", "update_one",
                               "--journal-mode", "wal", "--synchronous", "off"], stdout=writer,
                              stderr=subprocess.PIPE, text=True, cwd=self.place)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))
        self.assertNoLitter()
        self.assertEqual(len(cells(newest_report(self.place))), 1)

    def test_timeout(self):
        """a sample beyond --timeout is stopped and its cell fails, saying so"""
        done = self.run_syncost("sweep", *SMALL, "--workload", "insert_one", "--journal-mode",
                                "delete", "--synchronous", "full", "--timeout", "1ms")
        self.assertDone(done, 4)
        cell, = cells(newest_report(self.place)).values()
        self.assertIn("was stopped: it took longer than", json.dumps(cell))
        self.assertNoLitter()

