# SPDX-License-Identifier: BSD-3-Clause
"""The commands of doc/howto/cards.md in a Linux guest with an IOMMU, two nodes and PCI cards: the kernel takes them, and the ports forward."""
import re

import pytest

from guest import Program, archive
from host import HUB, MODULES, PAGE, PAGES, Host, Nic

pytestmark = pytest.mark.zcfwd
FIRST, SECOND, THIRD = "0000:00:08.0", "0000:00:09.0", "0000:00:0a.0"


def nics():
    """virtio cards at FIRST and SECOND, connected to each other, and a vmxnet3 at THIRD."""
    return [Nic(model, HUB) for model in ("virtio-net-pci", "virtio-net-pci", "vmxnet3")]


@pytest.fixture(scope="module")
def program(binary):
    return Program(binary, ("net_virtio", "net_vmxnet3", "mempool_ring", "bus_pci"))


@pytest.fixture(scope="module")
def disk(tmp_path_factory, program):
    return archive(tmp_path_factory, MODULES, program.files)


def command(program, words, cards, own=""):
    return program.line(f"-l 0,1 {words} " + " ".join(f"-a {card}" for card in cards), f"-i --total-num-mbufs=8192 {own}")


def forwards(guest, program, words, cards=(FIRST, SECOND), user=None):
    """Start on the cards; packets that one sends arrive at the other, at the latest in the second run. Returns what the program said."""
    guest.sh("printf 'set flush_rx off\\nstart tx_first\\nstop\\nstart for 1s\\nquit\\n' >/tmp/lines")
    line = f"{command(program, words, cards)} </tmp/lines 2>&1"
    said = guest.sh(line if user is None else f"su {user} -s /bin/sh -c '{line}'", 240)
    moved = re.findall(r"RX-total: (\d+)", said)
    assert len(moved) == 6 and all(int(n) > 0 for n in moved[3:]), said  # two ports and their sum, twice
    return said


@pytest.fixture(scope="module")
def with_iommu(disk):
    with Host(disk, nics()) as guest:
        guest.boot().users()
        guest.kernels = {card: guest.driver(card) for card in (FIRST, SECOND, THIRD)}
        assert guest.block("for d in ").splitlines() == [
            f"{card} {numbers} node -1 ../../../bus/pci/drivers/{guest.kernels[card]}"
            for card, numbers in ((FIRST, "0x1af4 0x1041"), (SECOND, "0x1af4 0x1041"), (THIRD, "0x15ad 0x07b0"))]
        assert guest.block("iommu_group/devices", ("0000:01:00.0", FIRST)).split() == [FIRST]
        for card in guest.kernels:
            guest.bind(card, "vfio-pci")
        guest.reserve_pages()
        yield guest


@pytest.mark.parametrize("cards", [(FIRST, SECOND), (FIRST, THIRD)], ids=["virtio", "vmxnet3"])
def test_vfio(with_iommu, program, cards):
    """Debian's kernel turns the IOMMU on; without a mount and with --in-memory all pages are free afterwards."""
    assert "IOVA mode 'VA'" in forwards(with_iommu, program, "--in-memory", cards)
    assert with_iommu.free_pages() == [PAGES] * 2


def test_vfio_without_huge_pages(with_iommu, program):
    forwards(with_iommu, program, "--no-huge -m 128")


def test_vfio_without_root(with_iommu, program):
    for card in (FIRST, SECOND):
        with_iommu.block("user=alice", ("0000:01:00.0", card))
    assert with_iommu.sh("cat /etc/security/limits.d/zcfwd.conf").strip() == "alice - memlock unlimited"
    with_iommu.sh("ulimit -l unlimited")
    assert "IOVA mode 'VA'" in forwards(with_iommu, program, "--in-memory", user="alice")


def test_detached_and_attached(with_iommu, program):
    """The page's lines for a card that is taken away on purpose; --strict ends the program at the first that fails."""
    planned = re.search(r"(?ms)^Planned.*?^```\n(.*?)^```", PAGE)[1].replace("0000:01:00.0", FIRST).replace("zcfwd> ", "")
    with_iommu.sh("cat >/tmp/lines <<'END'\nstart tx_first\n" + planned + "show port summary all\nquit\nEND\ntrue")
    said = with_iommu.sh(f"{command(program, '--in-memory', (FIRST, SECOND), '--strict')} </tmp/lines 2>&1", 240)
    assert re.search(rf"Number of available ports: 2\n.*\n0 .*{FIRST}", said), said


def test_removed(with_iommu, program):
    """With --hot-plug the run ends and the port goes, before the next prompt; the other port remains. A card that appears is named."""
    guest = with_iommu

    def wait(what, meanwhile=":"):
        guest.sh(f"until grep -q '{what}' /tmp/out; do {meanwhile}; sleep 1; done", 120)

    line = command(program, "--in-memory", (FIRST, SECOND), "--hot-plug")
    guest.sh(f"mkfifo /tmp/in; exec 3<>/tmp/in; ({line} </tmp/in >/tmp/out 2>&1; echo gone >>/tmp/out) & true")
    guest.sh("echo 'start tx_first' >&3")
    wait("defaults: rxd")
    guest.sh(f"(echo 1 >/sys/bus/pci/devices/{SECOND}/remove) & true")
    wait("Now total ports is 1", "echo >&3")
    guest.sh(f"until [ ! -e /sys/bus/pci/devices/{SECOND} ]; do sleep 1; done; echo 1 >/sys/bus/pci/rescan")
    wait(f"new device {SECOND}; use")
    guest.bind(SECOND, "vfio-pci")
    guest.sh(f"echo 'port attach {SECOND}' >&3; echo 'show port summary all' >&3; echo quit >&3")
    wait("^gone")
    said = guest.sh("cat /tmp/out")
    order = ["Accumulated forward statistics", "Stopping ports...", "Port 1 is closed", "Device is detached", "new device", "Number of available ports: 2"]
    places = [said.find(text) for text in order]
    assert -1 not in places and places == sorted(places), said


def test_back_to_the_kernel(with_iommu):
    for card in with_iommu.kernels:
        with_iommu.give_back(card)
        assert with_iommu.driver(card) == with_iommu.kernels[card]


def test_uio(disk, program):
    """Without an IOMMU: physical addresses and files in /dev/hugepages; vfio-pci has no other mode in Debian's kernels."""
    with Host(disk, nics(), iommu=False) as guest:
        guest.boot().sh("mkdir -p /var/run; chmod 755 /")
        assert guest.sh("ls /sys/kernel/iommu_groups") == ""
        assert guest.sh("[ -d /sys/module/vfio ] && [ ! -e /sys/module/vfio/parameters/enable_unsafe_noiommu_mode ] && echo none") == "none\n"
        guest.reserve_pages()
        for card in (FIRST, SECOND):
            guest.bind(card, "uio_pci_generic")
        guest.sh("mkdir -p /dev/hugepages && mount -t hugetlbfs nodev /dev/hugepages")
        assert "IOVA mode 'PA'" in forwards(guest, program, "")
        assert "rtemap_0" in guest.sh("ls /dev/hugepages")
        guest.block("rm -f /dev/hugepages")
        assert guest.sh("ls /dev/hugepages") == "" and guest.free_pages() == [0, 0]
        guest.give_back(FIRST)
        assert guest.driver(FIRST) == "virtio-pci"
