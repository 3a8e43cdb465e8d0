#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""How often the gate is right: pairs of sweeps of the same build, with and without a planted cost.

usage: gate.py --build BUILD [--directory DIR] [--pairs 20] [--seed 1] [--out DIR]
               [-- SWEEP-OPTION...]

A pair is a base, and with the same plan (--like) a new sweep for each plant: nothing (a failure of
the gate is a false alarm), a second sync for each sync of a WAL or journal, a second write for each
tenth, each call into SQLite twice as long. `syncost compare BASE NEW` says what it says, with its
defaults. The order of the plants is drawn anew for each pair.

It says how often each was caught, by which kind of figure, and how loaded the machine was.
"""

import argparse
import collections
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

PLANTS = ["nothing", "sync", "bytes", "latency"]
# Syncs are what a setting without any has none of, and a doubled latency is for all.
SWEEP = ["--workload", "insert_one", "--workload", "update_one", "--journal-mode", "delete,wal",
         "--synchronous", "off,full"]


def run(command, **options):
    return subprocess.run(command, capture_output=True, text=True, **options)


def sweep(options, folder, arguments, plant):
    environment = dict(os.environ)
    if plant != "nothing":
        environment["PLANT"] = plant
        environment["LD_PRELOAD"] = os.path.join(options.build, "tests", "bench", "plant.so")
    done = run([options.syncost, "sweep", "--quiet", "--out", folder, *arguments],
               env=environment)
    # A severe finding (1) is no failure: planted syncs are told from SQLite's own.
    if done.returncode not in (0, 1):
        sys.exit(f"gate.py: sweep: exit {done.returncode}\n{done.stderr}")


def verdict(options, base, new):
    done = run([options.syncost, "compare", base, new, "--format", "json"])
    if done.returncode not in (0, 1):
        sys.exit(f"gate.py: compare: exit {done.returncode}\n{done.stderr}")
    return done.returncode == 1, json.loads(done.stdout)


def failing_metrics(comparison):
    found = set()
    for cell in comparison["cells"]:
        for other in cell["reports"]:
            found.update(metric["key"] for metric in other.get("metrics", []) if metric["fails"])
    return sorted(found)


def pair(options, number, counts, log):
    place = tempfile.mkdtemp(prefix="syncost-gate-", dir=options.directory)
    try:
        base = os.path.join(place, "base")
        sweep(options, base, ["--target", place, *options.sweep], "nothing")
        for plant in options.random.sample(PLANTS, len(PLANTS)):
            new = os.path.join(place, plant)
            start = time.monotonic()
            sweep(options, new, ["--like", base], plant)
            fails, comparison = verdict(options, base, new)
            counts[plant] += fails
            line = {"pair": number, "plant": plant, "fails": fails,
                    "metrics": failing_metrics(comparison),
                    "load": round(os.getloadavg()[0], 1),
                    "seconds": round(time.monotonic() - start, 1)}
            log.append(line)
            print(json.dumps(line), flush=True)
    finally:
        shutil.rmtree(place)


def report(options, counts, log, pairs):
    loads = sorted(line["load"] for line in log)
    lines = ["# How often the gate is right", "",
             "Pairs of sweeps of the same build, `syncost compare BASE NEW` with its defaults: without",
             "a plant it must pass, with one it must fail.", "",
             "| plant | pairs | the gate failed | by |", "| --- | ---: | ---: | --- |"]
    for plant in PLANTS:
        by = collections.Counter(metric for line in log if line["plant"] == plant
                                 for metric in line["metrics"])
        said = ", ".join(f"{metric} {count}" for metric, count in by.most_common())
        lines.append(f"| {plant} | {pairs} | {counts[plant]} | {said} |")
    uname = os.uname()
    lines += ["", f"Load of the machine: {loads[0]} to {loads[-1]}, median {loads[len(loads) // 2]}; "
              f"{os.cpu_count()} CPUs, {uname.sysname} {uname.release}.",
              f"Date: {time.strftime('%Y-%m-%d', time.gmtime())}. Command: `tests/bench/gate.py --pairs "
              f"{pairs} --seed {options.seed} -- {' '.join(options.sweep)}`.", ""]
    text = "\n".join(lines)
    print(text)
    if options.out:
        os.makedirs(options.out, exist_ok=True)
        with open(os.path.join(options.out, "summary.md"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(options.out, "pairs.ndjson"), "w", encoding="utf-8") as file:
            file.writelines(json.dumps(line) + "\n" for line in log)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--directory", default=".")
    parser.add_argument("--pairs", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out")
    parser.add_argument("sweep", nargs="*")
    options = parser.parse_args()
    options.build = os.path.abspath(options.build)
    options.directory = os.path.abspath(options.directory)
    options.syncost = os.path.join(options.build, "src", "cli", "syncost")
    options.sweep = options.sweep or SWEEP
    options.random = random.Random(options.seed)
    counts, log, pairs = collections.Counter(), [], 0
    try:
        for number in range(1, options.pairs + 1):
            pair(options, number, counts, log)
            pairs = number
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    if log:
        report(options, counts, log, pairs)


if __name__ == "__main__":
    main()
