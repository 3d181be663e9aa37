# SPDX-License-Identifier: BSD-3-Clause
"""Engine direct on net_virtio: modelled devices, DPDK's vhost in another process, and together with a modelled NIC."""
import signal

import pytest

from modelled import GOOD, PATIENT, TURNS, VHOST, Modelled, dpdk_release, in_turns
from packets import read_pcap, write_pcap
from recycling import all_through_but, named, pools_are_full, run_direct
from session import Session, wait_until
from stats import port_stats
from virtio_pair import PACKED, SPLIT, WIDE, eal_args, linked, numbered, surplus

pytestmark = pytest.mark.usefixtures("of_the_table")
N = 6400
# Receive functions, each with a transmit function of its own.
KINDS = {"split": SPLIT, **({"packed": PACKED} if WIDE else {})}
# For packed rings: the driver refills 64 at a time, and leaves sent mbufs in the ring.
ARGS = ["--rxfreet=64", "--txfreet=384", "--rxd=512", "--txd=512"]
each_kind = pytest.mark.parametrize("kind", KINDS)


def modelled(binary, tmp_path, monkeypatch, kind, words, args=()):
    monkeypatch.setenv("VHOST_NIC", str(tmp_path))
    ports = [f"net_virtio_user{i},path={tmp_path}/{i},queue_size=512,{KINDS[kind]}" for i in range(2)]
    return Modelled(binary, f"virtio,verify,{words}*2", tmp_path, [*ARGS, "--tx-offloads=0x0", *args], eal=["--force-max-simd-bitwidth=512"],
                    plugin=VHOST, vdevs=ports)


def closed(session, but=()):
    """net_virtio keeps its mbufs until its ports are closed. Nothing was lost or changed, but for these faults."""
    session.ok("port stop all", "port close all")
    pools_are_full(session)
    session.quit()
    assert session.rc == 0
    for report in session.reports():
        good = [name for name in GOOD if name not in but]
        assert {name: report[name] for name in good} == dict.fromkeys(good, 0), report


@each_kind
def test_modelled(binary, tmp_path, monkeypatch, kind):
    """Packets of many sizes; ports count what the engine counts."""
    with modelled(binary, tmp_path, monkeypatch, kind, "count=100000,flows=16,size=60-1500") as session:
        run_direct(session, 199_000)  # the driver throws away what was received before its port started
        counts = named(session)
        assert counts["rx"] == counts["tx"] == session.count("RX-packets") == session.count("TX-packets"), counts
        assert counts["by_mbufs"] == counts["rx_errors"] == 0, counts
        closed(session, but=["missing"])


@each_kind
def test_between_other_engines(binary, tmp_path, monkeypatch, kind):
    with modelled(binary, tmp_path, monkeypatch, kind, "flows=16") as session:
        session.ok(PATIENT)
        in_turns(session, 5 * TURNS, 20_000)
        closed(session, but=["missing"])


@each_kind
def test_pauses(binary, tmp_path, monkeypatch, kind):
    """A slow source: after each packet comes none for a while, and yet none waits."""
    with modelled(binary, tmp_path, monkeypatch, kind, "flows=16,rate=2000") as session:
        session.ok("set direct-rewrite off", "set fwd direct", "start")
        wait_until(lambda: named(session)["rx"] >= 4000, "packets", 30)
        all_through_but(session, 0)
        session.ok("stop")
        closed(session, but=["missing"])


class Far:
    """A session with vhost ports between files, in another process than the virtio ports."""

    def __init__(self, binary, tmp_path, packets, devargs):
        self.out = tmp_path / "out"
        write_pcap(tmp_path / "in", packets)
        write_pcap(tmp_path / "none", [])
        self.session = Session(binary, [f"net_pcap0,rx_pcap={tmp_path}/in,tx_pcap={tmp_path}/back",
                                        *(f"net_vhost{i},iface={tmp_path}/sock{i}{devargs}" for i in (0, 1)),
                                        f"net_pcap1,rx_pcap={tmp_path}/none,tx_pcap={self.out}"], ["--no-flush-rx"],
                               lcores="0@1,1@0", eal=eal_args())


