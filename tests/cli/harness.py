# SPDX-License-Identifier: MIT
"""What the tests of the built program share: running it, looking at folders, reading reports."""

import atexit
import hashlib
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

SYNCOST = os.path.abspath(sys.argv[1])
PATIENCE = 240  # seconds, on the slowest machine under the slowest sanitizer


def readable_by_all(name):
    """A copy of a file beside this one: a checkout may stand where only its owner can read."""
    folder = tempfile.mkdtemp(prefix="syncost-test-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o755)
    path = os.path.join(folder, name)
    shutil.copyfile(os.path.join(os.path.dirname(os.path.abspath(__file__)), name), path)
    os.chmod(path, 0o644)
    return path


# Little data and few operations: a sample takes as long as its process.
SMALL = ["--suite", readable_by_all("small.json"), "--ops", "20", "--samples", "6"]


class Done:
    """What a run left: exit code, standard output and error."""

    def __init__(self, code, out, err):
        self.code, self.out, self.err = code, out, err

    def __repr__(self):
        return f"exit code {self.code}\n--- out\n{self.out}\n--- err\n{self.err}"


def default_signals():
    """For a new process: nohup and the background of a shell have some of them ignored."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


class Case(unittest.TestCase):
    """A case with a directory of its own, `self.place`, in which the program is run."""

    maxDiff = None

    def setUp(self):
        self.place = self.directory()

    def directory(self, parent=None):
        path = tempfile.mkdtemp(prefix="syncost-test-", dir=parent)
        self.addCleanup(shutil.rmtree, path, ignore_errors=True)
        return os.path.realpath(path)

    def run_syncost(self, *arguments, cwd=None, before=(), program=(SYNCOST,), **options):
        """Runs it; `before` is a command in front of it."""
        done = subprocess.run([*before, *program, *arguments], cwd=cwd or self.place,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=PATIENCE, **options)
        return Done(done.returncode, done.stdout, done.stderr)

    def start_syncost(self, *arguments, **options):
        process = subprocess.Popen([SYNCOST, *arguments], cwd=self.place,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True,
                                   preexec_fn=default_signals, **options)
        self.addCleanup(end, process)
        return process

    def assertDone(self, done, code=0):
        self.assertEqual(done.code, code, done)

    def assertOneLine(self, done, code, *words):
        """One line on standard error, with these words in it, and nothing on standard output."""
        self.assertEqual(done.code, code, done)
        self.assertEqual(done.out, "", done)
        self.assertRegex(done.err, r"\Asyncost[^\n]*\n\Z", done)
        for word in words:
            self.assertIn(word, done.err)

    def assertNoLitter(self, *directories):
        for directory in directories or (self.place,):
            self.assertEqual([name for name in os.listdir(directory)
                              if name.startswith(".syncost")], [])


def end(process):
    if process.poll() is None:
        process.kill()
    process.communicate()


def reports(place):
    """Names in ./syncost-reports, without the folder that is not a report yet."""
    try:
        names = os.listdir(os.path.join(place, "syncost-reports"))
    except FileNotFoundError:
        return []
    return sorted(name for name in names if not name.startswith("."))


def newest_report(place):
    return os.path.join(place, "syncost-reports", reports(place)[-1])


def summary(folder):
    with open(os.path.join(folder, "summary.json"), encoding="utf-8") as file:
        return json.load(file)


def cells(folder):
    """Cells by their identifier."""
    return {cell["id"]: cell for cell in summary(folder)["cells"]}


def samples(folder):
    with open(os.path.join(folder, "raw", "samples.ndjson"), encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def tree(root):
    """Each path below root with what would show that somebody touched it."""
    found = {}
    for folder, folders, names in os.walk(root):
        for name in [*folders, *names]:
            path = os.path.join(folder, name)
            status = os.lstat(path)
            digest = ""
            if os.path.isfile(path) and not os.path.islink(path):
                with open(path, "rb") as file:
                    digest = hashlib.sha256(file.read()).hexdigest()
            found[os.path.relpath(path, root)] = (status.st_mode, status.st_ino, status.st_size,
                                                  status.st_mtime_ns, digest)
    return found


def wait_for(condition, what):
    """The first true value of condition(), polled."""
    until = time.monotonic() + PATIENCE
    while time.monotonic() < until:
        value = condition()
        if value:
            return value
        time.sleep(0.002)
    raise AssertionError(f"{what} did not happen in {PATIENCE} s")


def sample_count(place):
    """Lines in the newest report's raw/samples.ndjson, 0 where there is none yet."""
    try:
        with open(os.path.join(newest_report(place), "raw", "samples.ndjson"), "rb") as file:
            return file.read().count(b"\n")
    except (FileNotFoundError, IndexError):
        return 0


def command_works(*command):
    """Whether a command exists, is permitted and succeeds here."""
    try:
        return subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True,
                              timeout=PATIENCE).returncode == 0
    except OSError:
        return False


def mount_namespace():
    """A command that runs another one with its own mounts; skips where that is forbidden."""
    for unshare in (["unshare", "--mount"], ["unshare", "--mount", "--map-root-user"]):
        with tempfile.TemporaryDirectory() as directory:
            if command_works(*unshare, "mount", "-t", "tmpfs", "tmpfs", directory):
                return unshare
    raise unittest.SkipTest("mounting is not permitted here")


def as_nobody():
    """A command that runs another one without root's rights, [] for who has none."""
    if os.geteuid() != 0:
        return []
    command = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    if not command_works(*command, SYNCOST, "--version"):
        raise unittest.SkipTest("another user cannot run the program where it was built")
    return command
