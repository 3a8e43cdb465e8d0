# SPDX-License-Identifier: MIT
"""syncost run: the report against strace of the same run, and the program as it is without.

Arguments: syncost, a program in several lives, the same with SQLite linked in.
"""

import os
import pty
import shutil
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))

import truth  # noqa: E402
from harness import SYNCOST, Case  # noqa: E402

PROGRAM = os.path.abspath(sys.argv[2])
STATIC = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
NO_LEAKS = os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"  # impossible under ptrace
SHELL = shutil.which("sqlite3")

PYTHON = """
import os, sqlite3, sys
for number, journal in enumerate(("DELETE", "TRUNCATE", "PERSIST", "WAL", "MEMORY", "OFF")):
    db = sqlite3.connect(f"{sys.argv[1]}/python{number}.db", isolation_level=None)
    db.execute(f"PRAGMA journal_mode={journal}")
    db.execute("CREATE TABLE t(a, b)")
    for i in range(4):
        db.execute("INSERT INTO t VALUES(?, randomblob(5000))", (i,))
    db.execute("BEGIN")
    db.execute("INSERT INTO t SELECT a, b FROM t")
    db.execute("ROLLBACK")
    assert db.execute("SELECT count(*) FROM t").fetchone() == (4,)
    db.close()
"""


class RunCase(Case):
    def run_program(self, *command, before=(), options=(), **others):
        self.folder = os.path.join(self.directory(), "report")  # its syncs are no business of ours
        return self.run_syncost("run", *options, "--out", self.folder, "--", *command,
                                before=before, env=dict(os.environ, ASAN_OPTIONS=NO_LEAKS),
                                **others)

    def databases(self, *names):
        return {os.path.join(self.place, name) for name in names}

    def traced(self, *command):
        """Runs it under strace; returns how it ended, its report and the trace."""
        reason = truth.why_not()
        if reason:
            self.skipTest(reason)
        trace = os.path.join(self.directory(), "trace")
        done = self.run_program(*command, before=truth.before(trace))
        return done, truth.report(self.folder), trace

    def assertSame(self, summary, trace, names):
        """The report says what strace saw, all together and process by process."""
        found, seen = truth.ledger(summary), truth.read(trace, self.databases(*names))
        self.assertEqual(truth.differences(found, seen), [])
        self.assertEqual(truth.differences(truth.ledger(summary, processes=True), seen), [])
        self.assertEqual({entry["path"] for entry in summary["databases"]},
                         self.databases(*names))
        self.assertGreater(truth.total(seen, truth.SYNCS), 0)
        self.assertEqual(sum(entry["syncs"]["physical"] for entry in summary["databases"]),
                         truth.total(seen, truth.SYNCS))
        return seen


