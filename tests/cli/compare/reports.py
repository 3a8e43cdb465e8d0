# SPDX-License-Identifier: MIT
"""Reports to compare, made from the golden report of the writers by changing what a test plants.

The format is one of lines: the head, a line `"cells":[`, then a cell a line.
"""

import copy
import json
import os

GOLDEN = os.path.join(os.path.dirname(os.path.abspath(__file__)),
                      "..", "..", "data", "report", "summary.json")


def dumps(value):
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def load():
    """Cells that a gate can judge: measured with six samples and a ledger, and one copy."""
    with open(GOLDEN, encoding="utf-8") as file:
        report = json.load(file)
    report["cells"] = [cell for cell in report["cells"] if cell["status"] == "measured" and
                       isinstance(cell["ledger_ops"], int)]
    report["findings"] = []
    return report


def text_of(report):
    head = {key: value for key, value in report.items() if key != "cells"}
    return (dumps(head)[:-1] + ',\n"cells":[\n' +
            ",\n".join(dumps(cell) for cell in report["cells"]) + "\n]}\n")


def write(report, folder):
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "summary.json"), "w", encoding="utf-8") as file:
        file.write(text_of(report))
    return folder


def changed(report, change, which=lambda cell: True):
    """A copy with change(cell) done to the cells of `which`."""
    other = copy.deepcopy(report)
    for cell in other["cells"]:
        if which(cell):
            change(cell)
    return other


def scale_time(factor):
    """Operations take `factor` times as long."""
    def change(cell):
        for key in ("ops_per_s", "commits_per_s"):
            for figure in ("median", "low", "high"):
                if figure in cell[key]:
                    cell[key][figure] /= factor
        for sample in cell["samples"]:
            if sample["kind"] == "timing":
                for key in ("wall_ns", "run_delay_ns", "steal_ns"):
                    if isinstance(sample.get(key), int):
                        sample[key] = round(sample[key] * factor)
    return change


def add_syncs(per_commit):
    def change(cell):
        more = per_commit * cell["ledger_commits"]
        for key in ("vfs", "physical", "fdatasync"):
            cell["syncs"][key] += more
    return change


def scale_bytes(percent):
    def change(cell):
        for row in cell["io"]:
            if row["instrument"] == "vfs" and row["op"] == "write":
                row["bytes"] = row["bytes"] * (100 + percent) // 100
    return change


def add_checkpoints(count):
    def change(cell):
        cell["checkpoints"]["count"] += count
    return change
