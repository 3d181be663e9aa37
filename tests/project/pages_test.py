# SPDX-License-Identifier: BSD-3-Clause
"""Pages of doc/: their shell blocks are shell, their commands are commands; what cards.md reads and writes below /sys, on a copy of it."""
import os
import re
import subprocess

import pytest

from conftest import ROOT

pytestmark = pytest.mark.zcfwd

PAGES = sorted((ROOT / "doc").rglob("*.md"))
CARDS = ROOT / "doc/howto/cards.md"
PLAIN = os.environ | {"LC_ALL": "C"}  # bash warns of a locale that is not there
CARD, OTHER, BRIDGE = "0000:01:00.0", "0000:01:00.1", "0000:00:01.0"


def blocks(page, kind):
    """The contents of the page's blocks that begin with ```KIND."""
    return re.findall(rf"(?ms)^```{kind}\n(.*?)^```$", page.read_text(encoding="utf-8"))


def named(page):
    return str(page.relative_to(ROOT / "doc"))


@pytest.mark.parametrize("page", [page for page in PAGES if blocks(page, "sh")], ids=named)
def test_shell_parses(page):
    for block in blocks(page, "sh"):
        parsed = subprocess.run(["bash", "-n"], input=block, env=PLAIN, capture_output=True, text=True, timeout=30, check=False)
        assert parsed.returncode == 0 and not parsed.stderr, (block, parsed.stderr)


@pytest.mark.needs()
@pytest.mark.parametrize("page", [CARDS, *(page for page in PAGES if page.parent.name == "howto" and page != CARDS)], ids=named)
def test_commands_are_commands(binary, tmp_path, page):
    """Each line after the prompt, and on the page of cards each command in running text that begins like one."""
    text = page.read_text(encoding="utf-8").replace("`ddp get list`", "`ddp get list 0`")
    lines = re.findall(r"(?m)^zcfwd> (.+)$", text)
    if page == CARDS:
        lines += re.findall(r"`((?:show|set|start|explain|doctor|ddp get)\b[^`|]*)`", text)
        assert len(lines) > 20
    script = tmp_path / "script"
    script.write_text("".join(line + "\n" for line in lines), encoding="utf-8")
    done = subprocess.run([str(binary), "--check", str(script)], capture_output=True, text=True, timeout=30, check=False)
    assert done.returncode == 0, done.stderr


def test_links_to_the_page():
    for page in ("README.md", "doc/README.md", "doc/howto/host.md", "doc/howto/install.md", "doc/containers.md"):
        links = re.findall(r"\]\(([^)#]*cards\.md)(?:#[\w-]+)?\)", (ROOT / page).read_text(encoding="utf-8"))
        assert links and all((ROOT / page).parent.joinpath(link).resolve() == CARDS for link in links), page


@pytest.mark.parametrize("page", [CARDS, ROOT / "doc/howto/install.md"], ids=named)
def test_links_lead_somewhere(page):
    for link, anchor in re.findall(r"\]\(([^):#]*)(?:#([\w-]+))?\)", page.read_text(encoding="utf-8")):
        text = (page.parent / link if link else page).read_text(encoding="utf-8")
        heads = [re.sub(r"[^\w -]", "", head.lower()).replace(" ", "-") for head in re.findall(r"(?m)^#+ (.+)$", text)]
        assert not anchor or anchor in heads, (link, anchor)


