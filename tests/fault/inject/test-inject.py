#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The library that makes calls fail, and the walker, on a program whose manners are known.

usage: run-unittest.py test-inject.py LIBRARY SAMPLE HAS-MEMORY
"""

import os
import sys
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)

from walk import Walk  # noqa: E402

LIBRARY, SAMPLE = (os.path.abspath(path) for path in sys.argv[1:3])
HAS_MEMORY = sys.argv[3] == "true"
WHOLE = '{"written": "whole"}\n'


def read(place, name="file"):
    try:
        with open(os.path.join(place, name), encoding="utf-8") as file:
            return file.read()
    except FileNotFoundError:
        return None


def is_whole(run):
    """Old or new, and new only where it says so."""
    content = read(run.place)
    if run.code == 0 and content != WHOLE:
        return [f"says that it is done, and left {content!r}"]
    return [] if content in ("old\n", WHOLE) else [f"a torn file: {content!r}"]


def prepare(place):
    with open(os.path.join(place, "file"), "w", encoding="utf-8") as file:
        file.write("old\n")


def walk_of(manner):
    return Walk(LIBRARY, [SAMPLE, manner, "PLACE/file"], prepare, is_whole)


class Injects(unittest.TestCase):
    def run_once(self, nth, manner="careful", **how):
        run, complaints = walk_of(manner).run_once(nth, **how)
        self.assertEqual(complaints, [])
        return run

    def test_nothing_fails_unless_asked_for_and_calls_are_counted(self):
        run = self.run_once(0, calls="write,fsync,close,rename,open")
        self.assertEqual((run.code, run.injected), (0, 0))
        self.assertEqual(run.matched, 5)

    def test_each_kind_fails_with_the_error_asked_for(self):
        for kind, error, words in (("open", "EMFILE", "open: Too many open files"),
                                   ("write", "ENOSPC", "write: No space left on device"),
                                   ("fsync", "EIO", "fsync: Input/output error"),
                                   ("close", "EIO", "close: Input/output error"),
                                   ("rename", "EROFS", "rename: Read-only file system")):
            run = self.run_once(1, calls=kind, error=error)
            self.assertEqual((run.code, run.injected), (4, 1), kind)
            self.assertIn(words, run.err)
            self.assertEqual(read(run.place), None)  # gone with the place; it was looked at before

    def test_the_fault_names_the_call_and_what_it_was_on(self):
        self.assertRegex(self.run_once(1, calls="fsync").what, r"^fsync /.*/place/file\.tmp$")
        self.assertRegex(self.run_once(1, calls="rename").what, r"^rename /.*/place/file$")

    def test_eintr_and_short_writes_are_survived_by_who_expects_them(self):
        for error in ("EINTR", "SHORT"):
            for nth in (1, 2, 3):
                run = self.run_once(nth, calls="write", error=error)
                self.assertEqual(run.code, 0, run.err)
        run = self.run_once(1, calls="write", error="SHORT")
        self.assertEqual((run.injected, run.matched), (1, 2))

    def test_a_short_write_is_short(self):
        run, complaints = walk_of("short-sighted").run_once(1, calls="write", error="SHORT")
        self.assertEqual(run.code, 0)
        self.assertRegex(complaints[0], "says that it is done")

    def test_a_pattern_picks_the_path(self):
        self.assertEqual(self.run_once(1, calls="any", path="*/nowhere").matched, 0)
        run = self.run_once(1, calls="any", path="*.tmp")
        self.assertRegex(run.what, r"^open.* /.*file\.tmp$")

    def test_a_pattern_picks_the_process(self):
        self.assertEqual(self.run_once(1, process="*no-such-word*").matched, 0)
        self.assertEqual(self.run_once(1, process="!*sample careful*").matched, 0)
        self.assertEqual(self.run_once(1, process="*sample careful*").injected, 1)

    def test_a_sticky_fault_stays(self):
        once = self.run_once(1, calls="write", error="EINTR")
        self.assertEqual((once.code, once.injected), (0, 1))
        run = self.run_once(1, calls="write,close", error="ENOSPC", sticky=1)
        self.assertEqual((run.code, run.injected), (4, 2))

    def test_calls_of_a_child_count_too(self):
        parent = self.run_once(0, calls="write")
        child = self.run_once(0, "forking", calls="write")
        self.assertEqual(parent.matched, child.matched)
        run = self.run_once(1, "forking", calls="fork", error="EMFILE")
        self.assertIn("fork:", run.err)

    def test_streams_go_through_it(self):
        run, _ = walk_of("torn").run_once(5, calls="write", error="ENOSPC", path="*/file")
        self.assertEqual(run.code, 4)
        self.assertIn("write: No space left on device", run.err)

    @unittest.skipUnless(HAS_MEMORY, "a sanitizer has its own allocator")
    def test_allocations_fail_too(self):
        walk = Walk(LIBRARY, [SAMPLE, "allocating", "PLACE/file"])
        self.assertEqual(walk.run(calls="memory", process="*allocating*"), [])
        self.assertGreaterEqual(walk.faults, 3)
        self.assertEqual(list(walk.outcomes), [4, 0])


class Walks(unittest.TestCase):
    def test_a_careful_program_passes_each_fault(self):
        for error in ("EIO", "ENOSPC", "EROFS", "EMFILE", "EINTR", "SHORT"):
            for manner in ("careful", "forking"):
                walk = walk_of(manner)
                self.assertEqual(walk.run(error=error), [], error)
                if error != "SHORT":
                    self.assertGreaterEqual(walk.faults, 5)

    def complaints(self, manner, **how):
        return "\n".join(walk_of(manner).run(**how))

    def test_each_fault_of_manners_is_noticed(self):
        for manner, words in (("mute", "a failure is not one line"),
                              ("chatty", "a failure is not one line"),
                              ("wrong-code", "exit code 7"),
                              ("crashing", "killed by signal"),
                              ("littering", "left behind"),
                              ("leaky", "open at exit"),
                              ("torn", "a torn file")):
            self.assertIn(words, self.complaints(manner), manner)
        self.assertIn("says that it is done", self.complaints("short-sighted", error="SHORT"))

    def test_what_is_left_behind_may_be_removed_by_the_next_run_if_it_was_named(self):
        def litter_of(manner, again):
            walk = Walk(LIBRARY, [SAMPLE, manner, "PLACE/file"], prepare, is_whole, again=again)
            return "left behind" in "\n".join(walk.run(calls="rename"))
        clear = ["rm", "PLACE/file.tmp"]
        self.assertTrue(litter_of("littering", clear))  # it did not say so
        self.assertFalse(litter_of("littering-aloud", clear))
        self.assertTrue(litter_of("littering-aloud", ["true"]))

    def test_a_walk_ends_when_nothing_is_left_to_fail(self):
        walk = walk_of("careful")
        self.assertEqual(walk.run(calls="rename"), [])
        self.assertEqual((walk.faults, walk.outcomes), (1, {4: 1, 0: 0}))

    def test_a_walk_that_does_not_end_is_a_complaint(self):
        self.assertIn("there are still more", self.complaints("careful", limit=2))

    def test_a_program_that_fails_by_itself_is_a_complaint(self):
        walk = Walk(LIBRARY, [SAMPLE, "careful", "PLACE/no/such/folder"])
        self.assertIn("no call failed, and the exit code is 4", "\n".join(walk.run(calls="wait")))


if __name__ == "__main__":
    unittest.main()
