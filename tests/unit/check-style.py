#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Each source file says its licence in its first line; nothing is left for later.

usage: run-unittest.py check-style.py SOURCE-ROOT
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest

LICENCE = "SPDX-License-Identifier: MIT"
SOURCES = (".c", ".h", ".def", ".py", ".sh", ".1", ".5", ".7", ".h.in")
SOURCE_NAMES = ("meson.build", "meson_options.txt")
LATER = re.compile(r"\b(" + "TO" + "DO|FIX" + "ME)\\b")


def files(root):
    """What the repository holds; where it is no repository, all but what a build makes."""
    run = subprocess.run(["git", "-C", root, "ls-files", "-z"], capture_output=True, check=False)
    if run.returncode == 0 and run.stdout:
        paths = run.stdout.decode().split("\0")
        return [path for path in paths if path and os.path.isfile(os.path.join(root, path))]
    found = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders
                      if not name.startswith("build") and name not in (".git", "__pycache__")]
        found += [os.path.relpath(os.path.join(folder, name), root) for name in names]
    return sorted(found)


def is_source(path, lines):
    return (path.endswith(SOURCES) or os.path.basename(path) in SOURCE_NAMES
            or bool(lines) and lines[0].startswith("#!"))


def check(path, lines):
    found = []
    first = lines[1:2] if lines and lines[0].startswith("#!") else lines[:1]
    if is_source(path, lines) and (not first or LICENCE not in first[0]):
        found.append(f"{path}: no licence in its first line")
    for number, line in enumerate(lines, 1):
        if LATER.search(line):
            found.append(f"{path}:{number}: left for later")
    return found


def complaints(root):
    found = []
    for path in files(root):
        with open(os.path.join(root, path), "rb") as file:
            content = file.read()
        if b"\0" not in content:  # text
            found += check(path, content.decode("utf-8", "replace").splitlines())
    return found


class Style(unittest.TestCase):
    def test_each_source_says_its_licence_and_nothing_is_left_for_later(self):
        root = sys.argv[1]
        self.assertGreater(len(files(root)), 50, "too few files were looked at")
        self.assertEqual(complaints(root), [])


class Controls(unittest.TestCase):
    def judge(self, path, text):
        with tempfile.TemporaryDirectory() as root:
            full = os.path.join(root, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
            return complaints(root)

    def test_files_in_order_pass(self):
        for path, text in (
                ("src/x.c", f"/* {LICENCE} */\nint x;\n"),
                ("tools/x", f"#!/bin/sh\n# {LICENCE}\n"),
                ("src/meson.build", f"# {LICENCE}\n"),
                ("src/suite.json", "{}\n"),
                ("README.md", "mastodons, TODOs of others\n"),
                ("empty.txt", "")):
            self.assertEqual(self.judge(path, text), [], path)

    def test_each_fault_is_found(self):
        later = "TO" + "DO"
        for path, text in (
                ("src/x.c", "int x;\n"),
                ("src/x.h", f"#pragma once\n/* {LICENCE} */\n"),
                ("src/x.c", ""),
                ("tools/x", "#!/bin/sh\necho\n"),
                ("src/meson.build", "project('x')\n"),
                ("src/x.c", f"/* {LICENCE} */\nint x; /* {later}: more */\n"),
                ("README.md", "FIX" + "ME\n")):
            self.assertEqual(len(self.judge(path, text)), 1, path)
