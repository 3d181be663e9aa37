# SPDX-License-Identifier: BSD-3-Clause
"""Ring sizes that nobody set: zcfwd's are testpmd's, of every driver and number of queues, on every CPU."""
import os
import re

import pytest

from conftest import HOST_HIDE
from modelled import LACKS, MOCK, Modelled
from packets import ether, sized, write_pcap
from session import Session

pytestmark = pytest.mark.zcfwd
RINGS = re.compile(r"(RX desc|TX desc|Number of RXDs|Number of TXDs|RX free threshold|TX free threshold|TX RS bit threshold)(?:=|: )\s*(\d+)")
QUEUES = pytest.mark.parametrize("queues", [1, 2, 4])
SMALL = {"LD_PRELOAD": HOST_HIDE, "FAKE_L2": str(256 << 10)}
NO_MOCK = os.environ.get("MOCK_LACKS") or ("" if os.path.exists(MOCK) else f"{MOCK} is not built")


def rings(session, queues, ports=2):
    """What the program says of its rings: configured, and of each queue."""
    lines = ["show config rxtx", *(f"show {way}q info {port} {queue}" for way in ("rx", "tx") for port in range(ports) for queue in range(queues))]
    found = [RINGS.findall(session.cmd(line)) for line in lines]
    session.quit()
    return found


def alike(binary, testpmd, monkeypatch, run):
    """run(program) of testpmd, of zcfwd, and of zcfwd on a CPU with little L2, which must not matter."""
    theirs, ours = run(testpmd), run(binary)
    for name, value in SMALL.items():
        monkeypatch.setenv(name, value)
    assert ours == theirs and run(binary) == theirs
    return theirs


@pytest.mark.rotates(3)
@QUEUES
@pytest.mark.parametrize("device", ["xl710", "82599", "x540"])
@pytest.mark.skipif(LACKS != "", reason=LACKS)
def test_modelled(binary, testpmd, tmp_path, monkeypatch, device, queues):
    def run(program):
        with Modelled(program, f"{device},queues={queues}*2", tmp_path, [f"--rxq={queues}", f"--txq={queues}"]) as session:
            return rings(session, queues)
    assert len(alike(binary, testpmd, monkeypatch, run)[0]) >= 8


@pytest.mark.rotates(4)
@QUEUES
@pytest.mark.parametrize("driver", ["mlx5", "ice", "iavf", "i40e", "ixgbe"])
@pytest.mark.skipif(NO_MOCK != "", reason=NO_MOCK)
def test_mock(binary, testpmd, tmp_path, monkeypatch, driver, queues):
    def run(program):
        with Modelled(program, "", tmp_path, [f"--rxq={queues}", f"--txq={queues}"], plugin=MOCK,
                      vdevs=[f"net_mock{i},driver={driver},queues={queues}" for i in (0, 1)]) as session:
            return rings(session, queues)
    alike(binary, testpmd, monkeypatch, run)


@pytest.mark.rotates(2)
@pytest.mark.parametrize("device", ["net_null", "net_ring", "net_vhost{},iface={folder}/v{}", "net_memif", "net_pcap{},rx_pcap={folder}/in,tx_pcap={folder}/out{}",
                                    pytest.param("net_tap", marks=pytest.mark.tap)])
def test_virtual(binary, testpmd, tmp_path, monkeypatch, device):
    write_pcap(tmp_path / "in", [sized(ether(), 60, 1)])
    devices = [(device if "{}" in device else device + "{}").replace("{}", str(i)).replace("{folder}", str(tmp_path)) for i in (0, 1)]

    def run(program):
        with Session(program, devices) as session:
            return rings(session, 1)
    alike(binary, testpmd, monkeypatch, run)