class Sys:
    """As much of /sys, /proc and /dev as the page's commands use, below a folder."""

    def __init__(self, root):
        self.root = root
        for address, kind, driver in ((CARD, "0x020000", "i40e"), (OTHER, "0x020000", ""), (BRIDGE, "0x060400", "pcieport")):
            device = f"sys/bus/pci/devices/{address}"
            for name, text in (("class", kind), ("vendor", "0x8086"), ("device", "0x1583"), ("numa_node", "1"), ("driver_override", "(null)"),
                               ("local_cpulist", "4-7"), ("current_link_speed", "8.0 GT/s PCIe"), ("max_link_speed", "8.0 GT/s PCIe"),
                               ("current_link_width", "x8"), ("max_link_width", "x8")):
                self.write(f"{device}/{name}", text)
            if driver:
                self.write(f"sys/bus/pci/drivers/{driver}/unbind", "")
                self.link(f"{device}/driver", f"sys/bus/pci/drivers/{driver}")
            self.link(f"{device}/iommu_group", "sys/kernel/iommu_groups/17")
            self.write(f"sys/kernel/iommu_groups/17/devices/{address}", "")
        self.write("sys/bus/pci/drivers_probe", "")
        self.write("sys/module/vfio/parameters/enable_unsafe_noiommu_mode", "N")
        for node in "01":
            self.write(f"sys/devices/system/node/node{node}/hugepages/hugepages-2048kB/nr_hugepages", "7")
            self.write(f"sys/devices/system/node/node{node}/hugepages/hugepages-2048kB/free_hugepages", "7")
        self.write("dev/hugepages/rtemap_0", "")
        self.write("dev/hugepages/other", "")
        self.write("sys/class/net/enp1s0f0/device/sriov_numvfs", "0")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text}\n" if text else "", encoding="ascii")

    def link(self, name, to):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.symlink_to(self.root / to)

    def read(self, name):
        return (self.root / name).read_text(encoding="ascii")

    def run(self, word):
        """Run the page's first block that has the word, here, without the commands of packages and of the kernel's modules."""
        block = next(block for block in blocks(CARDS, "sh") if word in block)
        lines = [line for line in block.splitlines() if not re.match(r"(modprobe|dpdk-devbind\.py|ip|driverctl) ", line)]
        text = re.sub(r"(?<![\w.])/(?=(sys|dev/hugepages)\b)", f"{self.root}/", "\n".join(lines))
        done = subprocess.run(["bash", "-euc", text], env=PLAIN, capture_output=True, text=True, timeout=30, check=False)
        assert done.returncode == 0 and not done.stderr, (text, done.stderr)
        return done.stdout.replace(str(self.root), "")


@pytest.fixture
def fake(tmp_path):
    return Sys(tmp_path)


def test_cards_are_found(fake):
    assert fake.run("for d in ").splitlines() == [f"{CARD} 0x8086 0x1583 node 1 /sys/bus/pci/drivers/i40e", f"{OTHER} 0x8086 0x1583 node 1 "]


def test_binding_by_sysfs(fake):
    fake.run("echo vfio-pci >")
    device = f"sys/bus/pci/devices/{CARD}"
    assert fake.read(f"{device}/driver_override") == "vfio-pci\n"
    assert fake.read("sys/bus/pci/drivers/i40e/unbind") == fake.read("sys/bus/pci/drivers_probe") == f"{CARD}\n"
    fake.run("echo >/sys/bus/pci/devices/$card/driver_override")
    assert fake.read(f"{device}/driver_override") == "\n"


def test_binding_a_card_without_driver(fake):
    (fake.root / f"sys/bus/pci/devices/{CARD}/driver").unlink()
    fake.run("echo vfio-pci >")
    assert fake.read("sys/bus/pci/drivers/i40e/unbind") == "" and fake.read("sys/bus/pci/drivers_probe") == f"{CARD}\n"


def test_what_the_page_reads(fake):
    assert fake.run("iommu_group/devices").split() == [BRIDGE, CARD, OTHER]
    assert fake.run("_link_speed").count("8.0 GT/s PCIe\n") == fake.run("_link_speed").count("x8\n") == 2
    fake.run("enable_unsafe_noiommu_mode")
    assert fake.read("sys/module/vfio/parameters/enable_unsafe_noiommu_mode") == "1\n"


def test_hugepages_are_reserved_and_given_back(fake):
    pages = [f"sys/devices/system/node/node{node}/hugepages/hugepages-2048kB/nr_hugepages" for node in "01"]
    assert fake.run("# 512 pages").splitlines() == [f"/{name.replace('nr_', 'free_')}:7" for name in pages]
    assert [fake.read(name) for name in pages] == ["512\n"] * 2
    fake.run("rm -f /dev/hugepages")
    assert [fake.read(name) for name in pages] == ["0\n"] * 2
    assert [path.name for path in (fake.root / "dev/hugepages").iterdir()] == ["other"]