class Truth(RunCase):
    def test_shell(self):
        """the sqlite3 shell: syncs, bytes and files are those of strace"""
        if not SHELL:
            self.skipTest("no sqlite3 shell")
        done, summary, trace = self.traced(
            SHELL, "a.db", "PRAGMA journal_mode=WAL; CREATE TABLE t(a); INSERT INTO t VALUES(1);"
            "ATTACH 'b.db' AS b; CREATE TABLE b.u(a); INSERT INTO u VALUES(randomblob(100000));")
        self.assertEqual((done.code, done.out), (0, "wal\n"), done)
        self.assertSame(summary, trace, ["a.db", "b.db"])

    def test_python(self):
        """CPython's sqlite3 in six journal modes"""
        done, summary, trace = self.traced(sys.executable, "-I", "-c", PYTHON, self.place)
        self.assertEqual((done.code, done.out), (0, ""), done)
        self.assertSame(summary, trace, [f"python{i}.db" for i in range(6)])

    def test_threads(self):
        """a program with eight threads and four databases"""
        done, summary, trace = self.traced(PROGRAM, "threads", self.place)
        self.assertEqual(done.code, 0, done)
        self.assertSame(summary, trace, [f"threads{i}.db" for i in range(4)])
        self.assertEqual(len(summary["processes"]), 1)

    def test_static_sqlite(self):
        """a program that SQLite is a part of: all but its statements"""
        if not STATIC:
            self.skipTest("no SQLite that can be linked in")
        for mode, names in (("threads", [f"threads{i}.db" for i in range(4)]),
                            ("fork", ["fork0.db", "fork1.db"])):
            with self.subTest(mode):
                done, summary, trace = self.traced(STATIC, mode, self.place)
                self.assertEqual(done.code, 0, done)
                self.assertSame(summary, trace, names)
                self.assertEqual(summary["statements"]["status"], "unsupported")
                self.assertIn("no shared library", summary["statements"]["reason"].replace(
                    "is not a", "no"))
        done = self.run_program(STATIC, "commits", f"{self.place}/c.db", "9", "WAL", "FULL",
                                options=["--set", "synchronous=off"])
        self.assertEqual(done.code, 3, done)
        self.assertEqual(truth.report(self.folder)["databases"][0]["commits"], 11)

    def test_fork(self):
        """one that forks with an open database: each process has its own figures"""
        done, summary, trace = self.traced(PROGRAM, "fork", self.place)
        self.assertEqual(done.code, 0, done)
        self.assertSame(summary, trace, ["fork0.db", "fork1.db"])
        self.assertEqual(len(summary["processes"]), 4)
        parents = [process["parent_pid"] for process in summary["processes"][1:]]
        self.assertEqual(parents, [summary["processes"][0]["pid"]] * 3)

    def test_exec(self):
        """one that becomes another program: both are there, under one number"""
        done, summary, trace = self.traced(PROGRAM, "exec", self.place)
        self.assertEqual(done.code, 0, done)
        self.assertSame(summary, trace, ["exec0.db", "exec1.db"])
        self.assertEqual(len({process["pid"] for process in summary["processes"]}), 1)
        self.assertEqual(len(summary["processes"]), 2)

    def test_kill(self):
        """one that is killed leaves its numbers"""
        done, summary, trace = self.traced(PROGRAM, "kill", self.place)
        self.assertEqual(done.code, 128 + signal.SIGKILL, done)
        self.assertEqual(summary["run"]["signal"], signal.SIGKILL)
        self.assertNotIn("exit_code", summary["run"])
        seen = self.assertSame(summary, trace, ["kill0.db"])
        self.assertGreaterEqual(truth.total(seen, truth.SYNCS, roles=["wal"]), 7)

    def test_shell_script(self):
        """children of a script, one after the other, are added up"""
        script = f'for i in 1 2 3; do "{PROGRAM}" commits "$1/s.db" 4 DELETE FULL; done'
        done, summary, trace = self.traced("sh", "-c", script, "sh", self.place)
        self.assertEqual(done.code, 0, done)
        self.assertSame(summary, trace, ["s.db"])
        self.assertEqual([process["program"] for process in summary["processes"]],
                         [os.path.basename(PROGRAM)[:15]] * 3)

    def test_left_out(self):
        """a report with any one operation left out, or one call more, is found out"""
        _, summary, trace = self.traced(PROGRAM, "commits", f"{self.place}/c.db", "3", "DELETE",
                                        "FULL")
        seen, found = truth.read(trace, self.databases("c.db")), truth.ledger(summary)
        ops = {key[1] for key in found if key[1] in truth.EXACT}
        self.assertLessEqual({"fdatasync", "open", "close", "read", "write", "delete", "lock"}, ops)
        for op in ops:
            less = {key: count for key, count in found.items() if key[1] != op}
            self.assertNotEqual(truth.differences(less, seen), [], op)
        for key, count in found.items():
            if key[1] in truth.EXACT:
                more = {**found, key: count._replace(calls=count.calls + 1)}
                self.assertEqual(len(truth.differences(more, seen)), 1)


