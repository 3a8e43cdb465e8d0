#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What measuring costs: samples of syncost against bare C loops of the same statements.

usage: bench.py --build BUILD [--directory DIR] [--pairs 25] [--seconds 0.5] [--seed 1]
                [--only WORKLOAD] [--out DIR]

Every subject is run in pairs with the bare loop: the same operations on the same storage, right
after one another, the order within a pair drawn anew for each; the pairs of all subjects are
shuffled within a round. The ratio of a pair is the subject's operations per second over the bare
loop's; the figure is the median of the ratios, with the narrowest order-statistic interval that
covers the median of their distribution with at least 95 %, exactly and whatever the distribution.
An A/A row, bare loop against bare loop, shows what the machine alone does to such a figure. The same
ratio by CPU time stands beside it: without syncs nothing but CPU is used, and other load on the
machine moves it less.

A requirement is `met` where the median reaches it, and `shown` where the whole interval does.
"""

import argparse
import collections
import datetime
import json
import math
import os
import platform
import random
import shutil
import subprocess
import sys
import tempfile

SHIM, TAP = 1, 2  # bits of the sample's instruments

# (workload, synchronous, [(subject, kind of sample, instruments, required ratio)])
TIMING = ("timing sample", "timing", 0)
CASES = [
    ("insert_batch", "off", [TIMING + (0.97,)]),
    ("read_point", "off", [TIMING + (0.95,)]),
    ("insert_one", "off", [
        TIMING + (0.95,),
        ("ledger, shim alone", "ledger", SHIM, 0.85),
        ("ledger, tap alone", "ledger", TAP, 0.85),
        ("ledger sample", "ledger", SHIM | TAP, 0.78),
    ]),
    ("insert_one", "full", [("ledger sample", "ledger", SHIM | TAP, 0.95)]),
]


# --- statistics

def median_ranks(count, confidence=0.95):
    """1-based ranks (low, high) of the narrowest symmetric interval, and its exact coverage.

    The interval from the low-th smallest to the low-th largest misses the median with probability
    2 P(Binomial(count, 1/2) < low). Where even the extremes cover less than asked, they are it.
    """
    def missed(rank):
        return 2 * sum(math.comb(count, k) for k in range(rank)) / 2 ** count

    low = 1
    while low + 1 <= (count + 1) // 2 and missed(low + 1) <= 1 - confidence:
        low += 1
    return low, count + 1 - low, 1 - missed(low)


def summarise(ratios):
    ordered = sorted(ratios)
    middle = len(ordered) // 2
    median = ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    low, high, coverage = median_ranks(len(ordered))
    return {"median": median, "low": ordered[low - 1], "high": ordered[high - 1],
            "coverage": coverage, "pairs": len(ordered)}


def verdict(figure, required):
    if required is None:
        return "holds 1" if figure["low"] <= 1 <= figure["high"] else "misses 1"
    if figure["low"] >= required:
        return "shown"
    return "met" if figure["median"] >= required else "missed"


# --- runs

Cost = collections.namedtuple("Cost", "wall cpu")  # seconds of one operation


def cost_of(result):
    operations = int(result["operations"])
    return Cost(int(result["wall_ns"]) / 1e9 / operations,
                max(int(result["cpu_ns"]), 1) / 1e9 / operations)


class Bench:
    def __init__(self, options):
        self.bare = os.path.join(options.build, "tests", "bench", "bare")
        self.syncost = os.path.join(options.build, "src", "cli", "syncost")
        self.suite = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                                  "..", "..", "src", "suite", "suites", "commit.json")
        self.options = options
        self.random = random.Random(options.seed)

    def run(self, command, line=""):
        """Runs a program in an empty directory of its own; the last line of its output, parsed."""
        directory = tempfile.mkdtemp(prefix="syncost-bench-", dir=self.options.directory)
        try:
            done = subprocess.run([word.replace("@DIRECTORY@", directory) for word in command],
                                  input=line.replace("@DIRECTORY@", directory), text=True,
                                  capture_output=True)
        finally:
            shutil.rmtree(directory)
        if done.returncode:
            sys.exit(f"bench.py: {' '.join(command)}: exit {done.returncode}\n"
                     f"{done.stdout[-2000:]}{done.stderr[-2000:]}")
        return json.loads(done.stdout.splitlines()[-1])

    def run_bare(self, workload, synchronous, operations):
        return cost_of(self.run([self.bare, workload, synchronous, str(operations),
                                 "@DIRECTORY@"]))

    def run_sample(self, workload, synchronous, operations, kind, instruments):
        with open(self.suite, encoding="utf-8") as file:
            suite_text = file.read()
        spec = {
            "kind": kind, "wal_state": "recycled", "cell_id": f"bench/{workload}",
            "setting": {
                "journal_mode": "wal", "synchronous": synchronous, "locking_mode": "normal",
                "fullfsync": False, "checkpoint_fullfsync": False, "page_size": 4096,
                "cache_size": -2000, "wal_autocheckpoint": 1000, "mmap_size": 0,
                "rows_per_commit": 0,
            },
            "workload": workload, "directory": "@DIRECTORY@", "store": "sqlite", "rows": 0,
            "operations": operations, "seed": 1, "time_limit_ns": 0, "round": 0,
            "instruments": instruments, "suite_text": suite_text, "disk": None,
            "disk_reason": "a benchmark looks at no disk",
        }
        sample = self.run([self.syncost, "__sample"], json.dumps(spec) + "\n")
        if sample["status"] != "measured" or not sample["verified"]:
            sys.exit(f"bench.py: the sample failed: {sample.get('reason')}")
        if int(sample["operations"]) != operations:
            sys.exit(f"bench.py: the sample did {sample['operations']} of {operations} operations")
        return cost_of(sample)

    def operations_for(self, workload, synchronous):
        """How many operations take about --seconds: from a bare run, whole thousands."""
        cost = self.run_bare(workload, synchronous, 2000)
        return max(1000, round(self.options.seconds / cost.wall / 1000) * 1000)

    def pair(self, workload, synchronous, operations, kind, instruments):
        """The costs (bare, subject) of one pair; kind None is the bare loop again."""
        def bare():
            return self.run_bare(workload, synchronous, operations)

        def subject():
            if kind is None:
                return bare()
            return self.run_sample(workload, synchronous, operations, kind, instruments)

        if self.random.random() < 0.5:
            bare_cost = bare()
            return bare_cost, subject()
        subject_cost = subject()
        return bare(), subject_cost

    def measure(self, workload, synchronous, subjects):
        """One row a subject, the A/A row first."""
        operations = self.operations_for(workload, synchronous)
        subjects = [("bare loop again (A/A)", None, 0, None)] + subjects
        pairs = [[] for _ in subjects]
        for round_index in range(self.options.pairs):
            order = list(range(len(subjects)))
            self.random.shuffle(order)
            for index in order:
                _, kind, instruments, _ = subjects[index]
                pairs[index].append(
                    self.pair(workload, synchronous, operations, kind, instruments))
            if sys.stderr.isatty():
                print(f"\r{workload} WAL+{synchronous.upper()}: round {round_index + 1} of "
                      f"{self.options.pairs} ", end="", file=sys.stderr, flush=True)
        return [self.row(workload, synchronous, operations, subject, costs)
                for subject, costs in zip(subjects, pairs)]

    @staticmethod
    def row(workload, synchronous, operations, subject, costs):
        name, _, _, required = subject
        figure = summarise([bare.wall / measured.wall for bare, measured in costs])
        return {"workload": workload, "setting": f"WAL+{synchronous.upper()}", "subject": name,
                "required": required, "operations": operations, "ratio": figure,
                "cpu_ratio": summarise([bare.cpu / measured.cpu for bare, measured in costs]),
                "verdict": verdict(figure, required),
                "bare_ops_per_s": [1 / bare.wall for bare, _ in costs],
                "subject_ops_per_s": [1 / measured.wall for _, measured in costs]}


# --- the result

def output_of(*command):
    """A fact about the machine, or that it is not known; never a reason to stop."""
    try:
        return subprocess.run(command, capture_output=True, text=True,
                              check=True).stdout.strip() or "not known"
    except (OSError, subprocess.CalledProcessError):
        return "not known"


def cpu_name():
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as lines:
            for line in lines:
                if line.startswith("model name"):
                    return line.partition(":")[2].strip()
    except OSError:
        pass
    return "not known"


def metadata(options, started):
    build = json.loads(output_of("meson", "introspect", options.build, "--buildoptions") or "[]")
    chosen = {option["name"]: option["value"] for option in build}
    return {
        "started": started, "finished": now(),
        "command": f"tests/bench/bench.py --pairs {options.pairs} --seconds {options.seconds:g} "
                   f"--seed {options.seed}",
        "kernel": platform.release(), "machine": platform.machine(), "cpu": cpu_name(),
        "cpu_count": os.cpu_count(), "load_average": os.getloadavg(),
        "filesystem": output_of("stat", "-f", "-c", "%T", options.directory),
        "sqlite": output_of("pkg-config", "--modversion", "sqlite3"),
        "compiler": output_of("cc", "--version").splitlines()[0],
        "buildtype": chosen.get("buildtype", "not known"),
        "commit": output_of("git", "-C", os.path.dirname(os.path.abspath(__file__)),
                            "describe", "--always", "--dirty"),
    }


def now():
    return datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds")


def render(facts, rows):
    lines = [
        "# What measuring costs", "",
        "Operations per second of a sample over those of a bare C loop of the same statements,",
        "WAL, 4 KiB pages, recycled WAL: the median of interleaved pairs with its exact",
        "distribution-free interval. *met*: the median reaches what is required; *shown*: the",
        "whole interval does. The A/A rows set the bare loop against itself. The last two columns",
        "are the same ratio by CPU time.", "",
        "| workload | setting | subject | bare ops/s | ratio | interval | pairs | required | "
        "| by CPU | interval |",
        "| --- | --- | --- | ---: | ---: | --- | ---: | ---: | --- | ---: | --- |",
    ]
    for row in rows:
        ratio, cpu = row["ratio"], row["cpu_ratio"]
        required = "" if row["required"] is None else f"≥ {row['required']:.2f}"
        bare = sorted(row["bare_ops_per_s"])[len(row["bare_ops_per_s"]) // 2]
        lines.append(
            f"| {row['workload']} | {row['setting']} | {row['subject']} | {bare:,.0f} "
            f"| {ratio['median']:.3f} | {ratio['low']:.3f} – {ratio['high']:.3f} "
            f"({ratio['coverage']:.1%}) | {ratio['pairs']} | {required} | {row['verdict']} "
            f"| {cpu['median']:.3f} | {cpu['low']:.3f} – {cpu['high']:.3f} |")
    lines += ["", "| what | |", "| --- | --- |"]
    for key, value in facts.items():
        if key == "load_average":
            value = ", ".join(f"{load:.2f}" for load in value)
        lines.append(f"| {key.replace('_', ' ')} | {value} |")
    return "\n".join(lines) + "\n"


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", required=True, help="build directory of syncost")
    parser.add_argument("--directory", default=".", help="where the databases go; default: here")
    parser.add_argument("--pairs", type=int, default=25, help="pairs a subject; default 25")
    parser.add_argument("--seconds", type=float, default=0.5, help="of a timed part; default 0.5")
    parser.add_argument("--seed", type=int, default=1, help="of the order")
    parser.add_argument("--only", help="only this workload")
    parser.add_argument("--out", help="folder for summary.md and summary.json; default: print")
    return parser.parse_args()


def main():
    options = parse_arguments()
    started = now()
    bench = Bench(options)
    rows = []
    for workload, synchronous, subjects in CASES:
        if options.only in (None, workload):
            rows += bench.measure(workload, synchronous, subjects)
    if not rows:
        sys.exit(f"bench.py: no workload '{options.only}'")
    facts = metadata(options, started)
    text = render(facts, rows)
    print(text, end="")
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        with open(os.path.join(options.out, "summary.md"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(options.out, "summary.json"), "w", encoding="utf-8") as file:
            json.dump({"format": "syncost-overhead-1", **facts, "rows": rows}, file, indent=1)
            file.write("\n")
    sys.exit(1 if any(row["verdict"] == "missed" for row in rows) else 0)


if __name__ == "__main__":
    main()
