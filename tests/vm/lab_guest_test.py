# SPDX-License-Identifier: BSD-3-Clause
"""`run-lab` of `make bundle` on a Debian host with cards: rows of cards are filled, or have a reason, in a file that goes with the guest."""
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
# {card of QEMU: (port under test, source)}; a cable for each.
CARDS = {"virtio-net-pci": ("0000:01:00.0", "0000:02:00.0"), "e1000e": ("0000:03:00.0", "0000:04:00.0")}
CASES = ("nic/recycle/fast-free/cycles", "nic/recycle/no-fast-free/cycles", "nic/extbuf/cycles", "nic/pipeline/scalar/cycles", "nic/pipeline/vector/cycles")
# {card: {case: why it has no figure}}
WHY = {"virtio-net-pci": dict.fromkeys(CASES[:2], "recycling: port 0: net_virtio split mergeable: refills its ring while it receives, so no slot is left to recycle into"),
       "e1000e": dict.fromkeys(CASES[:2], "recycling: port 0: driver net_e1000_em cannot be paired")}


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


@pytest.mark.parametrize("card", CARDS)
def test_rows(lab, tmp_path, card):
    """Each row of a card has a figure, called real, or its reason; both are in the file."""
    port, source = CARDS[card]
    said = lab.sh(f"/mnt/run-lab /tmp/{card} --nic {port} --source {source} {WORDS} 2>/tmp/log; status=$?; cat /tmp/log; echo status $status", LAB_S)
    assert "status 1\n" in said, said
    (tmp_path / "lab.csv").write_text(lab.sh(f"cat /tmp/{card}/lab-*.csv"), encoding="utf-8")
    run = published.Run(tmp_path / "lab.csv")
    assert run.failed == WHY[card] and set(run.values) == set(CASES) - set(WHY[card]), said
    for row in (row for table in published.TABLES for row in table.rows):
        shown = re.search(rf"(?m)^  {re.escape(row.what)} +{re.escape(row.published)} (.*)$", said)
        if row.ours and row.ours.case in CASES:
            assert (f"failed: {WHY[card][row.ours.case]}" if row.ours.case in WHY[card] else ", real") in shown[1], said
        else:
            assert published.waits_for(row) in shown[1], said
