# SPDX-License-Identifier: MIT
"""Only cli/ prints or ends the process. Argument: the source root."""

import os
import re
import shutil
import sys
import tempfile
import unittest

ROOT = os.path.abspath(sys.argv[1])

SPEAKS = re.compile(r"(?<![\w>.])(exit|printf|puts|putchar|perror|err|errx)\s*\(|\b(stdout|stderr)\b")
NO_CODE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\])*"', re.DOTALL)

# The answer of a sample's process is its standard output.
ALLOWED = re.compile(r"src/sweep/execute-main\.c has (stdout|stderr|f?puts\()$")


def sources(root, *rooms):
    """Paths of C files and headers below these rooms, relative to the root, sorted."""
    found = []
    for room in rooms:
        for folder, _, names in os.walk(os.path.join(root, room)):
            found += [os.path.relpath(os.path.join(folder, name), root)
                      for name in names if name.endswith((".c", ".h"))]
    return sorted(found)


def speakers(root):
    """Files outside cli/ that use the standard streams or end the process."""
    found = []
    for path in sources(root, "vfs", "src"):
        if path.startswith("src/cli/"):
            continue
        with open(os.path.join(root, path), encoding="utf-8") as file:
            code = NO_CODE.sub("", file.read())
        found += [f"{path} has {match.group(0).strip()}" for match in SPEAKS.finditer(code)]
    return [line for line in found if not ALLOWED.match(line)]


class Sources(unittest.TestCase):
    def test_prints(self):
        """only cli prints or ends the process"""
        self.assertGreater(len(sources(ROOT, "vfs", "src")), 50)
        self.assertEqual(speakers(ROOT), [])

    def test_prints_seen(self):
        """a print elsewhere is seen, one in a comment or a string is not"""
        root = tempfile.mkdtemp(prefix="syncost-sources-")
        self.addCleanup(shutil.rmtree, root)
        for path, text in {
                "src/model/a.c": 'int f(void) { return printf("x"); }\n',
                "src/base/b.c": '/* exit(1) */ const char *s = "stderr, exit(2)";\n',
                "src/stats/c.c": "void g(void) { exit(1); fprintf(stderr, 0); }\n",
                "src/sweep/execute-main.c": "void h(void) { fflush(stdout); _exit(1); }\n",
                "src/cli/e.c": "void i(void) { exit(puts(s)); }\n"}.items():
            os.makedirs(os.path.dirname(os.path.join(root, path)))
            with open(os.path.join(root, path), "w", encoding="utf-8") as file:
                file.write(text)
        self.assertEqual(speakers(root), [
            "src/model/a.c has printf(", "src/stats/c.c has exit(", "src/stats/c.c has stderr"])
