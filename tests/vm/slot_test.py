# SPDX-License-Identifier: BSD-3-Clause
"""Linux' own drivers on modelled cards: the guest has the card in a slot, and the program has the other end of its wire."""
import json
import re
import subprocess

import pytest
from conftest import ROOT
from guest import HARDWARE, QEMU, Guest, archive
from modelled import needs_model_nic
from netns import Namespaces, entering, ip
from session import Session, ordinary_pages

pytestmark = [pytest.mark.zcfwd, pytest.mark.netns, pytest.mark.tap, needs_model_nic]
# Of the model: the driver's module, and those that it needs.
DRIVERS = {"82599": ("libphy", "mdio_devres", "mdio", "dca", "xfrm_algo", "ixgbe"), "xl710": ("i40e",)}
NEAR, FAR = "10.79.0.1", "10.79.0.2"
PINGS, BYTES = 5, 2 << 20
CPUS, STREAMS = 2, 8  # of the guest: one queue for each; TCP streams, enough that RSS needs both queues
BOOT_S, ANSWER_MS = 400, 60000


@pytest.fixture(scope="module")
def qemu():
    """Words of a QEMU that has vfio-user-pci."""
    done = subprocess.run([ROOT / "devtools/guest-qemu"], capture_output=True, text=True, check=False, timeout=900)
    if done.returncode:
        pytest.skip(done.stderr.strip())
    return done.stdout.split("\n")[:-1]


@pytest.fixture(scope="module")
def disk(tmp_path_factory):
    return archive(tmp_path_factory, dict.fromkeys(sum(DRIVERS.values(), ())), flavour=HARDWARE)


class Slotted(Guest):
    """A guest with a card of the program in its slot 8."""

    def __init__(self, qemu, disk, path):
        super().__init__(disk, [], 256, HARDWARE)
        assert self.argv[0] == QEMU
        self.argv[:1] = qemu
        at = self.argv.index("-numa")
        self.argv[at:at + 2] = ["-machine", "q35,memory-backend=mem"]
        self.argv[self.argv.index("-smp") + 1] = str(CPUS)
        self.argv += ["-device", json.dumps({"driver": "vfio-user-pci", "addr": "0x8", "x-msg-timeout": ANSWER_MS,
                                             "socket": {"type": "unix", "path": str(path)}})]


def queues_used(guest, driver):
    """Queues that the driver has, those that received, and those that raised their own interrupt."""
    have = int(guest.sh("ls /sys/class/net/eth0/queues | grep -c rx"))
    counts = guest.sh("ethtool -S eth0")
    words = {"ixgbe": r"rx_queue_\d+_packets: (\d+)", "i40e": r"rx-\d+\.packets: (\d+)"}
    received = sum(int(n) > 0 for n in re.findall(words[driver], counts))
    lines = re.findall(rf"(?m)^ *\d+: +((?:\d+ +)+).*{'eth0-TxRx' if driver == 'ixgbe' else 'i40e-eth0-TxRx'}-\d+", guest.sh("cat /proc/interrupts"))
    return have, received, sum(any(int(n) for n in line.split()) for line in lines)


@pytest.mark.parametrize("card", DRIVERS)
def test_driver(binary, qemu, disk, tmp_path, card):
    """It loads without a complaint, finds the link, pings through an engine, loads again; then TCP both ways through a tap, by several queues."""
    path, driver = tmp_path / "slot", DRIVERS[card][-1]
    link = (f"ip addr add {NEAR}/24 dev eth0 && ip link set eth0 up && "
            "for i in $(seq 60); do [ \"$(cat /sys/class/net/eth0/carrier)\" != 1 ] || break; sleep 1; done")
    with Namespaces(1) as (name,), \
            Session(binary, ["net_tap0,iface=t0"], ["--model", f"{card},guest={path},rx=wire:1;{card},rx=wire:0"], lcores="(0-1)@(0-1)",
                    memory=ordinary_pages(256), wrapper=entering(name)) as session, Slotted(qemu, disk, path) as guest:
        guest.boot(BOOT_S)
        said = guest.sh(f"dmesg | grep {driver}")
        assert not re.search("(?i)error|warning|failed to|invalid", said.replace("reservation failed", "")), said
        session.ok("set portlist 0", "set fwd icmpecho", "start")
        guest.sh(f"{link} && ping -c {PINGS} -W 10 {FAR}", 200)
        session.cmd("stop")
        guest.sh(f"ip link set eth0 down && rmmod {driver} && insmod /modules/{driver}.ko && {link} && ethtool eth0 | grep 'Link detected: yes'", 200)
        session.ok("set portlist 0,1", "set fwd io", "start")
        ip("-n", name, "addr", "add", f"{FAR}/24", "dev", "t0")
        ip("-n", name, "link", "set", "t0", "up")
        subprocess.run([*entering(name), "ethtool", "-K", "t0", "tx", "off"], check=True, capture_output=True, timeout=60)
        for way in ("", "-R"):
            with subprocess.Popen([*entering(name), "iperf3", "-s", "-1"], stdout=subprocess.DEVNULL) as server:
                try:
                    said = guest.sh(f"sleep 1 && iperf3 -J -P {STREAMS} -c {FAR} -n {BYTES} {way}", 300)
                    # What the receiver has counted when the sender is done.
                    assert json.loads(said)["end"]["sum_sent"]["bytes"] >= BYTES and json.loads(said)["end"]["sum_received"]["bytes"] > BYTES // 4
                    server.wait(60)
                finally:
                    server.kill()
        assert queues_used(guest, driver) == (CPUS, CPUS, CPUS)
        session.cmd("stop")
        session.quit()
        assert session.rc == 0
