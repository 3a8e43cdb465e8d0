#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What lives inside the measured process needs libc and SQLite, and nothing else.

usage: run-unittest.py check-vfs-libs.py NM COMPILER… -- LIBRARY…

Symbols that the objects of vfs/ do not define among themselves must come from libc (with its
threads and its loader), from the compiler's own helpers, or be SQLite's; layer/crypt.c may use
libcrypto as well. Instrumented builds also need their sanitizer.
"""

import functools
import os
import re
import subprocess
import sys
import tempfile
import unittest

LIBC = ("libc.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2",
        "ld-linux-aarch64.so.1", "libgcc_s.so.1", "libatomic.so.1")
ALWAYS = re.compile(r"sqlite3_\w+|_GLOBAL_OFFSET_TABLE_|__dso_handle|_DYNAMIC|__ehdr_start")
SANITIZERS = re.compile(r"__(asan|ubsan|tsan|sanitizer|gcov|llvm)_\w+|llvm_gc\w+")
CRYPTO = re.compile(r"(EVP|RAND|CRYPTO|OPENSSL|ERR|OSSL)_\w+")
CRYPTO_OBJECT = "layer_crypt.c.o"


def arguments():
    end = sys.argv.index("--")
    return sys.argv[1], tuple(sys.argv[2:end]), sys.argv[end + 1:]


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@functools.cache
def libc_symbols(nm, compiler):
    symbols = set()
    for name in LIBC:
        path = run(*compiler, f"-print-file-name={name}").strip()
        if os.path.isabs(path) and os.path.exists(path):
            for line in run(nm, "-D", "--defined-only", "--format=posix", path).splitlines():
                symbols.add(line.split("@")[0].split()[0])
    return symbols


def symbols_of(nm, library):
    """(object, symbol, whether it is defined there) of each external symbol."""
    current = os.path.basename(library)
    for line in run(nm, "-g", "--format=posix", library).splitlines():
        fields = line.split()
        if len(fields) == 1 and line.endswith(":"):  # "libsc-vfs.a[ledger.c.o]:"
            current = line[line.index("[") + 1:-2] if "[" in line else line[:-1]
        elif len(fields) > 1:
            yield current, fields[0], fields[1] not in "Uw"


def complaints(nm, libraries, libc):
    symbols = [entry for library in libraries for entry in symbols_of(nm, library)]
    own = {symbol for _, symbol, is_defined in symbols if is_defined}
    found = set()
    for made, symbol, is_defined in symbols:
        if is_defined or symbol in own or symbol in libc:
            continue
        if ALWAYS.fullmatch(symbol) or SANITIZERS.fullmatch(symbol):
            continue
        if made.endswith(CRYPTO_OBJECT) and CRYPTO.fullmatch(symbol):
            continue
        found.add(f"{made} needs {symbol}")
    return sorted(found)


class Libraries(unittest.TestCase):
    def test_the_instruments_need_libc_and_sqlite_alone(self):
        nm, compiler, libraries = arguments()
        libc = libc_symbols(nm, compiler)
        self.assertIn("pthread_mutex_lock", libc)
        self.assertIn("dlsym", libc)
        self.assertEqual(complaints(nm, libraries, libc), [])


class Controls(unittest.TestCase):
    def judge(self, name, text):
        nm, compiler, _ = arguments()
        with tempfile.TemporaryDirectory() as folder:
            source, made = os.path.join(folder, "x.c"), os.path.join(folder, name)
            with open(source, "w", encoding="utf-8") as file:
                file.write(text)
            run(*compiler, "-c", source, "-o", made)
            return complaints(nm, [made], libc_symbols(nm, compiler))

    def test_libc_sqlite_and_its_own_symbols_pass(self):
        self.assertEqual(self.judge("x.o", "int sqlite3_sleep(int); int fsync(int); int own;\n"
                                           "int sc_f(void) { return sqlite3_sleep(own)\n"
                                           "\t+ fsync(0); }\n"), [])

    def test_the_tools_code_and_other_libraries_are_found(self):
        for symbol in ("sc_fail", "cJSON_Parse", "io_uring_setup_ring", "EVP_sha256", "zlibVersion"):
            self.assertEqual(self.judge("x.o", f"int {symbol}(void);\n"
                                               f"int sc_f(void) {{ return {symbol}(); }}\n"),
                             [f"x.o needs {symbol}"])

    def test_libcrypto_is_for_the_one_file_that_encrypts(self):
        text = "int EVP_sha256(void);\nint sc_f(void) { return EVP_sha256(); }\n"
        self.assertEqual(self.judge(CRYPTO_OBJECT, text), [])