class Transparent(RunCase):
    """What the program does, reads and prints is the same with and without."""

    def both(self, *command, **options):
        alone = subprocess.run(command, cwd=self.place, capture_output=True, text=True, timeout=60,
                               **options)
        with_it = subprocess.run([SYNCOST, "run", "-q", "--", *command], cwd=self.place,
                                 capture_output=True, text=True, timeout=60, **options)
        self.assertEqual((with_it.returncode, with_it.stdout, with_it.stderr),
                         (alone.returncode, alone.stdout, alone.stderr))
        return with_it

    def test_streams(self):
        """input, output, descriptors, signals and process group are its own"""
        done = self.both(PROGRAM, "echo", input="some\ntext without an end")
        self.assertEqual(done.returncode, 5)
        self.assertIn("some\ntext without an end", done.stdout)
        self.assertIn("fd 2\nsignal", done.stdout)

    def test_ignored_signals(self):
        """signals that were ignored or blocked stay so"""
        def ignore():
            signal.signal(signal.SIGHUP, signal.SIG_IGN)
            signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGUSR2])
        done = self.both(PROGRAM, "echo", stdin=subprocess.DEVNULL, preexec_fn=ignore)
        self.assertIn(f"signal {int(signal.SIGHUP)}: ignored", done.stdout)
        self.assertIn(f"signal {int(signal.SIGUSR2)}: default, blocked", done.stdout)

    def test_files(self):
        """two hundred open files have the numbers that they have without"""
        numbers = []
        for command in ([PROGRAM], [SYNCOST, "run", "-q", "--", PROGRAM]):
            place = self.directory()
            done = subprocess.run([*command, "many", place], cwd=place, capture_output=True,
                                  text=True, timeout=120)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            numbers.append(done.stdout)
        self.assertEqual(numbers[0], numbers[1])
        self.assertEqual(len(numbers[0].split()), 200)

    def test_many_databases(self):
        """fifty databases in one process are told apart"""
        done = self.run_program(PROGRAM, "many", self.place, options=["-q"])
        self.assertEqual((done.code, done.err), (0, ""))
        summary = truth.report(self.folder)
        self.assertEqual(len(summary["databases"]), 50)

    def test_codes(self):
        """exit codes are the program's; one that is ended by a signal is 128 and its number"""
        for code in (0, 1, 7, 255):
            self.both("sh", "-c", f"exit {code}")
        for number in (signal.SIGTERM, signal.SIGSEGV, signal.SIGKILL):
            done = self.run_syncost("run", "-q", "--", "sh", "-c", f"kill -{int(number)} $$")
            self.assertEqual(done.code, 128 + number)

    def test_signals(self):
        """a signal sent to syncost reaches the program; the report is written"""
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGUSR1):
            out = os.path.join(self.place, f"out{int(number)}")
            process = self.start_syncost(
                "run", "-q", "--out", out, "--", "sh", "-c",
                "trap 'echo caught; exit 3' TERM INT USR1; echo ready; "
                "while :; do sleep 0.05; done")
            self.assertEqual(process.stdout.readline(), "ready\n")
            process.send_signal(number)
            self.assertEqual(process.stdout.readline(), "caught\n")
            self.assertEqual(process.wait(timeout=60), 3)
            self.assertEqual(truth.report(out)["run"]["exit_code"], 3)

    def test_terminal(self):
        """the program has the terminal; Ctrl-C reaches it once, and syncost waits for it"""
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.place)
            os.execv(SYNCOST, [SYNCOST, "run", "-q", "--", "sh", "-c",
                               "trap 'echo caught; sleep 0.2; exit 7' INT; "
                               "test -t 0 && test -t 1 && echo terminal; "
                               "while :; do sleep 0.05; done"])
        shown = b""
        while b"terminal" not in shown:
            shown += os.read(terminal, 1000)
        os.write(terminal, b"\x03")
        try:
            while more := os.read(terminal, 1000):
                shown += more
        except OSError:  # the other end is closed
            pass
        self.assertEqual(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), 7)
        os.close(terminal)
        self.assertEqual(shown.count(b"caught"), 1)

    def test_stop(self):
        """where the program stops, syncost stops, and goes on with it"""
        process = self.start_syncost("run", "-q", "--", "sh", "-c",
                                     "echo $$; kill -STOP $$; echo on; exit 4")
        program = int(process.stdout.readline())
        deadline = time.monotonic() + 60
        while self.state(process.pid) != "T" and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertEqual((self.state(process.pid), self.state(program)), ("T", "T"))
        process.send_signal(signal.SIGCONT)
        self.assertEqual(process.wait(timeout=60), 4)
        self.assertEqual(process.stdout.read(), "on\n")

    @staticmethod
    def state(pid):
        with open(f"/proc/{pid}/stat", encoding="utf-8") as file:
            return file.read().rpartition(")")[2].split()[0]

    def test_hammer(self):
        """two processes that write to one database lose nothing"""
        done = self.run_program("sh", "-c", f'"{PROGRAM}" commits "$1/h.db" 60 WAL NORMAL & '
                                f'"{PROGRAM}" commits "$1/h.db" 60 WAL NORMAL; a=$?; wait $! && '
                                "exit $a", "sh", self.place)
        self.assertEqual(done.code, 0, done)
        import sqlite3
        db = sqlite3.connect(os.path.join(self.place, "h.db"))
        self.assertEqual(db.execute("SELECT count(*) FROM t").fetchone(), (120,))
        self.assertEqual(db.execute("PRAGMA integrity_check").fetchone(), ("ok",))
        db.close()

    def test_preloaded_by_others(self):
        """a library that the caller preloads stays in place, behind ours"""
        done = self.run_syncost("run", "-q", "--", "sh", "-c", "echo $LD_PRELOAD",
                                env=dict(os.environ, LD_PRELOAD="libm.so.6"))
        if "ASan runtime" in done.err:
            self.skipTest("a sanitizer wants to be first itself")
        self.assertRegex(done.out, r"\A/\S+/syncost-preload\.so:libm\.so\.6\n\Z")


