# SPDX-License-Identifier: MIT
"""Two ways to meet system calls of a program: strace's record of them, and refusals by seccomp."""

import ctypes
import os
import platform
import re
import shutil
import struct
import subprocess
import tempfile
import unittest

CALLS = ("openat,close,unlink,ftruncate,fchown,newfstatat,fstat,stat,pread64,pwrite64,fcntl,"
         "fdatasync,fsync")
LINE = re.compile(r"(?:\d+\s+)?(\w+)\((.*)\)\s+= (-?\d+)")


def needs_strace():
    if not shutil.which("strace") or subprocess.run(
            ["strace", "-f", "-o", "/dev/null", "true"], capture_output=True).returncode != 0:
        raise unittest.SkipTest("strace is not here, or not permitted")


def role_of(path):
    """What a file is to SQLite, whatever it is called."""
    for suffix in ("-journal", "-wal", "-shm"):
        if path.endswith(suffix):
            return suffix[1:]
    return "db" if path.endswith(".db") else "directory"


def call_of(line):
    """A line of strace -y as (call, file, what matters of the arguments); None: another one."""
    match = LINE.match(line)
    if not match:
        return None
    name, arguments, _ = match.groups()
    by_fd = re.match(r"\d+<([^>]*)>", arguments)
    quoted = re.search(r'"([^"]*)"', arguments)
    role = role_of(by_fd[1] if by_fd else quoted[1] if quoted else "")
    if name in ("newfstatat", "fstat", "stat"):
        return ("fstat" if by_fd else "stat", role)
    if name == "openat":
        return ("open", role, "O_RDWR" in arguments)
    if name in ("pread64", "pwrite64"):
        offset, size = arguments.rsplit(",", 1)[1].strip(), arguments.rsplit(",", 2)[1].strip()
        return (name, role, size, "" if role == "wal" else offset)
    if name == "fcntl":
        lock = [re.search(rf"{key}=(\w+)", arguments) for key in ("l_type", "l_start", "l_len")]
        if not all(lock):
            return None
        kind, start, length = (match[1] for match in lock)
        reader = role == "shm" and int(start) >= 123  # which of the five slots is no matter
        return ("GETLK" if "GETLK" in arguments else kind, role, "" if reader else start, length)
    return (name, role)


def strace(command, keep, **options):
    """Lines of the record of a command that keep() is true of."""
    with tempfile.NamedTemporaryFile() as record:
        subprocess.run(["strace", "-f", "-y", "-qq", "-s", "0", "-o", record.name,
                        "-e", "trace=" + CALLS, *command], stdin=subprocess.DEVNULL,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False,
                       **options)
        with open(record.name, encoding="utf-8", errors="replace") as file:
            return [line for line in file if keep(line)]


def repeats(calls, pattern):
    """How often @pattern stands in @calls without a gap, at most."""
    best = at = 0
    while at + len(pattern) <= len(calls):
        count = 0
        while calls[at + count * len(pattern):at + (count + 1) * len(pattern)] == pattern:
            count += 1
        best = max(best, count)
        at += max(1, count * len(pattern))
    return best


# --- seccomp

NUMBERS = {"x86_64": {"openat": 257, "fdatasync": 75, "io_uring_setup": 425},
           "aarch64": {"openat": 56, "fdatasync": 83, "io_uring_setup": 425}}
O_DIRECT = {"x86_64": 0o40000, "aarch64": 0o200000}


def refuse(call, errno, flags=0):
    """For a new process: @call fails; where @flags: if its third argument has them."""
    machine = platform.machine()
    if machine not in NUMBERS:
        raise unittest.SkipTest(f"system calls of {machine} are not known here")
    load, jump_equal, jump_set, give = 0x20, 0x15, 0x45, 0x06
    allow, deny = 0x7FFF0000, 0x00050000 | errno
    steps = [(load, 0, 0, 0), (jump_equal, 0, 3 if flags else 1, NUMBERS[machine][call])]
    if flags:
        steps += [(load, 0, 0, 16 + 2 * 8), (jump_set, 0, 1, flags)]
    steps += [(give, 0, 0, deny), (give, 0, 0, allow)]
    program = b"".join(struct.pack("HBBI", *step) for step in steps)
    buffer = ctypes.create_string_buffer(program, len(program))
    filter_ = struct.pack("HxxxxxxQ", len(steps), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)

    def apply():
        if (libc.prctl(38, 1, 0, 0, 0) != 0  # no new privileges
                or libc.prctl(22, 2, ctypes.c_char_p(filter_), 0, 0) != 0):
            os._exit(99)
    apply.kept = buffer  # as long as the filter's address is used
    return apply
