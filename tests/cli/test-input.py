# SPDX-License-Identifier: MIT
"""What the program says to words it does not understand, and about itself."""

import os
import signal
import subprocess

from harness import SYNCOST, Case

# command line → exit code, words that its one line has
BAD = {
    "swep": (2, "unknown command 'swep'", "did you mean 'sweep'?"),
    "measure": (2, "unknown command 'measure'", "--help"),
    "--frobnicate": (2, "unknown option '--frobnicate'"),
    "sweep extra": (2, "syncost sweep:", "'extra'"),
    "sweep --jornal-mode wal": (2, "unknown option '--jornal-mode'",
                                "did you mean '--journal-mode'?"),
    "sweep --s 1": (2, "--s", "could be --s"),
    "sweep --journal-mode": (2, "--journal-mode needs a value"),
    "sweep --journal-mode wall": (2, "--journal-mode: 'wall'", "did you mean 'wal'?"),
    "sweep --journal-mode wal,,delete": (2, "--journal-mode", "empty"),
    "sweep --journal-mode wal,wal": (2, "--journal-mode: 'wal' stands in the list twice"),
    "sweep --synchronous 4": (2, "--synchronous: '4'", "off, normal, full, extra"),
    "sweep --page-size 5000": (2, "--page-size: '5000' is not a power of two"),
    "sweep --page-size 128K": (2, "--page-size: '128K'", "512 to 65536"),
    "sweep --cache-size many": (2, "--cache-size: 'many'"),
    "sweep --locking-mode shared": (2, "--locking-mode: 'shared'", "normal, exclusive"),
    "sweep --wal-state new": (2, "--wal-state: 'new'", "fresh, recycled"),
    "sweep --samples 0": (2, "--samples: '0'", "1 to 1000"),
    "sweep --scale 1%": (2, "--scale: '1%'", "0.01"),
    "sweep --scale 0": (2, "--scale: '0'", "1e-06 to 1000"),
    "sweep --scale 2000": (2, "--scale: '2000'", "1e-06 to 1000"),
    "sweep --samples=": (2, "--samples: ''"),
    "sweep --precision 0.05": (2, "--precision: '0.05'", "0.1% to 50%"),
    "sweep --precision 51%": (2, "--precision: '51%'", "0.1% to 50%"),
    "sweep --precision 5%%": (2, "--precision: '5%%' is not a percentage"),
    "sweep --precision five": (2, "--precision: 'five' is not a percentage"),
    "sweep --precision .": (2, "--precision: '.' is not a percentage"),
    "sweep --precision -5": (2, "--precision: '-5' is not a percentage"),
    "sweep --time 10": (2, "--time: '10'", "10s"),
    "sweep --time 25h": (2, "--time: '25h'", "range"),
    "sweep --samples 9 --precision 5%": (2, "--samples", "--precision", "one of them"),
    "sweep --time 1m --samples 9": (2, "--samples", "--time", "one of them"),
    "sweep --rows 0": (2, "--rows: '0'"),
    "sweep --ops -1": (2, "--ops: '-1'"),
    "sweep --seed 1.5": (2, "--seed: '1.5'"),
    "sweep --timeout 10": (2, "--timeout: '10'", "10s"),
    "sweep --quiet=yes": (2, "--quiet takes no value"),
    "sweep --format yaml": (2, "--format: 'yaml'", "table, md, csv"),
    "sweep --dry-run --format json": (2, "--dry-run", "--format"),
    "sweep --suite comit": (2, "comit"),
    "sweep --suite ./none.json": (2, "./none.json", "No such file"),
    "sweep --suite bad.json": (2, "bad.json"),
    "sweep --suite key.json": (2, "key.json", "workloads[0].statements"),
    "sweep --workload delete_*": (2, "--workload: 'delete_*'", "insert_one"),
    "sweep --workload insert_one --rows-per-commit 10": (2, "--rows-per-commit"),
    "sweep --target nowhere": (2, "target 'nowhere'", "No such file or directory", "--target"),
    "sweep --target file": (2, "target 'file'", "Not a directory"),
    "sweep --target a=": (2, "--target: 'a=' names no directory"),
    "sweep --target x=. --target x=/": (2, "--target: two are called 'x'", "LABEL=DIR"),
    "sweep --out full": (2, "--out: 'full'", "no empty directory"),
    "sweep --dry-run --out full": (2, "--out: 'full'", "no empty directory"),
    "sweep --dry-run --out file": (2, "--out: 'file'", "no empty directory"),
    "sweep --workload insert_one,none": (2, "--workload: 'none' matches", "insert_one"),
    "sweep -w none -w insert_one": (2, "--workload: 'none' matches"),
    "sweep -w insert_one,": (2, "--workload", "empty"),
    "sweep --cache-size -2M": (2, "--cache-size: '-2M'", "-2000 is 2000 KiB"),
    "--version sweep": (2, "'sweep' is one argument too many"),
    "sweep --timeout 1ns": (2, "--timeout: '1ns' is out of range (1ms to 24h)"),
    "help swep": (2, "unknown command 'swep'", "did you mean 'sweep'?"),
    "help sweep all": (2, "'all'"),
    "sweep --out file": (2, "--out: 'file'", "no empty directory"),
    "sweep --cache-size 1,2,3,4,5,6,7,8,9 --mmap-size 1,2,3,4,5,6,7,8,9 "
    "--wal-autocheckpoint 1,2,3,4,5,6,7,8,9 --page-size 512,1K,2K,4K,8K,16K,32K,64K":
        (2, "the grid has 139968 cells, more than 100000"),
    "report nowhere": (2, "nowhere"),
    "report file": (2, "file"),
    "report full": (2, "full"),
    "report": (2, "there is no report under ./syncost-reports", "syncost sweep"),
    "report a b": (2, "'b'", "[DIR|FILE]"),
    "report --format yaml": (2, "--format: 'yaml'"),
    "report cut": (2, "cut"),
}


