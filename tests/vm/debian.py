# SPDX-License-Identifier: BSD-3-Clause
"""Guests that are hosts of a Debian release: its kernel and userland, on a disk that is as it was after the test."""
import subprocess

import pytest

import initrd
from guest import ROOT, lacking
from host import Host

MIB = 5120
CPUS = (3, 1)  # lcores 1 and 2 of doc/howto/cards.md are of node 0
BOOT_S, TOOL_S = 400, 240


class Debian(Host):
    """folder: of the test. nics, iommu: as of Host. packages: whether the tree's are in /root/build-deb. more: an image that is mounted on /mnt."""

    def __init__(self, suite, folder, nics, iommu=True, packages=False, more=None):
        if why := lacking():
            pytest.skip(why)
        made = subprocess.run([ROOT / "devtools/guest-root", suite], capture_output=True, text=True, check=False, timeout=3600)
        if made.returncode != 0:
            pytest.fail(f"devtools/guest-root {suite}: {made.stderr}", pytrace=False)
        release = ROOT / made.stdout.strip()
        initrd.write(folder / "initrd", release / "kernel", initrd.DISK_MODULES, (), initrd.DISK_INIT, sorted((release / "packages").glob("*.deb")) * packages)
        super().__init__(folder / "initrd", nics, iommu, release / "kernel", MIB, CPUS)
        for path in filter(None, (release / "disk.ext4", more)):
            self.argv += ["-drive", f"file={path},if=virtio,format=raw,snapshot=on"]
