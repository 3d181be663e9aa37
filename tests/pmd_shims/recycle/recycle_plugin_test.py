# SPDX-License-Identifier: BSD-3-Clause
"""The plugin recycle.so in dpdk-testpmd, which it lets recycle soundly by rte_eth_recycle_mbufs(): DPDK 23.11 and newer."""
import os
import re
import subprocess

import pytest
from conftest import binary_path
from modelled import GOOD, MOCK, VHOST, Modelled, all_good, each_device, forward, needs_model_nic
from plugin import dpdk_release, loadable
from session import Session, wait_until

BUILT = binary_path().parent / "pmd_shims/recycle/plugin/recycle.so"
PLUGIN = loadable(BUILT)
LIMIT = 90  # of a hundred packets, how many are in recycled mbufs at least: rings fill first, from pools
THREE = {"lcores": "0@0,1@1,2@0"}
pytestmark = [needs_model_nic, pytest.mark.skipif(dpdk_release() < "23.11", reason="rte_eth_recycle_mbufs() came with DPDK 23.11")]


@pytest.fixture(autouse=True)
def _library(monkeypatch):
    """A copy of the plugin does not find the library beside it."""
    monkeypatch.setenv("LD_LIBRARY_PATH", str(BUILT.parent.parent), prepend=":")


def recycling(testpmd, devices, tmp_path, args=(), **options):
    return Modelled(testpmd, devices, tmp_path, ["--rxd=512", "--txd=512", *args], ["-d", PLUGIN], **options)


def moved(session):
    """Mbufs by (port and queue of Rx, port and queue of Tx)."""
    return {tuple(map(int, name.split("/"))): pair["moved"] for name, pair in session.ask("/recycle/stats").items()}


def moves(session, *pairs):
    """Wait until these pairs move mbufs, and no other one does."""
    before = moved(session)
    wait_until(lambda: all(moved(session).get(pair, 0) > before.get(pair, 0) + 1000 for pair in pairs), f"mbufs of {pairs}", 10)
    after = moved(session)
    assert {pair for pair in after if after[pair] > before.get(pair, 0)} == set(pairs)


@each_device
def test_verified(testpmd, tmp_path, device):
    with recycling(testpmd, f"{device},verify,count=200000,flows=16*2", tmp_path) as session:
        forward(session, "recycle_mbufs", 400_000, leave=False)
        pairs = moved(session)
        session.quit()
        all_good(session.reports(), 200_000)
        text = session.transcript() + session.stderr()
    assert set(pairs) == {(0, 0, 1, 0), (1, 0, 0, 0)}
    assert min(pairs.values()) > 200_000 * LIMIT / 100
    for pair, n in pairs.items():
        line = "recycle: port {} queue {} from port {} queue {}: ".format(*pair)
        assert f"{line}{n} mbufs moved" in text
        assert re.search(f"{line}net_[^ ]+ Vector .* from net_", text)


needs_mock = pytest.mark.skipif(os.environ.get("MOCK_LACKS", "") != "" or not os.path.exists(MOCK), reason="no mock ports here")


@needs_mock
@pytest.mark.parametrize("words", [("ice", "ice"), pytest.param(("iavf", "iavf"), marks=pytest.mark.skipif(
    dpdk_release() < "25.07", reason="net_iavf before 25.07 does not report which functions it chose")), ("mlx5", "mlx5"), ("ixgbe_vf", "ixgbe_vf"), ("ice", "mlx5"), ("mlx5", "ixgbe")])
def test_mock_ports(testpmd, tmp_path, words):
    """Drivers that cannot be probed here."""
    ports = [f"net_mock{i},driver={word},verify,count=100000,flows=16" for i, word in enumerate(words)]
    with recycling(testpmd, "", tmp_path, ["--tx-offloads=0x0"], plugin=MOCK, vdevs=ports) as session:
        forward(session, "recycle_mbufs", 200_000, leave=False)
        pairs = moved(session)
        session.quit()
        all_good(session.reports(), 100_000)
    assert set(pairs) == {(0, 0, 1, 0), (1, 0, 0, 0)} and min(pairs.values()) > 10_000, session.stderr() + session.transcript()