class Report(RunCase):
    def test_folder(self):
        """the folder: the report in each format and the timeline, for their owner alone"""
        done = self.run_program(PROGRAM, "commits", f"{self.place}/x.db", "5", "WAL", "FULL")
        self.assertEqual((done.code, done.out), (0, ""), done)
        self.assertEqual(sorted(os.listdir(self.folder)),
                         ["summary.json", "summary.md", "summary.txt", "timeline.csv"])
        self.assertEqual(os.stat(self.folder).st_mode & 0o777, 0o700)
        for name in os.listdir(self.folder):
            self.assertEqual(os.stat(os.path.join(self.folder, name)).st_mode & 0o777, 0o600)
        summary = truth.report(self.folder)
        self.assertEqual((summary["format"], summary["kind"]), ("syncost-report-1", "run"))
        self.assertEqual(summary["run"]["command_line"][1:3], ["commits", f"{self.place}/x.db"])
        self.assertGreater(summary["run"]["wall_ns"], 0)
        self.assertEqual(summary["findings"], [])
        self.assertIn(f"Report: {self.folder}\n", done.err)
        self.assertRegex(done.err, r"\n +wal +\d")
        self.assertNoLitter(os.path.dirname(self.folder))

    def test_shown_again(self):
        """syncost report shows a run again, in each format; without an operand the newest"""
        self.run_syncost("run", "-q", "--", PROGRAM, "commits", f"{self.place}/x.db", "5", "WAL",
                         "FULL")
        folder = os.path.join(self.place, "syncost-reports",
                              os.listdir(os.path.join(self.place, "syncost-reports"))[0])
        for name, format in (("summary.txt", "table"), ("summary.md", "md"),
                             ("summary.json", "json"), ("timeline.csv", "csv")):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                text = file.read()
            for operand in ([], [folder], [os.path.join(folder, "summary.json")]):
                done = self.run_syncost("report", *operand, "--format", format)
                self.assertEqual((done.code, done.out, done.err), (0, text, ""))
        self.assertRegex(text, r"\Aat_ns,")
        self.assertOneLine(self.run_syncost("compare", folder, folder), 2, folder, "of a run")
        os.unlink(os.path.join(folder, "summary.md"))
        self.assertOneLine(self.run_syncost("report", folder, "--format", "md"), 2, "summary.md")

    def test_timeline(self):
        """the timeline only grows, and ends with the sums of the report"""
        self.run_program("sh", "-c", f'"{PROGRAM}" commits "$1/t.db" 40 WAL FULL; sleep 0.3; '
                         f'"{PROGRAM}" commits "$1/t.db" 40 WAL FULL', "sh", self.place)
        with open(os.path.join(self.folder, "timeline.csv"), encoding="utf-8") as file:
            rows = [line.rstrip("\n").split(",") for line in file]
        self.assertEqual(rows[0][:5], ["at_ns", "pid", "program", "database", "commits"])
        last = {}
        for row in rows[1:]:
            before = last.get(row[1], ["0"] * len(row))
            for column in (0, 4, 5, 6, 7, 8, 9):
                self.assertGreaterEqual(int(row[column]), int(before[column]))
            last[row[1]] = row
        self.assertEqual(len(last), 2)
        summary = truth.report(self.folder)
        self.assertEqual(sum(int(row[6]) for row in last.values()),
                         summary["databases"][0]["syncs"]["physical"])

    def test_default_place(self):
        """without --out the report is a new folder in ./syncost-reports"""
        self.run_syncost("run", "-q", "--", "true")
        self.run_syncost("run", "-q", "--", "true")
        names = os.listdir(os.path.join(self.place, "syncost-reports"))
        self.assertEqual(len(names), 2)
        for name in names:
            self.assertRegex(name, r"\A\d{8}T\d{6}Z-run(-2)?\Z")

    def test_nothing_seen(self):
        """a program without a database is reported as such"""
        done = self.run_program("true")
        self.assertEqual(done.code, 0)
        self.assertEqual([finding["code"] for finding in truth.report(self.folder)["findings"]],
                         ["nothing-seen"])
        self.assertIn("no database was used, as far as could be seen", done.err)

    def test_goes_on(self):
        """a child that outlives the program is named"""
        script = f"""
            "{PROGRAM}" commits "$1/g.db" 3 WAL FULL
            "{PROGRAM}" stay "$1/g.db" >"$1/told" 2>&1 </dev/null &
            until [ -s "$1/told" ]; do sleep 0.02; done"""
        done = self.run_program("sh", "-c", script, "sh", self.place)
        with open(os.path.join(self.place, "told"), encoding="utf-8") as file:
            os.kill(int(file.read()), signal.SIGKILL)
        summary = truth.report(self.folder)
        self.assertEqual([finding["code"] for finding in summary["findings"]], ["goes-on"], done)
        self.assertEqual([process["running"] for process in summary["processes"]], [False, True])

    def test_no_litter(self):
        """meters are gone from the tmpfs, those of a killed run at the next one"""
        home = self.directory("/dev/shm")
        environment = dict(os.environ, XDG_RUNTIME_DIR=home)
        self.run_syncost("run", "-q", "--", PROGRAM, "commits", f"{self.place}/l.db", "1", "WAL",
                         "FULL", env=environment)
        self.assertEqual(os.listdir(home), [])
        process = self.start_syncost("run", "-q", "--", "sleep", "1", env=environment)
        deadline = time.monotonic() + 60
        while not os.listdir(home) and time.monotonic() < deadline:
            time.sleep(0.02)
        process.kill()
        process.wait()
        self.assertEqual(len(os.listdir(home)), 1)
        self.run_syncost("run", "-q", "--", "true", env=environment)
        self.assertEqual(os.listdir(home), [])


