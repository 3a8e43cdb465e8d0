# SPDX-License-Identifier: MIT
"""syncost probe on real file systems in loop images, made and removed here; as root alone."""

import json
import os
import re
import shutil
import subprocess

from harness import Case, command_works, mount_namespace

SHORT = ["probe", "--quick", "--time", "400ms", "--format", "json"]
MAKE = {"ext4": ["mkfs.ext4", "-q", "-F"], "xfs": ["mkfs.xfs", "-q"], "btrfs": ["mkfs.btrfs", "-q"]}
IMAGE_BYTES = 400 << 20  # sparse


def findmnt(path, column):
    done = subprocess.run(["findmnt", "-n", "-o", column, "-T", path], capture_output=True,
                          text=True, check=False)
    return done.stdout.strip().split("\n")[-1]  # of several at one point the last is seen


class Images(Case):
    def probe(self, filesystem, options="defaults", parent=None, code=0):
        """Probes a fresh file system; its target as JSON, and the path of the image."""
        if os.geteuid() != 0:
            self.skipTest("only root can mount an image")
        if not shutil.which(MAKE[filesystem][0]):
            self.skipTest(f"{MAKE[filesystem][0]} is not here")
        place = self.directory(parent)
        image, target = os.path.join(place, "image"), os.path.join(place, "mounted")
        os.mkdir(target)
        with open(image, "wb") as file:
            file.truncate(IMAGE_BYTES)
        if not command_works(*MAKE[filesystem], image):
            self.skipTest(f"{MAKE[filesystem][0]} does not work here")
        mount = f'mount -t {filesystem} -o loop,{options} "$0" "$1"'
        namespace = mount_namespace()
        if not command_works(*namespace, "sh", "-c", f'{mount} && umount "$1"', image, target):
            self.skipTest(f"{filesystem} cannot be mounted here")
        done = self.run_syncost(*SHORT, target, before=[
            *namespace, "sh", "-c",
            f'{mount} && shift && {{ "$@"; code=$?; ls -A "$DIR" >&2; umount "$DIR"; exit $code; }}',
            image, target], env={**os.environ, "DIR": target})
        self.assertDone(done, code)
        left = [name for name in done.err.split() if name != "lost+found"]
        self.assertEqual(left, [], "the probe left files behind")
        return json.loads(done.out)["targets"][0], image

    def check(self, filesystem):
        target, image = self.probe(filesystem)
        self.assertEqual(target["filesystem"], filesystem)
        # Through the loop device to what the image is on, as findmnt sees it.
        below = findmnt(image, "FSTYPE")
        self.assertRegex(target["storage"], r"\Aloop\d+ \(" + re.escape(image) + r"\) on "
                         + re.escape(below))
        source = findmnt(image, "SOURCE")
        if source.startswith("/dev/"):
            disk = subprocess.run(["lsblk", "-n", "-d", "-o", "PKNAME", source],
                                  capture_output=True, text=True).stdout.strip()
            self.assertIn(" on " + (disk or os.path.basename(source)),
                          target["storage"].split(below, 1)[1])
        self.assertIs(target["complete"], True)
        for row in target["rows"]:
            if "io_uring" not in str(row["operation_ns"].get("reason")):
                self.assertNotIn("status", row["operation_ns"], row["key"])

    def test_ext4(self):
        """ext4 in an image: every row is measured, and the chain ends at the backing disk"""
        self.check("ext4")

    def test_xfs(self):
        """xfs in an image: the same"""
        self.check("xfs")

    def test_btrfs(self):
        """btrfs in an image: the same"""
        self.check("btrfs")

    def test_no_barrier(self):
        """a mount without barriers is a severe finding: exit code 1"""
        target, _ = self.probe("ext4", "nobarrier", code=1)
        self.assertIn("flush-disabled", [one["code"] for one in target["findings"]])
        target, _ = self.probe("ext4")  # the control
        self.assertNotIn("flush-disabled", [one["code"] for one in target["findings"]])

    def test_image_in_memory(self):
        """an image in memory is memory, whatever file system is in it"""
        if findmnt("/dev/shm", "FSTYPE") != "tmpfs":
            self.skipTest("/dev/shm is no tmpfs")
        target, image = self.probe("ext4", parent="/dev/shm")
        self.assertEqual(target["filesystem"], "ext4")
        self.assertIs(target["in_memory"], True)
        self.assertTrue(target["storage"].endswith(f"({image}) on tmpfs"), target["storage"])
        self.assertIn("sync-buys-nothing", [one["code"] for one in target["findings"]])
        self.assertEqual(target["cheapest"]["status"], "skipped")
