#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Runs the unittest cases of one file and prints TAP, so that meson knows each by its sentence.

usage: run-unittest.py FILE [ARGUMENT…]

A case's name is the first line of its docstring, or its method name with spaces. The arguments are
left in sys.argv for the file to read. What a case prints or fails with goes to standard error.
"""

import importlib.util
import os
import sys
import unittest


class TapResult(unittest.TestResult):
    def __init__(self):
        super().__init__()
        self.number = 0

    def say(self, ok, test, suffix=""):
        self.number += 1
        print(f"{ok} {self.number} - {sentence(test)}{suffix}", flush=True)

    def addSuccess(self, test):
        super().addSuccess(test)
        self.say("ok", test)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self.say("ok", test, f" # SKIP {one_line(reason)}")

    def addFailure(self, test, error):
        super().addFailure(test, error)
        self.say("not ok", test)
        sys.stderr.write(self.failures[-1][1])

    def addError(self, test, error):
        super().addError(test, error)
        self.say("not ok", test)
        sys.stderr.write(self.errors[-1][1])

    def addSubTest(self, test, subtest, error):
        super().addSubTest(test, subtest, error)
        if error is not None:
            self.say("not ok", subtest)
            sys.stderr.write((self.failures + self.errors)[-1][1])

    def addExpectedFailure(self, test, error):
        super().addExpectedFailure(test, error)
        self.say("ok", test)

    def addUnexpectedSuccess(self, test):
        super().addUnexpectedSuccess(test)
        self.say("not ok", test)


def one_line(text):
    return " ".join(str(text).split()).replace("#", "no. ")


def sentence(test):
    text = test.shortDescription()
    if not text:
        text = test.id().rpartition(".")[2].removeprefix("test_").replace("_", " ")
    return one_line(text)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    path = sys.argv[1]
    sys.argv = sys.argv[1:]
    sys.path.insert(0, os.path.dirname(os.path.abspath(path)))
    name = os.path.splitext(os.path.basename(path))[0].replace("-", "_")
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)

    suite = unittest.defaultTestLoader.loadTestsFromModule(module)
    result = TapResult()
    suite.run(result)
    print(f"1..{result.number}", flush=True)
    sys.exit(0 if result.wasSuccessful() and result.number else 1)


if __name__ == "__main__":
    main()
