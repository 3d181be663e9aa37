# SPDX-License-Identifier: BSD-3-Clause
"""`run-lab` of `make bundle` on a Debian host with cards: each row is filled, or has a reason, in a file that goes with the guest."""
import re
import subprocess

import pytest

import published
from conftest import ROOT, binary_path
from debian import BOOT_S, TOOL_S, Debian
from host import OWN_BUS, Nic

pytestmark = pytest.mark.zcfwd
BUILD = binary_path().parent
BUNDLE_MIB = 160
LAB_S = 1800
# Packets per second of the source: an emulated processor forwards them. Their rates in two slices are far from equal there.
WORDS = "--quick --load 500 --unequal 400 --only '^nic/'"
TRIAL = "--trial --load 500 --unequal 3000"
# {card of QEMU: (port under test, source)}; a cable for each.
CARDS = {"virtio-net-pci": ("0000:01:00.0", "0000:02:00.0"), "e1000e": ("0000:03:00.0", "0000:04:00.0")}
CASES = ("nic/recycle/fast-free/cycles", "nic/recycle/no-fast-free/cycles", "nic/extbuf/cycles", "nic/pipeline/scalar/cycles", "nic/pipeline/vector/cycles")
# {card: {case: why it has no figure}}
WHY = {"virtio-net-pci": dict.fromkeys(CASES[:2], "recycling: port 0: net_virtio split mergeable: refills its ring while it receives, so no slot is left to recycle into"),
       "e1000e": dict.fromkeys(CASES[:2], "recycling: port 0: driver net_e1000_em cannot be paired")}

# Reasons of the bundle, for any card.
LACKS = dict.fromkeys(("l3fwd/recycled/lpm/xl710", "l3fwd/recycled/lpm/both"), "DPDK's l3fwd is built from the tree: run \"make lab\" there")


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    """A file system with the folder of make bundle."""
    if not (BUILD / "build.ninja").exists():
        pytest.skip("the program is not in the folder where it was built")
    folder = tmp_path_factory.mktemp("lab")
    for line in ([ROOT / "devtools/bundle", BUILD, folder / "bundle"], ["mkfs.ext4", "-q", "-d", folder / "bundle", folder / "disk", f"{BUNDLE_MIB}M"]):
        done = subprocess.run(line, capture_output=True, text=True, check=False, timeout=300)
        assert done.returncode == 0, done.stdout + done.stderr
    return folder / "disk"


@pytest.fixture(scope="module", params=["vfio-pci", "uio_pci_generic"])
def lab(request, bundle, tmp_path_factory):
    """Virtual addresses with an IOMMU; physical ones without it, where EAL refuses virtual ones."""
    nics = [Nic(card, f"hubport,hubid={number}", OWN_BUS) for number, card in enumerate(CARDS) for _ in range(2)]
    with Debian("bookworm", tmp_path_factory.mktemp("guest"), nics, iommu=request.param == "vfio-pci", more=bundle) as guest:
        guest.boot(BOOT_S).sh(f"modprobe {request.param}", TOOL_S)
        for nic in nics:
            guest.bind(nic.address, request.param)
        yield guest


def run_lab(guest, card, folder, words):
    """(what it said, the file, {row: what it shows}) of a run with the card; some rows never have a figure there."""
    port, source = CARDS[card]
    said = guest.sh(f"rm -rf /tmp/{card}; /mnt/run-lab /tmp/{card} --nic {port} --source {source} {words} 2>/tmp/log; status=$?; cat /tmp/log; echo status $status", LAB_S)
    assert "status 1\n" in said, said
    (folder / "lab.csv").write_text(guest.sh(f"cat /tmp/{card}/lab-*.csv"), encoding="utf-8")
    shown = {}
    for table in published.TABLES:
        found = re.search(rf"(?m)^{re.escape(table.title)}\n((?:  .*\n)+)", said)
        lines = found[1].splitlines() if found else []
        assert len(lines) == len(table.rows), f"{table.title}: {said}"
        for row, line in zip(table.rows, lines):
            assert line.startswith("  %-36s %-36s " % (row.what, row.published)), said
            shown[row] = line[len("  %-36s %-36s " % (row.what, row.published)):]
    return said, published.Run(folder / "lab.csv"), shown


@pytest.mark.parametrize("card", CARDS)
def test_rows(lab, tmp_path, card):
    """Each row of a card has a figure, called real, or its reason; both are in the file."""
    said, run, shown = run_lab(lab, card, tmp_path, WORDS)
    assert run.failed == WHY[card] and set(run.values) == set(CASES) - set(WHY[card]), said
    for row, text in shown.items():
        if row.ours and row.ours.case in CASES:
            assert (f"failed: {WHY[card][row.ours.case]}" if row.ours.case in WHY[card] else ", real") in text, said
        else:
            assert published.waits_for(row) in text, said


@pytest.mark.parametrize("lab", ["vfio-pci"], indirect=True)
def test_whole(lab, tmp_path):
    """A trial of all rows: each has a figure, or waits for what the guest lacks, or has one of the known reasons."""
    card = "virtio-net-pci"
    said, run, shown = run_lab(lab, card, tmp_path, TRIAL)
    assert run.trial and run.failed == WHY[card] | LACKS, said
    for row, text in shown.items():
        if row.ours and (why := run.failed.get(row.ours.case)):
            assert text == f"failed: {why}", said
        elif row.ours is None or row.needs in (published.CORES, published.PMU, published.NODES, published.MIXED):
            assert text == published.waits_for(row), said
        else:
            # In the one slice of an emulated processor there may be no packet.
            assert re.search(r"\d.*, (modelled|pseudo NIC|simulated|real)$", text) or text == "failed: no sample that counts", f"{row}: {said}"
