# SPDX-License-Identifier: MIT
"""Walks a command through its faults: the 1st, 2nd, 3rd … call fails, until none is left to fail.

    walk = Walk(INJECT, ["syncost", "report", folder], check=...)
    walk.run(calls="write,fsync", error="ENOSPC")   # -> [] or the complaints

After each fault:
  - the exit code is one of those allowed, and no signal;
  - a failure says so in one line on standard error;
  - nothing is left in the place that was not there or is not the product;
  - what the caller's check() looks at is whole;
  - each process has closed what it opened, and a sanitizer found nothing.
A run that no fault was left for has to succeed.
"""

import mmap
import os
import re
import shutil
import struct
import subprocess
import tempfile

PATIENCE = 120  # seconds for one run
SANITIZERS = re.compile(r"(Address|Leak|Thread|UndefinedBehavior)Sanitizer|runtime error:")
ONE_LINE = re.compile(r"\A[^\n]+\n\Z")


class State:
    """The counters that the library shares with us."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.write(bytes(4096))

    def read(self):
        with open(self.path, "r+b") as file, mmap.mmap(file.fileno(), 4096) as memory:
            matched, injected, process, _ = struct.unpack_from("=4Q", memory)
            what = bytes(memory[32:]).split(b"\0")[0].decode("utf-8", "replace")
        return {"matched": matched, "injected": injected, "process": process, "what": what}


class Run:
    """What one run left behind."""

    def __init__(self, place, done, state, leaks):
        self.place, self.code, self.out, self.err = place, done.returncode, done.stdout, done.stderr
        self.matched, self.injected, self.what = (state["matched"], state["injected"],
                                                  state["what"])
        self.leaks = leaks


def placed(command, place):
    return [word.replace("PLACE", place) for word in command]


def is_litter(name):
    return name.startswith(".syncost") or name.endswith((".tmp", ".new"))


def litter(place):
    return sorted(os.path.join(folder, name) for folder, folders, names in os.walk(place)
                  for name in [*folders, *names] if is_litter(name))


def steps(first=1, dense=40, growth=1.25):
    """Each fault up to `dense`, then ever fewer of them."""
    number = first
    while True:
        yield number
        number = number + 1 if number < dense else int(number * growth) + 1


class Walk:
    def __init__(self, library, command, prepare=None, check=None, codes=(0, 4), environment=None,
                 kept=(), again=None):
        """
        command: words; "PLACE" in them stands for a directory that each run has for itself
        prepare(place): before each run
        check(run): complaints about what the run left, for each exit code
        codes: exit codes that are right when something failed; 0 where a fault can be survived
        kept: patterns of what a process may have open at its exit: "3 pipe:"
        again: a command that removes what an earlier run left behind, if that run could not and
        said so
        """
        self.library, self.command, self.codes = library, command, codes
        self.prepare = prepare or (lambda place: None)
        self.check = check or (lambda run: [])
        self.environment = environment or {}
        self.kept = re.compile("|".join(kept)) if kept else None
        self.again = again

    def run_once(self, nth, **how):
        """One run in a place of its own, in which the nth matching call fails; 0: none does."""
        root = tempfile.mkdtemp(prefix="inject-")
        try:
            place = os.path.join(root, "place")
            os.mkdir(place)
            self.prepare(place)
            state = State(os.path.join(root, "state"))
            leaks = os.path.join(root, "leaks")
            environment = {
                **os.environ,
                # the library stands before a sanitizer's, which is as it should be
                "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0",
                **self.environment, "LD_PRELOAD": self.library, "INJECT_STATE": state.path,
                "INJECT_LEAKS": leaks, "INJECT_NTH": str(nth),
                **{"INJECT_" + key.upper(): str(value) for key, value in how.items()},
            }
            command = placed(self.command, place)
            try:
                done = subprocess.run(command, cwd=place, env=environment, capture_output=True,
                                      text=True, errors="replace", stdin=subprocess.DEVNULL,
                                      timeout=PATIENCE, check=False)
            except subprocess.TimeoutExpired:
                return None, [f"fault {nth} ({state.read()['what']}): it hangs"]
            found = ""
            if os.path.exists(leaks):
                with open(leaks, encoding="utf-8", errors="replace") as file:
                    found = file.read()
            run = Run(place, done, state.read(), found)
            return run, [f"fault {nth} ({run.what}): {what}" for what in self.judge(run)]
        finally:
            shutil.rmtree(root, ignore_errors=True)

    def judge(self, run):
        complaints = []
        if run.injected == 0 and run.code != 0:
            complaints.append(f"no call failed, and the exit code is {run.code}: {run.err}")
        elif run.code < 0:
            complaints.append(f"killed by signal {-run.code}: {run.err}")
        elif run.code not in self.codes:
            complaints.append(f"exit code {run.code}: {run.err}")
        if run.code > 0 and not run.out and not ONE_LINE.match(run.err):
            complaints.append(f"a failure is not one line: {run.err!r}")
        if SANITIZERS.search(run.err):
            complaints.append(f"a sanitizer speaks: {run.err}")
        leaks = [line for line in run.leaks.splitlines()
                 if not (self.kept and self.kept.match(line))]
        if leaks:
            complaints.append(f"open at exit: {', '.join(leaks)}")
        left = litter(run.place)
        if left and self.again and run.code > 0 and left[0] in run.err:
            subprocess.run(placed(self.again, run.place), cwd=run.place, capture_output=True,
                           timeout=PATIENCE, check=False)
            left = litter(run.place)
        if left:
            complaints.append(f"left behind: {' '.join(left)}")
        return complaints + self.check(run)

    def run(self, limit=100000, numbers=None, **how):
        """Complaints of all faults; self.faults says how many runs had one, self.outcomes which
        exit codes came of it."""
        self.faults, self.outcomes, complaints = 0, {}, []
        for nth in steps(dense=limit) if numbers is None else numbers:
            if nth > limit:
                complaints.append(f"after {self.faults} faults there are still more")
                break
            run, found = self.run_once(nth, **how)
            complaints += found
            if run is not None:
                self.outcomes[run.code] = self.outcomes.get(run.code, 0) + (run.injected > 0)
                if run.injected == 0:
                    break
            self.faults += 1
        return complaints
