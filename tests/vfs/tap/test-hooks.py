# SPDX-License-Identifier: MIT
"""The list of interposed calls against what libsqlite3 imports.

Arguments: a program linked with the tap, and the list, calls.def.
"""

import re
import shutil
import subprocess
import sys
import unittest

PROGRAM, LIST = sys.argv[1:3]

# Calls that touch files and are left alone, and why that loses no figure.
LEFT_ALONE = {
    "dlopen": "loads a library, none of SQLite's files",
    "fchmod": "a new journal or WAL gets the database's mode: no data, no sync, once per file",
    "fchown": "the same for its owner, as root only",
    "getcwd": "makes a full path: touches no file",
    "mkdir": "the lock directory of the dot-file VFS",
    "readlink": "resolves links in a database's name at open: reads no data",
    "rmdir": "the lock directory of the dot-file VFS",
    "utime": "keeps the lock directory of the dot-file VFS alive",
}

# Imports that have nothing to do with files.
NO_FILES = re.compile(r"""^(
    (_ITM_|__cxa_|__gmon_|__stack_chk_|__errno_location|__assert) .* |
    (_?_?)(mem|str|wcs|str[a-z]*)(cpy|move|set|cmp|chr|chrnul|rchr|len|cspn|spn|ncmp|casecmp|
        ncasecmp|tod|tol|toll|toul|toull|error|error_r|stok|str|nlen|ncpy|cat|dup)(_chk)? |
    (malloc|calloc|realloc|free|malloc_usable_size|posix_memalign|qsort|bsearch|abort|exit) |
    pthread_\w+ |
    (dlclose|dlerror|dlsym) |
    (getenv|geteuid|getuid|getpid|sysconf|gettimeofday|time|localtime(_r)?|gmtime(_r)?|clock) |
    (__)?v?snprintf(_chk)? |
    (acosh?|asinh?|atan|atan2|atanh|cosh?|sinh?|tanh?|exp|log|log2|log10|pow|sqrt|fmod|floor|
     ceil|trunc|fabs)f?l? |
    __(is|to)\w+_loc | isnan | __isnan | __cxa_finalize
)$""", re.VERBOSE)


def symbols(path, defined):
    listing = subprocess.run(["readelf", "--wide", "--dyn-syms", path], check=True,
                             capture_output=True, text=True).stdout
    found = set()
    for line in listing.splitlines():
        fields = line.split()
        if len(fields) >= 8 and fields[4] in ("GLOBAL", "WEAK"):
            if (fields[6] != "UND") == defined and fields[3] in ("FUNC", "NOTYPE", "IFUNC"):
                found.add(fields[7].partition("@")[0])
    return found


def library():
    """The libsqlite3 that the program loads; None if it is linked in."""
    listing = subprocess.run(["ldd", PROGRAM], check=True, capture_output=True, text=True).stdout
    match = re.search(r"libsqlite3\S* => (\S+)", listing)
    return match and match[1]


def hooks_of(text):
    return set(re.findall(r"^TAP_(?:FD|DATA|PATH|OWN)\([^,]+,\s*(\w+),", text, re.MULTILINE))


def uncovered(imports, hooks):
    return sorted(name for name in imports
                  if name not in hooks and name not in LEFT_ALONE and not NO_FILES.match(name))


class Hooks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not shutil.which("readelf"):
            raise unittest.SkipTest("readelf is not installed")
        with open(LIST, encoding="utf-8") as text:
            cls.hooks = hooks_of(text.read())

    def imports(self):
        path = library()
        if not path:
            self.skipTest("libsqlite3 is not a shared library here")
        return symbols(path, defined=False)

    def test_exported(self):
        """every call of the list is exported by a program linked with the tap"""
        self.assertGreater(len(self.hooks), 70)
        self.assertEqual(set(), self.hooks - symbols(PROGRAM, defined=True))

    def test_covered(self):
        """every import of libsqlite3 that touches files is hooked, or left alone for a reason"""
        self.assertEqual([], uncovered(self.imports(), self.hooks))

    def test_needed(self):
        """the calls that this libsqlite3 syncs, writes and opens with are among its imports"""
        imports = self.imports()
        for family in ({"fsync", "fdatasync"}, {"pwrite", "pwrite64", "write"}, {"open", "open64"}):
            self.assertTrue(imports & family & self.hooks, family)

    def test_missing_hook(self):
        """a hook missing from the list is noticed"""
        imports = self.imports()
        for name in sorted(imports & self.hooks):
            self.assertEqual([name], uncovered(imports, self.hooks - {name}))

    def test_new_import(self):
        """an import nobody has judged is noticed"""
        self.assertEqual(["copy_file_range"],
                         uncovered(self.imports() | {"copy_file_range"}, self.hooks))


if __name__ == "__main__":
    unittest.main()
