#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""syncost probe on ext4, xfs and btrfs in images, and on tmpfs: what depends on the file system.

usage: filesystems.py --build BUILD [--directory DIR] [--rounds 3] [--seconds 8] [--figure p50]
                      [--out DIR]

As root. The images are made in DIR (sparse, 400 MiB each) and removed; each round probes all of them,
in an order drawn anew. The table has the median over rounds of one figure of each row, in microseconds:
its median, or on a machine whose disk others use, what it took at least (--figure min).
"""

import argparse
import datetime
import json
import os
import platform
import random
import shutil
import statistics
import subprocess
import sys
import tempfile

MAKE = {"ext4": ["mkfs.ext4", "-q", "-F"], "xfs": ["mkfs.xfs", "-q"], "btrfs": ["mkfs.btrfs", "-q"]}
ROWS = ["overwrite/4096/fdatasync", "append/4096/fdatasync", "fallocated/4096/fdatasync",
        "overwrite/4120/fdatasync", "append/4120/fdatasync", "overwrite/4096/fsync",
        "overwrite/4096/direct-dsync", "files/create", "files/truncate", "files/unlink",
        "writers/16", "journal/wal-full", "journal/wal-full-fresh", "journal/persist-full",
        "journal/truncate-full", "journal/delete-full", "journal/delete-extra"]
RATIOS = [("append : overwrite, 4096 bytes", ROWS[1], ROWS[0]),
          ("append : overwrite, 4120 bytes", ROWS[4], ROWS[3]),
          ("growing WAL : recycled, all calls of a commit", ROWS[12], ROWS[11])]


def quietly(command):
    return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          check=True)


def probe(build, seconds, place):
    done = subprocess.run([os.path.join(build, "src/cli/syncost"), "probe", "--time",
                           f"{seconds:g}s", "--format", "json", place],
                          stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)["targets"][0]


def median(targets, key, figure):
    values = [row["operation_ns"][figure] for target in targets for row in target["rows"]
              if row["key"] == key and figure in row["operation_ns"]]
    return statistics.median(values) / 1000 if values else None


def report(found, load, figure):
    names = sorted(found)
    lines = ["# syncost probe by file system", "",
             f"{datetime.datetime.now(datetime.timezone.utc):%Y-%m-%d}, Linux {platform.release()}, "
             f"{os.cpu_count()} CPUs, load before {load:.1f} and after {os.getloadavg()[0]:.1f}; "
             f"{len(found[names[0]])} rounds. {figure} of each row, median over rounds, µs.", "",
             "| row | " + " | ".join(names) + " |", "| --- |" + " ---: |" * len(names)]
    for key in ROWS:
        cells = [median(found[name], key, figure) for name in names]
        lines.append(f"| {key} | " + " | ".join("-" if value is None else f"{value:.1f}"
                                                for value in cells) + " |")
    for title, above, below in RATIOS:
        cells = [f"{median(found[name], above, figure) / median(found[name], below, figure):.2f}"
                 for name in names]
        lines.append(f"| {title} | " + " | ".join(cells) + " |")
    lines += ["", "What is said of each:", ""]
    for name in names:
        target = found[name][0]
        lines.append(f"- {name}: on {target['storage']}; "
                     + (", ".join(one["code"] for one in target["findings"]) or "no finding"))
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    parser.add_argument("--directory", default=".")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=8)
    parser.add_argument("--figure", default="p50", choices=["min", "p50", "p90"])
    parser.add_argument("--out")
    arguments = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("filesystems.py: only root can mount images")
    found, load = {}, os.getloadavg()[0]
    place = tempfile.mkdtemp(dir=arguments.directory)
    mounted = []
    try:
        for name in [*MAKE, "tmpfs"]:
            target, image = os.path.join(place, name), os.path.join(place, name + ".img")
            os.mkdir(target)
            if name == "tmpfs":
                quietly(["mount", "-t", "tmpfs", "tmpfs", target])
            elif shutil.which(MAKE[name][0]):
                with open(image, "wb") as file:
                    file.truncate(400 << 20)
                quietly([*MAKE[name], image])
                quietly(["mount", "-t", name, "-o", "loop", image, target])
            else:
                print(f"skipped: {name}: {MAKE[name][0]} is not here", file=sys.stderr)
                continue
            mounted.append(target)
            found[name] = []
        for _ in range(arguments.rounds):
            for name in random.sample(sorted(found), len(found)):
                found[name].append(probe(arguments.build, arguments.seconds,
                                         os.path.join(place, name)))
        text = report(found, load, arguments.figure).replace(place + "/", "")
    finally:
        for target in mounted:
            subprocess.run(["umount", target], check=False)
        shutil.rmtree(place)
    print(text, end="")
    if arguments.out:
        os.makedirs(arguments.out, exist_ok=True)
        with open(os.path.join(arguments.out, "filesystems.md"), "w", encoding="utf-8") as file:
            file.write(text)


if __name__ == "__main__":
    main()
