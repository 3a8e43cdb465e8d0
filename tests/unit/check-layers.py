#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Includes point down only: reads the #include lines of src/, vfs/ and include/.

usage: run-unittest.py check-layers.py SOURCE-ROOT
"""

import os
import re
import sys
import tempfile
import unittest

# Which rooms of src/ a room may include from, itself apart.
BELOW = {
    "base": [],
    "stats": ["base"],
    "model": ["base", "stats"],
    "suite": ["base", "stats", "model"],
    "storage": ["base", "stats", "model"],
    "powercut": ["base", "stats", "model"],
    "space": ["base", "stats", "model"],
    "sweep": ["base", "stats", "model", "suite", "storage", "powercut", "space"],
    "observe": ["base", "stats", "model", "suite", "storage", "powercut", "space"],
    "run": ["base", "stats", "model"],
    "report": ["base", "stats", "model"],  # never measures
    "cli": ["base", "stats", "model", "suite", "storage", "powercut", "space", "sweep", "observe",
            "run", "report"],
}

# The public headers: the meter's layout is everybody's, the instruments are for who measures. Who
# only names roles, operations and parts may call the functions that name them.
METER = "include/syncost/meter.h"
DRIVERS = {"sweep", "observe", "run", "cli"}
NAMERS = {"model", "report"}
NAMES = {"syncost_instrument_name", "syncost_role_name", "syncost_op_info", "syncost_part_name"}

# System headers that stay behind one door.
DOORS = {
    "cjson/": ["src/model/", "src/suite/", "src/storage/"],
    "liburing": ["src/storage/"],
    "openssl/": ["src/suite/", "vfs/layer/crypt.c"],
}

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)', re.MULTILINE)
CALL = re.compile(r"\b(syncost_\w+)\s*\(")
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


def sources(root):
    for top in ("src", "vfs", "include"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            for name in sorted(names):
                if name.endswith((".c", ".h", ".def")):
                    yield os.path.relpath(os.path.join(folder, name), root)


def read(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return COMMENT.sub("", file.read())


def includes(text):
    return [(quoted or system, bool(quoted)) for quoted, system in INCLUDE.findall(text)]


def room_of(path):
    parts = path.split("/")
    return parts[1] if parts[0] == "src" and len(parts) > 2 else parts[0]


def resolve(root, path, name):
    """The file that a quoted include means, from the root; the build makes X from X.in."""
    beside = os.path.normpath(os.path.join(os.path.dirname(path), name))
    for candidate in (beside, os.path.join("include", name)):
        for made_from in (candidate, candidate + ".in"):
            if os.path.exists(os.path.join(root, made_from)):
                return candidate
    return None


def may_include(path, target):
    room, aim = room_of(path), room_of(target)
    if aim == "include":
        return room in {"vfs", "include"} | DRIVERS | NAMERS or target == METER
    if room in ("vfs", "include"):
        return aim == room
    return aim == room or aim in BELOW.get(room, [])


def check_quoted(root, path, name):
    target = resolve(root, path, name)
    if target is None:
        return f"{path}: '{name}' is not there"
    return None if may_include(path, target) else f"{path} may not include {target}"


def check_system(path, name):
    for prefix, doors in DOORS.items():
        if name.startswith(prefix) and not path.startswith(tuple(doors)):
            return f"{path} may not include <{name}>"
    if name == "syncost.h" or name.startswith("syncost/"):
        return f"{path}: <{name}> is ours and goes into quotes"
    return None


def complaints(root):
    found = []
    for path in sources(root):
        if room_of(path) not in BELOW and room_of(path) not in ("vfs", "include"):
            found.append(f"{path}: no such room")
        text = read(root, path)
        for name, quoted in includes(text):
            complaint = check_quoted(root, path, name) if quoted else check_system(path, name)
            if complaint:
                found.append(complaint)
        if room_of(path) in NAMERS:
            found += [f"{path} may not call {name}" for name in CALL.findall(text)
                      if name not in NAMES]
    return found


class Layers(unittest.TestCase):
    def test_includes_point_down_only(self):
        root = sys.argv[1]
        self.assertGreater(len(list(sources(root))), 50, "too few files were looked at")
        self.assertEqual(complaints(root), [])

    def test_rooms_are_ordered(self):
        """what a room may see, sees less than the room"""
        for room, below in BELOW.items():
            for lower in below:
                self.assertNotIn(room, BELOW[lower])
                self.assertLessEqual(set(BELOW[lower]), set(below))


GOOD = {
    "include/syncost.h": '#include "syncost/meter.h"\n',
    "include/syncost/meter.h": "#include <stdint.h>\n",
    "vfs/file.h": '#include "syncost.h"\n',
    "vfs/layer/crypt.c": '#include "../file.h"\n#include <openssl/evp.h>\n',
    "src/base/err.h": "#include <stdio.h>\n",
    "src/stats/hist.h": '#include "../base/err.h"\n#include "syncost/meter.h"\n',
    "src/model/report.h": '/* #include "../cli/x.h" */\n#include "../stats/hist.h"\n'
                          '#include <cjson/cJSON.h>\n',
    "src/suite/suite.h": '#include "../model/report.h"\n',
    "src/storage/floor.c": '#include "../base/err.h"\n#include <liburing.h>\n',
    "src/sweep/run.c": '#include "../suite/suite.h"\n#include "syncost.h"\n',
    "src/report/csv.c": '#include "../model/report.h"\n#include "syncost.h"\n'
                        "const char *x = syncost_role_name(1);\n",
    "src/cli/main.c": '#include "../sweep/run.h"\n#include "made.h"\n',
    "src/cli/made.h.in": "",
    "src/sweep/run.h": "",
}

# One bad line each, and what is said of it.
BAD = [
    ("src/base/err.h", '#include "../model/report.h"', "may not include src/model/report.h"),
    ("src/base/err.h", '#include "../stats/hist.h"', "may not include src/stats/hist.h"),
    ("src/stats/hist.h", '#include "../model/report.h"', "may not include"),
    ("src/model/report.h", '  #  include "../suite/suite.h"', "may not include"),
    ("src/suite/suite.h", '#include "../sweep/run.h"', "may not include"),
    ("src/storage/floor.c", '#include "../suite/suite.h"', "may not include"),
    ("src/report/csv.c", '#include "../suite/suite.h"', "may not include"),
    ("src/report/csv.c", '#include "../sweep/run.h"', "may not include"),
    ("src/report/csv.c", "int y = syncost_start (NULL);", "may not call syncost_start"),
    ("src/storage/floor.c", '#include "syncost.h"', "may not include include/syncost.h"),
    ("src/sweep/run.c", '#include "../../vfs/file.h"', "may not include vfs/file.h"),
    ("src/sweep/run.c", '#include "../cli/made.h"', "may not include src/cli/made.h"),
    ("vfs/file.h", '#include "../src/base/err.h"', "may not include src/base/err.h"),
    ("include/syncost.h", '#include "../vfs/file.h"', "may not include vfs/file.h"),
    ("src/report/csv.c", "#include <cjson/cJSON.h>", "may not include <cjson/cJSON.h>"),
    ("vfs/file.h", "#include <openssl/evp.h>", "may not include <openssl/evp.h>"),
    ("src/base/err.h", "#include <liburing.h>", "may not include <liburing.h>"),
    ("src/base/err.h", "#include <syncost.h>", "goes into quotes"),
    ("src/base/err.h", '#include "gone.h"', "is not there"),
    ("src/extra/thing.c", "", "no such room"),
]


class Controls(unittest.TestCase):
    def tree(self, files):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        for path, text in files.items():
            full = os.path.join(folder.name, path)
            os.makedirs(os.path.dirname(full), exist_ok=True)
            with open(full, "w", encoding="utf-8") as file:
                file.write(text)
        return folder.name

    def test_a_tree_in_order_passes(self):
        self.assertEqual(complaints(self.tree(GOOD)), [])

    def test_each_bad_include_is_found(self):
        for path, line, said in BAD:
            files = dict(GOOD)
            files[path] = files.get(path, "") + line + "\n"
            found = complaints(self.tree(files))
            self.assertEqual(len(found), 1, (path, line, found))
            self.assertIn(path, found[0])
            self.assertIn(said, found[0])
