# SPDX-License-Identifier: MIT
"""Rules of the source tree that a compiler does not keep. Arguments: the source root, the compiler…

Each rule is a function from a tree to what breaks it; each is also shown a small tree that breaks it.
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv[1])
COMPILER = sys.argv[2:]

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

# Whose headers a room may use, beside its own and the system's. ARCHITECTURE.md has the picture.
BELOW = {
    "include": set(),
    "vfs": {"include"},
    "src/base": {"include"},
    "src/stats": {"include", "src/base"},
    "src/model": {"include", "src/base", "src/stats"},
    "src/suite": {"include", "src/base", "src/stats", "src/model"},
    "src/storage": {"include", "src/base", "src/stats", "src/model"},
    "src/report": {"include", "src/base", "src/stats", "src/model"},
    "src/sweep": {"include", "src/base", "src/stats", "src/model", "src/suite", "src/storage"},
    "src/cli": {"include", "src/base", "src/stats", "src/model", "src/suite", "src/storage",
                "src/sweep", "src/report"},
}

# Libraries that stay behind some rooms or files.
BEHIND = {
    "cjson/": ("src/model/", "src/suite/"),
    "openssl/": ("src/", "vfs/layer/crypt.c"),
    "liburing.h": ("src/storage/",),
}


def sources(root, *rooms):
    """Paths of C files and headers below these rooms, relative to the root, sorted."""
    found = []
    for room in rooms:
        for folder, _, names in os.walk(os.path.join(root, room)):
            found += [os.path.relpath(os.path.join(folder, name), root)
                      for name in names if name.endswith((".c", ".h"))]
    return sorted(found)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read()


def room_of(path):
    parts = path.split(os.sep)
    return "/".join(parts[:2]) if parts[0] == "src" else parts[0]


def includes_of(root, path):
    """(paths of our own headers, names of others) that a file includes."""
    ours, others = [], []
    for quoted, angled in INCLUDE.findall(read(root, path)):
        beside = os.path.normpath(os.path.join(os.path.dirname(path), quoted))
        public = os.path.join("include", quoted)
        if quoted and os.path.exists(os.path.join(root, beside)):
            ours.append(beside)
        elif quoted and os.path.exists(os.path.join(root, public)):
            ours.append(public)
        else:
            others.append(quoted or angled)
    return ours, others


def upward_includes(root):
    """Includes of a room that is not below."""
    wrong = []
    for path in sources(root, "include", "vfs", "src"):
        room = room_of(path)
        for header in includes_of(root, path)[0]:
            if room_of(header) != room and room_of(header) not in BELOW[room]:
                wrong.append(f"{path} includes {header}")
    return wrong


def reach(root, path, seen):
    """Names of others' headers that a file gets, through its own ones too."""
    if path in seen:
        return set()
    seen.add(path)
    ours, others = includes_of(root, path)
    return set(others).union(*(reach(root, header, seen) for header in ours))


def leaked_libraries(root):
    """Files that see a library's header which should stay behind others."""
    wrong = []
    for path in sources(root, "include", "vfs", "src"):
        for name in reach(root, path, set()):
            for prefix, allowed in BEHIND.items():
                if name.startswith(prefix) and not path.startswith(allowed):
                    wrong.append(f"{path} sees <{name}>")
    return wrong


def prints_outside_cli(root):
    """Files below cli/ that print to the standard streams or end the process."""
    pattern = re.compile(r"(?<![\w>.])(exit|printf|puts|putchar|perror|err|errx)\s*\(|"
                         r"\b(stdout|stderr)\b")
    wrong = []
    for path in sources(root, "vfs", "src"):
        if path.startswith("src/cli/"):
            continue
        code = re.sub(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', "", read(root, path), flags=re.DOTALL)
        wrong += [f"{path} has {match.group(0).strip()}" for match in pattern.finditer(code)]
    return wrong


def without_licence(root):
    """Files whose first line, or the one after #!, is not the SPDX line."""
    wrong = []
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders
                      if not name.startswith((".git", "build", "syncost-reports", "__pycache__"))]
        for name in names:
            path = os.path.join(folder, name)
            if not name.endswith((".c", ".h", ".py", ".sh", ".def", "meson.build")):
                continue
            with open(path, encoding="utf-8") as file:
                head = file.readline() + file.readline()
            if "SPDX-License-Identifier: MIT" not in head:
                wrong.append(os.path.relpath(path, root))
    return wrong


