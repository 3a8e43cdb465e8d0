# SPDX-License-Identifier: MIT
"""What strace saw of a run, as calls on the files of databases: the truth its report is compared with.

strace itself says which file a descriptor is (-y), so nothing is followed here.
"""

import collections
import json
import os
import re
import shutil
import subprocess

CALLS = "%file,%desc,%memory"
LINE = re.compile(r"^(\d+)\s+(\w+)\((.*)\)\s+=\s+(-?\d+|0x[0-9a-f]+|\?)(?:<[^>]*>)?(?:\s+(E\w+))?")
UNFINISHED = re.compile(r"^(\d+)\s+(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+)\s+<\.\.\. \w+ resumed>(.*)$")
PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
FILE = re.compile(r"^\d+<([^>]*)>")

OPS = {
    "fsync": "fsync", "fdatasync": "fdatasync", "sync_file_range": "sync_file_range",
    "ftruncate": "truncate", "fallocate": "fallocate", "lseek": "seek", "close": "close",
    "read": "read", "pread64": "read", "readv": "read", "preadv": "read",
    "write": "write", "pwrite64": "write", "writev": "write", "pwritev": "write",
    "unlink": "delete", "unlinkat": "delete", "rename": "rename", "truncate": "truncate",
}
BY_PATH = {"unlink", "unlinkat", "rename", "truncate"}
SUFFIXES = [("-wal", "wal"), ("-journal", "main_journal"), ("-shm", "shm")]
EXACT = ("fsync", "fdatasync", "open", "close", "read", "write", "truncate", "delete", "rename",
         "seek", "lock", "unlock", "mmap", "fallocate", "sync_file_range")
SYNCS = ("fsync", "fdatasync")

Count = collections.namedtuple("Count", "calls failures bytes")


def why_not():
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(["strace", "-f", "-y", "-o", "/dev/null", "true"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True)
    return None if tried.returncode == 0 else "strace cannot trace here: " + tried.stderr.strip()


def before(trace_path):
    """The words in front of a command that is to be traced."""
    return ["strace", "-f", "-y", "-qq", "-e", "signal=none", "-e", "trace=" + CALLS, "-s", "32",
            "-o", trace_path]


def classify(path, databases):
    path = path.removesuffix("(deleted)").rstrip()
    if path in databases:
        return path, "main_db"
    for suffix, role in SUFFIXES:
        if path.endswith(suffix) and path[:-len(suffix)] in databases:
            return path[:-len(suffix)], role
    if path in {os.path.dirname(database) for database in databases}:
        return path, "directory"
    return None


def lines(trace_path):
    unfinished = {}
    with open(trace_path, encoding="utf-8", errors="replace") as trace:
        for line in trace:
            line = line.rstrip("\n")
            match = UNFINISHED.match(line)
            if match:
                unfinished[match[1]] = match[2]
                continue
            match = RESUMED.match(line)
            if match:
                line = f"{match[1]} {unfinished.pop(match[1])}{match[2]}"
            match = LINE.match(line)
            if match:
                yield match[2], match[3], match[4], match[5]


def op_of(name, arguments):
    if name in ("open", "openat", "creat"):
        return "open"
    if name == "fcntl" and re.search(r"F_(OFD_)?(SET|GET)LK", arguments):
        return "unlock" if "l_type=F_UNLCK" in arguments and "SETLK" in arguments else "lock"
    return "mmap" if name == "mmap" else OPS.get(name)


def name_of(name, arguments):
    if name == "mmap":
        match = re.search(r", \d+<([^>]*)>, ", arguments)
        return match and match[1]
    if name in BY_PATH or name in ("open", "openat", "creat"):
        match = PATH.search(arguments)
    else:
        match = FILE.match(arguments)
    return match and match[1]


def read(trace_path, databases):
    """{((path, role), op): Count}; a directory stands for itself."""
    counts = {}
    for name, arguments, result, error in lines(trace_path):
        op = op_of(name, arguments)
        path = op and name_of(name, arguments)
        kind = path and classify(path, databases)
        if not kind:
            continue
        moved = int(result, 0) if op in ("read", "write") and not error else 0
        old = counts.get((kind, op), Count(0, 0, 0))
        counts[kind, op] = Count(old.calls + 1, old.failures + bool(error), old.bytes + moved)
    return counts


def report(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


def ledger(summary, processes=False):
    """The same of a report; of the sums of its processes if wanted."""
    groups = [summary] if not processes else summary["processes"]
    counts = {}
    for database in [entry for group in groups for entry in group["databases"]]:
        for row in database["io"]:
            path = database["path"]
            if row["role"] == "directory":
                path = os.path.dirname(path)
            key = (path, row["role"]), row["op"]
            old = counts.get(key, Count(0, 0, 0))
            counts[key] = Count(old.calls + row["calls"], old.failures + row["failures"],
                                old.bytes + row["bytes"])
    return counts


def differences(found, truth, ops=EXACT):
    return [f"{key}: report {found.get(key)}, strace {truth.get(key)}"
            for key in sorted(found.keys() | truth.keys(), key=str)
            if key[1] in ops and found.get(key) != truth.get(key)]


def total(counts, ops, field="calls", roles=None):
    return sum(getattr(count, field) for ((_, role), op), count in counts.items()
               if op in ops and (roles is None or role in roles))