class Input(Case):
    def setUp(self):
        super().setUp()
        for name, text in FILES.items():
            path = os.path.join(self.place, name)
            os.makedirs(os.path.dirname(path), exist_ok=True)
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)

    def test_overview(self):
        """bare syncost explains itself in one screen"""
        done = self.run_syncost()
        self.assertDone(done)
        self.assertEqual(done.err, "")
        self.assertLessEqual(done.out.count("\n"), 24)
        self.assertLessEqual(max(map(len, done.out.splitlines())), 80)
        for command in ("sweep", "report"):
            self.assertIn(f"  {command} ", done.out)
        self.assertEqual(self.run_syncost("--help").out, done.out)

    def test_listed(self):
        """what is listed is there"""
        for line in self.run_syncost().out.partition("Commands:")[2].split("\n\n")[0].split("\n"):
            if line:
                self.assertDone(self.run_syncost(line.split()[0], "--help"))

    def test_control_characters(self):
        """what was typed cannot move the cursor, or make two lines of one"""
        for arguments in (["sweep", "--\x1b[31m"], ["\x1b[31mfoo"], ["sweep", "--samples", "7\n"],
                          ["sweep", "--dry-run", "--target", "\x1b[31m"],
                          ["report", "a\rb"], ["compare", "a\nb", "c"]):
            done = self.run_syncost(*arguments)
            self.assertOneLine(done, 2, "?")
            self.assertNotRegex(done.err, r"[\x00-\x09\x0b-\x1f]")
        place = os.path.join(self.place, "\x1b[31m")
        os.mkdir(place)
        done = self.run_syncost("sweep", "--dry-run", "--target", place)
        self.assertDone(done)
        self.assertNotIn("\x1b", done.out)
        self.assertIn("?[31m", done.out)

    def test_version(self):
        """--version names the library that is measured"""
        done = self.run_syncost("--version")
        self.assertDone(done)
        self.assertRegex(done.out, r"\Asyncost \d+\.\d+\.\d+ \([^)]+\), SQLite \d+\.\d+\.\d+\n\Z")

    def test_help(self):
        """--help of a command prints usage and options to standard output"""
        for command in ("sweep", "report"):
            done = self.run_syncost(command, "--help")
            self.assertDone(done)
            self.assertTrue(done.out.startswith(f"usage: syncost {command} "))
            self.assertIn("--format FORMAT", done.out)
            self.assertLessEqual(max(map(len, done.out.splitlines())), 90)

    def test_help_command(self):
        """help is --help, of the program or of a command"""
        self.assertEqual(self.run_syncost("help").out, self.run_syncost("--help").out)
        self.assertEqual(self.run_syncost("help", "sweep").out,
                         self.run_syncost("sweep", "--help").out)

    def test_pipe(self):
        """standard output that nobody reads ends it by SIGPIPE, without a word"""
        for arguments in (["--version"], ["sweep", "--dry-run"]):
            reader, writer = os.pipe()
            os.close(reader)
            done = subprocess.run([SYNCOST, *arguments], stdout=writer, text=True,
                                  cwd=self.place, stderr=subprocess.PIPE)
            os.close(writer)
            self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))

    def test_suites(self):
        """--list-suites names the suites and their workloads"""
        done = self.run_syncost("sweep", "--list-suites")
        self.assertDone(done)
        for word in ("commit:", "insert_one", "read_range", "not in the default sweep"):
            self.assertIn(word, done.out)

    def test_full_disk(self):
        """standard output that cannot be written is exit code 4"""
        for arguments in ([], ["--version"], ["sweep", "--help"], ["sweep", "--dry-run"]):
            with open("/dev/full", "w", encoding="utf-8") as full:
                done = subprocess.run([SYNCOST, *arguments], stdout=full, text=True,
                                      cwd=self.place, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 4, arguments)
            self.assertEqual(done.stderr, "syncost: standard output could not be written: "
                             "No space left on device\n")

    def test_closed(self):
        """standard output that is closed is exit code 4, and no file becomes one"""
        done = subprocess.run([SYNCOST, "--version"], stderr=subprocess.PIPE, text=True,
                              preexec_fn=lambda: os.close(1))
        self.assertEqual(done.returncode, 4)
        self.assertIn("Bad file descriptor", done.stderr)


def add_case(line, code, words):
    def case(self):
        before = sorted(os.listdir(self.place))
        self.assertOneLine(self.run_syncost(*line.split()), code, *words)
        self.assertEqual(sorted(os.listdir(self.place)), before)

    case.__doc__ = f"'syncost {line}' is one clear line"
    setattr(Input, f"test_bad_{len(vars(Input)):03}", case)


FILES = {
    "file": "no report\n",
    "full/other": "x",
    "bad.json": '{"name": }',
    "cut/summary.json": '{"format":"syncost-report-1",',
    "key.json": """{"name": "x", "title": "x", "setting": {}, "schema": ["CREATE TABLE t(a)"],
"workloads": [{"name": "w", "title": "w", "unit": "row", "writes": true, "statements": 5}]}""",
}

for bad_line, (bad_code, *bad_words) in BAD.items():
    add_case(bad_line, bad_code, bad_words)
