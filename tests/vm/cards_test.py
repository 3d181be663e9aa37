# SPDX-License-Identifier: BSD-3-Clause
"""The commands of doc/howto/cards.md in a Linux guest with an IOMMU, two nodes and PCI cards: the kernel takes them, and the ports forward."""
import pathlib
import re

import pytest

import initrd
from guest import Guest, kernel, lacking

pytestmark = pytest.mark.zcfwd
ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = (ROOT / "doc/howto/cards.md").read_text(encoding="utf-8")
MODULES = (*initrd.MODULES, "irqbypass", "vfio", "vfio_virqfd", "vfio_iommu_type1", "vfio-pci-core", "vfio-pci", "uio", "uio_pci_generic", "vmxnet3")
DRIVERS = ("net_virtio", "net_vmxnet3", "mempool_ring", "bus_pci")
MIB = 1024
FIRST, SECOND, THIRD = "0000:00:08.0", "0000:00:09.0", "0000:00:0a.0"
PAGES = 100  # of 2 MiB, on each node
HUB = "hubport,hubid=0"


def loaded(binary):
    """What the program loads by name: drivers, and what threads need to end."""
    eal = next(pathlib.Path(path) for path in initrd.libraries(binary) if "/librte_eal.so" in path)
    return [str(eal.with_name(eal.name.replace("eal", name))) for name in DRIVERS], str(eal.with_name("libgcc_s.so.1"))


class Host(Guest):
    """With virtio cards at FIRST and SECOND, connected to each other, and a vmxnet3 at THIRD."""

    def __init__(self, path, iommu):
        super().__init__(path, [], MIB)
        at = self.argv.index("-object")
        del self.argv[at:at + 4]  # the memory of one node
        self.argv += ["-machine", "q35"]
        for node in (0, 1):
            self.argv += ["-object", f"memory-backend-memfd,id=mem{node},size={MIB // 2}M", "-numa", f"node,nodeid={node},memdev=mem{node}"]
        self.argv += ["-numa", "cpu,node-id=0,socket-id=0", "-numa", "cpu,node-id=1,socket-id=1"]
        self.argv[self.argv.index("1,maxcpus=2")] = "2,sockets=2"
        if iommu:
            self.argv += ["-device", "intel-iommu"]
        for number, address in enumerate((8, 9)):
            self.argv += ["-netdev", f"{HUB},id=h{number}", "-device",
                          f"virtio-net-pci,netdev=h{number},addr={address:#x},romfile=,disable-legacy=on" + (",iommu_platform=on" if iommu else "")]
        self.argv += ["-netdev", f"{HUB},id=h2", "-device", "vmxnet3,netdev=h2,addr=0xa,romfile="]

    def block(self, word, *changes):
        """Run the page's first block that has the word, with changes, without the commands that the guest lacks."""
        block = next(block for block in re.findall(r"(?ms)^```sh\n(.*?)^```$", PAGE) if word in block)
        for old, new in changes:
            assert old in block
            block = block.replace(old, new)
        lines = [line for line in block.splitlines() if not re.match(r"(dpdk-devbind\.py|modprobe|ip) |.*sriov_numvfs", line)]
        self.sh("cat >/tmp/block <<'END'\n" + "\n".join(lines) + "\nEND\ntrue")
        return self.sh("sh -eu /tmp/block")

    def driver(self, card):
        return self.sh(f"basename \"$(readlink /sys/bus/pci/devices/{card}/driver)\"").strip()

    def bind(self, card, driver):
        self.block("echo vfio-pci >", ("0000:01:00.0", card), ("vfio-pci", driver))
        assert self.driver(card) == driver

    def give_back(self, card):
        self.block("echo >/sys/bus/pci/devices/$card/driver_override", ("0000:01:00.0", card))

    def free_pages(self):
        """Of 2 MiB, on node 0 and node 1."""
        return [int(n) for n in self.sh("cat /sys/devices/system/node/node*/hugepages/hugepages-2048kB/free_hugepages").split()]

    def reserve_pages(self):
        said = self.block("# 512 pages", ("echo 512", f"echo {PAGES}"))
        assert f"node1/hugepages/hugepages-2048kB/free_hugepages:{PAGES}\n" in said and self.free_pages() == [PAGES] * 2


@pytest.fixture(scope="module")
def disk(tmp_path_factory, binary):
    if why := lacking():
        pytest.skip(why)
    path = tmp_path_factory.mktemp("vm") / "initrd"
    drivers, libgcc = loaded(binary)
    initrd.write(path, kernel(), MODULES, (str(binary), *drivers, libgcc))
    return path


