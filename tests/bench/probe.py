#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""syncost probe against fio and PostgreSQL's pg_test_fsync, like with like.

usage: probe.py --build BUILD [--directory DIR] [--rounds 7] [--seconds 1] [--figure p50]
                [--out DIR]

A round has two probes, and fio and pg_test_fsync where they are installed, in an order drawn anew.
Compared is what both mean by the same word: the same call, block size and way of opening the file,
over blocks that were written before; medians of a part with fio's percentiles of it, means with
pg_test_fsync, which knows no other. On a machine whose disk others use medians are of the others:
--figure min compares what each took at least. A figure is the ratio of theirs to ours in the same
round; beside it stands the ratio of the two probes of that round, which is what the machine alone
does to such a figure (A/A). `inside`: the median of the first lies within the range of the second.
"""

import argparse
import datetime
import glob
import json
import math
import os
import platform
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

# fio's options; its figure: part and percentile; ours: row and part
FIO = [
    ("fdatasync after a 4 KiB write", ["--fdatasync=1"], "sync", "fdatasync", "sync_ns"),
    ("the write before it", ["--fdatasync=1"], "write", "fdatasync", "write_ns"),
    ("fsync after a 4 KiB write", ["--fsync=1"], "sync", "fsync", "sync_ns"),
    ("O_DSYNC write of 4 KiB", ["--sync=dsync"], "write", "dsync", "operation_ns"),
    ("O_DIRECT O_DSYNC write", ["--sync=dsync", "--direct=1"], "write", "direct-dsync",
     "operation_ns"),
    ("O_DIRECT write, no sync", ["--direct=1"], "write", "direct-none", "operation_ns"),
    ("fdatasync after an O_DIRECT write", ["--direct=1", "--fdatasync=1"], "sync",
     "direct-fdatasync", "sync_ns"),
]
# pg_test_fsync's name of a method; our row
PG = [
    ("8 KiB write and fdatasync, mean", "fdatasync", "fdatasync"),
    ("8 KiB write and fsync, mean", "fsync", "fsync"),
    ("O_DIRECT O_DSYNC write of 8 KiB, mean", "open_datasync", "direct-dsync"),
]


def run(command):
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"probe.py: {' '.join(command)}: exit code {done.returncode}\n{done.stderr}")
    return done.stdout


def probe(arguments, place):
    program = os.path.join(arguments.build, "src/cli/syncost")
    out = run([program, "probe", "--time", f"{10 * arguments.seconds:g}s", "--format", "json",
               place])
    rows = {row["key"]: row for row in json.loads(out)["targets"][0]["rows"]}

    def figure(key, part, which):
        return rows[key][part].get(which) or math.nan

    found = {title: figure(f"overwrite/4096/{method}", part, arguments.figure)
             for title, _, _, method, part in FIO}
    found.update({title: figure(f"overwrite/8192/{method}", "operation_ns", "mean")
                  for title, _, method in PG})
    return found


def fio(arguments, place):
    found, done = {}, {}
    for title, options, part, _, _ in FIO:
        key = " ".join(options)
        if key not in done:
            out = run(["fio", "--name=x", f"--filename={place}/fio", "--rw=write", "--bs=4k",
                       "--size=256k", "--ioengine=psync", "--overwrite=1", "--time_based",
                       f"--runtime={math.ceil(arguments.seconds)}", "--fallocate=none",
                       "--output-format=json", *options])
            done[key] = json.loads(out[out.index("{"):])["jobs"][0]
        job = done[key]
        times = job["sync"]["lat_ns"] if part == "sync" else job["write"]["clat_ns"]
        found[title] = (times["min"] if arguments.figure == "min"
                        else times["percentile"]["50.000000"])
    return found


def pg_program():
    return shutil.which("pg_test_fsync") or next(
        iter(sorted(glob.glob("/usr/lib/postgresql/*/bin/pg_test_fsync"), reverse=True)), None)


def pg(arguments, place):
    out = run([pg_program(), "-s", str(math.ceil(arguments.seconds)), "-f", f"{place}/pg"])
    one = out[out.index("one 8kB write"):out.index("two 8kB writes")]
    found = {}
    for title, name, _ in PG:
        match = re.search(rf"^\s+{name}\s+([\d.]+) ops/sec", one, re.MULTILINE)
        if match:
            found[title] = 1e9 / float(match[1])
    return found


def micro(ns):
    return f"{ns / 1000:.1f}"


def line(title, tool, rounds):
    theirs = [one[tool][title] for one in rounds if title in one.get(tool, {})]
    ours = [one["probe"][title] for one in rounds]
    again = [one["again"][title] for one in rounds]
    if not theirs or any(map(math.isnan, ours + again)):
        return f"| {tool} | {title} | | | skipped: not offered here | | |"
    ratios = [their / math.sqrt(our * more)
              for their, our, more in zip(theirs, ours, again)]
    same = max(max(our / more, more / our) for our, more in zip(ours, again))
    ratio = statistics.median(ratios)
    inside = "yes" if 1 / same <= ratio <= same else "no"
    return (f"| {tool} | {title} | {micro(statistics.median(theirs))} | "
            f"{micro(statistics.median(ours + again))} | {ratio:.2f} | {1 / same:.2f}–{same:.2f} | "
            f"{inside} |")


def report(arguments, rounds, skipped, place):
    done = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
    where = run(["findmnt", "-n", "-o", "FSTYPE,SOURCE", "-T", place]).split("\n")[0]
    versions = [run(["fio", "--version"]).strip()] if "fio" not in skipped else []
    if "pg_test_fsync" not in skipped:
        versions.append(run([pg_program(), "--version"]).strip())
    lines = [
        "# syncost probe against fio and pg_test_fsync", "",
        f"{done}, Linux {platform.release()}, {os.cpu_count()} CPUs, {' '.join(where.split())}, "
        f"load before {rounds[0]['load']:.1f} and after {os.getloadavg()[0]:.1f}; "
        f"{', '.join(versions)}; {len(rounds)} rounds; "
        f"with fio {arguments.figure}, with pg_test_fsync the mean.", "",
        *(f"Skipped: {tool}: {why}." for tool, why in skipped.items()),
        "Ratio: theirs to ours (the geometric mean of the two probes of a round), median over "
        "rounds. A/A: the widest ratio of the two probes of a round, and its inverse.", "",
        "| tool | figure | theirs, µs | ours, µs | ratio | A/A | inside |",
        "| --- | --- | ---: | ---: | ---: | ---: | --- |",
        *(line(one[0], "fio", rounds) for one in FIO if "fio" not in skipped),
        *(line(one[0], "pg_test_fsync", rounds) for one in PG if "pg_test_fsync" not in skipped),
    ]
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--directory", default=".")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--seconds", type=float, default=1)
    parser.add_argument("--figure", default="p50", choices=["min", "p50"])
    parser.add_argument("--out")
    arguments = parser.parse_args()
    skipped = {}
    if not shutil.which("fio"):
        skipped["fio"] = "it is not installed"
    if not pg_program():
        skipped["pg_test_fsync"] = "it is not installed"
    subjects = {"probe": probe, "again": probe, "fio": fio, "pg_test_fsync": pg}
    rounds = []
    with tempfile.TemporaryDirectory(dir=arguments.directory) as place:
        for number in range(arguments.rounds):
            one = {"load": os.getloadavg()[0]}
            for name in random.sample(sorted(set(subjects) - set(skipped)), 4 - len(skipped)):
                one[name] = subjects[name](arguments, place)
            rounds.append(one)
            print(f"round {number + 1} of {arguments.rounds}", file=sys.stderr)
        text = report(arguments, rounds, skipped, place)
    print(text, end="")
    if arguments.out:
        os.makedirs(arguments.out, exist_ok=True)
        with open(os.path.join(arguments.out, "comparison.md"), "w", encoding="utf-8") as file:
            file.write(text)
        with open(os.path.join(arguments.out, "comparison.json"), "w", encoding="utf-8") as file:
            json.dump(rounds, file)
            file.write("\n")


if __name__ == "__main__":
    main()