def broken_headers(root, compiler):
    """Headers that do not compile alone, or not twice."""
    wrong = []
    for path in sources(root, "include", "vfs", "src"):
        if not path.endswith(".h"):
            continue
        unit = f'#include "{os.path.join(root, path)}"\n' * 2 + "extern int nothing_else;\n"
        done = subprocess.run(
            [*compiler, "-std=gnu17", "-D_GNU_SOURCE", "-Wall", "-Wextra", "-Werror",
             "-fsyntax-only", "-I", os.path.join(root, "include"), "-xc", "-"],
            input=unit, text=True, capture_output=True)
        if done.returncode:
            errors = [line for line in done.stderr.splitlines() if "error:" in line]
            wrong.append(f"{path}: {errors[0] if errors else done.stderr}")
    return wrong


class Sources(unittest.TestCase):
    maxDiff = None

    def tree(self, files):
        root = tempfile.mkdtemp(prefix="syncost-sources-")
        self.addCleanup(shutil.rmtree, root)
        for path, text in files.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)), exist_ok=True)
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        return root

    def test_includes(self):
        """includes point down only"""
        self.assertEqual(upward_includes(ROOT), [])

    def test_includes_seen(self):
        """an include that points up is seen"""
        root = self.tree({"src/cli/a.h": "", "src/model/b.c": '#include "../cli/a.h"\n',
                          "vfs/c.h": "", "src/sweep/d.c": '#include "../../vfs/c.h"\n',
                          "src/base/e.h": "", "vfs/f.c": '#include "../src/base/e.h"\n'})
        self.assertEqual(upward_includes(root), [
            "src/model/b.c includes src/cli/a.h", "src/sweep/d.c includes vfs/c.h",
            "vfs/f.c includes src/base/e.h"])

    def test_libraries(self):
        """cJSON, libcrypto and liburing stay behind their rooms"""
        self.assertEqual(leaked_libraries(ROOT), [])

    def test_libraries_seen(self):
        """a library's header that leaks through one of ours is seen"""
        root = self.tree({"src/model/json.h": "#include <cjson/cJSON.h>\n",
                          "src/report/md.c": '#include "../model/json.h"\n',
                          "vfs/meter.c": "#include <openssl/sha.h>\n"})
        self.assertEqual(leaked_libraries(root), ["src/report/md.c sees <cjson/cJSON.h>",
                                                  "vfs/meter.c sees <openssl/sha.h>"])

    def test_prints(self):
        """only cli prints or ends the process"""
        wrong = [line for line in prints_outside_cli(ROOT)
                 # A sample's answer is its process's standard output.
                 if not re.match(r"src/sweep/[\w-]+\.c has stdout$", line)]
        self.assertEqual(wrong, [])

    def test_prints_seen(self):
        """a print elsewhere is seen, one in a comment or a string is not"""
        root = self.tree({"src/model/a.c": 'int f(void) { return printf("x"); }\n',
                          "src/base/b.c": '/* exit(1) */ const char *s = "stderr, exit(2)";\n',
                          "src/stats/c.c": "void g(void) { exit(1); fprintf(stderr, 0); }\n"})
        self.assertEqual(prints_outside_cli(root), [
            "src/model/a.c has printf(", "src/stats/c.c has exit(", "src/stats/c.c has stderr"])

    def test_licence(self):
        """each file says its licence"""
        self.assertEqual(without_licence(ROOT), [])

    def test_headers(self):
        """each header compiles alone, and twice"""
        self.assertEqual(broken_headers(ROOT, COMPILER), [])

    def test_headers_seen(self):
        """a header that needs another one first, or may come only once, is seen"""
        root = self.tree({"include/a.h": "#pragma once\nuint64_t f(void);\n",
                          "src/base/b.h": "struct b { int x; };\n",
                          "src/base/c.h": "#pragma once\n#include <stdint.h>\nuint64_t g(void);\n"})
        self.assertEqual([line.partition(":")[0] for line in broken_headers(root, COMPILER)],
                         ["include/a.h", "src/base/b.h"])