@each_kind
def test_vhost(binary, tmp_path, kind):
    """DPDK's vhost in another process, which is killed and started again: the virtio ports listen, and set up their rings again."""
    packets = numbered(N)
    devices = [f"net_virtio_user{i},path={tmp_path}/sock{i},server=1,queue_size=512,{KINDS[kind]}" for i in range(2)]
    first = Far(binary, tmp_path, packets, ",client=1")
    with Session(binary, devices, ARGS, lcores="0@0,1@1", eal=eal_args()) as near:
        with first.session as far:
            linked(far, (1, 2))
            near.ok("set fwd direct", "start")
            far.ok("set fwd io retry", PATIENT, "start")
            wait_until(lambda: port_stats(far, 3)["TX-packets"] >= N, "all packets sent", 60)
            counts = named(near)
            assert counts["rx"] == counts["tx"] == N and counts["rx_errors"] == 0, counts
            far.cmd("stop")
            far.cmd("port stop 3")
            assert read_pcap(first.out) == packets
            far.signal(signal.SIGKILL)
            far.finish()
        second = Far(binary, tmp_path, packets, ",client=1")
        with second.session as far:
            linked(far, (1, 2))
            far.ok("set fwd io retry", PATIENT, "start")
            wait_until(lambda: port_stats(far, 3)["TX-packets"] >= N, "all packets sent after a reconnection", 60)
            far.cmd("stop")
            far.cmd("port stop 3")
            assert read_pcap(second.out) == packets
        near.cmd("stop")
        near.ok("port stop all", "port close all")
        assert 0 <= surplus(near) <= (128 if kind == "packed" else 0)


@pytest.mark.rotates(2)
@pytest.mark.skipif(dpdk_release() >= "25.11", reason="Intel's functions arm 64 descriptors at a time, virtio's 32")
@each_kind
@pytest.mark.parametrize("device", ["xl710", "82599"])
def test_with_a_nic(binary, tmp_path, device, kind):
    """A modelled NIC and a virtio port forward to each other; a vhost port returns what it gets."""
    with Session(binary, [f"net_vhost0,iface={tmp_path}/sock"], ["--no-flush-rx", "--port-topology=loop"], lcores="0@1,1@0", eal=eal_args()) as far, \
            Modelled(binary, f"{device},verify,count=100000,rate=100000,flows=16", tmp_path, [*ARGS, "--tx-offloads=0x0"],
                     eal=["--force-max-simd-bitwidth=512"],
                     vdevs=[f"net_virtio_user0,path={tmp_path}/sock,queue_size=512,{KINDS[kind]}"]) as session:
        far.ok("set fwd io retry", PATIENT, "start")
        linked(far, (0,))
        run_direct(session, 150_000)
        counts = named(session)
        assert counts["rx_errors"] == counts["by_mbufs"] == 0 and counts["rx"] == counts["tx"], counts
        far.cmd("stop")
        session.ok("port stop all", "port close all")
        pools_are_full(session)
        session.quit()
        for report in session.reports():
            assert {name: report[name] for name in GOOD if name != "missing"} == {name: 0 for name in GOOD if name != "missing"}, report


@pytest.mark.rotates(3)
@pytest.mark.parametrize("devargs, reason", [
    ("in_order=0", "split mergeable: refills its ring while it receives"),
    ("mrg_rxbuf=0,packed_vq=1,in_order=0", "packed standard: refills its ring while it receives"),
    (f"{SPLIT},queue_size=32", "32 receive descriptors: expected at least 64"),
])
def test_refused(binary, tmp_path, devargs, reason):
    with Session(binary, [f"net_vhost0,iface={tmp_path}/sock"], eal=eal_args()) as far, \
            Session(binary, [f"net_virtio_user0,path={tmp_path}/sock,{devargs}"], ["--port-topology=loop"], eal=eal_args()) as session:
        linked(far, (0,))
        session.ok("set fwd direct")
        said = session.cmd("start") + session.stderr()
        assert reason in said, said
        session.ok("set fwd io", "start", "stop")
