#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What the instruments cost where a commit is cheapest: interleaved processes, medians of ratios.

usage: bench.py PROGRAM-WITHOUT-TAP PROGRAM-WITH-TAP [ROUNDS]

Each round runs every variant once; a speed is that of a variant against the bare program in the
same round. "again" is the bare program once more: how far two equal things differ here. The last
column is against the same process with the tap off, batch by batch, which is the steadier figure.
"""

import os
import statistics
import subprocess
import sys
import tempfile


def run(program, mode, home):
    path = os.path.join(home, "bench.db")
    for suffix in ("", "-wal", "-shm"):
        if os.path.exists(path + suffix):
            os.remove(path + suffix)
    done = subprocess.run([program, path, mode], check=True, capture_output=True, text=True)
    return tuple(float(field) for field in done.stdout.split())


def main():
    bare, tapped = sys.argv[1:3]
    rounds = int(sys.argv[3]) if len(sys.argv) > 3 else 11
    variants = {
        "bare": (bare, "none"),
        "again": (bare, "none"),
        "tap off": (tapped, "none"),
        "tap": (tapped, "tap"),
        "shim": (bare, "shim"),
        "shim and tap": (tapped, "both"),
    }
    times = {name: [] for name in variants}
    with tempfile.TemporaryDirectory(prefix="syncost-bench-") as home:
        for number in range(rounds):
            names = list(variants)
            for name in names[number % len(names):] + names[:number % len(names)]:
                times[name].append(run(*variants[name], home))
    print(f"{'':14}{'ns/commit':>10}{'speed':>8}{'low':>8}{'high':>8}{'to off':>8}"
          f"   of {rounds} rounds")
    for name, values in times.items():
        ratios = sorted(base[0] / value[0] for base, value in zip(times["bare"], values))
        inside = statistics.median(off / on for on, off in values)
        print(f"{name:14}{statistics.median(on for on, _ in values):10.0f}"
              f"{statistics.median(ratios):8.3f}{ratios[0]:8.3f}{ratios[-1]:8.3f}{inside:8.3f}")


if __name__ == "__main__":
    main()
