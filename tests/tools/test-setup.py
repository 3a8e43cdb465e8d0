# SPDX-License-Identifier: MIT
"""tools/setup.sh with stand-ins for dpkg-query, apt-get, id and sudo. Argument: its path."""

import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SETUP = os.path.abspath(sys.argv[1])

# What the stand-ins do is said by files in their folder; what apt-get was asked goes to "asked".
STAND_INS = {
    "dpkg-query": """#!/bin/sh
shift 3
for package; do grep -qx "$package" "$STATE/absent" || echo "$package installed"; done
exit 1
""",
    "apt-get": """#!/bin/sh
echo "$DEBIAN_FRONTEND $*" >>"$STATE/asked"
case "$*" in *update*) exit "$(cat "$STATE/update" 2>/dev/null || echo 0)" ;; esac
echo "E: no such thing"
exit "$(cat "$STATE/install" 2>/dev/null || echo 0)"
""",
    "id": """#!/bin/sh
cat "$STATE/uid" 2>/dev/null || echo 0
""",
}
SUDO = """#!/bin/sh
echo "sudo $*" >>"$STATE/asked"
[ "$1" = -n ] && shift
exec "$@"
"""


class Setup(unittest.TestCase):
    def setUp(self):
        self.state = tempfile.mkdtemp(prefix="syncost-setup-")
        self.addCleanup(shutil.rmtree, self.state)
        for name, text in STAND_INS.items():
            self.program(name, text)
        for name in ("sh", "cat", "echo", "env", "grep", "mktemp", "rm", "sed", "tail", "true"):
            os.symlink(shutil.which(name), os.path.join(self.state, name))
        self.say("absent", "")

    def program(self, name, text):
        self.say(name, text)
        os.chmod(os.path.join(self.state, name), 0o755)

    def say(self, name, text):
        with open(os.path.join(self.state, name), "w", encoding="utf-8") as file:
            file.write(text)

    def asked(self):
        """The lines that apt-get, and sudo, were called with."""
        try:
            with open(os.path.join(self.state, "asked"), encoding="utf-8") as file:
                return file.read().splitlines()
        except FileNotFoundError:
            return []

    def run_setup(self, *arguments):
        environment = {"PATH": self.state, "STATE": self.state}
        return subprocess.run([SETUP, *arguments], env=environment, text=True,
                              stdin=subprocess.DEVNULL, capture_output=True)

    def test_nothing_missing(self):
        """where nothing is missing it says nothing and asks nothing of apt"""
        for arguments in ([], ["--all"], ["--build"], ["--dry-run"]):
            done = self.run_setup(*arguments)
            self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        self.assertEqual(self.asked(), [])

    def test_only_missing(self):
        """only what is missing is installed, after saying so, without questions"""
        self.say("absent", "strace\nninja-build\n")
        done = self.run_setup()
        self.assertEqual(done.returncode, 0)
        self.assertIn("installing 2 packages and what they depend on: ninja-build strace",
                      done.stderr)
        self.assertEqual(len(self.asked()), 2)
        self.assertRegex(self.asked()[0], "^noninteractive .* update$")
        self.assertRegex(self.asked()[1],
                         "^noninteractive .* install -y --no-install-recommends ninja-build strace$")

    def test_tiers(self):
        """each tier has its packages: a build needs no strace, the slow tiers need valgrind"""
        self.say("absent", "gcc\nstrace\nvalgrind\n")
        for arguments, expected in ((["--build"], "1 packages: gcc"),
                                    ([], "2 packages: gcc strace"),
                                    (["--all"], "3 packages: gcc strace valgrind")):
            done = self.run_setup("--dry-run", *arguments)
            self.assertEqual(done.stdout, f"would install {expected}\n")
        self.assertEqual(self.asked(), [])

    def test_sudo(self):
        """a user with sudo installs through it"""
        self.say("absent", "strace\n")
        self.say("uid", "1000")
        self.program("sudo", SUDO)
        self.assertEqual(self.run_setup().returncode, 0)
        self.assertRegex(self.asked()[-2], "^sudo -n env DEBIAN_FRONTEND=noninteractive apt-get")
        self.assertRegex(self.asked()[-1], "install -y .* strace$")

    def test_no_root(self):
        """a user without sudo gets one line that says what to install"""
        self.say("absent", "strace\n")
        self.say("uid", "1000")
        done = self.run_setup()
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, "tools/setup.sh: not root and no sudo here: as root, run "
                                      "apt-get install strace\n")
        self.assertEqual(self.asked(), [])

    def test_update_fails(self):
        """a failing update is said, and the lists that are there are tried"""
        self.say("absent", "strace\n")
        self.say("update", "100")
        done = self.run_setup()
        self.assertEqual(done.returncode, 0)
        self.assertIn("apt-get update failed", done.stderr)

    def test_install_fails(self):
        """a failing install shows what apt said, and fails"""
        self.say("absent", "strace\n")
        self.say("install", "100")
        done = self.run_setup()
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: no such thing", done.stderr)
        self.assertIn("tools/setup.sh: apt-get install failed", done.stderr)

    def test_usage(self):
        """an unknown argument is a usage error"""
        done = self.run_setup("--everything")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown argument '--everything'", done.stderr)
