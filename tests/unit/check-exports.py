#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""External symbols carry our prefix: sc_ inside the project, syncost_ where it is the public API.

usage: run-unittest.py check-exports.py SOURCE-ROOT NM COMPILER… -- LIBRARY…

The tap also defines the calls of libc that it stands in for: those of vfs/tap/calls.def.
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

OURS = re.compile(r"(sc|syncost)_[a-z0-9_]+")
PUBLIC = re.compile(r"\bSYNCOST_API\b[^;{]*?\b(syncost_[a-z0-9_]+)\s*\(")
HOOK = re.compile(r"\bTAP_\w+\([^,()]*,\s*(\w+)\s*,")
SANITIZERS = re.compile(r"__(odr_asan|asan|tsan|ubsan|gcov|llvm|prof|start|stop)\w*[.\w]*")


def arguments():
    end = sys.argv.index("--")
    return sys.argv[1], sys.argv[2], sys.argv[3:end], sys.argv[end + 1:]


def defined(nm, library):
    """External symbols that a library defines."""
    run = subprocess.run([nm, "-g", "--defined-only", "--format=posix", library],
                         capture_output=True, text=True, check=True)
    return {line.split()[0] for line in run.stdout.splitlines() if len(line.split()) > 2}


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return re.sub(r"/\*.*?\*/", "", file.read(), flags=re.DOTALL)


def complaints(symbols, public, hooks):
    found = []
    for symbol in sorted(symbols):
        if SANITIZERS.fullmatch(symbol) or symbol in hooks:
            continue
        if not OURS.fullmatch(symbol):
            found.append(f"{symbol} lacks the prefix")
        elif symbol.startswith("syncost_") and symbol not in public:
            found.append(f"{symbol} is not declared in syncost.h")
    return found


class Exports(unittest.TestCase):
    def setUp(self):
        self.root, self.nm, self.compiler, self.libraries = arguments()
        self.public = set(PUBLIC.findall(read(self.root, "include/syncost.h")))
        self.hooks = set(HOOK.findall(read(self.root, "vfs/tap/calls.def")))

    def test_external_symbols_carry_our_prefix(self):
        self.assertGreater(len(self.public), 10)
        for library in self.libraries:
            name = os.path.basename(library)
            hooks = self.hooks if name == "libsc-tap.a" else set()
            with self.subTest(name):
                symbols = defined(self.nm, library)
                self.assertGreater(len(symbols), 0)
                self.assertEqual(complaints(symbols, self.public, hooks), [])

    def test_the_tap_stands_in_for_every_call_of_its_list(self):
        tap = [path for path in self.libraries if os.path.basename(path) == "libsc-tap.a"]
        self.assertEqual(len(tap), 1)
        self.assertIn("fdatasync", self.hooks)
        self.assertEqual(self.hooks - defined(self.nm, tap[0]), set())

    def test_the_public_api_is_all_there(self):
        """what syncost.h declares is defined"""
        symbols = set().union(*(defined(self.nm, library) for library in self.libraries))
        self.assertEqual(self.public - symbols, set())


class Controls(unittest.TestCase):
    def judge(self, text):
        _, nm, compiler, _ = arguments()
        with tempfile.TemporaryDirectory() as folder:
            source, made = os.path.join(folder, "x.c"), os.path.join(folder, "x.o")
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            subprocess.run([*compiler, "-c", source, "-o", made], check=True)
            return complaints(defined(nm, made), {"syncost_start"}, {"fsync"})

    def test_what_is_ours_static_or_listed_passes(self):
        self.assertEqual(self.judge("int sc_x; int sc_f(void) { return sc_x; }\n"
                                    "int syncost_start(void) { return 0; }\n"
                                    "int fsync(int fd) { return fd; }\n"
                                    "static int helper(void) { return 1; }\n"
                                    "int sc_g(void) { return helper(); }\n"), [])

    def test_each_symbol_that_is_not_is_found(self):
        for text in ("int helper(void) { return 1; }", "int counter = 1;", "int counter;",
                     "int scx;", "int fdatasync(int fd) { return fd; }",
                     "int syncost_stray(void) { return 1; }"):
            self.assertEqual(len(self.judge(text + "\n")), 1, text)
