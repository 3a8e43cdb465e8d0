#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each header compiles alone, and twice.

usage: run-unittest.py check-headers.py SOURCE-ROOT COMPILER…
"""

import os
import subprocess
import sys
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

FLAGS = ["-std=gnu17", "-D_GNU_SOURCE", "-fsyntax-only", "-x", "c", "-Wall", "-Wextra",
         "-Wpedantic", "-Werror"]


def headers(root):
    for top in ("include", "src", "vfs"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith(".h"):
                    yield os.path.join(folder, name)


def complaint(compiler, root, header):
    """What the compiler says of a file that is nothing but this header, twice."""
    line = f'#include "{os.path.abspath(header)}"\n'
    run = subprocess.run([*compiler, *FLAGS, "-I", os.path.join(root, "include"), "-"],
                         input=line * 2, capture_output=True, text=True, check=False)
    return run.stderr if run.returncode != 0 else None


def complaints(compiler, root):
    paths = list(headers(root))
    with ThreadPoolExecutor(2) as pool:
        found = pool.map(lambda path: complaint(compiler, root, path), paths)
        return {os.path.relpath(path, root): said for path, said in zip(paths, found) if said}


class Headers(unittest.TestCase):
    def test_each_header_compiles_alone_and_twice(self):
        root, compiler = sys.argv[1], sys.argv[2:]
        self.assertGreater(len(list(headers(root))), 20, "too few headers were looked at")
        found = complaints(compiler, root)
        self.assertEqual(found, {}, "\n".join(found.values()))


class Controls(unittest.TestCase):
    def judge(self, text):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "src", "base"))
            os.makedirs(os.path.join(root, "include"))
            with open(os.path.join(root, "include", "public.h"), "w", encoding="utf-8") as file:
                file.write("#pragma once\n#include <stdint.h>\n")
            with open(os.path.join(root, "src", "base", "x.h"), "w", encoding="utf-8") as file:
                file.write(text)
            return complaints(sys.argv[2:], root)

    def test_a_header_in_order_passes(self):
        self.assertEqual(self.judge('#pragma once\n#include "public.h"\n'
                                    "struct x { uint8_t byte; };\n"), {})

    def test_a_header_that_needs_another_first_is_found(self):
        self.assertIn("src/base/x.h", self.judge("#pragma once\nstruct x { uint8_t byte; };\n"))

    def test_a_header_that_cannot_be_included_twice_is_found(self):
        self.assertIn("src/base/x.h", self.judge("struct x { int byte; };\n"))

    def test_a_header_with_a_warning_is_found(self):
        self.assertIn("src/base/x.h",
                      self.judge("#pragma once\nstruct x { int none[0]; };\n"))