def command(binary, words, cards, own=""):
    plugins = " ".join(f"-d {driver}" for driver in loaded(binary)[0])
    allowed = " ".join(f"-a {card}" for card in cards)
    return f"{binary} -l 0,1 {plugins} {words} --no-telemetry {allowed} -- -i --no-mlockall --total-num-mbufs=8192 {own}"


def forwards(guest, binary, words, cards=(FIRST, SECOND), user=None):
    """Start on the cards; packets that one sends arrive at the other. Returns what the program said."""
    guest.sh("printf 'start tx_first\\nstart for 1s\\nstop\\nstart for 1s\\nquit\\n' >/tmp/lines")
    line = f"{command(binary, words, cards)} </tmp/lines 2>&1"
    said = guest.sh(line if user is None else f"su {user} -s /bin/sh -c '{line}'", 240)
    moved = re.findall(r"RX-total: (\d+)", said)
    assert moved and all(int(n) > 0 for n in moved[:2]), said
    return said


@pytest.fixture(scope="module")
def with_iommu(disk):
    with Host(disk, True) as guest:
        guest.boot().sh("mkdir -p /var/run /etc/security/limits.d; chmod 755 /; chmod 777 /tmp; echo 'root:x:0:0::/:/bin/sh' >/etc/passwd; "
                        "echo 'alice:x:1000:1000::/tmp:/bin/sh' >>/etc/passwd")
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
def test_vfio(with_iommu, binary, cards):
    """Debian's kernel turns the IOMMU on; without a mount and with --in-memory all pages are free afterwards."""
    assert "IOVA mode 'VA'" in forwards(with_iommu, binary, "--in-memory", cards)
    assert with_iommu.free_pages() == [PAGES] * 2


def test_vfio_without_huge_pages(with_iommu, binary):
    forwards(with_iommu, binary, "--no-huge -m 128")


def test_vfio_without_root(with_iommu, binary):
    for card in (FIRST, SECOND):
        with_iommu.block("user=alice", ("0000:01:00.0", card))
    assert with_iommu.sh("cat /etc/security/limits.d/zcfwd.conf").strip() == "alice - memlock unlimited"
    with_iommu.sh("ulimit -l unlimited")
    assert "IOVA mode 'VA'" in forwards(with_iommu, binary, "--in-memory", user="alice")


def test_detached_and_attached(with_iommu, binary):
    """The page's lines for a card that is taken away on purpose; --strict ends the program at the first that fails."""
    planned = re.search(r"(?ms)^Planned.*?^```\n(.*?)^```", PAGE)[1].replace("0000:01:00.0", FIRST).replace("zcfwd> ", "")
    with_iommu.sh("cat >/tmp/lines <<'END'\nstart tx_first\n" + planned + "show port summary all\nquit\nEND\ntrue")
    said = with_iommu.sh(f"{command(binary, '--in-memory', (FIRST, SECOND), '--strict')} </tmp/lines 2>&1", 240)
    assert re.search(rf"Number of available ports: 2\n.*\n0 .*{FIRST}", said), said


def test_removed(with_iommu, binary):
    """With --hot-plug the run ends and the port goes, before the next prompt; the other port remains. A card that appears is named."""
    guest = with_iommu

    def wait(what, line=":"):
        guest.sh(f"until grep -q '{what}' /tmp/out; do {line}; sleep 1; done", 120)

    program = command(binary, "--in-memory", (FIRST, SECOND), "--hot-plug")
    guest.sh(f"mkfifo /tmp/in; exec 3<>/tmp/in; ({program} </tmp/in >/tmp/out 2>&1; echo gone >>/tmp/out) & true")
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


def test_uio(disk, binary):
    """Without an IOMMU: physical addresses and files in /dev/hugepages; vfio-pci has no other mode in Debian's kernels."""
    with Host(disk, False) as guest:
        guest.boot().sh("mkdir -p /var/run; chmod 755 /")
        assert guest.sh("ls /sys/kernel/iommu_groups") == ""
        assert guest.sh("[ -d /sys/module/vfio ] && [ ! -e /sys/module/vfio/parameters/enable_unsafe_noiommu_mode ] && echo none") == "none\n"
        guest.reserve_pages()
        for card in (FIRST, SECOND):
            guest.bind(card, "uio_pci_generic")
        guest.sh("mkdir -p /dev/hugepages && mount -t hugetlbfs nodev /dev/hugepages")
        assert "IOVA mode 'PA'" in forwards(guest, binary, "")
        assert "rtemap_0" in guest.sh("ls /dev/hugepages")
        guest.block("rm -f /dev/hugepages")
        assert guest.sh("ls /dev/hugepages") == "" and guest.free_pages() == [0, 0]
        guest.give_back(FIRST)
        assert guest.driver(FIRST) == "virtio-pci"
