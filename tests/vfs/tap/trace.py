# SPDX-License-Identifier: MIT
"""What strace saw, as calls on files: the truth the ledger is compared with.

Files are followed by their numbers alone, from the opens, duplications and closes in the trace; the
mappings by their addresses. Only files of interest are kept. A mark is a call of
prctl(PR_SET_NAME, "sc+N") or "sc-N"; what lies between the two of a number is its interval.
"""

import collections
import os
import re
import shutil
import subprocess

CALLS = "%file,%desc,%memory,prctl,nanosleep,clock_nanosleep"

LINE = re.compile(r"^(\d+)\s+(\w+)\((.*)\)\s+=\s+(0x[0-9a-f]+|-?\d+|\?)(?:\s+(E\w+))?")
UNFINISHED = re.compile(r"^(\d+)\s+(.*) <unfinished \.\.\.>$")
RESUMED = re.compile(r"^(\d+)\s+<\.\.\. \w+ resumed>(.*)$")
PATH = re.compile(r'"((?:[^"\\]|\\.)*)"')
MARK = re.compile(r'^PR_SET_NAME, "sc([+-])(\d+)"')

READS = {"read", "pread64", "readv", "preadv", "preadv2"}
WRITES = {"write", "pwrite64", "writev", "pwritev", "pwritev2"}
BY_NUMBER = {
    "fsync": "fsync",
    "fdatasync": "fdatasync",
    "sync_file_range": "sync_file_range",
    "ftruncate": "truncate",
    "fallocate": "fallocate",
    "lseek": "seek",
    "fstat": "stat",
}
BY_PATH = {
    "unlink": "delete",
    "unlinkat": "delete",
    "truncate": "truncate",
    "rename": "rename",
    "renameat": "rename",
    "renameat2": "rename",
    "access": "access",
    "faccessat": "access",
    "faccessat2": "access",
    "stat": "stat",
    "lstat": "stat",
    "newfstatat": "stat",
}

Count = collections.namedtuple("Count", "calls failures bytes")


def why_not():
    """The reason why nothing can be traced here, or None."""
    if not shutil.which("strace"):
        return "strace is not installed"
    tried = subprocess.run(["strace", "-f", "-o", "/dev/null", "true"],
                           stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if tried.returncode != 0:
        return "strace cannot trace here: " + tried.stderr.strip().partition("\n")[0]
    return None


def run(command, trace_path, **options):
    """Runs @command under strace; returns the completed process."""
    return subprocess.run(
        ["strace", "-f", "-qq", "-e", "signal=none", "-e", "trace=" + CALLS, "-s", "64", "-o",
         trace_path] + command, **options)


class Reader:
    """@classify(path) says what a file is, None: of no interest. Any hashable value serves."""

    def __init__(self, classify):
        self.classify = classify
        self.files = {}  # number -> path
        self.maps = {}  # address -> (size, kind)
        self.intervals = {}  # N -> {(kind, op): [calls, failures, bytes]}
        self.current = None
        self.unfinished = {}

    def read(self, path):
        with open(path, encoding="utf-8", errors="replace") as trace:
            for line in trace:
                self.line(line.rstrip("\n"))
        return {number: {key: Count(*value) for key, value in counts.items()}
                for number, counts in self.intervals.items()}

    def line(self, line):
        match = UNFINISHED.match(line)
        if match:
            self.unfinished[match[1]] = match[2]
            return
        match = RESUMED.match(line)
        if match:
            line = f"{match[1]} {self.unfinished.pop(match[1])}{match[2]}"
        match = LINE.match(line)
        if match:
            self.call(match[2], match[3], match[4], match[5])

    def count(self, kind, op, error, size=0):
        if kind is None or self.current is None:
            return
        entry = self.intervals[self.current].setdefault((kind, op), [0, 0, 0])
        entry[0] += 1
        entry[1] += bool(error)
        entry[2] += 0 if error else size

    def call(self, name, arguments, result, error):
        value = 0 if result == "?" else int(result, 0)
        if name == "prctl":
            self.mark(arguments)
        elif name in ("open", "openat", "creat"):
            self.open(arguments, value, error)
        elif name in BY_PATH:
            self.count(self.classify(self.path(arguments) or ""), BY_PATH[name], error)
        elif name in ("mmap", "munmap", "mremap", "msync"):
            self.memory(name, arguments, value, error)
        else:
            self.numbered(name, arguments, value, error)

    def mark(self, arguments):
        match = MARK.match(arguments)
        if match and match[1] == "+":
            self.current = int(match[2])
            self.intervals[self.current] = {}
        elif match:
            assert self.current == int(match[2])
            self.current = None

    def path(self, arguments):
        """The first name among @arguments; one relative to a directory's number in full."""
        match = PATH.search(arguments)
        if not match:
            return None
        first = arguments.partition(",")[0]
        if first.isdigit():
            return os.path.join(self.files.get(int(first)) or "?", match[1]).rstrip("/")
        return match[1]

    def file(self, number):
        path = self.files.get(number)
        return path and self.classify(path)

    def open(self, arguments, number, error):
        path = self.path(arguments)
        self.count(self.classify(path), "open", error)
        if not error:
            self.files[number] = path

    def numbered(self, name, arguments, value, error):
        first = arguments.partition(",")[0]
        if not first.isdigit():
            return
        number = int(first)
        kind = self.file(number)
        if name in READS:
            self.count(kind, "read", error, value)
        elif name in WRITES:
            self.count(kind, "write", error, value)
        elif name in BY_NUMBER:
            self.count(kind, BY_NUMBER[name], error)
        elif name == "close":
            self.count(kind, "close", error)
            self.files.pop(number, None)
        elif name in ("dup", "dup2", "dup3") or "F_DUPFD" in arguments:
            if not error:
                self.files[value] = self.files.get(number)
        elif name == "fcntl" and re.search(r"F_(OFD_)?(SET|GET)LK", arguments):
            is_unlock = "l_type=F_UNLCK" in arguments and "SETLK" in arguments
            self.count(kind, "unlock" if is_unlock else "lock", error)

    def memory(self, name, arguments, value, error):
        fields = [field.strip() for field in arguments.split(",")]
        if name == "mmap":
            kind = self.file(int(fields[4])) if fields[4].isdigit() else None
            self.count(kind, "mmap", error)
            if kind is not None and not error:
                self.maps[value] = (int(fields[1]), kind)
            return
        address, size = int(fields[0], 0), int(fields[1])
        start, kind = self.mapped(address)
        self.count(kind, {"munmap": "munmap", "mremap": "mmap", "msync": "msync"}[name], error)
        if kind is None or error or name == "msync":
            return
        whole = self.maps.pop(start)[0]
        if name == "mremap":
            self.maps[value] = (int(fields[2]), kind)
        elif address > start:
            self.maps[start] = (address - start, kind)
        elif size < whole:
            self.maps[address + size] = (whole - size, kind)

    def mapped(self, address):
        for start, (size, kind) in self.maps.items():
            if start <= address < start + size:
                return start, kind
        return None, None