class Refused(RunCase):
    def test_not_found(self):
        """127 where there is no such program, 126 where it cannot be executed; no report"""
        done = self.run_syncost("run", "--", "no-such-program-anywhere")
        self.assertOneLine(done, 127, "no-such-program-anywhere", "No such file")
        plain = os.path.join(self.place, "plain")
        with open(plain, "w", encoding="utf-8") as file:
            file.write("not a program\n")
        self.assertOneLine(self.run_syncost("run", "--", plain), 126, plain, "Permission denied")
        self.assertEqual(os.listdir(self.place), ["plain"])

    def test_not_executable_format(self):
        """what the kernel cannot execute is 126, with its reason"""
        odd = os.path.join(self.place, "odd")
        with open(odd, "w", encoding="utf-8") as file:
            file.write("no format that is known\n")
        os.chmod(odd, 0o755)
        self.assertOneLine(self.run_syncost("run", "--", odd), 126, odd, "Exec format error")

    def test_static(self):
        """a program that is linked statically cannot be seen: exit code 3, one line"""
        source = os.path.join(self.place, "s.c")
        with open(source, "w", encoding="utf-8") as file:
            file.write("int main(void) { return 0; }\n")
        made = subprocess.run(["cc", "-static", "-o", f"{self.place}/static", source],
                              capture_output=True)
        if made.returncode != 0:
            self.skipTest("no static libc here")
        done = self.run_syncost("run", "--", f"{self.place}/static")
        self.assertOneLine(done, 3, "static' cannot be measured", "linked statically")
        script = os.path.join(self.place, "script")
        with open(script, "w", encoding="utf-8") as file:
            file.write(f"#!{self.place}/static\n")
        os.chmod(script, 0o755)
        self.assertOneLine(self.run_syncost("run", "--", script), 3, "linked statically")

    def test_setuid(self):
        """a program that runs with other rights is refused: exit code 3"""
        copy = os.path.join(self.place, "other")
        shutil.copy("/bin/true", copy)
        try:
            os.chown(copy, 65534, -1)
        except PermissionError:
            self.skipTest("needs root to give a file away")
        os.chmod(copy, 0o4755)
        self.assertOneLine(self.run_syncost("run", "--", copy), 3, "other rights")

    def test_usage(self):
        """no program, a report in the way: exit code 2, and nothing is run"""
        self.assertOneLine(self.run_syncost("run"), 2, "no program is named")
        self.assertOneLine(self.run_syncost("run", "--nonsense", "--", "true"), 2, "--nonsense")
        os.makedirs(os.path.join(self.place, "full", "x"))
        done = self.run_syncost("run", "--out", "full", "--", "touch", "was-run")
        self.assertOneLine(done, 2, "full", "no empty directory")
        self.assertFalse(os.path.exists(os.path.join(self.place, "was-run")))

    def test_options_end(self):
        """options behind the program's name are the program's"""
        done = self.run_syncost("run", "-q", "echo", "--out", "-q")
        self.assertEqual((done.code, done.out), (0, "--out -q\n"))


if __name__ == "__main__":
    unittest.main()
