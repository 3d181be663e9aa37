# SPDX-License-Identifier: BSD-3-Clause
"""doc/howto/cards.md word for word on Debian hosts: their kernel and userland, the package zcfwd, and the packaged tools that the page names."""
import random
import re

import pytest

from debian import BOOT_S, TOOL_S, Debian
from host import OWN_BUS, PAGE, Cable, Nic, Shell

pytestmark = pytest.mark.zcfwd
CARD, KERNELS = "0000:01:00.0", "e1000e"  # where the page has its card, and the driver that it calls i40e
NAME = "enp1s0f0"
INSTALL_S = 900
FRAMES = 50


class Installed(Debian):
    """Its card is where the page has it, with a cable to the test."""

    LACKS = re.compile(r".*sriov_numvfs")  # no such card

    def __init__(self, suite, folder):
        self.cable = Cable(folder, "0")
        super().__init__(suite, folder, [Nic(KERNELS, self.cable.wire, OWN_BUS)], packages=True)

    def interface(self):
        """What udev does on a host with one: the driver, and the interface's name."""
        self.sh(f"modprobe {KERNELS}; ip link set \"$(ls /sys/bus/pci/devices/{CARD}/net)\" name {NAME}")


@pytest.fixture(params=["bookworm", "trixie"])
def debian(request, tmp_path):
    with Installed(request.param, tmp_path) as guest:
        guest.boot(BOOT_S).sh("echo 'APT::Get::Assume-Yes \"true\";' >/etc/apt/apt.conf.d/yes")
        guest.interface()
        yield guest


def test_page(debian):
    """Install, find, bind, forward, and give everything back."""
    debian.sh("apt-get install ./build-deb/zcfwd_*.deb", INSTALL_S)
    debian.sh("printf 'show port summary all\\nstart for 100ms\\nquit\\n' >/tmp/lines")
    said = debian.block("apt-get install dpdk", words=" </tmp/lines", timeout=INSTALL_S)
    assert re.search(rf"{CARD} '82574L .*' if={NAME} drv={KERNELS} unused=", said), said
    assert re.search(rf"(?m)^0 .* {CARD} +net_e1000_em ", said) and "Bye..." in said, said
    assert debian.driver(CARD) == "vfio-pci"
    found = debian.block("lspci -D", timeout=TOOL_S)
    assert re.search(rf"{CARD} Ethernet controller \[0200\]: .*82574L .*\[8086:10d3\]", found), found
    assert re.search(rf"{CARD} '82574L .*' drv=vfio-pci unused={KERNELS}", found), found
    assert debian.block("iommu_group/devices").split() == [CARD]
    debian.sh("rm -f /dev/hugepages/*map_*")
    forwards(debian)
    assert re.search(r"(?m)^0 +512 +2Mb +1Gb *$", debian.sh("dpdk-hugepages.py --show", TOOL_S))
    debian.block("rm -f /dev/hugepages", ("i40e", KERNELS), timeout=TOOL_S)
    assert debian.driver(CARD) == KERNELS and debian.free_pages() == [0, 0]


def forwards(guest):
    """The page's program line, its checklist, and frames that come back as macswap makes them."""
    [line] = re.findall(r"(?m)^zcfwd -l 1,2 -a 0000:01:00.0 -- -i$", PAGE)
    checks = re.search(r"(?ms)^```\n(zcfwd> doctor\n.*?)^```", PAGE)[1].replace("zcfwd> ", "").splitlines()
    dice = random.Random(1)
    with Shell(guest, line) as shell:
        shell.cmd("wait link all up 30s")
        for check in checks:
            said = shell.cmd(check, timeout=120)
            assert not re.search("(?m)^(Bad|Command not found|expected)", said), said
        shell.cmd("set fwd macswap", "start")
        guest.cable.drain()
        for _ in range(FRAMES):
            # QEMU's e1000e sends no frame that calls itself IPv4 and has no such header.
            frame = bytes([2, 0, 0, 0, 0, 7, 2, 0, 0, 0, 0, 8, 0x88, 0xb5]) + dice.randbytes(dice.randint(46, 1500))
            guest.cable.put(frame)
            assert guest.cable.take() == frame[6:12] + frame[:6] + frame[12:]
        shell.cmd("stop")