def test_virtio(testpmd, tmp_path, monkeypatch):
    """Virtio-user and the plugin that is its other end; packets that were sent before the end of the rings was reached stay there."""
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))
    ports = [f"net_virtio_user{i},path={tmp_path}/{i},queue_size=512,mrg_rxbuf=0,in_order=0,vectorized=1" for i in range(2)]
    with recycling(testpmd, "virtio,verify,rate=200000,flows=16*2", tmp_path, ["--tx-offloads=0x0"], plugin=VHOST, vdevs=ports) as session:
        for line in ("set fwd recycle_mbufs", "start"):
            session.cmd(line)
        moves(session, (0, 0, 1, 0), (1, 0, 0, 0))
        session.cmd("stop")
        session.quit()
        good(session.reports())


def good(reports):
    for report in reports:
        assert [report[name] for name in ("corrupted", "duplicated", "foreign", "armed_twice", "armed_in_tx", "sent_while_armed")] == [0] * 6, report
        assert report["ok"] > 0


@each_device
def test_restart(testpmd, tmp_path, device):
    """Ports that are started again, with other numbers of descriptors or after a reset, recycle again."""
    with recycling(testpmd, f"{device},verify,rate=200000,flows=16*2", tmp_path) as session:
        session.cmd("set fwd recycle_mbufs")
        for lines in ((), ("port config all rxd 1024", "port config all txd 256"), ("port config all rxd 256", "port config all txd 512"), ("port reset all",)):
            for line in ("port stop all", *lines, "port start all", "start"):
                session.cmd(line)
            moves(session, (0, 0, 1, 0), (1, 0, 0, 0))
            session.cmd("stop")
        session.quit()
        good(session.reports())


def test_other_queues(testpmd, tmp_path):
    """A receive queue whose packets leave by another port from now on, and lcores that exchange queues."""
    with recycling(testpmd, "xl710,verify,rate=100000,queues=2,flows=16*3", tmp_path, ["--nb-ports=3", "--rxq=2", "--txq=2", "--nb-cores=1", "--rss-udp"],
                   **THREE) as session:
        session.cmd("set fwd recycle_mbufs")
        for cores, ports in ((1, "0,1"), (2, "0,2"), (2, "1,0"), (1, "2,0"), (2, "0,1")):
            for line in (f"set nbcore {cores}", f"set portlist {ports}", "start"):
                session.cmd(line)
            one, other = map(int, ports.split(","))
            moves(session, *((a, q, b, q) for a, b in ((one, other), (other, one)) for q in range(2)))
            session.cmd("stop")
        session.quit()
        good(session.reports())


def test_unknown_driver(testpmd):
    """rte_eth_recycle_rx_queue_info_get() is refused, and packets are forwarded without recycling."""
    with Session(testpmd, eal=["-d", PLUGIN]) as session:
        for line in ("set fwd recycle_mbufs", "start"):
            session.cmd(line)
        wait_until(lambda: "RX-packets: 0 " not in session.cmd("show port stats all"), "packets", 20)
        session.cmd("stop")
        text = session.transcript() + session.stderr()
    for port in range(2):
        assert text.count(f"recycle: port {port}: driver net_null cannot be paired\n") == 1
    assert text.count("Failed to get rx queue mbufs recycle info") == 2


def test_other_release(testpmd, tmp_path):
    """A plugin of another release takes no port and names both; nothing else changes."""
    (tmp_path / "year.c").write_text("unsigned int rte_version_year(void) { return 40; }\n", encoding="ascii")
    subprocess.run(["cc", "-shared", "-fPIC", tmp_path / "year.c", "-o", tmp_path / "year.so"], check=True, timeout=60)
    with Session(testpmd, eal=["-d", PLUGIN], env={"LD_PRELOAD": str(tmp_path / "year.so")}) as session:
        for line in ("set fwd io", "start"):
            session.cmd(line)
        wait_until(lambda: "RX-packets: 0 " not in session.cmd("show port stats all"), "packets", 20)
        session.cmd("stop")
        text = session.transcript() + session.stderr()
    assert len(re.findall(r"recycle: DPDK .*: expected DPDK \d\d\.\d\d: no port is taken\n", text)) == 1
    assert "net_null cannot be paired" not in text
