#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Adds up what the stages of tools/check.sh found: cases, not programs.

usage: run-count.py STAGES

STAGES has a line a stage, fields separated by tabs:

  tests  LABEL  BUILD-DIRECTORY  LOG     meson test wrote meson-logs/LOG.json and LOG.junit.xml
  pass   LABEL                           a stage that is one case: a build, the formatter
  fail   LABEL  WHERE                    WHERE says what to look at
  skip   LABEL  REASON

The junit file has the cases. It does not show a program that ended badly after its last case (a
crash, an exit code, a time-out): those verdicts are in the JSON file, and each one that has no
failed case of its own counts as one more failed case.

Prints failed cases and their logs, skipped cases by reason, a count a stage, and last
"N passed, N failed, N skipped". Exit 1 when something failed or nothing ran.
"""

import json
import os
import sys
import xml.etree.ElementTree as ElementTree
from collections import Counter, defaultdict

BAD = {"FAIL", "ERROR", "TIMEOUT", "INTERRUPT", "UNEXPECTEDPASS"}


class Tally:
    def __init__(self):
        self.count = defaultdict(Counter)  # stage -> outcome -> cases
        self.failed = []                   # (stage, case, where)
        self.skipped = defaultdict(list)   # reason -> [stage: case]

    def add_pass(self, stage, cases=1):
        self.count[stage]["passed"] += cases

    def add_fail(self, stage, case, where):
        self.count[stage]["failed"] += 1
        self.failed.append((stage, case, where))

    def add_skip(self, stage, case, reason):
        self.count[stage]["skipped"] += 1
        self.skipped[reason].append(f"{stage}: {case}")

    def total(self, outcome):
        return sum(counts[outcome] for counts in self.count.values())


def read_programs(path):
    """meson's JSON log: one object a program, with its own verdict."""
    with open(path, encoding="utf-8", errors="replace") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def read_cases(path):
    """{program: [(case, outcome, text)]} of a junit file.

    A program that speaks TAP is a <testsuite> of its own, "PROJECT.PROGRAM"; the others are cases
    of one suite named after the project.
    """
    cases = defaultdict(list)
    for suite in ElementTree.parse(path).getroot().iter("testsuite"):
        for case in suite.iter("testcase"):
            kinds = {child.tag for child in case}
            outcome = "passed"
            if kinds & {"failure", "error"}:
                outcome = "failed"
            elif "skipped" in kinds:
                outcome = "skipped"
            name = case.get("name")
            text = (case.findtext("system-out") or "").strip()
            if "." in suite.get("name"):
                cases[suite.get("name").partition(".")[2]].append((name, outcome, text))
            else:
                cases[name].append(("", outcome, text))
    return cases


def skip_reason(text):
    """A case's explanation, or the last line that a whole skipped program printed."""
    line = text.splitlines()[-1] if text else ""
    return line.rpartition("# SKIP")[2].strip() or "no reason given"


def verdict(program):
    text = program["result"].lower()
    if program["result"] == "TIMEOUT":
        return f"timed out after {program['duration']:.0f} s"
    code = program.get("returncode", 0)
    if code < 0:
        return f"{text}: killed by signal {-code}"
    return f"{text}: exit status {code}"


def add_tests(tally, stage, build, log):
    where = os.path.join(build, "meson-logs", log + ".txt")
    try:
        programs = read_programs(os.path.join(build, "meson-logs", log + ".json"))
        cases = read_cases(os.path.join(build, "meson-logs", log + ".junit.xml"))
    except (OSError, ValueError, ElementTree.ParseError) as error:
        tally.add_fail(stage, f"no result of meson test: {error}", where)
        return
    if not programs:
        tally.add_fail(stage, "meson test ran nothing", where)
    for program in programs:
        name = program["name"]
        failed_before = tally.count[stage]["failed"]
        for case, outcome, text in cases.get(name, []):
            title = f"{name}: {case}" if case else name
            if outcome == "failed":
                tally.add_fail(stage, title, where)
            elif outcome == "skipped":
                tally.add_skip(stage, title, skip_reason(text))
            elif case or program["result"] not in BAD:
                tally.add_pass(stage)
        if program["result"] in BAD and tally.count[stage]["failed"] == failed_before:
            tally.add_fail(stage, f"{name}: {verdict(program)}", where)


def read_stages(path):
    tally = Tally()
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            kind, stage, *rest = line.rstrip("\n").split("\t")
            if kind == "tests":
                add_tests(tally, stage, *rest)
            elif kind == "pass":
                tally.add_pass(stage)
            elif kind == "fail":
                tally.add_fail(stage, stage, *rest)
            elif kind == "skip":
                tally.add_skip(stage, stage, *rest)
            else:
                raise ValueError(f"{path}: unknown kind of stage '{kind}'")
    return tally


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    tally = read_stages(sys.argv[1])

    for reason, titles in sorted(tally.skipped.items()):
        print(f"skipped, {reason}:")
        for title in titles:
            print(f"  {title}")
    for stage, case, where in tally.failed:
        title = stage if case == stage else f"{stage}: {case}"
        print(f"FAILED  {title}\n        see {where}")
    print()
    for stage, counts in tally.count.items():
        print(f"{stage:<24} {counts['passed']:>5} passed {counts['failed']:>4} failed "
              f"{counts['skipped']:>4} skipped")
    passed, failed, skipped = (tally.total(o) for o in ("passed", "failed", "skipped"))
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
