# SPDX-License-Identifier: BSD-3-Clause
"""Engine measure beside the kernel's netem, in a Linux guest: its kernel has netem whatever the host's has."""
import json
import shutil

import pytest

import netem
from guest import Guest, Program, archive

pytestmark = pytest.mark.zcfwd
MODULES = ("veth", "llc", "stp", "bridge", "sch_netem")
DRIVERS = ("net_af_packet", "mempool_ring")
# Not those of BusyBox.
IP, TC, ETHTOOL = (shutil.which(name) or name for name in ("ip", "tc", "ethtool"))
MIB = 640
EAL = "--no-huge -m 200 --no-pci --iova-mode=va '--lcores=(0-1)@0'"
LINES = (*netem.LINES, f"start for {netem.SENT} packets", "show measure", "quit")


@pytest.fixture(scope="module")
def guest(tmp_path_factory, binary):
    program = Program(binary, DRIVERS)
    with Guest(archive(tmp_path_factory, MODULES, (TC, IP, ETHTOOL, *program.files)), [], MIB) as machine:
        machine.boot()
        machine.sh("chmod 755 / && mkdir -p /var/run && printf '%s\\n' " + " ".join(f"'{line}'" for line in LINES) + " >/tmp/lines")
        machine.line = program.line(EAL + "".join(f" --vdev={port}" for port in netem.PORTS),
                                    "--total-num-mbufs=16384 --no-flush-rx --cmdline-file=/tmp/lines")
        yield machine


@pytest.fixture
def links(guest):
    guest.sh(" && ".join(f"{IP} {line}" for line in netem.LINKS) + f" && {ETHTOOL} -K {netem.LINEAR} sg off")
    yield
    guest.sh(f"{IP} link del zn && {IP} link del za && {IP} link del zc")


@pytest.mark.parametrize("words, holds", netem.ROWS, ids=netem.IDS)
def test_netem(guest, links, words, holds):
    """Loss, duplicates, damage, order and delay are those that the guest's qdisc counts."""
    guest.sh(f"{TC} qdisc add dev {netem.QDISC_ON} root netem limit 100000 {words}")
    before = netem.fragments(guest.sh("cat /proc/net/snmp"))
    said = guest.sh(f"{guest.line} 2>&1", 120)
    answers = [json.loads(line) for line in said.splitlines() if line.startswith('{"command"')]
    assert all(answer["ok"] for answer in answers), said
    shown = next(answer for answer in answers if answer["command"] == "show measure")
    netem.check(shown["streams"], json.loads(guest.sh(f"{TC} -s -j qdisc show dev {netem.QDISC_ON}")),
                netem.fragments(guest.sh("cat /proc/net/snmp")) - before, holds)
