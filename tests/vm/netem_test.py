# SPDX-License-Identifier: BSD-3-Clause
"""Engine measure beside the kernel's netem, in a Linux guest: its kernel has netem whatever the host's has."""
import json
import pathlib
import shutil

import pytest

import initrd
import netem
from guest import Guest, kernel, lacking

pytestmark = pytest.mark.zcfwd
MODULES = ("veth", "llc", "stp", "bridge", "sch_netem")
DRIVERS = ("net_af_packet", "mempool_ring")
# Not those of BusyBox.
IP, TC, ETHTOOL = (shutil.which(name) or name for name in ("ip", "tc", "ethtool"))
MIB = 640
EAL = "--no-huge -m 200 --no-pci --no-telemetry --iova-mode=va '--lcores=(0-1)@0'"
LINES = (*netem.LINES, f"start for {netem.SENT} packets", "show measure", "quit")


def loaded(binary):
    """What the program loads by name: drivers, and what threads need to end."""
    eal = next(pathlib.Path(path) for path in initrd.libraries(binary) if "/librte_eal.so" in path)
    return [str(eal.with_name(eal.name.replace("eal", name))) for name in DRIVERS], str(eal.with_name("libgcc_s.so.1"))


@pytest.fixture(scope="module")
def guest(tmp_path_factory, binary):
    if why := lacking():
        pytest.skip(why)
    path = tmp_path_factory.mktemp("vm") / "initrd"
    drivers, libgcc = loaded(binary)
    initrd.write(path, kernel(), MODULES, (TC, IP, ETHTOOL, str(binary), *drivers, libgcc))
    with Guest(path, [], MIB) as machine:
        machine.boot()
        machine.sh("chmod 755 / && mkdir -p /var/run && printf '%s\\n' " + " ".join(f"'{line}'" for line in LINES) + " >/tmp/lines")
        yield machine


@pytest.fixture
def links(guest):
    guest.sh(" && ".join(f"{IP} {line}" for line in netem.LINKS) + f" && {ETHTOOL} -K {netem.LINEAR} sg off")
    yield
    guest.sh(f"{IP} link del zn && {IP} link del za && {IP} link del zc")


@pytest.mark.parametrize("words, holds", netem.ROWS, ids=netem.IDS)
def test_netem(guest, links, binary, words, holds):
    """Loss, duplicates, damage, order and delay are those that the guest's qdisc counts."""
    guest.sh(f"{TC} qdisc add dev {netem.QDISC_ON} root netem limit 100000 {words}")
    plugins = " ".join(f"-d {driver}" for driver in loaded(binary)[0])
    vdevs = " ".join(f"--vdev={port}" for port in netem.PORTS)
    said = guest.sh(f"{binary} {EAL} {plugins} {vdevs} -- --no-mlockall --total-num-mbufs=16384 --no-flush-rx --cmdline-file=/tmp/lines 2>&1", 120)
    answers = [json.loads(line) for line in said.splitlines() if line.startswith('{"command"')]
    assert all(answer["ok"] for answer in answers), said
    shown = next(answer for answer in answers if answer["command"] == "show measure")
    netem.check(shown["streams"], json.loads(guest.sh(f"{TC} -s -j qdisc show dev {netem.QDISC_ON}")), holds)
